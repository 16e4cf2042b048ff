"""The HTTP side of an endpoint: what is sent where, and by which way."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import aiohttp
import pytest

from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.endpoint import Endpoint, Reply, without_secrets
from pytest_mmreason.network import proxy_for

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "OPENAI_ORG_ID")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


class Listener:
    """Answers every POST, and remembers its target, headers and body."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        self.headers: list[Any] = []
        self.bodies: list[bytes] = []
        self.reply = b'{"a": 1}'
        self.more: dict[str, str] = {}
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                listener.targets.append(self.path)
                listener.headers.append(self.headers)
                listener.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.send_header("content-length", str(len(listener.reply)))
                for name, value in listener.more.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(listener.reply)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.host = f"127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.server.shutdown()
    made.server.server_close()


def post(url: str, body: dict[str, Any], times: int = 1, key: str = "k") -> Reply:
    async def course() -> Reply:
        endpoint = Endpoint(url, api_key=key, timeout_s=20.0)
        try:
            replies = [await endpoint.post("/chat/completions", body) for _ in range(times)]
            return replies[-1]
        finally:
            await endpoint.aclose()

    return asyncio.run(course())


def test_a_body_of_megabytes_arrives_whole(listener: Listener) -> None:
    body = {"image": "A" * 7_000_000, "text": "é \ud83d"}
    assert post(f"http://{listener.host}/v1", body).body == {"a": 1}
    assert len(listener.bodies[0]) > 7_000_000
    assert listener.bodies[0].isascii(), "half a surrogate pair is no UTF-8"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://{}/v1", "/v1/chat/completions"),
        ("http://{}", "/chat/completions"),
        ("http://{}/a/v1/", "/a/v1/chat/completions"),
        ("http://{}/v1?api-version=3&b=%2F", "/v1/chat/completions?api-version=3&b=%2F"),
    ],
)
def test_the_path_comes_before_the_query(listener: Listener, url: str, target: str) -> None:
    post(url.format(listener.host), {})
    assert listener.targets == [target]


def test_a_user_in_the_url_logs_in_in_place_of_the_key(listener: Listener) -> None:
    post(f"http://me:p%40ss@{listener.host}/v1", {})
    login = base64.b64encode(b"me:p@ss").decode()
    assert listener.headers[0]["authorization"] == f"Basic {login}"


def test_headers_say_who_asks(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    post(f"http://{listener.host}/v1", {}, key="secret")
    (headers,) = listener.headers
    assert headers["authorization"] == "Bearer secret"
    assert headers["openai-organization"] == "org-1"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("pytest-mmreason/")
    assert headers["openai-project"] is None


@pytest.mark.parametrize(
    ("raw", "body"),
    [(b"<p>\xff</p>", "<p>\ufffd</p>"), (b"", ""), (b"[" * 100_000, "[" * 100_000), (b"3", 3)],
    ids=["no JSON", "nothing", "nested too deeply", "a number"],
)
def test_whatever_comes_back_is_told(listener: Listener, raw: bytes, body: object) -> None:
    listener.reply = raw
    reply = post(f"http://{listener.host}/v1", {})
    assert (reply.status, reply.body, reply.error) == (200, body, {})


def test_a_proxy_of_the_environment_is_used_with_its_password(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://me:word@{listener.host}")
    assert post("http://models.example/v1", {}, times=2).body == {"a": 1}
    assert listener.targets == ["http://models.example/v1/chat/completions"] * 2
    login = base64.b64encode(b"me:word").decode()
    assert listener.headers[0]["proxy-authorization"] == f"Basic {login}"
    endpoint = Endpoint("http://models.example/v1", api_key="", timeout_s=1.0)
    assert endpoint.scrub(f"proxy says word and {login}") == "proxy says *** and ***"


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({}, "http://a/v1", None),
        ({"HTTPS_PROXY": "http://p:1"}, "http://a/v1", None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://a/v1", "http://p:1"),
        ({"HTTP_PROXY": "p:1"}, "http://a/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "https://a/v1", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "a,b"}, "http://b/v1", None),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, proxy: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name.lower(), value)
    assert proxy_for(url) == proxy


def test_logins_of_netrc_are_left_alone(
    listener: Listener, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password word\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    post(f"http://{listener.host}/v1", {})
    assert listener.headers[0]["authorization"] == "Bearer k"


def test_a_proxy_in_front_of_tls_hears_nothing_but_the_host(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[bytes] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            heard.append(f"{self.requestline}\n{self.headers}".encode())
            self.send_error(407)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    with pytest.raises(aiohttp.ClientError):
        post("https://models.example/v1", {}, key="sk-secret")
    server.shutdown()
    server.server_close()
    (request,) = heard
    assert request.startswith(b"CONNECT models.example:443")
    assert b"secret" not in request and b"org-private" not in request


def test_a_reply_with_a_long_header_is_a_reply(listener: Listener) -> None:
    listener.more = {"content-security-policy": "x" * 20_000}
    assert post(f"http://{listener.host}/v1", {}).body == {"a": 1}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:word@host/v1?key=word", "http://***@host/v1"),
        ("http://me:wo/rd@host/v1", "http://***@host/v1"),
        ("http://me:wo?rd@host/v1", "http://***@host/v1"),
        ("http://me:wo@rd@host:99999/v1", "http://***@host:99999/v1"),
        ("http://host/v1", "http://host/v1"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert without_secrets(url) == shown


def test_every_secret_of_a_url_is_scrubbed_and_ordinary_letters_are_not() -> None:
    endpoint = Endpoint("http://token@h/v1?api-key=query", api_key="k", timeout_s=1.0)
    login = base64.b64encode(b"token:").decode()
    assert endpoint.scrub(f"bad key token query {login}") == "bad key *** *** ***"


def test_a_proxy_that_speaks_no_http_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(UsageError, match=r"socks5:// .*HTTPS_PROXY"):
        Endpoint("https://models.example/v1", api_key="", timeout_s=1.0)
