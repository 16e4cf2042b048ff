"""``--mm-shard`` divides a run, and ``merge`` makes of the parts what was never divided."""

from __future__ import annotations

import json
import re
import shutil
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
from tests.support.endpoint import Endpoint
from tests.support.runs import (
    endpoint_options,
    every_status,
    flat,
    run,
    summary_lines,
    write_every_status,
)

VOLATILE = ("latency_s",)


@pytest.fixture
def options(pytester: pytest.Pytester, endpoint: Endpoint) -> tuple[str, ...]:
    """A run whose samples end in every status, and another model beside it."""
    folder = write_every_status(pytester.path / "made")
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n % 7}" for n in range(11)})
    endpoint.script = every_status
    return (
        *endpoint_options(endpoint),
        f"--mm-benchmark={folder}",
        "--mm-model=replay:a.json",
        "--mm-retries=0",
        "--mm-cache=off",
    )


def told(out: str) -> list[str]:
    """The summary that was printed, but for what differs by nature."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if "mmreason:" in line)
    return [
        line.partition(" · results in")[0].rstrip()
        for line in lines[start:]
        if " took " not in line and not line.startswith("=")
    ]


def stable(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in record.items() if k not in VOLATILE} for record in records]


@pytest.mark.parametrize("workers", [(), ("-n2",)])
@pytest.mark.parametrize(
    "gates",
    [
        (),
        ("--mm-threshold=99",),
        ("--mm-threshold=1", "--mm-max-errors=9", "--mm-repeats=2"),
        ("--mm-max-errors=50%", "--mm-item-threshold=0.3"),
        ("--mm-limit=7", "--mm-on-error=zero", "--mm-show=1"),
        ("--mm-prompt=cot", "--mm-prompt=direct", "--mm-judge-runs=2"),
    ],
)
def test_merged_shards_are_the_run_that_was_never_divided(
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    gates: tuple[str, ...],
    workers: tuple[str, ...],
) -> None:
    whole = run(pytester, *options, *gates, "--mm-output=whole")
    for part in (1, 2, 3):
        run(pytester, *options, *gates, f"--mm-shard={part}/3", f"--mm-output=s{part}", *workers)
    capsys.readouterr()
    assert main(["merge", "s3", "s1", "s2", "--mm-output=merged"]) == whole.ret
    printed = told(capsys.readouterr().out)
    expected = [
        line.partition(" · results in")[0].rstrip()
        for line in summary_lines(whole)
        if not line.startswith("=")
    ]
    lowest = next((i for i, line in enumerate(printed) if line == expected[0]), None)
    assert lowest is not None and printed[lowest:] == expected
    first, second = (pytester.path / name for name in ("whole", "merged"))
    assert summary_text(first) == summary_text(second)
    assert stable(read_records(first)) == stable(read_records(second))
    for name in [f.name for f in first.glob("predictions*.json")]:
        assert (first / name).read_bytes() == (second / name).read_bytes()


@pytest.mark.parametrize("workers", [(), ("-n2",)])
@pytest.mark.parametrize(
    "selection",
    [("-m", "deductive or moderate"), ("-k", "not s4")],
)
def test_merged_shards_hold_what_the_undivided_run_selects(
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    selection: tuple[str, ...],
    workers: tuple[str, ...],
) -> None:
    whole = run(pytester, *options, *selection, "--mm-output=whole")
    for part in (1, 2):
        run(
            pytester, *options, *selection, f"--mm-shard={part}/2", f"--mm-output=s{part}", *workers
        )
    capsys.readouterr()
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == whole.ret
    first, second = (pytester.path / name for name in ("whole", "merged"))
    assert stable(read_records(first)) == stable(read_records(second))
    assert read_summary(first)["runs"] == read_summary(second)["runs"]
    assert f"were left out by {selection[0]} {selection[1]!r}" in capsys.readouterr().out


def test_every_sample_is_in_one_shard_and_the_mix_is_kept(pytester: pytest.Pytester) -> None:
    rows = [sample(n) for n in range(37)]
    folder = write_benchmark(pytester.path / "made", rows)
    write_answers(pytester.path / "a.json", {f"s{n}": "answer" for n in range(37)})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-output=out")
    parts = []
    for part in (1, 2, 3, 4):
        run(pytester, *options, f"--mm-shard={part}/4")
        parts.append(read_records(pytester.path / "out"))
    names = [record["sample"] for part in parts for record in part]
    assert sorted(names) == sorted(row["id"] for row in rows)
    assert sorted(map(len, parts)) == [9, 9, 9, 10]
    cells = {(r["category"], r["complexity"]) for part in parts for r in part}
    for cell in cells:
        counts = [sum((r["category"], r["complexity"]) == cell for r in part) for part in parts]
        assert max(counts) - min(counts) <= 1, cell


def test_thresholds_wait_for_the_merge(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(4)])
    write_answers(pytester.path / "a.json", {f"s{n}": "wrong" for n in range(4)})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}", "--mm-threshold=50")
    first = run(pytester, *options, "--mm-shard=1/2", "--mm-output=s1")
    assert first.ret == 0 and "its thresholds are judged by" in flat(first)
    assert "PASS its thresholds wait for the merge" in flat(first)
    assert "no gate was set" not in flat(first)
    assert "shard 1/2" in flat(first)
    assert run(pytester, *options, "--mm-shard=2/2", "--mm-output=s2").ret == 0
    capsys.readouterr()
    assert main(["merge", "s1", "s2"]) == 1
    assert "FAIL  overall 0.0 is below 50" in capsys.readouterr().out
    assert main(["merge", "s1", "s2", "--mm-threshold=0"]) == 0
    assert main(["merge", "s1", "s2", "--mm-threshold=rec=1"]) == 1
    unwritten = run(pytester, *options, "--mm-shard=1/2")
    assert "leaves nothing to merge: --mm-output names no folder" in flat(unwritten)


def test_an_absent_shard_is_told_and_its_samples_are_missing(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(6)})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}")
    for part in (1, 3):
        assert run(pytester, *options, f"--mm-shard={part}/3", f"--mm-output=s{part}").ret == 0
    capsys.readouterr()
    assert main(["merge", "s1", "s3", "--mm-output=out"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "shard 2/3 is not among the folders; its samples are missing" in printed
    lost = [r for r in read_records(pytester.path / "out") if r["status"] == "missing"]
    assert [r["reason"] for r in lost] == ["shard 2/3 was not merged"] * 2
    assert main(["merge", "s1", "s3", "--mm-max-errors=2"]) == 0


def test_a_shard_that_was_cut_short_is_not_passed_off_as_whole(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(8)])
    write_answers(pytester.path / "a.json", {"s7": "answer7"})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}", "-x")
    for part in (1, 2):
        run(pytester, *options, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    capsys.readouterr()
    assert main(["merge", "s1", "s2", "--mm-max-errors=100%"]) == 1
    assert "the session ended before it reached" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "1/-2", "/", "1/2/3"])
def test_a_shard_that_is_none_is_a_usage_error(pytester: pytest.Pytester, text: str) -> None:
    result = run(pytester, "--mm-model=replay:mini", f"--mm-shard={text}")
    assert result.ret == 4
    assert "--mm-shard" in result.stderr.str() and "K" in result.stderr.str()


def shard(pytester: pytest.Pytester, text: str, folder: str, *options: str) -> None:
    run(
        pytester,
        "--mm-model=replay:mini",
        "--mm-limit=4",
        f"--mm-shard={text}",
        f"--mm-output={folder}",
        *options,
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_a_shard_of_which_nothing_is_selected_is_one_of_the_run(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(6)])
    write_answers(pytester.path / "a.json", {f"s{n}": "answer" for n in range(6)})
    folders = [f"s{number}" for number in (1, 2, 3)]
    results = [
        run(
            pytester,
            "--mm-model=replay:a.json",
            f"--mm-benchmark={folder}",
            f"--mm-shard={number}/3",
            f"--mm-output={name}",
            *("-k", "s4", *workers),
        )
        for number, name in enumerate(folders, 1)
    ]
    assert [result.ret for result in results] == [0, 0, 0]
    told = "mmreason: -k 's4' selects no sample of shard"
    assert sum(told in result.stdout.str() for result in results) == 2
    capsys.readouterr()
    assert main(["merge", *folders, "--mm-output=whole"]) == 0
    assert "5 samples of the shards were left out by -k 's4'" in capsys.readouterr().out
    records = Path("whole/results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["sample"] for line in records] == ["s4"]


def test_shards_of_which_all_select_nothing_end_as_the_whole_run_would(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2):
        shard(pytester, f"{number}/2", f"s{number}", "-k", "nowhere")
    capsys.readouterr()
    assert main(["merge", "s1", "s2"]) == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "no sample is left: -k 'nowhere' selects none of any shard" in capsys.readouterr().out


def test_what_does_not_belong_together_is_not_merged(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    shard(pytester, "1/2", "a")
    shard(pytester, "2/2", "b")
    shard(pytester, "2/2", "cot", "--mm-prompt=cot")
    shard(pytester, "2/2", "three", "--mm-limit=3")
    shard(pytester, "2/3", "thirds")
    shard(pytester, "2/2", "keyword", "--mm-judge=keyword")
    shard(pytester, "2/2", "some", "-m", "deductive")
    capsys.readouterr()
    for other, expected in {
        "a": "a and a both hold shard 1/2; name each shard once",
        "cot": 'different runs: --mm-prompt is ["direct"] there and ["cot"] here',
        "three": "different runs: the benchmarks' selected",
        "thirds": "a is shard 1/2 and thirds shard 2/3",
        "keyword": '--mm-judge is "local" there and "keyword" here',
        "some": 'of different selections: {} there and {"-m": "deductive"} here',
        "nowhere": "nowhere holds no shard.json; a shard is what pytest --mm-shard=K/N",
    }.items():
        assert main(["merge", "a", other]) == 4
        assert expected in capsys.readouterr().err
    for number, folder in enumerate(("a", "b"), 1):
        shutil.copytree(folder, f"s/{number}")
    assert main(["merge", "s"]) == 4
    assert (
        "s holds no shard.json; the folders below it do: merge s/1 s/2" in capsys.readouterr().err
    )
    assert main(["merge", "a", "b", "--mm-threshold=overal=3"]) == 4
    assert "Did you mean" in capsys.readouterr().err
    assert main(["merge", "a", "b", "--mm-max-errors=x"]) == 4
    assert "--mm-max-errors is 'x'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("shard.json", "{", "shard.json cannot be read"),
        ("shard.json", "[]", "is no shard"),
        ("shard.json", '{"schema": 99}', "has schema 99, this version reads 1"),
        ("results.jsonl", "{}\n", "results.jsonl:1: not a record"),
        ("results.jsonl", "nonsense\n", "results.jsonl:1: "),
        ("results.jsonl", None, "results.jsonl cannot be read: No such file"),
    ],
)
def test_a_damaged_shard_is_named(
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | None,
    expected: str,
) -> None:
    shard(pytester, "1/1", "a")
    path = pytester.path / "a" / name
    if content is None:
        path.unlink()
    else:
        path.write_text(content, encoding="utf-8")
    capsys.readouterr()
    assert main(["merge", "a"]) == 4
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("value", ["0", "null", "[[]]", "NaN"])
@pytest.mark.parametrize("field", ["shard", "asked", "outcome", "told"])
def test_a_shard_that_was_changed_by_hand_is_refused(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], field: str, value: str
) -> None:
    shard(pytester, "1/1", "a")
    path = pytester.path / "a" / "shard.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, field: json.loads(value)}), encoding="utf-8")
    capsys.readouterr()
    assert main(["merge", "a"]) == 4
    assert re.search(
        r"shard\.json is (no shard|not as the shard wrote it)", capsys.readouterr().err
    )


def test_a_record_of_another_benchmark_is_named(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    shard(pytester, "1/1", "a")
    path = pytester.path / "a" / "results.jsonl"
    record = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    path.write_text(json.dumps({**record, "sample": "stranger"}) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["merge", "a"]) == 4
    assert "record of an unknown run or sample" in capsys.readouterr().err


def test_no_folder_of_this_machine_is_written(pytester: pytest.Pytester) -> None:
    shard(pytester, "1/2", "a")
    text = (pytester.path / "a" / "shard.json").read_text(encoding="utf-8")
    assert str(Path(__file__).parents[2]) not in text and str(pytester.path) not in text


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_a_shard_without_samples_is_one_that_can_be_merged(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    folder = write_benchmark(pytester.path / "made", [sample(n) for n in range(2)])
    write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(2)})
    options = ("--mm-model=replay:a.json", f"--mm-benchmark={folder}")
    assert run(pytester, *options, "--mm-shard=3/3", "--mm-output=3", "--collect-only").ret == 0
    assert not Path("3").exists()
    for number in (1, 2, 3):
        shard = (f"--mm-shard={number}/3", f"--mm-output={number}", "--mm-threshold=10")
        assert run(pytester, *options, *shard, *workers).ret == 0
    assert main(["merge", "1", "2", "3", "--mm-output=merged"]) == 0
    assert [record["sample"] for record in read_records(Path("merged"))] == ["s0", "s1"]
