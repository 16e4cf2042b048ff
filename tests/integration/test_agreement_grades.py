"""``--mm-agreement`` with a grade file of MM-Vet's evaluator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_summary, sample, write_answers, write_benchmark
from tests.support.runs import flat, run

ANSWERS = {"s0": "answer0", "s1": "no idea", "s2": "answer2"}


def write_grades(path: Path, grades: dict[str, list[Any]]) -> Path:
    entries = {
        name: {"model": ["gpt-4"] * len(scores), "content": [str(s) for s in scores], "score": scores}
        for name, scores in grades.items()
    }  # fmt: skip
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


@pytest.fixture
def made(pytester: pytest.Pytester) -> str:
    """Three samples with their predictions and the grades of two runs."""
    rows = [sample(n, category="", complexity="") for n in range(3)]
    write_answers(pytester.path / "llava.json", ANSWERS)
    write_grades(
        pytester.path / "llava_gpt-4-grade-2runs.json",
        {"s0": [1.0, 0.5], "s1": [0.0, 0.0], "s2": [1.0, 1.0]},
    )
    folder = write_benchmark(pytester.path / "made", rows, protocol="mm-vet")
    return f"--mm-benchmark={folder}"


GRADES = "--mm-agreement=llava_gpt-4-grade-2runs.json"
KEYWORD = "--mm-judge=keyword"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_the_reference_is_the_mean_of_the_recorded_runs(
    pytester: pytest.Pytester, made: str, workers: tuple[str, ...]
) -> None:
    result = run(pytester, GRADES, made, KEYWORD, "--mm-output=out", *workers)
    assert result.ret == 0
    result.assert_outcomes(passed=3)
    (found,) = read_summary(pytester.path / "out")["runs"]
    agreed = found["agreement"]
    assert (agreed["n"], agreed["difference"]) == (3, pytest.approx(0.25 / 3))
    assert [(o["sample"], o["reference"]) for o in agreed["largest"]] == [("s0", 0.75)]
    # The evaluator leaves NAME.json beside NAME_JUDGE-grade-Nruns.json.
    assert agreed["graded"]["answers"] == "llava.json"


def test_predictions_may_lie_elsewhere(pytester: pytest.Pytester, made: str) -> None:
    (pytester.path / "llava.json").unlink()
    result = run(pytester, GRADES, made, KEYWORD)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*a grade file holds scores and no answers; --mm-model=replay:*"])
    other = write_answers(pytester.path / "elsewhere.json", {**ANSWERS, "s1": "answer1"})
    result = run(pytester, GRADES, made, KEYWORD, f"--mm-model=replay:{other}")
    assert result.ret == 0
    assert "mean |difference| 0.417" in flat(result)


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_gates_of_a_model_are_refused(
    pytester: pytest.Pytester, made: str, workers: tuple[str, ...]
) -> None:
    gates = ("--mm-threshold=90", "--mm-item-threshold=0.5")
    result = run(pytester, GRADES, made, KEYWORD, *gates, *workers)
    assert result.ret == 4
    told = " ".join(result.stderr.str().split())
    assert "--mm-threshold, --mm-item-threshold: a gate on a model's scores, and" in told
    assert "--mm-max-disagreement=D gates that" in told
    pytester.makeini("[pytest]\nmm_threshold = 90\nmm_item_threshold = 0.5\n")
    assert run(pytester, GRADES, made, KEYWORD, *workers).ret == 0, "those are of a model"


def test_options_of_a_model_are_told_to_be_idle_and_there_are_no_predictions(
    pytester: pytest.Pytester, made: str
) -> None:
    idle = ("--mm-prompt=cot", "--mm-model=tiny", "--mm-base-url=http://localhost:9/v1")
    result = run(pytester, GRADES, made, KEYWORD, "--mm-output=out", *idle)
    assert "--mm-model, --mm-base-url, --mm-prompt: of no use here" in flat(result)
    assert (pytester.path / "out" / "results.jsonl").exists()
    assert not (pytester.path / "out" / "predictions.json").exists()
    recorded = run(pytester, GRADES, made, KEYWORD, "--mm-model=replay:llava.json")
    assert "of no use" not in flat(recorded)


def test_ids_without_sample_or_answer_are_named(pytester: pytest.Pytester, made: str) -> None:
    write_answers(pytester.path / "llava.json", {"s0": "answer0"})
    write_grades(
        pytester.path / "llava_gpt-4-grade-2runs.json",
        {name: [1.0] for name in ("s0", "s1", "s2", "v1_7")},
    )
    result = run(pytester, GRADES, made, KEYWORD)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*1 ids ('v1_7'): no samples*--mm-benchmark*", "*2 ids ('s1', 's2'): no answers in llava.json*"]
    )  # fmt: skip


def test_a_score_outside_its_range_is_named(pytester: pytest.Pytester, made: str) -> None:
    write_grades(pytester.path / "llava_gpt-4-grade-2runs.json", {"s0": [1.0], "s1": [7]})
    result = run(pytester, GRADES, made, KEYWORD)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*id 's1': the score 7 is outside*"])
    assert "Traceback" not in result.stderr.str()


def test_benchmarks_of_two_protocols_are_refused(pytester: pytest.Pytester, made: str) -> None:
    result = run(pytester, GRADES, made, "--mm-benchmark=mini", KEYWORD)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*made and mini are judged by different protocols*"])
