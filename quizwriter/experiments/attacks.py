"""Attacks on players: words and sentences that are added to a tossup so that a player loses its answer.

What is added never names the answer. A sentence is one of another past question, whose names and numbers are
those of yet others, so that it is true of nobody and leaves the answer of the tossup as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from quizwriter.domain.answer_line import Directive, read_answer_line
from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.names import name_spans
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.past_questions import EVERY_QUESTION, PastQuestion, QuestionKind
from quizwriter.domain.tossup import Answer, Tossup, bare_word
from quizwriter.engine.fool_radius import fool_radius, greedy_bound, rival_words, word_gains
from quizwriter.engine.library import NO_LIBRARY
from quizwriter.engine.tokenizer import stems_in
from quizwriter.engine.variants import play_ends
from quizwriter.experiments.inference import generator

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

ATTACKS = ("addsent", "addone", "addrandom", "addany", "addcommon", "radius")
"""The attacks by the names that ``--probe`` takes."""

WORDS = 10
"""Words that AddAny and AddCommon add."""

COMMON = 1_000
"""The most frequent words of past tossups, from which AddCommon takes its words."""

QUERIES = 400
"""Variants of a tossup that the greedy search asks a player for at most."""

TRIED = 20
"""Words that the search tries at one place."""

SAMPLED = 4_000
"""Past tossups that are drawn for common words, names and sentences."""

RIVALS = 2
"""Wrong guesses of the player that AddSent takes sentences about."""

MOST_ON_RIVAL = 200
"""Past questions about a rival that are read."""

SHORTEST, LONGEST = 5, 45
"""Words of a sentence that is added."""

_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_GIVEAWAY = re.compile(r"\b(?:points|name this|name these|give this|identify)\b", re.IGNORECASE)


class Attacked(msgspec.Struct, frozen=True):
    """What an attack made of a tossup: the variant, what was added, and how many variants were asked for.

    ``exact`` says of a fool radius whether no fewer words would do, None of other attacks. ``held`` is the
    share of the sentences, alone in their places, with which the player still gets the answer, None where an
    attack does not try sentences.
    """

    variant: Tossup
    added: tuple[str, ...]
    queries: int
    exact: bool | None = None
    held: float | None = None


class AnswerNames:
    """What may not be added to a tossup: the words of its answer, and other names that its line accepts."""

    def __init__(self, answer: Answer) -> None:
        """``answer`` is that of the tossup."""
        title = "" if answer.page is None else page_title(answer.page)
        self._words = stems_in(title) | stems_in(answer.main)
        self._names = [
            stems
            for clause in read_answer_line(answer.line).clauses
            if clause.directive in {Directive.MAIN, Directive.ACCEPT}
            for name in clause.names
            if (stems := stems_in(name.text))
        ]

    def are_in(self, text: str) -> bool:
        """Whether ``text`` has a word of the answer, or all words of another of its names."""
        stems = stems_in(text)
        return not self._words.isdisjoint(stems) or any(stems >= name for name in self._names)


class _Sentence(msgspec.Struct, frozen=True):
    page: Page
    text: str


class Attacker:
    """Attacks tossups with what the past questions of a bundle have. The seed and the tossup decide all."""

    def __init__(
        self,
        engine: Engine,
        seed: int,
        play: Callable[[Player, Tossup, Sequence[Tossup]], Sequence[PlayOutline]],
    ) -> None:
        """``play`` has a player play variants of a tossup."""
        if engine.library is None:
            raise NO_LIBRARY
        self._engine, self._library, self._seed, self._play = engine, engine.library, seed, play
        self._about: dict[Page, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str, str], Attacked | None] = {}

    def attacked(
        self, attack: str, player: Player, key: str, tossup: Tossup, before: PlayOutline
    ) -> Attacked | None:
        """The variant of ``tossup`` that ``attack`` makes; None where it has nothing to add.

        ``key`` names the question, and ``before`` is what ``player`` makes of it as it stands. A tossup whose
        answer the player does not get is attacked by AddOneSent alone, which does not ask players.
        """
        asked = (attack, player.name, key)
        if asked not in self._found:
            self._found[asked] = self._attacked(attack, player, key, tossup, before)
        return self._found[asked]

    def _attacked(
        self, attack: str, player: Player, key: str, tossup: Tossup, before: PlayOutline
    ) -> Attacked | None:
        answer = tossup.answer
        if answer is None:
            return None
        draw = generator(self._seed, f"{'addone' if attack == 'addone' else attack + player.name} {key}")
        names = AnswerNames(answer)
        if attack == "addone":
            made = self._random_sentence(tossup, names, draw)
            return None if made is None else Attacked(_with(tossup, made, -1), (made,), 0)
        if not _gets(answer, before):
            return Attacked(tossup, (), 0)
        if attack in {"addsent", "addrandom"}:
            one = self.attacked("addone", player, key, tossup, before)
            about = list(self._sentences_about_rivals(player, tossup, names))
            if attack == "addsent":
                more = [self._untrue(sentence, names, draw) for sentence in about]
            else:  # as many, so that what choosing the worst does is the same
                drawn = (self._random_sentence(tossup, names, draw) for _ in about)
                more = [sentence for sentence in drawn if sentence is not None]
            return self._worst_sentence(player, tossup, one, more)
        if attack == "radius":
            return self._radius(player, key, tossup, before)
        return self._words(player, tossup, names, draw, common_only=attack == "addcommon")

    # -- sentences

    def _random_sentence(self, tossup: Tossup, names: AnswerNames, draw: np.random.Generator) -> str | None:
        """A sentence of another question on the same kind of thing, drawn without asking the player."""
        for noun in (_kind_asked_for(tossup), ""):
            pool = self._pool.sentences.get(noun, ())
            for at in draw.permutation(len(pool))[:50].tolist():
                one = pool[at]
                if tossup.answer is None or tossup.answer.accepts(one.page) or names.are_in(one.text):
                    continue
                return self._untrue(one.text, names, draw)
        return None

    def _worst_sentence(
        self, player: Player, tossup: Tossup, one: Attacked | None, more: Sequence[str]
    ) -> Attacked:
        """The worst of AddOneSent's variant ``one`` and of ``more`` sentences in three places each."""
        tried = [] if one is None else [one]
        for made in more:
            tried += [Attacked(_with(tossup, made, place), (made,), 0) for place in _places(tossup)]
        if not tried:
            return Attacked(tossup, (), 0)
        played = self._play(player, tossup, [each.variant for each in tried])
        left = [_left(tossup, each) for each in played]
        at = min(range(len(tried)), key=lambda number: (*left[number], number))
        held = sum(gets for gets, *_ in left) / len(tried)
        return Attacked(tried[at].variant, tried[at].added, len(tried), held=held)

    def _sentences_about_rivals(self, player: Player, tossup: Tossup, names: AnswerNames) -> Iterator[str]:
        """For each of the player's first wrong guesses, the sentence that speaks most for it."""
        kind = _kind_asked_for(tossup)
        rivals = [page for page in self._wrong_guesses(player, tossup) if self._sentences(page)]
        alike = [page for page in rivals if any(kind in _kinds(text) for text in self._sentences(page))]
        for page in list(dict.fromkeys([*alike, *rivals]))[:RIVALS]:
            sound = [text for text in self._sentences(page) if not names.are_in(text)]
            if sound:
                yield self._strongest(tossup, page, sound)

    def _strongest(self, tossup: Tossup, rival: Page, sentences: Sequence[str]) -> str:
        """The first of ``sentences`` that brings retrieval's points of ``rival`` nearest to the answer's."""
        words = list(dict.fromkeys(word for text in sentences for word in _WORD.findall(text)))
        gains = {next(iter(stems_in(word)), 0): gain for word, gain in self._gains(tossup, rival, words)}
        return max(sentences, key=lambda text: sum(gains.get(stem, 0.0) for stem in stems_in(text)))

    def _untrue(self, sentence: str, names: AnswerNames, draw: np.random.Generator) -> str:
        """``sentence`` with other names and numbers, those of other questions: it is true of nobody."""
        text, at, pieces = sentence, 0, []
        spans = [(span.start, span.end, "name") for span in name_spans(Tossup(text))]
        spans += [(*found.span(), "number") for found in _NUMBER.finditer(text)]
        for start, end, sort in sorted(spans):
            if start < at:
                continue  # a number inside a name goes with it
            old = text[start:end]
            among = (
                self._pool.names.get(len(old.split()), ())
                if sort == "name"
                else self._pool.numbers.get(len(old), ())
            )
            other = next(
                (
                    among[number]
                    for number in draw.integers(0, len(among), 20).tolist()
                    if among[number] != old and not names.are_in(among[number])
                ),
                "",
            ) if among else ""  # fmt: skip
            pieces += [text[at:start], other or ("someone" if sort == "name" else "several")]
            at = end
        made = "".join([*pieces, text[at:]])
        return made[:1].upper() + made[1:]

    def _sentences(self, page: Page) -> tuple[str, ...]:
        """Sentences of past questions about ``page`` that can be added, those of tossups first."""
        found = self._about.get(page)
        if found is None:
            past = self._library.questions_on(page)[:MOST_ON_RIVAL]
            found = self._about[page] = tuple(
                dict.fromkeys(
                    text
                    for kind in (QuestionKind.TOSSUP, QuestionKind.BONUS_PART)
                    for one in past
                    if one.kind is kind
                    for text in _usable_sentences(one)
                )
            )
        return found

    def _wrong_guesses(self, player: Player, tossup: Tossup) -> list[Page]:
        answer = tossup.answer
        final = player.play(tossup).final
        return [guess.page for guess in final if answer is None or not answer.accepts(guess.page)]

    # -- words

    def _words(
        self,
        player: Player,
        tossup: Tossup,
        names: AnswerNames,
        draw: np.random.Generator,
        *,
        common_only: bool,
    ) -> Attacked:
        common = [word for word in self._pool.common if not names.are_in(word)]
        rivals = self._wrong_guesses(player, tossup)
        own: list[str] = []
        if not common_only:
            texts = [tossup.text, *(text for page in rivals[:1] for text in self._sentences(page))]
            words = dict.fromkeys(word.casefold() for text in texts for word in _WORD.findall(text))
            own = [word for word in words if not names.are_in(word)]
        if player.name == self._engine.retrieval.name:
            return self._summed(player, tossup, rivals, [*common, *own])
        return self._searched(player, tossup, common, own, draw)

    def _summed(
        self, player: Player, tossup: Tossup, rivals: Sequence[Page], vocabulary: Sequence[str]
    ) -> Attacked:
        """The ten best words for each rival: points of retrieval are a sum, so nothing is searched."""
        tried = []
        for rival in rivals:
            words = rival_words(self._engine.retrieval, tossup, rival, WORDS, vocabulary)
            if words:
                tried.append((_with(tossup, _said(words), -1), words))
        if not tried:
            return Attacked(tossup, (), 0)
        played = self._play(player, tossup, [variant for variant, _ in tried])
        at = min(range(len(tried)), key=lambda number: (*_left(tossup, played[number]), number))
        return Attacked(*tried[at], len(tried))

    def _searched(
        self,
        player: Player,
        tossup: Tossup,
        common: Sequence[str],
        own: Sequence[str],
        draw: np.random.Generator,
    ) -> Attacked:
        """Ten words, each changed in turn for the one of some twenty that leaves the answer least chance."""
        words = draw.choice(common, WORDS).tolist() if common else list(own[:WORDS])
        if not words:
            return Attacked(tossup, (), 0)
        best = (True, 1.0)
        queries = 0
        while queries < QUERIES and best[0]:
            for place in draw.permutation(len(words)).tolist():
                half = TRIED // 2 if own else TRIED
                offered = [*_some(common, half, draw), *_some(own, TRIED - half, draw)]
                lines = [[*words[:place], word, *words[place + 1 :]] for word in offered]
                variants = [_with(tossup, _said(line), -1) for line in lines[: QUERIES - queries]]
                if not variants:
                    break
                ends = list(play_ends(player, tossup, variants))
                queries += len(variants)
                at = min(range(len(ends)), key=lambda number: (*_chance(tossup, ends[number]), number))
                if _chance(tossup, ends[at]) < best:
                    best, words = _chance(tossup, ends[at]), lines[at]
                if not best[0]:
                    break
        return Attacked(_with(tossup, _said(words), -1), tuple(words), queries)

    def _radius(self, player: Player, key: str, tossup: Tossup, before: PlayOutline) -> Attacked | None:
        """The fewest words that unseat the answer: exact for retrieval, else what is needed of AddAny's."""
        if player.name == self._engine.retrieval.name:
            found = fool_radius(self._engine.retrieval, tossup)
            if found is None:
                return Attacked(tossup, (), 0)
            return Attacked(_with(tossup, _said(found.words), -1), found.words, 0, found.exact)
        whole = self.attacked("addany", player, key, tossup, before)
        if whole is None or not whole.added:
            return whole
        assert tossup.answer is not None
        words, heard = greedy_bound(
            lambda variants: list(play_ends(player, tossup, variants)),
            tossup.answer,
            whole.added,
            lambda line: _with(tossup, _said(line), -1),
        )
        if not words:
            return Attacked(tossup, (), whole.queries)
        return Attacked(_with(tossup, _said(words), -1), words, whole.queries + heard - 1, exact=False)

    def _gains(self, tossup: Tossup, rival: Page, words: Sequence[str]) -> list[tuple[str, float]]:
        """By how much each word brings ``rival`` nearer to the answer; none where retrieval lacks a page."""
        retrieval = self._engine.retrieval
        rows = retrieval.pages.rows
        answer = None if tossup.answer is None else rows.get(tossup.answer.key)
        other = rows.get(Answer("", rival).key)
        if answer is None or other is None or answer == other:
            return []
        return list(word_gains(retrieval, tossup, answer, other, words).items())

    @cached_property
    def _pool(self) -> _Pool:
        unread, read = self._library.tossups(EVERY_QUESTION)
        numbers = np.sort(np.asarray([*unread, *read], dtype=np.int64))
        draw = generator(self._seed, "past tossups")
        chosen = np.sort(draw.permutation(numbers)[:SAMPLED]).tolist()
        return _Pool(self._library.question(number) for number in chosen)


