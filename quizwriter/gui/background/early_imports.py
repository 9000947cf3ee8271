"""The modules of windows that are opened most, imported before anybody asks, one at a time in pauses.

All of a window at once would hold the window's thread for a tenth of a second, and another thread cannot
import what makes classes of widgets.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from PySide6.QtCore import QObject

from quizwriter.gui.background.timers import SingleShot

MODULES = tuple(
    f"quizwriter.{name}"
    for name in (
        "workflow.problems.rule", "workflow.problems.usage", "workflow.problems.question_form",
        "workflow.problems.rules", "workflow.people_rooms", "workflow.checks", "gui.review.status_dialog",
        "gui.queue.queue_model", "gui.queue.queue_table", "gui.queue.filter_bar", "gui.queue.bulk_actions",
        "gui.queue.queue_reader", "gui.queue.queue_window",
        "workflow.history_analysis", "gui.history.chart_drawing", "gui.history.chart_pane",
        "gui.history.players_pane", "gui.history.reread_bar", "gui.history.moves_pane",
        "gui.history.history_window",
    )
)  # fmt: skip
"""What is imported, each before what needs it."""

PAUSE_MS, BETWEEN_MS = 2_000, 100
"""How long nobody types before the first of them is imported, and then before each of the others."""


class EarlyImports(QObject):
    """Imports modules once :meth:`begin` was called; a key makes it wait for the next pause."""

    def __init__(self, parent: QObject, modules: Iterable[str] = MODULES) -> None:
        super().__init__(parent)
        self._left = list(modules)
        self._begun = False
        self._soon = SingleShot(self, PAUSE_MS, self._import_next)

    def begin(self) -> None:
        self._begun = True
        self.note_key()

    def note_key(self) -> None:
        if self._begun and self._left:
            self._soon.start()

    def _import_next(self) -> None:
        import_module(self._left.pop(0))
        if self._left:
            self._soon.start_in(BETWEEN_MS)
