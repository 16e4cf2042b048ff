"""Machines, robots and dancers that work by a rule to be found out."""

from __future__ import annotations

from collections.abc import Callable

from canvas import (
    BLUE,
    BROWN,
    GRASS,
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

from .pictograms import LILAC, MINT, SAND, apple, arrow, cup, hat, heart, key, star, tree

PINK: Color = (246, 150, 190)
BEADS: dict[str, Color] = {"r": RED, "b": BLUE, "y": YELLOW, "g": GREEN}


def zip_beads(beads: str) -> str:
    return beads[::-1]


def zap_beads(beads: str) -> str:
    return beads[0] + beads


def _beads(c: Canvas, x: float, y: float, beads: str) -> None:
    half = len(beads) * 11
    c.path([(x - half - 8, y), (x + half + 8, y)], INK, 2)
    for i, bead in enumerate(beads):
        c.disc(x + (i - (len(beads) - 1) / 2) * 22, y, 10, BEADS[bead], INK, 2)


def _machine(c: Canvas, x: float, y: float, name: str, color: Color) -> None:
    for side in (-1, 1):
        c.box(x + side * 46 - 12, y - 10, x + side * 46 + 12, y + 14, GREY, INK, 2)
        c.disc(x + side * 28, y + 40, 8, INK)
    c.box(x - 42, y - 36, x + 42, y + 36, color, INK, 2.5, radius=10)
    c.path([(x, y - 36), (x, y - 43)], INK, 3)
    c.disc(x, y - 45, 6, RED, INK, 2)
    c.text(x, y + 2, name, 26)


def bead_examples() -> Image.Image:
    c = Canvas(512, 448, (238, 236, 228))
    rows = [
        ("ZIP", MINT, "rby"),
        ("ZIP", MINT, "gryb"),
        ("ZAP", LILAC, "gyr"),
        ("ZAP", LILAC, "br"),
    ]
    for i, (name, color, beads) in enumerate(rows):
        y = 66 + 108 * i
        c.box(0, y + 44, 512, y + 54, BROWN)
        _beads(c, 98, y + 2, beads)
        _machine(c, 256, y, name, color)
        _beads(c, 414, y + 2, (zip_beads if name == "ZIP" else zap_beads)(beads))
        arrow(c, 164, y + 2, 194, y + 2, INK, 3)
        arrow(c, 318, y + 2, 346, y + 2, INK, 3)
    return c.finish()


def bead_chain() -> Image.Image:
    c = Canvas(512, 192, (238, 236, 228))
    c.box(0, 164, 512, 174, BROWN)
    _beads(c, 72, 122, "bgry")
    _machine(c, 206, 120, "ZIP", MINT)
    _machine(c, 356, 120, "ZAP", LILAC)
    for x in (126, 270, 418):
        arrow(c, x, 122, x + 21, 122, INK, 3)
    c.text(474, 122, "?", 60)
    for x in (60, 256, 452):
        c.path([(x, 0), (x, 26)], INK, 3)
        c.poly([(x - 24, 44), (x - 12, 24), (x + 12, 24), (x + 24, 44)], YELLOW, INK, 2)
    return c.finish()


# Lever up, knob to the right, lamp on; then what lies on the tray.
COOKIES: list[tuple[bool, bool, bool, str]] = [
    (True, False, False, "star"),
    (False, False, True, "heart"),
    (False, True, False, "heart"),
    (True, True, True, "?"),
]


def cookie_machine() -> Image.Image:
    c = Canvas(512, 512, WALL)
    for i, (lever, knob, lamp, shape) in enumerate(COOKIES):
        x, y = 128 + 256 * (i % 2), 14 + 250 * (i // 2)
        c.box(x - 112, y, x + 112, y + 138, (128, 170, 196), INK, 3, radius=14)
        # The lever sits in a slot with two ends.
        c.box(x - 84, y + 26, x - 70, y + 112, INK, radius=7)
        end = y + (36 if lever else 102)
        c.path([(x - 77, y + 69), (x - 77, end)], GREY, 8)
        c.disc(x - 77, end, 15, RED, INK, 2)
        c.disc(x, y + 70, 31, WHITE, INK, 2.5)
        for side in (-1, 1):
            c.disc(x + side * 39, y + 70, 4, INK)
        c.path([(x, y + 70), (x + (26 if knob else -26), y + 70)], INK, 9)
        c.disc(x, y + 70, 8, INK)
        c.disc(x + 80, y + 62, 19, YELLOW if lamp else (90, 98, 108), INK, 2.5)
        if lamp:
            for a in range(0, 360, 45):
                c.path([polar(x + 80, y + 62, 23, a), polar(x + 80, y + 62, 29, a)], YELLOW, 3)
        c.box(x - 24, y + 116, x + 24, y + 138, INK, radius=4)
        c.disc(x, y + 196, 106, WHITE, INK, 2.5, flat=0.36)
        if shape == "?":
            c.text(x, y + 196, "?", 54)
            continue
        spots = (-42, 42) if lamp else (0,)
        for dx in spots:
            draw = star if shape == "star" else heart
            s = 32 if shape == "star" else 27
            draw(c, x + dx, y + 194, s, GREEN if knob else PINK)
    return c.finish()


# Turns are a triangle and a square, a step is a disc: d, t, s. The heading is in quarter turns.
HEADINGS = [(0, -1), (1, 0), (0, 1), (-1, 0)]


def walk(program: str, x: int, y: int, heading: int) -> list[tuple[int, int, int]]:
    """Every state of the robot: column, row and heading (0 up, 1 right, 2 down, 3 left)."""
    states = [(x, y, heading)]
    for sign in program:
        if sign == "d":
            x, y = x + HEADINGS[heading][0], y + HEADINGS[heading][1]
        else:
            heading = (heading + (1 if sign == "t" else -1)) % 4
        states.append((x, y, heading))
    return states


LESSON = ("ddtdsd", 1, 4, 0)
TASK = ("ddtdddsdd", 0, 1, 1)
ITEMS: dict[tuple[int, int], str] = {
    (4, 4): "cup", (4, 0): "key", (2, 4): "apple", (5, 1): "star", (0, 4): "hat",
}  # fmt: skip


def _program(c: Canvas, y: float, program: str) -> None:
    c.box(20, y - 28, 492, y + 28, (62, 70, 92), radius=12)
    for i, sign in enumerate(program):
        x = 52 + i * 51
        c.box(x - 21, y - 21, x + 21, y + 21, WHITE, radius=6)
        if sign == "d":
            c.disc(x, y, 12, BLUE)
        elif sign == "t":
            c.poly([(x, y - 14), (x + 15, y + 12), (x - 15, y + 12)], ORANGE)
        else:
            c.box(x - 12, y - 12, x + 12, y + 12, GREEN)


def _floor(c: Canvas, columns: int, rows: int, left: float, top: float, cell: float) -> None:
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * cell, top + row * cell
            c.box(x, y, x + cell, y + cell, SAND if (row + column) % 2 else WHITE, PALE, 1.5)
    c.box(left, top, left + columns * cell, top + rows * cell, None, BROWN, 4)


def _robot(c: Canvas, x: float, y: float, heading: int, pale: bool = False) -> None:
    """A robot from above, with its eyes and nose at the front."""
    a = heading * 90 - 90
    body = PALE if pale else (120, 150, 190)
    for side in (-90, 90):
        wheel = polar(x, y, 21, a + side)
        c.path([polar(*wheel, 13, a), polar(*wheel, -13, a)], GREY if pale else INK, 8)
    c.disc(x, y, 20, body, GREY if pale else INK, 2.5)
    c.poly([polar(x, y, 32, a), polar(x, y, 19, a - 30), polar(x, y, 19, a + 30)],
           GREY if pale else RED)  # fmt: skip
    for side in (-38, 38):
        c.disc(*polar(x, y, 11, a + side), 4, WHITE, INK, 1.5)


def robot_lesson() -> Image.Image:
    c = Canvas(512, 480, GRASS)
    program, x, y, heading = LESSON
    left, top, cell = 91.0, 84.0, 66.0
    _program(c, 42, program)
    _floor(c, 5, 5, left, top + 32, cell)

    def centre(cx: int, cy: int) -> Point:
        return left + (cx + 0.5) * cell, top + 32 + (cy + 0.5) * cell

    for tx, ty in ((44, 200), (470, 170), (464, 380), (40, 400)):
        tree(c, tx, ty, 28, (70, 140, 80))
    states = walk(program, x, y, heading)
    track = [centre(cx, cy) for cx, cy, _ in states]
    c.path(track, RED, 4)
    for point in track:
        c.disc(*point, 6, RED)
    _robot(c, *centre(x, y), heading, pale=True)
    _robot(c, *centre(*states[-1][:2]), states[-1][2])
    return c.finish()


def robot_task() -> Image.Image:
    c = Canvas(512, 480, GRASS)
    program, x, y, heading = TASK
    left, top, cell = 58.0, 116.0, 66.0
    _program(c, 42, program)
    _floor(c, 6, 5, left, top, cell)
    draw: dict[str, Callable[[float, float], None]] = {
        "cup": lambda px, py: cup(c, px, py, 22),
        "key": lambda px, py: key(c, px, py, 26, ORANGE),
        "apple": lambda px, py: apple(c, px, py + 3, 20),
        "star": lambda px, py: star(c, px, py, 25),
        "hat": lambda px, py: hat(c, px, py, 24),
    }
    for tx, ty in ((30, 200), (484, 170), (482, 380), (28, 420)):
        tree(c, tx, ty, 22, (70, 140, 80))
    for (cx, cy), name in ITEMS.items():
        draw[name](left + (cx + 0.5) * cell, top + (cy + 0.5) * cell)
    _robot(c, left + (x + 0.5) * cell, top + (y + 0.5) * cell, heading)
    return c.finish()


# Each step: foot of the blue dancer and how it moves on the page, then the same of the pink one.
STEPS: list[tuple[tuple[str, int, int], tuple[str, int, int] | None]] = [
    (("L", 0, -1), ("R", 0, -1)),
    (("R", 1, 0), ("L", 1, 0)),
    (("R", 0, 1), None),
]


def dance_card() -> Image.Image:
    c = Canvas(512, 448, (226, 200, 164))
    for k in range(9):
        c.path([(0, k * 56), (512, k * 56)], (212, 182, 142), 2)
    for i, (blue, pink) in enumerate(STEPS):
        x = 88 + 168 * i
        c.box(x - 78, 12, x + 78, 436, (246, 232, 208), BROWN, 3, radius=10)
        c.disc(x + 52, 40, 17, INK)
        c.text(x + 52, 41, str(i + 1), 21, WHITE)
        # After the step aside the feet stand apart.
        apart = 23 if i == 2 else 0
        _feet(c, x, 146, (232, 110, 160), ("R", "L"), 1, pink, apart)
        _feet(c, x, 330, BLUE, ("L", "R"), -1, blue, apart)
        if pink is None:
            c.text(x, 80, "?", 40)
    return c.finish()


def _feet(c: Canvas, x: float, y: float, color: Color, names: tuple[str, str], toes: int,
          move: tuple[str, int, int] | None, apart: float) -> None:  # fmt: skip
    """A pair of shoes from above; toes 1 point down the page and -1 up."""
    for side, name in zip((-1, 1), names, strict=True):
        fx = x + side * (24 + apart) - 20 * abs(move[1] if move else 0)
        if move and move[0] == name:
            tx, ty = fx + move[1] * 46, y + move[2] * 66
            _shoe(c, fx, y, toes, (226, 216, 204), "")
            _shoe(c, tx, ty, toes, color, name)
            arrow(c, fx - move[1] * 6, y, fx + move[1] * 24, y + move[2] * 34, INK, 3)
        else:
            _shoe(c, fx, y, toes, color, name)


def _shoe(c: Canvas, x: float, y: float, toes: int, color: Color, name: str) -> None:
    """A shoe from above: a narrow heel and a broad round toe."""
    sole = [(-6, -28), (6, -28), (8, -10), (17, 6), (17, 19), (9, 29), (-9, 29), (-17, 19),
            (-17, 6), (-8, -10)]  # fmt: skip
    c.poly([(x + dx, y + toes * dy) for dx, dy in sole], color, INK, 2)
    if name:
        c.path([(x - 8, y - toes * 14), (x + 8, y - toes * 14)], INK, 2)
        c.text(x, y + toes * 8, name, 20, WHITE)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-mod-beads-1": bead_examples,
    "ana-mod-beads-2": bead_chain,
    "ana-mod-cookie-machine": cookie_machine,
    "ana-high-robot-program-1": robot_lesson,
    "ana-high-robot-program-2": robot_task,
    "ana-high-dance-partner": dance_card,
}
