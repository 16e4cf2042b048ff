"""Times, dates, units and directions as one notation each, before a text is cut into words. Pure."""

from __future__ import annotations

import re

from pytest_mmreason.judges.lexicon import NUMBER_WORDS

_MONTHS = (
    *("january", "february", "march", "april", "maymonth", "june"),
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
    *("minutes to", "minute to", "mins to", "minutes before"),
    *("pm", "p.m", "a.m", " am", "clock", "past ", "quarter to"),
    *(f"{digit}am" for digit in range(10)),
)
_MINUTES = re.compile(
    rf"\b(\d{{1,2}}|five|ten|twenty(?:[ -]five)?)\s(?:(?:minutes?|mins?)\s(past|after|to|before)|(past))\s"
    rf"({_HOUR})\b(?![:.]\d)"
)
_NOON = {"noon": "12 pm", "midday": "12 pm", "midnight": "12 am"}
_NOONS = re.compile(r"\b(?:12\s)?(noon|midday|midnight)\b")
_NUMERIC_DATE = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/-])")
_MAY = re.compile(
    r"\bmay(?=\s\d{1,2}(?:st|nd|rd|th)?\b)|(?<=\d )may\b|(?<=\d(?:st|nd|rd|th) )may\b|(?<=\bof )may\b"
)
_SPEEDS = (
    (
        re.compile(
            r"\b(?:km\s?/\s?h(?:r|our)?|kmh|kph|(?:km|kilomet(?:er|re)s?) (?:per|an) hour)\b"
        ),
        " kph",
    ),
    (re.compile(r"\b(?:mph|mi\s?/\s?hr?|miles? (?:per|an) hour)\b"), " mph"),
)
_OF_SPEED = ("per hour", "an hour", "/h", "/ h", "mph", "kph", "kmh")
_DEGREES = re.compile(r"\s?(?:°|\bdegrees?\b)\s?(?:(c|celsius|centigrade)|(f|fahrenheit))\b")
_MONEY = re.compile(r"(?:\bus\s?)?([$€£¥])\s?(\d[\d,]*(?:\.\d+)?)|(?<=\d)\s?([€£¥])")
_CURRENCY = {"$": "dollar", "€": "euro", "£": "sterling", "¥": "yen"}
_BELOW = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)( (?:degrees?|celsius|fahrenheit))? below zero\b")
_HALF_A = re.compile(r"(?<!and a )(?<!and one )\bhalf an? (?=[a-z])")
_AND_A_HALF = re.compile(r"\b(?:an?|one) ([a-z]{3,12}) and (?:a|one) half\b")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,4}(?![\w.])|\b(?:[a-z]\.){1,3}[a-z]\b(?!\.)")
_DOTTED, _YEAR = re.compile(r"\.[a-z]\b"), re.compile(r"[./-]\d{4}")
_KEPT_INITIALS = frozenset({"am", "pm", "us", "ie", "eg"})
# begin with a letter that is rare, so that most texts are passed over at once
_COLON, _HYPHENS = re.compile(r":[0-5]\d"), re.compile(r"-\d\d-\d\d")
_ISO_DATE = re.compile(r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])")
_TIME = re.compile(r"t\d{3,4}[ap]?")
_TURN = re.compile(r"\b(?:counter|anti)[ -]?clockwise")
_COMPASS = re.compile(r"\b(north|south)[ -]?(east|west)(?:ern|ward)?\b")


def one_notation(text: str) -> str:
    """`text`, in lower case, with its times as ``t530p`` and its dates as ``5 march 2020``.

    A time without its half of the day, such as 5:30, is ``t530``; 17:30 is ``t530p``.
    Anti-clockwise, north-west, °C, km/h and D.C. are one word each.
    """
    if any(hint in text for hint in _OF_SPEED):
        for pattern, name in _SPEEDS:
            text = pattern.sub(name, text)
    if "°" in text or "degree" in text:
        text = _DEGREES.sub(lambda found: " celsius" if found[1] else " fahrenheit", text)
    if "$" in text or not text.isascii():
        text = _MONEY.sub(_money, text)
    if "half a" in text:
        text = _HALF_A.sub("0.5 ", text)
    if "below zero" in text:
        text = _BELOW.sub(r"-\1\2", text)
    if "and a half" in text or "and one half" in text:
        text = _AND_A_HALF.sub(r"1.5 \1", text)
    if "noon" in text or "midday" in text or "midnight" in text:
        text = _NOONS.sub(lambda found: _NOON[found[1]], text)
    if "may" in text:
        text = _MAY.sub("maymonth", text)
    if "clockwise" in text:
        text = _TURN.sub("counterclockwise", text)
    if "th" in text and ("east" in text or "west" in text):
        text = _COMPASS.sub(r"\1\2", text)
    if _COLON.search(text) or any(hint in text for hint in _HINTS):
        text = _CLOCK.sub(_time, _MINUTES.sub(_minutes, text))
    if _DOTTED.search(text):
        text = _INITIALS.sub(_letters, text)
    if _YEAR.search(text):
        text = _NUMERIC_DATE.sub(_numeric_date, text)
    return _ISO_DATE.sub(_date, text) if _HYPHENS.search(text) else text


def same_time(left: str, right: str) -> bool:
    """Whether two tokens are one time, of which one may not tell the half of the day."""
    if right[0] == "#" and re.fullmatch(r"#\d{1,2}\.\d{1,2}", right):
        hour, _, minute = right[1:].partition(".")
        # "the 10.55 train", "the 14.05"
        right = f"t{int(hour) % 12 or 12}{minute:0<2}{'p' if 12 < int(hour) < 24 else ''}"
    return (
        bool(_TIME.fullmatch(left) and _TIME.fullmatch(right))
        and left.rstrip("ap") == right.rstrip("ap")
        and (left == right or left[-1].isdigit() or right[-1].isdigit())
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


def _money(match: re.Match[str]) -> str:
    sign, amount = match[1] or match[3], match[2] or ""
    return f"{amount} {_CURRENCY[sign]}"


def _minutes(match: re.Match[str]) -> str:
    """ "10 minutes to 4" and "five past two" as digits of a clock."""
    amount, side, _, near = match.groups()
    minute, hour = _number(amount.replace("-", " ").replace("twenty five", "25")), _number(near)
    if side in ("to", "before"):
        hour, minute = hour - 1, 60 - minute
    if not (0 <= minute < 60 and 0 <= hour <= 12):
        return match.group()
    return f"{hour or 12}:{minute:02}"


def _letters(match: re.Match[str]) -> str:
    """Initials without their dots, "D.C." as "dc"."""
    joined = match.group().replace(".", "")
    return match.group() if joined in _KEPT_INITIALS else joined


def _numeric_date(match: re.Match[str]) -> str:
    """A date in digits, where no other order of day and month is possible."""
    first, second, year = int(match[1]), int(match[3]), match[4]
    day, month = (second, first) if second > 12 else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31) or (day <= 12 and day != month):
        return match.group()
    return f"{day} {_MONTHS[month - 1]} {year}"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBER_WORDS[text]


def _date(match: re.Match[str]) -> str:
    year, month, day = map(int, match.groups())
    if not 1 <= month <= 12:
        return match.group()
    return f"{day} {_MONTHS[month - 1]} {year}"
