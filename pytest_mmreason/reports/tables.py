"""The words and tables of a summary, for the terminal and Markdown alike (no computing)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.gates import Gate
from pytest_mmreason.pricing import NOTHING, key_of
from pytest_mmreason.record import ERRORS
from pytest_mmreason.reports.text import count, duration, inert, usd
from pytest_mmreason.scoring import Row, cell_name
from pytest_mmreason.settings import Settings, is_offline
from pytest_mmreason.spending import cut_off, known_cost
from pytest_mmreason.summary import RunResult, Summary, best_of, label

if TYPE_CHECKING:
    from pytest_mmreason.standing import Standing

ABSENT = "–"
_GAP, _LEAST = 3, 3
"""Characters between two columns of a table, and how many columns every terminal shows."""
_SHORTEST = 16
"""Characters of a name that are shown however narrow a terminal is."""
_SHORTEST_OF_PAIR = 12
"""The same, of two names beside each other."""

_FILES = ("file", "answers")
"""What graded answers were read from; see :class:`~pytest_mmreason.grades.Graded`."""

MOST_TAGS = 8
"""Tags that a summary names; every one has its row in summary.json."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table, and how it is meant: ``good``, ``bad``, ``own`` or plain."""

    text: str
    mood: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Headers, whether a column holds numbers, and rows; the last row may be a total."""

    headers: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]
    has_total: bool = True


def samples_text(benchmark: Benchmark, selected: int, settings: Settings) -> str:
    """How many samples, of how many, and which shard of them."""
    total = count(len(benchmark.samples), "sample")
    text = total if selected == len(benchmark.samples) else f"{selected} of {total}"
    text += f" · subset {settings.subset.name}" if settings.subset else ""
    return f"{text} · shard {settings.shard}" if settings.shard else text


def facts(run: RunResult, settings: Settings, detail: str = "") -> list[tuple[str, str]]:
    """What was asked of whom, in (name, value) pairs; `detail` is where a local model ran."""
    benchmark = run.spec.benchmark
    judge = ("judge", inert(" · ".join([run.judge, *_judging(run, settings)])))
    if run.agreement is not None:
        selected = samples_text(benchmark, run.counts["collected"], settings)
        files = " · ".join(run.agreement.files[key] for key in _FILES if key in run.agreement.files)
        return [("graded", inert(f"{files} · {selected} · {benchmark.fingerprint}")), judge]
    version = f" {benchmark.version}" if benchmark.version else ""
    samples = samples_text(benchmark, run.counts["collected"] // settings.repeats, settings)
    how = [*([detail] if detail else []), f"prompt {run.spec.prompt}"]
    named = f" {settings.captions.name}" if settings.captions else ""
    how.append(f"images {settings.image_mode}{named}")
    if settings.icl:
        how.append(count(settings.icl, "worked example"))
    if settings.follow_up != "none":
        how.append(f"follow-up {settings.follow_up}")
    if settings.repeats > 1:
        how.append(f"{settings.repeats} repeats")
    if settings.judge_runs > 1:
        how.append(f"{settings.judge_runs} judge runs")
    return [
        ("benchmark", inert(f"{benchmark.name}{version} · {samples} · {benchmark.fingerprint}")),
        ("model", inert(f"{run.spec.shown} · {' · '.join(how)}")),
        judge,
    ]


def _judging(run: RunResult, settings: Settings) -> list[str]:
    """By which prompt the judge was asked, or that it was not, and what it called itself."""
    runs = [f"{settings.judge_runs} runs each"] if run.agreement and settings.judge_runs > 1 else []
    if is_offline(settings.judge):
        return ["offline", *runs]
    judging, named = run.judging, [n for n in run.judge_models if not run.judge.endswith(f":{n}")]
    if "prompt_sha256" in judging:
        runs.append(f"prompt {judging['prompt']} {judging['prompt_sha256'][:12]}")
    return [*runs, *([f"answered as {', '.join(named)}"] if named else [])]


def main_table(run: RunResult) -> Table:
    """The weighted scores: by category with complexity columns, else by capability."""
    rows = run.rows
    kind = "category" if any(row.kind == "category" for row in rows.values()) else "capability"
    groups = [row for row in rows.values() if row.kind == kind]
    complexities = [row.name for row in rows.values() if row.kind == "complexity"]
    shown = {row.name for row in groups} | {"overall", *complexities}
    gated = [g for g in run.gates if g.kind == "threshold"]
    extra = [g.row for g in gated if g.row not in shown or g.row in complexities]
    spread = any(len(row.runs) > 1 for row in rows.values())
    headers = ["reasoning" if kind == "category" else "capability", "n", "score"]
    headers += ["sd"] if spread else []
    headers += ["95 % CI", *map(inert, complexities)]
    headers += ["gate"] if gated else []
    body = []
    for row_name in [*(row.name for row in groups), *dict.fromkeys(extra), "overall"]:
        row = rows.get(row_name)
        cells = [Cell(inert(row_name)), Cell(_n(row)), Cell(_score(row))]
        cells += [Cell(_sd(row))] if spread else []
        cells.append(Cell(_interval(row)))
        cells += [Cell(_score(_cell_row(rows, row_name, c))) for c in complexities]
        cells += [_gate_cell([g for g in gated if g.row == row_name])] if gated else []
        body.append(tuple(cells))
    numeric = (False, *([True] * (len(headers) - 1)))
    if gated:
        numeric = (*numeric[:-1], False)
    return Table(tuple(headers), numeric, tuple(body))


def row_table(rows: Iterable[Row]) -> Table:
    """Rows of one kind, one below the other, for a page as long as it likes."""
    body = tuple(
        tuple(map(Cell, (inert(row.name), _n(row), _score(row), _interval(row)))) for row in rows
    )
    headers = ("row", "n", "score", "95 % CI")
    return Table(headers, (False, True, True, True), body, has_total=False)


def row_lines(run: RunResult) -> list[tuple[str, list[str]]]:
    """(kind, ["rec 41.2 (88)", …]) of the rows that the main table does not show."""
    by_category = any(row.kind == "category" for row in run.rows.values())
    # Integrations are MM-Vet's way of cutting; InfiMM-Eval has categories in their place.
    kinds = ["capability", "flag", "tag"] if by_category else ["integration", "flag", "tag"]
    lines = []
    bare = [row for row in run.rows.values() if _headline(row) and row.answer_only is not None]
    if bare:
        lines.append(("answer only", [f"{inert(r.name)} {r.answer_only:.1f}" for r in bare]))
    for kind in kinds:
        found = [row for row in run.rows.values() if row.kind == kind]
        if kind == "tag":
            found = [row for row in found if row.n > 1][:MOST_TAGS]
        if found:
            items = [f"{inert(row.name)} {_score(row)} ({_n(row)})" for row in found]
            lines.append(("samples" if kind == "flag" else kind, items))
    return lines


def comparison(runs: Sequence[RunResult]) -> Table:
    """The runs side by side, the best of each benchmark marked: of equals, each."""
    names = list(
        dict.fromkeys(name for run in runs for name, row in run.rows.items() if _headline(row))
    )
    best = {
        (name, found.rows["overall"].score)
        for name in {run.spec.benchmark.name for run in runs}
        if (found := best_of([run for run in runs if run.spec.benchmark.name == name]))
    }
    rows = []
    for run in runs:
        overall = run.rows.get("overall")
        is_best = overall and (run.spec.benchmark.name, overall.score) in best
        mark = "★ " if is_best else "  "
        cells = [Cell(mark + inert(label(run, runs)))]
        cells += [Cell(_score(run.rows.get(name))) for name in names]
        rows.append(tuple(cells))
    return Table(
        ("model", *map(inert, names)), (False, *([True] * len(names))), tuple(rows), has_total=False
    )


def neighbours(standing: Standing) -> list[str]:
    """The published results next to a run's own, on which side they are, and who graded them."""
    own, found = standing.own.rank or 0, list[str]()
    for line in standing.neighbours:
        rank = line.rank or 0
        side = "below" if rank > own else "level" if rank == own else "above"
        if side == "above" and found and not found[-1].startswith("below"):
            side = "best"
        found.append(f"{side}: {line.name} {line.scores['overall']:.{standing.digits}f}")
    return [*found, f"graded by {standing.judge}"]


