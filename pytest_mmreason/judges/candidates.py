"""Whether an answer stands in a response as its answer, or as one name among others. Pure.

Whoever lists every possible answer has given none, and a thing named only to say where
another is ("below the shelf", "unlike the others") is not what was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pytest_mmreason.judges.lexicon import (
    DISCOURSE,
    DOUBTS,
    EXAMPLES,
    FILLER,
    JOINERS,
    MARKS,
    NOT,
    PLURAL_WORDS,
    POSSESSIVES,
    PRONOUNS,
    RELATIONS,
    RELATIONS_OF_TWO,
    VERBS,
)
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.numerals import value_of

_OTHERS = 3
"""So many other candidates beside the answer make a list of guesses."""

LEAST_FILLER = 0.12
"""The share of "the", "is" and "of" below which words are no sentences."""

_OTHERS_OF_SEVERAL = 8  # where the question asks for several things
_BARE = 3  # tokens of a response that is nothing but options: "red blue"
_ITEM = 5  # tokens of a candidate at most
_LABELS = 20  # a higher number names no place in a list
_REACH = 2 * _OTHERS_OF_SEVERAL  # candidates looked at on each side
_HEAP = 20  # tokens of a phrase from which some have to be "the", "is" or "of"
_EARLY, _LATE = 250, 200  # tokens at either end of a response in which an answer is looked for


def asks_for_several(question: Words) -> bool:
    """Whether several things in a row are a proper answer to `question`."""
    tokens = question.tokens
    return bool(PLURAL_WORDS & set(tokens)) or tokens[1:2] == ("are",)


def offered(question: Words) -> frozenset[str]:
    """The words of the options that `question` offers: "Is it red, green or blue?"."""
    tokens = question.tokens
    found: set[str] = set()
    if "or" not in question.token_set:
        return frozenset()
    items, of_token = question.items
    for at, token in enumerate(tokens):
        if token != "or" or not 0 < at < len(tokens) - 1:
            continue
        found.add(tokens[at + 1])
        found.add(tokens[at - 1])
        for number in range(of_token[at - 1] - 1, max(-1, of_token[at - 1] - _REACH), -1):
            first, last = items[number]
            if last - first > 3:
                found.add(tokens[last - 1])
                break
            found.update(tokens[first:last])
    return frozenset(found) - FILLER


def is_listed(
    response: Words, start: int, end: int, accepted: frozenset[str], question: Words
) -> bool:
    """Whether the answer at `start` to `end` is one of many candidates.

    accepted: tokens that belong to an accepted answer and so are no other candidates.
    """
    most = _OTHERS_OF_SEVERAL if asks_for_several(question) else _OTHERS
    known = accepted | FILLER | DISCOURSE | (question.token_set - offered(question))
    others = _beside(response, start, end, known, -1) | _beside(response, start, end, known, 1)
    if len(others) >= most:
        return True
    if len(others) >= most - 1 and _follows_example(response, start, others):
        return True
    row = _row(response, start, end, accepted)
    numeric = response.tokens[start][0] == "#"
    return row >= (most if numeric else 2 * most)


def is_aside(response: Words, start: int, asked: frozenset[str]) -> bool:
    """Whether what stands at `start` is named only in relation to something else.

    asked: the tokens of the question and the accepted answers, whose own relations are none.
    """
    tokens = response.tokens
    if MARKS & {*tokens[max(0, start - 1) : start]} - asked:
        return True
    if {"where", "located"} & asked:
        return False
    for at in range(start - 1, max(-1, start - 4), -1):
        if response.phrases[at] != response.phrases[start]:
            break
        if tokens[at] in RELATIONS:
            return tokens[at] not in asked
        if tokens[at - 1 : at + 1] in RELATIONS_OF_TWO:
            return not asked.issuperset(tokens[at - 1 : at + 1])
        if tokens[at] in FILLER - POSSESSIVES:
            break
    return tokens[max(0, start - 2) : start] in EXAMPLES and "other" in tokens[start - 6 : start]


def is_buried(response: Words, start: int) -> bool:
    """Whether `start` lies so deep in a long response that it is no answer to a short question."""
    return _EARLY <= start < len(response.tokens) - _LATE


def is_in_a_heap(response: Words, start: int, end: int) -> bool:
    """Whether the answer at `start` to `end` is a small part of many words without a sentence.

    Who says all colors, shapes and numbers in a row has answered nothing.
    """
    first, last = response.phrase_of(start)
    is_large = last - first >= max(_HEAP, 2 * (end - start))
    return is_large and filler_share(response.tokens[first:last]) < LEAST_FILLER


def filler_share(tokens: Sequence[str]) -> float:
    """The part of `tokens`, in [0, 1], that is "the", "is", "of" and the like; of none 1."""
    filler = sum(token in FILLER and token not in JOINERS for token in tokens)
    return filler / len(tokens) if tokens else 1.0


def is_one_of_two(response: Words, accepted: frozenset[str], question: Words) -> bool:
    """Whether a response is nothing but the answer and one thing more: "A dog and a cat."."""
    items, _ = response.items
    if len(items) != 2 or not JOINERS & response.token_set:
        return False
    known = FILLER | question.token_set
    beyond = [set(response.tokens[start:end]) - known for start, end in items]
    if any(end - start > _BARE - 1 for start, end in items) or not all(beyond):
        return False
    return sum(content <= accepted for content in beyond) == 1


def is_other_option(
    response: Words, start: int, end: int, accepted: frozenset[str], question: Words
) -> bool:
    """Whether the response names, beside the answer, the other option that the question offers."""
    others = offered(question) - accepted
    if not others:
        return False
    tokens, clauses = response.tokens, response.clauses
    for step, edge in ((-1, start - 1), (1, end)):
        for at in range(edge, edge + 4 * step, step):
            if not 0 <= at < len(tokens) or clauses[at] != clauses[start]:
                break
            if tokens[at] in others:
                between = set(tokens[min(at, edge) : max(at, edge) + 1])
                return bool(JOINERS & between) or len(tokens) <= _BARE
            if tokens[at] not in FILLER:
                break
    return False


def _beside(
    response: Words, start: int, end: int, known: frozenset[str], step: int
) -> set[frozenset[str]]:
    """The other candidates before (`step` -1) or after (1) the answer, in an unbroken row."""
    items, of_token = response.items
    own = of_token[start] if step < 0 else of_token[end - 1]
    others: set[frozenset[str]] = set()
    head = items[of_token[start]][0]
    frame = response.tokens[head : head + 2]
    bare = items[own] == (start, end)
    numeric = response.tokens[start][0] == "#"
    counts = any(token[0] == "#" for token in response.tokens[slice(*items[own])])
    for at in range(own + step, own + step * _REACH, step):
        if not 0 <= at < len(items):
            break
        first, last = items[at]
        tokens = response.tokens[first:last]
        framed = tokens[:2] == frame and tokens[1:2] != () and tokens[1] in VERBS
        if framed:
            tokens = tokens[2:]
        content = frozenset(tokens) - known
        crosses = response.clauses[first] != response.clauses[items[at - step][0]]
        if not content and len(tokens) <= 2 and not crosses:
            continue
        if not content or len(content) > 3 or len(tokens) > _ITEM:
            break
        has_number = any(token[0] == "#" for token in tokens)
        is_other_kind = bare and not has_number if numeric else has_number and not counts
        if is_other_kind and not _is_label(tokens):
            break  # "Ben, 100 cm tall" names one, and "17.30: the deal" one price
        if numeric and sum(token[0] == "#" for token in tokens) > 1:
            break  # a sum's parts
        if (VERBS | PRONOUNS) & set(tokens) or NOT & set(tokens):
            break
        if crosses and not framed and not (bare and _is_bare(response, first)):
            break
        others.add(content)
    return others


def _is_bare(response: Words, at: int) -> bool:
    """Whether the clause of the token at `at` is one item or several short ones, no sentence."""
    clauses = response.clauses
    items = [
        response.tokens[start:end]
        for start, end in response.items[0]
        if end > start and clauses[start] == clauses[at]
    ]
    if len(items) == 1:
        return len(items[0]) <= _ITEM and not VERBS & set(items[0])
    return all(len(item) < _BARE for item in items)


def _is_label(item: tuple[str, ...]) -> bool:
    """Whether an item numbers others: "2." and "Row 2:"."""
    value = value_of(item[-1])
    return value is not None and 0 < value <= _LABELS


def _follows_example(response: Words, start: int, others: set[frozenset[str]]) -> bool:
    reach = response.tokens[max(0, start - 3 * len(others) - 4) : start]
    pairs = pairwise(reach)
    return any(pair in EXAMPLES for pair in pairs) or bool(
        {"including", "include", "either", *DOUBTS} & set(reach)
    )


def _row(response: Words, start: int, end: int, accepted: frozenset[str]) -> int:
    """Other candidates that stand around the answer with nothing between: "3 4 5", "cat dog"."""
    tokens, phrases = response.tokens, response.phrases
    numeric = tokens[start][0] == "#"
    others: set[str] = set()
    for step, edge in ((-1, start - 1), (1, end)):
        for at in range(edge, edge + step * _REACH, step):
            if not 0 <= at < len(tokens) or phrases[at] != phrases[start]:
                break
            token = tokens[at]
            if token in FILLER or (token[0] == "#") != numeric:
                return 0 if not numeric else len(others)
            if token not in accepted:
                others.add(token)
    return len(others)
