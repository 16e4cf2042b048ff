"""MM-Vet's Parquet tables on the hub, written out as the official archive is laid out."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_mmreason.benchmarks.mm_vet import SEPARATOR
from pytest_mmreason.benchmarks.official import IMAGES
from pytest_mmreason.errors import UsageError
from pytest_mmreason.fetching.hub import INSTALL, FetchError
from pytest_mmreason.fetching.unpacking import PICTURES, Target

NEEDED = ("question", "answer", "capability")
_MARK = re.compile(r"<(image_\d+)>")
_ROWS = 16
_SUFFIXES = {"JPEG": ".jpg", "MPO": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif"}


def parquet() -> Any:
    """pyarrow's reader; UsageError if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"this repository holds Parquet, which needs pyarrow: {INSTALL}") from None
    return pyarrow.parquet


def unpack_table(source: Path, name: str, target: Target) -> None:
    """Write the questions' file and the images that the table `source` holds.

    An image of several samples is written once, under the name that the table keeps of it
    or, as in the official archive, the first sample's id. Raises FetchError for other columns.
    """
    entries: dict[str, Any] = {}
    names = _Names(target)
    for row in _rows(source, name):
        key = str(row["id"])
        entry = {k: v for k, v in row.items() if isinstance(v, str) and k != "id"}
        capability = row["capability"]
        if isinstance(capability, str):
            capability = [word.strip() for word in capability.split(",")]
        entry["capability"] = capability
        images = {k: v for k, v in row.items() if isinstance(v, Mapping) and "bytes" in v}
        several = "image" not in images
        files = {
            column: names.of(image, f"{key}_{column.rpartition('_')[2]}" if several else key)
            for column, image in images.items()
        }
        if several:
            entry["question"] = _with_names(entry["question"], files)
        else:
            entry = {"imagename": files["image"], **entry}
        if key in entries:
            raise FetchError(f"{name}: id {key!r} stands in two rows")
        entries[key] = entry
    with target.writing(PurePosixPath(target.official)) as partial:
        text = json.dumps(entries, indent=4, ensure_ascii=False)
        partial.write_text(text, encoding="utf-8")


def _with_names(question: str, files: Mapping[str, str]) -> str:
    """`question` with the names of its images where the table has ``<image_0>``, as v2 has them."""

    def named(mark: re.Match[str]) -> str:
        file = files.get(mark[1])
        return f"{SEPARATOR}{file}{SEPARATOR}" if file else mark[0]

    return _MARK.sub(named, question)


def _rows(source: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows, a few in memory at a time, each with an ``id``."""
    reader = parquet()
    try:
        with reader.ParquetFile(source) as table:
            columns = table.schema_arrow.names
            key = next((c for c in ("id", "question_id") if c in columns), "")
            lacking = [c for c in NEEDED if c not in columns] + ([] if key else ["id"])
            if lacking or not any(c.startswith("image") for c in columns):
                raise FetchError(
                    f"{name} has columns {', '.join(columns)} and lacks "
                    f"{', '.join(lacking) or 'image'}; --repo names another repository"
                )
            for batch in table.iter_batches(batch_size=_ROWS):
                for row in batch.to_pylist():
                    yield {**row, "id": row[key]}
    except (OSError, ValueError, NotImplementedError) as error:  # what pyarrow raises
        raise FetchError(f"{name} cannot be read: {error}") from None


class _Names:
    """Writes each image once, and knows under which name."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._by_content: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, image: Mapping[str, Any], otherwise: str) -> str:
        """The file name of `image`; it is `otherwise` where the table keeps none."""
        data = image["bytes"]
        if not isinstance(data, bytes):
            raise FetchError(f"the image {image.get('path')!r} lies outside the table")
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._by_content:
            kept = PurePosixPath(str(image.get("path") or "").replace("\\", "/")).name
            if not kept.lower().endswith(PICTURES) or kept in self._taken:
                kept = re.sub(r"[^\w.-]", "_", otherwise) + _suffix(data)
            with self._target.writing(PurePosixPath(IMAGES, kept)) as partial:
                partial.write_bytes(data)
            self._taken.add(kept)
            self._by_content[digest] = kept
        return self._by_content[digest]


def _suffix(data: bytes) -> str:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            return _SUFFIXES.get(image.format or "", ".png")
    except (UnidentifiedImageError, OSError):
        return ".png"
