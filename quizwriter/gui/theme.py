"""The theme: colours, fonts and glyphs of all windows, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import ceil, cos, pi, sin
from pathlib import Path

from PySide6.QtCore import QObject, QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QApplication, QStyle, QStyleFactory, QWidget

from quizwriter.gui.colours import LIGHT, THEMES, ColourTokens, PlayerMark, mixed
from quizwriter.system.resource_files import resources_folder

GRID = 4
"""Every distance in the window is a multiple of this, in px."""

ROOMY_LINE = 17
"""The height, in px, of the tallest line of text for which the places of text need not grow."""

BOX = 14
"""Pixels of a side of a box to tick, at 100 %."""

MENU_SIGN = 10
"""Pixels of a side of the sign on a button with a menu, at 100 %."""

STALE_OPACITY = 0.6
"""The opacity of guesses and evidence for an older draft."""


SYSTEM_FONT = "quizwriter_system_font"
"""The property of the application that keeps the desktop's font."""

WORN = "quizwriter_worn"
"""The property of the application that keeps the style sheet and the font that its widgets have."""


class Theme(QObject):
    """The theme of all windows; on ``changed``, every pane repaints itself."""

    changed = Signal()

    def __init__(
        self,
        app: QApplication,
        *,
        scheme: str,
        draft_font: str,
        draft_size_px: int,
        text_percent: int = 100,
        reduced_motion: bool = False,
    ) -> None:
        super().__init__()
        self._app = app
        self._system_font = _system_font(app)
        self.text_percent = text_percent
        self.reduced_motion = reduced_motion
        """Whether the writer wants nothing to move, also where the system does not ask for that."""
        self._scheme = scheme
        self._hints = app.styleHints()  # kept: the next one lives only as long as this
        self._accessibility = self._hints.accessibility()
        self.draft_size_px = draft_size_px
        if app.property(WORN) is None:
            app.setStyle(QStyleFactory.create("Fusion"))
        self._serif = _load_serif_family(resources_folder() / "fonts")
        self._family = draft_font or self._serif
        self.tokens = LIGHT
        self._fonts: dict[tuple[bool, bool], QFont] = {}  # as made: every paint asks for some
        self._use_percent(text_percent)
        self._update_tokens()
        self._hints.colorSchemeChanged.connect(self._update_tokens)
        self._accessibility.contrastPreferenceChanged.connect(self._update_tokens)

    def follow(self, apply: Callable[[], object]) -> None:
        """Call ``apply`` now and at every change."""
        self.changed.connect(apply)
        apply()

    def use_theme(self, scheme: str) -> None:
        """Use the scheme ``light``, ``dark``, ``system`` or ``contrast`` from now on.

        The last two are light or dark as the system is; ``contrast`` has high contrast, as every scheme has
        where the system asks for that.
        """
        self._scheme = scheme
        self._update_tokens()

    @contextmanager
    def bare_widgets(self) -> Iterator[None]:
        """Make widgets without the style sheet, which they get at the end.

        Qt matches the sheet against a widget and all in it whenever that gets another parent: a third of the
        time in which a window is made. Where there are other windows, it would have to style those twice.
        """
        if self._app.topLevelWidgets():
            yield
            return
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._app.setStyleSheet(self._style_sheet())

    def use_draft_size(self, pixels: int) -> None:
        self.draft_size_px = pixels
        self.changed.emit()

    def use_letters(self, family: str, draft_px: int, percent: int) -> None:
        """Set the draft in ``family``, or the program's serif if it is empty, and size all letters."""
        if (family or self._serif, draft_px, percent) == (
            self._family,
            self.draft_size_px,
            self.text_percent,
        ):
            return
        self._family = family or self._serif
        self.draft_size_px = draft_px
        self._use_percent(percent)
        self._update_tokens()

    def _use_percent(self, percent: int) -> None:
        self.text_percent = percent
        font = QFont(self._system_font)
        font.setPointSizeF(font.pointSizeF() * percent / 100)
        if font != self._app.font():
            self._app.setFont(font)
        self._fonts.clear()
        self._scale = max(1.0, QFontMetricsF(font).height() / ROOMY_LINE)

    @property
    def scale(self) -> float:
        """How much larger letters are than those for which places are measured; at least 1."""
        return self._scale

    def px(self, pixels: float) -> int:
        """``pixels`` of a place for text, such as the height of a row, at the size that letters have now."""
        return round(pixels * self._scale)

    @property
    def draft_px(self) -> int:
        return round(self.draft_size_px * self.text_percent / 100)

    @property
    def animation_ms(self) -> int:
        """The duration of an animation in ms; 0 if the writer or the system asks for reduced motion."""
        if self.reduced_motion:
            return 0
        motion = getattr(self._accessibility, "motionPreference", None)  # newer than the oldest Qt we run on
        if motion is not None and motion().name.startswith("Reduce"):
            return 0
        animated = self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        return 120 if animated else 0

    def gutter(self, width: int) -> int:
        """Pixels left of the text's column in a draft of ``width`` pixels.

        It has room for bells and lane names. In a narrow draft it is a fifth of the width: long names are
        cut then, so that the text is not.
        """
        name = QFontMetricsF(self.font(bold=True, small=True)).horizontalAdvance("Ensemble +3") + 22
        return ceil(max(52, min(name, width / 5)) / GRID) * GRID

    def draft_font(self) -> QFont:
        font = QFont(self._family)
        font.setStyleHint(QFont.StyleHint.Serif)
        font.setPixelSize(self.draft_px)
        return font

    @property
    def draft_families(self) -> str:
        return f"{self._family}, serif"

    def font(self, *, bold: bool = False, small: bool = False) -> QFont:
        """The platform's own font, with figures of equal width."""
        font = self._fonts.get((bold, small))
        if font is None:
            font = QFont(self._app.font())
            if small:
                font.setPointSizeF(max(7.0, font.pointSizeF() * 0.92))
            font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
            font.setFeature(QFont.Tag("tnum"), 1)
            self._fonts[bold, small] = font
        return QFont(font)

    def _update_tokens(self) -> None:
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        hints = self._hints
        wanted = schemes.get(self._scheme, Qt.ColorScheme.Unknown)
        with QSignalBlocker(hints):  # our own choice is no news from the system
            hints.setColorScheme(wanted)
        scheme = hints.colorScheme() if wanted == Qt.ColorScheme.Unknown else wanted
        asked = self._accessibility.contrastPreference() == Qt.ContrastPreference.HighContrast
        contrast = " contrast" if asked or self._scheme == "contrast" else ""
        self.tokens = THEMES[("dark" if scheme == Qt.ColorScheme.Dark else "light") + contrast]
        self._app.setPalette(_palette(self.tokens))
        worn = [self._style_sheet(), self._app.font().toString()]
        if worn != self._app.property(WORN):  # to style every widget anew takes longest
            self._app.setStyleSheet(worn[0])  # also for another font, or Qt leaves the widgets theirs
            self._app.setProperty(WORN, worn)
        self.changed.emit()

    def _style_sheet(self) -> str:
        side = self.px(BOX)
        if side == BOX:
            return _style_sheet(self.tokens)
        sides = {
            "QComboBox::down-arrow": 10,
            "QAbstractSpinBox::up-arrow": 8,
            "QAbstractSpinBox::down-arrow": 8,
            "QToolButton::menu-indicator": MENU_SIGN,
            "QToolButton::menu-arrow": MENU_SIGN,
        }
        wide = {
            "QComboBox::drop-down": 22,
            "QAbstractSpinBox::up-button": 20,
            "QAbstractSpinBox::down-button": 20,
        }
        grown = [
            f"{boxes} {{ width: {side - 2 * edge}px; height: {side - 2 * edge}px; }}"
            for boxes, edge in ((_boxes(), 1), (_FOCUSED_BOXES, 2))
        ]
        grown += [f"QRadioButton::indicator {{ border-radius: {side // 2}px; }}"]
        grown += [f"{part} {{ width: {self.px(n)}px; height: {self.px(n)}px; }}" for part, n in sides.items()]
        grown += [f"{part} {{ width: {self.px(n)}px; }}" for part, n in wide.items()]
        return _style_sheet(self.tokens) + " ".join(grown)


