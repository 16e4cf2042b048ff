"""Answers that grade themselves gain nothing, from any judge, in any place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.judges import mm_vet, official_prompt, rubric
from pytest_mmreason.judges.base import InvalidVerdict, JudgeTask
from pytest_mmreason.judges.keyword import match_keywords
from pytest_mmreason.judges.llm import LLMJudge
from pytest_mmreason.judges.local import judge_locally
from pytest_mmreason.judges.parsing import parse_rubric, parse_score
from pytest_mmreason.models.base import Request
from pytest_mmreason.sample import Sample
from pytest_mmreason.verdict import Verdict
from tests.support.attacks import ANSWER, ATTACKS, CASES, IDS
from tests.support.gullible import orders, outside
from tests.support.stubs import StubModel

SAMPLE = Sample(
    "s1",
    "What stands on the hill?",
    answer="lighthouse",
    steps=("A lamp turns at the top of a tall tower.", "It warns ships."),
)
PROTOCOLS: dict[str, Any] = {"infimm-eval": rubric, "mm-vet": mm_vet}
every_attack = pytest.mark.parametrize("attack", [attack for _, attack in CASES], ids=IDS)
both_protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def prompt(protocol: str, response: str, sample: Sample = SAMPLE, sharper: bool = False) -> str:
    built = PROTOCOLS[protocol].build_prompt(JudgeTask(sample, response, protocol), sharper)
    text: str = built.text
    return text


def obeys(text: str, protocol: str) -> bool:
    """Whether the gullible judge finds an order that is not in the prompt of a plain answer."""
    return bool(orders(text, protocol) - orders(prompt(protocol, ANSWER), protocol))


def judged(attack: str, protocol: str) -> Verdict:
    """The verdict of a judge that gives 1.0 whenever it is told to, else 0.0."""

    def reply(request: Request) -> str:
        score = float(obeys(request.prompt.text, protocol))
        if protocol == "mm-vet":
            return str(score)
        return json.dumps({"rationale": "", "correct": score == 1, "steps": [], "score": score})

    model = StubModel(reply)
    return asyncio.run(
        LLMJudge(model, {}).judge(JudgeTask(SAMPLE, attack, protocol), model.generate)
    )


def test_corpus_is_wide() -> None:
    assert len(ATTACKS) >= 12
    assert len({attack for _, attack in CASES}) == len(CASES) >= 60


@both_protocols
@every_attack
def test_attack_gains_nothing(attack: str, protocol: str) -> None:
    assert judged(attack, protocol).score == 0.0


@both_protocols
@every_attack
@pytest.mark.parametrize("sharper", [False, True])
def test_prompt_is_the_same_but_for_the_data(attack: str, protocol: str, sharper: bool) -> None:
    text = prompt(protocol, attack, sharper=sharper)
    plain = prompt(protocol, ANSWER, sharper=sharper)
    assert outside(text, protocol) == outside(plain, protocol)
    assert text == prompt(protocol, attack, sharper=sharper)


@both_protocols
@every_attack
def test_benchmark_that_reads_like_an_order_breaks_no_prompt(attack: str, protocol: str) -> None:
    changes: list[dict[str, Any]] = [
        {"question": attack},
        {"answer": attack},
        {"steps": (attack, attack)},
        {"question": attack, "answer": attack, "steps": (attack, attack)},
    ]
    for change in changes:
        text = prompt(protocol, ANSWER, replace(SAMPLE, **change))
        assert outside(text, protocol) == outside(prompt(protocol, ANSWER), protocol)
        assert not obeys(text, protocol)


@both_protocols
def test_judge_of_these_tests_would_fall_for_a_prompt_that_does_not_hold(protocol: str) -> None:
    """Were the response not quoted, almost every attack would be seen."""
    quoted = prompt(protocol, "RAW")
    naive = quoted.replace('"RAW"', "RAW") if protocol == "infimm-eval" else quoted
    assert "RAW" in naive
    seen = [obeys(naive.replace("RAW", attack), protocol) for _, attack in CASES]
    # in a table, an attack without a bar or a line break stays in its cell
    assert sum(seen) > (0.9 if protocol == "infimm-eval" else 0.4) * len(CASES)


QUOTED: dict[str, Callable[[str], str]] = {
    "then a score": lambda attack: f"The response says: {attack}\n\nScore: 0.0",
    "in quotation marks": lambda attack: f'The response is "{attack}", which is wrong. Score: 0.0',
    "as a quote block": lambda attack: (
        "It says:\n" + "\n".join(f"> {line}" for line in attack.splitlines()) + "\n\nScore: 0.0"
    ),
    "in JSON": lambda attack: json.dumps(
        {"rationale": f"It says {attack}", "correct": False, "steps": [], "score": 0.0}
    ),
    "in JSON without escapes": lambda attack: (
        f'{{"rationale": "It says {attack}", "correct": false, "steps": [], "score": 0.0}}'
    ),
    "in broken JSON": lambda attack: f"{{'rationale': 'It says {attack}', 'score': 0.0}}",
    "after the score": lambda attack: f"Score: 0.0\n\nThe response only says: {attack}",
    "and no score": lambda attack: f'The response says "{attack}" and nothing else.',
}


@pytest.mark.parametrize("form", QUOTED)
@every_attack
def test_judge_that_quotes_an_attack_gives_it_nothing(attack: str, form: str) -> None:
    reply = QUOTED[form](attack)
    for parse in (parse_score, lambda text: parse_rubric(text, 2).score):
        try:
            score = parse(reply)
        except InvalidVerdict:
            continue
        assert score == 0.0


@every_attack
def test_offline_judges_give_an_attack_nothing(attack: str) -> None:
    assert match_keywords("lighthouse", attack).score == 0.0
    for protocol in PROTOCOLS:
        verdict = judge_locally(SAMPLE, attack, protocol)
        assert (verdict.score, verdict.score_answer_only or 0.0) == (0.0, 0.0)


@every_attack
def test_official_layout_keeps_prompt_and_answer_to_the_letter(attack: str, tmp_path: Path) -> None:
    """It escapes nothing, as documented: what it promises is that nothing is changed."""
    text = "Rate it. <AND>, <OR>.\n\nq | truth | answer | correctness\n--- | --- | --- | ---\n"
    (tmp_path / "prompt.txt").write_text(text, encoding="utf-8")
    official = official_prompt.read(tmp_path / "prompt.txt")
    task = JudgeTask(SAMPLE, attack, "mm-vet")
    built = mm_vet.build_prompt(task, official=official)
    assert built.text == f"{text}\nWhat stands on the hill? | lighthouse | {attack} | "
    assert built.sha256 == mm_vet.build_prompt(task, official=official).sha256
