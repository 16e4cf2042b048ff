"""The grade of a response against a reference answer, part by part. Pure."""

from __future__ import annotations

from functools import lru_cache

from pytest_mmreason.judges.assignment import labelled, own_values, share_of_labels
from pytest_mmreason.judges.candidates import asks_for_several, is_one_of_two
from pytest_mmreason.judges.lexicon import DRESS, FILLER, NONE, NOT, QUANTITIES
from pytest_mmreason.judges.matching import (
    ASIDE,
    ASSERTED,
    HEDGED,
    LISTED,
    NEGATED,
    coverage,
    find_answer,
    same_share,
)
from pytest_mmreason.judges.normalise import Words, words
from pytest_mmreason.judges.notation import same_time
from pytest_mmreason.judges.numerals import number
from pytest_mmreason.judges.overlap import STATEMENT, Grade, grade_long
from pytest_mmreason.judges.polarity import implied_polarity, polarity
from pytest_mmreason.judges.quantities import Quantity, agree, only_quantity, quantities
from pytest_mmreason.judges.sequence import is_sequence
from pytest_mmreason.judges.stems import root
from pytest_mmreason.judges.values import (
    contradicts,
    disputed,
    gives_each,
    kind_of,
    rivals,
)

_SHORT = 8  # tokens: up to here an answer must be there as a whole
_MANY = 4  # content words; more than these are a statement
_NAME = 3  # content words of what has no other words


@lru_cache(maxsize=1024)
def sample_words(text: str) -> Words:
    """A question, reference or step as words: it comes again with every model and judge run."""
    return words(text)


def grade_answer(answer: str, said: Words, question: Words) -> Grade:
    """The grade of `said` against `answer`: the mean of its ``<AND>`` parts, each by the best
    of its ``<OR>`` alternatives.

    Of parts that are values of one kind ("B<AND>C") each one too many costs one that is right.
    """
    return max(
        (_grade_parts(parts, said, question) for parts in _readings(answer)),
        key=_rank,
        default=Grade(0.0, False, "the reference answer is blank", 0.0),
    )


def _readings(answer: str) -> list[list[list[Words]]]:
    """The parts that are all needed, each as its alternatives; several such if the whole has
    alternatives.

    ``<OR>`` parts whole answers only where a part stands in two of them, as that part would
    be needed twice: "A<AND>B<OR>A<AND>C".
    """
    if "<" not in answer:
        return [[[sample_words(answer)]]] if answer.strip() else []
    readings = [[part.split("<OR>") for part in answer.split("<AND>")]]
    if len(readings[0]) > 1 and "<OR>" in answer:
        wholes = [whole.split("<AND>") for whole in answer.split("<OR>")]
        parts = [
            "".join(filter(str.isalnum, part)).casefold() for whole in wholes for part in set(whole)
        ]
        if len({*parts} - {""}) < len([part for part in parts if part]):
            readings = [[[part] for part in whole] for whole in wholes]
    found = [
        [[sample_words(text) for text in options if text.strip()] for options in reading]
        for reading in readings
    ]
    return [kept for reading in found if (kept := [options for options in reading if options])]


def _grade_parts(parts: list[list[Words]], said: Words, question: Words) -> Grade:
    accepted = frozenset[str]().union(*(o.token_set for options in parts for o in options))
    several = len(parts) > 1 or asks_for_several(question)
    grades = [_grade_part(options, said, question, accepted, several) for options in parts]
    if len(grades) == 1:
        return grades[0]
    for at, own in enumerate(own_values([options[0] for options in parts], said, question)):
        if own is False:
            grades[at] = Grade(0.0, False, "the response gives it what is another's", 0.6)
        elif own and not NOT & said.token_set:
            grades[at] = Grade(1.0, True, "the response gives it what is its own", 0.7)
    right = sum(grade.right for grade in grades)
    surplus = _surplus(parts, grades, said, question, accepted)
    score = max(0.0, sum(grade.score for grade in grades) - surplus) / len(grades)
    why = f"{right} of {len(grades)} parts of the reference answer are in the response"
    if surplus:
        why += f", and {surplus} that are none"
    confidence = min(grade.confidence for grade in grades)
    return Grade(score, right == len(grades) and not surplus, why, confidence)


def _surplus(
    parts: list[list[Words]],
    grades: list[Grade],
    said: Words,
    question: Words,
    accepted: frozenset[str],
) -> int:
    """How many values the response names beside those that are right; 0 if they are no set."""
    values = [{v for option in options if (v := _only_value(option))} for options in parts]
    kinds = {kind_of(value) for found in values for value in found} if all(values) else set()
    if len(kinds) != 1:
        return 0
    named = [rivals(v, said, accepted, question)[:1] for found in values for v in found]
    return max((len(others) for rows in named for others in rows), default=0)


