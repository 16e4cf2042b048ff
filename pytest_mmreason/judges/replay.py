"""A judge that repeats recorded verdicts: no model, no network."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import JudgeError, UsageError
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.verdict import StepCredit, Verdict

_FAULTS_SHOWN = 5

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)
"""Stricter than ``float``, which takes ``0_1`` for 1 and digits of any script."""


class ReplayJudge:
    """Judges by what a file says.

    path: an official MM-Vet grade file (id -> ``{"model": [], "content": [], "score": []}``),
          a JSON object id -> score or list of scores, or our own ``results.jsonl``.

    order: the samples with a recorded verdict, as the file has them.
    ids:   the same as a set.
    runs:  the most judge runs recorded of any of them.
    notes: what a reader of the scores must know of the file.

    Raises UsageError, naming the file and each line or id at fault, for a file that
    cannot be read, is empty, or holds a score outside [0, 1].
    """

    adapter: ModelAdapter | None = None
    max_concurrency: int | None = None
    offline = True
    cacheable = False

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser()
        self.name = f"replay:{path}"
        try:
            raw = self._path.read_bytes()
            text = raw.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"Recorded verdicts cannot be read from {path}: {error}. Name a grade file, "
                "a results.jsonl, or a JSON object of ids and scores."
            ) from error
        self._sha256 = hashlib.sha256(raw).hexdigest()
        self._verdicts = _read(text, str(path))
        self.order = tuple(sample for _, sample in self._verdicts)
        self.ids = frozenset(self.order)
        self.runs = max(map(len, self._verdicts.values()))
        self.notes = _of_no_number(self._path.name, self._verdicts)

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """The hash of the file."""
        return {"judge": "replay", "sha256": self._sha256, "protocol": protocol}

    def provenance(self, protocol: str) -> dict[str, Any]:
        """The file, by name and hash."""
        return {"protocol": protocol, "grades": self._path.name, "grades_sha256": self._sha256}

    def unknown(self, samples: Iterable[str]) -> list[str]:
        """Recorded ids that no sample of the benchmarks has."""
        return sorted(self.ids.difference(samples))

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The verdict recorded for run `task.run`, score in [0, 1].

        Raises JudgeError with the cause ``missing verdict`` if there is none.
        """
        verdict = self.recorded(task)
        if verdict is not None:
            return verdict
        verdicts = self._all_runs(task)
        if task.run < len(verdicts):
            what = f"{self._path} holds no valid verdict for judge run {task.run + 1}"
        elif not verdicts:
            what = f"{self._path} holds no verdict for it"
        else:
            runs = "1 judge run" if len(verdicts) == 1 else f"{len(verdicts)} judge runs"
            what = f"{self._path} holds {runs} of it, and run {task.run + 1} was asked for"
        raise JudgeError(
            f"Sample {task.sample.id!r}: {what}. Select the recorded samples, or judge it anew.",
            cause="missing verdict",
        )

    def recorded(self, task: JudgeTask) -> Verdict | None:
        """The verdict recorded for run `task.run`; None if there is none."""
        verdicts = self._all_runs(task)
        return verdicts[task.run] if task.run < len(verdicts) else None

    def _all_runs(self, task: JudgeTask) -> _Runs:
        sample = task.sample
        verdicts = self._verdicts.get((sample.benchmark, sample.id))
        return self._verdicts.get(("", sample.id), ()) if verdicts is None else verdicts

    async def aclose(self) -> None:
        """Nothing to let go of."""


_ANSWERS = "{0}: these are answers, not verdicts, and belong to a model: --mm-model=replay:{0}"

_Runs = tuple[Verdict | None, ...]
_Verdicts = dict[tuple[str, str], _Runs]


def _read(text: str, path: str) -> _Verdicts:
    verdicts: _Verdicts = {}
    faults: list[str] = []
    entries = list(_entries(text, path))
    if entries and all(isinstance(e, str) and not _is_number(e) for *_, e in entries):
        raise UsageError(_ANSWERS.format(path))
    for where, key, entry in entries:
        try:
            runs = _runs(entry)
            if runs and key in verdicts:
                raise ValueError(
                    "a second record of this sample: replay a run of one model, prompt and repeat"
                )
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            faults.append(f"{where}: {error}")
        else:
            if runs:
                verdicts[key] = runs
    if faults:
        shown = faults[:_FAULTS_SHOWN]
        more = len(faults) - len(shown)
        raise UsageError(
            "\n  ".join(
                [f"Recorded verdicts in {path} cannot be used:", *shown]
                + ([f"and {more} more"] if more else [])
            )
        )
    if not verdicts:
        raise UsageError(
            f"{path} holds no recorded verdict. Name a grade file, a results.jsonl, or a JSON "
            "object of ids and scores."
        )
    return verdicts


