"""What a reader of a run's results must know of its benchmark: of the samples that it had."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_mmreason.benchmarks.official import image_note
from pytest_mmreason.benchmarks.opening import is_official
from pytest_mmreason.imaging import link_out, told_link
from pytest_mmreason.plan import RunSpec
from pytest_mmreason.record import DATA_ERROR
from pytest_mmreason.reports.text import count
from pytest_mmreason.sample import ImageRef
from pytest_mmreason.summary import RunResult


def remarks(run: RunResult) -> list[str]:
    """The notes of the benchmark, those of the run's samples, and the images that were lacking.

    Images are counted where one of them made a data error: a run that sends none lacks none.
    """
    benchmark = run.spec.benchmark
    ids = {record.sample for record in run.records}
    notes = [*benchmark.notes, *(n for i, n in benchmark.sample_notes.items() if i in ids)]
    failed = {record.sample for record in run.records if record.status == DATA_ERROR}
    if failed and run.spec.asking.sends:
        notes += _links(_sent(run.spec, failed))
        if is_official(benchmark):
            notes.append(image_note(_sent(run.spec, ids), benchmark.source))
    return [f"{benchmark.name}: {note}" for note in notes if note]


def _links(sent: dict[str, list[ImageRef]]) -> list[str]:
    """A note on each link out of the benchmark's folder, behind which images were."""
    found: dict[tuple[str, str], set[str]] = {}
    for sample, refs in sent.items():
        for ref in refs:
            if link := link_out(ref):
                found.setdefault((ref.root, link), set()).add(sample)
    return [
        f"{told_link(root, link)}; the {count(len(ids), 'sample')} asked with images behind it "
        "ended as data errors"
        for (root, link), ids in found.items()
    ]


def _sent(spec: RunSpec, ids: set[str]) -> dict[str, list[ImageRef]]:
    """Sample's id -> the files that are sent with its question, worked examples' among them."""
    asked = (sample for sample in spec.benchmark.samples if sample.id in ids)
    return {s.id: [file for ref in spec.question(s).images for file in ref.files] for s in asked}


def doubts(functions: Sequence[str]) -> list[str]:
    """That kept answers of `functions` may be those of other weights."""
    if not functions:
        return []
    return [
        f"answers of {', '.join(functions)} came from the cache, which knows a change by "
        "the function's source file alone; where weights change, set a version attribute on it, "
        "or use --mm-cache=off"
    ]