def _system_font(app: QApplication) -> QFont:
    """The font that the desktop wants; an older theme of this process may have enlarged the application's."""
    kept = app.property(SYSTEM_FONT)
    if isinstance(kept, QFont):
        return kept
    font = QFont(app.font())
    app.setProperty(SYSTEM_FONT, font)
    return font


@cache
def _load_serif_family(folder: Path) -> str:
    """The family of the serif that comes with the program; the platform's where it is missing.

    Qt forgets what it knows of all fonts whenever it gets one.
    """
    numbers = [QFontDatabase.addApplicationFont(str(path)) for path in sorted(folder.glob("*.ttf"))]
    families = [family for number in numbers for family in QFontDatabase.applicationFontFamilies(number)]
    if families:
        return families[0]
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()


def _palette(tokens: ColourTokens) -> QPalette:
    roles = QPalette.ColorRole
    colours = {
        roles.Window: tokens.chrome,
        roles.WindowText: tokens.ink,
        roles.Base: tokens.page,
        roles.AlternateBase: tokens.chrome,
        roles.Text: tokens.ink,
        roles.Button: tokens.chrome,
        roles.ButtonText: tokens.ink,
        roles.BrightText: tokens.confident,
        roles.ToolTipBase: tokens.ink,
        roles.ToolTipText: tokens.page,
        roles.PlaceholderText: tokens.soft,
        roles.Highlight: tokens.accent,
        roles.HighlightedText: tokens.on_accent,
        roles.Link: tokens.accent,
        roles.LinkVisited: tokens.accent,
        roles.Accent: tokens.accent,
        roles.Light: tokens.page,
        roles.Midlight: tokens.chrome,
        roles.Mid: tokens.line,
        roles.Dark: tokens.line,
        roles.Shadow: tokens.line,
    }
    palette = QPalette()
    for role, colour in colours.items():
        palette.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.wrong))
    return palette


