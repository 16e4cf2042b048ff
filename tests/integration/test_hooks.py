"""Models, judges and benchmarks that a conftest.py or a plugin adds through our hooks."""

from __future__ import annotations

import inspect
import re
from textwrap import dedent

import pytest

from pytest_mmreason import hookspecs
from tests.support.benchmarks import sample
from tests.support.project import Project

SERIAL_AND_WORKERS = pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])

HOOKS = """
    def pytest_mmreason_models(config):
        def known(argument):
            from models_of_mine import right
            return lambda prompt, images: argument or right(prompt, images)

        return {"known": known}

    def pytest_mmreason_judges(config):
        def at_least(argument):
            return lambda sample, response: max(float(argument or 0), float(str(response) == sample.answer))

        return {"at-least": at_least}

    def pytest_mmreason_benchmarks(config):
        return {"ours": lambda folder: folder or config.rootpath / "made"}
"""


@pytest.fixture
def hooked(project: Project) -> Project:
    """A repository whose conftest.py adds one of each."""
    project.pytester.makeconftest(HOOKS)
    return project


def scores(project: Project) -> list[float]:
    return [r["score"] for r in project.records()]


@SERIAL_AND_WORKERS
def test_names_added_by_a_conftest_are_specs(hooked: Project, args: tuple[str, ...]) -> None:
    result = hooked.run_plain(
        "--mm-model=known", "--mm-judge=at-least", "--mm-benchmark=ours", "--mm-output=out", *args
    )
    assert result.ret == 0
    assert scores(hooked) == [1.0] * 6
    assert {r["model"] for r in hooked.records()} == {"known"}
    assert hooked.asked() == [f"s{n}" for n in range(6)]


def test_argument_of_a_spec_reaches_the_factory(hooked: Project) -> None:
    hooked.write_samples([sample(9)], "other", name="other")
    result = hooked.run_plain(
        "--mm-model=known:a:b=c",
        "--mm-judge=at-least:0.25",
        "--mm-benchmark=ours=other",
        "--mm-output=out",
    )
    assert result.ret == 0
    (record,) = hooked.records()
    assert (record["sample"], record["response"], record["score"]) == ("s9", "a:b=c", 0.25)
    assert (record["model"], record["benchmark"]) == ("known:a:b=c", "ours")


