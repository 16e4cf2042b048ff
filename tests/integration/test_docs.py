"""The documentation's examples run as they stand, and its options are the plugin's."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(page: str) -> Iterator[tuple[str, str]]:
    """(heading, text) of every section that shows a command."""
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        if "```console" in text:
            yield heading, text


def examples() -> Iterator[object]:
    for path in sorted((ROOT / "docs").glob("*.md")):
        for heading, text in sections(path.read_text(encoding="utf-8")):
            yield pytest.param(text, id=f"{path.stem}-{heading.lower().replace(' ', '-')}")


@pytest.mark.parametrize("section", list(examples()))
def test_example_runs_and_prints_what_it_says(pytester: pytest.Pytester, section: str) -> None:
    commands, expected = [], []
    for language, title, content in _FENCE.findall(section):
        if language == "console":
            commands += [line.removeprefix("$ ") for line in content.splitlines()]
        elif title == "output":
            expected += content.splitlines()
        elif title:
            target = pytester.path / title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        if program == "pytest":
            result = pytester.runpytest_subprocess(*arguments)
        else:
            assert program == "python"
            result = pytester.run(sys.executable, *arguments)
        assert result.ret == 0
    result.stdout.fnmatch_lines(expected)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("options", "page"),
        ("models", "models_page"),
        ("tiny", "tiny_page"),
        ("published", "published_page"),
    ],
)
def test_generated_page_is_what_its_table_makes(name: str, function: str) -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert page == getattr(generate, function)(), f"{name}.md: run python docs/generate.py"


def test_links_of_the_readme_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in link]
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_readme_shows_the_suite_as_it_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```python\ndef test_sample\(.*?```", readme, re.DOTALL)
    assert shown is not None
    suite = (ROOT / "pytest_mmreason" / "suite" / "test_benchmark.py").read_text(encoding="utf-8")
    body = shown[0].splitlines()[2].strip()
    assert body in suite
