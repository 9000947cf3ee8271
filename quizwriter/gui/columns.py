"""The three columns: the list, the writing, the machine's side; how wide they are and which are shown."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget


class Columns(QSplitter):
    """``moved`` says that there is something new to :meth:`keep`, ``left`` that what had the keyboard hid."""

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
        for pane, least, stretch in ((tossups, 150, 0), (writing, 360, 2), (self._machine, 256, 1)):
            pane.setMinimumWidth(least)
            self.addWidget(pane)
            self.setStretchFactor(self.indexOf(pane), stretch)
        self.setCollapsible(1, False)
        for splitter in (self, self._machine):
            splitter.setHandleWidth(1)
            splitter.splitterMoved.connect(self.moved)
        self.setSizes([220, 680, 380])
        self._hidden_for_writing: tuple[QWidget, ...] = (self._tossups, self._machine)

    def show_tossups(self) -> None:
        """Show the list."""
        self._tossups.show()

    def show_machine(self) -> None:
        """Show the guesses and the evidence."""
        self._machine.show()

    def toggle_tossups(self) -> None:
        """Hide or show the list."""
        self._toggle(self._tossups)

    def toggle_machine(self) -> None:
        """Hide or show the guesses and the evidence."""
        self._toggle(self._machine)

    def toggle_all_but_writing(self) -> None:
        """Leave the writing alone, or bring back what was beside it before."""
        beside = tuple(pane for pane in (self._tossups, self._machine) if not pane.isHidden())
        if beside:
            self._hidden_for_writing = beside
        for pane in beside or self._hidden_for_writing:
            self._show(pane, shown=not beside)

    def keep(self, places: QSettings) -> None:
        """Write down where everything is."""
        places.setValue("across", self.saveState())
        places.setValue("right", self._machine.saveState())
        places.setValue("hidden", [int(self._tossups.isHidden()), int(self._machine.isHidden())])

    def restore(self, places: QSettings) -> None:
        """Put everything where it was kept."""
        for key, splitter in (("across", self), ("right", self._machine)):
            state = places.value(key)
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        hidden = places.value("hidden")
        if isinstance(hidden, list) and len(hidden) == 2:
            self._tossups.setHidden(str(hidden[0]) == "1")
            self._machine.setHidden(str(hidden[1]) == "1")

    def _toggle(self, pane: QWidget) -> None:
        self._show(pane, shown=pane.isHidden())

    def _show(self, pane: QWidget, *, shown: bool) -> None:
        focus = QApplication.focusWidget()
        if not shown and focus is not None and pane.isAncestorOf(focus):
            self.left.emit()  # or Qt chooses, and the next key lands anywhere
        pane.setVisible(shown)
        self.moved.emit()
