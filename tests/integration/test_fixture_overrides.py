"""mm_model and mm_judge overridden in the user's conftest.py, with ``--mm-model=fixture``."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from tests.support.benchmarks import read_summary
from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])
FIXTURE = ("--mm-model=fixture", Project.made, "--mm-output=out")

MODELS = {
    "function": """
        import pytest
        from models_of_mine import right

        @pytest.fixture(scope="session")
        def mm_model():
            return right
    """,
    "async": """
        import pytest
        from models_of_mine import right_async

        @pytest.fixture(scope="session")
        def mm_model():
            return right_async
    """,
    "object": """
        import pytest
        from models_of_mine import Answerer

        @pytest.fixture(scope="session")
        def mm_model():
            return Answerer()
    """,
    # Gone after its test: nothing may be asked of it before or later.
    "class scope": """
        import pytest
        from models_of_mine import right

        class Once:
            closed = False

            def __call__(self, prompt, images):
                assert not self.closed
                return right(prompt, images)

        @pytest.fixture(scope="class")
        def mm_model():
            model = Once()
            yield model
            model.closed = True
    """,
    "other name": """
        import pytest
        from models_of_mine import right

        @pytest.fixture(name="mm_model", scope="session")
        def my_own():
            return right
    """,
}


def comparable(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(r["sample"], r["model"], r["status"], r["score"], r["response"]) for r in records]


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        *((kind, ()) for kind in MODELS),
        *((kind, ("-n2",)) for kind in ("function", "async", "class scope")),
    ],
)
def test_override_is_evaluated(project: Project, kind: str, args: tuple[str, ...]) -> None:
    project.pytester.makeconftest(MODELS[kind])
    result = project.run_plain(*FIXTURE, *args)
    assert result.ret == 0
    result.assert_outcomes(passed=6)
    assert comparable(project.records()) == [
        (f"s{n}", "fixture", "scored", 1.0, f"answer{n}") for n in range(6)
    ]
    assert project.asked() == [f"s{n}" for n in range(6)]
    result.stdout.no_fnmatch_line("*is ignored*")


def test_records_are_the_same_under_workers(project: Project) -> None:
    project.pytester.makeconftest(MODELS["function"])
    args = ("--mm-model=fixture", Project.made, "--mm-cache=off")
    project.run_plain(*args, "--mm-output=serial")
    project.run_plain(*args, "--mm-output=workers", "-n2")
    assert project.records("serial") == project.records("workers")
    assert read_summary(project.path / "serial") == read_summary(project.path / "workers")


def test_async_override_overlaps(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import asyncio
        import pytest

        under_way = most = 0

        async def answer(prompt, images):
            global under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.1)
            under_way -= 1
            return "x"

        @pytest.fixture(scope="session")
        def mm_model():
            return answer

        def pytest_unconfigure():
            print("\\nMOST", most)
        """
    )
    result = project.run_plain(*FIXTURE, "-s", "--mm-concurrency=4")
    result.stdout.fnmatch_lines(["MOST 4"])


def test_model_is_made_once_a_process(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import pathlib
        import pytest
        from models_of_mine import right

        @pytest.fixture(scope="session")
        def mm_model(tmp_path_factory):
            with pathlib.Path("made.txt").open("a") as file:
                file.write("made\\n")
            return right
        """
    )
    project.run_plain(*FIXTURE)
    assert (project.path / "made.txt").read_text().count("made") == 1


@SERIAL_AND_WORKERS
def test_error_of_an_override_is_a_model_error(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def mm_model():
            def answer(prompt, images):
                raise RuntimeError("no weights")
            return answer
        """
    )
    result = project.run_plain(*FIXTURE, "--mm-max-errors=6", *args)
    assert result.ret == 0
    result.assert_outcomes(failed=6)
    assert {r["status"] for r in project.records()} == {"model_error"}
    assert "no weights" in project.records()[0]["reason"]


@SERIAL_AND_WORKERS
@pytest.mark.parametrize("role", ["model", "judge"])
def test_fixture_without_an_override_says_once_what_to_do(
    project: Project, role: str, args: tuple[str, ...]
) -> None:
    if role == "judge":
        result = project.run("--mm-judge=fixture", *args)
    else:
        result = project.run_plain(*FIXTURE, *args)
    assert result.ret == 1
    advice = (
        f"--mm-{role}=fixture needs a fixture named mm_{role} in the conftest.py of the rootdir"
    )
    assert advice in result.stdout.str()
    assert 1 <= result.parseoutcomes()["failed"] <= max(1, 2 * len(args))
    assert project.calls() == [] or role == "judge"
    verdict = [line for line in result.outlines if line.startswith(" FAIL  ")]
    assert len(verdict) == 1 and advice in verdict[0]


@SERIAL_AND_WORKERS
def test_override_that_is_no_model_says_once_what_is_needed(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(
        "import pytest\n@pytest.fixture(scope='session')\ndef mm_model(): return 3"
    )
    result = project.run_plain(*FIXTURE, *args)
    assert result.ret == 1
    assert 1 <= result.parseoutcomes()["failed"] <= max(1, 2 * len(args))
    result.stdout.fnmatch_lines([" FAIL  *int, not callable as answer(prompt, images)*"])


JUDGE = """
    import pytest

    @pytest.fixture(scope="session")
    def mm_judge():
        def judge(sample, response):
            return 0.5 if sample.id == "s0" else float(str(response) == sample.answer)
        return judge
"""


def test_override_of_the_judge_judges(project: Project) -> None:
    project.pytester.makeconftest(JUDGE)
    result = project.run("--mm-judge=fixture", "--mm-output=out")
    assert result.ret == 0
    assert [r["score"] for r in project.records()] == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert project.asked() == [f"s{n}" for n in range(6)]


def test_both_overridden_under_workers(project: Project) -> None:
    project.pytester.makeconftest(dedent(MODELS["function"]) + dedent(JUDGE))
    result = project.run_plain(*FIXTURE, "--mm-judge=fixture", "-n2")
    assert result.ret == 0
    assert [r["score"] for r in project.records()] == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]


def test_override_beside_another_model(project: Project) -> None:
    project.pytester.makeconftest(MODELS["function"])
    wrong = "--mm-model=python:models_of_mine:wrong"
    result = project.run_plain(*FIXTURE, wrong, "--mm-limit=2")
    assert result.ret == 0
    assert [(r["model"], r["score"]) for r in project.records()] == [
        *[("fixture", 1.0)] * 2,
        *[("python:models_of_mine:wrong", 0.0)] * 2,
    ]
    result.stdout.no_fnmatch_line("*is ignored*")
