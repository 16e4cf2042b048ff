"""``summary.md``: the tables of the terminal, for a pull request or a job's page."""

from __future__ import annotations

from pytest_mmreason.reports import tables
from pytest_mmreason.reports.text import inert
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import Summary


def render(summary: Summary, settings: Settings) -> str:
    """The summary in GitHub's Markdown."""
    word, why = tables.verdict_text(summary)
    lines = [f"**{word}** {_safe(why)}", ""]
    for run in summary.runs:
        lines += [f"### {_safe(run.spec.model)} on {_safe(run.spec.benchmark.name)}", ""]
        detail = summary.details.get(run.spec.spec, "")
        lines += [
            f"- {name}: {_safe(value)}" for name, value in tables.facts(run, settings, detail)
        ]
        lines += ["", *_table(tables.main_table(run)), ""]
        lines += [
            f"- {title}: {_safe(' · '.join(items))}" for title, items in tables.row_lines(run)
        ]
        agreed = tables.agreement_text(run)
        lines += [f"- {agreed}"] if agreed else []
        if run.standing is not None and not run.standing.asked:
            lines += [f"- published: {_safe(' · '.join(tables.neighbours(run.standing)))}"]
        lines += [
            f"- {tables.counts_text(run, settings)}",
            f"- {tables.usage_text(run)}",
            "",
        ]
        if run.standing is not None and run.standing.asked:
            lines += [f"#### {_safe(tables.standing_title(run.standing))}", ""]
            lines += [*_table(tables.standing_table(run.standing)), ""]
            lines += [*(f"- {_safe(remark)}" for remark in run.standing.remarks), ""]
    if len(summary.runs) > 1:
        lines += ["### Side by side", "", *_table(tables.comparison(summary.runs)), ""]
    lines += [f"- note: {_safe(note)}" for note in summary.notes]
    lines += [f"- {tables.session_text(summary)}", ""]
    return "\n".join(lines)


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
    text = inert(text)
    for character in "\\`*_[]<>|#":
        text = text.replace(
            character,
            f"\\{character}" if character not in "<>" else {"<": "&lt;", ">": "&gt;"}[character],
        )
    return " ".join(text.split())
