"""The measure of a judge: its numbers on made cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.agreement import (
    Agreement,
    class_of,
    distance,
    gate,
    length_of,
    measure,
    spearman,
)
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.grades import NAME, Graded
from pytest_mmreason.published import Agreement as Table
from pytest_mmreason.published import Published, load
from pytest_mmreason.record import JUDGE_ERROR, SCORED, Record
from pytest_mmreason.sample import Sample

BITS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def graded(
    scores: Mapping[str, float],
    capabilities: Mapping[str, Sequence[str]] | None = None,
    answers: Mapping[str, str] | None = None,
    **more: Any,
) -> Graded:
    samples = tuple(
        Sample(name, "Q?", answer="r", capabilities=tuple((capabilities or {}).get(name, ())))
        for name in scores
    )
    texts = {name: (answers or {}).get(name, "an answer") for name in scores}
    return Graded(Benchmark(NAME, "mm-vet", samples), texts, scores, **more)


def record(sample: str, score: float | None, of: Graded, **more: Any) -> Record:
    (found,) = (s for s in of.benchmark.samples if s.id == sample)
    status = JUDGE_ERROR if score is None else SCORED
    return Record(
        NAME, sample, "m", "j", "direct", 0, status, score=score, capabilities=found.capabilities,
        **more,
    )  # fmt: skip


def measured(of: Graded, scores: Mapping[str, float | None], **more: Any) -> Agreement:
    return measure([record(name, score, of) for name, score in scores.items()], of, **more)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 10), (2, 20), (3, 30)], 1.0),
        ([(1, 30), (2, 20), (3, 10)], -1.0),
        # Ranks 1 2 3 4 5 and 2 1 4 3 5: 1 - 6 * 4 / 120.
        ([(1, 2), (2, 1), (3, 4), (4, 3), (5, 5)], 0.8),
        # Ranks 1 2.5 2.5 4 and 1 3 2 4: 4.5 / sqrt(4.5 * 5).
        ([(0, 0), (1, 2), (1, 1), (2, 3)], 4.5 / (4.5 * 5) ** 0.5),
        # Ranks 1.5 1.5 3.5 3.5 and 1.5 3.5 1.5 3.5: nothing in common.
        ([(0, 0), (0, 1), (1, 0), (1, 1)], 0.0),
    ],
)
def test_rank_correlation_of_made_cases(pairs: list[tuple[float, float]], expected: float) -> None:
    assert spearman(pairs) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("pairs", [[], [(0.5, 0.5)], [(0, 1), (1, 1)], [(1, 0), (1, 1)]])
def test_rank_correlation_is_not_defined_without_order(pairs: list[tuple[float, float]]) -> None:
    assert spearman(pairs) is None


@given(st.permutations(range(7)))
def test_rank_correlation_without_ties_is_the_textbook_formula(order: list[int]) -> None:
    n = len(order)
    expected = 1 - 6 * sum((i - x) ** 2 for i, x in enumerate(order)) / (n**3 - n)
    assert spearman(list(enumerate(order))) == pytest.approx(expected)


@given(st.lists(st.tuples(BITS, BITS), max_size=12))
def test_rank_correlation_stays_in_its_range_and_knows_no_sides(
    pairs: list[tuple[float, float]],
) -> None:
    found = spearman(pairs)
    assert found == spearman([(y, x) for x, y in pairs])
    assert found is None or -1 <= found <= 1
    same = spearman([(x, x) for x, _ in pairs])
    assert same == (1.0 if len({x for x, _ in pairs}) > 1 else None)


def test_difference_and_bias_are_means_with_their_signs() -> None:
    found = distance([(1.0, 0.5), (0.0, 0.25), (1.0, 1.0)])
    assert found is not None
    assert (found.n, found.difference, found.bias) == (3, 0.25, pytest.approx(0.25 / 3))
    assert distance([]) is None


@pytest.mark.parametrize(
    ("score", "name"),
    [(1.0, "right"), (0.999, "partial"), (0.5, "partial"), (0.001, "partial"), (0.0, "wrong")],
)
def test_right_is_one_and_wrong_is_zero(score: float, name: str) -> None:
    assert class_of(score) == name


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (1, "1 word"), (2, "2-4 words"), (4, "2-4 words"), (5, "5-12 words"), (12, "5-12 words"),
        (13, "13-40 words"), (40, "13-40 words"), (41, "over 40 words"), (900, "over 40 words"),
    ],
)  # fmt: skip
def test_lengths_are_counted_in_words(words: int, name: str) -> None:
    assert length_of("\n".join(["word"] * words)) == name


def test_confusion_has_the_reference_in_rows_and_the_judge_in_columns() -> None:
    of = graded({"a": 1.0, "b": 1.0, "c": 0.5, "d": 0.0})
    found = measured(of, {"a": 1.0, "b": 0.3, "c": 0.0, "d": 1.0})
    assert found.confusion == {
        "right": {"right": 1, "partial": 1, "wrong": 0},
        "partial": {"right": 0, "partial": 0, "wrong": 1},
        "wrong": {"right": 1, "partial": 0, "wrong": 0},
    }


def test_groups_are_capabilities_lengths_and_kinds() -> None:
    of = graded(
        {"a": 1.0, "b": 1.0, "c": 0.0},
        {"a": ["rec", "gen"], "b": ["ocr"], "c": ["rec"]},
        {"a": "one", "b": "word " * 50, "c": "one"},
        kinds={"a": "right", "b": "right"},
    )
    found = measured(of, {"a": 0.5, "b": 1.0, "c": 0.25}).groups
    differences = {
        kind: {name: (d.n, d.difference) for name, d in groups.items()}
        for kind, groups in found.items()
    }
    assert differences == {
        "capability": {"rec": (2, 0.375), "gen": (1, 0.5), "ocr": (1, 0.0), "without gen": (2, 0.125)},
        "length": {"1 word": (2, 0.375), "over 40 words": (1, 0.0)},
        "kind": {"right": (2, 0.25)},
    }  # fmt: skip
    assert list(found["capability"])[-1] == "without gen"


def test_nothing_is_without_generation_where_nothing_generates() -> None:
    of = graded({"a": 1.0}, {"a": ["rec"]})
    assert list(measured(of, {"a": 1.0}).groups["capability"]) == ["rec"]


def test_errors_and_empty_answers_are_left_out_and_counted() -> None:
    of = graded({"a": 1.0, "b": 1.0, "c": 0.5})
    records = [record("a", None, of), record("b", 0.0, of, reason="empty answer"), record("c", 1.0, of)]  # fmt: skip
    found = measure(records, of)
    assert found.overall is not None
    assert (found.overall.n, found.overall.difference) == (1, 0.5)
    assert found.left_out == {"judge_error": 1, "empty answer": 1}


def test_a_judge_without_verdicts_has_no_agreement_and_fails_the_gate() -> None:
    of = graded({"a": 1.0})
    found = measured(of, {"a": None})
    assert found.overall is None
    content = found.to_json()
    assert (content["n"], content["difference"], content["spearman"]) == (0, None, None)
    assert not gate(found, 1.0).passed
    assert gate(found, 1.0).reason == "the judge judged nothing"


def test_largest_disagreements_come_first_and_are_bounded() -> None:
    of = graded({"a": 0.5, "b": 0.0, "c": 1.0, "d": 1.0}, kinds={"b": "wrong"})
    scores = {"a": 0.75, "b": 1.0, "c": 1.0, "d": 0.5}
    found = measured(of, scores, show=2).largest
    assert [(one.sample, one.judge, one.reference, one.kind) for one in found] == [
        ("b", 1.0, 0.0, "wrong"),
        ("d", 0.5, 1.0, ""),
    ]
    assert len(measured(of, scores, show=9).largest) == 3
    assert measured(of, scores, show=0).largest == []


def test_means_that_differ_in_the_last_bit_are_ties() -> None:
    third = (0.1 + 0.2 + 0.3) / 3
    assert third != 0.2
    of = graded({"a": third, "b": 0.2, "c": 1.0})
    found = measured(of, {"a": 0.2, "b": 0.2, "c": 0.9})
    assert found.overall is not None
    assert found.overall.spearman == 1.0


@pytest.fixture
def published() -> dict[str, Published]:
    table = Table("Table 9", "a model", 2, {"some judge": 0.1})
    return {"mm-vet": dataclasses.replace(load("mm-vet"), agreement=table)}


@pytest.mark.parametrize(
    ("judged", "name", "version", "shown"),
    [
        (("a", "b", "g"), "mm-vet", "current", True),
        (("a", "b"), "mm-vet", "current", True),
        (("a", "g"), "mm-vet", "current", False),
        (("a", "b", "g"), "mm-vet", "altered", False),
        (("a", "b", "g"), "made", "current", False),
    ],
)
def test_table_9_stands_beside_the_same_questions_only(
    published: dict[str, Published], judged: Sequence[str], name: str, version: str, shown: bool
) -> None:
    of = graded({"a": 1.0, "b": 0.5, "g": 0.0}, {"a": ["rec"], "b": ["ocr"], "g": ["gen"]})
    source = dataclasses.replace(of.benchmark, name=name, version=version)
    of = dataclasses.replace(of, source=source)
    found = measured(of, dict.fromkeys(judged, 1.0), published=published)
    assert (found.published is not None) == shown
    assert ("published" in found.to_json()) == shown
