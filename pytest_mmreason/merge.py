"""Shards: what each leaves behind, and how they become the run that was never divided.

Beside its reports a shard writes ``shard.json``: what was asked of whom, every sample of
the benchmarks in order, and how pytest ended. With the records of ``results.jsonl`` this
is all that tables and gates need, so that the benchmark itself need not be at hand.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import UsageError
from pytest_mmreason.gates import EXIT_FAILED, EXIT_OK, Outcome, check_thresholds
from pytest_mmreason.ledger import Journal, Ledger
from pytest_mmreason.plan import Plan, RunSpec, Work, part_of
from pytest_mmreason.pricing import Price
from pytest_mmreason.registry import Registry
from pytest_mmreason.reports.files import official_notes, write_json
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import RowNames
from pytest_mmreason.settings import ErrorQuota, Settings, Shard, Threshold
from pytest_mmreason.summary import Summary, published_beside, summarise

FILE_NAME = "shard.json"
RESULTS = "results.jsonl"
SCHEMA = 1

_SHOWN = ("show", "compare")
"""Of these, shards of one run may differ."""

_OF_OPTION = {"captions": "images=captions", "icl_seed": "seed"}
"""Of what was asked, the options that are called otherwise."""

_TOLD = ("judge", "prompt", "judge_runs", "repeats", "on_error", *_SHOWN)
"""The settings that a summary or its gates speak of, beside what was asked and the two quotas."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shard as it was read.

    asked: what must be the same in every shard of a run. told: what adds up.
    """

    folder: Path
    shard: Shard
    asked: Mapping[str, Any]
    outcome: Outcome
    told: Mapping[str, Any]


def write_part(
    folder: Path,
    plan: Plan,
    outcome: Outcome,
    summary: Summary,
    prices: Mapping[str, Price | None],
) -> None:
    """Write ``shard.json`` into `folder`. Raises OSError."""
    settings = plan.settings
    assert settings.shard is not None
    quota = settings.max_errors
    benchmarks = {run.benchmark.name: run.benchmark for run in plan.runs}
    asked = {
        "settings": {**{name: getattr(settings, name) for name in _TOLD}, **plan.asked},
        "threshold": [[t.row, t.score] for t in settings.threshold],
        "max_errors": [quota.limit, quota.percent] if quota else None,
        "models": list(dict.fromkeys(run.model for run in plan.runs)),
        "benchmarks": [
            _benchmark_to_json(benchmark, plan.whole[name])
            for name, benchmark in benchmarks.items()
        ],
    }
    told = {
        "notes": list(summary.notes),
        "duration_s": summary.duration_s,
        "retries": summary.retries or {},
        "cache_hits": summary.cache_hits or {},
        "details": {run.spec.model: summary.details.get(run.spec.spec, "") for run in summary.runs},
        "grade_order": list(summary.grade_order),
        "prices": {name: p and [p.input, p.output] for name, p in prices.items()},
    }
    content = {
        "schema": SCHEMA,
        "shard": list(settings.shard),
        "asked": asked,
        "outcome": dataclasses.asdict(outcome),
        "told": told,
    }
    write_json(folder / FILE_NAME, content)


def read_part(folder: Path) -> Part:
    """The shard in `folder`. Raises UsageError naming what is absent or unreadable."""
    path = folder / FILE_NAME
    how = "a shard is what pytest --mm-shard=K/N --mm-output=DIR leaves in DIR"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        below = sorted(str(found.parent) for found in folder.glob(f"*/{FILE_NAME}"))
        if below:
            how = f"the folders below it do: merge {' '.join(below)}"
        raise UsageError(f"{folder} holds no {FILE_NAME}; {how}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    try:
        if data["schema"] != SCHEMA:
            raise UsageError(
                f"{path} has schema {data['schema']!r}, this version reads {SCHEMA}; "
                "merge with the version that ran the shard"
            )
        return Part(
            folder, Shard(*data["shard"]), data["asked"], Outcome(**data["outcome"]), data["told"]
        )
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} is no shard ({error}); {how}") from None


@dataclass(frozen=True, slots=True)
class Gates:
    """What a merge decides anew; None leaves it as the shards were told."""

    threshold: tuple[Threshold, ...] | None = None
    max_errors: ErrorQuota | None = None
    on_error: str | None = None
    show: int | None = None
    compare: tuple[str, ...] | None = None
    output: Path | None = None


class Merged:
    """The run that shards make up. Close it when its reports are written.

    Raises UsageError where they are no shards of one run.
    """

    def __init__(self, parts: Sequence[Part], gates: Gates) -> None:
        _check_same_run(parts)
        self.settings = _settings(parts[0].asked, gates)
        self.plan = _plan(parts[0].asked, self.settings)
        check_thresholds(self.settings.threshold, self.plan.names)
        self._folder = Path(tempfile.mkdtemp(prefix="mmreason-merge-"))
        self.ledger = Ledger(self.plan, Journal(self._folder))
        try:
            self.summary = self._sum_up(parts)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the records."""
        self.ledger.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _sum_up(self, parts: Sequence[Part]) -> Summary:
        works = list(self.plan.works())
        self.ledger.expect([(json.dumps(self.plan.key(work)), work) for work in works])
        judged: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        for part in parts:
            _read_results(part, self.ledger, judged)
        self._account_for_absent(parts, works)
        records = [self.ledger.records(run) for run in range(len(self.plan.runs))]
        outcome = _joint_outcome([part.outcome for part in parts])
        published = published_beside(run.benchmark for run in self.plan.runs)
        told = [part.told for part in parts]
        prices = {
            name: price and Price(*price)
            for one in told
            for name, price in one.get("prices", {}).items()
        }
        summary = summarise(self.plan, records, self.ledger.expected, outcome, published, prices)
        absent = _absent(parts)
        lost = [
            f"shard {shard} is not among the folders; its samples are missing" for shard in absent
        ]
        notes = [*lost, *(note for one in told for note in one["notes"]), *summary.notes]
        orders = [one.get("grade_order", ()) for one in told]
        summary = dataclasses.replace(summary, grade_order=max(orders, key=len))
        notes += official_notes(summary, self.settings)
        return dataclasses.replace(
            summary,
            notes=tuple(dict.fromkeys(notes)),
            duration_s=sum(one["duration_s"] for one in told),
            retries={
                role: _added(one["retries"].get(role, {}) for one in told)
                for role in ("model", "judge")
            },
            cache_hits=_added(one["cache_hits"] for one in told),
            details={name: text for one in told for name, text in one["details"].items()},
        )

    def _account_for_absent(self, parts: Sequence[Part], works: Sequence[Work]) -> None:
        """Samples of a shard that is not there are missing, each with the reason."""
        benchmarks = {run.benchmark.name: run.benchmark for run in self.plan.runs}
        for shard in _absent(parts):
            lost = part_of(self.plan.whole, benchmarks, shard)
            for work in works:
                if work.sample in lost[self.plan.runs[work.run].benchmark.name]:
                    self.ledger.note_missing(work, f"shard {shard} was not merged")


