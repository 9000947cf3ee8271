"""The lists of words and titles in ``resources/titles``, by which the judge keeps the names of answers apart.

They are made for a release from a list of page titles: ``make titles`` does it. They hold words and titles
alone, which are facts, and nothing of any question.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

from rapidfuzz.distance import OSA

from quizwriter.domain.page import answer_key, page_title
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport, one_line, rows
from quizwriter.judging.known_names import GIVEN_NAMES, KIND_BEFORE, KIND_BEHIND
from quizwriter.judging.same_word import is_form, most_slips
from quizwriter.judging.spoken_words import ARTICLES, spoken_words
from quizwriter.system.atomic import atomic_text

SHORTEST_WORD = 5
"""Letters of a word that a slip may make of another."""

SHORTEST_SHARED = 3
"""Letters of a title that several pages share; shorter ones are symbols of many things."""

_ASIDE = re.compile(r" \([^()]*\)\Z|, .*\Z", re.DOTALL)
"""What only tells a page from others of its name: "(novel)", ", Ontario"."""

_FAMILIES = """
    actinium aluminum americium antimony argon arsenic astatine barium berkelium beryllium bismuth bohrium
    boron bromine cadmium calcium californium carbon cerium cesium chlorine chromium cobalt copernicium
    copper curium darmstadtium dubnium dysprosium einsteinium erbium europium fermium flerovium fluorine
    francium gadolinium gallium germanium hafnium hassium helium holmium hydrogen indium iodine iridium
    krypton lanthanum lawrencium lithium livermorium lutetium magnesium manganese meitnerium mendelevium
    mercury molybdenum moscovium neodymium neptunium nickel nihonium niobium nitrogen nobelium oganesson
    osmium oxygen palladium phosphorus platinum plutonium polonium potassium praseodymium promethium
    protactinium radium radon rhenium rhodium roentgenium rubidium ruthenium rutherfordium samarium scandium
    seaborgium selenium silicon silver sodium strontium sulfur tantalum technetium tellurium tennessine
    terbium thallium thorium thulium titanium tungsten uranium vanadium xenon ytterbium yttrium zirconium
    adenine cytosine guanine thymine uracil purine pyrimidine pyridine pyrrole imidazole pyran furan
    alanine arginine asparagine aspartate cysteine glutamate glutamine glycine histidine isoleucine leucine
    lysine methionine phenylalanine proline serine threonine tryptophan tyrosine valine
    glucose galactose fructose mannose ribose xylose arabinose sucrose lactose maltose cellulose amylose
    methane ethane propane butane pentane hexane heptane octane nonane decane benzene toluene xylene phenol
    aniline styrene acetone acetate formate lactate citrate oxalate malate malonate pyruvate succinate
    fumarate ilium ileum slavonia slovenia slovakia
"""
"""Names that questions ask for and of which titles have but some: elements, sugars, bones, countries."""

_PLANETS = ("jupiter", "mercury", "neptune", "saturn", "uranus", "venus")
"""Names of planets and of gods; no page of ours has such a name alone, since each needs telling apart."""


def write_title_lists(source: Path, folder: Path) -> dict[str, int]:
    """Write the lists of the titles in the JSON-lines file ``source`` into ``folder``; the lines of each.

    Each row of ``source`` has its title as ``page``; it may be packed.
    """
    titles = {page_title(one_line(row.get("page"))) for row in rows(source, ReadReport(str(source)))} - {""}
    if not titles:
        raise QuizwriterError(f"{source} has no titles.", "Choose a file whose rows have a “page” each.")
    lists = title_lists(titles)
    for name, lines in lists.items():
        with atomic_text(folder / name, make_folder=True) as file:
            file.writelines(f"{line}\n" for line in lines)
    return {name: len(lines) for name, lines in lists.items()}


def title_lists(titles: Iterable[str]) -> Mapping[str, list[str]]:
    """The lists of ``titles``, by the name of the file of each; the same titles give the same lists."""
    found = sorted(set(titles))
    return {
        "confusable_words.txt": confusable_words([*found, *_FAMILIES.split()]),
        "bare_titles.txt": bare_titles(found),
        "shared_titles.txt": shared_titles(found),
    }


def confusable_words(titles: Iterable[str]) -> list[str]:
    """The words in ``titles`` that are a slip away from another one of them, and no other form of it."""
    words = {
        form
        for title in titles
        for word in spoken_words(title)
        for form in (word.raw, word.text)
        if len(form) >= SHORTEST_WORD and form.isalpha()
    }
    by_rest: defaultdict[str, list[str]] = defaultdict(list)  # two words a slip apart share what is left
    for word in sorted(words):
        for rest in _with_less(word, most_slips(len(word))):
            by_rest[rest].append(word)
    found: set[str] = set()
    for near in by_rest.values():
        for one, other in combinations(near, 2):
            if not (one in found and other in found) and _are_confusable(one, other):
                found |= {one, other}
    return sorted(found)


def _with_less(word: str, letters: int) -> set[str]:
    """``word``, and what is left of it without up to so many of its ``letters``."""
    found = last = {word}
    for _ in range(letters):
        last = {one[:at] + one[at + 1 :] for one in last for at in range(len(one))}
        found = found | last
    return found


def _are_confusable(one: str, other: str) -> bool:
    if one[0] != other[0] and sorted(one[:2]) != sorted(other[:2]):
        return False
    most = most_slips(min(len(one), len(other)))
    return OSA.distance(one, other, score_cutoff=most) <= most and not is_form(one, other)


def bare_titles(titles: Iterable[str]) -> list[str]:
    """What is left of a title without the word for its kind or its article, where that is another title.

    And what is before a colon, where more titles begin so: *Star Trek*. And a person's name without the
    middle names, where another person may be meant: *John Adams* of John Quincy Adams.
    """
    names = {words for title in titles for words in _names(title)}
    persons = Counter((words[0], words[-1]) for words in names if len(words) > 2 and words[0] in GIVEN_NAMES)
    found = {" ".join(ends) for ends, count in persons.items() if count > 1 or ends in names}
    begun = Counter(words for title in titles if ": " in title for words in _names(title.partition(": ")[0]))
    found |= {" ".join(words) for words, count in begun.items() if count > 1 or words in names}
    for words in names:
        if len(words) > 1 and words[-1] in KIND_BEHIND and words[:-1] in names:
            found.add(" ".join(words[:-1]))
        if len(words) > 1 and words[0] in KIND_BEFORE | ARTICLES and words[1:] in names:
            found.add(" ".join(words[1:]))
    return sorted(found)


def _names(title: str) -> Iterator[tuple[str, ...]]:
    """The words of ``title`` that count, with what tells it apart and without."""
    for name in {title, _ASIDE.sub("", title)}:
        if words := tuple(word.text for word in spoken_words(name) if not word.light):
            yield words


def shared_titles(titles: Iterable[str]) -> list[str]:
    """The keys of titles that other pages have, too, with something behind: *Arcadia*, *Arcadia (play)*."""
    keys, apart = set(_PLANETS), set(_PLANETS)
    for title in titles:
        keys.add(answer_key(title))
        if _ASIDE.search(title):
            apart.add(answer_key(_ASIDE.sub("", title)))
    return sorted(key for key in keys & apart if len(key) >= SHORTEST_SHARED)
