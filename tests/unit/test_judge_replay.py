"""Recorded verdicts: read from all three forms, and never stretched to what is not there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.errors import JudgeError, UsageError
from pytest_mmreason.judges.base import Judge, JudgeTask
from pytest_mmreason.judges.replay import ReplayJudge
from pytest_mmreason.record import Record
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import StepCredit, Verdict


def write(folder: Path, content: Any, name: str = "grades.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def ask(judge: ReplayJudge, sample: str, run: int = 0, benchmark: str = "") -> Verdict:
    task = JudgeTask(Sample(sample, "?", answer="x", benchmark=benchmark), "text", "mm-vet", run)
    return asyncio.run(judge.judge(task, None))  # type: ignore[arg-type]


def record(sample: str, **fields: Any) -> str:
    values: dict[str, Any] = {"status": "scored", "score": 0.5, "scores": (0.4, 0.6), **fields}
    base = {"benchmark": "mini", "model": "m", "judge": "j", "prompt": "direct", "repeat": 0}
    return Record(sample=sample, **{**base, **values}).to_json() + "\n"


GRADES = {
    "v1_0": {"model": ["gpt-4", "gpt-4-x"], "content": ["0.0", "0.1"], "score": [0.0, 0.1]},
    "v1_1": {"model": ["gpt-4"], "content": ["1.0"], "score": [1.0]},
}


def test_official_grades_are_replayed_run_by_run(tmp_path: Path) -> None:
    judge = ReplayJudge(write(tmp_path, GRADES))
    assert isinstance(judge, Judge)
    assert judge.ids == {"v1_0", "v1_1"}
    assert judge.runs == 2
    assert ask(judge, "v1_0", 1) == Verdict(0.1, judge_model="gpt-4-x")
    assert ask(judge, "v1_1", benchmark="mm-vet").score == 1.0


def test_plain_scores_are_replayed(tmp_path: Path) -> None:
    judge = ReplayJudge(write(tmp_path, {"a": 0.25, "b": [0, 1]}))
    assert ask(judge, "a").score == 0.25
    assert ask(judge, "b", 1).score == 1.0


def test_results_are_replayed_with_steps_and_rationale(tmp_path: Path) -> None:
    steps = ({"step": 1, "credit": 0.5},)
    path = write(
        tmp_path,
        record("a", score_answer_only=0.0, steps=steps, rationale="why\u2028so")
        + "\n"
        + record("b"),
        "results.jsonl",
    )
    judge = ReplayJudge(path)
    assert ask(judge, "a", 1, "mini") == Verdict(0.6, 0.0, (StepCredit(1, 0.5),), "why\u2028so")
    assert judge.runs == 2


def test_file_of_one_record_is_no_file_of_scores(tmp_path: Path) -> None:
    judge = ReplayJudge(write(tmp_path, record("a")))
    assert judge.ids == {"a"}


def test_same_id_in_two_benchmarks_is_kept_apart(tmp_path: Path) -> None:
    lines = record("a", benchmark="one", scores=(0.1,)) + record(
        "a", benchmark="two", scores=(0.2,)
    )
    judge = ReplayJudge(write(tmp_path, lines))
    assert [ask(judge, "a", 0, name).score for name in ("one", "two")] == [0.1, 0.2]
    with pytest.raises(JudgeError):
        ask(judge, "a", 0, "three")


def test_records_without_a_verdict_are_missing(tmp_path: Path) -> None:
    lines = (
        record("a")
        + record("b", status="judge_error", score=None, scores=())
        + record("c", status="refused", score=0.0, scores=())
        + record("d", scores=(0.5, None))
    )
    judge = ReplayJudge(write(tmp_path, lines))
    assert judge.ids == {"a", "d"}
    assert ask(judge, "d", 0, "mini").score == 0.5
    for sample, run in (("b", 0), ("c", 0), ("d", 1)):
        with pytest.raises(JudgeError) as caught:
            ask(judge, sample, run, "mini")
        assert caught.value.cause == "missing verdict"


def test_missing_verdict_names_id_file_and_runs(tmp_path: Path) -> None:
    path = write(tmp_path, GRADES)
    judge = ReplayJudge(path)
    with pytest.raises(JudgeError, match=r"'v1_7'.*grades\.json holds no verdict") as caught:
        ask(judge, "v1_7")
    assert caught.value.cause == "missing verdict"
    with pytest.raises(JudgeError, match=r"'v1_1'.*grades\.json holds 1 judge run .*run 2"):
        ask(judge, "v1_1", 1)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "no recorded verdict"),
        ("{}", "no recorded verdict"),
        ('{"a": {"score": []}}', "no recorded verdict"),
        ("not JSON", "JSON"),
        ('{"a": 0.5', "JSON"),
        ("[0.5]", "list"),
        ("0.5", "float"),
        ('{"a": 1.5, "b": -1}', "'b'.*outside"),
        ('{"a": NaN}', "'a'.*outside"),
        ('{"a": true}', "'a'.*not a number"),
        ('{"a": null}', "'a'.*not a number"),
        ('{"a": "half", "b": 1}', "'a'.*not a number"),
        ('{"a": "nan"}', "'a'.*outside"),
        ('{"a": ["0_1"]}', "'a'.*'0_1' is not a number"),
        ('{"a": ["\u0661"]}', "'a'.*is not a number"),
        ('{"a": {"score": [0.5, NaN]}}', "'a'.*outside"),
        ('{"a": {"score": 0.5}}', "'a'.*list of scores"),
        ('{"a": {"model": [], "content": [], "score": [0.1, "x"]}}', "'a'.*'x'"),
        ('{"a": 0.5, "a": 0.6}', "'a'.*twice"),
        (record("a") + "{broken\n", "line 2"),
        (record("a") + "[]\n", "line 2"),
        (record("a") + record("b", scores=(2.0,)), "line 2.*'b'.*outside"),
        (record("a") + record("a", model="other"), "line 2.*'a'.*second record"),
        (record("a", steps=({"step": 1},)), "line 1.*'a'"),
    ],
)
def test_unusable_file_is_a_usage_error_that_names_the_place(
    tmp_path: Path, content: str, named: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UsageError, match=f"(?s)grades.json.*{named}"):
        ReplayJudge(path)


def test_every_fault_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path, {f"s{n}": 2 for n in range(12)})
    with pytest.raises(UsageError, match="and 7 more"):
        ReplayJudge(path)


def test_file_that_is_not_there_or_not_text_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        ReplayJudge(tmp_path / "nowhere.json")
    path = tmp_path / "image.json"
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(UsageError, match=r"image\.json"):
        ReplayJudge(path)


def test_identity_follows_the_content_of_the_file(tmp_path: Path) -> None:
    one = ReplayJudge(write(tmp_path, {"a": 0.5}))
    same = ReplayJudge(write(tmp_path, {"a": 0.5}, "copy.json"))
    other = ReplayJudge(write(tmp_path, {"a": 0.6}, "other.json"))
    assert one.identity("mm-vet") == same.identity("mm-vet") != other.identity("mm-vet")
    assert one.offline and not one.cacheable


def test_results_are_replayed_with_the_judges_own_names(tmp_path: Path) -> None:
    path = write(tmp_path, record("s", judge_models=("gpt-4-0613", None)), "results.jsonl")
    judge = ReplayJudge(path)
    assert [ask(judge, "s", run, "mini").judge_model for run in (0, 1)] == ["gpt-4-0613", None]


def test_numbers_written_as_text_or_without_a_point_are_numbers(tmp_path: Path) -> None:
    entry = {"model": ["j"] * 3, "content": ["0.5", "1", ".3"], "score": ["0.5", 1, " .3 "]}
    judge = ReplayJudge(write(tmp_path, {"a": entry, "b": "0.25"}))
    assert [ask(judge, "a", run).score for run in range(3)] == [0.5, 1.0, 0.3]
    assert ask(judge, "b").score == 0.25


def test_zeros_for_a_number_that_never_came_are_taken_and_told(tmp_path: Path) -> None:
    grades = {
        "v1_3": {"model": ["j"], "content": ["The"], "score": [0.0]},
        "v1_1": {"model": ["j"], "content": ["0.0"], "score": [0.0]},
        "v1_2": {"model": [], "content": [None], "score": [0.0]},
    }
    judge = ReplayJudge(write(tmp_path, grades))
    assert ask(judge, "v1_3") == Verdict(0.0, rationale="The", judge_model="j")
    (note,) = judge.notes
    assert "0 for 1 of its samples" in note and "'v1_3'" in note
    assert (
        ReplayJudge(write(tmp_path, record("a", score=0.0, scores=(0.0,), rationale="r"))).notes
        == []
    )


def test_samples_keep_the_order_of_the_file(tmp_path: Path) -> None:
    judge = ReplayJudge(write(tmp_path, {"c": 0.1, "a": 0.2, "b": 0.3}))
    assert judge.order == ("c", "a", "b")
    assert judge.unknown(["a", "x"]) == ["b", "c"]
