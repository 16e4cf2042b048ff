"""Captions in place of images: the file that ``--mm-images=captions=FILE`` names.

JSON lines ``{"sample": ID, "image": IMAGE, "caption": TEXT}``, as the command ``caption``
writes them; or, written by hand, one JSON object that maps each sample's id to
``{IMAGE: TEXT}``, to a list of texts in the images' order, or to the text of its only image.
IMAGE is the image as the benchmark names it, or its number in the sample, from 1.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import DataError, UsageError, nearest
from pytest_mmreason.sample import Sample

_FIELDS = ("benchmark", "sample", "image", "caption", "model")
MOST_FAULTS = 20
"""Faults of a file that are told."""


@dataclass(frozen=True, slots=True)
class Captions:
    """What a file says of images.

    name, sha256: the file. texts: (benchmark, sample's id, image) -> caption.
    """

    name: str
    sha256: str
    texts: Mapping[tuple[str, str, str], str]

    def of(self, sample: Sample) -> tuple[str, ...]:
        """The captions of a sample's images, in order; DataError for one that is not there."""
        if lacking := self.lacking(sample):
            raise DataError(
                f"{self.name} has no caption of image {lacking[0]!r} of sample {sample.id!r}; "
                "python -m pytest_mmreason caption writes the captions of a benchmark"
            )
        return tuple(self.texts[_key(sample, image.path)] for image in sample.images)

    def lacking(self, sample: Sample) -> list[str]:
        """The images of a sample that have no caption."""
        return [i.path for i in sample.images if _key(sample, i.path) not in self.texts]

    def to_json(self) -> dict[str, str]:
        """Which captions these are."""
        return {"name": self.name, "sha256": self.sha256}


def _key(sample: Sample, image: str) -> tuple[str, str, str]:
    return sample.benchmark, sample.id, image


@dataclass(frozen=True, slots=True)
class _Row:
    """A caption as it was read, and where it stands."""

    where: str
    benchmark: str | None
    sample: str
    image: str | int
    caption: str


def read(path: Path, benchmarks: Iterable[Benchmark]) -> Captions:
    """The captions in `path` of the samples of `benchmarks`; rows of other benchmarks are passed by.

    Raises UsageError with every fault by line: a line that is none of these, a sample or an
    image that the benchmark has not, a caption that is blank or comes twice.
    """
    option = f"--mm-images=captions={path}"
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{option}: the file cannot be read: {reason}") from None
    faults: list[str] = []
    texts: dict[tuple[str, str, str], str] = {}
    known = {b.name: {s.id: s for s in b.samples} for b in benchmarks}
    for row in _rows(text, faults):
        if row.benchmark is not None and row.benchmark not in known:
            continue
        meant = [row.benchmark] if row.benchmark is not None else list(known)
        samples = [known[name][row.sample] for name in meant if row.sample in known[name]]
        if not samples:
            ids = [sample for name in meant for sample in known[name]]
            hint = nearest(row.sample, ids)
            faults.append(f"{row.where}: no sample {row.sample!r} in {', '.join(meant)}. {hint}")
        for sample in samples:
            images = [image.path for image in sample.images]
            image = _image(row.image, images)
            if image is None:
                faults.append(
                    f"{row.where}: sample {row.sample!r} has no image {row.image!r}. "
                    f"{nearest(str(row.image), images)}"
                )
            elif texts.setdefault(_key(sample, image), row.caption) != row.caption:
                faults.append(
                    f"{row.where}: another caption of image {image!r} of sample {row.sample!r}"
                )
    if faults:
        shown = [f"  {path.name}{fault}" for fault in faults[:MOST_FAULTS]]
        more = len(faults) - len(shown)
        shown += [f"  and {more} more"] if more else []
        raise UsageError("\n".join([f"{option}: the captions cannot be used", *shown]))
    return Captions(path.name, hashlib.sha256(data).hexdigest(), texts)


def _image(named: str | int, images: Sequence[str]) -> str | None:
    """The image that a row names by its path, or by its number from 1; a key is a text."""
    if isinstance(named, str) and named not in images and re.fullmatch("[1-9][0-9]{0,8}", named):
        named = int(named)
    if isinstance(named, int):
        return images[named - 1] if 1 <= named <= len(images) else None
    return named if named in images else None


def _rows(text: str, faults: list[str]) -> Iterator[_Row]:
    """The rows of a file; what is wrong with one is added to `faults`."""
    twice: list[str] = []
    try:
        whole = json.loads(text, object_pairs_hook=partial(_noting_twice, twice))
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and not whole.keys() <= set(_FIELDS):
        faults.extend(f": {key!r} is given twice in one object" for key in twice)
        for sample, captions in whole.items():
            yield from _rows_of_sample(sample, captions, faults)
        return
    # Not splitlines(): a caption may hold a line break that is none to JSON.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        twice.clear()
        try:
            fields = json.loads(line, object_pairs_hook=partial(_noting_twice, twice))
        except (ValueError, RecursionError) as error:
            faults.append(f":{number}: no JSON: {error}")
            continue
        faults.extend(f":{number}: {key!r} is given twice" for key in twice)
        if (fault := _fault(fields)) is not None:
            faults.append(f":{number}: {fault}")
            continue
        yield _Row(
            f":{number}",
            fields.get("benchmark"),
            str(fields["sample"]),
            fields["image"],
            fields["caption"].strip(),
        )


def _noting_twice(twice: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(key for key, _ in pairs)
    twice.extend(key for key, count in counts.items() if count > 1)
    return dict(pairs)


def _rows_of_sample(sample: str, captions: Any, faults: list[str]) -> Iterator[_Row]:
    """The rows of one sample of a file that is one JSON object."""
    named: Iterable[tuple[str | int, Any]]
    if isinstance(captions, dict):
        named = captions.items()
    else:
        named = enumerate(captions if isinstance(captions, list) else [captions], 1)
    for image, caption in named:
        if (fault := _fault({"sample": sample, "image": image, "caption": caption})) is not None:
            faults.append(f": sample {sample!r}, image {image!r}: {fault}")
        else:
            yield _Row(f": sample {sample!r}", None, sample, image, caption.strip())


def _fault(fields: Any) -> str | None:
    """What is wrong with one row."""
    if not isinstance(fields, dict):
        return 'a JSON object {"sample", "image", "caption"} is needed'
    for name, kinds, what in (
        ("sample", (str, int), "an id"),
        ("image", (str, int), "an image's name or number"),
        ("caption", (str,), "a text"),
    ):
        if type(fields.get(name)) not in kinds:
            state = f"is {fields[name]!r:.60}" if name in fields else "is missing"
            return f"field {name!r} {state}; {what} is needed"
    if fields.get("benchmark") is not None and not isinstance(fields["benchmark"], str):
        return "field 'benchmark' is not a name"
    if unknown := fields.keys() - set(_FIELDS):
        return f"unknown field {sorted(unknown)[0]!r}; known are {', '.join(_FIELDS)}"
    return None if fields["caption"].strip() else "the caption is blank"
