"""VLMEvalKit's tables: a TSV file whose cells hold the images as base64.

The images of a table may be gigabytes. A row is held in memory at a time, and of an image
only where in the file it lies; :mod:`pytest_mmreason.imaging` reads it from there when a
call is about to be made.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_mmreason.benchmarks.base import Benchmark
from pytest_mmreason.benchmarks.mm_vet import CAPABILITIES_V2, PROTOCOL
from pytest_mmreason.benchmarks.validation import reference, shown
from pytest_mmreason.errors import BenchmarkError, nearest
from pytest_mmreason.imaging import embedded
from pytest_mmreason.sample import ImageRef, Sample

COLUMNS = ("index", "question", "answer", "image", "image_path", "category", "hint")
REQUIRED = ("index", "question")

_LETTERS = frozenset(string.ascii_uppercase)
"""What the columns of a multiple-choice question's options are called."""

SELECT = "Please select the correct answer from the options above."
"""How VLMEvalKit ends a multiple-choice question."""

_NAN = "nan"
"""What pandas makes of an empty cell that is turned into text."""

_LONGEST_INDEX = 64
"""An image cell no longer than this names the row that holds the image, as VLMEvalKit reads it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's content without its quotes, and the byte of the file at which it starts."""

    start: int
    raw: bytes
    is_quoted: bool

    @property
    def text(self) -> str:
        """The content; UnicodeDecodeError if it is no UTF-8."""
        raw = self.raw.replace(b'""', b'"') if self.is_quoted else self.raw
        return raw.decode("utf-8")


def load(path: Path, name: str | None = None) -> Benchmark:
    """The benchmark in the table `path`, named by the file unless `name` is given.

    Columns are ``index`` and ``question``, and if there are any ``answer`` (an empty cell
    means unreferenced), ``image`` (base64, a list of it, or the index of the row that holds
    the same image), ``image_path`` (a path below the file's folder or a list of them, where
    no image is in the table), ``category`` (values with commas between them) and the options
    ``A``, ``B``, ... of a multiple-choice question with its ``hint``, see :func:`choices`.

    Raises BenchmarkError listing all faults, each with line, index and field.
    """
    faults: list[str] = []
    reader = _Reader(path, name or path.stem, faults)
    try:
        with path.open("rb") as file:
            reader.read(file_rows(file, path.name, faults))
    except OSError as error:
        faults.append(f"{path.name}: {error.strerror or error}")
    samples = reader.samples()
    if not samples and not faults:
        faults.append(f"{path.name}: holds no sample")
    if set(reader.name) & set(":=\n"):
        faults.append(f"{path.name}: its name holds ':', '=' or a line break; write NAME=FILE")
    if faults:
        raise BenchmarkError(str(path), faults)
    return Benchmark(
        name=reader.name,
        protocol=PROTOCOL,
        samples=tuple(samples),
        source=path.name,
        notes=tuple(reader.notes()),
        file=path.name,
    )


def file_rows(
    file: Iterator[bytes], name: str, faults: list[str]
) -> Iterator[tuple[int, list[Cell]]]:
    """(line, cells) of each row of a table; a fault, and no more rows, where a quote stays open.

    A cell that begins with a quote ends with one; tabs, line breaks and doubled quotes
    may stand between them.
    """
    offset, number = 0, 0
    for first in file:
        number += 1
        start, line, row = offset, number, first
        if offset == 0 and row.startswith(b"\xef\xbb\xbf"):
            start, row = 3, row[3:]
        offset += len(first)
        cells: list[Cell] = []
        at = 0
        while True:
            if row[at : at + 1] == b'"':
                end = _closing(row, at + 1)
                pieces = [row]
                while end < 0:
                    # Joined once, however many lines the cell has.
                    more = next(file, b"")
                    if not more:
                        faults.append(
                            f"{name}:{line}: a quoted cell that begins here never ends; "
                            "the file is cut off or altered, get it again"
                        )
                        return
                    number, offset = number + 1, offset + len(more)
                    pieces.append(more)
                    if b'"' in more:
                        row = b"".join(pieces)
                        pieces = [row]
                        end = _closing(row, at + 1)
                cells.append(Cell(start + at + 1, row[at + 1 : end], True))
                after = end + 1
                if row[after : after + 1] not in (b"\t", b"\r", b"\n", b""):
                    faults.append(
                        f"{name}:{line}: cell {len(cells)}: text after its closing quote; "
                        "double the quotes inside a quoted cell"
                    )
                    after = _end(row, after)
            else:
                after = _end(row, at)
                cells.append(Cell(start + at, row[at:after], False))
            if row[after : after + 1] != b"\t":
                break
            at = after + 1
        if cells != [Cell(start, b"", False)]:
            yield line, cells


