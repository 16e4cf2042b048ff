"""What a failed item tells: why, what to do about it, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_mmreason.benchmarks.opening import OFFICIAL
from pytest_mmreason.errors import OVER_BUDGET
from pytest_mmreason.record import DATA_ERROR, Record
from pytest_mmreason.reports.text import LONGEST_SHOWN, inert, rerun_hint


def problem_of(record: Record, cache: str, item_threshold: float | None = None) -> str | None:
    """Why the item fails, what to do about it, and how to run it again; None if it passes.

    cache: the value of ``--mm-cache``.
    """
    if record.is_error:
        what = f"{record.status}: {record.reason}"
        # A run that asks nobody brings no more the next time.
        asks = cache != "only" or record.status not in ("model_error", "judge_error")
        advice = advice_on(record) if asks else ""
        detail = f"\n{record.rationale}" if record.rationale else ""
    elif item_threshold is not None and record.score is not None and record.score < item_threshold:
        what = f"scored {record.score:.2f}, below --mm-item-threshold={item_threshold:g}"
        advice = f"answer: {(record.response or '')[:300]!r}"
        detail = f"\n{record.rationale}" if record.rationale else ""
    else:
        return None
    # Reason and detail may hold a model's whole output; the record keeps what is cut here.
    what, detail = (inert(t, keep_newlines=True, limit=LONGEST_SHOWN) for t in (what, detail))
    return f"{inert(record.sample)}: {what}\n{inert(advice)}\n{rerun_hint(record)}{detail}"


def properties_of(record: Record) -> Mapping[str, str | float]:
    """What JUnit's XML tells of a sample; any character of it may stand there.

    Left out is what a sample has not: a score, a category, a complexity, a second repeat.
    """
    told = {
        "sample": inert(record.sample),
        "status": record.status,
        "score": record.score,
        "benchmark": inert(record.benchmark),
        "model": inert(record.model),
        "judge": inert(record.judge),
        "prompt": record.prompt,
        "repeat": record.repeat or None,
        "category": inert(record.category),
        "complexity": inert(record.complexity),
    }
    return {name: value for name, value in told.items() if value is not None and value != ""}


def advice_on(record: Record) -> str:
    """What to do about an error."""
    if record.status == DATA_ERROR and " is a link to " in record.reason:
        return "Without images the sample runs as it is (--mm-images=none)."
    if OVER_BUDGET in record.flags:
        return "Run it again, or raise --mm-budget: finished answers come from the cache."
    if record.status != DATA_ERROR or "is missing below" not in record.reason:
        return _ADVICE.get(record.status, "")
    get = "Put the file there"
    if record.benchmark in OFFICIAL:
        get = (
            "Get the images (python -m pytest_mmreason fetch "
            f"{record.benchmark} NEW_DIR brings them all)"
        )
    return f"{get}, or run without images (--mm-images=none)."


_ADVICE = {
    "model_error": "The model brought no answer. Nothing was cached; the next run asks again.",
    "judge_error": "The answer is kept, but the judge brought no valid verdict; the next run judges it again.",
    "data_error": "Mend the file, or run without images (--mm-images=none).",
    "missing": "There is no recorded answer; the sample is left out of the means.",
}
