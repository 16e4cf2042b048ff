"""Rows keep their names and order whatever a benchmark calls its categories and tags."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.scoring import RowNames, score_rows
from tests.unit.test_scoring import record


def names(*samples: Sample) -> list[str]:
    return list(RowNames(samples).counts)


def sample(**fields: Any) -> Sample:
    return Sample("s", "q", **fields)


def test_tag_and_category_named_overall_never_meet_the_total() -> None:
    found = dict(RowNames([sample(category="overall", tags=("overall",))]).items())
    assert found["overall", "overall"] == "overall"
    assert found["category", "overall"] == "category:overall"
    assert found["tag", "overall"] == "tag:overall"


def test_a_name_belongs_to_the_first_kind_that_claims_it() -> None:
    found = RowNames([sample(category="ocr", capabilities=("ocr",), tags=("ocr", "multi_image"))])
    assert list(found.counts) == [
        "overall",
        "ocr",
        "capability:ocr",
        "ocr_only",
        "tag:ocr",
        "tag:multi_image",
    ]


def test_a_tag_that_looks_like_a_prefixed_name_takes_no_other_rows_place() -> None:
    found = names(
        sample(category="tag:overall", tags=("overall",)), sample(tags=("tag:overall", "x"))
    )
    assert len(found) == len(set(found)) == 5


def test_names_with_spaces_hyphens_and_other_scripts_stay_what_they_are() -> None:
    assert names(sample(category="a b", tags=("a-b", "猫"))) == ["overall", "a b", "a-b", "猫"]


def test_rows_come_by_kind_and_moderate_before_high() -> None:
    found = names(
        sample(category="deductive", complexity="high", tags=("t",)),
        sample(category="abductive", complexity="moderate", counter_intuitive=True),
        sample(category="deductive", complexity="low", images=(ImageRef("a", ""),) * 2),
    )
    assert found == [
        "overall",
        "deductive",
        "abductive",
        "moderate",
        "high",
        "low",
        "abductive/moderate",
        "deductive/high",
        "deductive/low",
        "counter_intuitive",
        "multi_image",
        "t",
    ]


def test_capabilities_and_integrations_go_by_falling_count() -> None:
    found = names(
        sample(capabilities=("math", "ocr")),
        sample(capabilities=("rec",)),
        sample(capabilities=("rec",)),
        sample(capabilities=("ocr", "rec")),
    )
    assert found == ["overall", "rec", "ocr", "math", "rec_only", "math+ocr", "ocr+rec"]


def test_names_of_the_whole_benchmark_hold_for_a_part_of_it() -> None:
    whole = RowNames([sample(category="x", tags=("y",)), sample(category="y")])
    part = score_rows([record("a", tags=("y",))], whole)
    assert list(part) == ["overall", "tag:y"]


def test_rows_without_samples_are_absent() -> None:
    assert list(score_rows([record("a")])) == ["overall"]


labels = st.sampled_from(["", "overall", "tag:overall", "moderate", "a", "a/moderate", "rec_only", "multi_image"])  # fmt: skip


@given(st.lists(st.tuples(labels, labels, st.lists(labels.filter(bool)))))
def test_no_two_rows_ever_share_a_name(drawn: list[tuple[str, str, list[str]]]) -> None:
    found = RowNames(
        sample(category=c, complexity=x, capabilities=tuple(t[:1]), tags=tuple(t))
        for c, x, t in drawn
    )
    assert len(found.counts) == len(dict(found.items()))


def test_cells_and_integrations_of_names_that_hold_their_joints_stay_apart() -> None:
    cells = names(sample(category="a/b", complexity="c"), sample(category="a", complexity="b/c"))
    assert [name for name in cells if name.count("/") == 2 and "\\" in name] == [
        "a\\/b/c",
        "a/b\\/c",
    ]
    sets = names(sample(capabilities=("a+b", "c")), sample(capabilities=("a", "b+c")))
    assert len(sets) == len(set(sets)) == 7
