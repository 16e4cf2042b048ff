"""``pytest --mm-model=tiny`` from nothing: a real model, no network, no key, no torch."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="the extra `tiny` is not installed")
pytest.importorskip("tokenizers", reason="the extra `tiny` is not installed")

from pytest_mmreason.models import tiny, tiny_runtime
from pytest_mmreason.models.tiny import bundled_checkpoint
from tests.support.benchmarks import (
    MINI_SAMPLES,
    read_records,
    read_summary,
    sample,
    without_times,
    write_benchmark,
)
from tests.support.runs import flat, run

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
COMMAND = "pip install 'pytest-mmreason[tiny]'"

WATCH = """
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def pytest_configure():
    from pytest_mmreason.models import tiny_runtime

    load = tiny_runtime.Runtime.__init__

    def counted(self, *args):
        (HERE / f"load-{os.getpid()}-{id(self)}").touch()
        load(self, *args)

    tiny_runtime.Runtime.__init__ = counted


def pytest_unconfigure():
    for name in ("torch", "transformers", "jinja2", "huggingface_hub"):
        if name in sys.modules:
            (HERE / f"imported-{name}").touch()
"""


@BOTH
def test_every_sample_of_the_bundled_benchmark_is_scored(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    result = run(pytester, "--mm-model=tiny", "--mm-output=out", *workers)
    assert result.ret == 0
    summary = read_summary(pytester.path / "out")
    counts = summary["runs"][0]["counts"]
    assert counts["collected"] == counts["scored"] == MINI_SAMPLES
    records = read_records(pytester.path / "out")
    assert all(record["response"] for record in records)
    assert all(record["usage"]["model"]["calls"] == 1 for record in records)


def test_answers_are_the_same_serially_and_with_workers(pytester: pytest.Pytester) -> None:
    options = ("--mm-model=tiny", "--mm-cache=off", "--mm-prompt=cot")
    run(pytester, *options, "--mm-output=serial")
    run(pytester, *options, "--mm-output=two", "-n2")
    serial, two = (
        without_times(read_records(pytester.path / folder)) for folder in ("serial", "two")
    )
    assert serial == two


@BOTH
def test_the_model_is_loaded_once_and_torch_never(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makeconftest(WATCH)
    result = pytester.runpytest_subprocess("--mm-model=tiny", *workers)
    assert result.ret == 0
    assert len(list(pytester.path.glob("load-*"))) == 1
    assert not list(pytester.path.glob("imported-*"))


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Everything that was loaded."""
    loaded: list[Any] = []
    load: Callable[..., None] = tiny_runtime.Runtime.__init__

    def counted(self: Any, *args: Any) -> None:
        loaded.append(self)
        load(self, *args)

    monkeypatch.setattr(tiny_runtime.Runtime, "__init__", counted)
    return loaded


def test_nothing_is_loaded_where_the_cache_holds_every_answer(
    pytester: pytest.Pytester, loads: list[Any]
) -> None:
    options = ("--mm-model=tiny", "--mm-limit=3", "--mm-output=out")
    run(pytester, *options)
    first = read_records(pytester.path / "out")
    assert len(loads) == 1
    assert run(pytester, *options).ret == 0
    assert len(loads) == 1
    second = read_records(pytester.path / "out")
    assert [r["response"] for r in first] == [r["response"] for r in second]
    assert all(record["cached"] for record in second)


def test_nothing_is_loaded_to_collect(pytester: pytest.Pytester, loads: list[Any]) -> None:
    result = run(pytester, "--mm-model=tiny", "--collect-only", "-q")
    assert result.ret == 0
    assert not loads
    assert f"{MINI_SAMPLES} model calls" in flat(result)


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
@BOTH
def test_what_is_not_installed_is_said_before_the_samples(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    library: str,
    workers: tuple[str, ...],
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, *args: None if name == library else found(name, *args),
    )
    result = run(pytester, "--mm-model=tiny", *workers)
    assert result.ret == 4
    told = [*result.outlines, *result.errlines]
    assert any(library in line and COMMAND in line for line in told)


