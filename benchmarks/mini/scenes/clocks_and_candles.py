"""Scenes of clocks, watches and candles: what time is it, and when will it be over?"""

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
    PURPLE,
    RED,
    SKY,
    WALL,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    polar,
)
from PIL import Image, ImageOps

NIGHT: Color = (52, 62, 104)
DUSK: Color = (240, 190, 150)
STONE: Color = (206, 200, 188)
WOOD: Color = (196, 158, 116)


def face(
    canvas: Canvas, x: float, y: float, radius: float, hour: int, minute: int, rim: Color = INK
) -> None:
    """A clock whose numbers stay readable when it is small."""
    canvas.disc(x, y, radius, WHITE, rim, max(4, radius * 0.08))
    for tick in range(60):
        five = tick % 5 == 0
        ends = [polar(x, y, radius * r, tick * 6) for r in (0.84 if five else 0.87, 0.91)]
        canvas.path(ends, INK, 2.5 if five else 1)
    for number in range(1, 13):
        at = polar(x, y, radius * 0.68, number * 30 - 90)
        canvas.text(*at, str(number), max(15, radius * 0.21))
    canvas.path([(x, y), polar(x, y, radius * 0.44, (hour + minute / 60) * 30 - 90)], INK, 6.5)
    canvas.path([(x, y), polar(x, y, radius * 0.8, minute * 6 - 90)], RED, 3.5)
    canvas.disc(x, y, radius * 0.07, INK)


def world_clocks() -> Image.Image:
    canvas = Canvas(512, 430, (214, 226, 222))
    canvas.box(0, 356, 512, 430, WOOD)
    canvas.box(0, 346, 512, 358, BROWN)
    for x, city, hour, half, hours, rim in (
        (88, "Lima", 7, "a.m.", "8:00 - 16:00", RED),
        (256, "London", 12, "p.m.", "9:00 - 17:00", BLUE),
        (424, "Nairobi", 3, "p.m.", "9:00 - 18:00", GREEN),
    ):
        canvas.box(x - 58, 14, x + 58, 48, rim, INK, 2, radius=6)
        canvas.text(x, 31, city, 22, WHITE)
        face(canvas, x, 136, 78, hour, 20)
        canvas.box(x - 30, 218, x + 30, 244, WHITE, INK, 2, radius=4)
        canvas.text(x, 231, half, 18)
        canvas.box(x - 72, 262, x + 72, 330, WHITE, INK, 2, radius=6)
        canvas.text(x, 281, "Office open", 17, GREY)
        canvas.text(x, 309, hours, 20)
    _telephone(canvas, 256, 392)
    canvas.box(60, 366, 160, 414, WHITE, GREY, 2)
    for y in (378, 390, 402):
        canvas.path([(70, y), (148, y)], PALE, 3)
    canvas.path([(138, 420), (178, 374)], ORANGE, 6)
    canvas.box(390, 362, 424, 410, PURPLE, INK, 2, radius=5)
    canvas.arc(428, 384, 12, -90, 90, INK, 4)
    return canvas.finish()


def _telephone(canvas: Canvas, x: float, y: float) -> None:
    canvas.poly([(x - 34, y - 14), (x + 34, y - 14), (x + 48, y + 26), (x - 48, y + 26)], RED, INK)
    canvas.disc(x, y + 6, 14, WHITE, INK)
    canvas.path([(x - 40, y - 22), (x + 40, y - 22)], INK, 9)
    for side in (-1, 1):
        canvas.disc(x + side * 40, y - 18, 10, INK)


def barber_mirror() -> Image.Image:
    """The mirror is drawn the right way round and then turned over in its frame."""
    canvas = Canvas(512, 512, (186, 206, 196))
    canvas.box(0, 392, 512, 512, WOOD)
    canvas.box(0, 384, 512, 396, DARK_BROWN)
    canvas.box(14, 14, 302, 374, BROWN, DARK_BROWN, 4, radius=10)
    canvas.box(30, 30, 286, 358, (226, 236, 240))
    face(canvas, 158, 142, 92, 3, 40)
    canvas.box(64, 256, 252, 340, WHITE, RED, 5)
    canvas.text(158, 284, "BARBER", 30, BLUE)
    canvas.text(158, 318, "since 1962", 20, RED)
    for x, y in ((36, 300), (256, 300)):
        canvas.path([(x + 6, y), (x + 26, y - 50)], WHITE, 3)
    _notice(canvas, 320, 22, "Time needed", ["Cut: 20 min", "Beard: 15 min", "Wash: 10 min"])
    _notice(canvas, 320, 204, "Next today", ["1. Ben: cut", "2. Omar: cut", "    and beard"])
    for x, color in ((52, GREEN), (98, PURPLE), (144, ORANGE)):
        canvas.box(x - 16, 412, x + 16, 476, color, INK, 2, radius=6)
        canvas.box(x - 7, 398, x + 7, 413, WHITE, INK, 2)
        canvas.box(x - 12, 432, x + 12, 456, WHITE)
    canvas.box(206, 424, 300, 440, INK, radius=3)
    for x in range(210, 300, 8):
        canvas.path([(x, 438), (x, 462)], INK, 3)
    for side in (-1, 1):
        canvas.path([(350, 424 - side * 4), (424, 446 + side * 22)], GREY, 6)
        canvas.disc(440, 446 + side * 24, 15, None, RED, 5)
    image = canvas.finish()
    pane = (30, 30, 286, 358)
    image.paste(ImageOps.mirror(image.crop(pane)), pane)
    return image


