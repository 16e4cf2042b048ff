"""VLMEvalKit's tables: cells, images read where they lie, and every fault with its line."""

from __future__ import annotations

import base64
import csv
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mmreason import imaging
from pytest_mmreason.benchmarks.opening import open_benchmark
from pytest_mmreason.benchmarks.tsv import choices, file_rows, load
from pytest_mmreason.errors import BenchmarkError, DataError
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.sample import Sample
from tests.support.official import picture

RED, BLUE = picture("red"), picture("blue", (9, 5))
RED64, BLUE64 = base64.b64encode(RED).decode(), base64.b64encode(BLUE).decode()
HEAD = ["index", "image", "question", "answer", "category"]


def write(path: Path, *rows: list[str], head: list[str] | None = None) -> Path:
    """A table as pandas writes it: quotes where they are needed."""
    buffer = io.StringIO()
    csv.writer(buffer, dialect="excel-tab", lineterminator="\n").writerows([head or HEAD, *rows])
    path.write_text(buffer.getvalue(), encoding="utf-8")
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(BenchmarkError) as caught:
        load(path)
    assert caught.value.where == str(path)
    return list(caught.value.faults)


def images(path: Path) -> dict[str, list[bytes]]:
    return {s.id: [imaging.read(ref) for ref in s.images] for s in load(path).samples}


def test_rows_become_samples_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "Vet.tsv",
        ["7", RED64, "What\tis\nit?", 'red<AND>"blue"', "ocr, math"],
        ["2", RED64, "Und hier – où?", " ", "rec"],
    )
    benchmark = load(path)
    assert (benchmark.name, benchmark.protocol, benchmark.notes) == ("Vet", "mm-vet", ())
    first, second = benchmark.samples
    assert (first.id, first.question, first.answer) == ("7", "What\tis\nit?", 'red<AND>"blue"')
    assert (first.capabilities, first.category, first.tags) == (("ocr", "math"), "", ())
    assert (second.id, second.question, second.answer) == ("2", "Und hier – où?", None)
    assert load(path, "mine").samples[0].benchmark == "mine"
    assert open_benchmark(path, "mm-vet").name == "mm-vet"


def test_images_are_read_from_where_they_lie(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["1", RED64, "one", "", ""],
        ["2", f"['{RED64}', '{BLUE64}']", "as Python writes lists", "", ""],
        ["3", json.dumps([BLUE64, RED64, BLUE64]), "as JSON does, quotes doubled", "", ""],
        ["4", f'["{BLUE64}" ,"{RED64}"]', "blanks", "", ""],
        ["5", "2", "as row 2", "", ""],
        ["6", "9", "as a row that comes later", "", ""],
        ["9", BLUE64, "last", "", ""],
    )
    assert images(path) == {
        "1": [RED],
        "2": [RED, BLUE],
        "3": [BLUE, RED, BLUE],
        "4": [BLUE, RED],
        "5": [RED, BLUE],
        "6": [BLUE],
        "9": [BLUE],
    }
    loaded = imaging.load(load(path).samples[0].images[0])
    assert (loaded.mime, loaded.size) == ("image/png", (8, 8))


def test_wrapped_base64_and_crlf_and_byte_order_mark(tmp_path: Path) -> None:
    wrapped = base64.encodebytes(RED).decode()
    path = tmp_path / "t.tsv"
    text = f'index\tquestion\timage\r\n1\tq\t"{wrapped}"\r\n\r\n2\tr\t{BLUE64}\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert images(path) == {"1": [RED], "2": [BLUE]}


def test_paths_are_used_where_no_image_is_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "it's.png").write_bytes(RED)
    path = write(
        tmp_path / "t.tsv",
        ["1", "", "q", "it's.png"],
        ["2", "", "q", '["it\'s.png", "b c.png"]'],
        ["3", "", "q", "['a.png']"],
        ["4", RED64, "q", "saved-as.png"],
        ["5", "", "q", "../x.png"],
        ["6", "", "q", ""],
        head=["index", "image", "question", "image_path"],
    )
    benchmark = load(path)
    found = {s.id: [ref.path for ref in s.images] for s in benchmark.samples}
    assert found["1"] == ["it's.png"]
    assert found["2"] == ["it's.png", "b c.png"]
    assert found["3"] == ["a.png"]
    assert found["4"][0].startswith("base64:")
    assert imaging.read(benchmark.samples[0].images[0]) == RED
    with pytest.raises(DataError, match="outside"):
        imaging.read(benchmark.samples[4].images[0])
    assert benchmark.notes == ("t.tsv: 1 of 6 rows have no image",)


