"""What tests of local models share. Imports torch; a test file asks for it by importorskip first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from pytest_mmreason.models import transformers as adapter
from tests.support.benchmarks import sample, write_benchmark
from tests.support.checkpoints.llava import make_llava


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other cost such small models more than they save."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks the hub."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


@pytest.fixture(scope="session")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of LLaVA's class with random weights; not to be changed."""
    folder = tmp_path_factory.mktemp("checkpoints") / "llava"
    make_llava(folder)
    return folder


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The device of every load of weights in this process."""
    found: list[str] = []
    real = adapter.load_weights

    def load_weights(*args: Any, **options: Any) -> Any:
        found.append(options["device"])
        return real(*args, **options)

    monkeypatch.setattr(adapter, "load_weights", load_weights)
    return found


def write_shown(folder: Path, count: int, *, several: int | None = None) -> Path:
    """A benchmark of `count` samples with an image each, and two for number `several`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(count):
        images = [f"{number}-{i}.png" for i in range(2 if number == several else 1)]
        for place, name in enumerate(images):
            colour = (number * 37 % 256, 90 * place, 255 - number * 53 % 256)
            Image.new("RGB", (40 + number, 30), colour).save(folder / name)
        rows.append(sample(number, images=images, question=f"What is number {number}? " * (1 + number % 3)))  # fmt: skip
    return write_benchmark(folder, rows)
