"""What a reader of a run's results must know of its benchmark: of the samples that it had."""

from __future__ import annotations

from pytest_mmreason.benchmarks.official import image_note
from pytest_mmreason.benchmarks.opening import is_official
from pytest_mmreason.plan import RunSpec
from pytest_mmreason.record import DATA_ERROR
from pytest_mmreason.sample import ImageRef
from pytest_mmreason.summary import RunResult


def remarks(run: RunResult) -> list[str]:
    """The notes of the benchmark, those of the run's samples, and the images that were lacking.

    Images are counted where one of them made a data error: a run that sends none lacks none.
    """
    benchmark = run.spec.benchmark
    ids = {record.sample for record in run.records}
    notes = [*benchmark.notes, *(n for i, n in benchmark.sample_notes.items() if i in ids)]
    failed = any(record.status == DATA_ERROR for record in run.records)
    if failed and run.spec.asking.sends and is_official(benchmark):
        notes.append(image_note(_sent(run.spec, ids), benchmark.source))
    return [f"{benchmark.name}: {note}" for note in notes if note]


def _sent(spec: RunSpec, ids: set[str]) -> dict[str, list[ImageRef]]:
    """Sample's id -> the files that are sent with its question, worked examples' among them."""
    asked = (sample for sample in spec.benchmark.samples if sample.id in ids)
    return {s.id: [file for ref in spec.question(s).images for file in ref.files] for s in asked}
