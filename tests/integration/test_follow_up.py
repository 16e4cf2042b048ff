"""``--mm-follow-up=steps``: an answer that is not definitive is asked for its reasoning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import by_model, endpoint_options, flat, run, verdict

HEDGED = "I cannot tell from the picture."
STEPS = "First the wheel turns. So it is answer1."


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(3)])


def model(body: dict[str, Any], seen: int) -> Reply | str:
    """Hedges on number 1 until it is asked for the steps; is filtered on number 2."""
    question = str(body["messages"][0]["content"])
    if "number 2" in question:
        return Reply(text="I cannot tell", finish="content_filter")
    if "number 1" not in question:
        return "It is answer0."
    return HEDGED if len(body["messages"]) == 1 else STEPS


@pytest.fixture
def options(endpoint: Endpoint, made: Path) -> tuple[str, ...]:
    endpoint.script = by_model(m=model, j=lambda body, seen: verdict(0.5))
    return (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")


def test_only_an_answer_that_is_not_definitive_is_followed_up(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    assert run(pytester, *options, "--mm-follow-up=steps").ret == 0
    records = read_records(pytester.path / "out")
    assert [r["attempts"] for r in records] == [1, 2, 1]
    assert records[1]["response"] == f"{HEDGED}\n\n{STEPS}"
    assert "follow-up" in records[1]["flags"]
    assert records[1]["usage"]["model"] == {
        "calls": 2, "prompt_tokens": 20, "completion_tokens": 4
    }  # fmt: skip
    (second,) = [b for b in endpoint.calls("m") if len(b["messages"]) == 3]
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][1]["content"] == HEDGED
    assert "step by step" in second["messages"][2]["content"]
    (judged,) = [b for b in endpoint.calls("j") if "number 1" in str(b)]
    assert HEDGED in str(judged)
    assert STEPS in str(judged)


def test_by_default_nobody_is_asked_twice(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    run(pytester, *options)
    assert len(endpoint.calls("m")) == 3
    assert read_records(pytester.path / "out")[1]["response"] == HEDGED


def test_the_first_answer_is_taken_from_the_cache(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-sample=s1")
    endpoint.reset()
    result = run(pytester, *options, "--mm-sample=s1", "--mm-follow-up=steps")
    assert [len(b["messages"]) for b in endpoint.calls("m")] == [3]
    assert "follow-up steps" in flat(result)
    endpoint.reset()
    run(pytester, *options, "--mm-sample=s1", "--mm-follow-up=steps", "-n2")
    assert not endpoint.requests
