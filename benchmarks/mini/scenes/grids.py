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
    "ded-mod-shapegrid-3": [
        ["orange triangle", "red square", "orange star"],
        ["purple star", "orange circle", "green square"],
        ["purple circle", "", "green cross"],
    ],
    "ded-mod-shapegrid-4-first": [
        ["green cross", "yellow circle", "red circle"],
        ["purple square", "green cross", "purple cross"],
        ["", "red circle", "yellow circle"],
    ],
    "ded-mod-shapegrid-4-second": [
        ["blue triangle", "green triangle", "orange cross"],
        ["", "green triangle", "red triangle"],
        ["orange cross", "orange star", "yellow cross"],
    ],
    "ded-mod-shapegrid-5": [
        ["orange triangle", "", "purple star"],
        ["blue cross", "green star", "yellow circle"],
        ["red cross", "", "blue circle"],
    ],
    "ded-mod-shapegrid-6": [
        ["orange circle", "blue star", "red square"],
        ["orange square", "blue circle", "yellow cross"],
        ["purple star", "yellow star", "yellow circle"],
    ],
    "ded-mod-shapegrid-7": [
        ["yellow circle", "orange star", ""],
        ["yellow square", "red star", "green circle"],
        ["red cross", "green square", "blue cross"],
    ],
    "ded-high-shapegrid-2": [
        ["", "red cross", ""],
        ["red cross", "blue circle", "blue circle"],
        ["", "", ""],
    ],
    "ded-high-shapegrid-3": [
        ["red square", "red circle", "green circle"],
        ["green triangle", "red cross", "green cross"],
        ["purple circle", "purple triangle", "purple cross"],
    ],
    "ded-high-shapegrid-4-first": [
        ["blue triangle", "", "purple triangle"],
        ["purple circle", "purple square", ""],
        ["yellow square", "", "blue square"],
    ],
    "ded-high-shapegrid-4-second": [
        ["orange square", "orange cross", ""],
        ["orange triangle", "", "purple circle"],
        ["yellow square", "", "yellow cross"],
    ],
    "ded-high-shapegrid-5": [
        ["purple triangle", "green circle", ""],
        ["green square", "orange cross", ""],
        ["red cross", "red triangle", ""],
    ],
    "abd-mod-shapegrid-3": [
        ["blue star", "purple cross", "orange circle"],
        ["blue star", "orange circle", "purple cross"],
        ["orange circle", "orange cross", "blue star"],
    ],
    "abd-mod-shapegrid-4": [
        ["purple star", "green triangle", "red square"],
        ["yellow circle", "purple cross", "green triangle"],
        ["red square", "yellow circle", "purple star"],
    ],
    "abd-mod-shapegrid-5-first": [
        ["", "", "blue star"],
        ["blue cross", "blue triangle", ""],
        ["green cross", "yellow triangle", "purple cross"],
    ],
    "abd-mod-shapegrid-5-second": [
        ["blue cross", "blue triangle", "blue star"],
        ["green cross", "yellow triangle", "purple cross"],
        ["", "", ""],
    ],
    "abd-high-shapegrid-2-first": [
        ["", "yellow cross", "red cross"],
        ["blue square", "blue cross", "purple square"],
        ["green cross", "", "red circle"],
    ],
    "abd-high-shapegrid-2-second": [
        ["red cross", "purple square", "red circle"],
        ["yellow cross", "blue cross", ""],
        ["", "", "green cross"],
    ],
    "abd-high-shapegrid-3-first": [
        ["orange triangle", "orange star", "orange cross"],
        ["blue cross", "orange circle", "green triangle"],
        ["orange cross", "purple square", "blue circle"],
    ],
    "abd-high-shapegrid-3-second": [
        ["", "orange star", "orange cross"],
        ["blue cross", "orange circle", "green triangle"],
        ["", "purple square", "blue circle"],
    ],
    "abd-high-shapegrid-3-third": [
        ["", "orange star", ""],
        ["blue cross", "", "green triangle"],
        ["", "purple square", "blue circle"],
    ],
    "abd-high-shapegrid-4-first": [
        ["orange star", "purple square", "red cross"],
        ["green star", "green triangle", "purple star"],
        ["blue circle", "blue square", "yellow star"],
    ],
    "abd-high-shapegrid-4-second": [
        ["orange star", "red square", "red cross"],
        ["yellow star", "yellow triangle", "red star"],
        ["", "", "yellow star"],
    ],
    "ana-mod-shapegrid-3": [
        ["blue circle", "", "green circle"],
        ["", "", ""],
        ["blue cross", "", "?"],
    ],
    "ana-mod-shapegrid-4": [
        ["blue circle", "", "blue triangle"],
        ["", "", ""],
        ["orange circle", "", "?"],
    ],
    "ana-mod-shapegrid-5-first": [
        ["purple cross", "orange cross", ""],
        ["orange star", "purple star", "green star"],
        ["green circle", "green cross", ""],
    ],
    "ana-mod-shapegrid-5-second": [
        ["orange circle", "green circle", ""],
        ["green cross", "orange cross", "?"],
        ["purple star", "purple circle", ""],
    ],
    "ana-mod-shapegrid-6": [
        ["purple circle", "", "orange circle"],
        ["", "", ""],
        ["?", "", "purple star"],
    ],
    "ana-high-shapegrid-3": [
        ["blue star", "yellow circle", "red cross"],
        ["red circle", "blue cross", "yellow star"],
        ["?", "red star", "blue circle"],
    ],
    "ana-high-shapegrid-4-first": [
        ["", "red square", ""],
        ["blue square", "blue star", ""],
        ["green circle", "green square", "purple cross"],
    ],
    "ana-high-shapegrid-4-second": [
        ["green circle", "blue cross", ""],
        ["green cross", "blue star", "red cross"],
        ["purple square", "", ""],
    ],
    "ana-high-shapegrid-4-third": [
        ["purple cross", "", "blue cross"],
        ["", "purple star", "blue circle"],
        ["", "purple circle", ""],
    ],
    "ana-high-shapegrid-5-first": [
        ["blue star", "yellow star", "purple triangle"],
        ["blue triangle", "yellow cross", "purple star"],
        ["yellow triangle", "yellow circle", "green star"],
    ],
    "ana-high-shapegrid-5-second": [
        ["purple star", "blue star", "yellow triangle"],
        ["?", "blue cross", "yellow star"],
        ["green triangle", "yellow circle", "yellow star"],
    ],
}


# Where pictures of a sample show the same pieces again, each keeps its size and turn, with what
# stays the same of it: its colour and kind, or its place.
SAME_PIECES = {
    "abd-mod-shapegrid-5": "piece",
    "abd-high-shapegrid-2": "piece",
    "abd-high-shapegrid-3": "place",
    "abd-high-shapegrid-4": "place",
}


def draw_grid(name: str) -> Image.Image:
    # The seed is the name, so that a new puzzle does not move the shapes of the others.
    rng = random.Random(name)
    sample = name.rpartition("-")[0]
    kept = SAME_PIECES.get(sample)
    canvas = Canvas(3 * CELL, 3 * CELL)
    for row, cells in enumerate(GRIDS[name]):
        for column, cell in enumerate(cells):
            x, y = (column + 0.5) * CELL, (row + 0.5) * CELL
            if cell == "?":
                canvas.text(x, y, "?", 104, (60, 60, 60))
            elif cell:
                if kept:
                    rng = random.Random(f"{sample} {cell if kept == 'piece' else (row, column)}")
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
