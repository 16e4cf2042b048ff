"""What a run writes below ``--mm-output``, and what it tells GitHub."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import UsageError
from pytest_mmreason.ledger import Ledger
from pytest_mmreason.record import Record
from pytest_mmreason.reports import markdown, official, submission
from pytest_mmreason.reports.text import count
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import RunResult, Summary, label


def prepare_output(folder: Path) -> None:
    """Make the output folder; UsageError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"--mm-output {folder} is a file, a folder is needed") from None
    except OSError as error:
        raise UsageError(f"--mm-output {folder}: {error.strerror or error}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--mm-output {folder}: the folder cannot be written")


def write_reports(summary: Summary, ledger: Ledger, settings: Settings) -> Summary:
    """Write every report. Raises OSError where a file cannot be written.

    Returns `summary` with a note on files of earlier runs beside the new ones.
    """
    text = markdown.render(summary, settings)
    if settings.output is not None:
        folder = settings.output
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _own_files(folder)
        if settings.agreement is None:  # written already, by what a merge or comparison needs
            earlier.pop("shard.json" if settings.shard else "run.json", None)
        _write(folder / "results.jsonl", (f"{line}\n" for line in ledger.lines()))
        write_json(folder / "summary.json", summary.to_json())
        _write_predictions(folder, summary, ledger, settings)
        _write_official(folder, summary, settings)
        if left := sorted(dict(earlier.items() & _own_files(folder).items())):
            summary = replace(summary, notes=(*summary.notes, _left_behind(folder, left)))
            text = markdown.render(summary, settings)
        _write(folder / "summary.md", [text])
        write_html(folder, summary, settings, ledger.whole)  # last: its pictures take a while
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        _append(Path(page), text)
    return summary


PAGE_BYTES = 1024 * 1024
"""What GitHub takes of one step's page; of a longer one it shows nothing."""

_CUT = "\n**…** GitHub takes 1 MB a step: `summary.md` and `report.html` of `--mm-output` have the rest.\n"


def _append(page: Path, text: str) -> None:
    """Add `text` to the page of GitHub's job, as many of its lines as there is room for."""
    with page.open("ab") as file:
        room = PAGE_BYTES - file.tell()
        content = text.encode()
        if len(content) > room:
            cut = content[: max(0, room - len(_CUT.encode()))]
            content = cut[: cut.rfind(b"\n") + 1] + _CUT.encode()
        file.write(content if len(content) <= room else b"")


_NOT_ALWAYS = re.compile(
    r"predictions(-.+)?\.json|.+_(SIZE|[\d.]+B)\.json|(shard|run)\.json"
    r"|.+-grade-\d+runs\.json|.+-cap-(int-)?score-\d+runs\.csv"
)
"""The names of files that some runs write and others do not."""


