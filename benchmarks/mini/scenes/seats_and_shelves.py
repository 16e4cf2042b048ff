"""Things and people in rows: seats, lockers, library books."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    WALL,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    polar,
)
from PIL import Image

from scenes.boards_and_dice import symbol
from scenes.town_maps import lines

WOOD: Color = (206, 158, 108)
NOTE: Color = (255, 246, 190)


def note(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    texts: Sequence[str],
    size: float = 18,
    color: Color = NOTE,
    pin: Color = RED,
) -> None:
    """A sheet of paper with a pin or magnet at the top."""
    x0, y0, x1, y1 = box
    canvas.box(x0 + 4, y0 + 5, x1 + 4, y1 + 5, (150, 140, 124))
    canvas.box(x0, y0, x1, y1, color)
    lines(canvas, x0 + 14, y0 + 18 + size * 0.7, texts, size)
    canvas.disc((x0 + x1) / 2, y0 + 7, 7, pin, INK, 1.5)


def round_table() -> Image.Image:
    canvas = Canvas(512, 512, (226, 214, 196))
    for i in range(0, 512, 64):
        canvas.path([(i, 0), (i, 512)], (216, 202, 182), 2)
    x, y = 256, 256
    cushions = (RED, BLUE, GREEN, ORANGE, YELLOW, PURPLE)
    for i, color in enumerate(cushions):
        sx, sy = polar(x, y, 192, i * 60 - 90)
        canvas.disc(sx, sy, 46, BROWN, DARK_BROWN, 3)
        canvas.disc(sx, sy, 33, color, INK, 2)
    canvas.disc(x, y, 140, WOOD, DARK_BROWN, 4)
    canvas.disc(x, y, 126, None, (190, 140, 92), 3)
    for i in range(6):
        px, py = polar(x, y, 96, i * 60 - 90)
        canvas.disc(px, py, 27, WHITE, GREY, 2)
        canvas.disc(px, py, 17, None, PALE, 2)
    canvas.box(x - 36, y - 78 + 16, x + 36, y - 34, WHITE, INK, 2, radius=3)
    canvas.text(x, y - 48, "Ottilie", 20)
    canvas.disc(x, y + 10, 26, (246, 220, 226), RED, 3)
    for i in range(5):
        canvas.disc(*polar(x, y + 10, 14, i * 72), 4, RED)
    canvas.disc(x, y + 10, 4, YELLOW)
    return canvas.finish()


def seating_note() -> Image.Image:
    canvas = Canvas(460, 384, (170, 196, 188))
    texts = ["All six face the table.", "", "Kofi sits on Ottilie's left.", "Rufus and Yara sit opposite",
             "each other.", "Yara sits next to Kofi.", "Signe does not sit next to Rufus.",
             "Tadeo takes the last seat."]  # fmt: skip
    note(canvas, (46, 26, 414, 354), texts, 22)
    return canvas.finish()


TAKEN = {
    "A": (3, 4, 7, 8),
    "B": (4, 5, 6, 7),
    "C": (1, 9, 10),
    "D": (2, 6),
    "E": (1, 9),
    "F": (7, 8),
}


def cinema() -> Image.Image:
    canvas = Canvas(512, 480, (44, 46, 60))
    canvas.poly([(96, 22), (416, 22), (440, 52), (72, 52)], WHITE)
    canvas.text(256, 37, "SCREEN", 19)
    for row, (name, taken) in enumerate(TAKEN.items()):
        y = 96 + 50 * row
        canvas.text(22, y, name, 21, WHITE)
        for number in range(1, 11):
            x = 60 + 34 * (number - 1) + (34 if number > 5 else 0)
            color = GREY if number in taken else GREEN
            canvas.box(x - 14, y - 15, x + 14, y + 15, color, radius=6)
            canvas.text(x, y, str(number), 16, INK if number in taken else WHITE)
    for top, bottom, price in ((74, 218, "8.00"), (224, 318, "10.00"), (324, 368, "12.00")):
        canvas.path([(416, top), (424, top), (424, bottom), (416, bottom)], YELLOW, 2.5)
        canvas.text(434, (top + bottom) / 2, price, 19, YELLOW, "lm")
    canvas.text(230, 390, "aisle", 17, WHITE)
    canvas.box(90, 426, 118, 456, GREEN, radius=6)
    canvas.text(128, 441, "free", 19, WHITE, "lm")
    canvas.box(190, 426, 218, 456, GREY, radius=6)
    canvas.text(228, 441, "taken", 19, WHITE, "lm")
    canvas.text(472, 441, "price of a seat", 16, YELLOW, "rm")
    return canvas.finish()


def cinema_chat() -> Image.Image:
    canvas = Canvas(400, 512, (60, 66, 80))
    canvas.box(14, 8, 386, 504, INK, INK, radius=26)
    canvas.box(26, 40, 374, 474, (226, 236, 228), radius=6)
    canvas.disc(200, 24, 5, GREY)
    for top, bottom, left, color, texts in (
        (
            56,
            136,
            40,
            WHITE,
            ["Please get four seats side", "by side, without the aisle", "between them."],
        ),
        (152, 206, 40, WHITE, ["Granny must have a seat at", "the aisle in the middle."]),
        (222, 276, 40, WHITE, ["I get a stiff neck in the", "first three rows."]),
        (292, 346, 40, WHITE, ["And we have only", "40.00 for all of us!"]),
        (378, 424, 206, (190, 228, 180), ["OK, will do!"]),
    ):
        canvas.box(left, top, left + (280 if left < 100 else 150), bottom, color, radius=12)
        lines(canvas, left + 16, top + (bottom - top - 25 * (len(texts) - 1)) / 2, texts, 18, 25)
    return canvas.finish()


def lockers() -> Image.Image:
    canvas = Canvas(512, 512, WALL)
    numbers = {(0, 0): 11, (0, 2): 13, (1, 2): 16, (1, 0): 18, (2, 1): 20, (2, 3): 22, (4, 3): 30}
    stickers = {
        (1, 1): "drop",
        (2, 0): "moon",
        (3, 0): "heart",
        (3, 1): "sun",
        (3, 2): "leaf",
        (3, 3): "star",
        (4, 1): "drop",
    }
    for column in range(5):
        for row in range(4):
            x, y = 26 + 92 * column, 14 + 98 * row
            canvas.box(x, y, x + 92, y + 98, (96, 150, 176), INK, 2.5)
            canvas.box(x + 7, y + 7, x + 85, y + 91, None, (120, 174, 200), 2)
            canvas.disc(x + 78, y + 84, 4, INK)
            if number := numbers.get((column, row)):
                canvas.box(x + 24, y + 16, x + 68, y + 44, WHITE, INK, 1.5, radius=4)
                canvas.text(x + 46, y + 30, str(number), 21)
                for i in range(3):
                    canvas.path([(x + 30, y + 58 + 9 * i), (x + 62, y + 58 + 9 * i)], INK, 2.5)
            elif sticker := stickers.get((column, row)):
                shade = (64, 72, 120) if sticker == "moon" else (244, 240, 228)
                canvas.disc(x + 46, y + 48, 42 if sticker != "leaf" else 43, shade)
                symbol(canvas, x + 46, y + (44 if sticker == "leaf" else 48), sticker)
    canvas.box(0, 430, 512, 512, (190, 176, 158))
    key(canvas, 120, 472, 24)
    canvas.text(290, 472, "The numbers run without gaps.", 18)
    return canvas.finish()


def key(canvas: Canvas, x: float, y: float, number: int) -> None:
    canvas.path([(x - 36, y), (x + 36, y)], GREY, 8)
    for dx in (22, 32):
        canvas.path([(x + dx, y), (x + dx, y + 14)], GREY, 7)
    canvas.disc(x - 48, y, 19, None, GREY, 8)
    canvas.path([(x - 62, y - 8), (x - 76, y - 18)], INK, 2.5)
    canvas.box(x - 116, y - 36, x - 70, y - 4, YELLOW, INK, 2, radius=6)
    canvas.text(x - 93, y - 20, str(number), 22)


BOOKS: list[tuple[str, str, Color, int]] = [
    (".05", "H", RED, 190),
    (".1", "K", GREEN, 206),
    (".12", "R", ORANGE, 180),
    (".2", "B", BLUE, 210),
    (".2", "M", PURPLE, 186),
    (".3", "A", BROWN, 200),
    (".125", "T", (20, 130, 140), 194),
    (".35", "C", (190, 70, 110), 178),
]


def library() -> Image.Image:
    canvas = Canvas(512, 440, WALL)
    canvas.box(14, 10, 498, 424, BROWN, DARK_BROWN, 4)
    canvas.box(28, 24, 484, 282, (92, 66, 46))
    for i, (number, letter, color, high) in enumerate(BOOKS):
        x, floor = 33 + 56 * i, 280
        canvas.box(x, floor - high, x + 54, floor, color, INK, 2, radius=3)
        for dy in (14, 22):
            canvas.path([(x + 4, floor - high + dy), (x + 50, floor - high + dy)], WHITE, 2)
        canvas.box(x + 4, floor - 96, x + 50, floor - 18, WHITE, INK, 1.5)
        for line, text in enumerate(("598", number, letter)):
            canvas.text(x + 27, floor - 81 + 24 * line, text, 18)
    canvas.box(28, 294, 484, 412, WHITE, INK, 2)
    texts = ["598: Birds", "The numbers are decimal numbers, smallest first.",
             "With the same number, the letter decides."]  # fmt: skip
    lines(canvas, 46, 320, texts, 19, 32)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-high-seating-table-1": round_table,
    "ded-high-seating-table-2": seating_note,
    "ded-mod-seating-cinema-1": cinema,
    "ded-mod-seating-cinema-2": cinema_chat,
    "ded-mod-lockers-key": lockers,
    "ded-mod-library-birds": library,
}
