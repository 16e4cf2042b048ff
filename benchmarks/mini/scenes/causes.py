"""Scenes that ask for the most plausible cause of what they show."""

from __future__ import annotations

from collections.abc import Callable

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
    blob,
    polar,
)
from PIL import Image
from props import broken_window, drop, shard, sun

FLOOR: Color = (196, 158, 116)
MUD: Color = (104, 78, 56)


def umbrella() -> Image.Image:
    canvas = _room(372)
    canvas.box(44, 60, 204, 374, BROWN, DARK_BROWN, 4)
    canvas.box(72, 90, 176, 220, SKY, DARK_BROWN, 4)
    sun(canvas, 124, 152, 24)
    canvas.disc(186, 250, 7, YELLOW, INK)
    canvas.poly([(40, 392), (204, 392), (222, 430), (22, 430)], GREY)
    _wet_coat(canvas, 288, 100)
    canvas.poly(blob(408, 420, 66, 0.32, 7), WATER)
    _folded_umbrella(canvas, 408, 150)
    for i, (x, y) in enumerate([(246, 418), (278, 452), (312, 424), (348, 456)]):
        _wet_sole(canvas, x, y, -6 if i % 2 else 6)
    return canvas.finish()


def _room(floor: float) -> Canvas:
    canvas = Canvas(512, 512, WALL)
    canvas.box(0, floor, 512, 512, FLOOR)
    canvas.box(0, floor - 10, 512, floor, WHITE)
    return canvas


def _wet_coat(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x - 40, y - 14, x + 40, y - 4, DARK_BROWN, radius=3)
    canvas.disc(x, y, 7, GREY, INK)
    canvas.poly(
        [(x - 14, y + 8), (x + 14, y + 8), (x + 46, y + 40), (x + 54, y + 150), (x + 34, y + 152),
         (x + 40, y + 196), (x - 40, y + 196), (x - 34, y + 152), (x - 54, y + 150),
         (x - 46, y + 40)],
        YELLOW,
        INK,
        2.5,
    )  # fmt: skip
    canvas.path([(x, y + 8), (x, y + 196)], INK, 2.5)
    for dx, dy in ((-30, 216), (4, 226), (32, 214), (-8, 250), (24, 246)):
        drop(canvas, x + dx, y + dy, 5)
    canvas.poly(blob(x, y + 282, 34, 0.26, 4), WATER)


def _folded_umbrella(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x - 22, y - 34, x + 54, y - 24, DARK_BROWN, radius=3)
    canvas.arc(x + 14, y, 14, 180, 360, INK, 7)
    canvas.disc(x + 15, y - 10, 6, GREY, INK)
    canvas.path([(x + 15, y - 24), (x + 15, y - 12)], GREY, 5)
    canvas.path([(x, y), (x, y + 266)], INK, 6)
    canvas.poly([(x - 12, y + 40), (x + 12, y + 40), (x + 30, y + 90), (x, y + 250),
                 (x - 30, y + 90)], PURPLE, INK, 2.5)  # fmt: skip
    canvas.path([(x - 10, y + 44), (x, y + 246), (x + 10, y + 44)], INK, 2)
    for dx, dy in ((-36, 150), (36, 180), (-30, 208), (28, 236)):
        drop(canvas, x + dx, y + dy, 5)


def _wet_sole(canvas: Canvas, x: float, y: float, tilt: float) -> None:
    canvas.poly([polar(x + dx, y + tilt * dx / 40, r, a) for dx, r, a in _SOLE], WATER)


# A shoe print that points right: the ball of the foot, then the narrower heel.
_SOLE = [
    *[(6.0, 11.0, float(a)) for a in range(-100, 101, 20)],
    *[(-14.0, 7.0, float(a)) for a in range(90, 271, 20)],
]


def garden() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    sun(canvas, 80, 76, 32)
    canvas.box(0, 230, 512, 512, GRASS)
    for x, y, radius, seed in ((60, 270, 40, 11), (330, 262, 30, 12), (40, 470, 46, 13)):
        canvas.poly(blob(x, y, radius, 0.35, seed), WHITE)
    canvas.poly(blob(222, 396, 150, 0.42, 15), WATER)
    _top_hat(canvas, 262, 350)
    canvas.poly([(132, 378), (146, 366), (214, 392)], ORANGE, INK, 2)
    for x, y in ((172, 424), (206, 436), (238, 428), (150, 346), (188, 344)):
        canvas.disc(x, y, 9, INK)
    _scarf(canvas, 246, 404)
    for points in ([(52, 376), (112, 354)], [(84, 364), (90, 346)], [(318, 436), (392, 462)]):
        canvas.path([(float(x), float(y)) for x, y in points], DARK_BROWN, 5)
    canvas.path([(356, 450), (372, 436)], DARK_BROWN, 5)
    _thermometer(canvas, 438, 60, 9)
    return canvas.finish()


