"""Scenes of meters on the road and of games: parking, fuel, speed, goals, arrows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
    SKY,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    blob,
    polar,
)
from PIL import Image
from props import sun

ROAD: Color = (120, 122, 128)
DASH: Color = (58, 62, 72)


def parking_meter() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    canvas.box(0, 372, 512, 512, ROAD)
    canvas.box(0, 360, 512, 380, PALE)
    for x, color in ((0, (214, 180, 150)), (340, (190, 200, 176)), (430, (226, 196, 140))):
        canvas.box(x, 60, x + 88, 360, color)
        for y in (86, 160, 234):
            canvas.box(x + 22, y, x + 66, y + 44, (150, 190, 220), WHITE, 4)
    canvas.box(60, 20, 324, 424, BLUE, INK, 3, radius=14)
    canvas.box(150, 424, 234, 470, GREY, INK, 2)
    canvas.disc(192, 58, 28, WHITE)
    canvas.text(192, 59, "P", 42, BLUE)
    canvas.box(84, 96, 300, 162, (34, 46, 40), INK, 2, radius=5)
    canvas.text(192, 114, "now", 16, WHITE)
    canvas.text(192, 140, "Friday 16:30", 27, (150, 230, 130))
    canvas.box(76, 174, 308, 330, WHITE, INK, 2, radius=5)
    canvas.text(192, 196, "Pay here", 20, BLUE)
    for i, line in enumerate(("Monday to Friday", "from 8:00 to 18:00:", "0.80 for 30 minutes")):
        canvas.text(192, 224 + 26 * i, line, 21)
    canvas.text(192, 310, "At other times free", 21, GREEN)
    canvas.box(120, 346, 264, 408, (40, 56, 120), INK, 2, radius=8)
    canvas.box(188, 356, 196, 398, INK)
    canvas.text(154, 377, "coins", 18, WHITE)
    canvas.box(340, 268, 504, 420, (250, 222, 190), BROWN, 3, radius=26)
    canvas.text(422, 290, "in your hand", 17)
    for x, y, value, radius, color in (
        (376, 334, "1.00", 27, YELLOW),
        (434, 328, "0.50", 23, (230, 176, 110)),
        (388, 390, "0.50", 23, (230, 176, 110)),
        (436, 382, "0.20", 20, (200, 204, 210)),
        (478, 356, "0.20", 20, (200, 204, 210)),
    ):
        canvas.disc(x, y, radius, color, INK, 2)
        canvas.text(x, y, value, 17 if radius > 20 else 15)
    canvas.box(300, 448, 500, 486, RED, INK, 2.5, radius=14)
    canvas.poly([(330, 450), (354, 422), (444, 422), (476, 450)], RED, INK, 2.5)
    canvas.poly([(344, 448), (360, 430), (394, 430), (394, 448)], SKY)
    canvas.poly([(404, 448), (404, 430), (440, 430), (458, 448)], SKY)
    for x in (342, 458):
        canvas.disc(x, 486, 20, INK)
        canvas.disc(x, 486, 9, PALE)
    return canvas.finish()


def fuel_gauge() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    canvas.box(0, 150, 512, 300, GRASS)
    canvas.poly([(0, 150), (90, 96), (190, 150), (260, 120), (340, 150)], (120, 168, 120))
    canvas.poly([(60, 300), (90, 150), (122, 150), (300, 300)], ROAD)
    for y0, y1, x0, x1 in ((160, 178, 107, 112), (198, 222, 118, 126), (248, 282, 136, 150)):
        canvas.path([(x0, y0), (x1, y1)], WHITE, 4)
    canvas.box(388, 238, 402, 300, GREY)
    canvas.box(240, 20, 500, 244, BLUE, WHITE, 5, radius=8)
    canvas.text(370, 50, "Filling stations", 23, WHITE)
    for i, (name, far) in enumerate(
        (("Oakley", 85), ("Redhill", 145), ("Mill Cross", 190), ("Stanton", 240))
    ):
        canvas.text(260, 94 + 40 * i, name, 24, WHITE, "lm")
        canvas.text(482, 94 + 40 * i, f"{far} km", 24, WHITE, "rm")
    canvas.box(0, 296, 512, 512, DASH)
    canvas.box(0, 290, 512, 302, INK)
    x, y, reach = 146.0, 436.0, 108.0
    canvas.disc(x, y, 128, INK)
    canvas.box(0, y + 30, 512, 512, DASH)
    canvas.box(16, y + 22, 276, y + 34, INK, radius=5)
    canvas.arc(x, y, reach, 180, 360, WHITE, 3)
    for tick in range(9):
        degrees = 180 + tick * 22.5
        long = tick % 4 == 0
        canvas.path([polar(x, y, reach - (20 if long else 12), degrees), polar(x, y, reach, degrees)],
                    RED if tick == 0 else WHITE, 4 if long else 2.5)  # fmt: skip
    for label, degrees in (("0", 186), ("1/2", 270), ("1", 354)):
        canvas.text(*polar(x, y, reach - 34, degrees), label, 18, WHITE)
    canvas.path([(x, y), polar(x, y, reach - 8, 225)], ORANGE, 5)
    canvas.disc(x, y, 10, ORANGE)
    canvas.text(x, y + 50, "fuel: full tank 48 litres", 19, WHITE)
    canvas.box(296, 320, 496, 400, (34, 46, 40), GREY, 3, radius=8)
    canvas.text(396, 342, "on this road", 18, WHITE)
    canvas.text(396, 374, "6 litres per 100 km", 20, (150, 230, 130))
    canvas.box(300, 418, 492, 494, YELLOW, INK, 2, radius=4)
    canvas.text(396, 442, "Never drive with less", 18)
    canvas.text(396, 470, "than 3 litres in the tank!", 17)
    return canvas.finish()


def limit_sign() -> Image.Image:
    canvas = Canvas(420, 400, SKY)
    sun(canvas, 60, 60, 24)
    canvas.box(0, 250, 420, 400, GRASS)
    canvas.poly([(0, 250), (110, 190), (220, 250), (320, 206), (420, 250)], (120, 168, 120))
    canvas.poly([(20, 400), (150, 250), (174, 250), (220, 400)], ROAD)
    for y0, y1, x0, x1 in ((260, 284, 160, 158), (306, 336, 152, 144), (358, 396, 136, 126)):
        canvas.path([(x0, y0), (x1, y1)], WHITE, 4)
    canvas.box(300, 180, 314, 372, GREY, INK, 2)
    canvas.disc(307, 104, 82, WHITE, RED, 17)
    canvas.text(307, 104, "80", 70)
    canvas.box(214, 204, 400, 262, WHITE, INK, 2.5, radius=5)
    canvas.text(307, 221, "km/h", 20)
    canvas.text(307, 245, "on the whole of Route 9", 16)
    for x, y in ((252, 320), (374, 300), (20, 330)):
        canvas.disc(x, y, 15, (90, 150, 80))
        canvas.disc(x + 15, y + 4, 11, (90, 150, 80))
    return canvas.finish()


def dashboard(place: str, time: str, driven: int, speed: int) -> Image.Image:
    canvas = Canvas(480, 400, SKY)
    canvas.box(0, 84, 480, 130, GRASS)
    canvas.poly([(150, 130), (210, 60), (232, 60), (330, 130)], ROAD)
    canvas.box(250, 12, 468, 58, GREEN, WHITE, 3, radius=5)
    canvas.text(359, 35, place, 23, WHITE)
    canvas.path([(280, 58), (280, 90)], GREY, 6)
    canvas.path([(438, 58), (438, 90)], GREY, 6)
    canvas.box(0, 116, 480, 400, DASH)
    canvas.box(0, 110, 480, 122, INK)
    x, y, radius = 168.0, 258.0, 122.0
    canvas.disc(x, y, radius + 8, INK, GREY, 3)
    for tick in range(0, 161, 10):
        degrees = 150 + tick * 1.5
        long = tick % 20 == 0
        ends = [polar(x, y, radius - r, degrees) for r in (14 if long else 8, 0)]
        canvas.path(ends, WHITE, 3 if long else 2)
        if long:
            canvas.text(*polar(x, y, radius - 32, degrees), str(tick), 18, WHITE)
    canvas.text(x, y + 44, "km/h", 18, WHITE)
    canvas.path([(x, y), polar(x, y, radius - 16, 150 + speed * 1.5)], RED, 5)
    canvas.disc(x, y, 11, RED)
    for top, label, value in ((146, "time", time), (262, "km driven in all", f"{driven}")):
        canvas.text(390, top + 8, label, 19, WHITE)
        canvas.box(312, top + 26, 468, top + 84, (34, 46, 40), GREY, 3, radius=6)
        canvas.text(390, top + 55, value, 33, (150, 230, 130))
    return canvas.finish()


# Team, conceded goals and points; the goals that each team scored cannot be read.
TABLE = (("Owls", 5, 6), ("Foxes", 2, 6), ("Bears", 6, 4), ("Hares", 8, 1))
MATCHES = (
    ("Foxes", "3 : 1", "Owls"),
    ("Bears", "2 : 2", "Hares"),
    ("Foxes", "0 : 1", "Bears"),
    ("Owls", "4 : 0", "Hares"),
    ("Foxes", "2 : 0", "Hares"),
    ("Bears", "", "Owls"),
)


def league_board() -> Image.Image:
    canvas = Canvas(512, 512, SKY)
    canvas.box(0, 440, 512, 512, GRASS)
    for x in range(0, 512, 64):
        canvas.box(x, 440, x + 32, 512, (128, 178, 98))
    canvas.box(70, 440, 90, 500, GREY, INK, 2)
    canvas.box(422, 440, 442, 500, GREY, INK, 2)
    canvas.box(16, 14, 496, 462, (40, 66, 60), INK, 4, radius=10)
    canvas.text(256, 42, "SCHOOL CUP - all matches", 24, YELLOW)
    for i, (home, score, guest) in enumerate(MATCHES):
        y = 82 + 33 * i
        canvas.text(196, y, home, 23, WHITE, "rm")
        canvas.text(256, y, score, 23, ORANGE)
        canvas.text(316, y, guest, 23, WHITE, "lm")
    canvas.path([(36, 278), (476, 278)], WHITE, 2)
    for x, head in ((48, "Team"), (188, "scored"), (308, "conceded"), (420, "points")):
        canvas.text(x, 298, head, 18, YELLOW, "lm")
    for i, (team, conceded, points) in enumerate(TABLE):
        y = 328 + 33 * i
        canvas.text(48, y, team, 23, WHITE, "lm")
        canvas.text(346, y, str(conceded), 23, WHITE)
        canvas.text(446, y, str(points), 23, WHITE)
    # A wet leaf sticks to the last score, and mud to the goals scored.
    canvas.poly(blob(216, 378, 44, 1.4, 5), (110, 84, 60))
    leaf: list[Point] = [(212, 250), (236, 230), (268, 226), (298, 240), (276, 262), (240, 266)]
    canvas.poly(leaf, (206, 120, 40), DARK_BROWN, 2)
    canvas.path([(206, 252), (284, 242)], DARK_BROWN, 2)
    for x in (236, 262):
        canvas.path([(x, 248), (x + 10, 232)], DARK_BROWN, 1.5)
        canvas.path([(x, 248), (x + 12, 260)], DARK_BROWN, 1.5)
    canvas.disc(470, 486, 18, WHITE, INK, 2)
    canvas.poly([polar(470, 486, 8, a) for a in range(-90, 270, 72)], INK)
    return canvas.finish()


RINGS: tuple[tuple[int, Color], ...] = (
    (2, WHITE),
    (4, (90, 90, 96)),
    (6, (110, 170, 230)),
    (8, (226, 80, 80)),
    (10, YELLOW),
)
# Ring and direction of each arrow.
ARROWS: dict[str, list[tuple[int, float]]] = {
    "Ben": [(10, 250), (10, 350), (8, 150), (6, 60), (2, 250)],
    "Anna": [(10, 300), (8, 320), (8, 230), (4, 290)],
}


def target(name: str, feathers: Color) -> Image.Image:
    canvas = Canvas(420, 470, SKY)
    canvas.box(0, 360, 420, 470, GRASS)
    for side in (-1, 1):
        canvas.path([(210 + side * 60, 300), (210 + side * 120, 460)], BROWN, 12)
    x, y, width = 210.0, 232.0, 34.0
    canvas.disc(x, y, 5 * width + 12, (214, 190, 130), DARK_BROWN, 3)
    for i, (points, color) in enumerate(RINGS):
        canvas.disc(x, y, (5 - i) * width, color, INK, 2)
        at = x if points == 10 else x + (4.5 - i) * width
        for spot in ((at, y), (2 * x - at, y)):
            canvas.text(*spot, str(points), 19, WHITE if points == 4 else INK)
    for points, degrees in ARROWS[name]:
        radius = 16 if points == 10 else (5.5 - points / 2) * width
        ax, ay = polar(x, y, radius, degrees)
        canvas.path([(ax, ay), (ax + 15, ay - 30)], DARK_BROWN, 4)
        canvas.poly([(ax + 11, ay - 20), (ax + 6, ay - 32), (ax + 17, ay - 48), (ax + 26, ay - 40),
                     (ax + 23, ay - 26)], feathers, INK, 1.5)  # fmt: skip
        canvas.disc(ax, ay, 5, INK, WHITE, 1.5)
    canvas.box(14, 12, 160, 50, WHITE, INK, 2, radius=5)
    canvas.text(87, 31, f"{name}'s target", 21)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-parking-coins": parking_meter,
    "ded-mod-fuelgauge-stations": fuel_gauge,
    "ded-high-dashboard-speed-1": limit_sign,
    "ded-high-dashboard-speed-2": partial(dashboard, "Route 9: start", "9:10", 24310, 110),
    "ded-high-dashboard-speed-3": partial(dashboard, "Route 9: end", "10:40", 24412, 90),
    "ded-high-scoreboard-leaf": league_board,
    "ded-mod-target-arrows-1": partial(target, "Ben", GREEN),
    "ded-mod-target-arrows-2": partial(target, "Anna", (150, 80, 200)),
}
