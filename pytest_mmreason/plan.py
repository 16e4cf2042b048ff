"""The plan: which samples of which benchmarks are asked of which models, and how."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mmreason.asking import Asking, Examples, provenance
from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.errors import UsageError, nearest
from pytest_mmreason.gates import check_thresholds
from pytest_mmreason.models.presets import Preset, Usage, effective
from pytest_mmreason.naming import slug
from pytest_mmreason.prompting import Prompt
from pytest_mmreason.record import RecordKey
from pytest_mmreason.registry import Registry
from pytest_mmreason.sample import Sample
from pytest_mmreason.scoring import RowNames
from pytest_mmreason.selection import deal, read_subset, select
from pytest_mmreason.settings import SENDING, Settings, Shard

if TYPE_CHECKING:
    from pytest_mmreason.grades import Graded

LARGE = 1_000
"""Samples from which on the work that each of them makes for the garbage collector is felt."""


class Work(NamedTuple):
    """One record to make: indices into the plan's runs and the run's samples."""

    run: int
    sample: int
    repeat: int


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run: a benchmark asked of a model with a prompt strategy.

    model:  what tables and records call it. spec: what names it on the command line.
    preset: the preset whose prompts and parameters it has; None for the plain question.
    asking: how its samples are asked beside that.
    """

    benchmark: Benchmark
    model: str
    spec: str
    prompt: str
    preset: Preset | None = None
    asking: Asking = field(default=Asking(), compare=False, repr=False)

    def question(self, sample: Sample) -> Prompt:
        """The prompt that asks `sample`. DataError for an image without a caption."""
        return self.asking.prompt(sample, self.prompt, self.usage.template)

    @property
    def usage(self) -> Usage:
        """Prompt and parameters of the model's preset under the benchmark's protocol."""
        return self.preset.usage(self.benchmark.protocol) if self.preset else Usage()

    @property
    def asked(self) -> str:
        """The spec of what is really asked: a preset's name stands for another spec."""
        return self.preset.asked(self.spec) if self.preset else self.spec

    @property
    def shown(self) -> str:
        """The model as a person is shown it: a preset's name with what it stands for."""
        told = self.asked in self.spec
        return self.model if told else f"{self.model} → {self.asked}"

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The generation parameters of a call; those `given` by the user replace the preset's."""
        return effective(self.usage.params, given)


@dataclass(frozen=True, slots=True)
class Plan:
    """Every run of a session.

    selected: per benchmark, the indices of its selected samples, in order.
    whole:    the same before --mm-shard took a part of them.
    names:    per benchmark, the names of its rows, settled over all of its samples.
    named:    per benchmark, how many of its samples ``--mm-subset`` names; all without one.
    graded:   the graded answers on which the judge is measured, in place of a model.
    asked:    the settings that decide what is asked; see :func:`asking.provenance`.
    """

    settings: Settings
    runs: tuple[RunSpec, ...]
    selected: Mapping[str, tuple[int, ...]]
    whole: Mapping[str, tuple[int, ...]]
    names: Mapping[str, RowNames]
    named: Mapping[str, int]
    graded: Graded | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def judge(self) -> str:
        """What tables and records call the judge."""
        return spec_labels((self.settings.judge,))[self.settings.judge]

    def works(self) -> Iterator[Work]:
        """All selected work, in collection order."""
        for index, run in enumerate(self.runs):
            for sample in self.selected[run.benchmark.name]:
                for repeat in range(self.settings.repeats):
                    yield Work(index, sample, repeat)

    def sample(self, work: Work) -> Sample:
        """The sample of `work`."""
        return self.runs[work.run].benchmark.samples[work.sample]

    def params(self, spec: str) -> Mapping[str, Any]:
        """The generation parameters of a model that a test asks by hand: its first run's."""
        given = self.settings.param
        return next((run.params(given) for run in self.runs if run.spec == spec), given)

    def key(self, work: Work) -> RecordKey:
        """The key of the record that `work` makes."""
        run = self.runs[work.run]
        sample = run.benchmark.samples[work.sample]
        return RecordKey(run.benchmark.name, run.model, run.prompt, sample.id, work.repeat)


def make_plan(settings: Settings, registry: Registry) -> Plan:
    """Load the benchmarks, select, and check every row that a threshold names.

    Raises UsageError or BenchmarkError.
    """
    registry.check_names(settings)
    if settings.agreement is not None:
        return _plan_of_graded(settings, registry)
    benchmarks = _read_benchmarks(settings, registry)
    presets = {spec: registry.preset(spec) for spec in settings.model}
    plan = plan_runs(settings, benchmarks, spec_labels(settings.model), presets)
    _check_reading(plan)
    for name, lacking, count in _uncaptioned(plan, plan.whole):
        if lacking == count:
            raise UsageError(
                f"--mm-images=captions={settings.captions}: of no selected sample of {name} are the "
                "images' captions there; python -m pytest_mmreason caption writes them"
            )
    return plan


