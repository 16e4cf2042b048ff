"""Recorded answers, in each of the forms in which people have them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.errors import MissingPrediction, UsageError
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.models.replay import ReplayModel
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Record


def made(path: Path, content: str | list[dict[str, Any]] | dict[str, str]) -> ReplayModel:
    """A recording of text, of JSON lines, or of an object."""
    if isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    elif isinstance(content, dict):
        content = json.dumps(content)
    path = path / "answers.json"
    path.write_text(content, encoding="utf-8")
    return ReplayModel(path, "replay:answers.json")


def answer(model: ReplayModel, sample: str, repeat: int = 0, benchmark: str = "b") -> Response:
    request = Request(Prompt.of("q"), sample=sample, repeat=repeat, benchmark=benchmark)
    return asyncio.run(model.generate(request))


def record(sample: str, response: str | None, **fields: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"status": "scored", "repeat": 0, "benchmark": "b", **fields}
    made = Record(sample=sample, model="m", judge="j", prompt="direct", response=response, **values)
    found: dict[str, Any] = json.loads(made.to_json())
    return found


def test_submission_form_is_an_object_of_ids_and_texts(tmp_path: Path) -> None:
    model = made(tmp_path, {"v1_0": "a", "猫": "<think>hm</think>b", "c": ""})
    assert isinstance(model, ModelAdapter)
    assert answer(model, "v1_0") == Response("a")
    assert answer(model, "猫", repeat=3).answer == "b"
    assert answer(model, "c").text == ""


def test_an_object_may_run_over_many_lines_and_begin_with_a_mark(tmp_path: Path) -> None:
    text = "\ufeff" + json.dumps({"a": "x", "b": "y"}, indent=2)
    assert answer(made(tmp_path, text), "b").text == "y"


def test_llavas_answers_are_found_by_the_number_of_an_mm_vet_id(tmp_path: Path) -> None:
    rows = [{"question_id": n, "prompt": "q", "text": f"a{n}", "model_id": "m"} for n in (0, 12)]
    model = made(tmp_path, rows)
    assert answer(model, "v1_12").text == "a12"
    assert answer(model, "v2_0").text == "a0"
    assert answer(model, "12").text == "a12"
    for other in ("x_12", "v1_12b", "sample_0", "v1_1"):
        with pytest.raises(MissingPrediction):
            answer(model, other)


def test_numbers_in_an_object_are_not_taken_for_llavas(tmp_path: Path) -> None:
    with pytest.raises(MissingPrediction):
        answer(made(tmp_path, {"12": "a"}), "v1_12")


def test_own_results_are_found_by_benchmark_sample_and_repeat(tmp_path: Path) -> None:
    model = made(
        tmp_path,
        [
            record("a", "first"),
            record("a", "second", repeat=1, finish_reason="length"),
            record("a", "elsewhere", benchmark="other"),
            record("b", None, status="model_error"),
        ],
    )
    assert answer(model, "a").text == "first"
    assert answer(model, "a", 1) == Response("second", "length")
    assert answer(model, "a", benchmark="other").text == "elsewhere"
    assert answer(model, "a", 7, benchmark="renamed").text == "first"
    with pytest.raises(MissingPrediction):
        answer(model, "b")


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\u2029", "\x1c"])
def test_line_separators_within_an_answer_break_no_line(tmp_path: Path, separator: str) -> None:
    text = f"one{separator}two"
    line = json.dumps({"question_id": "a", "text": text}, ensure_ascii=separator == "\x1c")
    assert answer(made(tmp_path, line + "\r\n\r\n"), "a").text == text


def test_missing_answers_name_file_and_sample(tmp_path: Path) -> None:
    with pytest.raises(MissingPrediction, match=r"answers\.json holds no answer for 'v1_9'"):
        answer(made(tmp_path, {"v1_0": "a"}), "v1_9")


def test_answers_to_nothing_are_told(tmp_path: Path) -> None:
    model = made(tmp_path, {"v1_0": "a", "zz": "b", "yy": "c"})
    assert model.unknown(["v1_0", "v1_1"]) == ["yy", "zz"]


def test_llavas_numbers_are_known_by_their_samples(tmp_path: Path) -> None:
    model = made(tmp_path, [{"question_id": n, "text": "a"} for n in (0, 12, 99)])
    assert model.unknown(["v1_0", "v1_12"]) == ["99"]


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "the file holds none"),
        ("{}", "the file holds none"),
        ("\n\n", "the file holds none"),
        ('{"a": 1}', "the answer of 'a' is 1, not text"),
        ('{"a": null}', "the answer of 'a' is null, not text"),
        ('{"a": "x", "a": "y"}', "two different answers to 'a'"),
        ("[1]", ":1: a line holds question_id and text"),
        ('"a"', ":1: a line holds question_id and text"),
        ("not json", ":1: neither a JSON object id -> text nor JSON lines"),
        ('{"question_id": 1, "text": "a"}\n{"question_id": 2}', ":2: the answer of 2 is null"),
        ('{"question_id": 1, "text": "a"}\n{"a": "b"}', ":2: a line holds question_id and text"),
        ('{"question_id": 1, "text": "a"}\n{"question_id"', ":2: neither a JSON object"),
        (
            '{"question_id": 1, "text": "a"}\n{"question_id": 1, "text": "b"}',
            ":2: two different answers to '1'",
        ),
        ('{"sample": "a", "response": "x", "repeat": "two"}', ":1: repeat is 'two'"),
        (
            '{"sample": "a", "response": "x"}\n{"sample": "a", "response": "y"}',
            ":2: two different answers",
        ),
    ],
)
def test_bad_files_are_refused_with_file_and_line(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        made(tmp_path, content)
    assert words in str(caught.value)
    assert str(tmp_path / "answers.json") in str(caught.value)


@pytest.mark.parametrize("form", ["object", "llava"])
def test_every_answer_that_is_no_text_is_listed(tmp_path: Path, form: str) -> None:
    content = json.dumps({n: None if n % 2 else "x" for n in range(24)})
    if form == "llava":
        rows = [{"question_id": n, "text": None if n % 2 else "x"} for n in range(24)]
        content = "".join(f"{json.dumps(row)}\n" for row in rows)
    with pytest.raises(UsageError) as caught:
        made(tmp_path, content)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11 and lines[-1] == "and 2 more"
    assert all("is null, not text" in line for line in lines[:-1])


@pytest.mark.parametrize("content", [b"\xff\xfe", b'{"a": "\xe9"}'])
def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(UsageError, match="not UTF-8"):
        ReplayModel(tmp_path / "a.json", "r")


@pytest.mark.parametrize("name", ["gone.json", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="recorded answers"):
        ReplayModel(tmp_path / name, "r")


def test_identity_is_the_content(tmp_path: Path) -> None:
    first = made(tmp_path, {"a": "x"}).identity
    assert made(tmp_path, {"a": "x"}).identity == first
    assert made(tmp_path, {"a": "y"}).identity != first
