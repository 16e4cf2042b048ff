"""Node ids: short, printable ASCII, unique, the same everywhere, and traceable to the sample."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.support.benchmarks import sample, summary_text
from tests.support.project import Project

ODD = [
    "猫 a/b::c[1]",
    "x" * 400,
    "x" * 399 + "y",
    "nul\0in it",
    "line\nbreak",
    "a@b",
    "-dash",
    'it\'s "quoted" $HOME `x`',
    "\u202eright to left",
    "s1",
    "S1",
    "s1 ",
    "café",
    "cafe\u0301",
]


def names(ids: list[str]) -> list[str]:
    """What stands in the brackets."""
    return [re.fullmatch(r"[^\[]+\[(.*)\]", i)[1] for i in ids]


@pytest.fixture
def odd(project: Project) -> Project:
    """A benchmark whose samples have ids that no file or shell would love."""
    project.write_samples([sample(n, id=i) for n, i in enumerate(ODD)])
    return project


def test_odd_ids_become_short_printable_and_unique_and_stay_traceable(odd: Project) -> None:
    found = names(odd.ids(odd.model, odd.made))
    assert len(found) == len(set(found)) == len(ODD)
    for name in found:
        assert re.fullmatch(r"[!-~]{1,60}", name), name
        assert not set(name) & set("[]:/@"), name
    assert found[9:11] == ["s1", "S1"]  # a fit id is its own name
    assert found[0].startswith("a-b-c-1-")
    assert found[1].startswith("x" * 40) and found[2].startswith("x" * 40)
    assert "dash" in found[6] and found[12].startswith("caf") and found[13].startswith("cafe")


@pytest.mark.parametrize("args", [(), ("-n2",)])
def test_odd_ids_run_and_are_recorded_as_they_are(odd: Project, args: tuple[str, ...]) -> None:
    result = odd.run("--mm-output=out", "--junitxml=junit.xml", *args)
    assert result.ret == 0
    result.assert_outcomes(passed=len(ODD))
    assert [record["sample"] for record in odd.records()] == ODD


def test_hash_seed_changes_neither_ids_nor_order_nor_tables(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = ["b", "c d", "c-d", "c.d", "c:d", "a", "e-f", "e f"]
    rows = [
        sample(n, id=f"{ODD[n]}{n}", tags=tags[: n % 9], capabilities=["ocr", "rec", "math"])
        for n in range(9)
    ]
    project.write_samples(rows)
    seen = []
    for seed, args in (("0", ["-n2"]), ("1", []), ("random", ["-n2"])):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        result = project.run_outside(
            "--mm-output=out", "--mm-cache=off", "-v", "--mm-threshold=99", *args
        )
        items = sorted(set(re.findall(r"test_sample\[(\S+)\]", result.stdout.str())))
        table = [
            line for line in result.outlines if re.match(r" (overall|tag|capability|markers)", line)
        ]
        seen.append(
            (
                result.ret,
                items,
                table,
                project.records(),
                summary_text(project.path / "out"),
            )
        )
    assert len(seen[0][1]) == 9
    assert seen[0] == seen[1] == seen[2]


def test_ids_name_what_differs_between_the_runs_of_a_session(project: Project) -> None:
    project.write_samples([sample(n) for n in range(6)], "second", name="second bench")
    found = names(
        project.ids(
            project.model,
            "--mm-model=python:models_of_mine:wrong",
            project.made,
            "--mm-benchmark=second",
            "--mm-prompt=direct",
            "--mm-prompt=cot",
            "--mm-repeats=2",
            "--mm-sample=s1",
        )
    )
    assert len(found) == len(set(found)) == 16
    assert all(re.fullmatch(r"[!-~]{1,120}", name) for name in found)
    assert all("s1" in name for name in found)
    for part in ("made-", "second-bench-", "right-", "wrong-", "direct-", "cot-", "-r0", "-r1"):
        assert sum(part in name for name in found) == 8, part


def test_ids_that_meet_when_joined_stay_apart(project: Project) -> None:
    project.write_samples([sample(0, id="b-c")], "first", name="a")
    project.write_samples([sample(0, id="c")], "second", name="a-b")
    benchmarks = ["--mm-benchmark=first", "--mm-benchmark=second"]
    found = names(project.ids(project.model, *benchmarks))
    assert len(set(found)) == 2
    assert project.run_plain(project.model, *benchmarks).parseoutcomes()["passed"] == 2


def test_ids_of_tests_of_ones_own_are_the_same(project: Project) -> None:
    project.pytester.makepyfile("def test_it(mm_sample, mm_evaluate): mm_evaluate(mm_sample)")
    assert names(project.ids(project.model, project.made)) == [f"s{n}" for n in range(6)]


def test_id_can_be_selected_by_k_and_deselect(odd: Project) -> None:
    (name,) = names(odd.ids(odd.model, odd.made, f"--mm-sample={ODD[0]}"))
    assert len(odd.ids(odd.model, odd.made, "-k", name)) == 1
    node = f"mmreason/test_benchmark.py::test_sample[{name}]"
    assert len(odd.ids(odd.model, odd.made, "--deselect", node)) == len(ODD) - 1


def test_failure_message_prints_the_option_that_reruns_the_sample(odd: Project) -> None:
    result = odd.run("--mm-item-threshold=1", "--mm-model=python:models_of_mine:wrong")
    assert result.ret == 1
    hints = re.findall(r"run it again with (--mm-sample=.+)", result.stdout.str())
    assert len(hints) == len(ODD)
    for hint, sample_id in list(zip(hints, ODD, strict=True))[:9]:
        (argument,) = shlex.split(hint)
        (odd.path / "calls.txt").unlink(missing_ok=True)
        again = odd.run("--mm-cache=off", "--mm-output=again", argument)
        assert again.parseoutcomes() == {"passed": 1}, hint
        assert [record["sample"] for record in odd.records("again")] == [sample_id]
