"""Prompt strategies: how a sample becomes the turns that a model is sent."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mmreason.sample import ImageRef, Sample

STRATEGIES = ("direct", "cot")
IMAGE_MODES = ("separate", "none")
FOLLOW_UPS = ("none", "steps")

COT_SENTENCE = "Let's think step by step."
"""Zero-shot chain of thought, appended to the question (InfiMM-Eval, section 4.2)."""

FOLLOW_UP_QUESTION = (
    "Please explain, step by step, how you reason from the images to the answer, "
    "and then state your final answer."
)
"""Asked where the first answer is not definitive, so that its steps can be judged."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: role ``system``, ``user`` or ``assistant``; parts in reading order."""

    role: str
    parts: tuple[str | ImageRef, ...]

    @property
    def text(self) -> str:
        """The text parts, a line each."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent: turns of text and images."""

    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, text: str, system: str | None = None, images: Iterable[ImageRef] = ()) -> Prompt:
        """A prompt of one user turn, images first, after a system turn if there is one."""
        user = Turn("user", (*images, text))
        return cls((Turn("system", (system,)), user) if system else (user,))

    @property
    def text(self) -> str:
        """The whole text: what an ``answer(prompt, images)`` function receives."""
        return "\n\n".join(turn.text for turn in self.turns if turn.text)

    @property
    def images(self) -> tuple[ImageRef, ...]:
        """The images in the order in which the turns name them."""
        return tuple(p for turn in self.turns for p in turn.parts if isinstance(p, ImageRef))

    @property
    def sha256(self) -> str:
        """Hash of the rendered turns; images enter by their name here, not their bytes."""
        turns = [
            [t.role, [p if isinstance(p, str) else {"image": p.path} for p in t.parts]]
            for t in self.turns
        ]
        return hashlib.sha256(json.dumps(turns).encode()).hexdigest()


def render(sample: Sample, strategy: str = "direct", images: str = "separate") -> Prompt:
    """The prompt that asks `sample`'s question: its images first, then the text.

    strategy: ``direct`` asks the question as it stands, ``cot`` appends COT_SENTENCE.
    images:   ``separate`` sends every image, ``none`` asks the question only.
    """
    text = f"{sample.question}\n{COT_SENTENCE}" if strategy == "cot" else sample.question
    shown = sample.images if images == "separate" else ()
    return Prompt((Turn("user", (*shown, text)),))


def follow_up(prompt: Prompt, answer: str) -> Prompt:
    """`prompt`, the model's first answer, and the request for its reasoning steps."""
    return Prompt(
        (*prompt.turns, Turn("assistant", (answer,)), Turn("user", (FOLLOW_UP_QUESTION,)))
    )


_UNDECIDED = re.compile(
    r"\b(?:can(?:no|')t (?:be )?(?:tell|say|see|determined?|answer|decide|identify|provide)"
    r"|cannot|unable to|not (?:sure|certain|clear|possible to|able to|enough)|unclear|uncertain"
    r"|impossible to|(?:do not|don't) know|no idea|insufficient|it depends|hard to (?:tell|say)"
    r"|(?:i am|i'm) sorry|i apologi[sz]e|either .{1,60} or\b)",
    re.IGNORECASE,
)


def is_definitive(answer: str) -> bool:
    """True if `answer` commits itself: it is not blank, and neither hedges nor declines."""
    text = answer.replace("\u2019", "'")
    return bool(text.strip()) and not _UNDECIDED.search(text)
