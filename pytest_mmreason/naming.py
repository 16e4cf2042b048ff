"""Item ids and marker names: short, printable, unique, the same on every machine (pure)."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Collection, Iterable, Sequence

from pytest_mmreason.markers import RESERVED_MARKERS, STANDARD_MARKERS

LONGEST_ID = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._+=,~-]+")


def slug(text: str, digits: int = 8) -> str:
    """`text` if it is safe in a node id, else what is safe of it and a hash.

    Left out are brackets, colons, slashes, ``@`` and spaces: pytest, xdist and shells
    give them a meaning.
    """
    if text and len(text) <= LONGEST_ID and not _UNSAFE.search(text):
        return text
    safe = _UNSAFE.sub("-", text).strip("-")[: LONGEST_ID - digits - 1].rstrip("-")
    return f"{safe or 'sample'}-{_hash(text, digits)}"


def slugs(ids: Sequence[str]) -> dict[str, str]:
    """A slug of its own for each id; those that needed no change keep it."""
    first = {i: slug(i) for i in ids}
    taken = {i for i, name in first.items() if name == i}
    result: dict[str, str] = {}
    for i, name in first.items():
        digits = 8
        while name != i and name in taken:
            digits += 4
            name = slug(i, digits)
        taken.add(name)
        result[i] = name
    return result


def marker_names(values: Iterable[str], reserved: Collection[str]) -> dict[str, str]:
    """A marker name of its own for each value; those that are fit keep it.

    reserved: names that pytest or another plugin has given a meaning.
    """
    distinct = list(dict.fromkeys(values))
    result = {v: v for v in distinct if v in STANDARD_MARKERS or _is_fit(v, reserved)}
    taken = {*result.values(), *reserved}
    for value in distinct:
        if value in result:
            continue
        # Not \W: it spares digits such as "²", which no identifier may hold.
        fit = "".join(c if f"a{c}".isidentifier() else " " for c in value)
        base = re.sub(" +", "_", fit).strip("_") or _hash(value, 8)
        if not _is_fit(base, reserved):
            base = f"mm_{base}"
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        result[value] = name
    return result


def _is_fit(name: str, reserved: Collection[str]) -> bool:
    return (
        name.isidentifier()
        and not name.startswith("_")
        and not keyword.iskeyword(name)
        and name not in reserved
        and name not in RESERVED_MARKERS
    )


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