def test_names_added_by_a_plugin_are_specs(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.pytester.makepyfile(my_plugin=HOOKS)
    monkeypatch.setenv("PYTHONPATH", str(project.path))
    args = ["-p", "my_plugin", "--mm-model=known", "--mm-benchmark=ours", "-n2"]
    result = project.pytester.runpytest_subprocess(*args)
    assert result.ret == 0
    result.assert_outcomes(passed=6)


def test_names_of_several_plugins_are_all_known(hooked: Project) -> None:
    hooked.pytester.makepyfile(
        my_plugin="def pytest_mmreason_models(config): return {'mute': lambda a: lambda p, i: ''}"
    )
    hooked.pytester.syspathinsert()
    result = hooked.run_plain(
        "-p", "my_plugin", "--mm-model=known", "--mm-model=mute", hooked.made, "--mm-limit=1"
    )
    assert result.ret == 0
    result.assert_outcomes(passed=2)


def test_added_names_are_offered_for_a_typo(hooked: Project) -> None:
    for args, name in (
        (["--mm-model=knwon", hooked.made], "known"),
        ([hooked.model, hooked.made, "--mm-judge=atleast"], "at-least"),
        ([hooked.model, "--mm-benchmark=ourss"], "ours"),
    ):
        result = hooked.run_plain(*args)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*Did you mean *'{name}'*"])


def test_bundled_names_cannot_be_replaced(project: Project) -> None:
    project.pytester.makeconftest(
        """
        def pytest_mmreason_judges(config):
            return {"keyword": lambda argument: lambda sample, response: 0.0}
        """
    )
    project.run("--mm-judge=keyword", "--mm-output=out")
    assert scores(project) == [1.0] * 6


@pytest.mark.parametrize(
    ("hooks", "args", "message"),
    [
        ("def pytest_mmreason_models(config): return {'m': lambda a: 1 / 0}", ["--mm-model=m"], "division by zero"),
        ("def pytest_mmreason_models(config): return {'m': lambda a: 3}", ["--mm-model=m"], "int, not callable"),
        ("def pytest_mmreason_models(config): return {'m': None}", ["--mm-model=m"], "not callable"),
        ("def pytest_mmreason_models(config): return 3", ["--mm-model=m"], "pytest_mmreason_models"),
        ("def pytest_mmreason_models(config): 1 / 0", ["--mm-model=m"], "division by zero"),
        ("def pytest_mmreason_judges(config): 1 / 0", [Project.model], "division by zero"),
        ("def pytest_mmreason_judges(config): return {'j': lambda a: 3}", [Project.model, "--mm-judge=j"], "int is not callable"),
        ("def pytest_mmreason_benchmarks(config): 1 / 0", [Project.model], "division by zero"),
        ("def pytest_mmreason_benchmarks(config): return {'b': lambda f: 'no/such'}", [Project.model, "--mm-benchmark=b"], "no/such"),
        ("def pytest_mmreason_benchmarks(config): return {'b': lambda f: 1 / 0}", [Project.model, "--mm-benchmark=b"], "division by zero"),
        ("def pytest_mmreason_benchmarks(config): return {'b': lambda f: None}", [Project.model, "--mm-benchmark=b"], "NoneType"),
    ],
)  # fmt: skip
def test_fault_in_a_hook_is_told_and_not_exit_0(
    project: Project, hooks: str, args: list[str], message: str
) -> None:
    project.pytester.makeconftest(hooks)
    result = project.run_plain(*args)
    # A hook that raises is a fault in code, told with its traceback; the rest can be mended
    # where it is named.
    internal = "config): 1 / 0" in hooks
    assert result.ret == (
        pytest.ExitCode.INTERNAL_ERROR if internal else pytest.ExitCode.USAGE_ERROR
    )
    assert message in result.stdout.str() + result.stderr.str()
    assert project.calls() == []


@pytest.mark.parametrize(
    "hook", ["pytest_generate_tests", "pytest_collection_finish", "pytest_runtest_makereport"]
)
@SERIAL_AND_WORKERS
def test_hook_of_ours_that_raises_is_not_exit_0(
    project: Project, hook: str, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(
        f"""
        from pytest_mmreason import collection
        from pytest_mmreason.reports import carried

        def broken(self, *args, **kwargs):
            raise RuntimeError("a fault of ours")


        faults = {{
            "pytest_generate_tests": (collection.Collection, "parametrize"),
            "pytest_collection_finish": (collection.Collection, "announce"),
            "pytest_runtest_makereport": (carried, "attach"),
        }}
        where, name = faults[{hook!r}]
        setattr(where, name, broken)
        """
    )
    result = project.run_outside(*args)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert "a fault of ours" in result.stdout.str() + result.stderr.str()


def examples() -> dict[str, str]:
    """The example in the docstring of every hook."""
    found = {}
    for name, hook in inspect.getmembers(hookspecs, inspect.isfunction):
        if not name.startswith("pytest_mmreason_"):
            continue
        block = re.search(
            r"\.\. code-block:: python\n\n((?:    .*\n|\n)+)", f"{inspect.getdoc(hook)}\n"
        )
        assert block, name
        found[name] = dedent(block[1])
    return found


def test_examples_of_the_documentation_run_as_they_stand(project: Project) -> None:
    code = examples()
    assert set(code) == {
        "pytest_mmreason_models",
        "pytest_mmreason_judges",
        "pytest_mmreason_benchmarks",
    }
    (project.path / "conftest.py").write_text("\n\n".join(code.values()))
    project.write_samples([sample(0, answer="hello"), sample(1)], "benchmarks/ours")
    result = project.run_plain(
        "--mm-model=parrot:hello", "--mm-judge=exact", "--mm-benchmark=ours", "--mm-output=out"
    )
    assert result.ret == 0
    assert scores(project) == [1.0, 0.0]


def test_conftest_with_optional_hooks_works_without_the_plugin(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(optionalhook=True)
        def pytest_mmreason_models(config):
            return {"parrot": lambda argument: lambda prompt, images: prompt}
        """
    )
    project.pytester.makepyfile(test_own="def test_mine(): pass")
    result = project.pytester.runpytest_subprocess("-p", "no:mmreason", "test_own.py")
    assert result.ret == 0
    assert project.run_plain("--mm-model=parrot", project.made).ret == 0
