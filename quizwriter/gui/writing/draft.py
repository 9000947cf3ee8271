"""The draft pane: paper to write on, with what the machine makes of it shown under and beside the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QDragLeaveEvent,
    QDropEvent,
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
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextEdit, QToolTip

from quizwriter.domain.history import Edit
from quizwriter.domain.plain_text import cleaned, count_odd, shown_text
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import leave_at_source, units_kept
from quizwriter.gui.widgets.keys import is_letter, is_redo, is_undo
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.writing.draft_hint import DraftHint, line_pixels
from quizwriter.gui.writing.draft_margins import BUBBLE, BuzzMargin, CommentMargin, EdgeFade
from quizwriter.gui.writing.draft_marks import BuzzMark, CommentedStretch, DraftMarks, UnderlinedStretch
from quizwriter.gui.writing.draft_styles import DraftStyles, pasted_text
from quizwriter.gui.writing.draft_text import Utf16Positions
from quizwriter.gui.writing.mark_painter import MarkPainter
from quizwriter.workflow.power import power_mark_edits
from quizwriter.workflow.wording import counted_noun

COLUMN = 70
"""Characters of the text's column; 66 to 76 read best."""

LEAST_COLUMN = 38
"""Characters of a column beside which room is kept free; with fewer, the text has all of it."""

LARGEST_PASTE = 20_000
"""Characters that a paste may leave in the draft; twenty tossups. More is a packet, or a mistake."""


_EDITING = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, Qt.Key.Key_Delete})


