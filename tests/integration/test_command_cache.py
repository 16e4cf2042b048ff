"""``python -m pytest_mmreason cache``: what it says and what it removes."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from pytest_mmreason.__main__ import DAY_S, main
from pytest_mmreason.store import FILE_NAME, Store, open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store: Store = open_store(tmp_path / "cache", "on")
    for n in range(5):
        store.put(f"r{n}", {"response": {"text": str(n)}, "images": []})
    store.put("v", {"score": 1.0})
    store.close()
    return tmp_path / "cache"


def execute(folder: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(folder / FILE_NAME)
    with database:
        database.execute(statement, values)
    database.close()


def test_stats_count_what_is_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    execute(folder, "UPDATE entries SET check_sum = 'x' WHERE key = 'r0'")
    (folder / "cache.damaged-1-2").write_bytes(b"\0" * 500_000)
    assert main(["cache", f"--mm-cache-dir={folder}", "--stats"]) == 0
    told = capsys.readouterr().out
    assert "responses  4\n" in told and "verdicts   1\n" in told and "damaged    1 " in told
    assert "cache.damaged-1-2" in told and "size       0.5 MB" in told


def test_prune_removes_what_is_damaged_and_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute(folder, "UPDATE entries SET entry = '{' WHERE key = 'r0'")
    (folder / "cache.damaged-1-2").touch()
    running = open_store(folder, "on")
    assert main(["cache", f"--mm-cache-dir={folder}", "--prune"]) == 0
    assert "1 entry removed" in capsys.readouterr().out
    assert [f.name for f in folder.glob("*damaged*")] == []
    assert running.get("r0") is None
    assert running.get("r4") == {"response": {"text": "4"}, "images": []}
    running.put("r0", {"score": 0.0})
    assert running.get("r0") == {"score": 0.0} and running.note is None
    running.close()


def test_prune_removes_what_is_old_where_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute(folder, "UPDATE entries SET written = ? WHERE key < 'r3'", time.time() - 3 * DAY_S)
    assert main(["cache", f"--mm-cache-dir={folder}", "--prune", "--older-than=4"]) == 0
    assert "0 entries removed" in capsys.readouterr().out
    assert main(["cache", f"--mm-cache-dir={folder}", "--prune", "--older-than=2"]) == 0
    told = capsys.readouterr().out
    assert "3 entries removed" in told and "responses  2\n" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--mm-cache-dir=nowhere"], "there is no cache in nowhere; name its folder"),
        (["--mm-cache-dir=broken"], "cannot be read (file is not a database)"),
        (["--mm-cache-dir=broken", "--older-than=3"], "--older-than goes with --prune"),
        (["--mm-cache-dir=x", "--prune", "--older-than=-1"], "a number of days from 0"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / FILE_NAME).write_text("no database" * 200, encoding="utf-8")
    assert main(["cache", *arguments]) == 4
    assert told in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
