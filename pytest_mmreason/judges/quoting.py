"""How a judge's prompt carries text that it must not obey. Pure."""

from __future__ import annotations

import hashlib
import json
import unicodedata

# control, format, surrogate, line separator, paragraph separator: what a reader does not
# see, and what could end a line of the prompt
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def quote(text: str) -> str:
    """`text` as one JSON string on one line, with hidden characters as escapes."""
    return _escape_hidden(json.dumps(text, ensure_ascii=False))


def table_cell(text: str) -> str:
    r"""`text` as one cell of a table: a bar is ``\|``, a line break ``\n``, a backslash ``\\``."""
    quoted = json.dumps(text.strip(), ensure_ascii=False)[1:-1]
    return _escape_hidden(quoted.replace('\\"', '"').replace("|", "\\|"))


def boundary(text: str) -> str:
    """A mark that `text` cannot hold, the same in every run: it comes from its hash."""
    return "RESPONSE-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _escape_hidden(text: str) -> str:
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return "".join(
        json.dumps(c)[1:-1] if unicodedata.category(c) in _HIDDEN else c for c in text
    ).replace("\x7f", "\\u007f")