def _top_hat(canvas: Canvas, x: float, y: float) -> None:
    canvas.disc(x, y, 46, INK, flat=0.26)
    canvas.box(x - 27, y - 48, x + 27, y, INK, radius=4)
    canvas.box(x - 27, y - 18, x + 27, y - 6, RED)


def _scarf(canvas: Canvas, x: float, y: float) -> None:
    curve = [(x, y), (x + 30, y - 16), (x + 62, y - 6), (x + 92, y - 20)]
    canvas.path(curve, RED, 16)
    for i in (-6, 0, 6):
        canvas.path([(x + 2, y + i), (x - 12, y + i + 6)], RED, 3)
    for cx, cy in ((x + 22, y - 12), (x + 50, y - 10), (x + 76, y - 13)):
        canvas.path([(cx - 3, cy - 8), (cx + 3, cy + 8)], WHITE, 4)


def _thermometer(canvas: Canvas, x: float, y: float, celsius: float) -> None:
    canvas.box(x - 56, y - 34, x + 56, y + 330, WHITE, DARK_BROWN, 5, radius=8)
    canvas.text(x - 28, y - 14, "°C", 20)
    zero, degree = y + 190, 7.4
    canvas.box(x - 9, y - 16, x + 9, y + 296, WHITE, INK, 2, radius=9)
    canvas.box(x - 5, zero - celsius * degree, x + 5, y + 296, RED)
    canvas.disc(x, y + 300, 16, RED, INK)
    for value in range(-10, 26):
        if value % 5 == 0:
            ty = zero - value * degree
            canvas.path([(x + 11, ty), (x + 22, ty)], INK, 2)
            canvas.text(x + 50, ty, str(value), 17, anchor="rm")


def paw_prints() -> Image.Image:
    canvas = Canvas(512, 512, WALL)
    canvas.box(40, 30, 236, 216, SKY, WHITE, 10)
    canvas.disc(168, 232, 54, GREEN)
    canvas.box(10, 216, 300, 330, WALL)
    canvas.poly([(40, 30), (12, 50), (12, 240), (40, 216)], PALE, INK, 2)
    canvas.poly([(236, 30), (268, 50), (268, 240), (236, 216)], PALE, INK, 2)
    canvas.box(28, 212, 248, 228, WHITE, INK, 2)
    canvas.box(0, 420, 512, 512, FLOOR)
    canvas.box(60, 330, 84, 480, DARK_BROWN)
    canvas.box(296, 330, 320, 480, DARK_BROWN)
    canvas.poly([(60, 262), (322, 262), (362, 334), (20, 334)], (206, 158, 108), DARK_BROWN, 3)
    canvas.disc(268, 296, 30, None, WATER, 4, flat=0.36)
    # From the sill, down over the table, and on to where the vase stood.
    for x, y in ((110, 219), (132, 222)):
        _paw(canvas, x, y, 0.6)
    for x, y in ((116, 278), (146, 302), (178, 282), (206, 306), (228, 280), (322, 316)):
        _paw(canvas, x, y, 1)
    _smashed_vase(canvas, 420, 462)
    return canvas.finish()


def _paw(canvas: Canvas, x: float, y: float, scale: float) -> None:
    canvas.disc(x, y, 7 * scale, MUD, flat=0.8)
    for dx, dy in ((9, -6), (12, 0), (9, 6), (4, -9)):
        canvas.disc(x + dx * scale, y + dy * scale, 2.9 * scale, MUD)


def _smashed_vase(canvas: Canvas, x: float, y: float) -> None:
    canvas.poly(blob(x, y, 76, 0.4, 21), WATER)
    shape = [(-56, -12, 20, 10), (-20, 12, 26, 80), (18, -14, 24, 200), (48, 12, 18, 300)]
    for dx, dy, size, degrees in shape:
        corners = [polar(x + dx, y + dy, size, degrees + a) for a in (0, 80, 150, 250)]
        canvas.poly([(px, y + dy + (py - y - dy) * 0.6) for px, py in corners], BLUE, INK, 2)
    for dx, dy, color in ((-44, 26, RED), (0, 32, YELLOW), (40, 30, RED)):
        canvas.path([(x + dx, y + dy - 4), (x + dx + 34, y + dy - 26)], GREEN, 4)
        for a in range(0, 360, 72):
            canvas.disc(*polar(x + dx, y + dy - 4, 6, a), 5, color)
        canvas.disc(x + dx, y + dy - 4, 4, ORANGE)


