"""What goes wrong at an endpoint: said with its cause, tried again only where that may help."""

from __future__ import annotations

import asyncio
import socket
import time
from email.utils import formatdate

import pytest

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.models.openai import OpenAIModel
from pytest_mmreason.prompting import Prompt
from tests.support.endpoint import Endpoint, Reply

KEY = "Top-Secret-Value-123"


def outcome(url: str, timeout_s: float = 20.0) -> Response:
    async def once() -> Response:
        model = OpenAIModel("m", base_url=url, api_key_env="MINE", timeout_s=timeout_s)
        try:
            return await model.generate(Request(Prompt.of("why?")))
        finally:
            await model.aclose()

    return asyncio.run(once())


def failure(endpoint: Endpoint, reply: Reply, timeout_s: float = 20.0) -> ModelError:
    """The error of one attempt; the adapter itself makes no second one."""
    endpoint.script = lambda body, seen: reply
    with pytest.raises(ModelError) as caught:
        outcome(endpoint.url, timeout_s)
    assert len(endpoint.requests) <= 1  # none, where the time was up before it was read
    return caught.value


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)


@pytest.mark.parametrize(
    "reply, cause",
    [
        (Reply.error(500), "500"),
        (Reply.error(503), "503"),
        (Reply.error(408), "408"),
        (Reply.error(429), "429"),
        (Reply(status=502, body="<html>bad gateway</html>"), "502"),
        (Reply(body="<html>1</html>"), "malformed reply"),
        (Reply(body={}), "malformed reply"),
        (Reply(body={"choices": []}), "malformed reply"),
        (Reply(body={"choices": [{"message": None}]}), "malformed reply"),
        (Reply(body={"error": {"message": "try 1 later"}}), "malformed reply"),
    ],
)
def test_passing_faults_are_worth_another_try(endpoint: Endpoint, reply: Reply, cause: str) -> None:
    error = failure(endpoint, reply)
    assert (error.cause, error.retryable, error.fatal) == (cause, True, False)


def test_a_dropped_connection_is_worth_another_try(endpoint: Endpoint) -> None:
    error = failure(endpoint, Reply(reset=True))
    assert error.retryable and not error.fatal
    assert "openai:m at http://127.0.0.1" in str(error)


def test_a_body_cut_in_the_middle_is_worth_another_try(endpoint: Endpoint) -> None:
    error = failure(
        endpoint, Reply(body='{"choices": [', headers={"content-type": "application/json"})
    )
    assert error.retryable and not error.fatal


def test_an_endpoint_that_never_answers_is_named(endpoint: Endpoint) -> None:
    error = failure(endpoint, Reply(delay_s=0.4), timeout_s=0.05)
    assert (error.cause, error.retryable) == ("timeout", True)
    assert "no answer within 0.05 s (--mm-timeout)" in str(error)


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "1e9"}, None),
        ({}, None),
    ],
)
def test_the_pause_that_is_asked_for_is_told(
    endpoint: Endpoint, headers: dict[str, str], seconds: float | None
) -> None:
    assert failure(endpoint, Reply.error(429, **headers)).retry_after_s == seconds
    endpoint.requests.clear()
    assert failure(endpoint, Reply.error(503, **headers)).retry_after_s == seconds


def test_a_pause_until_a_date_is_told(endpoint: Endpoint) -> None:
    until = formatdate(time.time() + 1800, usegmt=True)
    seconds = failure(endpoint, Reply.error(503, retry_after=until)).retry_after_s
    assert seconds is not None and 900 < seconds <= 1800


@pytest.mark.parametrize(
    "status, words", [(401, "rejects the API key"), (403, "rejects the API key"), (404, "no such")]
)
def test_what_no_later_call_could_mend_is_fatal(
    endpoint: Endpoint, status: int, words: str
) -> None:
    error = failure(endpoint, Reply.error(status, "nope"))
    assert (error.fatal, error.retryable, error.cause) == (True, False, str(status))
    assert words in str(error) and "nope" in str(error)


@pytest.mark.parametrize("field", ["code", "type"])
def test_a_used_up_quota_is_fatal(endpoint: Endpoint, field: str) -> None:
    body = {"error": {"message": "quota", field: "insufficient_quota"}}
    error = failure(endpoint, Reply(status=429, body=body))
    assert (error.fatal, error.retryable, error.cause) == (True, False, "quota")


@pytest.mark.parametrize(
    "reply",
    [
        Reply.error(402, "Insufficient credits"),
        Reply.error(429, "Limit reached on requests per day (RPD): Limit 200, Used 200."),
        Reply.error(429, "per day", retry_after="432"),
        Reply.error(429, "Rate limit exceeded: free-models-per-day"),
        Reply.error(429, "slow down", retry_after="40000"),
        Reply(
            status=429,
            body={"error": {"message": "quota", "details": [{"quotaId": "RequestsPerDayFree"}]}},
        ),
    ],
)
def test_a_quota_that_is_used_up_for_the_day_is_fatal(endpoint: Endpoint, reply: Reply) -> None:
    error = failure(endpoint, reply)
    assert (error.fatal, error.retryable, error.cause) == (True, False, "quota")
    assert f"the quota is used up ({reply.status})" in str(error)


