"""From what ``--mm-benchmark`` names to the reader of it: a folder, a table, or official files."""

from __future__ import annotations

from pathlib import Path

from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.official import manifest
from pytest_mmreason.errors import BenchmarkError

OFFICIAL = {
    "infimm-eval": "infimm-eval=DIR  InfiMM-Eval as downloaded: core-mm-wo-answer.json, images/, references.jsonl if at hand",
    "mm-vet": "mm-vet=DIR       MM-Vet as downloaded: mm-vet.json, images/",
    "mm-vet-v2": "mm-vet-v2=DIR    MM-Vet v2 as downloaded: mm-vet-v2.json, images/",
}
"""Names under which a folder is read as its authors published it."""

OTHERS = (
    "DIR, NAME=DIR    a folder with benchmark.toml, in the native format",
    "FILE.tsv         a table of VLMEvalKit's, images and all",
)


def open_benchmark(path: Path, name: str | None = None, corrections: bool = True) -> Benchmark:
    """The benchmark at `path`, under `name` if that is given; BenchmarkError for its faults.

    An official name says how to read a folder that is not in the native format.
    """
    if path.suffix.lower() == ".tsv" and not path.is_dir():
        from pytest_mmreason.benchmarks import tsv

        return tsv.load(path, name)
    if (path / native.MANIFEST).is_file():
        return native.load(path, name)
    if name not in OFFICIAL:
        for official in OFFICIAL:
            file = manifest(official).file
            if (path / file).is_file():
                hint = f"no {native.MANIFEST} in it, but {file}: write {official}={path}"
                raise BenchmarkError(str(path), [hint])
        return native.load(path, name)
    if name == "infimm-eval":
        from pytest_mmreason.benchmarks import infimm_eval

        return infimm_eval.load(path, name, corrections)
    from pytest_mmreason.benchmarks import mm_vet

    return mm_vet.load(path, name) if name == "mm-vet" else mm_vet.load_v2(path, name)


def where_to_get(name: str) -> str:
    """What to write for an official benchmark whose folder was not named."""
    known = manifest(name)
    return (
        f"write {name}=DIR; DIR is the folder with {known.file}, from {known.source}, or what "
        f"python -m pytest_mmreason fetch {name} DIR makes"
    )
