"""Fields of forms, lists and scrolling areas, each made in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QToolTip,
    QTreeWidget,
    QWidget,
)

from quizwriter.gui.widgets.buttons import NumberBox
from quizwriter.gui.widgets.labels import plain_tooltip

AnyWidget = TypeVar("AnyWidget", bound=QWidget)


def named(widget: AnyWidget, name: str, tip: str = "") -> AnyWidget:
    """``widget`` with its name for screen readers, and a tooltip."""
    widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(plain_tooltip(tip))
    return widget


LONGEST_LINE = 4_000
"""Characters of a line, such as a long path; Qt takes seconds to paint one of 30,000 that its font lacks."""

LONGEST_BOX = 20_000
"""Characters of several lines, as many as a draft takes at once."""


def text_line(name: str, hint: str = "", *, longest: int = LONGEST_LINE) -> QLineEdit:
    """A line to type in; the ``hint`` shows while it is empty, and ``longest`` limits its characters."""
    line = named(QLineEdit(), name)
    line.setPlaceholderText(hint)
    line.setMaxLength(longest)
    return line


def units_kept(document: QTextDocument, cursor: QTextCursor) -> int:
    """How long for Qt the text is that stays when something replaces what ``cursor`` selects."""
    return document.characterCount() - 1 - (cursor.selectionEnd() - cursor.selectionStart())


def qt_length(text: str) -> int:
    """How long ``text`` is for Qt, which counts UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def leave_at_source(event: QDropEvent) -> None:
    """Refuse a drop, so that the text stays where it was dragged from."""
    event.setDropAction(Qt.DropAction.IgnoreAction)
    event.ignore()


class TextBox(QPlainTextEdit):
    """Some lines to type in, where Tab goes on to the next field.

    A paste after which it would hold more than ``longest`` characters is refused: Qt would lay out a book for
    half a minute. A text that was longer before may stay so while it is moved about.
    """

    def __init__(self, name: str = "", hint: str = "", *, text: str = "", longest: int = LONGEST_BOX) -> None:
        super().__init__(text)
        self._longest = longest
        self._held = (
            self.document().characterCount() - 1
        )  # Qt takes out what is dragged before it tells of it
        self.textChanged.connect(self._count)
        named(self, name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)

    def _count(self) -> None:
        self._held = self.document().characterCount() - 1

    def dropEvent(self, event: QDropEvent) -> None:
        inside = event.source() is self.viewport()
        count = len(event.mimeData().text())
        if inside or self._held + count <= self._longest:
            super().dropEvent(event)
            return
        self._refuse(self._held, count)
        leave_at_source(event)
        super().dragLeaveEvent(QDragLeaveEvent())

    def insertFromMimeData(self, source: QMimeData) -> None:
        count = len(source.text())
        kept = units_kept(self.document(), self.textCursor())
        if kept + count <= max(self._longest, self._held):
            super().insertFromMimeData(source)
        else:
            self._refuse(kept, count)

    def _refuse(self, kept: int, count: int) -> None:
        said = f"The pasted text has {count:,} characters; this field takes {self._longest:,} at most."
        if count <= self._longest:
            said = (
                f"With the pasted text, this field would have {kept + count:,} characters; it takes "
                f"{self._longest:,} at most. Nothing was changed."
            )
        QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), plain_tooltip(said), self)


def choice_box(name: str, *titles: str, tip: str = "") -> QComboBox:
    """A list to choose one of ``titles`` from."""
    box = named(QComboBox(), name, tip)
    box.addItems(titles)
    return box


def number_box(
    name: str,
    least: int,
    most: int,
    *,
    value: int | None = None,
    unit: str = "",
    special: str = "",
    tip: str = "",
) -> NumberBox:
    """A box for a number with its ``unit`` behind it; ``special`` stands in the place of the least number."""
    box = named(NumberBox(), name, tip)
    box.setRange(least, most)
    box.setSuffix(unit)
    box.setSpecialValueText(special)
    if value is not None:
        box.setValue(value)
    return box


def plain_table(name: str, *heads: str) -> QTreeWidget:
    """A list of rows with the columns ``heads``; the keyboard goes from row to row."""
    rows = named(QTreeWidget(), name)
    rows.setHeaderLabels(heads)
    rows.setRootIsDecorated(False)
    rows.setAllColumnsShowFocus(True)
    return rows


def widen_columns(rows: QTreeWidget, px: Callable[[float], int], *widths: int) -> None:
    """Give the first columns of ``rows`` these ``widths``, which are pixels at letters of 100 %."""
    for place, width in enumerate(widths):
        rows.setColumnWidth(place, px(width))


def scrolling(inside: QWidget, *, sideways: bool = True, by_keys: bool = False) -> QScrollArea:
    """An area without a frame in which ``inside`` scrolls, ``sideways`` too if it must.

    The keyboard goes to what is inside: it would be lost on an area that shows no sign of it. ``by_keys``:
    only texts are inside, and arrow keys scroll them.
    """
    area = QScrollArea()
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus if by_keys else Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
