"""Train the bundled model from nothing on two CPU cores: python tiny/train.py OUT [--steps N].

Two stages: the vision tower learns to name every cell, then all of it learns to answer.
With --resume a third goes on from what OUT holds, on other batches (give another --seed).
"""

from __future__ import annotations

import argparse
import copy
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
from model import IMAGE_TOKENS, build
from muon import Muon
from torch import nn
from torch.utils.data import DataLoader
from world import COLORS, SHAPES

PEAK_RATE = 3e-3
MATRIX_RATE = 0.02
MORE_SHARE = 0.5
"""Of both rates, where training goes on from a checkpoint."""
MOST_PICTURES = 4
WARM_UP = 100
EARLY_STEPS = 350
PLAIN_STEPS = 1700

CELL_LOSS = 0.2
GUIDE_LOSS = 1.0

HIDDEN = ("_proj.", ".fc1.", ".fc2.", ".linear_1.", ".linear_2.")
"""In the names of the matrices between two hidden layers."""


class CellReader(nn.Module):
    """Names a cell from each of its four patches; thrown away after training.

    hidden [N, 36, D] -> shape logits [N, 36, 7] and colour logits [N, 36, 7].
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.shape = nn.Linear(width, len(SHAPES) + 2)
        self.color = nn.Linear(width, len(COLORS) + 1)

    def loss(self, hidden: torch.Tensor, cells: torch.Tensor) -> tuple[torch.Tensor, float]:
        shape, color = self.shape(hidden), self.color(hidden)
        cells = cells.view(-1, 3, 3, 2).repeat_interleave(2, 1).repeat_interleave(2, 2)
        cells = cells.flatten(1, 2)
        loss = F.cross_entropy(shape.flatten(0, 1), cells[..., 0].flatten())
        loss = loss + F.cross_entropy(color.flatten(0, 1), cells[..., 1].flatten())
        right = (shape.argmax(-1) == cells[..., 0]) & (color.argmax(-1) == cells[..., 1])
        return loss, right.float().mean().item()


class Guide(nn.Module):
    """Asks the decoder's layers on the way what they will need; thrown away after training.

    Patches are to know which picture they belong to, and the last token of a question which
    picture it is about and which cells one looks at for it, first and then. Without it the
    search for a shape, which most kinds of question need, is learned late.
    """

    KNOWN_AFTER = (1, 2, 3, 4)
    """The layers after which each of the four is asked."""

    def __init__(self, width: int) -> None:
        super().__init__()
        outputs = (MOST_PICTURES, MOST_PICTURES, 9, 9)
        self.heads = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, size)) for size in outputs
        )

    def loss(
        self, hidden: tuple[torch.Tensor, ...], batch: Batch, image_id: int
    ) -> tuple[torch.Tensor, float]:
        """hidden: [B, T, D] after each layer. The loss, and how often all first looks are right."""
        patches = batch.ids == image_id
        number = (patches.cumsum(1) - 1)[patches] // IMAGE_TOKENS
        row, last, picture = batch.asked.unbind(1)
        states = [hidden[layer] for layer in self.KNOWN_AFTER]
        own = self.heads[0](states[0][patches])
        meant, first, then = (
            head(state[row, last]) for head, state in zip(self.heads[1:], states[1:], strict=True)
        )
        loss = 0.2 * (F.cross_entropy(own, number) + F.cross_entropy(meant, picture))
        for logits, looks in zip((first, then), batch.looks.unbind(1), strict=True):
            loss = loss + F.binary_cross_entropy_with_logits(logits, looks)
        right = ((first > 0) == (batch.looks[:, 0] > 0.5)).all(1)
        return loss, right.float().mean().item()


class Trainer:
    """Holds the model, what reads from it in training, and what one step of either stage does."""

    def __init__(self, model: Any, image_id: int) -> None:
        self.model = model
        self.image_id = image_id
        self.reader = CellReader(model.config.vision_config.hidden_size)
        self.guide = Guide(model.config.text_config.hidden_size)

    def see(self, pictures: torch.Tensor) -> torch.Tensor:
        """uint8 [N, 96, 96, 3] -> hidden [N, 36, D], with a little noise on the pixels."""
        pixels = pictures.permute(0, 3, 1, 2).float().div(127.5).sub(1)
        pixels = pixels * (1 + torch.randn(len(pixels), 1, 1, 1) * 0.02)
        pixels = pixels + torch.randn(len(pixels), 1, 1, 1) * 0.03 + torch.randn_like(pixels) * 0.02
        tower = self.model.model.vision_tower
        return tower(pixels, output_hidden_states=True).hidden_states[-1][:, 1:]

    def sight_loss(self, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
        """The loss of naming the cells, and figures to print."""
        loss, accuracy = self.reader.loss(self.see(batch.pictures), batch.cells)
        return loss, {"loss": loss.item(), "cells": accuracy}

    def answer_loss(self, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
        """The loss of answering and of what leads to it, and figures to print."""
        hidden = self.see(batch.pictures)
        cell_loss, named = self.reader.loss(hidden, batch.cells)
        seen = self.model.model.multi_modal_projector(hidden)
        inputs = self.model.get_input_embeddings()(batch.ids)
        inputs = inputs.masked_scatter((batch.ids == self.image_id)[..., None], seen)
        output = self.model.model.language_model(
            inputs_embeds=inputs,
            attention_mask=batch.mask,
            position_ids=batch.positions,
            use_cache=False,
            output_hidden_states=True,
        )
        guide_loss, found = self.guide.loss(output.hidden_states, batch, self.image_id)
        target = batch.labels[:, 1:]
        learned = target != IGNORED
        logits = self.model.lm_head(output.last_hidden_state[:, :-1][learned])
        weights = batch.weights[:, 1:][learned]
        losses = F.cross_entropy(logits, target[learned], reduction="none")
        loss = (losses * weights).sum() / weights.sum()
        figures = {"loss": loss.item(), "cells": named, "looks": found}
        return loss + CELL_LOSS * cell_loss + GUIDE_LOSS * guide_loss, figures


def rate_at(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then half a cosine down to 2 % of the peak."""
    along = max(0.0, step - warmup) / max(1, steps - warmup)
    return min(1.0, (step + 1) / warmup) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * along)))


