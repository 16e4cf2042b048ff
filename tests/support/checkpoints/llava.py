"""LLaVA and its kin."""

from __future__ import annotations

from pathlib import Path

from tests.support.checkpoints.pieces import (
    CHATML_TOKENS,
    SQUARE,
    TEXT,
    VISION,
    Parts,
    byte_tokenizer,
    chatml,
    save,
    token_ids,
)

VICUNA = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ message['content'][0]['text'] + ' ' }}{% else %}"
    "{{ message['role'].upper() + ': ' }}"
    "{% for part in message['content'] if part['type'] == 'image' %}{{ '<image>\n' }}{% endfor %}"
    "{% for part in message['content'] if part['type'] == 'text' %}{{ part['text'] + ' ' }}{% endfor %}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)


def make_llava(folder: Path) -> None:
    """LLaVA-1.5: CLIP, a projector, Llama; the chat template of vicuna."""
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    tokenizer = byte_tokenizer(["<image>"])
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**VISION),
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=4,
    )
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size=SQUARE),
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=VICUNA,
    )
    save(folder, LlavaForConditionalGeneration, config, processor)


def make_llava_next(folder: Path) -> None:
    """LLaVA-NeXT: an overview and tiles of each image."""
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessorPil,
        LlavaNextProcessor,
    )

    tokenizer = byte_tokenizer(["<image>"])
    tiles = [[28, 56], [56, 28], [56, 56]]
    config = LlavaNextConfig(
        vision_config=CLIPVisionConfig(**VISION),
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=tiles,
        image_seq_length=4,
    )
    processor = LlavaNextProcessor(
        LlavaNextImageProcessorPil(
            size={"shortest_edge": 28},
            crop_size=SQUARE,
            image_grid_pinpoints=tiles,
        ),
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=VICUNA,
    )
    save(folder, LlavaNextForConditionalGeneration, config, processor)


def make_llava_onevision(folder: Path) -> None:
    """LLaVA-OneVision: SigLIP and Qwen2, images in ChatML."""
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessorPil,
        Qwen2Config,
        SiglipVisionConfig,
    )

    tokenizer = byte_tokenizer(["<image>", "<video>", *CHATML_TOKENS], bos=False)
    tiles = [[28, 28], [28, 56], [56, 28], [56, 56]]
    config = LlavaOnevisionConfig(
        vision_config=SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=Qwen2Config(**TEXT, **token_ids(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=tiles,
    )
    processor = Parts(
        "LlavaOnevisionProcessor",
        LlavaOnevisionImageProcessorPil(size=SQUARE, image_grid_pinpoints=tiles),
        tokenizer,
        chatml("<image>\n"),
        "LlavaOnevisionVideoProcessor",
        {"num_image_tokens": 4, "vision_feature_select_strategy": "full"},
    )
    save(folder, LlavaOnevisionForConditionalGeneration, config, processor)
