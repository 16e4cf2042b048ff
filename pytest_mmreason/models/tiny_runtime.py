"""The arithmetic of ``tiny``: prompt to ids, image to pixels, greedy decoding.

Follows, step for step, what transformers does with the same folder: the chat template,
the image processor, ``generate``. Imported when the first answer is needed, because
onnxruntime and numpy come with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from PIL import Image
from tokenizers import Tokenizer

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.models.tiny import check_params, limit_of
from pytest_mmreason.prompting import Turn

if TYPE_CHECKING:
    from pytest_mmreason.models.tiny import Checkpoint

THREADS = 1
"""The matrices are so small that a second thread costs more than it brings."""

PREFILL = 512
"""Tokens read in one pass, because attention's memory grows with their square."""

_SPEAKERS = {"system": "SYSTEM: ", "user": "USER: "}
_ENDINGS = {"system": "\n", "user": " "}


class Mark(Enum):
    """What stands in a prompt beside text."""

    IMAGE = "an image"
    END = "the end of an answer"


def pieces(turns: Sequence[Turn]) -> Iterator[str | Mark]:
    """The prompt as the checkpoint's chat template writes it, up to the next answer."""
    text = ""
    for turn in turns:
        text += _SPEAKERS.get(turn.role, "ASSISTANT: ")
        for part in turn.parts:
            if isinstance(part, str):
                text += part
            else:
                yield text
                yield Mark.IMAGE
                text = "\n"
        if turn.role in _ENDINGS:
            text += _ENDINGS[turn.role]
        else:
            yield text
            yield Mark.END
            text = ""
    yield f"{text}ASSISTANT:"


@dataclass(slots=True)
class Task:
    """One request under way.

    ids:    the token ids of its prompt.
    pixels: its images, float32 [3, height, width] each.
    limit:  the most tokens that its answer may have.
    answer: the tokens of its answer so far; ended: the model ended it itself.
    """

    ids: list[int]
    pixels: list[Any]
    limit: int
    answer: list[int] = field(default_factory=list)
    ended: bool = False


