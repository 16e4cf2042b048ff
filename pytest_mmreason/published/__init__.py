"""The papers' result tables, as data: ``infimm-eval.toml`` and ``mm-vet.toml`` beside this module.

InfiMM-Eval (arXiv 2311.11567), Tables 1-4 and 6, and its authors' leaderboard; MM-Vet (arXiv
2308.02490), Tables 3-9. Nothing is read before it is asked for.

Keys of the files, beside those that :class:`Published` has by the same names:

- ``[[tables]]``: ``source``, the ``set`` of samples it is of, ``columns`` and ``rows``, whose
  ``scores`` stand in the order of the columns. ``printed`` is what the table calls the model
  where another table calls it otherwise; the other keys of a row are those of :class:`Row`.
- ``[faults]``: what a row's ``fault`` stands for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import nearest

BENCHMARKS = ("infimm-eval", "mm-vet")
"""Official benchmarks whose papers' results are here."""

EVERYTHING = "published"
"""What ``--mm-compare`` takes for the main results of whichever benchmark is run."""

ALTERED = "altered"
"""The version of an official file that is not as published."""


@dataclass(frozen=True, slots=True)
class Row:
    """One published result.

    set:      the samples it is of, a name of ``Published.sets``.
    sources:  the tables that print it.
    setting:  what was done beside asking the model; "" where the table says nothing.
    llm:      its language model, and tuned: whether it follows instructions; where printed.
    scores:   row name -> 0-100, as printed; ``overall`` is always there.
    sd:       of the overall score over judge runs, 0-100; None where not printed.
    revision: samples of the benchmark's revision that the overall score follows from; None
              where it follows from none, or its columns do not tell.
    fault:    why the overall score is not what the columns make by the benchmark's formula; ""
              if it is, or if there are no such columns. A row with a fault is never ranked.
    """

    set: str
    model: str
    scores: Mapping[str, float]
    sources: tuple[str, ...]
    setting: str = ""
    llm: str = ""
    tuned: bool | None = None
    sd: float | None = None
    revision: int | None = None
    fault: str = ""

    @property
    def label(self) -> str:
        """Model and setting: what names the row among those of its set."""
        return f"{self.model}, {self.setting}" if self.setting else self.model


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The samples that results are of.

    samples: row name -> how many of its samples a run must hold to be compared.
    main:    the tables that hold the main results.
    ids:     :func:`~pytest_mmreason.benchmarks.official.digest` over the ids; "" for all.
    """

    samples: Mapping[str, int]
    main: tuple[str, ...]
    ids: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """What columns count in an overall score: by basis (``category``…), column -> weight.

    revision, set: the rows that it is for; None and "" where it is for no certain ones.
    """

    bases: Mapping[str, Mapping[str, float]]
    revision: int | None = None
    set: str = ""

    def are_of(self, row: Row) -> bool:
        """True if the overall score of `row` was made with these."""
        return self.set == row.set or (self.revision is not None and self.revision == row.revision)


@dataclass(frozen=True, slots=True)
class Agreement:
    """MM-Vet, Table 9: mean |judge - human| in [0, 1] by judge, on `samples` answers of `model`."""

    source: str
    model: str
    samples: int
    difference: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Published:
    """The published results of one benchmark.

    judge:     who graded them. digits: decimals that scores are printed with.
    revisions: versions of the official file that may be compared.
    columns:   row names in the order in which they are shown.
    rows:      every result; one that several tables print alike stands once.
    caution:   what else tells a run's scores from the published ones; "" if nothing does.
    remarks:   (where, what) else is wrong in print.
    """

    title: str
    paper: str
    judge: str
    digits: int
    revisions: tuple[str, ...]
    columns: tuple[str, ...]
    sets: Mapping[str, SampleSet]
    weights: Mapping[str, Weights]
    rows: tuple[Row, ...]
    caution: str = ""
    remarks: tuple[tuple[str, str], ...] = ()
    agreement: Agreement | None = None

    def of(self, source: str) -> list[Row]:
        """The rows that a table prints."""
        return [row for row in self.rows if source in row.sources]

    def own_weights(self, row: Row) -> Weights | None:
        """The weights by which the row's overall score was made; None if none is known."""
        return next((w for w in self.weights.values() if w.are_of(row)), None)


