"""From the turns of a prompt to what a processor of transformers makes tensors of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.models.base import Request
from pytest_mmreason.prompting import Prompt

_QUESTION, _ANSWER = "mmreasonquestion", "mmreasonanswer"
_SYSTEM, _REST = "mmreasonsystem", "mmreasonrest"
_MEDIA = re.compile(r"image|img|boi|eoi|vision|video|audio", re.IGNORECASE)
_THINKING = re.compile(r"<think(?:ing)?>\s*\Z", re.IGNORECASE)

_Part: TypeAlias = str | None
"""Of a turn: a text, or None where an image stands."""


@dataclass(frozen=True, slots=True)
class Plain:
    """How a processor that needs no chat template takes a question and its images.

    max_images:  images that one prompt may hold.
    form:        ``beside``: the images go to the processor beside the text, which places
                 them itself; ``marked``: the text holds its image token where each stands;
                 ``woven``: texts and images come as one list.
    prefix:      what the text begins with: the name of a special token, or "".
    needs_image: True if there is no question without an image.
    """

    max_images: int | None = 1
    form: str = "beside"
    prefix: str = ""
    needs_image: bool = False


PLAIN = {
    "Blip2Processor": Plain(needs_image=True),
    "InstructBlipProcessor": Plain(needs_image=True),
    "Kosmos2Processor": Plain(),
    "FuyuProcessor": Plain(),
    "GitProcessor": Plain(prefix="cls_token"),
    "Florence2Processor": Plain(),
    "PaliGemmaProcessor": Plain(None, "marked", needs_image=True),
    "ChameleonProcessor": Plain(None, "marked"),
    "IdeficsProcessor": Plain(None, "woven"),
}
"""Processors of models that were trained on bare questions, by class."""

ALONE = frozenset(["Kosmos2Processor", "Emu3Processor"])
"""Processors of models whose batches change answers: Kosmos-2 counts padding among the places
of what it writes, Emu3 reads an image together with what pads it to the batch's largest."""


