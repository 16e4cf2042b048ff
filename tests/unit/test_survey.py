"""What a survey counts, and what it finds: each check with what it must and must not call."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from _pytest._io import TerminalWriter

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.inspection import Inspected, inspect
from pytest_mmreason.benchmarks.survey import FAULT, REMARK, Finding, Survey, count, survey
from pytest_mmreason.benchmarks.tsv import choices
from pytest_mmreason.reports.survey import SurveyPrinter
from pytest_mmreason.sample import ImageRef, Sample
from tests.support.official import picture


def sample(number: int, **fields: Any) -> Sample:
    """A sample that no check has anything to say of."""
    values: dict[str, Any] = {
        "question": f"What follows from sign {number}?",
        "answer": f"the {number}th door",
        "images": (ImageRef(f"{number}.png", "root"),),
    }
    return Sample(f"s{number}", **{**values, **fields})


def surveyed(
    *samples: Sample, images: Mapping[ImageRef, Inspected] | None = None
) -> tuple[Finding, ...]:
    benchmark = Benchmark("made", "mm-vet", samples, file="made.jsonl")
    return survey(benchmark, "DIR", images).findings


def told(found: tuple[Finding, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(finding.level, finding.check, finding.samples) for finding in found]


def test_nothing_is_found_in_a_good_benchmark() -> None:
    assert surveyed(*map(sample, range(5))) == ()


def test_counts() -> None:
    a, b, c = (ImageRef(name, "r") for name in "abc")
    made = [
        Sample(
            "1", "q", (a, b), "x<AND>y", ("s",) * 3, "ded", "high", True, ("ocr", "rec"), weight=2
        ),
        Sample("2", "q", (a,), "x<OR>y\nz", ("s",), "ded", "moderate", capabilities=("rec",)),
        Sample("3", "q", (c,), None, (), "abd", "moderate", tags=("t", "t")),
        Sample("4", "q", (), "x", (), capabilities=("rec", "ocr")),
    ]
    assert list(count(made)["complexities"]) == ["moderate", "high"]
    assert count(made) == {
        "samples": 4,
        "weight": 5.0,
        "referenced": 3,
        "unreferenced": 1,
        "multi_image": 1,
        "counter_intuitive": 1,
        "images": 3,
        "shared_images": 1,
        "multi_line_answers": 1,
        "and_answers": 1,
        "or_answers": 1,
        "categories": {"ded": 2, "abd": 1},
        "complexities": {"high": 1, "moderate": 2},
        "cells": {"ded/high": 1, "ded/moderate": 1, "abd/moderate": 1},
        "weights": {"ded": 3.0, "abd": 1.0},
        "steps": {"0": 1, "1": 1, "3": 1},
        "images_per_sample": {"0": 1, "1": 2, "2": 1},
        "capabilities": {"rec": 3, "ocr": 2},
        "integrations": {"ocr+rec": 2, "rec_only": 1},
        "tags": {"t": 1},
    }


def test_unreferenced_samples_are_one_remark() -> None:
    found = surveyed(sample(1, answer=None), sample(2), sample(3, answer=None))
    assert told(found) == [(REMARK, "unreferenced", ("s1", "s3"))]
    assert found[0].file == "made.jsonl"


@pytest.mark.parametrize("answer", ["", " \n", "a<OR>", "<AND>a", "a<OR> <OR>b"])
def test_answer_that_says_nothing_is_a_fault(answer: str) -> None:
    assert told(surveyed(sample(1, answer=answer), sample(2))) == [(FAULT, "empty", ("s1",))]


@pytest.mark.parametrize(
    ("field", "value"),
    [("category", "ded"), ("complexity", "hard"), ("capabilities", ("rec",))],
)
def test_field_that_only_some_samples_have_is_a_remark(field: str, value: Any) -> None:
    found = surveyed(sample(1, **{field: value}), sample(2), sample(3, **{field: value}))
    assert told(found) == [(REMARK, "empty", ("s2",))]
    assert f"no {field}" in found[0].text
    assert told(surveyed(sample(1, images=()), sample(2))) == [(REMARK, "empty", ("s1",))]


QUESTION = "Which of the three red houses beside the long river has more windows than the old one?"
NEARLY = QUESTION.replace("river", "road")


def test_question_asked_twice_of_the_same_images_is_a_fault() -> None:
    shared = (ImageRef("a.png", "root"),)
    found = surveyed(
        sample(1, question=QUESTION, images=shared),
        sample(2, question=QUESTION.upper(), images=shared),
        sample(3),
    )
    assert told(found) == [(FAULT, "duplicate sample", ("s1", "s2"))]


def test_question_asked_nearly_twice_of_the_same_images_is_a_remark() -> None:
    shared = (ImageRef("a.png", "root"),)
    found = surveyed(
        sample(1, question=QUESTION, images=shared), sample(2, question=NEARLY, images=shared)
    )
    assert told(found) == [(REMARK, "like questions", ("s1", "s2"))]
    assert "nearly the same question about the same images (0.8" in found[0].text


def test_question_asked_of_different_images_is_a_remark() -> None:
    found = surveyed(sample(1, question=QUESTION), sample(2, question=QUESTION))
    assert told(found) == [(REMARK, "like questions", ("s1", "s2"))]
    assert found[0].text.startswith("the same question about different images (1.00)")
    (near,) = surveyed(sample(1, question=QUESTION), sample(2, question=NEARLY))
    assert near.text.startswith("nearly the same question about different images (0.8")


def test_options_are_compared_and_what_ends_every_such_question_is_not() -> None:
    shared = (ImageRef("a.png", "root"),)
    first, second = (
        sample(
            n, question=choices(f"Which {what}?", {"A": "yes", "B": "no"}, None)[0], images=shared
        )
        for n, what in enumerate(["animal", "colour"])
    )
    assert surveyed(first, second) == ()
    assert told(surveyed(first, sample(3, question=first.question, images=shared))) == [
        (FAULT, "duplicate sample", ("s0", "s3"))
    ]


def test_images_are_the_same_by_content_where_it_is_known() -> None:
    samples = sample(1, question=QUESTION), sample(2, question=QUESTION)
    images = {s.images[0]: Inspected(sha256="same", size=(50, 50), sent=(50, 50)) for s in samples}
    found = surveyed(*samples, images=images)
    assert told(found) == [
        (REMARK, "duplicate image", ("s1", "s2")),
        (FAULT, "duplicate sample", ("s1", "s2")),
    ]
    assert found[0].text == "the same image under 2 names: 1.png, 2.png"


def test_image_that_many_samples_have_is_no_finding() -> None:
    shared = (ImageRef("a.png", "root"),)
    images = {shared[0]: Inspected(sha256="x", size=(50, 50), sent=(50, 50))}
    assert surveyed(sample(1, images=shared), sample(2, images=shared), images=images) == ()


def test_image_listed_twice_is_a_remark() -> None:
    found = surveyed(sample(1, images=(ImageRef("a.png", "r"),) * 2), sample(2))
    assert told(found) == [(REMARK, "repeated image", ("s1",))]


@pytest.mark.parametrize(
    ("question", "answer", "is_given"),
    [
        ("Is the blue house the tallest?", "the blue house", True),
        ("Is the blue house the tallest?", "a tree<OR>Blue House!", True),
        ("Is the blue house near the red car?", "red car<AND>blue house", True),
        ("Is the blue house near the red car?", "red car<AND>a dog", False),
        ("Is the bluehouse the tallest?", "blue", False),
        ("Is it the blue house or the red one?", "the blue house", False),
        ("Which one? Options: cat, dog", "dog", False),
        ("Question: Which?\nOptions:\nA. cat\nB. dog\nPlease choose.", "B. dog<OR>B<OR>dog", False),
        ("Is there a yes on sign 3?", "yes", False),
        ("What is 3 + 3?", "3", False),
        ("Is this a house?", None, False),
    ],
)
def test_answers_that_the_question_gives_away(
    question: str, answer: str | None, is_given: bool
) -> None:
    found = [
        f
        for f in surveyed(sample(1, question=question, answer=answer))
        if f.check != "unreferenced"
    ]
    assert told(tuple(found)) == ([(REMARK, "given away", ("s1",))] if is_given else [])


def test_too_few_steps_for_the_complexity_are_remarks() -> None:
    def steps(number: int, many: int, complexity: str, **fields: Any) -> Sample:
        return sample(number, steps=("s",) * many, complexity=complexity, **fields)

    found = surveyed(
        steps(1, 2, "moderate"),
        steps(2, 1, "moderate"),
        steps(3, 3, "high"),
        steps(4, 2, "high"),
        steps(5, 2, "high"),
        steps(6, 0, "easy"),
        steps(7, 0, "high", answer=None),
    )
    assert told(found)[:3] == [
        (REMARK, "few steps", ("s2",)),
        (REMARK, "few steps", ("s4", "s5")),
        (REMARK, "few steps", ("s6",)),
    ]
    assert found[1].text == "2 steps; at least 3 are expected of high complexity"
    assert found[2].text == "0 steps, where other samples have some"
    assert surveyed(sample(1, complexity="high"), sample(2, complexity="high")) == ()


def test_values_that_are_nearly_others_are_asked_about() -> None:
    many = [sample(n, category="spatial", capabilities=("rec", "ocr")) for n in range(5)]
    found = surveyed(
        *many,
        sample(5, category="Spacial", capabilities=("rec", "ocrs")),
        sample(6, category="deductiv", tags=("part 1",), capabilities=("maths",)),
        sample(7, category="abductive", tags=("part 2",), capabilities=("math",)),
        sample(8, category="deductive", capabilities=("REC",), complexity="hgih"),
    )
    near = [(one.check, one.samples, one.text) for one in found if one.check == "near value"]
    assert near == [
        ("near value", ("s5",), "category 'Spacial' is nearly 'spatial': is that meant?"),
        ("near value", ("s6",), "category 'deductiv' is nearly 'deductive': is that meant?"),
        ("near value", ("s8",), "complexity 'hgih' is nearly 'high': is that meant?"),
        ("near value", ("s5",), "capability 'ocrs' is nearly 'ocr': is that meant?"),
        ("near value", ("s6",), "capability 'maths' is nearly 'math': is that meant?"),
        ("near value", ("s8",), "capability 'REC' is nearly 'rec': is that meant?"),
    ]


def test_images_are_opened_as_a_run_opens_them(tmp_path: Path) -> None:
    content = {
        "good.png": picture("red", (40, 40)),
        "same.png": picture("red", (40, 40)),
        "tiny.png": picture("red", (31, 200)),
        "text.png": b"no picture",
        "half.png": picture("red", (40, 40))[:60],
        "empty.png": b"",
    }
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    names = [*content, "gone.png", "../out.png", "good.png"]
    samples = [sample(n, images=(ImageRef(name, str(tmp_path)),)) for n, name in enumerate(names)]
    images = dict(inspect(samples))
    assert len(images) == len(names) - 1
    found = surveyed(*samples, images=images)
    assert {(f.level, f.check, f.file) for f in found} == {
        (REMARK, "duplicate image", "good.png"),
        (REMARK, "tiny image", "tiny.png"),
        *((FAULT, "image", name) for name in ("text.png", "half.png", "empty.png")),
        *((FAULT, "image", name) for name in ("gone.png", "../out.png")),
    }
    (duplicate,) = [f for f in found if f.check == "duplicate image"]
    assert duplicate.samples == ("s0", "s8", "s1")


def test_image_that_a_run_would_shrink_is_a_remark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = ImageRef("large.png", "root")
    known = Inspected(sha256="x", bytes=20_000_000, size=(9000, 9000), sent=(5000, 5000))
    found = surveyed(sample(1, images=(image,)), images={image: known})
    assert told(found) == [(REMARK, "huge image", ("s1",))]
    assert "9000 × 9000 pixels, 20.0 MB: a run sends it smaller" in found[0].text


def test_survey_is_json_and_the_same_every_time() -> None:
    benchmark = Benchmark("made", "mm-vet", (sample(1, answer=None), sample(2)), file="f")
    one, other = (json.dumps(survey(benchmark, "DIR").to_json()) for _ in range(2))
    assert one == other
    content = json.loads(one)
    assert content["benchmark"] == "DIR" and content["faults"] == []
    assert content["remarks"] == [
        {
            "level": "remark",
            "check": "unreferenced",
            "samples": ["s1"],
            "file": "f",
            "text": "no reference answer: the responses are collected and not judged",
        }
    ]
    assert isinstance(survey(benchmark, "DIR"), Survey)


def test_lines_are_folded_at_blanks_only(capsys: pytest.CaptureFixture[str]) -> None:
    path = f"/some-where/{'mm-vet-' * 9}data"
    found = Survey(path, notes=tuple(f"{'x' * n} {path} --mm-corrections=off" for n in range(9)))
    writer = TerminalWriter(sys.stdout)
    writer.fullwidth = 60
    SurveyPrinter(writer).survey(found)
    out = capsys.readouterr().out
    notes = out.partition("note:")[2]
    assert notes.count(path) == 9 and notes.count("--mm-corrections=off") == 9
