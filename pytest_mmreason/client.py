"""How test items reach the engine: the same calls in its process and from a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mmreason.errors import JudgeError
from pytest_mmreason.models.base import Response
from pytest_mmreason.plan import Plan, Work
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import Evaluated
from pytest_mmreason.registry import FIXTURE, as_judge, as_model
from pytest_mmreason.sample import Sample
from pytest_mmreason.settings import Settings
from pytest_mmreason.verdict import Verdict

if TYPE_CHECKING:
    import pytest

    # A worker has a client and no engine: it does not import one.
    from pytest_mmreason.engine import Engine
    from pytest_mmreason.imaging import LoadedImage
    from pytest_mmreason.ledger import Ledger

Selection = Sequence[tuple[str, Work]]
"""(node id, work) of every selected item that is expected to yield a record."""


class Client(Protocol):
    """What fixtures ask of the engine, wherever it lives."""

    def select(self, selection: Selection, by_hand: Sequence[str]) -> None:
        """Tell what this process is going to run, in order.

        by_hand: items that ask model or judge themselves; nothing is asked ahead for them.
        """
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

    def bring_model(self, model: Any, lasting: bool) -> None:
        """Hand over what the session's own ``mm_model`` fixture made.

        lasting: it serves the whole session. Raises UsageError if it is no model.
        """
        ...

    def bring_judge(self, judge: Any, lasting: bool) -> None:
        """Hand over what the session's own ``mm_judge`` fixture made, likewise."""
        ...


class Session(Protocol):
    """What hooks and fixtures ask of the session of their process, the owner's or a worker's."""

    is_worker: bool
    settings: Settings
    item: pytest.Item | None
    """The item that runs, or ran last."""
    is_set_aside: bool
    """True if a large plan was taken out of the garbage collector's sight."""

    @property
    def plan(self) -> Plan:
        """What is asked of whom; the benchmarks are read at the first call."""
        ...

    @property
    def client(self) -> Client:
        """The way to the engine, opened at the first call."""
        ...

    def select(self, selection: Selection, by_hand: Sequence[str] = ()) -> None:
        """Hear what this process is going to run; opens nothing if that is nothing."""
        ...


class Held:
    """The role that a fixture last made, as an adapter; another one where it made another."""

    def __init__(self, adapt: Callable[[Any, str], Any]) -> None:
        self._adapt = adapt
        self._made: Any = None
        self.role: Any = None

    def take(self, made: Any) -> Any:
        """Hold `made`. Returns the role that it replaces, to be closed, or None."""
        if self.role is not None and made is self._made:
            return None
        replaced, self.role, self._made = self.role, self._adapt(made, FIXTURE), made
        return replaced


class LocalClient:
    """The engine lives in this process."""

    def __init__(self, engine: Engine, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self._adopted: set[str] = set()
        self._model, self._judge = Held(as_model), Held(as_judge)

    def select(self, selection: Selection, by_hand: Sequence[str]) -> None:
        """Expect a record of each, and begin to run ahead."""
        self._ledger.expect(selection)
        waiting = set(by_hand)
        self._engine.select([work for item, work in selection if item not in waiting])

    def evaluate(
        self, work: Work, sample: Sample | None, while_waiting: Callable[[], None] | None
    ) -> Evaluated:
        """See :meth:`Client.evaluate`."""
        return self._engine.evaluate(
            work,
            sample=sample,
            model=self._model.role,
            judge=self._judge.role,
            while_waiting=while_waiting,
        )

    def generate(self, spec: str, prompt: Prompt, images: Sequence[LoadedImage]) -> Response:
        """See :meth:`Client.generate`."""
        return self._engine.generate(spec, prompt, images)

    def verdict(self, protocol: str, sample: Sample, text: str) -> Verdict:
        """See :meth:`Client.verdict`."""
        found = self._engine.verdict(protocol, sample, text)
        if found.verdict is None:
            raise found.error or JudgeError("the judge gave no verdict")
        return found.verdict

    def bring_model(self, model: Any, lasting: bool) -> None:
        """The engine takes over what lasts, and runs ahead with it; the rest it only borrows."""
        if not lasting:
            self._engine.close_role(self._model.take(model))
        elif "model" not in self._adopted:
            self._engine.adopt({FIXTURE: as_model(model, FIXTURE)}, None)
            self._adopted.add("model")

    def bring_judge(self, judge: Any, lasting: bool) -> None:
        """The engine takes over what lasts, and runs ahead with it; the rest it only borrows."""
        if not lasting:
            self._engine.close_role(self._judge.take(judge))
        elif "judge" not in self._adopted:
            self._engine.adopt({}, as_judge(judge, FIXTURE))
            self._adopted.add("judge")
