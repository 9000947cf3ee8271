"""The list of problems, which slides up from the status line over the time line."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPoint, QPropertyAnimation, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.workflow.wording import counted_noun

HEIGHT = 196
"""Pixels of the list: five problems and the buttons."""

EMPTY = "Nothing here needs to be looked at."
_WIDE = 620
"""Pixels from which the list has a column for the rules."""


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
    current row. ``closed``: the list was hidden. ``shown_over`` carries how many pixels above the status line
    it covers.
    """

    chosen = Signal(int)
    visited = Signal(int)
    fix_wanted = Signal()
    dismissal_wanted = Signal()
    return_wanted = Signal()
    style_wanted = Signal()
    closed = Signal()
    shown_over = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: tuple[ProblemRow, ...] = ()
        self._beside: QWidget | None = None
        self._below: QWidget | None = None
        self._slide = QPropertyAnimation(self, b"geometry", self)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.setAccessibleName("Problems")
        self._title = plain_label("Problems", wrap=False)
        self._count = plain_label("", wrap=False)
        self.fix_button = outlined("Fix", self.fix_wanted.emit)
        self.fix_button.setToolTip("Write what is meant (Ctrl+.)")
        self.dismiss_button = outlined("Dismiss…", self._dismiss_or_return)
        self.dismiss_button.setToolTip(
            "Say why this is no problem; it stays so while the words stay (Ctrl+.)"
        )
        self.style_button = outlined("Style sheet…", self.style_wanted.emit)
        self.style_button.setToolTip("Which rules the tossups of this set follow")
        shut = IconButton(
            theme, Icon.CLOSE, "Hide the problems (Ctrl+F8)", self.close_list, name="Hide the problems"
        )
        head = self._head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._count)
        head.addStretch(1)
        for button in (self.fix_button, self.dismiss_button, self.style_button, shut):
            head.addWidget(button)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Problems of the draft")
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setAllColumnsShowFocus(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.currentItemChanged.connect(self._current_changed)
        self.tree.itemClicked.connect(lambda *_: self.chosen.emit(self.current))
        self.tree.itemActivated.connect(lambda *_: self.visited.emit(self.current))
        self._empty = plain_label(EMPTY, wrap=False)
        column = column_of(head, (self.tree, 1), on=self, margins=(16, 8, 8, 8), spacing=4)
        column.addWidget(self._empty, 1, Qt.AlignmentFlag.AlignCenter)
        self.tree.installEventFilter(self)
        theme.follow(self._apply_theme)
        self.show_rows(())
        self.hide()

    def lie_over(self, window: QWidget, *, beside: QWidget, below: QWidget) -> None:
        """Lie over the bottom of ``window``, as wide as ``beside`` and above ``below``, once it is opened."""
        self.setParent(window)
        self._beside, self._below = beside, below
        for widget in (window, beside, below):
            widget.installEventFilter(self)
        self.hide()

    # -- what it shows

    def show_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Show ``rows`` instead of the former ones; the current one stays if it is still there."""
        rows = tuple(rows)
        if rows == self._rows and self.tree.topLevelItemCount() == len(rows):
            return
        before, at = self.current_row, self.current
        self._rows = rows
        self.tree.blockSignals(True)
        self.tree.clear()
        for row in rows:
            said = f"{row.sentence} Dismissed: {row.reason}" if row.reason else row.sentence
            item = QTreeWidgetItem([said, row.title])
            item.setToolTip(0, plain_tooltip(said))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.title}: {said}")
            self.tree.addTopLevelItem(item)
        self._colour_rows()
        same = [number for number, row in enumerate(rows) if row == before]
        if same:
            nearest = min(same, key=lambda number: abs(number - at))
            found = self.tree.topLevelItem(nearest)
            if found is not None:
                self.tree.setCurrentItem(found)
        self.tree.blockSignals(False)
        self.tree.setVisible(bool(rows))
        self._empty.setVisible(not rows)
        dismissed = sum(bool(row.reason) for row in rows)
        told = f"{counted_noun(dismissed, 'dismissed one')}" if dismissed else ""
        self._count.setText(f"{len(rows) - dismissed}" + (f", and {told}" if told else ""))
        self._enable_buttons()

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
        self.tree.blockSignals(True)
        item = self.tree.topLevelItem(number)
        if item is not None:
            self.tree.setCurrentItem(item)
            self.tree.scrollToItem(item)
        self.tree.blockSignals(False)
        self._enable_buttons()

    # -- opening and closing

    @property
    def is_open(self) -> bool:
        return not self.isHidden()

    def open_list(self) -> None:
        if self.is_open or self._beside is None:
            return
        end = self._place()
        duration = self._theme.animation_ms if self.window().isVisible() else 0
        self.setGeometry(end if not duration else QRect(end.left(), end.bottom(), end.width(), 0))
        self.show()
        self.raise_()
        if duration:
            self._slide.stop()
            self._slide.setDuration(duration)
            self._slide.setStartValue(self.geometry())
            self._slide.setEndValue(end)
            self._slide.start()
        self.shown_over.emit(HEIGHT)

    def close_list(self) -> None:
        if self.is_open:
            self._slide.stop()
            self.hide()
            self.shown_over.emit(0)
            self.closed.emit()

    def _place(self) -> QRect:
        window, beside, below = self.parentWidget(), self._beside, self._below
        assert window is not None
        assert beside is not None
        assert below is not None
        left = beside.mapTo(window, QPoint(0, 0)).x()
        bottom = below.mapTo(window, QPoint(0, 0)).y()
        height = min(HEIGHT, bottom)
        return QRect(left, bottom - height, beside.width(), height)

    # -- Qt's

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = event.key() if isinstance(event, QKeyEvent) and watched is self.tree else None
        if event.type() == QEvent.Type.KeyPress and pressed in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._dismiss_or_return()
            return True
        moved = event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and watched is not self.tree
        if moved and self.is_open:
            self._slide.stop()
            self.setGeometry(self._place())
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.tree.setColumnHidden(1, self.width() < _WIDE)
        self.style_button.show()  # it stands in the menu, too, where there is no room for it
        self.style_button.setVisible(self._head.sizeHint().width() <= self.contentsRect().width() - 24)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_list()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)  # not by a palette, which a change of the theme passes by while it is hidden
        painter.fillRect(self.rect(), QColor(self._theme.tokens.chrome))
        painter.fillRect(0, 0, self.width(), 1, QColor(self._theme.tokens.line))

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

    def _colour_rows(self) -> None:
        tokens = self._theme.tokens
        for number, row in enumerate(self._rows):
            item = self.tree.topLevelItem(number)
            if item is not None:
                item.setForeground(0, QColor(tokens.soft if row.reason else tokens.ink))
                item.setForeground(1, QColor(tokens.soft))

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.update()
        self._title.setFont(self._theme.font(bold=True))
        for label in (self._count, self._empty):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {tokens.soft};")
        self.tree.setFont(self._theme.font())
        self._colour_rows()
