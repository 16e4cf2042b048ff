"""The link between xdist's workers and the engine in the controller.

JSON messages over a loopback connection that both ends authenticate with a secret of
this session; nothing is unpickled. A worker asks one thing at a time; while it waits,
the engine may ask it back to run the model or judge that its own fixtures made.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client as connect
from multiprocessing.connection import (
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mmreason.benchmarks.base import PROTOCOLS
from pytest_mmreason.client import Held, Selection
from pytest_mmreason.engine import Evaluated
from pytest_mmreason.errors import (
    BenchmarkError,
    CallError,
    MissingPrediction,
    ModelError,
    UsageError,
)
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.peer import Errand, Peer, PeerJudge, PeerModel
from pytest_mmreason.plan import Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Record
from pytest_mmreason.registry import as_judge, as_model
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict
from pytest_mmreason.wire import (
    error_from_json,
    error_to_json,
    image_from_json,
    image_to_json,
    receive,
    request_from_json,
    send,
)

if TYPE_CHECKING:
    from pytest_mmreason.session import OwnerSession

WORKER_INPUT = "mmreason"


class Server:
    """The controller's end: one thread a worker."""

    def __init__(self, session: OwnerSession) -> None:
        self._session = session
        self._key = secrets.token_bytes(32)
        # Each connection authenticates in a thread of its own: a stranger that connects and
        # says nothing must not keep a worker waiting.
        self._listener = Listener(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self._accept, name="mmreason-link", daemon=True).start()

    @property
    def worker_input(self) -> dict[str, Any]:
        """What a worker needs to connect."""
        host, port = self._listener.address
        return {"host": host, "port": port, "key": self._key.hex()}

    def close(self) -> None:
        """Accept no more workers."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError):
                return
            threading.Thread(
                target=self._serve, args=(connection,), name="mmreason-peer", daemon=True
            ).start()

    def _serve(self, connection: Connection) -> None:
        with contextlib.suppress(EOFError, OSError, AuthenticationError), connection:
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            while True:
                message = receive(connection)
                try:
                    reply = self._answer(connection, message)
                except (EOFError, OSError):
                    raise
                except CallError as error:
                    reply = {"call_error": error_to_json(error)}
                except (UsageError, BenchmarkError) as error:
                    self._session.fault = str(error)
                    reply = {"usage_error": str(error)}
                except Exception as error:
                    reply = {"error": f"{type(error).__name__}: {error}"}
                send(connection, reply)

    def _answer(self, connection: Connection, message: Mapping[str, Any]) -> dict[str, Any]:
        match message["op"]:
            case "select":
                self._session.client.select(
                    [(item, Work(*work)) for item, work in message["selection"]],
                    message["by_hand"],
                )
                return {}
            case "evaluate":
                done = self._evaluate(connection, message)
                return {"record": done.record.to_json(), "stop": done.stop}
            case "generate":
                images = [image_from_json(image) for image in message["images"]]
                response = self._session.client.generate(
                    message["spec"], Prompt.of(message["prompt"]), images
                )
                return {"response": response.to_json()}
            case "verdict":
                sample = Sample.from_json(message["sample"])
                return {
                    "verdict": self._session.client.verdict(
                        message["protocol"], sample, message["text"]
                    ).to_json()
                }
            case other:
                raise ValueError(f"unknown message {other!r}")

    def _evaluate(self, connection: Connection, message: Mapping[str, Any]) -> Evaluated:
        """Wait for the record, running the engine's errands to the worker meanwhile."""
        errands: queue.SimpleQueue[Errand | None] = queue.SimpleQueue()
        peer = Peer(errands)
        model, judge = message["model"], message["judge"]
        future: Future[Evaluated] = self._session.engine.submit(
            Work(*message["work"]),
            sample=Sample.from_json(message["sample"]) if message["sample"] else None,
            model=PeerModel(peer, **model) if model else None,
            judge=PeerJudge(peer, judge) if judge else None,
        )
        future.add_done_callback(lambda _: errands.put(None))
        errand: Errand | None = None
        try:
            while (errand := errands.get()) is not None:
                send(connection, errand.message)
                errand.resolve(receive(connection))
        except (EOFError, OSError):
            future.cancel()
            peer.hang_up(errand)
            raise
        return future.result()


@dataclass(slots=True)
class RemoteClient:
    """A worker's end of the link; does what :class:`~pytest_mmreason.client.Client` says."""

    connection: Connection
    timeout_s: float
    model: Held = field(default_factory=lambda: Held(as_model))
    judge: Held = field(default_factory=lambda: Held(as_judge))
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

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
            self.loop.run_until_complete(role.aclose())

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
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

    def _run_errand(self, message: Mapping[str, Any]) -> dict[str, Any]:
        errand = self._generate_here if message["op"] == "generate" else self._judge_here
        try:
            return self.loop.run_until_complete(asyncio.wait_for(errand(message), self.timeout_s))
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


class ControllerHooks:
    """Registered where xdist is: hands every worker, replacements too, the way to the engine."""

    def __init__(self, session: OwnerSession) -> None:
        self._server = Server(session)

    @pytest.hookimpl
    def pytest_configure_node(self, node: Any) -> None:
        """xdist, in the controller, before a worker starts."""
        node.workerinput[WORKER_INPUT] = self._server.worker_input

    def pytest_unconfigure(self) -> None:
        """The session is over; nobody may connect any more."""
        self._server.close()
