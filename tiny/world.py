"""The shape-grid world: scenes of coloured shapes in a three by three grid, and their pictures."""

from __future__ import annotations

import hashlib
import math
import random
from typing import Any

from PIL import Image, ImageDraw, ImageFont

SHAPES = ("circle", "square", "triangle", "star", "cross")
COLORS = {
    "red": (220, 40, 40),
    "green": (40, 160, 60),
    "blue": (40, 80, 220),
    "yellow": (235, 200, 30),
    "purple": (150, 60, 190),
    "orange": (245, 130, 30),
}
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
PAPER = (248, 248, 246)
CELL = 128
"""Pixels of a cell where a picture is drawn; three cells make a picture."""

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
        for u, v in outline(shape)
    ]
    canvas.polygon(corners, fill=COLORS[color])


def outline(shape: str) -> list[tuple[float, float]]:
    """The corners of a shape of radius 1, upright."""
    if shape == "square":
        return [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]
    if shape == "triangle":
        return _spokes([1.1] * 3)
    if shape == "star":
        return _spokes([1.15, 0.48] * 5)
    arm = 0.36
    corner = [(-arm, -1.0), (arm, -1.0), (arm, -arm)]
    corners: list[tuple[float, float]] = []
    for _ in range(4):
        corners += corner
        corner = [(-v, u) for u, v in corner]
    return corners


def _spokes(radii: list[float]) -> list[tuple[float, float]]:
    step = math.tau / len(radii)
    return [(r * math.sin(i * step), -r * math.cos(i * step)) for i, r in enumerate(radii)]
