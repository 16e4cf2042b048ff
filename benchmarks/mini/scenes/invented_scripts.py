"""Writing of made-up kinds: captions in signs, numbers of triangles and dots, an odd abacus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from canvas import (
    BLUE,
    BROWN,
    DARK_BROWN,
    GRASS,
    INK,
    ORANGE,
    PALE,
    RED,
    SKY,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
)
from PIL import Image

from .pictograms import SAND, bird, egg, fish

# The strokes of each sign in a unit square; a stroke of one point is a dot.
SIGNS: dict[str, list[list[Point]]] = {
    "three": [[(-1, -1), (-1, 1), (1, 1)], [(0.3, -0.4)]],
    "two": [[(-1, 1), (0, -1), (1, 1)], [(0, 0.5)]],
    "orange": [[(-1, -0.6), (1, -0.6)], [(0, -0.6), (0, 1)], [(-0.6, 0.6)]],
    "blue": [[(-1, 1), (1, -1)], [(-1, -0.1), (-1, 1), (0.1, 1)]],
    "fish": [[(-1, -1), (1, -1), (-1, 1), (1, 1)]],
    "bird": [[(-1, 0.4), (-0.4, -0.8), (0, 0.4), (0.4, -0.8), (1, 0.4)], [(0, 1)]],
}


def _sign(c: Canvas, x: float, y: float, s: float, name: str) -> None:
    for stroke in SIGNS[name]:
        points = [(x + a * s, y + b * s) for a, b in stroke]
        if len(points) == 1:
            c.disc(*points[0], 6, DARK_BROWN)
        else:
            c.path(points, DARK_BROWN, 7)
            for point in points:
                c.disc(*point, 3.5, DARK_BROWN)


def _caption(c: Canvas, words: tuple[str, ...], y: float) -> None:
    c.box(46, y - 44, 338, y + 44, SAND, DARK_BROWN, 3, radius=8)
    for i, word in enumerate(words):
        _sign(c, 102 + i * 90, y, 23, word)


def animals(count: int, color: Color, kind: str, words: tuple[str, ...]) -> Image.Image:
    c = Canvas(384, 320, WATER if kind == "fish" else SKY)
    if kind == "fish":
        for x, y in ((40, 40), (330, 28), (352, 150), (190, 22)):
            c.arc(x, y, 12, 0, 360, WHITE, 2)
            c.arc(x + 16, y + 22, 6, 0, 360, WHITE, 2)
    else:
        for x, y in ((60, 40), (322, 60)):
            for dx in (-24, 0, 24):
                c.disc(x + dx, y, 22 if dx else 28, WHITE, flat=0.7)
    spots = [(110, 72), (270, 118), (120, 160)] if count == 3 else [(120, 76), (262, 142)]
    for x, y in spots:
        (fish if kind == "fish" else bird)(c, x, y, 46, color)
    c.box(0, 216, 384, 320, SAND if kind == "fish" else GRASS)
    _caption(c, words, 268)
    return c.finish()


def caption_alone() -> Image.Image:
    c = Canvas(384, 320, (250, 244, 230))
    c.box(46, 22, 338, 196, WHITE, BROWN, 10)
    for x, y in ((46, 22), (338, 22), (46, 196), (338, 196)):
        c.disc(x, y, 9, DARK_BROWN)
    c.text(192, 109, "?", 110, PALE)
    _caption(c, ("bird", "orange", "two"), 268)
    return c.finish()


# What is in each basket and on its label: t is a triangle, d a dot.
BASKETS = [(12, "tt"), (8, "tdd"), (5, "dt"), (0, "ddttt")]


def egg_numbers() -> Image.Image:
    c = Canvas(512, 512, (232, 240, 226))
    for i, (count, label) in enumerate(BASKETS):
        x, y = 134 + 244 * (i % 2), 116 + 250 * (i // 2)
        if count:
            _basket(c, x, y, count)
        else:
            _lidded_crate(c, x, y)
        c.box(x - 102, y + 66, x + 102, y + 116, WHITE, DARK_BROWN, 2.5, radius=6)
        step = 36
        for k, mark in enumerate(label):
            mx = x + (k - (len(label) - 1) / 2) * step
            if mark == "t":
                c.poly([(mx, y + 74), (mx + 15, y + 106), (mx - 15, y + 106)], BLUE)
            else:
                c.disc(mx, y + 92, 7, INK)
    return c.finish()


def _basket(c: Canvas, x: float, y: float, count: int) -> None:
    c.box(x - 108, y - 92, x + 108, y + 56, (206, 168, 118), DARK_BROWN, 4, radius=18)
    c.box(x - 96, y - 80, x + 96, y + 44, (244, 234, 206), BROWN, 2, radius=12)
    rows = [4, 4, 4] if count == 12 else [4, 4] if count == 8 else [3, 2]
    for r, size in enumerate(rows):
        for k in range(size):
            ex = x + (k - (size - 1) / 2) * 46
            egg(c, ex, y - 16 + (r - (len(rows) - 1) / 2) * 40, 17, (250, 214, 176))


def _lidded_crate(c: Canvas, x: float, y: float) -> None:
    c.box(x - 104, y - 60, x + 104, y + 56, BROWN, DARK_BROWN, 4)
    for k in range(4):
        c.path([(x - 100, y - 36 + 28 * k), (x + 100, y - 36 + 28 * k)], DARK_BROWN, 2)
    c.box(x - 112, y - 86, x + 112, y - 56, (170, 118, 78), DARK_BROWN, 4, radius=4)
    c.text(x, y - 2, "?", 60, WHITE)


# Beads on the rods from left to right, and the caption.
COUNTS: list[tuple[list[int], str]] = [
    ([2, 1, 3, 0], "312"),
    ([3, 5, 0, 4], "4053"),
    ([6, 2, 0, 1], "?"),
]


def abacus() -> Image.Image:
    c = Canvas(512, 400, (222, 234, 244))
    c.box(0, 316, 512, 400, (206, 168, 118))
    colors = (RED, ORANGE, YELLOW, BLUE)
    for i, (beads, caption) in enumerate(COUNTS):
        x, top, bottom = 90 + 166 * i, 52.0, 300.0
        for rod, count in enumerate(beads):
            rx = x + (rod - 1.5) * 32
            c.path([(rx, top), (rx, bottom)], INK, 3)
            for k in range(count):
                c.disc(rx, bottom - 17 - k * 25, 14, colors[rod], INK, 2, flat=0.8)
        for y in (top, bottom):
            c.box(x - 80, y - 9, x + 80, y + 9, BROWN, DARK_BROWN, 2.5, radius=5)
        for side in (-74, 74):
            c.box(x + side - 6, top - 14, x + side + 6, bottom + 30, BROWN, DARK_BROWN, 2.5)
        c.box(x - 52, 338, x + 52, 386, WHITE, INK, 2.5, radius=6)
        c.text(x, 362, caption, 30)
    return c.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-script-animals-1": partial(animals, 3, ORANGE, "fish", ("fish", "orange", "three")),
    "ana-high-script-animals-2": partial(animals, 3, BLUE, "bird", ("bird", "blue", "three")),
    "ana-high-script-animals-3": partial(animals, 2, BLUE, "fish", ("fish", "blue", "two")),
    "ana-high-script-animals-4": caption_alone,
    "ana-high-script-eggs": egg_numbers,
    "ana-mod-abacus-strange": abacus,
}
