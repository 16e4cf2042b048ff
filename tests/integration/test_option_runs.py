"""--mm-prompt, --mm-model, --mm-repeats, --mm-images and --mm-param: what is asked, how often."""

from __future__ import annotations

import pytest

from tests.support.benchmarks import read_summary, sample
from tests.support.endpoint import Endpoint, image_urls, question_of
from tests.support.project import Project
from tests.support.runs import answers, by_model, flat, verdict

COT = "Let's think step by step."


def ids_of(project: Project, *args: str) -> list[str]:
    return [i.split("[")[1].rstrip("]") for i in project.ids(project.model, project.made, *args)]


def test_direct_asks_the_question_as_it_stands_and_cot_appends_the_sentence(
    project: Project,
) -> None:
    project.run("--mm-limit=1", "--mm-prompt=direct", "--mm-prompt=cot")
    direct, cot = sorted(prompt for _, _, prompt in project.calls())
    assert direct.startswith("What is number") and COT not in direct
    assert cot == f"{direct}\n{COT}"


def test_two_prompts_are_two_runs(project: Project) -> None:
    args = ["--mm-prompt=direct", "--mm-prompt=cot", "--mm-output=out"]
    assert ids_of(project, *args) == [f"{p}-s{n}" for p in ("direct", "cot") for n in range(6)]
    result = project.run(*args)
    assert result.ret == 0
    result.assert_outcomes(passed=12)
    runs = read_summary(project.path / "out")["runs"]
    assert [(run["prompt"], run["counts"]["scored"]) for run in runs] == [("direct", 6), ("cot", 6)]
    result.stdout.fnmatch_lines(["=* mmreason: side by side =*"])


def test_two_models_are_compared_side_by_side_and_the_best_is_marked(project: Project) -> None:
    wrong = "--mm-model=python:models_of_mine:wrong"
    result = project.run(wrong, "--mm-output=out")
    assert result.ret == 0
    result.assert_outcomes(passed=12)
    runs = read_summary(project.path / "out")["runs"]
    assert [run["rows"]["overall"]["score"] for run in runs] == [100.0, 0.0]
    result.stdout.fnmatch_lines(
        [
            "=* mmreason: python:models_of_mine:right on made =*",
            "=* mmreason: python:models_of_mine:wrong on made =*",
            "=* mmreason: side by side =*",
            "*★ python:models_of_mine:right *100.0*",
            "*python:models_of_mine:wrong *0.0*",
        ]
    )
    names = {path.name for path in (project.path / "out").glob("predictions*")}
    assert names == {
        "predictions-made-python-models_of_mine-right.json",
        "predictions-made-python-models_of_mine-wrong.json",
    }


def test_two_models_have_the_same_tables_under_workers(project: Project) -> None:
    wrong = "--mm-model=python:models_of_mine:wrong"
    project.run(wrong, "--mm-cache=off", "--mm-output=serial")
    project.run(wrong, "--mm-cache=off", "--mm-output=workers", "-n2")
    assert project.records("serial") == project.records("workers")
    assert read_summary(project.path / "serial") == read_summary(project.path / "workers")


def test_two_benchmarks_in_one_session(project: Project) -> None:
    project.write_samples([sample(n) for n in range(3)], "second", name="second")
    args = ["--mm-benchmark=second", "--mm-output=out"]
    ids = ids_of(project, *args)
    assert ids == [*(f"made-s{n}" for n in range(6)), *(f"second-s{n}" for n in range(3))]
    result = project.run(*args, "--mm-threshold=second:overall=50")
    assert result.ret == 0
    runs = read_summary(project.path / "out")["runs"]
    assert [(run["benchmark"], run["counts"]["scored"]) for run in runs] == [
        ("made", 6),
        ("second", 3),
    ]
    assert [len(run["gates"]) for run in runs] == [0, 1]


