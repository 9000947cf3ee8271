"""The three columns: the tossup list, the draft, the guesses; their widths, and which of them are shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget

from quizwriter.gui.widgets.saved_layout import ColumnSizes

LIST, RIGHT = 208, 384
"""Pixels of the columns left and right at first."""

LIST_SHARE, RIGHT_SHARE = 0.1625, 0.3
"""The most of a narrow window that each takes unless the writer drags it: text comes first."""


class ColumnLayout(QSplitter):
    """Guesses and evidence share the column on the right with other pages, of which one is in sight.

    ``moved`` says that there is something new to save, ``left`` that what had the keyboard hid, ``turned``
    that another page came into sight or none is.
    """

    moved = Signal()
    left = Signal()
    turned = Signal()

    def __init__(
        self,
        tossups: QWidget,
        writing: QWidget,
        guesses: QWidget,
        evidence: QWidget,
        around: Callable[[QWidget], QWidget] = lambda machine: machine,
    ) -> None:
        """``around`` gets the guesses with their evidence, and gives the page on the right they are in."""
        super().__init__(Qt.Orientation.Horizontal)
        self._tossups = tossups
        self._machine = QSplitter(Qt.Orientation.Vertical)
        self._machine.installEventFilter(self)
        self._machine.addWidget(guesses)
        self._machine.addWidget(evidence)
        self._machine.setStretchFactor(0, 0)
        self._machine.setStretchFactor(1, 1)
        self._right = QStackedWidget()
        self._players = around(self._machine)
        self._right.addWidget(self._players)
        self._least = {tossups: 168, writing: 360, self._right: 256}
        self._least_writing = self._least[writing]
        self._folded = False  # whether the list is hidden for want of room
        for pane in (tossups, writing, self._right):
            pane.setMinimumWidth(self._least[pane])
            self.addWidget(pane)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        for splitter in (self, self._machine):
            splitter.setHandleWidth(1)
            splitter.splitterMoved.connect(self.moved)
        self._list_width = LIST  # pixels, also while it is hidden
        self._list_dragged = False
        self._right_width = RIGHT  # pixels, also while it is closed
        self._right_dragged = False
        self._fit_columns()
        self._machine_chosen = False  # whether the writer has said how high the guesses should be
        self._guesses_need = 0  # pixels of height
        self._machine.splitterMoved.connect(self._choose_machine)
        self.splitterMoved.connect(self._note_width)
        self._alone = False  # whether there is the writing alone
        self._hidden_for_writing: tuple[QWidget, ...] = ()
        self._closes_after_page = False

    def fit_letters(self, px: Callable[[float], int]) -> None:
        """Give the columns beside the draft the least widths that letters of the present size need."""
        for pane in (self._tossups, self._right):
            pane.setMinimumWidth(px(self._least[pane]))
        self._fold()
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fold()
            self._fit_columns()
        self.moved.emit()  # the window has another size, which is saved, too

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fold()  # a window gets its size before it is in sight
        self._fit_columns()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._guesses_need:
            self.fit_guesses(self._guesses_need)
        return False

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

    def _fit_columns(self) -> None:
        """Give each column its width, and what is left to the writing."""
        seen = [width for pane, width in self._beside() if not pane.isHidden()]
        left = self.width() - sum(seen) - len(seen) * self.handleWidth()
        # With 0 pixels, a hidden one would come back in its least width.
        self.setSizes([self.list_width, max(self._least_writing, left), self.right_width])

    def _beside(self) -> tuple[tuple[QWidget, int], ...]:
        """The panes beside the writing, with their widths when they are in sight."""
        return (self._tossups, self.list_width), (self._right, self.right_width)

    def show_tossups(self) -> None:
        if self._tossups.isHidden():
            self._show(self._tossups, shown=True)

    def show_players_side(self) -> None:
        self._closes_after_page = False
        self._turn_to(self._players)

    def close_right(self) -> None:
        """Leave the room on the right to the writing."""
        if not self._right.isHidden():
            self._show(self._right, shown=False)
            self._right.setCurrentWidget(self._players)

    def add_page(self, page: QWidget) -> None:
        """Have another page on the right, which is not in sight yet."""
        self._right.addWidget(page)

    def show_page(self, page: QWidget) -> None:
        """Show ``page`` on the right until :meth:`leave_page`."""
        if self.page is not page:
            self._closes_after_page = self.page is None
            self._turn_to(page)

    def leave_page(self, page: QWidget) -> None:
        """Go back to what was on the right before ``page``, if it is in sight."""
        if self.page is page:
            if self._closes_after_page:
                self.close_right()
            else:
                self._turn_to(self._players)

    @property
    def page(self) -> QWidget | None:
        """The page in sight on the right; None while there is none."""
        return None if self._right.isHidden() else self._right.currentWidget()

    @property
    def shows_players(self) -> bool:
        """Whether the page with guesses and evidence is in sight."""
        return self.page is self._players

    @property
    def list_width(self) -> int:
        """Pixels that the list takes, or would take."""
        most = self._list_width if self._list_dragged else round(LIST_SHARE * self.width())
        room = self.width() - self._least_writing - self.handleWidth()
        if self.page is not None:
            room -= self.right_width + self.handleWidth()
        return max(min(self._list_width, most, room), self._tossups.minimumWidth())

    @property
    def right_width(self) -> int:
        """Pixels that the right column takes, or would take."""
        most = self._right_width if self._right_dragged else round(RIGHT_SHARE * self.width())
        return max(min(self._right_width, most), self._right.minimumWidth())

    @property
    def free_width(self) -> int:
        """Pixels that the writing leaves to a closed right column, so that no line breaks anew."""
        return 0 if self.page else self.right_width + self.handleWidth()

    def _turn_to(self, page: QWidget) -> None:
        before = self.page
        if before is not None and before is not page:
            self._take_keyboard_from(before)
        self._right.setCurrentWidget(page)
        if before is None:
            self._show(self._right, shown=True)
        elif before is not page:
            self.turned.emit()

    def fit_guesses(self, pixels: int) -> None:
        """Give the guesses ``pixels`` of height, unless the writer chose otherwise or it is too much."""
        self._guesses_need = pixels
        whole = self._machine.height()
        if not self._machine_chosen and whole:
            evidence = self._machine.widget(1)  # which comes before the guesses where both are low
            least = evidence.minimumSizeHint().height() if evidence is not None else 0
            most = whole * 3 // 5
            if pixels > whole * 2 // 3:  # they scroll anyway
                most = whole // 2
            given = min(pixels, most, max(whole - least, whole // 3))
            self._machine.setSizes([given, whole - given])

    def toggle_tossups(self) -> None:
        self._show(self._tossups, shown=self._tossups.isHidden())

    def leave_writing_alone(self, *, alone: bool) -> None:
        """Hide what is beside the writing, or bring it back."""
        if alone is self._alone:
            return
        self._alone = alone
        if alone:
            self._hidden_for_writing = tuple(pane for pane, _ in self._beside() if not pane.isHidden())
        for pane in self._hidden_for_writing:
            self._show(pane, shown=not alone)

    def sizes_to_save(self) -> ColumnSizes:
        """The present sizes, for :meth:`restore`."""
        hidden = {
            pane: pane.isHidden() and not (self._alone and pane in self._hidden_for_writing)
            for pane, _ in self._beside()
        }
        return ColumnSizes(
            across=(self._list_width, self.sizes()[1], self._right_width),
            right=tuple(self._machine.sizes()),
            right_chosen=self._machine_chosen,
            tossups_hidden=hidden[self._tossups] and not self._folded,
            players_hidden=hidden[self._right],
        )

    def restore(self, saved: ColumnSizes) -> None:
        """Give everything the size that it had when ``saved`` was made."""
        if len(saved.right) == self._machine.count() and any(saved.right):
            self._machine.setSizes(list(saved.right))
        if len(saved.across) == self.count():
            left, _, right = saved.across
            self._list_width, self._right_width = left or LIST, right or RIGHT
            self._list_dragged, self._right_dragged = self._list_width != LIST, self._right_width != RIGHT
        self._machine_chosen = saved.right_chosen
        self._tossups.setHidden(saved.tossups_hidden)
        self._right.setHidden(saved.players_hidden)
        self._fit_columns()
        self.turned.emit()

    def _choose_machine(self) -> None:
        self._machine_chosen = True

    def _take_keyboard_from(self, pane: QWidget) -> None:
        """Say that ``pane`` hides, if it has the keyboard: or Qt chooses, and the next key lands anywhere."""
        focus = QApplication.focusWidget()
        if focus is not None and pane.isAncestorOf(focus):
            self.left.emit()

    def _show(self, pane: QWidget, *, shown: bool) -> None:
        if not shown:
            self._take_keyboard_from(pane)
        if pane is self._right:
            if shown:
                self._open_right()
            else:
                pane.hide()
            self.turned.emit()
        else:
            pane.setVisible(shown)
            self._fit_columns()
        self.moved.emit()

    def _open_right(self) -> None:
        """Show the right column at once in its width, whose pixels the writing gives.

        Qt would show it in its least width first, and all that is in it would be laid out twice.
        """
        least = self._right.minimumWidth()
        self._right.setMinimumWidth(self.right_width)
        self._right.show()
        self.handle(self.indexOf(self._right)).show()
        self._right.setMinimumWidth(least)
        self._fold()
        self._fit_columns()

    def _note_width(self, _: int, handle: int) -> None:
        if handle == 1:
            self._list_width, self._list_dragged = self._tossups.width(), True
            if self._right.width() < self.right_width:
                self._fit_columns()  # the list takes the writing's room, and none of the right column's
        else:
            self._right_width, self._right_dragged = self._right.width(), True
