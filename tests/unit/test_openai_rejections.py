"""A parameter that an endpoint does not know is left out; a value that it does not take is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pytest_mmreason.errors import JudgeError, ModelError
from pytest_mmreason.judges.base import JudgeTask
from pytest_mmreason.judges.llm import LLMJudge
from pytest_mmreason.models import rejections
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.openai import OpenAIModel
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import Sample
from tests.support.endpoint import Endpoint, Reply

SENT = ("temperature", "max_tokens", "top_k", "stop", "n", "response_format", "system")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
        (
            "The provided JSON schema contains features not supported by xgrammar.",
            "response_format",
        ),
        (
            "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
            "default (1) value is supported.",
            "temperature",
        ),
        ("temperature: Extra inputs are not permitted", "temperature"),
        ("temperature is not a valid parameter", "temperature"),
        ("Unrecognized request argument supplied: top_k", "top_k"),
        ("Unrecognized request argument supplied: n", "n"),
        ("stop: Extra inputs are not permitted", "stop"),
        ("stop is not supported by this model", "stop"),
        ("Unknown name 'top_k': Cannot find field.", "top_k"),
        ("'max_tokens' is deprecated. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("This response_format type is unavailable now", "response_format"),
        (
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
            "response_format",
        ),
        ("Invalid value: 'json_schema'. Supported values are: 'text'.", "response_format"),
        (
            "Invalid schema for response_format 'verdict': 'minimum' is not permitted.",
            "response_format",
        ),
        ("Structured outputs are not supported by this model", "response_format"),
        ("System role not supported", "system"),
        ("Only user and assistant roles are supported!", "system"),
        ("Conversation roles must alternate user/assistant/user/assistant/...", "system"),
        ("Developer instruction is not enabled for models/m", "system"),
        ("system: Extra inputs are not permitted", "system"),
        (
            "temperature: `temperature` may only be set to 1 when thinking is enabled.",
            "temperature",
        ),
        ("invalid temperature: only 1 is allowed for this model", "temperature"),
        ("Response format is not supported by this model.", "response_format"),
        ("Failed to initialize samplers: failed to parse grammar", "response_format"),
        ("json mode cannot be used with this model", "response_format"),
        (
            "response_format value as json_schema is enabled only for later api versions",
            "response_format",
        ),
        (
            'Invalid JSON payload received. Unknown name "additionalProperties" at '
            "'generation_config.response_schema': Cannot find field.",
            "response_format",
        ),
        (
            "output_config.format.schema: For 'number' type, properties maximum, minimum are not "
            "supported",
            "response_format",
        ),
        (
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "system",
        ),
    ],
)
def test_what_is_unsupported_is_known_by_name(message: str, name: str) -> None:
    assert rejections.read(message, SENT) == (name, False)


@pytest.mark.parametrize(
    "message",
    [
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3.",
        "temperature: Input should be less than or equal to 1.5",
        "1.5 is not a valid temperature: it is out of range",
        "temperature is not valid",
        "temperature 1.5 is not supported",
        "Unsupported value: 'temperature' does not support 1.5. Supported values are from 0 to 1.",
        "`temperature` must be strictly positive",
        "temperature has to be a strictly positive float",
        "Temperature must be in range [0, 2)",
    ],
)
def test_value_that_is_not_taken_leaves_the_parameter(message: str) -> None:
    assert rejections.read(message, SENT) == ("temperature", True)


@pytest.mark.parametrize(
    "message",
    [
        "the image is too large",
        "We had to stop here. Please ask about something not supported.",
        "This picture is below the minimum size, so we stop.",
        "top_p is not supported",
        "the temperature outside is nice",
        "The system is overloaded: too many requests",
    ],
)
def test_what_names_no_parameter_rejects_none(message: str) -> None:
    assert rejections.read(message, SENT) is None


def answers(
    endpoint: Endpoint, requests: list[Request], **options: Any
) -> tuple[list[Any], list[str]]:
    """By request the text or the error, and the notes."""

    async def course() -> tuple[list[Any], list[str]]:
        model = OpenAIModel("m", base_url=endpoint.url, **options)
        found: list[Any] = []
        for request in requests:
            try:
                found.append((await model.generate(request)).text)
            except ModelError as error:
                found.append(error)
        await model.aclose()
        return found, model.notes

    return asyncio.run(course())


def below_one(body: dict[str, Any], seen: int) -> Reply | str:
    if body.get("temperature", 0) > 1:
        return Reply.error(400, f"temperature {body['temperature']} is not valid: out of range")
    return "ok"


def test_unacceptable_value_is_an_error_that_names_it_and_is_no_loss_to_others(
    endpoint: Endpoint,
) -> None:
    endpoint.script = below_one
    requests = [Request(Prompt.of("q"), params={"temperature": t}) for t in (1.5, 0.5)]
    (error, text), notes = answers(endpoint, requests, url_option="--mm-judge-base-url")
    assert "does not take temperature=1.5 (400)" in str(error)
    assert "--mm-judge-param temperature=VALUE" in str(error)
    assert (error.cause, error.fatal, error.retryable) == ("400", False, False)
    assert (text, notes) == ("ok", [])
    assert [body["temperature"] for body in endpoint.requests] == [1.5, 0.5]


def test_value_of_a_parameter_with_a_secret_name_is_not_told(endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: Reply.error(400, "access_token is not valid")
    request = Request(Prompt.of("q"), params={"access_token": "Zx9q"})
    (error,), _ = answers(endpoint, [request])
    assert "access_token='***'" in str(error)
    assert "Zx9q" not in str(error)


def test_system_turn_goes_before_the_question_where_none_is_taken(endpoint: Endpoint) -> None:
    def script(body: dict[str, Any], seen: int) -> Reply | str:
        if body["messages"][0]["role"] == "system":
            return Reply.error(400, "System role not supported")
        return "ok"

    endpoint.script = script
    request = Request(Prompt.of("why?", system="be brief"), params={"temperature": 0})
    found, notes = answers(endpoint, [request, request])
    assert found == ["ok", "ok"]
    assert len(endpoint.requests) == 3
    assert endpoint.requests[-1]["messages"] == [{"role": "user", "content": "be brief\n\nwhy?"}]
    assert endpoint.requests[-1]["temperature"] == 0
    assert notes == ["openai:m takes no system turn; its text goes before the question"]


def judged(endpoint: Endpoint) -> Any:
    async def course() -> Any:
        model = OpenAIModel("m", base_url=endpoint.url)
        task = JudgeTask(Sample("s1", "How many?", answer="3"), "four", "mm-vet")
        try:
            return await LLMJudge(model, {}).judge(task, model.generate)
        finally:
            await model.aclose()

    return asyncio.run(course())


def test_temperature_that_is_too_high_is_an_ask_without_a_verdict(endpoint: Endpoint) -> None:
    """The judge's temperature rises to 1.5; an endpoint that ends at 1 or before costs asks only."""

    def script(body: dict[str, Any], seen: int) -> Reply | str:
        if body["temperature"] in (0.5, 1.5):
            return Reply.error(400, "temperature: Input should be at most 0.4")
        return "0.3" if body["temperature"] == 1.0 else "The"

    endpoint.script = script
    assert judged(endpoint).score == 0.3
    assert [body["temperature"] for body in endpoint.requests] == [0.0, 0.0, 0.5, 1.0]


def test_judge_that_is_never_valid_says_so_also_where_temperatures_are_refused(
    endpoint: Endpoint,
) -> None:
    def script(body: dict[str, Any], seen: int) -> Reply | str:
        return "The" if body["temperature"] <= 0.4 else Reply.error(400, "temperature: at most 0.4")

    endpoint.script = script
    with pytest.raises(JudgeError, match="no valid verdict in 2 asks") as caught:
        judged(endpoint)
    assert caught.value.cause == "invalid verdict"
    assert [body["temperature"] for body in endpoint.requests] == [0.0, 0.0, 0.5, 1.0, 1.5]
