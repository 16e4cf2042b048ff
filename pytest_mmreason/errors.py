"""The errors of this package: each message says what happened, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches


class MMReasonError(Exception):
    """Base of every error that this package raises on purpose."""


class UsageError(MMReasonError):
    """An option, spec or row name that cannot be used; pytest exits with 4."""


class BenchmarkError(MMReasonError):
    """A benchmark that cannot be read; carries every fault found, not the first only."""

    def __init__(self, where: str, faults: Sequence[str]) -> None:
        self.where = where
        self.faults = tuple(faults)
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__("\n".join([f"{where}: {count}", *(f"  {fault}" for fault in self.faults)]))


class DataError(MMReasonError):
    """An image of one sample that cannot be sent: missing, unreadable, outside its folder."""


OVER_BUDGET = "over budget"
"""The cause of a call that was not made, and the flag of a record that so lacks something."""

NOT_ASKED = -1
"""In place of an error's attempts: the call was refused here, and never made."""


class CallError(MMReasonError):
    """A call to a model or judge that brought no usable reply.

    ``retryable`` calls are tried again; ``fatal`` ones would fail for every sample
    (a rejected key, an unknown model, an unreachable endpoint) and stop the run.
    ``retry_after_s`` is the pause in seconds that the endpoint asked for; ``attempts`` is
    how many calls were made in vain; ``usage`` their tokens, where a reply told them.
    """

    def __init__(
        self,
        message: str,
        *,
        cause: str = "error",
        retryable: bool = False,
        fatal: bool = False,
        retry_after_s: float | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.retryable = retryable
        self.fatal = fatal
        self.retry_after_s = retry_after_s
        self.detail = detail
        self.attempts = 0
        self.usage: Mapping[str, int] = {}


class ModelError(CallError):
    """The model under test brought no answer."""


class JudgeError(CallError):
    """The judge brought no valid verdict."""


class MissingPrediction(MMReasonError):
    """A recorded run holds no answer for this sample."""


def runs_out_of_memory(error: BaseException) -> bool:
    """True if `error` tells of memory that ran out, in the words of whichever library."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and any(
        words in text
        for words in ("out of memory", "can't allocate memory", "not enough memory", "alloc_failed")
    )


def nearest(name: str, known: Iterable[str], limit: int = 3) -> str:
    """A sentence that offers the names closest to `name`, or lists what there is."""
    names = sorted(set(known))
    # Of numbers, those that look alike are not near.
    folded = {c.casefold(): c for c in names if not (name.isdecimal() and c.isdecimal())}
    close = get_close_matches(name.casefold(), list(folded), n=limit, cutoff=0.5)
    if close:
        return "Did you mean " + " or ".join(repr(folded[match]) for match in close) + "?"
    if not names:
        return "There is none to choose from."
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"Known: {shown}."
