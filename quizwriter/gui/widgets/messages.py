"""What the window says around the panes: bars for troubles, the status line, and the search of actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from quizwriter.gui.theme import Theme, draw_check, mixed

BRIEF_MS = 5_000
"""How long good news stays."""

ROW, MOST = 28, 14
"""Pixels of a row in the search of actions, and how many are shown without scrolling."""

Remedy = tuple[str, Callable[[], object]]
"""A button of a bar: what it says and what it does."""


class MessageBars(QWidget):
    """Messages above the panes, one of each kind at a time; never in the way of the keyboard."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._messages: dict[str, _MessageBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self.hide()

    def show_message(
        self, kind: str, text: str, remedies: Sequence[Remedy] = (), *, brief: bool = False
    ) -> None:
        """Show ``text``; it replaces what was said of the same ``kind``, and goes by itself if ``brief``."""
        self.dismiss(kind)
        bar = _MessageBar(self._theme, text, remedies, lambda: self.dismiss(kind), brief=brief)
        self._messages[kind] = bar
        self._column.addWidget(bar)
        self.show()

    def dismiss(self, kind: str) -> None:
        """Take back what was said of ``kind``."""
        bar = self._messages.pop(kind, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._messages))

    def said(self, kind: str) -> str:
        """What is said of ``kind`` now; empty if nothing."""
        return self._messages[kind].text if kind in self._messages else ""


class _MessageBar(QFrame):
    def __init__(
        self, theme: Theme, text: str, remedies: Sequence[Remedy], close: Callable[[], object], *, brief: bool
    ) -> None:
        super().__init__()
        self.text = text
        self._theme = theme
        self._brief = brief
        label = QLabel(text)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(label, 1)
        for name, do in remedies:
            button = QPushButton(name)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setStyleSheet("font-weight: 600;")
            button.clicked.connect(lambda _=False, do=do: do())
            row.addWidget(button)
        shut = QToolButton()
        shut.setText("✕")
        shut.setToolTip("Close this message")
        shut.setAccessibleName("Close this message")
        shut.clicked.connect(close)
        row.addWidget(shut)
        self.setAccessibleName(text)
        if brief:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.timeout.connect(close)
            timer.start(BRIEF_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        colour = tokens.right if self._brief else tokens.confident
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(mixed(colour, tokens.chrome, 0.12)))
        painter.fillRect(0, 0, 4, self.height(), QColor(colour))