def power_cut() -> Image.Image:
    canvas = _room(400)
    _freezer(canvas, 24, 116)
    _lamp_and_switch(canvas, 250, 96)
    canvas.box(344, 210, 500, 222, BROWN, DARK_BROWN, 2)
    _flip_clock(canvas, 366, 132)
    canvas.box(232, 322, 488, 338, BROWN, DARK_BROWN, 2)
    canvas.box(248, 338, 264, 462, DARK_BROWN)
    canvas.box(456, 338, 472, 462, DARK_BROWN)
    _phone(canvas, 320, 232)
    return canvas.finish()


def _freezer(canvas: Canvas, x: float, y: float) -> None:
    canvas.poly(blob(x + 96, y + 318, 112, 0.28, 31), WATER)
    canvas.box(x, y, x + 176, y + 306, WHITE, INK, 3, radius=8)
    canvas.path([(x + 16, y + 60), (x + 16, y + 150)], GREY, 7)
    canvas.text(x + 92, y + 34, "FREEZER", 22)
    canvas.disc(x + 150, y + 70, 7, PALE, INK)
    canvas.text(x + 134, y + 70, "power light", 15, anchor="rm")
    for dx, dy in ((40, 296), (90, 300), (140, 294)):
        drop(canvas, x + dx, y + dy, 5)


def _lamp_and_switch(canvas: Canvas, x: float, y: float) -> None:
    canvas.path([(x, 0), (x, y - 30)], INK, 3)
    canvas.disc(x, y + 8, 15, PALE, INK)
    canvas.poly([(x - 20, y - 34), (x + 20, y - 34), (x + 46, y + 6), (x - 46, y + 6)], GREY, INK)
    canvas.box(x - 30, y + 96, x + 18, y + 172, WHITE, INK, 2, radius=4)
    canvas.text(x - 6, y + 84, "lamp", 15)
    canvas.box(x - 20, y + 106, x + 8, y + 134, GREEN, INK, 2)
    canvas.text(x - 6, y + 120, "ON", 15, WHITE)
    canvas.text(x - 6, y + 150, "OFF", 14, GREY)


def _flip_clock(canvas: Canvas, x: float, y: float) -> None:
    cord = [(x + 118, y + 50), (x + 132, y + 30), (x + 128, y - 30), (x + 104, y - 60)]
    canvas.path(cord, INK, 4)
    canvas.box(x + 82, y - 86, x + 122, y - 46, WHITE, INK, 2, radius=5)
    canvas.box(x + 92, y - 76, x + 112, y - 56, INK, radius=3)
    canvas.box(x, y, x + 118, y + 76, DARK_BROWN, INK, 2, radius=10)
    for i, digit in enumerate(["1", "4", "1", "5"]):
        left = x + 8 + 25 * i + (6 if i > 1 else 0)
        canvas.box(left, y + 16, left + 22, y + 60, INK, radius=3)
        canvas.text(left + 11, y + 36.5, digit, 30, WHITE)
        canvas.path([(left, y + 38), (left + 22, y + 38)], DARK_BROWN, 1.5)
    canvas.text(x + 50, y - 14, "mains clock", 15)


def _phone(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x, y, x + 60, y + 90, INK, radius=9)
    canvas.box(x + 5, y + 9, x + 55, y + 80, SKY, radius=3)
    canvas.text(x + 30, y + 36, "17:45", 17)
    canvas.box(x + 18, y + 58, x + 42, y + 69, GREEN, INK, 1.5, radius=2)
    canvas.box(x + 42, y + 61, x + 45, y + 66, INK)
    canvas.text(x + 70, y + 58, "phone on battery", 15, anchor="lm")


