"""What an installed but unused plugin costs: python perf/startup.py

Prints the ratio of a pytest start with the plugin to one with ``-p no:mmreason``: whole
process, an empty folder, medians of interleaved runs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(folder: Path, *options: str) -> float:
    """Wall time of one pytest process in `folder`."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Measure and print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=41, help="pairs of runs (default: 41)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
        for _ in range(2):
            seconds(folder)
            seconds(folder, "-p", "no:mmreason")
        pairs = [(seconds(folder), seconds(folder, "-p", "no:mmreason")) for _ in range(runs)]
    with_plugin = statistics.median(pair[0] for pair in pairs)
    without = statistics.median(pair[1] for pair in pairs)
    ratio = statistics.median(a / b for a, b in pairs)
    print(
        f"start-up, dormant: {with_plugin:.3f} s with, {without:.3f} s without, ratio {ratio:.3f}"
    )


if __name__ == "__main__":
    main()
