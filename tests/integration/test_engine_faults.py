"""Endpoints that slow down, fail or lie: tried again as told, and an end in bounded time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import (
    answers,
    by_model,
    endpoint_options,
    flat,
    number_of,
    run,
    statuses,
    verdict,
    verdict_line,
)

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts are short."""
    monkeypatch.setattr("pytest_mmreason.pool.FIRST_DELAY_S", 0.01)


def records_of(pytester: pytest.Pytester) -> dict[str, dict[str, Any]]:
    return {record["sample"]: record for record in read_records(pytester.path / "out")}


def test_a_429_is_waited_for_as_told_and_counted_where_one_sees_it(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    def script(body: dict[str, Any], seen: int) -> Reply | str:
        if number_of(body) == 2 and seen < 3:
            return Reply.error(429, "slow down", Retry_After="0.2")
        return answers(body, seen)

    endpoint.script = script
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    assert result.ret == 0
    record = records_of(pytester)["s2"]
    assert (record["status"], record["attempts"]) == ("scored", 4)
    assert record["latency_s"] >= 0.6, "three pauses of the length that the endpoint asked for"
    assert "model 3 retries (429 ×3)" in flat(result)


def test_an_endpoint_that_never_answers_costs_its_samples_and_the_run_goes_on(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: Reply(
        text=answers(body, seen), delay_s=30.0 if number_of(body) == 1 else 0.0
    )
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--mm-timeout=3", "--mm-retries=0")
    assert result.ret == 1
    found = records_of(pytester)
    assert found["s1"]["status"] == "model_error"
    assert "--mm-timeout" in found["s1"]["reason"]
    assert "within 3 s" in found["s1"]["reason"]
    assert sum(r["status"] == "scored" for r in found.values()) == 5


FAULTS: dict[str, Reply] = {
    "reset": Reply(reset=True),
    "html": Reply(body="<html>Bad gateway: 1</html>"),
    "500": Reply.error(500, "oops"),
    "503": Reply.error(503, "busy"),
    "json of another kind": Reply(body={"status": "ok", "score": 1}),
    "no choices": Reply(body={"id": "x", "object": "chat.completion", "choices": []}),
    "empty": Reply(text=""),
    "null": Reply(text=None),
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_tried_again(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, fault: str
) -> None:
    def model(body: dict[str, Any], seen: int) -> Reply | str:
        return FAULTS[fault] if number_of(body) == 1 and seen < 2 else answers(body, seen)

    def judge(body: dict[str, Any], seen: int) -> Reply | str:
        return FAULTS[fault] if number_of(body) == 3 and seen < 1 else verdict(0.5)

    endpoint.script = by_model(m=model, j=judge)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    assert result.ret == 0
    found = records_of(pytester)
    assert set(statuses(found.values()).values()) == {"scored"}
    assert found["s1"]["attempts"] == 3
    assert found["s1"]["response"] == "answer1"
    assert [r["score"] for r in found.values()] == [0.5] * 6
    assert "model 2 retries" in flat(result)
    assert "judge 1 retry" in flat(result)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", ["reset", "html", "500", "json of another kind"])
def test_a_fault_that_stays_is_a_model_error_with_its_cause(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, fault: str
) -> None:
    endpoint.script = lambda body, seen: (
        FAULTS[fault] if number_of(body) == 1 else answers(body, seen)
    )
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--mm-retries=2")
    assert result.ret == 1
    record = records_of(pytester)["s1"]
    assert (record["status"], record["score"], record["response"]) == ("model_error", None, None)
    assert endpoint.url in record["reason"] or "no completion" in record["reason"]
    assert len([b for b in endpoint.requests if number_of(b) == 1]) == 3


def test_a_judge_that_answers_with_a_page_is_told_with_its_url_and_option(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-mine")
    endpoint.script = by_model(
        m=answers, j=lambda body, seen: Reply(body="<html>no secret-of-mine here</html>")
    )
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    assert run(pytester, *options, "--mm-retries=0").ret == 1
    reason = records_of(pytester)["s1"]["reason"]
    assert f"openai:j at {endpoint.url} answered with something that is no completion" in reason
    assert "Is --mm-judge-base-url right, which often ends in /v1?" in reason
    assert "secret-of-mine" not in reason


def test_no_retries_makes_one_attempt(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: Reply.error(500) if number_of(body) else ""
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}")
    assert run(pytester, *options, "--mm-retries=0").ret == 1
    assert sorted(map(number_of, endpoint.requests)) == [0, 1, 2, 3, 4, 5]


@BOTH
@pytest.mark.parametrize("status", [401, 404])
def test_a_rejected_key_or_model_stops_the_run_with_one_message(
    pytester: pytest.Pytester, endpoint: Endpoint, status: int, workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(200)])
    endpoint.script = lambda body, seen: Reply.error(status, "not you")
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={folder}")
    result = run(
        pytester,
        *options,
        "--mm-concurrency=2",
        "--mm-output=out",
        "--mm-max-errors=100%",
        *workers,
    )
    assert result.ret == 1
    assert str(status) in verdict_line(result)
    assert "not you" in verdict_line(result)
    assert len(endpoint.requests) <= 8, "the other samples are not tried"
    told = [line for line in result.stdout.lines if line.startswith("s") and "model_error" in line]
    assert len(told) <= 2 if workers else len(told) == 1
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["counts"]["collected"] == 200
    assert found["rows"]["overall"]["score"] is None


def test_a_judge_whose_key_is_rejected_stops_the_run_too(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(200)])
    endpoint.script = by_model(m=answers, j=lambda body, seen: Reply.error(401, "not you"))
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-concurrency=2")
    result = run(pytester, *options, "--mm-max-errors=100%")
    assert result.ret == 1
    assert "judge openai:j" in verdict_line(result)
    assert "401" in verdict_line(result)
    assert len(endpoint.requests) <= 24, "the other samples are not tried"


@BOTH
def test_a_judge_that_never_gives_a_verdict_stops_the_run(
    pytester: pytest.Pytester, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(200)])
    endpoint.script = by_model(m=answers, j=lambda body, seen: "I would rather not say.")
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-concurrency=2")
    result = run(pytester, *options, "--mm-max-errors=19", "--mm-output=out", *workers)
    assert result.ret == 1
    line = verdict_line(result)
    assert (
        "the judge gave no verdict to any of the first 20 answers, so it is asked no more" in line
    )
    assert "it replied 'I would rather not say.'" in line
    judged = [body for body in endpoint.requests if body["model"] == "j"]
    assert 40 <= len(judged) <= 48, "two asks of each of twenty, and what was in flight"
    found = records_of(pytester)
    assert len(found) == 200
    errors = sum(r["status"] == "judge_error" for r in found.values())
    # the twentieth may be of an earlier item than one or two before it, which then is not run
    assert errors >= 18
    assert found["s0"]["response"] == "answer0", "what was answered is kept"


def test_a_judge_that_gave_one_verdict_is_asked_on(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(30)])
    endpoint.script = by_model(
        m=answers, j=lambda body, seen: verdict(0.5) if number_of(body) == 3 else "No."
    )
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-output=out")
    assert "so it is asked no more" not in flat(run(pytester, *options))
    assert sum(r["reason"].startswith("Sample") for r in records_of(pytester).values()) == 29


