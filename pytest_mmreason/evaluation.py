"""One sample's way: prompt, model, response, judge, verdict, record."""

from __future__ import annotations

import asyncio
import dataclasses
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mmreason import imaging
from pytest_mmreason.batching import Batcher
from pytest_mmreason.errors import (
    OVER_BUDGET,
    CallError,
    DataError,
    MissingPrediction,
    MMReasonError,
    ModelError,
)
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.judges.base import Judge, JudgeTask, provenance
from pytest_mmreason.judging import NOT_KEPT, Caps, Judgement, Judging, Patience, of_another
from pytest_mmreason.models.base import (
    BatchingModel,
    ModelAdapter,
    Request,
    Response,
    cut_before_answer,
    may_change_unseen,
    version_of,
)
from pytest_mmreason.models.function import awaited
from pytest_mmreason.outcome import (
    FILTERED,
    Answer,
    draft_record,
    empty,
    failed,
    joined,
    with_answer,
    with_verdicts,
)
from pytest_mmreason.pictures import Desk, Pictures
from pytest_mmreason.plan import RunSpec
from pytest_mmreason.pool import Pool
from pytest_mmreason.prompting import Prompt, follow_up, is_definitive
from pytest_mmreason.record import DATA_ERROR, JUDGE_ERROR, MISSING, REFUSED, UNJUDGED, Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import ErrorQuota, Settings
from pytest_mmreason.shelf import Shelf
from pytest_mmreason.store import Store, make_key

if TYPE_CHECKING:
    from pytest_mmreason.budget import Budget


class Told(NamedTuple):
    """Of the models that were asked.

    details, versions: by spec, where a local model was run, and what its author calls its version.
    doubted: those of which an earlier run's answers came from the store, though nothing would
             tell that their weights have changed.
    """

    details: Mapping[str, str]
    versions: Mapping[str, str]
    doubted: Sequence[str]


