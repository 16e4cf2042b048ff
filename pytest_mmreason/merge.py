"""How shards become the run that was never divided, and a run's folder the run again."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pytest_mmreason import baseline
from pytest_mmreason.baseline import RESULTS
from pytest_mmreason.errors import UsageError
from pytest_mmreason.gates import EXIT_FAILED, EXIT_NOTHING, EXIT_OK, Outcome, check_thresholds
from pytest_mmreason.ledger import Journal, Ledger
from pytest_mmreason.parts import SHOWN, Part, plan_of, settings_of
from pytest_mmreason.plan import Work, part_of
from pytest_mmreason.pricing import Price
from pytest_mmreason.reading import read_record
from pytest_mmreason.record import RecordKey
from pytest_mmreason.reports.files import official_notes
from pytest_mmreason.reports.text import count, selection
from pytest_mmreason.settings import ErrorQuota, Settings, Shard, Threshold, check_baseline
from pytest_mmreason.spending import added
from pytest_mmreason.summary import Summary, published_beside, summarise

_OF_OPTION = {"captions": "images=captions", "icl_seed": "seed"}
"""Of what was asked, the options that are called otherwise."""


@dataclass(frozen=True, slots=True)
class Gates:
    """What a merge decides anew; None leaves it as the shards were told.

    baseline: False compares with nothing, whatever they were told.
    """

    threshold: tuple[Threshold, ...] | None = None
    max_errors: ErrorQuota | None = None
    on_error: str | None = None
    show: int | None = None
    compare: tuple[str, ...] | None = None
    baseline: Path | Literal[False] | None = None
    max_drop: float | None = None
    allow_different: tuple[str, ...] | None = None
    output: Path | None = None

    def applied(self, settings: Settings) -> Settings:
        """`settings` with what is decided anew."""
        anew = {
            field.name: value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) is not None
        }
        if self.baseline is False:
            anew = {"max_drop": None, "allow_different": (), **anew, "baseline": None}
        settings = dataclasses.replace(settings, **anew)
        check_baseline(settings)
        return settings


class Merged:
    """The run that shards make up. Close it when its reports are written.

    is_whole: the one part holds all that is to be there; else what it lacks is missing.
    Raises UsageError where they are no shards of one run.
    """

    def __init__(self, parts: Sequence[Part], gates: Gates, is_whole: bool = False) -> None:
        _check_same_run(parts)
        self.settings = gates.applied(settings_of(parts[0].asked))
        roots: Mapping[str, str] = next(
            (found for part in parts if (found := part.told.get("roots"))), {}
        )
        self.plan = plan_of(parts[0].asked, self.settings, roots)
        self.outcome = _joint_outcome([part.outcome for part in parts])
        check_thresholds(self.settings.threshold, self.plan.names)
        self._is_whole = is_whole
        self._baseline = None
        if self.settings.baseline is not None:
            self._baseline = baseline.read(self.settings.baseline, self.settings.allow_different)
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
        if self._is_whole:
            there = {key for part in parts for key in _read_results(part, len, {})}
            works = [work for work in works if self.plan.key(work) in there]
        left_out = {RecordKey(*key) for part in parts for key in _left_out(part)}
        works = [work for work in works if self.plan.key(work) not in left_out]
        self.ledger.expect([(json.dumps(self.plan.key(work)), work) for work in works])
        judged: dict[str, tuple[Path, Mapping[str, Any]]] = {}
        for part in parts:
            _read_results(part, self.ledger.add, judged)
        self._account_for_absent(parts, works)
        records = [self.ledger.records(run) for run in range(len(self.plan.runs))]
        published = published_beside(run.benchmark for run in self.plan.runs)
        told = [part.told for part in parts]
        prices = {
            name: price and Price(*price)
            for one in told
            for name, price in one.get("prices", {}).items()
        }
        summary = summarise(
            self.plan,
            records,
            self.ledger.expected,
            self.outcome,
            published,
            self._baseline,
            prices,
        )
        absent = _absent(parts)
        lost = [
            f"shard {shard} is not among the folders; its samples are missing" for shard in absent
        ]
        if left_out:
            how = selection(parts[0].told["chosen"]["by"])
            if not works:
                verdict = f"no sample is left: {how} selects none of any shard"
                summary = dataclasses.replace(summary, exit=EXIT_NOTHING, verdict=verdict)
            lost.append(f"{count(len(left_out), 'sample')} of the shards were left out by {how}")
        notes = [*lost, *(note for one in told for note in one["notes"]), *summary.notes]
        orders = [one.get("grade_order", ()) for one in told]
        summary = dataclasses.replace(summary, grade_order=max(orders, key=len))
        notes += official_notes(summary, self.settings)
        doubts = [caution for one in told for caution in one.get("cautions", ())]
        return dataclasses.replace(
            summary,
            notes=tuple(dict.fromkeys(notes)),
            started=min((at for one in told if (at := one.get("started"))), default=""),
            options=told[0].get("options", ()) if self._is_whole else (),
            duration_s=sum(one["duration_s"] for one in told),
            retries={
                role: _added(one["retries"].get(role, {}) for one in told)
                for role in ("model", "judge")
            },
            cache_hits=_added(one["cache_hits"] for one in told),
            details={name: text for one in told for name, text in one["details"].items()},
            versions={name: v for one in told for name, v in one.get("versions", {}).items()},
            cautions=tuple(dict.fromkeys(doubts)),
            unrecorded=added(one.get("unrecorded", {}) for one in told),
        )

    def _account_for_absent(self, parts: Sequence[Part], works: Sequence[Work]) -> None:
        """Samples of a shard that is not there are missing, each with the reason."""
        benchmarks = {run.benchmark.name: run.benchmark for run in self.plan.runs}
        for shard in _absent(parts):
            lost = part_of(self.plan.whole, benchmarks, shard)
            for work in works:
                if work.sample in lost[self.plan.runs[work.run].benchmark.name]:
                    self.ledger.note_missing(work, f"shard {shard} was not merged")


def _left_out(part: Part) -> Sequence[Sequence[Any]]:
    """The keys of what pytest's own options left out of a shard."""
    found: Sequence[Sequence[Any]] = part.told.get("chosen", {}).get("left_out", ())
    return found


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

        chosen, chosen_here = (one.told.get("chosen", {}).get("by", {}) for one in (first, part))
        if chosen != chosen_here and (_left_out(first) or _left_out(part)):
            raise UsageError(
                f"{first.folder} and {part.folder} are of different selections: "
                f"{_short(chosen)} there and {_short(chosen_here)} here; give all shards the same"
            )
        for model in first.told["details"].keys() & part.told["details"].keys():
            here, there = (one.told.get("versions", {}).get(model) for one in (first, part))
            if here != there:
                raise UsageError(
                    f"{first.folder} and {part.folder} are of different versions of {model}: "
                    f"{here or 'none'} there and {there or 'none'} here; run all shards with one"
                )


def _differences(
    first: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """(what, of the first, of the other), the most telling first."""
    for name, value in first["settings"].items():
        if name not in SHOWN and value != other["settings"].get(name):
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


def _read_results(
    part: Part, take: Callable[[str], object], judged: dict[str, tuple[Path, Mapping[str, Any]]]
) -> list[RecordKey]:
    """The keys of the records of `part`, each of which `take` was given as a line of JSON.

    judged: by benchmark, where and how its first record was judged; it is added to.
    """
    path, keys = part.folder / RESULTS, []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = read_record(line)
                    take(line.rstrip("\n"))
                except ValueError as error:
                    raise UsageError(f"{path}:{number}: {error}") from None
                keys.append(record.key)
                if record.judging:
                    first = judged.setdefault(record.benchmark, (part.folder, record.judging))
                    _check_judged_alike(first, (part.folder, record.judging))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text ({error.reason})") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    return keys


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
        all(outcome.kept for outcome in outcomes),
    )


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)
