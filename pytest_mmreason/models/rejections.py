"""What an endpoint's 400 says of a parameter: that there is none such, or not with that value.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

SCHEMA = "response_format"
SYSTEM = "system"
"""Stands for the system turn, which some servers take as little as a parameter."""

_ALIASES = {
    SCHEMA: r"(?<!\w)response[ _](?:format|schema)(?!\w)|json[ _-]?(?:schema|object|mode)|output_config"
    r"|structured[ _-]outputs?|guided[ _](?:json|decoding)|\bgrammar\b",
    SYSTEM: r"\b(?:system|developer)['\"]?[ ](?:role|message|prompt|instruction|turn)|^system:"
    r"|\brole\b.{0,40}\bsystem\b|roles must alternate|only user and assistant roles",
}
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unknown|unexpected|unrecogni[sz]ed|extra |not (?:permitted|allowed)"
    r"|not a valid (?:param|arg|field|option|key)|invalid (?:param|arg|field)|deprecated"
    r"|unavailable|not (?:available|implemented|enabled)|roles must alternate|only user and assistant roles|use '?max_completion_tokens",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"unsupported value|invalid value|not (?:a )?valid(?! (?:param|arg|field|option|key))|\brange\b"
    r"|\bbetween\b|at (?:most|least)|(?:less|greater|more|fewer|larger|smaller|higher|lower) than"
    r"|\b(?:above|below)\b|exceed|too (?:large|high|small|low|big|long|many)|(?:max|min)imum"
    r"|must be|should be|has to be|\bexpected\b|[<>]=|supported values",
    re.IGNORECASE,
)
_ONLY_DEFAULT = re.compile(
    r"only (?:the )?default|only be (?:set to )?1\b|only 1(?:\.0)? is|default \S+ (?:value )?is supported",
    re.IGNORECASE,
)
_NO_SCHEMA = re.compile(r"enabled only|cannot be used|requires|failed to", re.IGNORECASE)
_TELLING = 5
"""Characters of a name that is no common word."""


class Rejection(NamedTuple):
    """name: of the parameter, SCHEMA or SYSTEM. by_value: another value of it may do."""

    name: str
    by_value: bool


def read(message: str, sent: Collection[str]) -> Rejection | None:
    """What `message`, the text of a 400 or 422, rejects of the parameters that were sent.

    None where it names none of them, or says neither that it is unsupported nor what is
    wrong with its value. Where only the default is supported, the parameter is not; of the
    schema, which has no other value, every complaint means that it is not.
    """
    for name in sorted(sent, key=len, reverse=True):
        if not re.search(_ALIASES.get(name) or _as_parameter(name), message, re.I | re.M):
            continue
        number = rf"(?<!\w){re.escape(name)}\W{{0,4}}(?:of |value )?-?\d"
        about_value = _VALUE.search(message) or re.search(number, message)
        if name not in _ALIASES and about_value and not _ONLY_DEFAULT.search(message):
            return Rejection(name, True)
        if _UNSUPPORTED.search(message) or _ONLY_DEFAULT.search(message):
            return Rejection(name, False)
        if name == SCHEMA and (about_value or _NO_SCHEMA.search(message)):
            return Rejection(name, False)
    return None


def _as_parameter(name: str) -> str:
    """A pattern for `name`; a common word, such as "stop", only where it is put as a name."""
    plain = re.escape(name)
    word = rf"(?<!\w){plain}(?!\w)"
    if len(name) >= _TELLING or "_" in name:
        return word
    put = r"\b(?:arg|param|field|input|suppl)\w*\W{1,3}"
    return rf"['\"`]{plain}['\"`]|{put}{word}|^{word}(?: is\b|\W)"


def text_of(body: Any, message: str) -> str:
    """What a reply says of a parameter, without what it repeats of the request.

    body: of the reply. message: its error message, for the servers that write one.
    """
    detail = body.get("detail") if isinstance(body, dict) else None
    if isinstance(detail, list):  # pydantic's: the place, and what is wrong there
        found = [
            one for one in detail if isinstance(one, dict) and isinstance(one.get("loc"), list)
        ]
        return "\n".join(f"{one['loc'][-1]}: {one.get('msg')}" for one in found if one["loc"])
    return message
