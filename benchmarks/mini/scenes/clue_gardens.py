"""Gardens, a camp site, and light that tells the time or betrays a trick."""

from __future__ import annotations

import random
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
from props import sun

from scenes.clue_kit import DARK_GREEN, SKIN, flower, spot, tree, turned

SHADE: Color = (92, 140, 74)
SOIL: Color = (120, 88, 62)


def lawn() -> Image.Image:
    canvas = Canvas(512, 512, GRASS)
    rng = random.Random(6)
    for _ in range(110):
        x, y = rng.uniform(6, 506), rng.uniform(90, 506)
        canvas.path([(x - 4, y), (x - 2, y - 7), (x, y), (x + 3, y - 8)], (112, 168, 88), 2)
    for x in range(0, 512, 36):
        canvas.poly(
            [(x + 3, 84), (x + 3, 22), (x + 17, 8), (x + 31, 22), (x + 31, 84)], WHITE, GREY, 2
        )
    # Flat yellow grass with a sharp edge.
    canvas.disc(246, 292, 168, (226, 214, 132), (196, 184, 104), 4, flat=0.74)
    for _ in range(70):
        a, r = rng.uniform(0, 360), rng.uniform(0, 150)
        x, y = polar(0, 0, r, a)
        canvas.path(
            [(246 + x - 8, 292 + y * 0.74), (246 + x + 8, 292 + y * 0.74 + 2)], (204, 190, 110), 2
        )
    # A small ladder lies at its edge.
    for dy in (0, 30):
        canvas.path([(372, 452 + dy), (494, 430 + dy)], (210, 214, 220), 8)
    for i in range(4):
        x = 390 + 28 * i
        canvas.path([(x, 449 - 5 * i), (x, 479 - 5 * i)], (170, 176, 186), 6)
    # A ring to swim with, goggles, a hose and a pile of folded plastic.
    canvas.disc(76, 444, 48, RED, INK, 2, flat=0.6)
    for a in range(0, 360, 60):
        canvas.path([polar(76, 444, 27, a), polar(76, 444, 30, a)], WHITE, 10)
    canvas.disc(76, 444, 22, GRASS, INK, 2, flat=0.5)
    hose: list[Point] = [(0, 150), (60, 164), (108, 132), (150, 150), (186, 170)]
    canvas.path(hose, (30, 120, 70), 8)
    canvas.path([(184, 169), (200, 177)], YELLOW, 9)
    canvas.poly(blob(200, 196, 28, 0.3, 7), WATER)
    for i in range(3):
        y = 150.0 - i * 15
        canvas.box(388, y, 494, y + 17, (90, 150, 220), (40, 90, 160), 2, radius=6)
    for x in (404, 442, 476):
        canvas.poly([(x - 10, 130), (x, 124), (x + 8, 130), (x, 136)], WHITE)
    for x in (196, 222):
        canvas.disc(x, 468, 13, (150, 210, 240), INK, 4, flat=0.8)
    canvas.path([(183, 468), (166, 486), (252, 486), (235, 468)], INK, 3)
    return canvas.finish()


