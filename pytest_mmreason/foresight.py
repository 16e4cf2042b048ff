"""Whether what xdist's workers are going to collect is certain before they have started.

A controller collects nothing: its engine would stand idle while the workers start, which
is a good part of a short run. Where nothing can deselect a sample of the bundled suite,
all of them will be asked, and the engine may begin. Where anything might, it waits for a
worker to say what was selected: no call is made on a guess.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from pytest_mmreason.collection import suite_may_join
from pytest_mmreason.options import only_looks

MOST_FILES = 2_000
"""Files that are looked at; a larger repository's engine waits for the first worker."""

_SELECTING_OPTIONS = ("keyword", "markexpr", "deselect", "lf", "failedfirst", "stepwise")

_SELECTING_HOOKS = (
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_collection_finish",
    "pytest_generate_tests",
    "pytest_make_collect_report",
    "pytest_pycollect_makeitem",
)
_HARMLESS = frozenset(
    ["_pytest", "pytest_mmreason", "xdist", "anyio", "_hypothesis_pytestplugin", "pytest_asyncio"]
)
"""Packages whose hooks take no item out of the bundled suite, but for the options above."""

_SPEAKS_OF_SAMPLES = b"mm_"


def all_will_be_asked(config: pytest.Config) -> bool:
    """True if every worker is certain to select all planned work of the bundled suite.

    A test of the user's own that evaluates samples keeps the suite out, and asks what only it
    knows: so there must be no test at all beside the suite's.
    """
    option = config.option
    return (
        suite_may_join(config)
        and not only_looks(config)
        and not any(getattr(option, name, None) for name in _SELECTING_OPTIONS)
        and all(spec == "popen" for spec in option.tx)
        and not any(_SPEAKS_OF_SAMPLES.decode() in name for name in config.getini("usefixtures"))
        and not _plugins_may_select(config)
        and not _holds_tests(config)
    )


def _plugins_may_select(config: pytest.Config) -> bool:
    """True if a plugin or conftest.py may deselect items, or has fixtures that speak of samples."""
    manager = config.pluginmanager
    hooks = [getattr(manager.hook, name) for name in _SELECTING_HOOKS]
    selecting = {id(impl.plugin) for hook in hooks for impl in hook.get_hookimpls()}
    for plugin in manager.get_plugins():
        module = plugin if isinstance(plugin, ModuleType) else None
        name = module.__name__ if module else type(plugin).__module__
        if name.partition(".")[0] in _HARMLESS:
            continue
        if id(plugin) in selecting or (module is not None and _speaks(module)):
            return True
    return False


def _speaks(module: ModuleType) -> bool:
    """True if the source of a plugin speaks of samples, or cannot be read."""
    try:
        return _SPEAKS_OF_SAMPLES in Path(module.__file__ or "").read_bytes()
    except OSError:
        return True


def _holds_tests(config: pytest.Config) -> bool:
    """True if there may be a test or a conftest.py that pytest has not read yet.

    What they hold is not asked: a test may come by an import, and a fixture by another.
    """
    starts = [config.invocation_params.dir / argument for argument in config.args]
    if not all(map(Path.is_dir, starts)) or config.option.collect_in_virtualenv:
        return True  # a node id, perhaps, or a file
    loaded = {getattr(plugin, "__file__", None) for plugin in config.pluginmanager.get_plugins()}
    patterns = config.getini("python_files")
    kept_out = config.getini("norecursedirs")
    for looked_at, path in enumerate(p for start in starts for p in _below(start, kept_out)):
        if looked_at == MOST_FILES or (path.is_symlink() and path.is_dir()):
            return True
        is_test = path.suffix == ".py" and any(
            "/" in pattern or fnmatch(path.name, pattern) for pattern in patterns
        )
        if is_test or (path.name == "conftest.py" and str(path) not in loaded):
            return True
    return False


def _below(start: Path, kept_out: Sequence[str]) -> Iterator[Path]:
    """Every file and folder that pytest will meet below `start`, and perhaps a few more."""
    for folder, folders, names in os.walk(start):
        folders[:] = [
            name
            for name in folders
            if not any(fnmatch(name, pattern) for pattern in kept_out)
            and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(folder, name) for name in (*folders, *names))
