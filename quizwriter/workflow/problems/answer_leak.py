"""The rule that the text does not say its answer: whole, by another form of the word, or by a part of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from quizwriter.domain.answer_line import Directive, read_answer_line
from quizwriter.domain.page import answer_key
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.near_duplicates import singular, word_tokens
from quizwriter.workflow.problems.rule import Finding, HoldsBack, Inspection, Rule

_OPTIONAL_ENDING = re.compile(r"(?<=\w)[\[(]\w{1,4}[\])]")  # War[s], hash(ing)
_DISAMBIGUATION = re.compile(r"_\([^()]*\)$")
_COMMON_WORDS = """
    a about above after again against all am an and another any are art as at be because been before being
    below between book both but by can character city come could country day death did do does down each end
    even event everyone everything few film first five for form four from further good great group had has
    have having he her here hers him his history home house how i if in into is it its itself just king last
    law left life like line long made make man many may me men mine more most much must my name new night no
    none nor not nothing novel now number of off on once one only opera or other others our out over own
    painting part people place play poem point power right same second set she side so some song state still
    story such symphony term than that the their theirs them then there these they thing third this those
    three through time title to too two under until up upon us use war was water way we well were what when
    where which while who whom whose why will with woman women word words work world would year years yes yet
    you young your yours
"""
_COMMON = frozenset(_COMMON_WORDS.split())  # a text says them without thinking of the answer of that name
_GENERIC_WORDS = """
    academy act affair agreement airport algorithm alliance apes army assembly award bank basin battle bay
    bird boy bridge building canal cape cathedral cell chapel church circle club coast code college comedy
    company conference congress constant convention council country county court crisis cross cycle day days
    dialogue disease dynasty effect eight emperor empire equation expedition experiment falls family festival
    flower force forest fort front game gate generation girl group gulf heart hill hills house hypothesis
    institute island islands juice king kingdom kings lady lake language law league letters lights line magic
    man march massacre method model monastery moon mountain mountains movement museum music nation nations
    night north number numbers ocean office opera orchestra order palace paradox park party pass path peak
    people peninsula people plan plane plateau play point pole port principle prize problem process project
    proof queen race range reaction rebellion reform region religion republic revolt revolution ring rings
    river road rock room rule school sea series sonata song songs south speech spring square star states stone
    store story strait street structure summer sun symphony synthesis system tale tales temple test theatre
    theorem theory tower trade transform treaty tree trial tribe trilogy trio union university valley verses
    wall wars water waters wedding west wind winter woods world york
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())  # last words of names that many others share


_LONGEST_PHRASE = 24
"""Words of a name that are looked for in a text; of a longer name, the first ones."""


def _phrase(name: str) -> tuple[str, ...]:
    """``name`` as it is looked for in a text."""
    tokens = (singular(token) for word in name.split() for token in word_tokens(word))
    return tuple(islice(tokens, _LONGEST_PHRASE))


def answer_names(answer: Answer) -> tuple[str, ...]:
    """All that ``answer`` is called: the main answers, their required words, what is accepted, the page.

    What a line accepts only before it is read may be read, and is left out; so is what it prompts on or
    does not accept, and what it describes.
    """
    called: dict[str, None] = {}
    for clause in read_answer_line(_OPTIONAL_ENDING.sub("", answer.line)).clauses:
        accepts = clause.directive in (Directive.MAIN, Directive.ACCEPT)
        if accepts and clause.condition is None and not clause.described and not clause.instead_of:
            for name in clause.names:
                # Behind a comma, "or" stands in a title: Twelfth Night, or What You Will.
                called.update(dict.fromkeys([*name.required_words, name.text.removeprefix("or ")]))
    if answer.page is not None:
        called[_DISAMBIGUATION.sub("", answer.page).replace("_", " ")] = None
    trimmed = (" ".join(name.replace("_", " ").split()).strip(" \t,.:\"“”‘’'") for name in called)
    return tuple(dict.fromkeys(name for name in trimmed if name))


