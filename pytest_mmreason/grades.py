"""Graded answers, on which a judge is measured: read as a benchmark that brings its own answers."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.benchmarks.base import Benchmark, shipped
from pytest_mmreason.benchmarks.validation import (
    STRICT,
    Check,
    reference,
    shown,
    string,
    strings,
    word,
)
from pytest_mmreason.errors import BenchmarkError, MissingPrediction, UsageError, nearest
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.sample import Sample

if TYPE_CHECKING:
    from pytest_mmreason.models.replay import ReplayModel

NAME = "agreement"
MODEL = "graded answers"

BUNDLED = ("mini",)
"""Benchmarks that ship with graded answers; each name stands for its own."""

_OWN: Mapping[str, Check] = {
    "question": string,
    "reference": reference,
    "steps": strings,
    "capabilities": strings,
    "category": word,
    "complexity": word,
}
"""What a line brings that names no sample."""

_FIELDS = ("sample", "id", *_OWN, "answer", "score", "kind", "why", "model")

_IDS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Graded:
    """Graded answers as a benchmark: a sample for each, its answer and its reference score.

    scores: in [0, 1], by sample id. kinds: what kind of answer it is, where that is said.
    source: the one benchmark that its questions are of; None if there is none such.
    files:  what it was read from: ``{"file", "sha256"}``, and ``"answers"`` where these
            stand in a file of their own.
    """

    benchmark: Benchmark
    answers: Mapping[str, str]
    scores: Mapping[str, float]
    kinds: Mapping[str, str] = field(default_factory=dict)
    source: Benchmark | None = None
    files: Mapping[str, str] = field(default_factory=dict)


class GradedAnswers:
    """The model adapter that brings the graded answers to the judge."""

    name = MODEL
    wants_images = False
    offline = True
    cacheable = False
    max_concurrency: int | None = None

    def __init__(self, answers: Mapping[str, str]) -> None:
        self._answers = answers
        self.identity: Mapping[str, Any] = {"kind": NAME}

    async def generate(self, request: Request) -> Response:
        """The graded answer of the sample."""
        if request.sample not in self._answers:
            raise MissingPrediction(f"no graded answer {request.sample!r}")
        return Response(self._answers[request.sample])

    async def aclose(self) -> None:
        """Nothing is held open."""


def bundled(name: str) -> Path:
    """The graded answers that ship with one of BUNDLED."""
    return shipped(name) / "graded" / f"{name}.jsonl"


def load(
    path: Path,
    benchmarks: Mapping[str, Benchmark],
    predictions: Callable[[], ReplayModel | None] = lambda: None,
) -> Graded:
    """The graded answers in a file.

    path:   JSON lines, or a grade file of MM-Vet's evaluator (id -> ``{"model", "content",
            "score"}``, each a list over judge runs), whose reference scores are the means
            over its runs. A line holds ``answer``, ``score`` in [0, 1], and either
            ``sample`` (an id of one of `benchmarks`) or ``question`` and ``reference``
            (and, if wanted, ``steps``, ``capabilities``, ``category``, ``complexity``;
            ``kind``, by which the answers are summed up, and ``why``, which is not read).
    predictions: gives the answers that a grade file is of, which it does not hold. Where it
            gives none they are looked for where the evaluator leaves them, in ``NAME.json``
            beside ``NAME_JUDGE-grade-Nruns.json``.

    Raises BenchmarkError listing all faults with their lines or ids; UsageError for a grade
    file that cannot be read or whose answers are not found.
    """
    try:
        raw = path.read_bytes()
        content = raw.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        hint = (
            ""
            if path.exists()
            else f". Bundled are: {', '.join(BUNDLED)}. {nearest(path.name, BUNDLED)}"
        )
        raise UsageError(f"--mm-agreement {path}: {told}{hint}") from None
    protocols = {b.protocol: b.name for b in benchmarks.values()}
    if len(protocols) > 1:
        raise UsageError(
            f"--mm-agreement: {' and '.join(protocols.values())} are judged by different protocols; "
            "name one --mm-benchmark"
        )
    known = {sample.id: sample for b in benchmarks.values() for sample in b.samples}
    replay: ReplayModel | None = None
    if _is_grade_file(content):
        replay = predictions() or _answers_beside(path)
        found, faults = _of_grade_file(path, known, replay, next(iter(protocols)))
    else:
        found, faults = _of_lines(path.name, content, known)
    if not found and not faults:
        faults.append(f"{path.name}: holds no graded answer")
    if faults:
        raise BenchmarkError(f"--mm-agreement {path}", faults)
    files = {"file": path.name, "sha256": hashlib.sha256(raw).hexdigest()}
    return Graded(
        Benchmark(
            NAME, next(iter(protocols)), tuple(one.sample for one in found), source=path.name
        ),
        {one.sample.id: one.answer for one in found},
        {one.sample.id: one.score for one in found},
        {one.sample.id: one.kind for one in found if one.kind},
        next(iter(benchmarks.values())) if len(benchmarks) == 1 else None,
        {**files, "answers": replay.path.name} if replay else files,
    )


@dataclass(frozen=True, slots=True)
class _One:
    sample: Sample
    answer: str
    score: float
    kind: str = ""


def _of_lines(name: str, content: str, known: Mapping[str, Sample]) -> tuple[list[_One], list[str]]:
    """The graded answers of JSON lines, and the faults."""
    found: list[_One] = []
    faults: list[str] = []
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_of_line(line, f"{number:04}", known))
        except (ValueError, RecursionError) as error:
            faults.append(f"{name}:{number}: {error}")
    return found, faults


def _of_line(line: str, number: str, known: Mapping[str, Sample]) -> _One:
    row = STRICT.decode(line)
    if not isinstance(row, dict):
        raise ValueError(f"a graded answer is a JSON object, not {type(row).__name__}")
    for key in row:
        if key not in _FIELDS:
            raise ValueError(f"field {key}: unknown. {nearest(key, _FIELDS)}")
    answer, score, kind = row.get("answer"), row.get("score"), row.get("kind", "")
    if not isinstance(answer, str):
        raise ValueError("field answer: a string is needed")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise ValueError(f"field score: {shown(score)} is not a number in [0, 1]")
    if not isinstance(kind, str):
        raise ValueError(f"field kind: {shown(kind)} is not a string")
    own = {key: row[key] for key in _OWN if key in row}
    wanted = {key: row[key] for key in ("sample", "id") if row.get(key) is not None}
    if wanted and own:
        raise ValueError(
            f"field {next(iter(own))}: a line that names a sample takes all of it from there"
        )
    if wanted:
        sample = _named(wanted, known)
        return _One(_as_graded(sample, f"{sample.id}-{number}"), answer, float(score), kind)
    if own.get("question") is None or own.get("reference") is None:
        raise ValueError("give sample, or question and reference")
    for key, value in own.items():
        if fault := _OWN[key](value):
            raise ValueError(f"field {key}: {fault}")
    made = Sample(
        id=number,
        question=own["question"],
        answer=own["reference"],
        steps=tuple(own.get("steps", ())),
        capabilities=tuple(dict.fromkeys(own.get("capabilities", ()))),
        category=own.get("category", ""),
        complexity=own.get("complexity", ""),
    )
    return _One(_as_graded(made, number), answer, float(score), kind)


def _named(wanted: Mapping[str, Any], known: Mapping[str, Sample]) -> Sample:
    """The one sample that a line names, as ``sample`` or ``id``."""
    name, *others = dict.fromkeys(map(str, wanted.values()))
    if others:
        raise ValueError(f"field id: {shown(wanted['id'])} is not {name!r}, the sample")
    sample = known.get(name)
    if sample is None:
        raise ValueError(f"no sample {name!r}. {nearest(name, known)}")
    if sample.answer is None:
        raise ValueError(f"sample {name!r} has no reference answer to judge by")
    return sample


def _as_graded(sample: Sample, name: str) -> Sample:
    """`sample` as one of graded answers: called `name`, without images, weighing 1."""
    return dataclasses.replace(
        sample, id=name, images=(), interleaved=False, benchmark=NAME, weight=1.0
    )


def _is_grade_file(content: str) -> bool:
    """True for one JSON object whose entries each hold a list of scores."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(whole, dict)
        and bool(whole)
        and all(isinstance(e, dict) and isinstance(e.get("score"), list) for e in whole.values())
    )


