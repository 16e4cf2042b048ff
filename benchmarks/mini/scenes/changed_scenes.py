"""Scenes that change by a rule: a shelf, shadows, songs, snowmen and lit windows."""

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

from .pictograms import NIGHT, ROSE, bird, cup, fish, hat, moon, tree

Thing = tuple[str, Color]
BEFORE: list[Thing] = [("mug", BLUE), ("vase", RED), ("books", BLUE), ("clock", GREEN)]
AFTER: list[Thing] = [("clock", GREEN), ("mug", YELLOW), ("vase", RED), ("books", YELLOW)]
OTHER: list[Thing] = [("plant", GREEN), ("candle", BLUE), ("box", RED), ("teapot", BLUE)]


def shelf(label: str, things: list[Thing]) -> Image.Image:
    c = Canvas(448, 320, WALL)
    for k in range(8):
        c.box(k * 64, 0, k * 64 + 30, 320, (244, 236, 220))
    c.disc(44, 44, 24, WHITE, INK, 2.5)
    c.text(44, 45, label, 28)
    for x in (70, 378):
        c.poly([(x - 7, 240), (x + 7, 240), (x + 7, 286), (x - 3, 286)], DARK_BROWN)
    c.box(16, 226, 432, 244, BROWN, DARK_BROWN, 3)
    for i, (kind, color) in enumerate(things):
        _thing(c, 72 + 101 * i, 226, kind, color)
    return c.finish()


def _thing(c: Canvas, x: float, y: float, kind: str, color: Color) -> None:
    """A thing that stands at (x, y)."""
    if kind == "mug":
        c.disc(x + 28, y - 32, 15, None, color, 7)
        c.box(x - 26, y - 62, x + 26, y, color, INK, 2.5, radius=5)
    elif kind == "vase":
        for dx in (-16, 0, 16):
            c.path([(x, y - 84), (x + dx, y - 118)], GREEN, 4)
            c.disc(x + dx, y - 122, 10, ROSE, RED, 3)
        c.poly(
            [
                (x - 13, y - 90),
                (x + 13, y - 90),
                (x + 9, y - 70),
                (x + 30, y - 36),
                (x + 16, y),
                (x - 16, y),
                (x - 30, y - 36),
                (x - 9, y - 70),
            ],
            color,
            INK,
            2.5,
        )
    elif kind == "books":
        for k in range(3):
            dx = -33 + k * 22
            top = y - (92, 104, 84)[k]
            c.box(x + dx, top, x + dx + 21, y, color, INK, 2.5, radius=2)
            c.path([(x + dx + 4, top + 16), (x + dx + 17, top + 16)], WHITE, 3)
    elif kind == "clock":
        c.disc(x - 22, y - 6, 7, INK)
        c.disc(x + 22, y - 6, 7, INK)
        c.disc(x, y - 44, 38, color, INK, 5)
        for k in range(12):
            c.disc(*polar(x, y - 44, 29, 30 * k), 2, INK)
        c.path([(x, y - 66), (x, y - 44), (x + 15, y - 36)], INK, 4)
    elif kind == "plant":
        for a in (-150, -125, -90, -55, -30):
            tip = polar(x, y - 46, 62, a)
            side = polar(0, 0, 11, a + 90)
            mid = polar(x, y - 46, 34, a)
            c.poly(
                [
                    (x, y - 46),
                    (mid[0] + side[0], mid[1] + side[1]),
                    tip,
                    (mid[0] - side[0], mid[1] - side[1]),
                ],
                color,
                INK,
                1.5,
            )
        c.poly(
            [(x - 28, y - 48), (x + 28, y - 48), (x + 20, y), (x - 20, y)], (206, 120, 80), INK, 2.5
        )
    elif kind == "candle":
        c.box(x - 13, y - 88, x + 13, y - 8, color, INK, 2.5)
        c.path([(x, y - 88), (x, y - 98)], INK, 3)
        c.poly([(x, y - 124), (x + 9, y - 104), (x, y - 94), (x - 9, y - 104)], ORANGE)
        c.disc(x, y - 6, 32, GREY, INK, 2.5, flat=0.2)
    elif kind == "box":
        c.box(x - 34, y - 54, x + 34, y, color, INK, 2.5)
        c.box(x - 38, y - 70, x + 38, y - 52, color, INK, 2.5)
        c.box(x - 6, y - 70, x + 6, y, WHITE, INK, 1.5)
    else:
        c.arc(x + 30, y - 34, 18, 270, 90, INK, 7)
        c.poly(
            [(x - 24, y - 18), (x - 50, y - 54), (x - 40, y - 58), (x - 20, y - 36)],
            color,
            INK,
            2.5,
        )
        c.disc(x, y - 32, 33, color, INK, 2.5, flat=0.95)
        c.disc(x, y - 68, 7, color, INK, 2.5)


PUPPETS = (["bird", "hat", "cup"], ["moon", "cup", "tree", "fish", "hat"])


