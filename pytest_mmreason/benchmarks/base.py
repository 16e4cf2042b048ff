"""What a benchmark is, and its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_mmreason.sample import Sample

PROTOCOLS = ("infimm-eval", "mm-vet")

DEFAULT_WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "infimm-eval": {"moderate": 1.0, "high": 2.0},  # InfiMM-Eval, Eq. 1
    "mm-vet": {},
}
"""What a sample counts by complexity; 1 where none is named."""


def shipped(name: str) -> Path:
    """The folder of a benchmark's data that travel with the package, in the wheel or a checkout."""
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / "benchmarks" / name


@dataclass(frozen=True)
class Benchmark:
    """A named set of samples and the protocol by which they are judged.

    protocol:    ``infimm-eval`` or ``mm-vet``; decides prompts, judging and weights.
    weights:     complexity -> what a sample of it counts in a mean.
    notes:       what a reader of the results must know.
    sample_notes: the same of single samples, corrections for example: id -> note.
    file:        the name of the file that holds the samples, "" if none does.
    """

    name: str
    protocol: str
    samples: tuple[Sample, ...]
    version: str = ""
    license: str = ""
    source: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sample_notes: Mapping[str, str] = field(default_factory=dict)
    file: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """12 hex digits over protocol, weights and every sample in order.

        Where the folder lies does not matter; any changed word does. The bytes of the images
        are left to the cache key.
        """
        encode = json.JSONEncoder(sort_keys=True).encode
        digest = hashlib.sha256(encode([self.protocol, sorted(self.weights.items())]).encode())
        for sample in self.samples:
            content = sample.to_json()
            content["images"] = [image.path for image in sample.images]
            del content["benchmark"]
            digest.update(encode(content).encode())
        return digest.hexdigest()[:12]