def load(benchmark: str) -> Published:
    """The results of one of BENCHMARKS."""
    path = Path(__file__).with_name(f"{benchmark}.toml")
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    rows: dict[tuple[str, str], Row] = {}
    for row in _rows(table["tables"], table.get("faults", {})):
        key = (row.set, row.label.casefold())
        known = rows.get(key)
        if known is not None:
            scores, sources = {**row.scores, **known.scores}, (*known.sources, *row.sources)
            row = replace(known, scores=scores, sources=sources)
        rows[key] = row
    graded = table.get("agreement")
    return Published(
        title=table["title"],
        paper=table["paper"],
        judge=table["judge"],
        digits=table["digits"],
        revisions=tuple(table["revisions"]),
        columns=tuple(table["columns"]),
        sets={
            name: SampleSet(s["samples"], tuple(s["main"]), s.get("ids", ""))
            for name, s in table["sets"].items()
        },
        weights={
            name: Weights(w, w.pop("revision", None), w.pop("set", ""))
            for name, w in table["weights"].items()
        },
        rows=tuple(rows.values()),
        caution=table.get("caution", ""),
        remarks=tuple((r["where"], r["text"]) for r in table.get("remarks", ())),
        agreement=Agreement(**graded) if graded else None,
    )


def _rows(tables: list[dict[str, Any]], faults: Mapping[str, str]) -> Iterator[Row]:
    for table in tables:
        for row in table["rows"]:
            row.pop("printed", None)
            yield Row(
                set=table["set"],
                sources=(table["source"],),
                scores=dict(zip(table["columns"], row.pop("scores"), strict=True)),
                fault=faults[row.pop("fault")] if "fault" in row else "",
                **row,
            )


def beside(benchmarks: Iterable[Benchmark]) -> dict[str, Published]:
    """By name, what is published on those of `benchmarks` that were read from official files."""
    official = {b.name: b.version for b in benchmarks if b.name in BENCHMARKS}
    found = {name: load(name) for name in official}
    return {
        name: results
        for name, results in found.items()
        if official[name] in (*results.revisions, ALTERED)
    }


def chosen(rows: list[Row], main: tuple[str, ...], name: str) -> list[Row]:
    """The rows that `name` stands for, whatever its case: EVERYTHING, a table, a row or a model."""
    name = name.casefold()
    if name == EVERYTHING:
        return [row for row in rows if not set(main).isdisjoint(row.sources)]
    return (
        [row for row in rows if name in map(str.casefold, row.sources)]
        or [row for row in rows if name == row.label.casefold()]
        or [row for row in rows if name == row.model.casefold()]
    )


def check_name(name: str) -> str:
    """`name` as it was given; ValueError with the nearest names if it stands for no row."""
    rows = [row for benchmark in BENCHMARKS for row in load(benchmark).rows]
    sources = [EVERYTHING, *sorted({source for row in rows for source in row.sources})]
    known = [*sources, *(name for row in rows for name in (row.label, row.model))]
    if name.casefold() not in map(str.casefold, known):
        hint = nearest(name, known)
        if not hint.startswith("Did you mean"):  # names of rows hold commas, and are many
            hint = (
                f"Known: {' · '.join(sources)} · any model of these, for example {rows[-1].model}"
            )
        raise ValueError(f"is {name!r}; no published result is named so. {hint}")
    return name


def recomputed(scores: Mapping[str, float], weights: Weights) -> dict[str, float]:
    """By basis, the overall score, 0-100, that columns make with `weights`.

    A basis of which a column is absent is left out.
    """
    return {
        basis: sum(weight * scores[column] for column, weight in columns.items())
        / sum(columns.values())
        for basis, columns in weights.bases.items()
        if columns.keys() <= scores.keys()
    }
