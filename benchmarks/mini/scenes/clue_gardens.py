"""Gardens, a camp site, and light that tells the time or betrays a trick."""

from __future__ import annotations

import itertools
import math
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
    canvas.box(0, 0, 512, 70, (198, 226, 246))
    rng = random.Random(6)
    for _ in range(90):
        x, y = rng.uniform(6, 506), rng.uniform(130, 506)
        canvas.path([(x - 4, y), (x - 2, y - 7), (x, y), (x + 3, y - 8)], (112, 168, 88), 2)
    # Houses round the green tell how large everything is.
    for x, color in ((20, (226, 200, 150)), (130, (214, 150, 120)), (300, WHITE), (410, (200, 190, 210))):  # fmt: skip
        canvas.box(x, 56, x + 56, 98, color, INK, 1.5)
        canvas.poly([(x - 6, 58), (x + 28, 28), (x + 62, 58)], (160, 80, 66), INK, 1.5)
        canvas.box(x + 8, 66, x + 20, 78, (120, 150, 180), WHITE, 1.5)
        canvas.box(x + 32, 72, x + 44, 98, BROWN)
    for x in (100, 214, 258, 384, 490):
        tree(canvas, x, 104, 30, DARK_GREEN)
    # Flat yellow grass with a sharp edge, and the holes of big pegs round it.
    x, y, flat = 256.0, 268.0, 0.62
    canvas.disc(x, y, 206, (226, 214, 132), (196, 184, 104), 4, flat=flat)
    for a in range(9, 369, 18):
        px, py = polar(0, 0, 232, a)
        canvas.disc(x + px, y + py * flat, 5, (84, 62, 44), flat=0.7)
    for dx in (-138, 138):
        canvas.disc(x + dx, y, 9, (84, 62, 44), flat=0.7)
    # A ring of sawdust with the prints of hoofs.
    canvas.disc(x, y, 100, (240, 222, 176), (208, 184, 130), 4, flat=flat)
    for i, a in enumerate(range(0, 360, 20)):
        px, py = polar(0, 0, 82 if i % 2 else 62, a)
        hoof = [polar(0, 0, 6.5, b) for b in range(-125, 126, 25)]
        canvas.path(turned(hoof, x + px, y + py * flat, a + 90), DARK_BROWN, 3)
    # Ruts of heavy wheels lead away.
    for dx in (0, 34):
        canvas.path([(398.0 + dx, 372.0), (424 + dx, 420), (470 + dx, 520)], (150, 132, 84), 9)
    # What the people have lost: popcorn, a ticket, a club and a red nose.
    canvas.poly([(38, 410), (104, 410), (96, 492), (46, 492)], WHITE, INK, 2)
    for dx in (0, 24, 48):
        canvas.poly([(40 + dx, 411), (52 + dx, 411), (54 + dx * 0.8, 491), (46 + dx * 0.8, 491)], RED)  # fmt: skip
    for px, py in ((48, 404), (62, 400), (78, 402), (94, 404), (114, 490), (128, 482), (122, 500), (142, 496)):  # fmt: skip
        for dx, dy in ((-4, 0), (4, 0), (0, -5)):
            canvas.disc(px + dx, py + dy, 5.5, (252, 244, 214), (214, 190, 130), 1)
    canvas.poly(turned([(-54, -24), (54, -24), (54, 24), (-54, 24)], 222, 462, -8), (250, 214, 220), INK, 2)  # fmt: skip
    canvas.text(222, 453, "ROW 7", 17)
    canvas.text(222, 473, "SEAT 31", 17)
    club = [(-44.0, -4.0), (-8, -5), (12, -13), (36, -12), (46, 0), (36, 12), (12, 13), (-8, 5), (-44, 4)]  # fmt: skip
    canvas.poly(turned(club, 372, 480, -24), YELLOW, INK, 2)
    canvas.path(turned([(14, -12), (14, 12)], 372, 480, -24), BLUE, 6)
    canvas.disc(*turned([(-46, 0)], 372, 480, -24)[0], 6, BLUE, INK, 1.5)
    canvas.disc(306, 440, 14, RED, INK, 2)
    canvas.disc(301, 435, 4, WHITE)
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
    if morning:
        for points in ([(390, 327), (340, 316), (262, 306), (249, 280), (247, 240), (228, 213)],
                       [(388, 329), (320, 326), (180, 314), (124, 296), (117, 250), (100, 213)],
                       [(386, 325), (342, 296), (322, 250), (344, 213)]):  # fmt: skip
            _slime(canvas, [(float(x), float(y)) for x, y in points])
    for x in range(40, 473, 12):
        canvas.path([(x, 336), (x, 362)], GREY, 1.5)
    for y in (338, 349, 360):
        canvas.path([(40, y), (472, y)], GREY, 1.5)
    for x in (40, 256, 472):
        canvas.box(x - 5, 330, x + 5, 368, BROWN, DARK_BROWN, 1.5)
    return canvas.finish()


