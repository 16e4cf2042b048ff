"""The judges measured on real GPT-4 grades, and MM-Vet's Table 9 beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_summary
from tests.support.runs import flat, run

PREDICTIONS = {
    "llava-v1.5-7b_gpt-4-0613-grade-1runs.json": "llava-v1.5-7b.haoming2000-rerun.json",
    "llava-v1.5-7b_gpt-4-grade-3runs.json": "llava-v1.5-7b.official-eval-zip.json",
}


def measured(
    pytester: pytest.Pytester, realdata: Path, grades: str, *arguments: str
) -> tuple[dict[str, Any], str]:
    """The agreement of a run, and its text."""
    source = realdata / "mmvet"
    result = run(
        pytester,
        f"--mm-agreement={source / 'graded' / grades}",
        f"--mm-model=replay:{source / 'predictions' / PREDICTIONS[grades]}",
        f"--mm-benchmark=mm-vet={source}",
        "--mm-output=out",
        *arguments,
    )
    assert result.ret == 0
    (found,) = read_summary(pytester.path / "out")["runs"]
    return found["agreement"], flat(result)


@pytest.mark.parametrize("grades", PREDICTIONS)
def test_recorded_grades_agree_with_themselves(
    pytester: pytest.Pytester, realdata: Path, grades: str
) -> None:
    runs = grades.rpartition("-")[2][0]
    judge = f"--mm-judge=replay:{realdata / 'mmvet' / 'graded' / grades}"
    found, _ = measured(pytester, realdata, grades, judge, f"--mm-judge-runs={runs}")
    assert (found["n"], found["difference"], found["spearman"]) == (218, 0.0, 1.0)
    off = [
        n for reference, row in found["confusion"].items() for j, n in row.items() if j != reference
    ]
    assert sum(off) == 0


@pytest.mark.parametrize(
    ("selection", "shown"),
    [((), True), (("-m", "not gen"), True), (("-m", "not gen and not math"), False)],
    ids=["all", "without gen", "fewer"],
)
def test_table_9_stands_beside_the_138_samples(
    pytester: pytest.Pytester, realdata: Path, selection: tuple[str, ...], shown: bool
) -> None:
    grades = "llava-v1.5-7b_gpt-4-grade-3runs.json"
    found, text = measured(pytester, realdata, grades, "--mm-judge=keyword", *selection)
    assert ("MM-Vet, Table 9" in text) == shown == ("published" in found)
    if shown:
        assert found["capability"]["without gen"]["n"] == 138
        assert "keyword matching 0.273" in text and "GPT-4 (0613) 0.042" in text