def _only_value(option: Words) -> str:
    """The one value that `option` is, in "B" or "the blue one"; "" if it is more or none."""
    rest = [token for token in option.tokens if token not in FILLER or kind_of(token)]
    return rest[0] if len(rest) == 1 and kind_of(rest[0]) else ""


def _others(option: Words, said: Words, question: Words, accepted: frozenset[str]) -> int:
    """How many others the response names beside the one thing that is asked for."""
    if value := _only_value(option):
        return min(map(len, rivals(value, said, accepted, question)), default=0)
    return int(is_one_of_two(said, accepted, question))


def _rank(grade: Grade) -> tuple[bool, float, float]:
    return grade.right, grade.score, grade.confidence


def _grade_part(
    options: list[Words], said: Words, question: Words, accepted: frozenset[str], several: bool
) -> Grade:
    grades = [_grade_option(option, said, question, accepted, several) for option in options]
    return max(grades, key=_rank)


def _grade_option(
    option: Words, said: Words, question: Words, accepted: frozenset[str], several: bool
) -> Grade:
    if not option.tokens:
        return Grade(0.0, False, "the reference answer holds no words", 0.0)
    if option.tokens[0] in ("yes", "no"):
        return _grade_yes_no(option, said, question)
    found = find_answer(option, said, question, accepted)
    shown = _shown(option)
    if found.state == ASSERTED and not several:
        others = _others(option, said, question, accepted)
        if others:
            why = f"the response names {shown} as one of {others + 1}"
            return Grade(0.5 if others == 1 else 0.0, False, why, 0.45)
    if found.state == ASSERTED and found.exact:
        return Grade(1.0, True, f"the response says {shown}", 0.95)
    if found.state == ASSERTED:
        return Grade(1.0, True, f"the response says {shown} in other words or order", 0.75)
    if found.state == NEGATED:
        return Grade(0.0, False, f"the response denies {shown}", 0.7)
    if found.state == HEDGED:
        return Grade(0.0, False, f"the response does not settle on {shown}", 0.7)
    if found.state == LISTED:
        return Grade(0.0, False, f"the response names {shown} among many other answers", 0.45)
    if found.state == ASIDE:
        return Grade(0.0, False, f"the response names {shown} only in passing", 0.45)
    if quantity := only_quantity(option):
        return _grade_quantity(quantity, option, said, question, accepted)
    if len(option.tokens) == 1 and option.tokens[0] in NONE and _says_none(said):
        return Grade(1.0, True, "the response says that there is none", 0.6)
    if len(option.tokens) == 1 and any(same_time(option.tokens[0], t) for t in said.token_set):
        return Grade(1.0, True, f"the response gives the time {shown}", 0.7)
    if is_sequence(option, question) and option.vocabulary <= said.vocabulary:
        return Grade(0.0, False, f"the response gives {shown} in another order", 0.7)
    statement = len(option.tokens) <= STATEMENT
    if statement and contradicts(option, said, question, accepted):
        return Grade(0.0, False, f"the response gives another value than {shown}", 0.6)
    labels = labelled(option)
    if labels and (part := share_of_labels(labels, said)) is not None:
        why = f"the response gives {part * len(labels):.0f} of {len(labels)} their number"
        return Grade(max(0.0, 2 * part - 1), part == 1.0, why, 0.7)
    if statement and gives_each(option, said, question):
        return Grade(1.0, True, f"the response says {shown} in other words or order", 0.7)
    if _is_core(option, said, question, several):
        return Grade(1.0, True, f"the response gives what {shown} says beyond the question", 0.7)
    if len(option.tokens) <= _SHORT and not NOT & set(option.tokens):
        if len(option.vocabulary) > _MANY and not (option.numbers or is_sequence(option, question)):
            grade = grade_long(option, said, question)
            if grade.right:
                return grade
        sure = _absence(option, said, question)
        return Grade(0.0, False, f"the response does not say {shown}", sure)
    return grade_long(option, said, question)


def _absence(option: Words, said: Words, question: Words) -> float:
    """How sure it is that a response that does not hold `option` does not mean it.

    A name or a number can hardly be said otherwise, a statement can.
    """
    wanted = option.vocabulary - question.vocabulary or option.vocabulary
    if len(wanted) <= _NAME:
        return 0.9
    return 0.6 if wanted.isdisjoint(said.vocabulary) else 0.45


