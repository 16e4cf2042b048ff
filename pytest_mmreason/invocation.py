"""The options of a command line as a report may show them: without keys and passwords (pure)."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_mmreason.models.endpoint import shown, without_secrets

_OURS = "--mm-"
_SELECTING = ("-m", "-k")
"""pytest's own options that decide which samples are asked."""

_PARAMETERS = ("--mm-param", "--mm-judge-param")
_URL = re.compile(r"\w+://\S+")


def told(
    arguments: Sequence[str], switches: Sequence[str] = (), folder: Path = Path()
) -> tuple[str, ...]:
    """Of pytest's `arguments` those about this package and which samples run, each as a shell
    takes it.

    switches: options that take no value. What has the name of a secret is told as ``***``, and a
    URL without what may be one; a path as it is seen from `folder`, and of one that does not lie
    in it the name alone. Any other option may be another plugin's, and is left out.
    """
    return tuple(shlex.join(words) for words in _options(arguments, frozenset(switches), folder))


def _options(
    arguments: Sequence[str], switches: frozenset[str], folder: Path
) -> Iterator[list[str]]:
    rest = iter(arguments)
    for argument in rest:
        name, has_value, value = argument.partition("=")
        if argument == "--":
            return
        if name in _SELECTING and not has_value:
            yield [name, next(rest, "")]
        elif name in switches and not has_value:
            yield [name]
        elif name.startswith(_OURS):
            value = value if has_value else next(rest, "")
            value = _without_secrets(name, value)
            yield ["=".join([name, *(_without_place(part, folder) for part in value.split("="))])]


def _without_secrets(name: str, value: str) -> str:
    if name.endswith("-base-url"):  # with or without a scheme
        return without_secrets(value)
    if name in _PARAMETERS:
        key, _, setting = value.partition("=")
        safe = shown({key: _parsed(setting)})[key]
        value = f"{key}={safe if isinstance(safe, str) else json.dumps(safe)}"
    return _URL.sub(lambda url: without_secrets(url[0]), value)


def _without_place(text: str, folder: Path) -> str:
    """`text`; of an absolute path what another machine may have, too."""
    path = Path(text)
    if not path.is_absolute():
        return text
    inside = path.is_relative_to(folder.absolute())
    return path.relative_to(folder.absolute()).as_posix() if inside else f"…/{path.name}"


def _parsed(text: str) -> Any:
    """`text` as a parameter's value; what is no object or list stays as it was written."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, (dict, list)) else text
