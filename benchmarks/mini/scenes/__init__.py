"""Every scene by the name of its picture. A module of this folder adds its own in `SCENES`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

from PIL import Image


def collect() -> dict[str, Callable[[], Image.Image]]:
    """The scenes of all modules, in the order of the modules' names.

    Raises ValueError if two modules draw a picture of the same name.
    """
    scenes: dict[str, Callable[[], Image.Image]] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        found = import_module(f"{__name__}.{module.name}").SCENES
        if twice := scenes.keys() & found.keys():
            raise ValueError(f"{module.name}.py draws again: {', '.join(sorted(twice))}")
        scenes |= found
    return scenes