def _notice(canvas: Canvas, x: float, y: float, title: str, lines: list[str]) -> None:
    canvas.box(x, y, x + 176, y + 164, INK, BROWN, 6, radius=6)
    canvas.text(x + 88, y + 30, title, 22, YELLOW)
    for i, line in enumerate(lines):
        canvas.text(x + 20, y + 66 + 33 * i, line, 20, WHITE, "lm")


def tower_and_watch(
    title: str, sky: Color, tower: tuple[int, int] | None, watch: tuple[int, int]
) -> Image.Image:
    canvas = Canvas(480, 400, sky)
    canvas.box(0, 340, 480, 400, GRASS)
    canvas.poly([(22, 112), (118, 20), (214, 112)], (170, 80, 66), INK, 2)
    canvas.box(34, 112, 202, 372, STONE, INK, 2)
    for y in range(136, 372, 24):
        for x in range(46 if y % 48 else 64, 190, 36):
            canvas.path([(x, y), (x + 12, y)], GREY, 1.5)
    canvas.box(92, 314, 144, 372, DARK_BROWN, INK, 2, radius=4)
    if tower:
        face(canvas, 118, 206, 76, *tower)
    else:
        for x in (24, 212):
            canvas.path([(x, 96), (x, 372)], BROWN, 6)
        for y in (104, 310):
            canvas.path([(16, y), (220, y)], BROWN, 6)
        canvas.box(34, 116, 202, 298, (108, 150, 120), INK, 2)
        for x in (76, 118, 160):
            canvas.path([(x, 118), (x, 296)], (88, 128, 100), 3)
        canvas.box(56, 186, 180, 228, YELLOW, INK, 2)
        canvas.text(118, 207, "UNDER REPAIR", 15)
    x, y = 350, 212
    canvas.box(x - 38, 60, x + 38, 372, BROWN, DARK_BROWN, 3, radius=12)
    for hole in (326, 344, 84):
        canvas.disc(x, hole, 4, DARK_BROWN)
    canvas.box(x + 84, y - 9, x + 104, y + 9, YELLOW, INK, 2)
    face(canvas, x, y, 90, *watch, rim=(190, 150, 40))
    canvas.box(222, 10, 470, 46, WHITE, INK, 2, radius=6)
    canvas.text(346, 28, title, 21)
    return canvas.finish()


def candle(hour: int, minute: int, height: int, sky: Color) -> Image.Image:
    canvas = Canvas(480, 420, WALL)
    canvas.box(0, 352, 480, 420, WOOD)
    canvas.box(0, 344, 480, 356, BROWN)
    canvas.box(24, 190, 164, 330, sky, WHITE, 9)
    canvas.path([(94, 194), (94, 326)], WHITE, 6)
    if sky == NIGHT:
        for x, y in ((50, 220), (70, 262), (124, 226), (142, 282), (48, 304)):
            canvas.disc(x, y, 2.5, WHITE)
        canvas.disc(126, 254, 13, YELLOW)
        canvas.disc(132, 249, 11, sky)
    else:
        canvas.disc(60, 300, 18, ORANGE)
        canvas.box(28, 306, 160, 326, (130, 150, 110))
        canvas.path([(94, 194), (94, 326)], WHITE, 6)
    face(canvas, 94, 94, 80, hour, minute)
    foot, unit = 350.0, 30.0
    canvas.box(344, foot - 10 * unit - 36, 420, foot, WHITE, INK, 2)
    for mark in range(101):
        level, long = foot - mark * unit / 10, mark % 10 == 0
        if mark % 5 == 0:
            ends = [(344.0, level), (366.0 if long else 356.0, level)]
            canvas.path(ends, INK, 2 if long else 1)
        if long and mark:
            canvas.text(396, level, str(mark // 10), 19)
    canvas.text(396, foot - 10 * unit - 22, "cm", 17, GREY)
    top = foot - height * unit
    canvas.box(272, top, 340, foot, (250, 236, 200), INK, 2)
    canvas.path([(306, top), (306, top - 14)], INK, 3)
    canvas.disc(306, top - 24, 10, ORANGE)
    canvas.poly([(296.5, top - 27), (306, top - 48), (315.5, top - 27)], ORANGE)
    canvas.disc(306, top - 21, 5, YELLOW)
    canvas.box(250, foot, 430, foot + 14, GREY, INK, 2, radius=5)
    canvas.box(190, 322, 236, 366, WATER, INK, 2, radius=4)
    canvas.arc(240, 344, 13, -90, 90, INK, 4)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-clocks-world": world_clocks,
    "ded-mod-clocks-mirror": barber_mirror,
    "ded-high-clocks-watch-1": partial(tower_and_watch, "Monday, noon", SKY, (12, 0), (12, 0)),
    "ded-high-clocks-watch-2": partial(tower_and_watch, "Monday, evening", DUSK, (6, 0), (6, 12)),
    "ded-high-clocks-watch-3": partial(tower_and_watch, "Tuesday, morning", SKY, None, (9, 42)),
    "ded-mod-candle-burns-1": partial(candle, 7, 0, 9, DUSK),
    "ded-mod-candle-burns-2": partial(candle, 8, 30, 6, NIGHT),
}
