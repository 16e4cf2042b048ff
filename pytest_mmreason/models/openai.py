"""``openai:NAME``: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, unquote, urlsplit

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.models.base import Request, Response, cut_before_answer, strip_reasoning
from pytest_mmreason.network import connect_error
from pytest_mmreason.prompting import Turn

if TYPE_CHECKING:
    import openai

PUBLIC_URL = "https://api.openai.com/v1"
_RENAMED = {"max_tokens": "max_completion_tokens"}
_CONNECT_TRIES = 3
_TELLING = 8
"""Characters of a long key that give it away where an endpoint repeats its beginning."""
_KEY = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{4,}")


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
        api_key_env: str = "OPENAI_API_KEY",
        timeout_s: float = 120.0,
        url_option: str = "--mm-base-url",
        key_option: str = "--mm-api-key-env",
        makes_calls: bool = True,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC_URL).rstrip("/")
        self._url_option = url_option
        self._shown_url = _without_secrets(self._base_url)
        parts = urlsplit(self._base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(
                f"{url_option} is {self._shown_url!r}; an http:// or https:// URL is needed"
            )
        # A key that was read from a file brings the file's last line break along.
        self._api_key = os.environ.get(api_key_env, "").strip()
        if not (self._api_key.isascii() and self._api_key.isprintable()):
            raise UsageError(
                f"the API key in {api_key_env} holds a character that no request can carry "
                "(a line break, or one outside ASCII); copy it anew"
            )
        if makes_calls and not self._api_key and parts.hostname == "api.openai.com":
            raise UsageError(
                f"openai:{model} needs an API key: the variable {api_key_env} is not set. Set it, name "
                f"another with {key_option}, or name an endpoint of your own with {url_option}."
            )
        self._secrets = _spellings(self._api_key, parts.username, parts.password)
        self._timeout_s = timeout_s
        self._client: openai.AsyncOpenAI | None = None
        self._reached = False
        self._answered = False
        self._dropped: dict[str, str | None] = {}
        self.notes: list[str] = []
        self.identity: Mapping[str, Any] = {
            "kind": "openai",
            "adapter": 1,
            "model": model,
            "base_url": self._base_url,
        }

    async def generate(self, request: Request) -> Response:
        """One request. ModelError tells the cause, and whether another try may help."""
        # Each pass may lose one parameter that the endpoint rejects by name.
        for _ in range(8):
            arguments = self._arguments(request)
            try:
                completion = await self._create(arguments)
            except Exception as error:
                if self._adapt(error, arguments):
                    continue
                self._raise(error)
            return self._response(completion)
        raise ModelError(f"{self.name} rejects one parameter after another", cause="400")

    def probe(self) -> None:
        """Connect to the endpoint and hang up: no request is made, nothing is billed.

        Raises UsageError where nobody answers. Behind a proxy nothing can be told.
        """
        error = connect_error(self._base_url)
        # Slow is not absent; the calls will tell.
        if error is not None and not isinstance(error, TimeoutError):
            raise UsageError(self._unreachable(error))

    def _unreachable(self, error: object) -> str:
        return (
            f"the endpoint {self._shown_url} of {self.name} cannot be reached ({error}). "
            f"Is the server running, and {self._url_option} right?"
        )

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    async def _create(self, arguments: dict[str, Any]) -> Any:
        import openai

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key or "none",
                max_retries=0,  # the engine retries, for every adapter alike
                timeout=self._timeout_s,
            )
        for attempt in range(_CONNECT_TRIES):
            try:
                completion = await self._client.chat.completions.create(**arguments)
            except openai.APITimeoutError:
                raise
            except openai.APIConnectionError as error:
                if self._reached or type(error.__cause__).__name__ != "ConnectError":
                    raise
                if attempt + 1 == _CONNECT_TRIES:
                    raise ModelError(
                        self._unreachable(error.__cause__),
                        cause="unreachable",
                        fatal=True,
                    ) from None
                await asyncio.sleep(0.25 * 2**attempt)
                continue
            except openai.APIStatusError:
                self._reached = True
                raise
            self._reached = self._answered = True
            return completion
        raise AssertionError("unreachable")

    def _arguments(self, request: Request) -> dict[str, Any]:
        images = iter(request.images)
        messages = [self._message(turn, images) for turn in request.prompt.turns]
        arguments: dict[str, Any] = {"model": self._model, "messages": messages}
        extra: dict[str, Any] = {}
        for key, value in request.params.items():
            name = self._dropped.get(key, key)
            if name is None:
                continue
            (arguments if name in _STANDARD else extra)[name] = value
        if request.schema is not None and "response_format" not in self._dropped:
            arguments["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": dict(request.schema)},
            }
        if extra:
            arguments["extra_body"] = extra
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
                content.append({"type": "image_url", "image_url": {"url": next(images).data_url}})
        return {"role": turn.role, "content": content}

    def _response(self, completion: Any) -> Response:
        """The response in a completion; ModelError if the 200 holds something else."""
        try:
            choice = completion.choices[0]
            text = choice.message.content or choice.message.refusal or ""
            finish = choice.finish_reason or "stop"
            usage = {
                key: int(getattr(completion.usage, key, None) or 0)
                for key in ("prompt_tokens", "completion_tokens")
            }
        except (AttributeError, IndexError, TypeError, ValueError):
            raise ModelError(
                f"{self.name} answered 200 with something that is no completion: "
                f"{self._scrub(repr(completion))[:200]}",
                cause="malformed reply",
                retryable=True,
            ) from None
        if not isinstance(text, str):
            text = str(text)
        if finish == "length" and not strip_reasoning(text):
            raise cut_before_answer(self.name)
        return Response(text, finish, usage, getattr(completion, "model", None))

    def _adapt(self, error: Exception, arguments: Mapping[str, Any]) -> bool:
        """True if `error` rejects a parameter by name, which is then renamed or left out."""
        if getattr(error, "status_code", None) not in {400, 422}:
            return False
        message = str(error)
        sent = [k for k in arguments if k not in {"model", "messages", "extra_body"}]
        sent += list(arguments.get("extra_body", ()))
        for name in sorted(sent, key=len, reverse=True):
            if not re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", message):
                continue
            if name in self._dropped:
                pass  # a call that was under way at the same time has found out
            elif name in _RENAMED and _RENAMED[name] in message:
                self._dropped[name] = _RENAMED[name]
                self.notes.append(f"{self.name} takes {_RENAMED[name]} instead of {name}")
            else:
                original = next((k for k, v in self._dropped.items() if v == name), name)
                self._dropped[original] = None
                self.notes.append(f"{self.name} rejects {name}; it was left out")
            return True
        return False

    def _raise(self, error: Exception) -> NoReturn:
        """Raise `error` as a ModelError that says what to do."""
        import openai

        if isinstance(error, ModelError):
            raise error
        status = getattr(error, "status_code", None)
        text = self._scrub(str(error))[:500]
        code = str(getattr(error, "code", "") or "")
        where = f"{self.name} at {self._shown_url}"
        if isinstance(error, openai.APITimeoutError):
            raise ModelError(
                f"{where}: no answer in time", cause="timeout", retryable=True
            ) from None
        # After an answer, a 403 or 404 is about one request: others may fare better.
        if status == 401 or (status == 403 and not self._answered):
            raise ModelError(
                f"{where} rejects the API key ({status}): {text}", cause=str(status), fatal=True
            ) from None
        if status == 404 and not self._answered:
            raise ModelError(
                f"{where}: no such model or path (404): {text}", cause="404", fatal=True
            ) from None
        if status == 429 and "insufficient_quota" in {code, getattr(error, "type", "")}:
            raise ModelError(
                f"{where}: the quota is used up (429): {text}", cause="quota", fatal=True
            ) from None
        if status == 429 or (status is not None and (status >= 500 or status in {408, 409})):
            raise ModelError(
                f"{where}: {status}: {text}",
                cause=str(status),
                retryable=True,
                retry_after_s=_retry_after_s(error),
            ) from None
        if code in {"content_filter", "content_policy_violation"}:
            raise ModelError(f"{where}: {text}", cause="content_filter") from None
        if status is not None:
            raise ModelError(f"{where}: {status}: {text}", cause=str(status)) from None
        cause = type(error.__cause__ or error).__name__
        raise ModelError(f"{where}: {cause}: {text}", cause=cause, retryable=True) from None

    def _scrub(self, text: str) -> str:
        """`text` without the API key, whole or as the endpoint abridges it."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        if len(self._api_key) > 2 * _TELLING:
            text = re.sub(rf"{re.escape(self._api_key[:_TELLING])}[\w*.…-]*", "***", text)
        return _KEY.sub("***", text)


