"""The icons of all windows: those of one set, in ``resources/icons``, in the colours of the theme."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPixmap, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QToolButton

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.system.resource_files import resource_lines

SIDE = 16
"""Pixels of a side of the icon of a button, at 100 %."""

_BUTTON = 28
"""Pixels of a side of a button that has an icon only, at 100 %."""

_GLASS = 14
"""Pixels of a side of the magnifying glass in a field, at 100 %."""

_FIELD_EDGE = 8
"""Pixels from the edge of a field to what is in it."""

_EDGE = 1.0
"""Units of 24 that every icon of the set leaves free on each side."""

_LINE = 2.0
"""Units of 24 that a line of the set is wide."""

_RATIOS = (1.0, 1.25, 1.5, 1.75, 2.0, 3.0)
"""The scales of screens for which an icon is drawn, so that none is blurred."""


class Icon(StrEnum):
    """What the windows draw, by the names of the set."""

    BELL = "bell"
    CHECK = "check"
    CLOSE = "x"
    COMMENT = "message-circle"
    DOWN = "chevron-down"
    ELSEWHERE = "external-link"
    LEFT = "chevron-left"
    MATCH_CASE = "case-sensitive"
    MORE = "ellipsis"
    PAUSE = "pause"
    PADLOCK = "lock"
    PLAY = "play"
    RIGHT = "chevron-right"
    SEARCH = "search"
    UNSENT = "pencil"
    UP = "chevron-up"
    WHOLE_WORDS = "whole-word"


def draw_icon(
    painter: QPainter,
    icon: Icon,
    box: QRectF,
    colour: QColor,
    *,
    inside: QColor | None = None,
    line: float = _LINE,
) -> None:
    """Draw ``icon`` filling ``box`` in ``colour``, its lines ``line`` units of 24 wide.

    ``inside`` fills what the lines enclose, where it is given.
    """
    _renderer(icon, colour.name(), "none" if inside is None else inside.name(), line).render(painter, box)


@lru_cache(maxsize=256)
def _renderer(icon: Icon, colour: str, inside: str, line: float) -> QSvgRenderer:
    drawing = "\n".join(resource_lines(f"icons/{icon}.svg"))
    drawing = drawing.replace('"currentColor"', f'"{colour}"').replace('fill="none"', f'fill="{inside}"')
    drawing = drawing.replace('stroke-width="2"', f'stroke-width="{line}"')
    renderer = QSvgRenderer(drawing.encode())
    renderer.setViewBox(QRectF(_EDGE, _EDGE, 24 - 2 * _EDGE, 24 - 2 * _EDGE))
    return renderer


def draw_check(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """A check mark filling ``box``, with a line that is seen at 10 pixels."""
    grown = box.width() / 8  # the set leaves more free around it than around others
    draw_icon(painter, Icon.CHECK, box.adjusted(-grown, -grown, grown, grown), colour, line=3.2)


def draw_cross(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """A cross filling ``box``: the counterpart of a check mark."""
    draw_icon(painter, Icon.CLOSE, box, colour, line=3)


def draw_bell(
    painter: QPainter, box: QRectF, colour: QColor, page: QColor, *, right: bool | None = True
) -> None:
    """A bell filling ``box``, solid, so that it reads at 12 px.

    A hollow one, in which the ``page`` is seen, is a buzz on a wrong answer; a half full one is a buzz while
    there is no answer to compare with (None).
    """
    draw_icon(painter, Icon.BELL, box, colour, inside=colour if right else page)
    if right is None:
        painter.save()
        painter.setClipRect(box.adjusted(0, box.height() / 2, 0, 0), Qt.ClipOperation.IntersectClip)
        draw_icon(painter, Icon.BELL, box, colour, inside=colour)
        painter.restore()


def themed_icon(icon: Icon, theme: Theme, pixels: int = SIDE) -> QIcon:
    """``icon`` for a button in the colour of the theme's text, with its disabled state.

    It is to be shown with a side of ``pixels``, at 100 %.
    """
    made = QIcon()
    tokens, side = theme.tokens, theme.px(pixels)
    modes = ((QIcon.Mode.Normal, tokens.ink), (QIcon.Mode.Disabled, tokens.wrong))
    for mode, tinted in modes:
        for size in sorted({round(side * ratio) for ratio in _RATIOS}):
            made.addPixmap(_pixmap(icon, size, QColor(tinted)), mode)
    return made


def _pixmap(icon: Icon, size: int, colour: QColor) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_icon(painter, icon, QRectF(0, 0, size, size), colour)
    painter.end()
    return pixmap


def put_icon(button: QAbstractButton, icon: Icon, theme: Theme, pixels: int = SIDE) -> None:
    """Show ``icon`` on ``button``, with a side of ``pixels``, in the colours that ``theme`` has now."""
    side = theme.px(pixels)
    button.setIcon(themed_icon(icon, theme, pixels))
    button.setIconSize(QSize(side, side))


class IconButton(QToolButton):
    """A button that has an icon only; its tool tip says what it does and by which key."""

    def __init__(
        self, theme: Theme, icon: Icon, tip: str, do: Callable[[], object] | None = None, *, name: str = ""
    ) -> None:
        """A button that does ``do``; ``name`` is for screen readers, where it is not ``tip``."""
        super().__init__()
        self._theme, self._icon = theme, icon
        self._drawn = False  # whether the icon is that of the theme now
        self.setToolTip(plain_tooltip(tip))
        self.setAccessibleName(name or tip)
        if do is not None:
            self.clicked.connect(lambda _=False: do())
        theme.follow(self._apply_theme)

    def showEvent(self, event: QShowEvent) -> None:
        if not self._drawn:
            self._draw()
        super().showEvent(event)

    def _draw(self) -> None:
        put_icon(self, self._icon, self._theme)
        self._drawn = True

    def _apply_theme(self) -> None:
        whole = self._theme.px(_BUTTON)
        self.setFixedSize(whole, whole)
        self._drawn = False
        if self.isVisible():  # most are in bars that nobody has opened
            self._draw()


LONGEST_SEARCH = 400
"""Characters to search for; a line of 30,000 takes Qt seconds to paint where a font lacks its letters."""


class SearchField(QLineEdit):
    """A field for words to search for, which a magnifying glass tells from other fields."""

    def __init__(self, theme: Theme, hint: str, *, name: str = "") -> None:
        """A field that says ``hint`` while it is empty; screen readers call it ``name`` or that."""
        super().__init__()
        self._theme = theme
        self.setPlaceholderText(hint)
        self.setAccessibleName(name or hint)
        self.setMaxLength(LONGEST_SEARCH)
        self.setClearButtonEnabled(True)
        theme.follow(self._apply_theme)

    def _apply_theme(self) -> None:
        self.setTextMargins(self._theme.px(_GLASS) + 6, 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = self._theme.px(_GLASS)
        box = QRectF(_FIELD_EDGE, (self.height() - side) / 2, side, side)
        draw_icon(QPainter(self), Icon.SEARCH, box, QColor(self._theme.tokens.soft))
