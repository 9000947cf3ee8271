"""The three columns: the tossup list, the draft, the guesses; their widths, and which of them are shown."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget


class ColumnLayout(QSplitter):
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
        self.setSizes([208, 640, 432])
        self._machine_chosen = False  # whether the writer has said how high the guesses should be
        self._machine.splitterMoved.connect(self._choose_machine)
        self._hidden_for_writing: tuple[QWidget, ...] = (self._tossups, self._machine)

    def show_tossups(self) -> None:
        """Show the list."""
        self._tossups.show()

    def show_players_side(self) -> None:
        """Show the guesses and the evidence."""
        self._machine.show()

    def fit_guesses(self, pixels: int) -> None:
        """Give the guesses ``pixels`` of height, unless the writer chose otherwise or it is too much."""
        whole = self._machine.height()
        if not self._machine_chosen and whole:
            given = min(pixels, whole * 3 // 5)
            self._machine.setSizes([given, whole - given])

    def toggle_tossups(self) -> None:
        """Hide or show the list."""
        self._toggle(self._tossups)

    def toggle_players(self) -> None:
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
        places.setValue("chosen", int(self._machine_chosen))
        places.setValue("hidden", [int(self._tossups.isHidden()), int(self._machine.isHidden())])

    def restore(self, places: QSettings) -> None:
        """Put everything where it was kept."""
        for key, splitter in (("across", self), ("right", self._machine)):
            state = places.value(key)
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        self._machine_chosen = places.value("right") is not None and str(places.value("chosen")) == "1"
        hidden = places.value("hidden")
        if isinstance(hidden, list) and len(hidden) == 2:
            self._tossups.setHidden(str(hidden[0]) == "1")
            self._machine.setHidden(str(hidden[1]) == "1")

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
