"""The store keeps what was answered, and never stands in a run's way."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.errors import UsageError
from pytest_mmreason.store import (
    FILE_NAME,
    NoStore,
    SqliteStore,
    Store,
    make_key,
    open_store,
    prepare_home,
)
from pytest_mmreason.upkeep import inspect, prune

ENTRY = {"text": "\ud800 猫 \x1b", "n": [1, 2.5, None]}


def test_what_was_put_is_found_again_also_by_the_next_run(tmp_path: Path) -> None:
    first = open_store(tmp_path / "new" / "folder", "on")
    assert first.get("k") is None
    first.put("k", ENTRY)
    assert first.get("k") == ENTRY
    first.close()
    second = open_store(tmp_path / "new" / "folder", "on")
    assert second.get("k") == ENTRY
    assert second.get("other") is None
    assert second.note is None
    second.close()


def test_the_latest_entry_of_a_key_counts(tmp_path: Path) -> None:
    store = open_store(tmp_path, "on")
    store.put("k", {"n": 1})
    store.put("k", {"n": 2})
    assert store.get("k") == {"n": 2}
    store.close()


@pytest.mark.parametrize(
    "column, value",
    [
        ("entry", '{"text": "forged"}'),
        ("entry", "{"),
        ("entry", b"\x00\xff"),
        ("entry", None),
        ("entry", 7),
        ("check_sum", "0"),
        ("check_sum", None),
    ],
)
def test_a_damaged_entry_is_a_miss_and_can_be_replaced(
    tmp_path: Path, column: str, value: Any
) -> None:
    store = open_store(tmp_path, "on")
    store.put("k", ENTRY)
    store.put("untouched", ENTRY)
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute(f"UPDATE entries SET {column} = ? WHERE key = 'k'", (value,))
    database.commit()
    database.close()
    assert store.get("k") is None
    assert store.get("untouched") == ENTRY
    store.put("k", ENTRY)
    assert store.get("k") == ENTRY
    store.close()


def test_an_entry_that_is_no_object_is_a_miss(tmp_path: Path) -> None:
    store = open_store(tmp_path, "on")
    store.put("k", [1])  # type: ignore[arg-type]
    assert store.get("k") is None
    store.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" * 300])
def test_a_damaged_file_is_moved_aside_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    store = open_store(tmp_path, "on")
    assert store.note is not None and "was damaged" in store.note
    (aside,) = tmp_path.glob("*damaged*")
    assert aside.read_bytes() == content and aside.name in store.note
    store.put("k", ENTRY)
    assert store.get("k") == ENTRY
    store.close()


def test_a_database_of_another_make_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("CREATE TABLE entries (name TEXT)")
    database.commit()
    database.close()
    store = open_store(tmp_path, "on")
    store.put("k", ENTRY)
    assert store.get("k") is None
    assert store.note is not None and "goes on uncached" in store.note
    assert not list(tmp_path.glob("*damaged*"))


def key(number: int) -> str:
    return make_key({"number": number})


def found(store: Store, number: int = 400) -> int:
    return sum(store.get(key(n)) is not None for n in range(number))


def filled(folder: Path, number: int = 400) -> Path:
    store = open_store(folder, "on")
    for n in range(number):
        store.put(key(n), {"text": f"{n} " + "x" * 500})
    store.close()
    return folder / FILE_NAME


@pytest.mark.parametrize("where", [0.0, 0.04, 0.06, 0.3, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("opened_before", [False, True])
def test_a_damaged_part_of_the_file_costs_itself_and_can_be_written_again(
    tmp_path: Path, where: float, opened_before: bool
) -> None:
    path = filled(tmp_path)
    store = open_store(tmp_path, "on")
    if not opened_before:
        store.close()
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(int(size * where) // 4096 * 4096)
        file.write(b"\xff" * 4096)
    if not opened_before:
        store = open_store(tmp_path, "on")
    assert found(store) >= 360
    for n in range(400):
        store.put(key(n), ENTRY)
    store.close()
    for _ in range(2):  # an open file may hide until the next run that its first page is lost
        store = open_store(tmp_path, "on")
        assert found(store) == 400
        store.close()
    assert store.note is None


def test_of_half_a_file_the_half_is_kept(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    store = open_store(tmp_path, "on")
    assert found(store) >= 100
    assert store.note is not None and "begun anew with the " in store.note
    assert len(list(tmp_path.glob("cache.damaged-*"))) == 1, "what may be of use is not deleted"
    store.close()


def test_damage_that_another_run_has_mended_is_not_mended_again(tmp_path: Path) -> None:
    path = filled(tmp_path)
    first, second = open_store(tmp_path, "on"), open_store(tmp_path, "on")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 30)
    kept = found(first)
    assert first.note is not None
    first.put(key(1000), ENTRY)
    assert found(second) == kept
    assert second.get(key(1000)) == ENTRY
    assert second.note is None
    assert len(list(tmp_path.glob("cache.damaged-*[0-9]"))) == 1
    first.close()
    second.close()


def test_damage_that_cannot_be_mended_costs_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(tmp_path)
    store = open_store(tmp_path, "on")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 30)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    assert found(store) < 400
    store.put(key(1), ENTRY)
    assert store.note is not None and "goes on uncached" in store.note
    store.close()


def test_files_moved_aside_are_counted_once_and_pruned_whole(tmp_path: Path) -> None:
    filled(tmp_path)
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"cache.damaged-1-2{suffix}").write_bytes(b"x" * 10)
    assert [path.name for path in inspect(tmp_path).aside] == ["cache.damaged-1-2"]
    prune(tmp_path)
    assert not list(tmp_path.glob("cache.damaged-*"))


def test_statistics_of_a_damaged_file_name_it(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 30)
    with pytest.raises(UsageError, match=r"cache\.sqlite cannot be read .* the next run mends"):
        inspect(tmp_path)


def test_where_no_file_can_be_made_the_run_goes_on_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = open_store(tmp_path / "file", "on")
    assert isinstance(store, NoStore)
    assert store.note is not None and "goes on uncached" in store.note
    assert "--mm-cache-dir" in store.note
    store.put("k", ENTRY)
    assert store.get("k") is None


def test_where_the_file_cannot_be_opened_the_run_goes_on_with_a_note(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    store = open_store(tmp_path, "on")
    assert isinstance(store, NoStore)
    assert store.note is not None and "goes on uncached" in store.note


def test_what_a_sealed_folder_holds_is_found_and_nothing_is_kept_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SqliteStore(tmp_path)) as open_one:
        open_one.put("k", ENTRY)
    before = sorted(tmp_path.iterdir())

    def refuse(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    # The rights of a folder do not bind root, who may run the tests.
    monkeypatch.setattr("pytest_mmreason.store.connect", refuse)
    monkeypatch.setattr("pytest_mmreason.store.os.access", lambda path, mode: False)
    with closing(open_store(tmp_path, "only")) as store:
        store.put("l", ENTRY)
        assert (store.get("k"), store.get("l")) == (ENTRY, None)
        assert store.note is not None
        assert "cannot be written" in store.note and "goes on uncached" in store.note
        assert not store.keeps
    assert sorted(tmp_path.iterdir()) == before
    (tmp_path / FILE_NAME).unlink()
    assert isinstance(open_store(tmp_path, "on"), NoStore)


def test_a_store_that_can_no_longer_be_written_says_so_and_goes_on(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.put("k", ENTRY)
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("DROP TABLE entries")
    database.commit()
    store.put("l", ENTRY)
    assert store.get("k") is None
    assert store.note is not None and "goes on uncached" in store.note
    database.close()
    store.close()


def test_off_keeps_nothing_and_makes_no_file(tmp_path: Path) -> None:
    store = open_store(tmp_path / "cache", "off")
    store.put("k", ENTRY)
    assert (store.get("k"), store.note) == (None, None)
    assert not (tmp_path / "cache").exists()


def test_two_stores_on_one_file_lose_nothing(tmp_path: Path) -> None:
    stores = [open_store(tmp_path, "on") for _ in range(2)]

    def fill(index: int) -> None:
        for number in range(60):
            stores[index % 2].put(f"{index}-{number}", {"n": number})

    threads = [threading.Thread(target=fill, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.note for store in stores] == [None, None]
    found = [stores[0].get(f"{i}-{n}") for i in range(4) for n in range(60)]
    assert found == [{"n": n} for _ in range(4) for n in range(60)]
    for store in stores:
        store.close()


def test_entries_survive_a_process_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from pytest_mmreason.store import open_store;"
        "store = open_store(Path(sys.argv[1]), 'on');"
        "[store.put(str(n), {'n': n}) for n in range(50)]; os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == 9
    store = open_store(tmp_path, "on")
    assert [store.get(str(n)) for n in range(50)] == [{"n": n} for n in range(50)]
    assert store.note is None
    store.close()


PARTS: dict[str, Any] = {
    "role": "model",
    "identity": {"kind": "openai", "model": "m", "base_url": "http://a"},
    "params": {"temperature": 0, "stop": ["\n"]},
    "prompt": "abc",
    "images": ["1", "2"],
    "repeat": 0,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "judge"},
        {"identity": {"kind": "openai", "model": "m", "base_url": "http://b"}},
        {"params": {"temperature": 0.5, "stop": ["\n"]}},
        {"params": {"temperature": "0", "stop": ["\n"]}},
        {"params": {}},
        {"prompt": "abd"},
        {"images": ["2", "1"]},
        {"images": ["1"]},
        {"repeat": 1},
        {"novelty": None},
    ],
)
def test_any_changed_part_is_another_key(changes: dict[str, Any]) -> None:
    assert make_key({**PARTS, **changes}) != make_key(PARTS)


def test_equal_parts_are_one_key_in_any_order() -> None:
    assert make_key(dict(reversed(PARTS.items()))) == make_key(PARTS)
    assert make_key({"a": (1, 2), "p": Path("x")}) == make_key({"p": "x", "a": [1, 2]})


plain = st.dictionaries(st.text(st.characters()), st.text(st.characters()) | st.integers())


@given(plain, plain)
def test_different_parts_never_share_a_key(first: dict[str, Any], second: dict[str, Any]) -> None:
    same = json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert (make_key(first) == make_key(second)) == same


def test_home_ignores_itself_and_keeps_a_users_own_ignore_file(tmp_path: Path) -> None:
    home = prepare_home(tmp_path)
    assert home == tmp_path / ".mmreason"
    ignore = home / ".gitignore"
    assert ignore.read_text() == "*\n"
    ignore.write_text("cache\n")
    assert prepare_home(tmp_path) == home
    assert ignore.read_text() == "cache\n"


def test_home_that_cannot_be_made_is_none(tmp_path: Path) -> None:
    (tmp_path / ".mmreason").write_text("")
    assert prepare_home(tmp_path) is None
