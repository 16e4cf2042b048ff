"""``--mm-agreement``: the judge is measured on graded answers (MM-Vet, Table 9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_summary, sample, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import endpoint_options, flat, run, verdict, verdict_line

JUDGE = """
    def judge(sample, response):
        return {"right": 1.0, "half": 0.75, "wrong": 0.0}[str(response)]
"""


def write_graded(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Four graded answers, on which the judge is off by 0, 0.25, 0.1 and 0."""
    pytester.makepyfile(judging=JUDGE)
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(3)])
    asked = {"question": "What is it?", "reference": "a wheel", "capabilities": ["rec"]}
    graded = write_graded(
        pytester.path / "graded.jsonl",
        [
            {"sample": "s0", "answer": "right", "score": 1.0},
            {"sample": "s0", "answer": "half", "score": 0.5},
            {"sample": "s2", "answer": "wrong", "score": 0.1},
            {**asked, "answer": "wrong", "score": 0},
        ],
    )
    return (
        f"--mm-agreement={graded}",
        f"--mm-benchmark={folder}",
        "--mm-judge=python:judging:judge",
        "--mm-output=out",
    )


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_the_mean_difference_and_its_bias_are_told(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    result = run(pytester, *options, *workers)
    assert result.ret == 0
    result.assert_outcomes(passed=4)
    (found,) = read_summary(pytester.path / "out")["runs"]
    agreed = found["agreement"]
    assert agreed["n"] == 4
    assert agreed["difference"] == pytest.approx(0.35 / 4)
    assert agreed["bias"] == pytest.approx(0.15 / 4)
    # Ranks of the judge 1.5 1.5 3 4, of the references 1 2 3 4.
    assert agreed["spearman"] == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert agreed["capability"]["rec"]["n"] == 4
    assert agreed["confusion"]["partial"] == {"right": 0, "partial": 1, "wrong": 1}
    assert [one["sample"] for one in agreed["largest"]] == ["s0-0002", "s2-0003"]
    assert agreed["graded"]["file"] == "graded.jsonl"
    assert agreed["left_out"] == {}
    assert "mean |difference| 0.087, bias +0.037, on 4 answers" in flat(result)


@pytest.mark.parametrize(("limit", "exit"), [("0.0875", 0), ("0.08", 1), ("0", 1)])
def test_the_gate_is_on_the_mean_difference(
    pytester: pytest.Pytester, options: tuple[str, ...], limit: str, exit: int
) -> None:
    result = run(pytester, *options, f"--mm-max-disagreement={limit}")
    assert result.ret == exit
    assert "mean disagreement 0.087" in verdict_line(result)
    (gate,) = read_summary(pytester.path / "out")["runs"][0]["gates"]
    assert (gate["kind"], gate["passed"]) == ("max_disagreement", exit == 0)


def test_no_model_is_asked_and_the_judge_sees_question_answer_and_reference(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: verdict(0.5)
    judge = endpoint_options(endpoint)[2:]
    result = run(pytester, *options[:2], *judge)
    assert result.ret == 0
    assert len(endpoint.requests) == len(endpoint.calls("j")) == 4
    assert "What is number 2?" in str(endpoint.requests) and "answer2" in str(endpoint.requests)


def test_every_fault_of_the_file_is_named_before_anything_runs(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_graded(
        pytester.path / "graded.jsonl",
        [
            {"sample": "s9", "answer": "right", "score": 1.0},
            {"sample": "s0", "answer": "right", "score": 7},
            {"sample": "s0", "answr": "right", "score": 1},
        ],
    )
    result = run(pytester, *options)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*graded.jsonl:1: *'s9'*", "*graded.jsonl:2: *score*7*", "*graded.jsonl:3: *answr*answer*"]
    )


OWN = {"question": "Q?", "reference": "cat", "answer": "a cat", "score": 1}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({**OWN, "steps": None}, "field steps: is null, not a list of strings"),
        ({**OWN, "steps": "one"}, 'field steps: is "one", not a list of strings'),
        ({**OWN, "capabilities": "ocr"}, 'field capabilities: is "ocr", not a list of strings'),
        ({**OWN, "capabilities": 7}, "field capabilities: is 7, not a list of strings"),
        ({**OWN, "capabilities": [""]}, "not a non-empty string"),
        ({**OWN, "category": 5}, "field category: is 5, not a string"),
        ({**OWN, "reference": " <AND>"}, "field reference: is empty"),
        ({**OWN, "question": ""}, "field question: is empty"),
        ({**OWN, "sample": "s0"}, "field question: a line that names a sample takes all of it"),
        ({"sample": "s0", "id": "s1", "answer": "x", "score": 1}, "is not 's0', the sample"),
        ('{"sample": "s0", "answer": "x", "score": 1, "score": 0}', "field given twice: score"),
    ],
)
def test_no_field_is_taken_for_what_it_is_not(
    pytester: pytest.Pytester, options: tuple[str, ...], row: object, fault: str
) -> None:
    line = row if isinstance(row, str) else json.dumps(row)
    (pytester.path / "graded.jsonl").write_text(line, encoding="utf-8")
    result = run(pytester, *options)
    assert result.ret == 4
    assert "graded.jsonl:1: " in result.stderr.str() and fault in result.stderr.str()


