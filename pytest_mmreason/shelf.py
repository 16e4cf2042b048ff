"""The engine's side of the store: what many samples want at once is done in one go."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pytest_mmreason.store import Store


class Shelf:
    """A store for the tasks of one event loop.

    Each use of SQLite lets other threads run, and then waits for its turn again, which in a
    busy process takes longer than the use itself: so entries that are wanted, and entries
    that are to be kept, are gathered while the loop goes round once.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        self._new: dict[str, Mapping[str, Any]] = {}
        self._kept: asyncio.Future[None] | None = None

    async def get(self, key: str) -> dict[str, Any] | None:
        """See :meth:`Store.get`."""
        if key in self._new:
            return dict(self._new[key])
        if key not in self._wanted:
            loop = asyncio.get_running_loop()
            if not self._wanted:
                loop.call_soon(self._look_up)
            self._wanted[key] = loop.create_future()
        return await asyncio.shield(self._wanted[key])

    async def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """See :meth:`Store.put`; returns once the entry is on disk."""
        if self._kept is None:
            loop = asyncio.get_running_loop()
            self._kept = loop.create_future()
            loop.call_soon(self._write)
        self._new[key] = entry
        await asyncio.shield(self._kept)

    def _look_up(self) -> None:
        wanted, self._wanted = self._wanted, {}
        try:
            found = self._store.get_many(list(wanted))
        except Exception as error:
            for future in wanted.values():
                future.set_exception(error)
            return
        for key, future in wanted.items():
            future.set_result(found.get(key))

    def _write(self) -> None:
        entries, self._new = self._new, {}
        kept, self._kept = self._kept, None
        assert kept is not None
        try:
            self._store.put_many(entries)
        except Exception as error:
            kept.set_exception(error)
        else:
            kept.set_result(None)
