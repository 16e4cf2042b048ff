"""summary.json and what a run means: counts, rows, gates, exit status."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_mmreason.gates import Gate, Outcome
from pytest_mmreason.outcome import draft_record
from pytest_mmreason.plan import Plan
from pytest_mmreason.record import STATUSES, Record
from pytest_mmreason.settings import ErrorQuota, Threshold
from pytest_mmreason.summary import Summary, best_of, label, lowest, summarise
from tests.support.stubs import made_plan, made_samples

PASSED = Outcome(0, 0, 0)


def made_records(plan: Plan, *outcomes: float | str | None) -> list[list[Record]]:
    """Records of every run: a number is a score, a text a status; None leaves the run empty."""
    runs = []
    for run in plan.runs:
        records = []
        for sample, outcome in zip(run.benchmark.samples, outcomes, strict=False):
            if outcome is None:
                continue
            draft = draft_record(run, sample, 0, plan.judge, None)
            scored: dict[str, Any] = (
                {"status": outcome, "score": 0.0 if outcome == "refused" else None}
                if isinstance(outcome, str)
                else {"status": "scored", "score": outcome, "scores": (outcome,)}
            )
            records.append(dataclasses.replace(draft, **scored))
        runs.append(records)
    return runs


def summary(
    *outcomes: float | str | None,
    expected: int | None = None,
    outcome: Outcome = PASSED,
    models: Sequence[str] = ("m",),
    **settings: Any,
) -> Summary:
    samples = made_samples(len(outcomes), category="deductive", complexity="high", weight=2.0)
    plan = made_plan(samples, models=models, **settings)
    records = made_records(plan, *outcomes)
    total = sum(map(len, records)) if expected is None else expected
    return summarise(plan, records, total, outcome)


def failed_gates(found: Summary) -> list[Gate]:
    return [gate for run in found.runs for gate in run.gates if not gate.passed]


def test_the_file_has_the_documented_shape() -> None:
    usage = {"model": {"calls": 1, "prompt_tokens": 5, "completion_tokens": 2}}
    plan = made_plan(
        made_samples(2, category="deductive", complexity="high", weight=2.0),
        threshold=(Threshold("overall", 40.0),),
        max_errors=ErrorQuota(1),
    )
    records = [
        [dataclasses.replace(r, usage=usage) for r in run]
        for run in made_records(plan, 1.0, "model_error")
    ]
    found = summarise(plan, records, 2, Outcome(1, 1, 1)).to_json()
    row = {
        "n": 2,
        "scored": 1,
        "weight": 2.0,
        "score": 100.0,
        "sd": 0.0,
        "ci95": None,
        "runs": [100.0],
    }
    assert found == {
        "schema": 1,
        "runs": [
            {
                "benchmark": "made",
                "model": "m",
                "judge": "j",
                "prompt": "direct",
                "fingerprint": plan.runs[0].benchmark.fingerprint,
                "settings": {
                    "images": "separate",
                    "captions": None,
                    "icl": 0,
                    "icl_seed": None,
                    "follow_up": "none",
                    "subset": None,
                },
                "counts": {
                    "collected": 2,
                    **dict.fromkeys(STATUSES, 0),
                    "scored": 1,
                    "model_error": 1,
                },
                "rows": dict.fromkeys(["overall", "deductive", "high", "deductive/high"], row),
                "gates": [
                    {
                        "row": "overall",
                        "kind": "threshold",
                        "limit": 40.0,
                        "actual": 100.0,
                        "passed": True,
                    },
                    {
                        "row": "overall",
                        "kind": "max_errors",
                        "limit": 1.0,
                        "actual": 1.0,
                        "passed": True,
                    },
                ],
                "usage": {
                    "model": {
                        "calls": 2,
                        "prompt_tokens": 10,
                        "completion_tokens": 4,
                        "cost_usd": None,
                    },
                    "judge": {
                        "calls": 0,
                        "prompt_tokens": 0,
                        "completion_tokens": 0,
                        "cost_usd": 0.0,
                    },
                },
            }
        ],
        "cost_usd": None,
        "exit": 0,
    }
    assert list(found["runs"][0]["counts"]) == ["collected", *STATUSES]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_interval_is_a_list_of_two() -> None:
    (run,) = summary(0.2, 0.4, 0.9).to_json()["runs"]
    low, high = run["rows"]["overall"]["ci95"]
    assert low < run["rows"]["overall"]["score"] < high


def test_nothing_scored_publishes_no_score_and_fails() -> None:
    found = summary("model_error", "judge_error", outcome=Outcome(1, 2, 2))
    assert found.exit == 1
    assert "2 errored samples, 0 allowed" in found.verdict
    assert found.to_json()["runs"][0]["rows"]["overall"]["score"] is None


def test_errors_within_the_quota_do_not_fail_the_run() -> None:
    found = summary(1.0, "judge_error", outcome=Outcome(1, 1, 1), max_errors=ErrorQuota(50, True))
    assert (found.exit, failed_gates(found)) == (0, [])


@pytest.mark.parametrize("policy, score", [("exclude", 100.0), ("zero", 50.0)])
def test_the_error_policy_reaches_the_rows(policy: str, score: float) -> None:
    found = summary(1.0, "judge_error", on_error=policy)
    assert found.runs[0].rows["overall"].score == score


def test_a_lost_sample_fails_the_run() -> None:
    found = summary(1.0, 1.0, expected=3)
    assert found.exit == 1
    assert [gate.kind for gate in failed_gates(found)] == ["accounting"]
    assert "3 samples were collected but 2 ended in a status" in found.verdict


def test_each_gate_of_several_runs_names_its_run() -> None:
    found = summary(0.5, models=("m", "n"), threshold=(Threshold("overall", 60.0),))
    assert found.verdict == "m: overall 50.0 is below 60; n: overall 50.0 is below 60"


def test_a_threshold_whose_benchmark_was_left_out_fails() -> None:
    plan = made_plan(made_samples(1), models=("m",), threshold=(Threshold("made:overall", 1.0),))
    other = dataclasses.replace(plan.runs[0].benchmark, name="other")
    run = dataclasses.replace(plan.runs[0], benchmark=other)
    names = {**plan.names, "other": plan.names["made"]}
    both = dataclasses.replace(
        plan, runs=(plan.runs[0], run), names=names, named={"made": 1, "other": 1}
    )
    records = made_records(both, 1.0)
    found = summarise(both, [[], records[1]], 1, PASSED)
    assert found.exit == 1
    assert "made:overall holds none of the selected samples" in found.verdict


def test_runs_without_records_are_left_out() -> None:
    found = summary(None, None)
    assert (found.runs, found.exit) == ([], 0)


def test_interruption_keeps_its_exit_status_and_the_tables() -> None:
    found = summary(1.0, "missing", outcome=Outcome(2, 0, 0))
    assert (found.exit, len(found.runs)) == (2, 1)
    assert found.verdict.startswith("interrupted")


def test_equal_records_give_equal_files() -> None:
    assert json.dumps(summary(0.1, 0.7, 0.3).to_json()) == json.dumps(
        summary(0.1, 0.7, 0.3).to_json()
    )


def test_the_best_run_is_the_one_with_the_highest_overall_score() -> None:
    low, high, none = (summary(score).runs[0] for score in (0.2, 0.9, "model_error"))
    assert best_of([low, high, none]) is high
    assert best_of([none]) is None
    assert best_of([]) is None


def test_lowest_samples_come_first_and_perfect_ones_never() -> None:
    records = summary(0.5, 1.0, 0.0, "model_error", 0.5, "refused").runs[0].records
    assert [record.sample for record in lowest(records, 3)] == ["s2", "s5", "s0"]
    assert [record.sample for record in lowest(records, 99)] == ["s2", "s5", "s0", "s4"]
    assert lowest(records, 0) == []


def test_runs_are_labelled_by_what_tells_them_apart() -> None:
    runs = summary(1.0, models=("m", "n")).runs
    assert [label(run, runs) for run in runs] == ["m", "n"]
    prompted = summary(1.0, prompt=("direct", "cot")).runs
    assert [label(run, prompted) for run in prompted] == ["m direct", "m cot"]


def test_verdicts_that_were_put_right_are_counted() -> None:
    (run,) = summary(1.0, 1.0, 1.0).runs
    assert "put_right" not in run.to_json()
    flags = [("judge: correct, so 1.0 instead of 0.4", "judge: 2 dropped"), ("cut short",), ()]
    told = [
        dataclasses.replace(record, flags=flag)
        for record, flag in zip(run.records, flags, strict=True)
    ]
    assert dataclasses.replace(run, records=told).to_json()["put_right"] == 1


@pytest.mark.parametrize(
    ("confidences", "unsure"), [((0.9, 0.49, 0.5, 0.2), 2), ((0.9, None), 0), ((None, None), None)]
)
def test_unsure_verdicts_are_counted_where_the_judge_tells(
    confidences: tuple[float | None, ...], unsure: int | None
) -> None:
    (run,) = summary(*([1.0] * len(confidences))).runs
    told = [
        dataclasses.replace(record, confidence=confidence)
        for record, confidence in zip(run.records, confidences, strict=True)
    ]
    found = dataclasses.replace(run, records=told)
    assert found.to_json().get("unsure") == unsure
