"""Whether a response denies or takes back what it names. Pure."""

from __future__ import annotations

from pytest_mmreason.judges.lexicon import (
    CORRECTIONS,
    FAULTS,
    FILLER,
    IMPRESSIONS,
    NEGATORS,
    NOT,
    SMALLER,
    VERBS,
)
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.stems import root

_REACH = 5  # tokens before a thing in which it may be called an impression
_SAID = 4  # content words after which a "not" is not about them


def is_negated(
    before: list[str],
    after: tuple[str, ...],
    after_phrases: tuple[int, ...],
    phrase: int,
    is_number: bool,
) -> bool:
    """Whether an answer is denied: "not X", "Y rather than X", "X is wrong".

    before, after: the tokens around it. after_phrases: the phrase of each of those after it;
    phrase: its own.
    """
    for at, token in enumerate(before):
        if token in NEGATORS and before[at + 1 : at + 2] not in (["only"], ["just"]):
            return True
    if before[-2:] in (["rather", "than"], ["instead", "of"], ["opposed", "to"]):
        return True
    # "the living room is bigger than X" speaks for the living room
    if before and before[-1] == "than" and (is_number or not SMALLER & set(before)):
        return True
    return (
        len(after) > 1
        and after[0] in VERBS
        and after[1] in ("not", "wrong", "incorrect", "false")
        and all(number == phrase for number in after_phrases)
    )


def is_asked_for(
    before: list[str], after: tuple[str, ...], question: Words, accepted: frozenset[str]
) -> bool:
    """Whether what seems to deny the answer is what the question asks for.

    "Which is never reached?" is answered by "you never reach X", "which one is wrong?" by
    "X is wrong" and, where both are part of the answer, by "Y instead of X".
    """
    asked = question.token_set
    last = max((at for at, token in enumerate(before) if token in NEGATORS), default=-1)
    if last >= 0:
        verb = {root(token) for token in before[last + 1 :] if token not in FILLER}
        return before[last] in asked and not verb.isdisjoint(question.vocabulary)
    if not (FAULTS & asked and "which" in asked):
        return False
    if before[-2:] in (["rather", "than"], ["instead", "of"]):
        return before[-3:-2] != [] and before[-3] in accepted
    return after[1:2] != ("not",)


def is_corrected(response: Words, start: int, end: int) -> bool:
    """Whether what stands there only seemed so: "it looks like a cat, but is actually a dog"."""
    tokens = response.tokens
    if not IMPRESSIONS & set(tokens[max(0, start - _REACH) : start]):
        return False
    turns = [at for at in range(end, min(end + 3, len(tokens))) if tokens[at] in ("but", "however")]
    after = tokens[turns[0] : turns[0] + 2 * _REACH] if turns else ()
    return bool(CORRECTIONS & set(after)) and tokens[start] not in after


def negates_otherwise(reference: Words, response: Words) -> bool:
    """Whether, of a statement and its nearest clause in the response, just one is negated."""
    shared = reference.vocabulary & response.vocabulary
    wanted = {token for token in set(response.tokens) - FILLER if root(token) in shared}
    meant = {p for t, p in zip(response.tokens, response.phrases, strict=True) if t in wanted}
    if NOT & reference.token_set and not NOT & set(reference.tokens[: _first_phrase(reference)]):
        return False  # what only adds something with a "not" may be told without
    said: dict[int, set[str]] = {}
    negated: dict[int, int] = {}  # clause: how much of the statement its first "not" finds said
    for token, clause, phrase in zip(
        response.tokens, response.clauses, response.phrases, strict=True
    ):
        if token in NOT and phrase in meant:
            negated.setdefault(clause, len(said.get(clause, ())))
        elif token in wanted:
            said.setdefault(clause, set()).add(root(token))
    if not said:
        return False
    nearest = max(said, key=lambda clause: len(said[clause]))
    # a "not" after all has been said begins another statement
    turned = negated.get(nearest, len(said[nearest])) < max(_SAID, len(said[nearest]))
    return (nearest in negated and turned) != bool(NOT & set(reference.tokens))


def _first_phrase(text: Words) -> int:
    """How many tokens the first phrase has."""
    return min(text.phrase_starts, default=len(text.tokens))