def _entries(text: str, path: str) -> Iterator[tuple[str, tuple[str, str], Any]]:
    """Where each entry stands, its (benchmark, sample), and what is recorded."""
    try:
        whole = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not lines:
            return
        if not lines[0][1].lstrip().startswith("{") or len(lines) == 1 or not _is_json(lines[0][1]):
            raise UsageError(f"{path} cannot be read as JSON: {error}") from None
        for number, line in lines:
            where = f"line {number}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as fault:
                raise UsageError(f"{path}, {where}: not JSON: {fault}") from None
            yield _record_entry(where, record, path)
        return
    if not isinstance(whole, dict):
        raise UsageError(f"{path} is a JSON {type(whole).__name__}, not an object of ids")
    if isinstance(whole.get("sample"), str) and "score" in whole:
        yield _record_entry("line 1", whole, path)
        return
    for sample, entry in whole.items():
        yield f"id {sample!r}", ("", sample), entry


def _record_entry(where: str, record: Any, path: str) -> tuple[str, tuple[str, str], Any]:
    if isinstance(record, dict) and {"question_id", "text"} <= record.keys():
        raise UsageError(_ANSWERS.format(path))
    if not isinstance(record, dict) or not isinstance(record.get("sample"), str):
        raise UsageError(f"{path}, {where}: not a record with a sample")
    sample = record["sample"]
    return f"{where}, sample {sample!r}", (str(record.get("benchmark") or ""), sample), record


def _runs(entry: Any) -> _Runs:
    """The verdicts of an entry, one a judge run; none where nothing was scored."""
    if not isinstance(entry, dict):
        scores = entry if isinstance(entry, list) else [entry]
        return tuple(Verdict(_score(score)) for score in scores)
    if "sample" in entry:
        return _runs_of_record(entry)
    if not isinstance(entry.get("score"), list):
        raise ValueError("no list of scores under 'score'")
    names, words = (x if isinstance(x := entry.get(k), list) else [] for k in ("model", "content"))
    return tuple(
        Verdict(
            _score(score),
            rationale=_words(words[run]) if run < len(words) else "",
            judge_model=str(names[run]) if run < len(names) and names[run] else None,
        )
        for run, score in enumerate(entry["score"])
    )


def _words(content: object) -> str:
    """What a judge said where that was no number."""
    return content if isinstance(content, str) and not _is_number(content) else ""


def _of_no_number(name: str, verdicts: _Verdicts) -> list[str]:
    """A note on zeros that stand for a number which the judge never gave.

    MM-Vet's evaluator writes 0.0 after its last try, with the judge's words beside it.
    """
    found = [
        sample
        for (benchmark, sample), runs in verdicts.items()
        if not benchmark and any(v and v.score == 0 and v.rationale for v in runs)
    ]
    if not found:
        return []
    shown = ", ".join(map(ascii, found[:3])) + (", …" if len(found) > 3 else "")
    return [
        f"{name} holds 0 for {len(found)} of its samples where its judge gave no number ({shown}); "
        "they are taken as they stand"
    ]


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None


def _runs_of_record(record: Mapping[str, Any]) -> _Runs:
    if record.get("status", "scored") != "scored" or record.get("score") is None:
        return ()
    answer_only = record.get("score_answer_only")
    steps = tuple(
        StepCredit(int(step["step"]), _score(step["credit"])) for step in record.get("steps") or ()
    )
    named = record.get("judge_models")
    names = named if isinstance(named, list) else []
    return tuple(
        None
        if score is None
        else Verdict(
            _score(score),
            None if answer_only is None else _score(answer_only),
            steps,
            str(record.get("rationale") or ""),
            judge_model=str(names[run]) if run < len(names) and names[run] else None,
        )
        for run, score in enumerate(record.get("scores") or [record["score"]])
    )


def _score(value: object) -> float:
    if isinstance(value, str) and _is_number(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"the score {value!r} is not a number")
    if not 0 <= value <= 1 or not math.isfinite(value):
        raise ValueError(f"the score {value!r} is outside [0, 1]")
    return float(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice!r} is given twice")
    return data


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