def test_the_gate_alone_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--mm-model=replay:x", "--mm-max-disagreement=0.1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--mm-max-disagreement*--mm-agreement*"])


def test_graded_answers_are_not_divided(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-shard=1/2")
    assert result.ret == 4
    assert "--mm-agreement measures a judge on all answers" in result.stderr.str()


def last_line(result: pytest.RunResult, start: str) -> str:
    """The last line of the output that begins with `start`, its white space evened."""
    found = [" ".join(line.split()) for line in result.outlines]
    return [line for line in found if line.startswith(start)][-1]


WORDY = """
    from pytest_mmreason import JudgeError, Verdict

    def judge(sample, response):
        text = str(response)
        if text == "odd":
            raise JudgeError("no clear number")
        score = {"right": 1.0, "half": 0.75, "wrong": 0.0}[text]
        return Verdict(score, rationale=f"because it is {text}")
"""


def test_largest_disagreements_are_shown_with_both_scores_and_why(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(judging=WORDY)
    result = run(pytester, *options, "--mm-show=1")
    result.stdout.fnmatch_lines(
        [
            "*= mmreason: largest disagreements =*",
            " judge 0.75  reference 0.50  s0-0002",
            "*question   What is number 0?",
            "*answer     half",
            "*reference  answer0",
            "*why        because it is half",
        ]
    )
    assert "s2-0003" not in result.stdout.str()
    page = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "| 0.75 | 0.50 | s0-0002 | half | answer0 | because it is half |" in page
    assert "| **overall** |  | **4** | **0.087** | **+0.037** |" in page
    assert "| partial | 0 | 1 | 1 |" in page
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"]["largest"][0]["rationale"] == "because it is half"


def test_nothing_is_shown_where_nothing_is_wanted(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, "--mm-show=0")
    assert "largest disagreements" not in result.stdout.str()
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"]["largest"] == []


@pytest.mark.parametrize(
    ("selection", "n"),
    [
        (("-m", "deductive"), 2),
        (("-k", "0001 or 0003"), 2),
        (("--mm-sample=s2-0003",), 1),
        (("--mm-limit=3",), 3),
        (("-m", "deductive", "-n2"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_only_selected_answers_are_measured(
    pytester: pytest.Pytester, options: tuple[str, ...], selection: tuple[str, ...], n: int
) -> None:
    result = run(pytester, *options, *selection)
    assert result.ret == 0
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"]["n"] == n


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_errors_and_empty_answers_are_left_out_and_told(
    pytester: pytest.Pytester, options: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(judging=WORDY)
    rows = [
        {"sample": "s0", "answer": text, "score": score}
        for text, score in (("right", 0.5), ("odd", 1.0), ("", 1.0), ("wrong", 0.0))
    ]
    write_graded(pytester.path / "graded.jsonl", rows)
    result = run(pytester, *options, "--mm-max-errors=1", "--mm-max-disagreement=0.25", *workers)
    assert result.ret == 0
    (found,) = read_summary(pytester.path / "out")["runs"]
    agreed = found["agreement"]
    assert (agreed["n"], agreed["difference"]) == (2, 0.25)
    assert agreed["left_out"] == {"judge_error": 1, "empty answer": 1}
    assert "left out of the measure: 1 judge_error · 1 empty answer, which no judge sees" in flat(
        result
    )


def test_answers_are_summed_up_by_kind(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    rows = [
        {"sample": "s0", "answer": "right", "score": 1.0, "kind": "plain", "why": "the answer"},
        {"sample": "s1", "answer": "half", "score": 0.25, "kind": "hedged"},
    ]
    write_graded(pytester.path / "graded.jsonl", rows)
    result = run(pytester, *options)
    (found,) = read_summary(pytester.path / "out")["runs"]
    kinds = {name: group["difference"] for name, group in found["agreement"]["kind"].items()}
    assert kinds == {"plain": 0.0, "hedged": 0.5}
    assert last_line(result, "hedged") == "hedged 1 0.500 +0.500 –"


def test_judge_runs_are_averaged_and_their_spread_is_told(
    pytester: pytest.Pytester, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    endpoint.script = lambda body, seen: verdict(0.0 if seen % 2 else 0.8)
    result = run(
        pytester,
        *options[:2],
        "--mm-output=out",
        *endpoint_options(endpoint)[2:],
        "--mm-judge-runs=2",
        "--mm-concurrency=1",
        "--mm-sample=s0-0002",
    )
    assert result.ret == 0
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"]["difference"] == pytest.approx(0.1)
    (differing,) = found["spread"]["differing"]
    assert differing["sample"] == "s0-0002"
    assert "verdicts on 1 of 1 differ by more than 0.3" in flat(result)


def test_lines_fit_a_narrow_terminal(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = run(pytester, "--mm-agreement=mini", "--mm-judge=keyword", "-q")
    start = next(i for i, line in enumerate(result.outlines) if "largest disagreements" in line)
    assert max(map(len, result.outlines[start:])) <= 80


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_bundled_answers_need_one_option(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    # A folder of that name and an ini file about something else are no obstacle.
    pytester.mkdir("mini")
    pytester.makeini("[pytest]\nmm_benchmark = nowhere\nmm_model = replay:gone.json\n")
    result = run(pytester, "--mm-agreement=mini", "--mm-judge=local", "--mm-output=out", *workers)
    assert result.ret == 0
    (found,) = read_summary(pytester.path / "out")["runs"]
    assert found["agreement"]["n"] == found["counts"]["scored"] == 130
    assert found["agreement"]["graded"]["file"] == "mini.jsonl"
    assert set(found["agreement"]["kind"]) == {
        "right", "partial", "wrong", "hedged", "verbose", "adversarial",
    }  # fmt: skip


def test_ini_file_names_the_bundled_answers(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmm_agreement = mini\nmm_max_disagreement = 0\n")
    result = run(pytester)
    assert result.ret == 1
    assert "mean disagreement" in verdict_line(result)


@pytest.mark.parametrize("name", ["minni", "gone.jsonl"])
def test_a_file_that_is_not_there_is_told_with_the_bundled_names(
    pytester: pytest.Pytester, name: str
) -> None:
    result = run(pytester, f"--mm-agreement={name}")
    assert result.ret == 4
    told = result.stderr.str()
    assert name in told and "No such file" in told and "Bundled are: mini" in told
    assert ("Did you mean 'mini'?" in told) == (name == "minni")
    assert "Traceback" not in told
