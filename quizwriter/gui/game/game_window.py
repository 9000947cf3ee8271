"""The window in which a tossup is read word by word, people and machines buzz, and answers are judged."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QFont, QKeyEvent, QMouseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from quizwriter.cancellation import Progress
from quizwriter.domain.answer_line import read_markup
from quizwriter.domain.guessing import Guess, Player, Playthrough
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import (
    Buzzed,
    Felt,
    GameState,
    Impression,
    Phase,
    Ruling,
    Said,
    shown_words,
)
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.game.game_lanes import GameLanes, HeardBuzz
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.fields import named, qt_length, text_line
from quizwriter.gui.widgets.file_dialog import ask_new_file
from quizwriter.gui.widgets.keys import is_undo
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import column_of, row_of
from quizwriter.gui.widgets.saved_layout import resize_within_screen
from quizwriter.services.match import QUICKEST, SLOWEST, GameChoices, Match, advice_in_words
from quizwriter.services.room_lines import RoomBuzzed
from quizwriter.services.wiring import App
from quizwriter.workflow.people_curve import PeopleCurve
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.gui.game.room import RoomLink
    from quizwriter.gui.game.scoreboard import Scoreboard

SPEED_STEP = 20
SMALLEST_TYPE, LARGEST_TYPE, TYPE_STEP = 16, 96, 4
TICK_MS = 200
"""How often the seconds that are left are shown anew."""

FELT: dict[int, Felt] = {Qt.Key.Key_1: "too easy", Qt.Key.Key_2: "fair", Qt.Key.Key_3: "too hard"}
ANSWER, UNFAIR, COMMENT = "Your answer", "Unfair because …", "Your comment"
PROTEST, REPLACEMENT = "The protest", "The number of the tossup to read in its place, or nothing"
REMARKS = (UNFAIR, COMMENT, PROTEST)
MOST_BONUS, BONUS_STEP = 30, 10
TOO_LATE_MS = 2_000
"""How long after a machine's buzz a buzz is that of a player who was slower, and will type an answer."""
DOUBLE_MS = 400
"""How long after Enter another is the second half of a double press."""
LOG_MS = 500
"""How much typing, in ms, a kill of the window takes at most from a remark."""
MOST_SIDES = 8
"""Teams whose points are above the text; the scoreboard has more."""
ADVICE_KEY = "Ctrl+G"
log = logging.getLogger(__name__)

_MINUS = "\N{MINUS SIGN}"


AS_USUAL = GameChoices()


