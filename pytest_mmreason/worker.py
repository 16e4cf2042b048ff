"""A worker of xdist: its session, and its end of the link to the engine in the controller.

It imports neither engine nor reports, which it has no use for: on a small machine the
start of its workers is most of what a short run waits for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Client as connect
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mmreason.benchmarks.base import PROTOCOLS
from pytest_mmreason.client import Client, Held, Selection
from pytest_mmreason.errors import CallError, MissingPrediction, ModelError, UsageError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.plan import Plan, Work, is_large, make_plan, set_aside
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Evaluated, Record
from pytest_mmreason.registry import Registry, as_judge, as_model
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.verdict import Verdict
from pytest_mmreason.wire import (
    error_from_json,
    error_to_json,
    image_to_json,
    receive,
    request_from_json,
    send,
)

if TYPE_CHECKING:
    import asyncio

    import pytest

    from pytest_mmreason.imaging import LoadedImage

T = TypeVar("T")


class WorkerSession:
    """A process that runs items and asks the owner for everything else."""

    is_worker = True

    def __init__(
        self, settings: Settings, registry: Registry, worker_input: Mapping[str, Any]
    ) -> None:
        self.settings = settings
        self.item: pytest.Item | None = None
        self.is_set_aside = False
        self._registry = registry
        self._worker_input = worker_input
        self._plan: Plan | None = None
        self._client: Client | None = None
        self._opening = threading.Lock()

    @property
    def plan(self) -> Plan:
        """The plan; the benchmarks are read at the first call."""
        if self._plan is None:
            self._plan = make_plan(self.settings, self._registry)
            if is_large(self._plan):
                set_aside()
                self.is_set_aside = True
        return self._plan

    @property
    def client(self) -> Client:
        """The link to the owner, opened at the first call."""
        with self._opening:
            if self._client is None:
                self._client = RemoteClient.open(self._worker_input, self.settings.timeout)
            return self._client

    def select(self, selection: Selection, by_hand: Sequence[str] = ()) -> None:
        """Tell the owner what was collected; nothing is said of nothing."""
        if selection:
            self.client.select(selection, by_hand)


@dataclass(slots=True)
class RemoteClient:
    """A worker's end of the link; does what :class:`~pytest_mmreason.client.Client` says."""

    connection: Connection
    timeout_s: float
    model: Held = field(default_factory=lambda: Held(as_model))
    judge: Held = field(default_factory=lambda: Held(as_judge))
    _loop: asyncio.AbstractEventLoop | None = None
    _asking: threading.Lock = field(default_factory=threading.Lock)
    """Held from a question to its answer: a test may ask in several threads."""

    @classmethod
    def open(cls, worker_input: Mapping[str, Any], timeout_s: float) -> RemoteClient:
        """Connect to the controller whose ``workerinput`` this is."""
        address = (worker_input["host"], worker_input["port"])
        return cls(connect(address, authkey=bytes.fromhex(worker_input["key"])), timeout_s)

    def select(self, selection: Selection, by_hand: Sequence[str]) -> None:
        """Tell the controller what this worker has collected."""
        self._ask({"op": "select", "selection": selection, "by_hand": by_hand})

    def evaluate(
        self, work: Work, sample: Sample | None, while_waiting: Callable[[], None] | None
    ) -> Evaluated:
        """Wait for the record, running this worker's own model or judge when asked back."""
        model, judge = self.model.role, self.judge.role
        message: dict[str, Any] = {
            "op": "evaluate",
            "work": work,
            "sample": sample.to_json() if sample else None,
            "model": {
                "identity": model.identity,
                "max_concurrency": model.max_concurrency,
                "retry_timeouts": getattr(model, "retry_timeouts", True),
            }
            if model
            else None,
            "judge": {p: judge.identity(p) for p in PROTOCOLS} if judge else None,
        }
        reply = self._ask(message)
        return Evaluated(Record.from_json(reply["record"]), reply["stop"])

    def generate(self, spec: str, prompt: Prompt, images: Sequence[LoadedImage]) -> Response:
        """See :meth:`~pytest_mmreason.client.Client.generate`."""
        encoded = [image_to_json(image) for image in images]
        reply = self._ask(
            {"op": "generate", "spec": spec, "prompt": prompt.text, "images": encoded}
        )
        return Response.from_json(reply["response"])

    def verdict(self, protocol: str, sample: Sample, text: str) -> Verdict:
        """See :meth:`~pytest_mmreason.client.Client.verdict`."""
        message = {"op": "verdict", "protocol": protocol, "sample": sample.to_json(), "text": text}
        return Verdict.from_json(self._ask(message)["verdict"])

    def bring_model(self, model: Any, lasting: bool) -> None:
        """It runs here, in the worker that made it."""
        self._close_role(self.model.take(model))

    def bring_judge(self, judge: Any, lasting: bool) -> None:
        """It runs here, in the worker that made it."""
        self._close_role(self.judge.take(judge))

    def _close_role(self, role: ModelAdapter | Judge | None) -> None:
        if role is not None:
            self._run(role.aclose())

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            with self._asking:
                send(self.connection, message)
                while "op" in (reply := receive(self.connection)):
                    send(self.connection, self._run_errand(reply))
        except (EOFError, OSError) as error:
            raise ModelError(
                f"the link to the controller broke: {error!r}", cause="link"
            ) from error
        if "call_error" in reply:
            raise error_from_json(reply["call_error"])
        if "usage_error" in reply:
            raise UsageError(reply["usage_error"])
        if "error" in reply:
            raise RuntimeError(f"in the controller: {reply['error']}")
        return reply

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(coroutine)

    def _run_errand(self, message: Mapping[str, Any]) -> dict[str, Any]:
        import asyncio

        errand = self._generate_here if message["op"] == "generate" else self._judge_here
        try:
            return self._run(asyncio.wait_for(errand(message), self.timeout_s))
        except TimeoutError:
            error = ModelError(
                f"no answer within {self.timeout_s:g} s (--mm-timeout)",
                cause="timeout",
                retryable=getattr(self.model.role, "retry_timeouts", True),
            )
            return {"call_error": error_to_json(error)}
        except MissingPrediction as error:
            return {"missing": str(error)}
        except CallError as error:
            return {"call_error": error_to_json(error)}
        except Exception as error:
            return {"call_error": error_to_json(ModelError(f"{type(error).__name__}: {error}"))}

    async def _generate_here(self, message: Mapping[str, Any]) -> dict[str, Any]:
        response = await self.model.role.generate(request_from_json(message["request"]))
        return {"response": response.to_json()}

    async def _judge_here(self, message: Mapping[str, Any]) -> dict[str, Any]:
        judge: Judge = self.judge.role

        async def ask(request: Request) -> Response:
            assert judge.adapter is not None
            return await judge.adapter.generate(request)

        task = JudgeTask(
            Sample.from_json(message["sample"]),
            message["response"],
            message["protocol"],
            message["run"],
        )
        return {"verdict": (await judge.judge(task, ask)).to_json()}
