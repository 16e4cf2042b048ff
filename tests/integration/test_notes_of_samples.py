"""Notes and advice speak of the samples that were run, and of nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.benchmarks import read_records, sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.official import VET, infimm_entry, write_infimm, write_json, write_vet
from tests.support.runs import by_model, endpoint_options, flat, run

WORKERS = pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """MM-Vet of which one image is lacking."""
    folder = write_vet(pytester.path / "vet")
    (folder / "images" / "sum.png").unlink()
    return folder


@WORKERS
def test_missing_images_are_told_of_the_samples_that_are_sent_some(
    pytester: pytest.Pytester, folder: Path, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    endpoint.script = by_model(m=lambda body, seen: "an answer", j=lambda body, seen: "0.5")
    asked = (*endpoint_options(endpoint), f"--mm-benchmark=mm-vet={folder}", *workers)
    told = flat(run(pytester, *asked))
    assert "1 of 2 images are missing below" in told and "the 1 samples that are asked" in told
    assert "fetch mm-vet NEW_DIR brings them all" in told
    subset = write_json(pytester.path / "some.json", ["v1_0", "v1_2"])
    captions = pytester.path / "captions.jsonl"
    rows = [
        json.dumps({"sample": i, "image": f"images/{row['imagename']}", "caption": "a flag"}) + "\n"
        for i, row in VET.items()
    ]
    captions.write_text("".join(rows), encoding="utf-8")
    write_answers(pytester.path / "answers.json", dict.fromkeys(VET, "a flag"))
    for other in (
        f"--mm-subset={subset}",
        "--mm-images=none",
        f"--mm-images=captions={captions}",
    ):
        result = run(pytester, *asked, other)
        assert result.ret == 0, other
        assert "images are missing" not in flat(result), other
    replayed = run(pytester, "--mm-model=replay:answers.json", *asked[2:])
    assert replayed.ret == 0 and "images are missing" not in flat(replayed)


@WORKERS
@pytest.mark.parametrize("native", [False, True], ids=["official", "native"])
def test_images_behind_a_link_out_of_the_folder_are_told_once(
    pytester: pytest.Pytester, endpoint: Endpoint, native: bool, workers: tuple[str, ...]
) -> None:
    endpoint.script = by_model(m=lambda body, seen: "an answer", j=lambda body, seen: "0.5")
    folder = write_vet(pytester.path / "vet")
    spec = f"--mm-benchmark=mm-vet={folder}"
    if native:
        rows = [sample(n, images=[f"images/{name}.png"]) for n, name in ((0, "flag"), (1, "sum"))]
        spec = f"--mm-benchmark={write_benchmark(folder, [*rows, sample(2)])}"
    (folder / "images").rename(pytester.path / "pictures")
    (folder / "images").symlink_to(pytester.path / "pictures")
    result = run(pytester, *endpoint_options(endpoint, judge=None), spec, *workers)
    assert result.ret == 1
    told, link = flat(result), f"images is a link to {pytester.path / 'pictures'}, and no link may"
    assert f"lies outside {folder}: {link} lead out of the folder; put the files" in told
    assert told.count(f"note: {'made' if native else 'mm-vet'}: {link}") == 1
    assert f"the {2 if native else 3} samples asked with images behind it" in told
    assert "Mend the file" not in told


@WORKERS
def test_correction_is_told_where_its_sample_is_run(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    folder = write_infimm(pytester.path / "infimm", {"185": infimm_entry(), "3": infimm_entry()})
    write_answers(pytester.path / "answers.json", {"185": "a", "3": "b"})
    asked = ("--mm-model=replay:answers.json", f"--mm-benchmark=infimm-eval={folder}", *workers)
    assert "sample 185: complexity high" in flat(run(pytester, *asked))
    assert "complexity high" not in flat(run(pytester, *asked, "--mm-sample=3"))


@WORKERS
def test_missing_image_of_a_worked_example_is_told_as_its(
    pytester: pytest.Pytester, folder: Path, endpoint: Endpoint, workers: tuple[str, ...]
) -> None:
    endpoint.script = by_model(m=lambda body, seen: "an answer", j=lambda body, seen: "0.5")
    asked = (*endpoint_options(endpoint), f"--mm-benchmark=mm-vet={folder}", *workers)
    subset = write_json(pytester.path / "some.json", ["v1_0", "v1_2"])
    told = flat(run(pytester, *asked, "--mm-icl=2", f"--mm-subset={subset}", "--mm-output=out"))
    reasons = {r["sample"]: r["reason"] for r in read_records(pytester.path / "out")}
    assert len(reasons) == 2
    for reason in reasons.values():
        assert reason.startswith("worked example 'v1_9': image 'images/sum.png' is missing below")
    assert "the 2 samples that are asked with them" in told
    run(pytester, *asked, "--mm-icl=1", "--mm-sample=v1_9", "--mm-output=own")
    (own,) = read_records(pytester.path / "own")
    assert own["reason"].startswith("image 'images/sum.png' is missing below")