class Optimizer:
    """Muon for the matrices of hidden layers, AdamW for all else."""

    def __init__(self, modules: list[nn.Module], rate: float, processes: int) -> None:
        named = {id(p): (n, p) for m in modules for n, p in m.named_parameters()}.values()
        hidden = [p for n, p in named if p.ndim == 2 and any(part in n for part in HIDDEN)]
        chosen = {id(p) for p in hidden}
        self.parameters = [p for _, p in named]
        self.muon = Muon(hidden, MATRIX_RATE, decay=0.05)
        others = [p for p in self.parameters if id(p) not in chosen]
        self.adam = torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0)
        self.rate, self.processes = rate, processes

    def step(self, loss: torch.Tensor, share: float) -> None:
        """Go down the mean loss of all processes by `share` of the rates."""
        for p in self.parameters:
            p.grad = None
        loss.backward()
        share_gradients([p.grad for p in self.parameters if p.grad is not None], self.processes)
        nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for group in self.adam.param_groups:
            group["lr"] = self.rate * share
        self.adam.step()
        self.muon.step(share)


@dataclass(frozen=True)
class Stage:
    """share: of the rates. sees_only: the vision tower alone.

    plain: steps that put every question in its plainest words, early: those of them that
    ask what is where and nothing else. What is learned there holds in other words soon.
    """

    name: str
    steps: int
    early: int = 0
    plain: int = 0
    share: float = 1.0
    sees_only: bool = False


def share_gradients(gradients: list[torch.Tensor], processes: int) -> None:
    """Replace the gradients by their mean over the processes."""
    together = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(together)
    together /= processes
    parts = together.split([g.numel() for g in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))


def stages_of(args: argparse.Namespace) -> list[Stage]:
    if args.resume:
        return [Stage("more", args.steps, share=MORE_SHARE)]
    return [
        Stage("warm-up", args.vision_steps, sees_only=True),
        Stage("answers", args.steps, EARLY_STEPS, PLAIN_STEPS),
    ]


def run(rank: int, args: argparse.Namespace) -> None:
    """Train in one process of `args.processes`, each on a core and on batches of its own."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(args.port)}
    dist.init_process_group("gloo", rank=rank, world_size=args.processes)
    began = time.monotonic()
    if args.resume:
        model, processor = load(args.out)
        if args.deepen:
            deepen(model, args.deepen)
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
            **({"layer added after": args.deepen} if args.deepen else {}),
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
    model = trainer.model
    batches = Batches(
        processor.tokenizer.backend_tokenizer,
        args.seed,
        stage.steps * args.processes,
        is_trainable,
        early=stage.early * args.processes,
        plain=stage.plain * args.processes,
        pictures_only=stage.sees_only,
    )
    mine = range(rank, stage.steps * args.processes, args.processes)
    loader = DataLoader(
        batches, batch_size=None, sampler=mine, num_workers=1, multiprocessing_context="fork"
    )
    modules = [model.model.vision_tower, trainer.reader]
    if not stage.sees_only:
        modules = [model, trainer.reader, trainer.guide]
    optimizer = Optimizer(modules, PEAK_RATE, args.processes)
    means: dict[str, float] = {}
    began = time.monotonic()
    for step, batch in enumerate(loader):
        loss, figures = (trainer.sight_loss if stage.sees_only else trainer.answer_loss)(batch)
        optimizer.step(loss, stage.share * rate_at(step, stage.steps, WARM_UP))
        means = {k: 0.98 * means.get(k, v) + 0.02 * v for k, v in figures.items()}
        if rank == 0 and step % args.report == 0:
            shown = " ".join(f"{name} {mean:.4f}" for name, mean in means.items())
            took = time.monotonic() - began
            print(f"{stage.name} {step}/{stage.steps} {shown} {took:.0f} s", flush=True)
        if rank == 0 and step and step % 500 == 0 and not stage.sees_only:
            save(model, processor, args.out)


def load(folder: Path) -> tuple[Any, Any]:
    """A checkpoint that :func:`save` wrote, in single precision."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    return model.train(), AutoProcessor.from_pretrained(folder)


def deepen(model: Any, after: int) -> None:
    """Give the decoder one more layer, after layer `after` from 1, that changes nothing yet."""
    decoder = model.model.language_model
    new = copy.deepcopy(decoder.layers[after - 1])
    with torch.no_grad():
        new.self_attn.o_proj.weight.zero_()
        new.mlp.down_proj.weight.zero_()
    decoder.layers.insert(after, new)
    for number, layer in enumerate(decoder.layers):
        layer.self_attn.layer_idx = number
    model.config.text_config.num_hidden_layers = len(decoder.layers)


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
    parser.add_argument("--steps", type=int, default=4000, help="of the last stage")
    parser.add_argument("--resume", action="store_true", help="go on from what OUT holds")
    parser.add_argument("--deepen", type=int, help="resumed: add a layer after this one")
    parser.add_argument("--vision-steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="one core each")
    parser.add_argument("--port", type=int, default=29517)
    parser.add_argument("--report", type=int, default=100)
    args = parser.parse_args()
    torch.multiprocessing.spawn(run, (args,), args.processes)


if __name__ == "__main__":
    main()
