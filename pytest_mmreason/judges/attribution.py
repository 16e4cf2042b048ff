"""Whose a number in a judge's prose is: its own verdict, or what it tells of somebody else's.

Pure. Words of the languages that judges answer in stand here; where none of them decides, a
score counts only if what stands before its marker is known to introduce the judge's own.
"""

from __future__ import annotations

import re


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


DENIAL = r"\b(?:not|never|cannot|refus\w{1,4}|declin\w{1,4}|\w{1,10}n['’]t)\b"
REST_OF_CLAUSE = r"[^.,;!?\n]{0,25}\Z"
DENIED = re.compile(DENIAL + REST_OF_CLAUSE, re.IGNORECASE)
# "it says Score: 1.0", "maximum score: 1.0": somebody else's score, or nobody's
_SAYS = (
    r"\b(?:says|said|stat(?:es|ed)|claim(?:s|ed)?|ask(?:s|ed)|demand(?:s|ed)|request(?:s|ed)"
    r"|want(?:s|ed)|insist(?:s|ed)|order(?:s|ed)|instruct(?:s|ed)|tells?|told|writes?|wrote"
    r"|contain(?:s|ed)|includ(?:es|ed)|holds?|quot(?:es|ed)|reads?|pretend(?:s|ed)"
    r"|attempt(?:s|ed)|tries|tried|suggest(?:s|ed)|dictat(?:es|ed)|forg(?:es|ed)"
    r"|inject(?:s|ed)|ignor(?:es|ed|ing)|disregard(?:s|ed|ing)|text|instruction|trying)\b"
)
_SAYS_ABROAD = (
    r"(?:\b(?:behauptet|verlangt|fordert|sagt|schreibt|enthält|demande|exige|prétend|affirme|dit"
    r"|contient|dice|pide|afirma|chiede|pretende|afferma|diz|pede|требует|утверждает|говорит|просит"
    r"|пишет)\b|声称|要求|写着|写道|声明|主张|主張|書い|주장|요구)"
)
# a line that ends with whoever says what stands on the next
_SAYS_NEXT = (
    rf"(?:{_SAYS}|\b(?:answer(?:s|ed)|repl(?:ies|ied)|respond(?:s|ed)|end(?:s|ed)|begins|began"
    r"|starts|started|closes|closed|concludes|concluded|finish(?:es|ed))\b)"
    r"(?:[ ](?:with|that|this|as|by))?[ \t]{0,3}[:,]?[ \t]{0,3}"
)
_ELSEWHERE = re.compile(
    rf"{_SAYS}[^.,;!?\n]{{0,50}}\Z|{_SAYS_NEXT}\n\s{{0,6}}\Z"
    rf"|{_SAYS_ABROAD}[^.;!?。\n]{{0,30}}\Z"
    r"|\b(?:max(?:imum)?|min(?:imum)?|full|perfect|highest|lowest|top|best|possible|passing"
    r"|threshold|confidence|average|mean|(?:step|part)(?:[ ]#?\d{1,3})?|sub|initial|preliminary"
    r"|previous|earlier|requested|claimed|demanded|suggested|forged|fake|example|other|another"
    r"|would[ ](?:have|get|earn|be|need)(?:[ ]an?)?)['’s]{0,2}[ ]{1,2}(?:an?[ ])?\Z"
    r"|\b(?:step|part|criterion|aspect|item)[ ]#?\d{1,3}[ ]?[:.)–—-][ \t*]{0,3}\Z"
    r"|\b(?:previous|earlier|first|second|other|another|human)[ ]"
    r"(?:grader|judge|annotator|rater|examiner|reviewer|model)s?\b[^.;!?\n]{0,40}\Z"
    r"|(?<!\bI)(?<!\bwe)[ ]gave\b[^.;!?\n]{0,40}\Z"
    r"|\bexamples?\b[^.,;!?\n]{0,40}\Z"
    r"|^[ \t]*>.*\Z|<!--[^>]*\Z|~~[*_`]{0,3}\Z|\b(?:no|without)\b[^.,;!?\n]{0,25}\Z"
    r"|\b(?:if|wenn|falls|si|se|если)\b[^.;!?\n]{0,40}\Z|(?:如果|若|假如|もし|만약)[^.;!?。\n]{0,40}\Z"
    # quotation marks that are no apostrophes, after other words of the line
    r"|[\w,:、，：][ \t]{0,3}[「『‘'«‹„]\W{0,3}\Z"
    r"|^\W*(?:the[ ])?(?:\w+['’]s[ ])?(?:response|answer|student|model|candidate)\W{0,3}:\W*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_CLAIMED = re.compile(
    rf"{_SAYS}|\b(?:requested|claimed|demanded|suggested|forged|fake|injected|example|previous)\b",
    re.IGNORECASE,
)
SAID_NEXT = re.compile(rf"{_SAYS_NEXT}\Z", re.IGNORECASE)
_REPORTS = re.compile(
    r"\b(?:response|answer|model|text|student|candidate|it|they|he|she|which|that)\b[^.;!?\n]{0,40}"
    rf"(?<!\bas )(?<!\byou ){_SAYS}[^.;!?\n]{{0,50}}\W{{0,20}}\Z",
    re.IGNORECASE,
)
# before a verdict in JSON, which words such as "in the requested format" introduce
_OBJECT_ELSEWHERE = re.compile(
    rf"{DENIAL}[^.,;:!?\n]{{0,25}}\Z|{_SAYS_ABROAD}[^.;!?。\n]{{0,30}}\Z"
    r"|^[ \t]*>[^\n]*\Z|<!--[^>]*\Z|~~\W{0,3}\Z|\bexamples?\b[^.,;!?\n]{0,40}\Z"
    r"|\bif\b[^.;!?\n]{0,40}(?:\bwould|['’]d|\bshould|\bmust)\b[^.;!?\n]{0,30}\Z"
    r"|\b(?:previous|earlier|human|injected|forged|fake|claimed)\b[^.;!?\n]{0,30}\Z"
    r"|\bformat[ ](?:is|was)\W*\Z|^\W*(?:the[ ])?(?:\w+[ ])?format:\W*\Z",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_END = re.compile(r"\A\s*`{3,}")
_QUESTIONED = re.compile(r"\s?\?")
_FENCE = re.compile(r"`{3,}\w{0,12}\s*\Z")
# "Score: 1.0 would be too much": whose it is comes after it
TAKEN_BACK = re.compile(
    r"[.,;)]?[\"'”’]?[ \t]{1,3}(?:[-–—][ ])?\(?(?:(?:would|could|might|should|if|unless|only|then|needs?|requires?"
    r"|means?|otherwise|was|were|says|claims|wäre|war|serait|était|sería|era|seria|sarebbe)\b"
    # whatever it "is", unless that says why it was given: a re-ask is cheaper than a wrong score
    r"|(?:is|are)(?:n['’]t\b|[ ](?!(?:(?:a|an|the|my|our|quite|most|therefore|thus|hence|only)[ ]){0,2}"
    r"(?:fair|reasonable|appropriate|adequate|suitable|fitting|right|correct|justified|warranted"
    r"|deserved|due|given|assigned|awarded|earned|based|because|final|average|mean"
    r"|highest|lowest|full|partial|half)\b))"
    r"|as[ ](?:it|the[ ]response|requested|demanded|claimed)\b"
    # a bound, and the parts of a sum
    r"|at[ ](?:most|best|least)\b|or[ ](?:less|more|lower|higher|below|above|so)\b"
    r"|for[ ][^.;\n\d]{1,40}[ ,;+&(][01]?[.,]\d{1,3}[ ]for\b)"
    # a clause of the same sentence, also on the next line
    r"|[.,;)]?\s{1,3}\(?which[ ](?:is|was|would[ ]be)[ ](?:not|wrong|false|incorrect|too|its|what|forged|fake)\b",
    re.IGNORECASE,
)

# "Final score", "the resulting grade", "my overall rating"
_KINDS = _words(
    "final overall total correctness numeric numerical resulting corresponding assigned given single"
    " proposed rounded partial fair reasonable appropriate low lower high higher moderate modest"
    " decent good correct suitable small zero new corrected revised own actual true real evaluation assessment output"
    " finale endgültige abschließende gesamte totale globale итоговая финальная общая моя 최종"
    " 최종적인 最终 最終 最終的な 總"
)
# what may stand before these: an article, a preposition, a verb that gives or earns
_INTRODUCE = _words(
    "a an the this that my our your its their of with and so is as at to for in on by be hence thus"
    " therefore then here answer's response's model's student's candidate's prediction's give gives"
    " giving assign assigning award awarding earn earns deserve deserves deserving get gets receive"
    " receives yield yields merit merits justify justifies now or but because since also daher somit"
    " donc ainsi quindi portanto поэтому 따라서 응답의 답변의"
)
# articles of other languages, which introduce an object as well: "exige la puntuación: 1.0"
_OPENERS = _words("die der das meine le la ma il mia el mi o minha l")
_ARTICLE = re.compile(r"(?<!\S)(?:the|an?|its|his|her|their)[ ]{1,2}\Z", re.IGNORECASE)
_WORD = re.compile(r"([^\W\d_](?:[\w-]|['’](?=\w)){0,30})[ \t*_`\"]{1,5}\Z")
# languages without spaces
_UNSPACED = re.compile(r"[\u3005-\u30ff\u4e00-\u9fff]{1,40}\Z")
_UNSPACED_OWN = re.compile(
    r"(?:因此|所以|故|于是|综上(?:所述)?|总体|最终|最后|最終|最終的|总|總|综合|総合|总评|我的|本|该|这个|此|"
    r"回答|答案|回复|的|その|この|よって|したがって|の|は|正确性?){0,6}"
)


def is_elsewhere(before: str) -> bool:
    """Whether the text before a number says that it is not the judge's own score."""
    return _ELSEWHERE.search(before) is not None


def names_another(scale: str) -> bool:
    """Whether what stands in brackets after a score's marker makes it somebody else's."""
    return _CLAIMED.search(scale) is not None


def introduced(before: str) -> bool | None:
    """Whether the text before a score's marker introduces the judge's own score.

    "Final score", "a correctness score", "the score" do; "colour score" and "GPT-4's score",
    which open a clause, do not. None where nobody knows: "die Antwort will Punktzahl".
    """
    if run := _UNSPACED.search(before):
        is_known = run.group() in _KINDS or _UNSPACED_OWN.fullmatch(run.group())
        return True if is_known else None
    while word := _WORD.search(before):
        said = word[1].lower().replace("’", "'")
        before = before[: word.start()]
        if said in _OPENERS:
            return True if _opens(before) else None
        if said not in _KINDS:
            return True if said in _INTRODUCE else False if _opens(before) else None
    return True


def _opens(before: str) -> bool:
    return re.search(r"[^\s.,;:!?*_#>|-][ \t]{0,3}\Z", _ARTICLE.sub("", before)) is None


def is_told(before: str, after: str) -> bool:
    """Whether the text around a verdict in JSON says that it is not the judge's own."""
    before, after = _FENCE.sub("", before[-200:]), _FENCE_END.sub("", after)
    return bool(
        reports(before)
        or _OBJECT_ELSEWHERE.search(before)
        or TAKEN_BACK.match(after)
        or _QUESTIONED.match(after)
    )


def reports(before: str) -> bool:
    """Whether the text `before` something says that the response says it."""
    return _REPORTS.search(_FENCE.sub("", before[-200:])) is not None
