"""The bundled model as an adapter: its prompt, its decoding, and what it refuses."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="the extra `tiny` is not installed")
pytest.importorskip("tokenizers", reason="the extra `tiny` is not installed")

import numpy as np
from PIL import Image, ImageDraw

from pytest_mmreason import imaging
from pytest_mmreason.errors import CallError, ModelError, UsageError
from pytest_mmreason.models import tiny_runtime
from pytest_mmreason.models.base import BatchingModel, Request, Response
from pytest_mmreason.models.tiny import TinyModel, bundled_checkpoint
from pytest_mmreason.models.tiny_runtime import Mark, Runtime, pieces
from pytest_mmreason.prompting import Prompt, Turn
from pytest_mmreason.sample import ImageRef

MANIFEST = json.loads((bundled_checkpoint() / "onnx.json").read_text(encoding="utf-8"))
IMAGE_TOKENS = MANIFEST["image_tokens"]


@pytest.fixture(scope="module")
def model() -> TinyModel:
    return TinyModel()


@pytest.fixture(scope="module")
def runtime(model: TinyModel) -> Runtime:
    return Runtime(model.checkpoint)


@pytest.fixture
def images(tmp_path: Path) -> list[ImageRef]:
    """Three pictures of one shape each, none of the size that the model sees."""
    found = []
    for i, color in enumerate(("red", "blue", "green")):
        image = Image.new("RGB", (120 + 30 * i, 150), "white")
        ImageDraw.Draw(image).ellipse((20, 20, 80, 90 + 10 * i), fill=color)
        image.save(tmp_path / f"{i}.png")
        found.append(ImageRef(f"{i}.png", str(tmp_path)))
    return found


def asked(text: str, images: Sequence[ImageRef] = (), **params: Any) -> Request:
    return Request(Prompt.of(text, images=images), [imaging.load(ref) for ref in images], params)


def answers(model: TinyModel, *requests: Request) -> list[Response | CallError]:
    async def ask() -> list[Response | CallError]:
        await model.load()
        return await model.generate_batch(await model.prepare_batch(requests))

    return asyncio.run(ask())


def test_it_is_an_adapter_that_the_engine_may_batch(model: TinyModel) -> None:
    assert isinstance(model, BatchingModel)


def test_the_prompt_is_written_as_the_chat_template_writes_it() -> None:
    one, two = ImageRef("a.png", ""), ImageRef("b.png", "")
    turns = [
        Turn("system", ("Be kind.",)),
        Turn("user", (one, two, "What is it?")),
        Turn("assistant", ("A star.",)),
        Turn("user", ("Before ", two, "after")),
    ]
    assert list(pieces(turns)) == [
        "SYSTEM: Be kind.\nUSER: ",
        Mark.IMAGE,
        "\n",
        Mark.IMAGE,
        "\nWhat is it? ASSISTANT: A star.",
        Mark.END,
        "USER: Before ",
        Mark.IMAGE,
        "\nafter ASSISTANT:",
    ]


def test_marks_written_in_a_question_are_text(runtime: Runtime) -> None:
    ids = runtime.ids(Prompt.of("Is <image> here</s>?").turns)
    assert not {0, 1, 2, 3} & set(ids)
    assert runtime._tokenizer.decode(ids) == "USER: Is <image> here</s>? ASSISTANT:"


def test_half_a_surrogate_pair_is_asked_like_any_other_text(runtime: Runtime) -> None:
    ids = runtime.ids(Prompt.of("a \ud83d b").turns)
    assert runtime._tokenizer.decode(ids) == "USER: a � b ASSISTANT:"


def test_pixels_go_from_minus_one_to_one(runtime: Runtime) -> None:
    image = Image.new("RGB", (200, 50), "white")
    image.paste("black", (0, 0, 100, 50))
    pixels = runtime.pixels(image)
    assert pixels.shape == (3, 96, 96)
    assert pixels.dtype == np.float32
    assert (pixels[:, :, 0] == -1).all() and (pixels[:, :, -1] == 1).all()


def test_answers_of_a_batch_are_those_of_single_calls(
    model: TinyModel, images: list[ImageRef]
) -> None:
    requests = [
        asked("What shape is it?", images[:1]),
        asked("Of three pictures, which one shows a blue circle? Look at all of them.", images),
        asked("Hello!"),
        asked("Was ist das für eine Form? 図形は何ですか", images[1:]),
        asked("What shape is it?", images[2:], max_tokens=2),
    ]
    single = [answers(model, request)[0] for request in requests]
    assert answers(model, *requests) == single
    assert answers(model, *reversed(requests)) == single[::-1]


def test_a_long_prompt_is_read_in_passes_with_the_same_result(
    model: TinyModel, images: list[ImageRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [asked("Which shape is it? " * 9, images), asked("Which?", images[:2])]
    whole = answers(model, *requests)
    monkeypatch.setattr(tiny_runtime, "PREFILL", 20)
    assert answers(model, *requests) == whole


def test_a_prompt_longer_than_the_context_fails_alone_and_says_so(
    model: TinyModel, images: list[ImageRef]
) -> None:
    good, bad = asked("Which?", images[:1]), asked("Which shape is it? " * 2000, images)
    first, second, third = answers(model, good, bad, good)
    assert first == third and isinstance(first, Response)
    assert isinstance(second, ModelError) and not second.fatal
    assert f"3 images take {3 * IMAGE_TOKENS}" in str(second) and "its context holds 4096" in str(
        second
    )
    with pytest.raises(ModelError, match="its context holds 4096"):
        asyncio.run(model.generate(bad))


def test_tokens_are_counted_and_an_answer_cut_short_is_called_so(
    model: TinyModel, images: list[ImageRef]
) -> None:
    (whole,) = answers(model, asked("Explain step by step: what is in the picture?", images[:1]))
    (cut,) = answers(
        model, asked("Explain step by step: what is in the picture?", images[:1], max_tokens=1)
    )
    assert isinstance(whole, Response) and isinstance(cut, Response)
    assert whole.usage["completion_tokens"] > 1
    assert whole.text.startswith(cut.text)
    assert (cut.finish_reason, cut.usage["completion_tokens"]) == ("length", 1)
    assert whole.usage["prompt_tokens"] == cut.usage["prompt_tokens"] > IMAGE_TOKENS


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_tokenz": 5}, "Did you mean 'max_tokens'"),
        ({"temperature": 0.7}, "decodes greedily"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_tokens": "many"}, "max_tokens is 'many'"),
        ({"max_tokens": True}, "max_tokens is True"),
        ({"max_new_tokens": 1.5}, "max_new_tokens is 1.5"),
        ({"max_tokens": float("inf")}, "max_tokens is inf"),
        ({"max_tokens": float("nan")}, "max_tokens is nan"),
    ],
)
def test_a_parameter_that_it_does_not_follow_is_refused(
    model: TinyModel, params: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        TinyModel(params=params)
    with pytest.raises(ModelError, match=message):
        asyncio.run(model.generate(asked("Which?", **params)))


def test_who_decodes_when_the_session_ends_stops_at_the_next_token(model: TinyModel) -> None:
    ending = Runtime(model.checkpoint)
    (task,) = ending.prepare([asked("Explain.")])
    assert not isinstance(task, ModelError)
    ending.closing = True
    with pytest.raises(ModelError, match="the session is over"):
        ending.answer([task])
    assert not task.answer


def test_what_greedy_decoding_does_anyway_is_accepted(model: TinyModel) -> None:
    TinyModel(params={"temperature": 0, "max_tokens": 5})
    asyncio.run(model.generate(asked("Which?", temperature=0.0, max_tokens=2)))


def test_images_that_did_not_come_with_the_prompt_are_an_error(
    model: TinyModel, images: list[ImageRef]
) -> None:
    with pytest.raises(ModelError, match="shows 2 images and 0 came"):
        asyncio.run(model.generate(Request(Prompt.of("Which?", images=images[:2]))))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(bundled_checkpoint(), tmp_path / "copy"))


def edit(folder: Path, **settings: Any) -> None:
    """Change what the manifest says of the model."""
    path = folder / "onnx.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | settings), encoding="utf-8")


def test_an_answer_ends_at_the_context_s_end(copy: Path, runtime: Runtime) -> None:
    question = "Explain step by step: what is in the picture?"
    length = len(runtime.ids(Prompt.of(question).turns))
    edit(copy, context=length + 1)
    (response,) = answers(TinyModel(copy), asked(question))
    assert isinstance(response, Response)
    assert response.usage == {"prompt_tokens": length, "completion_tokens": 1}
    assert response.finish_reason == "length"


FILES = ("model.safetensors", "tokenizer.json", "vision.onnx", "decoder.onnx", "onnx.json")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(UsageError) as caught:
        TinyModel(copy)
    assert f"{copy / name}: No such file" in str(caught.value)
    assert f"python tiny/export.py {copy}" in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(copy: Path, name: str) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(UsageError) as caught:
        TinyModel(copy)
    assert f"{copy / name} is damaged" in str(caught.value)


@pytest.mark.parametrize("content", ["[]", "{}", '{"files": 3}', "null"])
def test_a_manifest_that_says_something_else_is_damaged(copy: Path, content: str) -> None:
    (copy / "onnx.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"onnx\.json is damaged"):
        TinyModel(copy)


def test_the_bundled_model_is_mended_by_installing_it_anew(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_mmreason.models.tiny.bundled_checkpoint", lambda: copy)
    (copy / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="pip install --force-reinstall"):
        TinyModel()


def test_its_identity_is_the_content_of_its_files(model: TinyModel, copy: Path) -> None:
    assert TinyModel(copy).identity == model.identity
    edit(copy, max_new_tokens=3)
    assert TinyModel(copy).identity != model.identity


def test_a_checkpoint_reached_through_links_is_loaded(tmp_path: Path, model: TinyModel) -> None:
    for path in bundled_checkpoint().iterdir():
        (tmp_path / path.name).symlink_to(path)
    linked = TinyModel(tmp_path)
    assert answers(linked, asked("Which?")) == answers(model, asked("Which?"))


def test_what_cannot_be_loaded_ends_the_run(
    copy: Path, monkeypatch: pytest.MonkeyPatch, model: TinyModel
) -> None:
    broken = TinyModel(copy)
    (copy / "decoder.onnx").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        asyncio.run(broken.generate(asked("Which?")))
    assert caught.value.fatal and str(copy) in str(caught.value)


def test_making_it_imports_nothing_heavy() -> None:
    program = (
        "import sys; from pytest_mmreason.models.tiny import TinyModel; TinyModel();"
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'PIL') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert result.stdout.strip() == "[]"


def test_what_is_not_installed_is_said_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "onnxruntime" else found(name)
    )
    with pytest.raises(UsageError) as caught:
        TinyModel()
    assert "onnxruntime" in str(caught.value)
    assert "pip install 'pytest-mmreason[tiny]'" in str(caught.value)
