"""Things that more than one scene shows."""

from __future__ import annotations

from canvas import INK, RED, SKY, WATER, WHITE, YELLOW, Canvas, Color, Point, polar


def clock_face(
    canvas: Canvas,
    x: float,
    y: float,
    radius: float,
    hour: int,
    minute: int,
    long_hand: Color = RED,
) -> None:
    canvas.disc(x, y, radius, WHITE, INK, radius * 0.06)
    for tick in range(60):
        inner = 0.82 if tick % 5 == 0 else 0.87
        canvas.path(
            [polar(x, y, radius * inner, tick * 6), polar(x, y, radius * 0.9, tick * 6)],
            INK,
            3 if tick % 5 == 0 else 1.2,
        )
    for number in range(1, 13):
        at = polar(x, y, radius * 0.68, number * 30 - 90)
        canvas.text(*at, str(number), radius * 0.19)
    canvas.path([(x, y), polar(x, y, radius * 0.45, (hour + minute / 60) * 30 - 90)], INK, 7)
    canvas.path([(x, y), polar(x, y, radius * 0.78, minute * 6 - 90)], long_hand, 4)
    canvas.disc(x, y, radius * 0.06, INK)


def sun(canvas: Canvas, x: float, y: float, radius: float) -> None:
    for degrees in range(0, 360, 45):
        canvas.path(
            [polar(x, y, radius * 1.25, degrees), polar(x, y, radius * 1.65, degrees)],
            YELLOW,
            radius * 0.2,
        )
    canvas.disc(x, y, radius, YELLOW)


def drop(canvas: Canvas, x: float, y: float, size: float, color: Color = WATER) -> None:
    canvas.disc(x, y, size, color)
    canvas.poly(
        [(x - size * 0.92, y - size * 0.4), (x, y - 2.4 * size), (x + size * 0.92, y - size * 0.4)],
        color,
    )


def broken_window(
    canvas: Canvas, x0: float, y0: float, x1: float, y1: float, hole: Color, side: int
) -> None:
    """A window of two panes with a jagged hole in one: -1 for the left pane, 1 for the right."""
    frame: Color = (246, 246, 240)
    canvas.box(x0, y0, x1, y1, frame, INK, 3)
    middle = (x0 + x1) / 2
    canvas.box(x0 + 12, y0 + 12, middle - 6, y1 - 12, SKY, INK, 2)
    canvas.box(middle + 6, y0 + 12, x1 - 12, y1 - 12, SKY, INK, 2)
    x, y = middle + side * (x1 - middle - 6) / 2, (y0 + y1) / 2
    reach = (x1 - middle) / 2 - 14
    jags: list[Point] = [
        polar(x, y, reach * (1 if i % 2 else 0.55), i * 360 / 18 + 5) for i in range(18)
    ]
    # The hole is the same from both sides, so one view of it mirrors the other.
    canvas.poly([(x + side * (px - x), y + (py - y) * 1.5) for px, py in jags], hole, INK, 1.5)


def shard(canvas: Canvas, x: float, y: float, size: float, degrees: float) -> None:
    """A splinter of window glass."""
    corners = [polar(x, y, size * r, degrees + a) for r, a in ((1, 0), (0.5, 110), (0.7, 230))]
    canvas.poly(corners, SKY, INK, 1.5)
