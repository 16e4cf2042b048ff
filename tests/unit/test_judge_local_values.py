"""The offline judge on order, on values of which a thing has one, and on values too many."""

from __future__ import annotations

import pytest

from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.judges.normalise import words
from pytest_mmreason.judges.sequence import is_sequence
from pytest_mmreason.judges.values import contradicts
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import UNSURE, Verdict

QUEUE = "In which order do the animals leave the barn?"
BEADS = "Which beads come next?"
SHELF = "Describe the shelf from left to right."
LAMPS = "Which of the lamps A to F are lit?"
RULES = "Which piece is missing?"


def verdict(question: str, reference: str, response: str) -> Verdict:
    return judge_locally(Sample("s", question, answer=reference), response, "mm-vet")


def score(question: str, reference: str, response: str) -> float:
    return verdict(question, reference, response).score


@pytest.mark.parametrize(
    ("question", "reference", "response"),
    [
        (QUEUE, "goat, cow, hen, pig", "Goat, cow, hen, pig."),
        (QUEUE, "goat, cow, hen, pig", "First the goat, then the cow, the hen and last the pig."),
        (QUEUE, "goat, cow, hen, pig", "1. Goat\n2. Cow\n3. Hen\n4. Pig"),
        (QUEUE, "goat, cow, hen, pig", "goat → cow → hen → pig"),
        (QUEUE, "goat, cow and hen", "The goat goes first, then the cow, and the hen is last."),
        (BEADS, "pink, pink, black", "pink, pink and black"),
        (QUEUE, "The animals leave in the order goat, cow and hen.", "First goat, then cow, hen."),
        (BEADS, "G, E, G", "G, then E, then G again."),
        ("Which moves?", "up, left, up", "Up, left and up."),
        ("What comes first?", "red ant, then blue bee", "The red ant, then the blue bee."),
        (
            SHELF,
            "a cup, the red jar and a spoon",
            "From left to right: a cup, the tall red jar with a lid, a spoon.",
        ),
        (SHELF, "a cup, the jar and a spoon", "A cup, the jar in its old box, a spoon."),
    ],
)
def test_a_sequence_in_its_order_is_right(question: str, reference: str, response: str) -> None:
    assert score(question, reference, response) == 1.0


@pytest.mark.parametrize(
    ("question", "reference", "response"),
    [
        (QUEUE, "goat, cow, hen, pig", "Goat, hen, cow, pig."),
        (QUEUE, "goat, cow, hen, pig", "Goat, cow, horse, hen, pig."),
        (QUEUE, "goat, cow and hen", "The hen, the cow and the goat."),
        (BEADS, "pink, pink, black", "Pink, black, pink."),
        (BEADS, "pink, pink, black", "Black and pink."),
        (BEADS, "G, E, G", "E, G, E"),
        ("Which moves?", "up, left, up", "Down, left, down."),
        ("Which moves?", "up, left, down, left", "left, left, up, down"),
        ("What comes first?", "red ant, then blue bee", "The blue bee, then the red ant."),
        (SHELF, "a cup, the red jar and a spoon", "A spoon, a cup, the red jar."),
    ],
)
def test_a_sequence_in_another_order_is_wrong(question: str, reference: str, response: str) -> None:
    assert score(question, reference, response) == 0.0


@pytest.mark.parametrize(
    ("question", "reference", "expected"),
    [
        (BEADS, "pink, grey, black", True),
        (BEADS, "pink and black", False),
        (BEADS, "pink, grey and black", False),
        (BEADS, "pink, then black", True),
        (QUEUE, "goat, cow and hen", True),
        ("List the animals.", "goat, cow, hen", False),
        ("What did the guests order?", "soup and bread", False),
        ("Who is it?", "Ada, the painter", False),
        ("Why?", "it rained, it was cold and windy all day long, so nobody went out", False),
    ],
)
def test_what_is_a_sequence(question: str, reference: str, expected: bool) -> None:
    assert is_sequence(words(reference), words(question)) is expected


def test_a_set_is_right_in_any_order() -> None:
    assert score("Which colors are there?", "pink, grey and black", "Black, pink and gray.") == 1.0
    assert score("List the animals.", "goat, cow, hen", "hen, cow, goat") == 1.0
    assert score(LAMPS, "B<AND>D", "D and B") == 1.0


COAT = "She took her red coat because it was cold and the wind blew from the hills"


@pytest.mark.parametrize(
    ("reference", "response"),
    [
        ("clockwise", "It turns counter-clockwise."),
        ("north", "To the north-east."),
        ("top left", "At the top right."),
        ("the left end of the lowest shelf", "The right end of the lowest shelf."),
        ("it moves up the wall", "It moves down the wall."),
        ("on Monday the shop closes earlier", "On Friday the shop closes earlier."),
        ("the pen has run out of green ink", "The pen has run out of brown ink."),
        (COAT, COAT.replace("red", "blue")),
        (COAT, COAT.replace("She", "The girl with the red hat").replace("red coat", "blue coat")),
        ("a red door and a blue gate", "A blue door and a red gate."),
    ],
)
def test_another_value_contradicts(reference: str, response: str) -> None:
    assert score("What does it show?", reference, response) == 0.0


