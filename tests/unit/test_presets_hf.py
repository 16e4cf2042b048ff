"""Presets of ``hf``: what is loaded, and the very text that the model's processor is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra hf is not installed")
pytest.importorskip("transformers", reason="the extra hf is not installed")

import PIL.Image

from pytest_mmreason import imaging
from pytest_mmreason.errors import UsageError
from pytest_mmreason.models import transformers as hf
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.presets import load
from pytest_mmreason.prompting import follow_up, render
from pytest_mmreason.registry import Registry
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.settings import Settings
from tests.support.checkpoints.llava import make_llava
from tests.support.checkpoints.papers import make_blip2_opt, make_idefics

PRESETS = load()
LOCAL = [preset.name for preset in PRESETS.values() if preset.backend == "hf"]
CHAT = (
    "A chat between a curious user and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the user's questions."
)


def two_images(folder: Path) -> Sample:
    """A sample with two images."""
    for name in ("a.png", "b.png"):
        PIL.Image.new("RGB", (40, 40)).save(folder / name)
    images = (ImageRef("a.png", str(folder)), ImageRef("b.png", str(folder)))
    return Sample("s", "Which one?", images=images, answer="the left")


@pytest.mark.parametrize("name", LOCAL)
def test_a_preset_loads_its_checkpoint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}

    def note(source: str, **options: Any) -> str:
        made.update(options, source=source)
        return "the model"

    monkeypatch.setattr(hf, "HFModel", note)
    settings = Settings(model=(name,), base_url="http://127.0.0.1:9/v1", param={"seed": 1})
    assert Registry().model(name, settings) == "the model"
    preset = PRESETS[name]
    assert made["source"] == preset.checkpoint
    assert made["chat_template"] == (preset.chat_template or None)
    assert made["max_images"] == (None if preset.several_images else 1)
    # What can be checked early is checked of the preset's parameters too.
    assert made["params"] == {**preset.usage("infimm-eval").params, "seed": 1}


def test_a_checkpoint_that_is_not_here_is_named_before_any_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UsageError, match=r"llava-hf/llava-1\.5-7b-hf"):
        Registry().model("llava", Settings(model=("llava",)))


@pytest.mark.parametrize(
    ("name", "make", "text"),
    [
        ("llava", make_llava, f"{CHAT} USER: <image>\n<image>\nWhich one? ASSISTANT:"),
        ("idefics", make_idefics, "User:\n<image><image>\nWhich one?\nAssistant:"),
        ("blip-2", make_blip2_opt, "Question:Which one?\nAnswer:"),
    ],
)
def test_the_processor_is_given_the_prompt_of_table_5(
    name: str, make: Callable[[Path], None], text: str, tmp_path: Path
) -> None:
    make(tmp_path / "checkpoint")
    spec = f"{name}:hf:{tmp_path / 'checkpoint'}"
    registry = Registry()
    model = registry.model(spec, Settings(model=(spec,)))
    preset = registry.preset(spec)
    assert isinstance(model, hf.HFModel)
    assert preset is not None
    sample = two_images(tmp_path)
    prompt = render(sample, template=preset.usage("infimm-eval").template)

    def shown(prompt: Any) -> str:
        request = Request(prompt, [imaging.load(image) for image in prompt.images])
        return model._chat.text(model._chat.conversation(request))

    assert shown(prompt).strip() == text
    asked_again = shown(follow_up(prompt, "I do not know."))
    assert asked_again.startswith(text)
    assert "I do not know." in asked_again.removeprefix(text)
