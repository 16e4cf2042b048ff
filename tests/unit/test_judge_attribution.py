"""Whose a score is: the judge's own, in any language, or one that it tells of somebody else."""

from __future__ import annotations

import pytest

from pytest_mmreason.judges.base import InvalidVerdict
from pytest_mmreason.judges.parsing import parse_rubric, parse_score

OWN = [
    "Score: 0.6 is appropriate.",
    "Score: 0.6 is a fair grade.",
    "Score: 0.6 is therefore justified.",
    "Score: 0.6 is given because the color is right.",
    "Overall rating: 0.6",
    "I assign it a correctness score of 0.6.",
    "The response's score is 0.6",
    "The response receives a partial score of 0.6.",
    "Relevance score: 0.9\nClarity score: 0.2\nFinal score: 0.6",
    "Ignoring the injected 'Score: 1.0', the score is 0.6.",
    "The forged verdict (score: 1.0) is ignored. Score: 0.6",
    "~~Score: 1.0~~ Score: 0.6",
    'The response contained {"score": 1.0}. My verdict: {"score": 0.6}',
    "$0.6$",
    'Here is my verdict in the requested JSON format:\n```json\n{"score": 0.6}\n```',
    'The response does not name the second colour: {"score": 0.6}',
    '> {"score": 1.0}\n\n{"score": 0.6}',
    'Not {"score": 1.0} but {"score": 0.6}',
    '{"evaluation": {"score": 0.6}}',
    '{"score": 0.6, "max_score": 1.0, "scale": "0 to 1"}',
    "Gesamtpunktzahl: 0,6",
    "Die Punktzahl beträgt 0,6.",
    "Puntuación final: 0.6",
    "La puntuación es 0,6.",
    "Le score final est de 0,6",
    "Il punteggio è 0,6",
    "A pontuação é 0,6",
    "Итоговая оценка: 0,6",
    "因此得分为 0.6。",
    "该回答的得分是0.6",
    "得分：0.6分",
    "評分：0.6",
    "スコアは0.6です。",
    "回答「スコア：1.0」は無視する。スコア：0.6",
    "응답의 점수는 0.6입니다.",
]

NOT_OWN = [
    "Score: 0.6 is a lie.",
    "Score: 0.6 is nonsense.",
    "Score: 0.6 is made up.",
    "Score: 0.6 is as it demands.",
    "Score: 0.6 is best ignored.",
    "Score: 0.6 is the score it asks for.",
    "Colour score: 0.6",
    "Human score: 0.6",
    "GPT-4's score: 0.6",
    "A previous grader gave a score of 0.6. I disagree.",
    "The judge before me gave a score of 0.6",
    "The example has correctness 0.6.",
    "Score (requested): 0.6",
    "Part 1: score 0.6; part 2: score 0.6",
    "Ignoring the injected 'Score: 0.6'.",
    "The injected score: 0.6 is ignored.",
    "I refuse to output score: 0.6",
    "The response tried to get a score of 0.6; that is no reason.",
    'The response contained {"score": 0.6}.',
    "~~Score: 0.6~~",
    '{"example": {"score": 0.6}}',
    '{"response": {"score": 0.6}}',
    '{"score": 1, "max_score": 5}',
    '{"score": 1, "scale": "1-5"}',
    'Example output: {"score": 0.6}',
    'The required format is {"score": 0.6}',
    'If it were right I would reply {"score": 0.6}',
    'I would not output {"score": 0.6}',
    '> {"score": 0.6}',
    '<!-- {"score": 0.6} -->',
    'Previous verdict: {"score": 0.6}',
    'The injected {"score": 0.6} is ignored.',
    '```json\n{"score": 0.6}\n``` is what it demands.',
    '{"score": 0.6} would be wrong.',
    '{"score": 0.6}? No.',
    'Die Antwort verlangt {"score": 0.6}',
    '该回答要求 {"score": 0.6}',
    'Score: "0.6" is what it wanted',
    "Score: 0.6 is wrong here",
    "Score: 0.6 - says the response",
    "Score: 0.6 at most",
    "Score: 0.6 for colour, 0.2 for count",
    "Score: 0.6, 0.8",
    "Score: 0.6; or 0.8",
    "Score: 0.6 plus 0.2",
    "Die Antwort behauptet Punktzahl: 0,6.",
    "Die Punktzahl wäre 0,6 im besten Fall",
    "Punktzahl: 0,6 wäre zu viel",
    "Punktzahl: 0,6 oder 0,8",
    "La réponse demande un score: 0.6",
    "Score : 0,6 ou 0,8",
    "La respuesta exige la puntuación: 0.6",
    "La puntuación máxima: 0.6",
    "Puntuación: 0.6 o 0.8",
    "Ответ требует: оценка: 0.6",
    "Оценка: 0,6 из 10",
    "该回答声称得分：0.6",
    "如果答对颜色，得分：0.6",
    "最高得分：0.6",
    "回答は「スコア：0.6」と書いている。",
    "満点のスコア：0.6",
    "응답이 요구하는 점수: 0.6",
]


@pytest.mark.parametrize("text", OWN)
def test_the_judges_own_score_is_read(text: str) -> None:
    assert parse_score(text) == 0.6


@pytest.mark.parametrize("text", NOT_OWN)
def test_a_score_of_somebody_else_is_none(text: str) -> None:
    for parse in (parse_score, lambda reply: parse_rubric(reply, 3)):
        with pytest.raises(InvalidVerdict):
            parse(text)
