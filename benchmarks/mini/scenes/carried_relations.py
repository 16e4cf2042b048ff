"""Relations that one drawing shows and another one repeats."""

from __future__ import annotations

from collections.abc import Callable

from canvas import (
    BLUE,
    DARK_BROWN,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    SKY,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    polar,
)
from PIL import Image

from .pictograms import MINT, ROSE, SAND, arrow, at

WOMAN: Color = (250, 216, 196)
MAN: Color = (196, 218, 244)

# Name: place and whether it is a woman.
FIRST: dict[str, tuple[float, float, bool]] = {
    "Jost": (176, 70, False), "Wilma": (336, 70, True),
    "Emil": (62, 206, False), "Lotte": (178, 206, True), "Ruth": (312, 206, True),
    "Max": (440, 206, False),
    "Ada": (120, 342, True), "Pia": (312, 342, True), "Karl": (440, 342, False),
}  # fmt: skip
SECOND: dict[str, tuple[float, float, bool]] = {
    "Knut": (52, 70, False), "Berta": (158, 70, True), "Sven": (306, 70, False),
    "Frida": (436, 70, True),
    "Olof": (52, 206, False), "Jan": (154, 206, False), "Eva": (256, 206, True),
    "Hans": (358, 206, False), "Gerda": (460, 206, True),
    "Mona": (52, 342, True), "Nils": (205, 342, False), "Britt": (358, 342, True),
    "Leif": (460, 342, False),
}  # fmt: skip


def family_first() -> Image.Image:
    c = Canvas(512, 448, (240, 244, 234))
    _couple(c, FIRST, "Jost", "Wilma", ["Lotte", "Ruth", "Max"])
    _couple(c, FIRST, "Emil", "Lotte", ["Ada"])
    for parent, child in (("Ruth", "Pia"), ("Max", "Karl")):
        c.path([FIRST[parent][:2], FIRST[child][:2]], INK, 3)
    curve = [(120, 368), (150, 396), (210, 408), (290, 408), (370, 404), (414, 390)]
    c.path([(float(x), float(y)) for x, y in curve], GREEN, 6)
    arrow(c, 410, 393, 436, 368, GREEN, 6)
    _people(c, FIRST)
    return c.finish()


def family_second() -> Image.Image:
    c = Canvas(512, 448, (244, 238, 246))
    _couple(c, SECOND, "Knut", "Berta", ["Olof", "Jan"])
    _couple(c, SECOND, "Sven", "Frida", ["Eva", "Hans", "Gerda"])
    _couple(c, SECOND, "Jan", "Eva", ["Nils"])
    for parent, child in (("Olof", "Mona"), ("Hans", "Britt"), ("Gerda", "Leif")):
        c.path([SECOND[parent][:2], SECOND[child][:2]], INK, 3)
    c.path([(205, 366), (205, 392), (240, 408)], GREEN, 6)
    arrow(c, 236, 406, 268, 412, GREEN, 6)
    c.text(286, 413, "?", 34, GREEN)
    _people(c, SECOND)
    return c.finish()


def _couple(c: Canvas, people: dict[str, tuple[float, float, bool]], left: str, right: str,
            children: list[str]) -> None:  # fmt: skip
    (x0, y, _), (x1, _, _) = people[left], people[right]
    for shift in (-4, 4):
        c.path([(x0, y + shift), (x1, y + shift)], INK, 3)
    middle, bar = (x0 + x1) / 2, y + 68
    xs = [people[child][0] for child in children]
    c.path([(middle, y + 4), (middle, bar)], INK, 3)
    c.path([(min([*xs, middle]) - 1.5, bar), (max([*xs, middle]) + 1.5, bar)], INK, 3)
    for x in xs:
        c.path([(x, bar), (x, y + 136)], INK, 3)


def _people(c: Canvas, people: dict[str, tuple[float, float, bool]]) -> None:
    for name, (x, y, woman) in people.items():
        c.box(x - 41, y - 24, x + 41, y + 24, WOMAN if woman else MAN, INK, 3,
              radius=22 if woman else 2)  # fmt: skip
        c.text(x, y, name, 20)
    for x, label, woman in ((420, "woman", True), (420, "man", False)):
        y = 408 if woman else 432
        c.box(x, y - 9, x + 26, y + 9, WOMAN if woman else MAN, INK, 2, radius=9 if woman else 1)
        c.text(x + 34, y, label, 15, anchor="lm")


SHIP: dict[str, Point] = {
    "Captain": (126, 96), "Mate": (68, 200), "Purser": (184, 200), "Bosun": (68, 304),
    "Cook": (184, 304), "Sailor": (68, 408),
}  # fmt: skip
SHIP_ORDERS = [("Captain", "Mate"), ("Captain", "Purser"), ("Mate", "Bosun"), ("Purser", "Cook"),
               ("Bosun", "Sailor")]  # fmt: skip