def _surname(answer: Answer) -> str:
    """The last word of what may be a person's name; empty where it may not."""
    words = answer.main.split()
    if not 2 <= len(words) <= 4 or "," in answer.main or not all(word[:1].isupper() for word in words):
        return ""
    last = _phrase(words[-1])
    apt = len(last) == 1 and len(last[0]) > 3 and words[0].casefold() not in {"the", "a", "an"}
    return words[-1] if apt and not {last[0], answer_key(words[-1])} & (_GENERIC | _COMMON) else ""


_ENDING_WORDS = """
    atically etically izations ization ations ation ysis ytic esis etic atic acy ators ator atives ative
    ically ating ated ates ities ments ment ians ian isms ism ists ist ings ing ions ion ness ity ese
    ish ans ers ors ous ies ial ate ize ise ed es er or an al ly ic y e a s
"""
_ENDINGS = tuple(_ENDING_WORDS.split())
_SHORTEST_STEM = 5


def _stem(token: str) -> str:
    """``token`` without its endings, so that "pollinates" and "pollination" are alike; good to compare by."""
    for _ in range(2):
        for ending in _ENDINGS:
            if token.endswith(ending) and len(token) - len(ending) >= _SHORTEST_STEM:
                token = token[: -len(ending)]
                break
    return token


_PEOPLES = """
    france:french spain:spanish italy:italian germany:german england:english scotland:scottish
    wales:welsh ireland:irish netherlands:dutch holland:dutch belgium:belgian denmark:danish
    sweden:swedish norway:norwegian finland:finnish iceland:icelandic poland:polish turkey:turkish
    greece:greek portugal:portuguese switzerland:swiss peru:peruvian afghanistan:afghan uzbekistan:uzbek
    kazakhstan:kazakh pakistan:pakistani iraq:iraqi israel:israeli yemen:yemeni kuwait:kuwaiti
    philippines:filipino thailand:thai ukraine:ukrainian naples:neapolitan venice:venetian
    florence:florentine genoa:genoese athens:athenian carthage:carthaginian
"""
_PEOPLE: Mapping[str, str] = dict(pair.split(":") for pair in _PEOPLES.split())


def _peoples(place: str) -> frozenset[str]:
    """What people and things of ``place``, in small letters, may be called: Mexican, Chinese, Newtonian."""
    bare = place[:-1] if place[-1] in "aeiouy" else place
    found = {stem + ending for stem in (place, bare) for ending in ("an", "ian", "ese", "ish")}
    found |= {place + "n"} if bare != place else set()
    return frozenset({*found, _PEOPLE.get(place, ""), _PEOPLE.get(place + "s", "")} - {""})


_LITTLE_WORDS = "of the a an and in on at for de la le el di von van to from by or"
_LITTLE = frozenset(_LITTLE_WORDS.split())


def _part(answer: Answer) -> str:
    """The one word that tells the answer from others of its kind: *Hastings* of *Battle of Hastings*.

    The last word of what may be a person's name; empty where there is no such word.
    """
    words = [word for word in answer.main.split() if any(map(str.isalpha, word))]
    telling = [
        word
        for word in words
        if not {*word_tokens(word), *map(singular, word_tokens(word))} & (_LITTLE | _GENERIC | _COMMON)
    ]
    if 1 < len(words) <= 6 and len(telling) == 1 and (telling[0] == words[-1] or _LITTLE & {*words}):
        word, key = telling[0], _phrase(telling[0])
        if word[0].isupper() and len(key) == 1 and len(key[0]) > 4 and not key[0].isdigit():
            return word
    return _surname(answer)


