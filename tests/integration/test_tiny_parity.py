"""The graphs answer as transformers answers from the same folder."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="the extra `tiny` is not installed")
pytest.importorskip("torch", reason="compares with transformers, which needs torch")
pytest.importorskip("transformers", reason="compares with transformers")

import numpy as np
import torch
import transformers

from pytest_mmreason import imaging
from pytest_mmreason.errors import CallError
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.models.tiny import TinyModel, bundled_checkpoint
from pytest_mmreason.models.tiny_runtime import Runtime
from pytest_mmreason.models.transformers import HFModel
from pytest_mmreason.prompting import COT_SENTENCE, Prompt, Turn, follow_up
from pytest_mmreason.registry import bundled_benchmark
from pytest_mmreason.sample import ImageRef

PROMPTS = 60
BATCH = 10
MAX_TOKENS = 24
"""Answers are compared this far: it is the first tokens that differ if anything does."""

QUESTIONS = (
    "What shape is at the top left?",
    "which color is the star",
    "How many circles are there?\nAnswer with a number.",
    f"Is the red square left of the blue cross? {COT_SENTENCE}",
    "Quelle est la forme à côté de l'étoile — le cercle ?",
    "左上の図形は何色ですか？ 🟥🔵",
    "Which shape is odd one out?  Two  spaces,\ttabs\nand lines. ",
    "Сколько здесь треугольников?",
    "don't say it's 12,345.67% (or [more])!",
)
SYSTEMS = ("You are a helpful assistant.", "Réponds en un mot.", "")


def prompts() -> Iterator[Prompt]:
    """Prompts of no to three images, with and without system prompt, of one to three turns."""
    rng = random.Random(7)
    folder = bundled_benchmark("mini")
    files = sorted(str(path.relative_to(folder)) for path in (folder / "images").glob("*.png"))
    for n in range(PROMPTS):
        images = [ImageRef(rng.choice(files), str(folder)) for _ in range(n % 4)]
        prompt = Prompt.of(rng.choice(QUESTIONS), rng.choice(SYSTEMS), images)
        if n % 5 == 1:
            prompt = follow_up(prompt, rng.choice(("a red star", "3", "Ça dépend.")))
        if n % 7 == 2:  # a worked example before, the image after the text
            example = ImageRef(rng.choice(files), str(folder))
            turns = (Turn("user", ("Look here: ", example)), Turn("assistant", ("blue",)))
            prompt = Prompt((*turns, *prompt.turns[-1:]))
        yield prompt


def messages(prompt: Prompt) -> list[dict[str, Any]]:
    """`prompt` as transformers takes it."""
    found = []
    for turn in prompt.turns:
        parts = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"}
            for part in turn.parts
        ]
        found.append({"role": turn.role, "content": parts})
    return found


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """On a busy machine the threads of so small a model wait for each other most of the time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def requests() -> list[Request]:
    return [
        Request(p, [imaging.load(ref) for ref in p.images], {"max_tokens": MAX_TOKENS})
        for p in prompts()
    ]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime(TinyModel().checkpoint)


@pytest.fixture(scope="module")
def processor() -> Any:
    return transformers.AutoProcessor.from_pretrained(bundled_checkpoint())


def inputs(processor: Any, requests: list[Request]) -> Any:
    """What transformers makes of `requests`, padded on the left."""
    texts = [
        processor.apply_chat_template(messages(r.prompt), add_generation_prompt=True)
        for r in requests
    ]
    images = [image.pil() for r in requests for image in r.images] or None
    return processor(
        images=images, text=texts, padding=True, padding_side="left", return_tensors="pt"
    )


def test_prompts_become_the_same_ids_and_images_the_same_pixels(
    requests: list[Request], runtime: Runtime, processor: Any
) -> None:
    for request in requests:
        expected = inputs(processor, [request])
        (task,) = runtime.prepare([request])
        assert not isinstance(task, Exception), task
        assert task.ids == expected["input_ids"][0].tolist(), request.prompt
        if request.images:
            assert np.array_equal(np.stack(task.pixels), expected["pixel_values"].numpy())


def test_answers_are_those_of_transformers_single_and_in_batches(
    requests: list[Request], runtime: Runtime, processor: Any
) -> None:
    model = transformers.LlavaForConditionalGeneration.from_pretrained(
        bundled_checkpoint(), dtype=torch.float32
    )
    # Requests without an image have no pixel values to be batched with others.
    ordered = sorted(requests, key=lambda request: bool(request.images))
    bare = sum(not request.images for request in ordered)
    expected: list[str] = []
    for start, end in ((0, bare), (bare, len(ordered))):
        for first in range(start, end, BATCH):
            batch = inputs(processor, ordered[first : min(first + BATCH, end)])
            with torch.no_grad():
                ids = model.generate(**batch, max_new_tokens=MAX_TOKENS, do_sample=False)
            new = ids[:, batch["input_ids"].shape[1] :]
            expected += processor.batch_decode(new, skip_special_tokens=True)
    assert len(expected) == len(ordered) >= 50
    batched: list[Response] = []
    for first in range(0, len(ordered), BATCH):
        tasks = runtime.prepare(ordered[first : first + BATCH])
        batched += runtime.answer([task for task in tasks if not isinstance(task, Exception)])
    for request, text, response in zip(ordered, expected, batched, strict=True):
        (task,) = runtime.prepare([request])
        assert not isinstance(task, Exception)
        (single,) = runtime.answer([task])
        assert single == response, request.prompt
        assert single.text == text.strip(), request.prompt
        assert single.usage["prompt_tokens"] == len(task.ids)


def test_answers_are_those_of_the_hf_adapter(requests: list[Request], runtime: Runtime) -> None:
    async def ask() -> list[tuple[Request, Response | CallError]]:
        model = HFModel(str(bundled_checkpoint()), device="cpu")
        await model.load()
        found: list[tuple[Request, Response | CallError]] = []
        ordered = sorted(requests, key=lambda request: len(request.images))
        for _, group in itertools.groupby(ordered, model.shape_of):
            batch = list(group)
            outcomes = await model.generate_batch(await model.prepare_batch(batch))
            found += zip(batch, outcomes, strict=True)
        await model.aclose()
        return found

    answered = asyncio.run(ask())
    assert len(answered) == PROMPTS
    for request, expected in answered:
        (task,) = runtime.prepare([request])
        assert not isinstance(task, Exception)
        (response,) = runtime.answer([task])
        assert isinstance(expected, Response)
        assert response == dataclasses.replace(expected, model=None), request.prompt


def test_the_folder_holds_what_transformers_needs_and_no_weights_twice() -> None:
    folder: Path = bundled_checkpoint()
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert {"config.json", "processor_config.json", "chat_template.jinja"} <= sizes.keys()
    graphs = sum(size for name, size in sizes.items() if name.endswith(".onnx"))
    assert graphs < 200_000 < sizes["model.safetensors"]
