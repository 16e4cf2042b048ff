"""Solvers of the mini benchmark's shape grids, which try all that could be the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

COLORS = ("red", "green", "blue", "yellow", "purple", "orange")
SHAPES = ("circle", "square", "triangle", "star", "cross")
PLACES = (
    *("top left", "top center", "top right"),
    *("middle left", "center", "middle right"),
    *("bottom left", "bottom center", "bottom right"),
)
EDGES = {"circle": 0, "triangle": 3, "square": 4, "star": 10, "cross": 12}
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
COLUMNS = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
LINES = (*ROWS, *COLUMNS, (0, 4, 8), (2, 4, 6))

Cell = tuple[str, str] | None
Grid = tuple[Cell, ...]
"""Nine cells, row by row from the top left: (colour, shape), ("", "?") or None."""
Solver = Callable[..., set[str]]

QUESTION: Cell = ("", "?")
EVERY = tuple(product(COLORS, SHAPES))


def grid_of(rows: list[list[str]]) -> Grid:
    def cell(text: str) -> Cell:
        color, _, shape = text.partition(" ")
        return QUESTION if text == "?" else (color, shape) if text else None

    return tuple(cell(text) for row in rows for text in row)


def filled(grid: Grid) -> list[tuple[int, str, str]]:
    """(place, colour, shape) of each piece."""
    return [(i, *piece) for i, piece in enumerate(grid) if piece and piece != QUESTION]


def with_answer(grid: Grid, piece: Cell) -> Grid:
    return tuple(piece if cell == QUESTION else cell for cell in grid)


def steps_from(place: int) -> Iterator[int]:
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        x, y = place % 3 + dx, place // 3 + dy
        if 0 <= x < 3 and 0 <= y < 3:
            yield 3 * y + x


def turned(grid: Grid) -> Grid:
    """A quarter turn clockwise: the left column becomes the top row."""
    return tuple(grid[3 * (2 - x) + y] for y in range(3) for x in range(3))


def mirrored(grid: Grid) -> Grid:
    """Left and right exchanged."""
    return tuple(grid[3 * y + 2 - x] for y in range(3) for x in range(3))


def slid(grid: Grid, lines: tuple[tuple[int, ...], ...]) -> Grid:
    """All pieces pushed to the beginning of their line."""
    cells: list[Cell] = [None] * 9
    for line in lines:
        pieces = [grid[i] for i in line if grid[i]]
        for i, piece in zip(line, pieces, strict=False):
            cells[i] = piece
    return tuple(cells)


def backwards(lines: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(line[::-1] for line in lines)


def symmetries() -> dict[str, Callable[[Grid], Grid]]:
    """The four turns and the same mirrored, as a tray or a picture may be moved."""
    return {
        "as it is": lambda g: g,
        "a quarter turn clockwise": turned,
        "half a turn": lambda g: turned(turned(g)),
        "a quarter turn counterclockwise": lambda g: turned(turned(turned(g))),
        "mirrored": mirrored,
        "mirrored, then turned clockwise": lambda g: turned(mirrored(g)),
        "mirrored upside down": lambda g: turned(turned(mirrored(g))),
        "mirrored, then turned counterclockwise": lambda g: turned(turned(turned(mirrored(g)))),
    }


# Deductive -------------------------------------------------------------------------------------


def below_the_single_color(grid: Grid) -> set[str]:
    colors = Counter(color for _, color, _ in filled(grid))
    places = [i for i, color, _ in filled(grid) if colors[color] == 1]
    return {" ".join(grid[i + 3] or ("nothing",)) for i in places}


def most_frequent_together(one: Grid, other: Grid) -> set[str]:
    shapes = Counter(shape for _, _, shape in filled(one) + filled(other))
    return {f"{s}es<AND>{n}" for s, n in shapes.items() if n == max(shapes.values())}


def edges(grid: Grid) -> set[str]:
    return {str(sum(EDGES[shape] for _, _, shape in filled(grid)))}


def sums(grid: Grid) -> set[str]:
    """What the cross stands for if a star is 3 and rows are sums."""
    kinds = {shape for _, _, shape in filled(grid)}
    found = set()
    for numbers in product(range(1, 30), repeat=len(kinds - {"star"})):
        value = dict(zip(sorted(kinds - {"star"}), numbers, strict=True)) | {"star": 3}
        rows = ([value[grid[i][1]] for i in row] for row in ROWS)  # type: ignore[index]
        if all(a + b == c for a, b, c in rows):
            found.add(str(value["cross"]))
    return found


def hidden_coin(grid: Grid) -> set[str]:
    """Not under a red shape, no circle in its row, no star in its column."""

    def shapes(line: tuple[int, ...]) -> set[str]:
        return {piece[1] for i in line if (piece := grid[i])}

    return {
        f"{color} {shape}"
        for i, color, shape in filled(grid)
        if color != "red"
        and "circle" not in shapes(ROWS[i // 3])
        and "star" not in shapes(COLUMNS[i % 3])
    }


def winning_moves(grid: Grid) -> set[str]:
    """Cells in which crosses, to move, win whatever circles do; none if there is a quick win."""
    board = tuple(piece[1] if piece else "" for piece in grid)

    def won(board: tuple[str, ...]) -> str:
        return next(
            (board[a] for a, b, c in LINES if board[a] and board[a] == board[b] == board[c]), ""
        )

    def put(board: tuple[str, ...], place: int, side: str) -> tuple[str, ...]:
        return (*board[:place], side, *board[place + 1 :])

    def value(board: tuple[str, ...], side: str) -> int:
        """1 if crosses win, 0 for a draw, -1 if circles win."""
        free = [i for i in range(9) if not board[i]]
        if won(board) or not free:
            return {"cross": 1, "circle": -1, "": 0}[won(board)]
        other = "circle" if side == "cross" else "cross"
        values = [value(put(board, i, side), other) for i in free]
        return max(values) if side == "cross" else min(values)

    free = [i for i in range(9) if not board[i]]
    if any(won(put(board, i, side)) for i in free for side in ("cross", "circle")):
        return set()
    return {PLACES[i] for i in free if value(put(board, i, "cross"), "circle") == 1}


def out_of_reach(grid: Grid) -> set[str]:
    """From the top left, over neighbours of the same colour or kind."""
    seen, agenda = {0}, [0]
    while agenda:
        here = agenda.pop()
        for there in steps_from(here):
            a, b = grid[here], grid[there]
            if there not in seen and a and b and (a[0] == b[0] or a[1] == b[1]):
                seen.add(there)
                agenda.append(there)
    return {f"{color} {shape}" for i, color, shape in filled(grid) if i not in seen}


def matches_when_turned_over(one: Grid, other: Grid) -> set[str]:
    laid = enumerate(mirrored(other))
    return {f"{PLACES[i]}<AND>{' '.join(p)}" for i, p in laid if p and p == one[i]}


def center_after_turn_and_fall(grid: Grid) -> set[str]:
    piece = slid(turned(grid), backwards(COLUMNS))[4]
    return {" ".join(piece or ("nothing",))}


# Abductive -------------------------------------------------------------------------------------


def painted_wrongly(grid: Grid) -> set[str]:
    """Repainting it gives each kind a colour of its own."""
    found = set()
    for place, was, shape in filled(grid):
        for color in COLORS:
            pairs = {(c, s) for i, c, s in filled(grid) if i != place} | {(color, shape)}
            colors, shapes = {c for c, _ in pairs}, {s for _, s in pairs}
            if color != was and len(pairs) == len(colors) == len(shapes):
                found.add(f"{was} {shape}<AND>{color}")
    return found


def wrong_in_sequence(grid: Grid) -> set[str]:
    """Another piece there makes the nine, in reading order, repeat after five pieces or fewer."""
    found = set()
    for place, piece in product(range(9), EVERY):
        row = (*grid[:place], piece, *grid[place + 1 :])
        if piece != grid[place] and any(
            all(row[i] == row[i + period] for i in range(9 - period)) for period in range(1, 6)
        ):
            found.add(f"{' '.join(grid[place] or ())}<AND>{' '.join(piece)}")
    return found


def tilted(before: Grid, after: Grid) -> set[str]:
    ways = {
        "left, so that every piece slid left": ROWS,
        "right, so that every piece slid right": backwards(ROWS),
        "top, so that every piece slid up": COLUMNS,
        "bottom, so that every piece slid down": backwards(COLUMNS),
    }
    return {
        f"the tray was tilted toward the {way}"
        for way, lines in ways.items()
        if slid(before, lines) == after
    }


def turned_and_robbed(before: Grid, after: Grid) -> set[str]:
    return {
        f"the tray was turned {name}<AND>the {color} {shape} was taken away"
        for i, color, shape in filled(before)
        for name, move in symmetries().items()
        if move((*before[:i], None, *before[i + 1 :])) == after
    }


def in_danger(*evenings: Grid) -> set[str]:
    """What a colour, a kind, a row or a column makes the next prey, if it explains every loss.

    All that was taken has the trait, and so has something that is left.
    """
    traits: dict[str, Callable[[int, str, str], bool]] = {}
    for color in COLORS:
        traits[color] = lambda i, c, s, color=color: c == color
    for shape in SHAPES:
        traits[shape] = lambda i, c, s, shape=shape: s == shape
    for line in LINES:
        traits[str(line)] = lambda i, c, s, line=line: i in line
    first, last = filled(evenings[0]), filled(evenings[-1])
    taken = [piece for piece in first if piece not in last]
    return {
        f"{color} {shape}<AND>the thief takes {name} pieces only"
        for name, trait in traits.items()
        if all(trait(*piece) for piece in taken)
        for i, color, shape in last
        if trait(i, color, shape)
    }


def missing_ink(sent: Grid, printed: Grid) -> set[str]:
    mixed = {"green": {"blue", "yellow"}, "purple": {"blue", "red"}, "orange": {"red", "yellow"}}
    inks = {color: mixed.get(color, {color}) for color in COLORS}

    def without(ink: str, piece: Cell) -> Cell:
        left = inks[piece[0]] - {ink} if piece else set()
        color = next((c for c in COLORS if inks[c] == left), None)
        return (color, piece[1]) if piece and color else None

    return {
        f"the printer has run out of {ink} ink"
        for ink in ("red", "blue", "yellow")
        if tuple(without(ink, piece) for piece in sent) == printed
    }


# Analogical ------------------------------------------------------------------------------------


def proportion(a: int, b: int, c: int) -> Solver:
    """The cells a : b as c : the question mark, where colour or kind changes."""

    def solve(grid: Grid) -> set[str]:
        (one, first), (two, second), (third, kind) = (grid[i] or ("", "") for i in (a, b, c))
        found = set()
        if first == second:
            found.add(f"{two} {kind}")
        if one == two:
            found.add(f"{third} {second}")
        return found

    return solve


def latin(grid: Grid) -> set[str]:
    """Every row and column holds three colours and three kinds, and no piece comes twice."""
    return {
        " ".join(piece)
        for piece in EVERY
        if (full := with_answer(grid, piece))
        and len(set(full)) == 9
        and all(
            len({full[i][part] for i in line}) == 3  # type: ignore[index]
            and {full[i][part] for i in line} == {full[i][part] for i in ROWS[0]}  # type: ignore[index]
            for line in (*ROWS, *COLUMNS)
            for part in (0, 1)
        )
    }


def code(plain: Grid, coded: Grid) -> set[str]:
    """Each colour and each kind has one other, or itself, as its code."""
    found = set()
    for piece in EVERY:
        pairs = list(zip(plain, with_answer(coded, piece), strict=True))
        if all((a is None) == (b is None) for a, b in pairs) and all(
            one_to_one({(a[part], b[part]) for a, b in pairs if a and b}) for part in (0, 1)
        ):
            found.add(" ".join(piece))
    return found


def one_to_one(pairs: set[tuple[str, str]]) -> bool:
    return len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)


def same_change(first: Grid, second: Grid, third: Grid, place: int = 2) -> set[str]:
    """What stands at `place` after a turn or mirroring and exchanges of colours and of kinds.

    Of the changes that turn the first picture into the second those count that exchange
    the fewest colours and kinds.
    """
    ways: list[tuple[int, str]] = []
    for move in symmetries().values():
        pairs = list(zip(move(first), second, strict=True))
        if any((a is None) != (b is None) for a, b in pairs):
            continue
        changes = [{(a[part], b[part]) for a, b in pairs if a and b} for part in (0, 1)]
        piece = move(third)[place]
        if piece and all(map(one_to_one, changes)):
            exchanged = sum(a != b for change in changes for a, b in change)
            made = (dict(change).get(piece[part], "?") for part, change in enumerate(changes))
            ways.append((exchanged, " ".join(made)))
    return {text for exchanged, text in ways if exchanged == min(ways)[0]}


def colors_move(first: Grid, second: Grid) -> set[str]:
    """Colours and kinds each stay, or all move on by one or two cells in rows or columns."""

    def shifts() -> Iterator[list[int]]:
        for right, down in product(range(3), range(3)):
            yield [3 * ((i // 3 - down) % 3) + (i % 3 - right) % 3 for i in range(9)]

    found = set()
    for colors, kinds in product(shifts(), shifts()):
        made = tuple((first[colors[i]][0], first[kinds[i]][1]) for i in range(9))  # type: ignore[index]
        known = [i for i in range(9) if second[i] != QUESTION]
        if all(made[i] == second[i] for i in known):
            found.add(" ".join(made[second.index(QUESTION)]))
    return found


SOLVERS: dict[str, Solver] = {
    "ded-mod-shapegrid-3": below_the_single_color,
    "ded-mod-shapegrid-4": most_frequent_together,
    "ded-mod-shapegrid-5": edges,
    "ded-mod-shapegrid-6": sums,
    "ded-mod-shapegrid-7": hidden_coin,
    "ded-high-shapegrid-2": winning_moves,
    "ded-high-shapegrid-3": out_of_reach,
    "ded-high-shapegrid-4": matches_when_turned_over,
    "ded-high-shapegrid-5": center_after_turn_and_fall,
    "abd-mod-shapegrid-3": painted_wrongly,
    "abd-mod-shapegrid-4": wrong_in_sequence,
    "abd-mod-shapegrid-5": tilted,
    "abd-high-shapegrid-2": turned_and_robbed,
    "abd-high-shapegrid-3": in_danger,
    "abd-high-shapegrid-4": missing_ink,
    "ana-mod-shapegrid-3": proportion(0, 2, 6),
    "ana-mod-shapegrid-4": proportion(0, 2, 6),
    "ana-mod-shapegrid-5": code,
    "ana-mod-shapegrid-6": proportion(0, 2, 8),
    "ana-high-shapegrid-3": latin,
    "ana-high-shapegrid-4": same_change,
    "ana-high-shapegrid-5": colors_move,
}
