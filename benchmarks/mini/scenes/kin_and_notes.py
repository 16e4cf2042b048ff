"""Families and the notes that they leave."""

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
    Point,
)
from PIL import Image

from scenes.seats_and_shelves import note
from scenes.town_maps import lines

MAN: Color = (190, 216, 244)
WOMAN: Color = (250, 206, 196)


def person(
    canvas: Canvas, x: float, y: float, name: str, woman: bool, years: str = "", half: float = 40
) -> None:
    """A woman has a round frame, a man a square one."""
    high = 27 if years else 20
    canvas.box(x - half, y - high, x + half, y + high, WOMAN if woman else MAN, INK, 2.5,
               radius=14 if woman else 0)  # fmt: skip
    canvas.text(x, y - (11 if years else 0), name, 20 if years else 18)
    if years:
        canvas.text(x, y + 12, years, 15)


def descend(canvas: Canvas, parent: Point, bar: float, children: Sequence[Point]) -> None:
    xs = [x for x, _ in children]
    canvas.path([parent, (parent[0], bar)], INK, 3)
    if min(*xs, parent[0]) < max(*xs, parent[0]):
        canvas.path([(min(*xs, parent[0]) - 1.5, bar), (max(*xs, parent[0]) + 1.5, bar)], INK, 3)
    for x, y in children:
        canvas.path([(x, bar), (x, y)], INK, 3)


def legend(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x, y - 12, x + 44, y + 12, WOMAN, INK, 2, radius=10)
    canvas.text(x + 54, y, "woman", 17, anchor="lm")
    canvas.box(x + 124, y - 12, x + 168, y + 12, MAN, INK, 2)
    canvas.text(x + 178, y, "man", 17, anchor="lm")


def ring_tree() -> Image.Image:
    canvas = Canvas(512, 470, (246, 242, 230))
    for x, y in ((30, 26), (482, 26)):
        for dx, dy in ((0, 0), (14, 12), (-12, 14)):
            canvas.disc(x + dx, y + dy, 8, (150, 190, 120))
    descend(canvas, (256, 46), 96, [(150, 136), (406, 136)])
    descend(canvas, (150, 136), 196, [(56, 240), (150, 240), (244, 240)])
    descend(canvas, (406, 136), 196, [(356, 240), (456, 240)])
    for x in (56, 150, 244, 356, 456):
        canvas.path([(x, 240), (x, 346)], INK, 3)
    people: list[tuple[float, float, str, bool, str]] = [
        (256, 46, "Rosa", True, "born 1920"),
        (150, 136, "Hans", False, "born 1942"),
        (406, 136, "Greta", True, "born 1945"),
        (56, 240, "Ilse", True, "1966-2010"),
        (150, 240, "Peter", False, "born 1968"),
        (244, 240, "Anke", True, "born 1977"),
        (356, 240, "Marta", True, "born 1970"),
        (456, 240, "Vera", True, "born 1974"),
        (56, 346, "Pia", True, "born 1990"),
        (150, 346, "Lena", True, "born 1992"),
        (244, 346, "Ida", True, "born 2005"),
        (356, 346, "Felix", False, "born 1996"),
        (456, 346, "Nora", True, "born 2003"),
    ]
    for x, y, name, woman, years in people:
        person(canvas, x, y, name, woman, years, 42)
    legend(canvas, 24, 430)
    canvas.text(488, 420, "Children stand below", 17, anchor="rm")
    canvas.text(488, 442, "their mother or father.", 17, anchor="rm")
    return canvas.finish()


def will() -> Image.Image:
    canvas = Canvas(440, 420, (116, 84, 64))
    canvas.box(24, 20, 416, 400, (252, 244, 220), BROWN, 3)
    canvas.text(220, 56, "My last will", 28)
    canvas.path([(140, 78), (300, 78)], BROWN, 2)
    texts = ["My ring shall go to my eldest", "granddaughter who is alive in",
             "2015 and has a daughter, so", "that it can be passed on."]  # fmt: skip
    lines(canvas, 54, 116, texts, 22, 33)
    canvas.text(220, 262, "Rosa", 34, BLUE)
    canvas.disc(220, 340, 31, None, YELLOW, 8)
    canvas.disc(220, 340, 35, None, BROWN, 1.5)
    canvas.poly([(206, 304), (234, 304), (240, 292), (230, 282), (210, 282), (200, 292)],
                (170, 220, 246), INK, 2)  # fmt: skip
    canvas.disc(370, 356, 24, RED, (160, 30, 30), 3)
    canvas.text(370, 356, "R", 24, WHITE)
    return canvas.finish()


