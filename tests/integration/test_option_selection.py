"""--mm-limit, --mm-sample, --mm-subset and --mm-seed choose before anything is collected."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.support.benchmarks import CELLS, read_summary, sample
from tests.support.project import Project


def collected(project: Project, *args: str) -> list[str]:
    """The sample ids that are collected, in order."""
    return [i.split("[")[1].rstrip("]") for i in project.ids(project.model, project.made, *args)]


def test_limit_keeps_the_mix_of_category_and_complexity(project: Project) -> None:
    rows = [sample(n) for n in range(36)] + [
        sample(n, category="deductive", complexity="moderate") for n in range(36, 54)
    ]
    project.write_samples(rows)
    chosen = collected(project, "--mm-limit=18")
    cells = Counter((rows[int(i[1:])]["category"], rows[int(i[1:])]["complexity"]) for i in chosen)
    assert cells == {cell: 8 if cell == CELLS[0] else 2 for cell in CELLS}
    assert chosen == sorted(chosen, key=lambda i: int(i[1:]))


def test_limit_asks_nothing_of_the_others(project: Project) -> None:
    result = project.run("--mm-limit=2", "--mm-output=out")
    assert result.ret == 0
    result.assert_outcomes(passed=2)
    assert len(project.calls()) == 2
    counts = read_summary(project.path / "out")["runs"][0]["counts"]
    assert counts["collected"] == counts["scored"] == 2
    result.stdout.fnmatch_lines(["mmreason: benchmark made* · 2 of 6 samples · *"])


def test_limit_above_the_number_of_samples_takes_all(project: Project) -> None:
    assert collected(project, "--mm-limit=1000") == [f"s{n}" for n in range(6)]


def test_seed_decides_which_samples_a_limit_takes(project: Project) -> None:
    project.write_samples([sample(n) for n in range(60)])
    first = collected(project, "--mm-limit=12")
    assert collected(project, "--mm-limit=12", "--mm-seed=0") == first
    others = {tuple(collected(project, "--mm-limit=12", f"--mm-seed={n}")) for n in (1, 2)}
    assert len(others | {tuple(first)}) == 3


def test_sample_is_repeatable_and_keeps_the_order_of_the_benchmark(project: Project) -> None:
    assert collected(project, "--mm-sample=s4", "--mm-sample=s1", "--mm-sample=s4") == ["s1", "s4"]


def test_sample_is_named_by_its_id_and_not_by_its_slug(project: Project) -> None:
    odd = "猫 a/b::c[1]"
    project.write_samples([sample(0, id=odd), sample(1)])
    (chosen,) = collected(project, f"--mm-sample={odd}")
    assert chosen.isascii() and chosen.startswith("a-b-c-1")


def test_subset_and_sample_are_both_heeded(project: Project) -> None:
    (project.path / "ids.json").write_text(json.dumps(["s5", "s2", "s0"]))
    assert collected(project, "--mm-subset=ids.json") == ["s0", "s2", "s5"]
    both = collected(project, "--mm-subset=ids.json", "--mm-sample=s2", "--mm-sample=s3")
    assert both == ["s2"]
    assert collected(project, "--mm-subset=ids.json", "--mm-limit=1")[0] in {"s0", "s2", "s5"}


def test_subset_of_numbers_names_ids(project: Project) -> None:
    project.write_samples([sample(n, id=str(n)) for n in range(4)])
    (project.path / "ids.json").write_text("[3, 1]")
    assert collected(project, "--mm-subset=ids.json") == ["1", "3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "*--mm-subset *ids.json: no such file*"),
        ("{", "*--mm-subset *ids.json: *"),
        ('{"s1": 1}', "*--mm-subset *ids.json: a JSON list of sample ids is needed"),
        ('["s1", "s99"]', "*--mm-subset *ids.json: no sample 's99' in made.*"),
    ],
)
def test_bad_subset_is_a_usage_error(project: Project, content: str | None, message: str) -> None:
    if content is not None:
        (project.path / "ids.json").write_text(content)
    result = project.run("--mm-subset=ids.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_sample_of_one_of_several_benchmarks(project: Project) -> None:
    project.write_samples([sample(n, id=f"t{n}") for n in range(3)], "second", name="second")
    chosen = collected(project, "--mm-benchmark=second", "--mm-sample=t1", "--mm-sample=s1")
    assert chosen == ["made-s1", "second-t1"]


@pytest.mark.parametrize(
    ("ids", "args", "message"),
    [
        ('["s1"]', ["--mm-sample=s2"], "--mm-sample and --mm-subset * leave no sample"),
        ("[]", [], "--mm-subset *: the list holds no id"),
    ],
)
def test_selection_that_leaves_nothing_is_a_usage_error(
    project: Project, ids: str, args: list[str], message: str
) -> None:
    # An empty run would pass every gate.
    (project.path / "ids.json").write_text(ids)
    result = project.run("--mm-subset=ids.json", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])
