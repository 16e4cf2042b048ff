"""What the report's sample browser shows, as JSON that nothing in it can end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from pytest_mmreason.record import Record
from pytest_mmreason.reports.failure import advice_on
from pytest_mmreason.reports.html.pictures import Pictures
from pytest_mmreason.reports.text import rerun_hint
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import sample_score
from pytest_mmreason.summary import RunResult, Summary

LONGEST = 20_000
"""Characters of one text that the report holds; ``results.jsonl`` has all."""

_TEXTS = ("reason", "rationale", "response")
_PLAIN = (
    "repeat", "status", "score", "scores", "sd", "score_answer_only", "confidence", "judge_models",
    "finish_reason", "flags", "usage", "latency_s", "attempts", "cached",
)  # fmt: skip
"""The fields of a record that are shown as they are."""

_GROUPS = ("category", "complexity", "counter_intuitive", "capabilities", "tags", "weight")


class Data:
    """The samples, thumbnails and records of a report, each as the text of a JSON block.

    Blocks come in pieces, so that no more than one record's texts is in memory.
    """

    def __init__(self, summary: Summary, folder: Path, whole: Callable[[Record], Record]) -> None:
        self._runs = summary.runs
        self._whole = whole
        self._entries: dict[tuple[str, str], tuple[int, Sample | None, Record]] = {}
        for run in summary.runs:
            known = {sample.id: sample for sample in run.spec.benchmark.samples}
            for record in run.records:
                key = (record.benchmark, record.sample)
                if key not in self._entries:
                    number = len(self._entries)
                    self._entries[key] = (number, known.get(record.sample), record)
        self._pictures = Pictures(
            (ref for _, sample, _ in self._entries.values() if sample for ref in sample.images),
            folder,
        )

    def thumbnails(self) -> Iterator[Markup]:
        """A list of data URLs, to which the samples' images refer."""
        return _listed(self._pictures.thumbnails())

    def samples(self) -> Iterator[Markup]:
        """What was asked, each sample once however many runs asked it; after the thumbnails."""
        return _listed(self._sample(sample, record) for _, sample, record in self._entries.values())

    def records(self, index: int) -> Iterator[Markup]:
        """What came of each sample in one run, in collection order."""
        run = self._runs[index]
        repeats: dict[str, list[Record]] = {}
        for record in run.records:
            repeats.setdefault(record.sample, []).append(record)
        earlier = _earlier(run)
        return _listed(
            self._result(records, earlier.get(sample)) for sample, records in repeats.items()
        )

    def _sample(self, sample: Sample | None, record: Record) -> dict[str, Any]:
        source = sample or record
        content: dict[str, Any] = {
            "id": record.sample,
            "benchmark": record.benchmark,
            **{name: getattr(source, name) for name in _GROUPS},
            "rerun": rerun_hint(record),
        }
        if sample is None:
            images = [{"path": image["path"], "note": _NO_BENCHMARK} for image in record.images]
            return _without_empty({**content, "images": images, "unknown": _NO_BENCHMARK})
        run = next(r for r in self._runs if r.spec.benchmark.name == record.benchmark)
        return _without_empty(
            {
                **content,
                "question": _clipped(sample.question),
                "answer": _clipped(sample.answer),
                "steps": [_clipped(step) for step in sample.steps],
                "images": [self._pictures.shown(ref) for ref in sample.images],
                "note": run.spec.benchmark.sample_notes.get(sample.id, ""),
            }
        )

    def _result(self, records: Sequence[Record], before: float | None) -> dict[str, Any]:
        first = records[0]
        return {
            "sample": self._entries[first.benchmark, first.sample][0],
            "score": sample_score(records),
            **({} if before is None else {"before": before}),
            "repeats": [self._repeat(self._whole(record)) for record in records],
        }

    def _repeat(self, record: Record) -> dict[str, Any]:
        content = {name: getattr(record, name) for name in _PLAIN}
        content |= {name: _clipped(getattr(record, name)) for name in _TEXTS}
        content["credits"] = {step["step"]: step["credit"] for step in record.steps}
        content["advice"] = advice_on(record) if record.is_error else ""
        return _without_empty(content)


_NO_BENCHMARK = "not shown: the benchmark was not at hand when the report was made"


def _earlier(run: RunResult) -> Mapping[str, float]:
    """By sample, its score in the run that this one is compared with."""
    found = run.comparison
    return {one.sample: one.before for one in found.samples} if found else {}


def _listed(items: Iterable[Any]) -> Iterator[Markup]:
    """A JSON list, an item a line."""
    start = "["
    for item in items:
        yield Markup(start) + htmlsafe_json_dumps(item, dumps=_dumps)
        start = ",\n"
    yield Markup("[]" if start == "[" else "]")


def _dumps(value: Any, **_: Any) -> str:
    # ASCII: neither a line separator nor half a pair is there as such.
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=dict)


def _clipped(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}…\n\n[the first {LONGEST:,} of {len(text):,} characters]"


def _without_empty(content: Mapping[str, Any]) -> dict[str, Any]:
    """`content` without what says nothing; 0 and "scored" say something."""
    return {k: v for k, v in content.items() if v is not False and v not in (None, "", (), [], {})}
