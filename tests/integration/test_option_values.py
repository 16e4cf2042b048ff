"""Values that no option takes end the session with exit 4 and the nearest names; --help and --mm-list."""

from __future__ import annotations

import re

import pytest

from tests.support.benchmarks import sample
from tests.support.project import Project

MODEL, MADE = Project.model, Project.made


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([MODEL, MADE, "--mm-judge=locl"], "--mm-judge=locl: unknown name 'locl'. Did you mean 'local'*"),
        (["--mm-model=replya:x"], "--mm-model=replya:x: unknown name 'replya'. Did you mean 'replay'*"),
        (["--mm-model=openai:"], "--mm-model=openai:: write openai:NAME"),
        (["--mm-model=fixtures"], "*Did you mean 'fixture'*"),
        ([MODEL, "--mm-benchmark=minni"], "--mm-benchmark=minni: neither a benchmark's name nor a folder. Did you mean 'mini'*"),
        ([MODEL, "--mm-benchmark=./none"], "*none: 1 fault"),
        ([MODEL, MADE, "--mm-threshold=analogicl=40"], "--mm-threshold: no row 'analogicl' in made. Did you mean 'analogical'*"),
        ([MODEL, MADE, "--mm-threshold=made:hihg=40"], "--mm-threshold: no row 'made:hihg' in made. Did you mean 'high'*"),
        ([MODEL, MADE, "--mm-threshold=101"], "--mm-threshold*at most 100*"),
        ([MODEL, MADE, "--mm-prompt=cott"], "--mm-prompt is 'cott', not one of direct, cot. Did you mean 'cot'*"),
        ([MODEL, MADE, "--mm-images=nome"], "--mm-images is 'nome', not one of *Did you mean 'none'*"),
        ([MODEL, MADE, "--mm-sample=s11"], "--mm-sample: no sample 's11' in made. Did you mean 's1'*"),
        ([MODEL, MADE, "--mm-retries=-1"], "--mm-retries is -1; at least 0 is needed"),
        ([MODEL, MADE, "--mm-device=gpu"], "--mm-device is 'gpu', not one of auto, cpu, cuda, cuda:N, mps"),
        ([MODEL, MADE, "--mm-device=cuda:x"], "--mm-device is 'cuda:x', not one of *"),
        ([MODEL, MADE, "--mm-dtype=float8"], "--mm-dtype is 'float8', not one of *"),
        ([MODEL, MADE, "--mm-batch-size=0"], "--mm-batch-size is 0; at least 1 is needed; or auto, which finds one"),
        ([MODEL, MADE, "--mm-limit=0"], "--mm-limit is 0; at least 1 is needed"),
        ([MODEL, MADE, "--mm-max-errors=5%%"], "--mm-max-errors is '5%', not a number; write N or P%*"),
        ([MODEL, MADE, "--mm-max-errors=5percent"], "--mm-max-errors is '5percent', not a whole number; write N or P%, for example 3 or 5%"),
        (["--mm-model=runs/predictions.json"], "--mm-model=runs/predictions.json: a path is no name; write replay:runs/predictions.json"),
        (["--mm-model=./made"], "--mm-model=*/made: a path is no name; write hf:*/made"),
        ([MODEL, MADE, "--mm-judge=grades.json"], "--mm-judge=grades.json: a path is no name; write replay:grades.json"),
        ([MODEL, "--mm-benchmark=a.csv"], "--mm-benchmark=a.csv: neither a benchmark's name nor a folder; taken are a folder with benchmark.toml, FILE.tsv, and infimm-eval=DIR*"),
        ([MODEL, "--mm-benchmark=models_of_mine.py"], "*that is a file; taken are a folder with benchmark.toml, FILE.tsv, and infimm-eval=DIR*"),
        ([MODEL, MADE, "--mm-param=temperature"], "--mm-param is 'temperature'; write KEY=VALUE*"),
        ([MODEL, MADE, MADE], None),
        ([MODEL, MADE, "--mm-benchmark=./made"], "--mm-benchmark=*made: a benchmark named 'made' is already there"),
    ],
)  # fmt: skip
def test_unknown_value_is_a_usage_error(
    project: Project, args: list[str], message: str | None
) -> None:
    result = project.run_plain("--collect-only", *args)
    if message is None:  # the same said twice is said once
        assert result.ret == 0
        return
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])
    assert project.calls() == []
    assert not (project.path / ".mmreason").exists()


def test_unknown_value_is_the_same_usage_error_under_workers(project: Project) -> None:
    result = project.run("--mm-threshold=analogicl=40", "-n2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Did you mean 'analogical'*"])


