"""Long reference answers by the words that a response shares with them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_mmreason.judges.candidates import LEAST_FILLER, filler_share
from pytest_mmreason.judges.denial import negates_otherwise
from pytest_mmreason.judges.matching import coverage
from pytest_mmreason.judges.normalise import Words

STATEMENT = 25  # tokens: up to here an answer is one statement that a "not" turns around
_COVERED = 0.75  # a long answer covered this far is given
_OPENING = 40  # tokens: what a long answer says first is what was asked for
# A long answer's credit: its first sentence, its opening and the whole, less what any text on
# the subject reaches. Weights by the mean difference to GPT-4's grades of MM-Vet, chosen on
# one half of the samples and checked on the other.
_LEAD_WEIGHT, _OPENING_WEIGHT, _WHOLE_WEIGHT, _CHANCE = 0.8, 1.2, 0.6, 0.5
_MOST = 0.9  # credit of a long answer that is not covered
_READ = 400  # tokens of a response at least that are read, or four times the reference's
_PROSE = 30  # tokens from which a text without "the", "is", "of" is a heap of words
_BARE = 12  # tokens from which one without any of these is
_LIST = 3  # items from which short ones without such words are a list


@dataclass(frozen=True, slots=True)
class Grade:
    """score in [0, 1]; `right` if the answer is given; why; confidence in [0, 1]."""

    score: float
    right: bool
    why: str
    confidence: float


def is_heap(said: Words) -> bool:
    """Whether a response is words without sentences, as one that tries every word is."""
    share, size = filler_share(said.tokens), len(said.tokens)
    if share >= LEAST_FILLER:
        return False
    items, _ = said.items
    is_list = _LIST <= len(items) >= size / 3
    return is_list or size >= (_PROSE if share else _BARE)


def grade_long(option: Words, said: Words, question: Words) -> Grade:
    """The credit for the content words of `option` that `said` holds and `question` does not."""
    if is_heap(said) and not (is_heap(option) or _is_list(option)):
        return Grade(0.0, False, "the response is words without sentences", 0.6)
    said = said.cut(0, max(_READ, 4 * len(option.tokens)))
    known = question.vocabulary
    share, lead = coverage(option, said, known), coverage(_first_sentence(option), said, known)
    why = f"the response holds {share:.0%} of the content words of the reference answer"
    if lead == share and len(option.tokens) <= STATEMENT and negates_otherwise(option, said):
        return Grade(0.0, False, f"{why}, but says the opposite", 0.45)
    if share >= (1.0 if _is_list(option) else _COVERED):
        return Grade(1.0, True, why, 0.6)
    if _is_list(option):
        credit = 2 * share - 1
    else:
        opening = share if lead == share else coverage(option.cut(0, _OPENING), said, known)
        credit = _LEAD_WEIGHT * lead + _OPENING_WEIGHT * opening + _WHOLE_WEIGHT * share - _CHANCE
    if len(option.tokens) <= STATEMENT and _has_other_numbers(option, said):
        credit /= 2
    credit = round(min(_MOST, max(0.0, credit)), 4)
    # little in common is sure to be wrong, much to be right; between them lies judgement
    confidence = 0.75 if share < 0.1 else 0.6 if credit > 0.8 else 0.45 if not credit else 0.35
    return Grade(credit, False, why, confidence)


def _has_other_numbers(option: Words, said: Words) -> bool:
    """Whether both hold numbers and none in common: much the same words, another statement."""
    return bool(option.numbers and said.numbers) and option.numbers.isdisjoint(said.numbers)


def _first_sentence(option: Words) -> Words:
    return option.cut(0, min(option.clause_starts, default=len(option.tokens)))


def _is_list(option: Words) -> bool:
    """Whether the answer enumerates, so that nothing of it may be missing."""
    phrases = len(option.phrase_starts) + 1
    one_sentence = all(start == len(option.tokens) for start in option.clause_starts)
    return one_sentence and phrases >= 3 and len(option.tokens) <= 5 * phrases
