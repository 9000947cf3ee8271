"""Files that are dropped on a window."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from quizwriter.gui.secondary_windows import MOST_LOOKED_AT
from quizwriter.gui.widgets import file_drops
from quizwriter.gui.widgets.file_drops import FileDrops

GIVEN = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def field(qtbot):
    """A field in a window that takes files, and the paths that were dropped on it."""
    window = QWidget()
    qtbot.addWidget(window)
    field = QLineEdit(window)
    taken = []
    FileDrops(window).dropped.connect(taken.extend)
    yield field, taken
    del window  # the test's own, until here


def drag(field, *urls, moves=1):
    """Drag ``urls`` over ``field``, and drop them there; whether that was taken as files."""
    source, (action, button, key) = QMimeData(), GIVEN
    source.setUrls([QUrl(url) for url in urls])
    for kind in (QDragEnterEvent, *[QDragMoveEvent] * moves):
        QApplication.sendEvent(field, kind(QPoint(2, 2), action, source, button, key))
    drop = QDropEvent(QPointF(2, 2), action, source, button, key)
    QApplication.sendEvent(field, drop)
    return drop.isAccepted()


def test_files_are_told_once_and_addresses_are_none(field):
    line, taken = field

    assert drag(line, "file:///tmp/one.docx", "https://lake.example/two.docx")
    assert taken == [Path("/tmp/one.docx")]


def test_a_name_that_no_file_can_have_is_left_out(field):
    line, taken = field

    for wrong in ("file:///tmp/a%00b.qwpack", "file:"):
        drag(line, wrong, "file:///tmp/one.docx")
        drag(line, wrong)

    assert taken == [Path("/tmp/one.docx")] * 2


def test_thousands_of_files_are_not_read_again_at_each_move(field, monkeypatch):
    line, taken = field
    looks, read, names = [], [], file_drops._names
    monkeypatch.setattr(file_drops, "_names", lambda source: looks.append(source) or names(source))
    monkeypatch.setattr(file_drops, "Path", lambda name: read.append(name) or Path(name))

    drag(line, *(f"file:///tmp/{number}.docx" for number in range(5)), moves=50)

    assert len(looks) == 3  # when the drag comes in, and twice when it is dropped
    assert len(read) == len(taken) == 5


def test_a_path_that_is_too_long_is_no_file(qtbot, window):
    drag(window.draft.viewport(), f"file:///tmp/{'x' * 5_000}.docx", f"file:///tmp/{'x' * 5_000}")

    assert "QuizWriter reads question files" in window.messages.text("files")


def test_ten_thousand_files_are_looked_at_by_the_dialog_and_not_by_the_window(qtbot, window, monkeypatch):
    looked = []
    monkeypatch.setattr(Path, "is_file", lambda path: looked.append(path) or False)
    opened = []
    monkeypatch.setattr(window.windows, "import_files", opened.extend)

    window.windows.take_files([Path(f"/tmp/none{number}.docx") for number in range(10_000)])

    assert len(looked) <= MOST_LOOKED_AT
    assert len(opened) == 10_000
