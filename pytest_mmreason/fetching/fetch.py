"""``fetch``: what is to be downloaded, what of it is there already, and the bringing of it."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import shipped
from pytest_mmreason.benchmarks.official import manifest
from pytest_mmreason.fetching.download import digest_of, download
from pytest_mmreason.fetching.hub import FetchError, Hub, Listing, RemoteFile
from pytest_mmreason.fetching.unpacking import Target, unpack

WORK = ".fetch"
"""The folder, below the one that is filled, of what has come and a list of what was made of it."""

SOURCE = "hub.toml"
ANY = ("*.parquet", "*.zip", "*.json", "images/*")
"""What is taken of a repository that the user names."""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository of data on the hub, and the files of it that are needed (``fnmatch``)."""

    repository: str
    revision: str
    files: tuple[str, ...]


def source_of(name: str, repository: str | None, revision: str | None) -> Source:
    """Where the hub holds the official benchmark `name`, or what the user names instead."""
    table = tomllib.loads((shipped(name) / SOURCE).read_text(encoding="utf-8"))
    if repository not in (None, table["repository"]):
        return Source(str(repository), revision or "main", (manifest(name).file, *ANY))
    return Source(table["repository"], revision or table["revision"], tuple(table["files"]))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a download comes to.

    wanted: every file that is needed. missing: those that are to be brought, or brought
    again because something that was made of them is gone or altered.
    size, left: bytes of the wanted, and how many of them are still to come.
    """

    name: str
    folder: Path
    listing: Listing
    wanted: tuple[RemoteFile, ...]
    missing: tuple[RemoteFile, ...]
    size: int
    left: int


def plan(hub: Hub, name: str, folder: Path, source: Source) -> Plan:
    """Ask the hub what it has; nothing is written. Raises FetchError."""
    check_folder(folder)
    listing = hub.listing(source.repository, source.revision)
    wanted = tuple(
        file
        for file in listing.files
        if any(fnmatch(file.path, pattern) for pattern in source.files)
    )
    if not wanted:
        held = ", ".join(file.path for file in listing.files[:6]) or "nothing"
        raise FetchError(
            f"{hub.page(source.repository)} holds none of {', '.join(source.files)}, but {held}; "
            "--repo names another"
        )
    receipt = _receipt(folder)
    missing = tuple(file for file in wanted if not _is_made(folder, receipt, file))
    came = sum(_came(folder, file) for file in missing)
    left = sum(file.size for file in missing) - came
    return Plan(name, folder, listing, wanted, missing, sum(f.size for f in wanted), left)


def check_folder(folder: Path) -> None:
    """FetchError if `folder` holds what did not come from here, and could be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise FetchError(f"{folder} is no folder; name a new one")
    if folder.is_dir() and not (folder / WORK).is_dir():
        first = min((path.name for path in folder.iterdir()), default=None)
        if first is not None:
            raise FetchError(
                f"{folder} holds files that fetch did not bring; name a new folder ({first!r} is "
                "the first of them)"
            )


def carry_out(hub: Hub, plan: Plan, progress: Callable[[int], None]) -> None:
    """Bring and unpack what is missing; `progress` is called with the bytes that are there.

    Raises FetchError. What has come stays, and the next call goes on with it.
    """
    work = plan.folder / WORK
    try:
        work.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(work).free
        # An archive and what is in it are there together for a while.
        needed = plan.left + max((file.size for file in plan.missing), default=0)
        if free < needed:
            raise FetchError(
                f"{plan.folder} has {free / 1e6:,.0f} MB left, and {needed / 1e6:,.0f} MB are "
                "needed; make room or name another folder"
            )
        before = plan.size - sum(file.size for file in plan.missing)
        for file in plan.missing:
            here = work / _local(file)
            if not here.exists():
                download(hub, plan.listing, file, here, partial(_ahead, progress, before))
            before += file.size
            progress(before)
            target = Target(plan.folder, manifest(plan.name).file)
            unpack(here, file.path, target)
            _note(plan.folder, file, target.made)
            here.unlink()
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = error.filename or plan.folder
        raise FetchError(f"{where}: {why}; mend that, and the same command goes on") from None


def _ahead(progress: Callable[[int], None], before: int, done: int) -> None:
    progress(before + done)


def _local(file: RemoteFile) -> str:
    """The name of a file while it comes: another content is another file."""
    return (file.digest or file.path).replace("/", "_").replace(":", "-")


def _came(folder: Path, file: RemoteFile) -> int:
    here = folder / WORK / _local(file)
    sizes = [p.stat().st_size for p in (here, here.with_name(here.name + ".part")) if p.exists()]
    return min(max(sizes, default=0), file.size)


def _receipt(folder: Path) -> dict[str, Any]:
    """What was made of which file; {} where nothing is known."""
    found: Any = None
    with suppress(OSError, ValueError):
        found = json.loads((folder / WORK / "receipt.json").read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else {}


def _note(folder: Path, file: RemoteFile, made: Iterable[str]) -> None:
    """Write down what was made of `file`, by replacing the receipt whole."""
    receipt = _receipt(folder)
    hashes = {path: digest_of(folder / path, "sha256") for path in made}
    receipt[file.path] = {"digest": file.digest, "size": file.size, "made": hashes}
    new = folder / WORK / "receipt.json.part"
    new.write_text(json.dumps(receipt, indent=1), encoding="utf-8")
    new.replace(folder / WORK / "receipt.json")


def _is_made(folder: Path, receipt: dict[str, Any], file: RemoteFile) -> bool:
    """True if all that comes of `file` is in place and unaltered."""
    known = receipt.get(file.path)
    if not isinstance(known, dict) or (known.get("digest"), known.get("size")) != (
        file.digest,
        file.size,
    ):
        return False
    return all(
        (folder / path).is_file() and digest_of(folder / path, "sha256") == digest
        for path, digest in known["made"].items()
    )
