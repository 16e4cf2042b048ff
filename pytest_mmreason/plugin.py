"""Every pytest hook of the plugin; each hands over to the module that owns the matter.

Imported in every pytest session of an environment, so it costs pytest and a little of
the standard library. The hooks of a run are registered only when a run was asked for.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mmreason.fixtures import (
    RECORD_KEY,
    SCOPES_KEY,
    SESSION_KEY,
    ignored_overrides,
    keep_failed_call,
    mm_evaluate,
    mm_judge,
    mm_model,
    mm_sample,
    needed_work,
)
from pytest_mmreason.markers import STANDARD_MARKERS

if TYPE_CHECKING:
    from pytest_mmreason.client import Session
    from pytest_mmreason.registry import Registry
    from pytest_mmreason.settings import Settings

__all__ = ["mm_evaluate", "mm_judge", "mm_model", "mm_sample"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and their ini twins."""
    from pytest_mmreason.options import add_options

    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Hooks that users and packages implement."""
    from pytest_mmreason import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Markers that exist whatever the benchmark, so that ``--strict-markers`` knows them."""
    config.addinivalue_line("markers", "mmreason: samples of a multimodal reasoning benchmark")
    for name, meaning in STANDARD_MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    # The last of all cleanups: the first that is added, by a plugin that is called first.
    config.add_cleanup(partial(_give_back, config))


