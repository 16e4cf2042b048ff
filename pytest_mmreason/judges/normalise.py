"""Text as comparable words: what the offline judge compares. Pure, linear in the text.

``The 1st CATS'`` and ``cat #1`` meet here: case, articles, plurals, contractions,
currency and percent signs go; numbers, number words, ordinals and fractions become one
token each, ``#`` and the value.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pytest_mmreason.judges.lexicon import (
    ALIASES,
    ARTICLES,
    FILLER,
    JOINERS,
    NUMERIC,
    ORDINAL_WORDS,
)
from pytest_mmreason.judges.notation import one_notation
from pytest_mmreason.judges.numerals import number_at
from pytest_mmreason.judges.stems import root

_VULGAR = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
# the letter of "sample A", the choice "A.", "A 4, B 6" and "A and B", which is no article
_LETTER_A = re.compile(
    r"A(?:(?=[.):,;=\n]|$| [=|]|-\d)(?:(?<=\sA)|(?<=\(A)|(?<=^A))|(?= [a-z])(?<=[a-z0-9] A)"
    r"|(?= \d{1,9}(?:[,;.\n]|$))(?<![^\s(]A)|(?= (?:is|and|or|to) )(?<![^\s(]A))"
)
_ARROW = re.compile(r"\s?(?:[-=]{1,3}>|→)\s?")
_NEGATED_VERB = re.compile(r"\b([a-z]{2,6})n['’]t(?=\W|$)")
_WHOLE_VERB = {"ca": "can", "wo": "will", "sha": "shall"}

_FRACTION = r"(?:\d{1,6}[ ])?\d{1,9}/\d{1,9}(?![\d/])"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+,\d{1,2}(?![\d,])|\d*\.?\d+"
# a minus sign is no hyphen of "AB-12" or "3-4"
_TOKEN = re.compile(
    r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?"
    r"|[.!?;:\n,(](?!\d)"
    rf"|(?:(?<![^\s=(,:>|])-)?(?:{_FRACTION}|{_NUMBER})(?:(?:st|nd|rd|th)\b)?"
    r"|[.!?;:\n,()=/|]"
)
_ALL_BUT = ("anything", "everything", "nothing")
_BREAKS = frozenset(".!?;:\n,()/|")
_SPECIAL = _BREAKS | ARTICLES | NUMERIC | ALIASES.keys() | {"but", "however"}


@dataclass(frozen=True)
class Words:
    """A text as tokens, and the indices at which a new clause or phrase begins.

    `text` is what it was made of. Clauses end at ``. ! ? ; :``, line ends and "but"; phrases also at commas.
    """

    tokens: tuple[str, ...]
    clause_starts: tuple[int, ...] = ()
    phrase_starts: tuple[int, ...] = ()
    text: str = ""

    @cached_property
    def joined(self) -> str:
        """The tokens with one blank before and after each."""
        return f" {' '.join(self.tokens)} "

    @cached_property
    def clauses(self) -> tuple[int, ...]:
        """The number of each token's clause, from 0."""
        return _spread(self.clause_starts, len(self.tokens))

    @cached_property
    def phrases(self) -> tuple[int, ...]:
        """The number of each token's phrase, from 0."""
        return _spread(self.phrase_starts, len(self.tokens))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The content words by their root, and the numbers."""
        return content(self)

    @cached_property
    def token_set(self) -> frozenset[str]:
        """The tokens, each once."""
        return frozenset(self.tokens)

    @cached_property
    def squeezed(self) -> str:
        """The tokens with nothing between them."""
        return "".join(self.tokens).replace("#", "")

    @cached_property
    def items(self) -> tuple[list[tuple[int, int]], list[int]]:
        """What commas, clauses and joining words keep apart: (start, end) each; each token's item.

        A joining word belongs to no item; the number of the item before it stands for it.
        """
        found: list[tuple[int, int]] = []
        of_token: list[int] = []
        start = 0
        for at, token in enumerate(self.tokens):
            joins = token in JOINERS
            if at > start and (joins or self.phrases[at] != self.phrases[at - 1]):
                found.append((start, at))
                start = at
            if joins:
                start = at + 1
            of_token.append(max(0, len(found) - joins))
        if start < len(self.tokens):
            found.append((start, len(self.tokens)))
        return found or [(0, 0)], of_token

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The number tokens."""
        return frozenset(token for token in self.tokens if token[0] == "#")

    def phrase_of(self, at: int) -> tuple[int, int]:
        """Where the phrase of the token at `at` begins, and where it has ended."""
        phrase = self.phrases[at]
        return bisect_left(self.phrases, phrase), bisect_right(self.phrases, phrase)

    def cut(self, start: int, end: int) -> Words:
        """The tokens from `start` to before `end`, as words of their own."""
        return Words(
            self.tokens[start:end],
            tuple(at - start for at in self.clause_starts if start < at < end),
            tuple(at - start for at in self.phrase_starts if start < at < end),
        )

    def without(self, pattern: Words) -> Words:
        """These words but for the places where `pattern` stands in a row."""
        left = self
        for at in reversed(self.find(pattern)):
            if at + len(pattern.tokens) <= len(left.tokens):
                before = left.cut(0, at)
                after = left.cut(at + len(pattern.tokens), len(left.tokens))
                left = Words(
                    before.tokens + after.tokens,
                    (*before.clause_starts, at, *(at + n for n in after.clause_starts)),
                    (*before.phrase_starts, at, *(at + n for n in after.phrase_starts)),
                )
        return left

    def find(self, pattern: Words, limit: int = 50) -> list[int]:
        """Where `pattern`'s tokens stand in a row, as token indices; at most `limit`."""
        found: list[int] = []
        if not pattern.tokens:
            return found
        joined, wanted = self.joined, pattern.joined
        index = counted = 0
        at = joined.find(wanted)
        while at >= 0 and len(found) < limit:
            index += joined.count(" ", counted, at)
            counted = at
            found.append(index)
            at = joined.find(wanted, at + 1)
        return found


