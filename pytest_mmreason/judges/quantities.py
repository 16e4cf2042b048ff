"""Numbers with their units: 90 minutes are 1.5 hours, 15 minutes no 15 hours. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mmreason.judges.lexicon import FILLER
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.numerals import number, value_of

_DIMENSIONS = {
    "time": "seconds 1, sec 1, second 1, s 1, minute 60, hour 3600, h 3600, day 86400, "
    "week 604800, year 31557600",
    "length": "meter 1, m 1, millimeter 0.001, centimeter 0.01, kilometer 1000, inch 0.0254, "
    "foot 0.3048, ft 0.3048, yard 0.9144, mile 1609.344",
    "mass": "gram 1, g 1, mg 0.001, milligram 0.001, kilogram 1000, ounce 28.349523125, "
    "oz 28.349523125, pound 453.59237, ton 1000000, tonne 1000000",
    "volume": "liter 1, litre 1, l 1, milliliter 0.001, ml 0.001, gallon 3.785411784",
    "money": "dollar 1, usd 1, buck 1, cent 0.01",
    "euro": "euro 1, eur 1",
    "sterling": "sterling 1, gbp 1",
    "yen": "yen 1, jpy 1",
    "share": "percent 1, percentage 1, pct 1",
    "temperature": "celsius 1, c 1",
    "fahrenheit": "fahrenheit 1, f 1",
    "angle": "degree 1",
    "speed": "kph 1, mph 1.609344",
}
_UNITS = {
    name: (dimension, float(factor))
    for dimension, table in _DIMENSIONS.items()
    for name, factor in (entry.split() for entry in table.split(", "))
}
_LONGEST = 12  # tokens of what may be nothing but a quantity
_PLAIN = frozenset({"us", "u", "per", "total", "approximately", "around"}) | FILLER


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text, tokens `start` to before `end`; what it measures, "" if untold.

    value: the number as written; amount: in the dimension's base unit (s, m, g, l, 1.00).
    """

    start: int
    end: int
    value: float
    dimension: str
    amount: float


def only_quantity(option: Words) -> Quantity | None:
    """The quantity that a reference answer is, if it is nothing but one; else None."""
    if len(option.tokens) > _LONGEST:
        return None
    found = list(quantities(option))
    if len(found) != 1:
        return None
    rest = {*option.tokens[: found[0].start], *option.tokens[found[0].end :]}
    return found[0] if rest <= _PLAIN else None


def quantities(text: Words) -> Iterator[Quantity]:
    """The numbers of `text` in order; "1 hour and 30 minutes" is one."""
    tokens, at = text.tokens, 0
    while at < len(tokens):
        if tokens[at][0] != "#":
            at += 1
            continue
        start, value = at, value_of(tokens[at]) or 0.0
        dimension, factor = _unit(tokens, at)
        at += 1 + bool(dimension)
        amount = value * factor
        while dimension and factor:
            ahead = at + (tokens[at : at + 1] == ("and",))
            if ahead >= len(tokens) or tokens[ahead][0] != "#":
                break
            next_dimension, smaller = _unit(tokens, ahead)
            if next_dimension != dimension or smaller >= factor:
                break
            amount, factor = amount + (value_of(tokens[ahead]) or 0.0) * smaller, smaller
            at = ahead + 2
        yield Quantity(start, at, value, dimension, amount)


def agree(wanted: Quantity, found: Quantity) -> bool:
    """Whether `found` is the quantity `wanted`: equal in the same unit, or to its last digit."""
    degrees = {wanted.dimension, found.dimension}
    if "angle" in degrees and degrees & {"temperature", "fahrenheit"}:
        return _equal(wanted.value, found.value)
    if wanted.dimension and found.dimension:
        return wanted.dimension == found.dimension and _equal(wanted.amount, found.amount)
    if found.dimension == "money" and _equal(wanted.value, found.amount):
        return True
    return (
        _equal(wanted.value, found.value)
        or _rounds(found.value, wanted.value)
        or _rounds_share(wanted.value, found.value)
    )


def _unit(tokens: tuple[str, ...], at: int) -> tuple[str, float]:
    return _UNITS.get(tokens[at + 1] if at + 1 < len(tokens) else "", ("", 1.0))


def _equal(left: float, right: float) -> bool:
    return number(left) == number(right)


def _rounds_share(exact: float, found: float) -> bool:
    """Whether `found` is the fraction `exact`, such as 1/3, in two digits or more: 0.33, 33.3."""
    if not 0 < exact < 1 or _equal(exact, round(exact, 6)):
        return False
    digits = len(f"{found:.10g}".partition(".")[2])
    return (digits > 1 and round(exact, digits) == found) or (
        0 < digits < 5 and round(100 * exact, digits) == found
    )


def _rounds(exact: float, rounded: float) -> bool:
    """Whether `exact` has more digits than `rounded`, which has some after its point."""
    digits = len(f"{rounded:.10g}".partition(".")[2])
    return 0 < digits < 6 and round(exact, digits) == rounded
