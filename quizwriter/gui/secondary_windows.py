"""The windows and dialogs beside the main window: queue, history, tagging, challenge set, packs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import COMPRESSED, FORMATS, READ, endings, import_filter
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.dialogs.profile import ProfileController, require_profile
from quizwriter.gui.queue.play_all import PlayAll
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.file_dialog import FileDialog
from quizwriter.gui.widgets.file_drops import FileDrops
from quizwriter.gui.widgets.saved_layout import WindowPlace

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.gui.dialogs.challenge import ChallengeDialog
    from quizwriter.gui.dialogs.import_files import ImportDialog
    from quizwriter.gui.dialogs.search_window import SearchWindow
    from quizwriter.gui.dialogs.transfer import TransferController
    from quizwriter.gui.history.history_window import HistoryWindows
    from quizwriter.gui.queue.log_window import LogWindow
    from quizwriter.gui.queue.queue_window import QueueWindow
    from quizwriter.gui.review.tagging_window import TaggingWindow
    from quizwriter.services.wiring import App


_PASTED = "Pasted text.txt"  # as the dialog calls it

MOST_HISTORIES = 8
"""The most history windows that open again."""

MANIFEST = "MANIFEST.json"
"""The file that a challenge set has in its folder."""


class SecondaryWindows(QObject):
    """Opens the other windows, each made at its first use, and passes their signals to the main window.

    ``opened`` carries the id of a tossup to open, ``restored`` an id, an old version of its text and its
    styles, ``branched`` the id of a new tossup, ``merged`` the new id of each tossup that a merge renamed,
    ``imported`` the ids of new drafts, ``cited`` a text that is the source of a clue: where it is from, and
    what it says.
    """

    opened = Signal(str)
    restored = Signal(str, str, object)
    branched = Signal(str)
    merged = Signal(object)
    imported = Signal(object)
    cited = Signal(str, str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        saver: Saver,
        header: TossupHeader,
        review_actions: ReviewActions,
        *,
        save: Callable[[], None],
        engine: Callable[[], Engine | None],
        parent: QWidget,
    ) -> None:
        """``save`` hands unsaved edits to the ``saver``; ``engine`` gives the engine in use."""
        super().__init__(parent)
        self._app, self._theme, self._saver, self._window = app, theme, saver, parent
        self._header, self._review_actions = header, review_actions
        self._save, self._engine = save, engine
        self.jobs = Jobs("files", self)
        self.play_all = PlayAll(app, engine, self)
        self.profile = ProfileController(app, theme, parent)
        self.tagging: TaggingWindow | None = None
        self._histories: HistoryWindows | None = None
        self.queue: QueueWindow | None = None
        self.log: LogWindow | None = None
        self.search: SearchWindow | None = None
        self.challenge: ChallengeDialog | None = None
        self._transfer: TransferController | None = None

    def may_save(self) -> bool:
        """Whether edits may be saved: not while packs are merged into the database.

        A play of the old draft would otherwise be saved as a play of the merged draft.
        """
        return self._transfer is None or not self._transfer.busy

    def close_tagging(self) -> bool:
        """Close the tagging window; False if it stays open, because its tags are not saved."""
        return self.tagging is None or self.tagging.close()

    def shutdown(self) -> None:
        """End the jobs of all these windows."""
        self.play_all.shutdown()
        if self.queue is not None:
            self.queue.shutdown()
        if self.log is not None:
            self.log.shutdown()
        if self.search is not None:
            self.search.shutdown()
        if self._histories is not None:
            self._histories.shutdown()
        if self.challenge is not None:
            self.challenge.shutdown()

    def use_engine(self) -> None:
        """Another engine is in use: mark the games of others, and go on with what a closed window played."""
        if self.queue is not None:
            self.queue.use_engine()
        if self.search is not None:
            self.search.use_engine()
        self.play_all.resume()

    def refresh(self) -> None:
        """Reload the queue from the database."""
        if self.queue is not None:
            self.queue.refresh()

    # -- history

    @property
    def histories(self) -> HistoryWindows:
        """The history windows."""
        if self._histories is None:
            from quizwriter.gui.history.history_window import HistoryWindows

            self._histories = histories = HistoryWindows(
                self._app, self._theme, self._engine_with_enabled_players, self._window
            )
            histories.restored.connect(self.restored)
            histories.branched.connect(self.branched)
            self._saver.saved.connect(histories.follow)
        return self._histories

    def show_history(self, tossup_id: str) -> None:
        """Open the history window of a tossup."""
        self._save()
        self.histories.show(tossup_id)

    def _engine_with_enabled_players(self) -> Engine | None:
        """The engine with the players that are on."""
        engine, off = self._engine(), self._app.profile.settings.players_off
        if engine is None:
            return None
        return replace(engine, players=tuple(player for player in engine.players if player.name not in off))

    # -- queue, tags, challenge sets

    def open_queue(self) -> None:
        """Show all tossups as a table."""
        from quizwriter.gui.queue.queue_window import QueueWindow

        self._save()
        if self.queue is None:
            self.queue = QueueWindow(
                self._app, self._theme, self._saver, self._save, self._engine, self.play_all
            )
            self.queue.opened.connect(self.opened)
            self.queue.tagging_requested.connect(self.open_tagging)
            self.queue.log_requested.connect(self.open_log)
            self.queue.experiment_requested.connect(self.open_experiments)
            self.queue.retraction_requested.connect(self.open_retraction)
            FileDrops(self.queue).dropped.connect(self.take_files)
            self.queue.review_actions.changed.connect(self._refresh_log)
            self.queue.review_actions.changed.connect(self._header.take_changed)
            self._review_actions.changed.connect(self.queue.refresh)
        self.queue.present()

    @property
    def open_places(self) -> tuple[WindowPlace, ...]:
        """What the open windows show, as far as they can be opened again: see :meth:`reopen`."""
        histories = () if self._histories is None else self._histories.windows.values()
        found = [window.place for window in histories][:MOST_HISTORIES]
        if self.queue is not None and self.queue.isVisible():  # it saves its frame itself
            found.append(WindowPlace("queue"))
        for window in (self.log, self.search, self.tagging):
            if window is not None and window.isVisible() and (place := window.place) is not None:
                found.append(place)
        return tuple(found)

    def reopen(self, places: Sequence[str | WindowPlace]) -> None:
        """Open the windows that were open before, behind the main one; what is gone is left out."""
        for place in places:
            self._reopen(WindowPlace(place) if isinstance(place, str) else place)
        if places:
            self._window.activateWindow()

    def _reopen(self, place: WindowPlace) -> None:
        if place.kind == "queue":
            self.open_queue()
        elif place.kind == "log":
            self.open_log()
            if self.log is not None and place.frame is not None:
                place.frame.apply(self.log)
        elif place.kind == "search":
            self._make_search().restore_place(place)
        elif place.kind in ("history", "tagging"):
            try:
                kept = tuple(self._app.tossups.drafts(place.tossups))
            except QuizwriterError:
                return  # a tossup is gone
            if place.kind == "tagging" and self._app.profile.settings.profile_name:
                self._show_tagging(kept, place)
            elif kept and place.kind == "history":
                self.histories.show(kept[0]).restore_place(place)

    def open_log(self, set_name: str | None = None) -> None:
        """Show what was recorded of all tossups; of one set if that is given."""
        from quizwriter.gui.queue.log_window import LogWindow

        if self.log is None:
            self.log = LogWindow(self._app, self._theme)
            self.log.opened.connect(self.opened)
            self._review_actions.changed.connect(self._refresh_log)
        self.log.present(set_name)

    def open_search(self, words: str = "") -> None:
        """Show the search over everything; ``words``, if there are any, are looked for at once."""
        self._save()
        self._make_search().present(words)

    def _make_search(self) -> SearchWindow:
        """The window of the search, made at its first use."""
        from quizwriter.gui.dialogs.search_window import SearchWindow

        if self.search is None:
            self.search = SearchWindow(self._app, self._theme, self._engine)
            self.search.opened.connect(self.opened)
            self.search.cited.connect(self.cited)
        return self.search

    def _refresh_log(self) -> None:
        if self.log is not None:
            self.log.refresh()

    def open_tagging(self, keys: Sequence[str] = ()) -> None:
        """Open the tagging window for the tossups ``keys``; without any, for all."""
        self._save()  # or a tossup just begun would be missing
        if self.close_tagging():
            require_profile(self._app, self._theme, self._window, lambda _: self._show_tagging(keys))

    def _show_tagging(self, keys: Sequence[str], place: WindowPlace | None = None) -> None:
        from quizwriter.gui.review.tagging_window import TaggingWindow

        self.tagging = TaggingWindow(self._app, self._theme, keys, place=place)
        self.tagging.opened.connect(self.opened)
        self.tagging.show()

    def open_challenge(self) -> None:
        """Open the dialog that exports a challenge set."""
        from quizwriter.gui.dialogs.challenge import ChallengeDialog

        self._save()
        if self.challenge is None:
            self.challenge = ChallengeDialog(self._app, self._theme, self._engine, self._window)
            self.challenge.finished.connect(self._clear_challenge)
        self.challenge.show()
        self.challenge.activateWindow()

    def _clear_challenge(self) -> None:
        self.challenge = None

    # -- files in, and released sets

    def choose_import(self) -> None:
        """Ask for question files and packets, and show what would be imported."""
        dialog = FileDialog(self._window, "Import questions", "", import_filter("Questions and packets"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.import_files([Path(name) for name in names]))
        dialog.open()

    def import_files(self, paths: Sequence[Path]) -> None:
        """Show what the files hold, and make drafts of it."""
        self._save()
        require_profile(self._app, self._theme, self._window, lambda _: self._show_import(paths))

    def import_pasted(
        self, text: str, then: Callable[[Sequence[str]], None], failed: Callable[[str], None]
    ) -> None:
        """Show the questions of a pasted packet, whose styles are tags, and make drafts of them.

        ``then`` gets the ids of the drafts. What is imported is a file, here one that goes with the dialog;
        ``failed`` is told why it cannot be written.
        """

        def show(folder: TemporaryDirectory[str]) -> None:
            dialog = self._show_import([Path(folder.name, _PASTED)])
            dialog.imported.connect(lambda keys, play: then(keys))
            dialog.finished.connect(lambda _: folder.cleanup())

        self._save()
        require_profile(
            self._app,
            self._theme,
            self._window,
            lambda _: self.jobs.ask(lambda _: _pasted_file(text), show, failed),
        )

    def _show_import(self, paths: Sequence[Path]) -> ImportDialog:
        from quizwriter.gui.dialogs.import_files import ImportDialog

        engine = self._engine()
        pages = None if engine is None else engine.pages
        dialog = ImportDialog(self._app, self._theme, self.jobs, paths, pages, self._window)
        dialog.imported.connect(self._take_imported)
        dialog.show()
        return dialog

    def _take_imported(self, keys: Sequence[str], play: bool) -> None:
        self.imported.emit(keys)
        self.refresh()
        if play and keys:
            self.play_all.start()

    def open_progress(self) -> None:
        """Show the figures of writers and sets."""
        from quizwriter.gui.dialogs.progress_of_sets import ProgressDialog

        self._save()
        dialog = ProgressDialog(self._app, self._theme, self.jobs, self._window)
        dialog.sample_chosen.connect(self._show_in_queue)
        dialog.show()

    def open_experiments(self, name: str = "") -> None:
        """Show the experiments, for the tossups that are selected in the queue; ``name`` is chosen first."""
        from quizwriter.gui.dialogs.run_experiment import ExperimentDialog

        self._save()
        selected = self.queue.table.selected if self.queue is not None else ()
        dialog = ExperimentDialog(
            self._app, self._theme, self.jobs, self._engine, selected, self._window, name=name
        )
        dialog.show()

    def _show_in_queue(self, keys: Sequence[str]) -> None:
        self.open_queue()
        if self.queue is not None:
            from quizwriter.workflow.queue import QueueFilter

            self.queue.use_filter(QueueFilter(tossups=tuple(keys)))

    def choose_verification(self) -> None:
        """Ask for the folder of a challenge set, and verify it."""
        dialog = FileDialog(self._window, "Verify challenge set")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.verify(Path(name)))
        dialog.open()

    def verify(self, folder: Path) -> None:
        """Verify the challenge set in ``folder``, and show the report."""
        from quizwriter.gui.dialogs.released_sets import VerifyDialog

        VerifyDialog(self._app, self._theme, self.jobs, folder, self._window).show()

    def open_retraction(self, chosen: Sequence[str] = ()) -> None:
        """Ask which questions of a released set are withdrawn; the tossups ``chosen`` are ticked."""
        from quizwriter.gui.dialogs.released_sets import RetractDialog

        RetractDialog(self._app, self._theme, self.jobs, chosen, self._window).show()

    def take_files(self, paths: Sequence[Path]) -> bool:
        """Do with dropped files what their kind asks for; False if nothing can be done with any.

        Packs are received, a challenge set is verified, and all other files are imported.
        """
        packs = [path for path in paths if FORMATS["pack"].has(path)]
        folders = [path for path in paths if (path / MANIFEST).is_file()]
        imported = (*endings(READ), *COMPRESSED)
        rest = [path for path in paths if path.name.casefold().endswith(imported) and path.is_file()]
        if packs:
            self.transfer.receive(packs)
        for folder in folders[:1]:
            self.verify(folder)
        if rest:
            self.import_files(rest)
        return bool(packs or folders or rest)

    # -- packs and people

    @property
    def transfer(self) -> TransferController:
        """The controller that sends and receives packs."""
        if self._transfer is None:
            from quizwriter.gui.dialogs.transfer import TransferController

            self._transfer = TransferController(self._app, self._theme, self._saver, self._save, self._window)
            self._transfer.changed.connect(self.merged)
            self._transfer.opened.connect(self.opened)
        return self._transfer

    def send(self, tossup_id: str, title: str) -> None:
        """Send a pack with the user's name; the dialog offers the tossup ``tossup_id`` alone."""
        self._save()
        require_profile(self._app, self._theme, self._window, lambda _: self.transfer.send(tossup_id, title))

    def show_players(self, enabled: Sequence[str]) -> None:
        from quizwriter.gui.dialogs.players import PlayersDialog

        PlayersDialog(self._theme, enabled, self._window).show()

    def show_glossary(self) -> None:
        from quizwriter.gui.dialogs.glossary import show_glossary

        show_glossary(self._theme, self._window)


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
            "The pasted text is still in the draft. Make room on the disk, and try again.",
        ) from trouble
    return folder
