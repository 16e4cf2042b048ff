"""What a text gives to which thing: "A 4, B 6", "red and blue go up, green goes down". Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_mmreason.judges.lexicon import FILLER, JOINERS, NOT
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
    begins with a number and ends with a label: "4 on A". None where the response names less
    than half the labels.
    """
    marks = [token for token in response.tokens if token in wanted or token[0] == "#"]
    if 2 * len(wanted.keys() & set(marks)) < len(wanted):
        return None
    step = -1 if marks[0][0] == "#" != marks[-1][0] else 1
    given = {
        token: marks[at + step]
        for at, token in enumerate(marks)
        if token in wanted and 0 <= at + step < len(marks) and marks[at + step][0] == "#"
    }
    return sum(given.get(label) == number for label, number in wanted.items()) / len(wanted)


def own_values(parts: Sequence[Words], response: Words, question: Words) -> list[bool | None]:
    """Of parts that each give one thing of the question one value, which have their own.

    Where the parts are "Ada on the red chair" and "Bo on the blue chair", or "well is K" and
    "pond is P", False for a thing that is given the other part's value only; None for one of
    which that cannot be told, and for all parts of any other form.
    """
    pairs: list[tuple[str, str]] = []
    for part in parts:
        others = frozenset[str]().union(*(o.vocabulary for o in parts if o is not part))
        own = dict.fromkeys(w for t in part.tokens if (w := root(t)) in part.vocabulary - others)
        if len(own) != 2 or (NOT | JOINERS) & part.token_set:
            return [None] * len(parts)
        first, second = own
        if (first in question.vocabulary) == (second in question.vocabulary):
            return [None] * len(parts)
        pairs.append((first, second) if first in question.vocabulary else (second, first))
    things = frozenset(thing for thing, _ in pairs)
    values = {value: value for _, value in pairs}
    is_bare = len(response.phrase_starts) < len(parts) - 1  # one phrase with all of it
    if len(parts) < 2 or things & values.keys():
        return [None] * len(parts)
    told = given_values(things, frozenset(), response, values, by_root=True)
    found: list[bool | None] = []
    for thing, value in pairs:
        given = told.get(thing, set())
        is_own = True if given == {value} and not is_bare else None
        found.append(False if given and value not in given else is_own)
    return found


def given_values(
    things: frozenset[str],
    alike: frozenset[str],
    response: Words,
    table: Mapping[str, str],
    *,
    by_root: bool = False,
) -> dict[str, set[str]]:
    """What `response` gives each of `things` that it names: "red goes down, blue goes up".

    things: words by their root; alike: all that could stand in their places. table: the
    values apart from each other by their words, such as up and down; by_root: by their roots.
    """
    given: dict[str, set[str]] = {}
    for thing, value in _pairs(response, things | alike, table, by_root):
        if thing in things:
            given.setdefault(thing, set()).add(value)
    return given


def _pairs(
    response: Words, things: frozenset[str], table: Mapping[str, str], by_root: bool
) -> Iterator[tuple[str, str]]:
    """Each mention of a thing with the value it is given.

    The only value of its phrase; else the next one, or the one before where values come
    first and things last; else none.
    """
    phrases: dict[int, list[str]] = {}
    marks: list[tuple[str, str, int]] = []  # thing or "", value or "", phrase
    for token, phrase in zip(response.tokens, response.phrases, strict=True):
        word = root(token)
        if value := table.get(word if by_root else token):
            marks.append(("", value, phrase))
            phrases.setdefault(phrase, []).append(value)
        elif word in things:
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
