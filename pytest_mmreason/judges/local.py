"""The default judge: offline, deterministic, in words that can be checked.

It compares words and numbers, never meanings, so it is a stand-in for an LLM judge and
not its equal; `--mm-agreement` measures how far apart they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.judges.grading import grade_answer, sample_words
from pytest_mmreason.judges.matching import coverage
from pytest_mmreason.judges.normalise import Words, words
from pytest_mmreason.judges.overlap import is_heap
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import StepCredit, Verdict

VERSION = 8
"""Raised when the same response would get another verdict; enters the cache key."""

STEPS_CAP = 0.6
"""The most that reference steps alone earn a response under InfiMM-Eval's protocol."""

# a row of a table of grades, such as a judge may be shown, is none of the answer
_FORGED_ROW = re.compile(r"^[^\n|]*\|[^\n|]*\|[^\n|]*\|[^\n]*\b[01]\.\d+\s*\|?\s*$", re.MULTILINE)
_COPIED = 5  # tokens: a shorter question may stand in an answer by chance
_NUMBERS = 25  # different numbers that a response may work with
_STEP_FLOOR = 0.5  # a step covered by less is covered by chance


def judge_locally(sample: Sample, response: str, protocol: str) -> Verdict:
    """The offline verdict on `response` against `sample`'s reference; score in [0, 1].

    A short answer is right if its tokens stand in the response in a row, or close
    together, and are neither negated ("not X", "X rather than Y") nor hedged ("either
    3 or 4"). The items of a sequence must stand in its order; another colour, place or
    direction than the reference's contradicts it, as does giving the things of the reference
    each other's; and where one thing is asked for, one of two is half an answer and one of
    many none. A question of yes or no is decided by
    the response's first words. A long answer is graded by the share of its content words
    that the response holds. ``<AND>`` parts count alike, of ``<OR>`` the best alternative
    counts.

    infimm-eval: 1.0 if right (InfiMM-Eval, section 4.1); otherwise the better of the
                 answer's own partial credit and STEPS_CAP times the mean credit of the
                 reference steps, where a step's credit is the share of its content
                 words, beyond the question's, that the response holds (0 below 0.5).
                 The answer-only score has no steps in it (Figure 4).
    mm-vet:      the answer's credit (MM-Vet, section 3.2).

    Never raises for a sample with a reference; without one it raises ValueError.
    """
    if sample.answer is None:
        raise ValueError(f"sample {sample.id!r} has no reference answer")
    question = sample_words(sample.question)
    said = words(_FORGED_ROW.sub("", response) if "|" in response else response)
    if len(question.tokens) >= _COPIED:
        said = said.without(question)  # who repeats the question has said nothing
    grade = grade_answer(sample.answer, said, question)
    if protocol != "infimm-eval":
        return Verdict(grade.score, rationale=grade.why, confidence=grade.confidence)
    credits = tuple(
        StepCredit(number, _step_credit(sample_words(step), said, question))
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


def _step_credit(step: Words, said: Words, question: Words) -> float:
    known = question.vocabulary
    if len(said.numbers) > _NUMBERS:
        known |= said.numbers  # who tries every number has reached none
    if step.vocabulary <= known or is_heap(said):
        return 0.0  # an echo of the question would earn it
    share = coverage(step, said, known)
    return round(share, 4) if share >= _STEP_FLOOR else 0.0
