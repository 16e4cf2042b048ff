"""The bundled suite: every sample of every benchmark, asked and judged."""

from collections.abc import Callable

from pytest_mmreason import Record, Sample


def test_sample(mm_sample: Sample, mm_evaluate: Callable[[Sample], Record]) -> None:
    mm_evaluate(mm_sample)
