"""DeepSeek-VL, small and large, and Janus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.checkpoints.pieces import (
    CHATML_TOKENS,
    HIDDEN,
    SQUARE,
    TEXT,
    VISION,
    byte_tokenizer,
    chatml,
    save,
    token_ids,
)


def make_deepseek_vl(folder: Path) -> None:
    """DeepSeek-VL."""
    from transformers import (
        DeepseekVLConfig,
        DeepseekVLForConditionalGeneration,
        DeepseekVLImageProcessorPil,
        DeepseekVLProcessor,
        LlamaConfig,
        SiglipVisionConfig,
    )

    tokenizer = _tokenizer()
    config = DeepseekVLConfig(
        vision_config=SiglipVisionConfig(**VISION),
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        image_token_id=tokenizer.image_token_id,
        tie_word_embeddings=False,
    )
    processor = DeepseekVLProcessor(
        DeepseekVLImageProcessorPil(size=SQUARE, min_size=14),
        tokenizer,
        chat_template=chatml("<image_placeholder>"),
        num_image_tokens=4,
    )
    save(folder, DeepseekVLForConditionalGeneration, config, processor)


def make_deepseek_vl_hybrid(folder: Path) -> None:
    """DeepSeek-VL 7B: SAM beside SigLIP."""
    from transformers import (
        DeepseekVLHybridConfig,
        DeepseekVLHybridForConditionalGeneration,
        DeepseekVLHybridImageProcessorPil,
        DeepseekVLHybridProcessor,
        LlamaConfig,
        SamVisionConfig,
        SiglipVisionConfig,
    )

    tokenizer = _tokenizer()
    config = DeepseekVLHybridConfig(
        vision_config=SiglipVisionConfig(**VISION),
        high_res_vision_config=SamVisionConfig(
            hidden_size=HIDDEN,
            output_channels=8,
            num_hidden_layers=2,
            num_attention_heads=4,
            image_size=64,
            patch_size=8,
            window_size=2,
            global_attn_indexes=[1],
            num_pos_feats=8,
            mlp_dim=64,
        ),
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        image_token_id=tokenizer.image_token_id,
        tie_word_embeddings=False,
    )
    processor = DeepseekVLHybridProcessor(
        DeepseekVLHybridImageProcessorPil(
            size=SQUARE, high_res_size={"height": 64, "width": 64}, min_size=14
        ),
        tokenizer,
        chat_template=chatml("<image_placeholder>"),
        num_image_tokens=4,
    )
    save(folder, DeepseekVLHybridForConditionalGeneration, config, processor)


def make_janus(folder: Path) -> None:
    """Janus Pro, which also draws; here it reads only."""
    from transformers import (
        JanusConfig,
        JanusForConditionalGeneration,
        JanusImageProcessorPil,
        JanusProcessor,
        LlamaConfig,
    )

    named = {
        "image_token": "<image_placeholder>",
        "boi_token": "<begin_of_image>",
        "eoi_token": "<end_of_image>",
    }
    tokenizer = byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
    config = JanusConfig(
        vision_config={
            "hidden_size": HIDDEN,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": 28,
            "patch_size": 14,
            "mlp_ratio": 2.0,
            "projection_dim": HIDDEN,
            "num_image_tokens": 4,
        },
        vq_config={
            "embed_dim": 8,
            "num_embeddings": 16,
            "latent_channels": HIDDEN,
            "base_channels": HIDDEN,
            "channel_multiplier": [1, 1],
            "num_res_blocks": 1,
            "projection_dim": HIDDEN,
            "image_token_embed_dim": HIDDEN,
        },
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        image_token_id=tokenizer.image_token_id,
        tie_word_embeddings=False,
    )
    processor = JanusProcessor(
        JanusImageProcessorPil(size=SQUARE, min_size=14),
        tokenizer,
        chat_template=chatml("<image_placeholder>\n"),
        num_image_tokens=4,
    )
    save(folder, JanusForConditionalGeneration, config, processor)


def _tokenizer() -> Any:
    named = {"image_token": "<image_placeholder>"}
    return byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