class GameWindow(QWidget):
    """Plays a match with the keyboard; what machines and people think shows when a tossup is over.

    ``closed`` says that the window is closed, ``done`` that everything is kept, too; ``kept`` carries the id
    of a tossup of which a game was kept.
    """

    closed = Signal()
    done = Signal()
    kept = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        match: Match,
        machines: Sequence[Player] = (),
        choices: GameChoices = AS_USUAL,
        *,
        onlookers: Sequence[Player] = (),
        adviser: Player | None = None,
        room: RoomLink | None = None,
    ) -> None:
        """``machines`` have seats in the ``match``; ``onlookers`` are shown at the end only.

        Who answers may see the guess of the ``adviser``.

        In a ``room``, which decides who is first, phones buzz, too.
        """
        super().__init__()
        self._app, self._theme, self.match = app, theme, match
        self._machines, self._onlookers, self.choices = tuple(machines), tuple(onlookers), choices
        self._room, self._adviser = room, adviser
        self._spoken = room is not None and room.host.spoken  # a moderator reads aloud, and tells the words
        self._chosen = 0  # the word that she is about to tell
        self._asks = ""  # what the field is for
        self._was_slower = False  # the player buzzed after a machine, and types an answer that counts no more
        self._advised: object = None  # another one for each question to the adviser; None: not asked yet
        self._answered_ms = -DOUBLE_MS  # when an answer was entered here last, in the time of the tossup
        self._asked_at: int | None = None  # after how many words the machines were asked who think now
        self._plays: tuple[Playthrough, ...] = ()
        self._how_early = ""  # people are, in a sentence
        self._revealed: object = None  # another one each time that a tossup was over; None: it is not
        self._finished = self._closed = self._is_done = False
        self._leaves = False  # Esc was pressed where others play, too
        self._keeping: list[Callable[[], object]] = []
        self.jobs, self._log_jobs = Jobs("game", self), Jobs("game log", self)
        self._pace = SingleShot(self, 0, self._read_next)
        self._tick = SingleShot(self, TICK_MS, self._count_down)
        self._react = SingleShot(self, choices.reaction_ms, self._machine_buzz)
        self._log_soon = SingleShot(self, LOG_MS, self._log_remark)
        self._scoreboard: Scoreboard | None = None
        match.reaction_ms = choices.reaction_ms if self._machines else 0
        self._guesses: dict[int, Guess] = {}  # what machines buzz with, by their seats
        self._starts: list[int] = []  # where each word begins that is shown
        self._decided: tuple[int, Guess] | None = None  # the seat of a machine that is about to buzz
        self.type_px = max(SMALLEST_TYPE, round(theme.draft_px * 1.7))
        self.setWindowTitle("Game")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self.place, self.score = plain_label(), plain_label()
        self.score.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.text = named(QTextEdit(), "The tossup as far as it was read")
        self.text.setReadOnly(True)
        self.text.setAcceptRichText(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.text.verticalScrollBar().rangeChanged.connect(self._keep_answer_in_sight)
        self.said = plain_label()
        self.field = text_line(ANSWER, longest=200)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._typed)
        self.lanes = GameLanes(theme)
        self.notes = plain_label(selectable=False)
        self.hints = plain_label()
        column_of(
            row_of((self.place, 1), (self.score, 1)),
            (self.text, 1),
            self.said,
            self.field,
            self.lanes,
            self.notes,
            self.hints,
            on=self,
            margins=(48, 32, 48, 24),
            spacing=16,
        )
        resize_within_screen(self, 1_000, 700)
        theme.follow(self._apply_theme)
        if room is not None:
            room.went_on.connect(self._follow_room)
            room.asked.connect(self._ask_adviser)
            room.host.adviser = player_title(adviser.name) if adviser is not None else ""
            room.broken.connect(self._say)
            self.text.viewport().installEventFilter(self)
        self._begin()

    def _is_machine(self, seat: int) -> bool:
        return bool(self.match.seats[seat].machine)

    @property
    def _at_keys(self) -> list[int]:
        """The seats of people who buzz with the keys of this computer."""
        return [seat for seat in range(self._without_phone) if not self._is_machine(seat)]

    @property
    def _without_phone(self) -> int:
        """How many seats, the first ones, have no phone; all, once a room was closed."""
        room = self._room
        return room.host.fixed if room is not None and room.is_open else len(self.match.seats)

    # -- a tossup begins, is read, and ends

    def _begin(self) -> None:
        self._decided, self._asked_at = None, None
        self._advised, self._answered_ms = None, -DOUBLE_MS
        self._cover()
        self.text.clear()
        self._shown = 0
        self._say("")
        self._ask("")
        if self._room is not None:
            self._room.host.begin()
        if self.match.game.log:
            self._resume()
            return
        if self.match.paused:
            self.pause(False)
        if self._spoken:
            self._show_for_moderator()
        self._show()
        self._pace.start_in(self._word_ms)

    def _resume(self) -> None:
        """Go on with a tossup whose window was killed; an answer without a verdict is given again."""
        before = self.match.state
        self.pause(False)
        while self._is_half_answered:
            self.match.undo()
        self._show_again(before, "The room goes on.")

    def _show_for_moderator(self) -> None:
        """Show all to her who reads aloud: no phone gets a word of it."""
        self._show_words(len(self.match.current.tossup.words))
        self.text.textCursor().insertText(f"\n\n{self._answer_line}", QTextCharFormat())
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    @property
    def _answer_line(self) -> str:
        answer = self.match.current.tossup.answer
        return f"ANSWER: {read_markup(answer.line).text if answer is not None else ''}"

    @property
    def _word_ms(self) -> int:
        return round(60_000 / self.choices.words_per_minute)

    @property
    def _is_half_answered(self) -> bool:
        """Whether a verdict is missing, or a machine's answer, which comes with its buzz."""
        phase = self.match.state.phase
        by_machine = phase is Phase.ANSWERING and self._is_machine(self.match.state.buzzes[-1].seat)
        return phase is Phase.JUDGING or by_machine

    def _read_next(self) -> None:
        state, tossup = self.match.state, self.match.current.tossup
        held = self.match.paused or self._spoken
        if held or state.phase is not Phase.READING or state.word >= len(tossup.words):
            return
        self.match.game.read(state.word + 1)
        if not self._spoken:
            self._show_words(self.match.state.word)
        self._ask_machines()
        if self.match.state.word < len(tossup.words):
            self._pace.start_in(self._word_ms)
        else:
            self._show()
            self._tick.start()

    def _show_words(self, word: int) -> None:
        """Show the words up to ``word``, in bold as far as they are in power where a moderator sees marks."""
        tossup = self.match.current.tossup
        marks, letters = self.choices.marks, QTextCharFormat()
        pieces = shown_words(tossup, marks=marks)
        cursor = self.text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for at in range(self._shown, word):
            in_power = marks and tossup.power is not None and at < tossup.power
            letters.setFontWeight(QFont.Weight.DemiBold if in_power else QFont.Weight.Normal)
            self._starts[at:] = [cursor.position()]
            cursor.insertText(f"{pieces[at]} ", letters)
        self._shown = word
        self.text.setTextCursor(cursor)
        self.text.ensureCursorVisible()

    def _count_down(self) -> None:
        due, now = self.match.state.due_ms, self.match.game.now_ms
        if due is None or self.match.paused or self._is_asking_word:
            return
        if now < due:
            self._show()
            self._tick.start_in(min(TICK_MS, due - now))
            return
        self.match.game.time_up()
        if self.match.state.phase is Phase.OVER:
            self._reveal()
        else:
            self._decide("Time.")

    def buzz(self, seat: int) -> None:
        """Stop the reading for ``seat``, if it may buzz; in a room, if nobody was before."""
        if self.match.paused or not self.match.state.may_buzz(self.match.game.rules, seat):
            return
        room = self._room
        if room is None:
            self.match.game.buzz(seat)
            self._take_buzz()
        elif room.is_open:
            room.host.ask(seat)
        elif room.host.take(RoomBuzzed(self.match.number, seat, self.match.state.word, False)):
            self._follow_room()

    def _take_buzz(self) -> None:
        """The last buzz was the first; now it is answered."""
        seat, self._advised = self.match.state.buzzes[-1].seat, None
        self._pace.stop()
        if self._is_machine(seat):
            self.match.answer_page(self._guesses[seat].page)
            self._decide("")
            return
        self._say(self._addressed(seat))
        self._ask(ANSWER)
        self._tick.start()
        self._show()

    @property
    def _just_answered(self) -> bool:
        """Whether Enter, pressed now, is the second half of a double press that answered."""
        return self.match.game.now_ms - self._answered_ms < DOUBLE_MS

    def _enter(self) -> None:
        text = self.field.text().strip()
        if self._asks == ANSWER:
            if self.match.state.phase is Phase.PROMPTED and self._just_answered and not text:
                return  # nobody has read the prompt yet
            self._answered_ms = self.match.game.now_ms
            self.match.answer(text)
            self._take_answer()
            return
        if self._asks == REPLACEMENT:
            self._throw_out(text)
            return
        self._rule(self._with_remark(text))

    def _with_remark(self, text: str) -> Ruling:
        """What is said of the tossup, with ``text`` as the remark that the field asks for."""
        if self._asks == PROTEST:
            return replace(self.match.ruling, protest=text)
        changed = {"unfair" if self._asks == UNFAIR else "comment": text}
        return replace(self.match.ruling, impression=replace(self._rating, **changed))

    def _typed(self) -> None:
        if self._asks in REMARKS and not self._log_soon.isActive():
            self._log_soon.start()

    def _log_remark(self) -> None:
        """Log what is typed so far of a remark: in a room, a kill of the window leaves it."""
        self.match.rule(self._with_remark(self.field.text().strip()))

    def _take_answer(self) -> None:
        """Show what the judge says to the last answer."""
        buzz = self.match.state.buzzes[-1]
        if self.match.state.phase is Phase.PROMPTED:
            self._say(f"Prompt: {buzz.prompt or 'be more specific.'}")
            self._ask(ANSWER)
            self._tick.start()
            self._show()
        else:
            self._decide("")

    def _decide(self, why: str) -> None:
        """Show what the last buzz came to."""
        self._ask("")
        buzz = self.match.state.buzzes[-1]
        self._say(f"{why} {self._verdict(buzz)}".strip())
        if buzz.said is Said.ACCEPT:
            self._reveal()
        elif self._is_machine(buzz.seat) and self._someone_may_still_buzz:
            self._read_on()  # nobody has to allow it when a machine was wrong
        else:
            self._show()

    @property
    def _someone_may_still_buzz(self) -> bool:
        rules = self.match.game.rules
        tried = {rules.team(one.seat) for one in self.match.state.buzzes}
        seats = range(len(rules.seats))
        return any(rules.team(seat) not in tried for seat in seats if not self._is_machine(seat))

    def _verdict(self, buzz: Buzzed) -> str:
        rules, state = self.match.game.rules, self.match.state
        counts = not self.match.ruling.replaced
        points = state.points(rules)[state.buzzes.index(buzz)] if counts else 0
        worth = f" {'+' if points > 0 else _MINUS}{abs(points)}." if points else ""
        typed_elsewhere = bool(buzz.answers) and (self._is_machine(buzz.seat) or self._room is not None)
        who = f"{self._name(buzz.seat)}: {buzz.answers[-1]}. " if typed_elsewhere else ""
        if buzz.timed_out and not who:
            who = f"{self._addressed(buzz.seat)} "
        said = "Right." if buzz.said is Said.ACCEPT else "Not right."
        return f"{who}{said}{worth}".lstrip()

    def _read_on(self) -> None:
        self.match.game.read_on()
        self._ask("")
        if self.match.state.word < len(self.match.current.tossup.words):
            self._pace.start_in(self._word_ms)
        else:
            self._tick.start()
        self._ask_machines()
        self._show()

    def _reveal(self) -> None:
        """Show the whole tossup, its answer, and what everybody did."""
        was_revealed = self._is_revealed
        self._revealed = revealed = self._revealed or object()
        self._pace.stop()
        self._tick.stop()
        state, current = self.match.state, self.match.current
        tossup = current.tossup
        self.text.setCurrentCharFormat(QTextCharFormat())  # or all of it would be as bold as power
        self.text.setPlainText(f"{tossup.text.strip()}\n\n{self._answer_line}")
        soft = QTextCharFormat()
        soft.setForeground(QColor(self._theme.tokens.soft))
        cursor = self.text.textCursor()
        if 0 < state.word < len(tossup.words):  # what nobody heard is paler
            cursor.setPosition(qt_length(tossup.text[: tossup.words[state.word - 1].end].lstrip()))
            cursor.setPosition(qt_length(tossup.text.strip()), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(soft)
        self._show_lanes()
        self._show()
        self._note()
        if was_revealed:
            return  # they were asked for before the overruling

        def still() -> bool:
            return self._revealed is revealed

        self.jobs.ask(
            lambda _: self._app.recorded_rooms.curve(current.key, tossup), self._take_curve, still=still
        )
        for machine in (*self._machines, *self._onlookers) if current.machines else ():
            self.jobs.ask(partial(self._whole_game, machine, tossup), self._take_play, still=still)

    def _whole_game(self, machine: Player, tossup: Tossup, _: Progress) -> Playthrough:
        return self._app.games.play_of(machine, tossup)

    def _take_curve(self, curve: PeopleCurve | None) -> None:
        self._how_early = replace(curve, basis="").in_words.strip() if curve is not None else ""
        self._note()

    def _take_play(self, play: Playthrough) -> None:
        self._plays = (*self._plays, play)
        self._show_lanes()

    def _show_lanes(self) -> None:
        state = self.match.state
        people = [
            HeardBuzz(one.word, one.said is Said.ACCEPT)
            for one in state.buzzes
            if not self._is_machine(one.seat)
        ]
        self.lanes.show_games(len(self.match.current.tossup.words), people, self._plays)
        self.lanes.show()

    def _note(self) -> None:
        """Say what was answered, and how early people are."""
        words = len(self.match.current.tossup.words)
        said = [
            f"Word {one.word} of {words}, {self._name(one.seat)}: {', then '.join(one.answers) or 'nothing'}"
            f"{' (overruled)' if one.overruled else ''}"
            for one in self.match.state.buzzes
        ]
        said += [advice_in_words(one, self._name(one.seat)) for one in self.match.ruling.advice]
        self.notes.setText("\n".join([*said, *filter(None, [self._how_early])]))
        self.notes.setVisible(bool(self.notes.text()))

    @property
    def _is_revealed(self) -> bool:
        return self._revealed is not None

    def _is_beaten(self, key: Qt.Key) -> bool:
        """Whether a machine buzzed just now, and somebody who buzzes with ``key`` was slower."""
        state = self.match.state
        by_machine = bool(state.buzzes) and self._is_machine(state.buzzes[-1].seat)
        just = self.match.game.now_ms - state.at_ms <= TOO_LATE_MS
        meant = key == Qt.Key.Key_Space or len(self._at_keys) > 1  # one alone buzzes with Space
        return by_machine and just and meant and self._buzzer(key) is not None

    def _buzzer(self, key: Qt.Key) -> int | None:
        """The seat that buzzes with ``key``."""
        people = self._at_keys
        number = 0 if key == Qt.Key.Key_Space else key - Qt.Key.Key_1
        known = key == Qt.Key.Key_Space or Qt.Key.Key_1 <= key <= Qt.Key.Key_9
        return people[number] if known and number < len(people) else None

    def _cover(self) -> None:
        """Hide what everybody did; what the machines still find out is not shown."""
        self._was_slower = False
        self._revealed, self._plays, self._how_early = None, (), ""
        self.lanes.hide()
        self.notes.hide()

    def _keep_answer_in_sight(self, _: int, last: int) -> None:
        if self._is_revealed:
            self.text.verticalScrollBar().setValue(last)

    # -- machines

    def _ask_machines(self) -> None:
        """Have the machines that may still buzz think about what was read, if none does."""
        state, rules, current = self.match.state, self.match.game.rules, self.match.current
        seats = [at for at, seat in enumerate(rules.seats) if seat.machine]
        waiting = [
            (seat, machine)
            for seat, machine in zip(seats, self._machines, strict=True)
            if state.may_buzz(rules, seat)
        ]
        if not waiting or not current.machines or self._decided or self._asked_at is not None:
            return
        heard, tossup = state.word, current.tossup
        if not heard:
            return
        self._asked_at = heard

        def think(_: Progress) -> tuple[int, Guess] | None:
            for seat, machine in waiting:
                guess = self._app.games.buzz_of(machine, tossup, heard)
                if guess is not None:
                    return seat, guess
            return None

        def take(found: tuple[int, Guess] | None) -> None:
            self._asked_at = None
            if found is not None:
                self._decided = found
                self._react.start_in(self.choices.reaction_ms)
            elif self.match.state.word > heard:
                self._ask_machines()

        def failed(_: str) -> None:
            self._asked_at = None

        self.jobs.ask(think, take, failed, still=lambda: self.match.current is current)

    def _machine_buzz(self) -> None:
        if self._decided is None or self.match.paused:
            return  # it buzzes when the pause is over
        seat, guess = self._decided
        self._guesses[seat] = guess
        self._decided = None
        self.buzz(seat)  # if nobody was quicker

    @property
    def _may_ask(self) -> bool:
        """Whether somebody answers who may see a machine's guess."""
        answering = self.match.state.phase in (Phase.ANSWERING, Phase.PROMPTED)
        asks = self._adviser is not None and self.match.current.machines
        return answering and asks and not self._is_machine(self.match.state.buzzes[-1].seat)

    def _ask_adviser(self) -> None:
        """Show the machine's guess on what was heard, to the team that answers; in a room, on its phones."""
        machine, tossup = self._adviser, self.match.current.tossup
        if machine is None or not self._may_ask:
            return

        def show(found: tuple[Guess, float] | None) -> None:
            if not self._may_ask:
                return  # it was answered before
            if found is None:
                self._say(f"{player_title(machine.name)} has no guess.")
                return
            self.match.advise(machine.name, found[0].page, found[1])
            self._tell_advice()

        def failed(why: str) -> None:
            self._advised = None  # who answers may ask again
            self._say(why)

        if self.match.advice is not None:
            self._tell_advice()  # a phone was lost, and asks again
        elif self._advised is None:  # a phone may ask again and again
            self._advised, word = (asked := object()), self.match.state.buzzes[-1].word
            self.jobs.ask(
                lambda _: self._app.games.advice_of(machine, tossup, word),
                show,
                failed,
                still=lambda: self._advised is asked,
            )

    def _tell_advice(self) -> None:
        advice = self.match.advice
        assert advice is not None
        if self._room is not None:
            self._room.host.tell_advice()
        if not self._answers_on_phone:
            machine = player_title(advice.machine)
            self._say(f"{machine} says {advice.guess}, {advice.chance} %. {ADVICE_KEY}: take it.")
            self._show()

    @property
    def _answers_on_phone(self) -> bool:
        """Whether the advice is on a phone, and other teams see this screen."""
        return self.match.state.buzzes[-1].seat >= self._without_phone

    def _take_advice(self) -> None:
        """Ask the adviser, or write what it said."""
        advice = self.match.advice
        if not self._may_ask or self._answers_on_phone:
            return
        if advice is None:
            self._ask_adviser()
        else:
            self.field.selectAll()
            self.field.insert(advice.guess)  # so that Ctrl+Z brings back what was typed

    # -- a room

    def _follow_room(self) -> None:
        """Somebody buzzed or answered on a phone."""
        assert self._room is not None
        waiting = self._room.host.waiting
        if waiting is not None:  # the moderator says at which word that was
            self._choose_word(1)
            self._say(f"{self._name(waiting.seat)} buzzed. Click the last word that you read.")
            self._show()
        elif self.match.state.phase is Phase.ANSWERING and not self.match.state.buzzes[-1].answers:
            self._take_buzz()
        else:
            self._take_answer()

    @property
    def _is_asking_word(self) -> bool:
        return self._room is not None and self._room.host.waiting is not None

    def _mark_chosen(self) -> None:
        """Show which word would be told."""
        selection = QTextEdit.ExtraSelection()
        if self._is_asking_word:
            cursor = self.text.textCursor()
            cursor.setPosition(self._starts[self._chosen - 1])
            cursor.movePosition(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            selection.format.setBackground(QColor(self._theme.tokens.band))
            selection.format.setFontUnderline(True)
        self.text.setExtraSelections([selection] if self._is_asking_word else [])

    def _choose_word(self, word: int) -> None:
        read = max((one.word for one in self.match.state.buzzes), default=1)
        self._chosen = max(read, min(word, len(self._starts)))
        self._mark_chosen()

    def _tell_word(self) -> None:
        """The buzz that waits was at the chosen word."""
        assert self._room is not None
        taken = self._room.host.settle(self._chosen)
        self._mark_chosen()
        if taken:
            self._take_buzz()
        else:
            self._say("")
            self._show()
            self._tick.start()

    def _key_word(self, key: Qt.Key) -> None:
        """Choose the word with the keys."""
        assert self._room is not None
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._choose_word(self._chosen + (1 if key == Qt.Key.Key_Right else -1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._tell_word()
        elif key == Qt.Key.Key_Backspace:
            self._room.host.refuse()
            self._mark_chosen()
            self._say("")
            self._show()
            self._tick.start()

    # -- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Enter from the field alone: the window would get it next, and go on with it."""
        if watched is self.text.viewport() and isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseButtonPress and self._is_asking_word:
                at = self.text.cursorForPosition(event.position().toPoint()).position()
                self._choose_word(bisect_right(self._starts, at))
                self._tell_word()
            return False
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_G and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
                self._take_advice()
                return True
            begins = not event.isAutoRepeat()  # or a key held to clear the field would go on with the buzz
            if begins and is_undo(event) and self._may_undo and not self.field.isUndoAvailable():
                self._undo()  # the buzz, or the prompt
                return True
            if event.key() in enter:
                if begins:  # one that is held does not answer the prompt, too
                    self._enter()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        phase = self.match.state.phase
        repeated = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if event.isAutoRepeat() and key not in repeated:
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._just_answered:
            return  # nobody has seen the verdict yet
        if key == Qt.Key.Key_Escape:
            self._escape()
            return
        if self._leaves:
            self._leaves = False
            self._show()
        if self._was_slower:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._was_slower = False
                self._show()
        elif key == Qt.Key.Key_F11:
            self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.resize_type(-TYPE_STEP if key == Qt.Key.Key_Minus else TYPE_STEP)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.change_speed(SPEED_STEP if key == Qt.Key.Key_Up else -SPEED_STEP)
        elif key == Qt.Key.Key_D:
            self.show_scoreboard()
        elif key == Qt.Key.Key_A and self._room is not None:
            self._room.shown.emit()
        elif self._is_asking_word:
            self._key_word(key)
        elif self._finished:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.close()
            elif key == Qt.Key.Key_S:
                self._choose_sheet()
        elif is_undo(event) and self._may_undo:
            self._undo()
        elif key == Qt.Key.Key_O and phase in (Phase.DECIDED, Phase.OVER):
            self.overrule()
        elif self._is_revealed and self._is_beaten(key):
            self._was_slower = True
            self._show()
        elif self._is_revealed:
            self._key_after(key)
        elif phase is Phase.READING:
            self._key_reading(key)
        elif phase is Phase.DECIDED and key == Qt.Key.Key_R:
            self._read_on()
        elif phase is Phase.DECIDED and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.match.game.end()
            self._reveal()
        else:
            super().keyPressEvent(event)

    def _key_reading(self, key: Qt.Key) -> None:
        if (seat := self._buzzer(key)) is not None:
            self.buzz(seat)
        elif key == Qt.Key.Key_P:
            self.pause(not self.match.paused)
        elif key == Qt.Key.Key_N:
            words = len(self.match.current.tossup.words)
            if self._spoken and self.match.state.word < words:
                self.match.game.read(words)  # aloud, and nobody buzzed
            self.match.game.end()
            self._reveal()

    def _key_after(self, key: Qt.Key) -> None:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        elif key in FELT:
            felt = FELT[key]
            self._rate(felt="" if self._rating.felt == felt else felt)
        elif key in (Qt.Key.Key_U, Qt.Key.Key_C):
            self._ask(UNFAIR if key == Qt.Key.Key_U else COMMENT)
            self.field.setText(self._rating.unfair if key == Qt.Key.Key_U else self._rating.comment)
            self._show()
        elif self.choices.alone:
            return  # the rest is for who reads to others
        elif key == Qt.Key.Key_B and self.match.state.answered is not None:
            bonus = (self.match.ruling.bonus + BONUS_STEP) % (MOST_BONUS + BONUS_STEP)
            self._rule(replace(self.match.ruling, bonus=bonus))
        elif key == Qt.Key.Key_T:
            spares = self.match.spare_numbers
            if self.match.ruling.replaced or not spares:
                self._rule(replace(self.match.ruling, replaced=not self.match.ruling.replaced))
            else:
                self._ask(REPLACEMENT)
                self.field.setText(str(spares[0]))
                self._show()
        elif key == Qt.Key.Key_X:
            self._ask(PROTEST)
            self.field.setText(self.match.ruling.protest)
            self._show()

    def _throw_out(self, number: str) -> None:
        """Throw the tossup out, and read the spare of this ``number`` next, if one is given."""
        spares = self.match.spare_numbers
        chosen = next((one for one in spares if str(one) == number), 0)
        if number and not chosen:
            self._say(f"There is no spare tossup {number}. Spares left: {', '.join(map(str, spares))}.")
            return
        self._rule(replace(self.match.ruling, replaced=True, replacement=chosen))

    @property
    def _rating(self) -> Impression:
        return self.match.ruling.impression

    def _rate(self, **changed: str) -> None:
        self._rule(replace(self.match.ruling, impression=replace(self._rating, **changed)))

    def _rule(self, ruling: Ruling) -> None:
        if ruling.replaced is not self.match.ruling.replaced:
            self._say("Thrown out." if ruling.replaced else "Counted again.")
        self.match.rule(ruling)
        self._ask("")
        self._show()

    def _escape(self) -> None:
        if self._asks in REMARKS:
            self._rule(self._before_remark)
        elif self._asks == REPLACEMENT:
            self._ask("")
            self._show()
        elif self.match.state.phase in (Phase.READING, Phase.DECIDED, Phase.OVER):
            if self.choices.alone or self._finished or self._leaves:
                self.close()
            else:
                self._leaves = True
                self._show()

    def pause(self, paused: bool) -> None:
        """Stop the words and the clocks, or go on."""
        if self._room is not None:
            self._room.host.pause(paused=paused)
        else:
            self.match.pause(paused)
        if not paused:
            self._pace.start_in(self._word_ms)
            self._tick.start()
            if self._decided is not None:
                self._react.start_in(self.choices.reaction_ms)
        self._show()

    def change_speed(self, by: int) -> None:
        """Read so many more words a minute from the next word on."""
        speed = max(SLOWEST, min(QUICKEST, self.choices.words_per_minute + by))
        self.choices = replace(self.choices, words_per_minute=speed)
        self._show()

    def resize_type(self, by: int) -> None:
        self.type_px = max(SMALLEST_TYPE, min(LARGEST_TYPE, self.type_px + by))
        self._apply_theme()

    def overrule(self) -> None:
        """Turn the last verdict round; both verdicts are kept."""
        if not self.match.overrule():
            return
        self._say(f"Overruled: {self._verdict(self.match.state.buzzes[-1])}")
        if self._is_revealed or self.match.state.answered is not None:
            self._reveal()
        else:
            self._show()

    @property
    def _may_undo(self) -> bool:
        """Whether there is a moderator, and something that can be taken back."""
        return self._asks in ("", ANSWER) and not self.choices.alone and self.match.game.can_undo

    def _undo(self) -> None:
        before = self.match.state
        self.match.undo()
        self._show_again(before, "Undone.")

    def _show_again(self, before: GameState, said: str) -> None:
        """Show the tossup as it is now, after more was done ``before``, and wait for the moderator."""
        state, self._advised = self.match.state, None
        self._cover()
        self.text.clear()
        self._shown = 0
        if self._spoken:
            self._show_for_moderator()
        else:
            self._show_words(state.word)
        self._say(f"{said} {self._where(state)}".strip())
        is_asked = state.phase in (Phase.ANSWERING, Phase.PROMPTED)
        self._ask(ANSWER if is_asked else "")
        if is_asked:
            answers = before.buzzes[-1].answers[len(state.buzzes[-1].answers) :]
            self.field.setText(answers[0] if answers else "")  # to be judged again, or corrected
            self._tick.start()
        if state.phase is Phase.READING:
            self.pause(True)
        if state.answered is not None or state.phase is Phase.OVER:
            self._reveal()  # an overruling was undone: nobody hears more of this tossup
        else:
            self._show()

    def _where(self, state: GameState) -> str:
        """What is waited for, after an undo or a kill."""
        last = state.buzzes[-1] if state.buzzes else None
        if last is None or state.phase is Phase.READING:
            return ""
        if state.phase is Phase.PROMPTED:
            return f"Prompt: {last.prompt or 'be more specific.'}"
        if state.phase not in (Phase.DECIDED, Phase.OVER):
            return self._addressed(last.seat)
        return f"{self._verdict(last)}{' Thrown out.' if self.match.ruling.replaced else ''}"

    def _go_on(self) -> None:
        if self.match.state.phase is Phase.DECIDED:
            self.match.game.end()
        self._keep()
        if self.match.is_last:
            self._finish()
            return
        self.match.next()
        self._begin()

    def _finish(self) -> None:
        self._finished = True
        self._cover()
        lines = [f"{name}: {_signed(points)}" for name, points in self.match.standings]
        self.text.setPlainText("\n".join(lines))
        self._say(f"The game is over, after {counted_noun(len(self.match.tossups), 'tossup')}.")
        self._show()

    # -- what is shown

    def _name(self, seat: int) -> str:
        return self.match.seats[seat].name or f"Player {seat + 1}"

    def _addressed(self, seat: int) -> str:
        """Who answers, where there are several."""
        return f"{self._name(seat)}:" if sum(not one.machine for one in self.match.seats) > 1 else ""

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def _ask(self, what: str) -> None:
        """Take an answer or a remark; empty: keys mean what the hints say."""
        self._asks, self._leaves = what, False
        self._log_soon.stop()
        self._before_remark = self.match.ruling
        self.field.clear()
        self.field.setPlaceholderText(what)
        self.field.setAccessibleName(what or ANSWER)
        self.field.setVisible(bool(what))
        (self.field if what else self).setFocus()

    def _show(self) -> None:
        match, state = self.match, self.match.state
        speed = "" if self._spoken else f" · {self.choices.words_per_minute} words a minute"
        paused = " · paused" if self.match.paused else ""
        self.place.setText(f"{match.place} · {match.game.rules.format.in_words}{speed}{paused}")
        self.score.setText(
            " · ".join(f"{name}: {_signed(points)}" for name, points in match.leaders(MOST_SIDES))
        )
        self.hints.setText(self._hint(state.phase))
        if self._scoreboard is not None:
            self._scoreboard.show_match(match)

    def _hint(self, phase: Phase) -> str:
        due, left = self.match.state.due_ms, ""
        if due is not None and not self.match.paused:
            left = f"{max(0, round((due - self.match.game.now_ms) / 1_000))} s · "
        if self._finished:
            return "S: save the score sheet · D: scoreboard · Enter: close"
        if self._leaves:
            return "Esc again: end the game for everybody"
        if self._asks == ANSWER:
            ask = f"{ADVICE_KEY}: ask {player_title(self._adviser.name)} · " if self._adviser else ""
            asks = self._may_ask and not self._answers_on_phone and self.match.advice is None
            undo = "" if self.choices.alone else " · Ctrl+Z: undo"
            return f"{left}{ask if asks else ''}Enter: answer{undo}"
        if self._asks:
            return f"{self._asks} · Enter: save · Esc: discard"  # what a filled field does not show
        if self._was_slower:
            first = self._name(self.match.state.buzzes[-1].seat)
            return f"{first} was faster: what you type now is no answer · Enter: continue · Esc: leave"
        if self._is_revealed:
            felt = f" ({self._rating.felt})" if self._rating.felt else ""
            kept = [
                name
                for name, text in (("unfair", self._rating.unfair), ("comment", self._rating.comment))
                if text
            ]
            noted = f" ({', '.join(kept)} noted)" if kept else ""
            overrule = "O: overrule · " if self.match.state.buzzes else ""
            spare = self.match.ruling.replacement
            go = "end" if self.match.is_last else f"tossup {spare} in its place" if spare else "next tossup"
            return (
                f"Enter: {go} · {overrule}{self._extras_hint}"
                f"1 too easy, 2 fair, 3 too hard{felt} · U: unfair because … · C: comment{noted}"
            )
        if self._is_asking_word:
            return "Click, or ← →: the last word that you read · Enter: this word · Backspace: nobody buzzed"
        if phase is Phase.DECIDED:
            undo = " · Ctrl+Z: undo" if self._may_undo else ""
            return f"R: read on · O: overrule · Enter: the answer{undo}"
        people = len(self._at_keys)
        buzz = (
            "Space: buzz · "
            if people == 1
            else f"1 {'or' if people == 2 else 'to'} {people}: buzz · "
            if people
            else ""
        )
        room = "A: address of the room · " if self._room is not None else ""
        go = "P: resume" if self.match.paused else "P: pause"
        if self._spoken:
            return f"{left}Read it aloud; phones buzz · {buzz}{room}{go} · N: nobody buzzed · Esc: leave"
        undo = " · Ctrl+Z: undo" if not self.choices.alone and self.match.state.buzzes else ""
        keys = "↑ ↓: speed · + -: letters · D: scoreboard · N: the answer"
        return f"{left}{buzz}{room}{go} · {keys}{undo} · Esc: leave"

    @property
    def _extras_hint(self) -> str:
        """What a moderator can say of a tossup that is over."""
        if self.choices.alone:
            return ""
        match = self.match
        bonus = f"B: bonus ({match.ruling.bonus}) · " if match.state.answered is not None else ""
        out = "count it again" if match.ruling.replaced else "throw it out"
        protest = " (noted)" if match.ruling.protest else ""
        return f"{bonus}T: {out} · X: protest{protest} · "

    def show_scoreboard(self) -> Scoreboard:
        """Open the scoreboard, for a projector."""
        from quizwriter.gui.game.scoreboard import Scoreboard

        if self._scoreboard is None:
            self._scoreboard = Scoreboard(self._theme)
        self._scoreboard.show_match(self.match)
        self._scoreboard.show()
        return self._scoreboard

    def save_sheet(self, path: Path) -> None:
        from quizwriter.services.score_sheets import write_score_sheet

        records = tuple(self.match.records)
        self._log_jobs.ask(
            lambda _: write_score_sheet(path, records),
            lambda _: self._say(f"The score sheet is in {path}."),
            self._say,
        )

    def _choose_sheet(self) -> None:
        from quizwriter.services.score_sheets import SHEET_FILES

        ask_new_file(self, "Save the score sheet", "match.qbj", SHEET_FILES, self.save_sheet)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        fill_background(self, tokens.page)
        large = self._theme.draft_font()
        large.setPixelSize(self.type_px)
        self.text.setFont(large)
        self.text.setStyleSheet(f"QTextEdit {{ background: {tokens.page}; color: {tokens.ink}; }}")
        middle = self._theme.font(bold=True)
        middle.setPixelSize(max(18, round(self.type_px * 0.7)))
        self.said.setFont(middle)
        self.field.setFont(middle)
        for label in (self.place, self.score, self.notes, self.hints):
            label.setFont(self._theme.font())
        for label in (self.place, self.hints):
            label.setStyleSheet(f"color: {tokens.soft}")

    # -- keeping and closing

    def _keep(self) -> None:
        """Keep the game of the present tossup and what was said of it, in the background."""
        key, remark = self.match.current.key, self._rating.remark(self.choices.role)
        played = self.match.record()
        if played is not None or remark:
            self._put(key, partial(self._app.games.keep, key, played, remark))

    def _put(self, key: str, keep: Callable[[], object]) -> None:
        self._keeping.append(keep)
        waiting = tuple(self._keeping)  # what an earlier trouble left, too

        def put(_: Progress) -> None:
            trouble: QuizwriterError | None = None
            for one in (one for one in waiting if one in self._keeping):
                try:
                    one()
                    self._keeping.remove(one)
                except QuizwriterError as found:
                    trouble = trouble or found
            if trouble is not None:
                raise trouble

        def then(_: object) -> None:
            if key:
                self.kept.emit(key)
            self._end()

        self._log_jobs.ask(put, then, self._say)

    def shutdown(self) -> None:
        """The program ends: keep what is not kept yet."""
        if not self._closed:
            self.close()
        stop_background(self)
        while self._keeping:
            try:
                self._keeping.pop(0)()
            except QuizwriterError as trouble:  # the tossup may be gone; the others are to be kept
                log.warning("a game was not kept: %s", trouble)
        self._end()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._closed:
            return
        self._closed = True
        if self._asks in REMARKS:
            self._enter()  # or what was typed there would be lost
        if not self._finished:
            self._keep()
        for timer in (self._pace, self._tick, self._react, self._log_soon):
            timer.end()
        self.jobs.stop()
        if self._scoreboard is not None:
            self._scoreboard.close()
            self._scoreboard.deleteLater()
        if self._room is not None:
            self._room.close()
            self._put("", partial(self._app.room_journals.done, self.match.name))
        self.closed.emit()
        self._end()

    def _end(self) -> None:
        if self._closed and not self._keeping and not self._is_done:
            self._is_done = True  # the last two that were kept may be told of together
            self.done.emit()
            self.deleteLater()


def _signed(points: int) -> str:
    return str(points).replace("-", _MINUS)