def standing_title(standing: Standing) -> str:
    """On what results are published, and the run's rank among them."""
    rank = standing.own.rank
    place = "not ranked" if rank is None else f"rank {rank} of {standing.ranked}"
    return f"published on {standing.title} · {place}"


def standing_table(standing: Standing) -> Table:
    """The run among the published results; the columns that matter most come first."""
    lines = standing.lines
    columns = [c for c in standing.columns if any(c in line.scores for line in lines)]
    revised = any(line.revision for line in lines)
    headers = ("rank", "model", *columns, *(["samples"] if revised else []), "source")
    rows = []
    for line in lines:
        scores = (line.scores.get(column) for column in columns)
        texts = [
            ABSENT if line.rank is None else str(line.rank),
            f"→ {line.name}" if line.is_own else line.name,
            *(ABSENT if s is None else f"{s:.{standing.digits}f}" for s in scores),
            *([str(line.revision or "")] if revised else []),
            *(line.sources[:1] or ("",)),
        ]
        rows.append(tuple(Cell(text, "own" if line.is_own else "") for text in texts))
    numeric = (True, False, *([True] * (len(headers) - 3)), False)
    return Table(headers, numeric, tuple(rows), has_total=False)


def narrowed(table: Table, width: int) -> Table:
    """`table` without the last columns that a terminal of `width` characters has no room for."""
    columns = list(zip(table.headers, *([c.text for c in row] for row in table.rows), strict=True))
    room, kept = width, 0
    for column in columns:
        room -= max(map(len, column)) + _GAP
        kept += room >= 0 or kept < _LEAST
    rows = tuple(row[:kept] for row in table.rows)
    return Table(table.headers[:kept], table.numeric[:kept], rows, table.has_total)


