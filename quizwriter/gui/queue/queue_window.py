"""The queue: one table over all tossups, sorted and filtered by the database, and changes of many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from quizwriter.domain.review import Person
from quizwriter.formats.file_formats import written_formats
from quizwriter.formats.tables import escape_cell
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.dialogs.packet_export import PacketExport
from quizwriter.gui.queue.action_bar import ActionBar
from quizwriter.gui.queue.bulk_actions import BulkActions
from quizwriter.gui.queue.filter_bar import FilterBar
from quizwriter.gui.queue.play_all import PlayAll
from quizwriter.gui.queue.queue_model import PAGE, QueueModel
from quizwriter.gui.queue.queue_reader import QueueReader, QueueResult
from quizwriter.gui.queue.queue_table import QueueTable
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.file_dialog import ask_new_file
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.saved_layout import (
    WindowFrame,
    WindowPlace,
    read_layout,
    resize_within_screen,
    save_layout,
)
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import QueueFacets, QueueFilter, column_title
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

REFRESH_MS = 800
"""How long after a saving the table is read again; typing saves ten times a second."""

NO_TOSSUP_FITS = "No tossup matches."
NO_TOSSUPS = "There are no tossups yet. Tossups that you write in the main window appear here."


class QueueWindow(QWidget):
    """All tossups in a table. ``opened`` carries the id of one to write on, ``tagging_requested`` the ids of
    those to be tagged, ``log_requested`` the set whose log is wanted, None: of all sets,
    ``retraction_requested`` the ids of tossups to be withdrawn from a released set.

    ``painted`` says that the answer to the newest query is in the table.
    """

    opened = Signal(str)
    tagging_requested = Signal(object)
    log_requested = Signal(object)
    retraction_requested = Signal(object)
    experiment_requested = Signal(str)
    painted = Signal()

    def __init__(
        self,
        app: App,
        theme: Theme,
        saver: Saver,
        save: Callable[[], object],
        engine: Callable[[], Engine | None],
        play_all: PlayAll | None = None,
    ) -> None:
        """``play_all`` outlives this window; None: one of its own."""
        super().__init__(None, Qt.WindowType.Window)
        self._app, self._theme = app, theme
        self._facets: QueueFacets | None = None
        self._people: Mapping[str, Person] = {}
        self.setWindowTitle("Queue")
        self.messages = MessageBars(theme)
        self.review_actions = ReviewActions(app, theme, saver, self.messages, self, save=save, engine=engine)
        self.review_actions.changed.connect(self.refresh)
        self.jobs = Jobs("queue", self)
        self.model = QueueModel(theme, self)
        self._reader = QueueReader(app, self.model, self.jobs, self)
        self._reader.result_ready.connect(self._show_result)
        self._reader.facets_ready.connect(self._show_facets)
        self._reader.failed.connect(lambda problem: self.messages.show_message("rows", problem))
        self.filters = FilterBar(app, theme, self.messages, self)
        self.filters.changed.connect(self.query)
        self.filters.search.returnPressed.connect(self._focus_table)
        self.table = QueueTable(theme, self.model)
        self.table.sort_changed.connect(self.query)
        self.table.row_opened.connect(self.opened)
        self.table.menu_requested.connect(self._popup_menu)
        self.table.selection_changed.connect(self._show_counts)
        self.play_all = play_all or PlayAll(app, engine, self)
        self.play_all.changed.connect(self._show_playing)
        self.play_all.played.connect(self._refresh_later)
        self.play_all.told.connect(self._tell_played)
        self.bulk = BulkActions(
            app, theme, self.table, self.model, self.review_actions, self.messages, self.jobs, self
        )
        self.packets = PacketExport(
            app, self.jobs, saver, save, self._tell_export, self, told=self._show_progress
        )
        self.action_bar = ActionBar(theme, self.bulk.menus, self._fill_tags, self._fill_more)
        self.action_bar.play_button.clicked.connect(self.play)
        self.action_bar.comment_button.clicked.connect(self.bulk.ask_comment)
        self.action_bar.tag_button.clicked.connect(self._tag)
        self._refresh_soon = SingleShot(self, REFRESH_MS, self.refresh)
        saver.saved.connect(self._refresh_later)
        column = column_of(on=self, margins=NO_MARGINS, spacing=0)
        for widget, stretch in ((self.filters, 0), (self.table, 1), (self.action_bar, 0)):
            column.addWidget(widget, stretch)
        self.messages.lie_over(self, above=self.action_bar)
        self.setMinimumSize(QSize(640, 400))
        resize_within_screen(self, 1280, 800)
        for key, do in (
            ("Ctrl+Z", self.review_actions.undo), ("Ctrl+Shift+Z", self.review_actions.redo),
            ("Ctrl+C", self.copy), ("Ctrl+F", self.filters.focus_search), ("F5", self.query),
            ("Escape", self._clear_or_close), ("Ctrl+W", self.close), ("Ctrl+M", self.bulk.ask_comment),
            ("Ctrl+T", self.bulk.ask_tags), ("Ctrl+P", self.play),
            ("Ctrl+L", self.show_log), ("Ctrl+Alt+F", self.copy_formatted),
            ("Ctrl+Shift+P", self.print_on_paper),
        ):  # fmt: skip
            QShortcut(QKeySequence(key), self, do)
        self._restore_layout()

    # -- from start to end

    def present(self) -> None:
        self._show_playing()
        self._reader.expire_facets()
        self.query()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.activateWindow()
        self.filters.search.setFocus()

    @property
    def place(self) -> WindowPlace:
        """That it is open; its frame it saves itself."""
        return WindowPlace("queue")

    def use_engine(self) -> None:
        """Mark the games of older versions of the players in use."""
        self.refresh()

    def shutdown(self) -> None:
        self.close()
        stop_background(self)
        self.deleteLater()

    def refresh(self) -> None:
        """Read everything again, if the window is visible; the selection stays."""
        self._refresh_soon.stop()
        self._reader.expire_facets()
        if self.isVisible():
            self.query()

    def use_filter(self, queue_filter: QueueFilter) -> None:
        self.filters.use_filter(queue_filter)

    def sort_by(self, column: str, player: str = "", *, down: bool = False) -> None:
        self.table.sort_by(column, player, down=down)

    def query(self) -> None:
        """Ask the database which tossups fit, in which order; the table changes once it has answered."""
        self.filters.stop()
        count = len(self.filters.filter.tossups)
        self.filters.clear_button.setText(f"Clear ({count:,} chosen)" if count else "Clear")
        self.filters.clear_button.setVisible(self.filters.narrows)
        self._reader.query(self.filters.filter, self.table.sort)

    def closeEvent(self, event: QCloseEvent) -> None:
        columns = self.table.columns_to_save()
        save_layout(self._app.home, queue_window=WindowFrame.of(self), queue_columns=columns)
        event.accept()

    # -- what was read

    def _show_result(self, result: QueueResult) -> None:
        self.messages.dismiss("rows")
        self._people = result.people
        self.model.branches = result.branches
        empty = NO_TOSSUP_FITS if self.filters.narrows else NO_TOSSUPS
        self.table.show_tossups(result.keys, result.rows, result.people, result.players, empty=empty)
        self._show_counts()
        self.painted.emit()

    def _show_facets(self, facets: QueueFacets, players: tuple[str, ...]) -> None:
        self.table.show_players(players)
        if facets == self._facets:
            return
        self._facets = facets
        self.bulk.set_names = tuple(name for name in facets.sets if name)
        self.filters.offer(facets, self._people, players)
        self._show_counts()

    def _show_counts(self) -> None:
        total = None
        if self._facets is not None and self.filters.narrows:
            total = self._facets.tossups
        self.action_bar.show_counts(len(self.model.keys), len(self.table.selected), total)

    def _show_progress(self, done: int, total: int) -> None:
        if total > PAGE * 10:
            self.action_bar.show_progress(done, total)

    def _refresh_later(self) -> None:
        if self.isVisible() and not self._refresh_soon.isActive():
            self._refresh_soon.start()

    # -- other windows

    def show_log(self) -> None:
        """Show what was recorded; of one set alone if the queue shows only that."""
        sets = self.filters.filter.sets
        self.log_requested.emit(sets[0] if len(sets) == 1 else None)

    # -- games

    def play(self) -> None:
        """Have everything played that was not played; a second time cancels it."""
        if self.play_all.running:
            self.play_all.cancel()
        else:
            self.play_all.start()

    def _show_playing(self) -> None:
        self.action_bar.show_playing(self.play_all.text)

    def _tell_played(self, text: str, good: bool) -> None:
        if text and self.isVisible():
            self.messages.show_message("play", text, news=good, brief=good)

    # -- the selected tossups

    def _fill_tags(self, menu: QMenu) -> None:
        menu.clear()
        menu.addAction("Tag one after another…").triggered.connect(self._tag)
        together = menu.addAction("Add the same tags to all selected… (Ctrl+T)")
        together.setEnabled(bool(self.table.selected))
        together.triggered.connect(self.bulk.ask_tags)

    def _fill_more(self, menu: QMenu) -> None:
        menu.clear()
        self.table.fill_columns_menu(menu.addMenu("Columns"))
        copy = menu.addAction("Copy the rows (Ctrl+C)")
        copy.triggered.connect(self.copy)
        export = menu.addAction("Export CSV…")
        export.triggered.connect(self._choose_file)
        for action in (copy, export):
            action.setEnabled(bool(self.model.keys))
        self._fill_packets(menu.addMenu("Packet"))
        menu.addSeparator()
        learning = menu.addAction("Do they still stump trained players?…")
        learning.triggered.connect(lambda: self.experiment_requested.emit("retrain"))
        menu.addAction("Log of all sets… (Ctrl+L)").triggered.connect(self.show_log)
        withdraw = menu.addAction("Withdraw from a released set…")
        withdraw.triggered.connect(lambda: self.retraction_requested.emit(self.table.selected))

    def _fill_packets(self, menu: QMenu) -> None:
        """What can be printed and exported: the selected tossups, or all that are shown."""
        menu.addAction("Copy formatted (Ctrl+Alt+F)").triggered.connect(self.copy_formatted)
        menu.addAction("Print… (Ctrl+Shift+P)").triggered.connect(self.print_on_paper)
        menu.addSeparator()
        for one in written_formats():
            menu.addAction(f"Export as {one.title}…").triggered.connect(partial(self._export_packet, one.id))
        menu.setEnabled(bool(self.model.keys))

    def copy_formatted(self) -> None:
        """Put the selected tossups, or all that are shown, on the clipboard as they are printed."""
        if self.model.keys:
            self.packets.copy(self._chosen_tossups)

    def print_on_paper(self) -> None:
        """Ask for a printer, and print the selected tossups, or all that are shown."""
        if self.model.keys:
            self.packets.print_on_paper(self._chosen_tossups)

    def _export_packet(self, kind: str) -> None:
        self.packets.choose_file(kind, self._chosen_tossups)

    def _tell_export(self, text: str, *, trouble: bool = True) -> None:
        self._show_counts()
        self.messages.show_message("export", text, brief=not trouble)

    def _tag(self) -> None:
        self.tagging_requested.emit(self._chosen_tossups)

    def _popup_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(self.table.selected) == 1:
            menu.addAction("Open").triggered.connect(lambda: self.table.open_row(self.table.currentIndex()))
            if group := self.model.branches.get(self.table.selected[0]):
                title = "Hide the branches inside" if group.opened else "Show the branches inside"
                menu.addAction(title).triggered.connect(partial(self.open_branches, group.root))
            menu.addSeparator()
        for title, fill in self.bulk.menus:
            fill(menu.addMenu(title))
        menu.addSeparator()
        menu.addAction("Comment…").triggered.connect(self.bulk.ask_comment)
        self._fill_tags(menu.addMenu("Tags"))
        menu.addAction("Copy").triggered.connect(self.copy)
        self._fill_packets(menu.addMenu("Packet"))
        menu.popup(at)

    def open_branches(self, root: str, _: bool = False) -> None:
        """Give each branch of a tossup a row of its own, or one row to all of them again."""
        self.model.opened ^= {root}
        self.query()

    @property
    def _chosen_keys(self) -> tuple[str, ...]:
        """The tossups that are selected; all that are shown where none is."""
        return self.table.selected or self.model.keys

    @property
    def _chosen_tossups(self) -> tuple[str, ...]:
        """The same; of a tossup whose branches have rows, only the first where none is selected."""
        groups = self.model.branches
        first = (key for key in self.model.keys if key not in groups or key == groups[key].keys[0])
        return self.table.selected or tuple(first)

    def copy(self) -> None:
        """Put the selected rows, or all that are shown, on the clipboard, with tabs between the columns."""
        keys, columns = self._chosen_keys, self.table.columns_shown
        titles = [column_title(*column) for column in columns]

        def read(progress: Callable[[int, int], None]) -> str:
            lines = [line[1:] for line in self._app.queue.lines(keys, columns, progress)]
            return "\n".join(
                "\t".join(escape_cell(" ".join(text.split())) for text in line) for line in [titles, *lines]
            )

        def take(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._tell_export(f"{counted_noun(len(keys), 'row')} copied.", trouble=False)

        if keys:
            self.jobs.ask(read, take, self._tell_export, told=self._show_progress)

    def _choose_file(self) -> None:
        ask_new_file(self, "Export as CSV", "queue.csv", "CSV (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write the selected rows, or all that are shown, to ``path`` as CSV."""
        keys, columns = self._chosen_keys, self.table.columns_shown

        def take(_: object) -> None:
            self._tell_export(f"{counted_noun(len(keys), 'tossup')} written to {path}.", trouble=False)

        self.jobs.ask(
            lambda progress: self._app.queue.export_csv(path, keys, columns, progress),
            take,
            self._tell_export,
            told=self._show_progress,
        )

    # -- keys, and where things are

    def _focus_table(self) -> None:
        self.query()
        self.table.setFocus()

    def _clear_or_close(self) -> None:
        if not self.filters.clear_search():
            self.close()

    def _restore_layout(self) -> None:
        saved = read_layout(self._app.home)
        if saved.queue_window is not None:
            saved.queue_window.apply(self)
        if saved.queue_columns is not None:
            self.table.restore_columns(saved.queue_columns)
