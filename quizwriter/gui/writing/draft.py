"""The draft pane: paper to write on, with the analysis of the players under and beside the text."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QTextEdit, QToolTip, QWidget

from quizwriter.domain.history import Edit
from quizwriter.domain.text_anchors import shift_span
from quizwriter.domain.tossup import Span
from quizwriter.gui.theme import Theme, draw_bell, draw_bubble, draw_cue, draw_player, tint
from quizwriter.workflow.power import power_mark_edits
from quizwriter.workflow.wording import player_title

COLUMN = 70
"""Characters of the text's column; 66 to 76 read best."""

LARGEST_PASTE = 20_000
"""Characters; twenty tossups. More is a packet, or a mistake."""

LINE_HEIGHT = 1.5

BELL = 13
"""Pixels of the bell beside a line on which a player buzzes."""

CAP = 7
"""Pixels of a player's shape over its mark in the text."""

BUBBLE = 13
"""Pixels of the bubble beside a line that somebody said something of."""

WEAKEST = 0.25
"""A cue with less than this share, relative to the strongest, is left to the evidence pane.

Every third word adds a little to the score; shading them all would hide the one in ten that matter.
"""

EMPTY = (
    "Write a tossup here, hardest clue first. After every word the players show what they would guess, where "
    "they would buzz, and why."
)


class Utf16Positions:
    """Positions of one text in code points, as we count, and in UTF-16 units, as Qt does.

    The only place that knows the difference.
    """

    def __init__(self, text: str) -> None:
        wide = [] if text.isascii() else [i for i, letter in enumerate(text) if letter > "\uffff"]
        self._points = wide
        self._units = [point + before for before, point in enumerate(wide)]

    def to_qt(self, point: int) -> int:
        """The UTF-16 position of code point ``point``."""
        return point + bisect_left(self._points, point)

    def from_qt(self, unit: int) -> int:
        """The code point at UTF-16 position ``unit``; inside a pair, the one it is half of."""
        return unit - bisect_left(self._units, unit)


