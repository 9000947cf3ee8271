"""The windows and dialogs beside the main window: queue, history, tagging, challenge set, packs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import COMPRESSED, FORMATS, READ, endings, import_filter
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.profile import ProfileController, require_profile
from quizwriter.gui.queue.play_all import PlayAll
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.widgets.file_dialog import ask_files, ask_folder
from quizwriter.gui.widgets.file_drops import FileDrops
from quizwriter.gui.widgets.saved_layout import WindowPlace
from quizwriter.gui.window_table import WINDOWS, AtDesk, WindowSpec
from quizwriter.gui.writing.panes import WindowContext

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.gui.dialogs.import_files import ImportDialog
    from quizwriter.gui.dialogs.transfer import TransferController
    from quizwriter.gui.history.history_window import HistoryWindows
    from quizwriter.gui.queue.queue_window import QueueWindow


_PASTED = "Pasted text.txt"  # as the dialog calls it

MOST_HISTORIES = 8
"""The most history windows that open again."""

MOST_LOOKED_AT = 200
"""Dropped files that are looked at in the window's thread; of more, the dialog says what they are."""

MANIFEST = "MANIFEST.json"
"""The file that a challenge set has in its folder."""


class SecondaryWindows(QObject):
    """Opens the other windows, each made at its first use, and passes their signals to the main window.

    ``opened`` carries the id of a tossup to open, ``restored`` an id, an old version of its text and its
    styles, ``branched`` the id of a new tossup, ``merged`` the new id of each tossup that a merge renamed,
    ``cited`` a text that is the source of a clue: where it is from, and what it says. ``imported``: there are
    new drafts; ``told`` how many, where the files were chosen here. ``recorded``: the queue changed tossups.
    """

    opened = Signal(str)
    restored = Signal(str, str, object)
    branched = Signal(str)
    merged = Signal(object)
    imported = Signal()
    recorded = Signal()
    told = Signal(str)
    cited = Signal(str, str)

    def __init__(self, context: WindowContext, header: TossupHeader, review_actions: ReviewActions) -> None:
        super().__init__(context.window)
        self.app, self.theme, self.saver = context.app, context.theme, context.saver
        self.window, self.save, self.engine = context.window, context.save, context.engine
        self.header, self.review_actions = header, review_actions
        self.jobs = Jobs("files", self)
        self.play_all = PlayAll(self.app, self.engine, self)
        self.profile = ProfileController(self.app, self.theme, self.window)
        self._made: dict[str, QWidget] = {}
        self._shown: dict[str, tuple[Any, ...]] = {}  # what each was opened for
        self._histories: HistoryWindows | None = None
        self._transfer: TransferController | None = None

    def may_save(self) -> bool:
        """Whether edits may be saved: not while packs are merged into the database.

        A play of the old draft would otherwise be saved as a play of the merged draft.
        """
        return self._transfer is None or not self._transfer.busy

    # -- the windows of the table

    def find(self, window_id: str) -> QWidget | None:
        """The window, if it was opened and is not gone; else None."""
        window = self._made.get(window_id)
        return window if window is None or WINDOWS[window_id].kept or window.isVisible() else None

    def open(self, window_id: str, *what: object) -> None:
        """Open a window of the table for ``what``: who uses the program is asked for a name where needed."""
        spec = WINDOWS[window_id]
        self.save()  # or a tossup just begun would be missing
        if not spec.signed:
            self._open(spec, *what)
        elif self._front(spec, what) is None and self._close(spec):
            require_profile(self.app, self.theme, self.window, lambda _: self._open(spec, *what))

    def open_for(self, desk: AtDesk, window_id: str) -> None:
        """What the action of a window does: open it for what the desk shows."""
        self.open(window_id, *WINDOWS[window_id].given(desk))

    def _open(self, spec: WindowSpec, *what: object) -> QWidget:
        """Bring the window to the front; one that shows something else is made anew, unless it is kept."""
        window = self._front(spec, what)
        if window is not None:
            return window
        if not self._close(spec):
            return self._made[spec.id]
        module, _, name = spec.made.partition(":")
        window = spec.make(self, getattr(import_module(module), name), *what)
        if not spec.many:
            self._made[spec.id], self._shown[spec.id] = window, what
            window.destroyed.connect(partial(self._forget, spec.id, id(window)))
        _present(window, *what)
        return window

    def _front(self, spec: WindowSpec, what: tuple[Any, ...]) -> QWidget | None:
        """The window of ``spec`` that is there and may show ``what``, brought to the front."""
        window = self._made.get(spec.id)
        if window is None or not (spec.kept or (window.isVisible() and self._shown[spec.id] == what)):
            return None
        _present(window, *what)
        return window

    def _close(self, spec: WindowSpec) -> bool:
        """Close the window of ``spec`` that is made anew for each use; False if it stays."""
        window = self._made.get(spec.id)
        return window is None or not window.isVisible() or window.close()

    def _forget(self, window_id: str, of: int) -> None:
        if id(self._made.get(window_id)) == of:
            del self._made[window_id]

    def close_all(self) -> bool:
        """Close the windows that may refuse that, because something is not saved; False if one stays."""
        return all(self._close(spec) for spec in WINDOWS.values() if spec.signed)

    def refresh(self, *window_ids: str) -> None:
        """Have windows read the database again; without ids, all that can."""
        for key in window_ids or tuple(self._made):
            _call(self._made.get(key), "refresh")

    def use_engine(self) -> None:
        """Another engine is in use: mark the games of others, and go on with what a closed window played."""
        for window in tuple(self._made.values()):
            _call(window, "use_engine")
        self.play_all.resume()

    def shutdown(self) -> None:
        """End the jobs of all these windows."""
        self.play_all.shutdown()
        for window in (*self._made.values(), self._histories):
            _call(window, "shutdown")

    # -- those that open again

    @property
    def open_places(self) -> tuple[WindowPlace, ...]:
        """What the open windows show, as far as they can be opened again: see :meth:`reopen`."""
        histories = () if self._histories is None else self._histories.windows.values()
        found = [window.place for window in histories][:MOST_HISTORIES]
        for spec in WINDOWS.values():
            window: Any = self._made.get(spec.id)
            if spec.place and window is not None and window.isVisible() and window.place is not None:
                found.append(window.place)
        return tuple(found)

    def reopen(self, places: Sequence[str | WindowPlace]) -> None:
        """Open the windows that were open before, behind the main one; what is gone is left out."""
        for place in places:
            self._reopen(WindowPlace(place) if isinstance(place, str) else place)
        if places:
            self.window.activateWindow()

    def _reopen(self, place: WindowPlace) -> None:
        spec = next((one for one in WINDOWS.values() if place.kind and one.place == place.kind), None)
        if (
            spec is None
            or (spec.many and not place.tossups)
            or (spec.signed and not self.app.profile.me.name)
        ):
            return
        try:
            if place.tossups:
                self.app.tossups.drafts(place.tossups)
        except QuizwriterError:
            return  # a tossup is gone
        _call(self._open(spec, *spec.again(place)), "restore_place", place)

    # -- what the table takes for its windows

    def histories(self, made: type[HistoryWindows]) -> HistoryWindows:
        if self._histories is None:
            self._histories = histories = made(
                self.app, self.theme, self._engine_with_enabled_players, self.window
            )
            histories.restored.connect(self.restored)
            histories.branched.connect(self.branched)
            self.saver.saved.connect(histories.follow)
        return self._histories

    def _engine_with_enabled_players(self) -> Engine | None:
        engine, off = self.engine(), self.app.profile.settings.players_off
        if engine is None:
            return None
        return replace(engine, players=tuple(player for player in engine.players if player.name not in off))

    def take_drops(self, window: QWidget) -> None:
        FileDrops(window).dropped.connect(self.take_files)

    @property
    def selected(self) -> tuple[str, ...]:
        """The tossups that are selected in the queue."""
        queue = cast("QueueWindow | None", self.find("queue"))
        return () if queue is None else queue.table.selected

    def show_in_queue(self, keys: Sequence[str]) -> None:
        from quizwriter.workflow.queue import QueueFilter

        self.open("queue")
        cast("QueueWindow", self.find("queue")).use_filter(QueueFilter(tossups=tuple(keys)))

    # -- files in, and released sets

    def choose_import(self) -> None:
        """Ask for question files and packets, and show what would be imported."""
        ask_files(self.window, "Import questions", import_filter("Questions and packets"), self.import_files)

    def import_files(self, paths: Sequence[Path]) -> None:
        """Show what the files hold, and make drafts of it."""
        self.save()
        self._show_import(paths).imported.connect(lambda keys, play, said: self.told.emit(said))

    def import_pasted(self, text: str, then: Callable[[str], None], failed: Callable[[str], None]) -> None:
        """Show the questions of a pasted packet, whose styles are tags, and make drafts of them.

        ``then`` is told what was added. What is imported is a file, here one that goes with the dialog;
        ``failed`` is told why it cannot be written.
        """

        def show(folder: TemporaryDirectory[str]) -> None:
            dialog = self._show_import([Path(folder.name, _PASTED)])
            dialog.imported.connect(lambda keys, play, said: then(said))
            dialog.finished.connect(lambda _: folder.cleanup())

        self.save()
        self.jobs.ask(lambda _: _pasted_file(text), show, failed)

    def _show_import(self, paths: Sequence[Path]) -> ImportDialog:
        from quizwriter.gui.dialogs.import_files import ImportDialog

        engine = self.engine()
        pages = None if engine is None else engine.pages
        dialog = ImportDialog(self.app, self.theme, self.jobs, paths, pages, self.window)
        dialog.imported.connect(lambda keys, play, said: self._take_imported(keys, play))
        dialog.show()
        return dialog

    def _take_imported(self, keys: Sequence[str], play: bool) -> None:
        self.imported.emit()
        self.refresh()
        if play and keys:
            self.play_all.start()

    def choose_verification(self) -> None:
        """Ask for the folder of a challenge set, and verify it."""
        ask_folder(self.window, "Verify challenge set", lambda folder: self.verify([folder]))

    def verify(self, folders: Sequence[Path]) -> None:
        from quizwriter.gui.dialogs.released_sets import VerifyDialog

        VerifyDialog(self.app, self.theme, self.jobs, folders, self.window).show()

    def take_files(self, paths: Sequence[Path]) -> list[Path]:
        """Do with dropped files what their kind asks for; those with which nothing can be done.

        Packs are received, challenge sets are verified, and all other files are imported.
        """
        packs = [path for path in paths if FORMATS["pack"].has(path)]
        folders = [path for path in paths[:MOST_LOOKED_AT] if _is_file(path / MANIFEST)]
        imported = (*endings(READ), *COMPRESSED)
        rest = [path for path in paths if path.name.casefold().endswith(imported)]
        rest = [path for path in rest if len(rest) > MOST_LOOKED_AT or _is_file(path)]
        if packs:
            self.transfer.receive(packs)
        if folders:
            self.verify(folders)
        if rest:
            self.import_files(rest)
        done = {*packs, *folders, *rest}
        return [path for path in paths if path not in done]

    # -- packs and people

    @property
    def transfer(self) -> TransferController:
        """The controller that sends and receives packs."""
        if self._transfer is None:
            from quizwriter.gui.dialogs.transfer import TransferController

            self._transfer = TransferController(self.app, self.theme, self.saver, self.save, self.window)
            self._transfer.changed.connect(self.merged)
            self._transfer.opened.connect(self.opened)
        return self._transfer

    def send(self, tossup_id: str, title: str) -> None:
        """Send a pack with the user's name; the dialog offers the tossup ``tossup_id`` alone."""
        self.save()
        require_profile(self.app, self.theme, self.window, lambda _: self.transfer.send(tossup_id, title))


def _is_file(path: Path) -> bool:
    """Whether there is a file at ``path``, which may be longer than any path of a file."""
    with suppress(OSError):
        return path.is_file()
    return False


def _pasted_file(text: str) -> TemporaryDirectory[str]:
    """A folder that is thrown away, with ``text`` as a file in it."""
    try:
        folder = TemporaryDirectory(prefix="quizwriter-", ignore_cleanup_errors=True)
        try:
            Path(folder.name, _PASTED).write_text(text, encoding="utf-8", errors="replace", newline="")
        except OSError:
            folder.cleanup()
            raise
    except OSError as trouble:
        raise QuizwriterError(
            f"The pasted questions cannot be shown, because no temporary file can be written: {trouble}.",
            "Free some disk space, and try again.",
        ) from trouble
    return folder


def _present(window: QWidget, *what: object) -> None:
    if hasattr(window, "present"):
        window.present(*what)
    else:
        window.show()
        window.activateWindow()


def _call(window: object, name: str, *arguments: object) -> None:
    """Call a method of ``window``, if it has it: not every window has an engine, jobs or a place."""
    if hasattr(window, name):
        getattr(window, name)(*arguments)
