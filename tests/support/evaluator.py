"""MM-Vet's published algorithm on small files, written for tests alone: numpy and dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any


def tables(
    data: Mapping[str, Any], grades: Mapping[str, Any], runs: int, subset: Collection[str] = ()
) -> tuple[dict[str, Any], dict[frozenset[str] | str, Any]]:
    """(by capability, by integration), each with ``total``, ``std`` and ``runs``.

    data: the questions' file. grades: the grade file, added up in its own order.
    Columns stand in the order of the files where that is not left to chance.
    """
    import numpy as np

    chosen = {k: set(v["capability"]) for k, v in data.items() if not subset or k in subset}
    single = Counter(name for names in chosen.values() for name in names)
    whole = Counter(frozenset(names) for names in chosen.values())
    sums: dict[Any, list[float]] = {}
    for sample, entry in grades.items():
        if sample not in chosen:
            continue
        keys = [("one", name) for name in chosen[sample]]
        keys += [("all", frozenset(chosen[sample])), ("total", "")]
        for key in keys:
            column = sums.setdefault(key, [0.0] * runs)
            for run in range(runs):
                column[run] += entry["score"][run]

    def percent(key: Any, count: int) -> Any:
        return np.array(sums[key]) / count * 100

    total = percent(("total", ""), len(chosen))
    ends = {
        "total": round(float(total.mean()) * 10) / 10,
        "std": float(np.round(total.std(), 1)),
        "runs": [float(x) for x in np.round(total, 1)],
    }
    by_one = {n: float(round(percent(("one", n), c).mean(), 1)) for n, c in single.items()}
    by_all = {n: float(round(np.mean(percent(("all", n), c)), 1)) for n, c in whole.items()}
    return {**by_one, **ends}, {**by_all, **ends}