def test_faults_of_a_benchmark_are_all_told_before_anything_runs(project: Project) -> None:
    rows = [sample(0), sample(0), sample(2, question=""), sample(3, images="a.png")]
    project.write_samples(rows)
    for args in ([], ["-n2"]):
        result = project.run(*args)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*3 faults*", "*:2*s0*", "*:3*question*", "*:4*images*"])
    assert project.calls() == []


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("models", ["openai", "replay", "python", "fixture", "parrot"]),
        ("judges", ["local", "keyword", "openai", "replay", "python", "fixture", "exact"]),
        ("benchmarks", ["mini", "ours"]),
    ],
)
def test_list_prints_what_there_is_and_ends(project: Project, what: str, names: list[str]) -> None:
    project.pytester.makeconftest(
        """
        def pytest_mmreason_models(config): return {"parrot": None}
        def pytest_mmreason_judges(config): return {"exact": None}
        def pytest_mmreason_benchmarks(config): return {"ours": None}
        """
    )
    result = project.run_plain(f"--mm-list={what}")
    assert result.ret == 0
    listed = [re.split(r"[: ]", line)[0] for line in result.outlines if line]
    assert [name for name in names if name not in listed] == []
    result.stdout.no_fnmatch_line("*collected*")
    assert project.run_plain(f"--mm-list={what}", Project.model, "-n2").ret == 0


def test_list_of_something_unknown_is_a_usage_error(project: Project) -> None:
    result = project.run_plain("--mm-list=judge")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--mm-list=judge: not one of models, judges, benchmarks. Did you mean 'judges'*"]
    )


HELP = [
    "--mm-model",
    "--mm-benchmark",
    "--mm-judge",
    "--mm-base-url",
    "--mm-judge-base-url",
    "--mm-api-key-env",
    "--mm-judge-api-key-env",
    "--mm-param",
    "--mm-judge-param",
    "--mm-prompt",
    "--mm-follow-up",
    "--mm-icl",
    "--mm-images",
    "--mm-judge-runs",
    "--mm-repeats",
    "--mm-concurrency",
    "--mm-timeout",
    "--mm-retries",
    "--mm-limit",
    "--mm-sample",
    "--mm-subset",
    "--mm-seed",
    "--mm-threshold",
    "--mm-item-threshold",
    "--mm-max-errors",
    "--mm-on-error",
    "--mm-output",
    "--mm-show",
    "--mm-agreement",
    "--mm-max-disagreement",
    "--mm-cache-dir",
    "--mm-cache",
    "--mm-device",
    "--mm-dtype",
    "--mm-batch-size",
    "--mm-trust-remote-code",
    "--mm-list",
]


def test_help_holds_every_option_in_our_group_and_every_ini_twin(project: Project) -> None:
    from pytest_mmreason.options import OPTIONS

    result = project.run_plain("--help")
    assert result.ret == 0
    text = result.stdout.str()
    group = re.search(r"^multimodal reasoning .*?(?=^\S)", text, re.M | re.S)
    assert group
    shown = re.findall(r"^  (--mm-[a-z-]+)(?:=\S|\s)", group[0], re.M)
    assert [name for name in HELP if name not in shown] == []
    assert shown == [*(option.flag for option in OPTIONS), "--mm-list"]
    assert set(shown) == set(re.findall(r"^  (--mm-[a-z-]+)", text, re.M))
    for option in OPTIONS:
        assert re.search(rf"^  {option.dest} \(\w+\):", text, re.M), option.dest
    assert re.search(r"^  mm_suite \(\w+\):", text, re.M)


def test_help_of_every_option_is_a_sentence_of_its_own() -> None:
    from pytest_mmreason.options import OPTIONS

    texts = [option.help for option in OPTIONS]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text[0].isupper() or text.split()[0].islower(), text
        assert text.rstrip().endswith((".", ")")), text
        assert len(text) < 200, text


@pytest.mark.parametrize("option", ["param", "judge-param"])
def test_parameter_that_is_nearly_one_is_noted(project: Project, option: str) -> None:
    given = [f"--mm-{option}={text}" for text in ("temprature=0", "top_p=1", "whatever=2")]
    told = " ".join(project.run(*given).stdout.str().split())
    note = f"--mm-{option} temprature: did you mean 'temperature'? It is sent as it was written"
    assert note in told
    assert "top_p:" not in told and "whatever:" not in told


def test_subset_of_no_id_is_told(project: Project) -> None:
    (project.path / "none.json").write_text("[]", encoding="utf-8")
    result = project.run("--mm-subset=none.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*none.json: the list holds no id"])
