"""GLM-4.1V and GLM-4.5V."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.checkpoints.pieces import (
    CHATML_TOKENS,
    HIDDEN,
    TEXT,
    Parts,
    byte_tokenizer,
    chatml,
    save,
    token_ids,
)


def make_glm4v(folder: Path) -> None:
    """GLM-4.1V."""
    from transformers import Glm4vConfig, Glm4vForConditionalGeneration

    _make(folder, Glm4vConfig, Glm4vForConditionalGeneration)


def make_glm4v_moe(folder: Path) -> None:
    """GLM-4.5V: experts."""
    from transformers import Glm4vMoeConfig, Glm4vMoeForConditionalGeneration

    _make(
        folder,
        Glm4vMoeConfig,
        Glm4vMoeForConditionalGeneration,
        n_routed_experts=4,
        n_shared_experts=1,
        num_experts_per_tok=2,
        moe_intermediate_size=32,
        head_dim=8,
    )


def _make(folder: Path, config_class: Any, model_class: Any, **text: Any) -> None:
    from transformers import (
        Glm4vImageProcessorPil,
    )

    marks = [f"<|{edge}_of_{what}|>" for what in ("image", "video") for edge in ("begin", "end")]
    tokenizer = byte_tokenizer([*marks, "<|image|>", "<|video|>", *CHATML_TOKENS], bos=False)
    ids = tokenizer.convert_tokens_to_ids([*marks, "<|image|>", "<|video|>"])
    config = config_class(
        vision_config={
            "depth": 2,
            "hidden_size": HIDDEN,
            "out_hidden_size": HIDDEN,
            "intermediate_size": 64,
            "num_heads": 4,
            "image_size": 56,
            "patch_size": 14,
        },
        text_config={
            **TEXT,
            **token_ids(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [1, 1, 2],
                "partial_rotary_factor": 1.0,
            },
            **text,
        },
        image_start_token_id=ids[0],
        image_end_token_id=ids[1],
        video_start_token_id=ids[2],
        video_end_token_id=ids[3],
        image_token_id=ids[4],
        video_token_id=ids[5],
    )
    processor = Parts(
        "Glm4vProcessor",
        Glm4vImageProcessorPil(
            size={"shortest_edge": 2 * 28 * 28, "longest_edge": 2 * 56 * 56}, patch_size=14
        ),
        tokenizer,
        chatml("<|begin_of_image|><|image|><|end_of_image|>"),
        "Glm4vVideoProcessor",
    )
    save(folder, model_class, config, processor)