def words(text: str) -> Words:
    """`text` as comparable words."""
    raw = _TOKEN.findall(_prepare(text))
    tokens: list[str] = []
    clause_starts: list[int] = []
    phrase_starts: list[int] = []
    resume = 0
    # most tokens are plain words, and a judge has thousands to look at
    special = {t for t in set(raw) if t in _SPECIAL or t[-1] == "s" or not t.isalpha()}
    for at, token in enumerate(raw):
        if at < resume:
            continue
        if token not in special:
            tokens.append(token)
            continue
        if token in ARTICLES:
            continue
        if token in _BREAKS:
            size = len(tokens)
            if size and phrase_starts[-1:] != [size]:
                phrase_starts.append(size)
            if size and token not in ",()/|" and clause_starts[-1:] != [size]:
                clause_starts.append(size)
            continue
        if token == "=":
            token = "is"
        elif token[0].isalpha():
            token = _word(token)
            if token in NUMERIC:
                token, resume = number_at(raw, at)
            elif token == "but" and raw[at - 1] in _ALL_BUT and at:
                if tokens.pop() != "nothing":
                    tokens.append("not")  # "anything but red"; "nothing but red" is red
                continue
            elif token in ("but", "however") and tokens:
                clause_starts.append(len(tokens))
                phrase_starts.append(len(tokens))
        else:
            token, resume = number_at(raw, at)
        tokens.append(token)
    return Words(tuple(tokens), tuple(clause_starts), tuple(phrase_starts), text)


def content(text: Words) -> frozenset[str]:
    """The content words of `text` by their root, and its numbers."""
    return frozenset(map(root, set(text.tokens) - FILLER))


def _prepare(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _VULGAR.sub(" ", text))
        if hidden := {ord(c): None for c in set(text) if unicodedata.category(c) == "Cf"}:
            text = text.translate(hidden)
        text = _CJK.sub(r" \1 ", text.replace("⁄", "/").replace("−", "-"))
    if ">" in text or "→" in text:
        text = _ARROW.sub(", ", text)
    if "A" in text:
        text = _LETTER_A.sub("ᴀ", text)
    text = one_notation(text.casefold())
    if "n't" in text or "n’t" in text:
        text = _NEGATED_VERB.sub(lambda found: f"{_WHOLE_VERB.get(found[1], found[1])} not", text)
    return text


def _word(token: str) -> str:
    if "'" in token or "’" in token:
        token = token.replace("’", "'").partition("'")[0]
    alias = ALIASES.get(token)
    if alias is not None:
        return alias
    if len(token) < 4 or token[-1] != "s" or token in ORDINAL_WORDS:
        return token
    if token == "seconds" or token.endswith(("ss", "us", "is")):
        return token
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if token.endswith(("sses", "xes", "zes", "ches", "shes", "oes")):
        return token[:-2]
    return token[:-1]


def _spread(starts: tuple[int, ...], size: int) -> tuple[int, ...]:
    numbers: list[int] = []
    for number_, (start, end) in enumerate(pairwise((0, *starts, size))):
        numbers += [number_] * (end - start)
    return tuple(numbers)
