"""Lines of ``results.jsonl`` that are damaged, or that others wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mmreason.reading import read_record
from pytest_mmreason.record import Record

GOOD = Record(
    *("made", "s0", "m", "local", "direct", 0, "scored"),
    score=0.5,
    scores=(0.5, None),
    steps=({"step": 1, "credit": 0.5},),
    judge_models=(None, "j"),
    capabilities=("rec",),
    images=({"path": "a.png"},),
)


def line(**fields: Any) -> str:
    """A line that holds these fields, whatever they are."""
    return json.dumps({**json.loads(GOOD.to_json()), **fields})


def test_what_a_run_writes_is_read() -> None:
    assert read_record(GOOD.to_json()) == GOOD
    assert read_record(GOOD.to_json(), without=("steps",)).steps == ()


@pytest.mark.parametrize("name", sorted(Record.__dataclass_fields__))
def test_a_field_of_another_kind_is_named(name: str) -> None:
    is_text = Record.__annotations__[name].startswith("str")
    for value in (1 if is_text else "x", [[]], [{"step": []}, 1], float("nan")):
        with pytest.raises(ValueError, match=name):
            read_record(line(**{name: value}))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"score": None}, "score of a scored sample is None"),
        ({"score": 1.5}, "score of a scored sample is 1.5"),
        ({"score": True}, "score is True"),
        ({"weight": -1}, "weight of a scored sample is -1"),
        ({"weight": float("inf")}, "weight is inf"),
        ({"steps": [{"step": "1", "credit": 1}]}, "a step is"),
    ],
)
def test_a_value_that_cannot_be_is_told(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_record(line(**fields))


def test_a_text_nested_too_deep_is_no_record() -> None:
    with pytest.raises(ValueError, match="too deep"):
        read_record("[" * 100_000)
