"""Files that are dropped on a window, wherever in it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
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
        window.setAcceptDrops(True)
        for widget in (window, *window.findChildren(QWidget)):
            if widget.acceptDrops():
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent | QDragMoveEvent | QDropEvent):
            paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
            if paths:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit(paths)
                return True
        return False
