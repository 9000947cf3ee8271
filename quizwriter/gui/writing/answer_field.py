"""The answer field: what the tossup asks for, completed from the bundle's pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from quizwriter.domain.answer_line import Directive, Style, read_markup
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page, answer_key, page_title
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.elided_line import ElidedLineEdit
from quizwriter.gui.widgets.fields import named, qt_length
from quizwriter.gui.widgets.icons import draw_check
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.gui.writing.answer_offers import Offer, OfferList
from quizwriter.gui.writing.answer_styles import AnswerStyles
from quizwriter.gui.writing.printed_answer import AnswerNotes, PrintedAnswer
from quizwriter.workflow.answer_notes import (
    LineProblem,
    about_answer,
    line_problems,
    times_and_year,
    with_name,
)
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.domain.past_questions import PastAnswerLine, TimesAsked

OFFERED = 8
"""Pages in the list; more is reading, not choosing."""

SETTLED_MS = 600
"""A pause after which the writer is told that an answer is not listed; sooner would nag mid-word."""

OFFER_MS = 15
"""From a key to the list: the letter is painted first, and a burst of keys looks up once."""

LONGEST = 1_000
"""Characters of an answer line; the longest in packets have some four hundred."""

QUICKLY_READ = 300
"""Characters of a line that is read at each key; a longer one, which takes longer, is read in the pauses."""

PAGE_TICK = 16
"""Pixels of the tick at the end of the line."""

LEAST_SLIP, LEAST_SLIP_ALONE = 5, 6
"""Letters of a word that may have a slip where Enter takes what is offered: one of several, or one alone."""

_WORDS = re.compile(r"[^\W_]+")

_NAME_ENDS = frozenset("[(<;{")
"""What is typed after these is no name of a page any more."""

_LETTER_STYLES = {
    Style.BOLD: LetterStyle.BOLD,
    Style.UNDERLINE: LetterStyle.UNDERLINE,
    Style.ITALIC: LetterStyle.ITALIC,
    Style.SUPERSCRIPT: LetterStyle.SUPERSCRIPT,
    Style.SUBSCRIPT: LetterStyle.SUBSCRIPT,
}

_COMES_BACK = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Why the keyboard leaves the field for a moment only: a menu, another program."""

UNLISTED = "The players do not know this answer, so none can guess it."


class OfferedPage(Protocol):
    """A page that is offered, and the other name that was found, if any."""

    @property
    def page(self) -> Page: ...

    @property
    def alias(self) -> str:
        """The other name by which it was found; empty if by its own."""


class PageLookup(Protocol):
    """What the field asks of the bundle's pages. Any thread may ask; the first answer takes some time."""

    def meant(self, name: str) -> Page | None:
        """The page that somebody means who writes this name."""

    def complete(self, typed: str, limit: int = 12) -> Sequence[OfferedPage]:
        """Pages for what was typed, the likeliest first."""

    def prepare(self) -> None:
        """Work out what the other two need, so that they are quick."""


class AnswerFacts(msgspec.Struct, frozen=True):
    """What is known of an answer: how often it was asked, its past answer lines, and where else it is asked.

    ``times`` is None where nobody knows. ``lines_said`` says what the past lines have in common.
    ``elsewhere`` are the openings of other tossups of the set that ask for the same.
    """

    times: TimesAsked | None = None
    lines: tuple[PastAnswerLine, ...] = ()
    lines_said: str = ""
    elsewhere: tuple[str, ...] = ()


NO_FACTS = AnswerFacts()


def fold_text(text: str) -> tuple[str, list[int]]:
    """``text`` without case and accents, and for each letter of that the position it came from."""
    letters, places = [], []
    for place, letter in enumerate(text):
        for bare in unicodedata.normalize("NFKD", letter.casefold()):
            if not unicodedata.combining(bare):
                letters.append(bare)
                places.append(place)
    return "".join(letters), places


def matching(title: str, typed: str) -> tuple[int, int]:
    """Where ``typed`` stands in ``title``, at a word's start if possible; an empty stretch if nowhere."""
    bare, places = fold_text(title)
    wanted = fold_text(typed.strip())[0]
    if not wanted:
        return (0, 0)
    start = 0 if bare.startswith(wanted) else bare.find(" " + wanted) + 1
    if start == 0 and not bare.startswith(wanted):
        start = bare.find(wanted)
    if start < 0:
        return (0, 0)
    return places[start], places[start + len(wanted) - 1] + 1


