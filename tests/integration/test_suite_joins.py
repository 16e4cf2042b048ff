"""When the bundled suite joins a session, and when it stays out."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import MINI_SAMPLES
from tests.support.project import Project

OWN_TEST = """
    def test_mine():
        assert True
"""


def suite_and_own(ids: list[str]) -> tuple[int, int]:
    """(items of the bundled suite, items of the user's own)."""
    suite = [i for i in ids if i.startswith("mmreason/test_benchmark.py::test_sample[")]
    return len(suite), len(ids) - len(suite)


@pytest.fixture
def repo(project: Project) -> Project:
    """A repository that has a test of its own."""
    project.pytester.makepyfile(**{"tests/test_own": OWN_TEST})
    return project


def test_empty_folder_runs_the_bundled_benchmark(project: Project) -> None:
    ids = project.ids(project.model)
    assert suite_and_own(ids) == (MINI_SAMPLES, 0)


def test_suite_runs_beside_the_tests_of_the_repository(repo: Project) -> None:
    result = repo.run()
    assert result.ret == 0
    result.assert_outcomes(passed=7)
    assert repo.asked() == [f"s{n}" for n in range(6)]


@pytest.mark.parametrize("dist", ["loadscope", "each"])
def test_suite_runs_beside_the_tests_of_the_repository_in_workers(repo: Project, dist: str) -> None:
    result = repo.run("-n2", f"--dist={dist}")
    assert result.ret == 0
    result.assert_outcomes(passed=7 * (2 if dist == "each" else 1))
    assert repo.asked() == [f"s{n}" for n in range(6)]


def test_suite_runs_beside_a_virtual_environment_in_the_repository(repo: Project) -> None:
    packages = repo.path / "env" / "lib" / "python3.11" / "site-packages"
    for package in (packages / "pytest_mmreason" / "suite", packages / "other"):
        package.mkdir(parents=True)
        (package / "test_benchmark.py").write_text("raise ImportError('not to be collected')")
    (repo.path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert suite_and_own(repo.ids(repo.model, repo.made)) == (6, 1)


def test_positional_argument_keeps_the_suite_out(repo: Project) -> None:
    assert suite_and_own(repo.ids(repo.model, "tests")) == (0, 1)
    assert suite_and_own(repo.ids(repo.model, "tests/test_own.py::test_mine")) == (0, 1)


def test_positional_argument_and_a_named_benchmark_run_both(repo: Project) -> None:
    assert suite_and_own(repo.ids(repo.model, repo.made, "tests/test_own.py")) == (6, 1)


def test_benchmark_in_the_ini_does_not_bring_the_suite_to_a_named_test(repo: Project) -> None:
    repo.pytester.makefile(".ini", pytest="[pytest]\nmm_benchmark = made")
    assert suite_and_own(repo.ids(repo.model, "tests")) == (0, 1)
    assert suite_and_own(repo.ids(repo.model)) == (6, 1)


def test_testpaths_are_no_positional_argument(repo: Project) -> None:
    repo.pytester.makefile(".ini", pytest="[pytest]\ntestpaths = tests")
    assert suite_and_own(repo.ids(repo.model, repo.made)) == (6, 1)


OWN_EVALUATION = """
    def test_all_of_it(mm_sample, mm_evaluate):
        assert mm_evaluate(mm_sample).score == 1.0
"""


def test_suite_joins_whatever_the_repository_calls_its_tests(repo: Project) -> None:
    repo.pytester.makepyfile(
        check_it="def check_this(): pass\nclass Checks:\n    def check(self): pass"
    )
    names = ["python_functions=check*", "python_files=check_*.py", "python_classes=Check*"]
    ids = repo.ids(repo.model, repo.made, *(arg for name in names for arg in ("-o", name)))
    assert suite_and_own(ids) == (6, 2)


def test_own_evaluation_takes_the_place_of_the_suite(repo: Project) -> None:
    repo.pytester.makepyfile(**{"tests/test_samples": OWN_EVALUATION})
    ids = repo.ids(repo.model, repo.made)
    assert suite_and_own(ids) == (0, 7)
    result = repo.run("-n2")
    assert result.ret == 0
    result.assert_outcomes(passed=7)
    assert repo.asked() == [f"s{n}" for n in range(6)]


def test_own_evaluation_does_not_displace_the_suite_where_samples_are_not_evaluated(
    repo: Project,
) -> None:
    repo.pytester.makepyfile(
        **{"tests/test_samples": "def test_question(mm_sample): assert mm_sample.question"}
    )
    assert suite_and_own(repo.ids(repo.model, repo.made)) == (6, 7)


@pytest.mark.parametrize(
    ("mode", "args", "expected"),
    [
        ("on", ["tests"], (6, 7)),
        ("on", [], (6, 7)),
        ("off", [], (0, 7)),
        ("off", ["--mm-benchmark=made"], (0, 7)),
        ("auto", [], (0, 7)),
    ],
)
def test_ini_decides_otherwise(
    repo: Project, mode: str, args: list[str], expected: tuple[int, int]
) -> None:
    repo.pytester.makepyfile(**{"tests/test_samples": OWN_EVALUATION})
    repo.pytester.makefile(".ini", pytest=f"[pytest]\nmm_benchmark = made\nmm_suite = {mode}")
    assert suite_and_own(repo.ids(repo.model, *args)) == expected


def test_unknown_mode_is_a_usage_error_with_the_nearest(repo: Project) -> None:
    result = repo.run("-o", "mm_suite=onn")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*mm_suite is 'onn', not one of auto, on, off. Did you mean 'on'*"]
    )


@pytest.mark.parametrize("args", [(), ("-n2", "--import-mode=importlib")])
def test_files_of_the_same_name_do_not_shadow_the_suite(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        **{
            "test_benchmark": "def test_mine(): pass",
            "mmreason/test_benchmark": "def test_mine_too(): pass",
            "suite/test_benchmark": "def test_mine_three(): pass",
            "suite/__init__": "",
            "conftest": "import pytest\n@pytest.fixture\ndef mine(): return 1",
            "suite/conftest": "import pytest\n@pytest.fixture\ndef mine(): return 2",
        }
    )
    if "--import-mode=importlib" not in args:
        # Two modules of one name are pytest's own import error in its default mode.
        (project.path / "mmreason" / "__init__.py").touch()
    result = project.run(*args)
    assert result.ret == 0
    result.assert_outcomes(passed=9)


@pytest.mark.parametrize("args", [(), ("-n2",)])
def test_rootdir_elsewhere_keeps_ids_and_results(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.mkdir("elsewhere")
    ids = project.ids(project.model, project.made)
    options = [project.model, project.made, "--rootdir=elsewhere"]
    assert project.ids(*options) == ids
    result = project.run_plain(*options, *args)
    result.assert_outcomes(passed=6)
    assert (project.path / "elsewhere" / ".mmreason" / ".gitignore").is_file()
    assert not (project.path / ".mmreason").exists()


def test_session_started_in_a_subfolder_runs_the_suite(repo: Project) -> None:
    repo.pytester.makefile(".ini", pytest="[pytest]\nmm_benchmark = made")
    (repo.path / "tests" / "deep").mkdir()
    repo.pytester.makepyfile(**{"tests/deep/infer": "def answer(prompt, images): return 'x'"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path / "tests" / "deep")
        assert suite_and_own(repo.ids("--mm-model=python:infer:answer")) == (6, 0)


def test_broken_own_file_stops_the_run_before_any_call(repo: Project) -> None:
    repo.pytester.makepyfile(**{"tests/test_broken": "raise RuntimeError('broken')"})
    result = repo.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert repo.calls() == []
