"""The parts of the bundled model's training that could be wrong without anybody noticing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.scripts import CHECKPOINT, tiny_scripts

torch = pytest.importorskip("torch", reason="the extra `hf` is not installed")
pytest.importorskip("transformers", reason="the extra `hf` is not installed")


@pytest.fixture(scope="module")
def tiny() -> Iterator[SimpleNamespace]:
    """Puzzles, batches and the training itself."""
    with tiny_scripts("puzzles", "heldout", "muon", "batches", "train") as modules:
        yield modules


@pytest.mark.parametrize(
    ("kind", "grid", "first", "then"),
    [
        ("count", "red star,,,red star,,,red star,,", {0, 3, 6}, {0, 3, 6}),
        ("relation", "red star,blue cross,,,,,,,", {0}, {1}),
        ("remove", "red star,,,,blue cross,,,,", {0}, {4}),
        ("compare", "red star,,red star,,blue cross,,,,", {0, 2}, {4}),
        ("odd", "red star,red star,blue star,,red star,,,,", {2}, {2}),
        ("attribute", ",,,,,,,,red star", {8}, {8}),
        ("locate", ",,,,,,,,red star", {8}, {8}),
    ],
)
def test_puzzles_tell_which_cells_one_looks_at(
    tiny: SimpleNamespace, kind: str, grid: str, first: set[int], then: set[int]
) -> None:
    scene = tuple(tuple(cell.split()) if cell else None for cell in grid.split(","))
    rng = random.Random(kind)
    puzzles = [tiny.puzzles.ask(kind, scene, rng) for _ in range(60)]
    looks = [tuple(map(frozenset, puzzle.looks)) for puzzle in puzzles if puzzle]
    assert (frozenset(first), frozenset(then)) in looks
    if kind in ("compare", "relation", "remove"):
        assert set(looks) <= {
            (frozenset(first), frozenset(then)),
            (frozenset(then), frozenset(first)),
        }


def test_a_batch_points_at_the_last_token_of_every_question(tiny: SimpleNamespace) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(CHECKPOINT / "tokenizer.json"))
    colon = tokenizer.encode("USER: x ASSISTANT:", add_special_tokens=False).ids[-1]
    batches = tiny.batches.Batches(
        tokenizer, 3, 8, tiny.heldout.is_trainable, size=4, early=1, plain=2
    )
    for number in range(8):
        batch = batches[number]
        row, place, picture = batch.asked.unbind(1)
        assert len(batch.asked) == len(batch.looks) > 3
        assert set(batch.ids[row, place].tolist()) == {colon}
        assert bool((batch.labels[row, place] == tiny.batches.IGNORED).all())
        assert bool((batch.labels[row, place + 1] != tiny.batches.IGNORED).all())
        pictures = (batch.ids == batches.image[0]).sum(1) // len(batches.image)
        assert bool((picture < pictures[row]).all())
        assert bool((batch.weights[batch.labels != tiny.batches.IGNORED] > 0).all())


def test_muon_takes_nearly_orthogonal_steps(tiny: SimpleNamespace) -> None:
    torch.manual_seed(0)
    found = tiny.muon.orthogonal(torch.randn(3, 16, 40))
    strengths = torch.linalg.svdvals(found)
    assert strengths.min() > 0.6 and strengths.max() < 1.3


def test_a_layer_that_is_added_changes_nothing_at_first(
    tiny: SimpleNamespace, tmp_path: Path
) -> None:
    model, processor = tiny.train.load(CHECKPOINT)
    model.eval()
    layers = model.config.text_config.num_hidden_layers
    inputs = processor(text="USER: hello ASSISTANT:", return_tensors="pt")

    def answer(asked: Any) -> Any:
        with torch.inference_mode():
            return asked(**inputs).logits

    before = answer(model)
    tiny.train.deepen(model, 2)
    assert torch.equal(answer(model), before)
    assert model.config.text_config.num_hidden_layers == layers + 1
    tiny.train.save(model, processor, tmp_path)
    again, _ = tiny.train.load(tmp_path)
    assert torch.allclose(answer(again.eval()), before, atol=1e-5)
