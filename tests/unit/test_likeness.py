"""Like questions: found without comparing every pair, and as if every pair were compared."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.benchmarks.likeness import MOST_COMPARED, NEAR, clusters, words


def index(one: str, other: str) -> float:
    """The Jaccard index as the docs state it, by another way."""

    def pairs(text: str) -> set[tuple[str, str]]:
        padded = ["", *words(text), ""]
        return {(padded[i], padded[i + 1]) for i in range(len(padded) - 1)}

    return len(pairs(one) & pairs(other)) / len(pairs(one) | pairs(other))


LONG = "Which of the two red houses beside the river has more windows than the old green one"


def test_same_words_are_the_same_question() -> None:
    found = clusters(["What is IT?", "Where?", " what — is it", "When?", "Where!"])
    assert [(c.members, c.likeness) for c in found] == [((0, 2), 1.0), ((1, 4), 1.0)]


def test_one_word_in_a_long_question_is_near_and_in_a_short_one_is_not() -> None:
    assert index(LONG, LONG.replace("green", "blue")) >= NEAR
    (found,) = clusters([LONG, "Which is red?", LONG.replace("green", "blue"), "Which is blue?"])
    assert found.members == (0, 2)
    assert found.likeness == pytest.approx(index(LONG, LONG.replace("green", "blue")))


def test_questions_without_words_are_like_nothing() -> None:
    assert clusters(["?", "…", "", "?"]) == []


_texts = st.lists(st.lists(st.sampled_from(list("abcde")), max_size=14).map(" ".join), max_size=12)


@given(_texts)
def test_every_near_pair_is_found_and_no_other(texts: list[str]) -> None:
    found = clusters(texts)
    members = [number for cluster in found for number in cluster.members]
    assert len(members) == len(set(members))
    for cluster in found:
        first = texts[cluster.members[0]]
        likenesses = [index(first, texts[number]) for number in cluster.members[1:]]
        assert min(likenesses) == pytest.approx(cluster.likeness)
        assert cluster.likeness >= NEAR
    # Whatever is near to something stands in some group, or something near to it does.
    for one, other in combinations(range(len(texts)), 2):
        if words(texts[one]) and index(texts[one], texts[other]) >= NEAR:
            assert one in members or other in members


def test_questions_of_one_template_are_not_compared_pair_by_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []

    def counted(one: frozenset[int], other: frozenset[int]) -> float:
        compared.append(1)
        return 0.0

    monkeypatch.setattr("pytest_mmreason.benchmarks.likeness._jaccard", counted)
    texts = [f"{LONG} {number}" for number in range(400)]
    assert clusters(texts) == []
    prefix = 5  # of 18 pairs
    assert 400 < len(compared) <= 400 * MOST_COMPARED * prefix < 400 * 399 / 2
