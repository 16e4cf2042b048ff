"""From rows to gates, and from gates to the exit status (pure)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.errors import UsageError, nearest
from pytest_mmreason.record import Record
from pytest_mmreason.scoring import OVERALL, Row, RowNames
from pytest_mmreason.settings import ErrorQuota, Threshold

NO_GATE = "no gate was set"

TOLERANCE = 1e-9
"""A score that is below its limit by rounding alone passes."""

EXIT_OK, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, EXIT_NOTHING = 0, 1, 2, 4, 5


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition on a run.

    kind:   ``threshold`` (row score at least `limit`, 0-100), ``max_errors`` (errored
            samples at most `limit`), ``max_disagreement`` (mean |judge - reference| at
            most `limit`, 0-1), ``max_drop`` (the row lost at most `limit` points against the
            baseline, or not significantly more) or ``accounting`` (every collected sample has a status).
    actual: what was measured; None if the row holds nothing scored.
    reason: for a person; "" where other gates of the same kind say it.
    """

    row: str
    kind: str
    limit: float
    actual: float | None
    passed: bool
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        names = ("row", "kind", "limit", "actual", "passed")
        return {name: getattr(self, name) for name in names}


def split_row(row: str, benchmarks: Iterable[str]) -> tuple[str | None, str]:
    """(benchmark, row) of a threshold's ``BENCHMARK:ROW``; (None, row) without one."""
    head, found, tail = row.partition(":")
    return (head, tail) if found and head in set(benchmarks) else (None, row)


def check_thresholds(thresholds: Iterable[Threshold], names: Mapping[str, RowNames]) -> None:
    """UsageError with the nearest names if a threshold's row is in no benchmark."""
    for threshold in thresholds:
        benchmark, row = split_row(threshold.row, names)
        places = [names[benchmark]] if benchmark else list(names.values())
        if not any(row in place for place in places):
            known = {name for place in places for name in place.counts}
            raise UsageError(
                f"--mm-threshold: no row {threshold.row!r} in {benchmark or ', '.join(names)}. {nearest(row, known)}"
            )


def threshold_gates(
    thresholds: Iterable[Threshold],
    benchmark: str,
    rows: Mapping[str, Row],
    names: Mapping[str, RowNames],
) -> list[Gate]:
    """A gate for every threshold that names a row of `benchmark`."""
    gates = []
    for threshold in thresholds:
        wanted, name = split_row(threshold.row, names)
        if wanted not in {None, benchmark} or name not in names[benchmark]:
            continue
        row = rows.get(name)
        if row is None or row.score is None:
            gates.append(unmet(name, threshold.score, row))
            continue
        actual = row.score
        passed = actual >= threshold.score - TOLERANCE
        reason = f"{name} {actual:.1f} is {'at least' if passed else 'below'} {threshold.score:g}"
        if not passed and round(actual, 1) >= threshold.score:
            reason = f"{name} {actual!r} is below {threshold.score:g}"
        gates.append(Gate(name, "threshold", threshold.score, actual, passed, reason))
    return gates


def unmet(name: str, limit: float, row: Row | None = None) -> Gate:
    """The failed gate on a row without a score, or without any selected sample."""
    what = "holds none of the selected samples" if row is None else "holds nothing scored"
    reason = f"{name} {what}, so its threshold of {limit:g} cannot be met"
    return Gate(name, "threshold", limit, None, False, reason)


def error_gate(records: Sequence[Record], quota: ErrorQuota | None) -> Gate | None:
    """The quota of errored samples; None where none errored and no quota was asked for."""
    samples = {record.sample for record in records}
    errored = {record.sample for record in records if record.is_error}
    if quota is None and not errored:
        return None
    quota = quota or ErrorQuota()
    allowed = quota.allowed(len(samples))
    passed = len(errored) <= allowed + TOLERANCE
    noun = "sample" if len(errored) == 1 else "samples"
    share = f"{quota.limit:g} % of {len(samples)}, " if quota.percent else ""
    least = math.floor(allowed + TOLERANCE)
    reason = f"{len(errored)} errored {noun}, {least} allowed ({share}--mm-max-errors)"
    if not passed:
        reason += f"; {_commonest(records)}"
    return Gate(OVERALL, "max_errors", allowed, float(len(errored)), passed, reason)


