"""The store: responses and verdicts, kept so that nothing is asked twice.

One SQLite file in write-ahead mode: several runs may share it, a kill at any moment
loses at most what was in flight, a damaged entry is a miss, and of a damaged file every
entry that can still be read is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

FILE_NAME = "cache.sqlite"
_BUSY_TIMEOUT_S = 30.0
_PAGE = 4096
_MOST_KEYS = 500
"""Keys of one query; SQLite takes no more than some thousands."""
_LEAST_ENTRY = 256
"""Bytes that no entry is smaller than, in the file, with its place in the index."""

# What is replaced keeps its row, so that the rows' numbers stay below the number of entries.
_PUT = (
    "INSERT INTO entries VALUES {} ON CONFLICT (key) DO UPDATE SET"
    " entry = excluded.entry, check_sum = excluded.check_sum, written = excluded.written"
)
_ROW = "(?, ?, ?, ?)"

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)

T = TypeVar("T")


def make_key(parts: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of everything that can change a reply."""
    return hashlib.sha256(_CANONICAL.encode(parts).encode()).hexdigest()


class Store(ABC):
    """Where finished replies lie. `note` says what went wrong with it, if anything."""

    keeps = True
    """False if what is put is never found."""

    def __init__(self, note: str | None = None) -> None:
        self.note = note

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry, or None: absent and damaged are the same to the caller."""
        return self.get_many([key]).get(key)

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep an entry, at once and for good."""
        self.put_many({key: json.dumps(entry)})

    @abstractmethod
    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The sound entries that there are, by key."""

    @abstractmethod
    def put_many(self, entries: Mapping[str, str]) -> None:
        """Keep entries, each as JSON; a store that cannot says so in `note`, and the run goes on."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the file."""


