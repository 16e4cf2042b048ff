"""``--mm-benchmark`` with official files and tables: the same run serially and with workers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import read_records, read_summary, without_times, write_answers
from tests.support.endpoint import Endpoint
from tests.support.official import (
    infimm_entry,
    picture,
    vet_entry,
    write_infimm,
    write_vet,
    write_vet_v2,
)
from tests.support.project import MODELS
from tests.support.runs import endpoint_options, flat, run


def write_table(path: Path) -> Path:
    image = base64.b64encode(picture()).decode()
    path.parent.mkdir()
    rows = ["index\timage\tquestion\tanswer\tcategory", f"1\t{image}\tWhat is red?\tall\trec"]
    rows += [
        "2\t1\tAnd what now?\tall of it\trec,know",
        f"3\t['{image}', '{image}']\tBoth?\tyes\tspat",
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def write_referenced(folder: Path) -> Path:
    write_infimm(folder)
    reference = {"id": "9", "answer": "the cat", "steps": ["look", "think"]}
    (folder / "references.jsonl").write_text(json.dumps(reference) + "\n", encoding="utf-8")
    return folder


KINDS: dict[str, tuple[Callable[[Path], Path], str, dict[str, str], dict[str, str]]] = {
    "mm-vet": (
        write_vet,
        "mm-vet=data/mm-vet",
        {"v1_2": "red and blue", "v1_0": "a banner", "v1_9": "8"},
        {"v1_2": "scored", "v1_0": "scored", "v1_9": "scored"},
    ),
    "mm-vet-v2": (
        write_vet_v2,
        "mm-vet-v2=data/mm-vet-v2",
        {"v2_0": "a triangle"},
        {"v2_0": "scored", "v2_1": "missing"},
    ),
    "infimm-eval": (
        write_referenced,
        "infimm-eval=data/infimm-eval",
        {"3": "a dog", "9": "the cat", "12": "one"},
        {"3": "unjudged", "9": "scored", "12": "unjudged"},
    ),
    "table": (
        lambda folder: write_table(folder / "table.tsv"),
        "data/table/table.tsv",
        {"1": "all", "2": "none", "3": "yes"},
        {"1": "scored", "2": "scored", "3": "scored"},
    ),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_kind_runs_the_same_serially_and_with_workers(
    pytester: pytest.Pytester, kind: str
) -> None:
    write, spec, answers, statuses = KINDS[kind]
    (pytester.path / "data").mkdir()
    write(pytester.path / "data" / kind)
    write_answers(pytester.path / "answers.json", answers)
    runs: list[tuple[Any, Any, int]] = []
    for way, arguments in (("serial", ()), ("workers", ("-n2",))):
        result = run(
            pytester,
            "--mm-model=replay:answers.json",
            f"--mm-benchmark={spec}",
            f"--mm-output={way}",
            "--mm-max-errors=1",
            *arguments,
        )
        records = without_times(read_records(pytester.path / way))
        (summary,) = read_summary(pytester.path / way)["runs"]
        runs.append((records, summary["rows"], int(result.ret)))
        assert {r["sample"]: r["status"] for r in records} == statuses
        assert summary["benchmark"] == kind
    assert runs[0] == runs[1]
    assert runs[0][2] == 0


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_images_of_a_table_reach_the_model(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        models_of_mine="def sizes(prompt, images):\n    return f'{len(images)} of {images[0].size}'\n"
    )
    write_table(pytester.path / "data" / "table.tsv")
    result = run(
        pytester,
        "--mm-model=python:models_of_mine:sizes",
        "--mm-benchmark=data/table.tsv",
        "--mm-output=out",
        *workers,
    )
    assert result.ret == 0
    records = read_records(pytester.path / "out")
    assert [r["response"] for r in records] == ["1 of (8, 8)", "1 of (8, 8)", "2 of (8, 8)"]


def test_images_of_v2_are_sent_among_the_words_in_their_places(
    pytester: pytest.Pytester, endpoint: Endpoint
) -> None:
    folder = write_vet_v2(pytester.path / "v2")
    colours = {"a": "red", "b": "green", "c": "blue"}
    for name, colour in colours.items():
        (folder / "images" / f"{name}.png").write_bytes(picture(colour))
    options = endpoint_options(endpoint, judge=None)
    run(pytester, *options, "--mm-benchmark=mm-vet-v2=v2", "--mm-sample=v2_0")
    (request,) = endpoint.requests
    urls = {
        "data:image/png;base64," + base64.b64encode(picture(colour)).decode(): name
        for name, colour in colours.items()
    }
    parts = request["messages"][-1]["content"]
    sent = [p["text"] if p["type"] == "text" else urls[p["image_url"]["url"]] for p in parts]
    assert sent == ["First", "b", "then", "a", "c", "what comes next?"]


def test_missing_images_are_data_errors_and_the_others_are_scored(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(models_of_mine=MODELS.replace('"answer" + number(prompt)', '"7"'))
    write_vet(pytester.path / "vet")
    (pytester.path / "vet" / "images" / "flag.png").unlink()
    result = run(
        pytester,
        "--mm-model=python:models_of_mine:right",
        "--mm-benchmark=mm-vet=vet",
        "--mm-output=out",
    )
    assert result.ret == 1
    records = read_records(pytester.path / "out")
    assert [r["status"] for r in records] == ["data_error", "data_error", "scored"]
    assert "mm-vet: 1 of 2 images are missing below" in flat(result)


def test_capabilities_and_subset_choose_among_official_samples(pytester: pytest.Pytester) -> None:
    rows = {f"v1_{n}": vet_entry(capability=["rec", "ocr"][: n % 2 + 1]) for n in range(6)}
    write_vet(pytester.path / "vet", rows)
    write_answers(pytester.path / "answers.json", dict.fromkeys(rows, "a flag"))
    (pytester.path / "bard_set.json").write_text('["v1_3", "v1_0"]', encoding="utf-8")
    common = ["--mm-model=replay:answers.json", "--mm-benchmark=mm-vet=vet", "--strict-markers"]
    run(pytester, *common, "-mocr").assert_outcomes(passed=3, deselected=3)
    run(pytester, *common, "--mm-subset=bard_set.json").assert_outcomes(passed=2)


@pytest.mark.parametrize("workers", [(), ("-n2",)])
@pytest.mark.parametrize("how", ["flag", "ini"])
def test_corrections_are_printed_and_switched_off(
    pytester: pytest.Pytester, workers: tuple[str, ...], how: str
) -> None:
    write_infimm(pytester.path / "infimm", {"185": infimm_entry(), "3": infimm_entry()})
    write_answers(pytester.path / "answers.json", {"185": "a", "3": "b"})
    common = ["--mm-model=replay:answers.json", "--mm-benchmark=infimm-eval=infimm", "-v", *workers]
    result = run(pytester, *common)
    assert "infimm-eval: sample 185: complexity high, not moderate" in flat(result)
    run(pytester, *common, "-mhigh").assert_outcomes(
        passed=1, **({} if workers else {"deselected": 1})
    )
    off = [] if how == "ini" else ["--mm-corrections=off"]
    if how == "ini":
        pytester.makeini("[pytest]\nmm_corrections = off\n")
    result = run(pytester, *common, *off)
    assert "sample 185" not in flat(result)
    assert run(pytester, *common, *off, "-mhigh").ret == 5


def test_faults_of_official_files_are_all_told_and_exit_with_4(pytester: pytest.Pytester) -> None:
    rows = {"a": vet_entry(question=""), "b": vet_entry(answer=None)}
    write_vet(pytester.path / "vet", rows)
    result = run(pytester, "--mm-model=replay:none.json", "--mm-benchmark=mm-vet=vet")
    assert result.ret == 4
    text = result.stderr.str() + result.stdout.str()
    assert "mm-vet.json:2: id 'a': field question: is empty" in text
    assert "mm-vet.json:11: id 'b': field answer: is null, not a string" in text


def test_official_names_are_listed_and_say_where_the_data_are(pytester: pytest.Pytester) -> None:
    listed = run(pytester, "--mm-list=benchmarks").stdout.str()
    for name in ("mini ", "infimm-eval=DIR ", "mm-vet=DIR ", "mm-vet-v2=DIR ", "FILE.tsv "):
        assert f"\n{name}" in f"\n{listed}"
    result = run(pytester, "--mm-model=replay:mini", "--mm-benchmark=mm-vet")
    assert result.ret == 4
    text = result.stderr.str() + result.stdout.str()
    assert "write mm-vet=DIR; DIR is the folder with mm-vet.json, from https://" in text


@pytest.mark.parametrize("value", ["false", '"off"'])
def test_corrections_may_be_a_boolean_of_native_toml(pytester: pytest.Pytester, value: str) -> None:
    write_infimm(pytester.path / "infimm", {"185": infimm_entry()})
    write_answers(pytester.path / "answers.json", {"185": "a"})
    text = f"[pytest]\nmm_corrections = {value}\n"
    (pytester.path / "pytest.toml").write_text(text, encoding="utf-8")
    result = run(pytester, "--mm-model=replay:answers.json", "--mm-benchmark=infimm-eval=infimm")
    assert result.ret == 0
    assert "sample 185" not in flat(result)
