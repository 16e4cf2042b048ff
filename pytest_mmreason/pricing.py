"""What calls cost: prices as data, ``prices.toml``, and a table of the user's before it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import UsageError

if TYPE_CHECKING:
    from pytest_mmreason.plan import Plan

MILLION = 1_000_000
DEAREST = 1e9
"""USD per million tokens: beyond it a price is a slip."""
_KEYS = ("input", "output")
_LOCAL = frozenset({"hf", "tiny", "replay", "local", "keyword", "agreement"})
"""Kinds of models and judges that are computed here, or answer from a file."""

_RELEASE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$")
"""What the name of a release has behind the model's: ``-2024-08-06``, ``-20241022``, ``-0613``."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of prompt and of completion; both at least 0."""

    input: float
    output: float

    @property
    def is_free(self) -> bool:
        """True if no number of tokens costs anything."""
        return not (self.input or self.output)

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """USD for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


FREE = Price(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of a role cost in a run.

    usd: None if it is not known. unpriced: True if that is for want of a price alone.
    """

    usd: float | None
    unpriced: bool = False


NOTHING = Cost(0.0)


def cost(usage: Mapping[str, int], price: Price | None) -> Cost:
    """The cost of the tokens in `usage`; that of calls whose tokens nobody told is not known."""
    tokens = [usage.get(f"{name}_tokens", 0) for name in ("prompt", "completion")]
    if not usage.get("calls"):
        return NOTHING
    if price is None:
        return Cost(None, unpriced=any(tokens))
    return Cost(price.of(*tokens)) if price.is_free or any(tokens) else Cost(None)


def running_cost(
    plan: Plan, prices: Mapping[str, Price | None], usage: Mapping[str, Mapping[str, int]]
) -> float | None:
    """USD of what was called so far; None if that is not known.

    usage: by role. It is that of all models together, so what models of different prices cost
    is known at the end only.
    """
    payers = {"model": {run.model for run in plan.runs}, "judge": {plan.judge}}
    total = 0.0
    for role, used in usage.items():
        found = {prices.get(name) for name in payers[role]}
        spent = cost(used, found.pop()).usd if len(found) == 1 else None
        if spent is None:
            return None
        total += spent
    return total


@dataclass(slots=True)
class Prices:
    """The price of a model by its spec; `own` comes before what is bundled.

    own: name or pattern -> price.
    """

    own: Mapping[str, Price] = field(default_factory=dict)
    _bundled: Mapping[str, Price] | None = field(default=None, init=False, repr=False)

    @classmethod
    def of_file(cls, path: Path | None) -> Prices:
        """The prices with those of the user's file; UsageError if it cannot be used."""
        return cls() if path is None else cls(read(path, "--mm-prices"))

    def of(self, spec: str) -> Price | None:
        """The price of the model or judge `spec`, presets resolved; None if it is unknown.

        ``openai:NAME`` is looked up as NAME, whatever its endpoint; any other spec as it
        stands. What is computed here costs nothing.
        """
        kind, _, argument = spec.partition(":")
        name = argument if kind == "openai" else spec
        found = _look_up(self.own, name)
        if found is None:  # by the name that options and summaries give it
            found = _look_up(self.own, spec)
        if found is None and kind in _LOCAL:
            return FREE
        if found is None:
            if self._bundled is None:
                self._bundled = read(Path(__file__).with_name("prices.toml"), "the price table")
            found = _look_up(self._bundled, name)
        return found


def key_of(spec: str) -> str:
    """Under what name a table gives the price of the model or judge `spec`."""
    return spec.removeprefix("openai:")


def prices_of(plan: Plan) -> dict[str, Price | None]:
    """The prices of the models and the judge of `plan`, by what its tables call them.

    Raises UsageError for a table of the user's that cannot be used.
    """
    prices = Prices.of_file(plan.settings.prices)
    found = {run.model: prices.of(run.asked) for run in plan.runs}
    return {**found, plan.judge: prices.of(plan.settings.judge)}


def read(path: Path, what: str) -> dict[str, Price]:
    """The table in a file like ``prices.toml``: model name or pattern -> price.

    Raises UsageError naming `what`, the file, and the line or every key that is wrong.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{what} {path}: {error.strerror or error}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise UsageError(f"{what} {path}: {error}") from None
    models = document.get("models")
    faults = [f"{key!r} is no key of a price table" for key in document if key not in _TOP]
    prices: dict[str, Price] = {}
    if not isinstance(models, dict) or not models:
        faults.append("it has no table [models] of prices")
        models = {}
    for name, entry in models.items():
        if wrong := _faults(name, entry):
            faults += wrong
        else:
            prices[name] = Price(float(entry["input"]), float(entry["output"]))
    if faults:
        raise UsageError(
            f"{what} {path}: {'; '.join(faults)}. Write, for example,\n"
            '  [models]\n  "my-model" = { input = 2.5, output = 10.0 }  # USD per million tokens'
        )
    return prices


_TOP = ("as_of", "models")


def _faults(name: str, entry: Any) -> list[str]:
    """What is wrong with the price of a model."""
    where = f'models."{name}"'
    if not isinstance(entry, dict):
        return [f"{where} is {entry!r}, not {{ input = USD, output = USD }}"]
    faults = [f"{where} lacks {key}" for key in _KEYS if key not in entry]
    for key, value in entry.items():
        if key not in _KEYS:
            faults.append(f"{where} has a key {key!r}, which is neither input nor output")
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            faults.append(f"{where}.{key} is {value!r}, not a number")
        elif not 0 <= value <= DEAREST:
            shown = f"{value}"[:40]
            faults.append(f"{where}.{key} is {shown}; a number from 0 to {DEAREST:,.0f} is needed")
    return faults


def _look_up(table: Mapping[str, Price], name: str) -> Price | None:
    """The price under the most telling of the names of a model; of patterns, the longest."""
    for candidate in dict.fromkeys((name, _RELEASE.sub("", name), name.rpartition("/")[2],
                                    _RELEASE.sub("", name.rpartition("/")[2]))):  # fmt: skip
        if candidate in table:
            return table[candidate]
        found = [pattern for pattern in table if fnmatchcase(candidate, pattern)]
        if found:
            return table[max(found, key=len)]
    return None
