"""Made-up files in the shapes of the official benchmarks."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image


def picture(colour: str = "red", size: tuple[int, int] = (8, 8)) -> bytes:
    """A small PNG."""
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def vet_entry(**fields: Any) -> dict[str, Any]:
    """An entry of ``mm-vet.json``."""
    return {
        "imagename": "flag.png",
        "question": "What is this?",
        "answer": "a flag",
        "capability": ["rec"],
        "imagesource": "made",
        **fields,
    }


VET: dict[str, Any] = {
    "v1_2": vet_entry(
        question="Which two colours has the flag?",
        answer="red<AND>blue",
        capability=["rec", "ocr", "rec"],
    ),
    "v1_0": vet_entry(answer="a flag\nin two colours<OR>a banner"),
    "v1_9": vet_entry(imagename="sum.png", question="How much?", answer="7", capability=["math"]),
}

VET_V2: dict[str, Any] = {
    "v2_0": {
        "question": "First <IMG>b.png<IMG> then <IMG>a.png<IMG>c.png<IMG>\nwhat comes next?",
        "answer": "a triangle",
        "capability": ["rec", "seq"],
    },
    "v2_1": vet_entry(question="What is this?", imagename="a.png"),
}


def infimm_entry(**fields: Any) -> dict[str, Any]:
    """An entry of ``core-mm-wo-answer.json``."""
    return {
        "URL": None,
        "Image path": ["a.png"],
        "Question": "Why?",
        "Category": "Abductive",
        "Counter-intuitve": None,
        "Complexity": "Moderate",
        **fields,
    }


INFIMM: dict[str, Any] = {
    "3": infimm_entry(
        **{
            "Image path": ["a b (1).jpg", "c.webp"],
            "Question": " Who comes first?\n",
            "Category": "Deductive ",
            "Counter-intuitve": "Yes",
            "Complexity": " High",
        }
    ),
    "9": infimm_entry(**{"URL": ["made"], "Counter-intuitve": "No"}),
    "12": infimm_entry(Category="Analogical"),
}


def write_json(path: Path, content: object) -> Path:
    """Write `content` as the official files are laid out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=4, ensure_ascii=False), encoding="utf-8")
    return path


def _write(folder: Path, file: str, rows: object, images: Iterable[str]) -> Path:
    write_json(folder / file, rows)
    (folder / "images").mkdir()
    for name in images:
        (folder / "images" / name).write_bytes(picture())
    return folder


def write_vet(folder: Path, rows: Mapping[str, Any] = VET) -> Path:
    """MM-Vet in `folder`."""
    return _write(folder, "mm-vet.json", rows, ["flag.png", "sum.png"])


def write_vet_v2(folder: Path, rows: Mapping[str, Any] = VET_V2) -> Path:
    """MM-Vet v2 in `folder`."""
    return _write(folder, "mm-vet-v2.json", rows, ["a.png", "b.png", "c.png"])


def write_infimm(folder: Path, rows: Mapping[str, Any] = INFIMM) -> Path:
    """InfiMM-Eval in `folder`."""
    return _write(folder, "core-mm-wo-answer.json", rows, ["a.png", "a b (1).jpg", "c.webp"])