class Chat:
    """Renders requests for one checkpoint; use it from one thread at a time.

    processor: an AutoProcessor's, or a tokenizer alone.
    template:  a Jinja template in place of the checkpoint's own; None takes that.
    images:    True if images are to be sent.

    `reply_prefix` is the reasoning tag that the template opens for the model, or "": what the
    model writes does not repeat it, and belongs behind it.

    Raises UsageError, naming what to do, where neither a template nor a plain form is known.
    """

    def __init__(self, processor: Any, name: str, *, template: str | None, images: bool) -> None:
        self.processor = processor
        self.tokenizer = getattr(processor, "tokenizer", processor)
        self._name = name
        self._takes_images = hasattr(processor, "image_processor")
        self._template = template or _own_template(processor)
        self._plain = PLAIN.get(type(processor).__name__) if self._takes_images else Plain(0)
        self.max_images = None
        self.alone = type(processor).__name__ in ALONE
        self.needs_image = self._plain is not None and self._plain.needs_image
        if self.needs_image and not images:
            raise UsageError(
                f"{name} answers questions on an image only, and --mm-images=none, or captions, "
                "sends it none"
            )
        self.note = ""
        if not self._template or self._plain:
            if self._plain is None:
                raise UsageError(
                    f"{name}: its processor ({type(processor).__name__}) has no chat template, and "
                    "how the model wants its question is not known. Put chat_template.jinja into "
                    "its folder, or use a preset (--mm-list=models)"
                )
            self.max_images = self._plain.max_images
            if not self._template and not self._takes_images:
                self.note = f"{name} has no chat template: the prompt is sent as it stands"
        self._as_text = not self._takes_images
        self._strings: frozenset[str] = frozenset()
        self._has_system = self._system_sees = True
        self.reply_prefix = ""
        self._marks = _marks(processor, self.tokenizer)
        if self._takes_images:
            self._marks = (*self._marks, self._image_token)
        if self._template:
            self._try_out(images and self._takes_images)

    def encode(self, requests: Sequence[Request]) -> Any:
        """The tensors of a batch, on the CPU: padded, with the images of each request."""
        conversations = [self.conversation(request) for request in requests]
        images = [[image.pil() for image in request.images] for request in requests]
        if self._template and self._plain is None and not self._as_text:
            for conversation, found in zip(conversations, images, strict=True):
                _put_images(conversation, found)
            return self.processor.apply_chat_template(
                conversations,
                chat_template=self._template,
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True},
            )
        texts = [self.text(conversation) for conversation in conversations]
        options: dict[str, Any] = {"return_tensors": "pt", "padding": True}
        bos = getattr(self.tokenizer, "bos_token", None)
        if bos and texts[0].startswith(bos):
            options["add_special_tokens"] = False
        if not self._takes_images:
            return self.tokenizer(texts, **options)
        plain = self._plain or Plain(None, "marked")
        if plain.form == "woven":
            woven = [self._woven(t, i) for t, i in zip(texts, images, strict=True)]
            return self.processor(text=woven, return_tensors="pt", padding="longest")
        if plain.prefix:
            start = getattr(self.tokenizer, plain.prefix)
            texts = [start + text for text in texts]
            options["add_special_tokens"] = False
        if any(images):
            flat = plain.max_images == 1
            options["images"] = [found[0] for found in images] if flat else images
        return self.processor(text=texts, **options)

    def text(self, conversation: list[dict[str, Any]]) -> str:
        """The rendered prompt of one conversation."""
        if self._template:
            rendered = self.tokenizer.apply_chat_template(
                conversation,
                chat_template=self._template,
                add_generation_prompt=True,
                tokenize=False,
            )
            return str(rendered)
        plain = self._plain
        marker = self._image_token if plain is not None and plain.form != "beside" else ""
        lines = []
        for turn in conversation:
            content = turn["content"]
            parts = (
                [content]
                if isinstance(content, str)
                else [part["text"] if part["type"] == "text" else marker for part in content]
            )
            lines.append("".join(parts))
        return "\n".join(lines)

    def conversation(self, request: Request) -> list[dict[str, Any]]:
        """The prompt's turns as transformers has them; images where the turns name them."""
        turns: list[dict[str, Any]] = []
        waiting: list[_Part] = []  # of system turns that the template would not show
        for turn in _with_images(request.prompt, len(request.images)).turns:
            parts = [self._as_words(p) if isinstance(p, str) else None for p in turn.parts]
            known = self._has_system and (self._system_sees or None not in parts)
            if turn.role == "system" and not known:
                waiting += [*parts, "\n\n"]
                continue
            if turn.role == "user":
                parts, waiting = [*waiting, *parts], []
            turns.append(self._turn(turn.role, parts))
        if waiting:  # no user turn came
            turns.append(self._turn("user", waiting[:-1]))
        return turns

    def _as_words(self, text: str) -> str:
        """`text` in which no token can stand for an image: questions may speak of "<image>"."""
        # Half a surrogate pair is no text that can be encoded.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for token in self._marks:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _turn(self, role: str, parts: Sequence[_Part]) -> dict[str, Any]:
        """One turn as the template takes it; neighbouring texts are one, as some show only one."""
        if self._as_text or role in self._strings:
            marker = f"{self._image_token}\n"
            return {"role": role, "content": "".join(marker if p is None else p for p in parts)}
        content: list[dict[str, Any]] = []
        for part in parts:
            if part is None:
                content.append({"type": "image"})
            elif content and content[-1]["type"] == "text":
                content[-1]["text"] += part
            else:
                content.append({"type": "text", "text": part})
        return {"role": role, "content": content}

    @property
    def _image_token(self) -> str:
        token = getattr(self.processor, "image_token", None) or "<image>"
        return str(getattr(token, "content", token))

    def _woven(self, text: str, images: Sequence[Any]) -> list[Any]:
        pieces = text.split(self._image_token, len(images))
        for piece in pieces:
            address = piece.strip(" ")
            if "://" in address and " " not in address:
                raise ModelError(
                    f"{self._name}: its processor would fetch an image from {address[:80]!r}, "
                    "which is all the text there is; put words around the address",
                    cause="address",
                )
        woven: list[Any] = [pieces[0]] if pieces[0] else []
        for image, piece in zip(images, pieces[1:], strict=True):
            woven += [image, piece] if piece else [image]
        return woven

    def _try_out(self, images: bool) -> None:
        """Learn what the template shows: parts or plain strings, a system turn or none."""
        asked: list[_Part] = [None, _QUESTION] if images else [_QUESTION]
        trouble = ""
        for as_text in (self._as_text, True):
            self._as_text = as_text
            try:
                shown = self._shown(("user", asked))
                sees = not images or as_text or shown != self._shown(("user", [_QUESTION]))
            except Exception as error:  # a template may raise anything
                trouble = f": {type(error).__name__}: {error}"
                continue
            if _QUESTION in shown and sees:
                break
        else:
            raise UsageError(
                f"{self._name}: its chat template does not show what it is given{trouble}"
            )
        opened = _THINKING.search(shown)
        self.reply_prefix = opened.group() if opened else ""
        user = ("user", asked)
        self._learn("assistant", _ANSWER, user, ("assistant", [_ANSWER]), ("user", [_QUESTION]))
        self._has_system = self._learn("system", _SYSTEM, ("system", [_SYSTEM]), user)
        if images and self._has_system:
            self._system_sees = self._as_text or self._sees_system_images(user)

    def _learn(self, role: str, word: str, *turns: tuple[str, Sequence[_Part]]) -> bool:
        """True if the template shows `word` of a `role`'s turn: in parts, else as a string."""
        before = self._strings
        for strings in (before, before | {role}):
            self._strings = strings
            try:
                if word in self._shown(*turns):
                    return True
            except Exception:  # many templates refuse a role, or lists from it
                continue
        self._strings = before
        return False

    def _sees_system_images(self, user: tuple[str, Sequence[_Part]]) -> bool:
        """True if the template shows every image of a system turn, and the text around it."""
        if "system" in self._strings:
            return False
        try:
            one = self._shown(("system", [_SYSTEM, None, _REST]), user)
            two = self._shown(("system", [_SYSTEM, None, None, _REST]), user)
        except Exception:  # some templates refuse them
            return False
        return _SYSTEM in one and _REST in one and one != two

    def _shown(self, *turns: tuple[str, Sequence[_Part]]) -> str:
        """`turns` rendered; "" where the template writes a list as Python would."""
        shown = self.text([self._turn(role, parts) for role, parts in turns])
        return "" if "'type'" in shown else shown


