"""The live line of long runs: below the progress on a terminal, now and then in a log."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pytest_mmreason.pricing import running_cost
from pytest_mmreason.reports.text import count, duration, encodable, thousands, usd

if TYPE_CHECKING:
    import pytest

    from pytest_mmreason.session import OwnerSession

FIRST_AFTER_S = 2.0
TERMINAL_EVERY_S = 0.25
LOG_EVERY_S = 30.0
TICK_S = 0.5


class LiveLine:
    """Draws and erases itself around what pytest prints.

    On a terminal it lives on the line below pytest's cursor and is redrawn up to four
    times a second; elsewhere it is an ordinary line, at most every 30 seconds.
    """

    def __init__(self, config: pytest.Config, session: OwnerSession) -> None:
        self._config = config
        self._session = session
        self._reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        dumb = os.environ.get("TERM") == "dumb" or "CI" in os.environ
        self._is_terminal = bool(self._reporter and sys.stdout.isatty() and not dumb)
        self._drawn = False
        self._text = ""
        self._started: float | None = None
        self._last = 0.0
        self._writing = threading.RLock()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Gone while pytest writes; back afterwards, as it was if it is not time for more."""
        with self._writing:
            was_drawn = self._drawn
            self.clear()
            yield
            self.refresh(again=was_drawn)

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Redrawn twice a second by a thread, for a process in which no item waits and does it."""
        ended = threading.Event()

        def tick() -> None:
            with suppress(OSError, ValueError):  # a terminal that went away
                while not ended.wait(TICK_S):
                    with self._writing:
                        self.refresh()

        thread = threading.Thread(target=tick, name="mmreason-live", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def refresh(self, *, again: bool = False) -> None:
        """Draw the line if a run has been going on for a while and the last is old enough.

        again: draw the last one where it is not: samples that end quickly would hide it for good.
        """
        if (
            self._reporter is None
            or self._session.ledger is None
            or not self._session.ledger.is_expecting
            or self._config.option.verbose < 0
        ):
            return
        now = time.monotonic()
        if self._started is None:
            self._started = self._last = now
        every = TERMINAL_EVERY_S if self._is_terminal else LOG_EVERY_S
        first = FIRST_AFTER_S if self._is_terminal else LOG_EVERY_S
        if now - self._started < first:
            return
        if now - self._last < every and not self._drawn:
            if again:
                self._draw(self._text)
            return
        self._last = now
        if self._is_terminal:
            self._draw(self.text(now - self._started, self._width))
        else:
            self._reporter.ensure_newline()
            if self._reporter._tw.width_of_current_line:
                self._reporter._tw.line()  # under xdist the letters belong to no file
            self._reporter.write_line(encodable(self.text(now - self._started), sys.stdout))

    def clear(self) -> None:
        """Erase the line if it is drawn."""
        if self._drawn:
            self._drawn = False
            sys.stdout.write(f"\n\x1b[2K\x1b[1A\x1b[{self._column()}G")
            sys.stdout.flush()

    def text(self, elapsed_s: float, width: int | None = None) -> str:
        """What the line says; where `width` is narrow, the least important is left out."""
        ledger = self._session.ledger
        assert ledger is not None
        progress = self._session.engine.progress()
        done, total = ledger.finished, ledger.expected
        score = ledger.running_score()
        used = progress.usage
        tokens = sum(n for role in used.values() for what, n in role.items() if what != "calls")
        cost = running_cost(self._session.plan, self._session.prices, used)
        retries, causes = sum(progress.retries.values()), ", ".join(sorted(progress.retries))
        parts = {
            "done": f"{done}/{total}",
            "score": f"{score:.1f} so far" if score is not None else "",
            "flight": "loading the model"
            if progress.loading
            else f"{progress.model_in_flight + progress.judge_in_flight} in flight",
            "retries": f"{count(retries, 'retry', 'retries')} ({causes})" if retries else "",
            "tokens": f"{thousands(tokens)} tokens" if tokens else "",
            "cost": f"≈ {usd(cost)}" if cost else "",
            "left": f"{duration(elapsed_s / done * (total - done))} left"
            if 0 < done < total
            else "",
        }
        line = ""
        for dropped in ("", "tokens", "flight", "retries"):
            parts.pop(dropped, None)
            line = "mmreason  " + " · ".join(part for part in parts.values() if part)
            if width is None or len(line) < width:
                break
        return line

    def _draw(self, text: str) -> None:
        self._text = text
        text = encodable(text, sys.stdout)[: self._width - 1]
        # A line feed first: at the bottom of the screen it scrolls, and going up one
        # line again is right wherever the cursor was.
        sys.stdout.write(f"\n\x1b[2K{text}\x1b[1A\x1b[{self._column()}G")
        sys.stdout.flush()
        self._drawn = True

    @property
    def _width(self) -> int:
        return int(self._reporter._tw.fullwidth)

    def _column(self) -> int:
        return int(self._reporter._tw.width_of_current_line) + 1