def water_use() -> Image.Image:
    canvas = Canvas()
    canvas.text(256, 30, "Water used in Elmford this evening", 24)
    values = [38, 26, 24, 25, 86, 30, 25, 24, 95, 44]
    times = ["19:45", "", "20:15", "", "20:45", "", "21:15", "", "21:45", ""]
    left, bottom, step = 66.0, 310.0, 42.0
    for level in (25, 50, 75, 100):
        y = bottom - level * 2.4
        canvas.path([(left, y), (left + 10 * step + 8, y)], PALE, 2)
        canvas.text(left - 8, y, str(level), 16, anchor="rm")
    for i, (value, time) in enumerate(zip(values, times, strict=True)):
        x = left + 8 + i * step
        canvas.box(x, bottom - value * 2.4, x + 30, bottom, BLUE)
        canvas.text(x + 15, bottom + 16, time, 15)
    canvas.path([(left, bottom), (left + 10 * step + 8, bottom)], INK, 3)
    canvas.text(left, 55, "litres a second, by quarter of an hour", 15, GREY, "lm")
    canvas.box(96, 356, 416, 494, GREEN, INK, 3, radius=8)
    canvas.disc(146, 425, 30, WHITE, INK, 3)
    canvas.poly([polar(146, 425, 13, a) for a in range(-90, 270, 72)], INK)
    for a in range(-90, 270, 72):
        canvas.path([polar(146, 425, 13, a), polar(146, 425, 29, a)], INK, 3)
    canvas.text(292, 388, "TONIGHT LIVE ON TV", 20, WHITE)
    canvas.text(292, 424, "CUP FINAL", 34, WHITE)
    canvas.text(292, 464, "kick-off 20:00", 24, WHITE)
    return canvas.finish()


def window_inside() -> Image.Image:
    canvas = _room(390)
    canvas.text(256, 24, "Inside", 24)
    broken_window(canvas, 40, 60, 280, 270, (150, 200, 235), 1)
    canvas.box(24, 270, 296, 284, WHITE, INK, 2)
    _ransacked_chest(canvas, 330, 200)
    canvas.box(312, 52, 496, 178, (255, 246, 190), BROWN, 2)
    canvas.text(404, 74, "OWNER'S REPORT", 17)
    for i, line in enumerate(("A burglar broke in", "through this window", "while I was away.")):
        canvas.text(404, 104 + 26 * i, line, 18)
    for x, y, color in ((300, 450, RED), (400, 470, BLUE), (352, 486, WHITE)):
        canvas.poly(blob(x, y, 30, 0.4, x), color, INK, 2)
    canvas.poly([(40, 420), (240, 420), (262, 490), (18, 490)], PURPLE, INK, 2)
    canvas.poly([(58, 430), (222, 430), (240, 480), (40, 480)], None, YELLOW, 3)
    return canvas.finish()


def _ransacked_chest(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x, y, x + 160, y + 214, BROWN, DARK_BROWN, 4)
    for i, out in enumerate((10, 26, 4)):
        top = y + 14 + i * 66
        canvas.box(x + 12, top, x + 148, top + 22, INK)
        canvas.box(x + 12 - out / 3, top + out, x + 148 + out / 3, top + out + 36, BROWN,
                   DARK_BROWN, 3)  # fmt: skip
        canvas.disc(x + 80, top + out + 18, 6, YELLOW, INK)


def window_outside() -> Image.Image:
    canvas = Canvas(512, 512, (186, 112, 90))
    for row in range(13):
        y = row * 28.0
        canvas.path([(0, y), (512, y)], (206, 150, 128), 2)
        for column in range(10):
            x = column * 60.0 + (30 if row % 2 else 0)
            canvas.path([(x, y), (x, y + 28)], (206, 150, 128), 2)
    canvas.box(196, 8, 316, 42, WHITE, INK, 2, radius=4)
    canvas.text(256, 25, "Outside", 24)
    # Seen from the other side, the broken pane is the left one.
    broken_window(canvas, 136, 66, 376, 276, (70, 62, 58), -1)
    canvas.box(120, 276, 392, 290, PALE, INK, 2)
    canvas.box(0, 350, 512, 512, MUD)
    for k in range(90):
        x, y = (k * 149) % 512, 362 + (k * 61) % 150
        canvas.disc(x, y, 4 + k % 4, ((122, 94, 70), (88, 64, 46))[k % 2], flat=0.6)
    for x in (40, 100, 420, 480):
        canvas.path([(x, 390), (x, 340)], GREEN, 5)
        canvas.disc(x, 334, 13, RED if x % 40 else YELLOW)
    spots: list[Point] = [(122, 416), (164, 386), (196, 440), (222, 400), (262, 430), (290, 394)]
    for i, (x, y) in enumerate(spots):
        shard(canvas, x, y, 22 - 2 * (i % 3), 50.0 * i)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-mod-hallway": umbrella,
    "abd-mod-garden": garden,
    "abd-mod-table": paw_prints,
    "abd-high-flat": power_cut,
    "abd-high-water": water_use,
    "abd-high-window-inside": window_inside,
    "abd-high-window-outside": window_outside,
}
