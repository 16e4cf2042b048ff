"""The offline judge on units, currencies, dates, times, fractions, and on what is taken back."""

from __future__ import annotations

import pytest

from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.sample import Sample

RIGHT = [
    ("How warm is it?", "21°C", "It is 21 degrees Celsius."),
    ("How warm is it?", "39.5 °C", "39.5 degrees"),
    ("How warm is it?", "-5 degrees", "5 degrees below zero"),
    ("How fast is it?", "60 km/h", "Sixty kilometers per hour."),
    ("What does it cost?", "$3.50", "3.50 dollars"),
    ("What does it cost?", "$3.50", "3.50"),
    ("What does it cost?", "$3.50", "US$3.50"),
    ("What does it cost?", "1,250 euros", "€1250"),
    ("What date is it?", "March 13, 2021", "13/03/2021"),
    ("What date is it?", "2020-12-25", "12/25/2020"),
    ("What date is it?", "May 3, 2021", "the third of May 2021"),
    ("Which month?", "September", "Sep"),
    ("Which day?", "Wednesday", "Wed"),
    ("What time is it?", "3:45", "15 minutes to 4"),
    ("When does it leave?", "14:05", "five past two"),
    ("When does it leave?", "14:05", "14.05"),
    ("When does it close?", "noon", "at 12:00"),
    ("When does it close?", "12 am", "at midnight"),
    ("What is the chance?", "1/3", "33.3%"),
    ("What is the chance?", "1/3", "about 0.33"),
    ("How long was it?", "90 minutes", "an hour and a half"),
    ("How much is left?", "half a liter", "500 ml"),
    ("Are the lines parallel?", "yes", "They seem to be parallel."),
    ("Are the lines parallel?", "yes", "They are."),
    ("Which city is it?", "Washington, D.C.", "Washington DC"),
    ("In which order do they come?", "A, C, B", "A -> C -> B"),
    ("Is the door open?", "no", "It is not open."),
    ("Is the door open?", "no", "It isn't."),
    ("Can he reach the shelf?", "no", "He can't reach it."),
    ("Will the tower fall?", "yes", "It would fall."),
    ("How many birds are there?", "none", "There aren't any birds."),
]

WRONG = [
    ("How warm is it?", "21°C", "21 degrees Fahrenheit"),
    ("How warm is it?", "39.5 °C", "39.5 F"),
    ("How fast is it?", "60 km/h", "60 mph"),
    ("What does it cost?", "$3.50", "€3.50"),
    ("What does it cost?", "1,250 euros", "1250 dollars"),
    ("What date is it?", "March 3, 2021", "May 3, 2021"),
    ("What date is it?", "May 3, 2021", "March 3, 2021"),
    ("What date is it?", "March 4, 2021", "03/05/2021"),
    ("When does it close?", "noon", "midnight"),
    ("What is the chance?", "1/3", "0.3"),
    ("Are the lines parallel?", "yes", "They aren't."),
    ("What is x?", "x = 2", "x = 2 or x = 3"),
    ("Is there a dog?", "yes", "It is unclear whether there is a dog."),
    ("Which option is right?", "C", "C is wrong; B is right."),
    ("What is on the sofa?", "dog", "Everything but a dog."),
    ("What is on the sofa?", "dog", "A dog. Actually, no, it is a cat."),
]


def score(question: str, reference: str, response: str) -> float:
    return judge_locally(Sample("s", question, answer=reference), response, "mm-vet").score


@pytest.mark.parametrize(("question", "reference", "response"), RIGHT)
def test_the_same_in_another_notation_is_right(
    question: str, reference: str, response: str
) -> None:
    assert score(question, reference, response) == 1.0


@pytest.mark.parametrize(("question", "reference", "response"), WRONG)
def test_another_unit_date_or_statement_is_wrong(
    question: str, reference: str, response: str
) -> None:
    assert score(question, reference, response) == 0.0
