"""Hooks by which packages and a rootdir ``conftest.py`` add models, judges and benchmarks.

Each returns a mapping from a name to a factory. The name is then a spec
(``--mm-model=NAME`` or ``NAME:ARGUMENT``); bundled names cannot be replaced.
A conftest that must also work with ``-p no:mmreason`` marks its implementation
``@pytest.hookimpl(optionalhook=True)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mmreason.benchmarks.base import Benchmark


@pytest.hookspec
def pytest_mmreason_models(config: pytest.Config) -> Mapping[str, Callable[[str], Any]]:
    """Models by name: ``factory(argument)`` returns ``answer(prompt, images)`` or a ModelAdapter.

    .. code-block:: python

        def pytest_mmreason_models(config):
            return {"parrot": lambda argument: lambda prompt, images: argument or prompt}

    ``pytest --mm-model=parrot:hello`` then evaluates it.
    """
    raise NotImplementedError


@pytest.hookspec
def pytest_mmreason_judges(config: pytest.Config) -> Mapping[str, Callable[[str], Any]]:
    """Judges by name: ``factory(argument)`` returns ``judge(sample, response)`` or a Judge.

    .. code-block:: python

        def pytest_mmreason_judges(config):
            def exact(sample, response):
                return float(str(response).strip() == sample.answer)

            return {"exact": lambda argument: exact}
    """
    raise NotImplementedError


@pytest.hookspec
def pytest_mmreason_benchmarks(
    config: pytest.Config,
) -> Mapping[str, Callable[[Path | None], Benchmark | Path]]:
    """Benchmarks by name: ``factory(folder)`` returns a Benchmark or a native folder's path.

    `folder` is DIR of ``--mm-benchmark=NAME=DIR``, None without one.

    .. code-block:: python

        def pytest_mmreason_benchmarks(config):
            return {"ours": lambda folder: config.rootpath / "benchmarks" / "ours"}
    """
    raise NotImplementedError
