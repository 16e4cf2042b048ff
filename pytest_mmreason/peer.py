"""A worker as the engine sees it: a model and a judge that are asked over the link."""

from __future__ import annotations

import asyncio
import contextlib
import queue
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.errors import MissingPrediction, ModelError
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.registry import FIXTURE
from pytest_mmreason.verdict import Verdict
from pytest_mmreason.wire import error_from_json, error_to_json, request_to_json


@dataclass(slots=True)
class Errand:
    """A message for the worker, and the future that awaits its reply."""

    message: dict[str, Any]
    reply: asyncio.Future[dict[str, Any]]
    loop: asyncio.AbstractEventLoop

    def resolve(self, reply: dict[str, Any]) -> None:
        def settle() -> None:
            if not self.reply.done():
                self.reply.set_result(reply)

        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(settle)


@dataclass(slots=True)
class Peer:
    """A worker that waits for a record and can be asked back."""

    errands: queue.SimpleQueue[Errand | None]
    gone: bool = False

    def hang_up(self, errand: Errand | None) -> None:
        """The worker is gone: whoever waits for it, or for a place that it holds, goes on."""
        self.gone = True
        with contextlib.suppress(queue.Empty):
            while True:
                if errand is not None:
                    errand.resolve({"call_error": error_to_json(worker_gone())})
                errand = self.errands.get_nowait()

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        errand = Errand(message, loop.create_future(), loop)
        self.errands.put(errand)
        if self.gone:
            raise worker_gone()
        reply = await errand.reply
        if "missing" in reply:
            raise MissingPrediction(reply["missing"])
        if "call_error" in reply:
            raise error_from_json(reply["call_error"])
        return reply


def worker_gone() -> ModelError:
    return ModelError("the worker whose fixture was asked is gone", cause="link")


@dataclass(slots=True)
class PeerModel:
    """The model that a worker's ``mm_model`` fixture made, asked over the link."""

    peer: Peer
    identity: Mapping[str, Any]
    max_concurrency: int | None = None
    retry_timeouts: bool = True
    name: str = FIXTURE
    wants_images: bool = True
    offline: bool = False
    cacheable: bool = True

    async def generate(self, request: Request) -> Response:
        reply = await self.peer.ask({"op": "generate", "request": request_to_json(request)})
        return Response.from_json(reply["response"])

    async def aclose(self) -> None:
        """The worker ends it."""


@dataclass(slots=True)
class PeerJudge:
    """The judge that a worker's ``mm_judge`` fixture made, asked over the link."""

    peer: Peer
    identities: Mapping[str, Mapping[str, Any]]
    name: str = FIXTURE
    adapter: ModelAdapter | None = None
    max_concurrency: int | None = None
    offline: bool = False
    cacheable: bool = True

    def identity(self, protocol: str) -> Mapping[str, Any]:
        return self.identities[protocol]

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        message = {
            "op": "judge",
            "sample": task.sample.to_json(),
            "response": task.response,
            "protocol": task.protocol,
            "run": task.run,
        }
        return Verdict.from_json((await self.peer.ask(message))["verdict"])

    async def aclose(self) -> None:
        """The worker ends it."""
