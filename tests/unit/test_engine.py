"""The engine runs ahead of the items: in order, within bounds, each piece of work once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from pytest_mmreason.engine import AHEAD_PER_PLACE, Engine
from pytest_mmreason.errors import JudgeError, ModelError, UsageError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.models.base import Request
from pytest_mmreason.plan import Plan, Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.store import NoStore
from tests.support.stubs import StubJudge, StubModel, made_plan, made_samples

WAIT_S = 20.0


@contextmanager
def running(
    plan: Plan,
    models: dict[str, Any] | None = None,
    judge: StubJudge | None = None,
    **options: Any,
) -> Iterator[Engine]:
    engine = Engine(plan, models or {"m": StubModel()}, judge or StubJudge(), NoStore(), **options)
    try:
        yield engine
    finally:
        engine.close()


def eventually(done: Any) -> None:
    """Wait until the engine's thread has made `done()` true."""
    pause = threading.Event()
    for _ in range(int(WAIT_S * 200)):
        if done():
            return
        pause.wait(0.005)
    raise AssertionError("it never happened")


class Gate:
    """A script that holds its answers back until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()

    async def __call__(self, request: Request) -> str:
        while not self.open.is_set():
            await asyncio.sleep(0.005)
        return f"answer to {request.sample}"


def test_every_record_comes_and_each_work_is_asked_once() -> None:
    plan = made_plan(made_samples(30), repeats=2)
    model, judge = StubModel(), StubJudge()
    works = list(plan.works())
    with running(plan, {"m": model}, judge) as engine:
        engine.select(works)
        records = [engine.evaluate(work).record for work in works]
    assert [record.key for record in records] == [plan.key(work) for work in works]
    assert sorted(model.asked) == sorted(sample.id for sample in made_samples(30) * 2)
    assert len(judge.tasks) == 60
    assert (model.closed, judge.closed) == (True, True)


def test_calls_start_in_the_order_of_the_selection() -> None:
    plan = made_plan(made_samples(12), concurrency=1)
    model = StubModel()
    works = list(plan.works())[::-1]
    with running(plan, {"m": model}) as engine:
        engine.select(works)
        eventually(lambda: len(model.asked) == 12)
    # Some may change places: each is made ready first, by threads. In the order of the benchmark
    # they would be 6 places off on average, in any order 4.
    places = {name: place for place, name in enumerate(model.asked)}
    off = [abs(places[f"s{n}"] - (11 - n)) for n in range(12)]
    assert sum(off) <= 2.5 * 12, model.asked


def test_running_ahead_needs_nobody_to_wait() -> None:
    plan = made_plan(made_samples(3))
    model = StubModel()
    with running(plan, {"m": model}) as engine:
        engine.select(list(plan.works()))
        eventually(lambda: len(model.asked) == 3)


def test_what_is_under_way_is_bounded_by_the_concurrency() -> None:
    plan = made_plan(made_samples(100), concurrency=3)
    gate = Gate()
    model = StubModel(gate)
    works = list(plan.works())
    with running(plan, {"m": model}) as engine:
        engine.select(works)
        eventually(lambda: model.under_way == 3)
        assert len(engine._tasks) == 3 * AHEAD_PER_PLACE
        gate.open.set()
        for work in works:
            engine.evaluate(work)
        assert model.peak == 3
        eventually(lambda: not engine._tasks and not engine._ready and not engine._taken)


def test_no_call_is_made_for_what_is_not_selected() -> None:
    plan = made_plan(made_samples(5))
    model = StubModel()
    with running(plan, {"m": model}) as engine:
        engine.select([Work(0, 3, 0)])
        engine.evaluate(Work(0, 3, 0))
    assert model.asked == ["s3"]


def test_only_the_first_selection_counts() -> None:
    plan, model = made_plan(made_samples(5)), StubModel()
    with running(plan, {"m": model}) as engine:
        engine.select([Work(0, 3, 0)])
        engine.select(list(plan.works()))  # a worker that came later says what it runs
        engine.evaluate(Work(0, 3, 0))
        engine.evaluate(Work(0, 4, 0))
    assert model.asked == ["s3", "s4"]


def test_work_that_was_not_selected_can_still_be_asked_for() -> None:
    plan = made_plan(made_samples(5))
    with running(plan) as engine:
        engine.select([Work(0, 3, 0)])
        assert engine.evaluate(Work(0, 1, 0)).record.sample == "s1"


def test_many_who_wait_for_one_record_share_one_call() -> None:
    plan, gate = made_plan(made_samples(1)), Gate()
    model = StubModel(gate)
    work = Work(0, 0, 0)
    with running(plan, {"m": model}) as engine:
        engine.select([work, work])
        futures = [engine.submit(work) for _ in range(2)]
        gate.open.set()
        records = [future.result(WAIT_S).record for future in futures]
    assert records[0] == records[1]
    assert model.asked == ["s0"]


def test_a_sample_that_a_test_changed_is_asked_in_its_changed_form() -> None:
    plan, model = made_plan(made_samples(1)), StubModel()
    changed = replace(plan.sample(Work(0, 0, 0)), question="Another?")
    with running(plan, {"m": model}) as engine:
        engine.evaluate(Work(0, 0, 0), sample=changed)
    assert [request.prompt.text for request in model.requests] == ["Another?"]


def test_errors_of_one_sample_leave_the_others_alone() -> None:
    def script(request: Request) -> Any:
        return ValueError("bad") if request.sample == "s2" else "fine"

    plan = made_plan(made_samples(5))
    with running(plan, {"m": StubModel(script)}) as engine:
        works = list(plan.works())
        engine.select(works)
        statuses = [engine.evaluate(work).record.status for work in works]
    assert statuses == ["scored", "scored", "model_error", "scored", "scored"]


def test_an_errored_record_is_asked_for_anew_and_a_good_one_is_not() -> None:
    outcomes = iter([ModelError("once"), "fine"])
    plan, model = made_plan(made_samples(1)), StubModel(lambda request: next(outcomes))
    work = Work(0, 0, 0)
    with running(plan, {"m": model}, keep=False) as engine:
        engine.select([work, work])
        assert engine.evaluate(work).record.status == "model_error"
        assert engine.evaluate(work).record.status == "scored"


def test_kept_records_serve_every_worker_that_runs_the_item() -> None:
    plan, model = made_plan(made_samples(2)), StubModel()
    works = list(plan.works())
    with running(plan, {"m": model}, keep=True) as engine:
        engine.select(works)
        for _ in range(3):
            assert [engine.evaluate(work).record.score for work in works] == [1.0, 1.0]
    assert sorted(model.asked) == ["s0", "s1"]


@pytest.mark.parametrize("role", ["model", "judge"])
def test_after_a_fatal_error_nothing_more_is_asked(role: str) -> None:
    plan = made_plan(made_samples(200), concurrency=2)
    fatal = (ModelError if role == "model" else JudgeError)("the key is rejected", fatal=True)
    model = StubModel((lambda request: fatal) if role == "model" else None)
    judge = StubJudge((lambda task: fatal) if role == "judge" else None)
    works = list(plan.works())
    with running(plan, {"m": model}, judge) as engine:
        engine.select(works)
        done = engine.evaluate(works[0])
        assert done.record.status == f"{role}_error"
        assert done.stop == engine.stopped == "the key is rejected"
        # Who asks on is told the same, without a call.
        assert engine.evaluate(works[-1]).stop == "the key is rejected"
    assert len(model.asked if role == "model" else judge.tasks) <= 2
    assert len(model.asked) <= 2 * AHEAD_PER_PLACE + 1


def test_closing_cancels_what_is_under_way() -> None:
    plan, model = made_plan(made_samples(50)), StubModel(Gate())
    engine = Engine(plan, {"m": model}, StubJudge(), NoStore())
    engine.select(list(plan.works()))
    future = engine.submit(Work(0, 0, 0))
    eventually(lambda: model.under_way == 4)
    engine.close()
    engine.close()
    assert future.cancelled() or future.exception(WAIT_S) is not None
    assert model.under_way == 0 and model.closed


def test_two_models_never_swap_their_answers() -> None:
    plan = made_plan(made_samples(20), models=("a", "b"))
    models = {name: StubModel(name=name) for name in ("a", "b")}
    works = list(plan.works())
    with running(plan, dict(models)) as engine:
        engine.select(works)
        for work in works:
            record = engine.evaluate(work).record
            assert record.response == f"{plan.runs[work.run].model} of {record.sample}"
    assert [sorted(model.asked) for model in models.values()] == [
        sorted(s.id for s in made_samples(20))
    ] * 2


def test_an_adapters_own_limit_holds() -> None:
    plan = made_plan(made_samples(10), concurrency=8)
    model = StubModel()
    model.max_concurrency = 2
    with running(plan, {"m": model}) as engine:
        works = list(plan.works())
        engine.select(works)
        for work in works:
            engine.evaluate(work)
    assert model.peak <= 2


def test_roles_of_fixtures_start_when_they_are_made() -> None:
    plan = made_plan(made_samples(6), models=("fixture",))
    model, judge = StubModel(), StubJudge()
    with running(plan, {"fixture": None}) as engine:
        engine.judge = None
        engine.select(list(plan.works()))
        with pytest.raises(UsageError, match="mm_model fixture has not been made"):
            engine.evaluate(Work(0, 0, 0))
        engine.adopt({"fixture": model}, None)
        with pytest.raises(UsageError, match="mm_judge fixture has not been made"):
            engine.evaluate(Work(0, 1, 0))
        assert model.asked == []
        engine.adopt({}, judge)
        eventually(lambda: len(judge.tasks) == 4)
        assert engine.evaluate(Work(0, 0, 0)).record.score == 1.0


def test_an_adopted_role_never_replaces_one_that_was_named() -> None:
    plan, named = made_plan(made_samples(1)), StubModel(name="named")
    with running(plan, {"m": named}) as engine:
        engine.adopt({"m": StubModel(name="other")}, StubJudge(lambda task: 0.0))
        record = engine.evaluate(Work(0, 0, 0)).record
    assert (record.response, record.score) == ("named of s0", 1.0)


def test_models_lent_for_one_item_serve_it() -> None:
    plan = made_plan(made_samples(1), models=("fixture",))
    with running(plan, {"fixture": None}) as engine:
        lent = engine.submit(Work(0, 0, 0), model=StubModel(name="lent"))
        assert lent.result(WAIT_S).record.response == "lent of s0"


def test_direct_questions_show_the_model_their_images() -> None:
    model = StubModel(lambda request: "a cat")
    image = LoadedImage("image.png", b"data", "image/png", (1, 1), (1, 1), "hash")
    with running(made_plan(made_samples(1)), {"m": model}) as engine:
        assert engine.generate("m", Prompt.of("what?"), [image]).text == "a cat"
    (request,) = model.requests
    assert [i.path for i in request.images] == ["image.png"]
    assert [i.path for i in request.prompt.images] == ["image.png"]
    assert request.prompt.text == "what?"


def test_direct_verdicts_tell_their_errors() -> None:
    plan = made_plan(made_samples(1))
    with running(plan, judge=StubJudge(lambda task: JudgeError("bad"))) as engine:
        found = engine.verdict("infimm-eval", plan.sample(Work(0, 0, 0)), "42")
    assert (found.verdict, str(found.error)) == (None, "bad")


def test_whoever_waits_is_called_back_meanwhile() -> None:
    plan, gate = made_plan(made_samples(1)), Gate()
    with running(plan, {"m": StubModel(gate)}) as engine:
        engine.evaluate(Work(0, 0, 0), while_waiting=gate.open.set)
    assert gate.open.is_set()


def test_notes_of_adapters_are_told_once() -> None:
    model = StubModel()
    model.notes = ["a", "b", "a"]  # type: ignore[attr-defined]
    with running(made_plan(made_samples(1)), {"m": model}) as engine:
        engine.store.note = "cache is damaged"
        assert engine.notes() == ["a", "b", "cache is damaged"]


def test_what_was_foreseen_is_asked_once_and_goes_on_when_it_is_selected() -> None:
    plan = made_plan(made_samples(6))
    model, works = StubModel(), list(plan.works())
    with running(plan, {"m": model}) as engine:
        engine.foresee(works)
        eventually(lambda: len(model.asked) == 6)
        engine.select(works)
        records = [engine.evaluate(work).record for work in works]
        assert [record.sample for record in records] == [f"s{n}" for n in range(6)]
        eventually(lambda: not engine._tasks and not engine._ready)
    assert sorted(model.asked) == [f"s{n}" for n in range(6)]


def test_what_was_foreseen_and_is_not_selected_is_given_up() -> None:
    plan = made_plan(made_samples(40), concurrency=2)
    gate = Gate()
    model, works = StubModel(gate), list(plan.works())
    with running(plan, {"m": model}) as engine:
        engine.foresee(works)
        eventually(lambda: model.under_way == 2)
        chosen = works[1::10]
        engine.select(chosen)
        eventually(lambda: set(engine._tasks) <= set(chosen))
        gate.open.set()
        records = [engine.evaluate(work).record for work in chosen]
        eventually(lambda: not engine._tasks and not engine._ready)
    assert [record.sample for record in records] == ["s1", "s11", "s21", "s31"]
    assert set(model.asked) == {"s0", "s1", "s11", "s21", "s31"}, "s0 was on its way"
