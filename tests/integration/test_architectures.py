"""Every architecture that loads natively answers through the adapter of local checkpoints.

The checkpoints are tiny, random and made here; what they say means nothing, but it must be
text, depend on every image, end where it should, and not depend on the batch it was made in.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

import torch
from PIL import Image, ImageDraw

from pytest_mmreason.errors import ModelError, UsageError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.models import presets
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.models.transformers import HFModel
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import ImageRef
from tests.support.checkpoints import ARCHITECTURES, Architecture

# Some processors make numpy arrays of torch's tensors, of which both libraries warn.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

TOKENS = 6
QUESTIONS = (
    "What is it?",
    "Which of the things that are shown in the picture is the odd one out, and why is it so?",
    "How many?",
)


@dataclass
class Checkpoint:
    """A checkpoint, loaded once for every test of its architecture."""

    architecture: Architecture
    folder: Path
    model: HFModel
    runner: asyncio.Runner

    def answers(self, *requests: Request) -> set[str]:
        """The different texts among their responses."""
        return {response.text for response in self.batch(*requests)}

    def batch(self, *requests: Request) -> list[Response]:
        """Their responses, computed together, or by ones where it takes no batch."""
        if self.model.batch_size == 1:
            return [self.ask(request) for request in requests]
        prepared = self.runner.run(self.model.prepare_batch(requests))
        outcomes = self.runner.run(self.model.generate_batch(prepared))
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        return list(outcomes)

    def ask(self, request: Request) -> Response:
        return self.runner.run(self.model.generate(request))


def load(folder: Path) -> HFModel:
    return HFModel(
        str(folder), device="cpu", dtype="float32", batch_size=3, params={"max_tokens": TOKENS}
    )


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    # Threads that wait for each other cost such small models more than they save.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield runner
    torch.set_num_threads(threads)


@pytest.fixture(scope="module", params=ARCHITECTURES, ids=lambda found: found.name)
def checkpoint(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    runner: asyncio.Runner,
) -> Iterator[Checkpoint]:
    architecture: Architecture = request.param
    if architecture.missing:
        pytest.skip(architecture.missing)
    folder = tmp_path_factory.mktemp(architecture.name)
    architecture.make(folder)
    model = load(folder)
    runner.run(model.load())
    yield Checkpoint(architecture, folder, model, runner)
    runner.run(model.aclose())


def picture(number: int) -> LoadedImage:
    """One of many pictures, of two shapes and all colours."""
    size = ((40, 30), (30, 44))[number % 2]
    image = Image.new("RGB", size, (number * 97 % 256, number * 53 % 256, number * 151 % 256))
    corner = 4 + number % 5
    ImageDraw.Draw(image).ellipse([corner, corner, 22, 20], fill=(255 - number * 40 % 256, 90, 30))
    file = io.BytesIO()
    image.save(file, "PNG")
    return LoadedImage(f"{number}.png", file.getvalue(), "image/png", size, size, str(number))


def question(text: str, *pictures: int) -> Request:
    images = [picture(number) for number in pictures]
    refs = [ImageRef(image.path, Path()) for image in images]
    return Request(
        Prompt.of(text, images=refs), images, {"max_tokens": TOKENS}, sample=f"{text}{pictures}"
    )


def texts(responses: Sequence[Response]) -> list[str]:
    return [response.text for response in responses]


def test_every_architecture_that_a_preset_loads_is_made_here() -> None:
    loaded = {preset.model_type for preset in presets.load().values() if preset.backend == "hf"}
    assert loaded - {architecture.model_type for architecture in ARCHITECTURES} == set()


def test_is_the_class_that_its_config_names(checkpoint: Checkpoint) -> None:
    config = json.loads((checkpoint.folder / "config.json").read_text(encoding="utf-8"))
    assert config["model_type"] == checkpoint.architecture.model_type


def test_answers_with_new_text_only_and_ends_at_the_limit(checkpoint: Checkpoint) -> None:
    response = checkpoint.ask(question(QUESTIONS[1], 1))
    assert len(response.text) == TOKENS, "each token is a letter, and none is of the prompt"
    assert response.finish_reason == "length"
    assert response.usage["completion_tokens"] == TOKENS
    assert response.usage["prompt_tokens"] >= len(QUESTIONS[1])


def test_sees_the_image(checkpoint: Checkpoint) -> None:
    assert len(checkpoint.answers(*(question(QUESTIONS[0], number) for number in range(6)))) > 1


def test_sees_the_question(checkpoint: Checkpoint) -> None:
    assert len(checkpoint.answers(*(question(text, 1) for text in QUESTIONS))) > 1


def test_question_may_name_the_tokens_that_images_are_read_by(checkpoint: Checkpoint) -> None:
    chat = checkpoint.model._chat
    vocabulary = chat.tokenizer.get_added_vocab()
    names = [name for name in vocabulary if re.search("ima?ge?|SPEAKER", name, re.IGNORECASE)]
    ids = [
        chat.encode([question(text, 1)])["input_ids"]
        for text in (QUESTIONS[0], f"{QUESTIONS[0]} {' '.join(names)}")
    ]
    for name in names:
        plain, naming = [int((row == vocabulary[name]).sum()) for row in ids]
        assert plain == naming, name


def test_batch_answers_as_each_alone(checkpoint: Checkpoint) -> None:
    assert (checkpoint.model.batch_size == 1) == checkpoint.architecture.alone
    requests = [question(text, number) for number, text in enumerate(QUESTIONS)]
    alone = [checkpoint.ask(request) for request in requests]
    together = checkpoint.batch(*requests)
    assert texts(together) == texts(alone)
    assert [r.usage for r in together] == [r.usage for r in alone]


def test_several_images_are_seen_alone_and_in_batches_or_refused(checkpoint: Checkpoint) -> None:
    if checkpoint.architecture.max_images == 1:
        with pytest.raises(ModelError, match=r"takes one image at a time.*has 2.*--mm-max-errors"):
            checkpoint.ask(question(QUESTIONS[0], 0, 1))
        return
    second = [question(QUESTIONS[0], 0, number) for number in range(1, 7)]
    assert len(checkpoint.answers(*second)) > 1, "the second image changes nothing"
    first = [question(QUESTIONS[0], number, 0) for number in range(1, 7)]
    assert len(checkpoint.answers(*first)) > 1, "the first image changes nothing"
    requests = [question(text, number, 5 - number) for number, text in enumerate(QUESTIONS)]
    alone = [checkpoint.ask(request) for request in requests]
    assert texts(checkpoint.batch(*requests)) == texts(alone)


def test_answers_without_an_image_or_says_that_it_needs_one(checkpoint: Checkpoint) -> None:
    request = question(QUESTIONS[1])
    if not checkpoint.architecture.min_images:
        assert len(checkpoint.ask(request).text) == TOKENS
        return
    with pytest.raises(ModelError, match="on an image only, and this sample has none"):
        checkpoint.ask(request)
    with pytest.raises(UsageError, match="--mm-images=none, or captions, sends it none"):
        HFModel(str(checkpoint.folder), device="cpu", images=False)


def test_answer_that_ends_early_is_the_same_in_a_batch(
    checkpoint: Checkpoint, tmp_path: Path
) -> None:
    requests = [question(text, number) for number, text in enumerate(QUESTIONS)]
    whole = checkpoint.batch(*requests)
    # The same weights, told that a letter of the second answer ends it.
    last = whole[1].text[2]
    folder = shutil.copytree(checkpoint.folder, tmp_path / "stops")
    path = folder / "generation_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    tokenizer = checkpoint.model._chat.tokenizer
    config["eos_token_id"] = [config["eos_token_id"], tokenizer.convert_tokens_to_ids(last)]
    path.write_text(json.dumps(config), encoding="utf-8")
    model = load(folder)
    checkpoint.runner.run(model.load())
    stopping = Checkpoint(checkpoint.architecture, folder, model, checkpoint.runner)
    together = stopping.batch(*requests)
    alone = [stopping.ask(request) for request in requests]
    checkpoint.runner.run(model.aclose())
    assert together == alone
    for before, after in zip(whole, together, strict=True):
        end = before.text.find(last) + 1
        assert after.text == (before.text[:end] if end else before.text)
        assert after.finish_reason == ("stop" if end else "length")
        assert after.usage["completion_tokens"] == len(after.text)
