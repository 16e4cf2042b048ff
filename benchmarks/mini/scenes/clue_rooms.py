"""A desk, a shop window, plants, an aquarium, a bicycle rack and a workshop."""

from __future__ import annotations

import random
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
    PURPLE,
    RED,
    SKY,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
)
from PIL import Image
from props import sun

from scenes.clue_kit import (
    DARK_GREEN,
    SKIN,
    bicycle,
    note,
    plug,
    room,
    socket,
    table,
    tree,
    window,
)

NIGHT: Color = (36, 44, 84)
BREAD: Color = (206, 146, 78)


def desk() -> Image.Image:
    canvas = room(440, wall=(206, 198, 214))
    window(canvas, 28, 30, 178, 196, NIGHT)
    canvas.disc(66, 70, 20, (250, 246, 214))
    canvas.disc(74, 65, 17, NIGHT)
    for x, y in ((126, 56), (150, 90), (120, 130), (60, 140), (82, 170), (154, 164)):
        canvas.disc(x, y, 2, WHITE)
    for x, time, color in ((270, "03:10", YELLOW), (416, "14:10", GREEN)):
        canvas.box(x - 62, 46, x + 62, 108, color, INK, 2, radius=10)
        canvas.box(x - 54, 54, x + 54, 100, INK, radius=6)
        canvas.text(x, 77, time, 30, WHITE)
    table(canvas, 14, 498, 370, 500)
    # The screen: three people in a sunny room.
    canvas.box(216, 148, 466, 330, INK, radius=8)
    canvas.box(226, 158, 456, 318, (196, 226, 244))
    canvas.box(226, 158, 456, 318, None, INK, 2)
    for i, (shirt, hair) in enumerate(((RED, DARK_BROWN), (GREEN, INK), (PURPLE, ORANGE))):
        x = 266 + i * 76
        canvas.box(x - 24, 264, x + 24, 318, shirt, INK, 1.5, radius=14)
        canvas.disc(x, 242, 19, SKIN, INK, 1.5)
        canvas.arc(x, 240, 17, 180, 360, hair, 9)
        canvas.arc(x, 244, 8, 20, 160, INK, 2)
    sun(canvas, 428, 184, 10)
    canvas.text(234, 180, "CALL 00:09:32", 16, INK, "lm")
    canvas.box(326, 330, 356, 356, INK)
    canvas.box(286, 354, 396, 370, INK, radius=4)
    note(canvas, 36, 226, 134, ["Speak low:", "kids asleep!"], size=18)
    # A mug that steams, and the lamp.
    canvas.box(156, 332, 190, 370, RED, INK, 2, radius=4)
    canvas.arc(192, 350, 10, -90, 90, INK, 4)
    for x in (166, 180):
        canvas.path([(x, 324), (x + 4, 314), (x - 2, 304)], WHITE, 3)
    canvas.path([(60, 370), (60, 320), (104, 300)], INK, 5)
    canvas.poly([(96, 290), (132, 304), (118, 326), (86, 310)], YELLOW, INK, 2)
    return canvas.finish()


def rolls(evening: bool) -> Image.Image:
    canvas = Canvas(512, 400, (196, 116, 92))
    canvas.box(0, 0, 512, 54, (120, 56, 50))
    canvas.text(256, 27, "BAKERY", 30, (252, 232, 190))
    for i in range(16):
        canvas.poly(
            [(32 * i, 54), (32 * i + 32, 54), (32 * i + 32, 80), (32 * i, 80)],
            WHITE if i % 2 else RED,
        )
        canvas.disc(32 * i + 16, 80, 16, WHITE if i % 2 else RED, flat=0.6)
    glass: Color = (70, 66, 92) if evening else (222, 238, 246)
    canvas.box(22, 92, 490, 372, glass, DARK_BROWN, 6)
    ink = WHITE if evening else INK
    canvas.text(256, 118, "17:45" if evening else "8:00", 24, ink)
    note(
        canvas, 142, 138, 228, ["ALL ROLLS UNDER 1.00", "fresh every morning"], (250, 236, 200), 18
    )
    rng = random.Random(8)
    kinds = (
        ("plain", "0.60", 1),
        ("poppy", "0.80", 0),
        ("cheese", "9.50", 9),
        ("raisin", "0.90", 1),
    )
    canvas.box(30, 296, 482, 306, DARK_BROWN)
    for i, (name, price, left) in enumerate(kinds):
        x = 88 + 112 * i
        canvas.poly(
            [(x - 48, 272), (x + 48, 272), (x + 38, 296), (x - 38, 296)],
            (178, 130, 80),
            DARK_BROWN,
            2,
        )
        for k in range(left if evening else 9):
            row, column = (0, k) if k < 4 else (1, k - 4) if k < 7 else (2, k - 7)
            rx, ry = x - 36 + 24 * column + 12 * row, 266 - 16 * row
            canvas.disc(rx, ry, 13, BREAD, DARK_BROWN, 1.5, flat=0.72)
            _topping(canvas, rx, ry, name, rng)
        canvas.poly(
            [(x - 48, 272), (x + 48, 272), (x + 38, 296), (x - 38, 296)],
            (178, 130, 80),
            DARK_BROWN,
            2,
        )
        canvas.box(x - 44, 312, x + 44, 362, WHITE, GREY, 2, radius=4)
        canvas.text(x, 326, name, 17)
        canvas.text(x, 347, price, 21, RED)
    return canvas.finish()


