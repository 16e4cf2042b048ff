"""What a user's own model or judge does wrong is an error of that sample, told in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, sample, write_answers, write_benchmark
from tests.support.runs import run, statuses

MODEL = """
    import sys

    def parse_picture():
        raise RuntimeError("the weights are \\x1b[31mgone")

    def answer(prompt, images):
        number = int(prompt.removeprefix("What is number ").rstrip("?"))
        if number == 1:
            parse_picture()
        if number == 4:
            sys.exit("no GPU")
        if number == 5:
            raise StopIteration
        return {2: None, 3: b"answer3"}.get(number, f"answer{number}")

    async def answer_async(prompt, images):
        return answer(prompt, images)
"""
JUDGE = """
    def judge(sample, response):
        number = int(sample.id[1:])
        if number == 1:
            raise RuntimeError("no opinion")
        return {2: None, 3: float("nan"), 4: 1.5, 5: True}.get(number, 0.5)

    async def judge_async(sample, response):
        return judge(sample, response)
"""


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(model=MODEL, judging=JUDGE)
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(7)])


def records_of(pytester: pytest.Pytester) -> dict[str, dict[str, Any]]:
    return {record["sample"]: record for record in read_records(pytester.path / "out")}


@pytest.mark.parametrize("function", ["answer", "answer_async"])
def test_a_model_that_fails_costs_its_sample_alone(
    pytester: pytest.Pytester, made: Path, function: str
) -> None:
    options = (f"--mm-model=python:model:{function}", f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    found = records_of(pytester)
    assert statuses(found.values()) == {
        f"s{n}": "model_error" if 1 <= n <= 5 else "scored" for n in range(7)
    }
    assert result.ret == 1
    assert "RuntimeError" in found["s1"]["reason"]
    assert "parse_picture()" in found["s1"]["rationale"], "the traceback is in the record"
    assert "NoneType" in found["s2"]["reason"]
    assert "bytes" in found["s3"]["reason"]
    assert "no GPU" in found["s4"]["reason"]
    result.stdout.fnmatch_lines(["s1: model_error: *RuntimeError*", "*parse_picture()*"])
    assert "\x1b[31mgone" not in result.stdout.str()


@pytest.mark.parametrize("function", ["judge", "judge_async"])
def test_a_judge_that_fails_costs_its_sample_alone(
    pytester: pytest.Pytester, made: Path, function: str
) -> None:
    answers = write_answers(pytester.path / "a.json", {f"s{n}": "an answer" for n in range(7)})
    result = run(
        pytester,
        f"--mm-model=replay:{answers}",
        f"--mm-judge=python:judging:{function}",
        f"--mm-benchmark={made}",
        "--mm-output=out",
    )
    found = records_of(pytester)
    assert statuses(found.values()) == {
        f"s{n}": "judge_error" if 1 <= n <= 5 else "scored" for n in range(7)
    }
    assert "no opinion" in found["s1"]["reason"]
    assert "raise RuntimeError" in found["s1"]["rationale"]
    assert found["s6"]["score"] == 0.5
    assert result.ret == 1


def test_a_fixture_that_fails_in_a_worker_is_told_with_its_traceback(
    pytester: pytest.Pytester, made: Path
) -> None:
    pytester.makeconftest(
        """
        import pytest
        import model

        @pytest.fixture(scope="session")
        def mm_model():
            return model.answer
        """
    )
    options = ("--mm-model=fixture", f"--mm-benchmark={made}", "--mm-output=out")
    assert run(pytester, *options, "--mm-cache=off").ret == 1
    serial = records_of(pytester)
    assert run(pytester, *options, "--mm-cache=off", "-n2").ret == 1
    distributed = records_of(pytester)
    assert statuses(distributed.values()) == statuses(serial.values())
    for found in (serial, distributed):
        assert "parse_picture()" in found["s1"]["rationale"]
        assert "no GPU" in found["s4"]["reason"]
