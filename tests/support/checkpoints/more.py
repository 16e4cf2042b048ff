"""Others of today: Ovis2, Aria, Emu3, MiniCPM-V, LFM2-VL, Molmo 2; and GIT and Kosmos-2."""

from __future__ import annotations

from pathlib import Path

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


def make_ovis2(folder: Path) -> None:
    """Ovis2: a visual vocabulary."""
    from transformers import (
        Ovis2Config,
        Ovis2ForConditionalGeneration,
        Ovis2ImageProcessorPil,
        Ovis2Processor,
        Qwen2Config,
    )

    indicators = ["<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>"]
    tokenizer = byte_tokenizer(["<image>", "<IMG_ATOM>", *indicators, *CHATML_TOKENS], bos=False)
    config = Ovis2Config(
        vision_config={**VISION, "vocab_size": 64, "num_visual_indicator_tokens": 5},
        text_config=Qwen2Config(**TEXT, **token_ids(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_ATOM>"),
        visual_indicator_token_ids=tokenizer.convert_tokens_to_ids(indicators),
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        tie_word_embeddings=False,
    )
    processor = Ovis2Processor(
        Ovis2ImageProcessorPil(size=SQUARE, crop_to_patches=True, min_patches=1, max_patches=3),
        tokenizer,
        chat_template=chatml("<image>\n"),
        image_seq_length=4,
    )
    save(folder, Ovis2ForConditionalGeneration, config, processor)


def make_git(folder: Path) -> None:
    """GIT: one image before the text, no chat; its tokenizer is BERT's."""
    from transformers import CLIPImageProcessorPil, GitConfig, GitForCausalLM, GitProcessor

    tokenizer = byte_tokenizer(["[CLS]"], cls_token="[CLS]")
    config = GitConfig(
        vision_config=dict(VISION),
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
        **token_ids(tokenizer),
    )
    processor = GitProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size=SQUARE), tokenizer
    )
    save(folder, GitForCausalLM, config, processor)


def make_kosmos2(folder: Path) -> None:
    """Kosmos-2: latent queries, grounding tokens, no chat."""
    from transformers import (
        CLIPImageProcessorPil,
        Kosmos2Config,
        Kosmos2ForConditionalGeneration,
        Kosmos2Processor,
    )

    tokenizer = byte_tokenizer(["<unk>"], unk_token="<unk>")
    processor = Kosmos2Processor(
        CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size=SQUARE), tokenizer, 16
    )
    config = Kosmos2Config(
        vision_config=dict(VISION),
        text_config={
            "embed_dim": HIDDEN,
            "layers": 2,
            "ffn_dim": 64,
            "attention_heads": 4,
            "max_position_embeddings": 512,
            **token_ids(tokenizer),
        },
        latent_query_num=64,
    )
    save(folder, Kosmos2ForConditionalGeneration, config, processor)


def make_aria(folder: Path) -> None:
    """Aria: experts; its images have one of two sizes, so the patches are large here."""
    from transformers import (
        AriaConfig,
        AriaForConditionalGeneration,
        AriaImageProcessorPil,
        AriaProcessor,
        AriaTextConfig,
    )

    named = {"image_token": "<|img|>"}
    tokenizer = byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
    config = AriaConfig(
        vision_config={
            "model_type": "idefics3_vision",
            **VISION,
            "image_size": 980,
            "patch_size": 140,
        },
        text_config=AriaTextConfig(
            **TEXT,
            **token_ids(tokenizer),
            moe_num_experts=4,
            moe_topk=2,
            moe_num_shared_experts=1,
        ),
        projector_patch_to_query_dict={49: 4},
        image_token_index=tokenizer.image_token_id,
    )
    processor = AriaProcessor(
        AriaImageProcessorPil(max_image_size=980),
        tokenizer,
        chat_template=chatml("<|img|>"),
        size_conversion={980: 4},
    )
    save(folder, AriaForConditionalGeneration, config, processor)


def make_emu3(folder: Path) -> None:
    """Emu3: images as tokens of a VQGAN."""
    from transformers import (
        Emu3Config,
        Emu3ForConditionalGeneration,
        Emu3ImageProcessor,
        Emu3Processor,
    )

    named = {
        "image_token": "<image>",
        "boi_token": "<|image start|>",
        "eoi_token": "<|image end|>",
        "image_wrapper_token": "<|image token|>",
        "eof_token": "<|extra_201|>",
    }
    visual = [f"<|visual token {number:06d}|>" for number in range(64)]
    tokenizer = byte_tokenizer(
        [*named.values(), "<|extra_200|>", *visual, *CHATML_TOKENS],
        bos=False,
        extra_special_tokens=named,
    )
    config = Emu3Config(
        vq_config={
            "codebook_size": 64,
            "embed_dim": 4,
            "latent_channels": 4,
            "base_channels": HIDDEN,
            "channel_multiplier": [1, 1, 1, 1],
            "num_res_blocks": 1,
            "hidden_size": HIDDEN,
            "attn_resolutions": [],
        },
        text_config={**TEXT, **token_ids(tokenizer), "attention_dropout": 0.0},
        vocabulary_map=tokenizer.get_vocab(),
    )
    processor = Emu3Processor(
        Emu3ImageProcessor(min_pixels=32 * 32, max_pixels=48 * 48),
        tokenizer,
        chat_template=chatml("<image>"),
    )
    save(folder, Emu3ForConditionalGeneration, config, processor)


