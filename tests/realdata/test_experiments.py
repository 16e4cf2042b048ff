"""The papers' experiments on the real files: how many calls, and which pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_mmreason import imaging
from pytest_mmreason.benchmarks import infimm_eval
from pytest_mmreason.prompting import render
from pytest_mmreason.sample import JoinedRef
from tests.support.runs import flat, run


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        (["infimm-eval=infimm", "-m", "multi_image"], "47 model calls"),
        (["infimm-eval=infimm", "--mm-icl=1"], "279 model calls"),
        (
            ["mm-vet=mmvet", "--mm-subset=bard_set.json", "--mm-judge-runs=5"],
            "168 model calls and 840 judge calls",
        ),
    ],
)
def test_subsets_have_the_sizes_that_the_papers_give(
    pytester: pytest.Pytester, realdata: Path, arguments: list[str], calls: str
) -> None:
    benchmark, *more = arguments
    name, _, folder = benchmark.partition("=")
    more = [m.replace("bard_set", f"{realdata}/mmvet/bard_set") for m in more]
    result = run(
        pytester,
        "--mm-model=openai:m",
        "--mm-base-url=http://localhost:9",
        "--mm-judge=openai:j",
        "--mm-judge-base-url=http://localhost:9",
        f"--mm-benchmark={name}={realdata / folder}",
        "--collect-only",
        "-q",
        *more,
    )
    assert calls in flat(result)


def test_the_multi_image_subset_is_that_of_table_6(realdata: Path) -> None:
    samples = infimm_eval.load(realdata / "infimm").samples
    several = [sample for sample in samples if len(sample.images) > 1]
    assert Counter(sample.complexity for sample in several) == {"moderate": 27, "high": 20}


def test_real_pictures_are_joined_in_their_own_sizes(realdata: Path) -> None:
    samples = infimm_eval.load(realdata / "infimm").samples
    joined = 0
    for sample in samples:
        there = all(Path(image.root, image.path).is_file() for image in sample.images)
        if len(sample.images) == 1 or not there:
            continue
        (ref,) = render(sample, images="concat").images
        assert isinstance(ref, JoinedRef)
        sizes = [imaging.load(image).size for image in sample.images]
        image = imaging.load_shown(ref, {})
        assert image.size == (sum(w for w, _ in sizes), max(h for _, h in sizes))
        assert image.pil().size == image.sent
        assert len(image.data) <= imaging.MAX_ENCODED_BYTES
        joined += 1
    assert joined >= 5
