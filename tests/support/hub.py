"""A stand-in of the Hugging Face hub on 127.0.0.1, with the faults that tests script."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "8ce15108c0b55c67200eb96601ba2bb98183ff65"


@dataclass
class StandIn:
    """One data set.

    files:    path -> content. large: paths that are told with a SHA-256, as LFS files are.
    cut:      path -> bytes after which each reply drops the connection, one entry a reply.
    resets:   whether a dropped connection is reset.
    status:   what every request gets instead of an answer; codes are the hub's error names.
    wrong:    paths of which another hash is told than their own.
    token:    the token that is asked for, if any.
    elsewhere: where files are redirected to, as the hub's large files are.
    asked:    (path, Range, Authorization) of each request.
    """

    repository: str
    files: dict[str, bytes]
    license: str = "cc-by-nc-4.0"
    large: tuple[str, ...] = ()
    cut: dict[str, list[int]] = field(default_factory=dict)
    resets: bool = False
    status: int = 0
    code: str = ""
    wrong: tuple[str, ...] = ()
    token: str = ""
    elsewhere: str = ""
    html: bool = False
    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    url: str = ""

    def fetched(self) -> list[tuple[str, str | None]]:
        """(path, Range) of the requests for a file's content."""
        found = [(p.partition(f"/{COMMIT}/")[2], r) for p, r, _ in self.asked]
        return [(path, range_) for path, range_ in found if path]

    def info(self) -> dict[str, object]:
        """What the hub says of the data set."""
        siblings = []
        for path, data in self.files.items():
            told = data + b"!" if path in self.wrong else data
            git = hashlib.sha1(f"blob {len(data)}\0".encode() + told).hexdigest()
            sibling: dict[str, object] = {"rfilename": path, "size": len(data), "blobId": git}
            if path in self.large:
                sha = hashlib.sha256(told).hexdigest()
                sibling["lfs"] = {"size": len(data), "sha256": sha, "pointerSize": 134}
            siblings.append(sibling)
        return {
            "id": self.repository,
            "sha": COMMIT,
            "siblings": siblings,
            "cardData": {"license": self.license},
            "private": False,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
        }


@contextmanager
def serving(hub: StandIn) -> Iterator[StandIn]:
    """Serve `hub`, whose `url` is set."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            pass

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            if "/datasets/" in path:  # the library asks other things for itself
                hub.asked.append((path, self.headers["Range"], self.headers["Authorization"]))
            if hub.status or (hub.token and self.headers["Authorization"] != f"Bearer {hub.token}"):
                self._send(hub.status or 401, b"{}", {"X-Error-Code": hub.code} if hub.code else {})
            elif hub.html:
                self._send(200, b"<html>please sign in</html>", {})
            elif path.startswith(f"/api/datasets/{hub.repository}/revision/"):
                self._send(200, json.dumps(hub.info()).encode(), {})
            elif path.partition(f"/{COMMIT}/")[2] in hub.files:
                self._file(path.partition(f"/{COMMIT}/")[2])
            else:
                self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

        def _file(self, name: str) -> None:
            if hub.elsewhere:
                self._send(302, b"", {"Location": hub.elsewhere + self.path})
                return
            data = hub.files[name]
            start = int((self.headers["Range"] or "bytes=0-")[6:].rstrip("-"))
            rest = data[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            if hub.cut.get(name):
                self.wfile.write(rest[: hub.cut[name].pop(0)])
                self.wfile.flush()
                self.close_connection = True
                if hub.resets:
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                return
            self.wfile.write(rest)

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