def _slime(canvas: Canvas, points: list[Point]) -> None:
    """A thin wavering trail that shines."""
    fine: list[Point] = []
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        count = max(2, round(math.hypot(bx - ax, by - ay) / 3))
        for i in range(count):
            t, n = i / count, len(fine)
            fine.append((ax + (bx - ax) * t + 2.2 * math.sin(n / 4.3),
                         ay + (by - ay) * t + 2.2 * math.sin(n / 5.1 + 1)))  # fmt: skip
    canvas.path(fine, (170, 166, 166), 4.5)
    canvas.path(fine, (228, 234, 240), 2)


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
    # The shadow of the lamp is the only short one.
    canvas.poly([(322, 250), (330, 250), (350, 258), (347, 261)], SHADE)
    canvas.disc(352, 261, 8, SHADE, flat=0.5)
    canvas.box(322, 130, 330, 252, INK)
    canvas.disc(326, 122, 14, (250, 240, 190), INK, 3)
    canvas.poly([(20, 340), (126, 340), (172, 356), (68, 356)], SHADE)
    canvas.box(16, 300, 126, 312, BROWN, DARK_BROWN, 2)
    canvas.box(16, 278, 126, 290, BROWN, DARK_BROWN, 2)
    for x in (28, 114):
        canvas.path([(x, 278), (x, 342)], INK, 5)
    _person(canvas, 392, 344, 74, BLUE, INK)
    canvas.disc(486, 322, 15, SHADE, flat=0.35)
    canvas.disc(474, 310, 13, WHITE, INK, 2)
    _person(canvas, 226, 330, 104, RED, PURPLE)
    return canvas.finish()


def _person(canvas: Canvas, x: float, y: float, high: float, top: Color, legs: Color) -> None:
    """Somebody standing on (x, y) whose shadow falls to the right."""
    u = high / 10
    canvas.poly(
        [
            (x - u, y),
            (x + u, y),
            (x + 7.4 * u, y + 2.2 * u),
            (x + 5.4 * u, y + 2.9 * u),
        ],
        SHADE,
    )
    canvas.disc(x + 7.4 * u, y + 2.9 * u, 1.3 * u, SHADE, flat=0.55)
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
        if morning:
            canvas.path([(x, 372), (x + 8, 362), (x + 20, 360)], GREEN, 3)
            for a in range(0, 360, 72):
                canvas.disc(*polar(x + 24, 361, 5, a), 4, YELLOW)
        else:
            flower(canvas, x, 372, YELLOW, 24)
    # The pole with the flag.
    canvas.path([(206, 84), (206, 236)], DARK_BROWN, 5)
    if morning:
        canvas.poly([(208, 86), (232, 90), (222, 96), (238, 104), (208, 114)], RED, INK, 1.5)
    else:
        canvas.poly([(208, 86), (220, 98), (227, 138), (218, 131), (214, 140), (208, 132)], RED, INK, 1.5)  # fmt: skip
        canvas.path([(211, 94), (217, 130)], (160, 24, 24), 1.5)
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
