"""Images of a call: hashed, then opened; a file is kept between only while there is room."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
from PIL import Image

from pytest_mmreason import imaging
from pytest_mmreason.errors import DataError
from pytest_mmreason.pictures import Pictures, Room
from pytest_mmreason.sample import ImageRef


@pytest.fixture
def refs(tmp_path: Path) -> list[ImageRef]:
    for n in range(3):
        Image.new("RGB", (8 + n, 8), "red").save(tmp_path / f"{n}.png")
    return [ImageRef(f"{n}.png", str(tmp_path)) for n in range(3)]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read, in order."""
    found: list[str] = []
    read = imaging.read

    def telling(ref: ImageRef) -> bytes:
        found.append(ref.path)
        return read(ref)

    monkeypatch.setattr(imaging, "read", telling)
    return found


def course(refs: list[ImageRef], room: Room) -> tuple[list[str], list[str], int]:
    """(hashes, hashes of what was opened, room left while both are held)."""

    async def run() -> tuple[list[str], list[str], int]:
        with Pictures(refs, None, room) as pictures:
            hashes = await pictures.hashes()
            left = room.free
            await pictures.open()
            await pictures.open()  # a retry
            return hashes, [image.sha256 for image in pictures.opened], left

    return asyncio.run(run())


def test_a_file_is_read_once_while_there_is_room(refs: list[ImageRef], reads: list[str]) -> None:
    room = Room(10_000)
    hashes, opened, left = course(refs, room)
    contents = [Path(ref.root, ref.path).read_bytes() for ref in refs]
    assert hashes == opened == [hashlib.sha256(data).hexdigest() for data in contents]
    assert reads == ["0.png", "1.png", "2.png"]
    assert left == 10_000 - sum(map(len, contents))
    assert room.free == 10_000


def test_without_room_it_is_read_again(refs: list[ImageRef], reads: list[str]) -> None:
    size = Path(refs[0].root, refs[0].path).stat().st_size
    room = Room(size)
    hashes, opened, _ = course([refs[0], refs[1], refs[0]], room)
    assert hashes == opened
    assert reads == ["0.png", "1.png", "0.png", "1.png"]
    assert room.free == size


def test_an_image_that_cannot_be_read_gives_its_room_back(refs: list[ImageRef]) -> None:
    room = Room(10_000)
    Path(refs[2].root, refs[2].path).write_bytes(b"no image")
    with pytest.raises(DataError, match=r"2\.png"):
        course(refs, room)
    assert room.free == 10_000
    with pytest.raises(DataError, match="missing"):
        course([*refs, ImageRef("none.png", refs[0].root)], room)
    assert room.free == 10_000


def test_a_cached_answer_leaves_no_room_taken(refs: list[ImageRef]) -> None:
    room = Room(10_000)

    async def run() -> None:
        with Pictures(refs, None, room) as pictures:
            await pictures.hashes()

    asyncio.run(run())
    assert room.free == 10_000


def test_images_at_hand_are_taken_as_they_are(refs: list[ImageRef], reads: list[str]) -> None:
    given = [imaging.load(ref) for ref in refs]
    reads.clear()

    async def run() -> list[str]:
        with Pictures((), given, Room()) as pictures:
            await pictures.open()
            assert pictures.opened == given
            return await pictures.hashes()

    assert asyncio.run(run()) == [image.sha256 for image in given]
    assert reads == []
