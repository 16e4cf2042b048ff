"""MM-Vet and MM-Vet v2 as downloaded: ``mm-vet.json`` or ``mm-vet-v2.json`` beside ``images/``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.official import (
    IMAGES,
    Entries,
    manifest,
    named_by,
    revision,
)
from pytest_mmreason.benchmarks.validation import Check, reference, string, strings
from pytest_mmreason.errors import BenchmarkError
from pytest_mmreason.sample import IMAGE_MARK, ImageRef, Sample

PROTOCOL = "mm-vet"

CAPABILITIES = ("rec", "ocr", "know", "gen", "spat", "math")
"""MM-Vet's six; v2 has ``seq`` as well."""

CAPABILITIES_V2 = (*CAPABILITIES, "seq")

SEPARATOR = "<IMG>"
"""Stands between the texts and the names of images in a question of v2."""

_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp")


def _answer(value: object) -> str | None:
    """A reference answer, which every sample has."""
    return string(value) or reference(value)


_FIELDS: Mapping[str, Check] = {
    "imagename": string,
    "question": string,
    "answer": _answer,
    "capability": strings,
}


def load(folder: Path, name: str = "mm-vet") -> Benchmark:
    """MM-Vet in `folder`. Raises BenchmarkError listing all faults of its file."""
    return _load(folder, name, "mm-vet", CAPABILITIES)


def load_v2(folder: Path, name: str = "mm-vet-v2") -> Benchmark:
    """MM-Vet v2 in `folder`. Raises BenchmarkError listing all faults of its file."""
    return _load(folder, name, "mm-vet-v2", CAPABILITIES_V2)


def _load(folder: Path, name: str, official: str, capabilities: tuple[str, ...]) -> Benchmark:
    known, faults = manifest(official), list[str]()
    is_v2 = official == "mm-vet-v2"
    entries = Entries(folder, known, faults)
    samples: list[Sample] = []
    unknown: dict[str, list[str]] = defaultdict(list)
    for sample_id, entry in entries:
        before = len(faults)
        for field, check in _FIELDS.items():
            if field not in entry:
                # A question of v2 names its images itself.
                if not (is_v2 and field == "imagename"):
                    entries.fault(sample_id, f"field {field}: missing; {known.remedy}")
            elif fault := check(entry[field]):
                entries.fault(sample_id, f"field {field}: {fault}")
        if len(faults) > before:
            continue
        sample = _sample(str(folder), name, sample_id, entry, is_v2)
        if sample.question.count(IMAGE_MARK) != len(sample.images) and sample.interleaved:
            entries.fault(sample_id, f"field question: holds {IMAGE_MARK}, which stands for images")
        samples.append(sample)
        for capability in sample.capabilities:
            if capability not in capabilities:
                unknown[capability].append(sample_id)
    if faults:
        raise BenchmarkError(str(folder), faults)
    version, notes = revision(
        known,
        ([s.id, s.answer] for s in samples),
        ([s.id, s.question, [i.path for i in s.images], sorted(s.capabilities)] for s in samples),
        len(samples),
    )
    notes += named_by(unknown, "capability", "is kept as a row of its own")
    return Benchmark(
        name=name,
        protocol=PROTOCOL,
        samples=tuple(samples),
        version=version,
        license=known.license,
        source=known.source,
        notes=tuple(notes),
        file=known.file,
    )


def _sample(root: str, name: str, sample_id: str, entry: Mapping[str, Any], is_v2: bool) -> Sample:
    question, images = entry["question"], [entry["imagename"]] if "imagename" in entry else []
    is_interleaved = is_v2 and SEPARATOR in question
    if is_interleaved:
        question, images = interleaved(question)
    return Sample(
        sample_id,
        question,
        images=tuple(ImageRef(str(PurePosixPath(IMAGES, image)), root) for image in images),
        answer=entry["answer"],
        capabilities=tuple(dict.fromkeys(entry["capability"])),
        benchmark=name,
        interleaved=is_interleaved and bool(images),
    )


def interleaved(question: str) -> tuple[str, list[str]]:
    """(question with ``<image>`` for each image, the images' names in order).

    Between the separators, a piece that ends like a picture's file name is one.
    """
    text, images = "", list[str]()
    for piece in question.split(SEPARATOR):
        stripped = piece.strip()
        if stripped.lower().endswith(_SUFFIXES) and "\n" not in stripped:
            images.append(stripped)
            text += IMAGE_MARK
        else:
            text += piece
    return text, images
