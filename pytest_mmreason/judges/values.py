"""Values of which a thing has one: who says another has said no to it. Pure.

Colours, places, directions, days and months: a text that gives one where the reference gives
another contradicts it, however many of their other words are the same. What may be said the
other way round, as "above" by "below" or "open" by "not shut", is none of them.
"""

from __future__ import annotations

from pytest_mmreason.judges.assignment import given_values
from pytest_mmreason.judges.lexicon import ATTRIBUTES, FILLER, JOINERS, NEGATORS, RELATIONS, VERBS
from pytest_mmreason.judges.normalise import Words
from pytest_mmreason.judges.stems import root

# kind: values apart by "|", of one value its words
_KINDS = {
    "color": "red|blue|green|yellow|orange|purple violet lilac|pink|brown|black|white|gray silver|"
    "turquoise teal cyan|beige|gold golden|magenta",
    "side": "left|right|center middle",
    "height": "top upper uppermost|bottom lower lowermost|center middle",
    "compass": "north|south|east|west|northeast|northwest|southeast|southwest",
    "vertical": "up|down",
    "course": "forward|backward",
    "change": "rise rose risen increase increased grow grew grown|"
    "fall fell fallen decrease decreased drop dropped shrink shrank",
    "cover": "inside indoors indoor within|outside outdoors outdoor",
    "turn": "clockwise|counterclockwise",
    "day": "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "month": "january|february|march|april|maymonth|june|july|august|september|october|november|december",
}
_VALUES: dict[str, dict[str, str]] = {
    kind: {word: group.split()[0] for group in table.split("|") for word in group.split()}
    for kind, table in _KINDS.items()
}
_WORDS = frozenset(word for table in _VALUES.values() for word in table)
_COLORS = _VALUES["color"]
COLORS = frozenset(_COLORS)
_OPPOSITES = frozenset({"vertical", "course", "change", "turn"})  # what things are given, or do
EMPTY = FILLER - _WORDS
"""Words that carry no content of an item: "up" does."""
_HEAD = 3  # tokens after a colour, among which is what has it
_MANY = 3  # wrong colors in a row that are tried
_RUN = 3  # values without a word between them that are a row; "blue green" is a hue
_MENTIONS = 10  # of a value that are looked at
_OUTSIDE = NEGATORS | RELATIONS  # what follows belongs to no row


def kind_of(token: str) -> str:
    """The kind of value that `token` is, such as "color", "number" or "letter"; "" if none."""
    if token[0] == "#":
        return "number"
    if len(token) == 1:
        return "letter" if token.isalpha() else ""
    if token not in _WORDS:
        return ""
    return next(kind for kind, table in _VALUES.items() if token in table)


def contradicts(
    reference: Words, said: Words, question: Words, accepted: frozenset[str] = frozenset()
) -> bool:
    """Whether `said` gives, for a value of `reference`, another of its kind instead.

    One that is `accepted` elsewhere tells nothing, nor does one that the question names unless
    it offers both. Of opposites each thing has to have its own: "blue goes up and red goes down"
    is against "red goes up". With colours it is the thing that counts: "blue ink" is against
    "the yellow ink", also beside "a blue pen".
    """
    if not (_WORDS & reference.token_set and _WORDS & said.token_set):
        return False
    for kind, table in _VALUES.items():
        wanted = _of(table, reference.token_set)
        if not wanted or kind == "color":
            continue
        given = _of(table, said.token_set)
        others = given - wanted - _of(table, accepted)
        if not wanted <= given and others - _named(table, wanted, question):
            return True
        if kind in _OPPOSITES and len(given) > 1:
            things = _things(reference, table, question)
            own = given_values(*things, reference, table)
            told = given_values(*things, said, table)
            if any(own[thing].isdisjoint(told[thing]) for thing in own.keys() & told.keys()):
                return True
    return not _COLORS.keys().isdisjoint(reference.token_set) and any(
        _is_recolored(color, thing, said, question, accepted)
        for color, thing in _colored(reference)
    )


def gives_each(reference: Words, said: Words, question: Words) -> bool:
    """Whether `said` gives every color of `reference` the same of two opposites, and it alone.

    "Up: red and blue" does for "red and blue go up", whatever verb is theirs.
    """
    colors = frozenset(map(root, reference.token_set & COLORS))
    if not colors or NEGATORS & said.token_set:
        return False
    for kind in _OPPOSITES:
        table = _VALUES[kind]
        rest = reference.vocabulary - colors - question.vocabulary - {*map(root, table)}
        if len(rest) > 1 or not _of(table, reference.token_set):
            continue
        things = _things(reference, table, question)
        own, told = given_values(*things, reference, table), given_values(*things, said, table)
        if own.keys() == colors and own == told:
            return True
    return False


def disputed(reference: Words, said: Words, question: Words) -> frozenset[str]:
    """By their root, the values of `reference` of whose kind `question` names several.

    None of a kind of which `said` has no value: who is asked for the red and the blue one
    may answer "Ada and Bo".
    """
    return frozenset(
        root(token)
        for table in _VALUES.values()
        for token in table.keys() & reference.token_set
        if len(_of(table, question.token_set)) > 1 and _of(table, said.token_set)
    )