def _plan_of_graded(settings: Settings, registry: Registry) -> Plan:
    """The plan that measures the judge on graded answers."""
    from pytest_mmreason import grades
    from pytest_mmreason.models.replay import ReplayModel

    assert settings.agreement is not None
    if settings.shard is not None:
        raise UsageError(
            "--mm-shard divides a model's samples; --mm-agreement measures a judge on all answers"
        )
    path = settings.agreement
    if not path.is_absolute():  # a bundled name, whose answers are to a certain benchmark
        settings = replace(settings, benchmark=(path.name,))
        path = grades.bundled(path.name)

    def predictions() -> ReplayModel | None:
        recorded = [spec for spec in settings.model if spec.startswith("replay:")]
        model = registry.model(recorded[0], settings) if recorded else None
        return model if isinstance(model, ReplayModel) else None

    graded = grades.load(path, _read_benchmarks(settings, registry), predictions)
    # Nobody is asked: how a model would be is of no matter.
    settings = replace(
        settings, images="separate", icl=0, prompt=("direct",), follow_up="none", repeats=1
    )
    plan = plan_runs(settings, {grades.NAME: graded.benchmark}, {grades.NAME: grades.MODEL})
    return replace(plan, graded=graded)


def _read_benchmarks(settings: Settings, registry: Registry) -> dict[str, Benchmark]:
    """By name, the benchmarks that the settings name."""
    benchmarks: dict[str, Benchmark] = {}
    for spec in settings.benchmark:
        benchmark = registry.benchmark(spec, settings)
        if benchmark.name in benchmarks:
            raise UsageError(
                f"--mm-benchmark={spec}: a benchmark named {benchmark.name!r} is already there"
            )
        benchmarks[benchmark.name] = benchmark
    return benchmarks


def is_large(plan: Plan) -> bool:
    """True if the garbage collector would feel the plan; see :func:`set_aside`."""
    return sum(len(chosen) for chosen in plan.selected.values()) >= LARGE


def set_aside() -> None:
    """Take all that there is, but for garbage, out of the garbage collector's sight.

    It would walk through a large plan, and as many items, again and again. :func:`gc.unfreeze`
    is owed.
    """
    gc.collect()
    gc.freeze()


def plan_runs(
    settings: Settings,
    benchmarks: Mapping[str, Benchmark],
    labels: Mapping[str, str],
    presets: Mapping[str, Preset | None] | None = None,
) -> Plan:
    """The plan of `benchmarks` x models (spec -> label, spec -> preset) x prompt strategies."""
    only = _wanted(settings, benchmarks)
    whole = {
        name: tuple(select(b.samples, only=only, limit=settings.limit, seed=settings.seed))
        for name, b in benchmarks.items()
    }
    selected = part_of(whole, benchmarks, settings.shard) if settings.shard else whole
    names = {name: RowNames(b.samples) for name, b in benchmarks.items()}
    check_thresholds(settings.threshold, names)
    texts = None
    if settings.captions:
        from pytest_mmreason import captions

        texts = captions.read(settings.captions, benchmarks.values())
    asking = {
        name: Asking(
            settings.image_mode,
            texts,
            Examples.of(name, b.samples, settings.icl, settings.seed),
        )
        for name, b in benchmarks.items()
    }
    runs = tuple(
        RunSpec(benchmark, label, spec, prompt, (presets or {}).get(spec), asking[benchmark.name])
        for benchmark in benchmarks.values()
        for spec, label in labels.items()
        for prompt in settings.prompt
    )
    subset = set(read_subset(settings.subset)) if settings.subset else None
    named = {
        name: sum(subset is None or sample.id in subset for sample in b.samples)
        for name, b in benchmarks.items()
    }
    asked = provenance(settings, texts)
    return Plan(settings, runs, selected, whole, names, named, asked=asked)


def part_of(
    whole: Mapping[str, tuple[int, ...]], benchmarks: Mapping[str, Benchmark], shard: Shard
) -> dict[str, tuple[int, ...]]:
    """What falls to one shard. Dealing goes on from one benchmark to the next."""
    dealt, part = 0, {}
    for name, kept in whole.items():
        part[name] = tuple(deal(benchmarks[name].samples, kept, *shard, first=dealt))
        dealt += len(kept)
    return part


