"""Draw the README's pictures from a run: the summary in a terminal, and the report.

    python docs/pictures/draw.py

runs the bundled benchmark on its recorded answers, with gates and against a baseline in which
some answers differ, and writes terminal.png and report.png beside this file. Chromium is
needed on the PATH.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).parent
RECORDED = HERE.parents[1] / "benchmarks" / "mini" / "recorded" / "example-answers.json"
COLUMNS = 80
STYLE = "body{padding:10px 14px;background:#0c0c0c}pre{font-size:14px;line-height:1.3}"
GATES = ("--mm-threshold=35", "--mm-threshold=analogical=50", "--mm-max-drop=5")


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("chromium is not on the PATH; the pictures are taken by it")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answers.json").write_text(_earlier(), encoding="utf-8")
        _run(folder, "--mm-model=replay:answers.json", "--mm-output=main")
        output = ["--mm-output=out", "--mm-baseline=main", "--mm-show=1", *GATES]
        told = _run(folder, "--mm-model=replay:mini", *output)
        page = folder / "terminal.html"
        page.write_text(_as_page(told), encoding="utf-8")
        _photograph(browser, page, HERE / "terminal.png", 760, 1180)
        _photograph(browser, folder / "out" / "report.html", HERE / "report.png", 1280, 1180)


def _earlier() -> str:
    """The recorded answers, with every ninth one replaced by a refusal to tell."""
    answers = json.loads(RECORDED.read_text(encoding="utf-8"))
    for sample in [*answers][4::9]:
        answers[sample] = "I cannot tell."
    return json.dumps(answers)


def _run(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "--color=yes", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def _as_page(told: str) -> str:
    """The summary as a terminal shows it."""
    lines = Text.from_ansi(told).split("\n")
    first = next(i for i, line in enumerate(lines) if "mmreason: replay" in line.plain)
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    command = f"$ pytest --mm-model=replay:mini --mm-baseline=main {' '.join(GATES)}"
    console.print(command, style="bold", highlight=False)
    for line in lines[first:]:
        console.print(line, no_wrap=True)
    page = console.export_html(theme=MONOKAI, inline_styles=True)
    return page.replace("</head>", f"<style>{STYLE}</style></head>")


def _photograph(browser: str, page: Path, out: Path, width: int, height: int) -> None:
    """A picture of the page at twice its size, cut where it ends."""
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=2",
         f"--window-size={width},{height}", f"--screenshot={out}", page.as_uri()],
        check=True, capture_output=True,
    )  # fmt: skip
    with Image.open(out) as shot:
        flat = shot.convert("RGB")
    edge = Image.new("RGB", flat.size, flat.getpixel((4, flat.height - 4)))
    box = ImageChops.difference(flat, edge).getbbox()
    bottom = min(flat.height, (box[3] if box else flat.height) + 36)
    flat.crop((0, 0, flat.width, bottom)).quantize(128).save(out, optimize=True)


if __name__ == "__main__":
    main()
