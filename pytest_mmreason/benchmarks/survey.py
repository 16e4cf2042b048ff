"""What a benchmark holds, counted, and what a program can check of its quality.

Counts are those of InfiMM-Eval's Figure 2 and MM-Vet's capabilities and integrations. The
checks are the part of InfiMM-Eval's quality control (section 3.1) that needs no reader;
what each calls a finding is said in docs/benchmarks.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.infimm_eval import CATEGORIES, COMPLEXITIES
from pytest_mmreason.benchmarks.inspection import Inspected
from pytest_mmreason.benchmarks.likeness import clusters, words
from pytest_mmreason.benchmarks.mm_vet import CAPABILITIES_V2
from pytest_mmreason.benchmarks.tsv import SELECT
from pytest_mmreason.benchmarks.validation import reference
from pytest_mmreason.errors import BenchmarkError
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.scoring import cell_name, integration

FAULT, REMARK = "fault", "remark"

FEWEST_STEPS = {"moderate": 2, "high": 3}
"""Steps below which a sample looks too simple for its complexity. The paper gives no such rule:
76 % of its samples take three steps or more (Figure 2 (c)), and none should be answerable by a
glance (section 3.1)."""

SMALLEST_SIDE = 32
"""Pixels; in a picture whose shorter side is below, little can be seen."""

_NEARLY = 0.85
"""Likeness, as difflib has it, from which one of two words may be the other misspelt."""
_OFTEN = 5
"""How many times as many samples have the value that is probably meant."""

_WORDLESS = frozenset(["yes", "no", "true", "false", "none", "a", "b", "c", "d", "e"])
_OPTIONS = re.compile(r"^Options:$.*", re.MULTILINE | re.DOTALL)
_CHOICE = frozenset(["or", "options", "choices"])
_ALTERNATIVES = re.compile(r"<OR>")
_PARTS = re.compile(r"<AND>")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong (``fault``) or should be looked at (``remark``).

    check:   the name of the check. samples: ids that it concerns, in the benchmark's order.
    file:    the file in which to look, an image or the benchmark's own.
    """

    level: str
    check: str
    samples: tuple[str, ...]
    file: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        return {
            "level": self.level,
            "check": self.check,
            "samples": list(self.samples),
            "file": self.file,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts and findings of a benchmark.

    file:   its file of samples. counts: name -> number, or value -> number; weights are
            summed by category, and steps counts samples by how many they have.
    """

    spec: str
    name: str = ""
    version: str = ""
    license: str = ""
    protocol: str = ""
    fingerprint: str = ""
    file: str = ""
    counts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def at(self, level: str) -> list[Finding]:
        """The findings of one level."""
        return [finding for finding in self.findings if finding.level == level]

    def to_json(self) -> dict[str, Any]:
        """The survey as a JSON object; the same on every machine."""
        return {
            "benchmark": self.spec,
            "name": self.name,
            "version": self.version,
            "license": self.license,
            "protocol": self.protocol,
            "fingerprint": self.fingerprint,
            "file": self.file,
            "counts": self.counts,
            "notes": list(self.notes),
            "faults": [finding.to_json() for finding in self.at(FAULT)],
            "remarks": [finding.to_json() for finding in self.at(REMARK)],
        }


def survey(
    benchmark: Benchmark, spec: str, images: Mapping[ImageRef, Inspected] | None = None
) -> Survey:
    """Everything about `benchmark`; `images` is what was found of each of its images.

    Without `images` nothing is said of their content.
    """
    samples, file, images = benchmark.samples, benchmark.file, images or {}
    found = [
        *_empty(samples, file),
        *_images(samples, images),
        *_alike(samples, file, images),
        *_given_away(samples, file),
        *_few_steps(samples, file),
        *_misspelt(samples, file),
    ]
    unreferenced = tuple(sample.id for sample in samples if sample.answer is None)
    if unreferenced:
        text = "no reference answer: the responses are collected and not judged"
        found.append(Finding(REMARK, "unreferenced", unreferenced, file, text))
    return Survey(
        spec=spec,
        name=benchmark.name,
        version=benchmark.version,
        license=benchmark.license,
        protocol=benchmark.protocol,
        fingerprint=benchmark.fingerprint,
        file=file,
        counts=count(samples),
        notes=(*benchmark.notes, *benchmark.sample_notes.values()),
        findings=tuple(found),
    )


def unreadable(spec: str, error: BenchmarkError) -> Survey:
    """The survey of a benchmark that cannot be read: each fault of its files, which names all."""
    found = [Finding(FAULT, "unreadable", (), error.where, text) for text in error.faults]
    return Survey(spec, findings=tuple(found))


def count(samples: Sequence[Sample]) -> dict[str, Any]:
    """How many samples there are of each kind, most first where no order is given."""
    weights: defaultdict[str, float] = defaultdict(float)
    for sample in samples:
        weights[sample.category] += sample.weight
    referenced = [sample for sample in samples if sample.answer is not None]
    answers = [sample.answer or "" for sample in referenced]
    return {
        "samples": len(samples),
        "weight": sum(weights.values()),
        "referenced": len(referenced),
        "unreferenced": len(samples) - len(referenced),
        "multi_image": sum(len(sample.images) > 1 for sample in samples),
        "counter_intuitive": sum(sample.counter_intuitive for sample in samples),
        "images": len({image for sample in samples for image in sample.images}),
        "shared_images": sum(1 for _ in _sharing(samples)),
        "multi_line_answers": sum("\n" in answer for answer in answers),
        "and_answers": sum("<AND>" in answer for answer in answers),
        "or_answers": sum("<OR>" in answer for answer in answers),
        "categories": _numbers(sample.category for sample in samples),
        "complexities": _numbers(sorted((s.complexity for s in samples), key=_rank)),
        "cells": _numbers(
            cell_name(sample.category, sample.complexity)
            for sample in samples
            if sample.category and sample.complexity
        ),
        "weights": {name: weight for name, weight in weights.items() if name},
        "steps": _ordered(len(sample.steps) for sample in referenced),
        "images_per_sample": _ordered(len(sample.images) for sample in samples),
        "capabilities": _by_number(c for sample in samples for c in sample.capabilities),
        "integrations": _by_number(
            integration(sample.capabilities) for sample in samples if sample.capabilities
        ),
        "tags": _by_number(tag for sample in samples for tag in dict.fromkeys(sample.tags)),
    }


def _numbers(values: Iterable[str]) -> dict[str, int]:
    return {name: number for name, number in Counter(values).items() if name}


def _rank(complexity: str) -> int:
    """InfiMM-Eval's order; others follow as the benchmark names them."""
    return COMPLEXITIES.index(complexity) if complexity in COMPLEXITIES else len(COMPLEXITIES)


def _by_number(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _ordered(values: Iterable[int]) -> dict[str, int]:
    return {str(value): number for value, number in sorted(Counter(values).items())}


def _sharing(samples: Iterable[Sample]) -> Iterator[Sample]:
    """The samples that have no image but such as an earlier one has (18 in MM-Vet)."""
    seen: set[ImageRef] = set()
    for sample in samples:
        if sample.images and seen.issuperset(sample.images):
            yield sample
        seen.update(sample.images)


def _empty(samples: Sequence[Sample], file: str) -> Iterator[Finding]:
    """Fields that say nothing: faults where an answer cannot be judged, else remarks."""
    for sample in samples:
        if fault := reference(sample.answer):
            yield Finding(FAULT, "empty", (sample.id,), file, f"the answer {fault}")
    for name in ("category", "complexity", "capabilities", "images"):
        lacking = tuple(sample.id for sample in samples if not getattr(sample, name))
        if 0 < len(lacking) < len(samples):
            text = f"no {name.replace('_', ' ')}, which other samples have"
            yield Finding(REMARK, "empty", lacking, file, text)


def _images(samples: Sequence[Sample], images: Mapping[ImageRef, Inspected]) -> Iterator[Finding]:
    """Images that cannot be sent, are very small or large, or are kept under several names."""
    users: defaultdict[ImageRef, list[str]] = defaultdict(list)
    for sample in samples:
        for ref in dict.fromkeys(sample.images):
            users[ref].append(sample.id)
        if len(set(sample.images)) < len(sample.images):
            twice = next(ref for ref in sample.images if sample.images.count(ref) > 1)
            text = f"image {twice.path!r} is listed twice in a sample"
            yield Finding(REMARK, "repeated image", (sample.id,), twice.path, text)
    same: defaultdict[str, list[ImageRef]] = defaultdict(list)
    for ref, ids in users.items():
        known = images.get(ref)
        if known is None:
            continue
        if known.error:
            yield Finding(FAULT, "image", tuple(ids), ref.path, known.error)
        if known.sha256:
            same[known.sha256].append(ref)
        if known.size and min(known.size) < SMALLEST_SIDE:
            text = f"image {ref.path!r} has {known.size[0]} × {known.size[1]} pixels: very small"
            yield Finding(REMARK, "tiny image", tuple(ids), ref.path, text)
        if known.size and known.sent != known.size:
            size = f"{known.size[0]} × {known.size[1]} pixels, {known.bytes / 1e6:.1f} MB"
            text = f"image {ref.path!r} has {size}: a run sends it smaller"
            yield Finding(REMARK, "huge image", tuple(ids), ref.path, text)
    for refs in same.values():
        if len(refs) > 1:
            ids = list(dict.fromkeys(i for ref in refs for i in users[ref]))
            text = f"the same image under {len(refs)} names: " + ", ".join(r.path for r in refs)
            yield Finding(REMARK, "duplicate image", tuple(ids), refs[0].path, text)


def _alike(
    samples: Sequence[Sample], file: str, images: Mapping[ImageRef, Inspected]
) -> Iterator[Finding]:
    """Questions that are the same or nearly so, about the same images or about others."""

    def seen(sample: Sample) -> tuple[str, ...]:
        return tuple((images[i].sha256 if i in images else "") or i.path for i in sample.images)

    # What ends every multiple-choice question makes none of them alike.
    for cluster in clusters([sample.question.removesuffix(SELECT) for sample in samples]):
        members = [samples[number] for number in cluster.members]
        ids = tuple(member.id for member in members)
        shown = f"({cluster.likeness:.2f}): {members[0].question[:60]!r}"
        equal: defaultdict[Any, list[str]] = defaultdict(list)
        wordings: defaultdict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        for member in members:
            wording = tuple(words(member.question))
            equal[seen(member), wording].append(member.id)
            wordings[seen(member)].add(wording)
        for twins in equal.values():
            if len(twins) > 1:
                text = f"the same question about the same images: {members[0].question[:60]!r}"
                yield Finding(FAULT, "duplicate sample", tuple(twins), file, text)
        if any(len(found) > 1 for found in wordings.values()):
            text = f"nearly the same question about the same images {shown}"
            yield Finding(REMARK, "like questions", ids, file, text)
        elif len(wordings) > 1:
            nearly = "" if cluster.likeness == 1.0 else "nearly "
            text = f"{nearly}the same question about different images {shown}"
            yield Finding(REMARK, "like questions", ids, file, text)


def _given_away(samples: Sequence[Sample], file: str) -> Iterator[Finding]:
    """Answers whose words all stand, in their order and together, in the question.

    Options give nothing away, nor does a question that offers a choice.
    """
    for sample in samples:
        if not sample.answer:
            continue
        question = words(_OPTIONS.sub("", sample.question))
        if not _CHOICE.isdisjoint(question):
            continue
        for alternative in _ALTERNATIVES.split(sample.answer):
            parts = [words(part) for part in _PARTS.split(alternative)]
            if all(_tells(part) and _holds(question, part) for part in parts):
                text = f"the question gives the answer away: {alternative.strip()[:60]!r}"
                yield Finding(REMARK, "given away", (sample.id,), file, text)
                break


def _tells(answer: Sequence[str]) -> bool:
    """True if an answer is more than a yes, a letter or a number, which stand anywhere."""
    return any(len(word) > 2 and word.isalpha() and word not in _WORDLESS for word in answer)


def _holds(text: Sequence[str], part: Sequence[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(text)} "


def _misspelt(samples: Sequence[Sample], file: str) -> Iterator[Finding]:
    """Values of few samples that are nearly a word of the protocols, or one of many samples."""
    kinds: Mapping[str, tuple[Sequence[str], Callable[[Sample], Iterable[str]]]] = {
        "category": (CATEGORIES, lambda sample: filter(None, [sample.category])),
        "complexity": (COMPLEXITIES, lambda sample: filter(None, [sample.complexity])),
        "capability": (CAPABILITIES_V2, lambda sample: sample.capabilities),
        "tag": ((), lambda sample: sample.tags),
    }
    for kind, (words_of_protocol, values) in kinds.items():
        users: defaultdict[str, list[str]] = defaultdict(list)
        for sample in samples:
            for value in values(sample):
                users[value].append(sample.id)
        for value, ids in users.items():
            often = (other for other in users if len(users[other]) >= _OFTEN * len(ids))
            known = {*words_of_protocol, *often} - {value}
            folded = {name.casefold(): name for name in known}
            close = get_close_matches(value.casefold(), folded, n=1, cutoff=_NEARLY)
            close = close or [name for name in folded if _is_jumbled(value.casefold(), name)]
            if close and value not in words_of_protocol and not re.search(r"\d", value):
                text = f"{kind} {value!a} is nearly {folded[close[0]]!a}: is that meant?"
                yield Finding(REMARK, "near value", tuple(ids), file, text)


def _is_jumbled(value: str, word: str) -> bool:
    """Whether two letters of `word` have changed places in `value`."""
    return sorted(value) == sorted(word) and sum(map(str.__ne__, value, word)) == 2


def _few_steps(samples: Sequence[Sample], file: str) -> Iterator[Finding]:
    """Referenced samples with fewer steps than :data:`FEWEST_STEPS`, if any has steps."""
    if not any(sample.steps for sample in samples):
        return
    few: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for sample in samples:
        fewest = FEWEST_STEPS.get(sample.complexity, 1)
        if sample.answer is not None and len(sample.steps) < fewest:
            few[sample.complexity, len(sample.steps)].append(sample.id)
    for (complexity, number), ids in few.items():
        steps = "1 step" if number == 1 else f"{number} steps"
        text = f"{steps}, where other samples have some"
        if complexity in FEWEST_STEPS:
            fewest = FEWEST_STEPS[complexity]
            text = f"{steps}; at least {fewest} are expected of {complexity} complexity"
        yield Finding(REMARK, "few steps", tuple(ids), file, text)
