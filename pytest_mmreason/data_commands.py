"""The commands about benchmarks' data: ``validate`` and ``fetch``."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import BenchmarkError, UsageError, nearest

if TYPE_CHECKING:
    from pytest_mmreason.fetching.fetch import Plan

SCHEMA = 1

FETCHED = ("mm-vet", "mm-vet-v2", "infimm-eval")
"""What ``fetch`` brings."""


def add_validate(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``validate``."""
    parser.add_argument(
        "benchmarks", metavar="BENCHMARK", nargs="+", help="as --mm-benchmark takes it"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--all", action="store_true", help="list every finding and sample")
    parser.add_argument(
        "--no-images", action="store_true", help="open no image; counts and texts only"
    )
    parser.add_argument("--mm-corrections", choices=("on", "off"), default="on")
    parser.set_defaults(run=_validate)


def _validate(chosen: argparse.Namespace) -> int:
    surveys = [_survey(spec, chosen) for spec in chosen.benchmarks]
    faults = sum(len(survey.at("fault")) for survey in surveys)
    status = 1 if faults else 0
    if chosen.json:
        remarks = sum(len(survey.at("remark")) for survey in surveys)
        content = {
            "schema": SCHEMA,
            "surveys": [survey.to_json() for survey in surveys],
            "faults": faults,
            "remarks": remarks,
            "exit": status,
        }
        print(json.dumps(content, indent=2, allow_nan=False))
        return status
    from _pytest._io import TerminalWriter

    from pytest_mmreason.reports.survey import SurveyPrinter

    printer = SurveyPrinter(TerminalWriter(sys.stdout), chosen.all)
    for survey in surveys:
        printer.survey(survey)
    return status


def _survey(spec: str, chosen: argparse.Namespace) -> Any:
    """The survey of a benchmark; of one that cannot be read, its faults."""
    from pytest_mmreason.benchmarks.inspection import inspect
    from pytest_mmreason.benchmarks.survey import survey, unreadable
    from pytest_mmreason.registry import Registry
    from pytest_mmreason.settings import Settings, absolute_spec

    directory = Path.cwd()
    settings = Settings(directory=directory, corrections=chosen.mm_corrections)
    try:
        benchmark = Registry().benchmark(absolute_spec(spec, directory), settings)
    except BenchmarkError as error:
        return unreadable(spec, error)
    images = {} if chosen.no_images else dict(inspect(benchmark.samples))
    return survey(benchmark, spec, images)


def add_fetch(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of ``fetch``."""
    parser.add_argument("name", metavar="NAME", help=" | ".join(FETCHED))
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new folder, or one fetched to")
    parser.add_argument("--yes", action="store_true", help="accept the licence without being asked")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="another data set of the hub")
    parser.add_argument("--revision", metavar="REV", help="a branch, tag or commit of it")
    parser.set_defaults(run=_fetch)


def _fetch(chosen: argparse.Namespace) -> int:
    from pytest_mmreason.benchmarks.official import manifest
    from pytest_mmreason.fetching.fetch import carry_out, check_folder, plan, source_of
    from pytest_mmreason.fetching.hub import FetchError, Hub

    if chosen.name not in FETCHED:
        raise UsageError(
            f"fetch {chosen.name}: no official benchmark is named so. {nearest(chosen.name, FETCHED)}"
        )
    folder = chosen.folder.expanduser()
    source = source_of(chosen.name, chosen.repo, chosen.revision)
    if not chosen.yes and not sys.stdin.isatty():
        raise UsageError(
            f"fetch {chosen.name}: the data have a licence that must be accepted "
            f"({manifest(chosen.name).license}); without a terminal --yes accepts it"
        )
    try:
        check_folder(folder)
        hub = Hub()
        found = plan(hub, chosen.name, folder, source)
        _tell(found, hub.page(source.repository))
        if found.missing:
            if any(file.path.endswith(".parquet") for file in found.missing):
                from pytest_mmreason.fetching.table import parquet

                parquet()
            if not chosen.yes and not _accepted():
                print("nothing was downloaded")
                return 1
            with _Bar(found.size) as progress:
                carry_out(hub, found, progress)
    except FetchError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 2
    spec = f"{chosen.name}={folder}"
    checks = argparse.Namespace(
        benchmarks=[spec], json=False, all=False, no_images=False, mm_corrections="on"
    )
    status = _validate(checks)
    print(f"\npytest --mm-benchmark={shlex.quote(spec)} --mm-model=…")
    return status


def _tell(found: Plan, page: str) -> None:
    """What is about to be downloaded, from where and under which licence."""
    from pytest_mmreason.benchmarks.official import manifest

    known = manifest(found.name)
    said = found.listing.license
    more = f"; its page says {said}" if said else ""
    print(f"benchmark  {found.name}")
    print(f"from       {page} at {found.listing.commit}")
    print(f"licence    {known.license}{more}: name the authors, no commercial use")
    print("           the images belong to their authors")
    files = f"{len(found.wanted)} file{'s' if len(found.wanted) != 1 else ''}"
    print(f"size       {found.size / 1e6:,.1f} MB in {files}, {found.left / 1e6:,.1f} MB to come")
    print(f"into       {found.folder}")
    unstated = [file.path for file in found.missing if not file.digest]
    if unstated:
        print(f"note       the hub states no hash of {', '.join(unstated)}; sizes only are checked")


def _accepted() -> bool:
    try:
        return input("Accept the licence and download? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


class _Bar:
    """How far a download is, on a terminal's standard error; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

        self._progress = Progress(
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("", total=total)

    def __enter__(self) -> Callable[[int], None]:
        self._progress.start()
        return lambda done: self._progress.update(self._task, completed=done)

    def __exit__(self, *error: object) -> None:
        self._progress.stop()
