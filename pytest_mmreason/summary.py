"""From the ledger to what a run means: counts, rows, gates, exit status (no input or output)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mmreason.benchmarks.base import PROTOCOLS, Benchmark
from pytest_mmreason.errors import UsageError
from pytest_mmreason.gates import (
    EXIT_FAILED,
    EXIT_OK,
    EXIT_USAGE,
    Gate,
    Outcome,
    accounting_gate,
    decide,
    error_gate,
    threshold_gates,
    unmet,
)
from pytest_mmreason.plan import Plan, RunSpec
from pytest_mmreason.pricing import Cost, Price, cost
from pytest_mmreason.record import Record, judge_models_of, judging_of
from pytest_mmreason.scoring import Row, count_statuses, score_rows, sum_usage
from pytest_mmreason.spending import Spent, to_json, total_cost
from pytest_mmreason.spread import Spread, spread
from pytest_mmreason.verdict import PUT_RIGHT, UNSURE

if TYPE_CHECKING:
    from pytest_mmreason.agreement import Agreement
    from pytest_mmreason.baseline import Baseline
    from pytest_mmreason.compare import Comparison
    from pytest_mmreason.differences import Facts
    from pytest_mmreason.pairs import Pair
    from pytest_mmreason.published import Published
    from pytest_mmreason.standing import Standing

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run, summed up. `records` are in collection order, without their long texts.

    named: samples of the benchmark that ``--mm-subset`` names; all of them without one.
    """

    spec: RunSpec
    judge: str
    records: Sequence[Record]
    counts: Mapping[str, int]
    rows: Mapping[str, Row]
    gates: Sequence[Gate]
    usage: Mapping[str, Mapping[str, int]]
    costs: Mapping[str, Cost]
    agreement: Agreement | None = None
    spread: Spread | None = None
    standing: Standing | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    named: int = 0
    earlier: Facts | None = None
    comparison: Comparison | None = None

    @property
    def facts(self) -> Facts:
        """What the run was, as a comparison looks at it."""
        from pytest_mmreason.differences import Facts

        benchmark = self.spec.benchmark
        return Facts(
            benchmark.name,
            self.spec.model,
            self.spec.prompt,
            self.judge,
            benchmark.fingerprint,
            self.asked,
            self.judging,
            self.judge_models,
        )

    @property
    def judging(self) -> Mapping[str, Any]:
        """How the judge came to its verdicts, as its records say; empty where none does."""
        return judging_of(self.records)

    @property
    def judge_models(self) -> list[str]:
        """What the judge's endpoint called itself, each name once."""
        return judge_models_of(self.records)

    @property
    def unsure(self) -> int | None:
        """How many verdicts are less confident than UNSURE; None if the judge tells no confidence."""
        told = [r.confidence for r in self.records if r.confidence is not None]
        return sum(confidence < UNSURE for confidence in told) if told else None

    @property
    def put_right(self) -> int:
        """How many answers have a verdict in which something was changed to make it consistent."""
        return sum(any(flag.startswith(PUT_RIGHT) for flag in r.flags) for r in self.records)

    def to_json(self) -> dict[str, Any]:
        """The run as ``summary.json`` holds it."""
        content: dict[str, Any] = {
            "benchmark": self.spec.benchmark.name,
            "model": self.spec.model,
            "judge": self.judge,
            "prompt": self.spec.prompt,
            "fingerprint": self.spec.benchmark.fingerprint,
            "settings": dict(self.asked),
            "counts": dict(self.counts),
            "rows": {name: _row_to_json(row) for name, row in self.rows.items()},
            "gates": [gate.to_json() for gate in self.gates],
            "usage": {
                role: {**used, "cost_usd": self.costs[role].usd}
                for role, used in self.usage.items()
            },
        }
        bare = {n: r.answer_only for n, r in self.rows.items() if r.answer_only is not None}
        if bare:
            content["answer_only"] = bare
        if self.unsure is not None:
            content["unsure"] = self.unsure
        if self.put_right:
            content["put_right"] = self.put_right
        if self.judging:
            content["judging"] = dict(self.judging)
        if self.judge_models:
            content["judge_models"] = self.judge_models
        if self.spread is not None:
            content["spread"] = self.spread.to_json()
        if self.agreement is not None:
            content["agreement"] = self.agreement.to_json()
        if self.standing is not None and self.standing.asked:
            content["published"] = self.standing.to_json()
        if self.comparison is not None and self.earlier is not None:
            found = self.comparison.to_json()
            content["comparison"] = {"baseline": self.earlier.to_json(), **found}
        return content


