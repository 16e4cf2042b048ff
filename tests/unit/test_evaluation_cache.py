"""What is kept of an evaluation: asked again only where something that matters changed."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.errors import JudgeError, MissingPrediction, ModelError
from pytest_mmreason.evaluation import Evaluator
from pytest_mmreason.models.base import Response
from pytest_mmreason.record import Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.store import Store, open_store
from tests.support.stubs import StubJudge, StubModel, made_plan, made_samples
from tests.unit.test_evaluation import answering, evaluate, judging, pictured


def rerun(
    change: Callable[[dict[str, Any]], None], folder: Path, *, reads_texts_only: bool = True
) -> tuple[int, int]:
    """Calls to model and judge in a second run on the same cache, after `change`."""
    sample = pictured(folder, "a.png")
    counts = []
    for second in (False, True):
        values: dict[str, Any] = {"sample": sample}
        model, judge = StubModel(), StubJudge(lambda task: 0.5, reads_texts_only=reads_texts_only)
        if second:
            change(values)
            model.identity = values.pop("identity", model.identity)
        store = open_store(folder / "cache", "on")
        record = evaluate(model, judge, store=store, **values)
        store.close()
        counts.append((len(model.asked), len(judge.tasks)))
        assert (record.cached, record.usage == {}) == (
            (True, True) if counts[-1] == (0, 0) else (False, False)
        )
    assert counts[0] == (1, 1)
    return counts[1]


@pytest.mark.parametrize(
    "change, calls",
    [
        ({}, (0, 0)),
        ({"concurrency": 2, "timeout": 3.0, "retries": 2, "seed": 4}, (0, 0)),
        ({"param": {"temperature": 0}}, (1, 0)),
        ({"identity": {"kind": "stub", "name": "n"}}, (1, 0)),
        ({"prompt": ("cot",)}, (1, 0)),
        ({"images": "none"}, (1, 0)),
        ({"judge_runs": 2}, (0, 1)),
    ],
)
def test_the_cache_answers_until_something_that_matters_changes(
    tmp_path: Path, change: dict[str, Any], calls: tuple[int, int]
) -> None:
    assert rerun(lambda values: values.update(change), tmp_path) == calls


def test_each_repeat_is_an_answer_of_its_own(tmp_path: Path) -> None:
    store = open_store(tmp_path, "on")
    model = answering("first", "second", "third")
    answers = [evaluate(model, store=store, repeat=n).response for n in (0, 1, 0, 1)]
    assert answers == ["first", "second", "first", "second"]
    store.close()


@pytest.mark.parametrize(("reads_texts_only", "calls"), [(True, (1, 0)), (False, (1, 1))])
def test_changed_image_bytes_are_asked_about_again(
    tmp_path: Path, reads_texts_only: bool, calls: tuple[int, int]
) -> None:
    def repaint(values: dict[str, Any]) -> None:
        Image.new("RGB", (3, 2), "red").save(tmp_path / "a.png")

    assert rerun(repaint, tmp_path, reads_texts_only=reads_texts_only) == calls


def together(
    model: StubModel, judge: StubJudge, samples: list[Sample], store: Store
) -> list[Record]:
    """The records of samples that are evaluated at the same time."""
    plan = made_plan(samples, retries=0)

    async def course() -> list[Record]:
        evaluator = Evaluator(plan.settings, store, "judge")
        asking = (evaluator.evaluate(plan.runs[0], s, 0, model, judge) for s in samples)
        return [record for record, _ in await asyncio.gather(*asking)]

    return asyncio.run(asyncio.wait_for(course(), 20))


ALIKE = [dataclasses.replace(s, question="What?", answer="cat") for s in made_samples(3)]


@pytest.mark.parametrize("reads_texts_only", [True, False])
def test_a_judge_that_sees_the_sample_judges_each_of_those_that_ask_the_same(
    tmp_path: Path, reads_texts_only: bool
) -> None:
    store = open_store(tmp_path, "on")
    verdicts = dict(zip([s.id for s in ALIKE], (1.0, 0.0, 0.5), strict=True))
    judge = StubJudge(lambda task: verdicts[task.sample.id], reads_texts_only=reads_texts_only)
    records = together(StubModel(), judge, ALIKE, store)
    store.close()
    assert [r.score for r in records] == ([1.0] * 3 if reads_texts_only else [1.0, 0.0, 0.5])
    assert len(judge.tasks) == (1 if reads_texts_only else 3)
    calls = [r.usage.get("judge", {}).get("calls", 0) for r in records]
    assert sum(calls) == len(judge.tasks)


def test_equal_calls_fail_as_one_and_count_as_one(tmp_path: Path) -> None:
    store = open_store(tmp_path, "on")
    model = answering(ModelError("down", cause="500"))
    records = together(model, StubJudge(), ALIKE, store)
    store.close()
    assert [r.status for r in records] == ["model_error"] * 3
    assert len(model.asked) == 1
    assert sum(r.attempts for r in records) == 1


@pytest.mark.parametrize(
    "bad",
    [ModelError("x"), Response("", "content_filter"), "<think>hm", MissingPrediction("x"), None],
)
def test_what_failed_is_never_cached(tmp_path: Path, bad: Any) -> None:
    store = open_store(tmp_path, "on")
    evaluate(answering(bad), store=store)
    model = answering("42")
    assert evaluate(model, store=store).response == "42"
    assert len(model.asked) == 1
    store.close()


def test_a_failed_verdict_is_judged_again_and_the_answer_comes_from_the_cache(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path, "on")
    evaluate(answering("42"), judging(JudgeError("x")), store=store)
    model, judge = answering("43"), judging(0.5)
    record = evaluate(model, judge, store=store)
    assert (record.response, record.score) == ("42", 0.5)
    assert (model.asked, len(judge.tasks)) == ([], 1)
    store.close()
