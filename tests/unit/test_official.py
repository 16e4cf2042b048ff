"""The numbers, orders and names of MM-Vet's own result files."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mmreason.record import Record
from pytest_mmreason.reports.official import (
    FileNames,
    Grade,
    Graded,
    add_pairwise,
    capability_table,
    collect,
    file_name,
    grades_text,
    integration_table,
    judge_name,
    left_out,
    model_name,
    round_half_even,
)


def graded(sample: str, capabilities: str, *scores: float) -> Graded:
    grades = tuple(Grade("gpt-4", str(score), score) for score in scores)
    return Graded(sample, tuple(capabilities.split()), grades, scores or None)


def record(sample: str = "a", **fields: Any) -> Record:
    base: dict[str, Any] = {
        "benchmark": "mm-vet",
        "model": "m",
        "judge": "j",
        "prompt": "direct",
        "repeat": 0,
        "status": "scored",
        "score": 0.5,
        "scores": (0.5,),
        "capabilities": ("rec",),
    }
    return Record(sample=sample, **{**base, **fields})


def cells(table: str) -> dict[str, str]:
    header, row = csv.reader(table.splitlines())
    return dict(zip(header, row, strict=True))


def columns(table: str) -> list[str]:
    return next(csv.reader(table.splitlines()))


def test_one_run_as_text() -> None:
    samples = [graded("a", "ocr math", 0.0), graded("b", "ocr", 1.0), graded("c", "ocr", 0.3)]
    assert capability_table("m", samples, 1) == (
        ",ocr,math,total,std,runs\nm,43.3,0.0,43.3,0.0,[43.3]\n"
    )
    assert integration_table("m", samples, 1) == (
        ",ocr,math_ocr,total,std,runs\nm,65.0,0.0,43.3,0.0,[43.3]\n"
    )


def test_several_runs_have_their_mean_and_the_populations_spread() -> None:
    samples = [graded("a", "rec", 0.0, 1.0), graded("b", "rec", 0.5, 0.5)]
    # The passes are 25 and 75: the sample's sd would be 35.4.
    assert capability_table("m", samples, 2).splitlines()[1] == 'm,50.0,50.0,25.0,"[25.0, 75.0]"'


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (46.25, 46.2),
        (46.75, 46.8),
        (0.05, 0.0),
        (1.15, 1.2),  # below the tie, but ten times it is one: Python's round says 1.1
        (0.25, 0.2),
        (99.95, 100.0),
    ],
)
def test_ties_go_to_the_even_tenth(value: float, rounded: float) -> None:
    assert round_half_even(value) == rounded


def test_an_exact_tie_in_a_table() -> None:
    samples = [graded(str(n), "rec", score) for n, score in enumerate([1.0, 1.0, 1.0, 0.7])]
    assert cells(capability_table("m", samples, 1))["rec"] == "92.5"
    samples = [graded(str(n), "rec", 0.5 if n < 3 else 0.0) for n in range(16)]
    assert cells(capability_table("m", samples, 1))["rec"] == "9.4"  # 9.375
    samples = [graded(str(n), "rec", 0.5 if n < 5 else 0.0) for n in range(8)]
    assert cells(capability_table("m", samples, 1))["rec"] == "31.2"  # 31.25, to even


def test_scores_are_added_one_after_the_other() -> None:
    samples = [graded(str(n), "rec", 0.3 if n < 10 else 0.0) for n in range(16)]
    # An exact sum gives 18.75, and by that 18.8; this one ends an ulp below the tie.
    assert cells(capability_table("m", samples, 1))["rec"] == "18.7"


def test_capabilities_go_by_falling_count_then_by_appearance() -> None:
    samples = [graded("a", "spat math", 1.0), graded("b", "gen", 1.0), graded("c", "gen", 1.0)]
    assert columns(capability_table("m", samples, 1))[1:4] == ["gen", "spat", "math"]


def test_integrations_go_by_falling_count_then_backwards_through_the_alphabet() -> None:
    samples = [graded("a", "ocr", 1.0), graded("b", "rec", 1.0), graded("c", "spat ocr", 1.0)]
    samples += [graded("d", "ocr spat", 1.0)]
    assert columns(integration_table("m", samples, 1))[1:4] == ["ocr_spat", "rec", "ocr"]


def test_a_capability_named_twice_counts_once() -> None:
    twice = record(capabilities=("rec", "rec"))
    table = capability_table("m", collect([twice], "j", 1), 1)
    assert table == ",rec,total,std,runs\nm,50.0,50.0,0.0,[50.0]\n"


def test_capabilities_named_like_a_column_keep_their_own() -> None:
    table = capability_table("m", [graded("a", "total", 1.0), graded("b", "std", 0.0)], 1)
    assert table == ",total,std,total,std,runs\nm,100.0,0.0,50.0,0.0,[50.0]\n"


def test_a_sample_without_a_grade_enters_no_mean_and_no_grade_file() -> None:
    samples = [graded("a", "rec", 1.0), graded("b", "rec"), graded("c", "ocr")]
    found = cells(capability_table("m", samples, 1))
    assert found == {"": "m", "rec": "100.0", "ocr": "", "total": "100.0", "std": "0.0", "runs": "[100.0]"}  # fmt: skip
    assert list(json.loads(grades_text(samples))) == ["a"]
    assert "over 1 of the 3 samples" in left_out(samples)
    assert "'b', 'c'" in left_out(samples)


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    assert left_out([graded("a", "rec", 1.0)]) == ""
    assert "not written" in left_out([graded("a", "rec")])


def test_names_of_every_kind_keep_to_their_cell() -> None:
    table = capability_table('a,"b"\n\udc80', [graded("x", "rec", 1.0)], 1)
    table.encode("utf-8")
    rows = list(csv.reader(table.splitlines(keepends=True)))
    assert rows[1][0] == 'a,"b"\n\\udc80'


def test_grades_are_added_and_written_in_the_order_of_their_file() -> None:
    """The evaluator adds a grade file up as it stands, columns go by the questions' file."""
    found = [record(str(n), score=s, scores=(s,)) for n, s in enumerate([0.1, 0.7, 0.3, 0.9] * 8)]
    found.append(record("last", score=1.0, scores=(1.0,), capabilities=("ocr", "math")))
    order = ["last", *map(str, random.Random(3).sample(range(31), 31))]  # without 31
    made = collect(found, "j", 1, order=order)
    assert [one.sample for one in made] == [r.sample for r in found]
    assert list(json.loads(grades_text(made))) == [*order, "31"]
    assert columns(capability_table("m", made, 1))[1:4] == ["rec", "ocr", "math"]


