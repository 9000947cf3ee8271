"""Comments and suggested edits: read from the store, marked in the draft, listed beside it, added to."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import Commented, Decided, Replied, Resolved, Suggested, TakenBack
from quizwriter.domain.review_state import Review
from quizwriter.domain.span import Span
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.dialogs.profile import require_profile
from quizwriter.gui.review.comments_pane import MOST_CARDS, CommentDraft, CommentsPane
from quizwriter.gui.writing.draft_marks import CommentedStretch
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, decode_small_json, decode_value, read_limited
from quizwriter.workflow.session import WritingSession, now_ms
from quizwriter.workflow.threads import (
    Thread,
    author_name,
    each_thread,
    in_order,
    quoted_styles,
    threads,
    threads_by_time,
    whole_words,
)

log = logging.getLogger(__name__)

_MOST_UNSENT = 1 << 24
"""Bytes of the file with comments that were not sent."""

UNREADABLE = "unsent-unreadable.json"
"""A copy of that file from when something in it could not be read."""

MOST_MARKED = 100
"""Stretches that are marked in the draft; of several comments on one stretch, the first has the mark."""

MOST_PLACED = 500
"""Threads that are all placed in the text, and in its order; of more, only those with cards are placed."""

SLICE_S = 0.01
"""How long comments are looked up at once: a tossup may have thousands, and the window must not stop."""

PAUSE_MS = 300
"""After so long without a key those are looked up that took longer than that."""

KEEP_MS = 1_000
"""How much typing, in ms, a kill of the window takes at most from a comment."""

DISK_MS = 10_000
"""How long a comment waits for the words it is about to be on disk."""


class CommentsController(QObject):
    """The comments on the open tossup: read from the store, shown, added to.

    ``pane`` is for the window to place; ``shown`` says that it should be seen, ``counted`` how many threads
    are open, and whether something written here is not sent. ``save`` hands what is not on disk to the saver.
    """

    shown = Signal()
    counted = Signal(int, bool)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        theme, draft = context.theme, context.panes.draft
        self._app, self._theme, self._draft = context.app, theme, draft
        self._saver, self._messages, self._save = context.saver, context.panes.messages, context.save
        self._jobs, self._file_jobs = Jobs("comments", self), Jobs("unsent comments", self)
        self._session: WritingSession | None = None
        self._key = ""  # of the tossup that opened: a session that is saved as another branch gets a new one
        self._review = Review()
        self._trail: AnchorTracker | None = None  # only where something is said
        self._people: dict[str, str] = {}
        self._styles: dict[str, TextStyles] = {}
        self._threads: tuple[Thread, ...] = ()
        self._work: Iterator[None] = iter(())  # what is left to do since the last edit, in small steps
        self._later = SingleShot(self, PAUSE_MS, self._go_on)
        self._unsent: dict[str, CommentDraft] = {}
        self._stored: set[str] = set()  # what is on disk, though the window has not heard of it yet
        self._keep_soon = SingleShot(self, KEEP_MS, self._keep_written)
        self._current = ""  # the one looked at
        self._reveals = False  # whether it is to be seen once it is read
        self.pane = pane = CommentsPane(theme)
        pane.new_comment.clicked.connect(self.comment)
        pane.new_suggestion.clicked.connect(self.suggest)
        pane.sent.connect(self._send)
        pane.given_up.connect(self._give_up)
        pane.replied.connect(lambda name, text: self._answer(name, Replied(name, text)))
        pane.resolved.connect(self._resolve)
        pane.accepted.connect(self._accept)
        pane.declined.connect(lambda name, reason: self._answer(name, Decided(name, False, reason)))
        pane.deleted.connect(self._delete)
        pane.chosen.connect(self._look_at)
        pane.jumped.connect(self._jump)
        pane.turned.connect(self._place_seen)
        pane.writing.connect(self._follow_writing)
        draft.edited.connect(self._take_edit)
        draft.note_chosen.connect(self._show)
        theme.changed.connect(self._redraw)
        for key, one in read_unsent(self._unsent_file).items():
            if isinstance(one, CommentDraft):
                self._unsent[key] = one
            else:
                pane.replies[key] = one

    def open(self, session: WritingSession) -> None:
        self._keep_unsent()
        self._key = session.tossup_id
        self._session, self._work = session, iter(())
        self._review, self._trail, self._current, self._reveals = Review(), None, "", False
        unsent = self._unsent.get(session.tossup_id)
        self._show_threads(())
        self.pane.compose(unsent)
        self.pane.show_sending(self._key)
        self.read()

    def read(self) -> None:
        if self._session is None:
            return
        tossup_id = self._session.tossup_id
        self._jobs.ask(
            lambda _: self._fetch(tossup_id), lambda said: self._take(tossup_id, said), self._show_bug
        )

    def reveal(self) -> None:
        """Have what is said seen as soon as it is read, if something of it is open."""
        self._reveals = not any(thread.open for thread in self._threads)
        if not self._reveals:
            self.shown.emit()

    def shutdown(self) -> None:
        """Keep what was not sent for the next time, because the window closes."""
        self._jobs.stop()
        self._file_jobs.stop()
        self._keep_unsent()
        kept = self._kept()
        for name in self._stored:
            kept.pop(name, None)
        self._write_unsent(kept)

    @property
    def threads(self) -> tuple[Thread, ...]:
        return self._threads

    def comment(self) -> None:
        """Let the reader comment on what is selected, or else on the whole tossup."""
        self._compose(self._draft.selected, suggests=False)

    def suggest(self) -> None:
        """Let the reader say otherwise what is selected, or else the sentence at the cursor."""
        span = self._draft.selected
        if span.start == span.end and self._session is not None:
            sentences = self._session.tossup.sentences
            at = span.start
            span = next((one for one in sentences if one.start <= at <= one.end), span)
        self._compose(span, suggests=True)

    def _compose(self, span: Span, *, suggests: bool) -> None:
        session = self._session
        if session is None:
            return
        if not session.tossup.text.strip():
            self._messages.show_message("comments", "Write some text first, then comment on it.", brief=True)
            return
        if self._key in self.pane.sending:
            told = "Your last comment is still being saved. Try again in a moment."
            self._messages.show_message("comments", told, brief=True)
            return
        self._save()  # a comment is on a text that is saved
        quoted = span.of(session.tossup.text)
        before = self._written()
        text = before.text if before is not None and before.suggests == suggests else ""
        note = before.note if before is not None else ""
        if suggests and (before is None or before.quoted != quoted):
            text = quoted
        unsent = CommentDraft(session.request().seq, span, quoted, suggests, text, note)
        self._unsent[session.tossup_id] = unsent
        self.pane.compose(unsent)
        self._count()
        self.shown.emit()
        self.pane.composer.text.setFocus()

    def _send(self) -> None:
        unsent, session = self._written(), self._session
        if unsent is None or session is None:
            return
        tossup_id, start = session.tossup_id, unsent.span.start
        body: Body
        if unsent.suggests:
            edit = Edit.between(unsent.quoted, unsent.text)
            if edit is None:
                return
            edit = whole_words(unsent.quoted, edit)
            edit = replace(edit, start=edit.start + start)
            body = Suggested(unsent.seq, edit, unsent.note.strip())
        else:
            body = Commented(unsent.text.strip(), unsent.seq, start, unsent.span.end, unsent.quoted)

        def sent() -> None:
            self._unsent.pop(tossup_id, None)
            self._keep_soon.start()
            if self._session is not None and self._session.tossup_id == tossup_id:
                self.pane.compose(None)
                self._count()
                self._draft.setFocus()

        self._record(body, self._key, sent)

    def _give_up(self) -> None:
        if self._key in self.pane.sending:
            return
        if self._session is not None:
            self._unsent.pop(self._session.tossup_id, None)
        self._keep_soon.start()
        self.pane.compose(None)
        self._count()
        self._draft.setFocus()

    def _answer(self, name: str, body: Body) -> None:
        self._record(body, name, lambda: self.pane.answered(name))

    def _resolve(self, name: str, resolved: bool) -> None:
        self._current = ""
        self._record(Resolved(name, resolved), name)

    def _accept(self, name: str) -> None:
        suggestions = tuple(one for one in self._review.suggestions if one.event.id == name)
        if self._trail is None or not suggestions:
            return
        (thread,) = threads(replace(self._review, comments=(), suggestions=suggestions), self._trail)
        assert thread.proposal is not None
        edit = thread.proposal.edit
        if edit is not None and not thread.proposal.made:
            if self._draft.isReadOnly():
                self._messages.show_message("comments", "This tossup is locked; unlock it first.")
                return
            self._draft.make(edit)
        self._answer(name, Decided(name, True))

    def _delete(self, name: str) -> None:
        def deleted() -> None:
            self._messages.show_message("comments", "The comment is deleted.", [("Undo", undo)], brief=True)

        def undo() -> None:
            self._messages.dismiss("comments")
            self._record(TakenBack(tuple(gone)), name, session=session)

        gone: list[str] = []
        session = self._session
        self._record(TakenBack((name,)), name, deleted, gone)

    def _record(
        self,
        body: Body,
        of: str,
        done: Callable[[], object] | None = None,
        recorded: list[str] | None = None,
        session: WritingSession | None = None,
    ) -> None:
        """Have ``body`` happen to the tossup of ``session``, then do what is to be ``done``.

        That is the open one, unless another was when somebody was asked. ``of`` is the thread, or the tossup
        of a new comment: nothing else is sent of it meanwhile. ``recorded`` gets the id of the event first.
        """
        session, me = session or self._session, self._app.profile.me
        if session is None or of in self.pane.sending:
            return
        if not me.name:
            require_profile(
                self._app,
                self._theme,
                self.pane.window(),
                lambda _: self._record(body, of, done, recorded, session),
            )
            return
        self._save()
        self.pane.sending.add(of)
        self.pane.show_sending(self._key)
        tossup_id = session.tossup_id
        event = Event.new(tossup_id, now_ms(), me.id, body)

        def do(_: object) -> _StoredThreads:
            if not self._saver.flush(DISK_MS):
                raise QuizwriterError("The draft is not saved yet.", "Try again when the draft is saved.")
            stored = self._app.review.add_events([event])
            if not isinstance(body, Resolved | TakenBack):
                self._stored.add(of)
            if recorded is not None:
                recorded.extend(one.id for one in stored)
            return self._fetch(tossup_id)

        def ended() -> None:
            self.pane.sending.discard(of)
            self._stored.discard(of)
            self.pane.show_sending(self._key)

        def then(said: _StoredThreads) -> None:
            ended()
            if done is not None:
                done()
            self._take(tossup_id, said)

        def failed(trouble: str) -> None:
            ended()
            said = f"The comment was not saved: {trouble}"
            here = self._session is session
            if not trouble:
                self._show_bug(here=here)
            elif here and self.pane.composer.isVisible():
                self.pane.composer.show_trouble(said)
            else:
                self._messages.show_message("comments", said)

        self._jobs.ask(do, then, failed)

    def _fetch(self, tossup_id: str) -> _StoredThreads:
        """The comments on the tossup, in the thread of a job."""
        service = self._app.review
        review = service.review_of(tossup_id)
        if not review.comments and not review.suggestions:
            return _StoredThreads(review)
        people = {key: person.name for key, person in service.people().items()}
        changes = service.changes(tossup_id)
        trail = AnchorTracker(change.edit for change in changes)
        styles = quoted_styles(review, changes, service.events(tossup_id))
        many = len(review.comments) + len(review.suggestions) > MOST_PLACED
        said = threads_by_time(review, trail, styles, MOST_CARDS) if many else threads(review, trail, styles)
        return _StoredThreads(review, trail, people, styles, said)

    def _take(self, tossup_id: str, said: _StoredThreads) -> None:
        if self._session is None or self._session.tossup_id != tossup_id:
            return
        self._review, self._trail, self._people = said.review, said.trail, said.people
        self._styles, self._work = said.styles, iter(())
        self._show_threads(said.threads)
        missed = Edit.between(self._trail.text, self._draft.text) if self._trail is not None else None
        if missed is not None:
            self._take_edit(missed, self._draft.text)
        else:
            self._place_seen()  # only those of the first page have a place
        if self._reveals:
            self._reveals = False
            if any(thread.open for thread in self._threads):
                self.shown.emit()

    def _take_edit(self, edit: Edit, text: str) -> None:
        """Let what is said move along with ``edit``, after which the draft reads ``text``."""
        if self._trail is not None and self._trail.text != text:
            self._trail.add(edit)
            self._work = self._look_up(self._trail)
            self._go_on(PAUSE_MS)

    def _place_seen(self) -> None:
        if self._trail is not None and len(self._threads) > MOST_PLACED:
            self._work = self._look_up(self._trail)
            self._go_on()

    def _look_up(self, trail: AnchorTracker) -> Iterator[None]:
        """Look up where the comments are, and show that. The draft's marks have moved by themselves."""
        moved: dict[str, Thread] = {}
        only = {*self.pane.seen, self._current} if len(self._threads) > MOST_PLACED else None
        for thread in each_thread(self._review, trail, self._styles, only):
            moved[thread.id] = thread
            yield
        if only is None:
            found = in_order(moved.values())
        else:
            # of the others nobody knows where they are in the text of now
            found = tuple(
                moved.get(one.id) or replace(one, place=None, placed=False) for one in self._threads
            )
        yield
        if found != self._threads:
            self._show_threads(found)

    def _go_on(self, pause_ms: int = 0) -> None:
        """Do what is left for a short time, and the rest after ``pause_ms``."""
        until = time.perf_counter() + SLICE_S
        for _ in self._work:
            if time.perf_counter() > until:
                self._later.start_in(pause_ms)
                return

    def _show_threads(self, found: tuple[Thread, ...]) -> None:
        self._later.stop()
        self._threads = found
        me = self._app.profile.me.id
        self.pane.show_threads(found, lambda author: author_name(self._people, author, me), me)
        self._mark()
        self._count()

    def _count(self) -> None:
        unsent = self._session is not None and self._session.tossup_id in self._unsent
        self.counted.emit(sum(thread.open for thread in self._threads), unsent)

    def _mark(self) -> None:
        notes: list[CommentedStretch] = []
        marked: set[Span] = set()
        for thread in self._threads:
            place, current = thread.place, thread.id == self._current
            if place is not None and (current or (thread.open and place not in marked)):
                if len(marked) == MOST_MARKED and not current:
                    continue
                marked.add(place)
                if place.start == place.end:  # nothing yet: the letter before is marked instead
                    place = Span(max(0, place.start - 1), max(1, place.end))
                notes.append(CommentedStretch(thread.id, place, current))
        self._draft.show_notes(tuple(notes))

    def _look_at(self, name: str) -> None:
        self._current = name
        self._mark()
        place = next((note.span for note in self._draft.notes if note.name == name), None)
        if place is not None:
            self._draft.scroll_to(place)

    def _jump(self, name: str) -> None:
        """Put the cursor where that is which was said."""
        self._look_at(name)
        place = next((note.span for note in self._draft.notes if note.name == name), None)
        if place is not None:
            self._draft.select(place)
            self._draft.setFocus()

    def _show(self, name: str) -> None:
        """Show what was said where somebody clicked in the draft."""
        self.shown.emit()
        self.pane.choose(name)
        self._look_at(name)

    def _redraw(self) -> None:
        self.pane.forget()
        self._show_threads(self._threads)
        self._go_on(PAUSE_MS)

    def _show_bug(self, trouble: str = "", *, here: bool = True) -> None:
        """Say that a bug stopped the work; ``trouble`` in the database is told by who opens the tossup."""
        if not trouble and here:
            self.pane.composer.show_trouble(
                "The comment was not saved because of an error in QuizWriter. Its text is still here."
            )

    def _written(self) -> CommentDraft | None:
        return self.pane.composer.taken() if self._key in self._unsent else None

    def _keep_unsent(self) -> None:
        unsent = self._written()
        if unsent is None:
            return
        if unsent.says_something:
            self._unsent[self._key] = unsent
        else:
            del self._unsent[self._key]

    def _follow_writing(self) -> None:
        if not self._keep_soon.isActive():
            self._keep_soon.start()

    def _keep_written(self) -> None:
        """Put what is written so far on the disk, where a kill of the window leaves it."""
        unsent = self._kept()
        written = self._written()
        if written is not None:
            unsent[self._key] = written
        self._file_jobs.ask(lambda _: self._write_unsent(unsent), lambda _: None)

    def _kept(self) -> dict[str, CommentDraft | str]:
        """What is not sent, beside the comment that is being written."""
        return {**self._unsent, **self.pane.replies}

    def _write_unsent(self, unsent: Mapping[str, CommentDraft | str]) -> None:
        said = {key: one for key, one in unsent.items() if isinstance(one, str) or one.says_something}
        try:
            if said:
                with atomic_write(self._unsent_file) as file:
                    file.write(msgspec.json.encode(said))
            else:
                self._unsent_file.unlink(missing_ok=True)
        except (OSError, QuizwriterError):
            log.exception("comments that were not sent could not be kept")

    @property
    def _unsent_file(self) -> Path:
        return self._app.home / "unsent.json"


