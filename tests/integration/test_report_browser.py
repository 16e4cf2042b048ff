"""The report in a real browser: nothing in it runs, nothing leaves, and a person can use it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.sample import ImageRef, Sample
from tests.support.benchmarks import sample as row
from tests.support.benchmarks import write_answers, write_benchmark
from tests.support.chromium import CHROMIUM, Page, opened
from tests.support.hostile import hostile_texts
from tests.support.reports import made_report, made_summary
from tests.support.runs import run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

COMPLAINTS = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
STATE = "JSON.stringify([document.title, document.documentElement.dataset.run || '', [...new Set([...document.querySelectorAll('*')].map((e) => e.localName))].sort()])"

OVERFLOW = (
    "(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)(document.getElementById('detail'))"
)


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """(address, what was asked of it) of a server that must hear nothing."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    thread.join()
    server.server_close()


def browse(work: Callable[[Page], Awaitable[None]], net_log: Path | None = None) -> None:
    """Do `work` on a page of a new browser."""

    async def session() -> None:
        async with opened(net_log) as page:
            await work(page)

    asyncio.run(session())


def requested(page: Page) -> set[str]:
    """The schemes of all that the page asked for."""
    return {
        parameters["request"]["url"].partition(":")[0]
        for method, parameters in page.events
        if method == "Network.requestWillBeSent"
    }


def complaints(page: Page) -> list[Any]:
    return [event for event in page.events if event[0] in COMPLAINTS]


async def detail(page: Page) -> str:
    return str(await page.evaluate("document.getElementById('detail').textContent"))


def hostile_samples(folder: Path, url: str) -> tuple[list[Sample], list[dict[str, Any]]]:
    """A sample for each hostile text, which stands wherever it can."""
    samples, records = [], []
    for number, text in enumerate(hostile_texts(url)):
        name = f"{number} {text[:300]}"
        samples.append(
            Sample(
                name,
                text,
                (ImageRef(text[:100] or "i", str(folder)),),
                answer=text,
                steps=(text,),
                category=text[:200],
                capabilities=(text[:200],),
                tags=(text[:200], "tag"),
                benchmark="made",
            )
        )
        records.append(
            {"response": text, "rationale": text, "flags": (text,), "finish_reason": text}
            if number % 2
            else {"status": "model_error", "reason": text, "rationale": text}
        )
    return samples, records


def test_hostile_texts_run_nothing_ask_for_nothing_and_leave_the_layout_whole(
    tmp_path: Path, listener: tuple[str, list[str]]
) -> None:
    url, heard = listener
    samples, records = hostile_samples(tmp_path, url)
    report = made_report(tmp_path / "out", made_summary(samples, records, ("<b>m</b>", "n")))
    net_log = tmp_path / "net.json"

    async def work(page: Page) -> None:
        await page.look(1400, 900)
        await page.open(report.as_uri())
        title, ran, kinds = json.loads(await page.evaluate(STATE))
        assert ran == "" and title.startswith("mmreason: ")
        for number, asked in enumerate(samples):
            await page.press("j") if number else None
            assert str(number) in await detail(page)
            (now, ran, found) = json.loads(await page.evaluate(STATE))
            assert (now, ran) == (title, "")
            assert await page.evaluate(OVERFLOW) is False, asked
            assert set(found) <= {*kinds, "ol", "li", "dl", "dt", "dd", "img"}, asked
        await page.evaluate("document.getElementById('search').value = '<script>'")
        for width in (1400, 400):
            await page.look(width, 800)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints(page) == []
        assert requested(page) == {"file"}

    browse(work, net_log)
    assert heard == []
    assert url.removeprefix("http://") not in net_log.read_text(encoding="utf-8")


def test_the_policy_holds_even_if_markup_got_in(
    tmp_path: Path, listener: tuple[str, list[str]]
) -> None:
    url, heard = listener
    report = made_report(tmp_path / "out", made_summary([Sample("s", "q")], [{}]))
    # But for a comment that never ends, and for being led elsewhere, which no policy forbids.
    texts = [t for t in hostile_texts(url)[:18] if t != "<!--<script>" and "refresh" not in t]
    assert len(texts) == 16
    markup = "".join(texts)
    text = report.read_text(encoding="utf-8")
    pages = {
        "with policy": text.replace("<main>", f"<main>{markup}"),
        "without": f"<!DOCTYPE html><title>mmreason</title><body>{markup}",
    }
    for name, content in pages.items():
        page_file = tmp_path / f"{name}.html"
        page_file.write_text(content, encoding="utf-8")
        ran: list[str] = []

        async def work(page: Page, file: Path = page_file, ran: list[str] = ran) -> None:
            await page.open(file.as_uri())
            await asyncio.sleep(0.3)
            with contextlib.suppress(AssertionError):  # a script may have led the browser elsewhere
                ran.append(await page.evaluate("document.documentElement.dataset.run || ''"))

        browse(work)
        if name == "with policy":
            assert (heard, ran) == ([], [""])
        else:  # the same markup is no empty threat
            assert heard and ran != [""]


