"""Scenes of charts: a forecast, thermometers, a misleading axis, takings, two pies."""

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
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image
from props import drop, sun

# Morning and afternoon of each day: the sky, degrees, and wind in kilometres an hour.
FORECAST: dict[str, tuple[tuple[str, int, int], tuple[str, int, int]]] = {
    "Fri": (("sun", 9, 10), ("sun", 14, 15)),
    "Sat": (("rain", 11, 20), ("cloud", 13, 15)),
    "Sun": (("rain", 12, 25), ("sun", 15, 40)),
    "Mon": (("cloud", 10, 15), ("sun", 14, 20)),
    "Tue": (("cloud", 11, 35), ("sun", 16, 10)),
}


def forecast() -> Image.Image:
    canvas = Canvas(512, 512, (222, 236, 246))
    canvas.text(256, 24, "The next five days", 24)
    left, top, wide, high = 96.0, 68.0, 82.0, 118.0
    for row, name in enumerate(("morning", "after-", "noon")):
        y = top + high / 2 if row == 0 else top + high * 1.5 - 32 + 22 * row
        canvas.text(8, y, name, 18, anchor="lm")
    for column, (day, halves) in enumerate(FORECAST.items()):
        x = left + (column + 0.5) * wide
        canvas.text(x, top - 16, day, 20, BLUE)
        for row, (sky, degrees, wind) in enumerate(halves):
            y = top + row * high
            canvas.box(x - wide / 2 + 2, y + 2, x + wide / 2 - 2, y + high - 2, WHITE, GREY, 1.5, 6)
            _sky(canvas, x, y + 32, sky)
            canvas.text(x, y + 76, f"{degrees} °C", 18, RED)
            canvas.text(x, y + 99, f"{wind} km/h", 16)
    canvas.text(8, 322, "km/h: speed of the wind", 16, GREY, "lm")
    canvas.box(0, 430, 512, 512, GRASS)
    for x in range(8, 190, 30):
        canvas.poly([(x, 478), (x, 390), (x + 11, 374), (x + 22, 390), (x + 22, 478)],
                    (206, 170, 126), DARK_BROWN, 1.5)  # fmt: skip
    for y in (408, 452):
        canvas.path([(0, y), (196, y)], BROWN, 6)
    canvas.box(212, 352, 500, 500, GREEN, INK, 2.5, radius=8)
    canvas.box(206, 342, 506, 356, PALE, INK, 2, radius=4)
    canvas.box(222, 366, 490, 492, WHITE)
    canvas.text(356, 384, "FENCE PAINT", 20, GREEN)
    for i, line in enumerate(
        ("Paint at 12 °C or more,", "with wind below 30 km/h.", "No rain while you paint",
         "and in the next half-day.")
    ):  # fmt: skip
        canvas.text(356, 408 + 23 * i, line, 19)
    return canvas.finish()


def _sky(canvas: Canvas, x: float, y: float, sky: str) -> None:
    if sky == "sun":
        sun(canvas, x, y, 14)
        return
    color = GREY if sky == "rain" else (200, 206, 214)
    for dx, dy, radius in ((-14, 0, 11), (0, -7, 14), (15, 0, 11)):
        canvas.disc(x + dx, y + dy, radius, color)
    canvas.box(x - 16, y - 2, x + 17, y + 11, color)
    if sky == "rain":
        for dx, dy in ((-12, 24), (2, 28), (15, 24)):
            drop(canvas, x + dx, y + dy, 3.5, BLUE)


