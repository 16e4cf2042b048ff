"""``hf:REPO_OR_DIR``: a checkpoint that transformers loads, on this machine's CPU or GPUs."""

from __future__ import annotations

import copy
import inspect
import json
import queue
import threading
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import CallError, ModelError, runs_out_of_memory
from pytest_mmreason.models import checkpoint
from pytest_mmreason.models.base import Request, Response, generate_alone
from pytest_mmreason.models.chat import Chat
from pytest_mmreason.models.decoding import (
    Decoding,
    check_parameters,
    cut,
    cut_text,
    decoding_for,
    limit_of,
    new_tokens,
    samples,
    sanitise,
    stops_when,
)
from pytest_mmreason.models.function import Caller
from pytest_mmreason.models.loading import (
    auto_class,
    choose_devices,
    choose_dtype,
    is_encoder_decoder,
    load_config,
    load_processor,
    load_weights,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch ready to be computed: its requests, and their tensors on the CPU."""

    requests: Sequence[Request]
    tensors: Any


class HFModel:
    """A local checkpoint, asked in the engine's batches.

    source:     a folder, a repository on the hub, or REPOSITORY@REVISION.
    name:       what messages call it; None for ``hf:SOURCE``, without the folders above it.
    base:       where a relative folder starts.
    device:     ``auto`` (every CUDA device, else MPS, else the CPU), ``cpu``, ``cuda``,
                ``cuda:N`` or ``mps``.
    dtype:      ``auto`` (the checkpoint's on a GPU, float32 on the CPU), ``float32``,
                ``float16`` or ``bfloat16``.
    batch_size: requests in a batch; None lets the engine find out.
    images:     False where no image is sent; then a text-only model will do.
    params:     the run's generation parameters, to be checked before the samples.
    seed:       of random choices, unless the parameters name one.
    chat_template: a Jinja template over ``messages`` in place of the checkpoint's own.
    max_images: the most images that one prompt may hold; None takes what the class is known for.

    Made, it has read configuration and processor, and no weights: :meth:`load` loads these
    at the first request that the cache cannot answer. Raises UsageError for all that can be
    known before: a missing folder or file, an unknown architecture, a processor without a
    chat template, an absent device, an unknown parameter.
    """

    libraries = ("transformers", "torch", "huggingface_hub")
    """Whose warnings are nobody's here: under a user's filter ``error`` they would end samples."""

    wants_images = True
    offline = False
    cacheable = True
    max_concurrency: int | None = None

    def __init__(
        self,
        source: str,
        *,
        name: str | None = None,
        base: Path = Path(),
        device: str = "auto",
        dtype: str = "auto",
        batch_size: int | None = None,
        trust_remote_code: bool = False,
        images: bool = True,
        params: Mapping[str, Any] | None = None,
        seed: int = 0,
        chat_template: str | None = None,
        max_images: int | None = None,
    ) -> None:
        folder = Path(source)
        self.name = name or f"hf:{folder.name if folder.is_absolute() else source}"
        self._seed = seed
        self._trust = trust_remote_code
        checkpoint.require_libraries(self.name)
        self._checkpoint = found = checkpoint.find(source, self.name, base)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the libraries' own, while they are imported
            config = load_config(found, self.name, trust=trust_remote_code)
            self._class = auto_class(
                found, config, self.name, trust=trust_remote_code, images=images
            )
            self._devices = choose_devices(device)
            self._dtype = choose_dtype(dtype, self._devices[0], config)
            check_parameters(params or {}, self.name)
            processor = load_processor(
                found, config, self.name, self._class, trust=trust_remote_code
            )
            self._chat = Chat(processor, self.name, template=chat_template, images=images)
            # Tokenizers bear one caller at a time; answers are read while prompts are written.
            self._decoder = copy.deepcopy(self._chat.tokenizer)
        self.batch_size = 1 if self._chat.alone else batch_size
        self._has_decoder = is_encoder_decoder(config)
        self._context = getattr(
            config.get_text_config(decoder=True), "max_position_embeddings", None
        )
        self._max_images = max_images if max_images is not None else self._chat.max_images
        self.replicas = len(self._devices)
        self.notes: list[str] = [self._chat.note] if self._chat.note else []
        if trust_remote_code and found.code:
            self.notes.append(f"{self.name} runs code that came with it (--mm-trust-remote-code)")
        self.identity: Mapping[str, Any] = {
            "kind": "hf",
            "adapter": 2,
            **found.identity,
            "dtype": self._dtype,
            "chat_template": chat_template,
            # Code may sit in a processor's files or in custom_generate/ too.
            **({"own_code": True} if trust_remote_code else {}),
            **({"seed": seed} if samples(params or {}) else {}),
        }
        self._closing = threading.Event()
        self._idle: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._is_loaded = False
        self._loading, self._preparing = threading.Lock(), threading.Lock()
        self._loader, self._encoder = Caller(self._load), Caller(self._encode)
        self._computer = Caller(self._generate)

    @property
    def detail(self) -> str:
        """Commit, devices and number format, for the summary's model line."""
        devices = self._devices[0] if self.replicas == 1 else f"{self.replicas} × cuda"
        commit = self._checkpoint.revision
        return " · ".join([*([commit[:7]] if commit else []), devices, self._dtype])

    def shape_of(self, request: Request) -> Hashable:
        """As many images, the same parameters."""
        params = json.dumps(dict(request.params), sort_keys=True, default=str)
        return len(request.images), params

    async def load(self) -> None:
        """Load the weights onto every device, once. ModelError (fatal) where that fails."""
        if not self._is_loaded:
            await self._loader.call()

    async def prepare_batch(self, requests: Sequence[Request]) -> Prepared:
        """Images opened and resized, texts rendered and tokenized, all padded to one shape.

        Raises ModelError where a prompt holds more images than the model takes, or none
        where it needs one.
        """
        most = self._max_images
        for request in requests:
            if self._chat.needs_image and not request.images:
                raise ModelError(
                    f"{self.name} answers questions on an image only, and this sample has none",
                    cause="no image",
                )
            if most is not None and len(request.images) > most:
                raise ModelError(
                    f"{self.name} takes {'one image' if most == 1 else f'{most} images'} at a time, "
                    f"and this sample's prompt has {len(request.images)}. --mm-images=concat joins "
                    "the images of a sample; or ask a model that takes several, or let "
                    "--mm-max-errors bear such samples: they are left out of the means",
                    cause="too many images",
                )
        return Prepared(requests, await self._encoder.call(requests))

    async def generate_batch(self, prepared: Prepared) -> Sequence[Response | CallError]:
        """The answers; MemoryError where the device's memory ran out."""
        outcomes: list[Response | CallError] = await self._computer.call(prepared)
        return outcomes

    async def generate(self, request: Request) -> Response:
        """One request alone: a batch of one."""
        return await generate_alone(self, request)

    async def aclose(self) -> None:
        """End what still computes at its next token, and let go of the threads."""
        self._closing.set()
        for caller in (self._loader, self._encoder, self._computer):
            await caller.aclose()

    def _load(self) -> None:
        """In a thread; who comes second waits, and finds it done."""
        with self._loading:
            for device in [] if self._is_loaded else self._devices:
                model, note = load_weights(
                    self._checkpoint,
                    self._class,
                    self.name,
                    device=device,
                    dtype=self._dtype,
                    trust=self._trust,
                )
                sanitise(model.generation_config)
                if note and note not in self.notes:
                    self.notes.append(note)
                self._idle.put(model)
            self._is_loaded = True

    def _encode(self, requests: Sequence[Request]) -> Any:
        """In a thread, one batch after another: fast tokenizers bear one caller at a time."""
        with self._preparing:
            return self._chat.encode(requests)

    def _generate(self, prepared: Prepared) -> list[Response | CallError]:
        """In a thread: one batch, on a replica that is free."""
        model = self._idle.get()
        try:
            return self._generate_on(model, prepared)
        except Exception as error:
            if not runs_out_of_memory(error):
                raise
            message = str(error)
        finally:
            self._idle.put(model)
        # Out here nothing holds the tensors of the failed batch any more.
        _free_memory()
        raise MemoryError(message)

    def _generate_on(self, model: Any, prepared: Prepared) -> list[Response | CallError]:
        """The batch at once, or in parts where the context holds less of some answers.

        The room of the longest prompt would cut the others, and the room of the shortest
        would lead the longest out of the context.
        """
        requests = prepared.requests
        lengths = _prompt_lengths(prepared)
        wanted = limit_of(requests[0], model.generation_config)
        limits = [self._limit(length, wanted) for length in lengths]
        if len(set(limits)) == 1 and limits[0] > 0:
            return list(self._generate_part(model, prepared, lengths, limits[0]))
        outcomes: list[Response | CallError] = [self._too_long(length) for length in lengths]
        for limit in sorted({limit for limit in limits if limit > 0}, reverse=True):
            rows = [row for row, own in enumerate(limits) if own == limit]
            few = [requests[row] for row in rows]
            # Tensors of images have no rows to take out: these requests are encoded anew.
            part = Prepared(few, self._encode(few))
            found = self._generate_part(model, part, [lengths[row] for row in rows], limit)
            for row, outcome in zip(rows, found, strict=True):
                outcomes[row] = outcome
        return outcomes

    def _generate_part(
        self, model: Any, prepared: Prepared, lengths: Sequence[int], limit: int
    ) -> list[Response]:
        """Requests that may all have `limit` new tokens. lengths: tokens of each one's prompt."""
        import torch

        inputs = _accepted(model, _moved(dict(prepared.tensors), model.device, model.dtype))
        decoding = decoding_for(
            prepared.requests,
            model.generation_config,
            self._decoder,
            room=limit,
            seed=self._seed,
            device=str(model.device),
        )
        with torch.inference_mode():
            output = model.generate(
                **inputs,
                generation_config=decoding.config,
                logits_processor=decoding.processors,
                stopping_criteria=stops_when(self._closing),
                **({"tokenizer": self._decoder} if decoding.stop_strings else {}),
            )
        if self._closing.is_set():
            raise ModelError(f"{self.name}: the session is over", cause="closed")
        rows = new_tokens(output, inputs.get("input_ids"), is_encoder_decoder=self._has_decoder)
        return [self._response(*pair, decoding) for pair in zip(rows, lengths, strict=True)]

    def _limit(self, length: int, wanted: int) -> int:
        """As many of `wanted` new tokens as the context has room for behind a prompt."""
        if self._has_decoder or not self._context:
            return wanted
        return min(wanted, int(self._context) - length)

    def _too_long(self, length: int) -> ModelError:
        return ModelError(
            f"{self.name}: the prompt takes {length} tokens, images and all, and the model's "
            f"context holds {self._context}. Send fewer or smaller images, or fewer examples",
            cause="prompt too long",
        )

    def _response(self, row: list[int], prompt_tokens: int, decoding: Decoding) -> Response:
        tokens, ended = cut(row, decoding.ends, decoding.config.pad_token_id)
        text = str(self._decoder.decode(tokens, skip_special_tokens=True))
        text, stopped = cut_text(text, decoding.stop_strings)
        return Response(
            (self._chat.reply_prefix + text).strip(),
            "stop" if ended or stopped or len(tokens) < decoding.limit else "length",
            {"prompt_tokens": prompt_tokens, "completion_tokens": len(tokens)},
            self.name,
        )


def _prompt_lengths(prepared: Prepared) -> list[int]:
    """Tokens of each request's prompt, without what pads it to its batch's longest."""
    mask, prompt = (prepared.tensors.get(key) for key in ("attention_mask", "input_ids"))
    if mask is not None:
        return [int(length) for length in mask.sum(-1).tolist()]
    return [0 if prompt is None else int(prompt.shape[1])] * len(prepared.requests)


def _moved(value: Any, device: Any, dtype: Any) -> Any:
    """`value` with every tensor in it on `device`, and its fractions as `dtype`."""
    if isinstance(value, dict):
        return {key: _moved(inner, device, dtype) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(inner, device, dtype) for inner in value)
    if not hasattr(value, "is_floating_point"):
        return value
    return value.to(device, dtype) if value.is_floating_point() else value.to(device)


def _accepted(model: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """`inputs` without what generate would refuse: tokenizers also return what models ignore."""
    taken: set[str] = set()
    for method in (model.generate, model.forward, model.prepare_inputs_for_generation):
        taken |= set(inspect.signature(method).parameters)
    return {name: value for name, value in inputs.items() if name in taken}


def _free_memory() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