def _leak(inspection: Inspection) -> Iterator[Finding]:
    tossup = inspection.tossup
    for found in _ANSWER_LINE.finditer(tossup.text):
        yield Finding(
            Span(*found.span()), f"What follows “{found.group().strip()}” belongs in the answer line."
        )
    if tossup.answer is None:
        return
    spans = tossup.words
    said = [
        (singular(token), number, span.of(tossup.text))
        for number, span in enumerate(spans, start=1)
        for token in word_tokens(span.of(tossup.text))
    ]
    fresh = {number for number, span in enumerate(spans, start=1) if span.start in inspection.sentence_starts}
    phrases = {name: _phrase(name) for name in answer_names(tossup.answer)}
    part = _part(tossup.answer)
    part_phrase = _phrase(part)
    places = _places({*phrases.values(), part_phrase}, [token for token, *_ in said])
    told: set[int] = set()
    for name, phrase in phrases.items():
        common = all(
            {token, singular(token)} & _COMMON for word in name.split() for token in word_tokens(word)
        )
        tiny = len(phrase) == 1 and len(phrase[0]) < 3  # "S" for entropy, "Cu" for copper
        for at in places.get(phrase, ()):
            _, number, word = said[at]
            last = said[at + len(phrase) - 1][1]
            meant = word.strip(_AROUND)[:1].isupper() and number not in fresh
            if (meant or not (common or tiny)) and not told & set(range(number, last + 1)):
                told.update(range(number, last + 1))
                span = Span(spans[number - 1].start, spans[last - 1].end)
                yield Finding(_bare(span, tossup.text), f"“{name}” is in the text, at word {number}.")
    for at in places.get(part_phrase, ()):
        _, number, word = said[at]
        if word.strip(_AROUND)[:1].isupper() and number not in told:
            told.add(number)
            why = f"“{part}”, a part of the answer, is in the text, at word {number}."
            yield Finding(_bare(spans[number - 1], tossup.text), why)
    stems = {
        _stem(phrase[0]): name
        for name, phrase in phrases.items()
        if len(phrase) == 1 and phrase[0].isalpha() and len(phrase[0]) > _SHORTEST_STEM
    }
    peoples = {
        people: name
        for name, phrase in phrases.items()
        if len(phrase) == 1 and name[0].isupper() and phrase[0].isalpha() and len(phrase[0]) > 3
        for people in _peoples(phrase[0])
    }
    for token, number, word in said:
        name = stems.get(_stem(token), "") if len(token) > _SHORTEST_STEM else ""
        if not name and word.strip(_AROUND)[:1].isupper():
            name = peoples.get(token, "")
        if name and number not in told and not {token, name.casefold()} & (_COMMON | _GENERIC):
            told.add(number)
            why = f"“{word.strip(_AROUND)}” at word {number} is a form of “{name}”."
            yield Finding(_bare(spans[number - 1], tossup.text), why)


_ANSWER_LINE = re.compile(r"\bANSWERS?\s?:")
_AROUND = "\"“”‘’'([.,;:?!)]"


def _bare(span: Span, text: str) -> Span:
    """``span`` without the punctuation around it."""
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip(_AROUND))
    return Span(start, max(start, span.end - len(words) + len(words.rstrip(_AROUND))))


def _places(phrases: Collection[tuple[str, ...]], among: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Where each of ``phrases`` begins ``among`` tokens, found in one walk for each length of a phrase."""
    found: dict[tuple[str, ...], list[int]] = {}
    for length in {len(phrase) for phrase in phrases} - {0}:
        for at in range(len(among) - length + 1):
            stretch = tuple(among[at : at + length])
            if stretch in phrases:
                found.setdefault(stretch, []).append(at)
    return found


def _no_leak(inspection: Inspection) -> str:
    if inspection.tossup.answer is None:
        return "There is no answer yet that the text could give away."
    return "The text has neither the answer nor anything that the answer line accepts."


LEAK = Rule(
    "leak", "The answer is not in the text", _leak,
    "This queen drowned. For 10 points, name this queen, Matilda. ANSWER: Matilda",
    "This queen drowned. For 10 points, name this daughter of a duke.",
    holds_back=HoldsBack(
        "the text has no answer that the line accepts, no form of the word such as “pollinates”, and no "
        "telling part of a name such as a surname",
        _no_leak, place=5,
    ),
)  # fmt: skip
