"""When a run was started and with which options: in its files, alone, distributed and merged."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.reports import Parsed
from tests.support.runs import flat, run

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


def started(folder: Path) -> str:
    text = (folder / "summary.json").read_text(encoding="utf-8")
    return str(json.loads(text)["started"])


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})
    return ("--mm-model=replay:a.json", f"--mm-benchmark={folder}")


@BOTH
def test_every_report_says_when_the_run_was_started(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    result = run(pytester, *options, "--mm-output=out", *workers)
    out = pytester.path / "out"
    at = started(out)
    moment = datetime.fromisoformat(at)
    assert moment.utcoffset() == timedelta(0), "with its timezone, UTC"
    assert before <= moment <= datetime.now(UTC)
    assert json.loads((out / "run.json").read_text("utf-8"))["told"]["started"] == at
    assert f"started {at} · took" in flat(result)
    assert f"started {at}" in (out / "summary.md").read_text(encoding="utf-8")
    assert f"started {at}" in Parsed(out / "report.html").text
    assert main(["report", "out", "--mm-output=again"]) == 0
    assert started(pytester.path / "again") == at, "made again, it is the same run"


@BOTH
def test_the_report_tells_the_options_without_secrets(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    secret = "--mm-judge-param=api_key=hunter2"
    run(pytester, *options, secret, "--mm-output=out", "-k", "s1 or s2", *workers)
    assert main(["report", "out", "--mm-output=again"]) == 0
    for name in ("out", "again"):
        text = " ".join(Parsed(pytester.path / name / "report.html").text.split())
        assert "pytest --mm-model=replay:a.json --mm-benchmark=" in text
        assert "--mm-output=out -k 's1 or s2'" in text
        for file in (pytester.path / name).iterdir():
            assert "hunter2" not in file.read_text(encoding="utf-8"), file


def test_merged_shards_were_started_with_the_first_of_them(
    pytester: pytest.Pytester, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_mmreason import session

    class Clock(datetime):
        hour_of_run = 9

        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            cls.hour_of_run -= 1
            return datetime(2026, 11, 30, cls.hour_of_run, tzinfo=UTC)

    monkeypatch.setattr(session, "datetime", Clock)
    for number in (1, 2):
        run(pytester, *options, f"--mm-shard={number}/2", f"--mm-output=s{number}")
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 0
    found = [started(pytester.path / name) for name in ("s1", "s2", "merged")]
    assert found[0] == "2026-11-30T08:00:00+00:00"
    assert found[1] == found[2] == "2026-11-30T07:00:00+00:00"
    shard = (pytester.path / "s1" / "shard.json").read_text(encoding="utf-8")
    assert not re.search(r"--mm-benchmark|made/", shard), "no folder of the shard's machine"
