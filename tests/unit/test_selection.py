"""--mm-limit, --mm-subset and --mm-seed: which samples a run evaluates."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.errors import UsageError
from pytest_mmreason.sample import Sample
from pytest_mmreason.selection import read_subset, select


def samples(*cells: tuple[str, str]) -> list[Sample]:
    return [
        Sample(f"s{i}", "q", category=category, complexity=complexity)
        for i, (category, complexity) in enumerate(cells)
    ]


cells = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["moderate", "high"])), min_size=1
)


@given(cells, st.integers(1, 60), st.integers(0, 3))
def test_limit_is_met_exactly_and_keeps_the_mix(
    drawn: list[tuple[str, str]], limit: int, seed: int
) -> None:
    made = samples(*drawn)
    chosen = select(made, limit=limit, seed=seed)
    assert len(chosen) == min(limit, len(made))
    assert chosen == sorted(set(chosen))
    taken = Counter((made[i].category, made[i].complexity) for i in chosen)
    for cell, size in Counter(drawn).items():
        assert abs(taken[cell] - size * len(chosen) / len(made)) < 1


@given(cells, st.integers(1, 20), st.randoms())
def test_which_samples_are_taken_does_not_hang_on_their_order(
    drawn: list[tuple[str, str]], limit: int, choose: random.Random
) -> None:
    made = samples(*drawn)
    shuffled = choose.sample(made, len(made))
    assert {made[i].id for i in select(made, limit=limit)} == {
        shuffled[i].id for i in select(shuffled, limit=limit)
    }


def test_seeds_take_different_samples_and_each_the_same_every_time() -> None:
    made = samples(*[("a", "high")] * 100)
    first, again, other = (select(made, limit=10, seed=seed) for seed in (0, 0, 1))
    assert first == again != other


def test_benchmark_without_categories_keeps_the_mix_of_its_capabilities() -> None:
    made = [Sample(f"r{i}", "q", capabilities=("rec",)) for i in range(8)]
    made += [Sample(f"o{i}", "q", capabilities=("ocr", "math")) for i in range(3)]
    made += [Sample("x", "q", capabilities=("math", "ocr"))]
    chosen = select(made, limit=3)
    assert Counter(made[i].capabilities[0] == "rec" for i in chosen) == {True: 2, False: 1}


def test_a_small_limit_leaves_no_category_out() -> None:
    both = ("high", "moderate")
    made = samples(*[(category, level) for category in "abc" for level in both] * 4)
    for limit in (3, 4, 5):
        chosen = select(made, limit=limit)
        assert {made[i].category for i in chosen} == {"a", "b", "c"}
        assert {made[i].complexity for i in chosen} == set(both)


def test_only_comes_before_the_limit_and_order_stays_the_benchmarks() -> None:
    made = samples(*[("a", "high")] * 9)
    wanted = {"s7", "s3", "s5"}
    assert select(made, only=wanted) == [3, 5, 7]
    assert len(select(made, only=wanted, limit=2)) == 2
    assert set(select(made, only=wanted, limit=2)) < {3, 5, 7}


def test_limit_beyond_the_end_takes_all() -> None:
    assert select(samples(("a", ""), ("b", "")), limit=5) == [0, 1]


def test_ids_that_are_no_utf8_can_be_ranked() -> None:
    made = [Sample("\ud800", "q"), Sample("猫", "q")]
    assert len(select(made, limit=1)) == 1


def write(path: Path, content: str, encoding: str = "utf-8") -> Path:
    path.write_text(content, encoding=encoding)
    return path


def test_subset_is_a_list_of_ids_as_strings_or_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "bard_set.json", json.dumps(["v1_0", "猫", 12]))
    assert read_subset(path) == ("v1_0", "猫", "12")


def test_subset_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert read_subset(write(tmp_path / "s.json", '["a"]', "utf-8-sig")) == ("a",)


@pytest.mark.parametrize("content", ['{"a": 1}', "null", "[[1]]", "[null]", "[true]", "[1.5]"])
def test_anything_else_than_a_list_of_ids_is_refused(tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "s.json", content)
    with pytest.raises(UsageError, match="a JSON list of sample ids is needed") as caught:
        read_subset(path)
    assert str(caught.value).startswith(f"--mm-subset {path}: ")


@pytest.mark.parametrize("content", ["", "[", "v1_0\nv1_1", "\x00"])
def test_file_that_is_no_json_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "s.json", content)
    with pytest.raises(UsageError) as caught:
        read_subset(path)
    assert str(caught.value).startswith(f"--mm-subset {path}: ")


@pytest.mark.parametrize(
    ("name", "why"),
    [("absent.json", "no such file; name a JSON list of sample ids"), (".", "Is a directory")],
)
def test_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_subset(tmp_path / name)
    assert str(caught.value) == f"--mm-subset {tmp_path / name}: {why}"