def _boxes(state: str = "") -> str:
    """The boxes to tick, in lists and tables too, for a style sheet."""
    kinds = ("QCheckBox", "QRadioButton", "QTreeView", "QListView")
    return ", ".join(f"{kind}::indicator{state}" for kind in kinds)


_FOCUSED_BOXES = "QCheckBox::indicator:focus, QRadioButton::indicator:focus"


def restyle(widget: QWidget, sheet: str) -> None:
    """Give ``widget`` the style ``sheet``, unless it has that: Qt reads and applies each for some 2 ms."""
    if widget.styleSheet() != sheet:
        widget.setStyleSheet(sheet)


def _style_sheet(tokens: ColourTokens) -> str:
    """The style sheet for what Fusion and a palette cannot set: hairlines, corners, thin scroll bars."""
    hover = mixed(tokens.ink, tokens.chrome, 0.07)
    handle = mixed(tokens.ink, tokens.chrome, 0.5 if tokens.high_contrast else 0.22)
    icons = (resources_folder() / "icons" / "sheet").as_posix()
    lists = "QTreeView, QTableWidget, QListWidget"
    ticked, picked = ("light", "dark") if tokens.on_accent == LIGHT.on_accent else ("dark", "light")
    return f"""
    QMenuBar {{ background: {tokens.chrome}; border: none; padding: 2px 4px; spacing: 0; }}
    QMenuBar::item {{ padding: 4px 8px; border-radius: 4px; background: transparent; color: {tokens.ink}; }}
    QMenuBar::item:selected {{ background: {hover}; }}
    QMenu {{ background: {tokens.page}; border: 1px solid {tokens.line}; padding: 4px; }}
    QMenu::item {{ padding: 5px 24px 5px 24px; border-radius: 4px; color: {tokens.ink}; }}
    QMenu::item:selected {{ background: {tokens.accent}; color: {tokens.on_accent}; }}
    QMenu::item:disabled {{ color: {tokens.wrong}; }}
    QMenu::separator {{ height: 1px; background: {tokens.line}; margin: 4px 8px; }}
    QLineEdit, QTextEdit, QPlainTextEdit, QComboBox {{ placeholder-text-color: {tokens.soft}; }}
    QLineEdit {{ background: {tokens.page}; border: 1px solid {tokens.line}; border-radius: 6px;
                 padding: 5px 8px; selection-background-color: {tokens.accent};
                 selection-color: {tokens.on_accent}; lineedit-clear-button-icon: url("{icons}/x.svg"); }}
    QLineEdit#title {{ background: transparent; border-color: transparent; font-weight: 600; }}
    QLineEdit#title:hover {{ border-color: {tokens.line}; }}
    QLineEdit:read-only {{ background: {tokens.chrome}; }}
    QLineEdit:focus {{ border: 2px solid {tokens.accent}; padding: 4px 7px; }}
    QComboBox, QAbstractSpinBox {{ background: {tokens.page}; border: 1px solid {tokens.line};
                                   border-radius: 6px; padding: 5px 2px 5px 8px; color: {tokens.ink};
                                   selection-background-color: {tokens.accent};
                                   selection-color: {tokens.on_accent}; }}
    QAbstractSpinBox {{ padding: 4px 2px 4px 8px; }}
    QComboBox:focus {{ border: 2px solid {tokens.accent}; padding: 4px 1px 4px 7px; }}
    QAbstractSpinBox:focus {{ border: 2px solid {tokens.accent}; padding: 3px 1px 3px 7px; }}
    QComboBox:disabled, QAbstractSpinBox:disabled {{ background: {tokens.chrome}; color: {tokens.wrong}; }}
    QComboBox::drop-down {{ border: none; width: 22px; }}
    QComboBox::down-arrow, QAbstractSpinBox::down-arrow {{ image: url("{icons}/chevron-down.svg"); }}
    QAbstractSpinBox::up-arrow {{ image: url("{icons}/chevron-up.svg"); }}
    QComboBox::down-arrow {{ width: 10px; height: 10px; }}
    QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow {{ width: 8px; height: 8px; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 20px; }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; margin: 2px 2px 0 0; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; margin: 0 2px 2px 0; }}
    QComboBox QAbstractItemView {{ background: {tokens.page}; border: 1px solid {tokens.line}; outline: none;
                                   padding: 4px; }}
    QToolButton, QPushButton {{ background: transparent; border: 1px solid transparent; border-radius: 6px;
                                padding: 4px 6px; color: {tokens.ink}; }}
    QToolButton:hover, QPushButton:hover {{ background: {hover}; }}
    QToolButton::menu-indicator, QToolButton::menu-arrow {{
        image: url("{icons}/chevron-down.svg"); width: {MENU_SIGN}px; height: {MENU_SIGN}px;
        subcontrol-origin: padding; subcontrol-position: center right; right: 6px; }}
    QToolButton::menu-button {{ border: none; width: 22px; }}
    QToolButton::menu-arrow {{ right: 0; subcontrol-position: center; }}
    #outlined {{ border-color: {tokens.line}; padding: 3px 10px; }}
    #primary {{ background: {tokens.accent}; color: {tokens.on_accent}; border-color: {tokens.accent};
                padding: 3px 10px; font-weight: 600; }}
    #primary:hover {{ background: {mixed(tokens.ink, tokens.accent, 0.15)}; }}
    #primary:focus {{ border: 2px solid {tokens.ink}; padding: 2px 9px; text-decoration: underline; }}
    #primary:disabled {{ background: {tokens.chrome}; border-color: {tokens.line}; color: {tokens.wrong}; }}
    QToolButton:focus, QPushButton:focus {{ border: 1px solid {tokens.accent}; }}
    #outlined:focus {{ border: 2px solid {tokens.accent}; padding: 2px 9px; }}
    QToolButton:disabled, QPushButton:disabled {{ color: {tokens.wrong}; }}
    #pages {{ background: transparent; border: none; outline: none; padding: 0; }}
    #pages::item {{ padding: 6px 8px; border-radius: 6px; color: {tokens.ink}; }}
    #pages::item:selected {{ background: {tokens.accent}; color: {tokens.on_accent}; }}
    QTextBrowser {{ border: 2px solid transparent; border-radius: 6px; background: {tokens.page}; }}
    QTextBrowser:focus {{ border-color: {tokens.accent}; }}
    QTabWidget::pane {{ border: none; }}
    QTabBar::tab {{ background: transparent; color: {tokens.soft}; border: none; padding: 6px 10px;
                    border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {tokens.ink}; border-bottom-color: {tokens.accent}; }}
    QTabBar::tab:hover {{ color: {tokens.ink}; }}
    QTabBar::tab:focus {{ border: 1px solid {tokens.accent}; border-bottom-width: 2px; }}
    {lists}, QPlainTextEdit {{ border: 1px solid {tokens.line}; border-radius: 6px;
                               outline: none; padding: 2px; background: {tokens.page}; }}
    {lists.replace(",", ":focus,")}:focus, QPlainTextEdit:focus {{ border-color: {tokens.accent}; }}
    {lists.replace(",", "::item,")}::item {{ padding: 3px 8px; border: none; color: {tokens.ink}; }}
    {lists.replace(",", "::item:selected,")}::item:selected {{ background: {tokens.accent};
                                                               color: {tokens.on_accent}; }}
    {_boxes()} {{ width: {BOX - 2}px; height: {BOX - 2}px; border: 1px solid {tokens.wrong};
                  border-radius: 3px; background: {tokens.page}; }}
    {_boxes(":checked")} {{ background: {tokens.accent}; border-color: {tokens.accent};
                                 image: url("{icons}/check-{ticked}.svg"); }}
    {_boxes(":selected")} {{ border-color: {tokens.on_accent}; }}
    {_boxes(":checked:selected")} {{ background: {tokens.on_accent};
                                          image: url("{icons}/check-{picked}.svg"); }}
    QRadioButton::indicator {{ border-radius: {BOX // 2}px; }}
    QRadioButton::indicator:checked {{ image: none; background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5,
        fx: 0.5, fy: 0.5, stop: 0 {tokens.accent}, stop: 0.5 {tokens.accent}, stop: 0.6 {tokens.page}); }}
    {_FOCUSED_BOXES} {{ width: {BOX - 4}px; height: {BOX - 4}px;
                                  border: 2px solid {tokens.accent}; }}
    {_FOCUSED_BOXES.replace(":focus", ":checked:focus")} {{ border-color: {tokens.ink}; }}
    {_boxes(":disabled")} {{ border-color: {tokens.line}; }}
    {_boxes(":checked:disabled")} {{ background: {tokens.wrong}; }}
    QHeaderView, QHeaderView::section {{ background: {tokens.page}; color: {tokens.soft}; border: none; }}
    QHeaderView::section {{ border-bottom: 1px solid {tokens.line}; padding: 4px 11px; }}
    QHeaderView::section:checked {{ font-weight: normal; }}
    QProgressBar {{ background: {tokens.line}; border: none; border-radius: 3px; }}
    QProgressBar::chunk {{ background: {tokens.accent}; border-radius: 3px; }}
    QAbstractScrollArea::corner {{ background: transparent; }}
    QSplitter::handle {{ background: {tokens.line}; }}
    QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; border: none; }}
    QScrollBar::handle:vertical {{ background: {handle}; border-radius: 3px; min-height: 32px; margin: 3px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; border: none; }}
    QScrollBar::handle:horizontal {{ background: {handle}; border-radius: 3px; min-width: 32px;
                                     margin: 3px; }}
    QToolTip {{ background: {tokens.ink}; color: {tokens.page}; border: none; padding: 4px 6px; }}
    #floating {{ background: {tokens.page}; border: 1px solid {tokens.line}; border-radius: 6px; }}
    #floating QTableView, #floating QHeaderView, #floating QHeaderView::section {{
        background: transparent; border: none;
    }}
    #floating QTableView::item {{ padding: 0; }}
    #floating QListView {{ background: transparent; border: none; outline: none; }}
    """


