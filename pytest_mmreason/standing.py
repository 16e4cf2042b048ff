"""Where a run stands among the published results (pure).

A rank is given only where the scores are of the same thing: the official samples, all of
them scored, and an overall score made by the benchmark's own formula. What is not ranked is
shown, and why is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mmreason.benchmarks.official import digest
from pytest_mmreason.published import ALTERED, EVERYTHING, Published, chosen
from pytest_mmreason.published import Row as PublishedRow
from pytest_mmreason.record import ERRORS
from pytest_mmreason.scoring import OVERALL, Row

FULL = "full"


@dataclass(frozen=True, slots=True)
class Line:
    """A published result, or the run's own.

    rank:   from 1, among those ranked; equal scores share one. None if it is not ranked.
    scores: row name -> 0-100; None where a row has no score.
    """

    name: str
    scores: Mapping[str, float | None]
    sources: tuple[str, ...] = ()
    revision: int | None = None
    is_own: bool = False
    is_ranked: bool = True
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A run among published results.

    asked:   False where nobody asked for more than the neighbours.
    columns: row names of the scores; digits: decimals that they are compared and shown with.
    lines:   the highest score first. remarks: what a reader of the ranks must know.
    """

    title: str
    judge: str
    asked: bool
    columns: tuple[str, ...]
    digits: int
    lines: tuple[Line, ...]
    remarks: tuple[str, ...]

    @property
    def own(self) -> Line:
        """The run's own line."""
        return next(line for line in self.lines if line.is_own)

    @property
    def ranked(self) -> int:
        """How many lines are ranked."""
        return sum(line.rank is not None for line in self.lines)

    @property
    def neighbours(self) -> list[Line]:
        """The ranked results next below and above the run's own, and the best, ascending."""
        ranked = [line for line in reversed(self.lines) if line.rank is not None]
        place = ranked.index(self.own)
        near = {place - 1, place + 1, len(ranked) - 1} - {place}
        return [line for index, line in enumerate(ranked) if index in near]

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        return {
            "title": self.title,
            "rank": self.own.rank,
            "of": self.ranked,
            "rows": [
                {
                    "name": line.name,
                    "own": line.is_own,
                    "rank": line.rank,
                    "scores": dict(line.scores),
                    "sources": list(line.sources),
                    "revision": line.revision,
                }
                for line in self.lines
            ],
            "notes": list(self.remarks),
        }


@dataclass(frozen=True, slots=True)
class Ran:
    """What is to be known of a run.

    version: of its benchmark. samples: the ids of its records.
    asked:   how it was asked; see :func:`~pytest_mmreason.asking.provenance`.
    """

    judge: str
    version: str
    samples: Iterable[str]
    rows: Mapping[str, Row]
    counts: Mapping[str, int]
    asked: Mapping[str, Any] = field(default_factory=dict)


def stand(published: Published, ran: Ran, wanted: Sequence[str] = ()) -> Standing | None:
    """The standing of a run among the results that `wanted` names.

    Where nothing is wanted, among the main results, and None unless the run can be ranked.
    """
    ids = digest([sample] for sample in set(ran.samples))
    name = next((name for name, s in published.sets.items() if s.ids == ids), FULL)
    samples = published.sets[name]
    rows = [row for row in published.rows if row.set == name]
    title = published.title + (f" ({name} subset)" if name != FULL else "")
    found: dict[str, PublishedRow] = {}
    absent = []
    for text in wanted or (EVERYTHING,):
        named = chosen(rows, samples.main, text)
        found |= {row.label: row for row in named}
        absent += [] if named else [f"no published result on {title} is named {text!r}"]
    reason = _reason(ran, samples.samples)
    if reason and not wanted:
        return None
    own = Line(
        "this run",
        {c: ran.rows[c].score for c in published.columns if c in ran.rows},
        is_own=True,
        is_ranked=not reason and any(not row.fault for row in found.values()),
    )
    others = [
        Line(
            row.label,
            {c: row.scores[c] for c in published.columns if c in row.scores},
            row.sources,
            row.revision,
            is_ranked=not row.fault,
        )
        for row in found.values()
    ]
    return Standing(
        title,
        published.judge,
        bool(wanted),
        published.columns,
        published.digits,
        _ranked([own, *others], published.digits),
        (
            *([f"this run is not ranked: {reason}"] if reason else []),
            f"published scores were graded by {published.judge}; this run's by {ran.judge}",
            *filter(None, [published.caution]),
            *_of_revisions(found.values(), samples.samples[OVERALL]),
            *_of_faults(found.values()),
            *absent,
        ),
    )


def _ranked(lines: Iterable[Line], digits: int) -> tuple[Line, ...]:
    """`lines` by falling score with their ranks; scores are compared as they are printed."""

    def score(line: Line) -> float:
        value = line.scores.get(OVERALL)
        return -1.0 if value is None else round(value, digits)

    ordered = sorted(lines, key=score, reverse=True)
    ranked = [score(line) for line in ordered if line.is_ranked]
    return tuple(
        replace(line, rank=1 + sum(other > score(line) for other in ranked))
        if line.is_ranked
        else line
        for line in ordered
    )


def _reason(ran: Ran, samples: Mapping[str, int]) -> str:
    """Why a run cannot be compared with results on `samples`; "" if it can."""
    if ran.version == ALTERED:
        return "its benchmark file is not as published"
    if ran.asked.get("images") in ("none", "captions"):
        return "its images were not sent"
    if ran.asked.get("icl"):
        return "its questions followed worked examples"
    collected, wanted = ran.rows[OVERALL].n, samples[OVERALL]
    if collected != wanted:
        return f"it covers {collected} of the {wanted} samples"
    for name, number in samples.items():
        here = ran.rows[name].n if name in ran.rows else 0
        if here != number:
            return f"{here} of its samples are {name}, not {number}"
    errors = sum(ran.counts[status] for status in ERRORS)
    if errors:
        return f"{errors} of its {ran.counts['collected']} answers ended in an error"
    scored = ran.rows[OVERALL].scored
    return f"{wanted - scored} of its {wanted} samples have no score" if scored < wanted else ""


def _of_revisions(rows: Iterable[PublishedRow], current: int) -> list[str]:
    """A remark for each other revision of the benchmark that `rows` are of."""
    found = [row.revision for row in rows if row.revision not in (None, current)]
    return [
        f"{found.count(revision)} rows are of an earlier revision of {revision} samples"
        for revision in dict.fromkeys(found)
    ]


def _of_faults(rows: Iterable[PublishedRow]) -> list[str]:
    """A remark for each fault of `rows`, naming the rows that have it."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        labels.setdefault(row.fault, []).append(row.label)
    return [f"not ranked: {' · '.join(named)}: {fault}" for fault, named in labels.items() if fault]
