"""The command ``caption``: a model describes every image of a benchmark, for runs without images.

The images are asked for as a benchmark of their own, one sample each, through the engine: so
captions have its limits, retries, batches and cache, and a run that was cut short goes on
where it was.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.engine import Engine
from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.base import strip_reasoning
from pytest_mmreason.plan import Plan, make_plan, plan_runs
from pytest_mmreason.record import UNJUDGED, Record
from pytest_mmreason.registry import Registry
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.store import open_store, prepare_home

QUESTION = (
    "Describe this image in detail: every person, thing and place in it, where they are and what "
    "happens; all text and numbers word by word; and what is commonly known about what it shows."
)
"""What is asked of an image. InfiMM-Eval does not tell its words; it found that what captions say
of text in the image and of common knowledge matters most (section 4.2.4)."""

TELL_EVERY_S = 30.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the images of a benchmark, each counted once.

    failed: image -> why it has no caption. cut: images whose captions were cut short.
    """

    images: int
    failed: Mapping[str, str]
    cut: tuple[str, ...]
    calls: int
    cached: int
    notes: tuple[str, ...]


def write_captions(
    settings: Settings, output: Path, question: str, tell: Callable[[str], None]
) -> Outcome:
    """Caption the selected samples' images with the one model, and write them to `output`.

    settings: one model and one benchmark, what is selected of it, and how the model is asked.
    tell: is given a line of progress now and then. The file is written where there is one
    caption at least, in the form that :mod:`pytest_mmreason.captions` reads.

    Raises UsageError or BenchmarkError.
    """
    folder = output.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK) or output.is_dir():
        raise UsageError(f"--mm-output {output}: no file can be written there")
    registry = Registry()
    chosen = make_plan(settings, registry)
    (run,) = chosen.runs
    samples = [run.benchmark.samples[i] for i in chosen.selected[run.benchmark.name]]
    images = {image.path: image for sample in samples for image in sample.images}
    if not images:
        raise UsageError(f"the selected samples of {run.benchmark.name} have no images to caption")
    model = registry.model(run.spec, settings)
    if model is None:
        raise UsageError("--mm-model=fixture: a fixture belongs to a test run; name another model")
    plan = _plan_of_images(chosen, images, question)
    prepare_home(Path.cwd())
    store = open_store(settings.cache_dir, settings.cache)
    engine = Engine(plan, {run.spec: model}, registry.judge(settings), store)
    try:
        captions, failed, cut = _ask(engine, tell)
    finally:
        engine.close()
    rows = [
        {
            "benchmark": run.benchmark.name,
            "sample": sample.id,
            "image": path,
            "caption": captions[path],
            "model": run.model,
        }
        for sample in samples
        for path in dict.fromkeys(image.path for image in sample.images)
        if path in captions
    ]
    if rows:
        temporary = output.with_name(f".{output.name}.{os.getpid()}")
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        temporary.write_text(lines, encoding="utf-8")
        temporary.replace(output)
    return Outcome(
        len(images),
        failed,
        cut,
        engine.calls()["model"],
        engine.cache_hits["model"],
        tuple(engine.notes()),
    )


def _plan_of_images(chosen: Plan, images: Mapping[str, ImageRef], question: str) -> Plan:
    """A plan that asks `question` of each image; no paper's prompt is for that protocol."""
    (run,) = chosen.runs
    name = run.benchmark.name
    samples = [Sample(path, question, (ref,), benchmark=name) for path, ref in images.items()]
    settings = replace(chosen.settings, limit=None, sample=(), subset=None)
    benchmark = Benchmark(name, "captions", tuple(samples))
    return plan_runs(settings, {name: benchmark}, {run.spec: run.model}, {run.spec: run.preset})


def _ask(
    engine: Engine, tell: Callable[[str], None]
) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """(image -> caption, image -> why there is none, images whose caption was cut short)."""
    captions: dict[str, str] = {}
    failed: dict[str, str] = {}
    cut: list[str] = []
    works = list(engine.plan.works())
    last = time.monotonic()

    def waiting() -> None:
        nonlocal last
        if time.monotonic() - last >= TELL_EVERY_S:
            last = time.monotonic()
            tell(f"{len(captions) + len(failed)} of {len(works)} images")

    engine.select(works)
    for work in works:
        image = engine.plan.sample(work).id
        record = engine.evaluate(work, while_waiting=waiting).record
        caption = strip_reasoning(record.response or "") if record.status == UNJUDGED else ""
        if not caption:
            failed[image] = _why(record)
            continue
        captions[image] = caption
        if record.finish_reason == "length":
            cut.append(image)
    return captions, failed, tuple(cut)


def _why(record: Record) -> str:
    if record.status != UNJUDGED:
        return f"{record.status}: {record.reason}"
    return "the caption is empty"
