"""*Edit > Search everything…*: past questions, added packets, articles and own tossups in one window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QSpinBox, QSplitter, QWidget

from quizwriter.domain.answer_line import main_answer
from quizwriter.domain.page import page_title
from quizwriter.domain.past_questions import (
    EVERY_QUESTION,
    HARDEST,
    QuestionFilter,
    QuestionKind,
    SearchHit,
    SearchResult,
)
from quizwriter.domain.span import Span
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme, fill_background
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.facet_button import FacetButton
from quizwriter.gui.widgets.fields import number_box
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import LARGEST_HEIGHT, STRETCH, WrappingLayout, column_of, row_of
from quizwriter.gui.widgets.question_view import QuestionView
from quizwriter.gui.widgets.saved_layout import WindowFrame, WindowPlace
from quizwriter.gui.widgets.two_line_list import ListRow, TwoLineList
from quizwriter.services.wiring import App
from quizwriter.workflow.past_wording import KIND_NOUNS, question_line, result_sentence
from quizwriter.workflow.wording import sentence

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

TYPING_MS = 150
"""From the last key to the search."""

MOST_HITS = 300
"""Hits that are listed; nobody reads more, and the filters make them fewer."""

_AROUND = 60  # characters before the first word found, in the list

HELP = (
    "Words in any order, “phrases” in quotation marks. Case, accents and endings do not matter. The newest "
    "questions come first."
)
NO_ENGINE = "The players are loading; search in a moment."
_BOX_HEIGHT = 28  # px, as high as a line to type in
_NO_YEAR, _NO_DIFFICULTY = 1979, 0


class SearchWindow(QWidget):
    """Finds texts by their words.

    ``opened`` carries the id of an own tossup to write on, ``cited`` where a text is from and what it says.
    """

    opened = Signal(str)
    cited = Signal(str, str)

    def __init__(self, app: App, theme: Theme, engine: Callable[[], Engine | None]) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._app, self._theme, self._engine = app, theme, engine
        self._asked: tuple[str, str, QuestionFilter] | None = None
        self._hits: Sequence[SearchHit] = ()
        self._jobs = Jobs("search", self)
        self.setWindowTitle("Search")
        self.words = self._line("Search everything", "Words, or a “phrase”")
        self.answer = self._line("Answer", "Answer")
        self.category, self.set = self._line("Category", "Category"), self._line("Set", "Set")
        self.kinds = FacetButton(theme, "Kind")
        self.kinds.offer([((str(kind),), sentence(many), None) for kind, (_, many) in KIND_NOUNS.items()])
        self.kinds.changed.connect(self._search)
        self.easiest = self._number("Easiest difficulty", _NO_DIFFICULTY, HARDEST, "from any", "from ")
        self.hardest = self._number("Hardest difficulty", _NO_DIFFICULTY, HARDEST, "to any", "to ")
        self.first = self._number("First year", _NO_YEAR, 2099, "from any", "from ")
        self.last = self._number("Last year", _NO_YEAR, 2099, "to any", "to ")
        self.found = plain_label(HELP)
        self.list = TwoLineList(theme, "Texts that were found")
        self.list.chosen.connect(self._show_hit)
        self.list.wanted.connect(self._open)
        self.view = QuestionView(theme, "The text that was found")
        self.open_button = outlined("Open the tossup", lambda: self._open(self._current))
        self.cite_button = outlined("Cite as source", self._cite)
        self.cite_button.setToolTip("Add this text as the source of the clue at the cursor")
        self.copy_button = outlined("Copy", self._copy)
        self._build_layout()
        self._soon = SingleShot(self, TYPING_MS, self._search)
        for line in (self.words, self.answer, self.category, self.set):
            line.textChanged.connect(self._soon.start)
            line.returnPressed.connect(self._search)
        for number in (self.easiest, self.hardest, self.first, self.last):
            number.valueChanged.connect(self._soon.start)
        QShortcut(QKeySequence("Escape"), self, self._clear_or_close)
        QShortcut(QKeySequence("Ctrl+W"), self, self.close)
        for key in ("Ctrl+F", "Ctrl+Shift+F"):
            QShortcut(QKeySequence(key), self, self._focus_words)
        down = QShortcut(QKeySequence("Down"), self.words, self.list.setFocus)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        theme.follow(self._apply_theme)
        self._show_hit(-1)

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = SearchField(self._theme, placeholder, name=name)
        line.setToolTip(plain_tooltip(name))
        return line

    def _number(self, name: str, nothing: int, most: int, special: str, prefix: str) -> QSpinBox:
        box = number_box(name, nothing, most, special=special, tip=name)
        box.setPrefix(prefix)
        box.setMinimumHeight(_BOX_HEIGHT)
        box.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        return box

    def _build_layout(self) -> None:
        self._column = column = column_of(self.words, on=self, margins=(12, 12, 12, 12), spacing=8)
        names = row_of((self.answer, 1), (self.set, 1), (self.category, 1), self.kinds, spacing=8)
        difficulty, year = plain_label("Difficulty", wrap=False), plain_label("Year", wrap=False)
        numbers = WrappingLayout(
            (difficulty, self.easiest, self.hardest, year, self.first, self.last), spacing=8
        )
        column.addLayout(names)
        column.addLayout(numbers)
        column.addWidget(self.found)
        right = QWidget()
        detail = column_of((self.view, 1), on=right, margins=(16, 0, 0, 0))
        buttons = row_of(STRETCH, self.open_button, self.copy_button, self.cite_button)
        detail.addLayout(buttons)
        self._split = split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(self.list)
        split.addWidget(right)
        split.setSizes([420, 520])
        column.addWidget(split, 1)
        split.hide()
        self.setMinimumWidth(620)
        self._size = QSize(980, 640)
        self.resize(self._size)

    # -- from start to end

    def present(self, words: str = "") -> None:
        if words:
            self.words.setText(words)
        if self._split.isHidden():
            self.setFixedHeight(self._column.totalHeightForWidth(self.width()))
        self.show()
        self.activateWindow()
        self._focus_words()
        self._search()

    @property
    def place(self) -> WindowPlace:
        """What the window looks for, to be looked for again by :meth:`restore_place`."""
        frame = WindowFrame.of(self)
        if self._split.isHidden():  # nothing was searched yet: the height is that of the empty window
            frame = replace(frame, height=self._size.height())
        return WindowPlace("search", frame, texts={name: line.text() for name, line in self._lines.items()})

    def restore_place(self, place: WindowPlace) -> None:
        if place.frame is not None:
            self.setMaximumHeight(LARGEST_HEIGHT)  # it is low before the first search
            place.frame.apply(self)
            self._size = self.size()
        for name, line in self._lines.items():
            line.setText(place.texts.get(name, ""))
        self.present()

    @property
    def _lines(self) -> dict[str, QLineEdit]:
        return {"words": self.words, "answer": self.answer, "category": self.category, "set": self.set}

    def shutdown(self) -> None:
        self.close()
        stop_background(self)
        self.deleteLater()

    def use_engine(self) -> None:
        if self.isVisible():
            self._search()

    def _focus_words(self) -> None:
        self.words.setFocus()
        self.words.selectAll()

    def _clear_or_close(self) -> None:
        if self.words.hasFocus() and self.words.text():
            self.words.clear()
        else:
            self.close()

    # -- the search

    @property
    def filter(self) -> QuestionFilter:
        def number(box: QSpinBox) -> int | None:
            return None if box.value() == box.minimum() else box.value()

        return QuestionFilter(
            kinds=frozenset(QuestionKind(path[0]) for path in self.kinds.chosen),
            answer=self.answer.text().strip(),
            category=self.category.text().strip(),
            tournament=self.set.text().strip(),
            first_year=number(self.first),
            last_year=number(self.last),
            easiest=number(self.easiest),
            hardest=number(self.hardest),
        )

    def _search(self) -> None:
        self._soon.stop()
        engine, words, wanted = self._engine(), self.words.text().strip(), self.filter
        if engine is None:
            self._show_nothing(NO_ENGINE)
            return
        asked = (engine.digest, words, wanted)
        if not words and wanted == EVERY_QUESTION:
            self._show_nothing(HELP)
            return
        if asked == self._asked:
            return
        self._asked = asked

        self._jobs.ask(
            lambda _: self._app.past.search(engine, words, wanted, limit=MOST_HITS),
            self._show,
            self._show_nothing,
            still=lambda: asked == self._asked,
        )

    def _show_nothing(self, why: str) -> None:
        self._asked = None
        self._hits = ()
        self.found.setText(why)
        self.list.show_rows(())
        self._show_hit(-1)

    def _show(self, result: SearchResult) -> None:
        if self._split.isHidden():  # until now there was nothing to show
            self._split.show()
            self.setMinimumHeight(420)
            self.setMaximumHeight(LARGEST_HEIGHT)
            self.resize(self._size.expandedTo(self.size()))
        self._hits = result.hits
        said = result_sentence(result)
        if result.count > len(result.hits):
            said += f" The first {len(result.hits)} are listed."
        self.found.setText(said)
        self.list.show_rows([_row(hit) for hit in result.hits], 0 if result.hits else -1)
        self._show_hit(0 if result.hits else -1)

    # -- one hit

    @property
    def _current(self) -> int:
        return self.list.currentIndex().row()

    def _hit(self, number: int) -> SearchHit | None:
        return self._hits[number] if 0 <= number < len(self._hits) else None

    def _show_hit(self, number: int) -> None:
        hit = self._hit(number)
        if hit is None:
            self.view.show_nothing()
        else:
            self.view.show_hit(hit)
            self.view.verticalScrollBar().setValue(0)
        self.open_button.setVisible(hit is not None and bool(hit.tossup_id))
        for button in (self.copy_button, self.cite_button):
            button.setEnabled(hit is not None)
        self.cite_button.setVisible(hit is None or not hit.tossup_id)

    def _open(self, number: int) -> None:
        hit = self._hit(number)
        if hit is not None and hit.tossup_id:
            self.opened.emit(hit.tossup_id)

    def _cite(self) -> None:
        hit = self._hit(self._current)
        if hit is not None:
            self.cited.emit(_where(hit), _context(hit))

    def _copy(self) -> None:
        hit = self._hit(self._current)
        if hit is not None:
            line = f"\nANSWER: {hit.question.line}" if hit.question is not None else ""
            QGuiApplication.clipboard().setText(f"{hit.text}{line}\n[{_where(hit)}]")

    def _apply_theme(self) -> None:
        fill_background(self, self._theme.tokens.page)


def _where(hit: SearchHit) -> str:
    """Where the text is from: a question's tournament, or an article with its page."""
    if hit.kind is QuestionKind.ARTICLE:
        return f"{hit.source}, {page_title(hit.page)}"
    return hit.source


def _row(hit: SearchHit) -> ListRow:
    start = _start(hit)
    before = "… " if start else ""
    bold = tuple(
        Span(span.start - start + len(before), span.end - start + len(before))
        for span in hit.hits
        if span.start >= start
    )
    said = question_line(hit.question) if hit.question is not None else hit.source
    yours = "your packets: " if hit.question is not None and hit.question.yours else ""
    return ListRow(before + hit.text[start:], f"{main_answer(page_title(hit.page))} · {yours}{said}", bold)


def _start(hit: SearchHit) -> int:
    if not hit.hits or hit.hits[0].start <= _AROUND:
        return 0
    return hit.text.find(" ", hit.hits[0].start - _AROUND, hit.hits[0].start) + 1


def _context(hit: SearchHit) -> str:
    """What the text says around the first word that was found."""
    start = _start(hit)
    end = hit.text.find(". ", hit.hits[-1].end if hit.hits else start)
    return hit.text[start : end + 1 if end >= 0 else len(hit.text)]
