"""Plans that come twice: turned, mirrored or drawn in another way."""

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
    PURPLE,
    RED,
    WALL,
    WATER,
    WHITE,
    YELLOW,
    Canvas,
    Point,
    blob,
)
from PIL import Image

from .pictograms import MINT, ROSE, SAND, tree

PLACES: dict[str, Point] = {
    "Lighthouse": (404, 116),
    "Camp": (150, 142),
    "Well": (156, 296),
    "Hut": (300, 236),
    "Treasure": (352, 372),
    "Wreck": (214, 418),
}
LETTERS = {"Lighthouse": "R", "Camp": "M", "Well": "K", "Hut": "T", "Treasure": "P", "Wreck": "S"}
COAST: list[Point] = [
    (70, 120), (140, 66), (230, 84), (270, 130), (330, 80), (420, 60), (456, 120), (420, 200),
    (440, 290), (430, 400), (350, 440), (250, 462), (140, 452), (120, 390), (70, 330), (96, 220),
]  # fmt: skip
STREAM: list[Point] = [(240, 190), (216, 230), (226, 280), (256, 320), (262, 380), (292, 462)]


def turned(x: float, y: float) -> Point:
    """The place on the twin of the island: mirrored from left to right, then a quarter turn."""
    mirrored = 512 - x
    return 512 - y, mirrored


def island_first() -> Image.Image:
    c = Canvas(512, 512, WATER)
    _island(c, lambda x, y: (x, y))
    for name, (x, y) in PLACES.items():
        _place_icon(c, x, y, name)
        c.text(x, y + 28, name, 18)
    return c.finish()


def island_second() -> Image.Image:
    c = Canvas(512, 512, (176, 206, 226))
    _island(c, turned)
    for name, (x, y) in PLACES.items():
        px, py = turned(x, y)
        c.disc(px, py, 19, WHITE, INK, 2.5)
        c.text(px, py, LETTERS[name], 23)
    return c.finish()


def _island(c: Canvas, place: Callable[[float, float], Point]) -> None:
    coast = [place(x, y) for x, y in COAST]
    c.poly(coast, SAND, SAND, 26)
    c.poly(coast, GRASS, GRASS, 4)
    c.path([place(x, y) for x, y in STREAM], WATER, 11)
    peak = place(244, 170)
    for dx, s in ((-26, 30), (24, 34), (0, 46)):
        x, y = peak[0] + dx, peak[1] + 24
        c.poly([(x - s, y), (x, y - 1.5 * s), (x + s, y)], GREY, INK, 2)
        c.poly([(x - s * 0.34, y - s), (x, y - 1.5 * s), (x + s * 0.34, y - s)], WHITE)
    for x, y in ((386, 206), (408, 236), (378, 240)):
        tree(c, *place(x, y), 17, (60, 130, 70))


def _place_icon(c: Canvas, x: float, y: float, name: str) -> None:
    if name == "Lighthouse":
        c.poly([(x - 10, y + 16), (x - 6, y - 26), (x + 6, y - 26), (x + 10, y + 16)], WHITE, INK)
        c.box(x - 8, y - 10, x + 8, y - 2, RED)
        c.box(x - 7, y - 38, x + 7, y - 26, YELLOW, INK, 2)
    elif name == "Camp":
        c.poly([(x - 22, y + 16), (x, y - 18), (x + 22, y + 16)], ORANGE, INK)
        c.poly([(x - 6, y + 16), (x, y), (x + 6, y + 16)], INK)
    elif name == "Well":
        c.box(x - 14, y, x + 14, y + 16, GREY, INK, 2)
        c.path([(x - 11, y), (x - 11, y - 16)], INK)
        c.path([(x + 11, y), (x + 11, y - 16)], INK)
        c.poly([(x - 19, y - 13), (x, y - 28), (x + 19, y - 13)], BROWN, INK)
    elif name == "Hut":
        c.box(x - 16, y - 6, x + 16, y + 16, WHITE, INK, 2)
        c.poly([(x - 21, y - 6), (x, y - 26), (x + 21, y - 6)], RED, INK)
    elif name == "Treasure":
        c.box(x - 20, y - 16, x + 20, y + 16, BROWN, INK, 2, radius=7)
        c.path([(x - 20, y - 2), (x + 20, y - 2)], INK)
        c.box(x - 5, y - 7, x + 5, y + 5, YELLOW, INK, 2)
    else:
        c.poly([(x - 24, y), (x + 22, y - 8), (x + 12, y + 16), (x - 16, y + 16)], BROWN, INK)
        c.path([(x - 4, y - 2), (x + 8, y - 30)], DARK_BROWN, 4)


