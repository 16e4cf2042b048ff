"""Qwen2-VL, Qwen2.5-VL, Qwen3-VL, Qwen3.5 and InternVL: ChatML, images as runs of pad tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.checkpoints.pieces import (
    CHATML_TOKENS,
    HIDDEN,
    SQUARE,
    TEXT,
    VISION,
    Parts,
    byte_tokenizer,
    chatml,
    save,
    token_ids,
)

MARKERS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>", *CHATML_TOKENS)
PIXELS = {"shortest_edge": 28 * 28, "longest_edge": 56 * 56}
TOWER = {"depth": 2, "num_heads": 4, "patch_size": 14, "in_channels": 3}
ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def make_qwen2_vl(folder: Path) -> None:
    """Qwen2-VL."""
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    tower = {**TOWER, "embed_dim": HIDDEN, "hidden_size": HIDDEN, "mlp_ratio": 2}
    _make(folder, Qwen2VLConfig, tower, Qwen2VLForConditionalGeneration, "Qwen2VLProcessor")


def make_qwen2_5_vl(folder: Path) -> None:
    """Qwen2.5-VL: windows in the tower."""
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
    )

    tower = {
        **TOWER,
        "hidden_size": HIDDEN,
        "out_hidden_size": HIDDEN,
        "intermediate_size": 64,
        "window_size": 28,
        "fullatt_block_indexes": [1],
    }
    _make(
        folder, Qwen2_5_VLConfig, tower, Qwen2_5_VLForConditionalGeneration, "Qwen2_5_VLProcessor"
    )


def make_qwen3_vl(folder: Path) -> None:
    """Qwen3-VL: features of several depths of the tower."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    tower = {
        **TOWER,
        "hidden_size": HIDDEN,
        "out_hidden_size": HIDDEN,
        "intermediate_size": 64,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    }
    _make(
        folder,
        Qwen3VLConfig,
        tower,
        Qwen3VLForConditionalGeneration,
        "Qwen3VLProcessor",
        video="Qwen3VLVideoProcessor",
        head_dim=8,
    )


def make_qwen3_vl_moe(folder: Path) -> None:
    """Qwen3-VL with experts."""
    from transformers import Qwen3VLMoeConfig, Qwen3VLMoeForConditionalGeneration

    tower = {
        **TOWER,
        "hidden_size": HIDDEN,
        "out_hidden_size": HIDDEN,
        "intermediate_size": 64,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    }
    _make(
        folder,
        Qwen3VLMoeConfig,
        tower,
        Qwen3VLMoeForConditionalGeneration,
        "Qwen3VLProcessor",
        video="Qwen3VLVideoProcessor",
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=32,
    )


def make_qwen3_5(folder: Path) -> None:
    """Qwen3.5: linear and full attention by turns."""
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    tower = {
        **TOWER,
        "hidden_size": HIDDEN,
        "out_hidden_size": HIDDEN,
        "intermediate_size": 64,
        "num_position_embeddings": 16,
    }
    _make(
        folder,
        Qwen3_5Config,
        tower,
        Qwen3_5ForConditionalGeneration,
        "Qwen3VLProcessor",
        video="Qwen3VLVideoProcessor",
        head_dim=32,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
        layer_types=["linear_attention", "full_attention"],
    )


def make_internvl(folder: Path) -> None:
    """InternVL3 as transformers has it: tiles, pixel shuffle, Qwen2."""
    from transformers import (
        GotOcr2ImageProcessorPil,
        InternVLConfig,
        InternVLForConditionalGeneration,
        Qwen2Config,
    )

    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = byte_tokenizer(
        [*named.values(), *CHATML_TOKENS], bos=False, extra_special_tokens=named
    )
    config = InternVLConfig(
        vision_config={**VISION, "image_size": (28, 28), "patch_size": (14, 14)},
        text_config=Qwen2Config(**TEXT, **token_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=1,
        tie_word_embeddings=False,
    )
    processor = Parts(
        "InternVLProcessor",
        GotOcr2ImageProcessorPil(size=SQUARE, crop_to_patches=True, min_patches=1, max_patches=3),
        tokenizer,
        chatml("<IMG_CONTEXT>\n"),
        "InternVLVideoProcessor",
        {"image_seq_length": 1},
    )
    save(folder, InternVLForConditionalGeneration, config, processor)


def _make(
    folder: Path,
    config_class: Any,
    tower: dict[str, Any],
    model_class: Any,
    kind: str,
    video: str = "Qwen2VLVideoProcessor",
    **text: Any,
) -> None:
    from transformers import Qwen2VLImageProcessorPil

    tokenizer = byte_tokenizer(MARKERS, bos=False)
    vision_start, vision_end, image, clip = tokenizer.convert_tokens_to_ids(list(MARKERS[:4]))
    config = config_class(
        vision_config=tower,
        text_config={**TEXT, **token_ids(tokenizer), "rope_parameters": dict(ROPE), **text},
        image_token_id=image,
        video_token_id=clip,
        vision_start_token_id=vision_start,
        vision_end_token_id=vision_end,
    )
    processor = Parts(
        kind,
        Qwen2VLImageProcessorPil(size=PIXELS, patch_size=14),
        tokenizer,
        chatml("<|vision_start|><|image_pad|><|vision_end|>"),
        video,
    )
    save(folder, model_class, config, processor)
