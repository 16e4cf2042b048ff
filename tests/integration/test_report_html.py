"""``report.html``: written by every run, the same whichever way the run was made."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.reports import Parsed
from tests.support.runs import endpoint_options, every_status, run, write_every_status


def blocks(folder: Path) -> tuple[Any, ...]:
    """What the report of a run shows, but for what differs from run to run."""
    found = Parsed(folder / "report.html")
    results = found.json("run-0")
    for result in results:
        for repeat in result["repeats"]:
            for name in ("latency_s", "usage", "attempts", "cached"):
                repeat.pop(name, None)
    text = re.sub(r"started \S+ · took \d+:\d\d|--mm-output=\w+", "", found.text)
    return found.json("thumbnails"), found.json("asked"), results, text.split()


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    rows = [sample(n, images=["images/a.png"] if n % 2 else []) for n in range(6)]
    folder = write_benchmark(pytester.path / "made", rows)
    (folder / "images").mkdir()
    Image.new("RGB", (64, 48), "red").save(folder / "images" / "a.png")
    answers = {f"s{n}": f"answer{n}" if n < 4 else "no" for n in range(6)}
    recorded = write_answers(pytester.path / "a.json", answers)
    return (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}", "--mm-threshold=50")


def test_serial_workers_merged_and_remade_reports_are_alike(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    out = pytester.path
    run(pytester, *options, "--mm-output=one")
    run(pytester, *options, "--mm-output=two", "-n2")
    for part in (1, 2):
        run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 0
    shutil.copytree(out / "one", out / "again")
    (out / "again" / "report.html").unlink()
    assert main(["report", "again"]) == 0
    thumbnails, asked, results, text = blocks(out / "one")
    assert len(thumbnails) == 1
    assert asked[1]["images"] == [
        {"path": "images/a.png", "thumb": 0, "href": "../made/images/a.png"}
    ]
    assert [result["score"] for result in results][:4] == [1.0] * 4
    assert "PASS" in text
    assert blocks(out / "two") == (thumbnails, asked, results, text)
    assert blocks(out / "again") == (thumbnails, asked, results, text)
    assert blocks(out / "merged")[:3] == (thumbnails, asked, results)


def test_a_report_is_remade_without_the_pictures_where_these_are_gone(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-output=out")
    shutil.rmtree(pytester.path / "made")
    assert main(["report", "out"]) == 0
    thumbnails, asked, _, _ = blocks(pytester.path / "out")
    assert thumbnails == []
    assert asked[1]["question"] == "What is number 1?"
    assert asked[1]["images"] == [
        {"path": "images/a.png", "note": "not shown: the benchmark's folder is not known here"}
    ]


def test_pictures_are_shown_though_none_is_sent(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-images=none", "--mm-output=out")
    thumbnails, asked, _, _ = blocks(pytester.path / "out")
    assert len(thumbnails) == 1 and asked[1]["images"][0]["thumb"] == 0


def test_every_status_stands_in_the_report(pytester: pytest.Pytester, endpoint: Endpoint) -> None:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    run(
        pytester,
        *endpoint_options(endpoint),
        f"--mm-benchmark={folder}",
        "--mm-retries=0",
        "--mm-output=out",
    )
    _, _, results, _ = blocks(pytester.path / "out")
    repeats = [result["repeats"][0] for result in results]
    assert [r["status"] for r in repeats] == [
        "scored", "scored", "scored", "scored", "refused", "unjudged", "model_error",
        "judge_error", "data_error", "scored", "scored", "scored",
    ]  # fmt: skip
    assert "Put the file there" in repeats[8]["advice"]
    assert repeats[10]["flags"] == ["cut short"]
    assert "the picture is too large" in repeats[6]["reason"]


def test_changes_against_a_baseline_lead_to_their_samples(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-output=before")
    write_answers(
        pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(1, 6)} | {"s0": "no"}
    )
    run(pytester, *options, "--mm-baseline=before", "--mm-output=after")
    found = Parsed(pytester.path / "after" / "report.html")
    results = found.json("run-0")
    assert results[0]["before"] == 1.0
    links = [a["href"] for tag, a in found.tags if tag == "a" and "sample=" in (a["href"] or "")]
    assert links[0] == "#sample=s0&run=0"
    assert {*links[1:]} == {"#sample=s4&run=0", "#sample=s5&run=0"}
    assert "the baseline" in found.text


def test_a_report_of_graded_answers_shows_the_judge(pytester: pytest.Pytester) -> None:
    run(pytester, "--mm-agreement=mini", "--mm-judge=local", "--mm-output=out")
    _, asked, results, text = blocks(pytester.path / "out")
    assert len(asked) == len(results) == 130
    assert "Largest disagreements" in " ".join(text)


def test_no_report_is_no_template_engine(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            sys.stderr.write(f"jinja2 {'jinja2' in sys.modules}")
        """
    )
    arguments = ("-p", "no:cacheprovider", *options)
    assert "jinja2 False" in pytester.runpytest_subprocess(*arguments).stderr.str()
    arguments = (*arguments, "--mm-output=out")
    assert "jinja2 True" in pytester.runpytest_subprocess(*arguments).stderr.str()