def fill_background(widget: QWidget, colour: str) -> None:
    """Paint what is behind ``widget``, and behind what lies in it, in ``colour``."""
    palette = QPalette(widget.palette())
    palette.setColor(QPalette.ColorRole.Window, QColor(colour))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)


_CORNERS = {  # of the unit square, from its upper left corner
    "s": ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)),
    "t1": ((0.5, 0.05), (1.0, 0.92), (0.0, 0.92)),
    "t": ((0.0, 0.08), (1.0, 0.08), (0.5, 0.95)),
    "d": ((0.5, -0.05), (1.05, 0.5), (0.5, 1.05), (-0.05, 0.5)),
    "star": tuple(
        (0.5 + far * sin(turn * pi / 5), 0.53 - far * cos(turn * pi / 5))
        for turn, far in enumerate((0.58, 0.25) * 5)
    ),
    "h": tuple((0.5 + 0.46 * sin(turn * pi / 3), 0.5 - 0.56 * cos(turn * pi / 3)) for turn in range(6)),
    "+": (
        *((0.35, 0.0), (0.65, 0.0), (0.65, 0.35), (1.0, 0.35), (1.0, 0.65), (0.65, 0.65)),
        *((0.65, 1.0), (0.35, 1.0), (0.35, 0.65), (0.0, 0.65), (0.0, 0.35), (0.35, 0.35)),
    ),
    "p": tuple((0.5 + 0.54 * sin(turn * pi / 2.5), 0.53 - 0.54 * cos(turn * pi / 2.5)) for turn in range(5)),
}


