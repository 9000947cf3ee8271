"""Texts for the clipboard, plain and with styles."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QStringListModel


def text_mime(text: str, markup: str) -> QMimeData:
    """``text`` for the clipboard, and the HTML ``markup`` that says the same, if there is any."""
    source = _made_by_qt()
    source.setText(text)
    if markup:
        source.setData("text/html", markup.encode())
    return source


def _made_by_qt() -> QMimeData:
    """An empty source for the clipboard, which keeps it until the program has ended.

    Python is gone by then: an object that Python made would end the program with a crash.
    """
    model = QStringListModel([""])
    source = model.mimeData([model.index(0)])
    source.clear()
    return source