class StatusLine(QWidget):
    """One sentence that is the whole analysis, the size of the draft, and whether it is saved."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sentence = ElidedLabel()
        self._sentence.setAccessibleName("Analysis")
        self._doing = QLabel()
        self._doing.hide()
        self._size = QLabel()
        self._saved = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 16, 6)
        row.setSpacing(24)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._doing)
        row.addWidget(self._size)
        row.addWidget(self._saved)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    @property
    def sentence(self) -> str:
        """What is said of the draft."""
        return self._sentence.text()

    @property
    def saved(self) -> str:
        """What is said of the disk."""
        return self._saved.text()

    def tell(self, sentence: str) -> None:
        """Say ``sentence`` of the draft."""
        self._sentence.setText(sentence)

    def say_doing(self, text: str) -> None:
        """Say what goes on in the background; empty if nothing does."""
        if text != self._doing.text():
            self._doing.setText(text)
            self._doing.setVisible(bool(text))

    @property
    def doing(self) -> str:
        """What is said to go on in the background."""
        return self._doing.text()

    def count(self, characters: int, words: int) -> None:
        """Say how long the draft is."""
        text = f"{characters:,} characters, {words:,} words"
        if text != self._size.text():
            self._size.setText(text)

    def say_saved(self, text: str) -> None:
        """Say whether the draft is on disk."""
        if text != self._saved.text():
            self._saved.setText(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1))
        painter.drawLine(0, 0, self.width(), 0)

    def _apply_theme(self) -> None:
        for label in (self._doing, self._size, self._saved):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self._saved.setMinimumWidth(64)
        self._saved.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ElidedLabel(QWidget):
    """A label that ends in an ellipsis instead of widening the window; the tooltip has it whole."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def setText(self, text: str) -> None:
        """Show ``text``."""
        if text != self._text:
            self._text = text
            self.setToolTip(text)
            self.setAccessibleDescription(text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def plain(name: str) -> str:
    """An action's name without the mark of its access key and without the dots."""
    return name.replace("&", "").removesuffix("…")


class ActionSearch(QFrame):
    """All actions with their keys, narrowed by what is typed; also the answer to "which keys are there?"."""

    def __init__(self, theme: Theme, actions: Sequence[QAction], window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._actions = tuple(actions)
        self._before: QWidget | None = None
        self.setObjectName("floating")
        self.search = QLineEdit()
        self.search.setPlaceholderText("What do you want to do?")
        self.search.setAccessibleName("Search actions")
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(_ActionDelegate(theme, self))
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        self._nothing = QLabel("No action is called so.")
        self._nothing.setContentsMargins(8, 4, 8, 4)
        box.addWidget(self.search)
        box.addWidget(self._nothing)
        box.addWidget(self.list)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list.itemClicked.connect(self._run)
        self.hide()

    def use(self, actions: Sequence[QAction]) -> None:
        """Search among these from now on."""
        self._actions = tuple(actions)
        if self.isVisible():
            self._filter()

    def names(self) -> tuple[str, ...]:
        """The actions listed now."""
        return tuple(
            plain(action.text())
            for row in range(self.list.count())
            if isinstance(action := self.list.item(row).data(Qt.ItemDataRole.UserRole), QAction)
        )

    def open(self, before: QWidget | None) -> None:
        """Show all actions; ``before`` gets the keyboard back afterwards."""
        self._before = before
        window = self.window()
        self.search.clear()
        self._filter()
        self.move((window.width() - self.width()) // 2, 48)
        self.show()
        self.raise_()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search:
            if event.type() == QEvent.Type.FocusOut and self.isVisible():
                self.hide()
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        row, last = self.list.currentRow(), self.list.count() - 1
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif event.key() == Qt.Key.Key_Down:
            self.list.setCurrentRow(min(last, row + 1))
        elif event.key() == Qt.Key.Key_Up:
            self.list.setCurrentRow(max(0, row - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            item = self.list.currentItem()
            if item is not None:
                self._run(item)
        else:
            return False
        return True

    def _run(self, item: QListWidgetItem) -> None:
        action = item.data(Qt.ItemDataRole.UserRole)
        self._leave()
        if isinstance(action, QAction):
            action.trigger()

    def _leave(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus()

    def _filter(self) -> None:
        wanted = self.search.text().strip().casefold().split()
        self.list.clear()
        for action in self._actions:
            name = plain(action.text())
            if not action.isEnabled() or not all(word in name.casefold() for word in wanted):
                continue
            item = QListWidgetItem()
            item.setData(Qt.ItemDataRole.UserRole, action)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name} {action.shortcut().toString()}")
            item.setSizeHint(QSize(100, ROW))
            self.list.addItem(item)
        if self.list.count():
            self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self._nothing.setVisible(not self.list.count())
        room = self.window().height() - 160
        self.list.setFixedHeight(min(MOST, room // ROW, max(1, self.list.count())) * ROW)
        self.adjustSize()
        self.resize(min(520, self.window().width() - 48), self.height())


class _ActionDelegate(QStyledItemDelegate):
    """An action's name and, at the other end, its key."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = self._theme.tokens
        action = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(action, QAction):
            return
        state, rect = option.state, QRectF(option.rect)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(rect, 4, 4)
        inside = rect.adjusted(8, 0, -8, 0)
        painter.setPen(QColor(tokens.on_accent if chosen else tokens.ink))
        painter.setFont(self._theme.font())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignLeft, plain(action.text()))
        painter.setPen(QColor(tokens.on_accent if chosen else tokens.soft))
        painter.setFont(self._theme.font(small=True))
        key = action.shortcut().toString()
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, key)
        painter.restore()


def outlined(text: str, do: Callable[[], object]) -> QPushButton:
    """A button of a dialog that does ``do``; Enter elsewhere in the dialog does not press it."""
    button = QPushButton(text)
    button.setObjectName("outlined")
    button.setAutoDefault(False)
    button.clicked.connect(lambda _=False: do())
    return button


def edge_boxes(widget: QWidget, theme: Theme) -> None:
    """Let boxes to tick be seen: Fusion takes their edges from the window's colour, a shade darker."""
    palette = QPalette(widget.palette())
    palette.setColor(QPalette.ColorRole.Window, QColor(theme.tokens.soft).lighter(140))
    widget.setPalette(palette)


class TickBox(QCheckBox):
    """A box to tick that can be seen in the dark, too; Fusion's own has the colour of what is around it."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__(text)
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        option = QStyleOptionButton()
        self.initStyleOption(option)
        style = self.style()
        box = QRectF(style.subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self))
        box = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(1.0 if self.isEnabled() else 0.5)
        colour = tokens.accent if self.isChecked() or self.hasFocus() else tokens.wrong
        painter.setPen(QPen(QColor(colour), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(tokens.accent if self.isChecked() else tokens.page))
        painter.drawRoundedRect(box, 3, 3)
        if self.isChecked():
            draw_check(painter, box.adjusted(2, 2, -2, -2), QColor(tokens.on_accent))
        label = style.subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter.setOpacity(1.0)
        painter.setPen(QColor(tokens.ink))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextHideMnemonic
        painter.drawText(label, flags, self.text())
