"""A survey of a benchmark as lines of a terminal."""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_mmreason.benchmarks.survey import FAULT, REMARK, Finding, Survey
from pytest_mmreason.reports.printing import render
from pytest_mmreason.reports.tables import Cell, Table
from pytest_mmreason.reports.text import count, encodable, inert
from pytest_mmreason.scoring import cell_name

SHOWN = 5
"""Findings of one check, and samples of one finding, that are named where not all are wanted."""

MOST_ROWS = 40


class SurveyPrinter:
    """Prints through `writer`, a TerminalWriter of pytest's; `every` shortens nothing."""

    def __init__(self, writer: Any, every: bool = False) -> None:
        self._writer = writer
        self._every = every

    def survey(self, survey: Survey) -> None:
        """Facts, tables, findings and what they come to."""
        self._writer.sep("=", encodable(f"mmreason: {inert(survey.spec)}", sys.stdout), bold=True)
        if survey.counts:
            for title, text in facts(survey):
                self._folded(f" {title:17} {text}", 19)
            for table in tables(survey.counts):
                self._line("")
                for line in render(table, self._writer.fullwidth - 1, self._writer.hasmarkup):
                    self._line(f" {line}" if line else "")
            self._line("")
            for title, text in distributions(survey.counts):
                self._folded(f" {title:17} {text}", 19)
        for note in survey.notes:
            self._folded(f" note: {inert(note)}", 7)
        for level, mood in ((FAULT, "red"), (REMARK, "yellow")):
            found = survey.at(level)
            if found:
                self._line("")
                self._line(f" {count(len(found), level)}", bold=True, **{mood: True})
                for line in self._findings(found):
                    self._folded(line, 6)
        faults, remarks = len(survey.at(FAULT)), len(survey.at(REMARK))
        self._line("")
        text = f"{count(faults, 'fault')} · {count(remarks, 'remark')}"
        mood = "red" if faults else "green"
        self._line(f" {'FAIL' if faults else 'PASS'}  {text}", bold=True, **{mood: True})

    def _findings(self, found: Sequence[Finding]) -> Iterator[str]:
        by_check: defaultdict[str, list[Finding]] = defaultdict(list)
        for finding in found:
            by_check[finding.check].append(finding)
        for check, findings in by_check.items():
            shown = findings if self._every else findings[:SHOWN]
            for finding in shown:
                yield f"  {check}: {self._where(finding)}{inert(finding.text)}"
            if len(findings) > len(shown):
                more = len(findings) - len(shown)
                yield f"  {check}: … and {more:,} more (--all lists them)"

    def _where(self, finding: Finding) -> str:
        """The file, if the text does not name it, and the samples."""
        file = "" if not finding.file or finding.file in finding.text else inert(finding.file)
        ids = finding.samples if self._every else finding.samples[:SHOWN]
        named = ", ".join(map(inert, ids))
        if len(finding.samples) > len(ids):
            named += f", … ({len(finding.samples):,} in all)"
        words = [word for word in (file, named) if word]
        return f"{' '.join(words)}: " if words else ""

    def _folded(self, text: str, indent: int) -> None:
        width = max(40, self._writer.fullwidth - 1)
        # No line ends between a value and its number.
        kept = text.replace(" (", "\N{NO-BREAK SPACE}(")
        for line in textwrap.wrap(
            kept,
            width,
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
            break_long_words=False,
        ):
            self._line(line.replace("\N{NO-BREAK SPACE}(", " ("))

    def _line(self, text: str, **markup: bool) -> None:
        self._writer.line(encodable(text, sys.stdout), **markup)


def facts(survey: Survey) -> Iterator[tuple[str, str]]:
    """(title, text) of what a benchmark is and how much of it there is."""
    found = survey.counts
    name = f"{survey.name} {survey.version}".strip()
    parts = [name, count(found["samples"], "sample"), survey.protocol, survey.fingerprint]
    yield "benchmark", " · ".join(inert(part) for part in parts if part)
    if survey.license:
        yield "licence", inert(survey.license)
    yield "file", inert(survey.file)
    shared = f" · {count(found['shared_images'], 'sample')} with another's"
    yield "images", f"{found['images']:,}" + (shared if found["shared_images"] else "")
    answers = [f"{found['referenced']:,}"]
    for name, words in (
        ("unreferenced", "samples without"),
        ("and_answers", "with <AND>"),
        ("or_answers", "with <OR>"),
        ("multi_line_answers", "of several lines"),
    ):
        if found[name]:
            answers.append(f"{found[name]:,} {words}")
    yield "answers", " · ".join(answers)
    for name in ("multi_image", "counter_intuitive"):
        if found[name]:
            yield name.replace("_", "-"), f"{found[name]:,} ({_share(found[name], found)})"


def tables(found: Mapping[str, Any]) -> Iterator[Table]:
    """Categories by complexity with their weights, and integrations of capabilities."""
    if found["categories"] or found["complexities"]:
        yield _categories(found)
    if found["integrations"]:
        yield _numbered("integration", found["integrations"], found)


def distributions(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(title, text) of how many samples have how many steps and images, or a capability."""
    steps = found["steps"]
    for title, values in (
        ("steps", steps if any(number != "0" for number in steps) else {}),
        ("images each", found["images_per_sample"]),
        ("capability", found["capabilities"]),
        ("tag", found["tags"]),
    ):
        if values:
            named = [f"{inert(name)} ({number:,})" for name, number in values.items()]
            more = [f"… {len(named) - MOST_ROWS} more"] if len(named) > MOST_ROWS else []
            if title == "steps":  # as Figure 2 (c) of InfiMM-Eval sums them up
                several = sum(number for steps, number in values.items() if int(steps) >= 3)
                more.append(f"three or more ({several:,} of {sum(values.values()):,})")
            yield title, " · ".join(named[:MOST_ROWS] + more)


def _categories(found: Mapping[str, Any]) -> Table:
    complexities = list(found["complexities"])
    rows = []
    for name, number in found["categories"].items():
        cells = [f"{found['cells'].get(cell_name(name, c), 0):,}" for c in complexities]
        weight = f"{found['weights'][name]:g}"
        rows.append([inert(name), *cells, f"{number:,}", _share(number, found), weight])
    every = [f"{number:,}" for number in found["complexities"].values()]
    rows.append(["together", *every, f"{found['samples']:,}", "", f"{found['weight']:g}"])
    headers = ("category", *map(inert, complexities), "samples", "share", "weight")
    return Table(headers, (False, *[True] * (len(headers) - 1)), _cells(rows))


def _numbered(title: str, values: Mapping[str, int], found: Mapping[str, Any]) -> Table:
    rows = [[inert(n), f"{number:,}", _share(number, found)] for n, number in values.items()]
    more = len(rows) - MOST_ROWS
    if more > 0:
        rows = [*rows[:MOST_ROWS], [f"… {more:,} more", "", ""]]
    head = f"{title} ({len(values)})"
    return Table((head, "samples", "share"), (False, True, True), _cells(rows), has_total=False)


def _cells(rows: Iterable[Iterable[str]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(Cell(text) for text in row) for row in rows)


def _share(number: int, found: Mapping[str, Any]) -> str:
    return f"{100 * number / found['samples']:.1f} %"
