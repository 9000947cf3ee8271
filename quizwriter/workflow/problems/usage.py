"""Rules on words: contractions, vague words, repetitions, spellings, long sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import PointsPhrase, Spelling
from quizwriter.domain.tossup import bare_word
from quizwriter.workflow.problems.rule import Finding, Inspection, Rule, found_by
from quizwriter.workflow.wording import counted_noun

_CONTRACTION = re.compile(
    r"\b(?:(?P<base>do|does|did|is|are|was|were|has|have|had|wo|would|could|should|ca|must|sha|need|might|ai)"
    r"n['’]t|(?P<subject>i|you|he|she|it|we|they|that|there|here|what|who|where|how|when|why|let"
    r"|could|would|should|might|must)"
    r"['’](?P<verb>s|re|ve|ll|m|d))\b",
    re.IGNORECASE,
)
_NEGATED = {"wo": "will not", "ca": "cannot", "sha": "shall not", "ai": ""}
_VERBS = {"re": "are", "ve": "have", "ll": "will", "m": "am"}
_HAS = re.compile(r"\s+(?:been|had|got)\b")
_IS_OR_HAS = re.compile(r"\s+\w{2,20}ed\b")
_OWNERS = {"it": "its", "who": "whose"}
_SURELY_IS = re.compile(
    r"\s+(?:not|an?|the|also|always|being|commonly|found|generally|home\s+to|impossible|just|likely|neither|never|no|now"
    r"|often|possible|probably|really|set|so|sometimes|still|sure|too|traditionally|typically|usually|very|wrong"
    r"|about|at|because|from|in|like|on|to|his|how|me|my|that|there|they|this|what|when|where|who|why|you)\b"
)
"""What follows "it's" only where it is short for "it is", and not a slip for "its"."""

_NOT_THIS_BUT = re.compile(
    r"\b(?:It|He|She|They)(?P<contraction>['’](?:s|re)(?=\snot\b)|\s(?:is|are|was|were)n['’]t\b)"
    r"(?=[^?!;]{1,120}\bbut\b)"
)
"""The usual words before a clue that fits another answer better: "It's not Rome, but this city …"."""
_TITLE_CASE = re.compile(r"\s+[A-Z]")


def _contractions(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.own_words
    usual = {found.end("contraction") for found in _NOT_THIS_BUT.finditer(text)}
    for found in _CONTRACTION.finditer(text):
        words = found.group()
        if found.end() in usual or (found["subject"] == "I" and found["verb"] == "s"):
            continue  # so, or as in "William I's", it is none
        if words[0].isupper() and _TITLE_CASE.match(text, found.end()):
            continue  # a title without marks
        if found["base"]:
            base = found["base"]
            fix = _NEGATED.get(base.lower(), f"{base.lower()} not")
        elif found["subject"].lower() == "let":
            fix = "let us" if found["verb"].lower() == "s" else ""
        elif found["verb"].lower() == "s":
            verb = "has" if _HAS.match(text, found.end()) else "is"
            either = _IS_OR_HAS.match(text, found.end())
            fix = "" if either else f"{found['subject'].lower()} {verb}"
        else:
            verb = _VERBS.get(found["verb"].lower(), "")
            fix = f"{found['subject'].lower()} {verb}" if verb else ""
        told = f"“{words}” is a contraction."
        owner = _OWNERS.get((found["subject"] or "").lower())
        if owner and fix.endswith(" is") and not _SURELY_IS.match(text, found.end()):
            told, fix = f"“{words}” is short for “{fix}”; the possessive is “{owner}”.", ""
        if fix and words[0].isupper():
            fix = fix[0].upper() + fix[1:]
        yield Finding(Span(*found.span()), told, fix or None)


_ONE_OF = re.compile(
    r"\b[Oo]ne\s+of\s+(?:the\s+|history['’]s\s+|the\s+world['’]s\s+)"
    r"(?:very\s+)?(?:most|first|only|few|best|largest|greatest|earliest|last|oldest|biggest|finest)\b"
)
_IN_ONE_OF = re.compile(r"\b[Ii]n\s+one\s+of\s+(?:his|her|its|their)\b")
_ONE_OF_FIRST = re.compile(r"One\s+of\b(?!\s+(?:these|those)\b)")


def _one_of(inspection: Inspection) -> Iterator[Finding]:
    for span, _ in found_by(_ONE_OF, inspection.own_words):
        yield Finding(span, "“One of” does not show whether the clue fits only this answer.")
    for span, words in found_by(_IN_ONE_OF, inspection.own_words):
        yield Finding(span, f"“{words}” is too vague: name which one, or write “in a”.")
    for span, words in found_by(_ONE_OF_FIRST, inspection.own_words):
        if span.start in inspection.sentence_starts and not _ONE_OF.match(inspection.own_words, span.start):
            yield Finding(span, f"The sentence begins with “{words}”: name which one it is, or write “a”.")


_FROM = re.compile(
    r"\bfrom\s+this\s+(?:(?:modern|present)(?:-day)?\s+)?(?:country|nation|empire|kingdom|city|state|region|place)\b",
    re.I,
)
_LEAVING = re.compile(
    r"(?:ab|ad|al|and|apart|aside|a?way|back|come|comes|came|coming|far|free|freedom|flight|independen\w*"
    r"|go|goes|gone|went|out|remove\w*|removal|return\w*|secede\w*|secession|separat\w*|split|withdr\w+"
    r"|\w+(?:ed|ing)|flee|flees|fled|exile|escape\w*|retreat\w*|migrat\w+|emigrat\w*|troops|forces|export\w*"
    r"|import\w*|departure|cede\w*|expulsion|gold|stolen|took|taken|drawn|ruled?|miles|kilomet\w+)",
    re.I,
)


def _imprecise_from(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.own_words
    for span, words in found_by(_FROM, text):
        before = text[max(0, span.start - 30) : span.start].split()
        if before and _LEAVING.fullmatch(bare_word(before[-1])):
            continue
        if text[span.end : span.end + 2] in {"'s", "’s"}:
            continue  # from something of it
        told = f"“{words}” can mean born, written or sent there: choose one, such as “born in”."
        yield Finding(span, told)


_THIS_VERB = re.compile(
    r"\b[Tt]his\s+(?:is|was|has|had|can|could|may|might|would|should|did|does|leads?|led|caused|causes|meant"
    r"|allows|allowed|occurs|occurred|happens|happened|results?|resulted|shows|showed|became|becomes"
    r"|makes|made|gives|gave|explains|explained|refers|suggests|implies|helped|helps|began|ended|started|brought"
    r"|forced|prompted|inspired|demonstrates|reflects|marked|involves|involved|also|eventually)"
    r"\b(?![-’'])"
)
_DID_THIS = re.compile(
    r"\b(?:do|does|did|done|doing)\s+this\b(?=\s+(?:in|by|with|to|for|at|on|after|before|because|when|while|and|as|so|that)\b)",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby $")
_THIS_ALONE = re.compile(r"\b[Tt]his(?=[,.;?!](?:\s|$))")
_WHICH = re.compile(r"\s+(?:what|which)\b")
_THIS_THING = re.compile(
    r"\b[Tt]his\s+(?:(?:thing|stuff)\b(?!-)|one(?=\s*$|['’,.:;?!)–—]"
    r"|\s+(?:after|and|are|as|at|but|by|can|cannot|could|did|during|for|from|had|if|in|may|of|on|or|than|that|to|which"
    r"|who|will|with|would|\w{1,20}(?<!s)s)\b))"  # in "this one step", a step is named
)


def _vague_this(inspection: Inspection) -> Iterator[Finding]:
    points = len(inspection.text) if inspection.points is None else inspection.points.end()
    for pattern in (_THIS_VERB, _THIS_ALONE, _THIS_THING, _DID_THIS):
        for span, words in found_by(pattern, inspection.own_words):
            if _BY.search(inspection.own_words, max(0, span.start - 4), span.start):
                continue
            if points <= span.start and _WHICH.match(inspection.own_words, span.end):
                continue  # "for 10 points, this is what river" asks
            what = "names nothing" if pattern is _THIS_THING else "has no noun"
            yield Finding(span, f"“{words}” {what}: name what it is, such as “this event”.")


_REPEATABLE = "blah bye far ha had ho knock la long many na no that tsk tut very win yes"
_MAY_REPEAT = frozenset(_REPEATABLE.split())


def _repeated_words(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.own_words
    spans = [span for span in inspection.tossup.words if span.of(text).strip()]
    for one, two in pairwise(spans):
        first, second = one.of(text), two.of(text)
        bare = bare_word(second)
        if not bare or first[-len(bare) :].casefold() != bare.casefold() or second[: len(bare)] != bare:
            continue
        if bare_word(first).casefold() != bare.casefold() or not bare.isalpha():
            continue
        names = bare[0].isupper() and bare_word(first)[0].isupper() and len(bare) > 3  # Duran Duran
        between = text[one.end : two.start]
        if bare.casefold() in _MAY_REPEAT or names or between.strip() or "\n" in between or len(bare) == 1:
            continue
        start = one.end - len(bare)
        yield Finding(Span(start, two.start + len(bare)), f"“{bare}” is repeated.", text[start : one.end])


_SUBJECTIVE = re.compile(
    r"\b(?:arguably|famous(?:ly)?|well-known|renowned|iconic|beloved|beautiful(?:ly)?|brilliant(?:ly)?"
    r"|interesting(?:ly)?|fascinating(?:ly)?|masterful(?:ly)?|magnificent(?:ly)?|amazing(?:ly)?|wonderful(?:ly)?"
    r"|of\s+course|obviously|needless\s+to\s+say|unfortunately)\b"
)


_NO_JUDGEMENT = re.compile(
    r"\b(?:[Tt]he|sublime\s+and)\s+(?:beautiful|beloved)(?=\s*$|[.:;?!)]"
    r"|\s+(?:and|are|as|at|but|by|can|for|from|has|in|is|of|or|that|to|was|who|whose|with)\b)"
    r"|(?:\b(?i:her|his|its|my|our|their|your)|['’]s|s['’])\s+beloved\b|\bbeloved(?=\s+(?:by|of)\b)"
    r"|\bbeautiful(?=\s+than\b)"
)
"""A noun, or what somebody else finds: "the sublime and the beautiful", "his beloved", "beloved by eels"."""


def _subjective(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.own_words
    others = {found.end() for found in _NO_JUDGEMENT.finditer(text)}
    for span, words in found_by(_SUBJECTIVE, text):
        if span.end not in others:
            yield Finding(span, f"“{words}” is a judgement, not a clue.")


_TEN = re.compile(r"\bfor\s+(ten|10)\s+points\b", re.IGNORECASE)


def _numerals(inspection: Inspection) -> Iterator[Finding]:
    wanted = inspection.sheet.points
    odd = "ten" if wanted is PointsPhrase.FIGURES else "10"
    for found in _TEN.finditer(inspection.text):
        if found[1].lower() == odd:
            fix = wanted.value
            fix = fix[0].upper() + fix[1:] if found.group()[0].isupper() else fix
            yield Finding(Span(*found.span()), f"This set writes “{wanted}”.", fix)


def _long_sentence(inspection: Inspection) -> Iterator[Finding]:
    words = inspection.tossup.words
    at = 0
    for sentence in inspection.tossup.sentences:
        first = at
        while at < len(words) and words[at].start < sentence.end:
            at += 1
        if at - first > inspection.sheet.longest_sentence:
            told = f"The sentence has {counted_noun(at - first, 'word')}"
            yield Finding(
                sentence, f"{told}; more than {inspection.sheet.longest_sentence} are hard to follow."
            )


_BRITISH = """
    armour:armor behaviour:behavior colour:color endeavour:endeavor favour:favor favourite:favorite
    flavour:flavor harbour:harbor honour:honor humour:humor labour:labor neighbour:neighbor odour:odor
    parlour:parlor rumour:rumor saviour:savior savour:savor splendour:splendor tumour:tumor vapour:vapor
    vigour:vigor centre:center fibre:fiber litre:liter lustre:luster metre:meter kilometre:kilometer
    meagre:meager sabre:saber sombre:somber spectre:specter theatre:theater analogue:analog
    catalogue:catalog dialogue:dialog defence:defense offence:offense pretence:pretense grey:gray
    jewellery:jewelry mould:mold moustache:mustache plough:plow sceptic:skeptic sulphur:sulfur tyre:tire
    travelled:traveled traveller:traveler travelling:traveling cancelled:canceled modelled:modeled
    labelled:labeled signalled:signaled counsellor:counselor marvellous:marvelous woollen:woolen
    aluminium:aluminum anaemia:anemia archaeology:archeology encyclopaedia:encyclopedia foetus:fetus
    haemoglobin:hemoglobin manoeuvre:maneuver oesophagus:esophagus paediatric:pediatric aeroplane:airplane
    organise:organize organised:organized organisation:organization recognise:recognize
    recognised:recognized realise:realize realised:realized symbolise:symbolize symbolised:symbolized
    criticise:criticize criticised:criticized colonise:colonize colonised:colonized analyse:analyze
    analysed:analyzed catalyse:catalyze catalysed:catalyzed paralyse:paralyze fulfil:fulfill skilful:skillful
