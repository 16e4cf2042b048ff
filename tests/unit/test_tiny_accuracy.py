"""The bundled model still knows what its card says that it knows."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="the extra `tiny` is not installed")
pytest.importorskip("tokenizers", reason="the extra `tiny` is not installed")

from pytest_mmreason import imaging
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.tiny import TinyModel
from pytest_mmreason.prompting import render
from pytest_mmreason.sample import ImageRef, Sample
from tests.support.scripts import TINY, tiny_scripts

MEASURED = json.loads((TINY / "measured.json").read_text(encoding="utf-8"))["accuracy"]
PUZZLES = 48
SLACK = 0.16
"""What may lie between PUZZLES puzzles and the many that were measured: over two standard errors."""


@pytest.mark.parametrize("strategy", ["direct", "cot"])
@pytest.mark.parametrize("kind", [kind for kind in MEASURED["direct"] if kind != "mean"])
def test_accuracy_on_held_out_puzzles(tmp_path: Path, kind: str, strategy: str) -> None:
    requests, answers = [], []
    with tiny_scripts("world", "puzzles") as tiny:
        for n in range(PUZZLES):
            rng = random.Random(f"floor-{kind}-{n}")
            puzzle = tiny.puzzles.make(kind, rng, tiny.world.is_reserved)
            tiny.world.draw(puzzle.scene, rng).save(tmp_path / f"{n}.png")
            image = ImageRef(f"{n}.png", str(tmp_path))
            sample = Sample(id=str(n), question=puzzle.question, images=(image,))
            prompt = render(sample, strategy)
            requests.append(Request(prompt, [imaging.load(image)]))
            answers.append(puzzle.answer)

    async def ask() -> list[str]:
        model = TinyModel()
        await model.load()
        outcomes = await model.generate_batch(await model.prepare_batch(requests))
        await model.aclose()
        return [str(outcome) for outcome in outcomes]

    replies = asyncio.run(ask())
    right = sum(
        reply.rpartition("Answer:")[2].strip().lower() == answer
        for reply, answer in zip(replies, answers, strict=True)
    )
    assert right / PUZZLES >= MEASURED[strategy][kind] - SLACK
    if strategy == "cot" and kind in ("relation", "compare", "remove", "analogy", "odd"):
        assert sum("Answer:" in reply for reply in replies) > PUZZLES * 0.8, "it gives its reasons"
