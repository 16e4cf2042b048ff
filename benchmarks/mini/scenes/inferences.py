"""Scenes whose answer follows for certain from what they show."""

from __future__ import annotations

from collections.abc import Callable

from canvas import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    Canvas,
    Color,
    Point,
    blob,
    polar,
)
from PIL import Image
from props import clock_face

BEAM = 190
PAN = 330


def balance_cube() -> Image.Image:
    canvas = _balance()
    _cube(canvas, 126)
    for x in (316, 386, 456):
        _ball(canvas, x)
    return canvas.finish()


def balance_cone() -> Image.Image:
    canvas = _balance()
    for x in (91, 161):
        _ball(canvas, x)
    _cone(canvas, 386)
    return canvas.finish()


def _balance() -> Canvas:
    canvas = Canvas(512, 440)
    canvas.box(248, 140, 264, 400, GREY)
    canvas.box(176, 396, 336, 414, GREY, radius=6)
    canvas.box(120, BEAM - 6, 392, BEAM + 6, INK, radius=6)
    canvas.disc(256, BEAM, 14, INK)
    # The pointer on its mark says that the beam is level, not merely drawn so.
    canvas.poly([(249, BEAM), (256, 100), (263, BEAM)], INK)
    canvas.arc(256, BEAM, 100, 240, 300, INK, 2)
    for degrees in (250, 260, 270, 280, 290):
        inner = 86 if degrees == 270 else 93
        canvas.path(
            [polar(256, BEAM, inner, degrees), polar(256, BEAM, 100, degrees)],
            RED if degrees == 270 else INK,
        )
    for x in (126, 386):
        canvas.path([(x - 100, PAN), (x, BEAM), (x + 100, PAN)], INK, 2)
        canvas.box(x - 112, PAN, x + 112, PAN + 12, BROWN, radius=6)
    return canvas


def _cube(canvas: Canvas, x: float) -> None:
    low, high, back = PAN - 1, PAN - 35, 11
    front = [(x - 22, low), (x + 12, low), (x + 12, high), (x - 22, high)]
    canvas.poly(front, RED, INK)
    canvas.poly([front[3], front[2], (x + 12 + back, high - back), (x - 22 + back, high - back)],
                (240, 110, 100), INK)  # fmt: skip
    canvas.poly([front[1], front[2], (x + 12 + back, high - back), (x + 12 + back, low - back)],
                (170, 24, 24), INK)  # fmt: skip


def _ball(canvas: Canvas, x: float) -> None:
    canvas.disc(x, PAN - 34, 33, BLUE, INK)
    canvas.disc(x - 11, PAN - 46, 9, (110, 140, 250))


def _cone(canvas: Canvas, x: float) -> None:
    canvas.disc(x, PAN - 9, 27, GREEN, INK, flat=0.3)
    canvas.poly([(x - 26, PAN - 11), (x, PAN - 60), (x + 26, PAN - 11)], GREEN)
    canvas.path([(x - 27, PAN - 10), (x, PAN - 60), (x + 27, PAN - 10)], INK, 2)


def clock() -> Image.Image:
    canvas = Canvas()
    clock_face(canvas, 140, 150, 112, 10, 22, INK)
    _timetable(canvas, ["9:55", "10:10", "10:25", "10:40", "10:55"])
    canvas.poly(
        [(70, 420), (110, 372), (110, 398), (442, 398), (442, 442), (110, 442), (110, 468)],
        GREEN,
    )
    canvas.text(276, 420, "Bus stop: 20 minutes on foot", 22, WHITE)
    return canvas.finish()


def _timetable(canvas: Canvas, times: list[str]) -> None:
    canvas.box(286, 36, 480, 330, WHITE, INK, 3, radius=8)
    canvas.box(286, 36, 480, 92, BLUE, INK, 3, radius=8)
    canvas.text(383, 64, "Bus 12, Harbour", 21, WHITE)
    for i, time in enumerate(times):
        y = 122 + 44 * i
        canvas.text(383, y, time, 28)
        if i:
            canvas.path([(306, y - 22), (460, y - 22)], PALE, 2)


