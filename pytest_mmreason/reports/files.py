"""What a run writes below ``--mm-output``, and what it tells GitHub."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import UsageError
from pytest_mmreason.ledger import Ledger
from pytest_mmreason.reports import markdown
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import Summary


def prepare_output(folder: Path) -> None:
    """Make the output folder; UsageError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--mm-output {folder}: {error.strerror or error}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--mm-output {folder}: the folder cannot be written")


def write_reports(summary: Summary, ledger: Ledger, settings: Settings) -> None:
    """Write every report. Raises OSError where a file cannot be written."""
    text = markdown.render(summary, settings)
    if settings.output is not None:
        folder = settings.output
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "results.jsonl", (f"{line}\n" for line in ledger.lines()))
        write_json(folder / "summary.json", summary.to_json())
        _write(folder / "summary.md", [text])
        _write_predictions(folder, summary, ledger)
    step_summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if step_summary:
        with Path(step_summary).open("a", encoding="utf-8") as file:
            file.write(text)


def _write_predictions(folder: Path, summary: Summary, ledger: Ledger) -> None:
    """id -> text, the submission format of both benchmarks; one file a run.

    Of several repeats the first is written.
    """
    names: set[str] = set()
    for run in summary.runs:
        answers: dict[str, str] = {}
        for record in run.records:
            response = ledger.whole(record).response
            if response is not None:
                answers.setdefault(record.sample, response)
        name = "predictions"
        if len(summary.runs) > 1:
            parts = [run.spec.benchmark.name, run.spec.model]
            if len({r.spec.prompt for r in summary.runs}) > 1:
                parts.append(run.spec.prompt)
            name = "-".join([name, *(_file_name(part) for part in parts)])
        while name in names:
            name += "_"
        names.add(name)
        write_json(folder / f"{name}.json", answers)


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+=-]+", "-", text).strip("-")[:100] or "run"


def write_json(path: Path, content: Any) -> None:
    """`content` as a JSON file, whole or not at all."""
    _write(path, [json.dumps(content, indent=2, allow_nan=False), "\n"])


def _write(path: Path, parts: Iterable[str]) -> None:
    """Write a file whole or not at all: a reader never meets half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.writelines(parts)
    temporary.replace(path)
