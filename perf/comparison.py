"""Comparisons of made runs whose truth is known: false alarms, power, coverage.

    python perf/comparison.py [--rounds N] [--seed N]

Exits 1 if A/A comparisons fail in more than 5 % of the rounds, if a drop of 5 points is found
less often than theory says, or if ci95 covers less than 93.5 % or more than 96.5 % on a whole
benchmark; each within the error of the simulation itself.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main() -> int:
    """0 if all is as it must be, else 1."""
    from tests.support.simulated import HIGH, VET, Place, compare_often, coverage, infimm, vet

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rounds, seed = options.rounds, options.seed
    faults = 0
    benchmarks = {"InfiMM-Eval": infimm(), "MM-Vet": vet()}

    def error(share: float) -> float:
        """Three standard errors of a share of the rounds."""
        return 3 * math.sqrt(max(share * (1 - share), 1e-4) / rounds)

    def must(holds: bool) -> str:
        nonlocal faults
        faults += not holds
        return "" if holds else "   NOT AS IT MUST BE"

    print(f"{rounds:,} rounds each, seed {seed}\n")
    print("A/A: a run against another of the same model, --mm-max-drop=0")
    for name, places in benchmarks.items():
        found = compare_often(places, 0.0, rounds, seed)
        share = found.failed / rounds
        covered = found.covered / rounds
        print(
            f"  {name:12} {share:6.1%} of the gates fail{must(share <= 0.05 + error(0.05))}; the "
            f"interval of the difference holds 0 in {covered:.1%}{must(abs(covered - 0.95) <= 0.015 + error(0.95))}"
        )
    print("\npower: the later run loses some points on average")
    for name, places in benchmarks.items():
        for drop in (3.0, 5.0, 8.0):
            found = compare_often(places, drop, rounds, seed + 1)
            share, gated = found.found / rounds, found.gated / rounds
            print(
                f"  {name:12} {drop:.0f} points on {len(places)} (sd {found.sd:.2f}): found in {share:.1%}, theory "
                f"{found.theory:.1%}{must(share >= found.theory - 0.03 - error(share))}; after the "
                f"correction {gated:.1%}, theory {found.theory_gated:.1%}"
                f"{must(gated >= found.theory_gated - 0.03 - error(gated))}; the interval holds the "
                f"truth in {found.covered / rounds:.1%}"
            )
    print("\nci95 of a score: holds the expected score")
    for name, places in benchmarks.items():
        share = coverage(places, 5 * rounds, seed + 2)
        print(f"  {name:12} whole, {len(places)}: {share:.1%}{must(abs(share - 0.95) <= 0.015)}")
    print("  rows of it, told without a limit:")
    for name, shares in (("graded as MM-Vet", VET), ("graded as high", HIGH)):
        for n in (100, 50, 26, 15, 8):
            row = [Place(f"s{i}", "", "", 1.0, (), shares) for i in range(n)]
            print(f"    {name:17} {n:4}: {coverage(row, 5 * rounds, seed + 3):.1%}")
    nearly = [
        Place(f"s{i}", "", "", 1.0, (), (95, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5)) for i in range(40)
    ]
    print(f"    {'5 % right':17}   40: {coverage(nearly, 5 * rounds, seed + 4):.1%}")
    print(f"\n{faults} of the figures not as they must be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
