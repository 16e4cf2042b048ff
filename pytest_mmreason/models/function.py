"""``python:MODULE:ATTR`` and ``fixture``: a model that is a Python callable."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import inspect
import queue
import re
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pytest_mmreason.errors import ModelError
from pytest_mmreason.models.base import Request, Response

T = TypeVar("T")


class Caller:
    """Calls a user's function from the event loop.

    Async functions are awaited and may overlap. Plain ones run in threads of their own,
    one call at a time unless the object sets ``max_concurrency``: many models (and what
    they hold: a GPU, a file, a session) bear no second thread.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - the bound method is what is inspected
        )
        limit = getattr(function, "max_concurrency", None)
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise ModelError(
                f"max_concurrency of {function!r} is {limit!r}, not a whole number above 0"
            )
        self.max_concurrency: int | None = limit or (None if self.is_async else 1)
        self._idle: list[_Thread] = []

    async def call(self, *args: Any) -> Any:
        """The function's result; its exceptions pass through."""
        if self.is_async:
            return await awaited(self._function(*args))
        thread = self._idle.pop() if self._idle else _Thread()
        try:
            result = await thread.run(functools.partial(self._function, *args))
        except asyncio.CancelledError:
            # A call that timed out still holds its thread: it is left to end by itself.
            thread.stop()
            raise
        except BaseException:
            self._idle.append(thread)
            raise
        self._idle.append(thread)
        return await awaited(result) if inspect.isawaitable(result) else result

    async def aclose(self) -> None:
        """End the threads once their calls are over."""
        for thread in self._idle:
            thread.stop()
        self._idle.clear()


async def awaited(awaitable: Awaitable[T]) -> T:
    """What comes of a user's own code, which must neither end the engine's loop nor cancel its task."""
    try:
        return await awaitable
    except (SystemExit, KeyboardInterrupt) as error:
        raise _as_ordinary(error) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise _as_ordinary(error) from error  # the function's own, nobody cancelled us


def _as_ordinary(error: BaseException) -> Exception:
    """`error`, or one in its place that may cross an event loop.

    A user's ``sys.exit()`` would end the engine's loop, and a future holds no StopIteration.
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")


class _Thread:
    """A daemon thread that runs one function after another.

    Daemon, because a user's call that never returns must not keep pytest from exiting;
    the executors of the standard library would wait for it.
    """

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._loop, name="mmreason-call", daemon=True).start()

    def _loop(self) -> None:
        while (job := self._work.get()) is not None:
            job()
            del job

    async def run(self, function: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(setter: Callable[[Any], None], value: Any) -> None:
            if not future.cancelled():
                setter(value)

        def job() -> None:
            try:
                outcome: tuple[Callable[[Any], None], Any] = (future.set_result, function())
            except BaseException as error:
                outcome = (future.set_exception, _as_ordinary(error))
            # A closed loop raises: nobody waits any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, *outcome)

        self._work.put(job)
        return await future

    def stop(self) -> None:
        self._work.put(None)


def source_identity(function: Callable[..., Any]) -> dict[str, Any]:
    """What can be known of a callable's version: its name, its source file's hash, and
    the ``version`` attribute that its author may set (weights, say, leave no other trace).
    """
    bound: dict[str, Any] = {}
    if isinstance(function, functools.partial):
        arguments = repr((function.args, sorted(function.keywords.items())))
        bound["arguments"] = re.sub(r" at 0x[0-9a-fA-F]+", "", arguments)
        function = function.func
    target = function if inspect.isroutine(function) else type(function)
    identity: dict[str, Any] = {
        **bound,
        "module": getattr(target, "__module__", None),
        "name": getattr(target, "__qualname__", repr(target)),
    }
    version = getattr(function, "version", None)
    if version is not None:
        identity["version"] = str(version)
    try:
        source = inspect.getsourcefile(target)
        if source:
            identity["source_sha256"] = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    except (TypeError, OSError):
        pass
    return identity


class FunctionModel:
    """A model adapter around ``answer(prompt: str, images: list[PIL.Image.Image]) -> str``.

    The function may be async. It may return a :class:`Response` to tell tokens and why it
    ended. What it raises becomes a ``model_error`` with the traceback; ConnectionError
    and TimeoutError are tried again.
    """

    wants_images = True
    offline = False
    cacheable = True

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        if not callable(function):
            raise ModelError(
                f"{name} is {type(function).__name__}, not callable as answer(prompt, images)"
            )
        self.name = name
        self._caller = Caller(function)
        self.max_concurrency = self._caller.max_concurrency
        self.retry_timeouts = self._caller.is_async
        self.identity: Mapping[str, Any] = {
            "kind": "python",
            "spec": name,
            **source_identity(function),
        }
        self.notes: list[str] = []

    async def generate(self, request: Request) -> Response:
        """One call of the function; ModelError if it raises or returns no text."""
        images = await asyncio.to_thread(lambda: [image.pil() for image in request.images])
        try:
            result = await self._caller.call(request.prompt.text, images)
        except (ConnectionError, TimeoutError) as error:
            raise ModelError(
                f"{self.name} raised {type(error).__name__}: {error}",
                cause=type(error).__name__,
                retryable=True,
                detail=traceback.format_exc(),
            ) from error
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"{self.name} raised {type(error).__name__}: {error}",
                cause="model raised",
                detail=traceback.format_exc(),
            ) from error
        if isinstance(result, Response):
            return result
        if not isinstance(result, str):
            raise ModelError(
                f"{self.name} returned {type(result).__name__}; answer(prompt, images) must return a str",
                cause="not a str",
            )
        return Response(str(result))

    async def aclose(self) -> None:
        """End the threads of the function."""
        await self._caller.aclose()
