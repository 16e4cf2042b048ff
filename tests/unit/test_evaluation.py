"""How each sample ends: exactly one status, with the reason, whatever happens on the way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.errors import CallError, JudgeError, MissingPrediction, ModelError
from pytest_mmreason.evaluation import Evaluator
from pytest_mmreason.models.base import Response
from pytest_mmreason.record import Record
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.store import NoStore, Store
from pytest_mmreason.verdict import StepCredit, Verdict
from tests.support.stubs import StubJudge, StubModel, in_turn, made_plan, made_samples

SAMPLE = made_samples(1)[0]


def evaluate(
    model: StubModel,
    judge: StubJudge | None = None,
    sample: Sample = SAMPLE,
    store: Store | None = None,
    **settings: Any,
) -> Record:
    return outcome(model, judge, sample, store, **settings)[0]


def outcome(
    model: StubModel,
    judge: StubJudge | None = None,
    sample: Sample = SAMPLE,
    store: Store | None = None,
    repeat: int = 0,
    **settings: Any,
) -> tuple[Record, CallError | None]:
    plan = made_plan([sample], **settings)

    async def course() -> tuple[Record, CallError | None]:
        evaluator = Evaluator(plan.settings, store or NoStore(), "judge")
        return await evaluator.evaluate(plan.runs[0], sample, repeat, model, judge or StubJudge())

    return asyncio.run(asyncio.wait_for(course(), 20))


def answering(*outcomes: Any) -> StubModel:
    return StubModel(in_turn(*outcomes))


def judging(*outcomes: Any) -> StubJudge:
    return StubJudge(in_turn(*outcomes))


def test_scored_tells_everything_about_its_sample() -> None:
    response = Response("42", usage={"prompt_tokens": 3, "completion_tokens": 1})
    verdict = Verdict(0.7, 0.0, (StepCredit(1, 0.5),), "half", 0.9)
    sample = made_samples(1, category="deductive", complexity="high", tags=("t",), weight=2.0)[0]
    record = evaluate(answering(response), judging(verdict), sample)
    assert (record.status, record.score, record.scores) == ("scored", 0.7, (0.7,))
    assert (record.score_answer_only, record.confidence) == (0.0, 0.9)
    assert (record.steps, record.rationale) == (({"step": 1, "credit": 0.5},), "half")
    assert (record.response, record.finish_reason, record.attempts) == ("42", "stop", 1)
    assert record.usage == {
        "model": {"calls": 1, "prompt_tokens": 3, "completion_tokens": 1},
        "judge": {"calls": 1},
    }
    assert (record.category, record.tags, record.weight) == ("deductive", ("t",), 2.0)
    assert (record.judge, record.model, record.cached) == ("judge", "m", False)
    assert Record.from_json(record.to_json()) == record


def test_without_a_reference_the_answer_is_kept_and_nothing_judged() -> None:
    judge = StubJudge()
    record = evaluate(answering("42"), judge, made_samples(1, answer=None)[0])
    assert (record.status, record.score, record.response) == ("unjudged", None, "42")
    assert judge.tasks == []


def test_an_answer_that_stays_empty_scores_zero_without_a_judge() -> None:
    judge = StubJudge()
    record = evaluate(answering(" \n"), judge, judge_runs=3)
    assert (record.status, record.score, record.scores) == ("scored", 0.0, (0.0, 0.0, 0.0))
    assert record.reason == "empty answer"
    assert judge.tasks == []


@pytest.mark.parametrize("text", ["<think>hm", "<think>hm\n<think>", "◁think▷hm", "[THINK]hm"])
def test_reasoning_that_never_closed_is_an_error(text: str) -> None:
    record = evaluate(answering(text))
    assert (record.status, record.score, record.response) == ("model_error", None, text)
    assert "truncated" in record.reason


@pytest.mark.parametrize(
    "text", ["<think>b</think> 3", "◁think▷b◁/think▷3", "[THINK]b[/THINK]3", "b</think>\n3"]
)
def test_only_what_follows_the_reasoning_is_judged_and_all_is_kept(text: str) -> None:
    judge = StubJudge()
    record = evaluate(answering(text), judge)
    assert [task.response for task in judge.tasks] == ["3"]
    assert record.response == text


@pytest.mark.parametrize("text", ["", "   "])
def test_an_answer_that_was_cut_before_it_began_is_an_error(text: str) -> None:
    record = evaluate(answering(Response(text, "length")))
    assert (record.status, record.score) == ("model_error", None)
    assert "reached its token limit before any answer" in record.reason
    assert "--mm-param max_tokens=N" in record.reason


def test_an_answer_that_was_cut_short_is_scored_and_flagged() -> None:
    record = evaluate(answering(Response("it is", "length")))
    assert (record.status, record.flags, record.finish_reason) == (
        "scored",
        ("cut short",),
        "length",
    )


@pytest.mark.parametrize(
    "filtered", [Response("", "content_filter"), ModelError("no", cause="content_filter")]
)
def test_a_content_filter_is_refused_and_counts_zero(filtered: Any) -> None:
    judge = StubJudge()
    record = evaluate(answering(filtered), judge)
    assert (record.status, record.score) == ("refused", 0.0)
    assert judge.tasks == []


def test_a_recording_without_the_sample_is_missing() -> None:
    record = evaluate(answering(MissingPrediction("no answer")))
    assert (record.status, record.reason, record.score) == ("missing", "no answer", None)


@pytest.mark.parametrize("fatal", [False, True])
def test_a_failed_call_is_an_error_and_stops_the_run_only_if_fatal(fatal: bool) -> None:
    error = ModelError("went wrong", fatal=fatal, detail="Traceback")
    record, stop = outcome(answering(error))
    assert (record.status, record.reason) == ("model_error", "went wrong")
    assert record.rationale == "Traceback"
    assert stop is (error if fatal else None)


ODD = Response("a", usage={"n": "x"})  # type: ignore[dict-item]


@pytest.mark.parametrize("value", [None, b"x", 3, ODD])
def test_an_adapter_that_returns_no_response_is_a_model_error(value: Any) -> None:
    record = evaluate(answering(value))
    assert record.status == "model_error"
    assert record.reason.startswith("m raised ")


def test_whatever_an_adapter_raises_is_a_model_error_with_its_traceback() -> None:
    record, stop = outcome(answering(KeyError("lamp")), retries=3)
    assert (record.status, stop) == ("model_error", None)
    assert record.reason == "m raised KeyError: 'lamp'"
    assert "Traceback" in record.rationale


def test_whatever_a_judge_raises_is_a_judge_error_and_the_answer_is_kept() -> None:
    record, stop = outcome(answering("42"), judging(KeyError("lamp")))
    assert (record.status, record.response, stop) == ("judge_error", "42", None)
    assert record.reason == "j raised KeyError: 'lamp'"
    assert "Traceback" in record.rationale


def test_a_judge_error_keeps_the_judges_words() -> None:
    error = JudgeError("no score", detail="it replied 'B'")
    record = evaluate(answering("42"), judging(error))
    assert (record.status, record.reason, record.score) == ("judge_error", "no score", None)
    assert record.rationale == "it replied 'B'"


def test_a_fatal_judge_error_stops_the_run() -> None:
    error = JudgeError("key", fatal=True)
    assert outcome(answering("42"), judging(error))[1] is error


def test_judge_runs_are_averaged_and_a_failed_one_is_flagged() -> None:
    judge = judging(0.4, 0.6, JudgeError("bad"), 0.4)
    record = evaluate(answering("42"), judge, judge_runs=4)
    assert record.status == "scored"
    assert sorted(record.scores, key=str) == [0.4, 0.4, 0.6, None]
    assert record.score == pytest.approx(1.4 / 3)
    assert record.flags == ("1 of 4 judge runs gave no verdict",)
    assert sorted(task.run for task in judge.tasks) == [0, 1, 2, 3]


def test_steps_are_asked_for_where_the_answer_is_not_definitive() -> None:
    model, judge = (
        answering("<think>a</think>I'm not sure.", "<think>b</think>It is 3."),
        StubJudge(),
    )
    record = evaluate(model, judge, follow_up="steps")
    assert [len(request.prompt.turns) for request in model.requests] == [1, 3]
    assert model.requests[1].prompt.turns[1].text == "I'm not sure."
    assert [task.response for task in judge.tasks] == ["I'm not sure.\n\nIt is 3."]
    assert (record.flags, record.attempts) == (("follow-up",), 2)


def test_reasoning_that_never_closed_does_not_hide_the_second_answer() -> None:
    judge = StubJudge()
    record = evaluate(answering("<think>hm", "It is 3."), judge, follow_up="steps")
    assert [task.response for task in judge.tasks] == ["It is 3."]
    assert record.status == "scored"


def test_a_definitive_answer_is_not_asked_about_again() -> None:
    model = answering("It is 3.")
    evaluate(model, follow_up="steps")
    assert len(model.requests) == 1


def pictured(folder: Path, *names: str) -> Sample:
    for name in names:
        Image.new("RGB", (3, 2)).save(folder / name)
    return made_samples(1, images=tuple(ImageRef(name, str(folder)) for name in names))[0]


def test_a_broken_image_is_a_data_error_and_nothing_is_asked(tmp_path: Path) -> None:
    sample, model = pictured(tmp_path, "a.png", "b.png"), StubModel()
    (tmp_path / "b.png").write_bytes(b"")
    record = evaluate(model, sample=sample)
    assert record.status == "data_error" and "'b.png'" in record.reason
    assert (record.score, model.asked) == (None, [])


@pytest.mark.parametrize("way", ["none", "recorded"])
def test_images_that_are_not_sent_are_not_opened(tmp_path: Path, way: str) -> None:
    sample = made_samples(1, images=(ImageRef("gone.png", str(tmp_path)),) * 2)[0]
    model = StubModel()
    model.wants_images = way != "recorded"
    record = evaluate(model, sample=sample, images="none" if way == "none" else "separate")
    assert record.status == "scored"
    assert record.images == ({"path": "gone.png"}, {"path": "gone.png"})
    assert model.requests[0].images == []