def test_a_run_of_attacks_reads_the_same_serially_and_in_workers(
    pytester: pytest.Pytester, listener: tuple[str, list[str]]
) -> None:
    url, heard = listener
    texts = hostile_texts(url)[:40]
    rows = [row(n, question=f"{n} {text}") for n, text in enumerate(texts)]
    made = write_benchmark(pytester.path / "made", rows)
    answers = write_answers(
        pytester.path / "a.json", {f"s{n}": text for n, text in enumerate(texts)}
    )
    options = (f"--mm-model=replay:{answers}", f"--mm-benchmark={made}", "--mm-show=0")
    seen: list[list[Any]] = []
    for folder, workers in (("one", ()), ("two", ("-n2",))):
        assert run(pytester, *options, f"--mm-output={folder}", *workers).ret == 0
        report = pytester.path / folder / "report.html"

        async def work(page: Page, report: Path = report) -> None:
            await page.open(report.as_uri())
            scores = "document.getElementById('scores').innerText.replace(/took \\d+:\\d+/, '')"
            seen.append([await page.evaluate(scores)])
            for _ in texts:
                seen[-1].append(await detail(page))
                await page.press("j")
            assert (await page.evaluate("document.documentElement.dataset.run || ''")) == ""
            assert complaints(page) == []

        browse(work)
    assert heard == []
    assert seen[0] == seen[1]
    assert "<script>" in seen[0][1]