def _grade_quantity(
    quantity: Quantity,
    option: Words,
    said: Words,
    question: Words,
    accepted: frozenset[str],
) -> Grade:
    shown = _shown(option)
    for found in quantities(said):
        token = said.tokens[found.start]
        if agree(quantity, found) or same_share(number(quantity.value), token):
            state = find_answer(Words((token,)), said, question, accepted | {token}).state
            if state == ASSERTED:
                return Grade(1.0, True, f"the response gives the quantity {shown}", 0.7)
    if quantity.value == 0 and _says_none(said):
        return Grade(1.0, True, "the response says that there is none", 0.6)
    return Grade(0.0, False, f"the response does not say {shown}", 0.9)


def _says_none(said: Words) -> bool:
    return bool((NONE | {"#0"}) & said.token_set) or {"not", "any"} <= said.token_set


def _grade_yes_no(option: Words, said: Words, question: Words) -> Grade:
    expected = option.tokens[0] == "yes"
    said = said.without(question)  # who repeats it as a question says neither
    given = polarity(said)
    confidence = 0.95
    if given is None:
        given, confidence = implied_polarity(said, question), 0.6
    if given is None:
        return Grade(0.0, False, f"the response does not say {option.tokens[0]}", 0.45)
    if given != expected:
        word = "yes" if given else "no"
        return Grade(0.0, False, f"the response says {word}, not {option.tokens[0]}", confidence)
    rest = option.cut(1, len(option.tokens))
    if not rest.vocabulary - question.vocabulary:
        return Grade(1.0, True, f"the response says {option.tokens[0]}", confidence)
    share = coverage(rest, said, question.vocabulary)
    why = f"the response says {option.tokens[0]} with {share:.0%} of the words of the reason"
    return Grade(min(1.0, 0.5 + share), share >= 0.5, why, 0.6)


def _is_core(option: Words, said: Words, question: Words, several: bool) -> bool:
    """Whether the response gives what the reference answer says beyond the question.

    So "109" answers "The value of the question mark should be 109", and "Westface" "It
    should be Westface": its numbers, or else its words that the question has not.
    """
    open_values = disputed(option, said, question)
    core = option.vocabulary - (question.vocabulary - open_values)
    numbers = option.numbers if option.numbers & core else frozenset()
    if option.numbers and several and option.vocabulary - numbers:
        return False  # each of several numbers has to be told of what it is
    if numbers and len(option.tokens) <= 3 * _SHORT // 2 and len(numbers) <= 2:
        core = numbers
        if _counts_other(numbers, option, said, question):
            return False
    elif not core or (core == option.vocabulary and not open_values):
        core = frozenset(root(token) for token in option.tokens if token not in DRESS)
        if len(core) != 1:
            return False
    if len(core) > _SHORT // 2 or not core <= said.vocabulary or NOT & set(option.tokens):
        return False
    if len(core) > 1 and not _in_one_clause(core, said):
        return False
    accepted = frozenset(option.tokens)
    ordered = [
        list(dict.fromkeys(t for t in text.tokens if t in numbers)) for text in (option, said)
    ]
    if len(numbers) > 1 and ordered[0] != ordered[1]:
        return False
    for token in option.tokens:
        single = Words((token,))
        if single.vocabulary & core:
            found = find_answer(single, said, question, accepted)
            if found.state in (NEGATED, HEDGED, LISTED, ASIDE):
                return False
            if (token in numbers or core & question.vocabulary) and found.state != ASSERTED:
                return False
    return True


def _counts_other(numbers: frozenset[str], option: Words, said: Words, question: Words) -> bool:
    """Whether the response counts other things by these numbers: "two circles", "two stars".

    Where a number is asked for, what it counts may have another name or unit.
    """
    if QUANTITIES & question.token_set:
        return False
    wanted = _counted(numbers, option)
    given = _counted(numbers, said) - question.vocabulary
    return bool(given - wanted and wanted - said.vocabulary)


def _counted(numbers: frozenset[str], text: Words) -> frozenset[str]:
    """The content words, by their root, that stand right after one of `numbers`."""
    found: set[str] = set()
    for at, token in enumerate(text.tokens):
        if token not in numbers:
            continue
        for after in range(at + 1, len(text.tokens)):
            word = text.tokens[after]
            if text.phrases[after] != text.phrases[at] or word in FILLER or word[0] == "#":
                break
            found.add(root(word))
    return frozenset(found)


def _in_one_clause(core: frozenset[str], said: Words) -> bool:
    """Whether one clause holds all of these words: those of two say something else."""
    found: dict[int, set[str]] = {}
    for token, clause in zip(said.tokens, said.clauses, strict=True):
        if (word := root(token)) in core:
            found.setdefault(clause, set()).add(word)
    return any(len(held) == len(core) for held in found.values())


def _shown(option: Words) -> str:
    text = option.text.strip()
    return repr(text if len(text) <= 60 else text[:59] + "…")
