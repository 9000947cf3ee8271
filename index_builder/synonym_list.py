"""The list of synonyms in ``resources/synonyms``, from which What if offers words for rephrasing.

It is made for a release from the files of WordNet: ``make synonyms`` does it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

import msgspec

from quizwriter.domain.names import AFTER_FRAME
from quizwriter.errors import QuizwriterError
from quizwriter.spelling import Dictionaries
from quizwriter.system.atomic import atomic_text
from quizwriter.system.resource_files import resources_folder

LISTED = "synonyms.txt"

MOST_SYNONYMS = 4
"""Synonyms of a word that are listed."""

NOUN, VERB, ADJECTIVE, ADVERB = "n", "v", "a", "r"
_FILES = {NOUN: "noun", VERB: "verb", ADJECTIVE: "adj", ADVERB: "adv"}
_CRUDE = frozenset(
    """
    arse ass boob bum butt croak dope ejaculate flub gage kid kinda nab queer retardation savvy tit whore
    """.split()  # noqa: SIM905
)
"""Words without a label that no tossup uses for another."""

_ENDINGS = {NOUN: ("", "s"), VERB: ("", "s", "ed", "ing"), ADJECTIVE: ("",), ADVERB: ("",)}
_KINDS = {"1": NOUN, "2": VERB, "3": ADJECTIVE, "4": ADVERB, "5": ADJECTIVE}  # of the keys of senses

_GRAMMAR = frozenset(("being", "below", "but", "except", "however", "just", "notwithstanding", "save"))
"""Words that are mostly conjunctions, prepositions and the like, which WordNet does not have."""

LEAST_OF_FORM = 0.95
"""The share in the uses of all words of one form that the most frequent has: it is surely meant."""

LEAST_OF_SENSE = 0.4
"""The share of its uses that a sense of a word has at least, so that its synonyms may be meant."""

LEAST_OF_SYNONYM = 0.5
"""The share of its own uses in which a synonym has that sense: it is often meant."""

_WORD = re.compile(r"[a-z]{3,24}\Z")
_CONSONANT_Y = re.compile(r"[^aeiou]y\Z")
_HISSING = re.compile(r"(?:s|x|z|ch|sh)\Z")
_SILENT_E = re.compile(r"(?<=[^eoy])e\Z")
_LIKE = 3  # letters in which two spellings of one word may differ at the end
_ALL_WORDS = "00"  # a frame of sentences that fits every word of a sense


class Sense(msgspec.Struct, frozen=True):
    """The words of one meaning, and the sentences that each fits into: numbers of WordNet's frames."""

    frames: Mapping[str, frozenset[str]]
    labelled: bool
    """Slang, a slur, a dialect or the like."""


class WordNet(msgspec.Struct, frozen=True):
    """What the files of WordNet say.

    ``senses`` has the senses of a word by its part of speech, the most frequent first; ``uses`` how often a
    word, a part of speech and the place of a sense were counted; ``irregular`` the forms that follow no rule
    by part of speech and word.
    """

    meanings: Mapping[tuple[str, str], Sense]
    senses: Mapping[str, Mapping[str, tuple[str, ...]]]
    uses: Mapping[tuple[str, str, int], int]
    irregular: Mapping[tuple[str, str], tuple[str, ...]]

    def used(self, word: str, kind: str | None = None) -> int:
        """How often ``word`` was counted, as ``kind`` or in all."""
        kinds = self.senses[word]
        return sum(
            self.uses.get((word, one, place), 0)
            for one in ([kind] if kind else kinds)
            for place in range(len(kinds[one]))
        )


def read_wordnet(folder: Path) -> WordNet:
    """The files of WordNet 3 in ``folder``.

    Source:
        wndb(5WN): an index with the senses of each word, the data of each sense, exceptions, counts of
        senses. https://wordnet.princeton.edu/documentation/wndb5wn

    Raises:
        QuizwriterError: they are not there, or are in another form.
    """
    try:
        uses = {}
        for line in _lines(folder / "cntlist.rev"):
            key, sense, count = line.split()
            word, _, rest = key.partition("%")
            uses[word, _KINDS[rest[0]], int(sense) - 1] = int(count)
        meanings = {}
        senses: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        for kind, name in _FILES.items():
            for line in _lines(folder / f"data.{name}"):
                parts = line.partition("|")[0].split()
                meanings[kind, parts[0]] = _sense(parts[3:])
            for line in _lines(folder / f"index.{name}"):
                parts = line.split()
                senses[parts[0]][kind] = tuple(parts[-int(parts[2]) :])
        irregular: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for kind in (NOUN, VERB):
            for line in _lines(folder / f"{_FILES[kind]}.exc"):
                form, word = line.split()[:2]
                irregular[kind, word].append(form)
    except (OSError, UnicodeDecodeError, ValueError, LookupError) as trouble:
        raise QuizwriterError(
            f"{folder} has no files of WordNet 3: {trouble}.",
            "Choose the folder with data.noun; Debian's package wordnet-base has it.",
        ) from trouble
    return WordNet(meanings, senses, uses, {key: tuple(found) for key, found in irregular.items()})


def _lines(path: Path) -> Iterator[str]:
    """The lines of ``path`` without its licence, whose lines begin with a space."""
    return (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" "))


