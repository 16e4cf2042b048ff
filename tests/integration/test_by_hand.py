"""Tests of the user's own that ask model and judge by hand."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import read_summary
from tests.support.project import Project
from tests.support.runs import flat

BY_HAND = """
    def test_short(mm_sample, mm_model, mm_judge, mm_evaluate):
        response = mm_model("In one word. " + mm_sample.question, mm_sample.images)
        mm_evaluate.record(mm_sample, response, mm_judge(mm_sample, response))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_nothing_is_asked_ahead_of_them(project: Project, workers: tuple[str, ...]) -> None:
    project.pytester.makepyfile(test_mine=BY_HAND)
    result = project.run("--mm-judge=keyword", *workers)
    assert result.ret == 0
    assert len(project.calls()) == 6
    assert all(prompt.startswith("In one word.") for _, _, prompt in project.calls())
    result.stdout.fnmatch_lines(["*6 more model calls are in no record*"])
    assert "answered is in the cache" in flat(result)
    uncached = project.run("--mm-judge=keyword", "--mm-cache=off", *workers)
    assert "6 more model calls are in no record" in flat(uncached)
    assert "in the cache" not in flat(uncached)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_a_call_that_fails_ends_its_sample_as_an_error(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        test_mine=BY_HAND,
        broken="""
            def answer(prompt, images):
                if "number 3" in prompt:
                    raise ValueError("out of order")
                return "answer1"
        """,
    )
    result = project.run_plain(
        "--mm-model=python:broken:answer", project.made, "--mm-output=out", *workers
    )
    assert result.ret == 1
    records = {record["sample"]: record for record in project.records()}
    assert records["s3"]["status"] == "model_error"
    assert "out of order" in records["s3"]["reason"]
    assert [r["status"] for r in records.values()].count("scored") == 5
    result.stdout.fnmatch_lines(["*--mm-sample=s3*"])
    result.stdout.no_fnmatch_line("*pytest_mmreason/client.py*")


TWO = """
    import time

    def test_first(mm_sample, mm_evaluate):
        time.sleep({first})
        mm_evaluate.record(mm_sample, "a", 1.0)

    def test_second(mm_sample, mm_evaluate):
        mm_evaluate.record(mm_sample, "b", 0.0)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "3")], ids=["serial", "n3"])
def test_of_two_tests_of_a_sample_the_last_in_the_collection_counts(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(test_mine=TWO.format(first=0.2 if workers else 0))
    result = project.run("--mm-limit=3", "--mm-output=out", *workers)
    assert read_summary(project.path / "out")["runs"][0]["rows"]["overall"]["score"] == 0.0
    result.stdout.fnmatch_lines(["*3 of the samples*recorded by several tests*"])


def test_two_tests_that_agree_need_no_word(project: Project) -> None:
    project.pytester.makepyfile(
        test_mine="""
            def test_first(mm_sample, mm_evaluate):
                mm_evaluate(mm_sample)

            def test_second(mm_sample, mm_evaluate):
                mm_evaluate(mm_sample)
        """
    )
    result = project.run()
    assert len(project.calls()) == 6
    result.stdout.no_fnmatch_line("*recorded by several tests*")
