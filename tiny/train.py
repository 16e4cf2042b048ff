"""Train the bundled model from nothing on two CPU cores: python tiny/train.py OUT [--steps N].

Two stages: the vision tower learns to name every cell, then all of it learns to answer.
With --resume a third goes on from what OUT holds, on other batches (give another --seed).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from batches import IGNORED, Batch, Batches, corpus
from heldout import bundled_scenes, is_trainable, name_of
from model import build
from torch import nn
from torch.utils.data import DataLoader
from world import COLORS, SHAPES

PEAK_RATE = 2e-3
MORE_RATE = 1e-3
WARM_UP = 100
EARLY_STEPS = 400

CELL_LOSS = 0.2


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
        return loss, cell_loss, accuracy


def rate_at(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then half a cosine down to 2 % of the peak."""
    along = max(0.0, step - warmup) / max(1, steps - warmup)
    return min(1.0, (step + 1) / warmup) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * along)))


def optimizer_for(parameters: list[nn.Parameter], rate: float) -> torch.optim.AdamW:
    """AdamW that decays matrices only."""
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": 0.05},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))


@dataclass(frozen=True)
class Stage:
    """early: steps that ask few kinds, plainly. sees_only: the vision tower alone.
    cell_loss: weight of naming the cells beside answering; the reader is lost between runs."""

    name: str
    steps: int
    peak: float
    early: int = 0
    sees_only: bool = False
    cell_loss: float = CELL_LOSS


def share(gradients: list[torch.Tensor], processes: int) -> None:
    """Replace the gradients by their mean over the processes."""
    together = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(together)
    together /= processes
    parts = together.split([g.numel() for g in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))


def stages_of(args: argparse.Namespace) -> list[Stage]:
    if args.resume:
        return [Stage("more", args.steps or 2000, MORE_RATE, cell_loss=0.0)]
    return [
        Stage("warm-up", args.vision_steps, 1e-3, sees_only=True),
        Stage("answers", args.steps or 2400, PEAK_RATE, EARLY_STEPS),
    ]


def run(rank: int, args: argparse.Namespace) -> None:
    """Train in one process of `args.processes`, each on a core and on batches of its own."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(args.port)}
    dist.init_process_group("gloo", rank=rank, world_size=args.processes)
    began = time.monotonic()
    if args.resume:
        model, processor = load(args.out)
    else:
        model, processor = build(corpus(args.seed, 20_000), args.seed)
    torch.manual_seed(args.seed + rank)
    model.set_attn_implementation("sdpa")
    trainer = Trainer(model, model.config.image_token_id)
    for stage in stages_of(args):
        run_stage(stage, trainer, processor, rank, args)
    if rank:
        return
    save(model, processor, args.out)
    file = args.out / "training.json"
    facts = json.loads(file.read_text(encoding="utf-8")) if args.resume else {"runs": []}
    facts["parameters"] = sum(p.numel() for p in model.parameters())
    facts["runs"].append(
        {
            "seed": args.seed,
            "steps": {stage.name: stage.steps for stage in stages_of(args)},
            "processes": args.processes,
            "seconds": round(time.monotonic() - began),
            "torch": torch.__version__,
        }
    )
    facts["not trained on, beside the reserved scenes"] = sorted(map(name_of, bundled_scenes()))
    file.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def run_stage(
    stage: Stage, trainer: Trainer, processor: Any, rank: int, args: argparse.Namespace
) -> None:
    """All steps of a stage; the model is saved now and then on the way."""
    model, reader = trainer.model, trainer.reader
    batches = Batches(
        processor.tokenizer.backend_tokenizer,
        args.seed,
        stage.steps * args.processes,
        is_trainable,
        early=stage.early * args.processes,
        pictures_only=stage.sees_only,
    )
    mine = range(rank, stage.steps * args.processes, args.processes)
    loader = DataLoader(
        batches, batch_size=None, sampler=mine, num_workers=1, multiprocessing_context="fork"
    )
    modules = [model.model.vision_tower if stage.sees_only else model, reader]
    parameters = list({id(p): p for m in modules for p in m.parameters()}.values())
    optimizer = optimizer_for(parameters, stage.peak)
    average, began = None, time.monotonic()
    for step, batch in enumerate(loader):
        for group in optimizer.param_groups:
            group["lr"] = stage.peak * rate_at(step, stage.steps, WARM_UP)
        if stage.sees_only:
            shown, accuracy, _ = trainer.cell_loss(batch)
            loss = shown
        else:
            shown, cell_loss, accuracy = trainer.answer_loss(batch)
            loss = shown + stage.cell_loss * cell_loss
        optimizer.zero_grad()
        loss.backward()
        share([p.grad for p in parameters if p.grad is not None], args.processes)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        average = shown.item() if average is None else 0.98 * average + 0.02 * shown.item()
        if rank == 0 and step % args.report == 0:
            print(
                f"{stage.name} {step}/{stage.steps} loss {average:.4f} cells {accuracy:.3f} "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
        if rank == 0 and step and step % 500 == 0 and not stage.sees_only:
            save(model, processor, args.out)


def load(folder: Path) -> tuple[Any, Any]:
    """A checkpoint that :func:`save` wrote, in single precision."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    return model.train(), AutoProcessor.from_pretrained(folder)


def save(model: Any, processor: Any, folder: Path) -> None:
    """A transformers checkpoint in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {k: v.detach().to(torch.float16) for k, v in model.state_dict().items()}
    state.pop("lm_head.weight")  # tied to the embedding
    model.save_pretrained(folder, state_dict=state)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["dtype"] = "float16"
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    processor.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, help="of the last stage; 2400, resumed 2000")
    parser.add_argument("--resume", action="store_true", help="go on from what OUT holds")
    parser.add_argument("--vision-steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="one core each")
    parser.add_argument("--port", type=int, default=29517)
    parser.add_argument("--report", type=int, default=100)
    args = parser.parse_args()
    torch.multiprocessing.spawn(run, (args,), args.processes)


if __name__ == "__main__":
    main()