def speaker_tree() -> Image.Image:
    canvas = Canvas(512, 500, (236, 242, 236))
    canvas.box(22, 14, 490, 92, WHITE, INK, 2.5, radius=18)
    canvas.poly([(236, 90), (256, 112), (270, 90)], WHITE, INK, 2.5)
    canvas.box(230, 84, 280, 90, WHITE)
    lines(canvas, 46, 38, ["My mother's brother is Pia's grandfather,", "and I have a nephew myself."],
          20, 30)  # fmt: skip
    canvas.text(256, 126, "Who am I?", 20, GREY)
    ys = (166, 254, 342, 434)
    canvas.path([(170, ys[0]), (290, ys[0])], INK, 3)
    descend(canvas, (230, ys[0]), 210, [(92, ys[1]), (240, ys[1]), (420, ys[1])])
    descend(canvas, (92, ys[1]), 298, [(48, ys[2]), (136, ys[2])])
    descend(canvas, (240, ys[1]), 298, [(224, ys[2]), (312, ys[2])])
    descend(canvas, (420, ys[1]), 298, [(392, ys[2]), (472, ys[2])])
    for x in (48, 224, 392):
        canvas.path([(x, ys[2]), (x, ys[3])], INK, 3)
    for x, level, name, woman in (
        (170, 0, "Karl", False),
        (290, 0, "Emma", True),
        (92, 1, "Otto", False),
        (240, 1, "Lisa", True),
        (420, 1, "Paul", False),
        (48, 2, "Jonas", False),
        (136, 2, "Clara", True),
        (224, 2, "Nina", True),
        (312, 2, "Max", False),
        (392, 2, "Ben", False),
        (472, 2, "Sara", True),
        (48, 3, "Pia", True),
        (224, 3, "Tom", False),
        (392, 3, "Ole", False),
    ):
        person(canvas, x, ys[level], name, woman, half=33)
    legend(canvas, 286, 478)
    return canvas.finish()


def fridge() -> Image.Image:
    canvas = Canvas(512, 512, (226, 232, 236))
    canvas.box(6, 6, 506, 530, (244, 246, 248), GREY, 4, radius=22)
    canvas.box(22, 300, 34, 440, GREY, radius=6)
    note(canvas, (52, 20, 262, 246), ["Washing up", "Mon  Ida", "Tue  Paul", "Wed  Mum", "Thu  Dad",
                                      "Fri  Ida", "Sat  Paul", "Sun  Mum"], 18, WHITE, BLUE)  # fmt: skip
    note(canvas, (290, 20, 486, 206), ["Cooking", "Mon  Dad", "Tue  Mum", "Wed  Ida", "Thu  Paul",
                                       "Fri  Dad"], 18, WHITE, GREEN)  # fmt: skip
    note(canvas, (56, 270, 278, 374), ["Ida and I swap our", "Friday and Sunday",
                                       "turns.      Mum"], 18, (255, 246, 190))  # fmt: skip
    note(canvas, (296, 240, 490, 344), ["Dad is away from", "Saturday until", "Monday."], 18,
         (206, 232, 250), ORANGE)  # fmt: skip
    note(canvas, (96, 394, 436, 500), ["I have a night shift on Friday! Whoever",
                                       "cooked the day before, please do my",
                                       "turn at the sink.      Mum"], 17, (252, 214, 222), PURPLE)  # fmt: skip
    return canvas.finish()


def tear_off() -> Image.Image:
    canvas = Canvas(512, 360, WALL)
    for left, title, number, lower, color in (
        (34, "JUNE", "9", "Tuesday", GREY),
        (284, "JUNE", "12", "", RED),
    ):
        canvas.box(left + 8, 68, left + 202, 318, (214, 200, 176))
        canvas.box(left, 60, left + 194, 310, WHITE, INK, 2.5, radius=6)
        canvas.box(left, 60, left + 194, 114, color, INK, 2.5, radius=6)
        canvas.text(left + 97, 88, title, 28, WHITE)
        canvas.text(left + 97, 190, number, 92, INK)
        canvas.text(left + 97, 280, lower, 26)
        for dx in (54, 140):
            canvas.disc(left + dx, 62, 7, PALE, INK, 2)
    canvas.text(131, 32, "an old page", 21)
    canvas.text(381, 32, "today", 21)
    # A blot hides the weekday of today's page.
    canvas.disc(382, 280, 34, DARK_BROWN, flat=0.5)
    canvas.disc(414, 286, 22, DARK_BROWN, flat=0.6)
    canvas.disc(352, 284, 20, DARK_BROWN, flat=0.6)
    return canvas.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-familytree-ring-1": ring_tree,
    "ded-mod-familytree-ring-2": will,
    "ded-mod-familytree-speaker": speaker_tree,
    "ded-high-fridge-sink-1": fridge,
    "ded-high-fridge-sink-2": tear_off,
}
