"""``--mm-judge-runs`` and ``--mm-repeats``: means with their spread."""

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
from tests.support.endpoint import Endpoint, question_of
from tests.support.runs import endpoint_options, flat, number_of, run

FLAT = {"category": "", "complexity": "", "capabilities": ["rec"]}


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    rows = [sample(n, **FLAT) for n in range(2)]
    return write_benchmark(pytester.path / "made", rows, protocol="mm-vet")


@pytest.fixture
def replay(pytester: pytest.Pytester) -> str:
    answers = {"s0": "an answer", "s1": "another answer"}
    return f"--mm-model=replay:{write_answers(pytester.path / 'a.json', answers)}"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_alternating_verdicts_have_their_mean_and_sd(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, replay: str, workers: tuple[str, ...]
) -> None:
    # Both samples of a pass are judged alike, so the passes are 40, 60, 40 and 60.
    endpoint.script = lambda body, seen: "0.4" if seen % 2 == 0 else "0.6"
    judge = endpoint_options(endpoint)[2:]
    options = (replay, *judge, f"--mm-benchmark={made}", "--mm-output=out", "--mm-judge-runs=4")
    result = run(pytester, *options, "--mm-concurrency=1", *workers)
    assert result.ret == 0
    assert len(endpoint.requests) == 8
    overall = read_summary(pytester.path / "out")["runs"][0]["rows"]["overall"]
    assert overall["score"] == pytest.approx(50)
    assert overall["sd"] == pytest.approx(10)
    assert overall["runs"] == pytest.approx([40, 60, 40, 60])
    assert read_records(pytester.path / "out")[0]["scores"] == [0.4, 0.6, 0.4, 0.6]
    result.stdout.re_match_lines([r" *overall +2 +50\.0 +± 10\.0 .*"])
    assert "4 judge runs" in flat(result)

    endpoint.reset()
    run(pytester, *options, "--mm-concurrency=1")
    assert not endpoint.requests, "each judge run has an entry of its own in the cache"


def test_one_bad_verdict_of_ten_is_left_out_and_flagged(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, replay: str
) -> None:
    def script(body: dict[str, Any], seen: int) -> str:
        if number_of(body) == 1:
            return "1.0"
        asked_again = "Your whole reply" in question_of(body)
        return "no opinion" if seen == 2 or asked_again else "0.5"

    endpoint.script = script
    judge = endpoint_options(endpoint)[2:]
    options = (replay, *judge, f"--mm-benchmark={made}", "--mm-output=out", "--mm-judge-runs=10")
    result = run(pytester, *options)
    assert result.ret == 0
    first = read_records(pytester.path / "out")[0]
    assert first["status"] == "scored"
    assert first["score"] == 0.5
    assert first["scores"].count(0.5) == 9
    assert first["scores"].count(None) == 1
    assert first["flags"] == ["1 of 10 judge runs gave no verdict"]
    overall = read_summary(pytester.path / "out")["runs"][0]["rows"]["overall"]
    assert overall["score"] == 75.0
    assert len(overall["runs"]) == 9, "only complete passes have a score of their own"
    assert "1 sample without some judge run" in flat(result)


def test_repeats_ask_the_model_again_and_count_the_sample_once(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = lambda body, seen: f"answer{number_of(body)}" if seen != 1 else "no idea"
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}")
    result = run(
        pytester,
        *options,
        "--mm-repeats=3",
        "--mm-concurrency=1",
        "--mm-output=out",
        "--mm-judge=keyword",
        "-v",
    )
    assert len(endpoint.requests) == 6
    result.stdout.fnmatch_lines(["*test_sample?s0-r2?*", "*test_sample?s1-r0?*"])
    found = read_summary(pytester.path / "out")["runs"][0]
    assert found["counts"]["collected"] == found["counts"]["scored"] == 6
    overall = found["rows"]["overall"]
    assert (overall["n"], overall["scored"]) == (2, 2)
    assert overall["score"] == pytest.approx(100 * 2 / 3)
    assert overall["sd"] == pytest.approx(100 * (2 / 9) ** 0.5)
    assert sorted(overall["runs"]) == [0, 100, 100]
    assert [r["repeat"] for r in read_records(pytester.path / "out")] == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_every_sample_has_its_own_mean_and_sd(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, replay: str, workers: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: "0.4" if seen % 2 == 0 else "0.6"
    options = (replay, *endpoint_options(endpoint)[2:], f"--mm-benchmark={made}", "--mm-output=out")
    result = run(
        pytester, *options, "--mm-judge-runs=4", "--mm-sample=s0", "--mm-concurrency=1", *workers
    )
    (record,) = read_records(pytester.path / "out")
    assert (record["score"], record["sd"]) == (pytest.approx(0.5), pytest.approx(0.1))
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["spread"] == {
        "n": 1,
        "mean_sd": pytest.approx(0.1),
        "limit": 0.3,
        "differing": [],
    }
    text = flat(result)
    assert "0.50 ± 0.10 s0" in text
    assert "judge runs sd of a sample 0.10 on average" in text
    assert "overall 1 50.0 ± 10.0" in text
    page = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "- judge runs: sd of a sample 0.10 on average" in page


def test_samples_on_which_the_judge_disagrees_with_itself_are_listed(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_benchmark(
        pytester.path / "made", [sample(n, **FLAT) for n in range(9)], protocol="mm-vet"
    )
    path = write_answers(pytester.path / "a.json", {f"s{n}": f"text {n}" for n in range(9)})

    def script(body: dict[str, Any], seen: int) -> str:
        number = number_of(body)
        if number in (0, 1):
            return "0.5" if seen % 2 else "0.8"
        return "0.0" if seen % 2 else "1.0"

    endpoint.script = script
    options = (*endpoint_options(endpoint)[2:], f"--mm-benchmark={folder}", "--mm-output=out")
    result = run(
        pytester, f"--mm-model=replay:{path}", *options, "--mm-judge-runs=2", "--mm-concurrency=1"
    )
    (found,) = read_summary(pytester.path / "out")["runs"]
    differing = found["spread"]["differing"]
    assert [one["sample"] for one in differing] == [f"s{n}" for n in range(2, 9)]
    assert sorted(differing[0]["scores"]) == [0.0, 1.0]
    text = flat(result)
    assert "verdicts on 7 of 9 differ by more than 0.3" in text
    assert "s2 0.00–1.00, sd 0.50" in text
    assert "s6 0.00–1.00" in text and "s7 0.00–1.00" not in text and "2 more" in text
    page = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "s2 0.00–1.00" in page


def test_one_judge_run_has_no_spread(pytester: pytest.Pytester, made: Path, replay: str) -> None:
    result = run(pytester, replay, f"--mm-benchmark={made}", "--mm-output=out")
    assert result.ret == 0
    assert "spread" not in read_summary(pytester.path / "out")["runs"][0]
    assert all(record["sd"] is None for record in read_records(pytester.path / "out"))
    assert "judge runs" not in flat(result)
