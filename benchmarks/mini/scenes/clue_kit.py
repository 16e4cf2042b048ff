"""Things that the scenes of clues share; draws no picture of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from canvas import (
    BROWN,
    DARK_BROWN,
    GREEN,
    GREY,
    INK,
    PALE,
    SKY,
    WALL,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image

SCENES: dict[str, Callable[[], Image.Image]] = {}

FLOOR: Color = (196, 158, 116)
SNOW: Color = (240, 246, 252)
DENT: Color = (176, 194, 216)
SAND: Color = (232, 208, 156)
STICKY: Color = (252, 238, 150)
DARK_GREEN: Color = (40, 112, 60)
SKIN: Color = (240, 200, 168)


def turned(points: Sequence[Point], x: float, y: float, degrees: float) -> list[Point]:
    """Points around the origin, turned clockwise and then moved to (x, y)."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(x + px * c - py * s, y + px * s + py * c) for px, py in points]


def spot(x: float, y: float, rx: float, ry: float) -> list[Point]:
    """The outline of an ellipse, to be turned."""
    return [
        (x + rx * math.cos(math.radians(a)), y + ry * math.sin(math.radians(a)))
        for a in range(0, 360, 15)
    ]


def shoe(canvas: Canvas, x: float, y: float, degrees: float, color: Color, size: float = 1) -> None:
    """A shoe print; at 0 degrees its toes point right."""
    ball, heel = spot(9 * size, 0, 12 * size, 7.5 * size), spot(-12 * size, 0, 7 * size, 6 * size)
    for part in (ball, heel):
        canvas.poly(turned(part, x, y, degrees), color)


def paw(canvas: Canvas, x: float, y: float, degrees: float, color: Color, size: float = 1) -> None:
    """A dog's print; at 0 degrees its toes point right."""
    canvas.poly(turned(spot(0, 0, 6 * size, 6.5 * size), x, y, degrees), color)
    for dx, dy in ((5, -9), (10, -4), (10, 4), (5, 9)):
        canvas.poly(
            turned(spot(dx * size, dy * size, 3.4 * size, 2.6 * size), x, y, degrees), color
        )


def room(floor: float = 400, width: int = 512, height: int = 512, wall: Color = WALL) -> Canvas:
    canvas = Canvas(width, height, wall)
    canvas.box(0, floor, width, height, FLOOR)
    canvas.box(0, floor - 10, width, floor, WHITE)
    return canvas


def note(
    canvas: Canvas,
    x: float,
    y: float,
    width: float,
    lines: Sequence[str],
    color: Color = STICKY,
    size: float = 17,
    magnet: Color | None = None,
) -> None:
    """A paper with lines of text; its top left corner is at (x, y)."""
    height = len(lines) * (size + 6) + 18
    canvas.box(x, y, x + width, y + height, color, GREY, 1.5)
    for i, line in enumerate(lines):
        canvas.text(x + width / 2, y + 9 + (size + 6) * (i + 0.5), line, size)
    if magnet:
        canvas.disc(x + width / 2, y, 6, magnet, INK, 1.5)


def table(canvas: Canvas, x0: float, x1: float, top: float, floor: float) -> None:
    canvas.box(x0 + 14, top + 14, x0 + 32, floor, DARK_BROWN)
    canvas.box(x1 - 32, top + 14, x1 - 14, floor, DARK_BROWN)
    canvas.box(x0, top, x1, top + 16, BROWN, DARK_BROWN, 2)


def tree(canvas: Canvas, x: float, y: float, size: float, color: Color = GREEN) -> None:
    """A round tree; (x, y) is the foot of its trunk."""
    canvas.box(x - size * 0.12, y - size, x + size * 0.12, y, BROWN)
    for dx, dy, r in ((-0.4, -1.1, 0.5), (0.4, -1.1, 0.5), (0, -1.5, 0.6)):
        canvas.disc(x + dx * size, y + dy * size, r * size, color)


def fir(canvas: Canvas, x: float, y: float, size: float, color: Color = DARK_GREEN) -> None:
    canvas.box(x - size * 0.08, y - size * 0.3, x + size * 0.08, y, DARK_BROWN)
    for i in range(3):
        base = y - size * (0.2 + 0.45 * i)
        half = size * (0.5 - 0.11 * i)
        canvas.poly([(x - half, base), (x + half, base), (x, base - size * 0.75)], color)


def window(canvas: Canvas, x0: float, y0: float, x1: float, y1: float, sky: Color = SKY) -> None:
    canvas.box(x0, y0, x1, y1, sky, WHITE, 8)
    canvas.box(x0, y0, x1, y1, None, GREY, 1.5)
    canvas.box((x0 + x1) / 2 - 3, y0 + 4, (x0 + x1) / 2 + 3, y1 - 4, WHITE)
    canvas.box(x0 - 10, y1, x1 + 10, y1 + 10, WHITE, GREY, 1.5)


def socket(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x - 20, y - 20, x + 20, y + 20, WHITE, INK, 2, radius=5)
    canvas.disc(x, y, 12, PALE, GREY, 1.5)
    for dx in (-4, 4):
        canvas.disc(x + dx, y, 2, INK)


def plug(canvas: Canvas, x: float, y: float, color: Color = INK) -> None:
    canvas.box(x - 11, y - 11, x + 11, y + 11, color, radius=4)


def flower(canvas: Canvas, x: float, y: float, color: Color, stem: float = 34) -> None:
    """A flower whose stem stands on (x, y)."""
    canvas.path([(x, y), (x, y - stem)], GREEN, 3)
    for a in range(0, 360, 72):
        canvas.disc(*polar(x, y - stem, 6, a), 5, color)
    canvas.disc(x, y - stem, 4, YELLOW)


def bicycle(canvas: Canvas, x: float, y: float, color: Color, wheels: str = "both") -> None:
    """A bicycle to the right; (x, y) is the hub of its rear wheel, 84 from the front one."""
    hubs = {"both": (0, 84), "rear": (0,), "front": (84,)}[wheels]
    for dx in hubs:
        canvas.disc(x + dx, y, 31, None, INK, 5)
        for a in range(0, 180, 30):
            ends = [polar(x + dx, y, 28, a), polar(x + dx, y, 28, a + 180)]
            canvas.path(ends, GREY, 1)
        canvas.disc(x + dx, y, 4, INK)
    if wheels == "front":
        return
    seat, crank, head = (x + 24, y - 46), (x + 38, y + 2), (x + 70, y - 48)
    for line in ([(x, y), crank, seat, (x, y)], [crank, head, (seat[0] + 2, seat[1] + 4)],
                 [(x + 84, y), (x + 67, y - 62)]):  # fmt: skip
        canvas.path(line, color, 5)
    canvas.path([seat, (x + 21, y - 54)], INK, 4)
    canvas.path([(x + 9, y - 55), (x + 34, y - 55)], INK, 7)
    canvas.path([(x + 67, y - 62), (x + 84, y - 68), (x + 80, y - 58)], INK, 5)
    canvas.disc(*crank, 9, None, INK, 3)
