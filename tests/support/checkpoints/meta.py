"""Llama 3.2 Vision and Llama 4."""

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

LLAMA_TOKENS = (
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
)
LLAMA = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<|image|>' }}{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)


def make_mllama(folder: Path) -> None:
    """Llama 3.2 Vision: cross-attention to tiles."""
    from transformers import (
        MllamaConfig,
        MllamaForConditionalGeneration,
        MllamaImageProcessorPil,
        MllamaProcessor,
    )

    tokenizer = byte_tokenizer(LLAMA_TOKENS[:-1])
    # The image token lies beyond the vocabulary of the output layer, as in the published one.
    vocab = len(tokenizer)
    tokenizer.add_tokens([LLAMA_TOKENS[-1]], special_tokens=True)
    config = MllamaConfig(
        vision_config={
            "hidden_size": HIDDEN,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_global_layers": 1,
            "attention_heads": 4,
            "image_size": 28,
            "patch_size": 14,
            "max_num_tiles": 4,
            "intermediate_layers_indices": [0],
            "vision_output_dim": 2 * HIDDEN,
        },
        text_config={
            **TEXT,
            **token_ids(tokenizer),
            "vocab_size": vocab,
            "cross_attention_layers": [1],
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<|image|>"),
    )
    processor = MllamaProcessor(
        MllamaImageProcessorPil(size=SQUARE, max_image_tiles=4), tokenizer, LLAMA
    )
    save(folder, MllamaForConditionalGeneration, config, processor)


def make_llama4(folder: Path) -> None:
    """Llama 4: experts, chunks, tiles."""
    from transformers import Llama4Config, Llama4ForConditionalGeneration, Llama4ImageProcessor

    marks = ("<|image_start|>", "<|image_end|>", "<|patch|>")
    separators = ("<|tile_x_separator|>", "<|tile_y_separator|>")
    tokenizer = byte_tokenizer((*LLAMA_TOKENS, *marks, *separators))
    start, end, patch = tokenizer.convert_tokens_to_ids(list(marks))
    config = Llama4Config(
        vision_config={
            **VISION,
            "vision_output_dim": HIDDEN,
            "projector_input_dim": HIDDEN,
            "projector_output_dim": HIDDEN,
            "intermediate_size": 4 * HIDDEN,
        },
        text_config={
            **TEXT,
            **token_ids(tokenizer),
            "head_dim": 8,
            "intermediate_size_mlp": 64,
            "num_local_experts": 2,
            "attention_chunk_size": 32,
            "no_rope_layers": [1, 0],
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
        boi_token_index=start,
        eoi_token_index=end,
        image_token_index=patch,
    )
    processor = Parts(
        "Llama4Processor",
        Llama4ImageProcessor(size=SQUARE, max_patches=4),
        tokenizer,
        LLAMA,
        settings={"patch_size": 14, "pixel_shuffle_ratio": 0.5},
    )
    save(folder, Llama4ForConditionalGeneration, config, processor)
