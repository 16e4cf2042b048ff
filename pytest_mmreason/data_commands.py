"""The commands about benchmarks' data: ``validate`` and ``fetch``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import BenchmarkError

SCHEMA = 1


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
    from pytest_mmreason.options import absolute_spec
    from pytest_mmreason.registry import Registry
    from pytest_mmreason.settings import Settings

    directory = Path.cwd()
    settings = Settings(directory=directory, corrections=chosen.mm_corrections)
    try:
        benchmark = Registry().benchmark(absolute_spec(spec, directory), settings)
    except BenchmarkError as error:
        return unreadable(spec, error)
    images = {} if chosen.no_images else dict(inspect(benchmark.samples))
    return survey(benchmark, spec, images)