def _own_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Files of :data:`_NOT_ALWAYS` in `folder`, and what changes where one is written anew."""
    found = {}
    for file in folder.iterdir():
        if _NOT_ALWAYS.fullmatch(file.name) and file.is_file():
            stat = file.stat()
            found[file.name] = (stat.st_ino, stat.st_mtime_ns)
    return found


def _left_behind(folder: Path, names: Sequence[str]) -> str:
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return (
        f"{folder} also holds {count(len(names), 'file')} of earlier runs, left as found: {shown}"
    )


def write_html(
    folder: Path, summary: Summary, settings: Settings, whole: Callable[[Record], Record]
) -> None:
    """Write ``report.html``; see :func:`pytest_mmreason.reports.html.render`. Raises OSError."""
    from pytest_mmreason.reports import html  # a template engine, for runs that write reports

    _write(folder / html.FILE_NAME, html.render(summary, settings, folder, whole))


def _write_predictions(folder: Path, summary: Summary, ledger: Ledger, settings: Settings) -> None:
    """id -> text, the submission format of both benchmarks; one file a run.

    Of several repeats the first is written. Where the authors of InfiMM-Eval would grade
    them, they also stand under the name that these ask for.
    """
    names: set[str] = set()
    for run, submitted in zip(summary.runs, submission.names(summary.runs), strict=True):
        if run.agreement is not None:  # nobody's predictions: the graded answers
            continue
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
            name = "-".join([name, *(official.file_name(part) for part in parts)])
        while name in names:
            name += "_"
        names.add(name)
        write_json(folder / f"{name}.json", answers)
        if submitted and not settings.shard:
            write_json(folder / submitted, answers)


def _write_official(folder: Path, summary: Summary, settings: Settings) -> None:
    """MM-Vet's three files of each run under its protocol that has grades."""
    subset = settings.subset.stem.replace("_", "") if settings.subset else ""
    taken: set[str] = set()
    for run, graded in _official_runs(summary, settings):
        model = name = official.model_name(run.spec.model)  # its row bears no addition
        if len({r.spec.prompt for r in summary.runs}) > 1:
            name += f"-{run.spec.prompt}"
        if len({r.spec.benchmark.name for r in summary.runs}) > 1:
            name = f"{run.spec.benchmark.name}-{name}"
        if part := _part_of_whole(run, graded):  # never over the files of a whole run
            name = f"{official.file_name(name, 60)}_{part}"
        runs, judge = settings.judge_runs, official.judge_name(run.judge)
        names, number = official.FileNames.of(name, judge, runs, subset), 1
        while names.grades.casefold() in taken:  # a file system may not tell cases apart
            number += 1
            names = official.FileNames.of(f"{number}-{name}", judge, runs, subset)
        taken.add(names.grades.casefold())
        if any(one.grades for one in graded):
            _write(folder / names.grades, [official.grades_text(graded)])
        if any(one.scores is not None for one in graded):
            table = official.capability_table(model, graded, runs)
            _write(folder / names.capabilities, [table])
            table = official.integration_table(model, graded, runs)
            _write(folder / names.integrations, [table])


def official_notes(summary: Summary, settings: Settings) -> list[str]:
    """What a reader of the official files cannot see in them: samples left out, and who grades."""
    notes = [] if settings.shard else submission.notes(summary.runs)
    found = list(zip(summary.runs, notes, strict=False))
    if settings.output is not None:
        for run, graded in _official_runs(summary, settings):
            found.append((run, official.left_out(graded)))
            if part := _part_of_whole(run, graded):
                found.append((run, _PART.format(part, *part.split("of"))))
    found = [(run, note) for run, note in found if note]
    several = len(summary.runs) > 1
    return [f"{label(run, summary.runs)}: {note}" if several else note for run, note in found]


_PART = "MM-Vet's files are named {0}: they hold {1} of {2} samples"


def _part_of_whole(run: RunResult, graded: Sequence[official.Graded]) -> str:
    """``96of218`` where that many of the benchmark's, or its subset's, samples were run; "" for all."""
    return "" if len(graded) >= run.named else f"{len(graded)}of{run.named}"


def _official_runs(
    summary: Summary, settings: Settings
) -> Iterator[tuple[RunResult, list[official.Graded]]]:
    if settings.shard:  # under the name of the whole they would tell of a part
        return
    for run in summary.runs:
        if run.spec.benchmark.protocol == official.PROTOCOL and not settings.agreement:
            judge = official.judge_name(run.judge)
            graded = official.collect(
                run.records, judge, settings.judge_runs, settings.on_error, summary.grade_order
            )
            yield run, graded


def write_json(path: Path, content: Any, indent: int | None = 2) -> None:
    """`content` as a JSON file, whole or not at all. Without `indent` it is quicker made."""
    _write(path, [json.dumps(content, indent=indent, allow_nan=False), "\n"])


def _write(path: Path, parts: Iterable[str]) -> None:
    """Write a file whole or not at all: a reader never meets half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.writelines(parts)
    temporary.replace(path)
