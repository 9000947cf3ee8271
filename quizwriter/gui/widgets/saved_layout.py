"""Where windows and their parts stood, as plain numbers in a file: decoded and checked before Qt sees them.

Qt's own settings files may hold objects of any of its classes, which it makes while it reads the file. A file
from elsewhere could end the program with them.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, decode_small_json, read_limited

log = logging.getLogger(__name__)

_MOST_BYTES = 1 << 18

_Place = Annotated[int, msgspec.Meta(ge=-100_000, le=100_000)]
_Size = Annotated[int, msgspec.Meta(ge=0, le=20_000)]
_Offset = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
_Name = Annotated[str, msgspec.Meta(max_length=200)]
_Text = Annotated[str, msgspec.Meta(max_length=1_000)]
_Folder = Annotated[str, msgspec.Meta(max_length=10_000, pattern=r"\A[^\x00]*\Z")]
Sizes = Annotated[tuple[_Size, ...], msgspec.Meta(max_length=8)]


FRAME = 40
"""Pixels that the desktop's frame and title take of a screen's height."""


def room_on_screen(window: QWidget) -> QSize:
    """The largest size that ``window`` may have on its screen, without its frame."""
    screen = window.screen().availableGeometry()
    return QSize(screen.width(), screen.height() - FRAME)


def resize_within_screen(window: QWidget, width: int, height: int) -> None:
    """Give ``window`` a size at first, which is no larger than its screen."""
    window.resize(QSize(width, height).boundedTo(room_on_screen(window)))


class WindowFrame(msgspec.Struct, frozen=True):
    """The place and the size of a window in pixels, and whether it fills the screen."""

    left: _Place
    top: _Place
    width: _Size
    height: _Size
    maximized: bool = False

    @classmethod
    def of(cls, window: QWidget) -> WindowFrame:
        """The frame of ``window`` now; of one that fills the screen, the frame it goes back to."""
        whole = window.normalGeometry() if window.isMaximized() else window.geometry()
        return cls(whole.x(), whole.y(), whole.width(), whole.height(), window.isMaximized())

    def apply(self, window: QWidget) -> None:
        """Put ``window`` there; where no screen is there any more, it gets the size only.

        A window whose upper edge, by which it is moved, would be on no screen is moved into the screen. One
        whose lower edge would be on none is made lower, and one that is wider than its screen narrower.
        """
        if not self.width or not self.height:
            return
        frame = QRect(self.left, self.top, self.width, self.height)
        screen = QGuiApplication.screenAt(frame.center())
        room = (screen or QGuiApplication.primaryScreen()).availableGeometry()
        if screen is None:
            window.resize(frame.size().boundedTo(room.size()))
        elif QGuiApplication.screenAt(QPoint(frame.center().x(), frame.top())) is None:
            frame.setSize(frame.size().boundedTo(room.size()))
            frame.moveTopLeft(room.topLeft())
            window.setGeometry(frame)
        else:
            if QGuiApplication.screenAt(QPoint(frame.center().x(), frame.bottom())) is None:
                frame.setBottom(room.bottom())
            if frame.width() > room.width() and QGuiApplication.screenAt(frame.topRight()) is None:
                frame.setRight(room.right())
            window.setGeometry(frame)
        if self.maximized:
            window.showMaximized()


class ColumnSizes(msgspec.Struct, frozen=True):
    """The widths of the three columns, the heights beside the draft, and which sides are hidden."""

    across: Sizes = ()
    right: Sizes = ()
    right_chosen: bool = False  # whether the writer has said how high the guesses should be
    tossups_hidden: bool = False
    players_hidden: bool = False


class TableColumns(msgspec.Struct, frozen=True):
    """The widths of the columns of a table by their names, and the names of hidden columns."""

    widths: dict[_Name, _Size] = msgspec.field(default_factory=dict)
    hidden: tuple[_Name, ...] | None = None  # None: as at first


MOST_TOSSUPS = 2_000
"""The most tossups of a window that can be opened again."""


class WindowPlace(msgspec.Struct, frozen=True):
    """What a window beside the main one showed."""

    kind: _Name  # queue, log, search, history or tagging
    frame: WindowFrame | None = None
    tossups: Annotated[
        tuple[_Name, ...], msgspec.Meta(max_length=MOST_TOSSUPS)
    ] = ()  # that it was opened for
    pane: _Name = ""  # the tab or the mode that was chosen
    at: _Offset | None = None  # the step of a history; None: its end
    texts: Annotated[dict[_Name, _Text], msgspec.Meta(max_length=8)] = msgspec.field(default_factory=dict)


class OpenPlace(msgspec.Struct, frozen=True):
    """What was in sight of which tossup, and which other windows were open.

    The database knows which tossup was open last, and the cursor in it, also after a crash.
    """

    tossup_id: _Name = ""
    scrolled: _Offset = 0  # pixels
    windows: Annotated[tuple[_Name | WindowPlace, ...], msgspec.Meta(max_length=16)] = ()  # older: kinds only


class SavedLayout(msgspec.Struct, frozen=True):
    """Where everything stood when the windows were closed."""

    window: WindowFrame | None = None
    columns: ColumnSizes | None = None
    queue_window: WindowFrame | None = None
    queue_columns: TableColumns | None = None
    tab: _Name = ""  # the tab of the right column that the writer chose
    place: OpenPlace | None = None
    folder: _Folder = ""  # where the last file dialog ended


def read_layout(home: Path) -> SavedLayout:
    """The layout that was saved in the data folder ``home``; an empty one where the file cannot be used."""
    try:
        return decode_small_json(read_limited(_path(home), _MOST_BYTES), SavedLayout)
    except FileNotFoundError:
        return SavedLayout()
    except (OSError, DecodingError) as trouble:
        log.info("the layout of the windows starts anew: %s", trouble)
        return SavedLayout()


def save_layout(home: Path, **parts: WindowFrame | ColumnSizes | TableColumns | OpenPlace | str) -> None:
    """Save ``parts``, which are fields of :class:`SavedLayout`, in the data folder ``home``.

    Where the disk refuses, nothing is said: only the place of a window is lost.
    """
    layout = replace(read_layout(home), **parts)
    try:
        with atomic_write(_path(home), make_folder=True) as file:
            file.write(msgspec.json.format(msgspec.json.encode(layout)))
    except QuizwriterError as trouble:
        log.info("the layout of the windows is not saved: %s", trouble)


def _path(home: Path) -> Path:
    return home / "window.json"
