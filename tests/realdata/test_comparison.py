"""Two real samplings of one model's answers, both graded by GPT-4, against each other."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from statistics import mean, pstdev

import pytest

from tests.support.benchmarks import read_summary
from tests.support.runs import flat, run

ZIP = ("llava-v1.5-7b.official-eval-zip.json", "llava-v1.5-7b_gpt-4-grade-1runs.json")
RERUN = ("llava-v1.5-7b.haoming2000-rerun.json", "llava-v1.5-7b_gpt-4-0613-grade-1runs.json")


def test_two_samplings_of_a_model_are_not_told_apart(
    pytester: pytest.Pytester, realdata: Path
) -> None:
    vet = realdata / "mmvet"

    def options(answers: str, grades: str) -> tuple[str, ...]:
        return (
            f"--mm-benchmark=mm-vet={vet}",
            f"--mm-model=replay:{vet / 'predictions' / answers}",
            f"--mm-judge=replay:{vet / 'graded' / grades}",
            "--mm-show=0",
        )

    assert run(pytester, *options(*ZIP), "--mm-output=before").ret == 0
    later = (*options(*RERUN), "--mm-baseline=before", "--mm-max-drop=0")
    refused = run(pytester, *later)
    assert refused.ret == 4 and "--mm-allow-different=judge" in refused.stderr.str()
    result = run(pytester, *later, "--mm-allow-different=judge", "--mm-output=after")
    assert result.ret == 0
    found = read_summary(pytester.path / "after")["runs"][0]["comparison"]
    before, after = (
        json.loads((vet / "graded" / name).read_text(encoding="utf-8")) for _, name in (ZIP, RERUN)
    )
    lost = [after[sample]["score"][0] - before[sample]["score"][0] for sample in before]
    row = found["rows"]["overall"]
    assert row["n"] == 218 and row["difference"] == pytest.approx(100 * mean(lost))
    error = 100 * pstdev(lost) / math.sqrt(218)
    assert row["ci95"][1] - row["ci95"][0] == pytest.approx(2 * 1.971 * error, rel=1e-3)
    rng = random.Random(0)
    told = [value for value in lost if value]
    drawn = [abs(sum(rng.choice((-1, 1)) * value for value in told)) for _ in range(5000)]
    share = sum(total >= abs(sum(told)) - 1e-9 for total in drawn) / len(drawn)
    assert row["p"] == pytest.approx(share, abs=0.03), "as if it were drawn"
    assert "differing judge: --mm-judge" in flat(result)
