"""An HTTP endpoint that takes JSON and answers with JSON, and what of it may be shown."""

from __future__ import annotations

import base64
import html
import io
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

import pytest_mmreason
from pytest_mmreason.network import proxy_for

if TYPE_CHECKING:
    import aiohttp

    from pytest_mmreason.imaging import LoadedImage

_TELLING = 8
"""Characters of a long key that give it away where an endpoint repeats its beginning."""
_LEAST_SECRET = 4
"""Characters; what is shorter stands in every second word, and keeps no secret."""
_MOST_HEADER = 65_536
"""Bytes of one header of a reply; a content security policy fills some thousands."""
_LONGEST_PAUSE_S = 3600.0
"""A run waits no longer than that for an endpoint to take calls again."""
_KEY = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{4,}")

_ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
"""Headers that OpenAI's own clients send where these variables are set."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered.

    body: the JSON in it, or its text where it holds none.
    """

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def error(self) -> Mapping[str, Any]:
        """The error object in OpenAI's form; empty where there is none."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return error if isinstance(error, dict) else {}

    @property
    def message(self) -> str:
        """What the endpoint says was wrong, in its own words."""
        # vLLM writes the fields of the error side by side with "object".
        flat = self.body if isinstance(self.body, dict) else {}
        for message in (self.error.get("message"), flat.get("message"), flat.get("detail")):
            if isinstance(message, str) and message:
                return message
        return self.body if isinstance(self.body, str) else json.dumps(self.body)

    @property
    def retry_after_s(self) -> float | None:
        """Seconds that Retry-After asks for; None where it asks for none, or for too many."""
        asked = self._asked_pause_s
        return asked if asked is not None and asked <= _LONGEST_PAUSE_S else None

    @property
    def for_hours(self) -> bool:
        """True if Retry-After asks for a longer pause than a run would make."""
        asked = self._asked_pause_s
        return asked is not None and asked > _LONGEST_PAUSE_S

    @property
    def _asked_pause_s(self) -> float | None:
        for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            value = self.headers.get(name, "")
            try:
                pause = float(value) * scale
            except ValueError:
                try:
                    # The header's other form, a date; one in the past says nothing.
                    pause = parsedate_to_datetime(value).timestamp() - time.time()
                except (ValueError, TypeError, OverflowError):
                    continue
            if 0 <= pause < math.inf:
                return pause
        return None


class Endpoint:
    """Connections to one URL, kept open between calls; use it from one event loop.

    url:       begins every path that is asked; may hold a user and a password, and a query.
    api_key:   sent as a bearer token, unless the URL holds a user.
    timeout_s: seconds that one call may take, connecting included.

    `shown` is the URL as it may be printed.
    """

    def __init__(self, url: str, *, api_key: str, timeout_s: float) -> None:
        parts = urlsplit(url)
        self.url = url
        self.shown = without_secrets(url)
        self._parts = parts._replace(
            netloc=parts.netloc.rpartition("@")[2], path=parts.path.rstrip("/")
        )
        self._api_key = api_key
        self._proxy = proxy_for(url)
        self._headers = {
            "Authorization": f"Bearer {api_key or 'none'}",
            "User-Agent": f"pytest-mmreason/{pytest_mmreason.__version__}",
            "Content-Type": "application/json",
        }
        if parts.username:
            self._headers["Authorization"] = f"Basic {_login(parts.username, parts.password)}"
        accounts = {header: os.environ.get(name, "").strip() for name, header in _ACCOUNT.items()}
        self._headers |= {header: value for header, value in accounts.items() if value}
        self.timeout_s = timeout_s
        self._session: aiohttp.ClientSession | None = None
        proxy = urlsplit(self._proxy or "")
        self._secrets = _spellings(
            [api_key, *(value for _, value in parse_qsl(parts.query))],
            [(parts.username, parts.password), (proxy.username, proxy.password)],
        )

    async def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """The reply to `body`, JSON in which an image stands for its ``data:`` URL, whatever its
        status.

        Raises aiohttp.ClientError (of it, ClientConnectorError where no connection was made)
        and TimeoutError.
        """
        from yarl import URL

        session = self._session or self._open()
        url = urlunsplit(self._parts._replace(path=self._parts.path + path))
        # In one piece a body of megabytes would hold up every other call while it is sent.
        data = io.BytesIO(json.dumps(body, default=_data_url).encode("ascii"))
        # The headers belong to the call: those of a session are told to a proxy, too.
        call = session.post(URL(url, encoded=True), data=data, headers=self._headers)
        async with call as response:
            if response.method != "POST":
                # A redirect made a GET of the call: what came is no answer to the question.
                lost = response.history[0]
                return Reply(lost.status, lost.headers, "")
            text = (await response.read()).decode("utf-8-sig", "replace")
            return Reply(response.status, response.headers, _parsed(text))

    def _open(self) -> aiohttp.ClientSession:
        import aiohttp

        self._session = aiohttp.ClientSession(
            # The engine's pools are the limit.
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=self.timeout_s if math.isfinite(self.timeout_s) else None
            ),
            max_line_size=_MOST_HEADER,
            max_field_size=_MOST_HEADER,
            # Its own reading of the environment would take logins from ~/.netrc along.
            proxy=self._proxy,
        )
        return self._session

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def scrub(self, text: str) -> str:
        """`text` without the API key, whole or as the endpoint abridges it, and without
        passwords."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        if len(self._api_key) > 2 * _TELLING:
            text = re.sub(rf"{re.escape(self._api_key[:_TELLING])}[\w*.…-]*", "***", text)
        return _KEY.sub("***", text)


def _data_url(image: LoadedImage) -> str:
    return image.data_url


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _login(user: str, password: str | None) -> str:
    login = f"{unquote(user)}:{unquote(password or '')}"
    return base64.b64encode(login.encode("utf-8")).decode("ascii")


def _spellings(keys: Iterable[str], logins: Iterable[tuple[str | None, str | None]]) -> list[str]:
    """Every way in which an error may repeat a key, or a login of a URL; longest first.

    logins: (user, password) as they stand in the URL; a user without a password is a token.
    """
    plain = list(keys)
    for user, password in logins:
        if secret := password or user:
            plain += [secret, unquote(secret), _login(user or "", password)]
    found = {way(text) for text in plain if len(text) >= _LEAST_SECRET for way in _WAYS}
    return sorted(found, key=len, reverse=True)


def without_secrets(url: str) -> str:
    """`url` as it may be shown: a password or a key may stand before its host or in its query."""
    return re.sub(r"^(\w+://)?.*@", r"\1***@", url, flags=re.DOTALL).partition("?")[0]


_SECRET_NAME = re.compile(
    r"header|cookie|secret|passw|credential|authori[sz]|bearer|(?:^|[\W_])auth(?:$|[\W_])"
    r"|(?:^|[\W_]|api|access|private)(?:key|token)$",
    re.IGNORECASE,
)


def shown(params: Mapping[str, Any]) -> dict[str, Any]:
    """`params` as they may be shown: ``***`` for what has the name of a key, token or header.

    Objects and lists in them are gone through too.
    """
    return {
        name: "***" if _SECRET_NAME.search(str(name)) else _shown_value(value)
        for name, value in params.items()
    }


def _shown_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return shown(value)
    return [_shown_value(each) for each in value] if isinstance(value, list) else value


_WAYS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: repr(text)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    lambda text: quote(text, safe=""),
    html.escape,
)
