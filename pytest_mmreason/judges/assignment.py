"""What a text gives to which thing: "A 4, B 6", "red and blue go up, green goes down". Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_mmreason.judges.lexicon import FILLER
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.stems import root

_LABELS = 3  # items from which pairs of a label and a number are a list of them


def labelled(reference: Words) -> dict[str, str]:
    """The number of each label where `reference` lists nothing else: "A 4, B 6, C 5"; else {}."""
    items, _ = reference.items
    found: dict[str, str] = {}
    for start, end in items:
        content = [token for token in reference.tokens[start:end] if token not in FILLER]
        numbers = [token for token in content if token[0] == "#"]
        labels = [token for token in content if token[0] != "#"]
        if len(numbers) != 1 or len(labels) != 1 or labels[0] in found:
            return {}
        found[labels[0]] = numbers[0]
    return found if len(found) >= _LABELS else {}


def share_of_labels(wanted: Mapping[str, str], response: Words) -> float | None:
    """The part of the labels in [0, 1] that have their number in `response`.

    A label's number is the one after its last mention, or before it where the response
    begins with a number: "4 on A". None where the response names less than half the labels.
    """
    marks = [token for token in response.tokens if token in wanted or token[0] == "#"]
    if 2 * len(wanted.keys() & set(marks)) < len(wanted):
        return None
    step = -1 if marks[0][0] == "#" else 1
    given = {
        token: marks[at + step]
        for at, token in enumerate(marks)
        if token in wanted and 0 <= at + step < len(marks) and marks[at + step][0] == "#"
    }
    return sum(given.get(label) == number for label, number in wanted.items()) / len(wanted)


def given_values(
    things: frozenset[str], alike: frozenset[str], response: Words, table: Mapping[str, str]
) -> dict[str, set[str]]:
    """What `response` gives each of `things` that it names: "red goes down, blue goes up".

    things: words by their root; alike: all that could stand in their places. table: the
    values apart from each other by their words, such as up and down.
    """
    given: dict[str, set[str]] = {}
    for thing, value in _pairs(response, things | alike, table):
        if thing in things:
            given.setdefault(thing, set()).add(value)
    return given


def _pairs(
    response: Words, things: frozenset[str], table: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Each mention of a thing with the value it is given.

    The only value of its phrase; else the next one, or the one before where values come
    first and things last; else none.
    """
    phrases: dict[int, list[str]] = {}
    marks: list[tuple[str, str, int]] = []  # thing or "", value or "", phrase
    for token, phrase in zip(response.tokens, response.phrases, strict=True):
        if token in table:
            marks.append(("", table[token], phrase))
            phrases.setdefault(phrase, []).append(table[token])
        elif (word := root(token)) in things:
            marks.append((word, "", phrase))
    if not marks:
        return
    values_first, values_last = bool(marks[0][1]), bool(marks[-1][1])
    for at, (thing, _, phrase) in enumerate(marks):
        own = phrases.get(phrase, [])
        if thing and len(own) == 1:
            yield thing, own[0]
        elif thing and values_first != values_last:
            others = reversed(marks[:at]) if values_first else marks[at + 1 :]
            if value := next((value for _, value, _ in others if value), ""):
                yield thing, value
