"""The four fixtures: ``mm_sample``, ``mm_model``, ``mm_judge`` and ``mm_evaluate``."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from pytest_mmreason.client import Session
    from pytest_mmreason.imaging import LoadedImage
    from pytest_mmreason.models.base import Response
    from pytest_mmreason.plan import Work
    from pytest_mmreason.record import Record
    from pytest_mmreason.sample import ImageRef, Sample
    from pytest_mmreason.settings import Settings
    from pytest_mmreason.verdict import Verdict

SESSION_KEY = pytest.StashKey["Session"]()
RECORD_KEY = pytest.StashKey["Record"]()
SCOPES_KEY = pytest.StashKey[dict[str, str]]()
"""The scopes of the fixtures mm_model and mm_judge as they were last set up."""

_DORMANT = "mmreason: no model was named; run with --mm-model=SPEC"


def _session(config: pytest.Config) -> Session:
    session = config.stash.get(SESSION_KEY, None)
    if session is None:
        pytest.skip(_DORMANT)
    return session


@pytest.fixture
def mm_sample(request: pytest.FixtureRequest) -> Sample:
    """A sample of a benchmark (:class:`pytest_mmreason.Sample`); the test runs once for each."""
    return _session(request.config).plan.sample(request.param)


@pytest.fixture(scope="session")
def mm_model(request: pytest.FixtureRequest) -> ModelHandle:
    """The model under test, callable as ``mm_model(prompt, images)``.

    A fixture of the same name in the rootdir conftest.py may return anything that is
    callable so, and is evaluated with ``--mm-model=fixture``.
    """
    return ModelHandle(_session(request.config))


@pytest.fixture(scope="session")
def mm_judge(request: pytest.FixtureRequest) -> JudgeHandle:
    """The judge, callable as ``mm_judge(sample, response)``.

    A fixture of the same name in the rootdir conftest.py may return anything that is
    callable so, and judges with ``--mm-judge=fixture``.
    """
    return JudgeHandle(_session(request.config))


@pytest.fixture(scope="session")
def mm_evaluate(pytestconfig: pytest.Config) -> Evaluate:
    """Asks the model and the judge about a sample: ``mm_evaluate(mm_sample)``."""
    # For the session, and without `request`: pytest takes longer to make either for an item
    # than the rest of a cached answer's test.
    return Evaluate(_session(pytestconfig))


class ModelHandle:
    """The model of the current item, asked through the engine's limits, retries and cache."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __call__(self, prompt: str, images: Sequence[Image.Image | ImageRef] = ()) -> Response:
        """The model's response to a prompt and images. Raises ModelError."""
        from pytest_mmreason.collection import work_of
        from pytest_mmreason.prompting import Prompt
        from pytest_mmreason.registry import FIXTURE

        spec = self.session.settings.model[0]
        if self.session.item is not None and (work := work_of(self.session.item)) is not None:
            spec = self.session.plan.runs[work.run].spec
        if spec == FIXTURE:
            _no_fixture("mm_model")
        return self.session.client.generate(spec, Prompt.of(prompt), [_loaded(i) for i in images])


