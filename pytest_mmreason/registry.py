"""From a spec to the object it names, with the nearest names where it names none."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks import native
from pytest_mmreason.benchmarks.base import Benchmark, shipped
from pytest_mmreason.benchmarks.opening import OFFICIAL, OTHERS, TAKEN, open_benchmark, where_to_get
from pytest_mmreason.errors import MMReasonError, ModelError, UsageError, nearest
from pytest_mmreason.judges.base import Judge
from pytest_mmreason.models.base import ModelAdapter
from pytest_mmreason.models.presets import Preset, by_any_name, effective, how_to_run, load
from pytest_mmreason.settings import SENDING, Settings, kind_of_path, split_benchmark

FIXTURE = "fixture"

RECORDED = "answers written by hand and shipped to show the tool; no model was run"

MODELS = {
    "tiny": "tiny             a small vision-language model in the box, run without torch",
    "hf": "hf:REPO_OR_DIR   a checkpoint, loaded here by transformers (REPO@REVISION pins it)",
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
    "mini": "mini             original reasoning samples, bundled (default)",
}

AFTER_PRESET = ("openai", "hf", "python")
"""What may follow a preset's name: ``gpt-4v:openai:NAME`` asks NAME as GPT-4V was asked."""

Factory = Callable[[str], Any]


