"""The sample browser of the report: nothing is blank, out of sight or silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.test_report_browser import browse, complaints, detail, many, put
from tests.support.chromium import CHROMIUM, Page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

SEEN = """(() => { const box = document.getElementById('list').getBoundingClientRect();
  return [...document.querySelectorAll('.row')].filter((row) => {
    const at = row.getBoundingClientRect(); return at.bottom > box.top && at.top < box.bottom;
  }).map((row) => Number(row.dataset.position)); })()"""
"""The rows that are in sight in the list."""

SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def seen(page: Page) -> list[int]:
    await page.evaluate(SETTLED)
    return list(await page.evaluate(SEEN))


def test_the_list_is_whole_whenever_it_is_shown_again(tmp_path: Path) -> None:
    report = many(tmp_path)
    back = "document.querySelector('.back').click()"

    async def work(page: Page) -> None:
        await page.look(400, 800)
        await page.open(report.as_uri())
        assert 0 in await seen(page)
        await page.evaluate("location.hash = '#sample=s50'")
        await page.evaluate(SETTLED)
        assert await seen(page) == [], "the sample is read, the list is hidden"
        await page.evaluate(back)
        assert 50 in await seen(page)
        await page.evaluate("document.querySelector('[data-position=\"50\"]').click()")
        for _ in range(5):
            await page.evaluate("[...document.querySelectorAll('.walk button')][1].click()")
        await page.press("Escape")
        assert 55 in await seen(page)
        await page.evaluate("document.querySelector('[data-position=\"55\"]').click()")
        await page.look(420, 700)
        await page.evaluate(SETTLED)
        await page.evaluate(back)
        assert 55 in await seen(page), "the window changed meanwhile"
        assert complaints(page) == []

    browse(work)


def test_keys_bring_the_samples_into_view(tmp_path: Path) -> None:
    report = many(tmp_path)
    top = "document.querySelector('.browser').getBoundingClientRect().top"

    async def work(page: Page) -> None:
        await page.look(1000, 700)
        await page.open(report.as_uri())
        assert await page.evaluate(top) > 700
        await page.press("j")
        assert 0 <= await page.evaluate(top) < 400

    browse(work)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    report = many(tmp_path)

    async def work(page: Page) -> None:
        await page.look(1400, 900)
        await page.open(f"{report.as_uri()}#sample=s999")
        assert "This run has no sample s999." in await detail(page)
        await page.press("j")
        assert "s0" in await detail(page)
        assert await put(page, "#search", "nothing like it") == "0 of 60 samples"
        assert await detail(page) == ""
        assert await put(page, "#search", "") == "60 samples"
        assert "s0" in await detail(page)
        assert await put(page, "#from", "1.5") == "60 samples"
        assert await page.evaluate("document.querySelector('#from:out-of-range') !== null")
        assert await put(page, "#from", "0.55") == "27 of 60 samples"
        assert await page.evaluate("document.querySelector('#from:out-of-range') === null")
        assert complaints(page) == []

    browse(work)


def test_a_table_that_is_cut_off_shows_it(tmp_path: Path) -> None:
    report = many(tmp_path)
    shadows = """[...document.querySelectorAll('.wide')].map(
      (e) => getComputedStyle(e).backgroundAttachment)"""

    async def work(page: Page) -> None:
        await page.look(400, 800)
        await page.open(report.as_uri())
        found = await page.evaluate(shadows)
        assert found and set(found) == {"local, local, scroll, scroll"}

    browse(work)
