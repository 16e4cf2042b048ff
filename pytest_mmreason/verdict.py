"""What a judge says of one response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

UNSURE = 0.5
"""A verdict whose confidence is below this is unsure of itself."""

PUT_RIGHT = "judge: "
"""With this begins a note on what code changed in a judge's verdict to make it consistent."""


@dataclass(frozen=True, slots=True)
class StepCredit:
    """Credit in [0, 1] that a response earned on reference step number `step` (from 1).

    Raises ValueError for a credit that is not a finite number in [0, 1].
    """

    step: int
    credit: float

    def __post_init__(self) -> None:
        if isinstance(self.step, bool) or not isinstance(self.step, Integral) or self.step < 1:
            raise ValueError(f"step is {self.step!r}, not a whole number from 1")
        object.__setattr__(self, "step", int(self.step))
        object.__setattr__(self, "credit", _fraction("credit", self.credit))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on one response.

    score:             in [0, 1]; 1.0 for a directly correct answer, else partial credit.
    score_answer_only: in [0, 1], the grade without reasoning (InfiMM-Eval, Figure 4);
                       None where the protocol has none.
    steps:             credit per reference step.
    rationale:         why, in words.
    confidence:        in [0, 1], how sure the judge says it is; None if it does not say.
    judge_model:       the judge's name as its endpoint returned it.
    notes:             what was changed or dropped to make the verdict consistent.

    Raises ValueError for a score that is not a finite number in [0, 1], and for what is
    none of these in the other fields, such as two credits for one step.
    """

    score: float
    score_answer_only: float | None = None
    steps: tuple[StepCredit, ...] = ()
    rationale: str = ""
    confidence: float | None = None
    judge_model: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("score", "score_answer_only", "confidence"):
            value = getattr(self, name)
            if value is None and name != "score":
                continue
            object.__setattr__(self, name, _fraction(name, value))
        if not isinstance(self.rationale, str):
            raise ValueError(f"rationale is {self.rationale!r}, not a string")
        if not isinstance(self.judge_model, str | None):
            raise ValueError(f"judge_model is {self.judge_model!r}, not a string or None")
        for name, kind in (("steps", StepCredit), ("notes", str)):
            values = getattr(self, name)
            is_row = isinstance(values, (tuple, list))
            if not is_row or not all(isinstance(value, kind) for value in values):
                raise ValueError(f"{name} is {values!r}, not a tuple of {kind.__name__}")
            object.__setattr__(self, name, tuple(values))
        if len({credit.step for credit in self.steps}) < len(self.steps):
            raise ValueError("steps has two credits for one step")

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` turns back into an equal verdict."""
        return {
            "score": self.score,
            "score_answer_only": self.score_answer_only,
            "steps": [{"step": s.step, "credit": s.credit} for s in self.steps],
            "rationale": self.rationale,
            "confidence": self.confidence,
            "judge_model": self.judge_model,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The verdict that :meth:`to_json` wrote; ValueError or KeyError if it is damaged."""
        return cls(
            score=data["score"],
            score_answer_only=data.get("score_answer_only"),
            steps=tuple(StepCredit(s["step"], s["credit"]) for s in data.get("steps", ())),
            rationale=data.get("rationale", ""),
            confidence=data.get("confidence"),
            judge_model=data.get("judge_model"),
            notes=tuple(data.get("notes", ())),
        )


def _fraction(name: str, value: Any) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number:
        raise ValueError(f"{name} is {value!r}, not a number in [0, 1]")
    # compared before float(), which overflows on a huge integer; NaN is in no range
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}, outside [0, 1]")
    return float(value)
