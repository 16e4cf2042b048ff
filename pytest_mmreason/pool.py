"""A pool of calls of one role: how many at once, and what is tried again."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from pytest_mmreason.errors import NOT_ASKED, CallError
from pytest_mmreason.models.base import Response

if TYPE_CHECKING:
    from pytest_mmreason.budget import Toll

T = TypeVar("T")

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 60.0

RECOVERY_CALLS = 4
"""Successes at a reduced limit after which one more call is let in flight."""


@dataclass(slots=True)
class PoolStats:
    """What a pool has done so far; the live line and the summary show it.

    spent: calls and tokens by who was paid, as :meth:`add` was told, and how many of the calls
           were cut off before their reply.
    """

    calls: int = 0
    in_flight: int = 0
    peak: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: Counter[str] = field(default_factory=Counter)
    spent: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, payer: str, calls: int = 0, usage: Mapping[str, int] | None = None) -> None:
        """Count calls to `payer`, and tokens that were told of them."""
        told = usage or {}
        names = ("prompt_tokens", "completion_tokens")
        counts = {"calls": calls, **{name: told.get(name, 0) for name in names}}
        self.calls += calls
        self.prompt_tokens += counts["prompt_tokens"]
        self.completion_tokens += counts["completion_tokens"]
        self.spent.setdefault(payer, Counter()).update(counts)

    def usage(self) -> dict[str, int]:
        """Calls and tokens, by the names that they have in a record."""
        names = ("calls", "prompt_tokens", "completion_tokens")
        return {name: getattr(self, name) for name in names}


class Pool:
    """Calls in flight never exceed `concurrency`; 429 halves that at once, success restores it.

    Where a 429 says how long to wait (Retry-After), no call starts before that. Places go to
    calls in the order in which they came; a call waiting to be tried again holds none.
    `retries` is how often a failed attempt is repeated, and how often a 429 is waited for as it
    says; `timeout_s` is seconds that one
    attempt may take.
    """

    def __init__(
        self, role: str, concurrency: int, timeout_s: float, retries: int, seed: int
    ) -> None:
        self.role = role
        self.stats = PoolStats()
        self._concurrency = concurrency
        self._limit = self._least = float(concurrency)
        self._timeout_s = timeout_s
        self._retries = retries
        self._random = random.Random(f"{role}-{seed}")
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._offered = 0
        self._resume_at = 0.0
        self._slowed_at = -1e9
        self._fatal: CallError | None = None

    async def run(
        self,
        attempt: Callable[[], Awaitable[Response]],
        *,
        prepare: Callable[[], Awaitable[None]] | None = None,
        cap: asyncio.Semaphore | None = None,
        retry_timeouts: bool = True,
        toll: Toll | None = None,
        payer: str = "",
    ) -> tuple[Response, int]:
        """The first good response and the number of attempts it took.

        `prepare` is awaited once a place is free, before the first attempt is counted;
        `cap` is a further limit that the adapter sets; `retry_timeouts` is False where a call
        that timed out goes on and would only be in the way of the next; `toll` is paid for each
        attempt, and `payer` is who pays. Raises the CallError of the last attempt; a blank response is tried again and, if
        it stays blank, returned. The response tells the tokens of every attempt.
        """
        spent: Counter[str] = Counter()

        async def counted() -> Response:
            response = await attempt()
            self.stats.add(payer, usage=response.usage)
            spent.update(response.usage)
            return response

        used = 0
        while True:
            response, used = await self.run_any(
                counted,
                prepare=prepare,
                cap=cap,
                used=used,
                retry_timeouts=retry_timeouts,
                toll=toll,
                payer=payer,
            )
            if (
                response.answer
                or response.finish_reason == "content_filter"
                or used > self._retries
            ):
                return replace(response, usage=dict(spent)), used
            self.stats.retries["empty answer"] += 1
            await asyncio.sleep(self._delay_s(used, FIRST_DELAY_S / 10))

    async def run_any(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        prepare: Callable[[], Awaitable[None]] | None = None,
        cap: asyncio.Semaphore | None = None,
        used: int = 0,
        retry_timeouts: bool = True,
        toll: Toll | None = None,
        payer: str = "",
    ) -> tuple[T, int]:
        """The first result that is no CallError, and the number of attempts it took.

        `used` attempts were made before and count too. A 429 that says how long to wait is no
        failure of the call: as many of them as there are retries do not count as such. After a
        fatal error nothing more is asked: every later call fails with it.
        """
        number, waits = used, 0
        while True:
            number += 1
            try:
                done = await self._attempt(attempt, prepare, cap, retry_timeouts, toll, payer)
                return done, number
            except CallError as error:
                error.attempts = number - 1 if error.attempts == NOT_ASKED else number
                if error.fatal:
                    self._fatal = error
                is_told = error.cause == "429" and error.retry_after_s is not None
                waits += is_told and waits < self._retries
                if number - waits > self._retries or not error.retryable:
                    raise
                await self._pause(max(1, number - waits), error)

    @property
    def notes(self) -> list[str]:
        """How far 429s slowed the pool down, if they did."""
        least = int(self._least)
        if least >= self._concurrency:
            return []
        return [
            f"429 replies slowed the {self.role} calls down, to {least} at a time at the least "
            f"(--mm-concurrency={self._concurrency})"
        ]

    def refuse(self, error: CallError) -> None:
        """Make no more calls: each fails with `error`, which is fatal."""
        self._fatal = error

    async def _attempt(
        self,
        attempt: Callable[[], Awaitable[T]],
        prepare: Callable[[], Awaitable[None]] | None,
        cap: asyncio.Semaphore | None,
        retry_timeouts: bool,
        toll: Toll | None,
        payer: str,
    ) -> T:
        # The adapter's own limit comes first: who waits for it must hold no place here.
        if cap is not None:
            async with cap:
                return await self._attempt(attempt, prepare, None, retry_timeouts, toll, payer)
        async with self._place():
            if self._fatal is not None:
                refusal = copy(self._fatal)
                refusal.attempts = NOT_ASKED
                raise refusal
            async with toll or nullcontext():
                if prepare is not None:
                    await prepare()
                self.stats.add(payer, calls=1)
                try:
                    async with asyncio.timeout(self._timeout_s):
                        result = await attempt()
                except TimeoutError:
                    raise CallError(
                        f"no answer within {self._timeout_s:g} s (--mm-timeout)",
                        cause="timeout",
                        retryable=retry_timeouts,
                    ) from None
                except asyncio.CancelledError:
                    self.stats.spent[payer]["cut_off"] += 1
                    raise
                except CallError as error:  # its reply may have told tokens
                    self.stats.add(payer, usage=error.usage)
                    raise
                if toll is not None:
                    toll.tell(getattr(result, "usage", {}))
        self._limit = min(self._concurrency, self._limit + 1 / RECOVERY_CALLS)
        self._wake()
        return result

    async def _pause(self, number: int, error: CallError) -> None:
        self.stats.retries[error.cause] += 1
        delay = self._delay_s(number, FIRST_DELAY_S)
        if error.retry_after_s is not None:
            delay = max(error.retry_after_s, 0.0) + self._random.uniform(0, 0.1)
        if error.cause == "429":
            now = asyncio.get_running_loop().time()
            if error.retry_after_s is not None:
                self._resume_at = max(self._resume_at, now + delay)
            # One wave of 429s is one sign: calls sent before the last halving do not count.
            if now - self._slowed_at > 1.0:
                self._slowed_at = now
                self._limit = max(1.0, self._limit / 2)
                self._least = min(self._least, self._limit)
        await asyncio.sleep(delay)

    def _delay_s(self, number: int, first_s: float) -> float:
        delay_s: float = min(LONGEST_DELAY_S, first_s * 2.0 ** (number - 1))
        return delay_s * self._random.uniform(0.5, 1.0)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        was_called = False
        while True:
            try:
                pause = self._resume_at - loop.time()
                if pause > 0:
                    await asyncio.sleep(pause)
                    continue
                if self.stats.in_flight + self._offered < int(self._limit):
                    break
                waiter: asyncio.Future[None] = loop.create_future()
                if was_called:
                    self._waiting.appendleft(waiter)
                else:
                    self._waiting.append(waiter)
                try:
                    await waiter
                finally:
                    self._offered -= not waiter.cancelled()
                was_called = True
            except asyncio.CancelledError:
                self._wake()  # the place that was offered goes to the next
                raise
        self.stats.in_flight += 1
        self.stats.peak = max(self.stats.peak, self.stats.in_flight)
        try:
            yield
        finally:
            self.stats.in_flight -= 1
            self._wake()

    def _wake(self) -> None:
        while self._waiting and self.stats.in_flight + self._offered < int(self._limit):
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self._offered += 1