def _topping(canvas: Canvas, x: float, y: float, name: str, rng: random.Random) -> None:
    colors: dict[str, Color] = {"poppy": INK, "cheese": YELLOW, "raisin": (90, 40, 60)}
    if name in colors:
        for dx in (-6, 0, 6):
            canvas.disc(
                x + dx, y - 3 + rng.uniform(-2, 2), 2 if name == "poppy" else 3, colors[name]
            )


def plants() -> Image.Image:
    canvas = room(420, wall=(228, 236, 220))
    canvas.box(396, 40, 512, 330, SKY, WHITE, 10)
    canvas.box(396, 40, 512, 330, None, GREY, 2)
    canvas.path([(396, 184), (512, 184)], WHITE, 8)
    sun(canvas, 462, 104, 22)
    canvas.poly([(404, 430), (500, 430), (430, 500), (290, 500)], (236, 214, 150))
    table(canvas, 16, 384, 336, 470)
    rose: Color = (226, 70, 110)
    for x, name, lean, head in ((64, "ROSE", 1, rose), (212, "", -1, YELLOW), (328, "MINT", 1, GREEN)):  # fmt: skip
        _leaning(canvas, x, 336, lean, head)
        canvas.poly(
            [(x - 40, 272), (x + 40, 272), (x + 30, 336), (x - 30, 336)], (206, 112, 72), INK, 2.5
        )
        canvas.box(x - 44, 262, x + 44, 278, (220, 128, 86), INK, 2.5)
        if name:
            canvas.box(x - 28, 290, x + 28, 318, WHITE, INK, 1.5, radius=3)
            canvas.text(x, 304, name, 18)
    return canvas.finish()


def _leaning(canvas: Canvas, x: float, y: float, lean: int, head: Color) -> None:
    for spread in (-16, 0, 16):
        stem: list[Point] = [
            (x + spread * 0.6, y - 70),
            (x + spread + lean * 14, y - 130),
            (x + spread + lean * 34, y - 178 - spread * 0.4),
        ]
        canvas.path(stem, DARK_GREEN, 5)
        for t in (0.35, 0.6, 0.85):
            sx = stem[1][0] + (stem[2][0] - stem[1][0]) * t
            sy = stem[1][1] + (stem[2][1] - stem[1][1]) * t
            canvas.disc(sx + lean * 12, sy - 3, 11, GREEN, flat=0.55)
        canvas.disc(stem[2][0] + lean * 5, stem[2][1] - 4, 12, head, DARK_GREEN, 1.5)


