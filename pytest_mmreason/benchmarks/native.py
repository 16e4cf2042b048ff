"""Our own format: a folder with ``benchmark.toml``, JSON-lines samples and images."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import DEFAULT_WEIGHTS, PROTOCOLS, Benchmark
from pytest_mmreason.benchmarks.validation import (
    Check,
    boolean,
    objects,
    reference,
    shown,
    string,
    strings,
    word,
)
from pytest_mmreason.errors import BenchmarkError, nearest
from pytest_mmreason.sample import ImageRef, Sample

MANIFEST = "benchmark.toml"


def load(folder: Path, name: str | None = None) -> Benchmark:
    """The benchmark in `folder`; `name` overrides the manifest's.

    Raises BenchmarkError listing all faults, each with file, line, id and field.
    """
    manifest_path = folder / MANIFEST
    if not manifest_path.is_file():
        what = (
            f"no {MANIFEST} in it, the file whose least is a line: name = {folder.name!a}"
            if folder.is_dir()
            else "no such folder"
        )
        raise BenchmarkError(str(folder), [f"{what}; docs/benchmarks.md has the format"])
    faults: list[str] = []
    manifest = _read_manifest(manifest_path, faults)
    benchmark_name = name or manifest.name
    samples: list[Sample] = []
    if manifest.samples:
        samples_path = folder / manifest.samples
        samples = _read_samples(samples_path, folder, benchmark_name, manifest, faults)
    if faults:
        raise BenchmarkError(str(folder), faults)
    return Benchmark(
        name=benchmark_name,
        protocol=manifest.protocol,
        samples=tuple(samples),
        version=manifest.version,
        license=manifest.license,
        source=manifest.source,
        weights=manifest.weights,
        notes=tuple(_weight_notes(manifest.weights, samples)),
        file=manifest.samples,
    )


def _weight_notes(weights: Mapping[str, float], samples: Sequence[Sample]) -> Iterator[str]:
    """Weights without samples and samples without weight: a misspelt word moves every score."""
    if not weights:
        return
    found = Counter(sample.complexity for sample in samples if sample.complexity)
    for complexity, number in found.items():
        if complexity not in weights:
            hint = nearest(complexity, weights, limit=1)
            yield (
                f"complexity {complexity!a} ({number} of the samples) has no weight in [weights]; "
                "it counts 1" + (f". {hint}" if hint.startswith("Did you mean") else "")
            )
    if found and (unused := [name for name in weights if name not in found]):
        yield f"[weights] names {', '.join(map(ascii, unused))}, which no sample has"


@dataclass(slots=True)
class _Manifest:
    name: str = ""
    version: str = ""
    protocol: str = "infimm-eval"
    license: str = ""
    source: str = ""
    samples: str = "samples.jsonl"
    weights: dict[str, float] = field(default_factory=dict)


def _read_manifest(path: Path, faults: list[str]) -> _Manifest:
    """The manifest; its `samples` is empty where it does not tell which file to read."""
    manifest = _Manifest()
    text = ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        place = re.search(r"at line (\d+)", str(error))
        lines = text.split("\n")
        line = lines[int(place[1]) - 1].strip() if place and int(place[1]) <= len(lines) else ""
        faults.append(f"{path.name}: {error}" + (f": {line[:80]!a}" if line else ""))
        manifest.samples = ""
        return manifest
    known = [*_Manifest.__dataclass_fields__]
    for key, value in table.items():
        if key not in known:
            faults.append(f"{path.name}: unknown field {key!r}. {nearest(key, known)}")
        elif key == "weights":
            manifest.weights = _read_weights(path, value, faults)
        elif isinstance(value, str) or (key == "version" and isinstance(value, (int, float))):
            setattr(manifest, key, str(value))
        else:
            faults.append(f"{path.name}: {key} is {type(value).__name__}, not a string")
    if not manifest.name:
        faults.append(f"{path.name}: name is missing")
    elif set(manifest.name) & set(":=\n"):
        faults.append(f"{path.name}: name {manifest.name!r} holds ':', '=' or a line break")
    if manifest.protocol not in PROTOCOLS:
        faults.append(
            f"{path.name}: unknown protocol {manifest.protocol!r}. {nearest(manifest.protocol, PROTOCOLS)}"
        )
    elif "weights" not in table:
        manifest.weights = dict(DEFAULT_WEIGHTS[manifest.protocol])
    if not manifest.samples:
        faults.append(f"{path.name}: samples is empty")
    elif Path(manifest.samples).is_absolute() or ".." in Path(manifest.samples).parts:
        faults.append(f"{path.name}: samples {manifest.samples!r} lies outside the folder")
        manifest.samples = ""
    return manifest


def _read_weights(path: Path, value: object, faults: list[str]) -> dict[str, float]:
    if not isinstance(value, dict):
        faults.append(f"{path.name}: weights is {type(value).__name__}, not a table")
        return {}
    weights: dict[str, float] = {}
    for complexity, weight in value.items():
        good = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not good or not math.isfinite(weight) or weight <= 0:
            faults.append(f"{path.name}: weights.{complexity} is {weight!r}, not a number above 0")
        else:
            weights[complexity] = float(weight)
    return weights


def _read_samples(
    path: Path, folder: Path, benchmark: str, manifest: _Manifest, faults: list[str]
) -> list[Sample]:
    samples: list[Sample] = []
    first_line: dict[str, int] = {}
    known: dict[Any, Any] = {}
    root, name = str(folder), path.name
    for number, row in objects(path, "a sample", faults):
        where = f"{name}:{number}"
        before = len(faults)
        fields = _check_row(where, row, faults)
        sample_id = row.get("id")
        if isinstance(sample_id, str) and sample_id:
            if sample_id in first_line:
                faults.append(
                    f"{where}: id {sample_id!r}: field id: the same as in line {first_line[sample_id]}"
                )
            first_line.setdefault(sample_id, number)
        if len(faults) == before:
            weight = manifest.weights.get(fields["complexity"], 1.0)
            fields["images"] = tuple(ImageRef(image, root) for image in fields["images"])
            for key in ("capabilities", "tags"):
                fields[key] = tuple(dict.fromkeys(fields[key]))
            # Of the words that many samples have, one copy is enough.
            for key in ("category", "complexity", "capabilities", "tags"):
                fields[key] = known.setdefault(fields[key], fields[key])
            samples.append(Sample(**fields, benchmark=benchmark, weight=weight))
    if not samples and not faults:
        faults.append(f"{name}: holds no sample")
    return samples


_FIELDS: Mapping[str, tuple[Check, Any]] = {
    "id": (string, None),
    "question": (string, None),
    "images": (strings, []),
    "answer": (reference, None),
    "steps": (strings, []),
    "category": (word, ""),
    "complexity": (word, ""),
    "counter_intuitive": (boolean, False),
    "capabilities": (strings, []),
    "tags": (strings, []),
}
"""Every field of a sample: its check and its default."""

_DEFAULTS = {key: () if default == [] else default for key, (_, default) in _FIELDS.items()}
_REQUIRED = frozenset(["id", "question"])


def _check_row(where: str, row: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    """The fields of a sample with defaults filled in; faults are appended."""
    fields = _DEFAULTS.copy()
    is_good = row.keys() >= _REQUIRED
    for key, value in row.items():
        is_good = is_good and key in _FIELDS and not _FIELDS[key][0](value)
        fields[key] = tuple(value) if isinstance(value, list) else value
    if not is_good:
        here = f"{where}: id {shown(row['id'])}" if "id" in row else where
        faults += [f"{here}: field {fault}" for fault in _faults_of(row)]
    return fields


def _faults_of(row: Mapping[str, Any]) -> Iterator[str]:
    """The unknown fields of a sample, then those that are missing or hold what they may not."""
    yield from (f"{key}: unknown. {nearest(key, _FIELDS)}" for key in row if key not in _FIELDS)
    for key, (check, _) in _FIELDS.items():
        if key in row:
            if fault := check(row[key]):
                yield f"{key}: {fault}"
        elif key in _REQUIRED:
            yield f"{key}: missing"
