"""The answer field: what the tossup asks for, completed from the bundle's pages."""

from __future__ import annotations

import unicodedata
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Answer, Page, page_title
from quizwriter.gui.theme import Theme, draw_check
from quizwriter.gui.widgets.elided_line import ElidedLineEdit
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.writing.answer_styles import AnswerStyles

OFFERED = 8
"""Pages in the list; more is reading, not choosing."""

SETTLED_MS = 600
"""A pause after which the writer is told that an answer is not listed; sooner would nag mid-word."""

OFFER_MS = 15
"""From a key to the list: the letter is painted first, and a burst of keys looks up once."""

LONGEST = 1_000
"""Characters of an answer line; the longest in packets have some four hundred."""

_COMES_BACK = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Why the keyboard leaves the field for a moment only: a menu, another program."""

UNLISTED = "This bundle has no page of that name: no player can guess it."


class PageLookup(Protocol):
    """What the field asks of the bundle's pages."""

    def find(self, name: str) -> Page | None:
        """The page called so."""

    def complete(self, typed: str, limit: int = 12) -> tuple[Page, ...]:
        """Pages for what was typed."""


def fold_text(text: str) -> tuple[str, list[int]]:
    """``text`` without case and accents, and for each letter of that the position it came from."""
    letters, places = [], []
    for place, letter in enumerate(text):
        for bare in unicodedata.normalize("NFKD", letter.casefold()):
            if not unicodedata.combining(bare):
                letters.append(bare)
                places.append(place)
    return "".join(letters), places


def matching(title: str, typed: str) -> tuple[int, int]:
    """Where ``typed`` stands in ``title``, at a word's start if possible; an empty stretch if nowhere."""
    bare, places = fold_text(title)
    wanted = fold_text(typed.strip())[0]
    if not wanted:
        return (0, 0)
    start = 0 if bare.startswith(wanted) else bare.find(" " + wanted) + 1
    if start == 0 and not bare.startswith(wanted):
        start = bare.find(wanted)
    if start < 0:
        return (0, 0)
    return places[start], places[start + len(wanted) - 1] + 1


