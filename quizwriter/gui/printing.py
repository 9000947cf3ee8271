"""Printed packets on pages: PDF files and printers. Any thread may lay out pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
)

from quizwriter.errors import QuizwriterError
from quizwriter.formats.printed_packet import PrintedPacket
from quizwriter.gui.widgets.labels import RichDocument
from quizwriter.system.atomic import atomic_write

if TYPE_CHECKING:
    from PySide6.QtGui import QPagedPaintDevice

MARGIN_MM = 25.4
"""An inch, as in the style of ACF."""

_RESOLUTION = 300  # dots per inch
_POINTS = 72  # in an inch


def print_pages(packet: PrintedPacket, device: QPagedPaintDevice) -> None:
    """Print ``packet`` on the pages of ``device``, with page numbers.

    A tossup stays on one page, unless it is longer than a page.
    """
    from quizwriter.formats.packet_files import FONT, GAP_PT, SIZE_PT, title_html, tossup_html

    painter = QPainter()
    if not painter.begin(device):
        raise QuizwriterError(
            "The printer did not accept the pages.", "Choose another printer, or export a PDF."
        )
    try:
        font = QFont(FONT, SIZE_PT)
        painter.setFont(font)
        point = device.logicalDpiY() / _POINTS
        foot = painter.fontMetrics().height()
        height = device.height() - 2 * foot
        page, at = 1, 0.0

        def end_page() -> None:
            painter.setPen(QColor(Qt.GlobalColor.black))
            edge = QRectF(0, device.height() - foot, device.width(), foot)
            painter.drawText(edge, Qt.AlignmentFlag.AlignRight, str(page))

        markups = [title_html(packet.title)] if packet.title else []
        markups += [tossup_html(one) for one in packet.tossups]
        for markup in markups:
            document = RichDocument(markup, device, device.width())
            for start, end in _slices(document, height):
                if at and at + end - start > height:
                    end_page()
                    device.newPage()
                    page, at = page + 1, 0.0
                _draw(painter, document, start, end, at)
                at += end - start
            at += GAP_PT * point
        end_page()
    finally:
        painter.end()


def _slices(document: RichDocument, height: float) -> Iterator[tuple[float, float]]:
    """The ``document`` in stretches from a line to a line, none longer than ``height``."""
    start = end = 0.0
    block = document.begin()
    while block.isValid():
        top, layout = document.documentLayout().blockBoundingRect(block).top(), block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            below = top + line.y() + line.height()
            if below - start > height and end > start:
                yield start, end
                start = end
            end = below
        block = block.next()
    yield start, end


def _draw(painter: QPainter, document: RichDocument, start: float, end: float, at: float) -> None:
    """Paint the stretch of ``document`` from ``start`` to ``end`` at the height ``at`` of the page."""
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(Qt.GlobalColor.black))  # in a dark window, too
    context.palette = palette
    clip = QRectF(0, start, document.textWidth(), end - start)
    context.clip = clip
    painter.save()
    painter.translate(0, at - start)
    painter.setClipRect(clip)
    document.documentLayout().draw(painter, context)
    painter.restore()


def write_pdf(packet: PrintedPacket, path: Path) -> None:
    """Write ``packet`` to ``path`` as PDF in Letter size; Qt's application object must exist."""
    pages = QBuffer()
    pages.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(pages)
    writer.setCreator("QuizWriter")
    writer.setTitle(packet.title)
    writer.setResolution(_RESOLUTION)
    portrait = QPageLayout.Orientation.Portrait
    letter = QPageSize(QPageSize.PageSizeId.Letter)
    writer.setPageLayout(QPageLayout(letter, portrait, margins(), QPageLayout.Unit.Millimeter))
    print_pages(packet, writer)
    pages.close()
    with atomic_write(
        path,
        problem=f"The packet could not be written to {path}",
        remedy="Choose another folder, or free some disk space.",
    ) as file:
        file.write(pages.data().data())


def margins() -> QMarginsF:
    return QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