class DraftPane(QTextEdit):
    """Text in, marks out.

    ``edited`` carries every change as an Edit and the whole text after it, ``moved`` the cursor in code
    points, ``refused`` a sentence about a paste that was not taken as it was, ``refused_edit`` says that
    somebody typed into a locked draft, ``buzz_clicked`` carries the player whose bell was clicked,
    ``pointed`` the code point under the mouse or None, ``placed`` the margins left and right of the text,
    ``note_chosen`` the name of a note that was clicked.

    ``pasted`` carries a text that was pasted, once it is in the draft; ``refused_paste`` a sentence about one
    that is too long, with the text and its HTML.

    Undo is not Qt's: the pane asks for it with ``undo_requested`` and ``redo_requested``, and says with
    ``step_begun`` and ``step_ended`` which edits belong together and where the writer begins anew.

    ``offers`` are actions that the menu of the right mouse button has besides Qt's own.
    """

    edited = Signal(object, str)
    moved = Signal(int)
    buzz_clicked = Signal(str)
    refused = Signal(str)
    refused_paste = Signal(str, str, str)
    pasted = Signal(str)
    refused_edit = Signal()
    undo_requested = Signal()
    redo_requested = Signal()
    step_begun = Signal()
    step_ended = Signal()
    pointed = Signal(object)
    examples_requested = Signal()
    tour_requested = Signal()
    placed = Signal(int, int)
    painted = Signal()
    note_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.mark_painter = MarkPainter(self, theme)
        self.styling = DraftStyles(self, self.mark_painter)
        self._whole_step = False  # whether the edit that is being made is a step of undo by itself
        self._holds_step = False  # whether several edits are made that are one step
        self._edited_at = 0  # where the cursor was after the last edit
        self._undoable = self._redoable = False
        self.offers: list[QAction] = []
        self._coloured: tuple[object, ...] = ()  # what has other letters than the rest, and which
        self._kept_free = 0  # pixels at the right
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
        self.buzz_margin = BuzzMargin(self, self.mark_painter)
        self.buzz_margin.buzz_clicked.connect(self.buzz_clicked)
        self.comment_margin = CommentMargin(self, self.mark_painter)
        self.comment_margin.note_clicked.connect(self.note_chosen)
        self._empty = DraftHint(self, theme)
        self._empty.label.linkActivated.connect(self._follow_link)
        EdgeFade(self)
        self.verticalScrollBar().valueChanged.connect(self.buzz_margin.update)
        self.verticalScrollBar().valueChanged.connect(self.comment_margin.update)
        self.textChanged.connect(self._changed)
        self.cursorPositionChanged.connect(self._cursor_moved)
        theme.follow(self._apply_theme)

    @property
    def text(self) -> str:
        return self.mark_painter.text

    @property
    def cursor_at(self) -> int:
        return self._units.from_qt(self.textCursor().position())

    @property
    def selected(self) -> Span:
        """What is selected, in code points; empty, at the cursor, if nothing is."""
        cursor = self.textCursor()
        return Span(*(self._units.from_qt(at) for at in (cursor.selectionStart(), cursor.selectionEnd())))

    def select(self, span: Span) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._units.to_qt(span.start))
        cursor.setPosition(self._units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def make(self, edit: Edit) -> None:
        """Make ``edit``, which fits the text, as if it were typed: the writer can undo it."""
        self.make_all([replace(edit, inserted=cleaned(edit.inserted))])

    def make_all(self, edits: Sequence[Edit]) -> None:
        """Make ``edits`` one after the other as one step of undo, with what is shown for odd characters.

        The cursor stands after what was changed last.
        """
        text, cursor = self.text, self.textCursor()
        self._whole_step = True
        cursor.beginEditBlock()
        for made in edits:
            edit = Edit(made.start, shown_text(made.removed), shown_text(made.inserted))
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
        return self.viewport().geometry()

    def put(self, text: str, cursor: int, styles: TextStyles = PLAIN) -> None:
        """Show another draft, with the ``styles`` of its text. Emits nothing, and no letter moves.

        What no editor can show has a substitute on the screen, and stays what it is until somebody types.
        """
        self.setExtraSelections([])  # before the text goes: stale ones have crashed Qt
        self._coloured = ()
        self.blockSignals(True)
        self.setPlainText(shown_text(text))
        self._space_lines()
        self.blockSignals(False)
        self.mark_painter.show_text(self._read())
        self.styling.put(styles)
        at = self.textCursor()
        at.setPosition(self._units.to_qt(max(0, min(cursor, len(self.text)))))
        self._edited_at = self._units.from_qt(at.position())
        self.setTextCursor(at)
        self.ensureCursorVisible()
        self._empty.label.setVisible(not self.text)
        self._soften()
        self.buzz_margin.update()
        self.comment_margin.update()

    def lock(self, *, locked: bool) -> None:
        """Take no edits, or take them again; it can be read and copied all the same."""
        self.finish_composing()  # while it can
        self.setReadOnly(locked)
        if locked:  # with a cursor to go about with
            flags = Qt.TextInteractionFlag
            self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self._apply_theme()

    def replace(self, text: str, styles: TextStyles = PLAIN) -> None:
        """Make this the draft, with its ``styles``, in one step of undo."""
        text = shown_text(text)
        edit = Edit.between(self.text, text)
        self.make_step([] if edit is None else [edit], (Span(0, len(text)), styles))

    def show_marks(self, marks: DraftMarks) -> None:
        """Paint ``marks``, which are of the text as it stands."""
        if marks == self.mark_painter.marks:
            return
        before, self.mark_painter.marks = self.mark_painter.marks, marks
        self.mark_painter.repaint_from(marks.first_change(before))
        if marks.buzzes != before.buzzes:
            self.buzz_margin.update()

    def show_notes(self, notes: tuple[CommentedStretch, ...]) -> None:
        """Mark the stretches that have comments; ``notes`` are of the text as it stands."""
        if notes != self.mark_painter.notes:
            self.mark_painter.notes = notes
            self.viewport().update()
            self.comment_margin.update()

    def show_underlined(self, owner: str, stretches: Sequence[UnderlinedStretch]) -> None:
        """Underline ``stretches`` of the text as it stands, instead of those that ``owner`` had underlined.

        They move along with edits, and one that an edit touches goes. Another draft has none.
        """
        if self.mark_painter.show_underlined(owner, stretches):
            self.viewport().update()
            self.buzz_margin.update()

    def underlined(self, owner: str) -> tuple[UnderlinedStretch, ...]:
        """What ``owner`` has underlined, as it stands in the text now."""
        return self.mark_painter.underlined.get(owner, ())

    def keep_free(self, pixels: int) -> None:
        """Keep so many ``pixels`` at the right free, if there are enough, for what may open there.

        The text then stays where it is when that opens.
        """
        if pixels != self._kept_free:
            self._kept_free = pixels
            self._set_margins()

    def show_text_alone(self, *, alone: bool) -> None:
        """Show nothing but the text, or its marks and bells again."""
        self.mark_painter.bare = alone
        for margin in (self.buzz_margin, self.comment_margin):
            margin.setVisible(not alone)
        self.viewport().update()

    def show_cues(self, *, shown: bool) -> None:
        """Shade the words that speak for a page, or not, where comments need the writer's attention."""
        if self.mark_painter.show_cues(shown=shown):
            self.viewport().update()

    @property
    def notes(self) -> tuple[CommentedStretch, ...]:
        return self.mark_painter.notes

    def point_at(self, word: Span | None, *, follow: bool = False) -> None:
        """Frame ``word``; ``follow`` scrolls to it."""
        if word != self.mark_painter.marks.word:
            self.mark_painter.marks = replace(self.mark_painter.marks, word=word)
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
        self.make_step(power_mark_edits(self.text, self.selected))

    def make_step(self, edits: Sequence[Edit], restyle: tuple[Span, TextStyles] | None = None) -> None:
        """Make ``edits`` of words in several places, one after the other as one step of undo.

        What stands between these places stays what it is, so that comments on it keep their place.
        ``restyle`` are a stretch of the text after that and the styles it gets in the same step.
        """
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        self.step_begun.emit()
        self._holds_step = True
        for edit in edits:
            self.make(edit)
        if restyle is not None:
            self.styling.restyled.emit(*restyle, False)
        self._holds_step = False
        self.step_ended.emit()

    def toggle_style(self, style: LetterStyle | None) -> None:
        """Toggle ``style`` on the selection, or on what is typed next; None: take all styles away."""
        self.refused_edit.emit() if self.isReadOnly() else self.styling.toggle(style, self.selected)

    def undo(self) -> None:
        self.refused_edit.emit() if self.isReadOnly() else self.undo_requested.emit()

    def redo(self) -> None:
        self.refused_edit.emit() if self.isReadOnly() else self.redo_requested.emit()

    def cut(self) -> None:
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        self._whole_step = True
        super().cut()
        self._whole_step = False

    def paste(self) -> None:
        self.refused_edit.emit() if self.isReadOnly() else super().paste()

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
        return self.mark_painter.boxes(span)

    def buzz_marks(self) -> tuple[BuzzMark, ...]:
        """The buzzes as they stand in the text now."""
        return self.mark_painter.marks.buzzes

    def reads_right_to_left(self, point: int = 0) -> bool:
        """Whether the paragraph at code point ``point`` runs from right to left."""
        return self.mark_painter.reads_right_to_left(point)

    # -- Qt's

    def paintEvent(self, event: QPaintEvent) -> None:
        dirty = QRectF(event.rect())
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.mark_painter.paint_under_text(painter, dirty)
        painter.end()
        super().paintEvent(event)
        if self.mark_painter.marks.buzzes:
            painter = QPainter(self.viewport())
            self.mark_painter.paint_over_text(painter, dirty)
            painter.end()
        self.painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        caret = self.cursorRect()
        in_sight = caret.top() >= 0 and caret.bottom() < event.oldSize().height()
        super().resizeEvent(event)
        if in_sight:  # the lanes of a long paste come only after it, and take their height from the draft
            self.ensureCursorVisible()
        self._place_beside()

    def _place_beside(self) -> None:
        """Place what is beside the text, and say where that is."""
        column = self.column
        self.buzz_margin.setGeometry(0, 0, column.left() + 8, self.height())
        self.comment_margin.setGeometry(column.right() - 7, column.top(), BUBBLE + 4, column.height())
        self._empty.place()
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
        if watched is self._empty.label and event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus()
        return super().eventFilter(watched, event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            over_buzz = bool(self.mark_painter.buzz_at(event.position()))
            shape = Qt.CursorShape.PointingHandCursor if over_buzz else Qt.CursorShape.IBeamCursor
            if self.viewport().cursor().shape() != shape:
                self.viewport().setCursor(shape)
            by = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
            at = self.document().documentLayout().hitTest(event.position() + by, Qt.HitTestAccuracy.ExactHit)
            self.pointed.emit(None if at < 0 else self._units.from_qt(at))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        player = self.mark_painter.buzz_at(event.position())
        if player and event.button() == Qt.MouseButton.LeftButton:
            self.buzz_clicked.emit(player)
        else:
            super().mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            scrolled = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
            point = QPointF(event.pos()) + scrolled
            at = self.document().documentLayout().hitTest(point, Qt.HitTestAccuracy.ExactHit)
            said = "" if at < 0 else self.mark_painter.hint_at(self._units.from_qt(at))
            QToolTip.showText(event.globalPos(), plain_tooltip(said), self)
            return True
        return super().viewportEvent(event)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not is_letter(event)
            and (is_undo(event) or is_redo(event))
        ):
            event.ignore()  # the menu's action is meant, whatever the layout of the keyboard
            return True
        if event.type() == QEvent.Type.Resize:
            self._set_margins()  # before Qt lays out the text, or it does so three times
            self._place_beside()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not is_letter(event) and (is_undo(event) or is_redo(event)):  # no action took it
            self.undo() if is_undo(event) else self.redo()
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
        self._whole_step = self.textCursor().hasSelection() and (
            event.matches(QKeySequence.StandardKey.Cut)
            or event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
        )
        super().keyPressEvent(event)
        self._whole_step = False

    def createMimeDataFromSelection(self) -> QMimeData:
        return self.styling.copied(self.selected)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasHtml()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.isReadOnly():
            self.refused_edit.emit()
            return
        if self._refuses(units_kept(self.document(), self.textCursor()), source):
            return
        text = pasted_text(source)
        self._whole_step = True  # until the edit is told of, which is later when text is dragged
        if odd := count_odd(text):
            self.refused.emit(
                f"The pasted text had {counted_noun(odd, 'character')} that no text can hold; each was "
                "replaced by the character that it means, or left out."
            )
        text = cleaned(text)
        self.styling.expect_paste(source, text)
        self.textCursor().insertText(text)
        self.ensureCursorVisible()
        self.pasted.emit(text)

    def dropEvent(self, event: QDropEvent) -> None:
        inside = event.source() is self.viewport()
        if inside or not self._refuses(self.document().characterCount() - 1, event.mimeData()):
            super().dropEvent(event)
            return
        leave_at_source(event)
        super().dragLeaveEvent(QDragLeaveEvent())

    def _refuses(self, kept: int, source: QMimeData) -> bool:
        """Whether the draft is too long with the text of ``source`` beside what is ``kept``; it is told."""
        text = pasted_text(source)
        # A draft that was imported longer may stay so: Qt has taken out already what is dragged within it.
        if kept + len(text) <= max(LARGEST_PASTE, self._units.to_qt(len(self.text))):
            return False
        whole = f"With the pasted text, the draft would have {kept + len(text):,} characters"
        if len(text) > LARGEST_PASTE:
            whole = f"The pasted text has {len(text):,} characters"
        said = f"{whole}; a tossup has at most {LARGEST_PASTE:,}, so nothing was changed."
        self.refused_paste.emit(said, text, source.html() if source.hasHtml() else "")
        return True

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    # -- ours

    @property
    def _units(self) -> Utf16Positions:
        return self.mark_painter.units

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
        edit = Edit.between(self.text, text)
        whole_step, self._whole_step = self._whole_step, False
        if edit is None:
            self.styling.follow(None)
            return
        self.mark_painter.follow(edit, text)
        styles = self.styling.styles
        self.styling.follow(edit)
        self._empty.label.setVisible(not text)
        self._soften()
        self.buzz_margin.update()
        self.comment_margin.update()
        self.viewport().update()
        self._edited_at = self.cursor_at
        whole_step = whole_step and not self._holds_step
        if whole_step:
            self.step_ended.emit()
        self.edited.emit(edit, text)
        self.styling.complete(edit, styles, self._edited_at)
        if whole_step:
            self.step_ended.emit()
        self.moved.emit(self.cursor_at)

    def _cursor_moved(self) -> None:
        if self._read_is_current():
            if self.cursor_at != self._edited_at and not self._holds_step:
                self._edited_at = -1
                self.styling.leave(self.cursor_at)
                self.step_ended.emit()
            if self.mark_painter.asides:
                self._soften()
            self.moved.emit(self.cursor_at)

    def _read_is_current(self) -> bool:
        # Qt tells of the cursor before it tells of the text; a position in text not read yet would be
        # counted with the old text's units.
        return self.document().characterCount() - 1 == self._units.to_qt(len(self.text))

    def _soften(self) -> None:
        """Soften the letters of guides and notes, but not of one that is being typed."""
        at = self.cursor_at
        spans = [one for one in self.mark_painter.asides if not one.start < at <= one.end]
        colour = self._theme.tokens.soft
        wanted = (colour, *spans)
        if wanted == self._coloured and not spans:  # what Qt moves along is right, unless it was replaced
            return
        self._coloured = wanted
        selections = []
        for span in spans:
            selection, cursor = QTextEdit.ExtraSelection(), QTextCursor(self.document())
            cursor.setPosition(self._units.to_qt(span.start))
            cursor.setPosition(self._units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
            looks = QTextCharFormat()
            looks.setForeground(QColor(colour))
            selection.cursor, selection.format = cursor, looks
            selections.append(selection)
        self.setExtraSelections(selections)

    def _space_lines(self) -> None:
        # Fixed, so that an emoji or a borrowed letter of another font does not push lines apart.
        height = line_pixels(self._theme)
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
            marks, underlined = self.mark_painter.marks, dict(self.mark_painter.underlined)
            # line heights are in the blocks, as undoable as letters
            self.put(self.text, self.cursor_at, self.styling.styles)
            self.show_marks(marks)
            self.mark_painter.underlined = underlined
        self._empty.apply_theme()
        self._set_margins()
        self._coloured = ()
        self._soften()
        self.buzz_margin.update()

    def _set_margins(self) -> None:
        letter = QFontMetricsF(self.font()).averageCharWidth()
        edges, bar = 16, self.verticalScrollBar().sizeHint().width()
        gutter = self._theme.gutter(self.width())
        for room in (self.width() - self._kept_free, self.width()):
            column = min(round(letter * COLUMN) + edges, room - gutter - 12 - bar)
            if column >= letter * LEAST_COLUMN + edges:
                break
        side = max(gutter, (room - column) // 2)
        self.setViewportMargins(side, 8, max(12, self.width() - side - column - bar), 0)

    def _follow_link(self, name: str) -> None:
        (self.tour_requested if name == "tour" else self.examples_requested).emit()