def gears() -> Image.Image:
    canvas = Canvas(512, 460)
    # Ten teeth are 50 wide. A gear follows from one that it meshes with, the angle and its teeth.
    red = (116.0, 330.0, 14, 0.0)
    blue = _meshed(red, -10, 11)
    orange = _meshed(blue, -65, 14)
    grey = _meshed(blue, 35, 10)
    green = _meshed(orange, -80, 11)
    purple = _meshed(green, 5, 12)
    yellow = _meshed(grey, -30, 12)
    for gear, color in (
        (red, RED),
        (blue, BLUE),
        (orange, ORANGE),
        (grey, GREY),
        (green, GREEN),
        (purple, PURPLE),
        (yellow, YELLOW),
    ):
        _gear(canvas, gear, color)
    x, y = red[:2]
    canvas.arc(x, y, 40, -160, 60, WHITE, 7)
    tip = polar(x, y, 36.5, 82)
    canvas.poly([tip, polar(x, y, 52, 54), polar(x, y, 22, 48)], WHITE)
    return canvas.finish()


Gear = tuple[float, float, int, float]


def _meshed(driver: Gear, degrees: float, teeth: int) -> Gear:
    """A gear beside `driver`, turned so that its teeth fall into the driver's gaps."""
    x, y = polar(driver[0], driver[1], 5 * (driver[2] + teeth), degrees)
    passed = ((degrees - driver[3]) * driver[2] / 360) % 1
    return x, y, teeth, degrees + 180 + (passed - 0.5) * 360 / teeth


def _gear(canvas: Canvas, gear: Gear, color: Color) -> None:
    x, y, teeth, phase = gear
    radius = 5 * teeth
    outline: list[Point] = []
    for i in range(teeth):
        for share, reach in ((-0.25, -7), (-0.11, 5), (0.11, 5), (0.25, -7)):
            outline.append(polar(x, y, radius + reach, phase + (i + share) * 360 / teeth))
    canvas.poly(outline, color, INK, 1.5)
    canvas.disc(x, y, 9, WHITE, INK)


def floorplan() -> Image.Image:
    canvas = Canvas()
    canvas.box(30, 40, 482, 400, WHITE, INK, 7)
    for wall in (
        [(180, 40), (180, 205)],
        [(350, 40), (350, 400)],
        [(30, 205), (482, 205)],
        [(200, 205), (200, 400)],
    ):
        canvas.path([(float(x), float(y)) for x, y in wall], INK, 7)
    rooms = {
        "Kitchen": (104, 100),
        "Study": (265, 100),
        "Bedroom": (416, 100),
        "Hall": (115, 290),
        "Living room": (275, 290),
        "Bath": (416, 290),
    }
    for room, (x, y) in rooms.items():
        canvas.text(x, y, room, 22)
    for x, y, upright, locked in (
        (180, 130, True, False),
        (104, 205, False, False),
        (350, 120, True, False),
        (270, 205, False, False),
        (350, 300, True, False),
        (200, 310, True, True),
        (416, 205, False, True),
        (115, 400, False, False),
    ):
        _door(canvas, x, y, upright, locked)
    canvas.poly([(115, 412), (128, 434), (102, 434)], INK)
    canvas.text(115, 450, "Entrance", 20)
    _door(canvas, 250, 440, False, False)
    canvas.text(298, 440, "open door", 20, anchor="lm")
    _door(canvas, 250, 480, False, True)
    canvas.text(298, 480, "locked door", 20, anchor="lm")
    return canvas.finish()


def _door(canvas: Canvas, x: float, y: float, upright: bool, locked: bool) -> None:
    wide, high = (5, 26) if upright else (26, 5)
    canvas.box(x - wide, y - high, x + wide, y + high, RED if locked else WHITE)
    if not locked:
        # Without its posts an open door in the legend would be white on white.
        for end in (-1, 1):
            px, py = (x, y + end * 26) if upright else (x + end * 26, y)
            canvas.box(px - 6, py - 6, px + 6, py + 6, GREEN)


