"""Compare the exported graphs with transformers on random input: python tiny/verify.py FOLDER."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

TOLERANCE = 1e-3
"""Largest difference of a logit that rounding in single precision explains."""


def session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def left_padded(model: Any, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """Random ids and mask of three prompts of unequal length, and how many images they hold."""
    config = model.config
    tokens, vocabulary = config.image_seq_length, config.text_config.vocab_size
    image = [config.image_token_id] * tokens
    rows = [
        [*image, *rng.integers(4, vocabulary, 30)],
        [*rng.integers(4, vocabulary, 7), *image, 9, *image, *rng.integers(4, vocabulary, 12)],
        [*rng.integers(4, vocabulary, 11)],
    ]
    longest = max(map(len, rows))
    ids = np.array([[0] * (longest - len(row)) + row for row in rows])
    mask = np.array([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    return ids, mask, 3


def differences(folder: Path, seed: int = 0, steps: int = 8) -> dict[str, float]:
    """The largest absolute difference of image features, and of logits over `steps` tokens.

    The decoder keeps its own cache from step to step; transformers reads the whole text anew.
    """
    import torch
    from transformers import LlavaForConditionalGeneration

    model = LlavaForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    vision, decoder = session(folder / "vision.onnx"), session(folder / "decoder.onnx")
    rng = np.random.default_rng(seed)
    ids, mask, images = left_padded(model, rng)
    pixels = rng.uniform(-1, 1, (images, *vision.get_inputs()[0].shape[1:])).astype(np.float32)
    features = vision.run(None, {"pixel_values": pixels})[0]
    with torch.no_grad():
        seen = model.get_image_features(torch.from_numpy(pixels)).pooler_output
    worst = {"features": float(np.abs(features - torch.stack(list(seen)).numpy()).max())}

    width = features.shape[-1]
    feeds = {
        "image_features": features.reshape(-1, width),
        "image_places": np.argwhere(ids == model.config.image_token_id),
    }
    empty = {i.name: i.shape for i in decoder.get_inputs() if i.name.startswith("past.")}
    for name, (_, heads, _, size) in empty.items():
        feeds[name] = np.zeros((len(ids), heads, 0, size), np.float32)
    new, worst["logits"] = ids, 0.0
    for _ in range(steps):
        places = np.maximum(mask.cumsum(axis=1) - 1, 0)
        feeds |= {"input_ids": new, "attention_mask": mask}
        feeds["position_ids"] = places[:, -new.shape[1] :]
        logits, *present = decoder.run(None, feeds)
        with torch.no_grad():
            expected = model(
                input_ids=torch.from_numpy(ids),
                attention_mask=torch.from_numpy(mask),
                position_ids=torch.from_numpy(places),
                pixel_values=torch.from_numpy(pixels),
            ).logits[:, -1]
        worst["logits"] = max(worst["logits"], float(np.abs(logits - expected.numpy()).max()))
        new = rng.integers(4, logits.shape[-1], (len(ids), 1))
        ids = np.concatenate([ids, new], axis=1)
        mask = np.concatenate([mask, np.ones_like(new)], axis=1)
        feeds |= dict(zip(empty, present, strict=True))
        feeds["image_features"] = np.zeros((0, width), np.float32)
        feeds["image_places"] = np.zeros((0, 2), np.int64)
    return worst


def verify(folder: Path) -> None:
    """Print the differences; exit with 1 if one is more than rounding."""
    worst = differences(folder)
    shown = ", ".join(f"{name} {value:.2e}" for name, value in worst.items())
    print(f"largest absolute difference from transformers: {shown}")
    if max(worst.values()) > TOLERANCE:
        sys.exit(f"{folder}: the graphs do not compute what transformers does")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    verify(parser.parse_args().folder)


if __name__ == "__main__":
    main()