def draw_player(
    painter: QPainter, box: QRectF, mark: PlayerMark, page: QColor | None = None, *, right: bool | None = True
) -> None:
    """The shape of a player filling ``box`` in its colour.

    At a buzz on a ``page`` of that colour it is filled as a bell is: hollow if wrong, half without an answer.
    """
    path = QPainterPath()
    if corners := _CORNERS.get(mark.shape):
        path.addPolygon(QPolygonF([_point_in(box, x, y) for x, y in corners]))
        path.closeSubpath()
    else:
        path.addEllipse(box)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if page is None or right:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mark.colour))
    else:
        painter.setPen(QPen(QColor(mark.colour), max(1.25, box.width() * 0.14)))
        halves = QLinearGradient(box.topLeft(), box.bottomLeft())
        halves.setColorAt(0.5, page)
        halves.setColorAt(0.501, page if right is False else QColor(mark.colour))
        painter.setBrush(halves)
    painter.drawPath(path)
    painter.restore()


def draw_first_correct(painter: QPainter, box: QRectF, colour: QColor, inside: QColor) -> None:
    """A hollow triangle standing on its point: right for the first time."""
    path = QPainterPath(_point_in(box, 0.08, 0.12))
    path.lineTo(_point_in(box, 0.92, 0.12))
    path.lineTo(_point_in(box, 0.50, 0.88))
    path.closeSubpath()
    _stroke(painter, path, colour, box.width() * 0.14, inside)


