"""InfiMM-Eval as downloaded: ``core-mm-wo-answer.json`` and ``images/``, with references if at hand."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_mmreason.benchmarks.base import DEFAULT_WEIGHTS, Benchmark, shipped
from pytest_mmreason.benchmarks.official import (
    IMAGES,
    Entries,
    manifest,
    named_by,
    revision,
)
from pytest_mmreason.benchmarks.validation import (
    Check,
    objects,
    reference,
    shown,
    string,
    strings,
)
from pytest_mmreason.errors import BenchmarkError, nearest
from pytest_mmreason.sample import ImageRef, Sample

PROTOCOL = "infimm-eval"
REFERENCES = "references.jsonl"
CORRECTIONS = "corrections.toml"
CATEGORIES = ("deductive", "abductive", "analogical")
COMPLEXITIES = ("moderate", "high")

_REFERENCE: Mapping[str, Check] = {"id": string, "answer": reference, "steps": strings}
_YES_OR_NO = {"yes": True, "no": False, "": False}


@dataclass(frozen=True, slots=True)
class Correction:
    """A value of the public file that its authors contradict elsewhere."""

    sample: str
    field: str
    published: str
    corrected: str
    reason: str


def load(folder: Path, name: str = "infimm-eval", corrections: bool = True) -> Benchmark:
    """InfiMM-Eval in `folder`; without `corrections` it is taken as published.

    Raises BenchmarkError listing all faults of its files.
    """
    known, faults = manifest("infimm-eval"), list[str]()
    entries = Entries(folder, known, faults)
    samples: dict[str, Sample] = {}
    unknown: dict[str, list[str]] = defaultdict(list)
    for sample_id, entry in entries:
        before = len(faults)
        fields = _fields(entries, sample_id, entry)
        if len(faults) == before:
            images = (_image(folder, image) for image in fields.pop("images"))
            samples[sample_id] = Sample(sample_id, images=tuple(images), benchmark=name, **fields)
            if fields["category"] not in CATEGORIES:
                unknown[fields["category"]].append(sample_id)
    version, notes = revision(known, [], map(_published, samples.values()), len(samples))
    applied = _apply(samples) if corrections else {}
    weights = dict(DEFAULT_WEIGHTS[PROTOCOL])
    samples = {k: replace(s, weight=weights.get(s.complexity, 1.0)) for k, s in samples.items()}
    if (folder / REFERENCES).is_file():
        # Ids are compared only with a file that could be read.
        _refer(folder / REFERENCES, samples, faults, set(entries.rows))
    if faults:
        raise BenchmarkError(str(folder), faults)
    made = tuple(samples.values())
    notes += named_by(unknown, "category", "is kept as a row of its own")
    return Benchmark(
        name=name,
        protocol=PROTOCOL,
        samples=made,
        version=version,
        license=known.license,
        source=known.source,
        weights=weights,
        notes=tuple(notes),
        sample_notes=applied,
        file=known.file,
    )


def _fields(entries: Entries, sample_id: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a sample but its id and benchmark; faults are added to `entries`.

    Keys are known by their letters alone: the published file writes "Counter-intuitve".
    """
    values = {"".join(filter(str.isalpha, key.lower())): v for key, v in entry.items()}

    def take(key: str, label: str, check: Check) -> Any:
        if key not in values:
            entries.fault(sample_id, f"field {label!r}: missing")
            return ""
        if fault := check(values[key]):
            entries.fault(sample_id, f"field {label!r}: {fault}")
            return ""
        return values[key]

    question = take("question", "Question", string).strip()
    category = take("category", "Category", string).strip().lower()
    complexity = take("complexity", "Complexity", string).strip().lower()
    if complexity and complexity not in COMPLEXITIES:
        entries.fault(
            sample_id, f"field 'Complexity': is {complexity!r}, neither Moderate nor High"
        )
    images = take("imagepath", "Image path", strings)
    counter = values.get("counterintuitve", values.get("counterintuitive"))
    if isinstance(counter, str) and counter.strip().lower() in _YES_OR_NO:
        counter = _YES_OR_NO[counter.strip().lower()]
    if counter is not None and not isinstance(counter, bool):
        entries.fault(
            sample_id, f"field 'Counter-intuitve': is {shown(counter)}, not Yes, No or null"
        )
    return {
        "question": question,
        "category": category,
        "complexity": complexity,
        "images": list(images),
        "counter_intuitive": bool(counter),
    }


def _image(folder: Path, image: str) -> ImageRef:
    """The image as the file writes it, without stray blanks unless its name has them."""
    if image != image.strip() and not (folder / IMAGES / image).is_file():
        image = image.strip()
    return ImageRef(str(PurePosixPath(IMAGES, image)), str(folder))


def _published(sample: Sample) -> list[Any]:
    paths = [image.path for image in sample.images]
    return [
        sample.id,
        sample.question,
        paths,
        sample.category,
        sample.complexity,
        sample.counter_intuitive,
    ]


def known_corrections() -> tuple[Correction, ...]:
    """The corrections that are shipped as data."""
    table = tomllib.loads((shipped("infimm-eval") / CORRECTIONS).read_text(encoding="utf-8"))
    return tuple(Correction(**row) for row in table["correction"])


def _apply(samples: dict[str, Sample]) -> dict[str, str]:
    """Correct `samples` where they hold what was published; id -> note of each correction."""
    notes: dict[str, str] = {}
    for one in known_corrections():
        sample = samples.get(one.sample)
        if sample is not None and getattr(sample, one.field) == one.published:
            changed: dict[str, Any] = {one.field: one.corrected}
            samples[one.sample] = replace(sample, **changed)
            note = f"sample {one.sample}: {one.field} {one.corrected}, not {one.published}: "
            note += f"{one.reason} (--mm-corrections=off takes the file as it is)"
            notes[one.sample] = " · ".join(filter(None, [notes.get(one.sample), note]))
    return notes


def _refer(path: Path, samples: dict[str, Sample], faults: list[str], known: set[str]) -> None:
    """Give `samples` the answers and steps in `path`."""
    first_line: dict[str, int] = {}
    for number, row in objects(path, "a reference", faults):
        where = f"{path.name}:{number}"
        before = len(faults)
        here = f"{where}: id {shown(row['id'])}" if "id" in row else where
        faults += [
            f"{here}: field {key}: unknown. {nearest(key, _REFERENCE)}"
            for key in row
            if key not in _REFERENCE
        ]
        for key, check in _REFERENCE.items():
            if key in row and (fault := check(row[key])):
                faults.append(f"{here}: field {key}: {fault}")
            elif key not in row and key != "steps":
                faults.append(f"{here}: field {key}: missing")
        sample_id = row.get("id")
        if not isinstance(sample_id, str):
            continue
        if sample_id in first_line:
            faults.append(f"{here}: field id: the same as in line {first_line[sample_id]}")
        elif known and sample_id not in known:
            faults.append(f"{here}: field id: no such sample. {nearest(sample_id, known)}")
        first_line.setdefault(sample_id, number)
        if len(faults) == before and sample_id in samples:
            steps = tuple(row.get("steps", ()))
            samples[sample_id] = replace(samples[sample_id], answer=row["answer"], steps=steps)
