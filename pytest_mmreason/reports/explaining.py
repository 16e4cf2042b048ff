"""Why a sample scored what it did, for a terminal: ``--mm-show`` and the sections of ``-rP``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_mmreason.models.base import strip_reasoning
from pytest_mmreason.record import Record
from pytest_mmreason.reports.text import count, inert, no_command
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import UNSURE


class Part(NamedTuple):
    """A name and a text of one or more lines, in which nothing acts.

    hang: columns by which a line that is folded goes on to the right of its beginning.
    """

    name: str
    text: str
    hang: int = 0


_LABEL = 11
_LEAST = 24  # columns for a text, however narrow the terminal
_QUESTION, _ANSWER, _REFERENCE, _WHY = 400, 600, 300, 600
MOST_LINES = 12
MOST_STEPS = 8


def explanation(record: Record, sample: Sample) -> list[Part]:
    """Question, images, answer, reference, the credit of each step, and what the judge said.

    record: with its long texts.
    """
    parts = [
        Part("question", cut(sample.question, _QUESTION)),
        Part("images", inert(", ".join(image.path for image in sample.images))),
        Part("answer", _answer(record)),
        Part("reference", cut(sample.answer or "", _REFERENCE)),
        Part("steps", "\n".join(_steps(record, sample.steps)), hang=6),
        Part("judge", " · ".join(_judge(record))),
        Part("why", cut(record.rationale or record.reason, _WHY)),
    ]
    return [part for part in parts if part.text or part.name in ("answer", "reference")]


def title(record: Record) -> str:
    """Score, spread and sample, and what kind of sample it is."""
    score = "–" if record.score is None else f"{record.score:.2f}"
    sd = "" if record.sd is None else f" ± {record.sd:.2f}"
    kind = " · ".join(inert(text) for text in (record.category, record.complexity) if text)
    return f"{score}{sd}  {inert(record.sample)}" + (f"  {kind}" if kind else "")


def folded(parts: Sequence[Part], width: int, indent: int = 0) -> list[str]:
    """`parts` as lines of at most `width` columns, names to the left of their texts."""
    from rich.console import Console
    from rich.text import Text

    room = max(_LEAST, width - indent - _LABEL)
    console = Console(width=room)
    lines = []
    for name, text, hang in parts:
        left = f"{name:{_LABEL}}"
        for line in text.split("\n"):
            start, rest = line[:hang], Text(line[hang:])
            for piece in rest.wrap(console, room - hang, overflow="fold") or [Text("")]:
                shown = f"{' ' * indent}{left}{start}{piece.plain}"
                lines.append(no_command(shown.rstrip()))
                left, start = " " * _LABEL, " " * hang
    return lines


def cut(text: str, limit: int) -> str:
    """The first `limit` characters of `text` and at most MOST_LINES lines, inert, without blank
    lines; a note says how much is left out."""
    text = text.strip()
    lines: list[str] = []
    taken = 0
    for found in re.finditer(r"[^\n]*\n|[^\n]+", text[:limit]):
        if found[0].strip():
            if len(lines) == MOST_LINES:
                break
            lines.append(inert(found[0].removesuffix("\n").rstrip()))
        taken = found.end()
    if left := len(text) - taken:
        lines[-1] += f" … [{count(left, 'more character')}]"
    return "\n".join(lines)


def _answer(record: Record) -> str:
    """What was judged; of a reasoning block before it, only how long it is."""
    response = record.response or ""
    answer = strip_reasoning(response)
    if not answer:
        return cut(response, _ANSWER)
    reasoning = len(response.strip()) - len(answer)
    before = f"[after {count(reasoning, 'character')} of reasoning]\n" if reasoning > 0 else ""
    return before + cut(answer, _ANSWER)


def _steps(record: Record, steps: Sequence[str]) -> Iterator[str]:
    """Each reference step with its credit; none where the judge gave none."""
    credit = {int(one["step"]): one["credit"] for one in record.steps}
    if not credit:
        return
    for number, step in enumerate(steps[:MOST_STEPS], 1):
        given = credit.get(number)
        shown = "   –" if given is None else f"{given:.2f}"
        yield f"{shown}  {cut(step, _REFERENCE)}".replace("\n", " ")
    if left := len(steps) - MOST_STEPS:
        yield from [f"      … [{count(left, 'more step')}]"] if left > 0 else []


def _judge(record: Record) -> Iterator[str]:
    """Who judged, what each run said where there are several, and how sure it is."""
    if record.status != "scored":
        return
    yield inert(record.judge)
    if len(record.scores) > 1:
        yield "verdicts " + ", ".join("–" if s is None else f"{s:.2f}" for s in record.scores)
    bare = record.score_answer_only
    if bare is not None and bare != record.score:
        yield f"answer alone {bare:.2f}"
    if record.confidence is not None and record.confidence < UNSURE:
        yield f"unsure ({record.confidence:.2f})"
    yield from map(inert, record.flags)
