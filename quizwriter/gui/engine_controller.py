"""Which engine plays: bundles, packets added to them, more evidence, training, and the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.gui.analysis_controller import LOADING, AnalysisController
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.dialogs.evidence_download import DownloadStage, EvidenceDownload, EvidenceDownloadDialog
from quizwriter.gui.dialogs.training import TrainingRun
from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.settings import ServerSettings

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.packets import PacketsDialog
    from quizwriter.gui.dialogs.preferences import PreferencesDialog
    from quizwriter.services import App, Engine, PacketImport

NO_BUNDLE = "No bundle is open, so there are no guesses. Choose File > Open bundle… to open one."


class EngineController(QObject):
    """Loads engines for the analysis, and opens the dialogs that change what there is to load."""

    def __init__(
        self,
        app: App,
        theme: Theme,
        runner: AnalysisRunner,
        analysis: AnalysisController,
        panes: WritingPanes,
        *,
        remember: Callable[..., None],
        keep: bool,
        parent: QWidget,
    ) -> None:
        """``remember`` keeps settings by keyword; nothing is trained or asked of servers unless ``keep``."""
        super().__init__(parent)
        self._app, self._theme, self._window = app, theme, parent
        self._runner, self._analysis, self._answer = runner, analysis, panes.answer
        self._messages, self._remember, self._keeps = panes.messages, remember, keep
        self._load: Callable[[], Engine] = app.engines.load  # how the engine in use is loaded
        self._loading = self._load  # the same for the one that is on its way
        self._trained: list[str] | None = None
        self.jobs = JobQueue("packets")
        self.packets: PacketsDialog | None = None
        self.preferences: PreferencesDialog | None = None
        self.download_dialog: EvidenceDownloadDialog | None = None
        self.download = EvidenceDownload(app, self)
        self.training = TrainingRun(self)
        if keep and app.profile.settings.elasticsearch.on:
            app.engines.use_server(app.profile.settings.elasticsearch)
        runner.loaded.connect(self._take_engine)
        runner.refused.connect(self._take_refusal)
        self.jobs.progressed.connect(self._show_progress)
        self.download.published.connect(self.use_bundle)
        self.download.changed.connect(self._tell_download)
        self.training.changed.connect(lambda: panes.status.say_doing(self.training.said))
        self.training.trained.connect(lambda: self._load_with(self._load))
        self.training.failed.connect(self._tell_training_failed)

    @property
    def engine(self) -> Engine | None:
        """The engine that plays, if one is loaded."""
        return self._analysis.engine

    def start(self) -> None:
        """Load the engine, and say what was left unfinished."""
        self._load_with(self._load)
        if self._keeps and self.download.stage is DownloadStage.PAUSED:
            self._messages.show_message(
                "evidence",
                "The download of more evidence is not finished. The files that have arrived are kept.",
                [("Continue", self._continue_download)],
            )

    def shutdown(self) -> None:
        """End what runs beside the window."""
        if self.preferences is not None:
            self.preferences.shutdown()
        self.jobs.stop()
        self.download.shutdown()
        self.training.shutdown()

    # -- bundles

    def choose_bundle(self) -> None:
        """Ask for the folder of a bundle, and load it."""
        dialog = QFileDialog(self._window, "Open bundle", self._app.profile.settings.bundle)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.use_bundle(Path(name)))
        dialog.open()

    def use_bundle(self, path: Path) -> None:
        """Load the bundle at ``path``; the one in use goes on until that is done."""
        self._messages.dismiss("bundle")
        if self.engine is None:
            self._analysis.say_instead(LOADING)
        self._load_with(lambda: self._app.engines.open_bundle(path))

    def _load_with(self, load: Callable[[], Engine]) -> None:
        self._loading = load
        self._runner.load(load)

    def _take_engine(self, engine: Engine) -> None:
        joined = self._app.engines.with_server_player(engine)
        if joined.players != engine.players:  # another server was chosen meanwhile
            self._runner.use(joined)
            return
        if self.packets is not None and self.engine is not None and engine.folder != self.engine.folder:
            self.packets.close()  # it is about the bundle before
        self._load = self._loading
        self._answer.use_pages(engine.pages)
        self._remember()  # which bundle it is
        self._messages.dismiss("bundle")
        self._messages.dismiss("yours")
        if engine.troubles:
            said = " ".join(map(str, engine.troubles))
            self._messages.show_message("yours", said, [("Your packets…", self.open_packets)])
        self._window.setWindowTitle(f"{engine.title} — QuizWriter" if engine.title else "QuizWriter")
        self._analysis.use_engine(engine)
        self._train()

    def _take_refusal(self, trouble: QuizwriterError) -> None:
        remedies = [("Open bundle…", self.choose_bundle)]
        if self.engine is None:
            remedies.append(
                ("Use the starter bundle", lambda: self._load_with(self._app.engines.load_starter))
            )
            self._analysis.say_instead(NO_BUNDLE)
        self._messages.show_message("bundle", str(trouble), remedies)

    # -- training

    def _train(self) -> None:
        """Train what the bundle lacks, once."""
        command = self._app.engines.training_command() if self._keeps and not self.training.runs else None
        if command is not None and command != self._trained:
            self._trained = command
            self.training.start(command)

    def _tell_training_failed(self, problem: str) -> None:
        def again() -> None:
            self._messages.dismiss("training")
            self._trained = None
            self._train()

        self._messages.show_message(
            "training", f"{problem} The other players are not affected.", [("Try again", again)]
        )

    # -- packets

    def open_packets(self) -> None:
        """Show the packets that were added to the bundle, to add others or take some out."""
        if self.engine is None:
            self._messages.show_message("answer", self._analysis.says, brief=True)
            return
        if self.packets is not None:
            self.packets.raise_()
            return
        from quizwriter.gui.dialogs.packets import PacketsDialog

        bundle = self.engine.folder
        dialog = self.packets = PacketsDialog(self._theme, self.engine.title, self._window)
        dialog.add_requested.connect(partial(self._add_packets, bundle))
        dialog.remove_requested.connect(partial(self._remove_packets, bundle))
        dialog.finished.connect(self._forget_packets)
        dialog.show()
        self._list_packets(bundle)

    def _forget_packets(self) -> None:
        self.packets = None

    def _show_progress(self, done: int, total: int) -> None:
        if self.packets is not None:
            self.packets.show_reading(done, total)

    def _reload(self, engine: Engine) -> None:
        """Go on with ``engine``, unless another bundle was opened meanwhile."""
        if self.engine is not None and self.engine.folder == engine.folder:
            self._runner.load(lambda: engine)

    def _add_packets(self, bundle: Path, paths: list[Path]) -> None:
        def then(result: tuple[list[PacketImport], Engine] | QuizwriterError | None) -> None:
            if isinstance(result, tuple):
                added, engine = result
                self._reload(engine)
                self._list_packets(
                    bundle, chosen=added[-1].name, others=[one for one in added if not one.name]
                )
            else:
                self._tell_of_packets(str(result or ""))

        if self.packets is not None:
            self.packets.begin_work("Reading packets…")
        self.jobs.run(lambda progress: self._app.packets.add_packets(bundle, paths, progress), then)

    def _remove_packets(self, bundle: Path, name: str) -> None:
        def then(result: Engine | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                self._tell_of_packets(str(result or ""))
            else:
                self._reload(result)
                self._list_packets(bundle, "The packets were removed. Their files are untouched.")

        if self.packets is not None:
            self.packets.begin_work("Removing…")
        self.jobs.run(lambda _: self._app.packets.remove_packets(bundle, name), then)

    def _list_packets(
        self, bundle: Path, text: str = "", chosen: str = "", others: Sequence[PacketImport] = ()
    ) -> None:
        """List what was added, and ``others``, of which nothing could be read."""

        def then(result: tuple[list[PacketImport], list[QuizwriterError]] | QuizwriterError | None) -> None:
            if isinstance(result, tuple) and self.packets is not None:
                added, troubles = result
                said = [text, *map(str, troubles)]
                message = " ".join(filter(None, said))
                self.packets.show_added([*others, *added], message, chosen, trouble=bool(troubles))
            elif isinstance(result, tuple):
                self._messages.show_message(
                    "packets", text or "Your packets are in the evidence.", brief=True
                )
            else:
                self._tell_of_packets(str(result or ""))

        self.jobs.run(lambda _: self._app.packets.added_packets(bundle), then)

    def _tell_of_packets(self, text: str) -> None:
        if self.packets is not None:
            self.packets.end_work(text, trouble=True)
        elif text:
            self._messages.show_message("packets", text)

    # -- more evidence

    def open_download(self) -> None:
        """Show what more evidence there is, or how far its download is."""
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

    def _tell_download(self) -> None:
        """Say how the download ended, if its own dialog does not."""
        stage, trouble = self.download.stage, self.download.trouble
        if self.download_dialog is not None and self.download_dialog.isVisible():
            return
        if stage is DownloadStage.DONE:
            self._messages.show_message("evidence", "The new evidence is in use.", brief=True)
        elif stage is DownloadStage.FAILED and trouble is not None:
            self._messages.show_message("evidence", str(trouble), [("Try again…", self.open_download)])

    # -- the server

    def open_preferences(self) -> None:
        """Ask which server's player plays along."""
        if self.preferences is None:
            from quizwriter.gui.dialogs.preferences import PreferencesDialog

            self.preferences = PreferencesDialog(self._app, self._theme, self._window)
            self.preferences.saved.connect(self._use_server)
        self.preferences.open_settings()

    def _use_server(self, server: ServerSettings, said: str) -> None:
        """Let the player of ``server`` play, or no longer; it holds from now on."""
        self._remember(elasticsearch=server)
        self._app.engines.use_server(server if server.on else None)
        self._messages.dismiss("server")
        if said:
            self._messages.show_message("server", said)
        if self.engine is not None:
            self._runner.use(self._app.engines.with_server_player(self.engine))
