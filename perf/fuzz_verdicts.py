"""Made replies of judges through the parser: no exception, no score that a reply does not hold.

    python perf/fuzz_verdicts.py --replies 1000000 [--seed N]

Prints how many of each kind were made and read, and every fault; exits 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main() -> int:
    """0 without a fault, else 1."""
    from tests.support.replies import MANY, NOISE, NONE, ONE, check

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--replies", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.process_time()
    findings = check(options.replies, options.seed)
    spent = time.process_time() - start
    what = {
        ONE: "with one clear score",
        NONE: "without a score",
        MANY: "with several that differ",
        NOISE: "of noise",
    }
    for kind, words in what.items():
        print(f"{findings.counts[kind]:>9,} {words}: {findings.read[kind]:,} gave a score")
    faults = dict(findings.faults)
    for text, fault in sorted(faults.items(), key=lambda each: len(each[0]))[:50]:
        print(f"FAULT {fault}\n      {text[:300]!r}")
    print(f"{len(findings.faults):,} faults in {options.replies:,} replies, {spent:.0f} s")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
