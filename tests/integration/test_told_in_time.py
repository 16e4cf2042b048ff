"""What is probably not meant is said, and never passes for a gate that was met."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import sample, write_benchmark
from tests.support.project import Project

OWN = """
    def test_own():
        pass
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_a_gate_on_the_command_line_that_met_no_sample_fails(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(test_own=OWN)
    result = project.run_plain(project.model, "--mm-threshold=1", "test_own.py", *workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*no sample was evaluated*so no --mm-threshold was met*"])


def test_a_model_on_the_command_line_that_met_no_sample_is_told(project: Project) -> None:
    project.pytester.makepyfile(test_own=OWN)
    result = project.run_plain(project.model, "test_own.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*no sample was evaluated*"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_a_selection_that_leaves_no_sample_is_named(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(test_own=OWN)
    result = project.run_plain(project.model, "-k", "nowhere", *workers)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["*-k 'nowhere' selects no sample*"])
    result = project.run_plain(project.model, "-k", "test_own", "--mm-threshold=1", *workers)
    assert result.ret == 1
    told = " ".join(result.stdout.str().split())
    assert "asks for one. -k 'test_own' selects none; so no --mm-threshold was met" in told


def test_a_gate_in_the_ini_file_leaves_own_tests_alone(project: Project) -> None:
    project.pytester.makepyfile(test_own=OWN)
    project.pytester.makeini("[pytest]\nmm_model = python:models_of_mine:right\nmm_threshold = 99")
    result = project.run_plain("test_own.py")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*mmreason*evaluated*")


def test_an_empty_model_switches_off_the_one_of_the_ini_file(project: Project) -> None:
    project.pytester.makepyfile(test_own=OWN)
    project.pytester.makeini("[pytest]\nmm_model = python:models_of_mine:right")
    result = project.run_plain("--mm-model=")
    result.assert_outcomes(passed=1)
    assert project.calls() == []


def test_a_threshold_below_one_point_is_remarked(project: Project) -> None:
    project.run("--mm-threshold=0.6").stdout.fnmatch_lines(["*0.6 on overall is below one point*"])


def test_complexities_and_weights_that_do_not_meet_are_remarked(project: Project) -> None:
    write_benchmark(
        project.path / "made",
        [sample(0, complexity="moderate"), sample(1, complexity="hard")],
        weights={"moderate": 1, "high": 2},
    )
    project.run().stdout.fnmatch_lines_random(
        [
            "*complexity 'hard' (1 of the samples) has no weight*",
            "*[[]weights[]] names 'high', which no sample has*",
        ]
    )


def test_answers_of_a_function_from_the_cache_are_remarked(project: Project) -> None:
    project.run().stdout.no_fnmatch_line("*came from the cache, which knows*")
    project.run().stdout.fnmatch_lines(["*came from the cache, which knows a change*"])


def test_a_fixture_that_raises_stops_the_run_with_its_own_error(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def mm_model():
            raise RuntimeError("cuda out of memory")
        """
    )
    result = project.run_plain("--mm-model=fixture", project.made)
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*cuda out of memory*", "*the fixture mm_model raised RuntimeError*"]
    )


def test_a_class_in_place_of_a_model_is_a_usage_error(project: Project) -> None:
    result = project.run_plain("--mm-model=python:models_of_mine:Answerer")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*Answerer is a class; name an instance of it*"])


def test_a_bare_name_is_told_how_an_endpoint_is_named(project: Project) -> None:
    result = project.run_plain("--mm-model=llama-vision-xl")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*openai:llama-vision-xl*"])


def test_an_early_end_says_so_and_blames_no_gate(project: Project) -> None:
    project.pytester.makepyfile(
        broken="""
            def answer(prompt, images):
                raise ValueError("no")
        """
    )
    result = project.run_plain(
        "--mm-model=python:broken:answer", project.made, "-x", "--mm-max-errors=100%"
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*FAIL*ended before it reached 5 samples*"])


def test_a_plain_function_that_times_out_is_not_called_again(project: Project) -> None:
    project.pytester.makepyfile(
        slow="""
            import pathlib, time

            def answer(prompt, images):
                with open("slow.txt", "a") as file:
                    file.write("x")
                time.sleep(1)
        """
    )
    result = project.run_plain(
        "--mm-model=python:slow:answer", project.made, "--mm-timeout=0.2", "--mm-limit=1"
    )
    assert result.ret == 1
    assert (project.path / "slow.txt").read_text(encoding="utf-8") == "x"
    result.stdout.fnmatch_lines(["*model 1 call*"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_item_hooks_of_the_rootdir_conftest_see_the_bundled_suite(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(
        """
        def pytest_runtest_setup(item):
            with open("seen.txt", "a") as file:
                file.write(item.name + " ")
        """
    )
    project.run("--mm-limit=2", *workers)
    seen = (project.path / "seen.txt").read_text(encoding="utf-8").split()
    assert len(seen) == 2
