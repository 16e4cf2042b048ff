"""What many samples want of the cache at once is one query, and one statement."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.shelf import Shelf
from pytest_mmreason.store import FILE_NAME, Store, open_store


class Counting(Store):
    """Keeps entries in memory, and tells how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[str, dict[str, Any]] = {}
        self.asked: list[list[str]] = []
        self.written: list[list[str]] = []
        self.error: Exception | None = None

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        self.asked.append(list(keys))
        if self.error:
            raise self.error
        return {key: self.entries[key] for key in keys if key in self.entries}

    def put_many(self, entries: Mapping[str, str]) -> None:
        self.written.append(list(entries))
        if self.error:
            raise self.error
        self.entries.update({key: json.loads(text) for key, text in entries.items()})

    def close(self) -> None: ...


def test_what_is_wanted_at_once_is_one_query() -> None:
    store = Counting()
    store.entries["b"] = {"n": 1}

    async def course() -> list[Any]:
        shelf = Shelf(store)
        return await asyncio.gather(*(shelf.get(key) for key in ("a", "b", "c", "b")))

    assert asyncio.run(course()) == [None, {"n": 1}, None, {"n": 1}]
    assert store.asked == [["a", "b", "c"]]


def test_what_is_kept_at_once_is_one_statement_and_on_disk_before_anyone_goes_on() -> None:
    store = Counting()

    async def keep(shelf: Shelf, key: str) -> bool:
        await shelf.put(key, {"key": key})
        return key in store.entries

    async def course() -> list[bool]:
        shelf = Shelf(store)
        return await asyncio.gather(*(keep(shelf, key) for key in "abc"))

    assert asyncio.run(course()) == [True] * 3
    assert store.written == [["a", "b", "c"]]


@pytest.mark.parametrize("keeps", [True, False])
def test_who_asks_the_same_meanwhile_shares_what_the_first_is_brought(keeps: bool) -> None:
    store = Counting()
    store.keeps = keeps
    made: list[str] = []

    async def make(key: str) -> str:
        made.append(key)
        await asyncio.sleep(0.01)
        return key.upper()

    async def course() -> list[str]:
        shelf = Shelf(store)
        return await asyncio.gather(*(shelf.once(k, lambda k=k: make(k)) for k in "aabab"))

    assert asyncio.run(course()) == [*"AABAB"]
    assert sorted(made) == (["a", "b"] if keeps else [*"aaabb"])


def test_a_failure_is_shared_and_later_askers_try_anew() -> None:
    made: list[int] = []

    async def fail() -> None:
        made.append(1)
        await asyncio.sleep(0.01)
        raise ValueError("no")

    async def course() -> list[Any]:
        shelf = Shelf(Counting())
        together = [shelf.once("a", fail) for _ in range(3)]
        found = await asyncio.gather(*together, return_exceptions=True)
        return [*found, *await asyncio.gather(shelf.once("a", fail), return_exceptions=True)]

    assert [type(error) for error in asyncio.run(course())] == [ValueError] * 4
    assert len(made) == 2


def test_who_waits_for_one_that_is_cancelled_asks_itself() -> None:
    async def course() -> str:
        shelf, started = Shelf(Counting()), asyncio.Event()

        async def never() -> str:
            started.set()
            await asyncio.sleep(60)
            return "never"

        async def at_once() -> str:
            return "done"

        leaving = asyncio.ensure_future(shelf.once("a", never))
        await started.wait()
        staying = asyncio.ensure_future(shelf.once("a", at_once))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(course()) == "done"


def test_one_who_leaves_takes_nothing_from_the_others() -> None:
    store = Counting()
    store.entries["a"] = {"n": 1}

    async def course() -> Any:
        shelf = Shelf(store)
        leaving, staying = (asyncio.ensure_future(shelf.get("a")) for _ in range(2))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(course()) == {"n": 1}


def test_an_error_reaches_everybody_who_waits_and_nobody_after() -> None:
    store = Counting()
    store.error = TypeError("no JSON")

    async def course() -> list[Any]:
        shelf = Shelf(store)
        calls = (shelf.get("a"), shelf.get("b"), shelf.put("c", {}), shelf.put("d", {}))
        failed = await asyncio.gather(*calls, return_exceptions=True)
        store.error = None
        return [*failed, await shelf.get("a"), await shelf.put("c", {})]

    found = asyncio.run(course())
    assert [type(f) for f in found[:4]] == [TypeError] * 4
    assert found[4:] == [None, None]


def test_what_json_cannot_hold_harms_nobody_else() -> None:
    store = Counting()

    async def course() -> list[Any]:
        shelf = Shelf(store)
        calls = (shelf.put("a", {"n": 1}), shelf.put("b", {"n": b"x"}), shelf.put("c", {"n": 2}))
        return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(course())
    assert [type(one) for one in found] == [type(None), TypeError, type(None)]
    assert store.entries == {"a": {"n": 1}, "c": {"n": 2}}


def test_the_loop_goes_on_while_another_process_holds_the_file() -> None:
    store, free = Counting(), threading.Event()
    put = store.put_many
    store.put_many = lambda entries: (free.wait(20), put(entries))[1]  # type: ignore[method-assign]

    async def course() -> None:
        shelf = Shelf(store)
        writing = asyncio.ensure_future(shelf.put("a", {"n": 1}))
        for _ in range(20):
            await asyncio.sleep(0.001)  # this comes back
        writing.cancel()
        free.set()
        await shelf.settle()

    asyncio.run(course())
    assert store.entries == {"a": {"n": 1}}


def test_a_file_that_another_process_holds_keeps_nobody_from_going_on(tmp_path: Path) -> None:
    store = open_store(tmp_path, "on")
    store.put("old", {"n": 0})
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def course() -> tuple[Any, Any]:
        shelf = Shelf(store)
        writing = asyncio.ensure_future(shelf.put("new", {"n": 1}))
        await asyncio.sleep(0.05)
        reading = asyncio.ensure_future(shelf.get("old"))
        await asyncio.sleep(0.05)  # a loop that stood still would never come to the next line
        other.execute("ROLLBACK")
        await writing
        return await reading, await shelf.get("new")

    try:
        assert asyncio.run(course()) == ({"n": 0}, {"n": 1})
        assert store.note is None, "nobody waited until the patience was at its end"
    finally:
        other.close()
        store.close()


@pytest.mark.parametrize("count", [1, 499, 1201])
def test_any_number_of_entries_goes_into_the_file_and_comes_back(
    tmp_path: Path, count: int
) -> None:
    store = open_store(tmp_path, "on")
    entries = {f"{n:064}": {"n": n} for n in range(count)}
    store.put_many({key: json.dumps(entry) for key, entry in entries.items()})
    assert store.get_many([*entries, "absent"]) == entries
    store.put_many(dict.fromkeys(entries, '{"n": -1}'))
    assert {entry["n"] for entry in store.get_many(list(entries)).values()} == {-1}
    store.close()
