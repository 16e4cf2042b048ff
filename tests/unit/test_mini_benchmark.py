"""The bundled mini benchmark is what its datasheet says, checked from the files alone."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

MINI = Path(__file__).parents[2] / "benchmarks" / "mini"
SAMPLES: list[dict[str, Any]] = [
    json.loads(line) for line in (MINI / "samples.jsonl").read_text(encoding="utf-8").splitlines()
]
IMAGES = sorted({image for sample in SAMPLES for image in sample["images"]})
FIELDS = {
    "id": str,
    "question": str,
    "images": list,
    "answer": str,
    "steps": list,
    "category": str,
    "complexity": str,
    "counter_intuitive": bool,
    "capabilities": list,
    "tags": list,
}
LONGEST_FILE = 30_000

by_id = pytest.mark.parametrize("sample", SAMPLES, ids=[sample["id"] for sample in SAMPLES])


def test_manifest() -> None:
    manifest = tomllib.loads((MINI / "benchmark.toml").read_text(encoding="utf-8"))
    assert manifest == {
        "name": "mini",
        "version": "1",
        "protocol": "infimm-eval",
        "license": "CC0-1.0",
        "source": "original, drawn by draw.py",
        "samples": "samples.jsonl",
        "weights": {"moderate": 1, "high": 2},
    }


def test_every_cell_is_filled_alike() -> None:
    cells = Counter((sample["category"], sample["complexity"]) for sample in SAMPLES)
    assert cells == {
        (category, complexity): 4
        for category in ("deductive", "abductive", "analogical")
        for complexity in ("moderate", "high")
    }


def test_special_samples_are_counted() -> None:
    assert sum(sample["counter_intuitive"] for sample in SAMPLES) == 4
    assert sum(len(sample["images"]) > 1 for sample in SAMPLES) == 4
    tags = Counter(tag for sample in SAMPLES for tag in sample["tags"])
    assert tags.pop("shape_grid") == 8
    assert len(tags) == 16
    grids = {sample["category"] for sample in SAMPLES if "shape_grid" in sample["tags"]}
    assert len(grids) == 3


def test_ids_are_unique_and_no_answer_is_frequent() -> None:
    assert max(Counter(sample["id"] for sample in SAMPLES).values()) == 1
    assert max(Counter(sample["answer"].casefold() for sample in SAMPLES).values()) <= 2
    assert sum(sample["answer"].casefold() in ("yes", "no") for sample in SAMPLES) <= 2


@by_id
def test_sample_is_complete(sample: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in sample.items()} == FIELDS
    assert all(value != "" and value != [] for value in sample.values())
    assert sample["id"].isascii() and sample["id"].replace("-", "").isalnum()
    prefix = f"{sample['category'][:3]}-{sample['complexity'].removesuffix('erate')}-"
    assert sample["id"].startswith(prefix)
    assert 2 <= len(sample["steps"]) <= 6
    assert 1 <= len(sample["images"]) <= 3
    assert set(sample["capabilities"]) <= {"rec", "ocr", "know", "gen", "spat", "math"}
    texts = [sample["question"], sample["answer"], *sample["steps"]]
    assert all(isinstance(text, str) and text == text.strip() != "" for text in texts)


def test_images_are_those_that_samples_use() -> None:
    files = [f"images/{path.name}" for path in (MINI / "images").iterdir()]
    assert sorted(files) == IMAGES


@pytest.mark.parametrize("name", IMAGES)
def test_image_is_a_small_png(name: str) -> None:
    assert (MINI / name).stat().st_size <= LONGEST_FILE
    with Image.open(MINI / name) as image:
        image.load()
        assert image.format == "PNG"
        assert 384 <= max(image.size) <= 512


def test_recorded_answers_cover_every_sample() -> None:
    text = (MINI / "recorded" / "example-answers.json").read_text(encoding="utf-8")
    answers: dict[str, str] = json.loads(text)
    assert list(answers) == [sample["id"] for sample in SAMPLES]
    assert all(answer.strip() for answer in answers.values())


def graded() -> list[dict[str, Any]]:
    text = (MINI / "graded" / "mini.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_graded_answers_cover_every_sample_and_every_kind() -> None:
    rows = graded()
    per_sample = Counter(row["sample"] for row in rows)
    assert list(per_sample) == [sample["id"] for sample in SAMPLES]
    assert min(per_sample.values()) >= 4
    assert len({(row["sample"], row["answer"]) for row in rows}) == len(rows)
    assert all(row["why"].strip() and row["answer"].strip() for row in rows)


def test_readme_counts_the_graded_answers() -> None:
    kinds = Counter(row["kind"] for row in graded())
    readme = (MINI / "README.md").read_text(encoding="utf-8")
    assert f"{kinds.total()} answers" in readme
    for kind in ("right", "partial", "wrong", "hedged", "verbose"):
        assert f"`{kind}` ({kinds.pop(kind)})" in readme
    assert f"`adversarial` ({kinds.pop('adversarial')}:" in readme
    assert not kinds


def test_graded_scores_are_shares_of_steps_or_of_parts() -> None:
    steps = {sample["id"]: len(sample["steps"]) for sample in SAMPLES}
    for row in graded():
        halves = [n / (2 * steps[row["sample"]]) for n in range(2 * steps[row["sample"]] + 1)]
        shares = {round(share, 2) for share in [*halves, 1 / 2, 1 / 3, 2 / 3]}
        assert row["score"] in shares, row
        assert (row["kind"] == "right") <= (row["score"] == 1.0), row
        assert (row["kind"] == "wrong") <= (row["score"] == 0.0), row
        assert (row["kind"] == "partial") <= (0 < row["score"] < 1), row


def test_drawing_again_gives_the_committed_pictures(tmp_path: Path) -> None:
    # -B: a stray __pycache__ in the benchmark's folder would travel in the wheel.
    subprocess.run([sys.executable, "-B", MINI / "draw.py", tmp_path], check=True)
    drawn = sorted(f"images/{path.name}" for path in (tmp_path / "images").iterdir())
    assert drawn == IMAGES
    versions = [(root / "PILLOW_VERSION").read_text(encoding="utf-8") for root in (MINI, tmp_path)]
    for name in IMAGES:
        if versions[0] == versions[1]:
            assert (tmp_path / name).read_bytes() == (MINI / name).read_bytes(), name
        else:
            assert _difference(tmp_path / name, MINI / name) < 0.5, (
                f"{name}, drawn by {versions[1]}"
            )


def _difference(one: Path, other: Path) -> float:
    """Mean difference of two pictures, 0 to 255; another Pillow may shift an edge or a letter."""
    with Image.open(one) as first, Image.open(other) as second:
        assert first.size == second.size
        delta = ImageChops.difference(first.convert("RGB"), second.convert("RGB"))
        return max(ImageStat.Stat(delta).mean)
