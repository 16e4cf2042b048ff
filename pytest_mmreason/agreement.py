"""How far a judge is from reference scores, after MM-Vet, Table 9 (pure)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_mmreason.gates import TOLERANCE, Gate
from pytest_mmreason.grades import Graded
from pytest_mmreason.record import Record
from pytest_mmreason.scoring import OVERALL

if TYPE_CHECKING:
    from pytest_mmreason.published import Agreement as Table
    from pytest_mmreason.published import Published

EMPTY = "empty answer"

CLASSES = ("right", "partial", "wrong")
"""A score of 1, one between, and 0."""

LENGTHS = ((1, "1 word"), (4, "2-4 words"), (12, "5-12 words"), (40, "13-40 words"))
"""(most words of an answer, what such answers are called); longer ones are LONGER."""

LONGER = "over 40 words"

GENERATION = "gen"
WITHOUT_GENERATION = "without gen"
"""MM-Vet's capability of long answers, and the answers that its Table 9 is about."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a judge is from the reference over `n` answers, `n` at least 1.

    difference: mean |judge - reference| in [0, 1]. bias: mean (judge - reference).
    spearman:   rank correlation in [-1, 1]; None where it is not defined.
    """

    n: int
    difference: float
    bias: float
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One answer that the judge scored otherwise; scores in [0, 1].

    kind: of the answer, "" where the file says none.
    """

    sample: str
    kind: str
    judge: float
    reference: float
    question: str
    expected: str
    answer: str
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was measured of a judge.

    overall:   None if it judged nothing.
    groups:    ``capability`` (and WITHOUT_GENERATION), ``length`` and ``kind`` -> name ->
               the distance over those answers; groups without answers are absent.
    confusion: class by reference -> class by judge -> answers; see CLASSES.
    left_out:  why answers were not measured -> how many: statuses of errored records, and
               EMPTY, which scores 0 without a judge.
    largest:   the largest disagreements first.
    published: MM-Vet's Table 9, where it is of the same 138 questions.
    """

    overall: Distance | None
    groups: Mapping[str, Mapping[str, Distance]]
    confusion: Mapping[str, Mapping[str, int]]
    left_out: Mapping[str, int]
    largest: Sequence[Disagreement]
    files: Mapping[str, str]
    published: Table | None = None

    @property
    def without_generation(self) -> Distance | None:
        """Over the answers to samples that do not need ``gen``."""
        return self.groups.get("capability", {}).get(WITHOUT_GENERATION)

    def to_json(self) -> dict[str, Any]:
        """What ``summary.json`` holds of it."""
        whole = self.overall
        empty = {"n": 0, "difference": None, "bias": None, "spearman": None}
        content: dict[str, Any] = asdict(whole) if whole else empty
        content["left_out"] = dict(self.left_out)
        for kind, groups in self.groups.items():
            content[kind] = {name: asdict(distance) for name, distance in groups.items()}
        content["confusion"] = {name: dict(row) for name, row in self.confusion.items()}
        content["largest"] = [asdict(one) for one in self.largest]
        content["graded"] = dict(self.files)
        if self.published is not None:
            content["published"] = asdict(self.published)
        return content


def measure(
    records: Iterable[Record],
    graded: Graded,
    show: int = 0,
    published: Mapping[str, Published] | None = None,
) -> Agreement:
    """The agreement of the judged records with the scores of `graded`.

    show: how many of the largest disagreements it names; their rationales are left out, as
    they are of `records`. published: benchmark -> the results that are published on it.
    """
    samples = {sample.id: sample for sample in graded.benchmark.samples}
    has_generation = any(GENERATION in sample.capabilities for sample in samples.values())
    pairs: list[tuple[float, float]] = []
    groups: dict[str, dict[str, list[tuple[float, float]]]] = {}
    left_out: dict[str, int] = {}
    bare: list[str] = []
    found: list[Disagreement] = []
    for record in records:
        if record.score is None or record.reason == EMPTY:
            why = record.status if record.score is None else EMPTY
            left_out[why] = left_out.get(why, 0) + 1
            continue
        name, answer = record.sample, graded.answers[record.sample]
        # Means over runs that are equal but for the last bit are to be ties.
        pair = (round(record.score, 9), round(graded.scores[name], 9))
        pairs.append(pair)
        belongs = [("capability", capability) for capability in record.capabilities]
        if has_generation and GENERATION not in record.capabilities:
            belongs.append(("capability", WITHOUT_GENERATION))
            bare.append(name)
        belongs.append(("length", length_of(answer)))
        if name in graded.kinds:
            belongs.append(("kind", graded.kinds[name]))
        for kind, group in belongs:
            groups.setdefault(kind, {}).setdefault(group, []).append(pair)
        if pair[0] != pair[1]:
            sample, kind = samples[name], graded.kinds.get(name, "")
            found.append(
                Disagreement(name, kind, *pair, sample.question, sample.answer or "", answer)
            )
    found.sort(key=lambda one: -abs(one.judge - one.reference))
    return Agreement(
        distance(pairs),
        {
            kind: {name: d for name in _ordered(kind, of) if (d := distance(of[name]))}
            for kind in ("capability", "length", "kind")
            if (of := groups.get(kind))
        },
        confuse(pairs),
        left_out,
        found[:show],
        graded.files,
        _table_beside(bare, graded, published or {}),
    )


def distance(pairs: Sequence[tuple[float, float]]) -> Distance | None:
    """The distance over (judge, reference) scores; None where there are none."""
    if not pairs:
        return None
    return Distance(
        n=len(pairs),
        difference=math.fsum(abs(score - reference) for score, reference in pairs) / len(pairs),
        bias=math.fsum(score - reference for score, reference in pairs) / len(pairs),
        spearman=spearman(pairs),
    )


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, in [-1, 1], of pairs of numbers.

    Pearson's correlation of the ranks, equal values sharing the mean of their ranks (M. G.
    Kendall, Rank Correlation Methods, 4th edition, 1970, chapter 3); it is
    1 - 6 Σd² / (n³ - n) where no values are equal. None where it is not defined: for fewer
    than two pairs, or where all values of one side are equal.
    """
    xs, ys = (_doubled_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    n, sx, sy = len(pairs), sum(xs), sum(ys)
    # Whole numbers throughout, so that only the last step rounds.
    varied = (n * sum(x * x for x in xs) - sx * sx) * (n * sum(y * y for y in ys) - sy * sy)
    if not varied:
        return None
    common = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sx * sy
    return max(-1.0, min(1.0, common / math.sqrt(varied)))


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value, from 1; equal values share the mean of their ranks."""
    ranks = [0] * len(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or values[order[end]] != values[order[start]]:
            for index in order[start:end]:
                ranks[index] = start + 1 + end
            start = end
    return ranks


def confuse(pairs: Iterable[tuple[float, float]]) -> dict[str, dict[str, int]]:
    """Class by reference -> class by judge -> how many (judge, reference) pairs are so."""
    table = {reference: dict.fromkeys(CLASSES, 0) for reference in CLASSES}
    for score, reference in pairs:
        table[class_of(reference)][class_of(score)] += 1
    return table


def class_of(score: float) -> str:
    """The one of CLASSES that a score in [0, 1] is of."""
    return CLASSES[0] if score >= 1 else CLASSES[2] if score <= 0 else CLASSES[1]


def length_of(answer: str) -> str:
    """The name of an answer's length, counted in words between white space."""
    words = len(answer.split())
    return next((name for most, name in LENGTHS if words <= most), LONGER)


def _ordered(kind: str, found: Mapping[str, object]) -> list[str]:
    """The names of groups in the order in which they are shown."""
    if kind == "length":
        return [name for name in (*(name for _, name in LENGTHS), LONGER) if name in found]
    return sorted(found, key=lambda name: name == WITHOUT_GENERATION)


def _table_beside(
    bare: Sequence[str], graded: Graded, published: Mapping[str, Published]
) -> Table | None:
    """MM-Vet's Table 9, where `bare` are just the samples without ``gen`` of the official file."""
    source = graded.source
    table = published[source.name].agreement if source and source.name in published else None
    if source is None or table is None or source.version not in published[source.name].revisions:
        return None
    wanted = [s.id for s in source.samples if GENERATION not in s.capabilities]
    return table if sorted(bare) == sorted(wanted) and len(wanted) == table.samples else None


def gate(found: Agreement, limit: float) -> Gate:
    """The gate of ``--mm-max-disagreement``."""
    if found.overall is None:
        return Gate(OVERALL, "max_disagreement", limit, None, False, "the judge judged nothing")
    difference = found.overall.difference
    passed = difference <= limit + TOLERANCE
    reason = f"mean disagreement {difference:.3f} is {'within' if passed else 'above'} {limit:g}"
    return Gate(OVERALL, "max_disagreement", limit, difference, passed, reason)
