"""Earlier runs, read back from what they wrote, and which of them a run is compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.compare import Comparison, compare, drop_gates
from pytest_mmreason.differences import Facts, differences, differing_samples, refusal
from pytest_mmreason.errors import DataError, UsageError
from pytest_mmreason.reading import read_record
from pytest_mmreason.record import Record, RecordKey, judge_models_of, judging_of
from pytest_mmreason.scoring import RowNames

if TYPE_CHECKING:
    from pytest_mmreason.judges.base import Judge
    from pytest_mmreason.plan import Plan
    from pytest_mmreason.summary import RunResult

RESULTS, SUMMARY = "results.jsonl", "summary.json"
HOW = "name the --mm-output of an earlier run, or its results.jsonl"
OPTION = "--mm-baseline"

_UNUSED = ("response", "rationale", "steps", "usage")


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run as it was written. `records` are in its order, without their long texts."""

    facts: Facts
    records: Sequence[Record]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The runs of an earlier session, and in what they may differ (see differences.WORDS).

    what: where they are, as errors name it.
    """

    what: str
    runs: Sequence[EarlierRun]
    allowed: Sequence[str] = ()

    def opposite(self, run: Facts) -> EarlierRun:
        """The run that `run` is compared with: of its benchmark, and if there are several, of
        its prompt, and of its model.

        Raises UsageError if there is none, or if several are left, naming them.
        """
        found = [one for one in self.runs if one.facts.benchmark == run.benchmark]
        if not found:
            there = ", ".join(dict.fromkeys(one.facts.benchmark for one in self.runs))
            raise UsageError(f"{self.what} holds no run on {run.benchmark}, but on {there}")
        for name in ("prompt", "model"):
            alike = [one for one in found if getattr(one.facts, name) == getattr(run, name)]
            found = alike or found
        if len(found) > 1:
            names = ", ".join(one.facts.named() for one in found)
            raise UsageError(
                f"{self.what}: {run.named()} may be compared with {names}; leave one of "
                "them there, or give the model the name that it has there"
            )
        return found[0]

    def check(self, run: Facts, samples: Iterable[str]) -> EarlierRun:
        """The run opposite of `run`, which will be of `samples`.

        Raises UsageError if they do not compare, by what is known before the first call.
        """
        earlier = self.opposite(run)
        if why := refusal(differences(earlier.facts, run), self.allowed):
            raise UsageError(f"{self.what}: {run.named()}: {why}")
        known = {record.sample for record in earlier.records}
        if known.isdisjoint(samples):
            raise UsageError(
                f"{self.what}: no sample of {run.named()} is in {earlier.facts.named()}"
            )
        return earlier

    def against(self, run: RunResult, names: RowNames, max_drop: float | None) -> RunResult:
        """`run` with its comparison, and gates if `max_drop`, in points, is not None.

        Raises UsageError as :meth:`compare` does.
        """
        earlier, found = self.compare(run.facts, run.records, names)
        gates = () if max_drop is None else drop_gates(found, max_drop)
        return replace(run, earlier=earlier.facts, comparison=found, gates=(*run.gates, *gates))

    def compare(
        self, run: Facts, records: Sequence[Record], names: RowNames | None = None
    ) -> tuple[EarlierRun, Comparison]:
        """`records`, of `run`, against the run opposite of it.

        Raises UsageError if there is none, or if the runs do not compare.
        """
        earlier = self.opposite(run)
        found = differences(earlier.facts, run)
        found += differing_samples(earlier.records, records, found)
        if why := refusal(found, self.allowed):
            raise UsageError(f"{self.what}: {run.named()}: {why}")
        return earlier, compare(earlier.records, records, names, found)


def check_plan(baseline: Baseline, plan: Plan, judge: Judge | None) -> None:
    """UsageError if a run of `plan` is known not to compare, before any call is made.

    judge: None where it is made later.
    """
    from pytest_mmreason.judges.base import provenance
    from pytest_mmreason.outcome import draft_record

    for run in plan.runs:
        facts = Facts(
            run.benchmark.name,
            run.model,
            run.prompt,
            plan.judge,
            run.benchmark.fingerprint,
            plan.asked,
            provenance(judge, run.benchmark.protocol) if judge is not None else {},
        )
        samples = [run.benchmark.samples[i] for i in plan.whole[run.benchmark.name]]
        earlier = baseline.check(facts, (sample.id for sample in samples))
        drafts = []
        for sample in samples:
            try:
                prompt = run.question(sample)
            except DataError:  # its record will tell
                continue
            drafts.append(draft_record(run, sample, 0, plan.judge, prompt))
        known = differences(earlier.facts, facts)
        found = differing_samples(earlier.records, drafts, known)
        if why := refusal(found, baseline.allowed):
            raise UsageError(f"{baseline.what}: {facts.named()}: {why}")


def read(path: Path, allowed: Sequence[str] = (), option: str = OPTION) -> Baseline:
    """The runs that `path` holds: an output folder, or its results.jsonl.

    option: what names it to the user. Raises UsageError with file and line for what cannot
    be read, and where there is no record.
    """
    results = path / RESULTS if path.is_dir() else path
    what = f"{option} {path}".strip()
    how = f"{HOW}; --mm-baseline= compares with nothing" if option == OPTION else HOW
    keys: dict[RecordKey, int] = {}
    runs: dict[tuple[str, str, str], list[Record]] = {}
    try:
        with results.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    record = read_record(line, without=_UNUSED)
                except ValueError as error:
                    raise UsageError(f"{results}:{number}: no record ({error}); {how}") from None
                if record.key in keys:
                    raise UsageError(
                        f"{results}:{number}: sample {record.sample!a} is there already, in line "
                        f"{keys[record.key]}, of the same run"
                    )
                keys[record.key] = number
                runs.setdefault(record.key[:3], []).append(record)
    except FileNotFoundError:
        inside = f" holds no {RESULTS}" if path.is_dir() else " is not there"
        raise UsageError(f"{what}{inside}; {how}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{results} is no text ({error.reason}); {how}") from None
    except OSError as error:
        raise UsageError(f"{results} cannot be read: {error.strerror or error}") from None
    if not runs:
        raise UsageError(f"{results} holds no record; {how}")
    told = _summary(results.with_name(SUMMARY))
    _check_whole(results, runs, told)
    return Baseline(what, [_earlier(of, found, told) for of, found in runs.items()], allowed)


def _check_whole(
    results: Path,
    runs: Mapping[tuple[str, str, str], Sequence[Record]],
    told: Mapping[tuple[str, str, str], Mapping[str, Any]],
) -> None:
    """UsageError if `results` is of a shard, or holds fewer records than its run had."""
    from pytest_mmreason.parts import RUN_FILE, SHARD_FILE, read_part

    folder = results.parent
    if (folder / SHARD_FILE).exists() and not (folder / RUN_FILE).exists():
        number, parts = read_part(folder).shard
        raise UsageError(
            f"{results} is part {number} of {parts} of a run, a shard: make one run of the parts "
            "with python -m pytest_mmreason merge, and name its --mm-output"
        )
    for of, run in told.items():
        counts, there = run.get("counts"), len(runs.get(of, ()))
        wanted = counts.get("collected") if isinstance(counts, dict) else None
        if isinstance(wanted, int) and there != wanted:
            raise UsageError(
                f"{results} is not what the run wrote: {SUMMARY} says {wanted:,} records of "
                f"{of[1]} ({of[2]}) on {of[0]}, {results.name} holds {there:,}; copy the folder "
                "again, or repeat that run"
            )


def _summary(path: Path) -> Mapping[tuple[str, str, str], Mapping[str, Any]]:
    """(benchmark, model, prompt) -> the run in summary.json; empty without the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {
            (run["benchmark"], run["model"], run["prompt"]): {
                **run,
                "settings": dict(run.get("settings") or {}),
            }
            for run in data["runs"]
        }
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{path} is no summary of a run ({error}); without it, what the runs were asked is "
            "compared by their records alone"
        ) from None


def _earlier(
    of: tuple[str, str, str],
    records: Sequence[Record],
    told: Mapping[tuple[str, str, str], Mapping[str, Any]],
) -> EarlierRun:
    run = told.get(of, {})
    facts = Facts(
        *of,
        judge=records[0].judge,
        fingerprint=str(run.get("fingerprint", "")),
        asked=run.get("settings", {}),
        judging=judging_of(records),
        judge_models=judge_models_of(records),
    )
    return EarlierRun(facts, records)