_MOST_SAID = 160
"""Characters of a cause that a verdict repeats; the record has it whole."""


def _commonest(records: Iterable[Record]) -> str:
    """The cause that most errored records have."""
    causes = Counter(
        f"{record.status}: {(record.reason.strip().splitlines() or ['?'])[0]}"
        for record in records
        if record.is_error
    )
    cause, number = causes.most_common(1)[0]
    if len(cause) > _MOST_SAID:
        cause = f"{cause[: _MOST_SAID - 1]}…"
    total = sum(causes.values())
    return cause if total == 1 else f"{'all' if number == total else f'{number} of them'} {cause}"


def accounting_gate(counts: Mapping[str, int], expected: int) -> Gate | None:
    """A failed gate if some collected sample has no status; None if all is in order."""
    total = sum(n for name, n in counts.items() if name != "collected")
    if total == expected == counts["collected"]:
        return None
    reason = f"{expected} samples were collected but {total} ended in a status"
    return Gate(OVERALL, "accounting", float(expected), float(total), False, reason)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What pytest reported: its exit status, and how many failed reports were what.

    tolerable: failed reports that are errored samples and nothing else.
    stopped:   why the run was stopped for good (a rejected key, say), or "".
    unreached: samples that the session ended before reaching, under ``-x`` for example.
    kept:      finished answers are in the cache, and the next run has them.
    """

    exitstatus: int
    failed: int
    tolerable: int
    stopped: str = ""
    unreached: int = 0
    kept: bool = True


def decide(outcome: Outcome, gates: Sequence[Gate]) -> tuple[int, str]:
    """The exit status and the sentence that says what decided it.

    Errored samples fail their items; within --mm-max-errors they do not fail the run.
    pytest's own 2 to 5 stay what they are.
    """
    failed = [gate for gate in gates if not gate.passed]
    verdict = "; ".join(gate.reason for gate in failed)
    if outcome.stopped:
        return EXIT_FAILED, outcome.stopped
    if outcome.unreached and outcome.exitstatus in {EXIT_FAILED, EXIT_INTERRUPTED}:
        return outcome.exitstatus, _cut_short(outcome)
    if outcome.exitstatus not in {EXIT_OK, EXIT_FAILED}:
        what = (
            "interrupted"
            if outcome.exitstatus == EXIT_INTERRUPTED
            else f"pytest ended with {outcome.exitstatus}"
        )
        return outcome.exitstatus, f"{what}; {verdict}" if verdict else what
    if failed:
        return EXIT_FAILED, verdict
    if outcome.exitstatus == EXIT_FAILED and outcome.failed != outcome.tolerable:
        others = outcome.failed - outcome.tolerable
        return EXIT_FAILED, f"{others} failed {'test' if others == 1 else 'tests'}"
    if outcome.exitstatus == EXIT_FAILED and not outcome.failed:
        return EXIT_FAILED, "pytest failed before the samples ended"
    met = [gate.reason for gate in gates if gate.reason]
    return EXIT_OK, "; ".join(met) if met else NO_GATE


def _cut_short(outcome: Outcome) -> str:
    """Why the session ended early. Its gates saw a part of the samples, so they say nothing."""
    others = outcome.failed - outcome.tolerable
    parts = ["interrupted"] if outcome.exitstatus == EXIT_INTERRUPTED else []
    if others:
        parts.append(f"{others} failed {'test' if others == 1 else 'tests'}")
    noun = "sample" if outcome.unreached == 1 else "samples"
    parts.append(f"the session ended before it reached {outcome.unreached} {noun}")
    again = (
        "Run the same command again: finished answers are kept"
        if outcome.kept
        else "No answer was kept: another run begins anew"
    )
    return f"{'; '.join(parts)}. {again}"
