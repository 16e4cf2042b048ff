"""Rows are what the papers' formulas say: InfiMM-Eval's Eq. 1, MM-Vet's plain means."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.record import MODEL_ERROR, REFUSED, SCORED, UNJUDGED, Record
from pytest_mmreason.scoring import (
    Row,
    count_statuses,
    histogram,
    score_rows,
    sum_usage,
    t_quantile,
    weighted_score,
)

PAPER = {  # (category, complexity) -> samples: 171 moderate, 108 high; weights 249, 66, 72
    ("deductive", "moderate"): 113,
    ("deductive", "high"): 68,
    ("abductive", "moderate"): 32,
    ("abductive", "high"): 17,
    ("analogical", "moderate"): 26,
    ("analogical", "high"): 23,
}


def record(sample: str, score: float | None = 1.0, **fields: Any) -> Record:
    """A record as the engine makes one; its `scores` are the score unless told otherwise."""
    if score is not None:
        fields.setdefault("scores", (score,))
    made: dict[str, Any] = {"status": SCORED, "repeat": 0, **fields}
    return Record("b", sample, "m", "j", "direct", score=score, **made)


def paper_records(seed: int = 7) -> list[Record]:
    choose = random.Random(seed)
    made = []
    for (category, complexity), count in PAPER.items():
        for number in range(count):
            made.append(
                record(
                    f"{category}-{complexity}-{number}",
                    choose.choice([0.0, 1.0, choose.random()]),
                    category=category,
                    complexity=complexity,
                    weight=2.0 if complexity == "high" else 1.0,
                )
            )
    choose.shuffle(made)
    return made


def equation_1(records: list[Record], **wanted: str) -> float:
    """The formula, computed in exact fractions."""
    of = [r for r in records if all(getattr(r, k) == v for k, v in wanted.items())]
    moderate = [Fraction(r.score or 0.0) for r in of if r.complexity == "moderate"]
    high = [Fraction(r.score or 0.0) for r in of if r.complexity == "high"]
    total = len(moderate) + 2 * len(high)
    return float(100 * (sum(moderate, Fraction(0)) + 2 * sum(high, Fraction(0))) / total)


@pytest.mark.parametrize("seed", range(5))
def test_every_row_of_the_published_layout_is_equation_1(seed: int) -> None:
    records = paper_records(seed)
    rows = score_rows(records)

    def check(name: str, **wanted: str) -> None:
        score = rows[name].score
        assert score is not None and abs(score - equation_1(records, **wanted)) < 1e-9, name

    check("overall")
    for category, weight in [("deductive", 249), ("abductive", 66), ("analogical", 72)]:
        check(category, category=category)
        assert rows[category].weight == weight
    for complexity, count in [("moderate", 171), ("high", 108)]:
        check(complexity, complexity=complexity)
        assert rows[complexity].n == count
    for category, complexity in PAPER:
        check(f"{category}/{complexity}", category=category, complexity=complexity)
    assert (rows["overall"].n, rows["overall"].weight) == (279, 387)
    assert len(rows) == 12


def test_moderate_and_high_rows_are_plain_means() -> None:
    records = paper_records()
    high = [r.score for r in records if r.complexity == "high" and r.score is not None]
    assert score_rows(records)["high"].score == pytest.approx(100 * sum(high) / 108, abs=1e-9)


def test_mm_vet_rows_are_plain_means_over_capabilities_and_exact_sets() -> None:
    rows = score_rows(
        [
            record("a", 1.0, capabilities=("rec",)),
            record("b", 0.5, capabilities=("spat", "ocr", "math")),
            record("c", 0.2, capabilities=("ocr", "math")),
            record("d", 0.0, capabilities=("math", "spat", "ocr")),
        ]
    )
    assert rows["overall"].score == pytest.approx(42.5)
    assert rows["ocr"].score == pytest.approx(100 * 0.7 / 3)
    assert (rows["math+ocr+spat"].n, rows["math+ocr+spat"].score) == (2, 25.0)
    assert rows["math+ocr"].score == 20.0
    assert (rows["rec_only"].kind, rows["rec_only"].score) == ("integration", 100.0)


def test_alternating_verdicts_have_their_mean_and_spread() -> None:
    row = score_rows([record("a", 0.5, scores=(0.4, 0.6, 0.4, 0.6))])["overall"]
    assert row.score == 50.0
    assert row.runs == pytest.approx((40.0, 60.0, 40.0, 60.0))
    assert row.sd == pytest.approx(10.0)


def test_a_samples_score_is_the_mean_over_repeats_of_the_mean_over_judge_runs() -> None:
    rows = score_rows(
        [
            record("a", 0.5, scores=(0.4, 0.6), repeat=0),
            record("a", 1.0, scores=(1.0, 1.0), repeat=1),
            record("b", 0.0, scores=(0.0, 0.0), repeat=0),
            record("b", 0.0, scores=(0.0, 0.0), repeat=1),
        ]
    )
    assert (rows["overall"].n, rows["overall"].score) == (2, 37.5)
    assert rows["overall"].runs == pytest.approx((20.0, 30.0, 50.0, 50.0))


def test_spread_is_taken_over_complete_passes_only() -> None:
    row = score_rows(
        [record("a", 0.5, scores=(0.2, None, 0.8)), record("b", 0.5, scores=(0.4, 0.5, 0.6))]
    )["overall"]
    assert row.runs == pytest.approx((30.0, 70.0))
    assert row.sd == pytest.approx(20.0)


def test_refused_repeats_are_zero_in_every_pass() -> None:
    refused = [record("b", 0.0, scores=(), status=REFUSED, repeat=i) for i in range(2)]
    scored = [record("a", 1.0, scores=(1.0,) * 4, repeat=i) for i in range(2)]
    row = score_rows([*scored, *refused])["overall"]
    assert row.runs == (50.0,) * 8


def test_a_pass_with_an_excluded_error_in_it_is_not_complete() -> None:
    rows = score_rows(
        [
            record("a", 1.0, repeat=0),
            record("a", None, status=MODEL_ERROR, repeat=1),
            record("b", 0.0, repeat=0),
            record("b", 1.0, repeat=1),
        ]
    )
    assert rows["overall"].runs == (50.0,)
    assert rows["overall"].score == 75.0


@pytest.mark.parametrize(
    "degrees, known", [(1, 12.7062), (2, 4.3027), (10, 2.2281), (100, 1.98397), (278, 1.9685)]
)
def test_student_quantiles_are_the_tabulated_ones(degrees: int, known: float) -> None:
    assert t_quantile(degrees) == pytest.approx(known, abs=5e-5)


def test_interval_is_the_closed_formula() -> None:
    values = [(1.0, 0.0), (1.0, 1.0), (2.0, 0.5)]
    row = score_rows(
        [record(str(i), s, weight=w) for i, (w, s) in enumerate(values)],
    )["overall"]
    score = 50.0
    margin = 4.3027 * math.sqrt(sum(w**2 * (100 * s - score) ** 2 for w, s in values)) / 4
    assert row.ci95 == pytest.approx((score - margin, score + margin), abs=1e-3)


def test_one_scored_sample_has_no_interval() -> None:
    assert score_rows([record("a")])["overall"].ci95 is None


@pytest.mark.parametrize("on_error, score, scored", [("exclude", 100.0, 1), ("zero", 50.0, 2)])
def test_errors_enter_the_means_as_asked(on_error: str, score: float, scored: int) -> None:
    records = [record("a"), record("b", None, status=MODEL_ERROR)]
    row = score_rows(records, on_error=on_error)["overall"]
    assert (row.n, row.scored, row.score) == (2, scored, score)
    assert row.runs == (score,)


@pytest.mark.parametrize("on_error", ["exclude", "zero"])
def test_refused_counts_zero_and_unjudged_never_counts(on_error: str) -> None:
    records = [
        record("a"),
        record("b", 0.0, scores=(), status=REFUSED),
        record("c", None, status=UNJUDGED),
    ]
    row = score_rows(records, on_error=on_error)["overall"]
    assert (row.n, row.scored, row.weight, row.score) == (3, 2, 2.0, 50.0)


def test_nothing_scored_has_no_score() -> None:
    row = score_rows([record("a", None, status=MODEL_ERROR)])["overall"]
    assert row == Row("overall", "overall", 1, 0, 0.0, None, None, None, ())


def test_statuses_add_up_to_what_was_collected() -> None:
    counts = count_statuses([record("a"), record("b", None, status=MODEL_ERROR)])
    assert counts["collected"] == 2 == sum(v for k, v in counts.items() if k != "collected")
    assert (counts["scored"], counts["model_error"], counts["refused"]) == (1, 1, 0)


def test_usage_is_summed_by_role_and_absent_roles_are_zero() -> None:
    used = {"model": {"calls": 2, "prompt_tokens": 10}}
    usage = sum_usage([record("a", usage=used), record("b", usage=used)])
    assert usage["model"] == {"calls": 4, "prompt_tokens": 20, "completion_tokens": 0}
    assert usage["judge"] == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}


scores = st.floats(0, 1, allow_nan=False)


@given(st.lists(st.tuples(st.sampled_from(sorted(PAPER)), scores), min_size=1), st.randoms())
def test_order_of_samples_changes_no_score(
    drawn: list[tuple[tuple[str, str], float]], choose: random.Random
) -> None:
    records = [
        record(str(i), s, category=cell[0], complexity=cell[1], weight=1.0 + (cell[1] == "high"))
        for i, (cell, s) in enumerate(drawn)
    ]
    shuffled = choose.sample(records, len(records))
    first, second = score_rows(records), score_rows(shuffled)
    assert {n: (r.score, r.ci95) for n, r in first.items()} == {
        n: (r.score, r.ci95) for n, r in second.items()
    }


@given(st.lists(st.tuples(st.floats(0.1, 10), scores), min_size=1))
def test_a_weighted_score_lies_between_its_extremes(values: list[tuple[float, float]]) -> None:
    found = weighted_score(values)
    assert found is not None
    assert 100 * min(s for _, s in values) - 1e-9 <= found <= 100 * max(s for _, s in values) + 1e-9


class TestAnswerOnly:
    """InfiMM-Eval, Figure 4: the same weighted mean over the grades without reasoning."""

    def test_it_has_the_weights_of_the_score(self) -> None:
        records = [
            record("a", 1.0, score_answer_only=1.0, complexity="moderate"),
            record("b", 0.5, score_answer_only=0.0, complexity="high", weight=2.0),
            record("c", 0.4, score_answer_only=0.25, complexity="high", weight=2.0),
        ]
        rows = score_rows(records)
        assert rows["overall"].answer_only == pytest.approx(100 * (1 + 2 * 0.25) / 5)
        assert rows["high"].answer_only == 12.5

    def test_what_no_judge_saw_earns_nothing_either_way(self) -> None:
        records = [
            record("a", 1.0, score_answer_only=1.0),
            record("b", 0.0, reason="empty answer"),
            record("c", 0.0, status=REFUSED, reason="filtered", scores=()),
            record("d", None, status=MODEL_ERROR),
        ]
        assert score_rows(records)["overall"].answer_only == pytest.approx(100 / 3)
        assert score_rows(records, on_error="zero")["overall"].answer_only == 25.0

    def test_repeats_are_averaged_first(self) -> None:
        records = [
            record("a", 1.0, score_answer_only=1.0),
            record("a", 0.5, score_answer_only=0.0, repeat=1),
            record("b", 0.0, score_answer_only=0.0),
            record("b", 0.0, score_answer_only=0.0, repeat=1),
        ]
        assert score_rows(records)["overall"].answer_only == 25.0

    def test_there_is_none_unless_every_sample_has_one(self) -> None:
        some = [record("a", 1.0, score_answer_only=1.0), record("b", 0.5)]
        assert score_rows(some)["overall"].answer_only is None
        empty = [record("a", 0.0, reason="empty answer"), record("b", 0.5)]
        assert score_rows(empty)["overall"].answer_only is None
        assert score_rows([record("a", None, status=UNJUDGED)])["overall"].answer_only is None


def test_histogram_counts_by_tenth_whatever_rounding_did() -> None:
    scores = [0.0, 0.09, 0.1, 0.1 + 0.2, 0.7, 0.1 * 7, 0.7 - 1e-12, 0.999, 1.0, None]
    assert histogram(scores) == (2, 1, 0, 1, 0, 0, 0, 3, 0, 1, 1)
    assert sum(histogram([])) == 0
