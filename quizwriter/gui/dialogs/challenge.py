"""*Review > Export challenge set…*: what goes in, what the editor says of it, and how far the export is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.challenge.documents import EDITOR_ITEMS, LICENCES
from quizwriter.challenge.export import ExportPreview, ExportReport, export, preview
from quizwriter.challenge.metadata import SetMetadata, metadata_path
from quizwriter.challenge.selection import Selection
from quizwriter.domain.review import Consent, ConsentGiven, Status
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import edge_boxes, outlined
from quizwriter.workflow.wording import counted_noun, listed, player_title, sentence

if TYPE_CHECKING:
    from quizwriter.services import App, Engine

EXPLAINED = (
    "A folder that researchers can load, check and cite. Writers appear as pseudonyms, and names are looked "
    "for in every file before it is there."
)
SHEET = "What only you can say of it, for the data sheet. It is asked once and kept."
STOPPED = "The export was stopped; no folder was made. What was played is kept, and not played again."
LATER_MS = 300
"""After the last change of the choice, how long before it is counted anew."""


class ChallengeDialog(QDialog):
    """Asks what goes into a challenge set and exports it, off the window's thread.

    ``broke`` carries the traceback of a bug.
    """

    broke = Signal(str)
    _progressed = Signal(str, int, int)

    def __init__(
        self, app: App, theme: Theme, engine: Callable[[], Engine | None], parent: QWidget | None = None
    ) -> None:
        """``engine`` gives the one that is open, if it is loaded."""
        super().__init__(parent)
        self._app, self._theme, self._engine = app, theme, engine
        self._exporting = Cancellation()  # of the export that runs, or was last
        self._counting = Cancellation()  # of the preview that is wanted
        self._runs = self._gone = False
        self._preview: ExportPreview | None = None
        self._made: Path | None = None
        self.jobs = JobQueue("challenge set")
        self.jobs.broke.connect(self.broke)
        self._progressed.connect(self._show_progress)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self._count)
        self.setWindowTitle("Export challenge set")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(900, 600)
        trouble = ""
        try:
            kept = SetMetadata.read(metadata_path(app.home))
        except QuizwriterError as wrong:
            kept, trouble = SetMetadata(), str(wrong)
        self._kept = kept

        head = self._label("Export a challenge set", bold=True)
        columns = QHBoxLayout()
        columns.setSpacing(24)
        columns.addLayout(self._make_choice(kept), 5)
        columns.addLayout(self._make_sheet(kept), 6)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(8)
        self._bar.hide()
        self.status = self._label(trouble)
        self.status.setVisible(bool(trouble))
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._allow = outlined("", self._allow_mine)
        self._allow.hide()
        self._export = outlined("Export…", self._choose_folder)
        self._export.setDefault(True)
        self._stop_button = outlined("Stop", self._stop_export)
        self._show_folder = outlined("Show the folder", self._open_folder)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._allow)
        buttons.addStretch(1)
        for button in (
            self._show_folder,
            self._stop_button,
            self._export,
            outlined("Close", self.close),
        ):
            buttons.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setSpacing(8)
        whole.addWidget(head)
        whole.addWidget(self._label(EXPLAINED, soft=True))
        whole.addSpacing(4)
        whole.addLayout(columns, 1)
        whole.addWidget(self.counted)
        whole.addWidget(self._bar)
        whole.addWidget(self.status)
        whole.addLayout(buttons)
        self._busy(busy=False)
        self._count()

    # -- what is asked

    def _make_choice(self, kept: SetMetadata) -> QVBoxLayout:
        self.title, self.version = QLineEdit(kept.title), QLineEdit(kept.version)
        self.licence, self.set = QComboBox(), QComboBox()
        self.licence.addItems(list(LICENCES))
        self.licence.setCurrentText(kept.licence)
        self.set.addItem("Every set", None)
        self.statuses = _MultiChoiceButton(
            [(status, sentence(status)) for status in Status], {Status.ACCEPTED}, "No status"
        )
        engine = self._engine()
        names = [player.name for player in engine.players] if engine is not None else []
        self.stumps = _MultiChoiceButton(
            [(name, player_title(name)) for name in names], set(), "Whoever it stumps"
        )
        self.until = QSpinBox()
        self.until.setRange(1, 100)
        self.until.setValue(100)
        self.until.setSuffix(" % of the words")
        self.until.setEnabled(False)
        self.others = QLineEdit(", ".join(kept.others))
        self.others.setPlaceholderText("names, with commas")
        self.others.setToolTip(
            "Names that mean somebody in the questions, though a writer is called so, too."
        )
        self.after = QLineEdit()
        self.after.setPlaceholderText("folder of the last version")
        self.after.setToolTip("Its splits and numbers stay, and what was withdrawn stays withdrawn.")
        self.histories = QCheckBox("With histories and comments")
        self.histories.setChecked(kept.histories)
        self.near_duplicates = QCheckBox("Keep near duplicates")
        for box in (self.histories, self.near_duplicates):
            edge_boxes(box, self._theme)
        self.counted = self._label("")
        for widget, called in (
            (self.title, "Title"), (self.version, "Version"), (self.licence, "Licence"), (self.set, "Set"),
            (self.statuses, "Status"), (self.stumps, "Players that must be stumped"),
            (self.until, "Until how much of the words"), (self.others, "Names that mean somebody else"),
            (self.after, "Folder of the last version"),
        ):  # fmt: skip
            widget.setAccessibleName(called)
        browse = outlined("…", self._choose_after)
        browse.setAccessibleName("Choose the folder of the last version")
        rows = QFormLayout()
        rows.setHorizontalSpacing(12)
        rows.setVerticalSpacing(8)
        rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.addRow("Title", self.title)
        rows.addRow("Version", _beside(self.version, self.licence))
        rows.addRow("Tossups", _beside(self.statuses, self.set))
        rows.addRow("Stumping", self.stumps)
        rows.addRow("", self.until)
        rows.addRow("Others", self.others)
        rows.addRow("Continues", _beside(self.after, browse, stretched=(1, 0)))
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addLayout(rows)
        column.addWidget(self.histories)
        column.addWidget(self.near_duplicates)
        column.addStretch(1)
        self.set.currentIndexChanged.connect(self._count_later)
        self.statuses.changed.connect(self._count_later)
        self.stumps.changed.connect(lambda: self.until.setEnabled(bool(self.stumps.chosen)))
        return column

    def _make_sheet(self, kept: SetMetadata) -> QVBoxLayout:
        self.answers: dict[str, QPlainTextEdit] = {}
        inside = QWidget()
        tokens = self._theme.tokens
        rest = f"background: {tokens.page}; border: 1px solid {tokens.line}; border-radius: 6px;"
        focus = f"border: 2px solid {tokens.accent}; padding: 0 3px;"
        inside.setStyleSheet(  # as the fields beside it
            f"QPlainTextEdit {{ {rest} padding: 1px 4px; }} QPlainTextEdit:focus {{ {focus} }}"
        )
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 8, 0)
        rows.setSpacing(4)
        height = 3 * self.fontMetrics().lineSpacing() + 12
        for item in EDITOR_ITEMS:
            answer = QPlainTextEdit(kept.answers.get(item.key, ""))
            answer.setPlaceholderText(item.hint)
            answer.setAccessibleName(item.question)
            answer.setTabChangesFocus(True)
            answer.setFixedHeight(height)
            self.answers[item.key] = answer
            rows.addWidget(self._label(item.question))
            rows.addWidget(answer)
            rows.addSpacing(8)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self._label(SHEET, soft=True))
        column.addWidget(area, 1)
        return column

    def _label(self, text: str, *, bold: bool = False, soft: bool = False) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        if bold:
            label.setFont(self._theme.font(bold=True))
        if soft:
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")
        return label

    @property
    def choice(self) -> Selection:
        """What goes in."""
        return Selection(
            statuses=frozenset(Status(name) for name in self.statuses.chosen),
            set_name=self.set.currentData(),
            stumps=tuple(self.stumps.chosen),
            until=self.until.value(),
            keep_duplicates=self.near_duplicates.isChecked(),
        )

    @property
    def release(self) -> SetMetadata:
        """What the editor says of it."""
        return replace(
            self._kept,
            title=self.title.text().strip() or self._kept.title,
            version=self.version.text().strip() or self._kept.version,
            licence=self.licence.currentText(),
            histories=self.histories.isChecked(),
            others=tuple(name.strip() for name in self.others.text().split(",") if name.strip()),
            answers={key: answer.toPlainText().strip() for key, answer in self.answers.items()},
        )

    # -- what would go in

    def _count_later(self) -> None:
        self._later.start()

    def _count(self) -> None:
        self._counting.cancel()
        choice, cancellation = self.choice, Cancellation()
        self._counting = cancellation
        self.jobs.run(lambda _: preview(self._app, choice, cancellation), self._show_preview)

    def _show_preview(self, found: ExportPreview | QuizwriterError | None) -> None:
        if self._gone or isinstance(found, Cancelled):
            return
        if not isinstance(found, ExportPreview):
            self.counted.setText("" if found is None else str(found))
            return
        self._preview = found
        known = {self.set.itemData(at) for at in range(self.set.count())}
        for name in found.sets:
            if name not in known:
                self.set.addItem(name, name)
        can = "1 tossup can" if found.questions == 1 else f"{found.questions:,} tossups can"
        self.counted.setText(f"{can} be released.{_left(found.left_out)}")
        mine = len(found.without_consent)
        self._allow.setText(f"Allow the release of {counted_noun(mine, 'tossup')} of mine")
        self._allow.setVisible(mine > 0)
        self._judge()

    def _allow_mine(self) -> None:
        if self._preview is None:
            return
        keys = self._preview.without_consent
        self._allow.setEnabled(False)

        def then(result: object) -> None:
            if self._gone:
                return
            self._allow.setEnabled(True)
            if isinstance(result, QuizwriterError):
                self._say(str(result))
            self._count()

        self.jobs.run(lambda _: self._app.review.record(keys, ConsentGiven(Consent.YES)), then)

    # -- the export

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, "Export challenge set")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Export")
        release = self.release
        dialog.selectFile(f"{release.title} {release.version}".replace("/", "-"))
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def _choose_after(self) -> None:
        dialog = QFileDialog(self, "The last version of this challenge set")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.after.setText)
        dialog.open()

    def export_to(self, folder: Path) -> None:
        """Keep what the editor said, and export into ``folder``."""
        choice, release, engine = self.choice, self.release, self._engine()
        after = Path(self.after.text().strip()) if self.after.text().strip() else None
        cancellation = self._exporting = Cancellation()
        self._made = None
        self._busy(busy=True)
        self._show_progress("Beginning", 0, 0)

        def do(_: object) -> ExportReport:
            release.write(metadata_path(self._app.home))
            return export(
                self._app,
                folder,
                choice,
                release,
                after=after,
                engine=engine,
                progress=self._progressed.emit,
                cancellation=cancellation,
            )

        self.jobs.run(do, self._show_report)

    def _stop_export(self) -> None:
        self._stop_button.setEnabled(False)
        self.status.setText("Stopping…")
        self._exporting.cancel()

    @Slot(str, int, int)
    def _show_progress(self, what: str, done: int, total: int) -> None:
        if not self._runs or self._exporting.cancelled:
            return
        far = f" {done + 1:,} of {total:,}" if total > 1 and done < total else ""
        self.status.setText(f"{what}{far}…")
        self._bar.setRange(0, total if total > 1 else 0)
        self._bar.setValue(done)

    def _show_report(self, result: ExportReport | QuizwriterError | None) -> None:
        if self._gone:
            return
        self._busy(busy=False)
        if isinstance(result, Cancelled):
            self._say(STOPPED)
        elif isinstance(result, ExportReport):
            self._made = result.folder
            self._say(" ".join([result.lines[0], *(result.lines[-1:] if result.unanswered else [])]))
        else:
            self._say("Something in QuizWriter went wrong." if result is None else str(result))
        self._show_folder.setVisible(self._made is not None)
        self._count()

    def _open_folder(self) -> None:
        if self._made is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._made)))

    def _say(self, text: str) -> None:
        self.status.setText(text)
        self.status.setVisible(bool(text))

    def _busy(self, *, busy: bool) -> None:
        self._runs = busy
        self._bar.setVisible(busy)
        self.status.setVisible(busy or bool(self.status.text()))
        self._stop_button.setVisible(busy)
        self._stop_button.setEnabled(True)
        self._show_folder.setVisible(self._made is not None)
        self._judge()

    def _judge(self) -> None:
        some = self._preview is not None and self._preview.questions > 0
        self._export.setEnabled(some and not self._runs)

    def done(self, result: int) -> None:
        """Close; however that comes about."""
        self.shutdown()
        super().done(result)

    def shutdown(self) -> None:
        """End the thread; an export ends at its next step and leaves nothing."""
        self._gone = True
        self._later.stop()
        self._counting.cancel()
        self._exporting.cancel()
        self.jobs.stop()


class _MultiChoiceButton(QPushButton):
    """A button with a menu of which several can be chosen; it is called after those that are."""

    changed = Signal()

    def __init__(self, offered: Iterable[tuple[str, str]], chosen: set[str], none: str) -> None:
        super().__init__()
        self.setObjectName("outlined")
        self.setAutoDefault(False)
        self._none = none
        menu = QMenu(self)
        self._actions = {}
        for key, title in offered:
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setChecked(key in chosen)
            action.toggled.connect(self._toggled)
            self._actions[key] = action
        self.setMenu(menu)
        self.setEnabled(bool(self._actions))
        self._name()

    @property
    def chosen(self) -> list[str]:
        """The keys of those chosen, in the order they are offered."""
        return [key for key, action in self._actions.items() if action.isChecked()]

    def choose(self, key: str, *, chosen: bool = True) -> None:
        """Choose one more, or one less."""
        self._actions[key].setChecked(chosen)

    def _toggled(self) -> None:
        self._name()
        self.changed.emit()

    def _name(self) -> None:
        titles = [self._actions[key].text() for key in self.chosen]
        some = listed(titles) if len(titles) < 3 else f"{len(titles)} chosen"
        self.setText(some if titles else self._none)


def _beside(*widgets: QWidget, stretched: tuple[int, ...] = ()) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for at, widget in enumerate(widgets):
        row.addWidget(widget, stretched[at] if stretched else 1)
    return row


def _left(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    said = "; ".join(f"{reason} {number:,}" for reason, number in sorted(reasons.items()))
    return f" Left out: {said}."
