"""Several models or prompts in one session: a run each, side by side, the best marked."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import (
    read_summary,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.endpoint import Endpoint, question_of
from tests.support.runs import endpoint_options, number_of, run, verdict_line


@pytest.fixture
def models(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Two models: a.json is right twice in six, b.json five times."""
    folder = write_benchmark(
        pytester.path / "made", [sample(n, complexity="moderate") for n in range(6)]
    )
    for name, right in (("a", 2), ("b", 5)):
        answers = {f"s{n}": f"answer{n}" if n < right else "no" for n in range(6)}
        write_answers(pytester.path / f"{name}.json", answers)
    return ("--mm-model=replay:a.json", "--mm-model=replay:b.json", f"--mm-benchmark={folder}")


def side_by_side(result: pytest.RunResult) -> list[str]:
    """The rows of the last table."""
    lines = result.stdout.lines
    start = next(i for i, line in enumerate(lines) if "mmreason: side by side" in line)
    rule = next(i for i in range(start, len(lines)) if "───" in lines[i])
    return lines[rule + 1 : rule + 3]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_models_stand_side_by_side_and_the_best_is_marked(
    pytester: pytest.Pytester, models: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    result = run(pytester, *models, "--mm-output=out", *workers)
    assert result.ret == 0
    result.assert_outcomes(passed=12)
    a, b = side_by_side(result)
    assert "replay:a.json" in a and "33.3" in a and "★" not in a
    assert "replay:b.json" in b and "83.3" in b and "★" in b
    runs = read_summary(pytester.path / "out")["runs"]
    assert [r["model"] for r in runs] == ["replay:a.json", "replay:b.json"]
    assert [r["counts"]["collected"] for r in runs] == [6, 6]
    assert result.stdout.str().count("mmreason: replay:") >= 2, "each has its own tables"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_pairs_of_models_tell_whether_chance_explains_the_difference(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(24)])
    options = [f"--mm-benchmark={folder}", "--mm-output=out", "--mm-show=0"]
    for name, right in (("a", 2), ("b", 22), ("c", 20)):
        answers = {f"s{n}": f"answer{n}" if n < right else "no" for n in range(24)}
        write_answers(pytester.path / f"{name}.json", answers)
        options.append(f"--mm-model=replay:{name}.json")
    result = run(pytester, *options, *workers)
    pairs = read_summary(pytester.path / "out")["pairs"]
    told = [
        (p["first"]["model"][7], p["second"]["model"][7], p["worse"], p["better"]) for p in pairs
    ]
    assert told == [("b", "c", 0, 2), ("b", "a", 0, 20), ("c", "a", 0, 18)], "the best one's first"
    assert [p["p"] for p in pairs] == [2 / 2**2, 2 / 2**20, 2 / 2**18]
    assert [p["p_adjusted"] for p in pairs] == [0.5, 3 * 2 / 2**20, 2 * 2 / 2**18]
    lost = pairs[1]["first_score"] - pairs[1]["second_score"]
    assert pairs[1]["difference"] == pytest.approx(lost) and lost > 80
    text = " ".join(result.stdout.str().split())
    assert "model against overall 95 % CI p (Holm)" in text
    assert "replay:b.json replay:c.json" in text and "< 0.001" in text
    page = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "| replay:b.json | replay:c.json |" in page and "p (Holm)" in page


def test_one_model_has_no_such_table(pytester: pytest.Pytester, models: tuple[str, ...]) -> None:
    assert "side by side" not in run(pytester, models[0], models[2]).stdout.str()


def test_a_threshold_holds_for_every_run_and_the_failed_one_is_named(
    pytester: pytest.Pytester, models: tuple[str, ...]
) -> None:
    result = run(pytester, *models, "--mm-threshold=50", "--mm-output=out")
    assert result.ret == 1
    assert "replay:a.json: overall 33.3 is below 50" in verdict_line(result)
    assert "b.json" not in verdict_line(result)
    gates = [run["gates"][0]["passed"] for run in read_summary(pytester.path / "out")["runs"]]
    assert gates == [False, True]


def test_prompts_are_runs_of_their_own_and_the_best_is_marked(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    def script(body: dict[str, object], seen: int) -> str:
        thinks = "step by step" in question_of(body)
        return f"answer{number_of(body)}" if thinks or number_of(body) == 0 else "no"

    endpoint.script = script
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={folder}")
    result = run(pytester, *options, "--mm-prompt=direct", "--mm-prompt=cot", "--mm-output=out")
    assert result.ret == 0
    direct, cot = side_by_side(result)
    assert "direct" in direct and "★" not in direct
    assert "cot" in cot and "★" in cot and "100.0" in cot
    assert [r["prompt"] for r in read_summary(pytester.path / "out")["runs"]] == ["direct", "cot"]
    assert len(endpoint.requests) == 8


def test_several_benchmarks_have_tables_and_thresholds_of_their_own(
    pytester: pytest.Pytester, models: tuple[str, ...]
) -> None:
    other = write_benchmark(pytester.path / "other", [sample(n) for n in range(2)], name="other")
    options = (models[0], models[2], f"--mm-benchmark={other}")
    result = run(
        pytester,
        *options,
        "--mm-output=out",
        "--mm-threshold=other:overall=90",
        "--mm-threshold=20",
    )
    assert result.ret == 0
    made, second = read_summary(pytester.path / "out")["runs"]
    assert (made["benchmark"], second["benchmark"]) == ("made", "other")
    assert [g["limit"] for g in made["gates"]] == [20]
    assert [g["limit"] for g in second["gates"]] == [90, 20]
    assert second["rows"]["overall"]["score"] == 100
