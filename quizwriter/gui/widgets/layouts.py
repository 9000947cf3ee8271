"""Rows and columns with the distances that windows have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QFormLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

LARGEST_HEIGHT = 16_777_215
"""Qt's own limit: no limit at all."""


class Gap(NamedTuple):
    """Room in a layout: so many pixels, and a share of what is left."""

    pixels: int = 0
    stretch: int = 0


STRETCH = Gap(stretch=1)
NO_MARGINS = 0, 0, 0, 0
Part = QWidget | QLayout | Gap | tuple[QWidget | QLayout, int]
"""What a layout holds, one after another; a number beside it is its share of the room that is left."""

Margins = tuple[int, int, int, int]
"""Pixels on the left, above, on the right and below."""


def row_of(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = None, spacing: int = -1
) -> QHBoxLayout:
    """``parts`` side by side, as the layout of the widget ``on`` if it is given.

    Margins and spacing, in pixels, are those of the style unless they are given.
    """
    row = QHBoxLayout() if on is None else QHBoxLayout(on)
    _fill(row, parts, margins, spacing)
    return row


def column_of(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = None, spacing: int = -1
) -> QVBoxLayout:
    """``parts`` one below another; see :func:`row_of`."""
    column = QVBoxLayout() if on is None else QVBoxLayout(on)
    _fill(column, parts, margins, spacing)
    return column


def _fill(layout: QBoxLayout, parts: Sequence[Part], margins: Margins | None, spacing: int) -> None:
    if margins is not None:
        layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, Gap):
            if part.stretch:
                layout.addStretch(part.stretch)
            else:
                layout.addSpacing(part.pixels)
            continue
        inside, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(inside, QLayout):
            layout.addLayout(inside, stretch)
        else:
            layout.addWidget(inside, stretch)


class FieldRows(QFormLayout):
    """Fields one below the other, each behind its title, which is as high as what stands in the field."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalSpacing(12)
        self.setVerticalSpacing(8)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    def add(self, title: str, field: QWidget | QLayout) -> None:
        self.addRow(title, field)
        label = self.labelForField(field)
        if label is not None:  # Qt would put it a little higher than what stands in the field
            label.setMinimumHeight(min(field.sizeHint().height(), 2 * label.sizeHint().height() + 2))


class WrappingLayout(QLayout):
    """Widgets side by side, in as many rows as they need; the ``wide`` one takes what its row has left."""

    def __init__(self, widgets: Sequence[QWidget], *, wide: QWidget | None = None, spacing: int = 4) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._wide = wide
        self._width = 0
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        around = self.contentsMargins()
        inside = width - around.left() - around.right()
        heights = [max(item.sizeHint().height() for item in row) for row in self._rows(inside)]
        return sum(heights) + self.spacing() * max(0, len(heights) - 1) + around.top() + around.bottom()

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() + self.spacing() for hint in hints) - self.spacing()
        return self._around(QSize(max(0, width), max((hint.height() for hint in hints), default=0)))

    def _around(self, inside: QSize) -> QSize:
        around = self.contentsMargins()
        return inside + QSize(around.left() + around.right(), around.top() + around.bottom())

    def minimumSize(self) -> QSize:
        least = [item.minimumSize().width() for item in self._items if not item.isEmpty()]
        width = self._around(QSize(max(least, default=0), 0)).width()
        return QSize(width, self.heightForWidth(max(width, self._width)))

    def setGeometry(self, place: QRect) -> None:
        super().setGeometry(place)
        if place.width() != self._width:  # other rows, so another least height
            self._width = place.width()
            self.update()
        place = place.marginsRemoved(self.contentsMargins())
        top = place.top()
        for row in self._rows(place.width()):
            height = max(item.sizeHint().height() for item in row)
            taken = sum(item.sizeHint().width() for item in row) + self.spacing() * (len(row) - 1)
            left, spare = place.left(), max(0, place.width() - taken)
            for item in row:
                width = item.sizeHint().width() + (spare if item.widget() is self._wide else 0)
                item.setGeometry(QRect(left, top, min(place.width(), width), height))
                left += width + self.spacing()
            top += height + self.spacing()

    def _rows(self, width: int) -> Iterator[list[QLayoutItem]]:
        row: list[QLayoutItem] = []
        taken = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = item.sizeHint().width()
            if row and taken + needed > width:
                yield row
                row, taken = [], 0
            row.append(item)
            taken += needed + self.spacing()
        if row:
            yield row