def many(tmp_path: Path, count: int = 60) -> Path:
    """The report of two runs of `count` samples, the first of which scores more each time."""
    Image.new("RGB", (64, 48), "red").save(tmp_path / "a.png")
    samples = [
        Sample(
            f"s{n}",
            f"Question {n}?",
            (ImageRef("a.png" if n != 1 else "absent.png", str(tmp_path)),),
            answer=f"reference{n}",
            steps=("first", "second"),
            category=("deductive", "abductive")[n % 2],
            complexity=("moderate", "high")[n // 2 % 2],
            capabilities=("rec", "ocr")[: 1 + n % 2],
            tags=("round",) if n % 10 == 0 else (),
            benchmark="made",
        )
        for n in range(count)
    ]
    records: list[dict[str, Any]] = [
        {"score": n / count, "response": f"answer{n}", "steps": ({"step": 1, "credit": 0.5},)}
        for n in range(count)
    ]
    records[7] = {"status": "judge_error", "reason": "no verdict", "response": "an answer"}
    return made_report(tmp_path / "out", made_summary(samples, records, ("m", "other")))


SET = "(([id, value]) => {{ const e = document.querySelector(id); e.value = value; e.dispatchEvent(new Event(e.localName === 'select' ? 'change' : 'input', {{bubbles: true}})); return document.getElementById('count').textContent; }})({})"
FIRST = "document.querySelector('.row[data-position=\"0\"] small').textContent"


async def put(page: Page, selector: str, value: str) -> str:
    """Fill in a field; what the page then says of how many samples are shown."""
    return str(await page.evaluate(SET.format(json.dumps([selector, value]))))


def test_samples_are_filtered_sorted_searched_and_linked(tmp_path: Path) -> None:
    report = many(tmp_path)

    async def work(page: Page) -> None:
        await page.look(1400, 900)
        await page.open(report.as_uri())
        assert await put(page, "#search", "QUESTION 5") == "15 of 60 samples"
        assert await put(page, "#search", "reference5 answer5") == "11 of 60 samples"
        assert await put(page, "#search", "nothing like it") == "0 of 60 samples"
        assert await put(page, "#search", "") == "60 samples"
        assert await put(page, "[data-choice=category]", "=abductive") == "30 of 60 samples"
        assert await put(page, "[data-choice=complexity]", "=high") == "15 of 60 samples"
        assert await put(page, "[data-choice=status]", "=judge_error") == "1 of 60 samples"
        await page.evaluate("document.getElementById('reset').click()")
        assert await put(page, "[data-choice=tag]", "=round") == "6 of 60 samples"
        await page.evaluate("document.getElementById('reset').click()")
        assert await put(page, "#from", "0.5") == "30 of 60 samples"
        assert await put(page, "#to", "0.6") == "7 of 60 samples"
        await page.evaluate("document.getElementById('reset').click()")
        await put(page, "#sort", "best")
        assert str(await page.evaluate(FIRST)).startswith("s59 ")
        await put(page, "#sort", "worst")
        assert str(await page.evaluate(FIRST)).startswith("s0 ")
        await page.open("about:blank")
        await page.open(f"{report.as_uri()}#sample=s42&run=1")
        assert (await detail(page)).count("answer42") == 1
        assert await page.evaluate("document.getElementById('run').value") == "1"
        await page.open("about:blank")
        await page.open(f"{report.as_uri()}#sample=s7")
        text = await detail(page)
        assert "no verdict" in text and "the next run judges it again" in text
        await page.evaluate("location.hash = '#sample=s1'")
        await asyncio.sleep(0.2)
        assert "not shown: image 'absent.png' is missing" in await detail(page)
        assert complaints(page) == []

    browse(work)


def test_everything_is_at_hand_by_keyboard_and_on_a_narrow_screen(tmp_path: Path) -> None:
    report = many(tmp_path)
    reading = "getComputedStyle(document.getElementById('detail')).display !== 'none'"
    listed = "getComputedStyle(document.getElementById('list')).display !== 'none'"
    open_dialog = "document.getElementById('keys').open"

    async def work(page: Page) -> None:
        await page.look(1400, 900)
        await page.open(report.as_uri())
        for key in "jjk":
            await page.press(key)
        assert await page.evaluate("location.hash") == "#sample=s1&run=0"
        await page.press("/")
        await page.press("j")
        assert await page.evaluate("document.getElementById('search').value") == "j"
        await page.press("Escape")
        assert await page.evaluate("document.activeElement.id") != "search"
        await page.press("?")
        assert await page.evaluate(open_dialog)
        await page.press("Escape")
        assert not await page.evaluate(open_dialog)
        await page.look(400, 800)
        await page.open("about:blank")
        await page.open(report.as_uri())
        assert (await page.evaluate(listed), await page.evaluate(reading)) == (True, False)
        await page.evaluate("document.querySelector('.row').click()")
        assert (await page.evaluate(listed), await page.evaluate(reading)) == (False, True)
        await page.press("Escape")
        assert (await page.evaluate(listed), await page.evaluate(reading)) == (True, False)
        assert await page.evaluate("document.documentElement.scrollWidth") == 400
        unnamed = "[...document.querySelectorAll('input, select, button')].filter((e) => !(e.labels && e.labels.length) && !e.getAttribute('aria-label') && !e.textContent.trim()).map((e) => e.outerHTML)"
        assert await page.evaluate(unnamed) == []
        assert await page.evaluate("document.querySelectorAll('.row').length") < 40
        assert complaints(page) == []

    browse(work)


def test_a_credit_for_a_step_far_beyond_the_reference_is_one_line(tmp_path: Path) -> None:
    steps = ({"step": 2, "credit": 0.5}, {"step": 10**9, "credit": 1.0})
    summary = made_summary([Sample("s", "q", steps=("one", "two"))], [{"steps": steps}])
    report = made_report(tmp_path / "out", summary)

    async def work(page: Page) -> None:
        await page.open(report.as_uri())
        items = "[...document.querySelectorAll('#detail .steps li')].map((e) => `${e.value} ${e.textContent}`)"
        assert await page.evaluate(items) == ["1  one", "2 0.50 two", "1000000000 1.00 "]

    browse(work)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(tmp_path: Path, dark: bool) -> None:
    report = many(tmp_path)
    # WCAG 2, contrast of at least 4.5, of every element that has text of its own.
    faint = """(() => {
      const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
      const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92
        : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
      const behind = (e) => { for (; e; e = e.parentElement) {
        const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; }
        return rgb('canvas'); };
      const found = [];
      for (const e of document.querySelectorAll('body *')) {
        if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
          continue;
        const style = getComputedStyle(e);
        const text = rgb(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
        const [high, low] = [light(text), light(behind(e))].sort((a, b) => b - a);
        const contrast = (high + .05) / (low + .05);
        if (contrast < 4.5) found.push(`${e.localName}.${e.className} ${contrast.toFixed(2)}`);
      }
      return found;
    })()"""

    async def work(page: Page) -> None:
        await page.look(1400, 900, dark=dark)
        await page.open(f"{report.as_uri()}#sample=s7")
        assert await page.evaluate(faint) == []

    browse(work)
