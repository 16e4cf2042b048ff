"""MM-Vet's published grades give MM-Vet's published files, byte for byte."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.judges.replay import ReplayJudge
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.replay import ReplayModel
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.reports.official import (
    Grade,
    Graded,
    capability_table,
    grades_text,
    integration_table,
)
from tests.support.benchmarks import read_records, read_summary, write_benchmark
from tests.support.runs import run

MODEL = "llava-v1.5-7b"
PAIRS = [("gpt-4", 1), ("gpt-4", 3), ("gpt-4-0613", 1)]
EVERY_PAIR = pytest.mark.parametrize(("judge", "runs"), PAIRS)


class Files:
    """The published files of one model and judge, and MM-Vet's questions."""

    def __init__(self, realdata: Path, judge: str, runs: int) -> None:
        self.folder = realdata / "mmvet" / "graded"
        self.names = {
            part: f"{MODEL}_{judge}-{part}-{runs}runs.{kind}"
            for part, kind in (("grade", "json"), ("cap-score", "csv"), ("cap-int-score", "csv"))
        }
        self.meta = questions(realdata)

    def bytes_of(self, part: str) -> bytes:
        return (self.folder / self.names[part]).read_bytes()

    def graded(self) -> list[Graded]:
        return [
            Graded(
                sample,
                tuple(self.meta[sample]["capability"]),
                tuple(
                    Grade(*grade)
                    for grade in zip(entry["model"], entry["content"], entry["score"], strict=True)
                ),
                tuple(entry["score"]),
            )
            for sample, entry in json.loads(self.bytes_of("grade")).items()
        ]

    def column_names(self) -> dict[frozenset[str], str]:
        """What the evaluator's process happened to call the integrations."""
        header = next(csv.reader(self.bytes_of("cap-int-score").decode("utf-8").splitlines()))
        return {frozenset(name.split("_")): name for name in header[1:-3]}


def questions(realdata: Path) -> dict[str, Any]:
    path = realdata / "mmvet" / "mm-vet.json"
    meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return meta


@EVERY_PAIR
def test_the_table_by_capability_is_the_published_one(
    realdata: Path, judge: str, runs: int
) -> None:
    files = Files(realdata, judge, runs)
    ours = capability_table(MODEL, files.graded(), runs)
    assert ours.encode("utf-8") == files.bytes_of("cap-score")


@EVERY_PAIR
def test_the_table_by_integration_is_the_published_one(
    realdata: Path, judge: str, runs: int
) -> None:
    files = Files(realdata, judge, runs)
    named = files.column_names()
    assert len(named) == 16
    ours = integration_table(MODEL, files.graded(), runs, named.__getitem__)
    assert ours.encode("utf-8") == files.bytes_of("cap-int-score")


@EVERY_PAIR
def test_but_for_the_order_of_words_in_a_column_name_so_is_ours(
    realdata: Path, judge: str, runs: int
) -> None:
    files = Files(realdata, judge, runs)
    ours = integration_table(MODEL, files.graded(), runs).splitlines()
    theirs = files.bytes_of("cap-int-score").decode("utf-8").splitlines()
    assert ours[1:] == theirs[1:]
    words = [[sorted(name.split("_")) for name in line.split(",")] for line in (ours[0], theirs[0])]
    assert words[0] == words[1]


@EVERY_PAIR
def test_the_grades_are_written_as_they_were_read(realdata: Path, judge: str, runs: int) -> None:
    files = Files(realdata, judge, runs)
    assert grades_text(files.graded()).encode("utf-8") == files.bytes_of("grade")


@EVERY_PAIR
def test_a_run_that_replays_the_grades_writes_the_published_files(
    pytester: pytest.Pytester, realdata: Path, judge: str, runs: int
) -> None:
    files = Files(realdata, judge, runs)
    answers = pytester.path / f"{MODEL}.json"
    recorded = "haoming2000-rerun" if judge == "gpt-4-0613" else "official-eval-zip"
    source = realdata / "mmvet" / "predictions" / f"{MODEL}.{recorded}.json"
    answers.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    replay(
        pytester,
        realdata,
        f"--mm-model=replay:{answers}",
        f"--mm-judge=replay:{files.folder / files.names['grade']}",
        f"--mm-judge-runs={runs}",
    )
    out = pytester.path / "out"
    assert {path.name for path in out.glob(f"{MODEL}_*")} == set(files.names.values())
    for part in ("grade", "cap-score"):
        assert (out / files.names[part]).read_bytes() == files.bytes_of(part)
    ours = (out / files.names["cap-int-score"]).read_text(encoding="utf-8")
    assert ours.splitlines()[1:] == files.bytes_of("cap-int-score").decode().splitlines()[1:]


def test_a_sample_that_the_grades_lack_is_no_zero(
    pytester: pytest.Pytester, realdata: Path
) -> None:
    files = Files(realdata, "gpt-4", 1)
    grades = json.loads(files.bytes_of("grade"))
    del grades["v1_7"]
    path = pytester.path / f"{MODEL}_gpt-4-grade-1runs.json"
    path.write_text(json.dumps(grades), encoding="utf-8")
    answers = realdata / "mmvet" / "predictions" / f"{MODEL}.official-eval-zip.json"
    result = replay(
        pytester,
        realdata,
        f"--mm-model=replay:{answers}",
        f"--mm-judge=replay:{path}",
        "--mm-max-errors=1",
    )
    result.stdout.fnmatch_lines(["*tables are over 217 of the 218 samples*", "*'v1_7'*"])
    (absent,) = (r for r in read_records(pytester.path / "out") if r["status"] == "judge_error")
    assert absent["score"] is None
    assert re.match("Sample 'v1_7': .*holds no verdict for it", absent["reason"])
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["counts"]["judge_error"] == 1
    written = pytester.path / "out" / f"{answers.stem}_gpt-4-grade-1runs.json"
    assert json.loads(written.read_text(encoding="utf-8")) == grades


@EVERY_PAIR
def test_published_grades_are_read_whole(realdata: Path, judge: str, runs: int) -> None:
    files = Files(realdata, judge, runs)
    recorded = ReplayJudge(files.folder / files.names["grade"])
    assert recorded.ids == files.meta.keys()
    assert recorded.runs == runs


@pytest.mark.parametrize(
    "name",
    [
        f"{MODEL}.official-eval-zip.json",
        f"{MODEL}.official-eval-zip.answers.jsonl",
        f"{MODEL}.haoming2000-rerun.json",
        "llava_llama2_13b_chat.json",
    ],
)
def test_recorded_answers_are_read_whole(realdata: Path, name: str) -> None:
    model = ReplayModel(realdata / "mmvet" / "predictions" / name, name)
    samples = questions(realdata)
    assert model.unknown(samples) == []
    for sample in samples:
        request = Request(Prompt.of("?"), sample=sample, benchmark="mm-vet")
        assert asyncio.run(model.generate(request)).text.strip()


def replay(pytester: pytest.Pytester, realdata: Path, *arguments: str) -> pytest.RunResult:
    """A run on MM-Vet, whose files are written into ``out``."""
    rows = [
        {
            "id": name,
            "question": entry["question"],
            "images": [f"images/{entry['imagename']}"],
            "answer": entry["answer"],
            "capabilities": entry["capability"],
        }
        for name, entry in questions(realdata).items()
    ]
    folder = write_benchmark(pytester.path / "vet", rows, name="mm-vet", protocol="mm-vet")
    result = run(pytester, f"--mm-benchmark={folder}", "--mm-output=out", *arguments)
    assert result.ret == 0
    return result
