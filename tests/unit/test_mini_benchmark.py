"""The bundled mini benchmark is what its datasheet says, checked from the files alone."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from html import escape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.inspection import inspect
from pytest_mmreason.benchmarks.survey import survey
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.judges.normalise import words
from pytest_mmreason.scoring import weighted_score

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
CATEGORIES = ("deductive", "abductive", "analogical")
CAPABILITIES = ("rec", "ocr", "know", "gen", "spat", "math")
LARGEST_FILE = 30_000
"""Bytes of a picture."""

BENCHMARK = native.load(MINI)
SURVEY = survey(BENCHMARK, "mini", dict(inspect(BENCHMARK.samples)))

by_id = pytest.mark.parametrize("sample", SAMPLES, ids=[sample["id"] for sample in SAMPLES])


def share(number: int) -> float:
    return number / len(SAMPLES)


def test_manifest() -> None:
    manifest = tomllib.loads((MINI / "benchmark.toml").read_text(encoding="utf-8"))
    assert manifest.pop("version").isdecimal()
    assert manifest == {
        "name": "mini",
        "protocol": "infimm-eval",
        "license": "CC0-1.0",
        "source": "original, drawn by draw.py",
        "samples": "samples.jsonl",
        "weights": {"moderate": 1, "high": 2},
    }


def test_nothing_is_to_be_remarked() -> None:
    assert not SURVEY.findings, "\n".join(f"{f.samples}: {f.text}" for f in SURVEY.findings)


@pytest.mark.parametrize(
    ("category", "fewest"), [("deductive", 70), ("abductive", 40), ("analogical", 40)]
)
def test_category_is_large_enough(category: str, fewest: int) -> None:
    assert SURVEY.counts["categories"][category] >= fewest
    assert tuple(SURVEY.counts["categories"]) == CATEGORIES


def test_about_two_in_five_are_of_high_complexity() -> None:
    assert SURVEY.counts["complexities"].keys() == {"moderate", "high"}
    assert 0.35 <= share(SURVEY.counts["complexities"]["high"]) <= 0.45


def test_enough_samples_have_a_wrong_answer_that_is_obvious() -> None:
    assert SURVEY.counts["counter_intuitive"] >= 25


def test_enough_samples_have_several_pictures() -> None:
    numbers = {
        int(number): samples for number, samples in SURVEY.counts["images_per_sample"].items()
    }
    assert set(numbers) <= set(range(1, 6))
    assert sum(samples for number, samples in numbers.items() if number >= 2) >= 30


def test_most_answers_take_three_steps_or_more() -> None:
    steps = {int(number): samples for number, samples in SURVEY.counts["steps"].items()}
    assert share(sum(samples for number, samples in steps.items() if number >= 3)) >= 0.75


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_capability_is_needed_often_enough(capability: str) -> None:
    assert SURVEY.counts["capabilities"][capability] >= 20


def test_there_are_many_kinds_of_scene() -> None:
    assert all(len(sample["tags"]) == 1 for sample in SAMPLES)
    assert len(SURVEY.counts["tags"]) >= 20


def test_the_bundled_model_knows_a_part_of_every_category() -> None:
    grids = Counter(s["category"] for s in SAMPLES if "shape_grid" in s["tags"])
    assert grids.total() >= 30
    assert min(grids[category] for category in CATEGORIES) >= 8


# Guessing --------------------------------------------------------------------------------------


def wordings(answer: str) -> set[tuple[str, ...]]:
    """Each of the equally good answers, as the words that the judge compares."""
    return {words(one).tokens for one in answer.split("<OR>")}


def givers() -> dict[tuple[str, ...], list[str]]:
    """Each answer with the ids of the samples for which it is right, the most frequent first."""
    found: dict[tuple[str, ...], list[str]] = {}
    for sample in SAMPLES:
        for wording in wordings(sample["answer"]):
            found.setdefault(wording, []).append(sample["id"])
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def test_ids_are_unique() -> None:
    assert max(Counter(sample["id"] for sample in SAMPLES).values()) == 1


def test_no_answer_is_frequent() -> None:
    assert {wording: ids for wording, ids in givers().items() if len(ids) > 4} == {}


def test_few_questions_are_answered_by_yes_or_no() -> None:
    decided = [
        sample["id"]
        for sample in SAMPLES
        if any(wording[:1] in (("yes",), ("no",)) for wording in wordings(sample["answer"]))
    ]
    assert share(len(decided)) <= 0.1, decided


@pytest.mark.parametrize("group", ["category", "complexity", "protocol"])
def test_the_most_frequent_answers_earn_next_to_nothing(group: str) -> None:
    """Each sample gets an answer that is frequent in its group; the protocol is one for all."""
    frequent: dict[str, Counter[str]] = defaultdict(Counter)
    of = {sample.id: getattr(sample, group, BENCHMARK.protocol) for sample in BENCHMARK.samples}
    for sample in BENCHMARK.samples:
        for answer in (sample.answer or "").split("<OR>"):
            frequent[of[sample.id]][answer.strip().casefold().replace("<and>", " and ")] += 1
    ranked = {name: [answer for answer, _ in f.most_common(5)] for name, f in frequent.items()}
    for rank in range(5):
        scores = [
            (s.weight, judge_locally(s, ranked[of[s.id]][rank], BENCHMARK.protocol).score)
            for s in BENCHMARK.samples
        ]
        earned = weighted_score(scores)
        assert earned is not None and earned < 5, {
            name: answers[rank] for name, answers in ranked.items()
        }


# Every sample ----------------------------------------------------------------------------------


@by_id
def test_sample_is_complete(sample: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in sample.items()} == FIELDS
    assert all(value != "" and value != [] for value in sample.values())
    assert sample["id"].isascii() and sample["id"].replace("-", "").isalnum()
    prefix = f"{sample['category'][:3]}-{sample['complexity'].removesuffix('erate')}-"
    assert sample["id"].startswith(prefix)
    assert 2 <= len(sample["steps"]) <= 6
    assert 1 <= len(sample["images"]) <= 5
    assert set(sample["capabilities"]) <= set(CAPABILITIES)
    texts = [sample["question"], sample["answer"], *sample["steps"]]
    assert all(isinstance(text, str) and text == text.strip() != "" for text in texts)
    assert all(image.startswith(f"images/{sample['id']}") for image in sample["images"])
    assert all(tag.isidentifier() and tag.islower() for tag in sample["tags"])


def test_images_are_those_that_samples_use() -> None:
    files = [f"images/{path.name}" for path in (MINI / "images").iterdir()]
    assert sorted(files) == IMAGES


@pytest.mark.parametrize("name", IMAGES)
def test_image_is_a_small_png(name: str) -> None:
    assert (MINI / name).stat().st_size <= LARGEST_FILE
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


def test_graded_answers_cover_every_cell() -> None:
    rows = graded()
    per_sample = Counter(row["sample"] for row in rows)
    assert set(per_sample) <= {sample["id"] for sample in SAMPLES}
    assert min(per_sample.values()) >= 4
    cells = Counter((s["category"], s["complexity"]) for s in SAMPLES if s["id"] in per_sample)
    assert len(cells) == 6 and min(cells.values()) >= 4
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


def test_the_datasheet_tells_the_numbers_of_the_files(tmp_path: Path) -> None:
    sheet = " ".join((MINI / "README.md").read_text(encoding="utf-8").split())
    cells = Counter((sample["category"], sample["complexity"]) for sample in SAMPLES)
    for category in CATEGORIES:
        moderate, high = cells[category, "moderate"], cells[category, "high"]
        assert f"| {category} | {moderate} | {high} | {moderate + high} |" in sheet
    capabilities = Counter(name for sample in SAMPLES for name in sample["capabilities"])
    words = ("recognition", "reading", "knowledge", "explaining", "space", "mathematics")
    for name, word in zip(CAPABILITIES, words, strict=True):
        assert f"{word} {capabilities[name]}" in sheet
    assert f": {len(SAMPLES)} original samples" in sheet
    assert f"In {sum(sample['counter_intuitive'] for sample in SAMPLES)} samples" in sheet
    assert f"{sum(len(sample['images']) > 1 for sample in SAMPLES)} have several pictures" in sheet
    kinds = {tag for sample in SAMPLES for tag in sample["tags"]}
    assert f"The pictures, {len(IMAGES)} in all, show {len(kinds)} kinds of scene" in sheet
    figure = tmp_path / "statistics.png"
    subprocess.run([sys.executable, "-B", MINI / "figure.py", figure], check=True)
    assert _difference(figure, MINI / "statistics.png") < 0.05


def _difference(one: Path, other: Path) -> float:
    """Mean difference of two pictures, 0 to 255; another Pillow may shift an edge or a letter."""
    with Image.open(one) as first, Image.open(other) as second:
        assert first.size == second.size
        delta = ImageChops.difference(first.convert("RGB"), second.convert("RGB"))
        return max(ImageStat.Stat(delta).mean)


def test_contact_sheet_shows_every_sample_and_needs_nothing_else(tmp_path: Path) -> None:
    sheet = tmp_path / "new" / "mini.html"
    subprocess.run([sys.executable, "-B", MINI / "contact_sheet.py", sheet], check=True)
    page = sheet.read_text(encoding="utf-8")
    assert page.count("<article ") == len(SAMPLES)
    for sample in SAMPLES:
        answers = [part for one in sample["answer"].split("<OR>") for part in one.split("<AND>")]
        for text in (sample["id"], sample["question"], *map(str.strip, answers), *sample["steps"]):
            assert escape(text) in page
    for name in IMAGES:
        assert base64.b64encode((MINI / name).read_bytes()).decode() in page
    assert "http" not in page and page.count("src=") == page.count('src="data:') == len(IMAGES)
