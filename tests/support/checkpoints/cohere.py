"""Aya Vision and Command A Vision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def make_aya_vision(folder: Path) -> None:
    """Aya Vision: SigLIP, pixel shuffle, Cohere 2."""
    from transformers import (
        AyaVisionConfig,
        AyaVisionForConditionalGeneration,
        AyaVisionProcessor,
        GotOcr2ImageProcessorPil,
        SiglipVisionConfig,
    )

    marks = [
        "<image>",
        "<|START_OF_IMG|>",
        "<|END_OF_IMG|>",
        "<|IMG_PATCH|>",
        "<|IMG_LINE_BREAK|>",
        "TILE_GLOBAL",
        *(f"TILE_{tile}" for tile in range(1, 4)),
        "TILE",
    ]
    tokenizer = byte_tokenizer([*marks, *CHATML_TOKENS])
    config = AyaVisionConfig(
        vision_config=SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=_cohere2(tokenizer),
        downsample_factor=2,
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
    )
    processor = AyaVisionProcessor(
        GotOcr2ImageProcessorPil(size=SQUARE, crop_to_patches=True, min_patches=1, max_patches=3),
        tokenizer,
        patch_size=14,
        img_size=28,
        downsample_factor=2,
        chat_template=chatml("<image>"),
    )
    save(folder, AyaVisionForConditionalGeneration, config, processor)


def make_cohere2_vision(folder: Path) -> None:
    """Command A Vision."""
    from transformers import (
        Cohere2VisionConfig,
        Cohere2VisionForConditionalGeneration,
        Cohere2VisionImageProcessor,
        SiglipVisionConfig,
    )

    named = {
        "boi_token": "<|START_OF_IMG|>",
        "eoi_token": "<|END_OF_IMG|>",
        "image_token": "<|IMG_PATCH|>",
        "img_line_break_token": "<|IMG_LINE_BREAK|>",
    }
    tokenizer = byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
    config = Cohere2VisionConfig(
        vision_config=SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=_cohere2(tokenizer),
        downsample_factor=2,
        image_token_id=tokenizer.image_token_id,
        alignment_intermediate_size=64,
    )
    processor = Parts(
        "Cohere2VisionProcessor",
        Cohere2VisionImageProcessor(size=SQUARE, max_patches=3, patch_size=1),
        tokenizer,
        chatml("<|IMG_PATCH|>"),
    )
    save(folder, Cohere2VisionForConditionalGeneration, config, processor)


def _cohere2(tokenizer: Any) -> Any:
    from transformers import Cohere2Config

    return Cohere2Config(
        **TEXT,
        **token_ids(tokenizer),
        head_dim=8,
        logit_scale=1.0,
        sliding_window=16,
        layer_types=["sliding_attention", "full_attention"],
    )