def cleaned(text: str) -> str:
    """``text`` as it may stand in a draft: one kind of line end, no control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return "".join(
        letter
        for letter in text
        if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cs", "Cn"} or letter > "\uffff"
    ).replace("\ufffc", "")


@dataclass(frozen=True, slots=True)
class BuzzMark:
    """Where a player buzzes: after the code point ``at``."""

    player: str
    at: int
    right: bool | None


@dataclass(frozen=True, slots=True)
class DraftMarks:
    """What is painted on the draft, in code points of it.

    ``cues`` are words with their share from -1 to 1, relative to the strongest; ``dim_from`` is where
    the text begins that no player waits for.
    """

    cues: tuple[tuple[Span, float], ...] = ()
    buzzes: tuple[BuzzMark, ...] = ()
    dim_from: int | None = None
    word: Span | None = None

    def dims(self, span: Span) -> bool:
        """Whether ``span`` stands where the text is dimmed."""
        return self.dim_from is not None and span.start >= self.dim_from

    def after(self, edit: Edit) -> DraftMarks:
        """The marks moved along with the text by ``edit``; those it touches inside are gone."""
        removed_to = edit.start + len(edit.removed)
        by = len(edit.inserted) - len(edit.removed)

        def point(at: int) -> int:
            return at if at <= edit.start else max(edit.start, at + by)

        def moved(span: Span) -> Span | None:
            if span.end <= edit.start:
                return span
            if span.start >= removed_to:
                return Span(span.start + by, span.end + by)
            return None

        cues = tuple((new, share) for span, share in self.cues if (new := moved(span)) is not None)
        return DraftMarks(
            cues=cues,
            buzzes=tuple(replace(mark, at=point(mark.at)) for mark in self.buzzes),
            dim_from=None if self.dim_from is None else point(self.dim_from),
            word=None,
        )


@dataclass(frozen=True, slots=True)
class BuzzLine:
    """A line of the text on which players buzz: its ``box`` in the viewport and their marks in order."""

    box: QRectF
    marks: tuple[BuzzMark, ...]

    @property
    def label(self) -> str:
        """Who buzzes first, and how many more buzz on the line."""
        more = f" +{len(self.marks) - 1}" if len(self.marks) > 1 else ""
        return player_title(self.marks[0].player) + more


@dataclass(frozen=True, slots=True)
class CommentedStretch:
    """A stretch that somebody said something of, which is called ``name``; ``current`` is looked at now."""

    name: str
    span: Span
    current: bool = False


def line_boxes(
    document: QTextDocument, start: int, end: int, metrics: QFontMetricsF, *, both_ways: bool = False
) -> Iterator[QRectF]:
    """Where the letters from Qt's position ``start`` to ``end`` are in ``document``, one box a line.

    ``both_ways`` says that directions may mix; a box is as high as letters with these ``metrics``.
    """
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        layout = block.layout()
        corner = document.documentLayout().blockBoundingRect(block).topLeft()
        low, high = max(0, start - block.position()), min(block.length() - 1, end - block.position())
        index = layout.lineForTextPosition(low).lineNumber() if layout.lineCount() else 0
        while low < high and 0 <= index < layout.lineCount():
            line = layout.lineAt(index)
            stop = min(high, line.textStart() + line.textLength())
            if stop > low:
                # Where directions mix, the ends of a span need not be its outermost letters.
                inner = range(low + 1, stop) if both_ways else ()
                places = [_x(line.cursorToX(at)) for at in (low, *inner, stop)]
                baseline = corner.y() + line.y() + line.ascent()
                left, right = min(places), max(places)
                yield QRectF(
                    corner.x() + left,
                    baseline - metrics.ascent(),
                    right - left,
                    metrics.ascent() + metrics.descent(),
                )
            low = max(stop, low + 1)
            index += 1
        block = block.next()


_EDITING = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, Qt.Key.Key_Delete})


class DraftPane(QTextEdit):
    """Text in, marks out.

    ``edited`` carries every change as an Edit and the whole text after it, ``moved`` the cursor in code
    points, ``refused`` a sentence about a paste that was not taken, ``refused_edit`` says that somebody
    typed into a locked draft, ``pointed`` carries the code point under the mouse or None, ``placed`` the
    margins left and right of the text, ``note_chosen`` the name of a note that was clicked.

    Undo is not Qt's: the pane says what is wanted with ``undo_wanted`` and ``redo_wanted``, and with
    ``step_begun`` and ``step_ended`` which edits belong together and where the writer begins anew.

    ``offers`` are actions that the menu of the right mouse button has besides Qt's own.
    """

    edited = Signal(object, str)
    moved = Signal(int)
    refused = Signal(str)
    refused_edit = Signal()
    undo_wanted = Signal()
    redo_wanted = Signal()
    step_begun = Signal()
    step_ended = Signal()
    pointed = Signal(object)
    examples_wanted = Signal()
    placed = Signal(int, int)
    painted = Signal()
    note_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = ""
        self._units = Utf16Positions("")
        self._marks = DraftMarks()
        self._notes: tuple[CommentedStretch, ...] = ()
        self._shades = True
        self._whole_step = False  # whether the edit that is being made is a step of undo by itself
        self._holds_step = False  # whether several edits are made that are one step
        self._edited_at = 0  # where the cursor was after the last edit
        self._undoable = self._redoable = False
        self.offers: list[QAction] = []
        self._dimmed: tuple[int, bool, str] | None = None
        self._noted: tuple[object, tuple[tuple[CommentedStretch, tuple[QRectF, ...]], ...]] | None = None
        self._boxed: tuple[object, tuple[tuple[QRectF, float, bool], ...]] | None = None
        self._both_ways = False
        self._lie: dict[Span, tuple[QRectF, ...]] = {}
        self._lie_for = (0, 0)
        self.setAccessibleName("Draft")
        self.setAcceptRichText(False)
        self.document().setUndoRedoEnabled(False)  # ours goes back through the whole log
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setCursorWidth(2)
        self.document().setDocumentMargin(8)  # room under the last line for what underlines it
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._gutter = _BuzzMargin(self)
        self._bubbles = _CommentMargin(self)
        self._hint = QLabel(self.viewport())
        self._hint.setWordWrap(True)
        self._hint.setTextFormat(Qt.TextFormat.RichText)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._hint.linkActivated.connect(self.examples_wanted)
        self._hint.setCursor(Qt.CursorShape.IBeamCursor)
        self._hint.installEventFilter(self)
        self.verticalScrollBar().valueChanged.connect(self._gutter.update)
        self.verticalScrollBar().valueChanged.connect(self._bubbles.update)
        self.textChanged.connect(self._changed)
        self.cursorPositionChanged.connect(self._cursor_moved)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    @property
    def text(self) -> str:
        """The draft, exactly as typed."""
        return self._text

    @property
    def cursor_at(self) -> int:
        """Where the writer is, in code points."""
        return self._units.from_qt(self.textCursor().position())

    @property
    def selected(self) -> Span:
        """What is selected, in code points; empty, at the cursor, if nothing is."""
        cursor = self.textCursor()
        return Span(*(self._units.from_qt(at) for at in (cursor.selectionStart(), cursor.selectionEnd())))

    def select(self, span: Span) -> None:
        """Select ``span`` and scroll to it."""
        cursor = self.textCursor()
        cursor.setPosition(self._units.to_qt(span.start))
        cursor.setPosition(self._units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def make(self, edit: Edit) -> None:
        """Make ``edit``, which fits the text, as if it were typed: it can be undone."""
        self.make_again([replace(edit, inserted=cleaned(edit.inserted))])

    def make_again(self, edits: Sequence[Edit]) -> None:
        """Make ``edits``, which stood in this draft before, one after the other and at once.

        The cursor stands after what was changed last.
        """
        text, cursor = self._text, self.textCursor()
        self._whole_step = True
        cursor.beginEditBlock()
        for edit in edits:
            units = Utf16Positions(text)
            cursor.setPosition(units.to_qt(edit.start))
            end = units.to_qt(edit.start + len(edit.removed))
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(edit.inserted)
            text = edit.apply(text)
        cursor.endEditBlock()
        self._whole_step = False
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    @property
    def column(self) -> QRect:
        """The column of the text, in this widget's coordinates."""
        return self.viewport().geometry()

    def put(self, text: str, cursor: int) -> None:
        """Show another draft. Emits nothing."""
        self.setExtraSelections([])  # before the text goes: stale ones have crashed Qt
        self._dimmed = None
        self._marks = DraftMarks()
        self._notes = ()
        self.blockSignals(True)
        self.setPlainText(cleaned(text))
        self._space_lines()
        self.blockSignals(False)
        self._text = self._read()
        self._units = Utf16Positions(self._text)
        self._both_ways = _mixes(self._text)
        self._lie.clear()
        at = self.textCursor()
        at.setPosition(self._units.to_qt(max(0, min(cursor, len(self._text)))))
        self._edited_at = self._units.from_qt(at.position())
        self.setTextCursor(at)
        self.ensureCursorVisible()
        self._hint.setVisible(not self._text)
        self._gutter.update()
        self._bubbles.update()

    def lock(self, *, locked: bool) -> None:
        """Take no edits, or take them again; it can be read and copied all the same."""
        if locked == self.isReadOnly():
            return
        self.setReadOnly(locked)
        if locked:  # with a cursor to go about with
            flags = Qt.TextInteractionFlag
            self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self._apply_theme()

    def replace(self, text: str) -> None:
        """Make this the draft, in one edit that can be undone."""
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        edit = Edit.between(self._text, cleaned(text))
        if edit is not None:
            self.make(edit)

    def show_marks(self, marks: DraftMarks) -> None:
        """Paint ``marks``, which are of the text as it stands."""
        if marks == self._marks:
            return
        self._marks = marks
        self._dim()
        self.viewport().update()
        self._gutter.update()

    def show_notes(self, notes: tuple[CommentedStretch, ...]) -> None:
        """Mark what people said something of; ``notes`` are of the text as it stands."""
        if notes != self._notes:
            self._notes = notes
            self.viewport().update()
            self._bubbles.update()

    def show_cues(self, *, shown: bool) -> None:
        """Shade the words that speak for a page, or leave the text to what people say of it."""
        if shown != self._shades:
            self._shades, self._boxed = shown, None
            self.viewport().update()

    @property
    def notes(self) -> tuple[CommentedStretch, ...]:
        """What is marked."""
        return self._notes

    def point_at(self, word: Span | None, *, follow: bool = False) -> None:
        """Frame ``word``; ``follow`` scrolls to it."""
        if word != self._marks.word:
            self._marks = replace(self._marks, word=word)
            self.viewport().update()
        if word is not None and follow:
            self.scroll_to(word)

    def scroll_to(self, span: Span) -> None:
        """Bring the beginning of ``span`` into view, if it is not there."""
        boxes = list(self.boxes(span))
        if boxes and not self.viewport().rect().contains(boxes[0].toRect()):
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() + boxes[0].center().y() - self.viewport().height() / 2))

    def insert_power_mark(self) -> None:
        """Put the power mark at the cursor, with the spaces it needs, and take it from where it was."""
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        edits = power_mark_edits(self._text, self.selected)
        self.step_begun.emit()
        self._holds_step = True
        for edit in edits:  # one after the other, or comments on the words between would lose their place
            self.make(edit)
        self._holds_step = False
        self.step_ended.emit()

    def undo(self) -> None:
        """Have the last step taken back."""
        self.refused_edit.emit() if self.isReadOnly() else self.undo_wanted.emit()

    def redo(self) -> None:
        """Have the step made again that was taken back last."""
        self.refused_edit.emit() if self.isReadOnly() else self.redo_wanted.emit()

    def cut(self) -> None:
        """Cut what is selected; that is a step of undo."""
        self._whole_step = True
        super().cut()
        self._whole_step = False

    def offer_undo(self, *, undo: bool, redo: bool) -> None:
        """Let the context menu offer *Undo* and *Redo*, or show them as not possible."""
        self._undoable, self._redoable = undo, redo

    def finish_composing(self) -> None:
        """Have an input method put into the text what it is still composing."""
        QGuiApplication.inputMethod().commit()
        left = self.textCursor().block().layout().preeditAreaText()
        if left:  # no input method answers, as on a screen without one
            event = QInputMethodEvent()
            event.setCommitString(left)
            QApplication.sendEvent(self, event)

    def boxes(self, span: Span) -> Iterator[QRectF]:
        """Where the letters of ``span`` are in the viewport, one box a line."""
        down = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        for box in self._lying(span):
            yield box.translated(-down)

    def _lying(self, span: Span) -> tuple[QRectF, ...]:
        """The boxes of ``span`` in the document; kept while nothing moves them, as they take long to find."""
        state = (self.viewport().width(), self.font().pixelSize())
        if state != self._lie_for:
            self._lie, self._lie_for = {}, state
        if span not in self._lie:
            start, end = self._units.to_qt(span.start), self._units.to_qt(span.end)
            metrics = QFontMetricsF(self.font())
            self._lie[span] = tuple(
                line_boxes(self.document(), start, end, metrics, both_ways=self._both_ways)
            )
        return self._lie[span]

    def _forget_from(self, point: int) -> None:
        """Forget where letters lie from the word at ``point`` on, which may go to another line."""
        still = 1 + max(self._text.rfind(gap, 0, point) for gap in " \n")
        self._lie = {span: boxes for span, boxes in self._lie.items() if span.end <= still}

    def _cue_boxes(self) -> tuple[tuple[QRectF, float, bool], ...]:
        """Every cue's boxes with its share and whether it is dimmed; kept while nothing moves."""
        state = (
            self._marks,
            self.document().revision(),
            self.viewport().width(),
            self.verticalScrollBar().value(),
            self.font().pixelSize(),
        )
        if self._boxed is None or self._boxed[0] != state:
            found = tuple(
                (box, share, self._marks.dims(span))
                for span, share in self._marks.cues
                if self._shades and span.end <= len(self._text) and abs(share) >= WEAKEST
                for box in self.boxes(span)
            )
            self._boxed = (state, found)
        return self._boxed[1]

    def note_boxes(self) -> tuple[tuple[CommentedStretch, tuple[QRectF, ...]], ...]:
        """Every note with its boxes; kept while nothing moves."""
        state = (
            self._notes,
            self.document().revision(),
            self.viewport().width(),
            self.verticalScrollBar().value(),
            self.font().pixelSize(),
        )
        if self._noted is None or self._noted[0] != state:
            self._noted = (state, tuple((note, tuple(self.boxes(note.span))) for note in self._notes))
        return self._noted[1]

    # -- Qt's

    def paintEvent(self, event: QPaintEvent) -> None:
        marks, tokens = self._marks, self._theme.tokens
        dirty = QRectF(event.rect())
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_notes(painter, dirty)
        for box, share, dimmed in self._cue_boxes():
            if box.top() - 4 < dirty.bottom() and box.bottom() + 6 > dirty.top():
                self._paint_cue(painter, box, share, dimmed=dimmed)
        if marks.word is not None:
            painter.setPen(QPen(QColor(tokens.accent), 1.5))
            painter.setBrush(tint(tokens.accent, 0.10))
            for box in self.boxes(marks.word):
                painter.drawRoundedRect(box.adjusted(-2.5, -1, 2.5, 2), 4, 4)
        painter.end()
        super().paintEvent(event)
        if marks.buzzes:
            painter = QPainter(self.viewport())
            for mark, bar in self.buzz_bars():
                in_sight = bar.top() < self.viewport().height()  # or a shape would stay without its line
                if in_sight and bar.adjusted(-CAP, -CAP, CAP, 0).intersects(dirty):
                    self._paint_buzz(painter, mark, bar)
            painter.end()
        self.painted.emit()

    def _paint_notes(self, painter: QPainter, dirty: QRectF) -> None:
        colour = self._theme.tokens.note
        for current in (False, True):
            painter.setPen(QPen(QColor(colour), 1.5) if current else QPen(tint(colour, 0.45), 1))
            painter.setBrush(tint(colour, 0.20 if current else 0.13))
            for note, boxes in self.note_boxes():
                for box in boxes if note.current is current else ():
                    if box.top() - 4 < dirty.bottom() and box.bottom() + 6 > dirty.top():
                        painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 2.5), 3, 3)

    def note_colour(self) -> QColor:
        """What colour notes have."""
        return QColor(self._theme.tokens.note)

    def buzz_marks(self) -> tuple[BuzzMark, ...]:
        """The buzzes as they stand in the text now."""
        return self._marks.buzzes

    def buzz_bars(self) -> tuple[tuple[BuzzMark, QRectF], ...]:
        """Every buzz with its bar in the viewport, after its word; several after one stand side by side."""
        found, before = [], dict[int, int]()
        for mark in self._marks.buzzes:
            for box in list(self.boxes(Span(max(0, mark.at - 1), mark.at)))[-1:]:
                place = before[mark.at] = before.get(mark.at, -1) + 1
                if self.reads_right_to_left(mark.at):
                    left = box.left() - 1 - place * (CAP + 1)
                else:
                    left = box.right() + 1 + place * (CAP + 1)
                found.append((mark, QRectF(left, box.top() - 1, 2, box.height() + 3)))
        return tuple(found)

    def buzz_lines(self) -> tuple[BuzzLine, ...]:
        """The lines on which players buzz, as they stand in the text now, the uppermost first."""
        lines: dict[int, list[tuple[BuzzMark, QRectF]]] = {}
        for mark in sorted(self._marks.buzzes, key=lambda mark: mark.at):
            for box in list(self.boxes(Span(max(0, mark.at - 1), mark.at)))[-1:]:
                lines.setdefault(round(box.center().y()), []).append((mark, box))
        return tuple(
            BuzzLine(on_it[0][1], tuple(mark for mark, _ in on_it)) for _, on_it in sorted(lines.items())
        )

    def buzz_hint(self, y: float) -> str:
        """Who buzzes on the line at height ``y`` of the viewport, word by word; empty if nobody does."""
        for line in self.buzz_lines():
            if line.box.top() - 4 <= y <= line.box.bottom() + 4:
                return "\n".join(map(self._buzz_said, line.marks))
        return ""

    def _buzz_said(self, mark: BuzzMark) -> str:
        words = self._text[: mark.at].split()
        said = {True: ", right", False: ", wrong", None: ""}[mark.right]
        return f"{player_title(mark.player)} buzzes on \u201c{words[-1] if words else ''}\u201d{said}"

    def _paint_buzz(self, painter: QPainter, mark: BuzzMark, bar: QRectF) -> None:
        tokens = self._theme.tokens
        player = tokens.player(mark.player)
        painter.fillRect(bar, QColor(player.colour))
        cap = QRectF(bar.center().x() - CAP / 2, bar.top() - CAP + 1, CAP, CAP)
        draw_player(painter, cap, player, hollow=QColor(tokens.page) if mark.right is False else None)

    def paint_bell(self, painter: QPainter, box: QRectF, mark: BuzzMark) -> None:
        """Paint the bell of ``mark`` into ``box`` in its player's colour, hollow where the buzz is wrong."""
        hollow = self.palette().color(QPalette.ColorRole.Base) if mark.right is False else None
        draw_bell(painter, box, self.buzz_colour(mark), hollow=hollow)

    def look_font(self) -> QFont:
        """The font of what stands beside the text."""
        return self._theme.font(bold=True, small=True)

    def buzz_colour(self, mark: BuzzMark) -> QColor:
        """The colour of the player that ``mark`` is of."""
        return QColor(self._theme.tokens.player(mark.player).colour)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_margins()
        super().resizeEvent(event)
        column = self.column
        self._gutter.setGeometry(0, 0, column.left() + 8, self.height())
        self._bubbles.setGeometry(column.right() - 7, column.top(), BUBBLE + 4, column.height())
        self._place_hint()
        margin = round(self.document().documentMargin())
        self.placed.emit(column.left() + margin, self.width() - 1 - column.right() + margin)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        for name, possible, do in (
            ("edit-undo", self._undoable, self.undo),
            ("edit-redo", self._redoable, self.redo),
        ):
            action = menu.findChild(QAction, name)
            if action is not None:  # there is none while the draft takes no edits
                action.setEnabled(possible and not self.isReadOnly())
                action.triggered.connect(do)
        menu.triggered.connect(self.step_ended)  # cut, paste and delete are steps of their own
        if self.offers:
            menu.addSeparator()
            menu.addActions(self.offers)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._hint and event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus()
        return super().eventFilter(watched, event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            messages = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
            layout = self.document().documentLayout()
            at = layout.hitTest(event.position() + messages, Qt.HitTestAccuracy.ExactHit)
            self.pointed.emit(None if at < 0 else self._units.from_qt(at))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (_is_undo(event) or _is_redo(event))
        ):
            event.ignore()  # the menu's action is meant, whatever the layout of the keyboard
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_undo(event) or _is_redo(event):  # no action took it
            self.undo() if _is_undo(event) else self.redo()
            event.accept()
            return
        if self.isReadOnly():
            if event.text() and (event.text().isprintable() or event.key() in _EDITING):
                self.refused_edit.emit()
                event.accept()
                return
            super().keyPressEvent(event)
            return
        # A soft line break would be U+2028, which is a line like any other to us.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            self.textCursor().insertBlock()
            return
        selected = self.textCursor().hasSelection()
        self._whole_step = selected and (
            event.matches(QKeySequence.StandardKey.Cut)
            or event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
        )
        super().keyPressEvent(event)
        self._whole_step = False

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        text = source.text()
        if len(text) > LARGEST_PASTE:
            self.refused.emit(
                f"The pasted text has {len(text):,} characters, more than a tossup can have; nothing was "
                f"changed. Paste at most {LARGEST_PASTE:,} at a time."
            )
            return
        self._whole_step = True  # until the edit is told of, which is later when text is dragged
        self.textCursor().insertText(cleaned(text))
        self.ensureCursorVisible()

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    # -- ours

    def _read(self) -> str:
        document = self.document()
        text = document.toRawText()  # not toPlainText: that turns no-break spaces into spaces
        count = document.characterCount() - 1
        if Utf16Positions(text).to_qt(len(text)) != count:
            # Half of a pair, which Python is not given: it keeps its place, or all positions would be wrong.
            units = "".join(document.characterAt(at) for at in range(count))
            text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text.replace("\u2029", "\n").replace("\u2028", "\n")

    def _changed(self) -> None:
        text = self._read()
        edit = Edit.between(self._text, text)
        whole_step, self._whole_step = self._whole_step, False
        if edit is None:
            return
        self._text = text
        self._units = Utf16Positions(text)
        mixed, self._both_ways = self._both_ways, _mixes(text)
        self._forget_from(0 if mixed or self._both_ways else edit.start)
        self._marks = self._marks.after(edit)
        self._notes = tuple(
            replace(note, span=span)
            for note in self._notes
            if (span := shift_span(note.span, edit)) is not None
        )
        self._hint.setVisible(not text)
        self._gutter.update()
        self._bubbles.update()
        self.viewport().update()
        self._edited_at = self.cursor_at
        whole_step = whole_step and not self._holds_step
        if whole_step:
            self.step_ended.emit()
        self.edited.emit(edit, text)
        if whole_step:
            self.step_ended.emit()
        self.moved.emit(self.cursor_at)

    def _cursor_moved(self) -> None:
        if self._read_is_current():
            if self.cursor_at != self._edited_at and not self._holds_step:
                self._edited_at = -1
                self.step_ended.emit()
            self.moved.emit(self.cursor_at)

    def _read_is_current(self) -> bool:
        # Qt tells of the cursor before it tells of the text; a position in text not read yet would be
        # counted with the old text's units.
        return self.document().characterCount() - 1 == self._units.to_qt(len(self._text))

    def _dim(self) -> None:
        start, colour = self._marks.dim_from, self._theme.tokens.soft
        # A selection that is empty, because the buzz is on the last word, would not grow with the text.
        wanted = None if start is None else (self._units.to_qt(start), start < len(self._text), colour)
        if wanted == self._dimmed:
            return
        self._dimmed = wanted
        if wanted is None:
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(wanted[0])
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        looks = QTextCharFormat()
        looks.setForeground(QColor(colour))
        selection.cursor, selection.format = cursor, looks
        self.setExtraSelections([selection])

    def _paint_cue(self, painter: QPainter, box: QRectF, share: float, *, dimmed: bool) -> None:
        tokens = self._theme.tokens
        size = (min(1.0, abs(share)) - WEAKEST) / (1 - WEAKEST)
        if share > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            strong = tokens.dimmed if dimmed else tokens.strong
            painter.setBrush(
                tint(tokens.cue, min(strong, tokens.faint) + max(0.0, strong - tokens.faint) * size)
            )
            painter.drawRoundedRect(box.adjusted(-1.5, 0, 1.5, 1), 3, 3)
        draw_cue(painter, box, share, tokens, least=WEAKEST)

    def reads_right_to_left(self, point: int = 0) -> bool:
        """Whether the paragraph at code point ``point`` runs from right to left."""
        block = self.document().findBlock(self._units.to_qt(point))
        return block.textDirection() == Qt.LayoutDirection.RightToLeft

    def _space_lines(self) -> None:
        # Fixed, so that an emoji or a borrowed letter of another font does not push lines apart.
        height = round(self._theme.draft_size_px * LINE_HEIGHT)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spaced)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        font = self._theme.draft_font()
        palette = QPalette(self.palette())
        for role in (QPalette.ColorRole.Base, QPalette.ColorRole.Window):
            palette.setColor(role, QColor(tokens.chrome if self.isReadOnly() else tokens.page))
        palette.setColor(QPalette.ColorRole.Text, QColor(tokens.ink))
        self.setPalette(palette)
        self.viewport().setPalette(palette)  # under a style sheet it does not inherit a later change
        self.setAutoFillBackground(True)
        if font != self.font() or self.document().defaultFont() != font:
            self.setFont(font)
            self.document().setDefaultFont(font)
            marks = self._marks
            self.put(self._text, self.cursor_at)  # line heights are in the blocks, as undoable as letters
            self.show_marks(marks)
        self._hint.setStyleSheet(f"color: {tokens.soft};")
        high = f"-qt-line-height-type:fixed; line-height:{round(self._theme.draft_size_px * LINE_HEIGHT)}px;"
        self._hint.setText(
            f"<p style='{high} margin:0 0 8px 0;'>{EMPTY}</p><p style='{high} margin:0;'>"
            f"<a style='color:{tokens.accent}; text-decoration:none;' href='examples'>"
            "Open the example set</a></p>"
        )
        self._hint.setFont(font)
        self._set_margins()
        self._dimmed = None
        self._dim()
        self._gutter.update()

    def _set_margins(self) -> None:
        metrics = QFontMetricsF(self.font())
        wanted = round(metrics.averageCharWidth() * COLUMN) + 16
        side = max(self._theme.gutter, (self.width() - wanted) // 2)
        right = max(12, self.width() - side - wanted - self.verticalScrollBar().sizeHint().width())
        self.setViewportMargins(side, 12, min(right, side), 0)

    def _place_hint(self) -> None:
        margin = round(self.document().documentMargin())
        width = self.viewport().width() - 2 * margin
        self._hint.setGeometry(margin, margin, width, max(self._hint.heightForWidth(width), 60))


class _BuzzMargin(QWidget):
    """The margin left of the text, where a bell says on which line a player buzzes.

    A line has one bell, that of its earliest buzz, which stands at the line and leaves the sight with it. Who
    else buzzes there is counted beside it and named where the mouse rests.
    """

    def __init__(self, pane: DraftPane) -> None:
        super().__init__(pane)
        self._pane = pane

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            said = self._pane.buzz_hint(event.pos().y() - self._pane.column.top())
            QToolTip.showText(event.globalPos(), said, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        pane = self._pane
        painter = QPainter(self)
        painter.setClipRect(QRect(0, pane.column.top(), self.width(), pane.column.height()))
        painter.setFont(pane.look_font())
        metrics = QFontMetricsF(painter.font())
        right = self.width() - 4.0
        for line in pane.buzz_lines():
            middle = line.box.center().y() + pane.column.top()
            mark = line.marks[0]
            pane.paint_bell(painter, QRectF(right - BELL, middle - BELL / 2, BELL, BELL), mark)
            painter.setPen(pane.buzz_colour(mark))
            width = metrics.horizontalAdvance(line.label)
            painter.drawText(QPointF(right - BELL - 4 - width, middle + metrics.capHeight() / 2), line.label)


class _CommentMargin(QWidget):
    """The margin right of the text, where a bubble says on which line somebody said something."""

    def __init__(self, pane: DraftPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self._places: list[tuple[QRectF, str]] = []
        self._painted: tuple[tuple[str, float], QPixmap] | None = None
        self.setToolTip("Comments on this line")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._places.clear()
        free = 0.0
        for note, boxes in self._pane.note_boxes():
            for box in boxes[:1]:
                top = max(free, box.center().y() - BUBBLE / 2)
                free = top + BUBBLE + 1
                self._places.append((QRectF(2, top, BUBBLE, BUBBLE), note.name))
                painter.setOpacity(1.0 if note.current else 0.75)
                painter.drawPixmap(QPointF(2, top), self._picture())

    def _picture(self) -> QPixmap:
        """A bubble, painted once for every colour and screen."""
        colour, ratio = self._pane.note_colour(), self.devicePixelRatioF()
        state = colour.name(), ratio
        if self._painted is None or self._painted[0] != state:
            picture = QPixmap(round(BUBBLE * ratio), round(BUBBLE * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            draw_bubble(painter, QRectF(0, 0, BUBBLE, BUBBLE), colour)
            painter.end()
            self._painted = (state, picture)
        return self._painted[1]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for place, name in self._places:
            if place.adjusted(-2, -2, 2, 2).contains(event.position()):
                self._pane.note_chosen.emit(name)
                return
        event.ignore()


def _is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo)


def _is_redo(event: QKeyEvent) -> bool:
    """Whether ``event`` asks for redo, on whatever system: Ctrl+Y does so everywhere."""
    control_y = event.key() == Qt.Key.Key_Y and event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return event.matches(QKeySequence.StandardKey.Redo) or control_y


def _mixes(text: str) -> bool:
    """Whether ``text`` has letters that run from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text)


def _x(found: object) -> float:
    """The place that Qt found; its Python face returns the position it corrected along with it."""
    place = found[0] if isinstance(found, tuple) else found
    assert isinstance(place, float)
    return place


def word_at(words: tuple[Span, ...], point: int) -> int | None:
    """The number, from 0, of the word that ``point`` is in or right after; None before the first."""
    index = bisect_right(words, Span(point, 1 << 60)) - 1
    return index if index >= 0 else None
