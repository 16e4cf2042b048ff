"""``--mm-budget``: the run stops before it is passed, and keeps everything that was finished."""

from __future__ import annotations

import re

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_records, read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.project import Project
from tests.support.runs import (
    answers,
    by_model,
    flat,
    letters,
    run,
    statuses,
    verdict,
    verdict_line,
)

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
PRICES = """
[models]
"m" = { input = 0, output = 1000 }
"j" = { input = 0, output = 1000 }
"python:mine:answer" = { input = 0, output = 1000 }
"fixture" = { input = 0, output = 1000 }
"""
CALL = 0.002  # a reply of the endpoint tells 2 tokens


@pytest.fixture
def options(pytester: pytest.Pytester, endpoint: Endpoint) -> tuple[str, ...]:
    """Twelve samples; every call costs CALL, and may cost twice as much."""
    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(0.5))
    write_benchmark(pytester.path / "made", [sample(n) for n in range(12)])
    (pytester.path / "prices.toml").write_text(PRICES, encoding="utf-8")
    return (
        f"--mm-base-url={endpoint.url}",
        f"--mm-judge-base-url={endpoint.url}",
        "--mm-model=openai:m",
        "--mm-benchmark=made",
        "--mm-prices=prices.toml",
        "--mm-param=max_tokens=4",
        "--mm-judge-param=max_tokens=4",
        "--mm-output=out",
    )