def make_minicpmv4_6(folder: Path) -> None:
    """MiniCPM-V 4.6: slices, two rounds of merging, Qwen3.5."""
    from transformers import (
        MiniCPMV4_6Config,
        MiniCPMV4_6ForConditionalGeneration,
        MiniCPMV4_6ImageProcessorPil,
    )

    named = {
        "image_token": "<|image_pad|>",
        "video_token": "<|video_pad|>",
        "image_start_token": "<image>",
        "image_end_token": "</image>",
        "slice_start_token": "<slice>",
        "slice_end_token": "</slice>",
        "image_id_start_token": "<image_id>",
        "image_id_end_token": "</image_id>",
    }
    tokenizer = byte_tokenizer(
        [*named.values(), *CHATML_TOKENS], bos=False, extra_special_tokens=named
    )
    config = MiniCPMV4_6Config(
        vision_config={**VISION, "image_size": 32, "patch_size": 4},
        text_config={
            "model_type": "qwen3_5_text",
            **TEXT,
            **token_ids(tokenizer),
            "head_dim": 32,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
            "layer_types": ["linear_attention", "full_attention"],
        },
        insert_layer_id=0,
        image_size=32,
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.video_token_id,
    )
    processor = Parts(
        "MiniCPMV4_6Processor",
        MiniCPMV4_6ImageProcessorPil(scale_resolution=32, patch_size=4, max_slice_nums=2),
        tokenizer,
        chatml("<|image_pad|>"),
        "MiniCPMV4_6VideoProcessor",
    )
    save(folder, MiniCPMV4_6ForConditionalGeneration, config, processor)


def make_lfm2_vl(folder: Path) -> None:
    """LFM2-VL: SigLIP 2 at native sizes, convolutions and attention by turns."""
    from transformers import (
        Lfm2Config,
        Lfm2VlConfig,
        Lfm2VlForConditionalGeneration,
        Lfm2VlImageProcessor,
        Siglip2VisionConfig,
    )

    named = {
        "image_token": "<image>",
        "image_start_token": "<|image_start|>",
        "image_end_token": "<|image_end|>",
        "image_thumbnail_token": "<|img_thumbnail|>",
    }
    tokenizer = byte_tokenizer([*named.values(), *CHATML_TOKENS], extra_special_tokens=named)
    tower = {name: value for name, value in VISION.items() if name != "image_size"}
    config = Lfm2VlConfig(
        vision_config=Siglip2VisionConfig(**tower, num_patches=16, vision_use_head=False),
        text_config=Lfm2Config(
            **TEXT,
            **token_ids(tokenizer),
            layer_types=["conv", "full_attention"],
            block_auto_adjust_ff_dim=False,
        ),
        image_token_id=tokenizer.image_token_id,
        projector_hidden_size=64,
        tie_word_embeddings=False,
    )
    processor = Parts(
        "Lfm2VlProcessor",
        Lfm2VlImageProcessor(
            do_image_splitting=False,
            min_image_tokens=4,
            max_image_tokens=16,
            encoder_patch_size=14,
            tile_size=112,
        ),
        tokenizer,
        chatml("<image>"),
    )
    save(folder, Lfm2VlForConditionalGeneration, config, processor)


def make_molmo2(folder: Path) -> None:
    """Molmo 2: overlapping crops, pooled by attention."""
    from transformers import (
        Molmo2Config,
        Molmo2ForConditionalGeneration,
        Molmo2ImageProcessor,
    )

    marks = [
        "<im_start>",
        "<im_end>",
        "<im_patch>",
        "<im_col>",
        "<low_res_im_start>",
        "<frame_start>",
        "<frame_end>",
        "<im_low>",
    ]
    tokenizer = byte_tokenizer([*marks, "<|image|>", "<|video|>", *CHATML_TOKENS], bos=False)
    ids = dict(zip(marks, tokenizer.convert_tokens_to_ids(marks), strict=True))
    config = Molmo2Config(
        vision_config={
            **VISION,
            "num_key_value_heads": 4,
            "head_dim": 8,
            "image_size": [28, 28],
            "num_position_embeddings": 4,
        },
        adapter_config={
            "hidden_size": HIDDEN,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "head_dim": 8,
            "intermediate_size": 64,
            "text_hidden_size": HIDDEN,
            "vision_feature_layer": [1, 0],
        },
        text_config={
            **TEXT,
            "head_dim": 8,
            "vocab_size": len(tokenizer),
            "additional_vocab_size": 8,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
        image_start_token_id=ids["<im_start>"],
        image_end_token_id=ids["<im_end>"],
        image_patch_id=ids["<im_patch>"],
        low_res_image_start_token_id=ids["<low_res_im_start>"],
        frame_start_token_id=ids["<frame_start>"],
        frame_end_token_id=ids["<frame_end>"],
    )
    processor = Parts(
        "Molmo2Processor",
        Molmo2ImageProcessor(size=SQUARE, max_crops=2, overlap_margins=[0, 0], patch_size=14),
        tokenizer,
        chatml("<|image|>"),
        "Molmo2VideoProcessor",
    )
    save(folder, Molmo2ForConditionalGeneration, config, processor)
