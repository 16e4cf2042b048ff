"""Scenes that ask when to go: buses and ferries, lessons, and a causeway at low tide."""

from __future__ import annotations

import math
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
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
)
from PIL import Image
from props import sun

from scenes.clocks_and_candles import WOOD, face

SAND: Color = (236, 216, 168)


def bus_stop() -> Image.Image:
    canvas = Canvas(420, 512, SKY)
    sun(canvas, 56, 56, 22)
    canvas.box(0, 430, 420, 512, (176, 176, 178))
    canvas.box(0, 424, 420, 438, PALE)
    canvas.poly([(0, 424), (0, 350), (70, 310), (140, 350), (140, 424)], (226, 190, 160))
    canvas.poly([(-10, 354), (70, 304), (150, 354)], (170, 80, 66))
    canvas.box(24, 370, 56, 400, WATER, WHITE, 4)
    canvas.box(84, 374, 112, 424, DARK_BROWN)
    canvas.box(244, 380, 256, 470, GREY, INK, 2)
    canvas.box(104, 20, 396, 400, WHITE, INK, 3, radius=8)
    canvas.box(104, 20, 396, 92, GREEN, INK, 3, radius=8)
    canvas.text(250, 44, "Bus 7", 26, WHITE)
    canvas.text(250, 74, "Ashby to Port Mellow pier", 20, WHITE)
    for x, head, times in (
        (178, "Mon - Sat", ("9:30", "10:00", "10:30", "11:00", "11:30")),
        (324, "Sunday", ("9:35", "10:35", "11:05", "12:05")),
    ):
        canvas.text(x, 116, head, 21, GREEN)
        for i, time in enumerate(times):
            canvas.text(x, 156 + 38 * i, time, 24)
    canvas.path([(250, 104), (250, 330)], GREY, 2)
    canvas.path([(120, 338), (380, 338)], GREY, 2)
    canvas.text(250, 368, "The journey takes 25 min.", 20)
    canvas.path([(40, 476), (400, 476)], WHITE, 5)
    return canvas.finish()


def ferry_pier() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    canvas.box(0, 250, 512, 512, WATER)
    canvas.poly([(316, 250), (352, 214), (470, 206), (512, 236), (512, 250)], GRASS)
    canvas.poly([(402, 210), (410, 128), (434, 128), (442, 208)], WHITE, INK, 2)
    canvas.poly([(406, 170), (408, 148), (436, 148), (439, 170)], RED)
    canvas.box(408, 108, 436, 128, YELLOW, INK, 2)
    canvas.poly([(402, 108), (422, 88), (442, 108)], RED, INK, 2)
    for y in (290, 330, 404):
        for x in range(300, 500, 66):
            canvas.path([(x, y), (x + 12, y - 6), (x + 24, y), (x + 36, y - 6)], WHITE, 2.5)
    canvas.poly([(316, 336), (492, 336), (470, 378), (340, 378)], BLUE, INK, 2)
    canvas.box(352, 306, 448, 336, WHITE, INK, 2)
    for x in (364, 388, 412):
        canvas.box(x, 313, x + 16, 327, SKY, INK, 1.5)
    canvas.box(420, 282, 440, 306, RED, INK, 2)
    canvas.box(0, 452, 512, 512, WOOD)
    for x in range(0, 512, 52):
        canvas.path([(x, 452), (x, 512)], BROWN, 3)
    canvas.box(128, 380, 144, 476, BROWN, DARK_BROWN, 2)
    canvas.box(18, 18, 290, 392, WHITE, INK, 3, radius=8)
    canvas.box(18, 18, 290, 92, BLUE, INK, 3, radius=8)
    canvas.text(154, 42, "Port Mellow ferry", 24, WHITE)
    canvas.text(154, 73, "to Gull Island", 21, WHITE)
    for i, time in enumerate(("9:45", "10:50", "11:25", "11:55*", "12:40")):
        canvas.text(138, 120 + 36 * i, time.rstrip("*"), 25)
        if time.endswith("*"):
            canvas.text(178, 120 + 36 * i, "*", 25, RED)
    canvas.path([(36, 288), (272, 288)], GREY, 2)
    canvas.text(154, 310, "* not on Sundays", 20, RED)
    canvas.text(154, 340, "Crossing: 40 min", 20)
    canvas.text(154, 369, "then to the lighthouse: 20 min", 18)
    canvas.box(312, 20, 496, 78, WHITE, INK, 2)
    canvas.box(312, 20, 332, 78, RED, INK, 2)
    canvas.text(414, 50, "Sunday 12 July", 21)
    return canvas.finish()


