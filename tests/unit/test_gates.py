"""Gates: what passes, what fails, and which exit status follows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.errors import UsageError
from pytest_mmreason.gates import (
    Gate,
    Outcome,
    accounting_gate,
    check_thresholds,
    decide,
    error_gate,
    threshold_gates,
)
from pytest_mmreason.record import MODEL_ERROR, SCORED, STATUSES, Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import Row, RowNames
from pytest_mmreason.settings import ErrorQuota, Threshold

NAMES = {
    "mini": RowNames([Sample("a", "q", category="deductive"), Sample("b", "q", tags=("tag:x",))]),
    "other": RowNames([Sample("a", "q", category="spatial")]),
}


def row(name: str, score: float | None) -> Row:
    return Row(name, "overall", 1, int(score is not None), 1.0, score, None, None, ())


def gate(threshold: Threshold, score: float | None) -> Gate:
    name = threshold.row
    (found,) = threshold_gates([threshold], "mini", {name: row(name, score)}, NAMES)
    return found


@pytest.mark.parametrize("score, passed", [(60.0, True), (100.0, True), (59.9, False), (0, False)])
def test_threshold_passes_from_its_limit_upwards(score: float, passed: bool) -> None:
    found = gate(Threshold("overall", 60.0), score)
    assert (found.kind, found.row, found.limit) == ("threshold", "overall", 60.0)
    assert (found.actual, found.passed) == (score, passed)
    assert ("is at least 60" if passed else "is below 60") in found.reason


def test_rounding_alone_fails_no_gate() -> None:
    assert gate(Threshold("overall", 30.0), 100 * (0.1 + 0.2) - 1e-14).passed
    assert gate(Threshold("overall", 70.0), 100 * 0.7 - 1e-12).passed


def test_a_score_that_only_rounds_to_its_limit_is_shown_in_full() -> None:
    found = gate(Threshold("overall", 60.0), 59.98)
    assert not found.passed
    assert found.reason == "overall 59.98 is below 60"


def test_row_that_the_selection_left_empty_fails_and_says_so() -> None:
    (found,) = threshold_gates([Threshold("deductive", 0.0)], "mini", {}, NAMES)
    assert (found.passed, found.actual) == (False, None)
    assert "none of the selected samples" in found.reason


def test_row_with_nothing_scored_fails_even_a_threshold_of_zero() -> None:
    found = gate(Threshold("overall", 0.0), None)
    assert (found.passed, found.actual) == (False, None)
    assert "nothing scored" in found.reason


def test_row_may_name_its_benchmark() -> None:
    rows = {"overall": row("overall", 50.0)}
    threshold = [Threshold("mini:overall", 40.0)]
    assert [g.row for g in threshold_gates(threshold, "mini", rows, NAMES)] == ["overall"]
    assert threshold_gates(threshold, "other", rows, NAMES) == []


def test_bare_row_holds_for_every_benchmark_that_has_it() -> None:
    threshold = [Threshold("spatial", 40.0)]
    assert threshold_gates(threshold, "mini", {}, NAMES) == []
    assert len(threshold_gates(threshold, "other", {}, NAMES)) == 1
    check_thresholds(threshold, NAMES)


def test_colon_in_a_rows_own_name_is_no_benchmark() -> None:
    check_thresholds([Threshold("tag:x", 1.0), Threshold("mini:tag:x", 1.0)], NAMES)


@pytest.mark.parametrize(
    "name, near", [("deductiv", "'deductive'"), ("other:spatal", "'spatial'"), ("x9", "Known:")]
)
def test_unknown_row_is_a_usage_error_with_the_nearest_names(name: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_thresholds([Threshold(name, 1.0)], NAMES)
    message = str(caught.value)
    assert message.startswith("--mm-threshold: ") and repr(name) in message and near in message


def test_row_of_another_benchmark_is_unknown() -> None:
    with pytest.raises(UsageError, match="no row 'mini:spatial' in mini"):
        check_thresholds([Threshold("mini:spatial", 1.0)], NAMES)


def records(scored: int, errored: int, repeats: int = 1, reason: str = "broken") -> list[Record]:
    statuses = [SCORED] * scored + [MODEL_ERROR] * errored
    return [
        Record("b", f"s{i}", "m", "j", "direct", repeat, status, reason)
        for i, status in enumerate(statuses)
        for repeat in range(repeats)
    ]


@pytest.mark.parametrize(
    "quota, errored, passed",
    [
        (ErrorQuota(0), 1, False),
        (ErrorQuota(2), 2, True),
        (ErrorQuota(2), 3, False),
        (ErrorQuota(10, percent=True), 1, True),
        (ErrorQuota(10, percent=True), 2, False),
        (ErrorQuota(19.9, percent=True), 2, False),
        (ErrorQuota(0), 0, True),
        (None, 1, False),
    ],
)
def test_error_quota_is_a_count_or_a_percentage(
    quota: ErrorQuota | None, errored: int, passed: bool
) -> None:
    found = error_gate(records(10 - errored, errored), quota)
    assert found is not None
    assert (found.kind, found.actual, found.passed) == ("max_errors", float(errored), passed)
    assert "--mm-max-errors" in found.reason


def test_a_broken_quota_says_what_went_wrong_most() -> None:
    found = error_gate(records(7, 3), ErrorQuota(25, percent=True))
    assert found is not None
    assert found.reason == (
        "3 errored samples, 2 allowed (25 % of 10, --mm-max-errors); all model_error: broken"
    )
    assert found.limit == 2.5
    several = [*records(0, 2), *records(0, 1, reason="x" * 500 + "\nsecond line")]
    found = error_gate(several, None)
    assert found is not None
    assert found.reason.endswith("; 2 of them model_error: broken")
    found = error_gate(records(0, 1, reason="x" * 500 + "\nsecond line"), None)
    assert found is not None
    assert found.reason.endswith("x…") and len(found.reason) < 250
    within = error_gate(records(9, 1), ErrorQuota(1))
    assert within is not None and "broken" not in within.reason


def test_quota_counts_samples_and_not_their_repeats() -> None:
    found = error_gate(records(9, 1, repeats=3), ErrorQuota(1))
    assert found is not None and found.passed and found.actual == 1.0


def test_no_gate_is_made_of_no_quota_and_no_errors() -> None:
    assert error_gate(records(3, 0), None) is None


def test_lost_samples_fail_the_run() -> None:
    counts = {"collected": 2, **dict.fromkeys(STATUSES, 0), "scored": 2}
    assert accounting_gate(counts, 2) is None
    found = accounting_gate(counts, 3)
    assert found is not None and not found.passed
    assert (found.kind, found.limit, found.actual) == ("accounting", 3.0, 2.0)
    assert accounting_gate({}, 3) is not None


GOOD = Gate("overall", "threshold", 40.0, 50.0, True, "overall 50.0 is at least 40")
BAD = Gate("high", "threshold", 40.0, 30.0, False, "high 30.0 is below 40")


@pytest.mark.parametrize(
    "outcome, gates, status, words",
    [
        (Outcome(0, 0, 0), [], 0, "no gate was set"),
        (Outcome(0, 0, 0), [GOOD], 0, GOOD.reason),
        (Outcome(0, 0, 0), [GOOD, BAD], 1, BAD.reason),
        (Outcome(1, 2, 2), [GOOD], 0, GOOD.reason),
        (Outcome(1, 2, 2), [BAD], 1, BAD.reason),
        (Outcome(1, 3, 2), [GOOD], 1, "1 failed test"),
        (Outcome(1, 4, 2), [], 1, "2 failed tests"),
        (Outcome(1, 0, 0), [], 1, "pytest failed before the samples ended"),
        (
            Outcome(1, 1, 1, unreached=3),
            [GOOD],
            1,
            "the session ended before it reached 3 samples. "
            "Run the same command again: finished answers are kept",
        ),
        (
            Outcome(1, 1, 1, unreached=1, kept=False),
            [GOOD],
            1,
            "the session ended before it reached 1 sample. "
            "No answer was kept: another run begins anew",
        ),
        (Outcome(2, 0, 0), [GOOD], 2, "interrupted"),
        (Outcome(2, 1, 1), [BAD], 2, f"interrupted; {BAD.reason}"),
        (Outcome(3, 0, 0), [GOOD], 3, "pytest ended with 3"),
        (Outcome(4, 0, 0), [BAD], 4, f"pytest ended with 4; {BAD.reason}"),
        (Outcome(5, 0, 0), [], 5, "pytest ended with 5"),
        (Outcome(1, 1, 1, "the key is rejected"), [GOOD], 1, "the key is rejected"),
        (Outcome(0, 0, 0, "the key is rejected"), [], 1, "the key is rejected"),
    ],
)
def test_exit_status_and_the_sentence_that_decided_it(
    outcome: Outcome, gates: list[Gate], status: int, words: str
) -> None:
    assert decide(outcome, gates) == (status, words)


@given(
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.sampled_from([GOOD, BAD])),
)
def test_a_run_passes_only_if_every_gate_does_and_nothing_else_failed(
    exitstatus: int, failed: int, tolerable: int, gates: list[Gate]
) -> None:
    status, words = decide(Outcome(exitstatus, failed, min(failed, tolerable)), gates)
    assert words
    if status == 0:
        assert all(g.passed for g in gates)
        assert exitstatus == 0 or (exitstatus == 1 and 0 < failed <= tolerable)
    if exitstatus > 1:
        assert status == exitstatus
