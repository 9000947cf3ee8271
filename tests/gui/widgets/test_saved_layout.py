"""Where windows stood is read from plain numbers within limits, and from nothing else."""

import json

import pytest
from PySide6.QtWidgets import QWidget

from quizwriter.gui.widgets.saved_layout import (
    FRAME,
    ColumnSizes,
    SavedLayout,
    TableColumns,
    WindowFrame,
    read_layout,
    resize_within_screen,
    save_layout,
)


def test_parts_are_saved_one_by_one_and_come_back(tmp_path):
    frame, columns = WindowFrame(1, 2, 300, 400, maximized=True), ColumnSizes((1, 2, 3), (4, 5), True)
    table = TableColumns({"answer:": 80}, ("year",))
    save_layout(tmp_path / "home", window=frame, columns=columns)
    save_layout(tmp_path / "home", queue_window=frame, queue_columns=table)

    assert read_layout(tmp_path / "home") == SavedLayout(frame, columns, frame, table)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"[]", b"null", b"[" * 100_000, b"\xff", b"1" * 5_000, b"{" * 100_000,
        b'{"window": {"left": 1e400, "top": 0, "width": 1, "height": 1}}',
        b'{"window": {"left": 0, "top": 0, "width": -1, "height": 1}}',
        b'{"window": {"left": 0, "top": 0, "width": 2147483648, "height": 1}}',
        b'{"window": "@Variant(\\0\\0\\0\\x7f)"}',
        b'{"queue_columns": {"widths": {"a": "wide"}}}',
        b'{"columns": {"across": [1, 2, 3, 4, 5, 6, 7, 8, 9]}}',
        b'{"folder": "/home\\u0000"}',
    ],
)  # fmt: skip
def test_a_file_that_is_no_layout_starts_anew(tmp_path, raw):
    (tmp_path / "window.json").write_bytes(raw)

    assert read_layout(tmp_path) == SavedLayout()


def test_a_disk_that_refuses_loses_the_layout_only(tmp_path):
    (tmp_path / "window.json").mkdir()
    save_layout(tmp_path, window=WindowFrame(0, 0, 1, 1))

    assert read_layout(tmp_path) == SavedLayout()


def test_the_file_holds_plain_values_only(tmp_path):
    save_layout(tmp_path, window=WindowFrame(0, 0, 1, 1))

    assert json.loads((tmp_path / "window.json").read_bytes())["window"]["width"] == 1


def test_a_window_is_put_where_a_screen_is(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    WindowFrame(40, 50, 300, 200).apply(window)
    assert (window.x(), window.y(), window.width(), window.height()) == (40, 50, 300, 200)

    WindowFrame(90_000, 90_000, 310, 210).apply(window)
    assert (window.x(), window.y(), window.width(), window.height()) == (40, 50, 310, 210)
    screen = window.screen().availableGeometry()
    WindowFrame(-40, -500, screen.width() + 80, 1_100).apply(window)  # of a larger screen that is gone
    assert screen.contains(window.geometry())
    WindowFrame(0, 40, 300, 9_000).apply(window)
    assert window.geometry().bottom() == screen.bottom()
    WindowFrame(1, 22, screen.width() + 256, 300).apply(window)  # of a wider screen
    assert (window.x(), window.geometry().right()) == (1, screen.right())
    WindowFrame(screen.width() - 100, 22, 300, 300).apply(window)  # put half out of sight
    assert window.width() == 300
    window.setGeometry(0, 0, screen.width(), 300)
    WindowFrame(0, 0, 0, 0).apply(window)
    assert window.width() == screen.width()


def test_a_new_window_leaves_room_for_its_frame(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    resize_within_screen(window, 9_000, 9_000)

    screen = window.screen().availableGeometry()
    assert (window.width(), window.height()) == (screen.width(), screen.height() - FRAME)


def test_the_frame_of_a_window_is_what_it_has(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(10, 20, 300, 200)

    assert WindowFrame.of(window) == WindowFrame(10, 20, 300, 200)
