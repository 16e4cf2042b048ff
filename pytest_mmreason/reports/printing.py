"""The summary as lines of a terminal: lowest samples, tables, counts, verdict."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_mmreason.gates import EXIT_INTERRUPTED
from pytest_mmreason.ledger import Ledger
from pytest_mmreason.record import Record
from pytest_mmreason.reports import explaining, tables
from pytest_mmreason.reports.text import encodable, inert, no_command
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import RunResult, Summary, label, lowest

if TYPE_CHECKING:
    from pytest_mmreason.agreement import Agreement
    from pytest_mmreason.compare import Comparison
    from pytest_mmreason.gates import Gate
    from pytest_mmreason.standing import Standing


class Printer:
    """Prints through `writer`, a TerminalWriter of pytest's."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def summary(
        self, summary: Summary, ledger: Ledger, settings: Settings, renamed: Mapping[str, str]
    ) -> None:
        """Lowest samples, tables, counts and the verdict.

        renamed: value -> marker name, where they differ.
        """
        if not summary.runs:
            self._annotate(summary)
            if summary.unrecorded:  # they cost something all the same
                self.line(f"mmreason: {tables.session_text(summary)}")
            self.line(f"mmreason: {summary.verdict}")
            return
        agreed = [run.agreement for run in summary.runs if run.agreement is not None]
        if summary.exit != EXIT_INTERRUPTED:
            for found in agreed:
                self._disagreements(found)
            if not agreed:
                self._lowest(summary, ledger, settings.show)
        for run in summary.runs:
            self._run(summary, run, settings)
        if len(summary.runs) > 1:
            self._section("mmreason: side by side")
            width = self._writer.fullwidth - 1
            side_by_side = tables.fitted(tables.comparison(summary.runs), width)
            self.table(tables.narrowed(side_by_side, width))
            self._pairs(summary)
        self.markers(" ", renamed)
        for note in summary.notes:
            if note not in summary.cautions:
                self.folded(f" note: {inert(note)}", indent=7)
        self.line(f" {tables.session_text(summary)}")
        for caution in summary.cautions:
            self.folded(f" caution: {inert(caution)}", indent=10, yellow=True)
        self._annotate(summary)
        written = f" · results in {settings.output}" if settings.output else ""
        self.verdict(summary.exit, summary.verdict, written)

    def _pairs(self, summary: Summary) -> None:
        """Which runs are better than which, and whether chance explains it."""
        if summary.pairs:
            from pytest_mmreason.reports import compared

            self.line("")
            table = compared.pairs_table(summary.pairs, summary.runs)
            # Names that cannot be shortened are folded: the numbers are what the table is for.
            self.table(tables.fitted(table, self._writer.fullwidth - 1, names=2))
            if left := compared.pairs_left(summary.pairs):
                self.line(f" {left}")

    def verdict(self, status: int, why: str, more: str = "") -> None:
        """PASS or FAIL, and what decided it."""
        word, why = tables.verdict_text(status, why)
        mood = {"green": True} if word == "PASS" else {"red": True}
        self._write(f" {word}  {why}{more}", bold=True, **mood)

    def markers(self, start: str, renamed: Mapping[str, str]) -> None:
        """Which values are called otherwise as markers."""
        if renamed:
            pairs = ", ".join(f"{inert(value)!r} as {name}" for value, name in renamed.items())
            self.line(f"{start}markers: {pairs}")

    def line(self, text: str) -> None:
        """One line, as it is."""
        self._write(text)

    def folded(self, text: str, indent: int, **markup: bool) -> None:
        """A long line, folded between words."""
        width = max(40, self._writer.fullwidth - 1)
        for line in textwrap.wrap(
            text,
            width,
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
            break_long_words=False,
        ):
            self._write(line, **markup)

    def _run(self, summary: Summary, run: RunResult, settings: Settings) -> None:
        if run.agreement is not None:
            self._agreement(run, run.agreement, settings)
            return
        several = len({other.spec.prompt for other in summary.runs}) > 1
        model = f"{run.spec.model} ({run.spec.prompt})" if several else run.spec.model
        self._section(f"mmreason: {inert(model)} on {inert(run.spec.benchmark.name)}")
        for name, value in tables.facts(run, settings, summary.details.get(run.spec.spec, "")):
            self.folded(f" {name:10} {value}", indent=12)
        self.line("")
        self.table(tables.main_table(run))
        for title, items in tables.row_lines(run):
            self._wrapped(title, items)
        if run.spread is not None:
            from pytest_mmreason.reports import measured

            self._wrapped("judge runs", measured.spread_items(run.spread))
        if run.standing is not None and not run.standing.asked:
            self._wrapped("published", tables.neighbours(run.standing))
        self.line(f" {tables.counts_text(run, settings)}")
        self.folded(f" {tables.usage_text(run)}", indent=3)
        if run.standing is not None and run.standing.asked:
            self._standing(run.standing)
        if run.comparison is not None and run.earlier is not None:
            self.line("")
            self.comparison(run.comparison, run.gates, run.earlier.named())

    def comparison(
        self, found: Comparison, gates: Sequence[Gate], before: str, after: str = ""
    ) -> None:
        """A run against an earlier one; `before` and `after` are what they are called."""
        from pytest_mmreason.reports import compared

        self._write(f" {compared.title(before, after)}", bold=True)
        width = self._writer.fullwidth - 1
        self.table(tables.narrowed(compared.changes(found, gates), width))
        self.folded(f" {compared.method(found, gates)}", indent=3)
        for title, items in compared.lines(found):
            if title in ("note", "differing", "left out"):  # sentences, longer than a line
                self.folded(f" {title:11}  {' · '.join(items)}", indent=14)
            else:
                self._wrapped(title, items)

    def _agreement(self, run: RunResult, found: Agreement, settings: Settings) -> None:
        """What was measured of the judge."""
        from pytest_mmreason.reports import measured

        self._section(f"mmreason: {inert(run.judge)} on graded answers")
        for name, value in tables.facts(run, settings):
            self.folded(f" {name:10} {value}", indent=12)
        self.line("")
        self.table(measured.distances(found))
        self.line("")
        self.table(measured.confusion(found))
        self.line("")
        self.folded(f" {measured.headline(found)}", indent=3)
        if left_out := measured.left_out_text(found):
            self.folded(f" {left_out}", indent=3)
        if items := measured.published_items(found):
            self._wrapped(measured.published_title(found), items)
        if run.spread is not None:
            self._wrapped("judge runs", measured.spread_items(run.spread))
        self.line(f" {tables.counts_text(run, settings)}")
        self.folded(f" {tables.usage_text(run)}", indent=3)

    def _disagreements(self, found: Agreement) -> None:
        """The answers on which judge and reference are furthest apart."""
        if not found.largest:
            return
        from pytest_mmreason.reports.measured import disagreement_title

        self._section("mmreason: largest disagreements")
        for one in found.largest:
            self.line(f" {disagreement_title(one)}")
            texts = {
                "question": one.question,
                "answer": one.answer,
                "reference": one.expected,
                "why": one.rationale,
            }
            self._told([explaining.Part(n, explaining.cut(t, 400)) for n, t in texts.items()])

    def _standing(self, standing: Standing) -> None:
        """The run among published results."""
        self.line("")
        self._write(f" {tables.standing_title(standing)}", bold=True)
        width = self._writer.fullwidth - 1
        self.table(tables.narrowed(tables.standing_table(standing), width))
        for remark in standing.remarks:
            self.folded(f" {inert(remark)}", indent=3)

    def _lowest(self, summary: Summary, ledger: Ledger, wanted: int) -> None:
        found = (
            lowest([record for run in summary.runs for record in run.records], wanted)
            if wanted
            else []
        )
        if not found:
            return
        self._section("mmreason: lowest samples" if len(found) > 1 else "mmreason: lowest sample")
        samples = {
            (run.benchmark.name, sample.id): sample
            for run in ledger.plan.runs
            for sample in run.benchmark.samples
        }
        for place, record in enumerate(found):
            if place:
                self.line("")
            sample = samples[record.benchmark, record.sample]
            whole = ledger.whole(record)
            of = f"  ({inert(_run_name(record, summary))})" if len(summary.runs) > 1 else ""
            self._write(f" {explaining.title(record)}{of}", bold=True)
            self._told(explaining.explanation(whole, sample))

    def _told(self, parts: Sequence[explaining.Part]) -> None:
        """What is to be said of a sample, below its title."""
        for line in explaining.folded(parts, self._writer.fullwidth - 1, indent=3):
            self.line(line)

    def _annotate(self, summary: Summary) -> None:
        """Tell GitHub of what failed, where it listens."""
        from pytest_mmreason.reports import github

        if github.is_a_job():
            for command in github.commands(summary):
                self._writer.line(encodable(command, sys.stdout))

    def _section(self, title: str) -> None:
        self._writer.sep("=", encodable(title, sys.stdout), bold=True)

    def _wrapped(self, title: str, items: list[str]) -> None:
        """Items joined by dots, broken between items where the terminal ends."""
        width = max(40, self._writer.fullwidth - 1)
        line = f" {title:11}  "
        indent, fresh = len(line), True
        for item in items:
            piece = item if fresh else f" · {item}"
            if not fresh and len(line) + len(piece) > width:
                self.line(line)
                line, piece = " " * indent, item
            line, fresh = line + piece, False
        self.line(line)

    def table(self, table: tables.Table) -> None:
        """A table, as wide as the terminal at most."""
        for line in render(table, self._writer.fullwidth - 1, self._writer.hasmarkup):
            self.line(f" {line}" if line else "")

    def _write(self, text: str, **markup: bool) -> None:
        self._writer.line(encodable(no_command(text), sys.stdout), **markup)


def _run_name(record: Record, summary: Summary) -> str:
    """What tells the run of a record from the others of its session."""
    of = (record.benchmark, record.model, record.prompt)
    runs = summary.runs
    return next(
        label(run, runs)
        for run in runs
        if (run.spec.benchmark.name, run.spec.model, run.spec.prompt) == of
    )


def render(table: tables.Table, width: int, colour: bool) -> list[str]:
    """The lines of a table, by rich, at most `width` characters wide."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    styles = {"good": "green", "bad": "bold red", "own": "bold", "": ""}
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for header, numeric in zip(table.headers, table.numeric, strict=True):
        grid.add_column(Text(header), justify="right" if numeric else "left", overflow="fold")
    for number, row in enumerate(table.rows):
        total = table.has_total and number == len(table.rows) - 1
        style = "bold" if total else ""
        grid.add_row(*(Text(cell.text, style=styles[cell.mood] or style) for cell in row))
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        legacy_windows=False,
    )
    console.print(grid)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]
