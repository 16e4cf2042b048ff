"""``--mm-baseline`` compares with an earlier run, and ``--mm-max-drop`` gates on what was lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import (
    read_records,
    read_summary,
    sample,
    summary_text,
    write_answers,
    write_benchmark,
)
from tests.support.runs import (
    flat,
    run,
    summary_lines,
    verdict_line,
)

SAMPLES = 120
ANALOGICAL = [n for n in range(SAMPLES) if n % 6 in (4, 5)]
PLANTED = ANALOGICAL[:10]


def answers(wrong: Any = ()) -> dict[str, str]:
    return {f"s{n}": "no" if n in wrong else f"answer{n}" for n in range(SAMPLES)}


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """The earlier run, in `main`, has everything right; new.json has ten analogical ones wrong."""
    rows = [sample(n, capabilities=[]) for n in range(SAMPLES)]
    folder = write_benchmark(pytester.path / "made", rows)
    write_answers(pytester.path / "old.json", answers())
    write_answers(pytester.path / "new.json", answers(PLANTED))
    options = (f"--mm-benchmark={folder}", "--mm-show=0")
    assert run(pytester, *options, "--mm-model=replay:old.json", "--mm-output=main").ret == 0
    return options


NEW = ("--mm-model=replay:new.json", "--mm-baseline=main", "--mm-max-drop=10")


def gates(folder: Path) -> dict[str, bool]:
    (data,) = read_summary(folder)["runs"]
    return {g["row"]: g["passed"] for g in data["gates"] if g["kind"] == "max_drop"}


def test_ten_planted_drops_fail_their_row_alone_and_are_listed_first(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, *NEW, "--mm-output=out")
    assert result.ret == 1
    out = pytester.path / "out"
    assert gates(out) == {
        "overall": True, "deductive": True, "abductive": True, "analogical": False,
        "moderate": True, "high": True,
    }  # fmt: skip
    assert "analogical lost 25.0 points, more than 10 (p 0.012)" in verdict_line(result)
    assert "overall" not in verdict_line(result)
    (data,) = read_summary(out)["runs"]
    found = data["comparison"]
    assert found["baseline"]["model"] == "replay:old.json"
    assert [one["sample"] for one in found["worse"]] == [
        f"s{n}" for n in sorted(PLANTED, key=lambda n: (n % 2 == 0, n))
    ], "the heavier first"
    assert found["better"] == [] and found["samples"] == SAMPLES
    row = found["rows"]["analogical"]
    assert (row["n"], row["worse"], row["better"], row["same"]) == (40, 10, 0, 30)
    assert row["before"] == 100 and row["after"] == data["rows"]["analogical"]["score"]
    assert row["p"] == 2 / 2**10 and row["p_adjusted"] == 6 * row["p"]
    assert row["ci95"][0] < row["difference"] < row["ci95"][1] < 0
    text = flat(result)
    assert "against replay:old.json (direct) on made, the baseline" in text
    assert (
        "120 samples of both runs · p of the sign-flip test, corrected over 6 rows (Holm)" in text
    )
    assert "worse s5 1.00 → 0.00" in text
    page = (out / "summary.md").read_text(encoding="utf-8")
    assert "#### against replay:old.json (direct) on made, the baseline" in page
    assert "| analogical | 40 | −25.0 |" in page and "FAIL" in page


def test_a_run_against_itself_differs_in_nothing(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(
        pytester, *options, "--mm-model=replay:old.json", "--mm-baseline=main/results.jsonl",
        "--mm-max-drop=0", "--mm-output=out",
    )  # fmt: skip
    assert result.ret == 0
    (data,) = read_summary(pytester.path / "out")["runs"]
    for row in data["comparison"]["rows"].values():
        assert (row["difference"], row["p"], row["worse"], row["better"]) == (0, 1, 0, 0)
    assert "overall 0.0 against the baseline" in verdict_line(result)


def test_a_drop_within_the_limit_or_by_chance_passes(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_answers(pytester.path / "new.json", answers(ANALOGICAL[:4]))
    result = run(pytester, *options, *NEW[:2], "--mm-max-drop=0", "--mm-output=out")
    assert result.ret == 0, "four of forty may be chance"
    actual = {
        g["row"]: g["actual"] for g in read_summary(pytester.path / "out")["runs"][0]["gates"]
    }
    assert actual["analogical"] == pytest.approx(10)
    write_answers(pytester.path / "new.json", answers(PLANTED))
    assert run(pytester, *options, *NEW[:2], "--mm-max-drop=25").ret == 0
    assert run(pytester, *options, *NEW[:2]).ret == 0, "without a limit it is only told"


def test_serial_distributed_merged_reported_and_compared_are_identical(
    pytester: pytest.Pytester, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    serial = run(pytester, *options, *NEW, "--mm-output=serial")
    distributed = run(pytester, *options, *NEW, "--mm-output=distributed", "-n2")
    assert serial.ret == distributed.ret == 1
    for part in (1, 2):
        shard = run(pytester, *options, *NEW, f"--mm-shard={part}/2", f"--mm-output=s{part}")
        assert shard.ret == 0
        assert "its gates against the baseline wait for the merge" in verdict_line(shard)
        assert "comparison" not in read_summary(pytester.path / f"s{part}")["runs"][0]
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 1
    anew = ["--mm-baseline=main", "--mm-max-drop=10", "--mm-output=anew"]
    assert main(["merge", "s2", "s1", *anew]) == 1
    assert main(["merge", "s1", "s2", "--mm-baseline="]) == 0
    assert main(["merge", "s1", "s2", "--mm-baseline=", "--mm-max-drop=2"]) == 4
    assert main(["report", "serial", "--mm-output=again"]) == 1
    expected = summary_text(pytester.path / "serial")
    for folder in ("distributed", "merged", "anew", "again"):
        assert summary_text(pytester.path / folder) == expected, folder

    def without_folder(result: pytest.RunResult) -> list[str]:
        return [line.partition(" · results in")[0] for line in summary_lines(result)]

    assert without_folder(serial) == without_folder(distributed)
    capsys.readouterr()
    for folder in ("serial", "merged", "distributed"):
        assert main(["compare", "main", folder, "--max-drop=10", "--json"]) == 1
        told = json.loads(capsys.readouterr().out)
        (data,) = json.loads(expected)["runs"]
        assert told["runs"][0]["comparison"] == data["comparison"]
        assert told["runs"][0]["gates"] == data["gates"]
    assert main(["compare", "main", "serial", "--mm-max-drop=10"]) == 1
    table = capsys.readouterr().out
    title = "replay:new.json (direct) on made against replay:old.json (direct) on made"
    assert title in " ".join(table.split())
    assert "analogical" in table and "FAIL  analogical lost 25.0 points" in table
    rows = [line for line in summary_lines(serial) if " ≥ −10 " in line]
    assert len(rows) == 6 and all(row in table.splitlines() for row in rows)
    assert main(["compare", "main", "main", "--max-drop=0"]) == 0


def test_errored_samples_are_left_out_and_told_never_counted_as_0(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    recorded = answers()
    for n in range(30):
        del recorded[f"s{n}"]
    write_answers(pytester.path / "new.json", recorded)
    result = run(
        pytester, *options, *NEW, "--mm-max-errors=30", "--mm-on-error=zero", "--mm-output=out"
    )
    assert result.ret == 0
    (data,) = read_summary(pytester.path / "out")["runs"]
    assert data["rows"]["overall"]["score"] < 80
    found = data["comparison"]
    assert found["rows"]["overall"]["n"] == 90 and found["rows"]["overall"]["difference"] == 0
    assert found["errored"][0] == {"sample": "s0", "before": "scored", "after": "missing"}
    assert len(found["errored"]) == 30
    assert "left out 30 errored (s0 scored → missing" in flat(result)


def test_a_part_of_the_samples_is_compared_with_the_same_part(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    result = run(pytester, *options, *NEW, "--mm-limit=60", "--mm-output=out")
    found = read_summary(pytester.path / "out")["runs"][0]["comparison"]
    assert found["samples"] == 60 and len(found["only_before"]) == 60 and not found["only_after"]
    assert "60 only in the baseline" in flat(result)


def test_nothing_scored_in_both_meets_no_gate(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    records = read_records(pytester.path / "main")
    for record in records:
        record.update(status="model_error", score=None)
    text = "".join(json.dumps(record) + "\n" for record in records)
    (pytester.path / "main" / "results.jsonl").write_text(text, encoding="utf-8")
    result = run(pytester, *options, *NEW)
    assert result.ret == 1
    assert "no sample was scored in both runs" in verdict_line(result)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "is not there"),
        ("", "holds no record"),
        ("{}\n", "base.jsonl:1: no record"),
        ('{"a": 1}\nnonsense\n', "base.jsonl:1: no record"),
        ("GOODnonsense\n", "base.jsonl:2: no record"),
        ("GOODGOOD", "base.jsonl:2: sample 's0' is there already, in line 1"),
        ("BADSCORE", "base.jsonl:1: no record (score of a scored sample is 7)"),
        ("[" * 100_000, "base.jsonl:1: no record (too deep)"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_told_with_its_line(
    pytester: pytest.Pytester, options: tuple[str, ...], content: str | None, error: str
) -> None:
    line = (pytester.path / "main" / "results.jsonl").read_text(encoding="utf-8").splitlines()[0]
    if content is not None:
        bad = json.dumps({**json.loads(line), "score": 7})
        text = content.replace("GOOD", f"{line}\n").replace("BADSCORE", bad)
        (pytester.path / "base.jsonl").write_text(text, encoding="utf-8")
    result = run(pytester, *options, NEW[0], "--mm-baseline=base.jsonl")
    assert result.ret == 4
    told = " ".join(result.stderr.str().split())
    assert error in told
    assert "name the --mm-output of an earlier run" in told or "already" in told
    assert "Traceback" not in told
    assert main(["compare", "base.jsonl", "main"]) == 4


def test_folders_without_results_and_broken_summaries_are_told(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    (pytester.path / "empty").mkdir()
    result = run(pytester, *options, NEW[0], "--mm-baseline=empty")
    assert result.ret == 4 and "empty holds no results.jsonl" in result.stderr.str()
    path = pytester.path / "main" / "summary.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["runs"][0]["settings"] = "none"
    for content in ("{", json.dumps(told), '{"runs": [3]}'):
        path.write_text(content, encoding="utf-8")
        result = run(pytester, *options, NEW[0], "--mm-baseline=main")
        assert result.ret == 4 and "summary.json is no summary of a run" in result.stderr.str()


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (("--mm-max-drop=2",), "--mm-max-drop is about --mm-baseline=PATH, which is not given"),
        (("--mm-allow-different=data",), "--mm-allow-different is about --mm-baseline=PATH"),
        (("--mm-baseline=main", "--mm-max-drop=-1"), "--mm-max-drop is -1"),
        (("--mm-baseline=main", "--mm-agreement=mini"), "--mm-agreement measures a judge"),
        (("--mm-baseline=main", "--mm-allow-different=juge"), "Did you mean 'judge'"),
    ],
)
def test_options_that_say_nothing_are_usage_errors(
    pytester: pytest.Pytester, options: tuple[str, ...], more: tuple[str, ...], error: str
) -> None:
    result = run(pytester, *options, "--mm-model=replay:new.json", *more)
    assert result.ret == 4 and error in " ".join(result.stderr.str().split())


def test_an_ini_file_names_it_and_the_command_line_switches_it_off(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makeini(
        "[pytest]\nmm_baseline = main\nmm_max_drop = 10\nmm_allow_different = judge\n  data,prompt\n"
    )
    assert run(pytester, *options, NEW[0]).ret == 1
    assert run(pytester, *options, NEW[0], "--mm-baseline=").ret == 0


def test_of_several_runs_that_of_the_same_prompt_and_model_is_meant(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    both = ("--mm-model=replay:old.json", "--mm-model=replay:new.json")
    assert run(pytester, *options, *both, "--mm-output=both").ret == 0
    same = run(
        pytester, *options, "--mm-model=replay:new.json", "--mm-baseline=both", "--mm-max-drop=0"
    )
    assert same.ret == 0 and "overall 0.0 against the baseline" in verdict_line(same)
    write_answers(pytester.path / "third.json", answers())
    third = run(pytester, *options, "--mm-model=replay:third.json", "--mm-baseline=both")
    assert third.ret == 4
    error = " ".join(third.stderr.str().split())
    assert "replay:old.json (direct) on made, replay:new.json (direct) on made" in error
    failed = run(
        pytester, *options, *both, "--mm-baseline=main", "--mm-max-drop=10", "--mm-output=out"
    )
    assert failed.ret == 1
    assert "replay:new.json: analogical lost" in verdict_line(failed)
    assert "replay:old.json:" not in verdict_line(failed)


def test_a_baseline_that_is_gone_can_be_left_out_of_reports_made_again(
    pytester: pytest.Pytester, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(pytester, *options, *NEW, "--mm-output=out").ret == 1
    (pytester.path / "main").rename(pytester.path / "moved")
    capsys.readouterr()
    assert main(["report", "out"]) == 4
    assert "main is not there" in (error := capsys.readouterr().err)
    assert "--mm-baseline= compares with nothing" in error
    assert main(["report", "out", "--mm-baseline=moved"]) == 1
    assert main(["report", "out", "--mm-baseline="]) == 0


def test_a_benchmark_that_the_baseline_lacks_is_a_usage_error(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    other = write_benchmark(pytester.path / "other", [sample(0)], name="other")
    result = run(
        pytester, "--mm-model=replay:new.json", f"--mm-benchmark={other}", "--mm-baseline=main"
    )
    assert result.ret == 4 and "holds no run on other, but on made" in result.stderr.str()


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_loss_that_too_few_samples_hide_is_told(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    workers: tuple[str, ...],
) -> None:
    write_answers(pytester.path / "new.json", answers(range(5)))
    some = [f"--mm-sample=s{n}" for n in range(5)]
    result = run(pytester, *options, *some, *NEW, "--mm-output=out", *workers)
    told = "5 samples are too few for any loss to be significant"
    assert result.ret == 0, "it is not significant, and passes"
    assert told in verdict_line(result)
    assert f"note {told}" in flat(result)
    assert "≥ −10 PASS n.s." in flat(result) and "n.s.: not significant" in flat(result)
    out = pytester.path / "out"
    assert told in read_summary(out)["runs"][0]["comparison"]["doubts"]
    for name in ("summary.md", "report.html"):
        text = (out / name).read_text(encoding="utf-8")
        assert text.count(told) >= 2 and "PASS n.s." in text.replace("\\", "")
    for part in (1, 2):
        run(pytester, *options, *some, *NEW, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    capsys.readouterr()
    for command in (["merge", "s1", "s2"], ["report", "out"]):
        assert main(command) == 0
        assert " ".join(capsys.readouterr().out.split()).count(told) == 2
    assert main(["compare", "main", "out", "--max-drop=2"]) == 0
    assert " ".join(capsys.readouterr().out.split()).count(told) == 2
    assert main(["compare", "out", "main", "--max-drop=2"]) == 0
    assert "on 5 of 120 samples" in " ".join(capsys.readouterr().out.split())


def test_the_gates_column_says_what_is_beyond_the_limit_by_chance(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_answers(pytester.path / "new.json", answers(ANALOGICAL[:4]))
    result = run(pytester, *options, *NEW[:2], "--mm-max-drop=5")
    (row,) = [
        line for line in result.stdout.lines if line.startswith(" analogical") and "/" in line
    ]
    assert "−10.0" in row and "≥ −5 PASS n.s." in row
    (row,) = [line for line in result.stdout.lines if line.startswith(" moderate") and "/" in line]
    assert "PASS" in row and "n.s." not in row
    text = flat(result)
    assert "95 % CI of each row alone · −/+: samples that lost / gained · n.s.: not sig" in text
    for limit in ("--mm-max-drop=10", ""):
        result = run(pytester, *options, *NEW[:2], *filter(None, [limit]))
        assert "n.s." not in flat(result)
        assert "−/+: samples that lost / gained" in flat(result)
