"""The dialog that begins a game: what is read, to whom, in which format, and against which machines."""

from __future__ import annotations

import uuid

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from quizwriter.cancellation import Progress
from quizwriter.domain.guessing import Player
from quizwriter.domain.tossup_game import FORMATS, LONGEST_NAME, MOST_SEATS, GameFormat, PlayedBy, Seat
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.game.kinds import GameKind
from quizwriter.gui.game.playtests import NOTHING_TO_READ, place_title
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, number_box, text_line
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.services.match import QUICKEST, SLOWEST, GameChoices, Match, MatchTossup
from quizwriter.services.rooms import KilledRoom, own_addresses
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import player_title

OWN, NOBODY = "Own", "No machine"
MOST_SPARES = 20
SHOWN, SPOKEN = "The program shows each word", "I read aloud, and phones only buzz"


class NewGameDialog(Dialog):
    """Asks for the tossups, the people, the format and the machines of a game.

    ``begun`` carries the match, its machines, and how it is read; ``resumed`` that of a room which goes on,
    and the room.
    """

    begun = Signal(object, object, object)
    resumed = Signal(object, object, object, object)

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: Jobs,
        parent: QWidget | None = None,
        *,
        kind: GameKind,
        tossup_id: str,
        speed: int,
    ) -> None:
        """``tossup_id`` is the open tossup, empty if it has nothing to read; ``speed`` in words a minute."""
        super().__init__(theme, kind.value, parent, width=520)
        self._app, self._jobs, self._kind = app, jobs, kind
        self._alone = alone = kind is GameKind.ALONE
        self._machines: tuple[Player, ...] = ()
        self._killed: KilledRoom | None = None
        places: list[tuple[str, tuple[str, str] | None]] = [("This tossup", None)] if tossup_id else []
        places += [(place_title(*place), place) for place in app.games.places()]
        self._tossup_id = tossup_id
        self._places = [place for _, place in places]
        self.what = choice_box("What to read", *(title for title, _ in places))
        self.format = choice_box("Format", *(one.in_words for one in FORMATS.values()), OWN)
        self.format.currentTextChanged.connect(lambda _: self._show_rows())
        self.points = {
            name: number_box(name, -100 if name == "Neg" else 0, 100, value=value, unit=" points")
            for name, value in (("Right answer", 10), ("Neg", -5), ("Power", 15), ("Superpower", 0))
        }
        self.speed = number_box(
            "Speed", SLOWEST, QUICKEST, value=max(SLOWEST, min(QUICKEST, speed)), unit=" words a minute"
        )
        is_room = kind is GameKind.ROOM
        self.reading = choice_box("How it is read", SHOWN, SPOKEN)
        self.address = choice_box("Address of this computer", *(own_addresses() if is_room else ()))
        self.people = text_line(
            "People without a phone" if is_room else "People", "Names, separated by commas", longest=1_000
        )
        self.spares = number_box(
            "Spares at the end",
            0,
            MOST_SPARES,
            value=0,
            tip="The last tossups are read only in place of those that are thrown out",
        )
        self.marks = QCheckBox("Show power marks and pronunciation guides to the reader")
        self.reaction = number_box("Machine reaction time", 0, 5_000, value=300, unit=" ms")
        self._rows = FieldRows()
        self._rows.add("Tossups", self.what)
        self._rows.add("Format", self.format)
        for name, box in self.points.items():
            self._rows.add(name, box)
        self._rows.add("Speed", self.speed)
        if alone:
            self.people.setText(app.profile.me.name)
            self._rows.add("Machine reaction time", self.reaction)
        else:
            self.marks.setChecked(True)
            self._rows.add("Spares at the end", self.spares)
            if is_room:
                self._rows.add("How it is read", self.reading)
                self._rows.add("Address", self.address)
                self._rows.add("Machine reaction time", self.reaction)
                self.reading.currentTextChanged.connect(lambda _: self._show_machines())
            self._rows.add("People without a phone" if is_room else "People", self.people)
            self._rows.addRow(self.marks)
        self.boxes: dict[str, QCheckBox] = {}
        self.adviser = choice_box("Machine to ask", NOBODY)
        self._lacking = self.label("", TextStyle.CAPTION)
        self._lacking.hide()
        self.body.addLayout(self._rows)
        self.body.addWidget(self._lacking)
        if not places:
            self.show_message(NOTHING_TO_READ)
        self.add_primary("Open" if is_room else "Start", self._begin)
        self.name_close_button("Cancel")
        self.set_ready(bool(places))
        self.what.currentIndexChanged.connect(lambda _: self._show_rows())
        self._show_rows()

    def offer_machines(self, machines: tuple[Player, ...], *, loaded: bool) -> None:
        """Let the person choose against which ``machines`` to play; once ``loaded``, others do not come."""
        if self._machines:
            return  # they were offered
        self._machines = machines
        if machines:
            self.adviser.addItems([player_title(one.name) for one in machines])
            self._rows.add("Machine to ask", self.adviser)
        if self._kind is GameKind.READ:
            self._show_machines()
            return
        none = "No loaded player can guess after every word."
        self._lacking.setText(none if loaded else "The players are still being loaded.")
        self._lacking.setVisible(not machines)
        for machine in machines:
            self.boxes[machine.name] = box = QCheckBox(player_title(machine.name))
            box.setChecked(self._alone and machine.name == machines[0].name)
            self._rows.addRow("Machines" if len(self.boxes) == 1 else "", box)
        self._show_machines()

    def offer_killed(self, room: KilledRoom) -> None:
        """Let a ``room`` go on whose window was killed."""
        if self._kind is GameKind.ROOM and self._killed is None:
            self._killed = room
            self.show_message(
                f"A room was interrupted: {room.place}. It can be continued, with everybody's seats."
            )
            self.goes_on = self.add_aside("Continue that room", self._resume)
            self.fit()

    def _resume(self) -> None:
        room, app = self._killed, self._app
        assert room is not None
        loaded = {(one.name, one.engine): one for one in self._machines}
        needed = [(one.machine, one.engine) for one in room.plan.seats if one.machine]
        lacking = [player_title(name) for name, engine in needed if (name, engine) not in loaded]
        if lacking:
            self.show_message(f"{lacking[0]} plays in that room, and is not loaded as it was then.")
            return
        own = self.address.currentText()
        was = room.plan.choices.address
        choices = replace(room.plan.choices, address=was if self.address.findText(was) >= 0 else own)

        def start(match: Match) -> None:
            self.resumed.emit(match, tuple(loaded[one] for one in needed), choices, room)
            self.close()

        self.run_job(self._jobs, "Reading the tossups…", lambda _: room.match(app.games), start)

    def _show_rows(self) -> None:
        """Show the points of an own format, and the spares unless one tossup alone is read."""
        if not self._alone:
            self._rows.setRowVisible(self.spares, not self._of_one_tossup)
        for box in self.points.values():
            self._rows.setRowVisible(box, self.format.currentText() == OWN)
        self.fit()

    @property
    def _of_one_tossup(self) -> bool:
        at = self.what.currentIndex()
        return at >= 0 and self._places[at] is None

    @property
    def _spoken(self) -> bool:
        """Whether words are read aloud, of which no machine can know."""
        return self._kind is GameKind.ROOM and self.reading.currentText() == SPOKEN

    def _show_machines(self) -> None:
        """Show what is about machines where they can play; Qt alone would show new rows after the fit."""
        for box in (self.reaction, self.speed, self.adviser, *self.boxes.values()):
            if self._rows.indexOf(box) >= 0:
                self._rows.setRowVisible(box, not self._spoken)
        self.fit()

    @property
    def _adviser(self) -> str:
        at = self.adviser.currentIndex() - 1
        return "" if at < 0 or self._spoken else self._machines[at].name

    @property
    def chosen_format(self) -> GameFormat:
        at = self.format.currentIndex()
        if at < len(FORMATS):
            return list(FORMATS.values())[at]
        right, neg, power, superpower = (box.value() for box in self.points.values())
        return GameFormat(OWN, right, neg, power, superpower)

    def _begin(self) -> None:
        place, key, app = self._places[self.what.currentIndex()], self._tossup_id, self._app

        def read(_: Progress) -> tuple[MatchTossup, ...]:
            return app.games.tossups([key]) if place is None else app.games.tossups_of(*place)

        self.run_job(self._jobs, "Reading the tossups…", read, self._start)

    def _start(self, tossups: tuple[MatchTossup, ...]) -> None:
        names = [name.strip()[:LONGEST_NAME] for name in self.people.text().split(",") if name.strip()]
        against = [
            one
            for one in self._machines
            if one.name in self.boxes and self.boxes[one.name].isChecked() and not self._spoken
        ]
        most = MOST_SEATS - len(against)
        is_room = self._kind is GameKind.ROOM
        people = [Seat(name) for name in names[:most]]
        if not people and not is_room:
            people = [Seat("You" if self._alone else "")]
        if self._alone:
            people = [replace(people[0], person=self._app.games.me)]
        seats = [
            *people,
            *(Seat(player_title(one.name), machine=one.name, engine=one.engine) for one in against),
        ]
        by = PlayedBy.ROOM if is_room else PlayedBy.WINDOW
        read = max(1, len(tossups) - (0 if self._alone else self.spares.value()))
        match = Match(
            uuid.uuid4().hex,
            tossups[:read],
            self.chosen_format,
            seats,
            self._app.games.clock,
            by,
            tossups[read:],
        )
        choices = GameChoices(
            self.speed.value(),
            marks=not self._alone and self.marks.isChecked(),
            reaction_ms=self.reaction.value(),
            alone=self._alone,
            spoken=self._spoken,
            address=self.address.currentText(),
            title="" if self._of_one_tossup else self.what.currentText(),
            adviser=self._adviser,
        )
        self.begun.emit(match, tuple(against), choices)
        self.close()
