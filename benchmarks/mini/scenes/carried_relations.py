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

from .pictograms import MINT, ROSE, arrow, at, bird, fish

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
    "Mats": (52, 342, False), "Nils": (205, 342, False), "Bengt": (358, 342, False),
    "Liv": (460, 342, True),
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
    for parent, child in (("Olof", "Mats"), ("Hans", "Bengt"), ("Gerda", "Liv")):
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
    """Man-made things and the animals that do the same without them."""
    c = Canvas(460, 512)
    for row, color in enumerate((SKY, MINT, (40, 48, 84))):
        y = 12 + row * 166
        c.box(12, y, 448, y + 156, color, radius=16)
        arrow(c, 206, y + 80, 262, y + 80, WHITE if row == 2 else INK)
    _aeroplane(c, 100, 92)
    bird(c, 352, 92, 58, (90, 120, 170))
    _landing_net(c, 108, 256)
    _web(c, 352, 256)
    _torch(c, 100, 424)
    c.text(352, 422, "?", 84, WHITE)
    return c.finish()


def _aeroplane(c: Canvas, x: float, y: float) -> None:
    s = 0.88
    body = [(-84, 4), (-70, -14), (56, -14), (84, -44), (96, -44), (88, -8), (60, 12), (-70, 16)]
    c.poly(at(x, y, s, body), WHITE, INK, 2.5)
    c.poly(at(x, y, s, [(-14, 2), (26, 2), (58, 46), (38, 46)]), GREY, INK, 2)
    c.poly(at(x, y, s, [(-6, -14), (24, -14), (46, -40), (32, -40)]), GREY, INK, 2)
    for dx in (-46, -28, -10, 8, 26, 44):
        c.disc(*at(x, y, s, [(dx, -4)])[0], 3.5, WATER, INK, 1.5)
    c.poly(at(x, y, s, [(-80, 0), (-72, -11), (-58, -11), (-60, -1)]), WATER, INK, 1.5)


def _landing_net(c: Canvas, x: float, y: float) -> None:
    c.path([(x - 82, y + 46), (x - 27, y - 15)], DARK_BROWN, 9)
    # A bag of mesh hangs from the ring, with a fish in it.
    bag = [polar(x + 26, y - 18, 54, a) for a in range(0, 181, 15)]
    bag = [(px, y - 18 + (py - y + 18) * 1.5) for px, py in bag]
    fish(c, x + 26, y + 28, 26, ORANGE)
    for k in range(-3, 4):
        top, end = (x + 26 + 18 * k, y - 18), bag[6 - 2 * k]
        c.path([top, end], WHITE, 2)
    for share in (0.3, 0.55, 0.8):
        half = 54 * (1 - share**2) ** 0.5
        yy = y - 18 + 81 * share
        c.path([(x + 26 - half, yy), (x + 26 + half, yy)], WHITE, 2)
    c.path(bag, WHITE, 3)
    c.disc(x + 26, y - 18, 54, None, DARK_BROWN, 6, flat=0.26)


def _web(c: Canvas, x: float, y: float) -> None:
    for a in range(0, 360, 45):
        c.path([(x, y), polar(x, y, 72, a)], GREY, 2)
    for r in (20, 38, 56, 70):
        c.path([polar(x, y, r, a) for a in range(0, 406, 45)], GREY, 2)
    fx, fy = polar(x, y, 56, 205)
    c.disc(fx, fy, 7, INK)
    for side in (-1, 1):
        c.disc(fx + side * 6, fy - 6, 5, WHITE, INK, 1.5)
    sx, sy = x + 14, y + 8
    for side in (-1, 1):
        for k in range(4):
            knee = (sx + side * 26, sy - 22 + 14 * k)
            c.path([(sx, sy - 4 + 4 * k), knee, (sx + side * 36, sy - 26 + 20 * k)], INK, 3)
    c.disc(sx, sy + 10, 17, DARK_BROWN, INK, 2)
    c.disc(sx, sy - 12, 10, DARK_BROWN, INK, 2)
    for side in (-4, 4):
        c.disc(sx + side, sy - 15, 2, WHITE)


def _torch(c: Canvas, x: float, y: float) -> None:
    c.poly(at(x, y, 1, [(30, -24), (88, -58), (88, 58), (30, 24)]), (250, 232, 150))
    c.box(x - 72, y - 15, x + 6, y + 15, RED, INK, 2.5, radius=5)
    c.poly(at(x, y, 1, [(4, -15), (24, -28), (24, 28), (4, 15)]), GREY, INK, 2.5)
    c.box(x + 22, y - 28, x + 31, y + 28, WHITE, INK, 2)
    c.box(x - 42, y - 22, x - 18, y - 13, INK, radius=3)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-family-arrow-1": family_first,
    "ana-high-family-arrow-2": family_second,
    "ana-mod-orders-chart": orders,
    "ana-mod-lifecycle-cards": life_cycles,
    "ana-mod-pairs-held": held_things,
}
