"""``summary.md``: the tables of the terminal, for a pull request or a job's page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_mmreason.agreement import Agreement
from pytest_mmreason.reports import measured, tables
from pytest_mmreason.reports.text import inert
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import RunResult, Summary

if TYPE_CHECKING:
    from pytest_mmreason.compare import Comparison
    from pytest_mmreason.gates import Gate


def render(summary: Summary, settings: Settings) -> str:
    """The summary in GitHub's Markdown."""
    word, why = tables.verdict_text(summary.exit, summary.verdict)
    lines = [f"**{word}** {_safe(why)}", ""]
    for run in summary.runs:
        if run.agreement is not None:
            lines += _agreement(run, run.agreement, settings)
            continue
        lines += [f"### {_safe(run.spec.model)} on {_safe(run.spec.benchmark.name)}", ""]
        detail = summary.details.get(run.spec.spec, "")
        lines += [
            f"- {name}: {_safe(value)}" for name, value in tables.facts(run, settings, detail)
        ]
        lines += ["", *_table(tables.main_table(run)), ""]
        lines += [
            f"- {title}: {_safe(' · '.join(items))}" for title, items in tables.row_lines(run)
        ]
        lines += _spread(run)
        if run.standing is not None and not run.standing.asked:
            lines += [f"- published: {_safe(' · '.join(tables.neighbours(run.standing)))}"]
        lines += [
            f"- {tables.counts_text(run, settings)}",
            f"- {_safe(tables.usage_text(run))}",
            "",
        ]
        if run.standing is not None and run.standing.asked:
            lines += [f"#### {_safe(tables.standing_title(run.standing))}", ""]
            lines += [*_table(tables.standing_table(run.standing)), ""]
            lines += [*(f"- {_safe(remark)}" for remark in run.standing.remarks), ""]
        if run.comparison is not None and run.earlier is not None:
            lines += _comparison(run.comparison, run.gates, run.earlier.named())
    if len(summary.runs) > 1:
        lines += ["### Side by side", "", *_table(tables.comparison(summary.runs)), ""]
        lines += _pairs(summary)
    lines += [f"- note: {_safe(note)}" for note in summary.notes]
    lines += [f"- {_safe(tables.session_text(summary))}", ""]
    return "\n".join(lines)


def _agreement(run: RunResult, found: Agreement, settings: Settings) -> list[str]:
    """What was measured of the judge."""
    title, items = measured.published_title(found), measured.published_items(found)
    remarks = [measured.headline(found), measured.left_out_text(found)]
    remarks += [f"{title}: {' · '.join(items)}"] if items else []
    lines = [f"### {_safe(run.judge)} on graded answers", ""]
    lines += [f"- {name}: {_safe(value)}" for name, value in tables.facts(run, settings)]
    lines += ["", *_table(measured.distances(found)), "", *_table(measured.confusion(found)), ""]
    lines += [f"- {_safe(remark)}" for remark in remarks if remark]
    lines += _spread(run)
    lines += [f"- {tables.counts_text(run, settings)}", f"- {_safe(tables.usage_text(run))}", ""]
    if found.largest:
        lines += ["#### Largest disagreements", "", *_table(measured.disagreements(found)), ""]
    return lines


def _comparison(found: Comparison, gates: Sequence[Gate], before: str) -> list[str]:
    """The run against the baseline."""
    from pytest_mmreason.reports import compared

    lines = [f"#### {_safe(compared.title(before))}", "", *_table(compared.changes(found, gates))]
    lines += ["", f"- {_safe(compared.method(found, gates))}"]
    lines += [f"- {title}: {_safe(' · '.join(items))}" for title, items in compared.lines(found)]
    return [*lines, ""]


def _pairs(summary: Summary) -> list[str]:
    """The runs in pairs."""
    if not summary.pairs:
        return []
    from pytest_mmreason.reports import compared

    left = compared.pairs_left(summary.pairs)
    table = _table(compared.pairs_table(summary.pairs, summary.runs))
    return [*table, "", *([left, ""] if left else [])]


def _spread(run: RunResult) -> list[str]:
    items = measured.spread_items(run.spread) if run.spread else []
    return [f"- judge runs: {_safe(' · '.join(items))}"] if items else []


def _table(table: tables.Table) -> list[str]:
    ruler = ["---:" if numeric else "---" for numeric in table.numeric]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if table.has_total and rows:
        rows[-1] = [f"**{text}**" if text.strip() else "" for text in rows[-1]]
    return [_row([_safe(h) for h in table.headers]), _row(ruler), *map(_row, rows)]


def _cell(cell: tables.Cell) -> str:
    text = _safe(cell.text)
    return f"**{text}**" if cell.mood == "own" and text else text


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _safe(text: str) -> str:
    """`text` that Markdown and HTML take as it stands."""
    return " ".join(_SPECIAL.sub(_escape, inert(text)).split())


_SPECIAL = re.compile(r"[\\`*_\[\]|#~$!&<>@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@&#8203;"}
"""After an @ a space without width, or GitHub calls whoever has that name."""


def _escape(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], f"\\{found[0]}")
