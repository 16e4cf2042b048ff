"""What readers of `mini` earned with its pictures and without, by its own protocol.

Their answers are data beside the tests; benchmarks/mini/QUALITY.md tells how they were asked.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.benchmarks import native
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.scoring import weighted_score

ROOT = Path(__file__).parents[2]
READERS = ROOT / "tests" / "data" / "mini_readers"
BENCHMARK = native.load(ROOT / "benchmarks" / "mini")
GUESSED, AGREED = 5.0, 0.95  # points, share: what the datasheet promises


@cache
def said(reader: str) -> dict[str, dict[str, Any]]:
    lines = (READERS / f"{reader}.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["sample"]: row for row in map(json.loads, lines)}


def earned(reader: str) -> float:
    """The overall score of a reader's answers, from 0 to 100."""
    scores = [
        (s.weight, judge_locally(s, said(reader)[s.id]["answer"], BENCHMARK.protocol).score)
        for s in BENCHMARK.samples
    ]
    score = weighted_score(scores)
    assert score is not None
    return score


@pytest.mark.parametrize("reader", sorted(path.stem for path in READERS.glob("*.jsonl")))
def test_readers_answered_the_present_questions(reader: str) -> None:
    asked = {sample.id: sample.question for sample in BENCHMARK.samples}
    assert {name: row["question"] for name, row in said(reader).items()} == asked
    assert all(row["answer"].strip() for row in said(reader).values())


@pytest.mark.parametrize("number", [1, 2])
def test_readers_without_the_pictures_earn_next_to_nothing(number: int) -> None:
    assert earned(f"without-pictures-{number}") < GUESSED


@pytest.mark.parametrize("number", [1, 2])
def test_readers_with_the_pictures_agree_with_the_reference(number: int) -> None:
    rows = said(f"with-pictures-{number}").values()
    assert sum(row["agrees"] for row in rows) / len(rows) >= AGREED
    # the offline judge takes a few right answers for partly right ones
    assert earned(f"with-pictures-{number}") >= 100 * AGREED - 1


PIECES = "red blue green orange purple yellow circle square triangle star cross"
PLACES = "left right top bottom center"
NUMBERS = " ".join(map(str, range(1, 60)))
REASONING = (
    "The first picture shows shapes and the second picture shows them turned. So the rule is that "
    "each one moves to the right and changes colour, and the last one is left over. There are three "
    "red, three blue and four green ones, therefore together there are seven. The answer is 7."
)


@pytest.mark.parametrize(
    "response",
    [
        PIECES,
        f"{PIECES} {PLACES}",
        f"{PIECES} {NUMBERS}",
        f"{PIECES} {NUMBERS} {PLACES} A B C D E F G H",
        f"{PIECES} {NUMBERS} {PLACES}".replace(" ", ", "),
        REASONING,
    ],
)
def test_who_says_everything_everywhere_earns_next_to_nothing(response: str) -> None:
    scores = [
        (s.weight, judge_locally(s, response, BENCHMARK.protocol).score) for s in BENCHMARK.samples
    ]
    score = weighted_score(scores)
    assert score is not None and score < GUESSED
