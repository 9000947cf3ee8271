"""What if: variants of the open draft are played in the background, and shown in the pane and the strip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quizwriter.cancellation import Cancellation
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import Player, PlayOutline, Playthrough
from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.clues_controller import CluesController
from quizwriter.gui.widgets.two_line_list import ListRow
from quizwriter.gui.writing.clue_strip import ClueBar, ClueStrip
from quizwriter.gui.writing.ghost_lanes import GhostLanes
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.what_if_pane import NO_DRAFT, PLAYING, WhatIfPane
from quizwriter.workflow.control_arm import HIDDEN_IN_SHORT
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.wording import lane, listed, player_name, sentence

if TYPE_CHECKING:
    from quizwriter.services.survival import Survival
    from quizwriter.workflow.probes import Clue, Variant
    from quizwriter.workflow.what_if import Inversion, PlayedVariant, WhatIfReport

PAUSE_MS = 250
"""The pause, in ms, after the players have answered, before variants are played: the draft comes first."""

_AROUND = ".,;:!?\"'()[]\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"

UNKNOWN_ANSWER = "No player can know this answer."

REPHRASED = (
    "Apply selects the words for you to rephrase. If your new words give nothing away, the buzz comes this "
    "late:"
)

SPLIT = (
    "Apply selects the name. Describe it here, and name it just before the last clue. Then the buzz comes "
    "this late:"
)

TOO_LONG = "This draft has too many clues to try each of them."


class WhatIfController(QObject):
    """Has the variants of the open draft played while somebody looks at the pane or the strip.

    ``found`` carries the generation of the draft of which all players have played all variants. The pane and
    the strip are for the window to place.
    """

    found = Signal(int)

    def __init__(self, context: WindowContext, analysis: AnalysisController, clues: CluesController) -> None:
        """``clues`` knows which clues are stock."""
        super().__init__(context.window)
        theme, panes = context.theme, context.panes
        self._app, self._analysis, self._stock = context.app, analysis, clues
        self._draft, self._messages = panes.draft, panes.messages
        self._pane_seen, self._strip_shown = False, context.app.profile.settings.shows_clue_strip
        self.pane = WhatIfPane(theme)
        self.strip = ClueStrip(theme, panes.time_line)
        self.ghosts = GhostLanes(theme, panes.time_line)
        self.strip.setVisible(self._strip_shown)
        self._session: WritingSession | None = None
        self._report: WhatIfReport | None = None
        self._plays: tuple[Playthrough, ...] = ()
        self._rows: tuple[PlayedVariant, ...] = ()  # behind the rows of the pane
        self._inversion: Inversion | None = None
        self._asked: tuple[object, ...] | None = None  # what the report is of
        self._wanted = Cancellation()
        self._left = 0  # jobs of the present draft that have not ended
        self._survival = ""  # what retraining said of the draft
        self._missing = ""  # why there are no changes of the draft
        self._ghost_text = ""  # of the variant that is being previewed
        self.jobs, self._previews = Jobs("what if", self), Jobs("what if preview", self)
        self._soon = SingleShot(self, PAUSE_MS, self._ask)
        analysis.accepted.connect(self._follow_analysis)
        self._draft.edited.connect(self._take_edit)
        self._draft.moved.connect(lambda _: self._follow_cursor())
        clues.found.connect(lambda _: self._show_strip())
        self.pane.switched.connect(lambda _: self._switch())
        self.pane.chosen.connect(self._preview_row)
        self.pane.wanted.connect(self._make_row)
        self.strip.chosen.connect(self._choose_clue)
        self.strip.take.clicked.connect(self.move_easy_clue)
        self.strip.looked.connect(self._preview_move)

    def _buzz_percent(self) -> int:
        return self._app.profile.settings.buzz_percent

    # -- what the draft is, and who looks

    def open(self, session: WritingSession) -> None:
        self._session = session
        self._forget()
        missing = session.tossup.answer is None or not session.tossup.text.strip()
        self._show_nothing(NO_DRAFT if missing else "")  # else the status line says who is awaited
        self._soon.start()

    def show(self, *, seen: bool) -> None:
        self._pane_seen = seen
        if seen:
            if self._rows and self.settled:  # what is chosen may have come while nobody looked
                self._preview_row(self.pane.list.currentIndex().row())
            self._soon.start()
        else:
            self._hide_ghosts()

    def follow_hiding(self) -> None:
        self._soon.start_in(0)

    def show_strip(self, *, shown: bool) -> None:
        self._strip_shown = shown
        self.strip.setVisible(shown)
        if shown:
            self._soon.start()

    def shutdown(self) -> None:
        """Probe no more, because the window closes."""
        self._wanted.cancel()

    def _forget(self) -> None:
        self._wanted.cancel()
        self._report, self._asked, self._rows, self._inversion = None, None, (), None
        self._survival = self._missing = ""
        self._left = 0
        self._hide_ghosts()

    def _take_edit(self, _edit: Edit, _text: str) -> None:
        self._wanted.cancel()  # the draft comes first
        self.strip.show_stale()
        self._hide_ghosts()
        self._soon.start()

    def _follow_analysis(self) -> None:
        if self._session is not None and (self._pane_seen or self._strip_shown):
            self._soon.start()

    def _follow_cursor(self) -> None:
        if not self._pane_seen or self._report is None or self.pane.shows_best:
            return
        self._soon.start()  # another clue, or other words are selected

    def _switch(self) -> None:
        self._show_pane()
        self._soon.start()  # selected words are a clue of their own in one of the two

    # -- playing

    def _ask(self) -> None:
        from quizwriter.workflow.probes import split_clues  # here, as the start does not wait for it
        from quizwriter.workflow.what_if import MOST_CLUES, WhatIfReport, wanted_variants

        session, engine, plays = self._session, self._analysis.engine, self._analysis.current_plays
        if session is None or engine is None or not (self._pane_seen or self._strip_shown):
            return
        tossup = session.tossup
        if self._analysis.hidden:
            self._forget()
            self._show_nothing(HIDDEN_IN_SHORT)
            return
        if tossup.answer is None or not tossup.text.strip():
            self._forget()
            self._show_nothing(NO_DRAFT)
            return
        if not plays or any(play.tossup != tossup for play in plays):
            return  # the players read the draft still, and say so
        selected = self._draft.selected
        by_clue = self._pane_seen and not self.pane.shows_best and selected.start < selected.end
        clues = split_clues(tossup, selected if by_clue else None)
        if len(clues) < 2:
            clues = split_clues(tossup)  # all of it is selected
        current = {play.guesser for play in plays}
        near = [player for player in self._app.engines.variant_players(engine) if player.name in current]
        asked = (engine.digest, tossup, [player.name for player in near], self._buzz_percent(), clues)
        if asked == self._asked and not self._wanted.cancelled:
            self._show_pane()
            return
        self._forget()
        self._asked, self._plays, self._wanted = asked, plays, Cancellation()
        if not 1 < len(clues) <= MOST_CLUES:
            self._show_nothing(TOO_LONG if len(clues) > MOST_CLUES else NO_DRAFT)
            return
        base = {play.guesser: PlayOutline.of(play) for play in plays}
        self._report = report = WhatIfReport(tossup, clues, base, ())
        self._left = len(near)
        if not near:
            self._show()
            return
        wanted = self._wanted

        def play_all(variants: tuple[Variant, ...]) -> None:
            for player in near:
                self._play(player, variants)

        self.jobs.ask(
            lambda _: wanted_variants(tossup, clues, _evidence(near, report)),
            play_all,
            lambda _: play_all(wanted_variants(tossup, clues)),
            still=lambda: not wanted.cancelled and wanted is self._wanted,
        )

    def _play(self, player: Player, variants: tuple[Variant, ...]) -> None:
        """Have ``player`` play ``variants`` after the jobs before."""
        session, wanted, report = self._session, self._wanted, self._report
        assert session is not None
        assert report is not None
        tossup, generation, chance = report.tossup, session.generation, self._buzz_percent() / 100

        def do(_: object) -> tuple[PlayOutline, ...]:
            for variant in variants:
                _ = variant.origins  # worked out here, so that the window's thread need not
            texts = [variant.tossup for variant in variants]
            return self._app.what_if.play(player, tossup, texts, buzz_chance=chance, cancellation=wanted)

        def take(outlines: tuple[PlayOutline, ...] | None) -> None:
            if self._report is None:
                return
            self._left -= 1
            if outlines is not None:
                self._report = self._report.with_outlines(player.name, variants, outlines)
            else:
                self._report = self._report.without_player(player.name)
            self._show()
            if not self._left:
                self.found.emit(generation)
                self._look_up_survival()

        self.jobs.ask(
            do, take, lambda _: take(None), still=lambda: not wanted.cancelled and wanted is self._wanted
        )

    # -- what is shown

    @property
    def report(self) -> WhatIfReport | None:
        return self._report

    @property
    def settled(self) -> bool:
        """Whether all variants of exactly the draft on the screen were played by all players, if wanted."""
        if not (self._pane_seen or self._strip_shown):
            return True
        report, session = self._report, self._session
        current = report is not None and session is not None and report.tossup == session.tossup
        return current and not self._left and not self._soon.isActive()

    def _show(self) -> None:
        self._show_pane()
        self._show_strip()

    def _show_nothing(self, missing: str) -> None:
        """Show no changes of the draft, and what is ``missing`` for them."""
        self._missing = missing
        self.pane.show_nothing(missing)
        self.strip.show_bars(())

    def _show_pane(self) -> None:
        from quizwriter.workflow.what_if import (
            change_title,
            delay_summary,
            giveaway_sentence,
            smallest_changes,
            stump_sentence,
        )

        report = self._report
        if report is None:
            return
        names = tuple(report.base)
        first = names
        if self.pane.shows_best:
            self._rows = tuple(change.played for change in smallest_changes(report))
            first = tuple(sorted(names, key=lambda name: name not in report.first_to_buzz))
            said = self._best_sentence(report)
        else:
            number = self._clue_at_cursor(report.clues)
            self._rows = tuple(
                one
                for one in report.played
                if one.variant.clue == number and one.variant.probe.asked_of_each_clue
            )
            said = f"Clue {number + 1} of {len(report.clues)}, at the cursor."
        rows = [
            ListRow(change_title(one.variant, report.clues), delay_summary(report, one, first))
            for one in self._rows
        ]
        notes = [giveaway_sentence(report, names)]
        if not self._left:
            heard = self._heard(report) if self._stock.clues else ()
            notes.append(stump_sentence(report, heard, self._survival))
        enabled = self._analysis.enabled_players
        distant = [name for name in enabled if self._is_distant(name)]
        if distant:
            notes.append(f"{_left_out(distant)}: no variant is sent to a server.")
        slow = [name for name in enabled if self._is_slow(name)]
        if slow:
            notes.append(f"{_left_out(slow)}: too slow for variants.")
        self.pane.show_changes(said, rows, "\n\n".join(filter(None, notes)))
        if self._messages.text("what if") == said:
            self._messages.dismiss("what if")  # the pane says it now

    def _best_sentence(self, report: WhatIfReport) -> str:
        if self._left:
            return PLAYING
        if not report.knowing():
            return f"{UNKNOWN_ANSWER[:-1]}, so no change can delay one."
        first = report.first_to_buzz
        if not first:
            return "No player buzzes on the answer, so there is nothing to delay."
        who = (
            f"{listed([player_name(name) for name in first])} {'buzzes' if len(first) == 1 else 'buzz'} first"
        )
        if not self._rows:
            return f"{sentence(who)}. No change delays the first right buzz."
        return f"{sentence(who)}. These changes delay the first right buzz most."

    def _is_distant(self, name: str) -> bool:
        engine = self._analysis.engine
        return engine is not None and any(one.name == name and one.distant for one in engine.players)

    def _is_slow(self, name: str) -> bool:
        engine = self._analysis.engine
        return engine is not None and any(one.name == name and one.at_pauses for one in engine.players)

    def _clue_at_cursor(self, clues: tuple[Clue, ...]) -> int:
        selected = self._draft.selected
        before = [clue.number for clue in clues if clue.span.start <= selected.start]
        return before[-1] if before else 0

    def _show_strip(self) -> None:
        from quizwriter.workflow.what_if import clue_strengths, find_cliff, find_inversion, find_race

        report, session = self._report, self._session
        if report is None or session is None or report.tossup.text != session.tossup.text:
            return
        strengths, cliff = clue_strengths(report), find_cliff(report.clues, self._plays)
        heard = self._heard(report)
        stock = [
            any(one.stock for one in self._stock.clues if _overlap(one.span, clue.span))
            for clue in report.clues
        ]
        bars = tuple(
            ClueBar(
                clue.first,
                clue.end,
                clue.text(report.tossup),
                strengths[clue.number],
                heard[clue.number],
                stock[clue.number],
                cliff == clue.number,
            )
            for clue in report.clues
        )
        race = find_race(report)
        self._inversion = find_inversion(report) if not self._left else None
        said, told, offer = "", "", ""
        if self._inversion is not None:
            early, late = self._inversion.early, self._inversion.late
            said = self._inversion.in_short
            told = self._inversion.in_words(heard[early] if stock[early] else 0)
            offer = f"Move it after clue {late + 1}"
        elif race is not None:
            said = race.in_words
        elif cliff is not None:
            said = f"A cliff: clue {cliff + 1} gives the players the answer."
        elif not report.knowing():
            said = UNKNOWN_ANSWER
        elif not self._left:
            said = "The clues are in order: no clue is much easier than a later one."
        shown_race = None if race is None else (race.first, race.last)
        self.strip.show_bars(bars, said, told=told, race=shown_race, offer=offer)

    def _heard(self, report: WhatIfReport) -> list[int]:
        """For each clue in how many past questions it was heard."""
        return [
            max((one.anywhere for one in self._stock.clues if _overlap(one.span, clue.span)), default=0)
            for clue in report.clues
        ]

    def _look_up_survival(self) -> None:
        """Say what retraining said of the draft, once all else was played."""
        report, session, wanted = self._report, self._session, self._wanted
        if report is None or session is None or not self._pane_seen:
            return
        key = session.tossup_id

        def take(found: Survival | None) -> None:
            self._survival = "" if found is None else found.in_words
            if self._survival:
                self._show_pane()

        self.jobs.ask(
            lambda _: self._app.survival.of(key, report.tossup), take, still=lambda: not wanted.cancelled
        )

    # -- previews and changes

    def _choose_clue(self, number: int) -> None:
        if self._report is not None and number < len(self._report.clues):
            self._draft.select(self._report.clues[number].span)
            self._draft.setFocus()

    def _preview_row(self, number: int) -> None:
        from quizwriter.workflow.probes import Probe
        from quizwriter.workflow.what_if import change_lines, new_sentences

        report = self._report
        if report is None or not 0 <= number < len(self._rows):
            self.pane.show_details("")
            self._hide_ghosts()
            return
        played = self._rows[number]
        new = new_sentences(played.variant)
        told = {Probe.REPHRASE: REPHRASED, Probe.SPLIT: SPLIT}.get(played.variant.probe)
        said = [told] if told else [f"New: {new}"] if new else []
        self.pane.show_details("\n".join([*said, *change_lines(report, played, tuple(report.base))]))
        if self._pane_seen:  # it may have been left while the players read
            self._preview(played.variant)

    def _preview_move(self, looks: bool) -> None:
        variant = self._move() if looks else None
        if variant is None:
            self._hide_ghosts()
        else:
            self._preview(variant)

    def _preview(self, variant: Variant) -> None:
        engine, report = self._analysis.engine, self._report
        if engine is None or report is None:
            return
        changed = variant.tossup
        if changed.text == self._ghost_text:
            return
        self._ghost_text = changed.text
        players = [one for one in self._app.engines.variant_players(engine) if one.name in report.base]
        percent = self._buzz_percent()

        def do(_: object) -> tuple[Playthrough, ...]:
            return tuple(player.play(changed) for player in players)

        def show(plays: tuple[Playthrough, ...]) -> None:
            judged = (play.buzzing_at(percent / 100) for play in plays)
            self.ghosts.show_ghosts([lane(play) for play in judged])

        self._previews.ask(do, show, still=lambda: self._ghost_text == changed.text)

    def _hide_ghosts(self) -> None:
        self._ghost_text = ""
        self.ghosts.show_ghosts(())

    def make_first(self) -> None:
        """Make the change that is looked at in the pane; if none is, look at the first one there."""
        changes = self.pane.list
        current = changes.currentIndex().row()
        if self._pane_seen and not self._rows and not self.settled:
            self._refuse(self._missing or PLAYING)
        elif not self._rows or not self._pane_seen:
            self._refuse("There is no suggested change now.")
        elif current < 0:
            changes.setCurrentIndex(changes.model().index(0, 0))
        else:
            self._make_row(current)

    def move_easy_clue(self) -> None:
        """Move the clue that is too easy for its place behind the harder one."""
        variant = self._move()
        if not (self._pane_seen or self._strip_shown):
            self._refuse(
                "Open What if (Ctrl+Alt+3) first, so that the players try the clues in another order."
            )
        elif variant is None:
            self._refuse("No clue is too easy for its place.")
        else:
            self._make(variant)

    def _refuse(self, why: str) -> None:
        """Say why nothing is changed; of a tossup whose machines are hidden, nothing else is said."""
        said = HIDDEN_IN_SHORT if self._analysis.hidden else why
        if not (self._pane_seen and self.pane.said.text() == said == PLAYING):  # or it is told twice
            self._messages.show_message("what if", said, brief=True)

    def _move(self) -> Variant | None:
        from quizwriter.workflow.probes import moved_clue

        report, found = self._report, self._inversion
        if report is None or found is None:
            return None
        return moved_clue(report.tossup, report.clues, found.early, found.late)

    def _make_row(self, number: int) -> None:
        if 0 <= number < len(self._rows):
            self._make(self._rows[number].variant)

    def _make(self, variant: Variant) -> None:
        """Make the change of ``variant`` in the draft, as one step that can be undone."""
        from quizwriter.workflow.probes import Probe
        from quizwriter.workflow.what_if import cue_span, edits_to

        session = self._session
        if session is None:
            return
        if variant.base.text != self._draft.text:
            self._refuse(PLAYING)  # the draft went on meanwhile
            return
        self._hide_ghosts()
        if variant.probe in (Probe.REPHRASE, Probe.SPLIT):  # the writer knows better words than we do
            self._draft.select(_without_marks(cue_span(variant), self._draft.text))
            self._draft.setFocus()
            return
        styles = variant.carried(session.styles)  # a title in a clue that moves stays in italics
        whole = Span(0, len(variant.tossup.text))
        self._draft.make_step(edits_to(variant.base.text, variant.tossup.text), (whole, styles))
        self._draft.setFocus()


def _left_out(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    return f"{sentence(listed([player_name(name) for name in names]))} {verb} left out"


def _evidence(players: Sequence[Player], report: WhatIfReport) -> Evidence | None:
    """Why the earliest player buzzes; by the first player with reasons, if it has none of its own."""
    if report.earliest is None:
        return None
    buzz = report.base[report.earliest].buzz
    assert buzz is not None
    heard = report.tossup.heard(buzz.heard)
    for player in sorted(players, key=lambda one: one.name != report.earliest):
        found = player.explain(heard, buzz.guess.page)
        if found is not None and found.reasons:
            return found
    return None


def _without_marks(span: Span, text: str) -> Span:
    """``span`` without the punctuation around its words, which new words keep."""
    words = span.of(text)
    start = len(words) - len(words.lstrip(_AROUND))
    return Span(span.start + start, span.start + max(start, len(words.rstrip(_AROUND))))


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
