"""What an OpenAI-compatible endpoint is sent, and what its answers mean."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.imaging import load
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.models.openai import OpenAIModel, check_params
from pytest_mmreason.prompting import Prompt, Turn, follow_up
from pytest_mmreason.sample import ImageRef
from tests.support.endpoint import Endpoint, Reply, image_urls, question_of

QUESTION = Request(Prompt.of("why?"))


def ask(endpoint: Endpoint, *requests: Request, **options: Any) -> list[Response]:
    """The responses of one adapter, one request after another."""

    async def all_of_them() -> list[Response]:
        model = OpenAIModel("m", base_url=endpoint.url, **options)
        try:
            return [await model.generate(request) for request in requests or [QUESTION]]
        finally:
            await model.aclose()

    return asyncio.run(all_of_them())


def test_text_arrives_and_the_answer_comes_back_with_its_tokens(endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: "42"
    (response,) = ask(endpoint)
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    assert response == Response("42", "stop", usage, "m-2026")
    assert endpoint.requests == [
        {"model": "m", "messages": [{"role": "user", "content": "why?"}]},
    ]
    assert isinstance(OpenAIModel("m", base_url=endpoint.url), ModelAdapter)


def test_images_come_as_data_urls_in_order_with_their_type(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    names = {"b.png": "PNG", "a.jpg": "JPEG", "c.png": "WEBP"}
    for name, kind in names.items():
        Image.new("RGB", (3, 2), "red").save(tmp_path / name, kind)
    refs = [ImageRef(name, str(tmp_path)) for name in names]
    first = Prompt((Turn("user", (refs[0], "what is", refs[1], refs[2], "?")),))
    ask(endpoint, Request(follow_up(first, "a cat"), [load(ref) for ref in refs]))
    (body,) = endpoint.requests
    urls = image_urls(body)
    assert [url.split(";")[0] for url in urls] == [
        "data:image/png",
        "data:image/jpeg",
        "data:image/webp",
    ]
    sent = [base64.b64decode(url.partition(",")[2]) for url in urls]
    assert sent == [(tmp_path / name).read_bytes() for name in names]
    assert [part["type"] for part in body["messages"][0]["content"]] == [
        "image_url",
        "text",
        "image_url",
        "image_url",
        "text",
    ]
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"] == "a cat"
    assert "step by step" in question_of(body)


def test_parameters_are_passed_on_also_those_of_other_servers(endpoint: Endpoint) -> None:
    params = {
        "temperature": 0,
        "max_tokens": 5,
        "top_k": 3,
        "stop": ["\n"],
        "guided_json": {"a": 1},
    }
    ask(endpoint, Request(Prompt.of("q"), params=params))
    (body,) = endpoint.requests
    assert {k: body[k] for k in params} == params


def test_a_system_turn_is_sent_first(endpoint: Endpoint) -> None:
    ask(endpoint, Request(Prompt.of("q", system="be brief")))
    assert endpoint.requests[0]["messages"][0] == {"role": "system", "content": "be brief"}


def test_structured_output_is_asked_for(endpoint: Endpoint) -> None:
    ask(endpoint, Request(Prompt.of("q"), schema={"type": "object"}))
    sent = endpoint.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == {"type": "object"}


def test_key_is_sent_from_the_named_variable(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "local")
    ask(endpoint, api_key_env="MINE")
    assert endpoint.authorizations == ["Bearer local"]


def test_an_endpoint_of_ones_own_needs_no_key(endpoint: Endpoint) -> None:
    ask(endpoint)
    assert endpoint.authorizations == ["Bearer none"]


@pytest.mark.parametrize("url", [None, "https://api.openai.com/v1", "https://api.openai.com"])
def test_the_public_endpoint_needs_a_key(url: str | None) -> None:
    with pytest.raises(UsageError, match="the variable MINE is not set") as caught:
        OpenAIModel("gpt", base_url=url, api_key_env="MINE", key_option="--mm-judge-api-key-env")
    assert "--mm-judge-api-key-env" in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://a", "http://", "v1"])
def test_an_endpoint_that_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"--mm-base-url is .* URL is needed"):
        OpenAIModel("m", base_url=url)


def test_endpoint_of_the_environment_is_used(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    assert OpenAIModel("m").identity["base_url"] == endpoint.url


def rejecting(*names: str) -> Any:
    """A script that rejects each of `names` while it is sent."""

    def script(body: dict[str, Any], seen: int) -> Reply | str:
        for name in names:
            if name in body:
                hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                return Reply.error(400, f"Unsupported parameter: '{name}' is not supported.{hint}")
        return "ok"

    return script


def test_rejected_parameters_are_renamed_or_left_out_once_and_said(endpoint: Endpoint) -> None:
    endpoint.script = rejecting("max_tokens", "temperature", "top_k")
    request = Request(Prompt.of("q"), params={"max_tokens": 9, "temperature": 0, "top_k": 1})

    async def course() -> list[str]:
        model = OpenAIModel("m", base_url=endpoint.url)
        await model.generate(request)
        before = len(endpoint.requests)
        await model.generate(request)
        await model.aclose()
        assert len(endpoint.requests) == before + 1
        return model.notes

    notes = asyncio.run(course())
    assert endpoint.requests[-1].keys() == {"model", "messages", "max_completion_tokens"}
    assert endpoint.requests[-1]["max_completion_tokens"] == 9
    assert sorted(notes) == [
        "openai:m rejects temperature; it was left out",
        "openai:m rejects top_k; it was left out",
        "openai:m takes max_completion_tokens instead of max_tokens",
    ]


def test_calls_under_way_at_once_adapt_too_and_say_it_once(endpoint: Endpoint) -> None:
    endpoint.script = rejecting("max_tokens", "temperature")
    request = Request(Prompt.of("q"), params={"max_tokens": 9, "temperature": 0})

    async def course() -> tuple[list[Response], list[str]]:
        model = OpenAIModel("m", base_url=endpoint.url)
        found = await asyncio.gather(*(model.generate(request) for _ in range(6)))
        await model.aclose()
        return list(found), model.notes

    found, notes = asyncio.run(course())
    assert [r.text for r in found] == ["ok"] * 6
    assert len(notes) == len(set(notes)) == 2


def test_structured_output_is_dropped_where_it_is_rejected(endpoint: Endpoint) -> None:
    endpoint.script = rejecting("response_format")
    (response,) = ask(endpoint, Request(Prompt.of("q"), schema={"type": "object"}))
    assert response.text == "ok"
    assert "response_format" not in endpoint.requests[-1]


def test_a_400_that_names_no_parameter_is_an_error(endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: Reply.error(400, "the image is too large")
    with pytest.raises(ModelError, match="the image is too large") as caught:
        ask(endpoint, Request(Prompt.of("q"), params={"temperature": 0}))
    assert (caught.value.retryable, caught.value.fatal) == (False, False)
    assert len(endpoint.requests) == 1


def test_refusals_of_the_model_are_its_answer(endpoint: Endpoint) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    endpoint.script = lambda body, seen: Reply(body={"choices": [choice], "model": "m"})
    assert ask(endpoint)[0].text == "I cannot help with that."


@pytest.mark.parametrize("told", [-1, 10**400, None])
def test_tokens_that_no_call_can_have_are_not_told(endpoint: Endpoint, told: Any) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "3"}}
    usage = {"prompt_tokens": told, "completion_tokens": 2}
    endpoint.script = lambda body, seen: Reply(body={"choices": [choice], "usage": usage})
    response = ask(endpoint)[0]
    assert response.usage == {"prompt_tokens": 0, "completion_tokens": 2}
    handed_over = Response.from_json(Response("3", usage=usage).to_json())
    assert handed_over.usage == response.usage


def test_reasoning_beside_the_answer_does_no_harm(endpoint: Endpoint) -> None:
    message = {"role": "assistant", "content": "3", "reasoning_content": "hm"}
    choice = {"index": 0, "message": message}
    endpoint.script = lambda body, seen: Reply(body={"choices": [choice], "usage": None})
    assert ask(endpoint)[0] == Response("3", "stop", {"prompt_tokens": 0, "completion_tokens": 0})


@pytest.mark.parametrize(
    "reply",
    [
        Reply.error(
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum "
            "context length is 2048 tokens and your request has 1500 input tokens.",
        ),
        Reply.error(400, "We had to stop here.\n\nPlease ask about something not supported."),
        Reply(
            status=422,
            body={
                "detail": [
                    {
                        "loc": ["body", "messages", 0, "content"],
                        "msg": "Extra inputs are not permitted",
                        "input": {"max_tokens": 1024, "stop": [], "temperature": 0},
                    }
                ]
            },
        ),
    ],
    ids=["too large", "common words", "an echo of the request"],
)
def test_an_error_about_one_request_takes_no_parameter_from_the_others(
    endpoint: Endpoint, reply: Reply
) -> None:
    endpoint.script = lambda body, seen: reply
    params = {"max_tokens": 1024, "n": 1, "temperature": 0}
    with pytest.raises(ModelError):
        ask(endpoint, Request(Prompt.of("q"), params=params))
    assert len(endpoint.requests) == 1


def test_pydantics_rejection_of_a_parameter_is_understood(endpoint: Endpoint) -> None:
    def script(body: dict[str, Any], seen: int) -> Reply | str:
        if "top_k" not in body:
            return "ok"
        found = {"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted", "input": 3}
        return Reply(status=422, body={"detail": [found]})

    endpoint.script = script
    (response,) = ask(endpoint, Request(Prompt.of("q"), params={"top_k": 3, "temperature": 0}))
    assert response.text == "ok"
    assert endpoint.requests[-1].keys() == {"model", "messages", "temperature"}


@pytest.mark.parametrize(
    ("choice", "usage", "text"),
    [
        (
            {
                "message": {
                    "content": [{"type": "text", "text": "bl"}, {"type": "text", "text": "ue"}]
                }
            },
            {},
            "blue",
        ),
        ({"message": {"content": "blue"}}, None, "blue"),
    ],
)
def test_contents_in_parts_are_put_together(
    endpoint: Endpoint, choice: Any, usage: Any, text: str
) -> None:
    endpoint.script = lambda body, seen: Reply(body={"choices": [choice], "usage": usage})
    assert ask(endpoint)[0].text == text


def test_a_key_variable_that_is_named_must_be_set(endpoint: Endpoint) -> None:
    with pytest.raises(UsageError, match="--mm-api-key-env names NOPE, and that variable is not"):
        OpenAIModel("m", base_url=endpoint.url, api_key_env="NOPE")


@pytest.mark.parametrize("name", ["messages", "model", "stream"])
def test_parameters_that_would_replace_the_question_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"--mm-param {name}"):
        check_params("--mm-param", {name: 1})
