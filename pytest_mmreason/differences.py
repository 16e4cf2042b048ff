"""In what two runs differ beside the model, so that their scores do not compare (pure)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_mmreason.compare import Differing
from pytest_mmreason.record import Record

WORDS = ("data", "judge", "judge-prompt", "prompt", "images")
"""What may differ by ``--mm-allow-different``."""

_IMAGES = ("images", "captions")
_PROMPT = ("icl", "icl_seed", "follow_up")
"""Of a run's ``settings`` in summary.json, those of each word; ``subset`` only selects."""

_NAMES_ONLY = ("package", "prompt", "grades")
"""Of how a judge judges: what may be called otherwise and be the same. A judge that changes
from one version of the package to the next has a version of its own, or its prompt a hash."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run was, as far as it is known.

    fingerprint: of the data, "" if unknown. asked: its ``settings``, empty if unknown.
    judging:     how the judge comes to its verdicts; empty if unknown, or nothing was judged.
    judge_models: what the judge's endpoint called itself.
    """

    benchmark: str
    model: str
    prompt: str
    judge: str
    fingerprint: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    judging: Mapping[str, Any] = field(default_factory=dict)
    judge_models: Sequence[str] = ()

    def named(self) -> str:
        """MODEL (PROMPT) on BENCHMARK."""
        return f"{self.model} ({self.prompt}) on {self.benchmark}"

    def to_json(self) -> dict[str, str]:
        """What ``summary.json`` holds of a baseline's run."""
        names = ("benchmark", "model", "prompt", "judge", "fingerprint")
        return {name: getattr(self, name) for name in names}


def differences(before: Facts, after: Facts) -> list[Differing]:
    """What differs between two runs by what was asked; what is unknown of one is passed over."""
    found = []
    if before.fingerprint and after.fingerprint and before.fingerprint != after.fingerprint:
        found.append(_told("data", "fingerprint", before.fingerprint, after.fingerprint))
    found += _of_judges(before, after)
    if before.prompt != after.prompt:
        found.append(_told("prompt", "--mm-prompt", before.prompt, after.prompt))
    if before.asked and after.asked:
        for word, names in (("prompt", _PROMPT), ("images", _IMAGES)):
            for name in names:
                old, new = before.asked.get(name), after.asked.get(name)
                if old != new:
                    found.append(_told(word, name, old, new))
    return found


def _of_judges(before: Facts, after: Facts) -> Iterable[Differing]:
    if before.judge != after.judge:
        yield _told("judge", "--mm-judge", before.judge, after.judge)
        return  # another judge has another prompt
    if before.judging and after.judging:
        for name in dict.fromkeys([*before.judging, *after.judging]):
            old, new = before.judging.get(name), after.judging.get(name)
            if name not in _NAMES_ONLY and old != new:
                word = "judge-prompt" if name == "prompt_sha256" else "judge"
                yield _told(word, name, old, new)
    old, new = sorted(before.judge_models), sorted(after.judge_models)
    if old and new and old != new:
        yield _told("judge", "the judge's endpoint called itself", old, new)


def differing_samples(
    before: Sequence[Record], after: Sequence[Record], found: Sequence[Differing]
) -> list[Differing]:
    """What differs between the records of two runs, where nothing `found` explains it already.

    Questions in other words, other pictures, and other weights or groups.
    """
    known = {one.what for one in found}
    earlier = {record.sample: record for record in before}
    both = [(earlier[r.sample], r) for r in after if r.sample in earlier]
    checks: Mapping[str, Sequence[tuple[str, Callable[[Record], Any]]]] = {
        "data": [
            ("belong to other rows or have other weights", _place),
            ("have other pictures", _pictures),
        ],
        "prompt": [("are asked in other words", lambda record: record.prompt_sha256)],
    }
    more = []
    for word, parts in checks.items():
        # Other data or pictures make other prompts.
        if word in known or (word == "prompt" and known & {"data", "images"}):
            continue
        for text, content in parts:
            pairs = [(content(old), content(new)) for old, new in both]
            count = sum(bool(old and new) and old != new for old, new in pairs)
            if count:
                noun = f"{count} of the {len(both)} samples of both"
                more.append(Differing(word, f"{word}: {noun} {text}"))
                known.add(word)
                break
    return more


def _place(record: Record) -> Any:
    groups = (record.category, record.complexity, record.counter_intuitive, record.weight)
    return (*groups, set(record.capabilities), set(record.tags))


def _pictures(record: Record) -> list[Any]:
    """The hashes of the pictures; none if some were not opened."""
    hashes = [image.get("sha256") for image in record.images]
    return hashes if all(hashes) else []


def refusal(found: Iterable[Differing], allowed: Iterable[str]) -> str:
    """Why two runs are not compared, and how they may be; "" if all that differs is allowed."""
    refused = [one for one in found if one.what not in set(allowed)]
    if not refused:
        return ""
    words = ",".join(dict.fromkeys(one.what for one in refused))
    what = "; ".join(one.text for one in refused)
    return f"the runs do not compare: {what}. --mm-allow-different={words} compares them anyway"


def _told(word: str, name: str, old: Any, new: Any) -> Differing:
    label = f"{word}: " if name.startswith("--") or name != word else ""
    return Differing(word, f"{label}{name} {_short(old)} before, {_short(new)} now")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
