"""What a person sees in the terminal: header, letters, tables, verdict."""

from __future__ import annotations

import io
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mmreason.options import only_looks
from pytest_mmreason.record import Record
from pytest_mmreason.reports import tables
from pytest_mmreason.reports.live import LiveLine
from pytest_mmreason.reports.text import count, encodable, inert
from pytest_mmreason.summary import RunResult, Summary, lowest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mmreason.session import OwnerSession

STOPPED = "mmreason: "


class Terminal:
    """The terminal of the process that owns the run."""

    def __init__(self, config: pytest.Config, session: OwnerSession) -> None:
        self._config = config
        self._session = session
        self._reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        self.live = LiveLine(config, session)
        self._unused = ""
        self._planned: Mapping[str, int] | None = None

    def header(self) -> list[str]:
        """Model, judge and benchmark, for pytest's header."""
        plan, settings = self._session.plan, self._session.settings
        lines = []
        for benchmark in {run.benchmark.name: run.benchmark for run in plan.runs}.values():
            chosen, total = len(plan.selected[benchmark.name]), len(benchmark.samples)
            samples = (
                count(total, "sample")
                if chosen == total
                else f"{chosen} of {count(total, 'sample')}"
            )
            version = f" {benchmark.version}" if benchmark.version else ""
            lines.append(
                f"benchmark {benchmark.name}{version} · {samples} · {benchmark.fingerprint}"
            )
        models = ", ".join(dict.fromkeys(run.shown for run in plan.runs))
        lines.append(f"model {models} · prompt {', '.join(settings.prompt)} · judge {plan.judge}")
        lines += self._session.warnings
        return [encodable(inert(f"mmreason: {line}"), sys.stdout) for line in lines]

    def take(self, report: Any) -> None:
        """The ledger hears of a report and its record."""
        ledger = self._session.ledger
        if ledger is None:
            return
        text = getattr(report, "mmreason", None)
        record = ledger.add(text, report.nodeid) if text and report.outcome != "rerun" else None
        if text:
            # pytest keeps every report; the ledger has what it needs of this one.
            report.mmreason = ""
        ledger.note_report(
            report.nodeid, report.when, report.outcome, bool(record and record.is_error)
        )

    def status(self, report: Any) -> tuple[str, str, Any] | None:
        """(category, letter, word) of a report that carries a record."""
        shown = getattr(report, "mmreason_shown", None)
        if (
            shown is None
            or report.outcome not in {"passed", "failed"}
            or hasattr(report, "wasxfail")
        ):
            return None
        letter, word = shown
        if report.outcome == "failed":
            # An errored sample shows its status; any other failed as a test fails.
            return ("failed", "E", (word, {"red": True})) if letter == "E" else None
        return "passed", letter, (word, {"green": letter == ".", "yellow": letter != "."})

    def unified(self, exitstatus: int, session: pytest.Session) -> tuple[int, str]:
        """pytest's exit status, the same under xdist as without, and why the run was stopped.

        xdist turns whatever stops it into an interruption, exit 2; plain pytest exits 1
        on ``--maxfail`` and where a run is stopped because it cannot succeed.
        """
        reason = str(session.shouldfail or "")
        controller: Any = self._config.pluginmanager.getplugin("dsession")
        if controller is not None and controller.shouldstop:
            reason = reason or str(controller.shouldstop)
        stopped = ""
        if reason.startswith(STOPPED):
            stopped = self._session.stopped or reason.removeprefix(STOPPED)
        if exitstatus == pytest.ExitCode.INTERRUPTED and (
            stopped or reason.startswith("stopping after")
        ):
            return int(pytest.ExitCode.TESTS_FAILED), stopped
        return exitstatus, stopped

    def plan_calls(self, session: pytest.Session) -> None:
        """Remember, under ``--collect-only``, how many calls a run would make."""
        from pytest_mmreason.collection import selection_of

        selection = selection_of(session.items)
        if selection:
            self._planned = self._session.expected_calls(selection)

    def note_unused(self, session: pytest.Session) -> bool:
        """Hear that nothing was evaluated. True if the command line set a gate that so was not met.

        An ini file may name a model for sessions that are about other tests; who names one
        on the command line is told why nothing came of it.
        """
        option = self._config.option
        if only_looks(self._config) or not (option.mm_model or option.mm_agreement):
            return False
        if not session.testscollected and not session.testsfailed:
            return False
        self._unused = (
            "no sample was evaluated: no selected test asks for one. The bundled suite stays out "
            "where the command line names a path, unless --mm-benchmark=NAME stands beside it"
        )
        if option.mm_threshold:
            self._unused += "; so no --mm-threshold was met"
        return bool(option.mm_threshold)

    def print_summary(self, renamed_markers: Callable[[], Mapping[str, str]]) -> None:
        """Lowest samples, tables, counts and the verdict.

        renamed_markers: value -> marker name; called only where samples were collected.
        """
        if self._reporter is None:
            return
        if self._planned is not None:
            calls = " and ".join(
                count(number, f"{role} call") for role, number in self._planned.items()
            )
            self._reporter.write_line(
                f"mmreason: a run would make {calls}, fewer where the cache knows the answer"
            )
            self._print_markers("mmreason: ", renamed_markers())
        if self._session.fault:
            self._line(f"ERROR: {inert(self._session.fault, keep_newlines=True)}")
        if self._unused:
            self._folded(f"mmreason: {self._unused}", indent=10)
        summary = self._session.summary
        if summary is None:
            return
        if not summary.runs:
            self._line(f"mmreason: {summary.verdict}")
            return
        if summary.exit != pytest.ExitCode.INTERRUPTED:
            self._print_lowest(summary)
        for run in summary.runs:
            self._print_run(summary, run)
        if len(summary.runs) > 1:
            self._section("mmreason: side by side")
            self._table(tables.comparison(summary.runs))
        self._print_markers(" ", renamed_markers())
        for note in summary.notes:
            self._folded(f" note: {inert(note)}", indent=7)
        self._line(f" {tables.session_text(summary)}")
        word, why = tables.verdict_text(summary)
        output = self._session.settings.output
        written = f" · results in {output}" if output else ""
        mood = {"green": True} if word == "PASS" else {"red": True}
        self._reporter.write_line(
            encodable(f" {word}  {why}{written}", sys.stdout), bold=True, **mood
        )

    def _print_run(self, summary: Summary, run: RunResult) -> None:
        settings = self._session.settings
        self._section(f"mmreason: {inert(run.spec.model)} on {inert(run.spec.benchmark.name)}")
        for name, value in tables.facts(run, settings, summary.details.get(run.spec.spec, "")):
            self._line(f" {name:10} {value}")
        self._line("")
        self._table(tables.main_table(run))
        for title, items in tables.row_lines(run):
            self._wrapped(title, items)
        agreed = tables.agreement_text(run)
        if agreed:
            self._line(f" {agreed}")
        self._line(f" {tables.counts_text(run, settings)}")
        self._line(f" {tables.usage_text(run)}")

    def _print_lowest(self, summary: Summary) -> None:
        wanted, ledger = self._session.settings.show, self._session.ledger
        found = (
            lowest([record for run in summary.runs for record in run.records], wanted)
            if wanted
            else []
        )
        if not found or ledger is None:
            return
        self._section("mmreason: lowest samples" if len(found) > 1 else "mmreason: lowest sample")
        samples = {
            (run.benchmark.name, sample.id): sample
            for run in self._session.plan.runs
            for sample in run.benchmark.samples
        }
        for record in found:
            sample = samples[record.benchmark, record.sample]
            whole = ledger.whole(record)
            self._line(
                f" {record.score:.2f}  {inert(record.sample)}"
                + (f"  ({inert(record.model)})" if len(summary.runs) > 1 else "")
            )
            for line in explanation(whole, sample.question, sample.answer):
                self._folded(f"       {line}", indent=18)

    def _print_markers(self, start: str, renamed: Mapping[str, str]) -> None:
        if renamed:
            pairs = ", ".join(f"{inert(value)!r} as {name}" for value, name in renamed.items())
            self._line(f"{start}markers: {pairs}")

    def _section(self, title: str) -> None:
        self._reporter.write_sep("=", encodable(title, sys.stdout), bold=True)

    def _line(self, text: str) -> None:
        self._reporter.write_line(encodable(text, sys.stdout))

    def _folded(self, text: str, indent: int) -> None:
        """A long line, folded between words."""
        width = max(40, self._reporter._tw.fullwidth - 1)
        for line in textwrap.wrap(
            text, width, subsequent_indent=" " * indent, break_on_hyphens=False
        ):
            self._line(line)

    def _wrapped(self, title: str, items: list[str]) -> None:
        """Items joined by dots, broken between items where the terminal ends."""
        width = max(40, self._reporter._tw.fullwidth - 1)
        line = f" {title:11} "
        indent, fresh = len(line), True
        for item in items:
            piece = item if fresh else f" · {item}"
            if not fresh and len(line) + len(piece) > width:
                self._line(line)
                line, piece = " " * indent, item
            line, fresh = line + piece, False
        self._line(line)

    def _table(self, table: tables.Table) -> None:
        writer = self._reporter._tw
        for line in render(table, writer.fullwidth - 1, writer.hasmarkup):
            self._line(f" {line}" if line else "")


