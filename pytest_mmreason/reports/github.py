"""Annotations for a job on GitHub: a line of its log that its page shows as an error."""

from __future__ import annotations

import os

from pytest_mmreason.gates import EXIT_USAGE, Gate
from pytest_mmreason.reports.text import inert
from pytest_mmreason.summary import RunResult, Summary

_TITLES = {
    "threshold": "Below the threshold",
    "max_errors": "Too many errors",
    "max_drop": "Worse than the baseline",
    "max_disagreement": "The judge disagrees",
}


def is_a_job() -> bool:
    """True in a job of GitHub's, which reads commands from its log."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def commands(summary: Summary) -> list[str]:
    """``::error`` lines: why the run stopped, or does not compare, or else each failed gate;
    and ``::warning`` lines.

    The gates of a stopped run saw a part of the samples only, so they say nothing.
    """
    warnings = [_command("warning", "Which model?", text) for text in summary.cautions]
    if summary.stopped:
        return [*warnings, _error("The run stopped", summary.stopped)]
    if summary.exit == EXIT_USAGE:
        return [*warnings, _error("No comparison", summary.verdict)]
    return warnings + [
        _error(_TITLES.get(gate.kind, gate.kind), _about(gate, run))
        for run in summary.runs
        for gate in run.gates
        if not gate.passed and gate.reason  # where others say it, it has none
    ]


def _about(gate: Gate, run: RunResult) -> str:
    return f"{run.spec.model} ({run.spec.prompt}) on {run.spec.benchmark.name}: {gate.reason}"


def _error(title: str, message: str) -> str:
    return _command("error", title, message)


def _command(kind: str, title: str, message: str) -> str:
    return f"::{kind} title={_property(f'mmreason: {title}')}::{_data(message)}"


def _data(text: str) -> str:
    """`text` in the form that the runner reads back as it is; what it cannot show is an escape."""
    text = inert(text, keep_newlines=True)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
