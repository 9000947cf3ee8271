"""What follows a draft from a key to painted guesses: one request at a time, its timers, and the painting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDesktopServices

from quizwriter.domain.evidence import Method
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.widgets.timers import single_shot
from quizwriter.gui.writing.draft_marks import BuzzMark, DraftMarks
from quizwriter.gui.writing.draft_text import word_at
from quizwriter.gui.writing.guess_card import GuessCard, guess_card, wikipedia
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.workflow.analysis import LONGEST_DRAFT, Analysis, Request, wanted_evidence
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.wording import (
    Lane,
    borrowed_evidence_line,
    lane,
    page_ranks,
    player_title,
    stumped_sentence,
    summary_sentence,
    supporter,
)

if TYPE_CHECKING:
    from quizwriter.services import Engine, Profile

UNPAINTED_MS = 20
"""How long a draft waits to be painted before it is read to the players all the same."""

DIM_MS = 200
"""How long guesses may be of an older draft before they are dimmed; less would flicker with every key."""

IDLE_MS = 1_000
"""How long the writer pauses before weights that were estimated are worked out exactly."""

LANES = "The time line shows what each player guesses after every word, and where it buzzes."
"""What the time line says before it has anything to show."""

LOADING = "The players are being loaded; you can write meanwhile."
ALL_OFF = "Every player is switched off. The View menu, or Ctrl+Shift+1 and so on, switches them on."


@dataclass(frozen=True, slots=True)
class RequestState:
    """What the players were asked last, and how far that is.

    ``waits`` while the draft is still to be painted, so that the players do not have the request yet;
    ``complete`` once they have said all they have to say.
    """

    request: Request
    waits: bool = False
    complete: bool = False


class AnalysisController(QObject):
    """Reads the draft of one session to the players and paints what they say.

    ``painted`` carries the generation whose first guesses have just been painted, ``completed`` the one of
    which all players' guesses have been. ``accepted`` says that the session took an analysis, which is to be
    saved. ``players_changed`` says that another engine, order or choice of players holds.
    """

    painted = Signal(int)
    completed = Signal(int)
    accepted = Signal()
    players_changed = Signal()

    def __init__(
        self,
        profile: Profile,
        runner: AnalysisRunner,
        panes: WritingPanes,
        *,
        remember: Callable[..., None],
        parent: QObject,
    ) -> None:
        """``remember`` keeps settings named by keywords."""
        super().__init__(parent)
        self._profile, self._runner, self._remember = profile, runner, remember
        self._draft, self._time_line, self._guesses = panes.draft, panes.time_line, panes.guesses
        self._evidence, self._status, self._messages = panes.evidence, panes.status, panes.messages
        self.session = WritingSession("")
        self.engine: Engine | None = None
        self._says = LOADING  # what stands in place of guesses while there is no engine
        self._asked: RequestState | None = None
        self._plays: dict[str, tuple[Tossup, Playthrough]] = {}  # each player's last game, and what of
        self._mute: frozenset[str] = frozenset()  # players without evidence of their own
        self._whose = ""  # the player whose evidence is wanted; empty: the first
        self._hovered: int | None = None  # the word under the mouse
        self._late = False  # whether games of an older draft are shown as such
        self._page: Page | None = None  # what the evidence on screen is for
        self._settled_generation = -1  # the generation of which everything is shown
        self._submit_soon = single_shot(self, UNPAINTED_MS, self._submit)
        self._dim_soon = single_shot(self, DIM_MS, self._dim)
        self._exact_soon = single_shot(self, IDLE_MS, self.ask_exact_weights)
        self._draft.painted.connect(self._submit_painted)
        self._draft.pointed.connect(self._point_from_draft)
        self._time_line.pointed.connect(self._hover)
        self._time_line.chosen.connect(self.look_at_word)
        self._guesses.chosen.connect(self._choose_of)
        self._guesses.player_chosen.connect(self.look_through)
        self._guesses.player_moved.connect(self.move_player)
        self._guesses.player_switched_off.connect(self.switch_player)
        self._guesses.stepped.connect(self._time_line.step)
        self._guesses.painted.connect(self._tell_painted)
        self._evidence.player_chosen.connect(self.look_through)
        self._evidence.exact_wanted.connect(self.ask_exact_weights)
        runner.analysed.connect(self._take_analysis)

    # -- what the draft and the engine are

    def open(self, session: WritingSession) -> None:
        """Follow ``session`` from now on; the draft shows it already."""
        self.session = session
        self._hovered = None
        self._settled_generation = -1
        self._plays.clear()
        self._page = None
        self._runner.forget()
        self._time_line.mirror(mirrored=self._draft.reads_right_to_left())
        self.paint()
        self.ask()

    def follow_edit(self) -> None:
        """The draft or the answer has changed, and is about to change on the screen."""
        self._hovered = None
        self.ask(once_painted=True)
        if not self._dim_soon.isActive():
            self._dim_soon.start()
        self._time_line.mirror(mirrored=self._draft.reads_right_to_left())

    def use_engine(self, engine: Engine) -> None:
        """Let the players of ``engine`` read from now on."""
        self.engine = engine
        self._plays = {name: (Tossup(""), play) for name, (_, play) in self._plays.items()}
        self._mute = frozenset()
        self._says = ""
        self.players_changed.emit()
        self.ask()
        self.paint()

    def say_instead(self, text: str) -> None:
        """Show ``text`` where guesses would be, because there is no engine."""
        self._says = text
        self.paint()

    @property
    def says(self) -> str:
        """What is said in place of guesses; empty while an engine plays."""
        return self._says

    @property
    def settled(self) -> bool:
        """Whether everything on screen is of the draft as it stands."""
        return self._settled_generation == self.session.generation

    # -- which players

    @property
    def bundled(self) -> tuple[str, ...]:
        """The engine's players, in the order in which the bundle has them."""
        return tuple(player.name for player in self.engine.players) if self.engine is not None else ()

    @property
    def players(self) -> tuple[str, ...]:
        """The engine's players, in the writer's order."""
        order = {name: place for place, name in enumerate(self._profile.settings.player_order)}
        return tuple(sorted(self.bundled, key=lambda name: order.get(name, len(order))))

    @property
    def awake(self) -> tuple[str, ...]:
        """The players that are on, in the writer's order."""
        return tuple(name for name in self.players if name not in self._profile.settings.players_off)

    @property
    def fresh(self) -> set[str]:
        """The players whose games are of the draft as it stands."""
        return {name for name, (of, _) in self._plays.items() if of == self.session.tossup}

    @property
    def current(self) -> str | None:
        """The player whose evidence is shown: the one chosen, else the first that is not in trouble."""
        if self._whose in self.awake:
            return self._whose
        well = (name for name in self.awake if not self._trouble(name))
        return next(well, next(iter(self.awake), None))

    def _trouble(self, name: str | None) -> str:
        """Why the player does not play, if it does not."""
        play = self._plays[name][1] if name in self._plays else None
        return (play.trouble or "") if play is not None else ""

    def switch_player(self, name: str) -> None:
        """Switch a player off, or on again; it holds from now on."""
        off = self._profile.settings.players_off
        self._remember(players_off=tuple(one for one in off if one != name) if name in off else (*off, name))
        self.players_changed.emit()
        self.ask()
        self.paint()

    def move_player(self, name: str, by: int) -> None:
        """Let a player stand earlier or later among those who are on; it holds from now on."""
        order, awake = list(self.players), list(self.awake)
        at = awake.index(name) + by
        if 0 <= at < len(awake):
            one, other = order.index(name), order.index(awake[at])
            order[one], order[other] = order[other], order[one]
            self._remember(player_order=tuple(order))
            self.players_changed.emit()
            self.paint()

    # -- what the writer looks at

    def choose(self, page: Page) -> None:
        """Look at the evidence for ``page``; chosen again, follow the first guess as before."""
        wanted = None if page == self.session.focus else page
        if self.session.set_focus(wanted, self.session.heard):
            self.ask()
            self.paint()

    def _choose_of(self, player: str, page: Page) -> None:
        """Look at why ``player`` believes in ``page``."""
        if player == self.current:
            self.choose(page)
        else:
            self.session.set_focus(page, self.session.heard)
            self.look_through(player)

    def look_through(self, player: str) -> None:
        """Show the evidence of ``player``."""
        self._whose = player
        self.ask()
        self.paint()

    def choose_rank(self, rank: int) -> None:
        """Look at the evidence for the guess with this rank, from 1."""
        page = self._guesses.page(rank)
        if page is not None and page != self.session.focus:
            self.choose(page)

    def choose_answer(self) -> None:
        """Look at the evidence for the true answer."""
        answer = self.session.tossup.answer
        if answer is None or answer.page is None:
            self._messages.show_message(
                "answer",
                "Set the answer first (Ctrl+L); then its evidence can be shown."
                if answer is None
                else "The answer is not in this bundle, so there is no evidence for it.",
                brief=True,
            )
        elif answer.page != self.session.focus:
            self.choose(answer.page)

    def look_at_word(self, heard: int | None) -> None:
        """Show the guesses after ``heard`` words; None: after the last word, whichever that is."""
        self._hovered = None
        if self.session.set_focus(self.session.focus, heard):
            self.ask()
            self.paint(follow=True)

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
        """Open the article on the page whose evidence is shown, in the writer's browser."""
        analysis = self.session.analysis
        if analysis is not None and analysis.evidence:
            QDesktopServices.openUrl(wikipedia(analysis.evidence[0].page))

    # -- asking the players

    def ask(self, *, once_painted: bool = False) -> None:
        """Have the draft read; ``once_painted`` if it is about to change on the screen."""
        if self.engine is None:
            return
        self._exact_soon.stop()
        self._settled_generation = -1
        self._evidence.show_working(working=False)
        self._runner.forget()
        if self.session.tossup.text.strip():
            self._asked = RequestState(self._request(), waits=True)
            if once_painted:
                self._submit_soon.start(UNPAINTED_MS)
            else:
                self._submit()
        else:
            self._asked = None
            self.paint()

    def _submit_painted(self) -> None:
        if self._asked is not None and self._asked.waits:
            self._submit_soon.start(0)  # when what else changed is painted, too

    def _submit(self) -> None:
        """Hand over what is to be read: best once it is on the screen, as others computing slow that down."""
        if self._asked is not None and self._asked.waits:
            self._asked = replace(self._asked, waits=False)
            self._runner.submit(self._asked.request)

    def _request(self) -> Request:
        """What the players should read now, and whose evidence is wanted."""
        request = replace(
            self.session.request(),
            whose=self.current,
            silent=frozenset(self._profile.settings.players_off),
        )
        page, found = self._borrowed()
        who = supporter(found)
        return request if who is None else replace(request, whose=who, focus=page)

    def _borrowed(self) -> tuple[Page | None, dict[str, int | None]]:
        """The page looked at, and where the others have it, if the current player has no evidence."""
        current = self.current
        if current not in self._mute or current not in self._plays:
            return None, {}
        heard, page = wanted_evidence(self._plays[current][1], self.session.request())
        others = [self._plays[name][1] for name in self.awake if name != current and name in self._plays]
        return page, page_ranks(
            page, [one for one in others if one.guesser not in self._mute], heard
        ) if page else {}

    def ask_exact_weights(self) -> None:
        """Have the weights on screen worked out exactly, if they are estimated and of the last request."""
        analysis = self.session.analysis
        if analysis is None or self._asked is None or not _estimated(analysis):
            return
        if analysis.request == self._asked.request:
            self._exact_soon.stop()
            self._evidence.show_working(working=True)
            self._runner.sharpen(analysis)

    def _take_analysis(self, analysis: Analysis) -> None:
        engines = {player.name: player.engine for player in self.engine.players} if self.engine else {}
        digests = [engines.get(play.guesser, "") for play in analysis.plays]
        if not self.session.accept(analysis, digests):
            return
        for play in analysis.plays:
            self._plays[play.guesser] = (analysis.request.tossup, play)
        self._mute |= analysis.mute
        if self.fresh >= set(self.awake):
            self._dim_soon.stop()
            self._late = False
        if self._asked is not None:
            self._asked = replace(self._asked, complete=analysis.done)
        if analysis.request.exact:
            self._evidence.show_working(working=False)
        borrows = self._asked is not None and self._request() != self._asked.request
        if analysis.done and not analysis.request.exact and borrows:
            self.ask()  # now it is known on whom a player without evidence of its own rests
            self.paint(evidence=False)
        else:
            self.paint()
        self.accepted.emit()

    # -- painting

    def paint(self, *, follow: bool = False, evidence: bool = True) -> None:
        """Show the session's analysis as of the word looked at, or what there is instead of one.

        The evidence stays as it is unless ``evidence``; ``follow`` scrolls the draft to the word.
        """
        session, analysis, awake = self.session, self.session.analysis, self.awake
        self._show_message()
        if analysis is None or not session.tossup.text.strip() or not awake:
            self._paint_nothing()
            return
        tossup = analysis.request.tossup
        words = tossup.words[:LONGEST_DRAFT]
        looked = self._hovered or session.heard
        heard = len(words) if looked is None else min(looked, len(words))
        found = next(iter(analysis.evidence), None)
        if found is not None and evidence:
            self._page = found.page
        self._show_games(tossup, heard, session.focus or self._page)
        self._guesses.show_word(heard, len(words))
        self._time_line.mark(looked)
        if tossup.text != session.tossup.text:
            return  # positions are of another text; what is painted moves along with the new one
        if evidence and (found is not None or analysis.done):
            page, others = self._borrowed()
            aside = self._trouble(self.current)
            if page is not None:
                aside = borrowed_evidence_line(str(self.current), page, others)
            self._evidence.show_evidence(tossup, found, aside)
            self._draft.show_marks(self._marks(analysis))
            if self._asked is not None and self._asked.complete:
                self._settled_generation = session.generation
                self._evidence.dim(stale=False)
                if _estimated(analysis) and not self._exact_soon.isActive():
                    self._exact_soon.start()
        self._draft.point_at(None if looked is None or not words else words[heard - 1], follow=follow)

    def _paint_nothing(self) -> None:
        session, awake = self.session, self.awake
        self._guesses.show_cards((), -1)
        self._guesses.show_word(0, 0)
        says = self._says or (ALL_OFF if self.engine is not None and not awake else LANES)
        self._time_line.show_lanes(session.tossup, (), says)
        self._evidence.chooser.show_players((), "")
        self._evidence.show_evidence(session.tossup, None)
        self._draft.show_marks(DraftMarks())
        self._status.tell(self._says)
        if not session.tossup.text.strip() or (self.engine is not None and not awake):
            self._settled_generation = session.generation

    def _show_games(self, tossup: Tossup, heard: int, focus: Page | None) -> None:
        """Show every player's game, that of an older draft where there is no other yet."""
        awake, fresh, current = self.awake, self.fresh, self.current
        plays = {name: self._plays[name][1] for name in awake if name in self._plays}
        old = frozenset(awake) - fresh if self._late else frozenset()
        cards = []
        for name in awake:
            shown = GuessCard(name)
            if name in plays:
                shown = guess_card(plays[name], min(heard, len(plays[name].tossup.words)), focus)
            cards.append(replace(shown, current=name == current, stale=name in old))
        complete = fresh >= set(awake)
        self._guesses.show_cards(
            tuple(cards), self.session.generation if fresh & set(awake) else -1, complete=complete
        )
        self.offer_evidence()
        told = [play for name, play in plays.items() if name not in old]
        said = [
            summary_sentence(told),
            *(f"{player_title(name)} is still reading." for name in awake if name in old),
        ]
        self._status.tell(" ".join(part for part in said if part))
        self._time_line.show_lanes(
            tossup,
            tuple(lane(plays[name]) if name in plays else Lane(name) for name in awake),
            headline=stumped_sentence(told) if len(told) == len(awake) else "",
            summary=self._status.sentence if len(awake) > 1 else "",
            stale=old,
        )

    def offer_evidence(self) -> None:
        """Give the evidence a choice of player."""
        self._evidence.chooser.show_players(self.awake, self.current or "")

    def _tell_painted(self, generation: int, complete: bool) -> None:
        self.painted.emit(generation)
        if complete:
            self.completed.emit(generation)

    def _marks(self, analysis: Analysis) -> DraftMarks:
        words = analysis.request.tossup.words[:LONGEST_DRAFT]
        cues = analysis.evidence[0].cues if analysis.evidence else ()
        strongest = max((abs(cue.weight) for cue in cues), default=0.0) or 1.0
        lanes = [lane(self._plays[name][1]) for name in self.awake if name in self._plays]
        buzzes = tuple(
            BuzzMark(one.name, words[one.buzz - 1].end, one.buzzes_right)
            for one in lanes
            if one.buzz is not None and 0 < one.buzz <= len(words)
        )
        # After a wrong buzz the others play on, so the rest of the text still matters.
        everyone = bool(buzzes) and all(
            one.trouble is not None or (one.buzz is not None and one.buzzes_right is not False)
            for one in lanes
        )
        return DraftMarks(
            cues=tuple((cue.span, cue.weight / strongest) for cue in cues),
            buzzes=buzzes,
            dim_from=max(mark.at for mark in buzzes) if everyone else None,
        )

    def _dim(self) -> None:
        """Show what is still of an older draft as such."""
        self._late = self.engine is not None
        self._evidence.dim(stale=self._late and not self.settled)
        self.paint()

    def _show_message(self) -> None:
        if self._says:
            self._guesses.say(self._says)
        elif self.engine is not None and not self.awake:
            self._guesses.say(ALL_OFF)
        elif not self.session.tossup.text.strip():
            self._guesses.say("The five best guesses appear here as you write.")
        else:
            self._guesses.say("")


def _estimated(analysis: Analysis) -> bool:
    """Whether the evidence in ``analysis`` is there and could be more exact."""
    found = next(iter(analysis.evidence), None)
    estimated = found is not None and found.method is Method.GRADIENT
    return estimated and analysis.done and not analysis.request.exact
