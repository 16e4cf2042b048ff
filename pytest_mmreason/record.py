"""The record: everything about one sample of one run, and the only wire format.

A record crosses processes, lies in the journal and in ``results.jsonl`` as one line of
ASCII JSON, so that no reader ever meets a NaN, a lone surrogate or a terminal escape.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import MISSING as MISSING_DEFAULT
from dataclasses import dataclass, field
from typing import Any, NamedTuple

SCHEMA = 1
_ENCODER = json.JSONEncoder(allow_nan=False, default=dict)

SCORED = "scored"
UNJUDGED = "unjudged"
REFUSED = "refused"
MODEL_ERROR = "model_error"
JUDGE_ERROR = "judge_error"
DATA_ERROR = "data_error"
MISSING = "missing"

STATUSES = (SCORED, UNJUDGED, REFUSED, MODEL_ERROR, JUDGE_ERROR, DATA_ERROR, MISSING)
ERRORS = frozenset({MODEL_ERROR, JUDGE_ERROR, DATA_ERROR, MISSING})
COUNTED = frozenset({SCORED, REFUSED})
"""Statuses that always enter the means."""


class RecordKey(NamedTuple):
    """What identifies a record; equal keys are one record, counted once."""

    benchmark: str
    model: str
    prompt: str
    sample: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Record:
    """Everything about one sample of one run.

    score:             in [0, 1], the mean of `scores`; 0.0 when refused, None unless
                       scored or refused.
    scores:            one entry a judge run, None where a run brought no valid verdict.
    sd:                of the verdicts in `scores`, in [0, 1] (ddof 0); None for fewer than two.
    judging:           how the judge came to its verdicts: this package's version, the judge's
                       own, protocol, prompt by name and hash, parameters, recorded grades by
                       name and hash; empty where no judge was asked.
    judge_models:      by judge run, the judge's name as its endpoint or a recording gave it;
                       empty where none did.
    steps:             per reference step, ``{"step": number from 1, "credit": [0, 1]}``.
    response:          the raw text of the model, reasoning and all.
    usage:             by role, ``{"calls", "prompt_tokens", "completion_tokens"}``.
    latency_s:         seconds that the model took for its answer, retries included.
    attempts:          calls made to the model for this answer; 0 from cache or recording.
    cached:            True if no call was made, to the model nor to the judge.
    images:            ``{"path", "sha256", "size": [w, h]}``, with "sent" where resized.
    """

    benchmark: str
    sample: str
    model: str
    judge: str
    prompt: str
    repeat: int
    status: str
    reason: str = ""
    score: float | None = None
    scores: tuple[float | None, ...] = ()
    judge_models: tuple[str | None, ...] = ()
    judging: Mapping[str, Any] = field(default_factory=dict)
    sd: float | None = None
    score_answer_only: float | None = None
    steps: tuple[Mapping[str, Any], ...] = ()
    rationale: str = ""
    confidence: float | None = None
    response: str | None = None
    finish_reason: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    latency_s: float = 0.0
    attempts: int = 0
    cached: bool = False
    flags: tuple[str, ...] = ()
    category: str = ""
    complexity: str = ""
    counter_intuitive: bool = False
    capabilities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    images: tuple[Mapping[str, Any], ...] = ()
    prompt_sha256: str | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status {self.status!r} is none of {', '.join(STATUSES)}")

    @property
    def key(self) -> RecordKey:
        """(benchmark, model, prompt, sample, repeat)."""
        return RecordKey(self.benchmark, self.model, self.prompt, self.sample, self.repeat)

    @property
    def is_error(self) -> bool:
        """True if the sample brought no verdict because something failed."""
        return self.status in ERRORS

    def to_json(self) -> str:
        """One line of ASCII JSON without NaN."""
        # Not asdict, which copies everything in depth: this is done for every record.
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return _ENCODER.encode({"schema": SCHEMA, **values})

    @classmethod
    def from_json(cls, text: str, without: Container[str] = ()) -> Record:
        """The record that :meth:`to_json` wrote; fields of later schemas are ignored.

        without: names of fields that are left at their defaults. Raises ValueError if the
        text is no record.
        """
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("a record is a JSON object")
        known = cls.__dataclass_fields__
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data.items()
            if name in known and name not in without
        }
        try:
            return cls(**values)
        except TypeError:
            lacking = [
                name
                for name, one in known.items()
                if one.default is MISSING_DEFAULT and one.default_factory is MISSING_DEFAULT
                if name not in values
            ]
            raise ValueError(f"not a record: it lacks {', '.join(lacking)}") from None


def judging_of(records: Iterable[Record]) -> Mapping[str, Any]:
    """How the judge came to its verdicts, as the records of a run say; empty where none does."""
    return next((record.judging for record in records if record.judging), {})


def judge_models_of(records: Iterable[Record]) -> list[str]:
    """What the judge's endpoint called itself, each name once."""
    names = (name for record in records for name in record.judge_models if name)
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A record, and the message that stops the run if no later sample could fare better."""

    record: Record
    stop: str | None = None
