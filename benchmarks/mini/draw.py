"""Draw every picture of the mini benchmark.

    python benchmarks/mini/draw.py [OUTDIR]

writes OUTDIR/images/*.png and OUTDIR/PILLOW_VERSION; OUTDIR is this folder unless given.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import PIL
import scenes
from PIL import features


def toolchain() -> str:
    """What decides the bytes of a PNG besides this code: letters, compression, arithmetic."""
    parts = [f"freetype {features.version('freetype2')}", f"zlib {features.version('zlib')}"]
    # Older Pillows do not know the feature and raise when asked about it.
    if "zlib_ng" in features.features and features.check_feature("zlib_ng"):
        parts.append(f"zlib-ng {features.version('zlib_ng')}")
    return ", ".join([f"pillow {PIL.__version__}", *parts, platform.machine()])


def main(outdir: Path) -> None:
    images = outdir / "images"
    images.mkdir(parents=True, exist_ok=True)
    drawn = scenes.collect()
    for name, scene in drawn.items():
        scene().save(images / f"{name}.png", optimize=True)
    (outdir / "PILLOW_VERSION").write_text(f"{toolchain()}\n", encoding="utf-8", newline="\n")
    print(f"{len(drawn)} pictures in {images}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
