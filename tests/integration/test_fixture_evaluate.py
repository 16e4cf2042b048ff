"""mm_evaluate in a test of the user's own: what becomes a record, and how many."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import read_summary
from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])


def test_evaluate_returns_the_record(project: Project) -> None:
    project.pytester.makepyfile(
        """
        from pytest_mmreason import Record

        def test_it(mm_sample, mm_evaluate):
            record = mm_evaluate(mm_sample)
            assert isinstance(record, Record)
            assert (record.status, record.score) == ("scored", 1.0)
            assert record.sample == mm_sample.id
            assert record.response == mm_sample.answer
        """
    )
    result = project.run()
    assert result.ret == 0
    result.assert_outcomes(passed=6)


def test_evaluate_without_a_sample_says_what_is_needed(project: Project) -> None:
    project.pytester.makepyfile("def test_it(mm_evaluate): pass")
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*mm_evaluate needs mm_sample in the same test"])


@SERIAL_AND_WORKERS
def test_a_test_may_ask_in_several_threads(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makepyfile(
        """
        from concurrent.futures import ThreadPoolExecutor

        def test_it(mm_sample, mm_evaluate):
            with ThreadPoolExecutor(4) as threads:
                records = list(threads.map(mm_evaluate, [mm_sample] * 4))
            assert {record.sample for record in records} == {mm_sample.id}
        """
    )
    result = project.run("--mm-output=out", *args)
    assert result.ret == 0
    assert len(project.records()) == 6


@SERIAL_AND_WORKERS
def test_nothing_is_asked_for_a_test_that_is_skipped(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.skip(reason="not today")
        def test_it(mm_sample, mm_evaluate):
            mm_evaluate(mm_sample)
        """
    )
    result = project.run(*args)
    result.assert_outcomes(skipped=6)
    assert project.calls() == []


@SERIAL_AND_WORKERS
def test_changed_sample_is_what_is_evaluated(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makepyfile(
        """
        import dataclasses

        def test_it(mm_sample, mm_evaluate):
            changed = dataclasses.replace(
                mm_sample, question="What is number 40?", answer="answer40"
            )
            record = mm_evaluate(changed)
            assert (record.response, record.score) == ("answer40", 1.0)
        """
    )
    result = project.run("--mm-output=out", "--mm-sample=s2", "--mm-sample=s3", *args)
    assert result.ret == 0
    records = project.records()
    assert [(r["sample"], r["response"]) for r in records] == [
        ("s2", "answer40"),
        ("s3", "answer40"),
    ]


@SERIAL_AND_WORKERS
def test_two_tests_of_a_sample_make_one_record_and_one_call(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        """
        def test_one(mm_sample, mm_evaluate):
            mm_evaluate(mm_sample)
        def test_two(mm_sample, mm_evaluate):
            assert mm_evaluate(mm_sample).score == 1.0
        """
    )
    result = project.run("--mm-output=out", "--mm-cache=off", *args)
    assert result.ret == 0
    result.assert_outcomes(passed=12)
    assert project.asked() == [f"s{n}" for n in range(6)]
    assert [r["sample"] for r in project.records()] == [f"s{n}" for n in range(6)]
    (run,) = read_summary(project.path / "out")["runs"]
    assert run["counts"]["collected"] == run["counts"]["scored"] == 6


def test_skipped_sample_yields_no_record_and_fails_nothing(project: Project) -> None:
    project.pytester.makepyfile(
        """
        import pytest

        def test_it(mm_sample, mm_evaluate):
            if mm_sample.id == "s0":
                pytest.skip("not today")
            mm_evaluate(mm_sample)
        """
    )
    result = project.run("--mm-output=out")
    assert result.ret == 0
    result.assert_outcomes(passed=5, skipped=1)
    assert [r["sample"] for r in project.records()] == [f"s{n}" for n in range(1, 6)]


def test_own_assertion_on_the_record_fails_the_item_and_keeps_the_score(project: Project) -> None:
    project.pytester.makepyfile(
        """
        def test_it(mm_sample, mm_evaluate):
            assert mm_evaluate(mm_sample).response.endswith("0")
        """
    )
    result = project.run("--mm-output=out", "--mm-limit=2", "--mm-sample=s0", "--mm-sample=s1")
    assert result.ret == 1
    result.assert_outcomes(passed=1, failed=1)
    assert [r["score"] for r in project.records()] == [1.0, 1.0]


def test_class_and_parametrize_beside_the_sample(project: Project) -> None:
    project.pytester.makepyfile(
        """
        import pytest

        class TestMine:
            @pytest.mark.parametrize("style", ["short", "long"])
            def test_it(self, mm_sample, mm_evaluate, style):
                mm_evaluate(mm_sample)
        """
    )
    result = project.run("--mm-output=out", "--mm-limit=2")
    assert result.ret == 0
    result.assert_outcomes(passed=4)
    assert len(project.records()) == 2


@SERIAL_AND_WORKERS
def test_fixture_of_ones_own_may_evaluate(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makepyfile(
        flawed="""
        from models_of_mine import right

        def answer(prompt, images):
            if "number 1?" in prompt:
                raise RuntimeError("no weights")
            return right(prompt, images)
        """,
        test_flawed="""
        import pytest

        @pytest.fixture
        def result(mm_sample, mm_evaluate):
            return mm_evaluate(mm_sample)

        def test_it(result):
            assert result.score == 1.0
        """,
    )
    result = project.run_plain(
        "--mm-model=python:flawed:answer",
        project.made,
        "--mm-output=out",
        "--mm-max-errors=1",
        *args,
    )
    assert result.ret == 0
    assert [r["status"] for r in project.records()] == [
        "scored",
        "model_error",
        *["scored"] * 4,
    ]


def test_evaluate_asked_for_at_run_time_yields_a_record_too(project: Project) -> None:
    project.pytester.makepyfile(
        """
        def test_it(mm_sample, request):
            request.getfixturevalue("mm_evaluate")(mm_sample)
        """
    )
    result = project.run("-o", "mm_suite=off", "--mm-output=out")
    assert result.ret == 0
    assert len(project.records()) == 6
