"""A room on the local network as its host sees it: its process, its address, and who is there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QRect, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QListWidget, QWidget

from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.layouts import STRETCH, column_of, row_of
from quizwriter.services.match import Match
from quizwriter.services.room_lines import (
    FromRoom,
    RoomAsked,
    RoomGuests,
    RoomOpened,
    RoomOpening,
    RoomTrouble,
)
from quizwriter.services.rooms import RoomHost, new_code
from quizwriter.system.children import Child, child_command
from quizwriter.system.decoding import DecodingError, convert_value
from quizwriter.workflow.wording import counted_noun

SHOWN_SENT = "Phones get each word when it is read, and never the answer line."
SPOKEN_SENT = "Phones only buzz: nothing of the tossups is sent."
QUIET = 4  # modules around a QR code, as the standard wants


class RoomLink(QObject):
    """The process of a room, and its host.

    ``opened`` and ``guests_changed`` say what they are called, ``went_on`` that the game did, or waits for a
    word, ``asked`` that who answers on a phone wants to see a machine's guess, ``broken`` why the room cannot
    be used. ``shown`` asks for the address on the screen.
    """

    opened = Signal()
    guests_changed = Signal()
    went_on = Signal()
    asked = Signal()
    broken = Signal(str)
    shown = Signal()
    closed = Signal()

    def __init__(
        self,
        match: Match,
        address: str,
        title: str,
        journal: Path,
        *,
        spoken: bool,
        parent: QObject,
        adviser: str = "",
        before: RoomOpening | None = None,
    ) -> None:
        """The room is opened at ``address``; see :class:`RoomHost` for ``spoken`` and ``adviser``.

        ``before``: how it was opened before its window was killed.
        """
        super().__init__(parent)
        code = new_code() if before is None else before.code
        self.match, self.code, self.port, self.is_open = match, code, 0, False
        self._address = address
        self._process = ChildProcess(self)
        self.host = RoomHost(match, self._process.write, spoken=spoken, adviser=adviser)
        self._process.message_received.connect(self._take)
        self._process.absent.connect(self.broken)
        self._process.ended.connect(self._tell_ended)
        self._process.start(child_command(Child.ROOM))
        self.host.opening(address, self.code, title, journal, before)

    @property
    def address(self) -> str:
        """What people type into their browsers; empty until the room is open."""
        return f"http://{self._address}:{self.port}/" if self.port else ""

    @property
    def address_with_code(self) -> str:
        return f"{self.address}#{self.code}"

    def close(self) -> None:
        """Close the room; its process ends."""
        self.is_open = False
        self._process.blockSignals(True)
        self._process.shutdown()
        self.closed.emit()

    def _take(self, message: object) -> None:
        try:
            report: FromRoom = convert_value(message, FromRoom)  # type: ignore[arg-type] # a union of records
        except DecodingError as trouble:
            self.broken.emit(f"The room's process is of another version: {trouble}.")
            return
        if isinstance(report, RoomTrouble):
            self.broken.emit(f"{report.problem} {report.remedy}")
        elif isinstance(report, RoomOpened):
            self.port, self.is_open = report.port, True
            self.opened.emit()
        elif self.host.take(report):
            self.went_on.emit()
        elif isinstance(report, RoomAsked):
            self.asked.emit()
        if isinstance(report, RoomGuests):
            self.guests_changed.emit()

    def _tell_ended(self, well: bool, _: str) -> None:
        was_open, self.is_open = self.is_open, False
        if was_open or not well:
            self.broken.emit("The room was closed unexpectedly. The game goes on in this window.")


class QrCode(QWidget):
    """A QR code, dark on light in every theme, as cameras want it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[bytearray, ...] = ()
        theme.follow(self._fit)  # a function that is no method would outlive the room

    def _fit(self) -> None:
        self.setFixedSize(self.sizeHint())

    def show_text(self, text: str) -> None:
        import segno  # late: not needed at start

        self._rows = segno.make_qr(text, error="m").matrix
        named(self, f"QR code of {text}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        side = self._theme.px(180)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white"))
        count = len(self._rows) + 2 * QUIET
        size = min(self.width(), self.height()) // count
        left, top = ((side - size * len(self._rows)) // 2 for side in (self.width(), self.height()))
        for y, row in enumerate(self._rows):
            for x, dark in enumerate(row):
                if dark:
                    painter.fillRect(QRect(left + x * size, top + y * size, size, size), QColor("black"))
        painter.end()


class RoomDialog(Dialog):
    """Shows how to come into a room and who is there; ``begun`` says that the first tossup may begin."""

    begun = Signal()
    given_up = Signal()

    def __init__(self, theme: Theme, link: RoomLink, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Room", parent, width=620, reused=True)
        self._link, self._has_begun = link, False
        self.address = self.label("The room is being opened…", TextStyle.HEADING)
        self.code = self.label("", TextStyle.HEADING)
        self.qr = QrCode(theme)
        self.qr.hide()
        self.guests = named(QListWidget(), "Who is here")
        self.guests.setFixedHeight(theme.px(150))
        self.count = self.label("Nobody is here yet.")
        self.warning = self.label("", TextStyle.CAPTION)
        self.warning.hide()
        told = self.label(
            "People on the same network type this address into a browser, or scan the code. "
            f"{SPOKEN_SENT if link.host.spoken else SHOWN_SENT} What is sent is not encrypted: others on the "
            "network may read it.",
            TextStyle.CAPTION,
        )
        self.body.addLayout(row_of((column_of(self.address, self.code, STRETCH), 1), self.qr))
        self.body.addWidget(told)
        self.body.addWidget(self.count)
        self.body.addWidget(self.guests)
        self.body.addWidget(self.warning)
        self.sends_away = self.add_aside("Remove", self._send_away)
        self.sends_away.setEnabled(False)
        self.guests.itemSelectionChanged.connect(self._show_choice)
        self.begins = self.add_primary("Continue" if link.match.paused else "Start", self._begin)
        self.name_close_button("Close the room")
        self.set_ready(False)
        link.opened.connect(self._show_address)
        link.guests_changed.connect(self._show_guests)
        link.broken.connect(self.show_message)
        self.rejected.connect(self._give_up)
        if link.is_open:
            self._show_address()

    def _show_address(self) -> None:
        self.address.setText(self._link.address)
        self.code.setText(f"Code: {self._link.code[:3]} {self._link.code[3:]}")
        self.qr.show_text(self._link.address_with_code)
        self.qr.show()
        self.set_ready(True)
        self.fit()

    def _show_guests(self) -> None:
        host = self._link.host
        chosen = self.guests.currentRow()
        self.guests.clear()
        for one in host.guests:
            team = f" ({one.team})" if one.team else ""
            self.guests.addItem(f"{one.name}{team}{'' if one.here else ', away'}")
        self.guests.setCurrentRow(chosen)
        here = sum(one.here for one in host.guests)
        self.count.setText(
            f"{counted_noun(here, 'person', 'people')} here." if here else "Nobody is here yet."
        )
        self.warning.setText(f"{counted_noun(host.wrong_codes, 'wrong code')} typed.")
        self.warning.setVisible(host.wrong_codes > 0)
        self.fit()  # or the address and what is below it would share what room is left
        self._show_choice()

    def _show_choice(self) -> None:
        self.sends_away.setEnabled(self.guests.currentRow() >= 0)

    def _send_away(self) -> None:
        self._link.host.remove(self.guests.currentRow())

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self.begins.hide()
            self.name_close_button("Hide")
            self.begun.emit()
        self.hide()

    def _give_up(self) -> None:
        if not self._has_begun:
            self.given_up.emit()
