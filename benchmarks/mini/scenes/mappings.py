"""Scenes whose answer carries a relation over from one part to another."""

from __future__ import annotations

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
from props import drop, sun

ROAD: Color = (206, 196, 176)


def rebus() -> Image.Image:
    canvas = Canvas(512, 400)
    canvas.path([(20, 210), (492, 210)], PALE, 3)
    for y in (100, 305):
        canvas.text(150, y, "+", 44)
        canvas.text(334, y, "=", 44)
    sun(canvas, 76, 100, 34)
    _glasses(canvas, 244, 100, WHITE)
    _glasses(canvas, 422, 92, INK)
    canvas.text(422, 150, "sunglasses", 22)
    _rain_cloud(canvas, 76, 290)
    _ribbon_bow(canvas, 244, 300)
    canvas.text(422, 305, "?", 70)
    return canvas.finish()


def _glasses(canvas: Canvas, x: float, y: float, lens: Color) -> None:
    canvas.arc(x, y - 2, 10, 180, 360, INK, 5)
    for side in (-1, 1):
        canvas.disc(x + side * 34, y, 25, lens, INK, 5)
        canvas.path([(x + side * 58, y - 6), (x + side * 70, y - 20)], INK, 5)


def _rain_cloud(canvas: Canvas, x: float, y: float) -> None:
    for dx, dy, radius in ((-30, 0, 22), (0, -16, 30), (32, 0, 22)):
        canvas.disc(x + dx, y + dy, radius, GREY)
    canvas.box(x - 34, y - 4, x + 36, y + 22, GREY)
    for dx, dy in ((-30, 44), (-6, 58), (16, 42), (38, 58)):
        drop(canvas, x + dx, y + dy, 6, BLUE)


def _ribbon_bow(canvas: Canvas, x: float, y: float) -> None:
    for side in (-1, 1):
        canvas.poly([(x, y), (x + side * 14, y + 54), (x + side * 28, y + 40),
                     (x + side * 38, y + 52), (x + side * 10, y)], RED, INK, 2)  # fmt: skip
        canvas.poly([(x, y), (x + side * 52, y - 30), (x + side * 60, y),
                     (x + side * 52, y + 28)], RED, INK, 2)  # fmt: skip
    canvas.box(x - 11, y - 13, x + 11, y + 13, RED, INK, 2.5, radius=5)


def signs() -> Image.Image:
    canvas = Canvas(512, 512, (226, 234, 216))
    for x, y, allowed, picture, words in (
        (136, 108, False, _fish, "NO FISHING"),
        (376, 108, True, _fish, "FISHING ALLOWED"),
        (136, 360, False, _tent, "NO CAMPING"),
        (376, 360, True, _fire, ""),
    ):
        canvas.path([(x, y + 80), (x, y + 130)], GREY, 10)
        if allowed:
            canvas.disc(x, y, 82, WHITE, RED, 14)
        else:
            corners = [polar(x, y, 94, a) for a in range(0, 360, 90)]
            canvas.poly(corners, WHITE, GREEN, 12)
        picture(canvas, x, y)
        if words:
            canvas.box(x - 94, y + 106, x + 94, y + 136, WHITE, INK, 2, radius=4)
            canvas.text(x, y + 121, words, 18)
    return canvas.finish()


def _fish(canvas: Canvas, x: float, y: float) -> None:
    canvas.poly([(x + 24, y), (x + 50, y - 20), (x + 50, y + 20)], INK)
    canvas.disc(x - 6, y, 40, INK, flat=0.5)
    canvas.disc(x - 28, y - 5, 4, WHITE)


def _tent(canvas: Canvas, x: float, y: float) -> None:
    canvas.poly([(x - 50, y + 32), (x, y - 44), (x + 50, y + 32)], INK)
    canvas.poly([(x - 14, y + 32), (x, y - 10), (x + 14, y + 32)], WHITE)


