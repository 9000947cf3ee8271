"""Files that are dropped on a window, wherever in it."""

from __future__ import annotations

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
        self._paths: list[Path] = []  # of what is being dragged
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent | QDragMoveEvent | QDropEvent):
            if event.type() != QEvent.Type.DragMove:
                self._paths = _paths(event.mimeData())  # not at each move: it may be thousands of files
            if self._paths:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit(self._paths)
                return True
        return False


def _paths(source: QMimeData) -> list[Path]:
    """The files in ``source``; no file has a name with a NUL."""
    names = (url.toLocalFile() for url in source.urls() if url.isLocalFile())
    return [Path(name) for name in names if "\0" not in name]