# The same connections twice; the twin of each station stands in TWIN.
LINKS = [
    ("Harbour", "Castle"), ("Castle", "Market"), ("Market", "Station"), ("Station", "Mill"),
    ("Mill", "Bridge"), ("Bridge", "Castle"), ("Station", "Museum"), ("Museum", "Zoo"),
]  # fmt: skip
TWIN = {
    "Harbour": "Gate", "Castle": "Opera", "Market": "Tower", "Station": "Abbey",
    "Mill": "Granary", "Bridge": "Court", "Museum": "Stadium", "Zoo": "Quay",
}  # fmt: skip
FIRST_TOWN: dict[str, Point] = {
    "Harbour": (80, 240), "Castle": (190, 240), "Market": (270, 112), "Station": (390, 170),
    "Mill": (370, 300), "Bridge": (250, 350), "Museum": (430, 90), "Zoo": (340, 50),
}  # fmt: skip
SECOND_TOWN: dict[str, Point] = {
    "Gate": (258, 180), "Opera": (258, 264), "Tower": (390, 340), "Abbey": (350, 80),
    "Granary": (170, 80), "Court": (110, 264), "Stadium": (470, 160), "Quay": (470, 240),
}  # fmt: skip
# Where a name would hide a line if it stood below its station.
BESIDE: dict[str, Point] = {
    "Market": (0, -25), "Station": (54, 2), "Museum": (40, 22), "Castle": (-30, -25),
    "Mill": (38, 4), "Abbey": (0, -25), "Granary": (0, -25), "Opera": (-20, 25), "Stadium": (-56, 8), "Gate": (0, -25),
}  # fmt: skip


def metro_first() -> Image.Image:
    c = Canvas(512, 400, (240, 240, 232))
    c.path([(-10, 330), (110, 318), (150, 400)], WATER, 46)
    c.poly(blob(310, 236, 58, 0.66, 5), MINT)
    for x, y in ((292, 226), (316, 238), (336, 222)):
        tree(c, x, y, 15)
    c.box(12, 12, 132, 48, BLUE, radius=8)
    c.text(72, 30, "ALTBURG", 20, WHITE)
    _metro(c, FIRST_TOWN, LINKS, (40, 80, 220))
    return c.finish()


def metro_second() -> Image.Image:
    c = Canvas(512, 400, (236, 232, 224))
    c.path([(-10, 140), (60, 130), (70, 60), (60, -10)], WATER, 40)
    c.poly(blob(186, 176, 46, 0.6, 8), MINT)
    for x, y in ((170, 170), (194, 178)):
        tree(c, x, y, 15)
    c.box(12, 350, 140, 386, RED, radius=8)
    c.text(76, 368, "NEUSTADT", 20, WHITE)
    _metro(c, SECOND_TOWN, [(TWIN[a], TWIN[b]) for a, b in LINKS], RED)
    return c.finish()


def _metro(c: Canvas, town: dict[str, Point], links: list[tuple[str, str]],
           color: tuple[int, int, int]) -> None:  # fmt: skip
    for a, b in links:
        c.path([town[a], town[b]], color, 9)
    for name, (x, y) in town.items():
        c.disc(x, y, 10, WHITE, INK, 3)
        dx, dy = BESIDE.get(name, (0, 25))
        x, y = x + dx, y + dy
        wide = 4.6 * len(name) + 7
        c.box(x - wide, y - 11, x + wide, y + 11, WHITE, radius=5)
        c.text(x, y, name, 17)


# Left, top, right and bottom of the rooms of house A in a plan of 238 by 360; the street is below.
ROOMS: dict[str, tuple[float, float, float, float]] = {
    "Study": (0, 0, 90, 120),
    "Kitchen": (90, 0, 238, 120),
    "Bath": (0, 120, 132, 232),
    "Hall": (132, 120, 238, 232),
    "Nursery": (0, 232, 106, 360),
    "Lounge": (106, 232, 238, 360),
}
WINDOWS: list[tuple[Point, Point]] = [
    ((0, 40), (0, 80)), ((140, 0), (190, 0)), ((0, 150), (0, 200)), ((0, 276), (0, 316)),
    ((30, 360), (76, 360)),
]  # fmt: skip
DOOR: tuple[Point, Point] = ((160, 360), (196, 360))
KEPT = {"Study": "easel", "Kitchen": "piano", "Bath": "drum", "Hall": "ladder",
        "Nursery": "bicycle", "Lounge": "table"}  # fmt: skip
PLAN = 0.76


def upright_plan(x: float, y: float) -> Point:
    return 14 + PLAN * x, 62 + PLAN * y


