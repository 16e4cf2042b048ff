"""What every model adapter is and returns.

An adapter turns one :class:`Request` into one :class:`Response`. It makes one attempt:
retries, limits, timeouts and the cache belong to the engine, so that every adapter has
them alike. An LLM judge asks its questions through the same interface.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_mmreason.errors import CallError, ModelError
from pytest_mmreason.prompting import Prompt

if TYPE_CHECKING:
    from pytest_mmreason.imaging import LoadedImage

_REASONING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_REASONING_OPEN = re.compile(
    r"<think(?:ing)?>(?!.*</think(?:ing)?>).*\Z", re.DOTALL | re.IGNORECASE
)
_REASONING_CLOSE = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    prompt:  the rendered prompt.
    images:  the images of the prompt, loaded, in the order in which it names them.
    params:  generation parameters, as the endpoint names them.
    schema:  a JSON schema for the reply, where the caller can use structured output.
    sample, benchmark, repeat: whom the question is for; recorded answers are found by it.
    """

    prompt: Prompt
    images: Sequence[LoadedImage] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    sample: str = ""
    benchmark: str = ""
    repeat: int = 0


MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class Response:
    """One reply: `text` as it came, token counts, why it ended, and who answered.

    finish_reason: ``stop``, ``length`` or ``content_filter``, as OpenAI's API names them.
    usage:         ``prompt_tokens`` and ``completion_tokens`` where the endpoint tells.
    model:         the model's name as the endpoint returned it.
    """

    text: str
    finish_reason: str = "stop"
    usage: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def answer(self) -> str:
        """The text that is judged: what follows the model's closed reasoning block."""
        return strip_reasoning(self.text)

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` turns back into an equal response."""
        return {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "usage": dict(self.usage),
            "model": self.model,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Response:
        """The response that :meth:`to_json` wrote; ValueError if it is damaged."""
        if not isinstance(data.get("text"), str):
            raise ValueError("a response has a text")
        return cls(
            text=data["text"],
            finish_reason=str(data.get("finish_reason") or "stop"),
            usage={str(k): tokens(v) for k, v in dict(data.get("usage") or {}).items()},
            model=None if data.get("model") is None else str(data["model"]),
        )


def tokens(told: Any) -> int:
    """A number of tokens as it was told; 0 for None, and for what no call can have.

    Some endpoints say -1 where they do not know, which would lower the cost of others.
    """
    number = int(told or 0)
    return number if 0 <= number <= MOST_TOKENS else 0


def strip_reasoning(text: str) -> str:
    """`text` without its ``<think>`` blocks; "" if one was opened and never closed."""
    text = _REASONING.sub("", text)
    text = _REASONING_OPEN.sub("", text)
    return _REASONING_CLOSE.sub("", text).strip()


TRUNCATED = "truncated"
"""The cause of an error where a token limit left nothing of a reply."""


def cut_before_answer(name: str, usage: Mapping[str, int] | None = None) -> ModelError:
    """The error of a reply that reached the token limit with nothing in it to judge."""
    error = ModelError(
        f"{name} reached its token limit before any answer (finish_reason length); "
        "raise it with --mm-param max_tokens=N",
        cause=TRUNCATED,
    )
    error.usage = usage or {}
    return error


@runtime_checkable
class ModelAdapter(Protocol):
    """A model that the engine can ask.

    name:            what the summary calls it.
    identity:        everything that can change its text; enters the cache key.
    max_concurrency: calls at a time that it can take; None leaves it to the engine.
    wants_images:    False if images need not be opened for it (recorded answers).
    offline:         True if a call costs neither network nor tokens.
    cacheable:       False if its replies are not worth keeping (recorded answers).
    """

    name: str
    identity: Mapping[str, Any]
    max_concurrency: int | None
    wants_images: bool
    offline: bool
    cacheable: bool

    async def generate(self, request: Request) -> Response:
        """One attempt. Raises ModelError, or MissingPrediction from a recording."""
        ...

    async def aclose(self) -> None:
        """Let go of connections, threads and memory."""
        ...


@runtime_checkable
class BatchingModel(ModelAdapter, Protocol):
    """A model that computes several requests at once; the engine fills its batches.

    replicas:   batches that it can compute at a time (one on each GPU).
    batch_size: requests in a batch; None lets the engine find the size.
    detail:     what the summary's model line adds to the name: device, number format.

    :meth:`generate` asks it alone, where no engine is at hand. No timeout cuts a batch
    short: a local answer must not depend on how fast the machine is.
    """

    replicas: int
    batch_size: int | None

    @property
    def detail(self) -> str: ...

    def shape_of(self, request: Request) -> Hashable:
        """Requests of equal shape may share a batch: as many images, the same parameters."""
        ...

    async def load(self) -> None:
        """Be ready to compute; awaited before the first batch, and never without one.

        Raises UsageError or ModelError, which end the run.
        """
        ...

    async def prepare_batch(self, requests: Sequence[Request]) -> Any:
        """What :meth:`generate_batch` takes, made while an earlier batch still computes."""
        ...

    async def generate_batch(self, prepared: Any) -> Sequence[Response | CallError]:
        """The outcome of each request, in order. At most `replicas` of these run at a time.

        May raise anything: MemoryError (or what tells of memory that ran out) makes the
        batch smaller; after any other error the requests are tried one by one.
        """
        ...


async def generate_alone(model: BatchingModel, request: Request) -> Response:
    """A batch of one; raises the CallError that is its outcome."""
    await model.load()
    outcome = (await model.generate_batch(await model.prepare_batch([request])))[0]
    if isinstance(outcome, CallError):
        raise outcome
    return outcome
