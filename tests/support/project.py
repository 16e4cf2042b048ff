"""A small repository for pytester: a benchmark, and models that know its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import runs  # noqa: F401 - imports what inner runs would import anew
from tests.support.benchmarks import read_records, sample, without_times, write_benchmark

MODELS = '''
"""Models whose calls are told line by line in calls.txt: model, number of images, prompt."""

import json
import pathlib
import re

LOG = pathlib.Path(__file__).parent / "calls.txt"


def log(name, prompt, images):
    with LOG.open("a", encoding="utf-8") as file:
        file.write(json.dumps([name, len(images), prompt]) + "\\n")


def number(prompt):
    return re.search(r"number (\\d+)", prompt).group(1)


def right(prompt, images):
    """Knows every answer."""
    log("right", prompt, images)
    return "answer" + number(prompt)


def wrong(prompt, images):
    """Knows none."""
    log("wrong", prompt, images)
    return "no idea of it"


async def right_async(prompt, images):
    return right(prompt, images)


class Answerer:
    """Knows every answer, as an object."""

    def __call__(self, prompt, images):
        return right(prompt, images)


def exact(sample, response):
    """A judge."""
    return float(str(response) == sample.answer)


not_callable = 3
'''


class Project:
    """Files and runs below pytester's folder.

    Its benchmark lies in ``made``, its models in ``models_of_mine.py``.
    """

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.benchmark = write_benchmark(self.path / "made", [sample(n) for n in range(6)])
        pytester.makepyfile(models_of_mine=MODELS)

    model = "--mm-model=python:models_of_mine:right"
    made = "--mm-benchmark=made"

    def write_samples(
        self, samples: Iterable[Mapping[str, Any]], folder: str = "made", **options: Any
    ) -> Path:
        """Write the benchmark in `folder` anew."""
        return write_benchmark(self.path / folder, samples, **options)

    def run(self, *args: object) -> pytest.RunResult:
        """Run in this process with the project's model and benchmark."""
        return self.pytester.runpytest_inprocess(self.model, self.made, *args)

    def run_plain(self, *args: object) -> pytest.RunResult:
        """Run in this process with nothing but `args`."""
        return self.pytester.runpytest_inprocess(*args)

    def run_outside(self, *args: object) -> pytest.RunResult:
        """Run in a process of its own with the project's model and benchmark."""
        return self.pytester.runpytest_subprocess(self.model, self.made, *args)

    def ids(self, *args: object) -> list[str]:
        """The node ids that are collected."""
        result = self.run_plain("--collect-only", "-q", *args)
        return [line for line in result.outlines if "::" in line]

    def calls(self) -> list[tuple[str, int, str]]:
        """(model, number of images, prompt) of every call of the project's models."""
        log = self.path / "calls.txt"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [tuple(json.loads(line)) for line in lines]

    def asked(self) -> list[str]:
        """The sample ids of every call, in the order of the samples."""
        numbers = [re.search(r"number (\d+)", prompt) for _, _, prompt in self.calls()]
        return sorted(f"s{found.group(1)}" for found in numbers if found)

    def records(self, folder: str = "out") -> list[dict[str, Any]]:
        """The records that a run wrote, without their times."""
        return without_times(read_records(self.path / folder))
