"""*Branches*: the branches of tossups that were edited in several places, merged, kept, or brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.history import InlineDiff
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import BUG, Dialog, TextStyle
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import RichPane, plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import column_of, row_of
from quizwriter.services.branches import BranchFamily, BranchLine, JoinedBranches
from quizwriter.services.transfer import display_title
from quizwriter.services.wiring import App
from quizwriter.workflow.dates import moment
from quizwriter.workflow.text_merge import Alternative, MergedPiece
from quizwriter.workflow.wording import counted_noun, listed

SEARCHING = "Searching for tossups that were edited in several places…"
NO_BRANCHES = "No tossup has several branches."
NONE_VISIBLE = f"{NO_BRANCHES} Branches that you hid are not listed."
Result = TypeVar("Result")

NOTE = "New words are underlined and removed words are struck out, since the branches diverged."


class BranchesDialog(Dialog):
    """Shows all branches of a tossup one below the other, and their merge; joins them as the user decides.

    Only branches that are shown are joined or hidden. ``opened`` carries the id of a branch that the user
    wants to edit.
    """

    opened = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: Jobs,
        prepare: Callable[[], object],
        ready: Callable[[], object],
        changed: Callable[[Mapping[str, str] | None], object],
        parent: QWidget | None = None,
    ) -> None:
        """``prepare`` is called before something is written, and ``ready`` in the background.

        ``ready`` raises QuizwriterError if nothing may be written. ``changed`` is called afterwards, also
        when the dialog was closed: with the ids that continue under other ids, or None where nothing changed.
        """
        super().__init__(theme, "Branches", parent, size=(860, 640))
        self._app, self._jobs = app, jobs
        self._prepare, self._ready, self._changed = prepare, ready, changed
        self._families: tuple[BranchFamily, ...] = ()
        self._joined: JoinedBranches | None = None
        self._choices: list[int | None] = []
        self._answer: int | None = None
        self._preview: _WholeText | None = None
        self._groups: list[QButtonGroup] = []
        self.setSizeGripEnabled(True)

        self.show_hidden = QCheckBox("Show hidden branches")
        self.show_hidden.setToolTip("Also list branches that another branch replaced; you can restore them")
        self.show_hidden.toggled.connect(lambda _: self._list_branches("", SEARCHING))
        self.list = named(QListWidget(), "Tossups edited in several places")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setSpacing(2)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(lambda _: self._show())
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # arrow keys scroll
        self.area.setAccessibleName("The branches and the merged text")
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._splitter = QSplitter()
        self._splitter.addWidget(self.list)
        self._splitter.addWidget(self.area)
        self._splitter.setSizes([200, 660])
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setChildrenCollapsible(False)
        self.nothing = self.label(NO_BRANCHES, TextStyle.CAPTION)
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.show_hidden)
        self.body.addWidget(self._splitter, 1)
        self.merge_button = self.add_primary("Merge both changes", self.merge)
        self.undo_button = self.add_aside("Undo", self.undo)
        self.undo_button.hide()
        self.merge_button.hide()
        self.fill(False, self._splitter)
        self._list_branches("", SEARCHING)

    @property
    def family(self) -> BranchFamily | None:
        row = self.list.currentRow()
        return self._families[row] if 0 <= row < len(self._families) else None

    def _list_branches(self, message: str, busy: str = "", *, trouble: bool = False) -> None:
        """List the tossups with branches again, then show ``message``; ``busy`` is shown meanwhile."""
        hidden = self.show_hidden.isChecked()
        shown = {line.tossup_id for line in self.family.lines} if self.family is not None else set()

        self.nothing.hide()  # nobody knows yet

        def then(found: tuple[BranchFamily, ...]) -> None:
            with QSignalBlocker(self.list):
                self._families = found
                self.list.clear()
                for family in found:
                    title, count = display_title(family.tossup), len(family.lines)
                    item = QListWidgetItem(f"{title}\n{counted_noun(count, 'branch', 'branches')}")
                    item.setToolTip(plain_tooltip(title))
                    self.list.addItem(item)
                ids = [{line.tossup_id for line in one.lines} for one in found]
                same = (row for row, one in enumerate(ids) if shown & one)
                self.list.setCurrentRow(next(same, 0) if found else -1)
            self.nothing.setText(NO_BRANCHES if hidden else NONE_VISIBLE)
            self.nothing.setVisible(not found)
            self.fill(bool(found), self._splitter)
            self._show()
            self.show_message(message, trouble=trouble)

        self.run_job(self._jobs, busy or message, lambda _: self._app.branches.families(hidden=hidden), then)

    # -- what is shown

    def _show(self) -> None:
        family = self.family
        self._preview, self._groups, self._answer = None, [], None
        content = QWidget()
        column = column_of(on=content, margins=(12, 0, 12, 0), spacing=12)
        if family is not None:
            several = len(family.visible) > 1
            column.addWidget(self._caption(NOTE))
            for number, line in enumerate(family.lines, start=1):
                column.addLayout(self._card(family, line, number, several))
            if several:
                self._add_merge(family, column)
            self._choices = [None] * len(family.merge.conflicts)
            self._answer = 0 if len(family.answers) == 1 else None
        column.addStretch(1)
        self.area.setWidget(content)
        self.merge_button.setVisible(family is not None and len(family.visible) > 1)
        if family is not None:
            both = "both" if len(family.visible) == 2 else "all"
            self.merge_button.setText(f"Merge {both} changes")
        self._show_merge()

    def _card(self, family: BranchFamily, line: BranchLine, number: int, several: bool) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(4)
        heading = plain_label(f"Branch {number}{', hidden' if line.hidden else ''}", wrap=False)
        heading.setFont(self._theme.font(bold=True))
        column.addWidget(heading)
        column.addWidget(self._caption(_summary(line)))
        column.addWidget(self._text(_compared(line.changed, self._theme), f"Text of branch {number}"))
        row = QHBoxLayout()
        row.setSpacing(8)
        buttons = []
        if line.hidden:
            buttons.append(("Restore it", partial(self.restore, line)))
        elif several:
            buttons.append(("Keep only this one", partial(self.keep, line.tossup_id)))
        if not line.hidden:
            buttons.append(("Edit it", partial(self.opened.emit, line.tossup_id)))
        for text, do in buttons:
            button = named(outlined(text, do), f"{text}: branch {number}")
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        return column

    def _add_merge(self, family: BranchFamily, column: QVBoxLayout) -> None:
        rule = QFrame()
        rule.setFrameShape(QFrame.Shape.HLine)
        column.addWidget(rule)
        heading = plain_label("Merged text", wrap=False)
        heading.setFont(self._theme.font(bold=True))
        column.addWidget(heading)
        numbers = {line.tossup_id: at for at, line in enumerate(family.lines, start=1)}
        shown = [numbers[line.tossup_id] for line in family.visible]
        others = listed([str(number) for number in shown[1:]])
        hidden = f"Branch {others} is" if len(shown) == 2 else f"Branches {others} are"
        column.addWidget(
            self._caption(
                f"The merged text becomes branch {shown[0]}, with its status and category. Comments and "
                f"refused consents move there, too. {hidden} hidden, and can be restored."
            )
        )
        if len(family.answers) > 1:
            texts = [answer.line if answer is not None else "no answer" for answer in family.answers]
            self._add_choice(
                column, "The branches have different answers. Choose one:", texts, self._take_answer
            )
        conflicts = family.merge.conflicts
        for at, stretch in enumerate(conflicts):
            before = _words_before(family.merge.base, stretch.base.start)
            title = f"Choice {at + 1} of {len(conflicts)}, {before}:"
            texts = [_alternative(one, shown) for one in stretch.alternatives]
            self._add_choice(column, title, texts, partial(self._take_choice, at))
        self._preview = self._text("", "Merged text")
        column.addWidget(self._preview)

    def _add_choice(
        self, column: QVBoxLayout, title: str, texts: Sequence[str], take: Callable[[int], object]
    ) -> None:
        """Add a question with one button for each of ``texts``; arrow keys go from one to the next."""
        column.addWidget(_wrapped(title))
        group = QButtonGroup(self.area)
        for at, text in enumerate(texts):
            choice = _Choice(self._theme, text)
            choice.button.setAccessibleName(f"{title} {text}")
            group.addButton(choice.button, at)
            column.addWidget(choice)
        group.idClicked.connect(take)
        self._groups.append(group)

    def _take_choice(self, at: int, chosen: int) -> None:
        self._choices[at] = chosen
        self._show_merge()

    def _take_answer(self, chosen: int) -> None:
        self._answer = chosen
        self._show_merge()

    def _show_merge(self) -> None:
        family = self.family
        chosen = self._answer is not None and None not in self._choices
        self.set_ready(family is not None and len(family.visible) > 1 and chosen)
        if family is not None and self._preview is not None:
            pieces = family.merge.pieces(self._choices)
            self._preview.show_html(_merged(pieces, self._choices, self._theme))

    def _caption(self, text: str) -> QLabel:
        label = _wrapped(text)
        label.setFont(self._theme.font(small=True))
        label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        return label

    def _text(self, html: str, name: str) -> _WholeText:
        """A text with marks, whole: the area around it scrolls."""
        pane = named(_WholeText(), name)
        pane.setFont(self._theme.draft_font())
        pane.show_html(html)
        return pane

    def apply_theme(self) -> None:
        super().apply_theme()
        if self.isVisible() and self._families:
            choices, answer = self._choices, self._answer
            self._show()
            for group, chosen in zip(self._groups[-len(choices) :] if choices else (), choices, strict=True):
                if chosen is not None:
                    group.button(chosen).setChecked(True)
            if answer is not None and len(self._groups) > len(choices):
                self._groups[0].button(answer).setChecked(True)
            self._choices, self._answer = choices, answer
            self._show_merge()

    # -- what is done

    def merge(self) -> None:
        """Let the first branch go on with the changes of all branches that are shown."""
        family, answer = self.family, self._answer
        choices = [choice for choice in self._choices if choice is not None]
        if family is None or answer is None or len(choices) < len(self._choices):
            return
        both = "both" if len(family.visible) == 2 else "all"
        self._join(
            lambda: self._app.branches.merge(family, choices, answer),
            f"The changes of {both} branches of {display_title(family.tossup)} are merged",
        )

    def keep(self, tossup_id: str) -> None:
        family = self.family
        if family is not None:
            self._join(
                lambda: self._app.branches.keep(family, tossup_id),
                f"This branch of {display_title(family.tossup)} is kept",
            )

    def restore(self, line: BranchLine) -> None:
        self._write(
            lambda: self._app.branches.restore(line),
            lambda _: {},
            lambda _: self._list_branches("The branch is restored."),
        )

    def undo(self) -> None:
        """Take back the last joining: the branches are there again as before."""
        joined = self._joined
        if joined is None:
            return

        def told(_: object) -> None:
            self._joined = None
            self.undo_button.hide()
            self._list_branches("Undone: the branches are separate again.")

        self._write(lambda: self._app.branches.take_back(joined), lambda _: {}, told)

    def _join(self, do: Callable[[], JoinedBranches], text: str) -> None:
        def told(joined: JoinedBranches) -> None:
            self._joined = joined
            self.undo_button.show()
            hidden = "The other is hidden" if len(joined.superseded) == 1 else "The others are hidden"
            said = f" {counted_noun(joined.comments, 'comment')} moved, too" if joined.comments else ""
            if joined.detached:
                said += f", {joined.detached} of them on the whole text because the words are gone"
            self._list_branches(f"{text}. {hidden} and can be restored.{said}{'.' if said else ''}")

        self._write(do, lambda joined: dict.fromkeys(joined.superseded, joined.tossup_id), told)

    def _write(
        self,
        do: Callable[[], Result],
        moved: Callable[[Result], Mapping[str, str]],
        then: Callable[[Result], object],
    ) -> None:
        """Have ``do`` done in the background once everything typed is saved; ``then`` gets the result."""

        def work(_: object) -> Result:
            self._ready()
            return do()

        def finish(result: Result) -> None:
            self._changed(moved(result))
            if not self.closed:
                self.end_busy()
                then(result)

        def failed(trouble: str) -> None:
            self._changed(None)
            if not self.closed:
                self.end_busy()
                self._list_branches(trouble or BUG, SEARCHING, trouble=True)

        self._prepare()
        self.show_busy("Saving…", closable=False)
        self._jobs.ask(work, finish, failed)


class _WholeText(RichPane):
    """A pane as high as its text, so that nothing of it is out of sight; laid out once for each width."""

    def __init__(self) -> None:
        super().__init__()
        self.document().setDocumentMargin(10)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the area around it scrolls

    def show_html(self, html: str) -> None:
        super().show_html(html)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def _fit(self) -> None:
        height = round(self.document().size().height()) + 2 * self.frameWidth()
        if height != self.height():
            self.setFixedHeight(height)


class _Choice(QWidget):
    """A button of which one in a group is pressed, with a text that wraps; a click on the text presses it."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__()
        self.button = QRadioButton()
        label = _wrapped(text)
        label.setFont(theme.font())
        row = row_of(on=self, margins=(12, 0, 0, 0), spacing=8)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.button.setFocus()
        self.button.click()
        event.accept()


