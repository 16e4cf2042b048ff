"""What a verdict may hold, whoever makes it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pytest_mmreason.verdict import StepCredit, Verdict

ONE = StepCredit(1, 0.5)


@pytest.mark.parametrize(
    "fields",
    [
        {"rationale": None},
        {"judge_model": 5},
        {"notes": "one"},
        {"notes": (1,)},
        {"steps": ({"step": 1, "credit": 0.5},)},
        {"steps": None},
        {"steps": (ONE, StepCredit(1, 0.9))},
        {"confidence": float("nan")},
        {"score": 10**400},
        {"score": True},
        {"score": "0.5"},
    ],
)
def test_field_that_is_none_of_its_kind_is_refused_by_name(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        Verdict(**{"score": 0.5, **fields})


def test_numbers_of_every_type_become_plain_ones() -> None:
    steps: Any = [StepCredit(1, Fraction(1, 4))]  # type: ignore[arg-type]
    verdict = Verdict(Fraction(1, 2), steps=steps)  # type: ignore[arg-type]
    assert (verdict.score, verdict.steps) == (0.5, (StepCredit(1, 0.25),))
    assert Verdict.from_json(verdict.to_json()) == verdict
    assert type(verdict.score) is type(verdict.steps[0].credit) is float


@pytest.mark.parametrize("step", [0, True, 1.0, "1"])
def test_step_is_a_whole_number_from_one(step: Any) -> None:
    with pytest.raises(ValueError, match="step"):
        StepCredit(step, 0.5)
