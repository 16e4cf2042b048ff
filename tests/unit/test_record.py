"""What crosses processes and lies on disk comes back as it was: strict, ASCII JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.models.base import Response, strip_reasoning
from pytest_mmreason.record import ERRORS, STATUSES, Record, RecordKey
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.verdict import StepCredit, Verdict

hostile = st.text(st.characters()) | st.sampled_from(
    ["\ud800", "\x1b[31mred\x1b[0m", "\0", "\u2028", "\r\n", "<script>", "猫", "NaN"]
)
part = st.floats(0, 1)
counts = st.dictionaries(st.sampled_from(["calls", "prompt_tokens"]), st.integers(0, 10**9))

records = st.builds(
    Record,
    benchmark=hostile,
    sample=hostile,
    model=hostile,
    judge=hostile,
    prompt=st.sampled_from(["direct", "cot"]),
    repeat=st.integers(0, 9),
    status=st.sampled_from(STATUSES),
    reason=hostile,
    score=st.none() | part,
    scores=st.lists(st.none() | part).map(tuple),
    score_answer_only=st.none() | part,
    steps=st.lists(st.builds(lambda n, c: {"step": n, "credit": c}, st.integers(1), part)).map(
        tuple
    ),
    rationale=hostile,
    judge_models=st.lists(st.none() | hostile, max_size=3).map(tuple),
    confidence=st.none() | part,
    response=st.none() | hostile,
    finish_reason=st.none() | hostile,
    usage=st.dictionaries(st.sampled_from(["model", "judge"]), counts),
    latency_s=st.floats(0, 1e6),
    cached=st.booleans(),
    flags=st.lists(hostile).map(tuple),
    category=hostile,
    capabilities=st.lists(hostile).map(tuple),
    tags=st.lists(hostile).map(tuple),
    images=st.lists(st.builds(lambda p: {"path": p, "size": [2, 3]}, hostile)).map(tuple),
    prompt_sha256=st.none() | hostile,
)


def made(**fields: Any) -> Record:
    values = {"benchmark": "b", "sample": "s", "model": "m", "judge": "j", "prompt": "direct"}
    return Record(**{**values, "repeat": 0, "status": "scored", **fields})


@given(records)
def test_a_record_comes_back_equal_from_one_line_of_printable_ascii(record: Record) -> None:
    text = record.to_json()
    assert text.isascii() and text.isprintable()
    assert Record.from_json(text) == record
    assert Record.from_json(text).key == record.key


def test_schema_is_told() -> None:
    assert json.loads(made().to_json())["schema"] == 1


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nan_is_never_written(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        made(score=value).to_json()


def test_fields_of_a_later_schema_are_ignored() -> None:
    later = {**json.loads(made().to_json()), "schema": 2, "novelty": {"a": [1]}}
    assert Record.from_json(json.dumps(later)) == made()


def test_fields_that_an_earlier_schema_lacked_have_defaults() -> None:
    earlier = {k: v for k, v in json.loads(made().to_json()).items() if k != "flags"}
    assert Record.from_json(json.dumps(earlier)).flags == ()


@pytest.mark.parametrize("status", ["", "Scored", "failed", None])
def test_unknown_status_is_refused(status: Any) -> None:
    with pytest.raises(ValueError, match="is none of scored, unjudged"):
        made(status=status)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"sample": "s"}', "1"])
def test_what_is_no_record_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        Record.from_json(text)


def test_the_fields_that_a_record_lacks_are_told() -> None:
    data = json.loads(made().to_json())
    del data["sample"], data["judge"], data["score"]
    with pytest.raises(ValueError, match=r"not a record: it lacks sample, judge$"):
        Record.from_json(json.dumps(data))


def test_key_is_all_that_tells_records_apart() -> None:
    assert made(repeat=2).key == RecordKey("b", "m", "direct", "s", 2)
    assert made(score=0.1).key == made(score=0.9).key


def test_errors_are_the_statuses_that_something_failed() -> None:
    found = {status for status in STATUSES if made(status=status).is_error}
    assert found == ERRORS == {"model_error", "judge_error", "data_error", "missing"}


verdicts = st.builds(
    Verdict,
    score=part,
    score_answer_only=st.none() | part,
    steps=st.lists(
        st.builds(StepCredit, st.integers(1), part), unique_by=lambda credit: credit.step
    ).map(tuple),
    rationale=hostile,
    confidence=st.none() | part,
    judge_model=st.none() | hostile,
)


@given(verdicts)
def test_a_verdict_comes_back_equal(verdict: Verdict) -> None:
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


@pytest.mark.parametrize("field", ["score", "score_answer_only", "confidence"])
@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf, "0.5", True, [1]])
def test_no_verdict_holds_a_grade_outside_its_range(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{field} is "):
        Verdict(**{"score": 0.5, field: value})


def test_a_verdict_needs_a_score() -> None:
    with pytest.raises(ValueError, match="score is None"):
        Verdict(None)  # type: ignore[arg-type]


def test_whole_numbers_become_floats() -> None:
    assert type(Verdict(1).score) is float


@pytest.mark.parametrize("data", [{}, {"score": 2}, {"score": 1, "steps": [{}]}])
def test_a_damaged_verdict_is_an_error(data: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        Verdict.from_json(data)


samples = st.builds(
    Sample,
    id=hostile,
    question=hostile,
    images=st.lists(st.builds(ImageRef, hostile, hostile)).map(tuple),
    answer=st.none() | hostile,
    steps=st.lists(hostile).map(tuple),
    counter_intuitive=st.booleans(),
    capabilities=st.lists(hostile).map(tuple),
    tags=st.lists(hostile).map(tuple),
    weight=st.floats(0.1, 9),
)


@given(samples)
def test_a_sample_comes_back_equal(sample: Sample) -> None:
    assert Sample.from_json(json.loads(json.dumps(sample.to_json()))) == sample


@given(st.builds(Response, hostile, hostile.filter(bool), counts, st.none() | hostile))
def test_a_response_comes_back_equal(response: Response) -> None:
    assert Response.from_json(json.loads(json.dumps(response.to_json()))) == response
    assert str(response) == response.text


@pytest.mark.parametrize(
    "data", [{}, {"text": None}, {"text": 3}, {"text": "a", "usage": {"n": "x"}}]
)
def test_a_damaged_response_is_an_error(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Response.from_json(data)


@pytest.mark.parametrize(
    "text, answer",
    [
        ("<think>hm</think>3", "3"),
        ("<think>\nhm\n</think>\n\n three \n", "three"),
        ("<THINKING>hm</THINKING>3", "3"),
        ("hm</think>3", "3"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>hm", ""),
        ("3<think>hm", "3"),
        ("<think>a</think>3<think>b", "3"),
        ("<think></think>", ""),
        ("I think 3", "I think 3"),
        ("a < b and b > c", "a < b and b > c"),
        ("", ""),
    ],
)
def test_only_what_follows_the_closed_reasoning_is_the_answer(text: str, answer: str) -> None:
    assert strip_reasoning(text) == answer
    assert Response(text).answer == answer


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "a", "\n", "<", "3"])))
def test_no_tag_of_reasoning_is_ever_judged(pieces: list[str]) -> None:
    answer = strip_reasoning("".join(pieces))
    assert "</think>" not in answer and "<think>" not in answer
