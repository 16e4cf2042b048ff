"""Two runs, sample by sample: differences, their intervals, and what chance explains (pure).

The test is the exact sign-flip (Fisher-Pitman) test of the weighted differences. Of two
runs that are equally good either could have been the earlier, in each sample on its own:
so every pattern of signs of the differences is as likely as the one that was seen, and p is
the share of patterns whose sum is at least as far from 0. That holds for scores of any
shape, for ties, zeros and any weights, and for few samples, where a paired t test does not
(of three samples that lose the same it knows no spread and says p = 0; here p is 1/4), and
unlike signed ranks it tests the weighted mean that the row is. It needs no library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pytest_mmreason.gates import TOLERANCE, Gate
from pytest_mmreason.record import ERRORS, Record
from pytest_mmreason.scoring import (
    OVERALL,
    RowNames,
    confidence_interval,
    facets,
    sample_score,
    weighted_score,
)

GATED_KINDS = ("overall", "category", "complexity", "capability")
"""The kinds of rows that ``--mm-max-drop`` gates, and over which p is corrected."""

SIGNIFICANCE = 0.05
CORRECTION = "Holm"
TEST = "sign-flip"

UNIT = 0.005
"""Weighted differences are counted in these: a tenth of a weight of 1 or 1/2 is a whole number."""
MOST_ROUNDING = 0.02
"""Units become finer until rounding is no more than this, as a share of the sum's spread: many
small differences beside a large one count as what they are together."""
MOST_EXACT = 300
"""Beyond so many differing samples the normal distribution is near enough."""
LITTLE_WORK, MOST_WORK = 1e6, 2e9
"""Units times samples, squared: up to which they become finer in any case, and beyond which the
normal distribution stands in, too (some seconds)."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """What became of a row, over the samples that both runs scored.

    n:          those samples. before, after: its scores over them, 0-100.
    difference: after - before, in points. ci95: [lo, hi] around it by the closed form of
                :func:`~pytest_mmreason.scoring.confidence_interval`; None below two samples.
    p:          two-sided, of the sign-flip test. p_adjusted: after Holm's correction over the
                gated rows of the run; None for a row that no gate looks at.
    better, worse, same: samples by the sign of their difference.
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

    @property
    def is_significant(self) -> bool:
        """True if chance explains the difference no longer, at 5 % after the correction."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return p <= SIGNIFICANCE

    def drops_by_more(self, points: float) -> bool:
        """True if the row lost more than `points`, and significantly."""
        return self.difference < -points - TOLERANCE and self.is_significant


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
    """

    rows: Mapping[str, RowChange]
    samples: tuple[SampleChange, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    differing: tuple[Differing, ...] = ()
    errored: tuple[Unscored, ...] = ()

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
    return Comparison(
        rows={name: replace(row, p_adjusted=adjusted.get(name)) for name, row in rows.items()},
        # Stable: equal losses stay in the order of the benchmark.
        samples=tuple(sorted(changes.values(), key=_badness)),
        only_before=tuple(sample for sample in earlier if sample not in later),
        only_after=tuple(sample for sample in later if sample not in earlier),
        differing=tuple(differing),
        errored=tuple(errored),
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
    for name, row in found.rows.items():
        if row.p_adjusted is None:
            continue
        passed = not row.drops_by_more(max_drop)
        reason = ""
        if not passed:
            reason = (
                f"{name} lost {-row.difference:.1f} points, more than {max_drop:g} "
                f"(p {p_text(row.p_adjusted)})"
            )
        elif name == OVERALL:
            reason = (
                f"{name} {points_text(row.difference)} against the baseline, no row lost more "
                f"than {max_drop:g} points significantly"
            )
        gates.append(Gate(name, "max_drop", max_drop, -row.difference + 0.0, passed, reason))
    return gates


def p_text(p: float) -> str:
    """A probability for a person."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def points_text(points: float) -> str:
    """A difference in points for a person."""
    text = f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def sign_flip_p(differences: Sequence[float]) -> float:
    """Two-sided p of the sum of `differences` under flips of their signs.

    differences: weighted already, the weights at most 1. 1.0 if none differs. Exact up to
    MOST_EXACT of them, where it does not take too long. Rounding them to units does no harm
    to that: a rounded difference has either sign as often as the whole one.
    """
    differences = [value for value in differences if abs(value) > TOLERANCE]
    if not differences:
        return 1.0
    spread = math.hypot(*differences)
    normal = math.erfc(abs(math.fsum(differences)) / spread / math.sqrt(2))
    if len(differences) > MOST_EXACT:
        return normal
    unit = UNIT
    work = sum(map(abs, differences)) * len(differences) ** 2
    while work < LITTLE_WORK * unit or _rounding(differences, unit) > MOST_ROUNDING * spread:
        unit /= 10
    steps = [step for value in differences if (step := round(value / unit))]
    shared = math.gcd(*steps)
    steps = [step // shared for step in steps]
    # Flipping signs is choosing who is positive. The sum is furthest from 0 where the chosen
    # add up to little, or as little short of all.
    gains = sum(step for step in steps if step > 0)
    losses = sum(-step for step in steps if step < 0)
    if gains == losses:
        return 1.0
    if min(gains, losses) * len(steps) ** 2 > MOST_WORK:
        return normal
    few = _subsets_up_to(min(gains, losses), [abs(step) for step in steps])
    return few / (1 << len(steps) - 1)


def _rounding(differences: Sequence[float], unit: float) -> float:
    """How far rounding to units moves the sum of `differences`, or is a noise of its own."""
    errors = [round(value / unit) * unit - value for value in differences]
    return max(abs(math.fsum(errors)), math.hypot(*errors))


def _subsets_up_to(most: int, sizes: Sequence[int]) -> int:
    """How many subsets of `sizes`, whole numbers above 0, add up to at most `most`.

    The number of subsets of each sum is a digit of one long integer, which a further size
    adds to itself, moved by as many digits. At least one is not empty, so no digit overflows.
    """
    bits = len(sizes) + 1
    mask = (1 << (most + 1) * bits) - 1
    digits = 1
    for size in sizes:
        digits = (digits + (digits << size * bits)) & mask
    return digits % ((1 << bits) - 1)  # the sum of the digits


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
    )


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
