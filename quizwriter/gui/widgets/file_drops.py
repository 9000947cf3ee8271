"""Files that are dropped on a window, wherever in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class FileDrops(QObject):
    """Takes the files that are dropped on a window or on anything in it. ``dropped`` carries their paths.

    Text that is dropped goes where it always went.
    """

    dropped = Signal(object)

    def __init__(self, window: QWidget) -> None:
        """Take the files dropped on ``window``, whose widgets are all there."""
        super().__init__(window)
        self._has_file = False  # in what is being dragged
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent | QDragMoveEvent | QDropEvent):
            if event.type() != QEvent.Type.DragMove:  # not at each move: it may be thousands of addresses
                self._has_file = any(_names(event.mimeData()))
            if self._has_file:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit([Path(name) for name in _names(event.mimeData())])
                return True
        return False


def _names(source: QMimeData) -> Iterator[str]:
    """The paths of the files in ``source``; none has a NUL in its name, or no name."""
    names = (url.toLocalFile() for url in source.urls() if url.isLocalFile())
    return (name for name in names if name and "\0" not in name)
