"""Games from the menu *Play*: the dialog that begins one, and the windows in which they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quizwriter.cancellation import Progress
from quizwriter.domain.guessing import Player
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.game.kinds import GameKind
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.workflow.wording import player_title

if TYPE_CHECKING:
    from quizwriter.gui.game.game_window import GameWindow
    from quizwriter.gui.game.new_game import NewGameDialog
    from quizwriter.gui.game.room import RoomDialog, RoomLink
    from quizwriter.services.match import GameChoices, Match
    from quizwriter.services.rooms import KilledRoom


class GamesController(QObject):
    """Begins games; ``kept`` carries the id of a tossup that was played."""

    kept = Signal(str)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._theme, self._window = context.app, context.theme, context.window
        self._save, self._engine, self._session = context.save, context.engine, context.session
        self._games: list[GameWindow] = []
        self._rooms: list[RoomLink] = []
        self._asking: NewGameDialog | None = None
        self.jobs = Jobs("games", self)

    def begin(self, kind: GameKind) -> None:
        """Ask what is read, then read it."""
        from quizwriter.gui.game.new_game import NewGameDialog  # late: not needed at start

        self._save()
        session = self._session()
        words = bool(session.tossup.words and session.tossup.answer)
        dialog = NewGameDialog(
            self._app,
            self._theme,
            self.jobs,
            self._window,
            kind=kind,
            tossup_id=session.tossup_id if words else "",
            speed=self._app.profile.settings.reading_speed,
        )
        self._asking = dialog
        dialog.finished.connect(self._asked)
        self.offer_machines()
        dialog.begun.connect(self.open_room if kind is GameKind.ROOM else self.play)
        dialog.resumed.connect(self.open_room)
        self._recover()
        dialog.show()

    def _asked(self) -> None:
        self._asking = None

    def offer_machines(self) -> None:
        """Offer the loaded players to who is about to begin a game."""
        engine = self._engine()
        if self._asking is not None:
            self._asking.offer_machines(self._app.games.machines(engine), loaded=engine is not None)

    def _recover(self) -> None:
        """Keep the games of rooms whose window was killed; the last room may go on."""
        app, games = self._app, [one.match.name for one in self._games]
        games += [one.match.name for one in self._rooms]

        def recover(_: Progress) -> KilledRoom | None:
            killed = app.room_journals.killed(games)
            name = "" if killed is None else killed.plan.game
            app.room_journals.recover(app.games.keep, games, may_go_on=name)
            return killed

        self.jobs.ask(recover, self._offer_killed)

    def _offer_killed(self, killed: KilledRoom | None) -> None:
        if self._asking is not None and killed is not None:
            self._asking.offer_killed(killed)

    def open_room(
        self, match: Match, machines: Sequence[Player], choices: GameChoices, killed: KilledRoom | None = None
    ) -> RoomDialog:
        """Open a room for a match, and play it once people are there; or one that was ``killed`` goes on."""
        from quizwriter.gui.game.room import RoomDialog, RoomLink
        from quizwriter.services.rooms import RoomPlan

        journals = self._app.room_journals
        before = None if killed is None else killed.opening
        journal = journals.path(match.name) if before else journals.begin(RoomPlan.of(match, choices))
        link = RoomLink(
            match,
            choices.address,
            choices.title,
            journal,
            spoken=choices.spoken,
            parent=self._window,
            adviser=player_title(choices.adviser) if choices.adviser else "",
            before=before,
        )
        if killed is not None:
            killed.resume(match)
        dialog = RoomDialog(self._theme, link, self._window)
        self._rooms.append(link)
        dialog.begun.connect(lambda: self.play(match, machines, choices, link))
        dialog.given_up.connect(link.close)
        link.shown.connect(dialog.show)

        def close() -> None:
            self._rooms.remove(link)
            dialog.hide()
            dialog.deleteLater()
            link.deleteLater()

        link.closed.connect(close)
        dialog.show()
        return dialog

    def play(
        self, match: Match, machines: Sequence[Player], choices: GameChoices, room: RoomLink | None = None
    ) -> GameWindow:
        """Open the window of a game, on the whole screen."""
        from quizwriter.gui.game.game_window import GameWindow

        players = self._app.games.machines(self._engine())
        window = GameWindow(
            self._app,
            self._theme,
            match,
            machines,
            choices,
            onlookers=[one for one in players if one not in machines],
            adviser=next((one for one in players if one.name == choices.adviser), None),
            room=room,
        )
        window.kept.connect(self.kept)
        window.done.connect(lambda: self._games.remove(window))
        self._games.append(window)
        window.showFullScreen()
        return window

    def shutdown(self) -> None:
        """Keep the games that are being played, or were until just now; the program ends."""
        for window in tuple(self._games):
            window.shutdown()
        for room in tuple(self._rooms):  # nobody has begun there
            room.close()
