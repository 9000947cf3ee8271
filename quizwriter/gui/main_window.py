"""The window: makes the panes and carries values between them, the session and the two threads."""

from __future__ import annotations

import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QLockFile, QObject, QPoint, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDesktopServices,
    QGuiApplication,
    QKeySequence,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMessageBox,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from quizwriter import __version__
from quizwriter.domain.evidence import Method
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.review import Consent, ConsentGiven, Status
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.dialogs.evidence_download import DownloadStage, EvidenceDownload, EvidenceDownloadDialog
from quizwriter.gui.dialogs.packets import PacketsDialog
from quizwriter.gui.dialogs.preferences import PreferencesDialog
from quizwriter.gui.dialogs.training import TrainingRun
from quizwriter.gui.review.comments_controller import CommentsController
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.messages import ActionSearch, MessageBars, StatusLine
from quizwriter.gui.writing.answer_field import AnswerField
from quizwriter.gui.writing.draft import BuzzMark, DraftMarks, DraftPane, word_at
from quizwriter.gui.writing.draft_undo import DraftUndo
from quizwriter.gui.writing.evidence import EvidencePane
from quizwriter.gui.writing.guesses import GuessCard, GuessPane, guess_card, wikipedia
from quizwriter.gui.writing.lower_pane import LowerPane
from quizwriter.gui.writing.timeline import TimeLine
from quizwriter.gui.writing.tossup_list import OPENING, TossupEntry, TossupList
from quizwriter.services import App
from quizwriter.settings import LARGEST, SMALLEST, ServerSettings
from quizwriter.workflow.analysis import LONGEST_DRAFT, Analysis, Request, wanted_evidence
from quizwriter.workflow.session import PendingSave, WritingSession
from quizwriter.workflow.wording import (
    Lane,
    borrowed_evidence_line,
    lane,
    page_ranks,
    player_name,
    player_title,
    stumped_sentence,
    summary_sentence,
    supporter,
)

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.challenge import ChallengeDialog
    from quizwriter.gui.dialogs.transfer import TransferController
    from quizwriter.gui.history.history_window import HistoryWindows
    from quizwriter.gui.queue.queue_window import QueueWindow
    from quizwriter.gui.review.tagging_window import TaggingWindow
    from quizwriter.services import Engine, PacketImport

log = logging.getLogger(__name__)

SAVE_MS = 100
"""From the first key that is not saved to its way to the disk."""

CURSOR_MS = 1_000
"""The same where only the cursor moved."""

UNPAINTED_MS = 20
"""How long a draft waits to be painted before it is read to the players all the same."""

DIM_MS = 200
"""How long guesses may be of an older draft before they are dimmed; less would flicker with every key."""

IDLE_MS = 1_000
"""How long the writer pauses before weights that were estimated are worked out exactly."""

CONSENTS = {
    Consent.YES: "&Allow it",
    Consent.NO: "Do &not allow it",
    Consent.DO_NOT_RELEASE: "Ne&ver, whatever others say",
}
"""What a writer may answer, in the menu."""

CLOSING_MS = 3_000
"""How long a closing window waits for the disk."""

LANES = "What each player would say after every word, and where it would buzz, is drawn here."
"""What the time line says before it has anything to show."""

LOADING = "The machine is loading; you can write meanwhile."
ALL_OFF = "Every player is switched off. The View menu, or Ctrl+Shift+1 and so on, switches them on."
NO_BUNDLE = "No bundle is open, so there are no guesses. File, Open bundle… opens one."


