"""What every judge is.

A judge turns one :class:`JudgeTask` into one :class:`~pytest_mmreason.verdict.Verdict`.
A judge that asks a model does so through the `ask` it is handed: the engine puts limits,
retries and timeouts behind it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pytest_mmreason import __version__
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

INVALID = "invalid verdict"
"""The cause of an error where a judge's replies hold no clear score."""

Ask = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One response to judge.

    sample:   with its reference; `sample.answer` is not None.
    response: the text to judge, without the model's reasoning block; not blank.
    protocol: ``infimm-eval`` or ``mm-vet``.
    run:      index of the judge run, from 0.
    """

    sample: Sample
    response: str
    protocol: str = "infimm-eval"
    run: int = 0


def provenance(judge: Judge, protocol: str) -> Mapping[str, Any]:
    """How `judge` comes to its verdicts under `protocol`, and by which version of this package.

    A judge that does not say it in a method ``provenance`` is told by the version and the
    hash of its identity: what else stands in there may be secret.
    """
    told = getattr(judge, "provenance", None)
    if told is not None:
        return {"package": __version__, **told(protocol)}
    identity = judge.identity(protocol)
    content = json.dumps(identity, sort_keys=True, default=str)
    return {
        "package": __version__,
        "protocol": protocol,
        **({"version": identity["version"]} if "version" in identity else {}),
        "identity_sha256": hashlib.sha256(content.encode("ascii")).hexdigest(),
    }


class InvalidVerdict(ValueError):
    """A judge's reply that holds no clear score in [0, 1]; says why."""


@runtime_checkable
class Judge(Protocol):
    """Something that can judge.

    name:            what the summary calls it.
    adapter:         the model that it asks through `ask`; None if it asks none.
    max_concurrency: verdicts at a time that it can take; None leaves it to the engine.
    offline:         True if a verdict costs neither network nor tokens.
    cacheable:       False if its verdicts are quicker made than kept.

    Two more may be there. ``reads_texts_only`` is True where nothing of a sample but question
    and reference can change a verdict: equal texts then have one verdict, whichever samples
    they are of. ``recorded(task)`` gives a verdict that needs no judging, or None.
    """

    name: str
    adapter: ModelAdapter | None
    max_concurrency: int | None
    offline: bool
    cacheable: bool

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """Everything that can change a verdict under this protocol; enters the cache key."""
        ...

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """One verdict. Raises JudgeError if none can be had."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        ...