class Runtime:
    """The graphs and the tokenizer, loaded.

    closing: set it, and whoever decodes stops at the next token with a ModelError.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.closing = False
        manifest = checkpoint.manifest
        # Links are followed: onnxruntime looks for the weights beside the graph.
        folder = (checkpoint.folder / "decoder.onnx").resolve().parent
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # A question may hold "<image>" or "</s>": they are text there, not marks.
        self._tokenizer.encode_special_tokens = True
        self._vision = _session(folder / "vision.onnx")
        self._decoder = _session(folder / "decoder.onnx")
        self._past = {i.name: i.shape for i in self._decoder.get_inputs() if "past" in i.name}
        self._image: dict[str, Any] = manifest["image"]
        self._marks: dict[Mark, list[int]] = {
            Mark.IMAGE: [manifest["image_token"]] * manifest["image_tokens"],
            Mark.END: manifest["end_tokens"][:1],
        }
        self._image_token: int = manifest["image_token"]
        self._ends = frozenset(manifest["end_tokens"])
        self._pad: int = manifest["pad_token"]
        self._context: int = manifest["context"]
        self._max_new_tokens: int = manifest["max_new_tokens"]

    def prepare(self, requests: Sequence[Request]) -> list[Task | ModelError]:
        """Each request as a task, or why it cannot be asked."""
        found: list[Task | ModelError] = []
        for request in requests:
            try:
                found.append(self._task(request))
            except ModelError as error:
                found.append(error)
        return found

    def answer(self, tasks: Sequence[Task]) -> list[Response]:
        """Answers to `tasks`, decoded side by side."""
        if not tasks:
            return []
        self._decode(tasks, self._see([pixels for task in tasks for pixels in task.pixels]))
        return [self._response(task) for task in tasks]

    def ids(self, turns: Sequence[Turn]) -> list[int]:
        """The token ids of a prompt; an image takes as many as it has features."""
        found: list[int] = []
        for piece in pieces(turns):
            if isinstance(piece, Mark):
                found += self._marks[piece]
            else:
                # Half a surrogate pair is no text that can be encoded.
                whole = piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
                found += self._tokenizer.encode(whole, add_special_tokens=False).ids
        return found

    def pixels(self, image: Image.Image) -> Any:
        """float32 [3, height, width] of an RGB image, as CLIPImageProcessorPil makes it."""
        settings = self._image
        small = image.resize(tuple(settings["size"]), Image.Resampling(settings["resample"]))
        # In double precision up to here, like there: single differs in the last bit.
        values = (np.asarray(small).astype(np.float64) * settings["scale"]).astype(np.float32)
        mean, std = (np.asarray(settings[key], np.float32) for key in ("mean", "std"))
        return ((values - mean) / std).transpose(2, 0, 1)

    def _task(self, request: Request) -> Task:
        try:
            check_params(request.params)
        except UsageError as error:
            raise ModelError(str(error), cause="parameter") from None
        expected = len(request.prompt.images)
        if len(request.images) != expected:
            raise ModelError(
                f"tiny: the prompt shows {expected} images and {len(request.images)} came with it",
                cause="images",
            )
        ids = self.ids(request.prompt.turns)
        room = self._context - len(ids)
        if room < 1:
            shown = f" ({expected} images take {expected * len(self._marks[Mark.IMAGE])})"
            raise ModelError(
                f"tiny: the prompt has {len(ids)} tokens{shown if expected else ''}, its context "
                f"holds {self._context}; ask less at once",
                cause="too long",
            )
        limit = min(room, limit_of(request.params, self._max_new_tokens))
        return Task(ids, [self.pixels(image.pil()) for image in request.images], limit)

    def _see(self, images: Sequence[Any]) -> Any:
        """Features float32 [images * tokens, width], in the images' order."""
        if not images:
            return np.zeros((0, self._width), np.float32)
        features = self._vision.run(None, {"pixel_values": np.stack(images)})[0]
        return features.reshape(-1, self._width)

    @property
    def _width(self) -> int:
        width: int = self._vision.get_outputs()[0].shape[-1]
        return width

    def _decode(self, tasks: Sequence[Task], features: Any) -> None:
        """Fill in the answers, token by token; who has ended leaves the batch."""
        longest = max(len(task.ids) for task in tasks)
        ids = np.array([[self._pad] * (longest - len(t.ids)) + t.ids for t in tasks], np.int64)
        mask = np.array([[0] * (longest - len(t.ids)) + [1] * len(t.ids) for t in tasks], np.int64)
        places = np.maximum(mask.cumsum(axis=1) - 1, 0)
        images = np.argwhere(ids == self._image_token)
        past = {
            name: np.zeros((len(tasks), shape[1], 0, shape[3]), np.float32)
            for name, shape in self._past.items()
        }
        nothing = (features[:0], images[:0])
        for start in range(0, longest, PREFILL):
            end = start + PREFILL
            here = (images[:, 1] >= start) & (images[:, 1] < end)
            shown = (features[here], images[here] - [0, start])
            logits, past = self._pass(
                ids[:, start:end], places[:, start:end], mask[:, :end], shown, past
            )
        running = list(tasks)
        place = places[:, -1:]
        while True:
            if self.closing:
                raise ModelError("tiny: the session is over", cause="closed")
            chosen = logits.argmax(axis=-1)
            for task, token in zip(running, chosen.tolist(), strict=True):
                task.ended = token in self._ends
                task.answer += [] if task.ended else [token]
            going = np.array([not t.ended and len(t.answer) < t.limit for t in running])
            if not going.any():
                return
            if not going.all():
                running = [task for task, on in zip(running, going, strict=True) if on]
                chosen, mask, place = chosen[going], mask[going], place[going]
                past = {name: value[going] for name, value in past.items()}
            mask = np.concatenate([mask, np.ones((len(running), 1), np.int64)], axis=1)
            place = place + 1
            logits, past = self._pass(chosen[:, None], place, mask, nothing, past)

    def _pass(
        self, ids: Any, places: Any, mask: Any, shown: tuple[Any, Any], past: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Logits [B, V] after the last of `ids`, and the keys and values with theirs added."""
        feeds = {
            "input_ids": ids,
            "position_ids": places,
            "attention_mask": mask,
            "image_features": shown[0],
            "image_places": shown[1],
            **past,
        }
        logits, *present = self._decoder.run(None, feeds)
        return logits, dict(zip(self._past, present, strict=True))

    def _response(self, task: Task) -> Response:
        text = self._tokenizer.decode(task.answer, skip_special_tokens=True)
        usage = {
            "prompt_tokens": len(task.ids),
            "completion_tokens": len(task.answer) + task.ended,
        }
        return Response(text.strip(), "stop" if task.ended else "length", usage)


def _session(path: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors, which are raised as well
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
