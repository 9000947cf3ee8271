"""The session of the open tossup: opening, editing and saving it, and showing it in the panes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from quizwriter.domain.answer_line import without_markup
from quizwriter.domain.history import Edit
from quizwriter.domain.plain_text import shown_text
from quizwriter.domain.review import BasedOn
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.background.saver import FLUSH_MS
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.widgets.messages import Remedy, copying_report
from quizwriter.gui.writing.draft_undo import DraftUndo
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.tossup_list import OPENING, TossupEntry
from quizwriter.workflow.goals import speaking_seconds
from quizwriter.workflow.session import PendingSave, WritingSession

SAVE_MS = 100
"""The time, in ms, from the first unsaved key to its save."""

CLEAREST_EXAMPLE = "qw-example-james-clerk-maxwell"
"""The tossup of the example set that opens first: all players buzz right, each on a name."""

MOST_KEPT = 8
"""Sessions that are kept in memory once they are saved; another tossup is read again from the database."""

CURSOR_MS = 1_000
"""The same, in ms, if only the cursor moved."""


class _Trouble(NamedTuple):
    """Why a tossup is not saved yet; ``refused``: because it is locked."""

    why: str
    refused: bool = False
    traceback: str = ""


class SessionController(QObject):
    """Holds the sessions of this run, shows one of them in the panes, and hands its edits to the saver.

    ``opened`` carries the session that was just opened. ``edited``: its text or its answer has changed.
    ``examples_listed``: the example set was added to the list.
    """

    opened = Signal(object)
    edited = Signal()
    examples_listed = Signal()

    def __init__(self, context: WindowContext, analysis: AnalysisController) -> None:
        super().__init__(context.window)
        app, panes, saver = context.app, context.panes, context.saver
        self._app, self._saver, self._analysis = app, saver, analysis
        self._draft, self._answer, self._tossups = panes.draft, panes.answer, panes.tossups
        self._status, self._messages = panes.status, panes.messages
        self.undo = DraftUndo(self._draft, app.review.changes, self, events=app.review.events)
        self.current = WritingSession("")
        self._sheet: StyleSheet | None = None  # of the tossup's set, once that is read
        self.may_save: Callable[[], bool] = lambda: True
        """Whether edits may be saved now: not during a merge."""
        self._sessions: dict[str, WritingSession] = {}
        self._trouble_saving = False
        self._troubles: dict[str, _Trouble] = {}  # what keeps tossups from being saved, by their ids
        self._told = ""  # the tossup that the message says this of
        self._save_soon = SingleShot(self, SAVE_MS, self._save)
        self._save_cursor = SingleShot(self, CURSOR_MS, self._save)
        self._draft.edited.connect(self._take_edit)
        self._draft.styling.restyled.connect(self._take_styles)
        self._draft.moved.connect(self._take_cursor)
        self._draft.refused.connect(lambda text: self._messages.show_message("refused", text))
        self._draft.examples_requested.connect(self.open_examples)
        self.undo.made.connect(self._follow_edit)
        self.undo.refused.connect(lambda text: self._messages.show_message("undo", text))
        self._answer.changed.connect(self._take_answer)
        self._answer.styling.restyled.connect(self._take_answer_styles)
        self._answer.refused.connect(lambda text: self._messages.show_message("refused", text))
        self._tossups.opened.connect(self.open_saved)
        self._tossups.new_wanted.connect(self.open_new)
        analysis.accepted.connect(self._save_later)
        saver.saved.connect(self._take_saved)
        saver.settled.connect(self._take_settled)
        saver.parted.connect(self._take_parted)
        saver.troubled.connect(self._take_trouble)
        saver.broke.connect(self._take_bug)

    # -- what the writer does

    def _take_edit(self, edit: Edit, text: str) -> None:
        if self.current.type(text, self._draft.cursor_at, edit=edit):
            self._draft.styling.show(self.current.styles)
            self._follow_edit()

    def _take_styles(self, span: Span, styles: TextStyles, belongs: bool) -> None:
        if self.current.restyle(span, styles, belongs=belongs):
            self._draft.styling.show(self.current.styles)
            self._follow_styles()

    def _follow_styles(self) -> None:
        """The text looks otherwise; to the players it is the same."""
        self._save_later()
        if not self._trouble_saving:
            self._status.show_save_state("saving")
        self.undo.offer()

    def _take_answer(self, answer: Answer | None) -> None:
        if self.current.set_answer(answer):
            self.current.restyle_answer(self._answer.styling.styles)
            self._follow_edit()

    def _take_answer_styles(self) -> None:
        if self.current.restyle_answer(self._answer.styling.styles):
            self._follow_styles()

    def _take_cursor(self, position: int) -> None:
        self.current.move_cursor(position)
        if self.current.has_unsaved and not self._save_cursor.isActive():
            self._save_cursor.start()

    def _follow_edit(self) -> None:
        trouble = self._troubles.get(self.current.tossup_id)
        if trouble is not None and trouble.refused and self._is_locked(self.current, unchanged=True):
            self._give_up_edits(self.current.tossup_id)
            return
        self._analysis.follow_edit()
        if not self._save_soon.isActive():
            self._save_soon.start()
        if not self._trouble_saving:
            self._status.show_save_state("saving")
        self.show_counts()
        self._show_entry()
        self.undo.offer()
        self.edited.emit()

    # -- opening

    def open_first(self) -> None:
        try:
            session = self._app.tossups.last_session()
        except QuizwriterError as trouble:
            self._messages.show_message("open", str(trouble))
            session = self._app.tossups.new_session()
        self.open(session)

    def open_new(self) -> None:
        self._draft.finish_composing()
        if self.current.tossup.text or self.current.tossup.answer is not None:
            self.open(self._app.tossups.new_session())
        self._draft.setFocus()

    def open_saved(self, tossup_id: str) -> None:
        if tossup_id != self.current.tossup_id:
            # A session of this run may know more than the disk, for instance while that is full.
            session = self._sessions.get(tossup_id)
            if session is None:
                try:
                    session = self._app.tossups.session(tossup_id)
                except QuizwriterError as trouble:
                    self._messages.show_message("open", str(trouble))
                    return
            self.open(session)
        self._draft.setFocus()

    def open_examples(self) -> None:
        """Put the example set into the list, and open the first of it."""
        try:
            packet = self._app.tossups.add_examples()
        except QuizwriterError as trouble:
            self._messages.show_message("open", str(trouble))
            return
        for one in reversed(packet):  # a new entry goes to the top of the list
            if one.tossup_id not in self._sessions:
                self._tossups.show_changed(
                    TossupEntry(one.tossup_id, without_markup(one.answer_line), one.opening, one.words)
                )
        self.examples_listed.emit()
        keys = [one.tossup_id for one in packet]
        self.open_saved(CLEAREST_EXAMPLE if CLEAREST_EXAMPLE in keys else keys[0])

    def open(self, session: WritingSession) -> None:
        self._draft.finish_composing()  # in the tossup that it is typed in
        self.current = session
        self._sessions.pop(session.tossup_id, None)
        self._sessions[session.tossup_id] = session  # as the newest
        self._let_go()
        self._draft.put(session.tossup.text, session.cursor, session.styles)
        session.touch()
        self.undo.open(session)
        self._answer.put(session.tossup.answer, session.answer_styles)
        if session.tossup.text or session.tossup.answer is not None:
            self._show_entry()
        self._tossups.show_current(session.tossup_id)
        self.show_counts()
        self._analysis.open(session)
        self._save()
        self._show_trouble()
        self.opened.emit(session)

    def _let_go(self) -> None:
        """Drop the oldest sessions of which the database has everything."""
        if self._trouble_saving or not self._saver.idle:
            return
        saved = [key for key, one in self._sessions.items() if not one.has_unsaved]
        for key in saved[: max(0, len(self._sessions) - MOST_KEPT)]:
            if self._sessions[key] is not self.current:
                del self._sessions[key]

    def reopen(self, moved: Mapping[str, str]) -> None:
        """Reload all tossups from the database; ``moved`` gives the new ids of renamed tossups.

        What was typed meanwhile is saved first, as a second branch where its text was replaced; what only
        was looked at is not, as the text may be gone. A session stays if the disk does not take its words.
        """
        typed = self.keep_typed()
        waiting = self._saver.catch_up(FLUSH_MS)
        current = self.current.tossup_id
        kept = {key: one for key, one in self._sessions.items() if waiting is None or key in waiting}
        self._sessions.clear()
        self._sessions.update(kept)
        self.read_list()
        if current in kept:
            self.open(self.current)
            return
        try:
            stays = self.current in typed
            session = self._app.tossups.session(current if stays else moved.get(current, current))
        except QuizwriterError:  # an empty tossup is not in the database; nor is one that a backup lacks
            empty = not self.current.tossup.text and self.current.tossup.answer is None
            session = self.current if empty else self._app.tossups.new_session()
        self.open(session)

    def neighbour(self, gone: Sequence[str]) -> str:
        """The id of the tossup that the list shows beside the open one and that is not ``gone``."""
        return self._tossups.neighbour(self.current.tossup_id, gone)

    def leave(self, tossup_id: str) -> None:
        """Open another tossup, or an empty one if ``tossup_id`` is empty, because the open one is gone."""
        if tossup_id:
            self.open_saved(tossup_id)
        else:
            self.open(self._app.tossups.new_session())

    def forget(self, tossup_ids: Sequence[str]) -> None:
        """Drop the sessions of tossups that are no longer in the database."""
        for key in tossup_ids:
            self._sessions.pop(key, None)

    def use_author(self, person: str) -> None:
        for session in (*self._sessions.values(), self.current):
            session.author = person

    def restore(self, tossup_id: str, text: str, styles: TextStyles = PLAIN) -> bool:
        """Put an old version into the draft of its tossup; False if that takes none or cannot be opened."""
        self.open_saved(tossup_id)
        if self.current.tossup_id != tossup_id:
            return False
        self._draft.replace(text, styles)
        return self._draft.text == shown_text(text)  # a draft that takes no edits stays as it is

    def read_list(self) -> None:
        with self._messages.telling("list"):
            self._tossups.show_all(self._app.tossups.summaries())

    # -- saving

    def save(self) -> None:
        """Hand everything not saved yet to the saver, also a word that an input method still composes."""
        self._draft.finish_composing()
        self._save()

    def _save(self) -> None:
        if not self.may_save():
            return
        self._save_soon.stop()
        self._save_cursor.stop()
        if self.current.has_unsaved:
            self.current.move_cursor(self._draft.cursor_at)  # after an undo Qt does not always tell
        others = (one for one in self._sessions.values() if one is not self.current)
        for session in (*others, self.current):  # the tossup that is saved last opens at the next start
            self._keep(session)
        if self._saver.idle and not self._trouble_saving:
            self._take_settled()

    def keep_typed(self) -> list[WritingSession]:
        """Hand only what was typed to the saver, also where nothing else may be saved; whose that is."""
        self._draft.finish_composing()
        typed = [one for one in self._sessions.values() if one.has_typed]
        for session in typed:
            self._keep(session)
        return typed

    def _keep(self, session: WritingSession) -> None:
        pending = session.take_unsaved()
        if pending is not None:
            self._saver.keep(pending)

    def _save_later(self) -> None:
        if self.current.has_unsaved and not self._save_soon.isActive():
            self._save_soon.start()

    def _take_parted(self, tossup_id: str, branch: str) -> None:
        """Go on in the branch under which a tossup of this run was saved."""
        session = self._sessions.pop(tossup_id, None)
        if session is None:
            return
        session.tossup_id = branch
        self._sessions[branch] = session
        self.read_list()
        if session is self.current:
            self._tossups.show_current(branch)
            self.opened.emit(session)
        self._messages.show_message(
            "parted",
            "This tossup was also changed elsewhere while it was open here. Your text is saved as a second "
            "branch.",
        )

    def _take_saved(self, saving: PendingSave) -> None:
        if self._troubles.pop(saving.tossup_id, None) is not None:
            self._show_trouble()

    def _take_settled(self) -> None:
        self._troubles.clear()
        if self._trouble_saving:
            self._trouble_saving = False
            self._messages.show_message("disk", "Everything is saved again.", brief=True)
        if not self._save_soon.isActive():
            self._status.show_save_state("saved")

    def _take_trouble(self, trouble: QuizwriterError, tossup_id: str) -> None:
        session = self._sessions.get(tossup_id)
        refused = session is not None and self._is_locked(session)
        why = f"{trouble} Your text is kept in this window and saved as soon as that is possible."
        self._keep_trouble(tossup_id, _Trouble(f". {why}", refused))

    def _take_bug(self, traceback: str, tossup_id: str) -> None:
        why = (
            " because of an error in QuizWriter. Your text is kept in this window, and QuizWriter tries "
            "again to save it. Copy the draft to be safe, and please send a report."
        )
        self._keep_trouble(tossup_id, _Trouble(why, traceback=traceback))

    def _keep_trouble(self, tossup_id: str, trouble: _Trouble) -> None:
        self._trouble_saving = True
        self._troubles[tossup_id] = trouble
        self._status.show_save_state("not saved")
        self._show_trouble()

    def _show_trouble(self) -> None:
        """Say why a tossup is not saved, the open one before others, and what can be done about that one."""
        mine = self.current.tossup_id
        key = mine if mine in self._troubles else next(iter(self._troubles), "")
        session, trouble = self._sessions.get(key), self._troubles.get(key)
        if trouble is None:
            return
        draft = "A draft" if session is None else f"The draft of “{session.title}”"
        draft = "The draft" if key == mine else draft
        text = f"{draft} is not saved yet{trouble.why}"
        if (key, text) == (self._told, self._messages.text("disk")):
            return
        remedies: list[Remedy] = []
        if session is not None:
            remedies.append(("Copy draft", partial(self.copy_draft, session)))
        if trouble.refused:
            remedies.append(("Discard what I typed", partial(self._give_up_edits, key)))
        if trouble.traceback:
            remedies.append(copying_report(trouble.traceback))
        self._told = key
        self._messages.show_message("disk", text, remedies)

    def _is_locked(self, session: WritingSession, *, unchanged: bool = False) -> bool:
        """Whether a tossup takes no edits on disk; ``unchanged``: and its text is the one there."""
        key = session.tossup_id
        try:
            locked = self._app.review.review_of(key).locked
            return locked and (not unchanged or self._app.review.tossup(key) == session.tossup)
        except QuizwriterError:  # an empty tossup is not in the database
            return False

    def _give_up_edits(self, key: str) -> None:
        """Show a tossup as it is on disk from now on, without the edits that it does not take."""
        try:
            session = self._app.tossups.session(key)
        except QuizwriterError as trouble:
            self._messages.show_message("open", str(trouble))
            return
        self._saver.discard(key)
        self._troubles.pop(key, None)
        self._messages.dismiss("disk")
        if key == self.current.tossup_id:
            self._save_soon.stop()
            self.open(session)
        else:
            self._sessions.pop(key, None)
            self.read_list()
            self._show_trouble()

    # -- what is shown of it

    def copy_draft(self, session: WritingSession | None = None) -> None:
        """Put a draft, or the open one, and its answer on the clipboard, with what it is based on."""
        QGuiApplication.clipboard().setText(self._whole(session or self.current))

    def copy_unsaved(self) -> None:
        """Put all drafts that are not saved on the clipboard, or the open one."""
        unsaved = [self._sessions[key] for key in self._troubles if key in self._sessions]
        texts = [self._whole(session) for session in unsaved or [self.current]]
        QGuiApplication.clipboard().setText("\n\n".join(texts))

    def _whole(self, session: WritingSession) -> str:
        """The draft and its answer, with the past question that it is based on."""
        tossup = session.tossup
        lines = [tossup.text]
        if tossup.answer is not None and tossup.answer.line:
            lines.append(f"ANSWER: {tossup.answer.line}")
        try:
            based_on = self._app.review.review_of(session.tossup_id).based_on
        except QuizwriterError:  # the draft is copied all the same, when the disk is in trouble above all
            based_on = None
        if based_on is not None and isinstance(based_on.body, BasedOn):
            lines.append(f"Based on {based_on.body.source}.")
        return "\n".join(lines)

    def show_counts(self) -> None:
        tossup = self.current.tossup
        settings = self._app.profile.settings
        seconds = speaking_seconds(tossup.length, settings.reading_speed)
        longest = settings.longest_words if self._sheet is None else self._sheet.longest
        self._status.count(tossup.characters, tossup.length, seconds, longest)

    def use_sheet(self, sheet: StyleSheet) -> None:
        """Count by the lengths of ``sheet``, the style sheet of the tossup's set."""
        self._sheet = sheet
        self.show_counts()

    def _show_entry(self) -> None:
        tossup, tossup_id = self.current.tossup, self.current.tossup_id
        line = tossup.answer.line if tossup.answer else ""
        self._tossups.show_changed(
            TossupEntry(tossup_id, without_markup(line), tossup.text[:OPENING], tossup.length)
        )
        self._tossups.show_current(tossup_id)
