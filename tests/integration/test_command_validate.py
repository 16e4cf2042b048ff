"""``python -m pytest_mmreason validate``: tables, findings, exit status, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from tests.support.benchmarks import MINI_SAMPLES, sample, write_benchmark
from tests.support.official import write_infimm, write_vet


def validate(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["validate", *arguments])
    return status, capsys.readouterr().out


def validated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out = validate(capsys, "--json", *arguments)
    content: dict[str, Any] = json.loads(out)
    assert content["exit"] == status and content["schema"] == 1 and out.isascii()
    return content


def test_bundled_benchmark_is_shown_and_without_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = validate(capsys, "mini")
    lines = out.splitlines()
    assert status == 0 and lines[-1] == " PASS  0 faults · 0 remarks"
    found = validated(capsys, "mini")["surveys"][0]["counts"]
    number, moderate, high = found["samples"], *found["complexities"].values()
    deductive = [found["cells"][f"deductive/{name}"] for name in ("moderate", "high")]
    steps = sum(samples for steps, samples in found["steps"].items() if int(steps) >= 3)
    shown = " ".join(out.split())
    assert number == MINI_SAMPLES
    assert f" deductive {deductive[0]} {deductive[1]} {sum(deductive)} " in shown
    assert f" together {moderate} {high} {number} {moderate + 2 * high} " in shown
    assert f" three or more ({steps} of {number}) " in shown
    assert f" images each 1 ({found['images_per_sample']['1']}) · 2 " in shown
    assert f" counter-intuitive {found['counter_intuitive']} (" in shown
    assert max(map(len, lines)) <= 80 and "\x1b" not in out


def test_every_spec_of_the_option_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_benchmark(tmp_path / "own", map(sample, range(4)))
    write_vet(tmp_path / "vet")
    write_infimm(tmp_path / "infimm")
    (tmp_path / "t.tsv").write_text("index\tquestion\tanswer\n1\tq?\ta\n", encoding="utf-8")
    specs = ["mini", "own", "mine=own", "mm-vet=vet", f"infimm-eval={tmp_path}/infimm", "t.tsv"]
    found = validated(capsys, *specs)["surveys"]
    assert [(s["benchmark"], s["name"], s["file"]) for s in found] == [
        ("mini", "mini", "samples.jsonl"),
        ("own", "made", "samples.jsonl"),
        ("mine=own", "mine", "samples.jsonl"),
        ("mm-vet=vet", "mm-vet", "mm-vet.json"),
        (specs[4], "infimm-eval", "core-mm-wo-answer.json"),
        ("t.tsv", "t", "t.tsv"),
    ]
    assert [s["counts"]["samples"] for s in found] == [MINI_SAMPLES, 4, 4, 3, 3, 1]


def test_faults_exit_with_1_and_remarks_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [sample(0, answer=None), sample(1, images=["gone.png"]), sample(2)]
    folder = str(write_benchmark(tmp_path, rows))
    content = validated(capsys, folder)
    assert (content["faults"], content["remarks"], content["exit"]) == (1, 3, 1)
    (fault,) = content["surveys"][0]["faults"]
    assert (fault["samples"], fault["file"]) == (["s1"], "gone.png")
    status, out = validate(capsys, folder)
    assert status == 1 and out.splitlines()[-1] == " FAIL  1 fault · 3 remarks"
    assert "image: s1: image 'gone.png' is missing below" in " ".join(out.split())
    assert validated(capsys, "--no-images", folder)["exit"] == 0


def test_unreadable_benchmark_lists_its_faults_beside_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_benchmark(tmp_path, [{"id": "a"}, {"id": "a", "question": "q", "x": 1}])
    content = validated(capsys, str(folder), "mini")
    broken, mini = content["surveys"]
    assert content["exit"] == 1 and mini["faults"] == []
    assert {fault["check"] for fault in broken["faults"]} == {"unreadable"}
    assert [fault["text"] for fault in broken["faults"]][:2] == [
        'samples.jsonl:1: id "a": field question: missing',
        'samples.jsonl:2: id "a": field x: unknown. Known: answer, capabilities, category, '
        "complexity, counter_intuitive, id, images, question, steps, tags.",
    ]
    _, out = validate(capsys, str(folder))
    assert "unreadable:" in out and 'samples.jsonl:1: id "a": field question: missing' in " ".join(
        out.split()
    )


def test_unknown_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "minni"]) == 4
    assert "Did you mean 'mini'?" in capsys.readouterr().err


def test_corrections_may_be_switched_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"Image path": ["a.png"], "Question": "q?", "Category": "Abductive"}
    folder = write_infimm(tmp_path, {"185": {**row, "Complexity": "Moderate"}})
    for given, complexity in (("on", "high"), ("off", "moderate")):
        content = validated(capsys, f"--mm-corrections={given}", f"infimm-eval={folder}")
        assert content["surveys"][0]["counts"]["complexities"] == {complexity: 1}


def test_long_lists_are_cut_unless_all_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [sample(n, images=[f"{n}.png"], answer=None) for n in range(9)]
    folder = str(write_benchmark(tmp_path, rows))
    _, out = validate(capsys, folder)
    text = " ".join(out.split())
    assert "image: … and 4 more (--all lists them)" in text and "'8.png'" not in text
    assert "s4, … (9 in all): no reference answer" in text
    _, out = validate(capsys, "--all", folder)
    text = " ".join(out.split())
    assert "'8.png'" in text and "s7, s8: no reference answer" in text and "more" not in text


def test_what_a_benchmark_says_is_inert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [sample(0, question="\x1b[31mred house?", answer="red house", category="\x1b[2Jx")]
    folder = str(write_benchmark(tmp_path, rows))
    _, out = validate(capsys, folder)
    assert "\x1b" not in out and "\\x1b[2Jx" in out


def test_command_opens_no_network_and_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from pytest_mmreason.__main__ import main\n"
        "loaded = {'PIL', 'rich', 'huggingface_hub', 'pyarrow'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "main(['validate', 'mini'])\n"
        "assert not {'huggingface_hub', 'pyarrow', 'aiohttp'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
