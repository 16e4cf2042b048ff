"""Replies of judges, made at random from pieces, with what a careful reader would make of each."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pytest_mmreason.judges.base import InvalidVerdict
from pytest_mmreason.judges.parsing import INCORRECT_CAP, parse_rubric, parse_score
from tests.support.reply_pieces import GARBLED, JSON, MARKED, MENTIONS, NUMBERS, REMARKS

ONE, NONE, MANY, NOISE = "one", "none", "many", "noise"
"""One clear score; no score at all; several that differ; nobody knows."""


@dataclass(frozen=True)
class Made:
    """A reply, its kind, and its score where there is one clear score."""

    text: str
    kind: str
    score: float | None = None


@dataclass
class Findings:
    """What became of made replies.

    counts: replies by kind. read: by kind, how many gave a score. faults: the texts that gave
    a score which they do not hold, or an exception, with what happened.
    """

    counts: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)


def check(count: int, seed: int = 0) -> Findings:
    """Parse `count` made replies in both ways; equal seeds make equal replies."""
    chance, findings = random.Random(seed), Findings()
    for _ in range(count):
        made = reply(chance)
        findings.counts[made.kind] += 1
        score = made.score
        capped = score if score is None or score == 1 else min(score, INCORRECT_CAP)
        for way, expected in ((parse_score, score), (_rubric, capped)):
            if fault := _fault(way, made, expected, findings):
                findings.faults.append((made.text, f"{made.kind}: {fault}"))
    return findings


def _rubric(text: str) -> float:
    verdict = parse_rubric(text, 3)
    assert all(1 <= credit.step <= 3 for credit in verdict.steps)
    return verdict.score


def _fault(
    way: Callable[[str], float], made: Made, expected: float | None, findings: Findings
) -> str:
    try:
        got = way(made.text)
    except InvalidVerdict:
        return ""
    except Exception as error:
        return repr(error)
    findings.read[made.kind] += way is parse_score
    if not 0.0 <= got <= 1.0:
        return f"{got} is outside [0, 1]"
    if made.kind != NOISE and (expected is None or abs(got - expected) > 1e-9):
        return f"{got} was read by {way.__name__}, {expected} is what it says"
    return ""


def reply(chance: random.Random) -> Made:
    """One reply."""
    make = chance.choices((_one, _none, _many, _noise), (4, 3, 3, 1))[0]
    made = make(chance)
    if chance.random() < 0.15:
        made = Made(_with_hidden(chance, made.text), made.kind, made.score)
    return made


JOINTS = ("\n", "\n\n", " ", "\n\n---\n\n", ". ")


def _value(chance: random.Random) -> float:
    return chance.choice((0.0, 1.0, round(chance.random(), 2), chance.randint(0, 10) / 10))


def _verdict(chance: random.Random, value: float, marked: Sequence[str] = MARKED) -> str:
    """`value` as a verdict, in prose or JSON."""
    if chance.random() < 0.35:
        number = chance.choice((f"{value:.2f}", f'"{chance.choice(NUMBERS)(value)}"'))
        return chance.choice(JSON).format(number)
    return chance.choice(marked).format(chance.choice(NUMBERS)(value))


def _one(chance: random.Random) -> Made:
    value = _value(chance)
    if chance.random() < 0.2:
        return Made(
            chance.choice(("{}", "**{}**", " {}\n", "| {} |", "Answer: {}", "{}.")).format(
                chance.choice(NUMBERS)(value)
            ),
            ONE,
            value,
        )
    parts = [chance.choice(REMARKS), _verdict(chance, value), chance.choice(REMARKS)]
    joint = "\n" if ">" in (parts[0][:1], parts[2][:1]) else chance.choice(JOINTS)
    return Made(joint.join(filter(None, parts)), ONE, value)


def _none(chance: random.Random) -> Made:
    roll = chance.random()
    if roll < 0.4:
        garbled = chance.choice(GARBLED)
        if chance.random() < 0.3:
            quoted = json.dumps(garbled, ensure_ascii=chance.random() < 0.5)
            return Made(chance.choice(JSON).format(quoted), NONE)
        frame = chance.choice(("{}", "{}", *MARKED))
        if garbled.startswith(">"):
            frame = "Score: {}"  # "score=> 0.5" would be an arrow
        return Made(frame.format(garbled), NONE)
    if roll < 0.8:
        number = f"{_value(chance):.2f}" if chance.random() < 0.7 else f"{chance.randint(0, 1)}"
        return Made(chance.choice(MENTIONS).replace("{:.0f}", "1").format(number), NONE)
    whole = chance.choice(JSON[:10]).format(f"{_value(chance):.2f}")
    begin = whole.index("{")
    return Made(whole[: chance.randint(begin, whole.rindex("}") - 1)], NONE)


def _many(chance: random.Random) -> Made:
    quoted = '"Score: {}"'  # what is quoted beside a verdict contradicts nothing
    first = _value(chance)
    second = chance.choice([v / 10 for v in range(11) if abs(v / 10 - first) > 0.02])
    if chance.random() < 0.2:
        both = chance.choice(
            (
                '{{"score": {0}, "score": {1}}}',
                '{{"score": {0}, "Score": "{1}"}}',
                "Score: {0} or {1}",
                "Score: {0}, or rather {1}?\nScore: {1}",
                '[{{"score": {0}}}, {{"score": {1}}}]',
                "{0}\n{1}",
                "{0} {1}",
                "{0}, no, {1}",
                "I would say {0}. No, {1}.",
                "{0}\nScore: {1}",
                '{0}\n{{"score": {1}}}',
                '{{"score": {0} {1}}}',
            )
        )
        return Made(both.format(f"{first:.2f}", f"{second:.2f}"), MANY)
    marked = [frame for frame in MARKED if frame != quoted]
    parts = [_verdict(chance, first, marked), _verdict(chance, second, marked)]
    if chance.random() < 0.3:
        parts.insert(chance.randint(0, 2), chance.choice(REMARKS[2:6]))
    return Made(chance.choice(JOINTS).join(parts), MANY)


_PIECES = (
    *MARKED,
    *JSON,
    *GARBLED,
    *REMARKS,
    *MENTIONS,
    *"{}[]\"'\\:,.%/#|`*<>-\n\t0159 ",
    *("score", "correct", "final ", "not ", "//", "/*", "*/", "\u2028", "\x00", "\ud800", "😀"),
    *('"score":', '"correct": true', '"steps": [', "9" * 400, "1e400", "1" * 5000, "NaN", "\x85"),
)


def _noise(chance: random.Random) -> Made:
    if chance.random() < 0.01:
        deep = chance.choice(
            ('{"a":', "[", '{"score":', "(", '"', "score: ", "/*", "Score (", "0.7 ")
        )
        text = deep * chance.randint(100, 3000)
        return Made(text + chance.choice(("", "}", "0.5" + "}" * 3000)), NOISE)
    return Made("".join(chance.choices(_PIECES, k=chance.randint(1, 12))), NOISE)


def _with_hidden(chance: random.Random, text: str) -> str:
    """`text` with characters that a reader does not see."""
    for _ in range(chance.randint(1, 4)):
        place = chance.randint(0, len(text))
        text = (
            text[:place]
            + chance.choice("\u200b\u2060\ufeff\u00ad\u200e\u2066\u202c")
            + text[place:]
        )
    return text
