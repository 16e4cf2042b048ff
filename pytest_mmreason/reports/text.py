"""Text that came from outside, made inert for a terminal, a log or Markdown."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Mapping

from pytest_mmreason.naming import slug
from pytest_mmreason.record import Record

LONGEST_SHOWN = 2000

_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#\w*\[)", re.MULTILINE)
"""What the runners of CI services take for a command, wherever a log has it: ``::error::`` after
blanks, ``##[group]`` and ``##vso[…]`` within a line, too."""


def inert(text: str, *, keep_newlines: bool = False, limit: int | None = None) -> str:
    """`text` without terminal escapes, controls, invisible and unpaired characters.

    Each is shown as its escape, so that nothing is hidden, and so is the first character of
    what a CI runner would take for a command. Longer texts end in "…".
    """
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    if not cut.isprintable():  # of most texts, every character is
        cut = "".join(_shown(character, keep_newlines) for character in cut)
    return no_command(cut)


def no_command(text: str) -> str:
    """`text` in which no line is a command to a CI runner."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(
        lambda found: f"{found[1] or ''}\\x{'3a' if found[1] is not None else '23'}", text
    )


def _shown(character: str, keep_newlines: bool) -> str:
    if character == "\n":
        return character if keep_newlines else " "
    if character in "\t\r":
        return " "
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character


def rerun_hint(record: Record) -> str:
    """The option that runs the record's sample again; in the words of the item's id where
    its own cannot be copied from a terminal."""
    name = record.sample if inert(record.sample) == record.sample else slug(record.sample)
    return f"run it again with --mm-sample={shlex.quote(name)}"


_PLAIN = {
    "·": "-",
    "–": "-",
    "─": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "±": "+-",
    "≥": ">=",
    "≈": "~",
    "×": "x",
    "→": "->",
    "★": "*",
}


def encodable(text: str, stream: object) -> str:
    """`text` with what `stream`'s encoding cannot hold in plainer characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        plain = "".join(_PLAIN.get(character, character) for character in text)
        return plain.encode("ascii", "backslashreplace").decode("ascii")
    return text


def usd(amount: float) -> str:
    """0.314 as ``$0.31``, 0.00451 as ``$0.0045``; never ``$0`` for more than nothing."""
    if 0 < amount < 0.0001:
        return "less than $0.0001"
    return f"${amount:,.2f}" if amount >= 0.1 else f"${amount:.4f}" if amount else "$0"


def thousands(number: float) -> str:
    """61234 as ``61k``, 1234567 as ``1.2M``."""
    if number < 10_000:
        return f"{number:,.0f}"
    return f"{number / 1000:.0f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


def duration(seconds: float) -> str:
    """64.2 as ``1:04``."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 sample``, ``2 samples``, ``1,000 samples``; `plural` where it is no mere s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def selection(by: Mapping[str, object]) -> str:
    """pytest's options of selection as they would be typed: ``-m 'deductive'``."""
    return " ".join(f"{option} {value!r}" for option, value in by.items()) or "pytest"