class JudgeHandle:
    """The judge of the session, asked through the engine's limits, retries and cache."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __call__(self, sample: Sample, response: object) -> Verdict:
        """The verdict on ``str(response)``; 0 for a blank one. Raises JudgeError."""
        from pytest_mmreason.models.base import strip_reasoning
        from pytest_mmreason.registry import FIXTURE
        from pytest_mmreason.verdict import Verdict

        if self.session.settings.judge == FIXTURE:
            _no_fixture("mm_judge")
        if sample.answer is None:
            raise ValueError(f"sample {sample.id!r} has no reference answer to judge by")
        text = strip_reasoning(_answered(response))
        if not text:
            return Verdict(0.0, rationale="empty answer")
        runs = self.session.plan.runs
        protocol = next(
            (r.benchmark.protocol for r in runs if r.benchmark.name == sample.benchmark),
            "infimm-eval",
        )
        return self.session.client.verdict(protocol, sample, text)


def _answered(response: object) -> str:
    """The text of a response that a test has at hand."""
    __tracebackhide__ = True
    if inspect.isawaitable(response):
        close = getattr(response, "close", None)
        if close is not None:
            close()
        pytest.fail(
            f"the response is a {type(response).__name__}, not an answer yet: the function of the "
            "fixture mm_model is async. Run it with asyncio.run(mm_model(...)), or let "
            "mm_evaluate(mm_sample) ask it",
            pytrace=False,
        )
    return str(response)


class Evaluate:
    """What ``mm_evaluate`` is: evaluates a sample, or records what a test did by hand."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def _item(self) -> pytest.Item:
        """The item that runs."""
        assert self._session.item is not None
        return self._session.item

    @property
    def _work(self) -> Work:
        """What the item that runs is expected to evaluate."""
        __tracebackhide__ = True
        return needed_work(self._item)

    def __call__(self, sample: Sample) -> Record:
        """The record of `sample`.

        The item fails, saying what happened and what to do, if the sample ended in an
        error or scored below ``--mm-item-threshold``.
        """
        __tracebackhide__ = True
        from pytest_mmreason.registry import FIXTURE

        session, work, config = self._session, self._work, self._item.config
        self._check_own(sample)
        run = session.plan.runs[work.run]
        if run.spec == FIXTURE:
            self._bring("mm_model", ModelHandle, session.client.bring_model)
        if session.settings.judge == FIXTURE:
            self._bring("mm_judge", JudgeHandle, session.client.bring_judge)
        changed = sample if sample != session.plan.sample(work) else None
        refresh = None
        if not session.is_worker:
            from pytest_mmreason.reports.terminal import refresh_progress

            refresh = partial(refresh_progress, config)
        done = session.client.evaluate(work, changed, refresh)
        if done.stop:
            # Exit 1, not 2: the run has failed, nobody has interrupted it.
            self._item.session.shouldfail = "mmreason: no later sample could fare better"
        return self._keep(done.record)

    def record(self, sample: Sample, response: object, verdict: Verdict | float) -> Record:
        """Record what a test asked and judged step by step."""
        __tracebackhide__ = True
        import dataclasses

        from pytest_mmreason.outcome import draft_record, with_verdicts
        from pytest_mmreason.verdict import Verdict

        self._check_own(sample)
        if not isinstance(verdict, Verdict):
            verdict = Verdict(verdict)
        run = self._session.plan.runs[self._work.run]
        self._check_asked("mm_model", ModelHandle, run.spec)
        self._check_asked("mm_judge", JudgeHandle, self._session.settings.judge)
        draft = draft_record(run, sample, self._work.repeat, self._session.plan.judge, None)
        draft = dataclasses.replace(
            draft,
            response=_answered(response),
            finish_reason=str(getattr(response, "finish_reason", "stop")),
        )
        return self._keep(with_verdicts(draft, [verdict]))

    def _check_own(self, sample: Sample) -> None:
        """A record is found by its sample's id: under another one it would be lost, or count twice."""
        __tracebackhide__ = True
        own = self._session.plan.sample(self._work).id
        if sample.id != own:
            pytest.fail(
                f"this item is expected to evaluate the sample {own!a}, and was given {sample.id!a}; "
                "a test may change any other field of its sample",
                pytrace=False,
            )

    def _check_asked(self, name: str, ours: type, spec: str) -> None:
        """A record says who answered and who judged; a test may have asked somebody else."""
        __tracebackhide__ = True
        from pytest_mmreason.registry import FIXTURE

        asked = name in getattr(self._item, "fixturenames", ()) and spec != FIXTURE
        if asked and not isinstance(self._value(name), ours):
            option = f"--{name.replace('_', '-')}"
            pytest.fail(
                f"this test asked your own fixture {name}, and would record what it said as that "
                f"of {spec}. Run it with {option}=fixture and nothing else, or take the fixture "
                "out",
                pytrace=False,
            )

    def _bring(self, name: str, ours: type, bring: Callable[[Any, bool], None]) -> None:
        """Hand what the user's own fixture made to the engine; the run ends if it cannot serve."""
        __tracebackhide__ = True
        from pytest_mmreason.errors import UsageError

        try:
            made = self._value(name)
        except Exception as error:
            # It would raise for every item alike; pytest shows the traceback of this one.
            said = (str(error).splitlines() or [""])[0][:200]
            self._item.session.shouldfail = (
                f"mmreason: the fixture {name} raised {type(error).__name__}"
                + (f": {said}" if said else "")
            )
            raise
        problem = _missing_fixture(name) if isinstance(made, ours) else ""
        if not problem:
            try:
                bring(made, self._item.config.stash[SCOPES_KEY].get(name) == "session")
            except UsageError as error:
                problem = str(error)
        if problem:
            self._item.session.shouldfail = f"mmreason: {problem}"
            pytest.fail(problem, pytrace=False)

    def _value(self, fixture: str) -> Any:
        """The value of a fixture for the item that runs."""
        return self._item._request.getfixturevalue(fixture)  # type: ignore[attr-defined]

    def _keep(self, record: Record) -> Record:
        __tracebackhide__ = True
        from pytest_mmreason.errors import OVER_BUDGET
        from pytest_mmreason.reports.failure import problem_of, properties_of

        item = self._item
        item.stash[RECORD_KEY] = record
        # Reports share the item's list: a rerun's properties take the place of the first try's.
        item.user_properties[:] = [
            *(p for p in item.user_properties if not p[0].startswith("mmreason_")),
            *((f"mmreason_{name}", value) for name, value in properties_of(record).items()),
        ]
        if OVER_BUDGET in record.flags:
            # Nobody was asked: the summary tells of all of them in one sentence.
            pytest.skip(record.reason)
        settings = self._session.settings
        problem = problem_of(record, settings.cache, settings.item_threshold)
        if problem:
            pytest.fail(problem, pytrace=False)
        return record


