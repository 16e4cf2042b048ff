"""Each sample ends as exactly one status, and nothing that failed becomes a 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import (
    read_records,
    read_summary,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import (
    EVERY_STATUS,
    by_model,
    endpoint_options,
    every_status,
    flat,
    number_of,
    run,
    statuses,
    verdict,
    write_every_status,
)


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])


def records_of(pytester: pytest.Pytester) -> dict[str, dict[str, Any]]:
    return {record["sample"]: record for record in read_records(pytester.path / "out")}


def test_collected_is_the_sum_of_the_statuses(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    options = endpoint_options(endpoint)
    result = run(
        pytester, *options, f"--mm-benchmark={folder}", "--mm-output=out", "--mm-retries=0"
    )
    records = records_of(pytester)
    assert statuses(records.values()) == EVERY_STATUS
    counts = read_summary(pytester.path / "out")["runs"][0]["counts"]
    assert counts == {
        "collected": 12,
        "scored": 7,
        "unjudged": 1,
        "refused": 1,
        "model_error": 1,
        "judge_error": 1,
        "data_error": 1,
        "missing": 0,
    }
    scored = {name: r["score"] for name, r in records.items() if r["score"] is not None}
    assert scored == {
        "s0": 1.0, "s1": 0.7, "s2": 0.45, "s3": 0.0, "s4": 0.0, "s9": 0.0, "s10": 0.5, "s11": 0.25
    }  # fmt: skip
    assert "1 refused (counted as 0) · 1 model_error (left out of the means)" in flat(result)


@pytest.mark.parametrize(("policy", "score"), [("exclude", 100 * 1.0 / 2), ("zero", 100 * 1.0 / 3)])
def test_errors_enter_the_means_only_as_the_policy_says(
    pytester: pytest.Pytester, endpoint: Endpoint, policy: str, score: float
) -> None:
    folder = write_benchmark(
        pytester.path / "made",
        [sample(n, category="", complexity="") for n in range(3)],
        weights={},
    )
    endpoint.script = by_model(
        m=lambda body, seen: Reply.error(400) if number_of(body) == 2 else "an answer",
        j=lambda body, seen: verdict(1.0 if number_of(body) == 0 else 0.0),
    )
    result = run(
        pytester,
        *endpoint_options(endpoint),
        f"--mm-benchmark={folder}",
        f"--mm-on-error={policy}",
        "--mm-output=out",
    )
    overall = read_summary(pytester.path / "out")["runs"][0]["rows"]["overall"]
    assert overall["score"] == pytest.approx(score)
    assert overall["n"] == 3
    said = {"exclude": "left out of the means", "zero": "counted as 0"}[policy]
    assert f"2 scored · 1 model_error ({said})" in flat(result)


def test_an_answer_that_stays_empty_scores_0_without_a_judge_call(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = by_model(
        m=lambda body, seen: " \n\t" if number_of(body) == 1 else "an answer",
        j=lambda body, seen: verdict(1.0),
    )
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--mm-retries=2")
    record = records_of(pytester)["s1"]
    assert (record["status"], record["score"], record["reason"]) == ("scored", 0.0, "empty answer")
    assert record["attempts"] == 3, "asked again before it counts"
    assert sorted(map(number_of, endpoint.calls("j"))) == [0, 2, 3]
    assert result.ret == 0
    assert "1 empty answer counted as 0" in flat(result)


def test_an_answer_that_is_only_cut_short_is_scored_and_flagged(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: Reply(text=f"answer{number_of(body)}", finish="length")
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    record = records_of(pytester)["s0"]
    assert (record["status"], record["score"]) == ("scored", 1.0)
    assert record["finish_reason"] == "length"
    assert record["flags"] == ["cut short"]
    assert "4 answers cut short" in flat(result)
    run(pytester, *options)
    assert len(endpoint.requests) == 4, "it was kept in the cache"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=None, finish="length"),
        Reply(text="<think>The wheel turns to the", finish="length"),
        Reply(text="<think>The wheel turns, answer1"),
    ],
    ids=["no content", "in its reasoning", "reasoning never closed"],
)
def test_an_answer_cut_off_before_it_began_is_an_error_and_asked_again(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, reply: Reply
) -> None:
    endpoint.script = lambda body, seen: reply if number_of(body) == 1 else "answer"
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--mm-retries=0")
    record = records_of(pytester)["s1"]
    assert (record["status"], record["score"]) == ("model_error", None)
    assert result.ret == 1
    if reply.finish == "length":
        assert "max_tokens" in record["reason"], record["reason"]
    endpoint.reset()
    run(pytester, *options, "--mm-retries=0")
    assert list(map(number_of, endpoint.requests)) == [1]


def test_only_what_follows_the_reasoning_is_judged_and_all_is_kept(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    text = "<think>It may be wrong.</think>\nIt is right."
    judged = []

    def judge(body: dict[str, Any], seen: int) -> str:
        judged.append(str(body))
        return verdict(1.0)

    endpoint.script = by_model(m=lambda body, seen: text, j=judge)
    run(pytester, *endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    assert records_of(pytester)["s0"]["response"] == text
    assert all("It is right." in body and "may be wrong" not in body for body in judged)


def test_a_content_filter_is_a_refusal(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    blocked = {"error": {"message": "blocked", "code": "content_filter", "type": "policy"}}
    endpoint.script = lambda body, seen: {
        0: Reply(text="I can", finish="content_filter"),
        1: Reply(status=400, body=blocked),
    }.get(number_of(body), f"answer{number_of(body)}")
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    found = records_of(pytester)
    assert [found[f"s{n}"]["status"] for n in range(4)] == ["refused"] * 2 + ["scored"] * 2
    assert [found[f"s{n}"]["score"] for n in range(4)] == [0.0, 0.0, 1.0, 1.0]
    assert result.ret == 0, "a refusal is no error"
    assert "2 scored · 2 refused (counted as 0)" in flat(result)


def test_judge_garbage_is_asked_for_once_more_and_then_an_error(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    def judge(body: dict[str, Any], seen: int) -> str:
        number = number_of(body)
        asked[number] = asked.get(number, 0) + 1
        if number == 0:
            return "The"
        return "well…" if number == 1 and asked[number] == 1 else verdict(0.6)

    asked: dict[int, int] = {}
    endpoint.script = by_model(m=lambda body, seen: "an answer", j=judge)
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options)
    found = records_of(pytester)
    assert asked == {0: 2, 1: 2, 2: 1, 3: 1}
    assert statuses(found.values()) == {
        "s0": "judge_error", "s1": "scored", "s2": "scored", "s3": "scored"
    }  # fmt: skip
    assert found["s0"]["response"] == "an answer", "the answer is kept"
    assert "The" in found["s0"]["reason"]
    assert found["s1"]["score"] == 0.6
    assert result.ret == 1


def test_lacking_predictions_are_missing_and_unknown_ones_are_said(
    pytester: pytest.Pytester,
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])
    answers = {f"s{n}": f"answer{n}" for n in range(5)} | {"s80": "what", "s81": "ever"}
    recorded = write_answers(pytester.path / "a.json", answers)
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}", "--mm-output=out")
    result = run(pytester, *options)
    found = records_of(pytester)
    assert [n for n, r in found.items() if r["status"] == "missing"] == ["s5", "s6", "s7"]
    assert "a.json" in found["s5"]["reason"]
    assert result.ret == 1
    assert "2 answers to no sample of the benchmark: s80, s81" in flat(result)
