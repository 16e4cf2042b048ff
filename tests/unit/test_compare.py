"""Two runs, sample by sample: what differs, and what chance explains."""

from __future__ import annotations

import itertools
import json
import math
import random
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason import compare
from pytest_mmreason.compare import holm, sign_flip_p
from pytest_mmreason.record import MODEL_ERROR, SCORED, UNJUDGED, Record


def record(number: int, score: float | None, **fields: object) -> Record:
    """A record of sample `number`; without a score it is errored."""
    category, complexity = (
        ("deductive", "abductive")[number % 2],
        ("moderate", "high")[number % 3 == 0],
    )
    values: dict[str, object] = {
        "benchmark": "made",
        "sample": f"s{number}",
        "model": "m",
        "judge": "local",
        "prompt": "direct",
        "repeat": 0,
        "status": SCORED if score is not None else MODEL_ERROR,
        "score": score,
        "scores": () if score is None else (score,),
        "category": category,
        "complexity": complexity,
        "weight": 2.0 if complexity == "high" else 1.0,
        **fields,
    }
    return Record(**values)  # type: ignore[arg-type]


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
    assert sign_flip_p(differences) == pytest.approx(brute_force_p(differences), abs=0.06)


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
    monkeypatch.setattr(compare, "MOST_EXACT", 100)
    assert 0.001 < exact < 0.2
    assert sign_flip_p(differences) == pytest.approx(exact, rel=0.03)
    assert sign_flip_p(differences) != exact, "the other way was taken"


def test_holm_corrects_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_rows_are_over_the_samples_that_both_scored_with_their_weights() -> None:
    before = [record(n, 1.0) for n in range(6)]
    after = [record(0, 0.5), record(1, None), record(2, 1.0), record(3, 1.0), record(7, 1.0)]
    found = compare.compare(before, after)
    overall = found.rows["overall"]
    assert overall.n == 3
    # Samples 0 and 3 are high, weight 2.
    assert (overall.before, overall.after) == (100.0, pytest.approx(80.0))
    assert overall.difference == pytest.approx(-20.0)
    assert (overall.better, overall.worse, overall.same) == (0, 1, 2)
    assert found.only_before == ("s4", "s5")
    assert found.only_after == ("s7",)
    assert found.errored == (compare.Unscored("s1", SCORED, MODEL_ERROR),)
    assert "high" in found.rows and found.rows["high"].n == 2


def test_samples_are_listed_worst_first_and_equals_in_order() -> None:
    scores = [0.5, 1.0, 0.0, 0.0, 1.0, 0.2]
    found = compare.compare(
        [record(n, 0.5) for n in range(6)], [record(n, s) for n, s in enumerate(scores)]
    )
    assert [one.sample for one in found.samples] == ["s3", "s2", "s5", "s0", "s1", "s4"]
    assert [one.sample for one in found.worse] == ["s3", "s2", "s5"], "of equals the heavier first"
    assert [one.sample for one in found.better] == ["s4", "s1"]


def test_a_run_against_itself_differs_in_nothing() -> None:
    records = [record(n, n % 11 / 10) for n in range(40)]
    found = compare.compare(records, records)
    for row in found.rows.values():
        assert (row.difference, row.p, row.better, row.worse) == (0.0, 1.0, 0, 0)
        assert row.ci95 in (None, (0.0, 0.0))
        assert not row.drops_by_more(0)
    assert not found.worse and not found.better


def test_ten_planted_drops_fail_their_row_alone() -> None:
    before = [record(n, 1.0) for n in range(100)]
    after = [
        replace(one, score=0.0, scores=(0.0,)) if n % 2 == 0 and n < 20 else one
        for n, one in enumerate(before)
    ]
    found = compare.compare(before, after)
    assert {one.sample for one in found.samples[:10]} == {f"s{n}" for n in range(0, 20, 2)}
    deductive, abductive = found.rows["deductive"], found.rows["abductive"]
    assert deductive.drops_by_more(5) and deductive.worse == 10
    assert abductive.difference == 0 and not abductive.drops_by_more(0)
    assert not deductive.drops_by_more(50), "it is significant, but no such drop"


def test_p_is_corrected_over_the_gated_rows_alone() -> None:
    before = [record(n, 1.0, tags=("odd",)) for n in range(30)]
    after = [record(n, 0.0 if n < 8 else 1.0, tags=("odd",)) for n in range(30)]
    rows = compare.compare(before, after).rows
    gated = {name for name, row in rows.items() if row.p_adjusted is not None}
    assert gated == {"overall", "deductive", "abductive", "moderate", "high"}
    assert rows["overall"].p_adjusted == 5 * rows["overall"].p
    assert rows["odd"].p_adjusted is None and rows["odd"].p == rows["overall"].p


def test_unjudged_samples_and_rows_of_no_weight_are_in_no_row() -> None:
    before = [
        record(0, None, status=UNJUDGED),
        record(1, 1.0),
        record(2, 1.0, category="x", weight=0.0),
    ]
    found = compare.compare(before, before)
    assert found.rows["overall"].n == 2
    assert "x" not in found.rows
    assert not found.errored


def test_repeats_are_averaged_and_errors_among_them_told() -> None:
    before = [record(0, 1.0), record(0, 0.0, repeat=1)]
    after = [record(0, 1.0), record(0, None, repeat=1)]
    found = compare.compare(before, after)
    assert found.samples[0].before == 0.5 and found.samples[0].after == 1.0
    assert found.errored == ()


def test_json_is_strict_and_holds_everything() -> None:
    found = compare.compare(
        [record(n, 0.5) for n in range(4)], [record(n, n / 4) for n in range(4)]
    )
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert data["rows"]["overall"]["n"] == 4
    assert set(data["rows"]["overall"]) == {
        "n", "before", "after", "difference", "ci95", "p", "p_adjusted", "better", "worse", "same",
    }  # fmt: skip
    assert data["worse"][0] == {"sample": "s0", "before": 0.5, "after": 0.0, "weight": 2.0}
    assert data["correction"] == "Holm"
