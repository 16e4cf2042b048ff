"""``python:MODULE:ATTR`` names a model or a judge in the user's own code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])


def scores(project: Project) -> list[float]:
    return [r["score"] for r in project.records()]


@pytest.mark.parametrize("attribute", ["right", "right_async", "INSTANCE", "Holder.inner"])
def test_functions_objects_and_attributes_of_attributes_answer(
    project: Project, attribute: str
) -> None:
    with (project.path / "models_of_mine.py").open("a") as file:
        file.write("\nINSTANCE = Answerer()\n\nclass Holder:\n    inner = staticmethod(right)\n")
    spec = f"python:models_of_mine:{attribute}"
    result = project.run_plain(f"--mm-model={spec}", project.made, "--mm-output=out")
    assert result.ret == 0
    assert scores(project) == [1.0] * 6
    assert {r["model"] for r in project.records()} == {spec}


@SERIAL_AND_WORKERS
def test_model_and_judge_are_found_from_the_working_folder(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makepyfile(
        **{"my_repo/__init__": "", "my_repo/infer": "def answer(prompt, images): return 'x'"}
    )
    # `pytest` and not `python -m pytest`: the working folder is not on sys.path.
    result = project.pytester.run(
        Path(sys.executable).with_name("pytest"),
        "--mm-model=python:my_repo.infer:answer",
        "--mm-judge=python:models_of_mine:exact",
        project.made,
        "--mm-output=out",
        *args,
    )
    assert result.ret == 0
    assert scores(project) == [0.0] * 6


def test_module_that_the_ini_names_is_found_from_a_subfolder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.pytester.makefile(
        ".ini",
        pytest="[pytest]\nmm_model = python:models_of_mine:right\nmm_benchmark = made\n"
        "mm_judge = python:models_of_mine:exact",
    )
    (project.path / "deep").mkdir()
    monkeypatch.chdir(project.path / "deep")
    result = project.run_plain("-o", "mm_suite=on", "--mm-output=../out")
    assert result.ret == 0
    assert scores(project) == [1.0] * 6


def test_model_is_imported_once_however_many_workers(project: Project) -> None:
    project.pytester.makepyfile(
        heavy="""
        import os, pathlib
        with pathlib.Path("loaded.txt").open("a") as file:
            file.write(f"{os.getpid()}\\n")

        def answer(prompt, images): return "x"
        """
    )
    result = project.run_plain("--mm-model=python:heavy:answer", project.made, "-n2")
    assert result.ret == 0
    assert len((project.path / "loaded.txt").read_text().split()) == 1


BROKEN = {
    "raises": "raise ValueError('bad weights')",
    "exits": "import sys\nsys.exit(0)",
    "needs": "import not_installed_here",
    "syntax": "def answer(:",
    "holds": "answr = not_a_model = 3\ndef two(a): return a",
}


@pytest.mark.parametrize("role", ["model", "judge"])
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:absent:answer", "No module named 'absent'. MODULE is imported from"),
        ("python:absent.inner:answer", "No module named 'absent'. MODULE is imported from"),
        ("python:holds.inner:answer", "No module named 'holds.inner'"),
        ("python:holds:answer", "holds has no 'answer'. Did you mean 'answr'?"),
        ("python:holds:not_a_model", "not callable as"),
        ("python:raises:answer", "importing it raised ValueError: bad weights"),
        ("python:exits:answer", "importing it raised SystemExit: 0"),
        ("python:needs:answer", "importing it raised ModuleNotFoundError: No module named 'not_installed_here'"),
        ("python:syntax:answer", "importing it raised SyntaxError"),
        ("python:holds", "write python:MODULE:ATTR"),
        ("python::answer", "write python:MODULE:ATTR"),
        ("python:holds:", "write python:MODULE:ATTR"),
        ("python:.holds:answer", "python:.holds:answer"),
    ],
)  # fmt: skip
def test_spec_that_names_nothing_is_a_usage_error(
    project: Project, role: str, spec: str, message: str
) -> None:
    project.pytester.makepyfile(**BROKEN)
    args = [f"--mm-{role}={spec}", project.made, *([] if role == "model" else [project.model])]
    result = project.run_plain(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--mm-{role}={spec}" in result.stderr.str()
    assert message in result.stderr.str()
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_spec_that_names_nothing_is_the_same_usage_error_under_workers(project: Project) -> None:
    result = project.run_plain("--mm-model=python:models_of_mine:rihgt", project.made, "-n2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*models_of_mine has no 'rihgt'. Did you mean 'right'*"])
