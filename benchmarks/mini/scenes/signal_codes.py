"""Signals with a code of their own: arms with flags, ships' flags, a weather board."""

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
    RED,
    SKY,
    WALL,
    WATER,
    WHITE,
    Canvas,
    Color,
    polar,
)
from PIL import Image
from props import sun

from .pictograms import SAND, rain_cloud, star

SKIN: Color = (240, 200, 164)

# Where the arm on the left and the arm on the right of the picture point, seen from the front;
# degrees grow clockwise from the right.
ARMS: dict[str, tuple[float, float]] = {
    "A": (225, 315),
    "B": (225, 90),
    "G": (90, 315),
    "L": (180, 270),
    "O": (180, 0),
    "T": (270, 0),
}


def mirrored(arms: tuple[float, float]) -> tuple[float, float]:
    """The same pose seen from the other side."""
    left, right = arms
    return (180 - right) % 360, (180 - left) % 360


def _keeper(c: Canvas, x: float, y: float, s: float, arms: tuple[float, float], back: bool) -> None:
    coat = (36, 62, 120)
    for side in (-1, 1):
        c.box(x + side * 0.2 * s - 0.14 * s, y + 0.5 * s, x + side * 0.2 * s + 0.14 * s,
              y + 1.4 * s, INK)  # fmt: skip
    c.box(x - 0.42 * s, y - 0.45 * s, x + 0.42 * s, y + 0.75 * s, coat, INK, 2, radius=0.2 * s)
    for side, angle in zip((-1, 1), arms, strict=True):
        shoulder = (x + side * 0.34 * s, y - 0.26 * s)
        hand = polar(*shoulder, 0.85 * s, angle)
        c.path([shoulder, hand], coat, 0.2 * s)
        c.disc(*hand, 0.13 * s, SKIN)
        near, far = polar(*hand, 0.1 * s, angle), polar(*hand, 0.72 * s, angle)
        c.path([hand, far], DARK_BROWN, 3)
        aside = polar(0, 0, 0.42 * s, angle + 90 if side < 0 else angle - 90)
        start = polar(*hand, 0.28 * s, angle)
        c.poly([start, far, (far[0] + aside[0], far[1] + aside[1]),
                (start[0] + aside[0], start[1] + aside[1])], ORANGE, INK, 1.5)  # fmt: skip
        c.path([near, far], DARK_BROWN, 3)
    if back:
        c.box(x - 0.14 * s, y - 0.6 * s, x + 0.14 * s, y - 0.38 * s, SKIN)
    c.disc(x, y - 0.82 * s, 0.36 * s, DARK_BROWN if back else SKIN, INK, 2)
    if back:
        c.box(x - 0.34 * s, y - 0.2 * s, x + 0.34 * s, y + 0.56 * s, GREEN, INK, 2, radius=0.1 * s)
        c.box(x - 0.24 * s, y + 0.12 * s, x + 0.24 * s, y + 0.46 * s, GREEN, INK, 2)
        c.box(x - 0.4 * s, y - 0.36 * s, x + 0.4 * s, y - 0.12 * s, RED, INK, 2, radius=0.1 * s)
        for side in (-0.22, 0.22):
            c.path([(x + side * s, y - 0.36 * s), (x + side * s, y - 0.12 * s)], INK, 2)
    else:
        for side in (-1, 1):
            c.disc(x + side * 0.13 * s, y - 0.84 * s, 0.05 * s, INK)
        c.arc(x, y - 0.76 * s, 0.17 * s, 25, 155, INK, 2)
        for k in (-0.2, 0.1, 0.4):
            c.disc(x, y + k * s, 0.06 * s, WHITE)
    c.box(x - 0.36 * s, y - 1.2 * s, x + 0.36 * s, y - 0.92 * s, WHITE, INK, 2, radius=0.08 * s)
    if not back:
        c.box(x - 0.3 * s, y - 0.98 * s, x + 0.3 * s, y - 0.88 * s, INK, radius=2)


