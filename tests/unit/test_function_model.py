"""A model that is the user's own function: called as it can bear, its faults told."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PIL import Image

from pytest_mmreason.errors import ModelError
from pytest_mmreason.imaging import load
from pytest_mmreason.models.base import ModelAdapter, Request, Response
from pytest_mmreason.models.function import FunctionModel, source_identity
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.sample import ImageRef

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, 20))


def ask(function: Callable[..., Any], text: str = "why?") -> Response:
    async def once() -> Response:
        model = FunctionModel(function, "python:mine:answer")
        try:
            return await model.generate(Request(Prompt.of(text)))
        finally:
            await model.aclose()

    return run(once())


def test_function_gets_the_text_and_rgb_images_of_its_own(tmp_path: Path) -> None:
    Image.new("L", (3, 2)).save(tmp_path / "a.png")
    ref = ImageRef("a.png", str(tmp_path))
    seen: list[Any] = []

    def answer(prompt: str, images: list[Image.Image]) -> str:
        seen.extend([prompt, *((image.mode, image.size) for image in images)])
        return "42"

    model = FunctionModel(answer, "m")
    assert isinstance(model, ModelAdapter)
    prompt = Prompt.of("why?", images=[ref])
    assert run(model.generate(Request(prompt, [load(ref)]))) == Response("42")
    assert seen == ["why?", ("RGB", (3, 2))]
    run(model.aclose())


def overlap(function: Any, calls: int = 6) -> int:
    """The most calls that a model lets its function see at once."""

    async def many() -> None:
        model = FunctionModel(function, "m")
        cap = asyncio.Semaphore(model.max_concurrency or 100)

        async def one() -> None:
            async with cap:
                await model.generate(Request(Prompt.of("q")))

        await asyncio.gather(*(one() for _ in range(calls)))
        await model.aclose()

    run(many())
    peak: int = function.peak
    return peak


class Counting:
    """A plain function object that waits until `expected` calls are under way at once."""

    def __init__(self, expected: int) -> None:
        self.peak = self._under_way = 0
        self._barrier = threading.Barrier(expected)
        self._lock = threading.Lock()

    def __call__(self, prompt: str, images: list[Any]) -> str:
        with self._lock:
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        self._barrier.wait(10)
        with self._lock:
            self._under_way -= 1
        return "a"


def test_plain_functions_are_called_one_at_a_time() -> None:
    assert overlap(Counting(expected=1)) == 1


def test_limits_are_told_to_the_engine() -> None:
    assert FunctionModel(raising, "m").max_concurrency == 1
    assert FunctionModel(raising_async, "m").max_concurrency is None


def test_plain_functions_may_ask_for_more_calls_at_once() -> None:
    function = Counting(expected=3)
    function.max_concurrency = 3  # type: ignore[attr-defined]
    assert overlap(function) == 3


def test_async_functions_overlap() -> None:
    gate = asyncio.Barrier(6)

    async def answer(prompt: str, images: list[Any]) -> str:
        await gate.wait()
        return "a"

    answer.peak = 6  # type: ignore[attr-defined]
    assert overlap(answer) == 6


@pytest.mark.parametrize("limit", [0, -1, "3", 1.5])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    def answer(prompt: str, images: list[Any]) -> str:
        return ""

    answer.max_concurrency = limit  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="not a whole number above 0"):
        FunctionModel(answer, "m")


def test_what_cannot_be_called_is_refused_by_type() -> None:
    with pytest.raises(ModelError, match="m is int, not callable"):
        FunctionModel(3, "m")  # type: ignore[arg-type]


@pytest.mark.parametrize("value, name", [(None, "NoneType"), (b"x", "bytes"), (3, "int")])
def test_anything_but_text_is_an_error_that_names_its_type(value: Any, name: str) -> None:
    with pytest.raises(ModelError, match=f"python:mine:answer returned {name}") as caught:
        ask(lambda prompt, images: value)
    assert not caught.value.retryable


def test_a_response_is_passed_through() -> None:
    response = Response("42", "length", {"prompt_tokens": 3}, "mine-7b")
    assert ask(lambda prompt, images: response) is response


def test_plain_functions_that_return_an_awaitable_are_awaited() -> None:
    async def answer(prompt: str) -> str:
        return prompt.upper()

    assert ask(lambda prompt, images: answer(prompt)).text == "WHY?"


async def raising_async(prompt: str, images: list[Any]) -> str:
    raise KeyError("lamp")


def raising(prompt: str, images: list[Any]) -> str:
    raise KeyError("lamp")


@pytest.mark.parametrize("function", [raising, raising_async])
def test_an_exception_is_told_with_its_traceback(function: Callable[..., Any]) -> None:
    with pytest.raises(ModelError, match="raised KeyError: 'lamp'") as caught:
        ask(function)
    assert function.__name__ in (caught.value.detail or "")
    assert (caught.value.cause, caught.value.retryable) == ("model raised", False)


@pytest.mark.parametrize("kind", [ConnectionResetError, TimeoutError])
def test_a_lost_connection_is_worth_another_try(kind: type[Exception]) -> None:
    def answer(prompt: str, images: list[Any]) -> str:
        raise kind("gone")

    with pytest.raises(ModelError) as caught:
        ask(answer)
    assert (caught.value.cause, caught.value.retryable) == (kind.__name__, True)


def test_model_errors_of_the_function_pass_through() -> None:
    error = ModelError("busy", cause="429", retryable=True, retry_after_s=3)

    def answer(prompt: str, images: list[Any]) -> str:
        raise error

    with pytest.raises(ModelError) as caught:
        ask(answer)
    assert caught.value is error


@pytest.mark.parametrize(
    "kind", [SystemExit, KeyboardInterrupt, StopIteration, asyncio.CancelledError]
)
@pytest.mark.parametrize("way", ["plain", "async", "awaitable"])
def test_nothing_that_a_function_raises_ends_the_loop(kind: type[BaseException], way: str) -> None:
    async def raises_async(prompt: str, images: list[Any]) -> str:
        raise kind("stop it")

    def raises(prompt: str, images: list[Any]) -> str:
        raise kind("stop it")

    ways = {
        "plain": raises,
        "async": raises_async,
        "awaitable": lambda prompt, images: raises_async(prompt, images),
    }
    with pytest.raises(ModelError, match=kind.__name__):
        ask(ways[way])


def test_a_call_that_never_ends_does_not_block_the_next() -> None:
    release = threading.Event()

    def answer(prompt: str, images: list[Any]) -> str:
        if prompt == "slow":
            release.wait(60)
        return prompt

    async def course() -> str:
        model = FunctionModel(answer, "m")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(model.generate(Request(Prompt.of("slow"))), 0.05)
        found = await model.generate(Request(Prompt.of("quick")))
        await model.aclose()
        release.set()
        return found.text

    assert run(course()) == "quick"


def test_one_thread_serves_one_call_after_another() -> None:
    names: list[int] = []

    def answer(prompt: str, images: list[Any]) -> str:
        names.append(threading.get_ident())
        if prompt == "bad":
            raise ValueError
        return ""

    async def course() -> None:
        model = FunctionModel(answer, "m")
        for text in ("a", "bad", "b"):
            await asyncio.gather(model.generate(Request(Prompt.of(text))), return_exceptions=True)
        await model.aclose()

    run(course())
    assert len(set(names)) == 1


def module(path: Path, source: str) -> Any:
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("made_model", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["made_model"] = made
    spec.loader.exec_module(made)
    return made


SOURCE = "def answer(prompt, images):\n    return 'a'\n"


def test_identity_changes_with_the_source_and_the_authors_version(tmp_path: Path) -> None:
    path = tmp_path / "made_model.py"
    first = source_identity(module(path, SOURCE).answer)
    assert source_identity(module(path, SOURCE).answer) == first
    assert source_identity(module(path, SOURCE + "# x\n").answer) != first
    versioned = module(path, SOURCE)
    versioned.answer.version = 2
    assert source_identity(versioned.answer) == {**first, "version": "2"}


def test_identity_of_an_object_is_that_of_its_class(tmp_path: Path) -> None:
    source = "class Model:\n    def __call__(self, p, i):\n        return 'a'\n"
    path = tmp_path / "made_model.py"
    first = source_identity(module(path, source).Model())
    assert first["name"] == "Model"
    assert source_identity(module(path, source + "# x\n").Model()) != first


def test_identity_of_a_partial_is_that_of_its_function_and_arguments() -> None:
    def answer(size: int, prompt: str, images: list[Any], *, warm: bool = False) -> str:
        return ""

    made = [
        source_identity(function)
        for function in (
            functools.partial(answer, 7),
            functools.partial(answer, 13),
            functools.partial(answer, 7, warm=True),
            functools.partial(functools.partial(answer, 7), warm=True),
            functools.partial(raising, "7"),
        )
    ]
    assert made[2] == made[3]
    assert len({str(identity) for identity in made}) == 4
    assert source_identity(functools.partial(answer, 7)) == made[0]
