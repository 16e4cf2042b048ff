"""What is told of a sample fits its terminal, hides nothing and says what it leaves out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from pytest_mmreason.record import Record
from pytest_mmreason.reports.explaining import (
    MOST_LINES,
    MOST_STEPS,
    cut,
    explanation,
    folded,
    title,
)
from pytest_mmreason.sample import Sample


def record(**fields: Any) -> Record:
    values: dict[str, Any] = {"status": "scored", "score": 0.5, "scores": (0.5,), **fields}
    return Record("b", "s", "m", "j", "direct", 0, **values)


def told(of: Record, **fields: Any) -> dict[str, str]:
    sample = Sample("s", "What?", **{"answer": "a", **fields})
    return {part.name: part.text for part in explanation(of, sample)}


def test_what_is_not_there_is_not_named() -> None:
    assert told(record(response="yes")) == {
        "question": "What?", "answer": "yes", "reference": "a", "judge": "j",
    }  # fmt: skip


def test_steps_have_their_credit() -> None:
    steps = tuple({"step": n, "credit": n / 4} for n in (1, 3))
    text = told(record(steps=steps), steps=("one", "two\nlines", "three"))["steps"]
    assert text == "0.25  one\n   –  two lines\n0.75  three"


def test_of_many_steps_the_first_are_shown() -> None:
    steps = ({"step": 1, "credit": 1.0},)
    lines = told(record(steps=steps), steps=("x",) * (MOST_STEPS + 2))["steps"].split("\n")
    assert len(lines) == MOST_STEPS + 1
    assert lines[-1].strip() == "… [2 more steps]"


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ("<think>a\nb</think> yes", "[after 19 characters of reasoning]\nyes"),
        ("<think>never closed", "<think>never closed"),
        ("  yes\n", "yes"),
        ("", ""),
        (None, ""),
    ],
)
def test_reasoning_is_counted_and_the_answer_shown(response: str | None, shown: str) -> None:
    assert told(record(response=response))["answer"] == shown


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"scores": (0.2, None, 0.8)}, "j · verdicts 0.20, –, 0.80"),
        ({"score_answer_only": 0.0}, "j · answer alone 0.00"),
        ({"score_answer_only": 0.5}, "j"),
        ({"confidence": 0.1}, "j · unsure (0.10)"),
        ({"confidence": 0.9}, "j"),
        ({"flags": ("cut short", "\x1b")}, "j · cut short · \\x1b"),
    ],
)
def test_what_the_judge_said(fields: dict[str, Any], shown: str) -> None:
    assert told(record(**fields))["judge"] == shown


def test_an_error_tells_its_reason_and_no_judge() -> None:
    found = told(record(status="model_error", score=None, scores=(), reason="500"))
    assert found == {"question": "What?", "answer": "", "reference": "a", "why": "500"}


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, "0.50  s"),
        ({"sd": 0.25, "category": "a", "complexity": "high"}, "0.50 ± 0.25  s  a · high"),
        ({"status": "missing", "score": None}, "–  s"),
    ],
)
def test_title(fields: dict[str, Any], shown: str) -> None:
    assert title(record(**fields)) == shown


@given(st.text() | st.text(st.sampled_from("ab \n\x1b猫")), st.integers(1, 60))
@example("a\n" * 50, 60)
@example("\n\n a", 1)
def test_what_is_cut_is_counted(text: str, limit: int) -> None:
    shown = cut(text, limit)
    lines = shown.split("\n")
    assert len(lines) <= MOST_LINES
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", shown)
    noted = re.search(r" … \[([\d,]+) more characters?\]\Z", shown)
    if len(text.strip()) <= limit and len(text.strip().split("\n")) <= MOST_LINES:
        assert noted is None
    if noted is not None:
        kept = len(text.strip()) - int(noted[1].replace(",", ""))
        assert 0 <= kept <= limit


@given(
    st.text(st.sampled_from("ab :#[]\n猫\x1b\u0301x")),
    st.integers(1, 120),
    st.integers(0, 8),
)
def test_lines_are_never_wider_than_the_terminal(text: str, width: int, indent: int) -> None:
    parts = explanation(
        record(response=text, rationale=text, steps=({"step": 1, "credit": 1.0},)),
        Sample("s", text, answer=text, steps=(text,)),
    )
    room = max(width, 24 + 11 + indent)
    lines = folded(parts, width, indent)
    # A command that begins a line is shown by its escape, three columns more.
    assert all(cell_len(line) <= room + 3 for line in lines)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in lines)


def test_a_word_that_is_too_long_is_broken() -> None:
    lines = folded(explanation(record(response="x" * 100), Sample("s", "q", answer="a")), 60)
    assert [line for line in lines if "x" in line] == [
        "answer     " + "x" * 49,
        " " * 11 + "x" * 49,
        " " * 11 + "xx",
    ]
