"""A small drawing surface: coordinates in final pixels, smooth edges, equal bytes every time."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache

from PIL import Image, ImageDraw, ImageFont

Color = tuple[int, int, int]
Point = tuple[float, float]

# Shapes are drawn this much larger and then reduced, since ImageDraw does not smooth edges.
OVERSAMPLE = 4

INK: Color = (45, 45, 52)
GREY: Color = (150, 150, 156)
PALE: Color = (222, 222, 220)
WHITE: Color = (255, 255, 255)
PAPER: Color = (248, 248, 246)
RED: Color = (220, 40, 40)
GREEN: Color = (40, 160, 60)
BLUE: Color = (40, 80, 220)
YELLOW: Color = (235, 200, 30)
PURPLE: Color = (150, 60, 190)
ORANGE: Color = (245, 130, 30)
BROWN: Color = (140, 95, 60)
DARK_BROWN: Color = (96, 62, 38)
WATER: Color = (120, 175, 225)
SKY: Color = (186, 220, 245)
GRASS: Color = (140, 190, 110)
WALL: Color = (238, 228, 208)


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Pillow's own font, with the layout engine that every build of Pillow has."""
    default = ImageFont.load_default(size=size)
    if not isinstance(default, ImageFont.FreeTypeFont):
        raise RuntimeError("this Pillow was built without FreeType; install Pillow's own wheel")
    return default.font_variant(layout_engine=ImageFont.Layout.BASIC)


class Canvas:
    """Draws in the coordinates of the finished picture."""

    def __init__(self, width: int = 512, height: int = 512, background: Color = PAPER) -> None:
        self.size = (width, height)
        self._image = Image.new("RGB", (width * OVERSAMPLE, height * OVERSAMPLE), background)
        self._draw = ImageDraw.Draw(self._image)

    def box(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Color | None = None,
        outline: Color | None = None,
        width: float = 2,
        radius: float = 0,
    ) -> None:
        self._draw.rounded_rectangle(
            [value * OVERSAMPLE for value in (x0, y0, x1, y1)],
            radius=radius * OVERSAMPLE,
            fill=fill,
            outline=outline,
            width=_pen(width) if outline else 0,
        )

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: Color | None = None,
        outline: Color | None = None,
        width: float = 2,
        flat: float = 1,
    ) -> None:
        """A circle, or with `flat` below 1 an ellipse that lies down."""
        high = radius * flat
        self._draw.ellipse(
            [value * OVERSAMPLE for value in (x - radius, y - high, x + radius, y + high)],
            fill=fill,
            outline=outline,
            width=_pen(width) if outline else 0,
        )

    def poly(
        self,
        points: Sequence[Point],
        fill: Color | None = None,
        outline: Color | None = None,
        width: float = 2,
    ) -> None:
        if fill:
            self._draw.polygon(_enlarge(points), fill=fill)
        if outline:
            self.path([*points, points[0], points[1]], outline, width)

    def path(self, points: Sequence[Point], color: Color = INK, width: float = 3) -> None:
        self._draw.line(_enlarge(points), fill=color, width=_pen(width), joint="curve")

    def arc(
        self,
        x: float,
        y: float,
        radius: float,
        start: float,
        end: float,
        color: Color = INK,
        width: float = 3,
    ) -> None:
        """Part of a circle, clockwise from `start` to `end` in degrees; 0 is to the right."""
        box = (x - radius, y - radius, x + radius, y + radius)
        self._draw.arc([v * OVERSAMPLE for v in box], start, end, fill=color, width=_pen(width))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 20,
        color: Color = INK,
        anchor: str = "mm",
    ) -> None:
        self._draw.text(
            (x * OVERSAMPLE, y * OVERSAMPLE),
            text,
            fill=color,
            font=font(size * OVERSAMPLE),
            anchor=anchor,
        )

    def finish(self) -> Image.Image:
        """The picture at its own size, with few enough colours to be a small file."""
        small = self._image.resize(self.size, Image.Resampling.BOX)
        return small.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def polar(x: float, y: float, radius: float, degrees: float) -> Point:
    """The point at this distance and angle; angles grow clockwise from the right."""
    angle = math.radians(degrees)
    return x + radius * math.cos(angle), y + radius * math.sin(angle)


def blob(x: float, y: float, radius: float, flat: float, seed: int) -> list[Point]:
    """The outline of an irregular stain or puddle."""
    rng = random.Random(seed)
    count = 48
    waves = [(k, rng.uniform(0.02, 0.07), rng.uniform(0, math.tau)) for k in (2, 3, 5)]
    points = []
    for i in range(count):
        angle = math.tau * i / count
        reach = radius * (1 + sum(a * math.sin(k * angle + phase) for k, a, phase in waves))
        points.append((x + reach * math.cos(angle), y + reach * flat * math.sin(angle)))
    return points


def _enlarge(points: Sequence[Point]) -> list[Point]:
    return [(x * OVERSAMPLE, y * OVERSAMPLE) for x, y in points]


def _pen(width: float) -> int:
    return max(1, round(width * OVERSAMPLE))