def mirrored_plan(x: float, y: float) -> Point:
    """Left and right exchanged, then a quarter turn clockwise."""
    mirrored = 238 - x
    return 224 + PLAN * (360 - y), 62 + PLAN * mirrored


def double_house() -> Image.Image:
    c = Canvas(512, 404, GRASS)
    c.box(0, 372, 512, 404, PALE)
    c.path([upright_plan(178, 360), upright_plan(178, 424)], PALE, 26)
    x, y = mirrored_plan(178, 360)
    c.path([(x, y), (x - 17, y), (x - 17, 390)], PALE, 20)
    for place, color in ((upright_plan, WALL), (mirrored_plan, ROSE)):
        for name, (x0, y0, x1, y1) in ROOMS.items():
            a, b = place(x0, y0), place(x1, y1)
            left, right = sorted((a[0], b[0]))
            top, bottom = sorted((a[1], b[1]))
            c.box(left, top, right, bottom, color, INK, 4)
            if color == WALL:
                c.text((left + right) / 2, (top + bottom) / 2, name, 18)
            else:
                _kept(c, (left + right) / 2, (top + bottom) / 2, KEPT[name])
        for start, end in WINDOWS:
            c.path([place(*start), place(*end)], INK, 9)
            c.path([place(*start), place(*end)], WATER, 6)
        c.path([place(*DOOR[0]), place(*DOOR[1])], BROWN, 9)
    for x, text in ((104, "HOUSE A"), (361, "HOUSE B")):
        c.box(x - 62, 14, x + 62, 46, WHITE, INK, 2.5, radius=6)
        c.text(x, 30, text, 19)
    for x in (262, 306, 350, 394, 438, 482):
        tree(c, x, 316, 20, GREEN)
    return c.finish()


def _kept(c: Canvas, x: float, y: float, name: str) -> None:
    if name == "bicycle":
        for dx in (-22, 22):
            c.disc(x + dx, y + 12, 16, None, INK, 3)
        c.path([(x - 22, y + 12), (x - 8, y - 12), (x + 14, y - 12), (x, y + 12), (x - 22, y + 12)],
               RED, 4)  # fmt: skip
        c.path([(x + 22, y + 12), (x + 12, y - 24), (x + 24, y - 26)], RED, 4)
        c.path([(x - 8, y - 12), (x, y + 12)], RED, 4)
        c.path([(x - 16, y - 17), (x - 2, y - 17)], INK, 5)
    elif name == "piano":
        c.box(x - 38, y - 30, x + 38, y + 28, DARK_BROWN, INK, 2.5, radius=4)
        c.box(x - 35, y - 2, x + 35, y + 16, WHITE, INK, 2)
        for k in range(1, 9):
            px = x - 35 + k * 70 / 9
            c.path([(px, y - 2), (px, y + 16)], INK, 1.5)
            if k % 3:
                c.path([(px, y - 2), (px, y + 8)], INK, 5)
    elif name == "drum":
        c.box(x - 30, y - 14, x + 30, y + 26, BLUE, INK, 2.5)
        c.disc(x, y + 26, 30, BLUE, INK, 2.5, flat=0.3)
        c.disc(x, y - 14, 30, WHITE, INK, 2.5, flat=0.36)
        for side in (-1, 1):
            c.path([(x + side * 6, y - 16), (x + side * 30, y - 34)], BROWN, 5)
    elif name == "ladder":
        for side in (-1, 1):
            c.path([(x + side * 17, y + 34), (x + side * 12, y - 34)], BROWN, 6)
        for k in range(5):
            c.path([(x - 15, y + 26 - 13 * k), (x + 15, y + 26 - 13 * k)], BROWN, 5)
    elif name == "easel":
        c.path([(x, y - 31), (x - 24, y + 32)], BROWN, 5)
        c.path([(x, y - 31), (x + 24, y + 32)], BROWN, 5)
        c.box(x - 30, y - 26, x + 30, y + 16, WHITE, INK, 2.5)
        c.disc(x - 10, y - 10, 7, YELLOW)
        c.poly([(x - 27, y + 14), (x + 6, y - 10), (x + 27, y + 14)], GREEN)
    else:
        c.disc(x, y - 4, 36, BROWN, DARK_BROWN, 3, flat=0.55)
        c.box(x - 6, y + 18, x + 6, y + 38, DARK_BROWN)
        c.disc(x, y - 9, 13, PURPLE, INK, 2, flat=0.5)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-island-back-1": island_first,
    "ana-high-island-back-2": island_second,
    "ana-high-metro-twin-1": metro_first,
    "ana-high-metro-twin-2": metro_second,
    "ana-mod-doublehouse": double_house,
}
