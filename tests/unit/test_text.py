"""Text from outside is inert wherever it is shown."""

from __future__ import annotations

import unicodedata
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.record import Record
from pytest_mmreason.reports.text import (
    count,
    duration,
    encodable,
    inert,
    rerun_hint,
    thousands,
)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b31mred", r"\x9b31mred"),
        ("a\0b\x07\x7f", r"a\x00b\x07\x7f"),
        ("a\ud800b", r"a\ud800b"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("\u202eabc\u2066", r"\u202eabc\u2066"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\ue000\uffff", r"\ue000\uffff"),
        ("a\nb\tc\rd", "a b c d"),
        ("猫 é ½ 😀", "猫 é ½ 😀"),
        ("<script> [link](x) |", "<script> [link](x) |"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_lines_may_be_kept() -> None:
    assert inert("a\nb\x1b", keep_newlines=True) == "a\nb\\x1b"


def test_long_texts_are_cut_and_say_so() -> None:
    assert inert("x" * 100_000, limit=10) == "x" * 9 + "…"
    assert inert("x" * 10, limit=10) == "x" * 10


@given(st.text(st.characters()), st.booleans())
def test_nothing_invisible_is_left_and_every_encoder_takes_it(text: str, keep: bool) -> None:
    shown = inert(text, keep_newlines=keep)
    assert shown.encode("utf-8").decode("utf-8") == shown
    kinds = {unicodedata.category(c) for c in shown if c != "\n"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert keep or "\n" not in shown


def stream(encoding: str | None) -> SimpleNamespace:
    return SimpleNamespace(encoding=encoding)


def test_a_stream_that_can_hold_it_gets_the_text_as_it_is() -> None:
    assert encodable("± 3 · 猫 → ★", stream("utf-8")) == "± 3 · 猫 → ★"
    assert encodable("± 3", stream("latin-1")) == "± 3"
    assert encodable("± 3", stream(None)) == "± 3"


def test_a_stream_that_cannot_gets_plainer_characters() -> None:
    assert encodable("38.6 ± 1 · 33–44 → x ★ …", stream("ascii")) == "38.6 +- 1 - 33-44 -> x * ..."
    assert encodable("猫", stream("cp1252")) == r"\u732b"
    assert encodable("\ud800", stream("utf-8")) == r"\ud800"
    assert encodable("é", stream("no such codec")) == r"\xe9"


@given(st.text(st.characters()), st.sampled_from(["ascii", "cp1252", "utf-8", "cp437"]))
def test_the_stream_always_takes_what_it_is_given(text: str, encoding: str) -> None:
    encodable(text, stream(encoding)).encode(encoding)


@pytest.mark.parametrize(
    "sample, words",
    [
        ("v1_0", "--mm-sample=v1_0"),
        ("a b", "--mm-sample='a b'"),
        ("a$b", "--mm-sample='a$b'"),
        ("it's $5", """--mm-sample='it'"'"'s $5'"""),
        ("a.b", "--mm-sample=a.b"),
    ],
)
def test_the_hint_can_be_pasted_into_a_shell(sample: str, words: str) -> None:
    record = Record("b", sample, "m", "j", "direct", 0, "missing")
    assert rerun_hint(record) == f"run it again with {words}"


@pytest.mark.parametrize(
    "number, text",
    [(0, "0"), (9999, "9,999"), (61234, "61k"), (999_499, "999k"), (1_234_567, "1.2M")],
)
def test_thousands(number: int, text: str) -> None:
    assert thousands(number) == text


@pytest.mark.parametrize(
    "seconds, text", [(0, "0:00"), (64.2, "1:04"), (59.7, "1:00"), (3661, "1:01:01")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_counts_have_their_plural() -> None:
    assert [count(n, "sample") for n in (0, 1, 1000)] == ["0 samples", "1 sample", "1,000 samples"]
