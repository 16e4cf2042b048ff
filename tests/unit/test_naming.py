"""Item ids and marker names that pytest, shells and eyes can take."""

from __future__ import annotations

import keyword
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.markers import RESERVED_MARKERS, STANDARD_MARKERS
from pytest_mmreason.naming import LONGEST_ID, marker_names, slug, slugs

SAFE = set(string.ascii_letters + string.digits + "._+=,~-")

anything = st.text(st.characters(), max_size=80) | st.text("ab/ :[]-", max_size=80)


@given(st.lists(anything, unique=True))
def test_ids_are_short_printable_ascii_and_unique(ids: list[str]) -> None:
    made = slugs(ids)
    assert list(made) == ids
    assert len(set(made.values())) == len(ids)
    for name in made.values():
        assert name and set(name) <= SAFE
        assert len(name) <= LONGEST_ID


@given(st.lists(anything, unique=True))
def test_an_id_is_the_same_whatever_stands_around_it(ids: list[str]) -> None:
    made = slugs(ids)
    for sample_id in ids:
        if list(made.values()).count(slug(sample_id)) == 1:
            assert made[sample_id] == slug(sample_id)


@pytest.mark.parametrize("sample_id", ["v1_0", "185", "a-b.c", "x=1,y~2", "A" * LONGEST_ID])
def test_safe_ids_stay_what_they_are(sample_id: str) -> None:
    assert slug(sample_id) == sample_id


@pytest.mark.parametrize(
    "sample_id, begins",
    [
        ("猫 a/b::c[1]", "a-b-c-1-"),
        ("x" * 400, "x" * 40),
        ("a\0b", "a-b-"),
        ("a b", "a-b-"),
        (" ", "sample-"),
        ("猫", "sample-"),
        ("", "sample-"),
        ("a@gw0", "a-gw0-"),
        ("line\n", "line-"),
    ],
)
def test_unsafe_ids_keep_what_is_safe_of_them_and_a_hash(sample_id: str, begins: str) -> None:
    name = slug(sample_id)
    assert name.startswith(begins)
    assert set(name.rpartition("-")[2]) <= set(string.hexdigits)


def test_hashes_are_the_same_on_every_machine() -> None:
    assert slug("猫 a/b::c[1]") == "a-b-c-1-e249c1f5"


def test_ids_that_clean_to_the_same_text_stay_apart() -> None:
    assert len(set(slugs(["a b", "a/b", "a:b", "猫", "犬"]).values())) == 5


def test_an_id_that_looks_like_anothers_slug_keeps_its_own() -> None:
    forged = slug("a b")
    for order in (["a b", forged], [forged, "a b"]):
        made = slugs(order)
        assert made[forged] == forged
        assert made["a b"] != forged and made["a b"].startswith("a-b-")


def marker(value: str, *reserved: str) -> str:
    return marker_names([value], reserved)[value]


@pytest.mark.parametrize("value", ["rec", "deductive", "multi_image", "spatial2", "猫", "Über"])
def test_fit_values_are_their_own_markers(value: str) -> None:
    assert marker(value) == value


@pytest.mark.parametrize(
    "value, name",
    [
        ("a-b", "a_b"),
        ("a b", "a_b"),
        ("_x", "x"),
        ("3d", "mm_3d"),
        ("and", "mm_and"),
        ("or", "mm_or"),
        ("not", "mm_not"),
        ("None", "mm_None"),
        ("skip", "mm_skip"),
        ("usefixtures", "mm_usefixtures"),
        ("mmreason", "mm_mmreason"),
        ("x²", "x"),
        ("²", "mm_57853aa6"),
    ],
)
def test_unfit_values_are_rewritten(value: str, name: str) -> None:
    assert marker(value) == name


def test_a_marker_that_another_plugin_has_is_rewritten() -> None:
    assert marker("slow", "slow") == "mm_slow"
    assert marker_names(["slow"], ["slow", "mm_slow"]) == {"slow": "mm_slow_2"}


def test_two_values_that_clean_to_the_same_name_stay_apart() -> None:
    made = marker_names(["a b", "a-b", "a_b"], ())
    assert made == {"a b": "a_b_2", "a-b": "a_b_3", "a_b": "a_b"}


@given(st.lists(anything | st.sampled_from([*RESERVED_MARKERS, *keyword.kwlist])))
def test_markers_are_identifiers_with_no_other_meaning_and_unique(values: list[str]) -> None:
    made = marker_names(values, {"slow"})
    assert list(made) != [] or not values
    assert set(made) == set(values)
    assert len(set(made.values())) == len(made)
    for name in made.values():
        assert name.isidentifier() and not name.startswith("_")
        assert not keyword.iskeyword(name)
        assert name not in RESERVED_MARKERS | {"slow"}


def test_standard_markers_are_fit_themselves() -> None:
    assert marker_names(STANDARD_MARKERS, ()) == {name: name for name in STANDARD_MARKERS}
