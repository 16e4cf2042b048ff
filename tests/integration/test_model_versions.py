"""What a function's author calls its version is told everywhere; without one, kept answers are
doubted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_summary, sample, write_benchmark
from tests.support.runs import run

MODEL = """
    import os

    def answer(prompt, images):
        number = prompt.removeprefix("What is number ").rstrip("?")
        return f"answer{number}"

    if "CHECKPOINT" in os.environ:
        answer.version = os.environ["CHECKPOINT"]
"""
FIXTURE = """
    import pytest
    from model import answer

    @pytest.fixture(scope="session")
    def mm_model():
        return answer
"""
BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)])
SPECS = pytest.mark.parametrize("spec", ["python:model:answer", "fixture"])


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(model=MODEL)
    pytester.makeconftest(FIXTURE)
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])


@BOTH
@SPECS
def test_a_version_stands_beside_the_model_and_ends_the_doubt(
    pytester: pytest.Pytester,
    made: Path,
    spec: str,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHECKPOINT", "step-1200")
    options = (f"--mm-model={spec}", f"--mm-benchmark={made}", "--mm-output=out", *workers)
    for _ in range(2):  # the second from the cache
        result = run(pytester, *options)
        assert result.ret == 0
        result.stdout.fnmatch_lines([f" model*{spec} · version step-1200 · *"])
        result.stdout.no_fnmatch_line("*caution:*")
        (told,) = read_summary(pytester.path / "out")["runs"]
        assert told["model_version"] == "step-1200"
    assert "step-1200" in (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "step-1200" in (pytester.path / "out" / "report.html").read_text(encoding="utf-8")


@BOTH
@SPECS
def test_kept_answers_of_no_version_are_a_caution_and_a_warning_on_github(
    pytester: pytest.Pytester,
    made: Path,
    spec: str,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    options = (f"--mm-model={spec}", f"--mm-benchmark={made}", "--mm-output=out", *workers)
    first = run(pytester, *options)
    first.stdout.no_fnmatch_line("*caution:*")
    assert "::warning" not in first.stdout.str()
    again = run(pytester, *options)
    again.stdout.fnmatch_lines(
        [
            f" caution: answers of {spec} came from the cache*",
            f"::warning title=mmreason%3A Which model?::answers of {spec} came from the cache*",
            "*PASS*",
        ]
    )
    assert "model_version" not in read_summary(pytester.path / "out")["runs"][0]


def shard(pytester: pytest.Pytester, made: Path, text: str, folder: str) -> None:
    options = ("--mm-model=python:model:answer", f"--mm-benchmark={made}", f"--mm-shard={text}")
    assert run(pytester, *options, f"--mm-output={folder}").ret == 0


def test_a_merge_tells_the_version_and_takes_no_two(
    pytester: pytest.Pytester,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for checkpoint in ("one", "two"):
        monkeypatch.setenv("CHECKPOINT", checkpoint)
        for number in (1, 2):
            shard(pytester, made, f"{number}/2", f"{checkpoint}{number}")
    monkeypatch.delenv("CHECKPOINT")
    shard(pytester, made, "2/2", "none2")
    capsys.readouterr()
    assert main(["merge", "one1", "one2", "--mm-output=whole"]) == 0
    assert "python:model:answer · version one" in capsys.readouterr().out
    assert read_summary(pytester.path / "whole")["runs"][0]["model_version"] == "one"
    for other, word in (("two2", "two"), ("none2", "none")):
        assert main(["merge", "one1", other]) == 4
        told = f"of different versions of python:model:answer: one there and {word} here"
        assert told in capsys.readouterr().err


def test_a_merge_passes_the_caution_on(
    pytester: pytest.Pytester,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(2):
        for number in (1, 2):
            shard(pytester, made, f"{number}/2", f"part{number}")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    capsys.readouterr()
    assert main(["merge", "part1", "part2"]) == 0
    out = capsys.readouterr().out
    assert len(re.findall("^ caution: answers of python:model:answer", out, re.MULTILINE)) == 1
    assert out.count("::warning ") == 1


def test_runs_of_one_name_are_told_apart_by_their_folders(
    pytester: pytest.Pytester, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("before", "after"):
        run(
            pytester,
            "--mm-model=python:model:answer",
            f"--mm-benchmark={made}",
            f"--mm-output={folder}",
        )
    capsys.readouterr()
    assert main(["compare", "before", "after"]) == 0
    name = "python:model:answer (direct) on made"
    assert f"{name} in after against {name} in before" in capsys.readouterr().out