def _wrapped(text: str) -> QLabel:
    """A label that takes the height of its lines, not that of its lines in a narrow window."""
    label = plain_label(text)
    label.setMinimumHeight(1)
    return label


def _summary(line: BranchLine) -> str:
    """The answer and status of a branch, its edits, by whom, when, its comments and tags."""
    answer = line.tossup.answer.line if line.tossup.answer else "no answer yet"
    edits = "not edited since the branches diverged"
    if line.edits:
        who = f" by {listed(line.authors)}" if line.authors else ""
        edits = f"{counted_noun(line.edits, 'edit')}{who}, the last one {moment(line.at_ms)}"
    comments = f" · {counted_noun(line.comments, 'open comment')}" if line.comments else ""
    tags = f" · {counted_noun(line.tags, 'tag')}" if line.tags else ""
    return f"{answer} · {line.status} · {edits}{comments}{tags}"


def _alternative(one: Alternative, numbers: Sequence[int]) -> str:
    words = f"“{one.text.strip()}”" if one.text.strip() else "nothing"
    if not one.branches:
        return f"{words} (as it was before)"
    branches = [str(numbers[at]) for at in one.branches]
    return f"{words} (branch {listed(branches)})"


def _words_before(base: str, at: int) -> str:
    """Where a place of the text is, by the words before it."""
    words = base[max(0, at - 80) : at].split()[-4:]
    return f"after “{' '.join(words)}”" if words else "at the beginning"


