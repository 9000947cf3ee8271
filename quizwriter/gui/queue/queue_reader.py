"""Reads the queue from the database beside the window: what fits a filter, page by page, and the facets."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from quizwriter.domain.review import Person
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.queue.queue_model import PAGE, QueueModel
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import BranchGroup, QueueFilter, QueueRow, QueueSort

FACETS_MS = 300
"""How long after the last query the facets are counted, which takes as long as a query."""


class QueueResult(msgspec.Struct, frozen=True):
    """The tossups that fit a filter, the first rows, everybody, the players, and which are branches."""

    keys: tuple[str, ...]
    rows: tuple[QueueRow, ...]
    people: Mapping[str, Person]
    players: tuple[str, ...]
    branches: Mapping[str, BranchGroup]


class QueueReader(QObject):
    """Answers queries, and puts the pages into the model that come into view.

    ``result_ready`` carries the QueueResult of the newest query, ``facets_ready`` the QueueFacets and the
    players, ``failed`` a sentence about what could not be read.
    """

    result_ready = Signal(object)
    facets_ready = Signal(object, object)
    failed = Signal(str)

    def __init__(self, app: App, model: QueueModel, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._model, self._jobs = app, model, jobs
        self._query = 0  # the number of the newest query
        self._facets_stale = True
        self._pages: list[int] = []  # that came into view, the last one last
        self._reads_page = False
        self._facets_soon = SingleShot(self, FACETS_MS, self._read_facets)
        model.page_missing.connect(self._request_page)

    def expire_facets(self) -> None:
        """Have the facets counted anew after the next query."""
        self._facets_stale = True

    def query(self, queue_filter: QueueFilter, sort: QueueSort) -> None:
        """Ask the database which tossups fit, in which order; ``result_ready`` carries the answer."""
        self._facets_soon.stop()
        self._query += 1
        number = self._query
        queue, review = self._app.queue, self._app.review
        known, opened = self._model.players, frozenset(self._model.opened)

        def read(_: object) -> QueueResult | None:
            if number != self._query:
                return None  # a newer query waits
            keys, branches = queue.find_tossups(queue_filter, sort, opened)
            players, first = known or queue.players(), queue.rows(keys[:PAGE])
            return QueueResult(keys, first, review.people(), players, branches)

        def take(result: QueueResult | None) -> None:
            if result is not None and number == self._query:
                self._pages.clear()
                self.result_ready.emit(result)
                if self._facets_stale:
                    self._facets_soon.start()

        self._jobs.ask(read, take, self.failed.emit)

    def _read_facets(self) -> None:
        self._facets_stale = False
        queue = self._app.queue

        self._jobs.ask(
            lambda _: (queue.facets(), queue.players()),
            lambda found: self.facets_ready.emit(*found),
            self.failed.emit,
        )

    def _request_page(self, page: int) -> None:
        self._pages = [*(other for other in self._pages if other != page), page]
        if not self._reads_page:
            self._reads_page = True
            QTimer.singleShot(0, self._read_page)

    def _read_page(self) -> None:
        """Read the page that came into view last; those scrolled past are requested again when needed."""
        *earlier, page = self._pages or [-1]
        for passed in earlier[:-2]:
            self._model.skip_page(passed)
        self._pages = earlier[-2:]
        if page < 0:
            self._reads_page = False
            return
        number, queue, model = self._query, self._app.queue, self._model
        keys = model.keys[page * PAGE : (page + 1) * PAGE]

        def take(rows: tuple[QueueRow, ...]) -> None:
            if keys == model.keys[page * PAGE : (page + 1) * PAGE]:
                model.put_page(page, rows)
            else:
                model.skip_page(page)
            self._read_page()

        def failed(trouble: str) -> None:
            model.skip_page(page)
            if number == self._query:
                self.failed.emit(trouble)
            self._read_page()

        self._jobs.ask(lambda _: queue.rows(keys), take, failed)
