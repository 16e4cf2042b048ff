"""Prompts: what a model is shown of a sample, and when it is asked again."""

from __future__ import annotations

import pytest

from pytest_mmreason.prompting import (
    CAPTIONED,
    COT_SENTENCE,
    FOLLOW_UP_QUESTION,
    PLAIN,
    Prompt,
    Template,
    Turn,
    follow_up,
    is_definitive,
    render,
    worked_answer,
)
from pytest_mmreason.sample import ImageRef, JoinedRef, Sample

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


LISTED = Template(
    user="Pictures:\n{images}Answer this: {question}",
    image="No. {n}: {image}\n",
    system="Be brief.",
    bare="Answer: {question}",
    bare_system="",
)


def test_a_template_puts_its_words_around_images_and_question() -> None:
    one, two = IMAGES
    prompt = render(SAMPLE, template=LISTED)
    user = ("Pictures:\nNo. 1: ", one, "\nNo. 2: ", two, "\nAnswer this: Which one?")
    assert prompt == Prompt((Turn("system", ("Be brief.",)), Turn("user", user)))
    assert prompt.images == IMAGES
    assert prompt.text == "Be brief.\n\nPictures:\nNo. 1: \nNo. 2: \nAnswer this: Which one?"


def test_a_template_without_images_has_its_bare_words() -> None:
    bare = Prompt((Turn("user", ("Answer: Which one?",)),))
    assert render(SAMPLE, images="none", template=LISTED) == bare
    assert render(Sample("s", "Which one?"), template=LISTED) == bare
    kept = Template(user="{images}{question}!", system="Be brief.")
    assert render(SAMPLE, images="none", template=kept).text == "Be brief.\n\nWhich one?!"


def test_cot_stands_after_the_whole_template() -> None:
    ending = Template(user="{images}Q: {question}\nA:")
    assert render(SAMPLE, "cot", template=ending).text == f"Q: Which one?\nA:\n{COT_SENTENCE}"
    assert render(SAMPLE, "cot", "none", LISTED).text == f"Answer: Which one?\n{COT_SENTENCE}"


def test_images_stand_before_or_after_the_question_or_in_the_system_turn() -> None:
    after = Template(user="{question}{images}")
    within = Template(user="{question}", system="See [{images}].", bare_system="")
    assert (PLAIN.place, after.place, within.place) == ("before", "after", "system")
    assert render(SAMPLE, template=after).turns == (Turn("user", ("Which one?", *IMAGES)),)
    assert render(SAMPLE, template=within).turns == (
        Turn("system", ("See [", *IMAGES, "].")),
        Turn("user", ("Which one?",)),
    )


def test_braces_of_a_question_stay_as_they_are() -> None:
    sample = Sample("s", "{question} {images} {n} {image} {0} {", images=IMAGES)
    assert render(sample).text == sample.question
    assert render(sample, template=LISTED).text.endswith(f"Answer this: {sample.question}")


@pytest.mark.parametrize(
    "fields",
    [
        {"user": "{images}"},
        {"user": "{question}"},
        {"user": "{images}{question}{question}"},
        {"user": "{images}{question}", "system": "{images}", "bare_system": ""},
        {"user": "{question}", "system": "{images}"},
        {"image": "Image {n}"},
        {"image": "{image}{image}"},
        {"bare": "nothing"},
        {"bare": "{images}{question}"},
    ],
)
def test_a_template_with_something_in_the_wrong_place_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"hold|wants"):
        Template(**fields)


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


OTHER = Sample("o", "How many?", (ImageRef("c.png", "/x"),), answer="two", steps=("one", "two"))
WOVEN = Sample(
    "w", "First <image> then <image><image>\nwhat?", (*IMAGES, *IMAGES[:1]), interleaved=True
)


def captions(sample: Sample) -> list[str]:
    return [f"a picture of {image.path}" for image in sample.images]


def test_concat_shows_the_images_of_a_sample_as_one() -> None:
    joined = JoinedRef.of(IMAGES)
    assert render(SAMPLE, images="concat") == Prompt((Turn("user", (joined, "Which one?")),))
    assert (joined.path, joined.files) == ("b.png + a.png", IMAGES)
    listed = render(SAMPLE, images="concat", template=LISTED).turns[1]
    assert listed.parts == ("Pictures:\nNo. 1: ", joined, "\nAnswer this: Which one?")
    # What is one image already is asked for as it always was.
    assert render(OTHER, images="concat").sha256 == render(OTHER).sha256
    assert render(SAMPLE, images="concat").sha256 != render(SAMPLE).sha256


