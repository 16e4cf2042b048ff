"""Prompts: what a model is shown of a sample, and when it is asked again."""

from __future__ import annotations

import pytest

from pytest_mmreason.prompting import (
    COT_SENTENCE,
    FOLLOW_UP_QUESTION,
    Prompt,
    Turn,
    follow_up,
    is_definitive,
    render,
)
from pytest_mmreason.sample import ImageRef, Sample

IMAGES = (ImageRef("b.png", "/x"), ImageRef("a.png", "/x"))
SAMPLE = Sample("s", "Which one?", images=IMAGES, answer="the left", steps=("look",))


def test_direct_asks_the_question_after_its_images_and_nothing_else() -> None:
    prompt = render(SAMPLE)
    assert prompt == Prompt((Turn("user", (*IMAGES, "Which one?")),))
    assert (prompt.text, prompt.images) == ("Which one?", IMAGES)


def test_cot_appends_the_zero_shot_sentence() -> None:
    assert COT_SENTENCE == "Let's think step by step."
    assert render(SAMPLE, "cot").text == f"Which one?\n{COT_SENTENCE}"
    assert render(SAMPLE, "cot").images == IMAGES


def test_none_shows_no_image() -> None:
    prompt = render(SAMPLE, images="none")
    assert (prompt.text, prompt.images) == ("Which one?", ())


@pytest.mark.parametrize("strategy", ["direct", "cot"])
def test_no_prompt_tells_the_reference(strategy: str) -> None:
    assert "left" not in render(SAMPLE, strategy).text
    assert "look" not in render(SAMPLE, strategy).text


def test_follow_up_keeps_the_conversation() -> None:
    prompt = follow_up(render(SAMPLE), "not sure")
    assert [turn.role for turn in prompt.turns] == ["user", "assistant", "user"]
    assert [turn.text for turn in prompt.turns] == ["Which one?", "not sure", FOLLOW_UP_QUESTION]
    assert prompt.images == IMAGES


def test_prompts_made_by_hand_have_system_and_images_where_given() -> None:
    assert Prompt.of("q") == Prompt((Turn("user", ("q",)),))
    prompt = Prompt.of("q", system="s", images=IMAGES)
    assert prompt == Prompt((Turn("system", ("s",)), Turn("user", (*IMAGES, "q"))))
    assert prompt.text == "s\n\nq"


def test_hash_changes_with_text_role_and_image_names_and_not_with_the_folder() -> None:
    prompts = [
        render(SAMPLE),
        render(SAMPLE, "cot"),
        render(SAMPLE, images="none"),
        Prompt((Turn("user", (*reversed(IMAGES), "Which one?")),)),
        Prompt((Turn("user", ("Which one?", *IMAGES)),)),
        Prompt((Turn("system", (*IMAGES, "Which one?")),)),
        Prompt((Turn("user", (ImageRef("c.png", "/x"), IMAGES[1], "Which one?")),)),
        Prompt((Turn("user", ("b.png", IMAGES[1], "Which one?")),)),
        follow_up(render(SAMPLE), "a"),
        follow_up(render(SAMPLE), "b"),
        Prompt.of("\ud800"),
    ]
    assert len({prompt.sha256 for prompt in prompts}) == len(prompts)
    moved = tuple(ImageRef(image.path, "/elsewhere") for image in IMAGES)
    assert Prompt((Turn("user", (*moved, "Which one?")),)).sha256 == render(SAMPLE).sha256


@pytest.mark.parametrize(
    "answer",
    [
        "The left one.",
        "42",
        "No.",
        "Yes, because the sky is clear.",
        "There is nothing in the box.",
        "It is not possible.",
        "猫",
        "The man can see the tower.",
        "Nobody knows him.",
    ],
)
def test_an_answer_that_commits_itself_is_definitive(answer: str) -> None:
    assert is_definitive(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n",
        "I'm not sure.",
        "I\u2019m sorry, but I can\u2019t tell.",
        "I cannot determine this.",
        "It can't be determined from the image.",
        "I am unable to answer.",
        "It is unclear which one.",
        "IT DEPENDS on the light.",
        "There is not enough information.",
        "Insufficient information.",
        "I don't know.",
        "I do not know",
        "It is hard to say.",
        "Either the left or the right.",
        "I apologize, but no.",
        "It is impossible to tell.",
    ],
)
def test_an_answer_that_hedges_or_declines_is_not(answer: str) -> None:
    assert not is_definitive(answer)
