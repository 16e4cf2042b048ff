"""Few rounds, with a fixed seed, of what ``python perf/comparison.py`` simulates at length."""

from __future__ import annotations

import pytest

from tests.support.simulated import compare_often, coverage, infimm, vet

ROUNDS = 120


@pytest.mark.parametrize("places", [infimm(), vet()], ids=["infimm-eval", "mm-vet"])
def test_equally_good_runs_fail_no_more_often_than_in_a_twentieth(places: list) -> None:
    found = compare_often(places, 0.0, ROUNDS, seed=1)
    assert found.failed <= 0.05 * ROUNDS
    assert found.covered >= 0.9 * ROUNDS
    assert abs(sum(found.differences) / ROUNDS) < 0.6, "neither is better"


def test_a_drop_of_five_points_is_found_as_often_as_theory_allows() -> None:
    found = compare_often(infimm(), 5.0, ROUNDS, seed=2)
    assert sum(found.differences) / ROUNDS == pytest.approx(-5, abs=0.6), "as it was planted"
    assert 0.5 < found.theory < 0.7
    assert found.found / ROUNDS >= found.theory - 0.09
    assert found.gated / ROUNDS >= found.theory_gated - 0.09
    assert found.gated < found.found, "the correction costs something"


@pytest.mark.parametrize("places", [infimm(), vet()], ids=["infimm-eval", "mm-vet"])
def test_intervals_of_a_whole_benchmark_hold_the_truth(places: list) -> None:
    assert coverage(places, 2000, seed=3) == pytest.approx(0.95, abs=0.02)
