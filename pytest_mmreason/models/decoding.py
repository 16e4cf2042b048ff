"""How a local model decodes: from ``--mm-param`` to what transformers' generate takes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.errors import UsageError, nearest
from pytest_mmreason.models.base import Request

MAX_NEW_TOKENS = 512
"""Where neither ``--mm-param`` nor the checkpoint's generation_config says how many."""

ALIASES = {
    "max_tokens": "max_new_tokens",
    "max_completion_tokens": "max_new_tokens",
    "stop": "stop_strings",
}
"""Names of OpenAI's API, so that a run may change its backend and keep its parameters."""

SAMPLING = ("temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")

_NOT_OURS = frozenset(
    [
        # What the adapter decides, and what would change the form of the output.
        *("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "is_assistant"),
        *("num_return_sequences", "output_attentions", "output_hidden_states", "output_logits"),
        *("output_scores", "return_dict_in_generate", "max_time", "transformers_version"),
        *("continuous_batching_config", "watermarking_config", "max_length", "min_length"),
    ]
)


def known_parameters() -> list[str]:
    """Every name that ``--mm-param`` may use for a local model."""
    from transformers import GenerationConfig

    names = {name for name in vars(GenerationConfig()) if not name.startswith("_")}
    return sorted((names - _NOT_OURS) | set(ALIASES) | {"seed"})


def check_parameters(params: Mapping[str, Any], name: str) -> None:
    """UsageError naming the first parameter that generate does not take, or its bad value."""
    from transformers import GenerationConfig

    known = known_parameters()
    for key in params:
        if key not in known:
            raise UsageError(
                f"--mm-param {key}: no generation parameter of {name}. {nearest(key, known)}"
            )
    values = _renamed(params)
    for key, kind, low in (
        ("max_new_tokens", int, 1),
        ("num_beams", int, 1),
        ("seed", int, 0),
        ("top_k", int, 0),
        ("temperature", (int, float), 0),
        ("top_p", (int, float), 0),
    ):
        value = values.get(key)
        wrong = value is not None and (not isinstance(value, kind) or isinstance(value, bool))
        if wrong or (value is not None and value < low):
            what = "a number" if isinstance(kind, tuple) else "a whole number"
            raise UsageError(f"--mm-param {key}={value}: {what} of at least {low} is needed")
    random = samples(values)
    # Told to a greedy search, transformers warns of what sampling alone would read.
    left_out = {"seed", "do_sample", *(() if random else SAMPLING)}
    checked = {
        k: v for k, v in values.items() if k not in left_out and (k, v) != ("temperature", 0)
    }
    try:
        GenerationConfig(do_sample=random, **checked).validate()
    except (ValueError, TypeError) as error:
        raise UsageError(f"--mm-param: {name} refuses them: {error}") from None


def samples(params: Mapping[str, Any]) -> bool:
    """True if `params` ask for random choices; greedy search is the default.

    ``temperature=0`` is greedy, as everywhere; ``do_sample`` wins where it is given.
    """
    if params.get("do_sample") is not None:
        return bool(params["do_sample"])
    if params.get("temperature") is not None:
        return float(params["temperature"]) > 0
    return any(params.get(name) is not None for name in SAMPLING[1:])


def _renamed(params: Mapping[str, Any]) -> dict[str, Any]:
    values = {ALIASES.get(key, key): value for key, value in params.items()}
    if isinstance(values.get("stop_strings"), str):
        values["stop_strings"] = [values["stop_strings"]]
    return values


@dataclass(frozen=True, slots=True)
class Decoding:
    """What one batch passes to generate, and what its output is read by.

    config:  the generation config, whole.
    limit:   the most new tokens.
    ends:    the tokens that end an answer.
    """

    config: Any
    limit: int
    ends: frozenset[int]
    stop_strings: tuple[str, ...]
    processors: Any


def decoding_for(
    requests: Sequence[Request],
    base: Any,
    tokenizer: Any,
    *,
    room: int | None,
    seed: int,
    device: str,
) -> Decoding:
    """How to decode a batch of requests with equal parameters.

    base: the model's own generation config. room: new tokens that the context still holds.
    seed: of every random choice, unless the parameters name one.
    """
    from copy import deepcopy

    from transformers import LogitsProcessorList

    values = _renamed(requests[0].params)
    own_seed = values.pop("seed", None)
    seed = seed if own_seed is None else own_seed
    config = deepcopy(base)
    limit = values.pop("max_new_tokens", None) or config.max_new_tokens or MAX_NEW_TOKENS
    limit = min(limit, room) if room is not None else limit
    config.max_new_tokens, config.max_length, config.max_time = limit, None, None
    ends = _ends(base, tokenizer)
    config.eos_token_id = sorted(ends) or None
    if config.pad_token_id is None:
        config.pad_token_id = tokenizer.pad_token_id
        if config.pad_token_id is None and ends:
            config.pad_token_id = min(ends)
    random = samples(values)
    own = {name: values.pop(name, None) for name in SAMPLING}
    if random and own["temperature"] == 0:
        own["temperature"] = None
    values.pop("do_sample", None)
    for key, value in values.items():
        setattr(config, key, value)
    by_row = random and not (config.num_beams or 1) > 1
    for name in SAMPLING:
        asked = own[name] if own[name] is not None else getattr(config, name)
        own[name] = asked
        setattr(config, name, None if by_row or not random else asked)
    config.do_sample = random and not by_row
    processors = None
    if by_row:
        seeds = [_row_seed(request, seed) for request in requests]
        processors = LogitsProcessorList([*_warpers(own, device), _row_noise(seeds)])
    stops = tuple(config.stop_strings or ())
    return Decoding(config, limit, ends, stops, processors)


def _ends(base: Any, tokenizer: Any) -> frozenset[int]:
    """A chat model's turn often ends by the tokenizer's token, its text by the config's."""
    ends: list[Any] = []
    for found in (base.eos_token_id, getattr(tokenizer, "eos_token_id", None)):
        ends += found if isinstance(found, (list, tuple)) else [found]
    return frozenset(int(end) for end in ends if end is not None)


def _row_seed(request: Request, seed: int) -> int:
    """A seed of the request's own: what is drawn for it must not depend on its batch."""
    parts = (seed, request.benchmark, request.sample, request.repeat, request.prompt.sha256)
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big") >> 1


def _warpers(values: Mapping[str, Any], device: str) -> list[Any]:
    """What transformers would put before its random choice, in its order and with its defaults."""
    from transformers.generation import logits_process as made

    warpers: list[Any] = []
    if values["temperature"] is not None and values["temperature"] != 1:
        warpers.append(made.TemperatureLogitsWarper(float(values["temperature"])))
    top_k = 50 if values["top_k"] is None else values["top_k"]
    if top_k:
        warpers.append(made.TopKLogitsWarper(int(top_k)))
    if values["top_p"] is not None and values["top_p"] < 1:
        warpers.append(made.TopPLogitsWarper(float(values["top_p"])))
    if values["min_p"] is not None:
        warpers.append(made.MinPLogitsWarper(float(values["min_p"])))
    if values["typical_p"] is not None and values["typical_p"] < 1:
        warpers.append(made.TypicalLogitsWarper(float(values["typical_p"])))
    if values["epsilon_cutoff"]:
        warpers.append(made.EpsilonLogitsWarper(float(values["epsilon_cutoff"])))
    if values["eta_cutoff"]:
        warpers.append(made.EtaLogitsWarper(float(values["eta_cutoff"]), device=device))
    return warpers


def _row_noise(seeds: Sequence[int]) -> Any:
    """A logits processor after which the highest score is a draw from the distribution.

    Gumbel noise from a generator for each row: transformers draws for the whole batch from
    one, so that a sample's answer would depend on the company it keeps.
    """
    import torch
    from transformers import LogitsProcessor

    class RowNoise(LogitsProcessor):  # type: ignore[misc]
        def __init__(self) -> None:
            self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            drawn = torch.stack(
                [torch.rand(scores.shape[-1], generator=g) for g in self._generators]
            )
            noise = -torch.log(-torch.log(drawn.clamp(1e-20, 1 - 1e-7)))
            return scores + noise.to(scores.device, scores.dtype)

    return RowNoise()


def stops_when(event: threading.Event) -> Any:
    """Stopping criteria that end a batch at its next token once `event` is set."""
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    class Cancelled(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
            rows = input_ids.shape[0]
            return torch.full((rows,), event.is_set(), device=input_ids.device, dtype=torch.bool)

    return StoppingCriteriaList([Cancelled()])


def new_tokens(output: Any, prompt: Any, *, is_encoder_decoder: bool) -> list[list[int]]:
    """What a batch generated, as token ids by row: ``generate``'s output without the prompt.

    output: ids of shape (rows, tokens). prompt: ids of shape (rows, tokens) or None.
    Decoder-only models repeat the prompt, unless it was given as embeddings; an
    encoder-decoder's output begins with its decoder's start token.
    """
    if is_encoder_decoder:
        output = output[:, 1:]
    elif prompt is not None and output.shape[1] >= prompt.shape[1]:
        length = prompt.shape[1]
        if bool((output[:, :length] == prompt.to(output.device)).all()):
            output = output[:, length:]
    rows: list[list[int]] = output.tolist()
    return rows


def cut(tokens: Sequence[int], ends: frozenset[int], pad: int | None) -> tuple[list[int], bool]:
    """(`tokens` up to the first that ends the answer, whether there was one).

    A row that ended before the others of its batch is filled up with `pad`.
    """
    for index, token in enumerate(tokens):
        if token in ends:
            return list(tokens[: index + 1]), True
    kept = list(tokens)
    while kept and kept[-1] == pad:
        kept.pop()
    return kept, False