def bundled_benchmark(name: str) -> Path:
    """The folder of a bundled benchmark, in the wheel or in a checkout."""
    return shipped(name)


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
    _loaded: Mapping[str, Preset] | None = field(default=None, init=False, repr=False)

    def check_names(self, settings: Settings) -> None:
        """UsageError if the spec of a model or the judge names nothing; nothing is made."""
        if settings.agreement is None:
            for spec in settings.model:
                self._split_model(spec)
        _split("--mm-judge", settings.judge, JUDGES, self.judges)

    def preset(self, spec: str) -> Preset | None:
        """The preset that `spec`, NAME or NAME:SPEC, begins with; None if it begins otherwise.

        A hook's name comes before a preset's of the same name.
        """
        kind = spec.partition(":")[0]
        return None if kind in MODELS or kind in self.models else self._presets().get(kind)

    def model(self, spec: str, settings: Settings) -> ModelAdapter | None:
        """The adapter that `spec` names; None for ``fixture``, which a test run brings.

        Raises UsageError naming what is wrong with the spec.
        """
        kind, argument = self._split_model(spec)
        preset = self.preset(spec)
        if preset is not None:
            return self._model_of(preset, spec, settings)
        if kind == FIXTURE:
            return None
        if kind == "tiny":
            from pytest_mmreason.models.tiny import TinyModel

            folder = settings.base_of("model") / argument if argument else None
            return TinyModel(folder, spec, settings.param, settings.batch_size)
        if kind == "hf":
            return _hf(argument, settings)
        if kind == "openai":
            from pytest_mmreason.models.openai import OpenAIModel, check_params

            check_params("--mm-param", settings.param)
            return OpenAIModel(
                argument,
                base_url=settings.base_url,
                api_key_env=settings.api_key_env,
                timeout_s=settings.timeout,
                makes_calls=settings.cache != "only",
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

    def _model_of(self, preset: Preset, spec: str, settings: Settings) -> ModelAdapter | None:
        """The adapter of a preset, or of the spec that follows its name."""
        is_alone = not spec.partition(":")[2]
        reached = settings.base_url or os.environ.get("OPENAI_BASE_URL")
        if is_alone and preset.needs and not reached:
            raise UsageError(f"--mm-model={spec}: {how_to_run(preset)}")
        # What can be checked before the samples is checked of all parameters that will be sent.
        known = {key: v for usage in preset.usages.values() for key, v in usage.params.items()}
        settings = replace(settings, param=effective(known, settings.param))
        asked = preset.asked(spec)
        if asked.startswith("hf:"):
            # How many images another checkpoint takes is not the preset's to say.
            like = preset if is_alone else replace(preset, several_images=True)
            return _hf(asked.removeprefix("hf:"), settings, like)
        return self.model(asked, settings)

    def _split_model(self, spec: str) -> tuple[str, str]:
        """(kind, argument) of a model's spec; UsageError if it names nothing."""
        presets = self._presets() if spec.partition(":")[0] not in MODELS else {}
        kind, argument = _split("--mm-model", spec, MODELS, [*self.models, *presets])
        if argument and self.preset(spec) is not None:
            other = argument.partition(":")[0]
            if other not in (*AFTER_PRESET, *self.models):
                known = [f"{name}:…" for name in (*AFTER_PRESET, *self.models)]
                raise UsageError(
                    f"--mm-model={spec}: after a preset's name comes the spec of another model, "
                    f"{', '.join(known[:-1])} or {known[-1]}; not {other!r}"
                )
            _split("--mm-model", argument, MODELS, self.models)
        return kind, argument

    def _presets(self) -> Mapping[str, Preset]:
        if self._loaded is None:
            self._loaded = by_any_name(load())
        return self._loaded

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
            from pytest_mmreason.models.openai import OpenAIModel, check_params

            check_params("--mm-judge-param", settings.judge_param)
            adapter = OpenAIModel(
                argument,
                base_url=settings.judge_base_url,
                api_key_env=settings.judge_api_key_env,
                timeout_s=settings.timeout,
                url_option="--mm-judge-base-url",
                key_option="--mm-judge-api-key-env",
                makes_calls=settings.cache != "only",
            )
            params, base = dict(settings.judge_param), settings.base_of("judge_param")
            for name in params.keys() & {"prompt", "grades"}:
                params[name] = base / Path(str(params[name])).expanduser()
            grades = params.pop("grades", None)
            judge = LLMJudge(adapter, params)
            if grades is None:
                return judge
            from pytest_mmreason.judges.replay import ReplayJudge
            from pytest_mmreason.judges.resumed import ResumedJudge

            return ResumedJudge(judge, ReplayJudge(grades))
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
            return open_benchmark(Path(path), name, settings.corrections == "on")
        if name in BENCHMARKS:
            return native.load(bundled_benchmark(name))
        folder = settings.base_of("benchmark") / spec
        if folder.is_dir() or "/" in spec or folder.is_file():
            return open_benchmark(folder)
        if name in OFFICIAL:
            raise UsageError(f"--mm-benchmark={spec}: {where_to_get(name)}")
        known = [*BENCHMARKS, *OFFICIAL, *self.benchmarks]
        raise UsageError(
            f"--mm-benchmark={spec}: neither a benchmark's name nor a folder"
            + (f". {nearest(spec, known)}" if not Path(spec).suffix else f"; {TAKEN}")
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
        if what == "models":
            from pytest_mmreason import listing

            presets = {preset.name: preset for preset in self._presets().values()}
            return listing.models(bundled, added, presets)
        more = [*OFFICIAL.values(), *OTHERS] if what == "benchmarks" else []
        return "\n".join(
            [*bundled.values(), *more, *(f"{name:16} added by a hook" for name in sorted(added))]
        )


def _hf(source: str, settings: Settings, preset: Preset | None = None) -> ModelAdapter:
    """The local checkpoint `source`; UsageError for what is wrong with it."""
    from pytest_mmreason.models.transformers import HFModel

    return HFModel(
        source,
        base=settings.base_of("model"),
        device=settings.device,
        dtype=settings.dtype,
        batch_size=settings.batch_size,
        trust_remote_code=settings.trust_remote_code,
        images=settings.images in SENDING,
        params=settings.param,
        seed=settings.seed,
        chat_template=(preset.chat_template or None) if preset else None,
        max_images=1 if preset and not preset.several_images else None,
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
        if meant := kind_of_path(option, spec):
            raise UsageError(f"{option}={spec}: a path is no name; write {meant}{spec}")
        hint = nearest(kind, known)
        best = nearest(kind, known, limit=1)
        if ":" not in spec and best not in {f"Did you mean {name!r}?" for name in bundled}:
            hint += f" What an endpoint calls {spec!r} is openai:{spec}."
        raise UsageError(f"{option}={spec}: unknown name {kind!r}. {hint}")
    if kind in ("openai", "hf", "replay", "python") and not argument:
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