def aquarium() -> Image.Image:
    canvas = room(420, wall=(240, 228, 214))
    table(canvas, 20, 330, 330, 470)
    canvas.box(40, 130, 310, 330, (236, 246, 250), INK, 3)
    canvas.box(42, 164, 308, 328, (150, 206, 232))
    canvas.path([(42, 164), (308, 164)], WHITE, 3)
    canvas.box(42, 306, 308, 328, (214, 190, 140))
    for x, high in ((70, 70), (86, 96), (276, 84), (260, 58)):
        canvas.path(
            [(x, 308), (x - 8, 308 - high * 0.4), (x + 6, 308 - high * 0.7), (x, 308 - high)],
            DARK_GREEN,
            7,
        )
    for x, color in ((92, ORANGE), (150, YELLOW), (206, RED), (262, ORANGE)):
        _gasping(canvas, x, 178, color)
    # The air pump, its hose with a stone in the tank, and its plug on the floor.
    canvas.path([(346, 306), (330, 240), (318, 116), (300, 116), (294, 300), (230, 302)], WHITE, 5)
    canvas.box(212, 294, 236, 306, BLUE, INK, 1.5, radius=4)
    canvas.box(334, 304, 408, 352, BLUE, INK, 2.5, radius=6)
    canvas.text(371, 319, "AIR", 17, WHITE)
    canvas.text(371, 338, "PUMP", 17, WHITE)
    canvas.box(326, 352, 416, 362, BROWN, DARK_BROWN, 2)
    canvas.path([(408, 340), (428, 380), (404, 430), (424, 456)], INK, 4)
    plug(canvas, 428, 462)
    for dx in (12, 18):
        canvas.path([(434, 450 + dx), (446, 450 + dx)], GREY, 3)
    # The only socket is taken by the cleaner.
    socket(canvas, 456, 318)
    plug(canvas, 456, 318, RED)
    canvas.path([(456, 328), (474, 372), (494, 430), (466, 492), (330, 496), (282, 488)], RED, 4)
    canvas.poly([(178, 500), (184, 456), (240, 446), (286, 470), (290, 500)], RED, INK, 2.5)
    canvas.disc(206, 500, 11, INK)
    canvas.disc(266, 500, 11, INK)
    canvas.path([(184, 466), (140, 430), (112, 462), (88, 494)], INK, 7)
    canvas.box(46, 490, 108, 504, INK, radius=4)
    canvas.box(352, 60, 500, 70, BROWN, DARK_BROWN, 2)
    for x, color in ((376, GREEN), (404, PURPLE), (436, YELLOW)):
        canvas.box(x - 12, 14, x + 10, 60, color, INK, 1.5)
    return canvas.finish()


def _gasping(canvas: Canvas, x: float, y: float, color: Color) -> None:
    """A fish with its open mouth up at the surface."""
    canvas.poly([(x - 26, y + 26), (x - 8, y + 12), (x - 24, y + 6)], color, INK, 1.5)
    body = [
        (x - 18, y + 18),
        (x - 14, y + 2),
        (x + 4, y - 10),
        (x + 16, y - 10),
        (x + 14, y + 2),
        (x, y + 16),
    ]
    canvas.poly(body, color, INK, 1.5)
    # Round lips about an open mouth.
    canvas.disc(x + 12, y - 9, 8, color, INK, 1.5)
    canvas.disc(x + 13, y - 10, 4.5, (120, 40, 50), INK, 1)
    canvas.disc(x + 1, y + 1, 3.5, WHITE, INK, 1)
    canvas.disc(x + 1, y + 1, 1.2, INK)


def rack(evening: bool) -> Image.Image:
    canvas = Canvas(512, 384, (70, 84, 130) if evening else (206, 230, 246))
    canvas.text(90, 28, "Evening" if evening else "Morning", 24, WHITE if evening else INK)
    canvas.box(0, 120, 512, 270, (176, 150, 140))
    for y in range(120, 270, 30):
        canvas.path([(0, y), (512, y)], (160, 132, 122), 2)
    for x in (60, 190, 330, 450):
        canvas.box(x - 26, 150, x + 26, 200, YELLOW if evening else (140, 170, 200), WHITE, 4)
    canvas.box(0, 270, 512, 384, (178, 178, 184))
    for x, color, wheels, low in (
        (66, BLUE, "both", False),
        (312, RED, "front" if evening else "both", True),
    ):
        bicycle(canvas, x, 302, color, wheels)
        # A hoop of steel, and a chain round it.
        hoop = x + 104 if low else x + 58
        canvas.path(
            [(hoop - 18, 338), (hoop - 18, 240), (hoop + 18, 240), (hoop + 18, 338)],
            (90, 96, 110),
            7,
        )
        lock: Color = (250, 190, 30)
        if low:
            canvas.disc(hoop - 17, 272, 16, None, lock, 6)
            canvas.box(hoop - 28, 246, hoop - 6, 263, lock, INK, 1.5, radius=3)
        else:
            canvas.disc(hoop - 6, 284, 24, None, lock, 6)
            canvas.box(hoop - 16, 302, hoop + 4, 318, lock, INK, 1.5, radius=3)
    # The quick lever of the red bicycle's front hub: shut along the fork, later open.
    lever = (370, 316) if evening else (389, 278)
    canvas.path([(396, 302), lever], INK, 9)
    canvas.path([(396, 302), lever], WHITE, 5)
    canvas.disc(396, 302, 6, GREY, INK, 1.5)
    tree(canvas, 488, 268, 52)
    return canvas.finish()


