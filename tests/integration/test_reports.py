"""What a run writes: its output folder, GitHub's page, and ``.mmreason/``."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from pytest_mmreason.reports.files import write_json
from tests.support.benchmarks import (
    read_records,
    read_summary,
    sample,
    write_answers,
    write_benchmark,
)
from tests.support.endpoint import Endpoint
from tests.support.runs import endpoint_options, every_status, run, verdict_line, write_every_status

ROW = {"n", "scored", "weight", "score", "sd", "ci95", "runs"}
RECORD = {
    "schema", "benchmark", "sample", "model", "judge", "repeat", "status", "reason", "score",
    "scores", "score_answer_only", "steps", "rationale", "response", "finish_reason", "usage",
    "latency_s", "attempts", "cached", "category", "complexity", "capabilities", "tags", "weight",
    "images", "prompt_sha256",
}  # fmt: skip


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """Six samples, of which the odd ones are answered wrong."""
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    answers = {f"s{n}": "something" if n % 2 else f"answer{n}" for n in range(6)}
    recorded = write_answers(pytester.path / "a.json", answers)
    return (f"--mm-model=replay:{recorded}", f"--mm-benchmark={folder}")


def test_summary_json_has_the_keys_it_promises(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    endpoint.script = every_status
    folder = write_every_status(pytester.path / "made")
    arguments = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-retries=0")
    run(pytester, *arguments, "--mm-output=out", "--mm-threshold=high=10")
    summary = read_summary(pytester.path / "out")
    assert (list(summary), summary["schema"], summary["exit"]) == (
        ["schema", "runs", "cost_usd", "exit"],
        1,
        1,
    )
    (found,) = summary["runs"]
    assert set(found) >= {
        "benchmark", "model", "judge", "prompt", "fingerprint", "counts", "rows", "gates", "usage"
    }  # fmt: skip
    assert list(found["counts"]) == [
        "collected", "scored", "unjudged", "refused", "model_error", "judge_error", "data_error",
        "missing",
    ]  # fmt: skip
    assert list(found["rows"]) == [
        "overall", "deductive", "abductive", "analogical", "moderate", "high",
        "deductive/moderate", "abductive/moderate", "analogical/moderate",
        "deductive/high", "abductive/high", "analogical/high",
        "rec", "rec_only", "even",
    ]  # fmt: skip
    assert all(set(row) == ROW for row in found["rows"].values())
    assert found["gates"][0] == {
        "row": "high", "kind": "threshold", "limit": 10.0,
        "actual": found["rows"]["high"]["score"], "passed": True,
    }  # fmt: skip
    assert found["gates"][1] == {
        "row": "overall", "kind": "max_errors", "limit": 0.0, "actual": 3.0, "passed": False
    }  # fmt: skip
    usage = found["usage"]
    assert usage["model"]["calls"] == len(endpoint.calls("m"))
    assert usage["model"]["prompt_tokens"] == 100
    assert usage["judge"]["calls"] == len(endpoint.calls("j"))


def test_results_hold_a_whole_record_a_line_in_collection_order(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-output=out", "-n2")
    records = read_records(pytester.path / "out")
    assert [r["sample"] for r in records] == [f"s{n}" for n in range(6)]
    assert all(set(r) >= RECORD for r in records)
    assert records[1]["response"] == "something"
    assert records[1]["rationale"]


def test_predictions_are_the_official_submission(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options, "--mm-output=out")
    text = (pytester.path / "out" / "predictions.json").read_text(encoding="utf-8")
    assert json.loads(text) == json.loads((pytester.path / "a.json").read_text(encoding="utf-8"))
    result = run(pytester, "--mm-model=replay:out/predictions.json", options[1], "--mm-output=two")
    assert result.ret == 0
    assert (
        read_summary(pytester.path / "two")["runs"][0]["rows"]
        == (read_summary(pytester.path / "out")["runs"][0]["rows"])
    )


def test_several_runs_write_a_file_of_predictions_each(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_answers(pytester.path / "b.json", {f"s{n}": f"answer{n}" for n in range(6)})
    run(pytester, *options, "--mm-model=replay:b.json", "--mm-output=out")
    names = sorted(p.name for p in (pytester.path / "out").glob("predictions*"))
    assert names == ["predictions-made-replay-a.json.json", "predictions-made-replay-b.json.json"]
    both = [json.loads((pytester.path / "out" / name).read_text()) for name in names]
    assert (both[0]["s1"], both[1]["s1"]) == ("something", "answer1")


def test_the_markdown_goes_to_github_too_and_after_what_is_there(
    pytester: pytest.Pytester, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = pytester.path / "page.md"
    page.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    run(pytester, *options, "--mm-output=out", "--mm-threshold=90")
    written = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8") == f"before\n{written}"
    assert "**FAIL**" in written
    assert "| **overall** | **6** | **33.3** |" in written

    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "absent" / "page.md"))
    result = run(pytester, *options)
    assert result.ret == 1
    assert "reports could not be written" in verdict_line(result)


def test_github_s_page_stays_within_what_github_takes(
    pytester: pytest.Pytester, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_mmreason.reports.files.PAGE_BYTES", 600)
    page = pytester.path / "page.md"
    page.write_text("é" * 100, encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    assert run(pytester, *options, "--mm-output=out").ret == 0
    first = page.read_text(encoding="utf-8")
    assert "**PASS**" in first and "`summary.md` and `report.html`" in first
    assert len(first.encode()) <= 600
    written = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    lines = first.removeprefix("é" * 100).split("\n**…**")[0].splitlines()
    assert lines == written.splitlines()[: len(lines)], "whole lines"
    assert run(pytester, *options).ret == 0
    assert len(page.read_bytes()) <= 600


def test_a_report_that_cannot_be_written_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_json(tmp_path / "summary.json", {"exit": 0})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "below/a/file"])
def test_an_output_folder_that_cannot_be_made_is_said_before_anything_runs(
    pytester: pytest.Pytester, options: tuple[str, ...], place: str
) -> None:
    (pytester.path / "file").write_text("")
    (pytester.path / "below").mkdir()
    (pytester.path / "below" / "a").write_text("")
    result = run(pytester, *options, f"--mm-output={place}")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*--mm-output *{place}*"])
    assert "test_sample" not in result.stdout.str()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_output_folder_is_said_before_anything_runs(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    folder = pytester.path / "sealed"
    folder.mkdir(mode=0o555)
    assert run(pytester, *options, f"--mm-output={folder}").ret == 4


def test_the_journal_is_kept_out_of_the_users_repository(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    run(pytester, *options)
    home = pytester.path / ".mmreason"
    assert (home / ".gitignore").read_text(encoding="utf-8").splitlines() == ["*"]
    (journal,) = (home / "journal").glob("*.jsonl")
    lines = journal.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["sample"] for line in lines] == [f"s{n}" for n in range(6)]
    assert not (pytester.path / "results.jsonl").exists()


def test_a_run_without_an_output_folder_writes_below_mmreason_only(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    before = everything(pytester.path)
    run(pytester, *options)
    added = everything(pytester.path) - before
    assert {path.parts[0] for path in added} == {".mmreason"}


def everything(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*")}
