"""The choice of the engine: bundles, added packets, downloads, and the server's player."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from quizwriter.errors import QuizwriterError
from quizwriter.gui.analysis_controller import LOADING, AnalysisController
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.dialogs.evidence_download import DownloadStage, EvidenceDownload, EvidenceDownloadDialog
from quizwriter.gui.widgets.file_dialog import ask_folder
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.settings import ServerSettings
from quizwriter.system.memory import return_memory
from quizwriter.workflow.wording import training_line

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport
    from quizwriter.engine.engine import Engine
    from quizwriter.gui.dialogs.packets import PacketsDialog
    from quizwriter.gui.dialogs.server import ServerDialog

log = logging.getLogger(__name__)

STOPPED = "The training ended early. A network that was in training plays as it did before your packets."

SETTLE_MS = 2_000
"""How long, in ms, lesser work waits for the first games of a new engine, as long as none is complete.

The tables behind the completion of answers, and the look-up of clues, compute for a second or more."""

PAUSE_MS = 500
"""How long, in ms, nobody types before that work begins, once a game is complete."""

TRIM_MS = 5_000
"""How long after that, in ms, what the engine before has left free goes back to the system."""

NO_BUNDLE = "No bundle is open, so there are no guesses. Choose File > Open bundle… to open one."


class EngineController(QObject):
    """Loads the engine for the analysis, and opens the dialogs that change the bundle or its players.

    ``engine_changed`` says that another engine is in use, ``engine_settled`` that its players have answered
    for the first time, or take long: what they should not share the computer with may begin.
    """

    engine_changed = Signal()
    engine_settled = Signal()

    def __init__(self, context: WindowContext, runner: AnalysisRunner, analysis: AnalysisController) -> None:
        super().__init__(context.window)
        app, panes, self._persistent = context.app, context.panes, context.persistent
        self._app, self._theme, self._window = app, context.theme, context.window
        self._runner, self._analysis, self._answer = runner, analysis, panes.answer
        self._messages, self._save_settings = panes.messages, context.save_settings
        self._load: Callable[[], Engine] = app.engines.load  # how the engine in use is loaded
        self._loading = self._load  # how the engine that is being loaded is loaded
        self.jobs = Jobs("packets", self)
        self.learning = ChildProcess(self)
        self._learning_bundle: Path | None = None
        self._learnt = self._not_learnt = ""  # what the program that learns has said at its end
        self.packets: PacketsDialog | None = None
        self.server_dialog: ServerDialog | None = None
        self.download_dialog: EvidenceDownloadDialog | None = None
        self.download = EvidenceDownload(app, self)
        if context.persistent and app.profile.settings.elasticsearch.on:
            app.engines.use_server(app.profile.settings.elasticsearch)
        self._ended = False
        self._unsettled = False  # whether something waits for the players of a new engine
        self._settle_soon = SingleShot(self, SETTLE_MS, self._settle)
        self._trim_soon = SingleShot(self, TRIM_MS, self._return_memory)
        analysis.completed.connect(self._settle_in_pause)
        panes.answer.line.textEdited.connect(self._settle)  # who types an answer wants it completed
        runner.loaded.connect(self._take_engine)
        runner.refused.connect(self._take_refusal)
        self.learning.message_received.connect(self._take_learning)
        self.learning.absent.connect(self._end_learning)
        self.learning.ended.connect(lambda well, _: self._end_learning("" if well else STOPPED))
        self.download.published.connect(self.use_bundle)
        self.download.changed.connect(self._show_download_result)

    @property
    def engine(self) -> Engine | None:
        return self._analysis.engine

    def start(self) -> None:
        self._load_with(self._load)
        if self._persistent and self.download.stage is DownloadStage.PAUSED:
            self._messages.show_message(
                "evidence",
                "The download of more evidence is not finished. The files that have arrived are kept.",
                [("Continue", self._continue_download)],
            )

    def shutdown(self) -> None:
        self._ended, self._unsettled = True, False
        if self.server_dialog is not None:
            self.server_dialog.shutdown()
        stop_background(self)
        self.learning.shutdown()
        self.download.shutdown()

    # -- bundles

    def choose_bundle(self) -> None:
        ask_folder(self._window, "Open bundle", self.use_bundle, self._app.profile.settings.bundle)

    def use_bundle(self, path: Path) -> None:
        self._messages.dismiss("bundle")
        if self.engine is None:
            self._analysis.show_placeholder(LOADING)
        self._load_with(lambda: self._app.engines.open_bundle(path))

    def _load_with(self, load: Callable[[], Engine]) -> None:
        self._loading = load
        self._runner.load(load)

    def _take_engine(self, engine: Engine) -> None:
        if self._ended:
            return  # the window was closed while it was loaded
        with_server = self._app.engines.with_server_player(engine)
        if with_server.players != engine.players:  # another server was chosen meanwhile
            self._runner.use(with_server)
            return
        if self.packets is not None and self.engine is not None and engine.folder != self.engine.folder:
            self.packets.close()  # the dialog is about the bundle before
        self._load = self._loading
        self._save_settings()  # which bundle it is
        self._messages.dismiss("bundle")
        self._messages.dismiss("user packets")
        if engine.troubles:
            said = " ".join(map(str, engine.troubles))
            self._messages.show_message("user packets", said, [("Your packets…", self.open_packets)])
        self._window.setWindowTitle(f"{engine.title} — QuizWriter" if engine.title else "QuizWriter")
        self._analysis.use_engine(engine)
        self._app.engines.use_engine(engine)
        self.engine_changed.emit()
        self._unsettled = True
        self._settle_soon.start()
        if self._analysis.settled:  # nothing is asked of the players
            self._settle()

    def _settle_in_pause(self) -> None:
        """All players have answered: settle once nobody types, for what begins then takes turns from keys."""
        if self._unsettled:
            self._settle_soon.start_in(PAUSE_MS)

    def _settle(self) -> None:
        if self._unsettled and self.engine is not None:
            self._unsettled = False
            self._settle_soon.stop()
            pages, library = self.engine.pages, self.engine.library
            self._answer.use_pages(pages, partial(self._app.past.times_asked, pages.asked, library))
            self.engine_settled.emit()
            self._trim_soon.start()

    def _return_memory(self) -> None:
        self.jobs.ask(lambda _: return_memory(), lambda _: None, log.warning)

    def _take_refusal(self, trouble: QuizwriterError) -> None:
        remedies = [("Open bundle…", self.choose_bundle)]
        if self.engine is None:
            remedies.append(
                ("Use the starter bundle", lambda: self._load_with(self._app.engines.load_starter))
            )
            self._analysis.show_placeholder(NO_BUNDLE)
        self._messages.show_message("bundle", str(trouble), remedies)

    # -- packets

    def open_packets(self) -> None:
        if self.engine is None:
            self._messages.show_message("packets", self._analysis.placeholder, brief=True)
            return
        if self.packets is not None:
            self.packets.raise_()
            return
        from quizwriter.gui.dialogs.packets import PacketsDialog

        bundle = self.engine.folder
        dialog = self.packets = PacketsDialog(self._theme, self.engine.title, self._window)
        dialog.add_requested.connect(partial(self._add_packets, bundle))
        dialog.remove_requested.connect(partial(self._remove_packets, bundle))
        dialog.learn_requested.connect(partial(self._learn, bundle))
        dialog.unlearn_requested.connect(partial(self._unlearn, bundle))
        dialog.stop_requested.connect(self.learning.stop)
        dialog.finished.connect(self._clear_packets_dialog)
        dialog.show()
        self._list_packets(bundle)

    def _clear_packets_dialog(self) -> None:
        self.packets = None

    def _show_progress(self, done: int, total: int) -> None:
        if self.packets is not None:
            self.packets.show_reading(done, total)

    def _reload(self, engine: Engine) -> None:
        if self.engine is not None and self.engine.folder == engine.folder:
            self._runner.load(lambda: engine)

    def _add_packets(self, bundle: Path, paths: list[Path]) -> None:
        def then(result: tuple[list[PacketImport], Engine]) -> None:
            added, engine = result
            self._reload(engine)
            self._list_packets(bundle, new=added)

        if self.packets is not None:
            self.packets.begin_work("Reading packets…")
        self.jobs.ask(
            lambda progress: self._app.packets.add_packets(bundle, paths, progress),
            then,
            self._show_packets_message,
            told=self._show_progress,
        )

    def _remove_packets(self, bundle: Path, name: str) -> None:
        def then(engine: Engine) -> None:
            self._reload(engine)
            self._list_packets(bundle, "The packets were removed. Their files are untouched.")

        if self.packets is not None:
            self.packets.begin_work("Removing…")
        self.jobs.ask(
            lambda _: self._app.packets.remove_packets(bundle, name), then, self._show_packets_message
        )

    def _list_packets(self, bundle: Path, text: str = "", new: Sequence[PacketImport] = ()) -> None:
        """List the added packets, and those of the ``new`` ones that could not be read."""
        unread = [one for one in new if not one.name]

        def then(result: tuple[list[PacketImport], list[QuizwriterError], bool]) -> None:
            added, troubles, taught = result
            if self.packets is not None:
                said = [text, *map(str, troubles)]
                message = " ".join(filter(None, said))
                chosen = new[-1].name if new else ""
                self.packets.show_added(
                    [*unread, *added], message, chosen, taught=taught, trouble=bool(troubles)
                )
                if self.learning.runs:
                    self.packets.begin_learning()
                return
            done = text or ("Your packets are in the evidence." if len(unread) < len(new) else "")
            said = [done, *(one.sentence for one in unread)]
            if told := " ".join(filter(None, said)):
                self._messages.show_message("packets", told, brief=not unread)

        packets = self._app.packets
        self.jobs.ask(
            lambda _: (*packets.added_packets(bundle), packets.have_taught(bundle)),
            then,
            self._show_packets_message,
        )

    def _learn(self, bundle: Path) -> None:
        """Have the networks learn from the packets of ``bundle``, in a process of their own."""
        if self.learning.runs:
            return
        try:
            command = self._app.packets.learning_command(bundle)
        except QuizwriterError as trouble:
            self._show_packets_message(str(trouble))
            return
        self._learning_bundle, self._learnt, self._not_learnt = bundle, "", ""
        self.learning.start(command)
        if self.packets is not None:
            self.packets.begin_learning()

    def _take_learning(self, said: dict[str, Any]) -> None:
        if "note" in said:
            self._learnt = str(said["note"])
        elif "problem" in said:
            self._not_learnt = f"{said['problem']} {said['remedy']}"
        elif "share" in said and self.packets is not None:
            line = training_line({said["player"]: said["share"]})
            self.packets.show_learning(f"{line}.", said["share"])

    def _end_learning(self, trouble: str) -> None:
        """Use the networks as they are now, and show what came of it; ``trouble``: why it ended early."""
        bundle, said = self._learning_bundle, self._not_learnt or trouble or self._learnt
        assert bundle is not None

        def then(engine: Engine) -> None:
            self._reload(engine)
            if trouble:
                self._show_packets_message(said)
            else:
                self._list_packets(bundle, said)

        self.jobs.ask(lambda _: self._app.packets.reload(bundle), then, self._show_packets_message)

    def _unlearn(self, bundle: Path) -> None:
        def then(result: tuple[str, Engine]) -> None:
            said, engine = result
            self._reload(engine)
            self._list_packets(bundle, said)

        if self.packets is not None:
            self.packets.begin_work("Undoing the training of the networks…")
        self.jobs.ask(lambda _: self._app.packets.unlearn(bundle), then, self._show_packets_message)

    def _show_packets_message(self, text: str) -> None:
        if self.packets is not None:
            self.packets.end_work(text, trouble=True)
        elif text:
            self._messages.show_message("packets", text)

    # -- more evidence

    def open_download(self) -> None:
        self._messages.dismiss("evidence")
        if self.download_dialog is None:
            self.download_dialog = EvidenceDownloadDialog(self._app, self._theme, self.download, self._window)
        elif self.download.stage is DownloadStage.DONE and not self.download_dialog.isVisible():
            self.download.cancel()  # that was last time
        self.download_dialog.show()
        self.download_dialog.activateWindow()

    def _continue_download(self) -> None:
        self.open_download()
        self.download.start()

    def _show_download_result(self) -> None:
        """Show how the download ended, if its dialog is closed."""
        stage, trouble = self.download.stage, self.download.trouble
        if self.download_dialog is not None and self.download_dialog.isVisible():
            return
        if stage is DownloadStage.DONE:
            self._messages.show_message("evidence", "The new evidence is in use.", brief=True)
        elif stage is DownloadStage.FAILED and trouble is not None:
            self._messages.show_message("evidence", str(trouble), [("Try again…", self.open_download)])

    # -- the server

    def open_server(self) -> None:
        if self.server_dialog is None:
            from quizwriter.gui.dialogs.server import ServerDialog

            self.server_dialog = ServerDialog(self._app, self._theme, lambda: self.engine, self._window)
            self.server_dialog.saved.connect(self._use_server)
        self.server_dialog.open_settings()

    def _use_server(self, server: ServerSettings, said: str) -> None:
        """Switch the player of ``server`` on or off, and save that setting."""
        self._save_settings(elasticsearch=server)
        self._app.engines.use_server(server if server.on else None)
        self._messages.dismiss("server")
        if said:
            self._messages.show_message("server", said)
        if self.engine is not None:
            self._runner.use(self._app.engines.with_server_player(self.engine))
