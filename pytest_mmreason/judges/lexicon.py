"""Word lists of the offline judge. Data only."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _numbered(text: str, step: int = 1, start: int = 0) -> dict[str, int]:
    return {word: step * n for n, word in enumerate(text.split(), start)}


# words that carry no content of an answer
FILLER = _words(
    "i you he she it we they me him her us them my your his its our their this that these those "
    "there here is are was were be been being am do does did doing have has had having will would "
    "shall should can could may might must of in on at by for with about into through to from up "
    "down out over under as and or but if then so than too very just also only own such both "
    "each what which who whom whose when where why how all any some no not nor more most other "
    "because while during before after above below between again further once one s t don now think "
    "image picture photo photograph scene shown show shows showing depict depicts see seen appear "
    "appears likely answer called named name known"
)

# what an answer may be dressed in: "It should be Westface"
DRESS = _words("it this that they there he she is are was were be should would answer called named")

ARTICLES = _words("a an the")
NUMBER_WORDS = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
) | _numbered("twenty thirty forty fifty sixty seventy eighty ninety", step=10, start=2)
ORDINAL_WORDS = _numbered(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
# after a number: "two thirds", "one half"
FRACTION_WORDS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4} | _numbered(
    "fifth sixth seventh eighth ninth tenth", start=5
)
NUMERIC = (
    _words("minus negative dozen half") | NUMBER_WORDS.keys() | ORDINAL_WORDS.keys() | SCALES.keys()
)

# "one" counts nothing after these: "the one on the left", "another one"
PRONOUN_ONE_AFTER = _words(
    "the this that which each any every no another other left right big small large little tall "
    "short long old new red blue green yellow orange purple pink brown black white gray grey"
)

ALIASES = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "persons": "person",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "leaves": "leaf",
    "min": "minute",
    "mins": "minute",
    "hr": "hour",
    "hrs": "hour",
    "sec": "seconds",
    "secs": "seconds",
    "km": "kilometer",
    "cm": "centimeter",
    "mm": "millimeter",
    "kg": "kilogram",
    "lb": "pound",
    "lbs": "pound",
    "jan": "january",
    "feb": "february",
    "apr": "april",
    "jun": "june",
    "jul": "july",
    "aug": "august",
    "sep": "september",
    "sept": "september",
    "oct": "october",
    "nov": "november",
    "dec": "december",
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "thur": "thursday",
    "fri": "friday",
    "grey": "gray",
    "colour": "color",
    "centre": "center",
    "yeah": "yes",
    "yep": "yes",
    "yup": "yes",
    "nope": "no",
    "ok": "okay",
    "cannot": "not",
    "upward": "up",
    "upwards": "up",
    "downward": "down",
    "downwards": "down",
    "forwards": "forward",
    "backwards": "backward",
    "perhaps": "perhaps",
    "always": "always",
}

# a question with one of these asks for a number, whatever it counts
QUANTITIES = _words(
    "how number total sum amount count value voltage current power energy weight mass height "
    "length width depth distance size area volume angle speed temperature price cost age score "
    "result time duration difference"
)

# before an answer these deny it; in a statement NOT turns it around
NEGATORS = _words(
    "not no none never neither nor without unlike except excluding doubt hardly scarcely"
)
NOT = _words("not no never none nothing nobody nowhere without impossible unable")
NONE = _words("no none nobody nothing")
DOUBTS = _words("either maybe might could perhaps possibly")
FAULTS = _words("wrong wrongly mistake error fault false incorrect faulty incorrectly misprint")
SMALLER = _words("smaller less lower shorter fewer lighter younger cheaper slower worse")
VERBS = _words("is are was were does do did has have can")

YES = _words("yes correct true absolutely definitely indeed")
NO = _words("no incorrect false")
# what seemed so at first, and what tells that it is not
IMPRESSIONS = _words("initially glance thought assumed seem seemed look looked appear appeared")
CORRECTIONS = _words("actually really turn turned fact instead")
UNSURE = (
    " not possible to ",
    " impossible to ",
    " not clear ",
    " unclear ",
    " not sure ",
    " not determine ",
    " difficult to determine ",
    " not certain ",
    " do not know ",
    " yes or no ",
    " yes and no ",
)

# what announces an answer, the surest first
CUES = (
    (" final answer ",),
    (" answer is ", " answer to ", " answer should ", " answer would ", " conclude "),
)

# what joins sentences, and names nothing
DISCOURSE = _words(
    "therefore thus hence finally first second third overall additionally also moreover "
    "furthermore yes okay well note explanation reason because since based looking"
)

# what an attribute is called, such as in "coloured yellow"
ATTRIBUTES = FILLER | _words("color colored coloured sized shaped side one")

# between two candidates
JOINERS = _words("and or nor plus versus vs")

# a thing after these tells where or when another is
RELATIONS = _words(
    "beneath below underneath under above behind beside near around outside surrounding before "
    "after unlike despite"
)
RELATIONS_OF_TWO = frozenset(
    {
        ("next", "to"),
        ("compared", "to"),
        ("compared", "with"),
        ("similar", "to"),
        ("different", "from"),
        ("followed", "by"),
        ("preceded", "by"),
        ("away", "from"),
    }
)
# a number after these is a mark that the response gives itself
MARKS = _words("score grade rating verdict")
EXAMPLES = frozenset({("such", "as"), ("for", "example"), ("for", "instance")})
PRONOUNS = _words("i you he she it we they this that these those which who there")

# a question with these asks for several things
PLURAL_WORDS = _words("all list every each both name")

# a question with these asks for an order, not for what somebody orders
ORDERS = re.compile(
    r" (?:in|which|what|right|correct) order (?!to )| (?:order|sequence) of | sequence "
    r"| from (?:left to right|right to left|top to bottom|bottom to top|front to back) "
)

# who says the one denies the other
OPPOSITES = tuple(
    (pair.split()[0], pair.split()[1])
    for pair in [
        "open closed",
        "full empty",
        "indoor outdoor",
        "inside outside",
        "dry wet",
        "hot cold",
        "dark bright",
        "day night",
        "alive dead",
        "old young",
        "old new",
        "large small",
        "tall short",
        "happy sad",
        "same different",
        "clean dirty",
        "male female",
        "standing sitting",
        "asleep awake",
        "left right",
        "safe dangerous",
        "early late",
        "fast slow",
        "heavy light",
        "thick thin",
        "empty crowded",
        "real fake",
        "odd even",
    ]
)
POSSESSIVES = _words("my your his her its our their")
