"""``--mm-show``: the lowest samples, with question, answer, reference and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

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
    return [head[1] for head in heads]


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
            " 0.00  s2  abductive · moderate",
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
        assert f"answer my answer {number} reference answer{number} judge" in flat(result)
        assert f"why reason of s{number}" in flat(result)


def test_long_texts_are_cut_with_a_note(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_answers(Path("a.json"), {"s2": "word " * 5_000})
    result = run(pytester, *options, "--mm-sample=s2")
    assert 0 < flat(result).count("word") < 200
    assert "[24,399 more characters]" in flat(result)


GRADING = """
    from pytest_mmreason import Verdict
    from pytest_mmreason.verdict import StepCredit

    async def judge(sample, response):
        judge.asked = getattr(judge, "asked", 0) + 1
        return Verdict(
            0.2 * judge.asked,
            score_answer_only=0.0,
            steps=(StepCredit(1, 1.0), StepCredit(2, 0.5)),
            rationale="one of \x1b[31mtwo\x1b[0m",
            confidence=0.25,
        )
"""


@pytest.mark.parametrize("how", ["--mm-show=1", "-rP"])
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
@pytest.mark.parametrize("columns", [60, 80])
def test_everything_that_made_the_score_is_told_within_the_terminals_width(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    workers: tuple[str, ...],
    columns: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    pytester.makepyfile(grading=GRADING)
    one = sample(0, steps=["look at the thing " * 5, "compare"], images=["a b.png"])
    write_benchmark(pytester.path / "made", [one])
    write_answers(Path("a.json"), {"s0": f"<think>{'hm ' * 9}</think>\n1. 猫{'猫' * 60}\n\n2. no"})
    result = run(
        pytester, "--mm-model=replay:a.json", "--mm-benchmark=made", "--mm-judge-runs=2",
        "--mm-judge=python:grading:judge", "--mm-images=none", "--mm-show=0", how, *workers,
    )  # fmt: skip
    assert result.ret == 0
    lines = result.stdout.lines
    start = next(i for i, line in enumerate(lines) if line.startswith(" 0.30 ± 0.10  s0"))
    told = lines[start : next(i for i in range(start, len(lines)) if lines[i].startswith("==="))]
    assert told[0] == " 0.30 ± 0.10  s0  deductive · moderate"
    text = "\n".join(told)
    for part in (
        "   question   What is number 0?\n   images     a b.png\n",
        "   answer     [after 43 characters of reasoning]\n              1.",
        "\n              2. no\n   reference  answer0\n   steps      1.00  look at the thing",
        "\n              0.50  compare\n   judge      python:grading:judge",
        "why        one of \\x1b[31mtwo\\x1b[0m",
    ):
        assert part in text
    assert re.search(r"thing look.*\n {20}\S", text), "a step goes on beside its credit"
    judged = " ".join(text.split())  # whichever run was asked first
    assert any(f"verdicts {v} · answer alone" in judged for v in ("0.20, 0.40", "0.40, 0.20"))
    assert "answer alone 0.00 · unsure (0.25)" in judged
    assert max(cell_len(line) for line in told) < columns
