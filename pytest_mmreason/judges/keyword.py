"""MM-Vet's baseline judge: keyword matching (MM-Vet, section 4.4 and Table 9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.judges.base import Ask, JudgeTask
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.verdict import Verdict


def match_keywords(reference: str, response: str) -> Verdict:
    """The fraction of the ``<AND>`` parts of `reference` found in `response`, in [0, 1].

    A part is found if any of its ``<OR>`` alternatives is a substring, in lower case and
    without outer blanks. The paper names the method but not its rule for several parts;
    the fraction is the rule that its partial grades suggest. What is blank is no part: it
    would stand in every response.
    """
    text = response.lower()
    split = [
        [o.strip() for o in part.split("<OR>") if o.strip()] for part in reference.split("<AND>")
    ]
    parts = [options for options in split if options]
    if not parts:
        return Verdict(0.0, rationale="the reference answer is blank", confidence=0.0)
    missing = [
        " or ".join(options)
        for options in parts
        if not any(option.lower() in text for option in options)
    ]
    found = len(parts) - len(missing)
    if not missing:
        return Verdict(1.0, rationale="every keyword is in the response")
    return Verdict(
        found / len(parts),
        rationale=f"{found} of {len(parts)} keywords are in the response; missing: "
        + ", ".join(map(repr, missing)),
    )


class KeywordJudge:
    """Judges by substring, offline: the baseline that a judge should beat."""

    name = "keyword"
    adapter: ModelAdapter | None = None
    max_concurrency: int | None = None
    offline = True
    cacheable = False

    def identity(self, protocol: str) -> Mapping[str, Any]:
        """The rule's version; it is the same under every protocol."""
        return {"judge": "keyword", "version": 2}

    async def judge(self, task: JudgeTask, ask: Ask) -> Verdict:
        """The fraction of keywords found, in [0, 1]; JudgeError without a reference."""
        if task.sample.answer is None:
            raise JudgeError(
                f"Sample {task.sample.id!r} has no reference answer to judge against.",
                cause="no reference",
            )
        return match_keywords(task.sample.answer, task.response)

    async def aclose(self) -> None:
        """Nothing to let go of."""
