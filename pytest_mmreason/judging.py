"""One response's way: judge, verdict; from the store where the same was judged before."""

from __future__ import annotations

import asyncio
import copy
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import CallError, DataError, JudgeError, MMReasonError
from pytest_mmreason.judges.base import INVALID, Judge, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.models.function import awaited
from pytest_mmreason.pictures import Desk, Pictures
from pytest_mmreason.pool import Pool
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.shelf import Shelf
from pytest_mmreason.store import make_key
from pytest_mmreason.verdict import Verdict

if TYPE_CHECKING:
    from pytest_mmreason.budget import Budget

NOT_KEPT = (
    "the cache holds no {} to this, and --mm-cache=only makes no call; "
    "--mm-cache=on would ask for it"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge run: a verdict, or why there is none."""

    verdict: Verdict | None
    error: CallError | None
    cached: bool
    usage: Mapping[str, int]


BARREN = 20
"""Answers of a run after which a judge that gave no verdict to any is taken to give none ever."""


class Patience:
    """Loses hope in a judge none of whose replies to a run's first answers holds a verdict.

    allowed: how many errors a run may have, by its benchmark; while they are no more than
    that, hope remains. One verdict, or an error of another cause, is hope for good.
    """

    def __init__(self, allowed: Mapping[str, float]) -> None:
        self._allowed = allowed
        self._in_vain: dict[tuple[str, ...], int | None] = {}

    def end(self, run: tuple[str, ...], results: Sequence[Judgement]) -> JudgeError | None:
        """The error that ends the session after an answer's judge runs; None to go on.

        run: what tells it from the others; it begins with the name of its benchmark.
        """
        failed = self._in_vain.get(run, 0)
        if failed is None:
            return None
        errors = [result.error for result in results]
        if not all(error is not None and error.cause == INVALID for error in errors):
            self._in_vain[run] = None
            return None
        self._in_vain[run] = failed = failed + 1
        if failed < BARREN or failed <= self._allowed.get(run[0], 0.0):
            return None
        return JudgeError(
            f"the judge gave no verdict to any of the first {failed} answers, so it is asked no "
            f"more; of the last: {errors[0]}",
            cause=INVALID,
            fatal=True,
        )


class Caps:
    """How many calls at a time a model or judge can take, beside the limit of its pool."""

    def __init__(self) -> None:
        self._caps: dict[int, asyncio.Semaphore] = {}

    def of(self, role: ModelAdapter | Judge) -> asyncio.Semaphore | None:
        """What a call has to hold; None where the role sets no limit."""
        if role.max_concurrency is None:
            return None
        return self._caps.setdefault(id(role), asyncio.Semaphore(role.max_concurrency))


class Judging:
    """Asks judges, each verdict through the limits of one pool and once only.

    hits: verdicts that came from the store, or from another's call.
    """

    def __init__(
        self,
        settings: Settings,
        shelf: Shelf,
        desk: Desk,
        pool: Pool,
        caps: Caps,
        budget: Budget | None = None,
        payer: str = "",
    ) -> None:
        """payer: by what name the judge's calls are counted."""
        self.hits = 0
        self._payer = payer
        self._settings = settings
        self._shelf = shelf
        self._desk = desk
        self._pool = pool
        self._caps = caps
        self._budget = budget

    async def verdict(
        self, judge: Judge, protocol: str, sample: Sample, text: str, run: int
    ) -> Judgement:
        """One judge run on `text`, from the store if the same was judged before."""
        task = JudgeTask(sample, text, protocol, run)
        recorded = getattr(judge, "recorded", None)
        if recorded is not None and (known := recorded(task)) is not None:
            return Judgement(known, None, True, {})
        if not judge.cacheable:
            return await self._ask_judge(judge, task, None)
        key = make_key(
            {
                "role": "judge",
                "identity": judge.identity(protocol),
                "protocol": protocol,
                "question": sample.question,
                "answer": sample.answer,
                "steps": sample.steps,
                "response": text,
                "run": run,
                "sample": await self._seen_by(judge, sample),
            }
        )
        own = False

        async def find_or_ask() -> Judgement:
            nonlocal own
            own = True
            if kept := await self._shelf.get(key):
                try:
                    found = Judgement(Verdict.from_json(kept), None, True, {})
                except (ValueError, KeyError, TypeError):
                    pass
                else:
                    self.hits += 1
                    return found
            return await self._ask_judge(judge, task, key)

        judged = await self._shelf.once(key, find_or_ask)
        if own:
            return judged
        if judged.error is not None:
            return Judgement(None, of_another(judged.error), False, {})
        self.hits += 1
        return Judgement(judged.verdict, None, True, {})

    async def _seen_by(self, judge: Judge, sample: Sample) -> Mapping[str, Any] | None:
        """What else of `sample` may change a verdict: of a judge that is sent texts, nothing."""
        if getattr(judge, "reads_texts_only", False):
            return None
        try:
            with Pictures(sample.images, None, self._desk) as pictures:
                images = await pictures.hashes()
        except DataError:
            images = [image.path for image in sample.images]
        return {**sample.to_json(), "images": images}

    async def _ask_judge(self, judge: Judge, task: JudgeTask, key: str | None) -> Judgement:
        """A new verdict, put into the store under `key`."""
        if self._settings.cache == "only" and not judge.offline:
            error = JudgeError(NOT_KEPT.format("verdict"), cause="not cached")
            return Judgement(None, error, False, {})
        usage: dict[str, int] = {}

        def add(used: Mapping[str, int]) -> None:
            for name, count in used.items():
                if count:
                    usage[name] = usage.get(name, 0) + count

        async def ask(request: Request) -> Response:
            assert judge.adapter is not None
            adapter = judge.adapter
            try:
                response, attempts = await self._pool.run(
                    lambda: adapter.generate(request),
                    cap=self._caps.of(adapter),
                    toll=self._budget.toll("judge", adapter, request) if self._budget else None,
                    payer=self._payer,
                )
            except CallError as error:
                add({"calls": error.attempts, **error.usage})
                raise
            add({"calls": attempts, **response.usage})
            return response

        try:
            if judge.offline or judge.adapter is not None:
                verdict = await awaited(judge.judge(task, ask))
            else:
                verdict, attempts = await self._pool.run_any(
                    lambda: awaited(judge.judge(task, ask)),
                    cap=self._caps.of(judge),
                    retry_timeouts=getattr(judge, "retry_timeouts", True),
                    toll=self._budget.toll("judge", judge, None, task.response)
                    if self._budget
                    else None,
                    payer=self._payer,
                )
                usage["calls"] = attempts
            if key is not None:
                await self._shelf.put(key, verdict.to_json())
        except CallError as error:
            if judge.adapter is None and error.attempts:
                usage["calls"] = error.attempts
            return Judgement(None, error, False, usage)
        except MMReasonError:
            raise
        except Exception as error:  # a judge of the user's own may raise anything
            what = f"{judge.name} raised {type(error).__name__}: {error}"
            raised = JudgeError(what, cause="judge raised", detail=traceback.format_exc())
            return Judgement(None, raised, False, usage)
        return Judgement(verdict, None, False, usage)


def of_another(error: CallError) -> CallError:
    """`error` for one who waited for a call that another made: no attempt was its own."""
    shared = copy.copy(error)
    shared.attempts = 0
    return shared
