"""What ``validate`` says of the real files of MM-Vet and InfiMM-Eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main


def validated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    main(["validate", "--json", "--no-images", *arguments])
    survey: dict[str, Any] = json.loads(capsys.readouterr().out)["surveys"][0]
    return survey


def checks(survey: dict[str, Any]) -> dict[str, list[list[str]]]:
    """check -> the samples of each of its findings, most first."""
    found: dict[str, list[list[str]]] = {}
    for finding in [*survey["faults"], *survey["remarks"]]:
        found.setdefault(finding["check"], []).append(finding["samples"])
    return {check: sorted(ids, key=len, reverse=True) for check, ids in found.items()}


def test_counts_of_mm_vet(realdata: Path, capsys: pytest.CaptureFixture[str]) -> None:
    survey = validated(capsys, f"mm-vet={realdata / 'mmvet'}")
    counts = survey["counts"]
    assert counts["samples"] == counts["weight"] == counts["referenced"] == 218
    assert counts["capabilities"] == {
        "rec": 150,
        "ocr": 96,
        "know": 84,
        "gen": 80,
        "spat": 75,
        "math": 26,
    }
    assert len(counts["integrations"]) == 16 and sum(counts["integrations"].values()) == 218
    assert next(iter(counts["integrations"].items())) == ("gen+know+rec", 62)
    assert (counts["images"], counts["shared_images"]) == (200, 18)
    assert counts["multi_line_answers"] == 36
    assert (counts["and_answers"], counts["or_answers"]) == (11, 26)
    assert (survey["version"], survey["license"]) == ("current", "CC BY-NC 4.0")
    assert survey["faults"] == []
    # Ten samples ask the same of ten pictures.
    found = checks(survey)
    assert list(found) == ["like questions"] and len(found["like questions"]) == 14
    assert found["like questions"][0] == [f"v1_{n}" for n in range(168, 178)]


def test_counts_of_infimm_eval(realdata: Path, capsys: pytest.CaptureFixture[str]) -> None:
    survey = validated(capsys, f"infimm-eval={realdata / 'infimm'}")
    counts = survey["counts"]
    assert counts["samples"] == 279
    assert counts["categories"] == {"deductive": 181, "abductive": 49, "analogical": 49}
    assert counts["complexities"] == {"moderate": 171, "high": 108}
    assert counts["cells"] == {
        "deductive/moderate": 113,
        "deductive/high": 68,
        "abductive/moderate": 32,
        "abductive/high": 17,
        "analogical/moderate": 26,
        "analogical/high": 23,
    }
    assert counts["weights"] == {"deductive": 249, "abductive": 66, "analogical": 72}
    assert (counts["weight"], counts["multi_image"], counts["counter_intuitive"]) == (387, 47, 23)
    assert (counts["images"], counts["referenced"], counts["unreferenced"]) == (342, 10, 269)
    assert counts["steps"] == {"1": 1, "3": 6, "4": 2, "5": 1}
    assert survey["faults"] == []
    found = checks(survey)
    assert [len(ids) for ids in found["unreferenced"]] == [269]
    assert found["few steps"] == [["169"]]
    assert found["like questions"] == [["172", "178", "184"], ["302", "303"]]


def test_without_the_correction_the_file_is_as_published(
    realdata: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = validated(capsys, "--mm-corrections=off", f"infimm-eval={realdata / 'infimm'}")
    assert survey["counts"]["complexities"] == {"moderate": 172, "high": 107}
    assert survey["version"] == "published"


def test_images_that_are_here_can_all_be_sent(
    realdata: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["validate", "--json", f"mm-vet={realdata / 'mmvet'}"])
    (survey,) = json.loads(capsys.readouterr().out)["surveys"]
    assert status == 1 and len(survey["faults"]) == 156
    assert all("is missing below" in fault["text"] for fault in survey["faults"])
