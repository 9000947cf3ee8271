"""The three columns: the tossup list, the draft, the guesses; their widths, and which of them are shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from quizwriter.gui.widgets.saved_layout import ColumnSizes


class ColumnLayout(QSplitter):
    """``moved`` says that there is something new to save, ``left`` that what had the keyboard hid."""

    moved = Signal()
    left = Signal()

    def __init__(self, tossups: QWidget, writing: QWidget, guesses: QWidget, evidence: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._tossups = tossups
        self._machine = QSplitter(Qt.Orientation.Vertical)
        self._machine.addWidget(guesses)
        self._machine.addWidget(evidence)
        self._machine.setStretchFactor(0, 0)
        self._machine.setStretchFactor(1, 1)
        self._least = {tossups: 150, writing: 360, self._machine: 256}
        self._folded = False  # whether the list is hidden for want of room
        for pane, stretch in ((tossups, 0), (writing, 2), (self._machine, 1)):
            pane.setMinimumWidth(self._least[pane])
            self.addWidget(pane)
            self.setStretchFactor(self.indexOf(pane), stretch)
        self.setCollapsible(1, False)
        for splitter in (self, self._machine):
            splitter.setHandleWidth(1)
            splitter.splitterMoved.connect(self.moved)
        self.setSizes([208, 640, 432])
        self._machine_chosen = False  # whether the writer has said how high the guesses should be
        self._guesses_need = 0  # pixels of height
        self._machine.splitterMoved.connect(self._choose_machine)
        self._hidden_for_writing: tuple[QWidget, ...] = (self._tossups, self._machine)

    def fit_letters(self, px: Callable[[float], int]) -> None:
        """Give the columns beside the draft the least widths that letters of the present size need."""
        for pane in (self._tossups, self._machine):
            pane.setMinimumWidth(px(self._least[pane]))
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fold()
        if event.oldSize().height() != event.size().height() and self._guesses_need:
            self.fit_guesses(self._guesses_need)
        self.moved.emit()  # the window has another size, which is saved, too

    def _fold(self) -> None:
        """Hide the list while there is no room for all three columns; F9 shows it all the same."""
        least = sum(
            pane.minimumWidth() for pane in self._least if pane is self._tossups or not pane.isHidden()
        )
        fits = self.width() >= least
        if not fits and not self._folded and not self._tossups.isHidden() and self.isVisible():
            self._show(self._tossups, shown=False)
            self._folded = True
        elif fits and self._folded:
            self._show(self._tossups, shown=True)
            self._folded = False

    def show_tossups(self) -> None:
        self._tossups.show()

    def show_players_side(self) -> None:
        self._machine.show()

    def fit_guesses(self, pixels: int) -> None:
        """Give the guesses ``pixels`` of height, unless the writer chose otherwise or it is too much."""
        self._guesses_need = pixels
        whole = self._machine.height()
        if not self._machine_chosen and whole:
            given = min(pixels, whole * 3 // 5)
            self._machine.setSizes([given, whole - given])

    def toggle_tossups(self) -> None:
        self._toggle(self._tossups)

    def toggle_players(self) -> None:
        self._toggle(self._machine)

    def toggle_all_but_writing(self) -> None:
        """Leave the writing alone, or bring back what was beside it before."""
        beside = tuple(pane for pane in (self._tossups, self._machine) if not pane.isHidden())
        if beside:
            self._hidden_for_writing = beside
        for pane in beside or self._hidden_for_writing:
            self._show(pane, shown=not beside)

    def sizes_to_save(self) -> ColumnSizes:
        """The present sizes, for :meth:`restore`."""
        return ColumnSizes(
            across=tuple(self.sizes()),
            right=tuple(self._machine.sizes()),
            right_chosen=self._machine_chosen,
            tossups_hidden=self._tossups.isHidden() and not self._folded,
            players_hidden=self._machine.isHidden(),
        )

    def restore(self, saved: ColumnSizes) -> None:
        """Give everything the size that it had when ``saved`` was made."""
        for sizes, splitter in ((saved.across, self), (saved.right, self._machine)):
            if len(sizes) == splitter.count() and any(sizes):
                splitter.setSizes(list(sizes))
        self._machine_chosen = saved.right_chosen
        self._tossups.setHidden(saved.tossups_hidden)
        self._machine.setHidden(saved.players_hidden)

    def _choose_machine(self) -> None:
        self._machine_chosen = True

    def _toggle(self, pane: QWidget) -> None:
        self._show(pane, shown=pane.isHidden())

    def _show(self, pane: QWidget, *, shown: bool) -> None:
        focus = QApplication.focusWidget()
        if not shown and focus is not None and pane.isAncestorOf(focus):
            self.left.emit()  # or Qt chooses, and the next key lands anywhere
        pane.setVisible(shown)
        self.moved.emit()
