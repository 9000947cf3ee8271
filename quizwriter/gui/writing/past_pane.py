"""The pane of past questions: what was asked on the draft's answer, and the clues that were used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QSplitter, QToolButton, QWidget

from quizwriter.domain.page import page_title
from quizwriter.domain.span import Span
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import FacetButton, style_facet
from quizwriter.gui.widgets.fields import scrolling
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, WrappingLayout, column_of
from quizwriter.gui.widgets.question_view import QuestionView
from quizwriter.gui.widgets.two_line_list import ListRow, TwoLineList
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.domain.past_questions import PastClue, PastQuestion, PastReport

TYPING_MS = 120
"""From the last key in the search box to the shorter list."""

MOST_SHOWN = 12
"""Questions with a clue that are shown whole, the newest of them."""

LEAST_LINES, LIST_LINES = 9, 6
"""Lines that the list has with a question below it, and alone; a lower pane scrolls as a whole."""

FEW = 8
"""Questions among which nobody needs a filter."""

_WIDE = 360  # px of the pane, from which buttons have numbers on them

NO_ANSWER = "Enter the answer to see its past questions here."
READING = "Reading the past questions…"


class PastPane(QWidget):
    """The past questions on one answer, as a list of clues or as a list of questions.

    ``cited`` carries where a question was asked that is the source of a clue, and what it says.
    """

    cited = Signal(str, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._report: PastReport | None = None
        self._top: list[QWidget] = []
        self._clues: Sequence[PastClue] = ()
        self._questions: Sequence[PastQuestion] = ()
        self._shown: list[tuple[PastQuestion, Sequence[Span]]] = []
        self.said = plain_label(NO_ANSWER)
        self.clues_button, self.questions_button = self._switch("Clues"), self._switch("Questions")
        self._views = QButtonGroup(self)
        for button in (self.clues_button, self.questions_button):
            self._views.addButton(button)
        self.clues_button.setChecked(True)
        self._views.buttonClicked.connect(lambda _: self._list())
        self.search = SearchField(theme, "Find in these", name="Find in the past questions on this answer")
        self._soon = SingleShot(self, TYPING_MS, self._list)
        self.search.textChanged.connect(self._soon.start)
        self.kinds, self.years = FacetButton(theme, "Kind"), FacetButton(theme, "Year")
        self.difficulties, self.categories = FacetButton(theme, "Difficulty"), FacetButton(theme, "Category")
        facets = (self.kinds, self.years, self.difficulties, self.categories)
        for facet in facets:
            facet.changed.connect(self._list)
            facet.setFont(theme.font(small=True))
        self._facets = QWidget()
        self._facets.setLayout(WrappingLayout(facets))
        self.list = TwoLineList(theme, "Past questions")
        self.list.chosen.connect(self._show_row)
        self.view = QuestionView(theme, "The past question", links=True)
        self.view.cite_wanted.connect(self._cite)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        self._split.addWidget(self.list)
        self._split.addWidget(self.view)
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 1)
        self._split.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        content = QWidget()
        content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._scroll = scrolling(content, sideways=False)
        for ground in (content, self._scroll.viewport()):  # the pane's own is seen
            ground.setAutoFillBackground(False)
        column_of(self._scroll, on=self, margins=NO_MARGINS, spacing=0)
        self._column = column_of(on=content, margins=(16, 12, 12, 4), spacing=8)
        bar = WrappingLayout((self.clues_button, self.questions_button, self.search), wide=self.search)
        self._column.addWidget(self.said)
        self._column.addLayout(bar)
        self._column.addWidget(self._facets)
        self._column.addWidget(self._split, 1)
        self._column.addStretch()  # without questions, what is said stays at the top
        theme.follow(self._apply_theme)
        self.view.hide()
        self.show_nothing(NO_ANSWER)

    def _switch(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.toggled.connect(lambda on: style_facet(button, self._theme, active=on))
        return button

    def add_on_top(self, widget: QWidget) -> None:
        self._column.insertWidget(0, widget)
        self._top.append(widget)

    def take_keyboard(self) -> None:
        """Give the keyboard to the list; while that is read, the pane keeps it for the list."""
        (self.list if self.list.isVisibleTo(self) else self).setFocus()

    # -- what is shown

    def show_trouble(self, trouble: str) -> None:
        """Say why the past questions cannot be read; what is on top has the same trouble to tell."""
        self.show_nothing(trouble)
        self._show_top(shown=False)

    def _show_top(self, *, shown: bool) -> None:
        for widget in self._top:
            widget.setVisible(shown)

    def show_nothing(self, why: str) -> None:
        """Show no questions, and say why."""
        self._report = None
        self._show_top(shown=True)
        self.said.setText(why)
        for widget in (self.clues_button, self.questions_button, self.search, self._facets, self._split):
            widget.hide()

    def show_report(self, report: PastReport) -> None:
        """Show the past questions on an answer, or what changed of them."""
        from quizwriter.workflow.past_wording import asked_sentence  # here and below, as no start needs it

        self._show_top(shown=True)
        same = self._report is not None and self._report.page == report.page
        if report == self._report:
            return
        if self._report is None or self._report.questions != report.questions:
            self._offer(report.questions)
        self._report = report
        self.said.setText(f"{page_title(report.page)}. {asked_sentence(report.counts)}")
        self._name_views()
        for widget in (self.clues_button, self.questions_button, self.search, self._split):
            widget.setVisible(bool(report.questions))
        if not same:
            self._soon.stop()
            with QSignalBlocker(self.search):
                self.search.clear()
            for facet in (self.kinds, self.years, self.difficulties, self.categories):
                facet.choose(())
            self.list.show_rows(())
        self._list()
        if self.hasFocus():
            self.take_keyboard()

    def _name_views(self) -> None:
        """Say on the buttons how much there is, where the pane is wide enough for that."""
        report = self._report
        wide = self.width() >= _WIDE and report is not None
        clues, questions = (len(report.clues), len(report.questions)) if report is not None else (0, 0)
        self.clues_button.setText(f"Clues · {clues}" if wide and clues else "Clues")
        self.questions_button.setText(f"Questions · {questions}" if wide else "Questions")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_views()

    def _offer(self, questions: Sequence[PastQuestion]) -> None:
        def options(values: Iterable[str], order: Callable[[str], object] = str.casefold) -> None:
            counts = Counter(values)
            facet.offer([((name,), name, counts[name]) for name in sorted(counts, key=order)])  # type: ignore[arg-type]

        facet = self.kinds
        options(_kind(question) for question in questions)
        facet = self.years
        options((_year(question) for question in questions), lambda year: -int(year) if year.isdigit() else 0)
        facet = self.difficulties
        options((_difficulty(question) for question in questions), _numbers_first)
        facet = self.categories
        options(_category(question) for question in questions)

    def _list(self) -> None:
        """List the clues or the questions that the search and the filters leave."""
        report = self._report
        if report is None:
            return
        from quizwriter.workflow.past_wording import clue_line, question_line

        clues = self.clues_button.isChecked() and bool(report.clues)
        filtered = any(facet.chosen for facet in (self.kinds, self.years, self.difficulties, self.categories))
        self._facets.setVisible((len(report.questions) >= FEW or filtered) and not clues)
        if not report.clues:
            self.questions_button.setChecked(True)
        self.clues_button.setEnabled(bool(report.clues))
        self.clues_button.setToolTip("" if report.clues else "No clue is in more than one of these questions")
        words = self.search.text().casefold().split()
        if clues:
            self._clues = [clue for clue in report.clues if _has_words(clue.example, words)]
            rows = [
                ListRow(clue.example, clue_line(clue), clue.words, clue.in_draft, "the draft has this clue")
                for clue in self._clues
            ]
        else:
            fits = self._fits(words)
            self._questions = [question for question in reversed(report.questions) if fits(question)]
            rows = [ListRow(question.text, question_line(question)) for question in self._questions]
        chosen = self.list.currentIndex().row()
        before = self.list.rows[chosen].title if 0 <= chosen < len(self.list.rows) else None
        now = next((place for place, row in enumerate(rows) if row.title == before), -1)
        self.list.setAccessibleName("Clues of past questions" if clues else "Past questions")
        self.list.show_rows(rows, now)
        self._show_row(now)

    def _fits(self, words: Sequence[str]) -> Callable[[PastQuestion], bool]:
        chosen = [
            (value, {path[0] for path in facet.chosen})
            for value, facet in (
                (_kind, self.kinds),
                (_year, self.years),
                (_difficulty, self.difficulties),
                (_category, self.categories),
            )
        ]

        def fits(question: PastQuestion) -> bool:
            return all(not wanted or value(question) in wanted for value, wanted in chosen) and _has_words(
                f"{question.text} {question.line} {question.source}", words
            )

        return fits

    def _show_row(self, number: int) -> None:
        """Show the question, or the questions that have the clue, of a row; -1: none."""
        shown = self._in_row(number)
        if shown == self._shown:
            return  # laying out takes time, and a tick in the list changes nothing here
        self._shown = shown
        self.view.setVisible(bool(shown))
        self._fit_split()
        self.view.show_questions(shown)
        self.view.verticalScrollBar().setValue(0)

    def _in_row(self, number: int) -> list[tuple[PastQuestion, Sequence[Span]]]:
        if self._report is None or number < 0:
            return []
        if not self.clues_button.isChecked():
            return [(self._questions[number], ())] if number < len(self._questions) else []
        if number >= len(self._clues):
            return []
        said = self._clues[number].said
        having = [question for question in reversed(self._report.questions) if question.number in said]
        return [(question, (said[question.number],)) for question in having[:MOST_SHOWN]]

    def _cite(self, number: int) -> None:
        for question, marked in self._in_row(self.list.currentIndex().row())[number : number + 1]:
            excerpt = marked[0].of(question.text) if marked else question.text
            self.cited.emit(question.source, excerpt)

    @property
    def summary(self) -> str:
        listed = len(self.list.rows)
        return counted_noun(listed, "clue" if self.clues_button.isChecked() else "question")

    def _apply_theme(self) -> None:
        for button in (self.clues_button, self.questions_button):
            style_facet(button, self._theme, active=button.isChecked())
        self._fit_split()

    def _fit_split(self) -> None:
        lines = LIST_LINES if self.view.isHidden() else LEAST_LINES
        self._split.setMinimumHeight(lines * self.fontMetrics().lineSpacing())


def _has_words(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _kind(question: PastQuestion) -> str:
    from quizwriter.domain.past_questions import QuestionKind

    kind = "Tossup" if question.kind is QuestionKind.TOSSUP else "Bonus part"
    return f"{kind} of your packets" if question.yours else kind


def _year(question: PastQuestion) -> str:
    return str(question.year) if question.year is not None else "No year"


def _difficulty(question: PastQuestion) -> str:
    return str(question.difficulty) if question.difficulty is not None else "Not known"


def _category(question: PastQuestion) -> str:
    return question.category or "No category"


def _numbers_first(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (1_000, name)