def test_other_categories_are_one_category_or_tags_for_the_whole_file(tmp_path: Path) -> None:
    rows = [["1", RED64, "q", "", "OCR,chart"], ["2", RED64, "q", "", "Logic puzzle"]]
    first, second = load(write(tmp_path / "a.tsv", *rows)).samples
    assert (first.capabilities, first.category, first.tags) == (("ocr",), "chart", ())
    assert (second.category, second.tags) == ("Logic puzzle", ())
    rows.append(["3", RED64, "q", "", "chart, table,,chart"])
    first, second, third = load(write(tmp_path / "b.tsv", *rows)).samples
    assert (first.capabilities, first.category, first.tags) == (("ocr",), "", ("chart",))
    assert (second.category, second.tags) == ("", ("Logic puzzle",))
    assert third.tags == ("chart", "table")


def test_columns_that_are_not_read_are_told(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv", ["1", "q", "x", "y"], head=["index", "question", "split", "hint"]
    )
    assert load(path).notes == (
        "t.tsv: columns not read: split, hint",
        "t.tsv: 1 of 1 rows have no image",
    )


CHOICE = ["index", "question", "answer", "hint", "A", "B", "C"]


def test_options_are_put_as_vlmevalkit_puts_them(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["1", "What is it?", "B", "", "cat", " dog", "hot\tdog"],
        ["2", "And this?", "b", "Look twice.", "1", "", ""],
        ["3", "Freely?", "B", "Look.", "", "", ""],
        ["4", "Unknown?", "", "", "x", "y", ""],
        ["5", "Which letter?", "C", "", "A", "B", "C"],
        head=CHOICE,
    )
    benchmark = load(path)
    one, two, three, four, five = benchmark.samples
    end = "Please select the correct answer from the options above."
    assert one.question == f"Question: What is it?\nOptions:\nA. cat\nB. dog\nC. hot\tdog\n{end}"
    assert one.answer == "B. dog<OR>B<OR>dog"
    assert two.question == f"Hint: Look twice.\nQuestion: And this?\nOptions:\nA. 1\n{end}"
    assert two.answer == "b"
    assert (three.question, three.answer) == ("Freely?", "B")
    assert four.answer is None
    assert five.answer == "C. C<OR>C"
    assert benchmark.notes == ("t.tsv: 5 of 5 rows have no image",)


@pytest.mark.parametrize("response", ["B", "(B)", "dog", "B. dog", "The answer is B.", "b"])
def test_letter_text_or_both_answer_a_choice(response: str) -> None:
    question, answer = choices("What is it?", {"A": "cat", "B": "dog"}, "B")
    sample = Sample("1", question, answer=answer)
    assert judge_locally(sample, response, "mm-vet").score == 1.0
    for wrong in ("A", "cat", "A. cat"):
        assert judge_locally(sample, wrong, "mm-vet").score == 0.0


def test_letter_without_an_option_is_a_fault(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["7", "q", "C", "", "cat", "dog", ""],
        ["8", "q", "D", "", "cat", "dog", "emu"],
        head=CHOICE,
    )
    assert faults(path) == [
        "t.tsv:2: index '7': field answer: 'C' names no option; the row has A, B",
        "t.tsv:3: index '8': field answer: 'D' names no option; the row has A, B, C",
    ]


def test_answer_with_an_empty_side_is_a_fault_and_a_blank_one_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", ["7", "q", "x<OR> ", "", "", "", ""], head=CHOICE)
    assert faults(path) == [
        "t.tsv:2: index '7': field answer: is \"x<OR>\": nothing stands on one side of an <AND> "
        "or <OR>"
    ]
    path = write(tmp_path / "u.tsv", ["7", "q", "  ", "", "", "", ""], head=CHOICE)
    assert load(path).samples[0].answer is None


