"""The same run, serial or distributed: same ids, records, tables, gates, exit code and calls."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, read_summary, without_times, write_answers
from tests.support.endpoint import Endpoint
from tests.support.runs import (
    EVERY_STATUS,
    endpoint_options,
    every_status,
    junit_cases,
    run,
    statuses,
    summary_lines,
    write_every_status,
)

PASSING = ("--mm-threshold=20", "--mm-threshold=deductive=10", "--mm-max-errors=100%")
FAILING = ("--mm-threshold=99", "--mm-max-errors=0")


@dataclass(frozen=True)
class Seen:
    """Everything about a run that must not depend on how it was distributed."""

    exit: int
    cases: list[Any]
    records: list[Any]
    summary: dict[str, Any]
    lines: list[str]
    calls: list[Any]


@pytest.fixture
def look(pytester: pytest.Pytester, endpoint: Endpoint) -> Any:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    recorded = {f"s{n}": f"recorded{n}" for n in range(11)}
    replay = write_answers(pytester.path / "recorded.json", recorded)

    def seen(*arguments: str) -> Seen:
        endpoint.reset()
        output = pytester.path / f"out{len(list(pytester.path.glob('out*')))}"
        result = run(
            pytester,
            *endpoint_options(endpoint),
            f"--mm-model=replay:{replay}",
            f"--mm-benchmark={folder}",
            "--mm-retries=0",
            "--mm-cache=off",
            f"--mm-output={output}",
            f"--junitxml={output}.xml",
            *arguments,
        )
        assert endpoint.repeats == 0, "some call was made twice"
        return Seen(
            exit=result.ret,
            cases=junit_cases(Path(f"{output}.xml")),
            records=without_times(read_records(output)),
            summary=read_summary(output),
            lines=[line.replace(str(output), "OUT") for line in summary_lines(result)],
            calls=sorted(map(str, endpoint.requests)),
        )

    return seen


@pytest.mark.parametrize(("gates", "exit"), [(PASSING, 0), (FAILING, 1)])
def test_two_workers_change_nothing(look: Any, gates: tuple[str, ...], exit: int) -> None:
    serial = look(*gates)
    assert serial.exit == serial.summary["exit"] == exit
    assert statuses(r for r in serial.records if r["model"] == "openai:m") == EVERY_STATUS
    assert sum(r["status"] == "missing" for r in serial.records) == 1
    assert look(*gates, "-n2") == serial


def test_every_way_to_distribute_gives_the_same_run(look: Any) -> None:
    serial = look(*PASSING)
    for dist in ("loadscope", "loadgroup", "worksteal"):
        assert look(*PASSING, "-n2", f"--dist={dist}") == serial, dist


def test_a_record_counts_once_where_every_worker_runs_every_item(look: Any) -> None:
    each = look(*PASSING, "-n2", "--dist=each")
    serial = look(*PASSING)
    assert (each.exit, each.records, each.summary, each.lines, each.calls) == (
        serial.exit,
        serial.records,
        serial.summary,
        serial.lines,
        serial.calls,
    )
    assert len(each.cases) == 2 * len(serial.cases)
