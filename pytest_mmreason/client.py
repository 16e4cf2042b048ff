"""How test items reach the engine: the same calls in its process and from a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pytest_mmreason.engine import Engine, Evaluated
from pytest_mmreason.errors import JudgeError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.ledger import Ledger
from pytest_mmreason.models.base import Response
from pytest_mmreason.plan import Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.registry import FIXTURE, as_judge, as_model
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict

Selection = Sequence[tuple[str, Work]]
"""(node id, work) of every selected item that is expected to yield a record."""


class Client(Protocol):
    """What fixtures ask of the engine, wherever it lives."""

    def select(self, selection: Selection) -> None:
        """Tell what this process is going to run, in order."""
        ...

    def evaluate(
        self, work: Work, sample: Sample | None, while_waiting: Callable[[], None] | None
    ) -> Evaluated:
        """The record of `work`, waited for; of `sample` in place of the plan's, if given."""
        ...

    def generate(self, spec: str, prompt: Prompt, images: Sequence[LoadedImage]) -> Response:
        """One answer of a model. Raises ModelError."""
        ...

    def verdict(self, protocol: str, sample: Sample, text: str) -> Verdict:
        """One verdict of the judge. Raises JudgeError."""
        ...

    def bring_model(self, model: Any) -> None:
        """Hand over what the session's own ``mm_model`` fixture made."""
        ...

    def bring_judge(self, judge: Any) -> None:
        """Hand over what the session's own ``mm_judge`` fixture made."""
        ...


class LocalClient:
    """The engine lives in this process."""

    def __init__(self, engine: Engine, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self._brought: set[str] = set()

    def select(self, selection: Selection) -> None:
        """Expect a record of each, and begin to run ahead."""
        self._ledger.expect(selection)
        self._engine.select([work for _, work in selection])

    def evaluate(
        self, work: Work, sample: Sample | None, while_waiting: Callable[[], None] | None
    ) -> Evaluated:
        """See :meth:`Client.evaluate`."""
        return self._engine.evaluate(work, sample=sample, while_waiting=while_waiting)

    def generate(self, spec: str, prompt: Prompt, images: Sequence[LoadedImage]) -> Response:
        """See :meth:`Client.generate`."""
        return self._engine.generate(spec, prompt, images)

    def verdict(self, protocol: str, sample: Sample, text: str) -> Verdict:
        """See :meth:`Client.verdict`."""
        found = self._engine.verdict(protocol, sample, text)
        if found.verdict is None:
            raise found.error or JudgeError("the judge gave no verdict")
        return found.verdict

    def bring_model(self, model: Any) -> None:
        """The engine takes it over, and runs ahead with it."""
        if "model" not in self._brought:
            self._brought.add("model")
            self._engine.adopt({FIXTURE: as_model(model, FIXTURE)}, None)

    def bring_judge(self, judge: Any) -> None:
        """The engine takes it over, and runs ahead with it."""
        if "judge" not in self._brought:
            self._brought.add("judge")
            self._engine.adopt({}, as_judge(judge, FIXTURE))
