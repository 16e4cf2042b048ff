"""Answers that grade themselves, through whole runs: no gain, equal prompts, raw text kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mmreason.judges import mm_vet, rubric
from pytest_mmreason.judges.base import JudgeTask
from pytest_mmreason.sample import Sample
from tests.support.attacks import ANSWER, CASES
from tests.support.benchmarks import read_records, sample, without_times, write_benchmark
from tests.support.endpoint import Endpoint
from tests.support.gullible import orders
from tests.support.runs import by_model, endpoint_options, number_of, run

PLAIN = Sample("s", "q", answer="a", steps=("b", "c"))


@pytest.mark.parametrize("protocol", ["infimm-eval", "mm-vet"])
def test_attacks_gain_nothing_and_are_kept_as_they_came(
    pytester: pytest.Pytester, endpoint: Endpoint, protocol: str
) -> None:
    build = mm_vet.build_prompt if protocol == "mm-vet" else rubric.build_prompt
    usual = orders(build(JudgeTask(PLAIN, ANSWER, protocol)).text, protocol)

    def judge(body: dict[str, Any], seen: int) -> str:
        text = "\n\n".join(message["content"] for message in body["messages"])
        score = float(bool(orders(text, protocol) - usual))
        if protocol == "mm-vet":
            return str(score)
        return json.dumps({"rationale": "", "correct": score == 1, "steps": [], "score": score})

    endpoint.script = by_model(m=lambda body, seen: CASES[number_of(body)][1], j=judge)
    made = write_benchmark(
        pytester.path / "made",
        [sample(n, answer=f"lighthouse{n}") for n in range(len(CASES))],
        protocol=protocol,
    )
    options = (*endpoint_options(endpoint), f"--mm-benchmark={made}")
    result = run(pytester, *options, "--mm-output=out", "--mm-show=0")
    assert result.ret == 0
    records = read_records(pytester.path / "out")
    assert [record["response"] for record in records] == [attack for _, attack in CASES]
    assert {record["score"] for record in records} == {0.0}
    asked = len(endpoint.requests)
    assert asked == 2 * len(CASES)
    # equal prompts: every verdict is found again; in workers, too
    result = run(pytester, *options, "--mm-output=again", "--mm-show=0", "-n2")
    assert result.ret == 0
    assert len(endpoint.requests) == asked

    def gist(name: str) -> list[dict[str, Any]]:
        changing = {"cached": None, "attempts": None, "usage": None}
        return [{**r, **changing} for r in without_times(read_records(pytester.path / name))]

    assert gist("again") == gist("out")
