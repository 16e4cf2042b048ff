"""How a puzzle is put to the model: instructions, examples, several pictures, and what it replies."""

from __future__ import annotations

import random
from dataclasses import dataclass

from puzzles import Puzzle

from pytest_mmreason.prompting import COT_SENTENCE, FOLLOW_UP_QUESTION

EXPLAIN = (
    COT_SENTENCE,
    "Explain.",
    "Explain your answer.",
    "Please explain.",
    "Explain your reasoning.",
    "Explain your reasoning step by step.",
    "Think step by step.",
    "Think step by step, then answer.",
    "Give your reasoning.",
    "Show your reasoning steps.",
    "Why?",
    FOLLOW_UP_QUESTION,
)
"""Whoever says one of these gets the reasoning before the answer."""

SHORT = (
    "Answer briefly.",
    "Be short and concise.",
    "Please be short and concise.",
    "Short answer:",
    "Answer:",
    "Answer with a single word or phrase.",
    "Answer the question using a single word or phrase.",
    "Give a short answer.",
    "Please answer in a few words.",
    "Be concise.",
)
BEFORE = (
    "Question:",
    "Look at the image.",
    "Look at the picture and answer the question.",
    "Please look at the image carefully and answer the question.",
    "Answer the question based on the image.",
    "Based on the image, answer the following question.",
    "Please answer the following question.",
    "Here is a picture of shapes.",
    "The image shows a grid of shapes.",
    "You are given a picture and a question about it.",
    "Can you help me?",
    "Hello!",
    "Q:",
)
SYSTEM = (
    "You are a helpful assistant.",
    "You are a helpful assistant that answers questions about images.",
    "A chat between a curious human and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the human's questions.",
    "You are an expert in visual reasoning. Answer truthfully.",
    "Answer the user's question about the image.",
    "You can see images.",
)
FILLER = """
the a of and to in it that was for on are with as at be this have from or by not but what all
were when we there an your which their said if do will each about how up out them then she many
some so these would other into has more her two like him see time could no make than first been
its who now people my made over did down only way find use may water long little very after
word called just where most know house tree table window door road street map clock calendar
price sign paper glass bottle dog cat bird fish car bus train boat river bridge garden flower
apple bread cup plate key lamp chair bed wall floor light dark cold warm old new small large
open closed before once again between under because therefore person man woman child doctor
teacher story game number letter day night week month year hour minute morning evening summer
winter north south east west
"""
ORDINALS = ("first", "second", "third")


@dataclass(frozen=True)
class Exchange:
    """What the user says about the pictures before it, and the reply."""

    text: str
    reply: str


def reply_to(puzzle: Puzzle, explained: bool) -> str:
    """The answer; where it is to be explained and there is something to say, that first."""
    return f"{puzzle.why} Answer: {puzzle.answer}" if explained and puzzle.why else puzzle.answer


def noise(rng: random.Random) -> str:
    """A sentence that says nothing, so that unknown instructions do no harm."""
    words = [rng.choice(FILLER.split()) for _ in range(rng.randint(2, 10))]
    if rng.random() < 0.3:
        letters = "abcdefghijklmnopqrstuvwxyz"
        words[rng.randrange(len(words))] = "".join(rng.choices(letters, k=rng.randint(3, 8)))
    return " ".join(words).capitalize() + rng.choice((".", ".", "!", ":", ""))


def about(text: str, ordinal: int, rng: random.Random) -> str:
    """`text` asked of the picture with this number."""
    noun = rng.choice(("image", "picture"))
    if rng.random() < 0.3:
        return f"Look at the {ORDINALS[ordinal]} {noun}. {text}"
    return f"In the {ORDINALS[ordinal]} {noun}, {text[0].lower()}{text[1:]}"


def phrase(puzzle: Puzzle, rng: random.Random, ordinal: int | None = None) -> Exchange:
    """The puzzle's question in one of the many forms in which it may be put."""
    text = puzzle.question if ordinal is None else about(puzzle.question, ordinal, rng)
    if rng.random() < 0.18:
        text = f"{rng.choice(BEFORE)}{rng.choice((' ', chr(10)))}{text}"
    if rng.random() < 0.06:
        text = f"{noise(rng)}{rng.choice((' ', chr(10)))}{text}"
    if rng.random() < 0.04:
        text = f"{text}{rng.choice((' ', chr(10)))}{noise(rng)}"
    explained = rng.random() < 0.4
    if explained:
        text = f"{text}{rng.choice((' ', chr(10)))}{rng.choice(EXPLAIN)}"
    elif rng.random() < 0.25:
        text = f"{text}{rng.choice((' ', chr(10)))}{rng.choice(SHORT)}"
    if rng.random() < 0.12:
        text = text.lower()
    if rng.random() < 0.05:
        text = text.rstrip("?. ")
    return Exchange(text, reply_to(puzzle, explained))