def _with_images(prompt: Prompt, count: int) -> Prompt:
    """`prompt`; a ValueError if it does not name as many images as came with it."""
    if len(prompt.images) != count:
        raise ValueError(f"the prompt names {len(prompt.images)} images, and {count} came with it")
    return prompt


def _put_images(conversation: list[dict[str, Any]], images: Sequence[Any]) -> None:
    """Each image into its part of the turns; a ValueError if they have no part for one."""
    waiting = iter(images)
    for turn in conversation:
        if isinstance(turn["content"], list):
            for part in turn["content"]:
                if part["type"] == "image":
                    part["image"] = next(waiting)
    if left := len(list(waiting)):
        raise ValueError(f"the chat template has no place for {left} of {len(images)} images")


def _marks(processor: Any, tokenizer: Any) -> tuple[str, ...]:
    """The tokens that images, videos and sounds are read by, or put between, longest first.

    Found by name, since every processor has its own: among its and its tokenizer's
    attributes, and in the tokenizer's vocabulary, where some hold the only trace.
    """
    found = {t for t in tokenizer.get_added_vocab() if _MEDIA.search(t) and not t.isalnum()}
    named = {**getattr(tokenizer, "special_tokens_map", {}), **vars(processor)}
    for name, value in named.items():
        if _MEDIA.search(name):
            found.update(_tokens(name, value, tokenizer))
    return tuple(sorted((t for t in found if len(t) > 1), key=lambda t: (-len(t), t)))


def _tokens(name: str, value: Any, tokenizer: Any) -> Iterator[str]:
    """The tokens that an attribute holds, or that its ids stand for."""
    if name.endswith(("_token_id", "_token_ids")):
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int):
                yield str(tokenizer.convert_ids_to_tokens(one) or "")
    elif name.endswith(("_token", "_tag")):
        token = getattr(value, "content", value)
        if isinstance(token, str):
            yield token


def _own_template(processor: Any) -> str | None:
    """The chat template of a processor, or of its tokenizer; None if there is none."""
    for source in (processor, getattr(processor, "tokenizer", None)):
        found = getattr(source, "chat_template", None)
        if isinstance(found, dict):
            found = found.get("default")
        if found:
            return str(found)
    return None
