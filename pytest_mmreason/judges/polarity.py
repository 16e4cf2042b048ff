"""Whether a response says yes or no. Pure."""

from __future__ import annotations

from pytest_mmreason.judges.lexicon import DISCOURSE, FILLER, NO, NOT, OPPOSITES, UNSURE, VERBS, YES
from pytest_mmreason.judges.matching import announced, coverage
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.stems import root

_LISTED = 6  # tokens: longer clauses without "the", "is", "of" are lists of words
_SUBJECTS = frozenset({"it", "they", "he", "she"})
_SEEMS = frozenset({"seem", "look", "sound"})
_CLAUSES = 40  # looked at in a response that says neither yes nor no as its first word
_OPPOSITE = {root(a): root(b) for pair in OPPOSITES for a, b in (pair, pair[::-1])}


def polarity(response: Words) -> bool | None:
    """Whether the response says yes (True) or no; None if it says neither, both, or doubts.

    What it announces as its answer counts before how it begins, and that before how a later
    sentence begins ("So yes, it is.").
    """
    opening = response.joined[:400]
    if any(doubt in opening for doubt in UNSURE):
        return None
    cue = announced(response)
    tail = () if cue is None else response.tokens[cue : cue + 4]
    # "the answer is correct" praises itself; only as the first word does "correct" mean yes
    plain = [[t for t in part if t in ("yes", "no")] for part in (tail, response.tokens[:3])]
    for part in (*plain, response.tokens[:1]):
        said = {token in YES for token in part if token in YES or token in NO}
        if len(said) == 2:
            return None
        if said:
            return said.pop()
    begun = {first == "yes" for first in _beginnings(response) if first in ("yes", "no")}
    return begun.pop() if len(begun) == 1 else None


def implied_polarity(response: Words, question: Words) -> bool | None:
    """Yes if a sentence repeats the question's words; no if it denies, swaps or opposes them."""
    best, found = 0.0, _of_pronoun(response, question)
    asked = frozenset(map(root, question.token_set))
    for clause in _clauses(response):
        if "whether" in clause.token_set:
            continue  # it tells a question
        share = coverage(question, clause)
        opposed = asked & {_OPPOSITE.get(word, "") for word in clause.vocabulary}
        if opposed & clause.token_set:
            opposed = frozenset()
        share += len(opposed) / (len(question.vocabulary) or 1)
        is_sentence = len(clause.tokens) <= _LISTED or FILLER & clause.token_set
        if share > max(0.5, best) and is_sentence:
            turned = _is_swapped(clause, question) != bool(opposed)
            best, found = share, bool(NOT & clause.token_set) == turned
    return found


def _of_pronoun(response: Words, question: Words) -> bool | None:
    """What a sentence with a pronoun for the subject says: "It is not open.", "It would fall."."""
    tokens = response.cut(0, (*response.clause_starts, len(response.tokens))[0]).tokens
    if not tokens or tokens[0] not in _SUBJECTS or tokens[1:2] == ("not",):
        return None
    said = frozenset(map(root, set(tokens) - FILLER - _SEEMS))
    if not said <= question.vocabulary or "whether" in tokens:
        return None
    denied = bool(NOT & set(tokens))
    is_short = len(tokens) == 2 and tokens[1] in VERBS  # "They are."
    return not denied if said or denied or is_short else None


def _clauses(response: Words) -> list[Words]:
    starts = (0, *response.clause_starts[:_CLAUSES])
    ends = (*response.clause_starts[:_CLAUSES], len(response.tokens))
    return [response.cut(start, end) for start, end in zip(starts, ends, strict=True)]


def _beginnings(response: Words) -> list[str]:
    """Where each clause may say it: apart at its beginning ("So yes, …"), or after its last verb."""
    found = []
    for clause in _clauses(response):
        tokens = [t for t in clause.tokens[:4] if t not in (DISCOURSE - {"yes"}) and t != "so"]
        apart = len(tokens) == 1 or any(0 < start < 4 for start in clause.phrase_starts)
        found += tokens[:1] if apart else []
        if clause.tokens[-2:-1] and clause.tokens[-2] in VERBS:
            found.append(clause.tokens[-1])
    return found


def _is_swapped(statement: Words, question: Words) -> bool:
    """Whether "B is larger than A" answers "Is A larger than B?"."""
    if "than" not in statement.token_set or "than" not in question.token_set:
        return False
    asked, said = question.tokens.index("than"), statement.tokens.index("than")
    first = question.cut(0, asked).vocabulary
    second = question.cut(asked, len(question.tokens)).vocabulary
    after = statement.cut(said, len(statement.tokens)).vocabulary
    return bool(after & (first - second)) and not after & (second - first)
