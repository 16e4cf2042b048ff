"""A sample of a benchmark and the images it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

IMAGE_MARK = "<image>"
"""Stands in an interleaved question where an image belongs, as MM-Vet v2's judge is shown it."""


@dataclass(frozen=True, slots=True)
class ImageRef:
    """An image of a sample: `path` as the benchmark writes it, below the folder `root`.

    Nothing is opened or checked here; :mod:`pytest_mmreason.imaging` does both when a
    call is about to be made.
    """

    path: str
    root: str

    @property
    def files(self) -> tuple[ImageRef, ...]:
        """What has to be read for it."""
        return (self,)


@dataclass(frozen=True, slots=True)
class JoinedRef(ImageRef):
    """Images that are shown as one, side by side, from left to right; `path` names them all."""

    images: tuple[ImageRef, ...] = ()

    @classmethod
    def of(cls, images: tuple[ImageRef, ...]) -> JoinedRef:
        """`images`, of which there is one at least, as one."""
        return cls(" + ".join(image.path for image in images), images[0].root, images)

    @property
    def files(self) -> tuple[ImageRef, ...]:
        """The images, each in a file of its own."""
        return self.images


@dataclass(frozen=True, slots=True)
class Sample:
    """One question of a benchmark with its reference.

    answer:       the reference answer; None means unreferenced (collected, never judged).
                  MM-Vet's ``<AND>`` (every part is needed) and ``<OR>`` (any part is
                  enough) may stand in it.
    steps:        reference reasoning steps, in order (InfiMM-Eval, section 3).
    complexity:   ``moderate`` or ``high`` in InfiMM-Eval, "" where a benchmark has none.
    interleaved:  the images stand in the question, each at its ``<image>``, of which there
                  are as many; false where the prompt decides where they stand.
    weight:       what the sample counts in a mean (InfiMM-Eval, Eq. 1: High counts twice).
    """

    id: str
    question: str
    images: tuple[ImageRef, ...] = ()
    answer: str | None = None
    steps: tuple[str, ...] = ()
    category: str = ""
    complexity: str = ""
    counter_intuitive: bool = False
    capabilities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    benchmark: str = ""
    weight: float = 1.0
    interleaved: bool = False

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` turns back into an equal sample."""
        data = {
            "id": self.id,
            "question": self.question,
            "images": [[image.path, image.root] for image in self.images],
            "answer": self.answer,
            "steps": list(self.steps),
            "category": self.category,
            "complexity": self.complexity,
            "counter_intuitive": self.counter_intuitive,
            "capabilities": list(self.capabilities),
            "tags": list(self.tags),
            "benchmark": self.benchmark,
            "weight": self.weight,
        }
        # Told only where it is so: the fingerprints of other benchmarks stay what they were.
        return {**data, "interleaved": True} if self.interleaved else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sample:
        """The sample that :meth:`to_json` wrote."""
        return cls(
            **{
                **data,
                "images": tuple(ImageRef(path, root) for path, root in data["images"]),
                "steps": tuple(data["steps"]),
                "capabilities": tuple(data["capabilities"]),
                "tags": tuple(data["tags"]),
            }
        )
