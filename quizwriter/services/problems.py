"""The problems of tossups: style sheets of sets, what is known around a tossup, and what was dismissed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import SetWord, StyleChosen
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.services.language_models import without_gaps
from quizwriter.services.profile import Profile
from quizwriter.services.recording import RecordReport
from quizwriter.settings import Settings
from quizwriter.store.store import Store
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.answer_notes import marked_source, usual_names
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from quizwriter.workflow.problems.rule import Inspection, Problem
from quizwriter.workflow.problems.rules import PlacedDismissal, dismissal_of, find_problems, placed_dismissals
from quizwriter.workflow.session import now_ms

if TYPE_CHECKING:
    from quizwriter.engine.clue_finder import SetSentences
    from quizwriter.engine.engine import Engine
    from quizwriter.formats.question_files import ReadReport
    from quizwriter.spelling import Speller

POWER_MARK = "(*)"

LEAST_LINES, MOST_LINES = 3, 200
"""Past answer lines of an answer from which on they say what is usual, and how many are read."""


class Surroundings(msgspec.Struct, frozen=True):
    """The surroundings of a tossup: its set with its style sheet, and the problems dismissed in it.

    ``trail`` is the history of its text as it was saved; None where nothing was dismissed.
    """

    set_name: str = ""
    sheet: StyleSheet = STANDARD_STYLE
    in_set: DuplicateFinder | None = None
    sentences: SetSentences | None = None
    powers_usual: bool = False
    dismissed: tuple[Event, ...] = ()
    trail: AnchorTracker | None = None

    def inspection(self, key: str, tossup: Tossup) -> Inspection:
        """The input of the rules for ``tossup``, whose id is ``key``."""
        return Inspection(tossup, key, self.sheet, in_set=self.in_set, powers_usual=self.powers_usual)

    def dismissals(self, tossup: Tossup) -> tuple[PlacedDismissal, ...]:
        """The dismissed problems that are still in ``tossup``, which may have grown since it was saved."""
        if self.trail is not None and self.trail.text != tossup.text:
            edit = Edit.between(self.trail.text, tossup.text)
            if edit is not None:
                self.trail.add(edit)
        return placed_dismissals(self.dismissed, self.trail, tossup)


def mostly_with_powers(texts: Iterable[str]) -> bool:
    """Whether at least half of ``texts``, of which there is one at least, have a power mark."""
    marks = [POWER_MARK in text for text in texts if text.strip()]
    return bool(marks) and sum(marks) * 2 >= len(marks)


class Problems:
    """Finds the problems of saved tossups, and keeps the style sheets of sets."""

    def __init__(self, store: Store, profile: Profile) -> None:
        """Problems of the tossups in ``store``; what is recorded is by the user of ``profile``."""
        self._store, self._profile = store, profile
        self._usual: tuple[tuple[str, str], tuple[str, ...]] | None = None  # by engine and page
        self._speller: tuple[str, Speller] | None = None

    def speller(self, engine: Engine | None = None) -> Speller:
        """What tells words that are spelt wrong, with the words that the bundle of ``engine`` uses.

        The last one is kept. Slow at the first use (a quarter of a second).
        """
        from quizwriter.spelling import Speller  # imported late: not needed at start

        digest = "" if engine is None else engine.digest
        if self._speller is None or self._speller[0] != digest:
            words = None if engine is None else engine.words
            counts = {} if words is None else words.counts
            self._speller = digest, Speller(counts, resources_folder() / "spelling", words)
        return self._speller[1]

    def read_dictionaries(self) -> None:
        """Read what :meth:`speller` looks words up in: at a moment when nobody types, or keys would wait."""
        from quizwriter.spelling import dictionaries

        dictionaries(resources_folder() / "spelling").read()

    def spelt(
        self, inspection: Inspection, engine: Engine | None, around: Surroundings | None = None
    ) -> Inspection:
        """``inspection`` with what the rules on spelling and on past questions need; see :meth:`speller`.

        With ``around``, repeats of its set and of past questions are found, too, also reworded ones.
        """
        if engine is not None and around is not None and around.in_set and around.sentences:
            from quizwriter.services.clue_lookup import repeat_finders

            found = repeat_finders(engine, inspection.tossup, around.in_set, around.sentences)
            inspection = replace(inspection, in_set=found[0], past=found[1])
        own = frozenset(self._profile.settings.own_words)
        return replace(
            inspection,
            spelling=self.speller(engine),
            known_words=own,
            guides=None if engine is None else engine.guides,
            usual_names=self._usual_names(inspection.tossup.answer, engine),
        )

    def _usual_names(self, answer: Answer | None, engine: Engine | None) -> tuple[str, ...]:
        """The names that most past answer lines of ``answer`` accept; the last answer's are kept."""
        if answer is None or engine is None or engine.library is None:
            return ()
        page = answer.page or answer.main
        key = engine.digest, page
        if self._usual is None or self._usual[0] != key:
            lines = engine.library.answer_lines(page)[:MOST_LINES]
            enough = sum(line.count for line in lines) >= LEAST_LINES
            self._usual = key, usual_names(lines) if enough else ()
        return self._usual[1]

    def add_own_word(self, word: str) -> None:
        """Take ``word`` as right from now on, in all that the user writes."""
        settings = self._profile.settings
        words = tuple(dict.fromkeys((*settings.own_words, word)))
        self._profile.save_settings(replace(settings, own_words=words))

    def style_sheet(self, set_name: str) -> StyleSheet:
        """The style sheet of a set; where nobody chose one, the standard one with the user's own lengths."""
        usual = usual_style(self._profile.settings)
        return style_sheets(self._store, usual).get(set_name, usual)

    def sheet_of(self, tossup_id: str) -> StyleSheet:
        return self.style_sheet(self._store.review_of(tossup_id).set_name)

    def buzz_chance(self, tossup_id: str) -> float:
        """The chance at which all players buzz on a tossup, by its set or by the user.

        0: each buzzes by its own rule.
        """
        sheet = self.sheet_of(tossup_id)
        return sheet.chosen_buzz_percent(self._profile.settings.buzz_percent) / 100

    def choose_style(self, set_name: str, sheet: StyleSheet) -> RecordReport:
        """Give a set a style sheet; it is recorded of every tossup that is in the set now.

        Words that are new in it, or are in it no more, are recorded each by itself, see :meth:`say_words`.
        """
        state = fold_events(self._store.style_events())
        chosen, words = state.styles.get(set_name), state.words_of_set(set_name)
        said = {word: True for word in sheet.words if word not in words}
        said |= {word: False for word in words if word not in sheet.words}
        listed = replace(sheet, words=chosen.sheet.words if chosen is not None else ())
        bodies: list[Body] = self._word_bodies(set_name, said, state)
        if bodies and chosen is not None and chosen.sheet == listed:
            return self._record_of_set(set_name, bodies)
        at_ms = max(now_ms(), chosen.at_ms + 1 if chosen is not None else 0)  # the newest counts
        return self._record_of_set(set_name, [StyleChosen(set_name, listed, at_ms), *bodies])

    def say_words(self, set_name: str, said: Mapping[str, bool]) -> RecordReport:
        """Say of some words whether they are right as they are written in a set."""
        state = fold_events(self._store.style_events())
        return self._record_of_set(set_name, self._word_bodies(set_name, said, state))

    def _word_bodies(self, set_name: str, said: Mapping[str, bool], state: Review) -> list[Body]:
        at_ms = now_ms()
        bodies: list[Body] = []
        for word, right in said.items():
            before = state.set_words.get((set_name, word))
            later = max(at_ms, before.at_ms + 1 if before is not None else 0)  # the newest counts
            bodies.append(SetWord(set_name, word, right, later))
        return bodies

    def _record_of_set(self, set_name: str, bodies: Sequence[Body]) -> RecordReport:
        """Record ``bodies`` of every tossup that is in the set now."""
        at_ms, me = now_ms(), self._profile.me.id
        keys = [key for key, _, _ in self._store.tossups_of_set(set_name)]
        return RecordReport(
            self._store.add_events([Event.new(key, at_ms, me, body) for key in keys for body in bodies])
        )

    def surroundings(self, tossup_id: str) -> Surroundings:
        """The surroundings of a tossup; empty for one that is not saved yet.

        Slow for a set of thousands; any thread may call it.
        """
        from quizwriter.engine.clue_finder import SetSentences

        review = self._store.review_of(tossup_id)
        rows = self._store.others_of_set(review.set_name, tossup_id)
        trail = None
        if review.dismissed:
            trail = AnchorTracker(change.edit for change in self._store.history(tossup_id))
        return Surroundings(
            review.set_name,
            self.style_sheet(review.set_name),
            DuplicateFinder(OtherTossup(*row) for row in rows),
            SetSentences(rows),
            mostly_with_powers(text for _, _, text in rows),
            review.dismissed,
            trail,
        )

    def of_saved(self, tossup_id: str, engine: Engine | None = None) -> tuple[Problem, ...]:
        """The problems of a tossup as it was saved, without those that were dismissed.

        The players of ``engine`` play it, for the rules that need that, unless its machines are hidden.
        """
        stored = self._store.load(tossup_id)
        tossup = stored.tossup
        around = self.surroundings(tossup_id)
        dismissals = around.dismissals(tossup)
        inspection = self.spelt(around.inspection(tossup_id, tossup), engine, around)
        inspection = replace(inspection, answer_styles=stored.answer_styles)
        hidden = self._store.review_of(tossup_id).hides_machines
        found = find_problems(inspection if hidden else _played(inspection, engine))
        return tuple(one for one in found if dismissal_of(one, dismissals) is None)

    def of_questions(
        self,
        tossups: Sequence[Tossup],
        sheet: StyleSheet = STANDARD_STYLE,
        engine: Engine | None = None,
    ) -> Iterator[tuple[Tossup, tuple[Problem, ...]]]:
        """Each of ``tossups``, which count as one set, with its problems; see :meth:`of_saved`."""
        names = [one.answer.main if one.answer else "a question without an answer" for one in tossups]
        finder = DuplicateFinder(
            OtherTossup(str(at), name, one.text)
            for at, (name, one) in enumerate(zip(names, tossups, strict=True))
        )
        powers = mostly_with_powers(one.text for one in tossups) and len(tossups) > 1
        for at, one in enumerate(tossups):
            inspection = Inspection(one, str(at), sheet, in_set=finder, powers_usual=powers)
            yield one, find_problems(_played(self.spelt(inspection, engine), engine))

    def tossups_in(self, path: Path, told: Callable[[ReadReport], None] | None = None) -> Iterator[Tossup]:
        """The tossups of a question file or a packet, with their whole answer lines, as they stand there.

        ``told`` is told at the end what could not be read.
        """
        from quizwriter.formats.question_files import ReadReport, question_of
        from quizwriter.services.transfer import file_rows

        report, seen = ReadReport(str(path)), set[str]()
        for row in file_rows(path, report):
            question = question_of(row, report, seen)
            if question is not None:
                page = Page(question.page) if question.page else None
                line, _ = marked_source(question.line, question.line_styles)
                yield Tossup(question.text, Answer(line, page))
        if told is not None:
            told(report)


