"""The authors' own graded examples: what the judge is sent holds all that their grades need."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.benchmarks import infimm_eval
from pytest_mmreason.judges import rubric
from pytest_mmreason.judges.base import JudgeTask
from pytest_mmreason.judges.quoting import boundary
from pytest_mmreason.judges.rubric import parse


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def strings(text: str) -> list[str]:
    """The JSON strings that begin a line, or follow its label."""
    found = []
    for line in text.splitlines():
        start = line.find('"')
        if start >= 0 and line[:start].strip(" 0123456789.") in (
            "",
            "Question:",
            "Reference answer:",
        ):
            try:
                found.append(json.loads(line[start:]))
            except ValueError:
                continue
    return found


def test_prompt_holds_all_that_the_authors_grades_need(realdata: Path) -> None:
    folder = realdata / "infimm"
    samples = {sample.id: sample for sample in infimm_eval.load(folder).samples}
    references = {row["id"]: row for row in lines_of(folder / "references.jsonl")}
    graded = lines_of(folder / "graded_predictions.jsonl")
    assert graded
    for row in graded:
        reference = references[row["id"]]
        sample = replace(
            samples[row["id"]], answer=reference["answer"], steps=tuple(reference["steps"])
        )
        task = JudgeTask(sample, row["prediction"])
        text = rubric.build_prompt(task).text
        expected = [sample.question, sample.answer, *sample.steps, row["prediction"]]
        assert strings(text) == expected
        mark = boundary(row["prediction"])
        assert json.loads(text.split(f"\n{mark}\n")[1]) == row["prediction"]
        # a judge that gives the authors' grade is taken at its word
        reply = {"rationale": "", "correct": row["grade"] == 1, "steps": [], "score": row["grade"]}
        assert parse(json.dumps(reply), task).score == row["grade"]


def test_references_come_with_the_samples_by_themselves(realdata: Path) -> None:
    """`references.jsonl` beside the public file is all that a run needs."""
    samples = {s.id: s for s in infimm_eval.load(realdata / "infimm").samples}
    for row in lines_of(realdata / "infimm" / "references.jsonl"):
        assert (samples[row["id"]].answer, list(samples[row["id"]].steps)) == (
            row["answer"],
            row["steps"],
        )


@pytest.mark.parametrize("grade", [0.0, 0.8])
def test_examples_cover_a_wrong_and_a_partly_right_answer(realdata: Path, grade: float) -> None:
    graded = lines_of(realdata / "infimm" / "graded_predictions.jsonl")
    assert grade in {row["grade"] for row in graded}