def test_concat_numbers_the_places_of_an_interleaved_question() -> None:
    (turn,) = render(WOVEN, images="concat").turns
    joined, text = turn.parts
    assert isinstance(joined, JoinedRef) and joined.files == WOVEN.images
    assert text == "First [image 1] then [image 2] [image 3] what?"


def test_captions_stand_in_the_words_that_the_paper_has_for_them() -> None:
    prompt = render(SAMPLE, images="captions", captions=captions)
    assert prompt.images == ()
    assert prompt.text == (
        "Here are a list of image detailed descriptions generated by an AI model:\n"
        "Image 1: a picture of b.png\nImage 2: a picture of a.png\n"
        "Please answer the following question: Which one?"
    )
    assert render(SAMPLE, "cot", "captions", captions=captions).text.endswith(
        f"question: Which one?\n{COT_SENTENCE}"
    )
    bare = Sample("s", "Which one?")
    assert render(bare, images="captions", captions=captions).text == "Which one?"


def test_captions_stand_in_a_template_s_words_if_it_tells_images_apart() -> None:
    prompt = render(SAMPLE, images="captions", template=LISTED, captions=captions)
    assert prompt.text == (
        "Be brief.\n\nPictures:\nNo. 1: a picture of b.png\nNo. 2: a picture of a.png\n"
        "Answer this: Which one?"
    )
    asking = Template(user="{images}Q: {question}\nA:", system="Be brief.")
    assert render(SAMPLE, images="captions", template=asking, captions=captions).text == (
        "Be brief.\n\nImage 1: a picture of b.png\nImage 2: a picture of a.png\nQ: Which one?\nA:"
    )
    within = Template(user="{question}", system="See {images}.", bare_system="")
    prompt = render(SAMPLE, images="captions", template=within, captions=captions)
    assert prompt == render(SAMPLE, images="captions", captions=captions)


def test_captions_stand_at_the_marks_of_an_interleaved_question() -> None:
    (turn,) = render(WOVEN, images="captions", captions=captions).turns
    intro = CAPTIONED.user.replace("{images}", "").replace("{question}", "")
    assert turn.parts == (
        f"{intro}First\nImage 1: a picture of b.png\nthen\nImage 2: a picture of a.png\n"
        "Image 3: a picture of b.png\nwhat?",
    )


def test_examples_come_first_as_turns_asked_in_the_same_way() -> None:
    one, two = IMAGES
    prompt = render(
        SAMPLE, "cot", template=LISTED, examples=[OTHER, Sample("p", "Why?", answer="so")]
    )
    (shown,) = OTHER.images
    assert prompt.turns == (
        Turn("system", ("Be brief.",)),
        Turn("user", ("Pictures:\nNo. 1: ", shown, f"\nAnswer this: How many?\n{COT_SENTENCE}")),
        Turn("assistant", ("one\ntwo\ntwo",)),
        Turn("user", (f"Answer: Why?\n{COT_SENTENCE}",)),
        Turn("assistant", ("so",)),
        Turn(
            "user",
            (
                "Pictures:\nNo. 1: ",
                one,
                "\nNo. 2: ",
                two,
                f"\nAnswer this: Which one?\n{COT_SENTENCE}",
            ),
        ),
    )
    assert prompt.images == (shown, one, two)


@pytest.mark.parametrize(
    ("images", "shown"), [("none", []), ("captions", []), ("concat", ["c.png", "b.png + a.png"])]
)
def test_examples_show_their_images_in_the_same_way(images: str, shown: list[str]) -> None:
    prompt = render(SAMPLE, images=images, captions=captions, examples=[OTHER])
    assert [image.path for image in prompt.images] == shown
    assert ("a picture of c.png" in prompt.turns[0].text) == (images == "captions")


def test_images_of_a_system_turn_stand_in_the_turns_of_their_questions_after_examples() -> None:
    within = Template(
        user="{question}", system="See [{images}].", image="<{image}>", bare_system=""
    )
    prompt = render(SAMPLE, template=within, examples=[OTHER])
    one, two = IMAGES
    assert [turn.parts for turn in prompt.turns] == [
        ("<", *OTHER.images, ">How many?"),
        ("one\ntwo\ntwo",),
        ("<", one, "><", two, ">Which one?"),
    ]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("red", "look\nred"),
        ("red<AND> blue", "look\nred, blue"),
        ("a <OR> the flag<AND>b<OR>c", "look\na, b"),
    ],
)
def test_a_worked_answer_is_steps_and_one_right_answer(answer: str, shown: str) -> None:
    assert worked_answer(Sample("s", "q", answer=answer, steps=("look",))) == shown
