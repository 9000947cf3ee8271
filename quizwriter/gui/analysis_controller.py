"""Analysis of the open draft: requests to the players, one at a time, and the painting of their guesses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDesktopServices

from quizwriter.domain.evidence import Evidence, Method
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.players import player_kind
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.jobs import answer_first, answered
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.draft_marks import BuzzMark, DraftMarks
from quizwriter.gui.writing.draft_text import word_at
from quizwriter.gui.writing.evidence import EvidencePlace
from quizwriter.gui.writing.guess_card import GuessCard, guess_card, wikipedia
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.settings import Settings
from quizwriter.workflow.analysis import LONGEST_DRAFT, Analysis, Request, wanted_evidence
from quizwriter.workflow.buzz_moves import BuzzMoves, BuzzPlace, move_label
from quizwriter.workflow.control_arm import HIDDEN_IN_SHORT, HIDDEN_NOTICE
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.wording import (
    Lane,
    borrowed_evidence_line,
    lane,
    listed,
    marked_cues,
    page_ranks,
    player_name,
    progress_sentence,
    sentence,
    stumped_sentence,
    summary_sentence,
    supporter,
)

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

UNPAINTED_MS = 20
"""The longest time, in ms, that a request waits for the draft to be painted."""

DIM_MS = 200
"""The time, in ms, before guesses for an older draft are dimmed; less would flicker with every key."""

PREPARE_MS = 200
"""The pause in typing, in ms, after which the evidence at the buzzes is worked out."""

IDLE_MS = 1_000
"""The pause in typing, in ms, after which estimated weights are replaced by exact ones."""

AWAITED_MS = 30
"""How long, in ms, evidence that the writer asked for is awaited before the rest is painted without it."""

EMPTY_TIME_LINE = "Each player's guesses and buzz appear here as you write."
"""The text of a time line without lanes."""

LOADING = "The players are loading; you can start writing."
ALL_PLAYERS_OFF = "All players are off. Switch them on in the View menu, or with Ctrl+Shift+1 and so on."


class RequestState(msgspec.Struct, frozen=True):
    """The last request to the players, and its progress.

    ``waits``: the request waits until the draft is painted. ``complete``: all players have answered it.
    """

    request: Request
    waits: bool = False
    complete: bool = False


class AnalysisController(QObject):
    """Sends the draft of one session to the players, and paints their guesses and evidence.

    ``painted`` carries the generation of the draft whose first guesses were just painted, ``completed`` the
    generation for which the guesses of all players were painted. ``accepted``: the session took an analysis,
    which must be saved. ``players_changed``: the engine, or the order or choice of its players, has changed.
    ``asked``: the writer asked something that the guesses and the evidence answer.
    """

    painted = Signal(int)
    completed = Signal(int)
    accepted = Signal()
    players_changed = Signal()
    asked = Signal()

    def __init__(self, context: WindowContext, runner: AnalysisRunner) -> None:
        super().__init__(context.window)
        panes, self._profile, self._runner = context.panes, context.app.profile, runner
        self._save_settings = context.save_settings
        self._draft, self._time_line, self._guesses = panes.draft, panes.time_line, panes.guesses
        self._evidence, self._status, self._messages = panes.evidence, panes.status, panes.messages
        self.session = WritingSession("")
        self._sheet = STANDARD_STYLE
        self.engine: Engine | None = None
        self._is_hidden = context.app.review.hides_machines if context.persistent else lambda _: False
        self.hidden = False  # whether the machines are hidden from the writer of this tossup
        self._placeholder = LOADING  # the text in place of guesses while there is no engine
        self._request_state: RequestState | None = None
        self._plays: dict[str, tuple[Tossup, Playthrough]] = {}  # by player, the last and its tossup
        self._lanes: dict[str, tuple[Playthrough, Lane]] = {}  # by player, of what it played last
        self._players_of: tuple[Engine | None, Settings | None] = (None, None)  # source of the names below
        self._player_names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._evidence_choice = ""  # the player whose evidence the writer chose; empty: the first
        self._hovered: int | None = None  # the word under the mouse
        self._shows_stale = False  # whether playthroughs of an older draft are dimmed
        self._page: Page | None = None  # the page of the evidence on the screen
        self._moves = BuzzMoves()
        self._follows = False  # whether the draft scrolls to the word with the next paint
        self._makes_room = False  # whether room is made for an answer, which is painted then
        self._asked = False  # whether the writer has asked something since the last edit
        self._settled_generation = -1  # the generation of the draft for which everything is shown
        self._submit_soon = SingleShot(self, UNPAINTED_MS, self._submit)
        self._dim_soon = SingleShot(self, DIM_MS, self._dim)
        self._prepare_soon = SingleShot(self, PREPARE_MS, self._prepare_buzzes)
        self._paint_soon = SingleShot(self, AWAITED_MS, self.paint)
        self._exact_soon = SingleShot(self, IDLE_MS, self.request_exact_weights)
        self._answered_soon = SingleShot(self, 0, answered)  # once what answers is on the screen
        self._draft.painted.connect(self._submit_painted)
        self._draft.pointed.connect(self._point_from_draft)
        self._time_line.pointed.connect(self._hover)
        for ended in (self._draft.step_begun, self._draft.step_ended):
            ended.connect(self._moves_end)
        self._draft.buzz_clicked.connect(self.show_buzz)
        self._time_line.chosen.connect(self.show_word)
        self._time_line.lane_chosen.connect(self._show_word_of)
        self._time_line.buzz_chosen.connect(self.show_buzz)
        self._guesses.chosen.connect(self._choose_page_of)
        self._guesses.player_chosen.connect(self.show_evidence_of)
        self._guesses.player_moved.connect(self.move_player)
        self._guesses.player_switched_off.connect(self.switch_player)
        self._guesses.stepped.connect(self._time_line.step)
        self._time_line.painted.connect(self._emit_painted)
        self._evidence.chooser.player_chosen.connect(self.show_evidence_of)
        self._evidence.exact.clicked.connect(self.request_exact_weights)
        runner.analysed.connect(self._take_analysis)

    # -- what the draft and the engine are

    def open(self, session: WritingSession) -> None:
        self.session = session
        self.hidden = self._is_hidden(session.tossup_id)
        self._hovered, self._asked = None, False
        self._settled_generation = -1
        self._plays.clear()
        self._page = None
        self._moves = BuzzMoves(session.tossup.text)
        self._runner.forget()
        self._time_line.tell_anew()
        self._time_line.mirror(mirrored=self._draft.reads_right_to_left())
        self.paint()
        self.request_analysis()

    def hide(self, *, hidden: bool) -> None:
        if hidden != self.hidden:
            self.hidden = hidden
            self._plays.clear()
            self.request_analysis()
            self.paint()

    def follow_edit(self) -> None:
        """Request an analysis of the changed draft or answer, which is about to be painted."""
        self._hovered, self._asked = None, False
        self._moves.follow(self.session.tossup.text, time.monotonic())
        self.request_analysis(once_painted=True)
        if not self._dim_soon.isActive():
            self._dim_soon.start()
        self._time_line.mirror(mirrored=self._draft.reads_right_to_left())

    def use_engine(self, engine: Engine) -> None:
        self.engine = engine
        self._plays = {name: (Tossup(""), play) for name, (_, play) in self._plays.items()}
        self._placeholder = ""
        self.players_changed.emit()
        self.request_analysis()
        self.paint()

    def show_placeholder(self, text: str) -> None:
        self._placeholder = text
        self.paint()

    @property
    def placeholder(self) -> str:
        """The text in place of guesses; empty while there is an engine."""
        return self._placeholder

    @property
    def _notice(self) -> str:
        """Why nothing is shown of this tossup; empty where something may be."""
        return HIDDEN_NOTICE if self.hidden else self._placeholder

    @property
    def settled(self) -> bool:
        return self._settled_generation == self.session.generation

    @property
    def current_plays(self) -> tuple[Playthrough, ...]:
        """The games on exactly the present draft; empty while one of a player on this computer is missing."""
        names, current = self.enabled_players, self.players_up_to_date
        players = self.engine.players if self.engine is not None else ()
        slow = {player.name for player in players if player.distant or player.has_gaps}
        if not current & set(names) or not set(names) - slow <= current:
            return ()
        return tuple(self._plays[name][1] for name in names if name in current)

    @property
    def games_to_come(self) -> bool:
        """Whether the players on this computer have not yet played exactly the present draft, but will."""
        if self.hidden or not self.session.tossup.text.strip():
            return False
        if self.engine is None:
            return self._placeholder == LOADING
        return bool(self.enabled_players) and not self.current_plays

    # -- which players

    @property
    def bundle_players(self) -> tuple[str, ...]:
        """The engine's players, in the order of the bundle."""
        return tuple(player.name for player in self.engine.players) if self.engine is not None else ()

    @property
    def players(self) -> tuple[str, ...]:
        return self._sorted_players()[0]

    @property
    def enabled_players(self) -> tuple[str, ...]:
        return self._sorted_players()[1]

    def _sorted_players(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All players and those that are on; worked out once for each engine and each change of settings."""
        engine, settings = self.engine, self._profile.settings
        known_engine, known_settings = self._players_of
        if known_engine is not engine or known_settings is not settings:
            order = {name: place for place, name in enumerate(settings.player_order)}
            names = tuple(sorted(self.bundle_players, key=lambda name: order.get(name, len(order))))
            enabled = tuple(name for name in names if name not in settings.players_off)
            self._players_of, self._player_names = (engine, settings), (names, enabled)
        return self._player_names

    @property
    def players_up_to_date(self) -> set[str]:
        """The players whose last playthrough is of the current draft."""
        return {name for name, (of, _) in self._plays.items() if of == self.session.tossup}

    @property
    def evidence_player(self) -> str | None:
        """The player whose evidence is shown: the chosen one, else the first that buzzes, else the first.

        One that cannot play is never the first.
        """
        if self._evidence_choice in self.enabled_players:
            return self._evidence_choice
        untroubled = [name for name in self.enabled_players if not self._trouble(name)]
        buzzing = (name for name in untroubled if name in self._plays and self._plays[name][1].buzz)
        return next(buzzing, next(iter(untroubled or self.enabled_players), None))

    def _trouble(self, name: str | None) -> str:
        """The reason why a player does not play; empty if it plays."""
        play = self._plays[name][1] if name in self._plays else None
        return (play.trouble or "") if play is not None else ""

    def switch_player(self, name: str) -> None:
        off = self._profile.settings.players_off
        self._save_settings(
            players_off=tuple(one for one in off if one != name) if name in off else (*off, name)
        )
        self.players_changed.emit()
        self.request_analysis()
        self.paint()

    def move_player(self, name: str, by: int) -> None:
        """Move a player by so many places among the enabled players, and save that setting."""
        order, enabled_players = list(self.players), list(self.enabled_players)
        at = enabled_players.index(name) + by
        if 0 <= at < len(enabled_players):
            one, other = order.index(name), order.index(enabled_players[at])
            order[one], order[other] = order[other], order[one]
            self._save_settings(player_order=tuple(order))
            self.players_changed.emit()
            self.paint()

    def order_players(self, names: Sequence[str]) -> None:
        """Show the players in the order of ``names`` and save it; without names, as in the bundle."""
        self._save_settings(player_order=tuple(names))
        self.players_changed.emit()
        self.paint()

    def use_sheet(self, sheet: StyleSheet) -> None:
        """Have the players buzz by the rule of ``sheet``, the style sheet of the tossup's set."""
        before, self._sheet = self._sheet, sheet
        if sheet.buzz_percent != before.buzz_percent:
            self.request_analysis()

    def use_buzz_percent(self, percent: int) -> None:
        """Have all players buzz at this chance, and save that; 0: each by its own rule.

        A set that has a rule of its own goes by that.
        """
        if percent != self._profile.settings.buzz_percent:
            self._save_settings(buzz_percent=percent)
            self.request_analysis()

    # -- what the writer looks at

    def choose_page(self, page: Page) -> None:
        """Show the evidence for ``page``; if it is shown already, show that of the first guess again."""
        wanted = None if page == self.session.focus else page
        self._look(changed=self.session.set_focus(wanted, self.session.heard))

    def _choose_page_of(self, player: str, page: Page) -> None:
        if player == self.evidence_player:
            self.choose_page(page)
        else:
            self.session.set_focus(page, self.session.heard)
            self.show_evidence_of(player)

    def show_evidence_of(self, player: str) -> None:
        self._evidence_choice = player
        self._look()

    def choose_rank(self, rank: int) -> None:
        page = self._guesses.page(rank)
        if page is not None and page != self.session.focus:
            self.choose_page(page)

    def choose_answer(self) -> None:
        answer = self.session.tossup.answer
        if answer is None or answer.page is None:
            self._messages.show_message(
                "answer evidence",
                "Enter the answer first (Ctrl+L) to see the evidence for it."
                if answer is None
                else "The answer is not in this bundle, so there is no evidence for it.",
                brief=True,
            )
        elif answer.page != self.session.focus:
            self.choose_page(answer.page)

    def show_word(self, heard: int | None) -> None:
        """Show the guesses after ``heard`` words; None: after the last word, also when the draft grows."""
        self._hovered = None
        self._look(changed=self.session.set_focus(self.session.focus, heard), follow=True)

    def stop_asking(self) -> None:
        """Show what the players do in the whole draft, as if nothing had been asked."""
        self._hovered, self._evidence_choice = None, ""
        if self.session.set_focus(None, None):
            self.request_analysis()
        self.paint()

    def _show_word_of(self, player: str, heard: int | None) -> None:
        """Show the guesses after ``heard`` words, with the evidence of ``player``."""
        if player == self.evidence_player:
            self.show_word(heard)
            return
        self._hovered, self._evidence_choice = None, player
        self.session.set_focus(None, heard)
        self._look(follow=True)

    def show_buzz(self, player: str) -> None:
        """Show why ``player`` buzzes: its evidence at its buzz, and the guesses then."""
        known = self._plays.get(player)
        if known is not None and known[1].buzz is not None and known[0] == self.session.tossup:
            self._show_word_of(player, known[1].buzz.heard)

    def show_next_buzz(self) -> None:
        """Show why the player buzzes that buzzes first; from a buzz on, the next one, and so on around."""
        buzzes = self._buzzes()
        if not buzzes:
            self._messages.show_message("buzz", "No player buzzes in this draft.", brief=True)
            return
        heard, current = self.session.heard, self.evidence_player
        shown = next((at for at, one in enumerate(buzzes) if one == (heard, current)), -1)
        self.show_buzz(buzzes[(shown + 1) % len(buzzes)][1])

    def _buzzes(self) -> list[tuple[int, str]]:
        """After how many words who buzzes in the present draft, the first one first."""
        places = {name: place for place, name in enumerate(self.enabled_players)}
        buzzes = [(play.buzz.heard, play.guesser) for play in self.current_plays if play.buzz is not None]
        return sorted(buzzes, key=lambda buzz: (buzz[0], places[buzz[1]]))

    def _prepare_buzzes(self) -> None:
        """Have the evidence at the buzzes worked out while nobody types, the quickest player's first."""
        request, quickest = self.session.request(), next(iter(self.bundle_players), None)
        wanted = [
            self._asked_of(player, replace(request, focus=None, heard=heard))
            for heard, player in self._buzzes()
        ]
        self._runner.prepare(sorted(wanted, key=lambda one: one.whose != quickest))

    @property
    def prepared(self) -> bool:
        """Whether the evidence at the buzzes of the present draft has been worked out."""
        return self.settled and not self._prepare_soon.isActive() and not self._runner.prepares

    def _moves_end(self) -> None:
        self._moves.end()

    def _hover(self, heard: int | None) -> None:
        if heard != self._hovered:
            self._hovered = heard
            self.paint()

    def _point_from_draft(self, point: int | None) -> None:
        """Mark in the time line the word under the mouse in the draft."""
        words = self.session.tossup.words
        at = None if point is None else word_at(words, point)
        self._time_line.mark(self.session.heard if at is None else at + 1)

    def open_wikipedia(self) -> None:
        analysis = self.session.analysis
        if analysis is not None and analysis.evidence:
            QDesktopServices.openUrl(wikipedia(analysis.evidence[0].page))

    def _look(self, *, changed: bool = True, follow: bool = False) -> None:
        """Show what answers what the writer asks; request it first if it has ``changed``.

        While it is worked out, room is made for it, and then all is painted once. ``follow`` scrolls the
        draft to the word.
        """
        if not changed:
            self.asked.emit()
            return
        answer_first()
        self._follows = follow
        self._asked = self._makes_room = True
        self.request_analysis()
        self.asked.emit()
        self._makes_room = False
        if self._request_state is None or self._request_state.complete:
            self.paint()
        else:
            self._paint_soon.start()

    # -- asking the players

    def request_analysis(self, *, once_painted: bool = False) -> None:
        """Send the draft to the players; ``once_painted``: after the draft pane has painted it."""
        if self.engine is None:
            return
        self._prepare_soon.stop()
        self._exact_soon.stop()
        self._settled_generation = -1
        self._evidence.show_working(working=False)
        if self.session.tossup.text.strip() and not self.hidden:
            self._request_state = RequestState(self._request(), waits=True)
            if once_painted:
                self._runner.forget()
                self._submit_soon.start()
            else:
                self._submit()
        else:
            self._runner.forget()
            self._request_state = None
            self.paint()

    def _submit_painted(self) -> None:
        if self._request_state is not None and self._request_state.waits:
            self._submit_soon.start_in(0)  # after the other panes have been painted, too

    def _submit(self) -> None:
        """Submit the waiting request. It waits because players would slow down the painting of the draft."""
        if self._request_state is not None and self._request_state.waits:
            self._request_state = replace(self._request_state, waits=False)
            self._runner.submit(self._request_state.request)

    def _request(self) -> Request:
        """The request for the current draft and the player whose evidence is shown."""
        return self._asked_of(self.evidence_player, self.session.request())

    def _asked_of(self, player: str | None, request: Request) -> Request:
        """``request`` for the evidence of ``player``, or of who lends it some."""
        request = replace(
            request,
            whose=player,
            silent=frozenset(self._profile.settings.players_off),
            buzz_chance=self._sheet.chosen_buzz_percent(self._profile.settings.buzz_percent) / 100,
        )
        page, found, heard = self._borrowed_evidence(player, request)
        who = supporter(found)
        return request if who is None else replace(request, whose=who, focus=page, heard=heard)

    def _borrowed_evidence(
        self, player: str | None, request: Request
    ) -> tuple[Page | None, dict[str, int | None], int | None]:
        """Of a player without evidence: the page, its ranks with the others, and the words heard."""
        if player is None or player_kind(player).explains or player not in self._plays:
            return None, {}, None
        heard, page = wanted_evidence(self._plays[player][1], request)
        others = [
            self._plays[name][1] for name in self.enabled_players if name != player and name in self._plays
        ]
        having = [one for one in others if player_kind(one.guesser).explains]
        return page, page_ranks(page, having, heard) if page else {}, heard

    def page_of(self, player: str) -> Page | None:
        """The page whose evidence of ``player`` is wanted after the last word; None if it named none."""
        known = self._plays.get(player)
        return (
            None
            if known is None
            else wanted_evidence(known[1], replace(self.session.request(), heard=LONGEST_DRAFT))[1]
        )

    def show_given_evidence(self, tossup: Tossup, evidence: Evidence) -> None:
        """Show ``evidence`` that was asked for separately, unless the draft is no longer ``tossup``."""
        analysis = self.session.analysis
        if analysis is not None and tossup == self.session.tossup == analysis.request.tossup:
            self._evidence_choice = evidence.guesser
            self.session.analysis = replace(analysis, evidence=(evidence,))
            self.paint()

    def request_exact_weights(self) -> None:
        """Have the weights on the screen computed exactly, if they are estimates for the last request."""
        analysis = self.session.analysis
        if analysis is None or self._request_state is None or not _estimated(analysis):
            return
        if analysis.request == self._request_state.request:
            self._exact_soon.stop()
            self._evidence.show_working(working=True)
            self._runner.sharpen(analysis)

    def _take_analysis(self, analysis: Analysis) -> None:
        engines = {player.name: player.engine for player in self.engine.players} if self.engine else {}
        digests = [engines.get(play.guesser, "") for play in analysis.plays]
        if self.hidden or not self.session.accept(analysis, digests):
            return
        for play in analysis.plays:
            self._plays[play.guesser] = (analysis.request.tossup, play)
        self._moves.take(analysis.plays)
        if self.players_up_to_date >= set(self.enabled_players):
            self._dim_soon.stop()
            self._shows_stale = False
        if self._request_state is not None:
            self._request_state = replace(self._request_state, complete=analysis.done)
        if analysis.request.exact:
            self._evidence.show_working(working=False)
        awaited = self._makes_room or self._paint_soon.isActive()
        borrows = self._request_state is not None and self._request() != self._request_state.request
        if analysis.done and not analysis.request.exact and borrows:
            self.request_analysis()  # it is known now which player lends its evidence
            if not awaited:
                self.paint(evidence=False)
        else:
            if analysis.done:
                self._prepare_soon.start()
            if not awaited or (analysis.done and not self._makes_room):
                self.paint()
        self.accepted.emit()

    # -- painting

    def paint(self, *, evidence: bool = True) -> None:
        """Show the session's analysis after the chosen word, or a text in its place.

        Without ``evidence``, the evidence pane stays as it is.
        """
        self._paint_soon.stop()
        if self._request_state is None or self._request_state.complete:
            self._answered_soon.start()
        session, analysis, enabled_players = self.session, self.session.analysis, self.enabled_players
        follows, self._follows = self._follows, False
        self._show_message()
        if analysis is None or self.hidden or not session.tossup.text.strip() or not enabled_players:
            self._paint_nothing()
            return
        tossup = analysis.request.tossup
        words = tossup.words[:LONGEST_DRAFT]
        word = self._hovered or session.heard
        heard = len(words) if word is None else min(word, len(words))
        found = next(iter(analysis.evidence), None)
        if found is not None and evidence:
            self._page = found.page
        self._show_playthroughs(tossup, heard, session.focus or self._page)
        self._guesses.show_word(heard, len(words))
        self._time_line.mark(word)
        if tossup.text != session.tossup.text:
            return  # the positions belong to an older text; the draft pane moves its marks with the edits
        if evidence and (found is not None or analysis.done):
            page, others, _ = self._borrowed_evidence(self.evidence_player, session.request())
            note = self._trouble(self.evidence_player)
            if page is not None:
                note = borrowed_evidence_line(str(self.evidence_player), page, others)
            if page is None or supporter(others) is not None or found is None:
                where = self._where(analysis, found)
                self._evidence.show_evidence(tossup, found, note, where, asked=self._asked)
            # else nobody has the page that is in focus now, and the evidence is still that of the last one
            self._draft.show_marks(self._marks(analysis))
            if self._request_state is not None and self._request_state.complete:
                self._settled_generation = session.generation
                self._evidence.dim(stale=False)
                if _estimated(analysis) and not self._exact_soon.isActive():
                    self._exact_soon.start()
        self._draft.point_at(None if word is None or not words else words[heard - 1], follow=follows)

    def _paint_nothing(self) -> None:
        session, enabled_players = self.session, self.enabled_players
        self._guesses.show_cards(())
        self._guesses.show_word(0, 0)
        self._time_line.mark(None)
        off = self.engine is not None and not enabled_players
        said = self._placeholder.replace(LOADING, "")  # the guesses and the line at the bottom say it
        placeholder = said or (ALL_PLAYERS_OFF if off else EMPTY_TIME_LINE)
        if self.hidden:
            placeholder = HIDDEN_IN_SHORT
        self._time_line.show_lanes(session.tossup, (), placeholder)
        self._evidence.chooser.show_players((), "")
        self._evidence.show_evidence(session.tossup, None)
        self._draft.show_marks(DraftMarks())
        self._status.tell("" if self.hidden else self._placeholder)
        if self.hidden or off or not session.tossup.text.strip():
            self._settled_generation = session.generation

    def _show_playthroughs(self, tossup: Tossup, heard: int, focus: Page | None) -> None:
        """Show the last playthrough of every enabled player, also if it is of an older draft."""
        enabled_players, current = self.enabled_players, self.evidence_player
        players_up_to_date = self.players_up_to_date
        plays = {name: self._plays[name][1] for name in enabled_players if name in self._plays}
        old = frozenset(enabled_players) - players_up_to_date if self._shows_stale else frozenset()
        cards = []
        for name in enabled_players:
            shown = GuessCard(name)
            if name in plays:
                shown = guess_card(plays[name], min(heard, len(plays[name].tossup.words)), focus)
            cards.append(replace(shown, current=name == current, stale=name in old))
        complete = players_up_to_date >= set(enabled_players)
        self._guesses.show_cards(tuple(cards))
        self.update_evidence_chooser()
        up_to_date_plays = [play for name, play in plays.items() if name not in old]
        names = [player_name(name) for name in enabled_players if name in old]
        verb = "is" if len(names) == 1 else "are"
        reading = [f"{sentence(listed(names))} {verb} still reading."] if names else []
        summary = summary_sentence(up_to_date_plays, all_played=complete and not reading)
        told = progress_sentence if all(tossup.clues) else stumped_sentence
        stumped = told(up_to_date_plays) if not reading and complete else ""
        several = len(enabled_players) > 1
        # The lanes say where each buzzes; the line says what follows, and all of it to a screen reader.
        self._status.tell(
            " ".join(filter(None, (summary, *reading))),
            shown=" ".join(filter(None, (stumped, *reading))) if several and (complete or reading) else "",
        )
        self._time_line.show_lanes(
            tossup,
            tuple(self._lane(plays[name]) if name in plays else Lane(name) for name in enabled_players),
            summary=" ".join(filter(None, (self._status.sentence, stumped))) if several else "",
            stale=old,
        )
        self._time_line.tell_when_painted(
            self.session.generation if players_up_to_date & set(enabled_players) else -1, complete=complete
        )

    def _lane(self, play: Playthrough) -> Lane:
        """The lane of ``play``, with what the last edit did."""
        shown = self._lane_alone(play)
        if play.trouble is not None or play.grows or not play.tossup.words:
            return shown
        now, before = BuzzPlace.of(play), self._moves.before(play.guesser)
        ghost = None if before is None else before.word_in(play.tossup)
        return replace(
            shown, label=move_label(now, before, play.tossup), ghost=None if ghost == now.heard else ghost
        )

    def _lane_alone(self, play: Playthrough) -> Lane:
        """The lane of ``play``, made once: every paint asks for it."""
        known, shown = self._lanes.get(play.guesser, (None, None))
        if shown is None or known is not play:
            shown = lane(play)
            self._lanes[play.guesser] = play, shown
        return shown

    def _where(self, analysis: Analysis, found: Evidence | None) -> EvidencePlace:
        """Of which word the evidence is, and whether the player buzzes there."""
        words = min(len(analysis.request.tossup.words), LONGEST_DRAFT)
        play = next((one for one in analysis.plays if found and one.guesser == found.guesser), None)
        if play is None:
            return EvidencePlace(words, words)
        heard, _ = wanted_evidence(play, analysis.request)
        return EvidencePlace(heard, words, buzz=play.buzz is not None and play.buzz.heard == heard)

    def update_evidence_chooser(self) -> None:
        self._evidence.chooser.show_players(self.enabled_players, self.evidence_player or "")

    def _emit_painted(self, generation: int, complete: bool) -> None:
        self.painted.emit(generation)
        if complete:
            self.completed.emit(generation)

    def _marks(self, analysis: Analysis) -> DraftMarks:
        words = analysis.request.tossup.words[:LONGEST_DRAFT]
        lanes = [
            self._lane_alone(self._plays[name][1]) for name in self.enabled_players if name in self._plays
        ]
        buzzes = tuple(
            BuzzMark(one.name, words[one.buzz - 1].end, one.buzzes_right)
            for one in lanes
            if one.buzz is not None and 0 < one.buzz <= len(words)
        )
        return DraftMarks(cues=marked_cues(analysis.evidence[0]) if analysis.evidence else (), buzzes=buzzes)

    def _dim(self) -> None:
        """Dim everything that still belongs to an older draft."""
        self._shows_stale = self.engine is not None
        self._evidence.dim(stale=self._shows_stale and not self.settled)
        self.paint()

    def _show_message(self) -> None:
        if self._notice:
            self._guesses.show_notice(self._notice)
        elif self.engine is not None and not self.enabled_players:
            self._guesses.show_notice(ALL_PLAYERS_OFF)
        elif not self.session.tossup.text.strip():
            self._guesses.show_notice("The five best guesses appear here as you write.")
        else:
            self._guesses.show_notice("")


def _estimated(analysis: Analysis) -> bool:
    """Whether ``analysis`` has evidence whose weights are estimates."""
    found = next(iter(analysis.evidence), None)
    estimated = found is not None and found.method is Method.GRADIENT
    return estimated and analysis.done and not analysis.request.exact
