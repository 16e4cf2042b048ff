"""One file from the hub to the disk: gone on with where it broke off, and checked whole."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_mmreason.fetching.hub import ConnectionLost, FetchError, Hub, Listing, RemoteFile

ATTEMPTS = 5
"""Connections in a row that may bring nothing."""

PIECE = 1 << 20


def download(
    hub: Hub,
    listing: Listing,
    file: RemoteFile,
    target: Path,
    progress: Callable[[int], None] = lambda done: None,
    pause_s: float = 1.0,
) -> None:
    """Bring `file` to `target`; what came of it before lies in ``TARGET.part``.

    progress: called with the bytes that are there. Raises FetchError; a part that was
    brought stays, but for one whose hash is not the stated one.
    """
    part = target.with_name(target.name + ".part")
    failures = 0
    while (there := _size(part)) < file.size or not part.exists():
        try:
            with hub.open(listing, file, there) as (start, chunks):
                _write(part, start, chunks, progress)
        except ConnectionLost as error:
            failures = failures + 1 if _size(part) <= there else 1
            if failures >= ATTEMPTS:
                raise FetchError(_broken_off(file, part, error)) from None
            time.sleep(pause_s)
            continue
        if _size(part) <= there and file.size:
            failures += 1
            if failures >= ATTEMPTS:
                raise FetchError(_broken_off(file, part, None))
    check(file, part)
    part.replace(target)


def check(file: RemoteFile, path: Path) -> None:
    """FetchError, and `path` removed, if it is not what the hub states of `file`."""
    size, kind = _size(path), file.digest.partition(":")[0]
    if size == file.size and (not kind or digest_of(path, kind) == file.digest):
        return
    path.unlink()
    what = "hash" if size == file.size else f"size ({size:,} bytes, not {file.size:,})"
    raise FetchError(
        f"{file.path}: its {what} is not what the hub states; what came was removed, run the "
        "command again"
    )


def digest_of(path: Path, kind: str) -> str:
    """``sha256:HEX`` or ``git:HEX``, git's hash of a blob, of the file `path`."""
    digest = hashlib.sha256()
    if kind == "git":
        digest = hashlib.sha1(f"blob {_size(path)}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return f"{kind}:{digest.hexdigest()}"


def _write(part: Path, start: int, chunks: Any, progress: Callable[[int], None]) -> None:
    with part.open("r+b" if part.exists() else "wb") as file:
        file.seek(start)
        file.truncate()
        for chunk in chunks:
            file.write(chunk)
            progress(file.tell())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _broken_off(file: RemoteFile, part: Path, error: Exception | None) -> str:
    there = f"{_size(part) / 1e6:.1f} of {file.size / 1e6:.1f} MB of {file.path} are here"
    why = f"{error}" if error else "the connection ended too early"
    return f"{why}; {there}: the same command goes on from there"