class NoStore(Store):
    """``--mm-cache=off``, and what remains where no file can be written."""

    keeps = False

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Always misses."""
        return {}

    def put_many(self, entries: Mapping[str, str]) -> None:
        """Keeps nothing."""

    def close(self) -> None:
        """Nothing is held open."""


class SqliteStore(Store):
    """A :class:`Store` in ``FILE_NAME`` below `folder`.

    since: seconds since the epoch; what was written earlier is a miss.

    Raises OSError or sqlite3.Error if the file cannot be opened; see :func:`open_store`.
    """

    def __init__(self, folder: Path, since: float = 0.0) -> None:
        super().__init__()
        self._since = since
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE_NAME
        self._open()

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """See :meth:`Store.get_many`."""

        def read(database: sqlite3.Connection) -> list[tuple[str, Any, Any]]:
            rows = []
            for first in range(0, len(keys), _MOST_KEYS):
                some = keys[first : first + _MOST_KEYS]
                marks = ",".join("?" * len(some))
                rows += database.execute(
                    "SELECT key, entry, check_sum FROM entries"
                    f" WHERE key IN ({marks}) AND written >= ?",
                    (*some, self._since),
                ).fetchall()
            return rows

        try:
            rows = self._use(read)
        except (sqlite3.Error, OSError):
            return {}
        entries = ((key, decode(text, check_sum)) for key, text, check_sum in rows)
        return {key: entry for key, entry in entries if entry is not None}

    def put_many(self, entries: Mapping[str, str]) -> None:
        """Keep `entries`, at once and for good."""
        now = time.time()
        rows = [(key, text, _check_sum(text), now) for key, text in entries.items()]

        def write(database: sqlite3.Connection) -> None:
            for first in range(0, len(rows), _MOST_KEYS):
                # In one statement: other threads of a busy process get their turn at each.
                some = rows[first : first + _MOST_KEYS]
                put = _PUT.format(", ".join([_ROW] * len(some)))
                database.execute(put, [value for row in some for value in row])

        try:
            self._use(write)
        except (sqlite3.Error, OSError) as error:
            self.note = (
                f"cache {self._path} takes no more entries ({error}); this run goes on uncached"
            )

    def close(self) -> None:
        """Close the file; finished entries are already in it."""
        with self._lock:
            self._database.close()

    def _use(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """What `act` makes of the database, which is mended first if it is damaged."""
        with self._lock:
            try:
                return act(self._database)
            except sqlite3.DatabaseError as error:
                # The subclasses say that it is locked, full or closed, not that it is damaged.
                if type(error) is not sqlite3.DatabaseError:
                    raise
                self._database.close()
                # Another run may have mended it meanwhile.
                if _identity(self._path) == self._file:
                    self.note = _begin_anew(self._path, error)
                self._open()
                return act(self._database)

    def _open(self) -> None:
        self._database = connect(self._path)
        # One statement is one transaction.
        self._database.isolation_level = None
        self._file = _identity(self._path)


class SealedStore(SqliteStore):
    """A :class:`SqliteStore` that cannot be written: it finds what it holds and keeps nothing.

    Raises OSError or sqlite3.Error if the file cannot be read.
    """

    keeps = False

    def put_many(self, entries: Mapping[str, str]) -> None:
        """Keeps nothing."""

    def _open(self) -> None:
        # Beside a file that is told to change SQLite would make files of its own.
        place = f"{self._path.absolute().as_uri()}?mode=ro&immutable=1"
        self._database = sqlite3.connect(place, uri=True, check_same_thread=False)
        self._database.text_factory = _as_text
        self._database.execute("SELECT key, entry, check_sum, written FROM entries LIMIT 1")
        self._file = _identity(self._path)


def _check_sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def decode(text: Any, check_sum: Any) -> dict[str, Any] | None:
    """The entry of a row; None if it is damaged."""
    try:
        if _check_sum(text) != check_sum:
            return None
        entry = json.loads(text)
    except (ValueError, AttributeError):
        return None
    return entry if isinstance(entry, dict) else None


def connect(path: Path) -> sqlite3.Connection:
    """The database in the file `path`, made if it is not there. Raises sqlite3.Error."""
    database = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    database.text_factory = _as_text
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing in this mode; only a power cut may.
        database.execute("PRAGMA synchronous = NORMAL")
        with database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS entries"
                " (key TEXT PRIMARY KEY, entry TEXT, check_sum TEXT, written REAL)"
            )
        database.execute("SELECT key, entry, check_sum, written FROM entries LIMIT 1").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _as_text(value: bytes) -> str:
    """Text that a check sum may be taken of, whatever the bytes were."""
    return value.decode("utf-8", "replace")


def _begin_anew(path: Path, error: Exception) -> str:
    """Move the damaged file aside, keep what can be read of it, and say so.

    Raises OSError or sqlite3.Error where no new file can be made.
    """
    aside = path.with_suffix(f".damaged-{int(time.time())}-{os.getpid()}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    kept = _salvage(aside, path)
    return (
        f"cache {path} was damaged ({error}); it was moved to {aside.name} and begun anew with "
        f"the {kept} entries that could be read"
    )


def _salvage(damaged: Path, path: Path) -> int:
    """Copy every entry of `damaged` that can be read to a new file at `path`; how many."""
    with (
        closing(connect(path)) as new,
        tempfile.TemporaryDirectory(dir=path.parent) as folder,
    ):
        copy = Path(folder, FILE_NAME)
        shutil.copyfile(damaged, copy)
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{damaged}-wal", f"{copy}-wal")
        # The first page holds no entry and is the same in all our files but for counts, which
        # SQLite takes from the file where the page says that it does not know them.
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with path.open("rb") as made, copy.open("r+b") as file:
            first = bytearray(made.read(_PAGE))
            first[92:96] = bytes(4)
            file.write(first)
        with closing(sqlite3.connect(copy)) as old, new:
            old.text_factory = _as_text
            last = copy.stat().st_size // _LEAST_ENTRY
            sound = (row for row in _readable(old, 0, last) if decode(row[1], row[2]) is not None)
            kept = new.executemany(_PUT.format(_ROW), sound).rowcount
    return max(0, kept)


def _readable(database: sqlite3.Connection, first: int, last: int) -> Iterator[tuple[Any, ...]]:
    """The rows numbered `first` to `last` of a damaged file, but for those on damaged pages."""
    try:
        rows = database.execute(
            "SELECT key, entry, check_sum, written FROM entries WHERE rowid BETWEEN ? AND ?",
            (first, last),
        ).fetchall()
    except sqlite3.Error:
        rows = []
        if first < last:
            middle = (first + last) // 2
            yield from _readable(database, first, middle)
            yield from _readable(database, middle + 1, last)
    yield from rows


def open_store(folder: Path, mode: str) -> Store:
    """The store that ``--mm-cache`` and ``--mm-cache-dir`` ask for.

    ``refresh`` finds only what was written from now on, so that a run asks everything
    anew and still nothing twice. A damaged file is moved aside, never deleted, and what
    can be read of it is kept. A folder that cannot be written leaves the run uncached, but for
    what is there already, with a note that says so.
    """
    if mode == "off":
        return NoStore()
    since = time.time() if mode == "refresh" else 0.0
    try:
        return SqliteStore(folder, since)
    except sqlite3.OperationalError as error:
        path = folder / FILE_NAME
        if not (os.access(folder, os.W_OK) and os.access(path, os.W_OK)):
            with suppress(OSError, sqlite3.Error):
                sealed = SealedStore(folder, since)
                sealed.note = (
                    f"cache {path} cannot be written ({error}): what it holds is used; for the "
                    "rest this run goes on uncached"
                )
                return sealed
        return NoStore(
            f"cache {folder} cannot be used ({error}); this run goes on uncached. Choose another "
            "with --mm-cache-dir"
        )
    except OSError as error:
        return NoStore(
            f"cache folder {folder} cannot be written ({error.strerror or error}); "
            "this run goes on uncached. Choose another with --mm-cache-dir"
        )
    except sqlite3.DatabaseError as error:
        path = folder / FILE_NAME
        try:
            told = _begin_anew(path, error)
            store = SqliteStore(folder, since)
        except (OSError, sqlite3.Error):
            return NoStore(f"cache {path} is damaged ({error}); this run goes on uncached")
        store.note = told
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
