"""What the tiny checkpoints are made of: a byte tokenizer, small sizes, random weights.

Nothing is downloaded: a checkpoint is a config with hidden sizes of 32, a tokenizer of the 256
bytes and the special tokens that its processor wants, and weights of a fixed seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAD, BOS, EOS = "<pad>", "<s>", "</s>"
HIDDEN = 32
GAIN = 1.5
SQUARE = {"height": 28, "width": 28}
TEXT: Mapping[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
}
VISION: Mapping[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 28,
    "patch_size": 14,
}
CHATML_TOKENS = ("<|im_start|>", "<|im_end|>")


def chatml(image: str) -> str:
    """The chat template of the Qwen family; `image` stands where an image does."""
    return (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
        "{% for part in message['content'] %}"
        "{% if part['type'] == 'image' %}{{ IMAGE }}{% else %}{{ part['text'] }}{% endif %}"
        "{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    ).replace("IMAGE", repr(image))


def byte_tokenizer(special: Sequence[str] = (), *, bos: bool = True, **options: Any) -> Any:
    """A fast tokenizer of single bytes; `special` tokens follow pad, bos and eos.

    bos: True if it puts the bos token before a text, as Llama's does.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    specials = [PAD, BOS, EOS, *special]
    # Specials first: the ids that many configs take for granted (pad 0, bos 1, eos 2).
    vocab = {token: index for index, token in enumerate(specials)}
    for byte in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocab[byte] = len(vocab)
    backend = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens(specials)
    if bos:
        backend.post_processor = processors.TemplateProcessing(
            single=f"{BOS} $A", pair=f"{BOS} $A $B", special_tokens=[(BOS, vocab[BOS])]
        )
    options = {"pad_token": PAD, "bos_token": BOS, "eos_token": EOS, **options}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **options)


def token_ids(tokenizer: Any) -> dict[str, int]:
    """The ids that a text config is told."""
    return {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }


@dataclass(frozen=True)
class Parts:
    """A processor in parts, written as its class would write it.

    Some classes are not made without torchvision, because they also take videos; the folder
    is the same as a published one, and is read with torchvision or without.

    kind:     the class of the processor. video: the class of its video processor.
    settings: what else its ``processor_config.json`` holds.
    """

    kind: str
    image_processor: Any
    tokenizer: Any
    chat_template: str
    video: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def save_pretrained(self, folder: Path) -> None:
        """Write tokenizer, template and configuration."""
        self.tokenizer.save_pretrained(folder)
        (folder / "chat_template.jinja").write_text(self.chat_template, encoding="utf-8")
        written = {
            "processor_class": self.kind,
            "image_processor": self.image_processor.to_dict(),
            **({"video_processor": {"video_processor_type": self.video}} if self.video else {}),
            **self.settings,
        }
        text = json.dumps(written, indent=1)
        (folder / "processor_config.json").write_text(text, encoding="utf-8")


def save(folder: Path, model_class: Any, config: Any, processor: Any) -> None:
    """Write a checkpoint of seeded random weights, large enough that images change answers.

    Only printable ASCII can be generated, so every token of an answer is a letter.

    processor: a processor of transformers, or its Parts.
    """
    import torch

    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        model = model_class(config).eval()
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                experts = parameter.dim() == 3 and "experts" in name
                inputs = parameter.shape[-1] if experts else parameter[0].numel()
                parameter.normal_(0, GAIN * inputs**-0.5)
            elif not parameter.any():  # a gate at zero would hide the image
                parameter.normal_(0, 0.1) if parameter.numel() > 1 else parameter.fill_(1.0)
        for module in model.modules():
            # Where input and output embeddings are one, large ones only repeat the last token.
            if isinstance(module, torch.nn.Embedding):
                module.weight.mul_(0.2)
    tokenizer = processor.tokenizer
    letters = set(tokenizer.convert_tokens_to_ids([chr(code) for code in range(33, 127)]))
    generation = model.generation_config
    generation.suppress_tokens = [n for n in range(len(tokenizer)) if n not in letters]
    generation.pad_token_id = tokenizer.pad_token_id
    generation.bos_token_id = tokenizer.bos_token_id
    generation.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