def _give_back(config: pytest.Config) -> None:
    """Show the garbage collector again what a large session took out of its sight."""
    session = config.stash.get(SESSION_KEY, None)
    if session is not None and session.is_set_aside:
        import gc

        gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """``--mm-list`` prints and ends."""
    what = config.getoption("mm_list")
    if what is None:
        return None
    with _usage_errors():
        listing = _registry(config).listing(what)
    sys.stdout.write(f"{listing}\n")
    return 0


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Open a session, unless no model was named; bad input is said here, before anything runs."""
    from pytest_mmreason.options import is_dormant, read_settings, read_suite_mode

    config = session.config
    if is_dormant(config):
        return
    with _usage_errors():
        settings = read_settings(config)
        read_suite_mode(config)
        if not settings.active:
            return
        if settings.agreement is not None:
            from pytest_mmreason.measuring import without_gates

            settings = without_gates(config, settings)
        worker_input = getattr(config, "workerinput", {}).get("mmreason")
        if worker_input is not None:
            config.pluginmanager.register(
                WorkerHooks(config, settings, worker_input), "mmreason-worker"
            )
        elif not hasattr(config, "workerinput"):
            config.pluginmanager.register(OwnerHooks(config, settings), "mmreason-owner")


class RunHooks:
    """The hooks of a process that runs items: plain pytest, or a worker of xdist."""

    def __init__(self, config: pytest.Config, session: Session) -> None:
        from pytest_mmreason.collection import Collection

        config.stash[SESSION_KEY] = session
        config.stash[SCOPES_KEY] = {}
        self.collection = Collection(config, session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> pytest.CollectReport | None:
        """The bundled suite is collected by our own hand; see :mod:`~pytest_mmreason.collection`."""
        return self.collection.collect_suite(collector)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A test that takes ``mm_sample`` runs once for each selected sample."""
        if "mm_sample" in metafunc.fixturenames:
            self.collection.parametrize(metafunc)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is left after ``-m``, ``-k`` and all is known: the engine may begin."""
        with _usage_errors():
            self.collection.announce(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> None:
        """What the engine may run ahead with depends on how long a user's own fixture lasts."""
        if fixturedef.argname in ("mm_model", "mm_judge"):
            request.config.stash[SCOPES_KEY][fixturedef.argname] = fixturedef.scope

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """The fixtures that last for the session ask which item they serve."""
        item.config.stash[SESSION_KEY].item = item
        if "mm_evaluate" in getattr(item, "fixturenames", ()):
            needed_work(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """The record travels on the report of the call."""
        report = yield
        if report.failed and call.excinfo is not None:
            keep_failed_call(item, report, call.excinfo.value)
        record = item.stash.get(RECORD_KEY, None)
        # A fixture of the user's may be what evaluates: how it ended is told by the setup.
        if record is not None and (report.when == "call" or not report.passed):
            from pytest_mmreason.reports.carried import attach

            attach(item, report, record)
            del item.stash[RECORD_KEY]
        return report


class SuiteHooks:
    """The bundled suite joins the session."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Append the bundled suite to what the session has collected."""
        report = yield
        if isinstance(collector, pytest.Session):
            from pytest_mmreason.collection import join_suite

            join_suite(collector, report)
        return report


class WorkerHooks(RunHooks):
    """The hooks of a worker of xdist."""

    def __init__(
        self, config: pytest.Config, settings: Settings, worker_input: dict[str, Any]
    ) -> None:
        from pytest_mmreason.worker import WorkerSession

        super().__init__(config, WorkerSession(settings, _registry(config), worker_input))
        config.pluginmanager.register(SuiteHooks(), "mmreason-suite")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The owner says what is wrong, and with which exit; a worker then has nothing to run."""
        try:
            super().pytest_collection_finish(session)
        except pytest.UsageError:
            session.items.clear()


class OwnerHooks(RunHooks):
    """The hooks of the process that owns the run: plain pytest, or the controller of xdist."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        from pytest_mmreason.collection import suite_may_join
        from pytest_mmreason.options import command_line, only_looks
        from pytest_mmreason.reports.terminal import Terminal
        from pytest_mmreason.session import OwnerSession

        self.distributed = config.pluginmanager.hasplugin("dsession")
        self.session = OwnerSession(
            settings,
            _registry(config),
            config.rootpath,
            keep=self.distributed and config.getoption("dist") == "each",
        )
        super().__init__(config, self.session)
        self.session.options = command_line(config)
        chosen = {"-m": "markexpr", "-k": "keyword", "--deselect": "deselect"}
        self.session.selected_by = {
            option: value
            for option, name in chosen.items()
            if (value := getattr(config.option, name, None))
        }
        self.session.warnings += ignored_overrides(config, settings)
        if settings.agreement is not None:
            from pytest_mmreason.measuring import idle_options

            self.session.warnings += idle_options(config, settings)
        self.terminal = Terminal(config, self.session)
        self.faulty = False
        # Where an ini file names the model and the command line names tests, these may
        # never ask for a sample: then nothing is read, and nothing can be wrong.
        self.eager = suite_may_join(config) or config.getoption("mm_model") is not None
        if self.eager:
            self.session.plan  # noqa: B018 - reading the benchmarks is what finds their faults
            if not only_looks(config):
                self.session.check()
                self._ignore_warnings(config)
        if self.distributed:
            from pytest_mmreason.xdist import ControllerHooks

            config.pluginmanager.register(ControllerHooks(self.session), "mmreason-controller")
        config.pluginmanager.register(SuiteHooks(), "mmreason-suite")

    def pytest_report_header(self) -> list[str]:
        """Model, judge and benchmark."""
        return self.terminal.header() if self.eager else []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """A controller of xdist only waits; its live line goes on meanwhile."""
        with self.terminal.live.ticking() if self.distributed else nullcontext():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logstart(self) -> Generator[None, None, None]:
        """The live line gives way to pytest's own output."""
        with self.terminal.live.hidden():
            yield

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """The ledger hears of every report; the live line gives way to pytest's own output."""
        self.terminal.take(report)
        with self.terminal.live.hidden():
            yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """A scored sample shows its tenth, an errored one its status."""
        return self.terminal.status(report)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What is left after ``-m``, ``-k`` and all is known: the engine may begin."""
        super().pytest_collection_finish(session)
        if not self.eager:
            self._ignore_warnings(session.config)
        if session.config.option.collectonly:
            self.terminal.plan_calls(session)

    def _ignore_warnings(self, config: pytest.Config) -> None:
        for library in self.session.libraries:
            module = rf"{library}(\.|$)"
            config.addinivalue_line("filterwarnings", f"ignore:::{module}")
            # pytest reads that line for every item; a controller runs none.
            warnings.filterwarnings("ignore", module=module)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """An option that cannot be used is a usage error whenever it is met."""
        from pytest_mmreason.collection import usage_fault

        self.faulty = self.faulty or usage_fault(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Sum up, write the reports, and decide the exit status."""
        self.terminal.live.clear()
        status, stopped = self.terminal.unified(int(session.exitstatus), session)
        if self.faulty or self.session.fault:
            session.exitstatus = status = int(pytest.ExitCode.USAGE_ERROR)
        if self._is_empty_shard(session.config, status):
            status = int(pytest.ExitCode.OK)
            _ = self.session.client  # opens what writes the shard's files: merge wants them all
        summary = self.session.finish(status, stopped)
        if summary is not None:
            session.exitstatus = summary.exit
        elif (
            self.terminal.note_unused(session, self.collection.near_markers)
            and status == pytest.ExitCode.OK
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _is_empty_shard(self, config: pytest.Config, status: int) -> bool:
        """True after a run of a shard without samples: there are fewer than shards, or ``-m`` and
        its like select none of it, though maybe of the others."""
        settings = self.session.settings
        if not (settings.shard and settings.output) or config.option.collectonly:
            return False
        if status == pytest.ExitCode.NO_TESTS_COLLECTED:
            return bool(self.session.selected_by)
        return status == pytest.ExitCode.OK and next(iter(self.session.plan.works()), None) is None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self) -> Generator[None, None, None]:
        """The tables and the verdict, last of all summaries."""
        with self.terminal.few_failures():
            yield
        self.terminal.print_summary(self.collection.renamed_markers)

    def pytest_unconfigure(self) -> None:
        """However the session ended, no thread outlives it."""
        self.session.close()


def _registry(config: pytest.Config) -> Registry:
    """Every model, judge and benchmark that this session knows by name."""
    from pytest_mmreason.errors import UsageError
    from pytest_mmreason.registry import Registry

    def merged(hook: str) -> dict[str, Any]:
        results = getattr(config.hook, hook)(config=config)
        for found in results:
            if not isinstance(found, Mapping):
                raise UsageError(
                    f"the hook {hook} returned {type(found).__name__}; it must return a mapping "
                    "from names to factories"
                )
        return {name: factory for found in results for name, factory in found.items()}

    return Registry(
        models=merged("pytest_mmreason_models"),
        judges=merged("pytest_mmreason_judges"),
        benchmarks=merged("pytest_mmreason_benchmarks"),
    )


@contextmanager
def _usage_errors() -> Iterator[None]:
    """What the user can mend becomes pytest's usage error, exit 4."""
    from pytest_mmreason.errors import BenchmarkError, UsageError

    try:
        yield
    except (UsageError, BenchmarkError) as error:
        from pytest_mmreason.reports.text import inert

        # The names that it offers come from a benchmark's files.
        raise pytest.UsageError(inert(str(error), keep_newlines=True)) from None