class Evaluator:
    """Evaluates samples; holds what all of them share: settings, store and pools."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        judge_label: str,
        budget: Budget | None = None,
        selected: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        """selected: per benchmark, the indices of the samples that a run of it has."""
        self.judge_label = judge_label
        self.settings = settings
        self._budget = budget
        self._shelf = Shelf(store)
        self._desk = Desk()
        limits = (settings.concurrency, settings.timeout, settings.retries, settings.seed)
        self.model_pool = Pool("model", *limits)
        self.judge_pool = Pool("judge", *limits)
        self._caps = Caps()
        quota = settings.max_errors or ErrorQuota()
        sizes = {name: len(found) * settings.repeats for name, found in (selected or {}).items()}
        self._patience = Patience({name: quota.allowed(size) for name, size in sizes.items()})
        self.pools = (self.model_pool, self.judge_pool)
        self._judging = Judging(
            settings, self._shelf, self._desk, self.judge_pool, self._caps, budget, judge_label
        )
        self._model_hits = 0
        self._asked_here: set[int] = set()
        self._seen: dict[str, ModelAdapter] = {}
        self._doubted: set[str] = set()
        self._batchers: dict[int, Batcher | None] = {}

    async def evaluate(
        self, run: RunSpec, sample: Sample, repeat: int, model: ModelAdapter, judge: Judge
    ) -> tuple[Record, CallError | None]:
        """The record of `sample`, and the error that should stop the run, if there is one."""
        params = run.params(self.settings.param)
        self._seen[run.spec] = model
        try:
            prompt = run.question(sample)
        except DataError as error:
            draft = draft_record(run, sample, repeat, self.judge_label, None)
            told = run.asking.told(sample, error)
            return dataclasses.replace(draft, status=DATA_ERROR, reason=told), None
        draft = draft_record(run, sample, repeat, self.judge_label, prompt)
        try:
            answer = await self.respond(model, prompt, sample, repeat, params, run.spec)
            draft = with_answer(draft, answer)
            text = answer.response.answer
            asks_steps = (
                self.settings.follow_up == "steps" and answer.response.finish_reason != FILTERED
            )
            if asks_steps and not is_definitive(text):
                again = follow_up(prompt, text)
                more = await self.respond(model, again, sample, repeat, params, run.spec)
                # Each without its own reasoning: an open block of one must not hide the other.
                text = "\n\n".join(filter(None, (text, more.response.answer)))
                answer = joined(answer, more)
                draft = dataclasses.replace(
                    with_answer(draft, answer), flags=(*draft.flags, "follow-up")
                )
        except DataError as error:
            told = run.asking.told(sample, error)
            return dataclasses.replace(draft, status=DATA_ERROR, reason=told), None
        except MissingPrediction as error:
            return dataclasses.replace(draft, status=MISSING, reason=str(error)), None
        except CallError as error:
            return failed(draft, error), error if error.fatal else None
        response = answer.response
        if response.finish_reason == FILTERED:
            reason = "the provider's content filter stopped the answer"
            return dataclasses.replace(draft, status=REFUSED, reason=reason, score=0.0), None
        if sample.answer is None:
            return dataclasses.replace(draft, status=UNJUDGED, reason="no reference answer"), None
        if not text and not self._is_recorded(judge, run, sample):
            return empty(draft, self.settings.judge_runs, response), None
        record, fatal = await self._judged(draft, run, sample, text, judge)
        if not text and not record.score:
            record = dataclasses.replace(record, reason="empty answer")
        return record, fatal

    def _is_recorded(self, judge: Judge, run: RunSpec, sample: Sample) -> bool:
        """True if the judge holds every verdict of `sample`, and asks nobody for one."""
        recorded = getattr(judge, "recorded", None)
        tasks = (
            JudgeTask(sample, "", run.benchmark.protocol, i)
            for i in range(self.settings.judge_runs)
        )
        return recorded is not None and all(recorded(task) is not None for task in tasks)

    async def respond(
        self,
        model: ModelAdapter,
        prompt: Prompt,
        sample: Sample,
        repeat: int,
        params: Mapping[str, Any],
        payer: str,
        given: Sequence[LoadedImage] | None = None,
    ) -> Answer:
        """The model's answer, from the store if it was given before.

        params: generation parameters. payer: the model's spec. given: the images, where the caller has them at hand.
        Raises DataError, ModelError or MissingPrediction.
        """
        refs = prompt.images if model.wants_images and given is None else ()
        with Pictures(refs, given, self._desk) as pictures:
            key = make_key(
                {
                    "role": "model",
                    "identity": model.identity,
                    "params": params,
                    "prompt": prompt.sha256,
                    "images": await pictures.hashes(),
                    "repeat": repeat,
                }
            )
            request = Request(
                prompt, pictures.opened, params, None, sample.id, sample.benchmark, repeat
            )
            if not model.cacheable:
                return await self._ask(model, request, pictures, payer)
            own = False

            async def find_or_ask() -> Answer:
                nonlocal own
                own = True
                if kept := await self._kept_answer(key):
                    if may_change_unseen(model) and hash(key) not in self._asked_here:
                        self._doubted.add(model.name)
                    return kept
                if may_change_unseen(model):
                    self._asked_here.add(hash(key))
                answer = await self._ask(model, request, pictures, payer)
                response = answer.response
                # Reasoning that never closed was cut before its answer began.
                unfinished = bool(response.text.strip()) and not response.answer
                if response.finish_reason != FILTERED and not unfinished:
                    entry = {"response": response.to_json(), "images": list(answer.images)}
                    await self._shelf.put(key, entry)
                return answer

            try:
                answer = await self._shelf.once(key, find_or_ask)
            except CallError as error:
                raise error if own else of_another(error) from None
        if own:
            return answer
        self._model_hits += 1
        return dataclasses.replace(answer, attempts=0, cached=True, latency_s=0.0)

    async def _ask(
        self, model: ModelAdapter, request: Request, pictures: Pictures, payer: str
    ) -> Answer:
        """An answer to `request`, whose images `pictures` opens when its call is about to start."""
        if self.settings.cache == "only" and not model.offline:
            raise ModelError(NOT_KEPT.format("answer"), cause="not cached")
        began: list[float] = []

        async def attempt() -> Response:
            began.append(time.monotonic())
            try:
                return Response.from_json((await awaited(model.generate(request))).to_json())
            except MMReasonError:
                raise
            except Exception as error:  # an adapter of the user's own may raise anything
                raise ModelError(
                    f"{model.name} raised {type(error).__name__}: {error}",
                    cause="model raised",
                    detail=traceback.format_exc(),
                ) from error

        batcher = self.batcher(model, payer)
        if model.offline:
            response, attempts = await attempt(), 0
        elif batcher is not None:

            async def make() -> Request:
                await pictures.open()
                return request

            given_out, started = await batcher.run(make)
            began.append(started)
            response, attempts = Response.from_json(given_out.to_json()), 1
        else:
            response, attempts = await self.model_pool.run(
                attempt,
                prepare=pictures.open,
                cap=self._caps.of(model),
                retry_timeouts=getattr(model, "retry_timeouts", True),
                toll=self._budget.toll("model", model, request) if self._budget else None,
                payer=payer,
            )
        if response.finish_reason == "length" and not response.text.strip():
            cut = cut_before_answer(model.name, response.usage)
            cut.attempts = attempts
            raise cut
        latency_s = round(time.monotonic() - began[0], 4)
        described = [file for image in pictures.opened for file in image.describe_files()]
        images = tuple(described or imaging.describe_unopened(request.prompt.images))
        return Answer(response, attempts, False, latency_s, images)

    def batcher(self, model: ModelAdapter, payer: str = "") -> Batcher | None:
        """The queue of a model that computes batches; None for any other."""
        if id(model) not in self._batchers:
            self._batchers[id(model)] = (
                Batcher(model, self.model_pool.stats, payer)
                if isinstance(model, BatchingModel)
                else None
            )
        return self._batchers[id(model)]

    @property
    def cache_hits(self) -> Mapping[str, int]:
        """By role, what came from the store, or from another's call."""
        return {"model": self._model_hits, "judge": self._judging.hits}

    async def settle(self) -> None:
        """Wait until every finished answer and verdict is on disk."""
        await self._shelf.settle()

    def batchers(self) -> list[Batcher]:
        """Every queue that was opened."""
        return [batcher for batcher in self._batchers.values() if batcher is not None]

    def detail(self, model: ModelAdapter) -> str:
        """Where a local model was run, and in batches of which size; of another its version."""
        batcher = self.batcher(model)
        if batcher is None:
            version = version_of(model)
            return f"version {version}" if version else ""
        parts = [batcher.model.detail, f"batch {batcher.size}" if batcher.used else ""]
        return " · ".join(filter(None, parts))

    def told(self) -> Told:
        """What is to be told of the models that were asked."""
        details = {spec: self.detail(model) for spec, model in self._seen.items()}
        versions = {spec: version_of(model) for spec, model in self._seen.items()}
        return Told(
            {spec: detail for spec, detail in details.items() if detail},
            {spec: version for spec, version in versions.items() if version},
            sorted(self._doubted),
        )

    def width(self, model: ModelAdapter) -> int:
        """Requests of a model that are worth having under way at a time."""
        batcher = self.batcher(model)
        return max(self.settings.concurrency, batcher.places // 2 if batcher else 0)

    async def verdict(
        self, judge: Judge, protocol: str, sample: Sample, text: str, run: int
    ) -> Judgement:
        """One judge run on `text`; see :meth:`Judging.verdict`."""
        return await self._judging.verdict(judge, protocol, sample, text, run)

    async def _judged(
        self, draft: Record, run: RunSpec, sample: Sample, text: str, judge: Judge
    ) -> tuple[Record, CallError | None]:
        """`draft` with the verdicts of every judge run."""
        protocol = run.benchmark.protocol
        asking = [
            self.verdict(judge, protocol, sample, text, i) for i in range(self.settings.judge_runs)
        ]
        results = await asyncio.gather(*asking) if len(asking) > 1 else [await asking[0]]
        usage: dict[str, int] = {}
        for result in results:
            for name, count in result.usage.items():
                usage[name] = usage.get(name, 0) + count
        how: dict[str, Any] = {
            "usage": {**draft.usage, "judge": usage} if usage else draft.usage,
            "judging": provenance(judge, protocol),
            "cached": draft.cached and all(r.cached or judge.offline for r in results),
        }
        errors = [r.error for r in results if r.error is not None]
        fatal = next((error for error in errors if error.fatal), None)
        unpaid = next((error for error in errors if error.cause == OVER_BUDGET), None)
        if unpaid is not None:
            return failed(dataclasses.replace(draft, **how), unpaid), None
        if (
            fatal is None
            and judge.adapter is not None
            and not self._is_recorded(judge, run, sample)
        ):
            fatal = self._patience.end((run.benchmark.name, run.model, run.prompt), results)
            if fatal is not None:
                self.judge_pool.refuse(fatal)
        if len(errors) == len(results):
            detail = errors[0].detail or ""
            return dataclasses.replace(
                draft, status=JUDGE_ERROR, reason=str(errors[0]), rationale=detail, **how
            ), fatal
        return with_verdicts(draft, [r.verdict for r in results], **how), fatal

    async def _kept_answer(self, key: str) -> Answer | None:
        entry = await self._shelf.get(key)
        if entry is None:
            return None
        try:
            response = Response.from_json(entry["response"])
            images = tuple(dict(image) for image in entry["images"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        self._model_hits += 1
        return Answer(response, 0, True, 0.0, images)