def _absent(parts: Sequence[Part]) -> list[Shard]:
    there = {part.shard.number for part in parts}
    count = parts[0].shard.parts
    return [Shard(n, count) for n in range(1, count + 1) if n not in there]


def _check_same_run(parts: Sequence[Part]) -> None:
    first = parts[0]
    seen: dict[int, Path] = {}
    for part in parts:
        if part.shard.number in seen:
            raise UsageError(
                f"{seen[part.shard.number]} and {part.folder} both hold shard {part.shard}; "
                "name each shard once"
            )
        seen[part.shard.number] = part.folder
        if part.shard.parts != first.shard.parts:
            raise UsageError(
                f"{first.folder} is shard {first.shard} and {part.folder} shard {part.shard}; "
                "shards of one run have the same N"
            )
        for name, here, there in _differences(first.asked, part.asked):
            raise UsageError(
                f"{first.folder} and {part.folder} are of different runs: {name} is "
                f"{_short(here)} there and {_short(there)} here"
            )


def _differences(
    first: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """(what, of the first, of the other), the most telling first."""
    for name, value in first["settings"].items():
        if name not in _SHOWN and value != other["settings"].get(name):
            option = _OF_OPTION.get(name, name).replace("_", "-")
            yield f"--mm-{option}", value, other["settings"].get(name)
    for name in ("models", "threshold", "max_errors"):
        if first[name] != other[name]:
            yield name, first[name], other[name]
    for name in ("name", "fingerprint", "selected"):
        values = [[b[name] for b in asked["benchmarks"]] for asked in (first, other)]
        if values[0] != values[1]:
            yield f"the benchmarks' {name}", values[0], values[1]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _settings(asked: Mapping[str, Any], gates: Gates) -> Settings:
    told: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in asked["settings"].items()
        if k in (*_TOLD, "follow_up", "icl")
    }
    captions, subset = asked["settings"]["captions"], asked["settings"]["subset"]
    told["images"] = f"captions={captions['name']}" if captions else asked["settings"]["images"]
    quota = ErrorQuota(*asked["max_errors"]) if asked["max_errors"] else None
    settings = Settings(
        model=tuple(asked["models"]),
        benchmark=tuple(b["name"] for b in asked["benchmarks"]),
        threshold=tuple(Threshold(row, score) for row, score in asked["threshold"]),
        max_errors=quota,
        subset=Path(subset["name"]) if subset else None,
        **told,
    )
    anew = {
        field.name: value
        for field in dataclasses.fields(gates)
        if (value := getattr(gates, field.name)) is not None
    }
    return dataclasses.replace(settings, **anew)


