"""The spread of judge runs."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mmreason.record import Record
from pytest_mmreason.spread import sd_of, spread


def record(sample: str, *scores: float | None, **more: Any) -> Record:
    values: dict[str, Any] = {"status": "scored", "scores": scores, "sd": sd_of(scores), **more}
    return Record("b", sample, "m", "j", "direct", 0, **values)


@pytest.mark.parametrize(
    ("scores", "sd"),
    [
        ((0.4, 0.6, 0.4, 0.6), 0.1),
        ((0.0, 1.0), 0.5),
        ((0.3, 0.3, 0.3), 0.0),
        ((0.0, None, 1.0), 0.5),
        ((0.5, None), None),
        ((0.5,), None),
        ((), None),
    ],
)
def test_sd_is_over_the_verdicts_that_there_are(
    scores: tuple[float | None, ...], sd: float | None
) -> None:
    assert sd_of(scores) == (None if sd is None else pytest.approx(sd, abs=1e-12))


def test_samples_whose_verdicts_lie_apart_are_told_the_widest_first() -> None:
    found = spread([record("a", 0.5, 0.9), record("b", 0.5, 0.5), record("c", 0.0, 1.0, 0.5)])
    assert found is not None
    assert [(one.sample, one.scores) for one in found.differing] == [
        ("c", (0.0, 1.0, 0.5)),
        ("a", (0.5, 0.9)),
    ]
    assert (found.n, found.mean_sd) == (3, pytest.approx((0.2 + (1 / 6) ** 0.5) / 3))


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (0.6, 0.9), (0.7, 1.0), (0.1, 0.4)])
def test_a_difference_of_just_the_limit_is_not_told(low: float, high: float) -> None:
    found = spread([record("a", low, high)])
    assert found is not None
    assert found.differing == []


def test_there_is_none_where_nothing_was_judged_twice() -> None:
    assert spread([]) is None
    assert spread([record("a", 0.5), record("b", 0.5, None)]) is None
    empty = record("c", 0.0, 0.0, sd=None, reason="empty answer")
    assert spread([empty, record("d", status="judge_error")]) is None
