"""The dialog that asks for files and folders: it begins where the last one ended, else in the documents."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget


class FileDialog(QFileDialog):
    """A file dialog that never begins in the folder from which the program happened to be started.

    It is deleted when it closes.
    """

    _last: ClassVar[str] = ""  # the folder of what was chosen last in this run

    def __init__(self, parent: QWidget | None, title: str, folder: str = "", file_types: str = "") -> None:
        """``folder`` is where it begins; empty: where the last dialog ended."""
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        remembered = FileDialog._last if Path(FileDialog._last).is_dir() else ""
        super().__init__(parent, title, folder or remembered or documents, file_types)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.filesSelected.connect(self._remember)

    def _remember(self, names: list[str]) -> None:
        if names:
            FileDialog._last = str(Path(names[0]).parent)
