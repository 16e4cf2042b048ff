"""Imported once, before any run inside a test.

pytester takes what such a run imported out of sys.modules again; the next import would make
the libraries' classes anew, and an exception of one import is none of the other's.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

LIBRARIES = ("aiohttp", "PIL.Image", "rich.table")
TINY = ("numpy", "onnxruntime", "tokenizers")
for name in (*LIBRARIES, *TINY):
    if find_spec(name.partition(".")[0]):
        import_module(name)
