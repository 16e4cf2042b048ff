"""The words and tables of what was measured of a judge: its agreement, and its spread."""

from __future__ import annotations

from pytest_mmreason.agreement import CLASSES, EMPTY, Agreement, Disagreement, Distance
from pytest_mmreason.reports.tables import ABSENT, Cell, Table
from pytest_mmreason.reports.text import count, inert
from pytest_mmreason.spread import LIMIT, Spread

MOST_DIFFERING = 5
"""Samples on which judge runs disagree that are named; all stand in summary.json."""


def spread_items(spread: Spread) -> list[str]:
    """The spread of the judge runs, and the samples on which they disagree."""
    items = [f"sd of a sample {spread.mean_sd:.2f} on average"]
    if spread.differing:
        number = len(spread.differing)
        items.append(f"verdicts on {number:,} of {spread.n:,} differ by more than {LIMIT:g}")
    for one in spread.differing[:MOST_DIFFERING]:
        again = f" (repeat {one.repeat})" if one.repeat else ""
        low, high = min(one.scores), max(one.scores)
        items.append(f"{inert(one.sample)}{again} {low:.2f}–{high:.2f}, sd {one.sd:.2f}")
    if more := len(spread.differing) - MOST_DIFFERING:
        items += [f"{more:,} more"] if more > 0 else []
    return items


def headline(found: Agreement) -> str:
    """How the judge agrees with the reference scores."""
    whole = found.overall
    if whole is None:
        return "judge against reference: it judged nothing"
    return (
        f"judge against reference: mean |difference| {whole.difference:.3f}, "
        f"bias {whole.bias:+.3f}, on {count(whole.n, 'answer')}"
    )


def distances(found: Agreement) -> Table:
    """The distance by capability, length and kind of the answers, and over all."""
    rows = [
        (kind if place == 0 else "", name, distance)
        for kind, groups in found.groups.items()
        for place, (name, distance) in enumerate(groups.items())
    ]
    body = [_distance_row(*row) for row in rows]
    body.append(_distance_row("overall", "", found.overall))
    headers = ("answers by", "", "n", "mean |diff|", "bias", "rank corr.")
    return Table(headers, (False, False, True, True, True, True), tuple(body))


def _distance_row(kind: str, name: str, distance: Distance | None) -> tuple[Cell, ...]:
    cells = [Cell(kind), Cell(inert(name))]
    if distance is None:
        return (*cells, Cell("0"), *[Cell(ABSENT)] * 3)
    rank = ABSENT if distance.spearman is None else f"{distance.spearman:.2f}"
    numbers = (f"{distance.n:,}", f"{distance.difference:.3f}", f"{distance.bias:+.3f}", rank)
    return (*cells, *map(Cell, numbers))


def confusion(found: Agreement) -> Table:
    """How many answers are of which class by reference (rows) and by judge (columns)."""
    rows = [
        (Cell(reference), *(Cell(f"{found.confusion[reference][judged]:,}") for judged in CLASSES))
        for reference in CLASSES
    ]
    headers = ("reference", *(f"judge: {judged}" for judged in CLASSES))
    return Table(headers, (False, True, True, True), tuple(rows), has_total=False)


def left_out_text(found: Agreement) -> str:
    """Answers that the measure is without, and why; "" if there are none."""
    parts = [
        count(number, "empty answer") + ", which no judge sees"
        if why == EMPTY
        else f"{number:,} {why}"
        for why, number in found.left_out.items()
    ]
    return f"left out of the measure: {' · '.join(parts)}" if parts else ""


def published_items(found: Agreement) -> list[str]:
    """The published agreements on the same questions, beside the judge's own."""
    table, own = found.published, found.without_generation
    if table is None or own is None:
        return []
    items = [f"this judge {own.difference:.3f}"]
    items += [f"{name} {difference:.3f}" for name, difference in table.difference.items()]
    return [*items, f"theirs against people, on answers of {table.model}"]


def published_title(found: Agreement) -> str:
    """Where :func:`published_items` are from."""
    table = found.published
    return f"MM-Vet, {table.source}" if table else ""


def disagreement_title(one: Disagreement) -> str:
    """Both scores of an answer, and which it is."""
    kind = f"  ({inert(one.kind)})" if one.kind else ""
    return f"judge {one.judge:.2f}  reference {one.reference:.2f}  {inert(one.sample)}{kind}"


def disagreements(found: Agreement) -> Table:
    """The largest disagreements with their texts, for a page as wide as it likes."""
    rows = [
        (
            Cell(f"{one.judge:.2f}"),
            Cell(f"{one.reference:.2f}"),
            Cell(f"{one.sample} ({one.kind})" if one.kind else one.sample),
            *(Cell(inert(text, limit=300)) for text in (one.answer, one.expected, one.rationale)),
        )
        for one in found.largest
    ]
    headers = ("judge", "reference", "sample", "answer", "reference answer", "why")
    return Table(headers, (True, True, *[False] * 4), tuple(rows), has_total=False)
