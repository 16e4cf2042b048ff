"""What a session spent beyond its records: calls that ran ahead, were made again or by hand (pure)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pytest_mmreason.pricing import Cost, Price, cost

if TYPE_CHECKING:
    from pytest_mmreason.summary import RunResult

Spent = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Role -> model or judge, as tables call it -> calls and tokens."""

_NAMES = ("calls", "prompt_tokens", "completion_tokens")
_CUT_OFF = "cut_off"
"""Of the calls those that were cut off before a reply told their tokens; where there are any."""


def unrecorded(made: Spent, runs: Iterable[RunResult]) -> Spent:
    """Of the calls that were `made`, those in no record of `runs`; whoever has none is absent."""
    recorded: dict[tuple[str, str], Counter[str]] = {}
    for run in runs:
        for role, payer in (("model", run.spec.model), ("judge", run.judge)):
            recorded.setdefault((role, payer), Counter()).update(run.usage.get(role, {}))
    found: dict[str, dict[str, dict[str, int]]] = {}
    for role, payers in made.items():
        for payer, used in payers.items():
            there = recorded.get((role, payer), Counter())
            # A record may tell more than was called here: of a test's own Response, for example.
            left = {name: max(0, used.get(name, 0) - there[name]) for name in _NAMES}
            if cut := used.get(_CUT_OFF, 0):
                left[_CUT_OFF] = cut
            if any(left.values()):
                found.setdefault(role, {})[payer] = left
    return found


def added(parts: Iterable[Spent]) -> Spent:
    """The sum over the parts of a run."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for role, payer, used in (one for part in parts for one in _each(part)):
        total.setdefault(role, {}).setdefault(payer, Counter()).update(used)
    return {
        role: {payer: dict(used) for payer, used in of.items()}
        for role, of in sorted(total.items())
    }


def total_cost(
    runs: Iterable[RunResult], beyond: Spent, prices: Mapping[str, Price | None]
) -> float | None:
    """USD of the records of `runs` and of the calls `beyond` them; None if some is not known.

    Calls that were cut off before a reply told their tokens are in it with nothing.
    """
    costs = [_cost(used, prices.get(payer)) for _, payer, used in _each(beyond)]
    known = [one.usd for run in runs for one in run.costs.values()]
    if None in known or any(one.unpriced for one in costs):
        return None
    return math.fsum(usd for usd in (*known, *(one.usd for one in costs)) if usd is not None)


def known_cost(beyond: Spent, prices: Mapping[str, Price | None]) -> float:
    """USD of those calls `beyond` the records whose cost is known."""
    costs = (_cost(used, prices.get(payer)).usd for _, payer, used in _each(beyond))
    return math.fsum(usd for usd in costs if usd is not None)


def cut_off(beyond: Spent, prices: Mapping[str, Price | None]) -> int:
    """Calls to whoever has a price whose cost nobody told: they may have been billed."""
    paid = ((used, prices.get(payer)) for _, payer, used in _each(beyond))
    return sum(used.get(_CUT_OFF, 0) for used, price in paid if price and not price.is_free)


def to_json(beyond: Spent, prices: Mapping[str, Price | None]) -> dict[str, Any]:
    """What ``summary.json`` holds of calls in no record."""
    found: dict[str, Any] = {}
    for role, payer, used in _each(beyond):
        costs = {"cost_usd": _cost(used, prices.get(payer)).usd}
        found.setdefault(role, {})[payer] = {**used, **costs}
    return found


def _cost(used: Mapping[str, int], price: Price | None) -> Cost:
    # Tokens that were paid for a second time may stand beside no further call.
    return cost({**used, "calls": max(1, used.get("calls", 0))}, price)


def _each(spent: Spent) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    for role, payers in spent.items():
        for payer, used in payers.items():
            yield role, payer, used
