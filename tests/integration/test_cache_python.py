"""The cache under a model in Python: what counts as the same model, and what a kill costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.benchmarks import sample, write_benchmark
from tests.support.runs import run, wait_until

COUNTING = """
    from pathlib import Path

    def answer(prompt, images):
        number = prompt.removeprefix("What is number ").rstrip("?")
        with Path(__file__).with_name("asked.txt").open("a") as file:
            file.write(number + "\\n")
        return f"answer{number}"
"""
SLOW = """
    import time
    from pathlib import Path

    here = Path(__file__).parent

    def answer(prompt, images):
        number = prompt.removeprefix("What is number ").rstrip("?")
        with (here / "asked.txt").open("a") as file:
            file.write(number + "\\n")
        while int(number) >= 3 and (here / "slow").exists():
            time.sleep(0.02)
        return f"answer{number}"

    answer.max_concurrency = 2
"""


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])


def asked(pytester: pytest.Pytester) -> list[int]:
    """The numbers that the model was asked about since the last look."""
    path = pytester.path / "asked.txt"
    if not path.exists():
        return []
    numbers = sorted(int(line) for line in path.read_text().split())
    path.unlink()
    return numbers


def test_the_same_function_is_not_asked_twice_and_a_changed_one_is(
    pytester: pytest.Pytester, made: Path
) -> None:
    module = pytester.makepyfile(model=COUNTING)
    options = ("--mm-model=python:model:answer", f"--mm-benchmark={made}")
    assert run(pytester, *options).ret == 0
    assert asked(pytester) == [0, 1, 2, 3, 4, 5]
    assert run(pytester, *options, "-n2").ret == 0
    assert asked(pytester) == []
    module.write_text(module.read_text() + "\n# a new version\n")
    assert run(pytester, *options).ret == 0
    assert asked(pytester) == [0, 1, 2, 3, 4, 5]


def test_a_judge_in_python_is_not_asked_twice(pytester: pytest.Pytester, made: Path) -> None:
    pytester.makepyfile(
        model=COUNTING,
        judging="""
        from pathlib import Path

        def judge(sample, response):
            with Path(__file__).with_name("judged.txt").open("a") as file:
                file.write(sample.id + "\\n")
            return 1.0
        """,
    )
    options = ("--mm-model=python:model:answer", "--mm-judge=python:judging:judge")
    for _ in range(2):
        assert run(pytester, *options, f"--mm-benchmark={made}").ret == 0
    judged = (pytester.path / "judged.txt").read_text().split()
    assert sorted(judged) == [f"s{n}" for n in range(6)]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_kill_costs_only_what_was_in_flight(
    pytester: pytest.Pytester, made: Path, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(model=SLOW)
    (pytester.path / "slow").touch()
    options = ("--mm-model=python:model:answer", f"--mm-benchmark={made}")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *workers],
        cwd=pytester.path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    path = pytester.path / "asked.txt"
    try:
        wait_until(process, lambda: path.exists() and len(path.read_text().split()) == 5)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert asked(pytester) == [0, 1, 2, 3, 4], "3 and 4 were in flight"
    (pytester.path / "slow").unlink()
    assert run(pytester, *options).ret == 0
    assert asked(pytester) == [3, 4, 5]
