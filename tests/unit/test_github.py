"""Commands to a CI runner: ours are read back as they were, and nobody else gives one."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.gates import Gate
from pytest_mmreason.reports import github
from pytest_mmreason.reports.text import inert, no_command
from pytest_mmreason.summary import Summary


def is_command(line: str) -> bool:
    """What GitHub's runner takes for a command: its two forms, and that of Azure's."""
    return line.lstrip().startswith("::") or re.search(r"##\w*\[", line) is not None


def unescaped(text: str, *, is_property: bool = False) -> str:
    """What the runner makes of a message, or of a property."""
    if is_property:
        text = text.replace("%3A", ":").replace("%2C", ",")
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def summary(*gates: Gate, stopped: str = "", model: str = "m", benchmark: str = "b") -> Any:
    spec = SimpleNamespace(model=model, prompt="direct", benchmark=SimpleNamespace(name=benchmark))
    return Summary([SimpleNamespace(spec=spec, gates=gates)], 1, "", stopped)  # type: ignore[list-item]


def gate(passed: bool = False, reason: str = "overall 40.0 is below 60") -> Gate:
    return Gate("overall", "threshold", 60.0, 40.0, passed, reason)


def test_each_failed_gate_is_an_error() -> None:
    other = Gate("overall", "max_errors", 0.0, 3.0, False, "3 errored samples, 0 allowed")
    assert github.commands(summary(gate(), gate(passed=True), other)) == [
        "::error title=mmreason%3A Below the threshold::m (direct) on b: overall 40.0 is below 60",
        "::error title=mmreason%3A Too many errors::m (direct) on b: 3 errored samples, 0 allowed",
    ]


def test_a_stopped_run_is_one_error_whatever_its_gates_saw() -> None:
    assert github.commands(summary(gate(), stopped="no such model")) == [
        "::error title=mmreason%3A The run stopped::no such model"
    ]


def test_nothing_is_said_of_what_passed() -> None:
    assert github.commands(summary(gate(passed=True))) == []


@given(
    st.text(min_size=1) | st.text(st.sampled_from("%0Aad:,#[]\n\r\x1b\u2028 "), min_size=1),
    st.text(),
)
def test_a_command_is_one_line_that_the_runner_reads_back(reason: str, model: str) -> None:
    (line,) = github.commands(summary(gate(reason=reason), model=model))
    assert line.splitlines() == [line]
    found = re.fullmatch(r"::error title=([^:,]*)::(.*)", line)
    assert found is not None
    assert unescaped(found[1], is_property=True) == "mmreason: Below the threshold"
    told = f"{model} (direct) on b: {reason}"
    assert unescaped(found[2]) == inert(told, keep_newlines=True)


PIECES = st.sampled_from(
    [":", "::", "#", "##", "[", "error", "vso", " ", "\t", "\n", "::x::", "\x1b"]
)


@given(st.lists(PIECES).map("".join), st.booleans())
def test_no_text_from_outside_is_a_command(text: str, keep_newlines: bool) -> None:
    shown = inert(text, keep_newlines=keep_newlines)
    assert not any(is_command(line) for line in shown.split("\n"))
    assert not any(is_command(line) for line in no_command(text).split("\n"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\x3a:error::x"),
        ("a\n  ::set-output name=a::b", "a\n  \\x3a:set-output name=a::b"),
        ("a ##[error]x ##vso[task]", "a \\x23#[error]x \\x23#vso[task]"),
        ("std::vector ## head", "std::vector ## head"),
    ],
)
def test_the_first_character_of_a_command_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert inert(text, keep_newlines=True) == shown
