"""Batches for local models: a queue for each, from which its replicas take their work.

Requests wait here while earlier ones compute. While a batch computes, the next is prepared;
how many wait with their images in memory follows the batch's size. Which of them share a
batch, and how many, :mod:`pytest_mmreason.batch_policy` decides.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Hashable, Sequence
from copy import copy
from typing import Any

from pytest_mmreason.batch_policy import TRIES, WINDOW, BatchSize, Waiting, choose, rough_length
from pytest_mmreason.errors import CallError, ModelError, UsageError, runs_out_of_memory
from pytest_mmreason.models.base import BatchingModel, Request, Response
from pytest_mmreason.models.function import awaited
from pytest_mmreason.pool import PoolStats

LINGER_S = 0.02
"""How long an idle model waits for more requests to share its next batch."""


class Batcher:
    """The queue of one model. Belongs to the loop in which it is made.

    stats: shared with the live line and the summary; every request counts as one call.
    payer: by what name they count there.
    """

    def __init__(self, model: BatchingModel, stats: PoolStats, payer: str = "") -> None:
        self.model = model
        self._payer = payer
        self.notes: list[str] = []
        self.loading = False
        self.stats = stats
        self.size = BatchSize(model.batch_size)
        self._replicas = max(1, model.replicas)
        self._places = self.places
        self._door = asyncio.Semaphore(self._places)
        self._arriving = 0
        self._waiting: list[Waiting] = []
        self._begun = 0
        self._under_way = 0
        self._came = asyncio.Event()
        self._free = asyncio.Semaphore(self._replicas)
        self._turn = asyncio.Lock()
        self._workers: list[asyncio.Task[None]] = []
        self._fatal: CallError | None = None
        self._unsuited: dict[Hashable, int] = {}

    @property
    def used(self) -> bool:
        """True once a batch was computed."""
        return self.size.used

    @property
    def places(self) -> int:
        """Requests that may be here at a time, their images in memory."""
        return WINDOW * self.size.size * self._replicas

    async def run(self, make: Callable[[], Awaitable[Request]]) -> tuple[Response, float]:
        """(response, when its computing began, by the monotonic clock).

        `make` is awaited once there is a place: it may load images. Raises what it raises,
        and the ModelError of a request that cannot be answered.
        """
        async with self._door:
            self._arriving += 1
            try:
                request = await make()
                waiting = self._enter(request)
            finally:
                self._arriving -= 1
                self._came.set()
            try:
                return await waiting.outcome
            finally:
                if waiting in self._waiting:  # cancelled: nobody wants it any more
                    self._waiting.remove(waiting)

    def _enter(self, request: Request) -> Waiting:
        if self._fatal is not None:
            raise copy(self._fatal)
        future = asyncio.get_running_loop().create_future()
        shape = self.model.shape_of(request)
        hash(shape)
        waiting = Waiting(request, shape, rough_length(request), self._begun, future)
        self._waiting.append(waiting)
        if not self._workers:
            # One more than compute: it prepares the batch after.
            loop = asyncio.get_running_loop()
            self._workers = [loop.create_task(self._work()) for _ in range(self._replicas + 1)]
        return waiting

    async def _work(self) -> None:
        while True:
            async with self._turn:
                batch = await self._next()
            self._under_way += 1
            try:
                await self._answer(batch)
            except asyncio.CancelledError:
                for one in batch:
                    one.outcome.cancel()
                raise
            finally:
                self._under_way -= 1
                self._came.set()

    async def _next(self) -> list[Waiting]:
        """The next batch, once there is one worth computing."""
        while True:
            self._came.clear()
            batch = choose(self._waiting, self.size.of, self._begun, idle=False)
            idle = self._under_way < self._replicas and not self._arriving
            if not batch and idle and self._waiting and not await self._more_came():
                batch = choose(self._waiting, self.size.of, self._begun, idle=True)
            if batch:
                taken = set(map(id, batch))
                self._waiting = [one for one in self._waiting if id(one) not in taken]
                self._begun += 1
                return batch
            if not self._came.is_set():
                await self._came.wait()

    async def _more_came(self) -> bool:
        """True as soon as a request comes; False if none does for a moment."""
        try:
            async with asyncio.timeout(LINGER_S):
                await self._came.wait()
        except TimeoutError:
            return False
        return True

    async def _answer(self, batch: list[Waiting]) -> None:
        """Give every request of `batch` its outcome, or put it back into the queue."""
        batch = [one for one in batch if not one.outcome.done()]
        if not batch:
            return
        calls, began = 0, time.monotonic()
        try:
            await self._load()
            prepared = await awaited(self.model.prepare_batch([one.request for one in batch]))
            async with self._free:
                calls, began = 1, time.monotonic()
                outcomes = await self._compute(batch, prepared)
        except Exception as error:
            failed, detail = error, traceback.format_exc()
        else:
            for one, response in zip(batch, outcomes, strict=True):
                self._settle(one, response, began)
            return
        if isinstance(failed, UsageError) or (isinstance(failed, CallError) and failed.fatal):
            self._end(failed, batch)
            return
        memory = runs_out_of_memory(failed)
        told = f"{type(failed).__name__}: {failed}"
        outcome = failed if isinstance(failed, CallError) else None
        del failed  # its traceback holds what the batch held
        if memory and len(batch) > 1:
            self._shrink(batch)
        elif len(batch) > 1:
            await self._one_by_one(batch)
        else:
            self._settle(batch[0], outcome or self._failure(told, detail, memory), began, calls)

    async def _load(self) -> None:
        self.loading = not self.used
        try:
            await awaited(self.model.load())
        finally:
            self.loading = False

    async def _compute(self, batch: Sequence[Waiting], prepared: Any) -> Sequence[Any]:
        """The outcomes of a batch on a replica that is free."""
        self.stats.in_flight += len(batch)
        self.stats.peak = max(self.stats.peak, self.stats.in_flight)
        began = time.monotonic()
        try:
            outcomes = await awaited(self.model.generate_batch(prepared))
        finally:
            self.stats.in_flight -= len(batch)
        if len(outcomes) != len(batch):
            raise RuntimeError(f"{len(outcomes)} outcomes for a batch of {len(batch)}")
        for outcome in outcomes:
            if not isinstance(outcome, (Response, CallError)):
                raise TypeError(f"an outcome is {type(outcome).__name__}, not a Response")
        self.size.took(batch[0].shape, len(batch), time.monotonic() - began)
        self._widen()
        return outcomes

    def _failure(self, told: str, detail: str, memory: bool) -> ModelError:
        name = self.model.name
        if not memory:
            return ModelError(f"{name} raised {told}", cause="model raised", detail=detail)
        return ModelError(
            f"{name}: no memory for this sample alone ({told}). Smaller images, a smaller "
            "max_tokens, --mm-dtype=bfloat16 or another --mm-device may help",
            cause="out of memory",
            detail=detail,
        )

    def _shrink(self, batch: list[Waiting]) -> None:
        """Memory ran out: the batch goes back to the head of the queue, to be cut smaller."""
        self.size.ran_out(batch[0].shape, len(batch))
        size = self.size.of(batch[0].shape)
        self.notes.append(
            f"{self.model.name}: a batch of {len(batch)} did not fit into memory; it went on with {size}"
        )
        self._waiting = [*sorted(batch, key=lambda one: one.born), *self._waiting]
        self._came.set()

    async def _one_by_one(self, batch: list[Waiting]) -> None:
        """One bad request must not cost the others theirs."""
        for one in batch:
            await self._answer([one])
        shape = batch[0].shape
        answered = all(one.outcome.done() and _is_good(one.outcome) for one in batch)
        self._unsuited[shape] = self._unsuited.get(shape, 0) + 1 if answered else 0
        if self._unsuited[shape] == TRIES:
            self.size.only_alone(shape)
            self.notes.append(
                f"{self.model.name}: batches of such samples fail, each alone is answered; "
                "it went on one by one"
            )

    def _end(self, error: CallError | UsageError, batch: Sequence[Waiting]) -> None:
        """No later request could fare better: all that wait fail with `error`."""
        if not isinstance(error, CallError):
            error = ModelError(str(error), cause="usage", fatal=True)
        self._fatal = error
        waiting, self._waiting = [*batch, *self._waiting], []
        for one in waiting:
            self._settle(one, copy(error), 0.0, 0)

    def _settle(
        self, one: Waiting, outcome: Response | CallError, began: float, calls: int = 1
    ) -> None:
        self.stats.add(self._payer, calls, outcome.usage)
        if isinstance(outcome, CallError):
            outcome.attempts = calls
            if not one.outcome.done():
                one.outcome.set_exception(outcome)
            return
        if not one.outcome.done():
            one.outcome.set_result((outcome, began))

    def _widen(self) -> None:
        for _ in range(self.places - self._places):
            self._door.release()
        self._places = max(self._places, self.places)


def _is_good(outcome: asyncio.Future[Any]) -> bool:
    return not outcome.cancelled() and outcome.exception() is None
