"""Training batches: many questions on each picture, packed so that none sees another.

Batch number n is made from the seed and n alone, so that a training run is the same
however many processes prepare it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from model import IMAGE_PIXELS, IMAGE_TOKENS
from phrasing import EXPLAIN, SYSTEM, Exchange, phrase, reply_to
from PIL import Image, ImageDraw
from puzzles import EXERCISES, KINDS, Puzzle, ask, scene_for
from world import COLORS, PAPER, QUESTION, SHAPES, Scene, draw_piece, random_scene

from pytest_mmreason.prompting import FOLLOW_UP_QUESTION

TILE = 64
ROOM = 180
"""Tokens that the questions on one picture may take; as many are asked as fit."""

IGNORED = -100
PIECES = {None: (0, 0), QUESTION: (len(SHAPES) + 1, 0)} | {
    (color, shape): (1 + s, 1 + c)
    for c, color in enumerate(COLORS)
    for s, shape in enumerate(SHAPES)
}

# Which kinds are asked about which sort of scene, and how often.
PLAIN = {
    "describe": 0.1,
    "where": 0.8,
    "sort": 0.15,
    "attribute": 0.6,
    "locate": 1.6,
    "count": 2.0,
    "exist": 1.4,
    "relation": 2.4,
    "compare": 1.8,
    "remove": 2.2,
}
ANALOGY = {"analogy": 3.0, "attribute": 1.0, "locate": 0.6, "exist": 0.6}
ODD = {"odd": 3.0, "attribute": 0.5, "count": 0.7, "remove": 0.7, "locate": 0.5, "sort": 0.2}
EARLY = {
    "describe": 1.5,
    "sort": 2.0,
    "where": 2.0,
    "attribute": 1.0,
    "locate": 2.0,
    "exist": 1.0,
    "count": 1.0,
    "relation": 0.7,
}
"""Asked plainly at first: what is in a place, and in which place something is."""


def alike_scene(rng: random.Random) -> Scene:
    """Many shapes of one or two colours.

    In other scenes a colour alone mostly tells which shape is meant, and a model that
    looks at nothing else is right too often to learn more.
    """
    cells: list[Any] = [None] * 9
    colors = rng.sample(list(COLORS), rng.choice((1, 2, 2)))
    shapes = rng.sample(SHAPES, rng.randint(3, 5))
    for place in rng.sample(range(9), rng.randint(3, 8)):
        cells[place] = (rng.choice(colors), rng.choice(shapes))
    return tuple(cells)


class Pictures:
    """Scenes drawn quickly: every shape was drawn many times, and tiles are put together."""

    def __init__(self, seed: int, variants: int = 64) -> None:
        rng = random.Random(f"tiles-{seed}")
        self.variants = variants
        self.tiles = {
            piece: np.stack([self._tile(piece, rng) for _ in range(variants)])
            for piece in PIECES
            if piece is not None
        }

    @staticmethod
    def _tile(piece: Any, rng: random.Random) -> Any:
        big = Image.new("RGB", (2 * TILE, 2 * TILE), PAPER)
        draw_piece(ImageDraw.Draw(big), piece, TILE, TILE, 2 * TILE, rng)
        return np.asarray(big.resize((TILE, TILE), Image.Resampling.BICUBIC))

    def draw(self, scene: Scene, rng: random.Random) -> Any:
        """uint8 [96, 96, 3]; four in ten have a margin, uneven on its four sides."""
        grid = np.empty((3 * TILE, 3 * TILE, 3), np.uint8)
        grid[:] = PAPER
        for i, piece in enumerate(scene):
            if piece is not None:
                y, x = i // 3 * TILE, i % 3 * TILE
                grid[y : y + TILE, x : x + TILE] = self.tiles[piece][rng.randrange(self.variants)]
        image = Image.fromarray(grid)
        if rng.random() < 0.4:
            most = rng.choice((0.05, 0.1, 0.14))
            left, top, right, bottom = (round(3 * TILE * rng.uniform(0, most)) for _ in range(4))
            canvas = Image.new("RGB", (3 * TILE + left + right, 3 * TILE + top + bottom), PAPER)
            canvas.paste(image, (left, top))
            image = canvas
        return np.asarray(image.resize((IMAGE_PIXELS, IMAGE_PIXELS), Image.Resampling.BICUBIC))


@dataclass
class Batch:
    """ids, labels, positions: int64 [B, T]; weights: float [B, T], what a token counts in
    the loss; mask: additive float [B, 1, T, T];
    pictures: uint8 [N, 96, 96, 3]; cells: int64 [N, 9, 2], shape and colour of each cell.

    asked: int64 [Q, 3], of each question its row, its last token and the picture of the row
    that it is about; looks: float [Q, 2, 9], 1 for the cells that one looks at for it.
    """

    ids: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    pictures: torch.Tensor
    cells: torch.Tensor
    asked: torch.Tensor
    looks: torch.Tensor


Part = tuple[list[int], bool]
"""Tokens, and whether they are learned."""


class Row:
    """One sequence: a head that all its segments see, and segments that do not see each other."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.labels: list[int] = []
        self.weights: list[float] = []
        self.positions: list[int] = []
        self.segments: list[int] = []
        self.asked: list[tuple[int, int, Puzzle]] = []
        self.head = 0

    def add(self, ids: list[int], segment: int = 0, learned: bool = False) -> None:
        if segment and segment not in self.segments[-1:]:
            start = self.head
        else:
            start = self.positions[-1] + 1 if self.positions else 0
        self.ids += ids
        self.labels += ids if learned else [IGNORED] * len(ids)
        # Else the few tokens of short answers would be lost among those of explanations.
        self.weights += [len(ids) ** -0.5] * len(ids)
        self.positions += range(start, start + len(ids))
        self.segments += [segment] * len(ids)
        if not segment:
            self.head = self.positions[-1] + 1

    def ask(self, parts: list[Part], puzzle: Puzzle, picture: int, segment: int = 0) -> None:
        """Add a question and what follows it."""
        self.asked.append((len(self.ids) + len(parts[0][0]) - 1, picture, puzzle))
        for ids, learned in parts:
            self.add(ids, segment, learned)


