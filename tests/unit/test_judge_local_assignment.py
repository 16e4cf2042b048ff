"""The offline judge on what is given to which thing."""

from __future__ import annotations

import pytest

from pytest_mmreason.judges.assignment import labelled, share_of_labels
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.judges.normalise import words
from pytest_mmreason.sample import Sample

BALLOONS = "The pink one is let loose first. Which balloons rise up, and which sink down?"
FLIGHT = "white and green go up<AND>pink and brown go down"
CARDS = "Which number is on the back of each of the cards A to D?"
NUMBERS = "A 7, B 2, C 9, D 2<OR>7, 2, 9, 2"
PRINTER = "This printer always works alike. What does it print last?"


def score(question: str, reference: str, response: str) -> float:
    sample = Sample("s", question, answer=reference)
    return judge_locally(sample, response, "mm-vet").score


@pytest.mark.parametrize(
    "response",
    [
        "White and green go up; pink and brown go down.",
        "Pink goes down, white up, green up and brown down.",
        "Up: white and green. Down: pink and brown.",
        "The pink and brown balloons go down while the white and green balloons go up.",
        "White goes up, the balloons pink and brown go down, green goes up.",
        "The balloons that go up are white and green, pink and brown go down.",
    ],
)
def test_each_with_its_own_is_right(response: str) -> None:
    assert score(BALLOONS, FLIGHT, response) == 1.0


@pytest.mark.parametrize(
    "response",
    [
        "Pink and white go up, the brown and green ones go down.",
        "Pink and brown go up, white and green go down.",
        "Up: pink and green. Down: white and brown.",
    ],
)
def test_each_other_s_is_wrong(response: str) -> None:
    assert score(BALLOONS, FLIGHT, response) == 0.0


def test_other_things_than_colors_are_told_apart_too() -> None:
    question = "What do exports do, and imports?"
    reference = "the exports rise while the imports fall"
    assert score(question, reference, "Imports fall, exports rise.") == 1.0
    assert (
        score("Where does the crab go?", "the crab goes up", "The eel goes up, the crab down.") == 0
    )


@pytest.mark.parametrize(
    "response",
    [
        "A: 7, B: 2, C: 9, D: 2",
        "A=7 B=2 C=9 D=2",
        "A is 7, B is 2, C is 9 and D is 2.",
        "7 on A, 2 on B, 9 on C and 2 on D",
        "D 2, C 9, B 2, A 7",
        "7, 2, 9, 2",
    ],
)
def test_labels_with_their_numbers_are_right(response: str) -> None:
    assert score(CARDS, NUMBERS, response) == 1.0


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("A 7, B 2, C 9, D 3", 0.5),
        ("A 2, B 7, C 2, D 9", 0.0),
        ("A 9, B 7, C 2, D 2", 0.0),
        ("7, 9, 2, 2", 0.0),
    ],
)
def test_labels_with_other_numbers_earn_what_is_right(response: str, expected: float) -> None:
    assert score(CARDS, NUMBERS, response) == pytest.approx(expected)


def test_a_list_of_labels_gives_each_item_one_number() -> None:
    assert labelled(words("Ada 3, Bo 4 and Cy 3")) == {"ada": "#3", "bo": "#4", "cy": "#3"}
    assert not labelled(words("Ada 3, Bo 4"))
    assert not labelled(words("Ada 3, Bo 4, rain"))
    assert not labelled(words("Ada 3, Ada 4, Bo 3"))
    assert not labelled(words("from 3 to 4 o'clock, in room 2"))


def test_too_few_labels_tell_nothing() -> None:
    wanted = labelled(words("Ada 3, Bo 4 and Cy 3"))
    assert share_of_labels(wanted, words("Ada has 3")) is None
    assert share_of_labels(wanted, words("Ada has 3, Bo 3")) == pytest.approx(1 / 3)


@pytest.mark.parametrize("response", ["Two grey moons and one pink sun", "two hats", "two"])
def test_what_is_counted_is_part_of_the_answer(response: str) -> None:
    expected = float(response == "two")
    assert score(PRINTER, "two brown shells", response) == expected


def test_a_value_that_the_question_disputes_is_part_of_the_answer() -> None:
    question = "The film is turned over, left and right changing sides. Where do two match?"
    assert score(question, "middle left", "In the center.") == 0.0
    assert score(question, "middle left", "On the left, in the middle row.") == 1.0


def test_unchanged_is_part_of_the_answer() -> None:
    question = "The wind stays as it is. What does each boat do?"
    assert score(question, "the pink one stays the same", "The pink one stays behind.") < 1.0
    assert score(question, "the pink one stays the same", "Pink stays the same.") == 1.0


