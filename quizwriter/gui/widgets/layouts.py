"""Rows and columns with the distances that windows have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


def row_layout(left: int, top: int, right: int, bottom: int) -> QHBoxLayout:
    """A row with these margins, in pixels, and 8 pixels between its widgets."""
    row = QHBoxLayout()
    row.setContentsMargins(left, top, right, bottom)
    row.setSpacing(8)
    return row


def column_layout(widget: QWidget) -> QVBoxLayout:
    """The layout of ``widget``: a column without margins and distances."""
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return column
