"""The real files of MM-Vet and InfiMM-Eval: counts, revisions, corrections."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from pytest_mmreason import imaging
from pytest_mmreason.benchmarks import infimm_eval, mm_vet
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.official import image_note
from pytest_mmreason.errors import DataError
from pytest_mmreason.scoring import RowNames
from pytest_mmreason.selection import read_subset

INTEGRATIONS = 16


@pytest.fixture
def vet(realdata: Path) -> Benchmark:
    return mm_vet.load(realdata / "mmvet")


@pytest.fixture
def infimm(realdata: Path) -> Benchmark:
    return infimm_eval.load(realdata / "infimm")


def test_counts_of_mm_vet(vet: Benchmark) -> None:
    samples = vet.samples
    assert [s.id for s in samples] == [f"v1_{n}" for n in range(218)]
    assert Counter(c for s in samples for c in s.capabilities) == {
        "rec": 150,
        "ocr": 96,
        "know": 84,
        "gen": 80,
        "spat": 75,
        "math": 26,
    }
    assert len({frozenset(s.capabilities) for s in samples}) == INTEGRATIONS
    answers = [s.answer or "" for s in samples]
    assert sum("\n" in a for a in answers) == 36
    assert sum("<AND>" in a for a in answers) == 11
    assert sum("<OR>" in a for a in answers) == 26
    assert len(samples) - len({s.images for s in samples}) == 18
    assert all(len(s.images) == 1 and s.weight == 1.0 for s in samples)
    assert RowNames(samples) is not None


def test_revisions_of_the_answers_are_told_apart_by_name(
    vet: Benchmark, realdata: Path, tmp_path: Path
) -> None:
    shutil.copy(
        realdata / "mmvet" / "mm-vet.older-answers.light-eval.json", tmp_path / "mm-vet.json"
    )
    older = mm_vet.load(tmp_path)
    assert (vet.version, older.version) == ("current", "older answers")
    assert vet.fingerprint != older.fingerprint
    differing = [
        a.id for a, b in zip(vet.samples, older.samples, strict=True) if a.answer != b.answer
    ]
    assert differing == ["v1_65", "v1_89", "v1_103", "v1_127"]
    (told,) = [note for note in older.notes if "older answers" in note]
    assert f"four of its answers ({', '.join(differing)}) differ" in told
    assert not any("differ" in note for note in vet.notes)
    for benchmark in (vet, older):
        assert not any("altered" in note or "unknown" in note for note in benchmark.notes)


@pytest.mark.parametrize(
    ("old", "new", "version"),
    [
        ('"capability"', '"capability" ', "current"),
        ('"question": "', '"question": "So: ', "altered"),
        ('"answer": "', '"answer": "So: ', "altered"),
    ],
)
def test_altered_file_is_known_and_a_change_of_layout_is_none(
    realdata: Path, tmp_path: Path, old: str, new: str, version: str
) -> None:
    text = (realdata / "mmvet" / "mm-vet.json").read_text(encoding="utf-8")
    (tmp_path / "mm-vet.json").write_text(text.replace(old, new), encoding="utf-8")
    assert mm_vet.load(tmp_path).version == version


def test_bard_subset_names_samples(vet: Benchmark, realdata: Path) -> None:
    ids = read_subset(realdata / "mmvet" / "bard_set.json")
    assert len(ids) == 168 and set(ids) <= {s.id for s in vet.samples}


def test_counts_of_infimm_eval(infimm: Benchmark, realdata: Path) -> None:
    samples = infimm.samples
    assert (len(samples), infimm.version) == (279, "published")
    assert Counter(s.complexity for s in samples) == {"moderate": 171, "high": 108}
    assert sum(s.counter_intuitive for s in samples) == 23
    several = Counter(s.complexity for s in samples if len(s.images) > 1)
    assert several == {"moderate": 27, "high": 20}
    weights: Counter[str] = Counter()
    for s in samples:
        weights[s.category] += int(s.weight)
    assert weights == {"deductive": 249, "abductive": 66, "analogical": 72}
    assert weights.total() == 387
    assert all(s.question == s.question.strip() and s.images for s in samples)
    plain = infimm_eval.load(realdata / "infimm", corrections=False)
    assert Counter(s.complexity for s in plain.samples) == {"moderate": 172, "high": 107}
    assert plain.version == "published"


def test_references_of_infimm_eval_reach_their_samples(infimm: Benchmark) -> None:
    referenced = [s for s in infimm.samples if s.answer is not None]
    assert len(referenced) == 10 and all(s.steps for s in referenced)


def test_images_that_are_there_are_read_and_the_others_are_counted(
    vet: Benchmark, infimm: Benchmark
) -> None:
    for benchmark, number, total in ((vet, 156, 200), (infimm, 285, 342)):
        told = image_note({s.id: s.images for s in benchmark.samples}, benchmark.source)
        assert told.startswith(f"{number} of {total} images are missing")
        found = Counter[str]()
        for ref in {ref for s in benchmark.samples for ref in s.images}:
            try:
                found[imaging.load(ref).mime] += 1
            except DataError as error:
                assert "is missing below" in str(error)
        assert found.total() == total - number
