"""From what ``--mm-benchmark`` names to the reader of it: a folder, a table, or official files."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.official import IMAGES, manifest
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


TAKEN = f"taken are a folder with benchmark.toml, FILE.tsv, and {', '.join(f'{o}=DIR' for o in OFFICIAL)}"


def open_benchmark(path: Path, name: str | None = None, corrections: bool = True) -> Benchmark:
    """The benchmark at `path`, under `name` if that is given; BenchmarkError for its faults.

    An official name says how to read a folder that is not in the native format.
    """
    if path.suffix.lower() == ".tsv" and not path.is_dir():
        from pytest_mmreason.benchmarks import tsv

        return tsv.load(path, name)
    if (path / native.MANIFEST).is_file():
        return native.load(path, name)
    if hint := _meant(path, name):
        raise BenchmarkError(str(path), [hint])
    if name not in OFFICIAL:
        return native.load(path, name)
    if name == "infimm-eval":
        from pytest_mmreason.benchmarks import infimm_eval

        return infimm_eval.load(path, name, corrections)
    from pytest_mmreason.benchmarks import mm_vet

    return mm_vet.load(path, name) if name == "mm-vet" else mm_vet.load_v2(path, name)


def _meant(path: Path, name: str | None) -> str:
    """What was probably meant by a path at which there is no benchmark `name`; "" if unknown."""
    if path.is_file():
        named = next((o for o in OFFICIAL if manifest(o).file == path.name), name)
        return (
            f"that is a file; write {named}={path.parent}" if named else f"that is a file; {TAKEN}"
        )
    if not path.exists():
        close = _near(path)
        named = (_official_in(close) or name) if close else None
        return (
            f"no such folder; did you mean {f'{named}=' if named else ''}{close}?" if close else ""
        )
    found, above = _official_in(path, name), _official_in(path.parent, name)
    if found and name in OFFICIAL:
        what = (
            f"this folder holds {manifest(found).file}, the file of {found}: write {found}={path}"
        )
        return "" if found == name else what
    if found:
        return f"no {native.MANIFEST} in it, but {manifest(found).file}: write {found}={path}"
    if above and name in (None, above) and path.name == IMAGES:
        return f"{manifest(above).file} lies one folder up; write {above}={path.parent}"
    return ""


def _official_in(folder: Path, first: str | None = None) -> str | None:
    """The official benchmark whose file `folder` holds, `first` before others; None if none's."""
    names = sorted(OFFICIAL, key=lambda name: name != first)
    return next((name for name in names if (folder / manifest(name).file).is_file()), None)


def _near(path: Path) -> Path | None:
    """The folder beside `path` whose name is most like its own."""
    try:
        folders = {p.name.casefold(): p for p in path.parent.iterdir() if p.is_dir()}
    except OSError:
        return None
    close = get_close_matches(path.name.casefold(), list(folders), n=1)
    return folders[close[0]] if close else None


def is_official(benchmark: Benchmark) -> bool:
    """True if `benchmark` was read from files as its authors published them."""
    name = benchmark.name
    return name in OFFICIAL and benchmark.file == manifest(name).file


def where_to_get(name: str) -> str:
    """What to write for an official benchmark whose folder was not named."""
    known = manifest(name)
    return (
        f"write {name}=DIR; DIR is the folder with {known.file}, from {known.source}, or what "
        f"python -m pytest_mmreason fetch {name} DIR makes"
    )
