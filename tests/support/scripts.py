"""The modules of the folder tiny/, which are scripts' own and in no package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tiny"
CHECKPOINT = ROOT / "pytest_mmreason" / "models" / "checkpoints" / "tiny"


@contextmanager
def tiny_scripts(*names: str) -> Iterator[SimpleNamespace]:
    """Modules by name, with all that they import of each other for as long as it lasts.

    Afterwards none is left: a user's own module may be called "model" as well.
    """
    before = set(sys.modules)
    sys.path.insert(0, str(TINY))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(str(TINY))
        folders = (str(TINY), str(ROOT / "benchmarks" / "mini"))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(folders):
                del sys.modules[name]
