"""From what a repository holds, a zip archive, a Parquet table or plain files, to the layout
that the official readers know: the questions' file beside ``images/``."""

from __future__ import annotations

import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from pytest_mmreason.benchmarks.official import IMAGES
from pytest_mmreason.fetching.hub import FetchError

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")

_FOREIGN = re.compile(r"\\|^[A-Za-z]:|\0")
"""What makes a path of a name under Windows, and what no name may hold."""


def leads_out(name: str) -> bool:
    """True for a path that may lie out of its folder, on whatever system, or that is none."""
    path = PurePosixPath(name)
    return bool(path.is_absolute() or ".." in path.parts or _FOREIGN.search(name))


LARGEST_BYTES = 8_000_000_000
"""What an archive may unpack to; the largest of the official ones holds 160 MB."""


class Target:
    """The folder that is filled. `made` is what was written: paths below it, in order."""

    def __init__(self, folder: Path, official: str) -> None:
        self.folder = folder
        self.official = official
        self.made: list[str] = []

    def place(self, name: str, archive: str = "") -> PurePosixPath | None:
        """Where a file called `name` belongs; None for what no reader needs.

        archive: the name, without its end, of the archive that holds it.

        Raises FetchError for a name that leads elsewhere.
        """
        path = PurePosixPath(name)
        if leads_out(name):
            raise FetchError(f"{name!r} is a path out of its folder; refused")
        if path.name in (self.official, "bard_set.json"):
            return PurePosixPath(path.name)
        if path.suffix.lower() not in PICTURES or path.name.startswith("._"):
            return None
        if IMAGES in path.parts[:-1]:
            return PurePosixPath(*path.parts[path.parts.index(IMAGES) :])
        return PurePosixPath(IMAGES, path) if archive == IMAGES else None

    @contextmanager
    def writing(self, path: PurePosixPath) -> Iterator[Path]:
        """A path to write to; what stands there in the end becomes `path`, whole or not at all."""
        if leads_out(str(path)):
            raise FetchError(f"{str(path)!r} is a path out of its folder; refused")
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.parent.resolve().is_relative_to(self.folder.resolve()):
            raise FetchError(f"{target.parent} leads out of {self.folder}; remove it")
        partial = target.with_name(target.name + ".part")
        partial.unlink(missing_ok=True)  # a link there would be written through
        try:
            os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield partial
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        self.made.append(str(path))


def unpack(source: Path, name: str, target: Target) -> None:
    """Fill `target` from the downloaded file `source`, called `name` in its repository.

    Raises FetchError for an archive that is damaged or would write elsewhere (before anything
    of it is written), and for a table without the columns that are needed.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".zip":
        _unzip(source, name, target)
    elif suffix == ".parquet":
        from pytest_mmreason.fetching.table import unpack_table

        unpack_table(source, name, target)
    elif place := target.place(name):
        with target.writing(place) as partial:
            shutil.copyfile(source, partial)


def _unzip(source: Path, name: str, target: Target) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            members = dict(_members(archive, name, target))
            for place, info in members.items():
                with (
                    target.writing(place) as partial,
                    archive.open(info) as member,
                    partial.open("wb") as file,
                ):
                    shutil.copyfileobj(member, file)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise FetchError(f"{name} is damaged or no zip archive: {error}") from None


def _members(
    archive: zipfile.ZipFile, name: str, target: Target
) -> Iterator[tuple[PurePosixPath, zipfile.ZipInfo]]:
    """(place, member) of what is needed; FetchError if any member is not harmless."""
    if sum(info.file_size for info in archive.infolist()) > LARGEST_BYTES:
        raise FetchError(f"{name} would unpack to more than {LARGEST_BYTES / 1e9:.0f} GB")
    found: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        path = PurePosixPath(info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if leads_out(info.filename):
            raise FetchError(f"{name} holds {info.filename!r}, a path out of its folder; refused")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise FetchError(f"{name} holds {info.filename!r}, which is a link or device; refused")
        if info.flag_bits & 1:
            raise FetchError(f"{name} is encrypted")
        place = None if info.is_dir() else target.place(info.filename, PurePosixPath(name).stem)
        if place is None or "__MACOSX" in path.parts:
            continue
        if place in found:
            both = f"{found[place].filename!r} and {info.filename!r}"
            raise FetchError(f"{name} holds {both}, which are one file here")
        found[place] = info
    yield from found.items()
