"""The pane under the guesses: tabs of which the writer chooses one, *Evidence* or *Comments*.

Nothing here knows what stands in the tabs, but for the number that the tab of the comments carries.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from quizwriter.workflow.wording import counted_noun


class LowerPane(QTabWidget):
    """Evidence and comments, one of them in sight.

    The tab that the writer chose stays chosen: what the program shows for the tossup that is open, such as
    the comment somebody clicked on, gives way to it again with :meth:`return_to_choice`. ``switched`` carries
    the widget that came into sight.
    """

    switched = Signal(QWidget)

    def __init__(self, evidence: QWidget, comments: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.evidence, self.comments = evidence, comments
        self._chosen = evidence
        self.setDocumentMode(True)
        self.setAccessibleName("Evidence and comments")
        self.addTab(evidence, "Evidence")
        self.addTab(comments, "Comments")
        self.tabBar().setExpanding(False)
        self.tabBar().setAccessibleName("Evidence and comments")
        self.tabBarClicked.connect(self._choose_tab)
        self.currentChanged.connect(self._switch)
        self.show_comment_count(0)

    def choose(self, widget: QWidget) -> None:
        """Show the tab of ``widget``, because the writer chose it."""
        self._chosen = widget
        self.setCurrentWidget(widget)

    def show_for_now(self, widget: QWidget) -> None:
        """Show the tab of ``widget`` as long as this tossup is open, or until the writer chooses."""
        self.setCurrentWidget(widget)

    def return_to_choice(self) -> None:
        """Show what the writer chose last."""
        self.setCurrentWidget(self._chosen)

    def show_comment_count(self, open_threads: int, *, unsent: bool = False) -> None:
        """Have the tab say how much is said of the tossup that is not settled, and whether a draft waits."""
        place = self.indexOf(self.comments)
        self.setTabText(place, f"Comments · {open_threads}" if open_threads else "Comments")
        if unsent:
            self.setTabText(place, f"{self.tabText(place)} ✎")
        said = counted_noun(open_threads, "open thread") if open_threads else "No open comments"
        waits = "; your last comment is not sent yet" if unsent else ""
        self.setTabToolTip(place, f"{said}{waits} (Ctrl+Shift+M)")
        self.setTabToolTip(
            self.indexOf(self.evidence), "The evidence for the guesses of the players (Ctrl+E)"
        )

    def _choose_tab(self, place: int) -> None:
        widget = self.widget(place)
        if widget is not None:
            self._chosen = widget

    def _switch(self, place: int) -> None:
        widget = self.widget(place)
        if widget is not None and self.tabBar().hasFocus():  # the arrow keys move between tabs
            self._chosen = widget
        self.switched.emit(widget)