STAGE: dict[str, Point] = {
    "Kit": (328, 96), "Lea": (328, 200), "Joy": (444, 200), "Sam": (328, 304), "Ivo": (444, 304),
    "Uma": (386, 408),
}  # fmt: skip
STAGE_ORDERS = [("Uma", "Sam"), ("Uma", "Ivo"), ("Sam", "Lea"), ("Ivo", "Joy"), ("Lea", "Kit")]


def orders() -> Image.Image:
    c = Canvas(512, 512, (236, 240, 244))
    c.box(8, 8, 248, 450, SKY, radius=14)
    c.box(264, 8, 504, 450, ROSE, radius=14)
    c.text(128, 36, "SHIP", 22)
    c.text(384, 36, "THEATRE", 22)
    for places, links, color in ((SHIP, SHIP_ORDERS, BLUE), (STAGE, STAGE_ORDERS, RED)):
        for a, b in links:
            (x0, y0), (x1, y1) = places[a], places[b]
            down = 1 if y1 > y0 else -1
            share = 26 / abs(y1 - y0)
            arrow(c, x0 + (x1 - x0) * share, y0 + 26 * down, x1 - (x1 - x0) * share,
                  y1 - 26 * down, color, 4)  # fmt: skip
        for name, (x, y) in places.items():
            c.box(x - 48, y - 23, x + 48, y + 23, WHITE, INK, 2.5, radius=8)
            c.text(x, y, name, 21)
    arrow(c, 136, 482, 196, 482, INK, 4)
    c.text(208, 482, "gives orders to", 20, anchor="lm")
    return c.finish()


def life_cycles() -> Image.Image:
    c = Canvas(512, 384, (86, 132, 96))
    for row, color in enumerate(((206, 230, 240), (228, 240, 208))):
        for column in range(4):
            x, y = 70 + 124 * column, 100 + 184 * row
            face_down = row == 1 and column in (0, 2)
            c.box(x - 56, y - 80, x + 56, y + 80, (176, 70, 70) if face_down else WHITE, INK, 2.5,
                  radius=12)  # fmt: skip
            if face_down:
                c.box(x - 44, y - 68, x + 44, y + 68, None, WHITE, 3, radius=8)
                c.text(x, y, "?", 64, WHITE)
                continue
            c.box(x - 46, y - 70, x + 46, y + 70, color, radius=8)
            (_FROG, _BUTTERFLY)[row][column](c, x, y)
    return c.finish()


def _spawn(c: Canvas, x: float, y: float) -> None:
    for dx, dy in ((-22, -14), (0, -22), (22, -12), (-30, 8), (-8, 2), (14, 8), (-16, 26), (8, 28),
                   (30, 20)):  # fmt: skip
        c.disc(x + dx, y + dy, 13, WHITE, WATER, 2)
        c.disc(x + dx, y + dy, 5, INK)


def _tadpole(c: Canvas, x: float, y: float, legs: bool = False) -> None:
    body = (70, 84, 60)
    c.path([(x + 4, y), (x + 20, y - 8), (x + 32, y + 4), (x + 42, y - 6)], body, 8)
    c.disc(x - 16, y, 22, body, INK, 2, flat=0.78)
    c.disc(x - 26, y - 6, 4, WHITE)
    if legs:
        for side in (-1, 1):
            c.path([(x + 2, y + side * 8), (x + 14, y + side * 26), (x + 26, y + side * 20),
                    (x + 30, y + side * 32)], body, 6)  # fmt: skip
            c.path([(x - 24, y + side * 14), (x - 32, y + side * 28), (x - 38, y + side * 26)],
                   body, 5)  # fmt: skip


def _frog(c: Canvas, x: float, y: float) -> None:
    for side in (-1, 1):
        c.disc(x + side * 30, y + 22, 14, GREEN, INK, 2)
        c.disc(x + side * 34, y + 38, 12, GREEN, INK, 2, flat=0.4)
        c.disc(x + side * 14, y - 24, 11, GREEN, INK, 2)
        c.disc(x + side * 14, y - 26, 6, WHITE, INK, 1.5)
        c.disc(x + side * 14, y - 26, 3, INK)
    c.disc(x, y + 8, 31, GREEN, INK, 2, flat=0.95)
    c.arc(x, y - 4, 18, 20, 160, INK, 2.5)
    c.disc(x, y + 24, 18, (190, 220, 140), flat=0.6)


def _leaf_eggs(c: Canvas, x: float, y: float) -> None:
    c.poly(at(x, y, 44, [(-1, 0.6), (-0.6, -0.3), (0.2, -0.7), (1, -0.8), (0.7, 0.2), (0, 0.7)]),
           GREEN, INK, 2)  # fmt: skip
    c.path([(x - 44, y + 26), (x + 40, y - 32)], (30, 110, 50), 2)
    for dx, dy in ((-14, -2), (0, -12), (14, -20), (-2, 8), (12, -2)):
        c.disc(x + dx, y + dy, 6, (252, 246, 220), INK, 1.5)


