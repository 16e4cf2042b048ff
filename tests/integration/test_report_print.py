"""The report on paper: legible, whole, and nothing that only a screen can open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_mmreason.sample import Sample
from tests.integration.test_report_browser import browse, complaints, many
from tests.support.chromium import CHROMIUM, Page
from tests.support.reports import made_report, made_summary
from tests.support.runs import run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

A4 = 720
"""Pixels of the width of a sheet between its margins."""


async def on_paper(page: Page, *, dark: bool = False) -> None:
    """Show the page as it is printed, from a screen that is dark or is not."""
    await page.look(A4, 1000)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    await page.call("Emulation.setEmulatedMedia", media="print", features=[scheme])


def test_a_dark_screen_prints_dark_letters_on_white(tmp_path: Path) -> None:
    report = many(tmp_path)
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('h2')).color]"

    async def work(page: Page) -> None:
        await page.open(report.as_uri())
        await on_paper(page)
        bright = await page.evaluate(colours)
        await on_paper(page, dark=True)
        assert await page.evaluate(colours) == bright
        assert bright[0] == "rgb(255, 255, 255)"

    browse(work)


def test_what_is_folded_away_is_printed_and_folded_again(tmp_path: Path) -> None:
    samples = [Sample(f"s{n}", "q", tags=(f"t{n // 2}",)) for n in range(60)]
    report = made_report(tmp_path / "out", made_summary(samples, [{}] * 60))
    closed = "document.querySelectorAll('details:not([open])').length"
    watch = f"let open; addEventListener('beforeprint', () => {{ open = {closed}; }})"

    async def work(page: Page) -> None:
        await page.open(report.as_uri())
        assert await page.evaluate(closed) == 1
        await page.evaluate(watch)
        await page.call("Page.printToPDF")
        assert await page.evaluate("open") == 0
        assert await page.evaluate(closed) == 1
        assert complaints(page) == []

    browse(work)


def test_nothing_is_cut_off_on_paper(tmp_path: Path) -> None:
    categories = [f"category {n}" for n in range(6)]
    samples = [Sample(f"s{n}", "q", category=categories[n % 6]) for n in range(20)]
    names = ("one-" + "of-many-checkpoints-" * 4, "another", "m" * 200)
    failed = [{"status": "model_error", "reason": "boom"}] * 20
    report = made_report(tmp_path / "out", made_summary(samples, failed, names))
    cut = """[...document.querySelectorAll('.why, .wide, .others, #detail')].filter((e) =>
      e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
      .map((e) => e.id || e.className)"""

    async def work(page: Page) -> None:
        await page.open(report.as_uri())
        await on_paper(page)
        assert await page.evaluate(cut) == []

    browse(work)


def test_no_table_lies_over_another_on_paper(pytester: pytest.Pytester) -> None:
    lines = [
        {"question": "q", "reference": "a cat", "answer": "cat " * n, "score": 1, "kind": "k" * 50}
        for n in range(1, 9)
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (pytester.path / "graded.jsonl").write_text(text, encoding="utf-8")
    run(pytester, "--mm-agreement=graded.jsonl", "--mm-output=out")
    beyond = """[...document.querySelectorAll('.card table')].filter((table) =>
      table.getBoundingClientRect().right > table.closest('.card').getBoundingClientRect().right)
      .map((table) => table.textContent)"""

    async def work(page: Page) -> None:
        await page.open((pytester.path / "out" / "report.html").as_uri())
        await on_paper(page)
        assert await page.evaluate(beyond) == []

    browse(work)


def test_the_name_of_another_run_stays_in_the_sample(tmp_path: Path) -> None:
    samples = [Sample("s", "q")]
    report = made_report(tmp_path / "out", made_summary(samples, [{}], ("m", "n" * 200)))
    inside = "document.querySelector('.others').scrollWidth <= document.querySelector('.others').clientWidth"

    async def work(page: Page) -> None:
        await page.look(1400, 900)
        await page.open(report.as_uri())
        assert await page.evaluate(inside)

    browse(work)