LESSONS: dict[str, list[str]] = {
    "Mon": ["Maths", "Geography", "English", "Sport", "Art"],
    "Tue": ["English", "Music", "Geography", "Maths", "History"],
    "Wed": ["Geography", "Sport", "Maths", "Biology", "Music"],
    "Thu": ["Sport", "English", "Music", "Art", "Geography"],
    "Fri": ["Music", "Maths", "Sport", "History", "English"],
}
HOURS = ("8:00", "8:50", "9:40", "10:45", "11:35")
TINTS: dict[str, Color] = {
    "Geography": (200, 228, 190),
    "Sport": (250, 214, 180),
    "Music": (216, 204, 242),
    "Art": (250, 236, 160),
}


def lessons() -> Image.Image:
    canvas = Canvas(512, 470, (206, 222, 232))
    canvas.box(10, 10, 502, 460, WHITE, INK, 2, radius=8)
    canvas.text(256, 36, "Mia's week at school", 24)
    left, top, wide, high = 74.0, 92.0, 84.0, 46.0
    for column, (day, names) in enumerate(LESSONS.items()):
        x = left + column * wide
        canvas.text(x + wide / 2, top - 18, day, 20, BLUE)
        for row, name in enumerate(names):
            # The long break lies between the third lesson and the fourth.
            y = top + row * high + (24 if row > 2 else 0)
            canvas.box(x, y, x + wide, y + high, TINTS.get(name, WHITE), GREY, 1.5)
            canvas.text(x + wide / 2, y + high / 2, name, 16 if len(name) > 8 else 19)
    for row, hour in enumerate(HOURS):
        y = top + (row + 0.5) * high + (24 if row > 2 else 0)
        canvas.text(left - 8, y, hour, 18, anchor="rm")
    canvas.text(left + 2.5 * wide, top + 3 * high + 12, "break 10:25 - 10:45", 16, GREY)
    canvas.text(36, 372, "Bring along:", 19, BLUE, "lm")
    for i, (name, thing) in enumerate(
        (("Geography", "atlas"), ("Sport", "trainers"), ("Music", "recorder"), ("Art", "paint box"))
    ):
        x, y = 36 + 232 * (i % 2), 404 + 32 * (i // 2)
        canvas.box(x, y - 13, x + 88, y + 13, TINTS[name], GREY, 1.5)
        canvas.text(x + 44, y, name, 16)
        canvas.text(x + 98, y, thing, 19, anchor="lm")
    return canvas.finish()


def school_bag() -> Image.Image:
    canvas = Canvas(480, 420, (236, 230, 214))
    canvas.box(0, 300, 480, 420, WOOD)
    canvas.box(0, 290, 480, 304, BROWN)
    face(canvas, 112, 100, 90, 10, 30)
    canvas.box(246, 30, 456, 160, (66, 104, 88), BROWN, 6)
    canvas.text(350, 78, "What does Mia", 22, WHITE)
    canvas.text(350, 110, "need today?", 22, WHITE)
    canvas.path([(262, 150), (292, 150)], WHITE, 6)
    # The bag, and beside it all that was in it.
    canvas.arc(90, 224, 22, 180, 360, DARK_BROWN, 7)
    canvas.box(24, 226, 156, 382, PURPLE, INK, 2.5, radius=22)
    canvas.box(40, 306, 140, 370, (180, 110, 214), INK, 2, radius=10)
    canvas.box(82, 298, 98, 318, YELLOW, INK, 2)
    canvas.text(90, 262, "MIA", 24, WHITE)
    canvas.box(180, 236, 280, 350, BLUE, INK, 2.5, radius=4)
    canvas.disc(230, 304, 30, (150, 206, 240), INK, 2)
    canvas.poly([(212, 296), (228, 282), (238, 296), (228, 312)], GREEN)
    canvas.poly([(234, 318), (248, 302), (252, 316), (240, 328)], GREEN)
    canvas.text(230, 256, "ATLAS", 23, WHITE)
    _recorder(canvas)
    for x in (310, 386):
        canvas.poly([(x, 304), (x + 24, 300), (x + 42, 322), (x + 66, 332), (x + 68, 350),
                     (x, 350)], RED, INK, 2)  # fmt: skip
        canvas.box(x - 2, 346, x + 70, 356, WHITE, INK, 2, radius=4)
        for i in range(3):
            canvas.path([(x + 24 + 8 * i, 314 + 6 * i), (x + 32 + 8 * i, 306 + 6 * i)], WHITE, 3)
    return canvas.finish()


def _recorder(canvas: Canvas) -> None:
    canvas.box(196, 370, 456, 394, (250, 240, 214), INK, 2, radius=8)
    canvas.poly([(196, 372), (170, 377), (170, 390), (196, 393)], (250, 240, 214), INK, 2)
    canvas.box(214, 377, 228, 387, INK)
    for x in (244, 420):
        canvas.box(x, 367, x + 10, 397, (226, 206, 160), INK, 2)
    for x in range(276, 412, 21):
        canvas.disc(x, 382, 5, INK)


def causeway() -> Image.Image:
    canvas = Canvas(512, 512, (228, 240, 246))
    canvas.text(256, 26, "Tide at Seal Island today", 24)
    canvas.text(60, 54, "height in metres", 16, GREY, "lm")
    left, bottom, hour, metre = 46.0, 270.0, 36.5, 62.0
    curve = [
        (left + (t / 10 - 9) * hour, bottom - metre * (1.5 - 1.25 * math.cos((t / 10 - 15) * math.pi / 6)))
        for t in range(90, 211)
    ]  # fmt: skip
    canvas.poly([(left, bottom), *curve, (left + 12 * hour, bottom)], WATER)
    for half in range(7):
        y = bottom - half * metre / 2
        canvas.path([(left, y), (left + 12 * hour, y)], (206, 214, 220), 1.2)
        if half % 2 == 0:
            canvas.text(left - 12, y, str(half // 2), 17)
    for t in range(9, 22):
        x = left + (t - 9) * hour
        canvas.path([(x, bottom), (x, bottom - 3 * metre)], (206, 214, 220), 1.2)
        canvas.text(x, bottom + 16, f"{t}", 17)
    canvas.path(curve, BLUE, 4)
    canvas.path([(left, bottom), (left + 12 * hour, bottom)], INK, 3)
    for i in range(31):
        x = left + i * 12 * hour / 30.5
        canvas.path([(x, bottom - 1.5 * metre), (x + 8, bottom - 1.5 * metre)], RED, 2.5)
    canvas.text(492, bottom + 40, "time of day", 16, GREY, "rm")
    canvas.box(0, 400, 512, 512, SAND)
    canvas.poly([(0, 400), (0, 388), (60, 384), (120, 400)], GRASS)
    canvas.box(238, 470, 250, 512, BROWN, DARK_BROWN, 2)
    canvas.box(30, 330, 350, 478, WHITE, BROWN, 5, radius=8)
    canvas.text(190, 356, "CAUSEWAY TO THE ISLAND", 20, RED)
    canvas.text(190, 392, "Dry only while the tide", 20)
    canvas.text(190, 418, "is below 1.5 metres", 20)
    canvas.text(190, 452, "40 minutes each way", 20)
    canvas.box(428, 410, 438, 500, GREY, INK, 2)
    canvas.box(374, 340, 492, 416, INK, GREY, 4, radius=10)
    canvas.text(433, 358, "now", 16, WHITE)
    canvas.text(433, 388, "14:05", 32, ORANGE)
    for x, y, flat in ((396, 492, 0.6), (470, 478, 0.6), (60, 496, 0.5)):
        canvas.disc(x, y, 7, (220, 170, 150), BROWN, 1.5, flat)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-timetable-ferry-1": bus_stop,
    "ded-high-timetable-ferry-2": ferry_pier,
    "ded-mod-timetable-school-1": lessons,
    "ded-mod-timetable-school-2": school_bag,
    "ded-high-tide-causeway": causeway,
}
