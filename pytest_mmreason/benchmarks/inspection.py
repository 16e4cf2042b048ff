"""What is found of a benchmark's images when each is opened as a run would open it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from pytest_mmreason import imaging
from pytest_mmreason.errors import DataError
from pytest_mmreason.sample import ImageRef, Sample


@dataclass(frozen=True, slots=True)
class Inspected:
    """An image as found.

    error:  why a run could not send it; None if it can.
    size, sent: [width, height] in pixels, of the original and as it is sent.
    sha256: hash of the file, also of one that is no image; "" if it could not be read.
    """

    error: str | None = None
    sha256: str = ""
    bytes: int = 0
    size: tuple[int, int] | None = None
    sent: tuple[int, int] | None = None


def inspect(samples: Iterable[Sample]) -> Iterator[tuple[ImageRef, Inspected]]:
    """Every image of `samples` once, in their order; one is held in memory at a time."""
    for ref in dict.fromkeys(image for sample in samples for image in sample.images):
        yield ref, _inspected(ref)


def _inspected(ref: ImageRef) -> Inspected:
    try:
        data = imaging.read(ref)
    except DataError as error:
        return Inspected(str(error))
    digest, length = sha256(data).hexdigest(), len(data)
    try:
        image = imaging.load(ref, original=data)
    except DataError as error:
        return Inspected(str(error), digest, length)
    return Inspected(None, digest, length, image.size, image.sent)
