"""Writes options.md from the table in pytest_mmreason/options.py: python docs/generate.py."""

from __future__ import annotations

from pathlib import Path

from pytest_mmreason.options import OPTIONS

HEAD = """# Options

Every option has an ini twin of the same name with `_`, in `pytest.ini`, `[tool.pytest.ini_options]` and
pytest 9's `[tool.pytest]`. The command line wins, and replaces a list whole. A single string is accepted
for a list. Paths on the command line are relative to the working folder, paths in an ini file to that file.

This page is made from the options' own table by `python docs/generate.py`.

| option | ini | meaning |
|---|---|---|
"""
TAIL = """
`--mm-list models|judges|benchmarks` prints what there is and exits. The ini option `mm_suite` says when the
bundled suite joins a session: `auto` (the default: unless the command line names a path without naming
`--mm-benchmark` too, or a test of your own asks for `mm_evaluate`), `on` or `off`. `--mm-model=` switches off
the model that an ini file names.
"""


def page() -> str:
    """The text of options.md."""
    rows = []
    for option in OPTIONS:
        metavar = option.metavar.replace("|", "\\|")
        rows.append(f"| `{option.flag} {metavar}` | `{option.dest}` | {option.help} |\n")
    return HEAD + "".join(rows) + TAIL


if __name__ == "__main__":
    Path(__file__).with_name("options.md").write_text(page(), encoding="utf-8")
