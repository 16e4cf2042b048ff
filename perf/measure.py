"""What the scripts of this folder share: processes that are timed, and benchmarks to run."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

MANIFEST = """name = "perf"
version = "1"
protocol = "infimm-eval"
license = "CC0-1.0"
source = "made for measurements"
samples = "samples.jsonl"
"""

# A checkout is compiled once, as an installed package is; not anew in every process.
_ENV = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Cost:
    """Of one whole process: seconds, processor seconds, and peak memory in MB (the largest
    single process, where it starts others)."""

    seconds: float
    work: float
    memory: float


def cost(command: Sequence[str | Path], folder: Path, expect: Sequence[int] = (0,)) -> Cost:
    """Run `command` in `folder`. RuntimeError if it exits otherwise than expected."""
    started = time.perf_counter()
    with (folder / ".output").open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=_ENV
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expect:
        tail = (folder / ".output").read_text(encoding="utf-8")[-3000:]
        raise RuntimeError(f"{command} exited with {process.returncode}:\n{tail}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(rounds: int, *runs: Callable[[], Cost]) -> list[list[Cost]]:
    """Each of `runs` once a round, so that a machine's mood falls on all of them."""
    found = [[run() for run in runs] for _ in range(rounds)]
    return [list(column) for column in zip(*found, strict=True)]


def ratio(ours: Sequence[Cost], theirs: Sequence[Cost], what: str = "seconds") -> str:
    """The median of the rounds' ratios with their range."""
    pairs = zip(ours, theirs, strict=True)
    ratios = sorted(getattr(a, what) / getattr(b, what) for a, b in pairs)
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"


def median(costs: Sequence[Cost], what: str = "seconds") -> float:
    """The median of one figure."""
    return statistics.median(getattr(cost, what) for cost in costs)


def pytest_command(*options: str | Path) -> list[str | Path]:
    """pytest, quiet and without files of its own."""
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]


def write_benchmark(folder: Path, samples: int, images: int = 8, image_bytes: int = 5_000) -> Path:
    """A benchmark of `samples` samples that share `images` pictures of about this size."""
    folder.mkdir(parents=True)
    (folder / "benchmark.toml").write_text(MANIFEST, encoding="utf-8")
    for n in range(images):
        _picture(folder / f"{n}.png", image_bytes, n)
    with (folder / "samples.jsonl").open("w", encoding="utf-8") as file:
        for n in range(samples):
            row = {
                "id": f"s{n}",
                "question": f"What is number {n}?",
                "images": [f"{n % images}.png"] if images else [],
                "answer": f"answer {n}",
                "steps": ["Look.", "Compare."],
                "category": ("deductive", "abductive", "analogical")[n % 3],
                "complexity": ("moderate", "high")[n % 2],
                "capabilities": ["rec"],
                "tags": [],
            }
            file.write(json.dumps(row) + "\n")
    return folder


def _picture(path: Path, size: int, seed: int) -> None:
    """Noise, which no format makes smaller: three bytes a pixel."""
    side = max(1, round((size / 3) ** 0.5))
    data = random.Random(seed).randbytes(side * side * 3)
    Image.frombytes("RGB", (side, side), data).save(path)
