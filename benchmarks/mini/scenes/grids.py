"""The shape-grid puzzles: three by three cells of coloured shapes."""

from __future__ import annotations

import math
import random
from functools import partial

from canvas import BLUE, GREEN, ORANGE, PURPLE, RED, YELLOW, Canvas, Color, Point
from PIL import Image

CELL = 128
COLORS: dict[str, Color] = {
    "red": RED,
    "green": GREEN,
    "blue": BLUE,
    "yellow": YELLOW,
    "purple": PURPLE,
    "orange": ORANGE,
}

# Rows from the top; a cell is "colour shape", "?" or "" for empty.
GRIDS: dict[str, list[list[str]]] = {
    "ded-mod-shapegrid-1": [
        ["blue square", "", "red star"],
        ["green square", "orange circle", "blue cross"],
        ["", "red circle", "purple square"],
    ],
    "ded-high-shapegrid-1": [
        ["red triangle", "blue star", "yellow star"],
        ["blue circle", "blue star", "green triangle"],
        ["orange triangle", "", "blue star"],
    ],
    "abd-mod-shapegrid-1": [
        ["red star", "green cross", "purple circle"],
        ["blue triangle", "", "red star"],
        ["green cross", "blue triangle", ""],
    ],
    "abd-high-shapegrid-1": [
        ["red circle", "green circle", "red cross"],
        ["red star", "green star", "blue star"],
        ["blue circle", "green cross", "blue cross"],
    ],
    "ana-mod-shapegrid-1": [
        ["green triangle", "", "green cross"],
        ["", "", ""],
        ["orange triangle", "", "?"],
    ],
    "ana-mod-shapegrid-2": [
        ["red square", "blue circle", "yellow triangle"],
        ["red circle", "blue triangle", "yellow square"],
        ["red triangle", "blue square", "?"],
    ],
    "ana-high-shapegrid-1": [
        ["red star", "blue circle", "blue star"],
        ["green cross", "orange square", "orange cross"],
        ["purple triangle", "yellow star", "?"],
    ],
    "ana-high-shapegrid-2-first": [
        ["red circle", "blue star", ""],
        ["red triangle", "", ""],
        ["", "", "blue cross"],
    ],
    "ana-high-shapegrid-2-second": [
        ["", "red star", "blue circle"],
        ["", "", "blue triangle"],
        ["red cross", "", ""],
    ],
    "ana-high-shapegrid-2-third": [
        ["blue square", "", ""],
        ["red star", "", ""],
        ["", "red cross", "blue triangle"],
    ],
}


def draw_grid(name: str) -> Image.Image:
    # The seed is the name, so that a new puzzle does not move the shapes of the others.
    rng = random.Random(name)
    canvas = Canvas(3 * CELL, 3 * CELL)
    for row, cells in enumerate(GRIDS[name]):
        for column, cell in enumerate(cells):
            x, y = (column + 0.5) * CELL, (row + 0.5) * CELL
            if cell == "?":
                canvas.text(x, y, "?", 104, (60, 60, 60))
            elif cell:
                _draw_shape(canvas, cell, x, y, rng)
    return canvas.finish()


def _draw_shape(canvas: Canvas, cell: str, x: float, y: float, rng: random.Random) -> None:
    color, shape = cell.split()
    radius = CELL * rng.uniform(0.27, 0.36)
    x += CELL * rng.uniform(-0.06, 0.06)
    y += CELL * rng.uniform(-0.06, 0.06)
    turn = rng.uniform(-0.25, 0.25)
    if shape == "circle":
        canvas.disc(x, y, radius, COLORS[color])
        return
    cos, sin = math.cos(turn), math.sin(turn)
    outline = [
        (x + radius * (u * cos - v * sin), y + radius * (u * sin + v * cos))
        for u, v in unit_outline(shape)
    ]
    canvas.poly(outline, COLORS[color])


def unit_outline(shape: str) -> list[Point]:
    """The corners of a shape that just fits a circle of radius 1, roughly."""
    if shape == "square":
        return [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]
    if shape == "triangle":
        return _spokes([1.1] * 3)
    if shape == "star":
        return _spokes([1.15, 0.48] * 5)
    arm = 0.36
    corner = [(-arm, -1.0), (arm, -1.0), (arm, -arm)]
    points: list[Point] = []
    for _ in range(4):
        points += corner
        corner = [(-v, u) for u, v in corner]
    return points


def _spokes(radii: list[float]) -> list[Point]:
    step = math.tau / len(radii)
    return [(r * math.sin(i * step), -r * math.cos(i * step)) for i, r in enumerate(radii)]


SCENES = {name: partial(draw_grid, name) for name in GRIDS}
