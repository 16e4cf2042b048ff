"""A judge that is a user's own function."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from numbers import Real
from typing import Any, Protocol

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import INVALID, Ask, JudgeTask
from pytest_mmreason.models.base import ModelAdapter, Response
from pytest_mmreason.verdict import Verdict


class Caller(Protocol):
    """Calls a user's function, sync or async, so that the event loop never waits for it."""

    @property
    def max_concurrency(self) -> int | None:
        """Calls at a time that the function can take; None leaves it to the engine."""
        ...

    @property
    def is_async(self) -> bool:
        """True if a call that times out is over; a plain function's goes on in its thread."""
        ...

    async def call(self, *args: object) -> object:
        """What the function returns; its exceptions pass through."""
        ...

    async def aclose(self) -> None:
        """Let go of the thread."""
        ...


class FunctionJudge:
    """Judges by ``judge(sample, response) -> float | Verdict``.

    caller:   calls the function; `response` is a Response, and ``str(response)`` its text.
    name:     what the summary calls it.
    identity: everything that can change a verdict, such as a hash of the source.
    """

    adapter: ModelAdapter | None = None
    offline = False
    cacheable = True

    def __init__(self, caller: Caller, name: str, identity: Mapping[str, Any]) -> None:
        self._caller = caller
        self._identity = dict(identity)
        self.name = name
        self.max_concurrency = caller.max_concurrency
        self.retry_timeouts = caller.is_async

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """The function's identity and the protocol."""
        return {"judge": "function", "name": self.name, **self._identity, "protocol": protocol}

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The function's verdict, score in [0, 1].

        Raises JudgeError with the cause ``judge raised`` if the function raised (the
        traceback is its detail), ``invalid verdict`` if it returned anything but a
        Verdict or a number in [0, 1].
        """
        where = f"Sample {task.sample.id!r}: the judge {self.name}"
        try:
            value: Any = await self._caller.call(task.sample, Response(task.response))
        except JudgeError:
            raise
        except Exception as error:
            raise JudgeError(
                f"{where} raised {type(error).__name__}: {error}",
                cause="judge raised",
                detail="".join(traceback.format_exception(error)),
            ) from error
        if isinstance(value, Verdict):
            return value
        if _is_score(value):
            return Verdict(float(value))
        raise JudgeError(
            f"{where} returned {_shown(value)}; return a float in [0, 1] or a Verdict",
            cause=INVALID,
        )

    async def aclose(self) -> None:
        """Let go of the function's thread."""
        await self._caller.aclose()


def _is_score(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    # compared before float(), which overflows on a huge integer
    return is_number and bool(0 <= value <= 1)


def _shown(value: object, limit: int = 120) -> str:
    try:
        shown = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
