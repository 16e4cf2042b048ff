"""MM-Vet, MM-Vet v2 and InfiMM-Eval as downloaded, from made-up files of the same shape."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason.benchmarks import infimm_eval, mm_vet, official
from pytest_mmreason.benchmarks.opening import OFFICIAL, open_benchmark, where_to_get
from pytest_mmreason.errors import BenchmarkError
from pytest_mmreason.prompting import Template, render
from pytest_mmreason.registry import Registry
from pytest_mmreason.sample import ImageRef, Sample
from pytest_mmreason.selection import read_subset
from pytest_mmreason.settings import Settings
from tests.support.official import (
    VET,
    VET_V2,
    infimm_entry,
    vet_entry,
    write_infimm,
    write_json,
    write_vet,
    write_vet_v2,
)


def faults(folder: Path, name: str) -> list[str]:
    with pytest.raises(BenchmarkError) as caught:
        open_benchmark(folder, name)
    return list(caught.value.faults)


# --- MM-Vet ---------------------------------------------------------------------------


def test_entries_become_samples_in_the_order_of_the_file(tmp_path: Path) -> None:
    benchmark = mm_vet.load(write_vet(tmp_path))
    assert (benchmark.name, benchmark.protocol) == ("mm-vet", "mm-vet")
    assert benchmark.license == "CC BY-NC 4.0"
    assert [s.id for s in benchmark.samples] == list(VET)
    first, second, third = benchmark.samples
    assert first == Sample(
        "v1_2",
        "Which two colours has the flag?",
        images=(ImageRef("images/flag.png", str(tmp_path)),),
        answer="red<AND>blue",
        capabilities=("rec", "ocr"),
        benchmark="mm-vet",
    )
    assert second.answer == "a flag\nin two colours<OR>a banner"
    assert first.images == second.images != third.images


def test_name_of_a_folder_is_the_users(tmp_path: Path) -> None:
    benchmark = mm_vet.load(write_vet(tmp_path), "vet")
    assert benchmark.name == benchmark.samples[0].benchmark == "vet"


def test_unknown_capability_is_kept_and_told_with_its_ids(tmp_path: Path) -> None:
    rows = {f"v1_{n}": vet_entry(capability=["rec", "smell"]) for n in range(7)}
    benchmark = mm_vet.load(write_vet(tmp_path, rows))
    assert benchmark.samples[0].capabilities == ("rec", "smell")
    assert (
        "unknown capability 'smell' (7: v1_0, v1_1, v1_2, v1_3, v1_4, …) is kept as a row of its own"
        in benchmark.notes
    )


def test_seq_is_known_to_the_second_version_only(tmp_path: Path) -> None:
    rows = {"v2_0": vet_entry(capability=["seq"])}
    assert any("'seq'" in n for n in mm_vet.load(write_vet(tmp_path / "a", rows)).notes)
    assert not any("'seq'" in n for n in mm_vet.load_v2(write_vet_v2(tmp_path / "b", rows)).notes)


def test_missing_images_are_counted_and_fail_nothing(tmp_path: Path) -> None:
    sent = {s.id: s.images for s in mm_vet.load(write_vet(tmp_path)).samples}
    assert official.image_note(sent, "afar") == ""
    (tmp_path / "images" / "flag.png").unlink()
    assert official.image_note(sent, "afar") == (
        f"1 of 2 images are missing below {tmp_path} ('images/flag.png'); the 2 samples that are "
        "asked with them are data errors; get them from afar"
    )
    assert official.image_note({"v1_9": sent["v1_9"]}, "afar") == ""
    shutil.rmtree(tmp_path / "images")
    assert official.image_note(sent, "afar").startswith("2 of 2 images are missing")


@pytest.mark.parametrize("name", ["a\0b.png", "x" * 5000 + ".png", "/etc/hostname", "../x.png"])
def test_strange_image_names_do_not_stop_the_reader(tmp_path: Path, name: str) -> None:
    write_vet(tmp_path, {"v1_0": vet_entry(imagename=name)})
    (sample,) = mm_vet.load(tmp_path).samples
    assert bool(official.image_note({"v1_0": sample.images}, "")) == (name != "/etc/hostname")


def test_every_fault_is_listed_with_line_id_and_field(tmp_path: Path) -> None:
    rows: dict[str, Any] = {
        "a": vet_entry(imagename=3),
        "b": vet_entry(question=" "),
        "c": {key: value for key, value in vet_entry().items() if key != "answer"},
        "d": vet_entry(capability="rec"),
        "e": ["no entry"],
        "": vet_entry(),
        "f": vet_entry(answer=" "),
        "g": vet_entry(answer="x<OR>"),
    }
    assert faults(write_vet(tmp_path, rows), "mm-vet") == [
        "mm-vet.json:2: id 'a': field imagename: is 3, not a string",
        "mm-vet.json:11: id 'b': field question: is empty",
        "mm-vet.json:20: id 'c': field answer: missing; download it again from "
        "https://github.com/yuweihao/MM-Vet (release v1, mm-vet.zip)",
        "mm-vet.json:28: id 'd': field capability: is \"rec\", not a list of strings",
        "mm-vet.json:35: id 'e': a sample is a JSON object, not list",
        "mm-vet.json: id '' is empty",
        "mm-vet.json:47: id 'f': field answer: is empty",
        "mm-vet.json:56: id 'g': field answer: is \"x<OR>\": nothing stands on one side of an "
        "<AND> or <OR>",
    ]


@pytest.mark.parametrize("name", list(OFFICIAL))
def test_half_downloaded_folder_says_what_is_lacking(tmp_path: Path, name: str) -> None:
    file = official.manifest(name).file
    (only,) = faults(tmp_path / "gone", name)
    assert only.startswith("no such folder; download it again from https://")
    (only,) = faults(tmp_path, name)
    assert only.startswith(f"{file}: missing; download it again from https://")
    (tmp_path / "images").mkdir()
    (only,) = faults(tmp_path, name)
    assert only.startswith(f"{file}: missing beside images/; the download is not complete, get")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / file).write_text("{}", encoding="utf-8")
    assert faults(tmp_path, name) == [
        f"{file}: missing here, but {tmp_path / 'inner'} holds it; name that"
    ]


@pytest.mark.parametrize("name", list(OFFICIAL))
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{\n"a": {\n"question": "wha', ":3: not JSON: Unterminated string starting at; the file"),
        ("", ":1: not JSON: Expecting value; the file is cut off or altered, download it again"),
        ("[]", ": is [], not an object of samples; download it again"),
        ("{}", ": is empty; download it again"),
        ('{"a": {}, "a": {}}', ":1: field given twice: a; download it again"),
        ('{\n"a": {"b": "}{",\n"c": 1},\n"d": {"c": 2,\n"c": 3}}', ":5: field given twice: c"),
        ("[" * 100_000, ": "),
    ],
)
def test_broken_json_is_told_with_its_line(
    tmp_path: Path, name: str, content: str, fault: str
) -> None:
    file = official.manifest(name).file
    (tmp_path / file).write_text(content, encoding="utf-8")
    (only,) = faults(tmp_path, name)
    assert only.startswith(file + fault)


def test_file_that_is_no_utf8_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "mm-vet.json").write_bytes(b'{"a": "\xff"}')
    (only,) = faults(tmp_path, "mm-vet")
    assert only.startswith("mm-vet.json: 'utf-8' codec can't decode")


def test_made_up_file_is_told_to_be_altered(tmp_path: Path) -> None:
    benchmark = mm_vet.load(write_vet(tmp_path))
    assert benchmark.version == "altered"
    assert benchmark.notes[0] == (
        "mm-vet.json is altered: 3 samples, not 218; it is not as published (revision 'current' "
        "or 'older answers'); scores do not compare with published ones"
    )


def known(**fields: Any) -> official.Manifest:
    values: dict[str, Any] = {"file": "f.json", "samples": 2, "license": "", "source": "s"}
    values |= {"revisions": {}, "rest": "", "differences": {}}
    return official.Manifest(**{**values, **fields})


def test_revision_is_named_by_its_answers_and_everything_else() -> None:
    old, new, rest = [["a", "1"], ["b", "2"]], [["a", "1"], ["b", "3"]], [["a", "q"], ["b", "r"]]
    names = {"old": official.digest(old), "new": official.digest(reversed(new))}
    differs = {"old": "one answer differs"}
    manifest = known(revisions=names, rest=official.digest(rest), differences=differs)
    told = ["f.json holds the old: one answer differs"]
    assert official.revision(manifest, old, rest, 2) == ("old", told)
    assert official.revision(manifest, new, rest, 2) == ("new", [])
    version, notes = official.revision(manifest, new, [["a", "q"], ["b", "s"]], 2)
    assert version == "altered" and "questions, images or categories" in notes[0]
    version, notes = official.revision(manifest, [["a", "1"]], rest, 1)
    assert version == "altered" and "1 samples, not 2" in notes[0]
    assert official.revision(known(), new, rest, 2) == ("", [])


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), unique_by=lambda r: r[0]), st.randoms())
def test_digest_does_not_hang_on_the_order(rows: list[tuple[str, str]], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert official.digest(rows) == official.digest(shuffled)


def test_native_format_under_an_official_name_stays_native(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_text('name = "x"\n', encoding="utf-8")
    (tmp_path / "samples.jsonl").write_text('{"id": "a", "question": "q"}\n', encoding="utf-8")
    benchmark = open_benchmark(tmp_path, "mm-vet")
    assert (benchmark.name, benchmark.protocol) == ("mm-vet", "infimm-eval")


def test_official_folder_without_its_name_is_told_how_to_be_named(tmp_path: Path) -> None:
    write_vet(tmp_path)
    for name in (None, "vet"):
        with pytest.raises(BenchmarkError, match=r"but mm-vet\.json: write mm-vet="):
            open_benchmark(tmp_path, name)


@pytest.mark.parametrize("name", list(OFFICIAL))
def test_official_name_without_a_folder_says_where_to_get_it(name: str) -> None:
    assert where_to_get(name).startswith(f"write {name}=DIR; DIR is the folder with ")
    with pytest.raises(Exception, match=f"write {name}=DIR"):
        Registry().benchmark(name, Settings(directory=Path("/nowhere")))
    assert f"{name}=DIR" in Registry().listing("benchmarks")


def test_subset_file_names_samples(tmp_path: Path) -> None:
    write_json(tmp_path / "bard_set.json", ["v1_2", "v1_9"])
    assert read_subset(tmp_path / "bard_set.json") == ("v1_2", "v1_9")


# --- MM-Vet v2 ------------------------------------------------------------------------


def test_images_of_v2_stay_in_their_order_and_place(tmp_path: Path) -> None:
    benchmark = mm_vet.load_v2(write_vet_v2(tmp_path))
    assert (benchmark.version, benchmark.protocol) == ("", "mm-vet")
    first, second = benchmark.samples
    assert first.question == "First <image> then <image><image>\nwhat comes next?"
    assert [image.path for image in first.images] == [f"images/{n}.png" for n in ("b", "a", "c")]
    assert first.capabilities == ("rec", "seq") and first.interleaved
    assert not second.interleaved and second.question == VET_V2["v2_1"]["question"]
    b, a, c = first.images
    assert render(first).turns[0].parts == ("First", b, "then", a, c, "what comes next?")
    assert render(first, images="none").text == "First\nthen\nwhat comes next?"
    assert Sample.from_json(json.loads(json.dumps(first.to_json()))) == first


def test_templates_words_stand_around_an_interleaved_question() -> None:
    refs = (ImageRef("a.png", "/r"), ImageRef("b.png", "/r"))
    sample = Sample("x", "<image>left, right<image>", images=refs, interleaved=True)
    template = Template(
        user="Q: {question} A:",
        image="[{n}] {image};",
        system="Look at {images}",
        bare_system="Look",
    )
    system, user = render(sample, "cot", template=template).turns
    assert system.parts == ("Look",)
    assert user.parts == (
        "Q: [1] ",
        refs[0],
        ";left, right[2] ",
        refs[1],
        "; A:\nLet's think step by step.",
    )
    plain = render(sample, template=Template(user="{images}\n{question}", bare="Bare: {question}"))
    assert plain.turns[0].parts == ("\n", refs[0], "left, right", refs[1])
    none = render(sample, images="none", template=Template(bare="Bare: {question}"))
    assert none.text == "Bare: left, right"


@pytest.mark.parametrize(
    ("question", "text", "images"),
    [
        ("q<IMG>a.png", "q<image>", ["a.png"]),
        ("q<IMG>a.png<IMG>", "q<image>", ["a.png"]),
        ("<IMG>a b.JPG<IMG>q", "<image>q", ["a b.JPG"]),
        ("q<IMG> a.jpeg \n<IMG>r", "q<image>r", ["a.jpeg"]),
        ("q <IMG> r", "q  r", []),
        ("see\na.png<IMG>b.png", "see\na.png<image>", ["b.png"]),
    ],
)
def test_pieces_that_end_like_files_are_images(question: str, text: str, images: list[str]) -> None:
    assert mm_vet.interleaved(question) == (text, images)


@given(st.lists(st.tuples(st.text(alphabet="ab \n?"), st.booleans()), min_size=1))
def test_no_text_or_image_is_lost_between_separators(pieces: list[tuple[str, bool]]) -> None:
    names = [f"{n}.png" if is_image else text for n, (text, is_image) in enumerate(pieces)]
    text, images = mm_vet.interleaved("<IMG>".join(names))
    assert images == [f"{n}.png" for n, (_, is_image) in enumerate(pieces) if is_image]
    assert text == "".join("<image>" if is_image else t for t, is_image in pieces)


def test_mark_in_the_text_itself_is_a_fault(tmp_path: Path) -> None:
    rows = {"v2_0": vet_entry(question="what is <image> here?<IMG>a.png")}
    (only,) = faults(write_vet_v2(tmp_path, rows), "mm-vet-v2")
    assert only.endswith("field question: holds <image>, which stands for images")


# --- InfiMM-Eval ----------------------------------------------------------------------


def test_entries_of_infimm_eval_are_cleaned(tmp_path: Path) -> None:
    benchmark = infimm_eval.load(write_infimm(tmp_path))
    assert (benchmark.name, benchmark.protocol) == ("infimm-eval", "infimm-eval")
    assert benchmark.weights == {"moderate": 1.0, "high": 2.0}
    first, second, third = benchmark.samples
    assert first == Sample(
        "3",
        "Who comes first?",
        images=(
            ImageRef("images/a b (1).jpg", str(tmp_path)),
            ImageRef("images/c.webp", str(tmp_path)),
        ),
        category="deductive",
        complexity="high",
        counter_intuitive=True,
        benchmark="infimm-eval",
        weight=2.0,
    )
    assert (second.id, second.counter_intuitive, second.weight) == ("9", False, 1.0)
    assert third.answer is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, False), ("Yes", True), (" no ", False), ("", False), (True, True), (False, False)],
)
@pytest.mark.parametrize("key", ["Counter-intuitve", "Counter-intuitive", "counter_intuitive"])
def test_counter_intuitive_under_any_spelling(
    tmp_path: Path, key: str, value: object, expected: bool
) -> None:
    entry = infimm_entry()
    del entry["Counter-intuitve"]
    (only,) = infimm_eval.load(write_infimm(tmp_path, {"1": {**entry, key: value}})).samples
    assert only.counter_intuitive is expected


def test_blanks_of_image_names_are_stray_unless_the_file_has_them(tmp_path: Path) -> None:
    write_infimm(tmp_path, {"1": infimm_entry(**{"Image path": [" a.png ", " b.png"]})})
    (tmp_path / "images" / " b.png").write_bytes(b"")
    (only,) = infimm_eval.load(tmp_path).samples
    assert [image.path for image in only.images] == ["images/a.png", "images/ b.png"]


def test_every_fault_of_infimm_eval_is_listed(tmp_path: Path) -> None:
    rows = {
        "1": infimm_entry(Complexity="Hard"),
        "2": infimm_entry(Question="\n"),
        "3": {"Question": "q", "Category": "Deductive", "Complexity": "High"},
        "4": infimm_entry(**{"Image path": "a.png", "Counter-intuitve": "Maybe"}),
        "5": infimm_entry(Category=None),
    }
    assert faults(write_infimm(tmp_path, rows), "infimm-eval") == [
        "core-mm-wo-answer.json:2: id '1': field 'Complexity': is 'hard', neither Moderate nor High",
        "core-mm-wo-answer.json:12: id '2': field 'Question': is empty",
        "core-mm-wo-answer.json:22: id '3': field 'Image path': missing",
        "core-mm-wo-answer.json:27: id '4': field 'Image path': is \"a.png\", not a list of strings",
        "core-mm-wo-answer.json:27: id '4': field 'Counter-intuitve': is \"Maybe\", not Yes, No or null",
        "core-mm-wo-answer.json:35: id '5': field 'Category': is null, not a string",
    ]


def test_unknown_category_is_kept_and_told(tmp_path: Path) -> None:
    benchmark = infimm_eval.load(write_infimm(tmp_path, {"1": infimm_entry(Category="Lateral ")}))
    assert benchmark.samples[0].category == "lateral"
    assert "unknown category 'lateral' (1: 1) is kept as a row of its own" in benchmark.notes


def write_references(folder: Path, *rows: object) -> None:
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)
    (folder / "references.jsonl").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_file_without_references_is_a_fault(tmp_path: Path, content: str) -> None:
    write_infimm(tmp_path)
    (tmp_path / "references.jsonl").write_text(content, encoding="utf-8")
    (told,) = faults(tmp_path, "infimm-eval")
    assert told == "references.jsonl: holds no reference; fill it in, or take it away"


def test_reference_that_says_nothing_is_a_fault(tmp_path: Path) -> None:
    write_infimm(tmp_path)
    write_references(
        tmp_path,
        {"id": "3", "answer": " "},
        {"id": "9", "answer": "x<OR>"},
        {"id": "12", "answer": None},
    )
    assert faults(tmp_path, "infimm-eval") == [
        'references.jsonl:1: id "3": field answer: is empty; null says that there is no reference',
        'references.jsonl:2: id "9": field answer: is "x<OR>": nothing stands on one side of an '
        "<AND> or <OR>",
    ]


def test_references_give_answers_and_steps(tmp_path: Path) -> None:
    write_infimm(tmp_path)
    bare = infimm_eval.load(tmp_path)
    write_references(tmp_path, {"id": "9", "answer": "the cat", "steps": ["look", "think"]}, "")
    first, second, _ = (referenced := infimm_eval.load(tmp_path)).samples
    assert (second.answer, second.steps) == ("the cat", ("look", "think"))
    assert first.answer is None
    assert referenced.fingerprint != bare.fingerprint
    assert referenced.version == bare.version


def test_every_fault_of_the_references_is_listed(tmp_path: Path) -> None:
    write_infimm(tmp_path)
    write_references(
        tmp_path,
        {"id": "3", "answer": "a", "steps": []},
        {"id": "3", "answer": "b"},
        {"id": "39", "answer": "a"},
        {"id": 9, "answer": "a"},
        {"id": "9", "answer": 7, "steps": "one"},
        {"id": "12", "anwser": "a"},
        {"answer": "a"},
        "[1]",
        '{"id": "12", "answer": ',
    )
    assert faults(tmp_path, "infimm-eval") == [
        'references.jsonl:2: id "3": field id: the same as in line 1',
        'references.jsonl:3: id "39": field id: no such sample. Known: 12, 3, 9.',
        "references.jsonl:4: id 9: field id: is 9, not a string",
        'references.jsonl:5: id "9": field answer: is 7, not a string or null',
        'references.jsonl:5: id "9": field steps: is "one", not a list of strings',
        "references.jsonl:6: id \"12\": field anwser: unknown. Did you mean 'answer'?",
        'references.jsonl:6: id "12": field answer: missing',
        "references.jsonl:7: field id: missing",
        "references.jsonl:8: a reference is a JSON object, not list",
        "references.jsonl:9: not JSON: Expecting value at column 24",
    ]


def test_correction_is_made_told_and_switched_off(tmp_path: Path) -> None:
    write_infimm(tmp_path, {"185": infimm_entry(), "186": infimm_entry()})
    corrected, plain = infimm_eval.load(tmp_path), infimm_eval.load(tmp_path, corrections=False)
    assert [s.complexity for s in corrected.samples] == ["high", "moderate"]
    assert [s.weight for s in corrected.samples] == [2.0, 1.0]
    assert [s.complexity for s in plain.samples] == ["moderate", "moderate"]
    assert corrected.sample_notes.keys() == {"185"} and not plain.sample_notes
    assert corrected.sample_notes["185"] == (
        "sample 185: complexity high, not moderate: the authors' pictures of graded answers "
        "call it High (--mm-corrections=off takes the file as it is)"
    )
    assert corrected.fingerprint != plain.fingerprint


def test_correction_leaves_a_file_alone_that_is_right_already(tmp_path: Path) -> None:
    write_infimm(tmp_path, {"185": infimm_entry(Complexity=" high")})
    benchmark = infimm_eval.load(tmp_path)
    assert benchmark.samples[0].complexity == "high"
    assert not benchmark.sample_notes


def test_known_correction_is_data() -> None:
    (only,) = infimm_eval.known_corrections()
    assert (only.sample, only.field, only.published, only.corrected) == (
        "185",
        "complexity",
        "moderate",
        "high",
    )
