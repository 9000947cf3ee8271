"""*Get more evidence*: a process downloads and indexes; the window starts, shows and ends it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from enum import Enum, auto
from pathlib import Path
from typing import Annotated, Any

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.file_dialog import ask_file
from quizwriter.gui.widgets.labels import ElidedLabel
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.services.wiring import App
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import DecodingError, decode_small_json, read_limited
from quizwriter.workflow.wording import training_line

log = logging.getLogger(__name__)

WIDTH = 640
"""Pixels of the dialog; it is as high as it must be."""

FULL = 1_000
"""Steps of the bar."""

UNFINISHED = "unfinished.json"

EXPLANATION = (
    "QuizWriter can download past questions and encyclopedia text, and use them for guesses and evidence. "
    "The download starts only when you choose Download, and sends none of your own text. It takes at least "
    "twenty minutes, because it asks Wikipedia only once a second. "
)
TRAINED = "Then the networks are trained for up to two hours; the first player already uses the new evidence."
UNTRAINED = "Only the first player will use the new evidence. "


class DownloadStage(Enum):
    """The state of the download."""

    IDLE = auto()
    RUNNING = auto()
    STOPPING = auto()
    PAUSED = auto()
    FAILED = auto()
    DONE = auto()


class EvidenceDownload(QObject):
    """The process that downloads evidence, seen from the window.

    A pause ends the process, and the next start continues where it ended. A pause therefore outlasts the
    window, and a window that is killed loses nothing. ``changed`` says that an attribute has a new value;
    ``published`` carries the folder of a new bundle.
    """

    changed = Signal()
    published = Signal(object)

    def __init__(self, app: App, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._program = ChildProcess(self)
        self._program.message_received.connect(self._take)
        self._program.absent.connect(self._failed)
        self._program.ended.connect(self._finished)
        self._after = DownloadStage.PAUSED  # what comes once the program has ended as it was told
        self._mirror = ""  # a file with the questions, or another address of them
        self.stage = DownloadStage.IDLE
        self.heading = ""  # "Step 1 of 4: Fetching past questions"
        self.detail = ""  # the progress of that step
        self.share: float | None = None  # the same from 0 to 1; None: unknown
        self.notes: list[str] = []
        self.trouble: QuizwriterError | None = None
        self.report = ""  # the traceback of a bug
        self._note = app.downloads.folder / UNFINISHED
        with contextlib.suppress(OSError, DecodingError):
            self._mirror = read_unfinished(self._note)
            self.stage = DownloadStage.PAUSED

    @property
    def busy(self) -> bool:
        return self._program.runs

    def start(self, *, mirror: str | None = None) -> None:
        """Begin or continue; ``mirror`` is a file with the questions, or another address of them."""
        if self.busy:
            return
        if mirror is not None:
            self._mirror = mirror
        self._remember()
        self.trouble, self.report, self.share = None, "", None
        self.heading, self.detail = "Starting", ""
        self.notes.clear()
        self.stage = DownloadStage.RUNNING
        self._program.start(self._app.downloads.command(mirror=self._mirror))
        self.changed.emit()

    def pause(self) -> None:
        """End the process until it is started again."""
        self._stop(DownloadStage.PAUSED)

    def cancel(self) -> None:
        """End the download for good; the files that arrived stay until they are removed."""
        if self.busy:
            self._stop(DownloadStage.IDLE)
        else:
            self._become(DownloadStage.IDLE)

    def shutdown(self) -> None:
        """End the process because the window closes; the next start continues it."""
        self._program.shutdown()

    def remove_files(self) -> None:
        """Remove the downloaded files; the bundles made of them stay."""
        try:
            self._app.downloads.remove_fetched()
        except QuizwriterError as trouble:
            self.trouble = trouble
            self._become(DownloadStage.FAILED)
        else:
            self._become(DownloadStage.IDLE)

    def _stop(self, after: DownloadStage) -> None:
        if self.busy and self.stage is DownloadStage.RUNNING:
            self._after = after
            self.stage = DownloadStage.STOPPING
            self._program.stop()
            self.changed.emit()

    def _take(self, said: dict[str, Any]) -> None:
        if "step" in said:
            self.heading = f"Step {said['step']} of {said['of']}: {said['name']}"
            self.detail, self.share = "", None
        elif "doing" in said:
            self.share = said["done"] / said["total"] if said["total"] else None
            self.detail = said["said"]
        elif "player" in said:
            self.share = said["share"]
            self.detail = training_line({said["player"]: said["share"]})
        elif "waiting" in said:
            self.detail = f"{said['waiting']} The next try is in {said['seconds']} s."
        elif "note" in said:
            self.notes.append(said["note"])
        elif "published" in said:
            self.published.emit(Path(said["published"]))
        elif "problem" in said:
            self.trouble = QuizwriterError(said["problem"], said["remedy"])
        self.changed.emit()

    def _failed(self, reason: str) -> None:
        self.trouble = QuizwriterError(
            f"The program that downloads evidence could not be started ({reason}).",
            "Install QuizWriter again.",
        )
        self._become(DownloadStage.FAILED)

    def _finished(self, well: bool, errors: str) -> None:
        if well:
            self._become(DownloadStage.DONE)
        elif self.stage is DownloadStage.STOPPING:
            self._become(self._after)
        else:
            if self.trouble is None:
                log.error("the download of evidence broke: %s", errors)
                self.report = errors if "Traceback" in errors else ""
                self.trouble = QuizwriterError(
                    "The program that downloads evidence ended unexpectedly.",
                    "Try again: the files that have arrived are kept.",
                )
            self._become(DownloadStage.FAILED)

    def _become(self, stage: DownloadStage) -> None:
        self.stage = stage
        if stage in (DownloadStage.IDLE, DownloadStage.DONE):
            with contextlib.suppress(OSError):
                self._note.unlink(missing_ok=True)
        self.changed.emit()

    def _remember(self) -> None:
        """Leave a note for the next start, in case the window is closed or killed meanwhile."""
        with (
            contextlib.suppress(QuizwriterError),  # the program itself will say what is wrong with the disk
            atomic_text(self._note, make_folder=True) as file,
        ):
            json.dump({"mirror": self._mirror}, file)


class _Unfinished(msgspec.Struct):
    mirror: Annotated[str, msgspec.Meta(max_length=4_000)] = ""


def read_unfinished(note: Path) -> str:
    """The mirror of the download that ``note`` says is not finished; empty for the address of the source."""
    return decode_small_json(read_limited(note, 1 << 16), _Unfinished).mirror


class EvidenceDownloadDialog(Dialog):
    """What can be downloaded, and the progress of the download; closing the dialog ends nothing."""

    def __init__(
        self, app: App, theme: Theme, download: EvidenceDownload, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Get more evidence", parent, width=WIDTH, reused=True)
        self._app = app
        self._download = download
        self._confirming = False  # whether Remove was pressed once
        self._offered = app.downloads.offer()
        untrained = self._offered.untrained
        self.body.addWidget(self.label(EXPLANATION + (UNTRAINED + untrained if untrained else TRAINED)))
        for source in self._offered.sources:
            host = source.address.split("/")[2]
            size = source.size or "size unknown"
            entry = column_of(
                self.label(source.title, TextStyle.HEADING),
                self.label(f"From {host}, {size}. {source.terms}", TextStyle.CAPTION),
                spacing=4,
            )
            self.body.addLayout(entry)
        self.room = self.label("", TextStyle.CAPTION)
        self.body.addWidget(self.room)

        self.heading = self.label("", TextStyle.HEADING)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.step = ElidedLabel()
        self.notes = self.label("", TextStyle.CAPTION)
        progress = column_of(self.heading, self.bar, self.step, self.notes, spacing=8)
        self.body.addLayout(progress)

        self.remove = self.add_aside("Remove the download", self._remove)
        self.local = self.add_aside("Use a file of questions…", self._choose_file)
        self.copy = self.add_aside("Copy report", self._copy)
        self.cancel = self.add_button("Cancel download", download.cancel)
        self.pause = self.add_button("Pause", download.pause)
        self.begin = self.add_primary("Download", self._begin)

        download.changed.connect(self._show)
        self._show()

    def _begin(self) -> None:
        anew = self._download.stage is DownloadStage.IDLE
        self._download.start(mirror="" if anew else None)

    def _choose_file(self) -> None:
        kinds = "Questions (*.json *.json.gz *.json.xz *.json.bz2);;All files (*)"
        ask_file(self, "Choose the file of QANTA questions", kinds, lambda path: self.use_file(str(path)))

    def use_file(self, name: str) -> None:
        self._download.start(mirror=name)

    def _remove(self) -> None:
        self._confirming = not self._confirming
        if not self._confirming:
            self._download.remove_files()
        self._show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._download.report)

    def _show(self) -> None:
        download, stage = self._download, self._download.stage
        if not download.busy:
            self._offered = self._app.downloads.offer()
        offer, kept = self._offered, self._offered.fetched_size if not download.busy else ""
        folder = str(offer.folder).replace(os.sep, f"{os.sep}\u200b")  # where a long one may be broken
        before = f" {kept} are already here from an earlier download." if kept else ""
        self.room.setText(
            f"The download needs about 1 GB in {folder}. {offer.free_space} are free there.{before}"
        )
        self._confirming = self._confirming and bool(kept)
        under_way = stage in (DownloadStage.RUNNING, DownloadStage.STOPPING, DownloadStage.PAUSED)
        self.heading.setText(
            {
                DownloadStage.PAUSED: f"Paused. {download.heading}"
                if download.heading
                else "The last download is not finished",
                DownloadStage.STOPPING: "Stopping",
                DownloadStage.FAILED: "The download failed",
                DownloadStage.DONE: "The new evidence is in use",
            }.get(stage, download.heading)
        )
        self.heading.setVisible(stage is not DownloadStage.IDLE)
        self.bar.setVisible(under_way)
        unknown = download.share is None and stage in (DownloadStage.RUNNING, DownloadStage.STOPPING)
        self.bar.setRange(0, 0 if unknown else FULL)
        if not unknown:
            self.bar.setValue(round(FULL * (download.share or 0.0)))
        self.step.setText(
            download.detail if download.busy else download.detail.split(", ")[0]
        )  # no speed any more
        self.step.setVisible(under_way and bool(download.detail))
        more = list(download.notes)
        if stage is DownloadStage.RUNNING:
            more.append(
                "You can keep writing. If you close QuizWriter, the download continues at the next start."
            )
        elif stage is DownloadStage.PAUSED:
            more.append("The files that have arrived are kept, also when you close QuizWriter.")
        elif stage is DownloadStage.DONE:
            more.append("You can remove the download now; the evidence made from it stays.")
        self.notes.setText("\n".join(more))
        self.notes.setVisible(bool(more) and stage is not DownloadStage.IDLE)
        trouble = download.trouble if stage is DownloadStage.FAILED else None
        self.remove.setText("Remove it now" if self._confirming else "Remove the download")
        self.remove.setVisible(stage in (DownloadStage.IDLE, DownloadStage.DONE) and bool(kept))
        self.local.setVisible(stage in (DownloadStage.IDLE, DownloadStage.FAILED))
        self.copy.setVisible(stage is DownloadStage.FAILED and bool(download.report))
        self.cancel.setVisible(under_way or stage is DownloadStage.FAILED)
        self.pause.setVisible(stage in (DownloadStage.RUNNING, DownloadStage.STOPPING))
        for button in (self.cancel, self.pause):
            button.setEnabled(stage is not DownloadStage.STOPPING)
        self.begin.setVisible(not download.busy and stage is not DownloadStage.DONE)
        self.begin.setText(
            {DownloadStage.PAUSED: "Continue", DownloadStage.FAILED: "Try again"}.get(stage, "Download")
        )
        text = "" if trouble is None else f"{trouble.problem}\n{trouble.remedy}"
        self.show_message(text, trouble=trouble is not None)
