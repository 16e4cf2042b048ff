"""The offline judge against GPT-4's grades of real answers."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.sample import Sample

# each grade file on the answers that it grades
GRADED = {
    "llava-v1.5-7b_gpt-4-grade-3runs.json": "llava-v1.5-7b.official-eval-zip.json",
    "llava-v1.5-7b_gpt-4-0613-grade-1runs.json": "llava-v1.5-7b.haoming2000-rerun.json",
}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("without_gen", "count", "most"), [(True, 138, 0.050), (False, 218, 0.095)]
)
def test_local_is_as_near_to_gpt_4_as_promised(
    realdata: Path, without_gen: bool, count: int, most: float
) -> None:
    folder = realdata / "mmvet"
    meta = read(folder / "mm-vet.json")
    asked = [name for name, m in meta.items() if not (without_gen and "gen" in m["capability"])]
    assert len(asked) == count
    means = []
    for grades_name, answers_name in GRADED.items():
        grades = read(folder / "graded" / grades_name)
        answers = read(folder / "predictions" / answers_name)
        means.append(
            statistics.fmean(
                abs(
                    judge_locally(
                        Sample(name, meta[name]["question"], answer=meta[name]["answer"]),
                        answers[name],
                        "mm-vet",
                    ).score
                    - statistics.fmean(grades[name]["score"])
                )
                for name in asked
            )
        )
    assert statistics.fmean(means) <= most