def test_what_pandas_writes_for_an_empty_cell_is_one(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["1", "nan", "nan", "nan", "nan", "nan", "nan"],
        ["2", "q", "A", "ocr", "one", "nan", "nan"],
        ["3", "NaN?", "NaN", "banana", "", "", ""],
        head=["index", "question", "answer", "category", "A", "B", "hint"],
    )
    benchmark = load(path)
    one, two, three = benchmark.samples
    assert (one.question, one.answer, one.category) == ("nan", None, "")
    assert "nan" not in two.question and two.answer == "A. one<OR>A<OR>one"
    assert (three.answer, three.category) == ("NaN", "banana")
    assert "t.tsv: 7 cells that hold 'nan' are taken as empty" in benchmark.notes


def test_cell_beyond_the_csv_modules_limit_is_read(tmp_path: Path) -> None:
    cell = "x" * (csv.field_size_limit() + 1)
    path = write(tmp_path / "t.tsv", ["1", cell, cell, "", ""])
    (sample,) = load(path).samples
    assert sample.question == cell and sample.images[0].root.endswith(f",{len(cell)}")


def test_every_fault_is_listed_with_line_index_and_field(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["1", RED64, "a\nb", "", ""],
        ["1", RED64, "q", "", ""],
        ["", RED64, "q", "", ""],
        ["4", RED64, "  ", "", ""],
        ["5", f"['{RED64}', 3]", "q", "", ""],
        ["6", "99", "q", "", ""],
        ["7", "8", "q", "", ""],
        ["8", "1", "q", "", ""],
        ["9", RED64, "q"],
        ["10", "[]", "q", "", ""],
        ["11", "['" + RED64, "q", "", ""],
    )
    assert faults(path) == [
        "t.tsv:4: index '1': field index: the same as in line 2",
        "t.tsv:5: field index: is empty",
        "t.tsv:6: index '4': field question: is empty",
        "t.tsv:7: index '5': field image: is no list of base64 strings",
        "t.tsv:11: 3 cells under 5 columns; a cell that holds a tab or a line break needs quotes",
        "t.tsv:12: index '10': field image: is no list of base64 strings",
        "t.tsv:13: index '11': field image: is no list of base64 strings",
        "t.tsv:8: index '6': field image: '99' is no row's index, and too short for an image",
        "t.tsv:9: index '7': field image: '8' is a row without an image of its own, and too short "
        "for an image",
    ]


def test_lists_are_never_evaluated(tmp_path: Path) -> None:
    for cell in ("[__import__('os').getcwd()]", "[open('x','w')]", "['a'*99]", "['a'] + ['b']"):
        path = write(tmp_path / "t.tsv", ["1", cell, "q", "", ""])
        assert faults(path) == ["t.tsv:2: index '1': field image: is no list of base64 strings"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "t.tsv:1: column 'index' is missing. There is none to choose from."),
        (b"index\timage\n", "t.tsv:1: column 'question' is missing. "),
        (b"indx\tquestion\n", "t.tsv:1: column 'index' is missing. Did you mean 'indx'?"),
        (b"index\tquestion\tindex\n", "t.tsv:1: column named twice: 'index'"),
        (b"index\tquestion\n", "t.tsv: holds no sample"),
        (b"\xff\tquestion\n", "t.tsv:1: the header is no UTF-8"),
        (b"index\tquestion\n1\t\xff\n", "t.tsv:2: index '1': field question: 'utf-8' codec"),
        (b'index\tquestion\n\n1\t"open\n\n', "t.tsv:3: a quoted cell that begins here never ends"),
        (b'index\tquestion\n1\t"a"b\n', "t.tsv:2: cell 2: text after its closing quote"),
    ],
)
def test_broken_tables_are_told_with_their_line(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "t.tsv").write_bytes(content)
    assert any(line.startswith(fault) for line in faults(tmp_path / "t.tsv"))


