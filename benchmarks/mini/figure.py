"""Draw the datasheet's figure from samples.jsonl.

    python benchmarks/mini/figure.py [OUT.png]

OUT is statistics.png in this folder unless given.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from canvas import BLUE, GREY, INK, ORANGE, WHITE, Canvas, Color

HERE = Path(__file__).parent
LIGHT: Color = (150, 175, 240)
TOP, LINE, LONGEST = 74, 30, 150


def main(out: Path) -> None:
    lines = (HERE / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    samples: list[dict[str, Any]] = [json.loads(line) for line in lines]
    canvas = Canvas(960, 270, WHITE)
    _reasoning(canvas, 110, samples)
    capabilities = Counter(name for sample in samples for name in sample["capabilities"])
    _bars(canvas, 390, "capability", capabilities.most_common())
    steps = Counter(len(sample["steps"]) for sample in samples)
    _bars(canvas, 610, "reference steps", sorted(steps.items()))
    images = Counter(len(sample["images"]) for sample in samples)
    _bars(canvas, 820, "pictures", sorted(images.items()))
    canvas.finish().save(out, optimize=True)
    print(f"{len(samples)} samples in {out}")


def _reasoning(canvas: Canvas, x: float, samples: list[dict[str, Any]]) -> None:
    """Categories, each divided by complexity."""
    cells = Counter((sample["category"], sample["complexity"]) for sample in samples)
    _title(canvas, x, f"reasoning ({len(samples)} samples)")
    categories = list(dict.fromkeys(category for category, _ in cells))
    most = max(cells[name, "moderate"] + cells[name, "high"] for name in categories)
    for place, name in enumerate(categories):
        y = TOP + place * LINE
        moderate, high = cells[name, "moderate"], cells[name, "high"]
        first = x + LONGEST * moderate / most
        last = x + LONGEST * (moderate + high) / most
        canvas.text(x - 8, y, name, 16, anchor="rm")
        canvas.box(x, y - 9, first, y + 9, LIGHT)
        canvas.box(first, y - 9, last, y + 9, BLUE)
        canvas.text((x + first) / 2, y, str(moderate), 15)
        canvas.text((first + last) / 2, y, str(high), 15, WHITE)
    y = TOP + len(categories) * LINE + 8
    for word, color, dx in (("moderate", LIGHT, 0), ("high", BLUE, 98)):
        canvas.box(x + dx, y - 6, x + dx + 12, y + 6, color)
        canvas.text(x + dx + 18, y, word, 15, anchor="lm")
    counter = sum(sample["counter_intuitive"] for sample in samples)
    canvas.text(x, y + LINE, f"{counter} counter-intuitive", 15, anchor="lm")


def _bars(canvas: Canvas, x: float, title: str, counts: Iterable[tuple[object, int]]) -> None:
    counts = list(counts)
    _title(canvas, x, title)
    most = max(count for _, count in counts)
    for place, (name, count) in enumerate(counts):
        y = TOP + place * LINE
        end = x + 90 * count / most
        canvas.text(x - 8, y, str(name), 16, anchor="rm")
        canvas.box(x, y - 9, max(end, x + 2), y + 9, ORANGE)
        canvas.text(max(end, x + 2) + 6, y, str(count), 15, anchor="lm")


def _title(canvas: Canvas, x: float, text: str) -> None:
    canvas.text(x, 34, text, 18, INK, anchor="lm")
    canvas.path([(x, 50), (x + 100, 50)], GREY, 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "statistics.png")