def _plan(asked: Mapping[str, Any], settings: Settings) -> Plan:
    benchmarks = {b["name"]: _benchmark_from_json(b) for b in asked["benchmarks"]}
    registry = Registry({}, {}, {})
    runs = tuple(
        RunSpec(benchmark, model, model, prompt, registry.preset(model))
        for benchmark in benchmarks.values()
        for model in asked["models"]
        for prompt in settings.prompt
    )
    whole = {b["name"]: tuple(b["selected"]) for b in asked["benchmarks"]}
    names = {name: RowNames(benchmark.samples) for name, benchmark in benchmarks.items()}
    how = {name: value for name, value in asked["settings"].items() if name not in _TOLD}
    return Plan(settings, runs, whole, whole, names, asked=how)


def _benchmark_to_json(benchmark: Benchmark, selected: Sequence[int]) -> dict[str, Any]:
    content = {
        field.name: getattr(benchmark, field.name)
        for field in dataclasses.fields(benchmark)
        if field.name not in ("samples", "weights")
    }
    samples = [sample.to_json() for sample in benchmark.samples]
    for sample in samples:
        # Where the folder lay on that machine tells nobody anything.
        sample["images"] = [[path, ""] for path, _ in sample["images"]]
    return {
        **content,
        "fingerprint": benchmark.fingerprint,
        "weights": dict(benchmark.weights),
        "samples": samples,
        "selected": list(selected),
    }


def _benchmark_from_json(data: Mapping[str, Any]) -> Benchmark:
    values = {k: v for k, v in data.items() if k not in ("fingerprint", "selected")}
    values["samples"] = tuple(Sample.from_json(sample) for sample in data["samples"])
    values["notes"] = tuple(data["notes"])
    return Benchmark(**values)


def _read_results(
    part: Part, ledger: Ledger, judged: dict[str, tuple[Path, Mapping[str, Any]]]
) -> None:
    """Take the records of `part` in.

    judged: by benchmark, where and how its first record was judged; it is added to.
    """
    path = part.folder / RESULTS
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = ledger.add(line.rstrip("\n"))
                except ValueError as error:
                    raise UsageError(f"{path}:{number}: {error}") from None
                if record.judging:
                    first = judged.setdefault(record.benchmark, (part.folder, record.judging))
                    _check_judged_alike(first, (part.folder, record.judging))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None


def _check_judged_alike(
    first: tuple[Path, Mapping[str, Any]], other: tuple[Path, Mapping[str, Any]]
) -> None:
    """UsageError if two records were judged differently; what a file is called is no difference."""
    (folder, there), (another, here) = first, other
    for name in dict.fromkeys([*there, *here]):
        if name not in ("prompt", "grades") and there.get(name) != here.get(name):
            told = name.removesuffix("_sha256")
            names = dict.fromkeys(n for n in (told, name) if n in there or n in here)
            values = [" ".join(_short(j.get(n)) for n in names) for j in (there, here)]
            raise UsageError(
                f"{folder} and {another} do not compare, their judges' {told} differs: "
                f"{values[0]} there and {values[1]} here; judge all shards alike"
            )


def _joint_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """How pytest would have ended: the first that is neither passed nor failed tells."""
    statuses = [outcome.exitstatus for outcome in outcomes]
    other = [status for status in statuses if status not in (EXIT_OK, EXIT_FAILED)]
    return Outcome(
        other[0] if other else max(statuses),
        sum(outcome.failed for outcome in outcomes),
        sum(outcome.tolerable for outcome in outcomes),
        next((outcome.stopped for outcome in outcomes if outcome.stopped), ""),
        sum(outcome.unreached for outcome in outcomes),
    )


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)
