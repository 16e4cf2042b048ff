"""Train the bundled model from nothing on one CPU core: python tiny/train.py OUT [--steps N].

Two stages: the vision tower learns to name every cell, then all of it learns to answer.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from batches import IGNORED, Batch, Batches, corpus
from model import build
from torch import nn
from torch.utils.data import DataLoader
from world import COLORS, SHAPES, Scene, is_reserved

REPOSITORY = Path(__file__).resolve().parents[1]
PEAK_RATE = 1.5e-3
WARM_UP = 100
CELL_LOSS = 0.2
"""Weight of naming the cells beside answering, in the second stage."""


class CellReader(nn.Module):
    """Names the nine cells from the four patches of each; thrown away after training.

    hidden [B, 36, D] -> shape logits [B, 9, 7] and colour logits [B, 9, 7].
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.shape = nn.Linear(4 * width, len(SHAPES) + 2)
        self.color = nn.Linear(4 * width, len(COLORS) + 1)

    def forward(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        cells = hidden.view(len(hidden), 3, 2, 3, 2, -1).permute(0, 1, 3, 2, 4, 5)
        cells = cells.reshape(len(hidden), 9, -1)
        return self.shape(cells), self.color(cells)

    def loss(self, hidden: torch.Tensor, cells: torch.Tensor) -> tuple[torch.Tensor, float]:
        shape, color = self(hidden)
        loss = F.cross_entropy(shape.flatten(0, 1), cells[..., 0].flatten())
        loss = loss + F.cross_entropy(color.flatten(0, 1), cells[..., 1].flatten())
        right = (shape.argmax(-1) == cells[..., 0]) & (color.argmax(-1) == cells[..., 1])
        return loss, right.float().mean().item()


class Trainer:
    """Holds the model, the cell reader and what one step of either stage does."""

    def __init__(self, model: Any, image_id: int) -> None:
        self.model = model
        self.image_id = image_id
        self.reader = CellReader(model.config.vision_config.hidden_size)

    def see(self, pictures: torch.Tensor) -> torch.Tensor:
        """uint8 [N, 96, 96, 3] -> hidden [N, 36, D], with a little noise on the pixels."""
        pixels = pictures.permute(0, 3, 1, 2).float().div(127.5).sub(1)
        pixels = pixels * (1 + torch.randn(len(pixels), 1, 1, 1) * 0.02)
        pixels = pixels + torch.randn(len(pixels), 1, 1, 1) * 0.03 + torch.randn_like(pixels) * 0.02
        tower = self.model.model.vision_tower
        return tower(pixels, output_hidden_states=True).hidden_states[-1][:, 1:]

    def cell_loss(self, batch: Batch) -> tuple[torch.Tensor, float, torch.Tensor]:
        hidden = self.see(batch.pictures)
        loss, accuracy = self.reader.loss(hidden, batch.cells)
        return loss, accuracy, hidden

    def answer_loss(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, float]:
        cell_loss, accuracy, hidden = self.cell_loss(batch)
        seen = self.model.model.multi_modal_projector(hidden)
        inputs = self.model.get_input_embeddings()(batch.ids)
        inputs = inputs.masked_scatter((batch.ids == self.image_id)[..., None], seen)
        output = self.model.model.language_model(
            inputs_embeds=inputs,
            attention_mask=batch.mask,
            position_ids=batch.positions,
            use_cache=False,
        ).last_hidden_state
        target = batch.labels[:, 1:]
        learned = target != IGNORED
        logits = self.model.lm_head(output[:, :-1][learned])
        loss = F.cross_entropy(logits, target[learned])
        return loss + CELL_LOSS * cell_loss, loss, accuracy


def bundled_scenes() -> set[Scene]:
    """Every shape grid of the bundled benchmark."""
    sys.path.insert(0, str(REPOSITORY / "benchmarks" / "mini"))
    from grids import GRIDS

    return {
        tuple(
            ("", "?") if cell == "?" else tuple(cell.split()) if cell else None
            for row in rows
            for cell in row
        )
        for rows in GRIDS.values()
    }


def rate_at(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then half a cosine down to 2 % of the peak."""
    along = max(0.0, step - warmup) / max(1, steps - warmup)
    return min(1.0, (step + 1) / warmup) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * along)))


def optimizer_for(modules: list[nn.Module], rate: float) -> torch.optim.AdamW:
    """AdamW that decays matrices only; a parameter that two modules share is taken once."""
    parameters = {id(p): p for module in modules for p in module.parameters()}.values()
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": 0.05},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))


def run(args: argparse.Namespace) -> None:
    torch.set_num_threads(args.threads)
    began = time.monotonic()
    model, processor = build(corpus(args.seed, 20_000), args.seed)
    torch.manual_seed(args.seed)
    model.set_attn_implementation("sdpa")
    tokenizer = processor.tokenizer.backend_tokenizer
    own = bundled_scenes()

    def accept(scene: Scene) -> bool:
        return not is_reserved(scene) and scene not in own

    trainer = Trainer(model, model.config.image_token_id)
    vision = model.model.vision_tower
    numbers = {"warm-up": args.vision_steps, "answers": args.steps}
    for stage, steps in numbers.items():
        sees_only = stage == "warm-up"
        batches = Batches(tokenizer, args.seed, steps, accept, pictures_only=sees_only)
        loader = DataLoader(batches, batch_size=None, num_workers=args.workers, prefetch_factor=4)
        modules = [vision, trainer.reader] if sees_only else [model, trainer.reader]
        peak = 1e-3 if sees_only else PEAK_RATE
        optimizer = optimizer_for(modules, peak)
        average = None
        for step, batch in enumerate(loader):
            rate = peak * rate_at(step, steps, WARM_UP)
            for group in optimizer.param_groups:
                group["lr"] = rate
            if sees_only:
                loss, accuracy, _ = trainer.cell_loss(batch)
                shown = loss
            else:
                loss, shown, accuracy = trainer.answer_loss(batch)
            optimizer.zero_grad()
            loss.backward()
            for module in modules:
                nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimizer.step()
            average = shown.item() if average is None else 0.98 * average + 0.02 * shown.item()
            if step % args.report == 0:
                spent = time.monotonic() - began
                print(
                    f"{stage} {step}/{steps} loss {average:.4f} cells {accuracy:.3f} {spent:.0f} s",
                    flush=True,
                )
            if step and step % 500 == 0 and not sees_only:
                save(model, processor, args.out)
    save(model, processor, args.out)
    facts = {
        "seed": args.seed,
        "steps": numbers,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(time.monotonic() - began),
        "torch": torch.__version__,
    }
    (args.out / "training.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def save(model: Any, processor: Any, folder: Path) -> None:
    """A transformers checkpoint in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {k: v.detach().to(torch.float16) for k, v in model.state_dict().items()}
    model.save_pretrained(folder, state_dict=state)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["dtype"] = "float16"
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    processor.save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--vision-steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    run(parser.parse_args())


if __name__ == "__main__":
    main()
