"""Multimodal reasoning benchmarks as pytest suites.

The names below are what user code, conftest files and other packages build on. They are
imported when first used: pytest imports this package in every session of an environment.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mmreason.errors import (
        BenchmarkError,
        JudgeError,
        MMReasonError,
        ModelError,
        UsageError,
    )
    from pytest_mmreason.models.base import Response
    from pytest_mmreason.record import Record
    from pytest_mmreason.sample import ImageRef, Sample
    from pytest_mmreason.verdict import StepCredit, Verdict

__version__ = "0.1.0"

__all__ = [
    "BenchmarkError",
    "ImageRef",
    "JudgeError",
    "MMReasonError",
    "ModelError",
    "Record",
    "Response",
    "Sample",
    "StepCredit",
    "UsageError",
    "Verdict",
    "__version__",
]

_HOMES = {
    "BenchmarkError": "errors",
    "ImageRef": "sample",
    "JudgeError": "errors",
    "MMReasonError": "errors",
    "ModelError": "errors",
    "Record": "record",
    "Response": "models.base",
    "Sample": "sample",
    "StepCredit": "verdict",
    "UsageError": "errors",
    "Verdict": "verdict",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