def _sense(parts: list[str]) -> Sense:
    """The sense of the fields of a line of data, from the number of its words on."""
    size = int(parts[0], 16)
    words = parts[1 : 1 + 2 * size : 2]
    pointers = int(parts[1 + 2 * size])
    after = 2 + 2 * size + 4 * pointers
    labelled = ";u" in parts[2 + 2 * size : after : 4]
    frames: dict[str, set[str]] = {word: set() for word in words}
    rest = parts[after + 1 :] if len(parts) > after else []
    for number, whose in zip(rest[1::3], rest[2::3], strict=True):
        for place, word in enumerate(words, start=1):
            if whose == _ALL_WORDS or int(whose, 16) == place:
                frames[word].add(number)
    return Sense({word: frozenset(found) for word, found in frames.items()}, labelled)


def synonym_lines(wordnet: WordNet, known: Container[str]) -> list[str]:
    """The lines of the list: a word in one of its forms, and its synonyms in the same form, best first.

    Only words that are ``known``; a form that may well be that of another word is left out.
    """
    readings: defaultdict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
    for word, kinds in wordnet.senses.items():
        if not _WORD.match(word):
            continue
        for kind in kinds:
            if uses := wordnet.used(word, kind):
                for ending in _ENDINGS[kind]:
                    for form in _forms(wordnet, word, kind, ending, known):
                        readings[form].append((uses, word, kind, ending))
    lines = []
    for form, found in sorted(readings.items()):
        uses, word, kind, ending = max(found)
        if form in AFTER_FRAME | _GRAMMAR or form not in known:
            continue
        if uses < LEAST_OF_FORM * sum(one[0] for one in found):
            continue
        offered = dict.fromkeys(
            own
            for other in _synonyms(wordnet, word, kind)
            for own in _forms(wordnet, other, kind, ending, known)[:1]
            if own.endswith(ending) and own not in _GRAMMAR  # "wrote" may be no participle, "composed" is
        )
        if offered:
            lines.append(" ".join((form, *list(offered)[:MOST_SYNONYMS])))
    return lines


def _synonyms(wordnet: WordNet, word: str, kind: str) -> Iterator[str]:
    """The synonyms of the frequent senses of ``word`` that fit into its sentences, best first."""
    places = wordnet.senses[word][kind]
    told = {word}
    for place, key in enumerate(places):
        meaning = wordnet.meanings[kind, key]
        own = {one.partition("(")[0] for one in meaning.frames}  # "main(a)" comes before its noun only
        rare = wordnet.uses.get((word, kind, place), 0) < LEAST_OF_SENSE * wordnet.used(word)
        if meaning.labelled or rare or word not in own:
            continue
        counted = []
        for other, frames in meaning.frames.items():
            if other in told or other in _CRUDE or not _WORD.match(other) or _alike(word, other):
                continue
            if kind is VERB and not meaning.frames.get(word, frozenset()) <= frames:
                continue
            if kind is NOUN and word.endswith("s") != other.endswith("s"):
                continue
            uses = wordnet.uses.get((other, kind, wordnet.senses[other][kind].index(key)), 0)
            if uses and uses >= LEAST_OF_SYNONYM * wordnet.used(other):
                counted.append((-uses, other))
        told |= {other for _, other in counted}
        yield from (other for _, other in sorted(counted))


def _alike(one: str, other: str) -> bool:
    """Whether both are one word, or made of one: *criticise*, *guilt* and *guiltiness*."""
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    short = min(len(one), len(other))
    return min(same, short) >= max(short - _LIKE, min(short, 4))


def _forms(wordnet: WordNet, word: str, kind: str, ending: str, known: Container[str]) -> tuple[str, ...]:
    """The forms of ``word`` with an ``ending``, those by exception or the one by rule, if they are ``known``.

    A past form or a plural by exception has no such ending.
    """
    if not ending:
        return (word,) if word in known else ()
    given = () if (kind, ending) == (VERB, "s") else wordnet.irregular.get((kind, word), ())
    own = [form for form in given if form.endswith("ing") == (ending == "ing")]
    return tuple(form for form in own or [_ruled(word, ending, known)] if _WORD.match(form) and form in known)


def _ruled(word: str, ending: str, known: Container[str]) -> str:
    """The form of ``word`` by the rules of spelling."""
    if ending == "ing":
        if word.endswith("ie"):
            return f"{word[:-2]}ying"
        return f"{_SILENT_E.sub('', word)}ing"
    if _CONSONANT_Y.search(word):
        return f"{word[:-1]}ie{ending[-1]}"
    if ending == "ed":
        return f"{word}d" if word.endswith("e") else f"{word}ed"
    if _HISSING.search(word) or (word.endswith("o") and f"{word}es" in known):
        return f"{word}es"
    return f"{word}s"


def write_synonyms(folder: Path, out: Path) -> int:
    """Write the list of the files of WordNet in ``folder`` into ``out``; how many words it has."""
    lines = synonym_lines(read_wordnet(folder), Dictionaries(resources_folder() / "spelling"))
    with atomic_text(out / LISTED, make_folder=True) as file:
        file.writelines(f"{line}\n" for line in lines)
    return len(lines)