def semaphore_key() -> Image.Image:
    c = Canvas(512, 448, SKY)
    for row in range(2):
        c.box(0, 176 + row * 224, 512, 224 + row * 224, SAND)
    for i, (letter, arms) in enumerate(ARMS.items()):
        x, y = 90 + 166 * (i % 3), 112 + 224 * (i // 3)
        _keeper(c, x, y, 42, arms, back=False)
        c.box(x - 18, y + 70, x + 18, y + 106, WHITE, INK, 2, radius=5)
        c.text(x, y + 88, letter, 26)
    return c.finish()


def semaphore_message() -> Image.Image:
    """One signaller at four moments, seen from behind, with the ship out at sea."""
    c = Canvas(512, 512, WHITE)
    for i, letter in enumerate("GOAL"):
        x, y = 128 + 256 * (i % 2), 256 * (i // 2)
        c.box(x - 124, y + 4, x + 124, y + 252, SKY)
        c.box(x - 124, y + 82, x + 124, y + 188, WATER)
        c.box(x - 124, y + 174, x + 124, y + 252, SAND)
        sx = x + 34 + 14 * i
        c.box(sx - 24, y + 58, sx + 24, y + 72, RED, INK, 2)
        c.box(sx + 2, y + 40, sx + 12, y + 58, DARK_BROWN, INK, 2)
        c.poly(
            [(sx - 42, y + 72), (sx + 42, y + 72), (sx + 30, y + 92), (sx - 30, y + 92)],
            (70, 76, 96),
            INK,
            2,
        )
        for dx, dy, r in ((14, 32, 5), (22, 25, 7), (34, 20, 8)):
            c.disc(sx + dx, y + dy, r, WHITE)
        _keeper(c, x, y + 178, 43, mirrored(ARMS[letter]), back=True)
        c.disc(x - 100, y + 28, 17, WHITE, INK, 2.5)
        c.text(x - 100, y + 29, str(i + 1), 22)
    return c.finish()


def ship_flags() -> Image.Image:
    c = Canvas(512, 512, SKY)
    ships = [
        (RED, "stripes", "barrels", "LUNA"),
        (RED, "cross", "crates", "LUNA"),
        (GREEN, "stripes", "barrels", "MIRA"),
        (GREEN, "cross", "cover", ""),
    ]
    for i, (color, pattern, cargo, port) in enumerate(ships):
        x, y = 128 + 256 * (i % 2), 172 + 256 * (i // 2)
        c.box(x - 128, y - 172, x + 128, y + 84, SKY, WHITE, 4)
        c.box(x - 126, y + 34, x + 126, y + 82, WATER)
        c.path([(x - 56, y), (x - 56, y - 152)], DARK_BROWN, 6)
        _flag(c, x - 53, y - 150, color, pattern)
        _cargo(c, x + 30, y - 2, cargo)
        c.poly([(x - 112, y - 4), (x + 114, y - 4), (x + 84, y + 54), (x - 84, y + 54)],
               (118, 84, 62), INK, 2.5)  # fmt: skip
        if port:
            c.box(x - 70, y + 10, x + 70, y + 42, WHITE, INK, 2, radius=4)
            c.text(x, y + 26, f"from {port}", 20)
        for k in range(-3, 4):
            c.arc(x + 34 * k, y + 60, 17, 0, 180, WHITE, 2.5)
    return c.finish()


def _flag(c: Canvas, x: float, y: float, color: Color, pattern: str) -> None:
    c.box(x, y, x + 96, y + 60, WHITE, INK, 2)
    if pattern == "stripes":
        for k in range(3):
            c.box(x + 1.5, y + 2 + k * 22.5, x + 94.5, y + 13 + k * 22.5, color)
    else:
        c.box(x + 38, y + 1.5, x + 58, y + 58.5, color)
        c.box(x + 1.5, y + 21, x + 94.5, y + 39, color)


def _cargo(c: Canvas, x: float, y: float, kind: str) -> None:
    if kind == "cover":
        c.poly([(x - 66, y), (x - 56, y - 58), (x - 10, y - 74), (x + 44, y - 58), (x + 58, y)],
               GREY, INK, 2.5)  # fmt: skip
        c.path([(x - 60, y - 20), (x - 6, y - 30), (x + 54, y - 20)], WHITE, 3)
        c.text(x - 4, y - 48, "?", 30, WHITE)
        return
    for dx, dy in ((-40, 0), (0, 0), (40, 0), (-20, -36), (20, -36)):
        x0, y0 = x + dx - 17, y + dy - 35
        if kind == "barrels":
            c.box(x0, y0, x0 + 34, y0 + 34, BROWN, INK, 2, radius=12)
            for k in (9, 24):
                c.path([(x0 + 2, y0 + k), (x0 + 32, y0 + k)], INK, 2.5)
        else:
            c.box(x0, y0, x0 + 34, y0 + 34, (222, 184, 130), DARK_BROWN, 2.5)
            c.path([(x0 + 3, y0 + 3), (x0 + 31, y0 + 31)], DARK_BROWN, 2.5)
            c.path([(x0 + 31, y0 + 3), (x0 + 3, y0 + 31)], DARK_BROWN, 2.5)


def weather_board() -> Image.Image:
    c = Canvas(512, 512, WALL)
    days = [
        ("MON", "rain", False),
        ("TUE", "", True),
        ("WED", "snow", False),
        ("THU", "?", False),
    ]
    for i, (day, falling, windy) in enumerate(days):
        x, y = 128 + 256 * (i % 2), 20 + 250 * (i // 2)
        c.box(x - 116, y, x + 116, y + 232, WHITE, BROWN, 5, radius=10)
        c.text(x - 76, y + 204, day, 22)
        c.box(x - 102, y + 14, x + 102, y + 136, PALE if i == 3 else SKY, INK, 2)
        if falling == "?":
            c.text(x, y + 76, "?", 80, WHITE)
            _weather_sign(c, x + 16, y + 176, False, "rain", True)
            continue
        c.box(x - 101, y + 112, x + 101, y + 135, WHITE if falling == "snow" else GRASS)
        _windsock(c, x + 40, y + 116, windy)
        if falling:
            rain_cloud(c, x - 44, y + 58, 44, rain=falling == "rain")
            if falling == "snow":
                for dx, dy in ((-26, 84), (-6, 98), (12, 82), (-44, 100), (28, 98)):
                    _flake(c, x - 44 + dx, y + dy, 7)
        else:
            sun(c, x - 50, y + 60, 20)
        _weather_sign(c, x + 16, y + 176, bool(falling), falling, windy)
    return c.finish()


def _flake(c: Canvas, x: float, y: float, s: float) -> None:
    for a in (0, 60, 120):
        c.path([polar(x, y, s, a), polar(x, y, s, a + 180)], WHITE, 2.5)


def _windsock(c: Canvas, x: float, y: float, windy: bool) -> None:
    c.path([(x, y), (x, y - 84)], INK, 4)
    for k in range(4):
        near, far, color = k * 13, (k + 1) * 13, (ORANGE, WHITE)[k % 2]
        a, b = 11 - k * 1.6, 11 - (k + 1) * 1.6
        if windy:
            top = y - 74
            c.poly([(x + near, top - a), (x + far, top - b), (x + far, top + b),
                    (x + near, top + a)], color, INK, 1.5)  # fmt: skip
        else:
            mid, top = x + 9, y - 80
            c.poly([(mid - a, top + near), (mid + a, top + near), (mid + b, top + far),
                    (mid - b, top + far)], color, INK, 1.5)  # fmt: skip


def _weather_sign(c: Canvas, x: float, y: float, cloud: bool, falling: str, wind: bool) -> None:
    c.disc(x, y, 19, BLUE if cloud else WHITE, BLUE, 5)
    if wind:
        c.path([(x + 18, y), (x + 76, y)], BLUE, 5)
        for k in (48, 66):
            c.path([(x + k, y), (x + k + 10, y - 18)], BLUE, 5)
    if falling == "rain":
        for dx in (-11, 11):
            c.disc(x + dx, y + 36, 6, BLUE)
    elif falling == "snow":
        star(c, x, y + 38, 12, BLUE)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ana-high-semaphore-1": semaphore_key,
    "ana-high-semaphore-2": semaphore_message,
    "ana-mod-flags-ships": ship_flags,
    "ana-mod-weather-board": weather_board,
}
