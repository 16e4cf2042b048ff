"""``tiny``: the bundled vision-language model, run by onnxruntime without torch."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import CallError, ModelError, UsageError, nearest
from pytest_mmreason.models.base import Request, Response, generate_alone
from pytest_mmreason.models.function import Caller

if TYPE_CHECKING:
    from pytest_mmreason.models.tiny_runtime import Runtime, Task

MANIFEST = "onnx.json"
INSTALL = "pip install 'pytest-mmreason[tiny]'"
NEEDED = ("numpy", "onnxruntime", "tokenizers")
LIMITS = ("max_tokens", "max_completion_tokens", "max_new_tokens")
"""Names under which the most tokens of an answer may be set; the first that is given counts."""

PARAMETERS = (*LIMITS, "temperature")

BATCH = 8
"""Larger batches bring nothing more on a processor."""

BUNDLED = "tiny is a small model that has seen grids of shapes only; at other pictures it guesses"


def bundled_checkpoint() -> Path:
    """The folder of the bundled model; transformers loads it too."""
    return Path(__file__).parent / "checkpoints" / "tiny"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with the graphs of ``tiny/export.py``, every file as the manifest names it."""

    folder: Path
    manifest: Mapping[str, Any]
    sha256: str

    @classmethod
    def open(cls, folder: Path) -> Checkpoint:
        """The checkpoint in `folder`; UsageError naming the file that is missing or damaged."""
        if folder == bundled_checkpoint():
            mend = "Install it anew: pip install --force-reinstall --no-deps pytest-mmreason"
        else:
            mend = f"Write the graphs anew: python tiny/export.py {folder}"
        path = folder / MANIFEST
        try:
            content = path.read_bytes()
            manifest = json.loads(content)
            hashes: dict[str, str] = dict(manifest["files"])
            for name, expected in hashes.items():
                path = folder / name
                if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
                    raise ValueError(f"it is not the file that {MANIFEST} names by its hash")
        except OSError as error:
            raise UsageError(f"tiny: {path}: {error.strerror or error}. {mend}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"tiny: {path} is damaged: {error}. {mend}") from None
        return cls(folder, manifest, hashlib.sha256(content).hexdigest())


def check_installed() -> None:
    """UsageError with the one command that installs what the model runs on; imports nothing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"--mm-model=tiny runs on {' and '.join(missing)}, not installed here: {INSTALL}"
        )


def check_params(params: Mapping[str, Any]) -> None:
    """UsageError for a generation parameter that the model does not follow.

    Decoding is greedy: a temperature other than 0 is refused rather than ignored.
    """
    for name, value in params.items():
        if name not in PARAMETERS:
            raise UsageError(
                f"--mm-param: tiny knows no parameter {name!r}. {nearest(name, PARAMETERS)}"
            )
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name == "temperature":
            if not is_number or value != 0:
                raise UsageError(
                    f"--mm-param: temperature is {value!r}, but tiny decodes greedily: 0"
                )
        elif not is_number or value < 1 or value % 1 != 0:  # the last is true of inf and nan
            raise UsageError(f"--mm-param: {name} is {value!r}, not a whole number above 0")


def limit_of(params: Mapping[str, Any], default: int) -> int:
    """The most tokens that an answer may have."""
    return int(next((params[name] for name in LIMITS if name in params), default))


class TinyModel:
    """A small LLaVA checkpoint with ONNX graphs beside it; computes requests in batches.

    folder:     as ``tiny/export.py`` leaves it; None for the bundled one.
    params:     the generation parameters of the run, checked here before any sample.
    batch_size: requests in a batch, at least 1.

    Nothing is imported or loaded before the first answer that the cache does not hold.
    Raises UsageError for what is not installed, a file that is missing or damaged, and a
    parameter that the model does not follow.
    """

    wants_images = True
    offline = False  # its calls cost time: they are limited, counted and cached like any other
    cacheable = True
    max_concurrency: int | None = None
    replicas = 1
    detail = "onnxruntime · cpu · float32"

    def __init__(
        self,
        folder: Path | None = None,
        name: str = "tiny",
        params: Mapping[str, Any] | None = None,
        batch_size: int | None = None,
    ) -> None:
        check_installed()
        check_params(params or {})
        self.name = name
        self.batch_size: int | None = batch_size or BATCH
        self.checkpoint = Checkpoint.open(folder or bundled_checkpoint())
        self.identity: Mapping[str, Any] = {
            "kind": "tiny",
            "adapter": 1,
            "checkpoint": self.checkpoint.sha256,
        }
        self.notes = [BUNDLED] if folder is None else []
        self._caller = Caller(lambda function, *args: function(*args))
        self._lock = threading.Lock()
        self._runtime: Runtime | None = None

    def shape_of(self, request: Request) -> Hashable:
        """Requests with equally many images may share a batch, whatever their parameters."""
        return len(request.images)

    async def load(self) -> None:
        """Import onnxruntime and load the graphs, once; a fatal ModelError where that fails."""
        if self._runtime is None:
            await self._caller.call(self._load)

    async def prepare_batch(self, requests: Sequence[Request]) -> list[Task | ModelError]:
        """Token ids and pixels of each request, or why it cannot be asked."""
        assert self._runtime is not None
        tasks: list[Task | ModelError] = await self._caller.call(self._runtime.prepare, requests)
        return tasks

    async def generate_batch(self, prepared: list[Task | ModelError]) -> list[Response | CallError]:
        """Answers decoded greedily side by side, or the error that preparation met."""
        assert self._runtime is not None
        ready = [task for task in prepared if not isinstance(task, ModelError)]
        answers = iter(await self._caller.call(self._runtime.answer, ready))
        return [task if isinstance(task, ModelError) else next(answers) for task in prepared]

    async def generate(self, request: Request) -> Response:
        """One answer, decoded greedily.

        Raises ModelError for a prompt that is longer than the context.
        """
        return await generate_alone(self, request)

    async def aclose(self) -> None:
        """End what still computes at its next token; let go of the threads and the graphs."""
        if self._runtime is not None:
            self._runtime.closing = True
            self._runtime = None
        await self._caller.aclose()

    def _load(self) -> None:
        with self._lock:
            if self._runtime is not None:
                return
            try:
                from pytest_mmreason.models.tiny_runtime import Runtime

                self._runtime = Runtime(self.checkpoint)
            except Exception as error:  # both libraries raise kinds of their own
                raise ModelError(
                    f"{self.name}: {self.checkpoint.folder} cannot be loaded "
                    f"({type(error).__name__}: {error}). Is the installation whole? {INSTALL}",
                    cause="not loaded",
                    fatal=True,
                ) from error