def is_meant(typed: str, *names: str) -> bool:
    """Whether who ``typed`` this surely means one of ``names``, so that Enter may take it.

    Each word begins a word of the name, or is long enough for a slip: *Plath*, which the bundle may lack, is
    but a letter from *Plato*.
    """
    from quizwriter.judging.same_word import is_slip  # here, as no start needs it

    words = _WORDS.findall(fold_text(typed)[0])
    for name in names:
        there = _WORDS.findall(fold_text(name)[0])
        unlike = [word for word in words if not any(one.startswith(word) for one in there)]
        least = LEAST_SLIP if len(words) > 1 else LEAST_SLIP_ALONE
        if all(
            len(word) < 4
            or (len(word) >= least and (len(words) > 1 or any(is_slip(word, one) for one in there)))
            for word in unlike
        ):
            return True
        if "".join(words) in "".join(there):  # "mac beth", "vangogh"
            return True
    return False


class AnswerField(QWidget):
    """The answer line; ``changed`` carries the Answer, or None while there is none.

    While it has the keyboard, the line as it will print, how often the answer was asked, and what the line
    misses lie below it, over the draft.
    ``settled`` carries the Answer whose facts are to be shown by :meth:`show_facts`. ``refused`` carries a
    sentence about what was too long to be taken.
    """

    changed = Signal(object)
    settled = Signal(object)
    done = Signal()
    refused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._pages: PageLookup | None = None
        self._times_asked: Callable[[Page], TimesAsked]
        self._answer: Answer | None = None
        self._picked: tuple[str, Page] | None = None
        self._facts = NO_FACTS
        self._problems: tuple[LineProblem, ...] = ()
        self.line = named(ElidedLineEdit(), "Answer")
        self.line.setObjectName("title")
        self.line.setPlaceholderText("What the tossup asks for")
        self.line.setMaxLength(LONGEST)
        self.line.inputRejected.connect(self._refuse)
        self.printed = PrintedAnswer(theme)
        self.notes = AnswerNotes(theme)
        self.notes.lines_wanted.connect(self.offer_past_lines)
        self.notes.problem_chosen.connect(self.mend)
        self.styling = AnswerStyles(self.line)
        self.styling.restyled.connect(self._judge)
        self._tick = _PageTick(theme, self.line)
        column_of(self.line, on=self, margins=NO_MARGINS)
        self.below = QFrame(self)
        """The notes on the line."""
        self.below.setObjectName("floating")
        column_of(self.printed, self.notes, on=self.below, margins=(9, 6, 9, 6), spacing=4)
        self.below.hide()
        self._settled = SingleShot(self, SETTLED_MS, self._judge)
        self._complete_soon = SingleShot(self, OFFER_MS, self._complete)
        self._jobs = Jobs("answer", self)
        self._wanted: str | None = None  # what is to be completed; None: nothing any more
        self._completes = False  # whether a job completes something
        self._typed_early = False  # whether something was typed before there were pages to complete from
        self._offered_for = ""  # the text for which the list is
        self._offer: OfferList | None = None  # made at the first use: it needs the window as its parent
        self.line.textEdited.connect(self._edited)
        self.line.installEventFilter(self)
        theme.follow(self._apply_theme)
        self._judge()

    @property
    def answer(self) -> Answer | None:
        return self._answer

    @property
    def has_pages(self) -> bool:
        """Whether the pages of a bundle are ready to complete from."""
        return self._pages is not None

    @property
    def verdict(self) -> str:
        """What the writer is told about an answer that no player can guess; empty when all is well."""
        about = self.notes.texts[0]
        return about if about == UNLISTED else ""

    def offered(self) -> tuple[str, ...]:
        """The texts in the open list; none while it is closed."""
        if self._offer is None or not self._offer.isVisible():
            return ()
        return tuple(offer.text for offer in self._offer.offers)

    inset = 9
    """Pixels from the edge of the field to its letters."""

    def _lay_below(self, *, shown: bool) -> None:
        self.below.setVisible(False)
        if not shown or not self.line.text().strip() or self.offered():  # the offers lie in the same place
            return
        if self.below.parent() is not self.window():
            self.below.setParent(self.window())
        corner = self.line.mapTo(self.window(), self.line.rect().bottomLeft())
        width = self.line.width()
        layout = self.below.layout()
        assert layout is not None
        self.below.setGeometry(corner.x(), corner.y() + 4, width, self.below.height())
        self.below.show()
        layout.activate()  # the notes may need another row in that width
        high = layout.heightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height()
        self.below.resize(width, max(high, layout.minimumSize().height()))
        self.below.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.below.isVisible():
            self._lay_below(shown=True)

    def use_pages(self, pages: PageLookup | None, times_asked: Callable[[Page], TimesAsked]) -> None:
        """Complete from ``pages`` once they are prepared in another thread; None while no bundle is open.

        ``times_asked`` says, from another thread, how often a page was the answer.
        """

        def use(_: object) -> None:
            self._pages, self._times_asked = pages, times_asked
            self._picked = None
            self._update()
            self._judge()
            if self._typed_early and self.line.hasFocus():  # in the first seconds of the program
                self._complete()

        self._pages = None
        if pages is None:
            use(None)
        else:
            self._jobs.ask(lambda _: pages.prepare(), use, use)

    def put(self, answer: Answer | None, styles: TextStyles = PLAIN) -> None:
        """Show another tossup's answer and its ``styles``.

        ``changed`` is sent only if this bundle has a page for it after all.
        """
        self._close()
        self._answer = answer
        self._facts = NO_FACTS
        self._picked = None if answer is None or answer.page is None else (answer.line, answer.page)
        self.line.setText(answer.line if answer else "")
        self.styling.put(styles)
        self.line.setCursorPosition(0)
        if self._pages is not None and answer is not None and answer.page is None:
            self._update()
        self._judge()

    def show_facts(self, answer: Answer | None, facts: AnswerFacts) -> None:
        """Say what is known of ``answer``, unless another one is in the field by now."""
        if answer == self._answer:
            self._facts = facts
            self._show_notes()

    def offer_past_lines(self) -> bool:
        """Open the list of past answer lines on this page to take one over; whether there are any."""
        if not self._facts.lines or self.line.isReadOnly():
            return False
        self._close()
        self.line.setFocus()
        self._show_offers([_line_offer(line) for line in self._facts.lines[:OFFERED]])
        return True

    def mend(self) -> bool:
        """Mend the first thing that the line misses; where nobody knows how, select its place.

        The result is whether it misses anything.
        """
        if not self._problems:
            return False
        problem = self._problems[0]
        self.line.setFocus()
        text = self.line.text()
        place = problem.fix.span if problem.fix is not None else problem.span
        start, end = (qt_length(text[:at]) for at in (place.start, place.end))
        self.line.setSelection(start, end - start)
        if problem.fix is not None and not self.line.isReadOnly():
            if problem.fix.marks:
                self.styling.add(LetterStyle.BOLD, LetterStyle.UNDERLINE)
            else:
                if start == end:
                    self.line.setCursorPosition(start)
                self.styling.insert(problem.fix.replacement)
            self._update()
            self._judge()
        return True

    def add_name(self, directive: Directive, name: str) -> None:
        """Write into the line what to do with ``name``, as one step of its undo."""
        before = self.line.text()
        added = Edit.between(before, with_name(before, directive, name))
        if added is None or self.line.isReadOnly():
            return
        self._close()
        self.line.setFocus()
        self.line.setCursorPosition(qt_length(before[: added.start]))
        self.styling.insert(added.inserted)
        self._update()
        self._judge()

    def fill_in(self, line: str, styles: TextStyles) -> None:
        """Put an answer ``line`` with ``styles`` into the field, as if it were typed."""
        self._close()
        self.line.setText(line)
        self.styling.put(styles)
        self._update()
        self._judge()
        self.line.setCursorPosition(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.line:
            if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
                self._close()
                self._judge()
                if event.reason() not in _COMES_BACK:
                    self._lay_below(shown=False)
                    self.line.setCursorPosition(0)  # or a long line would show its end
            elif event.type() == QEvent.Type.FocusIn:
                self._lay_below(shown=True)
            elif event.type() == QEvent.Type.ToolTip:
                self.line.setToolTip(plain_tooltip(self._hint()))
            elif event.type() == QEvent.Type.ShortcutOverride and _is_mending(event):
                event.accept()  # in this field the key is for the answer line, elsewhere for the draft
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._key(event):
                return True
        return super().eventFilter(watched, event)

    def _hint(self) -> str:
        """What the tooltip says: the whole line, where the field is too short for it."""
        text, hint = self.line.text(), "What the tossup asks for (Ctrl+L)"
        return f"{text}\n{hint}" if self.line.is_elided else hint

    def _refuse(self) -> None:
        if len(self.line.text()) >= LONGEST:
            self.refused.emit(f"An answer line has at most {LONGEST:,} characters; the rest was cut off.")

    def _key(self, event: QKeyEvent) -> bool:
        offer = self._offer if self._offer is not None and self._offer.isVisible() else None
        key = event.key()
        if _is_mending(event):
            self.mend()
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers():
                return False
            picked = offer.current() if offer and self._offered_for == self.line.text() else None
            if picked is not None:
                self._pick(picked)
            else:
                self._close()
                self._judge()
            self.done.emit()
            return True
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and not event.modifiers():
            if offer:
                offer.step(1 if key == Qt.Key.Key_Down else -1)
            else:
                self._complete()
            return True
        if key == Qt.Key.Key_Escape and offer:
            self._close()
            return True
        if key == Qt.Key.Key_Tab and offer and offer.was_stepped and (picked := offer.current()) is not None:
            self._pick(picked)
        return False

    def _edited(self) -> None:
        self._update()
        self._complete_soon.start()
        self._judge(settled=False)

    def _update(self) -> None:
        """Work out the answer anew and say so if it is another one."""
        line = self.line.text().strip()
        answer = None
        if line:
            page = None
            if self._picked is not None and self._picked[0] == line:
                page = self._picked[1]
            elif self._pages is not None and not self.line.isReadOnly():
                page = self._pages.meant(Answer(line).main)
            elif self._answer is not None and self._answer.line == line:
                page = self._answer.page  # no bundle to ask: what was known stays
            answer = Answer(line, page)
        if answer != self._answer:
            if answer is None or self._answer is None or answer.page != self._answer.page:
                self._facts = NO_FACTS
            self._answer = answer
            self.changed.emit(answer)

    def _pick(self, picked: object) -> None:
        """Take a page from the list, or a past answer line on the page of the answer."""
        from quizwriter.domain.past_questions import PastAnswerLine  # here, as no start needs it

        if self.line.isReadOnly():  # it was accepted while the list was open
            self._close()
            return
        styles = PLAIN
        if isinstance(picked, PastAnswerLine):
            marked = read_markup(picked.line)
            line, page = marked.text, None if self._answer is None else self._answer.page
            styles = TextStyles.of_codes(bytes(map(_style_code, marked.styles)))
        else:
            page = Page(str(picked))
            line = page_title(page)
        self._picked = None if page is None else (line, page)
        self.line.selectAll()
        self.styling.insert(line)  # Ctrl+Z brings back what was typed
        self.styling.put(styles)
        self._close()
        self._update()
        self._judge()

    # -- the list

    def _complete(self) -> None:
        """Have what is typed completed in another thread; only the newest letters count."""
        self._complete_soon.stop()
        typed = self.line.text()
        self._typed_early = self._pages is None
        blank = not typed.strip() or not _NAME_ENDS.isdisjoint(typed)
        if self._pages is None or blank or self.line.isReadOnly():
            self._close()
            return
        self._wanted = typed
        if not self._completes:
            self._run_completion(self._pages, typed)

    def _run_completion(self, pages: PageLookup, typed: str) -> None:
        self._completes = True

        def show(found: Sequence[tuple[OfferedPage, TimesAsked]]) -> None:
            self._completes = False
            if self._wanted is None or self._pages is None:
                return
            if self._wanted != typed:
                self._run_completion(self._pages, self._wanted)
            elif not found:
                self._close()
            else:
                first, _ = found[0]
                self._show_offers(
                    [_page_offer(offered, times, typed) for offered, times in found],
                    chosen=is_meant(typed, page_title(first.page), first.alias),
                )

        def do(_: object) -> list[tuple[OfferedPage, TimesAsked]]:
            return [(one, times_asked(one.page)) for one in pages.complete(typed, OFFERED)]

        times_asked = self._times_asked
        self._jobs.ask(do, show, lambda _: show(()))

    def _show_offers(self, offers: Sequence[Offer], *, chosen: bool = True) -> None:
        if self._offer is None:
            self._offer = OfferList(self._theme, self.window())
            self._offer.picked.connect(self._pick)
        self._offered_for = self.line.text()
        self._offer.show_offers(offers, self.line, chosen=chosen)
        self._lay_below(shown=False)

    def _close(self) -> None:
        self._complete_soon.stop()
        self._wanted = None
        if self.offered():
            assert self._offer is not None
            self._offer.hide()
            self._lay_below(shown=self.line.hasFocus())

    # -- what is said under the line

    def _judge(self, *, settled: bool = True) -> None:
        """Say what there is to say of the answer: at once, or what would nag once the typing pauses."""
        self._tick.setVisible(self._answer is not None and self._answer.page is not None)
        if settled or len(self.line.text()) <= QUICKLY_READ:
            self.printed.show_line(*self._styled_line)
        if not settled:
            self._settled.start()
            self._lay_below(shown=self.line.hasFocus())
            return
        self._settled.stop()
        self._problems = line_problems(*self._styled_line)
        self._show_notes()
        self.settled.emit(self._answer)

    @property
    def _styled_line(self) -> tuple[str, TextStyles]:
        text = self.line.text()
        blank = len(text) - len(text.lstrip())
        return text, TextStyles.of_codes(bytes(blank) + self.styling.styles.codes)

    def _show_notes(self) -> None:
        answer, facts = self._answer, self._facts
        if answer is None:
            self.notes.show_about("")
        elif answer.page is None and self._pages is not None:
            self.notes.show_about(UNLISTED, warns=True)
        else:
            known_as = (
                ""
                if answer.page is None or answer_key(answer.page) == answer_key(answer.main)
                else page_title(answer.page)
            )
            said = about_answer(known_as, facts.times, len(facts.elsewhere))
            self.notes.show_about(said, warns=bool(facts.elsewhere))
        count = sum(line.count for line in facts.lines)
        self.notes.show_lines(counted_noun(count, "past line") if count else "", facts.lines_said)
        self.notes.show_problems(self._problems)
        self._lay_below(shown=self.line.hasFocus())

    def _apply_theme(self) -> None:
        self.printed.follow_theme()
        self.notes.follow_theme()


def _is_mending(event: QEvent) -> bool:
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_Period
        and event.modifiers() == Qt.KeyboardModifier.ControlModifier
    )


