"""The default judge: offline, deterministic, in words that can be checked.

It compares words and numbers, never meanings, so it is a stand-in for an LLM judge and
not its equal; `--mm-agreement` measures how far apart they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.judges.candidates import asks_for_several
from pytest_mmreason.judges.lexicon import DRESS, NONE, NOT
from pytest_mmreason.judges.matching import (
    ASIDE,
    ASSERTED,
    HEDGED,
    LISTED,
    NEGATED,
    coverage,
    find_answer,
    implied_polarity,
    negates_otherwise,
    polarity,
    same_share,
)
from pytest_mmreason.judges.normalise import Words, words
from pytest_mmreason.judges.notation import same_time
from pytest_mmreason.judges.numerals import number
from pytest_mmreason.judges.quantities import Quantity, agree, only_quantity, quantities
from pytest_mmreason.judges.stems import root
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import StepCredit, Verdict

VERSION = 2
"""Raised when the same response would get another verdict; enters the cache key."""

STEPS_CAP = 0.6
"""The most that reference steps alone earn a response under InfiMM-Eval's protocol."""

_COPIED = 5  # tokens: a shorter question may stand in an answer by chance
_SHORT = 8  # tokens: up to here an answer must be there as a whole
_STATEMENT = 25  # tokens: up to here an answer is one statement that a "not" turns around
_STEP_FLOOR = 0.3  # a step covered by less is covered by chance
_COVERED = 0.75  # a long answer covered this far is given
# A long answer's credit: what its first sentence says counts most, and 0.3 is what any text
# on the subject reaches. Weights chosen by the mean difference to GPT-4's grades of MM-Vet.
_LEAD_WEIGHT, _WHOLE_WEIGHT, _CHANCE = 0.8, 1.0, 0.3


@dataclass(frozen=True, slots=True)
class _Grade:
    """score in [0, 1]; `right` if the answer is given; why; confidence in [0, 1]."""

    score: float
    right: bool
    why: str
    confidence: float


def judge_locally(sample: Sample, response: str, protocol: str) -> Verdict:
    """The offline verdict on `response` against `sample`'s reference; score in [0, 1].

    A short answer is right if its tokens stand in the response in a row, or close
    together, and are neither negated ("not X", "X rather than Y") nor hedged ("either
    3 or 4"). A question of yes or no is decided by the response's first words. A long
    answer is graded by the share of its content words that the response holds.
    ``<AND>`` parts count alike, of ``<OR>`` the best alternative counts.

    infimm-eval: 1.0 if right (InfiMM-Eval, section 4.1); otherwise the better of the
                 answer's own partial credit and STEPS_CAP times the mean credit of the
                 reference steps, where a step's credit is the share of its content
                 words, beyond the question's, that the response holds (0 below 0.3).
                 The answer-only score has no steps in it (Figure 4).
    mm-vet:      the answer's credit (MM-Vet, section 3.2).

    Never raises for a sample with a reference; without one it raises ValueError.
    """
    if sample.answer is None:
        raise ValueError(f"sample {sample.id!r} has no reference answer")
    question = _sample_words(sample.question)
    said = words(response)
    if len(question.tokens) >= _COPIED:
        said = said.without(question)  # who repeats the question has said nothing
    grade = _grade_answer(sample.answer, said, question)
    if protocol != "infimm-eval":
        return Verdict(grade.score, rationale=grade.why, confidence=grade.confidence)
    credits = tuple(
        StepCredit(number, _step_credit(_sample_words(step), said, question))
        for number, step in enumerate(sample.steps, 1)
    )
    if grade.right:
        return Verdict(1.0, 1.0, credits, grade.why, grade.confidence)
    earned = STEPS_CAP * sum(c.credit for c in credits) / len(credits) if credits else 0.0
    why = grade.why
    if credits:
        reached = sum(c.credit > 0 for c in credits)
        why += f"; {reached} of {len(credits)} reference steps are reached in part or whole"
    score = round(max(earned, min(grade.score, 0.9)), 4)
    return Verdict(score, min(grade.score, 0.9), credits, why, min(grade.confidence, 0.7))


