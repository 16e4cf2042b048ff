"""Large suites, full caches and large pictures against bare pytest: python perf/suites.py

A rerun from a full cache and collections of 10,000 and 100,000 samples stand beside a
parametrized test of as many ids with an empty body; pictures of 5 MB beside such of 5 kB.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path

from endpoint import Endpoint
from measure import Cost, cost, interleaved, median, pytest_command, ratio, write_benchmark

BARE = """import pytest


@pytest.mark.parametrize("sample", [f"s{{n}}" for n in range({})])
def test_sample(sample):
    pass
"""


def bare_suite(home: Path, samples: int) -> Path:
    """A test file of as many ids, in a folder of its own."""
    folder = home / f"bare{samples}"
    folder.mkdir()
    (folder / "test_bare.py").write_text(BARE.format(samples), encoding="utf-8")
    return folder


def rerun(home: Path, rounds: int, samples: int) -> None:
    """What a sample costs that the cache answers, model and judge."""
    folder = home / "cached"
    benchmark = write_benchmark(folder / "perf", samples)
    bare = bare_suite(home, samples)
    with Endpoint(0.0) as endpoint:
        command = pytest_command(
            "--mm-model=openai:model",
            "--mm-judge=openai:judge",
            f"--mm-base-url={endpoint.url}",
            f"--mm-judge-base-url={endpoint.url}",
            f"--mm-benchmark={benchmark}",
            "--mm-concurrency=64",
        )
        cost(command, folder)
    empty = write_benchmark(home / "few" / "perf", 1)
    shutil.copytree(folder / ".mmreason", home / "few" / ".mmreason")
    few = [*command[:-2], f"--mm-benchmark={empty}", command[-1]]
    one = bare_suite(home, 1)
    ours, start, theirs, their_start = interleaved(
        rounds,
        lambda: cost(command, folder),
        lambda: cost(few, home / "few"),
        lambda: cost(pytest_command("-p", "no:mmreason"), bare),
        lambda: cost(pytest_command("-p", "no:mmreason"), one),
    )

    def each(runs: list[Cost], starts: list[Cost]) -> float:
        pairs = zip(runs, starts, strict=True)
        return statistics.median((a.seconds - b.seconds) / (samples - 1) for a, b in pairs) * 1000

    cached, nothing = each(ours, start), each(theirs, their_start)
    print(f"rerun of {samples:,} samples from a full cache, start-up left out, each")
    print(f"  {cached:.2f} ms, a bare test {nothing:.2f} ms: {cached - nothing:.2f} ms more")


def collection(home: Path, rounds: int, samples: int) -> None:
    """``--collect-only`` of a large benchmark."""
    folder = home / f"collected{samples}"
    benchmark = write_benchmark(folder / "perf", samples, images=0)
    (folder / "a.json").write_text(json.dumps({"s0": "answer 0"}), encoding="utf-8")
    bare = bare_suite(home, samples)
    options = ("--collect-only", "--mm-model=replay:a.json", f"--mm-benchmark={benchmark}")
    ours, theirs = interleaved(
        rounds,
        lambda: cost(pytest_command(*options), folder),
        lambda: cost(pytest_command("--collect-only", "-p", "no:mmreason"), bare),
    )
    print(f"collecting {samples:,} samples, of a bare parametrize of as many ids")
    print(
        f"  {median(ours):.2f} s, time {ratio(ours, theirs)}, memory {ratio(ours, theirs, 'memory')}"
    )


def pictures(home: Path, rounds: int) -> None:
    """Peak memory with large pictures."""
    with Endpoint(0.05) as endpoint:

        def run(size: int) -> Cost:
            folder = home / f"pictures{size}"
            if not folder.exists():
                write_benchmark(folder / "perf", 300, images=24, image_bytes=size)
            shutil.rmtree(folder / ".mmreason", ignore_errors=True)
            options = (
                "--mm-model=openai:model",
                f"--mm-base-url={endpoint.url}",
                f"--mm-benchmark={folder / 'perf'}",
            )
            return cost(pytest_command(*options), folder)

        large, small = interleaved(rounds, lambda: run(5_000_000), lambda: run(5_000))
    more = statistics.median(a.memory - b.memory for a, b in zip(large, small, strict=True))
    print("300 samples, 16 in flight, pictures of 5 MB against 5 kB")
    print(f"  peak memory {median(large, 'memory'):.0f} MB, {more:+.0f} MB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--no-100000", action="store_true", help="leave the largest suite out")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        rerun(home, chosen.rounds, 3000)
        collection(home, chosen.rounds, 10_000)
        if not chosen.no_100000:
            collection(home, chosen.rounds, 100_000)
        pictures(home, chosen.rounds)


if __name__ == "__main__":
    main()
