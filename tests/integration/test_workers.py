"""Workers that die, interruptions, reruns: totals stay right, and the engine lives once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.support.benchmarks import (
    read_records,
    read_summary,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import (
    answers,
    endpoint_options,
    flat,
    junit_cases,
    number_of,
    run,
    statuses,
    verdict_line,
    wait_until,
)

DYING_BEFORE = """
    import os

    def test_own(mm_sample, mm_evaluate):
        if mm_sample.id == "s3":
            os._exit(7)
        mm_evaluate(mm_sample)
"""
DYING_AFTER = """
    import os

    def test_own(mm_sample, mm_evaluate):
        mm_evaluate(mm_sample)
        if mm_sample.id == "s3":
            os._exit(7)
"""


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    return write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])


@pytest.mark.parametrize(
    ("test", "quota", "exit"), [(DYING_BEFORE, 1, 0), (DYING_AFTER, 0, 1)], ids=["before", "after"]
)
def test_a_crashed_worker_costs_its_sample_and_no_other(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, test: str, quota: int, exit: int
) -> None:
    endpoint.script = answers
    pytester.makepyfile(test)
    result = run(
        pytester,
        *endpoint_options(endpoint, judge=None),
        f"--mm-benchmark={made}",
        f"--mm-max-errors={quota}",
        "--mm-output=out",
        "-n2",
    )
    assert result.ret == exit
    assert f"1 errored sample, {quota} allowed" in verdict_line(result)
    records = read_records(pytester.path / "out")
    assert statuses(records) == {f"s{n}": "missing" if n == 3 else "scored" for n in range(8)}
    assert "crashed" in records[3]["reason"]
    counts = read_summary(pytester.path / "out")["runs"][0]["counts"]
    assert (counts["collected"], counts["scored"], counts["missing"]) == (8, 7, 1)
    calls = len(endpoint.calls("m"))
    assert calls == 8, "the replacement worker joins the same engine"


def test_a_worker_that_dies_in_its_own_model_frees_the_place_that_it_held(
    pytester: pytest.Pytester, made: Path
) -> None:
    pytester.makeconftest(
        """
        import os
        import pytest

        @pytest.fixture(scope="session")
        def mm_model():
            def answer(prompt, images):
                number = prompt.removeprefix("What is number ").rstrip("?")
                if number == "3":
                    os._exit(7)
                return f"answer{number}"

            return answer
        """
    )
    options = ("--mm-model=fixture", f"--mm-benchmark={made}", "--mm-output=out", "-n2")
    result = run(pytester, *options, "--mm-concurrency=1", "--mm-timeout=15")
    assert result.ret == 1
    records = read_records(pytester.path / "out")
    assert statuses(records) == {f"s{n}": "missing" if n == 3 else "scored" for n in range(8)}
    assert "timeout" not in flat(result), "nobody waited for an answer that could not come"


def test_a_run_that_loses_every_worker_fails(pytester: pytest.Pytester, made: Path) -> None:
    recorded = write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(8)})
    pytester.makepyfile(DYING_BEFORE)
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "-n1", "--max-worker-restart=0")
    assert result.ret == 1
    counts = read_summary(pytester.path / "out")["runs"][0]["counts"]
    assert (counts["collected"], counts["scored"], counts["missing"]) == (8, 3, 5)


def test_a_flaky_model_is_counted_once_however_often_it_is_rerun(
    pytester: pytest.Pytester, made: Path
) -> None:
    pytester.makepyfile(
        flaky="""
        failed = set()

        def answer(prompt, images):
            if "3" in prompt and prompt not in failed:
                failed.add(prompt)
                raise ValueError("not this time")
            return "answer" + prompt.removeprefix("What is number ").rstrip("?")
        """
    )
    options = ("--mm-model=python:flaky:answer", f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, "--reruns=2", "--junitxml=junit.xml")
    result.assert_outcomes(passed=8)
    told = [p for name, p in junit_cases(pytester.path / "junit.xml") if "s3" in name]
    ends = [(p["mmreason_status"], p.get("mmreason_score")) for p in told]
    assert sorted(ends) == [("model_error", None), ("scored", "1.0")]
    result.stdout.fnmatch_lines(["*8 passed, 1 rerun*"])
    assert result.ret == 0
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"scored"}

    distributed = run(pytester, *options, "--reruns=2", "-n2", "--mm-cache=off")
    assert distributed.ret == 0
    assert read_summary(pytester.path / "out")["runs"][0]["counts"]["collected"] == 8


def test_a_model_is_loaded_once_however_many_workers(pytester: pytest.Pytester, made: Path) -> None:
    pytester.makepyfile(
        heavy="""
        import os
        from pathlib import Path

        with Path(__file__).with_name("loads.txt").open("a") as file:
            file.write(f"{os.getpid()}\\n")

        def answer(prompt, images):
            return "answer" + prompt.removeprefix("What is number ").rstrip("?")
        """
    )
    options = ("--mm-model=python:heavy:answer", f"--mm-benchmark={made}", "-n2")
    assert run(pytester, *options).ret == 0
    loads = (pytester.path / "loads.txt").read_text().split()
    assert loads == [str(os.getpid())], "the controller imports the model, no worker does"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_ctrl_c_keeps_what_is_finished(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, workers: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: Reply(
        text=answers(body, seen), delay_s=600.0 if number_of(body) >= 4 else 0.0
    )
    command = [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v"),
        *endpoint_options(endpoint, judge=None),
        f"--mm-benchmark={made}",
        "--mm-concurrency=8",
        "--mm-output=out",
        *workers,
    ]
    process = subprocess.Popen(
        command,
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A shell starts what it puts into the background with the signal ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    watched = partial(wait_until, process)
    try:
        # Every call is under way, and the quick ones are answered.
        watched(lambda: len(endpoint.requests) == 8 and kept_answers(pytester.path) == 4)
        if workers:
            # A finished item of one worker may lie behind a waiting one of the other.
            watched(lambda: len(journal(pytester.path)) >= 2)
        else:
            watched(lambda: len(journal(pytester.path)) == 4)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 2, output
    assert " FAIL  interrupted" in output
    counts = read_summary(pytester.path / "out")["runs"][0]["counts"]
    assert counts["collected"] == 8
    assert counts["scored"] == len(journal(pytester.path)) >= 2
    assert counts["scored"] + counts["missing"] == 8

    endpoint.script = answers
    endpoint.reset()
    again = run(pytester, *endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}")
    assert again.ret == 0
    assert sorted(map(number_of, endpoint.requests)) == [4, 5, 6, 7], "finished answers were kept"


def kept_answers(rootdir: Path) -> int:
    """Entries in the cache."""
    import sqlite3

    try:
        with sqlite3.connect(rootdir / ".mmreason" / "cache" / "cache.sqlite") as database:
            return int(database.execute("SELECT count(*) FROM entries").fetchone()[0])
    except sqlite3.Error:
        return 0


def journal(rootdir: Path) -> list[str]:
    """The lines of the newest journal."""
    files = sorted((rootdir / ".mmreason" / "journal").glob("*.jsonl"))
    return files[-1].read_text().splitlines() if files else []
