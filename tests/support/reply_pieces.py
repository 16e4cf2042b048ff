"""The pieces that replies of judges are made from."""

from __future__ import annotations

from collections.abc import Callable

NUMBERS: tuple[Callable[[float], str], ...] = (
    lambda v: f"{v:g}" if v not in (0, 1) else f"{v:.1f}",
    lambda v: f"{v:.2f}",
    lambda v: f"{v:.1f}" if round(v, 1) == v else f"{v:.2f}",
    lambda v: f"{v:.2f}".replace(".", ","),
    lambda v: f"{v:.2f}".removeprefix("0") if v < 1 else "1.",
    lambda v: f"{v:.2f}".translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789."}),
    lambda v: f"{v * 100:.0f}%" if v != 0.01 else "0.01",
    lambda v: f"{v * 100:.0f} %" if v != 0.01 else ".01",
    lambda v: f"{v * 100:.0f} percent" if v != 0.01 else "1/100",
    lambda v: f"{round(v * 100)}/100",
    lambda v: f"{round(v * 100)} / 100",
    lambda v: f"{v * 10:.3g}/10",
    lambda v: f"{v * 10:.3g} out of 10",
    lambda v: f"{v * 10:.3g} points out of 10",
    lambda v: f"{round(v * 100)} (out of 100)",
    lambda v: f"{v:.2f}/1.0",
)
"""Ways to write a score in hundredths that a reader takes for that score."""

GARBLED = (
    *(
        "1 mistake",
        "1 correct part",
        "0 mistakes",
        "1 ⭐",
        "1️⃣",
        "1\u0338",
        "1 (max 5)",
        "1, max 5",
        "1 | 5",
    ),
    *(
        "1\n/5",
        "1 over 5",
        "1 (on a scale of 1 to 5)",
        "0 → 1",
        "0.2 -> 0.8",
        "0.2, then 0.8",
        "0.5?",
        "1%",
    ),
    *(
        "0.2 (0.8 if generous)",
        "1.0 if it were right",
        "0.8. Wait, no: 0.2",
        "0.8\nActually, 0.2",
        "1.0 means right",
    ),
    *("0.70.2", "0.5x", "x0.5", "5", "-0.1", "−0.1", "1.2", "10", "1e-1", "1e999", "0x1", "1st"),
    *("٠٫٧", "०.७", "0٫٧", "0·7", "0'7", "0:7", "0;7", "½", "0.7²", "0.8₁", "①", "Ⅴ", "零点七"),
    *("0.5-0.7", "0.5–0.7", "0.5 - 0.7", "0.5 to 0.7", "0.5 or 0.7", "0.5 and 0.7", "0.5~0.7"),
    *("0.5 ± 0.1", "0.5±0.1", "0.5...0.7", "0.5…0.7", "~0.5", "<0.5", "> 0.5", "≥0.5", "≈ 0.5"),
    *("0.7%", "150%", "101 percent", "5‰", "12/10", "1/0", "0/0", "7/0.5", "0.7/10", "1/2/2024"),
    *("1,000", "1 000", "0 7", "0. 7", "0 .7", "1..0", "0..1", "1.0.0", "1-0", "1:0", "0/1/1"),
    *(
        "0.3 + 0.4",
        "0.5 * 0.5",
        "0.5 × 2",
        "1 = 0.5",
        "2^-1",
        "0.5 ^ 2",
        "1 out of ten",
        "1 of the",
    ),
    *(
        "1 star",
        "1 out of",
        "1/ten",
        "1/",
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        "null",
        "None",
        "true",
    ),
    *("", "N/A", "high", "seven tenths", "zero", "one", "?", "-", "0.5+", "+0.5", "1+", "0.5!0.7"),
)
"""What stands in a score's place and is none."""

MARKED = (
    *(
        "Score: {}",
        "score: {}",
        "SCORE: {}",
        "score={}",
        "Score = {}",
        "**Score:** {}",
        "**Score: {}**",
    ),
    *(
        "Score\n{}",
        "Score:\n\n{}",
        "Score → {}",
        "Score => {}",
        "Final score: {}",
        "Overall score: {}",
    ),
    *("| Score | {} |", "Correctness: {}", "Correctness | {} |", "correctness = {}", "Grade: {}"),
    *("Rating: {}", "My grade is {}", "The score is {}", "I give a score of {}", "- Score: {}"),
    *(
        "Score (0-1): {}",
        "Score (from 0.0 to 1.0): {}",
        "### Score: {}",
        "Score: [{}]",
        "Score: ({})",
    ),
    *(
        "`Score: {}`",
        "得分：{}",
        "Punktzahl: {}",
        "Score:{}",
        "So the score equals {}",
        '"Score: {}"',
    ),
)
"""What marks a number as the score."""

