"""``report`` makes the reports of a run again, and ``power`` tells what its samples can show."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_summary, sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.runs import (
    endpoint_options,
    every_status,
    run,
    summary_lines,
    write_every_status,
)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--mm-threshold=99", "--mm-max-errors=9", "--mm-repeats=2"),
        ("-k", "s1 or s6 or s7", "--mm-on-error=zero"),
        ("--mm-prompt=cot", "--mm-prompt=direct", "--mm-judge-runs=2", "-n2"),
    ],
)
def test_reports_are_made_again_to_the_last_byte(
    pytester: pytest.Pytester,
    endpoint: Endpoint,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
) -> None:
    folder = write_every_status(pytester.path / "made")
    endpoint.script = every_status
    options = (*endpoint_options(endpoint), f"--mm-benchmark={folder}", "--mm-retries=0")
    result = run(pytester, *options, *more, "--mm-output=out")
    out = pytester.path / "out"
    before = contents(out)
    for name in before:
        if name not in ("results.jsonl", "run.json"):
            (out / name).unlink()
    capsys.readouterr()
    assert main(["report", "out"]) == result.ret
    printed = [line for line in capsys.readouterr().out.splitlines() if " took " not in line]
    assert (
        printed[-1].partition(" · results")[0]
        == summary_lines(result)[-1].partition(" · results")[0]
    )
    assert contents(out) == before
    endpoint.reset()
    assert (
        main(["report", "out", "--mm-output=again", "--mm-threshold=1", "--mm-max-errors=50"]) == 0
    )
    assert endpoint.requests == [], "nobody is asked"
    assert contents(pytester.path / "again")["results.jsonl"] == before["results.jsonl"]


def test_official_files_are_made_again(pytester: pytest.Pytester) -> None:
    rows = [sample(n, category="", complexity="") for n in range(4)]
    folder = write_benchmark(pytester.path / "vet", rows, name="vet", protocol="mm-vet")
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})
    assert (
        run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out").ret
        == 0
    )
    before = contents(pytester.path / "out")
    assert main(["report", "out", "--mm-output=again"]) == 0
    again = contents(pytester.path / "again")
    assert again == before
    assert any(name.endswith("-grade-1runs.json") for name in again)


def test_gates_of_a_report_are_tried_out_and_not_kept(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(3)} | {"s3": "x"})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-threshold=50")
    assert run(pytester, *options, "--mm-output=out").ret == 0
    before = contents(pytester.path / "out")
    assert main(["report", "out", "--mm-threshold=90"]) == 1
    assert contents(pytester.path / "out")["run.json"] == before["run.json"]
    assert read_summary(pytester.path / "out")["runs"][0]["gates"][0]["limit"] == 90
    assert main(["report", "out", "--mm-threshold=90", "--mm-output=again"]) == 1
    assert main(["report", "out"]) == main(["report", "again"]) == 0
    assert contents(pytester.path / "out") == contents(pytester.path / "again") == before


def test_a_merged_run_is_made_again(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(5)})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}")
    for part in (1, 2):
        run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 1
    assert main(["report", "merged", "--mm-output=again"]) == 1
    assert contents(pytester.path / "again") == contents(pytester.path / "merged")


def test_what_is_no_run_is_told(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(4)})
    run(
        pytester,
        "--mm-model=replay:a.json",
        f"--mm-benchmark={folder}",
        "--mm-shard=1/2",
        "--mm-output=s1",
    )
    (pytester.path / "empty").mkdir()
    for name, error in (
        ("empty", "holds no run.json; a run is what pytest"),
        ("s1", "it is a shard: merge it"),
    ):
        assert main(["report", name]) == 4
        assert error in capsys.readouterr().err
    assert list((pytester.path / "empty").iterdir()) == []


def test_a_run_that_was_changed_by_hand_is_refused(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(0)])
    write_answers(pytester.path / "a.json", {"s0": "answer0"})
    run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out")
    path = pytester.path / "out" / "run.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"weights"', '"wages"'), encoding="utf-8")
    assert main(["report", "out"]) == 4
    assert "run.json is not as the run wrote it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text[:-300], "results.jsonl:2: Unterminated string"),
        (
            lambda text: text.replace(b'"score": 1.0', b'"score": NaN'),
            ":1: score is nan",
        ),
        (lambda text: text + b"\xff\n", "results.jsonl is no text (invalid start byte)"),
    ],
    ids=["cut", "nan", "no text"],
)
def test_damaged_records_are_told_with_their_line(
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[bytes], bytes],
    told: str,
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(2)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(2)})
    run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out")
    results = pytester.path / "out" / "results.jsonl"
    results.write_bytes(change(results.read_bytes()))
    assert main(["report", "out"]) == 4
    assert told in " ".join(capsys.readouterr().err.split())


def test_power_tells_drops_of_a_run_and_of_two(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power"]) == 0
    out = capsys.readouterr().out
    assert "standard deviation of 0.30" in " ".join(out.split())
    assert " 1 point 7," in " ".join(out.split())
    assert "5 points 283 436" in " ".join(out.split())
    assert main(["power", "--sd=0.5", "--rows=1"]) == 0
    assert "5 points 785 785" in " ".join(capsys.readouterr().out.split())
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(24)])
    for name, right in (("a", 12), ("b", 18)):
        write_answers(
            pytester.path / f"{name}.json",
            {f"s{n}": f"answer{n}" if n < right else "no" for n in range(24)},
        )
        run(
            pytester,
            f"--mm-model=replay:{name}.json",
            f"--mm-benchmark={folder}",
            f"--mm-output={name}",
        )
    capsys.readouterr()
    assert main(["power", "--run=a"]) == 0
    assert "overall (24)" in capsys.readouterr().out
    assert main(["power", "--run=a", "--run=b"]) == 0
    assert "that of replay:a.json (direct) on made and replay:b.json" in " ".join(
        capsys.readouterr().out.split()
    )
    for wrong, error in (
        (["--sd=2"], "--sd is 2"),
        (["--run=a", "--sd=0.3"], "give one of them"),
        (["--run=none"], "--run none is not there"),
        (["--run=a", "--run=a"], "no scores that differ"),
        (["--rows=0"], "--rows is 0"),
    ):
        assert main(["power", *wrong]) == 4
        assert error in capsys.readouterr().err


def test_run_json_tells_no_secret_and_no_place(pytester: pytest.Pytester) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(2)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(2)})
    run(pytester, "--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out")
    text = (pytester.path / "out" / "run.json").read_text(encoding="utf-8")
    assert str(pytester.path) not in text
    assert (
        json.loads(text)["asked"]["benchmarks"][0]["fingerprint"]
        == read_summary(pytester.path / "out")["runs"][0]["fingerprint"]
    )
