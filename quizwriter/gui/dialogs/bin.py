"""*File > Bin…*: the tossups that were thrown away, to be put back or removed for good."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from quizwriter.domain.answer_line import without_markup
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import plain_table, widen_columns
from quizwriter.gui.widgets.labels import tree_row
from quizwriter.services.wiring import App
from quizwriter.store.summaries import TossupSummary
from quizwriter.workflow.dates import day
from quizwriter.workflow.wording import counted_noun


class BinDialog(Dialog):
    """Lists what is in the bin. ``restored`` and ``emptied`` carry the ids of tossups after that happened."""

    restored = Signal(object)
    emptied = Signal(object)

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Bin", parent, size=(720, 480))
        self._app, self._jobs = app, jobs
        self._tossups: tuple[TossupSummary, ...] = ()
        self._summary = self.label("", TextStyle.CAPTION)
        self.list = plain_table("Tossups in the bin", "Answer", "Text begins", "Set", "Deleted")
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.list.header().setStretchLastSection(True)
        widen_columns(self.list, theme.px, 170, 270, 110)
        self.list.itemSelectionChanged.connect(self._allow)
        self.body.addWidget(self._summary)
        self.body.addWidget(self.list, 1)
        self.empty_button = self.add_aside("Empty the bin…", self._ask)
        self.restore_button = self.add_primary("Restore", self.restore)
        self.fill(False, self.list, self.empty_button, self.restore_button)
        self._read()

    def _read(self) -> None:
        self.run_job(self._jobs, "Reading the bin…", lambda _: self._app.tossups.bin_contents(), self._show)

    def _show(self, tossups: tuple[TossupSummary, ...]) -> None:
        self._tossups = tossups
        self.list.clear()
        for one in tossups:
            answer = without_markup(one.answer_line) or "No answer yet"
            cells = [answer, one.opening, one.set_name, day(one.binned_ms)]
            self.list.addTopLevelItem(tree_row(cells, one.tossup_id))
        if first := self.list.topLevelItem(0):
            first.setSelected(True)
        self._summary.setText(
            f"{counted_noun(len(tossups), 'tossup')} in the bin. You can restore each tossup until you "
            "empty the bin."
            if tossups
            else "The bin is empty. Deleted tossups are kept here until you empty it."
        )
        self.fill(bool(tossups), self.list, self.empty_button, self.restore_button)
        self._allow()

    def _allow(self) -> None:
        self.set_ready(bool(self.list.selectedItems()))
        self.empty_button.setEnabled(bool(self._tossups) and not self.busy)

    def restore(self) -> None:
        keys = [item.data(0, Qt.ItemDataRole.UserRole) for item in self.list.selectedItems()]

        def then(_: object) -> None:
            self.restored.emit(keys)
            self._read()

        self.run_job(
            self._jobs, "Restoring…", lambda _: self._app.tossups.put_in_bin(keys, binned=False), then
        )

    def _ask(self) -> None:
        question = EmptyBinDialog(self._theme, len(self._tossups), self)
        question.confirmed.connect(self.empty)
        question.open()

    def empty(self) -> None:
        """Remove what is listed from the database, after a backup."""
        keys = [one.tossup_id for one in self._tossups]

        def then(erased: tuple[str, ...]) -> None:
            self.emptied.emit(list(erased))
            self._read()

        self.run_job(
            self._jobs,
            "Making a backup and removing the tossups…",
            lambda _: self._app.tossups.empty_bin(keys),
            then,
            closable=False,
        )


class EmptyBinDialog(Dialog):
    """Asks whether the bin is to be emptied; ``confirmed`` says yes."""

    confirmed = Signal()

    def __init__(self, theme: Theme, count: int, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Empty the bin", parent, width=440)
        self.body.addWidget(
            self.label(
                f"{counted_noun(count, 'tossup')} with all histories and comments will be permanently "
                "deleted from your database. QuizWriter makes a backup first and keeps it until you delete "
                "it: File > Restore from backup…. Other people keep their copies."
            )
        )
        self.add_primary(f"Remove {counted_noun(count, 'tossup')}", self._confirm)
        self.name_close_button("Cancel")

    def _confirm(self) -> None:
        self.confirmed.emit()
        self.accept()
