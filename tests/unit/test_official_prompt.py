"""The official prompt: verbatim from the user's copy of the evaluator, in its own table."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from pytest_mmreason.errors import UsageError
from pytest_mmreason.judges import mm_vet, official_prompt
from pytest_mmreason.judges.base import JudgeTask
from pytest_mmreason.sample import Sample

SAMPLE = Sample(
    "s1", "What is left | right\nof the <image> door?", answer="lamp<AND>cat\nor<OR>dog"
)

PROMPT = """Rate it. <AND> means all, <OR> any.

Question | Ground truth | Prediction | Correctness
--- | --- | --- | ---
one? | 1 <AND> 2 | half | 1.0
"""

WITH_EDGES = """Rate it. <AND> means all, <OR> any.

| Question | Ground truth | Prediction | Correctness |
| --- | --- | --- | --- |
| one? | 1 <AND> 2 | half | 1.0 |
"""

AGAIN = "\\nGive the correctness as a digit: "


def evaluator(prompt: str = PROMPT) -> str:
    """A script of the evaluator's kind, which must never be run."""
    return f'''
raise SystemExit("this ran")
short = "<AND> | <OR>"
prompt = """{prompt}"""

def ask(line, text, prompt=prompt):
    """Fills <AND> and <OR> in."""
    row = " | ".join([line, text.replace("<AND>", " <AND> "), ""])
    return prompt + "\\n" + row + "{AGAIN}"
'''


def write(folder: Path, content: str, name: str = "mm-vet_evaluator.py") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def notebook(*cells: str, as_lines: bool = True) -> str:
    made = [
        {"cell_type": "markdown", "source": ["<AND> <OR> |\n--- | ---"]},
        *(
            {"cell_type": "code", "source": cell.splitlines(True) if as_lines else cell}
            for cell in cells
        ),
    ]
    return json.dumps({"cells": made, "nbformat": 4})


def asked(path: Path, response: str, sharper: bool = False) -> str:
    official = official_prompt.read(path)
    prompt = mm_vet.build_prompt(JudgeTask(SAMPLE, response), sharper, official)
    assert len(prompt.turns) == 1
    return prompt.turns[0].text


def test_prompt_and_table_are_kept_to_the_letter(tmp_path: Path) -> None:
    path = write(tmp_path, evaluator())
    row = f"{SAMPLE.question} | lamp <AND> cat\nor <OR> dog | a | b\nc | "
    assert asked(path, "a | b\nc") == PROMPT + "\n" + row
    again = "\nGive the correctness as a digit: "
    assert asked(path, "a | b\nc", sharper=True) == PROMPT + "\n" + row + again


def test_table_of_the_second_version_has_edges_and_no_line_breaks_in_cells(tmp_path: Path) -> None:
    path = write(tmp_path, evaluator(WITH_EDGES), "mm-vet-v2_evaluator.py")
    row = (
        "| What is left | right<br>of the <image> door? | lamp <AND> cat<br>or <OR> dog | a<br>b | "
    )
    assert asked(path, "a\nb") == WITH_EDGES + row


@pytest.mark.parametrize("as_lines", [True, False])
def test_notebook_is_read_like_the_script(tmp_path: Path, as_lines: bool) -> None:
    script = evaluator().replace('short = "<AND> | <OR>"', "%matplotlib inline\n!pip list")
    path = write(tmp_path, notebook("import os", script, as_lines=as_lines), "evaluator.ipynb")
    found = official_prompt.read(path)
    of_script = official_prompt.read(write(tmp_path, evaluator()))
    assert (found.text, found.again) == (of_script.text, of_script.again)
    assert found.name == "evaluator.ipynb"
    assert found.sha256 == hashlib.sha256(PROMPT.encode()).hexdigest()


def test_text_file_is_the_prompt_itself(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeff" + PROMPT, "prompt.txt")
    found = official_prompt.read(path)
    assert (found.text, found.again) == (PROMPT, "")
    first, second = asked(path, "x"), asked(path, "x", sharper=True)
    assert second.startswith(first) and len(second) > len(first)


def test_line_ends_of_windows_are_no_part_of_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "evaluator.py"
    path.write_bytes(evaluator().replace("\n", "\r\n").encode())
    assert official_prompt.read(path).text == PROMPT


def test_the_same_prompt_twice_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, f'a = """{PROMPT}"""\nb = """{PROMPT}"""')
    assert official_prompt.read(path).text == PROMPT


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("e.py", "x = 1", "holds no prompt"),
        ("e.py", 'x = "<AND> <OR> | without a table"', "holds no prompt"),
        ("e.py", "def (:", "cannot be read"),
        ("e.py", "x = '\0'", "cannot be read"),
        ("e.txt", "text", "holds no prompt"),
        ("e.txt", "", "holds no prompt"),
        ("e.ipynb", "{", "cannot be read"),
        ("e.ipynb", "[]", "no notebook"),
        ("e.ipynb", '{"cells": []}', "holds no prompt"),
        ("e.ipynb", notebook("def (:"), "cannot be read"),
        ("e.py", f'a = """{PROMPT}"""\nb = """{PROMPT}more"""', "holds 2 prompts"),
    ],
)
def test_file_without_one_prompt_is_a_usage_error(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    path = write(tmp_path, content, name)
    with pytest.raises(UsageError, match=told) as caught:
        official_prompt.read(path)
    assert str(path) in str(caught.value)
    assert "text file" in str(caught.value)


def test_absent_file_and_folder_are_usage_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.py", tmp_path):
        with pytest.raises(UsageError, match="cannot be read from"):
            official_prompt.read(path)