@pytest.mark.parametrize(
    ("reference", "response"),
    [
        ("counterclockwise", "It turns anti-clockwise."),
        ("northwest", "To the north west."),
        ("upwards", "It moves up."),
        ("top left", "In the upper left corner."),
        ("the left end of the lowest shelf", "On the lowest shelf, at its left end."),
        (COAT, f"{COAT}; the blue one stayed at home."),
        ("a red door and a blue gate", "A blue gate and a red door."),
        ("a red door", "The door is red, the gate blue."),
    ],
)
def test_the_same_value_beside_others_does_not(reference: str, response: str) -> None:
    assert score("What does it show?", reference, response) == 1.0


def test_what_the_question_names_contradicts_nothing() -> None:
    reference, said = words("the ball is at the right"), words("It is not at the left.")
    assert contradicts(reference, said, words("Where is it?"))
    assert contradicts(reference, said, words("Is it at the left or at the right?"))
    assert not contradicts(reference, said, words("The cube is at the left. Where is the ball?"))


def test_which_way_a_number_goes_is_part_of_it() -> None:
    question = "By how many per cent did it rise or fall?"
    assert score(question, "it fell by 7 %", "It fell by 7 per cent.") == 1.0
    assert score(question, "it fell by 7 %", "7 %") == 1.0
    assert score(question, "it fell by 7 %", "It rose by 7 per cent.") == 0.0


@pytest.mark.parametrize(
    ("question", "reference", "response", "expected"),
    [
        ("Which color is it?", "blue", "Red and blue.", 0.5),
        ("Which color is it?", "blue", "red blue green", 0.0),
        ("Which color is it?", "blue", "Blue with red letters.", 1.0),
        ("Which color is the bus?", "blue", "The bus is blue, the car is red.", 1.0),
        ("How many?", "5", "4, 5", 0.5),
        ("How many?", "5", "3, 4, 5", 0.0),
        ("How many?", "5", "2 red, 3 blue: 5", 1.0),
        ("Which lamp is lit?", "C", "Lamps A, B, C and D.", 0.0),
        ("Which animal is it?", "dog", "A dog and a cat.", 0.5),
        ("Which day is it?", "Tuesday", "Monday, Tuesday", 0.5),
        ("Who did it?", "Ben", "Ben, the smallest (100 cm), who was born in 2015.", 1.0),
        ("What does it cost?", "7.30", "7.30: the soup (4.00), a roll (1.30), a tea (2.00).", 1.0),
    ],
)
def test_one_of_several_is_no_whole_answer(
    question: str, reference: str, response: str, expected: float
) -> None:
    assert score(question, reference, response) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("B and E", 1.0),
        ("B and E, because the switch beside A is open.", 1.0),
        ("Only B.", 0.5),
        ("B and D", 0.0),
        ("A, B, C, D, E and F are lit.", 0.0),
        ("B, D and E are lit.", 0.5),
    ],
)
def test_of_a_set_each_one_too_many_costs_one(response: str, expected: float) -> None:
    assert score(LAMPS, "B<AND>E", response) == expected


def test_who_lists_all_pieces_has_named_none_of_two_parts() -> None:
    reference = "lower left<AND>green cone"
    pieces = "a red cube, a blue ball, a green cone, a pink ring, a black star, a white cross"
    assert score("Which piece, and where?", reference, f"Lower left: {pieces}.") < 1.0
    assert score("Which piece?", "green cone", f"There are {pieces}.") == 0.0


def test_whole_alternatives_that_share_a_part_stand_for_themselves() -> None:
    reference = "bottom left<AND>green cone<OR>left end of the lowest row<AND>green cone"
    question = "Where is what?"
    assert score(question, reference, "At the left end of the lowest row, a green cone.") == 1.0
    assert score(question, reference, "In the middle of the lowest row, a green cone.") == 0.5
    spelt = "north-west<AND>upper corner<OR>northwest<AND>top corner"
    assert score(question, spelt, "Northwest; the top corner.") == 1.0
    assert score("What is there?", "cat<OR>kitten<AND>dog", "a kitten and a dog") == 1.0
    assert score("What is there?", "cat<OR>kitten<AND>dog", "a cat") == 0.5


@pytest.mark.parametrize("response", ["The mill is 3 and the inn is 2.", "A 3, B 2"])
def test_a_label_keeps_its_own_number(response: str) -> None:
    reference = "the mill is 2<AND>the inn is 3" if "mill" in response else "A 2<AND>B 3"
    assert score("Which number is what?", reference, response) == 0.0


def test_words_of_two_sentences_are_not_one_statement() -> None:
    reference = "blue and green drums go up"
    question = "Which drums go up?"
    assert score(question, reference, "Green and red go down. Blue and pink go up.") == 0.0
    assert score(question, reference, "The green and the blue one.") == 1.0


def test_a_not_after_the_whole_statement_does_not_turn_it_round() -> None:
    reference = "the boat sank because its hull had struck a rock under the water"
    question = "Why are they in the water?"
    assert score(question, reference, f"{reference} and nobody had seen it") == 1.0
    assert score(question, reference, reference.replace("had", "had not")) == 0.0
    assert score(question, reference, f"{reference} (not a reef)") == 1.0


def test_a_statement_that_is_not_found_may_be_said_otherwise() -> None:
    statement = "the door was left open after supper"
    found = verdict("What happened?", statement, "Somebody forgot to shut the door.")
    assert found.score == 0.0
    assert (found.confidence or 1.0) < UNSURE
    assert (verdict("Which animal is it?", "cat", "A dog.").confidence or 0.0) >= 0.9
