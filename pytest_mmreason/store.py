"""The store: responses and verdicts, kept so that nothing is asked twice.

One SQLite file in write-ahead mode: several runs may share it, a kill at any moment
loses at most what was in flight, and a damaged entry is a miss.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pytest_mmreason.errors import UsageError

FILE_NAME = "cache.sqlite"
_BUSY_TIMEOUT_S = 30.0


def make_key(parts: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of everything that can change a reply."""
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str).encode()
    ).hexdigest()


class Store(Protocol):
    """Where finished replies lie. `note` says what went wrong with it, if anything."""

    note: str | None

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry, or None: absent and damaged are the same to the caller."""
        ...

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep an entry; a store that cannot says so in `note`, and the run goes on."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class NoStore:
    """``--mm-cache=off``, and what remains where no file can be written."""

    def __init__(self, note: str | None = None) -> None:
        self.note = note

    def get(self, key: str) -> dict[str, Any] | None:
        """Always a miss."""
        return None

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keeps nothing."""

    def close(self) -> None:
        """Nothing is held open."""


class SqliteStore:
    """A :class:`Store` in ``FILE_NAME`` below `folder`.

    since: seconds since the epoch; what was written earlier is a miss.

    Raises OSError or sqlite3.Error if the file cannot be opened; see :func:`open_store`.
    """

    def __init__(self, folder: Path, since: float = 0.0) -> None:
        self.note: str | None = None
        self._since = since
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE_NAME
        self._database = _connect(self._path)

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry under `key`; None if absent or damaged."""
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT entry, check_sum FROM entries WHERE key = ? AND written >= ?",
                    (key, self._since),
                ).fetchone()
        except sqlite3.Error:
            return None
        return _decode(*row) if row else None

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep `entry` under `key`, at once and for good."""
        text = json.dumps(entry)
        row = (key, text, hashlib.sha256(text.encode()).hexdigest(), time.time())
        try:
            with self._lock, self._database:
                self._database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            self.note = (
                f"cache {self._path} takes no more entries ({error}); this run goes on uncached"
            )

    def close(self) -> None:
        """Close the file; finished entries are already in it."""
        with self._lock:
            self._database.close()


def _decode(text: Any, check_sum: Any) -> dict[str, Any] | None:
    """The entry of a row; None if it is damaged."""
    try:
        if hashlib.sha256(text.encode()).hexdigest() != check_sum:
            return None
        entry = json.loads(text)
    except (ValueError, AttributeError):
        return None
    return entry if isinstance(entry, dict) else None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing in this mode; only a power cut may.
        database.execute("PRAGMA synchronous = NORMAL")
        with database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS entries"
                " (key TEXT PRIMARY KEY, entry TEXT, check_sum TEXT, written REAL) WITHOUT ROWID"
            )
        database.execute("SELECT key, entry, check_sum, written FROM entries LIMIT 1").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def open_store(folder: Path, mode: str) -> Store:
    """The store that ``--mm-cache`` and ``--mm-cache-dir`` ask for.

    ``refresh`` finds only what was written from now on, so that a run asks everything
    anew and still nothing twice. A file that is no database is moved aside, never
    deleted. A folder that cannot be written leaves the run uncached, with a note that
    says so.
    """
    if mode == "off":
        return NoStore()
    since = time.time() if mode == "refresh" else 0.0
    try:
        return SqliteStore(folder, since)
    except sqlite3.OperationalError as error:
        return NoStore(f"cache {folder} cannot be used ({error}); this run goes on uncached")
    except OSError as error:
        return NoStore(
            f"cache folder {folder} cannot be written ({error.strerror or error}); "
            "this run goes on uncached. Choose another with --mm-cache-dir"
        )
    except sqlite3.DatabaseError as error:
        damaged = folder / FILE_NAME
        aside = damaged.with_suffix(f".damaged-{int(time.time())}-{os.getpid()}")
        try:
            damaged.rename(aside)
            for suffix in ("-wal", "-shm"):
                Path(f"{damaged}{suffix}").unlink(missing_ok=True)
            store = SqliteStore(folder, since)
        except (OSError, sqlite3.Error):
            return NoStore(f"cache {damaged} is damaged ({error}); this run goes on uncached")
        store.note = (
            f"cache {damaged} was damaged ({error}); it was moved to {aside.name} and begun anew"
        )
        return store


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
    with closing(_open_existing(folder)) as database:
        counts = Counter(kind for _, kind in _kinds(database))
        oldest, newest = database.execute(
            "SELECT min(written), max(written) FROM entries"
        ).fetchone()
    aside = tuple(sorted(folder.glob(f"{Path(FILE_NAME).stem}.damaged-*")))
    size = sum(f.stat().st_size for f in (*folder.glob(f"{FILE_NAME}*"), *aside))
    return Contents(
        counts["response"], counts["verdict"], counts["damaged"], size, aside, oldest, newest
    )


def prune(folder: Path, before: float | None = None) -> int:
    """Remove damaged entries, files moved aside and, if given, what was written `before`.

    before: seconds since the epoch. Returns the number of entries removed. Runs that use
    the cache at the same time lose nothing else. Raises UsageError as :func:`inspect`.
    """
    with closing(_open_existing(folder)) as database:
        damaged = [(key,) for key, kind in _kinds(database) if kind == "damaged"]
        with database:
            database.executemany("DELETE FROM entries WHERE key = ?", damaged)
            old = database.execute("DELETE FROM entries WHERE written < ?", (before or 0.0,))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in folder.glob(f"{Path(FILE_NAME).stem}.damaged-*"):
        path.unlink(missing_ok=True)
    return len(damaged) + old.rowcount


def _open_existing(folder: Path) -> sqlite3.Connection:
    path = folder / FILE_NAME
    if not path.exists():
        raise UsageError(f"there is no cache in {folder}; name its folder with --mm-cache-dir")
    try:
        return _connect(path)
    except sqlite3.Error as error:
        raise UsageError(
            f"cache {path} cannot be read ({error}); the next run moves a damaged one aside"
        ) from None


def _kinds(database: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """(key, ``response``, ``verdict`` or ``damaged``) of every entry."""
    for key, text, check_sum in database.execute("SELECT key, entry, check_sum FROM entries"):
        entry = _decode(text, check_sum)
        if entry is None:
            yield key, "damaged"
        else:
            yield key, "response" if "response" in entry else "verdict"


def prepare_home(rootdir: Path) -> Path | None:
    """``.mmreason/`` in `rootdir`, made with its own ``.gitignore``; None if it cannot be."""
    home = rootdir / ".mmreason"
    try:
        home.mkdir(exist_ok=True)
        ignore = home / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return home