def bed(morning: bool) -> Image.Image:
    canvas = Canvas(512, 384, (250, 226, 190) if morning else (190, 170, 200))
    if morning:
        sun(canvas, 440, 46, 20)
    else:
        canvas.disc(440, 46, 24, (250, 246, 214))
        canvas.disc(450, 40, 22, (190, 170, 200))
    canvas.text(180, 34, "Next morning" if morning else "Evening", 24)
    canvas.box(0, 110, 512, 384, GRASS)
    # A fence of fine wire all round the bed.
    canvas.box(40, 128, 472, 340, SOIL)
    for x in range(40, 473, 12):
        canvas.path([(x, 78), (x, 128)], GREY, 1.5)
    for y in range(80, 129, 12):
        canvas.path([(40, y), (472, y)], GREY, 1.5)
    for x in (40, 256, 472):
        canvas.box(x - 5, 68, x + 5, 134, BROWN, DARK_BROWN, 1.5)
    for y in (160, 200, 240, 280, 320):
        canvas.path([(44, y), (468, y)], (134, 102, 74), 2)
    if morning:
        shine: Color = (206, 216, 226)
        for points in ([(400, 300), (360, 268), (310, 276), (262, 214), (222, 196)],
                       [(400, 304), (330, 316), (250, 296), (196, 310), (120, 206), (98, 190)],
                       [(392, 296), (380, 236), (356, 204)]):  # fmt: skip
            canvas.path([(float(x), float(y)) for x, y in points], shine, 6)
    for i, x in enumerate((96, 224, 352)):
        _lettuce(canvas, x, 180, morning, i)
    for x in (84, 150, 216, 282):
        for a in (-120, -90, -60):
            canvas.path([(x, 262), polar(x, 262, 32, a)], GREEN, 4)
        canvas.poly([(x - 9, 258), (x + 9, 258), (x, 284)], ORANGE, INK, 1.5)
    # A flower pot, upside down and with a chip at its rim.
    canvas.poly([(372, 316), (446, 316), (434, 250), (384, 250)], (200, 110, 70), INK, 2.5)
    canvas.box(366, 304, 452, 322, (214, 124, 82), INK, 2.5)
    canvas.disc(390, 322, 10, INK)
    canvas.box(376, 323, 404, 334, SOIL)
    for x in range(40, 473, 12):
        canvas.path([(x, 336), (x, 362)], GREY, 1.5)
    for y in (338, 349, 360):
        canvas.path([(40, y), (472, y)], GREY, 1.5)
    for x in (40, 256, 472):
        canvas.box(x - 5, 330, x + 5, 368, BROWN, DARK_BROWN, 1.5)
    return canvas.finish()


def _lettuce(canvas: Canvas, x: float, y: float, eaten: bool, seed: int) -> None:
    for r, color in ((44, (96, 170, 70)), (32, (128, 196, 90)), (18, (170, 220, 120))):
        canvas.poly(blob(x, y, r, 0.78, seed + r), color, DARK_GREEN, 1.5)
    if eaten:
        rng = random.Random(seed)
        for i in range(11):
            at = polar(x, y, 16 + 22 * rng.random(), i * 33 + rng.uniform(-8, 8))
            canvas.poly(blob(at[0], y + (at[1] - y) * 0.78, rng.uniform(4, 7.5), 0.9, i), SOIL)


def caption() -> Image.Image:
    canvas = Canvas(512, 512, (236, 232, 224))
    canvas.box(20, 16, 492, 496, WHITE, GREY, 2)
    canvas.box(36, 32, 476, 428, GRASS)
    canvas.text(256, 460, "My garden at seven in the morning", 23)
    canvas.poly([(36, 352), (476, 372), (476, 408), (36, 390)], (222, 206, 168))
    # Long shadows to the east of everything; the garden is seen from above.
    for x, y, r in ((88, 92, 34), (120, 240, 40), (300, 300, 26)):
        canvas.poly([(x, y - r), (x + 3.2 * r, y - r * 0.8), *[polar(x + 3.2 * r, y, r * 0.85, a) for a in range(-75, 76, 15)],
                     (x + 3.2 * r, y + r * 0.8), (x, y + r)], SHADE)  # fmt: skip
        canvas.disc(x, y, r, DARK_GREEN)
        for a in range(0, 360, 60):
            canvas.disc(*polar(x, y, r * 0.62, a), r * 0.36, GREEN)
        canvas.disc(x, y, r * 0.4, GREEN)
    for dy in (-14, 14):
        canvas.box(280, 170 + dy - 3, 344, 170 + dy + 3, SHADE)
    canvas.box(262, 148, 290, 192, BROWN, DARK_BROWN, 2)
    for y in (156, 170, 184):
        canvas.path([(264, y), (288, y)], DARK_BROWN, 1.5)
    for y in (60, 84):
        canvas.box(262, y + 4, 334, y + 9, SHADE)
        canvas.disc(260, y + 6, 8, RED, INK, 1.5)
    # The compass rose.
    canvas.disc(406, 104, 38, WHITE, INK, 2)
    canvas.poly([(406, 74), (415, 104), (397, 104)], RED, INK, 1)
    canvas.poly([(406, 134), (415, 104), (397, 104)], PALE, INK, 1)
    for letter, x, y in (("N", 406, 54), ("S", 406, 154), ("E", 455, 104), ("W", 355, 104)):
        canvas.text(x, y, letter, 18)
    return canvas.finish()


