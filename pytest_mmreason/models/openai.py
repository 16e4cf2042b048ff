"""``openai:NAME``: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.models import rejections
from pytest_mmreason.models.base import (
    Request,
    Response,
    cut_before_answer,
    strip_reasoning,
    tokens,
)
from pytest_mmreason.models.endpoint import Endpoint, Reply, shown, without_secrets
from pytest_mmreason.models.rejections import Rejection
from pytest_mmreason.network import connect_error
from pytest_mmreason.prompting import Turn

PUBLIC_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_RENAMED = {"max_tokens": "max_completion_tokens"}
_CONNECT_TRIES = 3
_PASSING = frozenset([408, 409, 429])
"""Statuses below 500 that another try may mend."""


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    name:        the spec, ``openai:NAME``.
    base_url:    the endpoint; None reads OPENAI_BASE_URL, then the public one.
    api_key_env: the variable that holds the key. Any string is a valid key, and none is
                 needed but for the public endpoint.
    makes_calls: False where the cache alone answers; then no key is needed.

    Raises UsageError where the public endpoint is meant and the variable is not set.
    """

    wants_images = True
    offline = False
    cacheable = True
    max_concurrency: int | None = None

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_env: str = KEY_VARIABLE,
        timeout_s: float = 120.0,
        url_option: str = "--mm-base-url",
        key_option: str = "--mm-api-key-env",
        makes_calls: bool = True,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._is_given = bool(base_url or os.environ.get("OPENAI_BASE_URL"))
        base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC_URL).strip()
        if "?" not in base_url:
            base_url = base_url.rstrip("/")  # both spellings are one endpoint to the cache
        self._url_option = url_option
        host = _host(base_url, url_option)
        # A key that was read from a file brings the file's last line break along.
        api_key = os.environ.get(api_key_env, "").strip()
        if not (api_key.isascii() and api_key.isprintable()):
            raise UsageError(
                f"the API key in {api_key_env} holds a character that no request can carry "
                "(a line break, or one outside ASCII); copy it anew"
            )
        if makes_calls and not api_key and host == "api.openai.com":
            raise UsageError(
                f"openai:{model} needs an API key: the variable {api_key_env} is not set. Set it, name "
                f"another with {key_option}, or name an endpoint of your own with {url_option}."
            )
        if makes_calls and api_key_env != KEY_VARIABLE and api_key_env not in os.environ:
            raise UsageError(
                f"{key_option} names {api_key_env}, and that variable is not set. Set it, or leave "
                "the option out where the endpoint wants no key."
            )
        self._key = (
            f"the API key in {api_key_env}"
            if api_key
            else f"a call without an API key (the variable {api_key_env} is not set)"
        )
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout_s=timeout_s)
        self._reached = False
        self._answered = False
        self._dropped: dict[str, str | None] = {}
        self.notes: list[str] = []
        self.identity: Mapping[str, Any] = {
            "kind": "openai",
            "adapter": 1,
            "model": model,
            "base_url": base_url,
        }

    async def generate(self, request: Request) -> Response:
        """One request. ModelError tells the cause, and whether another try may help."""
        # Each pass may lose one parameter that the endpoint rejects by name.
        for _ in range(8):
            arguments = self._arguments(request)
            reply = await self._post(arguments)
            if reply.status < 300:
                return self._response(reply.body)
            rejection = self._rejection(reply, arguments)
            if rejection is None or rejection.by_value:
                self._refused(reply, rejection and rejection.name, arguments)
            self._adapt(rejection.name, reply)
        raise ModelError(f"{self.name} rejects one parameter after another", cause="400")

    def probe(self) -> None:
        """Connect to the endpoint and hang up: no request is made, nothing is billed.

        Raises UsageError where nobody answers. Behind a proxy nothing can be told.
        """
        error = connect_error(self._endpoint.url)
        # Slow is not absent; the calls will tell.
        if error is not None and not isinstance(error, TimeoutError):
            raise UsageError(self._unreachable(error))

    def _unreachable(self, error: object) -> str:
        return (
            f"the endpoint {self._endpoint.shown} of {self.name} cannot be reached "
            f"({self._endpoint.scrub(str(error))}). "
            + (
                f"Is the server running, and {self._url_option} right?"
                if self._is_given
                else f"It is the default, as {self._url_option} was not given."
            )
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    async def _post(self, arguments: Mapping[str, Any]) -> Reply:
        """The endpoint's reply; ModelError where none came."""
        import aiohttp

        where = f"{self.name} at {self._endpoint.shown}"
        for attempt in range(_CONNECT_TRIES):
            try:
                reply = await self._endpoint.post("/chat/completions", arguments)
            except TimeoutError:
                raise ModelError(
                    f"{where}: no answer within {self._endpoint.timeout_s:g} s (--mm-timeout)",
                    cause="timeout",
                    retryable=True,
                ) from None
            except (aiohttp.ClientResponseError, aiohttp.InvalidURL) as error:
                # A redirect that goes round, a proxy that wants a login, a reply that is no HTTP.
                text = self._endpoint.scrub(str(error))[:500]
                raise ModelError(
                    f"{where}: {type(error).__name__}: {text}. Is {self._url_option} right, and "
                    "the proxy, if there is one?",
                    cause="no endpoint",
                    retryable=self._answered,
                    fatal=not self._answered,
                ) from None
            except (aiohttp.ClientError, OSError) as error:
                connected = not isinstance(error, aiohttp.ClientConnectorError)
                if self._reached or connected:
                    text = self._endpoint.scrub(str(error))[:500] or type(error).__name__
                    raise ModelError(
                        f"{where}: the connection was lost: {text}",
                        cause="connection lost" if connected else "no connection",
                        retryable=True,
                    ) from None
                if attempt + 1 == _CONNECT_TRIES:
                    raise ModelError(
                        self._unreachable(error), cause="unreachable", fatal=True
                    ) from None
                await asyncio.sleep(0.25 * 2**attempt)
                continue
            self._reached = True
            self._answered = self._answered or reply.status < 300
            return reply
        raise AssertionError("unreachable")

    def _arguments(self, request: Request) -> dict[str, Any]:
        images = iter(request.images)
        messages = [self._message(turn, images) for turn in request.prompt.turns]
        arguments: dict[str, Any] = {"model": self._model, "messages": messages}
        for key, value in request.params.items():
            name = self._dropped.get(key, key)
            if name is not None:
                arguments[name] = value
        if request.schema is not None and "response_format" not in self._dropped:
            arguments["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": dict(request.schema)},
            }
        if rejections.SYSTEM in self._dropped and messages[0]["role"] == "system":
            arguments["messages"] = _without_system(messages)
        return arguments

    @staticmethod
    def _message(turn: Turn, images: Any) -> dict[str, Any]:
        if all(isinstance(part, str) for part in turn.parts):
            return {"role": turn.role, "content": _sendable(turn.text)}
        content: list[dict[str, Any]] = []
        for part in turn.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": _sendable(part)})
            else:
                # The endpoint makes a URL of it where the body is written: not one more copy.
                content.append({"type": "image_url", "image_url": {"url": next(images)}})
        return {"role": turn.role, "content": content}

    def _response(self, completion: Any) -> Response:
        """The response in a completion; ModelError if the 200 holds something else."""
        try:
            choice = completion["choices"][0]
            message = choice["message"]
            text = message.get("content") or message.get("refusal") or ""
            finish = choice.get("finish_reason") or "stop"
            used = completion.get("usage") or {}
            usage = {key: tokens(used.get(key)) for key in ("prompt_tokens", "completion_tokens")}
            served_as = completion.get("model")
            if isinstance(text, list):
                text = "".join(part["text"] for part in text if part.get("type") == "text")
        except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError):
            raise ModelError(
                f"{self.name} at {self._endpoint.shown} answered with something that is no completion: "
                f"{self._endpoint.scrub(repr(completion))[:200]}. Is {self._url_option} right, which "
                "often ends in /v1?",
                cause="malformed reply",
                retryable=True,
            ) from None
        if not isinstance(text, str):
            text = str(text)
        if finish == "length" and not strip_reasoning(text):
            raise cut_before_answer(self.name, usage)
        return Response(text, str(finish), usage, str(served_as) if served_as else None)

    def _rejection(self, reply: Reply, arguments: Mapping[str, Any]) -> Rejection | None:
        """What `reply` rejects of a call, if it is a parameter or a turn."""
        if reply.status not in {400, 422}:
            return None
        sent = {key for key in arguments if key not in {"model", "messages"}}
        if arguments["messages"][0]["role"] == "system":
            sent.add(rejections.SYSTEM)
        return rejections.read(rejections.text_of(reply.body, reply.message), sent)

    def _adapt(self, name: str, reply: Reply) -> None:
        """Rename or leave out a parameter that the endpoint does not know, from now on."""
        if name in self._dropped:
            return  # a call that was under way at the same time has found out
        if name in _RENAMED and _RENAMED[name] in reply.message:
            self._dropped[name] = _RENAMED[name]
            self.notes.append(f"{self.name} takes {_RENAMED[name]} instead of {name}")
            return
        original = next((k for k, v in self._dropped.items() if v == name), name)
        self._dropped[original] = None
        self.notes.append(
            f"{self.name} takes no system turn; its text goes before the question"
            if name == rejections.SYSTEM
            else f"{self.name} rejects {name}; it was left out"
        )

    def _refused(self, reply: Reply, name: str | None, arguments: Mapping[str, Any]) -> NoReturn:
        """Raise a reply that is no success as a ModelError that says what to do.

        name: the parameter whose value it rejects, if it does.
        """
        status, where = reply.status, f"{self.name} at {self._endpoint.shown}"
        text = self._endpoint.scrub(reply.message)[:500]
        code, kind = (str(reply.error.get(field) or "") for field in ("code", "type"))
        # After an answer, a 403 or 404 is about one request: others may fare better.
        if status == 401 or (status == 403 and not self._answered):
            raise ModelError(
                f"{where} rejects {self._key} ({status}): {text}", cause=str(status), fatal=True
            )
        if status == 404 and not self._answered:
            raise ModelError(
                f"{where}: no such model or path (404): {text}. Calls go to "
                f"{self._endpoint.shown}/chat/completions: is the model's name right, and the path in "
                f"{self._url_option}, which often ends in /v1?",
                cause="404",
                fatal=True,
            )
        if status == 429 and "insufficient_quota" in {code, kind}:
            raise ModelError(
                f"{where}: the quota is used up (429): {text}", cause="quota", fatal=True
            )
        if code in {"content_filter", "content_policy_violation"} and status not in _PASSING:
            raise ModelError(f"{where}: {text}", cause="content_filter")
        if name is not None:
            option = self._url_option.replace("base-url", "param")
            given = self._endpoint.scrub(repr(shown({name: arguments[name]})[name]))[:80]
            raise ModelError(
                f"{where} does not take {name}={given} ({status}): {text}. Another value can be "
                f"given with {option} {name}=VALUE",
                cause=str(status),
            )
        raise ModelError(
            f"{where}: {status}: {text}",
            cause=str(status),
            retryable=status in _PASSING or status >= 500,
            retry_after_s=reply.retry_after_s,
        )


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`messages` with the system turn's text before the first of the others."""
    system, first, *more = messages
    contents = system["content"], first["content"]
    if all(isinstance(content, str) for content in contents):
        return [{**first, "content": "\n\n".join(contents)}, *more]
    parts = [[{"type": "text", "text": c}] if isinstance(c, str) else c for c in contents]
    return [{**first, "content": [*parts[0], *parts[1]]}, *more]


def _sendable(text: str) -> str:
    """`text` with U+FFFD for half a surrogate pair, which no UTF-8 body can hold.

    Files hold them, and a model that was cut inside an emoji answers with one.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def check_params(option: str, params: Mapping[str, Any]) -> None:
    """UsageError for a parameter that would take the place of what is asked, or of the reply."""
    for name in ("messages", "model", "stream"):
        if name in params:
            raise UsageError(f"{option} {name}=...: an openai: call has a {name} of its own")


def _host(url: str, option: str) -> str:
    """The host in `url`; UsageError, naming `option`, where it is no URL of a server."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is no number
        if parts.scheme in {"http", "https"} and parts.hostname:
            return parts.hostname
    except ValueError:
        pass
    raise UsageError(f"{option} is {without_secrets(url)!r}; an http:// or https:// URL is needed")