@dataclass(frozen=True, slots=True)
class Summary:
    """All runs of a session, the exit status, and the sentence that says what decided it.

    details: by model's spec, where and how a local model was run, or its version.
    versions: by model's spec, what its author calls its version, if anything.
    cautions: those of the notes by which the scores may not be the model's.
    grade_order: the samples of recorded grades, in their order.
    stopped: why the run was stopped for good, or "".
    prices: of models and judge, as tables call them.
    unrecorded: calls that were made and are in no record.
    started: when, in UTC by ISO 8601. options: of the command line, as they may be shown.
    """

    runs: Sequence[RunResult]
    exit: int
    verdict: str
    stopped: str = ""
    notes: Sequence[str] = ()
    duration_s: float = 0.0
    retries: Mapping[str, Mapping[str, int]] | None = None
    cache_hits: Mapping[str, int] | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    cautions: Sequence[str] = ()
    grade_order: Sequence[str] = ()
    pairs: Sequence[Pair] = ()
    prices: Mapping[str, Price | None] = field(default_factory=dict)
    unrecorded: Spent = field(default_factory=dict)
    started: str = ""
    options: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """``summary.json``; equal runs give equal files but for usage and when they were started."""
        started = {"started": self.started} if self.started else {}
        content: dict[str, Any] = {
            "schema": SCHEMA,
            **started,
            "runs": [self._run_to_json(run) for run in self.runs],
        }
        if self.pairs:
            content["pairs"] = [pair.to_json() for pair in self.pairs]
        content["cost_usd"] = total_cost(self.runs, self.unrecorded, self.prices)
        if self.unrecorded:
            content["unrecorded"] = to_json(self.unrecorded, self.prices)
        return {**content, "exit": self.exit}

    def _run_to_json(self, run: RunResult) -> dict[str, Any]:
        version = self.versions.get(run.spec.spec)
        return run.to_json() | ({"model_version": version} if version else {})


def published_beside(benchmarks: Iterable[Benchmark]) -> Mapping[str, Published]:
    """By name, what is published on those of `benchmarks` that were read from official files."""
    found = list(benchmarks)
    # Each protocol is named for the benchmark that brought it; most runs are of neither.
    if not any(benchmark.name in PROTOCOLS for benchmark in found):
        return {}
    from pytest_mmreason.published import beside

    return beside(found)


def summarise(
    plan: Plan,
    records: Sequence[Sequence[Record]],
    expected: int,
    outcome: Outcome,
    published: Mapping[str, Published] | None = None,
    baseline: Baseline | None = None,
    prices: Mapping[str, Price | None] | None = None,
) -> Summary:
    """The summary of a session.

    records: per run of the plan, in collection order. expected: how many items were
    selected; every one of them must have ended in a status. Runs without records are
    left out. published: benchmark -> the results that are published on it. baseline: what
    every run is compared with, if anything; not under ``--mm-shard``. prices: of models and judge,
    as tables call them.
    """
    published, prices = published or {}, prices or {}
    settings = plan.settings
    # Of a part of the samples a threshold would say nothing; the merged run's say it.
    thresholds = () if settings.shard else settings.threshold
    runs, refusals = [], []
    for spec, found in zip(plan.runs, records, strict=True):
        if not found:
            continue
        benchmark = spec.benchmark.name
        rows = score_rows(found, plan.names[benchmark], settings.on_error)
        gates = threshold_gates(thresholds, benchmark, rows, plan.names)
        gates += filter(None, [error_gate(found, settings.max_errors)])
        agreed = None
        if plan.graded is not None:
            from pytest_mmreason import agreement

            agreed = agreement.measure(found, plan.graded, settings.show, published)
            if settings.max_disagreement is not None:
                gates.append(agreement.gate(agreed, settings.max_disagreement))
        counts, usage = count_statuses(found), sum_usage(found)
        payers = {"model": spec.model, "judge": plan.judge}
        standing = None
        if benchmark in published:
            from pytest_mmreason.standing import Ran, stand

            ids = (record.sample for record in found)
            ran = Ran(plan.judge, spec.benchmark.version, ids, rows, counts, plan.asked)
            standing = stand(published[benchmark], ran, settings.compare)
        run = RunResult(
            spec,
            plan.judge,
            found,
            counts,
            rows,
            gates,
            usage,
            {role: cost(used, prices.get(payers[role])) for role, used in usage.items()},
            agreed,
            spread(found),
            standing,
            plan.asked,
            plan.named[benchmark],
        )
        if baseline is not None and not settings.shard:
            try:
                run = baseline.against(run, plan.names[benchmark], settings.max_drop)
            except UsageError as error:
                refusals.append(str(error))
        runs.append(run)
    total: dict[str, int] = {}
    for run in runs:
        for name, count in run.counts.items():
            total[name] = total.get(name, 0) + count
    lost = accounting_gate(total, expected) if runs or expected else None
    homeless = [
        unmet(threshold.row, threshold.score)
        for threshold in thresholds
        if not any(
            threshold_gates([threshold], r.spec.benchmark.name, r.rows, plan.names) for r in runs
        )
    ]
    if runs:
        more = filter(None, [*homeless, lost])
        runs[-1] = replace(runs[-1], gates=(*runs[-1].gates, *more))
    all_gates = [_said_of(gate, run, runs) for run in runs for gate in run.gates]
    status, verdict = decide(outcome, all_gates)
    if refusals and status in (EXIT_OK, EXIT_FAILED):
        status, verdict = EXIT_USAGE, "; ".join(refusals)
    pairs: Sequence[Pair] = ()
    if len(runs) > 1 and plan.graded is None:
        from pytest_mmreason.pairs import paired

        pairs = paired(runs)
    others = (r.spec.benchmark.name for r in runs if r.spec.benchmark.name not in published)
    notes = _elsewhere(settings.compare, others)
    return Summary(runs, status, verdict, outcome.stopped, notes, pairs=pairs, prices=prices)


