"""Adapters that answer from a function or a queue, and plans to run them on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.plan import Plan, plan_runs
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.verdict import Verdict

Outcome = str | Response | Verdict | float | BaseException


class StubModel:
    """Answers by `script`, a function of the request, and remembers whom it was asked about.

    A script may return a text, a Response, an exception to raise, or an awaitable of these.
    """

    max_concurrency: int | None = None
    wants_images = True
    offline = False
    cacheable = True

    def __init__(self, script: Callable[[Request], Any] | None = None, name: str = "m") -> None:
        self.name = name
        self.identity: Mapping[str, Any] = {"kind": "stub", "name": name}
        self.script = script or (lambda request: f"{name} of {request.sample}")
        self.asked: list[str] = []
        self.requests: list[Request] = []
        self.peak = self.under_way = 0
        self.closed = False

    async def generate(self, request: Request) -> Response:
        self.asked.append(request.sample)
        self.requests.append(request)
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        try:
            outcome = await _settled(self.script(request))
        finally:
            self.under_way -= 1
        return Response(outcome) if isinstance(outcome, str) else outcome

    async def aclose(self) -> None:
        self.closed = True


class StubJudge:
    """Judges by `script`, a function of the task; a number is a score, an exception is raised."""

    adapter: ModelAdapter | None = None
    max_concurrency: int | None = None
    offline = False
    cacheable = True

    def __init__(
        self, script: Callable[[JudgeTask], Any] | None = None, *, reads_texts_only: bool = False
    ) -> None:
        self.reads_texts_only = reads_texts_only
        self.name = "j"
        self.script = script or (lambda task: 1.0)
        self.tasks: list[JudgeTask] = []
        self.closed = False

    def identity(self, protocol: str) -> Mapping[str, Any]:
        return {"kind": "stub", "protocol": protocol}

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        self.tasks.append(task)
        outcome = await _settled(self.script(task))
        return Verdict(outcome) if isinstance(outcome, (int, float)) else outcome

    async def aclose(self) -> None:
        self.closed = True


async def _settled(outcome: Any) -> Any:
    await asyncio.sleep(0)
    if isinstance(outcome, Awaitable):
        outcome = await outcome
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def in_turn(*outcomes: Outcome) -> Callable[[Any], Outcome]:
    """A script that has each outcome once, and then the last for ever."""
    queue = list(outcomes)
    return lambda _: queue.pop(0) if len(queue) > 1 else queue[0]


def made_samples(count: int, **fields: Any) -> list[Sample]:
    """Samples ``s0``, ``s1`` … with a question and a reference answer."""
    values: dict[str, Any] = {"answer": "a", "benchmark": "made", **fields}
    return [Sample(f"s{number}", f"Question {number}?", **values) for number in range(count)]


def made_plan(samples: Iterable[Sample], models: Iterable[str] = ("m",), **settings: Any) -> Plan:
    """The plan of a benchmark ``made`` on `models`; `settings` are fields of Settings."""
    names = tuple(models)
    benchmark = Benchmark("made", "infimm-eval", tuple(samples))
    values: dict[str, Any] = {"retries": 0, "concurrency": 4, "judge": "j", **settings}
    return plan_runs(
        Settings(model=names, **values), {"made": benchmark}, {name: name for name in names}
    )
