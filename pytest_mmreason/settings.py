"""Settings: what a run was asked to do, parsed, checked and frozen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pytest_mmreason.errors import UsageError

SENDING = ("separate", "concat")
"""The values of ``--mm-images`` under which a model is sent images."""


def is_offline(spec: str) -> bool:
    """True if a model or judge of this spec answers without a call."""
    return spec.partition(":")[0] in {"local", "keyword", "replay"}


def split_benchmark(spec: str) -> tuple[str, str | None]:
    """(name, folder) of ``NAME=DIR``; of a folder alone, whose path may hold a ``=``, no name apart."""
    name, found, folder = spec.partition("=")
    is_path = "/" in name or name.startswith((".", "~"))
    return (name, folder) if found and not is_path else (spec, None)


_OTHER_KINDS = ("openai:", "python:")


def absolute_spec(text: str, base: Path) -> str:
    """`text` with the path of a ``replay:`` or ``hf:`` spec, or behind a ``=``, made absolute.

    An ini file's paths are relative to it and the command line's to the working folder,
    so that a path means the same from wherever pytest is started. A bare word may be a
    name; the registry decides.
    """
    name, path = split_benchmark(text)
    if text.startswith("replay:"):
        file = Path(text.removeprefix("replay:")).expanduser()
        is_word = len(file.parts) == 1 and not file.suffix and not (base / file).exists()
        return text if is_word else f"replay:{base / file}"
    preset, _, place = text.rpartition("hf:") if "hf:" in text else ("", "", "")
    if place and preset in ("", f"{name.partition(':')[0]}:") and preset not in _OTHER_KINDS:
        checkpoint = Path(os.path.normpath(base / Path(place).expanduser()))
        is_folder = place.startswith((".", "~", "/")) or checkpoint.is_dir()
        return f"{preset}hf:{checkpoint}" if is_folder else text
    if path is not None and ":" not in name:
        return f"{name}={base / Path(path).expanduser()}"
    if text.startswith((".", "~", "/")):
        return str(base / Path(text).expanduser())
    return text


def kind_of_path(option: str, spec: str) -> str:
    """The kind of spec in which a path was probably meant; "" where `spec` looks like none."""
    path = Path(spec).expanduser()
    if path.suffix in (".json", ".jsonl"):
        return "replay:"
    return "hf:" if option == "--mm-model" and "/" in spec and path.is_dir() else ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A gate on a row: its score, 0-100, must be at least `score`.

    `row` may begin with ``BENCHMARK:``; a bare threshold means ``overall``.
    """

    row: str
    score: float


class Shard(NamedTuple):
    """Part `number` of `parts`, from 1, of the selected samples."""

    number: int
    parts: int

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"


@dataclass(frozen=True, slots=True)
class ErrorQuota:
    """How many errored samples a run bears: a count, or a percentage of the samples."""

    limit: float = 0.0
    percent: bool = False

    def allowed(self, collected: int) -> float:
        """The number of errored samples that `collected` samples may have."""
        return self.limit * collected / 100 if self.percent else self.limit


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option of a run; field names are the options' without ``mm_``."""

    model: tuple[str, ...] = ()
    benchmark: tuple[str, ...] = ("mini",)
    corrections: str = "on"
    judge: str = "local"
    base_url: str | None = None
    judge_base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    judge_api_key_env: str = "OPENAI_API_KEY"
    param: Mapping[str, Any] = field(default_factory=dict)
    judge_param: Mapping[str, Any] = field(default_factory=dict)
    prompt: tuple[str, ...] = ("direct",)
    follow_up: str = "none"
    icl: int = 0
    images: str = "separate"
    judge_runs: int = 1
    repeats: int = 1
    concurrency: int = 16
    timeout: float = 120.0
    retries: int = 5
    limit: int | None = None
    sample: tuple[str, ...] = ()
    subset: Path | None = None
    shard: Shard | None = None
    seed: int = 0
    threshold: tuple[Threshold, ...] = ()
    item_threshold: float | None = None
    max_errors: ErrorQuota | None = None
    on_error: str = "exclude"
    baseline: Path | None = None
    max_drop: float | None = None
    allow_different: tuple[str, ...] = ()
    output: Path | None = None
    show: int = 3
    compare: tuple[str, ...] = ()
    prices: Path | None = None
    budget: float | None = None
    agreement: Path | None = None
    """Absolute; or the bare name of graded answers that are bundled."""
    max_disagreement: float | None = None
    cache_dir: Path = Path(".mmreason/cache")
    cache: str = "on"
    device: str = "auto"
    dtype: str = "auto"
    batch_size: int | None = None
    trust_remote_code: bool = False
    directory: Path = Path()
    bases: Mapping[str, Path] = field(default_factory=dict)

    def base_of(self, option: str) -> Path:
        """Where relative paths of an option start: the ini file's folder, or the working one."""
        return self.bases.get(option, self.directory)

    @property
    def image_mode(self) -> str:
        """``images`` without the file of ``captions=FILE``."""
        return self.images.partition("=")[0]

    @property
    def captions(self) -> Path | None:
        """The file of ``captions=FILE``."""
        file = self.images.partition("=")[2]
        return Path(file) if file else None

    @property
    def active(self) -> bool:
        """False leaves the plugin dormant."""
        return bool(self.model or self.agreement)


def check_baseline(settings: Settings) -> None:
    """UsageError if options about a baseline stand without one, or the run would overwrite it."""
    given = {"max-drop": settings.max_drop is not None, "allow-different": settings.allow_different}
    for option in (name for name, is_given in given.items() if is_given):
        if settings.baseline is None:
            raise UsageError(
                f"--mm-{option} is about --mm-baseline=PATH, which is not given; PATH is an earlier "
                "run's --mm-output, or its results.jsonl"
            )
    earlier, output = settings.baseline, settings.output
    if earlier is None or output is None:
        return
    # By what links lead to: the folder, or the one file of it that is read.
    file = earlier if earlier.is_file() else earlier / "results.jsonl"
    if os.path.realpath(file) == str(Path(os.path.realpath(output), "results.jsonl")):
        raise UsageError(
            f"--mm-baseline and --mm-output are both {output}: the reports would overwrite what "
            "they compare with; name another folder with --mm-output"
        )
