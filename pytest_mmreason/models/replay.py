"""``replay:FILE``: recorded answers, read from the forms in which people have them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_mmreason.benchmarks.validation import shown
from pytest_mmreason.errors import MissingPrediction, UsageError
from pytest_mmreason.models.base import Request, Response

_FAULTS_SHOWN = 10


class ReplayModel:
    """Answers recorded in a file: no inference, no network, no image opened.

    Read are: a JSON object id -> text (the submission format of both benchmarks),
    LLaVA's answers (JSON lines with ``question_id`` and ``text``), and this package's
    own ``results.jsonl``.

    Raises UsageError naming the file and line for anything else.
    """

    wants_images = False
    offline = True
    cacheable = False
    max_concurrency: int | None = None

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.path = path
        try:
            content = path.read_bytes()
            text = content.decode("utf-8-sig")
        except OSError as error:
            raise UsageError(f"recorded answers {path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"recorded answers {path}: not UTF-8 ({error})") from None
        self._answers, self._tagged, self._by_number = _read(path, text)
        self.identity: Mapping[str, Any] = {
            "kind": "replay",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        self.notes: list[str] = []

    async def generate(self, request: Request) -> Response:
        """The recorded answer; MissingPrediction if there is none for this sample."""
        found = self.recorded(request.benchmark, request.sample, request.repeat)
        if found is None:
            raise MissingPrediction(f"{self.path.name} holds no answer for {request.sample!r}")
        return found

    def recorded(self, benchmark: str, sample: str, repeat: int = 0) -> Response | None:
        """The answer to a sample; None if the file holds none."""
        found = self._tagged.get((benchmark, sample, repeat)) or self._answers.get(sample)
        if found is None and (number := self._number(sample)):
            found = self._answers.get(number)
        return found

    async def aclose(self) -> None:
        """Nothing is held open."""

    @property
    def ids(self) -> frozenset[str]:
        """The samples that have an answer, as the file calls them."""
        return frozenset(self._answers)

    def unknown(self, samples: Iterable[str]) -> list[str]:
        """Recorded ids that no sample of the benchmarks has."""
        known = set(samples)
        known |= {number for sample in known if (number := self._number(sample))}
        return sorted(self._answers.keys() - known)

    def _number(self, sample: str) -> str | None:
        """LLaVA's question_id of an MM-Vet sample: 12 for v1_12."""
        found = _MM_VET_ID.fullmatch(sample) if self._by_number else None
        return found[1] if found else None


_OF_ANSWERS = {"answer_id", "model_id", "prompt"}
"""What a line of LLaVA's answers holds of these, no line of its questions does."""

_MM_VET_ID = re.compile(r"v\d+_(\d+)")
_Tagged = dict[tuple[str, str, int], Response]


def _read(path: Path, text: str) -> tuple[dict[str, Response], _Tagged, bool]:
    """Answers by sample id, records by (benchmark, sample, repeat), and whether the ids
    are LLaVA's numbers."""
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except _AnsweredTwice as error:
        raise UsageError(f"recorded answers {path}: {error}") from None
    except (ValueError, RecursionError):
        data = None
    if data == {}:
        raise UsageError(f"recorded answers {path}: the file holds none")
    if isinstance(data, dict) and not ("question_id" in data or "sample" in data):
        if all(isinstance(v, dict) and isinstance(v.get("score"), list) for v in data.values()):
            raise UsageError(
                f"recorded answers {path}: this is a grade file, which is a judge's: "
                f"--mm-judge=replay:{path}"
            )
        _refuse(
            [
                f"recorded answers {path}: {_no_text(k, v)}"
                for k, v in data.items()
                if not isinstance(v, str)
            ]
        )
        return {str(k): Response(v) for k, v in data.items()}, {}, False
    faults: list[str] = []
    answers: dict[str, Response] = {}
    tagged: _Tagged = {}
    by_number = False
    # Not splitlines(): U+2028 and its kin may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"{where}: neither a JSON object id -> text nor JSON lines ({error})"
            ) from None
        if isinstance(row, dict) and "question_id" in row:
            if "image" in row and not row.keys() & _OF_ANSWERS:
                raise UsageError(
                    f"{where}: question_id, image and text, as in LLaVA's file of questions: these "
                    "are the questions; name the file of a model's answers to them"
                )
            by_number = True
            number_of, answer = row["question_id"], row.get("text")
            if isinstance(answer, str):
                _keep(where, answers, str(number_of), Response(answer))
            else:
                faults.append(f"{where}: {_no_text(number_of, answer)}")
        elif isinstance(row, dict) and "sample" in row:
            if not isinstance(row.get("response"), str):
                continue  # an errored record has no answer to replay
            repeat = row.get("repeat") or 0
            if not isinstance(repeat, int):
                raise UsageError(f"{where}: repeat is {repeat!r}, not a whole number")
            key = (str(row.get("benchmark", "")), str(row["sample"]), repeat)
            response = Response(row["response"], str(row.get("finish_reason") or "stop"))
            _keep(where, tagged, key, response)
            answers.setdefault(str(row["sample"]), tagged[key])
        else:
            raise UsageError(
                f"{where}: a line holds question_id and text (LLaVA's answers), or is a record of results.jsonl"
            )
    _refuse(faults)
    if not answers:
        raise UsageError(f"recorded answers {path}: the file holds none")
    return answers, tagged, by_number


class _AnsweredTwice(Exception):
    """An object holds two different answers under one key."""


def _keep(where: str, answers: dict[Any, Response], key: Any, response: Response) -> None:
    if answers.setdefault(key, response).text != response.text:
        raise UsageError(f"{where}: {_twice(key)}")


def _twice(key: object) -> str:
    return f"two different answers to {key!r}; a file holds those of one model and prompt"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in pairs:
        if row.setdefault(key, value) != value:
            raise _AnsweredTwice(_twice(key))
    return row


def _no_text(key: object, value: object) -> str:
    """What is wrong with an answer that is no text."""
    return f"the answer of {key!r} is {shown(value)}, not text"


def _refuse(faults: Sequence[str]) -> None:
    """UsageError listing `faults`, if there are any."""
    if faults:
        more = len(faults) - _FAULTS_SHOWN
        told = [*faults[:_FAULTS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        raise UsageError("\n".join(told))
