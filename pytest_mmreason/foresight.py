"""Whether what xdist's workers are going to collect is certain before they have started.

A controller collects nothing: its engine would stand idle while the workers start, which
is a good part of a short run. Where nothing can deselect a sample of the bundled suite,
all of them will be asked, and the engine may begin. Where anything might, it waits for a
worker to say what was selected: no call is made on a guess.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from itertools import islice
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
_HOOK = re.compile(rb"\bpytest_(?:collection|generate|make|pycollect|itemcollected)\w*\b")


def all_will_be_asked(config: pytest.Config) -> bool:
    """True if every worker is certain to select all planned work of the bundled suite.

    Every test file below the collected folders is read for a word of our fixtures: a test of
    the user's own that evaluates samples keeps the suite out, and asks what only it knows.
    """
    option = config.option
    return (
        suite_may_join(config)
        and not only_looks(config)
        and not any(getattr(option, name, None) for name in _SELECTING_OPTIONS)
        and all(spec.partition("//")[0] == "popen" for spec in option.tx)
        and not any(_SPEAKS_OF_SAMPLES.decode() in name for name in config.getini("usefixtures"))
        and not _plugins_may_select(config)
        and _tests_are_silent(config)
    )


def _plugins_may_select(config: pytest.Config) -> bool:
    """True if a plugin or conftest.py may deselect items, or put fixtures in place of ours."""
    manager = config.pluginmanager
    hooks = [getattr(manager.hook, name) for name in _SELECTING_HOOKS]
    selecting = {id(impl.plugin) for hook in hooks for impl in hook.get_hookimpls()}
    for plugin in manager.get_plugins():
        is_module = isinstance(plugin, ModuleType)
        name = plugin.__name__ if is_module else type(plugin).__module__
        if name.partition(".")[0] in _HARMLESS:
            continue
        if id(plugin) in selecting or (is_module and _overrides(plugin)):
            return True
    return False


def _overrides(module: ModuleType) -> bool:
    """True if the module defines a fixture by one of our names."""
    from _pytest.fixtures import FixtureFunctionDefinition

    fixtures = (v for v in vars(module).values() if isinstance(v, FixtureFunctionDefinition))
    return any(f.name.startswith("mm_") for f in fixtures)


def _tests_are_silent(config: pytest.Config) -> bool:
    """True if no test file or conftest.py that will be collected speaks of samples."""
    starts = [config.invocation_params.dir / argument for argument in config.args]
    if not all(map(Path.exists, starts)):
        return False  # a node id, perhaps
    patterns = [*config.getini("python_files"), "conftest.py"]
    below = (file for start in starts for file in _files(start, config.getini("norecursedirs")))
    files = [*islice(below, MOST_FILES + 1)]
    return len(files) <= MOST_FILES and not any(
        _speaks(file)
        for file in files
        if file in starts or any(fnmatch(file.name, pattern) for pattern in patterns)
    )


def _files(start: Path, kept_out: Sequence[str]) -> Iterator[Path]:
    """What pytest will walk through from `start`, and perhaps a little more."""
    if start.is_file():
        yield start
    for folder, folders, names in os.walk(start):
        folders[:] = [
            name
            for name in folders
            if not any(fnmatch(name, pattern) for pattern in kept_out)
            and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        yield from (Path(folder, name) for name in names)


def _speaks(file: Path) -> bool:
    """True if a file speaks of samples, or is a conftest.py that may select; or cannot be read."""
    try:
        text = file.read_bytes()
    except OSError:
        return True
    selects = file.name == "conftest.py" and _HOOK.search(text) is not None
    return _SPEAKS_OF_SAMPLES in text or selects
