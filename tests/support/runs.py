"""Runs of pytest inside a test: what they share, and what is read off them."""

from __future__ import annotations

import json
import re
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

# Imported once here: a run inside this process would otherwise spend a second on each.
import aiohttp  # noqa: F401
import PIL.Image  # noqa: F401
import pytest
import rich.table  # noqa: F401

from tests.support.benchmarks import sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply, Script, question_of

QUIET = ("-p", "no:randomly", "-p", "no:cacheprovider")


def run(pytester: pytest.Pytester, *arguments: str | Path) -> pytest.RunResult:
    """pytest in this process; with ``-n`` its workers are processes of their own."""
    return pytester.runpytest_inprocess(*QUIET, *map(str, arguments))


def wait_until(
    process: subprocess.Popen[Any], condition: Callable[[], bool], patience_s: float = 60.0
) -> None:
    """Wait for `condition`; an AssertionError if the process ends before, or takes too long."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert process.poll() is None, f"pytest ended with {process.returncode}"
        assert time.monotonic() < deadline, "it never came to pass"
        time.sleep(0.05)


def number_of(body: dict[str, Any]) -> int:
    """The number in the question of a made sample, asked of a model or put to a judge."""
    found = re.search(r"What is number (\d+)\?", question_of(body))
    assert found, question_of(body)
    return int(found[1])


def verdict(score: float, rationale: str = "because") -> str:
    """A judge's reply under the rubric protocol."""
    reply = {"rationale": rationale, "correct": score == 1.0, "steps": [], "score": score}
    return json.dumps(reply)


def by_model(**scripts: Script) -> Script:
    """A script that answers each model by its own."""
    return lambda body, seen: scripts[body["model"]](body, seen)


def answers(body: dict[str, Any], seen: int) -> str:
    """A model that gives every made sample its reference answer."""
    return f"answer{number_of(body)}"


def statuses(records: Iterable[dict[str, Any]]) -> dict[str, str]:
    """sample -> status."""
    return {record["sample"]: record["status"] for record in records}


def summary_lines(result: pytest.RunResult) -> list[str]:
    """The summary of a run without the line that tells the time it took."""
    lines = result.stdout.lines
    start = next(
        i for i, line in enumerate(lines) if line.startswith("===") and "mmreason:" in line
    )
    end = next(i for i, line in enumerate(lines) if i > start and re.match(r" (PASS|FAIL)  ", line))
    return [line for line in lines[start : end + 1] if not re.search(r"\btook \d+:\d\d", line)]


def verdict_line(result: pytest.RunResult) -> str:
    """The line that says which gate decided; there is exactly one."""
    lines = [line for line in result.stdout.lines if re.match(r" (PASS|FAIL)  ", line)]
    assert len(lines) == 1, lines
    return lines[0].strip()


def flat(result: pytest.RunResult) -> str:
    """The output with every run of blanks as one: where lines were folded does not matter."""
    return " ".join(result.stdout.str().split())


def letters(result: pytest.RunResult) -> str:
    """The letters of the bundled suite in the order shown, serial or distributed."""
    found = re.findall(
        r"^(?:mmreason/test_benchmark\.py )?(\S+) +\[ *\d+%\]$", result.stdout.str(), re.M
    )
    return "".join(found)


def junit_cases(path: Path) -> list[tuple[str, dict[str, str]]]:
    """(name, properties) of every test case, by name."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    found = [
        (
            f"{case.get('classname')}::{case.get('name')}",
            {str(p.get("name")): str(p.get("value")) for p in case.iter("property")},
        )
        for case in cases
    ]
    return sorted(found, key=lambda case: (case[0], sorted(case[1].items())))


EVERY_STATUS = {
    "s0": "scored",
    "s1": "scored",
    "s2": "scored",
    "s3": "scored",
    "s4": "refused",
    "s5": "unjudged",
    "s6": "model_error",
    "s7": "judge_error",
    "s8": "data_error",
    "s9": "scored",  # empty
    "s10": "scored",  # cut short
    "s11": "scored",
}
"""What becomes of the samples of :func:`write_every_status` under :func:`every_status`."""

SCORES = {0: 1.0, 1: 0.7, 2: 0.45, 3: 0.0, 10: 0.5, 11: 0.25}


def write_every_status(folder: Path) -> Path:
    """A benchmark whose samples end in every status that a model can bring about."""
    rows = [sample(n, tags=["even"] if n % 2 == 0 else []) for n in range(12)]
    rows[5]["answer"] = None
    rows[8]["images"] = ["absent.png"]
    return write_benchmark(folder, rows)


def every_status(body: dict[str, Any], seen: int) -> Reply | str | None:
    """The model ``m`` and the judge ``j`` of that benchmark."""
    number = number_of(body)
    if body["model"] == "j":
        return "I would rather not say." if number == 7 else verdict(SCORES.get(number, 0.5))
    match number:
        case 4:
            return Reply(text="", finish="content_filter")
        case 6:
            return Reply.error(400, "the picture is too large")
        case 9:
            return " \n"
        case 10:
            return Reply(text="a long answ", finish="length")
    return f"given{number}"


def endpoint_options(endpoint: Endpoint, *, judge: str | None = "j") -> Sequence[str]:
    """The options that ask ``openai:m`` there, and a judge of that name."""
    model = ["--mm-model=openai:m", f"--mm-base-url={endpoint.url}"]
    return (
        model
        if judge is None
        else [*model, f"--mm-judge=openai:{judge}", f"--mm-judge-base-url={endpoint.url}"]
    )
