"""How many samples show a drop, and what drop N samples show (pure).

A drop of D points is found with power 1 - b at level a where D = (z(1 - a/2) + z(1 - b)) * SE,
SE = 100 * sd / sqrt(n) being the standard error of a row's difference: the usual normal
approximation (for example Cohen, Statistical Power Analysis, 1988, chapter 2). The test that
is run, a sign-flip test, comes up to it where a score has a spread and samples are not few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from pytest_mmreason.compare import GATED_KINDS, SIGNIFICANCE, compare
from pytest_mmreason.record import Record
from pytest_mmreason.scoring import RowNames, facets, sample_score, weighted_score

POWER = 0.8

TYPICAL_SD = 0.3
"""Of the difference of a sample's scores in two runs of like models. Scores with a standard
deviation of 0.43 that correlate by 0.75 have it."""
TYPICAL_CORRELATION = 0.75
"""Of the scores of two like models. Two samplings of LLaVA-1.5-7B's answers to MM-Vet, both
graded by GPT-4, correlate by 0.86 (sd of the differences 0.23)."""


@dataclass(frozen=True, slots=True)
class RowSpread:
    """A row of `n` samples, and the standard deviation of their differences, in [0, 1]."""

    row: str
    n: int
    sd: float


def z_sum(rows: int = 1) -> float:
    """z(1 - a/2) + z(1 - b); `rows` are gated, of which Holm's first step corrects for all."""
    inverse = NormalDist().inv_cdf
    return inverse(1 - SIGNIFICANCE / rows / 2) + inverse(POWER)


def needed(drop: float, sd: float, rows: int = 1) -> int:
    """Samples that show a drop of `drop` points, where differences have the deviation `sd`."""
    return math.ceil((z_sum(rows) * 100 * sd / drop) ** 2 - 1e-9)


def visible(n: int, sd: float, rows: int = 1) -> float:
    """The drop in points that `n` samples show."""
    return z_sum(rows) * 100 * sd / math.sqrt(n)


def chance(drop: float, n: int, sd: float, rows: int = 1) -> float:
    """The power with which `n` samples show a drop of `drop` points."""
    normal = NormalDist()
    shift = drop * math.sqrt(n) / (100 * sd)
    return normal.cdf(shift - normal.inv_cdf(1 - SIGNIFICANCE / rows / 2))


def spread_of(values: Sequence[tuple[float, float]]) -> float | None:
    """The standard deviation per sample of a weighted mean of (weight, value), in [0, 1].

    sqrt(n) times the standard error: what the weights take away is in it. None below two.
    """
    mean = weighted_score(values)
    if mean is None or len(values) < 2:
        return None
    weight = math.fsum(w for w, _ in values)
    squares = math.fsum((w * (value - mean / 100)) ** 2 for w, value in values)
    return math.sqrt(len(values) * squares) / weight


def row_spreads(before: Sequence[Record], after: Sequence[Record] | None = None) -> list[RowSpread]:
    """The spread of each gated row: of the differences of two runs, or of what those are
    typically, from one run alone: its scores' times sqrt(2 (1 - TYPICAL_CORRELATION))."""
    samples: dict[str, list[Record]] = {}
    for record in before:
        samples.setdefault(record.sample, []).append(record)
    if after is None:
        factor = math.sqrt(2 * (1 - TYPICAL_CORRELATION))
        scores = {sample: sample_score(records) for sample, records in samples.items()}
    else:
        factor = 1.0
        scores = {one.sample: one.difference for one in compare(before, after).samples}
    members: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for sample, records in samples.items():
        score = scores.get(sample)
        if score is not None:
            for facet in facets(records[0]):
                members.setdefault(facet, []).append((records[0].weight, score))
    rows = []
    for (kind, value), name in RowNames(before).items():
        found = members.get((kind, value), [])
        spread = spread_of(found)
        if kind in GATED_KINDS and spread is not None:
            rows.append(RowSpread(name, len(found), factor * spread))
    return rows