@BOTH
def test_it_stops_before_it_is_passed_and_goes_on_where_it_was(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    # Five calls cost 0.010; a sixth might have carried it to 0.014.
    arguments = (*options, "--mm-budget=0.0135", "--junitxml=junit.xml", *workers)
    result = run(pytester, *arguments)
    assert result.ret == 1
    assert len(endpoint.requests) == 5
    found = read_records(pytester.path / "out")
    assert sorted(statuses(found).values()) == ["missing"] * 7 + ["scored"] * 5
    assert all(r["score"] == 1.0 for r in found if r["status"] == "scored")
    summary = read_summary(pytester.path / "out")
    assert summary["exit"] == 1
    (whole,) = summary["runs"]
    assert whole["counts"]["missing"] == 7
    assert whole["usage"]["model"]["cost_usd"] == pytest.approx(5 * CALL)
    assert verdict_line(result) == (
        "FAIL  stopped before the budget of $0.0135 was passed (--mm-budget): $0.0100 spent, 7 of "
        "12 samples left. Run the same command again to go on: finished answers come from the "
        f"cache · results in {pytester.path / 'out'}"
    )
    result.assert_outcomes(passed=5, skipped=7)
    assert re.fullmatch(r"[.s]{12}", letters(result))

    again = run(pytester, *arguments)
    assert again.ret == 1
    assert len(endpoint.requests) == 10
    assert endpoint.repeats == 0
    last = run(pytester, *arguments)
    assert last.ret == 0
    assert len(endpoint.requests) == 12
    last.assert_outcomes(passed=12)


@BOTH
def test_an_answer_that_nobody_could_judge_is_kept(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    arguments = (*options, "--mm-judge=openai:j", "--mm-concurrency=1", *workers)
    result = run(pytester, *arguments, "--mm-budget=0.0135")
    assert result.ret == 1
    spent = [len(endpoint.calls("m")), len(endpoint.calls("j"))]
    assert sum(spent) == 5
    found = read_records(pytester.path / "out")
    unjudged = [r for r in found if r["status"] == "missing" and r["response"]]
    assert len(unjudged) == spent[0] - spent[1]
    assert all("judge call" in r["reason"] for r in unjudged)
    usage = read_summary(pytester.path / "out")["runs"][0]["usage"]
    assert [usage[role]["calls"] for role in ("model", "judge")] == spent
    assert run(pytester, *arguments).ret == 0
    assert endpoint.repeats == 0
    assert len(endpoint.requests) == 24


def test_a_budget_that_suffices_changes_nothing(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-budget=1", "--mm-threshold=90")
    assert result.ret == 0
    assert "--mm-budget" not in result.stdout.str()


def test_what_the_cache_holds_is_not_stopped(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    run(pytester, *options)
    endpoint.reset()
    result = run(pytester, *options, "--mm-budget=0.000001")
    assert result.ret == 0
    assert endpoint.requests == []


def test_without_a_cache_the_advice_is_another(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-budget=0.0135", "--mm-cache=off")
    assert "another run begins anew: raise the budget" in verdict_line(result)


def test_a_budget_below_a_single_call_says_so(
    pytester: pytest.Pytester, options: tuple[str, ...], endpoint: Endpoint
) -> None:
    result = run(pytester, *options, "--mm-budget=0.001")
    assert endpoint.requests == []
    assert "$0 spent, 12 of 12 samples left. A single model call may cost up to $0.0040" in (
        verdict_line(result)
    )


@BOTH
@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--mm-model=openai:x",), "openai:x"),
        (("--mm-judge=openai:y",), "openai:y"),
        (("--mm-model=python:models_of_mine:right",), "python:models_of_mine:right"),
        (("--mm-model=fixture",), "fixture"),
    ],
)
def test_an_unknown_price_is_a_usage_error(
    project: Project, more: tuple[str, ...], named: str, workers: tuple[str, ...]
) -> None:
    models = more if "model" in more[0] else (project.model, "--mm-model=replay:mini")
    models = tuple(m for m in models if m != project.model)
    result = project.run_plain(
        *models, *more, "--mm-base-url=http://127.0.0.1:9", "--mm-judge-base-url=http://127.0.0.1:9",
        "--mm-cache=only", "--mm-budget=1", *workers,
    )  # fmt: skip
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"*--mm-budget needs the price of {named}, which is unknown. *--mm-prices=FILE:"]
    )
    name = named.removeprefix("openai:")
    result.stderr.fnmatch_lines([f'*"{name}" = {{ input = 2.5, output = 10.0 }}*'])


@BOTH
def test_a_function_of_the_users_that_tells_its_tokens_has_a_budget_too(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    pytester.makeconftest(
        """
        import pytest
        from pytest_mmreason import Response

        @pytest.fixture(scope="session")
        def mm_model():
            def answer(prompt, images):
                return Response("answer", usage={"prompt_tokens": 5, "completion_tokens": 2})
            return answer
        """
    )
    arguments = [o for o in options if "model" not in o]
    result = run(pytester, *arguments, "--mm-model=fixture", "--mm-budget=0.0135", *workers)
    assert result.ret == 1
    usage = read_summary(pytester.path / "out")["runs"][0]["usage"]["model"]
    assert usage["calls"] == 5
    assert usage["cost_usd"] == pytest.approx(5 * CALL)


def test_a_fixture_of_the_users_that_evaluates_is_skipped_and_counted(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        test_own="""
        import pytest

        @pytest.fixture
        def record(mm_sample, mm_evaluate):
            return mm_evaluate(mm_sample)

        def test_own(record):
            assert record.score == 1.0
        """
    )
    result = run(pytester, *options, "--mm-budget=0.0135", "test_own.py")
    assert result.ret == 1
    result.assert_outcomes(passed=5, skipped=7)
    assert read_summary(pytester.path / "out")["runs"][0]["counts"]["missing"] == 7


@BOTH
def test_a_test_that_asks_by_hand_hears_why(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        test_own="""
        def test_own(mm_sample, mm_model, mm_evaluate):
            mm_evaluate.record(mm_sample, mm_model(mm_sample.question), 1.0)
        """
    )
    result = run(pytester, *options, "--mm-budget=0.0135", "test_own.py", *workers)
    assert result.ret == 1
    assert "not asked: the model call might have cost more" in flat(result)
    assert "7 of 12 samples left" in verdict_line(result)
    assert "Run it again, or raise --mm-budget" in flat(result)


@BOTH
def test_a_judge_on_graded_answers_has_a_budget_too(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    endpoint: Endpoint,
    workers: tuple[str, ...],
) -> None:
    arguments = [o for o in options if "mm-model" not in o and "benchmark" not in o]
    result = run(
        pytester, *arguments, "--mm-agreement=mini", "--mm-limit=12", "--mm-judge=openai:j",
        "--mm-budget=0.0135", *workers,
    )  # fmt: skip
    assert result.ret == 1
    assert len(endpoint.calls("j")) == len(endpoint.requests) == 5
    assert "7 of 12 samples left" in verdict_line(result)


def test_a_shard_that_was_stopped_fails_the_merged_run_too(
    pytester: pytest.Pytester, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for number, budget in ((1, "1"), (2, "0.0095")):
        more = (f"--mm-shard={number}/2", f"--mm-output=part{number}", f"--mm-budget={budget}")
        assert run(pytester, *options[:-1], *more).ret == number - 1
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--mm-output=merged", "--mm-max-errors=9"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "FAIL stopped before the budget of $0.0095 was passed (--mm-budget)" in out
    assert "3 of 6 samples left" in out
    (whole,) = read_summary(pytester.path / "merged")["runs"]
    assert (whole["counts"]["scored"], whole["counts"]["missing"]) == (9, 3)
    assert whole["usage"]["model"]["cost_usd"] == pytest.approx(9 * CALL)