def explained(summary: Summary, whole: Callable[[Record], Record]) -> Summary:
    """`summary` with the judge's words in its disagreements.

    whole: from a record to the same with its long texts.
    """
    runs = []
    for run in summary.runs:
        if run.agreement is not None:
            records = {record.sample: record for record in run.records}
            largest = [
                replace(one, rationale=whole(records[one.sample]).rationale)
                for one in run.agreement.largest
            ]
            run = replace(run, agreement=replace(run.agreement, largest=largest))
        runs.append(run)
    return replace(summary, runs=runs)


def best_of(runs: Iterable[RunResult]) -> RunResult | None:
    """The run with the highest overall score; None if none was scored, or all did as well."""
    scored = [(run.rows["overall"].score, run) for run in runs if "overall" in run.rows]
    known = [(score, run) for score, run in scored if score is not None]
    if len(known) > 1 and len({score for score, _ in known}) == 1:
        return None
    return max(known, key=lambda pair: pair[0])[1] if known else None


def lowest(records: Iterable[Record], count: int) -> list[Record]:
    """The `count` records with the lowest scores, the earlier first among equals."""
    scored = [r for r in records if r.score is not None and r.score < 1.0]
    return sorted(scored, key=lambda r: r.score or 0.0)[:count]


def label(run: RunResult, runs: Sequence[RunResult]) -> str:
    """What tells `run` from the others: its model, and where needed prompt and benchmark."""
    parts = [run.spec.model]
    if len({r.spec.prompt for r in runs}) > 1:
        parts.append(run.spec.prompt)
    if len({r.spec.benchmark.name for r in runs}) > 1:
        parts.append(f"on {run.spec.benchmark.name}")
    return " ".join(parts)


def _said_of(gate: Gate, run: RunResult, runs: Sequence[RunResult]) -> Gate:
    """`gate` with a reason that names its run, where there are several."""
    if len(runs) == 1 or not gate.reason:
        return gate
    return replace(gate, reason=f"{label(run, runs)}: {gate.reason}")


def _row_to_json(row: Row) -> dict[str, Any]:
    return {
        "n": row.n,
        "scored": row.scored,
        "weight": row.weight,
        "score": row.score,
        "sd": row.sd,
        "ci95": list(row.ci95) if row.ci95 else None,
        "runs": list(row.runs),
    }


def _elsewhere(wanted: Sequence[str], benchmarks: Iterable[str]) -> list[str]:
    """A note where results are `wanted` beside benchmarks that have none published."""
    names = list(dict.fromkeys(benchmarks))
    if not wanted or not names:
        return []
    return [
        f"--mm-compare: nothing is published on {', '.join(names)}; published results are of the "
        "official files, --mm-benchmark=infimm-eval=DIR and mm-vet=DIR"
    ]
