"""Installed and unused: a plain pytest session stays what it was."""

from __future__ import annotations

import re

import pytest

from tests.support.project import Project

HEAVY = (
    "aiohttp",
    "openai",
    "transformers",
    "torch",
    "PIL",
    "rich",
    "pydantic",
    "numpy",
    "httpx",
    "httpx2",
)

WATCHER = f"""
import socket
import sys

import pytest


def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")


socket.socket.connect = socket.create_connection = socket.socket.bind = refuse


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    heavy = sorted(name for name in {HEAVY!r} if name in sys.modules)
    print("\\nHEAVY", heavy, "THREADS", sorted(t.name for t in __import__("threading").enumerate()))
"""

NO_SOCKETS = "-pno:rerunfailures"
"""pytest-rerunfailures opens a socket in every session."""

OWN_TEST = """
    def test_mine():
        assert True
"""


def files(project: Project) -> set[str]:
    """What lies in the project, but for caches of Python and pytest, and what pytester adds."""
    found = (path.relative_to(project.path) for path in project.path.rglob("*"))
    others = re.compile(r"__pycache__|\.pytest_cache|stdout|stderr|runpytest-")
    return {
        str(path)
        for path in found
        if not others.match(path.name) and not others.match(path.parts[0])
    }


def test_unused_plugin_imports_writes_and_prints_nothing(project: Project) -> None:
    project.pytester.makepyfile(test_own=OWN_TEST)
    project.pytester.makeconftest(WATCHER)
    before = files(project)
    result = project.pytester.runpytest_subprocess("-s", NO_SOCKETS, "test_own.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*1 passed*", "HEAVY [[]] THREADS [[]'MainThread']"])
    mentions = [line for line in result.outlines if "mmreason" in line.replace("mmreason-0.", "")]
    assert mentions == []
    assert files(project) == before


def test_unused_plugin_collects_nothing_in_an_empty_folder(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert not (pytester.path / ".mmreason").exists()


def test_sample_without_a_model_is_skipped_with_the_reason(project: Project) -> None:
    project.pytester.makepyfile(
        """
        def test_step_by_step(mm_sample, mm_model, mm_judge): ...
        def test_evaluated(mm_sample, mm_evaluate): ...
        def test_model_alone(mm_model): ...
        """
    )
    result = project.run_plain("-rs")
    assert result.ret == 0
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines(
        ["SKIPPED * mmreason: no model was named; run with --mm-model=SPEC"]
    )


def test_blocked_plugin_is_gone(project: Project) -> None:
    project.pytester.makepyfile(test_own=OWN_TEST)
    assert project.run_plain("-p", "no:mmreason", "test_own.py").ret == 0
    refused = project.pytester.runpytest_subprocess("-p", "no:mmreason", "--mm-model=fixture")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*unrecognized arguments: --mm-model=fixture"])


def test_named_test_file_stays_what_it_was_though_the_ini_names_a_model(project: Project) -> None:
    # The public endpoint would need a key, which is not set: nothing may look for it.
    project.pytester.makeini("[pytest]\nmm_model = openai:gpt-4o\nmm_benchmark = no/such/folder")
    project.pytester.makepyfile(test_own=OWN_TEST)
    project.pytester.makeconftest(WATCHER)
    before = files(project)
    result = project.pytester.runpytest_subprocess("-s", NO_SOCKETS, "test_own.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*1 passed*"])
    result.stdout.no_fnmatch_line("mmreason:*")
    result.stdout.fnmatch_lines(["HEAVY [[]] THREADS [[]'MainThread']"])
    assert files(project) == before


def test_named_test_file_stays_what_it_was_in_workers(project: Project) -> None:
    project.pytester.makeini("[pytest]\nmm_model = openai:gpt-4o")
    project.pytester.makepyfile(test_own=OWN_TEST)
    before = files(project)
    result = project.pytester.runpytest_subprocess("-n2", "test_own.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*1 passed*"])
    result.stdout.no_fnmatch_line("mmreason:*")
    assert files(project) == before


def test_whole_run_of_that_repository_says_that_the_key_is_missing(project: Project) -> None:
    project.pytester.makeini("[pytest]\nmm_model = openai:gpt-4o")
    project.pytester.makepyfile(test_own=OWN_TEST)
    result = project.run_plain()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*openai:gpt-4o needs an API key: the variable OPENAI_API_KEY*"])


@pytest.mark.parametrize("blocked", ["-pno:xdist", "absent"])
def test_suite_runs_without_xdist(project: Project, blocked: str) -> None:
    args = [blocked]
    if blocked == "absent":
        project.pytester.makepyfile(
            without_xdist="""
            import sys
            for name in [n for n in sys.modules if n.partition(".")[0] == "xdist"]:
                del sys.modules[name]
            sys.modules["xdist"] = None
            """
        )
        args = ["-pwithout_xdist", "-pno:xdist", "-pno:xdist.looponfail"]
        project.pytester.syspathinsert()
    result = project.run_outside(*args)
    assert result.ret == 0
    result.assert_outcomes(passed=6)
