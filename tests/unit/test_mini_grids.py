"""The shape grids of the mini benchmark have one answer each: all that could be are tried."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.grids import SOLVERS, Grid, grid_of
from tests.support.scripts import ROOT, tiny_scripts

SAMPLES: dict[str, dict[str, Any]] = {
    row["id"]: row
    for line in (ROOT / "benchmarks" / "mini" / "samples.jsonl").read_text("utf-8").splitlines()
    if "shape_grid" in (row := json.loads(line))["tags"]
}


@pytest.fixture(scope="module")
def grids() -> Iterator[dict[str, Grid]]:
    with tiny_scripts("world") as modules:
        yield {name: grid_of(rows) for name, rows in modules.world.GRIDS.items()}


def test_every_grid_of_the_newer_samples_is_solved() -> None:
    """The first eight were checked by eye."""
    assert len(SAMPLES.keys() - SOLVERS.keys()) == 8


@pytest.mark.parametrize("name", SOLVERS)
def test_the_answer_is_the_only_one(grids: dict[str, Grid], name: str) -> None:
    sample = SAMPLES[name]
    pictures = [Path(image).stem for image in sample["images"]]
    found = SOLVERS[name](*(grids[picture] for picture in pictures))
    assert len(found) == 1
    (answer,) = found
    first = str(sample["answer"]).split("<OR>")[0]
    assert [part.casefold() for part in first.split("<AND>")] == answer.split("<AND>")
