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


@pytest.mark.parametrize(
    ("question", "reference", "response"),
    [
        ("How tall is the mast?", "45 metres", "45 m"),
        ("What is the voltage?", "9 volts", "9 V"),
        ("How much memory is free?", "8 gigabytes", "8 GB"),
        ("How many floors are there?", "7 floors", "7 storeys"),
        ("How many people wait?", "4 people", "Four passengers."),
    ],
)
def test_where_a_number_is_asked_for_its_unit_may_have_another_name(
    question: str, reference: str, response: str
) -> None:
    assert score(question, reference, response) == 1.0


@pytest.mark.parametrize(
    ("question", "reference", "response"),
    [
        ("Which fruit is not in the bowl?", "the plum", "It's not the plum, it's the fig."),
        ("Which fruit is not in the bowl?", "the plum", "The fig, not the plum."),
        ("How many vans are not red?", "3", "4, not 3."),
        ("There is a mistake in the bill. What is the sum?", "24 euros", "24 euros is wrong."),
        ("There is a mistake in the bill. What is the sum?", "24 euros", "25 instead of 24 euros."),
        ("Which sentence is wrong?", "B", "C rather than B."),
        ("Who could not have taken the ring?", "Ben", "Not Ben; Anna."),
    ],
)
def test_a_denial_is_one_whatever_else_the_question_denies(
    question: str, reference: str, response: str
) -> None:
    assert score(question, reference, response) == 0.0


def test_names_in_the_order_of_the_question_need_no_values() -> None:
    assert score(SEATS, SEATED, "Ilse and Moritz.") == 1.0


@pytest.mark.parametrize(
    ("question", "reference", "own", "exchanged"),
    [
        (
            "What color are Anna's and Ben's shirts?",
            "Anna's is red<AND>Ben's is blue",
            "Anna: red, Ben: blue.",
            "Anna: blue, Ben: red.",
        ),
        (
            "What color has the van and what the bus?",
            "the van is red<AND>the bus is blue",
            "The van is red and the bus is blue.",
            "The van is blue and the bus is red.",
        ),
        (
            "Where does the round begin and end?",
            "it begins in Coins<AND>it ends in Egypt",
            "It begins in Coins and ends in Egypt.",
            "It begins in Egypt and ends in Coins.",
        ),
        (
            "Which letter is the well and which the treasure?",
            "well is K<AND>treasure is P",
            "Well: K, treasure: P",
            "The well is P and the treasure is K.",
        ),
        ("How old are Tim and Eva?", "Tim is 8<AND>Eva is 12", "Tim: 8, Eva: 12", "Tim 12, Eva 8"),
        (
            "What happens?",
            "red goes up, blue goes down",
            "The red ball moves up and the blue ball moves down.",
            "Blue up, red down.",
        ),
        (
            "What happened?",
            "sales rose and costs fell",
            "Costs fell, sales rose.",
            "Sales fell while costs rose.",
        ),
        (
            "How do they turn?",
            "red turns clockwise and blue counterclockwise",
            "Red clockwise, blue counterclockwise.",
            "Blue turns clockwise, red counterclockwise.",
        ),
        ("What is at each?", "A 4, B 6, C 5", "A-4, B-6, C-5", "A-6, B-5, C-4"),
        (
            "What is at each?",
            "A 4, B 6, C 5",
            "| A | 4 |\n| B | 6 |\n| C | 5 |",
            "A = 6, B = 4, C = 9",
        ),
    ],
)
def test_who_exchanges_values_is_wrong(
    question: str, reference: str, own: str, exchanged: str
) -> None:
    assert score(question, reference, own) == 1.0
    assert score(question, reference, exchanged) == 0.0


def test_an_item_of_a_list_may_be_described() -> None:
    lines = "- a cat\n- a dog\n- a fox\n- a bear on a tree\n- a wolf"
    assert score("Which animal is hiding?", "a fox", lines) == 0.0
