"""Changes of many tossups at once: their status, category, author and set, from menus."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from quizwriter.domain.events import Body
from quizwriter.domain.review import Categorised, Commented, Consent, Person, PutInSet, Status, WrittenBy
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.queue.bulk_dialogs import CommentDialog, TagsDialog
from quizwriter.gui.queue.queue_model import QueueModel
from quizwriter.gui.queue.queue_table import QueueTable
from quizwriter.gui.review.category_menu import fill_categories, open_categories
from quizwriter.gui.review.consent import CONSENT_TITLES
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.status_icon import DO, ICON_MENU, status_icon
from quizwriter.services.tossups import phenomena
from quizwriter.services.wiring import App
from quizwriter.workflow.categories import Category
from quizwriter.workflow.queue import QueueRow
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.statuses import steps_to
from quizwriter.workflow.wording import listed

COUNTING = "Counting the statuses…"

_Keys = Sequence[str] | None


class BulkActions(QObject):
    """Changes the tossups that are selected in a table; each change is recorded and can be undone.

    Each is of the ``keys`` that were selected when a dialog or menu opened, of those selected now without.
    """

    def __init__(
        self,
        app: App,
        theme: Theme,
        table: QueueTable,
        model: QueueModel,
        review_actions: ReviewActions,
        messages: MessageBars,
        jobs: Jobs,
        window: QWidget,
    ) -> None:
        """Actions on the selection of ``table`` over ``model``; dialogs belong to ``window``."""
        super().__init__(window)
        self._app, self._theme, self._window = app, theme, window
        self._table, self._model = table, model
        self._review_actions, self._messages, self._jobs = review_actions, messages, jobs
        self.set_names: tuple[str, ...] = ()  # the sets that the menu offers

    def add_comment(self, text: str, keys: _Keys = None) -> None:
        self._record(Commented(text), "a new comment", keys)

    def add_tags(self, tags: Sequence[str], keys: _Keys = None) -> None:
        keys = self._table.chosen if keys is None else keys
        named = listed([f"“{tag}”" for tag in tags])
        what = f"the tag {named}" if len(tags) == 1 else f"the tags {named}"
        self._review_actions.run(lambda: self._app.review.tag(keys, tags), what, len(keys))

    def ask_comment(self) -> None:
        if self._table.selected:
            dialog = CommentDialog(self._theme, len(self._table.selected), self._window)
            dialog.entered.connect(partial(self.add_comment, keys=self._table.chosen))
            dialog.open()

    def ask_tags(self) -> None:
        if self._table.selected:
            dialog = TagsDialog(self._theme, len(self._table.selected), phenomena(), self._window)
            dialog.entered.connect(partial(self.add_tags, keys=self._table.chosen))
            dialog.open()

    @property
    def menus(self) -> tuple[tuple[str, Callable[[QMenu], None]], ...]:
        return (
            ("Status", self._fill_statuses),
            ("Consent", self._fill_consents),
            ("Category", self._fill_categories),
            ("Author", self._fill_authors),
            ("Set", self._fill_sets),
        )

    def set_status(self, status: Status, keys: _Keys = None) -> None:
        """Give tossups a ``status``, once a dialog has asked for what that needs."""
        keys, queue = self._table.chosen if keys is None else keys, self._app.queue

        def take(rows: tuple[QueueRow, ...]) -> None:
            names = {row.tossup_id: row.answer_line for row in rows}
            if names:
                self._review_actions.set_status(names, status, now={row.status for row in rows})

        if keys:
            self._jobs.ask(lambda _: queue.rows(keys), take, partial(self._messages.show_message, "queue"))

    def set_category(self, path: Category, keys: _Keys = None) -> None:
        """Give tossups a category; the empty one takes it away."""
        self._record(Categorised(path), f"the category {' / '.join(path)}" if path else "no category", keys)

    def set_author(self, person: Person, keys: _Keys = None) -> None:
        self._record(WrittenBy(person.id), f"the author {person.name}", keys)

    def put_in_set(self, name: str, keys: _Keys = None) -> None:
        """Put tossups into a set; the empty name takes them out of theirs."""
        self._record(PutInSet(name), f"the set {name}" if name else "no set", keys)

    def _record(self, body: Body, what: str, keys: _Keys) -> None:
        self._review_actions.record(self._table.chosen if keys is None else keys, body, what)

    # -- menus

    def _fill_statuses(self, menu: QMenu) -> None:
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        selected, queue = self._table.selected, self._app.queue
        rows = self._model.read_rows(selected)
        if len(rows) == len(selected):
            self._offer_statuses(menu, Counter(row.status for row in rows))
            return
        menu.addAction(COUNTING).setEnabled(False)

        def take(counts: dict[Status, int]) -> None:
            menu.clear()
            self._offer_statuses(menu, counts)

        self._jobs.ask(
            lambda _: queue.count_statuses(selected),
            take,
            partial(self._messages.show_message, "queue"),
            still=lambda: isValid(menu) and self._table.selected == selected,  # a closed menu is deleted
        )

    def _offer_statuses(self, menu: QMenu, counts: Mapping[Status, int]) -> None:
        ratio, several = self._window.devicePixelRatioF(), sum(counts.values())
        keys = self._table.chosen
        locked = set(counts) == {Status.ACCEPTED}
        for status in Status:
            able = sum(count for before, count in counts.items() if steps_to(before, status))
            if not able:
                continue  # no rule leads there
            text = "Unlock…" if locked and status is Status.EDITED else f"{DO[status]}…"
            if able < several:
                text = f"{text} ({able:,} of {several:,})"
            action = menu.addAction(status_icon(status, self._theme, ratio), text)
            action.triggered.connect(lambda _=False, status=status: self.set_status(status, keys))

    def _fill_consents(self, menu: QMenu) -> None:
        menu.clear()
        keys = self._table.chosen
        for consent, title in CONSENT_TITLES.items():
            menu.addAction(title).triggered.connect(lambda _=False, one=consent: self.set_consent(one, keys))

    def set_consent(self, consent: Consent, keys: _Keys = None) -> None:
        self._review_actions.record_consent(self._table.chosen if keys is None else keys, consent)

    def _fill_categories(self, menu: QMenu) -> None:
        menu.clear()
        rows, keys = self._model.read_rows(self._table.selected), self._table.chosen
        name = rows[0].set_name if rows else ""
        paths: tuple[Category, ...] = ()
        with self._messages.telling("queue"):
            paths = self._app.review.categories(name)
        fill_categories(menu, paths, partial(self.set_category, keys=keys))
        menu.addSeparator()
        menu.addAction("No category").triggered.connect(lambda: self.set_category((), keys))
        edit = menu.addAction("Change the categories…")
        edit.triggered.connect(
            lambda: open_categories(self._app, self._theme, self._messages, name, self._window)
        )

    def _fill_authors(self, menu: QMenu) -> None:
        menu.clear()
        keys = self._table.chosen
        people = sorted(self._model.people.values(), key=lambda person: person.name.casefold())
        for person in people:
            if person.name:
                action = menu.addAction(person.name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, person=person: self.set_author(person, keys))
        if people:
            menu.addSeparator()
        menu.addAction("Somebody else…").triggered.connect(lambda: self._ask_author(keys))

    def _ask_author(self, keys: Sequence[str]) -> None:
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
            self.set_author(person, keys)

        dialog.entered.connect(add_person)
        dialog.open()

    def _fill_sets(self, menu: QMenu) -> None:
        menu.clear()
        keys = self._table.chosen
        for name in self.set_names:
            action = menu.addAction(name.replace("&", "&&"))
            action.triggered.connect(lambda _=False, name=name: self.put_in_set(name, keys))
        if self.set_names:
            menu.addSeparator()
        menu.addAction("In no set").triggered.connect(lambda: self.put_in_set("", keys))
        menu.addAction("New set…").triggered.connect(lambda: self._ask_set(keys))

    def _ask_set(self, keys: Sequence[str]) -> None:
        dialog = LineDialog(
            self._theme, "New set", "Name of the new set", action="Put into set", parent=self._window
        )
        dialog.entered.connect(partial(self.put_in_set, keys=keys))
        dialog.open()
