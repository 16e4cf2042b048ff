"""Prompt strategies: how a sample becomes the turns that a model is sent."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_mmreason.sample import IMAGE_MARK, ImageRef, Sample

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
        """The text parts, each in lines of its own."""
        text = ""
        for part in self.parts:
            if isinstance(part, str):
                apart = "" if not text or text.endswith("\n") or part.startswith("\n") else "\n"
                text += apart + part
        return text


@dataclass(frozen=True)
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

    @cached_property
    def sha256(self) -> str:
        """Hash of the rendered turns; images enter by their name here, not their bytes."""
        turns = [
            [t.role, [p if isinstance(p, str) else {"image": p.path} for p in t.parts]]
            for t in self.turns
        ]
        return hashlib.sha256(json.dumps(turns).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Template:
    """The words around a question, and the images' place among them.

    user:        the user's turn; ``{question}`` stands in it once, and ``{images}`` once in
                 it or in `system`.
    image:       what ``{images}`` is made of, an image each: ``{image}`` is the image itself,
                 ``{n}`` its number, from 1.
    system:      the system prompt; "" for none.
    bare:        the user's turn where no image is sent; None for `user` without them.
    bare_system: the system prompt there; None for `system`.

    Raises ValueError if something stands in the wrong place, or more than once.
    """

    user: str = "{images}{question}"
    image: str = "{image}"
    system: str = ""
    bare: str | None = None
    bare_system: str | None = None

    def __post_init__(self) -> None:
        bare = "{question}" if self.bare is None else self.bare
        if self.user.count("{question}") != 1 or bare.count("{question}") != 1:
            raise ValueError("user, and bare, hold {question} once")
        if (self.system + self.user).count("{images}") != 1 or "{images}" in bare:
            raise ValueError("system or user holds {images} once, and bare does not")
        if self.image.count("{image}") != 1:
            raise ValueError("image holds {image} once")
        if self.bare_system is None and "{images}" in self.system:
            raise ValueError("a system prompt with {images} wants a bare_system without")

    @property
    def place(self) -> str:
        """Where the images stand: ``before`` the question, ``after`` it, or in the ``system`` turn."""
        if "{images}" in self.system:
            return "system"
        return "before" if self.user.index("{images}") < self.user.index("{question}") else "after"


PLAIN = Template()
"""The images, then the question as it stands."""


def render(
    sample: Sample,
    strategy: str = "direct",
    images: str = "separate",
    template: Template = PLAIN,
) -> Prompt:
    """The prompt that asks `sample`'s question.

    strategy: ``direct`` asks it as it stands, ``cot`` puts COT_SENTENCE after everything.
    images:   ``separate`` sends every image, ``none`` asks the question only.
    template: the words around the question.

    The images of an interleaved question stay in their places in it, whatever the template
    says of theirs; where none is sent, the texts between them are asked, a line each.
    """
    shown = sample.images if images == "separate" else ()
    system, user = template.system, template.user
    question: tuple[str | ImageRef, ...] = (sample.question,)
    if sample.interleaved:
        question = _interleaved(sample.question, shown, template.image)
    if sample.interleaved or not shown:
        system = system if template.bare_system is None else template.bare_system
    if not shown:
        user = user if template.bare is None else template.bare
    elif sample.interleaved:
        user, shown = user.replace("{images}", ""), ()
    if strategy == "cot":
        user = f"{user}\n{COT_SENTENCE}"
    turns = [Turn("system", _filled(system, shown, template.image, ()))] if system else []
    return Prompt((*turns, Turn("user", _filled(user, shown, template.image, question))))


def _interleaved(
    question: str, images: Sequence[ImageRef], image: str
) -> tuple[str | ImageRef, ...]:
    """`question` as parts, with an image at each of its marks; texts in lines without `images`."""
    texts = [text.strip() for text in question.split(IMAGE_MARK)]
    if not images:
        return ("\n".join(filter(None, texts)),)
    parts: list[str | ImageRef] = [texts[0]]
    for number, (ref, text) in enumerate(zip(images, texts[1:], strict=True), 1):
        parts += [*_worded(image, number, ref), text]
    return tuple(parts)


def _worded(image: str, number: int, ref: ImageRef) -> tuple[str | ImageRef, ...]:
    """One image among the template's words for it."""
    before, after = image.replace("{n}", str(number)).split("{image}")
    return before, ref, after


def _filled(
    text: str, images: Iterable[ImageRef], image: str, question: Sequence[str | ImageRef]
) -> tuple[str | ImageRef, ...]:
    """`text` as parts, with images and question in their places; braces of a question stay."""
    parts: list[str | ImageRef] = []
    for piece in re.split(r"(\{images\}|\{question\})", text):
        if piece == "{images}":
            for number, shown in enumerate(images, 1):
                parts += _worded(image, number, shown)
        elif piece == "{question}":
            parts += question
        else:
            parts.append(piece)
    return _joined(parts)


def _joined(parts: Iterable[str | ImageRef]) -> tuple[str | ImageRef, ...]:
    """`parts` with neighbouring texts as one, and none that is empty but the only one."""
    joined: list[str | ImageRef] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(part for part in joined if part != "") or ("",)


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
