"""In what two runs differ, so that their scores do not compare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mmreason.differences import WORDS, Facts, differences, differing_samples, refusal
from pytest_mmreason.record import SCORED, Record

FACTS = Facts(
    "made", "m", "direct", "openai:j", "abc",
    {"images": "separate", "captions": None, "icl": 0, "icl_seed": None, "follow_up": "none"},
    {"package": "1", "protocol": "infimm-eval", "prompt": "own", "prompt_sha256": "p", "params": {}},
    ["j-1"],
)  # fmt: skip


def words(before: Facts, after: Facts) -> list[str]:
    return [one.what for one in differences(before, after)]


def test_equal_runs_of_other_models_do_not_differ() -> None:
    assert words(FACTS, replace(FACTS, model="other")) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"fingerprint": "def"}, ["data"]),
        ({"judge": "local"}, ["judge"]),
        ({"judge": "local", "judging": {"version": 3}}, ["judge"]),
        ({"judging": {**FACTS.judging, "params": {"seed": 1}}}, ["judge"]),
        ({"judging": {**FACTS.judging, "prompt_sha256": "q"}}, ["judge-prompt"]),
        ({"judge_models": ["j-2"]}, ["judge"]),
        ({"prompt": "cot"}, ["prompt"]),
        ({"asked": {**FACTS.asked, "follow_up": "steps"}}, ["prompt"]),
        ({"asked": {**FACTS.asked, "images": "none"}}, ["images"]),
        ({"asked": {**FACTS.asked, "subset": {"name": "x"}}}, []),
        # What is only called otherwise, and what is not known.
        ({"judging": {**FACTS.judging, "package": "2", "prompt": "mine.py"}}, []),
        ({"judging": {}, "judge_models": [], "asked": {}, "fingerprint": ""}, []),
    ],
)
def test_each_difference_has_its_word(changed: dict, expected: list[str]) -> None:
    assert words(FACTS, replace(FACTS, **changed)) == expected
    assert words(replace(FACTS, **changed), FACTS) == expected
    assert set(expected) <= set(WORDS)


def record(**fields: object) -> Record:
    values = {
        "benchmark": "made", "sample": "s0", "model": "m", "judge": "j", "prompt": "direct",
        "repeat": 0, "status": SCORED, "score": 1.0, "prompt_sha256": "p",
        "images": ({"path": "a.png", "sha256": "i"},), "category": "deductive",
    }  # fmt: skip
    return Record(**{**values, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"prompt_sha256": "q"}, ["prompt"]),
        ({"images": ({"path": "a.png", "sha256": "k"},)}, ["data"]),
        ({"images": ({"path": "a.png", "sha256": None},)}, []),
        ({"weight": 2.0}, ["data"]),
        ({"category": "abductive", "prompt_sha256": "q"}, ["data"]),
        ({"prompt_sha256": None}, []),
        ({"sample": "other", "weight": 2.0}, []),
    ],
)
def test_records_tell_what_the_settings_do_not(fields: dict, expected: list[str]) -> None:
    found = differing_samples([record()], [record(**fields)], [])
    assert [one.what for one in found] == expected


def test_what_is_explained_already_is_not_told_twice() -> None:
    known = differences(FACTS, replace(FACTS, prompt="cot"))
    assert differing_samples([record()], [record(prompt_sha256="q")], known) == []


def test_a_refusal_names_everything_that_is_not_allowed() -> None:
    found = differences(FACTS, replace(FACTS, prompt="cot", fingerprint="def"))
    text = refusal(found, ["prompt"])
    assert "fingerprint abc before, def now" in text and "cot" not in text
    assert "--mm-allow-different=data compares" in text
    assert "--mm-allow-different=data,prompt compares" in refusal(found, [])
    assert refusal(found, ["data", "prompt"]) == ""
