"""A judge that is a language model behind a model adapter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import JudgeError, ModelError, UsageError, nearest
from pytest_mmreason.judges import mm_vet, official_prompt, parsing, rubric
from pytest_mmreason.judges.base import INVALID, Ask, InvalidVerdict, JudgeTask
from pytest_mmreason.judges.official_prompt import OfficialPrompt
from pytest_mmreason.models.base import TRUNCATED, ModelAdapter, Request, Response
from pytest_mmreason.models.endpoint import shown
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

MAX_ASKS = 3
"""How often one verdict is asked for where the protocol allows no more: once, once sharper,
and with more room."""

_MORE_ROOM = 2048  # tokens, where no limit was set
_LIMITS = ("max_completion_tokens", "max_tokens")
_SHOWN = 120  # characters of a bad reply in the message

_PROBE = JudgeTask(Sample("id", "question", answer="answer", steps=("step",)), "response")


@dataclass(frozen=True)
class _Protocol:
    build: Callable[[JudgeTask, bool], Prompt]
    parse: Callable[[str, JudgeTask], Verdict]
    schema: Mapping[str, Any] | None
    temperatures: tuple[float, ...] = (0.0, 0.0)
    official: OfficialPrompt | None = None

    @cached_property
    def template_sha256(self) -> str:
        """Of the prompts for a fixed sample, and of the form that a reply must have."""
        rendered = [self.build(_PROBE, sharper).sha256 for sharper in (False, True)]
        return hashlib.sha256(json.dumps([rendered, self.schema]).encode()).hexdigest()


class LLMJudge:
    """Judges by asking a model: by rubric (InfiMM-Eval) or few-shot table (MM-Vet).

    adapter: the model.
    params:  generation parameters. Without a ``temperature`` among them it is the
             protocol's: 0, and under MM-Vet's rising after replies without a number; a
             given one holds for every ask. ``prompt`` is no parameter: it names the
             official MM-Vet evaluator, whose prompt is then used under that protocol.

    Raises UsageError if that file holds no prompt, or several.
    """

    cacheable = True

    reads_texts_only = True
    """Of a sample, question and reference: no image, no id."""

    def __init__(self, adapter: ModelAdapter, params: Mapping[str, Any]) -> None:
        self.adapter: ModelAdapter | None = adapter
        self._adapter = adapter
        self._params = dict(params)
        path = self._params.pop("prompt", None)
        official = None if path is None else official_prompt.read(Path(str(path)).expanduser())
        self._protocols = {
            "infimm-eval": _Protocol(rubric.build_prompt, rubric.parse, rubric.SCHEMA),
            "mm-vet": _Protocol(
                partial(mm_vet.build_prompt, official=official),
                mm_vet.parse,
                mm_vet.SCHEMA,
                mm_vet.TEMPERATURES,
                official,
            ),
        }
        self.name = adapter.name
        self.max_concurrency = adapter.max_concurrency
        self.offline = adapter.offline

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """Adapter, parameters, template, schema and protocol; enters the cache key.

        Raises UsageError for an unknown protocol.
        """
        rules = self._rules(protocol)
        return {
            "judge": "llm",
            "adapter": dict(self._adapter.identity),
            "params": {"temperature": rules.temperatures, **self._params},
            "template_sha256": rules.template_sha256,
            "parsing": parsing.VERSION,
            "protocol": protocol,
        }

    def provenance(self, protocol: str) -> dict[str, Any]:
        """How verdicts come about under `protocol`: prompt, temperature of each ask, parameters.

        ``prompt`` is ``own`` or the name of the file that the official one is from;
        ``prompt_sha256`` is of the official text, or of our own prompt for a fixed sample.
        Parameters with the name of a key, token or header are told without their value.
        """
        rules = self._rules(protocol)
        official = rules.official
        return {
            "protocol": protocol,
            "prompt": official.name if official else "own",
            "prompt_sha256": official.sha256 if official else rules.template_sha256,
            "params": shown({"temperature": list(rules.temperatures), **self._params}),
        }

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The model's verdict; `judge_model` is the name that its endpoint returned.

        A reply without a clear score is asked for again with a sharper prompt, as often as
        the protocol has temperatures; one cut by its token limit with twice the room. In
        all there are as many asks as temperatures, but at least MAX_ASKS. Raises
        JudgeError with the cause ``invalid verdict``, ``truncated``, ``refused``, or that
        of a failed call.
        """
        rules = self._rules(task.protocol)
        params = dict(self._params)
        invalid = 0
        failure: JudgeError | None = None
        for asked in range(1, max(MAX_ASKS, len(rules.temperatures)) + 1):
            request = Request(
                rules.build(task, invalid > 0),
                params={"temperature": rules.temperatures[invalid], **params},
                schema=rules.schema,
                sample=task.sample.id,
                benchmark=task.sample.benchmark,
                repeat=task.run,
            )
            try:
                response = await self._ask(ask, request)
            except JudgeError as error:
                if error.cause == TRUNCATED:
                    response = Response("", finish_reason="length")
                elif failure is None or error.cause not in ("400", "422"):
                    raise
                else:
                    # An endpoint may not take a temperature as high as that, or so much room.
                    invalid += 1
                    if invalid >= len(rules.temperatures) or params != self._params:
                        raise failure from error
                    continue
            if response.finish_reason == "content_filter":
                raise self._error(
                    "refused",
                    task,
                    f"the provider's content filter stopped the judge {self.name}",
                    "Judge this sample with another model.",
                    response,
                )
            if response.finish_reason == "length":
                limit = _limit(params)
                failure = self._error(
                    TRUNCATED,
                    task,
                    f"the reply of the judge {self.name} was cut by its token limit"
                    f" ({limit or 'the default of the endpoint'}) {_times(asked)}",
                    "Raise it with --mm-judge-param max_tokens=N.",
                    response,
                )
                _make_room(params, response.usage.get("completion_tokens", 0))
                continue
            try:
                if not response.answer:
                    raise InvalidVerdict("the reply is empty")
                verdict = rules.parse(response.answer, task)
            except InvalidVerdict as error:
                failure = self._error(
                    INVALID,
                    task,
                    f"the judge {self.name} gave no valid verdict in {_times(asked, 'ask')}"
                    f" ({error}); it replied {_shown(response.answer)}",
                    "Use a stronger judge model, or --mm-judge=local.",
                    response,
                )
                invalid += 1
                if invalid == len(rules.temperatures):
                    break
            else:
                return replace(verdict, judge_model=response.model)
        assert failure is not None
        raise failure

    async def aclose(self) -> None:
        """Close the adapter."""
        await self._adapter.aclose()

    async def _ask(self, ask: Ask, request: Request) -> Response:
        try:
            return await ask(request)
        except ModelError as error:
            raise JudgeError(
                f"judge {self.name}: {error}",
                cause=error.cause,
                retryable=error.retryable,
                fatal=error.fatal,
                retry_after_s=error.retry_after_s,
                detail=error.detail,
            ) from error

    def _rules(self, protocol: str) -> _Protocol:
        try:
            return self._protocols[protocol]
        except KeyError:
            raise UsageError(
                f"No judging protocol is named {protocol!r}. {nearest(protocol, self._protocols)}"
            ) from None

    def _error(
        self, cause: str, task: JudgeTask, what: str, remedy: str, response: Response
    ) -> JudgeError:
        message = f"Sample {task.sample.id!r}: {what}. {remedy}"
        return JudgeError(message, cause=cause, detail=response.text)


def _limit(params: Mapping[str, Any]) -> str | None:
    return next((f"{name}={params[name]}" for name in _LIMITS if name in params), None)


def _make_room(params: dict[str, Any], used: int) -> None:
    """Double the token limit in `params`, or set one above the `used` tokens."""
    for name in _LIMITS:
        value = params.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            params[name] = 2 * value
            return
    params["max_tokens"] = max(_MORE_ROOM, 2 * used)


def _times(count: int, noun: str = "time") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
