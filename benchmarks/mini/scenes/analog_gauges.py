"""Instruments that are read by likeness with others, and a recipe on another scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from canvas import (
    BLUE,
    BROWN,
    DARK_BROWN,
    GRASS,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    RED,
    SKY,
    WALL,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    polar,
)
from PIL import Image
from props import sun

from .pictograms import MINT, NIGHT, SAND, apple, egg, moon, tree


def thermometers(title: str, celsius: float | None, zorn: float, sky: Color) -> Image.Image:
    """A window with a view, and two thermometers; without `celsius` the left one is frosted."""
    c = Canvas(512, 448, WALL)
    c.box(24, 64, 222, 330, sky, BROWN, 9)
    if title == "MORNING":
        sun(c, 70, 250, 26)
    elif title == "NOON":
        sun(c, 128, 126, 28)
    else:
        moon(c, 160, 130, 24, sky)
    c.box(29, 270, 217, 325, GRASS if title != "EVENING" else (64, 96, 78))
    tree(c, 176, 246, 42, GREEN if title != "EVENING" else (44, 90, 60))
    c.path([(123, 66), (123, 328)], BROWN, 6)
    c.path([(26, 190), (220, 190)], BROWN, 6)
    c.box(14, 326, 232, 340, BROWN, DARK_BROWN, 2)
    c.box(58, 16, 188, 50, WHITE, INK, 2.5, radius=6)
    c.text(123, 33, title, 20)
    _thermometer(c, 312, "°C", celsius, 40, 1)
    _thermometer(c, 434, "°Z", zorn, 100, 2)
    c.box(0, 404, 512, 448, (206, 168, 118))
    return c.finish()


def _thermometer(c: Canvas, x: float, unit: str, value: float | None, top: int, small: int) -> None:
    c.box(x - 52, 26, x + 56, 388, WHITE, DARK_BROWN, 4, radius=10)
    c.text(x - 28, 50, unit, 22)
    bottom, height = 338.0, 260.0
    c.box(x - 8, 66, x + 8, bottom + 14, WHITE, INK, 2, radius=8)
    c.disc(x, bottom + 22, 17, RED if value is not None else PALE, INK)
    if value is not None:
        c.box(x - 5, bottom - value / top * height, x + 5, bottom + 22, RED)
    for mark in range(0, top + 1, small):
        y = bottom - mark / top * height
        long = 20 if mark % 10 == 0 else 14 if mark % 5 == 0 else 9
        c.path([(x + 10, y), (x + 10 + long, y)], INK, 2.2 if mark % 10 == 0 else 1.3)
        if mark % 10 == 0:
            c.text(x - 13, y, str(mark), 15, anchor="rm")
    if value is None:
        c.box(x - 40, 170, x + 46, 230, YELLOW, INK, 2.5, radius=6)
        c.text(x + 3, 200, "BROKEN", 19)


# How full each tank is; the last one has no window.
TANKS = (1.0, 0.5, 0.25)


def tank_gauges() -> Image.Image:
    c = Canvas(512, 448, (226, 236, 240))
    c.box(0, 392, 512, 448, GREY)
    for i, level in enumerate(TANKS):
        x = 90 + 166 * i
        for side in (-46, 46):
            c.box(x + side - 8, 376, x + side + 8, 404, INK)
        c.box(x - 70, 170, x + 70, 384, (196, 120, 84), INK, 3, radius=22)
        c.text(x, 200, "60 LITRES", 20, WHITE)
        if i < 2:
            c.box(x - 26, 222, x + 26, 366, WHITE, INK, 3, radius=6)
            c.box(x - 24, 364 - 140 * level, x + 24, 364, BLUE, radius=4)
        else:
            c.box(x - 26, 222, x + 26, 366, (150, 88, 60), INK, 3, radius=6)
            c.text(x, 294, "?", 54, WHITE)
        c.path([(x, 170), (x, 140)], INK, 8)
        _dial(c, x, 126, level)
    return c.finish()


def _dial(c: Canvas, x: float, y: float, level: float) -> None:
    """A full tank has its needle at the left end."""
    c.disc(x, y - 16, 74, WHITE, INK, 3)
    for k in range(5):
        a = 180 + 45 * k
        c.path([polar(x, y, 50, a), polar(x, y, 62, a)], INK, 3)
    c.path([polar(x, y, -12, 360 - 180 * level), polar(x, y, 52, 360 - 180 * level)], RED, 5)
    c.disc(x, y, 8, INK)


CARD = [("eggs", "4"), ("apples", "6"), ("flour", "200 g"), ("sugar", "100 g")]


def recipe_card() -> Image.Image:
    c = Canvas(448, 448, (232, 150, 120))
    for k in range(8):
        c.box(k * 64, 0, k * 64 + 28, 448, (240, 176, 146))
    c.box(44, 24, 404, 424, WHITE, BROWN, 3, radius=12)
    c.text(224, 62, "Apple cake", 32)
    c.text(224, 98, "for 8 people", 20, BROWN)
    c.path([(80, 120), (368, 120)], PALE, 3)
    for i, (name, amount) in enumerate(CARD):
        y = 162 + 68 * i
        if name == "eggs":
            egg(c, 110, y, 20)
        elif name == "apples":
            apple(c, 110, y + 4, 22)
        else:
            _bag(c, 110, y, 0.5, name.upper()[:1])
        c.text(160, y, name, 24, anchor="lm")
        c.text(352, y, amount, 24, anchor="rm")
    return c.finish()


def recipe_table() -> Image.Image:
    c = Canvas(512, 448, MINT)
    for k in range(9):
        c.path([(k * 64, 0), (k * 64, 190)], WHITE, 2)
    for k in range(4):
        c.path([(0, k * 62), (512, k * 62)], WHITE, 2)
    c.box(0, 186, 512, 448, (214, 170, 120), BROWN, 4)
    for x, name, grams in ((140, "FLOUR", "300 g"), (372, "SUGAR", "150 g")):
        _bag(c, x, 112, 1.0, name)
        c.box(x - 84, 166, x + 84, 178, GREY, INK, 2.5, radius=5)
        c.box(x - 66, 178, x + 66, 232, WHITE, INK, 2.5, radius=10)
        c.box(x - 46, 188, x + 46, 222, (200, 226, 196), INK, 2, radius=4)
        c.text(x, 205, grams, 23)
    c.box(24, 262, 250, 424, (240, 232, 214), BROWN, 3, radius=16)
    for k in range(6):
        egg(c, 68 + 69 * (k % 3), 310 + 68 * (k // 3), 24, (250, 214, 176))
    c.disc(384, 354, 112, WHITE, BLUE, 4, flat=0.72)
    for x, y in ((340, 324), (416, 314), (352, 386), (428, 380)):
        apple(c, x, y, 26)
    return c.finish()


def _bag(c: Canvas, x: float, y: float, s: float, name: str) -> None:
    color = SAND if name.startswith("F") else (206, 222, 244)
    c.poly([(x - 46 * s, y + 56 * s), (x - 50 * s, y - 36 * s), (x + 50 * s, y - 36 * s),
            (x + 46 * s, y + 56 * s)], color, INK, 2)  # fmt: skip
    c.box(x - 50 * s, y - 56 * s, x + 50 * s, y - 34 * s, ORANGE, INK, 2)
    c.text(x, y + 12 * s, name, 22)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-gauge-twin-1": partial(thermometers, "MORNING", 10, 40, (250, 214, 190)),
    "ana-high-gauge-twin-2": partial(thermometers, "NOON", 25, 70, SKY),
    "ana-high-gauge-twin-3": partial(thermometers, "EVENING", None, 46, NIGHT),
    "ana-mod-gauge-tanks": tank_gauges,
    "ana-mod-recipe-larger-1": recipe_card,
    "ana-mod-recipe-larger-2": recipe_table,
}
