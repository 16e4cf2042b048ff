"""MM-Vet's own result files, as text: what its evaluator would have written (pure).

Three files of one model and judge: the grades, and the two tables made of them, by
capability and by integration. A number of a table comes about in this order, and each step
is in floating point: the scores of a judge run are added in the order of the grades; the
sum is divided by the number of samples and multiplied by 100; the runs are averaged; the
average is rounded to one decimal as numpy does it, which is not how Python's ``round`` does
it. `std` is the population's over the totals of the runs, from the unrounded ones.

In two matters the evaluator leaves an order to chance or to the processor, and ours is fixed:

- A column of the integration table is named by a Python set, whose order is another one in
  every process (the published tables say ``rec_gen_know``, ``gen_rec_know`` and
  ``know_gen_rec``). Here names are in alphabetical order.
- Integrations with equally many samples stand as numpy's unstable argsort leaves them. Here
  the later name of the alphabet comes first, which is the order of the published tables.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from pytest_mmreason.record import COUNTED, Record

PROTOCOL = "mm-vet"

_KINDS = ("openai", "hf", "replay", "python")
_OF_GRADES = re.compile(r".*_([^_]+)-grade-\d+runs(?:_\w+)?")  # v2's evaluator adds _dev8
_LONGEST = 80  # bytes; a file name holds two such parts, and file systems stop at 255


@dataclass(frozen=True, slots=True)
class Grade:
    """One judge run's grade of a sample, score in [0, 1].

    model:   who gave it; "" if nobody was asked. content: in what words.
    """

    model: str
    content: str
    score: float


@dataclass(frozen=True, slots=True)
class Graded:
    """A sample as the official files know it.

    grades: by judge run, as many as there are.
    scores: what enters the tables, one a judge run; None keeps the sample out of them.
    place:  where it is added up; of equal places in the order of the samples.
    """

    sample: str
    capabilities: tuple[str, ...]
    grades: tuple[Grade, ...]
    scores: tuple[float, ...] | None
    place: int = 0


def collect(
    records: Iterable[Record],
    judge: str,
    runs: int,
    on_error: str = "exclude",
    order: Sequence[str] = (),
) -> list[Graded]:
    """Every sample of `records`, in their order; of several repeats the first.

    judge:    who graded, where the record does not say it more precisely.
    runs:     judge runs. A sample with fewer grades keeps those it has, and is in no table.
    on_error: ``zero`` counts errored samples 0 in the tables; grades they have none.
    order:    samples in the order of the grade file that the grades come from. Others follow.
    """
    first: dict[str, Record] = {}
    for record in records:
        first.setdefault(record.sample, record)
    places = {sample: place for place, sample in enumerate(order)}
    return [
        _graded(record, judge, runs, on_error, places.get(sample, len(places)))
        for sample, record in first.items()
    ]


def _graded(record: Record, judge: str, runs: int, on_error: str, place: int) -> Graded:
    grades: list[Grade] = []
    if record.status in COUNTED and record.score is not None:
        scores: tuple[float | None, ...] = record.scores
        if len(scores) < 2:  # one verdict, by hand or a content filter's, stands for every run
            scores = (record.score,) * runs
        for run, score in enumerate(scores[:runs]):
            if score is None:
                continue
            if record.reason and not record.judge_models:  # by no judge: empty, or filtered
                grades.append(Grade("", record.reason, score))
            else:
                named = record.judge_models[run] if run < len(record.judge_models) else None
                grades.append(Grade(named or judge, str(float(score)), float(score)))
    whole = tuple(grade.score for grade in grades) if len(grades) == runs else None
    if whole is None and record.is_error and on_error == "zero":
        whole = (0.0,) * runs
    capabilities = tuple(dict.fromkeys(record.capabilities))
    return Graded(record.sample, capabilities, tuple(grades), whole, place)


def grades_text(graded: Iterable[Graded]) -> str:
    """The grade file: id -> ``{"model": [], "content": [], "score": []}``.

    Without an entry are samples without a grade: the official evaluator, which takes up a
    grade file where it ends, asks for these and for absent runs.
    """
    entries = {
        one.sample: {
            "model": [grade.model for grade in one.grades],
            "content": [grade.content for grade in one.grades],
            "score": [grade.score for grade in one.grades],
        }
        for one in sorted(graded, key=_place)
        if one.grades
    }
    return json.dumps(entries, indent=4, allow_nan=False)


def capability_table(model: str, graded: Sequence[Graded], runs: int) -> str:
    """The csv by capability, those that most samples need first, then the first to appear."""
    counts = Counter(name for one in graded for name in one.capabilities)
    columns = [
        (name, [one for one in graded if name in one.capabilities])
        for name, _ in counts.most_common()
    ]
    return _table(model, columns, graded, runs)


def _joined(names: frozenset[str]) -> str:
    return "_".join(sorted(names))


def integration_table(
    model: str,
    graded: Sequence[Graded],
    runs: int,
    named: Callable[[frozenset[str]], str] = _joined,
) -> str:
    """The csv by integration: over the samples that need exactly these capabilities.

    named: what a column is called.
    """
    members: dict[frozenset[str], list[Graded]] = {}
    for one in graded:
        members.setdefault(frozenset(one.capabilities), []).append(one)
    found = sorted(members, key=_joined, reverse=True)
    found.sort(key=lambda names: -len(members[names]))
    return _table(model, [(named(names), members[names]) for names in found], graded, runs)


def _table(
    model: str,
    columns: Iterable[tuple[str, Sequence[Graded]]],
    graded: Sequence[Graded],
    runs: int,
) -> str:
    """One row of means under their names; a cell stays empty where nothing was graded."""
    header, row = [""], [model.encode("utf-8", "backslashreplace").decode("utf-8")]
    total = _passes(graded, runs)
    for name, members in [*columns, ("total", graded)]:
        header.append(name)
        passes = _passes(members, runs)
        row.append(str(round_half_even(_mean(passes))) if passes else "")
    header += ["std", "runs"]
    row += [str(round_half_even(_sd(total))) if total else "", str([*map(round_half_even, total)])]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([header, row])
    return file.getvalue()


def _passes(members: Iterable[Graded], runs: int) -> list[float]:
    """The mean of each judge run, 0-100, added up one after the other; none of no samples."""
    ordered = sorted(members, key=_place)
    scores = [one.scores for one in ordered if one.scores is not None]
    if not scores:
        return []
    means = []
    for run in range(runs):
        total = 0.0
        for of_sample in scores:
            total += of_sample[run]  # not fsum: an exact sum rounds other ties
        means.append(total / len(scores) * 100)
    return means


def _place(graded: Graded) -> int:
    return graded.place


def round_half_even(value: float) -> float:
    """`value` to one decimal as numpy rounds: ten times it, to an even integer where tied."""
    return round(value * 10) / 10


def _mean(values: Sequence[float]) -> float:
    return add_pairwise(values) / len(values)


def _sd(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.sqrt(add_pairwise([(v - mean) * (v - mean) for v in values]) / len(values))


def add_pairwise(values: Sequence[float]) -> float:
    """The sum of `values` in the order in which numpy adds an array.

    Below 8 values that is one after the other; from there in eight strands, and above 128
    in halves.
    """
    count = len(values)
    if count < 8:
        total = 0.0
        for value in values:
            total += value
        return total
    if count > 128:
        half = count // 2 - count // 2 % 8
        return add_pairwise(values[:half]) + add_pairwise(values[half:])
    strands = list(values[:8])
    rest = count - count % 8
    for place in range(8, rest):
        strands[place % 8] += values[place]
    a, b, c, d, e, f, g, h = strands
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for value in values[rest:]:
        total += value
    return total


def model_name(label: str) -> str:
    """What the official files call a model: its spec without the kind.

    A recording is called by its file, as the official evaluator calls the one it reads.
    """
    kind, argument = _split(label)
    name = PurePath(argument).name if kind == "replay" and argument else argument
    return re.sub(r"(?<=.)\.jsonl?$", "", name) if kind == "replay" else name


def judge_name(label: str) -> str:
    """What the official files call a judge; that of recorded grades by their file's name."""
    name = model_name(label)
    found = _OF_GRADES.fullmatch(name) if _split(label)[0] == "replay" else None
    return found[1] if found else name


