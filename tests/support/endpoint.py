"""A scripted OpenAI-compatible endpoint on 127.0.0.1, for tests."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the endpoint answers to one request.

    body replaces the completion (a str is sent as it is); reset drops the connection.
    """

    text: str | None = "ok"
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    delay_s: float = 0.0
    reset: bool = False

    @classmethod
    def error(cls, status: int, message: str = "mock", **headers: str) -> Reply:
        """An error body in OpenAI's form; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(
            status=status, headers=named, body={"error": {"message": message, "type": "mock"}}
        )


Script = Callable[[dict[str, Any], int], Reply | str | None]
"""(request body, how often this very request was seen before) -> the reply."""


class Endpoint:
    """Answers chat completions by a script and remembers every request.

    requests: bodies in order of arrival. peak: most requests under way at once, by model.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script or (lambda body, seen: "ok")
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.peak: dict[str, int] = {}
        self._under_way: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                endpoint._handle(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128  # the default of 5 resets connections that come at once

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        """The base URL for ``--mm-base-url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def calls(self, model: str) -> list[dict[str, Any]]:
        """The requests to one model."""
        return [body for body in self.requests if body.get("model") == model]

    @property
    def repeats(self) -> int:
        """Requests that had been made before, byte for byte."""
        return sum(count - 1 for count in self._seen.values())

    def reset(self) -> None:
        """Forget every request so far."""
        with self._lock:
            self.requests.clear()
            self.authorizations.clear()
            self.peak.clear()
            self._seen.clear()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        body = json.loads(raw)
        model = body.get("model", "")
        with self._lock:
            seen = self._seen.get(raw.decode(), 0)
            self._seen[raw.decode()] = seen + 1
            self.requests.append(body)
            self.authorizations.append(handler.headers.get("authorization"))
            self._under_way[model] = self._under_way.get(model, 0) + 1
            self.peak[model] = max(self.peak.get(model, 0), self._under_way[model])
        try:
            found = self.script(body, seen)
            reply = found if isinstance(found, Reply) else Reply(text=found)
            time.sleep(reply.delay_s)
            self._send(handler, reply, model)
        finally:
            with self._lock:
                self._under_way[model] -= 1

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, reply: Reply, model: str) -> None:
        if reply.reset:
            handler.close_connection = True
            handler.connection.close()
            return
        body = reply.body
        if body is None:
            body = {
                "id": "mock",
                "object": "chat.completion",
                "created": 0,
                "model": f"{model}-2026",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": reply.finish,
                        "message": {"role": "assistant", "content": reply.text},
                    }
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
            }
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/html" if isinstance(body, str) else "application/json"
        handler.send_response(reply.status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(raw)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        with contextlib.suppress(OSError):
            handler.wfile.write(raw)


def question_of(body: dict[str, Any]) -> str:
    """The text of a request's last message."""
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def image_urls(body: dict[str, Any]) -> list[str]:
    """The image URLs of a request, in order."""
    parts = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
    return [p["image_url"]["url"] for content in parts for p in content if p["type"] == "image_url"]
