"""Simple machines, wires and water: what moves, glows or fills."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

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
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image

PIPE: Color = (166, 172, 182)
WOOD: Color = (206, 158, 108)
COPPER: Color = (184, 104, 60)
BOARD: Color = (240, 236, 222)
LAMP_GREY: Color = (226, 226, 220)
BELT: Color = (64, 108, 150)


def drums() -> Image.Image:
    canvas = Canvas(512, 420, WALL)
    canvas.box(0, 392, 512, 420, WOOD)
    canvas.box(14, 60, 498, 84, BROWN, DARK_BROWN, 2)
    xs, y, rim = [74, 195, 316, 437], 150, 40
    for x in xs:
        canvas.box(x - 8, 72, x + 8, y, DARK_BROWN)
        canvas.disc(x, y, rim, WOOD, DARK_BROWN, 3)
        for a in range(0, 180, 45):
            canvas.path([polar(x, y, rim - 4, a), polar(x, y, rim - 4, a + 180)], BROWN, 3)
    for (left, right), crossed in zip(pairwise(xs), (False, True, True), strict=True):
        reach = rim + 3.5
        touch = math.degrees(math.acos(2 * reach / (right - left))) if crossed else 90
        for side in (-1, 1):
            end = 180 + side * touch if crossed else side * touch
            canvas.path([polar(left, y, reach, side * touch), polar(right, y, reach, end)], BELT, 7)
    for x in xs:
        canvas.disc(x, y, rim + 3.5, None, BELT, 7)
    sides = (1, -1, 1, 1)
    for x, side, color, bottom in zip(
        xs, sides, (RED, BLUE, GREEN, YELLOW), (300, 320, 290, 310), strict=True
    ):
        canvas.disc(x, y, 24, WHITE, INK, 3)
        canvas.disc(x, y, 5, INK)
        canvas.path([(x + side * 23, y), (x + side * 23, bottom - 24)], INK, 3)
        bucket(canvas, x + side * 23, bottom, color)
    canvas.arc(xs[0], y, 60, 195, 285, RED, 6)
    canvas.poly([polar(xs[0], y, 60, 305), polar(xs[0], y, 72, 282), polar(xs[0], y, 48, 282)], RED)
    canvas.text(256, 30, "All wheels are joined by belts.", 20)
    return canvas.finish()


def bucket(canvas: Canvas, x: float, y: float, color: Color) -> None:
    canvas.path([(x - 22, y), (x, y - 26), (x + 22, y)], INK, 2.5)
    canvas.poly([(x - 26, y), (x + 26, y), (x + 20, y + 46), (x - 20, y + 46)], color, INK, 2.5)
    canvas.disc(x, y, 26, PALE, INK, 2, flat=0.25)


def seesaw() -> Image.Image:
    canvas = Canvas(512, 440, SKY)
    canvas.box(0, 330, 512, 440, GRASS)
    for x, y, r in (
        (60, 60, 22),
        (90, 54, 28),
        (124, 62, 20),
        (380, 40, 20),
        (410, 34, 26),
        (442, 44, 20),
    ):
        canvas.disc(x, y, r, WHITE)
    top, step, middle = 232, 36, 256
    canvas.poly([(middle, top + 14), (middle + 52, 336), (middle - 52, 336)], RED, INK, 3)
    for x in (middle - 6 * step, middle + 6 * step):
        canvas.box(x - 15, top + 14, x + 15, 336, BROWN, DARK_BROWN, 2)
        canvas.text(x, 352, "prop", 16)
    canvas.box(middle - 6.4 * step, top, middle + 6.4 * step, top + 14, WOOD, DARK_BROWN, 2)
    for mark in range(-6, 7):
        x = middle + mark * step
        canvas.path([(x, top), (x, top + 14)], DARK_BROWN, 2)
        if mark:
            canvas.text(x, top + 28, str(abs(mark)), 18, WHITE if abs(mark) == 6 else INK)
    for mark, kilos, color, size in ((-5, 20, BLUE, 58), (-2, 15, ORANGE, 52), (2, 45, YELLOW, 88)):
        x = middle + mark * step
        crate(canvas, x, top, size, color, f"{kilos} kg")
    crate(canvas, 384, 410, 50, GREEN, "10 kg")
    return canvas.finish()


def crate(canvas: Canvas, x: float, y: float, size: float, color: Color, text: str) -> None:
    """A box that stands on `y` with a foot below its middle."""
    half = size / 2
    canvas.box(x - half, y - 8 - size * 0.86, x + half, y - 8, color, INK, 2.5, radius=3)
    canvas.poly([(x - 10, y - 8), (x + 10, y - 8), (x, y)], INK)
    canvas.box(x - 27, y - 20 - size * 0.43, x + 27, y + 2 - size * 0.43, WHITE, INK, 1.5, radius=4)
    canvas.text(x, y - 9 - size * 0.43, text, 17)


def wire(canvas: Canvas, points: Sequence[Point]) -> None:
    canvas.path(points, COPPER, 5)


def lamp(
    canvas: Canvas, x: float, y: float, color: Color, name: str = "", burnt: bool = False
) -> None:
    canvas.disc(x, y, 21, color, INK, 3)
    r = 13
    if burnt:
        for a in (45, 135, 225, 315):
            canvas.path([polar(x, y, 6, a), polar(x, y, 19, a)], INK, 3)
        canvas.path([(x - 4, y - 7), (x + 3, y), (x - 3, y + 7)], RED, 3)
    else:
        for a in (45, 135):
            canvas.path([polar(x, y, r + 6, a), polar(x, y, r + 6, a + 180)], INK, 3)
    if name:
        canvas.text(x, y - 35, name, 20)


def switch(canvas: Canvas, x: float, y: float, closed: bool) -> None:
    canvas.box(x - 24, y - 6, x + 24, y + 6, BOARD)
    end = (x + 24, y) if closed else (x + 18, y - 24)
    canvas.path([(x - 24, y), end], INK, 5)
    for side in (-1, 1):
        canvas.disc(x + side * 24, y, 6, WHITE, INK, 2.5)


def battery(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x - 30, y - 50, x + 30, y + 50, INK, INK, 2, radius=6)
    canvas.box(x - 30, y - 50, x + 30, y - 16, COPPER, INK, 2, radius=6)
    canvas.box(x - 10, y - 60, x + 10, y - 50, GREY, INK, 2)
    canvas.text(x, y - 32, "+", 26, WHITE)
    canvas.text(x, y + 30, "-", 30, WHITE)


def lamps() -> Image.Image:
    canvas = Canvas(512, 512, BOARD)
    canvas.box(10, 10, 502, 502, None, WOOD, 6, radius=12)
    wire(canvas, [(60, 240), (60, 76), (470, 76), (470, 482), (60, 482), (60, 240)])
    wire(canvas, [(130, 76), (130, 356), (470, 356)])
    for y in (166, 256):
        wire(canvas, [(130, y), (470, y)])
    # The lowest rung divides for lamps F and G.
    wire(canvas, [(286, 356), (286, 436), (434, 436), (434, 356)])
    battery(canvas, 60, 246)
    for x, y in (
        (130, 76),
        (130, 166),
        (130, 256),
        (470, 166),
        (470, 256),
        (470, 356),
        (286, 356),
        (434, 356),
    ):
        canvas.disc(x, y, 6, COPPER)
    lamp(canvas, 220, 76, LAMP_GREY, "A")
    lamp(canvas, 390, 76, LAMP_GREY, "B", burnt=True)
    lamp(canvas, 220, 166, LAMP_GREY, "C")
    switch(canvas, 390, 166, True)
    switch(canvas, 220, 256, False)
    lamp(canvas, 390, 256, LAMP_GREY, "D")
    lamp(canvas, 200, 356, LAMP_GREY, "E")
    lamp(canvas, 328, 356, LAMP_GREY, "F")
    switch(canvas, 392, 356, False)
    lamp(canvas, 360, 436, LAMP_GREY, "G")
    canvas.box(76, 402, 262, 466, WHITE, GREY, 2, radius=8)
    lamp(canvas, 108, 434, LAMP_GREY, burnt=True)
    canvas.text(140, 434, "= burnt out", 18, anchor="lm")
    return canvas.finish()


def bypass() -> Image.Image:
    canvas = Canvas(512, 440, BOARD)
    canvas.box(10, 10, 502, 430, None, WOOD, 6, radius=12)
    wire(canvas, [(60, 240), (60, 86), (460, 86), (460, 386), (60, 386), (60, 240)])
    wire(canvas, [(228, 86), (228, 186), (460, 186)])
    wire(canvas, [(104, 86), (104, 296), (460, 296)])
    for x, y in ((104, 86), (228, 86), (460, 186), (460, 296)):
        canvas.disc(x, y, 6, COPPER)
    battery(canvas, 60, 246)
    for x, y, color, name in (
        (166, 86, RED, "red"),
        (296, 86, BLUE, "blue"),
        (390, 86, GREEN, "green"),
        (290, 296, YELLOW, "yellow"),
    ):
        # Yellow has the whole voltage, the others share it.
        if name == "yellow":
            for a in range(15, 375, 30):
                canvas.path([polar(x, y, 25, a), polar(x, y, 44, a)], (246, 206, 90), 4)
        else:
            canvas.disc(x, y, 26, (250, 232, 170))
        lamp(canvas, x, y, color, "" if name == "yellow" else name)
    canvas.text(290, 358, "yellow", 20)
    switch(canvas, 344, 186, False)
    canvas.text(344, 212, "switch", 18)
    return canvas.finish()


TUBS: list[tuple[str, Color]] = [
    ("A", RED),
    ("B", ORANGE),
    ("C", GREEN),
    ("D", BLUE),
    ("E", YELLOW),
]


def valves() -> Image.Image:
    canvas = Canvas(512, 512, (238, 242, 244))
    xs = [60, 158, 256, 354, 452]
    canvas.path([(256, 100), (256, 170)], PIPE, 18)
    canvas.path([(xs[0] - 9, 170), (xs[4] + 9, 170)], PIPE, 18)
    for x in (xs[0], xs[2], xs[4]):
        canvas.path([(x, 161), (x, 274)], PIPE, 18)
    canvas.path([(xs[0] - 9, 274), (xs[1] + 9, 274)], PIPE, 18)
    canvas.path([(xs[2] - 9, 274), (xs[4] + 9, 274)], PIPE, 18)
    for x in xs:
        canvas.path([(x, 265), (x, 380)], PIPE, 18)
    canvas.box(186, 26, 326, 104, PIPE, INK, 3, radius=6)
    canvas.box(190, 44, 322, 100, WATER)
    canvas.text(256, 72, "water", 20, WHITE)
    for x, y, upright, is_open in (
        (158, 170, False, True),
        (354, 170, False, True),
        (60, 222, True, True),
        (256, 222, True, False),
        (452, 222, True, True),
        (109, 274, False, True),
        (305, 274, False, True),
        (403, 274, False, True),
        (60, 328, True, False),
        (158, 328, True, True),
        (256, 328, True, True),
        (354, 328, True, False),
        (452, 328, True, True),
    ):
        valve(canvas, x, y, upright, is_open)
    for x, (name, color) in zip(xs, TUBS, strict=True):
        canvas.poly([(x - 38, 396), (x + 38, 396), (x + 30, 446), (x - 30, 446)], color, INK, 2.5)
        canvas.disc(x, 424, 14, WHITE)
        canvas.text(x, 424, name, 20)
    canvas.path([(70, 484), (150, 484)], PIPE, 18)
    valve(canvas, 110, 484, False, True)
    canvas.text(164, 484, "open", 19, anchor="lm")
    canvas.path([(290, 484), (370, 484)], PIPE, 18)
    valve(canvas, 330, 484, False, False)
    canvas.text(384, 484, "shut", 19, anchor="lm")
    return canvas.finish()


def valve(canvas: Canvas, x: float, y: float, upright: bool, is_open: bool) -> None:
    """A tap whose handle lies along the pipe when it is open."""
    canvas.disc(x, y, 14, WHITE, INK, 2.5)
    along = upright if is_open else not upright
    wide, high = (5, 22) if along else (22, 5)
    canvas.box(x - wide, y - high, x + wide, y + high, RED, INK, 1.5, radius=4)


CELL = 16
# Body width and height, height of the spout's mouth, colour.
CANS = {
    "red": (6, 10, 4, RED),
    "blue": (7, 7, 8, BLUE),
    "green": (5, 8, 8, GREEN),
    "yellow": (8, 9, 4, YELLOW),
}


def cans() -> Image.Image:
    canvas = Canvas(512, 512, WHITE)
    for i in range(0, 513, CELL):
        canvas.path([(i, 0), (i, 512)], (206, 218, 230), 1)
        canvas.path([(0, i), (512, i)], (206, 218, 230), 1)
    corners = (
        (3 * CELL, 13 * CELL),
        (19 * CELL, 13 * CELL),
        (3 * CELL, 28 * CELL),
        (19 * CELL, 28 * CELL),
    )
    for x in (0, 256):
        for y in (13, 28):
            canvas.box(x + 16, y * CELL, x + 240, y * CELL + 10, BROWN, DARK_BROWN, 2)
    for (x, y), (name, (wide, high, mouth, color)) in zip(corners, CANS.items(), strict=True):
        can(canvas, x, y, wide * CELL, high * CELL, mouth * CELL, color)
        canvas.text(x + wide * CELL / 2, y + 25, name, 19)
    return canvas.finish()


def can(
    canvas: Canvas, x: float, y: float, wide: float, high: float, mouth: float, color: Color
) -> None:
    right, tip = x + wide, x + wide + 4 * CELL
    canvas.poly([(right - 4, y - 8), (right - 4, y - 38), (tip - 9, y - mouth), (tip + 9, y - mouth)],
                color, INK, 2.5)  # fmt: skip
    canvas.arc(x, y - high * 0.5, 26, 90, 270, INK, 7)
    canvas.box(x, y - high, right, y, color, INK, 3)
    canvas.box(x + 6, y - high + 2, right - 6, y - high + 6, INK)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-pulley-drums": drums,
    "ded-mod-lever-seesaw": seesaw,
    "ded-mod-circuit-lamps": lamps,
    "ded-high-circuit-bypass": bypass,
    "ded-mod-pipes-valves": valves,
    "ded-mod-cans-spouts": cans,
}