def _closing(row: bytes, at: int) -> int:
    """Where the quote that closes a cell stands, from `at` on; -1 if it is not in `row`."""
    while True:
        at = row.find(b'"', at)
        if at < 0 or row[at + 1 : at + 2] != b'"':
            return at
        at += 2


def _end(row: bytes, at: int) -> int:
    """Where a cell without quotes ends: at a tab, or before the line's end."""
    tab = row.find(b"\t", at)
    if tab >= 0:
        return tab
    end = len(row)
    for mark in (b"\n", b"\r"):
        if end > at and row.endswith(mark, at, end):
            end -= 1
    return end


@dataclass(slots=True)
class _Row:
    line: int
    index: str
    question: str
    answer: str | None
    values: tuple[str, ...]
    images: tuple[ImageRef, ...]
    same_as: str


class _Reader:
    """Rows of a table, and what is wrong with them."""

    def __init__(self, path: Path, name: str, faults: list[str]) -> None:
        self.path = path
        self.name = name
        self.faults = faults
        self._columns: list[str] = []
        self._options: list[str] = []
        self._read: list[str] = []
        self._rows: dict[str, _Row] = {}
        self._nan = 0
        self._embedded: dict[str, ImageRef] = {}

    def read(self, rows: Iterator[tuple[int, list[Cell]]]) -> None:
        """Take in all rows, the first of which names the columns."""
        line, header = next(rows, (1, []))
        try:
            self._columns = [cell.text.strip() for cell in header]
        except UnicodeDecodeError as error:
            self._fault(line, "", f"the header is no UTF-8: {error.reason}")
            return
        for column in REQUIRED:
            if column not in self._columns:
                hint = nearest(column, self._columns)
                self._fault(line, "", f"column {column!r} is missing. {hint}")
        self._options = [c for c in self._columns if c in _LETTERS]
        self._read = [c for c in (*COLUMNS, *self._options) if c != "image"]
        twice = sorted({c for c in self._columns if self._columns.count(c) > 1})
        if twice:
            self._fault(line, "", f"column named twice: {', '.join(map(repr, twice))}")
        if self.faults:
            return
        for line, cells in rows:
            if len(cells) != len(self._columns):
                self._fault(
                    line,
                    "",
                    f"{len(cells)} cells under {len(self._columns)} columns; a cell that holds "
                    "a tab or a line break needs quotes",
                )
                continue
            self._row(line, dict(zip(self._columns, cells, strict=True)))

    def _fault(self, line: int, index: str, text: str) -> None:
        where = f"{self.path.name}:{line}"
        self.faults.append(f"{where}: index {index!r}: {text}" if index else f"{where}: {text}")

    def _row(self, line: int, cells: Mapping[str, Cell]) -> None:
        texts: dict[str, str] = {}
        for column in self._read:
            if column in cells:
                try:
                    texts[column] = cells[column].text
                except UnicodeDecodeError as error:
                    self._fault(line, texts.get("index", ""), f"field {column}: {error}")
                    return
                if texts[column].strip() == _NAN and column not in REQUIRED:
                    texts[column] = ""
                    self._nan += 1
        index = texts["index"].strip()
        before = len(self.faults)
        if not index:
            self._fault(line, "", "field index: is empty")
        elif index in self._rows:
            self._fault(line, index, f"field index: the same as in line {self._rows[index].line}")
        if not texts["question"].strip():
            self._fault(line, index, "field question: is empty")
        options = {c: texts[c].strip() for c in self._options if texts[c].strip()}
        letter = texts.get("answer", "").strip()
        if options and letter in _LETTERS and letter not in options:
            named = f"{letter!r} names no option; the row has {', '.join(options)}"
            self._fault(line, index, f"field answer: {named}")
        elif letter and (fault := reference(letter)):
            self._fault(line, index, f"field answer: {fault}")
        images, same_as = self._images(line, index, cells.get("image"))
        if not images and not same_as:
            images = self._paths(line, index, texts.get("image_path", ""))
        if len(self.faults) == before:
            values = dict.fromkeys(v.strip() for v in texts.get("category", "").split(","))
            question = texts["question"]
            answer = texts["answer"] if letter else None
            if options:
                question, answer = choices(question, options, answer, texts.get("hint", ""))
            self._rows[index] = _Row(
                line,
                index,
                question,
                answer,
                tuple(filter(None, values)),
                images,
                same_as,
            )

    def _images(self, line: int, index: str, cell: Cell | None) -> tuple[tuple[ImageRef, ...], str]:
        """(images in the cell, index of the row that holds them instead)."""
        raw = cell.raw.strip() if cell is not None else b""
        if cell is None or not raw:
            return (), ""
        if raw.startswith(b"["):
            spans = _listed(cell.raw)
            if spans is None:
                self._fault(line, index, "field image: is no list of base64 strings")
                return (), ""
            return tuple(self._ref(cell.start + a, cell.raw[a:b]) for a, b in spans), ""
        if len(raw) <= _LONGEST_INDEX:
            return (), raw.decode("utf-8", "replace")
        return (self._ref(cell.start + cell.raw.index(raw[:1]), raw),), ""

    def _ref(self, start: int, text: bytes) -> ImageRef:
        """The image in `text`; of those with the same content the first."""
        ref = embedded(str(self.path), start, text)
        return self._embedded.setdefault(ref.path, ref)

    def _paths(self, line: int, index: str, text: str) -> tuple[ImageRef, ...]:
        text = text.strip()
        if not text.startswith("["):
            paths: Sequence[str] | None = [text] if text else []
        else:
            raw = text.encode("utf-8")
            spans = _listed(raw, _ANY)
            paths = None if spans is None else [raw[a:b].decode("utf-8") for a, b in spans]
        if paths is None:
            self._fault(line, index, f"field image_path: {shown(text)} is no list of paths")
            return ()
        return tuple(ImageRef(path, str(self.path.parent)) for path in paths)

    def samples(self) -> list[Sample]:
        """All rows as samples, in the order of the file."""
        several = any(
            len([v for v in row.values if v.lower() not in CAPABILITIES_V2]) > 1
            for row in self._rows.values()
        )
        return [self._sample(row, several) for row in self._rows.values()]

    def _sample(self, row: _Row, several: bool) -> Sample:
        images = row.images
        if row.same_as:
            other = self._rows.get(row.same_as)
            if other is None or not other.images:
                what = "no row's index" if other is None else "a row without an image of its own"
                self._fault(
                    row.line,
                    row.index,
                    f"field image: {row.same_as!r} is {what}, and too short for an image",
                )
            else:
                images = other.images
        capabilities = [v.lower() for v in row.values if v.lower() in CAPABILITIES_V2]
        others = tuple(v for v in row.values if v.lower() not in CAPABILITIES_V2)
        return Sample(
            row.index,
            row.question,
            images=images,
            answer=row.answer,
            category="" if several else "".join(others),
            capabilities=tuple(dict.fromkeys(capabilities)),
            tags=others if several else (),
            benchmark=self.name,
        )

    def notes(self) -> Iterator[str]:
        """What the table holds that is not asked, or lacks."""
        known = [*COLUMNS, *self._options]
        if not self._options:
            known.remove("hint")
        unread = [column for column in self._columns if column and column not in known]
        if unread:
            yield f"{self.path.name}: columns not read: {', '.join(unread)}"
        if self._nan:
            yield f"{self.path.name}: {self._nan} cells that hold 'nan' are taken as empty"
        bare = sum(not row.images and not row.same_as for row in self._rows.values())
        if bare:
            yield f"{self.path.name}: {bare} of {len(self._rows)} rows have no image"


