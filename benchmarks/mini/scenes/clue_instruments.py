"""Instruments that do not agree, and charts with something to explain."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    polar,
)
from PIL import Image
from props import clock_face, sun

from scenes.clue_kit import DARK_GREEN, flower, note, room, table, tree, window


def thermometers() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    sun(canvas, 464, 48, 24)
    lit: Color = (250, 226, 176)
    shade: Color = (166, 148, 134)
    canvas.box(0, 120, 512, 430, lit)
    # The roof keeps the left half of the wall in shadow.
    canvas.poly([(0, 120), (272, 120), (236, 430), (0, 430)], shade)
    # The boards of the wall go on from the light into the shadow.
    for y in range(150, 430, 28):
        edge = 272 - 36 * (y - 120) / 310
        canvas.path([(0, y), (edge, y)], (146, 128, 116), 2)
        canvas.path([(edge, y), (512, y)], (230, 204, 154), 2)
    canvas.poly([(0, 84), (330, 84), (352, 120), (0, 120)], (150, 70, 60), INK, 3)
    canvas.box(0, 430, 512, 512, GRASS)
    canvas.poly([(0, 430), (236, 430), (220, 512), (0, 512)], (96, 140, 82))
    for x, color in ((280, RED), (340, YELLOW), (400, PURPLE), (468, RED)):
        flower(canvas, x, 500, color)
    for x, name, celsius in ((62, "A", 20), (166, "B", 20), (336, "C", 35), (446, "D", 20)):
        _thermometer(canvas, x, 150, name, celsius)
    return canvas.finish()


def _thermometer(canvas: Canvas, x: float, y: float, name: str, celsius: float) -> None:
    """A scale from 0 to 40 degrees, 4.6 pixels each."""
    canvas.box(x - 40, y, x + 40, y + 256, WHITE, DARK_BROWN, 3, radius=8)
    canvas.text(x, y + 20, name, 26)
    zero = y + 226
    canvas.disc(x - 14, zero + 10, 13, RED, INK, 2)
    canvas.box(x - 20, y + 34, x - 8, zero + 4, WHITE, INK, 2, radius=6)
    canvas.box(x - 17, zero - celsius * 4.6, x - 11, zero + 8, RED)
    for value in range(0, 41, 5):
        at = zero - value * 4.6
        canvas.path([(x - 6, at), (x + (6 if value % 10 == 0 else 1), at)], INK, 2)
        if value % 10 == 0:
            canvas.text(x + 35, at, str(value), 17, anchor="rm")


def clocks() -> Image.Image:
    canvas = room(420, wall=(214, 230, 236))
    window(canvas, 28, 40, 168, 210)
    canvas.box(34, 168, 95, 205, GRASS)
    canvas.box(101, 168, 162, 205, GRASS)
    for x, color in ((52, YELLOW), (76, YELLOW), (118, PURPLE), (144, YELLOW)):
        flower(canvas, x, 196, color, 30)
    clock_face(canvas, 356, 142, 116, 9, 8)
    table(canvas, 20, 492, 374, 490)
    # The watch, set by hand as well, agrees with the clock on the wall.
    canvas.box(398, 330, 416, 372, BROWN, DARK_BROWN, 2)
    canvas.disc(407, 340, 26, WHITE, INK, 3)
    for hour in range(12):
        canvas.disc(*polar(407, 340, 20, hour * 30), 1.6, INK)
    canvas.path([(407, 340), polar(407, 340, 11, (9 + 8 / 60) * 30 - 90)], INK, 4)
    canvas.path([(407, 340), polar(407, 340, 19, 48 - 90)], RED, 2.5)
    canvas.text(407, 302, "old watch", 15)
    canvas.box(182, 264, 302, 372, INK, radius=12)
    canvas.box(190, 276, 294, 360, SKY, radius=4)
    canvas.text(242, 308, "10:08", 30)
    canvas.text(242, 340, "set by radio", 16)
    canvas.box(40, 246, 140, 366, WHITE, INK, 2)
    canvas.box(40, 246, 140, 274, RED)
    canvas.text(90, 260, "MARCH", 18, WHITE)
    canvas.text(90, 306, "29", 42)
    canvas.text(90, 346, "Sunday", 20, RED)
    return canvas.finish()


def scale(weighed: str) -> Image.Image:
    canvas = room(300, 448, 384, (238, 232, 246))
    for i in range(9):
        for j in range(6):
            if (i + j) % 2:
                canvas.box(i * 50, j * 50, i * 50 + 50, j * 50 + 50, (230, 222, 240))
    canvas.box(0, 300, 448, 384, (206, 166, 120))
    canvas.box(0, 296, 448, 306, BROWN)
    for x, color in ((36, RED), (72, ORANGE), (410, GREEN)):
        canvas.box(x - 14, 70, x + 14, 118, color, INK, 2, radius=4)
        canvas.box(x - 14, 66, x + 14, 76, PALE, INK, 2)
    canvas.box(8, 118, 100, 128, DARK_BROWN)
    canvas.box(360, 118, 440, 128, DARK_BROWN)
    canvas.box(104, 240, 344, 256, PALE, INK, 2, radius=6)
    canvas.poly([(128, 256), (320, 256), (340, 336), (108, 336)], (90, 120, 150), INK, 3)
    shown = {"sugar": 1250, "rice": 750, "both": 1750}[weighed]
    canvas.box(158, 274, 290, 318, (200, 226, 190), INK, 2, radius=4)
    canvas.text(224, 296, f"{shown} g", 28)
    if weighed in ("sugar", "both"):
        _packet(canvas, 224 if weighed == "sugar" else 172, 240, 100, 134, BLUE, "SUGAR", "1 kg")
    if weighed in ("rice", "both"):
        _packet(
            canvas, 224 if weighed == "rice" else 280, 240, 86, 100, DARK_GREEN, "RICE", "500 g"
        )
    return canvas.finish()


def _packet(
    canvas: Canvas, x: float, y: float, width: float, height: float, color: Color, *lines: str
) -> None:
    left, right = x - width / 2, x + width / 2
    canvas.box(left, y - height, right, y, color, INK, 2, radius=4)
    canvas.box(left + 8, y - height - 10, right - 8, y - height + 6, color, INK, 2, radius=3)
    canvas.box(left + 6, y - height * 0.72, right - 6, y - 14, WHITE, radius=3)
    for i, line in enumerate(lines):
        canvas.text(x, y - height * 0.5 + (i - 0.4) * 26, line, 20)


def compasses(box: bool) -> Image.Image:
    """Compasses on a table; with the box, a magnet with its north pole at the left turns them."""
    canvas = Canvas(512, 512, (206, 160, 108))
    for y in (90, 190, 300, 400):
        canvas.path([(0, y), (180, y + 6), (340, y - 4), (512, y + 3)], (190, 142, 92), 3)
    canvas.box(18, 14, 138, 48, WHITE, INK, 2, radius=5)
    canvas.text(78, 31, "After" if box else "Before", 21)
    x, y = 256.0, 270.0
    if box:
        canvas.box(x - 56, y - 44, x + 56, y + 44, (186, 120, 70), DARK_BROWN, 4, radius=4)
        canvas.path([(x - 56, y - 16), (x + 56, y - 16)], DARK_BROWN, 3)
        canvas.box(x - 8, y - 26, x + 8, y - 6, YELLOW, INK, 2, radius=3)
    for degrees in range(0, 360, 45):
        # Radial and sideways parts of the field of two poles.
        angle = math.radians(degrees)
        field = math.degrees(math.atan2(-math.sin(angle), -2 * math.cos(angle)))
        _compass(canvas, *polar(x, y, 176, degrees), degrees + field if box else -90)
    canvas.path([(420, 486), (476, 496)], YELLOW, 9)
    canvas.path([(476, 496), (489, 498)], INK, 5)
    return canvas.finish()


def _compass(canvas: Canvas, x: float, y: float, degrees: float) -> None:
    canvas.disc(x, y, 42, (222, 190, 90), DARK_BROWN, 3)
    canvas.disc(x, y, 34, WHITE, INK, 1.5)
    for a in (-90, 0, 90, 180):
        canvas.path([polar(x, y, 29, a), polar(x, y, 34, a)], GREY, 3)
    for color, a in ((RED, degrees), ((120, 128, 140), degrees + 180)):
        canvas.poly(
            [polar(x, y, 28, a), polar(x, y, 7, a + 90), polar(x, y, 7, a - 90)], color, INK, 1
        )
    canvas.disc(x, y, 3, INK)


def _axis(
    canvas: Canvas, left: float, bottom: float, width: float, levels: Sequence[int], scale: float
) -> None:
    for level in levels:
        y = bottom - level * scale
        canvas.path([(left, y), (left + width, y)], PALE, 2)
        canvas.text(left - 8, y, str(level), 16, anchor="rm")


def kiosk() -> Image.Image:
    canvas = Canvas(512, 512, (250, 246, 238))
    canvas.text(256, 24, "Last week at the Lakeside Kiosk", 23)
    left, step, scale = 62.0, 62.0, 0.36
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    for bottom, what, sold, color in (
        (190.0, "ices sold", (210, 230, 45, 0, 240, 310, 320), (236, 110, 150)),
        (348.0, "cold drinks sold", (150, 160, 270, 290, 170, 230, 240), (90, 150, 220)),
    ):
        _axis(canvas, left, bottom, 440, (100, 200, 300), scale)
        canvas.text(left, bottom - 126, what, 17, GREY, "lm")
        for i, count in enumerate(sold):
            x = left + 30 + i * step
            canvas.box(x - 20, bottom - count * scale, x + 20, bottom, color)
        canvas.path([(left, bottom), (left + 440, bottom)], INK, 3)
    for i, (day, celsius) in enumerate(zip(days, (27, 28, 33, 34, 29, 27, 28), strict=True)):
        x = left + 30 + i * step
        canvas.text(x, 364, day, 17)
        sun(canvas, x, 394, 10)
        canvas.text(x, 424, f"{celsius}°C", 17)
    canvas.box(0, 462, 512, 486, (236, 216, 168))
    canvas.box(0, 486, 512, 512, WATER)
    for x in range(10, 512, 60):
        canvas.arc(x, 506, 14, 200, 340, WHITE, 3)
    tree(canvas, 40, 472, 26)
    # An umbrella on the shore, and a bill.
    canvas.path([(150, 470), (150, 482)], BROWN, 5)
    canvas.poly([(112, 474), (150, 446), (188, 474)], RED, INK, 2)
    canvas.poly([(137, 474), (150, 446), (163, 474)], WHITE, INK, 1.5)
    canvas.box(232, 442, 498, 506, WHITE, GREY, 2)
    canvas.text(365, 461, "FROST & SON, repairs. Bill:", 17, BLUE)
    canvas.text(365, 487, "Thu 21:00, one motor changed", 17)
    return canvas.finish()


def meter() -> Image.Image:
    canvas = Canvas(512, 384, (244, 248, 252))
    canvas.text(256, 24, "Electricity used in the flat, August", 22)
    canvas.text(16, 52, "kWh a day", 15, GREY, "lm")
    left, bottom, step = 46.0, 312.0, 32.6
    _axis(canvas, left, bottom, 458, (2, 4, 6, 8), 28)
    for i, used in enumerate((7.5, 8, 7, 1, 1, 1, 1, 2, 1, 1, 1, 7.5, 7, 8)):
        x = left + 17 + i * step
        canvas.box(x - 11, bottom - used * 28, x + 11, bottom, ORANGE)
        canvas.text(x, bottom + 16, str(i + 1), 16)
        if i % 7 == 0:
            canvas.text(x, bottom + 40, "Sat", 16, BLUE)
    canvas.path([(left, bottom), (left + 458, bottom)], INK, 3)
    return canvas.finish()


def hall() -> Image.Image:
    canvas = room(300, 512, 384, (222, 236, 226))
    canvas.box(24, 40, 144, 300, (70, 110, 120), INK, 3)
    canvas.disc(128, 176, 6, YELLOW, INK)
    canvas.box(60, 196, 108, 206, INK)
    for x, y, a in ((70, 318, 4), (104, 326, -6), (60, 340, 2), (116, 346, 8)):
        canvas.poly([(x - 24, y - 9 + a), (x + 22, y - 9 - a), (x + 26, y + 9 - a), (x - 20, y + 9 + a)],
                    WHITE, GREY, 2)  # fmt: skip
    for x, color, high in ((206, RED, 112), (280, BLUE, 92)):
        canvas.box(x - 32, 336 - high, x + 32, 340, color, INK, 3, radius=8)
        canvas.box(x - 12, 336 - high - 18, x + 12, 336 - high, None, INK, 4, radius=4)
        canvas.path([(x + 12, 336 - high), (x + 20, 336 - high + 16)], INK, 2)
        canvas.box(x + 2, 352 - high, x + 30, 376 - high, WHITE, INK, 1.5)
        canvas.text(x + 16, 364 - high, "LIS", 15)
    table(canvas, 340, 500, 216, 344)
    canvas.poly([(424, 170), (468, 170), (460, 214), (432, 214)], (200, 110, 70), INK, 2)
    for a in (-150, -125, -95, -60, -30):
        canvas.path([(446, 170), polar(446, 170, 48, a)], GREEN, 5)
        canvas.disc(*polar(446, 170, 50, a), 9, GREEN)
    canvas.poly([(352, 184), (392, 184), (396, 216), (348, 216)], SKY, INK, 2)
    canvas.path([(350, 204), (332, 184)], INK, 4)
    canvas.arc(394, 198, 12, -90, 90, INK, 4)
    note(
        canvas,
        300,
        14,
        200,
        ["Thanks, Ana, for coming", "in last Saturday!", "Gift from Lisbon: enjoy"],
        size=16,
    )
    return canvas.finish()


def fridge_chart() -> Image.Image:
    canvas = Canvas(512, 512, (246, 246, 240))
    canvas.text(256, 26, "Inside a refrigerator, one day", 24)
    left, bottom, hour = 52.0, 300.0, 23.8
    canvas.text(left - 40, 56, "°C", 16, GREY, "lm")
    _axis(canvas, left, bottom, 18 * hour, (0, 4, 8, 12, 16), 14)

    def at(time: float) -> float:
        return left + (time - 6) * hour

    points = [(6, 4), (7, 4), (7.25, 6), (7.8, 4), (12.5, 4), (12.75, 6), (13.3, 4), (19, 4),
              (19.5, 9), (20.2, 12), (21, 13), (22.5, 13.4), (22.9, 9), (23.4, 5.5), (24, 4.4)]  # fmt: skip
    canvas.path([(at(t), bottom - c * 14) for t, c in points], BLUE, 4)
    canvas.path([(left, bottom), (left + 18 * hour, bottom)], INK, 3)
    for time in range(6, 25):
        canvas.path([(at(time), bottom), (at(time), bottom + 7)], INK, 2)
    for time in range(6, 25, 3):
        canvas.text(at(time), bottom + 18, f"{time}:00", 15)
    for y, name, color, spans in (
        (362, "motor on", RED, [(6.3, 6.8), (7.2, 7.9), (9, 9.6), (10.8, 11.4), (12.6, 13.4),
                                (15, 15.6), (16.8, 17.4), (19.1, 24)]),
        (412, "inside lamp on", YELLOW, [(7, 7.25), (12.5, 12.75), (19, 22.5)]),
    ):  # fmt: skip
        canvas.text(left, y - 10, name, 16, anchor="lm")
        canvas.box(left, y, left + 18 * hour, y + 20, PALE)
        for start, end in spans:
            canvas.box(at(start), y, at(end), y + 20, color)
    canvas.box(90, 450, 422, 502, WHITE, INK, 2, radius=6)
    canvas.text(256, 466, "This family eats at", 17)
    canvas.text(256, 487, "7:00, 12:30 and 18:45", 17)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-high-instruments-wall": thermometers,
    "abd-mod-instruments-morning": clocks,
    "abd-high-instruments-scale-1": partial(scale, "sugar"),
    "abd-high-instruments-scale-2": partial(scale, "rice"),
    "abd-high-instruments-scale-3": partial(scale, "both"),
    "abd-mod-instruments-box-1": partial(compasses, False),
    "abd-mod-instruments-box-2": partial(compasses, True),
    "abd-mod-chart-kiosk": kiosk,
    "abd-high-chart-meter-1": meter,
    "abd-high-chart-meter-2": hall,
    "abd-high-chart-fridge": fridge_chart,
}
