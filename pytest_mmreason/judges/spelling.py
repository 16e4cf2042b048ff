"""Answers that are spelt otherwise: run together, apart, or with a slip of the pen. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_mmreason.judges.lexicon import FILLER
from pytest_mmreason.judges.normalise import Words

_SHORTEST = 4  # letters of what may be run together or have two letters changed over
_LONG_NAME, _LONG_WORD = 6, 9  # letters from which one wrong letter leaves a name or word known


def run_together(option: Words, response: Words) -> list[tuple[int, int]]:
    """Where `option` stands with its words parted otherwise: "ice cream" as "icecream"."""
    wanted = _squeeze(option.tokens)
    if len(wanted) < _SHORTEST or wanted.isdigit():
        return []
    squeezed = response.squeezed
    at = squeezed.find(wanted)
    if at < 0:
        return []
    starts: dict[int, int] = {}
    position = 0
    for index, token in enumerate(response.tokens):
        starts[position] = index
        position += len(token) - (token[0] == "#")
    starts[position] = len(response.tokens)
    places: list[tuple[int, int]] = []
    while at >= 0 and len(places) < 10:
        if at in starts and at + len(wanted) in starts:
            places.append((starts[at], starts[at + len(wanted)]))
        at = squeezed.find(wanted, at + 1)
    return places


def respelt(option: Words, response: Words) -> Words | None:
    """`option` with its misspelt words as `response` spells them; None if it is not there.

    Two letters changed over ("recieve") are one slip; in long words and in names, so are
    one letter too many, too few or wrong. What has digits is no word to be misspelt.
    """
    missing = [t for t in option.tokens if t not in response.token_set and t not in FILLER]
    if not missing or len(missing) > 2 or any(not t.isalpha() for t in missing):
        return None
    text = option.text
    others = len(option.tokens) > len(missing)
    spelt: dict[str, str] = {}
    for word in missing:
        named = text[:1] != text[:1].lower() or text.lower() != text
        least = (_LONG_NAME + (not others)) if named else _LONG_WORD
        near = _nearest(word, response.token_set, least, named and others)
        if near is None:
            return None
        spelt[word] = near
    return Words(tuple(spelt.get(t, t) for t in option.tokens), text=text)


def _squeeze(tokens: Iterable[str]) -> str:
    return "".join(token.removeprefix("#") for token in tokens)


def _nearest(word: str, among: frozenset[str], least: int, to_the_end: bool) -> str | None:
    if len(word) < _SHORTEST:
        return None
    letters = sorted(word)
    for other in sorted(among):
        if other[0] != word[0] or abs(len(other) - len(word)) > 1 or other in FILLER:
            continue
        if len(other) == len(word) and sorted(other) == letters and _is_swap(word, other):
            return other
        if len(word) >= least and other.isalpha() and _is_one_edit(word, other, to_the_end):
            return other
    return None


def _is_swap(left: str, right: str) -> bool:
    differing = [at for at, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    return len(differing) == 2 and differing[1] - differing[0] == 1


def _is_one_edit(left: str, right: str, to_the_end: bool) -> bool:
    """One letter too many, too few or wrong.

    Unless `to_the_end`, not among the last two: a chloride is no chlorine.
    """
    if left == right:
        return False
    shorter = min(len(left), len(right))
    pairs = enumerate(zip(left, right, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), shorter)
    if same >= shorter - 2 and not to_the_end:
        return False
    skip = {0: (1, 1), 1: (1, 0), -1: (0, 1)}[len(left) - len(right)]
    return left[same + skip[0] :] == right[same + skip[1] :]
