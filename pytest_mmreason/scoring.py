"""From records to rows: weighted means, spread and intervals (pure).

InfiMM-Eval, Eq. 1: S = (sum over moderate of s + 2 * sum over high of s) / (|M| + 2|H|) * 100.
A row of any name is that formula over the samples it names, each with its own weight;
MM-Vet's weights are 1, so its rows are plain means * 100.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from pytest_mmreason.record import COUNTED, ERRORS, STATUSES, Record

OVERALL = "overall"
FIXED_ROWS = (OVERALL, "multi_image", "counter_intuitive")


class Grouped(Protocol):
    """What decides to which rows a sample or record belongs."""

    @property
    def category(self) -> str: ...
    @property
    def complexity(self) -> str: ...
    @property
    def counter_intuitive(self) -> bool: ...
    @property
    def capabilities(self) -> tuple[str, ...]: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def images(self) -> Sequence[object]: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A named group of samples with its weighted score.

    kind:   what it groups by: ``overall``, ``category``, ``complexity``, ``cell``
            (category/complexity), ``capability``, ``integration``, ``flag`` or ``tag``.
    n:      samples in the row. scored: those that enter the mean.
    weight: their summed weight.
    score:  0-100; None if nothing was scored.
    sd:     over complete passes (ddof 0), 0-100; None if there is none.
    ci95:   [lo, hi] around the score; None below two scored samples.
    runs:   the row's score in each complete pass.
    answer_only: its score without reasoning, 0-100 (InfiMM-Eval, Figure 4); None unless every
            sample in the mean was graded so.
    """

    name: str
    kind: str
    n: int
    scored: int
    weight: float
    score: float | None
    sd: float | None
    ci95: tuple[float, float] | None
    runs: tuple[float, ...]
    answer_only: float | None = None


