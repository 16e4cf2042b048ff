"""What is never trained on: reserved scenes, and every shape grid of the bundled benchmark."""

from __future__ import annotations

from functools import cache

from world import GRIDS, QUESTION, Scene, is_reserved


@cache
def bundled_scenes() -> frozenset[Scene]:
    """Every shape grid of the bundled benchmark."""

    def piece(cell: str) -> tuple[str, str] | None:
        if cell == "?":
            return QUESTION
        color, _, shape = cell.partition(" ")
        return (color, shape) if cell else None

    return frozenset(tuple(piece(cell) for row in rows for cell in row) for rows in GRIDS.values())


def is_trainable(scene: Scene) -> bool:
    """False for scenes kept for measurements and for the bundled benchmark."""
    return not is_reserved(scene) and scene not in bundled_scenes()


def name_of(scene: Scene) -> str:
    """A scene in words, as the checkpoint's record of its training holds it."""
    return "; ".join(" ".join(piece).strip() if piece else "-" for piece in scene)
