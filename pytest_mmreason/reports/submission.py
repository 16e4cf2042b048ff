"""What the authors of InfiMM-Eval ask for: one JSON file a model, ``MODEL_SIZE.json``.

They hold the reference answers back and grade what is sent to them: id -> text, named for
example ``CogVLM-Chat_17B.json`` (the project's page, "Evaluation"). Pure.
"""

from __future__ import annotations

import re

from pytest_mmreason.record import UNJUDGED
from pytest_mmreason.reports.official import file_name, model_name
from pytest_mmreason.summary import RunResult

BENCHMARK = "infimm-eval"
SIZE = "SIZE"
"""Stands for a size that the model's spec does not tell."""

_BILLIONS = re.compile(r"(?<![a-zA-Z0-9.])(\d+(?:\.\d+)?)b(?![a-zA-Z0-9])", re.IGNORECASE)


def name_of(run: RunResult) -> str:
    """The file's name, from the model's spec: ``llava-1.5-7b-hf_7B.json``; ``gpt-4v_SIZE.json``."""
    name = model_name(run.spec.model).rpartition("/")[2]
    sizes = _BILLIONS.findall(name) or _BILLIONS.findall(run.spec.asked)
    size = f"_{sizes[-1]}B" if sizes else f"_{SIZE}"
    return f"{file_name(name).removesuffix(size)}{size}.json"


def note(run: RunResult) -> str:
    """How to have the run graded by the authors; "" where it holds nothing that is not."""
    unjudged = run.counts[UNJUDGED]
    if run.spec.benchmark.name != BENCHMARK or not unjudged:
        return ""
    name = name_of(run)
    rest = f", {SIZE} being the model's, for example 7B" if f"_{SIZE}." in name else ""
    return (
        f"{unjudged} samples have no reference: InfiMM-Eval's authors grade the predictions that "
        f"are sent to them as {name}{rest}"
    )
