"""What transformers makes of a checkpoint, and why it cannot: each a sentence to act on."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_mmreason.errors import ModelError, UsageError, nearest, runs_out_of_memory
from pytest_mmreason.models import processors
from pytest_mmreason.models.checkpoint import INSTALL, Checkpoint

MISSING_SHARE = 0.01
"""Share of the weights that a checkpoint may lack; a language model's head is more."""

# While transformers loads, it replaces methods of its classes for the whole process and puts
# back what it found: of two loads at once, the second would put back the first's replacement,
# and from then on no model would tie its weights.
_ONE_LOAD = threading.Lock()

_AUTO_CLASSES = (
    "AutoModelForImageTextToText",
    "AutoModelForMultimodalLM",
    "AutoModelForCausalLM",
    "AutoModelForSeq2SeqLM",
)
_TEXT_ONLY = _AUTO_CLASSES[2:]
_TOKENIZERS = ("tokenizer.json", "*.model", "vocab.*", "*.tiktoken", "tekken.json")
_PROCESSORS = ("processor_config.json", "preprocessor_config.json")


def load_config(found: Checkpoint, name: str, *, trust: bool) -> Any:
    """The checkpoint's configuration. UsageError for an architecture that is not known."""
    try:
        import transformers
        from transformers import AutoConfig
    except Exception as error:  # a broken installation raises anything
        raise UsageError(f"{name}: transformers cannot be imported ({error}). {INSTALL}") from None
    version = transformers.__version__
    if int(version.partition(".")[0]) < 5:
        raise UsageError(f"{name} needs transformers 5, and {version} is installed: {INSTALL}")
    known = transformers.CONFIG_MAPPING
    if found.model_type not in known:
        if found.code and not trust:
            raise UsageError(_needs_trust(found, name))
        if "AutoConfig" not in found.code:
            what = f"of type {found.model_type!r}" if found.model_type else "without a model_type"
            hint = nearest(found.model_type, known) if found.model_type else ""
            hint = f" {hint}" if hint.startswith("Did you mean") else ""
            raise UsageError(
                f"{name}: a model {what}, which transformers {version} does not know.{hint} "
                "A newer transformers may: pip install -U transformers"
            )
    with _told(name, "its configuration cannot be read"):
        return AutoConfig.from_pretrained(
            found.source, revision=found.revision, trust_remote_code=trust
        )


def auto_class(found: Checkpoint, config: Any, name: str, *, trust: bool, images: bool) -> str:
    """The auto class that loads it: one that takes images, or a text-only one.

    Raises UsageError for a text-only model where `images` are to be sent, and for a
    checkpoint that only code of its own can load.
    """
    import transformers

    native = [n for n in _AUTO_CLASSES if type(config) in getattr(transformers, n)._model_mapping]
    # Some classes answer in two ways (BART's decoder alone, say): the one that was saved.
    saved = set(getattr(config, "architectures", None) or ())
    native.sort(key=lambda n: saved.isdisjoint(_classes(transformers, n, config)))
    own = [n for n in _AUTO_CLASSES if n in found.code] if trust else []
    # Of a checkpoint with code of its own, nobody can tell what its causal model takes.
    usable = own or native
    for candidate in usable:
        if candidate not in _TEXT_ONLY or own or not images:
            return candidate
    kind = type(config).__name__.removesuffix("Config")
    if usable:
        raise UsageError(
            f"{name}: {kind} ({found.model_type}) is a text-only model and cannot be sent images; "
            "--mm-images=none asks it the questions alone, --mm-images=captions=FILE about captions"
        )
    if found.code and not trust:
        raise UsageError(_needs_trust(found, name))
    raise UsageError(
        f"{name}: transformers {transformers.__version__} has no class that answers questions with "
        f"{kind} ({found.model_type}). Serve it and use openai:, or wrap it as python:MODULE:ATTR"
    )


def _classes(transformers: Any, auto: str, config: Any) -> set[str]:
    """The names of the classes that an auto class makes of `config`."""
    made = getattr(transformers, auto)._model_mapping[type(config)]
    return {kind.__name__ for kind in (made if isinstance(made, (list, tuple)) else [made])}


def _needs_trust(found: Checkpoint, name: str) -> str:
    return (
        f"{name}: {found.model_type or 'the model'} is loaded by code that comes with the "
        f"checkpoint. Read it in {found.source}; --mm-trust-remote-code runs it"
    )


def load_processor(found: Checkpoint, config: Any, name: str, auto: str, *, trust: bool) -> Any:
    """The AutoProcessor, or of a text-only model the tokenizer. UsageError if it is damaged."""
    from transformers import AutoTokenizer

    if found.content and not found.code:
        _check_files(Path(found.source), name, with_images=auto not in _TEXT_ONLY)
    options = {"revision": found.revision, "trust_remote_code": trust}
    with _told(name, "its processor cannot be loaded"):
        if auto in _TEXT_ONLY:
            processor = AutoTokenizer.from_pretrained(found.source, **options)
        else:
            processor = processors.load_processor(found.source, config, **options)
    tokenizer = getattr(processor, "tokenizer", processor)
    takes_images = hasattr(processor, "image_processor")
    if not hasattr(tokenizer, "decode") or (auto not in (*_TEXT_ONLY,) and not takes_images):
        raise UsageError(
            f"{name}: {found.source} has no processor for text and images "
            "(processor_config.json, preprocessor_config.json, tokenizer.json); "
            "save one beside the weights: processor.save_pretrained(DIR)"
        )
    if getattr(tokenizer, "pad_token", None) is None:
        tokenizer.pad_token = tokenizer.eos_token
    if not is_encoder_decoder(config):
        tokenizer.padding_side = "left"  # else the answer would follow on padding
    return processor


