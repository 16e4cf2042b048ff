"""From the turns of a prompt to what a processor of transformers makes tensors of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.base import Request
from pytest_mmreason.prompting import Prompt

_QUESTION, _SYSTEM = "mmreasonquestion", "mmreasonsystem"


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
                f"{name} answers questions on an image only; leave --mm-images=none out"
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
        self._has_system = True
        if self._template:
            self._try_out(images and self._takes_images)

    def encode(self, requests: Sequence[Request]) -> Any:
        """The tensors of a batch, on the CPU: padded, with the images of each request."""
        conversations = [self.conversation(request) for request in requests]
        images = [[image.pil() for image in request.images] for request in requests]
        if self._template and self._takes_images and self._plain is None:
            for conversation, found in zip(conversations, images, strict=True):
                _put_images(conversation, found)
            if not self._as_text:
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
        pending = ""
        for turn in _with_images(request.prompt, len(request.images)).turns:
            if turn.role == "system" and not self._has_system:
                pending += f"{self._as_words(turn.text)}\n\n"
                continue
            content: list[dict[str, Any]] = []
            for part in turn.parts:
                if not isinstance(part, str):
                    content.append({"type": "image"})
                else:
                    part = self._as_words(part)
                    text = pending + part if turn.role == "user" else part
                    pending = "" if turn.role == "user" else pending
                    content.append({"type": "text", "text": text})
            turns.append({"role": turn.role, "content": self._content(content)})
        return turns

    def _as_words(self, text: str) -> str:
        """`text` in which no token can stand for an image: questions may speak of "<image>"."""
        for name in ("image_token", "video_token", "audio_token"):
            found = getattr(self.processor, name, None)
            token = str(getattr(found, "content", found) or "")
            if token and token in text:
                text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _content(self, parts: list[dict[str, Any]]) -> Any:
        if not self._as_text:
            return parts
        return "".join(
            part["text"] if part["type"] == "text" else f"{self._image_token}\n" for part in parts
        )

    @property
    def _image_token(self) -> str:
        token = getattr(self.processor, "image_token", None) or "<image>"
        return str(getattr(token, "content", token))

    def _woven(self, text: str, images: Sequence[Any]) -> list[Any]:
        pieces = text.split(self._image_token, len(images))
        woven: list[Any] = [pieces[0]] if pieces[0] else []
        for image, piece in zip(images, pieces[1:], strict=True):
            woven += [image, piece] if piece else [image]
        return woven

    def _try_out(self, images: bool) -> None:
        """Learn what the template shows: parts or plain strings, a system turn or none."""
        parts = [{"type": "text", "text": _QUESTION}]
        if images:
            parts.insert(0, {"type": "image"})
        trouble = ""
        for as_text in (self._as_text, True):
            self._as_text = as_text
            user = {"role": "user", "content": self._content(parts)}
            try:
                shown = self.text([user])
            except Exception as error:  # a template may raise anything
                trouble = f": {type(error).__name__}: {error}"
                continue
            sees = (
                not images
                or as_text
                or shown != self.text([{"role": "user", "content": self._content(parts[1:])}])
            )
            if _QUESTION in shown and "'type'" not in shown and sees:
                break
        else:
            raise UsageError(
                f"{self._name}: its chat template does not show what it is given{trouble}"
            )
        system = {"role": "system", "content": self._content([{"type": "text", "text": _SYSTEM}])}
        try:
            self._has_system = _SYSTEM in self.text([system, user])
        except Exception:  # many templates refuse the role
            self._has_system = False


def _with_images(prompt: Prompt, count: int) -> Prompt:
    """`prompt`; a ValueError if it does not name as many images as came with it."""
    if len(prompt.images) != count:
        raise ValueError(f"the prompt names {len(prompt.images)} images, and {count} came with it")
    return prompt


def _put_images(conversation: list[dict[str, Any]], images: Sequence[Any]) -> None:
    waiting = iter(images)
    for turn in conversation:
        if isinstance(turn["content"], list):
            for part in turn["content"]:
                if part["type"] == "image":
                    part["image"] = next(waiting)


def _own_template(processor: Any) -> str | None:
    """The chat template of a processor, or of its tokenizer; None if there is none."""
    for source in (processor, getattr(processor, "tokenizer", None)):
        found = getattr(source, "chat_template", None)
        if isinstance(found, dict):
            found = found.get("default")
        if found:
            return str(found)
    return None