def theatre_lesson() -> Image.Image:
    c = Canvas(512, 512, (120, 78, 60))
    _backstage(c, 0, PUPPETS[0], 150)
    c.box(0, 252, 512, 260, INK)
    c.box(0, 260, 512, 512, (70, 40, 50))
    c.box(46, 284, 466, 424, (250, 230, 170), DARK_BROWN, 7)
    for side in (0, 1):
        x = 0 if side == 0 else 466
        c.box(x, 260, x + 46, 440, (176, 40, 50))
        for k in (14, 30):
            c.path([(x + k, 260), (x + k, 440)], (130, 26, 36), 3)
    for i, name in enumerate(reversed(PUPPETS[0])):
        _puppet(c, 256 + (i - 1) * 150, 352, name, 44, shadow=True)
    for i in range(6):
        x = 56 + 80 * i
        c.disc(x, 484, 25, (40, 30, 36))
        c.box(x - 34, 500, x + 34, 512, (40, 30, 36))
    _plate(c, 256, 446, "WHAT THE AUDIENCE SEES")
    return c.finish()


def theatre_task() -> Image.Image:
    c = Canvas(512, 252, (120, 78, 60))
    _backstage(c, 0, PUPPETS[1], 82)
    return c.finish()


def _backstage(c: Canvas, top: float, names: list[str], step: float) -> None:
    c.box(0, top, 512, top + 252, (168, 118, 84))
    c.box(46, top + 44, 466, top + 176, (244, 238, 222), DARK_BROWN, 7)
    for i, name in enumerate(names):
        x = 256 + (i - (len(names) - 1) / 2) * step
        c.path([(x, top + 120), (x, top + 206)], DARK_BROWN, 5)
        _puppet(c, x, top + 110, name, 34)
        c.disc(x, top + 214, 17, DARK_BROWN, INK, 2)
        c.box(x - 14, top + 226, x + 14, top + 252, BLUE, INK, 2)
    _plate(c, 256, top + 20, "BEHIND THE SCREEN")


def _plate(c: Canvas, x: float, y: float, text: str) -> None:
    wide = 5.6 * len(text) + 12
    c.box(x - wide, y - 14, x + wide, y + 14, WHITE, INK, 2, radius=6)
    c.text(x, y, text, 16)


def _puppet(c: Canvas, x: float, y: float, name: str, s: float, shadow: bool = False) -> None:
    """A puppet from behind the screen, or its shadow from the front."""
    back = (250, 230, 170) if shadow else (244, 238, 222)
    if name == "bird":
        if shadow:
            bird(c, x, y, s, INK, flip=True, beak=INK, eye=INK)
        else:
            bird(c, x, y, s, GREEN)
    elif name == "hat":
        c.box(x - 0.6 * s, y - 0.8 * s, x + 0.6 * s, y + 0.5 * s, INK, radius=4)
        if not shadow:
            hat(c, x, y, s, (110, 60, 150))
        c.box(x - s, y + 0.4 * s, x + s, y + 0.62 * s, INK, radius=4)
    elif name == "cup":
        cup(c, x, y, s, INK if shadow else (240, 170, 180), flip=shadow)
    elif name == "moon":
        moon(c, x, y, s * 0.9, back)
    elif name == "tree":
        tree(c, x, y, s)
    else:
        fish(c, x, y, s, BLUE)


LADDER = "CDEFGAB"
SONGS = [("FGBA", "FECD"), ("EFDG", "E???")]


def songs() -> Image.Image:
    c = Canvas(512, 512, (238, 244, 236))
    for row, (call, reply) in enumerate(SONGS):
        top = 16 + row * 248
        c.box(10, top, 502, top + 232, WHITE, GREEN, 3, radius=14)
        c.text(34, top + 24, f"{row + 1}", 26, GREEN)
        for k, letter in enumerate(LADDER):
            y = top + 200 - k * 22
            c.path([(64, y), (488, y)], PALE if k % 2 else (196, 200, 196), 2)
            c.text(46, y, letter, 18)
        c.path([(277, top + 60), (277, top + 208)], GREY, 3)
        bird(c, 170, top + 32, 24, BLUE, flip=True)
        bird(c, 388, top + 32, 24, RED)
        for notes, left, color in ((call, 100.0, BLUE), (reply, 312.0, RED)):
            for i, note in enumerate(notes):
                x = left + i * 48
                if note == "?":
                    c.text(x, top + 134, "?", 34, color)
                    continue
                y = top + 200 - LADDER.index(note) * 22
                c.path([(x + 9, y), (x + 9, y - 34 if y > top + 120 else y + 34)], color, 3)
                c.disc(x, y, 11, color, flat=0.8)
    return c.finish()


# Size, hat, scarf and buttons of the first two snowmen of each row. The third has the hat of the
# larger one, the scarf of the smaller one and the buttons of both.
LARGE, MIDDLE, SMALL = 0.95, 0.8, 0.64
SNOWMEN: list[tuple[tuple[float, str, Color, int], tuple[float, str, Color, int]]] = [
    ((LARGE, "top", RED, 3), (SMALL, "wool", GREEN, 0)),
    ((SMALL, "bucket", BLUE, 2), (LARGE, "wool", RED, 2)),
    ((SMALL, "top", GREEN, 3), (LARGE, "bucket", BLUE, 2)),
]


