"""Waiting for what another thread brings."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

T = TypeVar("T")

WAIT_STEP_S = 0.5


def wait(future: Future[T], while_waiting: Callable[[], None] | None = None) -> T:
    """The future's result; `while_waiting` is called every WAIT_STEP_S seconds."""
    if while_waiting is None:
        return future.result()
    while True:
        try:
            return future.result(timeout=WAIT_STEP_S)
        except FutureTimeout:
            if future.done():
                raise
            while_waiting()
