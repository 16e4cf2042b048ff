"""The session: what one pytest process knows of the run, opened piece by piece as needed.

The *owner* (plain pytest, or xdist's controller) has the engine and the ledger; a
*worker* has a plan of its own and a link to the owner. A session whose ini file names
a model but whose tests never ask for a sample opens nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.client import Client, LocalClient, Selection
from pytest_mmreason.engine import Engine
from pytest_mmreason.errors import OVER_BUDGET, UsageError
from pytest_mmreason.gates import NO_GATE, Outcome
from pytest_mmreason.judges.base import Judge
from pytest_mmreason.ledger import Journal, Ledger
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.models.presets import misspelt
from pytest_mmreason.plan import Plan, Work, cautions, is_large, make_plan, set_aside
from pytest_mmreason.pricing import Price, prices_of
from pytest_mmreason.record import Record
from pytest_mmreason.registry import Registry
from pytest_mmreason.remarks import doubts, remarks
from pytest_mmreason.reports.text import count, selection
from pytest_mmreason.settings import Settings, is_offline
from pytest_mmreason.spending import unrecorded
from pytest_mmreason.store import FILE_NAME, open_store, prepare_home
from pytest_mmreason.summary import Summary, explained, published_beside, summarise

if TYPE_CHECKING:
    import pytest

    from pytest_mmreason.baseline import Baseline
    from pytest_mmreason.budget import Budget


class OwnerSession:
    """The process that owns the run. Opening raises UsageError or BenchmarkError."""

    is_worker = False

    def __init__(
        self, settings: Settings, registry: Registry, rootdir: Path, *, keep: bool = False
    ) -> None:
        self.settings = settings
        self.summary: Summary | None = None
        self.item: pytest.Item | None = None
        self.is_set_aside = False
        self._registry = registry
        self._rootdir = rootdir
        self._keep = keep
        self._started = time.monotonic()
        self._started_at = datetime.now(UTC).isoformat(timespec="seconds")
        self.options: Sequence[str] = ()
        """Of the command line, as reports may show them."""
        self.selected_by: Mapping[str, Any] = {}
        """What pytest's own options leave of the items."""
        self._lock = threading.RLock()
        self._plan: Plan | None = None
        self._roles: tuple[Mapping[str, ModelAdapter | None], Judge | None] | None = None
        self._engine: Engine | None = None
        self._ledger: Ledger | None = None
        self._client: LocalClient | None = None
        self._foreseen = False
        self.prices: Mapping[str, Price | None] = {}
        self._budget: Budget | None = None
        self._baseline: Baseline | None = None
        self.warnings: list[str] = []
        self.fault = ""
        """What the user can mend, met after collection began: the session ends with exit 4."""
        self.in_vain = ""
        """Calls that were made for items that then were not collected; "" if there were none."""

    @property
    def plan(self) -> Plan:
        """The plan; the benchmarks are read at the first call."""
        with self._lock:
            if self._plan is None:
                self._plan = make_plan(self.settings, self._registry)
                if is_large(self._plan):
                    set_aside()
                    self.is_set_aside = True
            return self._plan

    def check(self) -> None:
        """Make models and judge, so that a bad spec or missing key is said before anything runs."""
        with self._lock:
            if self._roles is None:
                if self.settings.output is not None:
                    from pytest_mmreason.reports.files import prepare_output

                    prepare_output(self.settings.output)
                from pytest_mmreason.recordings import of_no_sample

                plan = self.plan
                models: dict[str, ModelAdapter | None]
                if plan.graded is not None:
                    from pytest_mmreason import grades

                    models = {grades.NAME: grades.GradedAnswers(plan.graded.answers)}
                else:
                    models = {
                        spec: self._registry.model(spec, self.settings)
                        for spec in self.settings.model
                    }
                judge = self._registry.judge(self.settings)
                self.prices = prices_of(plan)
                if self.settings.budget is not None:
                    from pytest_mmreason.budget import open_budget

                    self._budget = open_budget(plan, models, judge, self.prices)
                self._read_baseline(plan, judge)
                # A run that may live from its cache needs no endpoint.
                kept = (self.settings.cache_dir / FILE_NAME).exists()
                if self.settings.cache in ("off", "refresh") or (
                    self.settings.cache == "on" and not kept
                ):
                    for adapter in (*models.values(), getattr(judge, "adapter", None)):
                        probe = getattr(adapter, "probe", None)
                        if probe is not None:
                            probe()
                self._roles = (models, judge)
                self.warnings += cautions(plan)
                self.warnings += of_no_sample(plan, [*models.values(), judge])
                self._compare_runs(judge)
                self._warn_of_idle_options(models)
                for option, given in (
                    ("param", self.settings.param),
                    ("judge-param", self.settings.judge_param),
                ):
                    self.warnings += misspelt(f"--mm-{option}", given)

    @property
    def libraries(self) -> list[str]:
        """Packages that the models bring along, and whose warnings the user cannot mend."""
        models = self._roles[0].values() if self._roles else ()
        return sorted({name for model in models for name in getattr(model, "libraries", ())})

    @property
    def client(self) -> Client:
        """The way to the engine, which starts at the first call."""
        with self._lock:
            if self._client is None:
                self._open()
            assert self._client is not None
            return self._client

    @property
    def engine(self) -> Engine:
        """The engine, started if it was not."""
        with self._lock:
            if self._engine is None:
                self._open()
            assert self._engine is not None
            return self._engine

    @property
    def stopped(self) -> str:
        """Why the engine stopped for good; "" if it did not."""
        return (self._engine.stopped or "") if self._engine else ""

    @property
    def ledger(self) -> Ledger | None:
        """The ledger; None if no item asked for an evaluation yet."""
        return self._ledger

    def foresee(self) -> None:
        """Begin to ask about everything planned, before anybody has said what will run.

        Raises UsageError or BenchmarkError.
        """
        works = list(self.plan.works())
        self._foreseen = bool(works)
        self.engine.foresee(works)

    def select(self, selection: Selection, by_hand: Sequence[str] = ()) -> None:
        """Hear what will run; opens nothing if that is nothing."""
        if selection:
            self.client.select(selection, by_hand)

    def finish(self, exitstatus: int, stopped: str = "") -> Summary | None:
        """End the engine and sum up; None if nothing was evaluated in this session."""
        if self._ledger is None or self._engine is None:
            return None
        if self._foreseen and not self._ledger.is_expecting:
            made = [f"{n} {role}" for role, n in self._engine.calls().items() if n]
            if made:
                self.in_vain = (
                    f"{' and '.join(made)} calls were made for items that no worker collected"
                    f"{self._where_answers_are}"
                )
            return None
        from pytest_mmreason.recordings import of_another
        from pytest_mmreason.reports.files import official_notes, write_reports

        engine, ledger = self._engine, self._ledger
        engine.close()
        records = [ledger.records(run) for run in range(len(self.plan.runs))]
        stopped = stopped or self.stopped or self._over_budget(records)
        ended = (exitstatus, ledger.failed, ledger.tolerable, stopped, ledger.unreached)
        outcome = Outcome(*ended, kept=engine.store.keeps)
        known = [run.benchmark for run in self.plan.runs]
        if self.plan.graded and self.plan.graded.source:
            known.append(self.plan.graded.source)
        published = published_beside(known)
        summary = summarise(
            self.plan,
            records,
            ledger.expected,
            outcome,
            published,
            self._baseline,
            self.prices,
        )
        summary = explained(summary, ledger.whole)
        notes = [*self.warnings, *summary.notes, *engine.notes(), *ledger.notes()]
        details, versions, functions = engine.told()
        doubted = doubts(functions)
        notes += [*self._advice(summary, engine), *doubted]
        for run in summary.runs:
            notes += [*remarks(run), *filter(None, [of_another(run)])]
        judge = self._roles[1] if self._roles else None
        summary = replace(summary, grade_order=getattr(judge, "order", ()))
        notes += official_notes(summary, self.settings)
        summary = replace(
            summary,
            notes=tuple(dict.fromkeys(notes)),
            started=self._started_at,
            options=self.options,
            duration_s=time.monotonic() - self._started,
            retries=engine.retries(),
            cache_hits=dict(engine.cache_hits),
            details=details,
            versions=versions,
            cautions=doubted,
            unrecorded=unrecorded(engine.spent(), summary.runs),
        )
        try:
            if self.settings.output is not None and self.plan.graded is None:
                from pytest_mmreason.parts import write_part

                left_out = ledger.deselected() if self.settings.shard else ()
                chosen = {"by": dict(self.selected_by), "left_out": left_out}
                write_part(self.settings.output, self.plan, outcome, summary, chosen)
            if self.settings.shard:
                summary = self._part(summary)
            summary = write_reports(summary, ledger, self.settings)
        except OSError as error:
            summary = replace(
                summary, exit=summary.exit or 1, verdict=f"reports could not be written: {error}"
            )
        self.summary = summary
        return summary

    def _part(self, summary: Summary) -> Summary:
        """The summary of a shard says what it is, and what waits for the merge."""
        settings, notes = self.settings, list(summary.notes)
        verdict = summary.verdict
        if settings.output is None:
            notes.append(
                f"shard {settings.shard} leaves nothing to merge: --mm-output names no folder"
            )
        gates = {"thresholds": settings.threshold, "gates against the baseline": settings.baseline}
        if waiting := " and ".join(name for name, given in gates.items() if given):
            notes.append(
                f"this is shard {settings.shard}: its {waiting} are judged by "
                "python -m pytest_mmreason merge, over all shards"
            )
            if verdict == NO_GATE:
                verdict = f"its {waiting} wait for the merge"
        if self.selected_by and self._ledger is not None and not self._ledger.expected:
            verdict = f"{selection(self.selected_by)} selects no sample of shard {settings.shard}"
        return replace(summary, notes=tuple(notes), verdict=verdict)

    def _read_baseline(self, plan: Plan, judge: Judge | None) -> None:
        """Read what the run is compared with; UsageError if it is known not to compare."""
        if self.settings.baseline is not None:
            from pytest_mmreason import baseline

            if plan.graded is not None:
                raise UsageError(
                    "--mm-baseline compares a model with an earlier run; --mm-agreement measures a "
                    "judge. --mm-baseline= switches off what an ini file names"
                )
            self._baseline = baseline.read(self.settings.baseline, self.settings.allow_different)
            baseline.check_plan(self._baseline, plan, judge)

    def _advice(self, summary: Summary, engine: Engine) -> list[str]:
        """What is probably not meant."""
        advice = [
            f"the threshold {t.score:g} on {t.row} is below one point: thresholds go from 0 to 100"
            for t in self.settings.threshold
            if 0 < t.score < 1
        ]
        for role, made in engine.calls().items():
            recorded = sum(run.usage[role]["calls"] for run in summary.runs)
            if made > recorded:
                advice.append(
                    f"{made - recorded} more {role} calls are in no record: they ran ahead of items "
                    "that were not reached, were cut off at the end, or tests made them by hand"
                    f"{self._where_answers_are}"
                )
        return advice

    @property
    def _where_answers_are(self) -> str:
        return "; what was answered is in the cache" if self.engine.store.keeps else ""

    def close(self) -> None:
        """Let go of engine and journal, however the session ended."""
        if self._engine is not None:
            self._engine.close()
        if self._ledger is not None:
            self._ledger.close()

    def expected_calls(self, works: Iterable[Work]) -> dict[str, int]:
        """The most calls by role that a run of `works` makes without retries."""
        if self.settings.cache == "only":
            return {"model": 0, "judge": 0}
        judge_runs = 0 if is_offline(self.settings.judge) else self.settings.judge_runs
        asks = [not self.plan.graded and not is_offline(run.spec) for run in self.plan.runs]
        asked = judged = 0
        for work in works:
            if self.plan.runs[work.run].asking.lacks(self.plan.sample(work)):
                continue
            asked += asks[work.run]
            if judge_runs and self.plan.sample(work).answer is not None:
                judged += judge_runs
        return {"model": asked, "judge": judged}

    def _open(self) -> None:
        self.check()
        assert self._roles is not None
        home = prepare_home(self._rootdir)
        store = open_store(self.settings.cache_dir, self.settings.cache)
        journal = Journal(home / "journal" if home else None)
        models, judge = self._roles
        self._ledger = Ledger(self.plan, journal)
        self._engine = Engine(self.plan, models, judge, store, keep=self._keep, budget=self._budget)
        self._client = LocalClient(self._engine, self._ledger)

    def _warn_of_idle_options(self, models: Mapping[str, Any]) -> None:
        """Options of local checkpoints say nothing to other models."""
        if any("torch" in getattr(model, "libraries", ()) for model in models.values()):
            return
        given = {
            "--mm-device": self.settings.device != "auto",
            "--mm-dtype": self.settings.dtype != "auto",
            "--mm-trust-remote-code": self.settings.trust_remote_code,
        }
        if idle := [option for option, is_given in given.items() if is_given]:
            self.warnings.append(
                f"{' and '.join(idle)}: of no use here, no model of this run is an hf: checkpoint"
            )

    def _over_budget(self, records: Iterable[Sequence[Record]]) -> str:
        """What to say if the budget left samples unasked; "" if it did not."""
        ends = [OVER_BUDGET in record.flags for run in records for record in run]
        if self._budget is None or not any(ends):
            return ""
        return self._budget.message(sum(ends), len(ends), self.settings.cache != "off")

    def _compare_runs(self, judge: Any) -> None:
        """Of a recording's judge runs, all should be wanted; more than it has cannot be."""
        recorded, wanted = getattr(judge, "runs", 0), self.settings.judge_runs
        if 0 < recorded < wanted and judge.adapter is None:
            raise UsageError(
                f"--mm-judge-runs={wanted}: {judge.name} holds {count(recorded, 'judge run')}. "
                f"Write --mm-judge-runs={recorded}, or let a model judge what is absent: "
                "--mm-judge=openai:NAME --mm-judge-param grades=FILE"
            )
        if recorded > wanted:
            self.warnings.append(
                f"{judge.name} holds {recorded} judge runs, of which the first {wanted} are taken; "
                f"--mm-judge-runs={recorded} takes all"
            )
