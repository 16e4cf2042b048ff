"""The pool: how many calls at once, and what is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from pytest_mmreason import pool as pool_module
from pytest_mmreason.errors import CallError, JudgeError, ModelError
from pytest_mmreason.models.base import Response
from pytest_mmreason.pool import Pool

T = TypeVar("T")
GOOD = Response("42", usage={"prompt_tokens": 10, "completion_tokens": 2})


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of every pause, none of which is really waited for."""
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(delay_s: float) -> None:
        slept.append(delay_s)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return slept


def make(concurrency: int = 4, retries: int = 5, timeout_s: float = 60.0) -> Pool:
    return Pool("model", concurrency, timeout_s, retries, seed=0)


def scripted(*outcomes: Response | CallError) -> Callable[[], Awaitable[Response]]:
    """An attempt that has each outcome in turn, and the last for ever."""
    queue = list(outcomes)

    async def attempt() -> Response:
        outcome = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(outcome, CallError):
            raise outcome
        return outcome

    return attempt


def failure(cause: str = "500", **fields: Any) -> ModelError:
    return ModelError(cause, cause=cause, retryable=True, **fields)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, 20))


def test_never_more_calls_in_flight_than_the_limit() -> None:
    pool, under_way, seen = make(concurrency=3), 0, []

    async def attempt() -> Response:
        nonlocal under_way
        under_way += 1
        seen.append(under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return GOOD

    async def many() -> None:
        await asyncio.gather(*(pool.run(attempt) for _ in range(20)))

    run(many())
    assert max(seen) == 3 == pool.stats.peak
    assert (pool.stats.calls, pool.stats.in_flight) == (20, 0)
    assert (pool.stats.prompt_tokens, pool.stats.completion_tokens) == (200, 40)


def test_failures_are_tried_again_and_counted_by_cause(naps: list[float]) -> None:
    pool = make()
    attempt = scripted(failure("500"), failure("reset"), failure("500"), GOOD)
    assert run(pool.run(attempt)) == (GOOD, 4)
    assert pool.stats.retries == {"500": 2, "reset": 1}
    assert pool.stats.calls == 4
    assert len(naps) == 3 and naps[0] < naps[1] < naps[2]


@pytest.mark.parametrize("retries", [0, 1, 5])
def test_attempts_are_bounded_and_no_retry_is_honoured(naps: list[float], retries: int) -> None:
    pool = make(retries=retries)
    with pytest.raises(ModelError, match="500"):
        run(pool.run(scripted(failure())))
    assert pool.stats.calls == retries + 1
    assert pool.stats.retries.total() == retries


def test_blanks_and_failures_together_keep_the_bound(naps: list[float]) -> None:
    pool = make(retries=3)
    attempt = scripted(Response(""), Response(" "), failure())
    with pytest.raises(ModelError):
        run(pool.run(attempt))
    assert pool.stats.calls == 4


def test_errors_that_no_retry_can_mend_are_raised_at_once(naps: list[float]) -> None:
    pool = make()
    with pytest.raises(JudgeError):
        run(pool.run_any(scripted(JudgeError("bad verdict"))))
    assert (pool.stats.calls, naps) == (1, [])


def test_after_a_fatal_error_nothing_more_is_asked() -> None:
    pool = make(concurrency=2)
    fatal = ModelError("the key is rejected", cause="401", fatal=True)

    async def many() -> list[Any]:
        calls = [pool.run(scripted(fatal)) for _ in range(20)]
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = run(many())
    assert pool.stats.calls <= 2
    assert all(isinstance(o, CallError) and o.fatal for o in outcomes)


def test_the_pause_that_the_endpoint_asks_for_is_kept(naps: list[float]) -> None:
    pool = make()
    attempt = scripted(failure("503", retry_after_s=7.0), failure("503", retry_after_s=0.0), GOOD)
    run(pool.run(attempt))
    assert 7.0 <= naps[0] <= 7.2
    assert 0.0 <= naps[1] <= 0.2


def test_pauses_grow_to_a_longest_one(naps: list[float]) -> None:
    with pytest.raises(ModelError):
        run(make(retries=40).run(scripted(failure())))
    assert max(naps) <= pool_module.LONGEST_DELAY_S
    assert min(naps[-5:]) >= pool_module.LONGEST_DELAY_S / 2


def test_429_halves_the_limit_and_success_restores_it() -> None:
    pool = make(concurrency=8)
    limited = failure("429", retry_after_s=0.0)
    limits: list[int] = []

    async def course() -> None:
        await pool.run(scripted(limited, GOOD))
        limits.append(int(pool._limit))
        for _ in range(8 * pool_module.RECOVERY_CALLS):
            await pool.run(scripted(GOOD))
        limits.append(int(pool._limit))

    assert pool.notes == []
    run(course())
    assert limits == [4, 8]
    assert pool.stats.retries == {"429": 1}
    assert pool.notes == [
        "429 replies slowed the model calls down, to 4 at a time at the least (--mm-concurrency=8)"
    ]


def test_waits_that_429s_ask_for_use_no_retries_up(naps: list[float]) -> None:
    told, broken = failure("429", retry_after_s=1.0), failure("500")
    mixed = [told, broken, told, broken]
    assert run(make(retries=2).run(scripted(*mixed, GOOD))) == (GOOD, 5)
    with pytest.raises(CallError, match="500") as caught:
        run(make(retries=2).run(scripted(*mixed, broken, GOOD)))
    assert caught.value.attempts == 5
    with pytest.raises(CallError, match="429") as caught:
        run(make(retries=2).run(scripted(*[told] * 9)))
    assert caught.value.attempts == 5, "an endpoint that never lets in is given up"
    for error in (told, failure("429")):
        with pytest.raises(CallError) as caught:
            run(make(retries=0).run(scripted(error, GOOD)))
        assert caught.value.attempts == 1


def test_a_wave_of_429s_halves_the_limit_once() -> None:
    pool = make(concurrency=8)

    async def course() -> int:
        limited = failure("429", retry_after_s=0.0)
        calls = [pool.run(scripted(limited, GOOD)) for _ in range(8)]
        await asyncio.gather(*calls)
        return int(pool._limit)

    assert run(course()) >= 4


def test_a_429_holds_back_every_other_call(naps: list[float]) -> None:
    pool = make(concurrency=2)

    async def course() -> float:
        first = asyncio.create_task(pool.run(scripted(failure("429", retry_after_s=30.0), GOOD)))
        while not naps:
            await asyncio.get_running_loop().run_in_executor(None, int)
        naps.clear()
        second = asyncio.create_task(pool.run(scripted(GOOD)))
        while not naps:
            await asyncio.get_running_loop().run_in_executor(None, int)
        for task in (first, second):
            task.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        return naps[-1]

    assert 0 < run(course()) <= 30.1


def test_a_429_that_names_no_time_holds_back_its_own_call_only(naps: list[float]) -> None:
    pool = make(concurrency=2)

    async def course() -> tuple[Response, int]:
        limited = asyncio.create_task(pool.run(scripted(failure("429"))))
        while not naps:
            await asyncio.get_running_loop().run_in_executor(None, int)
        naps.clear()
        other = await pool.run(scripted(GOOD))
        assert not naps
        limited.cancel()
        await asyncio.gather(limited, return_exceptions=True)
        return other

    assert run(course()) == (GOOD, 1)


def test_a_call_that_takes_too_long_is_named_and_tried_again(naps: list[float]) -> None:
    pool = make(timeout_s=0.01, retries=1)

    async def never() -> Response:
        await asyncio.Event().wait()
        return GOOD

    with pytest.raises(CallError, match=r"no answer within 0\.01 s \(--mm-timeout\)") as caught:
        run(pool.run(never))
    assert (caught.value.cause, caught.value.retryable) == ("timeout", True)
    assert (pool.stats.calls, pool.stats.retries["timeout"]) == (2, 1)
    assert pool.stats.in_flight == 0


@pytest.mark.parametrize("blank", ["", " \n", "<think>hm</think>", "<think>hm"])
def test_blank_answers_are_tried_again(naps: list[float], blank: str) -> None:
    pool = make()
    assert run(pool.run(scripted(Response(blank), Response(blank), GOOD))) == (GOOD, 3)
    assert pool.stats.retries == {"empty answer": 2}


def test_answers_that_stay_blank_are_returned(naps: list[float]) -> None:
    pool = make(retries=2)
    assert run(pool.run(scripted(Response("")))) == (Response(""), 3)


def test_a_filtered_answer_is_not_asked_for_again(naps: list[float]) -> None:
    filtered = Response("", "content_filter")
    assert run(make().run(scripted(filtered))) == (filtered, 1)


def test_the_adapters_own_limit_holds_and_who_waits_for_it_holds_no_place() -> None:
    pool = make(concurrency=2)

    async def course() -> tuple[Response, int]:
        cap, gate = asyncio.Semaphore(1), asyncio.Event()

        async def slow() -> Response:
            await gate.wait()
            return GOOD

        capped = [asyncio.create_task(pool.run(slow, cap=cap)) for _ in range(5)]
        await asyncio.sleep(0)
        free = await pool.run(scripted(GOOD))
        gate.set()
        await asyncio.gather(*capped)
        return free

    assert run(course()) == (GOOD, 1)
    assert pool.stats.peak == 2


def test_calls_start_in_the_order_in_which_they_came() -> None:
    pool, started = make(concurrency=2), []

    async def call(number: int) -> None:
        async def attempt() -> Response:
            started.append(number)
            for _ in range(number % 3):
                await asyncio.sleep(0)
            return GOOD

        await pool.run(attempt)

    async def course() -> None:
        tasks = []
        for number in range(20):
            tasks.append(asyncio.create_task(call(number)))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    run(course())
    assert started == list(range(20))


def test_images_are_prepared_only_once_a_place_is_free() -> None:
    pool, prepared = make(concurrency=1), []

    async def course() -> int:
        gate = asyncio.Event()

        async def prepare() -> None:
            prepared.append(1)

        async def slow() -> Response:
            await gate.wait()
            return GOOD

        tasks = [asyncio.create_task(pool.run(slow, prepare=prepare)) for _ in range(3)]
        await asyncio.sleep(0.01)
        count = len(prepared)
        gate.set()
        await asyncio.gather(*tasks)
        return count

    assert run(course()) == 1
    assert len(prepared) == 3


def test_calls_and_tokens_are_counted_by_who_pays() -> None:
    failed = failure()
    failed.usage = {"prompt_tokens": 5}  # its reply told them, and is paid for
    pool = make()

    async def course() -> None:
        await pool.run(scripted(GOOD), payer="one")
        await pool.run(scripted(failed, GOOD), payer="other")

    run(course())
    assert pool.stats.spent["one"] == {"calls": 1, "prompt_tokens": 10, "completion_tokens": 2}
    assert pool.stats.spent["other"] == {"calls": 2, "prompt_tokens": 15, "completion_tokens": 2}
    assert (pool.stats.calls, pool.stats.prompt_tokens) == (3, 25)
