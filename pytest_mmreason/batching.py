"""Batches for local models: which waiting requests are computed together, and how many.

Requests wait here while earlier ones compute. A batch holds requests of one shape, of
similar length, and never one that nobody waits for any more. While a batch computes, the
next is prepared; how many wait with their images in memory follows the batch's size.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.errors import CallError, ModelError, UsageError, runs_out_of_memory
from pytest_mmreason.models.base import BatchingModel, Request, Response
from pytest_mmreason.models.function import awaited
from pytest_mmreason.pool import PoolStats

LARGEST = 64
"""Requests in a batch at most, where the size is found and not given."""

WORTH_IT = 1.1
"""How much faster a doubled batch must be, in requests a second, to be kept."""

WINDOW = 4
"""Batches' worth of requests that wait, images and all: among them, like goes with like."""

PATIENCE = 3
"""Batches that may go before a request whose shape is rare."""

LINGER_S = 0.02
"""How long an idle model waits for more requests to share its next batch."""

TRIES = 3
"""Batches of a size that may be slow (a long answer, a busy machine) before it counts as too large."""

TRY_AGAIN_AFTER = 16
"""Batches after which a size that was too large is tried again; twice as many the next time."""


class BatchSize:
    """How many requests to compute at a time (pure: told what happened, it says what next).

    fixed: a size that the user set; None finds one: from 1, doubled while that makes it
    faster by WORTH_IT, up to `largest`; what did not help is tried again later. A shape
    that ran out of memory is halved for good.
    """

    def __init__(self, fixed: int | None = None, largest: int = LARGEST) -> None:
        self._is_fixed = fixed is not None
        self._largest = fixed or largest
        self._size = fixed or 1
        self._ceilings: dict[Hashable, int] = {}
        self._seen: set[Hashable] = set()
        self._rates: dict[int, float] = {}
        self._tries = 0
        self._pause = 0
        self._next_pause = TRY_AGAIN_AFTER

    @property
    def used(self) -> bool:
        """True once anything was computed, or tried in vain."""
        return bool(self._seen)

    @property
    def size(self) -> int:
        """The size of the largest batches as they now are."""
        return max(map(self.of, self._seen), default=self._size)

    def of(self, shape: Hashable) -> int:
        """The size of the next batch of this shape, at least 1."""
        return min(self._size, self._ceilings.get(shape, self._size))

    def took(self, shape: Hashable, count: int, seconds: float) -> None:
        """A batch of `count` requests of this shape was computed in `seconds`."""
        self._seen.add(shape)
        if self._is_fixed or count != self._size:
            return
        if self._pause == TRIES:
            self._rates[count] = 0.0  # measured anew, as often as the larger size will be
        # The best of a few: what disturbs a measurement makes it slower, never faster.
        rate = max(self._rates.get(count, 0.0), count / max(seconds, 1e-9))
        self._rates[count] = rate
        before = self._rates.get(count // 2, 0.0)
        self._tries += 1
        if self._pause:
            self._pause -= 1
            if self._pause == 0:
                self._grow()
        elif rate >= before * WORTH_IT:
            self._grow()
        elif self._tries >= TRIES:
            self._pause, self._next_pause = self._next_pause, self._next_pause * 2
            self._size = max(1, count // 2)

    def _grow(self) -> None:
        if self._size < self._largest:
            self._size = min(self._size * 2, self._largest)
            self._rates.pop(self._size, None)
            self._tries = 0

    def ran_out(self, shape: Hashable, count: int) -> None:
        """A batch of `count` requests of this shape did not fit into memory."""
        self._seen.add(shape)
        self._ceilings[shape] = min(self.of(shape), max(1, count // 2))
        self._largest = min(self._largest, max(count, self._size))

    def only_alone(self, shape: Hashable) -> None:
        """Requests of this shape cannot share a batch."""
        self._ceilings[shape] = 1


@dataclass(slots=True, eq=False)
class Waiting:
    """A request in the queue. length: tokens, roughly. born: batches begun before it came."""

    request: Request
    shape: Hashable
    length: int
    born: int
    outcome: asyncio.Future[tuple[Response, float]]


def choose(
    waiting: Sequence[Waiting], size_of: Callable[[Hashable], int], begun: int, *, idle: bool
) -> list[Waiting]:
    """The next batch out of `waiting`, oldest first; none if it is better to wait for more.

    begun: batches begun so far. idle: nothing computes, so that an incomplete batch is
    better than none. Within a window of the oldest, requests of like length go together,
    for every row of a batch is padded to the longest; the oldest is always among them.
    """
    groups: dict[Hashable, list[Waiting]] = {}
    for one in waiting:
        groups.setdefault(one.shape, []).append(one)
    if not groups:
        return []
    overdue = begun - waiting[0].born >= PATIENCE
    full = [group for shape, group in groups.items() if len(group) >= size_of(shape)]
    if overdue or (idle and not full):
        group = groups[waiting[0].shape]
    elif full:
        group = full[0]
    else:
        return []
    size = size_of(group[0].shape)
    window = sorted(group[: WINDOW * size], key=lambda one: one.length)
    place = window.index(group[0]) // size * size
    place = max(0, min(place, len(window) - size))
    return window[place : place + size]


class Batcher:
    """The queue of one model. Belongs to the loop in which it is made.

    stats: shared with the live line and the summary; every request counts as one call.
    """

    def __init__(self, model: BatchingModel, stats: PoolStats) -> None:
        self.model = model
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
        waiting = Waiting(request, shape, _length(request), self._begun, future)
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
        self.stats.calls += calls
        if isinstance(outcome, CallError):
            outcome.attempts = calls
            if not one.outcome.done():
                one.outcome.set_exception(outcome)
            return
        self.stats.prompt_tokens += outcome.usage.get("prompt_tokens", 0)
        self.stats.completion_tokens += outcome.usage.get("completion_tokens", 0)
        if not one.outcome.done():
            one.outcome.set_result((outcome, began))

    def _widen(self) -> None:
        for _ in range(self.places - self._places):
            self._door.release()
        self._places = max(self._places, self.places)


def _is_good(outcome: asyncio.Future[Any]) -> bool:
    return not outcome.cancelled() and outcome.exception() is None


def _length(request: Request) -> int:
    """Tokens of a request, roughly: four characters to one, and 28 × 28 pixels to one."""
    pixels = sum(image.sent[0] * image.sent[1] for image in request.images)
    return len(request.prompt.text) // 4 + pixels // 784
