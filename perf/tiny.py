"""What a sample of a whole run costs beside the bare model call: python perf/tiny.py

Prints the ratio of a sample's share of `pytest --mm-model=tiny` (engine, judge, cache, reports,
an item each) to `TinyModel.generate` on the same samples of `mini`, one after the other: in
time, and in work of the processor, which another job on the machine disturbs less.
Start-up is left out: it is what a run of few repeats and one of many have in common.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_mmreason import imaging
from pytest_mmreason.benchmarks import native
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.tiny import TinyModel
from pytest_mmreason.prompting import render
from pytest_mmreason.registry import bundled_benchmark

FEW, MANY = 2, 8


async def bare(model: TinyModel, passes: int) -> tuple[float, float]:
    """Seconds (wall, processor) of a call, images read and all, on the mean of the samples."""
    prompts = [render(sample) for sample in native.load(bundled_benchmark("mini")).samples]
    started, worked = time.perf_counter(), time.process_time()
    for _ in range(passes):
        for prompt in prompts:
            await model.generate(Request(prompt, [imaging.load(ref) for ref in prompt.images]))
    calls = passes * len(prompts)
    return (time.perf_counter() - started) / calls, (time.process_time() - worked) / calls


def whole(repeats: int, options: list[str]) -> tuple[float, float, int]:
    """Seconds (wall, processor) of one pytest process in a fresh folder, and its samples."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["--mm-model=tiny", f"--mm-repeats={repeats}", "--mm-output=out", *options]
        started, before = time.perf_counter(), os.times()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - started, os.times()
        work = sum(after[2:4]) - sum(before[2:4])  # of children that have ended
        results = Path(folder, "out", "results.jsonl").read_text(encoding="utf-8")
        return seconds, work, len(results.splitlines())


def main() -> None:
    """Measure and print two lines."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    arguments, options = parser.parse_known_args()
    model = TinyModel()
    asyncio.run(bare(model, 1))
    rounds = []
    for _ in range(arguments.rounds):
        few, call, many = whole(FEW, options), asyncio.run(bare(model, 6)), whole(MANY, options)
        samples = many[2] - few[2]
        rounds.append([(call[i], (many[i] - few[i]) / samples) for i in (0, 1)])
    for i, what in enumerate(("time", "processor")):
        calls, shares = zip(*(found[i] for found in rounds), strict=True)
        ratios = [share / call for call, share in zip(calls, shares, strict=True)]
        print(
            f"tiny on mini, {what:9}: bare call {statistics.median(calls) * 1000:.1f} ms, a sample "
            f"of a run {statistics.median(shares) * 1000:.1f} ms, ratio "
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )


if __name__ == "__main__":
    main()
