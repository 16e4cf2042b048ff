"""How far the judge runs on one answer lie apart (pure)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pytest_mmreason.gates import TOLERANCE
from pytest_mmreason.record import SCORED, Record
from pytest_mmreason.scoring import deviation

LIMIT = 0.3
"""Verdicts on one answer that lie further apart (highest - lowest) are told."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A sample on which judge runs disagree: their scores and the spread, in [0, 1]."""

    sample: str
    repeat: int
    scores: tuple[float, ...]
    sd: float


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of judge runs over the `n` answers that were judged twice or more.

    mean_sd:   mean over the answers of the sd of their verdicts, in [0, 1].
    differing: those whose verdicts differ by more than LIMIT, the widest first.
    """

    n: int
    mean_sd: float
    differing: Sequence[Differing]

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        differing = [{**asdict(one), "scores": list(one.scores)} for one in self.differing]
        return {"n": self.n, "mean_sd": self.mean_sd, "limit": LIMIT, "differing": differing}


def sd_of(scores: Iterable[float | None]) -> float | None:
    """The standard deviation (ddof 0) of the verdicts that there are; None for fewer than two."""
    given = [score for score in scores if score is not None]
    return deviation(given) if len(given) > 1 else None


def spread(records: Iterable[Record]) -> Spread | None:
    """The spread of the judge runs; None if no answer was judged twice."""
    sds: list[float] = []
    found: list[Differing] = []
    for record in records:
        if record.status != SCORED or record.sd is None:
            continue
        sds.append(record.sd)
        given = tuple(score for score in record.scores if score is not None)
        if max(given) - min(given) > LIMIT + TOLERANCE:
            found.append(Differing(record.sample, record.repeat, given, record.sd))
    if not sds:
        return None
    found.sort(key=lambda one: min(one.scores) - max(one.scores))
    return Spread(len(sds), math.fsum(sds) / len(sds), found)
