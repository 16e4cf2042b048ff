"""Shadows, mirrors and rooms."""

from __future__ import annotations

from collections.abc import Callable

from canvas import (
    BLUE,
    BROWN,
    DARK_BROWN,
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
    polar,
)
from PIL import Image
from props import sun

from scenes.boards_and_dice import star
from scenes.town_maps import arrow, compass, lines

MEADOW: Color = (164, 202, 132)
SHADE: Color = (106, 142, 88)
SAND: Color = (240, 226, 186)
SOUTHWARD = 315
SHADOW = SOUTHWARD - 180


def island() -> Image.Image:
    canvas = Canvas(512, 512, WATER)
    for x, y in ((20, 40), (440, 50), (16, 410), (446, 400), (270, 20), (410, 474)):
        canvas.arc(x, y, 12, 20, 160, WHITE, 3)
        canvas.arc(x + 22, y + 8, 12, 200, 340, WHITE, 3)
        canvas.arc(x + 44, y, 12, 20, 160, WHITE, 3)
    shore = [(90, 96), (200, 52), (330, 62), (430, 110), (482, 210), (466, 316), (404, 402),
             (280, 436), (150, 420), (64, 350), (40, 220)]  # fmt: skip
    canvas.poly(shore, SAND)
    middle = (262, 246)
    canvas.poly([(middle[0] + (x - middle[0]) * 0.9, middle[1] + (y - middle[1]) * 0.9) for x, y in shore],
                MEADOW)  # fmt: skip
    for x, y in ((150, 150), (180, 350), (310, 372), (388, 344), (330, 130), (120, 260)):
        cast(canvas, x, y, 12, 34)
        canvas.disc(x, y, 14, (70, 128, 62))
        canvas.disc(x - 3, y - 3, 8, (94, 152, 80))
    cast(canvas, 250, 240, 17, 120)
    # The nave lies east of the tower, as is usual.
    east = SHADOW + 90
    end = polar(250, 240, 76, east)
    nave = [
        polar(*at, side * 17, east + 90)
        for at, side in (((250, 240), -1), (end, -1), (end, 1), ((250, 240), 1))
    ]
    canvas.poly(nave, (186, 92, 72), INK, 2.5)
    canvas.path([(250, 240), end], INK, 2)
    tower = [polar(250, 240, 27, east + a) for a in (45, 135, 225, 315)]
    canvas.poly(tower, (214, 206, 190), INK, 2.5)
    for a, b in ((0, 2), (1, 3)):
        canvas.path([tower[a], tower[b]], INK, 2)
    label(canvas, 316, 240, "church")
    cast(canvas, 442, 240, 12, 74)
    canvas.disc(442, 240, 18, RED, INK, 2.5)
    canvas.disc(442, 240, 12, WHITE)
    canvas.disc(442, 240, 6, RED)
    label(canvas, 420, 206, "lighthouse")
    canvas.box(66, 452, 372, 504, WHITE, INK, 2, radius=8)
    lines(canvas, 84, 468, ["An island in Sweden from above,", "at noon by the sun"], 17, 21)
    return canvas.finish()


def cast(canvas: Canvas, x: float, y: float, half: float, length: float) -> None:
    """A shadow on the ground, as wide as the thing that throws it."""
    left, right = polar(x, y, half, SHADOW + 90), polar(x, y, half, SHADOW - 90)
    canvas.poly([left, polar(*left, length, SHADOW), polar(*right, length, SHADOW), right], SHADE)


def label(canvas: Canvas, x: float, y: float, text: str) -> None:
    wide = 4.9 * len(text) + 6
    canvas.box(x - wide, y - 12, x + wide, y + 12, WHITE, radius=5)
    canvas.text(x, y, text, 17)


# Column and row of each mirror, and which way it leans.
MIRRORS: dict[tuple[int, int], str] = {
    (2, 0): "\\",
    (2, 1): "\\",
    (6, 2): "\\",
    (0, 3): "/",
    (6, 3): "/",
    (0, 4): "/",
    (5, 4): "/",
    (4, 5): "\\",
}