def _sendable(text: str) -> str:
    """`text` with U+FFFD for half a surrogate pair, which no UTF-8 body can hold.

    Files hold them, and a model that was cut inside an emoji answers with one.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _spellings(key: str, user: str | None, password: str | None) -> list[str]:
    """Every way in which an error may repeat a key, or a password out of a URL; longest first."""
    plain = [key, *([password, unquote(password)] if password else [])]
    if password:
        login = f"{unquote(user or '')}:{unquote(password)}"
        plain.append(base64.b64encode(login.encode()).decode("ascii"))
    found = {way(text) for text in plain if text for way in _WAYS}
    return sorted(found, key=len, reverse=True)


def _without_secrets(url: str) -> str:
    """`url` as it may be shown: a password or a key may stand before its host or in its query."""
    return re.sub(r"^(\w+://)?[^/@]*@", r"\1***@", url.partition("?")[0])


_WAYS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: repr(text)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    lambda text: quote(text, safe=""),
    html.escape,
)

_STANDARD = frozenset(
    [
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "n",
        "logit_bias",
        "logprobs",
        "top_logprobs",
        "reasoning_effort",
        "verbosity",
        "service_tier",
        "user",
    ]
)
"""Parameters of OpenAI's own API; others (top_k, min_p …) go into the request as they are."""


def _retry_after_s(error: Exception) -> float | None:
    """Seconds that the reply's Retry-After asks for, or None."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", {})
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, ""))
        except ValueError:
            continue
        if 0 <= value * scale <= 3600:
            return value * scale
    return None
