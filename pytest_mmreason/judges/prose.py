"""The score that a judge's prose gives: what is only mentioned is none.

Pure. A score in [0, 1] or InvalidVerdict; nothing is guessed, because a re-ask is cheaper
than a wrong score.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable

from pytest_mmreason.judges.attribution import (
    DENIAL,
    DENIED,
    REST_OF_CLAUSE,
    SAID_NEXT,
    TAKEN_BACK,
    introduced,
    is_elsewhere,
    names_another,
    reports,
)
from pytest_mmreason.judges.base import InvalidVerdict

# full-width forms and typographic minus signs stand for their ASCII twins; NFKC would also
# turn the superscript of "0.8²" into a digit
_ASCII = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {
    0x2212: "-",
    0x2010: "-",
    0x2011: "-",
    0x2044: "/",
    0xA0: " ",
}

_RUN = r"[\w.,+\-%]+"
_QUANTITY = re.compile(
    rf"(?P<run>{_RUN})(?:(?:[ \t]{{0,2}}(?:points?|pts?\.?|marks?))?"
    rf"[ \t]{{0,3}}[(\[]?[ \t]?(?:/|\b(?:out[ ])?of\b)[ \t]{{0,3}}(?P<of>{_RUN})[)\]]?"
    r"|[ \t]{0,3}(?P<percent>%|\b(?:percent|per[ ]cent|pct)\b))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:[01](?:\.[0-9]+)?|\.[0-9]+|0,[0-9]+|1,0{1,2})")
# "0.7分です": points, and what ends a sentence
_UNIT = re.compile(r"(?<=\d)(?:分|点|점)?(?:です|だ|입니다|이다)?[.,]?\Z")
_AMOUNT = re.compile(r"[0-9]{1,6}(?:[.,][0-9]+)?")
_WHOLE = frozenset({"0", "1"})

# what makes of a number a part of a longer one, of a range, a sum or a list
_GOES_ON = re.compile(
    r"[^\w\s(]{1,2}\d"
    r"|[ \t]{1,3}[.,]?\d"
    r"|[ \t]{0,3}(?:[-–—~…±+×÷=≈^/:&→]|[-=]>|\.{2,3}|\*(?=[ \t])|,?[ ]then\b"
    r"|[,;]?[ ]?(?:to|or|and|until|through|vs|plus|minus|times|oder|bis|von|ou|à|sur|o|a|de|или|до|из)"
    r"\b\.?)[ \t]{0,3}(?:about[ ]|maybe[ ]|perhaps[ ]|even[ ])?[.,]?\d"
    r"|[ \t]{0,3}[(\[]?[ \t]?(?:(?:points?|pts?|marks?)[ ])?(?:/|\b(?:out[ ])?of\b)"
    r"|[ \t]{0,3}\((?:or[ ]|maybe[ ]|perhaps[ ])?[01]?[.,]\d"
    r"|[ \t]{0,3}(?:=|\?|stars?\b|‰|[°$€£★⭐])|\s{0,3}/|[\u0300-\u036f\u20d0-\u20ff]",
    re.IGNORECASE,
)
# "0.6, 0.8" are two, "0.6, 2 of the parts" is one
_LISTED = re.compile(
    r"[ \t]{1,3}(?:(?:or|and|plus|minus|oder|ou|o|или)[ ])?[01]?[.,]\d", re.IGNORECASE
)
_CORRECTED = re.compile(
    r"\b(?:wait|actually|correction|scratch[ ]that|misread|on[ ]second[ ]thought|rather|otherwise)\b"
    r"[^\n]{0,80}\d",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\bscale\b|\bout[ ]of\b|\bstars?\b|\bmax\b", re.IGNORECASE)
_NEXT_ITEM = re.compile(r"(?<![\w.,])2[.)][ \t]")

_PAD = r"[\s*_\"'`)\]}]"
_MARKER = re.compile(
    r"(?:(?<![\w-])(?:score|correctness|grade|rating|(?:gesamt)?punktzahl|bewertung|puntuación"
    r"|pontuação|punteggio|оценка)(?![\w-])|评分|得分|分数|評分|分數|スコア|점수)"
    r"(?:[ ](?:final|finale|total|totale|global|globale)(?!\w))?"
    r"(?:[ ](?:of|for)[ ](?:the|this)(?:[ ](?:last|final|given))?[ ](?:response|answer|row|prediction))?"
    r"(?:[ ]?\((?P<scale>[^()\n]{0,30})\))?"
    rf"{_PAD}{{0,6}}"
    r"(?P<joint>[-=]+>|[:=|→]+|[-–—](?=\s)|\b(?:is|of|to[ ]be|equals|ist|beträgt|est(?:[ ]de)?"
    r"|es(?:[ ]de)?|é(?:[ ]de)?|è(?:[ ]di)?|составляет)\b|[为為是はを는은]{1,2})?"
    rf"(?P<pad>(?:{_PAD}|[:({{\[]){{0,6}})",
    re.IGNORECASE,
)
# "<score>0.7</score>", and a reply that is nothing but "\boxed{0.7}"
_TAGGED = re.compile(
    r"<(score|correctness|grade|rating)>\s{0,3}([^<>\n]{1,20}?)\s{0,3}</\1>", re.IGNORECASE
)
_BOXED = re.compile(r"\s*(?:(\$?)\\boxed\{([^{}$\n]{1,20})\}\1|\$([\d.,]{1,8})\$)\s*")
_BOUND = re.compile(r"[<>≤≥≠~≈]{1,2}\s?[.\d]")
_WEAK_MARKER = re.compile(
    rf"^[\s*#_-]{{0,6}}(?:final[ ])?(?:answer|verdict|result|output){_PAD}{{0,6}}[:=]{_PAD}{{0,6}}",
    re.IGNORECASE | re.MULTILINE,
)
_LINE_DRESS = " \t\r*_`|\"'“”"
_VERDICT_LABEL = re.compile(
    r"score|correctness|grade|rating|verdict|result|answer is|final|mark", re.IGNORECASE
)

# a lone number in prose counts only where somebody gives it
_GIVES = re.compile(
    r"(?:\b(?:I|we)\b['’]?[^.,;!?\n]{0,25}\b(?:say|give|rate|grade|assign|award|go|score)\b"
    r"|\b(?:deserves|earns|gets|receives|merits|worth|therefore|thus|hence|so)\b|[→]|[-=]>)"
    r"[^.,;!?\n]{0,25}\Z",
    re.IGNORECASE,
)
_TURNED = re.compile(
    rf"(?:{DENIAL}|\b(?:no|without|than|above|below|over|under|between|most|least|except|minus)\b"
    rf"|[<>≤≥~≈]){REST_OF_CLAUSE}|[-+–—]\s{{0,3}}\Z",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[ \t]*(?:\Z|[.,;:!)\]}\"'”’*_`|\n–—-]|(?:here|because|since|as|for|to|overall)\b)"
)
_OPENS = re.compile(r"[ \t]{1,3}[A-Z(]")


def score_in_prose(text: str) -> float:
    """The one clear score in [0, 1] of a reply without JSON; `text` as :func:`plain` makes it.

    Marked scores (``score:``, ``correctness =``, ``grade is`` …) must be unanimous. Without
    one it is ``Answer:`` opening a line; a first or last line that holds nothing else; the
    only number of the text, written as a decimal, where it opens the text or is given ("I
    would say 0.6"). Scores in quotation marks, reported ("it asks for a score of 1.0"), or
    those of something else ("maximum score: 1.0") are none.

    Raises InvalidVerdict for everything else.
    """
    boxed = _BOXED.fullmatch(text)
    text = boxed[2] or boxed[3] if boxed else _TAGGED.sub(r"\1: \2", text)
    values, mentioned = _marked(text)
    if values:
        return _one([*values, *_alone(text)], "scores")
    if mentioned:
        raise InvalidVerdict("the reply only mentions a score")
    return _unmarked(text)


def scores_beside(text: str) -> set[float | None]:
    """Every score that a text gives, marked or on a line of its own; None if one is garbled."""
    return {*_marked(text)[0], *_alone(text)}


def quotes(text: str) -> bool:
    """Whether a text ends inside quotation marks."""
    return bool(_quotes(text) % 2)


def number_in(text: str) -> float | None:
    """The value in [0, 1] of a text that is nothing but one number; None if it is none."""
    match = _QUANTITY.fullmatch(text.strip())
    return _read(match) if match else None


def plain(text: str) -> str:
    """`text` without format characters (U+200B and its like), in ASCII where it has a twin."""
    if text.isascii():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Cf").translate(_ASCII)


def _marked(text: str) -> tuple[list[float | None], bool]:
    """The marked scores, None for each that is garbled; whether others are only mentioned."""
    values: list[float | None] = []
    mentioned = False
    # with one too many, or two at once, nobody knows what is in quotation marks
    is_paired = not _quotes(text) % 2 and '""' not in text
    quotes, counted = 0, 0
    for marker in _MARKER.finditer(text):
        quotes += _quotes(text, counted, marker.start())
        counted = marker.start()
        end = marker.end()
        quantity = _QUANTITY.match(text, end)
        is_bound = _BOUND.match(text, end) is not None
        if not is_bound and (quantity is None or not _has_digit(quantity)):
            continue
        # of a "correctness score of 0.6" the second word is the marker
        if quantity is not None and _MARKER.fullmatch(quantity["run"]):
            continue
        before = text[max(0, counted - 80) : counted]
        # the whole reply may be dressed in them
        is_quoted = quotes > 0 and (counted >= 20 or quotes > 1 or bool(re.search(r"\w", before)))
        own = introduced(before)
        if (is_quoted and is_paired and quotes % 2) or is_elsewhere(before) or own is False:
            mentioned = True
        elif (
            (is_quoted and not is_paired)
            or is_bound
            or quantity is None
            or own is None
            or DENIED.search(before[-40:])
        ):
            values.append(None)
        else:
            values.append(_after_marker(text, marker, quantity))
    return values, mentioned


def _alone(text: str) -> list[float]:
    """The decimals that open or end a text on a line of their own."""
    lines = _lines(text)
    ends = {place for place in (0, len(lines) - 1) if lines and _stands(lines, place)}
    found = [match for place in ends if (match := _QUANTITY.fullmatch(lines[place]))]
    values = [_read(match) for match in found if not _is_whole(match)]
    return [value for value in values if value is not None]


def _lines(text: str) -> list[str]:
    """The lines that are not empty, without what dresses them."""
    lines = (re.sub(r"^#{1,6}[ \t]+", "", raw.strip(_LINE_DRESS)) for raw in text.splitlines())
    lines = (line[1:-1] if line[:1] + line[-1:] in ("()", "[]", "{}") else line for line in lines)
    return [line for raw in lines if (line := raw.strip(_LINE_DRESS))]


def _after_marker(text: str, marker: re.Match[str], quantity: re.Match[str]) -> float | None:
    joint, scale = marker["joint"], marker["scale"] or ""
    rest = text[quantity.end() : quantity.end() + 400]
    # "Score 1: ..." numbers a score
    if not joint and re.match(r"\s{0,3}:", rest):
        return None
    if names_another(scale):
        return None
    # "Score (of 5): 1" is on another scale
    if "%" in scale or any(float(n) > 1 for n in re.findall(r"\d{1,9}(?:\.\d+)?", scale)):
        return None
    if _is_whole(quantity):
        line = rest.partition("\n")[0]
        before = text[max(0, marker.start() - 80) : marker.start()]
        # "Score:\n1. Relevance", "Score: 1) relevance" and "grade 1 pupils" count something
        if re.search(r"\w", line) and (not joint or "\n" in marker[0]):
            return None
        if (line[:1] == ")" and "(" not in marker[0]) or _NEXT_ITEM.search(rest):
            return None
        # "Score: 1 mistake", "Score: 1 (max 5)"
        if not _ENDS.match(text, quantity.end()) or re.search(r"\d", line):
            return None
        if _SCALE.search(before.rpartition("\n")[2]) or _SCALE.search(line):
            return None
    return None if _CORRECTED.search(rest) else _value(text, quantity)


def _unmarked(text: str) -> float:
    numbers = [match for match in _QUANTITY.finditer(text) if _has_digit(match)]
    if not numbers:
        raise InvalidVerdict("the reply holds no number")
    if _CORRECTED.search(text, numbers[0].end()):
        raise InvalidVerdict("the reply corrects its number")
    values = [_value(text, match) for match in numbers]
    weak = [_QUANTITY.match(text, marker.end()) for marker in _WEAK_MARKER.finditer(text)]
    if any(match is not None and _has_digit(match) for match in weak):
        if not all(_ENDS.match(text, match.end()) for match in numbers):
            raise InvalidVerdict("the reply's number counts something")
        return _one(values, "numbers")
    lines = _lines(text)
    alone = [
        (place, match)
        for place, line in enumerate(lines)
        if (match := _QUANTITY.fullmatch(line)) and _has_digit(match)
    ]
    if alone:
        only = len(numbers) == len(alone)
        return _one(
            [
                _read(match) if _stands(lines, place) and (only or _is_plain(match)) else None
                for place, match in alone
            ],
            "numbers",
        )
    score = _one(values, "numbers")
    for match in numbers:
        # "1 error", "80% of it" and "not 0.5" hold a number, but not as the score
        if not _is_plain(match) or _is_whole(match):
            raise InvalidVerdict(f"{match.group()[:60]!r} is not marked as the score")
        before = text[max(0, match.start() - 60) : match.start()]
        opens = match.start() < 20 and not re.search(r"\w", before)
        given = opens or (
            _GIVES.search(before)
            and not is_elsewhere(before)
            and not _quotes(text, 0, match.start()) % 2
        )
        ends = _ENDS.match(text, match.end()) or (opens and _OPENS.match(text, match.end()))
        if not given or not ends or _TURNED.search(before[-40:]):
            raise InvalidVerdict(f"{match.group()[:60]!r} is mentioned, not given as the score")
    return score


def _stands(lines: list[str], place: int) -> bool:
    """Whether a line that is one number is the verdict: it opens or ends the reply, and is
    not what the line before says of something else."""
    before = lines[place - 1] if place else ""
    if SAID_NEXT.search(before):
        return False
    if before.endswith(":") and (reports(before) or not _VERDICT_LABEL.search(before)):
        return False
    if "".join(lines[place + 1 : place + 2]).startswith(("/", "of ", "out of ")):
        return False
    return place == 0 or place == len(lines) - 1


def _one(values: Iterable[float | None], what: str) -> float:
    distinct = set(values)
    if len(distinct) != 1:
        raise InvalidVerdict(f"the reply holds several {what} that differ")
    value = distinct.pop()
    if value is None:
        raise InvalidVerdict("the reply's number is garbled or outside [0, 1]")
    return value


def _value(text: str, match: re.Match[str]) -> float | None:
    """As :func:`_read`, but None where the text goes on with the number."""
    run = match["run"]
    if TAKEN_BACK.match(text, match.end()):
        return None
    ends = run.endswith((".", ",")) and not match["of"] and not match["percent"]
    if run.endswith(",") and _LISTED.match(text, match.end()):
        return None
    # "0.7. 2 parts are right" is a sentence and a new one, "0. 8" is garbled
    if ends and run.rstrip(".,") not in _WHOLE:
        return _read(match)
    return None if _GOES_ON.match(text, match.end()) else _read(match)


def _read(match: re.Match[str]) -> float | None:
    """The value in [0, 1] of a number, fraction or percentage; None if it is none."""
    run = _UNIT.sub("", match["run"]).strip("_").lstrip(",").rstrip(".,").strip("_")
    if match["of"]:
        part, whole = run, match["of"].strip("_").rstrip(".,").strip("_")
        if not (_AMOUNT.fullmatch(part) and _AMOUNT.fullmatch(whole)):
            return None
        value, divisor = float(part.replace(",", ".")), float(whole.replace(",", "."))
        # "0.7 out of 10" is a slip as likely as it is 0.07
        if not divisor or (0 < value < 1 < divisor):
            return None
        return _in_range(value / divisor)
    if match["percent"] or run.endswith("%"):
        amount = run.removesuffix("%")
        if not _AMOUNT.fullmatch(amount):
            return None
        value = float(amount.replace(",", "."))
        # "0.7%" is a slip for 70 % as likely as it is 0.007, "1%" one for 1.0
        return None if 0 < value <= 1 else _in_range(value / 100)
    if not _NUMBER.fullmatch(run):
        return None
    return _in_range(float(run.replace(",", ".")))


def _in_range(value: float) -> float | None:
    return value if math.isfinite(value) and 0.0 <= value <= 1.0 else None


def _is_plain(match: re.Match[str]) -> bool:
    return not match["of"] and not match["percent"] and "%" not in match["run"]


def _quotes(text: str, start: int = 0, end: int | None = None) -> int:
    return sum(text.count(mark, start, end) for mark in '"“”')


def _is_whole(match: re.Match[str]) -> bool:
    """Whether it is a bare 0 or 1, which may as well count something."""
    return _is_plain(match) and match["run"].strip("_,.") in _WHOLE


def _has_digit(match: re.Match[str]) -> bool:
    return any(character.isdigit() for character in match.group())
