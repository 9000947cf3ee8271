"""Versions of a tossup's text: one with what changed marked in it, or two side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QSplitter, QTextEdit, QWidget

from quizwriter.domain.history import InlineDiff, differences
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.colours import tint
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.draft_marks import BuzzMark, DraftMarks
from quizwriter.gui.writing.draft_text import Utf16Positions
from quizwriter.workflow.history_analysis import History
from quizwriter.workflow.wording import counted_noun

LETTERS = 3
"""An edit of up to so many letters is marked by letters; a larger one is marked in whole words."""


class VersionPane(DraftPane):
    """One version of the text, to be read: it looks like the draft and takes no keys."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self._marked = InlineDiff("", (), (), ())
        self.setReadOnly(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        theme.changed.connect(self._mark_changes)

    @property
    def marked(self) -> InlineDiff:
        """The version that is shown, with what was inserted and removed."""
        return self._marked

    def show_version(
        self, marked: InlineDiff, buzzes: tuple[BuzzMark, ...] = (), *, styles: TextStyles
    ) -> None:
        """Show ``marked``; ``buzzes`` and ``styles`` are in code points of its text."""
        if marked != self._marked or styles != self.styling.styles:
            top = self.verticalScrollBar().value()
            self.put(marked.text, 0, styles)
            self._empty.label.hide()
            self._marked = marked
            self._mark_changes()
            self.verticalScrollBar().setValue(top)
            self._scroll_to_first(*marked.inserted[:1], *marked.removed[:1])
        self.show_marks(DraftMarks(buzzes=buzzes))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            event.ignore()  # the window has a use for it

    def _scroll_to_first(self, *spans: Span) -> None:
        for box in (box for span in spans for box in self.boxes(span)):
            if not self.viewport().rect().contains(box.toRect()):
                bar = self.verticalScrollBar()
                bar.setValue(round(bar.value() + box.center().y() - self.viewport().height() / 2))
            return

    def _mark_changes(self) -> None:
        tokens, units = self._theme.tokens, Utf16Positions(self._marked.text)
        inserted, removed = QTextCharFormat(), QTextCharFormat()
        inserted.setBackground(tint(tokens.cue, 0.20))
        inserted.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        inserted.setUnderlineColor(QColor(tokens.cue))
        removed.setForeground(QColor(tokens.soft))
        removed.setBackground(tint(tokens.counter, 0.14))
        removed.setFontStrikeOut(True)
        selections = []
        for spans, looks in ((self._marked.inserted, inserted), (self._marked.removed, removed)):
            for span in spans:
                selection = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self.document())
                cursor.setPosition(units.to_qt(span.start))
                cursor.setPosition(units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, looks
                selections.append(selection)
        self.setExtraSelections(selections)


class VersionsView(QSplitter):
    """The version that is shown, and beside it, while :attr:`held` is set, the one it is compared with."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self.held: int | None = None  # the index of the version that stays while others are gone to
        self.version = VersionPane(theme, "The version shown")
        self.other = VersionPane(theme, "The version it is compared with")
        self.version_caption, self.other_caption = plain_label(wrap=False), plain_label(wrap=False)
        self._version_box, self.other_box = QWidget(), QWidget()
        self.setHandleWidth(1)
        for box, caption, pane in (
            (self.other_box, self.other_caption, self.other),
            (self._version_box, self.version_caption, self.version),
        ):
            caption.setContentsMargins(16, 8, 16, 0)
            column_of(caption, (pane, 1), on=box, margins=NO_MARGINS, spacing=0)
            box.setMinimumWidth(240)
            self.addWidget(box)
        self.other_box.hide()
        theme.follow(self._apply_theme)

    def hold(self, index: int | None) -> None:
        """Compare the versions shown from now on with the one at ``index``; None: with no other."""
        self.held = index
        self.other_box.setVisible(index is not None)
        self.other_caption.setVisible(index is not None)

    def show_step(self, history: History, index: int, since: int | None, hidden: frozenset[str]) -> None:
        """Show the version at ``index`` of ``history``.

        Marked is what changed since edit ``since``, or by the last edit where it is None, and where players
        buzz who are not ``hidden``; or, beside another version, what differs between the two.
        """
        text = history.text(index)
        if self.held is not None:
            self._show_both(history, index, text, self.held)
            return
        marked = _changes_since(history, index, since, text)
        styles = _styles(history, index, since, marked)
        self.version.show_version(marked, _buzz_marks(history, index, text, marked, hidden), styles=styles)
        self.version_caption.setText(self._caption(history, index))

    def _show_both(self, history: History, index: int, text: str, held: int) -> None:
        other = history.text(held)
        first, second = (other, text) if held <= index else (text, other)
        looks = [history.styles_after(history.steps[at].seq) for at in sorted((held, index))]
        found = differences(first, second)
        removed = tuple(one.before for one in found if one.before.start < one.before.end)
        inserted = tuple(one.after for one in found if one.after.start < one.after.end)
        self.other.show_version(InlineDiff(first, removed, (), ()), styles=looks[0])
        self.version.show_version(InlineDiff(second, (), inserted, ()), styles=looks[1])
        low, high = sorted((held, index))
        self.other_caption.setText(self._caption(history, low))
        self.version_caption.setText(self._caption(history, high))

    def _caption(self, history: History, index: int) -> str:
        step = history.steps[index]
        held = ", kept for comparison" if index == self.held else ""
        return f"After edit {step.seq:,}: {counted_noun(step.words, 'word')}{held}"

    def _apply_theme(self) -> None:
        for label in (self.version_caption, self.other_caption):
            label.setFont(self._theme.font(bold=True, small=True))
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")


def _changes_since(history: History, index: int, since: int | None, text: str) -> InlineDiff:
    """The version at ``index`` with what changed since edit ``since``, or by the last edit, marked."""
    edit, seq = history.edit(index), history.steps[index].seq
    if since is None or since >= seq - 1:
        least = edit.trimmed() if edit is not None else None
        before = history.text_before(index)
        if least is not None and len(least.removed) + len(least.inserted) > LETTERS:
            least = least.expanded_to_words(before)
        return InlineDiff.of(before, text, (least.difference,) if least is not None else ())
    before = history.text_after(since)
    return InlineDiff.of(before, text, differences(before, text))


def _styles(history: History, index: int, since: int | None, marked: InlineDiff) -> TextStyles:
    """The styles of ``marked``, the version at ``index`` with what was removed from the one before it."""
    seq = history.steps[index].seq
    now = history.styles_after(seq)
    before = history.styles_after(max(0, seq - 1) if since is None else since)
    if not (now or before):
        return PLAIN
    codes, at = bytearray(), 0
    for one in marked.found:
        kept = Span(at, one.after.start)
        for styles, span in ((now, kept), (before, one.before), (now, one.after)):
            codes += styles.stretch(span).codes.ljust(span.end - span.start, b"\0")
        at = one.after.end
    return TextStyles.of_codes(bytes(codes) + now.codes[at:])


def _buzz_marks(
    history: History, index: int, text: str, marked: InlineDiff, hidden: frozenset[str]
) -> tuple[BuzzMark, ...]:
    """Where the players that read exactly this version, and are not ``hidden``, buzzed in it."""
    step = history.steps[index]
    heard = {name: step.shown[name].buzz_heard for name in step.fresh if name not in hidden}
    if not any(heard.values()):
        return ()
    words = Tossup(text).words
    marks = []
    for name, count in heard.items():
        if count is not None and count <= len(words):
            page, answer = step.shown[name].buzz_page, step.answer
            right = None if answer is None or page is None else answer.accepts(page)
            marks.append(BuzzMark(name, marked.place(words[count - 1].end), right))
    return tuple(marks)
