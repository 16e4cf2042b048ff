"""Numbers in words, digits and fractions, each as one token: ``#`` and the value. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_mmreason.judges.lexicon import (
    FRACTION_WORDS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    PRONOUN_ONE_AFTER,
    SCALES,
)


def number(value: float) -> str:
    """The token of a number."""
    digits = 15 if value.is_integer() else 10  # whole numbers count to the last digit
    return f"#{value:.{digits}g}"


def value_of(token: str) -> float | None:
    """The number that a token stands for; None for a word."""
    return float(token[1:]) if token[0] == "#" else None


def _numeral(token: str) -> float | None:
    """The value of a token of digits; None for a division by zero."""
    digits = token.lstrip("-").rstrip("stndrh")
    top, slash, bottom = digits.partition("/")
    if slash:
        whole, _, top = top.rpartition(" ")
        if not float(bottom):
            return None
        value = float(whole or 0) + float(top) / float(bottom)
    else:
        head, _, tail = digits.rpartition(",")
        # "14,8" is a decimal comma, "2,500" a thousand
        thousands = not head or len(tail.partition(".")[0]) == 3
        value = float(digits.replace(",", "") if thousands else f"{head}.{tail}")
    return -value if token[0] == "-" else value


def number_at(raw: Sequence[str], at: int) -> tuple[str, int]:
    """The token of the number at `at`, which may take several words, and where it ends."""
    token = raw[at]
    following = raw[at + 1] if at + 1 < len(raw) else ""
    if token in ORDINAL_WORDS:
        return number(float(ORDINAL_WORDS[token])), at + 1
    if token in ("minus", "negative"):
        if following not in NUMBER_WORDS and not following[:1].isdigit():
            return token, at + 1
        inner, end = number_at(raw, at + 1)
        return number(-(value_of(inner) or 0.0)), end
    if token in ("dozen", "dozens"):
        return number(12.0), at + 1
    if token == "half":  # no "half-time"
        return number(0.5) if following == "of" or not following[:1].isalnum() else token, at + 1
    if token == "one" and (
        following in ("of", "that", "who", "which") or (at and raw[at - 1] in PRONOUN_ONE_AFTER)
    ):
        return token, at + 1
    group = total = 0.0
    first = end = at
    smallest = 1000.0
    # Words may begin with what is no letter: "〇" and "𒐀" are numerals without digits.
    if token[0].isdecimal() or token[0] in "-.":
        value = _numeral(token)
        if value is None:
            return token.replace(" ", ""), at + 1  # no token holds a blank
        group, first, end, smallest = value, at + 1, at + 1, 0.0
    for end in range(first, len(raw) + 1):
        word = raw[end] if end < len(raw) else ""
        scale = SCALES.get(word)
        if scale is not None:
            group = (group or 1.0) * scale
            if scale >= 1e3:
                total, group = total + group, 0.0
            smallest = 100.0
        elif word in NUMBER_WORDS:
            value = float(NUMBER_WORDS[word])
            size = 1.0 if value < 20 else 10.0
            # "twenty five" is one number, "two three" two of them
            if size >= smallest or (smallest == 10.0 and not 0 < value < 10):
                break
            group, smallest = group + value, size
        elif not (
            word == "and" and smallest == 100.0 and NUMBER_WORDS.keys() & raw[end + 1 : end + 2]
        ):
            break
    if end == at:
        return token, at + 1  # plural scales alone ("millions") are words
    value, tail = total + group, raw[end : end + 3]
    last = tail[0] if tail else ""
    part = FRACTION_WORDS.get("half" if last == "halves" else last.removesuffix("s"), 0)
    if part and value >= 1 and (value == 1 or part == 2 or last[-1] == "s"):
        return number(value / part), end + 1
    if list(tail) == ["and", "a", "half"]:
        return number(value + 0.5), end + 3
    if last in ORDINAL_WORDS and 20 <= value < 100 and value % 10 == 0:
        return number(value + ORDINAL_WORDS[last]), end + 1
    return number(value), end