def park() -> Image.Image:
    canvas = Canvas(512, 384, (198, 226, 246))
    sun(canvas, 56, 52, 24)
    for x, y in ((230, 60), (400, 44)):
        for dx, r in ((-24, 15), (0, 22), (24, 15)):
            canvas.disc(x + dx, y, r, WHITE)
    canvas.box(0, 190, 512, 384, GRASS)
    canvas.disc(420, 206, 96, (150, 200, 122), flat=0.2)
    for x, y, size in ((96, 244, 66), (418, 222, 46)):
        canvas.poly(turned(spot(size * 1.15, 0, size * 0.9, size * 0.26), x, y, 16), SHADE)
        canvas.poly(
            [
                (x - 5, y),
                (x + 5, y),
                (x + size * 0.6, y + size * 0.24),
                (x + size * 0.6, y + size * 0.14),
            ],
            SHADE,
        )
        tree(canvas, x, y, size)
    # A lamp post, a boy with a ball and a bench, lit from the left.
    canvas.poly([(322, 250), (330, 250), (424, 282), (420, 286)], SHADE)
    canvas.disc(426, 286, 10, SHADE, flat=0.5)
    canvas.box(322, 130, 330, 252, INK)
    canvas.disc(326, 122, 14, (250, 240, 190), INK, 3)
    canvas.poly([(20, 340), (126, 340), (172, 356), (68, 356)], SHADE)
    canvas.box(16, 300, 126, 312, BROWN, DARK_BROWN, 2)
    canvas.box(16, 278, 126, 290, BROWN, DARK_BROWN, 2)
    for x in (28, 114):
        canvas.path([(x, 278), (x, 342)], INK, 5)
    _person(canvas, 386, 348, 74, BLUE, INK, 1)
    canvas.disc(436, 356, 16, SHADE, flat=0.35)
    canvas.disc(424, 342, 13, WHITE, INK, 2)
    _person(canvas, 272, 322, 104, RED, PURPLE, -1)
    return canvas.finish()


def _person(
    canvas: Canvas, x: float, y: float, high: float, top: Color, legs: Color, side: int
) -> None:
    """Somebody standing on (x, y) whose shadow falls to the right (1) or to the left (-1)."""
    u = high / 10
    canvas.poly(
        [
            (x - u, y),
            (x + u, y),
            (x + side * 6.4 * u + u, y + 2.2 * u),
            (x + side * 6.4 * u - u, y + 2.9 * u),
        ],
        SHADE,
    )
    canvas.disc(x + side * 7.4 * u, y + 2.9 * u, 1.3 * u, SHADE, flat=0.55)
    for dx in (-0.7, 0.7):
        canvas.path([(x + dx * u, y), (x + dx * u * 0.8, y - 4 * u)], legs, 1.2 * u)
    canvas.box(x - 1.5 * u, y - 7.4 * u, x + 1.5 * u, y - 3.6 * u, top, INK, 1.5, radius=4)
    for dx in (-1.9, 1.9):
        canvas.path([(x + dx * u * 0.8, y - 7 * u), (x + dx * u, y - 4 * u)], SKIN, 0.8 * u)
    canvas.disc(x, y - 8.7 * u, 1.3 * u, SKIN, INK, 1.5)
    canvas.arc(x, y - 8.8 * u, 1.25 * u, 180, 360, DARK_BROWN, 0.7 * u)


