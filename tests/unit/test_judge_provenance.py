"""What a record says of how it was judged."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_mmreason import Sample, __version__
from pytest_mmreason.judges.base import Judge, provenance
from pytest_mmreason.judges.keyword import KeywordJudge
from pytest_mmreason.judges.local import VERSION, LocalJudge
from pytest_mmreason.registry import as_judge
from tests.support.stubs import StubJudge


def grade(sample: Sample, response: str, key: str = "") -> float:
    return 1.0


class Told(StubJudge):
    """A judge that says more of itself."""

    def __init__(self, version: int) -> None:
        super().__init__()
        self._version = version

    def identity(self, protocol: str) -> Mapping[str, Any]:
        return {"judge": "told", "version": self._version}


def test_offline_judges_tell_their_version_and_the_packages() -> None:
    found = provenance(LocalJudge(), "mm-vet")
    assert (found["package"], found["protocol"]) == (__version__, "mm-vet")
    assert found["version"] == VERSION
    other = provenance(KeywordJudge(), "mm-vet")
    assert other["identity_sha256"] != found["identity_sha256"]


def test_another_version_is_another_provenance() -> None:
    one, same, other = (provenance(Told(version), "mm-vet") for version in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("judge", [LocalJudge(), KeywordJudge(), as_judge(grade, "python:x:y")])
def test_provenance_is_json(judge: Judge) -> None:
    found = provenance(judge, "infimm-eval")
    assert json.loads(json.dumps(found)) == found


def test_arguments_of_a_function_stay_with_it() -> None:
    judge = as_judge(functools.partial(grade, key="sk-secret"), "python:x:y")
    assert "sk-secret" not in json.dumps(provenance(judge, "mm-vet"))
    assert provenance(judge, "mm-vet") != provenance(as_judge(grade, "python:x:y"), "mm-vet")
