"""Two runs, sample by sample: differences, their intervals, and what chance explains (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pytest_mmreason.gates import TOLERANCE, Gate
from pytest_mmreason.record import ERRORS, UNJUDGED, Record
from pytest_mmreason.reports.text import count, inert
from pytest_mmreason.scoring import (
    OVERALL,
    RowNames,
    confidence_interval,
    facets,
    sample_score,
    weighted_score,
)
from pytest_mmreason.signflip import sign_flip_p

GATED_KINDS = ("overall", "category", "complexity", "capability")
"""The kinds of rows that ``--mm-max-drop`` gates, and over which p is corrected."""

SIGNIFICANCE = 0.05
CORRECTION = "Holm"
TEST = "sign-flip"

FEW = 0.5
"""A comparison of a smaller share of the run's samples says so wherever it is decided by it."""
MOST_NAMED = 5
"""Rows of too few samples that are named; every row's `least_p` is in the JSON."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """What became of a row, over the samples that both runs scored.

    n:          those samples. before, after: its scores over them, 0-100.
    difference: after - before, in points. ci95: [lo, hi] around it by the closed form of
                :func:`~pytest_mmreason.scoring.confidence_interval`; None below two samples.
    p:          two-sided, of the sign-flip test. p_adjusted: after Holm's correction over the
                gated rows of the run; None for a row that no gate looks at.
    better, worse, same: samples by the sign of their difference.
    able:       samples that could have lost: they count, and scored above 0 before.
    least_p:    p_adjusted if all of these had lost, in every row: no loss has a lower one.
                None for a row that no gate looks at.
    """

    row: str
    n: int
    before: float
    after: float
    difference: float
    ci95: tuple[float, float] | None
    p: float
    p_adjusted: float | None
    better: int
    worse: int
    same: int
    able: int
    least_p: float | None = None

    @property
    def is_significant(self) -> bool:
        """True if chance explains the difference no longer, at 5 % after the correction."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return p <= SIGNIFICANCE

    def drops_by_more(self, points: float) -> bool:
        """True if the row lost more than `points`, and significantly."""
        return self.exceeds(points) and self.is_significant

    def exceeds(self, points: float) -> bool:
        """True if the row lost more than `points`, whether or not by chance."""
        return self.difference < -points - TOLERANCE

    def is_blind(self, points: float = 0.0) -> bool:
        """True if more than `points` may be lost, and no loss of any size would be significant."""
        return self.least_p is not None and self.before > points and self.least_p > SIGNIFICANCE


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A sample's score in both runs, in [0, 1], and what it counts."""

    sample: str
    before: float
    after: float
    weight: float = 1.0

    @property
    def difference(self) -> float:
        """After - before, in [-1, 1]."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Unscored:
    """A sample of both runs that an error left without a score in one of them, or in both."""

    sample: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Differing:
    """Something beside the model in which the runs differ.

    what: the word of ``--mm-allow-different``. text: what it is in both, for a person.
    """

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against an earlier one.

    rows:    by name, in the order of the tables. samples: of both runs, worst first.
    only_before, only_after: ids that the other run does not hold.
    differing: what differs beside the model, and was allowed to.
    errored: samples that are left out because an error took a score away.
    of: how many samples of the later run have a reference, whether or not they are compared.
    """

    rows: Mapping[str, RowChange]
    samples: tuple[SampleChange, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    differing: tuple[Differing, ...] = ()
    errored: tuple[Unscored, ...] = ()
    of: int = 0

    @property
    def covers(self) -> str:
        """``2 of 158 samples`` where few of the run's are compared; "" where most are."""
        some = len(self.samples)
        return f"{some:,} of {count(self.of, 'sample')}" if some < FEW * self.of else ""

    def doubts(self, points: float = 0.0) -> list[str]:
        """What a gate that allows a loss of `points` cannot see, for a person."""
        blind = [row for row in self.rows.values() if row.is_blind(points)]
        found = [f"the comparison is on {self.covers} of the run"] if self.covers else []
        whole = next((row for row in blind if row.row == OVERALL), None)
        if whole is not None:
            return [*found, too_few(whole)]
        if blind:
            names = [f"{inert(row.row)} ({row.n:,})" for row in blind[:MOST_NAMED]]
            names += ["…"] if len(blind) > MOST_NAMED else []
            found.append(f"too few samples for any loss to be significant: {', '.join(names)}")
        return found

    @property
    def worse(self) -> list[SampleChange]:
        """Samples that lost, the worst first."""
        return [one for one in self.samples if one.difference < -TOLERANCE]

    @property
    def better(self) -> list[SampleChange]:
        """Samples that gained, the best first."""
        return [one for one in reversed(self.samples) if one.difference > TOLERANCE]

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        rows = {
            name: {k: v for k, v in asdict(row).items() if k != "row"}
            for name, row in self.rows.items()
        }
        for row in rows.values():
            row["ci95"] = list(row["ci95"]) if row["ci95"] else None
        return {
            "test": TEST,
            "correction": CORRECTION,
            "samples": len(self.samples),
            "of": self.of,
            "doubts": self.doubts(),
            "rows": rows,
            "worse": [asdict(one) for one in self.worse],
            "better": [asdict(one) for one in self.better],
            "errored": [asdict(one) for one in self.errored],
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
            "differing": [asdict(one) for one in self.differing],
        }


def compare(
    before: Sequence[Record],
    after: Sequence[Record],
    names: RowNames | None = None,
    differing: Sequence[Differing] = (),
) -> Comparison:
    """`after` against `before`, each the records of one run.

    names: of the whole benchmark's rows; of the records of `after` if None. Rows and weights
    are those of `after`. Errored samples are never 0 here: they are left out and told.
    Samples without reference are in no row.
    """
    names = names or RowNames(after)
    earlier, later = _by_sample(before), _by_sample(after)
    changes: dict[str, SampleChange] = {}
    errored = []
    for sample, records in later.items():
        if sample not in earlier:
            continue
        old, new = sample_score(earlier[sample]), sample_score(records)
        if old is not None and new is not None:
            changes[sample] = SampleChange(sample, old, new, records[0].weight)
        elif ERRORS & {record.status for record in (*earlier[sample], *records)}:
            errored.append(Unscored(sample, _status(earlier[sample]), _status(records)))
    members: dict[tuple[str, str], list[SampleChange]] = {}
    for sample, change in changes.items():
        for facet in facets(later[sample][0]):
            members.setdefault(facet, []).append(change)
    rows: dict[str, RowChange] = {}
    gated: dict[str, float] = {}
    for (kind, value), name in names.items():
        if any(one.weight for one in members.get((kind, value), ())):
            row = _row_change(name, members[kind, value])
            rows[name] = row
            if kind in GATED_KINDS:
                gated[name] = row.p
    adjusted = dict(zip(gated, holm(list(gated.values())), strict=True))
    # Of all that can be lost at once every p is the least, and Holm's method keeps their order.
    least = holm([_least_p(rows[name].able) for name in gated])
    for name, lowest in zip(gated, least, strict=True):
        rows[name] = replace(rows[name], p_adjusted=adjusted[name], least_p=lowest)
    return Comparison(
        rows=rows,
        # Stable: equal losses stay in the order of the benchmark.
        samples=tuple(sorted(changes.values(), key=_badness)),
        only_before=tuple(sample for sample in earlier if sample not in later),
        only_after=tuple(sample for sample in later if sample not in earlier),
        differing=tuple(differing),
        errored=tuple(errored),
        of=sum(any(r.status != UNJUDGED for r in records) for records in later.values()),
    )


def overall_change(before: Sequence[Record], after: Sequence[Record]) -> RowChange | None:
    """The row ``overall`` alone, p not corrected; None if no sample is scored in both."""
    earlier = _by_sample(before)
    members = []
    for sample, records in _by_sample(after).items():
        old, new = sample_score(earlier.get(sample, ())), sample_score(records)
        if old is not None and new is not None:
            members.append(SampleChange(sample, old, new, records[0].weight))
    return _row_change(OVERALL, members) if any(one.weight for one in members) else None


def drop_gates(found: Comparison, max_drop: float) -> list[Gate]:
    """A gate for each gated row: `max_drop` points may be lost, or more by chance alone.

    `actual` is what the row lost, in points. The row ``overall`` says it for all that pass.
    """
    if OVERALL not in found.rows:
        reason = "no sample was scored in both runs, so that --mm-max-drop cannot be met"
        return [Gate(OVERALL, "max_drop", max_drop, None, False, reason)]
    gates = []
    covers = f" on {found.covers}" if found.covers else ""
    some_fail = any(
        row.p_adjusted is not None and row.drops_by_more(max_drop) for row in found.rows.values()
    )
    for name, row in found.rows.items():
        if row.p_adjusted is None:
            continue
        passed = not row.drops_by_more(max_drop)
        reason = ""
        if not passed:
            reason = (
                f"{name} lost {-row.difference:.1f} points{covers}, more than {max_drop:g} "
                f"(p {p_text(row.p_adjusted)})"
            )
        elif name == OVERALL:
            reason = f"{name} {points_text(row.difference)} against the baseline{covers}, "
            reason += (
                f"no significant loss of more than {max_drop:g}"
                if some_fail
                else f"no row lost more than {max_drop:g} points significantly"
            )
            if row.is_blind(max_drop):
                reason += f": {too_few(row)}"
        gates.append(Gate(name, "max_drop", max_drop, -row.difference + 0.0, passed, reason))
    return gates


def too_few(row: RowChange) -> str:
    """Why no loss of `row` is significant, for a person."""
    some = count(row.n, "sample")
    if row.able < row.n:
        some = f"{row.able:,} of {some} that scored above 0 before"
    return f"{some} {'is' if row.able == 1 else 'are'} too few for any loss to be significant"


def p_text(p: float) -> str:
    """A probability for a person."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def points_text(points: float) -> str:
    """A difference in points for a person."""
    text = f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def holm(values: Sequence[float]) -> list[float]:
    """`values`, p of as many tests, corrected by Holm's step-down method (Holm, 1979)."""
    adjusted = [1.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


def _row_change(name: str, members: Sequence[SampleChange]) -> RowChange:
    gains = [(one.weight, one.difference) for one in members]
    before = weighted_score([(one.weight, one.before) for one in members])
    after = weighted_score([(one.weight, one.after) for one in members])
    difference = weighted_score(gains)
    assert before is not None and after is not None and difference is not None
    heaviest = max(weight for weight, _ in gains)
    better = sum(gain > TOLERANCE for _, gain in gains)
    worse = sum(gain < -TOLERANCE for _, gain in gains)
    return RowChange(
        row=name,
        n=len(members),
        before=before,
        after=after,
        difference=difference,
        ci95=confidence_interval(gains),
        p=sign_flip_p([weight / heaviest * gain for weight, gain in gains]),
        p_adjusted=None,
        better=better,
        worse=worse,
        same=len(members) - better - worse,
        able=sum(one.weight > 0 and one.before > TOLERANCE for one in members),
    )


def _least_p(able: int) -> float:
    """p where `able` samples lose, whatever each: of all patterns of signs, theirs and its mirror
    are as far from 0."""
    return min(1.0, 2.0 ** (1 - able))


def _badness(change: SampleChange) -> tuple[float, float]:
    return round(change.difference, 9), -change.weight


def _by_sample(records: Sequence[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.sample, []).append(record)
    return found


def _status(records: Sequence[Record]) -> str:
    """How a sample ended: of its repeats, the first that is an error tells."""
    return next((r.status for r in records if r.is_error), records[0].status)
