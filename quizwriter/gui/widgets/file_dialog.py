"""The dialog that asks for files and folders: it begins where the last one ended, else in the documents."""

from __future__ import annotations

import os.path
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_last: list[str] = []
"""The folder of what was chosen last, once there is one."""


def file_dialog(parent: QWidget | None, title: str, folder: str = "", file_types: str = "") -> QFileDialog:
    """The desktop's file dialog, which never begins where the program happened to be started.

    It begins in ``folder``, or where the last one ended, and is deleted when it closes. Qt shows the
    desktop's own dialog for its own class only, and for no class derived from it.
    """
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    found = (one for one in (*_last, documents) if os.path.isdir(one))  # else Qt takes it for a file's name
    dialog = QFileDialog(parent, title, folder or next(found, str(Path.home())), file_types)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filesSelected.connect(_remember)
    return dialog


def last_folder() -> str:
    """The folder where the last dialog ended; empty if there is none that a file can name."""
    folder = next(iter(_last), "")
    return "" if any(0xD800 <= ord(letter) < 0xE000 for letter in folder) else folder


def begin_in(folder: str) -> None:
    """Have the next dialog begin in ``folder``, unless that is empty."""
    _last[:] = [folder] if folder else []


def _remember(names: list[str]) -> None:
    if names:
        _last[:] = [str(Path(names[0]).parent)]
