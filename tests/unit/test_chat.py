"""From turns to text: whatever a chat template understands, question and images arrive."""

from __future__ import annotations

import io
from typing import Any

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

from PIL import Image
from transformers import CLIPImageProcessorPil, LlavaProcessor

from pytest_mmreason.errors import UsageError
from pytest_mmreason.imaging import LoadedImage
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.chat import Chat
from pytest_mmreason.prompting import Prompt, Turn
from pytest_mmreason.sample import ImageRef
from tests.support.checkpoints.llava import VICUNA
from tests.support.checkpoints.pieces import byte_tokenizer

PARTS = (
    "{% for m in messages %}{{ m['role'].upper() }}: "
    "{% for p in m['content'] %}{% if p['type'] == 'image' %}<image>{% else %}{{ p['text'] }}"
    "{% endif %}{% endfor %}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
STRINGS = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}[{{ m['role'] + '] ' + m['content'] }} {% endfor %}"
)
NO_SYSTEM = PARTS.replace(
    "{% for m in messages %}", "{% for m in messages if m['role'] != 'system' %}"
)
# Like Pixtral's: parts from the user, strings from everyone else.
USER_PARTS = (
    "{% for m in messages %}{% if m['role'] == 'user' %}[INST]{% for p in m['content'] %}"
    "{% if p['type'] == 'image' %}<image>{% else %}{{ p['text'] }}{% endif %}{% endfor %}[/INST]"
    "{% else %}{{ '{' + m['content'] + '}' }}{% endif %}{% endfor %}"
)


def processor(template: str | None) -> Any:
    return LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        byte_tokenizer(["<image>"], padding_side="left"),
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template,
    )


def chat(template: str | None, *, own: str | None = None, images: bool = True) -> Chat:
    return Chat(processor(own), "hf:x", template=template, images=images)


def picture(name: str) -> LoadedImage:
    file = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(file, "PNG")
    return LoadedImage(name, file.getvalue(), "image/png", (30, 20), (30, 20), name)


def request(*turns: tuple[str | ImageRef, ...]) -> Request:
    """Turns given as (role, part, part …), with a picture for each image they name."""
    prompt = Prompt(tuple(Turn(str(turn[0]), turn[1:]) for turn in turns))
    return Request(prompt, [picture(ref.path) for ref in prompt.images])


A, B = ImageRef("a.png", ""), ImageRef("b.png", "")


def rendered(found: Chat, one: Request) -> str:
    """What the model would read, without the padding of images to their tokens."""
    ids = found.encode([one])["input_ids"][0].tolist()
    text = found.tokenizer.decode(ids).removeprefix("<s>")
    while "<image><image>" in text:
        text = text.replace("<image><image>", "<image>")
    return str(text)


def test_parts_keep_their_order_and_turns_their_roles() -> None:
    one = request(
        ("system", "Be brief."),
        ("user", "First ", A, " then ", B, " which?"),
        ("assistant", "The second."),
        ("user", "Why?"),
    )
    assert rendered(chat(PARTS), one) == (
        "SYSTEM: Be brief.\nUSER: First <image> then <image> which?\n"
        "ASSISTANT: The second.\nUSER: Why?\nASSISTANT:"
    )


def test_template_of_plain_strings_is_given_strings_with_image_tokens() -> None:
    one = request(("user", A, "Which?"), ("assistant", "This."), ("user", "Why?"))
    assert rendered(chat(STRINGS), one) == "[user] <image>\nWhich? [assistant] This. [user] Why? "


def test_template_of_user_parts_is_given_strings_from_the_others() -> None:
    one = request(
        ("system", "Be brief."), ("user", A, "Which?"), ("assistant", "This."), ("user", "Why?")
    )
    assert rendered(chat(USER_PARTS), one) == (
        "{Be brief.}[INST]<image>Which?[/INST]{This.}[INST]Why?[/INST]"
    )


