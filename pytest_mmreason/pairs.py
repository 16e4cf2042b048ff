"""Runs of one session in pairs: which are better, and whether chance explains it (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mmreason.compare import CORRECTION, TEST, RowChange, holm, overall_change

if TYPE_CHECKING:
    from pytest_mmreason.summary import RunResult


_OF_A_ROW = ("before", "after", "row", "able", "least_p")
"""Of a change, what says nothing of a pair or has other names there."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs on one benchmark, the better one first, by their overall scores over the samples
    that both scored: ``change.after`` is the first run's.

    p_adjusted of `change` is Holm's over all pairs of the benchmark.
    """

    first: RunResult
    second: RunResult
    change: RowChange

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        runs = {
            name: {"model": run.spec.model, "prompt": run.spec.prompt}
            for name, run in (("first", self.first), ("second", self.second))
        }
        change = {k: v for k, v in asdict(self.change).items() if k not in _OF_A_ROW}
        change["ci95"] = list(self.change.ci95) if self.change.ci95 else None
        scores = {"first_score": self.change.after, "second_score": self.change.before}
        how = {"test": TEST, "correction": CORRECTION}
        return {"benchmark": self.first.spec.benchmark.name, **runs, **scores, **change, **how}


def paired(runs: Sequence[RunResult]) -> list[Pair]:
    """Every pair of runs on one benchmark, those with the best run first."""
    found: list[Pair] = []
    for benchmark in dict.fromkeys(run.spec.benchmark.name for run in runs):
        scored = [r for r in runs if r.spec.benchmark.name == benchmark and _score(r) is not None]
        ranked = sorted(scored, key=lambda run: -(_score(run) or 0.0))
        pairs = []
        for first, second in combinations(ranked, 2):
            change = overall_change(second.records, first.records)
            if change is not None:
                pairs.append(Pair(first, second, change))
        adjusted = holm([pair.change.p for pair in pairs])
        for pair, p in zip(pairs, adjusted, strict=True):
            found.append(replace(pair, change=replace(pair.change, p_adjusted=p)))
    return found


def _score(run: RunResult) -> float | None:
    row = run.rows.get("overall")
    return row.score if row is not None else None
