"""Gemma 3 and PaliGemma: SigLIP before Gemma."""

from __future__ import annotations

from pathlib import Path

from tests.support.checkpoints.pieces import (
    HIDDEN,
    SQUARE,
    TEXT,
    VISION,
    Parts,
    byte_tokenizer,
    save,
    token_ids,
)

TURNS = ("<start_of_turn>", "<end_of_turn>")
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<start_of_turn>' + ('model' if message['role'] == 'assistant' else message['role']) }}"
    "{{ '\n' }}{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<start_of_image>' }}{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)


def make_gemma3(folder: Path) -> None:
    """Gemma 3: local and global attention, images seen in both directions."""
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessorPil,
        Gemma3Processor,
        Gemma3TextConfig,
        SiglipVisionConfig,
    )

    named = {
        "image_token": "<image_soft_token>",
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
    }
    tokenizer = byte_tokenizer([*named.values(), *TURNS], extra_special_tokens=named)
    config = Gemma3Config(
        vision_config=SiglipVisionConfig(**{**VISION, "image_size": 56}, vision_use_head=False),
        text_config=Gemma3TextConfig(
            **TEXT,
            **token_ids(tokenizer),
            head_dim=8,
            query_pre_attn_scalar=8,
            sliding_window=16,
            layer_types=["sliding_attention", "full_attention"],
        ),
        mm_tokens_per_image=16,
        boi_token_index=tokenizer.boi_token_id,
        eoi_token_index=tokenizer.eoi_token_id,
        image_token_index=tokenizer.image_token_id,
    )
    processor = Gemma3Processor(
        Gemma3ImageProcessorPil(size={"height": 56, "width": 56}),
        tokenizer,
        TEMPLATE,
        image_seq_length=16,
    )
    save(folder, Gemma3ForConditionalGeneration, config, processor)


def make_gemma4(folder: Path) -> None:
    """Gemma 4: images at native sizes, embeddings at every layer; it also hears."""
    from transformers import (
        Gemma4Config,
        Gemma4ForConditionalGeneration,
        Gemma4ImageProcessorPil,
        Gemma4TextConfig,
    )

    named = {
        "image_token": "<|image|>",
        "boi_token": "<|image>",
        "eoi_token": "<image|>",
        "audio_token": "<|audio|>",
        "boa_token": "<|audio>",
        "eoa_token": "<audio|>",
    }
    tokenizer = byte_tokenizer([*named.values(), "<|video|>", *TURNS], extra_special_tokens=named)
    config = Gemma4Config(
        vision_config={
            "hidden_size": HIDDEN,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "head_dim": 8,
            "patch_size": 2,
            "pooling_kernel_size": 3,
            "position_embedding_size": 128,
        },
        text_config=Gemma4TextConfig(
            **TEXT,
            **token_ids(tokenizer),
            head_dim=8,
            global_head_dim=8,
            sliding_window=16,
            layer_types=["sliding_attention", "full_attention"],
            vocab_size_per_layer_input=len(tokenizer),
            hidden_size_per_layer_input=8,
        ),
        image_token_id=tokenizer.image_token_id,
        boi_token_id=tokenizer.boi_token_id,
        eoi_token_id=tokenizer.eoi_token_id,
        audio_token_id=tokenizer.audio_token_id,
        boa_token_id=tokenizer.boa_token_id,
        eoa_token_index=tokenizer.eoa_token_id,
        video_token_id=tokenizer.convert_tokens_to_ids("<|video|>"),
    )
    processor = Parts(
        "Gemma4Processor",
        Gemma4ImageProcessorPil(max_soft_tokens=70, patch_size=2, pooling_kernel_size=3),
        tokenizer,
        TEMPLATE.replace("<start_of_image>", "<|image|>"),
        "Gemma4VideoProcessor",
        {
            "feature_extractor": {"feature_extractor_type": "Gemma4AudioFeatureExtractor"},
            "image_seq_length": 70,
        },
    )
    save(folder, Gemma4ForConditionalGeneration, config, processor)


def make_paligemma(folder: Path) -> None:
    """PaliGemma: no chat; the images, then the text, read in both directions."""
    from transformers import (
        GemmaConfig,
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
        SiglipImageProcessorPil,
        SiglipVisionConfig,
    )

    places = [
        *(f"<loc{place:0>4}>" for place in range(1024)),
        *(f"<seg{place:0>3}>" for place in range(128)),
    ]
    tokenizer = byte_tokenizer(["<image>", *places], bos=False)
    image_processor = SiglipImageProcessorPil(size=SQUARE)
    image_processor.image_seq_length = 4
    processor = PaliGemmaProcessor(image_processor, tokenizer)
    config = PaliGemmaConfig(
        vision_config=SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=GemmaConfig(**TEXT, **token_ids(tokenizer), head_dim=8),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=HIDDEN,
        hidden_size=HIDDEN,
        vocab_size=len(tokenizer),
    )
    save(folder, PaliGemmaForConditionalGeneration, config, processor)
