"""The p of a comparison: the share of patterns of signs that are as far from 0."""

from __future__ import annotations

import itertools
import math
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason import signflip
from pytest_mmreason.signflip import sign_flip_p


def brute_force_p(differences: list[float]) -> float:
    """The sign-flip test by its definition."""
    told = [d for d in differences if d]
    seen = abs(math.fsum(told)) - 1e-9
    sums = [
        abs(math.fsum(sign * d for sign, d in zip(signs, told, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(told))
    ]
    return sum(total >= seen for total in sums) / len(sums)


@given(
    st.lists(st.tuples(st.integers(-10, 10), st.sampled_from([0.5, 1.0])), min_size=0, max_size=10)
)
def test_p_is_that_of_every_pattern_of_signs(pairs: list[tuple[int, float]]) -> None:
    differences = [tenth / 10 * weight for tenth, weight in pairs]
    assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-12)


@given(st.lists(st.floats(-1, 1), max_size=60))
def test_p_is_a_probability_and_does_not_know_the_direction(differences: list[float]) -> None:
    p = sign_flip_p(differences)
    assert 0 < p <= 1
    assert p == sign_flip_p([-d for d in differences]) == sign_flip_p(differences[::-1])


def test_p_of_many_samples_is_counted_without_error() -> None:
    rng = random.Random(5)
    tenths = [rng.choice((-1, 1)) * rng.randint(1, 20) for _ in range(150)]
    counts = {0: 1}
    for tenth in tenths:
        after: dict[int, int] = {}
        for total, number in counts.items():
            for signed in (total + tenth, total - tenth):
                after[signed] = after.get(signed, 0) + number
        counts = after
    far = sum(number for total, number in counts.items() if abs(total) >= abs(sum(tenths)))
    assert sign_flip_p([tenth / 20 for tenth in tenths]) == far / 2**150


def test_equal_losses_of_few_samples_are_not_certain() -> None:
    assert sign_flip_p([-1.0] * 3) == 0.25
    assert sign_flip_p([-0.003] * 3) == 0.25, "however small they are"
    assert sign_flip_p([-1.0] * 10) == 2 / 1024
    assert sign_flip_p([0.0] * 10) == sign_flip_p([]) == 1.0


def test_many_small_losses_count_beside_a_large_gain() -> None:
    assert sign_flip_p([-0.002] * 200 + [0.06]) < 1e-12
    assert sign_flip_p([0.0024] * 100 + [-0.06] * 6) > 0.2


@given(
    st.lists(
        st.tuples(st.integers(-100, 100), st.sampled_from([1e-2, 1e-3, 1e-4])),
        min_size=1,
        max_size=8,
    )
)
def test_p_of_few_samples_is_exact_however_unequal_they_are(pairs: list[tuple[int, float]]) -> None:
    differences = [count * size for count, size in pairs]
    assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-12)


@given(
    st.lists(
        st.tuples(st.integers(-30, 30), st.sampled_from([1, 1 / 2, 1 / 7])), min_size=1, max_size=12
    ),
    st.sampled_from([2, 3, 6, 7]),
)
def test_p_of_means_of_several_judge_runs_is_exact(
    pairs: list[tuple[int, float]], runs: int
) -> None:
    differences = [weight * tenths / 10 / runs for tenths, weight in pairs]
    assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-12)


@given(st.lists(st.floats(-1, 1).filter(lambda d: d == 0 or abs(d) > 1e-6), max_size=12))
def test_p_of_few_scores_of_any_size_is_exact(differences: list[float]) -> None:
    assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-3)


def test_thirds_of_many_samples_tie_as_they_do() -> None:
    # The sum is 0 exactly in thirds, and never after rounding.
    assert sign_flip_p([1 / 3, 1 / 3, -2 / 3] * 60) == 1.0


def test_thirds_of_many_samples_take_no_longer_than_other_scores() -> None:
    start = time.process_time()
    assert 0 < sign_flip_p([(-1) ** (n % 5) * (n % 3 + 1) / 3.003 for n in range(300)]) < 0.01
    assert time.process_time() - start < 10


def test_many_samples_are_judged_by_the_normal_distribution_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(1)
    drawn = [rng.choice((0.1, 0.3, 0.5, 1.0)) * rng.choice((0.5, 1.0)) for _ in range(250)]
    differences = [size * (1 if rng.random() < 0.42 else -1) for size in drawn]
    exact = sign_flip_p(differences)
    monkeypatch.setattr(signflip, "MOST_EXACT", 100)
    assert 0.001 < exact < 0.2
    assert sign_flip_p(differences) == pytest.approx(exact, rel=0.03)
    assert sign_flip_p(differences) != exact, "the other way was taken"
