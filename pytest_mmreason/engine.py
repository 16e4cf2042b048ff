"""The engine: calls run ahead of the test items.

One engine per run, in the process that owns the session. Its event loop lives in a
thread; it knows the selected work in order, and every sample goes from model to judge
without a barrier. An item waits for its own record only.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mmreason.errors import CallError, UsageError
from pytest_mmreason.evaluation import Evaluator, Told
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.judges.base import Judge
from pytest_mmreason.judging import Judgement
from pytest_mmreason.models.base import ModelAdapter, Response
from pytest_mmreason.plan import Plan, Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Evaluated
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.store import Store
from pytest_mmreason.waiting import wait

if TYPE_CHECKING:
    from pytest_mmreason.budget import Budget
    from pytest_mmreason.spending import Spent

T = TypeVar("T")

AHEAD_PER_PLACE = 4
"""Samples under way for each call that may be in flight; bounds memory and disk."""

UNCLAIMED = 20_000
"""Finished records that may wait for their items before the engine stops running ahead."""

SETTLE_EVERY_S = 0.1
"""How long a record that was taken may stay in memory."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the live line shows."""

    model_in_flight: int
    judge_in_flight: int
    retries: Mapping[str, int]
    usage: Mapping[str, Mapping[str, int]]
    loading: bool = False