class AnswerField(QWidget):
    """The answer line; ``changed`` carries the Answer, or None while there is none.

    ``refused`` carries a sentence about what was too long to be taken.
    """

    changed = Signal(object)
    done = Signal()
    refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pages: PageLookup | None = None
        self._answer: Answer | None = None
        self._picked: tuple[str, Page] | None = None
        self._label = plain_label("&Answer", wrap=False)
        self.line = ElidedLineEdit()
        self.line.setAccessibleName("Answer")
        self.line.setPlaceholderText("What the tossup asks for")
        self.line.setMaxLength(LONGEST)
        self.line.inputRejected.connect(self._refuse)
        self._label.setBuddy(self.line)
        self._verdict = plain_label(wrap=False)
        self._verdict.setWordWrap(True)
        self.styling = AnswerStyles(self.line)
        self._tick = _PageTick(theme, self.line)
        self._label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 12, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.addWidget(self._label, 0, 0)
        grid.addWidget(self.line, 0, 1)
        grid.addWidget(self._verdict, 1, 1)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(SETTLED_MS)
        self._settled.timeout.connect(self._judge)
        self._complete_soon = QTimer(self)
        self._complete_soon.setSingleShot(True)
        self._complete_soon.setInterval(OFFER_MS)
        self._complete_soon.timeout.connect(self._complete)
        self._offer: _CompletionList | None = None  # made at the first use: it needs the window as its parent
        self.line.textEdited.connect(self._edited)
        self.line.installEventFilter(self)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self._judge()

    @property
    def answer(self) -> Answer | None:
        """What the field says now."""
        return self._answer

    @property
    def verdict(self) -> str:
        """What the writer is told about the answer; empty when all is well."""
        return self._verdict.text()

    def offered(self) -> tuple[str, ...]:
        """The titles in the open list; none while it is closed."""
        return self._offer.titles() if self._offer is not None and self._offer.isVisible() else ()

    def align(self, left: int, right: int) -> None:
        """Let the field begin and end where the text's column does; the label stands left of it."""
        layout = self.layout()
        assert layout is not None
        self._label.setFixedWidth(left - 8)
        layout.setContentsMargins(0, 12, right, 0)

    def use_pages(self, pages: PageLookup | None) -> None:
        """Complete from ``pages``; None while no bundle is open."""
        self._pages = pages
        self._picked = None
        self._update()
        self._judge()

    def put(self, answer: Answer | None, styles: TextStyles = PLAIN) -> None:
        """Show another tossup's answer and its ``styles``.

        ``changed`` is sent only if this bundle has a page for it after all.
        """
        self._close()
        self._answer = answer
        self._picked = None if answer is None or answer.page is None else (answer.line, answer.page)
        self.line.setText(answer.line if answer else "")
        self.styling.put(styles)
        self.line.setCursorPosition(0)
        if self._pages is not None and answer is not None and answer.page is None:
            self._update()
        self._judge()

    def fill_in(self, line: str, styles: TextStyles) -> None:
        """Put an answer ``line`` with ``styles`` into the field, as if it were typed."""
        self._close()
        self.line.setText(line)
        self.styling.put(styles)
        self._update()
        self._judge()
        self.line.setCursorPosition(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.line:
            if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
                self._close()
                self._judge()
                if event.reason() not in _COMES_BACK:
                    self.line.setCursorPosition(0)  # or a long line would show its end
            elif event.type() == QEvent.Type.ToolTip:
                self.line.setToolTip(plain_tooltip(self._hint()))
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._key(event):
                return True
        return super().eventFilter(watched, event)

    def _hint(self) -> str:
        """What the tooltip says: the whole line, where the field is too short for it."""
        text, hint = self.line.text(), "What the tossup asks for (Ctrl+L)"
        return f"{text}\n{hint}" if self.line.is_elided else hint

    def _refuse(self) -> None:
        if len(self.line.text()) >= LONGEST:
            self.refused.emit(f"An answer line has at most {LONGEST:,} characters; the rest was left out.")

    def _key(self, event: QKeyEvent) -> bool:
        if self._complete_soon.isActive() and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._complete()
        offer = self._offer if self._offer is not None and self._offer.isVisible() else None
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers():
                return False
            picked = offer.current() if offer else None
            if picked is not None:
                self._pick(picked)
            else:
                self._close()
                self._judge()
            self.done.emit()
            return True
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and not event.modifiers():
            if offer:
                offer.step(1 if key == Qt.Key.Key_Down else -1)
            else:
                self._complete()
            return True
        if key == Qt.Key.Key_Escape and offer:
            self._close()
            return True
        if key == Qt.Key.Key_Tab and offer and (picked := offer.current()) is not None:
            self._pick(picked)
        return False

    def _edited(self) -> None:
        self._update()
        self._complete_soon.start()
        self._judge(settled=False)

    def _update(self) -> None:
        """Work out the answer anew and say so if it is another one."""
        line = self.line.text().strip()
        answer = None
        if line:
            page = None
            if self._picked is not None and self._picked[0] == line:
                page = self._picked[1]
            elif self._pages is not None and not self.line.isReadOnly():
                page = self._pages.find(Answer(line).main)
            elif self._answer is not None and self._answer.line == line:
                page = self._answer.page  # no bundle to ask: what was known stays
            answer = Answer(line, page)
        if answer != self._answer:
            self._answer = answer
            self.changed.emit(answer)

    def _pick(self, page: Page) -> None:
        title = page_title(page)
        self._picked = (title, page)
        self.line.setText(title)
        self._close()
        self._update()
        self._judge()

    def _complete(self) -> None:
        self._complete_soon.stop()
        typed = self.line.text()
        pages = self._pages.complete(typed, OFFERED) if self._pages is not None and typed.strip() else ()
        if not pages:
            self._close()
            return
        if self._offer is None:
            self._offer = _CompletionList(self._theme, self.window())
            self._offer.picked.connect(self._pick)
        self._offer.show_pages(pages, typed, self.line)

    def _close(self) -> None:
        self._complete_soon.stop()
        if self._offer is not None:
            self._offer.hide()

    def _judge(self, *, settled: bool = True) -> None:
        """Say whether the answer can be guessed, at once or once the typing pauses."""
        unlisted = self._answer is not None and self._answer.page is None and self._pages is not None
        self._tick.setVisible(self._answer is not None and self._answer.page is not None)
        if unlisted and not settled:
            self._settled.start()
            return
        self._settled.stop()
        self._verdict.setText(UNLISTED if unlisted else "")
        self._verdict.setVisible(unlisted)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._label.setStyleSheet(f"color: {tokens.soft};")
        self._verdict.setStyleSheet(f"color: {tokens.confident};")
        self._verdict.setFont(self._theme.font(small=True))


class _PageTick(QWidget):
    """Says by its presence, at the end of the ``line``, that the bundle has a page for the answer."""

    def __init__(self, theme: Theme, line: QLineEdit) -> None:
        super().__init__(line)
        self._theme = theme
        self._line = line
        self.resize(16, 16)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setToolTip("The bundle has a page for this answer")
        self.setAccessibleName("The bundle has a page for this answer")
        line.setTextMargins(0, 0, 24, 0)
        line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._line and event.type() == QEvent.Type.Resize:
            self.move(self._line.width() - 26, (self._line.height() - 16) // 2)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: object) -> None:
        draw_check(QPainter(self), QRectF(1, 1, 14, 14), QColor(self._theme.tokens.right))


class _CompletionList(QFrame):
    """The list under the field. A child of the window, not a window: the field keeps the keyboard."""

    picked = Signal(object)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("floating")
        self._pages: tuple[Page, ...] = ()
        self._model = QStringListModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        self._delegate = _PageDelegate(theme, self._list)
        self._list.setItemDelegate(self._delegate)
        self._list.clicked.connect(lambda index: self.picked.emit(self._pages[index.row()]))
        box = QVBoxLayout(self)
        box.setContentsMargins(4, 4, 4, 4)
        box.addWidget(self._list)
        self.hide()

    def titles(self) -> tuple[str, ...]:
        """What is offered."""
        return tuple(page_title(page) for page in self._pages)

    def show_pages(self, pages: tuple[Page, ...], typed: str, below: QLineEdit) -> None:
        """Offer ``pages`` under the field."""
        self._delegate.typed = typed
        if pages != self._pages:
            self._pages = pages
            self._model.setStringList([page_title(page) for page in pages])
        self._list.setCurrentIndex(QModelIndex())
        self._list.viewport().update()
        height = self._list.sizeHintForRow(0) * len(pages) + 10
        corner = below.mapTo(self.window(), below.rect().bottomLeft())
        self.setGeometry(corner.x(), corner.y() + 4, below.width(), height)
        self.show()
        self.raise_()

    def current(self) -> Page | None:
        """The page the writer stepped to."""
        row = self._list.currentIndex().row()
        return self._pages[row] if 0 <= row < len(self._pages) else None

    def step(self, by: int) -> None:
        """Go to the next page, round and round."""
        row = self._list.currentIndex().row()
        row = (row + by) % len(self._pages) if row >= 0 else (0 if by > 0 else len(self._pages) - 1)
        self._list.setCurrentIndex(self._model.index(row))


class _PageDelegate(QStyledItemDelegate):
    """A title with the part that was typed in bold."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.typed = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, 28)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = self._theme.tokens
        title = str(index.data())
        state, rect = option.state, QRectF(option.rect)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            colour = QColor(tokens.accent)
            if not chosen:
                colour.setAlphaF(0.10)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(rect, 4, 4)
        painter.setPen(QColor(tokens.on_accent if chosen else tokens.ink))
        start, end = matching(title, self.typed)
        x = rect.left() + 8
        for piece, bold in ((title[:start], False), (title[start:end], True), (title[end:], False)):
            font = self._theme.font(bold=bold)
            painter.setFont(font)
            width = QFontMetricsF(font).horizontalAdvance(piece)
            painter.drawText(
                QRectF(x, rect.top(), max(0.0, rect.right() - x - 4), rect.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine,
                piece,
            )
            x += width
        painter.restore()