@pytest.mark.parametrize(
    "reply",
    [
        Reply.error(429, "requests per minute"),
        Reply.error(429, "requests per day", retry_after="9"),
        Reply.error(503, "requests per day"),
        Reply.error(503, "down for maintenance", retry_after="40000"),
    ],
)
def test_what_a_pause_brings_back_is_no_used_up_quota(endpoint: Endpoint, reply: Reply) -> None:
    error = failure(endpoint, reply)
    assert (error.fatal, error.retryable, error.cause) == (False, True, str(reply.status))


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_drops_the_question_is_told(endpoint: Endpoint, status: int) -> None:
    there = f"{endpoint.url.removesuffix('/v1')}/login"
    error = failure(endpoint, Reply(status=status, headers={"location": f"{there}?key=hush"}))
    assert error.fatal and "--mm-base-url" in str(error)
    assert f"redirects to {there} ({status})" in str(error) and "hush" not in str(error)


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize("echo", [KEY, "sk-proj-abcdef0123", "sk-****cdef"])
def test_no_message_holds_the_key(endpoint: Endpoint, status: int, echo: str) -> None:
    error = failure(endpoint, Reply.error(status, f"Incorrect API key provided: {echo}."))
    assert echo not in f"{error} {error.detail} {error.args}"
    assert "***" in str(error)


def test_an_odd_reply_that_echoes_the_key_is_scrubbed_too(endpoint: Endpoint) -> None:
    assert KEY not in str(failure(endpoint, Reply(body=f"<p>{KEY}</p>")))


def test_a_token_limit_reached_before_any_answer_is_said(endpoint: Endpoint) -> None:
    for text in (None, "", "<think>hm", "<think>hm</think>"):
        endpoint.requests.clear()
        error = failure(endpoint, Reply(text=text, finish="length"))
        assert (error.cause, error.retryable, error.fatal) == ("truncated", False, False)
        assert "--mm-param max_tokens=N" in str(error)


def test_an_answer_that_is_only_cut_short_is_an_answer(endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: Reply(text="it is", finish="length")
    assert outcome(endpoint.url).finish_reason == "length"


def test_a_content_filter_is_no_fault_of_the_call(endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: Reply(text=None, finish="content_filter")
    assert outcome(endpoint.url).finish_reason == "content_filter"


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_filtered_question_is_told_by_its_cause(endpoint: Endpoint, code: str) -> None:
    error = failure(endpoint, Reply(status=400, body={"error": {"message": "no", "code": code}}))
    assert (error.cause, error.retryable, error.fatal) == ("content_filter", False, False)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_probe_of_a_port_where_nobody_listens_says_what_to_check() -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    model = OpenAIModel("m", base_url=url, url_option="--mm-judge-base-url")
    with pytest.raises(UsageError, match="cannot be reached") as caught:
        model.probe()
    assert url in str(caught.value) and "--mm-judge-base-url" in str(caught.value)


def test_probe_makes_no_request(endpoint: Endpoint) -> None:
    OpenAIModel("m", base_url=endpoint.url).probe()
    assert endpoint.requests == []


def test_an_endpoint_that_was_never_reached_is_fatal() -> None:
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        outcome(f"http://127.0.0.1:{closed_port()}/v1")
    assert (caught.value.fatal, caught.value.cause) == (True, "unreachable")


def test_an_endpoint_that_goes_away_in_the_middle_is_waited_for(endpoint: Endpoint) -> None:
    async def course() -> ModelError:
        model = OpenAIModel("m", base_url=endpoint.url)
        await model.generate(Request(Prompt.of("a")))
        endpoint.close()
        await model.aclose()
        with pytest.raises(ModelError) as caught:
            await model.generate(Request(Prompt.of("b")))
        await model.aclose()
        return caught.value

    error = asyncio.run(course())
    assert (error.fatal, error.retryable) == (False, True)


@pytest.mark.parametrize("status, fatal", [(401, True), (403, False), (404, False)])
def test_after_an_answer_only_a_rejected_key_stops_the_run(
    endpoint: Endpoint, status: int, fatal: bool
) -> None:
    replies = iter([Reply("ok"), Reply.error(status)])
    endpoint.script = lambda body, seen: next(replies)

    async def course() -> ModelError:
        model = OpenAIModel("m", base_url=endpoint.url)
        await model.generate(Request(Prompt.of("a")))
        with pytest.raises(ModelError) as caught:
            await model.generate(Request(Prompt.of("b")))
        await model.aclose()
        return caught.value

    error = asyncio.run(course())
    assert (error.fatal, error.retryable, error.cause) == (fatal, False, str(status))


def test_a_call_without_a_key_is_told_of_the_variable(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINE")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    endpoint.script = lambda body, seen: Reply.error(401, "who are you?")

    async def once() -> None:
        model = OpenAIModel("m", base_url=endpoint.url)
        try:
            await model.generate(Request(Prompt.of("why?")))
        finally:
            await model.aclose()

    with pytest.raises(ModelError, match=r"a call without an API key .*OPENAI_API_KEY is not set"):
        asyncio.run(once())


def test_a_path_that_is_not_there_is_shown_as_it_was_asked(endpoint: Endpoint) -> None:
    error = failure(endpoint, Reply(status=404, body={"object": "error", "message": "no m here"}))
    assert "no m here" in str(error) and "object" not in str(error)
    assert "/v1/chat/completions" in str(error) and "--mm-base-url" in str(error)


def test_errors_of_odd_shapes_are_errors_of_their_status(endpoint: Endpoint) -> None:
    odd = {"error": {"message": "m", "type": ["x"], "code": {"a": 1}}}
    error = failure(endpoint, Reply(status=429, body=odd))
    assert (error.cause, error.retryable) == ("429", True)