def thermometers() -> Image.Image:
    canvas = Canvas(512, 470, (196, 184, 172))
    for y in range(0, 470, 44):
        canvas.path([(0, y), (512, y)], (182, 170, 158), 2.5)
        for x in range(32 * (y // 44 % 2), 512, 76):
            canvas.path([(x, y), (x, y + 44)], (182, 170, 158), 2.5)
    canvas.box(120, 8, 392, 46, WHITE, INK, 2, radius=5)
    canvas.text(256, 27, "In the wine cellar", 23)
    # Every scale has a range of its own, so equal warmth does not give equal heights.
    for i, (frame, unit, value, low, high, step, every) in enumerate(
        ((RED, "°C", 10, -10, 40, 2, 10), (BLUE, "°F", 50, 20, 120, 5, 20),
         (GREEN, "°C", 15, 0, 25, 1, 5), (YELLOW, "°F", 50, 20, 70, 2, 10))
    ):  # fmt: skip
        x = 68 + 125 * i
        canvas.box(x - 54, 66, x + 54, 446, frame, INK, 2.5, radius=10)
        canvas.box(x - 44, 76, x + 44, 436, WHITE, INK, 1.5, radius=6)
        canvas.text(x - 22, 96, unit, 21)
        foot, span = 372.0, 250.0 / (high - low)

        canvas.box(x - 22, 108, x - 6, 404, WHITE, INK, 2, radius=8)
        canvas.box(x - 19, foot - (value - low) * span, x - 9, 404, (200, 30, 60))
        canvas.disc(x - 14, 408, 15, (200, 30, 60), INK, 2)
        for degrees in range(low, high + 1, step):
            long, y = degrees % every == 0, foot - (degrees - low) * span
            canvas.path([(x - 4, y), (x + (8 if long else 2), y)], INK, 2 if long else 1)
            if long:
                canvas.text(x + 41, y, str(degrees), 18, anchor="rm")
    return canvas.finish()


def zoo_poster() -> Image.Image:
    canvas = Canvas(480, 512, (232, 242, 220))
    canvas.box(12, 12, 468, 500, WHITE, GREEN, 6, radius=12)
    canvas.text(240, 48, "Twice as many visitors!", 30, GREEN)
    canvas.text(240, 82, "Thank you for coming to Little Zoo", 19)
    left, bottom = 100.0, 410.0
    for i in range(6):
        y = bottom - 56 * i
        canvas.path([(left, y), (432, y)], PALE, 2)
        canvas.text(left - 10, y, str(460 + 20 * i), 19, anchor="rm")
    for x, visitors, label, color in ((184, 500, "last year", WATER), (342, 540, "this year", ORANGE)):  # fmt: skip
        canvas.box(x - 50, bottom - (visitors - 460) * 2.8, x + 50, bottom, color, INK, 2)
        canvas.text(x, bottom + 18, label, 21)
        days = 300 if label == "last year" else 225
        canvas.text(x, bottom + 42, f"open on {days} days", 16)
    canvas.path([(left, bottom), (432, bottom)], INK, 3)
    canvas.text(262, 481, "visitors on an average open day", 17)
    _giraffe(canvas, 184, 297)
    return canvas.finish()


def _giraffe(canvas: Canvas, x: float, foot: float) -> None:
    coat: Color = (240, 200, 110)
    canvas.poly([(x - 12, foot), (x - 4, foot - 66), (x + 14, foot - 66), (x + 16, foot)], coat,
                INK, 2)  # fmt: skip
    canvas.disc(x + 14, foot - 74, 22, coat, INK, 2, flat=0.6)
    for dx in (-2, 8):
        canvas.path([(x + dx, foot - 84), (x + dx, foot - 100)], INK, 3)
        canvas.disc(x + dx, foot - 101, 4, BROWN)
    canvas.disc(x + 16, foot - 78, 3, INK)
    for dx, dy in ((-2, -20), (8, -34), (2, -50), (6, -10)):
        canvas.disc(x + dx, foot + dy, 5, BROWN)


GUESTS = {"Mon": 75, "Tue": 100, "Wed": 175, "Thu": 75, "Fri": 125, "Sat": 100, "Sun": 75}


def pool_guests() -> Image.Image:
    canvas = Canvas(512, 430, (226, 240, 246))
    canvas.text(256, 28, "Guests at the swimming pool", 24)
    left, bottom = 56.0, 340.0
    for i in range(9):
        y = bottom - 34 * i
        canvas.path([(left, y), (500, y)], (200, 212, 220), 1.5)
        canvas.text(left - 8, y, str(25 * i), 17, anchor="rm")
    for i, (day, guests) in enumerate(GUESTS.items()):
        x = left + 36 + 62 * i
        canvas.box(x - 21, bottom - guests * 34 / 25, x + 21, bottom, BLUE, INK, 1.5)
        canvas.text(x, bottom + 18, day, 19)
    canvas.path([(left, bottom), (500, bottom)], INK, 3)
    canvas.box(0, 378, 512, 430, WATER)
    for y in (392, 412):
        for x in range(-10 + y % 20, 512, 64):
            canvas.path([(x, y), (x + 12, y - 6), (x + 24, y), (x + 36, y - 6)], WHITE, 2.5)
    return canvas.finish()


def pool_prices() -> Image.Image:
    canvas = Canvas(420, 430, SKY)
    sun(canvas, 364, 56, 24)
    canvas.box(0, 300, 420, 430, (236, 216, 168))
    canvas.poly([(0, 430), (0, 366), (180, 350), (330, 380), (420, 420), (420, 430)], WATER)
    canvas.box(40, 30, 300, 316, WHITE, BLUE, 6, radius=10)
    canvas.text(170, 66, "POOL TICKETS", 27, BLUE)
    for i, (name, price) in enumerate((("Monday to Friday", "4.00"), ("Saturday, Sunday", "4.80"))):
        canvas.text(170, 110 + 70 * i, name, 22)
        canvas.text(170, 140 + 70 * i, price, 26, RED)
    canvas.box(58, 246, 282, 302, YELLOW, INK, 1.5, radius=6)
    canvas.text(170, 261, "Wednesday:", 20)
    canvas.text(170, 286, "everyone half price", 20)
    canvas.box(160, 316, 176, 360, GREY, INK, 2)
    canvas.path([(358, 250), (358, 380)], BROWN, 6)
    wedges = [polar(358, 256, 56, a) for a in (180, 216, 252, 288, 324, 360)]
    for i in range(5):
        canvas.poly([(358, 256), wedges[i], wedges[i + 1]], WHITE if i % 2 else RED, INK, 1.5)
    canvas.disc(96, 396, 30, None, ORANGE, 13, flat=0.6)
    return canvas.finish()


PIECES: dict[str, Color] = {
    "forest": (60, 140, 80),
    "fields": (240, 206, 90),
    "houses": (214, 110, 90),
    "water": WATER,
}


def land(village: str, built: int, twelfths: tuple[int, int, int, int]) -> Image.Image:
    canvas = Canvas(420, 460, (240, 236, 226))
    canvas.text(210, 34, f"Land of {village}", 28)
    canvas.text(210, 70, f"houses: {built} square kilometres", 21)
    x, y, radius, start = 210.0, 236.0, 134.0, -90.0
    for share, (name, color) in zip(twelfths, PIECES.items(), strict=True):
        edge: list[Point] = [polar(x, y, radius, start + a) for a in range(0, share * 30 + 1, 3)]
        canvas.poly([(x, y), *edge], color, INK, 2)
        middle = polar(x, y, radius * (0.74 if share == 1 else 0.62), start + share * 15)
        canvas.text(*middle, name, 17 if share == 1 else 20, WHITE if name == "forest" else INK)
        start += share * 30
    for i in range(12):
        canvas.path([polar(x, y, radius - 8, 30 * i), polar(x, y, radius + 8, 30 * i)], INK, 2)
    canvas.disc(x, y, radius, None, INK, 3)
    canvas.text(210, 406, "The marks divide the circle", 18, GREY)
    canvas.text(210, 430, "into twelve equal parts.", 18, GREY)
    for side, color in ((34, PIECES["forest"]), (386, PIECES["forest"])):
        for top in (88, 106):
            canvas.poly([(side - 20, top + 40), (side, top), (side + 20, top + 40)], color, INK, 1.5)  # fmt: skip
        canvas.box(side - 4, 146, side + 4, 162, DARK_BROWN)
    canvas.box(16, 400, 50, 436, PURPLE, INK, 2)
    canvas.poly([(10, 402), (33, 378), (56, 402)], BROWN, INK, 2)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-forecast-paint": forecast,
    "ded-mod-thermometers-cellar": thermometers,
    "ded-mod-barchart-zoo": zoo_poster,
    "ded-high-barchart-pool-1": pool_guests,
    "ded-high-barchart-pool-2": pool_prices,
    "ded-mod-piechart-forest-1": partial(land, "Ashby", 8, (6, 3, 2, 1)),
    "ded-mod-piechart-forest-2": partial(land, "Birkdale", 10, (3, 6, 1, 2)),
}