def needed_work(item: pytest.Item) -> Work:
    """What an item that asks for ``mm_evaluate`` is expected to evaluate; fails it if nothing is."""
    __tracebackhide__ = True
    from pytest_mmreason.collection import work_of

    work = work_of(item)
    if work is None:
        import unittest

        problem = "mm_evaluate needs mm_sample in the same test"
        if issubclass(getattr(item, "cls", None) or object, unittest.TestCase):
            problem += (
                ", and pytest cannot parametrize the methods of a unittest.TestCase: write a "
                "function, or a class that is no TestCase"
            )
        pytest.fail(problem, pytrace=False)
    return work


def keep_failed_call(item: pytest.Item, report: pytest.TestReport, error: BaseException) -> None:
    """A call that a test made by hand and that failed ends its sample as one of ours would."""
    if not hasattr(error, "retryable") or RECORD_KEY in item.stash:
        return
    from pytest_mmreason.collection import work_of
    from pytest_mmreason.errors import CallError
    from pytest_mmreason.outcome import draft_record, failed
    from pytest_mmreason.reports.failure import problem_of

    work = work_of(item)
    wanted = "mm_evaluate" in getattr(item, "fixturenames", ())
    if not isinstance(error, CallError) or work is None or not wanted:
        return
    session = item.config.stash[SESSION_KEY]
    plan = session.plan
    draft = draft_record(plan.runs[work.run], plan.sample(work), work.repeat, plan.judge, None)
    record = failed(draft, error)
    item.stash[RECORD_KEY] = record
    report.longrepr = problem_of(record, session.settings.cache)


def ignored_overrides(config: pytest.Config, settings: Settings) -> list[str]:
    """A sentence for each fixture of the user's that the specs of this run leave unused.

    Known are those of plugins and of every conftest.py that pytest reads at its start.
    """
    from _pytest.fixtures import FixtureFunctionDefinition

    specs = {"mm_model": settings.model, "mm_judge": (settings.judge,)}
    if settings.agreement is not None:
        del specs["mm_model"]
    found = []
    for plugin in config.pluginmanager.get_plugins():
        if not isinstance(plugin, ModuleType) or plugin.__name__ == "pytest_mmreason.plugin":
            continue
        names = [v.name for v in vars(plugin).values() if isinstance(v, FixtureFunctionDefinition)]
        for name in sorted(specs.keys() & set(names)):
            if "fixture" not in specs[name]:
                option = f"--{name.replace('_', '-')}"
                found.append(
                    f"the fixture {name} of {_place(plugin, config.rootpath)} is ignored, because "
                    f"{option} is {', '.join(specs[name])}; {option}=fixture makes use of it"
                )
    return sorted(found)


def _place(plugin: ModuleType, rootdir: Path) -> str:
    path = getattr(plugin, "__file__", None) or plugin.__name__
    return path.removeprefix(f"{rootdir}{os.sep}")


def _missing_fixture(name: str) -> str:
    option = name.replace("_", "-")
    return (
        f"--{option}=fixture needs a fixture named {name} in the conftest.py of the rootdir; "
        "only that one reaches the bundled suite"
    )


def _no_fixture(name: str) -> None:
    pytest.fail(_missing_fixture(name), pytrace=False)


def _loaded(image: Image.Image | ImageRef) -> LoadedImage:
    """An image of a test's own making, or of a sample, ready to be sent."""
    import hashlib
    import io

    from pytest_mmreason import imaging
    from pytest_mmreason.sample import ImageRef

    if isinstance(image, ImageRef):
        return imaging.load(image)
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "PNG")
    data = buffer.getvalue()
    return imaging.LoadedImage(
        path="image.png",
        data=data,
        mime="image/png",
        size=image.size,
        sent=image.size,
        sha256=hashlib.sha256(data).hexdigest(),
    )
