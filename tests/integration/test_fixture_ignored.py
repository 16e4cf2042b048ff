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


BY_HAND = """
    def test_mine(mm_sample, mm_model, mm_judge, mm_evaluate):
        response = mm_model(mm_sample.question, mm_sample.images)
        mm_evaluate.record(mm_sample, response, mm_judge(mm_sample, response))
"""


@SERIAL_AND_WORKERS
@pytest.mark.parametrize(
    ("specs", "told"),
    [
        (
            (Project.model,),
            "this test asked your own fixture mm_model, and would record what it said as that",
        ),
        (("--mm-model=fixture",), "this test asked your own fixture mm_judge"),
        (("--mm-model=fixture", "--mm-judge=fixture"), ""),
    ],
)
def test_what_a_fixture_said_is_not_recorded_under_another_name(
    project: Project, specs: tuple[str, ...], told: str, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(OVERRIDES)
    project.pytester.makepyfile(BY_HAND)
    result = project.run_plain(*specs, project.made, *args)
    assert result.ret == (1 if told else 0)
    assert told in " ".join(result.stdout.str().split())


@SERIAL_AND_WORKERS
def test_an_answer_that_was_not_awaited_is_no_answer(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest("""
        import pytest

        @pytest.fixture(scope="session")
        def mm_model():
            async def answer(prompt, images):
                return "x"

            return answer
    """)
    project.pytester.makepyfile(BY_HAND)
    result = project.run_plain("--mm-model=fixture", project.made, *args)
    assert result.ret == 1
    assert "the response is a coroutine, not an answer yet" in " ".join(result.stdout.str().split())
    assert " scored" not in result.stdout.str()
