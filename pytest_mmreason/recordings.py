"""Whether recorded answers and grades are what they are taken for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.replay import ReplayModel
from pytest_mmreason.plan import Plan
from pytest_mmreason.reports.official import file_name, model_name
from pytest_mmreason.reports.text import count
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import RunResult

_FEWEST, _MOST = 3, 0.9
"""From so many answers on, and from such a share of them, repeating the question is no chance."""

_GRADES = re.compile(r"(.+?)(?:_\d+of\d+)?_[^_]+-grade-\d+runs(?:_\w+)?\.json")


def of_no_sample(plan: Plan, roles: Iterable[Any]) -> list[str]:
    """Notes on recorded answers and verdicts that belong to no sample; UsageError if none does."""
    benchmarks = {run.benchmark.name: run.benchmark for run in plan.runs}
    known = [sample.id for benchmark in benchmarks.values() for sample in benchmark.samples]
    notes = []
    for role in roles:
        refuse_questions(role, benchmarks.values())
        unknown = role.unknown(known) if hasattr(role, "unknown") else []
        if not unknown:
            continue
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        what = "verdict" if hasattr(role, "judge") else "answer"
        if len(unknown) == len(getattr(role, "ids", ())):
            option = "judge" if what == "verdict" else "model"
            forgotten = plan.settings.benchmark == Settings().benchmark
            raise UsageError(
                f"--mm-{option}={role.name}: none of its {len(unknown)} ids ({shown}) is "
                f"a sample of {', '.join(benchmarks)}"
                + ("; did you forget --mm-benchmark?" if forgotten else "")
            )
        notes.append(
            f"{role.name} holds {count(len(unknown), what)} to no sample of the benchmark: {shown}"
        )
    return notes


def refuse_questions(role: object, benchmarks: Iterable[Benchmark]) -> None:
    """UsageError if what `role` brings as recorded answers are the questions themselves."""
    if not isinstance(role, ReplayModel):
        return
    pairs = [
        (sample.question.strip(), found.text.strip())
        for benchmark in benchmarks
        for sample in benchmark.samples
        if (found := role.recorded(benchmark.name, sample.id)) is not None
    ]
    same = sum(question == text for question, text in pairs)
    if same >= max(_FEWEST, _MOST * len(pairs)):
        raise UsageError(
            f"--mm-model={role.name}: {same} of its {len(pairs)} answers are the question, word for "
            "word: these are the questions; name the file of a model's answers"
        )


def of_another(run: RunResult) -> str:
    """A note where the file of the grades names another model than the run's answers are of.

    MM-Vet's evaluator calls it ``NAME_JUDGE-grade-Nruns.json``, where the answers are in
    ``NAME.json``. "" if it names none, or this one.
    """
    agreed = run.agreement
    file = agreed.files["file"] if agreed else str(run.judging.get("grades", ""))
    answers = agreed.files.get("answers", "") if agreed else ""
    found = _GRADES.fullmatch(file)
    if found is None or (agreed and not answers):
        return ""
    own = file_name(model_name(f"replay:{answers}" if agreed else run.spec.model))
    graded, before, after = found[1], run.spec.benchmark.name, run.spec.prompt
    known = rf"(\d+-)?({re.escape(before)}-)?{re.escape(own)}(-{after})?"
    if re.fullmatch(known, graded, re.IGNORECASE) or own.startswith(f"{graded}."):
        return ""
    return (
        f"the grades of {file} are, by its name, of answers by {graded}, and these are "
        f"{answers or run.spec.model}: grades of other answers say nothing of these"
    )
