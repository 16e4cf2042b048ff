"""Questions about a scene: nine kinds and some exercises, each with its answer and the reasoning that leads to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from world import COLORS, PLACES, QUESTION, SHAPES, Piece, Scene, pieces, random_scene

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Puzzle:
    """A question about `scene`, its short answer, and why.

    looks: the cells that one looks at for it, first and then.
    """

    kind: str
    scene: Scene
    question: str
    answer: str
    why: str
    looks: tuple[Sequence[int], Sequence[int]]


Made = tuple[str, str, str, tuple[Sequence[int], Sequence[int]]]
"""Question, answer, why, looks."""


def plural(shape: str) -> str:
    return shape + ("es" if shape == "cross" else "s")


def article(noun: str) -> str:
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def at(place: int) -> str:
    return "in the center" if place == 4 else f"at the {PLACES[place]}"


def listed(places: Sequence[int]) -> str:
    return ", ".join(PLACES[i] for i in places)


def _filled(scene: Scene, named: str = "") -> list[int]:
    """The cells with a shape, or with one of the colour or kind that is named."""
    return [i for i, p in enumerate(scene) if p and p != QUESTION and (not named or named in p)]


def group(rng: random.Random, scene: Scene) -> tuple[str, list[int]]:
    """A named group of shapes, mostly one that occurs, and the cells that it fills."""
    there = pieces(scene)
    if there and rng.random() < 0.85:
        color, shape = rng.choice(there)
    else:
        color, shape = rng.choice(list(COLORS)), rng.choice(SHAPES)
    form = rng.random()
    if form < 0.35:
        return f"{color} {plural(shape)}", [i for i in range(9) if scene[i] == (color, shape)]
    if form < 0.7:
        return plural(shape), [i for i in range(9) if (p := scene[i]) and p[1] == shape]
    return f"{color} shapes", [i for i in range(9) if (p := scene[i]) and p[0] == color]


COUNT = (
    "How many {} are there?",
    "How many {} are in the image?",
    "How many {} does the picture show?",
    "How many {} can you see?",
    "Count the {}.",
    "What is the number of {}?",
)


def count(rng: random.Random, scene: Scene) -> Made | None:
    name, places = group(rng, scene)
    why = f"Found at {listed(places)}." if places else "None found."
    return rng.choice(COUNT).format(name), str(len(places)), why, (places, places)


EXIST = (
    "Is there {} in the image?",
    "Is there {}?",
    "Does the picture show {}?",
    "Can you see {}?",
    "Is {} present?",
)


def exist(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    if not there:
        return None
    color, shape = rng.choice(there)
    if rng.random() < 0.5:
        # Hard negatives: a colour and a shape that occur, but not together.
        color, shape = rng.choice(there)[0], rng.choice(there)[1]
        if (color, shape) in there:
            color, shape = rng.choice(list(COLORS)), rng.choice(SHAPES)
    places = [i for i in range(9) if scene[i] == (color, shape)]
    why = f"Found at {listed(places)}." if places else "None found."
    question = rng.choice(EXIST).format(article(f"{color} {shape}"))
    return question, "yes" if places else "no", why, (places, places)


ATTRIBUTE = {
    "shape": ("What shape is {}?", "Which shape is {}?", "Name the shape {}."),
    "color": (
        "What color is the shape {}?",
        "Which color is the shape {}?",
        "What color does the shape {} have?",
        "What colour is the shape {}?",
    ),
    "both": ("What is {}?", "What do you see {}?", "Describe the shape {}."),
}


def _asked(rng: random.Random, piece: Piece) -> tuple[str, str]:
    form = rng.choice(("shape", "color", "both"))
    answers = {"shape": piece[1], "color": piece[0], "both": " ".join(piece)}
    return form, answers[form]


def attribute(rng: random.Random, scene: Scene) -> Made | None:
    place = rng.choice([i for i in range(9) if scene[i] and scene[i] != QUESTION] or [-1])
    piece = scene[place]
    if place < 0 or piece is None:
        return None
    form, answer = _asked(rng, piece)
    why = f"{article(' '.join(piece)).capitalize()} is {at(place)}."
    return rng.choice(ATTRIBUTE[form]).format(at(place)), answer, why, ([place], [place])


LOCATE = ("Where is the {}?", "In which place is the {}?", "Where do you see the {}?")


def locate(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    single = [i for i in range(9) if (p := scene[i]) and p != QUESTION and there.count(p) == 1]
    if not single:
        return None
    place = rng.choice(single)
    name = " ".join(scene[place] or ())
    why = f"The {name} is {at(place)}."
    return rng.choice(LOCATE).format(name), PLACES[place], why, ([place], [place])


DIRECTIONS: dict[tuple[int, int], tuple[str, ...]] = {
    (-1, 0): ("left of", "to the left of", "directly left of"),
    (1, 0): ("right of", "to the right of", "directly right of"),
    (0, -1): ("above", "directly above", "just above"),
    (0, 1): ("below", "directly below", "just below"),
}
RELATION = {
    "shape": ("What shape is {} the {}?", "Which shape is {} the {}?", "Name the shape {} the {}."),
    "color": (
        "What color is the shape {} the {}?",
        "Which color is the shape {} the {}?",
        "What colour is the shape {} the {}?",
    ),
    "both": ("What is {} the {}?", "What do you see {} the {}?", "Describe the shape {} the {}."),
}


def relation(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    (dx, dy), words = rng.choice(list(DIRECTIONS.items()))
    pairs = []
    for i, piece in enumerate(scene):
        x, y = i % 3 + dx, i // 3 + dy
        if not piece or there.count(piece) != 1 or not (0 <= x < 3 and 0 <= y < 3):
            continue
        neighbour = scene[y * 3 + x]
        if neighbour and neighbour != QUESTION:
            pairs.append((i, y * 3 + x))
    if not pairs:
        return None
    place, beside = rng.choice(pairs)
    piece, neighbour = scene[place] or QUESTION, scene[beside] or QUESTION
    form, answer = _asked(rng, neighbour)
    name, next_to = " ".join(piece), " ".join(neighbour)
    why = f"The {name} is {at(place)}. {words[0].capitalize()} it is {article(next_to)}."
    question = rng.choice(RELATION[form]).format(rng.choice(words), name)
    return question, answer, why, ([place], [beside])


COMPARE = (
    "Are there more {} than {}?",
    "Does the picture show more {} than {}?",
    "Can you see more {} than {}?",
)
WHICH_MORE = (
    "Which are there more of, {} or {}?",
    "Are there more {} or more {}?",
    "Which occur more often, {} or {}?",
)


def compare(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    shapes = sorted({shape for _, shape in there})
    if len(shapes) < 2:
        return None
    a, b = rng.sample(shapes, 2)
    looks = _filled(scene, a), _filled(scene, b)
    n, m = map(len, looks)
    why = f"There are {n} {plural(a)} and {m} {plural(b)}."
    if rng.random() < 0.5:
        if n == m and rng.random() < 0.6:
            return None
        question = rng.choice(COMPARE).format(plural(a), plural(b))
        return question, "yes" if n > m else "no", why, looks
    if n == m:
        return None
    question = rng.choice(WHICH_MORE).format(plural(a), plural(b))
    return question, plural(a if n > m else b), why, looks


REMOVE = (
    "If all {} are removed, how many shapes remain?",
    "If all {} are taken away, how many shapes are left?",
    "Take away all {}. How many shapes remain?",
    "Remove all {}. How many shapes are left?",
)


def remove(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    if not there:
        return None
    color, shape = rng.choice(there)
    name, gone = (plural(shape), shape) if rng.random() < 0.5 else (f"{color} shapes", color)
    places = _filled(scene, gone)
    left = [i for i in _filled(scene) if i not in places]
    why = f"There are {len(there)} shapes and {len(places)} {name}."
    return rng.choice(REMOVE).format(name), str(len(left)), why, (places, left)


ANALOGY = (
    "Which shape replaces the question mark?",
    "Which shape belongs in place of the question mark?",
    "Top left is to top right as bottom left is to what?",
    "What completes the analogy?",
    "Which shape completes the picture?",
)


def analogy_scene(rng: random.Random) -> Scene:
    first, second = rng.sample(SHAPES, 2)
    color, other = rng.sample(list(COLORS), 2)
    cells: list[Piece | None] = [None] * 9
    form = rng.random()
    cells[0] = (color, first)
    if form < 0.45:
        cells[2] = (color, second)
        cells[6] = (rng.choice([c for c in COLORS if c != color]), first)
    elif form < 0.9:
        cells[2] = (other, first)
        cells[6] = (color, rng.choice([s for s in SHAPES if s != first]))
    else:
        cells[2], cells[6] = cells[0], (other, second)
    cells[8] = QUESTION
    return tuple(cells)


def analogy(rng: random.Random, scene: Scene) -> Made | None:
    a, b, c = scene[0], scene[2], scene[6]
    if scene[8] != QUESTION or not (a and b and c):
        return None
    if a == b:
        answer, why = c, "Nothing changes."
    elif a[0] == b[0]:
        answer = (c[0], b[1])
        why = f"The shape changes from {a[1]} to {b[1]} and the color stays {c[0]}."
    else:
        answer = (b[0], c[1])
        why = f"The color changes from {a[0]} to {b[0]} and the shape stays {c[1]}."
    return rng.choice(ANALOGY), " ".join(answer), why, ([0, 2, 6], [6])


ODD = (
    "Which shape is the odd one out?",
    "Which shape does not belong?",
    "Which one does not belong?",
    "Which shape is different from the others?",
)


def odd_scene(rng: random.Random) -> Scene:
    places = rng.sample(range(9), rng.randint(4, 8))
    color, other = rng.sample(list(COLORS), 2)
    shape, second = rng.sample(SHAPES, 2)
    main = (color, shape)
    odd = rng.choices([(color, second), (other, shape), (other, second)], [4, 4, 2])[0]
    cells: list[Piece | None] = [None] * 9
    for i in places:
        cells[i] = main
    cells[places[0]] = odd
    return tuple(cells)


def odd(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    kinds = sorted(set(there), key=there.count)
    if len(there) < 4 or len(kinds) != 2 or there.count(kinds[0]) != 1:
        return None
    different, main = kinds
    why = f"All others are {main[0]} {plural(main[1])}."
    place = [scene.index(different)]
    return rng.choice(ODD), " ".join(different), why, (place, place)


DESCRIBE = (
    "List all cells.",
    "What is in each cell?",
    "Describe every cell, row by row.",
    "List what you see, row by row.",
)


def describe(rng: random.Random, scene: Scene) -> Made | None:
    words = {None: "empty", QUESTION: "question mark"}
    cells = [words.get(piece) or " ".join(piece or ()) for piece in scene]
    return rng.choice(DESCRIBE), ", ".join(cells), "", (_filled(scene), _filled(scene))


WHERE = ("Where are the {}?", "Which places hold {}?", "Find all {}.")


def where(rng: random.Random, scene: Scene) -> Made | None:
    name, places = group(rng, scene)
    return rng.choice(WHERE).format(name), listed(places) or "nowhere", "", (places, places)


SORT = {
    "color": ("Where is each color?", "List the places of each color."),
    "shape": ("Where is each shape?", "List the places of each shape."),
}


def sort(rng: random.Random, scene: Scene) -> Made | None:
    there = pieces(scene)
    form = rng.choice(("color", "shape"))
    part, order = (0, tuple(COLORS)) if form == "color" else (1, SHAPES)
    groups = [
        f"{name}: {listed([i for i in range(9) if (p := scene[i]) and p[part] == name])}"
        for name in order
        if any(piece[part] == name for piece in there)
    ]
    return rng.choice(SORT[form]), "; ".join(groups), "", (_filled(scene), _filled(scene))


Maker = Callable[[random.Random, Scene], Made | None]
KINDS: dict[str, Maker] = {
    "attribute": attribute,
    "locate": locate,
    "count": count,
    "exist": exist,
    "relation": relation,
    "compare": compare,
    "remove": remove,
    "analogy": analogy,
    "odd": odd,
}

EXERCISES: dict[str, Maker] = {"describe": describe, "where": where, "sort": sort}
"""Trained on, since their long answers teach to read a picture, but not measured."""


def scene_for(kind: str, rng: random.Random) -> Scene:
    """A random scene of the sort that `kind` asks about."""
    if kind == "analogy":
        return analogy_scene(rng)
    if kind == "odd":
        return odd_scene(rng)
    return random_scene(rng, 3 if kind in ("relation", "compare", "remove") else 2)


def ask(kind: str, scene: Scene, rng: random.Random) -> Puzzle | None:
    """A question of `kind` about `scene`; None if the scene does not fit it."""
    made = (KINDS.get(kind) or EXERCISES[kind])(rng, scene)
    return Puzzle(kind, scene, *made) if made else None


def make(kind: str, rng: random.Random, accept: Callable[[Scene], bool]) -> Puzzle:
    """A question of `kind` about a random scene that `accept` takes."""
    while True:
        scene = scene_for(kind, rng)
        if accept(scene) and (puzzle := ask(kind, scene, rng)):
            return puzzle
