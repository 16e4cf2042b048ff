"""``--mm-images`` and ``--mm-icl``: usage errors, the cache, shards and what the summary tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import read_summary, sample
from tests.support.endpoint import Endpoint
from tests.support.project import Project
from tests.support.runs import flat, statuses
from tests.support.sent import Picture, pictures, write_picture


@pytest.fixture
def shown(project: Project) -> Project:
    """The project with two images a sample, and captions of both."""
    rows = [sample(n, images=[f"{n}a.png", f"{n}b.png"]) for n in range(4)]
    project.write_samples(rows)
    for n in range(4):
        write_picture(project.benchmark / f"{n}a.png", 6, 4, 10 * n)
        write_picture(project.benchmark / f"{n}b.png", 3, 8, 200 + n)
    write_captions(project.path / "caps.jsonl")
    return project


def write_captions(path: Path, word: str = "shade", without: tuple[str, ...] = ()) -> None:
    rows = [
        {"sample": f"s{n}", "image": f"{n}{side}.png", "caption": f"{word} {n}{side}"}
        for n in range(4)
        for side in "ab"
        if f"s{n}" not in without
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def test_a_function_is_given_the_joined_image(shown: Project, endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: "answer1"
    asked = ("--mm-model=openai:m", f"--mm-base-url={endpoint.url}", shown.made)
    result = shown.run_plain(*asked, "--mm-images=concat", "--mm-sample=s1", "--mm-output=out")
    assert result.ret == 0
    (body,) = endpoint.requests
    assert pictures(body) == [Picture(9, 8, (10, 201))]
    shown.run("--mm-images=concat", "--mm-sample=s1")
    assert [count for _, count, _ in shown.calls()] == [1]
    # The record knows both files, as if they had been sent apart.
    shown.run_plain(*asked, "--mm-sample=s1", "--mm-output=apart")
    assert shown.records()[0]["images"] == shown.records("apart")[0]["images"]
    assert [image["size"] for image in shown.records()[0]["images"]] == [[6, 4], [3, 8]]


def test_the_cache_tells_every_way_of_asking_from_the_others(shown: Project) -> None:
    ways: list[tuple[str, ...]] = [
        (),
        ("--mm-images=concat",),
        ("--mm-images=none",),
        ("--mm-images=captions=caps.jsonl",),
        ("--mm-images=captions=other.jsonl",),
        ("--mm-icl=1",),
        ("--mm-icl=2",),
        ("--mm-icl=3", "--mm-seed=1"),
        ("--mm-icl=1", "--mm-images=none"),
        ("--mm-icl=1", "--mm-images=concat"),
    ]
    write_captions(shown.path / "other.jsonl", "another")
    for number, way in enumerate(ways, 1):
        assert shown.run(*way).ret == 0
        assert len(shown.calls()) == 4 * number, way
    for way in ways:
        assert shown.run(*way, "--mm-cache=only").ret == 0


def test_a_changed_image_of_an_example_or_of_a_joined_one_is_asked_anew(shown: Project) -> None:
    for way in (("--mm-icl=3",), ("--mm-images=concat",)):
        (shown.path / "calls.txt").unlink(missing_ok=True)
        shown.run(*way, "--mm-sample=s0")
        assert len(shown.calls()) == 1
        write_picture(shown.benchmark / ("1b.png" if "icl" in way[0] else "0b.png"), 3, 8, 77)
        shown.run(*way, "--mm-sample=s0")
        assert len(shown.calls()) == 2


def settings_of(project: Project, *arguments: str) -> dict[str, Any]:
    assert project.run(*arguments, "--mm-output=out").ret == 0
    (run,) = read_summary(project.path / "out")["runs"]
    settings: dict[str, Any] = run["settings"]
    return settings


def test_the_summary_tells_what_was_asked(shown: Project) -> None:
    plain = settings_of(shown)
    assert plain == {
        "images": "separate",
        "captions": None,
        "icl": 0,
        "icl_seed": None,
        "follow_up": "none",
        "subset": None,
    }
    captions = settings_of(shown, "--mm-images=captions=caps.jsonl")
    (shown.path / "elsewhere").mkdir()
    (shown.path / "caps.jsonl").rename(shown.path / "elsewhere" / "caps.jsonl")
    moved = settings_of(shown, "--mm-images=captions=elsewhere/caps.jsonl")
    write_captions(shown.path / "caps.jsonl", "another")
    changed = settings_of(shown, "--mm-images=captions=caps.jsonl")
    assert captions == moved
    assert captions["captions"]["name"] == "caps.jsonl"
    assert captions["captions"]["sha256"] != changed["captions"]["sha256"]
    examples = settings_of(shown, "--mm-icl=2", "--mm-seed=5", "--mm-follow-up=steps")
    assert (examples["icl"], examples["icl_seed"], examples["follow_up"]) == (2, 5, "steps")
    (shown.path / "set.json").write_text('["s2", "s1"]')
    subset = settings_of(shown, "--mm-subset=set.json")["subset"]
    (shown.path / "set.json").write_text('[\n"s1",\n"s2"\n]')
    assert settings_of(shown, "--mm-subset=set.json")["subset"] == subset
    (shown.path / "set.json").write_text('["s1"]')
    other = settings_of(shown, "--mm-subset=set.json")["subset"]
    assert other["name"] == subset["name"] and other != subset


def test_a_person_is_told_what_was_asked(shown: Project) -> None:
    (shown.path / "set.json").write_text('["s2", "s1"]')
    result = shown.run(
        "--mm-icl=2", "--mm-images=captions=caps.jsonl", "--mm-subset=set.json", "--mm-show=0"
    )
    text = flat(result)
    assert "2 of 4 samples · subset set.json" in text
    assert "images captions caps.jsonl · 2 worked examples" in text


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_sample_without_a_caption_is_a_data_error_and_the_others_are_evaluated(
    shown: Project, workers: tuple[str, ...]
) -> None:
    write_captions(shown.path / "caps.jsonl", without=("s1",))
    result = shown.run("--mm-images=captions=caps.jsonl", "--mm-output=out", *workers)
    assert result.ret == 1
    records = shown.records()
    assert statuses(records) == {
        "s0": "scored", "s1": "data_error", "s2": "scored", "s3": "scored"
    }  # fmt: skip
    assert records[1]["reason"].startswith("caps.jsonl has no caption of image '1a.png' of sample")
    assert "1 of the 4 selected samples of made with images lack captions" in flat(result)
    planned = shown.run("--mm-images=captions=caps.jsonl", "--collect-only", "-q")
    assert "a run would make 3 model calls" in flat(planned)


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--mm-icl=4"],
            "--mm-icl=4: an example is another sample with a reference answer, and of the 4 "
            "samples of made 4 have one: there are 3 examples for every sample",
        ),
        (["--mm-images=captions=gone.jsonl"], "*gone.jsonl: the file cannot be read: No such*"),
        (["--mm-images=captions=empty.jsonl"], "*of no selected sample of made are the images'*"),
        (["--mm-images=captions=bad.jsonl"], "*bad.jsonl:2: no sample 's9' in made.*"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_runs(
    shown: Project, arguments: list[str], message: str, workers: tuple[str, ...]
) -> None:
    (shown.path / "empty.jsonl").write_text("")
    good = {"sample": "s1", "image": "1a.png", "caption": "x"}
    rows = [good, {**good, "sample": "s9"}]
    (shown.path / "bad.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    result = shown.run(*arguments, *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = flat(result) + " ".join(result.stderr.str().split())
    assert all(part in text for part in message.split("*")), text
    assert "Traceback" not in text
    assert shown.calls() == []


def test_graded_answers_want_no_captions_and_no_examples(shown: Project) -> None:
    (shown.path / "graded.jsonl").write_text(
        '{"sample": "s1", "answer": "answer1", "score": 1.0}\n'
    )
    result = shown.run_plain(
        "--mm-agreement=graded.jsonl", shown.made, "--mm-icl=3", "--mm-images=captions=gone"
    )
    assert result.ret == 0


@pytest.mark.parametrize(
    "way",
    [("--mm-icl=2", "--mm-images=concat"), ("--mm-images=captions=caps.jsonl", "--mm-icl=1")],
)
def test_shards_ask_what_the_whole_asks(
    shown: Project, capsys: pytest.CaptureFixture[str], way: tuple[str, ...]
) -> None:
    assert shown.run(*way, "--mm-output=whole", "--mm-cache=off").ret == 0
    whole = shown.calls()
    (shown.path / "calls.txt").unlink()
    for part in (1, 2):
        shown.run(*way, f"--mm-shard={part}/2", f"--mm-output=s{part}", "--mm-cache=off")
    assert sorted(shown.calls()) == sorted(whole)
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    summaries = [read_summary(shown.path / name) for name in ("whole", "merged")]
    assert summaries[0] == summaries[1]
    assert "worked example" in out
    assert ("images captions caps.jsonl" in out) == ("captions" in way[0])


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (["--mm-icl=1"], ["--mm-icl=2"], "--mm-icl is 1 there and 2 here"),
        (["--mm-icl=1"], ["--mm-icl=1", "--mm-seed=4"], "--mm-seed is 0 there and 4 here"),
        (["--mm-images=concat"], [], '--mm-images is "concat" there and "separate" here'),
        (
            ["--mm-images=captions=caps.jsonl"],
            ["--mm-images=captions=other.jsonl"],
            '--mm-images=captions is {"name": "caps.jsonl"',
        ),
        (["--mm-subset=a.json"], ["--mm-subset=b.json"], '--mm-subset is {"name": "a.json"'),
        (["--mm-subset=a.json"], [], '--mm-subset is {"name": "a.json"'),
    ],
)
def test_shards_that_were_asked_otherwise_are_not_merged(
    shown: Project,
    capsys: pytest.CaptureFixture[str],
    one: list[str],
    other: list[str],
    what: str,
) -> None:
    write_captions(shown.path / "other.jsonl", "another")
    (shown.path / "a.json").write_text('["s0", "s1", "s2", "s3"]')
    (shown.path / "b.json").write_text('["s0", "s1", "s2"]')
    shown.run(*one, "--mm-shard=1/2", "--mm-output=s1")
    shown.run(*other, "--mm-shard=2/2", "--mm-output=s2")
    capsys.readouterr()
    assert main(["merge", "s1", "s2"]) == 4
    assert f"s1 and s2 are of different runs: {what}" in capsys.readouterr().err


def test_a_merged_subset_is_named_in_the_official_files(project: Project) -> None:
    project.write_samples([sample(n) for n in range(4)], protocol="mm-vet")
    (project.path / "bard_set.json").write_text('["s0", "s3"]')
    subset = "--mm-subset=bard_set.json"
    project.run(subset, "--mm-output=whole")
    for part in (1, 2):
        project.run(subset, f"--mm-shard={part}/2", f"--mm-output=s{part}")
    assert main(["merge", "s1", "s2", "--mm-output=merged"]) == 0
    names = [
        sorted(path.name for path in (project.path / folder).iterdir())
        for folder in ("whole", "merged")
    ]
    assert names[0] == names[1]
    assert any("bardset" in name for name in names[0])