def receipt() -> Image.Image:
    canvas = Canvas(512, 512, (196, 180, 160))
    canvas.box(70, 20, 442, 492, WHITE)
    canvas.text(256, 56, "Corner Tea Room", 30)
    canvas.text(256, 88, "Table 6", 18, GREY)
    _receipt_line(canvas, 128, "QTY", "ITEM", "EACH", "SUM", 16)
    canvas.path([(92, 146), (420, 146)], INK, 2)
    _receipt_line(canvas, 174, "2", "Tea", "2.40", "4.80")
    _receipt_line(canvas, 214, "", "Muffin", "1.75", "")
    _receipt_line(canvas, 254, "1", "Soup", "4.20", "4.20")
    _receipt_line(canvas, 294, "", "Coupon", "", "-1.50")
    canvas.path([(92, 318), (420, 318)], INK, 2)
    _receipt_line(canvas, 346, "", "TOTAL", "", "")
    _receipt_line(canvas, 392, "", "Cash", "", "20.00")
    _receipt_line(canvas, 432, "", "Change", "", "7.25")
    for x, y, radius, seed in ((103, 214, 20, 1), (397, 216, 34, 2), (393, 346, 36, 3)):
        canvas.poly(blob(x, y, radius, 0.62, seed), BROWN)
    return canvas.finish()


def _receipt_line(
    canvas: Canvas, y: float, quantity: str, item: str, each: str, total: str, size: float = 23
) -> None:
    canvas.text(104, y, quantity, size, anchor="mm")
    canvas.text(140, y, item, size, anchor="lm")
    canvas.text(328, y, each, size, anchor="rm")
    canvas.text(420, y, total, size, anchor="rm")


def family_tree() -> Image.Image:
    canvas = Canvas()
    _couple(canvas, (176, 70), (336, 70))
    _children(canvas, (256, 70), 130, [(96, 190), (256, 190), (416, 190)])
    people = {
        "Otto": (176, 70, 1931),
        "Ruth": (336, 70, 1934),
        "Nora": (96, 190, 1953),
        "Eva": (256, 190, 1960),
        "Hugo": (416, 190, 1977),
        "Lena": (60, 330, 1975),
        "Tim": (160, 330, 1980),
        "Iris": (256, 330, 1988),
        "Mia": (416, 330, 2004),
        "Jan": (60, 460, 2001),
    }
    _children(canvas, (96, 190), 262, [(60, 330), (160, 330)])
    for parent, child in (("Eva", "Iris"), ("Hugo", "Mia"), ("Lena", "Jan")):
        canvas.path([people[parent][:2], people[child][:2]], INK, 3)
    for name, (x, y, year) in people.items():
        canvas.box(x - 44, y - 30, x + 44, y + 30, WHITE, INK, 3, radius=10)
        canvas.text(x, y - 11, name, 22)
        canvas.text(x, y + 14, f"born {year}", 15)
    canvas.text(316, 440, "Children stand below", 18)
    canvas.text(316, 464, "their parent or parents.", 18)
    return canvas.finish()


def _couple(canvas: Canvas, left: Point, right: Point) -> None:
    for shift in (-4, 4):
        canvas.path([(left[0], left[1] + shift), (right[0], right[1] + shift)], INK, 3)


def _children(canvas: Canvas, parent: Point, bar: float, children: list[Point]) -> None:
    canvas.path([parent, (parent[0], bar)], INK, 3)
    # Half a pen longer at both ends, or the corners show a notch.
    canvas.path([(children[0][0] - 1.5, bar), (children[-1][0] + 1.5, bar)], INK, 3)
    for x, y in children:
        canvas.path([(x, bar), (x, y)], INK, 3)


SCENES: dict[str, Callable[[], Image.Image]] = {
    "ded-mod-balance-1": balance_cube,
    "ded-mod-balance-2": balance_cone,
    "ded-mod-clock": clock,
    "ded-mod-gears": gears,
    "ded-high-floorplan": floorplan,
    "ded-high-receipt": receipt,
    "ded-high-family": family_tree,
}
