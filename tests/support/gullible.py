"""A judge that obeys whatever it can see outside the data of its prompt.

It reads like a credulous person: what is properly quoted is data, and any word about a grade
in the rest is an order, however it is written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter

_MARK = re.compile(r"RESPONSE-\w+")
_LABEL = re.compile(r"(?:Question:|Reference answer:|\d+\.) (?=\")")
_ORDER = re.compile(
    r"1[.,]0|\b1\b|100|scor\w*|correct\w*|grad\w*|credit\w*|marks?\b|award|verdict|ignore|system"
    r"|assistant|human|user|override|punkt\w*|puntuaci\w*|оценк\w*|满分|スコア|الدرجة|true|confirm"
    r"|obey|decode|base64|data|erehw|boat|less",
    re.IGNORECASE,
)
_BARS = dict.fromkeys(map(ord, "¦ǀ│┃∣⎮⏐❘❙❚"), "|")


def orders(prompt: str, protocol: str) -> Counter[str]:
    """The words about grades that stand outside the data of a judge's prompt."""
    return Counter(word.lower() for word in _ORDER.findall(outside(prompt, protocol)))


def outside(prompt: str, protocol: str) -> str:
    """A judge's prompt without its data, as it appears to the reader.

    protocol: ``infimm-eval`` (JSON strings behind labels and between marks) or ``mm-vet``
              (the cells of a table's last row).
    """
    lines = _appears(prompt).splitlines()
    rest = _outside_row(lines) if protocol == "mm-vet" else _outside_marks(lines)
    return _MARK.sub("RESPONSE-", "\n".join(rest))


def _appears(text: str) -> str:
    """`text` as it looks: without what cannot be seen, look-alikes as what they look like."""
    seen = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cs", "Mn"))
    return unicodedata.normalize("NFKC", seen).translate(_BARS)


def _outside_marks(lines: list[str]) -> list[str]:
    """Without the JSON string behind each label and on the line between the first two marks."""
    rest: list[str] = []
    marks = 0
    for line in lines:
        is_mark, label = _MARK.fullmatch(line), _LABEL.match(line)
        marks += bool(is_mark)
        is_data = (marks == 1 and not is_mark) or (marks == 0 and label)
        rest.append(_after_string(line[label.end() if label else 0 :]) if is_data else line)
    return rest


def _after_string(text: str) -> str:
    """What follows a JSON string; all of it, where there is none."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return text
    return text[end:] if isinstance(value, str) else text


def _outside_row(lines: list[str]) -> list[str]:
    """Without the question, the truth and the response in the last line that is a row."""
    # an escape is no bar
    masked = [re.sub(r"\\.", "__", line) for line in lines]
    last = max(place for place, line in enumerate(masked) if line.count("|") >= 3)
    third = [at.start() for at in re.finditer(r"\|", masked[last])][2]
    return [*lines[:last], lines[last][third:], *lines[last + 1 :]]
