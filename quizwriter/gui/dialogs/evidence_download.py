"""*Get more evidence*: a program of its own fetches and indexes; this starts, watches and ends it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.elided_label import ElidedLabel
from quizwriter.workflow.wording import training_line

if TYPE_CHECKING:
    from quizwriter.services import App

log = logging.getLogger(__name__)

WIDTH = 640
"""Pixels of the dialog; it is as high as it must be."""

FULL = 1_000
"""Steps of the bar."""

UNFINISHED = "unfinished.json"


class DownloadStage(Enum):
    """Where the fetching stands."""

    IDLE = auto()
    RUNNING = auto()
    STOPPING = auto()
    PAUSED = auto()
    FAILED = auto()
    DONE = auto()


class EvidenceDownload(QObject):
    """The program that fetches, seen from outside.

    To pause is to end it, since it goes on where it ended; so a pause outlasts the window, and a window that
    is killed loses nothing. ``changed`` says that one of the attributes has; ``published`` carries a bundle.
    """

    changed = Signal()
    published = Signal(object)

    def __init__(self, app: App, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._program = ChildProcess(self)
        self._program.said.connect(self._take)
        self._program.absent.connect(self._failed)
        self._program.ended.connect(self._finished)
        self._after = DownloadStage.PAUSED  # what comes once the program has ended as it was told
        self._choice: dict[str, Any] = {"mirror": ""}
        self.stage = DownloadStage.IDLE
        self.heading = ""  # "Step 1 of 4: Fetching past questions"
        self.said = ""  # how far that is
        self.share: float | None = None  # the same from 0 to 1; None: nobody knows
        self.notes: list[str] = []
        self.trouble: QuizwriterError | None = None
        self.report = ""  # the traceback of a bug
        self._note = app.downloads.folder / UNFINISHED
        with contextlib.suppress(OSError, ValueError, TypeError):
            self._choice = {**self._choice, **json.loads(self._note.read_bytes())}
            self.stage = DownloadStage.PAUSED

    @property
    def busy(self) -> bool:
        """Whether the program runs."""
        return self._program.runs

    def start(self, *, mirror: str | None = None) -> None:
        """Begin, or go on; ``mirror``, if said, is a file with the questions or another address of them."""
        if self.busy:
            return
        if mirror is not None:
            self._choice["mirror"] = mirror
        self._remember()
        self.trouble, self.report, self.share = None, "", None
        self.heading, self.said = "Starting", ""
        self.notes.clear()
        self.stage = DownloadStage.RUNNING
        self._program.start(self._app.downloads.command(mirror=str(self._choice["mirror"])))
        self.changed.emit()

    def pause(self) -> None:
        """End it until it is started again."""
        self._stop(DownloadStage.PAUSED)

    def cancel(self) -> None:
        """End it for good; what was fetched stays until it is removed."""
        if self.busy:
            self._stop(DownloadStage.IDLE)
        else:
            self._become(DownloadStage.IDLE)

    def shutdown(self) -> None:
        """End it because the window closes; it goes on next time."""
        self._program.shutdown()

    def forget(self) -> None:
        """Remove what was fetched; the bundles made of it stay."""
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
            self.said, self.share = "", None
        elif "doing" in said:
            self.share = said["done"] / said["total"] if said["total"] else None
            self.said = said["said"]
        elif "player" in said:
            self.share = said["share"]
            self.said = training_line({said["player"]: said["share"]})
        elif "waiting" in said:
            self.said = f"{said['waiting']} Trying again in {said['seconds']} s."
        elif "note" in said:
            self.notes.append(said["note"])
        elif "published" in said:
            self.published.emit(Path(said["published"]))
        elif "problem" in said:
            self.trouble = QuizwriterError(said["problem"], said["remedy"])
        self.changed.emit()

    def _failed(self, reason: str) -> None:
        self.trouble = QuizwriterError(
            f"The program that fetches could not be started ({reason}).", "Install QuizWriter again."
        )
        self._become(DownloadStage.FAILED)

    def _finished(self, well: bool, errors: str) -> None:
        if well:
            self._become(DownloadStage.DONE)
        elif self.stage is DownloadStage.STOPPING:
            self._become(self._after)
        else:
            if self.trouble is None:
                log.error("fetching broke: %s", errors)
                self.report = errors if "Traceback" in errors else ""
                self.trouble = QuizwriterError(
                    "The program that fetches ended unexpectedly.",
                    "Try again; what has arrived is kept, and it goes on from there.",
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
        with contextlib.suppress(OSError):  # the program itself will say what is wrong with the disk
            self._note.parent.mkdir(parents=True, exist_ok=True)
            self._note.write_text(json.dumps(self._choice), encoding="utf-8")


class EvidenceDownloadDialog(QDialog):
    """What would be fetched, and how far that is; closing it ends nothing."""

    def __init__(
        self, app: App, theme: Theme, fetching: EvidenceDownload, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._theme = theme
        self._fetching = fetching
        self._sure = False  # whether Remove was pressed once
        self.setWindowTitle("Get more evidence")
        self.setFixedWidth(WIDTH)
        self._labels: list[tuple[QLabel, str]] = []

        offer = QVBoxLayout()
        offer.setSpacing(12)
        self._offered = app.downloads.offer()
        offer.addWidget(
            self._label(
                "QuizWriter can fetch past questions and encyclopedia text, and guess and show evidence from "
                "them. Nothing is fetched before you say so, and none of your own text is sent anywhere. It "
                "takes at least twenty minutes, since Wikipedia is asked only once a second. Then the "
                "networks learn from it, which may take two hours; the first player uses it meanwhile.",
                "plain",
            )
        )
        for source in self._offered.sources:
            host = source.address.split("/")[2]
            size = source.size or "size not known beforehand"
            entry = QVBoxLayout()
            entry.setSpacing(4)
            entry.addWidget(self._label(source.title, "bold"))
            entry.addWidget(self._label(f"From {host}, {size}. {source.terms}", "soft"))
            offer.addLayout(entry)
        self.kept = self._label("", "soft")
        offer.addWidget(self.kept)

        self.heading = self._label("", "bold")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.said = ElidedLabel()
        self.more = self._label("", "soft")
        self.trouble = self._label("", "plain")
        self.trouble.setObjectName("trouble")
        self.trouble.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

        self.remove = outlined("Remove what was fetched", self._remove)
        self.local = outlined("I have the questions as a file…", self._choose_file)
        self.copy = outlined("Copy report", self._copy)
        self.cancel = outlined("Cancel", fetching.cancel)
        self.pause = outlined("Pause", fetching.pause)
        self.begin = outlined("Fetch", self._begin)
        self.shut = outlined("Close", self.close)
        row = QHBoxLayout()
        row.setSpacing(8)
        for left in (self.remove, self.local, self.copy):
            row.addWidget(left)
        row.addStretch(1)
        for right in (self.shut, self.cancel, self.pause, self.begin):
            row.addWidget(right)

        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addLayout(offer)
        progress = QVBoxLayout()
        progress.setSpacing(8)
        for widget in (self.heading, self.bar, self.said, self.more, self.trouble):
            progress.addWidget(widget)
        column.addLayout(progress)
        column.addSpacing(4)
        column.addLayout(row)

        fetching.changed.connect(self._show)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self._show()

    def _begin(self) -> None:
        anew = self._fetching.stage is DownloadStage.IDLE
        self._fetching.start(mirror="" if anew else None)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, "The QANTA questions")
        dialog.setNameFilters(["Questions (*.json *.json.gz *.json.xz *.json.bz2)", "All files (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_file)
        dialog.open()

    def use_file(self, name: str) -> None:
        """Take the questions from the file ``name`` and begin."""
        self._fetching.start(mirror=name)

    def _remove(self) -> None:
        self._sure = not self._sure
        if not self._sure:
            self._fetching.forget()
        self._show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._fetching.report)

    def _show(self) -> None:
        fetching, stage = self._fetching, self._fetching.stage
        if not fetching.busy:
            self._offered = self._app.downloads.offer()
        offer, kept = self._offered, self._offered.kept if not fetching.busy else ""
        folder = str(offer.folder).replace(os.sep, f"{os.sep}\u200b")  # where a long one may be broken
        before = f" {kept} from before are there already." if kept else ""
        self.kept.setText(f"It needs about 1 GB in {folder}, where {offer.free} are free.{before}")
        self._sure = self._sure and bool(kept)
        under_way = stage in (DownloadStage.RUNNING, DownloadStage.STOPPING, DownloadStage.PAUSED)
        self.heading.setText(
            {
                DownloadStage.PAUSED: f"Paused. {fetching.heading}"
                if fetching.heading
                else "Not finished last time",
                DownloadStage.STOPPING: "Stopping",
                DownloadStage.FAILED: "It did not work this time",
                DownloadStage.DONE: "The new evidence is in use",
            }.get(stage, fetching.heading)
        )
        self.heading.setVisible(stage is not DownloadStage.IDLE)
        self.bar.setVisible(under_way)
        unknown = fetching.share is None and stage in (DownloadStage.RUNNING, DownloadStage.STOPPING)
        self.bar.setRange(0, 0 if unknown else FULL)
        if not unknown:
            self.bar.setValue(round(FULL * (fetching.share or 0.0)))
        self.said.setText(
            fetching.said if fetching.busy else fetching.said.split(", ")[0]
        )  # no speed any more
        self.said.setVisible(under_way and bool(fetching.said))
        more = list(fetching.notes)
        if stage is DownloadStage.RUNNING:
            more.append("You can go on writing. If you close QuizWriter, it goes on from there next time.")
        elif stage is DownloadStage.PAUSED:
            more.append("What has arrived is kept, also when you close QuizWriter.")
        elif stage is DownloadStage.DONE:
            more.append("What was fetched may be removed; the evidence made of it stays.")
        self.more.setText("\n".join(more))
        self.more.setVisible(bool(more) and stage is not DownloadStage.IDLE)
        trouble = fetching.trouble if stage is DownloadStage.FAILED else None
        self.trouble.setText("" if trouble is None else f"{trouble.problem}\n{trouble.remedy}")
        self.trouble.setVisible(trouble is not None)
        self.remove.setText("Remove it now" if self._sure else "Remove what was fetched")
        self.remove.setVisible(stage in (DownloadStage.IDLE, DownloadStage.DONE) and bool(kept))
        self.local.setVisible(stage in (DownloadStage.IDLE, DownloadStage.FAILED))
        self.copy.setVisible(stage is DownloadStage.FAILED and bool(fetching.report))
        self.cancel.setVisible(under_way or stage is DownloadStage.FAILED)
        self.pause.setVisible(stage in (DownloadStage.RUNNING, DownloadStage.STOPPING))
        for button in (self.cancel, self.pause):
            button.setEnabled(stage is not DownloadStage.STOPPING)
        self.begin.setVisible(not fetching.busy and stage is not DownloadStage.DONE)
        self.begin.setText(
            {DownloadStage.PAUSED: "Go on", DownloadStage.FAILED: "Try again"}.get(stage, "Fetch")
        )
        self.begin.setDefault(not fetching.busy)
        self._fit()

    def _fit(self) -> None:
        """Be as high as what is said needs, for it changes."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setFixedHeight(layout.totalHeightForWidth(WIDTH))

    def _label(self, text: str, kind: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._labels.append((label, kind))
        return label

    def _apply_theme(self) -> None:
        tokens, theme = self._theme.tokens, self._theme
        for label, kind in self._labels:
            label.setFont(theme.font(bold=kind == "bold", small=kind == "soft"))
            label.setStyleSheet(f"color: {tokens.soft if kind == 'soft' else tokens.ink};")
        self.trouble.setStyleSheet(
            f"color: {tokens.ink}; background: {mixed(tokens.confident, tokens.chrome, 0.12)};"
            f"border-left: 4px solid {tokens.confident}; padding: 8px 12px;"
        )
        self.bar.setStyleSheet(
            f"QProgressBar {{ background: {tokens.line}; border: none; border-radius: 4px; }}"
            f"QProgressBar::chunk {{ background: {tokens.accent}; border-radius: 4px; }}"
        )
        self.begin.setStyleSheet(
            f"QPushButton {{ background: {tokens.accent}; color: {tokens.on_accent}; font-weight: 600; }}"
        )
