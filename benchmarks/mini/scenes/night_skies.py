"""Charts of the stars over a made-up land."""

from __future__ import annotations

import random
from collections.abc import Callable

from canvas import INK, SKY, WHITE, YELLOW, Canvas, Color, Point, polar
from PIL import Image

from .pictograms import NIGHT

POLE: Point = (256, 236)
# The sky turns anticlockwise for those who look north.
TURN = -75.0

# Distance from the pole and angle of each star; the lines join them in order.
FIGURES: dict[str, list[tuple[float, float]]] = {
    "Kite": [(118, 196), (162, 176), (216, 196), (172, 214), (118, 196)],
    "Ladle": [(76, 300), (116, 288), (150, 300), (186, 292), (240, 306), (172, 318)],
    "Crown": [(96, 70), (150, 52), (126, 74), (188, 74), (136, 92), (160, 106), (98, 90)],
}
NAMED = {"Mira": ("Kite", 2), "Tarn": ("Ladle", 0), "Oru": ("Crown", 3)}
NUMBERED: list[tuple[str, int, int]] = [
    ("Kite", 2, 5), ("Kite", 1, 2), ("Kite", 0, 7), ("Ladle", 0, 3), ("Ladle", 5, 8),
    ("Ladle", 4, 1), ("Crown", 3, 4), ("Crown", 1, 6),
]  # fmt: skip
DUST: Color = (130, 140, 190)


def _sky(turn: float) -> Canvas:
    c = Canvas(512, 512, NIGHT)
    rng = random.Random(14)
    for _ in range(60):
        reach, angle = rng.uniform(60, 330), rng.uniform(0, 360)
        c.disc(*polar(*POLE, reach, angle + turn), 1.1, DUST)
    hills: list[Point] = [(0, 470), (90, 448), (190, 476), (300, 456), (420, 474), (512, 452)]
    c.poly([*hills, (512, 512), (0, 512)], (22, 26, 46))
    c.disc(*POLE, 6, YELLOW)
    c.text(POLE[0], POLE[1] - 20, "Pole Star", 16, YELLOW)
    return c


def chart_named() -> Image.Image:
    c = _sky(0)
    for stars in FIGURES.values():
        c.path([polar(*POLE, *star) for star in stars], (110, 140, 220), 2)
    for stars in FIGURES.values():
        for star in stars:
            c.disc(*polar(*POLE, *star), 5, WHITE)
    for name, (x, y) in {"Kite": (168, 152), "Ladle": (432, 94), "Crown": (236, 430)}.items():
        c.text(x, y, name, 19, SKY)
    for name, (figure, index) in NAMED.items():
        x, y = polar(*POLE, *FIGURES[figure][index])
        c.disc(x, y, 7, YELLOW)
        dx, dy = {"Mira": (-14, -20), "Tarn": (32, 2), "Oru": (0, 21)}[name]
        c.text(x + dx, y + dy, name, 18, WHITE)
    return c.finish()


def chart_turned() -> Image.Image:
    c = _sky(TURN)
    for stars in FIGURES.values():
        for reach, angle in stars:
            c.disc(*polar(*POLE, reach, angle + TURN), 5, WHITE)
    for figure, index, number in NUMBERED:
        reach, angle = FIGURES[figure][index]
        x, y = polar(*POLE, reach, angle + TURN)
        c.disc(x, y, 11, YELLOW)
        c.text(x, y, str(number), 17, INK)
    return c.finish()


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-mod-constellation-1": chart_named,
    "ana-mod-constellation-2": chart_turned,
}