def test_a_judge_without_verdicts_is_asked_on_where_the_quota_allows_it(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(30)])
    endpoint.script = by_model(m=answers, j=lambda body, seen: "No.")
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-output=out")
    result = run(pytester, *options, "--mm-max-errors=100%")
    assert "so it is asked no more" not in flat(result)
    judged = [body for body in endpoint.requests if body["model"] == "j"]
    assert len(judged) == 60


@BOTH
@pytest.mark.parametrize("role", ["model", "judge"])
def test_an_endpoint_that_is_not_there_is_said_before_any_sample(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, role: str, workers: tuple[str, ...]
) -> None:
    nobody = "http://127.0.0.1:9/v1"
    options = {
        "model": ("--mm-model=openai:m", f"--mm-base-url={nobody}"),
        "judge": (*endpoint_options(endpoint, judge=None), "--mm-judge=openai:j", f"--mm-judge-base-url={nobody}"),
    }[role]  # fmt: skip
    result = run(pytester, *options, f"--mm-benchmark={made}", *workers)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*{nobody}*cannot be reached*"])
    assert "test_sample" not in result.stdout.str()
    assert not endpoint.requests


def test_a_missing_key_is_said_before_any_sample(pytester: pytest.Pytester, made: Path) -> None:
    result = run(pytester, "--mm-model=openai:gpt-4o", f"--mm-benchmark={made}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*OPENAI_API_KEY*--mm-api-key-env*--mm-base-url*"])


def test_any_string_is_a_key_and_none_is_needed_on_a_server_of_ones_own(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script = answers
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-cache=off")
    assert run(pytester, *options).ret == 0
    monkeypatch.setenv("LOCAL", "local")
    endpoint.reset()
    assert run(pytester, *options, "--mm-api-key-env=LOCAL").ret == 0
    assert set(endpoint.authorizations) == {"Bearer local"}
