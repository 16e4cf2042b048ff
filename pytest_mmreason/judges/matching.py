"""Whether a response asserts a short answer: negation, hedging, comparison. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from pytest_mmreason.judges.candidates import (
    is_aside,
    is_buried,
    is_in_a_heap,
    is_listed,
    is_other_option,
)
from pytest_mmreason.judges.denial import is_asked_for, is_corrected, is_negated
from pytest_mmreason.judges.lexicon import (
    ATTRIBUTES,
    CUES,
    DOUBTS,
    FILLER,
    JOINERS,
    NOT,
    VERBS,
)
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.numerals import value_of
from pytest_mmreason.judges.sequence import in_sequence, is_sequence
from pytest_mmreason.judges.spelling import respelt, run_together
from pytest_mmreason.judges.stems import root
from pytest_mmreason.judges.values import COLORS, EMPTY, contradicts, recites_colors

ASSERTED, NEGATED, HEDGED, LISTED, ASIDE, ABSENT = (
    "asserted",
    "negated",
    "hedged",
    "listed",
    "aside",
    "absent",
)

_LOOK_BACK = 5  # tokens before an answer in which a "not" or "could be" still concerns it
_MANY = 4  # content words of a statement; fewer may lie together by chance
_NAME = 6  # tokens; what is longer is a statement, and no item of a list
_WINDOW = 30  # tokens within which the words of an answer may lie apart


@dataclass(frozen=True, slots=True)
class Found:
    """How a response holds an answer.

    state: ASSERTED, NEGATED, HEDGED, LISTED, ASIDE or ABSENT.
    exact: whether it stands there word by word.
    """

    state: str
    exact: bool = True


def find_answer(
    option: Words,
    response: Words,
    question: Words,
    accepted: frozenset[str],
) -> Found:
    """How `response` holds the short answer `option`; where it only echoes `question` is no answer.

    accepted: the tokens of every accepted answer, between which an "or" is no hedge.
    """
    places = [(at, at + len(option.tokens)) for at in response.find(option)]
    is_number = len(option.tokens) == 1 and option.tokens[0][0] == "#"
    if places and (echoes := _surroundings(option, question)):
        places = [place for place in places if _between(response, *place) not in echoes]
    exact = bool(places)
    if not places and not is_number:
        places = _otherwise(option, response, question)
    if is_number:
        places = _concluding(places, response)
    states = {_state(response, start, end, accepted, question, is_number) for start, end in places}
    for state in (ASSERTED, HEDGED, LISTED, NEGATED, ASIDE):
        if state in states:
            return Found(state, exact)
    return Found(ABSENT, exact)


def coverage(reference: Words, response: Words, known: frozenset[str] = frozenset()) -> float:
    """The part of the reference's content words in the response, without those `known`.

    In [0, 1]; numbers must be there exactly, words by their root.
    """
    wanted = reference.vocabulary - known or reference.vocabulary
    if not wanted:
        return 0.0
    return len(wanted & response.vocabulary) / len(wanted)


def _surroundings(option: Words, question: Words) -> set[tuple[str, str]]:
    """The words around `option` in the question, such as ("to", "last") of "to second last"."""
    places = question.find(option)
    return {_between(question, at, at + len(option.tokens)) for at in places} - {("", "")}


def _between(text: Words, start: int, end: int) -> tuple[str, str]:
    if start == 0 or end >= len(text.tokens):
        return "", ""
    return text.tokens[start - 1], text.tokens[end]


def _otherwise(option: Words, response: Words, question: Words) -> list[tuple[int, int]]:
    """Places of `option` in other words, order (unless it is a sequence) or spelling."""
    is_list = len(option.tokens) <= _WINDOW and len(option.items[0]) > 2
    if is_list and (places := _in_a_row(option, response)):
        return places
    if is_sequence(option, question):
        place = in_sequence(option, response, question)
        return [place] if place else []
    return [
        (start, end)
        for start, end in _in_other_words(option, response)
        if not contradicts(option, _clause(response, start), question)
    ]


def _in_other_words(option: Words, response: Words) -> list[tuple[int, int]]:
    places = _scattered(option, response) if len(option.tokens) > 1 else _akin(option, response)
    if places or len(option.tokens) > 8:
        return places
    if places := run_together(option, response):
        return places
    spelt = respelt(option, response)
    if spelt is None:
        return []
    found = [(at, at + len(spelt.tokens)) for at in response.find(spelt)]
    return found or _scattered(spelt, response)


def _clause(response: Words, at: int) -> Words:
    """The clause of the token at `at`."""
    start = bisect_left(response.clauses, response.clauses[at])
    return response.cut(start, bisect_right(response.clauses, response.clauses[at]))


def _in_a_row(option: Words, response: Words) -> list[tuple[int, int]]:
    """Places of the content words of `option` in their order, with nothing but filler between."""
    skipped = EMPTY if COLORS & option.token_set else EMPTY | COLORS
    wanted = [root(token) for token in option.tokens if token not in EMPTY]
    at = [index for index, token in enumerate(response.tokens) if token not in skipped]
    said = [root(response.tokens[index]) for index in at]
    size = len(wanted)
    return [
        (at[start], at[start + size - 1] + 1)
        for start in range(len(said) - size + 1)
        if size and said[start] == wanted[0] and said[start : start + size] == wanted
    ][:_WINDOW]


def _akin(option: Words, response: Words) -> list[tuple[int, int]]:
    """Places of a word of the same root or meaning as the only word of `option`."""
    wanted = root(option.tokens[0])
    if wanted not in response.vocabulary:
        return []
    forms = {token for token in response.token_set if root(token) == wanted}
    places = [(at, at + 1) for at, token in enumerate(response.tokens) if token in forms]
    return places[:_WINDOW]


def _scattered(option: Words, response: Words) -> list[tuple[int, int]]:
    """Places where all content words of `option` lie close together in one clause."""
    wanted = option.vocabulary
    if not 2 <= len(wanted) <= 8 or not wanted <= response.vocabulary or NOT & set(option.tokens):
        return []
    # the parts of "12 x 5" and of names in another order would match by chance
    if any(token[0] == "#" for token in wanted) and len(wanted) > 3:
        return []
    spread = 3 * len(wanted) + 2
    numbers = [token for token in option.tokens if token[0] == "#"]
    last: dict[str, int] = {}
    places = []
    for at, token in enumerate(response.tokens):
        stem = root(token)
        if stem not in wanted or token in FILLER:
            continue
        last[stem] = at
        if len(last) == len(wanted):
            start = min(last.values())
            close = at - start < spread and response.clauses[start] == response.clauses[at]
            span = response.tokens[start : at + 1]
            said = [t for t in span if t in numbers]
            whole = close and said == numbers and not NOT & set(span)
            if whole and not _is_of_two(response, start, at, wanted):
                places.append((start, at + 1))
    return places[:_WINDOW]


def _is_of_two(response: Words, start: int, end: int, wanted: frozenset[str]) -> bool:
    """True if the words from `start` to `end` belong to two things of an enumeration.

    "A purple triangle, a yellow square" names no yellow triangle; "the triangle is yellow" does.
    """
    tokens, phrases = response.tokens, response.phrases
    inside = tokens[start + 1 : end]
    beside = [at for at in (start - 1, end + 1) if 0 <= at < len(tokens)]
    around = [tokens[at] for at in beside if phrases[at] in (phrases[start], phrases[end])]
    others = [t for t in (*inside, *around) if t not in ATTRIBUTES and root(t) not in wanted]
    numbers = [token for token in wanted if token[0] == "#"]
    if numbers and any(token[0] == "#" and token not in wanted for token in inside):
        return True  # "A is 2 and B is 3" says nothing of A and 3
    letters = any(len(token) == 1 for token in wanted)
    if len(numbers) == 1 and phrases[start] != phrases[end] and letters:
        return True  # nor of B and 2: "A is 2, B is 3"
    if numbers and _has_own_number(response, end, wanted):
        return True  # "A is 2 and B is 3" names no B 2 either
    if len(wanted) > _MANY:
        return False  # so many words come together in a statement only
    joined = phrases[start] != phrases[end] or {"and", "or"} & set(inside)
    return bool(joined and others and not VERBS & {*inside, *around})


def _has_own_number(response: Words, at: int, wanted: frozenset[str]) -> bool:
    """Whether another number than the `wanted` one follows the label at `at`."""
    for after in range(at + 1, min(at + 4, len(response.tokens))):
        token = response.tokens[after]
        if token in JOINERS or response.phrases[after] != response.phrases[at]:
            return False
        if token[0] == "#":
            return token not in wanted and response.tokens[at][0] != "#"
    return False


def _concluding(places: list[tuple[int, int]], response: Words) -> list[tuple[int, int]]:
    """Of the places of a number, those where a response that works it out concludes."""
    numeric = [at for at, token in enumerate(response.tokens) if token[0] == "#"]
    cue = announced(response)
    if cue is not None and any(at >= cue for at in numeric):
        return [place for place in places if place[0] >= cue]
    if len({response.tokens[at] for at in numeric}) <= 3:
        return places
    clauses = {response.clauses[numeric[0]], response.clauses[numeric[-1]]}
    return [place for place in places if response.clauses[place[0]] in clauses]


def announced(response: Words) -> int | None:
    """Where the answer begins that the response announces; None if it announces none."""
    for cues in CUES:
        at = max((response.joined.rfind(cue), len(cue)) for cue in cues)
        if at[0] >= 0:
            return response.joined.count(" ", 0, at[0] + at[1]) - 1
    return None


def _state(
    response: Words,
    start: int,
    end: int,
    accepted: frozenset[str],
    question: Words,
    is_number: bool,
) -> str:
    tokens, phrases, clauses = response.tokens, response.phrases, response.clauses
    before = [
        tokens[at]
        for at in range(max(0, start - _LOOK_BACK), start)
        if phrases[at] == phrases[start]
    ]
    after = tokens[end : end + 4]
    negated = is_negated(before, after, phrases[end : end + 2], phrases[end - 1], is_number)
    if negated and not is_asked_for(before, after, question, accepted):
        return NEGATED
    if is_corrected(response, start, end):
        return NEGATED
    # "A cat? No, a dog.", "A cat. Wait, no, a dog."
    no = end + bool(_TURNS & set(after[:1]))
    if (
        tokens[no : no + 1] == ("no",)
        and clauses[end] != clauses[end - 1]
        and phrases[no : no + 2] not in (phrases[no : no + 1] * 2,)
    ):
        return NEGATED
    if _is_hedged(tokens, clauses, phrases, start, end, accepted, is_number):
        return HEDGED
    if is_other_option(response, start, end, accepted, question):
        return HEDGED
    if end - start <= _NAME and is_listed(response, start, end, accepted, question):
        return LISTED
    if is_in_a_heap(response, start, end) or recites_colors(response, start, accepted):
        return LISTED
    if is_aside(response, start, question.token_set | accepted) or is_buried(response, start):
        return ASIDE
    return ASSERTED


_TURNS = frozenset({"actually", "wait", "sorry", "oh", "hmm"})


def _is_hedged(
    tokens: tuple[str, ...],
    clauses: tuple[int, ...],
    phrases: tuple[int, ...],
    start: int,
    end: int,
    accepted: frozenset[str],
    is_number: bool,
) -> bool:
    def near(at: int) -> str:
        inside = 0 <= at < len(tokens) and clauses[at] == clauses[start]
        return tokens[at] if inside else ""

    def other(at: int) -> bool:
        token = near(at)
        return bool(token) and token not in accepted

    before, after = near(start - 1), near(end)
    # what lies "between X and Y" is neither
    in_range = before == "between" and "and" not in tokens[start:end]
    if in_range or (before == "and" and "between" in map(near, range(start - 4, start))):
        return True
    # "x = 2 or x = 3"
    values = ((after, near(end + 2), end + 3), (before, near(start - 3), start - 2))
    if any(a == "or" and b in VERBS and near(c)[:1] == "#" and other(c) for a, b, c in values):
        return True
    if is_number:
        if after in ("or", "to") and near(end + 1)[:1] == "#" and other(end + 1):
            return True
        if near(start - 2)[:1] == "#" and before in ("or", "to") and other(start - 2):
            return True
        # "3, 4 or 5" and "between 3 and 5"
        listed = [near(at) for at in range(start - 4, end + 4)]
        others = [t for t in listed if t[:1] == "#" and t not in accepted]
        return bool(others) and ("or" in listed or "between" in listed)
    doubted = any(near(at) in DOUBTS for at in range(start - _LOOK_BACK, start))
    if near(start - 1) in DOUBTS and DOUBTS & {*map(near, (*range(start - 4, start - 1), end))}:
        return True
    if "either" in map(near, range(start - _LOOK_BACK, start)) and "or" in map(
        near, range(end, end + 2 * _LOOK_BACK)
    ):
        return True
    if after == "or" and doubted and DOUBTS & set(tokens[end + 1 : end + 4]):
        return True
    if after == "or" and (doubted or phrases[end] == phrases[end - 1]):
        return other(end + 1) and near(end + 1) not in FILLER - {"no", "not"}
    if before == "or" and start > 1:
        return other(start - 2) and near(start - 2) not in FILLER
    return False


def same_share(left: str, right: str) -> bool:
    """Whether two number tokens are one share, such as 35 (per cent) and 0.35."""
    small, large = sorted((value_of(left) or 0.0, value_of(right) or 0.0))
    return 0 < small < 1 <= large and abs(large - 100 * small) < 1e-9 * large
