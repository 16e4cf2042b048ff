"""Small pictures of everyday things, and the word pictures that are made of them.

Each thing is drawn round (x, y) and reaches about `s` to every side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image
from props import clock_face, drop, sun

SAND: Color = (240, 222, 178)
MINT: Color = (214, 238, 222)
LILAC: Color = (230, 222, 244)
ROSE: Color = (248, 222, 222)
NIGHT: Color = (34, 40, 84)


def at(x: float, y: float, s: float, points: Sequence[Point], flip: bool = False) -> list[Point]:
    """Points of a unit drawing in place; `flip` mirrors them from left to right."""
    return [(x + (-a if flip else a) * s, y + b * s) for a, b in points]


def star(c: Canvas, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    points = [polar(x, y, s if i % 2 == 0 else s * 0.42, i * 36 - 90) for i in range(10)]
    c.poly(points, color, INK, 2)


def heart(c: Canvas, x: float, y: float, s: float, color: Color = RED) -> None:
    c.poly(at(x, y, s, [(-0.97, -0.22), (0, 0.95), (0.97, -0.22)]), color)
    for side in (-1, 1):
        c.disc(x + side * 0.48 * s, y - 0.4 * s, 0.52 * s, color)
    c.poly(at(x, y, s, [(-0.6, -0.3), (0, 0.4), (0.6, -0.3)]), color)


def fish(c: Canvas, x: float, y: float, s: float, color: Color, flip: bool = False) -> None:
    """A fish that looks to the left."""
    c.poly(at(x, y, s, [(0.4, 0), (1, -0.5), (1, 0.5)], flip), color, INK, 2)
    c.disc(x + (0.15 if flip else -0.15) * s, y, s * 0.8, color, INK, 2, flat=0.6)
    c.disc(x + (0.55 if flip else -0.55) * s, y - 0.12 * s, s * 0.1, WHITE, INK, 1.5)


def bird(c: Canvas, x: float, y: float, s: float, color: Color, flip: bool = False,
         beak: Color = ORANGE, eye: Color = WHITE) -> None:  # fmt: skip
    """A bird that looks to the left, with its wing up."""
    c.poly(at(x, y, s, [(0.5, 0.1), (1.05, -0.1), (1.05, 0.35)], flip), color, INK, 2)
    c.poly(at(x, y, s, [(-0.85, -0.25), (-1.15, -0.1), (-0.8, 0)], flip), beak, INK, 1.5)
    c.disc(x + (-0.05 if flip else 0.05) * s, y + 0.15 * s, s * 0.65, color, INK, 2, flat=0.62)
    c.disc(x + (0.6 if flip else -0.6) * s, y - 0.18 * s, s * 0.32, color, INK, 2)
    c.disc(x + (0.68 if flip else -0.68) * s, y - 0.24 * s, s * 0.08, eye)
    c.poly(at(x, y, s, [(-0.2, 0.1), (0.5, -0.75), (0.45, 0.15)], flip), color, INK, 2)


def moon(c: Canvas, x: float, y: float, s: float, back: Color, color: Color = YELLOW) -> None:
    c.disc(x, y, s, color)
    c.disc(x + 0.45 * s, y - 0.15 * s, s * 0.85, back)


def key(c: Canvas, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    c.disc(x - 0.6 * s, y, s * 0.4, None, color, s * 0.2)
    c.path([(x - 0.25 * s, y), (x + s, y)], color, s * 0.2)
    for dx in (0.6, 0.9):
        c.path([(x + dx * s, y), (x + dx * s, y + 0.4 * s)], color, s * 0.18)


def hat(c: Canvas, x: float, y: float, s: float, color: Color = INK) -> None:
    c.box(x - 0.6 * s, y - 0.8 * s, x + 0.6 * s, y + 0.5 * s, color, radius=s * 0.1)
    c.box(x - s, y + 0.4 * s, x + s, y + 0.62 * s, color, radius=s * 0.1)
    c.box(x - 0.6 * s, y + 0.1 * s, x + 0.6 * s, y + 0.32 * s, RED)


def cup(c: Canvas, x: float, y: float, s: float, color: Color = WHITE, flip: bool = False) -> None:
    """A cup with a saucer and its handle on the right."""
    c.disc(x + (-0.6 if flip else 0.6) * s, y - 0.1 * s, s * 0.32, None, INK, s * 0.12)
    c.disc(x, y + 0.66 * s, s * 0.95, color, INK, 2.5, flat=0.2)
    c.poly(at(x, y, s, [(-0.65, -0.6), (0.65, -0.6), (0.45, 0.6), (-0.45, 0.6)]), color, INK, 2.5)


def fork(c: Canvas, x: float, y: float, s: float, color: Color = GREY) -> None:
    """A fork that stands on its handle."""
    c.box(x - 0.1 * s, y, x + 0.1 * s, y + s, color, radius=s * 0.1)
    c.box(x - 0.36 * s, y - 0.4 * s, x + 0.36 * s, y + 0.16 * s, color, radius=s * 0.2)
    for k in range(4):
        left = x + (-0.36 + 0.2 * k) * s
        c.box(left, y - s, left + 0.12 * s, y - 0.1 * s, color, radius=s * 0.05)


def tree(c: Canvas, x: float, y: float, s: float, color: Color = GREEN) -> None:
    c.box(x - 0.14 * s, y, x + 0.14 * s, y + s, BROWN)
    for dx, dy, r in ((-0.35, -0.1, 0.42), (0.35, -0.1, 0.42), (0, -0.5, 0.5)):
        c.disc(x + dx * s, y + dy * s, r * s, color)


def train(c: Canvas, x: float, y: float, s: float) -> None:
    c.box(x - 1.1 * s, y + 0.72 * s, x + 1.1 * s, y + 0.8 * s, GREY)
    c.box(x + 0.1 * s, y - 0.7 * s, x + 0.95 * s, y + 0.45 * s, RED, INK, 2.5)
    c.box(x, y - 0.86 * s, x + 1.05 * s, y - 0.66 * s, INK)
    c.box(x + 0.3 * s, y - 0.48 * s, x + 0.75 * s, y - 0.05 * s, WATER, INK, 2)
    c.box(x - 0.95 * s, y - 0.25 * s, x + 0.15 * s, y + 0.45 * s, BLUE, INK, 2.5, radius=8)
    c.poly(at(x, y, s, [(-0.75, -0.25), (-0.85, -0.75), (-0.4, -0.75), (-0.5, -0.25)]), INK)
    for dx, dy, r in ((-0.62, -0.98, 0.13), (-0.36, -1.14, 0.17), (0, -1.24, 0.2)):
        c.disc(x + dx * s, y + dy * s, r * s, PALE)
    for dx, r in ((-0.62, 0.24), (-0.08, 0.24), (0.58, 0.3)):
        c.disc(x + dx * s, y + (0.72 - r) * s, r * s, DARK_BROWN, INK, 3)


def rain_cloud(c: Canvas, x: float, y: float, s: float, rain: bool = True) -> None:
    for dx, dy, r in ((-0.55, -0.15, 0.4), (0, -0.45, 0.52), (0.55, -0.15, 0.42)):
        c.disc(x + dx * s, y + dy * s, r * s, GREY)
    c.box(x - 0.6 * s, y - 0.3 * s, x + 0.6 * s, y + 0.25 * s, GREY, radius=s * 0.1)
    if rain:
        for dx, dy in ((-0.55, 0.65), (-0.18, 0.95), (0.2, 0.65), (0.55, 0.95)):
            drop(c, x + dx * s, y + dy * s, s * 0.1, BLUE)


def padlock(c: Canvas, x: float, y: float, s: float) -> None:
    c.arc(x, y - 0.2 * s, s * 0.5, 180, 360, GREY, s * 0.2)
    for side in (-0.4, 0.4):
        c.path([(x + side * s, y - 0.22 * s), (x + side * s, y + 0.1 * s)], GREY, s * 0.2)
    c.box(x - 0.7 * s, y - 0.05 * s, x + 0.7 * s, y + 0.9 * s, YELLOW, INK, 2.5, radius=s * 0.12)
    c.disc(x, y + 0.32 * s, s * 0.14, INK)
    c.poly(at(x, y, s, [(-0.07, 0.35), (0.07, 0.35), (0.12, 0.68), (-0.12, 0.68)]), INK)


def chair(c: Canvas, x: float, y: float, s: float, color: Color = BROWN) -> None:
    for dx, top in ((-0.5, -1), (-0.3, 0.1), (0.5, 0.1)):
        c.box(x + (dx - 0.07) * s, y + top * s, x + (dx + 0.07) * s, y + s, color)
    for dy in (-0.95, -0.6, -0.25):
        c.path([(x - 0.5 * s, y + dy * s), (x - 0.2 * s, y + (dy + 0.06) * s)], color, s * 0.14)
    c.box(x - 0.27 * s, y - 0.9 * s, x - 0.15 * s, y + 0.1 * s, color)
    c.poly(at(x, y, s, [(-0.57, 0), (0.6, 0), (0.7, 0.2), (-0.57, 0.2)]), RED, INK, 2)


def boat(c: Canvas, x: float, y: float, s: float, color: Color = RED, flip: bool = False) -> None:
    """A sailing boat with its large sail on the right of the mast."""
    c.path([(x, y - s), (x, y + 0.4 * s)], INK, 3)
    c.poly(at(x, y, s, [(0.08, -0.95), (0.85, 0.2), (0.08, 0.2)], flip), WHITE, INK, 2)
    c.poly(at(x, y, s, [(-0.08, -0.6), (-0.5, 0.2), (-0.08, 0.2)], flip), YELLOW, INK, 2)
    c.poly(at(x, y, s, [(-1, 0.35), (1, 0.35), (0.65, 0.85), (-0.65, 0.85)]), color, INK, 2)


def apple(c: Canvas, x: float, y: float, s: float, color: Color = RED) -> None:
    c.path([(x, y - 0.5 * s), (x + 0.15 * s, y - s)], DARK_BROWN, s * 0.16)
    c.poly(at(x, y, s, [(0.1, -0.7), (0.55, -1.05), (0.6, -0.7)]), GREEN)
    for side in (-1, 1):
        c.disc(x + side * 0.32 * s, y + 0.08 * s, s * 0.66, color)


def egg(c: Canvas, x: float, y: float, s: float, color: Color = (244, 226, 200)) -> None:
    c.poly([(px, py * 1 + (py - y) * (0.35 if py < y else 0.05))
            for px, py in (polar(x, y, s * 0.78, a) for a in range(0, 360, 12))],
           color, BROWN, 1.5)  # fmt: skip


def arrow(c: Canvas, x0: float, y0: float, x1: float, y1: float, color: Color = INK,
          width: float = 5) -> None:  # fmt: skip
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    head = 3.2 * width
    bx, by = x1 - ux * head, y1 - uy * head
    c.path([(x0, y0), (bx + ux, by + uy)], color, width)
    side = 1.7 * width
    c.poly([(x1, y1), (bx - uy * side, by + ux * side), (bx + uy * side, by - ux * side)], color)


def first_letter() -> Image.Image:
    c = Canvas(460, 512)
    for row, color in enumerate((MINT, LILAC, SAND)):
        y = 12 + row * 166
        c.box(12, y, 448, y + 156, color, radius=16)
        arrow(c, 206, y + 80, 262, y + 80)
    train(c, 108, 100, 58)
    rain_cloud(c, 352, 92, 56)
    clock_face(c, 108, 256, 60, 10, 10)
    padlock(c, 352, 248, 58)
    chair(c, 108, 422, 60)
    c.text(352, 422, "?", 84)
    return c.finish()


# Each picture with the number of letters in its name and the letter that counts.
SPELT: list[list[tuple[str, int, int]]] = [
    [("sun", 3, 1), ("key", 3, 2), ("hat", 3, 2)],
    [("star", 4, 2), ("cup", 3, 2), ("fish", 4, 3), ("fork", 4, 4)],
]


def marked_letters() -> Image.Image:
    c = Canvas(512, 440)
    things: dict[str, Callable[[float, float], None]] = {
        "sun": lambda x, y: sun(c, x, y, 24),
        "key": lambda x, y: key(c, x, y, 36, ORANGE),
        "hat": lambda x, y: hat(c, x, y, 36),
        "star": lambda x, y: star(c, x, y, 38),
        "cup": lambda x, y: cup(c, x, y, 36),
        "fish": lambda x, y: fish(c, x, y, 38, ORANGE),
        "fork": lambda x, y: fork(c, x, y, 46),
    }
    for row, (line, color) in enumerate(zip(SPELT, (MINT, LILAC), strict=True)):
        top = 14 + row * 212
        c.box(12, top, 500, top + 200, color, radius=16)
        for column, (name, count, marked) in enumerate(line):
            x = 64 + column * 92
            things[name](x, top + 74)
            for i in range(count):
                dot = x + (i - (count - 1) / 2) * 16
                c.disc(dot, top + 152, 6.5, INK if i + 1 == marked else WHITE, INK, 2.5)
        x = 64 + len(line) * 92
        c.text(x - 34, top + 78, "=", 36)
        c.text(x + 24, top + 78, "?" if row else "SEA", 60 if row else 36)
    return c.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-mod-wordpic-chair": first_letter,
    "ana-high-wordpic-dots": marked_letters,
}
