"""Collection: the bundled suite joins, samples become items with ids and markers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from pytest_mmreason.client import Session
from pytest_mmreason.errors import BenchmarkError, UsageError, nearest
from pytest_mmreason.fixtures import SESSION_KEY
from pytest_mmreason.markers import RESERVED_MARKERS, STANDARD_MARKERS
from pytest_mmreason.naming import marker_names, slug, slugs
from pytest_mmreason.options import names_benchmark, only_looks, read_suite_mode
from pytest_mmreason.plan import Plan, Work, set_aside
from pytest_mmreason.reports.text import inert
from pytest_mmreason.sample import Sample

SUITE_NODE_ID = "mmreason/test_benchmark.py"
_FAULT = "mmreason: "
_SUITE = "pytest_mmreason.suite.test_benchmark"

_Kind: TypeAlias = tuple[str, str, tuple[str, ...], bool, bool, tuple[str, ...]]


class SuiteModule(pytest.Module):
    """The bundled suite as a module of the session, wherever its file lies."""

    def _getobj(self) -> ModuleType:
        return importlib.import_module(_SUITE)

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Nothing, in mode ``auto``, where a test of the user's own evaluates samples."""
        # By type: a user's own file may lie where the suite's node id says.
        own = (item for item in self.session.items if item.getparent(SuiteModule) is None)
        if read_suite_mode(self.config) == "auto" and any(map(evaluates, own)):
            return []
        return super().collect()

    def funcnamefilter(self, name: str) -> bool:
        """Whatever a user's ini ``python_functions`` calls a test."""
        return name.startswith("test_")


class Collection:
    """What a process collects: the suite, the parameters, and the word to the engine."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._parametrizer: Parametrizer | None = None
        self._is_faulty = False

    def collect_suite(self, collector: pytest.Collector) -> pytest.CollectReport | None:
        """The bundled suite's collect report; None for every other collector.

        Made here and not by pytest, because ``--lf`` skips files that do not lie where
        their node id says; its wrapper still picks the items that failed.
        """
        if not isinstance(collector, SuiteModule):
            return None
        return pytest.CollectReport(collector.nodeid, "passed", None, list(collector.collect()))

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """One call of the test for each selected piece of work.

        What is wrong with the options is told by the first module that meets it. pytest
        makes a failed collection of it; :func:`usage_fault` knows it again.
        """
        try:
            if not self._is_faulty:
                self._parameters_of_plan().parametrize(metafunc)
                return
        except (UsageError, BenchmarkError) as error:
            self._is_faulty = True
            raise pytest.Collector.CollectError(
                f"{_FAULT}{inert(str(error), keep_newlines=True)}"
            ) from None
        metafunc.parametrize("mm_sample", [], indirect=True)

    def renamed_markers(self) -> dict[str, str]:
        """What is marked with another name than its own, in this process or its workers."""
        return self._parameters_of_plan().renamed

    def near_markers(self) -> str:
        """For words of ``-m`` that no marker is called, those of the samples that are like them."""
        registered = {line.split(":")[0].split("(")[0] for line in self._config.getini("markers")}
        known = {*STANDARD_MARKERS, *self._parameters_of_plan().markers}
        words = re.findall(r"\w+", self._config.option.markexpr)
        found = [
            f"no sample is marked {word!r}. {hint}"
            for word in words
            if word not in {"and", "or", "not", *registered, *known}
            and (hint := nearest(word, known)).startswith("Did you mean")
        ]
        return "; ".join(found)

    def _parameters_of_plan(self) -> Parametrizer:
        if self._parametrizer is None:
            self._parametrizer = Parametrizer(self._session.plan, self._config)
        return self._parametrizer

    def announce(self, session: pytest.Session) -> None:
        """Tell the engine what will run, unless nothing will."""
        config = self._config
        if self._session.is_set_aside:
            set_aside()  # the items, too
        # A worker of xdist runs what it has, whatever could not be collected.
        ends = session.testsfailed and not config.option.continue_on_collection_errors
        if not only_looks(config) and (self._session.is_worker or not ends):
            by_hand = [item.nodeid for item in session.items if _goes_by_hand(item)]
            selection = [(item.nodeid, work) for item, work in works_of(session.items)]
            self._session.select(selection, by_hand)


def suite_may_join(config: pytest.Config) -> bool:
    """True unless ini ``mm_suite`` or a positional argument keeps the bundled suite out."""
    mode = read_suite_mode(config)
    if mode == "auto":
        return config.args_source is not config.ArgsSource.ARGS or names_benchmark(config)
    return mode == "on"


def usage_fault(report: pytest.CollectReport) -> bool:
    """True if the module could not be collected because an option cannot be used."""
    return report.failed and report.longreprtext.startswith(_FAULT)


def join_suite(session: pytest.Session, report: pytest.CollectReport) -> None:
    """Append the bundled suite to what the session has collected."""
    if report.passed and suite_may_join(session.config):
        # Its place is the rootdir: so the hooks of the rootdir's conftest.py see its items,
        # as they see any other of the repository.
        root = session.config.rootpath
        module = SuiteModule.from_parent(session, path=root, nodeid=SUITE_NODE_ID)
        report.result.append(module)


def evaluates(item: pytest.Item) -> bool:
    """True if the item asks for ``mm_evaluate``, and so is expected to yield a record."""
    return "mm_evaluate" in getattr(item, "fixturenames", ())


def work_of(item: pytest.Item) -> Work | None:
    """The work that the item's parameters name."""
    callspec = getattr(item, "callspec", None)
    work = callspec.params.get("mm_sample") if callspec else None
    return work if isinstance(work, Work) else None


