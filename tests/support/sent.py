"""What a request to an endpoint shows: its texts, and its images by size and shade."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any, NamedTuple

import PIL.Image


class Picture(NamedTuple):
    """An image of one shade of grey; of a joined one, the shades from left to right."""

    width: int
    height: int
    shades: tuple[int, ...]


def write_picture(path: Path, width: int, height: int, shade: int) -> Picture:
    """Write an image of one shade and say what it looks like."""
    path.parent.mkdir(parents=True, exist_ok=True)
    PIL.Image.new("RGB", (width, height), (shade, shade, shade)).save(path)
    return Picture(width, height, (shade,))


def turns(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """(role, text or parts) of a request's messages; an image part is a :class:`Picture`."""
    return [
        (m["role"], m["content"] if isinstance(m["content"], str) else [*map(_part, m["content"])])
        for m in body["messages"]
    ]


def params(body: dict[str, Any]) -> dict[str, Any]:
    """What else a request holds."""
    return {key: value for key, value in body.items() if key not in {"model", "messages"}}


def pictures(body: dict[str, Any]) -> list[Picture]:
    """The images of a request, in order."""
    parts = [part for _, content in turns(body) if isinstance(content, list) for part in content]
    return [part for part in parts if isinstance(part, Picture)]


def _part(part: dict[str, Any]) -> str | Picture:
    if part["type"] == "text":
        return str(part["text"])
    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
    image = PIL.Image.open(io.BytesIO(data)).convert("L")
    top = [image.getpixel((x, 0)) for x in range(image.width)]
    shades = [s for x, s in enumerate(top) if x == 0 or s != top[x - 1]]
    return Picture(image.width, image.height, tuple(map(int, shades)))  # type: ignore[arg-type]
