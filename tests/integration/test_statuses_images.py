"""An image that cannot be sent is the data's error, on its sample alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.support.benchmarks import read_records, sample, write_answers, write_benchmark
from tests.support.endpoint import Endpoint, image_urls
from tests.support.runs import answers, endpoint_options, number_of, run, statuses

BROKEN = {
    "s1": "absent.png",
    "s2": "half.png",
    "s3": "empty.png",
    "s4": "words.png",
    "s5": "../outside.png",
    "s6": "link.png",
    "s7": "http://127.0.0.1/picture.png",
    "s8": "/etc/hostname",
}


@pytest.fixture
def made(pytester: pytest.Pytester) -> Path:
    """s0 has a good image; s1 to s8 one of every kind that cannot be sent."""
    rows = [sample(0, images=["good.png"])]
    rows += [sample(n, images=[BROKEN[f"s{n}"]]) for n in range(1, 9)]
    folder = write_benchmark(pytester.path / "made", rows)
    Image.effect_noise((40, 40), 50).save(folder / "good.png")
    whole = (folder / "good.png").read_bytes()
    (folder / "half.png").write_bytes(whole[: len(whole) // 2])
    (folder / "empty.png").write_bytes(b"")
    (folder / "words.png").write_text("This is no picture.")
    (folder.parent / "outside.png").write_bytes(whole)
    (folder / "link.png").symlink_to(folder.parent / "outside.png")
    return folder


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_each_is_named_and_the_others_go_on(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path, workers: tuple[str, ...]
) -> None:
    endpoint.script = answers
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    result = run(pytester, *options, *workers)
    assert result.ret == 1
    records = read_records(pytester.path / "out")
    assert statuses(records) == {"s0": "scored", **dict.fromkeys(BROKEN, "data_error")}
    for record in records[1:]:
        assert BROKEN[record["sample"]] in record["reason"], "the file is named"
        assert record["score"] is None
    assert list(map(number_of, endpoint.requests)) == [0], "nothing is sent without its image"
    result.stdout.fnmatch_lines(["s2: data_error: *half.png*", "*--mm-images=none*"])


def test_a_run_without_images_opens_none(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = answers
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    assert run(pytester, *options, "--mm-images=none").ret == 0
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"scored"}
    assert not any(map(image_urls, endpoint.requests))


def test_recorded_answers_need_no_image(pytester: pytest.Pytester, made: Path) -> None:
    recorded = write_answers(pytester.path / "a.json", {f"s{n}": f"answer{n}" for n in range(9)})
    options = (f"--mm-model=replay:{recorded}", f"--mm-benchmark={made}", "--mm-output=out")
    assert run(pytester, *options).ret == 0
    assert set(statuses(read_records(pytester.path / "out")).values()) == {"scored"}


def test_a_data_error_is_judged_anew_once_the_file_is_mended(
    pytester: pytest.Pytester, endpoint: Endpoint, made: Path
) -> None:
    endpoint.script = answers
    options = (*endpoint_options(endpoint, judge=None), f"--mm-benchmark={made}", "--mm-output=out")
    one = ("--mm-sample=s2", "--mm-sample=s0")
    assert run(pytester, *options, *one).ret == 1
    (made / "half.png").write_bytes((made / "good.png").read_bytes())
    assert run(pytester, *options, *one).ret == 0
    assert list(map(number_of, endpoint.requests)) == [0, 2]