def camp(morning: bool) -> Image.Image:
    canvas = Canvas(512, 384, (214, 226, 236) if morning else (246, 214, 180))
    canvas.text(120, 30, "Next morning" if morning else "Evening", 24)
    canvas.disc(120, 210, 200, (150, 184, 130), flat=0.4)
    canvas.disc(400, 210, 220, (134, 172, 116), flat=0.36)
    canvas.box(0, 200, 512, 384, GRASS)
    tree(canvas, 448, 214, 84, DARK_GREEN)
    _tent(canvas, 100, 300, ORANGE)
    for x in (34, 60, 140, 166):
        canvas.poly(blob(x, 304, 13, 0.7, x), GREY, INK, 2)
    pegs = [(206, 306), (228, 322), (330, 306), (308, 322)]
    for x, y in pegs:
        canvas.path([(x, y - 6), (x - 3, y + 8)], INK, 4)
    if morning:
        for x, y in pegs:
            canvas.path([(x, y - 5), (x + 12, y - 3), (x + 18, y + 4)], WHITE, 2.5)
        canvas.poly([(216, 306), (320, 306), (306, 316), (230, 316)], (176, 206, 120))
        # What was the blue tent hangs in the tree.
        canvas.poly([(400, 108), (438, 92), (470, 104), (492, 132), (474, 126), (466, 160), (448, 128), (430, 144), (424, 122)],
                    BLUE, INK, 2)  # fmt: skip
        canvas.path([(492, 132), (504, 150)], WHITE, 2.5)
        # Twigs and leaves lie to the right, the chair on its back.
        rng = random.Random(11)
        for _ in range(20):
            x, y = rng.uniform(150, 500), rng.uniform(236, 372)
            canvas.path([(x, y), (x + 14, y + 3)], DARK_BROWN, 2.5)
        canvas.path([(388, 348), (436, 348), (446, 318)], RED, 7)
        canvas.path([(400, 346), (394, 322)], INK, 4)
        canvas.path([(430, 346), (424, 322)], INK, 4)
    else:
        _tent(canvas, 268, 310, BLUE)
        for x, y in pegs:
            canvas.path([(x, y - 5), (268 + (x - 268) * 0.66, y - 32)], WHITE, 2.5)
        canvas.path([(372, 304), (380, 336), (426, 336)], RED, 7)
        for x in (384, 422):
            canvas.path([(x, 336), (x, 360)], INK, 4)
    for x in (40, 66, 92):
        flower(canvas, x, 372, YELLOW, 24)
    # The pole with the flag.
    canvas.path([(206, 84), (206, 236)], DARK_BROWN, 5)
    if morning:
        canvas.poly([(208, 86), (232, 90), (222, 96), (238, 104), (208, 114)], RED, INK, 1.5)
    else:
        canvas.poly([(208, 86), (220, 92), (216, 130), (208, 128)], RED, INK, 1.5)
    return canvas.finish()


def _tent(canvas: Canvas, x: float, y: float, color: Color) -> None:
    canvas.poly([(x - 62, y), (x + 62, y), (x, y - 92)], color, INK, 2.5)
    canvas.poly([(x - 20, y), (x + 20, y), (x, y - 58)], (70, 66, 70), INK, 1.5)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-mod-garden-lawn": lawn,
    "abd-mod-garden-bed-1": partial(bed, False),
    "abd-mod-garden-bed-2": partial(bed, True),
    "abd-mod-shadow-caption": caption,
    "abd-mod-shadow-park": park,
    "abd-mod-campsite-night-1": partial(camp, False),
    "abd-mod-campsite-night-2": partial(camp, True),
}
