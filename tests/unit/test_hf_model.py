"""The adapter of local checkpoints: how answers end, what they cost, and how it lets go."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

import torch
import transformers
from PIL import Image

from pytest_mmreason.errors import ModelError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.models.base import BatchingModel, Request, Response
from pytest_mmreason.models.transformers import HFModel
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import ImageRef
from tests.support.checkpoints.papers import make_idefics
from tests.support.local import llava, loads, offline, one_thread  # noqa: F401

T = TypeVar("T")
WAIT_S = 60.0


@asynccontextmanager
async def opened(folder: Path, **options: Any) -> AsyncIterator[HFModel]:
    model = HFModel(str(folder), device="cpu", **options)
    try:
        yield model
    finally:
        await model.aclose()


def asked(text: str = "What is it?", count: int = 1, **params: Any) -> Request:
    images = []
    for number in range(count):
        file = io.BytesIO()
        Image.new("RGB", (30, 30), (90 * number, 20, 200)).save(file, "PNG")
        images.append(LoadedImage(f"{number}.png", file.getvalue(), "image/png", (30, 30), (30, 30), str(number)))  # fmt: skip
    refs = [ImageRef(image.path, "") for image in images]
    return Request(Prompt.of(text, images=refs), images, {"max_tokens": 6, **params}, sample="s")


def run(folder: Path, act: Callable[[HFModel], Awaitable[T]], **options: Any) -> T:
    async def main() -> T:
        async with opened(folder, **options) as model:
            return await asyncio.wait_for(act(model), WAIT_S)

    return asyncio.run(main())


def test_adapter_is_one_that_computes_batches(llava: Path) -> None:  # noqa: F811
    model = HFModel(str(llava), device="cpu", batch_size=3)
    assert isinstance(model, BatchingModel)
    assert (model.name, model.replicas, model.batch_size) == (f"hf:{llava.name}", 1, 3)
    assert model.detail == "cpu · float32"
    shapes = {model.shape_of(asked(count=n, top_k=k)) for n in (0, 1) for k in (1, 1, 2)}
    assert len(shapes) == 4


def test_models_are_loaded_one_after_the_other(
    llava: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    auto = transformers.AutoModelForImageTextToText
    real = auto.from_pretrained
    before = transformers.PreTrainedModel.tie_weights
    loading: list[None] = []
    most = 0

    def from_pretrained(*args: Any, **options: Any) -> Any:
        nonlocal most
        loading.append(None)
        most = max(most, len(loading))
        time.sleep(0.05)  # so that another load, were it let in, would be seen
        found = real(*args, **options)
        loading.pop()
        return found

    async def main() -> None:
        models = [HFModel(str(llava), device="cpu") for _ in range(3)]
        await asyncio.gather(*(model.load() for model in models))
        for model in models:
            await model.aclose()

    monkeypatch.setattr(auto, "from_pretrained", from_pretrained)
    asyncio.run(main())
    assert most == 1
    assert transformers.PreTrainedModel.tie_weights is before


def test_answer_tells_how_it_ended_and_what_it_took(llava: Path) -> None:  # noqa: F811
    async def act(model: HFModel) -> list[Response]:
        whole = await model.generate(asked())
        stop = whole.text[2:4]
        assert whole.text.index(stop) == 2
        stopped = await model.generate(asked(max_tokens=20, stop=stop))
        return [whole, stopped]

    whole, stopped = run(llava, act)
    assert (whole.finish_reason, whole.usage["completion_tokens"]) == ("length", 6)
    assert whole.usage["prompt_tokens"] > 6
    assert stopped.finish_reason == "stop"
    assert stopped.text == whole.text[:2].strip()  # as OpenAI's API gives it: without the stop
    assert stopped.usage["completion_tokens"] < 20


def test_end_token_ends_an_answer_of_a_batch(llava: Path) -> None:  # noqa: F811
    async def act(model: HFModel) -> list[Response]:
        short, long = asked("Why?"), asked("Which of all the things that are shown is it?")
        alone = [await model.generate(short), await model.generate(long)]
        chat = model._chat.tokenizer
        loaded = model._idle.get()
        # From here on, the second token of the first answer ends every answer.
        second = chat(alone[0].text, add_special_tokens=False)["input_ids"][1]
        loaded.generation_config.eos_token_id = second
        model._idle.put(loaded)
        ended = await model.generate_batch(await model.prepare_batch([short, long]))
        return [alone[0], alone[1], *ended]  # type: ignore[list-item]

    alone, other, ended, kept = run(llava, act)
    assert alone.text.startswith(ended.text)
    assert (ended.finish_reason, ended.usage["completion_tokens"]) == ("stop", 2)
    if kept.finish_reason == "length":
        assert kept.text == other.text


def test_prompt_that_leaves_no_room_is_told_so(llava: Path) -> None:  # noqa: F811
    async def act(model: HFModel) -> None:
        await model.generate(asked("long " * 600))

    with pytest.raises(ModelError, match=r"the prompt takes \d+ tokens, .* context holds 2048"):
        run(llava, act)


def test_answer_is_no_longer_than_the_context_has_room(llava: Path) -> None:  # noqa: F811
    async def act(model: HFModel) -> Response:
        return await model.generate(asked("x" * 1990, max_tokens=500))

    response = run(llava, act)
    assert response.finish_reason == "length"
    assert sum(response.usage.values()) == 2048


def test_room_of_one_sample_is_not_that_of_its_batch(llava: Path) -> None:  # noqa: F811
    requests = [
        asked("x" * 1990, max_tokens=60),
        asked("Why?", max_tokens=60),
        asked("y" * 1985, max_tokens=60),
        asked("z" * 2100, max_tokens=60),
        asked("Which of all the things that are shown is it?", max_tokens=60),
        asked("u" * 1990, max_tokens=60),
    ]

    async def act(model: HFModel) -> tuple[list[Any], list[Any]]:
        alone: list[Any] = []
        for request in requests:
            try:
                alone.append(await model.generate(request))
            except ModelError as error:
                alone.append(error)
        return alone, list(await model.generate_batch(await model.prepare_batch(requests)))

    alone, batch = run(llava, act)
    assert isinstance(alone[3], ModelError)
    assert isinstance(batch[3], ModelError)
    assert str(batch[3]) == str(alone[3])
    del alone[3], batch[3]
    assert batch == alone
    assert [
        answer.usage["completion_tokens"] for answer in alone if answer.finish_reason == "length"
    ] == [
        min(60, 2048 - answer.usage["prompt_tokens"])
        for answer in alone
        if answer.finish_reason == "length"
    ]
    assert alone[0].usage["completion_tokens"] < 60
    assert len({answer.text for answer in alone}) == 5


def test_places_stay_within_the_context_where_each_has_a_vector(tmp_path: Path) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    from tests.support.checkpoints.pieces import byte_tokenizer, token_ids

    tokenizer = byte_tokenizer()
    torch.manual_seed(0)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
    config = GPT2Config(**sizes, **token_ids(tokenizer))
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    requests = [asked("x" * size, count=0, max_tokens=40) for size in (3, 50, 10, 58)]

    async def act(model: HFModel) -> tuple[list[Any], list[Any]]:
        alone = [await model.generate(request) for request in requests]
        return alone, list(await model.generate_batch(await model.prepare_batch(requests)))

    alone, batch = run(tmp_path, act, images=False)
    assert batch == alone
    assert alone[3].usage["completion_tokens"] <= 6


def spoilt(llava: Path, folder: Path, **settings: Any) -> Path:  # noqa: F811
    """A copy of the checkpoint with other settings in its generation config."""
    shutil.copytree(llava, folder)
    path = folder / "generation_config.json"
    content = json.loads(path.read_text(encoding="utf-8")) | settings
    path.write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "settings",
    [
        {"return_dict_in_generate": True, "output_scores": True, "output_logits": True},
        {"num_return_sequences": 2, "num_beams": 2},
        {"max_time": 1e-6},
        {"penalty_alpha": 0.6, "top_k": 4},
        {"dola_layers": "low"},
        {"prompt_lookup_num_tokens": 3, "token_healing": True, "stop_strings": []},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_settings_of_a_checkpoint_break_no_sample(
    llava: Path,  # noqa: F811
    tmp_path: Path,
    settings: dict[str, Any],
) -> None:
    async def act(model: HFModel) -> list[Any]:
        await model.load()
        pair = [asked(), asked("Which is it, then?")]
        return list(await model.generate_batch(await model.prepare_batch(pair)))

    folder = spoilt(llava, tmp_path / "spoilt", **settings)
    answers = run(folder, act)
    plain = {"num_beams": settings["num_beams"]} if "num_beams" in settings else {}
    expected = run(spoilt(llava, tmp_path / "plain", **plain), act)
    assert [answer.text for answer in answers] == [answer.text for answer in expected]
    assert all(answer.usage["completion_tokens"] == 6 for answer in answers)


def test_random_answers_of_a_checkpoint_with_beams_follow_the_seed(
    llava: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    folder = spoilt(llava, tmp_path / "beams", num_beams=3, early_stopping=True)

    async def act(model: HFModel) -> list[str]:
        requests = [asked("Why?", temperature=1.0), asked("Which is it?", temperature=1.0)]
        alone = [(await model.generate(request)).text for request in requests]
        both = await model.generate_batch(await model.prepare_batch(requests))
        assert [str(answer) for answer in both] == alone
        return alone

    params = {"temperature": 1.0}
    first = run(folder, act, params=params)
    assert run(folder, act, params=params) == first
    assert run(folder, act, params=params, seed=1) != first


def test_trusted_code_is_part_of_what_tells_a_model_apart(llava: Path) -> None:  # noqa: F811
    plain = HFModel(str(llava), device="cpu")
    trusted = HFModel(str(llava), device="cpu", trust_remote_code=True)
    assert trusted.identity == {**plain.identity, "own_code": True}
    assert trusted.notes == plain.notes


def test_weights_are_loaded_once_however_many_ask_at_a_time(
    llava: Path,  # noqa: F811
    loads: list[str],  # noqa: F811
) -> None:
    async def act(model: HFModel) -> None:
        await asyncio.gather(*(model.load() for _ in range(5)))
        await model.load()

    run(llava, act)
    assert loads == ["cpu"]


def test_memory_that_runs_out_is_a_memory_error_and_the_replica_serves_again(
    llava: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = HFModel._generate_on

    def crowded(self: HFModel, model: Any, prepared: Any) -> Any:
        if len(prepared.requests) > 1:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return real(self, model, prepared)

    monkeypatch.setattr(HFModel, "_generate_on", crowded)

    async def act(model: HFModel) -> Response:
        await model.load()
        with pytest.raises(MemoryError, match="Tried to allocate 2 GiB") as caught:
            await model.generate_batch(await model.prepare_batch([asked(), asked()]))
        assert caught.value.__cause__ is None
        return await model.generate(asked())

    assert run(llava, act).text


def test_close_ends_a_batch_at_its_next_token(llava: Path) -> None:  # noqa: F811
    async def main() -> None:
        async with opened(llava) as model:
            await model.load()
            prepared = await model.prepare_batch([asked(max_tokens=1900)])
            computing = asyncio.create_task(model.generate_batch(prepared))  # type: ignore[arg-type]
            await asyncio.sleep(0.5)
            await model.aclose()
            with pytest.raises(ModelError, match="the session is over"):
                await asyncio.wait_for(computing, WAIT_S)

    asyncio.run(main())


@pytest.mark.parametrize("question", ["https://host.invalid/a.png", " http://host/a\nb "])
def test_no_processor_fetches_what_a_question_names(tmp_path: Path, question: str) -> None:
    make_idefics(tmp_path)

    async def act(model: HFModel) -> str:
        with pytest.raises(ModelError, match="would fetch an image from 'http"):
            await model.generate(asked(question))
        return (await model.generate(asked(f"What is at {question} now?"))).text

    assert run(tmp_path, act)
