"""Whole runs against the floor: python perf/engine.py

Starts an endpoint of known latency and runs, in turn, openai's client alone (perf/bare.py),
pytest serially and under -n 4, and inspect_ai where it is installed: the same samples, model
and judge. Prints the ratios of whole processes, medians of several rounds with their range.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

from endpoint import Endpoint
from measure import Cost, cost, interleaved, median, pytest_command, ratio, write_benchmark

HERE = Path(__file__).parent


class Side:
    """One benchmark, one endpoint, and the ways to run the one against the other."""

    def __init__(self, home: Path, endpoint: Endpoint, samples: int, concurrency: int) -> None:
        self.home, self.endpoint, self.concurrency = home, endpoint, concurrency
        self.samples = samples
        self.benchmark = write_benchmark(home / f"perf{samples}", samples)
        self.told: dict[str, dict[str, object]] = {}

    def bare(self) -> Cost:
        """openai's client alone."""
        samples = self.benchmark / "samples.jsonl"
        command = [sys.executable, HERE / "bare.py", self.endpoint.url, samples, self.concurrency]
        return self._counted("bare", [*map(str, command)])

    def ours(self, *options: str) -> Cost:
        """pytest, from an empty cache."""
        shutil.rmtree(self.home / ".mmreason", ignore_errors=True)
        command = pytest_command(
            "--mm-model=openai:model",
            "--mm-judge=openai:judge",
            f"--mm-base-url={self.endpoint.url}",
            f"--mm-judge-base-url={self.endpoint.url}",
            f"--mm-benchmark={self.benchmark}",
            f"--mm-concurrency={self.concurrency}",
            *options,
        )
        return self._counted(" ".join(["pytest", *options]), command)

    def inspect(self) -> Cost:
        """inspect_ai with its model-graded scorer."""
        command = [sys.executable, HERE / "inspect_side.py", self.endpoint.url]
        command += [self.benchmark / "samples.jsonl", self.concurrency]
        return self._counted("inspect_ai", [*map(str, command)])

    def _counted(self, name: str, command: list[str | Path]) -> Cost:
        self.endpoint.reset()
        found = cost(command, self.home)
        stats = self.endpoint.stats()
        assert stats["requests"] >= 2 * self.samples, (name, stats)
        self.told[name] = stats
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    rounds = parser.parse_args().rounds
    with_inspect = importlib.util.find_spec("inspect_ai") is not None
    with tempfile.TemporaryDirectory() as name:
        with Endpoint(0.2) as endpoint:
            side = Side(Path(name), endpoint, samples=279, concurrency=16)
            runs = [side.bare, side.ours, lambda: side.ours("-n4")]
            found = interleaved(rounds, *runs, *([side.inspect] if with_inspect else []))
            bare, serial, workers = found[:3]
            print("279 samples, model and judge 0.2 s each, 16 in flight to each")
            print(f"  bare client      {median(bare):6.2f} s")
            print(f"  pytest           {median(serial):6.2f} s, of bare {ratio(serial, bare)}")
            print(
                f"  pytest -n 4      {median(workers):6.2f} s, of serial {ratio(workers, serial)}"
            )
            if with_inspect:
                theirs = found[3]
                print(
                    f"  inspect_ai       {median(theirs):6.2f} s; ours of it {ratio(serial, theirs)}"
                )
            for run, stats in side.told.items():
                asked = f"{stats['requests']} requests, {stats['again']} asked again"
                print(f"  {run:16} {asked}, peak {stats['peak']}, span {stats['span']:.2f} s")
        with Endpoint(0.02) as endpoint:
            side = Side(Path(name), endpoint, samples=2000, concurrency=256)
            bare, serial = interleaved(rounds, side.bare, side.ours)
            print("2,000 samples, 20 ms, 256 in flight to each")
            print(f"  bare client      {median(bare):6.2f} s")
            print(f"  pytest           {median(serial):6.2f} s, of bare {ratio(serial, bare)}")


if __name__ == "__main__":
    main()