def cautions(plan: Plan) -> list[str]:
    """What is to be known of the results before they are there, a sentence each.

    Of captions that are not there, and of presets that run by name alone.
    """
    found = [
        f"{lacking} of the {count} selected samples of {name} with images lack captions; each ends "
        "as a data_error"
        for name, lacking, count in _uncaptioned(plan, plan.selected)
        if lacking
    ]
    for run in plan.runs:
        if run.preset is None or ":" in run.spec:
            continue
        if run.preset.note:
            found.append(f"{run.model}: {run.preset.note}")
        if run.preset.several_images or run.asking.images not in SENDING:
            continue
        samples = [run.benchmark.samples[i] for i in plan.selected[run.benchmark.name]]
        several = sum(len(run.question(sample).images) > 1 for sample in samples)
        if several:
            more = "; --mm-images=concat joins them"
            if plan.settings.icl:
                more = ", those of their worked examples among them"
            found.append(
                f"{run.model} takes one image at a time; {several} of the {len(samples)} selected "
                f"samples of {run.benchmark.name} have several{more}"
            )
    return list(dict.fromkeys(found))


def _uncaptioned(
    plan: Plan, selected: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, int, int]]:
    """(benchmark, samples that lack a caption, samples with images) where captions are sent."""
    if plan.settings.captions is None:
        return
    for run in {run.benchmark.name: run for run in plan.runs}.values():
        samples = [run.benchmark.samples[i] for i in selected[run.benchmark.name]]
        shown = [sample for sample in samples if sample.images]
        if shown:
            yield run.benchmark.name, sum(map(run.asking.lacks, shown)), len(shown)


def _check_reading(plan: Plan) -> None:
    """UsageError if images would be sent to a language model that reads none."""
    for run in plan.runs:
        if run.preset is None or run.preset.reads_images or run.asking.images not in SENDING:
            continue
        samples = [run.benchmark.samples[i] for i in plan.selected[run.benchmark.name]]
        shown = sum(bool(sample.images) for sample in samples)
        if shown:
            raise UsageError(
                f"--mm-model={run.spec}: {run.preset.title} reads no images, and {shown} of the "
                f"{len(samples)} selected samples of {run.benchmark.name} have some; "
                "--mm-images=none asks their questions alone, and --mm-images=captions=FILE with "
                "captions in the images' place"
            )


def spec_labels(specs: tuple[str, ...]) -> dict[str, str]:
    """spec -> label: the spec itself, a recording or a checkpoint's folder by its name.

    Of equal names as many folders are shown as tell them apart: ids and records are to
    be the same wherever the repository lies.
    """
    paths: dict[str, tuple[str, tuple[str, ...]]] = {}
    for spec in specs:
        for kind in ("replay:", "hf:"):
            before, found, path = spec.rpartition(kind)
            if found and (Path(path).is_absolute() if kind == "hf:" else not before):
                paths[spec] = (before + kind, Path(path).parts)
    labels = {spec: spec for spec in specs}
    for spec, (kind, parts) in paths.items():
        others = [other for name, (_, other) in paths.items() if name != spec]
        lengths = range(1, len(parts) + 1)
        length = next((n for n in lengths if all(o[-n:] != parts[-n:] for o in others)), len(parts))
        labels[spec] = f"{kind}{Path(*parts[-length:])}"
    return labels


def _wanted(settings: Settings, benchmarks: Mapping[str, Benchmark]) -> set[str] | None:
    """The ids that --mm-sample and --mm-subset leave; None for all.

    A sample may also be named as its item's id names it: some ids cannot be typed.
    Raises UsageError with the nearest ids for one that no benchmark has.
    """
    if not settings.sample and settings.subset is None:
        return None
    known = {sample.id for benchmark in benchmarks.values() for sample in benchmark.samples}
    item_names = {slug(sample_id): sample_id for sample_id in known}
    wanted: set[str] | None = None
    sources = [("--mm-sample", settings.sample)] if settings.sample else []
    if settings.subset is not None:
        sources.append((f"--mm-subset {settings.subset}", read_subset(settings.subset)))
    for source, ids in sources:
        named = [i if i in known else item_names.get(i, i) for i in ids]
        for sample_id in named:
            if sample_id not in known:
                raise UsageError(
                    f"{source}: no sample {sample_id!r} in {', '.join(benchmarks)}. {nearest(sample_id, known)}"
                )
        wanted = set(named) if wanted is None else wanted & set(named)
    if not wanted:
        raise UsageError(f"{' and '.join(source for source, _ in sources)} leave no sample")
    return wanted
