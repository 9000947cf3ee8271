"""Bars with messages over the bottom of a window, one for each kind of trouble or news."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from quizwriter import __version__
from quizwriter.errors import QuizwriterError
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import Icon, IconButton
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of, row_of

BRIEF_MS = 5_000
"""How long good news stays."""

Remedy = tuple[str, Callable[[], object]]
"""A button of a bar: its text and what it does."""


class MessageBars(QWidget):
    """Messages over the bottom of a window, one of each kind at a time; never in the way of the keyboard.

    They lie over what is there, so that nothing moves under the hand or the pointer: see :meth:`lie_over`.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._messages: dict[str, _MessageBar] = {}
        self._column = column_of(on=self, margins=NO_MARGINS, spacing=0)
        self._above: QWidget | None = None
        self.hide()

    def lie_over(self, window: QWidget, *, above: QWidget | None = None) -> None:
        """Lie over the bottom of ``window``, or end just ``above`` a widget of it that stays free."""
        self._above = above
        self.setParent(window)
        self.hide()
        window.installEventFilter(self)
        if above is not None:
            above.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None or self.isHidden():
            return
        bottom = window.height()
        if self._above is not None and self._above.isVisibleTo(window):
            bottom = self._above.mapTo(window, QPoint(0, 0)).y()
        heights = [bar.height_for(window.width()) for bar in self._messages.values()]
        height = min(sum(heights), bottom)
        self.setGeometry(0, bottom - height, window.width(), height)
        self.raise_()

    def show_message(
        self,
        kind: str,
        text: str,
        remedies: Sequence[Remedy] = (),
        *,
        brief: bool = False,
        news: bool = False,
    ) -> None:
        """Show ``text`` in place of the message of the same ``kind``; ``brief`` ones go by themselves.

        A kind belongs to one module. Two would take each other's messages away, and an *Undo* with them.
        ``news`` are good news that stay until they are closed. A message that is neither is trouble and looks
        so. An empty text shows nothing: after a bug in a job, whose report has a message of its own.
        """
        if not text:
            return
        self.dismiss(kind)
        bar = _MessageBar(
            self._theme, text, remedies, lambda: self.dismiss(kind), brief=brief, good=brief or news
        )
        self._messages[kind] = bar
        self._column.addWidget(bar)
        self.show()
        self._place()

    @contextmanager
    def telling(self, kind: str) -> Iterator[None]:
        """Show the sentences of a QuizwriterError that ends the block as ``kind``, and go on after it."""
        try:
            yield
        except QuizwriterError as trouble:
            self.show_message(kind, str(trouble))

    def dismiss(self, kind: str) -> None:
        """Take back what was said of ``kind``."""
        bar = self._messages.pop(kind, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._messages))
        self._place()

    def text(self, kind: str) -> str:
        """The message of ``kind`` now; empty if there is no message."""
        return self._messages[kind].text if kind in self._messages else ""


def copying_report(traceback: str) -> Remedy:
    """A button that copies ``traceback`` and the versions in use, to be sent to the program's makers."""

    def copy() -> None:
        whole = f"QuizWriter {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n\n{traceback}"
        QGuiApplication.clipboard().setText(whole)

    return "Copy report", copy


class _MessageBar(QFrame):
    def __init__(
        self,
        theme: Theme,
        text: str,
        remedies: Sequence[Remedy],
        close: Callable[[], object],
        *,
        brief: bool,
        good: bool,
    ) -> None:
        super().__init__()
        self.text = text
        self._theme = theme
        self._good = good
        label = plain_label(text, wrap=False)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = row_of((label, 1), on=self, margins=(16, 8, 8, 8), spacing=8)
        for name, do in remedies:
            button = QPushButton(name)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setStyleSheet("font-weight: 600;")
            button.clicked.connect(lambda _=False, do=do: do())
            row.addWidget(button)
        row.addWidget(IconButton(theme, Icon.CLOSE, "Close this message", close))
        self.setAccessibleName(text)
        if brief:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.timeout.connect(close)
            timer.start(BRIEF_MS)

    def height_for(self, width: int) -> int:
        """The pixels of height that the message needs where it is ``width`` pixels wide."""
        self.ensurePolished()
        row = self.layout()
        assert row is not None
        return max(row.totalHeightForWidth(width), row.totalMinimumSize().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        colour = tokens.right if self._good else tokens.confident
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(mixed(colour, tokens.chrome, 0.12)))
        painter.fillRect(0, 0, self.width(), 1, QColor(tokens.line))
        painter.fillRect(0, 0, 4, self.height(), QColor(colour))
