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


_MARKS = re.compile(r"<AND>|<OR>")


def reference(value: object) -> str | None:
    """A reference answer, null where there is none; blank neither whole nor beside an <AND> or <OR>.

    Whatever is answered to a blank one would score 0.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        return f"is {shown(value)}, not a string or null"
    if not _MARKS.sub("", value).strip():
        return "is empty; null says that there is no reference"
    if not all(map(str.strip, _MARKS.split(value))):
        return f"is {shown(value)}: nothing stands on one side of an <AND> or <OR>"
    return None


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
        except json.JSONDecodeError as error:
            # The line that the decoder counts is always its first.
            faults.append(f"{where}: not JSON: {error.msg} at column {error.colno}")
            continue
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
    except FileNotFoundError:
        faults.append(f"{path.name}: no such file in {path.parent}")
    except (OSError, ValueError) as error:
        faults.append(f"{path.name}: {error}")


def _decoded(line: str) -> Any:
    """The JSON in `line`; ValueError if a field is given twice."""
    row = json.loads(line)
    # With one colon a field there can be no other; else it is read again, more slowly.
    if isinstance(row, dict) and line.count(":") > len(row):
        row = STRICT.decode(line)
    return row


class GivenTwice(ValueError):
    """An object of JSON gives a key twice."""


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of `pairs`; GivenTwice if a key is given twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise GivenTwice(f"field given twice: {', '.join(twice)}")
    return row


_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}]', re.DOTALL)


def _line_of_second(text: str) -> int:
    """The line of the first key in JSON that its object has already."""
    open_objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            open_objects.append(set())
        elif token[0] == "}":
            open_objects.pop()
        elif token[2]:
            key = json.loads(token[1], strict=False)
            if key in open_objects[-1]:
                return text.count("\n", 0, token.start()) + 1
            open_objects[-1].add(key)
    return 1


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
    text = ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = STRICT.decode(text.strip())
    except json.JSONDecodeError as error:
        where = f"{path.name}:{error.lineno}"
        faults.append(f"{where}: not JSON: {error.msg}; the file is cut off or altered, {remedy}")
    except FileNotFoundError:
        faults.append(f"{path.name}: missing; {remedy}")
    except GivenTwice as error:
        faults.append(f"{path.name}:{_line_of_second(text)}: {error}; {remedy}")
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