class MainWindow(QMainWindow):
    """The whole program on screen.

    ``painted`` carries the generation whose first guesses have just been painted, ``completed`` the one of
    which all players' guesses have been.
    """

    painted = Signal(int)
    completed = Signal(int)

    def __init__(
        self, app: App, theme: Theme, *, session: WritingSession | None = None, keep: bool = True
    ) -> None:
        """A window on ``app``; nothing reaches the disk unless ``keep``."""
        save = app.tossups.save if keep else _forgotten  # may raise, so before any thread runs
        super().__init__()
        self._app = app
        self._theme = theme
        self._keeps = keep
        self._engine: Engine | None = None
        self._machine_says = LOADING
        self._sessions: dict[str, WritingSession] = {}
        self._hovered: int | None = None
        self._trouble_saving = False
        self._leaving_anyway = False
        self._closed = False
        self._plays: dict[str, tuple[Tossup, Playthrough]] = {}  # each player's last game, and what of
        self._mute: frozenset[str] = frozenset()  # players without evidence of their own
        self._whose = ""  # the player whose evidence is wanted; empty: the first
        self._late = False  # whether games of an older draft are shown as such
        self._page: Page | None = None  # what the evidence on screen is for
        self._asked: Request | None = None
        self._unread: Request | None = None  # the same, until the players have it
        self._told_all = False  # whether the players have said all they had to that
        self._load: Callable[[], Engine] = app.engines.load  # how the engine in use is loaded
        self._loading = self._load  # the same for the one that is on its way
        self._trained: list[str] | None = None
        self._player_actions: list[QAction] = []
        self._full_evidence = -1  # the generation of which everything is shown
        self.analysis_runner = AnalysisRunner()
        self.saver = Saver(save)
        self.jobs = JobQueue()
        self.packets: PacketsDialog | None = None
        self.evidence_download = EvidenceDownload(app, self)
        self._fetch_dialog: EvidenceDownloadDialog | None = None
        self.preferences: PreferencesDialog | None = None
        if keep and app.profile.settings.elasticsearch.on:
            app.engines.use_server(app.profile.settings.elasticsearch)
        self.training = TrainingRun(self)
        self.tagging: TaggingWindow | None = None
        self._histories: HistoryWindows | None = None
        self.setWindowTitle("QuizWriter")

        self.messages = MessageBars(theme)
        self.tossups = TossupList(theme)
        self.answer = AnswerField(theme)
        self.draft = DraftPane(theme)
        self.time_line = TimeLine(theme)
        self.guesses = GuessPane(theme)
        self.evidence = EvidencePane(theme)
        self.status = StatusLine(theme)
        self.comments = CommentsController(app, theme, self.draft, self.saver, self.messages, save=self.save)
        self.draft_undo = DraftUndo(self.draft, app.review.changes, self)
        self.header = TossupHeader(app, theme, self.messages)
        self._queue: QueueWindow | None = None
        self._challenge: ChallengeDialog | None = None
        self._transfer: TransferController | None = None
        self._lay_out()
        self._actions: dict[str, QAction] = {}
        self._make_menus()
        self.search = ActionSearch(theme, tuple(self._actions.values()), self)

        self._save_soon = _timer(self, SAVE_MS, self.save)
        self._save_cursor = _timer(self, CURSOR_MS, self.save)
        self._submit_soon = _timer(self, UNPAINTED_MS, self._submit)
        self._dim_soon = _timer(self, DIM_MS, self._be_late)
        self._sharpen_soon = _timer(self, IDLE_MS, self._sharpen)
        self._keep_geometry_soon = _timer(self, CURSOR_MS, self._keep_geometry)

        self.columns.moved.connect(self._keep_geometry_soon.start)
        self.columns.left.connect(self.draft.setFocus)
        self.draft.typed.connect(self._typed)
        self.draft.painted.connect(self._submit_painted)
        self.draft.moved.connect(self._moved)
        self.draft_undo.made.connect(self._changed)
        self.draft_undo.refused.connect(lambda text: self.messages.show_message("undo", text))
        self.draft_undo.broke.connect(self.report)
        self.draft.refused.connect(lambda text: self.messages.show_message("paste", text))
        self.draft.pointed.connect(self._point_from_draft)
        self.draft.placed.connect(self._align)
        self.draft.examples_wanted.connect(self._open_examples)
        self.answer.changed.connect(self._answered)
        self.answer.refused.connect(lambda text: self.messages.show_message("paste", text))
        self.answer.done.connect(self.draft.setFocus)
        self.time_line.pointed.connect(self._hover)
        self.time_line.chosen.connect(self._look_at_word)
        self.guesses.chosen.connect(self._choose_of)
        self.guesses.picked.connect(self._look_through)
        self.guesses.moved.connect(self._move_player)
        self.guesses.silenced.connect(self._switch_player)
        self.guesses.fitting.connect(self._fit_guesses)
        self.guesses.stepped.connect(self.time_line.step)
        self.evidence.picked.connect(self._look_through)
        self.evidence.exact_wanted.connect(self._sharpen)
        self.guesses.painted.connect(self._painted)
        self.tossups.opened.connect(self._open_listed)
        self.tossups.new_wanted.connect(self._new)
        self.tossups.menu_wanted.connect(self._offer_for_tossup)
        self.tossups.left.connect(self.draft.setFocus)
        self.analysis_runner.loaded.connect(self._take_engine)
        self.analysis_runner.refused.connect(self._take_refusal)
        self.analysis_runner.analysed.connect(self._take_analysis)
        self.analysis_runner.broke.connect(self.report)
        self.jobs.broke.connect(self.report)
        self.jobs.progressed.connect(self._progressed)
        self.saver.settled.connect(self._settled)
        self.saver.troubled.connect(self._not_saved)
        self.saver.broke.connect(self._broke_saving)
        self.evidence_download.published.connect(self.use_bundle)
        self.evidence_download.changed.connect(self._tell_fetching)
        self.training.changed.connect(lambda: self.status.say_doing(self.training.said))
        self.training.trained.connect(lambda: self._load_with(self._load))
        self.training.failed.connect(self._not_trained)
        self.comments.shown.connect(self._show_comments_for_now)
        self.comments.counted.connect(
            lambda threads, unsent: self._below.show_comment_count(threads, unsent=unsent)
        )
        self.comments.broke.connect(self.report)
        self.review_actions = ReviewActions(
            app, theme, self.saver, self.messages, self, save=self.save, engine=lambda: self._engine
        )
        self.review_actions.broke.connect(self.report)
        self.header.use(self.review_actions)
        self.header.locked.connect(self._lock)
        self.draft.refused_edit.connect(self.header.refuse_edit)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self._restore_geometry()
        self._refresh_list()
        if app.profile.settings_trouble is not None:
            self.messages.show_message(
                "settings", f"{app.profile.settings_trouble} Until then the default holds."
            )
        self.session = session or self._first_session()
        self._open(self.session)
        self.draft.setFocus()

    # -- from start to end

    def start(self) -> None:
        """Load what the first paint did not wait for."""
        self._load_with(self._load)
        if self._keeps and self.evidence_download.stage is DownloadStage.PAUSED:
            self.messages.show_message(
                "evidence",
                "Getting more evidence is not finished; what has arrived is kept.",
                [("Go on", self._go_on_fetching)],
            )

    @property
    def settled(self) -> bool:
        """Whether everything on screen is of the draft as it stands."""
        return self._full_evidence == self.session.generation

    def save(self) -> None:
        """Hand everything not saved yet to the saver."""
        if self._transfer is not None and self._transfer.busy:
            return  # a game of the draft before would be kept as one of whatever comes in its place
        self._save_soon.stop()
        self._save_cursor.stop()
        if self.session.has_unsaved:
            self.session.put_cursor(self.draft.cursor_at)  # after an undo Qt does not always tell
        others = (one for one in self._sessions.values() if one is not self.session)
        for session in (*others, self.session):  # what is saved last is what opens next time
            saving = session.take_unsaved()
            if saving is not None:
                self.saver.keep(saving)
        if self.saver.idle and not self._trouble_saving:
            self._settled()

    def report(self, text: str) -> None:
        """Say that there is a bug, of which ``text`` is the traceback; the draft is saved first."""
        self.save()
        self.messages.show_message(
            "bug",
            "Something in QuizWriter went wrong; your text is safe and you can go on. "
            "A report would help to mend it.",
            [("Copy report", lambda: self._copy_report(text))],
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._closed:
            return
        self.save()
        if not self.saver.flush(CLOSING_MS) and not self._leaving_anyway:
            self._leaving_anyway = True
            self.messages.show_message(
                "closing",
                "The window stays open because your last words are not on disk yet. Make room, or copy the "
                "draft; close again to close all the same.",
                [("Copy draft", self._copy_draft)],
            )
            event.ignore()
            return
        if self.tagging is not None and not self.tagging.close():
            event.ignore()
            return
        self._closed = True
        self._keep_geometry_soon.stop()
        self._keep_geometry()
        self.comments.shutdown()
        self.draft_undo.shutdown()
        self.hide()  # a player may be waiting for its server; the writer need not
        if self.preferences is not None:
            self.preferences.shutdown()
        self.jobs.stop()
        self.review_actions.shutdown()
        if self._queue is not None:
            self._queue.shutdown()
        if self._transfer is not None:
            self._transfer.shutdown()
        if self._histories is not None:
            self._histories.shutdown()
        if self._challenge is not None:
            self._challenge.shutdown()
        self.evidence_download.shutdown()
        self.training.shutdown()
        self._app.close()  # first, so that no thread waits for a player
        self.analysis_runner.stop()
        self.saver.stop()
        event.accept()

    # -- what the writer does

    def _typed(self, text: str) -> None:
        if self.session.type(text, self.draft.cursor_at):
            self._changed()

    def _moved(self, position: int) -> None:
        self.session.put_cursor(position)
        if self.session.has_unsaved and not self._save_cursor.isActive():
            self._save_cursor.start()

    def _answered(self, answer: Answer | None) -> None:
        if self.session.ask_for(answer):
            self._changed()

    def _changed(self) -> None:
        self._hovered = None
        self._ask(once_painted=True)
        if not self._save_soon.isActive():
            self._save_soon.start()
        if not self._trouble_saving:
            self.status.say_saved("saving")
        if not self._dim_soon.isActive():
            self._dim_soon.start()
        self._count()
        self._show_entry()
        self.draft_undo.offer()
        self.time_line.mirror(mirrored=self.draft.reads_right_to_left())

    def _choose(self, page: Page) -> None:
        """Look at the evidence for ``page``; chosen again, follow the first guess as before."""
        wanted = None if page == self.session.focus else page
        if self.session.look_at(wanted, self.session.heard):
            self._ask()
            self._paint()

    def _choose_of(self, player: str, page: Page) -> None:
        """Look at why ``player`` believes in ``page``."""
        if player == self._current:
            self._choose(page)
        else:
            self.session.look_at(page, self.session.heard)
            self._look_through(player)

    def _look_through(self, player: str) -> None:
        """Show the evidence of ``player``."""
        self._whose = player
        self._ask()
        self._paint()

    def _switch_player(self, name: str) -> None:
        """Switch a player off, or on again; it holds from now on."""
        off = self._app.profile.settings.players_off
        self._remember(players_off=tuple(one for one in off if one != name) if name in off else (*off, name))
        self._offer_players()
        self._ask()
        self._paint()

    def _move_player(self, name: str, by: int) -> None:
        """Let a player stand earlier or later among those who are on; it holds from now on."""
        order, awake = list(self._players), list(self._awake)
        at = awake.index(name) + by
        if 0 <= at < len(awake):
            one, other = order.index(name), order.index(awake[at])
            order[one], order[other] = order[other], order[one]
            self._remember(player_order=tuple(order))
            self._offer_players()
            self._paint()

    def _choose_rank(self, rank: int) -> None:
        page = self.guesses.page(rank)
        if page is not None and page != self.session.focus:
            self._choose(page)

    def _choose_answer(self) -> None:
        answer = self.session.tossup.answer
        if answer is None or answer.page is None:
            self.messages.show_message(
                "answer",
                "Set the answer first (Ctrl+L); then its evidence can be shown."
                if answer is None
                else "The answer is not in this bundle, so there is no evidence for it.",
                brief=True,
            )
        elif answer.page != self.session.focus:
            self._choose(answer.page)

    def _look_at_word(self, heard: int | None) -> None:
        self._hovered = None
        if self.session.look_at(self.session.focus, heard):
            self._ask()
            self._paint(follow=True)

    def _hover(self, heard: int | None) -> None:
        if heard != self._hovered:
            self._hovered = heard
            self._paint()

    def _point_from_draft(self, point: int | None) -> None:
        """Mark in the time line the word under the mouse in the draft."""
        words = self.session.tossup.words
        at = None if point is None else word_at(words, point)
        self.time_line.mark(self.session.heard if at is None else at + 1)

    def _new(self) -> None:
        if not self.session.tossup.text and self.session.tossup.answer is None:
            self.draft.setFocus()  # this one is new already
            return
        self._open(self._app.tossups.new_session())
        self.draft.setFocus()

    def _open_examples(self) -> None:
        try:
            packet = self._app.tossups.add_examples()
        except QuizwriterError as trouble:
            self.messages.show_message("open", str(trouble))
            return
        for one in reversed(packet):  # what is new goes to the top of the list
            if one.tossup_id not in self._sessions:
                self.tossups.show_changed(TossupEntry(one.tossup_id, one.answer_line, one.opening, one.words))
        self.columns.show_tossups()
        self._open_listed(packet[0].tossup_id)

    def _open_listed(self, tossup_id: str) -> None:
        if tossup_id == self.session.tossup_id:
            self.draft.setFocus()
            return
        # A session of this run may know more than the disk, for instance while that is full.
        session = self._sessions.get(tossup_id)
        if session is None:
            try:
                session = self._app.tossups.session(tossup_id)
            except QuizwriterError as trouble:
                self.messages.show_message("open", str(trouble))
                return
        self._open(session)
        self.draft.setFocus()

    def _open_bundle(self) -> None:
        dialog = QFileDialog(self, "Open bundle", self._app.profile.settings.bundle)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.use_bundle(Path(name)))
        dialog.open()

    def use_bundle(self, path: Path) -> None:
        """Load the bundle at ``path``; the one in use goes on until that is done."""
        self.messages.dismiss("bundle")
        if self._engine is None:
            self._machine_says = LOADING
            self._paint()
        self._load_with(lambda: self._app.engines.open_bundle(path))

    def _load_with(self, load: Callable[[], Engine]) -> None:
        self._loading = load
        self.analysis_runner.load(load)

    def open_packets(self) -> None:
        """Show the packets that were added to the bundle, to add others or take some out."""
        if self._engine is None:
            self.messages.show_message("answer", self._machine_says, brief=True)
            return
        if self.packets is not None:
            self.packets.raise_()
            return
        bundle = self._engine.folder
        dialog = self.packets = PacketsDialog(self._theme, self._engine.title, self)
        dialog.wanted.connect(partial(self._add_packets, bundle))
        dialog.unwanted.connect(partial(self._remove_packets, bundle))
        dialog.finished.connect(self._forget_packets)
        dialog.show()
        self._list_packets(bundle)

    def _forget_packets(self) -> None:
        self.packets = None

    def _progressed(self, done: int, total: int) -> None:
        if self.packets is not None:
            self.packets.progress(done, total)

    def _reload(self, engine: Engine) -> None:
        """Go on with ``engine``, unless another bundle was opened meanwhile."""
        if self._engine is not None and self._engine.folder == engine.folder:
            self.analysis_runner.load(lambda: engine)

    def _add_packets(self, bundle: Path, paths: list[Path]) -> None:
        def then(result: tuple[list[PacketImport], Engine] | QuizwriterError | None) -> None:
            if isinstance(result, tuple):
                added, engine = result
                self._reload(engine)
                self._list_packets(
                    bundle, chosen=added[-1].name, others=[one for one in added if not one.name]
                )
            else:
                self._say_of_packets(str(result or ""))

        if self.packets is not None:
            self.packets.wait("Reading packets…")
        self.jobs.run(lambda progress: self._app.packets.add_packets(bundle, paths, progress), then)

    def _remove_packets(self, bundle: Path, name: str) -> None:
        def then(result: Engine | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                self._say_of_packets(str(result or ""))
            else:
                self._reload(result)
                self._list_packets(bundle, "Removed; the files themselves are untouched.")

        if self.packets is not None:
            self.packets.wait("Removing…")
        self.jobs.run(lambda _: self._app.packets.remove_packets(bundle, name), then)

    def _list_packets(
        self, bundle: Path, text: str = "", chosen: str = "", others: Sequence[PacketImport] = ()
    ) -> None:
        """List what was added, and ``others``, of which nothing could be read."""

        def then(result: tuple[list[PacketImport], list[QuizwriterError]] | QuizwriterError | None) -> None:
            if isinstance(result, tuple) and self.packets is not None:
                added, troubles = result
                said = [text, *map(str, troubles)]
                self.packets.show_added([*others, *added], " ".join(filter(None, said)), chosen)
            elif isinstance(result, tuple):
                self.messages.show_message("packets", text or "Your packets are in the evidence.", brief=True)
            else:
                self._say_of_packets(str(result or ""))

        self.jobs.run(lambda _: self._app.packets.added_packets(bundle), then)

    def _say_of_packets(self, text: str) -> None:
        if self.packets is not None:
            self.packets.say(text)
        elif text:
            self.messages.show_message("packets", text)

    def _show_fetching(self) -> None:
        self.messages.dismiss("evidence")
        if self._fetch_dialog is None:
            self._fetch_dialog = EvidenceDownloadDialog(self._app, self._theme, self.evidence_download, self)
        elif self.evidence_download.stage is DownloadStage.DONE and not self._fetch_dialog.isVisible():
            self.evidence_download.cancel()  # that was last time
        self._fetch_dialog.show()
        self._fetch_dialog.activateWindow()

    def _go_on_fetching(self) -> None:
        self._show_fetching()
        self.evidence_download.start()

    @property
    def histories(self) -> HistoryWindows:
        """The history windows."""
        if self._histories is None:
            from quizwriter.gui.history.history_window import HistoryWindows

            self._histories = histories = HistoryWindows(self._app, self._theme, self._today, self)
            histories.restored.connect(self._restore)
            histories.branched.connect(self._show_branch)
            histories.broke.connect(self.report)
            self.saver.saved.connect(histories.follow)
        return self._histories

    def show_history(self, tossup_id: str) -> None:
        """Open the history window of a tossup."""
        self.save()
        self.histories.show(tossup_id)

    def _today(self) -> Engine | None:
        """The engine with the players that are on."""
        engine, off = self._engine, self._app.profile.settings.players_off
        if engine is None:
            return None
        return replace(engine, players=tuple(player for player in engine.players if player.name not in off))

    def _offer_for_tossup(self, tossup_id: str, where: QPoint) -> None:
        """The menu of a tossup in the list."""
        self.histories.warm()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self._open_listed(tossup_id))
        menu.addAction("History…", lambda: self.show_history(tossup_id))
        menu.popup(where)

    def _restore(self, tossup_id: str, text: str) -> None:
        """Put an old version into the draft."""
        self._open_listed(tossup_id)
        if self.session.tossup_id != tossup_id:
            return
        self.draft.replace(text)
        self.activateWindow()
        self.messages.show_message(
            "restored", "The old version is in the draft.", [("Undo", self.draft.undo)], brief=True
        )

    def _show_branch(self, tossup_id: str) -> None:
        self._refresh_list()
        self._open_listed(tossup_id)
        self.activateWindow()
        self.messages.show_message("restored", "This is a new tossup; the other is as it was.", brief=True)

    def _show_preferences(self) -> None:
        if self.preferences is None:
            self.preferences = PreferencesDialog(self._app, self._theme, self)
            self.preferences.chosen.connect(self._use_server)
        self.preferences.offer()

    def _use_server(self, server: ServerSettings, said: str) -> None:
        """Let the player of ``server`` play, or no longer; it holds from now on."""
        self._remember(elasticsearch=server)
        self._app.engines.use_server(server if server.on else None)
        self.messages.dismiss("server")
        if said:
            self.messages.show_message("server", said)
        if self._engine is not None:
            self.analysis_runner.use(self._app.engines.with_server_player(self._engine))

    # -- what comes back

    def _tell_fetching(self) -> None:
        """Say how the fetching ended, if its own dialog does not."""
        stage, trouble = self.evidence_download.stage, self.evidence_download.trouble
        if self._fetch_dialog is not None and self._fetch_dialog.isVisible():
            return
        if stage is DownloadStage.DONE:
            self.messages.show_message("evidence", "The new evidence is in use.", brief=True)
        elif stage is DownloadStage.FAILED and trouble is not None:
            self.messages.show_message("evidence", str(trouble), [("Try again…", self._show_fetching)])

    def _take_engine(self, engine: Engine) -> None:
        joined = self._app.engines.with_server_player(engine)
        if joined.players != engine.players:  # another server was chosen meanwhile
            self.analysis_runner.use(joined)
            return
        if self.packets is not None and self._engine is not None and engine.folder != self._engine.folder:
            self.packets.close()  # it is about the bundle before
        self._engine = engine
        self._load = self._loading
        self._plays = {name: (Tossup(""), play) for name, (_, play) in self._plays.items()}
        self._mute = frozenset()
        self.answer.use_pages(engine.pages)
        self._remember()  # which bundle it is
        self._machine_says = ""
        self.messages.dismiss("bundle")
        self.messages.dismiss("yours")
        if engine.troubles:
            said = " ".join(map(str, engine.troubles))
            self.messages.show_message("yours", said, [("Your packets…", self.open_packets)])
        self.setWindowTitle(f"{engine.title} \u2014 QuizWriter" if engine.title else "QuizWriter")
        self._offer_players()
        self._ask()
        self._paint()
        self._train()

    def _train(self) -> None:
        """Train what the bundle lacks, once."""
        command = self._app.engines.training_command() if self._keeps and not self.training.runs else None
        if command is not None and command != self._trained:
            self._trained = command
            self.training.start(command)

    def _not_trained(self, problem: str) -> None:
        def again() -> None:
            self.messages.dismiss("training")
            self._trained = None
            self._train()

        self.messages.show_message(
            "training", f"{problem} The players there are go on.", [("Try again", again)]
        )

    def _take_refusal(self, trouble: QuizwriterError) -> None:
        remedies = [("Open bundle…", self._open_bundle)]
        if self._engine is None:
            remedies.append(("Use the starter bundle", self._use_starter))
            self._machine_says = NO_BUNDLE
            self._paint()
        self.messages.show_message("bundle", str(trouble), remedies)

    def _use_starter(self) -> None:
        self._load_with(self._app.engines.load_starter)

    def _take_analysis(self, analysis: Analysis) -> None:
        engines = {player.name: player.engine for player in self._engine.players} if self._engine else {}
        digests = [engines.get(play.guesser, "") for play in analysis.plays]
        if not self.session.accept(analysis, digests):
            return
        for play in analysis.plays:
            self._plays[play.guesser] = (analysis.request.tossup, play)
        self._mute |= analysis.mute
        if self._fresh >= set(self._awake):
            self._dim_soon.stop()
            self._late = False
        self._told_all = analysis.done
        if analysis.request.exact:
            self.evidence.show_working(working=False)
        if analysis.done and not analysis.request.exact and self._request() != self._asked:
            self._ask()  # now it is known on whom a player without evidence of its own rests
            self._paint(evidence=False)
        else:
            self._paint()
        if self.session.has_unsaved and not self._save_soon.isActive():
            self._save_soon.start()

    def _settled(self) -> None:
        if self._trouble_saving:
            self._trouble_saving = False
            self.messages.dismiss("closing")
            self.messages.show_message("disk", "Everything is saved again.", brief=True)
        if not self._save_soon.isActive():
            self.status.say_saved("saved")

    def _not_saved(self, trouble: QuizwriterError) -> None:
        self._trouble_saving = True
        self.status.say_saved("not saved")
        text = (
            f"Not saved yet. {trouble} Nothing you typed is lost: it is kept in this window and saved as "
            "soon as that is possible."
        )
        if text != self.messages.said("disk"):
            self.messages.show_message("disk", text, [("Copy draft", self._copy_draft)])

    def _broke_saving(self, text: str) -> None:
        self._trouble_saving = True
        self.status.say_saved("not saved")
        self.messages.show_message(
            "disk",
            "Not saved yet, because something in QuizWriter went wrong. What you typed is kept in this "
            "window and tried again; copy the draft to be safe. A report would help to mend it.",
            [("Copy draft", self._copy_draft), ("Copy report", lambda: self._copy_report(text))],
        )

    # -- painting

    def _open(self, session: WritingSession) -> None:
        """Put ``session`` into the panes."""
        self.session = session
        self._sessions[session.tossup_id] = session
        self._hovered = None
        self._full_evidence = -1
        self._plays.clear()
        self._page = None
        self.analysis_runner.forget()
        self.draft.put(session.tossup.text, session.cursor)
        session.touch()
        self.draft_undo.open(session)
        session.type(self.draft.text)  # what cannot stand in a draft was left out: an edit like any other
        self.answer.put(session.tossup.answer)
        if session.tossup.text or session.tossup.answer is not None:
            self._show_entry()
        self.tossups.show_current(session.tossup_id)
        self.header.open(session)
        self._count()
        self.time_line.mirror(mirrored=self.draft.reads_right_to_left())
        self._paint()
        self._ask()
        self.save()
        self._below.return_to_choice()
        if self._keeps:
            self.comments.open(session)

    def _ask(self, *, once_painted: bool = False) -> None:
        """Have the draft read; ``once_painted`` if it is about to change on the screen."""
        if self._engine is None:
            return
        self._sharpen_soon.stop()
        self._full_evidence = -1
        self.evidence.show_working(working=False)
        if self.session.tossup.text.strip():
            self._asked, self._told_all = self._request(), False
            self._unread = self._asked
            self.analysis_runner.forget()
            if once_painted:
                self._submit_soon.start(UNPAINTED_MS)
            else:
                self._submit()
        else:
            self._unread = None
            self.analysis_runner.forget()
            self._paint()

    def _submit_painted(self) -> None:
        if self._unread is not None:
            self._submit_soon.start(0)  # when what else changed is painted, too

    def _submit(self) -> None:
        """Hand over what is to be read: best once it is on the screen, as others computing slow that down."""
        if self._unread is not None:
            unread, self._unread = self._unread, None
            self.analysis_runner.submit(unread)

    def _request(self) -> Request:
        """What the players should read now, and whose evidence is wanted."""
        request = replace(
            self.session.request(),
            whose=self._current,
            silent=frozenset(self._app.profile.settings.players_off),
        )
        page, found = self._leaning()
        who = supporter(found)
        return request if who is None else replace(request, whose=who, focus=page)

    def _leaning(self) -> tuple[Page | None, dict[str, int | None]]:
        """The page looked at, and where the others have it, if the current player is mute."""
        current = self._current
        if current not in self._mute or current not in self._plays:
            return None, {}
        heard, page = wanted_evidence(self._plays[current][1], self.session.request())
        others = [self._plays[name][1] for name in self._awake if name != current and name in self._plays]
        return page, page_ranks(
            page, [one for one in others if one.guesser not in self._mute], heard
        ) if page else {}

    def _sharpen(self) -> None:
        """Have the weights on screen worked out exactly, if they are estimated and of the last request."""
        analysis = self.session.analysis
        if analysis is not None and analysis.request == self._asked and _estimated(analysis):
            self._sharpen_soon.stop()
            self.evidence.show_working(working=True)
            self.analysis_runner.sharpen(analysis)

    @property
    def _players(self) -> tuple[str, ...]:
        """The bundle's players, in the writer's order."""
        names = [player.name for player in self._engine.players] if self._engine is not None else []
        order = {name: place for place, name in enumerate(self._app.profile.settings.player_order)}
        return tuple(sorted(names, key=lambda name: order.get(name, len(order))))

    @property
    def _awake(self) -> tuple[str, ...]:
        """The players that are on, in the writer's order."""
        return tuple(name for name in self._players if name not in self._app.profile.settings.players_off)

    @property
    def _fresh(self) -> set[str]:
        """The players whose games are of the draft as it stands."""
        return {name for name, (of, _) in self._plays.items() if of == self.session.tossup}

    @property
    def _current(self) -> str | None:
        """The player whose evidence is shown: the one chosen, else the first that is not in trouble."""
        if self._whose in self._awake:
            return self._whose
        well = (name for name in self._awake if not self._trouble(name))
        return next(well, next(iter(self._awake), None))

    def _trouble(self, name: str | None) -> str:
        """Why the player does not play, if it does not."""
        play = self._plays[name][1] if name in self._plays else None
        return (play.trouble or "") if play is not None else ""

    def _paint(self, *, follow: bool = False, evidence: bool = True) -> None:
        """Show the session's analysis as of the word looked at, or what there is instead of one.

        The evidence stays as it is unless ``evidence``.
        """
        session, analysis, awake = self.session, self.session.analysis, self._awake
        self._show_message()
        if analysis is None or not session.tossup.text.strip() or not awake:
            self.guesses.show_cards((), -1)
            self.guesses.show_word(0, 0)
            says = self._machine_says or (ALL_OFF if self._engine is not None and not awake else LANES)
            self.time_line.show_lanes(session.tossup, (), says)
            self.evidence.chooser.show_players((), "")
            self.evidence.show_evidence(session.tossup, None)
            self.draft.show_marks(DraftMarks())
            self.status.tell(self._machine_says)
            if not session.tossup.text.strip() or (self._engine is not None and not awake):
                self._full_evidence = session.generation
            return
        tossup = analysis.request.tossup
        words = tossup.words[:LONGEST_DRAFT]
        looked = self._hovered or session.heard
        heard = len(words) if looked is None else min(looked, len(words))
        found = next(iter(analysis.evidence), None)
        if found is not None and evidence:
            self._page = found.page
        self._show_games(tossup, heard, session.focus or self._page)
        self.guesses.show_word(heard, len(words))
        self.time_line.mark(looked)
        if tossup.text != session.tossup.text:
            return  # positions are of another text; what is painted moves along with the new one
        if evidence and (found is not None or analysis.done):
            page, others = self._leaning()
            aside = self._trouble(self._current)
            if page is not None:
                aside = borrowed_evidence_line(str(self._current), page, others)
            self.evidence.show_evidence(tossup, found, aside)
            self.draft.show_marks(self._marks(analysis))
            if self._told_all:
                self._full_evidence = session.generation
                self.evidence.dim(stale=False)
                if _estimated(analysis) and not self._sharpen_soon.isActive():
                    self._sharpen_soon.start()
        self.draft.point_at(None if looked is None or not words else words[heard - 1], follow=follow)

    def _show_games(self, tossup: Tossup, heard: int, focus: Page | None) -> None:
        """Show every player's game, that of an older draft where there is no other yet."""
        awake, fresh, current = self._awake, self._fresh, self._current
        plays = {name: self._plays[name][1] for name in awake if name in self._plays}
        old = frozenset(awake) - fresh if self._late else frozenset()
        cards = []
        for name in awake:
            shown = GuessCard(name)
            if name in plays:
                shown = guess_card(plays[name], min(heard, len(plays[name].tossup.words)), focus)
            cards.append(replace(shown, current=name == current, stale=name in old))
        complete = fresh >= set(awake)
        self.guesses.show_cards(
            tuple(cards), self.session.generation if fresh & set(awake) else -1, complete=complete
        )
        self._offer_evidence()
        told = [play for name, play in plays.items() if name not in old]
        said = [
            summary_sentence(told),
            *(f"{player_title(name)} is still reading." for name in awake if name in old),
        ]
        self.status.tell(" ".join(part for part in said if part))
        self.time_line.show_lanes(
            tossup,
            tuple(lane(plays[name]) if name in plays else Lane(name) for name in awake),
            headline=stumped_sentence(told) if len(told) == len(awake) else "",
            summary=self.status.sentence if len(awake) > 1 else "",
            stale=old,
        )

    def _painted(self, generation: int, complete: bool) -> None:
        self.painted.emit(generation)
        if complete:
            self.completed.emit(generation)

    def _marks(self, analysis: Analysis) -> DraftMarks:
        words = analysis.request.tossup.words[:LONGEST_DRAFT]
        cues = analysis.evidence[0].cues if analysis.evidence else ()
        strongest = max((abs(cue.weight) for cue in cues), default=0.0) or 1.0
        lanes = [lane(self._plays[name][1]) for name in self._awake if name in self._plays]
        buzzes = tuple(
            BuzzMark(one.name, words[one.buzz - 1].end, one.buzzes_right)
            for one in lanes
            if one.buzz is not None and 0 < one.buzz <= len(words)
        )
        # After a wrong buzz the others play on, so the rest of the text still matters.
        everyone = bool(buzzes) and all(
            one.trouble is not None or (one.buzz is not None and one.buzzes_right is not False)
            for one in lanes
        )
        return DraftMarks(
            cues=tuple((cue.span, cue.weight / strongest) for cue in cues),
            buzzes=buzzes,
            dim_from=max(mark.at for mark in buzzes) if everyone else None,
        )

    def _be_late(self) -> None:
        """Show what is still of an older draft as such."""
        self._late = self._engine is not None
        self.evidence.dim(stale=self._late and self._full_evidence != self.session.generation)
        self._paint()

    def _show_message(self) -> None:
        if self._machine_says:
            self.guesses.say(self._machine_says)
        elif self._engine is not None and not self._awake:
            self.guesses.say(ALL_OFF)
        elif not self.session.tossup.text.strip():
            self.guesses.say("The five best guesses appear here as you write.")
        else:
            self.guesses.say("")

    def _count(self) -> None:
        tossup = self.session.tossup
        self.status.count(len(tossup.text), len(tossup.words))

    def _show_entry(self) -> None:
        tossup = self.session.tossup
        line = tossup.answer.line if tossup.answer else ""
        known = self.session.tossup_id
        self.tossups.show_changed(TossupEntry(known, line, tossup.text[:OPENING], len(tossup.words)))
        self.tossups.show_current(known)

    def _refresh_list(self) -> None:
        try:
            self.tossups.show_all(self._app.tossups.summaries())
            self.comments.read()  # what was said may have come along
        except QuizwriterError as trouble:
            self.messages.show_message("list", str(trouble))

    def _first_session(self) -> WritingSession:
        try:
            return self._app.tossups.last_session()
        except QuizwriterError as trouble:
            self.messages.show_message("open", str(trouble))
            return self._app.tossups.new_session()

    def _copy_report(self, text: str) -> None:
        whole = f"QuizWriter {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n\n{text}"
        QGuiApplication.clipboard().setText(whole)

    def _copy_draft(self) -> None:
        line = self.session.tossup.answer.line if self.session.tossup.answer else ""
        text = self.session.tossup.text + (f"\nANSWER: {line}" if line else "")
        QGuiApplication.clipboard().setText(text)

    # -- layout and menus

    def _lay_out(self) -> None:
        self._centre = QWidget()
        self._centre.setAutoFillBackground(True)
        column = QVBoxLayout(self._centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.answer)
        column.addWidget(self.draft, 1)
        column.addWidget(self.time_line)
        self._below = LowerPane(self.evidence, self.comments.pane)
        self._below.switched.connect(lambda widget: self.draft.show_cues(shown=widget is self.evidence))
        self.columns = ColumnLayout(self.tossups, self._centre, self.guesses, self._below)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.messages)
        rows.addWidget(self.columns, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(whole)
        self.setMinimumSize(QSize(760, 480))
        self.resize(1280, 800)

    def _fit_guesses(self, pixels: int) -> None:
        """Give the guesses room, and the evidence a choice of player where they have none."""
        self.columns.fit_guesses(pixels)
        self._offer_evidence()

    def _offer_evidence(self) -> None:
        self.evidence.chooser.show_players(self._awake, self._current or "")

    def _align(self, left: int, right: int) -> None:
        """Let answer, text and time line begin and end together."""
        self.header.align(left, right)
        self.answer.align(left, right)
        self.time_line.align(left, right)

    def _make_menus(self) -> None:
        menus = self.menuBar()
        file, edit = menus.addMenu("&File"), menus.addMenu("&Edit")
        view, go = menus.addMenu("&View"), menus.addMenu("&Go")
        review, about = menus.addMenu("&Review"), menus.addMenu("&Help")
        add = self._add
        add(file, "&New tossup", "Ctrl+N", self._new)
        add(file, "Open from the &list", "Ctrl+O", self._focus_list)
        file.addSeparator()
        add(file, "Open &bundle…", "", self._open_bundle)
        add(file, "Add &packets…", "", self.open_packets)
        add(file, "&Get more evidence…", "", self._show_fetching)
        file.addSeparator()
        add(file, "&Send to editor…", "", self.send)
        add(file, "&Receive…", "", lambda: self.transfer.choose())
        file.addSeparator()
        add(file, "Pro&file…", "", self._open_profile)
        add(file, "P&references…", "Ctrl+,", self._show_preferences)
        file.addSeparator()
        add(file, "&Quit", "Ctrl+Q", self.close)
        undo = add(edit, "&Undo", "Ctrl+Z", lambda: self._in_focus("undo"))
        redo = add(edit, "&Redo", "Ctrl+Shift+Z", lambda: self._in_focus("redo"))
        redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        self.draft_undo.use_actions(undo, redo)
        edit.addSeparator()
        add(edit, "Cu&t", "Ctrl+X", lambda: self._in_focus("cut"))
        add(edit, "&Copy", "Ctrl+C", lambda: self._in_focus("copy"))
        add(edit, "&Paste", "Ctrl+V", lambda: self._in_focus("paste"))
        add(edit, "Select &all", "Ctrl+A", lambda: self._in_focus("selectAll"))
        edit.addSeparator()
        add(edit, "Insert the power &mark", "Ctrl+K", self.draft.insert_power_mark)
        add(edit, "Copy the &draft with its answer", "Ctrl+Shift+C", self._copy_draft)
        add(view, "Larger text", "Ctrl++", lambda: self._resize_draft(1)).setShortcuts(
            [QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")]
        )
        add(view, "Smaller text", "Ctrl+-", lambda: self._resize_draft(-1))
        view.addSeparator()
        themes = QActionGroup(self)
        for name, title in (("light", "light"), ("dark", "dark"), ("system", "as the system")):
            action = add(view, f"Theme: {title}", "", partial(self._use_theme, name))
            action.setCheckable(True)
            action.setChecked(self._app.profile.settings.theme == name)
            themes.addAction(action)
        view.addSeparator()
        self._order = view.addMenu("&Order of the players")
        self._view, self._players_above = view, self._order.menuAction()
        view.addSeparator()
        add(view, "Hide or show the &list", "F9", self.columns.toggle_tossups)
        add(view, "Hide or show the &machine's side", "F10", self.columns.toggle_machine)
        add(view, "&Draft and time line only", "F11", self.columns.toggle_all_but_writing)
        add(go, "To the &answer", "Ctrl+L", self._focus_answer)
        add(go, "To the &draft", "Ctrl+D", self.draft.setFocus)
        add(go, "To the &evidence", "Ctrl+E", self._focus_evidence)
        add(go, "To the &time line", "Ctrl+T", self.time_line.setFocus)
        go.addSeparator()
        add(go, "One word back", "Alt+Left", lambda: self.time_line.step(-1))
        add(go, "One word on", "Alt+Right", lambda: self.time_line.step(1))
        add(go, "Back to the last word", "Alt+End", lambda: self._look_at_word(None))
        go.addSeparator()
        for rank in range(1, 6):
            add(go, f"Evidence for guess &{rank}", f"Ctrl+{rank}", partial(self._choose_rank, rank))
        add(go, "Evidence for the true answer", "Ctrl+0", self._choose_answer)
        add(go, "Read about this page on Wikipedia", "Ctrl+Shift+W", self._open_wikipedia)
        self._make_review_menu(review)
        add(about, "&Keys and actions", "F1", self._open_search)
        add(about, "&Search all actions", "Ctrl+Shift+P", self._open_search)
        add(about, "&Glossary", "", self._show_glossary)
        add(about, "Open the &example set", "", self._open_examples)

    def _make_review_menu(self, menu: QMenu) -> None:
        """What concerns more than the draft."""
        self._add(menu, "&Ready…", "Ctrl+Return", lambda: self.header.set_status(Status.READY))
        self._add(menu, "Change the &status…", "Ctrl+Alt+S", self.header.status_chip.showMenu)
        self._add(menu, "Choose a cate&gory…", "Ctrl+Alt+C", self.header.category_chip.showMenu)
        self._add(menu, "Categories of the se&t…", "", self.header.edit_categories)
        self._add(menu, "&Take back the last change", "", lambda: self.review_actions.undo())
        menu.addSeparator()
        comment = self._add(menu, "&Comment on the selection", "Ctrl+Alt+M", self.comments.comment)
        suggest = self._add(menu, "Su&ggest other words", "Ctrl+Alt+G", self.comments.suggest)
        self.draft.offers = [comment, suggest]
        self._add(menu, "Show or hide co&mments", "Ctrl+Shift+M", self._toggle_comments)
        menu.addSeparator()
        self._add(menu, "&Tag tossups…", "Ctrl+Shift+T", self.open_tagging)
        self._add(menu, "&Queue", "Ctrl+Shift+Q", self.open_queue)
        release = menu.addMenu("Re&lease of this tossup")
        for consent, title in CONSENTS.items():
            self._add(release, title, "", partial(self._consent, consent))
        self._add(menu, "E&xport challenge set…", "", self.open_challenge)
        self._add(menu, "&Branches…", "", lambda: self.transfer.branches())
        self._add(menu, "&History…", "Ctrl+H", lambda: self.show_history(self.session.tossup_id))
        menu.aboutToShow.connect(lambda: self.histories.warm())
        menu.menuAction().setVisible(not menu.isEmpty())

    def _lock(self, locked: bool) -> None:
        """Let the tossup take no edits, or take them again."""
        self.draft.lock(locked=locked)
        self.answer.line.setReadOnly(locked)
        self.draft_undo.offer()
        self._apply_theme()

    def _consent(self, consent: Consent) -> None:
        """Say whether the tossup may be released."""
        self.review_actions.record(
            [self.session.tossup_id], ConsentGiven(consent), f"Release of this tossup: {consent}.", ""
        )

    def open_challenge(self) -> None:
        """Ask what goes into a challenge set, and export it."""
        from quizwriter.gui.dialogs.challenge import ChallengeDialog

        self.save()
        if self._challenge is None:
            self._challenge = ChallengeDialog(self._app, self._theme, lambda: self._engine, self)
            self._challenge.broke.connect(self.report)
            self._challenge.finished.connect(self._forget_challenge)
        self._challenge.show()
        self._challenge.activateWindow()

    def _forget_challenge(self) -> None:
        self._challenge = None

    def open_queue(self) -> None:
        """Show all tossups as a table."""
        from quizwriter.gui.queue.queue_window import QueueWindow

        self.save()
        if self._queue is None:
            self._queue = QueueWindow(self._app, self._theme, self.saver, self.save, lambda: self._engine)
            self._queue.opened.connect(self._open_from_queue)
            self._queue.tagging_wanted.connect(self.open_tagging)
            self._queue.broke.connect(self.report)
            self._queue.review_actions.changed.connect(self.header.take_changed)
            self.review_actions.changed.connect(self._queue.refresh)
        self._queue.present()

    def _open_from_queue(self, tossup_id: str) -> None:
        self._open_listed(tossup_id)
        self.comments.reveal()
        self.activateWindow()

    def open_tagging(self, keys: Sequence[str] = ()) -> None:
        """Tag the tossups ``keys``, or all where none are given, with what makes them hard."""
        from quizwriter.gui.dialogs.profile import require_profile
        from quizwriter.gui.review.tagging_window import TaggingWindow

        def then(_: object) -> None:
            self.tagging = TaggingWindow(self._app, self._theme, keys)
            self.tagging.opened.connect(self._open_from_queue)
            self.tagging.show()

        self.save()  # or a tossup just begun would be missing
        if self.tagging is not None and not self.tagging.close():
            return
        require_profile(self._app, self._theme, self, then)

    def _toggle_comments(self) -> None:
        if self._below.currentWidget() is self.comments.pane:
            self._below.choose(self.evidence)
            self.draft.setFocus()
        else:
            self.columns.show_machine()
            self._below.choose(self.comments.pane)
            self.comments.pane.take_keyboard()

    def _show_comments_for_now(self) -> None:
        self.columns.show_machine()
        self._below.show_for_now(self.comments.pane)

    @property
    def transfer(self) -> TransferController:
        """Tossups to others and from others."""
        if self._transfer is None:
            from quizwriter.gui.dialogs.transfer import TransferController

            self._transfer = TransferController(self._app, self._theme, self.saver, self.save, self)
            self._transfer.changed.connect(self._go_on)
            self._transfer.opened.connect(self._open_from_queue)
        return self._transfer

    def send(self) -> None:
        """Pack tossups for somebody else, who is told from whom they are."""
        from quizwriter.gui.dialogs.profile import require_profile

        self.save()
        saved = bool(self.session.tossup.text or self.session.tossup.answer)
        key, title = (self.session.tossup_id, self._title()) if saved else ("", "")
        require_profile(self._app, self._theme, self, lambda _: self.transfer.send(key, title))

    def _title(self) -> str:
        tossup = self.session.tossup
        return tossup.answer.main if tossup.answer else f"{tossup.text[:40].strip()} …"

    def _go_on(self, moved: Mapping[str, str]) -> None:
        """Go on with what is in the database now, where tossups may have got other ids."""
        current = self.session.tossup_id
        self._sessions.clear()
        self._refresh_list()
        if self._queue is not None:
            self._queue.refresh()
        try:
            session = self._app.tossups.session(moved.get(current, current))
        except QuizwriterError:  # it is not there, because nothing was typed yet
            session = self.session
        self._open(session)

    def _open_profile(self) -> None:
        from quizwriter.gui.dialogs.profile import ProfileDialog

        ProfileDialog(self._app, self._theme, self).open()

    def _show_glossary(self) -> None:
        from quizwriter.gui.dialogs.glossary import show_glossary

        try:
            show_glossary(self._theme, self)
        except QuizwriterError as trouble:
            self.messages.show_message("glossary", str(trouble))

    def _offer_players(self) -> None:
        """A switch and a place for each player, in the View menu and its keys."""
        for action in self._player_actions:
            self._actions.pop(action.text(), None)
            action.setShortcuts([])  # it lives until the next event, and keys are not shared
            action.deleteLater()
        self._player_actions.clear()
        off = self._app.profile.settings.players_off
        names = [player.name for player in self._engine.players] if self._engine is not None else []
        for number, name in enumerate(names, start=1):  # the bundle's order, so that keys keep their meaning
            key = f"Ctrl+Shift+{number}" if number <= 9 else ""
            switch = self._add(
                self._view, f"Player: {player_title(name)}", key, partial(self._switch_player, name)
            )
            self._view.insertAction(self._players_above, switch)
            switch.setCheckable(True)
            switch.setChecked(name not in off)
            self._player_actions.append(switch)
        for name in self._awake[1:]:
            up = self._add(
                self._order, f"Move {player_name(name)} up", "", partial(self._move_player, name, -1)
            )
            self._player_actions.append(up)
        self._order.menuAction().setVisible(len(self._awake) > 1)
        self.search.use(tuple(self._actions.values()))

    def _add(self, menu: QMenu, text: str, key: str, do: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        if key:
            action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _=False: do())
        menu.addAction(action)
        self._actions[text] = action
        return action

    def _in_focus(self, what: str) -> None:
        widget = QApplication.focusWidget()
        if not isinstance(widget, QLineEdit | QTextEdit):
            widget = self.draft
        getattr(widget, what)()

    def _open_search(self) -> None:
        self.search.open(QApplication.focusWidget())

    def _focus_list(self) -> None:
        self.columns.show_tossups()
        self.tossups.search.setFocus()
        self.tossups.search.selectAll()

    def _focus_answer(self) -> None:
        self.answer.line.setFocus()
        self.answer.line.selectAll()

    def _focus_evidence(self) -> None:
        self.columns.show_machine()
        self._below.choose(self.evidence)
        self.evidence.text.setFocus()

    def _open_wikipedia(self) -> None:
        analysis = self.session.analysis
        if analysis is not None and analysis.evidence:
            QDesktopServices.openUrl(wikipedia(analysis.evidence[0].page))

    def _resize_draft(self, by: int) -> None:
        pixels = max(SMALLEST, min(LARGEST, self._theme.draft_size_px + by))
        self._theme.use_draft_size(pixels)
        self._remember(draft_size_px=pixels)

    def _use_theme(self, name: str) -> None:
        self._theme.use_theme(name)
        self._remember(theme=name)

    def _remember(self, **choice: object) -> None:
        try:
            self._app.profile.save_settings(replace(self._app.profile.settings, **choice))  # type: ignore[arg-type]
        except QuizwriterError as trouble:
            self.messages.show_message("settings", str(trouble))

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        for pane in (self._centre, self.guesses, self.evidence):
            palette = QPalette(pane.palette())
            locked = pane is self._centre and self.draft.isReadOnly()
            palette.setColor(QPalette.ColorRole.Window, tokens.chrome if locked else tokens.page)
            pane.setPalette(palette)
            pane.setAutoFillBackground(True)

    # -- where things are on screen

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_keep_geometry_soon"):
            self._keep_geometry_soon.start()

    def _places(self) -> QSettings:
        return QSettings(str(self._app.home / "window.ini"), QSettings.Format.IniFormat)

    def _keep_geometry(self) -> None:
        if not self._keeps:
            return
        places = self._places()
        places.setValue("window", self.saveGeometry())
        self.columns.keep(places)
        places.sync()

    def _restore_geometry(self) -> None:
        if not self._keeps:
            return
        places = self._places()
        window = places.value("window")
        if isinstance(window, QByteArray):
            self.restoreGeometry(window)
        self.columns.restore(places)


def _estimated(analysis: Analysis) -> bool:
    """Whether the evidence in ``analysis`` is there and could be more exact."""
    found = next(iter(analysis.evidence), None)
    estimated = found is not None and found.method is Method.GRADIENT
    return estimated and analysis.done and not analysis.request.exact


def _timer(parent: QObject, milliseconds: int, do: Callable[[], object]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(do)
    return timer


def _forgotten(saving: PendingSave) -> None:
    """What a window that keeps nothing does with a saving."""


def make_window(
    app: App, qt: QApplication, *, session: WritingSession | None = None, keep: bool = True, scheme: str = ""
) -> MainWindow:
    """A window on ``app``, not yet shown."""
    settings = app.profile.settings
    theme = Theme(
        qt,
        scheme=scheme or settings.theme,
        draft_font=settings.draft_font,
        draft_size_px=settings.draft_size_px,
    )
    return MainWindow(app, theme, session=session, keep=keep)


def qt_application() -> QApplication:
    """Qt's application object, made if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    qt = QApplication(["quizwriter"])
    qt.setApplicationName("QuizWriter")
    qt.setApplicationDisplayName("QuizWriter")
    return qt


def run(app: App) -> int:
    """The exit status, once the writer has closed the window.

    Raises:
        QuizwriterError: the database cannot be opened.
    """
    qt = qt_application()
    lock = QLockFile(str(app.home / "window.lock"))
    lock.setStaleLockTime(0)  # a window may stay open for weeks; one that was killed holds nothing
    try:
        app.store  # noqa: B018 - its troubles come first, and it makes the folder of the lock
        if not lock.tryLock(0) and lock.error() == QLockFile.LockError.LockFailedError:
            raise QuizwriterError(
                f"QuizWriter is already open with the tossups in {app.home}.",
                "Go on in that window, or close it first.",
            )
        app.engines.in_processes = True
        window = make_window(app, qt)
    except QuizwriterError as trouble:
        if qt.platformName() not in {"offscreen", "minimal"}:  # someone started it from a menu
            QMessageBox.critical(None, "QuizWriter cannot start", str(trouble))
        raise

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("a bug", exc_info=(kind, error, trace))
        window.report("".join(traceback.format_exception(kind, error, trace)))

    before = sys.excepthook
    sys.excepthook = report
    interrupted = False

    def stop(number: int, _: object) -> None:  # called at the next sweep, within a second
        nonlocal interrupted
        interrupted = number == signal.SIGINT
        window.close()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    window.show()
    QTimer.singleShot(0, window.start)  # after the first paint
    try:
        with collecting_garbage_here():
            status = qt.exec()
            return 130 if interrupted else status
    finally:
        sys.excepthook = before
        lock.unlock()


def picture(app: App, tossup: Tossup, path: Path, *, scheme: str = "light") -> None:
    """The window with ``tossup`` fully analysed, as a PNG at ``path``; nothing is kept.

    Raises:
        QuizwriterError: there is no engine, or the picture cannot be written.
    """
    qt = qt_application()
    session = WritingSession("picture", tossup, cursor=len(tossup.text))
    window = make_window(app, qt, session=session, keep=False, scheme=scheme)
    refused: list[QuizwriterError] = []
    window.analysis_runner.refused.connect(refused.append)
    window.resize(1280, 800)
    window.show()
    window.start()
    until = time.monotonic() + 120
    calm = 0
    with collecting_garbage_here():
        while calm < 10 and not refused and time.monotonic() < until:
            qt.processEvents()
            time.sleep(0.02)
            calm = calm + 1 if window.settled else 0
    shot = window.grab()
    window.close()
    if refused:
        raise refused[0]
    if not shot.save(str(path)):
        raise QuizwriterError(f"The picture {path} could not be written.", "Check the folder and the disk.")
