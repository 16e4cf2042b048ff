"""``python -m pytest_mmreason caption``: what is asked, what is written, what is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from pytest_mmreason.captioning import QUESTION
from pytest_mmreason.store import FILE_NAME
from pytest_mmreason.upkeep import inspect
from tests.support.benchmarks import sample, write_benchmark
from tests.support.endpoint import Endpoint, Reply
from tests.support.project import Project
from tests.support.runs import wait_until
from tests.support.sent import pictures, turns, write_picture


@pytest.fixture
def made(project: Project, endpoint: Endpoint) -> Project:
    """Three samples; the last shows an image of the first, and one of its own."""
    names = [["a.png"], ["b.png"], ["a.png", "c d.png"]]
    project.write_samples([sample(n, images=images) for n, images in enumerate(names)])
    for shade, name in enumerate(("a.png", "b.png", "c d.png"), 1):
        write_picture(project.benchmark / name, 4, 4, shade)
    endpoint.script = describe
    return project


def describe(body: dict[str, Any], seen: int) -> str | Reply:
    (picture,) = pictures(body)
    return f" Shade {picture.shades[0]}.\n猫 "


def caption(endpoint: Endpoint, *more: str, benchmark: str = "made") -> int:
    url = f"--mm-base-url={endpoint.url}"
    return main(["caption", benchmark, "--mm-model=openai:m", url, "--mm-output=caps.jsonl", *more])


def rows(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "caps.jsonl").read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def written(folder: Path) -> list[tuple[str, str, str]]:
    return [(row["sample"], row["image"], row["caption"]) for row in rows(folder)]


ALL = [
    ("s0", "a.png", "Shade 1.\n猫"),
    ("s1", "b.png", "Shade 2.\n猫"),
    ("s2", "a.png", "Shade 1.\n猫"),
    ("s2", "c d.png", "Shade 3.\n猫"),
]


def test_every_image_is_described_once_and_told_of_each_of_its_samples(
    made: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    assert caption(endpoint) == 0
    assert capsys.readouterr().out == (
        "3 of 3 images captioned · 3 calls, 0 from the cache · caps.jsonl\n"
    )
    assert [[text for _, (_, text) in turns(body)] for body in endpoint.requests] == [
        [QUESTION]
    ] * 3
    assert sorted(pictures(body)[0].shades for body in endpoint.requests) == [(1,), (2,), (3,)]
    assert written(made.path) == ALL
    assert {(row["benchmark"], row["model"]) for row in rows(made.path)} == {("made", "openai:m")}
    # What was answered is not asked again; and a run can read what was written.
    assert caption(endpoint, "--mm-cache=only") == 0
    assert "0 calls, 3 from the cache" in capsys.readouterr().out
    assert len(endpoint.requests) == 3
    assert made.run("--mm-images=captions=caps.jsonl").ret == 0
    assert "Image 1: Shade 1.\n猫\nImage 2: Shade 3.\n猫\n" in str(
        next(prompt for _, _, prompt in made.calls() if "number 2" in prompt)
    )


def test_a_caption_that_failed_is_named_and_the_file_holds_the_rest(
    made: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: dict[str, Any], seen: int) -> str | Reply:
        match pictures(body)[0].shades[0]:
            case 1:
                return Reply.error(400, "the picture is too bright")
            case 2:
                return "<think>What is it?</think>Shade 2."
        return Reply(text="Shade thr", finish="length")

    endpoint.script = script
    assert caption(endpoint, "--mm-retries=0") == 1
    said = capsys.readouterr()
    assert written(made.path) == [("s1", "b.png", "Shade 2."), ("s2", "c d.png", "Shade thr")]
    assert "no caption of a.png: model_error: " in said.err
    assert "the picture is too bright" in said.err
    assert "cut short, raise --mm-param max_tokens=N: c d.png" in said.err
    assert said.out.startswith("2 of 3 images captioned · 3 calls")
    # What came is kept, the rest is asked for.
    endpoint.script = describe
    endpoint.reset()
    assert caption(endpoint) == 0
    assert [pictures(body)[0].shades[0] for body in endpoint.requests] == [1]
    assert [image for _, image, _ in written(made.path)] == [image for _, image, _ in ALL]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_what_was_cut_short_goes_on_where_it_was(
    made: Project, endpoint: Endpoint, ending: signal.Signals
) -> None:
    def slow(body: dict[str, Any], seen: int) -> str | Reply:
        is_last = pictures(body)[0].shades == (3,)
        return Reply(text="late", delay_s=60) if is_last else describe(body, seen)

    endpoint.script = slow
    command = [sys.executable, "-m", "pytest_mmreason", "caption", "made", "--mm-model=openai:m"]
    process = subprocess.Popen(
        [*command, f"--mm-base-url={endpoint.url}", "--mm-output=caps.jsonl"],
        cwd=made.path,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has had SIGINT ignored for all of them.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    cache = made.path / ".mmreason" / "cache"
    wait_until(process, lambda: (cache / FILE_NAME).exists() and inspect(cache).responses == 2)
    process.send_signal(ending)
    _, said = process.communicate(timeout=60)
    if ending == signal.SIGINT:
        assert process.returncode == 2
        assert said == "interrupted: nothing was written; what was answered is in the cache\n"
    assert not (made.path / "caps.jsonl").exists()
    endpoint.script = describe
    endpoint.reset()
    assert caption(endpoint) == 0
    assert [pictures(body)[0].shades[0] for body in endpoint.requests] == [3]
    assert written(made.path) == ALL


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(text=" \n"), "the caption is empty"),
        (Reply(text="", finish="content_filter"), "refused: the provider's content filter"),
        (Reply.error(401, "no"), "rejects a call without an API key"),
    ],
)
def test_where_no_caption_came_nothing_is_written(
    made: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str], reply: Reply, why: str
) -> None:
    (made.path / "caps.jsonl").write_text("of an earlier day")
    endpoint.script = lambda body, seen: reply
    assert caption(endpoint, "--mm-retries=0") == 1
    said = capsys.readouterr()
    assert "no caption of a.png, b.png, c d.png: " in said.err
    assert why in said.err
    assert "nothing was written" in said.out
    assert (made.path / "caps.jsonl").read_text() == "of an earlier day"


def test_an_image_that_cannot_be_sent_costs_itself_alone(
    made: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    (made.benchmark / "b.png").unlink()
    assert caption(endpoint) == 1
    assert "no caption of b.png: data_error: image 'b.png' is missing" in capsys.readouterr().err
    assert [sample for sample, _, _ in written(made.path)] == ["s0", "s2", "s2"]


def test_limits_parameters_and_selection_are_pytest_s(made: Project, endpoint: Endpoint) -> None:
    given = ("--mm-concurrency=1", "--mm-param=max_tokens=7", "--prompt=What is it?")
    assert caption(endpoint, *given, "--mm-sample=s1", "--mm-sample=s0") == 0
    assert endpoint.peak == {"m": 1}
    assert [body["max_tokens"] for body in endpoint.requests] == [7, 7]
    assert turns(endpoint.requests[0])[0][1][1] == "What is it?"
    assert written(made.path) == ALL[:2]
    (made.path / "set.json").write_text('["s2"]')
    assert caption(endpoint, "--mm-subset=set.json") == 0
    assert written(made.path) == ALL[2:]


def test_a_429_is_tried_again(made: Project, endpoint: Endpoint) -> None:
    endpoint.script = lambda body, seen: (
        describe(body, seen) if seen else Reply.error(429, "slow", retry_after="0")
    )
    assert caption(endpoint) == 0
    assert written(made.path) == ALL


def test_a_preset_s_words_for_questions_are_left_out(made: Project, endpoint: Endpoint) -> None:
    write_benchmark(made.path / "i", [sample(0, images=["a.png"])], name="infimm-eval")
    write_picture(made.path / "i" / "a.png", 4, 4, 1)
    assert caption(endpoint, "--mm-model=gpt-4v", benchmark="infimm-eval=i") == 0
    (body,) = endpoint.requests
    assert body.keys() == {"model", "messages"}
    assert [text for _, (_, text) in turns(body)] == [QUESTION]


def test_a_function_can_describe(made: Project, endpoint: Endpoint) -> None:
    assert caption(endpoint, "--mm-model=python:models_of_mine:wrong") == 0
    assert {text for _, _, text in written(made.path)} == {"no idea of it"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["caption", "mini", "--mm-model=fixture", "--mm-output=c"], "a fixture belongs to a test"),
        (["caption", "mnii", "--mm-model=tiny", "--mm-output=c"], "neither a benchmark's name nor"),
        (["caption", "mini", "--mm-model=tinny", "--mm-output=c"], "unknown name 'tinny'"),
        (["caption", "mini", "--mm-model=tiny", "--mm-output=."], "no file can be written there"),
        (["caption", "mini", "--mm-model=tiny", "--mm-output=gone/c"], "--mm-output gone/c: no"),
        (
            ["caption", "mini", "--mm-model=tiny", "--mm-output=c", "--mm-concurrency=0"],
            "--mm-concurrency is 0; at least 1 is needed",
        ),
        (["caption", "bare", "--mm-model=tiny", "--mm-output=c"], "samples of bare have no images"),
        (
            ["caption", "made", "--mm-model=vicuna-7b", "--mm-base-url=http://x", "--mm-output=c"],
            "Vicuna-7B (text only) reads no images",
        ),
    ],
)
def test_what_cannot_be_done_is_said_first(
    made: Project, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    write_benchmark(made.path / "bare", [sample(0)], name="bare")
    assert main(arguments) == 4
    said = capsys.readouterr()
    assert said.err.startswith("ERROR: ") and message in said.err
    assert not (made.path / "c").exists()
