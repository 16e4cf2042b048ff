"""What ``--mm-baseline`` names must be a whole run, and the reports must not go over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import sample, write_answers, write_benchmark
from tests.support.runs import run


@pytest.fixture
def options(pytester: pytest.Pytester) -> tuple[str, ...]:
    """A run of eight samples is in `main`."""
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(8)})
    options = (f"--mm-benchmark={folder}", "--mm-show=0", "--mm-model=replay:a.json")
    assert run(pytester, *options, "--mm-output=main").ret == 0
    return options


def cut(path: Path, lines: int) -> None:
    kept = path.read_text(encoding="utf-8").splitlines(keepends=True)[:lines]
    path.write_text("".join(kept), encoding="utf-8")


@pytest.mark.parametrize("named", ["main", "main/results.jsonl"])
def test_a_baseline_cut_at_a_line_end_is_refused(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    named: str,
) -> None:
    assert run(pytester, *options, f"--mm-baseline={named}").ret == 0
    cut(pytester.path / "main" / "results.jsonl", 5)
    result = run(pytester, *options, f"--mm-baseline={named}", "--mm-max-drop=1")
    error = " ".join(result.stderr.str().split())
    assert result.ret == 4
    assert "summary.json says 8 records of replay:a.json (direct) on made" in error
    assert "results.jsonl holds 5" in error
    capsys.readouterr()
    assert main(["compare", named, named]) == 4
    assert "results.jsonl holds 5" in capsys.readouterr().err


def test_a_baseline_that_lost_one_of_its_runs_whole_is_refused(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    write_answers(pytester.path / "b.json", {f"s{n}": "no" for n in range(8)})
    run(pytester, *options, "--mm-model=replay:b.json", "--mm-output=both")
    cut(pytester.path / "both" / "results.jsonl", 8)
    result = run(pytester, *options, "--mm-baseline=both")
    assert result.ret == 4
    assert "results.jsonl holds 0" in " ".join(result.stderr.str().split())


def test_a_shard_is_no_baseline_until_it_is_merged(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    for part in (1, 2):
        run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    result = run(pytester, *options, "--mm-baseline=s2")
    error = " ".join(result.stderr.str().split())
    assert result.ret == 4 and "is part 2 of 2 of a run" in error and "merge" in error
    assert main(["merge", "s1", "s2", "--mm-output=whole"]) == 0
    assert run(pytester, *options, "--mm-baseline=whole").ret == 0


def test_a_shard_written_where_a_whole_run_was_is_a_shard(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    assert run(pytester, *options, "--mm-shard=1/2", "--mm-output=main").ret == 0
    result = run(pytester, *options, "--mm-baseline=main")
    assert result.ret == 4
    assert "is part 1 of 2 of a run, a shard" in " ".join(result.stderr.str().split())


@pytest.mark.parametrize("baseline", ["main", "main/results.jsonl", "link", "made/../main"])
def test_reports_do_not_go_over_the_baseline(
    pytester: pytest.Pytester,
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    baseline: str,
) -> None:
    (pytester.path / "link").symlink_to(pytester.path / "main")
    write_answers(pytester.path / "bad.json", {f"s{n}": "no" for n in range(8)})
    results = pytester.path / "main" / "results.jsonl"
    before = results.read_bytes()
    bad = (*options[:2], "--mm-model=replay:bad.json", f"--mm-baseline={baseline}")
    for output in ("main", "link", str(pytester.path / "main")):
        result = run(pytester, *bad, f"--mm-output={output}")
        error = " ".join(result.stderr.str().split())
        assert result.ret == 4 and "--mm-baseline and --mm-output are both" in error
    for part in (1, 2):
        run(pytester, *bad[:3], f"--mm-shard={part}/2", f"--mm-output=s{part}")
    capsys.readouterr()
    for command in (
        ["merge", "s1", "s2", f"--mm-baseline={baseline}", "--mm-output=link"],
        ["report", "main", f"--mm-baseline={baseline}"],
        ["report", "main", f"--mm-baseline={baseline}", "--mm-output=./main"],
    ):
        assert main(command) == 4
        assert "--mm-baseline and --mm-output are both" in capsys.readouterr().err
    assert results.read_bytes() == before
    assert main(["report", "main", f"--mm-baseline={baseline}", "--mm-output=other"]) == 0
    (pytester.path / "main" / "older.jsonl").write_bytes(before)
    assert run(pytester, *options, "--mm-baseline=main/older.jsonl", "--mm-output=main").ret == 0
