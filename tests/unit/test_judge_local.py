"""The offline judge: right where the words settle it, wrong where they deny or hedge."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.judges.local import STEPS_CAP, LocalJudge, judge_locally
from pytest_mmreason.judges.normalise import words
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

HOW_MANY = "How many dogs are on the lawn?"
WHICH = "Which animal sits on the mat?"
PUZZLE = "What number replaces the question mark?"


def verdict(question: str, reference: str, response: str, protocol: str = "mm-vet") -> Verdict:
    return judge_locally(Sample("s", question, answer=reference), response, protocol)


RIGHT = [
    # number words, digits, fractions, percentages, currencies, signs
    (HOW_MANY, "6", "There are six dogs on the lawn."),
    (HOW_MANY, "six", "6"),
    (HOW_MANY, "25", "I can see twenty-five dogs."),
    (HOW_MANY, "105", "One hundred and five dogs."),
    (HOW_MANY, "1", "Just one dog."),
    ("What is d?", "1.25", "d equals 5/4"),
    ("What is d?", "0.75<OR>3/4", "It is ¾."),
    ("What is x?", "-5", "x = -5"),
    ("What is x?", "-5", "x is minus five"),
    ("What does it cost?", "2,500", "It costs $2500."),
    ("What does it cost?", "14.8", "14,8 €"),
    ("What is the share?", "35%", "The share is 35 percent."),
    ("What is the share?", "35%", "0.35"),
    ("What is the GDP?", "6.2 billion", "It is 6,200,000,000 dollars."),
    ("Which step?", "third", "It is step 3."),
    ("How long does it take?", "15 min", "It takes 15 minutes."),
    # case, articles, plurals, spelling, order, other scripts
    (WHICH, "cat", "The CATS sit there."),
    (WHICH, "the cat", "a cat"),
    ("What color is it?", "grey", "It is gray."),
    ("What is done first?", "tilt pan slightly", "You should slightly tilt the pan."),
    ("Who is it?", "Ada Lovelace", "That is Ada Lovelace, a mathematician."),
    ("What does the sign say?", "出口", "The sign says 出口."),
    ("Which sample?", "sample A", "It is sample A."),
    ("Which choice?", "A", "A. Because it fits."),
    # alternatives
    (WHICH, "cat<OR>kitten", "A kitten."),
    (WHICH, "cat<OR>kitten", "It is a cat or kitten."),
    # denial of something else
    (WHICH, "cat", "It is not a dog but a cat."),
    (WHICH, "cat", "No, it is a cat."),
    (WHICH, "cat", "A cat rather than a dog."),
    (
        "Which room is bigger, the hall or the kitchen?",
        "hall",
        "The hall is bigger than the kitchen.",
    ),
    ("Is the bin empty or full?", "empty", "The bin is empty."),
    # yes and no
    ("Is the man happy?", "yes", "Yes, he is smiling."),
    ("Are there nuts?", "no", "No, there are no nuts."),
    ("Are there nuts on the plate?", "no", "There are no nuts on the plate."),
    ("Is the man happy?", "yes", "The man is happy."),
    ("Is the man happy?", "yes", "Let me see. The answer is yes."),
    # working shown, and a conclusion
    (PUZZLE, "109", "3 trees are 30, so 1 is 10. 7 + 17 * 6 = 109. The answer is 109."),
    (PUZZLE, "The value of the question mark should be 109.", "109"),
    ("What is his name?", "It should be Westface.", "Westface"),
]

WRONG = [
    # a substring of a word or number is nothing
    (WHICH, "cat", "We concatenate the words."),
    (HOW_MANY, "6", "There are 16 dogs."),
    (HOW_MANY, "6", "There are 6.5 dogs."),
    (HOW_MANY, "1", "The one on the left is a dog, and there are four."),
    ("What is x?", "5", "x = -5"),
    # negation
    (WHICH, "cat", "It is not a cat."),
    (WHICH, "cat", "It isn't a cat."),
    (WHICH, "cat", "It's a dog rather than a cat."),
    (WHICH, "cat", "A dog instead of a cat."),
    (WHICH, "cat", "There is no cat."),
    (
        "Which room is bigger, the hall or the kitchen?",
        "kitchen",
        "The hall is bigger than the kitchen.",
    ),
    ("What is between them?", "wall", "It lies between the wall and the door."),
    # hedging
    (HOW_MANY, "3", "Either 3 or 4."),
    (HOW_MANY, "3", "3 or 4 dogs."),
    (HOW_MANY, "4", "Between 3 and 5, so 3, 4 or 5."),
    (HOW_MANY, "3", "There are 3 to 5 dogs."),
    (WHICH, "cat", "It is either a cat or a dog."),
    (WHICH, "cat", "A dog or a cat."),
    # yes and no
    ("Is the man happy?", "yes", "No, he is not."),
    ("Is the man happy?", "no", "Yes."),
    ("Is the man happy?", "yes", "It is not possible to tell; maybe yes."),
    ("Is the man happy?", "yes", "He wears a hat."),
    ("Is the man happy?", "no", "The man is happy."),
    # an echo of the question is no answer
    (
        "What is the answer to the second last equation?",
        "2",
        "The answer to the second last equation is 36.",
    ),
    # the conclusion counts, not the working
    (PUZZLE, "7", "3 + 4 = 7, and 7 times 6 is 42, so 42 + 1. The final answer is 43."),
    # other
    (WHICH, "cat", "A dog."),
    ("Which sample?", "sample A", "It is sample B."),
    ("Why?", "The man is not holding the umbrella.", "The man is holding the umbrella."),
]


@pytest.mark.parametrize(("question", "reference", "response"), RIGHT)
def test_right_answer_earns_everything(question: str, reference: str, response: str) -> None:
    assert verdict(question, reference, response).score == 1.0


@pytest.mark.parametrize(("question", "reference", "response"), WRONG)
def test_wrong_answer_is_not_right(question: str, reference: str, response: str) -> None:
    assert verdict(question, reference, response).score == 0.0


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("red, white and blue", 1.0),
        ("Red and white.", 2 / 3),
        ("Only blue.", 1 / 3),
        ("green", 0.0),
    ],
)
def test_every_part_of_an_and_counts_alike(response: str, score: float) -> None:
    got = verdict("Which colors?", "red<AND>white<AND>blue", response).score
    assert got == pytest.approx(score)


def test_long_answer_earns_by_the_words_it_shares() -> None:
    reference = (
        "The woman shields her eyes from the stinging tears that cutting onions causes. "
        "A helmet keeps the vapour away."
    )
    question = "Why does she do this?"
    close = verdict(
        question, reference, "Her helmet shields her eyes: cutting onions causes tears."
    )
    far = verdict(question, reference, "She likes the woman next door.")
    assert 0.5 < close.score <= 1.0
    assert far.score < 0.2


def test_incomplete_list_is_partly_right() -> None:
    got = verdict(
        "Which colors does he see?",
        "He sees red, white, light green, green, blue and purple.",
        "Red, white, green, blue and purple.",
    )
    assert 0.5 < got.score < 1.0


STEPS = (
    "The woman is peeling onions and wears a large helmet.",
    "Onions release a compound that irritates the eyes.",
    "The helmet keeps the compound away.",
)
ONIONS = Sample("s", "Why does she do this?", answer="Eye protection", steps=STEPS)


def test_right_answer_needs_no_steps() -> None:
    got = judge_locally(ONIONS, "For eye protection.", "infimm-eval")
    assert (got.score, got.score_answer_only) == (1.0, 1.0)


def test_steps_earn_partial_credit_below_full_marks() -> None:
    got = judge_locally(
        ONIONS, "She is peeling onions. Onions release a compound that irritates.", "infimm-eval"
    )
    assert got.score_answer_only == 0.0
    credits = [credit.credit for credit in got.steps]
    assert got.score == pytest.approx(STEPS_CAP * sum(credits) / 3, abs=1e-3)
    assert 0.0 < got.score < STEPS_CAP < 1.0
    assert credits[1] > 0.6 > credits[2]


def test_words_of_the_question_earn_no_step() -> None:
    got = judge_locally(ONIONS, "Why does she do this?", "infimm-eval")
    assert got.score == 0.0
    assert [credit.credit for credit in got.steps] == [0.0, 0.0, 0.0]


def test_step_that_repeats_the_question_is_earned_by_nobody() -> None:
    sample = Sample("s", "Which lamp is broken?", answer="red", steps=("A lamp is broken.",))
    assert judge_locally(sample, "Which lamp is broken?", "infimm-eval").score == 0.0


def test_steps_play_no_part_under_mm_vet() -> None:
    got = judge_locally(ONIONS, "She is peeling onions.", "mm-vet")
    assert (got.score, got.steps, got.score_answer_only) == (0.0, (), None)


def test_rationale_says_why() -> None:
    assert "does not say 'cat'" in verdict(WHICH, "cat", "A dog.").rationale
    assert "denies 'cat'" in verdict(WHICH, "cat", "Not a cat.").rationale
    assert "does not settle on '3'" in verdict(HOW_MANY, "3", "3 or 4").rationale


texts = st.text(max_size=80) | st.sampled_from(
    ["cat<AND>3", "yes", "<OR>", "<AND>", "not -1/0", "½"]
)


@given(texts, texts, st.text(max_size=30), st.sampled_from(["mm-vet", "infimm-eval"]))
@settings(max_examples=300, deadline=None)
def test_always_a_score_in_range_and_the_same_again(
    reference: str, response: str, step: str, protocol: str
) -> None:
    sample = Sample("s", step, answer=reference, steps=(step, response))
    got = judge_locally(sample, response, protocol)
    assert 0.0 <= got.score <= 1.0
    assert got.confidence is not None and 0.0 <= got.confidence <= 1.0
    assert all(0.0 <= credit.credit <= 1.0 for credit in got.steps)
    assert got == judge_locally(sample, response, protocol)


@given(st.integers(0, 10**9))
def test_numbers_compare_as_numbers(value: int) -> None:
    assert verdict("How much?", str(value), f"It is {value:,}.").score == 1.0
    assert verdict("How much?", str(value), f"It is {value + 1}.").score == 0.0


@pytest.mark.parametrize(
    "piece", ["a ", "3 or 4, ", "not a cat ", "1,", "马", "twenty ", "answer is "]
)
def test_a_hundred_thousand_characters_take_no_second(piece: str) -> None:
    response = (piece * 100_000)[:100_000]
    start = time.process_time()
    judge_locally(ONIONS, response, "infimm-eval")
    # a quadratic step would take minutes
    assert time.process_time() - start < 5.0


def test_words_know_their_clauses() -> None:
    text = words("A cat, not a dog. It sleeps")
    assert text.tokens == ("cat", "not", "dog", "it", "sleep")
    assert text.clauses == (0, 0, 0, 1, 1)
    assert text.phrases == (0, 1, 1, 2, 2)


def test_judge_is_offline_and_asks_nobody() -> None:
    async def ask(request: object) -> object:
        raise AssertionError("the local judge asked a model")

    judge = LocalJudge()
    assert isinstance(judge, Judge)
    assert judge.offline and not judge.cacheable
    got = asyncio.run(judge.judge(JudgeTask(ONIONS, "Eye protection."), ask))  # type: ignore[arg-type]
    assert got.score == 1.0
    assert judge.identity("mm-vet") != judge.identity("infimm-eval")


def test_sample_without_reference_is_an_error_and_no_zero() -> None:
    task = JudgeTask(Sample("s9", "?"), "text")
    with pytest.raises(JudgeError, match="'s9' has no reference"):
        asyncio.run(LocalJudge().judge(task, None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("purple triangle, yellow square", 0.0),
        ("yellow square, blue star, empty, purple triangle, yellow square, empty", 0.0),
        ("A yellow square and a purple triangle.", 0.0),
        ("The triangle is yellow.", 1.0),
        ("triangle, yellow", 1.0),
        ("a blue square and a yellow triangle", 0.5),
    ],
)
def test_words_of_two_things_in_a_list_are_not_one_answer(response: str, score: float) -> None:
    made = Sample("s", "Which shape replaces the question mark?", answer="yellow triangle")
    assert judge_locally(made, response, "infimm-eval").score == score


@pytest.mark.parametrize("numeral", ["〇", "二〇二四", "𒐀", "〇 five", "-𒐀"])
def test_numerals_without_digits_are_words(numeral: str) -> None:
    made = Sample("s", "What is it?", answer=numeral, steps=(numeral,))
    assert judge_locally(made, f"It is {numeral}.", "infimm-eval").score == 1.0
    assert judge_locally(made, "It is a house.", "infimm-eval").score == 0.0
