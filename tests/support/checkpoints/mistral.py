"""Pixtral and Mistral Small 3.1."""

from __future__ import annotations

from pathlib import Path

from tests.support.checkpoints.pieces import (
    TEXT,
    VISION,
    Parts,
    byte_tokenizer,
    save,
    token_ids,
)

MISTRAL_TOKENS = ("[INST]", "[/INST]", "[IMG]", "[IMG_BREAK]", "[IMG_END]")
MISTRAL = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{{ message['content'] + eos_token }}{% else %}{{ '[INST]' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '[IMG]' }}{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '[/INST]' }}{% endif %}{% endfor %}"
)


def make_pixtral(folder: Path) -> None:
    """Pixtral: LLaVA's class, images at native sizes."""
    from transformers import (
        LlavaConfig,
        LlavaForConditionalGeneration,
        MistralConfig,
        PixtralImageProcessorPil,
        PixtralVisionConfig,
    )

    tokenizer = byte_tokenizer(MISTRAL_TOKENS)
    config = LlavaConfig(
        vision_config=PixtralVisionConfig(**{**VISION, "image_size": 56}),
        text_config=MistralConfig(**TEXT, **token_ids(tokenizer), head_dim=8),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        image_seq_length=1,
    )
    processor = Parts(
        "PixtralProcessor",
        PixtralImageProcessorPil(size={"longest_edge": 42}, patch_size={"height": 14, "width": 14}),
        tokenizer,
        MISTRAL,
        settings={"patch_size": 14},
    )
    save(folder, LlavaForConditionalGeneration, config, processor)


def make_mistral3(folder: Path) -> None:
    """Mistral Small 3.1: Pixtral's tower, patches merged by twos."""
    from transformers import (
        Mistral3Config,
        Mistral3ForConditionalGeneration,
        MistralConfig,
        PixtralImageProcessorPil,
        PixtralVisionConfig,
    )

    tokenizer = byte_tokenizer(MISTRAL_TOKENS)
    config = Mistral3Config(
        vision_config=PixtralVisionConfig(**{**VISION, "image_size": 56}),
        text_config=MistralConfig(**TEXT, **token_ids(tokenizer), head_dim=8),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        spatial_merge_size=2,
        tie_word_embeddings=False,
    )
    processor = Parts(
        "PixtralProcessor",
        PixtralImageProcessorPil(size={"longest_edge": 56}, patch_size={"height": 28, "width": 28}),
        tokenizer,
        MISTRAL,
        settings={"patch_size": 14, "spatial_merge_size": 2},
    )
    save(folder, Mistral3ForConditionalGeneration, config, processor)
