"""The images of one call: hashed for its cache key, opened when it is about to start."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

from pytest_mmreason import imaging
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.sample import ImageRef

Files: TypeAlias = list[tuple[bytes | None, str]]
"""(content, or None if there was no room for it, and SHA-256) of each file."""

_READERS = 4
"""Threads among which files that are wanted at once are divided: a slow disk is asked for several."""


class Desk:
    """Where the files of all calls are read.

    What is wanted while the loop goes round once is read together: to wake a thread, and to
    be woken by it, takes longer than to read a small file.

    room: bytes that files may take between being hashed and being opened, all calls together.
    """

    def __init__(self, room: int = 32_000_000) -> None:
        self.room = room
        self._wanted: list[tuple[Sequence[ImageRef], asyncio.Future[Files]]] = []

    async def read(self, refs: Sequence[ImageRef]) -> Files:
        """Content and hash of each file; DataError for one that cannot be read."""
        loop = asyncio.get_running_loop()
        if not self._wanted:
            loop.call_soon(self._start)
        found: asyncio.Future[Files] = loop.create_future()
        self._wanted.append((refs, found))
        return await found

    def _start(self) -> None:
        wanted, self._wanted = self._wanted, []
        most = self.room // sum(len(refs) for refs, _ in wanted)
        loop = asyncio.get_running_loop()
        for first in range(min(_READERS, len(wanted))):
            part = wanted[first::_READERS]
            reading = loop.run_in_executor(None, _read, [refs for refs, _ in part], most)
            reading.add_done_callback(partial(_hand_out, [found for _, found in part]))


def _read(wanted: Sequence[Sequence[ImageRef]], most: int) -> list[Files | Exception]:
    """The files of each who wants some, those above `most` bytes by their hash alone; or why
    they cannot be read."""
    results: list[Files | Exception] = []
    for refs in wanted:
        files: Files = []
        try:
            for ref in refs:
                data = imaging.read(ref)
                digest = hashlib.sha256(data).hexdigest()
                files.append((data if len(data) <= most else None, digest))
        except Exception as error:  # whoever waits for it must hear of it
            results.append(error)
        else:
            results.append(files)
    return results


def _hand_out(
    waiting: Sequence[asyncio.Future[Files]], reading: asyncio.Future[list[Files | Exception]]
) -> None:
    if reading.cancelled():
        return  # the loop ends, and with it everybody who waits
    for found, result in zip(waiting, reading.result(), strict=True):
        if found.done():
            continue
        if isinstance(result, Exception):
            found.set_exception(result)
        else:
            found.set_result(result)


class Pictures:
    """Images named by `refs`, or `given` where the caller has them at hand; a context manager.

    A file is read for its hash, and again when its call has a place, so that memory holds
    what is in flight; while there is room on the `desk`, it is kept from the first reading on.
    `opened` is filled by :meth:`open`.
    """

    def __init__(
        self, refs: Sequence[ImageRef], given: Sequence[LoadedImage] | None, desk: Desk
    ) -> None:
        self.opened: list[LoadedImage] = list(given or ())
        self._refs = refs
        self._files = [file for ref in refs for file in ref.files]
        self._desk = desk
        self._kept: dict[ImageRef, bytes] = {}

    def __enter__(self) -> Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    async def hashes(self) -> list[str]:
        """SHA-256 of each file; DataError for one that cannot be read."""
        if not self._refs:
            return [image.sha256 for image in self.opened]
        files = await self._desk.read(self._files)
        for file, (data, _) in zip(self._files, files, strict=True):
            if data is not None and file not in self._kept and len(data) <= self._desk.room:
                self._desk.room -= len(data)
                self._kept[file] = data
        return [digest for _, digest in files]

    async def open(self) -> None:
        """Fill `opened`; DataError for what is no sound image."""
        if self._refs and not self.opened:
            self.opened += await asyncio.to_thread(_load, self._refs, self._kept)
            self._let_go()

    def _let_go(self) -> None:
        self._desk.room += sum(map(len, self._kept.values()))
        self._kept = {}


def _load(refs: Sequence[ImageRef], kept: dict[ImageRef, bytes]) -> list[LoadedImage]:
    return [imaging.load_shown(ref, kept) for ref in refs]
