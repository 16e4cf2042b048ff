"""An overridden mm_model or mm_judge that no spec names is said to be ignored."""

from __future__ import annotations

import pytest

from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])

OVERRIDES = """
    import pytest

    @pytest.fixture(name="mm_model", scope="session")
    def my_own():
        return lambda prompt, images: "x"

    @pytest.fixture(scope="session")
    def mm_judge():
        return lambda sample, response: 0.5
"""


@SERIAL_AND_WORKERS
def test_override_that_the_spec_leaves_unused_is_said_to_be_ignored(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(OVERRIDES)
    result = project.run(*args)
    assert result.ret == 0
    notes = [line for line in result.outlines if line.startswith(" note: ")]
    assert notes == [
        " note: the fixture mm_judge of conftest.py is ignored, because --mm-judge is local; "
        "--mm-judge=fixture makes use of it",
        " note: the fixture mm_model of conftest.py is ignored, because --mm-model is "
        "python:models_of_mine:right; --mm-model=fixture makes use of it",
    ]


def test_unused_override_of_a_plugin_is_said_to_be_ignored(project: Project) -> None:
    project.pytester.makepyfile(my_plugin=OVERRIDES)
    project.pytester.syspathinsert()
    result = project.run("-p", "my_plugin")
    result.stdout.fnmatch_lines([" note: the fixture mm_model of my_plugin.py is ignored*"])


def test_unused_override_is_not_mentioned_where_no_sample_is_evaluated(project: Project) -> None:
    project.pytester.makefile(".ini", pytest="[pytest]\nmm_model = openai:gpt-4o")
    project.pytester.makeconftest(OVERRIDES)
    project.pytester.makepyfile("def test_mine(mm_model): assert callable(mm_model)")
    result = project.run_plain(
        "test_unused_override_is_not_mentioned_where_no_sample_is_evaluated.py"
    )
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*ignored*")
