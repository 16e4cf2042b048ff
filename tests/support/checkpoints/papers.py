"""The other architectures that the two papers measured: BLIP-2, InstructBLIP, IDEFICS, Fuyu."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.checkpoints.pieces import (
    BOS,
    EOS,
    HIDDEN,
    PAD,
    SQUARE,
    TEXT,
    VISION,
    byte_tokenizer,
    save,
    token_ids,
)

QFORMER = {
    "hidden_size": HIDDEN,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "cross_attention_frequency": 1,
}


def make_blip2_opt(folder: Path) -> None:
    """BLIP-2 with a decoder, OPT."""
    from transformers import (
        Blip2Config,
        Blip2ForConditionalGeneration,
        Blip2Processor,
        BlipImageProcessorPil,
        OPTConfig,
    )

    tokenizer = byte_tokenizer(["<image>"])
    config = Blip2Config(
        vision_config=dict(VISION),
        qformer_config=dict(QFORMER),
        text_config=OPTConfig(
            hidden_size=HIDDEN,
            word_embed_proj_dim=HIDDEN,
            ffn_dim=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=512,
            **token_ids(tokenizer),
        ),
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    tokenizer.image_token = tokenizer.added_tokens_decoder[config.image_token_index]
    processor = Blip2Processor(BlipImageProcessorPil(size=SQUARE), tokenizer, num_query_tokens=4)
    save(folder, Blip2ForConditionalGeneration, config, processor)


def make_blip2_t5(folder: Path) -> None:
    """BLIP-2 with an encoder and a decoder, Flan-T5."""
    from transformers import (
        Blip2Config,
        Blip2ForConditionalGeneration,
        Blip2Processor,
        BlipImageProcessorPil,
    )

    tokenizer = byte_tokenizer(["<image>"], bos=False)
    config = Blip2Config(
        vision_config=dict(VISION),
        qformer_config=dict(QFORMER),
        text_config=_t5(tokenizer),
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    processor = Blip2Processor(BlipImageProcessorPil(size=SQUARE), tokenizer, num_query_tokens=4)
    save(folder, Blip2ForConditionalGeneration, config, processor)


def make_instructblip_vicuna(folder: Path) -> None:
    """InstructBLIP with a decoder, Vicuna."""
    from transformers import LlamaConfig

    tokenizer = byte_tokenizer(["<image>"])
    _instructblip(folder, tokenizer, LlamaConfig(**TEXT, **token_ids(tokenizer)))


def make_instructblip_t5(folder: Path) -> None:
    """InstructBLIP with an encoder and a decoder, Flan-T5."""
    tokenizer = byte_tokenizer(["<image>"], bos=False)
    _instructblip(folder, tokenizer, _t5(tokenizer))


def make_idefics(folder: Path) -> None:
    """IDEFICS: gated cross-attention to images, as OpenFlamingo and Otter have it."""
    from transformers import (
        IdeficsConfig,
        IdeficsForVisionText2Text,
        IdeficsImageProcessorPil,
        IdeficsProcessor,
    )

    extra = ["<fake_token_around_image>", "<image>", "<end_of_utterance>"]
    tokenizer = byte_tokenizer(additional_special_tokens=extra, bos=False)
    ids = token_ids(tokenizer)
    config = IdeficsConfig(
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
        vision_config={
            "embed_dim": HIDDEN,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": 28,
            "patch_size": 14,
        },
        perceiver_config={
            "use_resampler": True,
            "resampler_n_latents": 4,
            "resampler_depth": 1,
            "resampler_n_heads": 2,
            "resampler_head_dim": 16,
        },
        use_resampler=True,
        **ids | {"vocab_size": ids["vocab_size"] - len(extra)},
        additional_vocab_size=len(extra),
    )
    processor = IdeficsProcessor(IdeficsImageProcessorPil(image_size=28), tokenizer)
    save(folder, IdeficsForVisionText2Text, config, processor)


def make_fuyu(folder: Path) -> None:
    """Fuyu: patches straight into the decoder, Persimmon."""
    from transformers import (
        FuyuConfig,
        FuyuForCausalLM,
        FuyuImageProcessorPil,
        FuyuProcessor,
        PersimmonConfig,
    )

    tokenizer = _persimmon_tokenizer()
    config = FuyuConfig(
        text_config=PersimmonConfig(
            hidden_size=HIDDEN,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=512,
            hidden_act="gelu",
            **token_ids(tokenizer),
        ),
        patch_size=14,
        image_size=28,
        image_token_id=tokenizer.convert_tokens_to_ids("|SPEAKER|"),
        **{k: v for k, v in token_ids(tokenizer).items() if k != "vocab_size"},
    )
    processor = FuyuProcessor(
        FuyuImageProcessorPil(
            size={"height": 56, "width": 84}, patch_size={"height": 14, "width": 14}
        ),
        tokenizer,
    )
    save(folder, FuyuForCausalLM, config, processor)


def _persimmon_tokenizer() -> Any:
    """Unigrams behind a blank that begins every text, on which the processor of Fuyu counts."""
    from tokenizers import Tokenizer, decoders, models, normalizers
    from transformers import PreTrainedTokenizerFast

    specials = [PAD, BOS, EOS]
    marks = ["|SPEAKER|", "|NEWLINE|", *(f"<0x0{digit}>" for digit in range(5))]
    letters = ["\u2581", "\n", *(chr(code) for code in range(33, 127))]
    scores = dict.fromkeys((*specials, *marks), 0.0) | dict.fromkeys(letters, -9.0)
    backend = Tokenizer(models.Unigram(list(scores.items()), unk_id=0))
    backend.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    )
    backend.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.Fuse()])
    backend.add_special_tokens(specials)
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token=PAD, bos_token=BOS, eos_token=EOS
    )


def _t5(tokenizer: Any) -> Any:
    from transformers import T5Config

    return T5Config(
        d_model=HIDDEN,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        **token_ids(tokenizer),
    )


def _instructblip(folder: Path, tokenizer: Any, text_config: Any) -> None:
    from transformers import (
        BlipImageProcessorPil,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
    )

    questions = byte_tokenizer()
    config = InstructBlipConfig(
        vision_config=dict(VISION),
        qformer_config={**QFORMER, "vocab_size": len(questions)},
        text_config=text_config,
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    processor = InstructBlipProcessor(
        BlipImageProcessorPil(size=SQUARE), tokenizer, questions, num_query_tokens=4
    )
    save(folder, InstructBlipForConditionalGeneration, config, processor)
