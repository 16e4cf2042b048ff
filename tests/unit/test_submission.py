"""The name under which InfiMM-Eval's authors take predictions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mmreason.reports import submission


def made(
    model: str,
    asked: str = "",
    benchmark: str = "infimm-eval",
    unjudged: int = 3,
    prompt: str = "direct",
    answered: int = 3,
) -> Any:
    spec = SimpleNamespace(
        model=model,
        asked=asked or model,
        benchmark=SimpleNamespace(name=benchmark, samples=range(3)),
        prompt=prompt,
    )
    records = [
        SimpleNamespace(sample=n, finish_reason="stop" if n < answered else None) for n in range(3)
    ]
    return SimpleNamespace(spec=spec, counts={"unjudged": unjudged}, records=records)


@pytest.mark.parametrize(
    ("model", "asked", "name"),
    [
        ("hf:llava-hf/llava-1.5-7b-hf", "", "llava-1.5-7b-hf_7B.json"),
        ("replay:runs/CogVLM-Chat_17B.json", "", "CogVLM-Chat_17B.json"),
        ("openai:qwen2.5-vl-2.5B", "", "qwen2.5-vl-2.5B_2.5B.json"),
        ("llava", "hf:llava-hf/llava-1.5-13b-hf", "llava_13B.json"),
        ("openai:gpt-4o", "", "gpt-4o_SIZE.json"),
        ("openai:model-4bit-a7bc", "", "model-4bit-a7bc_SIZE.json"),
        ("openai:a/..", "", ".._SIZE.json"),
    ],
)
def test_the_size_is_taken_from_the_spec(model: str, asked: str, name: str) -> None:
    assert submission.name_of(made(model, asked)) == name


def test_a_note_where_the_authors_can_grade_what_nobody_else_can() -> None:
    (told,) = submission.notes([made("openai:CogVLM")])
    assert "CogVLM_SIZE.json, SIZE being the model's" in told
    assert submission.notes([made("m", unjudged=0), made("m", benchmark="mine")]) == ["", ""]


def test_an_incomplete_file_is_named_and_noted_as_such() -> None:
    run = made("openai:CogVLM-17B", answered=2)
    assert submission.name_of(run) == "CogVLM-17B_2of3_17B.json"
    (told,) = submission.notes([run])
    assert told.startswith("CogVLM-17B_2of3_17B.json is incomplete, with answers to 2 of 3 samples")
    both = [made("openai:m", prompt=prompt, answered=1) for prompt in ("direct", "cot")]
    assert submission.names(both) == ["m-direct_1of3_SIZE.json", "m-cot_1of3_SIZE.json"]


def test_each_prompt_has_a_file_and_each_note_names_its_own() -> None:
    runs = [made("openai:m", prompt="direct"), made("openai:m", prompt="cot")]
    assert submission.names(runs) == ["m-direct_SIZE.json", "m-cot_SIZE.json"]
    for name, told in zip(submission.names(runs), submission.notes(runs), strict=True):
        assert f"sent to them as {name}" in told


def test_models_of_one_name_have_different_files() -> None:
    runs = [made("openai:a/m"), made("openai:b/M"), made("openai:n-7B")]
    assert submission.names(runs) == ["m_SIZE.json", "2-M_SIZE.json", "n-7B_7B.json"]
