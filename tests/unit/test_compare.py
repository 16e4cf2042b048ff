"""Two runs, sample by sample: what differs, and what chance explains."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_mmreason import compare
from pytest_mmreason.compare import drop_gates, holm
from pytest_mmreason.record import MODEL_ERROR, SCORED, UNJUDGED, Record
from pytest_mmreason.reports import compared


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
    said = {gate.row: (gate.passed, gate.reason) for gate in drop_gates(found, 15)}
    assert not said["deductive"][0]
    passed, reason = said["overall"]
    assert passed and reason.endswith("baseline, no significant loss of more than 15"), (
        "that no row lost so much would be wrong"
    )


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
        "able", "least_p",
    }  # fmt: skip
    assert data["worse"][0] == {"sample": "s0", "before": 0.5, "after": 0.0, "weight": 2.0}
    assert data["correction"] == "Holm"


@pytest.mark.parametrize(
    ("samples", "blind"),
    [
        (5, True),  # 2/2**5 is more than 5 % even without a correction
        (6, True),  # of five rows overall is the first, whose p counts five times: 5 * 2/2**6
        (8, False),  # 5 * 2/2**8 < 5 %
    ],
)
def test_too_few_samples_for_any_loss_are_told(samples: int, blind: bool) -> None:
    before = [record(n, 1.0) for n in range(samples)]
    after = [record(n, 0.0) for n in range(samples)]
    found = compare.compare(before, after)
    overall = found.rows["overall"]
    assert overall.able == samples
    assert overall.least_p == overall.p_adjusted, "everything was lost"
    assert overall.is_blind(2) is blind is (not overall.is_significant)
    told = f"{samples} samples are too few for any loss to be significant"
    (gate,) = [one for one in drop_gates(found, 2) if one.row == "overall"]
    assert gate.passed is blind
    assert (told in gate.reason) is blind
    assert (told in found.doubts()) is blind
    assert found.to_json()["doubts"] == found.doubts()


def test_a_row_that_cannot_lose_more_than_is_allowed_is_not_blind() -> None:
    before = [record(n, 0.0) for n in range(5)]
    found = compare.compare(before, before)
    assert found.rows["overall"].able == 0 and not found.doubts()
    assert "too few" not in drop_gates(found, 0)[0].reason


def test_samples_that_scored_nothing_before_can_lose_nothing() -> None:
    before = [record(n, 1.0 if n < 3 else 0.0) for n in range(40)]
    found = compare.compare(before, [record(n, 0.0) for n in range(40)])
    told = "3 of 40 samples that scored above 0 before are too few for any loss to be significant"
    assert told in found.doubts()
    assert told in drop_gates(found, 2)[0].reason
    assert "too few" not in drop_gates(found, 20)[0].reason, "no such loss is possible"


def test_small_rows_beside_a_whole_that_sees_are_named() -> None:
    before = [record(n, 1.0, category="rare" if n < 3 else "often") for n in range(60)]
    found = compare.compare(before, before)
    assert found.doubts() == ["too few samples for any loss to be significant: rare (3)"]
    assert "too few" not in drop_gates(found, 0)[0].reason


def test_a_comparison_of_few_of_the_runs_samples_says_so() -> None:
    run = [record(n, 1.0) for n in range(158)]
    unjudged = [record(n, None, status=UNJUDGED) for n in range(158, 400)]
    found = compare.compare(run[:2], [*run, *unjudged])
    assert found.of == 158
    assert "on 2 of 158 samples" in drop_gates(found, 2)[0].reason
    assert "the comparison is on 2 of 158 samples of the run" in found.doubts()
    found = compare.compare(run[:79], run)
    assert not found.covers and " on " not in drop_gates(found, 2)[0].reason
    lost = compare.compare(run[:70], [record(n, 0.0) for n in range(158)])
    assert "lost 100.0 points on 70 of 158 samples, more than 2" in drop_gates(lost, 2)[0].reason


def test_a_small_change_is_shown_with_the_digits_that_tell_it() -> None:
    before = [record(1, 0.333), record(2, 0.5), record(3, 0.5)]
    after = [record(1, 0.334), record(2, 0.75), record(3, 0.50001)]
    told = dict(compared.lines(compare.compare(before, after)))
    assert told["better"] == ["s2 0.50 → 0.75", "s1 0.333 → 0.334", "s3 0.5000 → 0.5000"]