TIED = [0.3, 0.5, 0.3, 1.0, 0.3, 0.7, 0.4, 0.0]  # 43.75 %, or an ulp less: it hangs on the order


@pytest.mark.parametrize("backwards", [False, True])
def test_a_tie_is_decided_by_the_order_of_the_grade_file(backwards: bool) -> None:
    scores = TIED
    found = [record(str(n), score=s, scores=(s,)) for n, s in enumerate(scores)]
    order = [r.sample for r in found][:: -1 if backwards else 1]
    made = collect(found, "j", 1, order=order)
    expected = round_half_even(sum_up([scores[int(sample)] for sample in order]))
    assert cells(capability_table("m", made, 1))["rec"] == str(expected)


def test_the_two_orders_of_that_test_differ() -> None:
    assert round_half_even(sum_up(TIED)) != round_half_even(sum_up(TIED[::-1]))


def sum_up(scores: Sequence[float]) -> float:
    total = 0.0
    for score in scores:
        total += score
    return total / len(scores) * 100


class TestCollecting:
    def test_the_judges_own_name_is_preferred(self) -> None:
        asked = record(scores=(0.5, 1.0), judge_models=("gpt-4-0613", None))
        (one,) = collect([asked], "gpt-4", 2)
        assert one.grades == (Grade("gpt-4-0613", "0.5", 0.5), Grade("gpt-4", "1.0", 1.0))
        assert one.scores == (0.5, 1.0)

    def test_the_first_repeat_is_graded(self) -> None:
        again = record(repeat=1, score=1.0, scores=(1.0,))
        assert [one.scores for one in collect([record(), again], "j", 1)] == [(0.5,)]

    def test_a_run_without_a_verdict_leaves_the_others_in_the_grade_file_alone(self) -> None:
        (one,) = collect([record(scores=(0.5, None, 0.7))], "j", 3)
        assert [grade.score for grade in one.grades] == [0.5, 0.7]
        assert one.scores is None

    def test_what_nobody_graded_says_why_it_is_zero(self) -> None:
        empty = record(reason="empty answer", score=0.0, scores=(0.0, 0.0))
        refused = record("b", status="refused", reason="filtered", score=0.0, scores=())
        found = collect([empty, refused], "j", 2)
        assert found[0].grades == (Grade("", "empty answer", 0.0),) * 2
        assert found[1].grades == (Grade("", "filtered", 0.0),) * 2
        assert [one.scores for one in found] == [(0.0, 0.0)] * 2

    @pytest.mark.parametrize("status", ["judge_error", "model_error", "data_error", "missing"])
    def test_an_error_is_no_zero_unless_asked_for(self, status: str) -> None:
        bad = record(status=status, score=None, scores=())
        assert collect([bad], "j", 2) == [Graded("a", ("rec",), (), None)]
        assert collect([bad], "j", 2, "zero") == [Graded("a", ("rec",), (), (0.0, 0.0))]

    def test_without_a_reference_there_is_no_zero_ever(self) -> None:
        unjudged = record(status="unjudged", score=None, scores=())
        assert collect([unjudged], "j", 1, "zero")[0].scores is None


