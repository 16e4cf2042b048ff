"""Scenes with calendars: free days, a page without its name, a box of pills for the week."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    WHITE,
    Canvas,
    Color,
)
from PIL import Image
from props import sun

from scenes.clocks_and_candles import WOOD, face

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ROSE: Color = (246, 196, 190)
SAND: Color = (250, 224, 150)
MINT: Color = (186, 226, 190)
LILAC: Color = (216, 200, 240)


def month(
    canvas: Canvas,
    x: float,
    y: float,
    cell: tuple[float, float],
    first: int,
    days: int,
    marks: Mapping[int, Color],
) -> None:
    """A month as a table of weeks; `first` is the weekday of day 1, Monday being 0."""
    wide, high = cell
    for column, name in enumerate(WEEKDAYS):
        color = RED if column == 6 else INK
        canvas.text(x + (column + 0.5) * wide, y + 14, name, 18, color)
    rows = (first + days + 6) // 7
    for place in range(rows * 7):
        left, top = x + place % 7 * wide, y + 30 + place // 7 * high
        day = place - first + 1
        inside = 1 <= day <= days
        fill = marks.get(day, WHITE) if inside else PALE
        canvas.box(left, top, left + wide, top + high, fill, GREY, 1.5)
        if inside:
            color = RED if place % 7 == 6 else INK
            canvas.text(left + wide / 2, top + high / 2, str(day), 21, color)


def _rings(canvas: Canvas, x0: float, x1: float, y: float) -> None:
    for i in range(9):
        x = x0 + (x1 - x0) * (i + 0.5) / 9
        canvas.disc(x, y, 5, INK)
        canvas.arc(x, y - 8, 7, 90, 340, GREY, 3)


BUSY: dict[str, dict[str, tuple[Color, list[int]]]] = {
    "Lea": {
        "work": (ROSE, [1, 2, 5, 6, 7, 8, 12, 13, 19, 20, 21, 26]),
        "choir": (LILAC, [17, 18]),
        "dentist": (SAND, [27]),
    },
    "Tom": {
        "work": (MINT, [3, 9, 20, 28]),
        "football": (SAND, [5, 6, 12, 13, 19, 22]),
        "exam": (ROSE, [27]),
    },
}


def busy_month(name: str, head: Color) -> Image.Image:
    canvas = Canvas(448, 470, WALL)
    canvas.box(28, 30, 428, 462, (206, 190, 160))
    canvas.box(20, 22, 420, 454, WHITE, INK, 2)
    canvas.box(20, 22, 420, 78, head, INK, 2)
    canvas.text(220, 53, f"{name}'s October", 28, WHITE)
    marks = {day: color for color, days in BUSY[name].values() for day in days}
    month(canvas, 38, 90, (52, 52), 3, 31, marks)
    _rings(canvas, 20, 420, 24)
    for i, (what, (color, _)) in enumerate(BUSY[name].items()):
        x = 38 + 122 * i
        canvas.box(x, 402, x + 30, 428, color, GREY, 1.5)
        canvas.text(x + 38, 415, what, 19, anchor="lm")
    return canvas.finish()


def hut() -> Image.Image:
    canvas = Canvas(448, 470, SKY)
    sun(canvas, 60, 60, 24)
    canvas.poly([(0, 330), (110, 130), (210, 290), (300, 90), (448, 320), (448, 470), (0, 470)],
                (150, 168, 190))  # fmt: skip
    for points in ([(84, 177), (110, 130), (142, 181), (112, 168)],
                   [(270, 150), (300, 90), (340, 152), (304, 132)]):  # fmt: skip
        canvas.poly([(float(x), float(y)) for x, y in points], WHITE)
    canvas.box(0, 320, 448, 470, GRASS)
    canvas.box(40, 214, 190, 330, BROWN, DARK_BROWN, 3)
    for y in (236, 258, 280, 302):
        canvas.path([(42, y), (188, y)], DARK_BROWN, 1.5)
    canvas.poly([(24, 220), (115, 150), (206, 220)], (160, 70, 60), DARK_BROWN, 3)
    canvas.box(98, 262, 134, 330, DARK_BROWN)
    for x in (56, 148):
        canvas.box(x, 244, x + 28, 272, (250, 232, 160), DARK_BROWN, 2)
    for x in (244, 398):
        canvas.box(x - 6, 280, x + 6, 440, DARK_BROWN)
    canvas.box(216, 226, 428, 402, (244, 226, 190), DARK_BROWN, 3, radius=6)
    canvas.text(322, 252, "EAGLE HUT", 25, GREEN)
    for y, text in ((288, "Wednesdays: no beds"), (314, "for the night"),
                    (350, "Winter closing"), (376, "from 30 October on")):  # fmt: skip
        canvas.text(322, y, text, 19)
    for x in (20, 226, 430):
        canvas.poly([(x - 18, 436), (x, 380), (x + 18, 436)], GREEN, INK, 1.5)
        canvas.box(x - 3, 436, x + 3, 448, DARK_BROWN)
    return canvas.finish()


def nameless_month() -> Image.Image:
    canvas = Canvas(448, 512, (176, 200, 206))
    canvas.box(36, 22, 428, 504, (140, 160, 166))
    canvas.box(26, 14, 418, 496, WHITE, INK, 2)
    canvas.box(26, 14, 418, 190, SKY, INK, 2)
    canvas.poly([(28, 188), (28, 132), (120, 70), (212, 140), (300, 84), (416, 150), (416, 188)],
                (150, 168, 190))  # fmt: skip
    for points in ([(96, 86), (120, 70), (150, 93), (122, 100)],
                   [(276, 99), (300, 84), (334, 104), (304, 110)]):  # fmt: skip
        canvas.poly([(float(x), float(y)) for x, y in points], WHITE)
    canvas.box(28, 160, 416, 189, WHITE)
    for x in (60, 92, 352):
        canvas.poly([(x - 16, 168), (x, 122), (x + 16, 168)], GREEN, INK, 1.5)
        canvas.box(x - 3, 168, x + 3, 178, DARK_BROWN)
    month(canvas, 40, 254, (52, 40), 6, 28, {})
    _rings(canvas, 26, 418, 18)
    canvas.box(26, 190, 418, 248, (238, 240, 244), INK, 2)
    canvas.poly([(116, 106), (396, 98), (402, 240), (124, 246)], (250, 226, 110), INK, 1.5)
    canvas.text(258, 134, "Trip to the zoo:", 25)
    canvas.text(258, 170, "first Friday of", 25)
    canvas.text(258, 206, "NEXT month!", 25, RED)
    canvas.disc(256, 108, 8, RED, INK, 1.5)
    return canvas.finish()


def pill_box() -> Image.Image:
    canvas = Canvas(512, 512, WALL)
    canvas.box(0, 246, 512, 512, WOOD)
    canvas.box(0, 238, 512, 250, BROWN)
    face(canvas, 96, 112, 86, 10, 10)
    canvas.box(204, 26, 316, 186, SKY, WHITE, 8)
    sun(canvas, 260, 84, 22)
    canvas.box(208, 142, 312, 182, GRASS)
    canvas.path([(260, 30), (260, 182)], WHITE, 5)
    canvas.box(344, 30, 488, 196, WHITE, INK, 2)
    canvas.box(344, 30, 488, 72, RED, INK, 2)
    canvas.text(416, 52, "TODAY", 22, WHITE)
    canvas.text(416, 116, "Thursday", 28)
    canvas.text(416, 164, "21 May", 25)
    left, top, wide, high = 94.0, 300.0, 56.0, 46.0
    canvas.box(left - 82, top - 40, left + 7 * wide + 12, top + 3 * high + 12, BLUE, INK, 2,
               radius=10)  # fmt: skip
    # Where the pills are gone: not on Tuesday evening, but already on Thursday noon.
    gone = {0: (0, 1, 2), 1: (0, 1), 2: (0, 1, 2), 3: (0, 1)}
    for column, day in enumerate(WEEKDAYS):
        canvas.text(left + (column + 0.5) * wide, top - 20, day, 19, WHITE)
        for row in range(3):
            x, y = left + column * wide, top + row * high
            canvas.box(x + 3, y + 3, x + wide - 3, y + high - 3, (214, 230, 246), INK, 1.5, 5)
            if row not in gone.get(column, ()):
                canvas.disc(x + wide / 2, y + high / 2, 14, (250, 130, 110), INK, 2)
                canvas.path([(x + 20, y + high / 2), (x + wide - 20, y + high / 2)], WHITE, 2.5)
    for row, name in enumerate(("morning", "noon", "evening")):
        canvas.text(left - 6, top + (row + 0.5) * high, name, 17, WHITE, "rm")
    canvas.box(64, 462, 448, 502, (250, 240, 190), INK, 1.5)
    canvas.text(256, 482, "8:00, 12:00 and 18:00. All 21 filled on Sunday.", 17)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-calendar-hike-1": partial(busy_month, "Lea", PURPLE),
    "ded-mod-calendar-hike-2": partial(busy_month, "Tom", ORANGE),
    "ded-mod-calendar-hike-3": hut,
    "ded-mod-calendar-zoo": nameless_month,
    "ded-mod-pillbox": pill_box,
}
