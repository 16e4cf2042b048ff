"""Which waiting requests are computed together, and how many (pure: no clock, no loop of its own).

A batch holds requests of one shape and of similar length, for every row of it is padded to
the longest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from pytest_mmreason.models.base import Request, Response

LARGEST = 64
"""Requests in a batch at most, where the size is found and not given."""

WORTH_IT = 1.1
"""How much faster a doubled batch must be, in requests a second, to be kept."""

WINDOW = 4
"""Batches' worth of requests that wait, images and all: among them, like goes with like."""

PATIENCE = 3
"""Batches that may go before a request whose shape is rare."""

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

    def __str__(self) -> str:
        """``8``, or ``2–8`` where some shapes take less memory than others."""
        sizes = sorted({self.of(shape) for shape in self._seen} or {self._size})
        return "–".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))

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


def rough_length(request: Request) -> int:
    """Tokens of a request, roughly: four characters to one, and 28 × 28 pixels to one."""
    pixels = sum(image.sent[0] * image.sent[1] for image in request.images)
    return len(request.prompt.text) // 4 + pixels // 784
