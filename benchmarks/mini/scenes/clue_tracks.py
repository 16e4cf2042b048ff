"""Traces in snow, mud and sand."""

from __future__ import annotations

import itertools
import math
import random
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
    RED,
    SKY,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    blob,
    polar,
)
from PIL import Image
from props import sun

from scenes.clue_kit import DENT, SAND, SNOW, fir, flower, paw, shoe, spot, tree, turned

MUD: Color = (150, 118, 84)
PRESSED: Color = (108, 80, 54)


def hare() -> Image.Image:
    canvas = Canvas(512, 512, SNOW)
    for x, y, size in ((52, 120, 70), (128, 92, 54), (470, 108, 76), (404, 74, 48)):
        fir(canvas, x, y, size)
    for x, y, r, seed in ((250, 56, 90, 21), (110, 250, 70, 22), (440, 440, 84, 23)):
        canvas.poly(blob(x, y, r, 0.3, seed), (228, 238, 248))
    for a in range(-160, -10, 25):
        canvas.path([(456, 486), polar(456, 486, 46, a)], DARK_BROWN, 3)
        canvas.disc(*polar(456, 486, 48, a), 5, RED)
    canvas.disc(456, 490, 38, WHITE, DENT, 1.5, flat=0.3)
    # A burrow at the lower left, from which the trail starts.
    canvas.poly(blob(58, 446, 52, 0.6, 3), DENT)
    canvas.poly(blob(58, 440, 34, 0.62, 4), DARK_BROWN)
    # The leaps grow longer until the trail stops.
    for x, y, degrees in ((116, 424, -16), (166, 406, -20), (228, 380, -24), (302, 342, -28)):
        _leap(canvas, x, y, degrees)
    x, y = 378.0, 292.0
    canvas.poly(blob(x, y, 36, 0.7, 8), DENT)
    for side in (-1, 1):
        for i in range(8):
            root = polar(x, y, 30, -28 + side * (50 + i * 10))
            tip = polar(x, y, 124 - abs(i - 2) * 9, -28 + side * (52 + i * 12))
            canvas.poly(
                [root, polar(*tip, 6, -28 + side * 150), tip, polar(*tip, 6, -28 - side * 20)],
                DENT,
            )
    rng = random.Random(5)
    for _ in range(22):
        at = polar(x, y, rng.uniform(4, 40), rng.uniform(0, 360))
        canvas.path([at, polar(*at, 8, rng.uniform(0, 360))], BROWN, 2)
    return canvas.finish()


def _leap(canvas: Canvas, x: float, y: float, degrees: float) -> None:
    """The four prints of one leap: two long hind feet before two small fore feet."""
    for px, py, rx, ry in ((16, -11, 12, 5), (16, 11, 12, 5), (-10, -3, 5, 4), (-24, 4, 5, 4)):
        canvas.poly(turned(spot(px, py, rx, ry), x, y, degrees), (140, 160, 188))


def _path(ground: Color, top: float, bottom: float) -> Canvas:
    canvas = Canvas(512, 384, GRASS)
    canvas.box(0, top, 512, bottom, ground)
    rng = random.Random(2)
    for _ in range(46):
        x, y = (
            rng.uniform(8, 500),
            rng.choice([rng.uniform(10, top - 8), rng.uniform(bottom + 8, 376)]),
        )
        canvas.path([(x - 4, y), (x - 2, y - 7), (x, y), (x + 3, y - 8)], (96, 156, 76), 2)
    return canvas


