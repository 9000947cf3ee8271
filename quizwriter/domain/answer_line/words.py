"""The words of the grammar: what tells a moderator something, and what states a rule instead of a name."""

from __future__ import annotations

from collections.abc import Sequence

from quizwriter.domain.answer_line.nouns import AnswerRule


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENERS = {"[": "]", "(": ")", "{": "}", "<": ">"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}
OPENING_QUOTES, CLOSING_QUOTES = "“‘«", "”’»"
CLOSES_QUOTE = frozenset(CLOSING_QUOTES + '"')
NO_BREAK = words_of("or to also please not the and but")
TRIMMED = " \t\u00a0\n.,;:\"“”‘’«»'`"

LEADING = words_of(
    """
    but and also please or then otherwise just generously we'll you may can should so though only
    """
)
CONDITIONS = words_of("before until till after once")
HAPPENS = words_of(
    """
    read mention mentioned mentions said given revealed spoken stated named reached finished used heard
    """
)
MOMENTS = words_of("end giveaway mention power question reading sentence line then tossup word ftp")
"""What a tossup is read until: "before the end", "before the last line"."""
MOMENT_WORDS = MOMENTS | words_of(
    "the very a of this first second third last final * ( ) , ** clue 10 points"
)
NO_MENTION = words_of(
    """
    it they he she him them this that these a an the and or to being becoming joining starting of
    """
)
"""Words with which nothing begins that stands for what is read, as "enantiomer before Wohler" does."""
IS = words_of("is are was were being been it's")
QUESTIONS = words_of("what which who whose whom where when how why can could")
HEDGES = words_of(
    """
    a additional all alternate alternative an and any anything appropriate approximate basically clear
    clear-knowledge close common descriptive different direct either equivalent foreign form forms
    general generous grammatical in just knowledge language language's languages less like literal
    logical mathematical more most of on or other others obvious reasonable related semantic similar
    similarly specific such the their these thereof those to too various with word words
    """
)
EQUIVALENTS = words_of(
    """
    equivalent equivalents synonym synonyms translation translations variant variants variation
    variations description descriptions equivalences paraphrase paraphrases
    """
)
ANSWERS = words_of(
    """
    answer answers anything response responses description descriptions examples example things
    """
)
DESCRIBING = words_of(
    """
    about conveying describing describes denoting equivalent expressing giving implying indicating
    indicate indicates involving like mentioning mention mentions meaning referring relating regarding
    related saying showing stating suggesting that which containing including with along referencing
    pertaining
    """
)
LIKE = words_of("like including e.g")
PARTS = words_of(
    """
    part parts portion portions name names half halves answer answers word words surname surnames term
    terms component components element elements piece pieces title titles item items thing things
    country countries bold bolded underlined required
    """
)
SMALL = words_of(
    """
    a acceptable all alone an and any are as be both by can each either fine for four given in
    individually is it itself just last first need needed needs necessary of on one only or order
    order's other must have say required requires single so that the them these three to two with you
    reverse reversed whichever
    """
)
NOTE_STARTS = words_of(
    """
    the this that these note notes ed ed's edited editor editor's writer's moderator by from in both all
    its their his her it he she they thanks you if when while a
    """
)
NOTE_VERBS = words_of(
    """
    is are was were refers refer describes comes quotes appears wrote written titled contains had has
    """
)


def is_guide(text: str) -> bool:
    """Whether the words of a bracket say how the name before it is said."""
    words = text.replace("’", "'").split()
    if words[0].strip(",:").casefold() in {"pronounced", "pron", "pron.", "pr.", "say"}:
        return True
    quoted = text[0] in "“\"‘'" and text[-1] in "”\"’'"
    hyphened = any(
        "-" in word
        and any(part.isupper() and len(part) > 1 for part in word.strip("“”\"‘’'").split("-"))
        and any(part.islower() for part in word.strip("“”\"‘’'").split("-"))
        for word in words
    )
    return hyphened or (quoted and len(words) <= 6)


# the words of which each rule is made
_PARTIAL_RULE = SMALL | PARTS | words_of("partial incomplete specific less imprecise information")
_EXACT_RULE = SMALL | PARTS | words_of("exact phrase wording match")
_FORMS_RULE = HEDGES | words_of("forms form plurals plural singular word wordforms")
_EQUIVALENTS_RULE = HEDGES | EQUIVALENTS | ANSWERS
IN_RULES = _PARTIAL_RULE | _EXACT_RULE | _FORMS_RULE | _EQUIVALENTS_RULE


def rules_of(words: Sequence[str], *, prompting: bool = False) -> frozenset[AnswerRule]:
    """The rules that ``words`` state; empty where they are a name."""
    if not words or len(words) > 14 or not IN_RULES.issuperset(words):
        return frozenset()
    said = set(words)
    found: set[AnswerRule] = set()
    if said <= _PARTIAL_RULE:
        if {"partial", "incomplete", "imprecise"} & said or (
            prompting and said & {"either", "one"} and said & PARTS | {"either"} & said
        ):
            found.add(AnswerRule.PARTIAL)
        elif {"required", "needed", "necessary", "require", "need", "needs", "requires"} & said and said & {
            "both",
            "all",
            "two",
            "three",
            "and",
        }:
            found.add(AnswerRule.ALL_REQUIRED)
        elif {"order", "order's", "reverse", "reversed"} & said:
            found.add(AnswerRule.ANY_ORDER)
            if said & {"either", "any"} and words.count("either") + words.count("any") > 1:
                found.add(AnswerRule.EITHER)
        elif (
            said & {"either", "any", "underlined"}
            and (said & (PARTS | {"one", "order", "alone"}) or said == {"either"})
        ) or ({"last", "first"} & said and {"name", "names", "surname"} & said):
            found.add(AnswerRule.EITHER)
    if not found and "exact" in said and said <= _EXACT_RULE:
        found.add(AnswerRule.EXACT)
    if not found and said <= _FORMS_RULE and said & {"forms", "form", "plural", "plurals", "wordforms"}:
        found.add(AnswerRule.WORD_FORMS)
    if not found and said & EQUIVALENTS and said <= _EQUIVALENTS_RULE:
        found.add(AnswerRule.EQUIVALENTS)
    return frozenset(found)