def _split(label: str) -> tuple[str, str]:
    kinds = "|".join(_KINDS)
    for pattern in (rf"({kinds}):(.+)", rf"[^:]+:({kinds}):(.+)"):  # PRESET:hf:DIR
        if found := re.fullmatch(pattern, label, re.DOTALL):
            return found[1], found[2]
    return "", label


def file_name(text: str, longest: int = 100) -> str:
    """`text` as a part of a file's name, at most `longest` bytes of it; never empty."""
    safe = re.sub(r"[^\w.+=-]+", "-", text).strip("-")
    return safe.encode()[:longest].decode(errors="ignore") or "run"


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names of the three files; `subset` is put before the judge in those of the tables."""

    grades: str
    capabilities: str
    integrations: str

    @classmethod
    def of(cls, model: str, judge: str, runs: int, subset: str = "") -> FileNames:
        """Safe file names whatever model and judge are called."""
        who, by = file_name(model, _LONGEST), file_name(judge, _LONGEST)
        part = f"{file_name(subset, 30)}_" if subset else ""
        return cls(
            f"{who}_{by}-grade-{runs}runs.json",
            f"{who}_{part}{by}-cap-score-{runs}runs.csv",
            f"{who}_{part}{by}-cap-int-score-{runs}runs.csv",
        )


def left_out(graded: Sequence[Graded]) -> str:
    """Which samples the tables do not hold; "" if they hold all."""
    absent = [one.sample for one in graded if one.scores is None]
    if not absent:
        return ""
    if len(absent) == len(graded):
        return "MM-Vet's tables are not written: no sample has a grade of every judge run"
    shown = ", ".join(map(ascii, absent[:3])) + (", …" if len(absent) > 3 else "")
    return (
        f"MM-Vet's tables are over {len(graded) - len(absent)} of the {len(graded)} samples; "
        f"without a grade of every judge run: {shown}"
    )