def sample_of(item: pytest.Item) -> Sample | None:
    """The sample that the item's parameters name."""
    work, session = work_of(item), item.config.stash.get(SESSION_KEY, None)
    return session.plan.sample(work) if work is not None and session is not None else None


def _goes_by_hand(item: pytest.Item) -> bool:
    """True if nothing may be asked ahead of the test.

    Because it asks model or judge itself, and only it knows what, or because it is skipped.
    """
    by_itself = {"mm_model", "mm_judge"} & set(getattr(item, "fixturenames", ()))
    return evaluates(item) and bool(by_itself or item.get_closest_marker("skip"))


def works_of(items: Sequence[pytest.Item]) -> list[tuple[pytest.Item, Work]]:
    """(item, work) of every selected item that is expected to yield a record."""
    works = ((item, work_of(item)) for item in items)
    return [(item, work) for item, work in works if work is not None and evaluates(item)]


class Parametrizer:
    """Turns a plan into parameters, ids and markers."""

    def __init__(self, plan: Plan, config: pytest.Config) -> None:
        self._plan = plan
        self._slugs = {b.name: slugs([s.id for s in b.samples]) for b in _benchmarks(plan)}
        samples = [sample for b in _benchmarks(plan) for sample in b.samples]
        # In order: the first of several values that would have one name keeps it.
        kinds = dict.fromkeys(map(_kind, samples))
        values = [value for kind in kinds for value in _marked(*kind)]
        self._names = marker_names(values, _foreign_markers(config))
        for value, name in self._names.items():
            if name not in STANDARD_MARKERS:
                config.addinivalue_line("markers", f"{name}: mmreason samples of {value!a}")
        self._marks = {kind: self._marks_of(kind) for kind in kinds}

    @property
    def markers(self) -> list[str]:
        """The markers of the samples."""
        return [*self._names.values()]

    @property
    def renamed(self) -> dict[str, str]:
        """What is marked with another name than its own."""
        return {value: name for value, name in self._names.items() if value != name}

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """One call of the test for each selected piece of work."""
        metafunc.parametrize("mm_sample", list(self._parameters()), indirect=True)

    def _parameters(self) -> Iterator[Any]:
        plan = self._plan
        several = (
            len({run.benchmark.name for run in plan.runs}) > 1,
            len({run.model for run in plan.runs}) > 1,
            len({run.prompt for run in plan.runs}) > 1,
        )
        prefixes = []
        for run in plan.runs:
            parts = zip((run.benchmark.name, run.model, run.prompt), several, strict=True)
            prefixes.append("".join(f"{slug(part)}-" for part, wanted in parts if wanted))
        seen: set[str] = set()
        for work in plan.works():
            run, sample = plan.runs[work.run], plan.sample(work)
            suffix = f"-r{work.repeat}" if plan.settings.repeats > 1 else ""
            name = f"{prefixes[work.run]}{self._slugs[run.benchmark.name][sample.id]}{suffix}"
            if name in seen:
                name = slug(f"{name}\0{plan.key(work)}")
            seen.add(name)
            yield pytest.param(work, id=name, marks=self._marks[_kind(sample)])

    def _marks_of(self, kind: _Kind) -> list[pytest.MarkDecorator]:
        names = ["mmreason", *(self._names[value] for value in _marked(*kind))]
        return [getattr(pytest.mark, name) for name in dict.fromkeys(names)]


def _benchmarks(plan: Plan) -> list[Any]:
    return list({run.benchmark.name: run.benchmark for run in plan.runs}.values())


def _kind(sample: Sample) -> _Kind:
    """Everything about a sample that becomes a marker; many samples share one kind."""
    return (
        sample.category,
        sample.complexity,
        sample.capabilities,
        len(sample.images) > 1,
        sample.counter_intuitive,
        sample.tags,
    )


def _marked(
    category: str,
    complexity: str,
    capabilities: tuple[str, ...],
    multi_image: bool,
    counter_intuitive: bool,
    tags: tuple[str, ...],
) -> Iterator[str]:
    """The markers of a kind of samples, by what they stand for."""
    if category:
        yield category
    if complexity:
        yield complexity
    yield from capabilities
    if multi_image:
        yield "multi_image"
    if counter_intuitive:
        yield "counter_intuitive"
    yield from tags


def _foreign_markers(config: pytest.Config) -> set[str]:
    """Names that pytest, another plugin or the user's ini file has registered."""
    lines = config.getini("markers")
    names = {line.split(":", 1)[0].split("(", 1)[0].strip() for line in lines}
    return (names | RESERVED_MARKERS) - STANDARD_MARKERS.keys()
