"""pytest's own ways of choosing items work on samples: -k, -x, --lf, --deselect, --collect-only."""

from __future__ import annotations

import pytest

from tests.support.endpoint import Endpoint
from tests.support.project import Project
from tests.support.runs import answers, by_model, verdict

PREFIX = "mmreason/test_benchmark.py::test_sample"


@pytest.fixture
def failing(project: Project) -> Project:
    """A repository whose samples s1 and s4 fail until ``mended`` exists, as does its own test."""
    project.pytester.makepyfile(
        failing="""
        import pathlib
        from models_of_mine import right

        def answer(prompt, images):
            if ("1?" in prompt or "4?" in prompt) and not pathlib.Path("mended").exists():
                raise RuntimeError("broken")
            return right(prompt, images)
        """
    )
    return project


FAILING = ("--mm-model=python:failing:answer", "--mm-benchmark=made", "--mm-max-errors=0")


def test_k_chooses_by_the_id_and_asks_for_nothing_else(project: Project) -> None:
    result = project.run("-k", "s1 or s4")
    result.assert_outcomes(passed=2, deselected=4)
    assert project.asked() == ["s1", "s4"]


def test_deselect_leaves_a_sample_out(project: Project) -> None:
    result = project.run("--deselect", f"{PREFIX}[s2]", "-n2")
    assert result.ret == 0
    result.assert_outcomes(passed=5)
    assert project.asked() == ["s0", "s1", "s3", "s4", "s5"]


def test_positional_id_of_a_sample_is_not_mistaken_for_a_file(project: Project) -> None:
    result = project.run(f"{PREFIX}[s2]")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert project.calls() == []


def test_nothing_left_is_exit_5_and_no_call(project: Project) -> None:
    assert project.run("-k", "nosuch").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert project.calls() == []


@pytest.mark.parametrize("args", [(), ("-n2",)])
def test_lf_runs_the_failed_samples_only(failing: Project, args: tuple[str, ...]) -> None:
    first = failing.run_plain(*FAILING, *args)
    assert first.ret == 1
    first.assert_outcomes(passed=4, failed=2)
    (failing.path / "mended").touch()
    (failing.path / "calls.txt").unlink()
    second = failing.run_plain(*FAILING, "--lf", *args)
    assert second.ret == 0
    second.assert_outcomes(passed=2)
    assert failing.asked() == ["s1", "s4"]


def test_lf_runs_failed_samples_and_a_failed_test_of_ones_own(failing: Project) -> None:
    failing.pytester.makepyfile(
        test_mixed="""
        import pathlib
        def test_fails(): assert pathlib.Path("mended").exists()
        def test_passes(): pass
        """,
        test_passing="def test_passes_too(): pass",
    )
    failing.run_plain(*FAILING).assert_outcomes(passed=6, failed=3)
    failing.run_plain(*FAILING, "--lf").assert_outcomes(failed=3)
    (failing.path / "mended").touch()
    second = failing.run_plain(*FAILING, "--lf")
    assert second.ret == 0
    second.assert_outcomes(passed=3)


def test_lf_with_a_failed_test_of_ones_own_alone_leaves_the_samples_out(failing: Project) -> None:
    (failing.path / "mended").touch()
    failing.pytester.makepyfile(test_mixed="def test_fails(): assert 0")
    failing.run_plain(*FAILING).assert_outcomes(passed=6, failed=1)
    (failing.path / "calls.txt").unlink()
    failing.run_plain(*FAILING, "--lf").assert_outcomes(failed=1, deselected=6)
    assert failing.calls() == []


def test_ff_runs_failed_samples_first_and_keeps_the_tables(failing: Project) -> None:
    failing.run_plain(*FAILING)
    (failing.path / "mended").touch()
    result = failing.run_plain(*FAILING, "--ff", "-v", "--mm-output=out")
    shown = [line.split("[")[1].split("]")[0] for line in result.outlines if PREFIX in line]
    assert shown[:2] == ["s1", "s4"]
    assert [record["sample"] for record in failing.records()] == [f"s{n}" for n in range(6)]


def test_x_stops_at_the_first_failed_sample(failing: Project) -> None:
    result = failing.run_plain(*FAILING, "-x", "--mm-concurrency=1")
    assert result.ret == 1
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*4 missing*"])


def test_collect_only_prints_the_calls_that_a_run_would_make_and_makes_none(
    project: Project, endpoint: Endpoint
) -> None:
    args = [
        "--mm-model=openai:m",
        "--mm-judge=openai:j",
        f"--mm-base-url={endpoint.url}",
        f"--mm-judge-base-url={endpoint.url}",
        project.made,
        "--mm-judge-runs=3",
        "--mm-repeats=2",
        "--mm-prompt=direct",
        "--mm-prompt=cot",
        "-k",
        "not s0",
    ]
    planned = project.run_plain("--collect-only", *args)
    assert planned.ret == 0
    planned.stdout.fnmatch_lines(["mmreason: a run would make 20 model calls and 60 judge calls*"])
    assert endpoint.requests == []
    assert not (project.path / ".mmreason").exists()

    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(1.0))
    # Equal answers of two repeats have equal verdicts: a cache would know some of them.
    assert project.run_plain("--mm-cache=off", *args).ret == 0
    assert (len(endpoint.calls("m")), len(endpoint.calls("j"))) == (20, 60)


LOOKS = ["--fixtures", "--fixtures-per-test", "--setup-only", "--setup-plan", "--cache-show"]


@pytest.mark.parametrize("option", LOOKS)
def test_looking_at_tests_asks_nothing_and_opens_nothing(project: Project, option: str) -> None:
    result = project.run(option)
    assert result.ret == 0
    assert project.calls() == []
    assert not (project.path / ".mmreason").exists()
    result.stdout.no_fnmatch_line("*=* mmreason: *")


def test_fixtures_are_explained(project: Project) -> None:
    result = project.run_plain("--fixtures")
    for name in ("mm_sample", "mm_model", "mm_judge", "mm_evaluate"):
        line = next(i for i, text in enumerate(result.outlines) if text.startswith(name))
        assert len(result.outlines[line + 1].strip()) > 20


def test_suite_runs_without_a_terminal_reporter(project: Project) -> None:
    result = project.run("-pno:terminal", "--mm-output=out")
    assert result.ret == 0
    assert [record["score"] for record in project.records()] == [1.0] * 6


def test_collect_only_under_workers_makes_no_call(project: Project) -> None:
    result = project.run("--collect-only", "-n2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["mmreason: a run would make 6 model calls and 0 judge calls*"])
    assert project.calls() == []


def test_collect_only_counts_neither_recorded_answers_nor_unreferenced_verdicts(
    project: Project,
) -> None:
    from tests.support.benchmarks import sample, write_answers

    project.write_samples([sample(0), sample(1, answer=None)])
    write_answers(project.path / "answers.json", {"s0": "answer0", "s1": "x"})
    judge = "--mm-judge=python:models_of_mine:exact"
    recorded = project.run_plain(
        "--collect-only", "--mm-model=replay:answers.json", project.made, judge
    )
    recorded.stdout.fnmatch_lines(["mmreason: a run would make 0 model calls and 1 judge call,*"])