def laser() -> Image.Image:
    canvas = Canvas(512, 480, (40, 44, 62))
    left, top, cell = 78, 78, 56
    for column in range(7):
        for row in range(6):
            x, y = left + column * cell, top + row * cell
            canvas.box(x, y, x + cell, y + cell, (56, 62, 86), (74, 82, 110), 1.5)
    y = top + 2.5 * cell
    canvas.box(10, y - 17, 66, y + 17, GREY, WHITE, 2, radius=6)
    canvas.box(62, y - 8, 74, y + 8, RED)
    arrow(canvas, (76, y), (left + 1.6 * cell, y), RED, 5)
    star(canvas, left + 5.5 * cell, 44, 27)
    for number, ((column, row), lean) in enumerate(MIRRORS.items(), 1):
        x, y = left + (column + 0.5) * cell, top + (row + 0.5) * cell
        side = 1 if lean == "\\" else -1
        canvas.path([(x - 20, y - 20 * side), (x + 20, y + 20 * side)], WHITE, 8)
        canvas.path([(x - 19, y - 19 * side), (x + 19, y + 19 * side)], (150, 206, 240), 4)
        canvas.text(x + 15 * side, y - 15, str(number), 18, YELLOW)
    canvas.text(256, 448, "All mirrors reflect on both sides.", 18, WHITE)
    return canvas.finish()


def barber() -> Image.Image:
    canvas = Canvas(512, 480, (120, 170, 168))
    canvas.box(0, 400, 512, 480, (92, 74, 62))
    box = (30, 26, 326, 356)
    canvas.box(18, 14, 338, 368, (206, 168, 84), DARK_BROWN, 3, radius=8)
    canvas.box(*box, (232, 224, 206))
    canvas.box(30, 292, 326, 356, (196, 158, 116))
    # What the mirror shows is drawn as it is and turned round afterwards.
    canvas.box(36, 70, 130, 292, (158, 110, 74), DARK_BROWN, 3)
    canvas.box(46, 84, 120, 180, SKY, DARK_BROWN, 2)
    canvas.text(83, 132, "PULL", 22, BLUE)
    canvas.disc(118, 214, 5, YELLOW, INK)
    x, y, radius = 226, 134, 88
    canvas.disc(x, y, radius, WHITE, INK, 6)
    for tick in range(60):
        inner = 0.76 if tick % 5 == 0 else 0.84
        ends = [polar(x, y, radius * inner, tick * 6), polar(x, y, radius * 0.89, tick * 6)]
        canvas.path(ends, INK, 4 if tick % 5 == 0 else 1.2)
    canvas.path([(x, y), polar(x, y, 44, (4 + 40 / 60) * 30 - 90)], INK, 8)
    canvas.path([(x, y), polar(x, y, 76, 40 * 6 - 90)], INK, 5)
    canvas.disc(x, y, 6, INK)
    canvas.box(352, 60, 498, 236, WHITE, INK, 2, radius=6)
    canvas.text(425, 88, "BARBER", 24, RED)
    lines(canvas, 372, 128, ["open today", "until"], 19, 26)
    canvas.text(425, 202, "17:30", 36)
    canvas.box(10, 378, 502, 396, WHITE, INK, 2)
    for cx, color, high in ((384, GREEN, 62), (420, PURPLE, 50), (456, ORANGE, 70)):
        canvas.box(cx - 13, 378 - high, cx + 13, 377, color, INK, 2, radius=4)
        canvas.box(cx - 6, 366 - high, cx + 6, 378 - high, INK)
    canvas.text(178, 436, "The big mirror shows the wall behind you.", 17, WHITE)
    image = canvas.finish()
    image.paste(image.crop(box).transpose(Image.Transpose.FLIP_LEFT_RIGHT), box[:2])
    return image


