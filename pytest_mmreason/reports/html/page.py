"""What the report says of each run, ready for the template (no computing)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mmreason.record import ERRORS
from pytest_mmreason.reports import measured, tables
from pytest_mmreason.reports.tables import Table
from pytest_mmreason.reports.text import inert
from pytest_mmreason.scoring import Row, histogram, sample_score
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import RunResult, Summary, label

if TYPE_CHECKING:
    from pytest_mmreason.compare import RowChange

GROUPS = {
    "cell": "Category × complexity",
    "capability": "Capabilities",
    "integration": "Integrations of capabilities",
    "flag": "Kinds of samples",
    "tag": "Tags",
}
"""Kinds of rows that have a table of their own, and its title."""

MOST_ROWS = 40
"""Rows of one kind that are shown; summary.json has all."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A score as a bar on a scale of 0 to 100, its interval and the limits of its gates."""

    score: float
    interval: tuple[float, float] | None = None
    limits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """A table, and a bar for those of its rows that have a score: text of first cell -> bar."""

    table: Table
    bars: Mapping[str, Bar]
    title: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Compared:
    """A run against its baseline.

    bars, scale: text of a row's first cell -> its change, on a scale of -scale to +scale.
    changed: ("worse" or "better", [(sample, link to it, its scores), ...], how many more).
    lines:   what else is to be known, (name, items).
    """

    title: str
    method: str
    table: Table
    bars: Mapping[str, RowChange]
    scale: int
    changed: Sequence[tuple[str, Sequence[tuple[str, str, str]], int]]
    lines: Sequence[tuple[str, list[str]]]


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run.

    overall:   text of the overall score; "" where nothing was scored.
    counts:    (status, how many, whether it is an error).
    histogram: samples by tenth of their score, eleven numbers; empty where nothing was scored.
    how:       (name, value) of what was asked and how it was judged, in full.
    """

    label: str
    title: str
    run: RunResult
    overall: Row | None
    facts: Sequence[tuple[str, str]]
    how: Sequence[tuple[str, str]]
    counts: Sequence[tuple[str, int, bool]]
    counts_text: str
    usage: str
    main: Bars | None
    groups: Sequence[Bars]
    lines: Sequence[tuple[str, list[str]]]
    histogram: Sequence[int]
    standing: Bars | None
    compared: Compared | None


def run_pages(summary: Summary, settings: Settings) -> list[RunPage]:
    """A page for each run of `summary`."""
    return [_run_page(run, summary, settings) for run in summary.runs]


def _run_page(run: RunResult, summary: Summary, settings: Settings) -> RunPage:
    graded = run.agreement is not None
    several = len({other.spec.prompt for other in summary.runs}) > 1
    name = f"{run.spec.model} ({run.spec.prompt})" if several else run.spec.model
    title = f"{run.judge} on graded answers" if graded else f"{name} on {run.spec.benchmark.name}"
    bars = _bars(run)
    by_category = any(row.kind == "category" for row in run.rows.values())
    kinds = [kind for kind in GROUPS if by_category or kind != "capability"]
    groups = [_group(run, kind, bars) for kind in kinds]
    # Of an agreement nobody was asked anything: that the answers are of a subset is all there is.
    of_model = {k: v for k, v in run.asked.items() if not graded or k == "subset"}
    asked = {**of_model, **{f"judge's {k}": v for k, v in run.judging.items()}}
    lines = [line for line in tables.row_lines(run) if line[0] == "answer only"]
    if run.spread is not None:
        lines.append(("judge runs", measured.spread_items(run.spread)))
    return RunPage(
        label=label(run, summary.runs),
        title=title,
        run=run,
        overall=run.rows.get("overall"),
        facts=tables.facts(run, settings, summary.details.get(run.spec.spec, "")),
        how=[(name.replace("_", " "), _told(value)) for name, value in asked.items() if value],
        counts=[
            (status, number, status in ERRORS)
            for status, number in run.counts.items()
            if number and status != "collected"
        ],
        counts_text=tables.counts_text(run, settings),
        usage=tables.usage_text(run),
        main=None if graded else Bars(tables.main_table(run), bars),
        groups=[] if graded else [group for group in groups if group.table.rows],
        lines=lines,
        histogram=_histogram(run),
        standing=_standing(run),
        compared=_compared(run, summary),
    )


def _bars(run: RunResult) -> dict[str, Bar]:
    limits: dict[str, list[float]] = {}
    for gate in run.gates:
        if gate.kind == "threshold":
            limits.setdefault(gate.row, []).append(gate.limit)
    return {
        inert(name): Bar(row.score, row.ci95, tuple(limits.get(name, ())))
        for name, row in run.rows.items()
        if row.score is not None
    }


def _group(run: RunResult, kind: str, bars: Mapping[str, Bar]) -> Bars:
    rows = [row for row in run.rows.values() if row.kind == kind]
    if kind == "tag":
        rows = [row for row in rows if row.n > 1]
    shown = rows[:MOST_ROWS]
    return Bars(tables.row_table(shown), bars, GROUPS[kind], len(rows) - len(shown))


def _histogram(run: RunResult) -> tuple[int, ...]:
    repeats: dict[str, list[Any]] = {}
    for record in run.records:
        repeats.setdefault(record.sample, []).append(record)
    found = histogram(map(sample_score, repeats.values()))
    return found if any(found) else ()


def _standing(run: RunResult) -> Bars | None:
    """The run among the published results, a bar for each overall score."""
    standing = run.standing
    if standing is None:
        return None
    table = tables.standing_table(standing)
    bars = {}
    for line, row in zip(standing.lines, table.rows, strict=True):
        score = line.scores.get("overall")
        if score is not None:
            bars[row[1].text] = Bar(score)
    title = tables.standing_title(standing)
    return Bars(table, bars, title[:1].upper() + title[1:])


def _compared(run: RunResult, summary: Summary) -> Compared | None:
    if run.comparison is None or run.earlier is None:
        return None
    from pytest_mmreason.reports import compared

    found = run.comparison
    table = compared.changes(found, run.gates)
    rows = {inert(name): row for name, row in found.rows.items()}
    bars = {row[0].text: rows[row[0].text] for row in table.rows}
    ends = [abs(end) for bar in bars.values() for end in (bar.difference, *(bar.ci95 or ()))]
    number = next(n for n, other in enumerate(summary.runs) if other is run)
    changed = []
    for name, samples in (("worse", found.worse), ("better", found.better)):
        links = [
            (
                one.sample,
                # As the page's own links are; half a pair of surrogates is in no address.
                f"#sample={quote(one.sample, safe='', errors='replace')}&run={number}",
                f"{one.before:.2f} → {one.after:.2f}",
            )
            for one in samples[:MOST_ROWS]
        ]
        if links:
            changed.append((name, links, len(samples) - len(links)))
    return Compared(
        title=f"Compared {compared.title(run.earlier.named())}",
        method=compared.method(found, run.gates),
        table=table,
        bars=bars,
        scale=5 * math.ceil(max(ends, default=0) / 5) or 5,
        changed=changed,
        lines=[line for line in compared.lines(found) if line[0] not in ("worse", "better")],
    )


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=dict)
