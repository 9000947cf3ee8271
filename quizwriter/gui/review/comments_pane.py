"""The pane of comments and suggested edits: what is said, who said it and when, and room to say more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from html import escape

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from quizwriter.domain.span import Span
from quizwriter.domain.styles import carried_styles
from quizwriter.formats.styled_html import styled_markup
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.fields import TextBox, scrolling, text_line
from quizwriter.gui.widgets.labels import plain_label, rich_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, STRETCH, column_of, row_of
from quizwriter.system.decoding import Count
from quizwriter.workflow.dates import relative_time
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.threads import Thread

QUOTED = 90
"""Characters of a quotation that a card shows."""

LONG = 2_000
"""Characters of anything that a card shows; a tossup is a third of that."""

MOST_CARDS = 20
"""Comments that have cards: a tossup may have thousands of them, and a card has some ten widgets."""

CARDS_AT_ONCE = 4
"""Cards that are made before the window takes the next key: each takes some 6 ms."""

NOTHING = (
    "There are no comments yet. Select words in the draft, then comment on them (Ctrl+Alt+M) or suggest a "
    "replacement (Ctrl+Alt+G)."
)
GONE = "The words were deleted."
CHANGED = "These words have changed since, so the suggestion cannot be accepted."
MADE = "The draft has these words already."


class CommentDraft(msgspec.Struct, frozen=True):
    """What somebody is about to say: of ``span`` of the text as it was then, which read ``quoted``."""

    seq: Count
    span: Span
    quoted: str
    suggests: bool = False  # other words rather than a comment
    text: str = ""
    note: str = ""

    @property
    def says_something(self) -> bool:
        """Whether somebody wrote a word of it."""
        said = self.text != self.quoted if self.suggests else bool(self.text.strip())
        return said or bool(self.note.strip())


class CommentsPane(QWidget):
    """All comments on the tossup, the open ones first, and a field for a new one.

    The signals carry what the reader wants: ``sent`` and ``given_up`` of what was being written; a card's id
    with ``replied`` (text), ``resolved`` (or open again), ``accepted``, ``declined`` (reason), ``deleted``,
    ``chosen`` and ``jumped`` (to the text). ``turned`` says that other threads are :attr:`seen`, ``writing``
    that something is being written. What is :attr:`sending` takes no keys: a thread's answer, or by the id of
    its tossup the new comment.
    """

    sent = Signal()
    given_up = Signal()
    replied = Signal(str, str)
    resolved = Signal(str, bool)
    accepted = Signal(str)
    declined = Signal(str, str)
    deleted = Signal(str)
    chosen = Signal(str)
    jumped = Signal(str)
    turned = Signal()
    writing = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._threads: tuple[Thread, ...] = ()  # open ones first
        self._open = 0  # how many are open
        self._first = 0  # the number of the first that has a card
        self._cards: dict[str, CommentCard] = {}
        self._unmade: deque[Thread | None] = deque()  # what comes below the cards; None: the button for more
        self._soon = SingleShot(self, 0, self._make_cards)
        self.sending: set[str] = set()
        self._replies: dict[str, str] = {}  # not sent, of threads with and without a card
        self._called: Callable[[str], str] = str
        self._me = ""
        self._shown: object = None
        self._current = ""
        self._shows_done = False
        self.new_comment = QPushButton("Comment")
        self.new_comment.setToolTip("Comment on the selected words (Ctrl+Alt+M)")
        self.new_suggestion = QPushButton("Suggest")
        self.new_suggestion.setToolTip("Suggest a replacement for the selected words (Ctrl+Alt+G)")
        head = row_of(STRETCH, margins=(4, 0, 4, 0), spacing=4)
        for button in (self.new_comment, self.new_suggestion):
            button.setObjectName("outlined")
            head.addWidget(button)

        self.composer = CommentComposer(theme)
        self.composer.sent.connect(self.sent)
        self.composer.given_up.connect(self.given_up)
        self.composer.text.textChanged.connect(self.writing)
        self.composer.note.textEdited.connect(self.writing)
        self.composer.hide()
        self._nothing = plain_label(NOTHING, wrap=False)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(4, 4, 8, 0)
        self._column = column_of(margins=(4, 4, 4, 4), spacing=8)
        inside = QWidget()
        self._done = QPushButton(inside)
        self._done.setCheckable(True)
        self._done.clicked.connect(self._show_done)
        self._earlier, self._later = QPushButton(), QPushButton()
        self._earlier.clicked.connect(lambda: self._turn(-MOST_CARDS))
        self._later.clicked.connect(lambda: self._turn(MOST_CARDS))
        column_of(self._earlier, self._column, self._later, STRETCH, on=inside, margins=NO_MARGINS)
        self._scroll = scrolling(inside, sideways=False)
        self._scroll.setMinimumHeight(1)  # where there is little room, what is being written comes first
        self._scroll.setStyleSheet(
            "QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }"
        )
        column_of(
            head, self.composer, self._nothing, (self._scroll, 1), on=self, margins=(12, 8, 4, 4), spacing=4
        )
        theme.follow(self._apply_theme)

    def show_threads(self, found: Sequence[Thread], called: Callable[[str], str], me: str) -> None:
        """List ``found``; ``called`` says what to call a person, and ``me`` is who reads."""
        opened = [thread for thread in found if thread.open]
        self._open = len(opened)
        self._threads = (*opened, *(thread for thread in found if not thread.open))
        self._called, self._me = called, me
        self._draw()

    def _draw(self) -> None:
        """Make the cards of the threads from the first on, unless they are there already."""
        self._first = min(self._first, max(0, len(self._threads) - 1) // MOST_CARDS * MOST_CARDS)
        part = self._threads[self._first : self._first + MOST_CARDS]
        faces = [
            (_face(thread), [self._called(remark.author) for remark in thread.remarks]) for thread in part
        ]
        shown = (faces, self._first, self._open, len(self._threads))
        if shown == self._shown:
            return
        self._shown = shown
        self._keep_replies()
        focused = next((name for name, card in self._cards.items() if card.has_keyboard()), "")
        for card in self._cards.values():
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._column.removeWidget(self._done)
        self._cards = {}
        opened = max(0, self._open - self._first)
        self._unmade = deque([*part[:opened], None, *part[opened:]])
        self._name_done()
        self._done.hide()
        self._nothing.setVisible(not self._threads and self.composer.isHidden())
        self._make_cards(focused)
        if focused in self._cards:
            self._cards[focused].setFocus()

    def _make_cards(self, name: str = "") -> None:
        """Make the next few cards, or all up to that called ``name``; the others follow by themselves."""
        within = any(thread is not None and thread.id == name for thread in self._unmade)
        made = 0
        while self._unmade and (name not in self._cards if within else made < CARDS_AT_ONCE):
            thread = self._unmade.popleft()
            if thread is None:
                self._column.addWidget(self._done)
                self._done.setVisible(self._open < len(self._threads))
                continue
            card = CommentCard(self, self._theme, thread, self._called, self._me)
            card.resume(self._replies.get(thread.id, ""))
            card.reply.setReadOnly(thread.id in self.sending)
            card.chosen.connect(self._choose)
            card.reply.textEdited.connect(self.writing)
            self._cards[thread.id] = card
            self._column.addWidget(card)
            made += 1
        self._arrange()
        if self._unmade:
            self._soon.start()

    @property
    def replies(self) -> dict[str, str]:
        """What is written by now in answer to threads, by their ids."""
        self._keep_replies()
        return self._replies

    def _keep_replies(self) -> None:
        for name, card in self._cards.items():
            if text := card.reply.text():
                self._replies[name] = text
            else:
                self._replies.pop(name, None)

    def _turn(self, by: int) -> None:
        """Show the cards before or after these."""
        self._first = max(0, self._first + by)
        self._draw()
        self.turned.emit()
        self._scroll.verticalScrollBar().setValue(0)

    def choose(self, name: str) -> None:
        """Show the card called ``name``, and mark it as the one looked at; empty for none."""
        at = next((at for at, thread in enumerate(self._threads) if thread.id == name), None)
        if at is not None and name not in self._cards:
            self._first = at // MOST_CARDS * MOST_CARDS
            self._draw()
            self._make_cards(name)
            self.turned.emit()
        card = self._cards.get(name)
        if card is not None and not card.about.open and not self._shows_done:
            self._show_done()
        self._current = name
        self._arrange()
        if card is not None:
            self._scroll.ensureWidgetVisible(card, 0, 16)

    def take_keyboard(self) -> None:
        """Let keys go to what is looked at, else to the first card, else to what makes one."""
        shown = [card for card in self._cards.values() if not card.isHidden()]
        current = self._cards.get(self._current)
        if not self.composer.isHidden():
            self.composer.text.setFocus()
        elif current is not None and not current.isHidden():
            current.setFocus()
        elif shown:
            shown[0].setFocus()
        else:
            self.new_comment.setFocus()

    @property
    def seen(self) -> tuple[str, ...]:
        """The ids of the threads that have cards, or will have them at once."""
        return tuple(thread.id for thread in self._threads[self._first : self._first + MOST_CARDS])

    @property
    def cards(self) -> tuple[CommentCard, ...]:
        return tuple(self._cards.values())

    def answered(self, name: str) -> None:
        """The answer that was written in the card called ``name`` is kept."""
        self._replies.pop(name, None)
        if name in self._cards:
            self._cards[name].resume("")
        self.writing.emit()

    def show_sending(self, tossup_id: str) -> None:
        """Let keys go to what is not being sent; the new comment is on the tossup ``tossup_id``."""
        self.composer.hold(tossup_id in self.sending)
        for name, card in self._cards.items():
            card.reply.setReadOnly(name in self.sending)

    def forget(self) -> None:
        """Make every card anew next time."""
        self._shown = None

    def compose(self, unsent: CommentDraft | None) -> None:
        """Let the reader write ``unsent``; None: no longer."""
        self.composer.setVisible(unsent is not None)
        self._nothing.setVisible(not self._cards and unsent is None)
        if unsent is not None:
            self.composer.put(unsent)

    def sizeHint(self) -> QSize:
        return QSize(320, 360)

    def _choose(self, name: str) -> None:
        self.choose(name)
        self.chosen.emit(name)

    def _show_done(self) -> None:
        self._shows_done = not self._shows_done
        self._done.setChecked(self._shows_done)
        self._name_done()
        self._arrange()

    def _name_done(self) -> None:
        closed = len(self._threads) - self._open
        self._done.setText(f"{'Hide' if self._shows_done else 'Show'} resolved comments ({closed})")

    def _arrange(self) -> None:
        for name, card in self._cards.items():
            card.setVisible(card.about.open or self._shows_done)
            card.be_current(current=name == self._current)
        listed = len(self._threads) if self._shows_done else self._open
        later = max(0, listed - self._first - MOST_CARDS)
        for button, number, where in ((self._earlier, self._first, "before"), (self._later, later, "after")):
            button.setText(f"Show the comments {where} these ({number:,})")
            button.setVisible(number > 0)

    def _apply_theme(self) -> None:
        self._nothing.setStyleSheet(f"color: {self._theme.tokens.soft};")
        fill_background(self, self._theme.tokens.page)


def _face(thread: Thread) -> object:
    """What of ``thread`` its card shows; the rest may change with every key."""
    proposal = thread.proposal
    may = None if proposal is None else (proposal.edit is not None, proposal.made)
    face = replace(thread, place=None, proposal=None, placed=True), thread.is_removed, may
    return face if proposal is None else (*face, proposal.removed, proposal.inserted)


class CommentComposer(QFrame):
    """Where a comment or a suggestion is written; Ctrl+Enter sends it, Escape gives it up."""

    sent = Signal()
    given_up = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._unsent: CommentDraft | None = None
        self._about = plain_label(wrap=False)
        self._about.setWordWrap(True)
        self.text = TextBox()
        self.text.setMinimumHeight(44)
        self.text.setMaximumHeight(84)
        self.text.installEventFilter(self)
        self.note = text_line("Why", "Reason (optional)")
        self.note.installEventFilter(self)
        self._trouble = plain_label(wrap=False)
        self._trouble.setWordWrap(True)
        self._trouble.hide()
        self.send = QPushButton("Comment")
        self.send.setObjectName("outlined")
        self.send.setToolTip("Ctrl+Enter")
        self.send.clicked.connect(self.sent)
        cancel = QPushButton("Cancel")
        cancel.setToolTip("Escape")
        cancel.clicked.connect(self.given_up)
        self.text.textChanged.connect(self._check)
        foot = row_of(STRETCH, cancel, self.send, spacing=8)
        column_of(
            self._about, self.text, self.note, self._trouble, foot, on=self, margins=(4, 4, 8, 4), spacing=8
        )
        theme.follow(self._apply_theme)

    def put(self, unsent: CommentDraft) -> None:
        """Go on with ``unsent``."""
        self._unsent = unsent
        what = f"\u201c{_short(unsent.quoted)}\u201d" if unsent.quoted else "the whole tossup"
        if unsent.suggests:
            self._about.setText(f"Replace {what} with:" if unsent.quoted else "Insert at the cursor:")
        else:
            self._about.setText(f"On {what}:")
        self.text.setPlainText(unsent.text)
        self.text.setAccessibleName("The replacement" if unsent.suggests else "Your comment")
        self.note.setText(unsent.note)
        self.note.setVisible(unsent.suggests)
        self.send.setText("Suggest" if unsent.suggests else "Comment")
        self.show_trouble("")
        self._check()

    def taken(self) -> CommentDraft | None:
        """What is written by now."""
        if self._unsent is None:
            return None
        return replace(self._unsent, text=self.text.toPlainText(), note=self.note.text())

    def hold(self, held: bool) -> None:
        """Keep what is written as it is while it is being sent, and send it no second time."""
        self.text.setReadOnly(held)
        self.note.setReadOnly(held)
        self._check()

    def show_trouble(self, trouble: str) -> None:
        """Say why it was not sent; nothing that was written is lost."""
        self._trouble.setText(trouble)
        self._trouble.setVisible(bool(trouble))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            sends = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (
                watched is self.note or event.modifiers() & Qt.KeyboardModifier.ControlModifier
            )
            if event.type() == QEvent.Type.ShortcutOverride and sends:
                event.accept()  # the window may mean something else by that key
                return True
            if event.type() == QEvent.Type.KeyPress and sends:
                if self.send.isEnabled():
                    self.sent.emit()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self.given_up.emit()
                return True
        return super().eventFilter(watched, event)

    def _check(self) -> None:
        unsent, text = self._unsent, self.text.toPlainText()
        if unsent is not None:
            says = text != unsent.quoted if unsent.suggests else bool(text.strip())
            self.send.setEnabled(says and not self.text.isReadOnly())

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self._about.setStyleSheet(f"color: {tokens.soft};")
        self._trouble.setStyleSheet(f"color: {tokens.confident};")
        self.text.setStyleSheet(
            f"QPlainTextEdit {{ background: {tokens.page}; border: 1px solid {tokens.line}; "
            f"border-radius: 6px; padding: 4px; }} "
            f"QPlainTextEdit:focus {{ border: 2px solid {tokens.accent}; padding: 3px; }}"
        )


class CommentCard(QFrame):
    """One comment with its replies, or one suggestion; a click on a button is told by the ``pane``."""

    chosen = Signal(str)

    def __init__(
        self, pane: CommentsPane, theme: Theme, thread: Thread, called: Callable[[str], str], me: str
    ) -> None:
        super().__init__()
        self._pane = pane
        self.about = thread
        self._theme = theme
        self._current = False
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        now = now_ms()
        self._column = column_of(on=self, margins=(4, 8, 4, 4), spacing=4)
        self.lines: list[str] = []
        self._show_place()
        for number, remark in enumerate(thread.remarks):
            if number and thread.outcome:
                said = f"{thread.outcome}: {remark.text}" if remark.text else f"{thread.outcome}."
            else:
                said = remark.text
            when = relative_time(remark.at_ms, now)
            if remark.author != me:
                when = f"{when}, {remark.authenticity.word}"
            self._show_remark(called(remark.author), when, said)

        self.reply = text_line("Reply", "Reply")
        self.reply.returnPressed.connect(self._reply)
        self.reply.installEventFilter(self)
        self.reply.hide()
        self._column.addWidget(self.reply)
        self._foot = row_of(margins=NO_MARGINS, spacing=4)
        proposal = thread.proposal
        if proposal is None:
            self.button("Reply", self._answer)
            name = "Resolve" if thread.open else "Reopen"
            self.button(name, lambda: pane.resolved.emit(thread.id, thread.open))
        elif thread.open:
            self.reply.setPlaceholderText("Reason (optional)")
            self.reply.setAccessibleName("Reason")
            accept = self.button("Accept", lambda: pane.accepted.emit(thread.id))
            accept.setEnabled(proposal.edit is not None or proposal.made)
            self.button("Decline", self._answer)
        mine = bool(me) and all(remark.author == me for remark in thread.remarks)
        if mine and thread.open:
            self.button("Delete", lambda: pane.deleted.emit(thread.id))
        self._foot.addStretch(1)
        self._column.addLayout(self._foot)
        self.setAccessibleName(" ".join(self.lines))
        self._apply_theme()

    def be_current(self, *, current: bool) -> None:
        if current != self._current:
            self._current = current
            self._apply_theme()

    def resume(self, reply: str) -> None:
        self.reply.setText(reply)
        self.reply.setVisible(bool(reply))

    def has_keyboard(self) -> bool:
        focus = self.window().focusWidget() if self.window() is not None else None
        return focus is not None and (focus is self or self.isAncestorOf(focus))

    def button(self, name: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(name)
        button.clicked.connect(lambda _=False: do())
        self._foot.addWidget(button)
        return button

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()  # which chooses it

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pane.jumped.emit(self.about.id)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.chosen.emit(self.about.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.hasFocus():
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pane.jumped.emit(self.about.id)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        ):
            self.reply.hide()
            self.setFocus()
            return True
        return super().eventFilter(watched, event)

    def _reply(self) -> None:
        text = self.reply.text().strip()
        if self.about.proposal is not None:
            self._pane.declined.emit(self.about.id, text)
        elif text:
            self._pane.replied.emit(self.about.id, text)

    def _answer(self) -> None:
        """Open the field for an answer, or send what is in it."""
        if self.reply.isHidden():
            self.reply.show()
            self.reply.setFocus()
        else:
            self._reply()

    def _show_place(self) -> None:
        """Say what it is about: the words, or the change, and whether they are still there."""
        thread, proposal = self.about, self.about.proposal
        tokens = self._theme.tokens
        if proposal is not None:
            removed = f"<s style='color:{tokens.soft};'>{escape(_cut(proposal.removed, LONG))}</s>"
            inserted = f"<u style='color:{tokens.note};'>{escape(_cut(proposal.inserted, LONG))}</u>"
            gap = " " if proposal.removed and proposal.inserted else ""
            change = f"{removed}{gap}{inserted}"
            self._line(
                f"{escape(proposal.before)}{change}{escape(proposal.after)}",
                f"Replace {proposal.removed or 'nothing'} with {proposal.inserted or 'nothing'}.",
                serif=True,
            )
            if thread.open and proposal.made:
                self._line(MADE, MADE, soft=True)
            elif thread.open and proposal.edit is None:
                told = GONE if thread.is_removed else CHANGED
                self._line(told, told, warn=True)
        elif thread.is_removed:
            self._line(
                f"<s>{_quoted_html(thread)}</s>", f"The words were: {thread.quoted}.", soft=True, serif=True
            )
            self._line(GONE, GONE, warn=True)
        elif thread.quoted:
            self._line(f"\u201c{_quoted_html(thread)}\u201d", f"On {thread.quoted}.", soft=True, serif=True)

    def _show_remark(self, name: str, when: str, text: str) -> None:
        soft = self._theme.tokens.soft
        who = f"<b>{escape(name)}</b>&nbsp; <span style='color:{soft};'>{escape(when)}</span>"
        self._line(who, f"{name}, {when}:")
        if text:
            shown = _cut(text, LONG)
            label = self._line(escape(shown).replace("\n", "<br>"), shown)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _line(
        self, rich: str, plain: str, *, soft: bool = False, warn: bool = False, serif: bool = False
    ) -> QLabel:
        label = rich_label(rich)
        label.setWordWrap(True)
        tokens = self._theme.tokens
        colour = tokens.confident if warn else tokens.soft if soft else tokens.ink
        family = f" font-family: {self._theme.draft_families}; font-size: 14px;" if serif else ""
        label.setStyleSheet(f"color: {colour};{family}")
        label.setContentsMargins(8, 0, 8, 0)
        self._column.addWidget(label)
        self.lines.append(plain)
        return label

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        edge = tokens.note if self._current else tokens.line
        ground = mixed(tokens.note, tokens.page, 0.06) if self._current else tokens.page
        self.setStyleSheet(
            f"#card {{ background: {ground}; border: 1px solid {edge}; border-left: 3px solid {edge}; "
            f"border-radius: 6px; }} #card:focus {{ border-color: {tokens.accent}; }}"
        )


def _quoted_html(thread: Thread) -> str:
    short = _short(thread.quoted)
    return styled_markup(short, carried_styles(thread.quoted, thread.styles, short)[0])


def _short(text: str) -> str:
    """``text`` on one line and not too long."""
    return _cut(" ".join(text.split()), QUOTED)


def _cut(text: str, longest: int) -> str:
    """``text`` without its middle, if it is longer than ``longest``."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half].rsplit(' ', 1)[0]} \u2026 {text[-half:].split(' ', 1)[-1]}"
