"""Text as comparable words: what the offline judge compares. Pure, linear in the text.

``The 1st CATS'`` and ``cat #1`` meet here: case, articles, plurals, contractions,
currency and percent signs go; numbers, number words, ordinals and fractions become one
token each, ``#`` and the value.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

# Words that carry no content of an answer.
FILLER = frozenset(
    "i you he she it we they me him her us them my your his its our their this that these those "
    "there here is are was were be been being am do does did doing have has had having will would "
    "shall should can could may might must of in on at by for with about into through to from up "
    "down out over under as and or but if then so than too very just also only own same such both "
    "each what which who whom whose when where why how all any some no not nor more most other "
    "because while during before after above below between again further once s t don now think "
    "image picture photo photograph scene shown show shows showing depict depicts see seen appear "
    "appears likely answer called named name known it's".split()
)

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_NUMBER_WORDS = {word: n for n, word in enumerate(_UNITS)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_ORDINAL_WORDS = {word: n for n, word in enumerate(_ORDINALS)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

# "one" counts nothing after these: "the one on the left", "this one"
_PRONOUN_ONE_AFTER = frozenset("this that which each any every no another other left right".split())

_ARTICLES = frozenset(("a", "an", "the"))
_ALIASES = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "persons": "person",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "leaves": "leaf",
    "min": "minute",
    "mins": "minute",
    "hr": "hour",
    "hrs": "hour",
    "sec": "seconds",
    "secs": "seconds",
    "km": "kilometer",
    "cm": "centimeter",
    "mm": "millimeter",
    "kg": "kilogram",
    "lb": "pound",
    "lbs": "pound",
    "jan": "january",
    "feb": "february",
    "aug": "august",
    "sept": "september",
    "oct": "october",
    "nov": "november",
    "dec": "december",
    "grey": "gray",
    "colour": "color",
    "centre": "center",
    "yeah": "yes",
    "yep": "yes",
    "yup": "yes",
    "nope": "no",
    "ok": "okay",
    "cannot": "not",
}

_VULGAR = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
# the letter of "sample A" and of the choice "A.", which is no article
_LETTER_A = re.compile(r"(?:(?<=[a-z0-9] )|^|(?<=[\s(]))A(?=[.):,;\n]|$)|(?<=[a-z0-9] )A(?= [a-z])")
_NEGATED_VERB = re.compile(r"n['’]t\b|n['’]t(?=\W|$)")
_TOKEN = re.compile(
    r"""
      (?P<fraction>(?:(?P<whole>\d{1,6})\s)?(?P<top>\d{1,9})/(?P<bottom>\d{1,9}))(?![\d/])
    | (?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d) | \d+,\d{1,2}(?![\d,]) | \d*\.?\d+ )
      (?:(?:st|nd|rd|th)\b)?
    | (?P<word>[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?)
    | (?P<stop>[.!?;:\n])
    | (?P<comma>[,(])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Words:
    """A text as tokens; `clauses` and `phrases` number the clause and phrase of each.

    Clauses end at ``. ! ? ; :``, line ends and "but"; phrases also at commas.
    """

    tokens: tuple[str, ...]
    clauses: tuple[int, ...]
    phrases: tuple[int, ...]

    @cached_property
    def joined(self) -> str:
        """The tokens with one blank before and after each."""
        return f" {' '.join(self.tokens)} "

    @cached_property
    def _offsets(self) -> list[int]:
        offsets, at = [], 0
        for token in self.tokens:
            offsets.append(at)
            at += len(token) + 1
        return offsets

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The roots of the content words."""
        return content(self)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The number tokens."""
        return frozenset(token for token in self.tokens if token[0] == "#")

    def find(self, pattern: Words, limit: int = 50) -> list[int]:
        """Where `pattern`'s tokens stand in a row, as token indices; at most `limit`."""
        found: list[int] = []
        if not pattern.tokens:
            return found
        at = self.joined.find(pattern.joined)
        while at >= 0 and len(found) < limit:
            found.append(bisect_left(self._offsets, at))
            at = self.joined.find(pattern.joined, at + 1)
        return found


def words(text: str) -> Words:
    """`text` as comparable words."""
    tokens: list[str] = []
    clauses: list[int] = []
    phrases: list[int] = []
    clause = phrase = 0
    article = ""
    prepared = _prepare(text)
    for match in _TOKEN.finditer(prepared):
        kind = match.lastgroup
        if kind == "stop":
            clause += 1
            phrase += 1
            continue
        if kind == "comma":
            phrase += 1
            continue
        token = match.group()
        if kind == "word":
            token = _word(token)
            if token in _ARTICLES:
                article = token
                continue
            if token == "one" and article == "the":
                token = "ones"  # a pronoun, and no number
            if token == "but" or token == "however":
                clause += 1
                phrase += 1
        else:
            token = _numeral(match, _is_negative(prepared, match.start()))
        article = ""
        tokens.append(token)
        clauses.append(clause)
        phrases.append(phrase)
    return _with_numbers(tokens, clauses, phrases)


def content(text: Words) -> frozenset[str]:
    """The content words of `text` by their root, and its numbers."""
    return frozenset(map(root, set(text.tokens) - FILLER))


def root(token: str) -> str:
    """`token` without its ending: paint, paints, painting and painted are one."""
    if len(token) < 5 or token[0] == "#":
        return token
    for ending in ("ingly", "edly", "ing", "ed", "ly", "er", "ion", "e"):
        if token.endswith(ending) and len(token) - len(ending) >= 3:
            token = token[: -len(ending)]
            break
    return token[:-1] if len(token) > 3 and token[-1] == token[-2] else token


def number(value: float) -> str:
    """The token of a number."""
    return f"#{value:.10g}"


def value_of(token: str) -> float | None:
    """The number that a token stands for; None for a word."""
    return float(token[1:]) if token[0] == "#" else None


def _prepare(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _VULGAR.sub(" ", text))
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
        text = _CJK.sub(r" \1 ", text.replace("⁄", "/").replace("−", "-"))
    if "A" in text:
        text = _LETTER_A.sub("letteraa", text)
    return _NEGATED_VERB.sub(" not", text.casefold())


def _word(token: str) -> str:
    if "'" in token or "’" in token:
        token = token.replace("’", "'").partition("'")[0]
    alias = _ALIASES.get(token)
    if alias is not None:
        return alias
    if len(token) < 4 or token[-1] != "s" or token in _ORDINAL_WORDS:
        return token
    if token == "seconds" or token.endswith(("ss", "us", "is")):
        return token
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if token.endswith(("sses", "xes", "zes", "ches", "shes", "oes")):
        return token[:-2]
    return token[:-1]


def _is_negative(text: str, at: int) -> bool:
    """A minus sign, and no hyphen of ``AB-12`` or ``3-4``, before position `at`."""
    return at > 0 and text[at - 1] == "-" and (at == 1 or text[at - 2] in " \t\n=(,:>|")


def _numeral(match: re.Match[str], negative: bool) -> str:
    if match["fraction"]:
        bottom = float(match["bottom"])
        if not bottom:
            return match.group()
        value = float(match["whole"] or 0) + float(match["top"]) / bottom
    else:
        digits = match["number"]
        head, _, tail = digits.rpartition(",")
        # "14,8" is a decimal comma, "2,500" a thousand
        value = float(digits.replace(",", "") if len(tail.partition(".")[0]) == 3 or not head else f"{head}.{tail}")
    return number(-value if negative else value)


def _with_numbers(tokens: list[str], clauses: list[int], phrases: list[int]) -> Words:
    """Number words, ordinals and scales become number tokens."""
    out: list[str] = []
    kept_clauses: list[int] = []
    kept_phrases: list[int] = []
    at = 0
    while at < len(tokens):
        token, end = _number_at(tokens, phrases, at)
        out.append(token)
        kept_clauses.append(clauses[at])
        kept_phrases.append(phrases[at])
        at = end
    return Words(tuple(out), tuple(kept_clauses), tuple(kept_phrases))


def _number_at(tokens: list[str], phrases: list[int], at: int) -> tuple[str, int]:
    """The token at `at`, and where the next begins; a number may take several tokens."""
    token = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if token[0] == "#" and following not in _SCALES and following.rstrip("s") not in _SCALES:
        return token, at + 1
    if token in _ORDINAL_WORDS:
        return number(_ORDINAL_WORDS[token]), at + 1
    if token in ("minus", "negative") and (following in _NUMBER_WORDS or following[:1] == "#"):
        inner, end = _number_at(tokens, phrases, at + 1)
        return number(-(value_of(inner) or 0.0)), end
    if token == "dozen":
        return number(12), at + 1
    if token == "one" and (
        following == "of"
        or following in ("that", "who", "which")
        or (at and phrases[at - 1] == phrases[at] and tokens[at - 1] in _PRONOUN_ONE_AFTER)
    ):
        return token, at + 1
    if token[0] != "#" and token not in _NUMBER_WORDS and token != "hundred":
        return token, at + 1
    total, group, end, smallest = 0.0, 0.0, at, 1000.0
    if token[0] == "#":
        group, end, smallest = float(token[1:]), at + 1, 0.0
    while end < len(tokens) and phrases[end] == phrases[at]:
        word = tokens[end]
        scale = _SCALES.get(word)
        if scale is not None:
            group = (group or 1.0) * scale
            if scale >= 1e3:
                total, group = total + group, 0.0
            smallest = 100.0
        elif word in _NUMBER_WORDS:
            value = float(_NUMBER_WORDS[word])
            size = 1.0 if value < 20 else 10.0
            # "twenty five" is one number, "two three" two of them
            if size >= smallest or (smallest == 10.0 and (value >= 10 or value == 0)):
                break
            group, smallest = group + value, size
        elif not (
            word == "and"
            and smallest == 100.0
            and end + 1 < len(tokens)
            and tokens[end + 1] in _NUMBER_WORDS
        ):
            break
        end += 1
    return number(total + group), end
