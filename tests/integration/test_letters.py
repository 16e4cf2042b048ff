"""What an item looks like: its letter and word, its failure message, its JUnit properties."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import (
    EVERY_STATUS,
    endpoint_options,
    every_status,
    junit_cases,
    letters,
    run,
    write_every_status,
)

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])

HOSTILE = {
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \u202egnp.exe",
    "html": "<script>alert(1)</script> & ]]> <b>",
    "surrogate": "half \ud83d of a pair",
    "nul": "a\x00b\x01\x08\x0b\x7f\ufffe\uffff",
    "long": "word " * 20_000,
    "markdown": "| a | b |\n|---|---|\n# head\n```\n[link](http://x)\n![](http://x)",
}


def words(result: pytest.RunResult) -> dict[str, str]:
    """sample -> the word that -v shows, from a serial or a distributed run."""
    serial = r"test_sample\[(\w+)\] (.+?) +\[ *\d+%\]"
    distributed = r"\[gw\d\] \[ *\d+%\] (.+?) mmreason/test_benchmark\.py::test_sample\[(\w+)\]"
    text = result.stdout.str()
    found = dict(re.findall(serial, text))
    return found or {name: word for word, name in re.findall(distributed, text)}


@BOTH
def test_every_status_has_its_letter_and_word(
    pytester: pytest.Pytester, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-retries=0")
    brief = run(pytester, *options, *workers)
    assert sorted(letters(brief)) == sorted(".740RUEEE052")
    if not workers:
        assert letters(brief) == ".740RUEEE052"
    told = words(run(pytester, *options, "-v", *workers))
    assert told == {
        "s0": "SCORED 1.00",
        "s1": "SCORED 0.70",
        "s2": "SCORED 0.45",
        "s3": "SCORED 0.00",
        "s4": "REFUSED",
        "s5": "UNJUDGED",
        "s6": "MODEL_ERROR",
        "s7": "JUDGE_ERROR",
        "s8": "DATA_ERROR",
        "s9": "SCORED 0.00",
        "s10": "SCORED 0.50",
        "s11": "SCORED 0.25",
    }
    assert told.keys() == EVERY_STATUS.keys()
    counted = {"passed": 9, "failed": 3}
    brief.assert_outcomes(**counted)


@BOTH
def test_a_failed_item_says_what_happened_and_how_to_run_it_again(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    rows = [sample(0), sample(1), sample(2, id="two words")]
    folder = write_benchmark(pytester.path / "made", rows)
    recorded = write_answers(
        pytester.path / "a.json", {"s0": "answer0", "s1": "wrong", "two words": "wrong"}
    )
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}")
    result = run(pytester, *options, "--mm-item-threshold=0.5", *workers)
    assert result.ret == 1
    assert sorted(letters(result)) == [".", "F", "F"]
    result.stdout.fnmatch_lines(
        [
            "s1: scored 0.00, below --mm-item-threshold=0.5",
            "answer: 'wrong'",
            "run it again with --mm-sample=s1",
        ]
    )
    result.stdout.fnmatch_lines(["run it again with --mm-sample='two words'"])
    assert "mm_evaluate(mm_sample)" not in result.stdout.str(), "no traceback of the suite"
    again = run(pytester, *options, "--mm-item-threshold=0.5", "--mm-sample=two words")
    again.assert_outcomes(failed=1)


@pytest.fixture
def hostile(pytester: pytest.Pytester) -> tuple[str, ...]:
    """A model whose every answer, and some of whose errors, are made to do harm."""
    rows = [sample(n, id=name, category="a", complexity="high") for n, name in enumerate(HOSTILE)]
    rows += [sample(9, id=f"raise-{name}", category="a") for name in HOSTILE]
    rows = [{**row, "question": f"say {row['id']}"} for row in rows]
    folder = write_benchmark(pytester.path / "made", rows)
    pytester.makepyfile(
        evil=f"""
        HOSTILE = {HOSTILE!a}

        def answer(prompt, images):
            name = prompt.removeprefix("say ")
            if name.startswith("raise-"):
                raise ValueError(HOSTILE[name.removeprefix("raise-")])
            return HOSTILE[name]
        """
    )
    return (
        "--mm-model=python:evil:answer",
        f"--mm-benchmark={folder}",
        "--mm-show=9",
        "--mm-output=out",
        "--junitxml=junit.xml",
        "-rA",
    )


@BOTH
def test_hostile_text_is_inert_wherever_it_is_shown(
    pytester: pytest.Pytester, hostile: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    result = run(pytester, *hostile, "--color=no", *workers)
    assert result.ret == 1
    result.assert_outcomes(passed=6, failed=6)
    shown = result.stdout.str()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff\ufffe\uffff]", shown)
    assert "\\x1b[31mred" in shown, "it is shown as an escape, not hidden"
    assert max(map(len, result.stdout.lines)) < 5_000, "long answers are cut"

    cases = junit_cases(pytester.path / "junit.xml")
    assert len(cases) == 12
    by_sample = {found["mmreason_sample"]: found for _, found in cases}
    assert by_sample["html"]["mmreason_status"] == "scored"
    assert by_sample["html"]["mmreason_score"] == "0.0"
    assert by_sample["raise-nul"] == {
        "mmreason_sample": "raise-nul", "mmreason_status": "model_error",
        "mmreason_benchmark": "made", "mmreason_model": "python:evil:answer",
        "mmreason_judge": "local", "mmreason_prompt": "direct",
        "mmreason_category": "a", "mmreason_complexity": "high",
    }  # fmt: skip

    lines = (pytester.path / "out" / "results.jsonl").read_bytes()
    assert lines.isascii()
    assert b"\x1b" not in lines


def test_hostile_names_are_inert_in_markdown(pytester: pytest.Pytester) -> None:
    name = "<script>alert(1)</script> | a `b` [c](http://d) *e* \x1b[31m"
    rows = [sample(n, category=name, tags=[name]) for n in range(3)]
    folder = write_benchmark(pytester.path / "made", rows, name="<img src>")
    recorded = write_answers(pytester.path / "<b>a.json", {f"s{n}": "answer" for n in range(3)})
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}", "--mm-output=out")
    result = run(pytester, *options)
    assert "\x1b[31m" not in result.stdout.str()
    text = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "<" not in text.replace("&lt;", "")
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)[`*]", re.sub(r"\*\*(PASS|FAIL|[^*]*)\*\*", "", text))
    assert "](http" not in text.replace("\\](http", "")


def test_junit_properties_say_how_each_sample_ended(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-retries=0")
    run(pytester, *options, "--junitxml=junit.xml")
    found = {p["mmreason_sample"]: p for _, p in junit_cases(pytester.path / "junit.xml")}
    assert {name: p["mmreason_status"] for name, p in found.items()} == EVERY_STATUS
    assert found["s1"]["mmreason_score"] == "0.7"
    assert "mmreason_score" not in found["s6"]
    suite = ElementTree.parse(Path("junit.xml")).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("12", "3", "0")
