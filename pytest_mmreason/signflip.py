"""The exact sign-flip (Fisher-Pitman) test of weighted differences (pure).

Of two runs that are equally good either could have been the earlier, in each sample on its own:
so every pattern of signs of the differences is as likely as the one that was seen, and p is
the share of patterns whose sum is at least as far from 0. That holds for scores of any
shape, for ties, zeros and any weights, and for few samples, where a paired t test does not
(of three samples that lose the same it knows no spread and says p = 0; here p is 1/4), and
unlike signed ranks it tests the weighted mean that the row is. It needs no library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from pytest_mmreason.gates import TOLERANCE

PARTS = 200
"""Weighted differences are counted in parts of 1: a tenth of a weight of 1 or 1/2 is a whole number
of these."""
MOST_PARTS = 20_000
"""The finest parts that are looked for where differences are no tenths (means of three judge runs
are thirds of them). Where there are none, the differences are rounded."""
MOST_ROUNDING = 0.02
"""Parts become finer until rounding is no more than this, as a share of the sum's spread: many
small differences beside a large one count as what they are together."""
MOST_ONE_BY_ONE = 14
"""Up to so many differences of no common parts, each pattern of signs is looked at."""
FINEST = 1e-12
"""Differences that are closer to each other are the same: sums of floats are not."""
MOST_EXACT = 300
"""Beyond so many differing samples the normal distribution is near enough."""
LITTLE_WORK, MOST_WORK = 1e6, 2e9
"""Parts times samples, squared: up to which they become finer in any case, and beyond which the
normal distribution stands in, too (some seconds)."""


def sign_flip_p(differences: Sequence[float]) -> float:
    """Two-sided p of the sum of `differences` under flips of their signs.

    differences: weighted already, the weights at most 1. 1.0 if none differs. Exact up to
    MOST_EXACT of them, where it does not take too long. Where many of them have no parts in
    common, the test is exact for rounded ones, which have either sign as often as the whole.
    """
    differences = [value for value in differences if abs(value) > TOLERANCE]
    if not differences:
        return 1.0
    spread = math.hypot(*differences)
    normal = math.erfc(abs(math.fsum(differences)) / spread / math.sqrt(2))
    if len(differences) > MOST_EXACT:
        return normal
    parts = _common_parts(differences)
    if parts is None and len(differences) <= MOST_ONE_BY_ONE:
        return _one_by_one(differences)
    work = sum(map(abs, differences)) * len(differences) ** 2
    if parts is None or parts * work > MOST_WORK:
        parts = PARTS
        while parts * work < LITTLE_WORK or _rounding(differences, parts) > MOST_ROUNDING * spread:
            parts *= 10
    steps = [step for value in differences if (step := round(value * parts))]
    shared = math.gcd(*steps)
    steps = [step // shared for step in steps]
    # Flipping signs is choosing who is positive. The sum is furthest from 0 where the chosen
    # add up to little, or as little short of all.
    gains = sum(step for step in steps if step > 0)
    losses = sum(-step for step in steps if step < 0)
    if gains == losses:
        return 1.0
    if min(gains, losses) * len(steps) ** 2 > MOST_WORK:
        return normal
    few = _subsets_up_to(min(gains, losses), [abs(step) for step in steps])
    return few / (1 << len(steps) - 1)


def _common_parts(differences: Sequence[float]) -> int | None:
    """The least number of parts of 1 of which each difference is a whole number; None if it is
    more than MOST_PARTS."""
    if all(abs(value * PARTS - round(value * PARTS)) < FINEST * PARTS for value in differences):
        return PARTS
    parts = 1
    for value in map(abs, differences):
        near = Fraction(value).limit_denominator(MOST_PARTS)
        parts = math.lcm(parts, near.denominator)
        if parts > MOST_PARTS or abs(float(near) - value) > FINEST:
            return None
    return parts


def _one_by_one(differences: Sequence[float]) -> float:
    """The share of patterns of signs whose sum is at least as far from 0."""
    steps = [round(value / FINEST) for value in differences]  # their sums know no order
    sums = [steps[0]]  # the other half of the patterns mirrors these
    for step in steps[1:]:
        sums = [total + signed for total in sums for signed in (step, -step)]
    least = abs(sum(steps)) - len(steps)
    return sum(abs(total) >= least for total in sums) / len(sums)


def _rounding(differences: Sequence[float], parts: int) -> float:
    """How far rounding to parts moves the sum of `differences`, or is a noise of its own."""
    errors = [round(value * parts) / parts - value for value in differences]
    return max(abs(math.fsum(errors)), math.hypot(*errors))


def _subsets_up_to(most: int, sizes: Sequence[int]) -> int:
    """How many subsets of `sizes`, whole numbers above 0, add up to at most `most`.

    The number of subsets of each sum is a digit of one long integer, which a further size
    adds to itself, moved by as many digits. At least one is not empty, so no digit overflows.
    """
    bits = len(sizes) + 1
    mask = (1 << (most + 1) * bits) - 1
    digits = 1
    for size in sizes:
        digits = (digits + (digits << size * bits)) & mask
    return digits % ((1 << bits) - 1)  # the sum of the digits