def _caterpillar(c: Canvas, x: float, y: float) -> None:
    c.poly(at(x, y + 12, 42, [(-1, 0.3), (-0.3, -0.1), (1, 0), (0.6, 0.7), (-0.4, 0.8)]), GREEN)
    for k in range(5):
        c.disc(x + 30 - k * 15, y + (0 if k % 2 else -5), 12, YELLOW if k % 2 else ORANGE, INK, 2)
        c.path([(x + 30 - k * 15, y + 10), (x + 30 - k * 15, y + 17)], INK, 3)
    c.disc(x - 32, y - 12, 3, INK)
    for dx in (-36, -26):
        c.path([(x + dx, y - 14), (x + dx - 4, y - 28)], INK, 2)


_FROG: list[Callable[[Canvas, float, float], None]] = [
    lambda c, x, y: _tadpole(c, x, y, legs=True), _spawn, _frog, _tadpole,
]  # fmt: skip
_BUTTERFLY: list[Callable[[Canvas, float, float], None]] = [
    _frog, _leaf_eggs, _frog, _caterpillar,
]  # fmt: skip


def held_things() -> Image.Image:
    c = Canvas(460, 512)
    for row, color in enumerate((SKY, MINT, SAND)):
        y = 12 + row * 166
        c.box(12, y, 448, y + 156, color, radius=16)
        arrow(c, 206, y + 80, 262, y + 80)
    _anchor(c, 108, 90)
    _ship(c, 352, 96)
    _clothes_peg(c, 108, 256)
    _shirt(c, 352, 262)
    _paper_clip(c, 108, 424)
    c.text(352, 422, "?", 84)
    return c.finish()


def _anchor(c: Canvas, x: float, y: float) -> None:
    c.disc(x, y - 50, 10, None, INK, 5)
    c.path([(x, y - 40), (x, y + 48)], INK, 9)
    c.path([(x - 26, y - 24), (x + 26, y - 24)], INK, 8)
    c.arc(x, y + 8, 46, 15, 165, INK, 9)
    for side in (-1, 1):
        tip = x + side * 44
        c.poly([(tip + side * 8, y + 2), (tip - side * 18, y + 24), (tip + side * 10, y + 30)], INK)


def _ship(c: Canvas, x: float, y: float) -> None:
    c.box(x - 36, y - 30, x + 40, y - 2, WHITE, INK, 2.5)
    for dx in (-22, 2, 26):
        c.disc(x + dx, y - 16, 6, WATER, INK, 2)
    c.box(x - 10, y - 60, x + 12, y - 30, RED, INK, 2.5)
    c.poly([(x - 74, y), (x + 74, y), (x + 54, y + 42), (x - 54, y + 42)], BLUE, INK, 2.5)
    for k in range(-2, 3):
        c.arc(x + 34 * k, y + 44, 17, 0, 180, WHITE, 3)


def _clothes_peg(c: Canvas, x: float, y: float) -> None:
    wood = (222, 184, 130)
    for side in (-1, 1):
        c.poly([(x + side * 20, y - 62), (x + side * 6, y - 56), (x + side * 3, y + 60),
                (x + side * 12, y + 60), (x + side * 16, y), (x + side * 28, y - 50)],
               wood, DARK_BROWN, 2.5)  # fmt: skip
    c.disc(x, y - 8, 13, None, GREY, 5)
    c.path([(x - 17, y - 14), (x + 17, y - 14)], GREY, 5)
    c.path([(x - 17, y - 2), (x + 17, y - 2)], GREY, 5)


def _shirt(c: Canvas, x: float, y: float) -> None:
    c.path([(x - 92, y - 52), (x + 92, y - 52)], INK, 3)
    shape = [(-24, -52), (24, -52), (64, -22), (48, 8), (30, -4), (30, 60), (-30, 60), (-30, -4),
             (-48, 8), (-64, -22)]  # fmt: skip
    c.poly([(x + dx, y + dy) for dx, dy in shape], ORANGE, INK, 2.5)
    c.disc(x, y - 52, 13, MINT, INK, 2.5, flat=0.8)
    c.box(x - 14, y - 70, x + 14, y - 54, MINT)
    c.path([(x - 92, y - 52), (x + 92, y - 52)], INK, 3)


def _paper_clip(c: Canvas, x: float, y: float) -> None:
    wire: list[Point] = [(-11, 30)]
    for cx, cy, radius, start in (
        (2, -32, 13, 180),
        (-6, 36, 21, 0),
        (0, -40, 27, 180),
    ):
        wire += [polar(cx, cy, radius, start + a) for a in range(0, 181, 15)]
    wire.append((27, 26))
    tilted = [(x + 0.94 * a - 0.34 * b, y + 0.34 * a + 0.94 * b) for a, b in wire]
    c.path(tilted, GREY, 7)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-family-arrow-1": family_first,
    "ana-high-family-arrow-2": family_second,
    "ana-mod-orders-chart": orders,
    "ana-mod-lifecycle-cards": life_cycles,
    "ana-mod-pairs-held": held_things,
}