"""
_WORD = re.compile(r"\b[a-z]+\b")
_BOTH = frozenset({"catalog", "dialog", "analog", "archeology", "tire", "meter", "saber", "mold"})
"""American spellings that also mean something else, or that Americans need not use."""


@cache
def _spellings() -> dict[str, tuple[str, str]]:
    """The British and the American spelling, by each of them, with their plurals."""
    found = {}
    for pair in _BRITISH.split():
        british, american = pair.split(":")
        for ending in ("", "s"):
            both = british + ending, american + ending
            found[both[0]] = found[both[1]] = both
    return found


def _spelling_variant(inspection: Inspection) -> Iterator[Finding]:
    wanted = inspection.sheet.spelling
    if wanted is Spelling.EITHER:
        return
    spellings = _spellings()
    for span, word in found_by(_WORD, inspection.own_words):
        british, american = spellings.get(word, (word, word))
        fix, other = (british, american) if wanted is Spelling.BRITISH else (american, british)
        if (
            word == other != fix
            and word.removesuffix("s") not in _BOTH
            and fix.removesuffix("s") not in _BOTH
        ):
            yield Finding(span, f"The set is spelt in the {wanted} way: “{fix}”.", fix)


RULES = (
    Rule(
        "repeated_word", "Repeated words", _repeated_words,
        "This river flows past the the tower.", "He said that that river had had no name in Sing Sing.",
    ),
    Rule(
        "contractions", "Contractions", _contractions,
        "This king didn't marry.", "This king said “I don’t marry” in the king’s chapel.",
    ),
    Rule(
        "one_of", "“One of”", _one_of,
        "One of his poems names a river.", "One of these people drowned, and it was one of two.",
    ),
    Rule(
        "imprecise_from", "Imprecise “from”", _imprecise_from,
        "A poet from this country drowned.",
        "A poet fled from this country with bread from this country’s fields.",
    ),
    Rule(
        "vague_this", "“This” without a noun", _vague_this,
        "The dam broke. This led to a flood.", "The dam broke. This break led to a flood.",
    ),
    Rule(
        "subjective", "Judgements", _subjective,
        "A famous poem names this river.", "A poem of 1820 names this river.",
    ),
    Rule(
        "numerals", "“10” or “ten” points", _numerals,
        "For ten points, name this river.", "For 10 points, name this river.",
    ),
    Rule(
        "long_sentence", "Long sentences", _long_sentence,
        "This river " + "flows and " * 22 + "ends.", "This river " + "flows and " * 20 + "ends.",
    ),
    Rule("spelling_variant", "British or American spelling", _spelling_variant),
)  # fmt: skip