def _style_code(style: int) -> int:
    """The code of :class:`TextStyles` for a style of the markup of answer lines."""
    return sum(letter_style.bit for flag, letter_style in _LETTER_STYLES.items() if style & flag)


def _page_offer(offered: OfferedPage, times: TimesAsked, typed: str) -> Offer:
    """A page in the list: what was typed of its name is bold."""
    title = page_title(offered.page)
    start, end = matching(title, typed)
    pieces = ((title[:start], Style.PLAIN), (title[start:end], Style.BOLD), (title[end:], Style.PLAIN))
    runs = tuple((text, style) for text, style in pieces if text)
    from quizwriter.workflow.past_wording import counts_line  # here, as no start needs it

    return Offer(runs, offered.alias, counts_line(times), offered.page)


def _line_offer(line: PastAnswerLine) -> Offer:
    """A past answer line in the list, as it was printed."""
    return Offer(tuple(read_markup(line.line).runs()), "", times_and_year(line.count, line.last), line)


class _PageTick(QWidget):
    """Says by its presence, at the end of the ``line``, that the bundle has a page for the answer."""

    def __init__(self, theme: Theme, line: QLineEdit) -> None:
        super().__init__(line)
        self._theme = theme
        self._line = line
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setToolTip("The players know this answer")
        self.setAccessibleName("The players know this answer")
        line.installEventFilter(self)
        theme.follow(self._fit)

    def _fit(self) -> None:
        side = self._theme.px(PAGE_TICK)
        self.resize(side, side)
        self._line.setTextMargins(0, 0, side + 8, 0)
        self._place()

    def _place(self) -> None:
        self.move(self._line.width() - self.width() - 10, (self._line.height() - self.height()) // 2)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._line and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: object) -> None:
        draw_check(
            QPainter(self), QRectF(self.rect()).adjusted(1, 1, -1, -1), QColor(self._theme.tokens.right)
        )
