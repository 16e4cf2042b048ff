"""A checkpoint's folder: known by its content, and what is missing from it is said by name."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_mmreason.errors import UsageError
from pytest_mmreason.models import checkpoint
from pytest_mmreason.models.checkpoint import content_hash, find


def safetensors(tensors: dict[str, bytes]) -> bytes:
    """The bytes of a file with these tensors."""
    header, body = {}, b""
    for name, data in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(data)], "data_offsets": [len(body), len(body) + len(data)]}  # fmt: skip
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "checkpoint"
    made.mkdir()
    (made / "config.json").write_text('{"model_type": "llava"}', encoding="utf-8")
    (made / "tokenizer.json").write_text("{}", encoding="utf-8")
    (made / "model.safetensors").write_bytes(safetensors({"a": bytes(9000), "b": bytes(9000)}))
    return made


def fault(source: str, base: Path = Path()) -> str:
    with pytest.raises(UsageError) as caught:
        find(source, f"hf:{source}", base)
    return str(caught.value)


def test_folder_is_found_and_known_by_its_content_wherever_it_lies(folder: Path) -> None:
    found = find("checkpoint", "hf:checkpoint", folder.parent)
    moved = folder.rename(folder.parent / "moved@1")
    assert find(str(moved), "x").identity == found.identity == {"content": found.content}
    assert (found.model_type, found.revision, found.code) == ("llava", None, {})


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "model.safetensors", "chat_template.jinja", "new.py"]
)
def test_every_file_that_can_change_an_answer_changes_the_hash(folder: Path, name: str) -> None:
    before = content_hash(folder)
    path = folder / name
    content = bytearray(path.read_bytes() if path.exists() else b"new")
    content[-1] ^= 1
    path.write_bytes(content)
    assert content_hash(folder) != before


@pytest.mark.parametrize("name", ["README.md", "trainer_state.json", "checkpoint-9/config.json"])
def test_what_a_training_run_leaves_does_not(folder: Path, name: str) -> None:
    before = content_hash(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}", encoding="utf-8")
    assert content_hash(folder) == before


@pytest.mark.parametrize("place", ["beginning", "end", "header"])
@pytest.mark.parametrize("tensor", ["a", "b"])
def test_large_weights_are_told_apart_by_every_tensor(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tensor: str, place: str
) -> None:
    monkeypatch.setattr(checkpoint, "SMALL_FILE_BYTES", 100)
    before = content_hash(folder)
    tensors = {"a": bytearray(9000), "b": bytearray(9000)}
    if place == "header":
        tensors = {f"{name}x" if name == tensor else name: data for name, data in tensors.items()}
    else:
        tensors[tensor][0 if place == "beginning" else -1] = 1
    content = safetensors({name: bytes(data) for name, data in tensors.items()})
    (folder / "model.safetensors").write_bytes(content)
    assert content_hash(folder) != before


@pytest.mark.parametrize("content", [b"\xff" * 9000, struct.pack("<Q", 5) + b"{bad}" + bytes(9000)])
def test_large_files_of_any_other_form_are_hashed_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr(checkpoint, "SMALL_FILE_BYTES", 100)
    path = folder / "pytorch_model.bin"
    path.write_bytes(content)
    before = content_hash(folder)
    path.write_bytes(content[:-1] + b"x")
    assert content_hash(folder) != before


def test_what_is_not_there_is_said_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    assert f"there is no folder {tmp_path / 'absent'}" in fault(str(tmp_path / "absent"))
    assert "there is no folder" in fault("./absent", tmp_path)
    assert "there is no folder" in fault("a/b/c", tmp_path)
    assert "name the folder that holds config.json" in fault(str(folder / "config.json"))
    (folder / "config.json").unlink()
    assert "holds no config.json; it is no checkpoint" in fault(str(folder))
    (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
    assert "an adapter only: merge it into its base model first" in fault(str(folder))


@pytest.mark.parametrize(
    ("content", "message"), [("{", "is not JSON"), ("[]", "a JSON object is needed")]
)
def test_damaged_configuration_is_named(folder: Path, content: str, message: str) -> None:
    (folder / "config.json").write_text(content, encoding="utf-8")
    assert message in fault(str(folder))
    assert "config.json" in fault(str(folder))


def test_missing_weights_are_named(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    assert "holds no weights (*.safetensors)" in fault(str(folder))
    index = {"weight_map": {f"w{n}": f"model-{n}-of-5.safetensors" for n in range(5)}}
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps(index), encoding="utf-8")
    (folder / "model-0-of-5.safetensors").write_bytes(b"")
    told = fault(str(folder))
    assert "model-1-of-5.safetensors, model-2-of-5.safetensors" in told
    assert "model-0-of-5" not in told
    path.write_text("{}", encoding="utf-8")
    assert f"{path} is damaged" in fault(str(folder))


def test_absent_library_is_said_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checkpoint, "find_spec", lambda name: None if name == "torch" else name)
    with pytest.raises(
        UsageError, match=r"hf:x needs torch, .* pip install 'pytest-mmreason\[hf\]'"
    ):
        checkpoint.require_libraries("hf:x")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("GatedRepoError", "Accept its terms at https://huggingface.co/some/model, and log in: hf auth login"),
        ("RepositoryNotFoundError", "neither a folder nor a repository of this name"),
        ("RevisionNotFoundError", "some/model has no revision 'v2'"),
        ("RemoteEntryNotFoundError", "some/model holds no config.json"),
        ("LocalEntryNotFoundError", "the hub cannot be reached. Where there is a network: hf download some/model --revision v2"),
        ("OfflineModeIsEnabled", "HF_HUB_OFFLINE is set. Where there is a network: hf download"),
        ("HfHubHTTPError", "some/model cannot be had: the first line"),
    ],
)  # fmt: skip
def test_what_the_hub_refuses_is_said_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, kind: str, message: str
) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="local models need huggingface_hub")
    monkeypatch.setattr(checkpoint, "find_spec", lambda name: name)
    errors = pytest.importorskip("huggingface_hub.errors")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)

    def refuse(*args: object, **options: object) -> str:
        found = getattr(errors, kind)
        text = "the first line\nand more"
        if issubclass(found, errors.HfHubHTTPError):
            raise found(text, response=SimpleNamespace(headers={}, request=None))
        raise found(text)

    monkeypatch.setattr(hub, "hf_hub_download", refuse)
    assert message in fault("some/model@v2")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS"),
        (safetensors({"a": bytes(900)})[:-1], "is cut short or damaged"),
        (b"\xff" * 64, "is cut short or damaged"),
        (b"", "is cut short or damaged"),
    ],
)
def test_weights_that_are_not_whole_are_named_before_they_are_loaded(
    folder: Path, content: bytes, told: str
) -> None:
    (folder / "model.safetensors").write_bytes(content)
    said = fault(str(folder))
    assert told in said and str(folder / "model.safetensors") in said


def test_a_hub_that_nobody_answers_for_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(checkpoint, "require_libraries", lambda name: None)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    tried: list[bool] = []
    import huggingface_hub

    real = huggingface_hub.hf_hub_download

    def download(*args: object, **options: object) -> str:
        tried.append(bool(options["local_files_only"]))
        return str(real(*args, **options))

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    assert "the hub cannot be reached. Where there is a network: hf download a/b" in fault("a/b")
    assert tried == [True]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("processor_config.json", '{"auto_map": {"AutoProcessor": "own.Processor"}}'),
        ("tokenizer_config.json", '{"auto_map": {"AutoTokenizer": ["own.Slow", null]}}'),
        ("custom_generate/generate.py", "def generate(): ..."),
    ],
)
def test_code_of_a_checkpoint_is_seen_wherever_it_is_named(
    folder: Path, name: str, content: str
) -> None:
    assert find(str(folder), "x").code == {}
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")
    assert len(find(str(folder), "x").code) == 1


@pytest.mark.parametrize("name", ["generation_config.json", "processor_config.json"])
def test_a_damaged_configuration_is_named(folder: Path, name: str) -> None:
    (folder / name).write_text("{", encoding="utf-8")
    assert f"{folder / name} is not JSON" in fault(str(folder))
    (folder / name).write_bytes(b'{"a": "\xff"}')
    assert "is no UTF-8 text" in fault(str(folder))


def test_the_weights_of_an_adapter_are_no_weights(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    assert "holds an adapter's weights only: merge it" in fault(str(folder))


def test_a_name_that_no_folder_can_have_is_said(tmp_path: Path) -> None:
    assert "File name too long" in fault("x" * 5000)


def test_large_weights_are_told_apart_within_a_tensor(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "SMALL_FILE_BYTES", 100)
    monkeypatch.setattr(checkpoint, "_STRIDE", 5000)
    (folder / "model.safetensors").write_bytes(safetensors({"a": bytes(30000)}))
    before = content_hash(folder)
    inside = bytes(10000) + b"\1" * 9000 + bytes(11000)
    (folder / "model.safetensors").write_bytes(safetensors({"a": inside}))
    assert content_hash(folder) != before
