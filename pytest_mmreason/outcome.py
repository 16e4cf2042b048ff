"""How what happened to a sample is written into its record (pure)."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mmreason import imaging
from pytest_mmreason.errors import OVER_BUDGET, CallError, JudgeError
from pytest_mmreason.models.base import Response, reasons
from pytest_mmreason.plan import RunSpec
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import JUDGE_ERROR, MISSING, MODEL_ERROR, REFUSED, SCORED, Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.spread import sd_of
from pytest_mmreason.verdict import Verdict

FILTERED = "content_filter"
"""The finish reason, and the cause of an error, where a provider's filter stopped an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response and what it took to get it."""

    response: Response
    attempts: int
    cached: bool
    latency_s: float
    images: tuple[Mapping[str, Any], ...]

    @property
    def usage(self) -> dict[str, int]:
        """Calls and tokens spent in this run; none for a cached or recorded answer."""
        if not self.attempts:
            return {}
        return {"calls": self.attempts, **self.response.usage}


def draft_record(
    run: RunSpec, sample: Sample, repeat: int, judge: str, prompt: Prompt | None
) -> Record:
    """A record that knows its sample and its run, and no outcome yet."""
    return Record(
        benchmark=run.benchmark.name,
        sample=sample.id,
        model=run.model,
        judge=judge,
        prompt=run.prompt,
        repeat=repeat,
        status=MISSING,
        category=sample.category,
        complexity=sample.complexity,
        counter_intuitive=sample.counter_intuitive,
        capabilities=sample.capabilities,
        tags=sample.tags,
        weight=sample.weight,
        images=tuple(imaging.describe_unopened(sample.images)),
        prompt_sha256=prompt.sha256 if prompt else None,
    )


def with_verdicts(draft: Record, verdicts: Sequence[Verdict | None], **more: Any) -> Record:
    """`draft` as scored: the means over `verdicts`, the first one's words.

    verdicts: by judge run, None where one brought none; at least one is there.
    more: other fields of the record that are known now.
    """
    given = [verdict for verdict in verdicts if verdict is not None]
    answer_only = [v.score_answer_only for v in given if v.score_answer_only is not None]
    confidence = [v.confidence for v in given if v.confidence is not None]
    credits: dict[int, list[float]] = {}
    for verdict in given:
        for step in verdict.steps:
            credits.setdefault(step.step, []).append(step.credit)
    notes = dict.fromkeys(note for verdict in given for note in verdict.notes)
    flags = (*draft.flags, *notes)
    if absent := len(verdicts) - len(given):
        flags = (*flags, f"{absent} of {len(verdicts)} judge runs gave no verdict")
    return dataclasses.replace(
        draft,
        status=SCORED,
        reason="",
        score=_mean([v.score for v in given]),
        scores=tuple(v.score if v else None for v in verdicts),
        sd=sd_of(verdict.score for verdict in given),
        judge_models=_judge_models(verdicts),
        score_answer_only=_mean(answer_only),
        confidence=_mean(confidence),
        steps=tuple({"step": n, "credit": _mean(c)} for n, c in sorted(credits.items())),
        rationale=given[0].rationale,
        flags=flags,
        **more,
    )


def _judge_models(verdicts: Sequence[Verdict | None]) -> tuple[str | None, ...]:
    """By judge run, what the judge's endpoint called itself; empty if none of them did."""
    names = tuple(verdict.judge_model if verdict else None for verdict in verdicts)
    return names if any(names) else ()


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def with_answer(draft: Record, answer: Answer) -> Record:
    response = answer.response
    # The sample's own images alone: those of worked examples are none of it.
    opened = {image["path"]: image for image in answer.images}
    return dataclasses.replace(
        draft,
        response=response.text,
        finish_reason=response.finish_reason,
        usage={"model": answer.usage} if answer.usage else {},
        latency_s=answer.latency_s,
        attempts=answer.attempts,
        cached=answer.cached,
        flags=("cut short",) if response.finish_reason == "length" else (),
        images=tuple(opened.get(image["path"], image) for image in draft.images),
    )


def joined(first: Answer, second: Answer) -> Answer:
    """Both answers as one: what the judge reads where the steps were asked for."""
    # Of what was spent in this run: a cached answer brings its old token counts along.
    spent = (first.usage, second.usage)
    names = ("prompt_tokens", "completion_tokens")
    tokens = {name: sum(used.get(name, 0) for used in spent) for name in names}
    response = dataclasses.replace(
        second.response, text=f"{first.response.text}\n\n{second.response.text}", usage=tokens
    )
    return Answer(
        response,
        first.attempts + second.attempts,
        first.cached and second.cached,
        first.latency_s + second.latency_s,
        first.images,
    )


def failed(draft: Record, error: CallError) -> Record:
    """`draft` ended by `error`; the calls that were made in vain are counted."""
    if error.attempts > 0:
        used = Counter(draft.usage.get("model", {}))
        used.update({"calls": error.attempts, **error.usage})
        usage = {**draft.usage, "model": dict(used)}
        draft = dataclasses.replace(draft, attempts=error.attempts, usage=usage)
    if error.cause == OVER_BUDGET:
        flags = (*draft.flags, OVER_BUDGET)
        return dataclasses.replace(draft, status=MISSING, reason=str(error), flags=flags)
    if isinstance(error, JudgeError):
        return dataclasses.replace(
            draft, status=JUDGE_ERROR, reason=str(error), rationale=error.detail or ""
        )
    if error.cause == FILTERED:
        return dataclasses.replace(draft, status=REFUSED, reason=str(error), score=0.0)
    return dataclasses.replace(
        draft, status=MODEL_ERROR, reason=str(error), rationale=error.detail or ""
    )


def empty(draft: Record, judge_runs: int, response: Response) -> Record:
    """Reasoning that never closed is a cut-off answer; nothing at all scores 0 unjudged."""
    if reasons(response.text):
        reason = "truncated: the model's reasoning was never closed, so it gave no answer"
        return dataclasses.replace(draft, status=MODEL_ERROR, reason=reason)
    return dataclasses.replace(
        draft, status=SCORED, reason="empty answer", score=0.0, scores=(0.0,) * judge_runs
    )
