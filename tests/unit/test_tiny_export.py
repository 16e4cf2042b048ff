"""The graphs beside the bundled checkpoint are what ``tiny/export.py`` writes."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("onnx", reason="the graphs are written with onnx")

from pytest_mmreason.models.tiny import bundled_checkpoint

WRITTEN = ("vision.onnx", "decoder.onnx", "onnx.json")
SCRIPT = Path(__file__).parents[2] / "tiny" / "export.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tiny_export", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The bundled checkpoint as transformers saved it."""
    copy = Path(shutil.copytree(bundled_checkpoint(), tmp_path / "copy"))
    for name in WRITTEN:
        (copy / name).unlink()
    return copy


def edit(path: Path, *keys: str, value: Any) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(content), encoding="utf-8")


def test_the_same_checkpoint_gives_the_same_bytes(script: ModuleType, folder: Path) -> None:
    script.export(folder)
    for name in WRITTEN:
        assert (folder / name).read_bytes() == (bundled_checkpoint() / name).read_bytes(), name


@pytest.mark.parametrize(
    ("file", "keys", "value"),
    [
        ("config.json", ("vision_feature_layer",), -2),
        ("config.json", ("text_config", "num_key_value_heads"), 2),
        ("config.json", ("text_config", "rope_parameters", "rope_type"), "yarn"),
        ("config.json", ("vision_config", "hidden_act"), "gelu"),
        ("processor_config.json", ("image_processor", "do_center_crop"), True),
    ],
)
def test_what_the_graphs_would_not_follow_is_refused(
    script: ModuleType, folder: Path, file: str, keys: tuple[str, ...], value: Any
) -> None:
    edit(folder / file, *keys, value=value)
    with pytest.raises(ValueError, match=f"{file}: .*{keys[-1].split('_')[-1]}"):
        script.export(folder)
    assert not (folder / "decoder.onnx").exists()
