"""The bar over the queue: a search box, the facets, and filters that are saved under a name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from quizwriter.domain.review import Consent, Person, Status
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.queue.filters import MoreFiltersButton
from quizwriter.gui.review.category_menu import tick_action
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import FacetButton, style_facet
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import QueueFacets, QueueFilter, person_name
from quizwriter.workflow.wording import sentence

TYPING_MS = 120
"""From the last key in the search box to the query."""


class FilterBar(QWidget):
    """What narrows the queue; ``changed`` says that :attr:`filter` is another one and shows at once."""

    changed = Signal()

    def __init__(self, app: App, theme: Theme, messages: MessageBars, parent: QWidget) -> None:
        super().__init__(parent)
        self._app, self._theme, self._messages = app, theme, messages
        self._tossups: tuple[str, ...] = ()  # the only ones that are wanted, where a sample is shown
        self.search = SearchField(theme, "Search answers and texts")
        self.search.setToolTip("Search answers and texts (Ctrl+F)")
        self._search_soon = SingleShot(self, TYPING_MS, self.changed.emit)
        self.search.textChanged.connect(self._search_soon.start)
        self.set_facet, self.category_facet = FacetButton(theme, "Set"), FacetButton(theme, "Category")
        self.status_facet, self.author_facet = FacetButton(theme, "Status"), FacetButton(theme, "Author")
        self.consent_facet = FacetButton(theme, "Consent")
        self.more = MoreFiltersButton(theme)
        self.clear_button = QToolButton()
        self.clear_button.setText("Clear")
        self.clear_button.setToolTip("Show all tossups")
        self.clear_button.clicked.connect(lambda: self.use_filter(QueueFilter()))
        self._saved = QToolButton()
        self._saved.setText("Saved filters")
        self._saved.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self._saved)
        menu.aboutToShow.connect(self._fill_saved)
        self._saved.setMenu(menu)
        facets = (
            self.set_facet, self.category_facet, self.status_facet, self.consent_facet, self.author_facet,
            self.more,
        )  # fmt: skip
        for facet in facets:
            facet.changed.connect(self.changed)
        row = WrappingLayout(
            (self.search, *facets, self.clear_button, self._saved), wide=self.search, spacing=8
        )
        row.setContentsMargins(12, 12, 12, 8)
        self.setLayout(row)
        theme.follow(self._apply_theme)

    @property
    def filter(self) -> QueueFilter:
        return self.more.put_into(
            QueueFilter(
                text=self.search.text().strip(),
                sets=tuple(path[0] for path in self.set_facet.chosen),
                statuses=tuple(Status(path[0]) for path in self.status_facet.chosen),
                categories=self.category_facet.chosen,
                consents=tuple(Consent(path[0]) for path in self.consent_facet.chosen),
                tossups=self._tossups,
                authors=tuple(path[0] for path in self.author_facet.chosen),
            )
        )

    @property
    def narrows(self) -> bool:
        """Whether the filter may leave any tossup out."""
        return self.filter != QueueFilter()

    def use_filter(self, queue_filter: QueueFilter) -> None:
        with QSignalBlocker(self.search):
            self.search.setText(queue_filter.text)
        self.set_facet.choose([(name,) for name in queue_filter.sets])
        self.status_facet.choose([(str(status),) for status in queue_filter.statuses])
        self.category_facet.choose(queue_filter.categories)
        self.consent_facet.choose([(str(consent),) for consent in queue_filter.consents])
        self._tossups = queue_filter.tossups
        self.author_facet.choose([(key,) for key in queue_filter.authors])
        self.more.show_filter(queue_filter)
        self.changed.emit()

    def offer(self, facets: QueueFacets, people: Mapping[str, Person], players: tuple[str, ...]) -> None:
        """Offer what ``facets`` counted, authors under their names in ``people``, and ``players``."""
        self.set_facet.offer([((name,), name or "In no set", count) for name, count in facets.sets.items()])
        self.status_facet.offer(
            [((str(status),), sentence(str(status)), count) for status, count in facets.statuses.items()]
        )
        self.consent_facet.offer(
            [((str(consent),), sentence(str(consent)), count) for consent, count in facets.consents.items()]
        )
        self.category_facet.offer(
            [(path, path[-1], count) for path, count in facets.categories.items() if path]
        )
        authors = [
            ((key,), person_name(people, key) or "Unknown", count) for key, count in facets.authors.items()
        ]
        self.author_facet.offer(sorted(authors, key=lambda option: option[1].casefold()))
        self.more.offer(players)

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def clear_search(self) -> bool:
        """Clear the search box if it has the keyboard; whether there was something to clear."""
        if self.search.hasFocus() and self.search.text():
            self.search.clear()
            return True
        return False

    def stop(self) -> None:
        """Wait no longer for the writer to stop typing."""
        self._search_soon.stop()

    # -- saved filters

    def save_filter(self, name: str) -> None:
        self._store_filter(name, self.filter)

    def _store_filter(self, name: str, queue_filter: QueueFilter) -> None:
        with self._messages.telling("filter"):
            self._app.queue.save_filter(name, queue_filter)
            self._messages.dismiss("filter")  # trouble is over, and a deletion is undone

    def _delete_filter(self, name: str, queue_filter: QueueFilter) -> None:
        undo = [("Undo", lambda: self._store_filter(name, queue_filter))]
        with self._messages.telling("filter"):
            self._app.queue.save_filter(name, None)
            self._messages.show_message("filter", f"The filter {name} is deleted.", undo, brief=True)

    def _fill_saved(self) -> None:
        menu = self._saved.menu()
        assert menu is not None
        menu.clear()
        try:
            saved = self._app.queue.filters()
        except QuizwriterError as trouble:
            self._messages.show_message("filter", str(trouble))
            return
        now = self.filter
        for name, one in saved.items():
            tick_action(menu, name, one == now, partial(self.use_filter, one))
        if saved:
            menu.addSeparator()
        save = menu.addAction("Save this filter…")
        save.setEnabled(self.narrows)
        save.triggered.connect(self._ask_name)
        if saved:
            delete = menu.addMenu("Delete")
            for name, one in saved.items():
                action = delete.addAction(name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, name=name, one=one: self._delete_filter(name, one))

    def _ask_name(self) -> None:
        dialog = LineDialog(
            self._theme,
            "Save this filter",
            "Name of the filter; a filter with the same name is replaced",
            action="Save",
            parent=self,
        )
        dialog.entered.connect(self.save_filter)
        dialog.open()

    def _apply_theme(self) -> None:
        style_facet(self._saved, self._theme, active=False)
