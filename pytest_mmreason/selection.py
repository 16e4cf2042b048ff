"""Which samples of a benchmark a run evaluates (pure)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from pytest_mmreason.errors import UsageError
from pytest_mmreason.sample import Sample


def read_subset(path: Path) -> tuple[str, ...]:
    """The ids in a JSON list, as MM-Vet's ``bard_set.json`` is one.

    Raises UsageError naming the file.
    """
    try:
        ids = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(
            f"--mm-subset {path}: no such file; name a JSON list of sample ids"
        ) from None
    except OSError as error:
        raise UsageError(f"--mm-subset {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--mm-subset {path}: {error}") from None
    if not isinstance(ids, list) or not all(type(i) in (str, int) for i in ids):
        raise UsageError(f"--mm-subset {path}: a JSON list of sample ids is needed")
    if not ids:
        raise UsageError(f"--mm-subset {path}: the list holds no id")
    return tuple(str(i) for i in ids)


def select(
    samples: Sequence[Sample],
    *,
    only: Collection[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[int]:
    """Indices of the samples to evaluate, in the benchmark's order.

    only:  ids to keep; None keeps all.
    limit: how many at most, shared among the cells of category and complexity (of
           capabilities, where a benchmark has neither) by largest remainder.
    seed:  decides which samples of a cell are taken; the same on every machine.
    """
    kept = [i for i, sample in enumerate(samples) if only is None or sample.id in only]
    if limit is None or limit >= len(kept):
        return kept
    cells: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i in kept:
        cells[_cell(samples[i])].append(i)
    chosen: list[int] = []
    for cell, count in _shares({c: len(m) for c, m in cells.items()}, limit).items():
        ranked = sorted(cells[cell], key=lambda i: _rank(samples[i].id, seed))
        chosen += ranked[:count]
    return sorted(chosen)


def deal(
    samples: Sequence[Sample], kept: Collection[int], number: int, count: int, first: int = 0
) -> list[int]:
    """Those of the indices `kept` that fall to part `number` of `count`, in order.

    Samples are dealt like cards, cell after cell, so that parts differ by one sample at
    most, and so do their shares of each cell; the same on every machine. `first`: how
    many were dealt before, of other benchmarks.
    """
    order = sorted(kept, key=lambda i: (_cell(samples[i]), _rank(samples[i].id, 0)))
    return sorted(i for place, i in enumerate(order, first) if place % count == number - 1)


def _cell(sample: Sample) -> tuple[str, ...]:
    if sample.category or sample.complexity:
        return (sample.category, sample.complexity)
    return tuple(sorted(sample.capabilities))


def _shares(sizes: dict[tuple[str, ...], int], limit: int) -> dict[tuple[str, ...], int]:
    """`limit` places shared by size: whole parts first, then the largest remainders."""
    total = sum(sizes.values())
    shares = {cell: size * limit // total for cell, size in sizes.items()}
    given: Counter[str] = Counter()
    left = set(sizes)
    for _ in range(limit - sum(shares.values())):
        # Of equal remainders, that of the category and complexity that got the least so far.
        cell = min(
            left,
            key=lambda c: (-(sizes[c] * limit % total), sum(given[p] for p in c), -sizes[c], c),
        )
        left.remove(cell)
        given.update(cell)
        shares[cell] += 1
    return shares


def _rank(sample_id: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{sample_id}".encode("utf-8", "surrogatepass")).hexdigest()
