"""The list of problems, which has the right column while it is open."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import STRETCH, column_of, row_of
from quizwriter.workflow.wording import counted_noun

EMPTY = "No problems."

ROW_SIDE, ROW_ENDS = 11, 12
"""Pixels at each side of the sentence of a row, the style sheet's and Qt's; and those above and below."""


class ProblemRow(msgspec.Struct, frozen=True):
    """A line of the list: the ``sentence`` on it, the ``title`` of its rule, and what can be done.

    ``fix`` is what the words would be; None where a person has to say it. ``reason`` is why somebody
    dismissed it; empty while nobody did.
    """

    sentence: str
    title: str
    fix: str | None = None
    reason: str = ""


class ProblemList(QWidget):
    """The problems of the draft, one of them current; those that were dismissed stand last.

    ``chosen`` carries the row that the writer chose, ``visited`` the row that was opened with Enter or twice
    clicked. ``fix_wanted``, ``dismissal_wanted`` and ``return_wanted`` (of what was dismissed) are about the
    current row. ``opened`` and ``closed`` ask the window to show it and to hide it.
    """

    chosen = Signal(int)
    visited = Signal(int)
    fix_wanted = Signal()
    dismissal_wanted = Signal()
    return_wanted = Signal()
    style_wanted = Signal()
    opened = Signal()
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[ProblemRow, ...] = ()
        self.is_open = False
        self.setAccessibleName("Problems")
        self._title = plain_label("Problems", wrap=False)
        self._count = plain_label("", wrap=False)
        self.fix_button = outlined("Fix", self.fix_wanted.emit)
        self.fix_button.setToolTip("Fix this problem (Ctrl+.)")
        self.dismiss_button = outlined("Dismiss…", self._dismiss_or_return)
        self.dismiss_button.setToolTip(
            "Say why this is not a problem; it stays dismissed until its words change (Ctrl+.)"
        )
        self.style_button = outlined("Style sheet…", self.style_wanted.emit)
        self.style_button.setToolTip("The rules for the tossups of this set")
        shut = IconButton(
            theme, Icon.CLOSE, "Hide the problems (Ctrl+F8)", self.close_list, name="Hide the problems"
        )
        head = row_of(self._title, self._count, STRETCH, shut, spacing=8)
        self._foot = row_of(self.fix_button, self.dismiss_button, self.style_button, STRETCH, spacing=8)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Problems of the draft")
        self.tree.setColumnCount(1)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setWordWrap(True)
        self.tree.setAllColumnsShowFocus(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.currentItemChanged.connect(self._current_changed)
        self.tree.itemClicked.connect(lambda *_: self.chosen.emit(self.current))
        self.tree.itemActivated.connect(lambda *_: self.visited.emit(self.current))
        self._empty = plain_label(EMPTY, wrap=False)
        column = column_of(head, (self.tree, 1), on=self, margins=(16, 12, 12, 12), spacing=8)
        column.addWidget(self._empty, 1, Qt.AlignmentFlag.AlignCenter)
        column.addLayout(self._foot)
        self.tree.installEventFilter(self)
        self.tree.viewport().installEventFilter(self)
        theme.follow(self._apply_theme)
        self.show_rows(())

    # -- what it shows

    def show_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Show ``rows`` instead of the former ones; the current one stays, or what came after it is next."""
        rows = tuple(rows)
        if rows == self._rows and self.tree.topLevelItemCount() == len(rows):
            return
        before, at = self.current_row, self.current
        self._rows = rows
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for row in rows:
                said = f"{row.sentence} Dismissed: {row.reason}" if row.reason else row.sentence
                item = QTreeWidgetItem([said])
                item.setToolTip(0, plain_tooltip(f"{said}\n{row.title}"))
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.title}: {said}")
                self.tree.addTopLevelItem(item)
            self._colour_rows()
            self._fit_rows()
            same = [number for number, row in enumerate(rows) if row == before]
            nearest = min(same, key=lambda number: abs(number - at)) if same else min(at, len(rows) - 1)
            found = self.tree.topLevelItem(nearest) if before is not None else None
            if found is not None:
                self.tree.setCurrentItem(found)
        self.tree.setVisible(bool(rows))
        self._empty.setVisible(not rows)
        dismissed = sum(bool(row.reason) for row in rows)
        told = f"{counted_noun(dismissed, 'dismissed one')}" if dismissed else ""
        self._count.setText(f"{len(rows) - dismissed}" + (f", and {told}" if told else "") if rows else "")
        self._enable_buttons()
        focus = QApplication.focusWidget()
        if found is not None and not same and focus is not None and self.isAncestorOf(focus):
            self.chosen.emit(self.current)  # the draft shows what the buttons are about

    @property
    def rows(self) -> tuple[ProblemRow, ...]:
        return self._rows

    @property
    def current(self) -> int:
        """The number of the current row; -1 if there is none."""
        return self.tree.indexOfTopLevelItem(item) if (item := self.tree.currentItem()) is not None else -1

    @property
    def current_row(self) -> ProblemRow | None:
        return self._rows[self.current] if 0 <= self.current < len(self._rows) else None

    def make_current(self, number: int) -> None:
        """Make a row current without telling that the writer chose it."""
        with QSignalBlocker(self.tree):
            item = self.tree.topLevelItem(number)
            if item is not None:
                self.tree.setCurrentItem(item)
                self.tree.scrollToItem(item)
        self._enable_buttons()

    # -- opening and closing

    def open_list(self) -> None:
        if not self.is_open:
            self.is_open = True
            self.opened.emit()

    def close_list(self) -> None:
        if self.is_open:
            self.is_open = False
            self.closed.emit()

    # -- Qt's

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = event.key() if isinstance(event, QKeyEvent) and watched is self.tree else None
        if event.type() == QEvent.Type.KeyPress and pressed in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._dismiss_or_return()
            return True
        if event.type() == QEvent.Type.Resize and watched is self.tree.viewport():
            self._fit_rows()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.style_button.show()  # it stands in the menu, too, where there is no room for it
        self.style_button.setVisible(self._foot.sizeHint().width() <= self.contentsRect().width() - 24)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_list()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)  # not by a palette, which a change of the theme passes by while it is hidden
        painter.fillRect(self.rect(), QColor(self._theme.tokens.page))

    # -- ours

    def _current_changed(self) -> None:
        self._enable_buttons()
        if self.tree.hasFocus():
            self.chosen.emit(self.current)

    def _dismiss_or_return(self) -> None:
        row = self.current_row
        if row is not None:
            (self.return_wanted if row.reason else self.dismissal_wanted).emit()

    def _enable_buttons(self) -> None:
        row = self.current_row
        fixable = row is not None and row.fix is not None and not row.reason
        self.fix_button.setEnabled(fixable)
        self.dismiss_button.setEnabled(row is not None)
        self.dismiss_button.setText("Count it again" if row is not None and row.reason else "Dismiss…")

    def _fit_rows(self) -> None:
        """Give each row the height of its whole sentence, which Qt does not."""
        metrics, width = self.tree.fontMetrics(), self.tree.viewport().width() - 2 * ROW_SIDE
        for number in range(len(self._rows)):
            item = self.tree.topLevelItem(number)
            if item is not None:
                room = QRect(0, 0, max(width, 1), 10_000)
                text = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, item.text(0))
                item.setSizeHint(0, QSize(0, text.height() + ROW_ENDS))

    def _colour_rows(self) -> None:
        tokens = self._theme.tokens
        for number, row in enumerate(self._rows):
            item = self.tree.topLevelItem(number)
            if item is not None:
                item.setForeground(0, QColor(tokens.soft if row.reason else tokens.ink))

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.update()
        self._title.setFont(self._theme.font(bold=True))
        for label in (self._count, self._empty):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {tokens.soft};")
        self.tree.setFont(self._theme.font())
        self._fit_rows()
        self._colour_rows()
