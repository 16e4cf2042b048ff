"""What a run leaves behind beside its reports, so that they can be made again, or merged.

``run.json``, of a shard ``shard.json``, tells what was asked of whom, every sample of the
benchmarks in order, and how pytest ended. With the records of ``results.jsonl`` this is all
that tables and gates need, so that the benchmark itself need not be at hand.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark, shipped
from pytest_mmreason.errors import UsageError
from pytest_mmreason.gates import Outcome
from pytest_mmreason.plan import Plan, RunSpec
from pytest_mmreason.registry import Registry
from pytest_mmreason.reports.files import write_json
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import RowNames
from pytest_mmreason.settings import ErrorQuota, Settings, Shard, Threshold
from pytest_mmreason.summary import Summary

RUN_FILE, SHARD_FILE = "run.json", "shard.json"
SCHEMA = 1

BUNDLED = "bundled:"
"""In place of a folder: the one that travels with the package under the benchmark's name."""

SHOWN = ("show", "compare")
"""Of these, shards of one run may differ."""

_TOLD = ("judge", "prompt", "judge_runs", "repeats", "on_error", *SHOWN)
"""The settings that a summary or its gates speak of, beside what was asked and the two quotas."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shard, or a whole run as its only one, as it was read.

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
    chosen: Mapping[str, Any] | None = None,
) -> None:
    """Write ``run.json``, or ``shard.json``, into `folder`. Raises OSError.

    chosen: pytest's options of selection, "by", and the keys that they "left_out" of the shard.
    """
    settings = plan.settings
    quota = settings.max_errors
    benchmarks = {run.benchmark.name: run.benchmark for run in plan.runs}
    asked = {
        "settings": {**{name: getattr(settings, name) for name in _TOLD}, **plan.asked},
        "threshold": [[t.row, t.score] for t in settings.threshold],
        "max_errors": [quota.limit, quota.percent] if quota else None,
        "against": {
            "baseline": str(settings.baseline) if settings.baseline else None,
            "max_drop": settings.max_drop,
            "allow_different": list(settings.allow_different),
        },
        "models": list(dict.fromkeys(run.model for run in plan.runs)),
        "benchmarks": [
            {
                **_benchmark_to_json(benchmark),
                "selected": list(plan.whole[name]),
                "named": plan.named[name],
            }
            for name, benchmark in benchmarks.items()
        ],
    }
    told = {
        "notes": list(summary.notes),
        "started": summary.started,
        # Of a shard they name its machine's folders, and are not those of the merged run.
        "options": [] if settings.shard else list(summary.options),
        "duration_s": summary.duration_s,
        "retries": summary.retries or {},
        "cache_hits": summary.cache_hits or {},
        "versions": {
            run.spec.model: version
            for run in summary.runs
            if (version := summary.versions.get(run.spec.spec))
        },
        "cautions": list(summary.cautions),
        "details": {run.spec.model: summary.details.get(run.spec.spec, "") for run in summary.runs},
        "grade_order": list(summary.grade_order),
        "prices": {name: p and [p.input, p.output] for name, p in summary.prices.items()},
        "unrecorded": summary.unrecorded,
        "chosen": chosen or {},
        "roots": {
            name: root
            for name, benchmark in benchmarks.items()
            if (root := _root_of(benchmark, settings.shard is not None))
        },
    }
    content = {
        "schema": SCHEMA,
        "shard": list(settings.shard or (1, 1)),
        "asked": asked,
        "outcome": dataclasses.asdict(outcome),
        "told": told,
    }
    content["sha256"] = _digest(content)
    if settings.shard:  # an earlier whole run's: the records beside it are gone
        (folder / RUN_FILE).unlink(missing_ok=True)
    write_json(folder / (SHARD_FILE if settings.shard else RUN_FILE), content, indent=None)


def read_part(folder: Path, name: str = SHARD_FILE) -> Part:
    """The shard in `folder`, or with RUN_FILE the run.

    Raises UsageError naming what is absent or unreadable.
    """
    path = folder / name
    is_shard = name == SHARD_FILE
    noun, how = "run", "a run is what pytest --mm-output=DIR leaves in DIR"
    if is_shard:
        noun, how = "shard", "a shard is what pytest --mm-shard=K/N --mm-output=DIR leaves in DIR"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        below = sorted(str(found.parent) for found in folder.glob(f"*/{name}"))
        if below and is_shard:
            how = f"the folders below it do: merge {' '.join(below)}"
        if (folder / SHARD_FILE).exists() and not is_shard:
            how = "it is a shard: merge it with the others"
        raise UsageError(f"{folder} holds no {name}; {how}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    try:
        if data["schema"] != SCHEMA:
            raise UsageError(
                f"{path} has schema {data['schema']!r}, this version reads {SCHEMA}; "
                f"use the version that ran the {noun}"
            )
        if data.pop("sha256") != _digest(data):
            raise UsageError(
                f"{path} is not as the {noun} wrote it; copy the folder again, or repeat the {noun}"
            )
        return Part(
            folder, Shard(*data["shard"]), data["asked"], Outcome(**data["outcome"]), data["told"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is no {noun} ({error}); {how}") from None


def _digest(content: Mapping[str, Any]) -> str:
    """What tells a file that somebody has changed from the one that was written."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def settings_of(asked: Mapping[str, Any]) -> Settings:
    """The settings of a run, as far as its tables and gates are concerned."""
    told: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in asked["settings"].items()
        if k in (*_TOLD, "follow_up", "icl")
    }
    captions, subset = asked["settings"]["captions"], asked["settings"]["subset"]
    told["images"] = f"captions={captions['name']}" if captions else asked["settings"]["images"]
    quota = ErrorQuota(*asked["max_errors"]) if asked["max_errors"] else None
    against = asked.get("against", {})
    baseline = against.get("baseline")
    return Settings(
        model=tuple(asked["models"]),
        benchmark=tuple(b["name"] for b in asked["benchmarks"]),
        threshold=tuple(Threshold(row, score) for row, score in asked["threshold"]),
        max_errors=quota,
        baseline=Path(baseline) if baseline else None,
        max_drop=against.get("max_drop"),
        allow_different=tuple(against.get("allow_different", ())),
        subset=Path(subset["name"]) if subset else None,
        **told,
    )


