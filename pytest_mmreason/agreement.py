"""Measuring a judge on graded answers (MM-Vet, Table 9): how far is it from the reference?"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import BenchmarkError, MissingPrediction, nearest
from pytest_mmreason.gates import TOLERANCE, Gate
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.record import Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import OVERALL

NAME = "agreement"
MODEL = "graded answers"

_FIELDS = ("sample", "id", "question", "reference", "steps", "capabilities", "category", "complexity", "answer", "score", "model")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graded:
    """Graded answers as a benchmark: a sample for each, its answer and its reference score.

    scores: in [0, 1], by sample id.
    """

    benchmark: Benchmark
    answers: Mapping[str, str]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a judge agrees with reference scores, over `n` answers it judged.

    difference: mean |judge - reference| in [0, 1]; bias: mean (judge - reference).
    """

    n: int
    difference: float
    bias: float


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


def load(path: Path, benchmarks: Mapping[str, Benchmark]) -> Graded:
    """The graded answers in a file of JSON lines.

    A line holds ``answer``, ``score`` in [0, 1], and either ``sample`` (an id of one of
    `benchmarks`) or ``question`` and ``reference`` (and, if wanted, ``steps``,
    ``capabilities``, ``category``, ``complexity``).

    Raises BenchmarkError listing all faults with their lines.
    """
    known = {sample.id: sample for b in benchmarks.values() for sample in b.samples}
    faults: list[str] = []
    samples: list[Sample] = []
    answers: dict[str, str] = {}
    scores: dict[str, float] = {}
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"--mm-agreement {path}", [str(error)]) from None
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            sample, answer, score = _read_line(line, f"{number:04}", known)
        except (ValueError, RecursionError) as error:
            faults.append(f"{path.name}:{number}: {error}")
            continue
        samples.append(sample)
        answers[sample.id] = answer
        scores[sample.id] = score
    if not samples and not faults:
        faults.append(f"{path.name}: holds no graded answer")
    if faults:
        raise BenchmarkError(f"--mm-agreement {path}", faults)
    protocol = next(iter(benchmarks.values())).protocol
    benchmark = Benchmark(
        name=NAME,
        protocol=protocol,
        samples=tuple(samples),
        source=path.name,
    )
    return Graded(benchmark, answers, scores)


def _read_line(line: str, number: str, known: Mapping[str, Sample]) -> tuple[Sample, str, float]:
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError(f"a graded answer is a JSON object, not {type(row).__name__}")
    for key in row:
        if key not in _FIELDS:
            raise ValueError(f"field {key}: unknown. {nearest(key, _FIELDS)}")
    answer, score = row.get("answer"), row.get("score")
    if not isinstance(answer, str):
        raise ValueError("field answer: a string is needed")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise ValueError(f"field score: {score!r} is not a number in [0, 1]")
    wanted = row.get("sample", row.get("id"))
    if wanted is not None:
        sample = known.get(str(wanted))
        if sample is None:
            raise ValueError(f"no sample {wanted!r}. {nearest(str(wanted), known)}")
        if sample.answer is None:
            raise ValueError(f"sample {wanted!r} has no reference answer to judge by")
        made = dataclasses.replace(sample, images=())
    else:
        question, reference = row.get("question"), row.get("reference")
        if not isinstance(question, str) or not isinstance(reference, str):
            raise ValueError("give sample, or question and reference")
        made = Sample(
            id=number,
            question=question,
            answer=reference,
            steps=tuple(map(str, row.get("steps", ()))),
            capabilities=tuple(map(str, row.get("capabilities", ()))),
            category=str(row.get("category", "")),
            complexity=str(row.get("complexity", "")),
        )
    name = f"{wanted}-{number}" if wanted is not None else number
    return dataclasses.replace(made, id=name, benchmark=NAME, weight=1.0), answer, float(score)


def measure(records: Iterable[Record], references: Mapping[str, float]) -> Agreement | None:
    """The agreement of the judged records with `references`; None if none was judged."""
    pairs = [(r.score, references[r.sample]) for r in records if r.score is not None]
    if not pairs:
        return None
    return Agreement(
        n=len(pairs),
        difference=math.fsum(abs(score - reference) for score, reference in pairs) / len(pairs),
        bias=math.fsum(score - reference for score, reference in pairs) / len(pairs),
    )


def gate(found: Agreement | None, limit: float) -> Gate:
    """The gate of ``--mm-max-disagreement``."""
    if found is None:
        return Gate(OVERALL, "max_disagreement", limit, None, False, "the judge judged nothing")
    passed = found.difference <= limit + TOLERANCE
    reason = (
        f"mean disagreement {found.difference:.3f} is {'within' if passed else 'above'} {limit:g}"
    )
    return Gate(OVERALL, "max_disagreement", limit, found.difference, passed, reason)
