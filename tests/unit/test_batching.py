"""Batches for local models: their size, their company, and one bad request among good ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mmreason.batch_policy import (
    LARGEST,
    PATIENCE,
    TRIES,
    TRY_AGAIN_AFTER,
    WINDOW,
    BatchSize,
    Waiting,
    choose,
)
from pytest_mmreason.batching import Batcher
from pytest_mmreason.errors import ModelError, UsageError, runs_out_of_memory
from pytest_mmreason.models.base import BatchingModel, Request, Response
from pytest_mmreason.pool import PoolStats
from tests.support.batches import StubBatches, echo, fails_for, refuses, request
from tests.support.stubs import StubModel


def grown(size: BatchSize, seconds_of: Any, batches: int = 100) -> list[int]:
    """The sizes of the batches that a model of that speed computes."""
    sizes = []
    for _ in range(batches):
        count = size.of("shape")
        sizes.append(count)
        size.took("shape", count, seconds_of(count))
    return sizes


def test_size_doubles_while_a_batch_costs_little_more_than_one() -> None:
    assert grown(BatchSize(), lambda count: 1.0, 8) == [1, 2, 4, 8, 16, 32, LARGEST, LARGEST]


def test_sizes_are_told_as_a_range_where_some_shapes_take_more_memory() -> None:
    size = BatchSize(8)
    size.took("small", 8, 1.0)
    assert str(size) == "8"
    size.ran_out("large", 8)
    size.ran_out("large", 4)
    assert str(size) == "2–8"


def test_size_goes_back_where_a_doubled_batch_is_no_faster() -> None:
    sizes = grown(BatchSize(), lambda count: 1.0 if count <= 4 else count / 3, TRIES + 10)
    assert sizes == [1, 2, 4, *[8] * TRIES, *[4] * 7]


def test_larger_size_that_was_disturbed_once_is_tried_again_at_once() -> None:
    times = iter([1.0, 9.0, 1.0, 1.0])
    assert grown(BatchSize(), lambda count: next(times), 4) == [1, 2, 2, 4]


def test_size_that_did_not_help_is_tried_again_later_and_then_more_rarely() -> None:
    sizes = grown(BatchSize(), lambda count: float(count), 200)
    tried = [index for index, count in enumerate(sizes) if count == 2]
    assert tried[: 2 * TRIES : TRIES] == [1, 1 + TRIES + TRY_AGAIN_AFTER]
    assert tried[2 * TRIES] == tried[TRIES] + TRIES + 2 * TRY_AGAIN_AFTER


def test_incomplete_batches_say_nothing_of_the_size() -> None:
    size = BatchSize()
    size.took("shape", 1, 1.0)
    for _ in range(10):
        size.took("shape", 1, 1.0)
    assert size.of("shape") == 2


def test_fixed_size_never_changes_but_where_memory_runs_out() -> None:
    size = BatchSize(8)
    assert grown(size, lambda count: 1.0, 20) == [8] * 20
    size.ran_out("large", 8)
    assert (size.of("large"), size.of("shape")) == (4, 8)
    size.ran_out("large", 4)
    size.ran_out("large", 8)  # one that was prepared before
    assert size.of("large") == 2


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1))
def test_size_is_at_least_one_however_often_memory_runs_out(counts: list[int]) -> None:
    size = BatchSize()
    for count in counts:
        size.ran_out("shape", count)
        assert size.of("shape") >= 1


def test_shape_that_ran_out_of_memory_never_grows_back() -> None:
    size = BatchSize()
    grown(size, lambda count: 1.0, 3)
    assert size.of("shape") == 8
    size.ran_out("shape", 8)
    assert grown(size, lambda count: 1.0, 50) == [4] * 50
    assert size.size == 4


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError("32 GB"), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("x"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (RuntimeError("shapes do not match"), False),
        (ValueError("the picture shows a man who ran out of memory"), False),
    ],
)
def test_memory_that_ran_out_is_told_from_other_errors(error: Exception, expected: bool) -> None:
    assert runs_out_of_memory(error) is expected


def waiting(*shapes_and_lengths: tuple[str, int], born: int = 0) -> list[Waiting]:
    nobody: Any = None
    return [
        Waiting(request(f"r{n}"), shape, length, born, nobody)
        for n, (shape, length) in enumerate(shapes_and_lengths)
    ]


def names(batch: Sequence[Waiting]) -> list[str]:
    return [one.request.sample for one in batch]


def test_batch_holds_requests_of_one_shape() -> None:
    queue = waiting(("a", 1), ("b", 1), ("a", 1), ("b", 1), ("b", 1))
    assert names(choose(queue, lambda shape: 3, 0, idle=False)) == ["r1", "r3", "r4"]
    assert names(choose(queue, lambda shape: 2, 0, idle=False)) == ["r0", "r2"]


def test_incomplete_batch_waits_unless_the_model_is_idle() -> None:
    queue = waiting(("a", 1), ("b", 1))
    assert choose(queue, lambda shape: 2, 0, idle=False) == []
    assert names(choose(queue, lambda shape: 2, 0, idle=True)) == ["r0"]
    assert choose([], lambda shape: 2, 0, idle=True) == []


def test_requests_of_like_length_go_together_and_the_oldest_is_among_them() -> None:
    lengths = [50, 9, 52, 8, 51, 7, 10, 53]
    queue = waiting(*(("a", length) for length in lengths))
    assert names(choose(queue, lambda shape: 4, 0, idle=False)) == ["r0", "r4", "r2", "r7"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 99)), min_size=1, max_size=60),
    st.integers(1, 9),
    st.booleans(),
)
def test_every_batch_is_of_one_shape_and_no_larger_than_asked(
    entries: list[tuple[str, int]], size: int, idle: bool
) -> None:
    queue = waiting(*entries)
    batch = choose(queue, lambda shape: size, 0, idle=idle)
    assert len(batch) <= size
    assert len({one.shape for one in batch}) <= 1
    assert len(set(names(batch))) == len(batch)
    if batch:
        of_shape = [one for one in queue if one.shape == batch[0].shape]
        assert of_shape[0] in batch
        assert set(names(batch)) <= set(names(of_shape[: WINDOW * size]))
    assert batch or not idle


def test_rare_shape_waits_for_a_few_batches_only() -> None:
    queue = waiting(("rare", 1), ("a", 1), ("a", 1))
    assert names(choose(queue, lambda shape: 2, PATIENCE - 1, idle=False)) == ["r1", "r2"]
    assert names(choose(queue, lambda shape: 2, PATIENCE, idle=False)) == ["r0"]


async def ask(batcher: Batcher, *requests: Request) -> list[Any]:
    """The outcome of each: a text or an exception."""

    def made(one: Request) -> Awaitable[Request]:
        async def make() -> Request:
            await asyncio.sleep(0)
            return one

        return make()

    outcomes = await asyncio.gather(
        *(batcher.run(lambda one=one: made(one)) for one in requests),  # type: ignore[misc]
        return_exceptions=True,
    )
    return [o if isinstance(o, BaseException) else o[0].text for o in outcomes]


def run(model: StubBatches, *requests: Request) -> tuple[list[Any], Batcher]:
    async def main() -> tuple[list[Any], Batcher]:
        batcher = Batcher(model, PoolStats())
        outcomes = await asyncio.wait_for(ask(batcher, *requests), 20)
        return outcomes, batcher

    return asyncio.run(main())


def some(count: int) -> list[Request]:
    return [request(f"s{n}") for n in range(count)]


def answers(count: int) -> list[str]:
    return [f"answer to s{n}" for n in range(count)]


def test_batching_models_are_known_by_their_methods() -> None:
    assert isinstance(StubBatches(), BatchingModel)
    assert not isinstance(StubModel(), BatchingModel)


def test_batches_are_full_and_every_request_has_its_own_answer() -> None:
    model = StubBatches(batch_size=4)
    outcomes, batcher = run(model, *some(10))
    assert outcomes == answers(10)
    assert [len(batch) for batch in model.batches] == [4, 4, 2]
    assert (batcher.stats.calls, batcher.stats.peak, batcher.stats.in_flight) == (10, 4, 0)
    assert model.loads == 1


def test_size_is_found_where_none_is_given() -> None:
    model = StubBatches(batch_size=None)
    outcomes, batcher = run(model, *some(60))
    assert outcomes == answers(60)
    assert len(model.batches[0]) == 1
    assert batcher.places >= WINDOW


def test_next_batch_is_prepared_while_one_computes_and_no_more_than_that() -> None:
    async def main() -> None:
        gate = asyncio.Event()
        model = StubBatches(batch_size=2, gate=gate)
        batcher = Batcher(model, PoolStats())
        asking = asyncio.create_task(ask(batcher, *some(12)))
        await asyncio.sleep(0.1)
        assert [len(b) for b in model.batches] == [2]
        assert [len(b) for b in model.prepared] == [2, 2]
        gate.set()
        assert await asyncio.wait_for(asking, 20) == answers(12)

    asyncio.run(main())


def test_images_are_loaded_for_a_few_batches_and_not_for_all_requests() -> None:
    async def main() -> None:
        gate = asyncio.Event()
        batcher = Batcher(StubBatches(batch_size=2, gate=gate), PoolStats())
        loaded: list[str] = []

        async def make(one: Request) -> Request:
            loaded.append(one.sample)
            return one

        asking = asyncio.gather(*(batcher.run(lambda one=one: make(one)) for one in some(50)))  # type: ignore[misc]
        await asyncio.sleep(0.1)
        assert len(loaded) == WINDOW * 2
        gate.set()
        await asyncio.wait_for(asking, 20)
        assert len(loaded) == 50

    asyncio.run(main())


def test_every_replica_computes_a_batch_of_its_own_at_the_same_time() -> None:
    async def main() -> None:
        gate = asyncio.Event()
        model = StubBatches(batch_size=2, replicas=3, gate=gate)
        batcher = Batcher(model, PoolStats())
        asking = asyncio.create_task(ask(batcher, *some(20)))
        await asyncio.sleep(0.1)
        assert model.under_way == 3
        gate.set()
        assert await asyncio.wait_for(asking, 20) == answers(20)
        assert model.peak == 3

    asyncio.run(main())


@pytest.mark.parametrize("size", [8, None])
def test_batch_that_does_not_fit_is_halved_and_no_request_fails(size: int | None) -> None:
    model = StubBatches(batch_size=size, fits=2)
    outcomes, batcher = run(model, *some(40))
    assert outcomes == answers(40)
    if size:
        assert [len(b) for b in model.batches[:2]] == [8, 8] or len(model.batches[0]) == 8
        assert batcher.size.size == 2
        assert any("did not fit into memory; it went on with 2" in n for n in batcher.notes)


def test_request_that_does_not_fit_alone_fails_with_advice() -> None:
    outcomes, batcher = run(StubBatches(batch_size=2, fits=0), *some(3))
    assert all(isinstance(outcome, ModelError) for outcome in outcomes)
    assert "no memory for this sample alone" in str(outcomes[0])
    assert batcher.stats.calls == 3


def test_bad_request_costs_itself_and_not_its_company() -> None:
    model = StubBatches(fails_for("s2"), batch_size=4)
    outcomes, batcher = run(model, *some(8))
    assert [o for o in outcomes if isinstance(o, str)] == [
        a for a in answers(8) if a != "answer to s2"
    ]
    assert "local raised ValueError: cannot compute s2" in str(outcomes[2])
    assert "Traceback" in (outcomes[2].detail or "")
    assert sorted(map(len, model.batches)) == [1, 1, 1, 1, 4, 4]
    assert batcher.notes == []


def test_shape_whose_batches_always_fail_is_computed_one_by_one() -> None:
    def script(requests: Sequence[Request]) -> Any:
        return echo(requests) if len(requests) == 1 else ValueError("ragged images")

    model = StubBatches(script, batch_size=2)
    outcomes, batcher = run(model, *some(20))
    assert outcomes == answers(20)
    assert sum(len(batch) == 2 for batch in model.batches) <= TRIES + 1
    assert any("went on one by one" in note for note in batcher.notes)


def test_error_that_the_model_gives_one_request_is_its_own() -> None:
    outcomes, _ = run(StubBatches(refuses("s1")), *some(4))
    assert [str(o) for o in outcomes] == ["answer to s0", "refused", "answer to s2", "answer to s3"]


def test_too_few_outcomes_are_an_error_and_no_answer_is_given_to_another() -> None:
    outcomes, _ = run(StubBatches(lambda requests: echo(requests)[1:]), *some(2))
    assert all("0 outcomes for a batch of 1" in str(o) for o in outcomes)


def test_outcome_that_is_no_response_is_an_error_of_its_request() -> None:
    def script(requests: Sequence[Request]) -> Any:
        return [None if one.sample == "s1" else echo([one])[0] for one in requests]

    outcomes, _ = run(StubBatches(script), *some(3))
    assert outcomes[::2] == ["answer to s0", "answer to s2"]
    assert "an outcome is NoneType, not a Response" in str(outcomes[1])


@pytest.mark.parametrize("error", [UsageError("no weights"), ModelError("no weights", fatal=True)])
def test_model_that_cannot_be_loaded_ends_every_request_at_once(error: Exception) -> None:
    class Unloadable(StubBatches):
        async def load(self) -> None:
            self.loads += 1
            raise error

    model = Unloadable()
    outcomes, batcher = run(model, *some(50))
    assert all(isinstance(o, ModelError) and o.fatal for o in outcomes)
    assert {str(o) for o in outcomes} == {"no weights"}
    assert (model.loads, batcher.stats.calls) == (1, 0)


def test_requests_with_other_parameters_are_not_mixed() -> None:
    mixed = [request(f"s{n}", temperature=n % 2) for n in range(8)]
    model = StubBatches()
    outcomes, _ = run(model, *mixed)
    assert outcomes == answers(8)
    assert sorted(map(sorted, model.batches)) == [
        ["s0", "s2", "s4", "s6"],
        ["s1", "s3", "s5", "s7"],
    ]


def test_request_that_nobody_waits_for_any_more_is_not_computed() -> None:
    async def main() -> None:
        gate = asyncio.Event()
        model = StubBatches(batch_size=1, gate=gate)
        batcher = Batcher(model, PoolStats())
        tasks = [asyncio.create_task(ask(batcher, one)) for one in some(4)]
        await asyncio.sleep(0.1)
        tasks[3].cancel()
        await asyncio.sleep(0)
        gate.set()
        assert [await asyncio.wait_for(task, 20) for task in tasks[:3]] == [
            [answer] for answer in answers(3)
        ]
        assert model.batches == [["s0"], ["s1"], ["s2"]]

    asyncio.run(main())


def test_request_that_cannot_be_made_leaves_its_place_to_others() -> None:
    async def main() -> None:
        batcher = Batcher(StubBatches(batch_size=1), PoolStats())

        async def broken() -> Request:
            raise OSError("no such image")

        for _ in range(3 * WINDOW):
            with pytest.raises(OSError, match="no such image"):
                await batcher.run(broken)
        assert await asyncio.wait_for(ask(batcher, request("s0")), 20) == ["answer to s0"]

    asyncio.run(main())


def test_answer_that_comes_says_when_its_computing_began() -> None:
    async def main() -> None:
        batcher = Batcher(StubBatches(), PoolStats())
        before = asyncio.get_running_loop().time()

        async def make() -> Request:
            return request("s0")

        response, began = await batcher.run(make)
        assert response == Response("answer to s0")
        assert before <= began <= asyncio.get_running_loop().time()

    asyncio.run(main())
