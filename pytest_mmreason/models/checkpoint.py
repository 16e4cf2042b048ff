"""A checkpoint on disk or on the hub: found, pinned and known by its content.

Nothing here imports torch or transformers, and no weights are loaded: what is wrong with
a checkpoint is to be said within moments, before the samples.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from pytest_mmreason.errors import UsageError
from pytest_mmreason.network import connect_error

INSTALL = "pip install 'pytest-mmreason[hf]'"

SMALL_FILE_BYTES = 32 * 2**20
"""Files up to this size are hashed whole."""

_POINTER = b"version https://git-lfs"
_SAMPLE_BYTES = 4096
_STRIDE = 2**20
_SAMPLES = 2048
_REPO = re.compile(r"[\w.-]+(/[\w.-]+)?")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_IGNORED = {".git", ".cache", "__pycache__", "runs", "logs"}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What ``hf:`` names.

    source:   the folder, or the repository's name on the hub.
    revision: the commit to which every file of a repository is pinned; None for a folder.
    content:  the hash of a folder's files; "" for a repository, whose commit tells as much.
    config:   ``config.json`` as it stands.
    code:     the classes that the checkpoint brings as code of its own, by auto class; of
              a folder, whatever else of it is code too.
    """

    source: str
    revision: str | None
    content: str
    config: dict[str, Any] = field(hash=False)
    code: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def identity(self) -> dict[str, Any]:
        """What tells its text from that of any other checkpoint."""
        if self.content:
            return {"content": self.content}
        return {"repository": self.source, "revision": self.revision}

    @property
    def model_type(self) -> str:
        """The architecture, as transformers names it; "" if the file does not say."""
        return str(self.config.get("model_type") or "")


def require_libraries(name: str) -> None:
    """UsageError with the command that installs them, if torch or transformers are absent."""
    missing = [library for library in ("torch", "transformers") if find_spec(library) is None]
    if missing:
        needed = " and ".join(missing)
        raise UsageError(f"{name} needs {needed}, which cannot be imported. Install: {INSTALL}")


