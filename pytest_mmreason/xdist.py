"""The link between xdist's workers and the engine in the controller.

JSON messages over a loopback connection that both ends authenticate with a secret of
this session; nothing is unpickled. A worker asks one thing at a time; while it waits,
the engine may ask it back to run the model or judge that its own fixtures made.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mmreason.errors import (
    BenchmarkError,
    CallError,
    UsageError,
)
from pytest_mmreason.foresight import all_will_be_asked
from pytest_mmreason.peer import Errand, Peer, PeerJudge, PeerModel
from pytest_mmreason.plan import Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Evaluated
from pytest_mmreason.sample import Sample
from pytest_mmreason.wire import (
    error_to_json,
    image_from_json,
    receive,
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


class ControllerHooks:
    """Registered where xdist is: hands every worker, replacements too, the way to the engine."""

    def __init__(self, session: OwnerSession) -> None:
        self._session = session
        self._server = Server(session)

    @pytest.hookimpl
    def pytest_configure_node(self, node: Any) -> None:
        """xdist, in the controller, before a worker starts."""
        node.workerinput[WORKER_INPUT] = self._server.worker_input

    @pytest.hookimpl(trylast=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config) -> None:
        """xdist, in the controller, after every other start of the session.

        The workers take a second or more to come; where it is certain what they will run, the
        engine begins at once.
        """
        if all_will_be_asked(config):
            self._session.foresee()

    def pytest_unconfigure(self) -> None:
        """The session is over; nobody may connect any more."""
        self._server.close()