def fitted(table: Table, width: int, names: int = 1) -> Table:
    """`table` with the names in its first columns shortened in the middle, so that it fits `width`.

    names: how many columns hold names. Names that would then look alike stay as they are.
    """
    columns = list(zip(table.headers, *([c.text for c in row] for row in table.rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    room = width - sum(widths[names:]) - _GAP * (len(widths) - 1)
    least = _SHORTEST if names == 1 else _SHORTEST_OF_PAIR
    lengths = range(least, max(widths[:names]) + 1)
    fits = (n for n in lengths if sum(min(n, one) for one in widths[:names]) <= room)
    length = max(fits, default=least)
    rows = [
        tuple(replace(cell, text=_shortened(cell.text, length)) for cell in row[:names])
        + row[names:]
        for row in table.rows
    ]
    before, after = (
        {cell.text.lstrip("★ ") for row in of for cell in row[:names]} for of in (table.rows, rows)
    )
    return table if len(after) < len(before) else replace(table, rows=tuple(rows))


def _shortened(text: str, length: int) -> str:
    """`text` in at most `length` characters, with an … for what its middle lost."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}"


def _headline(row: Row) -> bool:
    return row.kind in ("overall", "category", "complexity")


def counts_text(run: RunResult, settings: Settings) -> str:
    """How every sample ended, and what that does to the means."""
    left_out = "left out of the means" if settings.on_error == "exclude" else "counted as 0"
    remarks = {
        "refused": "counted as 0",
        "unjudged": "no reference",
        **dict.fromkeys(ERRORS, left_out),
    }
    parts = []
    for status, number in run.counts.items():
        if status == "collected" or not number:
            continue
        remark = f" ({remarks[status]})" if status in remarks else ""
        parts.append(f"{number:,} {status}{remark}")
    for what, found in (
        ("empty answer", sum(r.reason == "empty answer" for r in run.records)),
        ("answer", sum("cut short" in r.flags for r in run.records)),
    ):
        if found:
            parts.append(
                f"{count(found, what)} {'counted as 0' if what != 'answer' else 'cut short'}"
            )
    weak = sum(any("judge runs gave no verdict" in flag for flag in r.flags) for r in run.records)
    if weak:
        parts.append(f"{count(weak, 'sample')} without some judge run")
    if run.unsure:
        parts.append(f"{count(run.unsure, 'verdict')} unsure")
    if run.put_right:
        parts.append(f"{count(run.put_right, 'verdict')} put right")
    return " · ".join(parts)


def usage_text(run: RunResult) -> str:
    """Calls, tokens and cost by role."""
    parts, payers = [], {"model": run.spec.shown, "judge": run.judge}
    asked = {"model": run.spec.asked, "judge": run.judge}
    for role in ("model", "judge"):
        used = run.usage.get(role, {})
        calls = used.get("calls", 0)
        tokens = used.get("prompt_tokens", 0) + used.get("completion_tokens", 0)
        words = [count(calls, "call")] if calls else ["no calls"]
        if tokens:
            words.append(f"{tokens:,} tokens")
        cost = run.costs.get(role, NOTHING)
        if cost.unpriced:
            named = f'--mm-prices: "{inert(key_of(asked[role]))}"'
            words.append(f"price unknown for {inert(payers[role])} ({named})")
        elif cost.usd:
            words.append(f"≈ {usd(cost.usd)}")
        parts.append(f"{role} {', '.join(words)}")
    return " · ".join(parts)


def session_text(summary: Summary) -> str:
    """Retries, answers from the cache, what it cost, when it began, and how long it all took."""
    parts = []
    for role, causes in (summary.retries or {}).items():
        if causes:
            shown = ", ".join(f"{cause} ×{number}" for cause, number in sorted(causes.items()))
            parts.append(f"{role} {count(sum(causes.values()), 'retry', 'retries')} ({shown})")
    hits = summary.cache_hits or {}
    if any(hits.values()):
        found = [
            count(hits[r], n)
            for r, n in (("model", "response"), ("judge", "verdict"))
            if hits.get(r)
        ]
        parts.append(f"{' and '.join(found)} from the cache")
    parts += filter(None, [_whole_cost(summary)])
    parts += [f"started {summary.started}"] if summary.started else []
    parts.append(f"took {duration(summary.duration_s)}")
    return " · ".join(parts)


def _whole_cost(summary: Summary) -> str:
    """What all calls cost, those in no record among them; "" where one role's cost says it."""
    costs = [cost.usd for run in summary.runs for cost in run.costs.values() if cost.usd]
    beyond = known_cost(summary.unrecorded, summary.prices)
    cut = cut_off(summary.unrecorded, summary.prices)
    if len(costs) < 2 and not beyond and not cut:
        return ""
    text = f"≈ {usd(math.fsum([*costs, beyond]))} in all"
    text += f", of which in no record: ≈ {usd(beyond)}" if beyond else ""
    return f"{text}, without {count(cut, 'call')} cut off at the end" if cut else text


def verdict_text(status: int, why: str) -> tuple[str, str]:
    """(PASS or FAIL, why)."""
    return "PASS" if status == 0 else "FAIL", inert(why)


def _cell_row(rows: Mapping[str, Row], name: str, complexity: str) -> Row | None:
    """The row of a category's or the overall row's samples of one complexity."""
    if name == "overall":
        return rows.get(complexity)
    # Where a name was taken, its row is called KIND:NAME, but its cells are not.
    return rows.get(
        cell_name(name.removeprefix("category:"), complexity.removeprefix("complexity:"))
    )


def _n(row: Row | None) -> str:
    if row is None:
        return "0"
    return f"{row.n:,}" if row.scored == row.n else f"{row.scored:,}/{row.n:,}"


def _score(row: Row | None) -> str:
    return ABSENT if row is None or row.score is None else f"{row.score:.1f}"


def _sd(row: Row | None) -> str:
    return ABSENT if row is None or row.sd is None else f"± {row.sd:.1f}"


def _interval(row: Row | None) -> str:
    if row is None or row.ci95 is None:
        return ABSENT
    # The closed form may leave the scale; what is shown is where a score can be.
    low, high = max(0.0, row.ci95[0]), min(100.0, row.ci95[1])
    places = int(low < high and round(low) == round(high))  # "0–0" would leave out the score
    return f"{low:.{places}f}–{high:.{places}f}"


def _gate_cell(gates: Iterable[Gate]) -> Cell:
    found = list(gates)
    if not found:
        return Cell("")
    text = " ".join(f"≥ {g.limit:g} {'PASS' if g.passed else 'FAIL'}" for g in found)
    return Cell(text, "good" if all(g.passed for g in found) else "bad")
