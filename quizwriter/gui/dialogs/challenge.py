"""*Review > Challenge sets > Export challenge set…*: the selection, the editor's statements, the export."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.challenge.data_sheet import EDITOR_ITEMS
from quizwriter.challenge.export import export, preview, rehearse
from quizwriter.challenge.metadata import (
    SetMetadata,
    later_version,
    metadata_path,
    released_versions,
    today,
    version_after,
)
from quizwriter.challenge.name_decisions import NameGroup, NamesFoundError, decide_names
from quizwriter.challenge.reports import ExportPreview, ExportRehearsal, ExportReport
from quizwriter.challenge.selection import Selection
from quizwriter.challenge.statements import LICENCES
from quizwriter.domain.review import Consent, ConsentGiven, NameVerdict, Status
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.dialogs.release_texts import NamesDialog, RemarksDialog
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import NumberBox, outlined
from quizwriter.gui.widgets.dialog import BUG, Dialog, TextStyle
from quizwriter.gui.widgets.facet_button import FacetButton
from quizwriter.gui.widgets.fields import TextBox, named, scrolling
from quizwriter.gui.widgets.file_dialog import ask_file, ask_folder, file_dialog
from quizwriter.gui.widgets.layouts import STRETCH, FieldRows, column_of, row_of
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import counted_noun, player_title, sentence

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

EXPLANATION = (
    "A challenge set is a folder that researchers can load, check and cite. Writers appear as pseudonyms, "
    "and the export stops if a writer's name is in any file."
)
SHEET_EXPLANATION = "Answer these questions for the data sheet. Your answers are kept for the next version."
CANCELLED = "The export was stopped; no folder was made. Finished analyses are kept for the next export."
NAMES_FOUND = "Nothing was exported: some texts may name a writer."
FACET_ROOM = 220
"""Pixels for the text of a chooser."""

PREVIEW_DELAY_MS = 300
"""Milliseconds between the last change of the selection and the new preview."""


class ChallengeDialog(Dialog):
    """Asks what goes into a challenge set and exports it, off the window's thread."""

    _progressed = Signal(str, int, int)

    def __init__(
        self, app: App, theme: Theme, engine: Callable[[], Engine | None], parent: QWidget | None = None
    ) -> None:
        """``engine`` gives the engine in use, if one is loaded."""
        super().__init__(theme, "Export challenge set", parent, size=(900, 620))
        self._app, self._engine = app, engine
        self._exporting = Cancellation()  # of the export that runs, or ran last
        self._previewing = Cancellation()  # of the newest preview
        self._preview: ExportPreview | None = None
        self._made: Path | None = None
        self._jobs = Jobs("challenge set", self)
        self._progressed.connect(self._show_export_progress)
        self._delay = SingleShot(self, PREVIEW_DELAY_MS, self._start_preview)
        trouble = ""
        try:
            kept = SetMetadata.read(metadata_path(app.home))
        except QuizwriterError as wrong:
            kept, trouble = SetMetadata(), str(wrong)
        self._kept = kept
        self._questions = QWidget()

        columns = row_of((self._make_form(kept), 1), (self._make_sheet(kept), 1), spacing=24)
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addLayout(columns, 1)
        self.body.addWidget(self.counted)
        self.allow_mine = self.add_aside("", self._allow_mine)
        self.allow_mine.hide()
        self.folder_button = self.add_button("Show the folder", self._open_folder)
        self.folder_button.hide()
        self.names_button = self.add_aside("Names…", self._show_names)
        self.names_button.setToolTip("Search the texts for names of writers, and decide whose they are")
        self.export_button = self.add_primary("Export…", self._begin)
        self.set_ready(False)
        self.show_message(trouble, trouble=True)
        self._start_preview()
        self.apply_theme()

    def apply_theme(self) -> None:
        """Follow the theme; fields of many lines look as the lines beside them."""
        super().apply_theme()
        if not hasattr(self, "_questions"):
            return  # the base is not done yet
        tokens = self._theme.tokens
        rest = f"background: {tokens.page}; border: 1px solid {tokens.line}; border-radius: 6px;"
        focus = f"border: 2px solid {tokens.accent}; padding: 0 3px;"
        self._questions.setStyleSheet(
            f"QPlainTextEdit {{ {rest} color: {tokens.ink}; padding: 1px 4px; }} "
            f"QPlainTextEdit:focus {{ {focus} }}"
        )

    # -- the form

    def _make_form(self, kept: SetMetadata) -> QVBoxLayout:
        self.title, self.version = QLineEdit(kept.title), QLineEdit(kept.version)
        self.licence, self.set = QComboBox(), QComboBox()
        self.licence.addItems(list(LICENCES))
        self.licence.setCurrentText(kept.licence)
        self.set.addItem("Every set", None)
        self.statuses = FacetButton(self._theme, "Status", placeholder="No status", room=FACET_ROOM)
        self.statuses.choose([(Status.ACCEPTED,)])
        self.statuses.offer([((status,), sentence(status), None) for status in Status])
        engine = self._engine()
        names = [one.name for one in engine.players if not one.has_gaps] if engine is not None else []
        self.stumps = FacetButton(self._theme, "Players", placeholder="Any player", room=FACET_ROOM)
        self.stumps.offer([((name,), player_title(name), None) for name in names])
        self.stumps.setEnabled(bool(names))
        for facet in (self.statuses, self.stumps):
            facet.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.until = NumberBox()
        self.until.setRange(1, 100)
        self.until.setValue(100)
        self.until.setSuffix(" % of the words")
        self.until.setEnabled(False)
        self.until.setMinimumHeight(self.title.sizeHint().height())
        self.maintainer, self.contact = QLineEdit(kept.maintainer), QLineEdit(kept.contact)
        self.maintainer.setPlaceholderText("Team or office")
        self.contact.setPlaceholderText("E-mail or web address")
        for stated in (self.maintainer, self.contact):
            stated.setToolTip(
                "Appears in the README and in the citation. Do not use a person's address. It is kept."
            )
        self.control = QLineEdit()
        self.control.setPlaceholderText("The held-back questions")
        self.control.setToolTip("A file of other questions that no player was trained on, to compare with.")
        self.after = QLineEdit()
        self.after.setPlaceholderText("Folder of the last version")
        self.after.setToolTip("Its splits and numbers stay, and its withdrawn tossups stay withdrawn.")
        self.histories = QCheckBox("With histories")
        self.remarks = QCheckBox("With comments and reasons")
        self.working_names = QCheckBox("With names of files and own tags")
        self.near_duplicates = QCheckBox("Keep near duplicates")
        self.signed = QCheckBox("Sign with my key")
        self.histories.setToolTip("Every edit of each tossup, with its time.")
        self.remarks.setToolTip("You see them first.")
        self.working_names.setToolTip("Without it, numbers stand for them; which is which stays here.")
        self.signed.setToolTip("A signature shows that you released it.")
        self.counted = self.label()
        for widget, called in (
            (self.title, "Title"), (self.version, "Version"), (self.licence, "Licence"), (self.set, "Set"),
            (self.statuses, "Status"), (self.stumps, "Players that must be stumped"),
            (self.until, "Until this share of the words"), (self.after, "Folder of the last version"),
            (self.maintainer, "Maintainer"),
            (self.contact, "Contact of the maintainer"), (self.control, "File with a control"),
        ):  # fmt: skip
            widget.setAccessibleName(called)
        browse = named(outlined("…", self._choose_after), "Choose the folder of the last version")
        browse_control = named(outlined("…", self._choose_control), "Choose the file with a control")
        rows = FieldRows()
        rows.add("Title", self.title)
        rows.add("Version", _beside(self.version, self.licence))
        rows.add("Tossups", _beside(self.statuses, self.set))
        rows.add("Stumped", self.stumps)
        rows.add("", self.until)
        rows.add("Continues", _beside(self.after, browse, stretched=(1, 0)))
        rows.add("Control", _beside(self.control, browse_control, stretched=(1, 0)))
        rows.add("Maintainer", self.maintainer)
        rows.add("Contact", self.contact)
        column = column_of(
            rows, self.histories, self.remarks, self.working_names, self.near_duplicates, self.signed,
            STRETCH, spacing=8,
        )  # fmt: skip
        self.set.currentIndexChanged.connect(self._delay.start)
        self.statuses.changed.connect(self._delay.start)
        self.title.editingFinished.connect(self._delay.start)  # another set has another version
        self.stumps.changed.connect(self._delay.start)
        self.stumps.changed.connect(lambda: self.until.setEnabled(bool(self.stumps.chosen)))
        return column

    def _make_sheet(self, kept: SetMetadata) -> QVBoxLayout:
        self.answers: dict[str, TextBox] = {}
        rows = column_of(on=self._questions, margins=(0, 0, 8, 0), spacing=4)
        height = 3 * self.fontMetrics().lineSpacing() + 12
        for item in EDITOR_ITEMS:
            answer = TextBox(item.question, item.hint, text=kept.answers.get(item.key, ""))
            answer.setFixedHeight(height)
            self.answers[item.key] = answer
            rows.addWidget(self.label(item.question))
            rows.addWidget(answer)
            rows.addSpacing(8)
        area = scrolling(self._questions, sideways=False)
        return column_of(self.label(SHEET_EXPLANATION, TextStyle.CAPTION), (area, 1), spacing=8)

    @property
    def selection(self) -> Selection:
        return Selection(
            statuses=frozenset(Status(name) for (name,) in self.statuses.chosen),
            set_name=self.set.currentData(),
            stumps=tuple(name for (name,) in self.stumps.chosen),
            until=self.until.value(),
            keep_duplicates=self.near_duplicates.isChecked(),
        )

    @property
    def metadata(self) -> SetMetadata:
        return replace(
            self._kept,
            title=self.title.text().strip() or self._kept.title,
            version=self.version.text().strip() or self._kept.version,
            licence=self.licence.currentText(),
            maintainer=self.maintainer.text().strip(),
            contact=self.contact.text().strip(),
            histories=self.histories.isChecked(),
            remarks=self.remarks.isChecked(),
            working_names=self.working_names.isChecked(),
            answers={key: answer.toPlainText().strip() for key, answer in self.answers.items()},
        )

    # -- the preview

    def _start_preview(self) -> None:
        self._previewing.cancel()
        selection, metadata, cancellation = self.selection, self.metadata, Cancellation()
        self._previewing = cancellation

        def do(_: object) -> tuple[ExportPreview, str]:
            released = released_versions(self._app, metadata.title)
            return preview(self._app, selection, cancellation), later_version(metadata.version, released)

        def then(found: tuple[ExportPreview, str]) -> None:
            self._show_preview(found[0])
            if self.version.text().strip() == metadata.version:
                self.version.setText(found[1])

        self._jobs.ask(
            do, then, self.counted.setText, still=lambda: not self.closed and not cancellation.cancelled
        )

    def _show_preview(self, found: ExportPreview) -> None:
        self._preview = found
        known = {self.set.itemData(at) for at in range(self.set.count())}
        for name in found.sets:
            if name not in known:
                self.set.addItem(name, name)
        count = counted_noun(found.questions, "tossup")
        most = "At most " if self.selection.stumps else ""  # nobody has played yet
        self.counted.setText(f"{most}{count} can be released.{_left_out(found.left_out)}")
        mine = len(found.without_consent)
        self.allow_mine.setText(f"Allow the release of {counted_noun(mine, 'tossup')} of mine")
        self.allow_mine.setVisible(mine > 0)
        self.set_ready(found.questions > 0)

    def _allow_mine(self) -> None:
        if self._preview is None:
            return
        keys = self._preview.without_consent
        self.allow_mine.setEnabled(False)

        def then(_: object) -> None:
            self.allow_mine.setEnabled(True)
            self._start_preview()

        def failed(trouble: str) -> None:
            self.allow_mine.setEnabled(True)
            self.show_failure(trouble or BUG)

        self._jobs.ask(
            lambda _: self._app.review.record(keys, ConsentGiven(Consent.YES)),
            then,
            failed,
            still=lambda: not self.closed,
        )

    # -- the export

    def show_failure(self, text: str) -> None:
        super().show_failure(text)
        self._start_preview()

    def _begin(self) -> None:
        """Show the remarks that would be released, if any are wanted, and then ask for the folder."""
        if not self.remarks.isChecked():
            self._choose_folder()
            return
        self._rehearse("Reading comments and reasons…", self._show_remarks)

    def _show_remarks(self, found: ExportRehearsal) -> None:
        if not found.remarks:
            self._choose_folder()
            return
        shown = RemarksDialog(self._theme, found, self)
        shown.accepted.connect(self._choose_folder)
        shown.open()

    def _rehearse(self, work: str, then: Callable[[ExportRehearsal], object]) -> None:
        selection, metadata, after = self.selection, self.metadata, _path(self.after)
        engine, cancellation = self._engine(), Cancellation()
        self._exporting = cancellation

        def do(_: object) -> ExportRehearsal | None:
            with suppress(Cancelled):
                return rehearse(
                    self._app, selection, metadata, after=after, engine=engine, cancellation=cancellation
                )
            return None

        def take(found: ExportRehearsal | None) -> None:
            if found is not None:
                then(found)

        self.run_job(self._jobs, work, do, take, cancel=cancellation.cancel)

    def _choose_folder(self) -> None:
        dialog = file_dialog(self, "Export challenge set")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Export")
        metadata = self.metadata
        dialog.selectFile(f"{metadata.title} {metadata.version}".replace("/", "-"))
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def _choose_after(self) -> None:
        ask_folder(
            self, "Choose the folder of the last version", lambda folder: self.continue_from(str(folder))
        )

    def continue_from(self, folder: str) -> None:
        """Continue the set in ``folder``: the version becomes the one after it."""
        self.after.setText(folder)

        self._jobs.ask(
            lambda _: version_after(Path(folder)),
            self.version.setText,
            lambda trouble: self.show_message(trouble or BUG, trouble=True),
        )

    def _choose_control(self) -> None:
        ask_file(
            self, "Choose a file with held-back questions", "", lambda path: self.control.setText(str(path))
        )

    def export_to(self, folder: Path) -> None:
        """Keep the editor's answers, and export into ``folder``."""
        selection, metadata, engine = self.selection, self.metadata, self._engine()
        after, control, signed = _path(self.after), _path(self.control), self.signed.isChecked()
        cancellation = self._exporting = Cancellation()
        self._made = None
        self.folder_button.hide()

        def do(_: object) -> ExportReport | NamesFoundError | None:
            metadata.write(metadata_path(self._app.home))
            try:
                return export(
                    self._app,
                    folder,
                    selection,
                    replace(metadata, released=today()),
                    after=after,
                    control=control,
                    signed=signed,
                    engine=engine,
                    progress=self._progressed.emit,
                    cancellation=cancellation,
                )
            except NamesFoundError as found:
                return found
            except Cancelled:
                return None

        def then(result: ExportReport | NamesFoundError | None) -> None:
            if result is None:
                self.show_message(CANCELLED)
            elif isinstance(result, NamesFoundError):
                self.show_message(NAMES_FOUND, trouble=True)
                self._ask_for_names(
                    result.groups, result.candidates, "Keep and export again", lambda: self.export_to(folder)
                )
            else:
                self._made = result.folder
                last = result.lines[-1:] if result.unanswered else []
                self.show_message(" ".join([result.lines[0], *last]))
            self.folder_button.setVisible(self._made is not None)
            self._start_preview()

        self.run_job(self._jobs, "Starting the export…", do, then, cancel=cancellation.cancel)

    @Slot(str, int, int)
    def _show_export_progress(self, what: str, done: int, total: int) -> None:
        if not self.busy or self._exporting.cancelled:
            return
        position = f" {done + 1:,} of {total:,}" if total > 1 and done < total else ""
        self.show_progress(f"{what}{position}…", done, total if total > 1 else 0)

    def _show_names(self) -> None:
        """Search for names as an export does, and show those that are decided, too."""
        self._rehearse("Searching for names…", self._take_names)

    def _take_names(self, found: ExportRehearsal) -> None:
        groups = (*found.names, *found.never_released)
        if groups:
            self._ask_for_names(groups, found.tossups, "Keep", self._start_preview)
        else:
            self.show_message("No name of a writer was found.")

    def _ask_for_names(
        self, groups: Sequence[NameGroup], candidates: Sequence[str], button: str, then: Callable[[], object]
    ) -> None:
        """Let the editor decide whose the names are; ``then`` is done once the decisions are kept."""

        def keep(verdicts: dict[str, NameVerdict]) -> None:
            self.run_job(
                self._jobs,
                "Keeping your decisions…",
                lambda _: decide_names(self._app, verdicts, groups, candidates),
                lambda _: then(),
            )

        names = NamesDialog(self._theme, groups, button, self)
        names.decided.connect(keep)
        names.open()

    def _open_folder(self) -> None:
        if self._made is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._made)))

    def done(self, result: int) -> None:
        """Close, however that came about; a running export ends first and leaves nothing."""
        self.shutdown()
        super().done(result)

    def shutdown(self) -> None:
        """End the jobs; an export ends at its next step and leaves nothing."""
        self._previewing.cancel()
        self._exporting.cancel()
        stop_background(self)


def _path(field: QLineEdit) -> Path | None:
    return Path(field.text().strip()) if field.text().strip() else None


def _beside(*widgets: QWidget, stretched: tuple[int, ...] = ()) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for at, widget in enumerate(widgets):
        row.addWidget(widget, stretched[at] if stretched else 1)
    return row


def _left_out(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    counts = ", ".join(f"{reason} ({number:,})" for reason, number in sorted(reasons.items()))
    return f" Left out: {counts}."
