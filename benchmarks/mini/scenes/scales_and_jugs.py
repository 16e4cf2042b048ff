"""Scenes of weighing and measuring: coins, a plank, a figure of metal, pancakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from canvas import (
    BROWN,
    DARK_BROWN,
    GRASS,
    GREEN,
    GREY,
    INK,
    PALE,
    PURPLE,
    RED,
    SKY,
    WALL,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
)
from PIL import Image
from props import sun

from scenes.clocks_and_candles import WOOD

GOLD: Color = (240, 204, 90)
GLASS: Color = (232, 242, 248)
METAL: Color = (176, 182, 194)

WEIGHINGS: list[tuple[list[int], list[int], int]] = [
    # Coins in the left and the right pan, and which pan is lower: -1 left, 0 none, 1 right.
    ([1, 2, 3], [7, 8, 9], 1),
    ([1, 5, 8], [2, 4, 7], -1),
    ([2], [5], 0),
]


def weighing(number: int) -> Image.Image:
    left, right, lower = WEIGHINGS[number]
    canvas = Canvas(480, 400, (206, 216, 206))
    for across in range(24, 480, 62):
        for down in range(20 + 31 * (across // 62 % 2), 270, 62):
            canvas.disc(across, down, 4, (190, 204, 190))
    canvas.box(0, 296, 480, 400, WOOD)
    canvas.box(0, 288, 480, 300, BROWN)
    canvas.box(16, 14, 152, 50, WHITE, INK, 2, radius=5)
    canvas.text(84, 32, f"Weighing {number + 1}", 20)
    canvas.box(232, 92, 248, 296, GREY, INK, 2)
    canvas.poly([(170, 316), (310, 316), (276, 288), (204, 288)], GREY, INK, 2)
    dip = 26.0 * lower
    canvas.path([(110, 96 - dip), (370, 96 + dip)], INK, 9)
    canvas.disc(240, 96, 12, YELLOW, INK, 2)
    for x, y, coins in ((110, 96 - dip, left), (370, 96 + dip, right)):
        for side in (-1, 1):
            canvas.path([(x, y), (x + side * 76, y + 124)], INK, 2.5)
        canvas.disc(x, y, 6, YELLOW, INK, 2)
        for i, coin in enumerate(coins):
            _coin(canvas, x + 46 * (i - (len(coins) - 1) / 2), y + 102, coin)
        canvas.poly([(x - 84, y + 124), (x + 84, y + 124), (x + 58, y + 144), (x - 58, y + 144)],
                    GREY, INK, 2)  # fmt: skip
    rest = [coin for coin in range(1, 10) if coin not in left + right]
    for i, coin in enumerate(rest):
        _coin(canvas, 240 + 54 * (i - (len(rest) - 1) / 2), 358, coin)
    return canvas.finish()


def _coin(canvas: Canvas, x: float, y: float, number: int) -> None:
    canvas.disc(x, y, 22, GOLD, DARK_BROWN, 2)
    canvas.disc(x, y, 17, None, (200, 160, 50), 1.5)
    canvas.text(x, y, str(number), 21)


def plank() -> Image.Image:
    canvas = Canvas(512, 440, SKY)
    sun(canvas, 442, 58, 24)
    for x, y in ((90, 60), (250, 44)):
        for dx, r in ((-24, 15), (0, 21), (24, 15)):
            canvas.disc(x + dx, y, r, WHITE)
    canvas.box(0, 310, 512, 440, GRASS)
    canvas.poly([(256, 236), (212, 322), (300, 322)], GREY, INK, 2.5)
    canvas.box(6, 222, 506, 238, BROWN, DARK_BROWN, 2)
    step = 44
    for mark in range(1, 6):
        for side in (-1, 1):
            x = 256 + side * mark * step
            canvas.path([(x, 238), (x, 250)], INK, 2.5)
            canvas.text(x, 264, str(mark), 19)
    canvas.disc(256, 230, 6, INK)
    x = 256 - 5 * step
    canvas.box(x - 26, 170, x + 26, 222, (206, 158, 104), DARK_BROWN, 3)
    canvas.path([(x - 24, 220), (x + 24, 172)], DARK_BROWN, 3)
    canvas.text(x, 152, "20 kg", 22)
    x = 256 + 2 * step
    canvas.box(x - 28, 150, x + 28, 222, (150, 96, 60), DARK_BROWN, 3, radius=10)
    for y in (166, 204):
        canvas.path([(x - 27, y), (x + 27, y)], GREY, 5)
    canvas.text(x, 132, "24 kg", 22)
    x = 256 + 4 * step
    canvas.poly([(x - 26, 222), (x - 32, 186), (x - 14, 168), (x - 18, 154), (x + 18, 154),
                 (x + 14, 168), (x + 32, 186), (x + 26, 222)], (226, 206, 160), DARK_BROWN, 3)  # fmt: skip
    canvas.path([(x - 14, 168), (x + 14, 168)], RED, 5)
    canvas.text(x, 198, "?", 30)
    canvas.box(40, 350, 472, 420, WHITE, INK, 2, radius=6)
    canvas.text(256, 371, "The plank is level. All marks are equally", 19)
    canvas.text(256, 399, "far apart, and each load stands on a mark.", 19)
    return canvas.finish()


def jug(
    canvas: Canvas, x: float, foot: float, millilitres: float, full: int, liquid: Color = WATER
) -> None:
    """A glass jug with a scale from 0 to `full`; every tick is a tenth of it."""
    high, half = 240.0, 76.0
    level = foot - 8 - (high - 50) * millilitres / full
    canvas.arc(x - half + 6, foot - high * 0.52, 56, 90, 270, GREY, 11)
    canvas.box(x - half, foot - high, x + half, foot, GLASS, INK, 3, radius=8)
    canvas.box(x - half + 4, level, x + half - 4, foot - 4, liquid, radius=5)
    edge: Color = (60, 110, 170) if liquid == WATER else (150, 150, 150)
    canvas.path([(x - half + 4, level), (x + half - 4, level)], edge, 3)
    canvas.poly([(x + half - 2, foot - high), (x + half + 20, foot - high - 6),
                 (x + half - 2, foot - high + 26)], GLASS, INK, 2.5)  # fmt: skip
    for tick in range(1, 11):
        y = foot - 8 - (high - 50) * tick / 10
        canvas.path([(x + half - (32 if tick % 2 == 0 else 20), y), (x + half - 3, y)], INK, 2)
        if tick % 2 == 0:
            canvas.text(x + half + 9, y, str(full * tick // 10), 18, anchor="lm")
    canvas.text(x - half + 12, foot - high + 18, "ml", 18, anchor="lm")


def jug_scene(title: str, millilitres: float, figure: bool) -> Image.Image:
    canvas = Canvas(400, 400, (220, 230, 216))
    for y in range(0, 320, 40):
        canvas.path([(0, y), (400, y)], WHITE, 2)
        for x in range(20 * (y // 40 % 2), 400, 80):
            canvas.path([(x, y), (x, y + 40)], WHITE, 2)
    canvas.box(0, 320, 400, 400, WOOD)
    canvas.box(0, 312, 400, 324, BROWN)
    canvas.box(18, 16, 18 + 12 * len(title) + 16, 52, WHITE, INK, 2, radius=5)
    canvas.text(26 + 6 * len(title), 34, title, 21)
    jug(canvas, 180, 356, millilitres, 500)
    if figure:
        _elephant(canvas, 156, 322, 0.62)
        canvas.path([(140, 60), (150, 180), (156, 290)], PURPLE, 2)
    else:
        _elephant(canvas, 346, 322, 0.62)
    return canvas.finish()


def _elephant(canvas: Canvas, x: float, y: float, scale: float) -> None:
    """A small metal elephant that looks to the right; (x, y) is the middle of its body."""

    def at(points: list[Point]) -> list[Point]:
        return [(x + dx * scale, y + dy * scale) for dx, dy in points]

    for dx in (-34, -12, 12, 30):
        canvas.box(x + (dx - 8) * scale, y, x + (dx + 8) * scale, y + 44 * scale, METAL, INK, 1.5)
    canvas.disc(x, y - 4 * scale, 48 * scale, METAL, INK, 2, flat=0.72)
    canvas.poly(at([(58, -22), (76, 0), (74, 34), (62, 34), (62, 8), (44, -2)]), METAL, INK, 2)
    canvas.disc(x + 46 * scale, y - 22 * scale, 24 * scale, METAL, INK, 2)
    canvas.disc(x + 34 * scale, y - 18 * scale, 15 * scale, (150, 156, 170), INK, 1.5)
    canvas.disc(x + 56 * scale, y - 28 * scale, 3.5 * scale, INK)
    canvas.path(at([(-46, -8), (-60, 10)]), INK, 3)


def figure_weight() -> Image.Image:
    canvas = Canvas(512, 400, (220, 230, 216))
    canvas.box(0, 320, 512, 400, WOOD)
    canvas.box(0, 312, 512, 324, BROWN)
    _elephant(canvas, 122, 188, 1)
    canvas.box(28, 232, 216, 246, GREY, INK, 2, radius=4)
    canvas.box(110, 246, 134, 262, GREY, INK, 2)
    canvas.box(36, 260, 208, 340, (90, 130, 170), INK, 2.5, radius=10)
    canvas.box(60, 278, 184, 324, (210, 226, 196), INK, 2)
    canvas.text(122, 301, "1095 g", 30)
    canvas.box(250, 22, 494, 298, WHITE, BROWN, 5, radius=6)
    canvas.text(372, 52, "Grams in one millilitre", 20)
    for i, (metal, grams) in enumerate(
        (("aluminium", "2.7"), ("tin", "7.3"), ("iron", "7.9"), ("brass", "8.5"),
         ("silver", "10.5"), ("lead", "11.3"))
    ):  # fmt: skip
        y = 92 + 35 * i
        canvas.text(282, y, metal, 21, anchor="lm")
        canvas.text(462, y, grams, 21, anchor="rm")
        canvas.path([(276, y + 18), (468, y + 18)], PALE, 2)
    return canvas.finish()


def pancakes() -> Image.Image:
    canvas = Canvas(512, 512, WALL)
    for x in range(0, 512, 32):
        canvas.poly([(x, 0), (x + 32, 0), (x + 16, 20)], RED if x // 32 % 2 else YELLOW)
    canvas.box(0, 400, 512, 512, WOOD)
    canvas.box(0, 392, 512, 404, BROWN)
    canvas.box(272, 36, 496, 226, WHITE, RED, 4, radius=8)
    canvas.text(384, 62, "Recipe", 25, RED)
    for i, line in enumerate(("for 10 pancakes:", "250 g flour", "500 ml milk", "2 eggs")):
        canvas.text(296, 98 + 35 * i, line, 23, anchor="lm")
    jug(canvas, 136, 420, 700, 1000, (255, 253, 246))
    canvas.box(86, 320, 166, 360, (206, 226, 246), INK, 2, radius=5)
    canvas.text(126, 339, "milk", 24)
    # Flour in a paper bag that weighs next to nothing.
    canvas.poly([(330, 360), (324, 260), (336, 250), (432, 250), (444, 260), (438, 360)],
                (240, 226, 196), INK, 2.5)  # fmt: skip
    canvas.text(384, 302, "FLOUR", 25, DARK_BROWN)
    canvas.path([(344, 276), (424, 276)], DARK_BROWN, 2)
    canvas.box(310, 360, 458, 370, GREY, INK, 2, radius=4)
    canvas.box(318, 370, 450, 428, GREEN, INK, 2.5, radius=8)
    canvas.box(336, 382, 432, 418, (210, 226, 196), INK, 2)
    canvas.text(384, 400, "400 g", 25)
    for i in range(5):
        canvas.disc(60 + 48 * i, 470, 19, (244, 214, 180), BROWN, 2, flat=1.2)
    canvas.disc(404, 474, 66, INK, flat=0.3)
    canvas.disc(404, 470, 60, (90, 90, 96), flat=0.28)
    canvas.path([(464, 476), (510, 492)], DARK_BROWN, 11)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-scales-coins-1": partial(weighing, 0),
    "ded-high-scales-coins-2": partial(weighing, 1),
    "ded-high-scales-coins-3": partial(weighing, 2),
    "ded-mod-scales-plank": plank,
    "ded-high-jug-elephant-1": partial(jug_scene, "Before", 250, False),
    "ded-high-jug-elephant-2": partial(jug_scene, "After", 400, True),
    "ded-high-jug-elephant-3": figure_weight,
    "ded-mod-kitchen-pancakes": pancakes,
}