def workshop() -> Image.Image:
    canvas = room(430, wall=(222, 214, 198))
    board: Color = (204, 176, 132)
    canvas.box(20, 24, 300, 210, board, DARK_BROWN, 3)
    canvas.text(160, 40, "a place for every tool", 16, DARK_BROWN)
    # Painted outlines; the hammer and the ladder are gone from theirs.
    canvas.poly([(40, 84), (132, 70), (132, 92), (40, 98)], (190, 196, 206), INK, 2)
    canvas.box(126, 64, 156, 98, RED, INK, 2, radius=5)
    canvas.box(196, 66, 206, 130, None, WHITE, 2.5)
    canvas.box(180, 56, 224, 74, None, WHITE, 2.5, radius=3)
    canvas.box(252, 60, 264, 100, YELLOW, INK, 2, radius=4)
    canvas.path([(258, 100), (258, 138)], GREY, 5)
    canvas.box(44, 136, 62, 192, ORANGE, INK, 2, radius=4)
    canvas.path([(53, 136), (53, 116)], GREY, 4)
    canvas.text(202, 150, "hammer", 15, WHITE)
    canvas.disc(120, 160, 26, (190, 196, 206), INK, 2)
    canvas.disc(120, 160, 17, board, INK, 2)
    for x in (428, 482):
        canvas.path([(x, 196), (x, 428)], WHITE, 3)
    for y in range(216, 428, 34):
        canvas.path([(428, y), (482, y)], WHITE, 3)
    canvas.text(455, 180, "ladder", 15, DARK_BROWN)
    # The plan: a box with a slanting roof and a round hole.
    canvas.box(322, 20, 498, 158, (226, 238, 252), BLUE, 2)
    canvas.poly([(350, 60), (402, 44), (402, 58), (350, 74)], None, BLUE, 2)
    canvas.box(356, 72, 396, 136, None, BLUE, 2)
    canvas.disc(376, 92, 8, None, BLUE, 2)
    canvas.text(452, 78, "hole", 16, BLUE)
    canvas.text(452, 98, "32 mm", 16, BLUE)
    canvas.path([(424, 92), (388, 92)], BLUE, 1.5)
    canvas.text(410, 148, "for the blue tits", 15, BLUE)
    table(canvas, 24, 412, 330, 490)
    # What is left on the bench: sawdust, ends of boards, the disc from the hole.
    rng = random.Random(12)
    for _ in range(70):
        x, y = rng.uniform(70, 300), rng.uniform(322, 330)
        canvas.disc(x, y, 2, (236, 208, 150))
    for _ in range(70):
        x, y = rng.uniform(70, 360), rng.uniform(446, 500)
        canvas.disc(x, y, 2, (236, 208, 150))
    for x, w in ((66, 46), (120, 30)):
        canvas.box(x, 308, x + w, 330, (226, 190, 130), DARK_BROWN, 2)
    canvas.disc(186, 312, 16, (226, 190, 130), DARK_BROWN, 2)
    canvas.path([(174, 312), (198, 312)], (196, 156, 100), 1.5)
    canvas.poly([(222, 330), (240, 262), (262, 262), (262, 284), (248, 330)], BLUE, INK, 2)
    canvas.box(212, 254, 292, 284, BLUE, INK, 2, radius=6)
    canvas.path([(292, 269), (316, 269)], GREY, 6)
    canvas.box(336, 288, 396, 330, WHITE, INK, 2, radius=3)
    canvas.text(366, 302, "NAILS", 15)
    for x in (346, 356, 368, 380):
        canvas.path([(x, 314), (x + 6, 326)], GREY, 2.5)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-mod-desk-screen": desk,
    "abd-high-shop-rolls-1": partial(rolls, False),
    "abd-high-shop-rolls-2": partial(rolls, True),
    "abd-mod-plants-row": plants,
    "abd-high-aquarium-fish": aquarium,
    "abd-mod-bicycle-rack-1": partial(rack, False),
    "abd-mod-bicycle-rack-2": partial(rack, True),
    "abd-high-workshop-bench": workshop,
}
