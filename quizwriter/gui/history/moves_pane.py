"""The edits that moved the players' buzzes, as a list with the farthest first."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import choice_box, named
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import WrappingLayout, column_of
from quizwriter.workflow.history_analysis import History, HistoryMove
from quizwriter.workflow.wording import edit_line, move_line, player_title, sentence, shifts_line

UNMOVED = "No edit moved a buzz between the versions that the players read."


class MovesPane(QWidget):
    """A list of moves with a choice of whose; ``move_chosen`` carries the HistoryMove that was chosen."""

    move_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._then: History | None = None
        self._today: History | None = None
        self.player_box = choice_box("Player whose buzz was moved")
        self.player_box.currentIndexChanged.connect(self.show_moves)
        self.model = MovesModel(self)
        self.list = named(QListView(), "Edits that moved buzzes, the farthest first")
        self.list.setModel(self.model)
        self.list.setItemDelegate(MoveDelegate(theme, self))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.setStyleSheet("background: transparent; border: none;")
        self.list.clicked.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.empty_label = plain_label(UNMOVED, wrap=False)
        self.empty_label.setWordWrap(True)
        self.empty_label.setContentsMargins(8, 8, 8, 8)
        chooser = WrappingLayout(
            (plain_label("Edits that moved the buzz of", wrap=False), self.player_box), spacing=8
        )
        chooser.setContentsMargins(8, 4, 8, 4)
        column_of(chooser, self.empty_label, (self.list, 1), on=self, margins=(8, 4, 8, 4), spacing=0)
        theme.follow(self._apply_theme)

    def use_histories(self, then: History | None, today: History | None) -> None:
        """Offer the players of the history as it was recorded, and of the same edits read by today's players.

        The list stays until :meth:`show_moves`: finding the moves of a history takes long the first time.
        """
        self._then, self._today = then, today
        options = [
            (is_today, name)
            for is_today, history in ((False, then), (True, today))
            for name in ("", *(history.players if history is not None else ()))
            if not is_today or (history is not None and history.players)
        ]
        box = self.player_box
        if [box.itemData(at) for at in range(box.count())] != options:
            chosen = box.currentData()
            with QSignalBlocker(box):
                box.clear()
                for is_today, name in options:
                    title = player_title(name) if name else "any player"
                    box.addItem(f"{title}{' today' if is_today else ''}", (is_today, name))
                box.setCurrentIndex(options.index(chosen) if chosen in options else 0)

    def show_moves(self) -> None:
        is_today, player = self.player_box.currentData() or (False, "")
        history = self._today if is_today else self._then
        if history is None:
            return
        moves = [move for move in history.moves if move.size(player)]
        if player:
            moves.sort(key=lambda move: -move.size(player))
        self.model.show_moves(moves, player)
        self.empty_label.setVisible(not moves)

    def _choose(self, index: QModelIndex, _: QModelIndex | None = None) -> None:
        if index.isValid():
            self.move_chosen.emit(self.model.moves[index.row()])

    def _apply_theme(self) -> None:
        self.empty_label.setStyleSheet(f"color: {self._theme.tokens.soft};")


class MovesModel(QAbstractListModel):
    """The edits that moved the players' buzzes, as Qt's model."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.moves: list[HistoryMove] = []
        self.whose = ""

    def show_moves(self, moves: list[HistoryMove], whose: str) -> None:
        if (moves, whose) != (self.moves, self.whose):
            self.beginResetModel()
            self.moves, self.whose = moves, whose
            self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return len(self.moves)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        move = self.moves[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return move_line(move, self.whose)
        if role == Qt.ItemDataRole.ToolTipRole:
            edits = (
                f"Edit {move.first:,}"
                if move.first == move.last
                else f"Edits {move.first:,} to {move.last:,}"
            )
            return plain_tooltip(f"{edits}\n{move_line(move, self.whose)}")
        return None


class MoveDelegate(QStyledItemDelegate):
    """Paints two lines of what an edit did, and one of how far it moved which player."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        high = QFontMetricsF(self._theme.font()).height()
        return QSize(160, round(3 * high) + 22)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        model = index.model()
        assert isinstance(model, MovesModel)
        move, tokens = model.moves[index.row()], self._theme.tokens
        state, rect = option.state, QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = rect.adjusted(0, 1, 0, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(tint(tokens.accent, 0.13))
            painter.drawRoundedRect(box, 6, 6)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(tint(tokens.ink, 0.05))
            painter.drawRoundedRect(box, 6, 6)
        font = self._theme.font()
        metrics = QFontMetricsF(font)
        inside = box.adjusted(8, 8, -8, -8)
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink))
        what = QRectF(inside.left(), inside.top(), inside.width(), 2 * metrics.height())
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        text = sentence(edit_line(move.edits))
        used = metrics.boundingRect(what, flags, text).height()
        painter.drawText(what, flags, text)
        painter.setFont(self._theme.font(bold=True))
        painter.setPen(QColor(tokens.accent))
        top = what.top() + min(used, what.height()) + 2
        line = QRectF(inside.left(), top, inside.width(), metrics.height())
        whom = QFontMetricsF(painter.font()).elidedText(
            shifts_line(move.shifts, model.whose), Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(line, Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter, whom)
        painter.restore()
