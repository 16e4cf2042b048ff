"""The ledger: every selected item has one record in the end, whatever became of it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mmreason.ledger import KEPT_JOURNALS, Journal, Ledger
from pytest_mmreason.outcome import draft_record
from pytest_mmreason.plan import Work
from pytest_mmreason.record import Record
from tests.support.stubs import made_plan, made_samples

PLAN = made_plan(made_samples(4), models=("m", "n"))
FIRST = Work(0, 0, 0)


def made(work: Work = FIRST, **fields: Any) -> Record:
    draft = draft_record(PLAN.runs[work.run], PLAN.sample(work), work.repeat, "j", None)
    return dataclasses.replace(draft, **{"status": "scored", "score": 1.0, **fields})


def ledger(*numbers: int, run: int = 0, journal: Journal | None = None) -> Ledger:
    """A ledger that expects the items ``i0``, ``i1`` … of these samples."""
    found = Ledger(PLAN, journal or Journal(None))
    found.expect([(f"i{n}", Work(run, n, 0)) for n in numbers])
    return found


def statuses(found: Ledger, run: int = 0) -> dict[str, str]:
    return {record.sample: record.status for record in found.records(run)}


def test_the_latest_record_of_a_key_counts_once() -> None:
    found = ledger(0)
    found.add(made(status="model_error", score=None).to_json())
    assert (found.finished, found.running_score()) == (1, None)
    found.add(made(score=0.25).to_json())
    found.add(made(score=0.5).to_json())
    assert (found.expected, found.finished, found.running_score()) == (1, 1, 50.0)
    assert [record.score for record in found.records(0)] == [0.5]


def test_several_processes_may_expect_the_same() -> None:
    found = ledger(0, 1)
    found.expect([("i0", Work(0, 0, 0)), ("i0@gw1", Work(0, 0, 0))])
    assert found.expected == 2


def test_records_come_in_collection_order() -> None:
    found = ledger(3, 1, 2)
    for number in (2, 3, 1):
        found.add(made(Work(0, number, 0)).to_json())
    assert list(statuses(found)) == ["s1", "s2", "s3"]
    assert [json.loads(line)["sample"] for line in found.lines()] == ["s1", "s2", "s3"]


def test_runs_are_told_apart() -> None:
    found = ledger(0)
    found.expect([("j0", Work(1, 0, 0))])
    found.add(made(Work(1, 0, 0), score=0.0).to_json())
    assert (statuses(found, 0), statuses(found, 1)) == ({"s0": "missing"}, {"s0": "scored"})


def test_a_skipped_item_is_not_expected() -> None:
    found = ledger(0, 1)
    found.note_report("i0", "setup", "skipped", False)
    assert found.expected == 1
    assert statuses(found) == {"s1": "missing"}


def test_a_test_that_is_skipped_after_its_record_still_counts() -> None:
    found = ledger(0)
    found.add(made().to_json())
    found.note_report("i0", "call", "skipped", False)
    assert (found.expected, statuses(found)) == (1, {"s0": "scored"})


def test_an_item_skipped_by_one_of_its_tests_is_expected_of_the_other() -> None:
    found = ledger(0)
    found.expect([("other", Work(0, 0, 0))])
    found.note_report("i0", "setup", "skipped", False)
    assert found.expected == 1
    found.note_report("other", "setup", "skipped", False)
    assert found.expected == 0


@pytest.mark.parametrize(
    "reports, reason",
    [
        ([], "the session ended before it was evaluated"),
        ([("i0", "???", "failed", False)], "the worker that ran it crashed"),
        ([("i0@gw1", "???", "failed", False)], "the worker that ran it crashed"),
        ([("i0", "call", "failed", False)], "its test failed before it was evaluated"),
        ([("i0", "call", "passed", False)], "its test passed without calling mm_evaluate"),
    ],
)
def test_what_brought_no_record_is_missing_with_its_reason(
    reports: list[tuple[str, str, str, bool]], reason: str
) -> None:
    found = ledger(0)
    for report in reports:
        found.note_report(*report)
    (record,) = found.records(0)
    assert (record.status, record.reason, record.score) == ("missing", reason, None)
    assert (record.sample, record.model, record.judge) == ("s0", "m", "j")
    assert Record.from_json(next(found.lines())) == record


@pytest.mark.parametrize(
    "report, failed, tolerable",
    [
        (("i0", "call", "failed", True), 1, 1),
        (("i0", "call", "failed", False), 1, 0),
        (("i0", "setup", "failed", False), 1, 0),
        (("i0", "???", "failed", False), 1, 1),
        (("elsewhere", "???", "failed", False), 1, 0),
        (("elsewhere", "call", "failed", False), 1, 0),
        (("i0", "call", "passed", False), 0, 0),
        (("i0", "call", "rerun", True), 0, 0),
    ],
)
def test_only_failures_that_are_errored_samples_are_tolerable(
    report: tuple[str, str, str, bool], failed: int, tolerable: int
) -> None:
    found = ledger(0)
    found.note_report(*report)
    assert (found.failed, found.tolerable) == (failed, tolerable)


def test_a_crash_after_the_record_is_no_errored_sample() -> None:
    found = ledger(0)
    found.add(made().to_json())
    found.note_report("i0", "???", "failed", False)
    assert (found.failed, found.tolerable) == (1, 0)
    assert statuses(found) == {"s0": "scored"}


def test_records_that_nobody_expected_are_taken_in() -> None:
    found = ledger(0)
    found.add(made(Work(0, 2, 0)).to_json())
    assert statuses(found) == {"s0": "missing", "s2": "scored"}


@pytest.mark.parametrize("changes", [{"sample": "zz"}, {"model": "zz"}, {"benchmark": "zz"}])
def test_records_of_no_run_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="unknown run or sample"):
        ledger(0).add(made(**changes).to_json())


def test_running_score_is_weighted() -> None:
    found = ledger(0, 1)
    found.add(made(Work(0, 0, 0), score=1.0, weight=2.0).to_json())
    found.add(made(Work(0, 1, 0), score=0.25).to_json())
    assert found.running_score() == pytest.approx(75.0)


@pytest.mark.parametrize("on_disk", [True, False])
def test_long_texts_lie_in_the_journal_and_are_read_back(tmp_path: Path, on_disk: bool) -> None:
    journal = Journal(tmp_path / "journal" if on_disk else None)
    found = ledger(0, 1, journal=journal)
    first = made(Work(0, 0, 0), response="x" * 100_000 + "\ud800\n", rationale="why")
    found.add(first.to_json())
    found.add(made(Work(0, 1, 0), response="second").to_json())
    slim = found.records(0)[0]
    assert (slim.response, slim.rationale) == (None, "")
    assert found.whole(slim) == first
    assert [Record.from_json(line).response for line in found.lines()][1] == "second"
    found.close()
    if on_disk:
        assert journal.path is not None
        lines = journal.path.read_text(encoding="ascii").splitlines()
        assert [Record.from_json(line).sample for line in lines] == ["s0", "s1"]


def test_journals_of_one_second_do_not_overwrite_each_other(tmp_path: Path) -> None:
    journals = [Journal(tmp_path) for _ in range(3)]
    for number, journal in enumerate(journals):
        journal.append(str(number))
        journal.close()
    paths = [journal.path for journal in journals]
    assert [path.read_text() for path in paths if path] == ["0\n", "1\n", "2\n"]


def test_only_the_last_journals_are_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"2020010{number}T000000-1.jsonl").write_text("")
    Journal(tmp_path).close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == KEPT_JOURNALS
    assert names[0] == "20200105T000000-1.jsonl"


def test_where_no_file_can_be_made_lines_are_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file")
    assert journal.path is None
    assert journal.read(journal.append("a line")) == "a line"
    journal.close()


def test_journal_goes_on_in_memory_where_the_disk_is_full(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    first = journal.append('{"a": 1}')

    def full(data: bytes) -> int:
        raise OSError(28, "No space left on device")

    real, journal._file = journal._file, SimpleNamespace(seek=lambda *a: 0, write=full)  # type: ignore[assignment]
    second = journal.append('{"b": 2}')
    journal._file = real
    assert journal.read(second) == '{"b": 2}'
    assert journal.read(first) == '{"a": 1}'
    journal.close()
