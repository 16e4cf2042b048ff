"""The rubric judge in whole runs: consistent verdicts, one call each, on servers of every kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_records, read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import answers, by_model, endpoint_options, flat, number_of, run, verdict


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])


def replies(body: dict[str, Any], seen: int) -> str:
    """By sample: right with a low score, wrong with full marks, surplus steps, consistent."""
    steps = [{"step": 1, "credit": 0.5}, {"step": 2, "credit": 0.25}]
    more = [{"step": 2, "credit": 1.0}, {"step": 3, "credit": 1.0}]
    fields: dict[str, Any] = [
        {"correct": True, "score": 0.4, "steps": steps, "answer_only": 0.5},
        {"correct": False, "score": 1.0, "steps": steps, "answer_only": 0.0},
        {"correct": False, "score": 0.3, "steps": steps + more, "answer_only": 0.1},
        {"correct": False, "score": 0.3, "steps": steps, "answer_only": 0.1},
    ][number_of(body)]
    return json.dumps({"rationale": "why", **fields})


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_verdicts_are_made_consistent_in_one_call_and_the_record_says_so(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, workers: tuple[str, ...]
) -> None:
    endpoint.script = by_model(m=answers, j=replies)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", *workers)
    result = run(pytester, *options, "--mm-output=out")
    assert result.ret == 0
    assert "4 scored · 3 verdicts put right" in flat(result)
    assert read_summary(pytester.path / "out")["runs"][0]["put_right"] == 3
    assert len(endpoint.calls("j")) == 4
    records = read_records(pytester.path / "out")
    assert [(r["score"], r["score_answer_only"]) for r in records] == [
        (1.0, 0.5),
        (0.9, 0.0),
        (0.3, 0.1),
        (0.3, 0.1),
    ]
    steps = [{"step": 1, "credit": 0.5}, {"step": 2, "credit": 0.25}]
    assert [r["steps"] for r in records] == [steps] * 4
    assert [r["flags"] for r in records] == [
        ["judge: correct, so 1.0 instead of 0.4"],
        ["judge: not correct, so 0.9 instead of 1"],
        ["judge: 2 of its step credits dropped"],
        [],
    ]
    # a verdict from the cache tells the same
    assert run(pytester, *options, "--mm-output=again").ret == 0
    assert len(endpoint.calls("j")) == 4
    again = read_records(pytester.path / "again")
    assert [r["flags"] for r in again] == [r["flags"] for r in records]


def test_verdicts_that_were_put_right_are_counted_after_a_merge(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    made: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint.script = by_model(m=answers, j=replies)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}")
    for part in (1, 2):
        assert run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=part{part}").ret == 0
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--mm-output=whole"]) == 0
    assert "4 scored · 3 verdicts put right" in " ".join(capsys.readouterr().out.split())
    assert read_summary(pytester.path / "whole")["runs"][0]["put_right"] == 3


def test_a_plain_server_is_learned_once_and_told(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    """No structured output, no temperature, no max_tokens, no system turn."""

    def judge(body: dict[str, Any], seen: int) -> Reply | str:
        for name, told in (
            ("response_format", "This response_format type is unavailable now"),
            ("temperature", "Unsupported parameter: 'temperature' is not supported"),
            ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'."),
        ):
            if name in body:
                return Reply.error(400, told)
        if body["messages"][0]["role"] == "system":
            return Reply.error(400, "System role not supported")
        assert body["max_completion_tokens"] == 99
        return f"Here is my verdict.\n```json\n{verdict(0.5)}\n```"

    endpoint.script = by_model(m=answers, j=judge)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-concurrency=1")
    result = run(pytester, *options, "--mm-judge-param=max_tokens=99", "--mm-output=out")
    assert result.ret == 0
    assert {r["score"] for r in read_records(pytester.path / "out")} == {0.5}
    assert len(endpoint.calls("j")) == 4 + 4
    told = flat(result)
    for note in (
        "openai:j rejects response_format; it was left out",
        "openai:j rejects temperature; it was left out",
        "openai:j takes max_completion_tokens instead of max_tokens",
        "openai:j takes no system turn; its text goes before the question",
    ):
        assert told.count(note) == 1


def test_an_unacceptable_temperature_is_told_and_not_left_out(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    def judge(body: dict[str, Any], seen: int) -> Reply:
        return Reply.error(400, f"temperature {body['temperature']} is not valid: out of range")

    endpoint.script = by_model(m=answers, j=judge)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-sample=s1")
    result = run(pytester, *options, "--mm-judge-param=temperature=3", "--mm-output=out")
    assert result.ret == 1
    (record,) = read_records(pytester.path / "out")
    assert record["status"] == "judge_error"
    assert "does not take temperature=3" in record["reason"]
    assert "--mm-judge-param temperature=VALUE" in record["reason"]


@pytest.mark.parametrize(
    "reply", ["", "5", None, '{"rationale": "fine"}', '{"score": 0.5, "rati'], ids=repr
)
@pytest.mark.parametrize("protocol", ["infimm-eval", "mm-vet"])
def test_judge_without_a_verdict_ends_the_run_and_is_asked_again_in_the_next(
    pytester: pytest.Pytester, endpoint: Endpoint, protocol: str, reply: str | None
) -> None:
    made = write_benchmark(pytester.path / "made", [sample(n) for n in range(2)], protocol=protocol)
    endpoint.script = by_model(m=answers, j=lambda body, seen: Reply(text=reply))
    where = ("--mm-output=out", "--mm-retries=0")
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", *where)
    result = run(pytester, *options)
    assert result.ret == 1
    assert "gave no valid verdict" in flat(result)
    records = read_records(pytester.path / "out")
    assert [(r["status"], r["score"]) for r in records] == [("judge_error", None)] * 2
    assert len(endpoint.calls("j")) == 2 * (5 if protocol == "mm-vet" else 2)
    good = "0.5" if protocol == "mm-vet" else verdict(0.5)
    endpoint.script = by_model(m=answers, j=lambda body, seen: good)
    endpoint.reset()
    assert run(pytester, *options).ret == 0
    assert (len(endpoint.calls("m")), len(endpoint.calls("j"))) == (0, 2)


def test_error_of_the_judges_endpoint_is_never_read_as_a_verdict(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    def judge(body: dict[str, Any], seen: int) -> Reply:
        bodies: list[Any] = [
            {"error": {"message": "Score: 1.0"}},
            "<html>Score: 1.0</html>",
            {"choices": [], "score": 1.0},
            {"choices": [{"message": {}}], "error": {"code": 1, "message": verdict(1.0)}},
        ]
        return Reply(body=bodies[number_of(body)])

    endpoint.script = by_model(m=answers, j=judge)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-retries=0")
    assert run(pytester, *options, "--mm-output=out").ret == 1
    records = read_records(pytester.path / "out")
    assert [(r["status"], r["score"]) for r in records] == [("judge_error", None)] * 4
