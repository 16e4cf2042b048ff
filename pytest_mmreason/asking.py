"""How a run asks its samples, beside the strategy and the model's own words."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mmreason.captions import Captions
from pytest_mmreason.errors import DataError, UsageError
from pytest_mmreason.prompting import PLAIN, Prompt, Template, render
from pytest_mmreason.sample import Sample
from pytest_mmreason.selection import read_subset
from pytest_mmreason.settings import SENDING, Settings


@dataclass(frozen=True, slots=True)
class Examples:
    """Worked examples for the samples of one benchmark (InfiMM-Eval, section 4.2.3).

    pool: the samples that can be examples, each with a reference answer. count: how many a
    sample is given.
    """

    pool: Sequence[Sample] = ()
    count: int = 0
    seed: int = 0

    @classmethod
    def of(cls, name: str, samples: Sequence[Sample], count: int, seed: int) -> Examples:
        """`count` examples for each sample of the benchmark `name`.

        Raises UsageError if there are not as many beside every sample.
        """
        if not count:
            return cls()
        pool = [sample for sample in samples if sample.answer is not None]
        alike = Counter(map(_content, pool))
        most = len(pool) - max((alike[_content(sample)] for sample in samples), default=0)
        if count > most:
            raise UsageError(
                f"--mm-icl={count}: an example is another sample with a reference answer, and of the "
                f"{len(samples)} samples of {name} {len(pool)} have one: there are "
                f"{max(most, 0)} examples for every sample"
            )
        return cls(pool, count, seed)

    def draw(self, sample: Sample) -> list[Sample]:
        """The examples of `sample`, in order; never itself, nor one that asks just the same.

        They follow from the seed, the sample's id and the benchmark alone: whatever is
        selected, in whatever shard or worker, they are the same.
        """
        chosen: list[Sample] = []
        moved: dict[int, int] = {}  # a shuffle of the pool, as far as it is needed
        for place in range(len(self.pool)):
            if len(chosen) == self.count:
                break
            word = f"{self.seed}\0{sample.id}\0{place}".encode("utf-8", "surrogatepass")
            number = int.from_bytes(hashlib.sha256(word).digest())
            other = place + number % (len(self.pool) - place)
            example = self.pool[moved.get(other, other)]
            moved[other] = moved.get(place, place)
            if example.id != sample.id and _content(example) != _content(sample):
                chosen.append(example)
        return chosen


@dataclass(frozen=True, slots=True)
class Asking:
    """How the samples of one benchmark are asked.

    images: the mode of ``--mm-images``. captions: what stands in the images' places, under
    ``captions``. examples: what comes before the question.
    """

    images: str = "separate"
    captions: Captions | None = None
    examples: Examples = Examples()

    @property
    def sends(self) -> bool:
        """True if images are sent."""
        return self.images in SENDING

    def told(self, sample: Sample, error: DataError) -> str:
        """`error` in words that say so if the image that it names is of a worked example."""
        text = str(error)

        def named(one: Sample) -> bool:
            return any(f"image {image.path!r}" in text for image in one.images)

        drawn = [] if named(sample) else filter(named, self.examples.draw(sample))
        return next((f"worked example {one.id!r}: {text}" for one in drawn), text)

    def lacks(self, sample: Sample) -> bool:
        """True if a caption is lacking that the prompt of `sample` would show."""
        if self.captions is None:
            return False
        return any(map(self.captions.lacking, (sample, *self.examples.draw(sample))))

    def prompt(self, sample: Sample, strategy: str, template: Template = PLAIN) -> Prompt:
        """The prompt that asks `sample`'s question. DataError for an image without a caption."""
        return render(
            sample,
            strategy,
            self.images,
            template,
            captions=self.captions.of if self.captions else None,
            examples=self.examples.draw(sample),
        )


def provenance(settings: Settings, captions: Captions | None) -> dict[str, Any]:
    """The settings that decide what the samples are asked, and which are; JSON values.

    Runs that differ in one of them are not comparable. Files are told by name and content,
    so that it does not matter where they lie.
    """
    return {
        "images": settings.image_mode,
        "captions": captions.to_json() if captions else None,
        "icl": settings.icl,
        "icl_seed": settings.seed if settings.icl else None,
        "follow_up": settings.follow_up,
        "subset": _subset(settings),
    }


def _subset(settings: Settings) -> Mapping[str, str] | None:
    if settings.subset is None:
        return None
    ids = "\n".join(sorted(set(read_subset(settings.subset))))
    digest = hashlib.sha256(ids.encode("utf-8", "surrogatepass")).hexdigest()
    return {"name": settings.subset.name, "sha256": digest}


def _content(sample: Sample) -> tuple[object, ...]:
    return sample.question, sample.images
