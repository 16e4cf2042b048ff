"""How many calls are under way, and what happens when every one of them fails."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import answers, by_model, endpoint_options, run, verdict, verdict_line

BOTH = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


@BOTH
def test_the_limit_holds_for_each_role_and_all_workers_together(
    pytester: pytest.Pytester, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(24)])
    endpoint.script = by_model(
        m=lambda body, seen: Reply(text=answers(body, seen), delay_s=0.1),
        j=lambda body, seen: Reply(text=verdict(0.5), delay_s=0.1),
    )
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}")
    assert run(pytester, *options, "--mm-concurrency=3", *workers).ret == 0
    assert endpoint.peak == {"m": 3, "j": 3}, "never more, and no place stays empty"
    assert len(endpoint.requests) == 48


def test_a_model_of_ones_own_is_called_once_at_a_time_unless_it_says_otherwise(
    pytester: pytest.Pytester,
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])
    pytester.makepyfile(
        model="""
        import threading
        import time

        lock = threading.Lock()
        running = peak = 0

        def answer(prompt, images):
            global running, peak
            with lock:
                running += 1
                peak = max(peak, running)
            time.sleep(0.05)
            with lock:
                running -= 1
            return f"at most {peak}"

        def many(prompt, images):
            return answer(prompt, images)

        many.max_concurrency = 3
        """
    )
    for function, peak in (("answer", 1), ("many", 3)):
        run(
            pytester,
            f"--mm-model=python:model:{function}",
            f"--mm-benchmark={folder}",
            "--mm-output=out",
            "--mm-concurrency=6",
            "-n2",
        )
        text = (pytester.path / "out" / "predictions.json").read_text(encoding="utf-8")
        assert f"at most {peak}" in text
        assert f"at most {peak + 1}" not in text


@pytest.mark.parametrize("role", ["m", "j"])
def test_where_every_call_fails_no_score_is_published_and_nothing_is_kept_of_it(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    role: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pytest_mmreason.pool.FIRST_DELAY_S", 0.01)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(12)])
    well = {"m": answers, "j": lambda body, seen: verdict(0.5)}
    ill = {role: lambda body, seen: Reply.error(500, "down for good")}
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-output=out")
    gates = ("--mm-max-errors=100%", "--mm-threshold=0")

    endpoint.script = by_model(**{**well, **ill})
    result = run(pytester, *options, *gates)
    assert result.ret == 1
    assert "overall holds nothing scored" in verdict_line(result)
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert all(row["score"] is None and row["scored"] == 0 for row in found["rows"].values())
    status = {"m": "model_error", "j": "judge_error"}[role]
    assert found["counts"][status] == 12
    assert run(pytester, *options).ret == 1

    endpoint.script = by_model(**well)
    endpoint.reset()
    assert run(pytester, *options, *gates).ret == 0
    assert len(endpoint.calls(role)) == 12, "what failed is asked again"
    assert len(endpoint.calls("m")) == (12 if role == "m" else 0)
    assert read_summary(pytester.path / "out")["runs"][0]["rows"]["overall"]["score"] == 50


def test_a_judge_that_is_always_wrong_ends_the_run_and_is_told_so(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-retries=1")
    for reply in ("", "5", '{"rationale": "good"}'):
        endpoint.reset()
        endpoint.script = by_model(m=answers, j=lambda body, seen, reply=reply: reply)
        result = run(pytester, *options, "--mm-output=out")
        assert result.ret == 1
        assert "6 errored samples, 0 allowed" in verdict_line(result)
        assert read_summary(pytester.path / "out")["runs"][0]["counts"]["judge_error"] == 6
        assert "gave no valid verdict" in result.stdout.str()
        assert len(endpoint.calls("j")) <= 6 * 6, "attempts are bounded"
