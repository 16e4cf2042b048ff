"""What the authors of InfiMM-Eval ask for: one JSON file a model, ``MODEL_SIZE.json``.

They hold the reference answers back and grade what is sent to them: id -> text, named for
example ``CogVLM-Chat_17B.json`` (the project's page, "Evaluation"). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_mmreason.record import UNJUDGED
from pytest_mmreason.reports.official import file_name, model_name
from pytest_mmreason.summary import RunResult

BENCHMARK = "infimm-eval"
SIZE = "SIZE"
"""Stands for a size that the model's spec does not tell."""

_BILLIONS = re.compile(r"(?<![a-zA-Z0-9.])(\d+(?:\.\d+)?)b(?![a-zA-Z0-9])", re.IGNORECASE)


def name_of(run: RunResult, with_prompt: bool = False) -> str:
    """The file's name, from the model's spec: ``llava-1.5-7b-hf_7B.json``; ``gpt-4v_SIZE.json``.

    with_prompt: the prompt stands after the model: ``gpt-4v-cot_SIZE.json``. Where answers are
    lacking the name says so, as MM-Vet's files do: ``gpt-4v_20of279_SIZE.json``.
    """
    name = model_name(run.spec.model).rpartition("/")[2]
    sizes = _BILLIONS.findall(name) or _BILLIONS.findall(run.spec.asked)
    size = f"_{sizes[-1]}B" if sizes else f"_{SIZE}"
    prompt = f"-{run.spec.prompt}" if with_prompt else ""
    answered, whole = _answered(run)
    part = f"_{answered}of{whole}" if answered < whole else ""
    return f"{file_name(name).removesuffix(size)}{prompt}{part}{size}.json"


def _answered(run: RunResult) -> tuple[int, int]:
    """(samples that have an answer, samples of the benchmark)."""
    # Only where a model gave one, blank or not, is it said how it ended.
    answered = {record.sample for record in run.records if record.finish_reason is not None}
    return len(answered), len(run.spec.benchmark.samples)


def names(runs: Sequence[RunResult]) -> list[str]:
    """The file of each run, all different; "" for one that holds nothing for the authors to grade."""
    several = len({run.spec.prompt for run in runs}) > 1
    found: list[str] = []
    for run in runs:
        name = ""
        if run.spec.benchmark.name == BENCHMARK and run.counts[UNJUDGED]:
            name, number = name_of(run, several), 1
            taken = {other.casefold() for other in found}  # a file system may not tell cases apart
            while name.casefold() in taken:
                number += 1
                name = f"{number}-{name_of(run, several)}"
        found.append(name)
    return found


def notes(runs: Sequence[RunResult]) -> list[str]:
    """How to have each run graded by the authors; "" where they would grade nothing."""
    return [_note(run, name) if name else "" for run, name in zip(runs, names(runs), strict=True)]


def _note(run: RunResult, name: str) -> str:
    rest = f", {SIZE} being the model's, for example 7B" if f"_{SIZE}." in name else ""
    answered, whole = _answered(run)
    if answered < whole:
        return (
            f"{name} is incomplete, with answers to {answered} of {whole} samples: InfiMM-Eval's "
            "authors grade what is sent to them, but a score over all samples wants all answers"
        )
    return (
        f"{run.counts[UNJUDGED]} samples have no reference: InfiMM-Eval's authors grade the "
        f"predictions that are sent to them as {name}{rest}"
    )