class Engine:
    """Runs the calls of a session; safe to use from any thread.

    models: adapter by spec, None for ``fixture`` until :meth:`adopt` brings it.
    judge:  None for ``fixture``, likewise.
    keep:   keep records that were claimed, for sessions that run every item many times.
    """

    def __init__(
        self,
        plan: Plan,
        models: Mapping[str, ModelAdapter | None],
        judge: Judge | None,
        store: Store,
        *,
        keep: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.plan = plan
        self.store = store
        self.models = dict(models)
        self.judge = judge
        self.stopped: str | None = None
        self._keep = keep
        self._evaluator = Evaluator(plan.settings, store, plan.judge, budget, plan.selected)
        self._works: Sequence[Work] = ()
        self._foreseen = False
        self._claims: Counter[Work] = Counter()
        self._tasks: dict[Work, asyncio.Task[Evaluated]] = {}
        self._ready: dict[Work, Evaluated] = {}
        self._taken: deque[Work] = deque()
        self._active = 0
        self._moved = asyncio.Event()
        self._feeder: asyncio.Task[None] | None = None
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(8, thread_name_prefix="mmreason-io"))
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="mmreason-engine", daemon=True
        )
        self._thread.start()
        self._loop.call_soon_threadsafe(self._look_again)

    def foresee(self, works: Sequence[Work]) -> None:
        """Begin to run ahead through `works`, which are expected to be selected."""

        def begin() -> None:
            self._run_ahead(works)
            self._foreseen = True

        self._loop.call_soon_threadsafe(begin)

    def select(self, works: Sequence[Work]) -> None:
        """Begin to run ahead through `works`, in this order; later calls change nothing."""

        def begin() -> None:
            if self._foreseen and self._works != works:
                for work in set(self._works).difference(works):
                    if (task := self._tasks.get(work)) is not None:
                        task.cancel()
                    self._forget(work)
                self._works = ()
            self._foreseen = False
            if not self._works:
                self._run_ahead(works)

        self._loop.call_soon_threadsafe(begin)

    def _run_ahead(self, works: Sequence[Work]) -> None:
        self._works = works
        self._claims = Counter(works)
        self._feed_again()

    def adopt(self, models: Mapping[str, ModelAdapter], judge: Judge | None) -> None:
        """Take what the session's fixtures brought, and run ahead with it."""

        def take() -> None:
            self.models.update(
                {spec: m for spec, m in models.items() if self.models.get(spec) is None}
            )
            self.judge = self.judge or judge
            self._feed_again()

        self._loop.call_soon_threadsafe(take)

    def submit(
        self,
        work: Work,
        *,
        sample: Sample | None = None,
        model: ModelAdapter | None = None,
        judge: Judge | None = None,
    ) -> Future[Evaluated]:
        """The record of `work`, now or when it is finished.

        sample:       in place of the plan's, where a test changed it.
        model, judge: used where the engine has none (fixtures of another process, or of
                      a scope that ends before the session).
        """
        done = self._ready.pop(work, None) if sample is None else None
        if done is not None:
            # No word to the loop, which looks by itself now and then: waking it for each of
            # many finished records costs more than the rest of a cached answer's test.
            self._taken.append(work)
            future: Future[Evaluated] = Future()
            future.set_result(done)
            return future
        return self._submit(self._claim(work, sample, model, judge))

    def evaluate(
        self,
        work: Work,
        *,
        sample: Sample | None = None,
        model: ModelAdapter | None = None,
        judge: Judge | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> Evaluated:
        """The record of `work`, waited for; `while_waiting` is called twice a second."""
        return wait(self.submit(work, sample=sample, model=model, judge=judge), while_waiting)

    def close_role(self, role: ModelAdapter | Judge | None) -> None:
        """Let go of a model or judge that was lent with :meth:`submit`."""
        if role is not None:
            self._submit(role.aclose())

    def generate(self, spec: str, prompt: Prompt, images: Sequence[LoadedImage]) -> Response:
        """One answer of a model, through the same limits, retries and store.

        Images that `prompt` does not name are put before its text.
        """
        if images and not prompt.images:
            refs = [ImageRef(image.path, "") for image in images]
            prompt = Prompt.of(prompt.text, images=refs)

        async def run() -> Response:
            model = self.models[spec]
            assert model is not None
            anonymous = Sample(id="", question=prompt.text)
            params = self.plan.params(spec)
            ask = self._evaluator.respond(model, prompt, anonymous, 0, params, spec, images)
            return (await ask).response

        return wait(self._submit(run()))

    def verdict(self, protocol: str, sample: Sample, text: str) -> Judgement:
        """One verdict of the judge, through the same limits, retries and store."""

        async def run() -> Judgement:
            assert self.judge is not None
            return await self._evaluator.verdict(self.judge, protocol, sample, text, 0)

        return wait(self._submit(run()))

    @property
    def cache_hits(self) -> Mapping[str, int]:
        """Answers by role that came from the store."""
        return self._evaluator.cache_hits

    def notes(self) -> list[str]:
        """What adapters and store have to say to the reader of the summary."""
        sources: list[Any] = [
            *self.models.values(),
            self.judge,
            getattr(self.judge, "adapter", None),
            *self._evaluator.batchers(), *self._evaluator.pools,
        ]  # fmt: skip
        notes = [note for source in sources for note in getattr(source, "notes", ())]
        return [*dict.fromkeys(notes), *([self.store.note] if self.store.note else [])]

    def told(self) -> Told:
        """What is to be told of the models that were asked."""
        return self._evaluator.told()

    def progress(self) -> Progress:
        """A snapshot for the live line."""
        model, judge = (pool.stats for pool in self._evaluator.pools)
        retries = model.retries + judge.retries
        loading = any(batcher.loading for batcher in self._evaluator.batchers())
        usage = {"model": model.usage(), "judge": judge.usage()}
        return Progress(model.in_flight, judge.in_flight, retries, usage, loading)

    def retries(self) -> dict[str, dict[str, int]]:
        """Retries by role and cause."""
        return {pool.role: dict(pool.stats.retries) for pool in self._evaluator.pools}

    def calls(self) -> dict[str, int]:
        """Calls made so far, by role, whoever wanted them."""
        return {pool.role: pool.stats.calls for pool in self._evaluator.pools}

    def spent(self) -> Spent:
        """The same with their tokens, by model or judge."""
        names = {run.spec: run.model for run in self.plan.runs}
        return {
            pool.role: {names.get(payer, payer): used for payer, used in pool.stats.spent.items()}
            for pool in self._evaluator.pools
        }

    def close(self) -> None:
        """Cancel what is not finished, keep what is, and end the thread."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._shut_down(), self._loop).result(timeout=5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self._loop.close()
        self.store.close()

    def _submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        if self._closed:
            coroutine.close()
            raise CallError("the engine is closed: the session is over", cause="closed")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    async def _claim(
        self, work: Work, sample: Sample | None, model: ModelAdapter | None, judge: Judge | None
    ) -> Evaluated:
        if sample is not None:
            return await self._evaluate(work, sample, model, judge)
        task = self._ensure(work, model, judge)
        try:
            return await asyncio.shield(task)
        finally:
            self._claims[work] -= 1
            if task.done():
                errored = task.cancelled() or task.exception() or task.result().record.is_error
                # An errored record is not kept: who asks again (--reruns) wants a new try.
                if not self._keep and (self._claims[work] <= 0 or errored):
                    self._forget(work)
                self._moved.set()

    def _settle(self) -> None:
        """Hear of the records that were taken without a word."""
        while self._taken:
            work = self._taken.popleft()
            self._claims[work] -= 1
            if self._claims[work] <= 0:
                self._forget(work)
        self._moved.set()

    def _look_again(self) -> None:
        if self._taken:
            self._settle()
        self._loop.call_later(SETTLE_EVERY_S, self._look_again)

    def _forget(self, work: Work) -> None:
        self._tasks.pop(work, None)
        self._ready.pop(work, None)

    def _ensure(
        self, work: Work, model: ModelAdapter | None, judge: Judge | None
    ) -> asyncio.Task[Evaluated]:
        task = self._tasks.get(work)
        if task is None:
            self._active += 1
            task = self._loop.create_task(
                self._evaluate(work, self.plan.sample(work), model, judge)
            )
            task.add_done_callback(partial(self._finished, work))
            self._tasks[work] = task
        return task

    def _finished(self, work: Work, task: asyncio.Task[Evaluated]) -> None:
        self._active -= 1
        # An exception is seen here, and raised to whoever claims it.
        if not task.cancelled() and task.exception() is None:
            done = task.result()
            # An errored record has to be forgotten when it is claimed, by the loop.
            if not self._keep and not done.record.is_error and work in self._tasks:
                self._ready[work] = done
        self._settle()

    async def _evaluate(
        self, work: Work, sample: Sample, model: ModelAdapter | None, judge: Judge | None
    ) -> Evaluated:
        run = self.plan.runs[work.run]
        model = self.models.get(run.spec) or model
        judge = self.judge or judge
        if model is None or judge is None:
            what = "mm_model" if model is None else "mm_judge"
            raise UsageError(f"the {what} fixture has not been made yet")
        record, fatal = await self._evaluator.evaluate(run, sample, work.repeat, model, judge)
        if fatal is not None:
            self._stop(fatal)
        return Evaluated(record, self.stopped if fatal is not None else None)

    def _stop(self, error: CallError) -> None:
        if self.stopped is None:
            self.stopped = str(error)
        if self._feeder is not None:
            self._feeder.cancel()

    def _feed_again(self) -> None:
        if self._feeder is not None:
            self._feeder.cancel()
        self._feeder = self._loop.create_task(self._feed())

    async def _feed(self) -> None:
        if self.judge is None:
            return
        for work in self._works:
            model = self.models.get(self.plan.runs[work.run].spec)
            if model is None or self._claims[work] <= 0:
                continue
            while (
                self._active >= AHEAD_PER_PLACE * self._evaluator.width(model)
                or len(self._tasks) - self._active >= UNCLAIMED
            ):
                self._moved.clear()
                await self._moved.wait()
            if self.stopped:
                return
            self._ensure(work, None, None)

    async def _shut_down(self) -> None:
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=2) if tasks else None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._evaluator.settle(), timeout=2)
        roles: list[Any] = [*self.models.values(), self.judge, getattr(self.judge, "adapter", None)]
        for role in roles:
            if role is not None:
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(role.aclose(), timeout=1)
