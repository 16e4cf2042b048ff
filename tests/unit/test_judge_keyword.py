"""The keyword baseline: substrings, and the fraction of the parts."""

from __future__ import annotations

import asyncio

import pytest

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.judges.keyword import KeywordJudge, match_keywords
from pytest_mmreason.sample import Sample


@pytest.mark.parametrize(
    ("reference", "response", "score"),
    [
        ("cat", "A CAT sits there.", 1.0),
        ("Cat", "a dog", 0.0),
        ("cat", "concatenate", 1.0),  # the baseline knows no words
        ("six", "6", 0.0),
        ("a<AND>b<AND>c<AND>d", "a b", 0.5),
        ("third<OR> 3", "step 3", 1.0),
        ("x<AND>y<OR>z", "x z", 1.0),
        ("x<AND>y<OR>z", "z", 0.5),
        ("x<AND>", "z", 0.0),  # what is blank is no part
        ("x<OR> ", "z", 0.0),
        ("", "z", 0.0),
    ],
)
def test_score_is_the_fraction_of_parts_found(reference: str, response: str, score: float) -> None:
    assert match_keywords(reference, response).score == score


def test_rationale_names_what_is_missing() -> None:
    assert "missing: 'b', 'c'" in match_keywords("a<AND>b<AND>c", "a").rationale


def test_judge_is_offline_and_needs_a_reference() -> None:
    judge = KeywordJudge()
    assert isinstance(judge, Judge)
    assert judge.offline and not judge.cacheable
    task = JudgeTask(Sample("s", "?", answer="cat"), "cat")
    assert asyncio.run(judge.judge(task, None)).score == 1.0  # type: ignore[arg-type]
    with pytest.raises(JudgeError, match="no reference"):
        asyncio.run(judge.judge(JudgeTask(Sample("s", "?"), "cat"), None))  # type: ignore[arg-type]
