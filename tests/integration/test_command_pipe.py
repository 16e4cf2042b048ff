"""A command whose reader leaves ends quietly, and has done its work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.runs import run


def unread(folder: Path, *arguments: str) -> tuple[int, str]:
    """(exit status, what stands on stderr) of a command that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest_mmreason", *arguments],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=folder,
            encoding="utf-8",
            check=False,
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", [["power"], ["validate", "mini"]])
def test_a_command_that_nobody_reads_ends_quietly(tmp_path: Path, command: list[str]) -> None:
    assert unread(tmp_path, *command) == (1, "")
    assert unread(tmp_path, command[0], "--help")[1] == ""


def test_reports_are_written_even_so(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})
    run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out")
    assert unread(pytester.path, "report", "out", "--mm-output=again") == (1, "")
    assert (pytester.path / "again" / "report.html").is_file()


def test_a_file_in_the_place_of_the_output_folder_is_told(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(0)])
    write_answers(pytester.path / "a.json", {"s0": "answer0"})
    (pytester.path / "taken").touch()
    result = run(
        pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=taken"
    )
    error = " ".join(result.stderr.str().split())
    assert result.ret == 4 and "taken is a file, a folder is needed" in error
