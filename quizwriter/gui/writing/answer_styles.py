"""Bold, italics and the others in the answer line: how they look, how they are set, copied and undone."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QKeySequence, QTextLayout

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles, toggled_code
from quizwriter.formats.styled_html import LONGEST_READ, pasted_styles
from quizwriter.gui.widgets.elided_line import ElidedLineEdit
from quizwriter.gui.writing.draft_styles import format_of_code, styled_mime
from quizwriter.gui.writing.draft_text import Utf16Positions

MOST_STEPS = 500
"""Changes of one answer line that can be undone."""

_Key = QKeySequence.StandardKey


class AnswerStyles(QObject):
    """The styles of the text in a line to type into. ``restyled`` says that the writer gave it others.

    A text that comes back, as by undo, has the styles that it had.
    """

    restyled = Signal()

    def __init__(self, line: ElidedLineEdit) -> None:
        super().__init__(line)
        self._line = line
        self._text, self._styles = "", PLAIN
        self._typed: tuple[int, int] | None = None  # the place and the code of what is typed next
        self._had: dict[str, TextStyles] = {}
        self._undone: list[tuple[str, TextStyles]] = []
        self._done: list[tuple[str, TextStyles]] = []  # the styles before each restyling
        self._inserts = False
        line.textEdited.connect(lambda: self._follow(by_hand=not self._inserts))  # before textChanged
        line.textChanged.connect(lambda: self._follow(by_hand=False))
        line.installEventFilter(self)

    @property
    def styles(self) -> TextStyles:
        """The styles of the answer line, which is the text without the white space around it."""
        begin = len(self._text) - len(self._text.lstrip())
        return self._styles.stretch(Span(begin, len(self._text.rstrip())))

    def put(self, styles: TextStyles) -> None:
        """Show the ``styles`` of another answer line, whose text is in the line already."""
        self._text, self._styles, self._typed = self._line.text(), styles, None
        self._had, self._done, self._undone = {self._text: styles}, [], []
        self._show()

    def has(self, style: LetterStyle) -> bool:
        """Whether what is selected, or what would be typed at the cursor, has the ``style``."""
        span = self._selected
        if span.start < span.end:
            return self._styles.has(style, self._text, span)
        return bool(self._code_at(span.start) & style.bit)

    def toggle(self, style: LetterStyle | None) -> None:
        """Set the ``style`` on what is selected, or take it away; else on what is typed next.

        None takes all styles away.
        """
        span = self._selected
        if self._line.isReadOnly():
            return
        if span.start < span.end:
            set_now = PLAIN if style is None else self._styles.toggled(style, self._text, span)
            self._restyle(self._styles.restyled(span, set_now))
        else:
            code = 0 if style is None else toggled_code(self._code_at(span.start), style)
            self._typed = (span.start, code)

    def add(self, *wanted: LetterStyle) -> None:
        """Set the ``wanted`` styles on what is selected, in one step of undo."""
        span, styles = self._selected, self._styles
        if span.start < span.end and not self._line.isReadOnly():
            for style in wanted:
                if not styles.has(style, self._text, span):
                    styles = styles.restyled(span, styles.toggled(style, self._text, span))
            self._restyle(styles)

    def insert(self, text: str) -> None:
        """Put ``text`` in the place of what is selected, as a step of undo that is no paste."""
        self._inserts = True
        self._line.insert(text)
        self._inserts = False

    def copy(self) -> None:
        span = self._selected
        if span.start < span.end:
            QGuiApplication.clipboard().setMimeData(styled_mime(self._text, self._styles, span))

    def cut(self) -> None:
        self.copy()
        if not self._line.isReadOnly():
            self._line.del_()

    def undo(self) -> None:
        if not self._go_back(self._done, self._undone):
            self._line.undo()

    def redo(self) -> None:
        if not self._go_back(self._undone, self._done):
            self._line.redo()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and watched is self._line:
            if event.type() == QEvent.Type.ShortcutOverride and event.matches(_Key.DeleteCompleteLine):
                event.ignore()  # on some systems that is Ctrl+U, which underlines
                return True
            if event.type() == QEvent.Type.KeyPress:
                for key, do in (
                    (_Key.Undo, self.undo),
                    (_Key.Redo, self.redo),
                    (_Key.Copy, self.copy),
                    (_Key.Cut, self.cut),
                ):
                    if event.matches(key):
                        do()
                        return True
        return super().eventFilter(watched, event)

    @property
    def _selected(self) -> Span:
        units, line = Utf16Positions(self._text), self._line
        if line.hasSelectedText():
            return Span(units.from_qt(line.selectionStart()), units.from_qt(line.selectionEnd()))
        at = units.from_qt(line.cursorPosition())
        return Span(at, at)

    def _code_at(self, point: int) -> int:
        typed = self._typed
        return typed[1] if typed is not None and typed[0] == point else self._styles.before(point)

    def _go_back(self, steps: list[tuple[str, TextStyles]], others: list[tuple[str, TextStyles]]) -> bool:
        """Give the text the styles of the last of ``steps``, if it is of this text."""
        if not steps or steps[-1][0] != self._text or self._line.isReadOnly():
            return False
        others.append((self._text, self._styles))
        self._take(steps.pop()[1])
        return True

    def _restyle(self, styles: TextStyles) -> None:
        if styles != self._styles:
            self._done = [*self._done[-MOST_STEPS:], (self._text, self._styles)]
            self._undone = []
            self._take(styles)

    def _take(self, styles: TextStyles) -> None:
        self._styles = self._had[self._text] = styles
        self._show()
        self.restyled.emit()

    def _follow(self, *, by_hand: bool) -> None:
        """Go along with what was typed or pasted ``by_hand``, or set by the program."""
        text, typed = self._line.text(), self._typed
        edit = Edit.between(self._text, text)
        if edit is None:
            return
        self._typed = None
        styles = self._had.get(text, self._styles.after(edit))
        end = Utf16Positions(text).from_qt(self._line.cursorPosition())
        put = Span(end - len(edit.inserted), end)
        if text not in self._had and put.start >= 0 and edit.inserted:
            if typed is not None and typed[0] == put.start:
                styles = styles.restyled(put, TextStyles.of_codes(bytes((typed[1],)) * len(edit.inserted)))
            elif by_hand and (pasted := _pasted(edit.inserted)) is not None:
                styles = styles.restyled(put, pasted)
        self._text, self._styles = text, styles
        if len(self._had) >= MOST_STEPS:
            self._had.clear()
        self._had[text] = styles
        if styles or self._line.formats:
            self._show()

    def _show(self) -> None:
        """Let the letters look as their styles say: Qt has no other way for a line than an input method's."""
        line, units = self._line, Utf16Positions(self._text)
        line.formats, attributes = [], []
        for span in self._styles.spans():
            one = QTextLayout.FormatRange()
            one.start, one.length = units.to_qt(span.start), units.to_qt(span.end) - units.to_qt(span.start)
            one.format = format_of_code(self._styles.codes[span.start])
            line.formats.append(one)
            kind = QInputMethodEvent.AttributeType.TextFormat
            at = one.start - line.cursorPosition()
            attributes.append(QInputMethodEvent.Attribute(kind, at, one.length, one.format))
        locked = line.isReadOnly()
        if locked:  # then it would take no such event
            line.setReadOnly(False)
        QCoreApplication.sendEvent(line, QInputMethodEvent("", attributes))
        if locked:
            line.setReadOnly(True)


def _pasted(text: str) -> TextStyles | None:
    """The styles of ``text`` on the clipboard; None if it is not there, or without styles.

    The clipboard is another program's, which may hang: nothing asks it but a paste.
    """
    if len(text) < 2:
        return None
    source: QMimeData | None = QGuiApplication.clipboard().mimeData()  # on some screens there is none
    if source is None or not source.hasHtml():
        return None
    plain = source.text()
    if len(plain) > 10 * LONGEST_READ or plain.split() != text.split():
        return None
    return pasted_styles(source.html(), text)