def choices(
    question: str, options: Mapping[str, str], answer: str | None, hint: str = ""
) -> tuple[str, str | None]:
    """(question, reference) of a multiple-choice question, put as VLMEvalKit puts it.

    options: letter -> text. An answer that is one of the letters becomes a reference that
    the letter, the text or both fulfil; any other stays as it is.
    """
    lines = [f"Hint: {hint.strip()}"] if hint.strip() else []
    lines += [f"Question: {question}", "Options:"]
    lines += [f"{letter}. {text}" for letter, text in options.items()]
    lines.append(SELECT)
    letter = (answer or "").strip()
    if letter in options:
        text = options[letter]
        answer = f"{letter}. {text}<OR>{letter}"
        if text != letter:
            answer += f"<OR>{text}"
    return "\n".join(lines), answer


_BASE64 = rb"[A-Za-z0-9+/=_\-\s\\]"
_ANY = rb"(?:(?!\1)[^\\])"


def _listed(raw: bytes, inside: bytes = _BASE64) -> list[tuple[int, int]] | None:
    """[start, end) of each string in a list as JSON or Python write it; None if it is none.

    Nothing is evaluated. The quotes may be doubled: a CSV writer does that to them.
    """
    item = re.compile(rb"\s*(\"\"|\"|')(" + inside + rb"++)\1\s*([,\]])")
    at, spans = raw.index(b"[") + 1, []
    while True:
        found = item.match(raw, at)
        if found is None:
            return None
        spans.append(found.span(2))
        at = found.end()
        if found[3] == b"]":
            return None if raw[at:].strip() else spans