class _StoredThreads(msgspec.Struct, frozen=True):
    """What the store knows of a tossup; no trail where nothing is said."""

    review: Review
    trail: AnchorTracker | None = None
    people: dict[str, str] = msgspec.field(default_factory=dict)
    styles: dict[str, TextStyles] = msgspec.field(default_factory=dict)
    threads: tuple[Thread, ...] = ()


def read_unsent(path: Path) -> dict[str, CommentDraft | str]:
    """What was not sent when the window was closed: comments by tossup, replies by thread.

    What cannot be read is left out, and the whole file kept beside, because the window writes it anew.
    """
    found: dict[str, CommentDraft | str] = {}
    troubles: list[Exception] = []
    try:
        written = decode_small_json(read_limited(path, _MOST_UNSENT), dict[str, object])
    except FileNotFoundError:
        return {}
    except (OSError, DecodingError) as trouble:
        written, troubles = {}, [trouble]
    for key, value in written.items():
        try:
            found |= decode_value({key: value}, dict[str, CommentDraft | str])
        except DecodingError as trouble:
            troubles.append(trouble)
    if troubles:
        log.warning("comments that were not sent cannot be read: %s", troubles[0])
        with suppress(OSError):
            shutil.copyfile(path, path.with_name(UNREADABLE))
    return found
