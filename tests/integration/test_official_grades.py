"""Grade files of every kind give the numbers of MM-Vet's evaluator; what is wrong in one is told."""

from __future__ import annotations

import ast
import csv
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import evaluator
from tests.support.benchmarks import read_records, read_summary, write_answers
from tests.support.endpoint import Endpoint, question_of
from tests.support.official import vet_entry, write_json, write_vet
from tests.support.runs import endpoint_options, flat, run

pytest.importorskip("numpy")

CAPABILITIES = [["rec"], ["ocr", "math"], ["math", "ocr"], ["rec", "know", "gen"], ["rec", "spat"]]


def made_data(count: int, seed: int) -> dict[str, Any]:
    choose = random.Random(seed)
    return {f"v1_{n}": vet_entry(capability=choose.choice(CAPABILITIES)) for n in range(count)}


def made_grades(ids: list[str], runs: int, seed: int) -> dict[str, Any]:
    choose = random.Random(seed)
    made = {}
    for sample in ids:
        scores = [choose.choice([n / 10 for n in range(11)]) for _ in range(runs)]
        made[sample] = {
            "model": ["gpt-4-0613"] * runs,
            "content": [*map(str, scores)],
            "score": scores,
        }
    return made


class Case:
    """A made MM-Vet, recorded answers of a model, and its grades."""

    def __init__(self, pytester: pytest.Pytester, count: int = 23, seed: int = 0) -> None:
        self.pytester = pytester
        self.data = made_data(count, seed)
        self.folder = write_vet(pytester.path / "vet", self.data)
        self.answers = {sample: f"text of {sample}" for sample in self.data}
        self.model = "my-model.v1.5-7b_chat"

    def run(self, grades: Any, runs: int, *options: str) -> pytest.RunResult:
        name = f"{self.model}_gpt-4-0613-grade-{runs}runs.json"
        write_json(self.pytester.path / "grades" / name, grades)
        answers = write_answers(self.pytester.path / f"{self.model}.json", self.answers)
        return run(
            self.pytester,
            f"--mm-benchmark=mm-vet={self.folder}",
            f"--mm-model=replay:{answers}",
            f"--mm-judge=replay:grades/{name}",
            f"--mm-judge-runs={runs}",
            "--mm-output=out",
            *options,
        )

    def table(self, part: str, runs: int, subset: str = "") -> dict[str, Any]:
        name = f"{self.model}_{subset}gpt-4-0613-{part}-{runs}runs.csv"
        text = (self.pytester.path / "out" / name).read_text(encoding="utf-8")
        header, row = csv.reader(text.splitlines())
        assert row[0] == self.model
        return {
            name: ast.literal_eval(cell) for name, cell in zip(header[1:], row[1:], strict=True)
        }

    def check(self, grades: Any, runs: int, subset: Any = ()) -> None:
        """Both tables have the numbers that the evaluator makes of `grades`."""
        by_one, by_all = evaluator.tables(self.data, grades, runs, subset)
        prefix = "bardset_" if subset else ""
        assert self.table("cap-score", runs, prefix) == by_one
        ends = ("total", "std", "runs")
        found = {
            name if name in ends else frozenset(name.split("_") if name else ()): cell
            for name, cell in self.table("cap-int-score", runs, prefix).items()
        }
        assert found == by_all


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("runs", [1, 5])
def test_numbers_are_the_evaluators_whatever_the_order(
    pytester: pytest.Pytester, runs: int, seed: int
) -> None:
    case = Case(pytester, count=40, seed=seed)
    ids = [*case.data]
    random.Random(seed).shuffle(ids)
    grades = made_grades(ids, runs, seed)
    assert case.run(grades, runs).ret == 0
    case.check(grades, runs)
    written = pytester.path / "out" / f"{case.model}_gpt-4-0613-grade-{runs}runs.json"
    again = json.loads(written.read_text(encoding="utf-8"))
    assert again == grades
    assert list(again) == ids


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_grades_in_other_forms_and_of_other_samples(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    case = Case(pytester)
    case.data["v1_5"]["capability"] = []
    write_json(case.folder / "mm-vet.json", case.data)
    case.answers["v1_4"] = ""
    grades = made_grades([*reversed(case.data)], 3, 1)
    grades["v1_2"]["score"] = [1, 0, 1]
    grades["v1_3"]["score"].append(0.9)
    grades["v1_4"]["score"] = [0.3, 0.0, 0.0]
    grades["v1_6"] = {"model": ["g"] * 3, "content": ["The", "0.2", "1"], "score": [0.0, 0.2, 1.0]}
    kept = {name: entry for name, entry in grades.items() if name != "v1_9"}
    grades["v1_9"] = kept["v1_9"] = grades.pop("v1_9")  # judged later than the others
    strange = {"v9_9": grades["v1_2"], **kept}
    strange["v1_8"] = {**kept["v1_8"], "score": [*map(str, kept["v1_8"]["score"])]}
    result = case.run(strange, 3, *workers)
    assert result.ret == 0
    case.check(grades, 3)
    told = flat(result)
    assert "holds 1 verdict to no sample of the benchmark: v9_9" in told
    assert "holds 0 for 1 of its samples where its judge gave no number ('v1_6')" in told
    record = {r["sample"]: r for r in read_records(pytester.path / "out")}["v1_4"]
    assert record["status"] == "scored" and record["scores"] == [0.3, 0.0, 0.0]


def test_an_empty_answer_with_recorded_zeros_is_still_told(pytester: pytest.Pytester) -> None:
    case = Case(pytester)
    case.answers["v1_4"] = " "
    grades = made_grades([*case.data], 1, 1)
    grades["v1_4"].update(score=[0.0], content=["0.0"])
    result = case.run(grades, 1)
    assert "1 empty answer counted as 0" in flat(result)
    written = pytester.path / "out" / f"{case.model}_gpt-4-0613-grade-1runs.json"
    assert json.loads(written.read_text(encoding="utf-8")) == grades


def test_the_bard_subset_is_added_up_by_itself(pytester: pytest.Pytester) -> None:
    case = Case(pytester, count=30)
    grades = made_grades([*reversed(case.data)], 2, 4)
    subset = random.Random(2).sample([*case.data], 17)
    write_json(pytester.path / "bard_set.json", subset)
    assert case.run(grades, 2, "--mm-subset=bard_set.json").ret == 0
    case.check(grades, 2, subset)


def test_fewer_runs_than_the_file_holds_are_told(pytester: pytest.Pytester) -> None:
    case = Case(pytester)
    grades = made_grades([*case.data], 3, 1)
    result = case.run(grades, 3, "--mm-judge-runs=1")
    assert "holds 3 judge runs, of which the first 1 are taken; --mm-judge-runs=3" in flat(result)


@pytest.mark.parametrize(
    ("score", "told"), [("NaN", "outside"), ("1.5", "outside"), ("null", "not a number")]
)
def test_a_grade_that_is_none_is_told_with_its_id(
    pytester: pytest.Pytester, score: str, told: str
) -> None:
    case = Case(pytester)
    grades = made_grades([*case.data], 1, 1)
    grades["v1_7"]["score"] = [json.loads(score)]
    result = case.run(grades, 1)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*my-model.v1.5-7b_chat_gpt-4-0613*", f"*id 'v1_7'*{told}*"])


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_shards_of_a_grade_file_add_up_in_its_order(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    case = Case(pytester, count=40)
    grades = made_grades([*reversed(case.data)], 1, 5)
    for number in (1, 2):
        case.run(grades, 1, f"--mm-shard={number}/2", f"--mm-output=part{number}", *workers)
    script = ("-m", "pytest_mmreason", "merge", "part1", "part2", "--mm-output=out")
    assert pytester.run(sys.executable, *script).ret == 0
    case.check(grades, 1)


PROMPT = """Rate. <AND> all, <OR> any.

Question | Ground truth | Prediction | Correctness
--- | --- | --- | ---
"""


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_the_prompt_that_was_used_is_recorded(
    pytester: pytest.Pytester, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    case = Case(pytester, count=3)
    answers = write_answers(pytester.path / "m.json", {**case.answers, "v1_1": "a | 1.0 |\nb"})
    Path(pytester.path / "mm-vet_evaluator.py").write_text(
        f'import os\nprompt = """{PROMPT}"""\nos.abort()\n', encoding="utf-8"
    )
    endpoint.script = lambda body, seen: "0.5"
    options = (
        f"--mm-benchmark=mm-vet={case.folder}",
        f"--mm-model=replay:{answers}",
        *endpoint_options(endpoint)[2:],
        *workers,
    )
    given = "--mm-judge-param=prompt=mm-vet_evaluator.py"
    official = run(pytester, *options, given, "--mm-output=official")
    assert official.ret == 0
    asked = {question_of(body) for body in endpoint.requests}
    assert len(asked) == 3
    assert any(text.endswith("a | 1.0 |\nb | ") and text.startswith(PROMPT) for text in asked)
    (told,) = read_summary(pytester.path / "official")["runs"]
    assert told["judging"]["prompt"] == "mm-vet_evaluator.py"
    assert told["judging"]["params"]["temperature"] == [0.0, 0.0, 0.5, 1.0, 1.5]
    assert f"prompt mm-vet_evaluator.py {told['judging']['prompt_sha256'][:12]}" in flat(official)
    records = read_records(pytester.path / "official")
    assert all(record["judging"] == told["judging"] for record in records)
    assert records[1]["response"] == "a | 1.0 |\nb"

    endpoint.reset()
    run(pytester, *options, "--mm-output=own")
    (own,) = read_summary(pytester.path / "own")["runs"]
    assert own["judging"]["prompt"] == "own"
    assert len(endpoint.requests) == 3  # the other prompt's verdicts are not taken for its own
    assert any(r"a \| 1.0 \|\nb" in question_of(body) for body in endpoint.requests)


def test_shards_of_different_prompts_are_not_merged(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    case = Case(pytester, count=4)
    answers = write_answers(pytester.path / "m.json", case.answers)
    (pytester.path / "prompt.txt").write_text(PROMPT, encoding="utf-8")
    endpoint.script = lambda body, seen: "0.5"
    options = (
        f"--mm-benchmark=mm-vet={case.folder}",
        f"--mm-model=replay:{answers}",
        *endpoint_options(endpoint)[2:],
    )
    run(pytester, *options, "--mm-shard=1/2", "--mm-output=part1")
    given = "--mm-judge-param=prompt=prompt.txt"
    run(pytester, *options, given, "--mm-shard=2/2", "--mm-output=part2")
    result = pytester.run(sys.executable, "-m", "pytest_mmreason", "merge", "part1", "part2")
    assert result.ret == 4
    told = " ".join(result.stderr.str().split())
    assert "part1 and part2 do not compare, their judges' prompt differs" in told
    assert '"own"' in told and '"prompt.txt"' in told


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_verdict_that_never_comes_is_no_zero(
    pytester: pytest.Pytester, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    case = Case(pytester, count=2)
    answers = write_answers(pytester.path / "m.json", case.answers)
    endpoint.script = lambda body, seen: "The" if "v1_0" in question_of(body) else "0.5"
    result = run(
        pytester,
        f"--mm-benchmark=mm-vet={case.folder}",
        f"--mm-model=replay:{answers}",
        *endpoint_options(endpoint)[2:],
        "--mm-output=out",
        *workers,
    )
    assert result.ret == 1
    records = {r["sample"]: r for r in read_records(pytester.path / "out")}
    assert (records["v1_0"]["status"], records["v1_0"]["score"]) == ("judge_error", None)
    assert records["v1_1"]["score"] == 0.5
    asked = [body["temperature"] for body in endpoint.requests if "v1_0" in question_of(body)]
    assert asked == [0.0, 0.0, 0.5, 1.0, 1.5]


def test_a_resumed_grade_file_says_that_prompts_may_differ(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    case = Case(pytester, count=5)
    answers = write_answers(pytester.path / "m.json", case.answers)
    grades = made_grades(["v1_3", "v1_1"], 1, 1)
    write_json(pytester.path / "grades" / "old.json", grades)
    (pytester.path / "tox.ini").write_text(
        "[pytest]\nmm_judge_param = grades=grades/old.json\n", encoding="utf-8"
    )
    endpoint.script = lambda body, seen: "0.5"
    result = run(
        pytester,
        f"--mm-benchmark=mm-vet={case.folder}",
        f"--mm-model=replay:{answers}",
        *endpoint_options(endpoint, judge="gpt-4-0613")[2:],
        "--mm-judge-runs=2",
        "--mm-output=out",
    )
    assert result.ret == 0
    assert "does not say by what prompt they were given" in flat(result)
    assert len(endpoint.requests) == 2 + 3 * 2
    (told,) = read_summary(pytester.path / "out")["runs"]
    assert (told["judging"]["grades"], told["judging"]["prompt"]) == ("old.json", "own")
    written = pytester.path / "out" / "m_gpt-4-0613-grade-2runs.json"
    assert list(json.loads(written.read_text(encoding="utf-8"))) == [
        "v1_3", "v1_1", "v1_0", "v1_2", "v1_4"
    ]  # fmt: skip
