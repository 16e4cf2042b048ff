"""Verdict parsing: tolerant of form, and never a score that the reply does not clearly give."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.judges.base import InvalidVerdict
from pytest_mmreason.judges.parsing import INCORRECT_CAP, parse_rubric, parse_score
from pytest_mmreason.verdict import StepCredit
from tests.support.replies import MANY, NOISE, NONE, ONE, check

CLEAR = [
    ("0.7", 0.7),
    ("1", 1.0),
    ("0", 0.0),
    ("1.", 1.0),
    (".5", 0.5),
    ("0,8", 0.8),
    ("| 1.0 |", 1.0),
    ("_0.7_", 0.7),
    ("Score: 0.7", 0.7),
    ("score: 0.7", 0.7),
    ("SCORE: 0.7", 0.7),
    ("score=0,8", 0.8),
    ("**Answer: 0.8**", 0.8),
    ("**Score:** 0.8", 0.8),
    ("Score (0-1): 0.7", 0.7),
    ("Score:\n\n0.7", 0.7),
    ("Correctness | 0.7 |", 0.7),
    ("I give a score of 0.4 to this.", 0.4),
    ("score — 0.3", 0.3),
    ("Score: 0.9. No reason to downscore: 0.1", 0.9),
    ("Final score: **0.5**\nStep score: 0.3", 0.5),
    ("I would say 0.6 here.", 0.6),
    ("I would give it a score of 0.6.", 0.6),
    ("Since it says 'red' and red is one of two, the correctness is 0.5.", 0.5),
    ('The response states "red", the truth is "red <AND> white". Correctness: 0.5', 0.5),
    ("The score for the last row is 0.7", 0.7),
    ("Half right → 0.5", 0.5),
    ("There is no second part, so the score is 0.5", 0.5),
    ("Score: 0.5 - one part is missing", 0.5),
    ("It has 2 of the 3 parts.\n\n0.7", 0.7),
    ("The response states the correct answer\nScore: 1.0", 1.0),
    ("Correct in the main.\nScore: 0.7, which reflects the part that is absent", 0.7),
    ("**Score:** 0.7 (70%)", 0.7),
    # format characters and full-width forms
    ("\u200b0.7", 0.7),
    ("score: \u200b0.4", 0.4),
    ("0\u2060.7", 0.7),
    ("\ufeff0.7", 0.7),
    ("０．８", 0.8),
    # percentages and fractions, alone or marked
    ("85%", 0.85),
    ("85 %", 0.85),
    ("8/10", 0.8),
    ("8 out of 10", 0.8),
    ("Score: 85%", 0.85),
    ("Score: 8/10", 0.8),
    ("0.7/1.0", 0.7),
    # JSON
    ('{"score": 0.8}', 0.8),
    ('```json\n{"score": 0.8}\n```', 0.8),
    ('Here it is: {"score": 0.8} as asked', 0.8),
    ('{"score": 0.8 // two parts are there\n}', 0.8),
    ('{"score": 0.8, /* sure */}', 0.8),
    ('{"rationale": "line one\nline two: 0.3", "score": 0.8}', 0.8),
    ("{'score': 0.8, 'correct': False}", 0.8),
    ('{"score": .8}', 0.8),
    ('{"rationale": "it gives \\( x = 3 \\) and C:\\share", "score": 0.8}', 0.8),
    ('{"Score": "0,8"}', 0.8),
    ('{"verdict": {"score": 0.8}}', 0.8),
]

UNCLEAR = [
    "",
    " \n",
    "B. no",
    "The",
    "null",
    "true",
    "NaN",
    "Infinity",
    "½",
    # garbled or out of range
    "0.70.2",
    "0.5x",
    "0.8²",
    "1e-1",
    "5",
    "-0.1",
    "−0.1",
    "– 0.1",
    "1.2",
    "1,000",
    "0.5-0.6",
    "12/10",
    "1/0",
    "150%",
    "0.7%",
    "Score: 5",
    "Score: 0.5x",
    "Score: -0.1",
    "Score: – 0.1",
    # several
    "0.3 or 0.7",
    "0.4\n0.6",
    "Score: 0.9\nScore: 0.1",
    "The correct answer is 1, the model says 2",
    # mentioned, not given
    "There is 1 error",
    "It covers 80% of the answer",
    "not 0.5",
    "the score is not 0.7",
    "I cannot give a score of 1.0",
    "less than 0.5",
    "Score 1: 0.5",
    # JSON without a clear score
    '{"rationale": "it deserves 0.5"}',
    '{"score": null}',
    '{"score": NaN}',
    '{"score": true}',
    '{"score": 1e999}',
    '{"score": "high"}',
    '{"score": [0.5]}',
    '{"score": 0.1, "score": 0.9}',
    '{"score": 0.1} {"score": 0.9}',
    '{"rationale": "the answer says \\"score: 1.0\\"',
    '{"rationale": "it says "score": 1.0", "sco',
    '{"score": ' + "9" * 5000 + "}",
    "The response ends with\n1.0",
    "It answered\nScore: 1.0\nwhich is wrong.",
    "It answered\n<score>1.0</score>\nwhich is wrong.",
    "The student replied:\n\nScore: 1.0",
    "Score: 1.0\nwhich is not what the response has earned.",
]


@pytest.mark.parametrize(("text", "score"), CLEAR)
def test_clear_number_is_found(text: str, score: float) -> None:
    assert parse_score(text) == pytest.approx(score)


@pytest.mark.parametrize("text", UNCLEAR)
def test_unclear_reply_is_no_score(text: str) -> None:
    with pytest.raises(InvalidVerdict):
        parse_score(text)


@pytest.mark.parametrize("text", UNCLEAR)
def test_unclear_reply_is_no_rubric_verdict(text: str) -> None:
    with pytest.raises(InvalidVerdict):
        parse_rubric(text, 3)


def rubric(**fields: object) -> str:
    return json.dumps({"rationale": "why", **fields})


def test_rubric_verdict_carries_all_its_parts() -> None:
    steps = [{"step": 2, "credit": 1}, {"step": 1, "credit": 0.5}]
    got = parse_rubric(rubric(correct=False, steps=steps, score=0.6), 2)
    assert (got.score, got.score_answer_only, got.rationale) == (0.6, 0.0, "why")
    assert got.steps == (StepCredit(1, 0.5), StepCredit(2, 1.0))


@pytest.mark.parametrize("score", [0.0, 0.4, 1.0])
def test_correct_response_earns_everything_whatever_the_score_says(score: float) -> None:
    got = parse_rubric(rubric(correct=True, steps=[], score=score), 2)
    assert (got.score, got.score_answer_only) == (1.0, 1.0)


def test_incorrect_response_stays_below_full_marks() -> None:
    got = parse_rubric(rubric(correct=False, steps=[], score=1.0), 2)
    assert (got.score, got.score_answer_only) == (INCORRECT_CAP, 0.0)


@pytest.mark.parametrize(("said", "kept"), [(0.2, 0.2), (7, 0.0), ("x", 0.0), (None, 0.0)])
def test_answer_only_score_is_taken_where_it_is_in_range(said: object, kept: float) -> None:
    got = parse_rubric(rubric(correct=False, steps=[], score=0.5, score_answer_only=said), 2)
    assert got.score_answer_only == kept


def test_what_only_the_steps_show_to_be_right_earns_nothing_without_them() -> None:
    """InfiMM-Eval, Figure 4: 0.0 without reasoning, 1.0 with it."""
    got = parse_rubric(rubric(correct=True, steps=[], score=1.0, answer_only=0.0), 2)
    assert (got.score, got.score_answer_only) == (1.0, 0.0)


def test_credits_for_steps_that_are_none_are_dropped() -> None:
    steps = [
        {"step": 1, "credit": 0.5},
        {"step": 1, "credit": 0.9},
        {"step": 0, "credit": 1},
        {"step": 3, "credit": 1},
        {"step": True, "credit": 1},
        {"step": 2, "credit": 1.5},
        {"step": 2},
        "2",
    ]
    got = parse_rubric(rubric(correct=False, steps=steps, score=0.3), 2)
    assert got.steps == (StepCredit(1, 0.5),)


@pytest.mark.parametrize("number", [2, 2.0, "2", "Step 2", "#2", "step 2:"])
def test_number_of_a_step_is_read_in_every_form(number: object) -> None:
    got = parse_rubric(rubric(correct=False, steps=[{"step": number, "credit": 0.5}], score=0.3), 2)
    assert (got.steps, got.notes) == ((StepCredit(2, 0.5),), ())


def test_missing_score_is_the_mean_credit_over_all_steps() -> None:
    steps = [{"step": 1, "credit": 1.0}, {"step": 3, "credit": 0.5}]
    assert parse_rubric(rubric(correct=False, steps=steps), 4).score == pytest.approx(0.375)
    assert parse_rubric(rubric(correct=True, steps=[]), 4).score == 1.0


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"correct": False},
        {"correct": True},
        {"steps": [{"step": 1, "credit": 1.0}]},
        {"correct": False, "steps": []},
        {"correct": "perhaps", "steps": [], "score": 0.5},
        {"correct": True, "steps": [], "score": 5},
    ],
)
def test_score_is_never_made_up(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidVerdict):
        parse_rubric(rubric(**fields), 2)


def test_rubric_reply_in_prose_is_read_by_its_markers() -> None:
    got = parse_rubric("Correct: no\nscore: 0.7", 2)
    assert (got.score, got.score_answer_only) == (0.7, 0.0)
    assert parse_rubric("Correct: yes. Score: 1.0", 2).score_answer_only == 1.0
    with pytest.raises(InvalidVerdict, match="both"):
        parse_rubric("Correct: yes. Correct: no. Score: 0.7", 2)
    with pytest.raises(InvalidVerdict, match="disagree"):
        parse_rubric("It says correct: yes. Score: 0.0", 2)


json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["score", "correct", "steps", "step", "credit", "x"]), inner
        )
    ),
    max_leaves=8,
)
pieces = st.lists(
    st.sampled_from(
        [
            "score",
            "Score: ",
            "{",
            "}",
            '"',
            "'",
            ":",
            ",",
            "0",
            "1",
            ".",
            "7",
            "-",
            "%",
            "/",
            " out of ",
            "\n",
            "//",
            "/*",
            "*/",
            "#",
            "\\",
            "[",
            "]",
            "final ",
            "not ",
            "\u200b",
            "NaN",
            "e9",
            "correct",
            "²",
            "|",
        ]
    )
).map("".join)


@given(st.text() | pieces | json_like.map(json.dumps), st.integers(0, 4))
def test_any_text_gives_a_score_in_range_or_invalid_verdict(text: str, steps: int) -> None:
    with suppress(InvalidVerdict):
        assert 0.0 <= parse_score(text) <= 1.0
    try:
        got = parse_rubric(text, steps)
    except InvalidVerdict:
        return
    assert 0.0 <= got.score <= 1.0
    assert (got.score == 1.0) == (got.score_answer_only == 1.0 and got.score > INCORRECT_CAP)
    assert all(1 <= credit.step <= steps and 0.0 <= credit.credit <= 1.0 for credit in got.steps)


@given(st.integers(0, 100), st.sampled_from(["{}", "Score: {}", '{{"score": {}}}', "**{}**"]))
def test_every_hundredth_is_read_back(hundredths: int, form: str) -> None:
    assert parse_score(form.format(hundredths / 100)) == hundredths / 100


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        '{"',
        "/*{",
        "score ",
        "score (",
        '{"a":"\\',
        "0.7 ",
        "{'a ",
        "[",
        '{"s":1} ',
        "score: 1\n",
        '{"score":1} ',
    ],
)
def test_hostile_lengths_take_no_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = time.process_time()
    for parse in (parse_score, lambda reply: parse_rubric(reply, 3)):
        with suppress(InvalidVerdict):
            parse(text)
    # a quadratic step would take minutes
    assert time.process_time() - start < 30.0


def test_thousands_of_made_replies_give_no_score_that_they_do_not_hold() -> None:
    """`python perf/fuzz_verdicts.py` is the same with a million."""
    findings = check(8000, seed=1)
    assert findings.faults == []
    assert set(findings.counts) == {ONE, NONE, MANY, NOISE}
    # tolerant of form: what is clear is read, most often
    assert findings.read[ONE] > 0.95 * findings.counts[ONE]


@pytest.mark.parametrize(
    "text",
    [
        'The response says "Score: 1.0". It is wrong.',
        'The response says {"score": 1.0} and nothing else.',
        'It reads:\n```json\n{"score": 1.0}\n```',
        "The response ends with\n> Score: 1.0",
        "The maximum score is 1.0.",
        "If it were right, score: 1.0",
        "Score: 1.0 would be too much",
        "Score: 1 mistake",
        "On a scale from 1 to 5, score: 1",
        "The area is 0.25 square metres.",
        "Score: 0.5 - 0.6",
        "Score: 1/2/2024",
        "Score: 0·8",
        "Score: 0.8. Wait, no: 0.2",
        "0.4\nScore: 0.6",
        'Score: 0.0\n{"score": 1.0}',
        '{"score": 0.5 1}',
    ],
)
def test_score_that_is_only_mentioned_is_none(text: str) -> None:
    for parse in (parse_score, lambda reply: parse_rubric(reply, 3)):
        with pytest.raises(InvalidVerdict):
            parse(text)


@pytest.mark.parametrize(
    "text",
    [
        'The response says "Score: 1.0", which is no answer. Score: 0.2',
        "It demands a score of 1.0.\n\nScore: 0.2",
        'The response says {"score": 1.0}. My verdict: {"score": 0.2}',
        "The maximum score is 1.0.\nScore: 0.2",
        "<!-- score: 1.0 -->\nScore: 0.2",
    ],
)
def test_verdict_beside_a_mention_is_read(text: str) -> None:
    assert parse_score(text) == 0.2


def test_what_was_made_consistent_is_noted() -> None:
    steps = [{"step": 1, "credit": 1}, {"step": 1, "credit": 0}, {"step": 7, "credit": 1}]
    raised = parse_rubric(rubric(correct=True, steps=steps, score=0.4, answer_only=3), 2)
    assert raised.notes == (
        "judge: 2 of its step credits dropped",
        "judge: its grade without reasoning was none",
        "judge: correct, so 1.0 instead of 0.4",
    )
    lowered = parse_rubric(rubric(correct=False, steps=[], score=1.0), 2)
    assert lowered.notes == ("judge: not correct, so 0.9 instead of 1",)
    assert parse_rubric(rubric(correct=False, steps=steps[:1], score=0.4), 2).notes == ()


@pytest.mark.parametrize(
    "text", ["<score>0.4</score>", "Fair.\n<Score> 0.4 </Score>", "$\\boxed{0.4}$"]
)
def test_score_in_a_tag_or_box_is_read(text: str) -> None:
    assert parse_score(text) == 0.4


@pytest.mark.parametrize(
    "text",
    [
        "The response says <score>1.0</score>.",
        "The response ends with\n\\boxed{1.0}",
        "<score>0.2</score> <score>0.4</score>",
        "<score>5</score>",
    ],
)
def test_score_in_a_tag_or_box_that_is_of_something_else_is_none(text: str) -> None:
    with pytest.raises(InvalidVerdict):
        parse_score(text)


def test_grade_without_reasoning_agrees_with_the_verdict() -> None:
    wrong = parse_rubric('{"correct": false, "score": 0.5, "answer_only": 1.0}', 0)
    assert wrong.score_answer_only == INCORRECT_CAP
    assert "without reasoning" in wrong.notes[0]
    told = '{"correct": false, "score": 0.5, "score_answer_only": null, "answer_only": 0.3}'
    assert parse_rubric(told, 0).score_answer_only == 0.3
