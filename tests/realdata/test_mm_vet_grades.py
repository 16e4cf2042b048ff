"""Real GPT-4 grades of real answers: the numbers of the official evaluator, digit for digit."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, read_summary, without_times, write_benchmark
from tests.support.runs import run, summary_lines

ZIP = "llava-v1.5-7b.official-eval-zip.json"
RERUN = "llava-v1.5-7b.haoming2000-rerun.json"


@dataclass(frozen=True)
class Official:
    """A table of the official evaluator: a score by column, and the spread over its runs."""

    rows: dict[str, float]
    total: float
    sd: float
    runs: list[float]

    @classmethod
    def read(cls, path: Path) -> Official:
        (row,) = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        columns = {name: value for name, value in row.items() if name}
        total, sd, runs = (columns.pop(name) for name in ("total", "std", "runs"))
        return cls(
            {n: float(v) for n, v in columns.items()}, float(total), float(sd), json.loads(runs)
        )


class Vet:
    """MM-Vet's official files, converted into a folder of the test's own."""

    def __init__(self, pytester: pytest.Pytester, realdata: Path) -> None:
        self.pytester = pytester
        self.source = realdata / "mmvet"
        meta = json.loads((self.source / "mm-vet.json").read_text(encoding="utf-8"))
        rows = [
            {
                "id": name,
                "question": entry["question"],
                "images": [f"images/{entry['imagename']}"],
                "answer": entry["answer"],
                "capabilities": entry["capability"],
            }
            for name, entry in meta.items()
        ]
        self.folder = write_benchmark(pytester.path / "vet", rows, name="mm-vet", protocol="mm-vet")

    def score(self, answers: str, grades: str, *arguments: str) -> dict[str, Any]:
        """The run's part of summary.json."""
        self.result = run(
            self.pytester,
            f"--mm-model=replay:{self.source / 'predictions' / answers}",
            f"--mm-judge=replay:{self.source / 'graded' / grades}",
            f"--mm-benchmark={self.folder}",
            "--mm-output=out",
            *arguments,
        )
        assert self.result.ret == 0
        (found,) = read_summary(self.pytester.path / "out")["runs"]
        assert found["counts"]["scored"] == found["counts"]["collected"] == 218
        return dict(found)

    def official(self, name: str) -> tuple[Official, Official]:
        """The tables by capability and by integration."""
        cap, integrations = (
            self.source / "graded" / name.replace("grade", part)
            for part in ("cap-score", "cap-int-score")
        )
        return Official.read(cap.with_suffix(".csv")), Official.read(
            integrations.with_suffix(".csv")
        )


@pytest.fixture
def vet(pytester: pytest.Pytester, realdata: Path) -> Vet:
    return Vet(pytester, realdata)


@pytest.mark.parametrize(
    ("answers", "grades", "runs", "total"),
    [
        (RERUN, "llava-v1.5-7b_gpt-4-0613-grade-1runs.json", 1, 30.7),
        (ZIP, "llava-v1.5-7b_gpt-4-grade-1runs.json", 1, 31.2),
        (ZIP, "llava-v1.5-7b_gpt-4-grade-3runs.json", 3, 31.1),
    ],
    ids=["gpt-4-0613", "gpt-4", "gpt-4 three times"],
)
def test_every_column_equals_the_official_table(
    vet: Vet, answers: str, grades: str, runs: int, total: float
) -> None:
    found = vet.score(answers, grades, f"--mm-judge-runs={runs}")
    rows = found["rows"]
    capabilities, integrations = vet.official(grades)
    overall = rows["overall"]
    assert rounded(overall["score"]) == total == capabilities.total == integrations.total
    assert rounded(overall["sd"]) == capabilities.sd
    assert [rounded(value) for value in overall["runs"]] == capabilities.runs
    assert {name: rounded(rows[name]["score"]) for name in capabilities.rows} == capabilities.rows

    expected = {as_row(column): score for column, score in integrations.rows.items()}
    ours = {name: row for name, row in rows.items() if "+" in name or name.endswith("_only")}
    assert len(expected) == 16
    assert {name: rounded(row["score"]) for name, row in ours.items()} == expected


def test_three_judge_runs_have_the_published_spread(vet: Vet) -> None:
    vet.score(ZIP, "llava-v1.5-7b_gpt-4-grade-3runs.json", "--mm-judge-runs=3")
    lines = vet.result.stdout
    lines.re_match_lines([r" *overall +218 +31\.1 +± 0\.2 .*"])


def test_the_counts_are_those_of_the_paper(vet: Vet) -> None:
    rows = vet.score(ZIP, "llava-v1.5-7b_gpt-4-grade-1runs.json")["rows"]
    counts = {name: rows[name]["n"] for name in ("rec", "ocr", "know", "gen", "spat", "math")}
    assert counts == {"rec": 150, "ocr": 96, "know": 84, "gen": 80, "spat": 75, "math": 26}
    assert list(counts) == [name for name in rows if name in counts], "by falling count"


def test_llavas_form_of_the_answers_and_two_workers_change_nothing(vet: Vet) -> None:
    grades = "llava-v1.5-7b_gpt-4-grade-1runs.json"
    # One name for both recordings: it stands in every record and table.
    seen = []
    for name, workers in ((ZIP, ()), (ZIP.replace(".json", ".answers.jsonl"), ()), (ZIP, ("-n2",))):
        text = (vet.source / "predictions" / name).read_text(encoding="utf-8")
        recorded = vet.pytester.path / "answers.json"
        recorded.write_text(text, encoding="utf-8")
        found = vet.score(str(recorded), grades, *workers)
        records = without_times(read_records(vet.pytester.path / "out"))
        seen.append((found, records, summary_lines(vet.result)))
    assert seen[1] == seen[0]
    assert seen[2] == seen[0]


def rounded(value: float) -> float:
    return round(value, 1)


def as_row(column: str) -> str:
    """The name of our row for an official column, ``rec_gen_know``."""
    parts = sorted(column.split("_"))
    return "+".join(parts) if len(parts) > 1 else f"{column}_only"
