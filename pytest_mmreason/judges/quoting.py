"""How a judge's prompt carries text that it must not obey. Pure."""

from __future__ import annotations

import hashlib
import json
import unicodedata

# control, format, surrogate, line separator, paragraph separator: what a reader does not
# see, and what could end a line of the prompt
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LIKENESSES = frozenset("¦ǀ‖│┃║∣∥⎮⏐❘❙❚￤￨｜＂＼﹨")
"""What a reader may take for a bar, a quotation mark that ends a string, or a backslash."""
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(c) for c in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Letters and marks that a reader does not see; bytes can be written in variation selectors."""


def quote(text: str) -> str:
    """`text` as one JSON string on one line; hidden characters and look-alikes of quotes,
    backslashes and bars are escapes."""
    return _escape(json.dumps(text, ensure_ascii=False))


def table_cell(text: str) -> str:
    r"""`text` as one cell of a table: a bar is ``\|``, a line break ``\n``, a backslash ``\\``.

    Hidden characters and look-alikes of these are escapes, too.
    """
    quoted = json.dumps(text.strip(), ensure_ascii=False)[1:-1]
    return _escape(quoted.replace('\\"', '"').replace("|", "\\|"))


def boundary(text: str) -> str:
    """A mark that `text` cannot hold, the same in every run: it comes from its hash."""
    return "RESPONSE-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _escape(text: str) -> str:
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return "".join(json.dumps(c)[1:-1] if _deceives(c) else c for c in text).replace(
        "\x7f", "\\u007f"
    )


def _deceives(character: str) -> bool:
    """Whether a reader does not see a character, or may take it for one with a meaning here."""
    return (
        character in _LIKENESSES
        or character in _BLANKS
        or unicodedata.category(character) in _HIDDEN
    )
