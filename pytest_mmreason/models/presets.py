"""Presets: models under names of their own, with the papers' prompts and parameters.

They are data, ``presets.toml``; this module reads and checks them, and imports nothing of a
backend. A name stands for the checkpoint it runs on, and for what the papers sent it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pytest_mmreason.prompting import PLAIN, Template

PAPERS = {"infimm-eval": "InfiMM-Eval", "mm-vet": "MM-Vet"}
"""Protocol -> the paper's name, in the order in which they are shown."""

BACKENDS = ("hf", "openai", "server", "python")

_SAME = (
    ("max_tokens", "max_new_tokens", "max_completion_tokens"),
    ("temperature", "do_sample"),
)
"""Parameters that say the same: who gives one replaces the others."""


@dataclass(frozen=True, slots=True)
class Row:
    """Where a paper has the model: the numbers of its tables, and what it calls the row."""

    row: str
    tables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """How a protocol's paper asked the model.

    template: the words around the question. params: generation parameters, by OpenAI's
    names where there are such. source: where the paper says so; "" if it says nothing.
    """

    template: Template = PLAIN
    params: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A model by name.

    title:          what the papers, or its makers, call it.
    backend:        ``hf`` loads here, through transformers; ``openai`` is hosted by its
                    makers, ``server`` is served by whoever has the weights, ``python`` runs
                    with code of its own.
    checkpoint:     the hub's name of its weights, or what an endpoint calls it; "" if neither.
    model_type:     what transformers calls its architecture; for ``hf`` only.
    papers:         protocol -> the tables of that protocol's paper.
    usages:         protocol -> prompt and parameters; a protocol that is not there is asked
                    the plain question.
    several_images: False if one question can come with one image only.
    reads_images:   False for a language model alone.
    turn:           the model's own marks around a turn of the user's, with ``{images}`` and
                    ``{text}`` in them; whoever hosts it puts them there. "" if not known.
    chat_template:  a Jinja template of its chat, where its processor comes without one and
                    the question does not go in as it is; "" elsewhere.
    needs:          why it cannot be run by name alone; "" if it can.
    """

    name: str
    title: str
    backend: str
    checkpoint: str = ""
    model_type: str = ""
    aliases: tuple[str, ...] = ()
    papers: Mapping[str, Row] = field(default_factory=dict)
    usages: Mapping[str, Usage] = field(default_factory=dict)
    several_images: bool = True
    reads_images: bool = True
    turn: str = ""
    chat_template: str = ""
    needs: str = ""
    note: str = ""

    @property
    def served(self) -> str:
        """The model's name in a request to an endpoint: its checkpoint, as servers have it."""
        return self.checkpoint or self.name

    def usage(self, protocol: str) -> Usage:
        """Prompt and parameters under a benchmark's protocol."""
        return self.usages.get(protocol, Usage())

    def asked(self, spec: str) -> str:
        """What `spec`, which begins with this preset's name, stands for.

        ``NAME:SPEC`` is SPEC with this preset's prompts and parameters; ``NAME`` alone is its
        checkpoint, loaded here or asked for at an endpoint.
        """
        _, _, other = spec.partition(":")
        return other or f"{'hf' if self.backend == 'hf' else 'openai'}:{self.served}"


def load() -> dict[str, Preset]:
    """Every preset by name, in the order of the file."""
    text = Path(__file__).with_name("presets.toml").read_text(encoding="utf-8")
    return parse(text)


def parse(text: str) -> dict[str, Preset]:
    """The presets in the text of a file like ``presets.toml``.

    Raises ValueError naming the preset and what is wrong with it.
    """
    tables = tomllib.loads(text)
    presets: dict[str, Preset] = {}
    for name, table in tables.items():
        try:
            presets[name] = _preset(name, table, presets)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"preset {name!r}: {error}") from error
    taken: set[str] = set()
    for preset in presets.values():
        for name in (preset.name, *preset.aliases):
            if name in taken:
                raise ValueError(f"preset {preset.name!r}: {name!r} is another preset's name")
            taken.add(name)
    return presets


def by_any_name(presets: Mapping[str, Preset]) -> dict[str, Preset]:
    """`presets` by their names and aliases."""
    found = dict(presets)
    found.update({alias: preset for preset in presets.values() for alias in preset.aliases})
    return found


