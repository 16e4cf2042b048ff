"""What the bundled model was trained on, and what it was not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.support.scripts import CHECKPOINT, tiny_scripts


@pytest.fixture(scope="module")
def tiny() -> Iterator[SimpleNamespace]:
    """The world, its puzzles, and what is held out of the training."""
    with tiny_scripts("world", "puzzles", "heldout") as modules:
        yield modules


def test_the_benchmarks_grids_are_not_trained_on(tiny: SimpleNamespace) -> None:
    scenes = tiny.heldout.bundled_scenes()
    assert len(scenes) >= 10
    assert not any(tiny.heldout.is_trainable(scene) for scene in scenes)


def test_the_checkpoint_was_not_trained_on_the_benchmarks_grids(tiny: SimpleNamespace) -> None:
    """A grid that is drawn after the training must be a reserved one."""
    facts = json.loads((CHECKPOINT / "training.json").read_text(encoding="utf-8"))
    left_out = set(facts["not trained on, beside the reserved scenes"])
    for scene in tiny.heldout.bundled_scenes():
        name = tiny.heldout.name_of(scene)
        assert tiny.world.is_reserved(scene) or name in left_out, (
            f"{name}: {CHECKPOINT.name} may have been trained on it; draw one that is_reserved"
        )


def test_one_scene_in_ten_is_reserved_by_what_it_holds(tiny: SimpleNamespace) -> None:
    rng = random.Random(1)
    scenes = [tiny.world.random_scene(rng) for _ in range(4000)]
    share = sum(map(tiny.world.is_reserved, scenes)) / len(scenes)
    assert share == pytest.approx(1 / tiny.world.RESERVED_SHARE, abs=0.02)
    # The rule must stay what it was when the checkpoint was trained.
    rng = random.Random(2)
    pinned = [tiny.world.random_scene(rng) for _ in range(40)]
    assert [i for i, s in enumerate(pinned) if tiny.world.is_reserved(s)] == PINNED


PINNED = [5, 6, 7, 28]


def test_every_batch_holds_trainable_scenes_only(tiny: SimpleNamespace) -> None:
    pytest.importorskip("torch", reason="batches are torch tensors")
    tokenizers = pytest.importorskip("tokenizers", reason="batches are tokens")
    asked: list[object] = []

    def refuse(scene: object) -> bool:
        asked.append(scene)
        return tiny.heldout.is_trainable(scene)

    tokenizer = tokenizers.Tokenizer.from_file(str(CHECKPOINT / "tokenizer.json"))
    with tiny_scripts("batches") as scripts:
        made = scripts.batches.Batches(tokenizer, seed=1, length=4, accept=refuse)
    shown = sum(len(made[n].pictures) for n in range(4))
    accepted = [scene for scene in asked if tiny.heldout.is_trainable(scene)]
    assert shown == len(accepted) < len(asked)


@pytest.mark.parametrize(
    ("kind", "grid", "question", "answer"),
    [
        ("remove", "red star,,,blue star,,,red circle,,", "If all stars are", "1"),
        ("relation", "red star,blue cross,,,,,,,", "What is right of the red star", "blue cross"),
        ("analogy", "red star,,red cross,,,,blue star,,?", "", "blue cross"),
        ("odd", "red star,red star,blue star,,red star,,red star,,", "", "blue star"),
        ("compare", "red star,blue star,red cross,,,,,,", "Which are there more of", "stars"),
        ("count", "red star,blue star,,,,,,,", "red shapes", "1"),
    ],
)
def test_answers_follow_from_the_scene(
    tiny: SimpleNamespace, kind: str, grid: str, question: str, answer: str
) -> None:
    scene = tuple(
        ("", "?") if cell == "?" else tuple(cell.split()) if cell else None
        for cell in grid.split(",")
    )
    rng = random.Random(kind)
    puzzles = [tiny.puzzles.ask(kind, scene, rng) for _ in range(300)]
    answers = {p.answer for p in puzzles if p and question in p.question}
    assert answers == {answer}
