"""Images of a call: hashed, then opened; a file is kept between only while there is room."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason import imaging, pictures
from pytest_mmreason.errors import DataError
from pytest_mmreason.pictures import Desk, Pictures
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


def course(refs: list[ImageRef], desk: Desk) -> tuple[list[str], list[str], int]:
    """(hashes, hashes of what was opened, room left while both are held)."""

    async def run() -> tuple[list[str], list[str], int]:
        with Pictures(refs, None, desk) as taken:
            hashes = await taken.hashes()
            left = desk.room
            await taken.open()
            await taken.open()  # a retry
            return hashes, [image.sha256 for image in taken.opened], left

    return asyncio.run(run())


def test_a_file_is_read_once_while_there_is_room(refs: list[ImageRef], reads: list[str]) -> None:
    desk = Desk(10_000)
    hashes, opened, left = course(refs, desk)
    contents = [Path(ref.root, ref.path).read_bytes() for ref in refs]
    assert hashes == opened == [hashlib.sha256(data).hexdigest() for data in contents]
    assert reads == ["0.png", "1.png", "2.png"]
    assert left == 10_000 - sum(map(len, contents))
    assert desk.room == 10_000


def test_without_room_it_is_read_again(
    refs: list[ImageRef], reads: list[str], tmp_path: Path
) -> None:
    size = Path(refs[0].root, refs[0].path).stat().st_size
    large = Image.effect_noise((200, 200), 50)
    large.save(tmp_path / "large.png")
    desk = Desk(2 * size)
    hashes, opened, left = course([refs[0], ImageRef("large.png", str(tmp_path))], desk)
    assert hashes == opened
    assert reads == ["0.png", "large.png", "large.png"]
    assert (left, desk.room) == (size, 2 * size)


def test_what_many_want_at_once_is_read_by_few_threads(
    refs: list[ImageRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    read = pictures._read

    def telling(*arguments: Any) -> Any:
        threads.append(threading.get_ident())
        return read(*arguments)

    monkeypatch.setattr(pictures, "_read", telling)
    missing = ImageRef("none.png", refs[0].root)

    async def run() -> list[Any]:
        desk = Desk()
        calls = (desk.read(refs if n % 7 else [missing]) for n in range(50))
        return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(run())
    assert len(threads) == 4
    assert all(isinstance(one, DataError) == (n % 7 == 0) for n, one in enumerate(found))


def test_an_image_that_cannot_be_read_gives_its_room_back(refs: list[ImageRef]) -> None:
    desk = Desk(10_000)
    Path(refs[2].root, refs[2].path).write_bytes(b"no image")
    with pytest.raises(DataError, match=r"2\.png"):
        course(refs, desk)
    assert desk.room == 10_000
    with pytest.raises(DataError, match="missing"):
        course([*refs, ImageRef("none.png", refs[0].root)], desk)
    assert desk.room == 10_000


def test_a_cached_answer_leaves_no_room_taken(refs: list[ImageRef]) -> None:
    desk = Desk(10_000)

    async def run() -> None:
        with Pictures(refs, None, desk) as taken:
            await taken.hashes()

    asyncio.run(run())
    assert desk.room == 10_000


def test_images_at_hand_are_taken_as_they_are(refs: list[ImageRef], reads: list[str]) -> None:
    given = [imaging.load(ref) for ref in refs]
    reads.clear()

    async def run() -> list[str]:
        with Pictures((), given, Desk()) as taken:
            await taken.open()
            assert taken.opened == given
            return await taken.hashes()

    assert asyncio.run(run()) == [image.sha256 for image in given]
    assert reads == []
