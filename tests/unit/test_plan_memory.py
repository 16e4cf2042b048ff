"""A large plan is out of the garbage collector's sight for as long as its session lasts."""

from __future__ import annotations

import gc

import pytest

from pytest_mmreason import plan, session
from pytest_mmreason.plan import set_aside
from tests.support.stubs import made_plan, made_samples


@pytest.fixture(autouse=True)
def thawed() -> None:
    gc.unfreeze()


def test_a_large_plan_is_set_aside_and_a_small_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "LARGE", 10)
    assert not set_aside(made_plan(made_samples(9)))
    assert gc.get_freeze_count() == 0
    try:
        assert set_aside(made_plan(made_samples(10)))
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("large", [True, False])
def test_a_session_gives_back_what_it_took_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    made = made_plan(made_samples(10))
    monkeypatch.setattr(plan, "LARGE", 10 if large else 11)
    monkeypatch.setattr(session, "make_plan", lambda settings, registry: made)
    owner = session.OwnerSession(made.settings, None, None)  # type: ignore[arg-type]
    gc.freeze()
    assert owner.plan is made
    owner.close()
    assert (gc.get_freeze_count() == 0) is large
    gc.unfreeze()
