"""Our own benchmark format: every fault is told at once, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.native import load
from pytest_mmreason.benchmarks.validation import reference
from pytest_mmreason.errors import BenchmarkError
from pytest_mmreason.sample import ImageRef, Sample
from tests.support.benchmarks import sample, write_benchmark

MANIFEST = 'name = "made"\n'
GOOD = '{"id": "a", "question": "q"}\n'


def write(folder: Path, manifest: str = MANIFEST, samples: str = GOOD) -> Path:
    (folder / "benchmark.toml").write_text(manifest, encoding="utf-8")
    (folder / "samples.jsonl").write_text(samples, encoding="utf-8")
    return folder


def faults(folder: Path, manifest: str = MANIFEST, samples: str = GOOD) -> list[str]:
    with pytest.raises(BenchmarkError) as caught:
        load(write(folder, manifest, samples))
    assert caught.value.where == str(folder)
    assert all(fault in str(caught.value) for fault in caught.value.faults)
    return list(caught.value.faults)


def test_every_fault_is_listed_with_file_line_id_and_field(tmp_path: Path) -> None:
    rows = [
        '{"id": "a", "question": "q"}',
        '{"id": "a", "question": "q"}',
        '{"id": "b", "question": "q", "catgory": "x"}',
        '{"id": "c"}',
        '{"id": "d", "question": "q", "images": "a.png"}',
        '{"id": "e", "question": "q", "steps": ["one", 2]}',
        '{"id": "f", "question": "q", "tags": [""], "counter_intuitive": 1}',
        '{"id": "g", "question": "q"',
        '{"id": "h", "question": "q", "question": "r"}',
        '["i"]',
        '{"id": 7, "question": " "}',
        '{"question": "q", "answer": 3}',
        '{"id": "j", "question": "q", "category": null}',
        '{"id": "k", "question": "q", "answer": " \\n"}',
        '{"id": "l", "question": "q", "answer": "x<AND>"}',
        '{"id": "m", "question": "q", "answer": "x<OR> <OR>y"}',
    ]
    manifest = (
        'name = "made"\nprotocol = "mmvet"\nlicence = "MIT"\n[weights]\nhigh = 0\nlow = "1"\n'
    )
    found = faults(tmp_path, manifest, "\n".join(rows))
    assert found == [
        "benchmark.toml: unknown field 'licence'. Did you mean 'license'?",
        "benchmark.toml: weights.high is 0, not a number above 0",
        "benchmark.toml: weights.low is '1', not a number above 0",
        "benchmark.toml: unknown protocol 'mmvet'. Did you mean 'mm-vet'?",
        "samples.jsonl:2: id 'a': field id: the same as in line 1",
        "samples.jsonl:3: id \"b\": field catgory: unknown. Did you mean 'category'?",
        'samples.jsonl:4: id "c": field question: missing',
        'samples.jsonl:5: id "d": field images: is "a.png", not a list of strings',
        'samples.jsonl:6: id "e": field steps: [1] is 2, not a non-empty string',
        'samples.jsonl:7: id "f": field counter_intuitive: is 1, not true or false',
        'samples.jsonl:7: id "f": field tags: [0] is "", not a non-empty string',
        "samples.jsonl:8: not JSON: Expecting ',' delimiter at column 28",
        "samples.jsonl:9: not JSON: field given twice: question",
        "samples.jsonl:10: a sample is a JSON object, not list",
        "samples.jsonl:11: id 7: field id: is 7, not a string",
        "samples.jsonl:11: id 7: field question: is empty",
        "samples.jsonl:12: field id: missing",
        "samples.jsonl:12: field answer: is 3, not a string or null",
        'samples.jsonl:13: id "j": field category: is null, not a string',
        'samples.jsonl:14: id "k": field answer: is empty; null says that there is no reference',
        'samples.jsonl:15: id "l": field answer: is "x<AND>": nothing stands on one side of an '
        "<AND> or <OR>",
        'samples.jsonl:16: id "m": field answer: is "x<OR> <OR>y": nothing stands on one side of '
        "an <AND> or <OR>",
    ]


@pytest.mark.parametrize(
    "manifest, fault",
    [
        ("name = ", "benchmark.toml: Invalid value (at end of document)"),
        ("", "benchmark.toml: name is missing"),
        ("name = 3", "benchmark.toml: name is int, not a string"),
        ('name = "a=b"', "benchmark.toml: name 'a=b' holds ':', '=' or a line break"),
        ('name = "a"\nweights = 2', "benchmark.toml: weights is int, not a table"),
        ('name = "a"\n[weights]\nhigh = nan', "weights.high is nan, not a number above 0"),
        ('name = "a"\n[weights]\nhigh = true', "weights.high is True, not a number above 0"),
        ('name = "a"\nsamples = "../x.jsonl"', "samples '../x.jsonl' lies outside the folder"),
        ('name = "a"\nsamples = "/x.jsonl"', "samples '/x.jsonl' lies outside the folder"),
        ('name = "a"\nsamples = ""', "benchmark.toml: samples is empty"),
        ('name = "a"\nsamples = "gone.jsonl"', "gone.jsonl: no such file in /"),
    ],
)
def test_manifest_faults_name_the_file_and_field(tmp_path: Path, manifest: str, fault: str) -> None:
    found = faults(tmp_path, manifest)
    assert any(fault in line for line in found), found


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_benchmark_without_samples_is_a_fault(tmp_path: Path, content: str) -> None:
    assert faults(tmp_path, samples=content) == ["samples.jsonl: holds no sample"]


def test_missing_folder_and_missing_manifest_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="no such folder"):
        load(tmp_path / "gone")
    with pytest.raises(BenchmarkError, match=r"no benchmark\.toml in it"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe{}", b'{"id": "\xe9"}'])
def test_file_that_is_no_utf8_is_a_fault(tmp_path: Path, content: bytes) -> None:
    write(tmp_path)
    (tmp_path / "samples.jsonl").write_bytes(content)
    with pytest.raises(BenchmarkError, match=r"samples\.jsonl: 'utf-8' codec can't decode"):
        load(tmp_path)


def test_everything_but_id_and_question_has_a_default(tmp_path: Path) -> None:
    (only,) = load(write(tmp_path)).samples
    assert only == Sample("a", "q", benchmark="made")
    assert only.answer is None and only.images == () and only.weight == 1.0


def test_every_field_arrives(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "question": "q",
        "images": ["images/a b.png", "c.png"],
        "answer": "r",
        "steps": ["one", "two"],
        "category": "deductive",
        "complexity": "high",
        "counter_intuitive": True,
        "capabilities": ["rec", "ocr", "rec"],
        "tags": ["x"],
    }
    (only,) = load(write(tmp_path, samples=json.dumps(row))).samples
    assert only == Sample(
        "a",
        "q",
        images=(ImageRef("images/a b.png", str(tmp_path)), ImageRef("c.png", str(tmp_path))),
        answer="r",
        steps=("one", "two"),
        category="deductive",
        complexity="high",
        counter_intuitive=True,
        capabilities=("rec", "ocr"),
        tags=("x",),
        benchmark="made",
        weight=2.0,
    )


def test_null_answer_means_unreferenced(tmp_path: Path) -> None:
    (only,) = load(write(tmp_path, samples='{"id": "a", "question": "q", "answer": null}')).samples
    assert only.answer is None


def test_byte_order_marks_and_crlf_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, "\ufeffname = 'made'\r\n", "\ufeff" + GOOD.replace("\n", "\r\n"))
    assert [s.id for s in load(tmp_path).samples] == ["a"]


@pytest.mark.parametrize("text", ["猫はどこ？", "سؤال", "a\u2028b\u2029c\u0085d", "\ud800"])
def test_any_text_stays_whole(tmp_path: Path, text: str) -> None:
    line = json.dumps({"id": text, "question": text}, ensure_ascii="\ud800" in text)
    (only,) = load(write(tmp_path, samples=line)).samples
    assert (only.id, only.question) == (text, text)


def weights(folder: Path, **options: Any) -> dict[str, float]:
    rows = [sample(0), sample(1), sample(2, complexity="low")]
    found = load(write_benchmark(folder, rows, **options))
    return {s.complexity: s.weight for s in found.samples}


def test_high_counts_twice_unless_the_manifest_says_otherwise(tmp_path: Path) -> None:
    assert weights(tmp_path / "a") == {"moderate": 1.0, "high": 2.0, "low": 1.0}
    assert set(weights(tmp_path / "b", protocol="mm-vet").values()) == {1.0}
    own = weights(tmp_path / "c", weights={"high": 3, "low": 0.5})
    assert own == {"moderate": 1.0, "high": 3.0, "low": 0.5}


def made(folder: Path, rows: list[dict[str, Any]] | None = None, **options: Any) -> Benchmark:
    return load(write_benchmark(folder, rows or [sample(0), sample(1)], **options))


def test_fingerprint_does_not_hang_on_the_folder_or_the_name(tmp_path: Path) -> None:
    first = made(tmp_path / "a")
    assert len(first.fingerprint) == 12
    assert made(tmp_path / "b").fingerprint == first.fingerprint
    assert load(tmp_path / "a", "renamed").fingerprint == first.fingerprint
    assert load(tmp_path / "a", "renamed").samples[0].benchmark == "renamed"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "s9"},
        {"question": "What is number 0 ?"},
        {"images": ["a.png"]},
        {"answer": None},
        {"steps": ["look at thing0"]},
        {"category": "abductive"},
        {"complexity": "high"},
        {"counter_intuitive": True},
        {"capabilities": []},
        {"tags": ["x"]},
    ],
)
def test_any_changed_field_changes_the_fingerprint(tmp_path: Path, changes: dict[str, Any]) -> None:
    changed = made(tmp_path / "b", [sample(0, **changes), sample(1)])
    assert changed.fingerprint != made(tmp_path / "a").fingerprint


def test_order_protocol_and_weights_change_the_fingerprint(tmp_path: Path) -> None:
    found = {
        made(tmp_path / "a").fingerprint,
        made(tmp_path / "b", [sample(1), sample(0)]).fingerprint,
        made(tmp_path / "c", protocol="mm-vet").fingerprint,
        made(tmp_path / "d", weights={"high": 3}).fingerprint,
    }
    assert len(found) == 4


def test_complexity_that_is_nearly_one_of_the_weights_is_told_with_it(tmp_path: Path) -> None:
    row = '{"id": "a", "question": "q", "complexity": "High"}\n'
    note, _ = load(write(tmp_path, samples=row)).notes
    assert note.endswith("has no weight in [weights]; it counts 1. Did you mean 'high'?")
    row = row.replace("High", "severe")
    note, _ = load(write(tmp_path, samples=row)).notes
    assert note.endswith("it counts 1")


@pytest.mark.parametrize("answer", ["", "  ", "<AND>", "<OR> <AND>"])
def test_blank_reference_is_none_to_judge_by(answer: str) -> None:
    assert "is empty" in str(reference(answer))
    assert reference(None) is None and reference("a cat") is None
