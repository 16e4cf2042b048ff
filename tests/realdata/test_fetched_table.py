"""MM-Vet's real texts, laid out as the hub's table, come out as the official archive."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_mmreason.benchmarks import mm_vet
from pytest_mmreason.fetching.unpacking import Target, unpack


@pytest.mark.parametrize("keeps_names", [True, False])
def test_revision_of_a_fetched_table_is_known(
    realdata: Path, tmp_path: Path, keeps_names: bool
) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra hub is not installed")
    from pyarrow.parquet import write_table

    rows = []
    official = json.loads((realdata / "mmvet" / "mm-vet.json").read_text(encoding="utf-8"))
    numbers: dict[str, int] = {}
    for key, entry in official.items():
        name = entry.pop("imagename")
        width = numbers.setdefault(name, 40 + len(numbers))
        buffer = io.BytesIO()
        Image.new("RGB", (width, 40)).save(buffer, "PNG" if name.endswith("png") else "JPEG")
        image = {"bytes": buffer.getvalue(), "path": name if keeps_names else None}
        rows.append({"id": key, **entry, "image": image})
    write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    target = Target(tmp_path / "made", "mm-vet.json")
    unpack(tmp_path / "t.parquet", "t.parquet", target)
    assert len(target.made) == 201
    benchmark = mm_vet.load(tmp_path / "made")
    assert (benchmark.version, benchmark.notes) == ("current", ())
