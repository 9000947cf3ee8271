"""The dialog that asks for files and folders: it begins where the last one ended, else in the documents."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_ENDING = re.compile(r"\*\.(\w+)")
_OF_PATHS = re.compile(r"[/\\:*?\"<>|\x00-\x1f]+")
"""What no name of a file can have, on one desktop or another."""

LONGEST_NAME = 160
"""Bytes of a file's name that is proposed, without its ending; no disk takes more than 255 with it."""

NAMELESS = "packet"
"""The name that is proposed where no character of a title can stand."""

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


def save_dialog(parent: QWidget | None, title: str, name: str, file_types: str) -> QFileDialog:
    """The same for a new file, to be called ``name`` unless the person says otherwise.

    A name without an ending gets that of the file type that is chosen.
    """
    dialog = file_dialog(parent, title, "", file_types)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)

    def use_ending(file_type: str) -> None:
        if found := _ENDING.search(file_type):
            dialog.setDefaultSuffix(found[1])

    dialog.filterSelected.connect(use_ending)
    use_ending(file_types)
    stem, _, ending = name.rpartition(".")
    # a name that begins with a point is that of a hidden file
    fit = " ".join(_OF_PATHS.sub(" ", stem).split()).lstrip(". ").encode(errors="ignore")[:LONGEST_NAME]
    dialog.selectFile(f"{fit.decode(errors='ignore') or NAMELESS}.{ending}")
    return dialog


def ask_file(parent: QWidget, title: str, file_types: str, then: Callable[[Path], object]) -> None:
    """Ask for a file that is there, and call ``then`` with it."""
    dialog = file_dialog(parent, title, "", file_types)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _open(dialog, then)


def ask_files(parent: QWidget, title: str, file_types: str, then: Callable[[list[Path]], object]) -> None:
    """Ask for files that are there, and call ``then`` with them."""
    dialog = file_dialog(parent, title, "", file_types)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda names: then([Path(name) for name in names]))
    dialog.open()


def ask_folder(parent: QWidget, title: str, then: Callable[[Path], object], folder: str = "") -> None:
    """Ask for a folder, and call ``then`` with it."""
    dialog = file_dialog(parent, title, folder)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    _open(dialog, then)


def ask_new_file(
    parent: QWidget, title: str, name: str, file_types: str, then: Callable[[Path], object]
) -> QFileDialog:
    """Ask where to write a file, as :func:`save_dialog` does, and call ``then`` with its path."""
    return _open(save_dialog(parent, title, name, file_types), then)


def _open(dialog: QFileDialog, then: Callable[[Path], object]) -> QFileDialog:
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
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
