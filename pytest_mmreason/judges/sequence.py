"""Whether items stand in the order of a reference that is a sequence. Pure.

"red, then blue" is one, "D, F, C" is one, "red and blue" is one only if the question asks
for an order.
"""

from __future__ import annotations

from pytest_mmreason.judges.lexicon import DISCOURSE, FILLER, JOINERS, ORDERS, PLURAL_WORDS
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.stems import root
from pytest_mmreason.judges.values import EMPTY

_LONGEST, _WORDS = 3, 8  # content words, and words at all, of an item
_ITEMS = 3  # from so many on, commas alone make a sequence
_ASIDE = frozenset({"in", "on", "with", "of", "at"})  # begins what only describes an item


def asks_for_order(question: Words) -> bool:
    """Whether `question` asks in which order things stand or happen."""
    return ORDERS.search(question.joined) is not None


def is_sequence(option: Words, question: Words) -> bool:
    """Whether the reference `option` lists items whose order is part of the answer.

    So it is if "then" joins them or the question asks for an order; and, unless the question
    asks for all of something, if nothing but commas parts three short items or more.
    """
    if len(option.tokens) < 2:
        return False
    is_told = "then" in option.token_set or asks_for_order(question)
    if not is_told and (
        len(option.phrase_starts) < _ITEMS - 1
        or JOINERS & option.token_set
        or PLURAL_WORDS & question.token_set
    ):
        return False
    spans = _spans(option)
    if any(end - start > _WORDS for start, end in spans):
        return False
    items = _items(option, question)
    return len(items) >= 2 and all(len(item) <= _LONGEST for item in items)


def in_sequence(option: Words, response: Words, question: Words) -> tuple[int, int] | None:
    """Where the items of `option` stand in `response` in their order, with none between.

    An item may be described more closely, and what only introduces it is none.
    """
    wanted = _items(option, question)
    known = (FILLER | DISCOURSE | question.token_set) - option.token_set
    spans = [
        span for span in _spans(response) if not known.issuperset(response.tokens[slice(*span)])
    ]
    said = [_content(response.tokens[start:end]) for start, end in spans]
    if not option.numbers:  # "1. hat 2. fish"
        said = [frozenset(word for word in item if word[0] != "#") for item in said]
    kept = [at for at, item in enumerate(said) if item]
    for first in range(len(kept) - len(wanted) + 1):
        at = first
        for item in wanted:
            while first < at < len(kept) and not item <= said[kept[at]]:
                if response.tokens[spans[kept[at]][0]] not in _ASIDE:
                    break
                at += 1
            if at == len(kept) or not item <= said[kept[at]]:
                break
            at += 1
        else:
            return spans[kept[first]][0], spans[kept[at - 1]][1]
    return None


def _items(option: Words, question: Words) -> list[frozenset[str]]:
    """The content of each item, without what only repeats the question: "They are red, …"."""
    items = [_content(option.tokens[start:end]) for start, end in _spans(option)]
    return [item - question.vocabulary or item for item in items if item]


def _content(tokens: tuple[str, ...]) -> frozenset[str]:
    """The content words of an item by their root; "up", which elsewhere is none, is one."""
    if len(tokens) == 1:
        return frozenset(map(root, tokens))
    return frozenset(root(token) for token in tokens if token not in EMPTY)


def _spans(text: Words) -> list[tuple[int, int]]:
    """Where each item stands; "then" parts them as commas and "and" do."""
    spans: list[tuple[int, int]] = []
    for start, end in text.items[0]:
        for at in range(start, end):
            if text.tokens[at] == "then":
                spans.append((start, at))
                start = at + 1
        spans.append((start, end))
    return [(start, end) for start, end in spans if start < end]
