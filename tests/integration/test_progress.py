"""The live line: what it says, and when it is silent."""

from __future__ import annotations

import io
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mmreason.engine import Progress
from pytest_mmreason.pricing import FREE, Price
from pytest_mmreason.reports.live import LiveLine
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.runs import answers, endpoint_options, number_of, run


def used(**roles: tuple[int, int, int]) -> dict[str, dict[str, int]]:
    """By role: calls, tokens of prompts, tokens of replies."""
    names = ("calls", "prompt_tokens", "completion_tokens")
    return {role: dict(zip(names, numbers, strict=True)) for role, numbers in roles.items()}


class Ticking:
    """A live line on a session of our making; its clock is ours too."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> None:
        self.now = 1000.0
        self.screen = io.StringIO()
        self.written: list[str] = []
        self.ledger: Any = SimpleNamespace(
            finished=93, expected=150, running_score=lambda: 41.8, is_expecting=True
        )
        self.progress = Progress(
            10, 6, {"429": 2}, used(model=(93, 60_000, 204), judge=(80, 900, 100))
        )
        self.screen.isatty = lambda: terminal  # type: ignore[method-assign]
        monkeypatch.setattr("sys.stdout", self.screen)
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setenv("TERM", "xterm")
        reporter = SimpleNamespace(
            ensure_newline=lambda: None,
            write_line=self.written.append,
            _tw=SimpleNamespace(fullwidth=100, width_of_current_line=7, line=lambda: None),
        )
        config: Any = SimpleNamespace(
            pluginmanager=SimpleNamespace(getplugin=lambda name: reporter),
            option=SimpleNamespace(verbose=0),
        )
        engine = SimpleNamespace(progress=lambda: self.progress)
        self.prices: dict[str, Price | None] = {}
        plan = SimpleNamespace(runs=[SimpleNamespace(model="m")], judge="j")
        session: Any = SimpleNamespace(
            ledger=self.ledger, engine=engine, plan=plan, prices=self.prices
        )
        self.plan = plan
        self.config = config
        self.line = LiveLine(config, session)

    def after(self, seconds: float) -> None:
        self.now += seconds
        self.line.refresh()


def test_it_says_how_far_how_well_how_many_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, terminal=True)
    assert ticking.line.text(40.0) == (
        "mmreason  93/150 · 41.8 so far · 16 in flight · 2 retries (429) · 61k tokens · 0:25 left"
    )
    ticking.progress = Progress(0, 0, {}, used(model=(0, 0, 0), judge=(0, 0, 0)))
    ticking.ledger.finished, ticking.ledger.running_score = 0, lambda: None
    assert ticking.line.text(1.0) == "mmreason  0/150 · 0 in flight"


def test_it_says_what_was_spent_where_all_prices_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, terminal=True)
    ticking.prices |= {"m": Price(2.5, 10.0), "j": Price(100.0, 0.0)}
    assert " · 61k tokens · ≈ $0.24 · 0:25 left" in ticking.line.text(40.0)
    narrow = ticking.line.text(40.0, 60)
    assert "≈ $0.24" in narrow and "tokens" not in narrow
    ticking.prices["j"] = None
    assert "$" not in ticking.line.text(40.0), "the judge's price is not known"
    ticking.prices["j"] = FREE
    assert "≈ $0.15" in ticking.line.text(40.0)
    ticking.plan.runs.append(SimpleNamespace(model="dear"))
    ticking.prices["dear"] = Price(500.0, 500.0)
    assert "$" not in ticking.line.text(40.0), "which of them took the tokens is not known"


def test_on_a_terminal_it_waits_for_two_seconds_and_gives_way_to_pytest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticking = Ticking(monkeypatch, terminal=True)
    for seconds in (0.0, 1.0, 0.9):
        ticking.after(seconds)
    assert ticking.screen.getvalue() == ""
    ticking.after(0.2)
    drawn = ticking.screen.getvalue()
    assert drawn.startswith("\n\x1b[2Kmmreason  93/150 ·")
    assert drawn.endswith("\x1b[1A\x1b[8G"), "the cursor is back where pytest left it"
    with ticking.line.hidden():
        assert ticking.screen.getvalue() == f"{drawn}\n\x1b[2K\x1b[1A\x1b[8G"
    ticking.line.clear()
    ticking.line.clear()
    assert ticking.screen.getvalue().count("\x1b[2K\x1b[1A") <= 2, "what is gone is not erased"


def test_on_a_terminal_it_stays_while_samples_end_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, terminal=True)
    for seconds in (0.0, 3.0):
        ticking.after(seconds)
    erased = "\n\x1b[2K\x1b[1A"
    for _ in range(20):
        ticking.now += 0.01
        with ticking.line.hidden():
            assert ticking.screen.getvalue().rsplit("\x1b[2K", 1)[1].startswith("\x1b[1A")
        assert "mmreason  93/150" in ticking.screen.getvalue().rsplit(erased, 1)[1]
    ticking.ledger.is_expecting = False
    with ticking.line.hidden():
        pass
    assert "93/150" not in ticking.screen.getvalue().rsplit(erased, 1)[1], "the run is over"


def test_in_a_log_it_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, terminal=False)
    for seconds in (0.0, 20.0, 9.0):
        ticking.after(seconds)
    assert ticking.written == []
    for _ in range(70):
        ticking.after(1.0)
    assert len(ticking.written) == 3
    assert all(line.startswith("mmreason  93/150") for line in ticking.written)
    assert ticking.screen.getvalue() == ""


def test_quiet_runs_and_sessions_without_samples_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    ticking = Ticking(monkeypatch, terminal=True)
    ticking.config.option.verbose = -1
    for _ in range(9):
        ticking.after(60.0)
    assert ticking.screen.getvalue() == ""


def test_a_short_run_prints_none_of_it(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(3)])
    recorded = write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(3)})
    result = run(pytester, f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}")
    assert "in flight" not in result.stdout.str()
    assert "so far" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_long_run_tells_a_log_how_far_it_is(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    workers: tuple[str, ...],
) -> None:
    monkeypatch.setattr("pytest_mmreason.reports.live.LOG_EVERY_S", 0.05)
    folder: Path = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    endpoint.script = lambda body, seen: Reply(
        text=answers(body, seen),
        delay_s=6 if number_of(body) == 3 else 0.1,  # workers may be slow to start
    )
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={folder}")
    result = run(pytester, *options, "--mm-concurrency=2", *workers)
    assert result.ret == 0
    lines = [line for line in result.stdout.lines if line.startswith("mmreason  ")]
    assert any("so far" in line and " in flight" in line for line in lines), lines
    assert all("/6 " in line for line in lines)


def test_retries_are_told_while_every_worker_waits(
    pytester: pytest.Pytester, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_mmreason.reports.live.LOG_EVERY_S", 0.05)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    # No answer comes before a worker waits for one, however slowly the workers start.
    pytester.makeconftest(
        """
        import pathlib
        def pytest_runtest_call():
            pathlib.Path("waits").touch()
        """
    )
    waits = pytester.path / "waits"

    def script(body: dict[str, Any], seen: int) -> Reply | str:
        if seen == 0:
            return Reply.error(503)
        while not waits.exists():
            time.sleep(0.05)
        return Reply(answers(body, seen), delay_s=2.0)

    endpoint.script = script
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={folder}")
    result = run(pytester, *options, "-n2")
    assert result.ret == 0
    lines = [line for line in result.stdout.lines if line.startswith("mmreason  0/4")]
    assert any("retries (503)" in line for line in lines), lines
