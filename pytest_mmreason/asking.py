"""How a run asks its samples, beside the strategy and the model's own words."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mmreason.benchmarks.likeness import words
from pytest_mmreason.errors import DataError, UsageError
from pytest_mmreason.prompting import PLAIN, Prompt, Template, render
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.selection import read_subset
from pytest_mmreason.settings import SENDING, Settings

if TYPE_CHECKING:
    from pytest_mmreason.captions import Captions


@dataclass(frozen=True, slots=True)
class Examples:
    """Worked examples for the samples of one benchmark (InfiMM-Eval, section 4.2.3).

    pool: the samples that can be examples, each with a reference answer. count: how many a
    sample is given. hashes: of the images that were compared so far.
    """

    pool: Sequence[Sample] = ()
    count: int = 0
    seed: int = 0
    hashes: dict[ImageRef, str | None] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, name: str, samples: Sequence[Sample], count: int, seed: int) -> Examples:
        """`count` examples for each sample of the benchmark `name`.

        Raises UsageError if there are not as many beside every sample.
        """
        if not count:
            return cls()
        pool = [sample for sample in samples if sample.answer is not None]
        examples = cls(pool, count, seed)
        most = len(pool) - examples._most_alike(samples)
        if count > most:
            raise UsageError(
                f"--mm-icl={count}: an example is another sample with a reference answer, and of the "
                f"{len(samples)} samples of {name} {len(pool)} have one: there are "
                f"{max(most, 0)} examples for every sample"
            )
        return examples

    def draw(self, sample: Sample) -> list[Sample]:
        """The examples of `sample`, in order; never itself, nor one that asks just the same:
        the same words of images with the same content, or of such as cannot be read.

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
            if example.id != sample.id and not self._alike(sample, example):
                chosen.append(example)
        return chosen

    def _alike(self, sample: Sample, example: Sample) -> bool:
        """True if the answer of `example` may be that of `sample`: the question has the same
        words, and the images have the same content or cannot be compared."""
        if words(sample.question) != words(example.question):
            return False
        own, other = self._images(sample), self._images(example)
        return own is None or other is None or own == other

    def _most_alike(self, samples: Sequence[Sample]) -> int:
        """The most samples of the pool, itself among them, that are alike to one of `samples`."""
        pool: defaultdict[tuple[str, ...], list[Sample]] = defaultdict(list)
        for sample in self.pool:
            pool[tuple(words(sample.question))].append(sample)
        most = 0
        images: dict[tuple[str, ...], Counter[tuple[str, ...] | None]] = {}
        for sample in samples:
            key = tuple(words(sample.question))
            same = pool.get(key, [])
            if len(same) <= most:  # no image needs to be opened for it
                continue
            if same == [sample] or (own := self._images(sample)) is None:
                most = len(same)
                continue
            if key not in images:
                images[key] = Counter(map(self._images, same))
            most = max(most, images[key][own] + images[key][None])
        return most

    def _images(self, sample: Sample) -> tuple[str, ...] | None:
        """What tells the content of the images, in order; None if one cannot be read."""
        from pytest_mmreason import imaging

        found = []
        for image in sample.images:
            if image not in self.hashes:
                self.hashes[image] = imaging.content_hash(image)
            if (known := self.hashes[image]) is None:
                return None
            found.append(known)
        return tuple(found)


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