def snowmen() -> Image.Image:
    c = Canvas(480, 512, (176, 206, 232))
    for k in range(26):
        c.disc((k * 97) % 480, (k * 61) % 512, 2.5, WHITE)
    for row, (first, second) in enumerate(SNOWMEN):
        floor = 164 + row * 168
        c.box(0, floor - 24, 480, floor + 14, WHITE)
        _snowman(c, 86, floor, *first)
        _snowman(c, 240, floor, *second)
        if row == 2:
            c.box(338, floor - 138, 450, floor, (214, 228, 242), BLUE, 3, radius=14)
            c.text(394, floor - 70, "?", 76, BLUE)
            continue
        large, small = sorted((first, second), reverse=True)
        _snowman(c, 394, floor, MIDDLE, large[1], small[2], first[3] + second[3])
    return c.finish()


def _snowman(
    c: Canvas, x: float, floor: float, s: float, cap: str, scarf: Color, buttons: int
) -> None:
    """A snowman of the size `s` that stands on `floor`."""

    def at(*points: Point) -> list[Point]:
        return [(x + u * s, floor + (v - 44) * s) for u, v in points]

    def box(x0: float, y0: float, x1: float, y1: float, color: Color, edge: float = 1.5) -> None:
        (left, top), (right, bottom) = at((x0, y0), (x1, y1))
        c.box(left, top, right, bottom, color, INK, edge, radius=3)

    def disc(u: float, v: float, r: float, color: Color, outline: Color | None = None) -> None:
        c.disc(*at((u, v))[0], r * s, color, outline, 2)

    for side in (-1, 1):
        c.path(at((side * 30, -14), (side * 62, -34)), DARK_BROWN, 4 * s)
    disc(0, 0, 44, WHITE, GREY)
    disc(0, -58, 27, WHITE, GREY)
    for k in range(buttons):
        disc(4, 2 + (k - (buttons - 1) / 2) * 17, 5, INK)
    box(-26, -42, 26, -31, scarf)
    box(-28, -34, -15, -8, scarf)
    for side in (-9, 9):
        disc(side, -62, 3, INK)
    c.poly(at((-2, -57), (20, -52), (-2, -50)), ORANGE)
    if cap == "top":
        box(-18, -110, 18, -78, INK)
        box(-30, -80, 30, -73, INK)
    elif cap == "wool":
        c.poly(at((-24, -74), (-14, -96), (14, -96), (24, -74)), (160, 70, 150), INK, 2)
        disc(0, -101, 9, WHITE, INK)
    else:
        c.poly(at((-15, -108), (15, -108), (25, -74), (-25, -74)), GREY, INK, 2)
        c.path(at((-25, -74), (25, -74)), INK, 5 * s)


# The lit windows of the first two houses of each row, numbered from the top left.
LIT: list[tuple[set[int], set[int]]] = [
    ({0, 1}, {1, 5}),
    ({0, 4, 5}, {0, 2}),
    ({1, 2, 3}, {3, 5}),
]


def houses() -> Image.Image:
    c = Canvas(512, 512, NIGHT)
    for k in range(40):
        c.disc((k * 131) % 512, (k * 89) % 512, 1.3, (170, 180, 220))
    walls: list[Color] = [(150, 84, 76), (96, 112, 150), (120, 96, 140)]
    for row, (first, second) in enumerate(LIT):
        base = 162 + 168 * row
        c.box(0, base, 512, base + 10, (20, 24, 40))
        for column, lit in enumerate((first, second, set(range(6)) - first - second)):
            x = 92 + 164 * column
            c.poly(
                [(x - 70, base - 104), (x, base - 146), (x + 70, base - 104)], (60, 44, 52), INK, 2
            )
            c.box(x - 58, base - 104, x + 58, base, walls[column], INK, 2)
            if (row, column) == (2, 2):
                c.text(x, base - 52, "?", 76, WHITE)
                continue
            for k in range(6):
                wx, wy = x - 36 + 36 * (k % 3), base - 78 + 46 * (k // 3)
                c.box(
                    wx - 13, wy - 17, wx + 13, wy + 17, YELLOW if k in lit else (30, 32, 54), INK, 2
                )
                c.path([(wx, wy - 16), (wx, wy + 16)], INK, 1.5)
    return c.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-shelf-change-1": partial(shelf, "1", BEFORE),
    "ana-high-shelf-change-2": partial(shelf, "2", AFTER),
    "ana-high-shelf-change-3": partial(shelf, "3", OTHER),
    "ana-mod-theatre-shadow-1": theatre_lesson,
    "ana-mod-theatre-shadow-2": theatre_task,
    "ana-high-songs-reply": songs,
    "ana-mod-matrix-snowmen": snowmen,
    "ana-mod-matrix-windows": houses,
}
