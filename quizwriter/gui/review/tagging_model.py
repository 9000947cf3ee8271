"""The list of the tossups that are tagged together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from quizwriter.domain.answer_line import main_answer
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import draw_check
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.workflow.queue import QueueRow

_Index = QModelIndex | QPersistentModelIndex


class TaggingModel(QAbstractListModel):
    """The tossups, with a mark at those that are done with."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: Sequence[QueueRow] = ()
        self._places: dict[str, int] = {}
        self._pictures: dict[bool, QPixmap] = {}
        theme.changed.connect(self._pictures.clear)
        self._done: Callable[[str], bool] = bool

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        name = main_answer(row.answer_line) or row.opening or "New tossup"
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(name)
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(self._theme.px(120), self._theme.px(28))
        done = self._done(row.tossup_id)
        if role == Qt.ItemDataRole.DecorationRole:
            if done not in self._pictures:
                self._pictures[done] = self._picture(done=done)
            return self._pictures[done]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{name}, done" if done else name
        return None

    def show_rows(self, rows: Sequence[QueueRow], done: Callable[[str], bool]) -> None:
        """List ``rows``; ``done`` says whether one is done with."""
        self.beginResetModel()
        self._rows, self._done = rows, done
        self._places = {row.tossup_id: place for place, row in enumerate(rows)}
        self.endResetModel()

    def refresh(self, key: str) -> None:
        index = self.index(self._places[key])
        self.dataChanged.emit(index, index)

    def _picture(self, *, done: bool) -> QPixmap:
        side = self._theme.px(14)
        picture = QPixmap(side, side)
        picture.fill(Qt.GlobalColor.transparent)
        if done:
            painter = QPainter(picture)
            draw_check(painter, QRectF(1, 1, side - 2, side - 2), QColor(self._theme.tokens.right))
            painter.end()
        return picture