def _fire(canvas: Canvas, x: float, y: float) -> None:
    flame = [(0, -50), (14, -26), (26, -34), (32, 0), (20, 24), (-20, 24), (-32, 0), (-20, -22),
             (-10, -14)]  # fmt: skip
    canvas.poly([(x + dx, y + dy) for dx, dy in flame], ORANGE)
    canvas.poly([(x + dx * 0.5, y + 14 + dy * 0.45) for dx, dy in flame], YELLOW)
    for side in (-1, 1):
        canvas.path([(x - side * 38, y + 26), (x + side * 38, y + 44)], DARK_BROWN, 9)


# Top and bottom of each domino, row by row; None is the one to find.
DOMINOES: list[list[tuple[int, int] | None]] = [
    [(1, 4), (2, 1), (3, 3)],
    [(2, 6), (4, 4), (6, 2)],
    [(3, 5), (2, 4), None],
]


def dominoes() -> Image.Image:
    canvas = Canvas(432, 512, (60, 112, 84))
    for row, pieces in enumerate(DOMINOES):
        for column, piece in enumerate(pieces):
            _domino(canvas, 96 + 120 * column, 92 + 164 * row, piece)
    return canvas.finish()


def _domino(canvas: Canvas, x: float, y: float, piece: tuple[int, int] | None) -> None:
    canvas.box(x - 36, y - 70, x + 36, y + 70, WHITE, INK, 3, radius=9)
    if piece is None:
        canvas.text(x, y, "?", 76)
        return
    canvas.path([(x - 26, y), (x + 26, y)], INK, 3)
    for half, pips in zip((y - 35, y + 35), piece, strict=True):
        for dx, dy in _PIPS[pips]:
            canvas.disc(x + dx * 20, half + dy * 20, 6.5, INK)


_CORNERS: list[Point] = [(-1, -1), (1, 1), (-1, 1), (1, -1)]
_PIPS: dict[int, list[Point]] = {
    1: [(0, 0)],
    2: _CORNERS[:2],
    3: [*_CORNERS[:2], (0, 0)],
    4: _CORNERS,
    5: [*_CORNERS, (0, 0)],
    6: [*_CORNERS, (-1, 0), (1, 0)],
}

BUILDINGS: dict[str, Point] = {
    "Church": (262, 104),
    "School": (84, 300),
    "Mill": (262, 286),
    "Inn": (430, 128),
    "Farm": (330, 440),
}
NUMBERS = {"Church": "3", "School": "5", "Mill": "2", "Inn": "1", "Farm": "4"}


def village_first() -> Image.Image:
    return _village("Village A", {name: name for name in BUILDINGS}, turned=False)


def village_second() -> Image.Image:
    return _village("Village B", NUMBERS, turned=True)


def _village(title: str, labels: dict[str, str], turned: bool) -> Image.Image:
    """Both villages have one plan; the second lies a quarter turn clockwise."""

    def place(x: float, y: float) -> Point:
        return (512 - y, x) if turned else (x, y)

    canvas = Canvas(512, 512, GRASS)
    river = [(168, -10), (160, 120), (176, 240), (168, 330), (220, 372), (360, 366), (530, 384)]
    canvas.path([place(x, y) for x, y in river], WATER, 34)
    canvas.path([place(-10, 196), place(530, 196)], ROAD, 22)
    for side in (-15, 15):
        canvas.path([place(144, 196 + side), place(196, 196 + side)], DARK_BROWN, 7)
    canvas.poly([place(x, y) for x, y in blob(84, 430, 50, 0.8, 41)], WATER)
    for name, (x, y) in BUILDINGS.items():
        bx, by = place(x, y)
        canvas.poly([(bx - 28, by - 8), (bx, by - 34), (bx + 28, by - 8)], BROWN, INK, 2)
        canvas.box(bx - 22, by - 8, bx + 22, by + 20, WHITE, INK, 2)
        below = len(labels[name]) > 1
        canvas.text(bx, by + (34 if below else 6), labels[name], 20 if below else 24)
    corner = (430, 36) if turned else (80, 30)
    canvas.box(corner[0] - 66, corner[1] - 18, corner[0] + 66, corner[1] + 18, WHITE, INK, 2)
    canvas.text(*corner, title, 22)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-mod-rebus": rebus,
    "ana-mod-signs": signs,
    "ana-high-dominoes": dominoes,
    "ana-high-village-1": village_first,
    "ana-high-village-2": village_second,
}
