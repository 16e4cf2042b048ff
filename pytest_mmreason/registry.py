"""From a spec to the object it names, with the nearest names where it names none."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import MMReasonError, ModelError, UsageError, nearest
from pytest_mmreason.judges.base import Judge
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.settings import Settings, split_benchmark

FIXTURE = "fixture"

RECORDED = "answers written by hand and shipped to show the tool; no model was run"

MODELS = {
    "openai": "openai:NAME      an OpenAI-compatible endpoint (--mm-base-url)",
    "replay": "replay:FILE      recorded answers: predictions.json, LLaVA's answers, results.jsonl",
    "replay:mini": f"replay:mini      {RECORDED}",
    "python": "python:MODULE:ATTR   answer(prompt, images) -> str, plain or async",
    FIXTURE: "fixture          the mm_model fixture of the rootdir conftest.py",
}
JUDGES = {
    "local": "local            offline: answer matching and credit for reference steps (default)",
    "keyword": "keyword          MM-Vet's plain keyword baseline",
    "openai": "openai:NAME      an LLM judge (--mm-judge-base-url)",
    "replay": "replay:FILE      recorded verdicts: official grade files, results.jsonl",
    "python": "python:MODULE:ATTR   judge(sample, response) -> float | Verdict, plain or async",
    FIXTURE: "fixture          the mm_judge fixture of the rootdir conftest.py",
}
BENCHMARKS = {
    "mini": "mini             24 original reasoning samples, bundled (default)",
}

Factory = Callable[[str], Any]


def bundled_benchmark(name: str) -> Path:
    """The folder of a bundled benchmark, in the wheel or in a checkout."""
    package = Path(__file__).parent
    installed = package / "benchmarks" / name
    return installed if installed.is_dir() else package.parent / "benchmarks" / name


def bundled_recording(name: str) -> Path | None:
    """The recorded answers that ship with a bundled benchmark; None for any other name."""
    return (
        bundled_benchmark(name) / "recorded" / "example-answers.json"
        if name in BENCHMARKS
        else None
    )


@dataclass(slots=True)
class Registry:
    """Every name that a spec may use; the mappings hold what hooks added."""

    models: Mapping[str, Factory] = field(default_factory=dict)
    judges: Mapping[str, Factory] = field(default_factory=dict)
    benchmarks: Mapping[str, Callable[[Path | None], Benchmark | Path]] = field(
        default_factory=dict
    )

    def check_names(self, settings: Settings) -> None:
        """UsageError if the spec of a model or the judge names nothing; nothing is made."""
        if settings.agreement is None:
            for spec in settings.model:
                _split("--mm-model", spec, MODELS, self.models)
        _split("--mm-judge", settings.judge, JUDGES, self.judges)

    def model(self, spec: str, settings: Settings) -> ModelAdapter | None:
        """The adapter that `spec` names; None for ``fixture``, which a test run brings.

        Raises UsageError naming what is wrong with the spec.
        """
        kind, argument = _split("--mm-model", spec, MODELS, self.models)
        if kind == FIXTURE:
            return None
        if kind == "openai":
            from pytest_mmreason.models.openai import OpenAIModel

            return OpenAIModel(
                argument,
                base_url=settings.base_url,
                api_key_env=settings.api_key_env,
                timeout_s=settings.timeout,
            )
        if kind == "replay":
            from pytest_mmreason.models.replay import ReplayModel

            bundled = bundled_recording(argument)
            model = ReplayModel(
                bundled or settings.directory / argument, f"replay:{Path(argument).name}"
            )
            if bundled:
                model.notes.append(f"replay:{argument}: {RECORDED}")
            return model
        if kind == "python":
            return as_model(_import("--mm-model", spec, argument, settings), spec)
        return as_model(_made(f"--mm-model={spec}", self.models[kind], argument), spec)

    def judge(self, settings: Settings) -> Judge | None:
        """The judge that ``--mm-judge`` names; None for ``fixture``.

        Raises UsageError naming what is wrong with the spec.
        """
        spec = settings.judge
        kind, argument = _split("--mm-judge", spec, JUDGES, self.judges)
        if kind == FIXTURE:
            return None
        if kind == "local":
            from pytest_mmreason.judges.local import LocalJudge

            return LocalJudge()
        if kind == "keyword":
            from pytest_mmreason.judges.keyword import KeywordJudge

            return KeywordJudge()
        if kind == "openai":
            from pytest_mmreason.judges.llm import LLMJudge
            from pytest_mmreason.models.openai import OpenAIModel

            adapter = OpenAIModel(
                argument,
                base_url=settings.judge_base_url,
                api_key_env=settings.judge_api_key_env,
                timeout_s=settings.timeout,
                url_option="--mm-judge-base-url",
                key_option="--mm-judge-api-key-env",
            )
            return LLMJudge(adapter, settings.judge_param)
        if kind == "replay":
            from pytest_mmreason.judges.replay import ReplayJudge

            return ReplayJudge(Path(argument))
        if kind == "python":
            return as_judge(_import("--mm-judge", spec, argument, settings), spec)
        return as_judge(_made(f"--mm-judge={spec}", self.judges[kind], argument), spec)

    def benchmark(self, spec: str, settings: Settings) -> Benchmark:
        """The benchmark that `spec` names: NAME, NAME=DIR or DIR.

        Raises UsageError for an unknown name, BenchmarkError for faults in its files.
        """
        name, path = split_benchmark(spec)
        if name in self.benchmarks:
            option = f"--mm-benchmark={spec}"
            loaded = _made(option, self.benchmarks[name], Path(path) if path is not None else None)
            if isinstance(loaded, Benchmark):
                return loaded
            if not isinstance(loaded, (str, Path)):
                raise UsageError(
                    f"{option}: its hook made {type(loaded).__name__}, neither a Benchmark nor a path"
                )
            return native.load(Path(loaded), name)
        if path is not None:
            return native.load(Path(path), name)
        if name in BENCHMARKS:
            return native.load(bundled_benchmark(name))
        folder = settings.base_of("benchmark") / spec
        if folder.is_dir() or "/" in spec:
            return native.load(folder)
        known = [*BENCHMARKS, *self.benchmarks]
        raise UsageError(
            f"--mm-benchmark={spec}: neither a benchmark's name nor a folder. {nearest(spec, known)}"
        )

    def listing(self, what: str) -> str:
        """What ``--mm-list`` prints."""
        tables: dict[str, tuple[Mapping[str, str], Iterable[str]]] = {
            "models": (MODELS, self.models),
            "judges": (JUDGES, self.judges),
            "benchmarks": (BENCHMARKS, self.benchmarks),
        }
        if what not in tables:
            raise UsageError(
                f"--mm-list={what}: not one of {', '.join(tables)}. {nearest(what, tables)}"
            )
        bundled, added = tables[what]
        return "\n".join(
            [*bundled.values(), *(f"{name:16} added by a hook" for name in sorted(added))]
        )


def _refuse_class(option: str, name: str, candidate: Any) -> None:
    """Calling a class would make an object of every prompt."""
    if isinstance(candidate, type):
        raise UsageError(
            f"{option}={name}: {candidate.__name__} is a class; name an instance of it"
        )


def as_model(candidate: Any, name: str) -> ModelAdapter:
    """`candidate` as an adapter: it is one, or a callable ``answer(prompt, images)``."""
    _refuse_class("--mm-model", name, candidate)
    if isinstance(candidate, ModelAdapter):
        return candidate
    from pytest_mmreason.models.function import FunctionModel

    try:
        return FunctionModel(candidate, name)
    except ModelError as error:
        raise UsageError(f"--mm-model={name}: {error}") from None


def as_judge(candidate: Any, name: str) -> Judge:
    """`candidate` as a judge: it is one, or a callable ``judge(sample, response)``."""
    _refuse_class("--mm-judge", name, candidate)
    if isinstance(candidate, Judge):
        return candidate
    from pytest_mmreason.judges.function import FunctionJudge
    from pytest_mmreason.models.function import Caller, source_identity

    if not callable(candidate):
        raise UsageError(
            f"--mm-judge={name}: {type(candidate).__name__} is not callable as judge(sample, response)"
        )
    try:
        return FunctionJudge(Caller(candidate), name, source_identity(candidate))
    except MMReasonError as error:
        raise UsageError(f"--mm-judge={name}: {error}") from None


def _split(
    option: str, spec: str, bundled: Mapping[str, str], added: Iterable[str]
) -> tuple[str, str]:
    """(kind, argument) of a spec; UsageError if the kind is unknown or lacks its argument."""
    kind, _, argument = spec.partition(":")
    known = [*bundled, *added]
    if kind not in known:
        hint = nearest(kind, known)
        if ":" not in spec and not hint.startswith("Did you mean"):
            hint += f" What an endpoint calls {spec!r} is openai:{spec}."
        raise UsageError(f"{option}={spec}: unknown name {kind!r}. {hint}")
    if kind in ("openai", "replay", "python") and not argument:
        raise UsageError(f"{option}={spec}: write {bundled[kind].split('  ')[0]}")
    return kind, argument


def _made(option: str, factory: Callable[[Any], Any], argument: Any) -> Any:
    """What the factory of a hook makes; UsageError if it raises."""
    try:
        return factory(argument)
    except MMReasonError:
        raise
    except Exception as error:
        raise UsageError(f"{option}: its hook raised {_told(error)}") from error


def _told(error: BaseException) -> str:
    """What was raised, and in which line of the user's code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith("<") and f.filename != __file__]
    place = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{place}"


def _import(option: str, spec: str, argument: str, settings: Settings) -> Any:
    """The object that MODULE:ATTR names; the working folder can be imported from."""
    module_name, found, attribute = argument.partition(":")
    if not found or not module_name or not attribute:
        raise UsageError(f"{option}={spec}: write python:MODULE:ATTR")
    folder = settings.base_of(option.removeprefix("--mm-"))
    for place in (settings.directory, folder):
        if str(place) not in sys.path:
            sys.path.append(str(place))
    try:
        target: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{module_name}.".startswith(f"{missing}."):
            raise UsageError(
                f"{option}={spec}: {error}. MODULE is imported from {folder} and sys.path"
            ) from None
        raise UsageError(f"{option}={spec}: importing it raised {_told(error)}") from error
    for name in attribute.split("."):
        if not hasattr(target, name):
            raise UsageError(
                f"{option}={spec}: {module_name} has no {attribute!r}. {nearest(name, (n for n in dir(target) if n[0] != '_'))}"
            )
        target = getattr(target, name)
    return target