class LocalJudge:
    """Judges offline by words and numbers (:func:`judge_locally`)."""

    name = "local"
    adapter: ModelAdapter | None = None
    max_concurrency: int | None = None
    offline = True
    cacheable = False

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """The version of the rules, and the protocol."""
        return {"judge": "local", "version": VERSION, "protocol": protocol}

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The verdict, score in [0, 1]; JudgeError for a sample without a reference."""
        if task.sample.answer is None:
            raise JudgeError(
                f"Sample {task.sample.id!r} has no reference answer to judge against.",
                cause="no reference",
            )
        return judge_locally(task.sample, task.response, task.protocol)

    async def aclose(self) -> None:
        """Nothing to let go of."""


@lru_cache(maxsize=1024)
def _sample_words(text: str) -> Words:
    # questions, references and steps come again with every model, repeat and judge run
    return words(text)


def _grade_answer(answer: str, said: Words, question: Words) -> _Grade:
    parts = [
        [_sample_words(option) for option in part.split("<OR>") if option.strip()]
        for part in answer.split("<AND>")
    ]
    parts = [options for options in parts if options]
    if not parts:
        return _Grade(0.0, False, "the reference answer is blank", 0.0)
    accepted = frozenset(
        token for options in parts for option in options for token in option.tokens
    )
    several = len(parts) > 1 or asks_for_several(question)
    grades = [_grade_part(options, said, question, accepted, several) for options in parts]
    if len(grades) == 1:
        return grades[0]
    right = sum(grade.right for grade in grades)
    return _Grade(
        sum(grade.score for grade in grades) / len(grades),
        right == len(grades),
        f"{right} of {len(grades)} parts of the reference answer are in the response",
        min(grade.confidence for grade in grades),
    )


def _grade_part(
    options: list[Words], said: Words, question: Words, accepted: frozenset[str], several: bool
) -> _Grade:
    grades = [_grade_option(option, said, question, accepted, several) for option in options]
    return max(grades, key=lambda grade: (grade.right, grade.score, grade.confidence))


def _grade_option(
    option: Words, said: Words, question: Words, accepted: frozenset[str], several: bool
) -> _Grade:
    if not option.tokens:
        return _Grade(0.0, False, "the reference answer holds no words", 0.0)
    if option.tokens[0] in ("yes", "no"):
        return _grade_yes_no(option, said, question)
    found = find_answer(option, said, question, accepted, several)
    shown = _shown(option)
    if found.state == ASSERTED and found.exact:
        return _Grade(1.0, True, f"the response says {shown}", 0.9)
    if found.state == ASSERTED:
        return _Grade(1.0, True, f"the response says {shown} in other words or order", 0.8)
    if found.state == NEGATED:
        return _Grade(0.0, False, f"the response denies {shown}", 0.7)
    if found.state == HEDGED:
        return _Grade(0.0, False, f"the response does not settle on {shown}", 0.7)
    if found.state == LISTED:
        return _Grade(0.0, False, f"the response names {shown} among many other answers", 0.5)
    if found.state == ASIDE:
        return _Grade(0.0, False, f"the response names {shown} only in passing", 0.5)
    if quantity := only_quantity(option):
        return _grade_quantity(quantity, option, said, question, accepted, several)
    if len(option.tokens) == 1 and option.tokens[0] in NONE and (NONE | {"#0"}) & said.token_set:
        return _Grade(1.0, True, "the response says that there is none", 0.6)
    if len(option.tokens) == 1 and any(same_time(option.tokens[0], t) for t in said.token_set):
        return _Grade(1.0, True, f"the response gives the time {shown}", 0.7)
    if _is_core(option, said, question):
        return _Grade(1.0, True, f"the response gives what {shown} says beyond the question", 0.7)
    if len(option.tokens) <= _SHORT and not NOT & set(option.tokens):
        return _Grade(0.0, False, f"the response does not say {shown}", 0.8)
    return _grade_long(option, said, question)


def _grade_quantity(
    quantity: Quantity,
    option: Words,
    said: Words,
    question: Words,
    accepted: frozenset[str],
    several: bool,
) -> _Grade:
    shown = _shown(option)
    for found in quantities(said):
        token = said.tokens[found.start]
        if agree(quantity, found) or same_share(number(quantity.value), token):
            state = find_answer(Words((token,)), said, question, accepted | {token}, several).state
            if state == ASSERTED:
                return _Grade(1.0, True, f"the response gives the quantity {shown}", 0.7)
    if quantity.value == 0 and NONE & said.token_set:
        return _Grade(1.0, True, "the response says that there is none", 0.6)
    return _Grade(0.0, False, f"the response does not say {shown}", 0.8)


def _grade_yes_no(option: Words, said: Words, question: Words) -> _Grade:
    expected = option.tokens[0] == "yes"
    given = polarity(said)
    confidence = 0.9
    if given is None:
        given, confidence = implied_polarity(said, question), 0.5
    if given is None:
        return _Grade(0.0, False, f"the response does not say {option.tokens[0]}", confidence)
    if given != expected:
        word = "yes" if given else "no"
        return _Grade(0.0, False, f"the response says {word}, not {option.tokens[0]}", confidence)
    rest = option.cut(1, len(option.tokens))
    if not rest.vocabulary - question.vocabulary:
        return _Grade(1.0, True, f"the response says {option.tokens[0]}", confidence)
    share = coverage(rest, said, question.vocabulary)
    why = f"the response says {option.tokens[0]} with {share:.0%} of the words of the reason"
    return _Grade(min(1.0, 0.5 + share), share >= 0.5, why, 0.5)


def _grade_long(option: Words, said: Words, question: Words) -> _Grade:
    share = coverage(option, said, question.vocabulary)
    lead = coverage(_first_sentence(option), said, question.vocabulary)
    why = f"the response holds {share:.0%} of the content words of the reference answer"
    if lead == share and len(option.tokens) <= _STATEMENT and negates_otherwise(option, said):
        return _Grade(0.0, False, f"{why}, but says the opposite", 0.4)
    if share >= (1.0 if _is_list(option) else _COVERED):
        return _Grade(1.0, True, why, 0.6)
    if _is_list(option):
        credit = 2 * share - 1
    else:
        credit = _LEAD_WEIGHT * lead + _WHOLE_WEIGHT * share - _CHANCE
    return _Grade(round(min(0.9, max(0.0, credit)), 4), False, why, 0.4)


def _first_sentence(option: Words) -> Words:
    return option.cut(0, min(option.clause_starts, default=len(option.tokens)))


def _is_list(option: Words) -> bool:
    """Whether the answer enumerates, so that nothing of it may be missing."""
    phrases = len(option.phrase_starts) + 1
    one_sentence = all(start == len(option.tokens) for start in option.clause_starts)
    return one_sentence and phrases >= 3 and len(option.tokens) <= 5 * phrases


def _is_core(option: Words, said: Words, question: Words) -> bool:
    """Whether the response gives what the reference answer says beyond the question.

    So "109" answers "The value of the question mark should be 109", and "Westface" "It
    should be Westface": its numbers, or else its words that the question has not.
    """
    core = option.vocabulary - question.vocabulary
    numbers = option.numbers & core
    if numbers and len(option.tokens) <= 3 * _SHORT // 2 and len(numbers) <= 2:
        core = numbers
    elif not core or core == option.vocabulary:
        core = frozenset(root(token) for token in option.tokens if token not in DRESS)
        if len(core) != 1:
            return False
    if len(core) > _SHORT // 2 or not core <= said.vocabulary or NOT & set(option.tokens):
        return False
    accepted = frozenset(option.tokens)
    for token in option.tokens:
        single = Words((token,))
        if single.vocabulary & core:
            found = find_answer(single, said, question, accepted)
            if found.state in (NEGATED, HEDGED, LISTED, ASIDE):
                return False
            if (token in numbers or core & question.vocabulary) and found.state != ASSERTED:
                return False
    return True


def _step_credit(step: Words, said: Words, question: Words) -> float:
    if step.vocabulary <= question.vocabulary:
        return 0.0  # an echo of the question would earn it
    share = coverage(step, said, question.vocabulary)
    return round(share, 4) if share >= _STEP_FLOOR else 0.0


def _shown(option: Words) -> str:
    text = option.text.strip()
    return repr(text if len(text) <= 60 else text[:59] + "…")
