"""A user's function as judge: its values are checked, its errors are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.judges.function import FunctionJudge
from pytest_mmreason.models.base import Response
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import StepCredit, Verdict

TASK = JudgeTask(Sample("s1", "How many?", answer="3"), "three")


class Caller:
    max_concurrency: int | None = 1
    is_async = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.closed = False

    async def call(self, *args: object) -> object:
        return self.function(*args)

    async def aclose(self) -> None:
        self.closed = True


def judge(function: Callable[..., Any]) -> Verdict:
    made = FunctionJudge(Caller(function), "python:mine:judge", {})
    return asyncio.run(made.judge(TASK, None))  # type: ignore[arg-type]


def test_function_sees_the_sample_and_a_response_that_is_its_text() -> None:
    def function(sample: Sample, response: Response) -> float:
        assert sample is TASK.sample
        assert isinstance(response, Response) and str(response) == "three"
        return 0.5

    assert judge(function).score == 0.5


@pytest.mark.parametrize("value", [0, 1, 0.25, Fraction(1, 2)])
def test_any_number_in_range_is_a_score(value: Any) -> None:
    assert judge(lambda sample, response: value).score == float(value)


def test_verdict_is_passed_on_whole() -> None:
    verdict = Verdict(0.5, 0.0, rationale="half of it")
    assert judge(lambda sample, response: verdict) is verdict


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "0.5",
        1.5,
        -0.1,
        float("nan"),
        float("inf"),
        pytest.param(10**400, id="huge"),
        [0.5],
        {"score": 1},
        1j,
    ],
)
def test_anything_else_is_an_error_that_names_it(value: Any) -> None:
    with pytest.raises(JudgeError) as caught:
        judge(lambda sample, response: value)
    assert caught.value.cause == "invalid verdict"
    message = str(caught.value)
    assert repr(value)[:40] in message
    assert "'s1'" in message and "python:mine:judge" in message


def test_verdict_with_credits_out_of_range_is_an_error() -> None:
    with pytest.raises(JudgeError, match="credit is nan"):
        judge(lambda sample, response: Verdict(0.5, steps=(StepCredit(1, float("nan")),)))


def test_value_that_cannot_be_shown_is_still_an_error() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(JudgeError, match="a Odd"):
        judge(lambda sample, response: Odd())


def test_exception_becomes_an_error_with_its_traceback() -> None:
    def broken(sample: Sample, response: Response) -> float:
        raise KeyError("lamp")

    with pytest.raises(JudgeError, match="KeyError: 'lamp'") as caught:
        judge(broken)
    assert caught.value.cause == "judge raised"
    assert "in broken" in (caught.value.detail or "")


def test_judge_error_of_the_function_passes_through() -> None:
    error = JudgeError("quota", cause="quota", retryable=True)

    def limited(sample: Sample, response: Response) -> float:
        raise error

    with pytest.raises(JudgeError) as caught:
        judge(limited)
    assert caught.value is error


def test_judge_takes_limits_and_identity_from_outside_and_closes_its_caller() -> None:
    caller = Caller(lambda sample, response: 1.0)
    made = FunctionJudge(caller, "python:mine:judge", {"source": "abc"})
    assert isinstance(made, Judge)
    assert (made.max_concurrency, made.offline, made.cacheable) == (1, False, True)
    assert made.identity("mm-vet") == {
        "judge": "function",
        "name": "python:mine:judge",
        "source": "abc",
        "protocol": "mm-vet",
    }
    asyncio.run(made.aclose())
    assert caller.closed
