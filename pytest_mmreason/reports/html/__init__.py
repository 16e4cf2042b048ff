"""``report.html``: one file that opens from disk, with every sample to look at.

It needs no network and asks for none: a content-security policy allows its one script and
its one style by their hashes, and pictures from the file itself or from disk. What models,
judges and benchmarks wrote reaches it in two ways only: escaped by the template, or as JSON
in which no ``<``, ``>`` or ``&`` is left, shown as text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from pytest_mmreason.gates import NO_GATE
from pytest_mmreason.record import Record
from pytest_mmreason.reports import measured, tables
from pytest_mmreason.reports.html.data import Data
from pytest_mmreason.reports.html.page import run_pages
from pytest_mmreason.reports.text import inert
from pytest_mmreason.settings import Settings
from pytest_mmreason.summary import Summary

FILE_NAME = "report.html"
_HERE = Path(__file__).parent
_SCRIPTS = ("text.js", "sample.js", "browser.js")


def render(
    summary: Summary,
    settings: Settings,
    folder: Path,
    whole: Callable[[Record], Record] = lambda record: record,
) -> Iterator[str]:
    """The report in pieces, each made when it is asked for.

    folder: where the report will lie; pictures below its parent are linked relatively, so
    that both may be moved together. Pictures are found where the benchmarks of `summary`
    name them; what is not there is left out with a note.
    whole: from a record to the same with its long texts.
    """
    script = "".join(('"use strict"; {\n', *map(_source, _SCRIPTS), "}\n"))
    style = _source("report.css")
    data = Data(summary, folder, whole)
    word, why = tables.verdict_text(summary.exit, summary.verdict)
    mood = word.lower()
    if summary.verdict == NO_GATE:  # nothing was decided
        word, why, mood = "no gate set", "", "none"
    pages = run_pages(summary, settings)
    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    template = environment.get_template("report.html.j2")
    return template.generate(
        title=f"mmreason: {', '.join(dict.fromkeys(page.title for page in pages)) or 'no run'}",
        word=word,
        why=why,
        mood=mood,
        pages=pages,
        side_by_side=tables.comparison(summary.runs) if len(pages) > 1 else None,
        **_pairs(summary),
        notes=summary.notes,
        session=tables.session_text(summary),
        options=" ".join(summary.options),
        measured=measured,
        data=data,
        script=Markup(script),
        style=Markup(style),
        policy=_policy(script, style),
    )


def _pairs(summary: Summary) -> dict[str, Any]:
    if not summary.pairs:
        return {}
    from pytest_mmreason.reports import compared

    return {
        "pairs": compared.pairs_table(summary.pairs, summary.runs),
        "pairs_left": compared.pairs_left(summary.pairs),
    }


def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(script: str, style: str) -> str:
    """What the page may do: run its own script, and show pictures that need no network."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash_of(script)}",
            f"style-src {_hash_of(style)}",
            "img-src data: file:",  # thumbnails, and the whole pictures that lie on disk
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash_of(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _shown(value: Any) -> Any:
    """What the template prints; text without controls and unpaired characters."""
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value
