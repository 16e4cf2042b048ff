"""Captions files: what they may look like, and what is said of their faults."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.captions import Captions, read
from pytest_mmreason.errors import DataError, UsageError
from pytest_mmreason.sample import ImageRef, Sample

ONE = Sample("s1", "q", (ImageRef("a.png", "/x"),), benchmark="made")
TWO = Sample("s2", "q", (ImageRef("b c.png", "/x"), ImageRef("a.png", "/x")), benchmark="made")
MADE = Benchmark("made", "infimm-eval", (ONE, TWO, Sample("s3", "q", benchmark="made")))
OTHER = Benchmark("other", "mm-vet", (Sample("s1", "q", ONE.images, benchmark="other"),))

ROWS = [
    {"sample": "s1", "image": "a.png", "caption": "A cat.\nIt sleeps. "},
    {"sample": "s2", "image": "a.png", "caption": "A cat."},
    {"sample": "s2", "image": "b c.png", "caption": "猫\u2028"},
]


def read_text(folder: Path, text: str, *benchmarks: Benchmark) -> Captions:
    path = folder / "caps.jsonl"
    path.write_text(text, encoding="utf-8")
    return read(path, benchmarks or (MADE,))


def lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def faults(folder: Path, text: str, *benchmarks: Benchmark) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_text(folder, text, *benchmarks)
    first, *found = str(caught.value).splitlines()
    assert first == f"--mm-images=captions={folder / 'caps.jsonl'}: the captions cannot be used"
    return [line.strip() for line in found]


def test_captions_are_found_by_sample_and_image_in_the_sample_s_order(tmp_path: Path) -> None:
    found = read_text(tmp_path, lines(*ROWS))
    assert found.of(ONE) == ("A cat.\nIt sleeps.",)
    assert found.of(TWO) == ("猫", "A cat.")
    assert found.of(MADE.samples[2]) == ()
    content = (tmp_path / "caps.jsonl").read_bytes()
    assert found.to_json() == {
        "name": "caps.jsonl",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"s1": "A cat.", "s2": ["A dog.", "A cat."]}),
        json.dumps({"s1": ["A cat."], "s2": {"a.png": "A cat.", "b c.png": "A dog."}}, indent=2),
        json.dumps({"s1": {"1": "A cat."}, "s2": {"2": "A cat.", "b c.png": "A dog."}}),
        "\ufeff"
        + lines(
            {"sample": "s1", "image": 1, "caption": "A cat.", "model": "m", "benchmark": "made"},
            {"sample": "s2", "image": 1, "caption": "A dog."},
            {"sample": "s2", "image": 2, "caption": "A cat."},
        ).replace("\n", "\r\n\r\n"),
    ],
)
def test_files_written_by_hand_may_take_shorter_forms(tmp_path: Path, text: str) -> None:
    found = read_text(tmp_path, text)
    assert (found.of(ONE), found.of(TWO)) == (("A cat.",), ("A dog.", "A cat."))


def test_one_line_is_a_file_too(tmp_path: Path) -> None:
    assert read_text(tmp_path, lines(ROWS[1])).of(
        TWO.__class__("s2", "q", ONE.images, benchmark="made")
    ) == ("A cat.",)


def test_rows_tell_the_benchmark_where_ids_are_those_of_several(tmp_path: Path) -> None:
    text = lines(
        {"benchmark": "made", "sample": "s1", "image": "a.png", "caption": "made's"},
        {"benchmark": "other", "sample": "s1", "image": "a.png", "caption": "other's"},
        {"benchmark": "third", "sample": "x", "image": "y", "caption": "not asked here"},
    )
    found = read_text(tmp_path, text, MADE, OTHER)
    assert (found.of(ONE), found.of(OTHER.samples[0])) == (("made's",), ("other's",))
    assert read_text(tmp_path, text).of(ONE) == ("made's",)
    both = read_text(tmp_path, lines(ROWS[0]), MADE, OTHER)
    assert both.of(ONE) == both.of(OTHER.samples[0])


def test_a_caption_that_is_not_there_is_told_when_its_sample_is_asked(tmp_path: Path) -> None:
    found = read_text(tmp_path, lines(ROWS[0], ROWS[1]))
    assert (found.lacking(ONE), found.lacking(TWO)) == ([], ["b c.png"])
    with pytest.raises(
        DataError, match=r"^caps.jsonl has no caption of image 'b c.png' of sample 's2'"
    ):
        found.of(TWO)


def test_every_fault_is_told_with_its_line(tmp_path: Path) -> None:
    text = lines(
        ROWS[0],
        {"sample": "s4", "image": "a.png", "caption": "x"},
        {"sample": "s2", "image": "c.png", "caption": "x"},
        {"sample": "s2", "image": 3, "caption": "x"},
        {"image": "a.png", "caption": "x"},
        {"sample": "s2", "caption": "x"},
        {"sample": "s2", "image": "a.png", "caption": None},
        {"sample": "s2", "image": "a.png", "caption": " \n"},
        {"sample": "s2", "image": "a.png", "caption": "x", "text": "y"},
        {"sample": "s1", "image": "a.png", "caption": "another"},
        ["s1"],
        {"sample": "s2", "image": True, "caption": "x"},
        {"sample": "s2", "image": "a.png", "caption": "x", "benchmark": 3},
    )
    assert faults(tmp_path, text + "no json\n") == [
        "caps.jsonl:2: no sample 's4' in made. Did you mean 's3' or 's2' or 's1'?",
        "caps.jsonl:3: sample 's2' has no image 'c.png'. Did you mean 'b c.png' or 'a.png'?",
        "caps.jsonl:4: sample 's2' has no image 3. Known: a.png, b c.png.",
        "caps.jsonl:5: field 'sample' is missing; an id is needed",
        "caps.jsonl:6: field 'image' is missing; an image's name or number is needed",
        "caps.jsonl:7: field 'caption' is None; a text is needed",
        "caps.jsonl:8: the caption is blank",
        "caps.jsonl:9: unknown field 'text'; known are benchmark, sample, image, caption, model",
        "caps.jsonl:10: another caption of image 'a.png' of sample 's1'",
        'caps.jsonl:11: a JSON object {"sample", "image", "caption"} is needed',
        "caps.jsonl:12: field 'image' is True; an image's name or number is needed",
        "caps.jsonl:13: field 'benchmark' is not a name",
        "caps.jsonl:14: no JSON: Expecting value: line 1 column 1 (char 0)",
    ]


def test_faults_of_a_file_without_lines_are_told_with_sample_and_image(tmp_path: Path) -> None:
    text = json.dumps({"s2": ["x"], "s1": ["x", "y"], "s9": "x", "s3": {"a": 4}})
    assert faults(tmp_path, text) == [
        "caps.jsonl: sample 's1': sample 's1' has no image 2. Known: a.png.",
        "caps.jsonl: sample 's9': no sample 's9' in made. Did you mean 's3' or 's2' or 's1'?",
        "caps.jsonl: sample 's3', image 'a': field 'caption' is 4; a text is needed",
    ]


def test_a_key_that_comes_twice_in_an_object_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, '{"s1": "A cat.", "s3": [],\n "s1": "A dog."}') == [
        "caps.jsonl: 's1' is given twice in one object"
    ]
    assert faults(tmp_path, '{"s2": {"a.png": "A cat.", "a.png": "A dog."}}') == [
        "caps.jsonl: 'a.png' is given twice in one object"
    ]
    line = '{"sample": "s1", "image": 1, "caption": "A cat.", "caption": "A dog."}\n'
    assert faults(tmp_path, line) == ["caps.jsonl:1: 'caption' is given twice"]


def test_a_number_is_a_name_where_an_image_has_it(tmp_path: Path) -> None:
    images = (ImageRef("2", "/x"), ImageRef("a", "/x"))
    numbered = Sample("n", "q", images, benchmark="made")
    text = json.dumps({"n": {"2": "The two.", "a": "Other."}})
    found = read_text(tmp_path, text, Benchmark("made", "infimm-eval", (numbered,)))
    assert found.of(numbered) == ("The two.", "Other.")


def test_of_many_faults_the_first_are_told(tmp_path: Path) -> None:
    found = faults(tmp_path, "x\n" * 50)
    assert len(found) == 21 and found[-1] == "and 30 more"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"captions=.*gone: the file cannot be read: No such file"):
        read(tmp_path / "gone", [MADE])
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read: 'utf-8' codec"):
        read(tmp_path / "x", [MADE])
