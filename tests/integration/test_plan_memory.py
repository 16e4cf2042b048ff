"""A large plan is out of the garbage collector's sight for as long as its session lasts."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from pytest_mmreason import plan, session
from pytest_mmreason.plan import set_aside
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.runs import run
from tests.support.stubs import made_plan, made_samples


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_garbage_is_not_set_aside() -> None:
    class Kept:
        ended = False

        def __del__(self) -> None:
            Kept.ended = True

    garbage = Kept()
    garbage.itself = garbage  # type: ignore[attr-defined]
    del garbage
    set_aside()
    assert Kept.ended
    assert gc.get_freeze_count() > 0


@pytest.mark.parametrize("large", [True, False])
def test_only_a_large_plan_is_set_aside(monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    made = made_plan(made_samples(10))
    monkeypatch.setattr(plan, "LARGE", 10 if large else 11)
    monkeypatch.setattr(session, "make_plan", lambda settings, registry: made)
    owner = session.OwnerSession(made.settings, None, None)  # type: ignore[arg-type]
    assert owner.plan is made
    assert owner.is_set_aside is large
    assert (gc.get_freeze_count() > 0) is large


CONFTEST = """
import gc

def pytest_unconfigure():
    print("set aside:", gc.get_freeze_count() > 0)
"""


@pytest.mark.parametrize("options", [(), ("--collect-only",)], ids=["run", "collected"])
@pytest.mark.parametrize("large", [True, False])
def test_a_session_gives_back_what_it_took(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    large: bool,
    options: tuple[str, ...],
) -> None:
    monkeypatch.setattr(plan, "LARGE", 2 if large else 3)
    pytester.makeconftest(CONFTEST)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(2)])
    recorded = write_answers(pytester.path / "a.json", {"s0": "a", "s1": "b"})
    result = run(
        pytester, f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}", "-s", *options
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"set aside: {large}"])
    assert gc.get_freeze_count() == 0
