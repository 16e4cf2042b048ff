"""A recording that belongs elsewhere ends the session before anything is asked, in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.benchmarks import write_answers
from tests.support.official import VET, write_json, write_vet
from tests.support.runs import QUIET, flat, run

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


def test_questions_as_answers(pytester: pytest.Pytester) -> None:
    folder = write_vet(pytester.path / "vet")
    rows = [
        {"question_id": n, "image": "a.png", "text": VET[f"v1_{n}"]["question"], "category": "conv"}
        for n in (0, 2, 9)
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (pytester.path / "questions.jsonl").write_text(lines, encoding="utf-8")
    benchmark = f"--mm-benchmark=mm-vet={folder}"
    told = refused(pytester, benchmark, "--mm-model=replay:questions.jsonl")
    assert "questions.jsonl:1: question_id, image and text, as in LLaVA's file of questions" in told
    answers = {name: f" {entry['question']}\n" for name, entry in VET.items()}
    write_answers(pytester.path / "answers.json", answers)
    told = refused(pytester, benchmark, "--mm-model=replay:answers.json")
    assert "3 of its 3 answers are the question, word for word" in told
    write_answers(pytester.path / "answers.json", {**answers, "v1_0": "a flag"})
    assert run(pytester, benchmark, "--mm-model=replay:answers.json").ret == 0


def test_grades_of_another_model_are_told(pytester: pytest.Pytester) -> None:
    folder = write_vet(pytester.path / "vet")
    write_answers(pytester.path / "llava-13b.json", dict.fromkeys(VET, "a flag"))
    write_json(pytester.path / "llava-7b_gpt-4-grade-1runs.json", GRADES)
    write_json(pytester.path / "llava-13b_gpt-4-grade-1runs.json", GRADES)
    options = (f"--mm-benchmark=mm-vet={folder}", "--mm-model=replay:llava-13b.json")
    note = (
        "note: the grades of llava-7b_gpt-4-grade-1runs.json are, by its name, of answers by "
        "llava-7b, and these are {}: grades of other answers say nothing of these"
    )
    told = flat(run(pytester, *options, "--mm-judge=replay:llava-7b_gpt-4-grade-1runs.json"))
    assert note.format("replay:llava-13b.json") in told
    told = flat(run(pytester, *options, "--mm-judge=replay:llava-13b_gpt-4-grade-1runs.json"))
    assert "by its name" not in told
    told = flat(run(pytester, *options, "--mm-agreement=llava-7b_gpt-4-grade-1runs.json"))
    assert note.format("llava-13b.json") in told


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
