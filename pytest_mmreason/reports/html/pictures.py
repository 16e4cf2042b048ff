"""The pictures of a report: thumbnails in it, and links to the files."""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

from pytest_mmreason import imaging
from pytest_mmreason.errors import DataError
from pytest_mmreason.sample import ImageRef

MOST = 5_000
"""Pictures with a thumbnail: more would make a file that no browser opens gladly."""

SIDES = ((500, 320), (MOST, 160))
"""(up to how many pictures, pixels of a thumbnail's longer side): some 4 MB at most of each."""

_AT_ONCE = 64
"""Thumbnails that are made ahead of being written."""


class Pictures:
    """Thumbnails of `refs`, each content once, for a report in `folder`."""

    def __init__(self, refs: Iterable[ImageRef], folder: Path) -> None:
        self._refs = list(dict.fromkeys(refs))
        self._folder = folder.absolute()
        self._shown: dict[ImageRef, dict[str, Any]] = {}

    def thumbnails(self) -> Iterator[str]:
        """Data URLs; :meth:`shown` tells which is whose, and is asked afterwards."""
        side = next((side for most, side in SIDES if len(self._refs) <= most), SIDES[-1][1])
        numbers: dict[str, int] = {}
        # Pillow lets go of the interpreter's lock while it decodes and encodes.
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1), "mmreason-thumbnail") as pool:
            for start in range(0, min(len(self._refs), MOST), _AT_ONCE):
                refs = self._refs[start : min(start + _AT_ONCE, MOST)]
                for ref, made in zip(refs, pool.map(lambda r: _made(r, side), refs), strict=True):
                    url, note = made
                    self._shown[ref] = self._described(ref, note)
                    if not url:
                        continue
                    if url not in numbers:
                        numbers[url] = len(numbers)
                        yield url
                    self._shown[ref]["thumb"] = numbers[url]

    def shown(self, ref: ImageRef) -> dict[str, Any]:
        """How the report shows a picture: its path, and what there is of thumb, href and note."""
        too_many = f"left out: a report holds {MOST:,} thumbnails at most"
        return self._shown.get(ref) or self._described(ref, too_many)

    def _described(self, ref: ImageRef, note: str) -> dict[str, Any]:
        described: dict[str, Any] = {"path": ref.path}
        if note:
            described["note"] = note
        if ref.root:
            # The note says why there is none; a picture within another file has no address.
            with contextlib.suppress(DataError):
                described["href"] = _link(imaging.resolve(ref), self._folder)
        return described


def _made(ref: ImageRef, side: int) -> tuple[str, str]:
    """(data URL, why there is none)."""
    if not ref.root:  # a merged run knows the path alone, which means nothing here
        return "", "not shown: the benchmark's folder is not known here"
    try:
        data = imaging.thumbnail(ref, side)
    except DataError as error:
        return "", f"not shown: {error}"
    return f"data:image/webp;base64,{base64.b64encode(data).decode('ascii')}", ""


def _link(file: Path, folder: Path) -> str:
    """The URL of `file` for a page in `folder`: relative where they may well move together."""
    file = file.absolute()
    if not file.is_relative_to(folder.parent):
        return file.as_uri()
    relative = Path(os.path.relpath(file, folder)).as_posix()
    return quote_from_bytes(os.fsencode(relative))