def _played(inspection: Inspection, engine: Engine | None) -> Inspection:
    """``inspection`` with the pages and the games of ``engine``.

    An answer without a page gets the one that the engine has under its name.
    """
    if engine is None:
        return inspection
    tossup, answer = inspection.tossup, inspection.tossup.answer
    if answer is not None and answer.page is None:
        tossup = replace(tossup, answer=replace(answer, page=engine.pages.find(answer.main)))
    plays = tuple(player.play(tossup) for player in without_gaps(engine).players)
    return replace(inspection, tossup=tossup, pages=engine.pages, plays=plays)


def usual_style(settings: Settings) -> StyleSheet:
    """The style sheet of tossups whose set has none: the standard one with the lengths of ``settings``."""
    shortest = settings.shortest_words
    return replace(STANDARD_STYLE, shortest=shortest, longest=max(shortest, settings.longest_words))


def style_sheets(store: Store, usual: StyleSheet) -> dict[str, StyleSheet]:
    """The style sheets of all sets that have their own; ``usual`` where only words were added."""
    state = fold_events(store.style_events())
    sheets = {name: chosen.sheet for name, chosen in state.styles.items()}
    names = {*sheets, *(name for name, _ in state.set_words)}
    return {name: replace(sheets.get(name, usual), words=state.words_of_set(name)) for name in names}
