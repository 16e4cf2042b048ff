"""``--mm-show``: the lowest samples, with question, answer, reference and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.runs import flat, run

JUDGE = """
    from pytest_mmreason import Verdict

    SCORES = {"s0": 0.9, "s1": 0.2, "s2": 0.0, "s3": 1.0, "s4": 0.2, "s5": 0.6}

    def judge(sample, response):
        return Verdict(SCORES[sample.id], rationale=f"reason of {sample.id}")
"""


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    pytester.makepyfile(judging=JUDGE)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    answers = {f"s{n}": f"my answer {n}" for n in range(6)}
    recorded = write_answers(pytester.path / "a.json", answers)
    return (
        f"--mm-model=replay:{recorded}",
        f"--mm-benchmark={folder}",
        "--mm-judge=python:judging:judge",
    )


def shown(result: pytest.RunResult) -> list[str]:
    """The samples of the section, in its order."""
    lines = result.stdout.lines
    start = next((i for i, line in enumerate(lines) if "mmreason: lowest" in line), None)
    if start is None:
        return []
    end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith("==="))
    heads = [line.split() for line in lines[start + 1 : end] if line[1:2].isdigit()]
    return [name for _, name in heads]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["s2", "s1", "s4"]),
        (["--mm-show=1"], ["s2"]),
        (["--mm-show=9"], ["s2", "s1", "s4", "s5", "s0"]),
        (["--mm-show=0"], []),
    ],
)
def test_the_lowest_come_first_and_a_full_score_never(
    pytester: pytest.Pytester, options: tuple[str, ...], arguments: list[str], expected: list[str]
) -> None:
    assert shown(run(pytester, *options, *arguments)) == expected


def test_each_is_explained(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    result = run(pytester, *options, "--mm-show=1", "-n2")
    result.stdout.fnmatch_lines(
        [
            " 0.00 *s2*",
            "*question *What is number 2?",
            "*answer *my answer 2",
            "*reference *answer2",
            "*why *reason of s2",
        ]
    )


def test_nothing_is_shown_where_all_is_right(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-sample=s3")
    assert result.ret == 0
    assert "lowest" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_rP_shows_the_same_of_every_passed_sample(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    quiet = run(pytester, *options, "--mm-show=0")
    assert "reason of" not in quiet.stdout.str()
    result = run(pytester, *options, "--mm-show=0", "-rP", *workers)
    for number in range(6):
        assert f"answer my answer {number} reference answer{number}" in flat(result)
        assert f"why reason of s{number}" in flat(result)


def test_long_texts_are_cut(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    long = Path("a.json")
    write_answers(long, {"s2": "word " * 5_000})
    result = run(pytester, *options, "--mm-sample=s2")
    assert "word word" in flat(result)
    assert flat(result).count("word") < 200