def draw_stable_correct(painter: QPainter, box: QRectF, colour: QColor, inside: QColor) -> None:
    """A diamond: right for good."""
    path = QPainterPath(_point_in(box, 0.50, 0.0))
    path.lineTo(_point_in(box, 1.0, 0.50))
    path.lineTo(_point_in(box, 0.50, 1.0))
    path.lineTo(_point_in(box, 0.0, 0.50))
    path.closeSubpath()
    _stroke(painter, path, inside, box.width() * 0.12, colour)


def draw_cue(
    painter: QPainter, box: QRectF, share: float, tokens: ColourTokens, *, least: float = 0.0
) -> None:
    """The mark of a cue around the word in ``box``, which does not rely on colours.

    ``share`` is the weight, from -1 to 1; a weight of ``least`` gets the finest line. A positive weight is a
    line of 1 to 3 px below the word. A negative weight is a frame, because a line would look like a spelling
    mistake.
    """
    size = max(0.0, min(1.0, abs(share)) - least) / (1 - least)
    if share > 0:
        top = round(box.bottom()) + 1  # whole pixels, or the finest lines blur
        painter.fillRect(QRectF(box.left(), top, box.width(), round(1 + 2 * size)), QColor(tokens.cue))
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    width = 1 if size < 0.6 else 2
    painter.setPen(QPen(QColor(mixed(tokens.counter, tokens.page, 0.6 + 0.4 * size)), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    frame = QRectF(round(box.left()) - 1, round(box.top()), round(box.width()) + 2, round(box.height()) + 1)
    painter.drawRoundedRect(frame.translated(width % 2 / 2, width % 2 / 2), 3, 3)  # on whole pixels
    painter.restore()


def draw_unknown(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """A dotted line along the middle of ``box``: of these words nothing is known."""
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    y = round(box.center().y()) + 0.5
    painter.drawLine(QPointF(box.left() + 1, y), QPointF(box.right() - 1, y))


def draw_crosshatch(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """A crosshatch over ``box``: confidently wrong words are marked by more than their colour."""
    painter.fillRect(box, QBrush(colour, Qt.BrushStyle.DiagCrossPattern))


def _point_in(box: QRectF, x: float, y: float) -> QPointF:
    return QPointF(box.left() + x * box.width(), box.top() + y * box.height())


def _stroke(painter: QPainter, path: QPainterPath, colour: QColor, width: float, inside: QColor) -> None:
    painter.save()
    painter.setBrush(inside)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(
        QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.drawPath(path)
    painter.restore()