def test_missing_table_and_unusable_name(tmp_path: Path) -> None:
    assert faults(tmp_path / "gone.tsv") == ["gone.tsv: No such file or directory"]
    path = write(tmp_path / "a:b.tsv", ["1", RED64, "q", "", ""])
    assert faults(path) == ["a:b.tsv: its name holds ':', '=' or a line break; write NAME=FILE"]
    assert load(path, "ab").name == "ab"


def test_damaged_image_is_an_error_of_its_sample_alone(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.tsv",
        ["1", RED64[:-9], "q", "", ""],
        ["2", "?" * 100, "q", "", ""],
        ["3", RED64, "q", "", ""],
    )
    first, second, third = load(path).samples
    for broken in (first, second):
        with pytest.raises(DataError, match=r"image 'base64:\w+' .*t\.tsv#base64=\d+,\d+"):
            imaging.load(broken.images[0])
    assert imaging.load(third.images[0]).size == (8, 8)


def test_no_row_names_a_part_of_a_file(tmp_path: Path) -> None:
    hidden = write(tmp_path / "x.tsv", ["1", RED64, "q", "", ""])
    ref = load(hidden).samples[0].images[0]
    rows = ["x.tsv#base64=30,9", "../x.tsv#base64=30,9", ref.path, f"{ref.root}"]
    path = write(
        tmp_path / "in.tsv",
        *([str(n), name, "q"] for n, name in enumerate(rows)),
        head=["index", "image_path", "question"],
    )
    for sample in load(path).samples:
        with pytest.raises(DataError, match=r"is missing below|lies outside|is not a path below"):
            imaging.read(sample.images[0])


def test_a_table_behind_a_link_keeps_its_images(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshots").mkdir()
    write(tmp_path / "blobs" / "2f7a", ["1", RED64, "q", "", ""])
    link = tmp_path / "snapshots" / "Vet.tsv"
    link.symlink_to(Path("..", "blobs", "2f7a"))
    assert images(link) == {"1": [RED]}


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    wrapped = base64.encodebytes(RED).decode()
    rows = [["1", wrapped, "q", "", ""], ["2", RED64, "r", "", ""], ["3", BLUE64, "s", "", ""]]
    path = write(tmp_path / "a.tsv", *rows)
    other = tmp_path / "b" / "other.tsv"
    other.parent.mkdir()
    other.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert b"\r\n" in other.read_bytes() and images(other) == images(path)
    assert load(other).fingerprint == load(path).fingerprint
    # The same image twice in a table is one.
    one, two, three = load(path).samples
    assert one.images == two.images != three.images
    changed = write(tmp_path / "c.tsv", *rows[:2], ["3", RED64, "s", "", ""])
    assert load(changed).fingerprint != load(path).fingerprint


def test_images_are_not_held_in_memory(tmp_path: Path) -> None:
    cell = "A" * 400_000
    path = write(tmp_path / "t.tsv", *([str(n), cell, "q", "", ""] for n in range(100)))
    tracemalloc.start()
    try:
        assert len(load(path).samples) == 100
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6_000_000  # the table has 40 MB


_cells = st.text(alphabet=st.sampled_from("ab\"\t\n' ,[]é\u2028"), max_size=12)


@given(st.lists(st.lists(_cells, min_size=2, max_size=4), min_size=1, max_size=6))
def test_cells_are_those_of_the_csv_module_and_lie_where_they_say(rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, dialect="excel-tab", lineterminator="\n").writerows(rows)
    data = buffer.getvalue().encode()
    found: list[str] = []
    cells = [c for _, c in file_rows(iter(io.BytesIO(data)), "t.tsv", found)]
    assert found == []
    assert [[cell.text for cell in row] for row in cells] == rows
    for row in cells:
        for cell in row:
            assert data[cell.start : cell.start + len(cell.raw)] == cell.raw


@given(st.binary(max_size=300))
def test_any_bytes_are_samples_or_faults(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    path.write_bytes(b"index\tquestion\timage\n" + data)
    try:
        assert load(path).samples
    except BenchmarkError as error:
        assert error.faults
