"""Changes of many tossups at once: their status, category, author and set, from menus."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from quizwriter.domain.review import Body, Categorised, Person, PutInSet, Status, WrittenBy
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.queue.queue_model import QueueModel
from quizwriter.gui.queue.queue_table import QueueTable
from quizwriter.gui.review.category_menu import fill_categories, open_categories
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.status_icon import DO, ICON_MENU, status_icon
from quizwriter.workflow.categories import Category
from quizwriter.workflow.queue import QueueRow
from quizwriter.workflow.session import now_ms

if TYPE_CHECKING:
    from quizwriter.services import App


class BulkActions(QObject):
    """Changes the tossups that are selected in a table; each change is recorded and can be undone."""

    def __init__(
        self,
        app: App,
        theme: Theme,
        table: QueueTable,
        model: QueueModel,
        review_actions: ReviewActions,
        messages: MessageBars,
        jobs: JobQueue,
        window: QWidget,
    ) -> None:
        """Actions on the selection of ``table`` over ``model``; dialogs belong to ``window``."""
        super().__init__(window)
        self._app, self._theme, self._window = app, theme, window
        self._table, self._model = table, model
        self._review_actions, self._messages, self._jobs = review_actions, messages, jobs
        self.set_names: tuple[str, ...] = ()  # the sets that the menu offers

    @property
    def menus(self) -> tuple[tuple[str, Callable[[QMenu], None]], ...]:
        """The title of every menu with the method that fills it."""
        return (
            ("Status", self._fill_statuses),
            ("Category", self._fill_categories),
            ("Author", self._fill_authors),
            ("Set", self._fill_sets),
        )

    def set_status(self, status: Status) -> None:
        """Give the selected tossups a ``status``, once a dialog has asked for what that needs."""
        keys, queue = self._table.selected, self._app.queue

        def take(result: tuple[QueueRow, ...] | QuizwriterError | None) -> None:
            if isinstance(result, tuple):
                names = {row.tossup_id: row.answer_line for row in result}
                if names:
                    self._review_actions.set_status(names, status, now={row.status for row in result})
            elif result is not None:
                self._messages.show_message("queue", str(result))

        if keys:
            self._jobs.run(lambda _: queue.rows(keys), take)

    def set_category(self, path: Category) -> None:
        """Give the selected tossups a category; the empty one takes it away."""
        self._record(Categorised(path), f"the category {' / '.join(path)}" if path else "no category")

    def set_author(self, person: Person) -> None:
        """Record who wrote the selected tossups."""
        self._record(WrittenBy(person.id), f"the author {person.name}")

    def put_in_set(self, name: str) -> None:
        """Put the selected tossups into a set; the empty name takes them out of theirs."""
        self._record(PutInSet(name), f"the set {name}" if name else "no set")

    def _record(self, body: Body, what: str) -> None:
        self._review_actions.record(self._table.selected, body, what)

    # -- menus

    def _fill_statuses(self, menu: QMenu) -> None:
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        ratio = self._window.devicePixelRatioF()
        for status in Status:
            action = menu.addAction(status_icon(status, self._theme, ratio), f"{DO[status]}…")
            action.triggered.connect(lambda _=False, status=status: self.set_status(status))

    def _fill_categories(self, menu: QMenu) -> None:
        menu.clear()
        rows = self._model.read_rows(self._table.selected)
        name = rows[0].set_name if rows else ""
        try:
            paths = self._app.review.categories(name)
        except QuizwriterError as trouble:
            self._messages.show_message("queue", str(trouble))
            paths = ()
        fill_categories(menu, paths, self.set_category)
        menu.addSeparator()
        menu.addAction("No category").triggered.connect(lambda: self.set_category(()))
        edit = menu.addAction("Change the categories…")
        edit.triggered.connect(
            lambda: open_categories(self._app, self._theme, self._messages, name, self._window)
        )

    def _fill_authors(self, menu: QMenu) -> None:
        menu.clear()
        people = sorted(self._model.people.values(), key=lambda person: person.name.casefold())
        for person in people:
            if person.name:
                action = menu.addAction(person.name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, person=person: self.set_author(person))
        if people:
            menu.addSeparator()
        menu.addAction("Somebody else…").triggered.connect(self._ask_author)

    def _ask_author(self) -> None:
        dialog = LineDialog(
            self._theme, "Author", "Name of the author", action="Set author", parent=self._window
        )

        def add_person(name: str) -> None:
            person = Person(uuid.uuid4().hex, name, "", now_ms())
            try:
                self._app.review.save_person(person)
            except QuizwriterError as trouble:
                self._messages.show_message("queue", str(trouble))
                return
            self.set_author(person)

        dialog.entered.connect(add_person)
        dialog.open()

    def _fill_sets(self, menu: QMenu) -> None:
        menu.clear()
        for name in self.set_names:
            menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._put_in_set, name))
        if self.set_names:
            menu.addSeparator()
        menu.addAction("In no set").triggered.connect(partial(self._put_in_set, ""))
        menu.addAction("New set…").triggered.connect(self._ask_set)

    def _ask_set(self) -> None:
        dialog = LineDialog(
            self._theme, "New set", "Name of the new set", action="Put into set", parent=self._window
        )
        dialog.entered.connect(self.put_in_set)
        dialog.open()

    def _put_in_set(self, name: str, _: bool = False) -> None:
        self.put_in_set(name)