def test_other_numbers_make_another_statement() -> None:
    reference = "the melon was weighed as 2.5 kg in place of 1.5 kg on the old scale"
    near, bare = (
        f"the plum was weighed as {what} in place of it on the scale" for what in ("3", "more")
    )
    assert 0 < score("What is wrong?", reference, near) < score("What is wrong?", reference, bare)


SEATS = "Who has the pink chair, and who the brown one?"
SEATED = "Ilse on the pink chair<AND>Moritz on the brown chair"


@pytest.mark.parametrize(
    "response",
    [
        "Ilse on the pink one and Moritz on the brown one.",
        "Ilse sits on the pink chair, and Moritz on the brown one.",
        "Pink: Ilse; brown: Moritz",
        "Moritz has brown, Ilse has pink.",
    ],
)
def test_names_with_their_own_values_are_right(response: str) -> None:
    assert score(SEATS, SEATED, response) == 1.0


@pytest.mark.parametrize(
    "response",
    [
        "Moritz on the pink one and Ilse on the brown one.",
        "Moritz sits on the pink chair and Ilse sits on the brown chair.",
        "Pink is Moritz's, brown is Ilse's.",
        "Pink: Moritz; brown: Ilse",
    ],
)
def test_names_with_each_other_s_values_are_wrong(response: str) -> None:
    assert score(SEATS, SEATED, response) == 0.0


FAULTY = "One of the tiles has a mistake. Which one is it, and which color should it have?"


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("The pink hexagon is wrong; it was meant to be brown.", 1.0),
        ("It should have brown instead of the pink hexagon.", 1.0),
        ("The pink hexagon is not wrong.", 0.0),
        ("Not the pink hexagon; brown is what the oval lacks.", 0.5),
    ],
)
def test_what_is_wrong_may_be_what_is_asked(response: str, expected: float) -> None:
    assert score(FAULTY, "pink hexagon<AND>brown", response) == expected


def test_that_something_is_wrong_denies_it_elsewhere() -> None:
    assert score("Which tile comes next?", "pink hexagon", "A pink hexagon is wrong.") == 0.0


def test_a_conclusion_after_a_list_is_no_item_of_it() -> None:
    response = "Sun gives S, ear A, ink I and owl L: SAIL"
    assert score("Which word is it?", "sail", response) == 1.0
    assert score("Which word is it?", "sail", "rope, mast, deck, wind, sail") == 0.0


def test_the_items_of_another_sentence_are_none_of_a_list() -> None:
    response = "White, pink and brown swim; green, gray and black sink to the ground."
    assert score("Which toys swim?", "white<AND>pink<AND>brown", response) == 1.0
    lines = "black\nwhite\ngreen\npink\ngray"
    assert score("Which toy swims?", "white", lines) == 0.0


def test_a_denial_that_is_asked_for_is_none() -> None:
    question = "Which island can a swimmer never reach?"
    assert score(question, "Owl Island", "You can never reach Owl Island.") == 1.0
    assert score("Where do they land?", "Owl Island", "You can never reach Owl Island.") == 0.0


def test_what_only_adds_a_not_may_be_told_without() -> None:
    reference = (
        "they carried the puppy over the splinters of glass, which would not be good for its paws"
    )
    said = "They carried the puppy, because splinters of glass are not good for paws, over them."
    assert score("What did they do?", reference, said) > 0.5


@pytest.mark.parametrize(
    "response",
    [
        "24 square miles of marsh in Ashby.",
        "Ashby has 24 square miles of marsh.",
        "Shelf 24, and it is in Ashby.",
    ],
)
def test_a_number_may_stand_a_few_words_from_its_place(response: str) -> None:
    assert score("How large is it in each?", "24 in Ashby", response) == 1.0


def test_another_place_s_number_is_none() -> None:
    response = "Ashby has 30 and Birk has 24."
    assert score("How large is it in each?", "24 in Ashby", response) == 0.0


def test_colors_may_stand_in_a_list_that_names_none() -> None:
    reference, question = "cup 12 L, jar 15 R and bowl", "Which things belong together?"
    assert score(question, reference, "The pink cup 12 L, the grey jar 15 R and the bowl.") == 1.0


def test_a_statement_is_no_item_of_a_list() -> None:
    response = "The kiln had run out of brown clay, so pots got pink, jugs white, cups black."
    assert score("What happened?", "the kiln has run out of brown clay", response) == 1.0
