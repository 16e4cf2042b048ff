"""Verdicts out of a judge's free text: tolerant of form, strict about the score.

Pure. Whatever the text, the outcome is a score in [0, 1] or InvalidVerdict; nothing is
guessed, because a re-ask is cheaper than a wrong score.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from pytest_mmreason.judges.base import InvalidVerdict
from pytest_mmreason.judges.lenient_json import DuplicateKey, find_objects
from pytest_mmreason.verdict import StepCredit, Verdict

VERSION = 2
"""Raised when the same reply would give another verdict; enters the cache key."""

INCORRECT_CAP = 0.9
"""The most that a response earns that is not directly correct."""

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
    rf"(?P<run>{_RUN})(?:[ \t]{{0,3}}(?:/|out[ ]of)[ \t]{{0,3}}(?P<of>{_RUN})|[ \t]{{1,3}}(?P<percent>%))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:[01](?:\.[0-9]+)?|\.[0-9]+|0,[0-9]+|1,0{1,2})")
_AMOUNT = re.compile(r"[0-9]{1,6}(?:[.,][0-9]+)?")

_PAD = r"[\s*_\"'`)\]}>]"
_MARKER = re.compile(
    r"(?P<final>\b(?:final|overall|total)[ ](?:\w+[ ])?)?"
    r"(?<![\w-])(?:score|correctness|grade|rating)(?![\w-])"
    r"(?:[ ]?\([^()\n]{0,30}\))?"
    rf"{_PAD}{{0,6}}"
    r"(?P<joint>[:=|→]+|[-=]+>|[-–—](?=\s)|\b(?:is|of|to[ ]be|equals)\b)?"
    rf"(?:{_PAD}|[:({{\[]){{0,6}}",
    re.IGNORECASE,
)
_WEAK_MARKER = re.compile(
    rf"^[\s*#>_-]{{0,6}}(?:final[ ])?(?:answer|verdict|result|output){_PAD}{{0,6}}[:=]{_PAD}{{0,6}}",
    re.IGNORECASE | re.MULTILINE,
)
_LINE_DRESS = " \t\r*_`|\"'#>“”()[]{}"
_DENIAL = r"\b(?:not|never|cannot|\w{1,10}n['’]t)\b"
_REST_OF_CLAUSE = r"[^.,;!?\n]{0,25}\Z"
_DENIED = re.compile(_DENIAL + _REST_OF_CLAUSE, re.IGNORECASE)
_TURNED = re.compile(
    rf"(?:{_DENIAL}|\b(?:no|without|than|above|below|over|under|between|most|least|except)\b"
    rf"|[<>≤≥]){_REST_OF_CLAUSE}|[-+–—]\s{{0,3}}\Z",
    re.IGNORECASE,
)
_CORRECT_MARKER = re.compile(
    rf"(?<![\w-])correct{_PAD}{{0,6}}[:=]{_PAD}{{0,6}}(true|yes|false|no)\b", re.IGNORECASE
)
_KEYS = frozenset({"score", "correct", "rationale"})
_VERDICT_KEY = re.compile(r"[\"'“](score|correct|rationale|steps)[\"'”]\s{0,3}:", re.IGNORECASE)


def parse_score(text: str) -> float:
    """The one clear number in [0, 1] in a judge's reply (MM-Vet, Table 1).

    Read in this order, each only if it is unanimous: ``final score``; ``score:``,
    ``correctness =`` and their like; ``score is``; ``Answer:`` opening a line; a line
    that holds nothing else; the only number of the text, if it is written as a decimal.
    A percentage or fraction counts where it is marked as the score or stands alone.

    Raises InvalidVerdict for everything else: no number, several, one out of range
    (``5``, ``-0.1``), a garbled one (``0.70.2``, ``0.5x``).
    """
    clean = _clean(text)
    verdicts = _verdict_objects(clean)
    if verdicts is not None:
        return _one([_number(data.get("score")) for data in verdicts], "scores in JSON")
    return _score_in_prose(clean)


def parse_rubric(text: str, steps: int) -> Verdict:
    """The verdict in a rubric judge's reply (InfiMM-Eval, section 4.1 and Figure 4).

    text:  a JSON object with rationale, correct, steps and score (bare, fenced or in
           prose, with comments, trailing commas and raw line breaks), or prose with a
           score as :func:`parse_score` reads it.
    steps: how many reference steps there are; credits for others are dropped, as are
           second credits for one step and credits outside [0, 1].

    ``correct`` and the score are made to agree: correct means 1.0, not correct at most
    INCORRECT_CAP. Without reasoning it is what the reply says of ``answer_only`` in [0, 1],
    else 1.0 if correct and 0.0 if not. Where ``correct`` is absent, a score of 1.0 means
    correct. Where the score is absent, it is 1.0 if correct, else the sum of the step
    credits over the number of reference steps; this needs at least one credit.

    Raises InvalidVerdict for everything else.
    """
    clean = _clean(text)
    verdicts = _verdict_objects(clean)
    if verdicts is None:
        score = _score_in_prose(clean)
        said = {word.lower() in ("true", "yes") for word in _CORRECT_MARKER.findall(clean)}
        if len(said) > 1:
            raise InvalidVerdict("the reply calls the response both correct and not correct")
        return _consistent(score, said.pop() if said else None, None, (), "")
    found = {_from_object(data, steps) for data in verdicts}
    if len(found) > 1:
        raise InvalidVerdict("the reply holds several verdicts that differ")
    return found.pop()


def _from_object(data: Mapping[str, Any], steps: int) -> Verdict:
    credits, listed = _step_credits(data.get("steps"), steps)
    correct = _boolean(data.get("correct"))
    rationale = data.get("rationale")
    if data.get("score") is not None:
        score = _number(data["score"])
    elif correct is None or not listed:
        raise InvalidVerdict("the reply holds no score")
    elif correct:
        score = 1.0
    elif not credits:
        raise InvalidVerdict("the reply holds no score, and no step credit to take it from")
    else:
        score = sum(credit.credit for credit in credits) / steps
    return _consistent(
        score,
        correct,
        data.get("score_answer_only", data.get("answer_only")),
        credits,
        rationale if isinstance(rationale, str) else "",
    )


def _consistent(
    score: float,
    correct: bool | None,
    answer_only: object,
    credits: tuple[StepCredit, ...],
    rationale: str,
) -> Verdict:
    is_correct = correct if correct is not None else score == 1.0
    try:
        without_reasoning = _number(answer_only)
    except InvalidVerdict:
        without_reasoning = float(is_correct)
    score = 1.0 if is_correct else min(score, INCORRECT_CAP)
    return Verdict(score, without_reasoning, credits, rationale)


def _step_credits(value: object, steps: int) -> tuple[tuple[StepCredit, ...], bool]:
    """The valid credits in order of their steps, and whether there was a list at all."""
    if not isinstance(value, list):
        return (), False
    credits: dict[int, float] = {}
    for entry in value:
        if not isinstance(entry, dict):
            continue
        number = entry.get("step")
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= steps:
            continue
        try:
            credits.setdefault(number, _number(entry.get("credit")))
        except InvalidVerdict:
            continue
    return tuple(StepCredit(step, credits[step]) for step in sorted(credits)), True


def _boolean(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in ("true", "yes", "false", "no"):
        return word in ("true", "yes")
    raise InvalidVerdict(f"correct is {_short(value)}, neither true nor false")


def _number(value: object) -> float:
    """A score as JSON may carry it: a number, or a string with nothing but one."""
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value.strip())
        read = _read(match) if match else None
        if read is None:
            raise InvalidVerdict(f"the score is {_short(value)}, not a number in [0, 1]")
        return read
    if value is None:
        raise InvalidVerdict("the reply holds no score")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidVerdict(f"the score is {_short(value)}, not a number in [0, 1]")
    # compared before float(), which overflows on a huge integer
    if not 0 <= value <= 1:
        raise InvalidVerdict("the score is outside [0, 1]")
    return abs(float(value))  # -0.0 would print with its sign


def _verdict_objects(clean: str) -> list[dict[str, Any]] | None:
    """The JSON verdicts of a reply; None if it is prose."""
    try:
        objects = find_objects(clean)
    except DuplicateKey as error:
        raise InvalidVerdict(f"in the reply's JSON, {error}") from None
    verdicts = [data for data in map(_unwrapped, objects) if data.keys() & _KEYS]
    if verdicts:
        return verdicts
    # a score picked out of damaged JSON might be one that the rationale quotes
    keys = {key.lower() for key in _VERDICT_KEY.findall(clean)}
    if keys and ("{" in clean or keys != {"score"}):
        raise InvalidVerdict("the reply's JSON is damaged")
    return None


def _unwrapped(data: dict[str, Any]) -> dict[str, Any]:
    """The inner object of ``{"verdict": {...}}``."""
    inner = next(iter(data.values())) if len(data) == 1 else None
    return inner if isinstance(inner, dict) else data


def _score_in_prose(clean: str) -> float:
    tiers: dict[str, list[float | None]] = {"final": [], "joined": [], "marked": []}
    for marker in _MARKER.finditer(clean):
        quantity = _QUANTITY.match(clean, marker.end())
        if quantity is None or not _has_digit(quantity):
            continue
        joint = marker["joint"] or ""
        tier = (
            "final" if marker["final"] else "joined" if not joint.isalpha() and joint else "marked"
        )
        # "Score 1: ..." numbers a score and "not a score of 1.0" denies one; neither gives it
        numbered = not joint and re.match(r"\s{0,3}:", clean[quantity.end() : quantity.end() + 4])
        denied = _DENIED.search(clean, max(0, marker.start() - 40), marker.start())
        tiers[tier].append(None if numbered or denied else _read(quantity))
    for values in tiers.values():
        if values:
            return _one(values, "marked scores")
    return _unmarked(clean)


def _unmarked(clean: str) -> float:
    numbers = [match for match in _QUANTITY.finditer(clean) if _has_digit(match)]
    if not numbers:
        raise InvalidVerdict("the reply holds no number")
    values = [_read(match) for match in numbers]
    weak = [_QUANTITY.match(clean, marker.end()) for marker in _WEAK_MARKER.finditer(clean)]
    if any(match is not None and _has_digit(match) for match in weak):
        return _one(values, "numbers")
    lines = [line.strip(_LINE_DRESS) for line in clean.splitlines()]
    alone = [match for line in lines if (match := _QUANTITY.fullmatch(line)) and _has_digit(match)]
    if alone:
        only = len(numbers) == len(alone)
        return _one([_read(match) if only or _plain(match) else None for match in alone], "numbers")
    score = _one(values, "numbers")
    for match in numbers:
        # "1 error", "80% of it" and "not 0.5" hold a number, but not as the score
        if not _plain(match) or match["run"].strip("_,.") in ("0", "1"):
            raise InvalidVerdict(f"{_short(match.group())} is not marked as the score")
        if _TURNED.search(clean, max(0, match.start() - 40), match.start()):
            raise InvalidVerdict(f"{_short(match.group())} is mentioned, not given as the score")
    return score


def _one(values: list[float | None], what: str) -> float:
    distinct = set(values)
    if len(distinct) != 1:
        raise InvalidVerdict(f"the reply holds several {what} that differ")
    value = distinct.pop()
    if value is None:
        raise InvalidVerdict("the reply's number is garbled or outside [0, 1]")
    return value


def _read(match: re.Match[str]) -> float | None:
    """The value in [0, 1] of a number, fraction or percentage; None if it is none."""
    run = match["run"].strip("_").lstrip(",").rstrip(".,").strip("_")
    if match["of"]:
        part, whole = run, match["of"].strip("_").rstrip(".,").strip("_")
        if not (_AMOUNT.fullmatch(part) and _AMOUNT.fullmatch(whole)):
            return None
        divisor = float(whole.replace(",", "."))
        return _in_range(float(part.replace(",", ".")) / divisor) if divisor else None
    if match["percent"] or run.endswith("%"):
        amount = run.removesuffix("%")
        if not _AMOUNT.fullmatch(amount):
            return None
        value = float(amount.replace(",", "."))
        # "0.7%" is a slip for 70 % as likely as it is 0.007
        return None if 0 < value < 1 else _in_range(value / 100)
    if not _NUMBER.fullmatch(run):
        return None
    return _in_range(float(run.replace(",", ".")))


def _in_range(value: float) -> float | None:
    return value if math.isfinite(value) and 0.0 <= value <= 1.0 else None


def _plain(match: re.Match[str]) -> bool:
    return not match["of"] and not match["percent"] and "%" not in match["run"]


def _has_digit(match: re.Match[str]) -> bool:
    return any(character.isdigit() for character in match.group())


def _clean(text: str) -> str:
    """`text` without format characters (U+200B and its like), in ASCII where it has a twin."""
    if text.isascii():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Cf").translate(_ASCII)


def _short(value: object, limit: int = 60) -> str:
    try:
        shown = repr(value)
    except ValueError:  # an integer too long to print
        return "a huge number"
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
