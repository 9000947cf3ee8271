"""*Review > Sets > Import people's buzzes…*: what a file says of the tossups of a set is shown, then kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QWidget

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, named, text_line
from quizwriter.gui.widgets.file_dialog import file_dialog
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.services.recorded_rooms import RoomImport
from quizwriter.services.wiring import App

NO_SET = "There is no set yet. Put the tossups that were read into a set first: Review > Choose a set…."


class ImportBuzzesDialog(Dialog):
    """Reads a file of buzzes for a set, shows what would be kept and what not, and keeps it.

    ``recorded`` says that tossups have new buzzes.
    """

    recorded = Signal()

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, set_name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Import people's buzzes", parent, width=600)
        self._app, self._jobs = app, jobs
        self._planned: RoomImport | None = None
        self.set = choice_box("Set", *(name for name in app.review.sets() if name))
        self.set.setCurrentIndex(max(0, self.set.findText(set_name)))
        self.set.currentIndexChanged.connect(lambda _: self._forget())
        fields = QGridLayout()
        fields.setHorizontalSpacing(8)
        label = plain_label("Set", wrap=False)
        label.setBuddy(self.set)
        fields.addWidget(label, 0, 0)
        fields.addWidget(self.set, 0, 1)
        self.buzzes = self._path_row(fields, "Buzzes", "JSON lines, QBJ, NAME.buzz.csv, or a folder of games")
        self.questions = self._path_row(fields, "Questions read", "The packets; may be empty")
        self.body.addWidget(
            self.label("Import the buzzes of people on the tossups of a set", TextStyle.HEADING)
        )
        self.body.addLayout(fields)
        self.body.addWidget(
            self.label(
                "Positions and results are kept with the tossups, also when you send them to other "
                "writers. Names of people and teams are not kept. If the games name tossups by packet and "
                "number, add the packets that were read.",
                TextStyle.CAPTION,
            )
        )
        self.button = self.add_primary("Read", self._go)
        self.name_close_button("Cancel")
        self._forget()

    def _path_row(self, fields: QGridLayout, name: str, hint: str) -> QLineEdit:
        row = fields.rowCount()
        edit = text_line(name, hint)
        edit.textChanged.connect(lambda _: self._forget())
        label = plain_label(name, wrap=False)
        label.setBuddy(edit)
        fields.addWidget(label, row, 0)
        fields.addWidget(edit, row, 1)
        for place, (text, mode) in enumerate(
            (("File…", QFileDialog.FileMode.ExistingFile), ("Folder…", QFileDialog.FileMode.Directory)), 2
        ):
            button = named(
                outlined(text, partial(self._choose, name, edit, mode)),
                f"{name}: choose a {text.strip('…').lower()}",
            )
            fields.addWidget(button, row, place)
        return edit

    def _choose(self, name: str, edit: QLineEdit, mode: QFileDialog.FileMode) -> None:
        dialog = file_dialog(self, name)
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(edit.setText)
        dialog.open()

    def _forget(self) -> None:
        """Another file is named: it is to be read first."""
        self._planned = None
        self.button.setText("Read")
        self.show_message("" if self.set.count() else NO_SET)
        self.set_ready(bool(self.set.currentText() and self.buzzes.text().strip()))

    def _go(self) -> None:
        if self._planned is None:
            self._read()
        else:
            self._keep(self._planned)

    def _read(self) -> None:
        name, buzzes = self.set.currentText(), Path(self.buzzes.text().strip())
        questions = Path(text) if (text := self.questions.text().strip()) else None
        cancellation = Cancellation()

        def do(_: Progress) -> RoomImport:
            return self._app.recorded_rooms.plan(name, buzzes, questions, cancellation)

        self.run_job(self._jobs, "Reading the buzzes…", do, self._show, cancel=cancellation.cancel)

    def _show(self, planned: RoomImport) -> None:
        self.show_message("\n".join([planned.sentence, *planned.remarks]))
        if planned.recorded:
            self._planned = planned
            self.button.setText("Keep the buzzes")

    def _keep(self, planned: RoomImport) -> None:
        def do(_: Progress) -> int:
            return len(self._app.recorded_rooms.record(planned))

        def then(_: int) -> None:
            self._forget()
            self.set_ready(False)
            self.name_close_button("Close")
            self.show_message(f"Kept: {planned.sentence}")
            self.recorded.emit()
            self.close_button.setFocus()

        self.run_job(self._jobs, "Keeping the buzzes…", do, then)
