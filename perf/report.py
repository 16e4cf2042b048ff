"""How long ``report.html`` of 2,000 samples takes to write and to open: python perf/report.py

Makes a benchmark with a picture of its own for each sample, answers of some 1,500 characters,
and a report of two runs; opens it in Chromium three times, and then filters, sorts, scrolls and
walks through it. Prints sizes, and medians in seconds; no ratios, since there is nothing to
compare with: a person waits for it or does not.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parents[1]))
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.gates import Outcome
from pytest_mmreason.outcome import draft_record
from pytest_mmreason.plan import plan_runs
from pytest_mmreason.record import Record
from pytest_mmreason.reports.html import FILE_NAME, render
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import summarise
from tests.support.chromium import CHROMIUM, Page, opened

WORDS = [
    "the",
    "picture",
    "shows",
    "a",
    "red",
    "boat",
    "on",
    "calm",
    "water",
    "so",
    "we",
    "may",
    "infer",
    "that",
    "wind",
    "is",
    "weak",
]
MODELS = ("first", "second")


def text(random_: random.Random, words: int) -> str:
    """So many words."""
    return " ".join(random_.choices(WORDS, k=words))


def picture(random_: random.Random, path: Path) -> None:
    """A picture like no other, 640 x 480."""
    image = Image.effect_noise((160, 120), 40).resize((640, 480)).convert("RGB")
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = random_.randrange(560), random_.randrange(400)
        colour = tuple(random_.choices(range(256), k=3))
        draw.ellipse((x, y, x + random_.randrange(20, 200), y + random_.randrange(20, 200)), colour)
    image.save(path, quality=85)


def samples(count: int, folder: Path, random_: random.Random) -> list[Sample]:
    """`count` samples with a picture each."""
    found = []
    for number in range(count):
        name = f"{number}.jpg"
        picture(random_, folder / name)
        found.append(
            Sample(
                f"sample-{number}",
                text(random_, 20),
                (ImageRef(name, str(folder)),),
                answer=text(random_, 8),
                steps=tuple(text(random_, 12) for _ in range(3)),
                category=("deductive", "abductive", "analogical")[number % 3],
                complexity=("moderate", "high")[number % 2],
                capabilities=tuple(random_.sample(["rec", "ocr", "know", "gen", "spat"], 2)),
            )
        )
    return found


def records(run: int, plan: object, random_: random.Random) -> list[Record]:
    """A record of every sample."""
    spec = plan.runs[run]  # type: ignore[attr-defined]
    return [
        replace(
            draft_record(spec, sample, 0, "j", None),
            status="scored",
            score=(score := random_.choice((0.0, 0.0, 0.3, 0.5, 0.8, 1.0, 1.0))),
            scores=(score,),
            response=text(random_, 300),
            rationale=text(random_, 60),
            steps=tuple({"step": n, "credit": random_.random()} for n in (1, 2, 3)),
        )
        for sample in spec.benchmark.samples
    ]


async def timed(page: Page, script: str) -> float:
    """Seconds that `script` and the painting of what it did take, in the page."""
    painted = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
    code = f"(async () => {{ const t = performance.now(); {script}; {painted} return performance.now() - t; }})()"
    return float(await page.evaluate(code)) / 1000


async def measure(url: str) -> dict[str, float]:
    """What a person waits for."""
    waits: dict[str, list[float]] = {}
    async with opened() as page:
        await page.look(1400, 900)
        for _ in range(3):
            await page.open("about:blank")
            waits.setdefault("open", []).append(await page.open(url))
            search = "document.getElementById('search')"
            for name, script in {
                "search": f"{search}.value = 'boat calm'; {search}.dispatchEvent(new Event('input'))",
                "search again": f"{search}.value = 'boat calm wat'; {search}.dispatchEvent(new Event('input'))",
                "sort": "const s = document.getElementById('sort'); s.value = 'worst'; s.dispatchEvent(new Event('change'))",
                "far down": "document.getElementById('list').scrollTop = 60000",
                "switch run": "const r = document.getElementById('run'); r.value = '1'; r.dispatchEvent(new Event('change'))",
            }.items():
                waits.setdefault(name, []).append(await timed(page, script))
            start = time.monotonic()
            for _ in range(50):
                await page.press("j")
            waits.setdefault("one step of 50", []).append((time.monotonic() - start) / 50)
        heap = await page.evaluate("performance.memory.usedJSHeapSize / 1e6")
    return {**{name: statistics.median(found) for name, found in waits.items()}, "heap, MB": heap}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000)
    count = parser.parse_args().samples
    if CHROMIUM is None:
        sys.exit("no Chromium on the PATH")
    random_ = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pictures").mkdir()
        benchmark = Benchmark(
            "made", "infimm-eval", tuple(samples(count, folder / "pictures", random_))
        )
        settings = Settings(model=MODELS, judge="j")
        plan = plan_runs(settings, {"made": benchmark}, {name: name for name in MODELS})
        found = [records(run, plan, random_) for run in range(len(MODELS))]
        summary = summarise(plan, found, len(MODELS) * count, Outcome(0, 0, 0))
        report = folder / "out" / FILE_NAME
        report.parent.mkdir()
        start = time.monotonic()
        with report.open("w", encoding="utf-8") as file:
            file.writelines(render(summary, settings, report.parent))
        print(f"{count:,} samples x {len(MODELS)} runs: {report.stat().st_size / 1e6:.1f} MB")
        print(f"{'written':16} {time.monotonic() - start:.2f}")
        for what, seconds in asyncio.run(measure(report.as_uri())).items():
            print(f"{what:16} {seconds:.3f}")


if __name__ == "__main__":
    main()
