"""The dialogs that write a page for playtesters and take what they send back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from quizwriter.cancellation import Progress
from quizwriter.domain.tossup_game import FORMATS
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import TextBox, choice_box
from quizwriter.gui.widgets.file_dialog import ask_file, ask_new_file
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.services.playtests import MOST_BYTES, Received
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import counted_noun

NOTHING_TO_READ = "There is no tossup to read yet: write one first."


class SendPlaytestDialog(Dialog):
    """Asks which tossups are sent and where the page is written."""

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Send to playtesters", parent, width=520)
        self._app, self._jobs = app, jobs
        self._places = app.games.places()
        self.what = choice_box("What to send", *(place_title(*place) for place in self._places))
        self.format = choice_box("Format", *(one.in_words for one in FORMATS.values()))
        rows = FieldRows()
        rows.add("Tossups", self.what)
        rows.add("Format", self.format)
        self.body.addLayout(rows)
        self.body.addWidget(
            self.label(
                "One file is written that opens in any browser, without network or installation. Texts and "
                "answers are in it: anyone who opens its source can read them.",
                TextStyle.CAPTION,
            )
        )
        self.add_primary("Write…", self._choose)
        self.set_ready(bool(self._places))
        if not self._places:
            self.show_message(NOTHING_TO_READ)

    def _choose(self) -> None:
        ask_new_file(self, "Send to playtesters", "playtest.html", "Web pages (*.html)", self.write)

    def write(self, path: Path) -> None:
        """Write the page of what is chosen to ``path``."""
        place = self._places[self.what.currentIndex()]
        played = list(FORMATS.values())[self.format.currentIndex()]

        def do(_: Progress) -> tuple[int, int]:
            tossups = self._app.games.tossups_of(*place)
            return len(tossups), self._app.playtests.send(path, tossups, played, place_title(*place))

        def then(written: tuple[int, int]) -> None:
            count, size = written
            self.show_message(
                f"{counted_noun(count, 'tossup')} written to {path}, {size // 1_000:,} kB. E-mail it."
            )

        self.run_job(self._jobs, "Writing the page…", do, then)


class ReceivePlaytestDialog(Dialog):
    """Shows what results say, a file or a pasted text, and keeps it; ``kept`` says that it did."""

    kept = Signal()

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Receive results of playtesters", parent, width=560)
        self._app, self._jobs = app, jobs
        self._received: Received | None = None
        hint = "Paste the text that a playtester sent, or choose the file."
        self.text = TextBox("Results", hint, longest=MOST_BYTES)
        self.text.setFixedHeight(theme.px(110))
        self.text.textChanged.connect(self._forget)
        self.body.addWidget(self.text)
        self.add_aside("File…", self._choose)
        self.button = self.add_primary("Read", self._go)
        self.name_close_button("Cancel")
        self._forget()

    def _forget(self) -> None:
        self._received = None
        self.button.setText("Read")
        self.show_message("")
        self.set_ready(bool(self.text.toPlainText().strip()))

    def _choose(self) -> None:
        kinds = "Results (*.json *.txt *.eml *.html *.htm *.zip)"
        ask_file(self, "Receive results of playtesters", kinds, self.read_file)

    def read_file(self, path: Path) -> None:
        self.run_job(self._jobs, "Reading the results…", lambda _: self._app.playtests.read(path), self._show)

    def _go(self) -> None:
        received = self._received
        if received is not None:
            self._keep(received)
            return
        raw = self.text.toPlainText().strip()[: MOST_BYTES + 1]
        self.run_job(
            self._jobs, "Reading the results…", lambda _: self._app.playtests.understand(raw), self._show
        )

    def _show(self, received: Received) -> None:
        self.show_message("\n".join([received.sentence, *received.notes]))
        if received.games or received.remarks:
            self._received = received
            self.button.setText("Keep the results")
            self.set_ready(True)

    def _keep(self, received: Received) -> None:
        def then(_: int) -> None:
            self._forget()
            self.text.clear()
            self.name_close_button("Close")
            self.show_message(f"Kept: {received.sentence}")
            self.kept.emit()
            self.close_button.setFocus()

        self.run_job(self._jobs, "Keeping the games…", lambda _: self._app.playtests.keep(received), then)


def place_title(set_name: str, packet: str = "") -> str:
    """What a set, or a packet of it, is called."""
    return f"{set_name}, {packet}" if packet else set_name or "Tossups in no set"
