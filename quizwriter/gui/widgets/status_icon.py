"""The sign and the name of each status, the same in every window."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from quizwriter.domain.review import Status
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.icons import draw_check

ICON = 12
"""Pixels of the sign of a status."""


_STEPS = (Status.DRAFT, Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)


ICON_MENU = "QMenu::item { padding: 5px 24px 5px 8px; }"
"""The style of a menu in which every action has an icon."""


DO = {
    Status.DRAFT: "Back to draft",
    Status.READY: "Ready",
    Status.IN_REVIEW: "In review",
    Status.EDITED: "Edited",
    Status.PROOFREAD: "Proofread",
    Status.ACCEPTED: "Accept",
    Status.SENT_BACK: "Send back",
    Status.REJECTED: "Reject",
    Status.WITHDRAWN: "Withdraw",
}
"""What setting a status is called."""


def draw_status(painter: QPainter, box: QRectF, status: Status, ink: QColor, right: QColor) -> None:
    """A circle that fills as a tossup gets on; ticked once it is accepted, struck through when refused."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inside = box.adjusted(1, 1, -1, -1)
    if status is Status.ACCEPTED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(right)
        painter.drawEllipse(box)
        share = box.width() * 0.24
        draw_check(painter, box.adjusted(share, share, -share, -share), QColor(Qt.GlobalColor.white))
    else:
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(inside)
        if status in _STEPS:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            part = _STEPS.index(status) / (len(_STEPS) - 1)
            painter.drawPie(inside, 90 * 16, -round(360 * 16 * part))
        else:
            middle, reach = inside.center(), inside.width() / 2 * 0.7
            painter.drawLine(middle - QPointF(reach, reach), middle + QPointF(reach, reach))
    painter.restore()


def status_icon(status: Status, theme: Theme, ratio: float = 2.0) -> QIcon:
    side = theme.px(ICON)
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    tokens = theme.tokens
    draw_status(painter, QRectF(0, 0, side, side), status, QColor(tokens.soft), QColor(tokens.right))
    painter.end()
    return QIcon(pixmap)


def check_title(name: str) -> str:
    from quizwriter.workflow.checks import check_titles

    return check_titles().get(name, name)
