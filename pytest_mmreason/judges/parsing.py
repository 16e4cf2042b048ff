"""Verdicts out of a judge's free text: tolerant of form, strict about the score.

Pure. Whatever the text, the outcome is a score in [0, 1] or InvalidVerdict; nothing is
guessed, because a re-ask is cheaper than a wrong score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mmreason.judges import prose
from pytest_mmreason.judges.attribution import is_told
from pytest_mmreason.judges.base import InvalidVerdict
from pytest_mmreason.judges.lenient_json import DuplicateKey, FoundObject, find_objects
from pytest_mmreason.verdict import PUT_RIGHT, StepCredit, Verdict

VERSION = 8
"""Raised when the same reply would give another verdict; enters the cache key."""

INCORRECT_CAP = 0.9
"""The most that a response earns that is not directly correct."""

_PAD = r"[\s*_\"'`)\]}>]"
_CORRECT_MARKER = re.compile(
    rf"(?<![\w-])correct{_PAD}{{0,6}}[:=]{_PAD}{{0,6}}(true|yes|false|no)\b", re.IGNORECASE
)
_STEP = re.compile(r"\s*(?:step\s*)?#?([0-9]{1,3})[.:]?\s*", re.IGNORECASE)
_OWN_NAME = re.compile(
    r"verdict|result|evaluat|assess|grad|judg|output|final|review|rating|feedback|report|data|json"
)
_SCALES = ("max_score", "score_max", "max", "maximum", "scale", "out_of", "range")
_MOST_VERDICTS = 20
_KEYS = frozenset({"score", "correct", "rationale"})
_ANSWER_ONLY = ("score_answer_only", "answer_only")
_VERDICT_KEY = re.compile(r"[\"'“](score|correct|rationale|steps)[\"'”]\s{0,3}:", re.IGNORECASE)


def parse_score(text: str) -> float:
    """The one clear number in [0, 1] in a judge's reply (MM-Vet, Table 1).

    The ``score`` of a JSON object, which no score in the prose around it contradicts, or
    else as :func:`~pytest_mmreason.judges.prose.score_in_prose` reads it. A percentage or
    fraction counts where it is marked as the score or stands alone.

    Raises InvalidVerdict for everything else: no number, several, one out of range
    (``5``, ``-0.1``), a garbled one (``0.70.2``, ``0.5x``).
    """
    clean = prose.plain(text)
    verdicts = _verdict_objects(clean)
    if verdicts is None:
        return prose.score_in_prose(clean)
    scores = {_number(data.get("score")) for data in verdicts}
    if len(scores) > 1:
        raise InvalidVerdict("the reply holds several scores in JSON that differ")
    return scores.pop()


def parse_rubric(text: str, steps: int) -> Verdict:
    """The verdict in a rubric judge's reply (InfiMM-Eval, section 4.1 and Figure 4).

    text:  a JSON object with rationale, correct, steps and score (bare, fenced or in
           prose, with comments, trailing commas and raw line breaks), or prose with a
           score as :func:`parse_score` reads it.
    steps: how many reference steps there are; credits for others are dropped, as are
           second credits for one step and credits outside [0, 1].

    ``correct`` and the score are made to agree: correct means 1.0, not correct at most
    INCORRECT_CAP. What was changed or dropped for that stands in the verdict's notes. Without reasoning it is what the reply says of ``answer_only`` in [0, 1],
    else 1.0 if correct and 0.0 if not. Where ``correct`` is absent, a score of 1.0 means
    correct. Where the score is absent, it is 1.0 if correct, else the sum of the step
    credits over the number of reference steps; this needs at least one credit.

    Raises InvalidVerdict for everything else.
    """
    clean = prose.plain(text)
    verdicts = _verdict_objects(clean)
    if verdicts is None:
        score = prose.score_in_prose(clean)
        said = {word.lower() in ("true", "yes") for word in _CORRECT_MARKER.findall(clean)}
        if len(said) > 1:
            raise InvalidVerdict("the reply calls the response both correct and not correct")
        # one of the two may be of the response, which the judge repeats
        if said and said != {score == 1.0}:
            raise InvalidVerdict("what the reply calls correct and its score disagree")
        return _consistent(score, said.pop() if said else None, None, (), "", ())
    found = {_from_object(data, steps) for data in verdicts}
    if len(found) > 1:
        raise InvalidVerdict("the reply holds several verdicts that differ")
    return found.pop()


def _from_object(data: Mapping[str, Any], steps: int) -> Verdict:
    credits, dropped = _step_credits(data.get("steps"), steps)
    correct = _boolean(data.get("correct"))
    rationale = data.get("rationale")
    if data.get("score") is not None:
        score = _number(data["score"])
    elif correct is None or not isinstance(data.get("steps"), list):
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
        next((data[name] for name in _ANSWER_ONLY if data.get(name) is not None), None),
        credits,
        rationale if isinstance(rationale, str) else "",
        (f"{PUT_RIGHT}{dropped} of its step credits dropped",) if dropped else (),
    )


def _consistent(
    said: float,
    correct: bool | None,
    answer_only: object,
    credits: tuple[StepCredit, ...],
    rationale: str,
    notes: tuple[str, ...],
) -> Verdict:
    is_correct = correct if correct is not None else said == 1.0
    try:
        without_reasoning = _number(answer_only)
    except InvalidVerdict:
        without_reasoning = float(is_correct)
        if answer_only is not None:
            notes = (*notes, f"{PUT_RIGHT}its grade without reasoning was none")
    if not is_correct and without_reasoning > INCORRECT_CAP:
        without_reasoning = INCORRECT_CAP
        notes = (*notes, f"{PUT_RIGHT}not correct, so {INCORRECT_CAP} without reasoning")
    score = 1.0 if is_correct else min(said, INCORRECT_CAP)
    if score != said:
        judged = "correct" if is_correct else "not correct"
        notes = (*notes, f"{PUT_RIGHT}{judged}, so {score} instead of {said:.4g}")
    return Verdict(score, without_reasoning, credits, rationale, notes=notes)


def _step_credits(value: object, steps: int) -> tuple[tuple[StepCredit, ...], int]:
    """The valid credits in order of their steps, and how many entries were none."""
    entries = value if isinstance(value, list) else []
    credits: dict[int, float] = {}
    for entry in entries:
        number = _step(entry.get("step")) if isinstance(entry, dict) else 0
        if not 1 <= number <= steps:
            continue
        try:
            credits.setdefault(number, _number(entry.get("credit")))
        except InvalidVerdict:
            continue
    found = tuple(StepCredit(step, credits[step]) for step in sorted(credits))
    return found, len(entries) - len(found)


def _step(value: object) -> int:
    """The number of a step: ``2``, ``2.0``, ``"2"`` or ``"Step 2"``; 0 for what is none."""
    if isinstance(value, str):
        found = _STEP.fullmatch(value)
        return int(found[1]) if found else 0
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


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
        read = prose.number_in(value)
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
    found = [(each, data) for each in objects if (data := _unwrapped(each.data)).keys() & _KEYS]
    if len(found) > _MOST_VERDICTS:
        raise InvalidVerdict(f"the reply holds {len(found)} verdicts")
    verdicts = [data for each, data in found if not _is_mentioned(clean, each, objects)]
    if found and not verdicts:
        raise InvalidVerdict("the reply only mentions a verdict in JSON")
    if verdicts:
        rest = _without(clean, objects)
        if any(_is_on_another_scale(data) for data in verdicts):
            raise InvalidVerdict("the reply's score is on another scale than 0 to 1")
        # a response that the judge quoted without escapes may have closed the object
        if _VERDICT_KEY.search(rest):
            raise InvalidVerdict("the reply's JSON is damaged")
        beside = prose.scores_beside(rest)
        if beside and beside != {_number(data.get("score")) for data in verdicts}:
            raise InvalidVerdict("the reply's prose and its JSON give different scores")
        return verdicts
    # a score picked out of damaged JSON might be one that the rationale quotes
    keys = {key.lower() for key in _VERDICT_KEY.findall(clean)}
    if keys and ("{" in clean or keys != {"score"}):
        raise InvalidVerdict("the reply's JSON is damaged")
    return None


def _is_on_another_scale(data: Mapping[str, Any]) -> bool:
    """Whether a verdict tells of a scale beyond 1: ``"max_score": 5``, ``"scale": "1-5"``."""
    for told in filter(None, map(data.get, _SCALES)):
        if isinstance(told, str):
            told = max(map(float, re.findall(r"\d{1,6}(?:\.\d{1,6})?", told)), default=0)
        if isinstance(told, int | float) and told > 1:
            return True
    return False


def _is_mentioned(text: str, found: FoundObject, objects: Sequence[FoundObject]) -> bool:
    """Whether the reply only says that the response holds this object."""
    earlier = [each for each in objects if each.start < found.start]
    before = _without(text[: found.start], earlier)
    return is_told(before, text[found.end : found.end + 100]) or prose.quotes(before)


def _without(text: str, objects: Sequence[FoundObject]) -> str:
    """`text` with a line break in the place of each object."""
    starts = [0, *(each.end for each in objects)]
    ends = [*(each.start for each in objects), len(text)]
    return "\n".join(text[a:b] for a, b in zip(starts, ends, strict=True))


def _unwrapped(data: dict[str, Any]) -> dict[str, Any]:
    """The inner object of ``{"verdict": {...}}``, and no other's: ``{"example": {...}}``."""
    name, inner = next(iter(data.items())) if len(data) == 1 else ("", None)
    return inner if isinstance(inner, dict) and _OWN_NAME.search(name) else data


def _short(value: object, limit: int = 60) -> str:
    try:
        shown = repr(value)
    except ValueError:  # an integer too long to print
        return "a huge number"
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
