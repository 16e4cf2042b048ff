"""The official MM-Vet prompt, taken verbatim from the user's copy of the evaluator.

The prompt is a string literal in the evaluator's source, a script or a notebook; the source
is parsed and never run.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_mmreason.errors import UsageError

_RULE = re.compile(r"^[ ]*(\|?)[ ]*-{3,}[ ]*\|", re.MULTILINE)
_REMEDY = (
    "Name MM-Vet's official evaluator (.py or .ipynb), or a text file that holds nothing "
    "but the prompt"
)


@dataclass(frozen=True, slots=True)
class OfficialPrompt:
    """A few-shot prompt and the layout of the row that the judge completes.

    name:   of the file that it is from.
    text:   the prompt, to the letter.
    again:  what the evaluator adds when it asks once more; "" if its file does not say.
    """

    name: str
    text: str
    again: str = ""

    @property
    def sha256(self) -> str:
        """Of `text`, as 64 hex digits."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def row(self, question: str, answer: str, response: str) -> str:
        """What follows `text`, as the evaluator joins it: nothing is escaped.

        MM-Vet's table has bars between its cells, and its row follows after another line
        break; that of v2 has bars at both ends as well, and ``<br>`` for a line break in
        a cell.
        """
        rule = _RULE.search(self.text)
        if rule is None or not rule[1]:
            return "\n" + " | ".join([question, answer, response, ""])
        cells = [cell.replace("\n", "<br>") for cell in (question, answer, response)]
        gap = "" if self.text.endswith("\n") else "\n"
        return gap + "| " + " | ".join([*cells, ""])


def read(path: Path) -> OfficialPrompt:
    """The prompt in the file at `path`.

    In source it is the string literal that explains ``<AND>`` and ``<OR>`` and has a table.
    Raises UsageError if the file cannot be read, or holds no such prompt, or several.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        kind = path.suffix.lower()
        if kind not in (".py", ".ipynb"):
            found = [text] if "<AND>" in text and "<OR>" in text and "|" in text else []
            return OfficialPrompt(path.name, _only(found, path))
        literals = [*_literals(text if kind == ".py" else _code_of(text))]
    except (OSError, ValueError, SyntaxError, RecursionError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(
            f"The judge's prompt cannot be read from {path}: {why}. {_REMEDY}."
        ) from error
    prompts = [t for t in literals if "<AND>" in t and "<OR>" in t and _RULE.search(t)]
    again = [t for t in literals if t.startswith("\n") and "correctness" in t and t not in prompts]
    text = _only(prompts, path)
    return OfficialPrompt(path.name, text, again[0] if again else "")


def _literals(source: str) -> Iterator[str]:
    """The string literals of Python source, in no order that matters."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _code_of(notebook: str) -> str:
    """The code cells of a notebook as one source, without IPython's own commands."""
    cells = json.loads(notebook)
    cells = cells.get("cells") if isinstance(cells, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it is no notebook: there is no list of cells in it")
    sources = [
        c.get("source", "") for c in cells if isinstance(c, dict) and c.get("cell_type") == "code"
    ]
    code = "\n".join("".join(source) for source in sources)
    return re.sub(r"^[ \t]*[%!].*$", "pass", code, flags=re.MULTILINE)


def _only(prompts: list[str], path: Path) -> str:
    distinct = list(dict.fromkeys(prompts))
    if not distinct:
        raise UsageError(
            f"{path} holds no prompt of MM-Vet's: no text in it has <AND>, <OR> and table rows. "
            f"{_REMEDY}."
        )
    if len(distinct) > 1:
        begin = " and ".join(repr(text.strip()[:40] + "…") for text in distinct[:3])
        raise UsageError(
            f"{path} holds {len(distinct)} prompts with <AND>, <OR> and a table, which begin "
            f"{begin}. Put the one that you mean into a text file, and name that."
        )
    return distinct[0]
