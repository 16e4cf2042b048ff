"""The budget: what a call reserves, who waits, and what is never spent."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.budget import FIRST_REPLY, IMAGE_TOKENS, Budget, open_budget
from pytest_mmreason.errors import OVER_BUDGET, CallError, DataError, ModelError, UsageError
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.pool import Pool
from pytest_mmreason.pricing import FREE, Price
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import ImageRef
from tests.support.stubs import StubJudge, StubModel, made_plan, made_samples

PRICE = Price(1.0, 10.0)
MODEL, JUDGE = object(), object()
PER_MILLION = 1e-6


def make(limit: float, **lent: Price) -> Budget:
    return Budget(limit, {id(MODEL): PRICE, id(JUDGE): PRICE}, lent)


def request(text: str = "x" * 270, images: int = 0, **params: Any) -> Request:
    refs = [ImageRef(f"{n}.png", "") for n in range(images)]
    return Request(Prompt.of(text, images=refs), params=params)


def reply(prompt: int = 100, completion: int = 50, text: str = "yes") -> Response:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return Response(text, usage=usage)


def pool(concurrency: int = 4, retries: int = 0) -> Pool:
    return Pool("model", concurrency, 10.0, retries, seed=0)


@pytest.mark.parametrize(
    ("asked", "prompt", "completion"),
    [
        (request(max_tokens=20), 100, 20),
        (request(max_completion_tokens=30, max_tokens=20), 100, 30),
        (request(max_new_tokens=20), 100, 20),
        (request(images=2, max_tokens=20), 100 + 2 * IMAGE_TOKENS, 20),
        (request("猫" * 90, max_tokens=20), 100, 20),
        (request("\ud800" * 90, max_tokens=20), 100, 20),
        (request(max_tokens="many"), 100, FIRST_REPLY),
        (request(), 100, FIRST_REPLY),
    ],
)
def test_the_first_estimate(asked: Request, prompt: int, completion: int) -> None:
    toll = make(1).toll("model", MODEL, asked)
    assert toll is not None
    assert toll.estimate == pytest.approx(PRICE.of(prompt, completion))


def test_later_estimates_follow_what_calls_have_shown() -> None:
    budget = make(1)

    async def ask(answer: Response) -> None:
        toll = budget.toll("model", MODEL, request())
        assert toll is not None
        async with toll:
            toll.tell(answer.usage)

    asyncio.run(ask(reply(prompt=250, completion=2_000)))
    asyncio.run(ask(reply(prompt=150, completion=10)))
    toll = budget.toll("model", MODEL, request("x" * 570))
    other = budget.toll("judge", JUDGE, request())
    assert toll is not None and other is not None
    assert toll.estimate == pytest.approx(PRICE.of(200 * 2.5, 4_000))
    assert other.estimate == pytest.approx(PRICE.of(100, FIRST_REPLY))
    assert budget.spent == pytest.approx(PRICE.of(400, 2_010))


def test_what_is_free_or_unknown_pays_nothing() -> None:
    budget = Budget(1, {id(MODEL): FREE}, {"judge": PRICE})
    assert budget.toll("model", MODEL, request()) is None
    assert budget.toll("model", object(), request()) is None
    assert budget.toll("judge", object(), None, "an answer") is not None


@pytest.mark.parametrize(
    ("outcome", "paid"),
    [
        (ModelError("no", cause="500"), False),
        (ModelError("no", cause="429"), False),
        (ModelError("no", cause="unreachable"), False),
        (ModelError("no", cause="timeout"), True),
        (ModelError("no", cause="connection lost"), True),
        (asyncio.CancelledError(), True),
        (Response("no tokens told"), True),
    ],
    ids=["500", "429", "unreachable", "timeout", "lost", "cancelled", "untold"],
)
def test_a_call_that_tells_no_tokens_counts_whole_where_it_may_have_been_billed(
    outcome: Response | BaseException, paid: bool
) -> None:
    budget = make(1)
    toll = budget.toll("model", MODEL, request(max_tokens=20))
    assert toll is not None

    async def attempt() -> Response:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def ask() -> None:
        with contextlib.suppress(BaseException):
            await pool().run(attempt, toll=toll)

    asyncio.run(ask())
    assert budget.spent == pytest.approx(PRICE.of(100, 20) if paid else 0.0)


def test_an_image_that_cannot_be_sent_costs_nothing_and_none_is_opened_in_vain() -> None:
    opened = []

    async def prepare() -> None:
        opened.append(1)
        raise DataError("no image")

    async def attempt() -> Response:
        raise AssertionError("nothing can be asked")

    budget = make(1)
    asking = pool().run(attempt, prepare=prepare, toll=budget.toll("model", MODEL, request()))
    with pytest.raises(DataError):
        asyncio.run(asking)
    assert (budget.spent, opened) == (0.0, [1])

    poor = make(1e-6)
    asking = pool().run(attempt, prepare=prepare, toll=poor.toll("model", MODEL, request()))
    with pytest.raises(CallError, match="not asked"):
        asyncio.run(asking)
    assert opened == [1]


def test_a_truncated_reply_costs_what_it_told() -> None:
    error = ModelError("cut", cause="truncated")
    error.usage = {"prompt_tokens": 40, "completion_tokens": 20}
    budget = make(1)
    toll = budget.toll("model", MODEL, request(max_tokens=20))

    async def attempt() -> Response:
        raise error

    with pytest.raises(ModelError):
        asyncio.run(pool().run(attempt, toll=toll))
    assert budget.spent == pytest.approx(PRICE.of(40, 20))


def test_every_blank_attempt_is_paid_and_told() -> None:
    budget, answers = make(1), [reply(text=" "), reply(text=""), reply()]

    async def attempt() -> Response:
        return answers.pop(0)

    toll = budget.toll("model", MODEL, request(max_tokens=50))
    found, attempts = asyncio.run(pool(retries=5).run(attempt, toll=toll))
    assert attempts == 3
    assert found.usage == {"prompt_tokens": 300, "completion_tokens": 150}
    assert budget.spent == pytest.approx(PRICE.of(300, 150))


def test_a_refused_call_was_never_made() -> None:
    budget, made = make(1e-6), []

    async def attempt() -> Response:
        made.append(1)
        return reply()

    calls = pool()
    with pytest.raises(CallError) as caught:
        asyncio.run(calls.run(attempt, toll=budget.toll("model", MODEL, request())))
    assert (caught.value.cause, caught.value.attempts, caught.value.fatal) == (
        OVER_BUDGET, 0, False,
    )  # fmt: skip
    assert (made, calls.stats.calls, budget.spent) == ([], 0, 0.0)
    assert "--mm-budget" in str(caught.value)


def spend(
    limit: float, calls: list[tuple[str, int, int]], concurrency: int
) -> tuple[Budget, list[str]]:
    """Make (role, prompt tokens, reply tokens) calls at once, each with its reply as its limit."""
    budget, made = make(limit), []

    async def one(role: str, tokens: int, length: int, place: Pool) -> None:
        async def attempt() -> Response:
            made.append(role)
            await asyncio.sleep(0)
            return reply(tokens, length)

        asked = request("x" * (3 * tokens - 30), max_tokens=length)
        toll = budget.toll(role, MODEL if role == "model" else JUDGE, asked)
        try:
            await place.run(attempt, toll=toll)
        except CallError as error:
            assert error.cause == OVER_BUDGET

    async def all_of_them() -> None:
        pools = {"model": pool(concurrency), "judge": pool(concurrency)}
        await asyncio.wait_for(
            asyncio.gather(*(one(role, t, n, pools[role]) for role, t, n in calls)), 20
        )

    asyncio.run(all_of_them())
    return budget, made


@given(
    st.floats(1e-4, 2e-2),
    st.lists(
        st.tuples(st.sampled_from(["model", "judge"]), st.integers(11, 2_000), st.integers(1, 500)),
        max_size=25,
    ),
    st.integers(1, 8),
)
def test_it_is_never_passed_and_nobody_waits_for_ever(
    limit: float, calls: list[tuple[str, int, int]], concurrency: int
) -> None:
    budget, made = spend(limit, calls, concurrency)
    assert budget.spent < limit
    whole = sum(PRICE.of(tokens, length) for _, tokens, length in calls)
    # Rounding of the estimate of a prompt aside, what fits is asked whole.
    if whole < limit * 0.999:
        assert len(made) == len(calls)


def test_calls_wait_for_room_that_others_may_leave() -> None:
    # Each reserves 1,100 µUSD and costs 600; the sixth would have no room beside five.
    budget, under_way, most = make(5_600 * PER_MILLION), 0, 0

    async def attempt() -> Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return reply(100, 50)

    async def all_of_them() -> list[Any]:
        calls = pool(16)
        tolls = [budget.toll("model", MODEL, request(max_tokens=100)) for _ in range(16)]
        asking = (calls.run(attempt, toll=toll) for toll in tolls)
        return await asyncio.gather(*asking, return_exceptions=True)

    found = asyncio.run(all_of_them())
    answered = [one for one in found if not isinstance(one, CallError)]
    assert most == 5
    assert len(answered) == 8  # 4,800 µUSD; a ninth might have passed 5,600
    assert budget.spent == pytest.approx(4_800 * PER_MILLION)


def test_verdicts_on_what_was_answered_may_go_on_where_no_answer_can() -> None:
    calls = [("model", 1_000, 100), ("model", 1_000, 100), ("judge", 100, 10)]
    _, made = spend(2_500 * PER_MILLION, calls, concurrency=1)
    assert sorted(made) == ["judge", "model"]


def test_no_answer_is_paid_for_where_a_verdict_was_refused() -> None:
    budget = make(1_000 * PER_MILLION)

    async def ask(role: str, payer: object, tokens: int) -> None:
        toll = budget.toll(role, payer, request("x" * (3 * tokens - 30), max_tokens=1))
        assert toll is not None
        async with toll:
            toll.tell({"prompt_tokens": tokens, "completion_tokens": 1})

    with pytest.raises(CallError):
        asyncio.run(ask("judge", JUDGE, 2_000))
    with pytest.raises(CallError):
        asyncio.run(ask("model", MODEL, 20))
    assert budget.spent == 0.0


@pytest.mark.parametrize(
    ("limit", "keeps", "told"),
    [
        (0.001, True, "A single model call may cost up to $0.0103: raise the budget, or limit "
         "the reply with --mm-param max_tokens=N"),
        (0.011, True, "Run the same command again to go on"),
        (0.011, False, "another run begins anew: raise the budget"),
    ],
)  # fmt: skip
def test_the_message_says_what_helps(limit: float, keeps: bool, told: str) -> None:
    budget = make(limit)

    async def ask() -> None:
        toll = budget.toll("model", MODEL, request())
        assert toll is not None
        async with toll:
            toll.tell({"prompt_tokens": 100, "completion_tokens": 100})

    for _ in range(3):
        try:
            asyncio.run(ask())
        except CallError:
            break
    message = budget.message(5, 9, keeps)
    assert f"the budget of ${limit:g} was passed (--mm-budget)" in message
    assert "5 of 9 samples left" in message
    assert told in message


def test_an_unknown_price_is_named_with_the_way_to_give_it() -> None:
    plan = made_plan(made_samples(1), ("openai:a", "openai:b"), budget=1.0)
    models = {"openai:a": StubModel(), "openai:b": StubModel()}
    prices = {"openai:a": PRICE, "openai:b": None, "j": None}
    with pytest.raises(UsageError) as caught:
        open_budget(plan, models, StubJudge(), prices)
    assert "the price of openai:b, j, which is unknown" in str(caught.value)
    assert '"b" = { input' in str(caught.value)

    budget = open_budget(plan, models, StubJudge(), {**prices, "openai:b": FREE, "j": PRICE})
    tolls = [budget.toll("model", model, request()) for model in models.values()]
    assert [toll is None for toll in tolls] == [False, True]
    assert budget.toll("judge", object(), None, "answer") is not None
