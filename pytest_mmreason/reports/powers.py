"""What samples show what drops, as tables (no computing)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_mmreason.compare import CORRECTION, SIGNIFICANCE
from pytest_mmreason.power import POWER, RowSpread, needed, visible
from pytest_mmreason.reports.tables import ABSENT, Cell, Table
from pytest_mmreason.reports.text import count, inert

DROPS = (1, 2, 3, 5, 10)
SIZES = (100, 150, 218, 279, 500, 1000, 2000)


def needed_table(sd: float, rows: int) -> Table:
    """Drop -> samples."""
    body = [
        (
            Cell(count(drop, "point")),
            Cell(f"{needed(drop, sd):,}"),
            Cell(f"{needed(drop, sd, rows):,}"),
        )
        for drop in DROPS
    ]
    return _table("drop", "samples", rows, body)


def visible_table(sd: float, rows: int) -> Table:
    """Samples -> drop."""
    body = [
        (Cell(f"{n:,}"), Cell(f"{visible(n, sd):.1f}"), Cell(f"{visible(n, sd, rows):.1f}"))
        for n in SIZES
    ]
    return _table("samples", "drop", rows, body)


def rows_table(found: Sequence[RowSpread], rows: int) -> Table:
    """Row -> drop."""
    body = [
        (
            Cell(f"{inert(row.row)} ({row.n:,})"),
            Cell(f"{visible(row.n, row.sd):.1f}" if row.sd else ABSENT),
            Cell(f"{visible(row.n, row.sd, rows):.1f}" if row.sd else ABSENT),
        )
        for row in found
    ]
    return _table("row", "drop", rows, body)


def headline(sd: float, source: str) -> str:
    """On what the tables are based."""
    return (
        f"found with {POWER:.0%} power at the two-sided {SIGNIFICANCE:.0%} level, where the two "
        f"scores of a sample differ with a standard deviation of {sd:.2f}: {source}"
    )


def _table(what: str, value: str, rows: int, body: Sequence[tuple[Cell, ...]]) -> Table:
    headers = (what, f"{value}, one row", f"{value}, of {rows} rows ({CORRECTION})")
    return Table(headers, (False, True, True), tuple(body), has_total=False)