def test_the_grade_file_as_text() -> None:
    text = grades_text([graded("v1_0", "rec", 0.0, 0.5)])
    model, content, score = (
        f'        "{key}": [\n            {first},\n            {second}\n        ]'
        for key, first, second in (
            ("model", '"gpt-4"', '"gpt-4"'),
            ("content", '"0.0"', '"0.5"'),
            ("score", "0.0", "0.5"),
        )
    )
    assert text == f'{{\n    "v1_0": {{\n{model},\n{content},\n{score}\n    }}\n}}'


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("replay:runs/llava-v1.5-7b.json", "llava-v1.5-7b"),
        ("replay:llava-v1.5-7b", "llava-v1.5-7b"),
        ("replay:gpt-4.jsonl", "gpt-4"),
        ("openai:gpt-4o", "gpt-4o"),
        ("openai:llava:7b", "llava:7b"),
        ("hf:llava-hf/llava-1.5-7b-hf", "llava-hf/llava-1.5-7b-hf"),
        ("llava:hf:checkpoint", "checkpoint"),
        ("llava", "llava"),
        ("parrot:loud", "parrot:loud"),
    ],
)
def test_a_model_is_called_by_its_name(label: str, name: str) -> None:
    assert model_name(label) == name


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("openai:gpt-4", "gpt-4"),
        ("local", "local"),
        ("replay:llava_llama2_13b_gpt-4-0613-grade-5runs.json", "gpt-4-0613"),
        ("replay:grades.json", "grades"),
        ("replay:gpt-4o_gpt-4-0613-grade-1runs_dev8.json", "gpt-4-0613"),
    ],
)
def test_a_judge_is_called_by_its_name(label: str, name: str) -> None:
    assert judge_name(label) == name


def test_files_are_named_as_the_evaluator_names_them() -> None:
    assert dataclasses.astuple(FileNames.of("llava-v1.5-7b", "gpt-4-0613", 5, "bardset")) == (
        "llava-v1.5-7b_gpt-4-0613-grade-5runs.json",
        "llava-v1.5-7b_bardset_gpt-4-0613-cap-score-5runs.csv",
        "llava-v1.5-7b_bardset_gpt-4-0613-cap-int-score-5runs.csv",
    )


@given(st.text(), st.text(), st.text())
def test_file_names_are_safe_whatever_a_model_is_called(model: str, judge: str, sub: str) -> None:
    for name in dataclasses.astuple(FileNames.of(model, judge, 1, sub)):
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert len(name.encode("utf-8")) <= 240
    assert file_name(model)


CAPABILITIES = ("rec", "ocr", "know", "gen", "spat", "math")


@st.composite
def benchmarks(draw: st.DrawFn, scores: Sequence[float]) -> tuple[list[Graded], int]:
    runs = draw(st.integers(1, 11))
    some = st.lists(st.sampled_from(CAPABILITIES), min_size=1, max_size=4, unique=True)
    one_run = st.lists(st.sampled_from(scores), min_size=runs, max_size=runs)
    made = draw(st.lists(st.tuples(some, one_run), min_size=1, max_size=30))
    return [graded(str(n), " ".join(caps), *found) for n, (caps, found) in enumerate(made)], runs


@given(benchmarks([n / 10 for n in range(11)]))
@settings(deadline=None)
def test_every_cell_is_what_numpy_makes_of_it(made: tuple[list[Graded], int]) -> None:
    np = pytest.importorskip("numpy")
    samples, runs = made

    def passes(members: list[Graded]) -> Any:
        sums = [0.0] * runs
        for one in members:
            assert one.scores is not None
            for run in range(runs):
                sums[run] += one.scores[run]
        return np.array(sums) / len(members) * 100

    found = cells(capability_table("m", samples, runs))
    for name in {name for one in samples for name in one.capabilities}:
        members = [one for one in samples if name in one.capabilities]
        assert float(found[name]) == round(passes(members).mean(), 1)
    by_set = cells(integration_table("m", samples, runs))
    for names in {frozenset(one.capabilities) for one in samples}:
        members = [one for one in samples if frozenset(one.capabilities) == names]
        assert float(by_set["_".join(sorted(names))]) == round(passes(members).mean(), 1)
    total = passes(samples)
    assert float(found["total"]) == round(total.mean(), 1)
    assert float(found["std"]) == round(total.std(), 1)
    assert found["runs"] == str(np.round(total, 1).tolist())
    assert [found[name] for name in ("total", "std", "runs")] == [
        by_set[name] for name in ("total", "std", "runs")
    ]


@given(benchmarks([n / 8 for n in range(9)]), st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_no_number(
    made: tuple[list[Graded], int], chance: random.Random
) -> None:
    # Eighths add up exactly in any order; what the order of tenths may change, it changes
    # in the official evaluator too.
    samples, runs = made
    shuffled = samples.copy()
    chance.shuffle(shuffled)
    assert integration_table("m", shuffled, runs) == integration_table("m", samples, runs)
    before, after = capability_table("m", samples, runs), capability_table("m", shuffled, runs)
    assert cells(after) == cells(before)
    count = {name: sum(name in one.capabilities for one in samples) for name in CAPABILITIES}
    falling = [count[name] for name in columns(after)[1:-3]]
    assert falling == sorted(falling, reverse=True)
    assert json.loads(grades_text(shuffled)) == json.loads(grades_text(samples))


@given(st.lists(st.floats(-1e6, 1e6), max_size=300))
def test_sums_are_numpys(values: list[float]) -> None:
    np = pytest.importorskip("numpy")
    assert add_pairwise(values) == float(np.array(values, dtype=float).sum())
