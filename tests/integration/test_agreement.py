"""``--mm-agreement``: the judge is measured on graded answers (MM-Vet, Table 9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import endpoint_options, flat, run, verdict, verdict_line

JUDGE = """
    def judge(sample, response):
        return {"right": 1.0, "half": 0.75, "wrong": 0.0}[str(response)]
"""


def write_graded(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Four graded answers, on which the judge is off by 0, 0.25, 0.1 and 0."""
    pytester.makepyfile(judging=JUDGE)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(3)])
    asked = {"question": "What is it?", "reference": "a wheel", "capabilities": ["rec"]}
    graded = write_graded(
        pytester.path / "graded.jsonl",
        [
            {"sample": "s0", "answer": "right", "score": 1.0},
            {"sample": "s0", "answer": "half", "score": 0.5},
            {"sample": "s2", "answer": "wrong", "score": 0.1},
            {**asked, "answer": "wrong", "score": 0},
        ],
    )
    return (
        f"--mm-agreement={graded}",
        f"--mm-benchmark={folder}",
        "--mm-judge=python:judging:judge",
        "--mm-output=out",
    )


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_the_mean_difference_and_its_bias_are_told(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    result = run(pytester, *options, *workers)
    assert result.ret == 0
    result.assert_outcomes(passed=4)
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"] == {
        "n": 4,
        "difference": pytest.approx(0.35 / 4),
        "bias": pytest.approx(0.15 / 4),
    }
    assert "mean |difference| 0.087, bias +0.037, on 4 answers" in flat(result)


@pytest.mark.parametrize(("limit", "exit"), [("0.0875", 0), ("0.08", 1), ("0", 1)])
def test_the_gate_is_on_the_mean_difference(
    pytester: pytest.Pytester, options: tuple[str, ...], limit: str, exit: int
) -> None:
    result = run(pytester, *options, f"--mm-max-disagreement={limit}")
    assert result.ret == exit
    assert "mean disagreement 0.087" in verdict_line(result)
    (gate,) = read_summary(pytester.path / "out")["runs"][0]["gates"]
    assert (gate["kind"], gate["passed"]) == ("max_disagreement", exit == 0)


def test_no_model_is_asked_and_the_judge_sees_question_answer_and_reference(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: verdict(0.5)
    judge = endpoint_options(endpoint)[2:]
    result = run(pytester, *options[:2], *judge)
    assert result.ret == 0
    assert len(endpoint.requests) == len(endpoint.calls("j")) == 4
    assert "What is number 2?" in str(endpoint.requests) and "answer2" in str(endpoint.requests)


def test_every_fault_of_the_file_is_named_before_anything_runs(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_graded(
        pytester.path / "graded.jsonl",
        [
            {"sample": "s9", "answer": "right", "score": 1.0},
            {"sample": "s0", "answer": "right", "score": 7},
            {"sample": "s0", "answr": "right", "score": 1},
        ],
    )
    result = run(pytester, *options)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*graded.jsonl:1: *'s9'*", "*graded.jsonl:2: *score*7*", "*graded.jsonl:3: *answr*answer*"]
    )


def test_the_gate_alone_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--mm-model=replay:x", "--mm-max-disagreement=0.1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--mm-max-disagreement*--mm-agreement*"])


def test_graded_answers_are_not_divided(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-shard=1/2")
    assert result.ret == 4
    assert "--mm-agreement measures a judge on all answers" in result.stderr.str()
