"""Options that mean nothing beside ``--mm-agreement``, which measures a judge and asks no model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mmreason.errors import UsageError
from pytest_mmreason.settings import Settings

if TYPE_CHECKING:
    import pytest

_GATES = ("threshold", "item_threshold")
_IDLE = (
    *("param", "base_url", "api_key_env", "prompt", "follow_up", "icl", "images", "repeats"),
    *("compare", "device", "dtype", "batch_size", "trust_remote_code"),
)


def without_gates(config: pytest.Config, settings: Settings) -> Settings:
    """`settings` without gates on a model's scores; UsageError if the command line sets one.

    An ini file's are of the models that it is about.
    """
    if given := _given(config, _GATES):
        raise UsageError(
            f"{given}: a gate on a model's scores, and --mm-agreement measures the judge: "
            "--mm-max-disagreement=D gates that"
        )
    return replace(settings, threshold=(), item_threshold=None)


def idle_options(config: pytest.Config, settings: Settings) -> list[str]:
    """A note on options of the command line that are of no use to such a session; else none."""
    is_read = any(spec.startswith("replay:") for spec in settings.model)
    given = _given(config, _IDLE if is_read else ("model", *_IDLE))
    return [f"{given}: of no use here, --mm-agreement asks no model"] if given else []


def _given(config: pytest.Config, names: tuple[str, ...]) -> str:
    given = (name for name in names if config.getoption(f"mm_{name}") is not None)
    return ", ".join(f"--mm-{name.replace('_', '-')}" for name in given)
