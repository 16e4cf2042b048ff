"""Small benchmarks in the native format, made for one test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MINI_SAMPLES = len(
    (Path(__file__).parents[2] / "benchmarks" / "mini" / "samples.jsonl").read_bytes().splitlines()
)
"""How many the bundled benchmark has."""

CELLS = [
    (category, complexity)
    for category in ("deductive", "abductive", "analogical")
    for complexity in ("moderate", "high")
]


def sample(number: int, **fields: Any) -> dict[str, Any]:
    """A sample whose question and answer hold its number; its cell goes round."""
    category, complexity = CELLS[number % len(CELLS)]
    return {
        "id": f"s{number}",
        "question": f"What is number {number}?",
        "images": [],
        "answer": f"answer{number}",
        "steps": [f"look at thing{number}", f"compare with other{number}"],
        "category": category,
        "complexity": complexity,
        "capabilities": ["rec"],
        **fields,
    }


def write_benchmark(
    folder: Path,
    samples: Iterable[Mapping[str, Any]],
    *,
    name: str = "made",
    protocol: str = "infimm-eval",
    weights: Mapping[str, float] | None = None,
) -> Path:
    """Write a benchmark below `folder` and return `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"name = {json.dumps(name)}", f"protocol = {json.dumps(protocol)}"]
    if weights is not None:
        lines += ["[weights]", *(f"{json.dumps(k)} = {v}" for k, v in weights.items())]
    (folder / "benchmark.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = "".join(json.dumps(row) + "\n" for row in samples)
    (folder / "samples.jsonl").write_text(rows, encoding="utf-8")
    return folder


def write_answers(path: Path, answers: Mapping[str, str]) -> Path:
    """Write recorded answers, id -> text."""
    path.write_text(json.dumps(dict(answers)), encoding="utf-8")
    return path


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The records of a run's output folder."""
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def read_summary(folder: Path) -> dict[str, Any]:
    """summary.json of a run's output folder, without the time at which it was started."""
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    del summary["started"]
    return summary


def summary_text(folder: Path) -> str:
    """The same as it was written."""
    text = (folder / "summary.json").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith('  "started": ')]
    assert len(lines) == len(text.splitlines()) - 1
    return "\n".join(lines)


def without_times(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Records without what differs between equal runs."""
    return [{k: v for k, v in record.items() if k != "latency_s"} for record in records]
