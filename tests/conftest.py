"""Imported once, before any run inside a test.

pytester takes what such a run imported out of sys.modules again; the next import would make
the libraries' classes anew, and an exception of one import is none of the other's.
"""

from __future__ import annotations

import httpx2  # noqa: F401
import openai  # noqa: F401
import PIL.Image  # noqa: F401
import rich.table  # noqa: F401
