"""The shape-grid world: scenes of coloured shapes in a three by three grid, and their pictures."""

from __future__ import annotations

import hashlib
import math
import random
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

MINI = Path(__file__).resolve().parents[1] / "benchmarks" / "mini"
sys.path.insert(0, str(MINI))
# The model's world is the one that the bundled benchmark draws.
from canvas import PAPER
from scenes.grids import CELL, COLORS, unit_outline
from scenes.grids import GRIDS as GRIDS

sys.path.remove(str(MINI))

SHAPES = ("circle", "square", "triangle", "star", "cross")
PLACES = (
    "top left",
    "top center",
    "top right",
    "middle left",
    "center",
    "middle right",
    "bottom left",
    "bottom center",
    "bottom right",
)
Piece = tuple[str, str]
"""(colour, shape), or QUESTION."""
Scene = tuple[Piece | None, ...]
"""Nine cells, row by row from the top left; None is empty."""

QUESTION: Piece = ("", "?")

RESERVED_SHARE = 10
"""One scene in so many is never trained on."""


def is_reserved(scene: Scene) -> bool:
    """True for scenes kept for measurements and for the bundled benchmark.

    It depends on nothing but the scene, so that training can exclude what a benchmark
    that is written later will hold.
    """
    text = ";".join(" ".join(piece) if piece else "" for piece in scene)
    return hashlib.sha256(text.encode()).digest()[0] % RESERVED_SHARE == 0


def pieces(scene: Scene) -> list[Piece]:
    """The shapes of the scene, without empty cells and the question mark."""
    return [piece for piece in scene if piece and piece != QUESTION]


def random_scene(rng: random.Random, fewest: int = 2, most: int = 7) -> Scene:
    """Shapes of two to four colours and kinds in random cells."""
    cells: list[Piece | None] = [None] * 9
    colors = rng.sample(list(COLORS), rng.randint(2, 4))
    shapes = rng.sample(SHAPES, rng.randint(2, 4))
    for i in rng.sample(range(9), rng.randint(fewest, most)):
        cells[i] = (rng.choice(colors), rng.choice(shapes))
    return tuple(cells)


def draw(scene: Scene, rng: random.Random, margin: float = 0.0) -> Image.Image:
    """The picture of a scene; size, place and turn of each shape vary with `rng`.

    margin: empty border on every side, as a share of the grid's width.
    """
    side = round(CELL * 3 * (1 + 2 * margin))
    origin = round(CELL * 3 * margin)
    image = Image.new("RGB", (side, side), PAPER)
    canvas = ImageDraw.Draw(image)
    for i, piece in enumerate(scene):
        if piece is not None:
            x, y = origin + (i % 3 + 0.5) * CELL, origin + (i // 3 + 0.5) * CELL
            draw_piece(canvas, piece, x, y, CELL, rng)
    return image


def draw_piece(
    canvas: ImageDraw.ImageDraw,
    piece: Piece,
    x: float,
    y: float,
    cell: float,
    rng: random.Random,
) -> None:
    """Draw `piece` into the cell around (x, y)."""
    color, shape = piece
    if piece == QUESTION:
        font: Any = ImageFont.load_default(size=int(cell * 0.8))
        canvas.text((x, y), "?", fill=(60, 60, 60), font=font, anchor="mm")
        return
    radius = cell * rng.uniform(0.265, 0.385)
    x += cell * rng.uniform(-0.075, 0.075)
    y += cell * rng.uniform(-0.075, 0.075)
    turn = rng.uniform(-0.25, 0.25)
    if shape == "circle":
        canvas.ellipse((x - radius, y - radius, x + radius, y + radius), fill=COLORS[color])
        return
    cos, sin = math.cos(turn), math.sin(turn)
    corners = [
        (x + radius * (u * cos - v * sin), y + radius * (u * sin + v * cos))
        for u, v in unit_outline(shape)
    ]
    canvas.polygon(corners, fill=COLORS[color])
