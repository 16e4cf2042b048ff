"""Records of files that may be damaged, or were written by others (pure)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Container, Mapping
from typing import Any

from pytest_mmreason.record import COUNTED, Record

HEAVIEST = 1e100
"""The most that a sample may weigh: the square of what is much heavier is no number."""


def read_record(text: str, without: Container[str] = ()) -> Record:
    """The record on a line of ``results.jsonl``, each of its fields of its kind.

    without: names of fields that are left at their defaults. Raises ValueError saying what is
    wrong.
    """
    try:
        record = Record.from_json(text, without)
    except RecursionError:
        raise ValueError("too deep") from None
    for name, is_kind in _CHECKS.items():
        value = getattr(record, name)
        if not is_kind(value):
            raise ValueError(f"{name} is {value!a:.60}")
    if record.score is None and record.status in COUNTED:
        raise ValueError(f"score of a {record.status} sample is None")
    for name, most in (("score", 1.0), ("weight", HEAVIEST)):
        if not 0 <= (getattr(record, name) or 0.0) <= most:
            raise ValueError(f"{name} of a {record.status} sample is {getattr(record, name)!a}")
    for step in record.steps:
        if not (_is_int(step.get("step")) and _is_number(step.get("credit"))):
            raise ValueError(f"a step is {step!a:.60}")
    return record


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and -HEAVIEST <= value <= HEAVIEST and math.isfinite(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "str": _is_text,
    "bool": _is_bool,
    "int": _is_int,
    "float": _is_number,
    "Mapping[str, Any]": _is_object,
}


def _check_of(kind: str) -> Callable[[Any], bool]:
    """Whether a value is of a kind, as the fields of Record are annotated."""
    if kind.startswith("tuple["):
        is_item = _check_of(kind.removeprefix("tuple[").removesuffix(", ...]"))
        return lambda value: isinstance(value, tuple) and all(map(is_item, value))
    if kind.endswith(" | None"):
        is_some = _check_of(kind.removesuffix(" | None"))
        return lambda value: value is None or is_some(value)
    return _KINDS[kind]


_CHECKS = {field.name: _check_of(str(field.type)) for field in dataclasses.fields(Record)}