def _check_files(folder: Path, name: str, *, with_images: bool) -> None:
    """UsageError naming a file without which transformers has no tokenizer or processor."""
    needed = [("tokenizer", _TOKENIZERS)] + ([("processor", _PROCESSORS)] if with_images else [])
    for what, patterns in needed:
        if not any(next(folder.glob(pattern), None) for pattern in patterns):
            raise UsageError(
                f"{name}: {patterns[0]} is missing from {folder}; save it beside the weights: "
                f"{what}.save_pretrained(DIR)"
            )


def is_encoder_decoder(config: Any) -> bool:
    """True if answers come from a decoder of their own (T5 and kin, BLIP-2's Flan-T5 too)."""
    text = config.get_text_config(decoder=True)
    return bool(
        getattr(config, "is_encoder_decoder", False) or getattr(text, "is_encoder_decoder", False)
    )


def choose_devices(device: str) -> list[str]:
    """The devices that get a replica each. UsageError for one that is not there."""
    import torch

    cuda, mps = torch.cuda.device_count(), torch.backends.mps.is_available()
    if device == "auto":
        return [f"cuda:{n}" for n in range(cuda)] or (["mps"] if mps else ["cpu"])
    kind, _, number = device.partition(":")
    if kind == "cpu":
        return ["cpu"]
    there = [*(f"cuda:{n}" for n in range(cuda)), *(["mps"] if mps else []), "cpu"]
    if kind == "cuda" and cuda and not number:
        return [f"cuda:{n}" for n in range(cuda)]
    if device in there:
        return [device]
    built = (
        ""
        if torch.version.cuda or kind != "cuda"
        else f" (torch {torch.__version__} is built without CUDA)"
    )
    raise UsageError(
        f"--mm-device={device}: not on this machine{built}; there is {', '.join(there)}"
    )


def choose_dtype(dtype: str, device: str, config: Any) -> str:
    """The number format's name; ``auto`` is the checkpoint's on a GPU and float32 on the CPU."""
    if dtype != "auto":
        return dtype
    if device == "cpu":
        return "float32"
    own = getattr(config, "dtype", None) or getattr(config.get_text_config(), "dtype", None)
    return str(own).removeprefix("torch.") if own is not None else "float32"


def load_weights(
    found: Checkpoint, auto: str, name: str, *, device: str, dtype: str, trust: bool
) -> tuple[Any, str]:
    """(the model on `device`, ready to generate; what is to be known of its weights, or "").

    Raises ModelError (fatal) where they cannot be loaded, or are not those of the model:
    transformers makes at random what a checkpoint lacks.
    """
    import torch
    import transformers

    try:
        transformers.utils.logging.disable_progress_bar()
        with _ONE_LOAD:
            model, report = getattr(transformers, auto).from_pretrained(
                found.source,
                revision=found.revision,
                dtype=getattr(torch, dtype),
                trust_remote_code=trust,
                output_loading_info=True,
            )
        model = model.to(device).eval()
    except Exception as error:  # a damaged file, a missing library, no memory, no network
        if runs_out_of_memory(error):
            raise ModelError(
                f"{name}: its weights do not fit into the memory of {device} as {dtype}. "
                "Try --mm-dtype=bfloat16 or another --mm-device, or serve it and use openai:",
                cause="out of memory",
                fatal=True,
            ) from None
        raise ModelError(
            f"{name}: its weights cannot be loaded: {_first_line(error)}",
            cause="load",
            fatal=True,
        ) from error
    return model, _of_missing(model, report["missing_keys"], name)


def _of_missing(model: Any, keys: Iterable[str], name: str) -> str:
    """A note on weights that the checkpoint lacks. ModelError (fatal) if they are many."""
    missing = sorted(keys)
    if not missing:
        return ""
    sizes = {key: parameter.numel() for key, parameter in model.named_parameters()}
    share = sum(sizes.get(key, 0) for key in missing) / max(1, sum(sizes.values()))
    shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    told = f"{name}: the checkpoint lacks {shown}, which transformers made at random"
    if share >= MISSING_SHARE:
        raise ModelError(
            f"{told} ({share:.0%} of the model). Is it a checkpoint of this very class?",
            cause="load",
            fatal=True,
        )
    return told


@contextmanager
def _told(name: str, what: str) -> Iterator[None]:
    """What transformers raises becomes a UsageError in one line."""
    try:
        yield
    except UsageError:
        raise
    except Exception as error:
        if isinstance(error, ImportError):
            raise UsageError(f"{name}: {what}: {_first_line(error)}") from None
        if "trust_remote_code" in str(error):
            raise UsageError(
                f"{name}: {what} without code that comes with the checkpoint; "
                "--mm-trust-remote-code runs it"
            ) from None
        raise UsageError(f"{name}: {what}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines)[:300]}" if lines else type(error).__name__
