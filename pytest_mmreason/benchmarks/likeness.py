"""Which of many questions are the same or nearly so, without comparing every pair (pure)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

NEAR = 0.8
"""Jaccard index of the sets of neighbouring words from which two questions are nearly the same."""

MOST_COMPARED = 32
"""Questions that are looked up by one pair of words, so that the work grows with the number of
questions alone; in a suite of one template some that are alike may be left out."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that are like the first of them.

    members:  indices in ascending order, two or more.
    likeness: the lowest Jaccard index between the first and another; 1.0 where all are the same.
    """

    members: tuple[int, ...]
    likeness: float


def words(text: str) -> list[str]:
    """The words of `text` in small letters, without punctuation, in Unicode's NFKC form."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def clusters(questions: Sequence[str]) -> list[Cluster]:
    """The groups of like questions, in the order of their first.

    Two questions are the same if their words are, and nearly so if the Jaccard index of
    their sets of neighbouring words (begin and end count as words) is :data:`NEAR` or more.
    Each question is compared with the first of such groups as share one of its rarest
    pairs: sets that alike must have one of the ``n - ceil(NEAR n) + 1`` rarest in common.
    """
    same: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, question in enumerate(questions):
        if found := words(question):
            same[tuple(found)].append(number)
    known: dict[tuple[str, str], int] = {}
    pairs = {
        key: frozenset(known.setdefault(pair, len(known)) for pair in pairwise(("", *key, "")))
        for key in same
    }
    common = Counter(pair for found in pairs.values() for pair in found)
    members: dict[tuple[str, ...], list[int]] = {}
    lowest: dict[tuple[str, ...], float] = {}
    holders: defaultdict[int, list[tuple[str, ...]]] = defaultdict(list)
    for key, numbers in same.items():
        mine = pairs[key]
        rarest = sorted(mine, key=lambda pair: (common[pair], pair))
        # A hair less, so that no rounding costs a pair.
        rarest = rarest[: len(mine) - ceil(NEAR * len(mine) - 1e-9) + 1]
        near = {first for pair in rarest for first in holders[pair]}
        likeness, first = max(((_jaccard(mine, pairs[f]), f) for f in near), default=(0.0, key))
        if likeness >= NEAR:
            members[first] += numbers
            lowest[first] = min(lowest[first], likeness)
        else:
            members[key], lowest[key] = list(numbers), 1.0
            for pair in rarest:
                if len(holders[pair]) < MOST_COMPARED:
                    holders[pair].append(key)
    return [
        Cluster(tuple(sorted(found)), lowest[key])
        for key, found in members.items()
        if len(found) > 1
    ]


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