class Batches:
    """``batches[n]``: batch number n."""

    def __init__(
        self,
        tokenizer: Any,
        seed: int,
        length: int,
        accept: Callable[[Scene], bool],
        size: int = 16,
        early: int = 0,
        plain: int = 0,
        pictures_only: bool = False,
    ) -> None:
        self.encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
        self.eos: int = tokenizer.token_to_id("</s>")
        self.image = [tokenizer.token_to_id("<image>")] * IMAGE_TOKENS
        self.pad: int = tokenizer.token_to_id("<pad>")
        self.seed, self.length, self.accept, self.size = seed, length, accept, size
        self.pictures = Pictures(seed)
        self.early, self.plain, self.pictures_only = early, plain, pictures_only

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, number: int) -> Batch:
        rng = random.Random(f"{self.seed}-{self.pictures_only}-{number}")
        rows: list[Row] = []
        scenes: list[Scene] = []
        if self.pictures_only:
            scenes += [self.scene(rng)[0] for _ in range(self.size)]
            return self._collate([Row()], scenes, rng)
        # Neighbouring batches, which two processes take at once, have the same shape.
        form = random.Random(f"{self.seed}-form-{number // 2}").random()
        if number < self.plain:
            rows += [self._plain(rng, scenes, number < self.early) for _ in range(self.size)]
            return self._collate(rows, scenes, rng)
        if form < 0.25:
            for _ in range(self.size):
                rows.append(self._plain(rng, scenes, early=False))
        elif form < 0.6:
            for _ in range(self.size):
                rows.append(self._single(rng, scenes))
        elif form < 0.83:
            pictures = 2 if form < 0.71 else 3
            for _ in range(self.size * 2 // 3):
                rows.append(self._several(rng, scenes, pictures))
        else:
            examples = 1 if form < 0.88 else 2 if form < 0.94 else 3
            for _ in range(self.size * 2 // (2 + examples)):
                rows.append(self._with_examples(rng, scenes, examples))
        return self._collate(rows, scenes, rng)

    def scene(self, rng: random.Random) -> tuple[Scene, dict[str, float]]:
        """A scene, and the kinds of question that it may be asked."""
        while True:
            sort = rng.random()
            if sort < 0.16:
                scene, kinds = scene_for("analogy", rng), ANALOGY
            elif sort < 0.28:
                scene, kinds = scene_for("odd", rng), ODD
            elif sort < 0.6:
                scene, kinds = alike_scene(rng), PLAIN
            else:
                scene, kinds = random_scene(rng, 2, 7), PLAIN
            if self.accept(scene):
                return scene, kinds

    def puzzle(self, rng: random.Random, scene: Scene, kinds: dict[str, float]) -> Puzzle:
        while True:
            kind = rng.choices(list(kinds), list(kinds.values()))[0]
            if puzzle := ask(kind, scene, rng):
                return puzzle

    def _plain(self, rng: random.Random, scenes: list[Scene], early: bool) -> Row:
        """One picture and questions in the words of the puzzles alone."""
        row = Row()
        scene, kinds = self.scene(rng)
        scenes.append(scene)
        row.add(self.encode("USER: ") + self.image)
        segment = 0
        while len(row.ids) < len(self.image) + ROOM * 3 // 4:
            puzzle = self.puzzle(rng, scene, EARLY if early else kinds)
            explained = not early and rng.random() < 0.25
            text = f"{puzzle.question} {EXPLAIN[1]}" if explained else puzzle.question
            segment += 1
            exchange = Exchange(text, reply_to(puzzle, explained))
            row.ask(self._segment(exchange, puzzle), puzzle, 0, segment)
        return row

    def _single(self, rng: random.Random, scenes: list[Scene]) -> Row:
        row = Row()
        scene, kinds = self.scene(rng)
        scenes.append(scene)
        self._system(row, rng)
        row.add(self.encode("USER: ") + self.image)
        self._questions(row, rng, [(scene, kinds)])
        return row

    def _several(self, rng: random.Random, scenes: list[Scene], pictures: int) -> Row:
        row = Row()
        self._system(row, rng)
        shown = [self.scene(rng) for _ in range(pictures)]
        scenes += [scene for scene, _ in shown]
        row.add(self.encode("USER: ") + self.image)
        for _ in shown[1:]:
            row.add(self.encode("\n") + self.image)
        self._questions(row, rng, shown)
        return row

    def _with_examples(self, rng: random.Random, scenes: list[Scene], examples: int) -> Row:
        row = Row()
        self._system(row, rng)
        for number in range(examples):
            scene, kinds = self.scene(rng)
            scenes.append(scene)
            puzzle = self.puzzle(rng, scene, kinds)
            row.add(self.encode("USER: ") + self.image)
            row.ask(self._segment(phrase(puzzle, rng), puzzle), puzzle, number)
        scene, kinds = self.scene(rng)
        scenes.append(scene)
        row.add(self.encode("USER: ") + self.image)
        self._questions(row, rng, [(scene, kinds)], examples)
        return row

    def _questions(
        self,
        row: Row,
        rng: random.Random,
        shown: list[tuple[Scene, dict[str, float]]],
        before: int = 0,
    ) -> None:
        """Fill the row with questions; where several pictures are shown each names its own.

        before: pictures of the row that were shown earlier.
        """
        pictures = row.ids.count(self.image[0])
        end = max(len(row.ids) + ROOM // 3, pictures + ROOM)
        segment = 0
        while True:
            ordinal = rng.randrange(len(shown))
            puzzle = self.puzzle(rng, *shown[ordinal])
            exchange = phrase(puzzle, rng, ordinal if len(shown) > 1 else None)
            parts = self._segment(exchange, puzzle, rng)
            if segment and len(row.ids) + sum(len(ids) for ids, _ in parts) > end:
                return
            segment += 1
            row.ask(parts, puzzle, before + ordinal, segment)

    def _system(self, row: Row, rng: random.Random) -> None:
        if rng.random() < 0.15:
            row.add(self.encode(f"SYSTEM: {rng.choice(SYSTEM)}\n"))

    def _segment(
        self, exchange: Exchange, puzzle: Puzzle, rng: random.Random | None = None
    ) -> list[Part]:
        """What follows the picture: the question, the reply, rarely more."""
        parts = [
            (self.encode(f"\n{exchange.text} ASSISTANT:"), False),
            ([*self.encode(f" {exchange.reply}"), self.eos], True),
        ]
        if rng and rng.random() < 0.03:
            asked = rng.choice((FOLLOW_UP_QUESTION, *EXPLAIN))
            parts.append((self.encode(f"USER: {asked} ASSISTANT:"), False))
            parts.append(([*self.encode(f" {reply_to(puzzle, True)}"), self.eos], True))
        return parts

    def _collate(self, rows: list[Row], scenes: list[Scene], rng: random.Random) -> Batch:
        longest = max(len(row.ids) for row in rows)

        def padded(values: list[list[Any]], value: float) -> torch.Tensor:
            return torch.tensor([v + [value] * (longest - len(v)) for v in values])

        segments = padded([row.segments for row in rows], -1)
        seen = segments[:, :, None] == segments[:, None, :]
        seen |= segments[:, None, :] == 0
        seen &= torch.ones(longest, longest, dtype=torch.bool).tril()
        asked = [(n, *ask) for n, row in enumerate(rows) for ask in row.asked]
        looks = torch.zeros(len(asked), 2, 9)
        for n, (*_, puzzle) in enumerate(asked):
            for look, places in enumerate(puzzle.looks):
                looks[n, look, list(places)] = 1
        mask = torch.zeros(seen.shape).masked_fill_(~seen, -1e4)[:, None]
        return Batch(
            padded([row.ids for row in rows], self.pad),
            padded([row.labels for row in rows], IGNORED),
            padded([row.weights for row in rows], 0.0),
            padded([row.positions for row in rows], 0),
            mask,
            torch.from_numpy(np.stack([self.pictures.draw(scene, rng) for scene in scenes])),
            torch.tensor([[PIECES[piece] for piece in scene] for scene in scenes]),
            torch.tensor([place for *place, _ in asked]),
            looks,
        )


def corpus(seed: int, lines: int) -> list[str]:
    """Texts as the model will read them, for the tokenizer's training."""
    rng = random.Random(f"corpus-{seed}")
    texts = [f"SYSTEM: {text}\n" for text in SYSTEM]
    for _ in range(lines):
        kind = rng.choice([*KINDS, *EXERCISES])
        puzzle = ask(kind, scene_for(kind, rng), rng)
        if puzzle:
            ordinal = rng.choice((None, None, 0, 1, 2))
            exchange = phrase(puzzle, rng, ordinal)
            texts.append(f"USER: \n{exchange.text} ASSISTANT: {exchange.reply}")
    return texts