def museum() -> Image.Image:
    canvas = Canvas(512, 504, (226, 230, 222))
    rooms = [("Egypt", (246, 226, 176)), ("Greece", (214, 228, 246)), ("Rome", (244, 214, 206)),
             ("Maps", (222, 240, 214)), ("Ships", (206, 232, 240)), ("Coins", (240, 232, 200))]  # fmt: skip
    for i, (name, color) in enumerate(rooms):
        x, y = 28 + 152 * (i % 3), 24 + 186 * (i // 3)
        canvas.box(x, y, x + 152, y + 186, color)
        canvas.text(x + 76, y + 93, name, 24)
    canvas.box(28, 24, 484, 396, None, INK, 8)
    for points in ([(28, 210), (484, 210)], [(180, 24), (180, 396)], [(332, 24), (332, 396)]):
        canvas.path([(float(x), float(y)) for x, y in points], INK, 8)
    # Two between Egypt and Greece and between Ships and Coins, one between other neighbours.
    for x, y, upright in (
        (180, 72, True), (180, 160, True), (332, 117, True), (180, 303, True), (332, 258, True),
        (332, 350, True), (104, 210, False), (256, 210, False), (408, 210, False),
    ):  # fmt: skip
        wide, high = (6, 22) if upright else (22, 6)
        canvas.box(x - wide, y - high, x + wide, y + high, (206, 150, 96), DARK_BROWN, 1.5)
    canvas.disc(74, 60, 15, YELLOW, BROWN, 2)
    canvas.poly([(430, 62), (452, 62), (452, 92), (430, 92)], WHITE, BROWN, 2)
    canvas.poly([(226, 352), (290, 352), (276, 374), (240, 374)], BROWN, DARK_BROWN, 2)
    canvas.poly([(256, 350), (256, 322), (282, 346)], WHITE, INK, 1.5)
    for dx in (0, 14, 28):
        canvas.disc(424 + dx, 366, 9, YELLOW, BROWN, 2)
    canvas.box(42, 146, 96, 190, WHITE, DARK_BROWN, 3, radius=4)
    canvas.disc(57, 168, 7, None, ORANGE, 4)
    canvas.path([(64, 168), (86, 168)], ORANGE, 4)
    for x in (77, 84):
        canvas.path([(x, 168), (x, 177)], ORANGE, 4)
    canvas.box(28, 412, 484, 494, (255, 246, 190), BROWN, 2)
    lines(canvas, 46, 438, ["Night round: go through every door exactly", "once and end at the key box."],
          20, 30)  # fmt: skip
    return canvas.finish()


HOTEL = [
    ["201", "202", "203", "204", "Lift", "205"],
    ["Lift", "206", "Lift", "207", "208", "209"],
]


def hotel() -> Image.Image:
    canvas = Canvas(512, 440, (232, 236, 226))
    canvas.text(24, 30, "Hotel Dune, second floor", 21, anchor="lm")
    canvas.box(22, 84, 490, 356, WALL)
    for row, names in enumerate(HOTEL):
        y = 84 if row == 0 else 256
        for column, name in enumerate(names):
            x = 22 + 78 * column
            lift = name == "Lift"
            canvas.box(x, y, x + 78, y + 100, GREY if lift else WHITE, INK, 4)
            canvas.text(x + 39, y + 50, name, 21, WHITE if lift else INK)
            if lift:
                door = 184 if row == 0 else 256
                canvas.box(x + 20, door - 4, x + 58, door + 4, YELLOW)
                continue
            inner, outer = (184, 84) if row == 0 else (256, 356)
            canvas.box(x + 28, inner - 4, x + 50, inner + 4, (206, 150, 96))
            canvas.box(x + 16, outer - 5, x + 62, outer + 5, WATER, INK, 1.5)
    canvas.text(256, 220, "corridor", 19, GREY)
    compass(canvas, 116, 400, 28, 180)
    for x, color, text in ((200, WATER, "window"), (346, (206, 150, 96), "door")):
        canvas.box(x, 395, x + 34, 405, color, INK, 1.5)
        canvas.text(x + 44, 400, text, 18, anchor="lm")
    return canvas.finish()


def postcard() -> Image.Image:
    canvas = Canvas(500, 384, (120, 150, 170))
    canvas.box(14, 14, 486, 370, (252, 250, 240), INK, 2, radius=4)
    canvas.path([(330, 34), (330, 350)], PALE, 3)
    canvas.box(392, 32, 468, 120, SAND, INK, 2)
    canvas.box(398, 38, 462, 114, SKY)
    sun(canvas, 430, 70, 11)
    canvas.box(398, 96, 462, 114, WATER)
    canvas.arc(390, 112, 26, 0, 360, GREY, 2)
    for y in (200, 240, 280):
        canvas.path([(346, y), (468, y)], GREY, 2)
    for y, text in ((188, "Tom Hill"), (228, "Oak Lane 5"), (268, "Barton")):
        canvas.text(350, y, text, 18, anchor="lm")
    texts = ["Dear Tom,", "", "each day the rising sun", "shines into my window and",
             "wakes me. When I open my", "door I stand right opposite", "a lift. On both sides of me",
             "other guests are snoring!", "", "Love, Ida"]  # fmt: skip
    lines(canvas, 32, 52, texts, 21, 31)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-shadow-island": island,
    "ded-mod-mirror-laser": laser,
    "ded-mod-mirror-barber": barber,
    "ded-high-floorplan-museum": museum,
    "ded-high-floorplan-hotel-1": hotel,
    "ded-high-floorplan-hotel-2": postcard,
}
