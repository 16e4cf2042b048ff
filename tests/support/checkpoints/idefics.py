"""Idefics2, Idefics3 and SmolVLM: images as a run of tokens between markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.checkpoints.pieces import (
    HIDDEN,
    TEXT,
    VISION,
    Parts,
    byte_tokenizer,
    save,
    token_ids,
)

TEMPLATE = (
    "{% for message in messages %}{{ message['role'].capitalize() }}"
    "{% if message['content'][0]['type'] == 'image' %}{{ ':' }}{% else %}{{ ': ' }}{% endif %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<image>' }}{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{{ '<end_of_utterance>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)
MARKERS = ("<fake_token_around_image>", "<image>", "<end_of_utterance>")
TILES = ("<global-img>", *(f"<row_{row}_col_{col}>" for row in (1, 2, 3) for col in (1, 2, 3)))


def make_idefics2(folder: Path) -> None:
    """Idefics2: SigLIP at native sizes, a perceiver, Mistral."""
    from transformers import (
        Idefics2Config,
        Idefics2ForConditionalGeneration,
        Idefics2ImageProcessorPil,
        Idefics2Processor,
        MistralConfig,
    )

    tokenizer = byte_tokenizer(MARKERS)
    config = Idefics2Config(
        vision_config={**VISION, "image_size": 56},
        perceiver_config={
            "hidden_size": HIDDEN,
            "resampler_n_latents": 4,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 16,
            "num_key_value_heads": 1,
        },
        text_config=MistralConfig(**TEXT, **token_ids(tokenizer), sliding_window=None),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )
    processor = Idefics2Processor(
        Idefics2ImageProcessorPil(
            size={"shortest_edge": 28, "longest_edge": 56}, do_image_splitting=False
        ),
        tokenizer,
        image_seq_len=4,
        chat_template=TEMPLATE,
    )
    save(folder, Idefics2ForConditionalGeneration, config, processor)


def make_idefics3(folder: Path) -> None:
    """Idefics3: tiles, pixel shuffle, Llama."""
    from transformers import (
        Idefics3Config,
        Idefics3ForConditionalGeneration,
        Idefics3ImageProcessorPil,
        Idefics3Processor,
    )

    tokenizer = byte_tokenizer((*MARKERS, *TILES))
    processor = Idefics3Processor(
        _tiles(Idefics3ImageProcessorPil), tokenizer, image_seq_len=1, chat_template=TEMPLATE
    )
    save(folder, Idefics3ForConditionalGeneration, _config(Idefics3Config, tokenizer), processor)


def make_smolvlm(folder: Path) -> None:
    """SmolVLM: Idefics3's kin."""
    from transformers import (
        SmolVLMConfig,
        SmolVLMForConditionalGeneration,
        SmolVLMImageProcessorPil,
    )

    tokenizer = byte_tokenizer((*MARKERS, *TILES))
    processor = Parts(
        "SmolVLMProcessor",
        _tiles(SmolVLMImageProcessorPil),
        tokenizer,
        TEMPLATE,
        "SmolVLMVideoProcessor",
        {"image_seq_len": 1},
    )
    save(folder, SmolVLMForConditionalGeneration, _config(SmolVLMConfig, tokenizer), processor)


def _tiles(image_processor: Any) -> Any:
    return image_processor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28})


def _config(config_class: Any, tokenizer: Any) -> Any:
    from transformers import LlamaConfig

    ids = token_ids(tokenizer)
    return config_class(
        vision_config=dict(VISION),
        text_config=LlamaConfig(**TEXT, **ids),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=ids["pad_token_id"],
        scale_factor=2,
    )