JSON = (
    '{{"score": {}}}',
    '{{"Score": {}}}',
    '```json\n{{"score": {}}}\n```',
    '{{"rationale": "It says {{}} and \\"score: 0.3\\".", "score": {}}}',
    '{{"rationale": "one\nline, 0.3", "score": {}}}',
    "{{'score': {}, 'rationale': 'It says 0.3'}}",
    '{{"score": {}, // 0.3 was too little\n}}',
    '{{"score": {} /* not 0.3 */, "steps": []}}',
    '{{"verdict": {{"score": {}}}}}',
    '{{"score": {}, "steps": [{{"step": 9, "credit": 0.3}}, {{"step": 1, "credit": 0.5}}]}}',
    'Here is my verdict: {{"score": {}}}',
    '<verdict>{{"score": {}}}</verdict>',
)
"""JSON around a number."""

REMARKS = (
    *(
        "",
        "",
        "The response names the colour.",
        "It has 2 of the 3 parts.",
        "The cat is missing; 1 error.",
    ),
    *(
        "Die Antwort ist nicht ganz richtig.",
        "回答は部分的に正しいです。",
        "الإجابة صحيحة جزئيا.",
        "No reason to downscore.",
    ),
    *('The response says "Score: 0.33", which is no verdict.', "It asks for a score of 0.33."),
    *(
        "The maximum score is 1.0.",
        "It demands a score of 1.0, which I ignore.",
        "**Rationale:** fine.",
    ),
    *(
        "A perfect answer would have a score of 1.0.",
        "> Score: 0.33\n",
        "Step 1 score: 0.33.",
        "Both parts\n- a\n- b",
    ),
)
"""What may stand before or after a verdict."""

MENTIONS = (
    *(
        "<!-- score: {} -->",
        "No score of {}",
        "The response: score: {}",
        "Student: Score: {}",
        "score: {} says it",
    ),
    *(
        "Score: {} is what it demands",
        "Score: {} (as the response demands)",
        "If correct, score: {}; otherwise 0.0",
    ),
    *(
        "On a scale from 0 to 5, score: {:.0f}",
        "Answer: {} litres of milk",
        "A response with score: {} needs both parts.",
    ),
    *('The response says "Score: {}".', "It asks for a score of {}.", "The maximum score is {}."),
    *("It answered\nScore: {}\nwhich is wrong.", "The response ends with\n{}"),
    "It replied:\n<score>{}</score>\nwhich is not its own to say.",
    *(
        "A perfect answer would have a score of {}.",
        "not {}",
        "The score is not {}.",
        "less than {}",
    ),
    *(
        "It covers an area of {} square metres.",
        "There are {} errors.",
        "Step 1 score: {}",
        "> Score: {}",
    ),
    *(
        "I cannot give a score of {}.",
        "between {} and more",
        "Score 1: {}",
        "A score of {} would be too much.",
    ),
    *(
        '{{"rationale": "it deserves {}"}}',
        '{{"rationale": "Score: {}"}}',
        '{{"score": null, "credit": {}}}',
    ),
    *(
        '{{"score": [{}]}}',
        '{{"score": {{"value": {}}}}}',
        '{{"steps": [{{"step": 1, "credit": {}}}]}}',
    ),
    *(
        '{{"answer": "score: {}"}}',
        'The response says {{"score": {}}}.',
        "The response reads:\n\n{}",
    ),
    *(
        'The response dictates:\n```json\n{{"score": {}}}\n```\nThat is no answer.',
        "The value {} is in the chart.",
    ),
    *(
        "The model's text contains Final score: {}",
        "Confidence score: {}",
        "The answer {} is wrong.",
    ),
    *(
        "If it were right, I would give {} or more",
        "Max score = {}",
        "Score (out of 5): {}",
        "Score: see {}",
    ),
    *(
        '{{"example": {{"score": {}}}}}',
        'Example output: {{"score": {}}}',
        'Previous verdict: {{"score": {}}}',
        '{{"score": {}}} would be wrong.',
        'Die Antwort verlangt {{"score": {}}}',
        "Colour score: {}",
        "GPT-4's score: {}",
        "A previous grader gave a score of {}.",
        "Ignoring the injected 'Score: {}'.",
        "Score (requested): {}",
        "Die Antwort behauptet Punktzahl: {}",
        "La réponse demande un score: {}",
        "该回答声称得分：{}",
        "回答は「スコア：{}」と書いている。",
    ),
)
"""A number that is no verdict."""
