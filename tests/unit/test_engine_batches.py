"""The engine fills the batches of local models, and gives every item its own answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.engine import Engine
from pytest_mmreason.errors import CallError, ModelError
from pytest_mmreason.models.base import Request
from pytest_mmreason.plan import Plan
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.store import NoStore, Store, open_store
from tests.support.batches import StubBatches, echo, fails_for
from tests.support.stubs import StubJudge, StubModel, made_plan, made_samples

WAIT_S = 20.0


def records(
    plan: Plan, models: dict[str, Any], store: Store | None = None
) -> tuple[dict[tuple[str, str], Any], Engine]:
    """The records of a whole run by (model, sample), and the engine, closed."""
    engine = Engine(plan, models, StubJudge(), store or NoStore())
    try:
        works = list(plan.works())
        engine.select(works)
        found = {}
        for work in works:
            record = engine.submit(work).result(timeout=WAIT_S).record
            found[record.model, record.sample] = record
        return found, engine
    finally:
        engine.close()


@pytest.mark.parametrize("concurrency", [1, 16])
def test_batches_are_filled_whatever_the_limit_of_network_calls(concurrency: int) -> None:
    model = StubBatches(batch_size=8)
    plan = made_plan(made_samples(64), concurrency=concurrency)
    found, engine = records(plan, {"m": model})
    assert {r.response for r in found.values()} == {f"answer to s{n}" for n in range(64)}
    assert all(record.sample in str(record.response) for record in found.values())
    assert sum(map(len, model.batches)) == 64
    assert sum(len(batch) == 8 for batch in model.batches) >= 6
    assert engine.calls()["model"] == 64
    assert engine.told().details == {"m": "stub · batch 8"}
    assert model.closed


def test_remote_model_beside_a_local_one_keeps_its_own_limit() -> None:
    local, remote = StubBatches(batch_size=8), StubModel(name="remote")
    plan = made_plan(made_samples(40), models=["m", "remote"], concurrency=2)
    found, engine = records(plan, {"m": local, "remote": remote})
    assert len(found) == 80
    assert remote.peak <= 2
    assert sum(map(len, local.batches)) == 40
    assert engine.told().details == {"m": "stub · batch 8"}


def test_failed_call_is_not_tried_again_and_its_record_says_why() -> None:
    model = StubBatches(fails_for("s1"), batch_size=2)
    found, engine = records(made_plan(made_samples(4), retries=5), {"m": model})
    assert found["m", "s1"].status == "model_error"
    assert "local raised ValueError: cannot compute s1" in found["m", "s1"].reason
    assert (found["m", "s1"].attempts, found["m", "s0"].status) == (1, "scored")
    assert engine.retries() == {"model": {}, "judge": {}}


def test_no_timeout_cuts_a_batch_short() -> None:
    class Slow(StubBatches):
        async def generate_batch(self, prepared: list[Request]) -> Sequence[Any]:
            await asyncio.sleep(0.2)
            return echo(prepared)

    found, _ = records(made_plan(made_samples(2), timeout=0.05), {"m": Slow()})
    assert {record.status for record in found.values()} == {"scored"}


def test_blank_answer_is_kept_as_it_is_for_it_would_come_again() -> None:
    model = StubBatches(lambda requests: [type(r)(" ") for r in echo(requests)])
    found, _ = records(made_plan(made_samples(2), retries=5), {"m": model})
    assert {(r.status, r.score, r.reason) for r in found.values()} == {
        ("scored", 0.0, "empty answer")
    }
    assert sum(map(len, model.batches)) == 2


def test_model_that_cannot_be_loaded_stops_the_run() -> None:
    class Unloadable(StubBatches):
        async def load(self) -> None:
            raise ModelError("no weights", fatal=True)

    plan = made_plan(made_samples(3))
    found, engine = records(plan, {"m": Unloadable()})
    assert {record.reason for record in found.values()} == {"no weights"}
    assert engine.stopped == "no weights"
    assert engine.calls()["model"] == 0


def test_nothing_is_loaded_where_the_cache_knows_every_answer(tmp_path: Path) -> None:
    plan = made_plan(made_samples(5))
    first, second = StubBatches(), StubBatches()
    records(plan, {"m": first}, open_store(tmp_path, "on"))
    found, engine = records(plan, {"m": second}, open_store(tmp_path, "on"))
    assert (first.loads, second.loads) == (1, 0)
    assert all(record.cached for record in found.values())
    assert engine.told().details == {"m": "stub"}


def test_call_by_hand_shares_the_queue() -> None:
    model = StubBatches()
    engine = Engine(made_plan(made_samples(1)), {"m": model}, StubJudge(), NoStore())
    try:
        assert engine.generate("m", Prompt.of("Why?"), []).text == "answer to "
        assert (model.loads, model.batches) == (1, [[""]])
    finally:
        engine.close()


def test_close_ends_what_computes_and_what_waits() -> None:
    began = threading.Event()

    class Endless(StubBatches):
        async def generate_batch(self, prepared: list[Request]) -> Sequence[Any]:
            self.batches.append([one.sample for one in prepared])
            began.set()
            await asyncio.Event().wait()
            raise AssertionError

    model = Endless(batch_size=2)
    plan = made_plan(made_samples(20))
    engine = Engine(plan, {"m": model}, StubJudge(), NoStore())
    works = list(plan.works())
    engine.select(works)
    futures = [engine.submit(work) for work in works]
    assert began.wait(WAIT_S)
    engine.close()
    assert model.closed
    assert len(model.batches) == 1
    assert all(future.cancelled() or future.exception(timeout=WAIT_S) for future in futures)
    with pytest.raises(CallError, match="the engine is closed"):
        engine.submit(works[0])


def test_live_line_can_say_that_the_model_is_being_loaded() -> None:
    loading = threading.Event()

    class Slow(StubBatches):
        async def load(self) -> None:
            if not self.loads:
                loading.set()
                await asyncio.sleep(0.3)
            self.loads = 1

    engine = Engine(made_plan(made_samples(2)), {"m": Slow()}, StubJudge(), NoStore())
    try:
        works = list(engine.plan.works())
        engine.select(works)
        assert loading.wait(WAIT_S)
        assert engine.progress().loading
        assert engine.evaluate(works[0]).record.status == "scored"
        assert not engine.progress().loading
    finally:
        engine.close()
