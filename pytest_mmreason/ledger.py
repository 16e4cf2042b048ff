"""The ledger: what was expected, what came, and which failures were whose.

It lives in the process that owns the session and hears of records from test reports
alone, so that a crashed worker can lose no total. Whole records lie in the journal on
disk; in memory stays what the tables need.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from pytest_mmreason.outcome import draft_record
from pytest_mmreason.plan import Plan, Work
from pytest_mmreason.record import MISSING, Record, RecordKey

KEPT_JOURNALS = 5
UNREACHED = "the session ended before it was evaluated"
_LONG_TEXTS = ("rationale", "response")


class Journal:
    """Records as they come, a line each; in a file that survives the process.

    Raises nothing for want of a place to write: lines that find none are kept in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path: Path | None = None
        self._file: IO[bytes] | None = None
        self._lines: list[str] = []
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in sorted(folder.glob("*.jsonl"))[: -KEPT_JOURNALS + 1]:
                old.unlink(missing_ok=True)
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
            path = folder / f"{stamp}-{os.getpid()}.jsonl"
            while path.exists():  # two sessions of one process in one second
                path = path.with_stem(f"{path.stem}+")
            self._file = path.open("x+b")
            self.path = path
        except OSError:
            pass

    def append(self, line: str) -> int:
        """Keep a line; returns the place from which :meth:`read` gets it back."""
        if self._file is not None:
            try:
                place = self._file.seek(0, os.SEEK_END)
                self._file.write(line.encode("ascii") + b"\n")
                self._file.flush()
                return place
            except OSError:  # a full disk, say
                pass
        self._lines.append(line)
        return -len(self._lines)

    def read(self, place: int) -> str:
        """The line that was kept at `place`."""
        if place < 0:
            return self._lines[-place - 1]
        assert self._file is not None
        self._file.seek(place)
        return self._file.readline().decode("ascii").rstrip("\n")

    def close(self) -> None:
        """Close the file; it stays for whoever wants to look."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()


@dataclasses.dataclass(slots=True)
class _Entry:
    """An expected record: its work, its items that have not been skipped (with their place
    in the collection), and the record.

    recorded_by: the place of the item whose record counts.
    differs:     several items recorded it, with different scores.
    """

    work: Work
    items: dict[str, int]
    record: Record | None = None
    recorded_by: int = -1
    differs: bool = False
    place: int | None = None
    why_missing: str = UNREACHED


class Ledger:
    """Records by key, counted once whatever is rerun or run in every worker."""

    def __init__(self, plan: Plan, journal: Journal) -> None:
        self.plan = plan
        self.failed = 0
        self.tolerable = 0
        self._journal = journal
        self._entries: dict[RecordKey, _Entry] = {}
        self._by_item: dict[str, _Entry] = {}
        self._finished = 0
        self._sums: dict[int, tuple[float, float]] = {}
        self._judgings: list[Mapping[str, Any]] = []

    def expect(self, selection: Sequence[tuple[str, Work]]) -> None:
        """Expect a record of each selected item; several processes may say the same."""
        for place, (item, work) in enumerate(selection):
            entry = self._entries.setdefault(self.plan.key(work), _Entry(work, {}))
            entry.items[item] = place
            self._by_item[item] = entry

    def add(self, text: str, item: str = "") -> Record:
        """Take a record in. Returns it without its long texts.

        Of one item the latest record counts; where several items record one sample, that
        of the last in the collection does, in whatever order they ran.
        """
        slim = self._sharing(Record.from_json(text, without=_LONG_TEXTS))
        entry = self._entries.get(slim.key)
        if entry is None:
            work = self._work_of(slim)
            entry = self._entries.setdefault(slim.key, _Entry(work, {}))
        place = entry.items.get(item, entry.items.get(item.rpartition("@")[0], -1))
        if entry.record is not None and place != entry.recorded_by:
            entry.differs = entry.differs or entry.record.score != slim.score
            if place < entry.recorded_by:
                return slim
        entry.recorded_by = place
        if entry.record is None:
            self._finished += 1
        else:
            self._add_to_sum(entry.work.run, entry.record, -1)
        self._add_to_sum(entry.work.run, slim, 1)
        entry.record = slim
        entry.place = self._journal.append(text)
        return slim

    def note_report(self, item: str, when: str | None, outcome: str, errored: bool) -> None:
        """Hear of a test report: what failed, what was skipped, who crashed.

        errored: the report's record ended in an error.
        """
        entry = self._by_item.get(item) or self._by_item.get(item.rpartition("@")[0])
        if outcome == "failed":
            self.failed += 1
            crashed = when == "???"
            if entry is not None:
                entry.why_missing = (
                    "the worker that ran it crashed"
                    if crashed
                    else "its test failed before it was evaluated"
                )
            if errored or (crashed and entry is not None and entry.record is None):
                self.tolerable += 1
        elif outcome == "skipped" and entry is not None and entry.record is None:
            entry.items.pop(item, None)
        elif when == "call" and outcome == "passed" and entry is not None:
            entry.why_missing = "its test passed without calling mm_evaluate"

    def note_missing(self, work: Work, why: str) -> None:
        """Say why an expected record did not come."""
        self._entries[self.plan.key(work)].why_missing = why

    @property
    def is_expecting(self) -> bool:
        """True if anybody has said what will run."""
        return bool(self._entries)

    @property
    def expected(self) -> int:
        """Records that the selected items should yield; skipped items yield none."""
        return sum(1 for entry in self._entries.values() if entry.items or entry.record)

    def deselected(self) -> list[RecordKey]:
        """Keys of what was planned and is not expected, as no item of it was selected."""
        there = {key for key, entry in self._entries.items() if entry.items or entry.record}
        return [key for work in self.plan.works() if (key := self.plan.key(work)) not in there]

    def notes(self) -> list[str]:
        """What a reader of the scores must know of how they were recorded."""
        found = [key.sample for key, entry in self._entries.items() if entry.differs]
        if not found:
            return []
        shown = ", ".join(map(ascii, found[:3])) + (", …" if len(found) > 3 else "")
        return [
            f"{len(found)} of the samples ({shown}) were recorded by several tests with "
            "different scores; that of the last test in the collection counts"
        ]

    @property
    def unreached(self) -> int:
        """Expected records whose items never ran."""
        entries = (entry for entry in self._entries.values() if entry.items)
        return sum(1 for e in entries if e.record is None and e.why_missing == UNREACHED)

    @property
    def finished(self) -> int:
        """Records that have come."""
        return self._finished

    def running_score(self) -> float | None:
        """The weighted mean so far, 0-100, of all runs together; None before the first."""
        sums = list(self._sums.values())
        weight = sum(w for w, _ in sums)
        return 100 * sum(s for _, s in sums) / weight if weight else None

    def records(self, run: int) -> list[Record]:
        """The records of one run in collection order, missing ones filled in, texts left out."""
        return [self._filled(entry) for entry in self._ordered(run)]

    def whole(self, record: Record) -> Record:
        """`record` with its response and rationale, read back from the journal."""
        entry = self._entries[record.key]
        return record if entry.place is None else Record.from_json(self._journal.read(entry.place))

    def lines(self) -> Iterator[str]:
        """Every record as a line of JSON, in collection order."""
        for run in range(len(self.plan.runs)):
            for entry in self._ordered(run):
                if entry.place is not None:
                    yield self._journal.read(entry.place)
                else:
                    yield self._filled(entry).to_json()

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _sharing(self, record: Record) -> Record:
        """`record`, with how it was judged held once for all samples that were judged so."""
        for judging in self._judgings:
            if judging == record.judging:
                return dataclasses.replace(record, judging=judging)
        self._judgings.append(record.judging)
        return record

    def _ordered(self, run: int) -> list[_Entry]:
        entries = [e for e in self._entries.values() if e.work.run == run and (e.items or e.record)]
        return sorted(entries, key=lambda entry: entry.work)

    def _filled(self, entry: _Entry) -> Record:
        if entry.record is not None:
            return entry.record
        work = entry.work
        draft = draft_record(
            self.plan.runs[work.run], self.plan.sample(work), work.repeat, self.plan.judge, None
        )
        return dataclasses.replace(draft, status=MISSING, reason=entry.why_missing)

    def _work_of(self, record: Record) -> Work:
        """The work of a record that a test made by hand; its place is at the end."""
        for index, run in enumerate(self.plan.runs):
            if (run.benchmark.name, run.model, run.prompt) == record.key[:3]:
                for place, sample in enumerate(run.benchmark.samples):
                    if sample.id == record.sample:
                        return Work(index, place, record.repeat)
        raise ValueError(f"record of an unknown run or sample: {json.dumps(record.key)}")

    def _add_to_sum(self, run: int, record: Record, sign: int) -> None:
        if record.score is not None:
            weight, total = self._sums.get(run, (0.0, 0.0))
            self._sums[run] = (
                weight + sign * record.weight,
                total + sign * record.weight * record.score,
            )
