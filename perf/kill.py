"""Killed runs, and an endpoint that fails: python perf/kill.py

A run of 279 samples is killed with SIGKILL at a random moment and run again, ten times: no
answer that the endpoint had given may be asked for twice unless it was on its way at that
moment, and the tables must be those of an undisturbed run. Then 2,000 calls meet every fault.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from endpoint import Endpoint
from measure import cost, pytest_command, write_benchmark

FAULTS = "429:0.1,500:0.05,reset:0.03,badjson:0.03,hang:0.01"


def command(endpoint: Endpoint, benchmark: Path, *options: str) -> list[str | Path]:
    """A run against `endpoint`."""
    return pytest_command(
        "--mm-model=openai:model",
        "--mm-judge=openai:judge",
        f"--mm-base-url={endpoint.url}",
        f"--mm-judge-base-url={endpoint.url}",
        f"--mm-benchmark={benchmark}",
        "--mm-output=out",
        *options,
    )


def rows(folder: Path) -> object:
    """The tables of a run."""
    runs = json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))["runs"]
    return [(run["rows"], run["counts"]) for run in runs]


def killed(home: Path, times: int, *options: str) -> None:
    """Kill a run and run it again, `times` times."""
    rng = random.Random(0)
    benchmark = write_benchmark(home / "perf", 279)
    with Endpoint(0.2) as endpoint:
        run = command(endpoint, benchmark, *options)
        whole = cost(run, home)
        expected = rows(home)
        for _ in range(times):
            shutil.rmtree(home / ".mmreason", ignore_errors=True)
            endpoint.reset()
            process = subprocess.Popen(
                list(map(str, run)), cwd=home, stdout=subprocess.DEVNULL, start_new_session=True
            )
            moment = rng.uniform(0.15, 0.95) * whole.seconds
            time.sleep(moment)
            process.kill()
            before = endpoint.mark()
            process.wait()
            time.sleep(0.5)
            cost(run, home)
            after = endpoint.stats()
            same = "equal" if rows(home) == expected else "DIFFERENT"
            print(
                f"  killed after {moment:4.1f} s, {before['requests']:3} asked, "
                f"{before['in_flight']:2} of them on their way; again: {after['again']:2}, of which "
                f"finished {after['finished_again']}; tables {same}"
            )


def faulty(home: Path) -> None:
    """A thousand samples, model and judge, of an endpoint that fails in every way."""
    benchmark = write_benchmark(home / "perf", 1000)
    with Endpoint(0.02, FAULTS, hang_s=30.0) as endpoint:
        run = command(endpoint, benchmark, "--mm-timeout=5", "--mm-concurrency=64")
        found = cost(run, home)
        stats = endpoint.stats()
    counts = json.loads((home / "out" / "summary.json").read_text(encoding="utf-8"))
    print(f"  {FAULTS}: {found.seconds:.0f} s, {counts['runs'][0]['counts']}")
    print(f"  {stats['requests']} requests, faults {stats['faults']}, asked again {stats['again']}")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="kills (default: 10)")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        print("serial, kill -9")
        killed(Path(name, "serial"), times)
        print("-n 2, kill -9 of the controller")
        killed(Path(name, "workers"), times, "-n2")
        print("2,000 calls to an endpoint that fails")
        faulty(Path(name, "faulty"))


if __name__ == "__main__":
    main()
