"""What lanes say: the legend of the time line with its signs, and what stands in a lane without a game."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from quizwriter.gui.colours import ColourTokens
from quizwriter.gui.theme import draw_crosshatch, draw_first_correct, draw_stable_correct, draw_unknown
from quizwriter.gui.widgets.icons import draw_bell

LEGENDS = (
    ("?", "guessing; nothing to compare with"),
    ("r", "right"),
    ("w", "another leads"),
    ("c", "locked out"),
    ("-", "not asked"),
    ("first", "first right"),
    ("stable", "stays right"),
    ("buzz", "buzz"),
    ("power", "power mark"),
    ("goal", "goal"),
)
"""The kinds of signs, each with what it means."""


def paint_sign(painter: QPainter, box: QRectF, kind: str, tokens: ColourTokens) -> None:
    """Paint the sign of a ``kind`` in :data:`LEGENDS` into ``box``; lines are a little higher."""
    page, line = QColor(tokens.page), box.adjusted(0, -box.height() * 0.2, 0, box.height() * 0.2)
    middle = box.center().x()
    if kind == "first":
        draw_first_correct(painter, box, QColor(tokens.right), page)
    elif kind == "stable":
        draw_stable_correct(painter, box, QColor(tokens.right), page)
    elif kind == "buzz":
        draw_bell(painter, box.adjusted(-1, -1, 1, 1), QColor(tokens.ink), page)
    elif kind == "power":
        painter.setPen(QPen(QColor(tokens.ink), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(middle, line.top()), QPointF(middle, line.bottom()))
    elif kind == "goal":
        painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(middle, line.top()), QPointF(middle, line.bottom()))
    elif kind == "-":
        draw_unknown(painter, box, QColor(tokens.soft))
    else:
        colour = {"r": tokens.right, "c": tokens.confident}.get(kind, tokens.wrong)
        painter.fillRect(box.adjusted(0, box.height() / 2 * (kind in "w?"), 0, 0), QColor(colour))
        if kind == "c":
            draw_crosshatch(painter, box, page)


def paint_empty_lane(painter: QPainter, room: QRectF, text: str, tokens: ColourTokens) -> None:
    """Fill ``room`` as lanes are filled, and say in it what will stand there."""
    painter.fillRect(room, QColor(tokens.band))
    words = room.adjusted(6, 0, -6, 0)
    short = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, words.width())
    painter.setPen(QColor(tokens.soft))
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, short)
