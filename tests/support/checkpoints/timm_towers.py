"""Gemma 3n and Perception LM, whose towers come from timm; here its smallest."""

from __future__ import annotations

from pathlib import Path

from tests.support.checkpoints.gemma import TEMPLATE, TURNS
from tests.support.checkpoints.pieces import (
    CHATML_TOKENS,
    SQUARE,
    TEXT,
    Parts,
    byte_tokenizer,
    chatml,
    save,
    token_ids,
)


def make_gemma3n(folder: Path) -> None:
    """Gemma 3n: several residual streams, a convolutional tower; it also hears."""
    from transformers import (
        Gemma3nAudioConfig,
        Gemma3nConfig,
        Gemma3nForConditionalGeneration,
        Gemma3nTextConfig,
        Gemma3nVisionConfig,
        SiglipImageProcessorPil,
    )

    named = {
        "image_token": "<image_soft_token>",
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
        "audio_token": "<audio_soft_token>",
        "boa_token": "<start_of_audio>",
        "eoa_token": "<end_of_audio>",
    }
    tokenizer = byte_tokenizer([*named.values(), *TURNS], extra_special_tokens=named)
    ids = token_ids(tokenizer)
    config = Gemma3nConfig(
        vision_config=Gemma3nVisionConfig(
            architecture="test_efficientnet",
            hidden_size=256,
            vocab_size=4,
            vocab_offset=ids["vocab_size"],
            label_names=["none"],
            num_labels=1,
        ),
        audio_config=Gemma3nAudioConfig(
            hidden_size=32,
            vocab_size=4,
            vocab_offset=ids["vocab_size"] + 4,
            conf_num_attention_heads=2,
            conf_num_hidden_layers=1,
            sscp_conv_channel_size=(8, 8),
        ),
        text_config=Gemma3nTextConfig(
            **{**TEXT, "num_hidden_layers": 4},
            **ids,
            head_dim=8,
            sliding_window=64,
            layer_types=["sliding_attention", "full_attention"] * 2,
            vocab_size_per_layer_input=ids["vocab_size"],
            hidden_size_per_layer_input=8,
            num_kv_shared_layers=2,
            laurel_rank=8,
        ),
        vision_soft_tokens_per_image=16,
        image_token_id=tokenizer.image_token_id,
        boi_token_id=tokenizer.boi_token_id,
        eoi_token_id=tokenizer.eoi_token_id,
        audio_token_id=tokenizer.audio_token_id,
        boa_token_id=tokenizer.boa_token_id,
        eoa_token_id=tokenizer.eoa_token_id,
    )
    processor = Parts(
        "Gemma3nProcessor",
        SiglipImageProcessorPil(size={"height": 128, "width": 128}),
        tokenizer,
        TEMPLATE.replace("<start_of_image>", "<image_soft_token>"),
        settings={
            "feature_extractor": {"feature_extractor_type": "Gemma3nAudioFeatureExtractor"},
            "image_seq_length": 16,
        },
    )
    save(folder, Gemma3nForConditionalGeneration, config, processor)


def make_perception_lm(folder: Path) -> None:
    """Perception LM: an overview and tiles."""
    from transformers import (
        LlamaConfig,
        PerceptionLMConfig,
        PerceptionLMForConditionalGeneration,
        PerceptionLMImageProcessor,
        TimmWrapperConfig,
    )

    named = {"image_token": "<|image|>", "video_token": "<|video|>"}
    tokenizer = byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
    config = PerceptionLMConfig(
        vision_config=TimmWrapperConfig(
            architecture="vit_pe_core_large_patch14_336",
            label_names=["none"],
            num_labels=1,
            model_args={
                "embed_dim": 32,
                "num_heads": 4,
                "img_size": (28, 28),
                "depth": 2,
                "global_pool": "",
                "ref_feat_shape": (2, 2),
            },
        ),
        text_config=LlamaConfig(**TEXT, **token_ids(tokenizer)),
        vision_use_cls_token=True,
        projector_pooling_ratio=1,
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.video_token_id,
    )
    processor = Parts(
        "PerceptionLMProcessor",
        PerceptionLMImageProcessor(tile_size=28, max_num_tiles=4, size=SQUARE),
        tokenizer,
        chatml("<|image|>"),
        "PerceptionLMVideoProcessor",
        {"patch_size": 14, "pooling_ratio": 1},
    )
    save(folder, PerceptionLMForConditionalGeneration, config, processor)
