"""The official benchmarks: what is read of a folder as downloaded, and which revision it is."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import shipped
from pytest_mmreason.benchmarks.validation import lines_of, read_object
from pytest_mmreason.sample import ImageRef

IMAGES = "images"

MANIFEST = "official.toml"
"""What the package ships about an official benchmark: never a question or an answer."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of an official benchmark beforehand.

    file:      the questions' file in the folder as downloaded.
    samples:   how many it holds; 0 where that is not known.
    source:    where to download it.
    revisions: name -> SHA-256 of :func:`digest` over the answers of that revision.
    differences: name -> in what that revision differs from the current one.
    rest:      the same over everything else that is asked; "" where it is not known.
    """

    file: str
    samples: int
    license: str
    source: str
    revisions: Mapping[str, str]
    rest: str
    differences: Mapping[str, str]

    @property
    def remedy(self) -> str:
        """What to do about files that are not there."""
        return f"download it again from {self.source}"


def manifest(name: str) -> Manifest:
    """The manifest of the official benchmark `name`."""
    text = (shipped(name) / MANIFEST).read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Manifest(
        table["file"],
        table["samples"],
        table["license"],
        table["source"],
        table["revisions"],
        table["rest"],
        table.get("differences", {}),
    )


class Entries:
    """The samples of an official file while they are checked; `faults` is added to."""

    def __init__(self, folder: Path, known: Manifest, faults: list[str]) -> None:
        self.path = folder / known.file
        self.faults = faults
        self.rows: dict[str, Any] = {}
        if not folder.is_dir():
            faults.append("no such folder; " + known.remedy)
        elif not self.path.is_file() and (nested := next(folder.glob(f"*/{known.file}"), None)):
            faults.append(f"{known.file}: missing here, but {nested.parent} holds it; name that")
        elif not self.path.is_file() and (folder / IMAGES).is_dir():
            faults.append(
                f"{known.file}: missing beside {IMAGES}/; the download is not complete, "
                f"get the rest from {known.source}"
            )
        else:
            self.rows = read_object(self.path, known.remedy, faults)

    @cached_property
    def _lines(self) -> dict[str, int]:
        return lines_of(self.path, self.rows)

    def fault(self, sample_id: str, text: str) -> None:
        """Add a fault of one sample."""
        line = self._lines.get(sample_id)
        where = self.path.name if line is None else f"{self.path.name}:{line}"
        self.faults.append(f"{where}: id {sample_id!r}: {text}")

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(id, entry) in the order of the file; entries that are no objects are faults."""
        for sample_id, entry in self.rows.items():
            if not sample_id.strip():
                self.faults.append(f"{self.path.name}: id {sample_id!r} is empty")
            elif not isinstance(entry, dict):
                self.fault(sample_id, f"a sample is a JSON object, not {type(entry).__name__}")
            else:
                yield sample_id, entry


def digest(content: Iterable[Sequence[Any]]) -> str:
    """SHA-256 over rows that begin with an id, whatever their order."""
    ordered = sorted(content, key=lambda row: str(row[0]))
    return hashlib.sha256(json.dumps(ordered).encode()).hexdigest()


def revision(
    known: Manifest, answers: Iterable[Sequence[Any]], rest: Iterable[Sequence[Any]], count: int
) -> tuple[str, list[str]]:
    """(version, notes): the name of the revision, or ``altered``, and what differs.

    The version is "" where no revision of the benchmark is known.
    """
    if not known.rest:
        return "", []
    found = digest(answers)
    name = next((name for name, hashed in known.revisions.items() if hashed == found), None)
    if name is not None and digest(rest) == known.rest:
        told = known.differences.get(name)
        return name, [f"{known.file} holds the {name}: {told}"] if told else []
    number = f"{count} samples, not {known.samples}; " if count != known.samples else ""
    what = f"it is not as published (revision {' or '.join(map(repr, known.revisions))})"
    if name is not None:
        what = "questions, images or categories are not as published"
    return "altered", [
        f"{known.file} is altered: {number}{what}; scores do not compare with published ones"
    ]


def image_note(sent: Mapping[str, Sequence[ImageRef]], source: str) -> str:
    """How many of the images sent (sample's id -> its) are not there; "" if all are.

    source: where to download them. Nothing is opened.
    """
    refs = dict.fromkeys(ref for images in sent.values() for ref in images)
    missing = {ref: None for ref in refs if not _is_file(Path(ref.root, ref.path))}
    if not missing:
        return ""
    names = [repr(ref.path) for ref in missing]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    count = sum(not missing.keys().isdisjoint(images) for images in sent.values())
    return (
        f"{len(missing)} of {len(refs)} images are missing below {next(iter(missing)).root} "
        f"({shown}); the {count} samples that are asked with them are data errors; get them "
        f"from {source}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, for example
        return False


def named_by(values: Mapping[str, Sequence[str]], what: str, then: str) -> Iterator[str]:
    """A note for each value that the benchmark does not know: `values` is value -> ids."""
    for value, ids in values.items():
        shown = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
        yield f"unknown {what} {value!r} ({len(ids)}: {shown}) {then}"
