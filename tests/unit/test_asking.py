"""Worked examples: which samples are drawn, and that nothing but seed and sample decides."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pytest_mmreason.asking import Asking, Examples
from pytest_mmreason.benchmarks.tsv import load
from pytest_mmreason.errors import UsageError
from pytest_mmreason.sample import ImageRef, Sample
from tests.support.official import picture
from tests.support.stubs import made_plan, made_samples

SAMPLES = made_samples(30)


def drawn(sample: Sample, count: int = 3, seed: int = 0) -> list[str]:
    return [example.id for example in Examples.of("made", SAMPLES, count, seed).draw(sample)]


def test_as_many_as_wanted_none_twice_and_never_the_sample_itself() -> None:
    for count in (1, 2, 29):
        for sample in SAMPLES:
            found = drawn(sample, count)
            assert len(set(found)) == len(found) == count
            assert sample.id not in found


def test_without_examples_none_is_drawn() -> None:
    assert drawn(SAMPLES[0], 0) == []
    assert len(Asking().prompt(SAMPLES[0], "direct").turns) == 1


def test_the_seed_and_the_sample_decide() -> None:
    first = [drawn(sample) for sample in SAMPLES]
    assert first == [drawn(sample) for sample in SAMPLES]
    assert len({tuple(ids) for ids in first}) > 20
    assert first != [drawn(sample, seed=1) for sample in SAMPLES]
    # These are what they are on every machine and under every Python.
    assert drawn(SAMPLES[0]) == ["s11", "s17", "s23"]
    # The first of three is the one of one.
    assert drawn(SAMPLES[4], 1) == drawn(SAMPLES[4])[:1]


def test_every_sample_is_about_as_often_an_example_as_any_other() -> None:
    counts = dict.fromkeys((sample.id for sample in SAMPLES), 0)
    for seed in range(100):
        for sample in SAMPLES:
            counts[drawn(sample, 1, seed)[0]] += 1
    assert min(counts.values()) > 60 and max(counts.values()) < 140


def test_selection_and_shards_change_no_example() -> None:
    whole = made_plan(SAMPLES, icl=2)
    part = made_plan(SAMPLES, icl=2, limit=4)
    assert whole.runs[0].question(SAMPLES[7]) == part.runs[0].question(SAMPLES[7])


def test_a_sample_that_asks_the_same_of_the_same_images_is_no_example(tmp_path: Path) -> None:
    for name in ("a.png", "copy.png", "b.png"):
        (tmp_path / name).write_bytes(b"B" if name == "b.png" else b"A")
    a, copy, b = (ImageRef(name, str(tmp_path)) for name in ("a.png", "copy.png", "b.png"))
    twins = [
        Sample("t0", "What is it?", (a,), answer="a0"),
        Sample("t1", "what  is\nit?", (a,), answer="a1"),
        Sample("t2", "What is it?", (copy,), answer="a2"),
    ]
    other = Sample("o", "What is it?", (b,), answer="b")
    examples = Examples.of("made", [*twins, other], 1, 0)
    assert [examples.draw(twin) for twin in twins] == [[other]] * 3
    with pytest.raises(UsageError, match="there are 1 examples for every sample"):
        Examples.of("made", [*twins, other], 2, 0)


def test_of_images_that_cannot_be_read_the_same_question_is_no_example(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"A")
    images = [(ImageRef(name, str(tmp_path)),) for name in ("a.png", "gone.png", "lost.png")]
    same = [Sample(f"s{n}", "What?", image, answer="a") for n, image in enumerate(images)]
    other = Sample("o", "And this?", images[1], answer="b")
    examples = Examples.of("made", [*same, other], 1, 0)
    assert [examples.draw(sample) for sample in same] == [[other]] * 3
    with pytest.raises(UsageError, match="there are 1 examples for every sample"):
        Examples.of("made", [*same, other], 2, 0)


def test_a_table_that_holds_an_image_twice_gives_no_answer_away(tmp_path: Path) -> None:
    cells = [base64.b64encode(picture(name)).decode() for name in ("red", "red", "blue")]
    rows = [f"{n}\t{cell}\tWhat?\ta{n}" for n, cell in enumerate(cells)]
    path = tmp_path / "t.tsv"
    path.write_text("\n".join(["index\timage\tquestion\tanswer", *rows]), encoding="utf-8")
    samples = load(path).samples
    examples = Examples.of("t", samples, 1, 0)
    assert [[e.id for e in examples.draw(sample)] for sample in samples[:2]] == [["2"], ["2"]]


def test_images_are_opened_only_where_a_question_comes_twice(tmp_path: Path) -> None:
    refs = [ImageRef(f"{n}.png", str(tmp_path)) for n in range(6)]
    samples = [Sample(f"s{n}", f"Number {n}?", (ref,), answer="a") for n, ref in enumerate(refs)]
    examples = Examples.of("made", samples, 5, 0)
    assert all(len(examples.draw(sample)) == 5 for sample in samples)
    assert examples.hashes == {}


def test_only_samples_with_a_reference_answer_are_examples() -> None:
    bare = made_samples(5, answer=None)
    known = Sample("k", "Known?", answer="yes")
    examples = Examples.of("made", [*bare, known, Sample("l", "And?", answer="no")], 1, 0)
    assert {examples.draw(sample)[0].id for sample in bare} == {"k", "l"}
    assert examples.draw(known)[0].id == "l"
    with pytest.raises(UsageError) as caught:
        Examples.of("made", [*bare, known], 1, 0)
    assert str(caught.value) == (
        "--mm-icl=1: an example is another sample with a reference answer, and of the 6 samples "
        "of made 1 have one: there are 0 examples for every sample"
    )
    with pytest.raises(UsageError, match="of the 5 samples of made 0 have one: there are 0"):
        Examples.of("made", bare, 1, 0)


def test_a_sample_that_a_test_has_changed_has_examples_too() -> None:
    examples = Examples.of("made", SAMPLES[:3], 2, 0)
    changed = Sample("s0", SAMPLES[1].question, answer="a")
    assert [example.id for example in examples.draw(changed)] == ["s2"]
