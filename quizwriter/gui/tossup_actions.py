"""What is done with whole tossups of the list: duplicated, thrown away, put back, restored, branched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu

from quizwriter.domain.styles import TextStyles
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.packet_export import PacketExport
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.secondary_windows import SecondaryWindows
from quizwriter.gui.session_controller import SessionController
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.services.tossups import EditReport
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.replace_in_set import SetEditDialog
    from quizwriter.workflow.replacing import TextSearch

T = TypeVar("T")


class TossupActions(QObject):
    """Acts on tossups off the window's thread.

    ``changed`` says that other tossups are in the lists than before, ``engine_changed`` that others play.
    """

    changed = Signal()
    engine_changed = Signal()

    def __init__(
        self,
        context: WindowContext,
        sessions: SessionController,
        review_actions: ReviewActions,
        windows: SecondaryWindows,
    ) -> None:
        super().__init__(context.window)
        app, window, saver = context.app, context.window, context.saver
        self._app, self._theme, self._saver, self._window = app, context.theme, saver, window
        self._sessions, self._messages, self._draft = sessions, context.panes.messages, context.panes.draft
        self._review_actions, self._windows, self._engine = review_actions, windows, context.engine
        self.jobs = Jobs("tossups", self)
        self.packets = PacketExport(app, self.jobs, saver, context.save, self._tell_packet, window)
        windows.restored.connect(self._restore_version)
        windows.branched.connect(self._show_branch)

    def show_menu(self, tossup_id: str, where: QPoint) -> None:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self._sessions.open_saved(tossup_id))
        menu.addAction("History…", lambda: self._windows.open("history", tossup_id))
        menu.addAction("Duplicate", lambda: self.duplicate(tossup_id))
        menu.addSeparator()
        menu.addAction("Move to the bin", lambda: self.put_in_bin([tossup_id]))
        menu.popup(where)

    def duplicate(self, tossup_id: str = "") -> None:
        """Make a copy of a tossup, or of the open one, and open it."""

        def then(copy: str) -> None:
            self.changed.emit()
            self._sessions.open_saved(copy)
            self._say("This is a copy; the other tossup is unchanged.")

        key = tossup_id or self._open_one()
        if key:
            self.run(lambda: self._app.tossups.duplicate(key), then)

    def put_in_bin(self, tossup_ids: Sequence[str] = ()) -> None:
        """Throw tossups away, or the open one; the next one of the list is opened then."""
        keys = list(tossup_ids) or [key for key in [self._open_one()] if key]
        if not keys:
            return
        follower = self._sessions.neighbour(keys)

        def then(_: object) -> None:
            if self._sessions.current.tossup_id in keys:
                self._sessions.leave(follower)
            self.changed.emit()
            what = "The tossup is" if len(keys) == 1 else f"{counted_noun(len(keys), 'tossup')} are"
            self._messages.show_message(
                "bin", f"{what} in the bin.", [("Undo", lambda: self._restore(keys))], brief=True
            )

        self.run(lambda: self._app.tossups.put_in_bin(keys), then)

    def open_bin(self) -> None:
        from quizwriter.gui.dialogs.bin import BinDialog  # late: not needed at start

        self._sessions.save()
        dialog = BinDialog(self._app, self._theme, self.jobs, self._window)
        dialog.restored.connect(lambda _: self.changed.emit())
        dialog.emptied.connect(self._forget)
        dialog.show()

    # -- what the history of a tossup asks for

    def _restore_version(self, tossup_id: str, text: str, styles: TextStyles) -> None:
        """Put an old version into the draft."""

        def undo() -> None:
            self._sessions.open_saved(tossup_id)  # another may be open by then
            if self._sessions.current.tossup_id == tossup_id:
                self._draft.undo()

        if self._sessions.restore(tossup_id, text, styles):
            self._window.activateWindow()
            self._messages.show_message(
                "version", "The old version is in the draft.", [("Undo", undo)], brief=True
            )

    def _show_branch(self, tossup_id: str) -> None:
        """Open a new tossup that begins as an old version of another."""
        self.changed.emit()
        self._sessions.open_saved(tossup_id)
        self._window.activateWindow()
        self._messages.show_message(
            "version", "This is a new tossup; the other one is unchanged.", brief=True
        )

    # -- ways to begin

    def begin_from_past(self) -> None:
        """Show past questions that the players get early, to begin a tossup with one of them."""
        from quizwriter.gui.dialogs.rewrite import RewriteDialog  # late: not needed at start

        engine = self._engine()
        if engine is None or engine.library is None:
            self._messages.show_message(
                "bin", "No bundle with a library of past questions is open.", brief=True
            )
            return

        def show(set_name: str) -> None:
            dialog = RewriteDialog(self._app, self._theme, self.jobs, engine, set_name, self._window)
            dialog.begun.connect(self._take_begun)
            dialog.show()

        self.run(self._set_of_open_one(), show)

    def open_brief(self) -> None:
        from quizwriter.gui.dialogs.set_brief import SetBriefDialog  # late: not needed at start

        def show(set_name: str) -> None:
            dialog = SetBriefDialog(
                self._app, self._theme, self.jobs, set_name, self._window, engine=self._engine
            )
            self.engine_changed.connect(dialog.count_goal)
            dialog.begun.connect(self._take_begun)
            dialog.show()

        self.run(self._set_of_open_one(), show)

    def open_control_arm(self) -> None:
        """Show the control arm of the set of the open tossup, or begin it."""
        from quizwriter.gui.dialogs.control_arm import ControlArmDialog  # late: not needed at start

        def show(set_name: str) -> None:
            if not set_name:
                self._messages.show_message(
                    "bin", "This tossup is in no set. Put it into a set first.", brief=True
                )
                return
            dialog = ControlArmDialog(self._app, self._theme, self.jobs, set_name, self._window)
            dialog.begun.connect(self._take_begun)
            dialog.started.connect(self.changed)
            dialog.show()

        self.run(self._set_of_open_one(), show)

    def _take_begun(self, tossup_id: str) -> None:
        self.changed.emit()
        self._sessions.open_saved(tossup_id)

    def choose_goal(self) -> None:
        """Ask before which word no player is to buzz on the open tossup."""
        from quizwriter.gui.dialogs.goal import GoalDialog  # late: not needed at start

        key, engine = self._open_one(), self._engine()
        if not key:
            return
        players = [player.name for player in engine.players] if engine is not None else []
        try:
            now = self._app.review.review_of(key).buzz_goal
        except QuizwriterError as trouble:
            self._messages.show_message("bin", str(trouble))
            return
        dialog = GoalDialog(self._theme, players, now, self._window)
        dialog.chosen.connect(
            lambda goal: self._review_actions.record([key], goal, "a goal" if goal.per_cent else "no goal")
        )
        dialog.open()

    # -- several texts at once

    def replace_in_set(self, search: TextSearch, new: str) -> None:
        """Show what ``new`` in the place of the words of ``search`` would do in a set, to be chosen."""
        from quizwriter.gui.dialogs.replace_in_set import ReplaceInSetDialog  # nobody starts with it

        def show(set_name: str) -> None:
            self._open(
                ReplaceInSetDialog(self._app, self._theme, self.jobs, set_name, search, new, self._window)
            )

        self.run(self._set_of_open_one(), show)

    def tidy(self) -> None:
        """Show which spaces nobody reads, and which drafts are blank."""
        from quizwriter.gui.dialogs.replace_in_set import TidyDialog  # nobody starts with it

        def show(set_name: str) -> None:
            dialog = TidyDialog(self._app, self._theme, self.jobs, set_name, self._window)
            dialog.blanks_wanted.connect(self.put_in_bin)
            self._open(dialog)

        self.run(self._set_of_open_one(), show)

    def _set_of_open_one(self) -> Callable[[], str]:
        key = self._sessions.current.tossup_id
        return lambda: self._app.review.review_of(key).set_name

    def _open(self, dialog: SetEditDialog) -> None:
        dialog.edited.connect(self._take_edits)
        dialog.open()

    def _take_edits(self, report: EditReport, *, undone: bool = False) -> None:
        """Show the tossups as they are after edits, and offer to take these back."""
        from quizwriter.gui.dialogs.replace_in_set import UndoDialog

        self._sessions.reopen({})
        self.changed.emit()
        count = counted_noun(len(report.undo), "tossup")
        said = f"{count} {'as before' if undone else 'edited'}."
        if report.refused:
            refused = counted_noun(len(report.refused), "tossup")
            said += f" {refused} could not be edited: the text is locked or was changed in the meantime."

        def undo() -> None:
            self._messages.dismiss("edits")
            self._sessions.save()
            dialog = UndoDialog(self._theme, self._window)
            dialog.undone.connect(lambda made: self._take_edits(made, undone=True))
            dialog.open()  # nobody types until the open tossup is what it was
            dialog.undo(self.jobs, self._saver.settle, lambda: self._app.tossups.take_back(report.undo))

        remedies = [] if undone or not report.undo else [("Undo", undo)]
        self._messages.show_message("edits", said, remedies, news=not report.refused)

    def _restore(self, keys: Sequence[str]) -> None:
        self._messages.dismiss("bin")

        def then(_: object) -> None:
            self.changed.emit()
            self._sessions.open_saved(keys[0])

        self.run(lambda: self._app.tossups.put_in_bin(keys, binned=False), then)

    def _forget(self, keys: Sequence[str]) -> None:
        self._sessions.forget(keys)
        self.changed.emit()

    def _open_one(self) -> str:
        """The id of the open tossup; empty, with a message, while it is empty."""
        session = self._sessions.current
        if session.tossup.text or session.tossup.answer is not None:
            return session.tossup_id
        self._say("This tossup is empty.")
        return ""

    def run(self, do: Callable[[], T], then: Callable[[T], object]) -> None:
        """Have ``do`` done once all is on disk that was typed, and ``then`` with what it gives."""
        self._sessions.save()

        def work(_: object) -> T:
            self._saver.settle()
            return do()

        self.jobs.ask(work, then, partial(self._messages.show_message, "bin"))

    # -- the open tossup on paper

    def copy_formatted(self) -> None:
        if key := self._open_one():
            self.packets.copy([key])

    def export_as(self, kind: str) -> None:
        """Ask where to write the open tossup as a file of ``kind``."""
        if key := self._open_one():
            self.packets.choose_file(kind, [key], self._sessions.current.title)

    def export_packet_as(self, kind: str) -> None:
        """Ask where to write the packet of the open tossup, or its set, as a file of ``kind``."""

        def read() -> tuple[Sequence[str], str]:
            review = self._app.review.review_of(key)
            return self._app.printing.beside(key), ", ".join(filter(None, (review.set_name, review.packet)))

        if key := self._open_one():
            self.run(read, lambda found: self.packets.choose_file(kind, *found))

    def print_on_paper(self) -> None:
        if key := self._open_one():
            self.packets.print_on_paper([key])

    def _tell_packet(self, text: str, *, trouble: bool) -> None:
        self._messages.show_message("packet", text, brief=not trouble)

    def _say(self, text: str) -> None:
        self._messages.show_message("bin", text, brief=True)
