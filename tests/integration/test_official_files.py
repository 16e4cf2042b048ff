"""MM-Vet's own result files of a run, and grade files that are taken up again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import (
    read_records,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.endpoint import Endpoint
from tests.support.runs import endpoint_options, flat, number_of, run

FLAT = {"category": "", "complexity": ""}


@pytest.fixture
def made(pytester: pytest.Pytester) -> str:
    rows = [
        sample(0, **FLAT, capabilities=["rec"]),
        sample(1, **FLAT, capabilities=["rec", "ocr"]),
        sample(2, **FLAT, capabilities=["ocr"]),
    ]
    folder = write_benchmark(pytester.path / "made", rows, protocol="mm-vet")
    return f"--mm-benchmark={folder}"


@pytest.fixture
def replay(pytester: pytest.Pytester) -> str:
    answers = {f"s{n}": f"text {n}" for n in range(3)}
    return f"--mm-model=replay:{write_answers(pytester.path / 'llava.json', answers)}"


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "runs." in path.name)


def grades_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write_grades(path: Path, **scores: list[float]) -> Path:
    content = {
        sample: {"model": ["gpt-4"] * len(s), "content": [str(x) for x in s], "score": s}
        for sample, s in scores.items()
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_three_files_are_written(
    pytester: pytest.Pytester, endpoint: Endpoint, made: str, replay: str, workers: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: ("0.2", "1.0")[seen % 2]
    judge = endpoint_options(endpoint, judge="gpt-4")[2:]
    options = ("--mm-judge-runs=2", "--mm-output=out", "--mm-concurrency=1", *workers)
    assert run(pytester, replay, made, *judge, *options).ret == 0
    out = pytester.path / "out"
    assert written(out) == [
        "llava_gpt-4-cap-int-score-2runs.csv",
        "llava_gpt-4-cap-score-2runs.csv",
        "llava_gpt-4-grade-2runs.json",
    ]
    row = 'llava,60.0,60.0,60.0,40.0,"[20.0, 100.0]"\n'
    text = (out / "llava_gpt-4-cap-score-2runs.csv").read_text(encoding="utf-8")
    assert text == f",rec,ocr,total,std,runs\n{row}"
    first = grades_of(out / "llava_gpt-4-grade-2runs.json")["s0"]
    assert (first["content"], first["score"]) == (["0.2", "1.0"], [0.2, 1.0])

    again = "--mm-judge=replay:out/llava_gpt-4-grade-2runs.json"
    assert run(pytester, replay, made, again, "--mm-judge-runs=2", "--mm-output=again").ret == 0
    for name in written(out):
        assert (pytester.path / "again" / name).read_bytes() == (out / name).read_bytes()


def test_a_sample_without_a_verdict_is_left_out_and_named(
    pytester: pytest.Pytester, made: str, replay: str
) -> None:
    grades = write_grades(pytester.path / "x_gpt-4-grade-1runs.json", s0=[1.0], s1=[0.5])
    options = (f"--mm-judge=replay:{grades}", "--mm-output=out", "--mm-max-errors=1")
    result = run(pytester, replay, made, *options)
    assert result.ret == 0
    assert "over 2 of the 3 samples; without a grade of every judge run: 's2'" in flat(result)
    out = pytester.path / "out"
    assert list(grades_of(out / "llava_gpt-4-grade-1runs.json")) == ["s0", "s1"]
    text = (out / "llava_gpt-4-cap-int-score-1runs.csv").read_text(encoding="utf-8")
    assert text.splitlines()[1] == "llava,100.0,50.0,,75.0,0.0,[75.0]"


def test_other_protocols_and_shards_have_no_such_files(
    pytester: pytest.Pytester, made: str, replay: str
) -> None:
    folder = write_benchmark(pytester.path / "other", [sample(0)])
    run(pytester, replay, f"--mm-benchmark={folder}", "--mm-output=out")
    assert written(pytester.path / "out") == []
    run(pytester, replay, made, "--mm-shard=1/2", "--mm-output=part1")
    run(pytester, replay, made, "--mm-shard=2/2", "--mm-output=part2")
    assert written(pytester.path / "part1") == []
    script = ("-m", "pytest_mmreason", "merge", "part1", "part2", "--mm-output=whole")
    pytester.run(sys.executable, *script)
    run(pytester, replay, made, "--mm-output=undivided")
    names = written(pytester.path / "undivided")
    assert len(names) == 3
    for name in names:
        whole = (pytester.path / "whole" / name).read_bytes()
        assert whole == (pytester.path / "undivided" / name).read_bytes()


def test_models_of_one_name_have_files_of_their_own(pytester: pytest.Pytester, made: str) -> None:
    models = []
    for number, folder in enumerate(("a", "b")):
        (pytester.path / folder).mkdir()
        answers = {f"s{n}": f"text {number}" for n in range(3)}
        path = write_answers(pytester.path / folder / "llava.json", answers)
        models.append(f"--mm-model=replay:{path}")
    run(pytester, *models, made, "--mm-output=out")
    grades = [name for name in written(pytester.path / "out") if "grade" in name]
    assert grades == ["2-llava_local-grade-1runs.json", "llava_local-grade-1runs.json"]


def test_a_subset_is_named_in_the_tables(pytester: pytest.Pytester, made: str, replay: str) -> None:
    (pytester.path / "bard_set.json").write_text('["s0", "s2"]', encoding="utf-8")
    run(pytester, replay, made, "--mm-subset=bard_set.json", "--mm-output=out")
    assert written(pytester.path / "out") == [
        "llava_bardset_local-cap-int-score-1runs.csv",
        "llava_bardset_local-cap-score-1runs.csv",
        "llava_local-grade-1runs.json",
    ]


def test_shards_of_a_subset_are_merged_where_its_file_is_not(
    pytester: pytest.Pytester, made: str, replay: str
) -> None:
    subset = pytester.path / "bard_set.json"
    subset.write_text('["s0", "s2"]', encoding="utf-8")
    for part in (1, 2):
        options = (f"--mm-shard={part}/2", f"--mm-output=part{part}")
        run(pytester, replay, made, "--mm-subset=bard_set.json", *options)
    run(pytester, replay, made, "--mm-subset=bard_set.json", "--mm-output=whole")
    subset.unlink()
    assert main(["merge", "part1", "part2", "--mm-output=merged"]) == 0
    assert written(pytester.path / "merged") == written(pytester.path / "whole")
    assert "llava_local-grade-1runs.json" in written(pytester.path / "whole")


def test_a_part_of_a_subset_is_named_as_both(
    pytester: pytest.Pytester, made: str, replay: str
) -> None:
    (pytester.path / "bard_set.json").write_text('["s0", "s2"]', encoding="utf-8")
    run(pytester, replay, made, "--mm-subset=bard_set.json", "--mm-limit=1", "--mm-output=out")
    assert written(pytester.path / "out") == [
        "llava_1of2_bardset_local-cap-int-score-1runs.csv",
        "llava_1of2_bardset_local-cap-score-1runs.csv",
        "llava_1of2_local-grade-1runs.json",
    ]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_part_is_named_and_leaves_the_files_of_the_whole(
    pytester: pytest.Pytester, made: str, replay: str, workers: tuple[str, ...]
) -> None:
    run(pytester, replay, made, "--mm-output=out")
    whole = {
        name: (pytester.path / "out" / name).read_bytes() for name in written(pytester.path / "out")
    }
    assert len(whole) == 3
    result = run(pytester, replay, made, "--mm-limit=2", "--mm-output=out", *workers)
    assert {name: (pytester.path / "out" / name).read_bytes() for name in whole} == whole
    assert sorted(set(written(pytester.path / "out")) - set(whole)) == [
        "llava_2of3_local-cap-int-score-1runs.csv",
        "llava_2of3_local-cap-score-1runs.csv",
        "llava_2of3_local-grade-1runs.json",
    ]
    assert len(grades_of(pytester.path / "out" / "llava_2of3_local-grade-1runs.json")) == 2
    told = "*MM-Vet's files are named 2of3: they hold 2 of 3 samples*"
    result.stdout.fnmatch_lines([told])
    assert f"out also holds 3 files of earlier runs, left as found: {', '.join(sorted(whole))}" in (
        flat(result)
    )
    assert "3 files of earlier runs" in (pytester.path / "out" / "summary.md").read_text("utf-8")


def test_files_of_earlier_runs_are_told_only_where_they_are_left(
    pytester: pytest.Pytester, made: str, replay: str
) -> None:
    out = pytester.path / "out"
    out.mkdir()
    (out / "notes.json").write_text("{}", encoding="utf-8")
    for options in ((), (), ("--mm-shard=1/2",), ("--mm-shard=1/2",)):
        result = run(pytester, replay, made, "--mm-output=out", *options)
        assert ("of earlier runs" in flat(result)) == bool(options), options
    assert "3 files of earlier runs" in flat(result), "not run.json, which a shard replaces"
    result = run(pytester, replay, made, "--mm-output=out")
    assert "1 file of earlier runs, left as found: shard.json" in flat(result)
    assert (out / "shard.json").exists()


def test_a_grade_file_is_taken_up_where_it_ends(
    pytester: pytest.Pytester, endpoint: Endpoint, made: str, replay: str
) -> None:
    grades = write_grades(pytester.path / "grades.json", s0=[0.1, 0.3], s1=[0.2])
    endpoint.script = lambda body, seen: "0.9"
    judge = (*endpoint_options(endpoint)[2:], f"--mm-judge-param=grades={grades}")
    assert run(pytester, replay, made, *judge, "--mm-judge-runs=2", "--mm-output=out").ret == 0
    records = {r["sample"]: r["scores"] for r in read_records(pytester.path / "out")}
    assert records == {"s0": [0.1, 0.3], "s1": [0.2, 0.9], "s2": [0.9, 0.9]}
    assert sorted(number_of(body) for body in endpoint.requests) == [1, 2, 2]
    assert all("grades" not in body for body in endpoint.requests)


def test_a_grade_file_that_is_none_is_said_at_once(
    pytester: pytest.Pytester, endpoint: Endpoint, made: str, replay: str
) -> None:
    judge = (*endpoint_options(endpoint)[2:], "--mm-judge-param=grades=absent.json")
    result = run(pytester, replay, made, *judge)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*absent.json*"])
