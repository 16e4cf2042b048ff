"""The cache folder between runs: what it holds, and how it is pruned."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_mmreason.errors import UsageError
from pytest_mmreason.store import FILE_NAME, connect, decode


@dataclass(frozen=True, slots=True)
class Contents:
    """What a cache folder holds.

    damaged: entries that are misses. size: bytes on disk, with what was moved aside.
    oldest, newest: seconds since the epoch; None if there is no entry.
    """

    responses: int
    verdicts: int
    damaged: int
    size: int
    aside: tuple[Path, ...]
    oldest: float | None
    newest: float | None


def inspect(folder: Path) -> Contents:
    """Count what the cache in `folder` holds, reading every entry.

    Raises UsageError where there is none, or its file is no database.
    """
    with _existing(folder) as database:
        counts = Counter(kind for _, kind in _kinds(database))
        oldest, newest = database.execute(
            "SELECT min(written), max(written) FROM entries"
        ).fetchone()
    moved = sorted(folder.glob(f"{Path(FILE_NAME).stem}.damaged-*"))
    size = sum(f.stat().st_size for f in (*folder.glob(f"{FILE_NAME}*"), *moved))
    aside = tuple(f for f in moved if not f.name.endswith(("-wal", "-shm")))
    return Contents(
        counts["response"], counts["verdict"], counts["damaged"], size, aside, oldest, newest
    )


def prune(folder: Path, before: float | None = None) -> int:
    """Remove damaged entries, files moved aside and, if given, what was written `before`.

    before: seconds since the epoch. Returns the number of entries removed. Runs that use
    the cache at the same time lose nothing else. Raises UsageError as :func:`inspect`.
    """
    with _existing(folder) as database:
        damaged = [(key,) for key, kind in _kinds(database) if kind == "damaged"]
        with database:
            database.executemany("DELETE FROM entries WHERE key = ?", damaged)
            old = database.execute("DELETE FROM entries WHERE written < ?", (before or 0.0,))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in folder.glob(f"{Path(FILE_NAME).stem}.damaged-*"):
        path.unlink(missing_ok=True)
    return len(damaged) + old.rowcount


@contextmanager
def _existing(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / FILE_NAME
    if not path.exists():
        raise UsageError(f"there is no cache in {folder}; name its folder with --mm-cache-dir")
    try:
        with closing(connect(path)) as database:
            yield database
    except sqlite3.Error as error:
        raise UsageError(
            f"cache {path} cannot be read ({error}); the next run mends what is damaged"
        ) from None


def _kinds(database: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(key, ``response``, ``verdict`` or ``damaged``) of every entry."""
    for key, text, check_sum in database.execute("SELECT key, entry, check_sum FROM entries"):
        entry = decode(text, check_sum)
        if entry is None:
            yield key, "damaged"
        else:
            yield key, "response" if "response" in entry else "verdict"
