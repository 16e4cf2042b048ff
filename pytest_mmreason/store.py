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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

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

    Raises OSError or sqlite3.Error if the file cannot be opened; see :func:`open_store`.
    """

    def __init__(self, folder: Path) -> None:
        self.note: str | None = None
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE_NAME
        self._database = _connect(self._path)

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry under `key`; None if absent or damaged."""
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT entry, check_sum FROM entries WHERE key = ?", (key,)
                ).fetchone()
            if row is None or hashlib.sha256(row[0].encode()).hexdigest() != row[1]:
                return None
            entry = json.loads(row[0])
        except (sqlite3.Error, ValueError, AttributeError):
            return None
        return entry if isinstance(entry, dict) else None

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

    A file that is no database is moved aside, never deleted. A folder that cannot be
    written leaves the run uncached, with a note that says so.
    """
    if mode == "off":
        return NoStore()
    try:
        return SqliteStore(folder)
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
            store = SqliteStore(folder)
        except (OSError, sqlite3.Error):
            return NoStore(f"cache {damaged} is damaged ({error}); this run goes on uncached")
        store.note = (
            f"cache {damaged} was damaged ({error}); it was moved to {aside.name} and begun anew"
        )
        return store


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