def _answers_beside(path: Path) -> ReplayModel:
    """The answers of a grade file that lie beside it, as MM-Vet's evaluator leaves them."""
    from pytest_mmreason.models.replay import ReplayModel

    beside = [
        file
        for file in path.parent.glob("*.json")
        if path.name.startswith(f"{file.stem}_") and file != path
    ]
    if not beside:
        raise UsageError(
            f"--mm-agreement {path}: a grade file holds scores and no answers; "
            "--mm-model=replay:FILE names the predictions that were graded"
        )
    file = max(beside, key=lambda found: len(found.name))
    return ReplayModel(file, f"replay:{file.name}")


def _of_grade_file(
    path: Path, known: Mapping[str, Sample], replay: ReplayModel, protocol: str
) -> tuple[list[_One], list[str]]:
    """The graded answers of an official grade file, and the faults."""
    from pytest_mmreason.judges.base import JudgeTask
    from pytest_mmreason.judges.replay import ReplayJudge

    judge = ReplayJudge(path)
    found: list[_One] = []
    strange: list[str] = []
    unanswered: list[str] = []
    for name in judge.order:
        sample = known.get(name)
        if sample is None or sample.answer is None:
            strange.append(name)
            continue
        response = replay.recorded(sample.benchmark, name)
        if response is None:
            unanswered.append(name)
            continue
        runs = (judge.recorded(JudgeTask(sample, "", protocol, run)) for run in range(judge.runs))
        scores = [verdict.score for verdict in runs if verdict is not None]
        score = math.fsum(scores) / len(scores)
        found.append(_One(_as_graded(sample, name), response.text, score))
    faults = []
    if strange:
        faults.append(
            f"{_few(strange)}: no samples with a reference in the benchmark; name the graded one "
            "by --mm-benchmark, for example mm-vet=DIR"
        )
    if unanswered:
        faults.append(f"{_few(unanswered)}: no answers in {replay.path.name}")
    return found, faults


def _few(ids: list[str]) -> str:
    shown = ", ".join(map(ascii, ids[:_IDS_SHOWN]))
    return f"{len(ids)} ids ({shown}{', …' if len(ids) > _IDS_SHOWN else ''})"
