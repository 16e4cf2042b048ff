"""An OpenAI-compatible endpoint of known latency on 127.0.0.1, for measurements.

As little work a request as asyncio allows, in a process of its own: what is measured is
the client. A model named ``judge`` answers with a verdict in the schema it was sent.
Faults are drawn from a seeded stream: ``429:0.1,500:0.05,reset:0.03,badjson:0.03,hang:0.01``.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

SETTLED_S = 0.1
"""After that long a client has read an answer that was sent to it."""


@dataclass
class Counts:
    """What was asked since the last reset."""

    requests: int = 0
    in_flight: Counter[str] = field(default_factory=Counter)
    peak: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    answered: dict[str, float] = field(default_factory=dict)
    """When, by request."""
    again: int = 0
    """Requests for what had been answered."""
    marked: float | None = None
    finished_again: int = 0
    """Of them, those for what had been answered more than `SETTLED_S` before the mark."""
    first: float | None = None
    last: float | None = None

    def to_json(self) -> dict[str, Any]:
        """For the client that asks."""
        return {
            "requests": self.requests,
            "distinct": len(self.asked),
            "again": self.again,
            "finished_again": self.finished_again,
            "in_flight": self.in_flight.total(),
            "peak": dict(self.peak),
            "faults": dict(self.faults),
            "span": (self.last or 0.0) - (self.first or 0.0),
        }


class Server:
    """Speaks as much HTTP/1.1 as openai's client does."""

    def __init__(self, latency_s: float, faults: str, hang_s: float, seed: int) -> None:
        self.latency_s, self.hang_s = latency_s, hang_s
        pairs = (part.split(":") for part in faults.split(",") if part)
        self.faults = [(name, float(share)) for name, share in pairs]
        self.random = random.Random(seed)
        self.counts = Counts()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests of one connection until it closes."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                length = next(
                    (int(h[15:]) for h in lines if h.lower().startswith("content-length:")), 0
                )
                body = await reader.readexactly(length) if length else b""
                path = lines[0].split()[1]
                if not await self._answer(path, body, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        if path == "/stats":
            return await _send(writer, 200, self.counts.to_json())
        if path == "/mark":
            self.counts.marked = time.monotonic()
            return await _send(writer, 200, self.counts.to_json())
        if path == "/reset":
            self.counts = Counts()
            return await _send(writer, 200, {})
        counts = self.counts
        request = json.loads(body)
        model = request["model"]
        key = hashlib.sha256(body).hexdigest()
        counts.requests += 1
        counts.asked[key] += 1
        if key in counts.answered:
            counts.again += 1
            settled = (counts.marked or 0.0) - SETTLED_S
            counts.finished_again += counts.answered[key] < settled
        counts.first = counts.first or time.monotonic()
        counts.in_flight[model] += 1
        counts.peak[model] = max(counts.peak[model], counts.in_flight[model])
        try:
            await asyncio.sleep(self.latency_s)
            return await self._reply(request, key, counts, writer)
        finally:
            counts.in_flight[model] -= 1
            counts.last = time.monotonic()

    async def _reply(
        self, request: dict[str, Any], key: str, counts: Counts, writer: asyncio.StreamWriter
    ) -> bool:
        fault = self._fault()
        if fault:
            counts.faults[fault] += 1
        if fault == "reset":
            writer.transport.abort()
            return False
        if fault == "hang":
            await asyncio.sleep(self.hang_s)
            return False  # nobody listens any more: nothing was answered
        if fault == "badjson":
            return await _send(writer, 200, "<html>bad gateway</html>")
        if fault.isdigit():
            more = {"retry-after": "1"} if fault == "429" else {}
            return await _send(writer, int(fault), {"error": {"message": f"mock {fault}"}}, more)
        number = int(key[:8], 16)
        text = f"Look at the picture, then compare. The answer is {number % 10}."
        if request["model"] == "judge":
            score = number % 11 / 10
            text = json.dumps(
                {"rationale": "mock", "correct": score == 1.0, "steps": [], "score": score}
            )
        counts.answered.setdefault(key, time.monotonic())
        message = {"role": "assistant", "content": text}
        completion = {
            "id": "mock",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        return await _send(writer, 200, completion)

    def _fault(self) -> str:
        drawn, total = self.random.random(), 0.0
        for name, share in self.faults:
            total += share
            if drawn < total:
                return name
        return ""


async def _send(
    writer: asyncio.StreamWriter, status: int, body: Any, headers: dict[str, str] | None = None
) -> bool:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    kind = "text/html" if isinstance(body, str) else "application/json"
    lines = [f"HTTP/1.1 {status} x", f"content-type: {kind}", f"content-length: {len(raw)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + raw)
    await writer.drain()
    return True


class Endpoint:
    """The server in a process of its own, for as long as the ``with`` lasts."""

    def __init__(self, latency_s: float, faults: str = "", hang_s: float = 3600.0) -> None:
        command = [sys.executable, __file__, str(latency_s), faults, str(hang_s)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._root = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        self.url = f"{self._root}/v1"

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def stats(self, path: str = "stats") -> dict[str, Any]:
        """What was asked since the last reset."""
        with urllib.request.urlopen(f"{self._root}/{path}") as reply:
            found: dict[str, Any] = json.load(reply)
        return found

    def mark(self) -> dict[str, Any]:
        """From now on, count requests for what has been answered by now; the stats."""
        return self.stats("mark")

    def reset(self) -> None:
        """Count anew."""
        urllib.request.urlopen(f"{self._root}/reset").close()


async def main() -> None:
    """Serve until killed; the first line printed is the port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("latency", type=float)
    parser.add_argument("faults")
    parser.add_argument("hang", type=float)
    chosen = parser.parse_args()
    server = Server(chosen.latency, chosen.faults, chosen.hang, seed=0)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=1024, limit=2**26)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
