"""How many samples show a drop, and what drop N samples show."""

from __future__ import annotations

import math
import random

import pytest

from pytest_mmreason import power
from tests.support.simulated import make_run, vet


def test_the_textbook_figures() -> None:
    # z(0.975) + z(0.8) = 1.95996 + 0.84162.
    assert power.z_sum() == pytest.approx(2.80158, abs=1e-5)
    assert power.needed(5, 0.5) == math.ceil((2.80158 * 10) ** 2) == 785
    assert power.visible(784.9, 0.5) == pytest.approx(5, abs=1e-3)
    assert power.chance(5, 785, 0.5) == pytest.approx(0.8, abs=1e-3)
    assert power.chance(0, 785, 0.5) == pytest.approx(0.025), "half of the two-sided level"
    assert power.needed(5, 0.5, rows=6) > 785, "the correction costs samples"


def test_half_the_drop_needs_four_times_the_samples() -> None:
    assert power.needed(2.5, 0.3) == pytest.approx(4 * power.needed(5, 0.3), abs=4)


def test_weights_are_in_the_spread() -> None:
    plain = power.spread_of([(1.0, value) for value in (0.0, 1.0) * 50])
    uneven = power.spread_of([(w, value) for w in (1.0, 2.0) for value in (0.0, 1.0) * 25])
    assert plain == pytest.approx(0.5)
    assert uneven == pytest.approx(0.5 * math.sqrt(2.5 / 1.5**2))
    assert power.spread_of([(1.0, 0.5)]) is None


def test_a_runs_own_spread_is_that_of_its_scores_or_of_two_runs_differences() -> None:
    rng = random.Random(0)
    places = vet()
    before = make_run(places, [rng.choice((0.0, 1.0)) for _ in places])
    after = make_run(places, [rng.choice((0.0, 1.0)) for _ in places])
    alone, both = power.row_spreads(before), power.row_spreads(before, after)
    assert [row.row for row in alone] == [row.row for row in both]
    assert alone[0].row == "overall" and alone[0].n == 218
    assert alone[0].sd == pytest.approx(0.5 * math.sqrt(0.5), abs=0.01)
    assert both[0].sd == pytest.approx(0.5 * math.sqrt(2), abs=0.06), "they do not correlate"