class _Pool:
    """Common words, names, numbers, and sentences by the kind of thing they are about."""

    def __init__(self, past: Iterable[PastQuestion]) -> None:
        counts: Counter[str] = Counter()
        names: dict[int, dict[str, None]] = {}
        numbers: dict[int, dict[str, None]] = {}
        self.sentences: dict[str, list[_Sentence]] = {"": []}
        for one in past:
            counts.update({word.casefold() for word in _WORD.findall(one.text)})
            for text in _usable_sentences(one):
                sentence = _Sentence(one.page, text)
                for noun in ("", *_kinds(text)):
                    self.sentences.setdefault(noun, []).append(sentence)
                for span in name_spans(Tossup(text)):
                    name = span.of(text)
                    names.setdefault(len(name.split()), {})[name] = None
                for found in _NUMBER.findall(text):
                    numbers.setdefault(len(found), {})[found] = None
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        self.common = tuple(word for word, _ in ordered[:COMMON])
        self.names = {size: tuple(found) for size, found in names.items()}
        self.numbers = {size: tuple(found) for size, found in numbers.items()}


def _usable_sentences(one: PastQuestion) -> Iterator[str]:
    """The sentences of a past question that can be added to another: not those that ask for the answer."""
    tossup = Tossup(one.text)
    spans = tossup.sentences
    for span in spans[: -1 if one.kind is QuestionKind.TOSSUP and len(spans) > 1 else None]:
        text = " ".join(span.of(one.text).split())
        if SHORTEST <= text.count(" ") + 1 <= LONGEST and _GIVEAWAY.search(text) is None:
            yield text if text.endswith((".", "?", "!", '"', "”")) else f"{text}."


