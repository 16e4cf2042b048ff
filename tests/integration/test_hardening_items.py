"""Adapters that end the world, tests that lose their sample, files named like ours."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from pytest_mmreason.worker import RemoteClient
from pytest_mmreason.xdist import Server
from tests.support.benchmarks import read_records, read_summary
from tests.support.project import Project
from tests.support.runs import statuses, verdict_line

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])

ADAPTER = """
import asyncio
import sys

from pytest_mmreason import Response


class Ending:
    name = "ending"
    identity = {"kind": "ending"}
    max_concurrency = None
    wants_images = offline = cacheable = False

    def __init__(self, way):
        self.way = way

    async def generate(self, request):
        if request.sample == "s3" and self.way == "exit":
            sys.exit(3)
        if request.sample == "s3":
            raise asyncio.CancelledError
        return Response("answer" + request.sample[1:])

    async def aclose(self):
        pass


class EndingJudge:
    name = "ending"
    adapter = max_concurrency = None
    offline = cacheable = False

    def __init__(self, way):
        self.way = way

    def identity(self, protocol):
        return {}

    async def judge(self, task, ask):
        from pytest_mmreason import Verdict

        if task.sample.id == "s3":
            sys.exit(3)
        return Verdict(1.0)

    async def aclose(self):
        pass


def pytest_mmreason_models():
    return {"ending": Ending}


def pytest_mmreason_judges():
    return {"ending": EndingJudge}
"""


@BOTH
@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--mm-model=ending:exit",), "model_error"),
        (("--mm-model=ending:cancel",), "model_error"),
        (("--mm-model=ending:", "--mm-judge=ending"), "judge_error"),
    ],
    ids=["exit", "cancel", "judge"],
)
def test_an_adapter_that_exits_or_cancels_costs_its_sample_and_no_other(
    project: Project, workers: tuple[str, ...], options: tuple[str, ...], status: str
) -> None:
    project.pytester.makeconftest(
        ADAPTER.replace("request.sample ==", "self.way and request.sample ==")
    )
    command = (*options, project.made, "--mm-output=out", *workers)
    result = project.pytester.runpytest_subprocess(*command, timeout=60)
    assert result.ret == 1
    expected = {f"s{n}": status if n == 3 else "scored" for n in range(6)}
    assert statuses(read_records(project.path / "out")) == expected


@BOTH
def test_a_test_that_gives_another_sample_fails_and_loses_no_total(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        """
        from dataclasses import replace

        def test_own(mm_sample, mm_evaluate):
            match mm_sample.id:
                case "s1":
                    mm_evaluate(replace(mm_sample, id="other"))
                case "s2":
                    mm_evaluate.record(replace(mm_sample, id="s3"), "by hand", 0.5)
                case "s4":
                    pass
                case _:
                    mm_evaluate(mm_sample)
        """
    )
    result = project.run("--mm-output=out", *workers)
    assert result.ret == 1
    assert "INTERNALERROR" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*expected to evaluate the sample 's1', and was given 'other'*"])
    assert "3 errored samples, 0 allowed" in verdict_line(result)
    records = {record["sample"]: record for record in project.records()}
    lost = {"s1": "missing", "s2": "missing", "s4": "missing"}
    assert statuses(records.values()) == {f"s{n}": "scored" for n in range(6)} | lost
    assert records["s4"]["reason"] == "its test passed without calling mm_evaluate"


@BOTH
def test_a_users_file_named_like_the_suite_takes_its_place(
    project: Project, workers: tuple[str, ...]
) -> None:
    folder = project.pytester.mkdir("mmreason")
    (folder / "test_benchmark.py").write_text(
        "def test_sample(mm_sample, mm_evaluate):\n    mm_evaluate(mm_sample)\n", encoding="utf-8"
    )
    result = project.run("--mm-output=out", *workers)
    result.assert_outcomes(passed=6)
    assert result.ret == 0
    assert read_summary(project.path / "out")["runs"][0]["counts"]["collected"] == 6


def test_a_stranger_on_the_link_keeps_no_worker_waiting() -> None:
    session: object = SimpleNamespace(client=SimpleNamespace(select=lambda selection: None))
    server = Server(session)  # type: ignore[arg-type]
    found = server.worker_input
    try:
        with (
            socket.create_connection((found["host"], found["port"])),
            ThreadPoolExecutor(1) as pool,
        ):
            client = pool.submit(RemoteClient.open, found, 5.0).result(timeout=10)
            client.connection.close()
    finally:
        server.close()
