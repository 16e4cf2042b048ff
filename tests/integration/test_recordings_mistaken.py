"""A recording that belongs elsewhere ends the session before anything is asked, in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.benchmarks import write_answers
from tests.support.official import VET, write_json, write_vet
from tests.support.runs import QUIET, flat

WORKERS = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
GRADES = {i: {"model": ["g"], "content": ["1.0"], "score": [1.0]} for i in VET}


def refused(pytester: pytest.Pytester, *options: str) -> str:
    """What is said when a session ends as one that cannot be used."""
    result = pytester.runpytest_subprocess(*QUIET, *options)
    assert result.ret == 4
    told = flat(result) + " " + " ".join(result.stderr.str().split())
    assert "Traceback" not in told
    return told


@WORKERS
def test_answers_to_another_benchmark(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    write_answers(pytester.path / "answers.json", {f"v1_{n}": "a" for n in range(218)})
    told = refused(pytester, "--mm-model=replay:answers.json", *workers)
    assert "--mm-model=replay:answers.json: none of its 218 ids (v1_0, v1_1, " in told
    assert "is a sample of mini; did you forget --mm-benchmark?" in told


def test_verdicts_of_another_benchmark(pytester: pytest.Pytester) -> None:
    folder = write_vet(pytester.path / "vet")
    write_answers(pytester.path / "answers.json", dict.fromkeys(VET, "a flag"))
    write_json(pytester.path / "grades.json", {"x": 1.0, "y": 0.5})
    options = ("--mm-model=replay:answers.json", f"--mm-benchmark=mm-vet={folder}")
    told = refused(pytester, *options, "--mm-judge=replay:grades.json")
    assert "grades.json: none of its 2 ids (x, y) is a sample of mm-vet" in told
    assert "did you forget" not in told


@pytest.mark.parametrize("form", ["object", "llava"])
def test_answers_as_a_judge_and_grades_as_a_model(pytester: pytest.Pytester, form: str) -> None:
    folder: Path = write_vet(pytester.path / "vet")
    write_answers(pytester.path / "answers.json", dict.fromkeys(VET, "a flag"))
    if form == "llava":
        lines = [f'{{"question_id": {n}, "text": "a flag"}}\n' for n in (0, 2, 9)]
        (pytester.path / "answers.json").write_text("".join(lines), encoding="utf-8")
    write_json(pytester.path / "grades.json", GRADES)
    benchmark = f"--mm-benchmark=mm-vet={folder}"
    told = refused(pytester, benchmark, "--mm-model=replay:grades.json")
    assert "this is a grade file, which is a judge's: --mm-judge=replay:" in told
    options = (benchmark, "--mm-model=replay:answers.json", "--mm-judge=replay:answers.json")
    told = refused(pytester, *options)
    assert "not verdicts, and belong to a model: --mm-model=replay:" in told
