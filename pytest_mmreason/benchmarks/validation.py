"""Checks that every reader of a benchmark's files shares; what each finds is a fault to list."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Check = Callable[[object], str | None]
"""What is wrong with a value, after its field's name; None if nothing is."""


def string(value: object) -> str | None:
    """A string that is not blank."""
    if not isinstance(value, str):
        return f"is {shown(value)}, not a string"
    return None if value.strip() else "is empty"


def reference(value: object) -> str | None:
    """A reference answer: null, or a string with something beside ``<AND>`` and ``<OR>``."""
    if value is None:
        return None
    if not isinstance(value, str):
        return f"is {shown(value)}, not a string or null"
    if value.replace("<AND>", "").replace("<OR>", "").strip():
        return None
    return "is empty; null says that there is no reference"


def word(value: object) -> str | None:
    """Any string."""
    return None if isinstance(value, str) else f"is {shown(value)}, not a string"


def boolean(value: object) -> str | None:
    """True or false."""
    return None if isinstance(value, bool) else f"is {shown(value)}, not true or false"


def strings(value: object) -> str | None:
    """A list of strings, none blank."""
    if not isinstance(value, list):
        return f"is {shown(value)}, not a list of strings"
    for index, item in enumerate(value):
        if not isinstance(item, str) or not item.strip():
            return f"[{index}] is {shown(item)}, not a non-empty string"
    return None


def objects(path: Path, what: str, faults: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of each line of JSON in a file, one at a time; blank lines do not count.

    what: what an object stands for. A fault for each line that holds none, and where the
    file cannot be read any further.
    """
    for number, line in enumerate(_lines(path, faults), 1):
        if line.isspace():
            continue
        where = f"{path.name}:{number}"
        try:
            row = _decoded(line.removesuffix("\n"))
        except (ValueError, RecursionError) as error:
            faults.append(f"{where}: not JSON: {error}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            faults.append(f"{where}: {what} is a JSON object, not {type(row).__name__}")


def _lines(path: Path, faults: list[str]) -> Iterator[str]:
    """The lines of a file; a fault where it cannot be read any further."""
    try:
        # U+2028 and its kin may stand inside a JSON string: only a line feed ends a line.
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from file
    except (OSError, ValueError) as error:
        faults.append(f"{path.name}: {error}")


def _decoded(line: str) -> Any:
    """The JSON in `line`; ValueError if a field is given twice."""
    row = json.loads(line)
    # With one colon a field there can be no other; else it is read again, more slowly.
    if isinstance(row, dict) and line.count(":") > len(row):
        row = STRICT.decode(line)
    return row


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of `pairs`; ValueError if a key is given twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"field given twice: {', '.join(twice)}")
    return row


STRICT = json.JSONDecoder(object_pairs_hook=no_duplicates)
"""Refuses objects that give a key twice."""


def shown(value: object) -> str:
    """A value in at most 60 characters of JSON."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def read_object(path: Path, remedy: str, faults: list[str]) -> dict[str, Any]:
    """The JSON object in the file `path`, its keys in order; {} and a fault where there is none.

    remedy: what to do about a file that is missing or cut off, as a sentence's end.
    """
    try:
        content = STRICT.decode(path.read_text(encoding="utf-8-sig").strip())
    except json.JSONDecodeError as error:
        where = f"{path.name}:{error.lineno}"
        faults.append(f"{where}: not JSON: {error.msg}; the file is cut off or altered, {remedy}")
    except FileNotFoundError:
        faults.append(f"{path.name}: missing; {remedy}")
    except (OSError, ValueError, RecursionError) as error:
        faults.append(f"{path.name}: {error}; {remedy}")
    else:
        if isinstance(content, dict) and content:
            return content
        what = "is empty" if content == {} else f"is {shown(content)}, not an object of samples"
        faults.append(f"{path.name}: {what}; {remedy}")
    return {}


def lines_of(path: Path, keys: Iterable[str]) -> dict[str, int]:
    """The line in which each of `keys` begins in a JSON file that was read without a fault."""
    text = path.read_text(encoding="utf-8-sig")
    found = {}
    for key in keys:
        match = re.search(re.escape(json.dumps(key)) + r"\s*:", text)
        if match:
            found[key] = text.count("\n", 0, match.start()) + 1
    return found