def _things(
    reference: Words, table: dict[str, str], question: Words
) -> tuple[frozenset[str], frozenset[str]]:
    """By their root, the words of `reference` for what is given a value of `table`; all such."""
    if colors := reference.token_set & _COLORS.keys():
        return frozenset(map(root, colors)), frozenset(map(root, _COLORS))
    others = frozenset(map(root, reference.token_set - FILLER - table.keys()))
    own = others - question.vocabulary or others
    return own, own


def _of(table: dict[str, str], tokens: frozenset[str]) -> set[str]:
    return {table[token] for token in tokens & table.keys()}


def _named(table: dict[str, str], wanted: set[str], question: Words) -> set[str]:
    """The values that the question names, none if it offers those that are `wanted`, too."""
    named = _of(table, question.token_set)
    return set() if wanted <= named else named


def _is_recolored(
    color: str, thing: str, said: Words, question: Words, accepted: frozenset[str]
) -> bool:
    """Whether a thing has in `said` another colour and nowhere this one."""
    told = _colored(said)
    others = {c for c, t in told if t == thing}
    if not thing or color in others or (color, "") in told:
        return False
    return bool(others - _of(_COLORS, accepted - {color}) - _named(_COLORS, {color}, question))


def _colored(text: Words) -> set[tuple[str, str]]:
    """Each colour with the root of what has it, "" if that is not told: "red ink", "ink is red"."""
    found: set[tuple[str, str]] = set()
    tokens, phrases = text.tokens, text.phrases
    for at, token in enumerate(tokens):
        if token not in _COLORS:
            continue
        thing = ""
        if at > 1 and tokens[at - 1] in VERBS and phrases[at - 2] == phrases[at]:
            thing = tokens[at - 2]
        for after in range(at + 1, min(at + 1 + _HEAD, len(tokens))):
            following = tokens[after]
            if thing or phrases[after] != phrases[at] or following in VERBS:
                break
            if following not in _COLORS and following not in JOINERS:
                thing = following
        is_thing = thing and thing not in ATTRIBUTES and thing[0] != "#"
        found.add((_COLORS[token], root(thing) if is_thing else ""))
    return found


def rivals(
    value: str, response: Words, accepted: frozenset[str], question: Words
) -> list[frozenset[str]]:
    """The other values of its kind that stand in one row with each mention of `value`.

    "Red and blue" has one rival of blue, "A, C, D and F" three of C; "red with blue letters"
    has none. Empty if `value` is not mentioned.
    """
    kind = kind_of(value)
    places = [at for at, token in enumerate(response.tokens) if token == value][:_MENTIONS]
    return [_row(response, at, kind, question) - accepted for at in places]


def _row(response: Words, at: int, kind: str, question: Words) -> frozenset[str]:
    items, of_token = response.items
    own = of_token[at]
    start, end = items[own]
    shared = question.token_set | set(response.tokens[start:end])
    run = _run(response, at, kind)
    found = set(run) if len(run) >= _RUN and kind != "number" else set()
    for step in (-1, 1):
        number = own
        first, last = start, end
        # what is said before a row stands before its first item, what after it after its last
        while not _is_end(response.tokens[first:last], kind, step):
            number += step
            if not 0 <= number < len(items):
                break
            first, last = items[number]
            item = response.tokens[first:last]
            values = [token for token in item if kind_of(token) == kind]
            if response.clauses[first] != response.clauses[at] or len(values) != 1:
                break
            inner = item.index(values[0])
            head, tail = item[:inner], item[inner + 1 :]
            beside, outer = (tail, head) if step < 0 else (head, tail)
            if not shared.issuperset(beside) or _OUTSIDE & set(outer):
                break
            if not (shared | FILLER).issuperset(outer):
                break
            found.add(values[0])
    return frozenset(found)


def _run(response: Words, at: int, kind: str) -> list[str]:
    """The values with nothing between them: "red blue green"."""
    tokens, phrases = response.tokens, response.phrases
    run: list[str] = []
    for step, first in ((-1, at), (1, at + 1)):
        while 0 <= first < len(tokens) and phrases[first] == phrases[at]:
            if kind_of(tokens[first]) != kind:
                break
            run.append(tokens[first])
            first += step
    return run


def recites_colors(response: Words, at: int, accepted: frozenset[str]) -> bool:
    """Whether the phrase of the answer at `at` tries many colors in a row that are not accepted.

    So does "red blue green pink circle square", which names no red square.
    """
    tried: set[str] = set()
    for token in response.tokens[slice(*response.phrase_of(at))]:
        tried = tried | {token} if token in COLORS else set()
        if len(tried - accepted) >= _MANY:
            return True
    return False


def _is_end(item: tuple[str, ...], kind: str, step: int) -> bool:
    """Whether a row ends at `item` because a sentence begins or goes on there."""
    at = [index for index, token in enumerate(item) if kind_of(token) == kind]
    outer = item[: at[0]] if step < 0 else item[at[-1] + 1 :]
    return bool(FILLER & set(outer))
