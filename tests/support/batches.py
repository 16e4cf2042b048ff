"""A batching model that answers by a script and remembers its batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from pytest_mmreason.errors import CallError, ModelError
from pytest_mmreason.models.base import Request, Response
from pytest_mmreason.prompting import Prompt

Script = Callable[[Sequence[Request]], Any]


def echo(requests: Sequence[Request]) -> list[Response | CallError]:
    """Each request's own answer."""
    return [Response(f"answer to {request.sample}") for request in requests]


class StubBatches:
    """A local model in one piece.

    script:  a function of a batch's requests: their outcomes, or an exception to raise.
    fits:    requests that fit into memory at a time; None for any number.
    gate:    batches wait for it, where it is given.
    """

    wants_images = True
    offline = False
    cacheable = True
    max_concurrency: int | None = None
    detail = "stub"

    def __init__(
        self,
        script: Script = echo,
        *,
        batch_size: int | None = 4,
        replicas: int = 1,
        fits: int | None = None,
        gate: asyncio.Event | None = None,
    ) -> None:
        self.name = "local"
        self.identity: Mapping[str, Any] = {"kind": "stub batches"}
        self.script = script
        self.batch_size = batch_size
        self.replicas = replicas
        self.fits = fits
        self.gate = gate
        self.loads = 0
        self.prepared: list[list[str]] = []
        self.batches: list[list[str]] = []
        self.under_way = self.peak = 0
        self.closed = False

    def shape_of(self, request: Request) -> Hashable:
        return len(request.images), tuple(sorted(request.params.items()))

    async def load(self) -> None:
        self.loads += not self.loads

    async def prepare_batch(self, requests: Sequence[Request]) -> list[Request]:
        assert self.loads
        self.prepared.append([request.sample for request in requests])
        return list(requests)

    async def generate_batch(self, prepared: list[Request]) -> Sequence[Response | CallError]:
        self.batches.append([request.sample for request in prepared])
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        try:
            await asyncio.sleep(0)
            if self.gate is not None:
                await self.gate.wait()
            if self.fits is not None and len(prepared) > self.fits:
                raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")
            outcomes = self.script(prepared)
        finally:
            self.under_way -= 1
        if isinstance(outcomes, BaseException):
            raise outcomes
        found: Sequence[Response | CallError] = outcomes
        return found

    async def generate(self, request: Request) -> Response:
        await self.load()
        outcome = (await self.generate_batch([request]))[0]
        if isinstance(outcome, CallError):
            raise outcome
        return outcome

    async def aclose(self) -> None:
        self.closed = True


def request(name: str, text: str = "Why?", **params: Any) -> Request:
    """A request without images."""
    return Request(Prompt.of(text), params=params, sample=name)


def fails_for(*names: str) -> Script:
    """A script that raises where a batch holds one of these samples."""

    def script(requests: Sequence[Request]) -> Any:
        bad = [r.sample for r in requests if r.sample in names]
        return ValueError(f"cannot compute {bad[0]}") if bad else echo(requests)

    return script


def refuses(*names: str) -> Script:
    """A script that gives these samples an error of their own."""
    return lambda requests: [
        ModelError("refused") if r.sample in names else Response(f"answer to {r.sample}")
        for r in requests
    ]