def _kinds(text: str) -> list[str]:
    """The nouns that follow "this" and "these" in ``text``: the first small word of three."""
    words = [bare_word(word) for word in text.split()]
    found = []
    for at, word in enumerate(words):
        if word.casefold() in {"this", "these"}:
            noun = next((each for each in words[at + 1 : at + 4] if each.isalpha() and each.islower()), None)
            if noun is not None:
                found.append(noun)
    return list(dict.fromkeys(found))


def _kind_asked_for(tossup: Tossup) -> str:
    """The kind of thing ``tossup`` asks for: the noun that it puts behind "this" most often; may be empty."""
    counts = Counter(noun for span in tossup.sentences for noun in _kinds(span.of(tossup.text)))
    return max(counts, key=lambda noun: counts[noun], default="")


def _places(tossup: Tossup) -> tuple[int, ...]:
    """The sentences before which a sentence is added: the first, the middle one, the last."""
    count = len(tossup.sentences)
    return tuple(dict.fromkeys((0, count // 2, count - 1))) if count else (0,)


def _with(tossup: Tossup, added: str, place: int) -> Tossup:
    """``tossup`` with a sentence ``added`` before its sentence ``place``; -1 is the last, the giveaway."""
    spans = tossup.sentences
    at = spans[place].start if spans else 0
    return Tossup(f"{tossup.text[:at]}{added} {tossup.text[at:]}", tossup.answer)


def _said(words: Sequence[str]) -> str:
    return f"{' '.join(words)}."


def _some(words: Sequence[str], number: int, draw: np.random.Generator) -> list[str]:
    return [words[at] for at in draw.permutation(len(words))[:number].tolist()] if words else []


def _gets(answer: Answer, outline: PlayOutline) -> bool:
    return outline.page is not None and answer.accepts(outline.page)


def _chance(tossup: Tossup, outline: PlayOutline) -> tuple[bool, float]:
    """Whether the player still gets the answer, and the chance that it gives it: the least is the worst."""
    answer = tossup.answer
    return answer is not None and _gets(answer, outline), outline.answer_chance


def _left(tossup: Tossup, outline: PlayOutline) -> tuple[bool, float, float]:
    """As :func:`_chance`, then how early the player first has the answer: the latest is the worst."""
    first = outline.first_correct
    return (*_chance(tossup, outline), -(first / outline.words if first and outline.words else 1.0))
