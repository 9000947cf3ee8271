"""Bold, italics and the others in the draft: how they look, how they are set, and how they are copied."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QFont, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles, carried_styles, toggled_code
from quizwriter.formats.styled_html import pasted_styles, read_styled_html, styled_html
from quizwriter.gui.widgets.clipboard import text_mime
from quizwriter.gui.writing.mark_painter import MarkPainter

_ALIGNMENT = QTextCharFormat.VerticalAlignment


def format_of_code(code: int) -> QTextCharFormat:
    """How letters with ``code`` look; those without a style look as the whole text does."""
    looks = QTextCharFormat()
    if code & LetterStyle.BOLD.bit:
        looks.setFontWeight(QFont.Weight.Bold)
    if code & LetterStyle.ITALIC.bit:
        looks.setFontItalic(True)
    if code & LetterStyle.UNDERLINE.bit:
        looks.setFontUnderline(True)
    if code & LetterStyle.SUPERSCRIPT.bit:
        looks.setVerticalAlignment(_ALIGNMENT.AlignSuperScript)
    if code & LetterStyle.SUBSCRIPT.bit:
        looks.setVerticalAlignment(_ALIGNMENT.AlignSubScript)
    return looks


def styled_mime(text: str, styles: TextStyles, span: Span) -> QMimeData:
    """What is in ``span`` of ``text`` for the clipboard: plain and, where it has ``styles``, as HTML, too."""
    words, looks = span.of(text), styles.stretch(span)
    return text_mime(words, styled_html(words, looks) if looks else "")


def pasted_text(source: QMimeData) -> str:
    """The plain text that is pasted from ``source``; where there is HTML alone, the words of that."""
    return source.text() or (read_styled_html(source.html())[0] if source.hasHtml() else "")


class DraftStyles(QObject):
    """The styles of the text in an editor.

    ``restyled`` asks for other styles: it carries a stretch, the styles of that stretch, and whether they
    belong to the edit that was just made. Nothing is shown before :meth:`show` is told so.
    """

    restyled = Signal(object, object, bool)

    def __init__(self, edit: QTextEdit, painter: MarkPainter) -> None:
        super().__init__(edit)
        self._edit, self._painter = edit, painter
        self.styles = PLAIN
        self._formatted = False  # whether the document has ever had any format but the plain one
        self._touched = (0, 0)  # what was changed last, in UTF-16 units
        self._coming: tuple[str | None, TextStyles] | None = None  # what comes next, and its styles
        self._coming_at = 0  # where the cursor is meanwhile

    # -- what is shown

    def put(self, styles: TextStyles) -> None:
        """Show the ``styles`` of another text, which the editor has as a plain one."""
        self.styles, self._coming = styles, None
        if styles or self._formatted:
            self._format(Span(0, len(self._painter.text)))

    def show(self, styles: TextStyles) -> None:
        if styles == self.styles:
            return
        old, new = self.styles.codes, styles.codes
        size = max(len(old), len(new))
        old, new = old.ljust(size, b"\0"), new.ljust(size, b"\0")
        first = next(at for at in range(size) if old[at] != new[at])
        last = next(at for at in range(size, 0, -1) if old[at - 1] != new[at - 1])
        self.styles = styles
        self._format(Span(first, last))

    def follow(self, edit: Edit | None) -> None:
        """Go along with ``edit``, which was made in the text; what was put in looks as it should.

        None: something was replaced by the same, which may look otherwise.
        """
        if edit is not None:
            self.styles = self.styles.after(edit)
        start, end = self._touched
        if not self._formatted or start >= end:
            return
        units, cursor = self._painter.units, QTextCursor(self._edit.document())
        span = Span(units.from_qt(start), units.from_qt(end))
        cursor.setPosition(end)
        typed = span.end - span.start == 1
        if not typed or cursor.charFormat() != format_of_code(self.styles.before(span.end)):
            self._format(span)

    def _touch(self, start: int, _: int, count: int) -> None:
        last = self._edit.document().characterCount() - 1
        self._touched = (start, min(start + count, last))

    def _format(self, span: Span) -> None:
        if not self._formatted:
            self._formatted = True
            self._edit.document().contentsChange.connect(self._touch)
        units, cursor = self._painter.units, QTextCursor(self._edit.document())
        blocked = self._edit.blockSignals(True)  # it is no edit
        cursor.beginEditBlock()
        at, stretch = span.start, self.styles.stretch(span)
        cursor.setPosition(units.to_qt(span.start))
        cursor.setPosition(units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(format_of_code(0))
        for one in stretch.spans():
            cursor.setPosition(units.to_qt(at + one.start))
            cursor.setPosition(units.to_qt(at + one.end), QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(format_of_code(self.styles.codes[at + one.start]))
        cursor.endEditBlock()
        self._edit.blockSignals(blocked)
        self._painter.forget_boxes()
        self._edit.viewport().update()

    # -- what the writer does

    def has(self, style: LetterStyle, selected: Span) -> bool:
        """Whether what is ``selected``, or what would be typed at the cursor, has the ``style``."""
        if selected.start < selected.end:
            return self.styles.has(style, self._painter.text, selected)
        return bool(self._code_at(selected.start) & style.bit)

    def toggle(self, style: LetterStyle | None, selected: Span) -> None:
        """Set the ``style`` on what is ``selected``, or take it away; else on what is typed next.

        None takes all styles away.
        """
        if selected.start < selected.end:
            styles = PLAIN if style is None else self.styles.toggled(style, self._painter.text, selected)
            self.restyled.emit(selected, styles, False)
        else:
            code = 0 if style is None else toggled_code(self._code_at(selected.start), style)
            self._expect(None, TextStyles.of_codes(bytes((code,))), selected.start)

    def _code_at(self, point: int) -> int:
        if self._coming is not None and self._coming[0] is None and self._coming_at == point:
            return self._coming[1].before(1)
        return self.styles.before(point)

    def _expect(self, text: str | None, styles: TextStyles, at: int) -> None:
        self._coming, self._coming_at = (text, styles), at

    def leave(self, at: int) -> None:
        """The cursor was moved to ``at``: what is typed there has the styles of its place."""
        if self._coming is not None and self._coming[0] is None and at != self._coming_at:
            self._coming = None

    def complete(self, edit: Edit, before: TextStyles, cursor: int) -> None:
        """Ask for the styles that the writer expects of what ``edit`` put in; ``cursor`` is right after it.

        ``before`` are the styles of the text before the edit.
        """
        coming, self._coming = self._coming, None
        if coming is None or not edit.inserted:
            return
        text, styles = coming
        if text is None:
            text = edit.inserted
            styles = TextStyles.of_codes(bytes((styles.before(1),)) * len(text))
        if cursor >= len(text) and self._painter.text[cursor - len(text) : cursor] == text:
            self._keep_moved(edit, before)
            self.restyled.emit(Span(cursor - len(text), cursor), styles, True)

    def _keep_moved(self, edit: Edit, before: TextStyles) -> None:
        """Where text was dragged, let the words between keep their styles: they are one edit with it."""
        if edit.removed and before:
            removed = before.stretch(Span(edit.start, edit.start + len(edit.removed)))
            styles, _ = carried_styles(edit.removed, removed, edit.inserted)
            self.restyled.emit(Span(edit.start, edit.start + len(edit.inserted)), styles, True)

    # -- the clipboard

    def copied(self, span: Span) -> QMimeData:
        """The text in ``span`` for the clipboard."""
        return styled_mime(self._painter.text, self.styles, span)

    def paste_plain(self) -> None:
        """Paste the text of the clipboard with the styles of its place, whatever styles it comes with."""
        source = QMimeData()
        source.setText(QGuiApplication.clipboard().text())
        self._edit.insertFromMimeData(source)

    def expect_paste(self, source: QMimeData, text: str) -> None:
        """Read the styles of ``text``, which is put in next from ``source``.

        Without HTML it gets those of its place.
        """
        if source.hasHtml():
            self._expect(text, pasted_styles(source.html(), text), 0)
