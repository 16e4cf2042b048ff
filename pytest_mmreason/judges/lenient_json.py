"""JSON objects as language models write them, read without evaluating anything.

Pure and linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

MAX_DEPTH = 32
"""Deeper nesting is no verdict."""

_MAX_STARTS = 50  # braces that open no object are skipped this many times, then given up on

_TOKEN = re.compile(
    r"""
      (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<single>'(?:[^'\\\n]|\\.)*')
    | (?P<comment>(?://|\#)[^\n]*)
    | (?P<block>/\*)
    | (?P<open>[{\[])
    | (?P<close>[}\]])
    | (?P<comma>,)
    | (?P<space>\s+)
    | (?P<word>[A-Za-z]+)
    | (?P<other>[^\s{}\[\]"',A-Za-z/\#]+|/)
    """,
    re.DOTALL | re.VERBOSE,
)
# "\(x\)" and "\s" of formulas and patterns are no escapes of JSON
_ESCAPE = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|(\\)")
_BARE_FRACTION = re.compile(r"(?<![\d.])\.(?=\d)")
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


class DuplicateKey(ValueError):
    """An object that names one key twice with different values."""


class FoundObject(NamedTuple):
    """An object and where it stands: ``text[start:end]``."""

    start: int
    end: int
    data: dict[str, Any]


def find_objects(text: str) -> list[FoundObject]:
    """Every top-level JSON object in `text`, in order: bare, in a fence or in prose.

    Comments, trailing commas, raw line breaks and stray backslashes in strings, single
    quotes, ``.5``, and Python's True, False and None are accepted. Keys come out in lower
    case. What is no object even so is passed over; an object with a key given twice
    differently raises DuplicateKey.
    """
    found = []
    position, starts = text.find("{"), 0
    while position >= 0 and starts < _MAX_STARTS:
        cut = _cut(text, position)
        if cut is None:
            starts += 1
            position = text.find("{", position + 1)
            continue
        source, end = cut
        value = _load(source)
        if value is not None:
            found.append(FoundObject(position, end, value))
        position = text.find("{", end)
    return found


def _cut(text: str, start: int) -> tuple[str, int] | None:
    """Strict JSON for the object that opens at `start`, and where it ends."""
    kept: list[str] = []
    depth, position, gap = 0, start, False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        kind, token, position = match.lastgroup, match.group(), match.end()
        if kind in ("comment", "space"):
            gap = True
            continue
        if kind == "block":
            end = text.find("*/", position)
            if end < 0:
                return None
            position, gap = end + 2, True
            continue
        if kind == "close":
            if kept[-1] == ",":
                kept.pop()
            kept.append(token)
            depth -= 1
            if depth == 0:
                return "".join(kept), position
        else:
            if kind == "open":
                depth += 1
                if depth > MAX_DEPTH:
                    return None
            elif kind == "string":
                token = _ESCAPE.sub(lambda found: found[0] + (found[1] or ""), token)
            elif kind == "other":
                token = _BARE_FRACTION.sub("0.", token)
            elif kind == "single":
                token = json.dumps(re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL))
            elif kind == "word":
                token = _PYTHON_WORDS.get(token, token)
            # "0.5 1" must not become 0.51
            kept.append(f" {token}" if gap and kind in ("word", "other") else token)
        gap = False
    return None


def _load(source: str) -> dict[str, Any] | None:
    try:
        # strict=False admits raw line breaks inside strings
        value = json.loads(
            source, strict=False, object_pairs_hook=_lower, parse_constant=_refuse_constant
        )
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _lower(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    lowered: dict[str, Any] = {}
    for key, value in pairs:
        name = key.strip().lower()
        if name in lowered and lowered[name] != value:
            raise DuplicateKey(f"{key!r} is given twice")
        lowered[name] = value
    return lowered


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")