@BOTH
def test_a_parameter_that_it_does_not_follow_is_said_before_the_samples(
    pytester: pytest.Pytester, loads: list[Any], workers: tuple[str, ...]
) -> None:
    result = run(pytester, "--mm-model=tiny", "--mm-param=temperature=0.7", *workers)
    assert result.ret == 4
    assert any("decodes greedily" in line for line in (*result.outlines, *result.errlines))
    assert not loads


def test_the_batch_is_as_large_as_the_option_says(pytester: pytest.Pytester) -> None:
    options = ("--mm-model=tiny", "--mm-limit=6", "--mm-cache=off")
    assert "float32 · batch 8" in flat(run(pytester, *options, "--mm-output=eight"))
    assert "float32 · batch 3" in flat(
        run(pytester, *options, "--mm-batch-size=3", "--mm-output=three")
    )
    eight, three = (
        without_times(read_records(pytester.path / name)) for name in ("eight", "three")
    )
    assert eight == three


def test_max_tokens_bounds_the_answer(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        "--mm-model=tiny",
        "--mm-limit=4",
        "--mm-prompt=cot",
        *("--mm-param", "max_tokens=2", "--mm-param", "temperature=0", "--mm-output=out"),
    )
    assert result.ret == 0
    for record in read_records(pytester.path / "out"):
        assert record["usage"]["model"]["completion_tokens"] <= 2


def test_a_damaged_file_is_named_before_the_samples(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(bundled_checkpoint(), pytester.path / "broken"))
    (folder / "model.safetensors").write_bytes(b"short")
    monkeypatch.setattr(tiny, "bundled_checkpoint", lambda: folder)
    result = run(pytester, "--mm-model=tiny")
    assert result.ret == 4
    told = " ".join(map(str.strip, (*result.outlines, *result.errlines)))
    assert f"{folder / 'model.safetensors'} is damaged" in told


def test_a_folder_of_ones_own_is_run_too(pytester: pytest.Pytester) -> None:
    folder = Path(shutil.copytree(bundled_checkpoint(), pytester.path / "own"))
    result = run(pytester, "--mm-model=tiny:own", "--mm-limit=3", "--mm-output=out")
    assert result.ret == 0
    (folder / "onnx.json").unlink()
    result = run(pytester, "--mm-model=tiny:own", "--mm-limit=3")
    assert result.ret == 4
    told = " ".join(map(str.strip, (*result.outlines, *result.errlines)))
    assert "python tiny/export.py" in told


@BOTH
def test_a_question_too_long_for_it_fails_and_leaves_the_others(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    samples = [sample(n) for n in range(5)]
    samples[2]["question"] = "Which shape is it? " * 2000
    folder = write_benchmark(pytester.path / "made", samples)
    result = run(
        pytester, "--mm-model=tiny", f"--mm-benchmark={folder}", "--mm-output=out", *workers
    )
    assert result.ret == 1
    statuses = {r["sample"]: r["status"] for r in read_records(pytester.path / "out")}
    assert statuses.pop("s2") == "model_error"
    assert set(statuses.values()) == {"scored"}
    (bad,) = (r for r in read_records(pytester.path / "out") if r["sample"] == "s2")
    assert "its context holds 4096" in bad["reason"]
    assert bad["attempts"] == 1


def test_the_summary_says_what_such_a_model_is_good_for(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--mm-model=tiny", "--mm-limit=3")
    assert "note: tiny is a small model that has seen grids of shapes only" in flat(result)


def test_it_is_listed(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--mm-list=models")
    assert any(line.startswith("tiny ") for line in result.outlines)


def test_the_manifest_names_every_file_that_the_runtime_reads() -> None:
    manifest = json.loads((bundled_checkpoint() / "onnx.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {
        "model.safetensors",
        "tokenizer.json",
        "vision.onnx",
        "decoder.onnx",
    }