@pytest.mark.parametrize("template", [STRINGS, NO_SYSTEM])
def test_system_turn_that_a_template_does_not_know_goes_before_the_question(template: str) -> None:
    one = request(("system", "Be brief."), ("user", A, "Which?"))
    text = rendered(chat(template), one).replace("\n<", "<").replace(">\n", ">")
    assert "Be brief.\n<image>Which?" in text
    alone = request(("system", "Be brief."), ("user", A))
    assert "Be brief.\n\n<image>" in rendered(chat(template), alone)
    assert "Be brief." in rendered(chat(template), request(("system", "Be brief.")))


@pytest.mark.parametrize("template", [PARTS, NO_SYSTEM, STRINGS, USER_PARTS, VICUNA])
def test_image_of_a_system_turn_is_shown(template: str) -> None:
    one = request(("system", "You see [", A, "]. Be brief."), ("user", B, "Which?"))
    found = chat(template)
    text = rendered(found, one)
    assert [text.count(part) for part in ("You see [", "]. Be brief.", "Which?")] == [1, 1, 1]
    assert found.encode([one])["pixel_values"].shape[0] == 2
    assert (found.encode([one])["input_ids"] == found.processor.image_token_id).sum() == 2 * 4
    if template == NO_SYSTEM:
        assert "You see [<image>]. Be brief.\n\n<image>Which?" in text


def test_image_that_a_template_has_no_place_for_is_an_error() -> None:
    one = request(("user", "Which?"), ("assistant", "This: ", A), ("user", "Why?"))
    with pytest.raises(ValueError, match="the chat template has no place for 1 of 1 images"):
        chat(USER_PARTS).encode([one])


@pytest.mark.parametrize(
    ("opened", "prefix"),
    [(" <think>\n", "<think>\n"), ("<thinking>", "<thinking>"), ("<think>\n</think>\n", "")],
)
def test_reply_begins_with_the_reasoning_tag_that_the_template_opens(
    opened: str, prefix: str
) -> None:
    template = PARTS.replace("ASSISTANT:", "ASSISTANT:{{ OPENED }}").replace("OPENED", repr(opened))
    assert chat(template).reply_prefix == prefix
    assert chat(PARTS).reply_prefix == chat(None, own=STRINGS).reply_prefix == ""


def test_half_a_surrogate_pair_is_replaced() -> None:
    one = request(("user", A, "Which \ud83d? \ud83d\ude00"))
    assert "Which \ufffd? \U0001f600\n" in rendered(chat(PARTS), one)


def test_template_that_is_given_replaces_the_checkpoints_own() -> None:
    assert rendered(chat(STRINGS, own=PARTS), request(("user", A, "Which?"))).startswith("[user]")
    assert rendered(chat(None, own=PARTS), request(("user", A, "Which?"))).startswith("USER:")


def test_question_that_speaks_of_an_image_token_is_no_image() -> None:
    text = rendered(chat(PARTS), request(("user", A, "What does <image> mean?")))
    assert text == "USER: <image>What does < image> mean?\nASSISTANT:"


def test_batch_is_padded_on_the_left_and_every_row_has_its_own_images() -> None:
    requests = [request(("user", A, "Why?")), request(("user", B, "And why not the other one?"))]
    inputs = chat(PARTS).encode(requests)
    assert inputs["input_ids"].shape == inputs["attention_mask"].shape
    assert inputs["pixel_values"].shape[0] == 2
    assert inputs["attention_mask"][0, 0] == 0
    assert inputs["attention_mask"][:, -1].tolist() == [1, 1]


def test_prompt_without_images_is_text_alone() -> None:
    inputs = chat(PARTS, images=False).encode([request(("user", "Why?"))])
    assert "pixel_values" not in inputs


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (None, r"has no chat template, .* Put chat_template.jinja into its folder"),
        ("Hello.", "its chat template does not show what it is given"),
        ("{{ messages[0]['content'] }", "its chat template does not show what it is given"),
        ("{{ messages[5]['content'] }}", "its chat template does not show what it is given"),
    ],
)
def test_template_that_shows_nothing_is_told_before_the_samples(
    template: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        chat(template)


def test_images_that_came_with_no_place_in_the_prompt_are_an_error() -> None:
    one = Request(Prompt.of("Why?"), [picture("a.png")])
    with pytest.raises(ValueError, match="the prompt names 0 images, and 1 came with it"):
        chat(PARTS).encode([one])
