"""What stands in ``summary.md`` says what it says and does nothing, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pytest_mmreason.reports.markdown import _cell, _row, _safe
from pytest_mmreason.reports.tables import Cell
from pytest_mmreason.reports.text import inert

# A renderer with everything that GitHub's has, and raw HTML let through.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HARMLESS = {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
TABLE = {f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td")
         for end in ("open", "close")}  # fmt: skip


def tokens(text: str) -> Iterator[Token]:
    for token in RENDERER.parse(text):
        yield token
        yield from token.children or ()


NASTY = st.text(st.sampled_from("\\`*_[]()<>|#~$!&@:/.-+=ahtpw1 \n\t\x1b\u202e\ud800\"'"))
CASES = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![x](http://evil/p.png)",
    "`code` **bold** _it_ ~~gone~~ | cell | # head",
    "&lt;script&gt; &#60;b&#62;",
    "\n\n# heading\n\n- list\n\n```\nfence\n```\n<details>",
    "\\<b>\\`x\\`",
    "]: http://evil",
]


@given(NASTY | st.sampled_from(CASES))
@example("a|b\\")
def test_any_text_is_shown_as_it_is(text: str) -> None:
    found = list(tokens(f"x {_safe(text)}"))
    assert {token.type for token in found} <= HARMLESS
    told = "".join(token.content for token in found if token.type in {"text", "text_special"})
    assert told.replace("\u200b", "") == " ".join(f"x {inert(text)}".split())


@given(st.lists(NASTY, min_size=2, max_size=2))
def test_any_text_stays_in_its_cell(texts: list[str]) -> None:
    table = "\n".join(
        [_row(["a", "b"]), _row(["---", "---"]), _row([_cell(Cell(t)) for t in texts])]
    )
    found = [token.type for token in tokens(table)]
    assert set(found) <= HARMLESS | TABLE
    assert found.count("td_open") == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ask @somebody", "@somebody"),
        ("see https://evil.example/x", "https://"),
        ("see www.evil.example", "www."),
        ("mail a@b.example", "a@b"),
        ("worth $x$ and $$y$$", "$x$"),
    ],
)
def test_what_github_alone_would_make_something_of_is_broken_up(text: str, told: str) -> None:
    assert told in text
    assert told not in _safe(text)
