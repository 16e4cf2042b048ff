"""Town maps and roads: which way, how far, who goes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    Color,
    Point,
    polar,
)
from PIL import Image

STREET: Color = (250, 246, 232)
ASPHALT: Color = (120, 122, 128)
NOTE: Color = (255, 246, 190)


def arrow(canvas: Canvas, start: Point, end: Point, color: Color = INK, width: float = 4) -> None:
    (x0, y0), (x1, y1) = start, end
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    head = 3.2 * width
    canvas.path([start, (x1 - ux * head * 0.8, y1 - uy * head * 0.8)], color, width)
    bx, by = x1 - ux * head, y1 - uy * head
    side = head * 0.62
    canvas.poly([end, (bx - uy * side, by + ux * side), (bx + uy * side, by - ux * side)], color)


def lines(
    canvas: Canvas, x: float, y: float, texts: Sequence[str], size: float = 18, step: float = 0
) -> None:
    for i, text in enumerate(texts):
        canvas.text(x, y + i * (step or size * 1.35), text, size, anchor="lm")


def compass(canvas: Canvas, x: float, y: float, radius: float, north: float) -> None:
    """A compass rose; `north` is the angle of its needle, 0 to the right, clockwise."""
    canvas.disc(x, y, radius, WHITE, INK, 2.5)
    tip, tail = polar(x, y, radius * 0.62, north), polar(x, y, radius * 0.8, north + 180)
    left, right = (polar(x, y, radius * 0.2, north + a) for a in (90, -90))
    canvas.poly([tip, left, right], RED, INK, 1.5)
    canvas.poly([tail, left, right], PALE, INK, 1.5)
    at = polar(x, y, radius * 1.38, north)
    canvas.text(*at, "N", radius * 0.62)


def house(canvas: Canvas, x: float, y: float, roof: Color, size: float = 1) -> None:
    canvas.box(x - 17 * size, y - 8 * size, x + 17 * size, y + 18 * size, WHITE, INK, 2)
    top = [(x - 23 * size, y - 7 * size), (x, y - 26 * size), (x + 23 * size, y - 7 * size)]
    canvas.poly(top, roof, INK, 2)
    canvas.box(x - 4 * size, y + 4 * size, x + 4 * size, y + 18 * size, DARK_BROWN)


STATIONS: dict[str, tuple[float, float, float, float, str]] = {
    "Harbour": (48, 170, 0, 26, "mm"),
    "Old Town": (150, 170, 12, 24, "lm"),
    "Castle": (250, 170, 0, -24, "mm"),
    "Theatre": (350, 170, -12, 24, "rm"),
    "Airport": (454, 170, 0, -24, "mm"),
    "Zoo": (150, 290, -16, 0, "rm"),
    "Park": (190, 80, 0, -24, "mm"),
    "Bridge Street": (310, 80, 0, -24, "mm"),
    "Stadium": (350, 250, 16, 0, "lm"),
    "University": (250, 250, -14, 0, "rm"),
    "Hospital": (250, 340, -14, 14, "rm"),
    "Lakeside": (454, 340, 6, 26, "rm"),
}
UNDERGROUND: list[tuple[Color, list[str]]] = [
    (GREEN, ["Castle", "University", "Hospital", "Lakeside", "Airport"]),
    (BLUE, ["Zoo", "Old Town", "Park", "Bridge Street", "Theatre", "Stadium"]),
    (RED, ["Harbour", "Old Town", "Castle", "Theatre", "Airport"]),
]


def underground_map() -> Image.Image:
    canvas = Canvas(512, 400)
    canvas.poly([(0, 330), (70, 350), (130, 372), (150, 400), (0, 400)], WATER)
    canvas.text(52, 382, "Sea", 16, WHITE)
    canvas.text(20, 26, "City Underground", 20, anchor="lm")
    for color, names in UNDERGROUND:
        canvas.path([STATIONS[name][:2] for name in names], color, 9)
    for name, (x, y, dx, dy, anchor) in STATIONS.items():
        change = sum(name in names for _, names in UNDERGROUND) > 1
        canvas.disc(x, y, 11 if change else 8, WHITE, INK, 3)
        canvas.text(x + dx, y + dy, name, 17, anchor=anchor)
    return canvas.finish()


def underground_notice() -> Image.Image:
    canvas = Canvas(480, 340, (70, 92, 120))
    canvas.box(24, 20, 456, 320, WHITE, INK, 3, radius=10)
    canvas.box(24, 20, 456, 78, INK, radius=10)
    canvas.text(240, 50, "UNDERGROUND TODAY", 26, WHITE)
    canvas.path([(52, 122), (112, 122)], RED, 9)
    for x in (56, 108):
        canvas.disc(x, 122, 9, WHITE, INK, 3)
    canvas.path([(70, 108), (94, 136)], INK, 5)
    canvas.path([(94, 108), (70, 136)], INK, 5)
    lines(canvas, 136, 112, ["No trains between Castle", "and Theatre in either direction"], 19)
    canvas.path([(48, 166), (432, 166)], PALE, 3)
    arrow(canvas, (54, 204), (108, 204), INK, 5)
    canvas.text(136, 204, "from one stop to the next: 2 minutes", 18, anchor="lm")
    canvas.path([(60, 288), (60, 262), (102, 262), (102, 240)], GREEN, 8)
    canvas.disc(81, 262, 11, WHITE, INK, 3)
    canvas.text(136, 262, "each change of line: 5 minutes", 18, anchor="lm")
    return canvas.finish()


def crooked_map() -> Image.Image:
    canvas = Canvas(512, 512, (214, 226, 190))
    xs, ys = [64, 160, 256, 352, 448], [60, 144, 228, 312]
    for x in xs:
        canvas.path([(x, 20), (x, 352)], STREET, 26)
    for y in ys:
        canvas.path([(20, y), (492, y)], STREET, 26)
    for i, (x, y) in enumerate((a + 48, b + 44) for a in xs[:-1] for b in ys[:-1]):
        if i % 5 == 2:
            canvas.disc(x - 12, y, 15, (110, 165, 90))
            canvas.disc(x + 12, y + 4, 12, (96, 150, 80))
        else:
            house(canvas, x, y, (BROWN, ORANGE, (176, 96, 84))[i % 3], 0.72)
    places = {
        "Station": (2, 2, RED),
        "Museum": (1, 0, BLUE),
        "Baker": (0, 1, BLUE),
        "Cinema": (3, 1, BLUE),
        "Pool": (3, 3, BLUE),
        "Library": (4, 1, BLUE),
        "Tower": (1, 3, BLUE),
        "Market": (3, 0, BLUE),
    }
    for name, (column, row, color) in places.items():
        x, y = xs[column], ys[row]
        canvas.box(x - 38, y - 14, x + 38, y + 14, color, WHITE, 2, radius=8)
        canvas.text(x, y, name, 17, WHITE)
    canvas.box(0, 362, 512, 512, (190, 176, 150))
    compass(canvas, 90, 438, 46, 180)
    canvas.box(170, 376, 496, 500, NOTE, BROWN, 2)
    note = ["Start at the station.", "Go two blocks north,", "then two blocks east,",
            "then one block south."]  # fmt: skip
    lines(canvas, 190, 398, note, 19, 27)
    return canvas.finish()


# Crossings of the river town; streets cross the river by the two bridges only.
BRIDGES = (0, 4)
HOMES = {"Mia": (0, 1, RED), "Leo": (2, 3, BLUE), "Zoe": (5, 3, PURPLE)}
MEETING = {"Diner": (2, 1), "Pool": (5, 0), "Park": (3, 4), "Kiosk": (0, 4)}


def river_town() -> Image.Image:
    canvas = Canvas(512, 500, (206, 222, 182))
    xs, ys = [50 + 82 * i for i in range(6)], [40, 118, 242, 320, 398]
    canvas.poly([(0, 158), (180, 152), (340, 164), (512, 156), (512, 204), (340, 210), (180, 200),
                 (0, 206)], WATER)  # fmt: skip
    for i, x in enumerate(xs):
        parts = [(ys[0], ys[-1])] if i in BRIDGES else [(ys[0], ys[1]), (ys[2], ys[-1])]
        for top, bottom in parts:
            canvas.path([(x, top - 8), (x, bottom + 8)], STREET, 16)
        if i in BRIDGES:
            for side in (-11, 11):
                canvas.path([(x + side, 146), (x + side, 214)], DARK_BROWN, 5)
    for y in ys:
        canvas.path([(xs[0] - 8, y), (xs[-1] + 8, y)], STREET, 16)
    for i, (x, y) in enumerate(
        ((91, 80), (337, 78), (173, 280), (419, 360), (91, 360), (337, 282))
    ):
        canvas.disc(x, y, 13, (104, 158, 84))
        canvas.disc(x + 14, y + 6, 9 + i % 3, (120, 172, 98))
    for name, (column, row, color) in HOMES.items():
        house(canvas, xs[column], ys[row] - 2, color, 0.85)
        # Below the house of Mia the name would hide the bridge.
        x, y = xs[column], ys[row] + (-39 if name == "Mia" else 27)
        canvas.box(x - 22, y - 11, x + 22, y + 11, WHITE, INK, 1.5)
        canvas.text(x, y, name, 17)
    for name, (column, row) in MEETING.items():
        x, y = xs[column], ys[row]
        canvas.box(x - 30, y - 14, x + 30, y + 14, YELLOW, INK, 2, radius=12)
        canvas.text(x, y, name, 18)
    canvas.box(0, 436, 512, 500, WHITE)
    canvas.path([(48, 474), (130, 474)], INK, 3)
    for x in (48, 130):
        canvas.path([(x, 466), (x, 482)], INK, 3)
    canvas.text(89, 456, "100 m", 16)
    lines(
        canvas,
        160,
        456,
        ["Each stretch between two crossings", "is 100 m, also over a bridge."],
        18,
    )
    return canvas.finish()


def truck() -> Image.Image:
    canvas = Canvas(512, 384, (208, 230, 246))
    canvas.box(0, 270, 512, 384, ASPHALT)
    for x in range(10, 512, 84):
        canvas.box(x, 318, x + 44, 325, WHITE)
    canvas.box(60, 96, 330, 262, WHITE, INK, 3)
    canvas.box(60, 120, 330, 138, ORANGE)
    canvas.text(195, 168, "FARM SUPPLIES", 24)
    canvas.text(195, 206, "empty weight 9 t", 20)
    canvas.text(195, 234, "load today 8 t", 20)
    canvas.poly([(338, 140), (392, 140), (418, 196), (418, 262), (338, 262)], ORANGE, INK, 3)
    canvas.poly([(352, 154), (386, 154), (402, 192), (352, 192)], WHITE, INK, 2)
    canvas.box(54, 254, 420, 266, INK)
    for x in (104, 156, 378):
        canvas.disc(x, 270, 25, INK)
        canvas.disc(x, 270, 11, GREY)
    for end in (100, 290):
        arrow(canvas, (40, 195), (40, end), INK, 3)
    canvas.box(4, 176, 76, 204, (208, 230, 246))
    canvas.text(40, 190, "3.7 m", 19)
    canvas.box(354, 30, 494, 74, WHITE, INK, 2, radius=6)
    canvas.text(424, 52, "width 2.5 m", 20)
    return canvas.finish()


def road_choice() -> Image.Image:
    canvas = Canvas(512, 512, GRASS)
    roads = ["Hill Road", "River Road", "Mill Road", "Forest Road", "Lake Road"]
    ys = [56, 152, 248, 344, 440]
    for y in ys:
        canvas.path([(56, 248), (130, y), (400, y), (462, 248)], ASPHALT, 20)
    for i, (x, y) in enumerate(((40, 80), (474, 92), (36, 410), (470, 430), (20, 150), (494, 380))):
        canvas.box(x - 3, y, x + 3, y + 20, DARK_BROWN)
        canvas.disc(x, y - 6, 15 + i % 3, (84, 140, 70))
    for x, name, color in ((50, "Depot", ORANGE), (464, "Farm", RED)):
        house(canvas, x, 246, color, 1.35)
        canvas.box(x - 34, 274, x + 34, 300, WHITE, INK, 2)
        canvas.text(x, 287, name, 19)
    for name, y in zip(roads, ys, strict=True):
        canvas.text(144, y - 23, name, 18, anchor="lm")
    for x, y, kind, text in (
        (280, 56, "height", "4 m"),
        (360, 56, "weight", "16 t"),
        (280, 152, "height", "3.5 m"),
        (360, 152, "weight", "20 t"),
        (280, 248, "weight", "18 t"),
        (360, 248, "width", "2.3 m"),
        (280, 344, "height", "4 m"),
        (360, 344, "entry", ""),
        (280, 440, "height", "3.8 m"),
        (360, 440, "weight", "20 t"),
    ):
        road_sign(canvas, x, y, kind, text)
    return canvas.finish()


def road_sign(canvas: Canvas, x: float, y: float, kind: str, text: str) -> None:
    if kind == "entry":
        canvas.disc(x, y, 35, RED, WHITE, 2)
        canvas.box(x - 23, y - 7, x + 23, y + 7, WHITE)
        return
    canvas.disc(x, y, 36, WHITE)
    canvas.disc(x, y, 36, None, RED, 5)
    canvas.text(x, y, text, 16)
    for side in (-1, 1):
        if kind == "height":
            px, py = x, y + side * 28
            canvas.poly([(px - 7, py), (px + 7, py), (px, py - side * 10)], INK)
        elif kind == "width":
            px = x + side * 31
            canvas.poly([(px, y - 8), (px, y + 8), (px - side * 7, y)], INK)


def crossing_rules() -> Image.Image:
    canvas = Canvas(480, 400, (228, 238, 246))
    canvas.box(20, 16, 460, 384, WHITE, BLUE, 4, radius=12)
    canvas.text(240, 46, "Who goes first?", 26, BLUE)
    road_mark(canvas, 72, 112, "main")
    lines(
        canvas,
        124,
        98,
        ["Main road: these cars go before", "all cars that face a triangle."],
        19,
        27,
    )
    road_mark(canvas, 72, 202, "yield")
    lines(canvas, 124, 188, ["Give way: wait until the main", "road is free."], 19, 27)
    arrow(canvas, (72, 336), (72, 284), INK, 6)
    canvas.path([(72, 310), (48, 310)], INK, 6)
    lines(canvas, 124, 276, ["Two cars that meet head-on and", "have the same sign: the one that",
                             "turns left waits for the other."], 19, 27)  # fmt: skip
    canvas.text(240, 362, "Everybody drives on the right.", 17, GREY)
    return canvas.finish()


def road_mark(canvas: Canvas, x: float, y: float, kind: str) -> None:
    if kind == "main":
        canvas.poly([polar(x, y, 28, a) for a in (0, 90, 180, 270)], WHITE, INK, 2)
        canvas.poly([polar(x, y, 18, a) for a in (0, 90, 180, 270)], YELLOW, INK, 1)
    else:
        canvas.poly([polar(x, y - 4, 30, a) for a in (90, 210, 330)], RED, INK, 1.5)
        canvas.poly([polar(x, y - 4, 16, a) for a in (90, 210, 330)], WHITE)


def crossing() -> Image.Image:
    canvas = Canvas(512, 512, GRASS)
    canvas.box(0, 190, 512, 322, ASPHALT)
    canvas.box(190, 0, 322, 512, ASPHALT)
    for a in (*range(6, 180, 36), *range(334, 512, 36)):
        canvas.box(a, 253, a + 20, 259, WHITE)
        canvas.box(253, a, 259, a + 20, WHITE)
    # Centre of the car, the way it heads, and how it goes on: 0 straight, -1 left.
    for x, y, heading, turn, color in (
        (110, 289, 0, -1, YELLOW),
        (402, 223, 180, 0, PURPLE),
        (223, 110, 90, 0, ORANGE),
        (289, 402, 270, -1, BLUE),
    ):
        car(canvas, x, y, heading, color)
        nose = polar(x, y, 46, heading)
        if turn:
            bend = polar(x, y, 74, heading)
            canvas.path([nose, bend], WHITE, 6)
            canvas.disc(*bend, 3, WHITE)
            arrow(canvas, bend, polar(*bend, 34, heading - 90), WHITE, 6)
        else:
            arrow(canvas, nose, polar(x, y, 96, heading), WHITE, 6)
    for x, y, kind in (
        (150, 362, "main"),
        (362, 150, "main"),
        (150, 150, "yield"),
        (362, 362, "yield"),
    ):
        road_mark(canvas, x, y, kind)
    for x, y in ((60, 60), (452, 66), (56, 446), (450, 450)):
        house(canvas, x, y, BROWN, 1.2)
    return canvas.finish()


def car(canvas: Canvas, x: float, y: float, heading: float, color: Color) -> None:
    def spot(along: float, across: float) -> Point:
        return polar(*polar(x, y, along, heading), across, heading + 90)

    def quad(a0: float, a1: float, half: float) -> list[Point]:
        return [spot(a0, -half), spot(a1, -half), spot(a1, half), spot(a0, half)]

    for along in (-20, 20):
        canvas.poly(quad(along - 7, along + 7, 22), INK)
    canvas.poly(quad(-36, 36, 19), color, INK, 2)
    canvas.poly(quad(6, 18, 15), WALL, INK, 1.5)
    canvas.poly(quad(-28, -20, 14), WALL, INK, 1.5)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-underground-closure-1": underground_map,
    "ded-high-underground-closure-2": underground_notice,
    "ded-mod-citymap-compass": crooked_map,
    "ded-high-citymap-river": river_town,
    "ded-high-roadsigns-lorry-1": truck,
    "ded-high-roadsigns-lorry-2": road_choice,
    "ded-high-rightofway-cars-1": crossing_rules,
    "ded-high-rightofway-cars-2": crossing,
}
