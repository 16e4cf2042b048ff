"""The LLM judge: asks again where that helps, ends in bounded attempts, invents no score."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.errors import JudgeError, ModelError, UsageError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.judges.llm import MAX_ASKS, LLMJudge
from pytest_mmreason.judges.rubric import SCHEMA
from pytest_mmreason.models.base import Request, Response, cut_before_answer
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

SAMPLE = Sample("s1", "How many?", answer="3", steps=("Count.",), benchmark="mini")
GOOD = json.dumps({"rationale": "r", "correct": False, "steps": [], "score": 0.4})


class Adapter:
    name = "openai:judge"
    max_concurrency: int | None = 4
    wants_images = False
    offline = False
    cacheable = True
    closed = False

    def __init__(self, **identity: Any) -> None:
        self.identity: Mapping[str, Any] = identity

    async def generate(self, request: Request) -> Response:
        raise AssertionError("a judge asks through `ask`")

    async def aclose(self) -> None:
        self.closed = True


class Ask:
    """Answers from a queue; keeps what it was asked."""

    def __init__(self, *replies: Response | str | Exception) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Response(reply, model="judge-2024") if isinstance(reply, str) else reply


def judge(ask: Ask, protocol: str = "infimm-eval", **params: Any) -> Verdict:
    task = JudgeTask(SAMPLE, "three or so", protocol)
    return asyncio.run(LLMJudge(Adapter(), params).judge(task, ask))


def cut(text: str = '{"rationale": "half') -> Response:
    return Response(text, finish_reason="length")


def test_valid_reply_is_asked_for_once() -> None:
    ask = Ask(GOOD)
    got = judge(ask, seed=7)
    assert (got.score, got.judge_model) == (0.4, "judge-2024")
    (request,) = ask.requests
    assert (request.sample, request.benchmark, request.schema) == ("s1", "mini", SCHEMA)
    assert request.params == {"temperature": 0, "seed": 7}
    assert request.images == ()


def test_mm_vet_asks_for_one_number_without_schema() -> None:
    ask = Ask("0.7")
    assert judge(ask, "mm-vet").score == 0.7
    assert ask.requests[0].schema is None


def test_reasoning_of_the_judge_is_not_its_verdict() -> None:
    assert judge(Ask("<think>Score: 0.1?</think>0.7"), "mm-vet").score == 0.7


def test_invalid_reply_is_asked_for_once_more_and_sharper() -> None:
    ask = Ask("B. no", GOOD)
    assert judge(ask).score == 0.4
    first, second = ask.requests
    assert second.prompt.text.startswith(first.prompt.text)
    assert second.prompt != first.prompt


@pytest.mark.parametrize("reply", ["", "5", "The", "null", '{"rationale": "fine"}'])
@pytest.mark.parametrize("protocol", ["infimm-eval", "mm-vet"])
def test_judge_that_never_scores_is_an_error_after_bounded_asks(protocol: str, reply: str) -> None:
    ask = Ask(*[reply] * 10)
    with pytest.raises(JudgeError) as caught:
        judge(ask, protocol)
    assert caught.value.cause == "invalid verdict"
    assert len(ask.requests) == (5 if protocol == "mm-vet" else 2)
    message = str(caught.value)
    assert "'s1'" in message and "openai:judge" in message and repr(reply) in message
    assert "--mm-judge=local" in message
    assert ("(the reply is empty)" in message) == (reply == "")


def test_long_invalid_reply_is_shortened_in_the_message_and_kept_in_the_detail() -> None:
    with pytest.raises(JudgeError) as caught:
        judge(Ask("x" * 5000, "x" * 5000))
    assert len(str(caught.value)) < 500
    assert caught.value.detail == "x" * 5000


def test_mm_vet_asks_at_the_official_temperatures_until_a_number_comes() -> None:
    ask = Ask("The", "None", "5", "0.7 or 0.8", "0.3")
    assert judge(ask, "mm-vet").score == 0.3
    assert [r.params["temperature"] for r in ask.requests] == [0.0, 0.0, 0.5, 1.0, 1.5]
    first, *later = [r.prompt.sha256 for r in ask.requests]
    assert first not in later and len(set(later)) == 1


def test_infimm_eval_asks_at_no_other_temperature() -> None:
    ask = Ask("The", GOOD)
    judge(ask)
    assert [r.params["temperature"] for r in ask.requests] == [0.0, 0.0]


@pytest.mark.parametrize("given", [0, 0.3, None])
def test_given_temperature_holds_for_every_ask(given: object) -> None:
    ask = Ask("The", "The", "The", "The", "0.3")
    judge(ask, "mm-vet", temperature=given, seed=7)
    assert [r.params for r in ask.requests] == [{"temperature": given, "seed": 7}] * 5


def test_a_temperature_that_is_refused_leaves_the_reply_that_held_no_number() -> None:
    refused = ModelError("temperature may be 1 at most", cause="400")
    ask = Ask("no", "no", "no", "no", refused)
    with pytest.raises(JudgeError, match="no valid verdict in 4 asks") as caught:
        judge(ask, "mm-vet")
    assert caught.value.cause == "invalid verdict"
    with pytest.raises(JudgeError) as caught:
        judge(Ask("no", ModelError("down", cause="503")), "mm-vet")
    assert caught.value.cause == "503"


@pytest.mark.parametrize(
    ("params", "limits"),
    [
        ({"max_tokens": 10}, {"max_tokens": 20}),
        ({"max_completion_tokens": 10}, {"max_completion_tokens": 20}),
        ({}, {"max_tokens": 2048}),
    ],
)
def test_cut_reply_is_asked_for_again_with_more_room(
    params: dict[str, Any], limits: dict[str, int]
) -> None:
    ask = Ask(cut(), GOOD)
    assert judge(ask, **params).score == 0.4
    assert ask.requests[0].params == {"temperature": 0, **params}
    assert ask.requests[1].params == {"temperature": 0, **limits}


def test_room_is_made_above_what_the_endpoint_gave() -> None:
    long = Response("half", finish_reason="length", usage={"completion_tokens": 4096})
    ask = Ask(long, GOOD)
    judge(ask)
    assert ask.requests[1].params["max_tokens"] == 8192


def test_reply_that_was_cut_before_it_began_is_asked_for_with_more_room() -> None:
    """A judge whose reasoning used up its tokens."""
    ask = Ask(cut_before_answer("openai:judge"), GOOD)
    assert judge(ask, max_tokens=50).score == 0.4
    assert [request.params["max_tokens"] for request in ask.requests] == [50, 100]
    with pytest.raises(JudgeError, match="cut by its token limit") as caught:
        judge(Ask(*[cut_before_answer("openai:judge") for _ in range(9)]))
    assert caught.value.cause == "truncated"


def test_cut_reply_is_never_parsed() -> None:
    assert judge(Ask(cut("Score: 1.0"), GOOD)).score == 0.4


def test_judge_that_is_always_cut_says_so() -> None:
    ask = Ask(*[cut()] * 10)
    with pytest.raises(JudgeError, match="token limit") as caught:
        judge(ask, max_tokens=8)
    assert caught.value.cause == "truncated"
    assert [request.params["max_tokens"] for request in ask.requests] == [8, 16, 32]
    assert len(ask.requests) == MAX_ASKS


def test_asks_stay_bounded_when_faults_alternate() -> None:
    ask = Ask(cut(), "The", cut(), "The", cut())
    with pytest.raises(JudgeError):
        judge(ask)
    assert len(ask.requests) == MAX_ASKS


def test_filtered_reply_is_refused_and_not_asked_for_again() -> None:
    ask = Ask(Response("Score: 1.0", finish_reason="content_filter"), GOOD)
    with pytest.raises(JudgeError) as caught:
        judge(ask)
    assert caught.value.cause == "refused"
    assert len(ask.requests) == 1


def test_failed_call_is_the_judges_error_and_keeps_its_nature() -> None:
    failed = ModelError("401: key rejected", cause="authentication", fatal=True, detail="body 1")
    with pytest.raises(JudgeError, match="key rejected") as caught:
        judge(Ask(failed))
    assert caught.value.fatal and caught.value.cause == "authentication"
    assert caught.value.detail == "body 1"


def test_identity_changes_with_all_that_can_change_a_verdict(tmp_path: Path) -> None:
    official = tmp_path / "prompt.txt"
    official.write_text("<AND> <OR> |", encoding="utf-8")
    base = LLMJudge(Adapter(model="a"), {}).identity("mm-vet")
    assert base == LLMJudge(Adapter(model="a"), {}).identity("mm-vet")
    others = [
        LLMJudge(Adapter(model="b"), {}).identity("mm-vet"),
        LLMJudge(Adapter(model="a"), {"temperature": 1}).identity("mm-vet"),
        LLMJudge(Adapter(model="a"), {"prompt": str(official)}).identity("mm-vet"),
        LLMJudge(Adapter(model="a"), {}).identity("infimm-eval"),
    ]
    assert all(other != base for other in others)
    assert others[-1]["template_sha256"] != base["template_sha256"]
    json.dumps(base)


def test_official_prompt_is_used_and_no_parameter(tmp_path: Path) -> None:
    official = tmp_path / "prompt.txt"
    official.write_text("Mine: <AND> <OR> |", encoding="utf-8")
    ask = Ask("0.5")
    judge(ask, "mm-vet", prompt=str(official))
    assert ask.requests[0].prompt.text.startswith("Mine: ")
    assert "prompt" not in ask.requests[0].params


def test_provenance_tells_prompt_and_temperatures(tmp_path: Path) -> None:
    own = LLMJudge(Adapter(), {}).provenance("mm-vet")
    assert (own["prompt"], own["protocol"]) == ("own", "mm-vet")
    assert own["params"] == {"temperature": [0.0, 0.0, 0.5, 1.0, 1.5]}
    text = "<AND> <OR> |"
    (tmp_path / "mine.txt").write_text(text, encoding="utf-8")
    made = LLMJudge(Adapter(), {"prompt": tmp_path / "mine.txt", "temperature": 1, "seed": 3})
    told = made.provenance("mm-vet")
    assert told["prompt"] == "mine.txt"
    assert told["prompt_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert told["params"] == {"temperature": 1, "seed": 3}
    rubric = made.provenance("infimm-eval")
    assert rubric["prompt"] == "own" and rubric["prompt_sha256"] != own["prompt_sha256"]


def test_missing_official_prompt_is_a_usage_error_before_any_call() -> None:
    with pytest.raises(UsageError, match="nowhere"):
        LLMJudge(Adapter(), {"prompt": "nowhere.py"})


def test_unknown_protocol_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="mm-vet"):
        LLMJudge(Adapter(), {}).identity("mmvet")


def test_judge_shows_its_adapter_and_closes_it() -> None:
    adapter = Adapter()
    made = LLMJudge(adapter, {})
    assert isinstance(made, Judge)
    assert (made.name, made.max_concurrency, made.offline) == ("openai:judge", 4, False)
    asyncio.run(made.aclose())
    assert adapter.closed
