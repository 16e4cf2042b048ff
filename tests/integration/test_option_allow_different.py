"""Runs that differ beside the model are not compared, unless ``--mm-allow-different`` says so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_records, read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import endpoint_options, flat, number_of, run, verdict, verdict_line


@pytest.fixture
def asked(pytester: pytest.Pytester, endpoint: Endpoint) -> tuple[str, ...]:
    """A model and a judge behind an endpoint, and a baseline of them in `main`."""

    def script(body: dict[str, Any], seen: int) -> str:
        return verdict(0.5) if body["model"].startswith("j") else f"given{number_of(body)}"

    endpoint.script = script
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    options = (
        *endpoint_options(endpoint),
        f"--mm-benchmark={folder}",
        "--mm-cache=off",
        "--mm-show=0",
    )
    assert run(pytester, *options, "--mm-output=main").ret == 0
    endpoint.reset()
    return options


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
@pytest.mark.parametrize(
    ("more", "word", "what"),
    [
        (("--mm-judge=openai:j2",), "judge", "judge: --mm-judge openai:j before, openai:j2 now"),
        (("--mm-judge-param=seed=3",), "judge", "judge: params "),
        (("--mm-prompt=cot",), "prompt", "prompt: --mm-prompt direct before, cot now"),
        (("--mm-icl=1",), "prompt", "prompt: icl 0 before, 1 now"),
        (("--mm-images=none",), "images", "images separate before, none now"),
    ],
)
def test_runs_that_differ_are_refused_before_any_call_unless_allowed(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    asked: tuple[str, ...],
    more: tuple[str, ...],
    word: str,
    what: str,
    workers: tuple[str, ...],
) -> None:
    refused = run(pytester, *asked, *more, "--mm-baseline=main", *workers)
    assert refused.ret == 4
    error = " ".join(refused.stderr.str().split())
    assert what in error and f"--mm-allow-different={word}" in error
    assert endpoint.requests == []
    if workers:
        return
    allow = f"--mm-allow-different=data,{word}"
    allowed = run(pytester, *asked, *more, "--mm-baseline=main", allow, "--mm-output=out")
    assert allowed.ret == 0
    found = read_summary(pytester.path / "out")["runs"][0]["comparison"]
    assert {one["what"] for one in found["differing"]} == {word}
    assert f"differing {what}"[:30] in flat(allowed)
    assert main(["compare", "main", "out"]) == 4
    assert main(["compare", "main", "out", f"--allow-different={word}"]) == 0


def test_other_data_are_refused_before_any_call(
    pytester: pytest.Pytester, endpoint: Endpoint, asked: tuple[str, ...]
) -> None:
    write_benchmark(pytester.path / "made", [sample(n, answer="changed") for n in range(4)])
    refused = run(pytester, *asked, "--mm-baseline=main")
    assert refused.ret == 4 and "data: fingerprint " in refused.stderr.str()
    assert endpoint.requests == []
    assert run(pytester, *asked, "--mm-baseline=main", "--mm-allow-different=data").ret == 0


def test_records_alone_tell_questions_in_other_words(
    pytester: pytest.Pytester, endpoint: Endpoint, asked: tuple[str, ...]
) -> None:
    (pytester.path / "main" / "summary.json").unlink()
    write_benchmark(
        pytester.path / "made",
        [sample(n, question=f"What is number {n}? Say it.") for n in range(4)],
    )
    refused = run(pytester, *asked, "--mm-baseline=main")
    assert refused.ret == 4 and endpoint.requests == []
    error = " ".join(refused.stderr.str().split())
    assert "prompt: 4 of the 4 samples of both are asked in other words" in error


def test_another_prompt_of_the_judge_is_its_own_word(
    pytester: pytest.Pytester, asked: tuple[str, ...]
) -> None:
    records = read_records(pytester.path / "main")
    for record in records:
        record["judging"]["prompt_sha256"] = "0" * 64
    text = "".join(json.dumps(record) + "\n" for record in records)
    (pytester.path / "main" / "results.jsonl").write_text(text, encoding="utf-8")
    refused = run(pytester, *asked, "--mm-baseline=main")
    assert refused.ret == 4
    assert "--mm-allow-different=judge-prompt compares" in " ".join(refused.stderr.str().split())
    assert run(pytester, *asked, "--mm-baseline=main", "--mm-allow-different=judge").ret == 4
    assert run(pytester, *asked, "--mm-baseline=main", "--mm-allow-different=judge-prompt").ret == 0


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_what_only_the_run_tells_is_refused_when_it_is_known(
    pytester: pytest.Pytester, asked: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    records = read_records(pytester.path / "main")
    for record in records:
        record["judge_models"] = ["j-of-last-year"]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (pytester.path / "main" / "results.jsonl").write_text(text, encoding="utf-8")
    result = run(pytester, *asked, "--mm-baseline=main", "--mm-output=out", *workers)
    assert result.ret == 4
    assert "the judge's endpoint called itself" in verdict_line(result)
    assert "--mm-allow-different=judge" in verdict_line(result)
    assert len(read_records(pytester.path / "out")) == 4, "what was paid for is kept"
    assert read_summary(pytester.path / "out")["exit"] == 4
    assert main(["compare", "main", "out"]) == 4