def plan_of(asked: Mapping[str, Any], settings: Settings, roots: Mapping[str, str]) -> Plan:
    """The plan of a run, benchmarks and all.

    roots: by benchmark, the folder of its images, as :func:`write_part` told it. Where there is
    no such folder, images are known by their paths alone.
    """
    benchmarks = {
        b["name"]: _benchmark_from_json(b, roots.get(b["name"], "")) for b in asked["benchmarks"]
    }
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
    named = {b["name"]: b["named"] for b in asked["benchmarks"]}
    return Plan(settings, runs, whole, whole, names, named, asked=how)


def _benchmark_to_json(benchmark: Benchmark) -> dict[str, Any]:
    content = {
        field.name: getattr(benchmark, field.name)
        for field in dataclasses.fields(benchmark)
        if field.name not in ("samples", "weights")
    }
    samples = [sample.to_json() for sample in benchmark.samples]
    for sample in samples:
        # Where the folder lies decides nothing: it is told apart, for the pictures of reports.
        sample["images"] = [[path, ""] for path, _ in sample["images"]]
    return {
        **content,
        "fingerprint": benchmark.fingerprint,
        "weights": dict(benchmark.weights),
        "samples": samples,
    }


def _root_of(benchmark: Benchmark, travels: bool) -> str:
    """The folder of all images, from the working folder, or BUNDLED; "" for none, and for several.

    travels: what lies outside the working folder is not told, as another machine has it not.
    """
    roots = {image.root for sample in benchmark.samples for image in sample.images}
    if len(roots) != 1:
        return ""
    root = roots.pop()
    if Path(root) == shipped(benchmark.name):
        return BUNDLED
    try:
        # Another machine's checkout lies elsewhere, but within it the way is the same.
        way = Path(os.path.relpath(root))
    except ValueError:  # on another drive
        return ""
    return "" if travels and ".." in way.parts else way.as_posix()


def _benchmark_from_json(data: Mapping[str, Any], root: str) -> Benchmark:
    values = {k: v for k, v in data.items() if k not in ("fingerprint", "selected", "named")}
    place = shipped(data["name"]) if root == BUNDLED else Path(root)
    folder = str(place.absolute()) if root and place.is_dir() else ""
    values["samples"] = tuple(
        Sample.from_json({**sample, "images": [[path, folder] for path, _ in sample["images"]]})
        for sample in data["samples"]
    )
    values["notes"] = tuple(data["notes"])
    return Benchmark(**values)
