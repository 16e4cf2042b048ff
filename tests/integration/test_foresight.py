"""The controller's engine begins before the workers have started, but never on a guess."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason import foresight
from tests.support.benchmarks import read_records, sample, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import answers, endpoint_options, flat, run, statuses

RUN = ("--mm-model=openai:m", "--mm-base-url=http://127.0.0.1:1/v1", "--mm-benchmark=made")

OWN_TEST = "def test_mine(): assert True\n"

SELECTING = "def pytest_collection_modifyitems(items): del items[1:]\n"

REPLACING = """
import pytest

@pytest.fixture
def mm_sample(mm_sample):
    return mm_sample
"""


def certain(pytester: pytest.Pytester, *arguments: str) -> bool:
    config = pytester.parseconfigure(*RUN, *arguments)
    try:
        return foresight.all_will_be_asked(config)
    finally:
        config._ensure_unconfigure()


@pytest.fixture(autouse=True)
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])


def test_nothing_can_deselect_a_sample_of_a_folder_without_tests(
    pytester: pytest.Pytester,
) -> None:
    assert certain(pytester)
    assert certain(pytester, "-x", "--maxfail=3", "-q")


def test_what_is_no_test_does_not_matter(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(helpers="mm_sample = 1\n")
    pytester.makeconftest("import pytest\n\n@pytest.fixture\ndef number():\n    return 1\n")
    below = pytester.mkdir("venv") / "test_b.py"  # a folder that pytest does not enter
    below.write_text("def test_b(mm_evaluate): ...\n", encoding="utf-8")
    assert certain(pytester)
    assert certain(pytester, "made")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "s1"),
        ("-m", "analogical"),
        ("--deselect", "mmreason/test_benchmark.py::test_sample[s1]"),
        ("--lf",),
        ("--ff",),
        ("--collect-only",),
        ("mmreason/test_benchmark.py::test_sample[s1]",),
        ("test_a.py::test_mine",),
        ("helpers.py",),
        ("--collect-in-virtualenv",),
        ("nowhere",),
        ("--tx", "ssh=me@there//python=python3"),
    ],
    ids=" ".join,
)
def test_what_selects_is_waited_for(pytester: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    pytester.makepyfile(helpers="")
    assert not certain(pytester, *arguments)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conftest.py", SELECTING),
        ("conftest.py", REPLACING),
        ("tests/conftest.py", SELECTING),
        ("tests/conftest.py", REPLACING),
        ("test_own.py", "def test_own(mm_sample, mm_evaluate): mm_evaluate(mm_sample)\n"),
        ("tests/own_test.py", "def test_own(mm_model): mm_model('why?')\n"),
        ("tests/test_other.py", OWN_TEST),
        ("checks/conftest.py", "from os.path import *\n"),
        ("conftest.py", "def scored(mm_sample, mm_model): ...\n"),
        ("pytest.ini", "[pytest]\nmm_suite = off\n"),
        ("pytest.ini", "[pytest]\nusefixtures = mm_judge\n"),
    ],
)
def test_what_a_repository_may_hold_is_waited_for(
    pytester: pytest.Pytester, path: str, text: str
) -> None:
    file = pytester.path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    assert not certain(pytester)


def test_a_plugin_that_may_select_is_waited_for(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(choosy=SELECTING)
    monkeypatch.syspath_prepend(pytester.path)
    assert certain(pytester)
    assert not certain(pytester, "-p", "choosy")


def test_a_large_repository_is_not_read_through(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foresight, "MOST_FILES", 12)
    assert certain(pytester)
    for n in range(12):
        (pytester.path / f"notes{n}.txt").write_text("", encoding="utf-8")
    assert not certain(pytester)


def test_a_folder_behind_a_link_is_waited_for(pytester: pytest.Pytester) -> None:
    elsewhere = pytester.path.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    (pytester.path / "link").symlink_to(elsewhere, target_is_directory=True)
    assert not certain(pytester)


def test_a_pattern_with_folders_is_waited_for(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npython_files = checks/*.py\n")
    assert certain(pytester)
    pytester.mkdir("checks").joinpath("one.py").write_text(OWN_TEST, encoding="utf-8")
    assert not certain(pytester)


@pytest.fixture
def asked(pytester: pytest.Pytester, endpoint: Endpoint) -> Path:
    """A file that is there once the endpoint was asked about every sample."""
    path = pytester.path / "asked"

    def script(body: dict[str, Any], seen: int) -> Any:
        if len(endpoint.requests) == 8:
            path.touch()
        return answers(body, seen)

    endpoint.script = script
    return path


def test_answers_are_asked_for_before_a_worker_has_collected(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, asked: Path
) -> None:
    """The workers wait for the last request: else they would wait in vain."""
    pytester.makeconftest(
        f"""
        import pathlib, time

        def pytest_configure(config):
            started = time.monotonic()
            while hasattr(config, "workerinput") and not pathlib.Path({str(asked)!r}).exists():
                assert time.monotonic() - started < 30, "nobody asked"
                time.sleep(0.05)
        """
    )

    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "-n2")
    assert result.ret == 0
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"scored"}
    assert (len(endpoint.requests), endpoint.repeats) == (8, 0)


def test_a_session_that_never_starts_asks_nothing(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    pytester.makeconftest(
        """
        import time
        import pytest

        def pytest_sessionstart(session):
            if not hasattr(session.config, "workerinput"):
                time.sleep(0.5)
                pytest.exit("no database")
        """
    )
    run(pytester, *endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "-n2")
    assert endpoint.requests == []


def test_a_test_file_that_cannot_be_collected_costs_no_call(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = answers
    pytester.makepyfile(test_broken="raise RuntimeError('broken')")
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "-n2")
    assert result.ret == 1, "xdist runs what could be collected"
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"scored"}
    assert (len(endpoint.requests), endpoint.repeats) == (8, 0)


def test_calls_for_workers_that_never_came_are_told_and_kept(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, asked: Path
) -> None:
    conftest = pytester.makeconftest(
        f"""
        import os, pathlib, time

        def pytest_configure(config):
            while hasattr(config, "workerinput"):
                if pathlib.Path({str(asked)!r}).exists():
                    os._exit(3)
                time.sleep(0.05)
        """
    )

    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}")
    result = run(pytester, *options, "-n2", "--max-worker-restart=0")
    assert result.ret != 0
    told = "8 model calls were made for items that no worker collected"
    assert f"{told}; what was answered is in the cache" in flat(result)
    assert "overall" not in flat(result), "there is nothing to show a table of"
    conftest.unlink()
    assert run(pytester, *options, "-n2").ret == 0
    assert endpoint.repeats == 0
