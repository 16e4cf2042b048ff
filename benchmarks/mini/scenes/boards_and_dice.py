"""Board games, chess, a cube's net and a rolling die."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

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
    SKY,
    WALL,
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

from scenes.town_maps import arrow, lines

STONE: Color = (134, 132, 138)
LIGHT: Color = (240, 217, 181)
DARK: Color = (181, 136, 99)


def robot(canvas: Canvas, x: float, y: float, size: float = 1) -> None:
    canvas.path([(x, y - 20 * size), (x, y - 30 * size)], INK, 3)
    canvas.disc(x, y - 31 * size, 4 * size, RED)
    canvas.box(x - 17 * size, y - 21 * size, x + 17 * size, y + 2 * size, WATER, INK, 2, radius=6)
    for side in (-1, 1):
        canvas.disc(x + side * 7 * size, y - 11 * size, 4 * size, WHITE, INK, 1.5)
        canvas.box(
            x + side * 11 * size - 6, y + 18 * size, x + side * 11 * size + 6, y + 27 * size, INK
        )
    canvas.box(x - 21 * size, y + 3 * size, x + 21 * size, y + 21 * size, BLUE, INK, 2, radius=5)


def rock(canvas: Canvas, x: float, y: float, radius: float, seed: int) -> None:
    canvas.poly(blob(x, y, radius, 0.85, seed), STONE, INK, 2.5)
    canvas.path([(x - 8, y - 8), (x + 2, y - 2), (x - 2, y + 9)], (96, 94, 100), 2.5)


def star(canvas: Canvas, x: float, y: float, radius: float, color: Color = YELLOW) -> None:
    points = [polar(x, y, radius * (1 if i % 2 == 0 else 0.45), i * 36 - 90) for i in range(10)]
    canvas.poly(points, color, INK, 2)


def robot_rules() -> Image.Image:
    canvas = Canvas(480, 384, (222, 234, 244))
    canvas.box(16, 14, 464, 370, WHITE, INK, 3, radius=12)
    canvas.text(240, 44, "ICE ROBOT", 28, BLUE)
    robot(canvas, 66, 112)
    arrow(canvas, (96, 112), (186, 112), INK, 5)
    rock(canvas, 214, 112, 22, 3)
    lines(canvas, 256, 98, ["It slides on until a rock", "or the edge stops it."], 18)
    star(canvas, 66, 190, 22)
    lines(canvas, 108, 178, ["Goal: stop on the star.", "Sliding over it does not count."], 18)
    canvas.path([(40, 236), (440, 236)], PALE, 3)
    lines(canvas, 40, 262, ["A move is up, down, left or right.", "The robot never turns on the way.",
                            "The winner needs the fewest moves."], 19, 32)  # fmt: skip
    return canvas.finish()


ROCKS = ((0, 0), (1, 1), (2, 5), (4, 1), (5, 4), (5, 5))


def robot_board() -> Image.Image:
    canvas = Canvas(480, 480, (70, 96, 130))
    left, cell = 30, 70
    for column in range(6):
        for row in range(6):
            x, y = left + column * cell, left + row * cell
            shade = (226, 240, 250) if (column + row) % 2 else (206, 228, 244)
            canvas.box(x, y, x + cell, y + cell, shade)
            canvas.path([(x + 12, y + 54), (x + 26, y + 40)], WHITE, 3)
    for i, (column, row) in enumerate(ROCKS):
        rock(canvas, left + (column + 0.5) * cell, left + (row + 0.5) * cell, 27, i + 5)
    star(canvas, left + 1.5 * cell, left + 2.5 * cell, 26)
    robot(canvas, left + 4.5 * cell, left + 5.5 * cell + 2)
    canvas.box(left, left, left + 6 * cell, left + 6 * cell, None, INK, 4)
    return canvas.finish()


def square(number: int) -> Point:
    row, step = divmod(number - 1, 6)
    column = step if row % 2 == 0 else 5 - step
    return 22 + 60 * column + 30, 350 - 60 * row - 30


def snakes() -> Image.Image:
    canvas = Canvas(512, 384, (96, 140, 110))
    for number in range(1, 31):
        x, y = square(number)
        color = ((255, 244, 214), (222, 238, 210), (214, 230, 246))[number % 3]
        canvas.box(x - 30, y - 30, x + 30, y + 30, color, WHITE, 2)
        canvas.text(x - 26, y - 18, str(number), 17, anchor="lm")
    for low, high in ((7, 19), (8, 20), (11, 23)):
        ladder(canvas, square(low), square(high))
    snake(canvas, square(22), square(10), BLUE)
    snake(canvas, square(28), square(16), GREEN)
    for x, color, throws in ((420, ORANGE, (5, 3, 2, 4)), (474, PURPLE, (6, 5, 5, 4))):
        canvas.box(x - 24, 50, x + 24, 350, (236, 240, 232), INK, 2, radius=8)
        pawn(canvas, x, 88, color)
        for i, pips in enumerate(throws):
            die_face(canvas, x, 148 + 56 * i, 20, pips)
    canvas.text(447, 28, "throws", 19, WHITE)
    return canvas.finish()


def ladder(canvas: Canvas, low: Point, high: Point) -> None:
    x0, y0, x1, y1 = low[0] + 10, low[1] + 16, high[0] + 10, high[1] + 14
    for side in (-9, 9):
        canvas.path([(x0 + side, y0), (x1 + side, y1)], BROWN, 5)
    steps = int((y0 - y1) // 14)
    for i in range(1, steps):
        y = y0 + (y1 - y0) * i / steps
        canvas.path([(x0 - 9, y), (x0 + 9, y)], BROWN, 4)


def snake(canvas: Canvas, head: Point, tail: Point, color: Color) -> None:
    (x0, y0), (x1, y1) = (head[0] + 12, head[1] + 8), (tail[0] + 12, tail[1] + 16)
    points = []
    for i in range(41):
        t = i / 40
        points.append((x0 + (x1 - x0) * t + 9 * math.sin(t * 9.4), y0 + (y1 - y0) * t))
    canvas.path(points, color, 9)
    canvas.path([(x0, y0 - 8), (x0 - 3, y0 - 18)], RED, 2.5)
    canvas.path([(x0, y0 - 8), (x0 + 3, y0 - 18)], RED, 2.5)
    canvas.disc(x0, y0 - 2, 10, color)
    for side in (-4, 4):
        canvas.disc(x0 + side, y0 - 5, 2.6, WHITE)
        canvas.disc(x0 + side, y0 - 5, 1.4, INK)


def pawn(canvas: Canvas, x: float, y: float, color: Color) -> None:
    canvas.poly([(x - 15, y + 20), (x - 6, y - 8), (x + 6, y - 8), (x + 15, y + 20)], color, INK, 2)
    canvas.disc(x, y - 12, 10, color, INK, 2)


PIPS: dict[int, list[Point]] = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


def die_face(canvas: Canvas, x: float, y: float, half: float, pips: int) -> None:
    canvas.box(x - half, y - half, x + half, y + half, WHITE, INK, 2, radius=half * 0.3)
    for u, v in PIPS[pips]:
        canvas.disc(x + u * half * 0.52, y + v * half * 0.52, half * 0.19, INK)


def chess() -> Image.Image:
    canvas = Canvas(512, 512, (92, 64, 44))
    left, top, cell = 34, 12, 58
    for column in range(8):
        for row in range(8):
            x, y = left + column * cell, top + row * cell
            canvas.box(x, y, x + cell, y + cell, DARK if (column + row) % 2 else LIGHT)
    for i in range(8):
        canvas.text(left + (i + 0.5) * cell, 494, "abcdefgh"[i], 19, LIGHT)
        canvas.text(17, top + (i + 0.5) * cell, str(8 - i), 19, LIGHT)
    for kind, place, color in (
        ("king", "e5", INK),
        ("rook", "e1", WHITE),
        ("bishop", "a2", WHITE),
        ("knight", "h7", WHITE),
        ("pawn", "c3", WHITE),
        ("king", "g3", WHITE),
    ):
        x = left + ("abcdefgh".index(place[0]) + 0.5) * cell
        y = top + (8 - int(place[1]) + 0.5) * cell
        chessman(canvas, x, y, kind, color)
    return canvas.finish()


def chessman(canvas: Canvas, x: float, y: float, kind: str, color: Color) -> None:
    edge = WHITE if color == INK else INK

    def part(points: Sequence[Point]) -> None:
        canvas.poly([(x + u, y + v) for u, v in points], color, edge, 2)

    if kind == "rook":
        part([(-12, 16), (-9, -8), (9, -8), (12, 16)])
        part([(-15, -8), (-15, -22), (-9, -22), (-9, -16), (-3, -16), (-3, -22), (3, -22), (3, -16),
              (9, -16), (9, -22), (15, -22), (15, -8)])  # fmt: skip
    elif kind == "bishop":
        part([(-9, 16), (-5, 2), (5, 2), (9, 16)])
        part([(-10, 2), (-11, -8), (0, -24), (11, -8), (10, 2)])
        canvas.path([(x + 1, y - 4), (x + 6, y - 14)], edge, 2)
        canvas.disc(x, y - 25, 3.5, color, edge, 1.5)
    elif kind == "knight":
        part([(-12, 16), (-9, 4), (1, -5), (-8, -1), (-14, 4), (-18, -2), (-9, -15), (-2, -20),
              (0, -26), (4, -20), (12, -13), (15, 2), (13, 16)])  # fmt: skip
        canvas.disc(x - 3, y - 12, 2.2, edge)
    elif kind == "pawn":
        part([(-10, 16), (-4, -4), (4, -4), (10, 16)])
        canvas.disc(x, y - 9, 8, color, edge, 2)
    else:
        part([(-11, 16), (-17, -8), (-9, -14), (0, -5), (9, -14), (17, -8), (11, 16)])
        for points in ([(0, -28), (0, -4)], [(-9, -20), (9, -20)]):
            canvas.path([(x + u, y + v) for u, v in points], edge, 8)
            canvas.path([(x + u, y + v) for u, v in points], color, 4.5)
    canvas.box(x - 18, y + 15, x + 18, y + 23, color, edge, 2, radius=3)


def cube_net() -> Image.Image:
    canvas = Canvas(480, 384, WALL)
    cell, left, top = 104, 32, 36
    for column, row, color, name in (
        (0, 0, (196, 214, 250), "star"),
        (1, 0, (255, 226, 226), "heart"),
        (1, 1, (64, 72, 120), "moon"),
        (2, 1, (226, 246, 226), "drop"),
        (2, 2, (186, 220, 245), "sun"),
        (3, 2, (250, 232, 200), "leaf"),
    ):
        x, y = left + column * cell, top + row * cell
        canvas.box(x + 5, y + 6, x + cell + 5, y + cell + 6, (216, 204, 182))
        canvas.box(x, y, x + cell, y + cell, color, INK, 3)
        symbol(canvas, x + cell / 2, y + cell / 2, name)
    # Folds are dashed, cuts are not.
    for x0, y0, x1, y1 in ((1, 0, 1, 1), (1, 1, 2, 1), (2, 1, 2, 2), (2, 2, 3, 2), (3, 2, 3, 3)):
        for i in range(7):
            t = (i + 0.5) / 7
            px, py = left + (x0 + (x1 - x0) * t) * cell, top + (y0 + (y1 - y0) * t) * cell
            canvas.disc(px, py, 3.2, WHITE)
    return canvas.finish()


def symbol(canvas: Canvas, x: float, y: float, name: str) -> None:
    if name == "star":
        star(canvas, x, y, 34)
    elif name == "heart":
        for side in (-1, 1):
            canvas.disc(x + side * 13, y - 8, 15, RED)
        canvas.poly([(x - 27, y - 1), (x + 27, y - 1), (x, y + 30)], RED)
    elif name == "moon":
        canvas.disc(x, y, 30, YELLOW)
        canvas.disc(x + 14, y - 6, 25, (64, 72, 120))
    elif name == "drop":
        drop(canvas, x, y + 14, 20, BLUE)
    elif name == "sun":
        sun(canvas, x, y, 20)
    else:
        points = [(x + 32 * math.sin(t) * abs(math.cos(t / 2)), y - 30 * math.cos(t)) for t in
                  (i * math.tau / 36 for i in range(36))]  # fmt: skip
        canvas.poly(points, GREEN, INK, 2)
        canvas.path([(x, y - 22), (x, y + 40)], DARK_BROWN, 3)


def die() -> Image.Image:
    canvas = Canvas(480, 400, SKY)
    canvas.box(0, 250, 480, 400, (190, 160, 124))
    x, y, size, dx, dy = 140.0, 150.0, 150.0, 74.0, 56.0
    canvas.poly([(x, y), (x + dx, y - dy), (x + size + dx, y - dy), (x + size, y)], WHITE, INK, 3)
    canvas.poly(
        [(x, y), (x + size, y), (x + size, y + size), (x, y + size)], (240, 240, 236), INK, 3
    )
    canvas.poly([(x + size, y), (x + size + dx, y - dy), (x + size + dx, y + size - dy),
                 (x + size, y + size)], (214, 214, 210), INK, 3)  # fmt: skip
    for face, pips in (("top", 2), ("front", 1), ("right", 3)):
        for u, v in PIPS[pips]:
            a, b = 0.5 + u * 0.27, 0.5 + v * 0.27
            if face == "top":
                canvas.disc(x + size * a + dx * (1 - b), y - dy * (1 - b), 14, INK, flat=0.5)
            elif face == "front":
                canvas.disc(x + size * a, y + size * b, 14, RED)
            else:
                canvas.disc(x + size + dx * a, y + size * b - dy * a, 11, INK, flat=1.2)
    canvas.text(215, 376, "front", 20)
    arrow(canvas, (215, 316), (215, 360), BLUE, 5)
    arrow(canvas, (380, 186), (430, 186), BLUE, 5)
    canvas.text(420, 160, "right", 20)
    canvas.text(240, 30, "An ordinary die before it rolls", 21)
    return canvas.finish()


def die_track() -> Image.Image:
    canvas = Canvas(512, 384, GRASS)
    cell, left, top = 84, 46, 76
    places = [
        ("Start", 0, 0),
        ("A", 1, 0),
        ("B", 1, 1),
        ("C", 2, 1),
        ("D", 3, 1),
        ("E", 3, 0),
        ("F", 4, 0),
    ]
    for name, column, row in places:
        x, y = left + column * cell, top + row * cell
        canvas.box(x, y, x + cell, y + cell, ORANGE if name == "Start" else WALL, INK, 3)
        canvas.text(x + 12, y + 18, name, 19, anchor="lm")
    for (_, c0, r0), (_, c1, r1) in pairwise(places):
        x0, y0 = left + (c0 + 0.5) * cell, top + (r0 + 0.5) * cell
        x1, y1 = left + (c1 + 0.5) * cell, top + (r1 + 0.5) * cell
        shift = 0.26
        arrow(canvas, (x0 + (x1 - x0) * shift, y0 + (y1 - y0) * shift),
              (x1 - (x1 - x0) * shift, y1 - (y1 - y0) * shift), BLUE, 6)  # fmt: skip
    canvas.text(256, 40, "The track from above", 22)
    canvas.text(256, 342, "front", 20)
    arrow(canvas, (256, 276), (256, 322), INK, 5)
    canvas.text(478, 214, "right", 20)
    arrow(canvas, (436, 240), (496, 240), INK, 5)
    canvas.disc(60, 320, 16, GREY)
    canvas.disc(88, 330, 11, STONE)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-boardgame-robot-1": robot_rules,
    "ded-high-boardgame-robot-2": robot_board,
    "ded-mod-boardgame-snakes": snakes,
    "ded-high-chess-king": chess,
    "ded-mod-cubenet-pairs": cube_net,
    "ded-high-dice-track-1": die,
    "ded-high-dice-track-2": die_track,
}
