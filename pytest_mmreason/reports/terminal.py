"""What a person sees in the terminal: header, letters, tables, verdict."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mmreason.options import only_looks
from pytest_mmreason.reports import tables
from pytest_mmreason.reports.live import LiveLine
from pytest_mmreason.reports.printing import Printer
from pytest_mmreason.reports.text import count, encodable, inert, selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_mmreason.session import OwnerSession

STOPPED = "mmreason: "

MOST_ERRORS = 20
"""Samples ended by an error that pytest tells of one by one; ``-v`` tells of all."""


class Terminal:
    """The terminal of the process that owns the run."""

    def __init__(self, config: pytest.Config, session: OwnerSession) -> None:
        self._config = config
        self._session = session
        self._reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        self.live = LiveLine(config, session)
        self._unused = ""
        self._untold = ""
        self._planned: Mapping[str, int] | None = None

    def header(self) -> list[str]:
        """Model, judge and benchmark, for pytest's header."""
        plan, settings = self._session.plan, self._session.settings
        lines = []
        for benchmark in {run.benchmark.name: run.benchmark for run in plan.runs}.values():
            samples = tables.samples_text(benchmark, len(plan.selected[benchmark.name]), settings)
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
        from pytest_mmreason.collection import works_of

        works = works_of(session.items)
        if works:
            self._planned = self._session.expected_calls(work for _, work in works)

    def note_unused(self, session: pytest.Session, near_markers: Callable[[], str]) -> bool:
        """Hear that nothing was evaluated. True if the command line set a gate that so was not met.

        An ini file may name a model for sessions that are about other tests; who names one
        on the command line is told why nothing came of it.
        near_markers: what ``-m`` may have meant.
        """
        option = self._config.option
        if only_looks(self._config) or not (option.mm_model or option.mm_agreement):
            return False
        by = self._session.selected_by
        if not session.testscollected and not session.testsfailed:
            meant = near_markers() if option.markexpr else ""
            self._unused = meant or (f"{selection(by)} selects no sample" if by else "")
            return False
        self._unused = "no sample was evaluated: no selected test asks for one. " + (
            f"{selection(by)} selects none"
            if by and self._config.args_source is not pytest.Config.ArgsSource.ARGS
            else "The bundled suite stays out where the command line names a path, unless "
            "--mm-benchmark=NAME stands beside it"
        )
        gates = {"--mm-threshold": option.mm_threshold, "--mm-max-drop": option.mm_max_drop}
        given = [name for name, value in gates.items() if value]
        if given:
            self._unused += f"; so no {' and no '.join(given)} was met"
        return bool(given)

    @contextmanager
    def few_failures(self) -> Iterator[None]:
        """Meanwhile pytest prints the first errored samples only; it counts all of them after.

        One cause often ends hundreds of samples, and so many failures bury the tables.
        """
        failed = self._reporter.stats.get("failed", []) if self._reporter is not None else []
        errored = [report for report in failed if getattr(report, "mmreason_shown", "_")[0] == "E"]
        untold = errored[MOST_ERRORS:]
        if not untold or self._config.option.verbose > 0:
            yield
            return
        causes = Counter(report.mmreason_shown[1].lower() for report in untold)
        kinds = ", ".join(f"{number} {status}" for status, number in causes.items())
        self._untold = (
            f"{len(untold)} more samples ended in an error ({kinds}) and are not shown one by one; "
            "-v shows all, and so does results.jsonl of --mm-output"
        )
        hidden = set(map(id, untold))
        self._reporter.stats["failed"] = [r for r in failed if id(r) not in hidden]
        try:
            yield
        finally:
            self._reporter.stats["failed"] = failed

    def print_summary(self, renamed_markers: Callable[[], Mapping[str, str]]) -> None:
        """What is to be said at the end: planned calls, faults, then the summary.

        renamed_markers: value -> marker name; called only where samples were collected.
        """
        if self._reporter is None:
            return
        self._reporter.ensure_newline()
        printer = Printer(self._reporter._tw)
        if self._planned is not None:
            calls = " and ".join(
                count(number, f"{role} call") for role, number in self._planned.items()
            )
            if self._session.settings.follow_up == "steps" and self._planned["model"]:
                calls += f", up to {self._planned['model']} more model calls for the steps"
            printer.line(
                f"mmreason: a run would make {calls}, fewer where the cache knows the answer"
            )
            printer.markers("mmreason: ", renamed_markers())
        if self._session.fault:
            printer.line(f"ERROR: {inert(self._session.fault, keep_newlines=True)}")
        if self._session.in_vain:
            printer.folded(f"mmreason: {self._session.in_vain}", indent=10)
        if self._untold:
            printer.folded(f"mmreason: {self._untold}", indent=10)
        if self._unused:
            printer.folded(f"mmreason: {self._unused}", indent=10)
        summary, ledger = self._session.summary, self._session.ledger
        if summary is not None and ledger is not None:
            markers = renamed_markers() if summary.runs else {}
            printer.summary(summary, ledger, self._session.settings, markers)


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
