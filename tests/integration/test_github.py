"""A job on GitHub: what it is told, what its page shows, and what no model can tell it."""

from __future__ import annotations

import re

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import endpoint_options, run

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])

HOSTILE = [
    "::error::forged",
    "boat\n::add-mask::boat",
    "boat\r\n   ::stop-commands::token",
    "boat ##[error]forged",
    "##vso[task.complete result=Succeeded]",
    "word " * 30 + "::warning::folded " + "word " * 30 + "::notice::folded",
    "boat\u2028::error::forged\x0b::error::forged\x85::error::forged",
]


def commands(text: str) -> list[str]:
    """What a runner would obey in a log."""
    lines = re.split(r"\r\n|\r|\n|\x0b|\x0c|\x85|\u2028|\u2029", text)
    return [line for line in lines if line.lstrip().startswith("::") or re.search(r"##\w*\[", line)]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Six samples, of which the odd ones are answered wrong."""
    write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    answers = {f"s{n}": "something" if n % 2 else f"answer{n}" for n in range(6)}
    write_answers(pytester.path / "a.json", answers)
    return ("--mm-model=replay:a.json", "--mm-benchmark=made")


@BOTH
def test_failed_gates_are_annotations(
    pytester: pytest.Pytester, options: tuple[str, ...], job: None, workers: tuple[str, ...]
) -> None:
    gates = ("--mm-threshold=90", "--mm-threshold=moderate=99")
    result = run(pytester, *options, *gates, *workers)
    assert result.ret == 1
    assert commands(result.stdout.str()) == [
        "::error title=mmreason%3A Below the threshold::replay:a.json (direct) on made: "
        "overall 33.3 is below 90"
    ]


def test_elsewhere_and_where_all_is_well_there_are_none(
    pytester: pytest.Pytester, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commands(run(pytester, *options, "--mm-threshold=90").stdout.str()) == []
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert commands(run(pytester, *options, "--mm-threshold=10").stdout.str()) == []


@BOTH
def test_a_stopped_run_is_one_annotation(
    pytester: pytest.Pytester, endpoint: Endpoint, job: None, workers: tuple[str, ...]
) -> None:
    write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    endpoint.script = lambda body, seen: Reply.error(401, "100%,\n::error::bad: key")
    arguments = endpoint_options(endpoint, judge=None)
    result = run(pytester, *arguments, "--mm-benchmark=made", "--mm-threshold=90", *workers)
    assert result.ret == 1
    (line,) = commands(result.stdout.str())
    assert line.startswith("::error title=mmreason%3A The run stopped::openai:m at http")
    assert "100%25," in line


def test_a_merge_tells_of_its_gates(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    job: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in (1, 2):
        run(pytester, *options, f"--mm-shard={number}/2", f"--mm-output=part{number}")
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--mm-threshold=90"]) == 1
    assert [line.partition("::replay")[0] for line in commands(capsys.readouterr().out)] == [
        "::error title=mmreason%3A Below the threshold"
    ]


@BOTH
@pytest.mark.parametrize("columns", [40, 80])
def test_nothing_that_a_model_wrote_is_a_command(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    job: None,
    workers: tuple[str, ...],
    columns: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [sample(n, question=f"{text} number {n}?") for n, text in enumerate(HOSTILE)]
    rows += [sample(n + 50, question=f"{text} number {n}?") for n, text in enumerate(HOSTILE)]
    write_benchmark(pytester.path / "made", rows)
    pytester.makepyfile(
        evil=f"""
        from pytest_mmreason import Verdict

        HOSTILE = {HOSTILE!r}

        def answer(prompt, images):
            return HOSTILE[int(prompt.rpartition("number ")[2].rstrip("?"))]

        def judge(sample, response):
            if int(sample.id[1:]) >= 50:
                raise ValueError(str(response))
            return Verdict(0.5, rationale=str(response))
        """
    )
    result = run(
        pytester, "--mm-model=python:evil:answer", "--mm-judge=python:evil:judge", "-rA",
        "--mm-benchmark=made", "--mm-show=99", "--mm-item-threshold=0.6", "--mm-output=out",
        "--mm-max-errors=99", *workers,
    )  # fmt: skip
    assert result.ret == 1
    result.assert_outcomes(failed=14)
    assert "\\x3a:error::forged" in result.stdout.str()
    assert commands(result.stdout.str()) == []