def find(source: str, name: str, base: Path = Path()) -> Checkpoint:
    """The checkpoint that `source` names: DIR, REPO or REPO@REVISION.

    name: the spec, for messages. base: where relative folders start.
    Raises UsageError where it is not there, or cannot be had.
    """
    folder = base / Path(source).expanduser()
    try:
        is_folder, is_file = folder.is_dir(), folder.is_file()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from None
    if is_folder:
        try:
            return _in_folder(folder, name)
        except OSError as error:
            where = f"{error.filename} " if error.filename else f"{folder} "
            raise UsageError(f"{name}: {where}cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"{name}: a file of {folder} is no UTF-8 text: {error}") from None
    if is_file:
        raise UsageError(f"{name}: {folder} is a file; name the folder that holds config.json")
    repository, _, revision = source.partition("@")
    if source.startswith((".", "/", "~")) or not _REPO.fullmatch(repository):
        raise UsageError(f"{name}: there is no folder {folder}")
    return _on_hub(repository, revision or None, name)


def _in_folder(folder: Path, name: str) -> Checkpoint:
    try:
        text = (folder / "config.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        adapter = (folder / "adapter_config.json").is_file()
        what = "an adapter only: merge it into its base model first" if adapter else "no checkpoint"
        raise UsageError(f"{name}: {folder} holds no config.json; it is {what}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: {folder / 'config.json'} cannot be read: {error}") from None
    config = _parsed(text, f"{name}: {folder / 'config.json'}")
    _check_weights(folder, name)
    for path in sorted(folder.glob("*.safetensors")):
        _check_whole(path, name)
    code = dict(_auto_map(config))
    for path in sorted(folder.glob("*.json")):
        if path.name not in ("config.json", "tokenizer.json") and not path.match("*.index.json"):
            parsed = _parsed(path.read_text(encoding="utf-8"), f"{name}: {path}", any_kind=True)
            code |= _auto_map(parsed)
    if (folder / "custom_generate").is_dir():
        code["generate"] = "custom_generate"
    return Checkpoint(str(folder), None, content_hash(folder), config, code)


def _auto_map(config: object) -> dict[str, Any]:
    found = config.get("auto_map") if isinstance(config, dict) else None
    return found if isinstance(found, dict) else {}


def _check_weights(folder: Path, name: str) -> None:
    """UsageError naming every file of weights that is missing."""
    indices = list(folder.glob("*.index.json"))
    needed: set[str] = set()
    for index in indices:
        try:
            shards = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
            needed = {str(shard) for shard in shards}
        except (OSError, ValueError, KeyError, AttributeError):
            raise UsageError(f"{name}: {index} is damaged; copy the checkpoint anew") from None
        missing = sorted(shard for shard in needed if not (folder / shard).is_file())
        if not missing:
            return
    if indices:
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise UsageError(f"{name}: files of weights are missing from {folder}: {shown}")
    found = [path for pattern in _WEIGHTS for path in folder.glob(pattern)]
    if found and all(path.name.startswith("adapter_") for path in found):
        raise UsageError(
            f"{name}: {folder} holds an adapter's weights only: merge it into its base model first"
        )
    if not found:
        raise UsageError(
            f"{name}: {folder} holds no weights (*.safetensors); "
            "is it the folder that save_pretrained wrote?"
        )


def _check_whole(path: Path, name: str) -> None:
    """UsageError if a file of safetensors is not there as a whole."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise UsageError(
                f"{name}: {path} is a pointer of Git LFS, not the file itself: run git lfs pull"
            )
        file.seek(0)
        spans = _spans(file, size)
        header = file.tell()
    if not spans or header + max(end for _, end in spans) > size:
        raise UsageError(
            f"{name}: {path} is cut short or damaged ({size:,} bytes); copy or download it anew"
        )


def _on_hub(repository: str, revision: str | None, name: str) -> Checkpoint:
    require_libraries(name)
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    page = f"https://huggingface.co/{repository}"
    download = f"hf download {repository}" + (f" --revision {revision}" if revision else "")
    # Without a network the library would try again and again before it looks into its cache.
    alone = constants.HF_HUB_OFFLINE or connect_error(constants.ENDPOINT) is not None
    try:
        path = Path(
            hf_hub_download(repository, "config.json", revision=revision, local_files_only=alone)
        )
    except GatedRepoError:
        raise UsageError(
            f"{name}: {repository} is gated. Accept its terms at {page}, and log in: hf auth login"
        ) from None
    except RepositoryNotFoundError:
        raise UsageError(
            f"{name}: there is neither a folder nor a repository of this name ({page}). "
            "If it is private, log in: hf auth login"
        ) from None
    except RevisionNotFoundError:
        raise UsageError(f"{name}: {repository} has no revision {revision!r}") from None
    except (LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        offline = constants.HF_HUB_OFFLINE or isinstance(error, OfflineModeIsEnabled)
        why = "HF_HUB_OFFLINE is set" if offline else "the hub cannot be reached"
        raise UsageError(
            f"{name}: there is no folder of this name, {repository} is not in the cache "
            f"({constants.HF_HUB_CACHE}), and {why}. Where there is a network: {download}"
        ) from None
    except EntryNotFoundError:
        raise UsageError(
            f"{name}: {repository} holds no config.json; transformers cannot load it"
        ) from None
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        what = str(error).partition("\n")[0]
        raise UsageError(f"{name}: {repository} cannot be had: {what}") from None
    config = _parsed(path.read_text(encoding="utf-8"), f"{name}: config.json of {repository}")
    # The cache keeps a snapshot as .../snapshots/COMMIT/config.json.
    return Checkpoint(repository, path.parent.name, "", config, _auto_map(config))


def _parsed(text: str, where: str, *, any_kind: bool = False) -> dict[str, Any]:
    """A JSON object; of `any_kind`, whatever JSON it is."""
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON ({error})") from None
    if not isinstance(config, dict) and not any_kind:
        raise UsageError(f"{where} is no configuration: a JSON object is needed")
    return config  # type: ignore[no-any-return]


def content_hash(folder: Path) -> str:
    """SHA-256 over every file of a checkpoint's folder that can change its answers.

    Files above SMALL_FILE_BYTES are not read whole: gigabytes would take longer than many
    a run. Of safetensors, the header, and of every tensor its end and a block each
    _STRIDE bytes; of others evenly spread blocks: training changes nearly every number.
    """
    digest = hashlib.sha256()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        size = path.stat().st_size
        digest.update(f"{name}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= SMALL_FILE_BYTES:
                digest.update(file.read())
                continue
            for offset in _offsets(file, size):
                file.seek(offset)
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    """Configuration, tokenizer, templates, code and weights; not what a trainer leaves."""
    wanted = {".json", ".txt", ".model", ".jinja", ".py", ".safetensors", ".bin", ".tiktoken"}
    skipped = {"trainer_state.json", "training_args.bin", "optimizer.bin", "scheduler.bin"}
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        inside = any(part in _IGNORED or part.startswith("checkpoint-") for part in parts[:-1])
        if not inside and path.suffix in wanted and path.name not in skipped and path.is_file():
            found.append(path)
    return found


def _offsets(file: BinaryIO, size: int) -> Iterator[int]:
    spans = _spans(file, size)
    if spans:
        body = file.tell()
        yield from range(0, body, _SAMPLE_BYTES)
        for start, end in spans:
            yield from range(body + start, body + end, _STRIDE)
            yield body + max(start, end - _SAMPLE_BYTES)
        return
    step = max(_SAMPLE_BYTES, size // _SAMPLES)
    yield from range(0, size, step)
    yield max(0, size - _SAMPLE_BYTES)


def _spans(file: BinaryIO, size: int) -> list[tuple[int, int]]:
    """(start, end) of every tensor of safetensors, counted from behind the header, where the
    file then stands; nothing where it is none."""
    length = int.from_bytes(file.read(8), "little")
    if not 0 < length < min(size, 2**28):
        return []
    try:
        tensors = json.loads(file.read(length))
        found = [t["data_offsets"] for n, t in sorted(tensors.items()) if n != "__metadata__"]
        return [(int(start), int(end)) for start, end in found]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
