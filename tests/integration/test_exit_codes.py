"""One verdict, one exit code: 0, 1, 2, 4 or 5, and the last line says which gate decided."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import (
    read_records,
    read_summary,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.runs import flat, run, statuses, verdict_line

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


class Made:
    """Eight samples: s0 and s1 wrong, s2 to s5 right, s6 and s7 without an answer."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        rows = [sample(n, category="deductive", complexity="moderate") for n in range(8)]
        folder = write_benchmark(pytester.path / "made", rows)
        answers = {f"s{n}": "something" if n < 2 else f"answer{n}" for n in range(6)}
        recorded = write_answers(pytester.path / "a.json", answers)
        self.options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}")

    def run(self, *arguments: str) -> pytest.RunResult:
        return run(self.pytester, *self.options, "--mm-output=out", *arguments)

    def good(self, *arguments: str) -> pytest.RunResult:
        """Without the two samples that have no answer."""
        return self.run(*(f"--mm-sample=s{n}" for n in range(6)), *arguments)

    @property
    def exit(self) -> int:
        return int(read_summary(self.pytester.path / "out")["exit"])


@pytest.fixture
def made(pytester: pytest.Pytester) -> Made:
    return Made(pytester)


@pytest.mark.parametrize(
    ("gates", "exit", "why"),
    [
        ([], 0, "no gate was set"),
        (["--mm-threshold=66"], 0, "overall 66.7 is at least 66"),
        (["--mm-threshold=67"], 1, "overall 66.7 is below 67"),
        (["--mm-threshold=deductive/moderate=60"], 0, "deductive/moderate 66.7 is at least 60"),
        (["--mm-threshold=10", "--mm-threshold=rec=90"], 1, "rec 66.7 is below 90"),
        (["--mm-threshold=made:overall=50"], 0, "overall 66.7 is at least 50"),
        (["--mm-threshold=66.666666666666"], 0, "overall 66.7 is at least 66.6667"),
        (["--mm-threshold=66.67"], 1, "overall 66.66666666666667 is below 66.67"),
    ],
)
def test_a_threshold_decides(made: Made, gates: list[str], exit: int, why: str) -> None:
    result = made.good(*gates)
    assert result.ret == made.exit == exit
    assert why in verdict_line(result)
    assert verdict_line(result).startswith("FAIL" if exit else "PASS")


def test_a_threshold_on_a_row_that_the_selection_left_empty_fails(
    pytester: pytest.Pytester,
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    recorded = write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(6)})
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}", "--mm-sample=s0")
    result = run(pytester, *options, "--mm-threshold=analogical=0")
    assert result.ret == 1
    assert "analogical holds none of the selected samples" in verdict_line(result)


@BOTH
def test_a_threshold_on_an_unknown_row_is_a_usage_error(
    made: Made, workers: tuple[str, ...]
) -> None:
    result = made.run("--mm-threshold=deductve=50", *workers)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*no row 'deductve'*Did you mean 'deductive'*"])
    assert "test_sample" not in result.stdout.str()


@pytest.mark.parametrize(
    ("quota", "exit", "allowed"),
    [(None, 1, "0"), ("1", 1, "1"), ("2", 0, "2"), ("25%", 0, "2"), ("24%", 1, "1")],
)
def test_errors_within_the_quota_do_not_fail_the_run(
    made: Made, quota: str | None, exit: int, allowed: str
) -> None:
    result = made.run(*([f"--mm-max-errors={quota}"] if quota else []), "--mm-threshold=60")
    assert result.ret == made.exit == exit
    assert f"2 errored samples, {allowed} allowed" in verdict_line(result)
    result.assert_outcomes(passed=6, failed=2)


@BOTH
def test_a_failing_test_of_the_users_own_keeps_exit_1(
    made: Made, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile("def test_own(): assert False, 'mine'")
    result = made.run("--mm-max-errors=2", *workers)
    assert result.ret == made.exit == 1
    assert verdict_line(result).startswith("FAIL  1 failed test")


def test_an_item_threshold_fails_items_and_the_run(made: Made) -> None:
    result = made.good("--mm-item-threshold=0.5")
    assert result.ret == made.exit == 1
    result.assert_outcomes(passed=4, failed=2)
    assert "2 failed tests" in verdict_line(result)
    assert made.good("--mm-item-threshold=0").ret == 0, "an explicit 0 fails nothing"


@BOTH
def test_x_and_maxfail_end_the_run_with_1(made: Made, workers: tuple[str, ...]) -> None:
    result = made.run("--maxfail=1", "--mm-item-threshold=0.5", *workers)
    assert result.ret == made.exit == 1
    assert not verdict_line(result).startswith("FAIL  interrupted")
    records = read_records(made.pytester.path / "out")
    assert len(records) == 8, "what was not reached is accounted for"
    assert "missing" in statuses(records).values()
    assert made.run("-x", *workers).ret == 1


@BOTH
def test_nothing_selected_ends_with_5(made: Made, workers: tuple[str, ...]) -> None:
    assert made.run("-m", "nothing", *workers).ret == 5
    result = made.run("-m", "analogcal and not hihg", *workers)
    assert result.ret == 5
    assert (
        "mmreason: no sample is marked 'analogcal'. Did you mean 'analogical'?; "
        "no sample is marked 'hihg'. Did you mean 'high'?"
    ) in flat(result)
    assert "no sample is marked" not in flat(made.run("-m", "math and not ocr", *workers))
    assert not (made.pytester.path / "out" / "summary.json").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        "--mm-model=opnai:x",
        "--mm-judge=locl",
        "--mm-threshold=101",
        "--mm-sample=s99",
        "--mm-repeats=0",
        "--mm-benchmark=./absent",
    ],
)
def test_what_the_user_can_mend_ends_with_4(made: Made, wrong: str) -> None:
    result = made.run(wrong)
    assert result.ret == 4
    assert "Traceback" not in result.stderr.str()
    _, _, value = wrong.partition("=")
    assert value in result.stderr.str().replace(str(made.pytester.path) + "/", "./")


@BOTH
def test_a_record_that_was_lost_on_its_way_fails_the_run(
    made: Made, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    # A conftest's hooks reach the tests beside it, so the sample's test is one of these.
    pytester.makepyfile("def test_own(mm_sample, mm_evaluate): mm_evaluate(mm_sample)")
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(item):
            report = yield
            vars(report).pop("mmreason", None)
            return report
        """
    )
    result = made.good(*workers)
    assert result.ret == made.exit == 1
    assert verdict_line(result).startswith("FAIL")
    counts = read_summary(pytester.path / "out")["runs"][0]["counts"]
    assert (counts["collected"], counts["missing"]) == (6, 6)


@BOTH
@pytest.mark.parametrize("hook", ["attach", "take", "finish"])
def test_a_fault_of_the_plugin_itself_is_never_exit_0(
    made: Made, pytester: pytest.Pytester, hook: str, workers: tuple[str, ...]
) -> None:
    target = {
        "attach": "pytest_mmreason.reports.carried.attach",
        "take": "pytest_mmreason.reports.terminal.Terminal.take",
        "finish": "pytest_mmreason.session.OwnerSession.finish",
    }[hook]
    pytester.makeconftest(
        f"""
        import pytest

        patch = pytest.MonkeyPatch()

        def broken(*args, **kwargs):
            raise RuntimeError("a fault of our own")

        def pytest_sessionstart():
            patch.setattr({target!r}, broken)

        def pytest_unconfigure():
            patch.undo()
        """
    )
    result = made.good(*workers)
    assert result.ret not in {0, 5}
    assert "a fault of our own" in result.stdout.str() + result.stderr.str()
