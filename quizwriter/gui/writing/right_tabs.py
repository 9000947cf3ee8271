"""The right column beside the draft: tabs of which one is open, *Evidence*, *Past questions*, *What if* or
*Comments*. The guesses are above the evidence; each of the others has the whole column.

Nothing here knows what stands in the tabs, but for the numbers that tabs carry.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontInfo, QIcon, QResizeEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from quizwriter.gui.theme import Theme, restyle
from quizwriter.gui.widgets.icons import SIDE, Icon, themed_icon
from quizwriter.workflow.wording import counted_noun

_CLOSE_TABS = "QTabBar::tab { padding: 6px 4px; }"
_NARROW_TABS = "QTabBar { font-size: %dpx; } " + _CLOSE_TABS


class RightTabs(QTabWidget):
    """Guesses with their evidence, past questions, what if and comments, one of them in sight.

    The tab that the writer chose stays chosen: what the program shows for the tossup that is open, such as
    the comment somebody clicked on, gives way to it again with :meth:`return_to_choice`. ``switched`` carries
    the widget that came into sight.
    """

    switched = Signal(QWidget)

    def __init__(
        self, theme: Theme, evidence: QWidget, past: QWidget, what_if: QWidget, comments: QWidget
    ) -> None:
        super().__init__()
        self.evidence, self.past, self.what_if, self.comments = evidence, past, what_if, comments
        self._names = {"evidence": evidence, "past questions": past, "what if": what_if, "comments": comments}
        self._evidence_page = evidence  # or what it is in
        self._chosen = evidence
        self._theme = theme
        self._said_of_comments: tuple[int, bool] | None = None
        self.setDocumentMode(True)
        self.setAccessibleName("Guesses, past questions, what if and comments")
        self.addTab(past, "Past questions")
        self.addTab(what_if, "What if")
        self.addTab(comments, "Comments")
        self._past_count: int | None = None
        self.tabBar().setExpanding(False)
        self.tabBar().setAccessibleName("Evidence, past questions, what if and comments")
        self.tabBarClicked.connect(self._choose_tab)
        self.currentChanged.connect(self._switch)
        self.show_comment_count(0)
        self.show_past_count(0)
        for follow in (self._mark_unsent, self._name_past):
            theme.changed.connect(follow)

    def hold_evidence_in(self, page: QWidget) -> RightTabs:
        """Have ``page``, in which the evidence is, as the first tab."""
        self._evidence_page = page
        self.insertTab(0, page, "Evidence")
        self.setTabToolTip(0, "The evidence for the guesses of the players (Ctrl+E or Ctrl+Alt+1)")
        self.setCurrentIndex(0)
        return self

    @property
    def shown(self) -> QWidget:
        """What is in sight: the evidence, the past questions, what if or the comments."""
        return self._inside(self.currentIndex())

    def _inside(self, place: int) -> QWidget:
        page = self.widget(place)
        return self.evidence if page is None or page is self._evidence_page else page

    def _turn_to(self, widget: QWidget) -> None:
        self.setCurrentWidget(self._evidence_page if widget is self.evidence else widget)

    @property
    def chosen_name(self) -> str:
        """The name of the tab that the writer chose, for :meth:`choose_name` at the next start."""
        return next(name for name, widget in self._names.items() if widget is self._chosen)

    def choose_name(self, name: str) -> None:
        if name in self._names:
            self.choose(self._names[name])

    def choose(self, widget: QWidget) -> None:
        """Show the tab of ``widget``, because the writer chose it."""
        self._chosen = widget
        self._turn_to(widget)

    def show_for_now(self, widget: QWidget) -> None:
        """Show the tab of ``widget`` as long as this tossup is open, or until the writer chooses."""
        self._turn_to(widget)

    def return_to_choice(self) -> None:
        self._turn_to(self._chosen)

    def show_comment_count(self, open_threads: int, *, unsent: bool = False) -> None:
        """Show in the tab how many threads are open, and whether a comment is not sent yet."""
        if self._said_of_comments == (open_threads, unsent):
            return  # as whenever a tossup without comments opens: to fit the tabs takes two style sheets
        self._said_of_comments = open_threads, unsent
        place = self.indexOf(self.comments)
        self.setTabText(place, f"Comments · {open_threads}" if open_threads else "Comments")
        self._mark_unsent()
        said = counted_noun(open_threads, "open thread") if open_threads else "No open comments"
        self._name_past()
        waits = "; your last comment is not sent yet" if unsent else ""
        self.setTabToolTip(place, f"{said}{waits} (Ctrl+Shift+M or Ctrl+Alt+4)")
        self.setTabToolTip(
            self.indexOf(self.what_if),
            "How the buzzes change if a clue is removed, moved or rephrased (Ctrl+Alt+3)",
        )

    def _mark_unsent(self) -> None:
        """Put a pencil on the tab of the comments while a comment is not sent."""
        side = self._theme.px(SIDE)
        self.setIconSize(QSize(side, side))
        _, unsent = self._said_of_comments or (0, False)
        icon = themed_icon(Icon.UNSENT, self._theme) if unsent else QIcon()
        self.setTabIcon(self.indexOf(self.comments), icon)

    def show_past_count(self, questions: int) -> None:
        """Have the tab say how many past questions have the draft's answer."""
        if questions == self._past_count:
            return
        self._past_count = questions
        place = self.indexOf(self.past)
        self._name_past()
        said = counted_noun(questions, "past question") if questions else "No past questions"
        self.setTabToolTip(place, f"{said} on this answer, and their clues (Ctrl+Alt+2)")

    def _name_past(self) -> None:
        """Name the tab of the past questions as long as there is room for it; else the tabs stand closer."""
        place, bar = self.indexOf(self.past), self.tabBar()
        number = f" · {self._past_count:,}" if self._past_count else ""
        small = _NARROW_TABS % round(0.86 * QFontInfo(self.font()).pixelSize())
        for name, style in (
            (f"Past questions{number}", ""), (f"Past{number}", ""), (f"Past{number}", _CLOSE_TABS),
            (f"Past{number}", small), ("Past", small),
        ):  # fmt: skip
            self.setTabText(place, name)
            restyle(bar, style)
            if sum(bar.tabRect(tab).width() for tab in range(bar.count())) <= self.width():
                break

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_past()

    def _choose_tab(self, place: int) -> None:
        if self.widget(place) is not None:  # the bar beside the tabs has none
            self._chosen = self._inside(place)

    def _switch(self, place: int) -> None:
        if self.widget(place) is None:
            return  # the last tab went
        if self.tabBar().hasFocus():  # the arrow keys move between tabs
            self._chosen = self.shown
        self.switched.emit(self.shown)
