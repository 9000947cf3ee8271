"""The sources of the open tossup's clues: noted at the words they are about, listed, exported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import shift_span
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.widgets.file_dialog import ask_new_file
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.services.recording import RecordReport
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.sources import (
    SourcedClue,
    changed_source,
    clue_at,
    new_source,
    sentences_with_source,
    sourced_clues,
)
from quizwriter.workflow.wording import counted_noun, quoted

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.sources import SourcesDialog
    from quizwriter.services.sources import StoredSources


class SourcesController(QObject):
    """Notes and lists the sources of the open tossup.

    ``cite`` is for every pane that shows a text which can be the source of a clue.
    """

    def __init__(self, context: WindowContext, actions: ReviewActions) -> None:
        """``actions`` records what is noted."""
        super().__init__(context.window)
        panes, self._app, self._theme = context.panes, context.app, context.theme
        self._actions, self._window, self._save = actions, context.window, context.save
        self._draft, self._evidence, self._messages = panes.draft, panes.evidence, panes.messages
        self._jobs = Jobs("sources", self)
        self._session: WritingSession | None = None
        self._stored: StoredSources | None = None
        self._target: Span | None = None  # what a new source is about, in the text as it is
        self.dialog: SourcesDialog | None = None
        self._draft.edited.connect(self._take_edit)
        self._draft.selectionChanged.connect(self._follow_selection)
        actions.changed.connect(self._take_changed)

    def open(self, session: WritingSession) -> None:
        self._session, self._stored, self._target = session, None, None
        if self._visible is not None:
            self._visible.compose("")
            self._follow_selection()
            self._read()

    def show(self) -> None:
        """Show the sources, ready for the one of what is selected, or else of the sentence at the cursor."""
        from quizwriter.gui.dialogs.sources import SourcesDialog  # late: not needed at start

        if self.dialog is None:
            self.dialog = dialog = SourcesDialog(self._theme, self._window)
            dialog.noted.connect(self._note)
            dialog.removed.connect(self._remove)
            dialog.chosen.connect(self._go)
            dialog.export_wanted.connect(self._choose_file)
        self._target = self._clue()
        self._list()
        self.dialog.compose(self._words(self._target))
        self.dialog.show()
        self.dialog.activateWindow()
        self._read()

    def cite_evidence(self) -> None:
        """Note as the source the first passage of the evidence for the sentence with the cursor."""
        session, shown, target = self._session, self._evidence.shown, self._clue()
        if session is None or target is None:
            self._messages.show_message("sources", "Write some text first.", brief=True)
            return
        number = next(
            (at for at, one in enumerate(session.tossup.sentences) if one.start <= target.start < one.end), -1
        )
        passages = shown.evidence.passages if shown.evidence is not None else ()
        found = next((one for one in passages if one.sentence == number), None)
        if found is None or shown.tossup.text != session.tossup.text:
            self._messages.show_message(
                "sources", "The evidence has no passage for this sentence now.", brief=True
            )
            return
        self.cite(found.source, found.text)

    def cite(self, source: str, excerpt: str = "") -> None:
        """Note ``source`` of what is selected, or else of the sentence with the cursor."""
        target = self._clue()
        if target is None:
            self._messages.show_message("sources", "Write some text first.", brief=True)
            return
        self._record(target, source, excerpt)

    # -- recording

    def _note(self, source: str, excerpt: str, replaced: SourcedClue | None) -> None:
        if replaced is None and self._target is not None:
            self._record(self._target, source, excerpt)
        elif replaced is not None:
            body = changed_source(replaced, source, excerpt)
            key, review = replaced.event.tossup_id, self._app.review

            def do() -> RecordReport:
                before = review.take_back([replaced.event]).events
                return RecordReport((*before, *review.record([key], body).events))

            self._run(do, body.quoted)

    def _record(self, target: Span, source: str, excerpt: str) -> None:
        session = self._session
        if session is None:
            return
        self._save()  # from here on no key changes the text of this edit
        body = new_source(source, excerpt, session.request().seq, target, session.tossup.text)
        self._run(lambda: self._app.review.record([session.tossup_id], body), body.quoted)

    def _run(self, do: Callable[[], RecordReport], clue: str) -> None:
        self._actions.run(do, f"a source for {_named(clue)}" if clue else "a source", 1)

    def _remove(self, clue: SourcedClue) -> None:
        review = self._app.review
        self._actions.run(lambda: review.take_back([clue.event]), f"no source for {_named(clue.clue)}", 1)

    def _choose_file(self) -> None:
        from quizwriter.gui.dialogs.sources import FILES

        if self.dialog is not None and self._session is not None:
            export = partial(self.export, self._session)  # another tossup may be open at the answer
            ask_new_file(self.dialog, "Export the sources", "sources.csv", FILES, export)

    def export(self, session: WritingSession, path: Path) -> None:
        """Write the sources of the tossup of ``session`` into a new file at ``path``."""
        self._save()
        key = session.tossup_id

        def then(count: int) -> None:
            said = f"{counted_noun(count, 'source')} written to {path}."
            self._messages.show_message("sources", said, brief=True)

        failed = partial(self._messages.show_message, "sources")
        self._jobs.ask(lambda _: self._app.sources.export(path, [key]), then, failed)

    # -- what is shown

    @property
    def _visible(self) -> SourcesDialog | None:
        return self.dialog if self.dialog is not None and self.dialog.isVisible() else None

    def _clue(self) -> Span | None:
        if self._session is None:
            return None
        found = clue_at(self._session.tossup, self._draft.selected)
        return found if found.end > found.start else None

    def _words(self, target: Span | None) -> str:
        return "" if target is None or self._session is None else target.of(self._session.tossup.text)

    def _follow_selection(self) -> None:
        dialog = self._visible
        if dialog is not None and not (self._target is not None and dialog.source.text()):
            self._target = self._clue()
            dialog.show_target(self._words(self._target))

    def _take_edit(self, edit: Edit, text: str) -> None:
        if self._target is not None:
            self._target = shift_span(self._target, edit)
        if self._stored is not None and self._stored.trail.text != text:
            self._stored.trail.add(edit)
            if self._visible is not None:
                self._list()

    def _take_changed(self, keys: object) -> None:
        session = self._session
        if session is not None and isinstance(keys, list) and session.tossup_id in keys and self._visible:
            self._read()

    def _read(self) -> None:
        session = self._session
        if session is None:
            return
        self._save()
        key = session.tossup_id

        def fetch(_: object) -> StoredSources:
            stored = self._app.sources.stored(key)
            sourced_clues(stored.review, stored.trail)  # the trail remembers every place
            return stored

        def take(stored: StoredSources) -> None:
            missed = Edit.between(stored.trail.text, session.tossup.text)
            if missed is not None:
                stored.trail.add(missed)
            self._stored = stored
            self._list()

        self._jobs.ask(fetch, take, still=lambda: self._session is session)

    def _list(self) -> None:
        session, stored = self._session, self._stored
        if self.dialog is None or session is None:
            return
        clues = sourced_clues(stored.review, stored.trail) if stored is not None else ()
        count = sentences_with_source(session.tossup, clues)
        self.dialog.show_clues(session.title, clues, count, len(session.tossup.sentences))

    def _go(self, place: Span) -> None:
        self._draft.select(place)
        self._draft.scroll_to(place)
        self._window.activateWindow()
        self._draft.setFocus()


def _named(clue: str) -> str:
    """The words of a clue within a sentence, without the full stop of their own."""
    return quoted(clue.rstrip(".!? "), 40)
