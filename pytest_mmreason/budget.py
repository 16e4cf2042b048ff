"""``--mm-budget``: no call begins whose cost might carry the run past it.

What a call will cost is not known before it ends, so each reserves an estimate first. The
tokens of its prompt are taken as a third of its UTF-8 bytes and IMAGE_TOKENS an image,
corrected by what the calls of that model have shown so far; those of its reply as its token
limit, or without one as FIRST_REPLY, or twice the longest so far. Calls wait while others are
in flight, whose real cost may leave room; the last that finds none ends its role.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import NOT_ASKED, OVER_BUDGET, CallError, MMReasonError, UsageError
from pytest_mmreason.models.base import Request
from pytest_mmreason.pricing import FREE, Price, key_of
from pytest_mmreason.registry import FIXTURE
from pytest_mmreason.reports.text import count, usd

if TYPE_CHECKING:
    from pytest_mmreason.judges.base import Judge
    from pytest_mmreason.models.base import ModelAdapter
    from pytest_mmreason.plan import Plan

IMAGE_TOKENS = 1_600
FIRST_REPLY = 1_024
_LIMITS = ("max_completion_tokens", "max_tokens", "max_new_tokens")
_UNBILLED = frozenset({"no connection", "unreachable", "no endpoint", "quota", "content_filter"})
"""Causes of failed calls that no provider answered; a number is an HTTP status, likewise."""


class Budget:
    """The money of one run; belongs to the event loop of the engine.

    limit:  USD that the run may cost. prices: of each model and judge that was made, by id;
            lent: of those that the session's fixtures bring later, by role.
    """

    def __init__(
        self, limit: float, prices: Mapping[int, Price], lent: Mapping[str, Price]
    ) -> None:
        self.limit = limit
        self.spent = 0.0
        self._reserved = 0.0
        self._prices = prices
        self._lent = lent
        self._habits: dict[int | str, _Habit] = {}
        self._closed: set[str] = set()
        self._refused: tuple[str, float] | None = None
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    def toll(self, role: str, payer: Any, request: Request | None, text: str = "") -> Toll | None:
        """What a call of `payer` has to be wrapped in; None if it costs nothing.

        text: what is sent where no request tells.
        """
        price = self._prices.get(id(payer), self._lent.get(role))
        if price is None or price.is_free:
            return None
        # A fixture of a worker is lent anew for each record, and is one model all the same.
        key = id(payer) if id(payer) in self._prices else role
        habit = self._habits.setdefault(key, _Habit())
        prompt = request.prompt.text if request else text
        tokens = len(prompt.encode("utf-8", "surrogatepass")) / 3 + 10
        tokens += IMAGE_TOKENS * len(request.prompt.images) if request else 0
        limit = next((v for n in _LIMITS if _is_count(v := _param(request, n))), None)
        return Toll(self, role, price, habit, tokens, limit)

    async def reserve(self, role: str, amount: float) -> None:
        """Wait for room for `amount`; CallError if there will be none."""
        while True:
            if role in self._closed:
                break
            if self.spent + self._reserved + amount < self.limit:
                self._reserved += amount
                return
            if not self._reserved:
                # Answers that nobody can judge are not worth their price; verdicts on those
                # that are there may still be within it.
                self._closed |= {"model", role}
                self._refused = self._refused or (role, amount)
                self._wake()
                break
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((role, turn))
            await turn
        refusal = CallError(
            f"not asked: the {role} call might have cost more than what is left of the budget "
            f"of ${self.limit:g} (--mm-budget)",
            cause=OVER_BUDGET,
        )
        refusal.attempts = NOT_ASKED
        raise refusal

    def settle(self, reserved: float, cost: float) -> None:
        """A call that had reserved so much has cost so much."""
        self._reserved -= reserved
        self.spent += cost
        if self._reserved < 1e-12:  # the rounding of many sums
            self._reserved = 0.0
        self._wake()

    def message(self, left: int, samples: int, keeps: bool) -> str:
        """What is to be said where `left` of `samples` lack a call. keeps: the cache is on."""
        role, amount = self._refused or ("", 0.0)
        if amount >= self.limit:
            option = "--mm-param" if role == "model" else "--mm-judge-param"
            again = (
                f"A single {role} call may cost up to {usd(amount)}: raise the budget, or limit "
                f"the reply with {option} max_tokens=N"
            )
        elif keeps:
            again = "Run the same command again to go on: finished answers come from the cache"
        else:
            again = "The cache is off (--mm-cache), so another run begins anew: raise the budget"
        return (
            f"stopped before the budget of ${self.limit:g} was passed (--mm-budget): "
            f"{usd(self.spent)} spent, {left} of {count(samples, 'sample')} left. {again}"
        )

    def _wake(self) -> None:
        """Let everybody who waits look again, judges first: what they finish counts."""
        waiting, self._waiting = self._waiting, []
        for _, turn in sorted(waiting, key=lambda one: one[0] != "judge"):
            if not turn.done():
                turn.set_result(None)


class _Habit:
    """What the calls of one model have shown: real tokens to estimated ones, longest reply."""

    def __init__(self) -> None:
        self.ratio = 0.0
        self.longest = 0


class Toll:
    """An asynchronous context manager around one attempt: reserves before it, settles after it.

    tokens: the first estimate of the prompt's. limit: the most that the reply may have.
    """

    def __init__(
        self,
        budget: Budget,
        role: str,
        price: Price,
        habit: _Habit,
        tokens: float,
        limit: int | None,
    ) -> None:
        self._budget = budget
        self._role = role
        self._price = price
        self._habit = habit
        self._tokens = tokens
        self._limit = limit
        self._reserved = 0.0
        self._usage: Mapping[str, int] = {}

    @property
    def estimate(self) -> float:
        """USD that the call may cost, by what is known now."""
        reply = self._limit or max(FIRST_REPLY, 2 * self._habit.longest)
        return self._price.of(self._tokens * (self._habit.ratio or 1.0), reply)

    def tell(self, usage: Mapping[str, int]) -> None:
        """Hear of the tokens that the reply told."""
        self._usage = usage

    async def __aenter__(self) -> Toll:
        amount = self.estimate
        await self._budget.reserve(self._role, amount)
        self._reserved, self._usage = amount, {}
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        usage = self._usage or getattr(error, "usage", {})
        prompt, reply = (usage.get(f"{name}_tokens", 0) for name in ("prompt", "completion"))
        cost = self._price.of(prompt, reply)
        if prompt or reply:
            self._habit.ratio = max(self._habit.ratio, prompt / self._tokens)
            self._habit.longest = max(self._habit.longest, reply)
        elif not _is_unbilled(error):
            # Nobody told what it cost: a call that was cut off may have been billed whole.
            cost = self._reserved
        self._budget.settle(self._reserved, cost)


def open_budget(
    plan: Plan,
    models: Mapping[str, ModelAdapter | None],
    judge: Judge | None,
    prices: Mapping[str, Price | None],
) -> Budget:
    """The budget that `plan` asks for. UsageError if it needs a price that is unknown.

    models: by spec, None where a fixture brings it; judge: likewise. prices: see `prices_of`.
    """
    settings = plan.settings
    assert settings.budget is not None
    specs = {run.spec: (run.asked, prices[run.model]) for run in plan.runs}
    known = _known({**dict(specs.values()), settings.judge: prices[plan.judge]})
    made = {id(model): known[specs[spec][0]] for spec, model in models.items() if model}
    payer = getattr(judge, "adapter", None) or judge
    made[id(payer)] = known[settings.judge]
    lent = {"model": known.get(FIXTURE, FREE), "judge": known[settings.judge]}
    return Budget(settings.budget, made, lent)


def _known(prices: Mapping[str, Price | None]) -> dict[str, Price]:
    """`prices` by spec, all of which are known; UsageError if one is not."""
    if unknown := [spec for spec, price in prices.items() if price is None]:
        name = key_of(unknown[0])
        raise UsageError(
            f"--mm-budget needs the price of {', '.join(unknown)}, which is unknown. Give it in a "
            "TOML file, 0 for calls that cost nothing, and name that with --mm-prices=FILE:\n"
            f'  [models]\n  "{name}" = {{ input = 2.5, output = 10.0 }}  # USD per million tokens'
        )
    return {spec: price for spec, price in prices.items() if price is not None}


def _is_unbilled(error: BaseException | None) -> bool:
    """True if no provider did any work: it refused the call, or the call was never sent."""
    if isinstance(error, CallError):
        return error.cause.isdecimal() or error.cause in _UNBILLED
    return isinstance(error, MMReasonError)  # an image that cannot be sent


def _param(request: Request | None, name: str) -> Any:
    return request.params.get(name) if request else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
