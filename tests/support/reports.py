"""Reports made from records alone, and what is read off them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pytest_mmreason.gates import Outcome
from pytest_mmreason.outcome import draft_record
from pytest_mmreason.record import Record
from pytest_mmreason.reports.html import FILE_NAME, render
from pytest_mmreason.sample import Sample
from pytest_mmreason.summary import Summary, summarise
from tests.support.stubs import made_plan


def made_summary(
    samples: Sequence[Sample],
    fields: Sequence[Mapping[str, Any]],
    models: Sequence[str] = ("m",),
    **settings: Any,
) -> Summary:
    """The summary of runs in which the record of each sample has these fields.

    A sample without a status is scored, 0.5 if no score is given.
    """
    plan = made_plan(samples, models, **settings)
    records = [
        [
            record(draft_record(run, sample, repeat, "j", None), given)
            for sample, given in zip(samples, fields, strict=True)
            for repeat in range(plan.settings.repeats)
        ]
        for run in plan.runs
    ]
    outcome = Outcome(0, 0, 0)
    return summarise(plan, records, sum(map(len, records)), outcome)


def record(draft: Record, given: Mapping[str, Any]) -> Record:
    """`draft` with these fields, scored where they do not say otherwise."""
    fields = {"status": "scored", **given}
    if fields["status"] == "scored":
        fields = {"score": 0.5, **fields}
        fields = {"scores": (fields["score"],), **fields}
    return dataclasses.replace(draft, **fields)


def made_report(folder: Path, summary: Summary, **settings: Any) -> Path:
    """The report of `summary`, below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    plain = made_plan([Sample("s", "q")], **settings).settings
    path.write_text("".join(render(summary, plain, folder)), encoding="utf-8")
    return path


class Parsed(HTMLParser):
    """A report as a browser takes it.

    tags:    every element that begins, (name, attributes), in order.
    scripts: the text of the script elements, by id; "" is the one that runs.
    style:   the text of the style element. text: all other text.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self.style = self.text = ""
        self._inside: str | None = None
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self._inside = tag
        if tag == "script":
            name = attributes.get("id") or ""
            assert name not in self.scripts
            self.scripts[name] = ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            name = next(reversed(self.scripts))
            self.scripts[name] += data
        elif self._inside == "style":
            self.style += data
        else:
            self.text += data

    def json(self, name: str) -> Any:
        """The content of a JSON block."""
        return json.loads(self.scripts[name])

    @property
    def policy(self) -> str:
        """The content-security policy."""
        (found,) = (
            attributes["content"]
            for _, attributes in self.tags
            if attributes.get("http-equiv") == "Content-Security-Policy"
        )
        return found or ""
