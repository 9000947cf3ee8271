"""The base of all dialogs: margins, texts, the row of buttons, messages, and what is shown during work."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from quizwriter.cancellation import Progress
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.colours import mixed
from quizwriter.gui.help_texts import DIALOGS
from quizwriter.gui.theme import GRID, Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import scrolling
from quizwriter.gui.widgets.keys import LETTERS
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import LARGEST_HEIGHT, STRETCH, row_of
from quizwriter.gui.widgets.saved_layout import room_on_screen
from quizwriter.gui.widgets.whats_this import ExplainsItself

MARGINS = (24, 24, 24, 16)
"""Pixels around the contents of a dialog: left, top, right, below."""

PLACED_MS = 250
"""How long a desktop takes to frame and place a dialog."""

NARROWEST = 900
"""Pixels of width for which dialogs are made; a narrower screen shows a part of them."""

SPACING = 12
"""Pixels between two parts of a dialog."""

BUG = "This failed because of an error in QuizWriter; nothing was changed."

T = TypeVar("T")


class TextStyle(Enum):
    """How a label of a dialog looks."""

    BODY = auto()
    HEADING = auto()
    CAPTION = auto()


class Dialog(QDialog):
    """A dialog with its contents in :attr:`body`, below them progress, a message, and a row of buttons.

    Enter presses the one primary button, wherever the keyboard is; the space bar presses the button that has
    the keyboard, and so does Enter while the primary button cannot be pressed. Esc does what the last
    button does: *Cancel* while the dialog works, otherwise *Close* or *Cancel*. All texts are plain text,
    wrap, and follow the theme. A closed dialog is deleted unless ``reused``.

    A dialog of a certain ``width`` is as high as its contents need, and cannot be resized. A dialog of a
    certain ``size`` begins with that and can be resized.
    """

    def __init__(
        self,
        theme: Theme,
        title: str,
        parent: QWidget | None = None,
        *,
        width: int = 0,
        size: tuple[int, int] = (0, 0),
        reused: bool = False,
    ) -> None:
        """Pass either ``width`` or ``size``, in pixels; larger letters get more room, up to the screen's."""
        super().__init__(parent)
        self._theme = theme
        self._width, self._size = width, size
        self._labels: list[tuple[QLabel, TextStyle]] = []
        self._is_ready, self._busy, self._closable = True, False, True
        self._closed = False
        self._filled = True
        self._cancel: Callable[[], object] | None = None
        self._trouble = False
        self._primary: QPushButton | None = None
        self._placed = SingleShot(self, PLACED_MS, self._stay_on_screen)
        self._scroll: QScrollArea | None = None  # around the contents, where the screen is too low for them
        self.setWindowTitle(title)
        self.setWhatsThis(plain_tooltip(DIALOGS.get(title, "")))
        ExplainsItself(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not reused)
        if size != (0, 0):
            self.resize(QSize(*map(theme.px, size)).boundedTo(self._room()))
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACING)
        self.progress_bar = QProgressBar()
        self.progress_bar.setTextVisible(False)
        self.progress_bar.setFixedHeight(8)
        self.progress_bar.hide()
        self.message = plain_label(selectable=True)
        self.message.hide()
        self._asides = QHBoxLayout()
        self._asides.setSpacing(8)
        self._box = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        self.close_button = self.add_button("Close", self._close_or_cancel, roles.RejectRole)
        self._close_text = "Close"
        row = row_of(self._asides, STRETCH, self._box, spacing=8)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*MARGINS)
        self._column.setSpacing(SPACING)
        self._column.addLayout(self.body, 1)
        self._column.addWidget(self.progress_bar)
        self._column.addWidget(self.message)
        self._column.addSpacing(4)
        self._column.addLayout(row)
        theme.changed.connect(self.apply_theme)
        palette = parent.window().findChild(QAction, LETTERS) if parent is not None else None
        if palette is not None:  # the menu of a window does not reach into the dialogs over it
            self.addAction(palette)

    # -- contents

    def label(self, text: str = "", style: TextStyle = TextStyle.BODY, *, wrap: bool = True) -> QLabel:
        label = plain_label(text, wrap=wrap)
        self._labels.append((label, style))
        self._style_label(label, style)
        return label

    def add_primary(self, text: str, do: Callable[[], object]) -> QPushButton:
        """Add the default button, which Enter presses."""
        button = self._primary = outlined(text, do)
        button.setObjectName("primary")  # before the box asks for its size, which polishes it
        self._box.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        button.setDefault(True)
        return button

    def add_button(
        self,
        text: str,
        do: Callable[[], object],
        role: QDialogButtonBox.ButtonRole = QDialogButtonBox.ButtonRole.ActionRole,
    ) -> QPushButton:
        """One more button beside the primary one; the desktop says in which order they stand."""
        button = outlined(text, do)
        self._box.addButton(button, role)
        return button

    def add_aside(self, text: str, do: Callable[[], object]) -> QPushButton:
        """A button at the other end of the row, for something beside the purpose of the dialog."""
        button = outlined(text, do)
        self._asides.addWidget(button)
        return button

    def name_close_button(self, text: str) -> None:
        """Call the button that closes the dialog ``text``: *Cancel* where closing gives something up."""
        self._close_text = text
        if not self._busy:
            self.close_button.setText(text)

    def set_ready(self, ready: bool) -> None:
        """Whether everything is there that the primary button needs."""
        self._is_ready = ready
        self._show_ready()

    # -- messages and work

    def show_message(self, text: str, *, trouble: bool = False) -> None:
        """Show ``text`` above the buttons instead of the message before; empty: none."""
        self._trouble = trouble
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self._style_message()
        self.fit()

    @property
    def busy(self) -> bool:
        return self._busy

    @property
    def closed(self) -> bool:
        return self._closed

    def show_busy(
        self,
        text: str,
        done: int = 0,
        total: int = 0,
        *,
        cancel: Callable[[], object] | None = None,
        closable: bool = True,
    ) -> None:
        """Show that ``text`` is going on, and how many of how many things are done; total 0: nobody knows.

        The last button calls ``cancel`` if that is given; the work then ends soon and calls :meth:`end_busy`.
        ``closable`` says whether the dialog may be closed meanwhile.
        """
        self._busy, self._closable, self._cancel = True, closable, cancel
        self.progress_bar.show()
        self.close_button.setText("Cancel" if cancel is not None else self._close_text)
        self.close_button.setEnabled(cancel is not None or closable)
        self._show_ready()
        self.show_progress(text, done, total)

    def show_progress(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show how far the work is that :meth:`show_busy` began; an empty ``text`` leaves the text."""
        self.progress_bar.setRange(0, total)
        self.progress_bar.setValue(done)
        if text and (text != self.message.text() or self._trouble):
            self.show_message(text)

    def end_busy(self, text: str = "", *, trouble: bool = False) -> None:
        """Show that the work is over, and ``text`` of what came of it."""
        self._busy, self._closable, self._cancel = False, True, None
        self.progress_bar.hide()
        self.close_button.setText(self._close_text)
        self.close_button.setEnabled(True)
        self._show_ready()
        self.show_message(text, trouble=trouble)

    def run_job(
        self,
        jobs: Jobs,
        text: str,
        do: Callable[[Progress], T],
        then: Callable[[T], object],
        *,
        cancel: Callable[[], object] | None = None,
        closable: bool = True,
        telling: Callable[[int, int], str] = lambda done, total: "",
    ) -> None:
        """Have ``do`` done in the background while the dialog shows ``text``, and how far the job is.

        ``telling`` gives, from what is done of how much, another text; empty: the same. ``then`` gets the
        result; a QuizwriterError or a bug goes to :meth:`show_failure` instead. Neither is called if the
        dialog was closed meanwhile.
        """

        def finish(result: T) -> None:
            self.end_busy()
            then(result)

        def failed(trouble: str) -> None:
            self.end_busy()
            self.show_failure(trouble or BUG)

        def told(done: int, total: int) -> None:
            self.show_progress(telling(done, total), done, total)

        self.show_busy(text, cancel=cancel, closable=closable)
        jobs.ask(do, finish, failed, still=lambda: not self._closed, told=told)

    def show_failure(self, text: str) -> None:
        self.show_message(text, trouble=True)

    # -- size, keys, closing

    def fill(self, filled: bool, *parts: QWidget) -> None:
        """Show ``parts``, such as a table, where there is something in them, else leave out their room, too.

        For a dialog of a certain ``size``. What it shows instead is for the dialog to say.
        """
        for part in parts:
            part.setVisible(filled)
        if filled == self._filled:
            return
        self._filled = filled
        before = self.height()
        if filled:
            self.setMinimumHeight(0)
            self.setMaximumHeight(LARGEST_HEIGHT)
            self.resize(QSize(self.width(), self._theme.px(self._size[1])).boundedTo(self._room()))
        self.fit()
        if self.isVisible():
            self.move(self.x(), max(0, self.y() - (self.height() - before) // 2))
            self._stay_on_screen()

    def fit(self) -> None:
        """Give a dialog of a certain width the height that its contents need now.

        Where the screen is lower than that, the contents scroll, so that the buttons stay on the screen.
        """
        room = self._room()
        if self._scroll is None and self._least_height(room.width()) > room.height():
            self._scroll_body()
        if self._scroll is not None:
            inside, bar = self.body.totalMinimumSize().width(), self._scroll.verticalScrollBar().sizeHint()
            self._scroll.setMinimumWidth(min(inside + bar.width(), room.width() - MARGINS[0] - MARGINS[2]))
            if self._width:
                self.setFixedSize(max(self._width, self._column.totalMinimumSize().width()), room.height())
            else:
                self._column.activate()
                self.resize(self.size().boundedTo(room))
        elif self._width:
            self._column.activate()
            width = max(self._width, self._column.totalMinimumSize().width())
            self.setFixedSize(QSize(width, self._own_height(width)))
        elif not self._filled:
            self._column.activate()
            self.setFixedHeight(self._own_height(self.width()))
        if self.isVisible():
            self._stay_on_screen()

    def _stay_on_screen(self) -> None:
        """Move a dialog that grew, so that its buttons are not below the screen.

        One that the desktop put outside goes over its parent: a window whose size changes while the desktop
        frames it may be moved to the screen's corner, with its title above the screen.
        """
        screen, frame = self.screen().availableGeometry(), self.frameGeometry()
        parent = self.parentWidget()
        if frame.top() < screen.top() and parent is not None:
            frame.moveCenter(parent.window().frameGeometry().center())
            self.move(max(screen.left(), frame.left()), max(screen.top(), frame.top()))
            return
        around = frame.size() - self.geometry().size()
        size = self.size() + around
        at = frame.topLeft()
        left = min(at.x(), screen.right() + 1 - size.width())
        top = min(at.y(), screen.bottom() + 1 - size.height())
        if (left, top) != (at.x(), at.y()):
            self.move(max(screen.left(), left), max(screen.top(), top))

    def _room(self) -> QSize:
        """The largest size that the dialog may have on its screen, without its frame."""
        return room_on_screen(self).expandedTo(QSize(NARROWEST, 0))

    def _least_height(self, widest: int) -> int:
        """The height below which something would be cut, where the dialog is at most ``widest``."""
        column = self._column
        column.activate()
        least = column.totalMinimumSize()
        width = max(min(self._width or self.width(), widest), least.width())
        return column.totalMinimumHeightForWidth(width) if column.hasHeightForWidth() else least.height()

    def _own_height(self, width: int) -> int:
        """The height that the contents like to have."""
        column = self._column
        return (
            column.totalHeightForWidth(width)
            if column.hasHeightForWidth()
            else column.totalSizeHint().height()
        )

    def _scroll_body(self) -> None:
        """Put the contents into an area that scrolls, above the message and the buttons."""
        had = self.focusWidget()
        self._column.takeAt(0)
        inside = QWidget()
        inside.setLayout(self.body)
        self._scroll = scrolling(inside)
        for clear in (self._scroll.viewport(), inside):
            clear.setAutoFillBackground(False)
        self.body.setContentsMargins(0, 0, GRID * 2, 0)
        self._column.insertWidget(0, self._scroll, 1)
        self._scroll.show()  # and all in it, or the keyboard would pass it over
        if had is not None:
            had.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        self._closed = False
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter is for the primary button
        self.apply_theme()
        self._order_keyboard()
        super().showEvent(event)
        if self._scroll is not None:
            self.fit()  # only now is it known how wide the contents are
        self._placed.start()

    def _order_keyboard(self) -> None:
        """Have the keyboard begin in the first field of the body, and come to the buttons below it last.

        Buttons were made first, and Qt would begin with them: what a writer types would be lost.
        """
        stops: list[QWidget] = []
        widget = self.nextInFocusChain()
        while widget is not None and widget is not self:
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:  # also what a later page or choice shows
                stops.append(widget)
            widget = widget.nextInFocusChain()
        asides = [item.widget() for at in range(self._asides.count()) if (item := self._asides.itemAt(at))]
        below = [one for one in stops if one in asides or self._box.isAncestorOf(one)]
        inside = [one for one in stops if one not in below]
        if not inside:
            return
        below.sort(key=lambda one: (one not in asides, one is not self._primary, one is self.close_button))
        for before, after in pairwise([inside[-1], *below]):
            QWidget.setTabOrder(before, after)
        first = next((one for one in inside if one.isEnabled() and one.isVisibleTo(self)), None)
        if self.focusWidget() is None and first is not None:
            first.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        idle = (self._primary is None or not self._primary.isEnabled()) and not self._busy
        button = self.focusWidget()
        # Where the primary button cannot be pressed, Enter would do nothing.
        if enter and idle and isinstance(button, QPushButton):
            button.click()
        else:
            super().keyPressEvent(event)

    def reject(self) -> None:
        """What Esc does."""
        if self._cancel is not None:
            self._close_or_cancel()
        elif self._closable:
            super().reject()

    def done(self, result: int) -> None:
        """Close, however that came about."""
        self._closed = True
        super().done(result)

    def apply_theme(self) -> None:
        for label, style in self._labels:
            self._style_label(label, style)
        self._style_message()
        self.fit()

    def _close_or_cancel(self) -> None:
        cancel, self._cancel = self._cancel, None
        if cancel is None:
            self.reject()
            return
        self._closable = False
        self.close_button.setEnabled(False)
        self.show_progress("Stopping…")
        cancel()

    def _show_ready(self) -> None:
        if self._primary is not None:
            self._primary.setEnabled(self._is_ready and not self._busy)

    def _style_label(self, label: QLabel, style: TextStyle) -> None:
        tokens, caption = self._theme.tokens, style is TextStyle.CAPTION
        label.setFont(self._theme.font(bold=style is TextStyle.HEADING, small=caption))
        label.setStyleSheet(f"color: {tokens.soft if caption else tokens.ink};")

    def _style_message(self) -> None:
        tokens = self._theme.tokens
        self.message.setFont(self._theme.font())
        if self._busy:
            self.message.setStyleSheet(f"color: {tokens.ink};")
            return
        colour = tokens.confident if self._trouble else tokens.accent
        self.message.setStyleSheet(
            f"color: {tokens.ink}; background: {mixed(colour, tokens.chrome, 0.12)};"
            f"border-left: 4px solid {colour}; padding: 8px 12px;"
        )
