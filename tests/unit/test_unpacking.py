"""Archives and tables from the hub: the official layout, and nothing outside the folder."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_mmreason.benchmarks.opening import open_benchmark
from pytest_mmreason.errors import UsageError
from pytest_mmreason.fetching.hub import FetchError
from pytest_mmreason.fetching.table import parquet
from pytest_mmreason.fetching.unpacking import Target, unpack
from tests.support.official import picture


def archive(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members:
            file.writestr(name, data)
    return path


def unpacked(
    source: Path, folder: Path, name: str = "", official: str = "mm-vet.json"
) -> list[str]:
    target = Target(folder, official)
    unpack(source, name or source.name, target)
    return target.made


@pytest.mark.parametrize(
    ("name", "archive_name", "place"),
    [
        ("mm-vet/mm-vet.json", "mm-vet.zip", "mm-vet.json"),
        ("a/b/images/c d.JPG", "mm-vet.zip", "images/c d.JPG"),
        ("images/sub/c.webp", "images.zip", "images/sub/c.webp"),
        ("c.webp", "images.zip", "images/c.webp"),
        ("c.webp", "other.zip", None),
        ("mm-vet/results/x.json", "mm-vet.zip", None),
        ("images/run.py", "images.zip", None),
        ("images/._c.png", "images.zip", None),
    ],
)
def test_members_go_where_the_reader_looks(
    tmp_path: Path, name: str, archive_name: str, place: str | None
) -> None:
    source = archive(tmp_path / archive_name, (name, b"data"))
    assert unpacked(source, tmp_path / "x") == ([place] if place else [])
    found = [p for p in (tmp_path / "x").rglob("*") if p.is_file()]
    assert found == ([tmp_path / "x" / place] if place else [])


def link(name: str, mode: int = stat.S_IFLNK) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (mode | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("member", "told"),
    [
        ("../images/a.png", "a path out of its folder; refused"),
        ("images/../../images/a.png", "a path out of its folder; refused"),
        ("/images/a.png", "a path out of its folder; refused"),
        ("images\\..\\..\\a.png", "a path out of its folder; refused"),
        ("C:/images/a.png", "a path out of its folder; refused"),
        (link("images"), "'images', which is a link or device; refused"),
        (link("images/a.png"), "which is a link or device; refused"),
        (link("images/a.png", stat.S_IFIFO), "which is a link or device; refused"),
        ("other/images/ok.png", "which are one file here"),
    ],
)
def test_harmful_archive_is_refused_before_anything_is_written(
    tmp_path: Path, member: str | zipfile.ZipInfo, told: str
) -> None:
    source = archive(tmp_path / "x.zip", ("images/ok.png", b"1"), (member, b"/etc"))
    with pytest.raises(FetchError, match=told):
        unpacked(source, tmp_path / "in")
    assert [p.name for p in tmp_path.iterdir()] == ["x.zip"]


def test_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_mmreason.fetching.unpacking.LARGEST_BYTES", 10)
    source = archive(tmp_path / "x.zip", ("images/a.png", b"12345678901"))
    with pytest.raises(FetchError, match="would unpack to more than"):
        unpacked(source, tmp_path / "in")


@pytest.mark.parametrize("cut", [10, 60, -5])
def test_damaged_archive_is_told(tmp_path: Path, cut: int) -> None:
    source = archive(tmp_path / "x.zip", ("images/a.png", b"12345678901"))
    source.write_bytes(source.read_bytes()[:cut])
    with pytest.raises(FetchError, match=r"x\.zip is damaged or no zip archive"):
        unpacked(source, tmp_path / "in")


def test_altered_member_is_told_and_not_kept(tmp_path: Path) -> None:
    source = archive(tmp_path / "x.zip", ("images/a.png", b"12345678901"))
    source.write_bytes(source.read_bytes().replace(b"12345678901", b"x2345678901"))
    with pytest.raises(FetchError, match="Bad CRC-32"):
        unpacked(source, tmp_path / "in")
    assert not any(p.is_file() for p in (tmp_path / "in").rglob("*"))


def test_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "images").symlink_to(tmp_path / "out")
    source = archive(tmp_path / "x.zip", ("images/a.png", b"1"))
    with pytest.raises(FetchError, match="leads out of"):
        unpacked(source, tmp_path / "in")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "images/../../evil/x.png",
        "images/../x.png",
        "images\\..\\x.png",
        "images/a\0.png",
        "/images/a.png",
        "../mm-vet.json",
    ],
)
def test_file_of_a_harmful_name_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "part").write_bytes(b"1")
    with pytest.raises(FetchError, match="a path out of its folder; refused"):
        unpacked(tmp_path / "part", tmp_path / "in" / "here", name)
    assert [p.name for p in tmp_path.iterdir()] == ["part"]


def test_name_that_a_table_keeps_is_checked_too(tmp_path: Path) -> None:
    target = Target(tmp_path / "in", "mm-vet.json")
    with (
        pytest.raises(FetchError, match="refused"),
        target.writing(PurePosixPath("images/a\0.png")),
    ):
        pass
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize("packed", [True, False])
def test_link_in_the_place_of_a_partial_file_is_not_written_through(
    tmp_path: Path, packed: bool
) -> None:
    (tmp_path / "in" / "images").mkdir(parents=True)
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "in" / "images" / "a.png.part").symlink_to(tmp_path / "mine")
    (tmp_path / "file").write_bytes(b"1")
    source = archive(tmp_path / "x.zip", ("images/a.png", b"1")) if packed else tmp_path / "file"
    assert unpacked(source, tmp_path / "in", "x.zip" if packed else "images/a.png")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert (tmp_path / "in" / "images" / "a.png").read_bytes() == b"1"
    assert [p.name for p in (tmp_path / "in" / "images").iterdir()] == ["a.png"]


def test_plain_files_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(b"{}")
    assert unpacked(tmp_path / "part", tmp_path / "x", "data/mm-vet.json") == ["mm-vet.json"]
    assert unpacked(tmp_path / "part", tmp_path / "x", "data/README.md") == []


RED, BLUE = picture("red", (40, 40)), picture("blue", (40, 41))


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="the extra hub is not installed")
    parquet().write_table(arrow.Table.from_pylist(rows), path)
    return path


def test_table_of_mm_vet_becomes_the_official_layout(tmp_path: Path) -> None:
    rows = [
        {"id": "v1_0", "image": {"bytes": RED, "path": None}, "capability": ["rec", "ocr"]},
        {"id": "v1_1", "image": {"bytes": RED, "path": None}, "capability": ["rec"]},
        {"id": "v1_2", "image": {"bytes": BLUE, "path": "a/kept.jpg"}, "capability": ["math"]},
    ]
    rows = [
        {**r, "question": f"q {r['id']} é", "answer": "a<AND>b", "imagesource": "w"} for r in rows
    ]
    source = table(tmp_path / "t.parquet", rows)
    made = unpacked(source, tmp_path / "x")
    assert made == ["images/v1_0.png", "images/kept.jpg", "mm-vet.json"]
    first = json.loads((tmp_path / "x" / "mm-vet.json").read_text(encoding="utf-8"))["v1_0"]
    assert first == {
        "imagename": "v1_0.png",
        "question": "q v1_0 é",
        "answer": "a<AND>b",
        "imagesource": "w",
        "capability": ["rec", "ocr"],
    }
    benchmark = open_benchmark(tmp_path / "x", "mm-vet")
    assert [s.images[0].path for s in benchmark.samples] == [
        "images/v1_0.png",
        "images/v1_0.png",
        "images/kept.jpg",
    ]
    assert (tmp_path / "x" / "images" / "v1_0.png").read_bytes() == RED


def test_table_of_mm_vet_v2_keeps_images_among_the_words(tmp_path: Path) -> None:
    rows = [
        {
            "id": "v2_0",
            "question": "First<IMG><image_0>then<IMG><image_1><IMG>what?",
            "answer": "x",
            "capability": "rec, seq",
            "image_0": {"bytes": RED, "path": "x.txt"},
            "image_1": {"bytes": BLUE, "path": None},
        },
        {
            "id": "v1_1",
            "question": "<image_0><IMG>What?",
            "answer": "y",
            "capability": "ocr",
            "image_0": {"bytes": RED, "path": None},
            "image_1": None,
        },
    ]
    unpacked(table(tmp_path / "t.parquet", rows), tmp_path / "x", official="mm-vet-v2.json")
    first, second = open_benchmark(tmp_path / "x", "mm-vet-v2").samples
    assert first.question == "First<image>then<image>what?"
    assert [i.path for i in first.images] == ["images/v2_0_0.png", "images/v2_0_1.png"]
    assert first.capabilities == ("rec", "seq")
    assert (second.question, second.images) == ("<image>What?", first.images[:1])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "1", "question": "q"}, "has columns id, question and lacks answer, capability"),
        (
            {"id": "1", "question": "q", "answer": "a", "capability": ["rec"]},
            "lacks image; --repo names another",
        ),
        (
            {
                "id": "1",
                "question": "q",
                "answer": "a",
                "capability": ["rec"],
                "image": {"bytes": None, "path": "x.png"},
            },
            "the image 'x.png' lies outside the table",
        ),
    ],
)
def test_other_tables_are_told(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    with pytest.raises(FetchError, match=told):
        unpacked(table(tmp_path / "t.parquet", [row]), tmp_path / "x")


def test_damaged_table_is_told(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra hub is not installed")
    (tmp_path / "t.parquet").write_bytes(io.BytesIO(b"PAR1 nothing PAR1").getvalue())
    with pytest.raises(FetchError, match=r"t\.parquet cannot be read"):
        unpacked(tmp_path / "t.parquet", tmp_path / "x")


def test_without_pyarrow_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"needs pyarrow: pip install 'pytest-mmreason\[hub\]'"):
        parquet()
