"""What ``--mm-list`` prints of the models: the kinds of specs, and every preset in a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_mmreason.models.presets import PAPERS, Preset, cited


def models(kinds: Mapping[str, str], added: Iterable[str], presets: Mapping[str, Preset]) -> str:
    """The listing: kinds of specs, names that hooks added, presets in the order of their file.

    A preset's columns are its name, its backend, the tables of the papers that have it, and
    its checkpoint.
    """
    lines = [*kinds.values(), *(f"{name:16} added by a hook" for name in sorted(added)), ""]
    lines += HEAD.splitlines()
    rows = [(p.name, p.backend, cited(p.papers), p.checkpoint or "-") for p in presets.values()]
    head = ("preset", "backend", "papers", "checkpoint")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head) - 1)]
    for row in (head, *rows):
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        lines.append("  ".join([*cells, row[-1]]))
    return "\n".join([*lines, "", *TAIL.splitlines()])


HEAD = f"""\
Presets: models under a name of their own, with the papers' prompts and parameters. Papers: the
tables of {PAPERS["infimm-eval"]} (I) and {PAPERS["mm-vet"]} (V); models of today are in none and get the plain question.
"""

TAIL = """\
hf      loads here, with transformers
openai  hosted by its makers       server  to be served by you       python  wants code of its own
These three run with an endpoint: NAME --mm-base-url=URL, where the checkpoint's name is asked for.
NAME:SPEC runs another model with NAME's prompts and parameters: gpt-4v:openai:MODEL,
otter:python:MODULE:ATTR, llava:hf:DIR. What NAME alone wants is said where it is missing.
"""