class RowNames:
    """The rows of a benchmark and their names, settled over all of its samples.

    A name belongs to the first that claims it, in the order of the kinds; a later one is
    written ``KIND:NAME``, so that a tag called ``overall`` never meets the total.
    """

    def __init__(self, samples: Iterable[Grouped]) -> None:
        counts: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}
        # Many samples belong to the same rows, which are told once.
        first: dict[tuple[Any, ...], Grouped] = {}
        alike: Counter[tuple[Any, ...]] = Counter()
        for sample in samples:
            words = (sample.category, sample.complexity, sample.capabilities, sample.tags)
            key = (*words, len(sample.images) > 1, sample.counter_intuitive)
            first.setdefault(key, sample)
            alike[key] += 1
        for key, sample in first.items():
            for kind, value in facets(sample):
                counts[kind][value] += alike[key]
        self._names: dict[tuple[str, str], str] = {}
        taken = set(FIXED_ROWS)
        for kind in _KINDS:
            found = list(counts[kind])
            if kind in ("capability", "integration"):
                found.sort(key=lambda value: -counts[kind][value])
            if kind in ("complexity", "cell"):
                found.sort(key=lambda value: _complexity_rank(value.rpartition("/")[2]))
            for value in found:
                name = value
                while name in taken and kind not in ("overall", "flag"):
                    name = f"{kind}:{name}"
                taken.add(name)
                self._names[kind, value] = name
        self.counts = {name: counts[kind][value] for (kind, value), name in self._names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self.counts

    def __iter__(self) -> Iterable[str]:
        return iter(self.counts)

    def items(self) -> Iterable[tuple[tuple[str, str], str]]:
        """((kind, value), row name) in the order of the tables."""
        return self._names.items()


_KINDS = ("overall", "category", "complexity", "cell", "capability", "integration", "flag", "tag")


_COMPLEXITIES = ("moderate", "high")


def _complexity_rank(complexity: str) -> int:
    """InfiMM-Eval's order; others follow as the benchmark names them."""
    return _COMPLEXITIES.index(complexity) if complexity in _COMPLEXITIES else len(_COMPLEXITIES)


def facets(sample: Grouped) -> Iterable[tuple[str, str]]:
    """(kind, value) of every row that `sample` belongs to."""
    yield "overall", OVERALL
    if sample.category:
        yield "category", sample.category
    if sample.complexity:
        yield "complexity", sample.complexity
    if sample.category and sample.complexity:
        yield "cell", cell_name(sample.category, sample.complexity)
    for capability in dict.fromkeys(sample.capabilities):
        yield "capability", capability
    if sample.capabilities:
        yield "integration", integration(sample.capabilities)
    if len(sample.images) > 1:
        yield "flag", "multi_image"
    if sample.counter_intuitive:
        yield "flag", "counter_intuitive"
    for tag in dict.fromkeys(sample.tags):
        yield "tag", tag


def cell_name(category: str, complexity: str) -> str:
    """``CATEGORY/COMPLEXITY``; a slash within a name is escaped, so that no two cells meet."""
    return "/".join(_escaped(part, "/") for part in (category, complexity))


def _escaped(name: str, joint: str) -> str:
    return name.replace("\\", "\\\\").replace(joint, f"\\{joint}") if joint in name else name


def integration(capabilities: Iterable[str]) -> str:
    """The name of a set of capabilities (MM-Vet, section 3.1): ``math+ocr``, ``rec_only``."""
    names = [_escaped(name, "+") for name in sorted(set(capabilities))]
    return "+".join(names) if len(names) > 1 else f"{names[0]}_only"


def count_statuses(records: Iterable[Record]) -> dict[str, int]:
    """``collected`` and how many records ended in each status."""
    found = Counter(record.status for record in records)
    return {"collected": found.total(), **{status: found[status] for status in STATUSES}}


def score_rows(
    records: Sequence[Record], names: RowNames | None = None, on_error: str = "exclude"
) -> dict[str, Row]:
    """The rows of one run by name, in the order of the tables.

    records:  of one (benchmark, model, prompt), in collection order.
    names:    of the whole benchmark; of these records if None.
    on_error: ``exclude`` leaves errored samples out of the means, ``zero`` counts them 0.

    A sample's score is the mean over repeats of the mean over judge runs. Unjudged
    samples never enter a mean. Rows without samples are absent.
    """
    names = names or RowNames(records)
    by_sample: dict[str, list[Record]] = {}
    for record in records:
        by_sample.setdefault(record.sample, []).append(record)
    judge_runs = max((len(record.scores) for record in records), default=0) or 1
    without_steps = any(record.score_answer_only is not None for record in records)
    members: dict[tuple[str, str], list[_Scored]] = {}
    for repeats in by_sample.values():
        scored = _score_sample(repeats, on_error, judge_runs, without_steps)
        for facet in facets(repeats[0]):
            members.setdefault(facet, []).append(scored)
    return {
        name: _make_row(name, kind, members[kind, value])
        for (kind, value), name in names.items()
        if (kind, value) in members
    }


def sample_score(repeats: Sequence[Record]) -> float | None:
    """A sample's score in [0, 1]: the mean over its `repeats` of the mean over judge runs.

    Errored repeats are left out; None if no other is scored.
    """
    if not repeats:
        return None
    return _score_sample(repeats, "exclude", 1, False).score


@dataclass(frozen=True, slots=True)
class _Scored:
    """A sample's score, and its score in each pass (repeat x judge run), None where absent.

    answer_only: its score without reasoning, None where the judge gave none.
    """

    weight: float
    score: float | None
    passes: tuple[float | None, ...]
    answer_only: float | None


def _score_sample(
    repeats: Sequence[Record], on_error: str, judge_runs: int, without_steps: bool
) -> _Scored:
    """without_steps: the run has answer-only scores, so that a 0 without a judge is one too."""
    scores: list[float] = []
    answers: list[float | None] = []
    passes: list[float | None] = []
    for record in repeats:
        if record.status in COUNTED and record.score is not None:
            scores.append(record.score)
            # An empty answer and a refusal earn nothing either way.
            answers.append(0.0 if record.reason else record.score_answer_only)
            # One verdict, given by hand or by a content filter, stands for every judge run.
            passes += record.scores if len(record.scores) > 1 else (record.score,) * judge_runs
        elif record.status in ERRORS and on_error == "zero":
            scores.append(0.0)
            answers.append(0.0)
            passes += (0.0,) * judge_runs
        else:
            passes += (None,) * judge_runs
    score = math.fsum(scores) / len(scores) if scores else None
    graded = [answer for answer in answers if answer is not None]
    is_graded = without_steps and graded and len(graded) == len(scores)
    answer_only = math.fsum(graded) / len(graded) if is_graded else None
    return _Scored(repeats[0].weight, score, tuple(passes), answer_only)


def _make_row(name: str, kind: str, members: Sequence[_Scored]) -> Row:
    counted = [m for m in members if m.score is not None]
    values = [(m.weight, m.score) for m in counted if m.score is not None]
    score = weighted_score(values)
    passes = max((len(m.passes) for m in counted), default=0)
    # A single pass is the score itself.
    runs = [score] if passes == 1 else [_pass_score(counted, i) for i in range(passes)]
    complete = tuple(value for value in runs if value is not None)
    return Row(
        name=name,
        kind=kind,
        n=len(members),
        scored=len(counted),
        weight=math.fsum(w for w, _ in values),
        score=score,
        sd=deviation(complete),
        ci95=confidence_interval(values),
        runs=complete,
        answer_only=_answer_only(counted),
    )


def _answer_only(counted: Sequence[_Scored]) -> float | None:
    graded = [(m.weight, m.answer_only) for m in counted if m.answer_only is not None]
    return weighted_score(graded) if len(graded) == len(counted) else None


def _pass_score(counted: Sequence[_Scored], index: int) -> float | None:
    """The score of one pass; None unless every sample has its part in it."""
    column = [(m.weight, m.passes[index]) for m in counted if index < len(m.passes)]
    complete = [(weight, score) for weight, score in column if score is not None]
    return weighted_score(complete) if len(complete) == len(counted) else None


def weighted_score(values: Sequence[tuple[float, float]]) -> float | None:
    """100 * sum(w*s) / sum(w) over (weight, score in [0, 1]); None if empty.

    InfiMM-Eval, Eq. 1, for any weights. Sums are exact, so their order does not matter.
    """
    weight = math.fsum(w for w, _ in values)
    return 100 * math.fsum(w * s for w, s in values) / weight if weight else None


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation of `values` in their own unit (ddof 0); None for none."""
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))


def confidence_interval(values: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """95 % interval of a weighted score: S +- t * sqrt(sum(w^2 (s - S)^2)) / sum(w), 0-100.

    t is Student's quantile with n - 1 degrees of freedom. None below two values.
    """
    score = weighted_score(values)
    if score is None or len(values) < 2:
        return None
    weight = math.fsum(w for w, _ in values)
    spread = math.sqrt(math.fsum((w * (100 * s - score)) ** 2 for w, s in values)) / weight
    margin = t_quantile(len(values) - 1) * spread
    return (score - margin, score + margin)


@lru_cache(maxsize=1024)
def t_quantile(degrees: int, probability: float = 0.975) -> float:
    """Student's t quantile for whole degrees of freedom.

    Up to 100 degrees the distribution's finite series (Abramowitz and Stegun, 26.7.3 and
    26.7.4) is inverted by bisection; beyond, the Cornish-Fisher expansion (26.7.5) is
    exact to ten digits.
    """
    if degrees > 100:
        from statistics import NormalDist

        z = NormalDist().inv_cdf(probability)
        n = float(degrees)
        return (
            z
            + (z**3 + z) / (4 * n)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
            + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
        )
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        if _t_cdf(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_cdf(t: float, degrees: int) -> float:
    theta = math.atan(t / math.sqrt(degrees))
    cos2 = math.cos(theta) ** 2
    if degrees % 2:
        term, total = math.cos(theta), 0.0
        for k in range(1, degrees - 1, 2):
            total += term
            term *= cos2 * (k + 1) / (k + 2)
        inside = (2 / math.pi) * (theta + math.sin(theta) * total)
    else:
        term, total = 1.0, 0.0
        for k in range(0, degrees - 1, 2):
            total += term
            term *= cos2 * (k + 1) / (k + 2)
        inside = math.sin(theta) * total
    return (1 + inside) / 2


def histogram(scores: Iterable[float | None]) -> tuple[int, ...]:
    """How many of `scores`, in [0, 1], begin with each tenth; the last of eleven is for 1.0."""
    # A mean such as 0.7 may lie below its tenth by rounding alone.
    found = Counter(int(score * 10 + 1e-9) for score in scores if score is not None)
    return tuple(found[tenth] for tenth in range(11))


def sum_usage(records: Iterable[Record]) -> Mapping[str, Mapping[str, int]]:
    """Calls and tokens by role, summed over `records`."""
    totals: dict[str, Counter[str]] = {"model": Counter(), "judge": Counter()}
    for record in records:
        for role, usage in record.usage.items():
            totals.setdefault(role, Counter()).update({k: int(v) for k, v in usage.items()})
    return {
        role: {k: total[k] for k in ("calls", "prompt_tokens", "completion_tokens")}
        for role, total in totals.items()
    }
