"""The engine's side of the store: what many samples want at once is done in one go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pytest_mmreason.store import Store

T = TypeVar("T")


class Shelf:
    """A store for the tasks of one event loop.

    Entries that are wanted, and entries that are to be kept, are gathered while the loop goes
    round once: each use of SQLite waits for its turn among the threads of a busy process.
    What is kept is written in a thread, as another process may hold the file for a while.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        self._new: dict[str, str] = {}
        self._writing: dict[str, str] = {}
        self._kept: asyncio.Future[None] | None = None
        self._under_way: set[asyncio.Future[Any]] = set()

    async def get(self, key: str) -> dict[str, Any] | None:
        """See :meth:`Store.get`; also what is being written."""
        if text := self._new.get(key) or self._writing.get(key):
            entry: dict[str, Any] = json.loads(text)
            return entry
        if key not in self._wanted:
            loop = asyncio.get_running_loop()
            if not self._wanted:
                loop.call_soon(self._look_up)
            self._wanted[key] = loop.create_future()
        return await asyncio.shield(self._wanted[key])

    async def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """See :meth:`Store.put`; returns once the entry is on disk.

        Raises TypeError or ValueError for what JSON cannot hold.
        """
        text = json.dumps(entry)
        if self._kept is None:
            loop = asyncio.get_running_loop()
            self._kept = loop.create_future()
            loop.call_soon(self._write)
        self._new[key] = text
        await asyncio.shield(self._kept)

    async def settle(self) -> None:
        """Wait until everything that was to be kept is on disk."""
        while self._new or self._under_way:
            await asyncio.wait(self._under_way) if self._under_way else await asyncio.sleep(0)

    def _look_up(self) -> None:
        wanted, self._wanted = self._wanted, {}
        try:
            # In this thread: in write-ahead mode nobody who reads waits for one who writes.
            entries = self._store.get_many(list(wanted))
        except Exception as error:
            for future in wanted.values():
                future.set_exception(error)
            return
        for key, future in wanted.items():
            future.set_result(entries.get(key))

    def _write(self) -> None:
        texts, self._new = self._new, {}
        kept, self._kept = self._kept, None
        assert kept is not None
        self._writing |= texts

        def written(_: None) -> None:
            for key, text in texts.items():
                if self._writing.get(key) is text:
                    del self._writing[key]
            kept.set_result(None)

        self._in_thread(lambda: self._store.put_many(texts), written, [kept])

    def _in_thread(
        self,
        act: Callable[[], T],
        done: Callable[[T], None],
        waiting: list[asyncio.Future[Any]],
    ) -> None:
        """Hand what comes of `act` to `done`, and an error to everybody who is `waiting`."""
        acting = asyncio.get_running_loop().run_in_executor(None, act)
        self._under_way.add(acting)

        def finish(acted: asyncio.Future[T]) -> None:
            self._under_way.discard(acted)
            error = None if acted.cancelled() else acted.exception()
            if acted.cancelled() or error is not None:
                for future in waiting:
                    future.cancel() if error is None else future.set_exception(error)
            else:
                done(acted.result())

        acting.add_done_callback(finish)
