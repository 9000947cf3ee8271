"""The problems of the open draft: found after each pause, listed, underlined, fixed and dismissed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from quizwriter.domain.history import Edit
from quizwriter.domain.review import Dismissed
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.errors import QuizwriterError
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.background.jobs import Jobs, give_way
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.writing.draft_marks import Underline, UnderlinedStretch, untouched_span
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.problem_list import ProblemList, ProblemRow
from quizwriter.workflow.session import WritingSession

if TYPE_CHECKING:
    from quizwriter.services.problems import Surroundings
    from quizwriter.workflow.problems.rule import Inspection, Problem, SpellingChecker
    from quizwriter.workflow.problems.rules import PlacedDismissal

PAUSE_MS = 105
"""The pause in typing, in ms, after which problems are looked for; they shall be there after 150.

Ten keys a second leave 100 ms between them: a search in every gap took the window's turns from the next key.
"""

FIRST_LOOK_MS = 1_000
"""The longest time, in ms, until a new window looks for problems: the first guesses come before them."""

OWNER = "problems"
"""Whose underlines in the draft these are."""

LONGEST_UNDERLINE = 60
"""Characters that are underlined at most: a whole sentence is only framed while it is the current problem."""


class FoundProblems(msgspec.Struct, frozen=True):
    """What was found in one text: the problems that count, and those that somebody dismissed, with that."""

    problems: tuple[Problem, ...] = ()
    dismissed: tuple[tuple[Problem, PlacedDismissal], ...] = ()

    @property
    def every(self) -> tuple[Problem, ...]:
        return (*self.problems, *(problem for problem, _ in self.dismissed))

    def after(self, edit: Edit) -> FoundProblems:
        """What is left of it after ``edit``: what the edit touches has to be found again."""

        def moved(problem: Problem) -> Problem | None:
            if problem.in_answer or problem.of_whole:
                return problem
            span = untouched_span(problem.span, edit)
            return None if span is None else replace(problem, span=span)

        return FoundProblems(
            tuple(new for one in self.problems if (new := moved(one)) is not None),
            tuple((new, why) for one, why in self.dismissed if (new := moved(one)) is not None),
        )


NOTHING_FOUND = FoundProblems()

SEEN_AT_REST = frozenset({"spelling"})
"""Rules whose problems are underlined also while nobody looks for problems."""

OF_WHOLE_TOSSUPS = frozenset({"answer", "fps", "length", "no_type"})
"""Rules whose problems are none yet in a draft that is short and has not come to its last sentence."""

_Result: TypeAlias = "tuple[Surroundings, FoundProblems, SpellingChecker | None]"


class ProblemsController(QObject):
    """Finds the problems of the open draft off the window's thread, and does what the writer wants of them.

    ``found`` carries the generation of the draft whose problems are shown now, ``sheet_changed`` the style
    sheet of the tossup's set if it is another one. ``list`` is for the window to place.
    """

    found = Signal(int)
    sheet_changed = Signal(object)

    def __init__(
        self, context: WindowContext, analysis: AnalysisController, review_actions: ReviewActions
    ) -> None:
        super().__init__(context.window)
        panes, self._app, self._theme = context.panes, context.app, context.theme
        self._analysis, self._save, self._review_actions = analysis, context.save, review_actions
        self._draft, self._answer = panes.draft, panes.answer
        self._status, self._messages = panes.status, panes.messages
        self._session = WritingSession("")
        self._surroundings: Surroundings | None = None  # None: to be read
        self._wanted = 0  # how often they were to be read anew: what an older reading finds is not kept
        self._found = NOTHING_FOUND
        self._speller: SpellingChecker | None = None  # what doubted the words
        self.sheet = STANDARD_STYLE
        """The style sheet of the tossup's set, as it was read last."""
        self._visited: Problem | None = None  # the one that is framed in the draft
        self._busy = self._again = False  # whether a job runs, and whether another is wanted after it
        self._jobs = Jobs("problems", self)
        self.menu: QMenu | None = None
        self.list = ProblemList(context.theme)
        self._look_soon = SingleShot(self, PAUSE_MS, self._look)
        self._looked = False
        self._has_dictionaries = False
        self._first_look = SingleShot(self, FIRST_LOOK_MS, self._look)
        self._draft.edited.connect(self._take_edit)
        self._answer.changed.connect(self._follow)
        analysis.completed.connect(self._follow)
        analysis.painted.connect(self._read_dictionaries)
        review_actions.changed.connect(lambda _: self.read())
        review_actions.count_problems = lambda key: (
            len(self.problems) if key == self._session.tossup_id else 0
        )
        self._status.problems.clicked.connect(self.toggle)
        self.list.chosen.connect(self._choose)
        self.list.visited.connect(self._visit)
        self.list.fix_wanted.connect(self._fix_current)
        self.list.dismissal_wanted.connect(self._dismiss_current)
        self.list.return_wanted.connect(self._return_current)
        self.list.style_wanted.connect(self.edit_style_sheet)
        self.list.opened.connect(self._underline)
        self.list.closed.connect(self._leave)

    # -- what the draft is

    def open(self, session: WritingSession) -> None:
        self._session = session
        self._show(NOTHING_FOUND, count=False)
        self._status.show_problems(None)
        self._visited = None
        if self._looked:
            self.read()
        else:
            self._surroundings = None
            self._first_look.start()
            self._read_sheet()

    def _read_sheet(self) -> None:
        """Read the style sheet before all else: the players buzz by it, and the goal is of it."""
        session = self._session

        self._jobs.ask(
            lambda _: self._app.problems.sheet_of(session.tossup_id),
            self._show_sheet,
            still=lambda: session is self._session and not self._looked,
        )

    def _read_dictionaries(self) -> None:
        """Have the dictionaries read once the first guesses are painted, and not when the writer types."""
        if not self._has_dictionaries:
            self._has_dictionaries = True
            self._jobs.ask(lambda _: self._app.problems.read_dictionaries(), lambda _: None)

    def read(self) -> None:
        """Read anew what is known around the tossup: its set, its style sheet, what was dismissed."""
        self._surroundings = None
        self._wanted += 1
        self._look()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems that are shown, without those that were dismissed."""
        return self._found.problems

    def _take_edit(self, edit: Edit, _: str) -> None:
        self._found = self._found.after(edit)  # the draft moves its underlines itself
        self._visited = None
        self._follow()

    def _follow(self, _: object = None) -> None:
        """Look for problems once the typing pauses."""
        self._look_soon.start()

    def _look(self) -> None:
        """Have the problems found in a job; while one runs, after it."""
        self._look_soon.stop()
        self._first_look.stop()
        self._looked = True
        if self._busy:
            self._again = True
            return
        self._busy, self._again = True, False
        session, tossup, around = self._session, self._session.tossup, self._surroundings
        wanted = self._wanted
        key, generation, plays = session.tossup_id, session.generation, tuple(self._analysis.current_plays)
        engine, answer_styles = self._analysis.engine, session.answer_styles
        whole = not self._analysis.games_to_come  # some rules are about the players' games

        def do(_: object) -> _Result:
            known = around if around is not None else self._app.problems.surroundings(key)
            inspection = self._app.problems.spelt(known.inspection(key, tossup), engine, known)
            pages = None if engine is None else engine.pages
            found = _find(known, replace(inspection, plays=plays, pages=pages, answer_styles=answer_styles))
            return known, found, inspection.spelling

        def then(result: _Result) -> None:
            if session is self._session:
                if wanted == self._wanted:
                    self._surroundings = result[0]
                    self._show_sheet(result[0].sheet)
                if generation == session.generation:
                    self._speller = result[2]
                    self._show(result[1], count=whole)
                    self.found.emit(generation)
            ended()

        def ended(_: str = "") -> None:
            self._busy = False
            if self._again:
                self._look()

        self._jobs.ask(do, then, ended)

    def _show_sheet(self, sheet: StyleSheet) -> None:
        """Say which style sheet the tossup has now, if it is another."""
        if sheet != self.sheet:
            self.sheet = sheet
            self.sheet_changed.emit(sheet)

    def _show(self, found: FoundProblems, *, count: bool) -> None:
        """List what was found, and ``count`` it if nothing else can be found in the same text."""
        titles = _rule_titles() if found.every else {}
        self._found = found
        if self._visited is not None and self._visited not in found.every:
            self._visited = None
        self.list.show_rows(
            [
                *(ProblemRow(one.sentence, titles[one.rule], one.fix) for one in found.problems),
                *(
                    ProblemRow(one.sentence, titles[one.rule], one.fix, why.body.reason or "no reason")
                    for one, why in found.dismissed
                ),
            ]
        )
        if count:
            self._status.show_problems(len(found.problems) if self._session.tossup.text.strip() else None)
        self._underline()

    def _underline(self) -> None:
        """Underline all problems while the list is open, and else those that a word processor shows."""
        stretches = []
        for one in self._found.problems:
            if not self.list.is_open and one.rule not in SEEN_AT_REST and one != self._visited:
                continue
            current = one == self._visited
            short = len(one.words) <= LONGEST_UNDERLINE and not one.of_whole and not one.in_answer
            if short or (current and not one.in_answer):
                stretches.append(UnderlinedStretch(one.span, Underline.WAVY, one.sentence, current))
        self._draft.show_underlined(OWNER, stretches)

    # -- going from one to the next

    def toggle(self) -> None:
        if self.list.is_open:
            self.list.close_list()
            return
        self.list.open_list()
        if self.list.current < 0 and self.list.rows:
            self.list.make_current(0)
        self.list.tree.setFocus()

    def step(self, by: int, rule: str = "") -> None:
        """Go to the next problem from the cursor, or with -1 to the one before; they go round.

        With a ``rule``, to the next that it finds.
        """
        self.list.open_list()
        every = self._found.problems
        places = [number for number, one in enumerate(every) if rule in ("", one.rule)]
        if not places:
            return
        if self._visited in every:
            now = every.index(self._visited)
            ahead = [number for number in places if (number > now if by > 0 else number < now)]
        else:
            at = self._draft.selected.start
            later = (number for number, one in enumerate(every) if not one.of_whole and one.span.start >= at)
            now = next(later, len(every))
            ahead = [number for number in places if (number >= now if by > 0 else number < now)]
        self._go_to((ahead or places)[0 if by > 0 else -1])

    def _choose(self, number: int) -> None:
        self._go_to(number)

    def _visit(self, number: int) -> None:
        self._go_to(number)
        problem = self._problem(number)
        if problem is not None and problem.in_answer:
            self._answer.line.setFocus()
        else:
            self._draft.setFocus()

    def _problem(self, number: int) -> Problem | None:
        every = self._found.every
        return every[number] if 0 <= number < len(every) else None

    def _go_to(self, number: int) -> None:
        problem = self._problem(number)
        if problem is None:
            return
        self._visited = problem
        self.list.make_current(number)
        if not problem.of_whole and not problem.in_answer:
            self._draft.select(problem.span)
        self._underline()

    def _leave(self) -> None:
        self._visited = None
        self._underline()
        self._draft.setFocus()

    # -- fixing and dismissing

    def offer(self) -> None:
        """Offer what can be done about the problem at the cursor, or else about the current one."""
        problem = self._at_cursor()
        if problem is None:
            elsewhere = "There is no problem here. F8 goes to the next one."
            self._messages.show_message(
                "problems", elsewhere if self._found.every else "There are no problems.", brief=True
            )
            return
        self._visited = problem
        self.list.make_current(self._found.every.index(problem))
        self._underline()
        menu = QMenu(self._draft)
        title = menu.addAction(problem.sentence.replace("&", "&&"))
        title.setEnabled(False)
        if problem.fix is not None:
            told = "Delete it" if not problem.fix.strip() else f"Change to “{problem.fix.strip()}”"
            menu.setDefaultAction(menu.addAction(told.replace("&", "&&"), partial(self._fix, problem)))
        if problem.rule == "spelling":
            self._offer_words(menu, problem)
        menu.addAction("Dismiss with a reason…", partial(self._dismiss, problem))
        menu.addAction("Switch this rule off in the set", partial(self._switch_off, problem))
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        menu.setActiveAction(menu.actions()[1])
        menu.popup(self._draft.viewport().mapToGlobal(self._draft.cursorRect().bottomLeft()))

    def _offer_words(self, menu: QMenu, problem: Problem) -> None:
        """What else may be meant, and to take the word as right."""
        told = self._speller.suggestions(problem.words) if self._speller is not None else ()
        for word in told:
            if word == problem.fix:
                continue
            menu.addAction(f"Change to “{word}”", partial(self._fix, replace(problem, fix=word)))
        menu.addAction("Add to the words of the set", partial(self._add_to_set, problem.words))
        menu.addAction("Add to my words", partial(self._add_to_own, problem.words))

    def _add_to_set(self, word: str) -> None:
        around = self._surroundings
        if around is not None:
            self._save()
            self._review_actions.run(
                lambda: self._app.problems.say_words(around.set_name, {word: True}), f"the word “{word}”", 1
            )

    def _add_to_own(self, word: str) -> None:
        try:
            self._app.problems.add_own_word(word)
        except QuizwriterError as trouble:
            self._messages.show_message("problems", f"{trouble.problem} {trouble.remedy}")
        self._look()

    def _at_cursor(self) -> Problem | None:
        selected = self._draft.selected
        touched = [
            one
            for one in self._found.problems
            if not one.in_answer
            and not one.of_whole
            and one.span.start <= max(selected.end, selected.start)
            and one.span.end >= selected.start
        ]
        if touched:
            return min(touched, key=lambda one: (one != self._visited, one.span.end - one.span.start))
        if self._visited in self._found.problems:
            return self._visited
        return None

    def _fix_current(self) -> None:
        problem = self._problem(self.list.current)
        if problem is not None:
            self._fix(problem)

    def _fix(self, problem: Problem) -> None:
        if problem.fix is None or problem.span.of(self._draft.text) != problem.words:
            return
        if self._draft.isReadOnly():
            self._draft.refused_edit.emit()
            return
        self._draft.make(Edit(problem.span.start, problem.words, problem.fix))

    def _dismiss_current(self) -> None:
        problem = self._problem(self.list.current)
        if problem is not None:
            self._dismiss(problem)

    def _dismiss(self, problem: Problem) -> None:
        from quizwriter.gui.review.status_dialog import LineDialog  # late: not needed at start

        question = f"{problem.sentence}\nWhy is this not a problem here?"
        dialog = LineDialog(
            self._theme, "Dismiss a problem", question, action="Dismiss", parent=self._draft.window()
        )
        dialog.entered.connect(partial(self._record_dismissal, self._session, problem))
        dialog.open()

    def _record_dismissal(self, session: WritingSession, problem: Problem, reason: str) -> None:
        span = problem.span
        self._save()  # what is dismissed is in a text that is kept
        if not problem.in_answer and span.of(session.tossup.text) != problem.words:
            told = "These words have changed, so the problem is not dismissed."
            self._messages.show_message("problems", told, brief=True)
            return
        seq = session.request().seq
        place = Span(0, 0) if problem.in_answer else span
        body = Dismissed(problem.rule, reason, seq, place.start, place.end, problem.words, problem.in_answer)
        self._review_actions.record([session.tossup_id], body, "one more dismissed problem")

    def _return_current(self) -> None:
        at = self.list.current - len(self._found.problems)
        if 0 <= at < len(self._found.dismissed):
            event = self._found.dismissed[at][1].event
            self._review_actions.run(
                lambda: self._app.review.take_back([event]), "one dismissed problem fewer", 1
            )

    # -- the style sheet of the set

    def edit_style_sheet(self) -> None:
        from quizwriter.gui.dialogs.set_style import StyleSheetDialog  # late: not needed at start

        around = self._surroundings
        if around is None:
            return
        players = self._analysis.bundle_players
        dialog = StyleSheetDialog(self._theme, around.set_name, around.sheet, players, self._draft.window())
        dialog.saved.connect(partial(self._save_sheet, around.set_name))
        dialog.open()

    def _switch_off(self, problem: Problem) -> None:
        around = self._surroundings
        if around is not None:
            others = tuple(name for name in around.sheet.changed if name != problem.rule)
            # one that the sheet had turned on is off again without it
            changed = others if others != around.sheet.changed else (*others, problem.rule)
            self._save_sheet(around.set_name, replace(around.sheet, changed=changed))

    def _save_sheet(self, set_name: str, sheet: StyleSheet) -> None:
        self._save()
        self._review_actions.run(
            lambda: self._app.problems.choose_style(set_name, sheet), "another style sheet", 2
        )


def _rule_titles() -> dict[str, str]:
    from quizwriter.workflow.problems.rules import RULES  # here, as a start needs no rule

    return {rule.name: rule.title for rule in RULES.values()}


def _find(around: Surroundings, inspection: Inspection) -> FoundProblems:
    """The problems of a tossup, in the thread of a job."""
    from quizwriter.workflow.problems.rules import dismissal_of, find_problems

    if not inspection.tossup.text.strip():
        return NOTHING_FOUND  # an empty draft is no problem, though most writers name the answer first
    problems = find_problems(inspection, give_way=give_way)
    begun = len(inspection.tossup.words) < inspection.sheet.shortest
    if begun and any(one.rule == "fps" for one in problems):
        problems = tuple(
            one
            for one in problems
            if one.rule not in OF_WHOLE_TOSSUPS and not (one.rule == "power" and one.of_whole)
        )
    placed = around.dismissals(inspection.tossup)
    counted, dismissed = [], []
    for one in problems:
        why = dismissal_of(one, placed)
        if why is None:
            counted.append(one)
        else:
            dismissed.append((one, why))
    return FoundProblems(tuple(counted), tuple(dismissed))
