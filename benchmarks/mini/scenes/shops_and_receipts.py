"""Scenes of prices: a menu with offers, a till's mistake, packs on a shelf."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from canvas import (
    BLUE,
    BROWN,
    DARK_BROWN,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    WALL,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image

from scenes.clocks_and_candles import WOOD

CREAM: Color = (252, 244, 214)


def cafe_menu() -> Image.Image:
    canvas = Canvas(512, 512, (200, 216, 196))
    canvas.box(0, 452, 512, 512, WOOD)
    canvas.box(12, 12, 300, 484, (50, 58, 56), BROWN, 8, radius=8)
    canvas.text(156, 46, "Linden Tea House", 27, YELLOW)
    for i, (name, price) in enumerate(
        (("Soup", "4.50"), ("Sandwich", "5.00"), ("Cake", "3.50"), ("Tea", "2.50"),
         ("Juice", "3.00"))
    ):  # fmt: skip
        y = 92 + 34 * i
        canvas.text(40, y, name, 23, WHITE, "lm")
        canvas.text(272, y, price, 23, WHITE, "rm")
    canvas.path([(40, 256), (272, 256)], WHITE, 2)
    for i, (line, color) in enumerate(
        (("LUNCH DEAL  9.50", ORANGE), ("soup + sandwich + any drink", WHITE),
         ("SWEET DEAL  4.80", ORANGE), ("cake + tea", WHITE),
         ("JUICE DEAL  5.00", ORANGE), ("two juices", WHITE))
    ):  # fmt: skip
        y = 284 + 30 * i + 8 * (i // 2)
        canvas.text(156, y, line, 20 if color == ORANGE else 18, color)
    canvas.poly([(326, 40), (490, 30), (500, 330), (336, 338)], (180, 190, 176))
    canvas.box(324, 28, 492, 328, CREAM, INK, 2)
    canvas.box(382, 14, 434, 42, GREY, INK, 2, radius=5)
    canvas.text(408, 66, "Table 3", 24)
    for i, line in enumerate(("1 soup", "1 sandwich", "1 cake", "1 tea", "2 juices")):
        canvas.text(344, 112 + 42 * i, line, 24, BLUE, "lm")
        canvas.path([(340, 128 + 42 * i), (476, 128 + 42 * i)], PALE, 2)
    canvas.disc(388, 430, 52, WHITE, INK, 2, flat=0.3)
    canvas.box(358, 372, 418, 428, WHITE, INK, 2, radius=14)
    canvas.arc(420, 398, 15, -90, 90, INK, 5)
    canvas.disc(388, 378, 27, (150, 90, 50), flat=0.28)
    for x in (376, 398):
        canvas.path([(x, 366), (x + 5, 358), (x - 2, 350), (x + 3, 342)], WHITE, 3)
    canvas.poly([(450, 438), (500, 424), (500, 446), (454, 458)], (240, 190, 150), INK, 2)
    canvas.poly([(450, 438), (488, 412), (500, 424)], RED, INK, 2)
    return canvas.finish()


def market_stall() -> Image.Image:
    canvas = Canvas(512, 500, (196, 224, 236))
    for i in range(8):
        stripe = RED if i % 2 else WHITE
        canvas.poly([(i * 64, 0), (i * 64 + 64, 0), (i * 64 + 64, 40), (i * 64, 40)], stripe)
        canvas.disc(i * 64 + 32, 40, 32, stripe, flat=0.5)
    canvas.box(0, 318, 512, 500, WOOD)
    canvas.box(0, 310, 512, 324, BROWN)
    for x in (30, 82, 134):
        canvas.box(x, 240, x + 44, 310, (190, 40, 70), INK, 2, radius=7)
        canvas.box(x + 2, 226, x + 42, 242, YELLOW, INK, 2, radius=3)
        canvas.box(x + 5, 258, x + 39, 292, CREAM)
        canvas.text(x + 22, 275, "jam", 15)
    for x in (220, 291):
        canvas.disc(x, 288, 34, (206, 146, 80), INK, 2, flat=0.65)
        for dx in (-14, 0, 14):
            canvas.path([(x + dx - 5, 296), (x + dx + 5, 276)], (240, 200, 140), 4)
    _kitchen_scale(canvas, 418, 1.5)
    for x, wide, lines in (
        (102, 180, ("Jam 2.40", "take 3, pay for 2")),
        (262, 116, ("Bread", "3.10 each")),
        (418, 164, ("Melon", "1.80 per kg")),
    ):
        canvas.box(x - wide / 2, 352, x + wide / 2, 424, WHITE, INK, 2, radius=5)
        canvas.text(x, 373, lines[0], 21)
        canvas.text(x, 403, lines[1], 20, RED)
    canvas.text(256, 462, "All this was bought.", 22, WHITE)
    return canvas.finish()


def _kitchen_scale(canvas: Canvas, x: float, kilos: float) -> None:
    """A dial of four kilograms with a melon on top."""
    canvas.poly([(x - 60, 310), (x - 76, 168), (x + 76, 168), (x + 60, 310)], (90, 130, 170), INK)
    canvas.box(x - 78, 150, x + 78, 160, GREY, INK, 2, radius=4)
    canvas.box(x - 8, 158, x + 8, 170, GREY, INK, 2)
    y = 238.0
    canvas.disc(x, y, 66, WHITE, INK, 2.5)
    for tick in range(40):
        long = tick % 5 == 0
        ends = [polar(x, y, r, tick * 9 - 90) for r in (52 if long else 57, 63)]
        canvas.path(ends, INK, 2.5 if long else 1.2)
    for kilo in range(4):
        canvas.text(*polar(x, y, 40, kilo * 90 - 90), str(kilo), 19)
    canvas.text(x - 18, y + 24, "kg", 16, GREY)
    canvas.path([(x, y), polar(x, y, 56, kilos * 90 - 90)], RED, 4)
    canvas.disc(x, y, 6, INK)
    canvas.disc(x, 106, 62, (130, 180, 80), INK, 2, flat=0.7)
    for dx in (-36, -12, 12, 36):
        canvas.arc(x + dx * 0.3, 106, 42, -60 if dx > 0 else 120, 60 if dx > 0 else 240,
                   (90, 140, 60), 2)  # fmt: skip
    canvas.path([(x, 64), (x + 8, 52)], DARK_BROWN, 5)


def market_receipt() -> Image.Image:
    canvas = Canvas(448, 500, (210, 200, 216))
    edge: list[Point] = [(40 + 16 * i, 478 if i % 2 else 466) for i in range(24)]
    canvas.poly([(40, 18), (408, 18), *reversed(edge)], WHITE, GREY, 1.5)
    canvas.text(224, 52, "MARKET STALL 14", 26)
    canvas.text(224, 82, "Thank you for your visit", 17, GREY)
    rows = (
        ("Jam", "3 x 2.40", "7.20"),
        ("Jam offer", "", "-2.40"),
        ("Bread", "2 x 3.10", "6.20"),
        ("Melon", "2.5 kg x 1.80", "4.50"),
    )
    for i, (name, how, price) in enumerate(rows):
        y = 128 + 44 * i
        canvas.text(62, y, name, 22, anchor="lm")
        canvas.text(308, y, how, 20, anchor="rm")
        canvas.text(386, y, price, 22, anchor="rm")
    canvas.path([(60, 292), (388, 292)], INK, 2)
    for i, (name, price) in enumerate((("TOTAL", "15.50"), ("Cash", "20.00"), ("Change", "4.50"))):
        y = 322 + 42 * i
        canvas.text(62, y, name, 24 if i == 0 else 21, anchor="lm")
        canvas.text(386, y, price, 24 if i == 0 else 21, anchor="rm")
    return canvas.finish()


def rice_shelf() -> Image.Image:
    canvas = Canvas(512, 512, WALL)
    canvas.box(0, 300, 512, 396, BROWN, DARK_BROWN, 2)
    canvas.box(0, 396, 512, 512, (214, 206, 190))
    for x, wide, high, color, name, weight in (
        (86, 96, 126, GREEN, "Dragon", "500 g"),
        (256, 112, 154, BLUE, "Lotus", "750 g"),
        (420, 152, 222, RED, "Mandarin", "2 kg"),
    ):
        top = 300 - high
        canvas.box(x - wide / 2, top, x + wide / 2, 300, color, INK, 2.5, radius=8)
        canvas.box(x - wide / 2 + 6, top - 12, x + wide / 2 - 6, top + 8, color, INK, 2.5, radius=4)
        canvas.disc(x, 300 - high * 0.34, min(wide, high) * 0.4, WHITE)
        canvas.text(x, top + 30, name, 21, WHITE)
        canvas.text(x, 300 - high * 0.34 - 10, "rice", 18)
        canvas.text(x, 300 - high * 0.34 + 12, weight, 20)
        for dx in (-10, 0, 10):
            canvas.disc(x + dx, 300 - high * 0.34 + 30, 3, CREAM, GREY, 1)
    canvas.text(420, 46, "FAMILY PACK", 20, RED)
    for x, wide, price, note in (
        (84, 136, "1.60", ""),
        (254, 180, "2.70", "second pack half price"),
        (428, 140, "6.20", "big value!"),
    ):
        canvas.box(x - wide / 2, 310, x + wide / 2, 388, YELLOW if note else WHITE, INK, 2)
        canvas.text(x, 338, price, 28)
        canvas.text(x, 371, note, 16, RED)
    canvas.box(160, 406, 352, 504, WHITE, GREY, 2)
    canvas.text(256, 430, "Shopping list", 21, BLUE)
    canvas.text(256, 462, "rice: 1.5 kg", 23)
    canvas.text(256, 488, "(more is all right)", 17, GREY)
    return canvas.finish()


def coffee(year: str, grams: int, high: float, flash: str) -> Image.Image:
    canvas = Canvas(420, 420, (224, 214, 226))
    canvas.box(0, 316, 420, 420, BROWN, DARK_BROWN, 2)
    canvas.box(12, 12, 174, 50, WHITE, INK, 2, radius=5)
    canvas.text(93, 31, year, 22)
    top = 316 - high
    canvas.box(54, top, 190, 316, (110, 66, 44), INK, 2.5, radius=10)
    canvas.disc(122, top + 4, 66, GREY, INK, 2.5, flat=0.16)
    canvas.box(54, top + 40, 190, 292, CREAM, INK, 2)
    canvas.text(122, top + 66, "Mokka Bear", 22, (110, 66, 44))
    _bear(canvas, 122, top + 114)
    canvas.text(122, 274, f"{grams} g", 26)
    for x in (252, 322):
        canvas.box(x, 236, x + 50, 316, ORANGE if x < 300 else PURPLE, INK, 2, radius=6)
        canvas.text(x + 25, 276, "tea", 20, WHITE)
    canvas.box(64, 336, 180, 400, WHITE, INK, 2)
    canvas.text(122, 368, "7.00", 32)
    if flash:
        star: list[Point] = [polar(304, 122, 98 if i % 2 else 82, i * 15) for i in range(24)]
        canvas.poly(star, YELLOW, RED, 3)
        for i, line in enumerate(flash.split("|")):
            canvas.text(304, 100 + 40 * i, line, 24, RED)
    else:
        canvas.box(238, 76, 372, 168, (196, 220, 196), GREEN, 3, radius=6)
        canvas.text(305, 106, "Coffee", 24, GREEN)
        canvas.text(305, 138, "and tea", 24, GREEN)
    return canvas.finish()


def _bear(canvas: Canvas, x: float, y: float) -> None:
    for side in (-1, 1):
        canvas.disc(x + side * 21, y - 20, 10, BROWN, INK, 2)
    canvas.disc(x, y, 28, BROWN, INK, 2)
    canvas.disc(x, y + 9, 12, CREAM)
    canvas.disc(x, y + 4, 4.5, INK)
    for side in (-1, 1):
        canvas.disc(x + side * 11, y - 8, 3, INK)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-menu-deals": cafe_menu,
    "ded-high-receipt-mistake-1": market_stall,
    "ded-high-receipt-mistake-2": market_receipt,
    "ded-mod-pricelabel-rice": rice_shelf,
    "ded-mod-pricelabel-coffee-1": partial(coffee, "Last year", 350, 246, ""),
    "ded-mod-pricelabel-coffee-2": partial(coffee, "This year", 250, 234, "PRICE|UNCHANGED!"),
}