def render(table: tables.Table, width: int, colour: bool) -> list[str]:
    """The lines of a table, by rich, at most `width` characters wide."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    styles = {"good": "green", "bad": "bold red", "": ""}
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


def explanation(record: Record, question: str, answer: str | None) -> list[str]:
    """Why a sample scored what it did: question, answer, reference, the judge's words."""
    lines = [
        f"question   {inert(question, limit=300)}",
        f"answer     {inert(record.response or '', limit=400)}",
        f"reference  {inert(answer or '', limit=300)}",
    ]
    why = record.rationale or record.reason
    if why:
        lines.append(f"why        {inert(why, limit=400)}")
    return lines


def attach(item: pytest.Item, report: pytest.TestReport, text: str) -> None:
    """Put the record on the report of its item's call, with the letter that shows it."""
    record = Record.from_json(text)
    report.mmreason = text  # type: ignore[attr-defined]
    report.mmreason_shown = list(_shown(record))  # type: ignore[attr-defined]
    if set("PA") & set(getattr(item.config.option, "reportchars", "")):
        from pytest_mmreason.collection import sample_of

        sample = sample_of(item)
        if sample is not None:
            lines = explanation(record, sample.question, sample.answer)
            report.sections.append(("mmreason", "\n".join(lines)))


def _shown(record: Record) -> tuple[str, str]:
    if record.is_error:
        return "E", record.status.upper()
    if record.status != "scored" or record.score is None:
        return record.status[0].upper(), record.status.upper()
    letter = "." if record.score >= 1.0 else str(int(record.score * 10 + 1e-9))
    return letter, f"SCORED {record.score:.2f}"


def refresh_progress(config: pytest.Config) -> None:
    """Redraw the live line while an item waits, past pytest's capturing."""
    hooks: Any = config.pluginmanager.getplugin("mmreason-owner")
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if hooks is None:
        return
    if capture is None:
        hooks.terminal.live.refresh()
        return
    with capture.global_and_fixture_disabled():
        hooks.terminal.live.refresh()
