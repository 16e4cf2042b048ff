"""Cancelled calls give their places back, wherever they were waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mmreason.errors import ModelError
from pytest_mmreason.models.base import Response
from pytest_mmreason.pool import Pool

T = TypeVar("T")
GOOD = Response("42")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, 20))


async def good() -> Response:
    return GOOD


def test_cancelled_waiters_lose_no_place() -> None:
    async def course() -> int:
        pool, gate = Pool("model", 1, 60, 0, 0), asyncio.Event()

        async def slow() -> Response:
            await gate.wait()
            return GOOD

        first = asyncio.create_task(pool.run(slow))
        waiting = [asyncio.create_task(pool.run(good)) for _ in range(3)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gate.set()
        await first
        # The place has just been offered to the first in the queue.
        waiting[0].cancel()
        waiting[1].cancel()
        await waiting[2]
        return pool.stats.in_flight

    assert run(course()) == 0


def test_cancelling_a_call_in_flight_frees_its_place() -> None:
    async def course() -> Response:
        pool = Pool("model", 1, 60, 0, 0)

        async def never() -> Response:
            await asyncio.Event().wait()
            return GOOD

        stuck = asyncio.create_task(pool.run(never))
        waiting = asyncio.create_task(pool.run(good))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        stuck.cancel()
        return (await waiting)[0]

    assert run(course()) == GOOD


def test_cancelling_a_waiter_that_sits_out_a_pause_wakes_the_next() -> None:
    async def course() -> Response:
        pool, gate = Pool("model", 1, 60, 5, 0), asyncio.Event()

        async def limited() -> Response:
            await gate.wait()
            raise ModelError("slow down", cause="429", retryable=True, retry_after_s=0.2)

        call = asyncio.create_task(pool.run(limited))
        waiting = [asyncio.create_task(pool.run(good)) for _ in range(2)]
        await asyncio.sleep(0.01)
        gate.set()
        await asyncio.sleep(0.01)
        # The first in the queue was offered the place, and sits out the pause of the 429.
        waiting[0].cancel()
        call.cancel()
        return (await waiting[1])[0]

    assert run(course()) == GOOD


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 3),
)
def test_whatever_is_cancelled_the_rest_gets_through(
    plan: list[tuple[int, bool]], concurrency: int
) -> None:
    async def course() -> None:
        pool = Pool("model", concurrency, 60, 2, 0)

        async def attempt(steps: int) -> Response:
            for _ in range(steps):
                await asyncio.sleep(0)
            return GOOD

        tasks = []
        for steps, doomed in plan:
            task = asyncio.create_task(pool.run(lambda steps=steps: attempt(steps)))  # type: ignore[misc]
            tasks.append((task, doomed))
            await asyncio.sleep(0)
            for other, other_doomed in tasks[:-1]:
                if other_doomed:
                    other.cancel()
        for task, doomed in tasks:
            if doomed:
                task.cancel()
        for task, doomed in tasks:
            if not doomed:
                assert await task == (GOOD, 1)
        await asyncio.gather(*(task for task, _ in tasks), return_exceptions=True)
        assert pool.stats.in_flight == 0
        assert await pool.run(good) == (GOOD, 1)

    run(course())


def test_a_failing_attempt_frees_its_place() -> None:
    async def course() -> Response:
        pool = Pool("model", 1, 60, 0, 0)

        async def broken() -> Response:
            raise ValueError("not one of ours")

        with pytest.raises(ValueError):
            await pool.run(broken)
        return (await pool.run(good))[0]

    assert run(course()) == GOOD
