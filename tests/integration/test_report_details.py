"""What the report shows of a sample and of an agreement: nothing that looks like a fault and is none."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from pytest_mmreason.sample import Sample
from tests.integration.test_report_browser import browse
from tests.support.chromium import CHROMIUM, Page
from tests.support.reports import Parsed, made_report, made_summary
from tests.support.runs import run

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

GRADED = Path(__file__).parents[2] / "benchmarks" / "mini" / "graded" / "mini.jsonl"


@in_a_browser
def test_steps_of_a_fully_right_answer_bear_no_warning(tmp_path: Path) -> None:
    steps = tuple({"step": n, "credit": credit} for n, credit in ((1, 0.0), (2, 1.0)))
    asked = [Sample(name, "q", steps=("one", "two")) for name in ("right", "half")]
    fields = [{"steps": steps, "score": 1.0}, {"steps": steps, "score": 0.5}]
    report = made_report(tmp_path / "out", made_summary(asked, fields))
    marks = "[...document.querySelectorAll('#detail .steps .mark')].map((e) => e.className)"

    async def work(page: Page) -> None:
        await page.open(f"{report.as_uri()}#sample=right")
        assert await page.evaluate(marks) == ["mark even", "mark t10"]
        await page.press("j")
        assert await page.evaluate(marks) == ["mark t0", "mark t10"]

    browse(work)


@in_a_browser
def test_one_call_is_told_as_one(tmp_path: Path) -> None:
    usage = {
        "model": {"calls": 1, "prompt_tokens": 1, "completion_tokens": 2},
        "judge": {"calls": 2},
    }
    report = made_report(tmp_path / "out", made_summary([Sample("s", "q")], [{"usage": usage}]))

    async def work(page: Page) -> None:
        await page.open(report.as_uri())
        text = await page.evaluate("document.getElementById('detail').innerText")
        assert "model 1 call, 1 prompt token, 2 completion tokens · judge 2 calls" in text

    browse(work)


def test_without_notes_there_is_no_card_of_them(tmp_path: Path) -> None:
    summary = made_summary([Sample("s", "q")], [{}])
    plain = Parsed(made_report(tmp_path / "plain", summary))
    noted = Parsed(
        made_report(tmp_path / "noted", dataclasses.replace(summary, notes=("look here",)))
    )
    assert "Notes" not in plain.text and "took 0:00" in plain.text
    assert "Notes" in noted.text and "look here" in noted.text
    assert [name for name, _ in plain.tags].count("footer") == 1


@in_a_browser
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_an_agreement_is_shown_without_what_belongs_to_models(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    lines = GRADED.read_text(encoding="utf-8").splitlines()[:40]
    (pytester.path / "graded.jsonl").write_text("\n".join(lines), encoding="utf-8")
    result = run(pytester, "--mm-agreement=graded.jsonl", "--mm-output=out", *workers)
    assert result.ret == 0
    report = pytester.path / "out" / "report.html"
    text = Parsed(report).text
    assert "judge's version" in text
    assert "follow up" not in text and "separate" not in text
    wider = "[...document.querySelectorAll('.wide')].filter((e) => e.scrollWidth > e.clientWidth).length"

    async def work(page: Page) -> None:
        await page.look(1300, 900)
        await page.open(report.as_uri())
        assert await page.evaluate(wider) == 0, "no table has to be scrolled"
        assert await page.evaluate("document.querySelectorAll('#list .blank').length") == 0
        row = await page.evaluate(
            "JSON.stringify([...document.querySelectorAll('#list .row')][0].getBoundingClientRect())"
        )
        gist = await page.evaluate(
            "JSON.stringify(document.querySelector('#list .gist').getBoundingClientRect())"
        )
        assert json.loads(gist)["left"] - json.loads(row)["left"] < 20, "the text takes its place"

    browse(work)
