"""What is kept of an evaluation: asked again only where something that matters changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.errors import JudgeError, MissingPrediction, ModelError
from pytest_mmreason.models.base import Response
from pytest_mmreason.store import open_store
from tests.support.stubs import StubJudge, StubModel
from tests.unit.test_evaluation import answering, evaluate, judging, pictured


def rerun(change: Callable[[dict[str, Any]], None], folder: Path) -> tuple[int, int]:
    """Calls to model and judge in a second run on the same cache, after `change`."""
    sample = pictured(folder, "a.png")
    counts = []
    for second in (False, True):
        values: dict[str, Any] = {"sample": sample}
        model, judge = StubModel(), StubJudge(lambda task: 0.5)
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


def test_changed_image_bytes_are_asked_about_again(tmp_path: Path) -> None:
    def repaint(values: dict[str, Any]) -> None:
        Image.new("RGB", (3, 2), "red").save(tmp_path / "a.png")

    assert rerun(repaint, tmp_path) == (1, 0)


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