def _marked(text: str, theme: Theme, *, gone: bool = False) -> str:
    """``text`` as HTML: as new by colour, a line under it and weight, or as gone by a line through it."""
    words = text.strip()
    if not words:
        return escape(text)
    before, after = text.split(words, 1)
    tokens = theme.tokens
    style = f"background-color: {mixed(tokens.cue, tokens.page, 0.2)}; text-decoration: underline;"
    style = f"color: {tokens.soft}; text-decoration: line-through;" if gone else f"{style} font-weight: 600;"
    return f'{escape(before)}<span style="{style}">{escape(words)}</span>{escape(after)}'


def _compared(changed: InlineDiff, theme: Theme) -> str:
    """A text with what is new and what is gone, as HTML."""
    spans = [(span, True) for span in changed.removed] + [(span, False) for span in changed.inserted]
    parts, at = [], 0
    for span, gone in sorted(spans):
        between = escape(changed.text[at : span.start])
        joined = f"{changed.text[at - 1 : at]} {span.of(changed.text)[:1]}"
        if not gone and at == span.start and at and len(joined.split()) == 2:
            between = " "  # words gone and the words in their place are not to be read as one
        parts += [between, _marked(span.of(changed.text), theme, gone=gone)]
        at = span.end
    return _paragraph("".join([*parts, escape(changed.text[at:])]))


def _merged(pieces: Iterable[MergedPiece], choices: Sequence[int | None], theme: Theme) -> str:
    """The merged text as HTML, with what branches changed marked, and what is not chosen yet in brackets."""
    parts = []
    for piece in pieces:
        text = piece.text
        if piece.conflict is not None and choices[piece.conflict] is None:
            text = f"[choice {piece.conflict + 1}]"
        parts.append(escape(text) if piece.stretch is None else _marked(text, theme))
    return _paragraph("".join(parts))


def _paragraph(html: str) -> str:
    return f'<p style="white-space: pre-wrap; line-height: 140%;">{html}</p>'
