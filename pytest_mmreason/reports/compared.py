"""The words and tables of comparisons: with a baseline, and of runs in pairs (no computing)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_mmreason.compare import (
    CORRECTION,
    TEST,
    Comparison,
    RowChange,
    SampleChange,
    p_text,
    points_text,
)
from pytest_mmreason.gates import Gate
from pytest_mmreason.pairs import Pair
from pytest_mmreason.reports.tables import ABSENT, Cell, Table
from pytest_mmreason.reports.text import count, inert
from pytest_mmreason.summary import RunResult, label

MOST_SAMPLES = 10
"""Samples that are named of those that lost or gained; summary.json names all."""

MOST_PAIRS = 10

BY_CHANCE = "n.s."
"""Beside a gate that passes because what was lost is not significant."""


def title(before: str, after: str = "") -> str:
    """What is compared with what."""
    return inert(f"{after} against {before}" if after else f"against {before}, the baseline")


def changes(found: Comparison, gates: Sequence[Gate]) -> Table:
    """The rows that gates look at, the overall one last; what matters most comes first."""
    shown = [row for row in found.rows.values() if row.p_adjusted is not None]
    shown.sort(key=lambda row: row.row == "overall")
    dropped = {gate.row: gate for gate in gates if gate.kind == "max_drop"}
    headers = ("row", "n", "change", "95 % CI", "p", "−/+", *(["gate"] if dropped else []))
    rows = []
    for row in shown:
        cells = [Cell(inert(row.row)), Cell(f"{row.n:,}"), *_change(row)]
        if dropped:
            cells.append(_gate_cell(dropped.get(row.row), row))
        cells += [Cell(f"{row.before:.1f}"), Cell(f"{row.after:.1f}")]
        rows.append(tuple(cells))
    numeric = (False, *([True] * (len(headers) - 1)), True, True)
    if dropped:
        numeric = (*numeric[:-3], False, True, True)
    return Table((*headers, "before", "now"), numeric, tuple(rows))


def method(found: Comparison, gates: Sequence[Gate] = ()) -> str:
    """What was compared, how p comes about, and what the table's signs mean."""
    tested = [row for row in found.rows.values() if row.p_adjusted is not None]
    dropped = {gate.row: gate for gate in gates if gate.kind == "max_drop"}
    by_chance = any(_is_by_chance(dropped.get(row.row), row) for row in tested)
    parts = [
        f"{count(len(found.samples), 'sample')} of both runs",
        f"p of the {TEST} test, corrected over {count(len(tested), 'row')} ({CORRECTION})",
        "95 % CI of each row alone",
        "−/+: samples that lost / gained",
        *([f"{BY_CHANCE}: not significant"] if by_chance else []),
    ]
    return " · ".join(parts)


def lines(found: Comparison) -> list[tuple[str, list[str]]]:
    """(title, items): which samples lost and gained, which are left out, and what differs."""
    parts = [
        ("note", found.doubts()),
        ("worse", _samples(found.worse)),
        ("better", _samples(found.better)),
        ("left out", _left_out(found)),
        ("differing", [inert(one.text) for one in found.differing]),
    ]
    return [(name, items) for name, items in parts if items]


def pairs_table(pairs: Sequence[Pair], runs: Sequence[RunResult]) -> Table:
    """Of every two runs the better one, by how much, and whether chance explains it."""
    rows = []
    for pair in pairs[:MOST_PAIRS]:
        cells = [
            Cell(inert(label(pair.first, runs))),
            Cell(inert(label(pair.second, runs))),
            *_change(pair.change),
        ]
        rows.append(tuple(cells))
    return Table(
        ("model", "against", "overall", "95 % CI", f"p ({CORRECTION})", "−/+"),
        (False, False, True, True, True, True),
        tuple(rows),
        has_total=False,
    )


def pairs_left(pairs: Sequence[Pair]) -> str:
    """How many pairs the table leaves out; "" for none."""
    left = len(pairs) - MOST_PAIRS
    return f"{count(left, 'more pair')} in summary.json (pairs)" if left > 0 else ""


def _change(row: RowChange) -> list[Cell]:
    p = row.p if row.p_adjusted is None else row.p_adjusted
    ci = ABSENT if row.ci95 is None else f"{points_text(row.ci95[0])} to {points_text(row.ci95[1])}"
    return [
        Cell(points_text(row.difference)),
        Cell(ci),
        Cell(p_text(p)),
        Cell(f"{row.worse:,}/{row.better:,}"),
    ]


def _is_by_chance(gate: Gate | None, row: RowChange) -> bool:
    """True if the gate passes though the row lost more than it allows."""
    return gate is not None and gate.passed and row.exceeds(gate.limit)


def _gate_cell(gate: Gate | None, row: RowChange) -> Cell:
    if gate is None:
        return Cell("")
    word = "PASS" if gate.passed else "FAIL"
    word += f" {BY_CHANCE}" if _is_by_chance(gate, row) else ""
    least = f"−{gate.limit:g}" if gate.limit else "0"
    return Cell(f"≥ {least} {word}", "good" if gate.passed else "bad")


def _samples(changed: Sequence[SampleChange]) -> list[str]:
    items = [f"{inert(one.sample)} {_step(one)}" for one in changed[:MOST_SAMPLES]]
    more = len(changed) - MOST_SAMPLES
    return [*items, f"{more:,} more"] if more > 0 else items


def _step(changed: SampleChange) -> str:
    """Both scores, with as many digits as tell them apart."""
    places = next((n for n in (2, 3) if f"{changed.before:.{n}f}" != f"{changed.after:.{n}f}"), 4)
    return f"{changed.before:.{places}f} → {changed.after:.{places}f}"


def _left_out(found: Comparison) -> list[str]:
    items = []
    if found.errored:
        names = [
            f"{inert(one.sample)} {one.before} → {one.after}"
            for one in found.errored[:MOST_SAMPLES]
        ]
        more = ["…"] if len(found.errored) > MOST_SAMPLES else []
        items.append(f"{len(found.errored):,} errored ({', '.join(names + more)})")
    for ids, where in ((found.only_before, "the baseline"), (found.only_after, "this run")):
        if ids:
            items.append(f"{len(ids):,} only in {where}")
    return items
