"""How well a typed answer fits a name: each word that was said, beside the word that it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from operator import itemgetter

import msgspec

from quizwriter.domain.answer_line import AnswerRule, Directive
from quizwriter.judging.candidates import LineCandidates, NameCandidate
from quizwriter.judging.known_names import (
    CLASS_NOUNS,
    COMMON_NOUNS,
    DISTINCT_FORMS,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_BEFORE,
    KIND_BEHIND,
    NOBLE,
    OFFICIAL_NAMES,
    RULERS,
    SAME_LETTERS,
    SAME_NAMES,
    SPECIES,
    TECHNIQUES,
    abbreviates,
)
from quizwriter.judging.same_word import (
    EXACT,
    FORM,
    SLIP,
    SPELLING,
    bare_titles,
    confusable_words,
    has_other_end,
    is_national,
    is_of_stem,
    is_slip,
    is_word_form,
    word_cost,
)
from quizwriter.judging.spoken_words import (
    ARTICLES,
    LIGHT,
    PARTICLES,
    SpokenWord,
    is_fragment,
    squashed,
    verbatim,
)

_SEVERAL = re.compile(r"\b(?:and|or)\b|[,;&]", re.IGNORECASE)
_LONG_NAME = 6  # words of a name that is still known where one of them is left out
_MOST_EXTRA = 8  # words of other names of the line that may be said, too
_INITIAL = 0.2
_DEMONYM = 0.15
_ABBREVIATED = 0.4


class FitKind(IntEnum):
    """How much of a name was said, from least to most."""

    PART = 1
    DESCRIPTION = 2
    REQUIRED = 3
    WHOLE = 4
    VERBATIM = 5


class Fit(msgspec.Struct, frozen=True):
    """How well a typed answer fits a name: the kind, and the cost of its words from 0 to below 1."""

    kind: FitKind
    cost: float = 0.0

    @property
    def score(self) -> float:
        """Larger is better."""
        return self.kind - min(self.cost, 0.95)


def fit(said: Sequence[SpokenWord], of: NameCandidate, among: LineCandidates) -> Fit | None:
    """How well the words ``said`` fit the candidate ``of``; None where they are another answer."""
    if verbatim(said) == of.key:
        return Fit(FitKind.VERBATIM)
    content = [word for word in said if not word.light] or list(said)
    letters = squashed(said) or verbatim(said)
    if letters in of.squashes and not any(is_fragment(word) for word in (*said, *of.words)):
        return None if of.is_fraction and len(content) < 2 else Fit(FitKind.WHOLE, 0.02)
    alias = SAME_NAMES.get(" ".join(word.text for word in content), SAME_LETTERS.get(letters))
    if alias is not None and alias in of.aliases:
        return Fit(FitKind.WHOLE, 0.02)
    initials = letters in of.initials
    return Fit(FitKind.REQUIRED, 0.1) if initials else _Alignment(content, said, of, among).fit


class _Alignment:
    """The words that were said, each beside the word of the name that it means."""

    def __init__(
        self, content: list[SpokenWord], said: Sequence[SpokenWord], of: NameCandidate, among: LineCandidates
    ) -> None:
        self._of = of
        self._among = among
        self._said = said
        self._content = content
        self._costs: dict[int, float] = {}  # by the place in the name
        self._places: list[tuple[int, SpokenWord]] = []
        self._extra: list[SpokenWord] = []
        self._firm = False  # whether a word was said out, and not only its initial
        self._align()
        self.fit = self._judged()

    def _align(self) -> None:
        names = self._of.content
        at = 0
        while at < len(self._content):
            word = self._content[at]
            best: tuple[float, int] | None = None
            surname_first = len(self._content) == 1 and self._of.is_person  # Jerome K. Jerome
            for place, name in sorted(enumerate(names), reverse=surname_first, key=itemgetter(0)):
                if place in self._costs or self._is_initials(at):
                    continue
                cost = self._cost(word, name)
                if cost is not None and (best is None or cost < best[0]):
                    best = (cost, place)
                if cost == EXACT:
                    break
            cut = best is None or best[0] == _ABBREVIATED  # "light houses" is no short "lighthouse"
            if cut and (joined := self._joined(at)) is not None:
                self._take(word, joined[0], FORM / 2)
                at += joined[1]
            elif best is not None:
                self._take(word, [best[1]], best[0])
            else:
                self._extra.append(word)
            at += 1

    def _take(self, word: SpokenWord, places: Sequence[int], cost: float) -> None:
        for place in places:
            self._costs[place] = cost
        self._places.append((places[0], word))
        self._firm = self._firm or len(word.raw) > 1 or bool(word.number) or len(self._of.content) == 1

    def _joined(self, at: int) -> tuple[list[int], int] | None:
        """Two words that were said as one, or one as two: their places, and how many more were said."""
        names = self._of.content
        word = self._content[at]
        if self._is_initials(at):
            return ([0, 1], 0) if not {0, 1} & self._costs.keys() else None
        if any(map(is_fragment, self._content[at : at + 2])):
            return None
        for place in range(len(names) - 1):
            if place not in self._costs and place + 1 not in self._costs:
                two = names[place].raw + names[place + 1].raw
                if any(map(is_fragment, names[place : place + 2])):
                    continue
                if word.raw == two or word.text == names[place].raw + names[place + 1].text:
                    return [place, place + 1], 0
        if at + 1 < len(self._content):
            two, form = word.raw + self._content[at + 1].raw, word.raw + self._content[at + 1].text
            for place, name in enumerate(names):
                if place not in self._costs and (name.raw == two or name.text in {two, form}):
                    return [place], 1
        return None

    def _is_initials(self, at: int) -> bool:
        """Whether the word said at ``at`` is the two initials of a person, a surname behind it: "JS Bach"."""
        names = self._of.content
        return (
            len(names) > 2
            and at + 1 < len(self._content)
            and self._content[at].raw == names[0].raw[0] + names[1].raw[0]
            and self._of.is_person
        )

    def _cost(self, word: SpokenWord, name: SpokenWord) -> float | None:
        if word.raw == name.raw:
            return EXACT
        if self._is_genus(word, name):
            return _INITIAL
        if word.number or name.number:
            return EXACT if word.number == name.number else None
        stem = name.stem
        if len(stem) >= 3 and is_of_stem(word.raw, stem, name.raw):
            return FORM / 2
        if stem == word.raw and len(self._of.content) > 1:  # George W. Bush
            return FORM / 2
        cost = word_cost(word.text, name.text)
        if cost is None:
            cost = word_cost(word.raw, name.raw)
            if cost is not None and cost >= SLIP and word.text in confusable_words():  # protons, photons
                return None
        if cost is not None:
            alone = len(self._of.content) == 1 and not stem
            return None if alone and {word.raw, name.raw} & DISTINCT_FORMS else cost
        if self._is_middle_name(name) and not name.required and is_slip(word.raw, name.raw):
            return SLIP
        if self._may_be_initial(name) and abbreviates(word.raw, name.raw):
            return _INITIAL
        if self._of.described and len(word.raw) >= 5 and name.raw.startswith(word.raw):
            return _ABBREVIATED
        if AnswerRule.WORD_FORMS in self._among.rules and is_word_form(word.text, name.text):
            return 2 * FORM
        if len(self._of.content) > 1:
            if has_other_end(word.raw, name.raw):
                return SPELLING
            if is_national(word.raw, name.raw) and not self._of.content[-1].number:  # Justin I
                return _DEMONYM
            if len(word.raw) >= 4 and len(name.raw) >= 10 and name.raw.startswith(word.raw):
                return _ABBREVIATED
        return None

    def _may_be_initial(self, name: SpokenWord) -> bool:
        """Whether ``name`` may stand as an initial, or for one: it is no surname."""
        short = len(name.raw) == 1
        if short and self._is_middle_name(name):  # John F. Kennedy
            return True
        alone = len(self._of.content) < 2 or (short and bool(self._of.aliases))
        return not (alone or name.required) and (self._of.marked or self._of.is_person)

    def _is_genus(self, word: SpokenWord, name: SpokenWord) -> bool:
        """Whether ``word`` is the initial of the genus ``name`` before its species: "D. melanogaster"."""
        words, content = self._of.words, self._content
        return (
            " ".join(one.text for one in content) not in SAME_NAMES  # "E. coli" is Escherichia
            and len(words) == len(content) == 2
            and name is words[0]
            and word is content[0]
            and len(word.raw) == 1
            and name.raw.startswith(word.raw)
            and content[1].raw == words[1].raw
            and words[1].raw.endswith(SPECIES)
            and name.span.of(self._of.text)[:1].isupper()
            and words[1].span.of(self._of.text).islower()
        )

    def _is_middle_name(self, name: SpokenWord) -> bool:
        """Whether ``name`` stands between the given name and the surname of a person."""
        names = self._of.content
        return (
            len(names) > 2
            and self._of.is_person
            and name is not names[0]
            and name is not names[-1]
            and not names[-1].number
        )

    # -- what is missing, and what is too much

    def _judged(self) -> Fit | None:
        names = self._of.content
        missing = [
            name
            for place, name in enumerate(names)
            if place not in self._costs and not name.optional and not _is_number_sign(names, name)
        ]
        if missing and missing[0] is names[0] and self._is_article(names[0], names[1:]):
            missing = missing[1:]
        required = [name for name in missing if name.required and not self._is_title(name)]
        cost = max(self._costs.values(), default=0.0) * 0.9 + 0.001 * (len(missing) + len(self._extra))
        abbreviated = any(one == _ABBREVIATED for one in self._costs.values())
        alone = abbreviated and len(self._costs) < 2 and not self._of.described
        if alone or not self._costs or not self._firm:
            return None
        if self._of.described:
            needed = required if self._of.marked else missing
            return Fit(FitKind.DESCRIPTION, cost) if not needed else self._part(cost)
        wrong = [word for word in self._extra if not self._is_allowed(word)]
        if wrong or len(self._extra) > _MOST_EXTRA or not self._in_order():
            return None
        complete = not required if self._of.marked else not missing
        if complete:
            whole = not missing and all(word.text in HONORIFICS for word in self._extra)
            return Fit(FitKind.WHOLE if whole else FitKind.REQUIRED, cost)
        if not self._of.marked and self._is_enough(missing):
            return Fit(FitKind.REQUIRED, cost + 0.05)
        return self._part(cost)

    def _part(self, cost: float) -> Fit | None:
        """The fit of a part of a name; without a rule for parts, a good half must be said."""
        names = self._of.content
        said = [name for place, name in enumerate(names) if place in self._costs]
        if self._extra or cost >= SLIP * 0.9 or self._of.is_fraction:
            return None
        rules = {rule for clause in self._among.line.clauses for rule in clause.rules}
        given = len(said) == 1 and said[0] is names[0] and said[0].raw in GIVEN_NAMES
        half = 2 * len(said) >= len(names) and not given
        return Fit(FitKind.PART, cost) if half or rules & {AnswerRule.EITHER, AnswerRule.PARTIAL} else None

    def _is_title(self, name: SpokenWord) -> bool:
        """Whether a word is the title of a ruler with a number, who is known without it."""
        return name is self._of.content[0] and name.text in RULERS and bool(self._of.content[-1].number)

    def _is_allowed(self, word: SpokenWord) -> bool:
        """Whether a word that is not in the name does not make it another name."""
        if word.text == "or":
            return True
        if _is_number_sign(self._content, word):
            return True
        names = self._of.content
        first = word is self._content[0]
        if first and not self._of.is_person and self._is_article(word, names):
            return True
        if word.text in PARTICLES and not word.number and (len(word.raw) > 1 or word.raw in "dl"):
            return len(self._costs) > 1 and word is not self._content[-1]  # Kim Jong-un
        if word.text in self._among.known or word.raw in self._among.known:
            return not word.number
        if len(names) == 1 and word.text in OFFICIAL_NAMES.get(names[0].text, ()):
            return True
        if not first:
            return False
        if self._of.words[0].text in NOBLE and len(names) > 1 and word.raw in GIVEN_NAMES:
            return True
        if word.text in HONORIFICS and self._of.directive is Directive.PROMPT:
            return True
        if word.text not in HONORIFICS or word.text in {"lady", "saint"}:
            return False
        return len(self._costs) > 1 and (names[0].raw in GIVEN_NAMES or any(name.number for name in names))

    def _is_article(self, word: SpokenWord, rest: Sequence[SpokenWord]) -> bool:
        """Whether ``word`` is an article before the name ``rest``, which is no other title without it."""
        return (
            word.text in ARTICLES
            and sum(len(name.raw) for name in rest) > 4
            and " ".join(name.text for name in rest) not in bare_titles()
            and all(one.raw == self._of.content[place].raw for place, one in self._places)
        )

    def _in_order(self) -> bool:
        """Whether the words come in the order of the name, or in another that means the same."""
        names = self._of.content
        places = [place for place, word in self._places if not (word.number or names[place].optional)]
        descents = sum(one > two for one, two in pairwise(places))
        if (
            not descents
            or AnswerRule.ANY_ORDER in self._among.rules
            or AnswerRule.EITHER in self._among.rules
        ):
            return self._numbers_in_order()
        said = {word.raw for word in self._said}
        named = {word.raw for word in self._of.words}
        put = "of" in said - named and not named & {"college", "university"}
        turned = put or "of" in named - said or "and" in named & said
        return descents == 1 and (turned or "by" in said)

    def _numbers_in_order(self) -> bool:
        places = [place for place, word in self._places if word.number]
        names = self._of.content
        several = len(names) == len(places) and _SEVERAL.search(self._of.text) is not None
        part_first = len(places) > 1 and bool(names[0].number) and not names[1].number  # 1 Henry IV
        return several or (places == sorted(places) and (not part_first or self._places[0][0] == 0))

    def _is_enough(self, missing: Sequence[SpokenWord]) -> bool:
        """Whether a name without markup is said well enough without the words ``missing``."""
        names = self._of.content
        said = [name for place, name in enumerate(names) if place in self._costs]
        texts = {name.text for name in missing}
        if any(name.number for name in missing):
            return False
        if texts <= PARTICLES and names[-1] not in missing:
            return len(said) > 1
        if len(said) == 1 and texts <= OFFICIAL_NAMES.get(said[0].text, frozenset()):
            return True
        needed = sum(not name.optional for name in names)
        if len(missing) == 1 and needed >= _LONG_NAME and len(missing[0].raw) > 1:
            return True
        if self._is_surname(said) or self._is_without_kind(missing) or self._is_without_middle_names(said):
            return True
        if not self._among.directed:
            return False
        if texts <= CLASS_NOUNS and self._of.directive is Directive.ACCEPT and names[-1] in missing:
            return True
        return len(said) == 1 and said[0] is names[-1] and self._is_head(said[0])

    def _is_without_kind(self, missing: Sequence[SpokenWord]) -> bool:
        """Whether only the word for the kind of thing is missing, and what was said names nothing else."""
        names = self._of.content
        if len(missing) != 1 or self._extra or max(self._costs.values()) > FORM:
            return False
        if missing[0] is names[-1] and missing[0].text in KIND_BEHIND:
            rest = names[:-1]
        elif missing[0] is names[0] and missing[0].text in KIND_BEFORE:
            rest = names[1:]
        else:
            return False
        return " ".join(name.text for name in rest) not in bare_titles()

    def _is_without_middle_names(self, said: Sequence[SpokenWord]) -> bool:
        """Whether a person was called by given name and surname, and nobody else is called so."""
        names = self._of.content
        if not (len(names) > 2 and self._of.is_person and list(said) == [names[0], names[-1]]):
            return False
        if self._extra or max(self._costs.values()) > SPELLING:
            return False
        return self._is_surname(said[1:]) and f"{names[0].text} {names[-1].text}" not in bare_titles()

    def _is_head(self, word: SpokenWord) -> bool:
        """Whether a line names several techniques, so that its word for all of them was asked for."""
        others = [
            one for one in self._among.candidates if one is not self._of and one.words[-1].raw == word.raw
        ]
        return word.raw.endswith(TECHNIQUES) and len(others) > 1

    def _is_surname(self, said: Sequence[SpokenWord]) -> bool:
        """Whether a surname was said, alone or with what belongs to it."""
        names = [
            word for word in self._of.words if word.text not in {"junior", "senior"} and not word.optional
        ]
        if (
            not 2 <= len(names) <= 5
            or {names[-1].text, names[-1].raw} & COMMON_NOUNS
            or names[-1].raw in OFFICIAL_NAMES
            or any(word.number or word.light for word in names)
        ):
            return False
        text = self._of.text
        capital = [word for word in names if word.text not in PARTICLES]
        if not all(word.span.of(text)[:1].isupper() for word in capital):
            return False
        if not said or said[-1] != (last := names[-1]):
            return False
        hyphened = [word for word in said[:-1] if text[word.span.end : word.span.end + 1] == "-"]
        first = {word.raw for word in said[:-1] if word.text not in PARTICLES and word not in hyphened}
        out = {word.raw for word in self._content if len(word.raw) > 1}  # García Márquez
        if first and (list(said) != names[-len(said) :] or not first <= out):
            return False
        if len(last.raw) < 2 or self._costs.get(len(self._of.content) - 1, EXACT) >= SLIP + 0.15:
            return False
        spoken = self._content[-1].raw
        if self._said[0].text in LIGHT or "," in text or spoken.endswith("s") != last.raw.endswith("s"):
            return False
        after = text[names[0].span.end : names[0].span.end + 1]
        if (names[0].raw in GIVEN_NAMES and after == " ") or (len(names[0].raw) == 1 and after == "."):
            return True
        alike = [
            one
            for one in self._among.candidates
            if one is not self._of
            and one.directive in {Directive.MAIN, Directive.ACCEPT}
            and one.words[-1].raw == last.raw
            and one.words[0].raw == names[0].raw
            and len(one.words) != len(names)
        ]
        return bool(alike)


def _is_number_sign(words: Sequence[SpokenWord], word: SpokenWord) -> bool:
    """Whether ``word``, one of ``words``, says no more than that a number follows: "No." in "No. 9"."""
    return word.text == "number" and any(one is word and after.number for one, after in pairwise(words))
