"""Times, dates and directions as one notation each, before a text is cut into words. Pure."""

from __future__ import annotations

import re

from pytest_mmreason.judges.lexicon import NUMBER_WORDS

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_HALF_DAY = r"(?:\s?([ap])\.?m\b\.?)"
_HOUR = rf"\d{{1,2}}|{'|'.join(word for word, n in NUMBER_WORDS.items() if 0 < n < 13)}"
_CLOCK = re.compile(
    rf"(?<![\d:.])(\d{{1,2}})(?::|\.(?=\d\d\s?[ap]\.?m\b))([0-5]\d)(?::\d\d)?(?![\d:]){_HALF_DAY}?"
    rf"|(?<![\w:.])({_HOUR}){_HALF_DAY}"
    rf"|(?<![\w:.])({_HOUR})\s?o['’]clock{_HALF_DAY}?"
    rf"|\b(half|quarter)\s(past|to)\s({_HOUR})\b{_HALF_DAY}?"
)
_HINTS = (
    *("pm", "p.m", "a.m", " am", "clock", "past ", "quarter to"),
    *(f"{digit}am" for digit in range(10)),
)
# begin with a letter that is rare, so that most texts are passed over at once
_COLON, _HYPHENS = re.compile(r":[0-5]\d"), re.compile(r"-\d\d-\d\d")
_ISO_DATE = re.compile(r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])")
_TIME = re.compile(r"t\d{3,4}[ap]?")
_TURN = re.compile(r"\b(?:counter|anti)[ -]?clockwise")
_COMPASS = re.compile(r"\b(north|south)[ -]?(east|west)(?:ern|ward)?\b")


def one_notation(text: str) -> str:
    """`text`, in lower case, with its times as ``t530p`` and its dates as ``5 march 2020``.

    A time without its half of the day, such as 5:30, is ``t530``; 17:30 is ``t530p``.
    Anti-clockwise and north-west are one word each.
    """
    if "clockwise" in text:
        text = _TURN.sub("counterclockwise", text)
    if "th" in text and ("east" in text or "west" in text):
        text = _COMPASS.sub(r"\1\2", text)
    if _COLON.search(text) or any(hint in text for hint in _HINTS):
        text = _CLOCK.sub(_time, text)
    return _ISO_DATE.sub(_date, text) if _HYPHENS.search(text) else text


def same_time(left: str, right: str) -> bool:
    """Whether two tokens are one time, of which one may not tell the half of the day."""
    if right[0] == "#" and re.fullmatch(r"#\d{1,2}\.\d{1,2}", right):
        hour, _, minute = right[1:].partition(".")
        right = f"t{hour}{minute:0<2}"  # "the 10.55 train"
    return (
        bool(_TIME.fullmatch(left) and _TIME.fullmatch(right))
        and left.rstrip("ap") == right.rstrip("ap")
        and (left[-1].isdigit() or right[-1].isdigit())
    )


def _time(match: re.Match[str]) -> str:
    digits, minutes, *halves = match.group(1, 2, 3, 5, 7, 11)
    half = next((h for h in halves if h), "")
    part, side, near = match.group(8, 9, 10)
    hour = _number(digits or match.group(4) or match.group(6) or near)
    minute = int(minutes or {"half": 30, "quarter": 15}.get(part or "", 0))
    if side == "to":
        hour, minute = hour - 1, 60 - minute
    if hour > 24:
        return match.group()
    if not half and (hour > 12 or (hour == 0 and digits)):
        half = "p" if 12 <= hour < 24 else "a"
    return f" t{hour % 12 or 12}{minute:02}{half} "


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBER_WORDS[text]


def _date(match: re.Match[str]) -> str:
    year, month, day = map(int, match.groups())
    if not 1 <= month <= 12:
        return match.group()
    return f"{day} {_MONTHS[month - 1]} {year}"