def dog() -> Image.Image:
    canvas = _path(SAND, 96, 300)
    for x, color in ((40, RED), (150, YELLOW), (430, WHITE)):
        flower(canvas, x, 78, color)
    tree(canvas, 478, 82, 38)
    canvas.path([(318, 80), (318, 56)], DARK_BROWN, 5)
    canvas.box(302, 26, 334, 64, (70, 120, 90), INK, 2, radius=4)
    canvas.box(298, 20, 338, 30, (50, 92, 68), INK, 2, radius=3)
    for x, y, size in ((92, 330, 1.0), (250, 350, 0.8), (410, 334, 1.1)):
        for dx, dy in ((-7, -4), (7, -4), (-6, 5), (6, 5)):
            canvas.disc(x + dx * size, y + dy * size, 6 * size, ORANGE)
        canvas.path([(x, y - 8 * size), (x, y + 9 * size)], INK, 2.5)
    print_color: Color = (178, 146, 96)
    deep: Color = (134, 102, 60)
    # Long steps, but short and deep ones between the splinters.
    steps = [26.0, 78, 130, 180, 218, 256, 294, 332, 384, 436, 488]
    for i, x in enumerate(steps):
        middle = 180 <= x <= 332
        shoe(
            canvas,
            x,
            152 if i % 2 else 178,
            0,
            deep if middle else print_color,
            1.15 if middle else 1,
        )
    for x in [14, 46, 78, 110, 142, 372, 404, 436, 468, 498]:
        paw(canvas, x, 222 if (x // 2) % 4 == 3 else 240, 0, print_color, 0.95)
    rng = random.Random(9)
    for _ in range(24):
        x, y, a = rng.uniform(190, 336), rng.uniform(206, 290), rng.uniform(0, 360)
        canvas.poly([polar(x, y, 10, a), polar(x, y, 5, a + 110), polar(x, y, 8, a + 220)],
                    (120, 190, 130), (40, 110, 60), 1.2)  # fmt: skip
    for x, y, a in ((204, 126, 20), (240, 118, 80), (276, 128, 200), (318, 120, 300)):
        canvas.poly([polar(x, y, 10, a), polar(x, y, 5, a + 110), polar(x, y, 8, a + 220)],
                    (120, 190, 130), (40, 110, 60), 1.2)  # fmt: skip
    # The neck of the bottle.
    canvas.poly([(262, 244), (296, 240), (300, 252), (310, 248), (304, 262), (312, 268), (262, 264)],
                (90, 170, 105), (40, 110, 60), 1.5)  # fmt: skip
    canvas.box(240, 248, 264, 260, (90, 170, 105), (40, 110, 60), 1.5)
    canvas.box(236, 245, 243, 263, (90, 170, 105), (40, 110, 60), 1.5)
    return canvas.finish()


def puncture() -> Image.Image:
    canvas = _path(MUD, 90, 310)
    for x in (60, 470):
        tree(canvas, x, 80, 34)
    for x, y, r, seed in ((92, 268, 48, 31), (398, 126, 40, 32)):
        canvas.poly(blob(x, y, r, 0.36, seed), WATER, PRESSED, 2)
        canvas.path([(x - r * 0.4, y - 4), (x + r * 0.1, y - 6)], WHITE, 2.5)
    for x, color in ((150, YELLOW), (250, WHITE), (340, RED)):
        flower(canvas, x, 370, color, 30)
    # Two wheels leave lines that cross; behind the board one of them is broad.
    for shift, length in ((0.0, 34), (1.6, 52)):
        line = [(x, 180 + 11 * math.sin(x / length + shift)) for x in range(-4, 518, 6)]
        canvas.path(line, PRESSED, 5)
    flat = [(x, 184 + 8 * math.sin(x / 60)) for x in range(246, 520, 6)]
    canvas.path(flat, PRESSED, 19)
    # A board full of nails lies across the way.
    board = turned([(-15, -62), (15, -62), (15, 62), (-15, 62)], 236, 184, 8)
    canvas.poly(board, (204, 164, 112), DARK_BROWN, 2.5)
    for dx, dy in ((-6, -46), (6, -28), (-5, -8), (6, 14), (-6, 32), (5, 50)):
        x, y = turned([(dx, dy)], 236, 184, 8)[0]
        canvas.path([(x, y), (x + 9, y - 14)], GREY, 3)
        canvas.disc(x, y, 3, INK)
    for i, x in enumerate((292, 330, 374, 418, 462, 504)):
        shoe(canvas, x, 234 if i % 2 else 256, 0, PRESSED, 0.95)
    shoe(canvas, 272, 226, -40, PRESSED, 0.95)
    return canvas.finish()


def parked() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    sun(canvas, 456, 50, 24)
    for x, color in ((0, (214, 150, 120)), (176, (226, 200, 150)), (352, (190, 170, 190))):
        canvas.box(x, 150, x + 168, 330, color)
        canvas.poly([(x - 8, 152), (x + 84, 84), (x + 176, 152)], (240, 246, 252), DENT, 2)
        for dx in (26, 104):
            canvas.box(x + dx, 180, x + dx + 38, 226, (120, 150, 180), WHITE, 4)
        canvas.box(x + 66, 246, x + 102, 330, BROWN)
    canvas.box(0, 330, 512, 512, SNOW)
    canvas.box(0, 330, 512, 342, PALE)
    # Bare road under the left car, snow under the right one.
    canvas.poly([(30, 408), (224, 408), (230, 424), (24, 424)], (92, 92, 100))
    # The tracks end below the wheels on this side and on the other.
    for end, dy in ((318, 0), (310, -12)):
        way = [(522.0, 442.0 + dy), (490, 426 + dy), (444, 416 + dy), (float(end), 416 + dy)]
        canvas.path(way, (160, 178, 200), 9)
        for (ax, ay), (bx, by) in itertools.pairwise(way):
            for i in range(6):
                x, y = ax + (bx - ax) * i / 6, ay + (by - ay) * i / 6
                canvas.path([(x - 3, y - 4), (x + 3, y + 4)], (126, 146, 174), 2)
    _snowy_car(canvas, 26, 414, BLUE, covered=True)
    _snowy_car(canvas, 286, 414, RED, covered=False)
    return canvas.finish()


def _snowy_car(canvas: Canvas, x: float, y: float, color: Color, covered: bool) -> None:
    """A car to the left with snow on its roof; `covered` also over the glass and bonnet."""
    canvas.poly([(x + 2, y - 14), (x + 4, y - 50), (x + 50, y - 58), (x + 78, y - 94),
                 (x + 158, y - 94), (x + 184, y - 56), (x + 200, y - 48), (x + 200, y - 14)],
                color, INK, 2.5)  # fmt: skip
    glass = SNOW if covered else (206, 228, 244)
    canvas.poly(
        [(x + 58, y - 58), (x + 82, y - 87), (x + 112, y - 87), (x + 112, y - 58)], glass, INK
    )
    canvas.poly(
        [(x + 120, y - 58), (x + 120, y - 87), (x + 154, y - 87), (x + 174, y - 58)], glass, INK
    )
    canvas.poly([(x + 68, y - 92), (x + 76, y - 112), (x + 96, y - 118), (x + 146, y - 118),
                 (x + 162, y - 110), (x + 166, y - 92)], SNOW, DENT, 2)  # fmt: skip
    if covered:
        canvas.poly(
            [(x - 2, y - 48), (x + 2, y - 64), (x + 52, y - 72), (x + 56, y - 58)], SNOW, DENT, 2
        )
    for dx in (44, 158):
        canvas.disc(x + dx, y - 14, 19, INK)
        canvas.disc(x + dx, y - 14, 9, GREY)
    canvas.disc(x + 8, y - 38, 5, YELLOW, INK, 1.5)


def tide() -> Image.Image:
    canvas = Canvas(512, 512, SAND)
    canvas.box(0, 0, 512, 96, WATER)
    for y, shift in ((30, 0), (62, 40)):
        for x in range(-40, 520, 80):
            canvas.arc(x + shift, y, 20, 200, 340, WHITE, 3)
    wet: Color = (206, 176, 122)
    canvas.poly(
        [(0, 96), *[(x, 300 + 12 * math.sin(x / 50)) for x in range(0, 520, 8)], (512, 96)], wet
    )
    canvas.poly(
        [(0, 92), *[(x, 102 + 6 * math.sin(x / 30)) for x in range(0, 520, 8)], (512, 92)], WHITE
    )
    rng = random.Random(4)
    for x in range(6, 512, 15):
        y = 300 + 12 * math.sin(x / 50) + rng.uniform(-3, 3)
        canvas.path([(x - 8, y + 2), (x, y - 4), (x + 7, y + 3)], (70, 96, 50), 4)
    for x in (90, 262, 470):
        canvas.arc(x, 306 + 12 * math.sin(x / 50), 7, 180, 360, (250, 230, 220), 6)
    # The trail, seen from above, runs up to the line of seaweed.
    for i in range(6):
        shoe(canvas, 254 + (11 if i % 2 else -11) - (4 if i < 2 else 0), 494 - i * 33, -90,
             (184, 152, 98), 0.9)  # fmt: skip
    _castle(canvas, 404, 316)
    for x, y, r in ((480, 510, 26), (30, 350, 20)):
        for a in range(200, 350, 24):
            canvas.path([(x, y), polar(x, y, r * 1.4, a)], GREEN, 3)
    canvas.box(92, 470, 112, 504, BROWN)
    canvas.box(10, 368, 194, 474, WHITE, INK, 3, radius=6)
    canvas.text(102, 390, "TODAY", 18)
    canvas.text(102, 421, "high tide 12:10", 20)
    canvas.text(102, 451, "low tide 18:20", 20)
    canvas.box(398, 470, 418, 502, BROWN)
    canvas.box(330, 420, 486, 474, INK, radius=8)
    canvas.text(408, 447, "now 15:30", 24, YELLOW)
    return canvas.finish()


def _castle(canvas: Canvas, x: float, y: float) -> None:
    """A sand castle from above; towards the sea its wall and towers have melted away."""
    dark: Color = (196, 160, 100)
    canvas.box(x - 66, y - 30, x + 66, y + 84, (216, 188, 134), radius=22)
    canvas.box(x - 46, y - 20, x + 46, y + 62, (180, 144, 88))
    for dx in (-46, 46):
        canvas.box(x + dx - 11, y - 4, x + dx + 11, y + 62, dark, DARK_BROWN, 2)
    canvas.box(x - 46, y + 50, x + 46, y + 72, dark, DARK_BROWN, 2)
    canvas.box(x - 9, y + 49, x + 9, y + 73, DARK_BROWN, radius=3)
    # The keep in the middle.
    canvas.box(x - 18, y + 4, x + 18, y + 38, dark, DARK_BROWN, 2)
    canvas.box(x - 10, y + 12, x + 10, y + 30, (216, 184, 128), DARK_BROWN, 1.5)
    # The smooth remains lie under the line that the sea has reached.
    canvas.poly(blob(x, y - 16, 76, 0.34, 6), (206, 176, 122))
    canvas.poly(blob(x - 40, y - 20, 26, 0.5, 12), (198, 166, 110))
    canvas.poly(blob(x + 44, y - 24, 24, 0.5, 9), (198, 166, 110))
    for dx in (-46, 46):
        canvas.disc(x + dx, y + 60, 19, dark, DARK_BROWN, 2)
        canvas.disc(x + dx, y + 60, 11, (216, 184, 128), DARK_BROWN, 1.5)
    canvas.path([(x, y + 21), (x, y - 8)], INK, 2)
    canvas.poly([(x, y - 8), (x + 22, y - 1), (x, y + 6)], ORANGE, INK, 1)
    # A bucket and a spade beside it.
    canvas.poly([(x - 98, y + 48), (x - 74, y + 48), (x - 78, y + 76), (x - 94, y + 76)], BLUE, INK, 2)  # fmt: skip
    canvas.disc(x - 86, y + 48, 12, (30, 60, 170), INK, 2, flat=0.35)
    canvas.path([(x + 84, y + 30), (x + 84, y + 60)], BROWN, 5)
    canvas.poly([(x + 76, y + 58), (x + 92, y + 58), (x + 90, y + 76), (x + 78, y + 76)], RED, INK, 1.5)  # fmt: skip


SCENES: dict[str, Callable[[], Image.Image]] = {
    "abd-mod-tracks-burrow": hare,
    "abd-mod-tracks-path": dog,
    "abd-high-tracks-mud": puncture,
    "abd-high-roadside-snow": parked,
    "abd-high-beach-trail": tide,
}
