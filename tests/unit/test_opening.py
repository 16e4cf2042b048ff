"""A path that is nearly right is told with the one that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mmreason.__main__ import main
from pytest_mmreason.benchmarks.opening import open_benchmark
from pytest_mmreason.errors import BenchmarkError
from tests.support.official import write_infimm, write_vet

NEARLY = [
    ("mm-vet", "mm-vet/mm-vet.json", "that is a file; write mm-vet={data}/mm-vet"),
    (None, "mm-vet/mm-vet.json", "that is a file; write mm-vet={data}/mm-vet"),
    ("mm-vet", "mmvet", "no such folder; did you mean mm-vet={data}/mm-vet?"),
    (None, "MMVet", "no such folder; did you mean mm-vet={data}/mm-vet?"),
    ("mm-vet", "mm-vet/images", "mm-vet.json lies one folder up; write mm-vet={data}/mm-vet"),
    (None, "mm-vet/images", "mm-vet.json lies one folder up; write mm-vet={data}/mm-vet"),
    (
        "mm-vet",
        "infimm-eval",
        "this folder holds core-mm-wo-answer.json, the file of infimm-eval: "
        "write infimm-eval={data}/infimm-eval",
    ),
    (
        "infimm-eval",
        "mm-vet",
        "this folder holds mm-vet.json, the file of mm-vet: write mm-vet={data}/mm-vet",
    ),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with both official benchmarks."""
    for name, write in (("mm-vet", write_vet), ("infimm-eval", write_infimm)):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("name", "path", "told"), NEARLY)
def test_what_was_meant_is_said(
    data: Path, capsys: pytest.CaptureFixture[str], name: str | None, path: str, told: str
) -> None:
    with pytest.raises(BenchmarkError) as caught:
        open_benchmark(data / path, name)
    assert caught.value.faults == (told.format(data=data),)
    spec = f"{data / path}" if name is None else f"{name}={data / path}"
    assert main(["validate", "--no-images", spec]) == 1
    assert told.format(data=data) in " ".join(capsys.readouterr().out.split())


def test_nothing_is_guessed_where_nothing_is_near(data: Path) -> None:
    (data / "empty").mkdir()
    for path in ("empty", "elsewhere/mmvet"):
        with pytest.raises(BenchmarkError) as caught:
            open_benchmark(data / path, "mm-vet")
        assert "write" not in str(caught.value) and "mean" not in str(caught.value)
    assert open_benchmark(data / "mm-vet", "mm-vet").name == "mm-vet"
