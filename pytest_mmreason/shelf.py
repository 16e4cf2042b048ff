"""The engine's side of the store: what many samples want at once is done in one go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from pytest_mmreason.store import Store

T = TypeVar("T")

_Entries: TypeAlias = Mapping[str, dict[str, Any]]
_Wanted: TypeAlias = tuple[str, "asyncio.Future[dict[str, Any] | None]"]

_SETTLING_S = 0.005


class Shelf:
    """A store for the tasks of one event loop.

    Entries that are wanted, and entries that are to be kept, are gathered while the loop goes
    round once: each use of SQLite waits for its turn among the threads of a busy process.
    What is kept is written in a thread, as another process may hold the file for a while.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._under_way: dict[str, asyncio.Future[Any]] = {}
        self._wanted: list[_Wanted] = []
        self._new: dict[str, str] = {}
        self._kept: asyncio.Future[None] | None = None
        self._writing: dict[str, str] = {}

    async def once(self, key: str, act: Callable[[], Awaitable[T]]) -> T:
        """What `act` brings, or what it brings to another who asked for the same just before.

        So equal calls that are wanted at once are one call, and fail as one. Where nothing is
        kept, every one is made.
        """
        if not self._store.keeps:
            return await act()
        while (first := self._under_way.get(key)) is not None:
            await asyncio.wait([first])
            if not first.cancelled():
                shared: T = first.result()
                return shared
        first = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            brought = await act()
        except asyncio.CancelledError:
            first.cancel()
            raise
        except BaseException as error:
            first.set_exception(error)
            first.exception()  # nobody else may have asked
            raise
        else:
            first.set_result(brought)
            return brought
        finally:
            del self._under_way[key]

    async def get(self, key: str) -> dict[str, Any] | None:
        """See :meth:`Store.get`."""
        loop = asyncio.get_running_loop()
        if not self._wanted:
            loop.call_soon(self._look_up)
        found: asyncio.Future[dict[str, Any] | None] = loop.create_future()
        self._wanted.append((key, found))
        return await found

    async def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """See :meth:`Store.put`; returns once the entry is on disk.

        Raises TypeError or ValueError for what JSON cannot hold.
        """
        text = json.dumps(entry)
        if self._kept is None:
            loop = asyncio.get_running_loop()
            self._kept = loop.create_future()
            loop.call_soon(self._write, self._kept)
        self._new[key] = text
        await asyncio.shield(self._kept)

    async def settle(self) -> None:
        """Wait until everything that was to be kept is on disk."""
        while self._new or self._writing:
            await asyncio.sleep(_SETTLING_S)

    def _look_up(self) -> None:
        wanted, self._wanted = self._wanted, []
        keys = list(dict.fromkeys(key for key, _ in wanted))
        entries: asyncio.Future[_Entries] = asyncio.get_running_loop().create_future()
        entries.add_done_callback(partial(_hand_out, wanted))
        if self._writing:
            # The store's one connection may be waiting for another process: the loop must not.
            _in_thread(partial(self._store.get_many, keys), entries)
            return
        # Else nobody who reads waits for one who writes, and a thread would cost more than it.
        try:
            entries.set_result(self._store.get_many(keys))
        except Exception as error:
            entries.set_exception(error)

    def _write(self, kept: asyncio.Future[None]) -> None:
        texts, self._new, self._kept = self._new, {}, None
        self._writing |= texts
        kept.add_done_callback(lambda _: self._written(texts))
        _in_thread(partial(self._store.put_many, texts), kept)

    def _written(self, texts: Mapping[str, str]) -> None:
        for key, text in texts.items():
            if self._writing.get(key) is text:  # else it is being written anew
                del self._writing[key]


def _hand_out(wanted: Sequence[_Wanted], entries: asyncio.Future[_Entries]) -> None:
    for key, found in wanted:
        if found.done():
            continue  # who wanted it has left
        if entries.cancelled():
            found.cancel()
        elif (error := entries.exception()) is not None:
            found.set_exception(error)
        else:
            found.set_result(entries.result().get(key))


def _in_thread(act: Callable[[], T], outcome: asyncio.Future[T]) -> None:
    """Do `act` in a thread; its result, or its error, becomes that of `outcome`."""

    def finish(acting: asyncio.Future[T]) -> None:
        if acting.cancelled():
            outcome.cancel()
        elif (error := acting.exception()) is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(acting.result())

    asyncio.get_running_loop().run_in_executor(None, act).add_done_callback(finish)
