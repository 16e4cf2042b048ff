"""Accuracy on puzzles never trained on, under every prompt strategy: python tiny/measure.py FOLDER.

Scenes are reserved ones only. Beside the model stand the most frequent answer of each kind
and the model itself with a blank picture.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phrasing import about
from PIL import Image
from puzzles import KINDS, Puzzle, make
from world import PAPER, draw, is_reserved

from pytest_mmreason.prompting import COT_SENTENCE, FOLLOW_UP_QUESTION

Message = dict[str, Any]
Question = tuple[list[Message], list[Image.Image]]
BATCH = 32


@dataclass(frozen=True)
class Case:
    """A puzzle, its picture, and more puzzles with theirs to put before or beside it."""

    puzzle: Puzzle
    picture: Image.Image
    others: tuple[tuple[Puzzle, Image.Image], ...]
    seed: str


def user(text: str, pictures: int = 1) -> Message:
    images: list[Message] = [{"type": "image"}] * pictures
    return {"role": "user", "content": [*images, {"type": "text", "text": text}]}


def said(role: str, text: str) -> Message:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def wrapped(before: str = "", after: str = "") -> Callable[[Case], Question]:
    """The question between two sentences."""

    def strategy(case: Case) -> Question:
        text = f"{before}{case.puzzle.question}{after}"
        return [user(text)], [case.picture]

    return strategy


def system(text: str) -> Callable[[Case], Question]:
    return lambda c: ([said("system", text), user(c.puzzle.question)], [c.picture])


def lower_case(case: Case) -> Question:
    return [user(case.puzzle.question.lower())], [case.picture]


def margin(case: Case) -> Question:
    picture = draw(case.puzzle.scene, random.Random(case.seed), margin=0.1)
    return [user(case.puzzle.question)], [picture]


def examples(number: int) -> Callable[[Case], Question]:
    """In-context examples: earlier turns with pictures and short answers."""

    def strategy(case: Case) -> Question:
        turns: list[Message] = []
        pictures: list[Image.Image] = []
        for puzzle, picture in case.others[:number]:
            turns += [user(puzzle.question), said("assistant", puzzle.answer)]
            pictures.append(picture)
        return [*turns, user(case.puzzle.question)], [*pictures, case.picture]

    return strategy


def several(number: int) -> Callable[[Case], Question]:
    """The question names its picture among several."""

    def strategy(case: Case) -> Question:
        rng = random.Random(case.seed)
        place = rng.randrange(number)
        pictures = [picture for _, picture in case.others[: number - 1]]
        pictures.insert(place, case.picture)
        return [user(about(case.puzzle.question, place, rng), number)], pictures

    return strategy


def follow_up(case: Case) -> Question:
    """The reasoning is asked for after the answer."""
    turns = [user(case.puzzle.question), said("assistant", case.puzzle.answer)]
    return [*turns, said("user", FOLLOW_UP_QUESTION)], [case.picture]


def blank(case: Case) -> Question:
    return [user(case.puzzle.question)], [Image.new("RGB", case.picture.size, PAPER)]


STRATEGIES: dict[str, Callable[[Case], Question]] = {
    "direct": wrapped(),
    "cot": wrapped(after=f"\n{COT_SENTENCE}"),
    "explain": wrapped(after=" Explain."),
    "icl 1": examples(1),
    "icl 2": examples(2),
    "icl 4": examples(4),
    "system": system("You are a helpful assistant."),
    "system, long": system(
        "You are a careful assistant. Look at every image before you answer the user."
    ),
    "short": wrapped(after="\nAnswer the question using a single word or phrase."),
    "instruction": wrapped(before="Based on the image, answer the following question.\n"),
    "unseen words": wrapped(before="Kindly inspect this drawing with great attention. "),
    "lower case": lower_case,
    "margin": margin,
    "2 pictures": several(2),
    "3 pictures": several(3),
    "follow-up": follow_up,
    "blank picture": blank,
}


def cases(kind: str, number: int) -> Iterator[Case]:
    """Held-out puzzles of a kind; the same for every strategy."""
    for n in range(number):
        seed = f"held-out-{kind}-{n}"
        rng = random.Random(seed)
        puzzle = make(kind, rng, is_reserved)
        picture = draw(puzzle.scene, rng)
        others = []
        for _ in range(4):
            other = make(rng.choice(list(KINDS)), rng, is_reserved)
            others.append((other, draw(other.scene, rng)))
        yield Case(puzzle, picture, tuple(others), seed)


def final(text: str) -> str:
    """The answer that a reply ends with."""
    return text.rpartition("Answer:")[2].strip().lower().rstrip(".")


class Checkpoint:
    """Answers through transformers, in batches."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForImageTextToText, AutoProcessor

        torch.set_num_threads(1)
        self.processor = AutoProcessor.from_pretrained(folder)
        model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
        self.model: Any = model.eval()

    def answer(self, questions: Sequence[Question]) -> list[str]:
        import torch

        texts = [
            self.processor.apply_chat_template(turns, add_generation_prompt=True)
            for turns, _ in questions
        ]
        inputs = self.processor(
            text=texts,
            images=[pictures for _, pictures in questions],
            padding=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            output = self.model.generate(**inputs)
        new = output[:, inputs["input_ids"].shape[1] :]
        return [t.strip() for t in self.processor.batch_decode(new, skip_special_tokens=True)]


def measure(folder: Path, number: int, strategies: Sequence[str]) -> dict[str, Any]:
    """Accuracy by strategy and kind, with the most frequent answer's share of each kind."""
    model = Checkpoint(folder)
    held_out = {kind: list(cases(kind, number)) for kind in KINDS}
    result: dict[str, Any] = {"puzzles of each kind": number, "accuracy": {}}
    for strategy in strategies:
        row: dict[str, float] = {}
        for kind, puzzles in held_out.items():
            right = 0
            for start in range(0, number, BATCH):
                part = puzzles[start : start + BATCH]
                replies = model.answer([STRATEGIES[strategy](case) for case in part])
                right += sum(
                    final(r) == c.puzzle.answer for r, c in zip(replies, part, strict=True)
                )
            row[kind] = round(right / number, 3)
        row["mean"] = round(sum(row.values()) / len(row), 3)
        result["accuracy"][strategy] = row
        print(f"{strategy:14}", "  ".join(f"{k} {v:.2f}" for k, v in row.items()), flush=True)
    frequent = {
        kind: round(Counter(c.puzzle.answer for c in puzzles).most_common(1)[0][1] / number, 3)
        for kind, puzzles in held_out.items()
    }
    result["accuracy"]["most frequent answer"] = frequent
    print(f"{'most frequent':14}", "  ".join(f"{k} {v:.2f}" for k, v in frequent.items()))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=300, help="puzzles of each kind")
    parser.add_argument("--strategy", action="append", choices=list(STRATEGIES))
    parser.add_argument("--write", type=Path, help="write the figures there, as JSON")
    args = parser.parse_args()
    result = measure(args.folder, args.number, args.strategy or list(STRATEGIES))
    if args.write:
        args.write.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
