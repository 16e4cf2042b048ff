"""Kitchens, notes on a fridge, and what is left of a party."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
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
    SKY,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    blob,
    polar,
)
from PIL import Image

from scenes.clue_kit import flower, note, room, table, window

CHOCOLATE: Color = (92, 54, 34)
CRUST: Color = (222, 170, 96)


def dinner() -> Image.Image:
    canvas = room(404, wall=(226, 236, 226))
    window(canvas, 30, 60, 150, 190)
    # The right wing of the window stands open.
    canvas.box(93, 64, 146, 186, SKY)
    canvas.poly([(150, 60), (196, 78), (196, 212), (150, 190)], SKY, WHITE, 7)
    canvas.poly([(150, 60), (196, 78), (196, 212), (150, 190)], None, GREY, 1.5)
    note(canvas, 214, 60, 132, ["TONIGHT", "roast chicken", "with potatoes"], magnet=RED)
    # The oven, with its door down and a black bird inside.
    canvas.box(366, 190, 496, 420, PALE, INK, 3, radius=4)
    for x in (388, 416, 446, 474):
        canvas.disc(x, 208, 7, WHITE, INK, 2)
    canvas.box(378, 226, 484, 330, (70, 66, 66), INK, 2)
    canvas.box(384, 304, 478, 310, GREY)
    canvas.poly(blob(428, 284, 36, 0.55, 3), INK)
    canvas.path([(458, 282), (474, 272)], INK, 9)
    canvas.disc(476, 268, 6, INK)
    canvas.poly([(378, 334), (484, 334), (504, 388), (358, 388)], GREY, INK, 3)
    # Smoke in grey clouds that grow as they rise.
    for x, y, r in ((436, 262, 11), (424, 240, 14), (442, 216, 17), (424, 188, 20), (446, 158, 23),
                    (420, 126, 27), (452, 92, 30), (418, 58, 33), (462, 30, 32)):  # fmt: skip
        canvas.disc(x, y, r, (168, 168, 172))
        canvas.disc(x - r * 0.25, y - r * 0.2, r * 0.66, (188, 188, 190))
    table(canvas, 24, 330, 318, 476)
    canvas.poly([(76, 250), (248, 250), (256, 262), (68, 262)], (206, 174, 130), DARK_BROWN, 2)
    canvas.text(162, 234, "PIZZA EXPRESS", 17, RED)
    canvas.box(68, 218, 256, 252, (222, 192, 148), DARK_BROWN, 2)
    canvas.text(162, 235, "PIZZA IN 20 MINUTES", 15, RED)
    canvas.poly([(56, 318), (76, 258), (248, 258), (268, 318)], (222, 192, 148), DARK_BROWN, 2)
    canvas.disc(162, 288, 74, CRUST, (180, 120, 60), 3, flat=0.34)
    canvas.disc(162, 287, 64, (240, 200, 90), flat=0.32)
    for dx, dy in ((-40, -4), (-12, 8), (-8, -10), (24, -8), (34, 7), (4, 0)):
        canvas.disc(162 + dx, 287 + dy, 8, RED, flat=0.6)
    for x in (40, 300):
        canvas.disc(x, 314, 22, WHITE, GREY, 2, flat=0.25)
    return canvas.finish()


MARKS: Sequence[tuple[str, int, Color]] = (
    ("Dad", 180, BLUE),
    ("Ida", 140, PURPLE),
    ("Ben", 100, RED),
)


def cake(later: bool) -> Image.Image:
    canvas = room(448, wall=(250, 232, 214))
    canvas.text(300, 28, "Later" if later else "Earlier", 24)
    # Heights on the frame of the door: 1 cm is 2 pixels.
    canvas.box(14, 30, 104, 448, BROWN, DARK_BROWN, 4)
    canvas.box(104, 30, 124, 448, (244, 240, 230), GREY, 2)
    canvas.disc(92, 260, 6, YELLOW, INK)
    for name, height, color in MARKS:
        y = 448 - 2 * height
        canvas.path([(104, y), (136, y)], color, 4)
        canvas.text(140, y, f"{name} {height} cm", 16, color, "lm")
    # The shelf hangs at 125 cm.
    canvas.box(268, 190, 492, 202, DARK_BROWN)
    for x in (286, 474):
        canvas.path([(x, 202), (x, 230)], DARK_BROWN, 6)
    _cake(canvas, 374, 188, later)
    for x, color in ((452, GREEN), (478, ORANGE)):
        canvas.box(x - 11, 152, x + 11, 190, color, INK, 2, radius=4)
    _sleeping_dog(canvas, 206, 448)
    stool = 372 if later else 462
    canvas.box(stool - 38, 384, stool + 38, 396, RED, INK, 2, radius=4)
    for dx in (-28, 28):
        canvas.path([(stool + dx, 396), (stool + dx * 1.25, 462)], INK, 6)
    if later:
        canvas.disc(310, 484, 34, WHITE, GREY, 2, flat=0.36)
        canvas.disc(310, 483, 22, None, PALE, 2, flat=0.36)
        for dx, dy in ((-8, -2), (4, 3), (12, -3), (-2, -4)):
            canvas.disc(310 + dx, 483 + dy, 2.6, CHOCOLATE)
        canvas.path([(352, 494), (396, 482)], GREY, 5)
        canvas.path([(396, 482), (420, 476)], INK, 6)
        for x, y in ((306, 288), (334, 274)):
            _hand(canvas, x, y)
    return canvas.finish()


def _cake(canvas: Canvas, x: float, y: float, cut: bool) -> None:
    canvas.disc(x, y - 4, 62, WHITE, GREY, 2, flat=0.12)
    canvas.box(x - 50, y - 52, x + 50, y - 6, CHOCOLATE, INK, 2, radius=3)
    canvas.box(x - 50, y - 34, x + 50, y - 26, (250, 240, 220))
    canvas.disc(x, y - 52, 50, (120, 74, 48), INK, 2, flat=0.22)
    for dx in (-36, -12) if cut else (-36, -12, 12, 36):
        canvas.disc(x + dx, y - 58 - (4 if abs(dx) < 20 else 0), 6, RED, INK, 1)
    if cut:
        canvas.poly([(x + 4, y - 53), (x + 4, y - 66), (x + 54, y - 66), (x + 54, y - 4), (x + 22, y - 4)],
                    (250, 232, 214))  # fmt: skip
        canvas.path([(x + 4, y - 52), (x + 4, y - 63)], INK, 2)
        canvas.poly([(x + 4, y - 52), (x + 22, y - 43), (x + 22, y - 6), (x + 4, y - 12)],
                    (168, 116, 80), INK, 2)  # fmt: skip
        canvas.disc(x + 34, y - 4, 24, WHITE, flat=0.12)


def _hand(canvas: Canvas, x: float, y: float) -> None:
    canvas.disc(x, y, 8, CHOCOLATE)
    for a in (-140, -110, -80, -50):
        canvas.path([(x, y), polar(x, y, 17, a)], CHOCOLATE, 4.5)
    canvas.path([(x, y), polar(x, y, 14, 0)], CHOCOLATE, 4.5)


def _sleeping_dog(canvas: Canvas, x: float, y: float) -> None:
    fur: Color = (214, 160, 98)
    canvas.disc(x, y + 2, 46, fur, INK, 2, flat=0.5)
    canvas.disc(x - 34, y - 2, 18, fur, INK, 2, flat=0.8)
    canvas.disc(x - 24, y + 2, 8, BROWN, flat=1.4)
    canvas.disc(x - 51, y, 4, INK)
    canvas.path([(x - 44, y - 6), (x - 38, y - 4)], INK, 2)
    canvas.box(x - 66, y + 8, x + 60, y + 34, BLUE, INK, 2, radius=12)
    for i, size in enumerate((15, 18, 21)):
        canvas.text(x - 44 + 14 * i, y - 32 - 16 * i, "z", size, GREY)


def _fridge(canvas: Canvas) -> None:
    canvas.box(40, 14, 472, 520, (232, 240, 244), INK, 4, radius=16)
    canvas.box(52, 200, 64, 320, GREY, INK, 2, radius=5)
    canvas.path([(40, 494), (472, 494)], INK, 2)


def fridge_plans() -> Image.Image:
    canvas = Canvas(512, 512, (250, 224, 190))
    _fridge(canvas)
    note(canvas, 88, 44, 150, ["BUY:", "flour, eggs", "7 candles", "balloons"], magnet=RED)
    note(canvas, 264, 52, 186, ["Petra lends us", "8 small chairs"], (200, 230, 250), magnet=GREEN)
    note(
        canvas,
        276,
        142,
        170,
        ["Mia is back soon:", "take it all down!"],
        (250, 206, 214),
        magnet=BLUE,
    )
    # A child's drawing with her name and age.
    canvas.box(92, 196, 248, 344, WHITE, GREY, 2)
    canvas.disc(170, 196, 6, ORANGE, INK, 1.5)
    canvas.box(118, 260, 170, 300, RED, INK, 2)
    canvas.poly([(110, 260), (144, 230), (178, 260)], BLUE, INK, 2)
    canvas.disc(218, 228, 13, YELLOW)
    flower(canvas, 206, 302, PURPLE)
    canvas.text(170, 324, "Mia, age 6", 18)
    # The month, with one day marked.
    canvas.box(268, 220, 460, 388, WHITE, GREY, 2)
    canvas.disc(364, 220, 6, PURPLE, INK, 1.5)
    canvas.text(364, 238, "MAY", 19, RED)
    for column, letter in enumerate("MTWTFSS"):
        canvas.text(286 + 26 * column, 262, letter, 16, RED if column == 6 else BLUE)
    for day in range(1, 32):
        x, y = 286 + 26 * (day % 7), 285 + 22 * (day // 7)
        canvas.text(x, y, str(day), 15)
    canvas.disc(286 + 26 * 5, 285 + 44, 13, None, RED, 3)
    note(canvas, 92, 372, 168, ["14:30: all wait", "behind the sofa,", "lights off"], magnet=GREEN)
    note(canvas, 286, 402, 152, ["Grandpa keeps", "the big parcel"], (206, 236, 200), magnet=RED)
    return canvas.finish()


def fridge_list(after: bool) -> Image.Image:
    canvas = Canvas(448, 448, (206, 226, 214))
    canvas.box(24, 14, 424, 460, (244, 240, 230), INK, 4, radius=16)
    canvas.box(36, 180, 48, 290, GREY, INK, 2, radius=5)
    title, day = ("Friday", "FRI 8") if after else ("Monday", "MON 4")
    canvas.box(70, 34, 170, 96, RED, INK, 2, radius=6)
    canvas.text(120, 52, "MAY", 16, WHITE)
    canvas.text(120, 76, day, 22, WHITE)
    items = (
        ["rice cakes", "milk", "rice noodles", "butter", "corn flour", "cheese"]
        if after
        else ["bread", "milk", "spaghetti", "butter", "wheat flour", "cheese"]
    )
    note(canvas, 196, 40, 196, [f"{title}: to buy", *items], WHITE, 21, BLUE)
    card = ["Dr Hale", "Leo: blood test", "result on Wed 6"]
    note(canvas, 76, 290, 176, card, (206, 230, 250), 18, GREEN)
    if after:
        canvas.path([(258, 340), (266, 354), (288, 318)], GREEN, 6)
    # A magnet for fun.
    canvas.disc(340, 350, 30, ORANGE, INK, 2)
    canvas.poly([(340, 320), (360, 304), (348, 322)], GREEN)
    canvas.disc(330, 346, 3, INK)
    canvas.disc(350, 346, 3, INK)
    canvas.arc(340, 352, 14, 20, 160, INK, 3)
    return canvas.finish()


def party() -> Image.Image:
    canvas = room(392, wall=(236, 226, 240))
    # A garland and balloons of silver.
    for i in range(9):
        x = 12 + 57 * i
        canvas.poly(
            [(x, 16), (x + 46, 16), (x + 23, 56)], (196, 200, 208) if i % 2 else WHITE, GREY, 1.5
        )
    for x, y in ((60, 130), (98, 104), (440, 128), (470, 96)):
        canvas.path([(x, y + 34), (x - 4, y + 120)], GREY, 1.5)
        canvas.disc(x, y, 28, (204, 208, 216), GREY, 2, flat=1.2)
        canvas.disc(x - 9, y - 11, 6, WHITE)
    # The couple on the wall, long ago.
    canvas.box(196, 74, 316, 218, (200, 170, 90), DARK_BROWN, 3)
    canvas.box(206, 84, 306, 186, (246, 242, 232))
    for x, suit in ((240, INK), (272, WHITE)):
        canvas.disc(x, 112, 12, (240, 200, 168), INK, 1.5)
        canvas.poly([(x - 12, 126), (x + 12, 126), (x + 20, 184), (x - 20, 184)], suit, INK, 1.5)
    canvas.poly([(262, 104), (272, 96), (284, 104), (296, 150), (282, 122)], WHITE, GREY, 1.5)
    canvas.disc(257, 146, 6, RED)
    canvas.disc(263, 142, 5, YELLOW)
    canvas.text(256, 202, "June 2001", 17)
    canvas.box(350, 210, 430, 268, WHITE, GREY, 2)
    canvas.box(350, 210, 430, 228, RED)
    canvas.text(390, 219, "JUNE", 15, WHITE)
    canvas.text(390, 249, "2026", 21)
    table(canvas, 20, 492, 330, 492)
    canvas.poly([(20, 328), (492, 328), (500, 446), (12, 446)], WHITE, GREY, 1.5)
    # What is left of the cake: half of it, and its number.
    canvas.disc(256, 326, 74, (232, 236, 240), GREY, 2, flat=0.14)
    canvas.box(206, 276, 266, 324, (252, 240, 226), INK, 2)
    canvas.box(206, 296, 266, 303, RED)
    for x in (216, 236, 256):
        canvas.disc(x, 274, 6, RED, INK, 1.5)
    for dx, dy in ((276, 320), (290, 324), (302, 319)):
        canvas.disc(dx, dy, 3, CRUST)
    for x in (56, 380, 432):
        canvas.disc(x, 330, 22, WHITE, GREY, 2, flat=0.2)
        canvas.disc(x + 6, 327, 4, CRUST)
    for x in (96, 352, 462):
        canvas.path([(x, 328), (x, 304)], GREY, 3)
        canvas.poly([(x - 8, 280), (x + 8, 280), (x + 5, 304), (x - 5, 304)], WHITE, GREY, 2)
        canvas.box(x - 9, 327, x + 9, 330, GREY)
    # The card stands on the table.
    canvas.poly([(112, 328), (118, 270), (186, 270), (182, 328)], (250, 240, 214), GREY, 2)
    canvas.text(149, 288, "to Anna", 16)
    canvas.text(148, 310, "and Paul", 16)
    rng = random.Random(3)
    for _ in range(60):
        x, y = rng.uniform(10, 502), rng.uniform(456, 506)
        canvas.box(x, y, x + 5, y + 4, rng.choice([RED, YELLOW, BLUE, GREEN, WHITE, PURPLE]))
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-mod-kitchen-dinner": dinner,
    "abd-high-kitchen-cake-1": partial(cake, False),
    "abd-high-kitchen-cake-2": partial(cake, True),
    "abd-mod-fridge-notes": fridge_plans,
    "abd-high-fridge-lists-1": partial(fridge_list, False),
    "abd-high-fridge-lists-2": partial(fridge_list, True),
    "abd-mod-party-table": party,
}
