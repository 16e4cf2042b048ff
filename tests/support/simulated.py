"""Made runs whose truth is known: what comparisons and intervals make of them.

A sample of a made benchmark is easy or hard for the model: it mostly scores the same, and
now and then anew, as two samplings of one model do (of LLaVA-1.5-7B's two runs on MM-Vet
82 % of the grades are equal).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_mmreason.compare import RowChange, compare
from pytest_mmreason.power import RowSpread, chance, row_spreads
from pytest_mmreason.record import SCORED, Record
from pytest_mmreason.scoring import confidence_interval

GRADES = tuple(tenth / 10 for tenth in range(11))
VET = (58, 3, 5, 3, 1, 1, 2, 3, 1, 1, 22)
"""How many in a hundred have each grade under MM-Vet's judge: most are 0 or 1."""
MODERATE = (25, 1, 2, 4, 5, 8, 6, 6, 5, 2, 36)
HIGH = (50, 2, 4, 6, 6, 8, 4, 3, 2, 1, 14)
"""The same under InfiMM-Eval's rubric, with partial credit by steps."""
ANEW = 0.2
"""How often a sample is scored anew."""


@dataclass(frozen=True)
class Place:
    """A sample: where it belongs, what it counts, and what it tends to score."""

    sample: str
    category: str
    complexity: str
    weight: float
    capabilities: tuple[str, ...]
    shares: Sequence[int]


def infimm() -> list[Place]:
    """As InfiMM-Eval: 171 moderate samples of weight 1, 108 high ones of weight 2."""
    places = []
    for number in range(279):
        high = number >= 171
        # As many of each as there: 249 of the 387 units of weight are deductive.
        category = ("deductive",) * 7 + ("abductive",) * 2 + ("analogical",) * 2
        name = category[number % len(category)]
        shares = HIGH if high else MODERATE
        places.append(
            Place(
                f"s{number}", name, "high" if high else "moderate", 2.0 if high else 1.0, (), shares
            )
        )
    return places


def vet() -> list[Place]:
    """As MM-Vet: 218 samples of weight 1, each of one to three of six capabilities."""
    rng = random.Random(0)
    common = {"rec": 0.69, "ocr": 0.44, "know": 0.39, "gen": 0.37, "spat": 0.34, "math": 0.12}
    return [
        Place(
            f"s{number}",
            "",
            "",
            1.0,
            tuple(name for name, share in common.items() if rng.random() < share) or ("rec",),
            VET,
        )
        for number in range(218)
    ]


def draw(place: Place, rng: random.Random) -> float:
    """A score, as often as the place's shares say."""
    return rng.choices(GRADES, place.shares)[0]


def make_run(places: Sequence[Place], scores: Sequence[float]) -> list[Record]:
    """The records of a run."""
    return [
        Record(
            benchmark="made",
            sample=place.sample,
            model="m",
            judge="local",
            prompt="direct",
            repeat=0,
            status=SCORED,
            score=score,
            scores=(score,),
            category=place.category,
            complexity=place.complexity,
            capabilities=place.capabilities,
            weight=place.weight,
        )
        for place, score in zip(places, scores, strict=True)
    ]


def two_runs(
    places: Sequence[Place], drop: float, rng: random.Random
) -> tuple[list[Record], list[Record]]:
    """Two runs of one model, of which the later loses `drop`, in points, on average.

    It loses by answers that turn wrong, wherever they are.
    """
    usual = [draw(place, rng) for place in places]

    def once() -> list[float]:
        return [
            draw(place, rng) if rng.random() < ANEW else score
            for place, score in zip(places, usual, strict=True)
        ]

    before, after = once(), once()
    if drop:
        weight = math.fsum(place.weight for place in places)
        expected = math.fsum(
            place.weight
            * math.fsum(g * s for g, s in zip(GRADES, place.shares, strict=True))
            / sum(place.shares)
            for place in places
        )
        lost = drop / 100 * weight / expected
        after = [0.0 if rng.random() < lost else score for score in after]
    return make_run(places, before), make_run(places, after)


@dataclass
class Found:
    """What `rounds` comparisons came to.

    failed:   of them with a gated row that lost anything, significantly (--mm-max-drop=0).
    found:    with the overall row, by its p alone. gated: by its p after the correction.
    covered:  whose interval of the overall difference holds the truth.
    sd:       of the samples' differences, in [0, 1].
    theory:   the power that theory gives the overall row alone. theory_gated: the least that
              it gives it among all gated rows.
    """

    rounds: int = 0
    failed: int = 0
    found: int = 0
    gated: int = 0
    covered: int = 0
    differences: list[float] = field(default_factory=list)
    sd: float = 0.0
    theory: float = 0.0
    theory_gated: float = 0.0


def compare_often(places: Sequence[Place], drop: float, rounds: int, seed: int) -> Found:
    """Compare two made runs again and again."""
    rng = random.Random(seed)
    seen = Found()
    spreads: list[float] = []
    rows = 1
    for _ in range(rounds):
        before, after = two_runs(places, drop, rng)
        compared = compare(before, after)
        changes = [row for row in compared.rows.values() if row.p_adjusted is not None]
        overall: RowChange = compared.rows["overall"]
        rows = len(changes)
        seen.rounds += 1
        seen.failed += any(row.drops_by_more(0) for row in changes)
        seen.found += overall.p <= 0.05 and overall.difference < 0
        seen.gated += overall.is_significant and overall.difference < 0
        assert overall.ci95 is not None
        seen.covered += overall.ci95[0] <= -drop <= overall.ci95[1]
        seen.differences.append(overall.difference)
        spread: RowSpread = row_spreads(before, after)[0]
        spreads.append(spread.sd)
    seen.sd = math.sqrt(math.fsum(s * s for s in spreads) / len(spreads))
    seen.theory = chance(drop, len(places), seen.sd)
    seen.theory_gated = chance(drop, len(places), seen.sd, rows)
    return seen


def coverage(places: Sequence[Place], rounds: int, seed: int) -> float:
    """How often ci95 of a row of `places` holds the score that is expected of them."""
    rng = random.Random(seed)
    means = [
        math.fsum(g * s for g, s in zip(GRADES, p.shares, strict=True)) / sum(p.shares)
        for p in places
    ]
    weight = math.fsum(place.weight for place in places)
    truth = 100 * math.fsum(p.weight * m for p, m in zip(places, means, strict=True)) / weight
    held = 0
    for _ in range(rounds):
        found = confidence_interval([(place.weight, draw(place, rng)) for place in places])
        held += found is not None and found[0] <= truth <= found[1]
    return held / rounds
