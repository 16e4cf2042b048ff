"""How a local model decodes: from ``--mm-param`` to what transformers' generate takes."""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
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

SAMPLING = (
    *("temperature", "top_h", "top_k", "top_p", "min_p"),
    *("typical_p", "epsilon_cutoff", "eta_cutoff"),
)

_OUTPUT = (
    *("num_return_sequences", "output_attentions", "output_hidden_states", "output_logits"),
    *("output_scores", "return_dict_in_generate", "max_time"),
)
"""What would change the form of the output, or let the machine's speed decide where it ends."""

_REMOTE = (
    *("constraints", "force_words_ids", "penalty_alpha", "dola_layers"),
    *("num_beam_groups", "diversity_penalty"),
)
"""Ways of decoding for which transformers fetches code from the hub."""

_SHORTCUTS = ("use_mtp", "prompt_lookup_num_tokens", "assistant_early_exit")
"""Ways to the same text that refuse a batch of more than one."""

_NOT_OURS = frozenset(
    [
        *(*_OUTPUT, *_REMOTE, "token_healing", "transformers_version"),
        # What the adapter decides.
        *("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "is_assistant"),
        *("continuous_batching_config", "watermarking_config", "max_length", "min_length"),
    ]
)

_NUMBERS: tuple[tuple[str, Any, float, float], ...] = (
    ("max_new_tokens", int, 1, math.inf),
    ("min_new_tokens", int, 0, math.inf),
    ("num_beams", int, 1, math.inf),
    ("seed", int, 0, math.inf),
    ("no_repeat_ngram_size", int, 0, math.inf),
    ("encoder_no_repeat_ngram_size", int, 0, math.inf),
    ("top_k", int, 0, math.inf),
    ("temperature", (int, float), 0, math.inf),
    ("length_penalty", (int, float), -math.inf, math.inf),
    ("guidance_scale", (int, float), -math.inf, math.inf),
    ("top_p", (int, float), 0, 1),
    ("min_p", (int, float), 0, 1),
    ("typical_p", (int, float), 0, 1),
    ("epsilon_cutoff", (int, float), 0, 1),
    ("eta_cutoff", (int, float), 0, 1),
)
"""Parameters that are numbers: of what kind, and from where to where."""


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
    _check_values(values)
    for key, make in _processors().items():
        try:
            if values.get(key) is not None:
                make(values[key])
        except (ValueError, TypeError, LookupError) as error:
            raise UsageError(f"--mm-param {key}={values[key]}: {error}") from None
    random = samples(values)
    if random and (values.get("num_beams") or 1) > 1:
        asked = next(key for key in ("do_sample", *SAMPLING) if values.get(key) is not None)
        raise UsageError(
            f"--mm-param num_beams={values['num_beams']} and {asked}={values[asked]}: beams that "
            "are drawn at random could not be repeated with a seed; leave one of the two out"
        )
    # Told to a greedy search, transformers warns of what sampling alone would read.
    left_out = {"seed", "do_sample", *(() if random else SAMPLING)}
    left = {k: v for k, v in values.items() if k not in left_out and (k, v) != ("temperature", 0)}
    try:
        GenerationConfig(do_sample=random, **left).validate()
        if random:
            _warpers(_sampling(values, None), "cpu")
    except (ValueError, TypeError) as error:
        raise UsageError(f"--mm-param: {name} refuses them: {error}") from None


def _check_values(values: Mapping[str, Any]) -> None:
    """UsageError naming the first value of a kind or size that cannot be meant."""
    for key, kind, low, high in _NUMBERS:
        value: Any = values.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
            what = "a whole number" if kind is int else "a number"
            if low > -math.inf:
                what += f" of at least {low}" if high == math.inf else f" from {low} to {high}"
            raise UsageError(f"--mm-param {key}={value}: {what} is needed")
    if not isinstance(values.get("do_sample") or False, bool):
        raise UsageError(f"--mm-param do_sample={values['do_sample']}: true or false is needed")
    stops = values.get("stop_strings")
    listed = stops is None or (isinstance(stops, list) and len(stops) > 0)
    if not listed or not all(stop and isinstance(stop, str) for stop in stops or ()):
        raise UsageError(f"--mm-param stop={stops}: a string or a list of strings is needed")


def _processors() -> dict[str, Callable[[Any], Any]]:
    """What transformers makes of each parameter; made once, it says what it does not take."""
    import torch
    from transformers.generation import logits_process as made

    token = torch.tensor([0])
    return {
        "repetition_penalty": made.RepetitionPenaltyLogitsProcessor,
        "encoder_repetition_penalty": made.RepetitionPenaltyLogitsProcessor,  # takes the same
        "bad_words_ids": lambda v: made.NoBadWordsLogitsProcessor(v, token),
        "sequence_bias": made.SequenceBiasLogitsProcessor,
        "exponential_decay_length_penalty": (
            lambda v: made.ExponentialDecayLengthPenalty((int(v[0]), float(v[1])), token, 0)
        ),
        "suppress_tokens": made.SuppressTokensLogitsProcessor,
        "begin_suppress_tokens": lambda v: made.SuppressTokensAtBeginLogitsProcessor(v, 0),
        "forced_bos_token_id": int,
        "forced_eos_token_id": lambda v: made.ForcedEOSTokenLogitsProcessor(1, v),
    }


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
    for key in ("repetition_penalty", "encoder_repetition_penalty"):
        if type(values.get(key)) is int:  # transformers takes a float only
            values[key] = float(values[key])
    return values


def _sampling(values: Mapping[str, Any], base: Any) -> dict[str, Any]:
    """The numbers of a random choice: those of `values`, else the generation config's."""
    found = {}
    for key in SAMPLING:
        asked = None if (key, values.get(key)) == ("temperature", 0) else values.get(key)
        found[key] = getattr(base, key, None) if asked is None else asked
    return found


def sanitise(config: Any) -> None:
    """Take out of a checkpoint's own generation config what no answer could be made with.

    It has to happen in the model's: from there generate fills in what it is not given.
    """
    from transformers import GenerationConfig

    default = GenerationConfig()
    for name in (*_OUTPUT, *_REMOTE, *_SHORTCUTS, "token_healing"):
        setattr(config, name, getattr(default, name, None))
    config.stop_strings = list(_strings(config.stop_strings)) or None


def _strings(found: Any) -> tuple[str, ...]:
    """A config's stop strings, which may be one string alone."""
    listed = [found] if isinstance(found, str) else found or ()
    return tuple(str(stop) for stop in listed if stop)


def limit_of(request: Request, base: Any) -> int:
    """The most new tokens that a request asks for, or its checkpoint's generation config."""
    asked = _renamed(request.params).get("max_new_tokens")
    return int(asked or base.max_new_tokens or MAX_NEW_TOKENS)


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
    values.pop("max_new_tokens", None)
    limit = limit_of(requests[0], base)
    limit = min(limit, room) if room is not None else limit
    config.max_new_tokens, config.max_length = limit, None
    ends = _ends(base, tokenizer)
    config.eos_token_id = sorted(ends) or None
    if config.pad_token_id is None:
        config.pad_token_id = tokenizer.pad_token_id
        if config.pad_token_id is None and ends:
            config.pad_token_id = min(ends)
    random = samples(values)
    for key, value in values.items():
        if value is not None and key not in SAMPLING:
            setattr(config, key, value)
    processors = None
    if random:
        # Beams draw from one generator for the whole batch. They can only be the checkpoint's:
        # asked for together, the two are refused.
        config.num_beams = 1
        seeds = [_row_seed(request, seed) for request in requests]
        warpers = _warpers(_sampling(values, base), device)
        processors = LogitsProcessorList([*warpers, _row_noise(seeds)])
    for name in SAMPLING:
        setattr(config, name, None)
    config.do_sample = False
    stops = _strings(config.stop_strings)
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
    if values["top_h"] is not None:
        warpers.append(made.TopHLogitsWarper(float(values["top_h"])))
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


def cut_text(text: str, stops: Sequence[str]) -> tuple[str, bool]:
    """(`text` up to the first of `stops`, whether there was one).

    OpenAI's API does not return them either; and a token may go on behind one.
    """
    places = [place for place in map(text.find, stops) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)
