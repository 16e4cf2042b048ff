"""What the integration tests share."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec

import pytest

import pytest_mmreason
from tests.support.project import Project

# pytester takes whatever a run in this process imported out of sys.modules again, but the
# packages keep it as an attribute: a module would then meet exceptions of an earlier run.
OTHERS = ["__main__", ".suite"]
if not find_spec("onnxruntime"):
    OTHERS.append("tiny_runtime")
for module in pkgutil.walk_packages(pytest_mmreason.__path__, "pytest_mmreason."):
    if not any(name in module.name for name in OTHERS):
        import_module(module.name)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository with a benchmark of six samples and models that know the answers.

    Its terminal is wide enough for every message to stand on one line.
    """
    monkeypatch.setenv("COLUMNS", "240")
    return Project(pytester)