_PARAMETERS = (
    *("temperature", "top_p", "top_k", "min_p", "typical_p", "seed", "stop", "n", "do_sample"),
    *("max_tokens", "min_tokens", "max_completion_tokens", "max_new_tokens", "min_new_tokens"),
    *("frequency_penalty", "presence_penalty", "repetition_penalty", "length_penalty"),
    *("num_beams", "num_beam_groups", "no_repeat_ngram_size", "early_stopping", "best_of"),
    *("reasoning_effort", "response_format", "extra_body", "chat_template_kwargs", "user"),
    *("logprobs", "top_logprobs", "logit_bias", "stop_token_ids", "num_ctx", "num_predict"),
)
"""Parameters that endpoints and transformers take; others are sent as they are."""


def misspelt(option: str, params: Mapping[str, Any]) -> list[str]:
    """A note on each of `params` that is nearly one that is known, and so probably none."""
    found = {name: get_close_matches(name, _PARAMETERS, 1, 0.8) for name in params}
    return [
        f"{option} {name}: did you mean {close[0]!r}? It is sent as it was written"
        for name, close in found.items()
        if close and name not in _PARAMETERS
    ]


def effective(preset: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a call: the preset's, key by key replaced by those that were given."""
    if not preset:
        return dict(given)
    replaced = set(given)
    for names in _SAME:
        if replaced & set(names):
            replaced.update(names)
    return {**{key: v for key, v in preset.items() if key not in replaced}, **given}


def cited(papers: Mapping[str, Row]) -> str:
    """Where the papers have a model, in short: ``I1-3,5 V7,8``, by the papers' initials."""
    return " ".join(f"{_INITIALS[paper]}{_spans(papers[paper].tables)}" for paper in _in(papers))


def cited_in_full(papers: Mapping[str, Row]) -> str:
    """Where the papers have a model: ``InfiMM-Eval, Tables 1-3 and 5``."""
    parts = []
    for paper in _in(papers):
        tables = papers[paper].tables
        word = "Table" if len(tables) == 1 else "Tables"
        parts.append(f"{PAPERS[paper]}, {word} {_spans(tables).replace(',', ', ')}")
    return "; ".join(parts)


def how_to_run(preset: Preset) -> str:
    """Why `preset` does not run by its name alone, and the ways in which it does; "" if it does."""
    if not preset.needs:
        return ""
    option = f"--mm-model={preset.name}"
    return (
        f"{preset.title} does not run by its name alone: {preset.needs} "
        f"With an OpenAI-compatible endpoint: {option} --mm-base-url=URL, where it is called "
        f"{preset.served}, or {option}:openai:NAME for another name. With code of your own: "
        f"{option}:python:MODULE:ATTR. Prompts and parameters are those of {preset.name} each time."
    )


_INITIALS = {"infimm-eval": "I", "mm-vet": "V"}


def _in(papers: Mapping[str, Row]) -> list[str]:
    return [paper for paper in PAPERS if paper in papers]


def _spans(numbers: Iterable[int]) -> str:
    """1, 2, 3, 5 as ``1-3,5``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    shown = [f"{s[0]}-{s[-1]}" if len(s) > 2 else ",".join(map(str, s)) for s in spans]
    return ",".join(shown)


def _preset(name: str, table: Mapping[str, Any], earlier: Mapping[str, Preset]) -> Preset:
    values = dict(table)
    papers = {paper: _row(found) for paper, found in values.pop("papers", {}).items()}
    usages = {protocol: _usage(u) for protocol, u in values.pop("prompts", {}).items()}
    other = values.pop("prompts_of", None)
    if other is not None:
        usages = {**earlier[other].usages, **usages}
    values["aliases"] = tuple(values.get("aliases", ()))
    preset = Preset(name=name, papers=papers, usages=usages, **values)
    unknown = (papers.keys() | usages.keys()) - PAPERS.keys()
    if unknown:
        raise ValueError(f"no paper is named {sorted(unknown)[0]!r}")
    if preset.backend not in BACKENDS:
        raise ValueError(f"backend is {preset.backend!r}, not one of {', '.join(BACKENDS)}")
    if (preset.backend == "hf") != bool(preset.model_type):
        raise ValueError("a preset of hf, and no other, has a model_type")
    if (preset.backend in ("server", "python")) and not preset.needs:
        raise ValueError(f"a preset of {preset.backend} says in needs what it wants")
    if preset.backend == "hf" and (preset.needs or not preset.checkpoint):
        raise ValueError("a preset of hf has a checkpoint and needs nothing else")
    return preset


def _row(table: Mapping[str, Any]) -> Row:
    return Row(table["row"], tuple(table["tables"]))


def _usage(table: Mapping[str, Any]) -> Usage:
    values = dict(table)
    params, source = values.pop("params", {}), values.pop("source")
    return Usage(Template(**values), params, source)