def test_repeats_ask_the_model_anew_and_count_samples_once(project: Project) -> None:
    args = ["--mm-repeats=3", "--mm-limit=2", "--mm-output=out"]
    first, second = (i.removesuffix("-r0") for i in ids_of(project, *args)[::3])
    assert ids_of(project, *args) == [f"{s}-r{n}" for s in (first, second) for n in range(3)]
    result = project.run(*args)
    result.assert_outcomes(passed=6)
    assert len(project.calls()) == 6
    (run,) = read_summary(project.path / "out")["runs"]
    assert run["counts"]["collected"] == 6
    assert (run["rows"]["overall"]["n"], run["rows"]["overall"]["scored"]) == (2, 2)
    # What was asked once is not asked again, each repeat for itself.
    project.run(*args)
    assert len(project.calls()) == 6


@pytest.fixture
def absent_images(project: Project) -> Project:
    """Samples whose images are not there, so that whoever opens one finds out."""
    project.write_samples([sample(n, images=["a.png", "b.png"]) for n in range(3)])
    return project


def test_images_none_opens_no_image_and_sends_none(absent_images: Project) -> None:
    result = absent_images.run("--mm-images=none")
    assert result.ret == 0
    result.assert_outcomes(passed=3)
    assert [images for _, images, _ in absent_images.calls()] == [0, 0, 0]


def test_images_separate_needs_every_image(absent_images: Project) -> None:
    result = absent_images.run("--mm-output=out")
    assert result.ret == 1
    assert {r["status"] for r in absent_images.records()} == {"data_error"}
    assert absent_images.calls() == []


def test_images_separate_sends_each(project: Project) -> None:
    from PIL import Image

    project.write_samples([sample(0, images=["a.png", "b.png"])])
    for name, colour in (("a.png", "red"), ("b.png", "blue")):
        Image.new("RGB", (8, 6), colour).save(project.benchmark / name)
    assert project.run().ret == 0
    assert [images for _, images, _ in project.calls()] == [2]


def test_images_none_sends_a_text_alone_to_an_endpoint(
    absent_images: Project, endpoint: Endpoint
) -> None:
    endpoint.script = answers
    args = ["--mm-model=openai:m", f"--mm-base-url={endpoint.url}", absent_images.made]
    assert absent_images.run_plain(*args, "--mm-images=none").ret == 0
    assert [image_urls(body) for body in endpoint.requests] == [[], [], []]


def test_parameters_reach_the_endpoint_in_their_types(project: Project, endpoint: Endpoint) -> None:
    endpoint.script = by_model(m=answers, j=lambda body, seen: verdict(1.0))
    result = project.run_plain(
        "--mm-model=openai:m",
        "--mm-judge=openai:j",
        f"--mm-base-url={endpoint.url}",
        f"--mm-judge-base-url={endpoint.url}",
        project.made,
        "--mm-limit=1",
        "--mm-param=temperature=0.25",
        "--mm-param=max_tokens=77",
        '--mm-param=stop=["END"]',
        "--mm-judge-param=seed=5",
    )
    assert result.ret == 0
    (asked,) = endpoint.calls("m")
    assert (asked["temperature"], asked["max_tokens"], asked["stop"]) == (0.25, 77, ["END"])
    assert "seed" not in asked
    (judged,) = endpoint.calls("j")
    assert judged["seed"] == 5
    assert judged.get("temperature") != 0.25
    assert "number" in question_of(asked)


def test_judge_never_follows_the_models_endpoint(project: Project, endpoint: Endpoint) -> None:
    endpoint.script = answers
    result = project.run_plain(
        "--mm-model=openai:m", f"--mm-base-url={endpoint.url}", project.made, "--mm-judge=openai:j"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*openai:j needs an API key*--mm-judge-base-url*"])
    assert endpoint.requests == []


def test_options_of_local_checkpoints_are_said_to_be_idle_with_other_models(
    project: Project,
) -> None:
    result = project.run("--mm-device=cpu", "--mm-dtype=bfloat16")
    assert result.ret == 0
    told = "--mm-device and --mm-dtype: of no use here, no model of this run is an hf: checkpoint"
    assert told in flat(result)
    assert "of no use here" not in flat(project.run("--mm-device=auto"))
