"""The images of one call: hashed for its cache key, opened when it is about to start."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mmreason import imaging
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.sample import ImageRef


@dataclass(slots=True)
class Room:
    """Bytes that files may take between being hashed and being opened, all calls together."""

    free: int = 32_000_000


class Pictures:
    """Images named by `refs`, or `given` where the caller has them at hand; a context manager.

    A file is read for its hash, and again when its call has a place, so that memory holds
    what is in flight; while there is `room`, it is kept from the first reading on.
    `opened` is filled by :meth:`open`.
    """

    def __init__(
        self, refs: Sequence[ImageRef], given: Sequence[LoadedImage] | None, room: Room
    ) -> None:
        self.opened: list[LoadedImage] = list(given or ())
        self._refs = refs
        self._room = room
        self._kept: dict[ImageRef, bytes] = {}

    def __enter__(self) -> Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    async def hashes(self) -> list[str]:
        """SHA-256 of each file; DataError for one that cannot be read."""
        if not self._refs:
            return [image.sha256 for image in self.opened]
        files = await asyncio.to_thread(_read, self._refs)
        for ref, (data, _) in zip(self._refs, files, strict=True):
            if ref not in self._kept and len(data) <= self._room.free:
                self._room.free -= len(data)
                self._kept[ref] = data
        return [digest for _, digest in files]

    async def open(self) -> None:
        """Fill `opened`; DataError for what is no sound image."""
        if self._refs and not self.opened:
            self.opened += await asyncio.to_thread(_load, self._refs, self._kept)
            self._let_go()

    def _let_go(self) -> None:
        self._room.free += sum(map(len, self._kept.values()))
        self._kept = {}


def _read(refs: Sequence[ImageRef]) -> list[tuple[bytes, str]]:
    files = [imaging.read(ref) for ref in refs]
    return [(data, hashlib.sha256(data).hexdigest()) for data in files]


def _load(refs: Sequence[ImageRef], kept: dict[ImageRef, bytes]) -> list[LoadedImage]:
    return [imaging.load(ref, original=kept.get(ref)) for ref in refs]
