"""Multimodal reasoning benchmarks as pytest suites.

The names below are what user code, conftest files and other packages build on.
Importing this package costs the standard library only.
"""

from pytest_mmreason.errors import BenchmarkError, JudgeError, MMReasonError, ModelError, UsageError
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
    "Sample",
    "StepCredit",
    "UsageError",
    "Verdict",
    "__version__",
]
